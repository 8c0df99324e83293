r"""Diagram distances :math:`d_p` and the partial matchings that attain them.

A partial matching joins points of A to points of B and sends the rest to the
diagonal. With the cost :math:`c_{ij} = \|a_i - b_j\|_\infty^p` of a pair and
:math:`\alpha_i`, :math:`\beta_j` those of going to the diagonal (half the persistence,
to the power p), the cost of a matching :math:`\Gamma` is

.. math:: \sum_i \alpha_i + \sum_j \beta_j
          + \sum_{(i, j) \in \Gamma} (c_{ij} - \alpha_i - \beta_j),

so only pairs with a negative last term are worth matching, and the optimum is an
assignment in the n x m matrix :math:`\min(c_{ij} - \alpha_i - \beta_j, 0)`: no copies
of the diagonal are needed. That is exact, and up to about a thousand points a diagram
faster than the auction of GUDHI's Hera, which takes over where the matrix would not fit
into memory.

The bottleneck distance is one of the costs. Hera comes close to it, and the cost next
to what it finds is the distance. (GUDHI's own bottleneck_distance, in 3.13, is wrong
for about one in a hundred pairs of small diagrams; a test pins an example.)
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from gudhi.hera import bottleneck_distance, wasserstein_distance
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from swviz.diagrams import Diagram, as_diagram
from swviz.directions import Floats
from swviz.errors import DiagramError, ParameterError

_MOST_ENTRIES = 25_000_000
"""Pairs of points up to which costs are kept in a matrix: 200 MB."""

_HERA_RELATIVE_ERROR = 0.01
_BOTTLENECK_RELATIVE_ERROR = 1e-9

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
        Exact up to 5,000 points a diagram; beyond, within a relative error of 1%, or
        1e-9 for p = inf (Hera).

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
    bound = _bottleneck(*points) if order == np.inf else None
    rows, columns = _assign(*points, 1.0 if order == np.inf else order, bound)
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
        raise ParameterError(f"p must be a number of at least 1 (or inf), not {p!r}")
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


def distance(first: Diagram, second: Diagram, order: float) -> float:
    r"""Compute :math:`d_p` of two checked diagrams; see :func:`diagram_distance`.

    Parameters
    ----------
    first, second : ndarrays of shape (n, 2) and (m, 2)
    order : float

    Returns
    -------
    float
    """
    births = [np.sort(d[np.isinf(d[:, 1]), 0]) for d in (first, second)]
    if len(births[0]) != len(births[1]):
        return float("inf")
    # A point on the diagonal costs nothing, and GUDHI refuses it.
    a, b = (d[np.isfinite(d[:, 1]) & (d[:, 1] > d[:, 0])] for d in (first, second))
    costs = np.abs(births[0] - births[1])
    if order == np.inf:
        return float(max(_bottleneck(a, b), costs.max(initial=0)))
    if len(a) * len(b) > _MOST_ENTRIES:
        return _norm(np.append(costs, _by_hera(a, b, order)), order)
    rows, columns = _assign(a, b, order)
    half = [(d[:, 1] - d[:, 0]) / 2 for d in (a, b)]
    matched = np.abs(a[rows] - b[columns]).max(axis=1, initial=0)
    alone = np.delete(half[0], rows), np.delete(half[1], columns)
    return _norm(np.concatenate([costs, matched, *alone]), order)


def _with_essential(A: ArrayLike, B: ArrayLike) -> tuple[Diagram, Diagram]:
    return check_lasting(A), check_lasting(B)


def _bottleneck(first: Diagram, second: Diagram) -> float:
    """Compute the bottleneck distance of finite points."""
    a, b = (d[d[:, 1] > d[:, 0]] for d in (first, second))
    scale, (a, b) = _scaled(a, b)
    found = bottleneck_distance(a, b, _BOTTLENECK_RELATIVE_ERROR)
    if len(a) * len(b) <= _MOST_ENTRIES:
        candidates = np.concatenate(
            [
                [0.0],
                (a[:, 1] - a[:, 0]) / 2,
                (b[:, 1] - b[:, 0]) / 2,
                _sup_distances(a, b).ravel(),
            ]
        )
        found = candidates[np.argmin(np.abs(candidates - found))]
    return float(np.ldexp(found, scale))


def _by_hera(first: Diagram, second: Diagram, order: float) -> float:
    """Approximate the distance of many finite points."""
    a, b = (d[np.lexsort(d.T)] for d in (first, second))
    if a.shape == b.shape and (a == b).all():
        # No relative error is small enough for the auction to end at 0.
        return 0.0
    scale, (a, b) = _scaled(a, b)
    found = wasserstein_distance(
        a, b, order=order, internal_p=np.inf, delta=_HERA_RELATIVE_ERROR
    )
    return float(np.ldexp(found, scale))


def _scaled(*diagrams: Diagram) -> tuple[int, list[Diagram]]:
    """Bring coordinates to about 1, exactly: Hera's powers over- and underflow."""
    largest = max((np.abs(d).max(initial=0) for d in diagrams), default=0)
    exponent = int(np.frexp(largest)[1])
    return exponent, [np.ldexp(d, -exponent) for d in diagrams]


def _sup_distances(first: Diagram, second: Diagram) -> Floats:
    """Distances of all pairs of points in the sup norm, shape (n, m)."""
    distances: Floats = np.abs(first[:, None, 0] - second[None, :, 0])
    other = np.abs(first[:, None, 1] - second[None, :, 1])
    return np.maximum(distances, other, out=distances)


def _norm(costs: Floats, order: float) -> float:
    """Take the order-norm of non-negative numbers, without overflow."""
    largest = costs.max(initial=0)
    if largest == 0 or order == 1:
        return float(costs.sum())
    return float(largest * ((costs / largest) ** order).sum() ** (1 / order))


def _assign(
    first: Diagram, second: Diagram, order: float, bound: float | None = None
) -> tuple[Pairs, Pairs]:
    """Pairs worth matching, of finite points; no cost above `bound` if one is given."""
    empty = np.empty(0, dtype=np.intp)
    if not (len(first) and len(second)):
        return empty, empty
    alpha = (first[:, 1] - first[:, 0]) / 2
    beta = (second[:, 1] - second[:, 0]) / 2
    scale = max(alpha.max(), beta.max())
    if scale == 0:
        return empty, empty
    cost = _sup_distances(first, second)
    too_far = None
    if bound is not None:
        # A penalty that no sum of other costs reaches; rounding must not forbid the
        # very pairs that attain the bound.
        limit = bound * (1 + 1e-12)
        too_far = cost > limit
        penalty = 4 * scale * (len(alpha) + len(beta))
        alpha = np.where(alpha > limit, penalty, alpha)
        beta = np.where(beta > limit, penalty, beta)
    with np.errstate(over="ignore"):
        # Pairs so far apart that the power overflows are not worth matching anyway.
        cost = (cost / scale) ** order
        cost -= ((alpha / scale) ** order)[:, None]
        cost -= (beta / scale) ** order
    if too_far is not None:
        cost[too_far] = 0
    np.minimum(cost, 0, out=cost)
    rows, columns = linear_sum_assignment(cost)
    worth = cost[rows, columns] < 0
    return rows[worth], columns[worth]
