from dataclasses import replace

import numpy as np
import pytest

from swviz import slice_costs, sliced_wasserstein_exact, sliced_wasserstein_matrix
from swviz.errors import ParameterError
from swviz.studies import (
    AnglePlan,
    RatioStudy,
    gram_times,
    ratio_studies,
    ratio_study,
    sample_pairs,
)
from swviz.typing import RULES
from tests.studies_data import COUNTS, A, B, Stop, X, stop_at


def test_a_plan_averages_along_the_last_axis_only():
    plan = AnglePlan(COUNTS, n_draws=2)
    costs = np.stack([slice_costs(A, B, plan.angles), slice_costs(A, [], plan.angles)])
    together = plan.averages(costs)
    for rule in RULES:
        for row in range(2):
            alone = plan.averages(costs[row])[rule]
            np.testing.assert_allclose(together[rule][row], alone)


@pytest.mark.parametrize("rule", RULES)
def test_ratios_are_those_of_the_matrices(rule):
    study = ratio_study(X, COUNTS, n_draws=2)
    i, j = study.pairs.T
    exact = sliced_wasserstein_matrix(X, n_directions="exact")
    np.testing.assert_allclose(study.exact, exact[i, j])
    for draw in range(study.values[rule].shape[1]):
        for column, count in enumerate(COUNTS):
            matrix = sliced_wasserstein_matrix(
                X, n_directions=count, rule=rule, random_state=draw
            )
            found = study.values[rule][:, draw, column]
            np.testing.assert_allclose(found, matrix[i, j])
            np.testing.assert_allclose(
                study.ratios(rule)[:, draw, column], matrix[i, j] / exact[i, j]
            )


def test_pairs_arrive_and_earlier_ones_stay(monkeypatch):
    monkeypatch.setattr("swviz.studies.directions._BATCH", 4)
    studies = list(ratio_studies(X, COUNTS, n_pairs=10))
    assert [len(study.pairs) for study in studies] == [4, 8, 10]
    for study in studies:
        done = len(study.pairs)
        np.testing.assert_array_equal(study.exact, studies[-1].exact[:done])
        np.testing.assert_array_equal(
            study.values["random"], studies[-1].values["random"][:done]
        )
    assert studies[-1].n_all_pairs == 15
    assert studies[-1].exact_seconds > 0
    assert studies[-1].slice_seconds > 0


def test_a_ratio_study_can_be_stopped(monkeypatch):
    monkeypatch.setattr("swviz.studies.directions._BATCH", 4)
    progress, seen = stop_at(0.5)
    with pytest.raises(Stop):
        ratio_study(X, COUNTS, progress=progress)
    assert seen == [(4, 15), (8, 15)]


def test_equal_pairs_are_left_out_and_counted():
    study = ratio_study([A, A, B, []], COUNTS)
    assert study.n_equal == 1
    assert len(study.errors("paper")) == 5
    assert np.isfinite(study.worst_errors("paper")).all()
    nothing = ratio_study([A, A + 1e-17], COUNTS)
    assert nothing.n_equal == 1
    assert np.isnan(nothing.worst_errors("paper")).all()
    assert np.isnan(nothing.mean_errors("random")).all()
    assert nothing.answer("paper", 0.1).n_directions is None
    assert len(nothing.boxes("paper").outliers) == 0


@pytest.mark.parametrize("few", [[], [A]])
def test_one_diagram_has_no_ratios(few):
    with pytest.raises(ParameterError, match="two diagrams"):
        ratio_study(few)
    with pytest.raises(ParameterError, match="two diagrams"):
        gram_times(few)


def made_up(errors, draws=1):
    """A study whose pairs have given relative errors, of shape (pairs, counts)."""
    values = 1 + np.repeat(np.asarray(errors, float)[:, None], draws, axis=1)
    return RatioStudy(
        n_diagrams=10,
        pairs=sample_pairs(10, len(values)),
        exact=np.ones(len(values)),
        counts=np.array([2, 4, 6, 8]),
        values={"paper": values},
        exact_seconds=1.0,
        slice_seconds=1e-3,
    )


def test_the_answer_is_the_smallest_m_and_tells_of_larger_ones_that_fail():
    study = made_up([[0.5, 0.04, 0.01, 0.03], [0.1, -0.06, -0.02, 0.0]])
    found = study.answer("paper", 0.025)
    assert (found.n_directions, found.exceptions) == (6, (8,))
    assert found.worst == pytest.approx(0.02)
    assert study.answer("paper", 0.061).exceptions == ()
    assert study.answer("paper", 0.061).n_directions == 4
    none = study.answer("paper", 0.001)
    assert none.n_directions is None
    assert none.worst == pytest.approx(0.03)
    with pytest.raises(ParameterError, match="tolerance"):
        study.answer("paper", 0)


def test_a_share_of_the_pairs_may_need_less():
    errors = np.zeros((100, 4))
    errors[:5, 0] = 0.5
    study = made_up(errors)
    assert study.answer("paper", 0.1).n_directions == 4
    assert study.answer("paper", 0.1, share=0.95).n_directions == 2
    assert study.answer("paper", 0.1, share=0.96).n_directions == 4
    with pytest.raises(ParameterError, match="share"):
        study.worst_errors("paper", 0)


def test_boxes_by_slow_obvious_code():
    rng = np.random.default_rng(0)
    study = made_up(0.1 * rng.standard_t(2, (60, 4)), draws=2)
    boxes = study.boxes("paper")
    for k in range(4):
        ratios = sorted(study.ratios("paper")[:, :, k].ravel())
        low, middle, high = np.quantile(ratios, (0.25, 0.5, 0.75))
        reach = 1.5 * (high - low)
        inside = [r for r in ratios if low - reach <= r <= high + reach]
        outside = [r for r in ratios if not low - reach <= r <= high + reach]
        assert boxes.quarter[k] == low
        assert boxes.median[k] == middle
        assert boxes.three_quarters[k] == high
        assert (boxes.lower[k], boxes.upper[k]) == (inside[0], inside[-1])
        here = boxes.outliers[:, 1] == k
        assert sorted(boxes.outlier_ratios[here]) == outside
        for pair, ratio in zip(
            boxes.outliers[here, 0], boxes.outlier_ratios[here], strict=True
        ):
            assert ratio in study.ratios("paper")[pair, :, k]
    assert len(boxes.outliers)


def test_outliers_keep_the_index_of_their_pair_beside_equal_pairs():
    errors = np.zeros((40, 4))
    errors[7] = 0.5
    study = made_up(errors)
    exact = study.exact.copy()
    exact[3] = 0
    shifted = replace(study, exact=exact)
    assert set(shifted.boxes("paper").outliers[:, 0]) == {7}


def test_pairs_and_rules_can_be_chosen():
    pairs = [(0, 1), (3, 2), (5, 0)]
    study = ratio_study(X, COUNTS, pairs=pairs, rules=["diagonal"])
    assert study.pairs.tolist() == [list(pair) for pair in pairs]
    assert list(study.values) == ["diagonal"]
    expected = [sliced_wasserstein_exact(X[i], X[j]) for i, j in pairs]
    np.testing.assert_allclose(study.exact, expected)


@pytest.mark.parametrize("pairs", [[], [0, 1], [(0, 6)], [(-1, 0)], [(0.5, 1)], "ab"])
def test_pairs_that_are_none_are_refused(pairs):
    with pytest.raises(ParameterError, match="pairs must"):
        ratio_study(X, COUNTS, pairs=pairs)


def test_quantiles_are_of_pairs_and_draws_that_differ():
    study = ratio_study([A, A, B], COUNTS, n_draws=3)
    ratios = study.ratios("random")[study.exact > 0]
    assert len(ratios) == 2
    found = study.quantiles("random", (0, 0.5, 1))
    assert found.shape == (3, len(COUNTS))
    for column in range(len(COUNTS)):
        several = sorted(ratios[:, :, column].ravel())
        assert found[0, column] == several[0]
        assert found[1, column] == pytest.approx((several[2] + several[3]) / 2)
        assert found[2, column] == several[-1]
    assert np.isnan(ratio_study([A, A], COUNTS).quantiles("paper", (0.5,))).all()
