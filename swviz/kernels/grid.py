r"""Inner products of sums of Gaussians on a grid.

A Gaussian is the inner product of two narrower ones,

.. math:: e^{-(x - y)^2 / 2\rho^2} = \sqrt{\tfrac{2}{\pi \rho^2}} \int
          e^{-(x - z)^2 / \rho^2} \, e^{-(y - z)^2 / \rho^2} \, dz,

and the trapezoid rule with step h gives that integral up to a factor
:math:`1 + 2 e^{-\pi^2 \rho^2 / 2 h^2} + \dots` (Poisson summation): with h = 0.4 rho
the relative error is 8e-14 for every pair of points. So a diagram becomes the vector
of its sum of Gaussians at the nodes, one separable matrix product, and a Gram matrix is
one product more: positive semi-definite whatever the rounding. Gaussians are cut off at
5.5 rho, where they are below 1e-13.

The mirrored kernel is the same integral of
:math:`e^{-(v - z)^2 / \rho^2} - e^{-(v + z)^2 / \rho^2}` over z > 0 only: odd functions
in z, sampled on a grid through 0.

The plane is cut into tiles of at most 48 x 48 nodes. Those near no point are never
made, and in the others only the diagrams with points nearby take part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from swviz.kernels.measures import Gaussian, Measures, pairs_done
from swviz.kernels.threads import one_blas_thread
from swviz.typing import Floats, Ints, Progress

_STEP = 0.4
"""Distance of nodes over rho."""

_REACH = 5.5
"""Distance over rho where Gaussians are cut off."""

_EDGE = 48
"""Nodes along an edge of a tile, at most."""

_WIDEST = 1e6
"""Extent over rho up to which the rounding of nodes does not matter."""

_CHUNK = 1 << 14
"""Points whose Gaussians are evaluated at once."""

_PIECE = 64
"""Points in one matrix product, at most."""

_TASK_SECONDS = 0.1
"""Estimated work in one task for joblib."""

_EXP, _FLOP, _CALL, _SORT = 6e-9, 4e-11, 1e-5, 3e-7
"""Seconds for an exponential, a multiply-add of BLAS, a product, placing a point."""


@dataclass(frozen=True)
class Axis:
    """Nodes along one coordinate, cut into tiles.

    Parameters
    ----------
    origin : float
        Where the first node is.
    step : float
    per_tile : int
        Nodes a tile.
    n_tiles : int
    """

    origin: float
    step: float
    per_tile: int
    n_tiles: int

    def nodes(self, tile: int) -> Floats:
        """Coordinates of the nodes of a tile.

        Parameters
        ----------
        tile : int

        Returns
        -------
        ndarray of shape (per_tile,)
        """
        first = tile * self.per_tile
        return self.origin + self.step * np.arange(
            first, first + self.per_tile, dtype=np.float64
        )

    def tiles_near(self, x: Floats, reach: float) -> tuple[Ints, Ints]:
        """First and last tile that each coordinate reaches; they differ by at most 1.

        Parameters
        ----------
        x : ndarray of shape (n,)
        reach : float

        Returns
        -------
        first, last : ndarrays of shape (n,), integer
        """
        width = self.per_tile * self.step
        ends = (np.stack([x - reach, x + reach]) - self.origin) / width
        tiles = np.clip(np.floor(ends), 0, self.n_tiles - 1).astype(np.intp)
        return tiles[0], tiles[1]


@dataclass(frozen=True)
class Grid:
    """Tiles of nodes, and the points near each.

    Parameters
    ----------
    gaussian : Gaussian
    along, away : Axis
    tiles : ndarray of shape (n_tiles,), integer
        Which tiles have points nearby: ``along * away.n_tiles + away``.
    points : ndarray, integer
        Indices of points, tile by tile, by owner within each.
    starts : ndarray of shape (n_tiles + 1,), integer
        Where in `points` each tile begins.
    """

    gaussian: Gaussian
    along: Axis
    away: Axis
    tiles: Ints
    points: Ints
    starts: Ints

    def seconds(self, rows: int, columns: int) -> Floats:
        """Estimate the time each tile takes.

        Parameters
        ----------
        rows, columns : int
            Shape of the Gram matrix.

        Returns
        -------
        ndarray of shape (n_tiles,)
        """
        nodes = self.along.per_tile * self.away.per_tile
        points = np.diff(self.starts)
        owners = np.minimum(points, rows + columns)
        return (
            points * (self.along.per_tile + self.away.per_tile) * _EXP
            + points * nodes * _FLOP
            + owners * _CALL
            + np.minimum(points, rows) * np.minimum(points, columns) * nodes * _FLOP
            + points * _SORT
        )


def make_grid(measures: Measures, gaussian: Gaussian) -> Grid | None:
    """Lay a grid over all points.

    Parameters
    ----------
    measures : Measures
        At least one point.
    gaussian : Gaussian

    Returns
    -------
    Grid or None
        None if rho is so small that no grid covers the points.
    """
    reach = _REACH * gaussian.rho
    along = _make_axis(measures.along.min(), measures.along.max(), gaussian.rho)
    if gaussian.mirrored:
        away = _make_axis(None, measures.away.max(), gaussian.rho)
    else:
        away = _make_axis(measures.away.min(), measures.away.max(), gaussian.rho)
    if along is None or away is None:
        return None
    first_along, last_along = along.tiles_near(measures.along, reach)
    first_away, last_away = away.tiles_near(measures.away, reach)
    everyone = np.arange(len(measures))
    points, tiles = [], []
    for step_along in (0, 1):
        for step_away in (0, 1):
            near = (first_along + step_along <= last_along) & (
                first_away + step_away <= last_away
            )
            points.append(everyone[near])
            tiles.append(
                (first_along[near] + step_along) * away.n_tiles
                + first_away[near]
                + step_away
            )
    point, tile = np.concatenate(points), np.concatenate(tiles)
    if along.n_tiles * away.n_tiles > 1:
        # Points are in the order of their owners, so this sorts by owner too.
        order = np.lexsort((point, tile))
        point, tile = point[order], tile[order]
    found, starts = np.unique(tile, return_index=True)
    return Grid(gaussian, along, away, found, point, np.append(starts, len(point)))


def _make_axis(low: float | None, high: float, rho: float) -> Axis | None:
    """Nodes from `low` to `high` and beyond by the reach; None as low: from 0 on."""
    step = _STEP * rho
    # The mirrored kernel vanishes at 0: the first node is the next.
    origin = step if low is None else low - _REACH * rho
    with np.errstate(over="ignore"):
        extent = (high - origin) / rho + _REACH
    if not extent < _WIDEST:
        return None
    n_nodes = int(np.ceil(extent / _STEP)) + 1
    n_tiles = -(-n_nodes // _EDGE)
    return Axis(float(origin), step, -(-n_nodes // n_tiles), n_tiles)


def grid_products(
    measures: Measures,
    rows: int,
    grid: Grid,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> tuple[Floats, Floats]:
    """Inner products and squared norms on a grid.

    Parameters
    ----------
    measures : Measures
        Those of the rows of the result, then those of its columns; if there are no
        more than `rows`, the columns are the rows.
    rows : int
    grid : Grid
        Made for `measures`.
    n_jobs, progress
        As in :func:`swviz.sliced_wasserstein_matrix`.

    Returns
    -------
    products : ndarray of shape (rows, columns)
    norms : ndarray of shape (measures.count,)
    """
    symmetric = measures.count == rows
    columns = rows if symmetric else measures.count - rows
    products, norms = np.zeros((rows, columns)), np.zeros(measures.count)
    seconds = grid.seconds(rows, columns)
    task = np.floor(np.cumsum(seconds) / _TASK_SECONDS)
    tasks = np.split(np.arange(len(seconds)), np.flatnonzero(np.diff(task)) + 1)
    together = max(1, effective_n_jobs(n_jobs))
    with one_blas_thread(), Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for start in range(0, len(tasks), together):
            some = tasks[start : start + together]
            results = parallel(
                delayed(_tile_products)(measures, rows, grid, tiles) for tiles in some
            )
            for part, part_norms in results:
                products += part
                norms += part_norms
            if progress is not None:
                done = seconds[: some[-1][-1] + 1].sum() / seconds.sum()
                progress(*pairs_done(done, products, symmetric))
    return products, norms


def _tile_products(
    measures: Measures, rows: int, grid: Grid, tiles: Ints
) -> tuple[Floats, Floats]:
    symmetric = measures.count == rows
    columns = rows if symmetric else measures.count - rows
    products, norms = np.zeros((rows, columns)), np.zeros(measures.count)
    for tile in tiles:
        owners, vectors = _tile_vectors(measures, grid, tile)
        norms[owners] += np.einsum("ij,ij->i", vectors, vectors)
        split = len(owners) if symmetric else np.searchsorted(owners, rows)
        first, second = vectors[:split], vectors[split:]
        if symmetric:
            products[np.ix_(owners, owners)] += first @ first.T
        elif len(first) and len(second):
            block = np.ix_(owners[:split], owners[split:] - rows)
            products[block] += first @ second.T
    return products, norms


def grid_norms(measures: Measures, grid: Grid) -> Floats:
    """Squared norms on a grid.

    Parameters
    ----------
    measures : Measures
    grid : Grid
        Made for `measures`.

    Returns
    -------
    ndarray of shape (measures.count,)
    """
    norms = np.zeros(measures.count)
    with one_blas_thread():
        for tile in range(len(grid.tiles)):
            owners, vectors = _tile_vectors(measures, grid, tile)
            norms[owners] += np.einsum("ij,ij->i", vectors, vectors)
    return norms


def _tile_vectors(measures: Measures, grid: Grid, tile: int) -> tuple[Ints, Floats]:
    """Sample the sums of Gaussians at the nodes of one tile.

    Returns
    -------
    owners : ndarray of shape (k,), integer
        Who has points near the tile.
    vectors : ndarray of shape (k, nodes)
        Scaled so that their inner products are those of the sums.
    """
    near = measures.take(grid.points[grid.starts[tile] : grid.starts[tile + 1]])
    place = divmod(int(grid.tiles[tile]), grid.away.n_tiles)
    along, away = grid.along.nodes(place[0]), grid.away.nodes(place[1])
    owners, begins, counts = np.unique(
        near.owner, return_index=True, return_counts=True
    )
    # Each owner's points are cut into pieces of one length, filled up with points of
    # weight 0, so that a batched product replaces a loop over diagrams.
    length = int(np.clip(np.median(counts), 1, _PIECE))
    pieces = -(-counts // length)
    ends = np.cumsum(pieces)
    shift = np.repeat((ends - pieces) * length - begins, counts)
    slots = np.arange(len(near)) + shift
    padded = np.zeros((3, ends[-1] * length))
    padded[:, slots] = near.along, near.away, near.weight
    piece_owner = np.repeat(np.arange(len(owners)), pieces)
    vectors = np.zeros((len(owners), len(along), len(away)))
    rho = grid.gaussian.rho
    batch = max(1, _CHUNK // length)
    for start in range(0, int(ends[-1]), batch):
        rows = piece_owner[start : start + batch]
        u, v, weight = padded[:, start * length : (start + batch) * length].reshape(
            3, len(rows), length, 1
        )
        left = np.exp(-(((u - along) / rho) ** 2))
        right = np.exp(-(((v - away) / rho) ** 2))
        if grid.gaussian.mirrored:
            right *= -np.expm1(-4 / rho * v * (away / rho))
        right *= weight
        sums = left.transpose(0, 2, 1) @ right
        present, firsts, own = np.unique(rows, return_index=True, return_counts=True)
        # The first pieces of all owners, then the second: faster than reduceat.
        for nth in range(own.max()):
            more = own > nth
            vectors[present[more]] += sums[firsts[more] + nth]
    vectors *= _STEP * np.sqrt(2 / np.pi)
    return owners, vectors.reshape(len(owners), -1)
