import numpy as np
import pytest

from swviz import DiagramSet, ParameterError, sigma_grid
from swviz.kernels import SlicedWassersteinKernel, UniversalKernel, rkhs_distance
from swviz.learning import PSS_GRID, evaluate_kernel, kernel_pca, prepare
from tests.learning_data import KERNELS, LABELS, SET, TEST, TRAIN


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_a_prepared_gram_is_the_kernels_own(name, scale):
    ready = prepare(KERNELS[name], SET, TRAIN)
    own = ready.at(scale).fit(SET[TRAIN])
    np.testing.assert_allclose(ready.gram(scale), own.gram(SET), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", KERNELS)
def test_others_are_compared_as_the_kernel_does_and_have_their_place(name):
    ready = prepare(KERNELS[name], SET, TRAIN)
    others = SET[TEST[:3]]
    moved = DiagramSet({k: [d + 0.1 for d in others.in_dimension(k)] for k in (0, 1)})
    own = ready.at(0.7).fit(SET[TRAIN])
    np.testing.assert_allclose(
        ready.beside(moved).gram(0.7), own.gram(moved, SET), rtol=1e-9, atol=1e-12
    )
    # On the map, one that is a sample is where that is.
    gram = ready.gram(0.7)
    found = kernel_pca(gram)
    np.testing.assert_allclose(
        found.project(ready.beside(others).gram(0.7)),
        found.coordinates[TEST[:3]],
        atol=1e-9,
    )


@pytest.mark.parametrize(
    ("name", "scale"), [("SW", "sigma"), ("d1", "sigma"), ("PSS", "t"), ("PWG", "tau")]
)
def test_the_bandwidth_is_known_by_its_name(name, scale):
    ready = prepare(KERNELS[name], SET)
    assert ready.scale_name == scale
    assert getattr(ready.at(0.7), scale) == 0.7
    with pytest.raises(ParameterError, match="scale must be"):
        ready.at(0)


def test_the_given_kernel_is_left_as_it_was():
    prepare(KERNELS["PWG"], SET, TRAIN)
    assert KERNELS["PWG"].K == 1.0


@pytest.mark.parametrize("name", ["embedding", "PWG"])
def test_only_training_samples_are_learnt_from(name):
    ready = prepare(KERNELS[name], SET, TRAIN)
    # With other test samples, the training samples' matrix is the same.
    changed = SET[np.concatenate([TRAIN, TEST[:1]])]
    again = prepare(KERNELS[name], changed, np.arange(len(TRAIN)))
    np.testing.assert_allclose(
        again.gram(0.5)[: len(TRAIN), : len(TRAIN)],
        ready.gram(0.5)[np.ix_(TRAIN, TRAIN)],
    )


def test_bandwidths_to_try_are_the_papers():
    ready = prepare(KERNELS["SW"], SET)
    inner = ready.distances.sum(axis=0)[np.ix_(TRAIN, TRAIN)]
    np.testing.assert_array_equal(ready.scales(TRAIN), sigma_grid(inner))
    assert tuple(prepare(KERNELS["PSS"], SET).scales(TRAIN)) == PSS_GRID


@pytest.mark.parametrize("name", ["SW", "d1", "PSS"])
def test_tuning_gives_the_protocols_run(name):
    ready = prepare(KERNELS[name], SET)
    seen = []
    found = ready.tune(LABELS, TRAIN, TEST, n_splits=3, watch=seen.append)
    kernel = KERNELS[name]
    report = evaluate_kernel(kernel, SET, splits=[(TRAIN, TEST)], n_splits=3)
    assert found.parameters == report.runs[0].parameters
    assert (found.C, found.accuracy) == (report.runs[0].C, report.accuracy)
    np.testing.assert_array_equal(found.grid.accuracies, report.runs[0].grid.accuracies)
    # The scores so far: one setting more each time, the rest not known yet.
    known = [np.isfinite(grid.mean).all(axis=1).sum() for grid in seen]
    assert known == list(range(1, len(found.grid.settings) + 1))


def test_neighbours_are_measured_by_the_distance_itself():
    ready = prepare(KERNELS["SW"], SET)
    np.testing.assert_array_equal(
        ready.sample_distances(ready.gram(1.0)), ready.distances.sum(axis=0)
    )
    ready = prepare(KERNELS["PSS"], SET)
    gram = ready.gram(0.1)
    np.testing.assert_array_equal(ready.sample_distances(gram), rkhs_distance(gram))


def test_progress_can_stop_it():
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(KERNELS["SW"], SET, progress=stop)


def test_a_kernel_without_a_bandwidth_is_refused():
    with pytest.raises(ParameterError, match="UniversalKernel has no bandwidth"):
        prepare(UniversalKernel(SlicedWassersteinKernel()), SET)
