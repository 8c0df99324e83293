"""The kernels that the Learn view offers, by short names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from swviz.diagrams import DiagramSet
from swviz.kernels import (
    DiagramDistanceKernel,
    DiagramKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.typing import Rule

_PWG_POWER = 4
"""The paper's p for data in the plane."""


@dataclass(frozen=True)
class Choice:
    """A kernel to choose.

    Parameters
    ----------
    title : str
        For menus and tables.
    of : str
        What its bandwidth is one of.
    scale : str
        The letter of its bandwidth.
    width : str
        Where that is kept; see :class:`swviz.app.workspace.kernel_widths.KernelWidths`.
    matrices : str
        How many matrices of all pairs tuning it takes.
    formula : str
        LaTeX, without dollars.
    source : str
        Where the formula is from.
    """

    title: str
    of: str
    scale: str
    width: str
    matrices: str
    formula: str
    source: str


_SW = (
    r"k_{SW}(A, B) = \exp\bigl(-SW(A, B) / 2\sigma^2\bigr)",
    "Equation 5",
)
_PSS = (
    r"k_{PSS}(A, B) = \frac{1}{8 \pi t} \sum_{p \in A,\, q \in B} "
    r"e^{-|p - q|^2 / 8t} - e^{-|p - \bar q|^2 / 8t}",
    "Reininghaus et al. 2015",
)
_PWG = (
    r"k_{PWG}(A, B) = \exp\bigl(-\|\mu_A - \mu_B\| / 2\tau^2\bigr)",
    "Kusano et al. 2016, as in Section 4",
)
_D1 = (
    r"\exp\bigl(-d_1(A, B) / 2\sigma^2\bigr)",
    "not positive definite",
)

KERNEL_CHOICES = {
    "sw": Choice("k_SW, M directions", "k_SW", "σ", "sigma", "1", *_SW),
    "exact": Choice("k_SW, exact", "k_SW", "σ", "sigma", "1", *_SW),
    "embedding": Choice(
        "k_SW, embedding of M directions", "k_SW", "σ", "sigma", "1 a run", *_SW
    ),
    "pss": Choice("k_PSS", "k_PSS", "t", "t", "13", *_PSS),
    "pwg": Choice("k_PWG", "k_PWG", "τ", "tau", "25 a run", *_PWG),
    "d1": Choice(
        "Gaussian on d1 (no kernel)", "the Gaussian on d₁", "σ", "sigma_d1", "1", *_D1
    ),
}
"""By short name."""

DIRECTED = ("sw", "embedding")
"""Those that depend on M and its rule."""

LEARNT = ("embedding", "pwg")
"""Those that learn from the training samples before any bandwidth is chosen."""


MOST_WORK = 4e7
"""Projected points of all slices and pairs up to which SW_M itself is the better way:
a second of a slow processor."""


def work_of_slices(
    dataset: DiagramSet, dimensions: Collection[int], n_directions: int
) -> float:
    """Return how many points are merged for SW_M of all pairs of a set."""
    points = sum(
        len(diagram) for k in dimensions for diagram in dataset.in_dimension(k)
    )
    # A point is in as many pairs as there are other diagrams.
    return float(n_directions * points * max(0, len(dataset) - 1))


def suggest_kernel(
    dataset: DiagramSet, dimensions: Collection[int], n_directions: int
) -> str:
    """Return how to take k_SW: by slices, or by its embedding for large sets.

    Returns
    -------
    {"sw", "embedding"}
    """
    work = work_of_slices(dataset, dimensions, n_directions)
    return "sw" if work <= MOST_WORK else "embedding"


def make_kernel(
    name: str, n_directions: int, rule: Rule, dimensions: Collection[int]
) -> DiagramKernel:
    """Make a kernel by its short name.

    Parameters
    ----------
    name : str
        A key of ``KERNEL_CHOICES``.
    n_directions : int
    rule : str
    dimensions : collection of int

    Returns
    -------
    DiagramKernel
        Its bandwidth is still to be set.
    """
    chosen = tuple(dimensions)
    if name == "pss":
        return PersistenceScaleSpaceKernel(dimensions=chosen)
    if name == "pwg":
        return PersistenceWeightedGaussianKernel(p=_PWG_POWER, dimensions=chosen)
    if name == "d1":
        return DiagramDistanceKernel(dimensions=chosen)
    return SlicedWassersteinKernel(
        n_directions="exact" if name == "exact" else n_directions,
        rule=rule,
        method="embedding" if name == "embedding" else "slices",
        # The same random directions whenever they are drawn.
        random_state=0,
        dimensions=chosen,
    )
