"""The kernels that the Learn view offers, by short names."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from swviz.kernels import (
    DiagramDistanceKernel,
    DiagramKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)

_PWG_POWER = 4
"""The paper's p for data in the plane."""


@dataclass(frozen=True)
class Choice:
    """A kernel to choose.

    Parameters
    ----------
    title : str
        For menus and tables.
    scale : str
        What its bandwidth is called; the slider for sigma moves it.
    matrices : str
        How many matrices of all pairs tuning it takes.
    """

    title: str
    scale: str
    matrices: str


KERNELS = {
    "sw": Choice("k_SW, M directions", "σ", "1"),
    "exact": Choice("k_SW, exact", "σ", "1"),
    "embedding": Choice("k_SW, embedding of M directions", "σ", "1 a run"),
    "pss": Choice("k_PSS", "t", "13"),
    "pwg": Choice("k_PWG", "τ", "25 a run"),
    "d1": Choice("Gaussian on d1 (no kernel)", "σ", "1"),
}
"""By short name."""

DIRECTED = ("sw", "embedding")
"""Those that depend on M and its rule."""

LEARNT = ("embedding", "pwg")
"""Those that learn from the training samples before any bandwidth is chosen."""


def make_kernel(
    name: str, n_directions: int, rule: str, dimensions: Collection[int]
) -> DiagramKernel:
    """Make a kernel by its short name.

    Parameters
    ----------
    name : str
        A key of ``KERNELS``.
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
