import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from swviz import (
    DiagramError,
    ParameterError,
    SlicedWassersteinEmbedding,
    sliced_wasserstein,
    sliced_wasserstein_matrix,
)
from swviz import embedding as module
from tests.strategies import FAMILIES, diagrams, orbit_diagram


def families(seed, n=30, copies=2):
    rng = np.random.default_rng(seed)
    return [make(rng, n) for make in FAMILIES.values() for _ in range(copies)]


@pytest.mark.parametrize("rule", ["paper", "diagonal", "random"])
@pytest.mark.parametrize("n_bins", [1, 2, 17, 256])
def test_distances_fall_short_by_no_more_than_the_bound(rule, n_bins):
    X, Y = families(0), families(1, n=20, copies=1)
    embedding = SlicedWassersteinEmbedding(6, n_bins, rule=rule, random_state=0).fit(X)
    found = cdist(embedding.transform(X), embedding.transform(Y), "cityblock")
    truth = sliced_wasserstein_matrix(X, Y, n_directions=6, rule=rule, random_state=0)
    bound = embedding.error_bounds(X)[:, None] + embedding.error_bounds(Y)
    assert (found <= truth + 1e-9).all()
    assert (truth - found <= bound + 1e-9).all()


@settings(deadline=None, max_examples=60)
@given(diagrams(), diagrams(), diagrams(), st.integers(1, 9))
def test_bound_holds_for_diagrams_far_from_those_it_was_fitted_on(A, B, C, n_bins):
    embedding = SlicedWassersteinEmbedding(4, n_bins).fit([C])
    a, b = embedding.transform([A, B])
    truth = sliced_wasserstein(A, B, 4)
    found = np.abs(a - b).sum()
    assert found <= truth + 1e-9
    assert truth - found <= embedding.error_bounds([A, B]).sum() + 1e-9


def test_bound_is_below_half_of_width_times_oscillation():
    X = families(2)
    embedding = SlicedWassersteinEmbedding(3, 40).fit(X)
    bounds = embedding.error_bounds(X)
    for diagram, bound in zip(X, bounds, strict=True):
        crude = 0.0
        for theta, edges in zip(embedding.thetas_, embedding.edges_, strict=True):
            points = diagram @ [np.cos(theta), np.sin(theta)]
            middle = diagram.mean(axis=1) * (np.cos(theta) + np.sin(theta))
            for low, high in itertools.pairwise(edges):
                inside = np.concatenate([points, middle])
                inside = inside[(inside > low) & (inside < high)]
                at = np.concatenate([[low], inside])
                G = [(points <= t).sum() - (middle <= t).sum() for t in at]
                crude += (high - low) * (max(G) - min(G)) / 2
        assert bound <= crude / 3 + 1e-9


def test_nothing_is_lost_outside_of_the_edges():
    embedding = SlicedWassersteinEmbedding(5, 8).fit([[(0.4, 0.6)]])
    far = [[(10, 12), (-30, -20)], []]
    a, b = embedding.transform(far)
    # In each direction the bins sum up to the integral of G, whatever the bins are.
    thetas = embedding.thetas_
    integral = -(np.array(far[0]) @ [np.cos(thetas), np.sin(thetas)]).sum(axis=0)
    middle = np.mean(far[0], axis=1).sum() * (np.cos(thetas) + np.sin(thetas))
    np.testing.assert_allclose(
        a.reshape(5, 8).sum(axis=1) * 5, integral + middle, atol=1e-12
    )
    assert not b.any()


def test_accuracy_on_orbits():
    X = [orbit_diagram(r, 400, s) for s, r in enumerate((2.5, 3.5, 4, 4.1, 4.3))]
    embedding = SlicedWassersteinEmbedding(6, 1024)
    found = cdist(*[embedding.fit_transform(X)] * 2, "cityblock")
    truth = sliced_wasserstein_matrix(X, n_directions=6)
    above = np.triu_indices(len(X), 1)
    assert np.mean(1 - found[above] / truth[above]) < 0.01


def test_distances_form_a_kernel():
    X = families(3)
    vectors = SlicedWassersteinEmbedding(6, 32).fit_transform(X)
    gram = np.exp(-cdist(vectors, vectors, "cityblock"))
    assert np.linalg.eigvalsh(gram).min() > -1e-12


@pytest.mark.parametrize("scale", [1e-320, 1e-300, 1.0, 1e300])
@pytest.mark.parametrize("n_edges", [0, 1, 2, 40])
def test_bins_are_those_of_a_search(n_edges, scale):
    generator = np.random.default_rng(n_edges)
    for edges in (
        np.sort(generator.normal(size=n_edges)),
        # All but one in a single cell, and edges that are alike.
        np.sort(np.append(generator.integers(0, 3, max(0, n_edges - 1)), 1e7))[
            :n_edges
        ],
    ):
        near = np.nextafter(edges, [[-np.inf], [np.inf]]).ravel()
        anywhere = generator.normal(scale=3.0, size=4000)
        positions = scale * np.concatenate([anywhere, near, edges, [-1e8, 1e8]])
        expected = np.searchsorted(scale * edges, positions, side="right")
        found = module._find_bins(scale * edges, positions)
        assert np.array_equal(found, expected)


def test_blocks_change_nothing(monkeypatch):
    X = families(4)
    whole = SlicedWassersteinEmbedding(3, 50).fit(X)
    expected = whole.transform(X), whole.error_bounds(X)
    monkeypatch.setattr(module, "_BLOCK", 100)
    np.testing.assert_allclose(whole.transform(X), expected[0], atol=1e-13)
    np.testing.assert_allclose(whole.error_bounds(X), expected[1], rtol=1e-12)


def test_float32_halves_the_memory_and_stays_close():
    X = families(5)
    double = SlicedWassersteinEmbedding(4, 64).fit_transform(X)
    single = SlicedWassersteinEmbedding(4, 64, dtype="float32").fit_transform(X)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, rtol=1e-6, atol=1e-6)


def test_scikit_learn_conventions():
    X = families(6)
    embedding = SlicedWassersteinEmbedding(4, 16, rule="diagonal")
    assert clone(embedding).get_params() == embedding.get_params()
    fitted = embedding.fit(X)
    assert fitted is embedding
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    labels = np.arange(len(X)) // 2
    pipeline = make_pipeline(embedding, KNeighborsClassifier(1, metric="cityblock"))
    assert pipeline.fit(X, labels).score(X, labels) > 0.9
    with pytest.raises(NotFittedError):
        SlicedWassersteinEmbedding().transform(X)


@pytest.mark.parametrize("X", [[[]], [[], []], [[(1, 1)]], [[(0, 0)], []]])
def test_sets_with_nothing_off_the_diagonal(X):
    embedding = SlicedWassersteinEmbedding(3, 5)
    assert embedding.fit_transform(X).shape == (len(X), 15)
    np.testing.assert_allclose(embedding.transform(X), 0, atol=1e-15)
    np.testing.assert_allclose(embedding.error_bounds(X), 0, atol=1e-15)
    assert embedding.transform([[(0, 1)]]).any()
    assert embedding.transform([]).shape == (0, 15)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_bins": 0}, "n_bins must be"),
        ({"n_directions": 1.5}, "n_directions must be"),
        ({"dtype": "int64"}, "float32 or float64"),
        ({"dtype": "foo"}, "float32 or float64"),
        ({"n_directions": 10**6, "n_bins": 10**6}, "n_directions must be"),
        ({"rule": "best"}, "rule must be"),
    ],
)
def test_bad_parameters_are_refused_in_fit(options, words):
    with pytest.raises(ParameterError, match=words):
        SlicedWassersteinEmbedding(**options).fit([[(0, 1)]])


def test_values_too_large_for_float32_are_refused():
    embedding = SlicedWassersteinEmbedding(2, 4, dtype="float32").fit([[(0, 1e40)]])
    with pytest.raises(ParameterError, match="use float64"):
        embedding.transform([[(0, 1e40)]])


def test_bad_diagrams_are_named():
    with pytest.raises(DiagramError, match="diagram 1"):
        SlicedWassersteinEmbedding().fit([[], [(1, 0)]])
