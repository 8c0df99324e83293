"""Manners of scikit-learn, on lists of diagrams and on `DiagramSet`."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import issparse
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted, validate_data

from swviz import (
    DiagramDistanceKernel,
    DiagramError,
    DiagramSet,
    ParameterError,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinEmbedding,
    SlicedWassersteinKernel,
    SwvizError,
    UniversalKernel,
    diagram_distance_matrix,
    mmd_test,
    sliced_wasserstein_matrix,
)
from swviz.kernels import pwg_heuristics
from swviz.learning import (
    DiagramClassifier,
    NearestSlicedMean,
    SlicedWassersteinFeatures,
    evaluate_kernel,
    prepare,
    save_classifier,
)
from swviz.studies import PairDistances, distances_by_directions
from tests.learning_data import LABELS, SET, TEST, TRAIN

H0, H1 = SET.in_dimension(0), SET.in_dimension(1)
TRANSFORMERS = {
    "SW": SlicedWassersteinKernel(n_directions=4),
    "exact": SlicedWassersteinKernel(n_directions="exact"),
    "embedding kernel": SlicedWassersteinKernel(
        n_directions=4, method="embedding", n_bins=16
    ),
    "d1": DiagramDistanceKernel(),
    "PSS": PersistenceScaleSpaceKernel(),
    "PWG": PersistenceWeightedGaussianKernel(),
    "universal": UniversalKernel(SlicedWassersteinKernel(n_directions=4)),
    "universal, default": UniversalKernel(),
    "embedding": SlicedWassersteinEmbedding(4, 16),
    "features": SlicedWassersteinFeatures(
        1.0, n_components=5, n_directions=4, n_bins=16, random_state=0
    ),
}
CLASSIFIERS = {
    "classifier": DiagramClassifier(SlicedWassersteinKernel(n_directions=2)),
    "nearest mean": NearestSlicedMean(2, n_steps=1),
}
KERNEL_OF_CLASSIFIER = SlicedWassersteinKernel(0.5, 4, method="embedding", n_bins=32)
RNG = np.random.default_rng(0)
every_transformer = pytest.mark.parametrize(
    "transformer", TRANSFORMERS.values(), ids=TRANSFORMERS
)


# scikit-learn's own checks bring rows of features, and by its tags an estimator here
# takes lists of diagrams. So each is dressed up as one that takes rows: a row becomes a
# diagram with a point for each feature, and nothing but the number of features, which
# diagrams do not have, is checked on the way.

IN_OTHER_WORDS = "is refused, in other words than scikit-learn's own"
EXCEPTIONS = {
    "check_dtype_object": f"an array of objects that are no numbers {IN_OTHER_WORDS}",
    "check_estimators_empty_data_messages": "a row without features is a diagram: the "
    "empty one",
    "check_fit2d_predict1d": f"a single row, which is no list, {IN_OTHER_WORDS}",
}
EXCEPTIONS_OF_CLASSIFIERS = {
    "check_classifiers_regression_target": "labels such as 2.5, the parameter of an "
    "orbit, are classes here",
    "check_supervised_y_2d": f"a column of labels {IN_OTHER_WORDS}",
}


def rows_as_diagrams(estimator, X, reset=False):
    if isinstance(X, DiagramSet) or issparse(X):
        return X
    if isinstance(X, list) and X and isinstance(X[0], np.ndarray):
        return X
    values = np.asarray(X)
    if values.ndim != 2:
        return X
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    deaths = values
    if values.dtype != object:
        deaths = values + np.arange(1, 1 + values.shape[1])
    return list(np.stack([values, deaths], axis=2))


class OfRows:
    def fit(self, X, y=None):
        return super().fit(rows_as_diagrams(self, X, reset=True), y)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.three_d_array = False
        if isinstance(self, NearestSlicedMean):
            # Of rows as diagrams no mean, not that of coordinates either, tells more
            # than three of four: classes are wider than their means are apart.
            tags.classifier_tags.poor_score = True
        return tags


class TransformsRows(OfRows):
    def fit_transform(self, X, y=None):
        return super().fit_transform(rows_as_diagrams(self, X, reset=True), y)

    def transform(self, X):
        check_is_fitted(self)
        return super().transform(rows_as_diagrams(self, X))


class ClassifiesRows(OfRows):
    def predict(self, X):
        check_is_fitted(self)
        return super().predict(rows_as_diagrams(self, X))

    def decision_function(self, X):
        check_is_fitted(self)
        return super().decision_function(rows_as_diagrams(self, X))

    def score(self, X, y=None):
        return super().score(rows_as_diagrams(self, X), y)


def dressed(estimator):
    """Make an estimator like this one, but for rows of features."""
    kind = type(estimator)
    name = f"{kind.__name__}OfRows"
    if name not in globals():
        dress = TransformsRows if hasattr(estimator, "transform") else ClassifiesRows
        body = {"__init__": kind.__init__, "__module__": __name__}
        globals()[name] = type(name, (dress, kind), body)
    return globals()[name](**estimator.get_params(deep=False))


@pytest.mark.parametrize(
    "estimator",
    [*TRANSFORMERS.values(), *CLASSIFIERS.values()],
    ids=[*TRANSFORMERS, *CLASSIFIERS],
)
def test_the_checks_of_scikit_learn(estimator):
    expected = dict(EXCEPTIONS)
    if is_classifier(estimator):
        expected |= EXCEPTIONS_OF_CLASSIFIERS
    results = check_estimator(
        dressed(estimator), expected_failed_checks=expected, on_skip=None
    )
    by_status = {
        status: {one["check_name"] for one in results if one["status"] == status}
        for status in ("passed", "xfail", "skipped")
    }
    assert len(by_status["passed"]) >= 40
    # An exception that is no longer needed has to go.
    assert by_status["xfail"] == set(expected)
    assert by_status["skipped"] <= {"check_array_api_input"}


@pytest.mark.parametrize(
    "estimator", [*TRANSFORMERS.values(), *CLASSIFIERS.values()], ids=str
)
def test_tags_say_what_the_input_is(estimator):
    tags = get_tags(estimator)
    assert not tags.input_tags.two_d_array
    assert tags.input_tags.three_d_array
    assert not tags.no_validation
    estimator = clone(estimator).fit(np.sort(RNG.random((6, 3, 2)), axis=2), [0, 1] * 3)
    for attribute in ("feature_names_in_", "n_features_in_"):
        assert not hasattr(estimator, attribute)


# Sets and lists in scikit-learn's splits.


@pytest.mark.parametrize("samples", [SET, H0, list(SET)], ids=["set", "list", "sets"])
def test_cross_validation(samples):
    machine = DiagramClassifier(SlicedWassersteinKernel(0.5, 4), C=10.0)
    scores = cross_val_score(machine, samples, LABELS, cv=3, error_score="raise")
    assert scores.mean() > 0.8
    by_default = cross_val_score(
        DiagramClassifier(), samples, LABELS, error_score="raise"
    )
    assert len(by_default) == 5


def test_cross_validation_with_labels_that_look_like_a_regression():
    numbers = np.select([LABELS == "a", LABELS == "b"], [2.5, 3.5], 4.3)
    folds = KFold(4, shuffle=True, random_state=0)
    machine = DiagramClassifier(SlicedWassersteinKernel(0.5, 4), C=10.0)
    scores = cross_val_score(machine, SET, numbers, cv=folds, error_score="raise")
    assert scores.mean() > 0.6


def test_splitting_a_set_gives_sets():
    train, test, y_train, y_test = train_test_split(
        SET, LABELS, stratify=LABELS, random_state=0
    )
    for part, labels in ((train, y_train), (test, y_test)):
        assert isinstance(part, DiagramSet)
        assert part.dimensions == SET.dimensions
        assert part.labels.tolist() == labels.tolist()
        for name, own in zip(part.names, part.in_dimension(1), strict=True):
            assert own.tolist() == H1[SET.names.index(name)].tolist()
    (only,) = train_test_split(SET, test_size=2)[1:]
    assert isinstance(only, DiagramSet) and len(only) == 2
    with pytest.raises(DiagramError, match=r"in_dimension\(k\)"):
        np.asarray(SET)


@pytest.mark.parametrize(
    "machine",
    [
        DiagramClassifier(),
        make_pipeline(UniversalKernel(), SVC(kernel="precomputed")),
        make_pipeline(
            UniversalKernel(SlicedWassersteinKernel()), SVC(kernel="precomputed")
        ),
    ],
    ids=["classifier", "universal", "universal, given"],
)
def test_the_kernel_inside_can_be_tuned(machine):
    inside = "" if isinstance(machine, DiagramClassifier) else "universalkernel__"
    assert f"{inside}kernel__sigma" in machine.get_params()
    search = GridSearchCV(
        machine,
        {f"{inside}kernel__sigma": [0.5, 1e5], f"{inside}kernel__n_directions": [4]},
        cv=3,
        error_score="raise",
    ).fit(SET, LABELS)
    assert search.best_params_[f"{inside}kernel__sigma"] == 0.5
    small, large = search.cv_results_["mean_test_score"]
    assert small > large + 0.2
    assert search.score(SET, LABELS) > 0.8


def test_the_default_kernel_inside_stays_none_until_it_is_set():
    assert UniversalKernel().kernel is None
    assert clone(UniversalKernel()).kernel is None
    assert "kernel__sigma" not in UniversalKernel().get_params(deep=False)
    changed = UniversalKernel().set_params(kernel__sigma=3.0)
    assert changed.kernel.sigma == 3.0
    other = UniversalKernel().set_params(
        kernel=PersistenceScaleSpaceKernel(), kernel__t=2.0
    )
    assert other.kernel.t == 2.0
    with pytest.raises(ValueError, match="Invalid parameter 'width'"):
        UniversalKernel().set_params(kernel__width=1.0)


# Decision values.


def test_decision_function():
    kernel = SlicedWassersteinKernel(0.5, 4)
    three = DiagramClassifier(kernel, C=10.0).fit(SET[TRAIN])
    values = three.decision_function(SET[TEST])
    assert values.shape == (len(TEST), 3)
    np.testing.assert_array_equal(values, three.answer(SET[TEST]).decision_values)
    np.testing.assert_array_equal(
        three.classes_[values.argmax(axis=1)], three.predict(SET[TEST])
    )
    labels = np.where(LABELS == "a", "small", "large")
    two = DiagramClassifier(kernel, C=10.0).fit(SET[TRAIN], labels[TRAIN])
    values = two.decision_function(SET[TEST])
    assert values.shape == (len(TEST),)
    np.testing.assert_array_equal(
        two.classes_[(values > 0).astype(int)], two.predict(SET[TEST])
    )
    scores = cross_val_score(
        two, SET, labels, scoring="roc_auc", cv=3, error_score="raise"
    )
    assert scores.min() > 0.9
    with pytest.raises(NotFittedError):
        DiagramClassifier().decision_function(SET)


def test_score_takes_the_labels_of_the_set():
    machine = DiagramClassifier(SlicedWassersteinKernel(0.5, 4), C=10.0).fit(SET[TRAIN])
    right = machine.predict(SET[TEST]) == LABELS[TEST]
    assert machine.score(SET[TEST]) == right.mean()
    weights = np.arange(len(TEST))
    weighted = machine.score(SET[TEST], LABELS[TEST], weights)
    assert weighted == pytest.approx(right @ weights / weights.sum())
    with pytest.raises(ParameterError, match="there are 24 samples"):
        machine.score(SET, LABELS[:3])


# Names of features, and frames.


@every_transformer
def test_names_of_features_and_frames(transformer):
    plain = clone(transformer).fit_transform(H1)
    framed = clone(transformer).set_output(transform="pandas")
    for frame in (framed.fit_transform(H1), framed.transform(H1)):
        assert isinstance(frame, pd.DataFrame)
        np.testing.assert_array_equal(frame.to_numpy(), plain)
        assert frame.columns.tolist() == framed.get_feature_names_out().tolist()
    names = framed.get_feature_names_out()
    assert names[0] == type(transformer).__name__.lower() + "0"
    assert len(set(names)) == plain.shape[1]
    with pytest.raises(NotFittedError):
        clone(transformer).get_feature_names_out()


@every_transformer
def test_frames_everywhere_change_no_number(transformer):
    expected = clone(transformer).fit(H1).transform(H0)
    machine = DiagramClassifier(KERNEL_OF_CLASSIFIER, C=10.0).fit(SET[TRAIN])
    with config_context(transform_output="pandas"):
        found = clone(transformer).fit(H1).transform(H0)
        again = DiagramClassifier(KERNEL_OF_CLASSIFIER, C=10.0).fit(SET[TRAIN])
        report = evaluate_kernel(KERNEL_OF_CLASSIFIER, SET, n_runs=1, n_splits=2)
    np.testing.assert_array_equal(found.to_numpy(), expected)
    np.testing.assert_array_equal(
        again.decision_function(SET[TEST]), machine.decision_function(SET[TEST])
    )
    assert report.accuracy > 0.5


def test_features_feed_linear_models():
    machine = make_pipeline(
        SlicedWassersteinFeatures(0.5, n_bins=32, random_state=0),
        LogisticRegression(C=100.0),
    ).set_output(transform="pandas")
    scores = cross_val_score(machine, SET, LABELS, cv=3, error_score="raise")
    assert scores.mean() > 0.6
    assert machine.fit(SET, LABELS)[-1].feature_names_in_[0].endswith("features0")


# Generators, which can be read once.


@every_transformer
def test_a_generator_is_read_once(transformer):
    expected = clone(transformer).fit_transform(H1)
    found = clone(transformer).fit_transform(diagram for diagram in H1)
    np.testing.assert_array_equal(found, expected)
    used = iter(H1)
    fitted = clone(transformer).fit(used)
    with pytest.raises(DiagramError, match="nothing left in this iterator"):
        fitted.transform(used)
    pipeline = make_pipeline(clone(transformer), SVC())
    pipeline.fit((diagram for diagram in H1), LABELS)


def test_generators_elsewhere():
    kernel = SlicedWassersteinKernel(n_directions=4)
    expected = kernel.gram(H1)
    np.testing.assert_array_equal(kernel.gram(iter(H1)), expected)
    np.testing.assert_array_equal(prepare(kernel, iter(H1)).gram(1.0), expected)
    np.testing.assert_array_equal(
        sliced_wasserstein_matrix(iter(H1)), sliced_wasserstein_matrix(H1)
    )
    report = evaluate_kernel(kernel, iter(H1), LABELS, n_runs=1, n_splits=2)
    again = evaluate_kernel(kernel, H1, LABELS, n_runs=1, n_splits=2)
    assert report.accuracy == again.accuracy
    assert pwg_heuristics(iter(H1)) == pwg_heuristics(H1)
    machine = DiagramClassifier(kernel).fit(iter(H1), LABELS)
    assert machine.score(iter(H1), LABELS) > 0.5
    for _, distances in distances_by_directions(kernel, iter(H1), [1, 2]):
        assert distances.shape == (1, len(H1), len(H1))
    used = iter(H1)
    list(used)
    for call in (
        kernel.gram,
        kernel.fit,
        machine.predict,
        sliced_wasserstein_matrix,
        diagram_distance_matrix,
        lambda X: DiagramSet({0: X}),
        lambda X: prepare(kernel, X),
        lambda X: evaluate_kernel(kernel, X, LABELS),
        lambda X: mmd_test(X, H0),
        PairDistances,
    ):
        with pytest.raises(DiagramError, match="nothing left in this iterator"):
            call(used)


# Homology dimensions.


@every_transformer
def test_dimensions_are_not_mixed(transformer):
    zero, one = DiagramSet({0: H0}), DiagramSet({1: H1})
    fitted = clone(transformer).fit(zero)
    for other in (one, list(one)):
        with pytest.raises(DiagramError, match=r"dimension.* 1|\[1\]") as caught:
            fitted.transform(other)
        assert "0" in str(caught.value)
    # Plain lists do not say their dimension.
    np.testing.assert_array_equal(fitted.transform(H0), fitted.transform(zero))
    plain = clone(transformer).fit(H0)
    np.testing.assert_array_equal(plain.transform(one), plain.transform(H1))
    np.testing.assert_array_equal(plain.transform(H0), fitted.transform(H0))


def test_dimensions_are_not_mixed_elsewhere():
    zero, one = DiagramSet({0: H0}), DiagramSet({1: H1})
    kernel = SlicedWassersteinKernel(n_directions=4)
    machine = DiagramClassifier(kernel).fit(zero, LABELS)
    for call in (
        lambda: kernel.gram(zero, one),
        lambda: kernel.distances(zero, one),
        lambda: kernel(zero[0], one[0]),
        lambda: sliced_wasserstein_matrix(zero, one),
        lambda: diagram_distance_matrix(zero, one),
        lambda: sliced_wasserstein_matrix([zero[0], one[0]]),
        lambda: machine.predict(one),
        lambda: mmd_test(zero, one),
        lambda: SlicedWassersteinEmbedding().fit(zero).error_bounds(one),
    ):
        with pytest.raises(SwvizError, match="dimension"):
            call()
    with pytest.raises(DiagramError, match="mixes plain diagrams"):
        sliced_wasserstein_matrix([zero[0], H0[1]])


def test_bins_of_a_list_serve_a_set_of_one_dimension():
    kernel = SlicedWassersteinKernel(n_directions=4, method="embedding", n_bins=4)
    few = clone(kernel).fit(H1[:2])
    expected = few.transform(H1)
    np.testing.assert_array_equal(few.transform(DiagramSet({1: H1})), expected)
    said = clone(kernel).fit(DiagramSet({1: H1[:2]}))
    np.testing.assert_array_equal(said.transform(H1), expected)


# Parameters that are set after fit.

CHANGES = {
    "SW": {"sigma": 0.3, "n_directions": 7, "rule": "diagonal"},
    "exact": {"sigma": 0.3, "n_directions": 7},
    "embedding kernel": {"sigma": 0.3, "n_directions": 7, "n_bins": 3,
                         "rule": "diagonal", "method": "slices"},
    "d1": {"sigma": 0.3, "p": 2},
    "PSS": {"t": 0.3},
    "PWG": {"K": 0.3, "rho": 0.3, "tau": 0.3, "p": 2},
    "universal": {"kernel__sigma": 0.3, "kernel__n_directions": 7,
                  "kernel": PersistenceScaleSpaceKernel(0.1)},
    "universal, default": {"kernel__sigma": 0.3},
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (name, {key: value})
        for name, own in CHANGES.items()
        for key, value in own.items()
    ],
)
def test_parameters_of_kernels_set_after_fit_take_effect(name, change):
    fitted = clone(TRANSFORMERS[name]).fit(H1)
    before = fitted.transform(H0)
    after = fitted.set_params(**change).transform(H0)
    expected = clone(TRANSFORMERS[name]).set_params(**change).fit(H1).transform(H0)
    np.testing.assert_array_equal(after, expected)
    assert not np.array_equal(after, before)


def test_parameters_of_an_embedding_inside_of_a_universal_kernel_take_effect():
    inside = clone(TRANSFORMERS["embedding kernel"])
    fitted = UniversalKernel(inside).fit(H1)
    before = fitted.transform(H0)
    after = fitted.set_params(kernel__n_bins=3).transform(H0)
    expected = UniversalKernel(clone(inside).set_params(n_bins=3)).fit(H1).transform(H0)
    np.testing.assert_array_equal(after, expected)
    assert not np.array_equal(after, before)


@pytest.mark.parametrize(
    "kernel",
    [
        SlicedWassersteinKernel(n_directions=3, rule="random"),
        SlicedWassersteinKernel(n_directions=3, rule="random", method="embedding"),
        UniversalKernel(SlicedWassersteinKernel(n_directions=3, rule="random")),
        PersistenceWeightedGaussianKernel(method="fourier", n_features=9),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "random_state",
    [None, np.random.RandomState(0), np.random.default_rng(0)],
    ids=["None", "RandomState", "Generator"],
)
def test_a_random_kernel_is_one_kernel(kernel, random_state):
    inside = "kernel__" if isinstance(kernel, UniversalKernel) else ""
    kernel = clone(kernel).set_params(**{f"{inside}random_state": random_state})
    unfitted = clone(kernel)
    gram = unfitted.gram(SET)
    np.testing.assert_array_equal(unfitted.gram(SET), gram)
    value = unfitted(SET[0], SET[1])
    assert unfitted(SET[0], SET[1]) == value
    if kernel.get_params().get("method") != "embedding":  # bins by these two diagrams
        assert value == pytest.approx(gram[0, 1])
    fitted = clone(kernel).fit(SET)
    np.testing.assert_array_equal(fitted.transform(SET), fitted.gram(SET))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(fitted)).transform(SET), fitted.transform(SET)
    )
    # Another seed, set after fit, takes effect.
    set_later = fitted.set_params(**{f"{inside}random_state": 5}).transform(SET)
    at_once = clone(kernel).set_params(**{f"{inside}random_state": 5}).fit(SET)
    np.testing.assert_array_equal(set_later, at_once.transform(SET))


def test_every_fit_draws_anew():
    kernel = SlicedWassersteinKernel(rule="random", n_directions=2, random_state=None)
    assert not np.array_equal(kernel.fit(H1).gram(H1), kernel.fit(H1).gram(H1))


@pytest.mark.parametrize(
    ("estimator", "change"),
    [
        (SlicedWassersteinEmbedding(4, 16), {"n_bins": 8}),
        (SlicedWassersteinEmbedding(4, 16), {"n_directions": 5}),
        (SlicedWassersteinEmbedding(4, 16), {"rule": "diagonal"}),
        (SlicedWassersteinEmbedding(4, 16), {"random_state": 1}),
        (SlicedWassersteinFeatures(1.0, 5), {"sigma": 2.0}),
        (SlicedWassersteinFeatures(1.0, 5), {"n_components": 2}),
        (DiagramClassifier(), {"C": 2.0}),
        (NearestSlicedMean(4), {"n_directions": 5}),
        (NearestSlicedMean(4), {"rule": "paper"}),
        (DiagramClassifier(), {"kernel__sigma": 2.0}),
        (DiagramClassifier(), {"kernel": PersistenceScaleSpaceKernel()}),
        (DiagramClassifier(SlicedWassersteinKernel()), {"kernel__sigma": 2.0}),
    ],
    ids=str,
)
def test_parameters_that_would_be_ignored_after_fit_are_refused(
    estimator, change, tmp_path
):
    estimator = clone(estimator).fit(H1, LABELS)
    use = estimator.transform if hasattr(estimator, "transform") else estimator.predict
    use(H0)
    before = {name: estimator.get_params().get(name) for name in change}
    estimator.set_params(**change)
    with pytest.raises(ParameterError, match=r"changed since fit.*fit again"):
        use(H0)
    if isinstance(estimator, DiagramClassifier):
        with pytest.raises(ParameterError, match="changed since fit"):
            save_classifier(estimator, tmp_path / "machine.npz")
    estimator.fit(H1, LABELS)
    use(H0)
    if None not in before.values():
        estimator.set_params(**before).fit(H1, LABELS)
        use(H0)


def test_the_number_of_workers_may_change_after_fit():
    features = SlicedWassersteinFeatures(1.0, 5, random_state=0).fit(H1)
    expected = features.transform(H0)
    np.testing.assert_array_equal(features.set_params(n_jobs=2).transform(H0), expected)
    machine = DiagramClassifier().fit(H1, LABELS)
    expected = machine.predict(H0)
    assert (machine.set_params(kernel__n_jobs=2).predict(H0) == expected).all()


def test_the_kernel_of_every_bandwidth_has_the_same_random_directions():
    kernel = SlicedWassersteinKernel(n_directions=2, rule="random")
    ready = prepare(kernel, H1)
    np.testing.assert_array_equal(ready.at(0.5).gram(H1), ready.gram(0.5))


def test_all_pairs_have_the_same_random_directions():
    for random_state in (None, np.random.RandomState(0), np.random.default_rng(0)):
        pairs = PairDistances(
            H1, n_directions=1, rule="random", random_state=random_state
        )
        found = pairs.run().matrices()[1]
        expected = sliced_wasserstein_matrix(
            H1, n_directions=1, rule="random", random_state=pairs.random_state
        )
        np.testing.assert_allclose(found, expected, atol=1e-12)
