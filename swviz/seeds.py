"""What a `random_state` may be: the same in every function of the library."""

from __future__ import annotations

from typing import Any

import numpy as np

from swviz.errors import ParameterError, shown

RandomState = int | np.random.Generator | np.random.RandomState | None

_LARGEST = 2**32 - 1
"""What RandomState takes; the same for Generator, which would take more."""


def as_random_state(random_state: Any) -> np.random.RandomState:
    """Return the numbers that `random_state` stands for, as scikit-learn draws them.

    Parameters
    ----------
    random_state : int, RandomState instance, Generator or None
        A `Generator` is drawn from: its state moves on.

    Returns
    -------
    RandomState

    Examples
    --------
    >>> as_random_state(0).randint(10), as_random_state(0).randint(10)
    (5, 5)
    """
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.bit_generator)
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, int | np.integer):
        _check_seed(random_state)
        return np.random.RandomState(int(random_state))
    if random_state is not None:
        raise _refusal(random_state)
    # Loaded for this alone: the numbers that all of NumPy shares.
    from sklearn.utils import check_random_state

    return check_random_state(None)


def as_generator(random_state: Any) -> np.random.Generator:
    """Return the generator of random numbers that `random_state` stands for.

    Parameters
    ----------
    random_state : int, RandomState instance, Generator or None
        A `RandomState` is drawn from: its state moves on.

    Returns
    -------
    Generator
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(fixed_seed(random_state))
    _check_seed(random_state)
    return np.random.default_rng(int(random_state))


def as_seed(random_state: Any) -> int | None:
    """Return the seed that gives the same numbers again; None if there is none.

    Parameters
    ----------
    random_state : int, RandomState instance, Generator or None

    Returns
    -------
    int or None
    """
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return None


def fixed_seed(random_state: Any) -> int:
    """Return a seed that gives the same random numbers each time it is used.

    Parameters
    ----------
    random_state : int, RandomState instance, Generator or None

    Returns
    -------
    int
        An int is its own; others draw one.
    """
    random = as_random_state(random_state)
    seed = as_seed(random_state)
    return int(random.randint(np.iinfo(np.int32).max)) if seed is None else seed


def _check_seed(random_state: Any) -> None:
    whole = isinstance(random_state, int | np.integer)
    if isinstance(random_state, bool) or not (whole and 0 <= random_state <= _LARGEST):
        raise _refusal(random_state)


def _refusal(random_state: Any) -> ParameterError:
    return ParameterError(
        f"random_state must be a whole number from 0 to {_LARGEST}, a NumPy Generator "
        f"or RandomState, or None, not {shown(random_state)}"
    )
