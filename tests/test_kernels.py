import pickle

import numpy as np
import pytest
from gudhi import representations as theirs
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.utils import estimator_checks

from swviz import (
    DiagramError,
    DiagramSet,
    ParameterError,
    diagram_distance,
    directions,
    slice_costs,
    sliced_wasserstein,
    sliced_wasserstein_exact,
)
from swviz import distances as distances_module
from swviz.distances import cityblock_matrix
from swviz.kernels import (
    DiagramDistanceKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
    UniversalKernel,
    kernel_from_distances,
    pwg_heuristics,
    rkhs_distance,
)
from swviz.sources import d1_counterexample
from swviz.studies import conditional_negativity, eigenvalues
from tests import naive
from tests.strategies import FAMILIES

RNG = np.random.default_rng(0)
X = [make(RNG, 8) for make in FAMILIES.values()]
X += [X[0].copy(), X[3][::-1].copy(), np.empty((0, 2)), np.empty((0, 2))]
Y = [FAMILIES["uniform"](RNG, n) for n in (3, 0, 11)]
BOTH = DiagramSet({0: X, 1: X[::-1]})

KERNELS = {
    "SW, M = 7": SlicedWassersteinKernel(0.7, 7),
    "SW, one diagonal direction": SlicedWassersteinKernel(0.7, 1, rule="diagonal"),
    "SW, random": SlicedWassersteinKernel(0.7, 5, rule="random"),
    "SW, exact": SlicedWassersteinKernel(0.7, "exact"),
    "SW, embedding": SlicedWassersteinKernel(0.7, 6, method="embedding", n_bins=32),
    "PSS, direct": PersistenceScaleSpaceKernel(0.1, method="direct"),
    "PSS, grid": PersistenceScaleSpaceKernel(0.1, method="grid"),
    "PWG, direct": PersistenceWeightedGaussianKernel(2, 0.3, 0.8, 2, method="direct"),
    "PWG, grid": PersistenceWeightedGaussianKernel(2, 0.3, 0.8, 2, method="grid"),
    "PWG, squared": PersistenceWeightedGaussianKernel(2, 0.3, 0.8, form="squared"),
    "PWG, narrow": PersistenceWeightedGaussianKernel(2, 0.3, 0.02, 2, method="grid"),
    "PWG, Fourier": PersistenceWeightedGaussianKernel(method="fourier", n_features=50),
    "universal": UniversalKernel(SlicedWassersteinKernel(0.7, 7)),
}
NO_KERNEL = {"d1": DiagramDistanceKernel(0.7)}
kernels = pytest.mark.parametrize("kernel", list(KERNELS.values()), ids=list(KERNELS))
everything = pytest.mark.parametrize(
    "kernel",
    [*KERNELS.values(), *NO_KERNEL.values()],
    ids=[*KERNELS, *NO_KERNEL],
)


@everything
def test_transform_gives_symmetric_gram_matrices_of_the_pairs(kernel):
    kernel = clone(kernel).fit(X)
    gram = kernel.transform(X)
    assert (gram == gram.T).all()
    rectangular = kernel.transform(Y)
    assert rectangular.shape == (len(Y), len(X))
    for i in (0, 1, 2):
        for j in (0, 4, 8, 14):
            assert kernel(Y[i], X[j]) == pytest.approx(rectangular[i, j], rel=1e-9)
    np.testing.assert_allclose(kernel.gram(X, X), gram, rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(X, X[:3]), gram[:, :3], rtol=1e-9)
    assert kernel.transform([]).shape == (0, len(X))


@kernels
@pytest.mark.parametrize(
    "several",
    [
        X,
        [X[0]] * 6,
        [np.empty((0, 2))] * 3,
        [FAMILIES["integer grid"](RNG, n) for n in (1, 2, 3, 40, 40)] * 2,
        [FAMILIES["H0, births 0"](RNG, 30) for _ in range(12)],
        [FAMILIES["on the diagonal"](RNG, n) for n in (0, 3)],
        [X[0] + 1e-9 * k for k in range(10)],
    ],
    ids=["families", "equal", "empty", "grid", "H0", "diagonal", "nearly equal"],
)
def test_gram_matrices_are_positive_semi_definite(kernel, several):
    gram = clone(kernel).fit_transform(several)
    assert eigenvalues(gram)[-1] >= -1e-13 * len(gram) * max(1, np.abs(gram).max())


@kernels
def test_positive_semi_definite_in_several_homology_dimensions(kernel):
    if isinstance(kernel, UniversalKernel):
        several = [UniversalKernel(SlicedWassersteinKernel(combine="mean"))]
    else:
        several = [clone(kernel).set_params(combine=c) for c in ("product", "mean")]
    for one in several:
        gram = one.fit_transform(BOTH)
        assert eigenvalues(gram)[-1] >= -1e-13 * len(gram)


def test_sliced_wasserstein_kernel_is_the_papers():
    A, B = X[0], X[7]
    for n_directions, distance in (
        (9, sliced_wasserstein(A, B, 9)),
        ("exact", sliced_wasserstein_exact(A, B)),
    ):
        kernel = SlicedWassersteinKernel(0.3, n_directions)
        assert kernel(A, B) == pytest.approx(np.exp(-distance / 0.18), rel=1e-12)
    assert DiagramDistanceKernel(0.3)(A, B) == pytest.approx(
        np.exp(-diagram_distance(A, B) / 0.18), rel=1e-12
    )
    assert DiagramDistanceKernel(0.3, p=np.inf)(A, B) == pytest.approx(
        np.exp(-diagram_distance(A, B, np.inf) / 0.18), rel=1e-12
    )


def test_embedding_is_close_to_the_slices():
    several = [FAMILIES["uniform"](RNG, 200) for _ in range(6)]
    slices = SlicedWassersteinKernel(1.0, 6).fit_transform(several)
    kernel = SlicedWassersteinKernel(1.0, 6, method="embedding")
    np.testing.assert_allclose(kernel.fit_transform(several), slices, rtol=0.01)
    assert (kernel.gram(several) >= slices - 1e-12).all()


def test_random_directions_are_drawn_once():
    kernel = SlicedWassersteinKernel(1.0, 4, rule="random").fit(X)
    assert (kernel.transform(X) == kernel.transform(X)).all()
    np.testing.assert_allclose(kernel.transform(X[:2]), kernel.transform(X)[:2])
    seeded = SlicedWassersteinKernel(1.0, 4, rule="random", random_state=5)
    thetas = directions(4, "random", 5)
    expected = np.exp(-slice_costs(X[0], X[7], thetas).mean() / 2)
    assert seeded(X[0], X[7]) == pytest.approx(expected)
    assert seeded.fit(X).transform([X[0]])[0, 7] == pytest.approx(expected)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cityblock_matrices(monkeypatch, n_jobs):
    monkeypatch.setattr(distances_module, "_TILE_WORK", 300)
    vectors, others = RNG.normal(size=(11, 30)), RNG.normal(size=(4, 30))
    calls = []
    found = cityblock_matrix(
        vectors, n_jobs=n_jobs, progress=lambda *call: calls.append(call)
    )
    np.testing.assert_allclose(found, cdist(vectors, vectors, "cityblock"))
    assert (found == found.T).all()
    assert calls[-1] == (55, 55)
    found = cityblock_matrix(vectors, others.astype("float32"), n_jobs=n_jobs)
    np.testing.assert_allclose(found, cdist(vectors, others, "cityblock"), rtol=1e-6)
    assert cityblock_matrix(vectors[:0]).shape == (0, 0)
    assert cityblock_matrix(vectors, others[:0]).shape == (11, 0)


def test_huge_and_tiny_sigmas():
    gram = kernel_from_distances([[0.0, 1.0], [1.0, 0.0]], 1e-200)
    assert gram.tolist() == [[1, 0], [0, 1]]
    assert kernel_from_distances([[0.0, 1.0]], 1e200).tolist() == [[1, 1]]
    assert kernel_from_distances([[0.0, np.inf]], 1.0).tolist() == [[1, 0]]


def test_several_dimensions_are_combined_as_documented():
    first, second = X[:4], X[4:8]
    both = DiagramSet({0: first, 1: second})
    grams = {}
    for kernel in (
        SlicedWassersteinKernel(0.7, 5),
        DiagramDistanceKernel(0.7),
        PersistenceWeightedGaussianKernel(2, 0.3, 0.8, 2),
        PersistenceScaleSpaceKernel(0.1),
    ):
        grams = [clone(kernel).fit_transform(one) for one in (first, second)]
        product = clone(kernel).set_params(combine="product").fit_transform(both)
        mean = clone(kernel).set_params(combine="mean").fit_transform(both)
        np.testing.assert_allclose(product, grams[0] * grams[1], rtol=1e-10)
        np.testing.assert_allclose(mean, (grams[0] + grams[1]) / 2, rtol=1e-10)
        default = clone(kernel).fit_transform(both)
        is_inner_product = isinstance(kernel, PersistenceScaleSpaceKernel)
        assert (default == (mean if is_inner_product else product)).all()
        only = clone(kernel).set_params(dimensions=[1]).fit(both)
        np.testing.assert_allclose(only.transform(both), grams[1], rtol=1e-10)
        np.testing.assert_allclose(
            clone(kernel)(both[0], both[1]), default[0, 1], rtol=1e-10
        )
    distances = SlicedWassersteinKernel(n_directions=5).distances(both)
    assert distances.shape == (2, 4, 4)
    np.testing.assert_allclose(
        kernel_from_distances(distances, 0.7),
        SlicedWassersteinKernel(0.7, 5).gram(both),
    )


@pytest.mark.parametrize("cls", [SlicedWassersteinKernel, DiagramDistanceKernel])
def test_weights_multiply_the_distances_of_a_dimension(cls):
    plain = cls().distances(BOTH)
    weighted = cls(weights={0: 0.25}).distances(BOTH)
    np.testing.assert_allclose(weighted, plain * [[[0.25]], [[1.0]]])
    # A dimension of weight 0 does not count.
    np.testing.assert_allclose(
        cls(0.7, weights={0: 0}).gram(BOTH), cls(0.7, dimensions=(1,)).gram(BOTH)
    )


def test_parameters_by_homology_dimension():
    both = DiagramSet({0: X[:4], 1: X[4:8]})
    kernel = PersistenceWeightedGaussianKernel({0: 1, 1: 2}, {0: 0.1, 1: 0.4})
    expected = PersistenceWeightedGaussianKernel(1, 0.1).gram(X[:4])
    expected *= PersistenceWeightedGaussianKernel(2, 0.4).gram(X[4:8])
    np.testing.assert_allclose(kernel.gram(both), expected)
    with pytest.raises(ParameterError, match="K has no value for homology dimension"):
        PersistenceWeightedGaussianKernel({0: 1}).gram(both)


@pytest.mark.parametrize("t", [1e-3, 0.1, 20])
@pytest.mark.parametrize("method", ["direct", "grid"])
def test_scale_space_kernel_is_the_papers(t, method):
    kernel = PersistenceScaleSpaceKernel(t, method=method).fit(X)
    expected = np.array([[naive.pss(A, B, t) for B in X] for A in Y])
    size = 1 / (8 * np.pi * t)
    np.testing.assert_allclose(
        kernel.transform(Y), expected, rtol=1e-10, atol=1e-13 * size
    )


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("method", ["direct", "grid"])
@pytest.mark.parametrize(("K", "rho", "tau", "p"), [(1, 1, 1, 1), (30, 0.05, 0.4, 4)])
def test_weighted_gaussian_kernel_is_the_papers(K, rho, tau, p, method, squared):
    form = "squared" if squared else "paper"
    kernel = PersistenceWeightedGaussianKernel(
        K, rho, tau, p, method=method, form=form
    ).fit(X)
    expected = [[naive.pwg(A, B, K, rho, tau, p, squared) for B in X] for A in Y]
    # The oracle subtracts norms, which costs half of its digits.
    np.testing.assert_allclose(kernel.transform(Y), expected, rtol=1e-7, atol=1e-14)


def test_fourier_features_come_closer_the_more_there_are():
    truth = PersistenceWeightedGaussianKernel(5, 0.2).mean_distances(X)
    errors = []
    for n_features in (100, 20_000):
        kernel = PersistenceWeightedGaussianKernel(
            5, 0.2, method="fourier", n_features=n_features, random_state=0
        )
        errors.append(np.abs(kernel.mean_distances(X) - truth).max())
    assert errors[1] < 0.02 * truth.max() < 0.3 * errors[0] + 0.02 * truth.max()
    assert errors[1] < errors[0] / 4


def test_heuristics_of_the_authors():
    several = [
        [(0, 1), (0, 3), (2, 9)],
        [(0, 2), (4, 5)],
        [(1, 2)],
        [],
    ]
    learnt = pwg_heuristics(several, p=2)
    # Medians of persistence 3, 1.5, 1; of distances sqrt(40), 5.
    assert learnt.K[None] == pytest.approx(1.5**-2)
    assert learnt.rho[None] == pytest.approx((40**0.5 + 5) / 2)
    kernel = PersistenceWeightedGaussianKernel(**learnt.scaled())
    distances = kernel.mean_distances(several)[0]
    assert learnt.tau == pytest.approx(np.median(distances[np.triu_indices(4, 1)]))
    scaled = learnt.scaled(K=10, rho=0.1, tau=100)
    assert scaled["K"][None] == pytest.approx(10 * learnt.K[None])
    assert scaled["tau"] == pytest.approx(100 * learnt.tau)
    for useless in ([[], []], [[(0, 1)], [(0, 2)]], [[(1, 1), (1, 1)]]):
        with pytest.raises(ParameterError, match="no scale can be learnt"):
            pwg_heuristics(useless)
    with pytest.raises(ParameterError, match="homology dimension 1"):
        pwg_heuristics(DiagramSet({0: several, 1: [[]] * 4}))


def test_values_of_gudhis_kernels_with_its_conventions():
    several = [FAMILIES["uniform"](RNG, n) for n in (20, 31, 12)]
    # SW: exp(-SW / bandwidth), so bandwidth = 2 sigma^2; its last direction is lost.
    M = 9
    found = theirs.SlicedWassersteinKernel(M, bandwidth=0.5).fit(several)
    thetas = directions(M)[:-1]
    ours = [
        [np.exp(-slice_costs(A, B, thetas).mean() / 0.5) for B in several]
        for A in several
    ]
    np.testing.assert_allclose(found.transform(several), ours, rtol=1e-10)
    # PSS: bandwidth^2 = 4 t, and 1 / (sqrt(2 pi) bandwidth) in front.
    t = 0.07
    bandwidth = 2 * t**0.5
    found = theirs.PersistenceScaleSpaceKernel(bandwidth).fit(several)
    scale = np.sqrt(2 * np.pi) * bandwidth / (8 * np.pi * t)
    np.testing.assert_allclose(
        PersistenceScaleSpaceKernel(t).fit_transform(several),
        scale * found.transform(several),
        rtol=1e-9,
    )
    # PWG: the inner product of the mu only, with 1 / (sqrt(2 pi) bandwidth) in front.
    rho = 0.3
    found = theirs.PersistenceWeightedGaussianKernel(
        rho, weight=lambda x: np.arctan(2 * (x[1] - x[0]) ** 3)
    ).fit(several)
    inner = np.sqrt(2 * np.pi) * rho * found.transform(several)
    kernel = PersistenceWeightedGaussianKernel(2, rho, p=3)
    np.testing.assert_allclose(
        kernel.mean_distances(several)[0], rkhs_distance(inner), rtol=1e-6, atol=1e-7
    )


def test_gaussian_on_d1_is_no_kernel():
    example = d1_counterexample()
    distances = DiagramDistanceKernel().distances(example)[0]
    expected = np.full((6, 6), 2.0)
    expected[:2, 2:] = expected[2:, :2] = 1
    np.fill_diagonal(expected, 0)
    assert distances.tolist() == expected.tolist()
    for sigma in (0.5, 0.95, 0.96, 1.5, 5):
        s = np.exp(-1 / (2 * sigma**2))
        known = 1 + 2 * s**2 - np.sqrt(s**4 + 8 * s**2)
        gram = DiagramDistanceKernel(sigma).fit_transform(example)
        assert eigenvalues(gram)[-1] == pytest.approx(known, abs=1e-12)
        assert (known < 0) == (sigma > 0.954)
        gram = SlicedWassersteinKernel(sigma, "exact").fit_transform(example)
        assert eigenvalues(gram)[-1] > 0
    assert conditional_negativity(distances) > 0.3
    distances = SlicedWassersteinKernel(n_directions="exact").distances(example)[0]
    assert conditional_negativity(distances) < 0


def test_rkhs_distance():
    vectors = RNG.normal(size=(5, 3))
    found = rkhs_distance(vectors @ vectors.T)
    expected = np.linalg.norm(vectors[:, None] - vectors, axis=2)
    np.testing.assert_allclose(found, expected, atol=1e-7)
    assert (np.diag(found) == 0).all()
    assert rkhs_distance([[1, 2], [2, 1]]).tolist() == [[0, 0], [0, 0]]
    for bad in ([[1, 2]], [[np.nan]], "no", [1.0]):
        with pytest.raises(ParameterError, match="gram"):
            rkhs_distance(bad)


def test_universal_kernel():
    inner = SlicedWassersteinKernel(0.7, 7)
    np.testing.assert_allclose(
        UniversalKernel(inner).fit_transform(X), np.exp(inner.fit_transform(X))
    )
    default = UniversalKernel().fit(X)
    np.testing.assert_allclose(
        default.transform(Y), np.exp(SlicedWassersteinKernel().fit(X).transform(Y))
    )
    deep = UniversalKernel(inner).get_params()
    assert deep["kernel__sigma"] == 0.7
    with pytest.raises(ParameterError, match="too large"):
        UniversalKernel(PersistenceScaleSpaceKernel(1e-9)).fit_transform(X)
    with pytest.raises(ParameterError, match="one of swviz"):
        UniversalKernel("rbf").fit(X)


@everything
def test_clone_pickle_and_parameters(kernel):
    copy = clone(kernel)
    assert copy.get_params(deep=False).keys() == kernel.get_params(deep=False).keys()
    with pytest.raises(NotFittedError):
        copy.transform(X)
    copy.fit(X)
    again = pickle.loads(pickle.dumps(copy))
    assert (again.transform(Y) == copy.transform(Y)).all()
    assert type(kernel).__name__ in repr(kernel)


@everything
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_estimator_tags_renamed,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_mixin_order,
    ],
    ids=lambda check: check.__name__,
)
def test_estimator_checks_of_scikit_learn(kernel, check):
    check(type(kernel).__name__, type(kernel)())


@pytest.mark.parametrize("form", ["list", "set"])
def test_grid_search_in_a_pipeline(form):
    labels = np.repeat(["near", "far"], 10)
    several = [
        np.sort(RNG.random((6, 2)), axis=1) * [1, 1 + (label == "far")]
        for label in labels
    ]
    data = DiagramSet({0: several, 1: several[::-1][::-1]})
    pipeline = Pipeline(
        [("kernel", SlicedWassersteinKernel()), ("svm", SVC(kernel="precomputed"))]
    )
    search = GridSearchCV(
        pipeline,
        [
            {"kernel__sigma": [0.1, 1.0], "svm__C": [1, 100]},
            {"kernel": [PersistenceScaleSpaceKernel(0.1)], "kernel__t": [0.1, 1.0]},
            {"kernel": [UniversalKernel(SlicedWassersteinKernel())]},
        ],
        cv=3,
        error_score="raise",
    )
    samples = data if form == "set" else several
    search.fit(samples, labels)
    assert search.best_score_ > 0.8
    assert search.score(samples, labels) > 0.8


@pytest.mark.parametrize("method", ["direct", "grid"])
@pytest.mark.parametrize(
    "kernel", [PersistenceScaleSpaceKernel(0.1), PersistenceWeightedGaussianKernel()]
)
def test_progress_and_cancelling(kernel, method):
    kernel = clone(kernel).set_params(method=method)
    calls = []
    kernel.gram(X, progress=lambda done, total: calls.append((done, total)))
    pairs = len(X) * (len(X) - 1) // 2
    assert calls[-1] == (pairs, pairs)
    assert calls == sorted(calls)
    kernel.gram(BOTH, BOTH[:2], progress=lambda *call: calls.append(call))
    assert calls[-1] == (4 * len(X), 4 * len(X))

    def cancel(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kernel.gram(X, progress=cancel)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (SlicedWassersteinKernel(0), "sigma must be"),
        (SlicedWassersteinKernel(-1.0), "sigma must be"),
        (SlicedWassersteinKernel(float("nan")), "sigma must be"),
        (SlicedWassersteinKernel(np.inf), "sigma must be"),
        (SlicedWassersteinKernel("1"), "sigma must be"),
        (SlicedWassersteinKernel(True), "sigma must be"),
        (SlicedWassersteinKernel(n_directions=0), "n_directions must be"),
        (SlicedWassersteinKernel(n_directions="all"), "n_directions must be"),
        (SlicedWassersteinKernel(rule="best"), "rule must be"),
        (SlicedWassersteinKernel(method="fast"), "method must be"),
        (SlicedWassersteinKernel(method="embedding", n_bins=0), "n_bins must be"),
        (
            SlicedWassersteinKernel(n_directions="exact", method="embedding"),
            "embedding needs a number",
        ),
        (SlicedWassersteinKernel(combine="sum"), "combine must be"),
        (SlicedWassersteinKernel(weights={1: -1}), "weight of dimension 1"),
        (DiagramDistanceKernel(weights={0: "much"}), "weight of dimension 0"),
        (DiagramDistanceKernel(p=0.5), "p must be"),
        (PersistenceScaleSpaceKernel(0), "t must be"),
        (PersistenceScaleSpaceKernel(method="fourier"), "method must be"),
        (PersistenceScaleSpaceKernel(1e-20, method="grid"), "too narrow for a grid"),
        (PersistenceWeightedGaussianKernel(K=-1), "K must be"),
        (PersistenceWeightedGaussianKernel(rho={None: 0}), "rho must be"),
        (PersistenceWeightedGaussianKernel(tau=0), "tau must be"),
        (PersistenceWeightedGaussianKernel(p=0), "p must be"),
        (PersistenceWeightedGaussianKernel(form="gauss"), "form must be"),
        (PersistenceWeightedGaussianKernel(n_features=0), "n_features must be"),
    ],
)
def test_bad_parameters_are_refused(kernel, words):
    with pytest.raises(ParameterError, match=words):
        kernel.fit(X).transform(X)
    with pytest.raises(ParameterError, match=words):
        kernel(X[0], X[1])


def test_bad_samples_are_refused():
    kernel = SlicedWassersteinKernel()
    with pytest.raises(DiagramError, match="empty"):
        kernel.fit([])
    with pytest.raises(DiagramError, match="diagram 1"):
        kernel.fit([[], [(1, 0)]])
    with pytest.raises(DiagramError, match="expected a list"):
        kernel.fit(3)
    with pytest.raises(DiagramError, match="expected a list"):
        kernel.fit({0: X})
    with pytest.raises(DiagramError, match="mixes"):
        kernel.fit([X[0], BOTH[0]])
    with pytest.raises(DiagramError, match="different homology dimensions"):
        kernel.fit([BOTH[0], DiagramSet({1: X[:1]})])
    with pytest.raises(DiagramError, match="dimensions differ"):
        kernel.fit(BOTH).transform(X)
    with pytest.raises(DiagramError, match="one sample"):
        kernel(BOTH, BOTH)
    with pytest.raises(DiagramError, match="no homology dimension 2"):
        SlicedWassersteinKernel(dimensions=[2]).fit(BOTH)
    with pytest.raises(ParameterError, match="dimensions is empty"):
        SlicedWassersteinKernel(dimensions=[]).fit(BOTH)
    with pytest.raises(ParameterError, match="plain list"):
        SlicedWassersteinKernel(dimensions=[0]).fit(X)
    one = DiagramSet({1: X})
    assert (kernel.fit(one).transform(Y) == kernel.fit(X).transform(Y)).all()
    for bad in ([[-1.0]], [[np.nan]], [1.0], "no"):
        with pytest.raises(ParameterError, match="distances must"):
            kernel_from_distances(bad)
