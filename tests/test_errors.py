"""Bad input is normal input: one family of errors, each with its cure."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

import swviz as sw
from swviz import DiagramError, ParameterError, SwvizError
from swviz.errors import shown
from swviz.kernels import kernel_from_distances, pwg_heuristics
from swviz.learning import (
    DiagramClassifier,
    NearestSlicedMean,
    SlicedWassersteinFeatures,
    evaluate_kernel,
    evaluate_svm,
    mmd_between_classes,
    mmd_from_gram,
    prepare,
    random_splits,
    save_classifier,
    tune_on_distances,
)
from swviz.studies import PairDistances
from tests.learning_data import LABELS, SET, TEST, TRAIN

H0, H1 = SET.in_dimension(0), SET.in_dimension(1)
D = sw.sliced_wasserstein_matrix(H1, n_directions=4)
GRAM = kernel_from_distances(D)
KERNELS = {
    "SW": sw.SlicedWassersteinKernel,
    "d1": sw.DiagramDistanceKernel,
    "PSS": sw.PersistenceScaleSpaceKernel,
    "PWG": sw.PersistenceWeightedGaussianKernel,
}
FITTED = SlicedWassersteinFeatures().fit(H1)
HUGE = 10**400


# The number of workers.


@pytest.mark.parametrize("n_jobs", [0, 1.5, "x", True, np.float64(2)])
@pytest.mark.parametrize(
    "call",
    [
        *(
            pytest.param(lambda n, k=k: k(n_jobs=n).fit(H1).transform(H0), id=name)
            for name, k in KERNELS.items()
        ),
        pytest.param(
            lambda n: sw.PersistenceWeightedGaussianKernel(
                method="fourier", n_jobs=n
            ).gram(H1),
            id="PWG, Fourier",
        ),
        pytest.param(
            lambda n: sw.UniversalKernel(sw.SlicedWassersteinKernel(n_jobs=n)).gram(H1),
            id="universal",
        ),
        pytest.param(
            lambda n: SlicedWassersteinFeatures(n_jobs=n).fit(H1), id="features"
        ),
        pytest.param(
            lambda n: FITTED.set_params(n_jobs=n).transform(H1),
            id="features later",
        ),
        pytest.param(
            lambda n: evaluate_kernel(sw.SlicedWassersteinKernel(), SET, n_jobs=n),
            id="evaluate_kernel",
        ),
        pytest.param(
            lambda n: tune_on_distances(D, LABELS, TRAIN, TEST, n_jobs=n), id="tune"
        ),
        pytest.param(lambda n: PairDistances(H1).run(n_jobs=n), id="pairs"),
        pytest.param(lambda n: sw.sliced_wasserstein_matrix(H1, n_jobs=n), id="matrix"),
        pytest.param(lambda n: sw.sliced_mean(H1, n_jobs=n), id="mean"),
        pytest.param(
            lambda n: NearestSlicedMean(n_jobs=n).fit(H1, LABELS), id="nearest mean"
        ),
        pytest.param(lambda n: sw.sources.orbits(n_orbits=1, n_jobs=n), id="orbits"),
    ],
)  # fmt: skip
def test_the_number_of_workers(call, n_jobs):
    with pytest.raises(ParameterError, match="n_jobs must be"):
        call(n_jobs)


# Numbers.


@pytest.mark.parametrize(
    "value", [HUGE, 10**5000, -1, 0, np.nan, np.inf, "x", None, True, 1j, [1.0]],
    ids=lambda value: shown(value)[:10],
)  # fmt: skip
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("sigma", lambda v: sw.SlicedWassersteinKernel(v).fit(H1)),
        ("sigma", lambda v: sw.DiagramDistanceKernel(v).gram(H1)),
        ("sigma", lambda v: kernel_from_distances(D, v)),
        ("t", lambda v: sw.PersistenceScaleSpaceKernel(v).gram(H1)),
        ("K", lambda v: sw.PersistenceWeightedGaussianKernel(v).gram(H1)),
        ("rho", lambda v: sw.PersistenceWeightedGaussianKernel(rho=v).gram(H1)),
        ("tau", lambda v: sw.PersistenceWeightedGaussianKernel(tau=v).gram(H1)),
        ("C", lambda v: DiagramClassifier(C=v).fit(H1, LABELS)),
        ("C", lambda v: evaluate_svm(GRAM, LABELS, TRAIN, TEST, C=v)),
        ("C", lambda v: evaluate_kernel(sw.SlicedWassersteinKernel(), SET, C=[v])),
        ("scale", lambda v: prepare(sw.SlicedWassersteinKernel(), H1[:2]).at(v)),
        ("sigma", lambda v: tune_on_distances(D, LABELS, TRAIN, TEST, sigmas=[v])),
        ("n_directions", lambda v: sw.sliced_wasserstein(H1[0], H1[1], v)),
        ("n_directions", lambda v: NearestSlicedMean(v).fit(H1, LABELS)),
        ("n_steps", lambda v: NearestSlicedMean(n_steps=v).fit(H1, LABELS)),
        ("n_steps", lambda v: sw.sliced_flow(H1[0], H1[1], n_steps=v)),
        ("step_size", lambda v: sw.sliced_flow(H1[0], H1[1], step_size=v)),
        ("n_starts", lambda v: sw.sliced_mean(H1, n_starts=v)),
        ("n_first", lambda v: mmd_from_gram(GRAM, v)),
    ],
)
def test_numbers_out_of_range(name, call, value):
    with pytest.raises(ParameterError, match=f"{name} must be") as caught:
        call(value)
    assert len(str(caught.value)) < 250


def test_features_take_no_bandwidth_for_their_own():
    with pytest.raises(ParameterError, match="sigma must be"):
        SlicedWassersteinFeatures(HUGE).fit(H1)


@pytest.mark.parametrize("n_first", [2.5, 1.0, 0, -3, "x", None, [4], True])
def test_the_size_of_the_first_sample(n_first):
    with pytest.raises(ParameterError, match="n_first must be a whole number"):
        mmd_from_gram(GRAM, n_first)
    with pytest.raises(ParameterError, match="at least two diagrams"):
        mmd_from_gram(GRAM, 1)
    with pytest.raises(ParameterError, match="at least two diagrams"):
        mmd_from_gram(GRAM, len(GRAM) - 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda v: sw.slice_costs(H1[0], H1[1], v),
        lambda v: sw.slice_matching(H1[0], H1[1], v),
        lambda v: kernel_from_distances([[v]]),
        lambda v: sw.sigma_grid([v]),
        lambda v: sw.rkhs_distance([[v]]),
        lambda v: mmd_from_gram([[v]], 2),
        lambda v: sw.diagram_distance(H1[0], H1[1], v),
        lambda v: sw.as_diagram([[0, v]]),
        lambda v: sw.as_diagram(np.array([[0, v]], dtype=object)),
        lambda v: sw.as_diagram([[0, np.inf]], v),
    ],
)
def test_numbers_too_large_for_a_float(call):
    with pytest.raises(SwvizError):
        call(HUGE)


def test_long_doubles_beyond_the_range_of_floats():
    with pytest.raises(DiagramError, match="rescale"):
        sw.as_diagram(np.array([[0, np.longdouble("1e400")]]))


# Homology dimensions and their weights.


@pytest.mark.parametrize("dimensions", [1, 1.5, "1", "01", True, [1.5], [True], [None]])
@pytest.mark.parametrize(
    "estimator",
    [*KERNELS.values(), SlicedWassersteinFeatures],
    ids=lambda k: k.__name__,
)
def test_dimensions_that_are_no_list(estimator, dimensions):
    with pytest.raises(ParameterError, match=r"dimensions must be a list.*\[1\]"):
        estimator(dimensions=dimensions).fit(SET)


def test_dimensions_that_are_none():
    with pytest.raises(ParameterError, match="dimensions is empty"):
        sw.SlicedWassersteinKernel(dimensions=[]).fit(SET)
    with pytest.raises(DiagramError, match="no homology dimension 5"):
        sw.SlicedWassersteinKernel(dimensions=[5]).fit(SET)
    assert sw.SlicedWassersteinKernel(dimensions=np.array([1])).fit(SET).diagrams_


@pytest.mark.parametrize("weights", [[1, 2], 3, "12", (1.0,), np.ones(2)])
@pytest.mark.parametrize("kernel", ["SW", "d1"])
def test_weights_that_are_no_mapping(kernel, weights):
    with pytest.raises(ParameterError, match=r"weights must be a mapping.*\{0: 1.0"):
        KERNELS[kernel](weights=weights).fit(SET)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({0: -1}, "the weight of dimension 0 must be"),
        ({0: "x"}, "the weight of dimension 0 must be"),
        ({1: None}, "the weight of dimension 1 must be"),
        ({1: True}, "the weight of dimension 1 must be"),
        ({1: HUGE}, "the weight of dimension 1 must be"),
        ({1: np.nan}, "the weight of dimension 1 must be"),
        ({"0": 1}, "the keys of weights must be"),
        ({True: 1}, "the keys of weights must be"),
    ],
)
def test_weights_that_are_no_weights(weights, words):
    with pytest.raises(ParameterError, match=words):
        sw.SlicedWassersteinKernel(weights=weights).fit(SET)


def test_weights_of_dimensions_that_are_not_there():
    kernel = sw.SlicedWassersteinKernel(weights={7: 5.0})
    for call in (kernel.gram, kernel.fit_transform, kernel.distances):
        with pytest.raises(ParameterError, match=r"weights .* dimensions \[7\]"):
            call(SET)
    # A list does not say its dimension.
    kernel.gram(H1)


# Labels, and the costs to choose from.


@pytest.mark.parametrize("C", [1.0, None, "abc", {1.0: 2}, iter([1.0])])
def test_costs_that_are_no_list(C):
    with pytest.raises(ParameterError, match=r"C must be a list.*\[1.0\]"):
        evaluate_kernel(sw.SlicedWassersteinKernel(), SET, C=C)
    with pytest.raises(ParameterError, match=r"C must be a list"):
        tune_on_distances(D, LABELS, TRAIN, TEST, C=C)


GAP = [None, *LABELS[1:]]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (GAP, "label 0 is missing"),
        (np.where(LABELS == "a", np.nan, 1.0), "label 0 is missing"),
        (pd.Series(GAP), "label 0 is missing"),
        (pd.Series([1] * 23 + [None], dtype="Int64"), "label 23 is missing"),
        ([None] * 24, "label 0 is missing"),
        ([object() for _ in LABELS], "cannot be put in order"),
        (np.array(["a", 1] * 12, dtype=object), "cannot be put in order"),
        (LABELS[:3], "24 samples"),
        ([[1, 2]] * 24, r"labels have shape \(24, 2\)"),
        ([[1]] * 23 + [[1, 2]], "flat list"),
        ("ab" * 12, "labels have shape"),
        (5, "labels have shape"),
    ],
    ids=range(12),
)
@pytest.mark.parametrize(
    "call",
    [
        lambda y: evaluate_kernel(sw.SlicedWassersteinKernel(), SET, y),
        lambda y: DiagramClassifier().fit(SET, y),
        lambda y: NearestSlicedMean().fit(SET, y),
        lambda y: tune_on_distances(D, y, TRAIN, TEST),
        lambda y: evaluate_svm(GRAM, y, TRAIN, TEST),
    ],
    ids=["evaluate_kernel", "classifier", "nearest mean", "tune", "evaluate_svm"],
)
def test_labels(call, labels, words):
    with pytest.raises(ParameterError, match=words):
        call(labels)


def test_labels_elsewhere():
    with pytest.raises(ParameterError, match="label 0 is missing"):
        random_splits(GAP)
    with pytest.raises(ParameterError, match="labels have shape"):
        random_splits(3)
    with pytest.raises(ParameterError, match="label 0 is missing"):
        mmd_between_classes(GRAM, GAP, "a", "b")
    with pytest.raises(ParameterError, match="there are no labels"):
        evaluate_kernel(sw.SlicedWassersteinKernel(), H1)
    with pytest.raises(ParameterError, match="requires y"):
        DiagramClassifier().fit(H1)
    for labels in (GAP, [np.nan, *range(1, 24)], pd.Series(GAP)):
        with pytest.raises(DiagramError, match="sample 0 has no label"):
            sw.DiagramSet({1: H1}, labels=labels)
    text = pd.Series(LABELS, dtype="string")
    assert sw.DiagramSet({1: H1}, labels=text).class_names == ("a", "b", "c")


# What is no list of diagrams.


NO_LIST = {
    "None": None,
    "number": 3,
    "text": "abc",
    "mapping": {1: H1},
    "0-d": np.array(3.0),
    "object": object(),
    "diagram": H1[0],
    "rows": [(0, 1), (0, 2)],
    "frame": pd.DataFrame(H1[0]),
    "five empty rows": np.empty((5, 0)),
    "numbers": [1, 2],
    "0-d in a list": [np.array(3.0)],
    "Nones": [None],
}


@pytest.mark.parametrize("bad", NO_LIST.values(), ids=NO_LIST)
@pytest.mark.parametrize(
    "call",
    [
        lambda X: DiagramClassifier().fit(X),
        lambda X: DiagramClassifier().fit(X, [0, 1]),
        lambda X: DiagramClassifier().fit(H1, LABELS).predict(X),
        lambda X: sw.SlicedWassersteinKernel().fit(X),
        lambda X: sw.SlicedWassersteinKernel().fit_transform(X),
        lambda X: sw.PersistenceScaleSpaceKernel().gram(X),
        lambda X: sw.UniversalKernel().fit(H1).transform(X),
        lambda X: SlicedWassersteinFeatures().fit_transform(X),
        lambda X: sw.SlicedWassersteinEmbedding().fit_transform(X),
        lambda X: sw.sliced_wasserstein_matrix(X),
        lambda X: sw.sliced_mean(X),
        lambda X: sw.sliced_means(X),
        lambda X: NearestSlicedMean().fit(X, [0, 1]),
        lambda X: sw.diagram_distance_matrix(X, H1),
        lambda X: evaluate_kernel(sw.SlicedWassersteinKernel(), X, LABELS),
        lambda X: prepare(sw.SlicedWassersteinKernel(), X),
        lambda X: sw.mmd_test(X, H1),
        lambda X: pwg_heuristics(X),
        lambda X: sw.DiagramSet({0: X}),
        PairDistances,
    ],
)
def test_what_is_no_list_of_diagrams(call, bad):
    with pytest.raises(SwvizError):
        call(bad)


def test_nothing_to_classify():
    with pytest.raises(DiagramError, match="expected a list of diagrams or a Diagram"):
        DiagramClassifier().fit(None)
    with pytest.raises(ParameterError, match="only a DiagramClassifier"):
        save_classifier(SVC(), "machine.npz")
    with pytest.raises(NotFittedError):
        save_classifier(DiagramClassifier(), "machine.npz")
    with pytest.raises(ParameterError, match=r"kernel must be one of swviz.kernels"):
        DiagramClassifier(SVC()).fit(H1, LABELS)
    with pytest.raises(ParameterError, match=r"kernel must be one of swviz.kernels"):
        prepare(SVC(), H1)


def test_rows_without_columns_are_no_points():
    with pytest.raises(DiagramError, match=r"not \(5, 0\).*the empty diagram is \[\]"):
        sw.as_diagram(np.empty((5, 0)))
    with pytest.raises(DiagramError, match="wrap it"):
        sw.SlicedWassersteinKernel().fit(np.empty((5, 0)))
    with pytest.raises(DiagramError, match=r"diagram 0: .*not \(5, 0\)"):
        sw.SlicedWassersteinKernel().fit([np.empty((5, 0))])
    # Three empty diagrams, said without doubt.
    assert sw.sliced_wasserstein_matrix(np.empty((3, 0, 2))).shape == (3, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda A: sw.sliced_wasserstein(A, A),
        lambda A: sw.sliced_wasserstein_exact(A, A),
        lambda A: sw.sliced_wasserstein_matrix([A]),
        lambda A: sw.sliced_flow(A, A),
        lambda A: sw.sliced_mean([A]),
        lambda A: sw.SlicedWassersteinKernel().fit([A]),
        lambda A: sw.SlicedWassersteinEmbedding().fit([A]),
        lambda A: sw.step_function(A, 0.0),
        lambda A: sw.DiagramSet({0: [A]}),
        sw.as_diagram,
    ],
)
def test_points_that_never_die_are_told_where_to_go(call):
    with pytest.raises(DiagramError) as caught:
        call([(0, 1), (0, np.inf)])
    message = str(caught.value)
    assert "never dies" in message
    # The advice must be good for functions that have no such argument.
    assert 'as_diagram(diagram, essential="drop")' in message
    advised = sw.as_diagram([(0, 1), (0, np.inf)], essential="drop")
    assert advised.tolist() == [[0, 1]]


def test_clouds_are_told_from_diagrams():
    rng = np.random.default_rng(0)
    plane, space = rng.random((50, 2)), rng.random((50, 3))
    for cloud in (plane, space, rng.random((9, 5)), 100 * plane - 50):
        for call in (
            sw.as_diagram,
            lambda A: sw.sliced_wasserstein(A, A),
            lambda A: sw.sliced_wasserstein_matrix([A]),
            lambda A: sw.DiagramSet({1: [A]}),
            sw.plot.diagram,
        ):
            with pytest.raises(DiagramError, match=r"swviz\.sources\.from_cloud\(poi"):
                call(cloud)
        # The advice is good.
        if cloud.shape[1] < 4:
            assert sw.sources.from_cloud(cloud).in_dimension(1)
    with pytest.raises(DiagramError, match="this looks like a point cloud"):
        sw.as_diagram(plane)
    # Superlevel sets have all points below, a slip one: they are told something else.
    for rows in (np.sort(plane)[:, ::-1], [(0, 1), (2, 1), (0, 3)]):
        with pytest.raises(DiagramError, match="for superlevel sets negate"):
            sw.as_diagram(rows)
    with pytest.raises(DiagramError, match="a list of diagrams: pass one of them"):
        sw.sliced_wasserstein(np.ones((3, 4, 2)), [])


def test_objects_and_frames():
    numbers = np.array([[0, 1.5], [np.float32(1), np.int64(2)]], dtype=object)
    assert sw.as_diagram(numbers).tolist() == [[0, 1.5], [1, 2]]
    frame = pd.DataFrame({"birth": [0.0, 1.0], "death": [1.0, 3.0]}, dtype="Float64")
    assert sw.as_diagram(frame).tolist() == [[0, 1], [1, 3]]
    same_size = np.array([[[0, 1]], [[0, 2]]], dtype=object)
    assert sw.sliced_wasserstein_matrix(same_size)[0, 1] > 0
    frame.loc[1, "death"] = pd.NA
    for gap in (frame, [[0, None]], [["0", "1"]], [[True, "x"]]):
        with pytest.raises(DiagramError, match="real numbers"):
            sw.as_diagram(gap)
    for gap in (frame, [[0, None]]):
        with pytest.raises(DiagramError, match=r"missing values.*dtype=float"):
            sw.as_diagram(gap)
    with pytest.raises(DiagramError, match="Complex"):
        sw.as_diagram([[0, 1j]])


# Very small and very large diagrams.


def scaled(factor):
    return [diagram * factor for diagram in [*H1[:6], np.empty((0, 2))]]


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1e-160, 1e160, 1e299])
@pytest.mark.parametrize("width", [1e-320, 1e-300, 1.0, 1e299])
@pytest.mark.parametrize(
    "make",
    [
        lambda w: sw.SlicedWassersteinKernel(w),
        lambda w: sw.SlicedWassersteinKernel(w, 4, method="embedding", n_bins=8),
        lambda w: sw.DiagramDistanceKernel(w),
        lambda w: sw.UniversalKernel(sw.SlicedWassersteinKernel(w)),
        lambda w: SlicedWassersteinFeatures(w, n_bins=8),
        lambda w: sw.PersistenceScaleSpaceKernel(w, method="direct"),
        lambda w: sw.PersistenceScaleSpaceKernel(w, method="grid"),
        lambda w: sw.PersistenceWeightedGaussianKernel(rho=w, p=4),
        lambda w: sw.PersistenceWeightedGaussianKernel(rho=w, method="fourier"),
        lambda w: sw.PersistenceWeightedGaussianKernel(tau=w, form="squared"),
    ],
)
def test_no_warning_escapes(make, width, factor):
    """Finite numbers, or an error that says what to do."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = make(width).fit_transform(scaled(factor))
        except ParameterError as error:
            assert "use method=" in str(error) or "take a larger t" in str(error)
        else:
            assert np.isfinite(found).all()


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1e-160])
def test_heuristics_for_powers_that_are_not_there(factor):
    with pytest.raises(ParameterError, match="rescale"):
        pwg_heuristics(scaled(factor), p=4)


@pytest.mark.parametrize("factor", [1e-60, 1.0, 1e60, 1e160, 1e299])
def test_heuristics_at_every_scale(factor):
    learnt = pwg_heuristics(scaled(factor)[:2])
    expected = pwg_heuristics(scaled(1.0)[:2])
    assert learnt.rho[None] == pytest.approx(factor * expected.rho[None])
    assert 0 < learnt.K[None] < np.inf


@pytest.mark.parametrize("factor", [1e-46, 1e-40, 1e-36])
def test_embeddings_too_small_for_single_precision(factor):
    single = sw.SlicedWassersteinEmbedding(5, 64, dtype="float32").fit(scaled(factor))
    with pytest.raises(ParameterError, match="too small for float32: use float64"):
        single.transform(scaled(factor))
    double = sw.SlicedWassersteinEmbedding(5, 64).fit(scaled(factor))
    assert double.transform(scaled(factor)).any()


@pytest.mark.parametrize("factor", [1e-30, 1e-20, 1.0, 1e30])
def test_embeddings_in_single_precision_keep_their_distances(factor):
    several = scaled(factor)
    single = sw.SlicedWassersteinEmbedding(5, 64, dtype="float32").fit(several)
    double = sw.SlicedWassersteinEmbedding(5, 64).fit(several)
    lengths = np.abs(double.transform(several)).sum(axis=1)
    apart = np.abs(single.transform(several) - double.transform(several)).sum(axis=1)
    assert (apart <= 2 * np.finfo(np.float32).eps * lengths).all()


def test_two_samples_of_which_one_says_its_dimension():
    ours, theirs = H1[:8], sw.DiagramSet({1: H1[8:]})
    expected = sw.mmd_test(H1[:8], H1[8:], random_state=0).p_value
    assert sw.mmd_test(ours, theirs, random_state=0).p_value == expected
    assert sw.mmd_test(theirs, ours, random_state=0).p_value == expected
    with pytest.raises(ParameterError, match="different homology dimensions"):
        sw.mmd_test(sw.DiagramSet({0: H0}), theirs)


# Values of which Python shows no digits.

DIGITS = 10**5000


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sw.diagram_distance([], [], -x),
        lambda x: sw.diagram_distance_matrix(H1, n_jobs=x),
        lambda x: sw.directions(3, rule=x),
        lambda x: sw.as_diagram([(0, np.inf)], essential=x),
        lambda x: sw.DiagramSet({-x: H1}),
        lambda x: sw.load(b"0 1\n", "a.txt", dimension=x),
        lambda x: sw.load(b"0 1\n", "a.txt", essential=x),
        lambda x: sw.mmd_test(H1, H1, kernel=x),
        lambda x: sw.SlicedWassersteinEmbedding(dtype=x).fit(H1),
        lambda x: sw.PersistenceScaleSpaceKernel(method=x).fit(H1).gram(H1),
        lambda x: sw.sources.orbits(n_points=-x),
        lambda x: sw.sources.orbits(n_jobs=x),
        lambda x: random_splits(LABELS, test_size=x),
    ],
)
def test_huge_numbers_are_refused_in_words(call):
    with pytest.raises(SwvizError, match="a huge number"):
        call(DIGITS)


def test_more_workers_than_any_computer_has():
    for n_jobs in (10**9, np.int64(10**9)):
        with pytest.raises(ParameterError, match="n_jobs must be"):
            sw.sliced_wasserstein_matrix(H1, n_jobs=n_jobs)
        with pytest.raises(ParameterError, match="n_jobs must be"):
            sw.sources.orbits(n_orbits=1, n_points=9, n_jobs=n_jobs)
