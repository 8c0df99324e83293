"""The classifier by the nearest mean: what it knows, and what it says."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import swviz as sw
from swviz import ParameterError
from swviz.learning import NearestSlicedMean, Trials, kernel_runs, mean_runs
from tests.learning_data import KERNELS, LABELS, SET, TEST, TRAIN

H1 = SET.in_dimension(1)


def test_it_predicts_the_class_with_the_nearest_mean():
    machine = NearestSlicedMean(6).fit(SET[TRAIN])
    means = sw.sliced_means(SET[TRAIN], n_directions=6)
    assert machine.classes_.tolist() == machine.means_.labels.tolist()
    expected = 0.0
    for k in SET.dimensions:
        for one, mean in zip(
            machine.means_.in_dimension(k), means.in_dimension(k), strict=True
        ):
            np.testing.assert_array_equal(one, mean)
        expected = expected + sw.sliced_wasserstein_matrix(
            SET[TEST].in_dimension(k), means.in_dimension(k),
            n_directions=6, rule="diagonal",
        )  # fmt: skip
    np.testing.assert_allclose(machine.distances(SET[TEST]), expected, rtol=1e-13)
    predicted = machine.predict(SET[TEST])
    assert predicted.tolist() == means.labels[expected.argmin(axis=1)].tolist()
    assert machine.score(SET[TEST]) == np.mean(predicted == LABELS[TEST])


def test_it_tells_one_loop_from_two():
    clouds = sw.sources.point_clouds(("circle", "figure eight"), 8, 80, cache=False)
    scores = cross_val_score(NearestSlicedMean(10), clouds, clouds.labels, cv=4)
    assert scores.mean() == 1


@pytest.mark.parametrize("samples", [SET, H1, list(SET)], ids=["set", "list", "sets"])
def test_cross_validation_and_search(samples):
    machine = NearestSlicedMean(4, n_steps=3)
    scores = cross_val_score(machine, samples, LABELS, cv=3, error_score="raise")
    assert scores.mean() > 0.6
    search = GridSearchCV(machine, {"n_directions": [2, 6]}, cv=2, error_score="raise")
    assert search.fit(samples, LABELS).best_params_["n_directions"] in (2, 6)


def test_decision_values():
    three = NearestSlicedMean(4).fit(SET[TRAIN])
    values = three.decision_function(SET[TEST])
    assert values.shape == (len(TEST), 3)
    expected = three.classes_[values.argmax(axis=1)]
    np.testing.assert_array_equal(expected, three.predict(SET[TEST]))
    two = NearestSlicedMean(4).fit(SET, np.where(LABELS == "a", 2.5, 3.5))
    values = two.decision_function(SET)
    assert values.shape == (len(SET),)
    np.testing.assert_array_equal(np.where(values > 0, 3.5, 2.5), two.predict(SET))


def test_random_directions_are_those_of_the_fit():
    machine = NearestSlicedMean(3, rule="random", n_steps=2).fit(H1, LABELS)
    np.testing.assert_array_equal(machine.distances(H1), machine.distances(H1))
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(machine.distances(H1), again.distances(H1))
    seeded = [
        clone(machine).set_params(random_state=5).fit(H1, LABELS).distances(H1)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*seeded)


def test_progress_goes_to_the_end():
    told = []
    NearestSlicedMean(4, n_steps=2).fit(
        SET, progress=lambda done, total: told.append((done, total))
    )
    done, total = told[-1]
    assert done == total and len(told) > len(SET.classes) * len(SET.dimensions)


def test_mistakes():
    with pytest.raises(NotFittedError):
        NearestSlicedMean().predict(SET)
    with pytest.raises(ParameterError, match="NearestSlicedMean requires y"):
        NearestSlicedMean().fit(H1)
    with pytest.raises(ParameterError, match="one class only"):
        NearestSlicedMean().fit(H1, ["a"] * len(H1))
    machine = NearestSlicedMean(4, n_steps=1).fit(SET)
    with pytest.raises(ParameterError, match="no diagrams to classify"):
        machine.predict(SET[:0])
    with pytest.raises(ParameterError, match="lack"):
        machine.predict(sw.DiagramSet({0: SET.in_dimension(0)}))


def test_runs_have_the_splits_of_the_kernels_and_means_of_their_training_part():
    machine = NearestSlicedMean(4, n_steps=3)
    few = {"n_runs": 3, "test_size": 0.4, "random_state": 5}
    runs = list(mean_runs(machine, SET, **few))
    kernels = kernel_runs(KERNELS["SW"], SET, **few, n_splits=2, C=[1.0])
    for run, other in zip(runs, kernels, strict=True):
        np.testing.assert_array_equal(run.train, other.train)
        np.testing.assert_array_equal(run.test, other.test)
        means = sw.sliced_means(SET[run.train], n_directions=4, n_steps=3)
        for k in SET.dimensions:
            for ours, theirs in zip(
                run.means.in_dimension(k), means.in_dimension(k), strict=True
            ):
                np.testing.assert_array_equal(ours, theirs)
        own = clone(machine).fit(SET[run.train])
        np.testing.assert_array_equal(run.predictions, own.predict(SET[run.test]))
        right = run.predictions == LABELS[run.test]
        assert run.accuracy == right.mean() == np.trace(run.confusion) / len(right)
        assert run.confusion.sum(axis=1).tolist() == [
            np.sum(LABELS[run.test] == label) for label in "abc"
        ]
    report = Trials("NearestSlicedMean", tuple(runs))
    assert report.accuracy == np.mean([run.accuracy for run in runs])
    assert report.spread == np.std([run.accuracy for run in runs], ddof=1)
    # The machine that was given has learnt nothing.
    with pytest.raises(NotFittedError):
        machine.predict(SET)


def test_no_test_sample_moves_a_mean():
    machine = NearestSlicedMean(4, n_steps=3)
    [run] = mean_runs(machine, SET, splits=[(TRAIN, TEST)])
    other = list(H1)
    for k in TEST:
        other[k] = other[k] + 7.0
    [again] = mean_runs(
        machine, sw.DiagramSet({0: SET.in_dimension(0), 1: other}, LABELS),
        splits=[(TRAIN, TEST)],
    )  # fmt: skip
    for ours, theirs in zip(
        run.means.in_dimension(1), again.means.in_dimension(1), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_runs_before_a_stop_are_kept():
    done = []

    def stop_in_the_second_run(part, total):
        if done:
            raise KeyboardInterrupt

    runs = mean_runs(
        NearestSlicedMean(2, n_steps=1), SET, n_runs=3, progress=stop_in_the_second_run
    )
    with pytest.raises(KeyboardInterrupt):
        for run in runs:
            done.append(run)
    assert len(done) == 1
