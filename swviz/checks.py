"""Checks of parameters: each returns the value, or says what it has to be.

All take the value first, then what to call it in the message.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from swviz.errors import ParameterError, shown
from swviz.typing import RULES, Floats, Ints

MOST_WORKERS = 1024
"""Threads, or processes, that a computer may still start."""


def check_count(value: object, name: str, largest: int = 10_000_000) -> int:
    """Return `value` as an int if it is a whole number in 1..largest.

    Parameters
    ----------
    value : object
    name : str
        For the message.
    largest : int, default=10_000_000

    Returns
    -------
    int
    """
    if not _is_whole(value) or not 1 <= int(value) <= largest:
        raise ParameterError(
            f"{name} must be a whole number from 1 to {largest}, not {shown(value)}"
        )
    return int(value)


def check_counts(values: Sequence[int], name: str, largest: int) -> Ints:
    """Return ascending whole numbers in 1..largest, one at least.

    Parameters
    ----------
    values : sequence of int
    name : str
        For the message.
    largest : int

    Returns
    -------
    ndarray of shape (k,)
    """
    checked = [check_count(value, name, largest) for value in values]
    if not checked or (np.diff(checked) <= 0).any():
        raise ParameterError(f"{name} must be ascending numbers, one at least")
    return np.array(checked, dtype=np.intp)


def check_integer(value: object, name: str, low: int, high: int) -> int:
    """Return `value` as an int in [low, high].

    Parameters
    ----------
    value : object
    name : str
        For the message.
    low, high : int

    Returns
    -------
    int
    """
    if not _is_whole(value):
        raise ParameterError(f"{name} must be an integer, not {shown(value)}")
    if not low <= value <= high:
        raise ParameterError(f"{name} must be from {low} to {high}, not {shown(value)}")
    return int(value)


def check_number(value: object, name: str, low: float, high: float) -> float:
    """Return `value` as a float in [low, high].

    Parameters
    ----------
    value : object
    name : str
        For the message.
    low, high : float

    Returns
    -------
    float
    """
    if not _is_real(value):
        raise ParameterError(f"{name} must be a number, not {shown(value)}")
    if not low <= value <= high:
        raise ParameterError(
            f"{name} must be from {low:g} to {high:g}, not {shown(value)}"
        )
    return float(value)


def check_positive(value: object, name: str) -> float:
    """Return `value` as a float if it is a finite positive number.

    Parameters
    ----------
    value : object
    name : str
        For the message.

    Returns
    -------
    float
    """
    number = _as_float(value)
    if not 0 < number < np.inf:
        raise ParameterError(
            f"{name} must be a finite number above 0, not {shown(value)}"
        )
    return number


def check_not_negative(value: object, name: str) -> float:
    """Return `value` as a float if it is a finite number of at least 0.

    Parameters
    ----------
    value : object
    name : str
        For the message.

    Returns
    -------
    float
    """
    number = _as_float(value)
    if not 0 <= number < np.inf:
        raise ParameterError(
            f"{name} must be a finite number of at least 0, not {shown(value)}"
        )
    return number


def check_flag(value: object, name: str) -> bool:
    """Return `value` as a bool if it is one.

    Parameters
    ----------
    value : object
    name : str
        For the message.

    Returns
    -------
    bool
    """
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def check_choice(value: object, name: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`.

    Parameters
    ----------
    value : object
    name : str
        For the message.
    choices : collection of str

    Returns
    -------
    str
    """
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{name} must be one of {listed}, not {shown(value)}")
    return value


def check_choices(
    values: str | Sequence[str], name: str, choices: Collection[str]
) -> tuple[str, ...]:
    """Return one or several of `choices` as a tuple.

    Parameters
    ----------
    values : str or sequence of str
    name : str
        For the message.
    choices : collection of str

    Returns
    -------
    tuple of str
    """
    several = (values,) if isinstance(values, str) else tuple(values)
    if not several:
        raise ParameterError(f"{name} is empty: give at least one of {list(choices)}")
    return tuple(check_choice(value, name, choices) for value in several)


def check_rule(rule: object) -> None:
    """Raise a ParameterError unless `rule` is the name of one.

    Parameters
    ----------
    rule : object
    """
    check_choice(rule, "rule", RULES)


def check_workers(n_jobs: object) -> int:
    """Return how many workers `n_jobs` stands for.

    Parameters
    ----------
    n_jobs : object

    Returns
    -------
    int
    """
    usable = _is_whole(n_jobs) and 0 != n_jobs <= MOST_WORKERS
    if n_jobs is not None and not usable:
        raise ParameterError(
            f"n_jobs must be a whole number up to {MOST_WORKERS} but 0, -1 for all "
            f"cores, not {shown(n_jobs)}"
        )
    # Loaded here, since most of what is checked has nothing to do with workers.
    from joblib import effective_n_jobs

    return int(effective_n_jobs(n_jobs))


def check_angles(thetas: ArrayLike) -> Floats:
    """Return angles as a one-dimensional float array.

    Parameters
    ----------
    thetas : array-like of shape (k,) or scalar

    Returns
    -------
    ndarray of shape (k,)
    """
    try:
        angles = np.atleast_1d(np.asarray(thetas, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("angles must be numbers, in radians") from None
    if angles.ndim != 1 or not np.isfinite(angles).all():
        raise ParameterError("angles must be a list of finite numbers, in radians")
    return angles


def check_square(matrix: ArrayLike, name: str) -> Floats:
    """Return a square matrix of finite numbers as float64.

    Parameters
    ----------
    matrix : array-like of shape (n, n)
    name : str
        For the message.

    Returns
    -------
    ndarray of shape (n, n)
    """
    try:
        checked = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(f"{name} must be a square matrix of numbers") from None
    if checked.ndim != 2 or checked.shape[0] != checked.shape[1]:
        raise ParameterError(f"{name} must be a square matrix, not {checked.shape}")
    if not np.isfinite(checked).all():
        raise ParameterError(f"{name} has entries that are infinite or NaN")
    return checked


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_real(value: object) -> TypeGuard[float]:
    return _is_whole(value) or isinstance(value, float | np.floating)


def _as_float(value: object) -> float:
    """Return a real number as a float, NaN for anything else."""
    if not _is_real(value):
        return float("nan")
    try:
        return float(value)
    except OverflowError:
        return float("inf")
