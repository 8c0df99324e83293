"""Families of diagrams: by Hypothesis for properties, by seed for comparisons."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.integers(-4, 4).map(float),  # collinear, equal, on a grid
    st.integers(-40, 40).map(lambda k: k / 10),  # a grid that floats only nearly hit
    st.floats(-10, 10, allow_subnormal=False, width=32),
)
LIFETIMES = st.one_of(
    st.just(0.0),
    st.integers(0, 4).map(float),
    st.integers(0, 40).map(lambda k: k / 10),
    st.floats(0, 10, allow_subnormal=False, width=32),
)


@st.composite
def diagrams(draw, max_size=6):
    births = draw(st.lists(NUMBERS, max_size=max_size))
    if draw(st.booleans()):
        births = [0.0] * len(births)
    lifetimes = [draw(LIFETIMES) for _ in births]
    rows = [(b, max(b, b + life)) for b, life in zip(births, lifetimes, strict=True)]
    return np.array(rows, dtype=float).reshape(-1, 2)


def _sorted_rows(rng, values):
    return np.sort(values, axis=1).astype(float)


FAMILIES = {
    "uniform": lambda rng, n: np.sort(rng.random((n, 2)), axis=1),
    "negative": lambda rng, n: np.sort(rng.random((n, 2)) - 3, axis=1),
    "near the diagonal": lambda rng, n: (
        rng.random((n, 1)) + np.c_[np.zeros(n), 1e-3 * rng.random(n)]
    ),
    "H0, births 0": lambda rng, n: np.c_[np.zeros(n), rng.random(n)],
    "integer grid": lambda rng, n: _sorted_rows(rng, rng.integers(0, 6, (n, 2))),
    "grid of tenths": lambda rng, n: _sorted_rows(rng, rng.integers(0, 6, (n, 2))) / 10,
    "grid of 255ths": lambda rng, n: (
        _sorted_rows(rng, rng.integers(0, 20, (n, 2))) / 255
    ),
    "duplicates": lambda rng, n: np.repeat(
        np.sort(rng.random((-(-n // 3), 2)), axis=1), 3, axis=0
    )[:n],
    "on the diagonal": lambda rng, n: np.repeat(rng.random((n, 1)), 2, axis=1),
    "collinear": lambda rng, n: np.outer(rng.random(n), [1.0, 3.0]),
    "equal births": lambda rng, n: np.c_[np.full(n, 0.3), 0.3 + rng.random(n)],
    "clustered": lambda rng, n: (
        np.array([0.2, 0.9]) + 1e-7 * np.sort(rng.standard_normal((n, 2)), axis=1)
    ),
}


def pairs_of(family, n, m, seed):
    """Two diagrams of a family that share their first points."""
    rng = np.random.default_rng(seed)
    A, B = FAMILIES[family](rng, n), FAMILIES[family](rng, m)
    shared = min(n, m) // 4
    B[:shared] = A[:shared]
    return A, B


def orbit_diagram(r, n_points, seed):
    """H1 of a linked twist map's orbit (alpha complex, plain radii)."""
    import gudhi

    rng = np.random.default_rng(seed)
    x, y = rng.random(2)
    points = np.empty((n_points, 2))
    for k in range(n_points):
        x = (x + r * y * (1 - y)) % 1
        y = (y + r * x * (1 - x)) % 1
        points[k] = x, y
    tree = gudhi.AlphaComplex(points=points).create_simplex_tree()
    tree.compute_persistence()
    return np.sqrt(tree.persistence_intervals_in_dimension(1))
