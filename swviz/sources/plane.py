"""Diagrams of clouds in the plane by SciPy alone, for where there is no GUDHI."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay, QhullError

from swviz.typing import Floats, Ints

_ROUNDING = 1e-12
"""Part of a squared radius below which births and deaths differ by rounding alone."""


def plane_alpha(points: Floats) -> tuple[Floats, Floats]:
    """Squared radii at which pieces and loops of growing discs are born and die.

    Parameters
    ----------
    points : ndarray of shape (n, 2)

    Returns
    -------
    pieces, loops : ndarrays of shape (k, 2)
        What GUDHI's alpha complex has in dimensions 0 and 1, but for rounding and the
        order of rows; the piece that never dies is left out.

    Notes
    -----
    Edges of the Delaunay triangulation, from the shortest on, join pieces. Loops are
    pieces of what the discs leave free: they are joined by the edges, too, when the
    discs shrink. So each takes one pass over the edges, O(n log n) in all.
    """
    distinct = np.unique(points, axis=0)
    centre = distinct.mean(axis=0)
    scale = float(np.abs(distinct - centre).max(initial=0.0)) or 1.0
    placed = (distinct - centre) / scale
    edges, sides, radii, is_free = _triangulate(placed)
    half = np.square(placed[edges[:, 0]] - placed[edges[:, 1]]).sum(axis=1) / 4
    pieces = _join(edges, half, np.zeros(len(placed)))
    # An edge whose circle holds another point comes with its first triangle.
    first = radii[sides].min(axis=1)
    values = np.where(is_free, np.minimum(half, first), first)
    loops = -_join(sides, -values, -radii)[:, ::-1]
    lasting = loops[:, 1] - loops[:, 0] > _ROUNDING * loops[:, 1]
    return scale**2 * pieces, scale**2 * loops[lasting]


def _triangulate(points: Floats) -> tuple[Ints, Ints, Floats, NDArray[np.bool_]]:
    """Triangulate distinct points.

    Returns
    -------
    edges : ndarray of shape (m, 2)
        Points at their ends.
    sides : ndarray of shape (m, 2)
        Triangles on both sides; the last one is all that is outside.
    radii : ndarray of shape (n_triangles + 1,)
        Of their circles, squared.
    is_free : ndarray of shape (m,)
        Whether the smallest circle through an edge holds no other point.
    """
    try:
        found = Delaunay(points)
    except QhullError:
        # All on a line, or fewer than three.
        along = np.linalg.svd(points - points[:1], full_matrices=False)[2][0]
        order = np.argsort(points @ along)
        edges = np.stack([order[:-1], order[1:]], axis=1)
        free = np.ones(len(edges), dtype=bool)
        return edges, np.zeros_like(edges), np.array([np.inf]), free
    triangles = found.simplices
    count = len(triangles)
    # Sides are opposite to corners, and so are the neighbours behind them.
    following, last = np.roll(triangles, -1, axis=1), np.roll(triangles, -2, axis=1)
    one, other = points[following] - points[triangles], points[last] - points[triangles]
    dots = np.sum(one * other, axis=2)
    areas = one[:, 0, 0] * other[:, 0, 1] - one[:, 0, 1] * other[:, 0, 0]
    lengths = np.square(points[following] - points[last]).sum(axis=2)
    with np.errstate(divide="ignore"):
        radii = lengths.prod(axis=1) / (4 * np.square(areas))
    ends = np.sort(np.stack([following, last], axis=2).reshape(-1, 2), axis=1)
    edges, index, number = np.unique(
        ends, axis=0, return_index=True, return_inverse=True
    )
    beyond = np.where(found.neighbors < 0, count, found.neighbors)
    owners = np.repeat(np.arange(count), 3)
    sides = np.stack([owners[index], beyond.ravel()[index]], axis=1)
    is_free = np.ones(len(edges), dtype=bool)
    is_free[number.ravel()[dots.ravel() < 0]] = False
    # Points that Qhull takes for others, for they are so near: each joins that one.
    near = found.coplanar[:, [0, 2]]
    outside = np.full_like(near, count)
    return (
        np.concatenate([edges, near]),
        np.concatenate([sides, outside]),
        np.append(radii, np.inf),
        np.append(is_free, np.ones(len(near), dtype=bool)),
    )


def _join(edges: Ints, values: Floats, births: Floats) -> Floats:
    """Join things by edges, in order of their values: the younger of two dies.

    Returns
    -------
    ndarray of shape (k, 2)
        Births and deaths.
    """
    parents = list(range(len(births)))
    born = births.tolist()
    pairs: list[tuple[float, float]] = []

    def root(k: int) -> int:
        while parents[k] != k:
            parents[k] = k = parents[parents[k]]
        return k

    order = np.argsort(values, kind="stable")
    for (a, b), value in zip(
        edges[order].tolist(), values[order].tolist(), strict=True
    ):
        elder, younger = sorted((root(a), root(b)), key=born.__getitem__)
        if elder != younger:
            parents[younger] = elder
            pairs.append((born[younger], value))
    return np.array(pairs).reshape(-1, 2)
