import numpy as np
import pytest

from swviz import ParameterError
from swviz.learning import (
    evaluate_svm,
    kernel_pca,
    map_samples,
    prepare,
    train_portrait,
)
from tests.learning_data import KERNELS, LABELS, SET, TEST, TRAIN

READY = prepare(KERNELS["SW"], SET)
GRAM = READY.gram(0.5)


def test_a_portrait_holds_the_evaluation_and_the_map():
    portrait = train_portrait(
        GRAM, LABELS, TRAIN, TEST, 10.0, n_splits=4, random_state=3
    )
    found = evaluate_svm(GRAM, LABELS, TRAIN, TEST, 10.0, n_splits=4, random_state=3)
    for name in ("train_accuracy", "test_accuracy", "cv_accuracy", "cv_spread"):
        assert getattr(portrait.evaluation, name) == getattr(found, name)
    np.testing.assert_array_equal(portrait.evaluation.confusion, found.confusion)
    np.testing.assert_array_equal(portrait.evaluation.support, found.support)
    expected = kernel_pca(GRAM, 2)
    np.testing.assert_array_equal(portrait.map.coordinates, expected.coordinates)


def test_every_sample_gets_its_prediction():
    portrait = train_portrait(GRAM, LABELS, TRAIN, TEST, 10.0)
    found = portrait.evaluation
    np.testing.assert_array_equal(portrait.predictions[TEST], found.predictions)
    right = portrait.predictions[TRAIN] == LABELS[TRAIN]
    assert right.mean() == found.train_accuracy


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("scale", [0.05, 0.5, 5.0])
def test_the_ground_is_the_machine_on_the_plane(classes, scale):
    names = LABELS if classes == 3 else np.where(LABELS == "a", "a", "b")
    gram = READY.gram(scale)
    portrait = train_portrait(gram, names, TRAIN, TEST, 10.0)
    places = np.random.default_rng(0).normal(0, 0.5, (400, 2))
    # Feature vectors mean + x e1 + y e2, and their products with training samples,
    # one by one.
    axes, count = portrait.map.axes, len(gram)
    rows = []
    for x, y in places:
        weights = np.full(count, 1 / count) + x * axes[:, 0] + y * axes[:, 1]
        rows.append(gram[TRAIN] @ weights)
    expected = portrait.evaluation.machine.predict(np.array(rows))
    np.testing.assert_array_equal(portrait.plane.predict(places), expected)
    # These vectors are where the map says.
    np.testing.assert_allclose(
        portrait.map.project([gram @ (np.full(count, 1 / count) + 0.3 * axes[:, 0])]),
        [[0.3, 0.0]],
        atol=1e-9,
    )


def test_the_ground_keeps_the_shape_of_a_grid():
    portrait = train_portrait(GRAM, LABELS, TRAIN, TEST, 10.0)
    grid = np.zeros((5, 7, 2))
    assert portrait.plane.predict(grid).shape == (5, 7)


def test_similarity_goes_from_nothing_to_everything():
    values = [
        train_portrait(READY.gram(scale), LABELS, TRAIN, TEST, 10.0).similarity
        for scale in (0.01, 0.1, 0.5, 2.0, 100.0)
    ]
    assert values == sorted(values)
    assert values[0] < 1e-6
    assert values[-1] > 0.999
    off = GRAM[np.triu_indices(len(GRAM), 1)]
    assert map_samples(GRAM).similarity == np.median(off)


def test_a_map_does_not_flip_against_the_one_before():
    first = map_samples(GRAM)
    mirrored = first.map.coordinates * [-1, 1]
    again = map_samples(GRAM, mirrored)
    np.testing.assert_array_equal(again.map.coordinates, mirrored)
    np.testing.assert_allclose(again.map.project(GRAM), mirrored, atol=1e-9)
    # A reference of other samples is not looked at.
    other = map_samples(GRAM, np.zeros((3, 2)))
    np.testing.assert_array_equal(other.map.coordinates, first.map.coordinates)


@pytest.mark.parametrize("count", [1, 2])
def test_one_and_two_samples_can_be_mapped(count):
    portrait = map_samples(GRAM[:count, :count])
    assert portrait.map.coordinates.shape == (count, 2)
    assert np.isfinite(portrait.map.coordinates).all()
    assert portrait.evaluation is None


def test_equal_and_empty_diagrams_have_a_portrait():
    portrait = train_portrait(np.ones((24, 24)), LABELS, TRAIN, TEST, 1.0)
    assert portrait.similarity == 1.0
    assert np.isfinite(portrait.map.coordinates).all()
    # k_PSS of empty diagrams is 0.
    assert map_samples(np.zeros((3, 3))).similarity == 0.0


def test_no_samples_are_refused():
    with pytest.raises(ParameterError, match="no samples"):
        map_samples(np.empty((0, 0)))
