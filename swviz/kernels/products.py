"""Gram matrices and distances of sums of Gaussians, by the cheaper of two methods."""

from __future__ import annotations

from typing import Literal

import numpy as np

from swviz.errors import ParameterError, shown
from swviz.kernels.grid import Grid, grid_norms, grid_products, make_grid
from swviz.kernels.measures import (
    Gaussian,
    Measures,
    differences,
    direct_norms,
    direct_products,
)
from swviz.typing import Floats, Progress

SumMethod = Literal["auto", "direct", "grid"]

_PAIR = 1.2e-8
"""Seconds for a pair of points in the double sum; the mirrored one takes twice that."""

_ALWAYS_DIRECT = 2e-3
"""Seconds of a double sum below which no grid is considered."""

_CLOSE = 1e-6
"""Squared distance over squared norms below which subtracting norms loses digits."""

_PAIRS = 1 << 20
"""Points of close pairs that are compared at once."""


def inner_products(
    first: Measures,
    second: Measures | None,
    gaussian: Gaussian,
    method: SumMethod = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Inner products of all pairs of measures.

    Parameters
    ----------
    first : Measures
    second : Measures or None
        None for `first` with itself.
    gaussian : Gaussian
    method : {"auto", "direct", "grid"}, default="auto"
    n_jobs, progress
        As in :func:`swviz.sliced_wasserstein_matrix`.

    Returns
    -------
    ndarray of shape (first.count, second.count)
    """
    both = first if second is None else _stack(first, second)
    grid = _choose(first, second, both, gaussian, method)
    if grid is None:
        return direct_products(first, second, gaussian, n_jobs, progress)
    return grid_products(both, first.count, grid, n_jobs, progress)[0]


def rkhs_distances(
    first: Measures,
    second: Measures | None,
    gaussian: Gaussian,
    method: SumMethod = "auto",
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Distances between all pairs of measures in the Hilbert space of the Gaussian.

    Parameters
    ----------
    first, second, gaussian, method, n_jobs, progress
        As in :func:`inner_products`.

    Returns
    -------
    ndarray of shape (first.count, second.count)

    Notes
    -----
    Where measures are close, the squared norms and the inner product are equal in most
    of their digits, and the square root doubles the loss. There the distance is taken
    from the difference of the two measures instead.
    """
    both = first if second is None else _stack(first, second)
    grid = _choose(first, second, both, gaussian, method)
    if grid is None:
        products = direct_products(first, second, gaussian, n_jobs, progress)
        if second is None:
            norms = np.diag(products).copy()
        else:
            norms = direct_norms(both, gaussian)
    else:
        products, norms = grid_products(both, first.count, grid, n_jobs, progress)
    ours = norms[: first.count, None]
    theirs = norms if second is None else norms[first.count :]
    squared = ours + theirs - 2 * products
    close = squared <= _CLOSE * (ours + theirs)
    if second is None:
        close = np.triu(close, 1)
        np.fill_diagonal(squared, 0.0)
    _repair(squared, first, first if second is None else second, close, gaussian)
    if second is None:
        above = np.triu(squared, 1)
        squared = above + above.T
    return np.sqrt(squared)


def _repair(
    squared: Floats,
    first: Measures,
    second: Measures,
    close: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    gaussian: Gaussian,
) -> None:
    """Replace the squared distances of close pairs by norms of differences."""
    pairs = np.argwhere(close)
    sizes = np.bincount(first.owner, minlength=first.count)[pairs[:, 0]]
    sizes += np.bincount(second.owner, minlength=second.count)[pairs[:, 1]]
    batch = np.cumsum(sizes) // _PAIRS
    for some in np.split(pairs, np.flatnonzero(np.diff(batch)) + 1):
        between = differences(first, second, some)
        norms = np.zeros(len(some))
        if len(between):
            # Even beside double sums on the grid: a sum of squares cannot cancel.
            grid = make_grid(between, gaussian)
            norms = (
                direct_norms(between, gaussian)
                if grid is None
                else grid_norms(between, grid)
            )
        squared[some[:, 0], some[:, 1]] = np.maximum(norms, 0.0)


def _choose(
    first: Measures,
    second: Measures | None,
    both: Measures,
    gaussian: Gaussian,
    method: SumMethod,
) -> Grid | None:
    """Lay the grid to be used; None for the double sum."""
    if method not in ("auto", "direct", "grid"):
        raise ParameterError(
            f'method must be "auto", "direct" or "grid", not {shown(method)}'
        )
    n_pairs = len(first) ** 2 / 2 if second is None else len(first) * len(second)
    direct_seconds = n_pairs * _PAIR * (2 if gaussian.mirrored else 1)
    if method == "direct" or n_pairs == 0:
        return None
    if method == "auto" and direct_seconds < _ALWAYS_DIRECT:
        return None
    grid = make_grid(both, gaussian)
    if grid is None and method == "grid":
        raise ParameterError(
            f"the Gaussians (width {gaussian.rho:g}) are too narrow for a grid over "
            'these diagrams: use method="auto" or "direct"'
        )
    if grid is None or method == "grid":
        return grid
    columns = first.count if second is None else second.count
    grid_seconds = grid.seconds(first.count, columns).sum()
    return grid if grid_seconds < direct_seconds else None


def _stack(first: Measures, second: Measures) -> Measures:
    return Measures(
        np.concatenate([first.along, second.along]),
        np.concatenate([first.away, second.away]),
        np.concatenate([first.weight, second.weight]),
        np.concatenate([first.owner, second.owner + first.count]),
        first.count + second.count,
    )
