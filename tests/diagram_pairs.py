"""Pairs of small diagrams that are hard for diagram distances, family by family."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from swviz import diagram_distance, diagram_matching
from tests import naive

ORDERS = (1, 2, 3, 6, 10, 17, float("inf"))

BOUND = 1e-13
"""Relative error of d_p, and of the cost of its matching, for these small diagrams."""


def _points(rng, n):
    return np.sort(rng.random((n, 2)), axis=1)


def _near(rng, n, size):
    A = _points(rng, n)
    return A, np.sort(A + size * rng.standard_normal(A.shape), axis=1)


def _different(make):
    return lambda rng, n, m: (make(rng, n), make(rng, m))


def _mixed(rng, n):
    births = rng.random(n)
    return np.stack([births, births + 10.0 ** rng.uniform(-9, 1, n)], axis=1)


def _ties(rng, n):
    return np.sort(rng.integers(0, 5, (n, 2)), axis=1) / 8 + rng.choice(
        [0, 2.0**-52, -(2.0**-52)], (n, 2)
    ) * np.array([0, 1])


def _partly_equal(rng, n, m):
    A, B = _points(rng, n), _points(rng, m)
    shared = min(n, m) // 2
    B[:shared] = A[:shared]
    return A, B[rng.permutation(m)]


def _shifted(rng, n, m):
    offset = rng.choice([1e3, 1e6, 1e9])
    A, B = _near(rng, n, 1e-3)
    return A + offset, B[: max(1, m)] + offset


def _scaled(rng, n, m):
    factor = 10.0 ** rng.integers(-150, 150)
    A, B = _points(rng, n), _points(rng, m)
    return factor * A, factor * B


PAIRS = {
    "uniform": _different(_points),
    "equal, shuffled": lambda rng, n, m: (A := _points(rng, n), A[rng.permutation(n)]),
    "nearly equal": lambda rng, n, m: _near(rng, n, 10.0 ** rng.uniform(-16, -1)),
    "partly equal": _partly_equal,
    "clustered": _different(
        lambda rng, n: np.array([0, 1]) + 1e-5 * np.sort(rng.random((n, 2)), axis=1)
    ),
    "two clusters": _different(
        lambda rng, n: (
            np.array([0, 1])
            + np.outer(rng.integers(0, 2, n), [0.3, 0.6])
            + 10.0 ** rng.uniform(-12, -2) * rng.random((n, 2))
        )
    ),
    "H0": _different(lambda rng, n: np.c_[np.zeros(n), rng.random(n)]),
    "integers": _different(
        lambda rng, n: np.sort(rng.integers(0, 6, (n, 2)), axis=1).astype(float)
    ),
    "all but ties": _different(_ties),
    "mixed persistences": _different(_mixed),
    "far from the origin": _shifted,
    "tiny and huge": _scaled,
}


def hard_pairs(
    count: int, seed: int, largest: int = 7
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield pairs of diagrams, families in turn; some points lie on the diagonal."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        family = list(PAIRS)[number % len(PAIRS)]
        A, B = PAIRS[family](rng, *rng.integers(0, largest + 1, 2))
        for diagram in (A, B):
            # Noise next to the diagonal may have crossed it.
            diagram[:, 1] = np.maximum(diagram[:, 0], diagram[:, 1])
        yield family, A, B


def complaints(A: np.ndarray, B: np.ndarray) -> list[str]:
    """Compare distances and matchings of all orders with whole-number optima."""
    found = []
    values = []
    for p in ORDERS:
        value, optimum = (
            diagram_distance(A, B, p),
            naive.exact_diagram_distance(A, B, p),
        )
        values.append(value)
        # One rounding for p = inf: that of a difference of coordinates.
        allowed = BOUND * optimum if p < np.inf else 2.0**-52 * optimum
        if not abs(value - optimum) <= allowed:
            found.append(f"d_{p} is {value!r}, not {optimum!r}")
        matching = diagram_matching(A, B, p)
        pairs = matching[(matching >= 0).all(axis=1)]
        cost = cost_of(A, B, pairs, p)
        if not abs(cost - value) <= (BOUND * value if p < np.inf else 0):
            found.append(f"the matching for d_{p} = {value!r} costs {cost!r}")
        if diagram_distance(A, A[::-1], p) != 0:
            found.append(f"d_{p}(A, A) is not 0")
    for p, low, high in zip(ORDERS, values[1:], values[:-1], strict=False):
        if low > high * (1 + BOUND):
            found.append(f"d rises from {high!r} at p = {p} to {low!r}")
    return found


def cost_of(A: np.ndarray, B: np.ndarray, pairs: np.ndarray, p: float) -> float:
    """Cost of a matching in floats that cannot underflow."""
    size = max(np.abs(A).max(initial=0), np.abs(B).max(initial=0)) or 1.0
    costs = [*np.abs(A[pairs[:, 0]] - B[pairs[:, 1]]).max(axis=1, initial=0)]
    for diagram, used in ((A, pairs[:, 0]), (B, pairs[:, 1])):
        costs += [*np.diff(np.delete(diagram, used, axis=0), axis=1)[:, 0] / 2]
    largest = max(costs, default=0.0)
    if p == np.inf or largest / size == 0:
        return float(largest)
    return float(largest * sum((c / largest) ** p for c in costs) ** (1 / p))
