import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings

from swviz import (
    balanced_segments,
    diagram_distance,
    directions,
    slice_costs,
    sliced_wasserstein_exact,
)
from swviz import exact as exact_module
from swviz.atoms import signed_atoms
from swviz.batches import pad
from swviz.exact import exact_distances
from tests import naive
from tests.axioms import DistanceAxioms
from tests.strategies import FAMILIES, diagrams, orbit_diagram, pairs_of

PLACES = {
    "as it is": lambda A, B: (A, B),
    "around 1e-6": lambda A, B: (1e-6 * A, 1e-6 * B),
    "around 1e6": lambda A, B: (1e6 * A, 1e6 * B),
    "one far from the origin": lambda A, B: (A, B + 1000),
    "both far from the origin": lambda A, B: (A + 2**20, B + 2**20),
    "against nothing": lambda A, B: (A, B[:0]),
    "against itself and one more": lambda A, B: (A, np.concatenate([A, B[-1:]])),
}


class TestExactAxioms(DistanceAxioms):
    def distance(self, A, B):
        return sliced_wasserstein_exact(A, B)


def test_known_value():
    value = sliced_wasserstein_exact([(0, 1)], [(0, 2)])
    assert value == pytest.approx(0.7940483902, abs=5e-11)


def test_one_point_against_nothing_in_closed_form():
    # W = |<p - pi(p), u>| has the mean |p - pi(p)| * 2 / pi.
    assert sliced_wasserstein_exact([(0, 1)], []) == pytest.approx(2**0.5 / np.pi)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("n", "m"), [(1, 1), (7, 4), (18, 18)])
def test_agrees_with_the_piecewise_integral(family, place, n, m):
    A, B = PLACES[place](*pairs_of(family, n, m, seed=n))
    # What moving every coordinate by one rounding may change.
    rounding = np.spacing(np.abs(np.concatenate([A, B])).max()) * (len(A) + len(B))
    assert sliced_wasserstein_exact(A, B) == pytest.approx(
        naive.exact_by_pieces(A, B), rel=1e-10, abs=4 * rounding
    )


@pytest.mark.parametrize("pair", list(itertools.combinations(FAMILIES, 2)))
def test_agrees_across_families(pair):
    rng = np.random.default_rng(5)
    A, B = (FAMILIES[family](rng, 12) for family in pair)
    expected = naive.exact_by_pieces(A, B)
    assert sliced_wasserstein_exact(A, B) == pytest.approx(expected, rel=1e-10)


@settings(deadline=None, max_examples=100)
@given(diagrams(max_size=8), diagrams(max_size=8))
def test_agrees_with_the_piecewise_integral_on_anything(A, B):
    size = np.abs(A).sum() + np.abs(B).sum()
    assert sliced_wasserstein_exact(A, B) == pytest.approx(
        naive.exact_by_pieces(A, B), rel=1e-10, abs=1e-14 * size
    )


@pytest.mark.parametrize("family", ["uniform", "H0, births 0", "integer grid"])
def test_agrees_with_algorithm_2(family):
    A, B = pairs_of(family, 9, 7, seed=2)
    expected = naive.algorithm_2(A, B)
    assert sliced_wasserstein_exact(A, B) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("family", ["uniform", "grid of 255ths"])
def test_agrees_with_dense_quadrature_for_hundreds_of_points(family):
    A, B = pairs_of(family, 400, 400, seed=3)
    quadrature = slice_costs(A, B, directions(30_000, "diagonal")).mean()
    assert sliced_wasserstein_exact(A, B) == pytest.approx(quadrature, rel=1e-8)


def test_nearly_collinear_points_are_counted_alike_from_every_centre():
    # Thirds of a grid: collinear but for the last bit, where float angles contradict
    # each other from one centre to the next.
    rng = np.random.default_rng(0)
    for _ in range(20):
        A, B = (np.sort(rng.integers(0, 9, (25, 2)), axis=1) / 3 + 0.1 for _ in "ab")
        expected = naive.exact_by_pieces(A, B)
        assert sliced_wasserstein_exact(A, B) == pytest.approx(expected, rel=1e-12)


def coarsen_keys(monkeypatch, dropped_bits):
    original = exact_module._angle_keys

    def coarse(atoms, pair, centre, index_bits):
        keys = original(atoms, pair, centre, index_bits)
        low_bits = keys & ((1 << index_bits) - 1)
        dropped = index_bits + dropped_bits
        return ((keys >> dropped) << dropped) | low_bits

    monkeypatch.setattr(exact_module, "_angle_keys", coarse)
    # On a grid of 2**24 steps, products of integers fit however coarse the keys are.
    monkeypatch.setattr("swviz.atoms._GRID_BITS", 24)


@pytest.mark.parametrize("dropped_bits", [10, 30, 45])
def test_directions_that_share_a_sort_key_are_told_apart(monkeypatch, dropped_bits):
    """Coarse sort keys must change nothing: ties are then settled by integers."""
    A, B = pairs_of("uniform", 20, 20, seed=7)
    expected = naive.exact_by_pieces(A, B)
    coarsen_keys(monkeypatch, dropped_bits)
    assert sliced_wasserstein_exact(A, B) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("birth", [0.0, 0.3, -7.1, 1e6 / 3])
def test_points_born_at_once_stay_on_one_line(birth):
    rng = np.random.default_rng(0)
    A, B = (
        np.stack([np.full(n, birth), birth + rng.uniform(0.6, 1, n)], axis=1)
        for n in (40, 30)
    )
    atoms = signed_atoms(pad([A, A]), pad([B, B - np.eye(30, 2)]))
    assert atoms.on_one_line.tolist() == [True, False]
    off = slice(None, atoms.n_off)
    x, y = (grid[0, off].astype(int) for grid in (atoms.along, atoms.height))
    assert ((x - x[0]) * (y[1] - y[0]) == (x[1] - x[0]) * (y - y[0])).all()
    rounding = np.spacing(abs(birth) + 1) * 70
    assert sliced_wasserstein_exact(A, B) == pytest.approx(
        naive.exact_by_pieces(A, B), rel=1e-12, abs=4 * rounding
    )


@pytest.mark.parametrize("dropped_bits", [30, 45, 50])
def test_atoms_that_only_seem_to_be_on_the_line_of_h0(monkeypatch, dropped_bits):
    A, B = pairs_of("H0, births 0", 20, 20, seed=7)
    expected = naive.exact_by_pieces(A, B)
    coarsen_keys(monkeypatch, dropped_bits)
    assert sliced_wasserstein_exact(A, B) == pytest.approx(expected, rel=1e-9)


def test_rounded_second_quotients_are_settled_exactly(monkeypatch):
    A, B = pairs_of("integer grid", 20, 20, seed=8)
    expected = naive.exact_by_pieces(A, B)
    original = exact_module._angle_keys

    def all_alike(atoms, pair, centre, index_bits):
        keys = original(atoms, pair, centre, index_bits)
        return keys & (exact_module._LAST | ((1 << index_bits) - 1))

    monkeypatch.setattr(exact_module, "_angle_keys", all_alike)
    monkeypatch.setattr("swviz.atoms._GRID_BITS", 24)
    assert sliced_wasserstein_exact(A, B) == pytest.approx(expected, rel=1e-12)


def test_the_last_resort_orders_directions_exactly():
    x = np.array([3, 1, 2, -1], dtype=np.int64)
    y = np.array([-1, -3, -6, -2], dtype=np.int64)
    order = exact_module._sort_exactly(x, y, np.arange(4))
    assert order.tolist() == [3, 1, 2, 0]


@pytest.mark.parametrize("cap", [1e3, 1e9, 1e14, 1e300])
def test_what_cancels_has_no_say(cap):
    A, B = pairs_of("uniform", 60, 50, seed=6)
    expected = sliced_wasserstein_exact(A, B)
    shared = np.array([[0.0, cap], [-cap, cap], [cap / 2, cap]])
    far = sliced_wasserstein_exact(*(np.concatenate([d, shared]) for d in (A, B)))
    assert far == pytest.approx(expected, rel=1e-13)
    tiny = 1e-200 * A
    on_diagonal = np.concatenate([tiny, [[cap, cap]]])
    assert sliced_wasserstein_exact(on_diagonal, []) == pytest.approx(
        sliced_wasserstein_exact(tiny, []), rel=1e-13
    )


@settings(deadline=None, max_examples=60)
@given(diagrams(), diagrams())
def test_balanced_segments_add_up(A, B):
    segments, weights = balanced_segments(A, B)
    assert segments.shape == (len(weights), 2, 2)
    assert (weights != 0).all()
    assert (weights % 2 == 0).all()
    lengths = np.linalg.norm(segments[:, 0] - segments[:, 1], axis=1)
    expected = sliced_wasserstein_exact(A, B)
    assert (weights @ lengths) / np.pi == pytest.approx(expected, abs=1e-12)
    own = {tuple(p) for d in (A, B) for p in d}
    for b, d in segments.reshape(-1, 2):
        assert b == d or (b, d) in own


def test_balanced_segments_in_general_position_weigh_two():
    A, B = pairs_of("uniform", 12, 10, seed=4)
    _, weights = balanced_segments(A[3:], B[3:])
    on_diagonal = balanced_segments(A[3:], B[3:])[0]
    off = ~(on_diagonal[:, 0, 0] == on_diagonal[:, 0, 1])
    assert set(np.abs(weights[off])) == {2.0}


def test_batches_equal_single_pairs_whatever_the_sizes():
    rng = np.random.default_rng(1)
    X = [FAMILIES[f](rng, n) for f, n in zip(FAMILIES, range(0, 24, 2), strict=True)]
    Y = [FAMILIES[f](rng, n) for f, n in zip(FAMILIES, range(24, 0, -2), strict=True)]
    X, Y = [np.asarray(d, float) for d in X], [np.asarray(d, float) for d in Y]
    single = [sliced_wasserstein_exact(A, B) for A, B in zip(X, Y, strict=True)]
    np.testing.assert_allclose(exact_distances(X, Y), single, rtol=1e-13)
    assert exact_distances([], []).shape == (0,)


def test_blocks_of_centres_do_not_change_the_sum(monkeypatch):
    A, B = pairs_of("grid of tenths", 40, 30, seed=9)
    expected = sliced_wasserstein_exact(A, B)
    monkeypatch.setattr(exact_module, "_BLOCK", 300)
    assert sliced_wasserstein_exact(A, B) == pytest.approx(expected, rel=1e-14)


def test_memory_stays_bounded():
    A, B = pairs_of("uniform", 1800, 1800, seed=5)
    tracemalloc.start()
    try:
        sliced_wasserstein_exact(A, B)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 64e6  # all 3600 x 7200 directions at once would be 207e6


@settings(deadline=None, max_examples=100)
@given(diagrams(max_size=8), diagrams(max_size=8))
def test_theorems_of_stability_and_discriminativity(A, B):
    sw, d1 = sliced_wasserstein_exact(A, B), diagram_distance(A, B)
    slack = 1e-12 * (np.abs(A).sum() + np.abs(B).sum())
    assert sw <= 2 * 2**0.5 * d1 + slack
    N = max(len(A), len(B), 1)
    assert sw >= d1 / (2 * (1 + 2 * N * (2 * N - 1))) - slack


def test_orbit_diagrams_agree_with_quadrature():
    A, B = orbit_diagram(3.5, 300, 0), orbit_diagram(4.3, 300, 1)
    quadrature = slice_costs(A, B, directions(20_000, "diagonal")).mean()
    assert sliced_wasserstein_exact(A, B) == pytest.approx(quadrature, rel=1e-7)
