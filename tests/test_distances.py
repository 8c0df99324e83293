import threading
import tracemalloc

import numpy as np
import pytest
from gudhi.representations.metrics import _sliced_wasserstein_distance

from swviz import (
    DiagramError,
    DiagramSet,
    ParameterError,
    diagram_distance,
    diagram_distance_matrix,
    directions,
    slice_costs,
    sliced_wasserstein,
    sliced_wasserstein_exact,
    sliced_wasserstein_matrix,
)
from swviz import distances as module
from tests.strategies import FAMILIES

RNG = np.random.default_rng(0)
X = [
    FAMILIES[family](RNG, n)
    for family, n in zip(FAMILIES, [5, 0, 1, 9, 3, 7, 12, 4, 2, 8, 6, 1], strict=True)
]
Y = [FAMILIES["uniform"](RNG, n) for n in (3, 0, 11)]

TIERS = {
    "slices": (
        lambda *lists, **options: sliced_wasserstein_matrix(
            *lists, n_directions=7, **options
        ),
        lambda A, B: sliced_wasserstein(A, B, 7),
    ),
    "diagonal rule": (
        lambda *lists, **options: sliced_wasserstein_matrix(
            *lists, n_directions=5, rule="diagonal", **options
        ),
        lambda A, B: sliced_wasserstein(A, B, 5, rule="diagonal"),
    ),
    "exact": (
        lambda *lists, **options: sliced_wasserstein_matrix(
            *lists, n_directions="exact", **options
        ),
        sliced_wasserstein_exact,
    ),
    "d1": (diagram_distance_matrix, diagram_distance),
    "d2": (
        lambda *lists, **options: diagram_distance_matrix(*lists, p=2, **options),
        lambda A, B: diagram_distance(A, B, 2),
    ),
}
tiers = pytest.mark.parametrize(
    ("matrix", "pair"), list(TIERS.values()), ids=list(TIERS)
)


@pytest.fixture(params=[1 << 24, 3000], ids=["one tile", "many tiles"])
def tile_work(request, monkeypatch):
    monkeypatch.setattr(module, "_TILE_WORK", request.param)


@tiers
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_matrices_hold_the_distances_of_pairs(tile_work, matrix, pair, n_jobs):
    expected = [[pair(A, B) for B in X] for A in X]
    found = matrix(X, n_jobs=n_jobs)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    assert (found == found.T).all()
    assert (np.diag(found) == 0).all()
    rectangular = matrix(X, Y, n_jobs=n_jobs)
    expected = [[pair(A, B) for B in Y] for A in X]
    np.testing.assert_allclose(rectangular, expected, rtol=1e-12, atol=1e-14)


@tiers
def test_lists_of_none_one_and_empty(matrix, pair):
    assert matrix([]).shape == (0, 0)
    assert matrix([], Y).shape == (0, 3)
    assert matrix(X, []).shape == (12, 0)
    assert matrix([X[0]]).tolist() == [[0]]
    assert matrix([[], []]).tolist() == [[0, 0], [0, 0]]


@tiers
def test_progress_counts_pairs_to_the_end(tile_work, matrix, pair):
    calls = []
    matrix(X, progress=lambda done, total: calls.append((done, total)))
    assert calls == sorted(calls)
    assert calls[-1] == (66, 66)
    calls.clear()
    matrix(X, Y, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (36, 36)


@tiers
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_exception_from_progress_stops_the_work(monkeypatch, matrix, pair, n_jobs):
    monkeypatch.setattr(module, "_TILE_WORK", 3000)

    class CancelledError(Exception):
        pass

    calls = []

    def cancel(done, total):
        calls.append(done)
        raise CancelledError

    with pytest.raises(CancelledError):
        matrix(X, n_jobs=n_jobs, progress=cancel)
    assert len(calls) == 1


def test_work_is_spread_over_threads(monkeypatch):
    monkeypatch.setattr(module, "_TILE_WORK", 3000)
    seen = set()
    original = module.slice_distances

    def spy(*arguments):
        seen.add(threading.get_ident())
        return original(*arguments)

    monkeypatch.setattr(module, "slice_distances", spy)
    sliced_wasserstein_matrix(X * 5, n_directions=7, n_jobs=2)
    assert len(seen) == 2


def test_small_diagrams_are_batched(monkeypatch):
    calls = []
    original = module.exact_distances

    def spy(*arguments):
        calls.append(len(arguments[0]))
        return original(*arguments)

    monkeypatch.setattr(module, "exact_distances", spy)
    sliced_wasserstein_matrix(X * 3, n_directions="exact")
    assert sum(calls) == 36 * 35 / 2
    assert len(calls) <= 3


def test_directions_in_several_batches(monkeypatch):
    monkeypatch.setattr(module, "_MEMORY", 16 * 12 * 2 * 3)
    found = sliced_wasserstein_matrix(X, n_directions=7)
    expected = [[sliced_wasserstein(A, B, 7) for B in X] for A in X]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_random_directions_are_drawn_once_for_all_pairs():
    found = sliced_wasserstein_matrix(X, n_directions=4, rule="random", random_state=5)
    thetas = directions(4, "random", 5)
    expected = [[slice_costs(A, B, thetas).mean() for B in X] for A in X]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_equal_to_gudhi_given_the_same_directions():
    several = [FAMILIES["uniform"](RNG, n) for n in (40, 55, 30)]
    M = 9
    theirs = [[_sliced_wasserstein_distance(A, B, M) for B in several] for A in several]
    same = directions(M)[:-1]
    ours = module._slices_tile(several, several, False, same, 4)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


def test_memory_stays_below_256_mb_for_any_number_of_diagrams(monkeypatch):
    # An eighth of the budget, for an eighth of the work: below 32 MB.
    assert module._MEMORY <= 128 << 20
    monkeypatch.setattr(module, "_MEMORY", module._MEMORY // 8)
    # Tiles are small for another reason, too, which is not what is looked at.
    monkeypatch.setattr(module, "_TILE_WORK", 1 << 50)
    many = [np.sort(RNG.random((200, 2)), axis=1) for _ in range(300)]
    sliced_wasserstein_matrix(many[:4], n_directions=1, n_jobs=2)
    tracemalloc.start()
    try:
        # All projections at once would take 16 * 100 * 200 * 300 bytes = 96 MB.
        sliced_wasserstein_matrix(many, many[:2], n_directions=100, n_jobs=2)
        tall = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        # A square matrix of 16 MB, whose tiles must not be as large.
        square = sliced_wasserstein_matrix([[(0, 1)]] * 1414, n_directions=1)
        wide = tracemalloc.get_traced_memory()[1] - square.nbytes
    finally:
        tracemalloc.stop()
    assert tall < 32e6
    assert wide < 32e6


def test_sliced_wasserstein_matrices_are_conditionally_negative_definite():
    several = [FAMILIES[family](RNG, 9) for family in FAMILIES for _ in range(3)]
    centring = np.eye(len(several)) - 1 / len(several)
    for n_directions in (1, 6, "exact"):
        D = sliced_wasserstein_matrix(several, n_directions=n_directions)
        largest = np.linalg.eigvalsh(centring @ D @ centring).max()
        assert largest < 1e-12 * D.sum()


def test_diagram_sets_of_one_dimension_are_lists():
    both = DiagramSet({0: X, 1: X})
    one = DiagramSet({1: X})
    expected = sliced_wasserstein_matrix(X, n_directions=3)
    assert (sliced_wasserstein_matrix(one, n_directions=3) == expected).all()
    with pytest.raises(DiagramError, match="X: this DiagramSet"):
        sliced_wasserstein_matrix(both)
    assert diagram_distance_matrix(one).shape == (12, 12)


@pytest.mark.parametrize(
    "compute", [sliced_wasserstein_matrix, diagram_distance_matrix]
)
def test_bad_diagrams_are_named(compute):
    with pytest.raises(DiagramError, match="X: diagram 1: 1 of 1 points"):
        compute([[], [(1, 0)]])
    with pytest.raises(DiagramError, match="Y: diagram 0: 1 of 1 points"):
        compute([[]], [[(1, 0)]])


@tiers
@pytest.mark.parametrize("n_jobs", [0, "two", 1.5, True])
def test_bad_numbers_of_workers_are_refused(matrix, pair, n_jobs):
    with pytest.raises(ParameterError, match="n_jobs must be"):
        matrix(X, n_jobs=n_jobs)


def test_unknown_rules_are_refused_even_where_they_do_not_matter():
    with pytest.raises(ParameterError, match="rule must be"):
        sliced_wasserstein_matrix(X, n_directions="exact", rule="nonsense")


@pytest.mark.parametrize("bad", ["Exact", 0, 2.5, None])
def test_bad_numbers_of_directions_are_refused(bad):
    with pytest.raises(ParameterError, match="n_directions must be"):
        sliced_wasserstein_matrix(X, n_directions=bad)


def test_essential_points_are_infinitely_far_or_matched():
    inf = float("inf")
    D = diagram_distance_matrix([[(0, inf)], [(2, inf)], [(0, 1)]])
    assert D.tolist() == [[0, 2, inf], [2, 0, inf], [inf, inf, 0]]


@pytest.mark.parametrize("matrix", [sliced_wasserstein_matrix, diagram_distance_matrix])
def test_lists_of_sets_of_different_dimensions_are_not_compared(matrix):
    both = DiagramSet({0: Y, 1: Y})
    sets = [[DiagramSet({k: [one]}) for one in both.in_dimension(k)] for k in (0, 1)]
    with pytest.raises(DiagramError, match="not to be compared"):
        matrix(*sets)
    with pytest.raises(DiagramError, match="not to be compared"):
        matrix(DiagramSet({0: Y}), iter(sets[1]))
    np.testing.assert_array_equal(matrix(sets[0], sets[0]), matrix(Y, Y))
