"""Input of kernels, checked: samples of one or several homology dimensions, numbers.

Lists of diagrams are one homology dimension. A :class:`~swviz.diagrams.DiagramSet`
brings several. A list of `DiagramSet` is taken as one set after the other: that is
what scikit-learn's cross-validation makes of a `DiagramSet`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from swviz.diagrams import Diagram, DiagramSet, as_diagrams
from swviz.directions import Floats
from swviz.errors import DiagramError, ParameterError

Samples = DiagramSet | Sequence[ArrayLike] | Sequence[DiagramSet]
"""What kernels take: diagrams of one homology dimension, or sets of several."""

ByDimension = dict[int | None, list[Diagram]]
"""Diagrams by homology dimension; None for plain lists."""


def by_dimension(X: Samples, dimensions: Collection[int] | None = None) -> ByDimension:
    """Check samples and sort their diagrams by homology dimension.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2), DiagramSet, or list of DiagramSet
    dimensions : collection of int, optional
        Which of the dimensions of a `DiagramSet`; all by default.

    Returns
    -------
    dict of int or None to list of ndarray of shape (n_i, 2)
        None stands for the dimension of a plain list.
    """
    if isinstance(X, DiagramSet):
        sets = [X]
    elif isinstance(X, Mapping) or not isinstance(X, Iterable):
        raise DiagramError(
            f"expected a list of diagrams or a DiagramSet, not {type(X).__name__}"
        )
    else:
        several: list[Any] = list(X)
        sets = [sample for sample in several if isinstance(sample, DiagramSet)]
        if not sets:
            if dimensions is not None and several:
                raise ParameterError(
                    "dimensions chooses among those of a DiagramSet, and this is a "
                    "plain list of diagrams: leave dimensions=None"
                )
            return {None: as_diagrams(several)}
        if len(sets) < len(several):
            raise DiagramError("a list mixes plain diagrams and DiagramSets")
    present = sets[0].dimensions
    if any(one.dimensions != present for one in sets):
        raise DiagramError("these DiagramSets hold different homology dimensions")
    chosen = present if dimensions is None else tuple(dimensions)
    if not chosen:
        raise ParameterError(
            "dimensions is empty: choose at least one, or None for all"
        )
    return {
        dimension: [diagram for one in sets for diagram in one.in_dimension(dimension)]
        for dimension in chosen
    }


def count_samples(diagrams: ByDimension) -> int:
    """Count the samples of a result of :func:`by_dimension`.

    Parameters
    ----------
    diagrams : dict of int or None to list

    Returns
    -------
    int
    """
    return len(next(iter(diagrams.values())))


def one_sample(sample: ArrayLike | DiagramSet) -> Samples:
    """Turn one diagram, or a set of one sample, into samples.

    Parameters
    ----------
    sample : array-like of shape (n, 2), or DiagramSet of one sample

    Returns
    -------
    list or DiagramSet
    """
    if isinstance(sample, DiagramSet):
        if len(sample) != 1:
            raise DiagramError(
                f"expected one sample, got a DiagramSet of {len(sample)}: use gram, or "
                "choose one with [index]"
            )
        return sample
    return [sample]


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
    number = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, bool) or not (number and 0 < float(value) < np.inf):  # type: ignore[arg-type]
        raise ParameterError(f"{name} must be a finite number above 0, not {value!r}")
    return float(value)  # type: ignore[arg-type]


def check_choice(value: object, name: str, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`.

    Parameters
    ----------
    value : object
    name : str
        For the message.
    choices : sequence of str

    Returns
    -------
    str
    """
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(f'"{choice}"' for choice in choices)
        raise ParameterError(f"{name} must be one of {listed}, not {value!r}")
    return value


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
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a square matrix of numbers") from None
    if checked.ndim != 2 or checked.shape[0] != checked.shape[1]:
        raise ParameterError(f"{name} must be a square matrix, not {checked.shape}")
    if not np.isfinite(checked).all():
        raise ParameterError(f"{name} has entries that are infinite or NaN")
    return checked


def fixed_seed(random_state: Any) -> Any:
    """Return a seed that gives the same random numbers each time it is used.

    Parameters
    ----------
    random_state : int, RandomState instance or None

    Returns
    -------
    int
    """
    if isinstance(random_state, int | np.integer):
        return random_state
    return check_random_state(random_state).randint(np.iinfo(np.int32).max)
