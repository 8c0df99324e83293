import numpy as np
import pytest

from swviz import (
    directions,
    slice_costs,
    sliced_wasserstein,
    sliced_wasserstein_exact,
)
from swviz.errors import ParameterError
from swviz.studies import (
    kink_study,
    pair_study,
)
from swviz.typing import RULES
from tests.studies_data import COUNTS, A, B, Stop, stop_at


@pytest.mark.parametrize("rule", RULES)
def test_curves_are_the_librarys_distances(rule):
    study = pair_study(A, B, COUNTS, n_draws=3, random_state=5)
    assert study.exact == sliced_wasserstein_exact(A, B)
    draws = range(5, 8) if rule == "random" else [None]
    expected = [
        [sliced_wasserstein(A, B, m, rule=rule, random_state=draw) for m in COUNTS]
        for draw in draws
    ]
    np.testing.assert_allclose(study.values[rule], expected, rtol=1e-12)
    np.testing.assert_allclose(
        study.errors(rule), np.abs(np.array(expected) / study.exact - 1), rtol=1e-9
    )


def test_evenly_spaced_directions_converge_like_one_over_m_squared():
    study = pair_study(A, B, (10, 20, 40, 80, 160, 320), n_draws=2)
    for rule in ("paper", "diagonal"):
        slope = np.polyfit(np.log(study.counts), np.log(study.errors(rule)[0]), 1)[0]
        assert -3 < slope < -1.4


def test_equal_diagrams_have_no_error_to_speak_of():
    study = pair_study(A, A, COUNTS)
    assert study.exact == 0
    assert np.isnan(study.errors("paper")).all()
    kink = kink_study(A, A)
    assert np.isnan(kink.errors).all()
    assert np.isnan(kink.paper_errors).all()


def test_empty_diagrams_are_a_pair_too():
    study = pair_study([], [], COUNTS)
    assert all((values == 0).all() for values in study.values.values())
    np.testing.assert_allclose(
        pair_study(A, [], COUNTS).exact, sliced_wasserstein_exact(A, [])
    )


@pytest.mark.parametrize("counts", [(), (3, 3), (4, 2), (0, 1), (1, 5000), (1.5,)])
def test_counts_are_checked(counts):
    with pytest.raises(ParameterError, match="counts"):
        pair_study(A, B, counts)


def test_a_pair_study_can_be_stopped():
    progress, seen = stop_at(0.5)
    with pytest.raises(Stop):
        pair_study(A, B, progress=progress)
    assert seen[0][0] == 0
    assert seen[-1][0] >= seen[-1][1] / 2


def test_the_kink_costs_the_paper_a_direction_when_four_divides_m():
    study = kink_study(A, B, (6, 8))
    np.testing.assert_allclose(study.places, [0.5, 0])
    for count, thetas, costs in zip(
        study.counts, study.sampled, study.sampled_costs, strict=True
    ):
        np.testing.assert_array_equal(thetas, directions(count))
        np.testing.assert_allclose(costs, slice_costs(A, B, thetas))
    lost = np.isclose(study.sampled[1], np.pi / 4)
    assert lost.sum() == 1
    np.testing.assert_allclose(study.sampled_costs[1][lost], 0, atol=1e-12)
    assert study.paper_errors[1] < 0 < study.paper_errors[0]


def test_turning_the_directions_passes_through_the_rules():
    study = kink_study(A, B, (6, 8), exact=sliced_wasserstein_exact(A, B))
    for k in range(2):
        # A whole step further the comb is the same.
        assert study.errors[k, 0] == pytest.approx(study.errors[k, -1])
        at_place = np.interp(study.places[k], study.offsets, study.errors[k])
        assert at_place == pytest.approx(study.paper_errors[k])


def test_the_error_of_the_kink_has_the_shape_that_euler_and_maclaurin_predict():
    # One point against nothing: the kink at pi/4 is the only one.
    study = kink_study([(0, 1)], [], (64,))
    step = np.pi / 64
    jump = np.sqrt(2)
    bernoulli = study.offsets**2 - study.offsets + 1 / 6
    expected = -(step**2) / 2 * jump * bernoulli / np.pi / study.exact
    np.testing.assert_allclose(study.errors[0], expected, atol=1e-7)
