import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swviz import (
    DiagramError,
    ParameterError,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    diagram_distance,
    diagram_distance_matrix,
    rkhs_distance,
    sliced_wasserstein_exact,
    sliced_wasserstein_matrix,
)
from swviz.kernels import kernel_from_distances
from swviz.studies import (
    Bandwidths,
    PairDistances,
    agreement,
    distance_ratios,
    distortion_constants,
    exponential_distances,
    extreme_pairs,
    scale_space_distances,
    weighted_distances,
)
from tests.strategies import FAMILIES, diagrams

RNG = np.random.default_rng(0)
DIAGRAMS = [FAMILIES["uniform"](RNG, n) for n in (9, 5, 7, 12, 6)]
RAGGED = [FAMILIES["uniform"](RNG, n) for n in (5, 0, 3, 8, 1, 6, 4)]


class Stop(Exception):
    pass


def stop_after(count):
    def progress(done, total):
        if done >= count:
            raise Stop

    return progress


@pytest.mark.parametrize("n_directions", ["exact", 6])
def test_pairs_hold_the_distances_of_the_matrices(n_directions):
    found = PairDistances(RAGGED, n_directions=n_directions).run()
    d1 = diagram_distance_matrix(RAGGED)
    sw = sliced_wasserstein_matrix(RAGGED, n_directions=n_directions)
    i, j = found.pairs.T
    assert len(found) == found.done == 21
    np.testing.assert_allclose(found.d1, d1[i, j])
    np.testing.assert_allclose(found.sw, sw[i, j], rtol=1e-12)
    for matrix, expected in zip(found.matrices(), (d1, sw), strict=True):
        np.testing.assert_allclose(matrix, expected, rtol=1e-12)


def test_whenever_one_stops_the_first_diagrams_have_all_their_pairs():
    found = PairDistances(RAGGED)
    for count in range(len(found) + 1):
        found.done = count
        among = found.n_complete
        known = {tuple(pair) for pair in found.pairs[:count].tolist()}
        expected = {(i, j) for j in range(among) for i in range(j)}
        assert expected <= known
        # The next diagram is not complete.
        assert among == len(RAGGED) or not {(i, among) for i in range(among)} <= known


def test_stopping_keeps_what_is_done_and_running_again_does_the_rest():
    found = PairDistances(RAGGED)
    with pytest.raises(Stop):
        found.run(progress=stop_after(8))
    done = found.done
    assert 8 <= done < len(found)
    before = found.d1.copy()
    d1, _ = found.matrices()
    np.testing.assert_allclose(d1, diagram_distance_matrix(RAGGED[: len(d1)]))
    reports = []
    found.run(progress=lambda done, total: reports.append((done, total)))
    np.testing.assert_array_equal(found.d1[:done], before)
    assert reports[-1] == (21, 21)
    assert [done for done, _ in reports] == sorted({done for done, _ in reports})


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    large = [FAMILIES["uniform"](rng, 210) for _ in range(4)]
    one = PairDistances(large, n_directions=5).run()
    two = PairDistances(large, n_directions=5).run(n_jobs=2)
    np.testing.assert_array_equal(one.d1, two.d1)
    np.testing.assert_array_equal(one.sw, two.sw)


@pytest.mark.parametrize("count", [0, 1])
def test_less_than_two_diagrams_have_no_pairs(count):
    found = PairDistances(RAGGED[:count]).run()
    assert len(found) == found.done == 0
    assert found.n_complete == count
    assert [matrix.shape for matrix in found.matrices()] == [(count, count)] * 2


def test_bad_diagrams_are_refused():
    with pytest.raises(DiagramError):
        PairDistances([[(0, 1)], [(2, 1)]])
    with pytest.raises(ParameterError):
        PairDistances(RAGGED, n_directions=0).run()


def naive_isotonic(values):
    """Pool adjacent violators, by the book."""
    blocks = []
    for value in values:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [[(n * a + m * b) / (n + m), n + m]]
    return np.concatenate([[mean] * count for mean, count in blocks])


def naive_ranks(values):
    return np.array([sum(v < x for v in values) + 1 for x in values], dtype=float)


def test_exponential_distances_are_those_of_the_gram_matrix():
    sw = sliced_wasserstein_matrix(DIAGRAMS, n_directions="exact")
    for sigma in (0.1, 1.0, 7.0):
        expected = rkhs_distance(kernel_from_distances(sw, sigma))
        found = exponential_distances(sw, sigma)
        np.testing.assert_allclose(found, expected, atol=1e-7)


def test_exponential_distances_keep_their_digits_where_k_is_close_to_one():
    # sqrt(2 - 2 exp(-x)) is sqrt(2 x) to first order; 1 - exp(-1e-18) is 0 in floats.
    assert exponential_distances(2e-18) == pytest.approx(np.sqrt(2e-18), rel=1e-12)
    assert exponential_distances(0.0) == 0
    assert exponential_distances(1.0, 1e-200) == pytest.approx(np.sqrt(2))
    with pytest.raises(ParameterError, match="sigma"):
        exponential_distances(1.0, 0)


@pytest.mark.parametrize("t", [0.01, 1.0, 30.0])
def test_scale_space_distances_are_those_of_the_kernel(t):
    gram = PersistenceScaleSpaceKernel(t, method="direct").gram(DIAGRAMS)
    found = scale_space_distances(DIAGRAMS, t)
    np.testing.assert_allclose(found, rkhs_distance(gram), atol=1e-7 * gram.max())
    with pytest.raises(ParameterError, match="t must be"):
        scale_space_distances(DIAGRAMS, -t)


def test_constants_are_the_extreme_ratios_and_the_theorems_bounds():
    found = distortion_constants([0, 2, 4, 1], [0, 1, 8, 1], largest=3)
    assert (found.low, found.high) == (0.5, 2.0)
    # M' = 1 + 2 * 3 * (2 * 3 - 1) = 31
    assert found.lower == pytest.approx(1 / 62)
    assert found.upper == pytest.approx(2 * np.sqrt(2))
    nothing = distortion_constants([0.0], [0.0], largest=1)
    assert np.isnan([nothing.low, nothing.high]).all()


@settings(deadline=None)
@given(diagrams(), diagrams())
def test_theorems_hold_for_the_pairs_own_number_of_points(A, B):
    d1, sw = diagram_distance(A, B), sliced_wasserstein_exact(A, B)
    largest = max(1, len(A), len(B))
    found = distortion_constants([d1], [sw], largest)
    if d1 > 1e-9:
        assert found.lower * (1 - 1e-9) <= found.low <= found.upper * (1 + 1e-9)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)),
        min_size=3,
        max_size=30,
        unique_by=(lambda pair: pair[0], lambda pair: pair[1]),
    )
)
def test_agreement_is_what_slow_code_finds(rows):
    d1, distances = np.array(rows, dtype=float).T
    found = agreement(d1, distances)
    ranks = naive_ranks(d1), naive_ranks(distances)
    assert found.rank_correlation == pytest.approx(np.corrcoef(*ranks)[0, 1], abs=1e-9)
    logarithms = np.log(distances[np.argsort(d1)])
    residuals = logarithms - naive_isotonic(logarithms)
    assert found.spread == pytest.approx(np.exp(np.sqrt(np.mean(residuals**2))))


def test_agreement_does_not_mind_how_a_kernel_bends_the_scale():
    d1 = np.linspace(0.1, 5, 50)
    for sigma in (0.3, 1.0, 10.0):
        found = agreement(d1, exponential_distances(d1, sigma))
        assert found.rank_correlation == pytest.approx(1)
        assert found.spread == pytest.approx(1)


def test_agreement_of_nothing_and_of_equal_distances_is_undefined():
    for d1, distances in (([], []), ([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]),
                          ([1, 2, 3], [2, 2, 2])):  # fmt: skip
        assert np.isnan(agreement(d1, distances).rank_correlation)
    assert np.isnan(agreement([0, 0], [0, 0]).spread)
    assert agreement([0, 1, 2], [0, 1, 2]).n_zero == 1


@pytest.mark.parametrize("rho", [0.05, 2.0])
def test_weighted_distances_are_the_exponent_of_the_kernel(rho):
    widths = Bandwidths(K=3.0, p=2.0, tau=0.7)
    norms = weighted_distances(DIAGRAMS, widths, rho)
    kernel = PersistenceWeightedGaussianKernel(3.0, rho, 0.7, p=2.0)
    np.testing.assert_allclose(
        kernel_from_distances(norms, 0.7), kernel.gram(DIAGRAMS), atol=1e-12
    )


def test_extreme_pairs_are_those_at_both_ends():
    ratios = distance_ratios([0, 2, 4, 1, 1, 1], [0, 1, 8, 1, 5, 0.1])
    np.testing.assert_allclose(ratios, [np.nan, 0.5, 2, 1, 5, 0.1])
    assert extreme_pairs(ratios, 1).tolist() == [5, 4]
    assert extreme_pairs(ratios, 2).tolist() == [5, 1, 2, 4]
    assert extreme_pairs(ratios, 3).tolist() == [5, 1, 3, 2, 4]
    assert extreme_pairs([np.nan], 3).tolist() == []
