import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from swviz import DiagramError, DiagramSet, ParameterError
from swviz.kernels import rkhs_distance
from swviz.learning import DiagramClassifier
from tests.learning_data import KERNELS, LABELS, SET, TEST, TRAIN


@pytest.mark.parametrize("name", KERNELS)
def test_it_is_an_svm_on_the_gram_matrix(name):
    machine = DiagramClassifier(KERNELS[name], C=10.0).fit(SET[TRAIN])
    kernel = clone(KERNELS[name]).fit(SET[TRAIN])
    plain = SVC(C=10.0, kernel="precomputed")
    plain.fit(kernel.transform(SET[TRAIN]), LABELS[TRAIN])
    expected = plain.predict(kernel.transform(SET[TEST]))
    np.testing.assert_array_equal(machine.predict(SET[TEST]), expected)
    assert machine.score(SET[TEST], LABELS[TEST]) == np.mean(expected == LABELS[TEST])


@pytest.mark.parametrize("name", ["SW", "d1"])
def test_neighbours_are_the_nearest_training_samples(name):
    machine = DiagramClassifier(KERNELS[name]).fit(SET[TRAIN])
    answers = machine.answer(SET[TEST], 3)
    apart = machine.kernel_.distances(SET[TEST], SET[TRAIN]).sum(axis=0)
    for row, near in enumerate(answers.neighbors):
        assert list(near) == sorted(range(len(TRAIN)), key=apart[row].__getitem__)[:3]
        np.testing.assert_array_equal(answers.distances[row], apart[row][near])


def test_neighbours_by_pss_are_those_in_its_hilbert_space():
    machine = DiagramClassifier(KERNELS["PSS"]).fit(SET[TRAIN])
    answers = machine.answer(SET[TEST], 1)
    both = SET[np.concatenate([TRAIN, TEST])]
    apart = rkhs_distance(machine.kernel_.gram(both))[len(TRAIN) :, : len(TRAIN)]
    np.testing.assert_array_equal(answers.neighbors[:, 0], apart.argmin(axis=1))
    np.testing.assert_allclose(answers.distances[:, 0], apart.min(axis=1), atol=1e-7)


def test_two_classes_have_a_value_each():
    two = np.where(LABELS == "a", "a", "b")
    machine = DiagramClassifier(KERNELS["SW"], C=10.0).fit(SET, two)
    answers = machine.answer(SET)
    assert answers.decision_values.shape == (len(SET), 2)
    np.testing.assert_array_equal(
        machine.classes_[answers.decision_values.argmax(axis=1)], answers.predictions
    )


def test_plain_lists_and_sets_of_one_dimension_go_together():
    H1 = SET.in_dimension(1)
    machine = DiagramClassifier(KERNELS["SW"], C=10.0).fit(
        DiagramSet({1: H1}, labels=LABELS)
    )
    np.testing.assert_array_equal(
        machine.predict(H1), machine.predict(DiagramSet({1: H1}))
    )
    with pytest.raises(ParameterError, match=r"lack \[1\]: they are of \[0\]"):
        machine.predict(DiagramSet({0: H1}))
    plain = DiagramClassifier(KERNELS["SW"], C=10.0).fit(H1, LABELS)
    np.testing.assert_array_equal(
        plain.predict(DiagramSet({1: H1})), machine.predict(H1)
    )
    with pytest.raises(ParameterError, match=r"in_dimension\(k\)"):
        plain.predict(SET)


def test_more_dimensions_than_needed_are_no_harm_and_missing_ones_are_told():
    kernel = clone(KERNELS["SW"]).set_params(dimensions=(0,))
    machine = DiagramClassifier(kernel).fit(SET)
    H0 = machine.predict(SET)
    # Diagrams that do not say their dimension are taken for the only one used.
    np.testing.assert_array_equal(machine.predict(SET.in_dimension(0)), H0)
    unsaid = DiagramSet({3: SET.in_dimension(0)}, provenance={"assumed_dimension": 3})
    np.testing.assert_array_equal(machine.predict(unsaid), H0)
    both = DiagramClassifier(KERNELS["SW"]).fit(SET)
    with pytest.raises(ParameterError, match=r"lack \[1\]"):
        both.predict(DiagramSet({0: SET.in_dimension(0), 2: SET.in_dimension(1)}))


def test_an_empty_diagram_gets_an_answer():
    machine = DiagramClassifier(KERNELS["SW"]).fit(SET.in_dimension(0), LABELS)
    answers = machine.answer([[]])
    assert answers.predictions[0] in LABELS
    assert np.isfinite(answers.distances).all()


def test_bad_input_is_told():
    with pytest.raises(NotFittedError):
        DiagramClassifier().predict(SET)
    with pytest.raises(ParameterError, match="no labels"):
        DiagramClassifier().fit(SET.in_dimension(0))
    with pytest.raises(ParameterError, match="all 3 labels are equal"):
        DiagramClassifier().fit(SET.in_dimension(0)[:3], ["a"] * 3)
    with pytest.raises(ParameterError, match="C must be"):
        DiagramClassifier(C=-1.0).fit(SET)
    machine = DiagramClassifier().fit(SET.in_dimension(0), LABELS)
    with pytest.raises(ParameterError, match="no diagrams to classify"):
        machine.answer([])
    with pytest.raises(DiagramError, match="mixes"):
        machine.answer([SET[0], SET.in_dimension(0)[1]])


@pytest.mark.parametrize(
    "missing",
    [None, float("nan"), np.float32("nan"), np.datetime64("NaT")],
    ids=["None", "nan", "float32", "NaT"],
)
def test_a_missing_label_is_no_class(missing):
    X = SET.in_dimension(1)[:4]
    for labels in (["a", missing] * 2, ("a", missing) * 2):
        with pytest.raises(ParameterError, match="label 1 is missing"):
            DiagramClassifier().fit(X, labels)
        with pytest.raises(DiagramError, match="sample 1 has no label"):
            DiagramSet({1: X}, labels=labels)
    days = np.array(["2024-01-01", "NaT"] * 2, dtype="datetime64[D]")
    for labels in (days, days - days[0]):
        with pytest.raises(ParameterError, match="label 1 is missing"):
            DiagramClassifier().fit(X, labels)
        with pytest.raises(DiagramError, match="sample 1 has no label"):
            DiagramSet({1: X}, labels=labels)


@pytest.mark.parametrize(
    "weights", [[1.0], "x", ["x"] * 4, [0] * 4, [-1, 1, 1, 1], [np.nan] * 4, [[1] * 4]]
)
def test_bad_sample_weights_are_refused(weights):
    machine = DiagramClassifier().fit(SET[TRAIN])
    some = SET[TEST[:4]]
    assert machine.score(some, sample_weight=[1] * 4) == machine.score(some)
    with pytest.raises(ParameterError, match="sample_weight must be 4 numbers"):
        machine.score(some, sample_weight=weights)
