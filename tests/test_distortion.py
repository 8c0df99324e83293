import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swviz import (
    ParameterError,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    diagram_distance,
    diagram_distance_matrix,
    rkhs_distance,
    sigma_grid,
    sliced_wasserstein_exact,
    sliced_wasserstein_matrix,
)
from swviz.distortion import (
    Bandwidths,
    agreement,
    distortion_constants,
    eigenvalues,
    exponential_distances,
    fit_bandwidths,
    point_bandwidths,
    scale_space_distances,
    smallest_eigenvalues,
    typical_sigma,
)
from swviz.kernels import (
    d1_counterexample,
    kernel_from_distances,
    pwg_heuristics,
)
from swviz.pair_distances import PairDistances, draw_diagrams
from tests.strategies import FAMILIES, diagrams

RNG = np.random.default_rng(0)
DIAGRAMS = [FAMILIES["uniform"](RNG, n) for n in (9, 5, 7, 12, 6)]


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


def test_typical_sigma_is_the_middle_of_the_papers_grid():
    distances = PairDistances(DIAGRAMS).run().sw
    sigma = typical_sigma(distances)
    assert np.isclose(sigma_grid(distances), sigma).any()
    assert typical_sigma([0.0, 0.0, 4.0]) == 2
    assert typical_sigma([]) == typical_sigma([0.0]) == 1


def test_bandwidths_of_points_are_the_heuristics():
    widths = point_bandwidths(DIAGRAMS)
    learnt = pwg_heuristics(DIAGRAMS, 4)
    assert (widths.K, widths.rho, widths.tau) == (
        learnt.K[None],
        learnt.rho[None],
        learnt.tau,
    )
    # k_PSS sums Gaussians of variance 4 t, k_PWG of variance rho^2.
    assert 4 * widths.t == pytest.approx(widths.rho**2)


@pytest.mark.parametrize(
    "odd",
    [
        [[], []],
        [[(0, 1)], [(0, 3)]],
        [[(1, 1)], []],
        [[(0, 1e-200)], []],
        [[(0, 1e200)], [(0, 2e200)]],
    ],
    ids=["empty", "single points", "on the diagonal", "tiny", "huge"],
)
def test_bandwidths_of_odd_diagrams_are_usable(odd):
    odd = [np.array(points, dtype=float).reshape(-1, 2) for points in odd]
    widths = point_bandwidths(odd)
    assert np.isfinite(scale_space_distances(odd, widths.t)).all()
    kernel = PersistenceWeightedGaussianKernel(
        widths.K, widths.rho, widths.tau, p=widths.p
    )
    assert np.isfinite(kernel.gram(odd)).all()


def test_fitted_bandwidths_are_medians_of_a_sample():
    widths, points = fit_bandwidths(DIAGRAMS), point_bandwidths(DIAGRAMS)
    assert (widths.t, widths.K, widths.rho) == (points.t, points.K, points.rho)
    pairs = PairDistances(DIAGRAMS).run()
    assert widths.sigma == pytest.approx(typical_sigma(pairs.sw))
    assert widths.sigma_d1 == pytest.approx(typical_sigma(pairs.d1))
    # The authors take the median of the norm; here it is not squared.
    assert widths.tau == pytest.approx(np.sqrt(points.tau))


def test_fitted_bandwidths_do_not_need_all_of_many_diagrams():
    rng = np.random.default_rng(0)
    many = [np.sort(rng.random((3, 2)), axis=1) for _ in range(300)]
    assert fit_bandwidths(many) == fit_bandwidths(many)
    drawn = [many[index] for index in draw_diagrams(300, 12)]
    expected = typical_sigma(PairDistances(drawn).run().d1)
    assert fit_bandwidths(many).sigma_d1 == pytest.approx(expected)
    assert fit_bandwidths([]) == Bandwidths()
    assert fit_bandwidths(many[:1]).sigma == 1


def test_constants_are_the_extreme_ratios_and_the_theorems_bounds():
    found = distortion_constants([0, 2, 4, 1], [0, 1, 8, 1], largest=3)
    assert (found.low, found.high) == (0.5, 2.0)
    # M' = 1 + 2 * 3 * (2 * 3 - 1) = 31
    assert found.lower == pytest.approx(1 / 62)
    assert found.upper == pytest.approx(2 * np.sqrt(2))
    nothing = distortion_constants([0.0], [0.0], largest=1)
    assert np.isnan([nothing.low, nothing.high]).all()


@given(diagrams(), diagrams())
def test_theorems_hold_for_the_pairs_own_number_of_points(A, B):
    d1, sw = diagram_distance(A, B), sliced_wasserstein_exact(A, B)
    largest = max(1, len(A), len(B))
    found = distortion_constants([d1], [sw], largest)
    if d1 > 1e-9:
        assert found.lower * (1 - 1e-9) <= found.low <= found.upper * (1 + 1e-9)


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


def test_the_gaussian_on_d1_has_a_negative_eigenvalue_and_k_sw_has_none():
    six = d1_counterexample().in_dimension(1)
    d1, sw = (
        diagram_distance_matrix(six),
        sliced_wasserstein_matrix(six, n_directions="exact"),
    )
    s = np.exp(-1 / (2 * 1.5**2))
    closed_form = 1 + 2 * s**2 - np.sqrt(s**4 + 8 * s**2)
    spectrum = eigenvalues(kernel_from_distances(d1, 1.5))
    assert spectrum[-1] == pytest.approx(closed_form)
    assert (np.diff(spectrum) <= 0).all()
    sigmas = np.logspace(-1, 2, 31)
    assert smallest_eigenvalues(d1, sigmas).min() < -0.07
    assert smallest_eigenvalues(sw, sigmas).min() > -1e-12
    assert smallest_eigenvalues(d1, [1.5])[0] == pytest.approx(closed_form)


def test_eigenvalues_of_bad_matrices_are_refused():
    with pytest.raises(ParameterError, match="square"):
        eigenvalues([[1, 2]])
    with pytest.raises(ParameterError, match="empty"):
        smallest_eigenvalues(np.zeros((0, 0)), [1.0])
    with pytest.raises(ParameterError, match="sigma"):
        smallest_eigenvalues(np.zeros((2, 2)), [0.0])
