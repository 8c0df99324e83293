"""Kernel PCA, neighbours, eigenvalues, the two-sample test, features of large sets."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from swviz import DiagramError, DiagramSet, ParameterError, sliced_wasserstein_matrix
from swviz.kernels import (
    DiagramDistanceKernel,
    PersistenceScaleSpaceKernel,
    SlicedWassersteinKernel,
)
from swviz.learning import (
    SlicedWassersteinFeatures,
    kernel_pca,
    mmd_from_gram,
    mmd_test,
    nearest,
)
from swviz.learning import nystroem as nystroem_module
from swviz.sources import d1_counterexample
from tests import naive

RNG = np.random.default_rng(0)


def cluster(count, scale, rng=RNG):
    return [np.sort(rng.random((8, 2)), axis=1) * scale for _ in range(count)]


X, Y = cluster(15, 1.0), cluster(12, 1.5)
GRAM = SlicedWassersteinKernel(1.0, 6).gram([*X, *Y])


def test_kernel_pca_is_that_of_scikit_learn():
    theirs = KernelPCA(3, kernel="precomputed").fit(GRAM[:20, :20])
    ours = kernel_pca(GRAM[:20, :20], 3)
    expected = theirs.transform(GRAM[:20, :20])
    signs = np.sign((ours.coordinates * expected).sum(axis=0))
    np.testing.assert_allclose(ours.coordinates, signs * expected, atol=1e-9)
    np.testing.assert_allclose(
        ours.project(GRAM[20:, :20]),
        signs * theirs.transform(GRAM[20:, :20]),
        atol=1e-9,
    )
    np.testing.assert_allclose(
        ours.project(GRAM[:20, :20]), ours.coordinates, atol=1e-9
    )
    assert 0 < ours.explained.sum() < 1
    assert (np.diff(ours.explained) <= 0).all()


def test_maps_of_degenerate_matrices():
    assert (kernel_pca(np.ones((4, 4))).coordinates == 0).all()
    assert (kernel_pca([[2.0]], 1).coordinates == 0).all()
    example = d1_counterexample()
    found = kernel_pca(DiagramDistanceKernel(1.5).fit_transform(example), 6)
    assert np.isfinite(found.coordinates).all()
    with pytest.raises(ParameterError, match="columns"):
        found.project(np.ones((2, 3)))
    with pytest.raises(ParameterError, match="n_components"):
        kernel_pca(np.eye(3), 4)
    with pytest.raises(ParameterError, match="gram must be a square"):
        kernel_pca(np.ones((2, 3)))


def test_nearest_diagrams_to_a_query():
    distances = sliced_wasserstein_matrix([X[3], Y[2]], [*X, *Y], n_directions=6)
    indices, found = nearest(distances, 4)
    assert indices.shape == found.shape == (2, 4)
    assert indices[:, 0].tolist() == [3, 17]
    assert (found[:, 0] == 0).all()
    assert (np.diff(found, axis=1) >= 0).all()
    assert nearest([1.0, 1.0, 0.5], 9)[0].tolist() == [[2, 0, 1]]
    with pytest.raises(ParameterError, match="NaN"):
        nearest([np.nan])
    with pytest.raises(ParameterError, match="n_neighbors"):
        nearest([1.0], 0)


def test_mmd_statistic_and_p_value():
    found = mmd_from_gram(GRAM, 15, 99, random_state=0)
    assert found.statistic == pytest.approx(naive.mmd_squared(GRAM, 15), rel=1e-10)
    assert found.permutations.shape == (99,)
    larger = np.sum(found.permutations >= found.statistic)
    assert found.p_value == (1 + larger) / 100
    assert found.p_value < 0.05
    again = mmd_from_gram(GRAM, 15, 99, random_state=0)
    assert (again.permutations == found.permutations).all()


def test_mmd_of_one_distribution_is_uniform_and_of_equal_samples_is_one():
    p_values = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        several = cluster(16, 1.0, rng)
        gram = SlicedWassersteinKernel(1.0, 4).gram(several)
        p_values.append(mmd_from_gram(gram, 8, 49, random_state=seed).p_value)
    assert 0.35 < np.mean(p_values) < 0.65
    assert np.mean(np.array(p_values) <= 0.1) < 0.25
    assert mmd_test([X[0]] * 3, [X[0]] * 3, n_permutations=9).p_value == 1


def test_mmd_with_every_kind_of_input():
    calls = []
    assert mmd_test(X, Y, random_state=0).p_value < 0.05
    found = mmd_test(
        X,
        Y,
        PersistenceScaleSpaceKernel(0.1),
        random_state=0,
        n_permutations=99,
        progress=lambda *call: calls.append(call),
    )
    assert found.p_value < 0.05
    assert calls
    both = DiagramSet({0: X, 1: X}), DiagramSet({0: Y, 1: Y})
    assert mmd_test(*both, n_permutations=99, random_state=0).p_value < 0.05
    for bad, words in (
        ((X[:1], Y), "at least two"),
        ((X, []), "at least two"),
        ((X, both[1]), "different homology dimensions"),
        ((X, Y, "rbf"), "one of swviz.kernels"),
        ((X, Y, None, 0), "n_permutations"),
    ):
        with pytest.raises(ParameterError, match=words):
            mmd_test(*bad)
    with pytest.raises(ParameterError, match="at least two"):
        mmd_from_gram(np.eye(3), 2)


def test_features_reproduce_the_kernel_on_the_landmarks(monkeypatch):
    monkeypatch.setattr(nystroem_module, "_BATCH", 4)
    both = DiagramSet({0: X, 1: X[::-1]})
    for samples in (X, both):
        features = SlicedWassersteinFeatures(0.8, n_directions=6, n_bins=512)
        vectors = features.fit_transform(samples)
        gram = SlicedWassersteinKernel(0.8, 6).gram(samples)
        np.testing.assert_allclose(vectors @ vectors.T, gram, atol=0.01)
        threads = clone(features).set_params(n_jobs=2).fit_transform(samples)
        assert (threads == vectors).all()
    assert features.transform(both[:0]).shape == (0, 15)
    assert features.sigma_ == 0.8


def test_features_of_few_landmarks_learn():
    labels = np.repeat([0, 1], 30)
    several = cluster(30, 1.0) + cluster(30, 2.0)
    pipeline = make_pipeline(
        SlicedWassersteinFeatures(n_components=20, n_bins=64, random_state=0),
        LinearSVC(C=10),
    )
    assert cross_val_score(pipeline, several, labels, cv=3).mean() > 0.9
    both = DiagramSet({0: several, 1: several}, labels=labels)
    assert cross_val_score(pipeline, both, labels, cv=3).mean() > 0.9
    features = pipeline[0].fit(several)
    assert features.transform(several).shape == (60, 20)
    between = sliced_wasserstein_matrix(several, n_directions=10)
    median = np.median(between[np.triu_indices(60, 1)])
    assert 2 * features.sigma_**2 == pytest.approx(median, rel=0.3)
    again = pickle.loads(pickle.dumps(features))
    assert (again.transform(several) == features.transform(several)).all()


def test_features_of_equal_and_single_diagrams():
    vectors = SlicedWassersteinFeatures(n_components=5).fit_transform([X[0]] * 8)
    np.testing.assert_allclose(vectors @ vectors.T, 1.0)
    vectors = SlicedWassersteinFeatures().fit_transform([X[0]])
    np.testing.assert_allclose(vectors, 1.0)


def test_bad_input_of_features():
    features = SlicedWassersteinFeatures()
    with pytest.raises(NotFittedError):
        features.transform(X)
    with pytest.raises(DiagramError, match="empty"):
        features.fit([])
    with pytest.raises(ParameterError, match="sigma must be"):
        SlicedWassersteinFeatures(sigma=-1).fit(X)
    with pytest.raises(ParameterError, match="n_components"):
        SlicedWassersteinFeatures(n_components=0).fit(X)
    with pytest.raises(DiagramError, match="fitted on homology dimensions"):
        features.fit(X).transform(DiagramSet({0: X, 1: X}))
