r"""Diagram distances :math:`d_p` and the partial matchings that attain them.

A partial matching joins points of A to points of B and sends the rest to the
diagonal. With the cost :math:`c_{ij} = \|a_i - b_j\|_\infty^p` of a pair and
:math:`\alpha_i`, :math:`\beta_j` those of going to the diagonal (half the persistence,
to the power p), the cost of a matching :math:`\Gamma` is

.. math:: \sum_i \alpha_i + \sum_j \beta_j
          + \sum_{(i, j) \in \Gamma} (c_{ij} - \alpha_i - \beta_j),

so only pairs with a negative last term are worth matching, and the optimum is an
assignment in the n x m matrix :math:`\min(c_{ij} - \alpha_i - \beta_j, 0)`: no copies
of the diagonal are needed.

Powers of persistences may be so large beside the cost of the optimum that these
differences lose all of its digits. But where an upper bound U of the distance is known,
no point with a half persistence above U goes to the diagonal, and any :math:`\alpha_i`
of more than :math:`U^p` keeps it from there: :math:`2 U^p` will do. Then all terms are
rounded in proportion to :math:`U^p`. So the assignment is repeated with the cost that
it found as U until the two are of one size. If that takes long, U comes from the
bottleneck distance: :math:`d_p \le (n + m)^{1/p} \, d_\infty`.

Where the matrix would not fit into memory, :mod:`swviz.large_matchings` takes over.
(GUDHI's own bottleneck_distance, in 3.13, is wrong for about one in a hundred pairs of
small diagrams; a test pins an example.)
"""

from __future__ import annotations

from contextlib import suppress
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from swviz.bottleneck import bottleneck, half_persistences
from swviz.diagrams import Diagram, as_diagram
from swviz.errors import DiagramError, ParameterError, shown
from swviz.large_matchings import (
    Pulse,
    large_distance,
    matching_costs,
    order_norm,
)
from swviz.typing import Floats

_MOST_ENTRIES = 25_000_000
"""Pairs of points up to which costs are kept in a matrix: 200 MB."""

_SAME_SIZE = 2.0**-10
"""Share of the upper bound's power that makes an optimum exact enough."""

_AS_BOTTLENECK = 1e15
"""Orders from which (n + m)^(1/p) is 1 but for rounding."""

Pairs = NDArray[np.intp]


def diagram_distance(A: ArrayLike, B: ArrayLike, p: float = 1) -> float:
    r"""Compute the p-th diagram distance :math:`d_p`, with the sup norm in the plane.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
        Points that never die (death = inf) are matched among themselves, in the order
        of their births; the distance is infinite if their numbers differ.
    p : float, default=1
        At least 1; ``inf`` gives the bottleneck distance.

    Returns
    -------
    float
        For p = inf one of the half persistences or sup-norm distances, exactly. Else,
        up to 5,000 points a diagram, within a relative error of about N roundings,
        where N = n + m (1e-12 for hundreds of points), however large p is, and however
        near the diagrams are. Beyond, within 1%, or a `DiagramError` after about a
        minute.

    Examples
    --------
    >>> diagram_distance([(0, 2), (1, 1.5)], [(0, 3)])
    1.25
    >>> diagram_distance([(0, 2), (1, 1.5)], [(0, 3)], p=np.inf)
    1.0
    """
    return distance(*_with_essential(A, B), check_order(p))


def diagram_matching(A: ArrayLike, B: ArrayLike, p: float = 1) -> Pairs:
    r"""Find an optimal partial matching, one that attains :math:`d_p`.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    p : float, default=1
        As in :func:`diagram_distance`. For p = inf the matching has the least sum of
        costs among those that attain the bottleneck distance.

    Returns
    -------
    ndarray of shape (k, 2), integer
        Row indices into A and B, -1 for the diagonal. Every point occurs once.

    Examples
    --------
    >>> diagram_matching([(0, 2), (1, 1.5)], [(0, 3)])
    array([[ 0,  0],
           [ 1, -1]])
    """
    first, second = _with_essential(A, B)
    order = check_order(p)
    lasting = [np.flatnonzero(np.isinf(d[:, 1])) for d in (first, second)]
    if len(lasting[0]) != len(lasting[1]):
        raise DiagramError(
            f"the diagrams have {len(lasting[0])} and {len(lasting[1])} points that "
            "never die: every matching costs infinity"
        )
    finite = [np.flatnonzero(np.isfinite(d[:, 1])) for d in (first, second)]
    points = first[finite[0]], second[finite[1]]
    if len(finite[0]) * len(finite[1]) > _MOST_ENTRIES:
        raise DiagramError(
            f"a matching of {len(finite[0])} with {len(finite[1])} points needs more "
            "memory than is allowed here; diagram_distance gives the cost alone"
        )
    if order >= _AS_BOTTLENECK:
        bound = bottleneck(*points)
        upper = bound * (len(points[0]) + len(points[1]))
        rows, columns = _assign(*points, 1.0, upper, bound)
    else:
        rows, columns, _ = _best_pairs(*points, order)
    pairs = [np.stack([finite[0][rows], finite[1][columns]], axis=1)]
    by_birth = [
        index[np.argsort(d[index, 0], kind="stable")]
        for index, d in zip(lasting, (first, second), strict=True)
    ]
    pairs.append(np.stack(by_birth, axis=1))
    for side, (index, used) in enumerate(zip(finite, (rows, columns), strict=True)):
        alone = np.full((len(index) - len(used), 2), -1, dtype=np.intp)
        alone[:, side] = np.delete(index, used)
        pairs.append(alone)
    matching = np.concatenate(pairs)
    last = len(first) + 1
    key = np.where(matching[:, 0] < 0, last + matching[:, 1], matching[:, 0])
    return matching[np.argsort(key)]


def check_order(p: object) -> float:
    """Return the order of a diagram distance as a float of at least 1.

    Parameters
    ----------
    p : object

    Returns
    -------
    float
    """
    order = 0.0
    real = isinstance(p, int | float | np.integer | np.floating)
    if real and not isinstance(p, bool):
        with suppress(OverflowError):
            order = float(p)  # type: ignore[arg-type]
    if not order >= 1:
        raise ParameterError(
            f"p must be a number of at least 1 (or inf), not {shown(p)}"
        )
    return order


def check_lasting(points: ArrayLike) -> Diagram:
    """Check a diagram that may have points with death = inf.

    Parameters
    ----------
    points : array-like of shape (n, 2)

    Returns
    -------
    ndarray of shape (n, 2), read-only
    """
    as_diagram(points, essential="drop")
    diagram = np.array(points, dtype=np.float64).reshape(-1, 2)
    diagram.setflags(write=False)
    return diagram


def distance(
    first: Diagram, second: Diagram, order: float, pulse: Pulse | None = None
) -> float:
    r"""Compute :math:`d_p` of two checked diagrams; see :func:`diagram_distance`.

    Parameters
    ----------
    first, second : ndarrays of shape (n, 2) and (m, 2)
    order : float
    pulse : callable, optional
        Called now and then where it takes long; an exception it raises stops the work.

    Returns
    -------
    float
    """
    births = [np.sort(d[np.isinf(d[:, 1]), 0]) for d in (first, second)]
    if len(births[0]) != len(births[1]):
        return float("inf")
    # A point on the diagonal costs nothing, and Hera refuses it.
    a, b = (d[np.isfinite(d[:, 1]) & (d[:, 1] > d[:, 0])] for d in (first, second))
    lasting = np.abs(births[0] - births[1])
    if order >= _AS_BOTTLENECK:
        return max(bottleneck(a, b), float(lasting.max(initial=0)))
    if len(a) * len(b) > _MOST_ENTRIES:
        return order_norm(np.append(lasting, large_distance(a, b, order, pulse)), order)
    costs = _best_pairs(a, b, order, pulse)[2]
    return order_norm(np.concatenate([lasting, costs]), order)


def _with_essential(A: ArrayLike, B: ArrayLike) -> tuple[Diagram, Diagram]:
    return check_lasting(A), check_lasting(B)


def _best_pairs(
    a: Diagram, b: Diagram, order: float, pulse: Pulse | None = None
) -> tuple[Pairs, Pairs, Floats]:
    """Find an optimal matching of finite points, for a finite order, and its costs."""
    none = np.empty(0, dtype=np.intp)
    best = none, none, np.append(half_persistences(a), half_persistences(b))
    if not (len(a) and len(b)):
        return best
    cost = upper = order_norm(best[2], order)
    for attempt in count():
        if cost == 0:
            break
        pairs = _assign(a, b, order, upper, upper)
        costs = matching_costs(a, b, *pairs)
        found = order_norm(costs, order)
        if found <= cost:
            best, cost = (*pairs, costs), found
        # A bound of 0 leaves no room for rounding.
        if upper == 0 or (cost / upper) ** order >= _SAME_SIZE:
            break
        upper = cost
        if attempt == 1:
            most = (len(a) + len(b)) ** (1 / order)
            upper = min(upper, bottleneck(a, b) * most)
        if pulse is not None:
            pulse()
    return best


def _sup_distances(first: Diagram, second: Diagram) -> Floats:
    """Distances of all pairs of points in the sup norm, shape (n, m)."""
    distances: Floats = np.abs(first[:, None, 0] - second[None, :, 0])
    other = np.abs(first[:, None, 1] - second[None, :, 1])
    return np.maximum(distances, other, out=distances)


def _assign(
    first: Diagram, second: Diagram, order: float, upper: float, bound: float
) -> tuple[Pairs, Pairs]:
    """Pairs worth matching, of finite points, with no cost above `bound`.

    There has to be a matching with costs up to `bound` whose order-norm is at most
    `upper`.
    """
    if not (len(first) and len(second)):
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    unit = upper or 1.0
    alpha, beta = half_persistences(first), half_persistences(second)
    cost = _sup_distances(first, second)
    too_far = cost > bound
    with np.errstate(over="ignore"):
        alpha, beta = (
            np.where(half > bound, 2.0, (half / unit) ** order)
            for half in (alpha, beta)
        )
        cost /= unit
        if order != 1:
            cost **= order
    cost -= alpha[:, None]
    cost -= beta
    cost[too_far] = 0
    np.minimum(cost, 0, out=cost)
    rows, columns = linear_sum_assignment(cost)
    worth = cost[rows, columns] < 0
    return rows[worth], columns[worth]
