import numpy as np
import pytest

from swviz import (
    PersistenceWeightedGaussianKernel,
    sigma_grid,
)
from swviz.kernels import pwg_heuristics
from swviz.studies import (
    Bandwidths,
    PairDistances,
    affordable_directions,
    draw_diagrams,
    fit_bandwidths,
    point_bandwidths,
    scale_space_distances,
    typical_sigma,
)
from tests.strategies import FAMILIES

RNG = np.random.default_rng(0)
DIAGRAMS = [FAMILIES["uniform"](RNG, n) for n in (9, 5, 7, 12, 6)]


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


def test_large_diagrams_are_compared_by_many_directions():
    small, large = np.zeros((150, 2)), np.zeros((151, 2))
    assert affordable_directions([small, small]) == ("exact", "paper")
    assert affordable_directions([small, large]) == (50, "diagonal")
    assert affordable_directions([]) == ("exact", "paper")
