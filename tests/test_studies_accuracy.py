import numpy as np
import pytest

from swviz import (
    sliced_wasserstein_matrix,
)
from swviz.errors import ParameterError
from swviz.kernels import kernel_from_distances
from swviz.learning import evaluate_svm, prepare, random_splits
from swviz.studies import (
    AccuracyStudy,
    accuracy_studies,
    accuracy_study,
    bandwidth_curve,
    bandwidth_study,
    directions_curve,
    distances_by_directions,
)
from tests import learning_data as data
from tests.learning_data import KERNELS, SET
from tests.studies_data import A, Stop, stop_at

SPLIT = data.LABELS, data.TRAIN, data.TEST
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


def expected_at(gram, C):
    return evaluate_svm(gram, *SPLIT, C, n_splits=4, random_state=1)


@pytest.mark.parametrize("name", ["SW", "PSS"])
def test_a_point_of_the_curve_is_one_evaluation(name):
    ready = prepare(KERNELS[name], SET)
    scales = [0.02, 0.3, 4.0]
    points = bandwidth_curve(ready, *SPLIT, scales, 5.0, n_splits=4, random_state=1)
    for scale, point in zip(scales, points, strict=True):
        found = expected_at(ready.gram(scale), 5.0)
        assert point.value == scale
        assert (point.train, point.test) == (found.train_accuracy, found.test_accuracy)
        assert (point.cv, point.spread) == (found.cv_accuracy, found.cv_spread)


def test_a_curve_can_be_stopped_between_bandwidths():
    seen = []

    def stop_at_two(done, total):
        assert total == 3
        if done == 2:
            raise KeyboardInterrupt

    points = bandwidth_curve(
        prepare(KERNELS["SW"], SET), *SPLIT, [0.1, 1.0, 10.0], progress=stop_at_two
    )
    with pytest.raises(KeyboardInterrupt):
        seen.extend(points)
    assert [point.value for point in seen] == [0.1, 1.0]


@pytest.mark.parametrize("name", ["SW", "embedding", "PSS", "PWG", "d1"])
def test_a_study_of_bandwidths_is_the_curve_of_one_split(name):
    study = bandwidth_study(KERNELS[name], SET, C=5.0, n_splits=4, random_state=3)
    train, test = random_splits(SET.labels, 1, 0.3, 3, stratify=True)[0]
    ready = prepare(KERNELS[name], SET, train)
    scales = ready.scales(train)
    curve = bandwidth_curve(
        ready, SET.labels, train, test, scales, 5.0, n_splits=4, random_state=3
    )
    assert study.points == tuple(curve)
    assert study.parameter == ready.scale_name
    assert study.best.cv == max(point.cv for point in study.points)
    counts = np.unique(SET.labels[test], return_counts=True)[1]
    assert study.chance == counts.max() / len(test)
    np.testing.assert_array_equal(study.frame()["bandwidth"], scales)
    assert len(study.plot()) > 3


def test_a_study_of_bandwidths_takes_lists_and_its_own_scales():
    study = bandwidth_study(KERNELS["SW"], LABELLED, LABELS, [10.0, 0.1], n_splits=2)
    assert [point.value for point in study.points] == [0.1, 10.0]
    progress, seen = stop_at(0.5)
    with pytest.raises(Stop):
        bandwidth_study(KERNELS["SW"], LABELLED, LABELS, [1.0, 2.0], progress=progress)
    assert seen[-1] == (1, 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"labels": None}, "there are no labels"),
        ({"labels": ["same"] * 20}, "two classes"),
        ({"scales": []}, "scales is empty"),
        ({"scales": [0.0]}, "scales must be"),
        ({"C": 0}, "C must be"),
        ({"test_size": 2}, "test_size"),
        ({"kernel": "SW"}, "kernel must be one of swviz.kernels"),
    ],
)
def test_mistakes_in_a_study_of_bandwidths(options, words):
    given = {"kernel": KERNELS["SW"], "X": LABELLED, "labels": LABELS, "n_splits": 2}
    with pytest.raises(ParameterError, match=words):
        bandwidth_study(**given | options)


def test_distances_for_each_number_of_directions():
    reports = []
    stacks = dict(
        distances_by_directions(
            KERNELS["SW"], SET, (1, 3), progress=lambda *at: reports.append(at)
        )
    )
    for count, stack in stacks.items():
        for dimension in (0, 1):
            several = SET.in_dimension(dimension)
            np.testing.assert_array_equal(
                stack[dimension],
                sliced_wasserstein_matrix(several, n_directions=count),
            )
    done = [at for at, _ in reports]
    assert done == sorted(done)
    assert reports[-1] == (1000, 1000)


def test_accuracy_by_number_of_directions():
    stacks = dict(distances_by_directions(KERNELS["SW"], SET, (1, 4)))
    points = directions_curve(stacks, *SPLIT, 0.5, 5.0, n_splits=4, random_state=1)
    assert [point.value for point in points] == [1, 4]
    for point, stack in zip(points, stacks.values(), strict=True):
        found = expected_at(kernel_from_distances(stack, 0.5), 5.0)
        assert (point.test, point.cv) == (found.test_accuracy, found.cv_accuracy)


def test_runs_that_have_not_been_made_do_not_count():
    nan = np.nan
    accuracies = np.array([[0.5, 0.7, 0.9], [0.8, nan, nan], [0.2, 0.4, nan]])
    study = AccuracyStudy((1, 2, 4), accuracies, 9)
    np.testing.assert_allclose(study.mean, [0.7, 0.8, 0.3])
    np.testing.assert_allclose(study.spread, [0.2, 0.0, np.std([0.2, 0.4], ddof=1)])


def test_exact_distances_are_a_number_of_directions_too():
    reports = []
    (one, few), (two, exact) = distances_by_directions(
        KERNELS["SW"], SET, (4, "exact"), progress=lambda *at: reports.append(at)
    )
    assert (one, two) == (4, "exact")
    for dimension, several in enumerate(map(SET.in_dimension, (0, 1))):
        expected = sliced_wasserstein_matrix(several, n_directions="exact")
        np.testing.assert_allclose(exact[dimension], expected)
    assert not np.allclose(few, exact)
    assert reports[-1] == (1000, 1000)
    with pytest.raises(ParameterError, match="n_directions"):
        list(distances_by_directions(KERNELS["SW"], SET, ("many",)))
