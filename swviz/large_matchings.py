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

import time
from collections.abc import Callable
from contextlib import suppress

import numpy as np
from gudhi.hera import wasserstein_distance
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.spatial import cKDTree

from swviz.bottleneck import bottleneck, half_persistences, sup_lengths
from swviz.diagrams import Diagram
from swviz.directions import Floats
from swviz.errors import DiagramError

Ints = NDArray[np.intp]
Pulse = Callable[[], object]

RELATIVE_ERROR = 0.01

_MOST_SECONDS = 50.0
"""Time after which no new round is begun."""

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
    n m pairs, in chunks.
    """
    exponent = int(np.frexp(max(np.abs(first).max(), np.abs(second).max()))[1])
    # Powers of coordinates must not over- and underflow.
    a, b = (np.ldexp(d, -exponent) for d in (first, second))
    forward, backward = (cKDTree(y).query(x, p=np.inf) for x, y in ((a, b), (b, a)))
    halves = half_persistences(a), half_persistences(b)
    # Every point goes at least as far as to what is nearest.
    low = max(
        order_norm(np.minimum(half, near), order)
        for half, (near, _) in zip(halves, (forward, backward), strict=True)
    )
    rows = np.flatnonzero(backward[1][forward[1]] == np.arange(len(a)))
    high = order_norm(matching_costs(a, b, rows, forward[1][rows]), order)
    highest = max(half.max() for half in halves)
    size = len(a) + len(b)
    ends = low > 0 and (low / highest) ** order > _SAFE * size
    if high > 2 * low and ends:
        found = wasserstein_distance(
            a, b, order=order, internal_p=np.inf, delta=RELATIVE_ERROR
        )
    else:
        found = _by_rounds(a, b, order, high, pulse)
    return float(np.ldexp(found, exponent))


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


def _by_rounds(
    a: Diagram, b: Diagram, order: float, upper: float, pulse: Pulse | None
) -> float:
    """Add pairs until matching and lower bound agree; `upper` bounds the distance."""
    start = time.monotonic()
    n, m = len(a), len(b)
    pairs = _near_pairs(a, b)
    with suppress(DiagramError):
        # d_inf <= d_p, and d_p is at most what it is if all costs are as large.
        most = float((n + m) ** (1 / order))
        least = bottleneck(a, b)
        if most <= 1 + RELATIVE_ERROR:
            return least * most**0.5
        upper = min(upper, least * most)
    while upper > 0:
        # Mean costs are about 1, and what costs more than all of them together is
        # never done: its exact cost does not matter.
        with np.errstate(over="ignore"):
            alpha, beta = (
                np.minimum((half_persistences(d) / upper) ** order, 2) * (n + m)
                for d in (a, b)
            )
            rows, columns = np.divmod(pairs, m)
            lengths = sup_lengths(a[rows], b[columns])
            cost = (lengths / upper) ** order * (n + m)
        worth = cost < alpha[rows] + beta[columns]
        rows, columns, cost = rows[worth], columns[worth], cost[worth]
        left = _MOST_SECONDS - (time.monotonic() - start)
        chosen = _best_of(rows, columns, cost, alpha, beta, left)
        found = np.inf
        gap, new = np.inf, pairs[:0]
        if chosen is not None:
            matched = rows[chosen], columns[chosen]
            found = order_norm(matching_costs(a, b, *matched), order)
            f, g = _dual_variables(rows, columns, cost, chosen, alpha, beta)
            low, new = _certify(a, b, order, upper, alpha, f, g)
            # Roots, not powers: found may be many times upper.
            least = upper * (max(low, 0.0) / (n + m)) ** (1 / order)
            gap = 1 - least / found if found > 0 else 0.0
            if gap <= RELATIVE_ERROR:
                return min(found, upper)
        if pulse is not None:
            pulse()
        if chosen is None or time.monotonic() - start > _MOST_SECONDS:
            raise DiagramError(
                f"d_p of diagrams of {n} and {m} points, p = {order:g}, was not found "
                f"within {_MOST_SECONDS:g} seconds: keep fewer points (such as those "
                "of largest persistence), or use the sliced Wasserstein distance"
            )
        upper = min(upper, found)
        pairs = np.union1d(pairs, new)
    return 0.0


def _near_pairs(a: Diagram, b: Diagram) -> Ints:
    """Pairs of near neighbours, as row * len(b) + column."""
    found = []
    for x, y in ((a, b), (b, a)):
        count = min(_NEIGHBOURS, len(y))
        near = cKDTree(y).query(x, k=np.arange(1, count + 1), p=np.inf)[1].ravel()
        own = np.repeat(np.arange(len(x)), count)
        found.append(own * len(b) + near if x is a else near * len(b) + own)
    return np.unique(np.concatenate(found))


def _best_of(
    rows: Ints, columns: Ints, cost: Floats, alpha: Floats, beta: Floats, left: float
) -> NDArray[np.bool_] | None:
    """Choose some pairs, an optimal matching; None if the time is over."""
    if not len(rows):
        return np.zeros(0, dtype=bool)
    edges = np.arange(len(rows))
    incidence = csr_array(
        (
            np.ones(2 * len(rows)),
            (np.append(rows, columns + len(alpha)), np.append(edges, edges)),
        ),
        shape=(len(alpha) + len(beta), len(rows)),
    )
    answer = linprog(
        cost - alpha[rows] - beta[columns],
        A_ub=incidence,
        b_ub=np.ones(incidence.shape[0]),
        bounds=(0, None),
        method="highs-ds",
        options={"time_limit": max(left, 1.0)},
    )
    return answer.x > 0.5 if answer.status == 0 else None


def _dual_variables(
    rows: Ints,
    columns: Ints,
    cost: Floats,
    chosen: NDArray[np.bool_],
    alpha: Floats,
    beta: Floats,
) -> tuple[Floats, Floats]:
    """Dual variables in the middle of those that are tight on a matching.

    Vertices, which HiGHS has, are far from feasible for the pairs that it did not see.
    """
    g_high = _highest(rows, columns, cost, chosen, alpha, beta)
    f_high = _highest(columns, rows, cost, chosen, beta, alpha)
    f_low, g_low = alpha.copy(), beta.copy()
    f_low[rows[chosen]] = cost[chosen] - g_high[columns[chosen]]
    g_low[columns[chosen]] = cost[chosen] - f_high[rows[chosen]]
    return (f_low + f_high) / 2, (g_low + g_high) / 2


def _highest(
    rows: Ints,
    columns: Ints,
    cost: Floats,
    chosen: NDArray[np.bool_],
    alpha: Floats,
    beta: Floats,
) -> Floats:
    """Highest dual variables of the columns: shortest paths, by Bellman and Ford."""
    order = np.argsort(columns, kind="stable")
    rows, columns = rows[order], columns[order]
    cost, chosen = cost[order], chosen[order]
    f, g = alpha.copy(), beta.copy()
    if not len(rows):
        return g
    fresh = np.append(True, columns[1:] != columns[:-1])
    starts = np.flatnonzero(fresh)
    reached = columns[starts]
    pairs = rows[chosen], columns[chosen], cost[chosen]
    for _ in range(len(alpha) + len(beta)):
        f[pairs[0]] = pairs[2] - g[pairs[1]]
        new = np.minimum(g[reached], np.minimum.reduceat(cost - f[rows], starts))
        if (g[reached] - new).max() <= _TIGHT:
            break
        g[reached] = new
    return g


def _certify(
    a: Diagram,
    b: Diagram,
    order: float,
    upper: float,
    alpha: Floats,
    f: Floats,
    g: Floats,
) -> tuple[float, Ints]:
    """Find a lower bound of the cost, and the pairs that spoil it most."""
    feasible = np.empty_like(f)
    spoiling = []
    step = max(1, _CHUNK // len(b))
    for start in range(0, len(a), step):
        part = slice(start, start + step)
        lengths = np.abs(a[part, None, 0] - b[:, 0])
        np.maximum(lengths, np.abs(a[part, None, 1] - b[:, 1]), out=lengths)
        with np.errstate(over="ignore"):
            room = (lengths / upper) ** order * (len(a) + len(b)) - g
        feasible[part] = np.minimum(alpha[part], room.min(axis=1))
        room -= f[part, None]
        row, column = np.nonzero(room < -_TIGHT)
        spoiling.append((row + start, column, room[row, column]))
    rows, columns, room = (np.concatenate(x) for x in zip(*spoiling, strict=True))
    worst = [_first_of_each(owner, room) for owner in (rows, columns)]
    keep = np.unique(np.concatenate(worst))
    return float(feasible.sum() + g.sum()), rows[keep] * len(b) + columns[keep]


def _first_of_each(owner: Ints, value: Floats) -> Ints:
    """Find the least few values of each owner."""
    order = np.lexsort((value, owner))
    ordered = owner[order]
    place = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return order[place < _NEW]
