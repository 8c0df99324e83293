import time
import tracemalloc

import gudhi
import numpy as np
import pytest
from gudhi.hera import bottleneck_distance, wasserstein_distance
from hypothesis import given, settings
from hypothesis import strategies as st

from swviz import (
    DiagramError,
    ParameterError,
    diagram_distance,
    diagram_distance_matrix,
    diagram_matching,
    large_matchings,
)
from tests import naive
from tests.axioms import DistanceAxioms
from tests.diagram_pairs import complaints, hard_pairs
from tests.strategies import FAMILIES, diagrams, pairs_of

INF = float("inf")


class TestD1Axioms(DistanceAxioms):
    def distance(self, A, B):
        return diagram_distance(A, B)


class TestD2Axioms(DistanceAxioms):
    # The square root of a sum of squares: rounding of tiny squares.
    eps = 1e-12

    def distance(self, A, B):
        return diagram_distance(A, B, p=2)


class TestBottleneckAxioms(DistanceAxioms):
    def distance(self, A, B):
        return diagram_distance(A, B, p=INF)


@settings(deadline=None, max_examples=100)
@given(diagrams(max_size=4), diagrams(max_size=4), st.sampled_from([1, 2, 3.5, INF]))
def test_equals_the_best_of_all_matchings(A, B, p):
    expected = naive.diagram_distance(A, B, p)
    assert diagram_distance(A, B, p) == pytest.approx(expected, rel=1e-12, abs=1e-13)


@settings(deadline=None, max_examples=100)
@given(diagrams(), diagrams(), st.sampled_from([1, 2, INF]))
def test_matching_attains_the_distance_and_uses_every_point_once(A, B, p):
    matching = diagram_matching(A, B, p)
    for side, diagram in enumerate((A, B)):
        used = matching[matching[:, side] >= 0, side]
        assert sorted(used) == list(range(len(diagram)))
    assert (matching.max(axis=1, initial=-1) >= 0).all()
    pairs = matching[(matching >= 0).all(axis=1)].tolist()
    expected = diagram_distance(A, B, p)
    assert naive.matching_cost(A, B, pairs, p) == pytest.approx(
        expected, rel=1e-11, abs=1e-12
    )


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("p", [1, 2])
def test_equals_hera(family, p):
    A, B = pairs_of(family, 60, 45, seed=1)
    theirs = wasserstein_distance(A, B, order=p, internal_p=INF, delta=1e-10)
    assert diagram_distance(A, B, p) == pytest.approx(theirs, rel=1e-8, abs=1e-13)


def test_hera_takes_over_for_large_diagrams(monkeypatch):
    A, B = pairs_of("uniform", 80, 70, seed=2)
    A = np.concatenate([A, [(0.5, INF)]])
    B = np.concatenate([B, [(0.8, INF)]])
    for p in (1, 2):
        expected = diagram_distance(A, B, p)
        with monkeypatch.context() as patch:
            patch.setattr("swviz.matchings._MOST_ENTRIES", 0)
            assert diagram_distance(A, B, p) == pytest.approx(expected, rel=0.01)
            assert diagram_distance(A, A[::-1], p) == 0
            tiny = diagram_distance(1e-200 * A[:80], 1e-200 * B[:70], p)
        expected = diagram_distance(A[:80], B[:70], p)
        assert tiny == pytest.approx(1e-200 * expected, rel=0.01)


def test_hard_pairs_against_whole_numbers():
    found = [
        (family, complaint)
        for family, A, B in hard_pairs(120, seed=1)
        for complaint in complaints(A, B)
    ]
    assert found == []


def test_bottleneck_distance_is_one_of_the_costs():
    assert diagram_distance([(1e9, 1e9 + 0.1)], [], INF) == ((1e9 + 0.1) - 1e9) / 2
    assert diagram_distance([(0, 1)], [(0, 1 + 1e-10)], INF) == (1 + 1e-10) - 1
    assert diagram_matching([(0, 1)], [(0, 1 + 1e-10)], INF).tolist() == [[0, 0]]
    # Two costs that are nearly equal: the larger one is not the distance.
    A, B = [(0, 0.5), (2, 2.5)], [(2, 2.5 + 2**-52)]
    assert diagram_distance(A, B, INF) == 0.25
    assert diagram_distance([(0, 5e-324)], [(5e-324, 2e-323)], INF) == 1e-323
    A = [(0, 0.5 + 2**-52)]
    assert diagram_distance(A, [], INF) == 0.25 + 2**-53


@pytest.mark.parametrize("family", FAMILIES)
def test_bottleneck_distance_and_matching_of_larger_diagrams(family):
    A, B = pairs_of(family, 60, 45, seed=3)
    found = diagram_distance(A, B, INF)
    assert found == pytest.approx(bottleneck_distance(A, B, 1e-9), rel=1e-8, abs=1e-10)
    matching = diagram_matching(A, B, INF)
    pairs = matching[(matching >= 0).all(axis=1)].tolist()
    assert naive.matching_cost(A, B, pairs, INF) == found


@pytest.mark.parametrize("p", [1, 8, 10, 17, 100, 1e6, 1e16])
def test_distance_to_itself_is_0_for_every_order(p):
    assert diagram_distance([(0, 1), (0, 1.001)], [(0, 1.001), (0, 1)], p) == 0
    A, B = pairs_of("uniform", 100, 100, seed=5)
    assert diagram_distance(A, A[::-1], p) == 0
    matching = diagram_matching(A, A[::-1], p)
    assert (matching.sum(axis=1) == 99).all()
    least = diagram_distance(A, B, INF)
    assert least * (1 - 1e-15) <= diagram_distance(A, B, p) <= least * 200 ** (1 / p)


def test_distances_fall_with_p():
    for family in FAMILIES:
        A, B = pairs_of(family, 80, 70, seed=6)
        values = [diagram_distance(A, B, p) for p in (1, 1.5, 2, 4, 9, 30, 1e4, INF)]
        assert (np.diff(values) <= 1e-13 * np.array(values[:-1])).all()


@pytest.mark.parametrize("noise", [1e-3, 1e-6, 1e-9, 1e-13, 0])
@pytest.mark.parametrize("p", [1, 2, 10])
def test_nearly_equal_diagrams_too_large_for_a_matrix(monkeypatch, noise, p):
    rng = np.random.default_rng(0)
    A = FAMILIES["uniform"](rng, 150)
    B = np.sort(A + noise * rng.random(A.shape), axis=1)[::-1]
    expected = diagram_distance(A, B, p)

    def refuse(*arguments, **options):
        raise AssertionError("Hera's auction would not end")

    monkeypatch.setattr(large_matchings, "_by_auction", refuse)
    monkeypatch.setattr("swviz.matchings._MOST_ENTRIES", 0)
    assert diagram_distance(A, B, p) == pytest.approx(expected, rel=1e-9, abs=0)


def test_lower_bounds_of_large_distances_hold(monkeypatch):
    monkeypatch.setattr(large_matchings, "_NEIGHBOURS", 1)
    monkeypatch.setattr(large_matchings, "_NEW", 1)
    for family in FAMILIES:
        A, B = (d[d[:, 1] > d[:, 0]] for d in pairs_of(family, 40, 30, seed=8))
        if not (len(A) and len(B)):
            continue
        for p in (1, 2, 5):
            exact = diagram_distance(A, B, p)
            upper = diagram_distance(A, [], p) + diagram_distance(B, [], p)
            a, b = large_matchings._Points.merged(A), large_matchings._Points.merged(B)
            now = time.monotonic()
            found = large_matchings._by_rounds(a, b, p, upper, now, None)
            assert exact * (1 - 1e-9) <= found <= exact / 0.99


def test_large_distances_of_large_orders(monkeypatch):
    def refuse(*arguments, **options):
        raise DiagramError("too many edges")

    A, B = pairs_of("uniform", 100, 90, seed=1)
    expected = diagram_distance(A, B, 1000)
    monkeypatch.setattr("swviz.matchings._MOST_ENTRIES", 0)
    with monkeypatch.context() as patch:
        patch.setattr(large_matchings, "_SAFE", INF)
        # The bottleneck distance is near enough.
        patch.setattr(large_matchings, "linprog", refuse)
        assert diagram_distance(A, B, 1000) == pytest.approx(expected, rel=0.01)
    monkeypatch.setattr(large_matchings, "bottleneck", refuse)
    assert diagram_distance(A, B, 1000) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("p", [1, 2, 7])
def test_large_distances_of_repeated_points(monkeypatch, p):
    rng = np.random.default_rng(3)
    cases = [([(0, 1)] * 700, [(0, 1)] * 701)]
    for _ in range(5):
        # Few different points, many copies, some of them in both diagrams.
        grid = np.sort(rng.integers(0, 6, (12, 2)), axis=1) + np.array([0.0, 1.0])
        cases.append(tuple(grid[rng.integers(0, 12, n)] for n in (60, 50)))
        noise = 1e-4 * rng.random((60, 2)).round(1)
        cases.append((cases[-1][0], cases[-1][0] + noise))
    expected = [diagram_distance(A, B, p) for A, B in cases]
    monkeypatch.setattr("swviz.matchings._MOST_ENTRIES", 0)
    monkeypatch.setattr(large_matchings, "_SAFE", INF)
    monkeypatch.setattr(large_matchings, "_CHUNK", 20)
    monkeypatch.setattr(large_matchings, "_MOST_SECONDS", 5.0)
    for (A, B), exact in zip(cases, expected, strict=True):
        assert exact * (1 - 1e-9) <= diagram_distance(A, B, p) <= exact / 0.99


def test_the_auction_is_ended_when_its_time_is_over(monkeypatch):
    A, B = pairs_of("uniform", 80, 70, seed=2)
    expected = diagram_distance(A, B)
    monkeypatch.setattr("swviz.matchings._MOST_ENTRIES", 0)
    monkeypatch.setattr(large_matchings, "_PATIENCE", 1e-3, raising=False)
    calls = []
    diagram_distance_matrix([A], [B], progress=lambda *done: calls.append(done))
    assert calls[0] == (0, 1) and calls[-1] == (1, 1)
    # More than fits into a pipe.
    many = np.tile(A, (60, 1)) * (1 + 1e-3 * np.arange(4800)[:, None])
    sides = [large_matchings._Points.merged(side) for side in (many, B[:3])]
    found = large_matchings._by_auction(*sides, 1, time.monotonic(), None)
    with monkeypatch.context() as patch:
        patch.setattr("swviz.matchings._MOST_ENTRIES", 10**6)
        assert found == pytest.approx(diagram_distance(many, B[:3]), rel=0.01)
    # What cannot be asked is found without it.
    with monkeypatch.context() as patch:
        patch.setattr(large_matchings, "_AUCTION", "raise SystemExit(1)")
        assert diagram_distance(A, B) == pytest.approx(expected, rel=0.01)
    monkeypatch.setattr(large_matchings, "_MOST_SECONDS", 0.0)
    with pytest.raises(DiagramError, match="80 and 70 points, p = 1, was not found"):
        diagram_distance(A, B)


def test_large_distances_take_bounded_time_and_can_be_stopped(monkeypatch):
    monkeypatch.setattr("swviz.matchings._MOST_ENTRIES", 0)
    monkeypatch.setattr(large_matchings, "_SAFE", INF)
    monkeypatch.setattr(large_matchings, "_NEIGHBOURS", 1)
    A, B = pairs_of("uniform", 80, 70, seed=2)
    calls = []

    def stop(done, total):
        calls.append((done, total))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        diagram_distance_matrix([A], [B], progress=stop)
    assert calls == [(0, 1)]
    monkeypatch.setattr(large_matchings, "_MOST_SECONDS", 0.0)
    with pytest.raises(DiagramError, match="80 and 70 points, p = 1, was not found"):
        diagram_distance(A, B)


def test_points_that_never_die_are_matched_by_birth():
    A = [(0, 1), (3, INF), (0, INF)]
    B = [(0, INF), (5, INF)]
    assert diagram_distance(A, B, 1) == pytest.approx(0.5 + 2)
    assert diagram_distance(A, B, 2) == pytest.approx((0.25 + 4) ** 0.5)
    assert diagram_distance(A, B, INF) == pytest.approx(2)
    assert diagram_matching(A, B).tolist() == [[0, -1], [1, 1], [2, 0]]


def test_different_numbers_of_them_are_infinitely_far():
    assert diagram_distance([(0, INF)], [(0, 1)]) == INF
    with pytest.raises(DiagramError, match="1 and 0 points that never die"):
        diagram_matching([(0, INF)], [(0, 1)])


def test_the_paper_measures_with_the_sup_norm():
    assert diagram_distance([(0, 2)], []) == 1
    assert diagram_distance([(0, 10)], [(1, 11)]) == 1


def test_bottleneck_distance_of_hundreds_of_small_pairs():
    rng = np.random.default_rng(0)
    # Of each two sizes, from none to four points, there are twenty or so.
    for _ in range(500):
        A, B = (np.sort(rng.random((n, 2)), axis=1) for n in rng.integers(0, 5, 2))
        expected = naive.diagram_distance(A, B, INF)
        assert diagram_distance(A, B, INF) == expected


def test_memory_of_the_bottleneck_distance():
    rng = np.random.default_rng(0)
    # One point far from all others: the graphs hold every edge.
    A, B = ([0, 1.2] + 1e-3 * rng.random((600, 2)) for _ in "AB")
    B[0] = 0, 1.5
    diagram_distance(A[:9], B[:9], INF)
    tracemalloc.start()
    found = diagram_distance(A, B, INF)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == np.abs(A - B[0]).max(axis=1).min()
    assert peak < 90 * 600**2


def test_gudhis_bottleneck_distance_is_wrong_for_some():
    A = [(0.34, 0.67), (0.22, 0.78)]
    B = [(0.63, 0.76), (0.02, 0.32), (0.17, 0.78), (0.05, 0.75)]
    assert gudhi.bottleneck_distance(A, B) == pytest.approx(0.1709257697)
    assert naive.diagram_distance(A, B, INF) == pytest.approx(0.17)
    assert diagram_distance(A, B, INF) == pytest.approx(0.17)


@pytest.mark.parametrize(
    "p", [0.5, 0, -1, float("nan"), "1", None, True, np.complex128(1), 10**400]
)
def test_bad_orders_are_refused(p):
    with pytest.raises(ParameterError, match="at least 1"):
        diagram_distance([], [], p)


@pytest.mark.parametrize("bad", [[(1, 0)], [(np.nan, 1)], [(-INF, 1)], [0, 1]])
def test_bad_diagrams_are_refused(bad):
    with pytest.raises(DiagramError):
        diagram_distance([], bad)


def test_a_matching_too_large_for_memory_is_refused(monkeypatch):
    monkeypatch.setattr("swviz.matchings._MOST_ENTRIES", 3)
    with pytest.raises(DiagramError, match="2 with 2 points"):
        diagram_matching([(0, 1)] * 2, [(0, 1)] * 2)
