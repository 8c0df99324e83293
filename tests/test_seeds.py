"""The same kinds of `random_state` in every function of the library."""

import numpy as np
import pytest
from sklearn.base import clone

import swviz as sw
from swviz.errors import ParameterError
from swviz.learning import (
    SlicedWassersteinFeatures,
    evaluate_kernel,
    evaluate_svm,
    mmd_between_classes,
    mmd_from_gram,
    random_splits,
    tune_on_distances,
)
from swviz.seeds import as_generator, as_random_state, as_seed, fixed_seed
from swviz.studies import (
    AnglePlan,
    PairDistances,
    accuracy_study,
    draw_diagrams,
    ratio_study,
    sample_diagrams,
    sample_pairs,
)
from tests.learning_data import LABELS, SET, TEST, TRAIN

H1 = SET.in_dimension(1)
D = sw.sliced_wasserstein_matrix(H1, n_directions=4)
GRAM = sw.kernels.kernel_from_distances(D)
RANDOM = sw.SlicedWassersteinKernel(n_directions=3, rule="random")
FOURIER = sw.PersistenceWeightedGaussianKernel(method="fourier", n_features=20)

CALLS = {
    "directions": lambda r: sw.directions(3, "random", r),
    "one pair": lambda r: sw.sliced_wasserstein(
        H1[0], H1[1], 3, rule="random", random_state=r
    ),
    "matrix": lambda r: sw.sliced_wasserstein_matrix(
        H1, n_directions=3, rule="random", random_state=r
    ),
    "SW": lambda r: clone(RANDOM).set_params(random_state=r).fit_transform(H1),
    "SW, unfitted": lambda r: clone(RANDOM).set_params(random_state=r).gram(H1),
    "universal": lambda r: (
        sw.UniversalKernel(RANDOM).set_params(kernel__random_state=r).fit_transform(H1)
    ),
    "PWG": lambda r: clone(FOURIER).set_params(random_state=r).fit_transform(H1),
    "embedding": lambda r: sw.SlicedWassersteinEmbedding(
        3, 16, rule="random", random_state=r
    ).fit_transform(H1),
    "features": lambda r: SlicedWassersteinFeatures(
        1.0, 5, n_bins=16, random_state=r
    ).fit_transform(H1),
    "splits": lambda r: random_splits(LABELS, 2, random_state=r)[1][0],
    "stratified": lambda r: random_splits(
        LABELS, 2, random_state=r, stratify=True
    )[1][0],
    "evaluate_kernel": lambda r: evaluate_kernel(
        RANDOM, SET, n_runs=1, n_splits=2, random_state=r
    ).runs[0].train,
    "evaluate_svm": lambda r: evaluate_svm(
        GRAM, LABELS, TRAIN, TEST, n_splits=3, random_state=r
    ).cv_accuracy,
    "tune": lambda r: tune_on_distances(
        D, LABELS, TRAIN, TEST, n_splits=2, random_state=r
    ).grid.accuracies,
    "mmd_test": lambda r: sw.mmd_test(
        H1[:8], H1[8:], n_permutations=19, random_state=r
    ).permutations,
    "mmd_from_gram": lambda r: mmd_from_gram(GRAM, 8, 19, r).permutations,
    "mmd_between_classes": lambda r: mmd_between_classes(
        GRAM, LABELS, "a", "b", 19, r
    ).permutations,
    "draw_diagrams": lambda r: draw_diagrams(20, 10, r),
    "pairs": lambda r: PairDistances(
        H1[:5], n_directions=3, rule="random", random_state=r
    ).run().sw.copy(),
    "sample_pairs": lambda r: sample_pairs(20, 10, r),
    "sample_diagrams": lambda r: sample_diagrams(20, 10, None, r),
    "angles": lambda r: AnglePlan([1, 4], 3, r).angles,
    "ratios": lambda r: ratio_study(
        H1[:5], (1, 4), n_pairs=6, n_draws=2, random_state=r
    ).exact,
    "orbits": lambda r: sw.sources.orbits(
        r=(2.5,), n_orbits=2, n_points=30, random_state=r, cache=False
    ).in_dimension(1)[0],
    "clouds": lambda r: sw.sources.point_clouds(
        n_clouds=1, n_points=30, random_state=r, cache=False
    ).in_dimension(1)[0],
    "random diagrams": lambda r: sw.sources.random_diagrams(
        n_diagrams=2, random_state=r
    ).in_dimension(1)[0],
}  # fmt: skip
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


@every_call
@pytest.mark.parametrize(
    "make",
    [
        lambda: 3,
        lambda: np.int64(3),
        lambda: np.random.RandomState(3),
        lambda: np.random.default_rng(3),
    ],
    ids=["int", "int64", "RandomState", "Generator"],
)
def test_equal_states_give_equal_results(call, make):
    np.testing.assert_array_equal(call(make()), call(make()))


@every_call
def test_none_is_taken(call):
    call(None)


@every_call
@pytest.mark.parametrize(
    "bad", ["x", -1, 1.5, [1, 2], True, 2**32, object(), np.random]
)
def test_everything_else_is_refused(call, bad):
    with pytest.raises(ParameterError, match="random_state must be a whole number"):
        call(bad)


def test_a_generator_moves_on():
    generator = np.random.default_rng(0)
    drawn = [sw.directions(3, "random", generator) for _ in range(2)]
    assert not np.array_equal(*drawn)
    first = np.random.RandomState(np.random.default_rng(0).bit_generator)
    np.testing.assert_array_equal(
        drawn[0], np.sort(np.pi * (first.uniform(size=3) - 0.5))
    )
    legacy = np.random.RandomState(0)
    assert as_generator(legacy).random() != as_generator(legacy).random()


def test_seeds():
    assert as_seed(5) == as_seed(np.int64(5)) == 5
    assert as_seed(None) is as_seed(np.random.default_rng(0)) is None
    assert fixed_seed(2**32 - 1) == 2**32 - 1
    assert 0 <= fixed_seed(None) < 2**31
    generator = np.random.default_rng(1)
    assert as_generator(generator) is generator
    legacy = np.random.RandomState(1)
    assert as_random_state(legacy) is legacy


def test_the_same_halves_for_every_number_of_directions():
    study = accuracy_study(
        H1, LABELS, (4, 4), n_runs=2, random_state=np.random.default_rng(0)
    )
    np.testing.assert_array_equal(study.accuracies[0], study.accuracies[1])
