from dataclasses import replace

import numpy as np
import pytest

from swviz import (
    SlicedWassersteinEmbedding,
    directions,
    slice_costs,
    sliced_wasserstein,
    sliced_wasserstein_exact,
    sliced_wasserstein_matrix,
)
from swviz.approximation import (
    AnglePlan,
    RatioStudy,
    accuracy_studies,
    accuracy_study,
    embedding_tiers,
    exact_tier,
    gram_times,
    kink_study,
    pair_study,
    paired_slice_costs,
    ratio_studies,
    ratio_study,
    sample_diagrams,
    sample_pairs,
    slice_tiers,
    suggest_diagrams,
    suggest_pairs,
)
from swviz.errors import ParameterError
from swviz.typing import RULES
from tests.strategies import FAMILIES, pairs_of

A, B = pairs_of("uniform", 9, 7, seed=0)
COUNTS = (1, 2, 6, 8, 10)


def some_diagrams(family="uniform", sizes=(5, 9, 3, 7, 4, 6), seed=0):
    rng = np.random.default_rng(seed)
    return [FAMILIES[family](rng, n) for n in sizes]


X = some_diagrams()


class Stop(Exception):
    pass


def stop_at(share):
    """A progress that ends the work, and what it has been told."""
    seen = []

    def progress(done, total):
        seen.append((done, total))
        if done >= share * total:
            raise Stop

    return progress, seen


# -- one pair ------------------------------------------------------------------------


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


def test_a_plan_averages_along_the_last_axis_only():
    plan = AnglePlan(COUNTS, n_draws=2)
    costs = np.stack([slice_costs(A, B, plan.angles), slice_costs(A, [], plan.angles)])
    together = plan.averages(costs)
    for rule in RULES:
        for row in range(2):
            alone = plan.averages(costs[row])[rule]
            np.testing.assert_allclose(together[rule][row], alone)


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


# -- samples -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 7, 40])
def test_all_pairs_come_once_if_there_are_not_more(n):
    pairs = sample_pairs(n, 10_000)
    assert sorted(map(tuple, pairs)) == sorted(zip(*np.triu_indices(n, 1), strict=True))


def test_sampled_pairs_are_distinct_seeded_and_valid_in_huge_sets():
    pairs = sample_pairs(3_000_000, 4000, random_state=3)
    assert len(np.unique(pairs, axis=0)) == 4000
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert pairs.min() >= 0
    assert pairs.max() < 3_000_000
    np.testing.assert_array_equal(pairs, sample_pairs(3_000_000, 4000, 3))
    assert (pairs != sample_pairs(3_000_000, 4000, 4)).any()


def test_diagrams_are_sampled_evenly_from_classes():
    labels = np.repeat(["a", "b", "c"], [50, 10, 4])
    chosen = sample_diagrams(64, 12, labels, random_state=1)
    assert np.unique(labels[chosen], return_counts=True)[1].tolist() == [4, 4, 4]
    assert (np.diff(chosen) > 0).all()
    assert sample_diagrams(5, 9).tolist() == [0, 1, 2, 3, 4]


def test_suggestions_shrink_with_the_size_of_diagrams():
    small = [np.zeros((10, 2))] * 200
    large = [np.arange(2000.0).reshape(1000, 2)] * 200
    repeated = [np.zeros((1000, 2))] * 200
    assert suggest_pairs(small) == 300
    assert 10 <= suggest_pairs(large) < suggest_pairs(repeated) < 300
    assert suggest_pairs([np.zeros((5, 2))] * 3) == 3
    assert suggest_diagrams(small) == 100
    assert 2 <= suggest_diagrams(large) < 80
    assert suggest_diagrams([np.zeros((5, 2))] * 3) == 3


# -- ratios --------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_paired_costs_are_those_of_each_pair(family):
    first, second = some_diagrams(family, seed=1), some_diagrams(family, seed=2)
    first[1] = np.empty((0, 2))
    thetas = np.linspace(-1.5, 1.5, 11)
    costs = paired_slice_costs(first, second, thetas)
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        np.testing.assert_allclose(costs[k], slice_costs(a, b, thetas), atol=1e-12)


def test_paired_costs_in_many_blocks(monkeypatch):
    first, second = some_diagrams(seed=1), some_diagrams(seed=2)
    thetas = np.linspace(-1.5, 1.5, 11)
    whole = paired_slice_costs(first, second, thetas)
    monkeypatch.setattr("swviz.approximation.measuring._BLOCK", 50)
    np.testing.assert_allclose(paired_slice_costs(first, second, thetas), whole)


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
    monkeypatch.setattr("swviz.approximation.measuring._BATCH", 4)
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
    monkeypatch.setattr("swviz.approximation.measuring._BATCH", 4)
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


# -- tiers and accuracy --------------------------------------------------------------


def test_gram_times_are_measured_for_each_m_and_can_be_stopped():
    times = gram_times(X, COUNTS, n_repeats=2)
    assert times.n_pairs == 15
    assert times.counts.tolist() == list(COUNTS)
    assert (times.seconds > 0).all()
    assert np.isfinite(times.seconds).all()
    progress, seen = stop_at(0.5)
    with pytest.raises(Stop):
        gram_times(X, COUNTS, n_repeats=2, progress=progress)
    assert seen[-1] == (5, 10)


def test_slices_and_exact_as_tiers():
    study, times = ratio_study(X, COUNTS), gram_times(X, (1, 6, 10, 20), n_repeats=1)
    tier = slice_tiers(study, times, "diagonal")
    assert tier.sizes.tolist() == [1, 6, 10]
    np.testing.assert_allclose(tier.seconds, times.seconds[:3] / 15)
    np.testing.assert_allclose(
        tier.mean_errors, study.mean_errors("diagonal")[[0, 2, 4]]
    )
    assert exact_tier(study).mean_errors.tolist() == [0]
    assert exact_tier(study).seconds[0] == study.exact_seconds


@pytest.mark.parametrize("rule", ["paper", "random"])
def test_embedding_errors_by_slow_obvious_code_and_within_their_bound(rule):
    study = ratio_study(X, COUNTS)
    tier = embedding_tiers(X, study, n_directions=6, n_bins=(4, 64), rule=rule)
    for k, bins in enumerate((4, 64)):
        embedding = SlicedWassersteinEmbedding(6, bins, rule=rule, random_state=0)
        vectors = embedding.fit_transform(X)
        bounds = embedding.error_bounds(X)
        errors, limits = [], []
        for (i, j), exact in zip(study.pairs, study.exact, strict=True):
            found = np.abs(vectors[i] - vectors[j]).sum()
            slices = sliced_wasserstein(X[i], X[j], 6, rule=rule, random_state=0)
            errors.append(abs(found - exact) / exact)
            limits.append((abs(slices - exact) + bounds[i] + bounds[j]) / exact)
        assert tier.mean_errors[k] == pytest.approx(np.mean(errors))
        assert tier.worst_errors[k] == pytest.approx(max(errors))
        assert tier.bounds[k] == pytest.approx(np.mean(limits))
    assert (tier.mean_errors <= tier.bounds).all()
    assert tier.n_diagrams == 6


def test_embedding_in_small_batches_of_some_diagrams(monkeypatch):
    study = ratio_study(X, COUNTS)
    whole = embedding_tiers(X, study, n_bins=(16,))
    monkeypatch.setattr("swviz.approximation.tiers._VECTOR_BYTES", 1)
    monkeypatch.setattr("swviz.approximation.tiers._TOGETHER", 2)
    parts = embedding_tiers(X, study, n_bins=(16,), timed=[0, 2, 3])
    np.testing.assert_allclose(parts.mean_errors, whole.mean_errors)
    np.testing.assert_allclose(parts.bounds, whole.bounds)
    assert parts.n_diagrams == 3
    with pytest.raises(ParameterError, match="another set"):
        embedding_tiers(X[:4], study)


LABELLED = [np.array([[0.0, 1.0 + k % 2 + 0.01 * k]]) for k in range(20)]
LABELS = np.array(["short", "long"] * 10)


def test_accuracy_of_classes_that_are_easy_and_of_labels_that_mean_nothing():
    easy = accuracy_study(LABELLED, LABELS, (1, 4, "exact"), n_runs=3)
    assert easy.sizes == (1, 4, "exact")
    assert easy.accuracies.shape == (3, 3)
    assert (easy.mean == 1).all()
    assert (easy.spread == 0).all()
    shuffled = np.random.default_rng(0).permutation(LABELS)
    assert accuracy_study(LABELLED, shuffled, (4,), n_runs=4).mean[0] < 0.8


def test_accuracies_arrive_can_be_stopped_and_follow_the_seed():
    studies = list(accuracy_studies(LABELLED, LABELS, (1, 2), n_runs=2))
    assert [study.sizes for study in studies] == [(1,), (1, 2)]
    progress, seen = stop_at(0.5)
    with pytest.raises(Stop):
        accuracy_study(LABELLED, LABELS, (1, 2), n_runs=2, progress=progress)
    assert seen[-1] == (2, 4)
    assert accuracy_study(LABELLED, LABELS, ()).sizes == ()


def test_the_papers_grid_is_there_too():
    study = accuracy_study(LABELLED, LABELS, (4,), n_runs=1, grid="paper")
    assert study.mean[0] == 1
    assert study.spread[0] == 0


def test_accuracy_needs_two_classes_and_different_diagrams():
    with pytest.raises(ParameterError, match="two classes"):
        accuracy_study(LABELLED, ["same"] * 20)
    with pytest.raises(ParameterError, match="distance 0"):
        accuracy_study([A] * 20, LABELS)
