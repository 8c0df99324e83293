import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from swviz import DiagramSet, ParameterError, SwvizError, sliced_wasserstein_matrix
from swviz.kernels import (
    DiagramDistanceKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
    UniversalKernel,
    kernel_from_distances,
)
from swviz.learning import (
    C_GRID,
    FACTORS,
    PSS_GRID,
    GridScores,
    evaluate_kernel,
    evaluate_svm,
    random_splits,
    sigma_grid,
    tune_on_distances,
)
from swviz.sources import orbits

RNG = np.random.default_rng(0)
LABELS = np.repeat(["a", "b", "c"], 12)
X = [np.sort(RNG.random((8, 2)), axis=1) * (1 + "abc".index(label)) for label in LABELS]
D = sliced_wasserstein_matrix(X, n_directions=6)
TRAIN, TEST = random_splits(LABELS, 1, 0.3, 0, stratify=True)[0]
SMALL = {"C": (1, 100), "n_splits": 3, "n_runs": 2}
KERNELS = {
    "SW": SlicedWassersteinKernel(n_directions=6),
    "embedding": SlicedWassersteinKernel(n_directions=6, method="embedding"),
    "random": SlicedWassersteinKernel(n_directions=6, rule="random"),
    "d1": DiagramDistanceKernel(),
    "PSS": PersistenceScaleSpaceKernel(),
    "PWG": PersistenceWeightedGaussianKernel(p=2),
}


def test_the_papers_grids():
    assert C_GRID == (0.001, 0.01, 0.1, 1, 10, 100, 1000)
    assert len(PSS_GRID) == 13
    assert PSS_GRID[::6] == (0.001, 1, 1000)
    grid = sigma_grid(D)
    pairs = D[np.triu_indices(len(D), 1)]
    expected = [
        q**0.5 * factor
        for q in np.percentile(pairs, [10, 50, 90])
        for factor in (0.01, 0.1, 1, 10, 100)
    ]
    np.testing.assert_allclose(grid, np.sort(expected))
    np.testing.assert_allclose(sigma_grid(pairs), grid)
    assert FACTORS == (0.01, 0.1, 1, 10, 100)


def test_sigma_grid_of_sets_with_many_equal_diagrams():
    distances = np.zeros((10, 10))
    distances[:2, 2:] = distances[2:, :2] = 4
    np.testing.assert_allclose(
        sigma_grid(distances), np.repeat(2 * np.array(FACTORS), 3)
    )
    assert len(sigma_grid([3.0])) == 15


@pytest.mark.parametrize(
    ("distances", "words"),
    [
        (np.zeros((3, 3)), "they are equal"),
        ([[0.0]], "at least two"),
        ([], "at least two"),
        ([np.nan, 1.0], "finite"),
        ([np.inf, 1.0], "finite"),
        ([-1.0, 1.0], "finite"),
        (np.zeros((2, 3)), "square matrix"),
        ("no", "numbers"),
    ],
)
def test_sigma_grid_refuses_what_has_no_scale(distances, words):
    with pytest.raises(ParameterError, match=words):
        sigma_grid(distances)


def test_random_splits_keep_proportions():
    for train, test in random_splits(LABELS, 5, 0.5, 0, stratify=True):
        assert sorted([*train, *test]) == list(range(36))
        assert [np.sum(LABELS[test] == label) for label in "abc"] == [6, 6, 6]
    again = random_splits(LABELS, 5, 0.5, 0)
    assert (again[3][0] == random_splits(LABELS, 5, 0.5, 0)[3][0]).all()
    alone = ["a", "b", "b", "b"]
    assert len(random_splits(alone, 2, stratify=True)) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((["a", "a"],), "two classes"),
        ((["a"],), "two classes"),
        (([],), "two classes"),
        ((["a", "b"], 0), "n_splits"),
        ((["a", "b"], 1, 0.0), "test_size"),
        ((["a", "b"], 1, 1.5), "test_size"),
        ((["a", "b"], 1, 0.9), "cannot be split"),
    ],
)
def test_bad_splits_are_refused(arguments, words):
    with pytest.raises(ParameterError, match=words):
        random_splits(*arguments)


def test_tuning_on_distances_is_the_papers_protocol():
    report = tune_on_distances(D, LABELS, TRAIN, TEST, random_state=3)
    assert report.grid.accuracies.shape == (15, 7, 10)
    inner = D[np.ix_(TRAIN, TRAIN)]
    sigmas = [setting["sigma"] for setting in report.grid.settings]
    np.testing.assert_allclose(sigmas, sigma_grid(inner))
    # One cell, by scikit-learn.
    halves = random_splits(LABELS[TRAIN], 10, 0.5, np.random.RandomState(3))
    scores = cross_val_score(
        SVC(C=10, kernel="precomputed"),
        np.exp(-inner / (2 * sigmas[7] ** 2)),
        LABELS[TRAIN],
        cv=halves,
    )
    np.testing.assert_allclose(report.grid.accuracies[7, 4], scores)
    np.testing.assert_allclose(report.grid.mean[7, 4], scores.mean())
    np.testing.assert_allclose(report.grid.spread[7, 4], scores.std())
    setting, cost = report.grid.best
    assert report.grid.mean[setting, cost] == pytest.approx(report.grid.mean.max())
    assert report.parameters == {"sigma": sigmas[setting]}
    assert report.C == C_GRID[cost]
    machine = SVC(C=report.C, kernel="precomputed")
    gram = np.exp(-D / (2 * sigmas[setting] ** 2))
    machine.fit(gram[np.ix_(TRAIN, TRAIN)], LABELS[TRAIN])
    expected = machine.predict(gram[np.ix_(TEST, TRAIN)])
    assert (report.predictions == expected).all()
    assert report.accuracy == np.mean(expected == LABELS[TEST]) > 0.8
    assert report.confusion.sum() == len(TEST)
    assert np.trace(report.confusion) == report.accuracy * len(TEST)
    assert report.gram_seconds > 0
    assert report.tuning_seconds > 0


def test_threads_change_nothing():
    alone = tune_on_distances(D, LABELS, TRAIN, TEST)
    both = tune_on_distances(D, LABELS, TRAIN, TEST, n_jobs=2)
    assert (alone.grid.accuracies == both.grid.accuracies).all()


def test_equally_good_parameters_give_the_middle():
    accuracies = np.zeros((3, 2, 1))
    accuracies[1] = accuracies[2, 0] = 0.9
    grid = GridScores(({}, {}, {}), np.array([1.0, 2.0]), accuracies)
    assert grid.best == (1, 1)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=list(KERNELS))
def test_no_test_sample_is_looked_at_in_tuning(kernel):
    """Whatever the test samples and their labels are, the choice is the same."""
    poisoned = list(X)
    labels = LABELS.copy()
    for index in TEST:
        poisoned[index] = np.array([[0.0, 50.0 + index], [3.0, 1000.0]])
        labels[index] = "a"
    if kernel is KERNELS["random"]:
        kernel = SlicedWassersteinKernel(n_directions=6, rule="random", random_state=0)
    reports = [
        evaluate_kernel(
            kernel, samples, y, splits=[(TRAIN, TEST)], C=(1, 100), n_splits=3
        ).runs[0]
        for samples, y in ((X, LABELS), (poisoned, labels))
    ]
    assert (reports[0].grid.accuracies == reports[1].grid.accuracies).all()
    assert reports[0].parameters == reports[1].parameters
    assert reports[0].C == reports[1].C
    assert reports[0].accuracy > 0.8


@pytest.mark.parametrize(
    ("name", "n_settings"),
    [("SW", 15), ("embedding", 15), ("d1", 15), ("PSS", 13), ("PWG", 125)],
)
def test_protocol_for_every_kernel(name, n_settings):
    report = evaluate_kernel(KERNELS[name], X, LABELS, **SMALL)
    assert len(report.runs) == 2
    assert report.runs[0].grid.accuracies.shape == (n_settings, 2, 3)
    assert report.accuracy == pytest.approx(report.accuracies.mean())
    assert report.spread == pytest.approx(report.accuracies.std(ddof=1))
    assert report.accuracy > 0.7
    assert report.confusion.sum() == sum(len(run.test) for run in report.runs)
    assert report.gram_seconds > 0
    assert report.tuning_seconds > 0
    assert report.kernel == type(KERNELS[name]).__name__
    assert not set(report.runs[0].train) & set(report.runs[0].test)


def test_the_125_settings_of_pwg():
    report = evaluate_kernel(
        KERNELS["PWG"], X, LABELS, C=(1,), n_splits=2, n_runs=1, test_size=0.5
    )
    settings = report.runs[0].grid.settings
    taus = sorted({setting["tau"] for setting in settings})
    np.testing.assert_allclose(np.array(taus) / taus[2], FACTORS)
    assert len({(s["K"][None], s["rho"][None], s["tau"]) for s in settings}) == 125
    assert {setting["p"] for setting in settings} == {2}


def test_all_kernels_get_the_same_splits():
    first = evaluate_kernel(KERNELS["SW"], X, LABELS, **SMALL)
    second = evaluate_kernel(KERNELS["PSS"], X, LABELS, **SMALL)
    for ours, theirs in zip(first.runs, second.runs, strict=True):
        assert (ours.train == theirs.train).all()


def test_sets_of_several_dimensions_with_numbers_as_labels():
    both = DiagramSet({0: X, 1: X[::-1]}, labels=np.repeat([2.5, 3.5, 4.1], 12))
    for kernel in (
        SlicedWassersteinKernel(n_directions=3, combine="mean"),
        SlicedWassersteinKernel(n_directions=3, method="embedding"),
        PersistenceScaleSpaceKernel(),
        PersistenceWeightedGaussianKernel(p=2),
    ):
        report = evaluate_kernel(kernel, both, C=(10,), n_splits=2, n_runs=1)
        assert report.accuracy > 0.7
        assert report.runs[0].classes.tolist() == [2.5, 3.5, 4.1]
        assert set(report.runs[0].predictions) <= {2.5, 3.5, 4.1}


@pytest.mark.parametrize("method", ["slices", "embedding"])
def test_dimensions_are_weighed_in_training(method):
    """Dimension 0 says nothing and is a hundred times larger than dimension 1."""
    noise = [100 * np.sort(RNG.random((8, 2)), axis=1) for _ in X]
    both = DiagramSet({0: noise, 1: X}, labels=LABELS)
    kernel = SlicedWassersteinKernel(n_directions=4, method=method)
    options = {"C": (10,), "n_splits": 4, "n_runs": 2, "random_state": 1}
    plain = evaluate_kernel(kernel, both, **options)
    weighed = evaluate_kernel(kernel, both, factors=(0, 0.5, 1), **options)
    assert weighed.accuracy > plain.accuracy + 0.2
    for run in weighed.runs:
        settings = run.grid.settings
        # (0, 1), (1/2, 1), (1, 1), (1, 1/2) and (1, 0), times the medians.
        assert len(settings) == 5 * 15
        some = {tuple(s["weights"].values()) for s in settings}
        assert len(some) == 5
        # The machine can be made again from the parameters in the report.
        again = clone(kernel).set_params(**run.parameters).fit(both[run.train])
        machine = SVC(C=run.C, kernel="precomputed")
        machine.fit(again.transform(both[run.train]), LABELS[run.train])
        predicted = machine.predict(again.transform(both[run.test]))
        assert (predicted == run.predictions).all()


def test_weights_are_learnt_from_training_samples_only():
    noise = [np.sort(RNG.random((5, 2)), axis=1) for _ in X]
    options = {"factors": (0, 1), "C": (10,), "n_splits": 2}
    options |= {"splits": [(np.arange(0, 36, 2), np.arange(1, 36, 2))]}
    moved = [d * 50 if index % 2 else d for index, d in enumerate(noise)]
    for method in ("slices", "embedding"):
        kernel = SlicedWassersteinKernel(n_directions=4, method=method)
        first, second = (
            evaluate_kernel(kernel, DiagramSet({0: some, 1: X}), LABELS, **options)
            for some in (noise, moved)
        )
        assert first.runs[0].grid.settings == second.runs[0].grid.settings


@pytest.mark.parametrize("name", ["SW", "PSS", "PWG"])
def test_progress_and_cancelling(name):
    calls = []
    evaluate_kernel(
        KERNELS[name],
        X,
        LABELS,
        **SMALL,
        progress=lambda done, total: calls.append((done, total)),
    )
    assert calls == sorted(calls)
    assert calls[-1] == (1000, 1000)
    assert len(calls) > 20

    class CancelledError(Exception):
        pass

    def cancel(done, total):
        if done > 400:
            raise CancelledError

    with pytest.raises(CancelledError):
        evaluate_kernel(KERNELS[name], X, LABELS, **SMALL, progress=cancel)


def test_one_machine_from_all_sides():
    gram = kernel_from_distances(D, 1.0)
    found = evaluate_svm(gram, LABELS, TRAIN, TEST, C=10, n_splits=5)
    machine = SVC(C=10, kernel="precomputed")
    machine.fit(gram[np.ix_(TRAIN, TRAIN)], LABELS[TRAIN])
    outer = gram[np.ix_(TEST, TRAIN)]
    assert (found.predictions == machine.predict(outer)).all()
    np.testing.assert_allclose(found.decision_values, machine.decision_function(outer))
    assert found.test_accuracy == machine.score(outer, LABELS[TEST])
    assert found.train_accuracy == machine.score(
        gram[np.ix_(TRAIN, TRAIN)], LABELS[TRAIN]
    )
    assert (found.support == TRAIN[machine.support_]).all()
    assert found.confusion.sum() == len(TEST)
    assert 0.6 < found.cv_accuracy <= 1
    assert found.cv_spread >= 0
    assert np.isnan(evaluate_svm(gram, LABELS, TRAIN, TEST).cv_accuracy)


def test_two_classes_and_classes_that_only_the_test_set_has():
    gram = kernel_from_distances(D, 1.0)
    two = np.where(LABELS == "a", "a", "b")
    found = evaluate_svm(gram, two, TRAIN, TEST, C=10)
    assert found.decision_values.shape == (len(TEST), 2)
    chosen = found.decision_values.argmax(axis=1)
    assert (found.classes[chosen] == found.predictions).all()
    known = TRAIN[LABELS[TRAIN] != "c"]
    found = evaluate_svm(gram, LABELS, known, TEST)
    assert np.isneginf(found.decision_values[:, 2]).all()
    assert found.confusion[2].sum() == np.sum(LABELS[TEST] == "c")
    masks = np.isin(np.arange(36), TRAIN), np.isin(np.arange(36), TEST)
    assert evaluate_svm(gram, LABELS, *masks).test_accuracy > 0.5


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"gram": [[1, 2]]}, "gram must be a square"),
        ({"gram": np.full((36, 36), np.nan)}, "infinite or NaN"),
        ({"labels": ["a"] * 36}, "two classes"),
        ({"labels": ["a", "b"]}, "36 samples"),
        ({"labels": None}, "no labels"),
        ({"train": []}, "train must hold"),
        ({"train": [0, 0, 13]}, "none twice"),
        ({"train": [0, 99]}, "below 36"),
        ({"train": [0, 1, 2]}, "two classes"),
        ({"C": 0}, "C must be"),
    ],
)
def test_bad_input_of_one_machine(changes, words):
    good = {"gram": np.eye(36), "labels": LABELS, "train": TRAIN, "test": TEST}
    with pytest.raises(ParameterError, match=words):
        evaluate_svm(**{**good, **changes})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"labels": None}, "no labels"),
        ({"labels": ["a"] * 36}, "two classes"),
        ({"labels": ["a"]}, "36 samples"),
        ({"kernel": UniversalKernel()}, "no grid for UniversalKernel"),
        ({"kernel": SlicedWassersteinKernel(n_directions=0)}, "n_directions"),
        ({"factors": (0, -1)}, "factors of the dimensions"),
        ({"factors": (0,)}, "factors of the dimensions"),
        ({"factors": ()}, "factors of the dimensions"),
        (
            {"kernel": PersistenceScaleSpaceKernel(), "factors": (0, 1)},
            "not made of a distance",
        ),
        ({"C": ()}, "C is empty"),
        ({"C": (1, -1)}, "C must be"),
        ({"splits": [([0, 20], [0, 1])]}, "in common"),
        ({"splits": [([0, 1, 2, 3], [20])]}, "two classes"),
        ({"X": [X[0]] * 36}, "they are equal"),
        ({"X": [], "labels": []}, "two classes"),
    ],
)
def test_bad_input_of_the_protocol(changes, words):
    good = {"kernel": KERNELS["SW"], "X": X, "labels": LABELS, "n_splits": 2}
    with pytest.raises(SwvizError, match=words):
        evaluate_kernel(**{**good, **changes})
    with pytest.raises(ParameterError, match="square"):
        tune_on_distances(D[:3], LABELS, TRAIN, TEST)
    with pytest.raises(ParameterError, match="sigma must be"):
        tune_on_distances(D, LABELS, TRAIN, TEST, sigmas=[0.0])


def test_two_samples_can_be_learnt_from_but_not_tuned_on():
    found = evaluate_svm(np.eye(3), ["a", "b", "a"], [0, 1], [2])
    assert found.train_accuracy == 1
    with pytest.raises(ParameterError, match="at least two diagrams"):
        tune_on_distances(1 - np.eye(2), ["a", "b"], [0], [1])


def test_a_small_version_of_the_orbit_task():
    """12 orbits of 300 points in each of the paper's five classes; chance is 20%."""
    data = orbits(n_orbits=12, n_points=300, cache=False)
    kernel = SlicedWassersteinKernel(n_directions=6, method="embedding")
    report = evaluate_kernel(kernel, data, n_runs=3, n_splits=5)
    assert report.accuracy > 0.5
