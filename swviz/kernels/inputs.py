"""Input of kernels, checked: samples of one or several homology dimensions, numbers.

Lists of diagrams are one homology dimension. A :class:`~swviz.diagrams.DiagramSet`
brings several. A list of `DiagramSet` is taken as one set after the other: that is
what scikit-learn's cross-validation makes of a `DiagramSet`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from swviz.diagrams import Diagram, DiagramSet, as_diagrams, join_sets, list_samples
from swviz.errors import DiagramError, ParameterError, shown

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
    check_dimensions(dimensions)
    samples = as_samples(X)
    if not isinstance(samples, DiagramSet):
        if dimensions is not None and samples:
            raise ParameterError(
                "dimensions chooses among those of a DiagramSet, and this is a "
                "plain list of diagrams: leave dimensions=None"
            )
        return {None: as_diagrams(samples)}
    chosen = samples.dimensions if dimensions is None else dimensions
    return {int(dimension): samples.in_dimension(dimension) for dimension in chosen}


def as_samples(X: Samples) -> DiagramSet | list[Any]:
    """Make one set, or one list, of samples that can be counted and read twice.

    Parameters
    ----------
    X : iterable of array-likes of shape (n_i, 2), DiagramSet, or list of DiagramSet

    Returns
    -------
    DiagramSet, or list of array-likes of shape (n_i, 2)
        Plain diagrams are not checked.
    """
    if isinstance(X, DiagramSet):
        return X
    several = list_samples(X)
    sets = [sample for sample in several if isinstance(sample, DiagramSet)]
    if not sets:
        return several
    if len(sets) < len(several):
        raise DiagramError("a list mixes plain diagrams and DiagramSets")
    return join_sets(sets)


def check_dimensions(dimensions: object, name: str = "dimensions") -> None:
    """Raise a ParameterError unless these are homology dimensions to choose, or None.

    Parameters
    ----------
    dimensions : object
    name : str, default="dimensions"
        For the message.
    """
    if dimensions is None:
        return
    if not isinstance(dimensions, Collection) or not all(
        isinstance(one, int | np.integer) and not isinstance(one, bool)
        for one in dimensions
    ):
        raise ParameterError(
            f"{name} must be a list of homology dimensions, such as [1], or None for "
            f"all, not {shown(dimensions)}"
        )
    if not len(dimensions):
        raise ParameterError(f"{name} is empty: choose at least one, or None for all")


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
