"""Experiments: Gram matrices shared by runs, and one run of the protocol."""

import numpy as np
import pytest

from swviz import DiagramSet, ParameterError, sliced_wasserstein_matrix
from swviz.experiments.fourier import fourier_sums
from swviz.experiments.grams import ScaleSpaceGrams, SlicedGrams
from swviz.experiments.protocol import half_accuracies, tune_and_test
from swviz.experiments.tasks import Task
from swviz.experiments.weighted_grams import WeightedGaussianGrams
from swviz.kernels import (
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.learning import (
    C_GRID,
    FACTORS,
    evaluate_kernel,
    random_splits,
    tune_on_distances,
)
from swviz.learning.candidates import DistanceCandidates
from swviz.learning.svm import split_accuracies
from swviz.sources.origins import Image

LABELS = np.repeat(["a", "b", "c"], 10)


def diagrams(seed, spread):
    rng = np.random.default_rng(seed)
    return [
        np.sort(rng.random((7, 2)), axis=1) * (1 + spread * "abc".index(label))
        for label in LABELS
    ]


def make_task(test_size=0.4, large=False, several=((0,), (1,), (0, 1))):
    """Two dimensions, of which H1 tells classes apart better."""
    subsets = ["train" if index % 3 else "test" for index in range(len(LABELS))]
    data = DiagramSet(
        {0: diagrams(0, 0.1), 1: diagrams(1, 0.6)},
        labels=LABELS,
        origins=[Image(np.zeros((3, 3), np.uint8), subset=one) for one in subsets],
    )
    return Task("orbit", "toy", "a toy", data, several, test_size, 2, large)


def reference(kernel, task, run, **options):
    """One run by the learning module, from scratch."""
    return evaluate_kernel(
        kernel, task.diagrams, splits=[task.split(run)], random_state=run, **options
    ).runs[0]


@pytest.mark.parametrize("test_size", [0.4, None])
@pytest.mark.parametrize("dimensions", [(0,), (1,), (0, 1)])
def test_runs_are_those_of_the_learning_module(test_size, dimensions, run=3):
    task = make_task(test_size)
    train, test = task.split(run)
    for grams, kernel in (
        (SlicedGrams(task, 6), SlicedWassersteinKernel(n_directions=6)),
        (ScaleSpaceGrams(task), PersistenceScaleSpaceKernel()),
    ):
        candidates = grams.candidates(dimensions, train, test, run)
        ours = tune_and_test(
            candidates, LABELS, train, test, n_splits=3, random_state=run
        )
        kernel.set_params(dimensions=dimensions)
        theirs = reference(kernel, task, run, n_splits=3)
        np.testing.assert_array_equal(ours.grid.accuracies, theirs.grid.accuracies)
        assert ours.parameters == pytest.approx(theirs.parameters)
        assert ours.C == theirs.C
        assert ours.predictions.tolist() == theirs.predictions.tolist()
        assert ours.accuracy == theirs.accuracy
        assert ours.confusion.tolist() == theirs.confusion.tolist()


@pytest.mark.parametrize("form", ["paper", "squared"])
@pytest.mark.parametrize("dimensions", [(1,), (0, 1)])
def test_the_weighted_kernel_is_that_of_the_learning_module(form, dimensions):
    task = make_task()
    train, test = task.split(1)
    candidates = WeightedGaussianGrams(task).candidates(
        dimensions, train, test, 1, form=form
    )
    C = (1.0, 100.0)
    ours = tune_and_test(
        candidates, LABELS, train, test, C=C, n_splits=2, random_state=1
    )
    kernel = PersistenceWeightedGaussianKernel(p=2, form=form, dimensions=dimensions)
    theirs = reference(kernel, task, 1, C=C, n_splits=2)
    assert len(ours.grid.settings) == 125
    assert ours.parameters["K"] == pytest.approx(theirs.parameters["K"])
    assert ours.parameters["rho"] == pytest.approx(theirs.parameters["rho"])
    assert ours.parameters["tau"] == pytest.approx(theirs.parameters["tau"])
    np.testing.assert_array_equal(ours.grid.accuracies, theirs.grid.accuracies)
    assert ours.predictions.tolist() == theirs.predictions.tolist()


def test_a_large_c_needs_no_machine_of_its_own(monkeypatch):
    import swviz.experiments.protocol as protocol

    fitted = []
    fit_svm = protocol.fit_svm
    monkeypatch.setattr(
        protocol, "fit_svm", lambda *args: fitted.append(args[2]) or fit_svm(*args)
    )
    distances = sliced_wasserstein_matrix(diagrams(1, 0.6), n_directions=6)
    numbers = np.unique(LABELS, return_inverse=True)[1]
    half = random_splits(LABELS, 1, 0.5, 0)[0]
    # Nearly the identity: coefficients stay below 2.
    gram = np.exp(-distances / 2 / 0.05**2)
    expected = split_accuracies(gram, numbers, half, C_GRID)
    found = half_accuracies(gram, numbers, half, np.array(C_GRID))
    np.testing.assert_array_equal(found, expected)
    assert fitted == [0.001, 0.01, 0.1, 1.0, 10.0]


def test_a_half_of_one_class_predicts_it():
    gram, labels = np.eye(4), np.array([1, 1, 0, 1])
    half = np.array([0, 1]), np.array([2, 3])
    assert half_accuracies(gram, labels, half, np.array([1.0, 2.0])).tolist() == [
        0.5,
        0.5,
    ]


def test_progress_goes_through_all_settings():
    task = make_task()
    train, test = task.split(0)
    candidates = SlicedGrams(task, 2).candidates((1,), train, test, 0)
    told = []
    tune_and_test(
        candidates,
        LABELS,
        train,
        test,
        n_splits=2,
        progress=lambda *step: told.append(step),
    )
    assert told == [(index, 15) for index in range(1, 16)]


def test_test_samples_have_no_say_in_tuning():
    D = sliced_wasserstein_matrix(diagrams(1, 0.6), n_directions=4)
    train, test = np.arange(0, 30, 2), np.arange(1, 30, 2)
    parts = D[None][:, train][:, :, train], D[None][:, test][:, :, train]
    spoilt = np.zeros_like(parts[1])
    reports = [
        tune_and_test(
            DistanceCandidates(parts[0], outer, "product"),
            LABELS,
            train,
            test,
            n_splits=3,
        )
        for outer in (parts[1], spoilt)
    ]
    assert reports[0].parameters == reports[1].parameters
    assert reports[0].C == reports[1].C
    # And the first is what the learning module finds.
    theirs = tune_on_distances(D, LABELS, train, test, n_splits=3)
    assert reports[0].accuracy == theirs.accuracy
    assert reports[1].accuracy < theirs.accuracy


def test_fourier_sums_are_those_of_the_kernel():
    X = [*diagrams(1, 0.6)[::5], np.empty((0, 2))]
    # Equal points count as often as they are there.
    X[0] = np.concatenate([X[0], X[0][:3]])
    K = [0.3, 3.0]
    sums = fourier_sums(X, K, 0.7, 2, n_features=300, random_state=5)
    assert sums.shape == (2, len(X), 300)
    for scale, ours in zip(K, sums, strict=True):
        kernel = PersistenceWeightedGaussianKernel(
            scale, 0.7, p=2, method="fourier", n_features=300, random_state=5
        )
        theirs = kernel.mean_distances(X)[0]
        found = np.linalg.norm(ours[:, None] - ours, axis=2)
        np.testing.assert_allclose(found, theirs, rtol=1e-4, atol=1e-5)


def test_large_tasks_take_features_and_other_runs_others():
    task = make_task(large=True)
    train, test = task.split(0)
    grams = WeightedGaussianGrams(task)
    first = grams.candidates((1,), train, test, 0)
    again = grams.candidates((1,), train, test, 0, form="paper")
    assert again.several[1] is first.several[1]
    other = grams.candidates((1,), *task.split(1), 1)
    assert other.several[1] is not first.several[1]
    # Near to what they approximate, at the heuristics.
    exact = make_task(large=False)
    precise = WeightedGaussianGrams(exact).candidates((1,), train, test, 0)
    middle = FACTORS.index(1.0)
    close, true = (one.several[1].inner[middle][middle] for one in (first, precise))
    assert np.abs(close - true).max() < 0.2 * true.max()
    assert np.abs(close - true).max() > 0


def test_runs_with_a_fixed_split_share_the_weighted_kernel():
    task = make_task(test_size=None)
    grams = WeightedGaussianGrams(task)
    first = grams.candidates((1,), *task.split(0), 0)
    assert grams.candidates((1,), *task.split(1), 1).several[1] is first.several[1]


def test_splits_are_fixed_or_drawn_by_the_number_of_the_run():
    fixed = make_task(test_size=None)
    train, test = fixed.split(0)
    assert test.tolist() == list(range(0, 30, 3))
    assert fixed.split(5)[0].tolist() == train.tolist()
    drawn = make_task(test_size=0.4)
    train, test = drawn.split(0)
    assert np.bincount(np.unique(LABELS[test], return_inverse=True)[1]).tolist() == [
        4,
        4,
        4,
    ]
    assert drawn.split(0)[0].tolist() == train.tolist()
    assert drawn.split(1)[0].tolist() != train.tolist()


def test_a_task_without_labels_says_so():
    data = DiagramSet({1: diagrams(1, 0.6)})
    task = Task("shapes", "bare", "no labels", data, ((1,),), 0.5, 5, False)
    with pytest.raises(ParameterError, match="bare has no labels"):
        task.split(0)
