r"""Diagram distances of diagrams whose cost matrix would not fit into memory.

Hera's auction comes close to the distance of any two diagrams that are far from equal.
Where the distance is tiny beside the persistences, it fights about prices below the
rounding of the costs and never ends. There, few pairs of points matter, and the dual

.. math:: \max \sum_i f_i + \sum_j g_j, \quad f_i \le \alpha_i, \quad g_j \le \beta_j,
          \quad f_i + g_j \le c_{ij}

of the assignment problem of :mod:`swviz.matchings` tells which. The linear program is
solved for near neighbours only (by HiGHS, whose vertices are matchings). Dual variables
that are tight on its matching say which other pairs could lower the cost; these join,
and so on. Lowering :math:`f_i` to the least of :math:`\alpha_i` and :math:`c_{ij} -
g_j` makes the dual variables feasible for all pairs: their sum is a lower bound, and
the rounds end when it is close enough to the cost found. For nearly equal diagrams the
first round is the last.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from swviz.bottleneck import bottleneck, half_persistences, sup_lengths
from swviz.diagrams import Diagram
from swviz.errors import DiagramError
from swviz.typing import Floats, Ints

Pulse = Callable[[], object]

RELATIVE_ERROR = 0.01

_MOST_SECONDS = 50.0
"""Time after which no new round is begun, and Hera is ended."""

_PATIENCE = 0.5
"""Seconds between two looks at Hera's process."""

_SAFE = 1e-10
"""Mean cost over the largest one from which Hera's auction ends."""

_NEIGHBOURS = 8
"""Near neighbours of each point in the first round."""

_NEW = 4
"""Pairs of each point that join in a round, at most."""

_CHUNK = 1 << 20
"""Pairs checked at once: a few arrays of 8 MB."""

_TIGHT = 1e-12
"""Change of dual variables, in units of the mean cost, that does not matter."""


def large_distance(
    first: Diagram, second: Diagram, order: float, pulse: Pulse | None = None
) -> float:
    r"""Approximate :math:`d_p` of many points off the diagonal.

    Parameters
    ----------
    first, second : ndarrays of shape (n, 2) and (m, 2)
    order : float
        Finite.
    pulse : callable, optional
        Called between rounds; an exception it raises stops the work.

    Returns
    -------
    float
        Within a relative error of 1%; exact, as a rule, where diagrams are nearly
        equal.

    Notes
    -----
    Memory is that of a few dozen pairs a point. The certificate of a round looks at all
    n m pairs, in chunks. Equal points count as one point, in any number. Hera has no
    limit of time and runs in a process of its own, which is ended after 50 seconds.
    """
    exponent = int(np.frexp(max(np.abs(first).max(), np.abs(second).max()))[1])
    # Powers of coordinates must not over- and underflow.
    a, b = (_Points.merged(np.ldexp(d, -exponent)) for d in (first, second))
    forward, backward = (
        cKDTree(y.at).query(x.at, p=np.inf) for x, y in ((a, b), (b, a))
    )
    # Every point goes at least as far as to what is nearest.
    low = max(
        order_norm(np.repeat(np.minimum(x.half, near), x.counts), order)
        for x, (near, _) in ((a, forward), (b, backward))
    )
    rows = np.flatnonzero(backward[1][forward[1]] == np.arange(len(a.at)))
    columns = forward[1][rows]
    flow = np.minimum(a.counts[rows], b.counts[columns])
    high = order_norm(_flow_costs(a, b, rows, columns, flow), order)
    highest = max(a.half.max(), b.half.max())
    ends = low > 0 and (low / highest) ** order > _SAFE * (len(first) + len(second))
    start = time.monotonic()
    found = None
    if high > 2 * low and ends:
        found = _by_auction(a, b, order, start, pulse)
    if found is None:
        found = _by_rounds(a, b, order, high, start, pulse)
    return float(np.ldexp(found, exponent))


@dataclass(frozen=True)
class _Points:
    """Different points of a diagram, how often each occurs, and half persistences."""

    at: Diagram
    counts: Ints
    half: Floats

    @classmethod
    def merged(cls, diagram: Diagram) -> _Points:
        at, counts = np.unique(diagram, axis=0, return_counts=True)
        return cls(at, counts, half_persistences(at))

    def repeated(self) -> Diagram:
        return np.repeat(self.at, self.counts, axis=0)


def order_norm(costs: Floats, order: float) -> float:
    """Take the order-norm of non-negative numbers, without overflow.

    Parameters
    ----------
    costs : ndarray of shape (k,)
    order : float

    Returns
    -------
    float
    """
    largest = costs.max(initial=0)
    if largest == 0 or order == np.inf:
        return float(largest)
    if order == 1:
        return float(costs.sum())
    return float(largest * ((costs / largest) ** order).sum() ** (1 / order))


def matching_costs(a: Diagram, b: Diagram, rows: Ints, columns: Ints) -> Floats:
    """Costs of a matching: of its pairs, and of what goes to the diagonal.

    Parameters
    ----------
    a, b : ndarrays of shape (n, 2) and (m, 2)
    rows, columns : ndarrays of shape (k,), integer
        The pairs.

    Returns
    -------
    ndarray of shape (n + m - k,)
    """
    return np.concatenate(
        [
            sup_lengths(a[rows], b[columns]),
            np.delete(half_persistences(a), rows),
            np.delete(half_persistences(b), columns),
        ]
    )


def _flow_costs(
    a: _Points, b: _Points, rows: Ints, columns: Ints, flow: Ints
) -> Floats:
    """Costs of a matching in which pairs occur as often as `flow` says."""
    left = [
        x.counts - np.bincount(own, flow, len(x.at)).astype(np.intp)
        for x, own in ((a, rows), (b, columns))
    ]
    return np.concatenate(
        [
            np.repeat(sup_lengths(a.at[rows], b.at[columns]), flow),
            np.repeat(a.half, left[0]),
            np.repeat(b.half, left[1]),
        ]
    )


_AUCTION = """
import sys
import numpy as np
from gudhi.hera import wasserstein_distance
a, b = (np.load(sys.stdin.buffer) for _ in "ab")
order, delta = map(float, sys.argv[1:])
print(wasserstein_distance(a, b, order=order, internal_p=np.inf, delta=delta).hex())
"""


def _by_auction(
    a: _Points, b: _Points, order: float, start: float, pulse: Pulse | None
) -> float | None:
    """Ask Hera, in a process that can be ended; None if that fails."""
    command = [sys.executable, "-c", _AUCTION, repr(order), repr(RELATIVE_ERROR)]
    with TemporaryFile() as given:
        for points in (a, b):
            np.save(given, points.repeated())
        given.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError:
            return None
        with process:
            try:
                while True:
                    with suppress(subprocess.TimeoutExpired):
                        answer, _ = process.communicate(timeout=_PATIENCE)
                        break
                    if time.monotonic() - start > _MOST_SECONDS:
                        raise _not_found(a, b, order)
                    if pulse is not None:
                        pulse()
            finally:
                process.kill()
    return float.fromhex(answer.decode()) if process.returncode == 0 else None


def _not_found(a: _Points, b: _Points, order: float) -> DiagramError:
    return DiagramError(
        f"d_p of diagrams of {a.counts.sum()} and {b.counts.sum()} points, p = "
        f"{order:g}, was not found within {_MOST_SECONDS:g} seconds: keep fewer points "
        "(such as those of largest persistence), or use the sliced Wasserstein distance"
    )


def _by_rounds(
    a: _Points,
    b: _Points,
    order: float,
    upper: float,
    start: float,
    pulse: Pulse | None,
) -> float:
    """Add pairs until matching and lower bound agree; `upper` bounds the distance."""
    size = int(a.counts.sum() + b.counts.sum())
    pairs = _near_pairs(a.at, b.at)
    most = float(size ** (1 / order))
    # Between copies of points there are too many edges for a bottleneck distance.
    if size <= 2 * (len(a.at) + len(b.at)):
        with suppress(DiagramError):
            # d_inf <= d_p, and d_p is at most what it is if all costs are as large.
            least = bottleneck(a.repeated(), b.repeated())
            if most <= 1 + RELATIVE_ERROR:
                return least * most**0.5
            upper = min(upper, least * most)
    while upper > 0:
        # Mean costs are about 1, and what costs more than all of them together is
        # never done: its exact cost does not matter.
        with np.errstate(over="ignore"):
            alpha, beta = (
                np.minimum((x.half / upper) ** order, 2) * size for x in (a, b)
            )
            rows, columns = np.divmod(pairs, len(b.at))
            lengths = sup_lengths(a.at[rows], b.at[columns])
            cost = (lengths / upper) ** order * size
        worth = cost < alpha[rows] + beta[columns]
        edges = _Edges(rows[worth], columns[worth], cost[worth])
        deadline = start + _MOST_SECONDS
        flow = _best_flow(edges, alpha, beta, a.counts, b.counts, deadline)
        found = np.inf
        new = pairs[:0]
        if flow is not None:
            found = order_norm(_flow_costs(a, b, *edges[:2], flow), order)
            duals = _dual_variables(
                edges, flow, alpha, beta, a.counts, b.counts, deadline
            )
            low, new = _certify(a, b, order, upper, alpha, *duals)
            # Roots, not powers: found may be many times upper.
            least = upper * (max(low, 0.0) / size) ** (1 / order)
            gap = 1 - least / found if found > 0 else 0.0
            if gap <= RELATIVE_ERROR:
                return min(found, upper)
        if pulse is not None:
            pulse()
        if flow is None or time.monotonic() > deadline:
            raise _not_found(a, b, order)
        upper = min(upper, found)
        pairs = np.union1d(pairs, new)
    return 0.0


class _Edges(NamedTuple):
    """Pairs of points that may be matched, and what that costs."""

    rows: Ints
    columns: Ints
    cost: Floats

    def turned(self) -> _Edges:
        return _Edges(self.columns, self.rows, self.cost)


def _near_pairs(a: Diagram, b: Diagram) -> Ints:
    """Pairs of near neighbours, as row * len(b) + column."""
    found = []
    for x, y in ((a, b), (b, a)):
        count = min(_NEIGHBOURS, len(y))
        near = cKDTree(y).query(x, k=np.arange(1, count + 1), p=np.inf)[1].ravel()
        own = np.repeat(np.arange(len(x)), count)
        found.append(own * len(b) + near if x is a else near * len(b) + own)
    return np.unique(np.concatenate(found))


def _best_flow(
    edges: _Edges,
    alpha: Floats,
    beta: Floats,
    supply: Ints,
    demand: Ints,
    deadline: float,
) -> Ints | None:
    """How often each pair occurs in an optimal matching; None if the time is over."""
    rows, columns, cost = edges
    if not len(rows):
        return np.zeros(0, dtype=np.intp)
    index = np.arange(len(rows))
    incidence = csr_array(
        (
            np.ones(2 * len(rows)),
            (np.append(rows, columns + len(alpha)), np.append(index, index)),
        ),
        shape=(len(alpha) + len(beta), len(rows)),
    )
    answer = linprog(
        cost - alpha[rows] - beta[columns],
        A_ub=incidence,
        b_ub=np.append(supply, demand),
        bounds=(0, None),
        method="highs-ds",
        options={"time_limit": max(deadline - time.monotonic(), 1.0)},
    )
    return np.rint(answer.x).astype(np.intp) if answer.status == 0 else None


def _dual_variables(
    edges: _Edges,
    flow: Ints,
    alpha: Floats,
    beta: Floats,
    supply: Ints,
    demand: Ints,
    deadline: float,
) -> tuple[Floats, Floats]:
    """Dual variables in the middle of those that are tight on a matching.

    Vertices, which HiGHS has, are far from feasible for the pairs that it did not see.
    """
    f_low, g_high = _extreme(edges, flow, alpha, beta, supply, deadline)
    g_low, f_high = _extreme(edges.turned(), flow, beta, alpha, demand, deadline)
    # Above alpha and beta by roundings at most, or if the time was over.
    return (
        np.minimum((f_low + f_high) / 2, alpha),
        np.minimum((g_low + g_high) / 2, beta),
    )


def _extreme(
    edges: _Edges,
    flow: Ints,
    alpha: Floats,
    beta: Floats,
    supply: Ints,
    deadline: float,
) -> tuple[Floats, Floats]:
    """Lowest dual variables of rows, highest of columns: paths, by Bellman and Ford."""
    kept = flow > 0
    used = _Edges(edges.rows[kept], edges.columns[kept], edges.cost[kept])
    # A row that is not used up goes to the diagonal, too.
    spent = np.bincount(edges.rows, flow, len(alpha)) >= supply
    f, g = np.where(spent, -np.inf, alpha), beta.copy()
    if not len(edges.rows):
        return f, g
    order = np.argsort(edges.columns, kind="stable")
    rows, columns, cost = (x[order] for x in edges)
    starts = np.flatnonzero(np.append(True, columns[1:] != columns[:-1]))
    reached = columns[starts]
    for _ in range(len(alpha) + len(beta)):
        np.maximum.at(f, used.rows, used.cost - g[used.columns])
        new = np.minimum(g[reached], np.minimum.reduceat(cost - f[rows], starts))
        if (g[reached] - new).max() <= _TIGHT or time.monotonic() > deadline:
            break
        g[reached] = new
    return f, g


def _certify(
    a: _Points,
    b: _Points,
    order: float,
    upper: float,
    alpha: Floats,
    f: Floats,
    g: Floats,
) -> tuple[float, Ints]:
    """Find a lower bound of the cost, and the pairs that spoil it most."""
    feasible = np.empty_like(f)
    size = a.counts.sum() + b.counts.sum()
    pairs, spoilt = np.empty(0, dtype=np.intp), np.empty(0)
    step = max(1, _CHUNK // len(g))
    for start in range(0, len(f), step):
        part = slice(start, start + step)
        lengths = np.abs(a.at[part, None, 0] - b.at[:, 0])
        np.maximum(lengths, np.abs(a.at[part, None, 1] - b.at[:, 1]), out=lengths)
        with np.errstate(over="ignore"):
            room = (lengths / upper) ** order * size - g
        feasible[part] = np.minimum(alpha[part], room.min(axis=1))
        room -= f[part, None]
        row, column = np.nonzero(room < -_TIGHT)
        pairs = np.append(pairs, (row + start) * len(g) + column)
        spoilt = np.append(spoilt, room[row, column])
        # What is not among the worst so far never will be.
        worst = [_first_of_each(owner, spoilt) for owner in np.divmod(pairs, len(g))]
        keep = np.unique(np.concatenate(worst))
        pairs, spoilt = pairs[keep], spoilt[keep]
    return float(a.counts @ feasible + b.counts @ g), pairs


def _first_of_each(owner: Ints, value: Floats) -> Ints:
    """Find the least few values of each owner."""
    order = np.lexsort((value, owner))
    ordered = owner[order]
    place = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return order[place < _NEW]
