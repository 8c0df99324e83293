r"""The bottleneck distance of two diagrams, exactly.

It is one of finitely many numbers: 0, the half persistences, and the sup-norm distances
of pairs of points, all as float64 has them. Which of them are large enough is a matter
of bipartite graphs. At a threshold t the points with a half persistence above t
*must* be matched, along edges no longer than t. By the theorem of Mendelsohn and
Dulmage one matching covers those of A and those of B as soon as one matching covers
those of A and another one those of B: two small problems.

A tree finds the edges, so that neither time nor memory grows with n m unless the
distance does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from swviz.diagrams import Diagram
from swviz.errors import DiagramError
from swviz.typing import Floats

Ints = NDArray[np.signedinteger[Any]]

_MOST_EDGES = 25_000_000
"""Edges of one graph: 16 bytes each, some 60 at the peak, so 1.5 GB."""

_CHUNK = 1 << 16
"""Edges measured at once."""

_ROUNDINGS = 16 * np.finfo(np.float64).eps
"""Of the largest coordinate: by how much a tree may be wrong about a distance."""


def bottleneck(first: Diagram, second: Diagram) -> float:
    """Compute the bottleneck distance of finite points.

    Parameters
    ----------
    first, second : ndarrays of shape (n, 2) and (m, 2)

    Returns
    -------
    float
        One of the half persistences or sup-norm distances, or 0.

    Notes
    -----
    About log(n m) matchings, each grown from the one before, on the edges that are no
    longer than four times the distance.
    """
    a, b = (d[d[:, 1] > d[:, 0]] for d in (first, second))
    halves = [half_persistences(d) for d in (a, b)]
    highest = max(half.max(initial=0) for half in halves)
    if not (len(a) and len(b)):
        return float(highest)
    trees = [cKDTree(d) for d in (a, b)]
    slack = _ROUNDINGS * max(np.abs(a).max(), np.abs(b).max())
    nearest = [trees[1].query(a, p=np.inf)[0], trees[0].query(b, p=np.inf)[0]]
    # Every point goes at least as far as to what is nearest.
    low = max(
        np.minimum(half, near).max() for half, near in zip(halves, nearest, strict=True)
    )
    low -= slack
    high = max(2 * low, slack, np.finfo(np.float64).smallest_subnormal)
    while True:
        high = min(high, highest)
        graphs = [
            _Graph(a, b, trees[1], halves[0], low, high, slack),
            _Graph(b, a, trees[0], halves[1], low, high, slack),
        ]
        if all(graph.is_covered(high) for graph in graphs):
            break
        low, high = high, 4 * high
    some = (np.zeros(1), *halves, *(graph.lengths for graph in graphs))
    values = np.unique(np.concatenate([_between(low, x, high) for x in some]))
    # The last value is large enough; look for the first one that is.
    start, stop = 0, len(values) - 1
    while start < stop:
        middle = (start + stop) // 2
        if all(graph.is_covered(values[middle]) for graph in graphs):
            stop = middle
        else:
            start = middle + 1
    return float(values[stop])


def _between(low: float, values: Floats, high: float) -> Floats:
    return values[(values >= low) & (values <= high)]


def half_persistences(diagram: Diagram) -> Floats:
    """Sup-norm distances of points to the diagonal.

    Parameters
    ----------
    diagram : ndarray of shape (n, 2)

    Returns
    -------
    ndarray of shape (n,)
    """
    return (diagram[:, 1] - diagram[:, 0]) / 2


class _Graph:
    """Edges of length up to `high` from the points that may have to be matched."""

    def __init__(
        self,
        points: Diagram,
        others: Diagram,
        tree: cKDTree,
        half: Floats,
        low: float,
        high: float,
        slack: float,
    ) -> None:
        lasting = np.flatnonzero(half > low)
        self.half = half[lasting]
        self.n_others = len(others)
        own = cKDTree(points[lasting]) if len(lasting) else None
        # Wider by what rounding may hide; `is_covered` compares what NumPy computes.
        reach = high + slack
        count = 0 if own is None else own.count_neighbors(tree, reach, p=np.inf)
        if count > _MOST_EDGES:
            raise DiagramError(
                f"the bottleneck distance of {len(points)} and {len(others)} points "
                f"asks for {count} pairs at once: thin the diagrams out, or use a "
                "finite p"
            )
        self.rows = self.columns = np.empty(0, dtype=np.int32)
        if own is not None and count:
            pairs = own.sparse_distance_matrix(
                tree, reach, p=np.inf, output_type="ndarray"
            )
            rows, columns = (pairs[side].astype(np.int32) for side in "ij")
            del pairs
            order = np.argsort(rows, kind="stable")
            self.rows, self.columns = rows[order], columns[order]
            del rows, columns, order
        self.lengths = np.empty(len(self.rows))
        for start in range(0, len(self.rows), _CHUNK):
            part = slice(start, start + _CHUNK)
            self.lengths[part] = sup_lengths(
                points[lasting[self.rows[part]]], others[self.columns[part]]
            )
        self.partner = np.full(len(lasting), -1, dtype=np.intp)

    def is_covered(self, threshold: float) -> bool:
        """Whether all points that must be matched can be."""
        must = self.half > threshold
        kept = (self.lengths <= threshold) & must[self.rows]
        columns = self.columns[kept]
        sizes = np.bincount(self.rows[kept], minlength=len(must))
        ends = np.append(0, np.cumsum(sizes))
        if not (np.diff(ends)[must] > 0).all():
            return False
        # What was found at another threshold is a start, as far as it holds.
        partner = np.full(len(must), -1, dtype=np.intp)
        old = kept & (self.partner.astype(np.int32)[self.rows] == self.columns)
        partner[self.rows[old]] = self.columns[old]
        del kept, old
        covered = augment(columns, ends, partner, np.flatnonzero(must), self.n_others)
        self.partner = partner
        return covered


def augment(
    columns: Ints, ends: Ints, partner: Ints, must: Ints, n_columns: int
) -> bool:
    """Grow a bipartite matching until it covers some rows, or cannot be grown.

    Parameters
    ----------
    columns : ndarray of shape (n_edges,), integer
        The columns of the edges, row by row.
    ends : ndarray of shape (n_rows + 1,), integer
        Where in `columns` each row begins and ends.
    partner : ndarray of shape (n_rows,), integer
        The column of each row, -1 for none. Changed in place.
    must : ndarray of integers
        Rows to cover.
    n_columns : int

    Returns
    -------
    bool
        Whether all of `must` are covered.

    Notes
    -----
    Trees of alternating paths grow from all uncovered rows at once, level by level.
    They are disjoint, so all that reach a free column augment the matching together.
    Which tree takes a column is a matter of chance: if one tree took them all, only
    one path would be found at a time.
    """
    random = np.random.default_rng(0)
    owner = np.full(n_columns, -1, dtype=np.intp)
    owner[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    while len(free := must[partner[must] < 0]):
        parent = np.full(n_columns, -1, dtype=np.intp)
        root = np.full(len(partner), -1, dtype=np.intp)
        root[free] = free
        goal = np.full(len(partner), -1, dtype=np.intp)
        frontier = free
        while len(frontier):
            sizes = ends[frontier + 1] - ends[frontier]
            edge = np.arange(sizes.sum())
            edge += np.repeat(ends[frontier] - np.cumsum(sizes) + sizes, sizes)
            reached = columns[edge]
            del edge
            source: Ints = np.repeat(frontier.astype(np.int32), sizes)
            new = np.flatnonzero(parent[reached] < 0)
            random.shuffle(new)
            # Of all edges to a column the last one written counts.
            parent[reached[new]] = source[new]
            reached = np.unique(reached[new])
            del new
            source = parent[reached]
            at_end = owner[reached] < 0
            goal[root[source[at_end]]] = reached[at_end]
            inner, source = reached[~at_end], source[~at_end]
            growing = goal[root[source]] < 0
            frontier = owner[inner[growing]]
            root[frontier] = root[source[growing]]
        column = goal[free[goal[free] >= 0]]
        if not len(column):
            return False
        while len(column):
            row = parent[column]
            before = partner[row]
            partner[row], owner[column] = column, row
            column = before[before >= 0]
    return True


def sup_lengths(first: Diagram, second: Diagram) -> Floats:
    """Sup-norm distances of points, row by row.

    Parameters
    ----------
    first, second : ndarrays of shape (k, 2)

    Returns
    -------
    ndarray of shape (k,)
    """
    return np.abs(first - second).max(axis=1, initial=0)
