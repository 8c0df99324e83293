"""The matrices that runs of the protocol share, and one run on them."""

import time

import numpy as np
import pytest
from sklearn.base import clone

from swviz import ParameterError
from swviz.kernels import (
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
    UniversalKernel,
    pwg_heuristics,
)
from swviz.learning import (
    C_GRID,
    FACTORS,
    PWG_GRID,
    DistanceCandidates,
    candidate_source,
    candidate_sources,
    random_splits,
    tune_and_test,
)
from swviz.learning.pair_matrices import PairMatrix, Pairs
from tests.learning_data import KERNELS, LABELS, SET, TEST, TRAIN

FOURIER = PersistenceWeightedGaussianKernel(p=2, method="fourier", n_features=4000)
SPLITS = random_splits(LABELS, 3, 0.3, 0, stratify=True)
FIXED = [(TRAIN, TEST)]


class Compared:
    """A matrix of index pairs that remembers what it was asked for."""

    def __init__(self):
        self.shapes = []

    def __call__(self, X, Y, progress):
        others = X if Y is None else Y
        self.shapes.append((len(X), len(others)))
        if Y is None:
            assert len(X) == len({one[0, 0] for one in X})
        return np.array([[100 * a[0, 0] + b[0, 0] for b in others] for a in X])


def numbered(count):
    return [np.array([[float(index), 100.0]]) for index in range(count)]


def expected(rows, columns):
    return 100.0 * np.asarray(rows)[:, None] + np.asarray(columns)


@pytest.mark.parametrize("keep", [True, False])
def test_each_run_gets_its_part_of_a_matrix(keep):
    splits = [
        (np.array([7, 0, 3]), np.array([1, 9])),
        (np.array([1, 3]), np.array([0, 8, 5])),
    ]
    compute = Compared()
    matrix = PairMatrix(numbered(10), compute, Pairs(10, splits), keep=keep)
    for train, test in splits:
        np.testing.assert_array_equal(matrix.inner(train), expected(train, train))
        outer = matrix.outer(train, test)
        np.testing.assert_array_equal(outer, expected(test, train))
    if keep:
        # 0, 1, 3, 7 are trained on by some run; 5, 8, 9 are tested only; 2, 4, 6 never
        # come up.
        assert compute.shapes == [(4, 4), (3, 4)]
    else:
        assert compute.shapes == [(3, 3), (2, 3), (2, 2), (3, 2)]


def test_a_fixed_split_never_compares_test_samples():
    compute = Compared()
    matrix = PairMatrix(numbered(24), compute, Pairs(24, FIXED))
    for _ in range(2):
        matrix.inner(TRAIN)
    assert compute.shapes == [(16, 16)]
    for _ in range(2):
        matrix.outer(TRAIN, TEST)
    assert compute.shapes == [(16, 16), (8, 16)]


def test_without_splits_all_pairs_are_compared_once():
    compute = Compared()
    matrix = PairMatrix(numbered(24), compute, Pairs(24))
    for train, test in SPLITS:
        np.testing.assert_array_equal(matrix.inner(train), expected(train, train))
        outer = matrix.outer(train, test)
        np.testing.assert_array_equal(outer, expected(test, train))
    assert compute.shapes == [(24, 24)]


def test_times_are_those_of_one_run_whoever_came_first():
    ticks = iter(range(100))
    for keep in (True, False):
        matrix = PairMatrix(
            numbered(24),
            Compared(),
            Pairs(24, FIXED),
            keep=keep,
            clock=lambda: next(ticks),
        )
        for _ in range(3):
            matrix.inner(TRAIN)
            matrix.outer(TRAIN, TEST)
            assert matrix.seconds == 2


@pytest.mark.parametrize("splits", [SPLITS, FIXED], ids=["random", "fixed"])
@pytest.mark.parametrize("name", list(KERNELS))
def test_candidates_are_the_kernel_at_each_setting(name, splits):
    source = candidate_source(KERNELS[name], SET, splits)
    for train, test in splits[-1:]:
        found = source.candidates(train, test)
        grams = list(found.train_grams())
        assert len(grams) == len(found.settings) in (13, 15, 125)
        for index in (0, len(grams) // 2, len(grams) - 1):
            kernel = clone(KERNELS[name]).set_params(**found.settings[index])
            kernel.fit(SET[train])
            inner, outer = found.final_grams(index)
            np.testing.assert_array_equal(grams[index], inner)
            close = {"rtol": 1e-9, "atol": 1e-12}
            np.testing.assert_allclose(inner, kernel.gram(SET[train]), **close)
            np.testing.assert_allclose(
                outer, kernel.gram(SET[test], SET[train]), **close
            )
        assert found.seconds > 0


@pytest.mark.parametrize("name", ["SW", "PSS", "PWG", "embedding"])
def test_a_source_serves_kernels_on_some_of_its_dimensions(name):
    train, test = FIXED[0]
    source = candidate_source(KERNELS[name], SET, FIXED)
    for dimensions in ((0, 1), (1,), (0,)):
        found = source.candidates(train, test, dimensions=dimensions)
        alone = clone(KERNELS[name]).set_params(dimensions=dimensions)
        other = candidate_source(alone, SET, FIXED).candidates(train, test)
        assert found.settings == other.settings
        for ours, theirs in zip(found.train_grams(), other.train_grams(), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_nothing_is_computed_twice(monkeypatch):
    calls = []
    for kind, method in (
        (SlicedWassersteinKernel, "distances"),
        (PersistenceScaleSpaceKernel, "gram"),
        (PersistenceWeightedGaussianKernel, "mean_distances"),
    ):
        real = getattr(kind, method)

        def counted(self, X, Y=None, *, real=real, **options):
            calls.append((type(self).__name__, len(X), Y is None))
            return real(self, X, Y, **options)

        monkeypatch.setattr(kind, method, counted)
    for name, inner, outer in (("SW", 2, 2), ("PSS", 26, 2), ("PWG", 50, 2)):
        calls.clear()
        source = candidate_source(KERNELS[name], SET, FIXED)
        for _ in range(2):
            for dimensions in ((0,), (1,), (0, 1)):
                found = source.candidates(TRAIN, TEST, dimensions=dimensions)
                for _ in found.train_grams():
                    pass
                found.final_grams(6)
        assert [c[2] for c in calls].count(True) == inner
        assert [c[2] for c in calls].count(False) == outer


@pytest.mark.parametrize("name", ["PSS", "PWG", "fourier"])
def test_what_does_not_fit_is_computed_again(name, monkeypatch):
    kernel = clone(FOURIER if name == "fourier" else KERNELS[name])
    if name == "fourier":
        kernel.set_params(n_features=50, random_state=1)
    train, test = SPLITS[0]
    first = candidate_source(kernel, SET, SPLITS).candidates(train, test)
    monkeypatch.setattr(candidate_sources, "_KEPT_BYTES", 0)
    second = candidate_source(kernel, SET, SPLITS).candidates(train, test)
    for ours, theirs in zip(first.settings, second.settings, strict=True):
        for parameter, value in ours.items():
            assert value == pytest.approx(theirs[parameter], rel=1e-6)
    # Sums of features in another order move a bandwidth by 1e-6 of itself, and so an
    # exponent of -10 by 2e-5: more than that of e^-27 is below the absolute bound.
    for ours, theirs in zip(first.train_grams(), second.train_grams(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=6e-5, atol=1e-12)
    for ours, theirs in zip(first.final_grams(7), second.final_grams(7), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=6e-5, atol=1e-12)


def test_both_forms_of_the_weighted_kernel_share_distances():
    source = candidate_source(KERNELS["PWG"], SET, SPLITS)
    train, test = SPLITS[0]
    paper, squared = (
        source.candidates(train, test, form=form) for form in ("paper", "squared")
    )
    assert paper.settings == squared.settings
    spent = paper.seconds
    both = list(zip(paper.train_grams(), squared.train_grams(), strict=True))
    assert paper.seconds == squared.seconds > spent
    middle = PWG_GRID.index((1.0, 1.0, 1.0))
    for gram, form in zip(both[middle], ("paper", "squared"), strict=True):
        kernel = PersistenceWeightedGaussianKernel(**paper.settings[middle], form=form)
        np.testing.assert_allclose(gram, kernel.gram(SET[train]), rtol=1e-9)
    assert (both[middle][0] != both[middle][1]).any()


def test_the_heuristics_of_the_weighted_kernel_are_learnt_in_training():
    train, test = SPLITS[1]
    found = candidate_source(KERNELS["PWG"], SET, SPLITS).candidates(train, test)
    learnt = pwg_heuristics(SET[train], 2)
    for setting, factors in zip(found.settings, PWG_GRID, strict=True):
        wanted = learnt.scaled(*factors)
        assert setting["p"] == 2
        for name in ("K", "rho", "tau"):
            assert setting[name] == pytest.approx(wanted[name], rel=1e-12)


def test_random_features_are_a_runs_own_and_near_what_they_approximate():
    source = candidate_source(FOURIER, SET, SPLITS)
    train, test = SPLITS[0]
    middle = PWG_GRID.index((1.0, 1.0, 1.0))

    def gram(seed):
        found = source.candidates(train, test, random_state=seed)
        return found.final_grams(middle)[0]

    first, again, other = gram(0), gram(0), gram(1)
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    exact = candidate_source(KERNELS["PWG"], SET, SPLITS).candidates(train, test)
    true = exact.final_grams(middle)[0]
    assert 0 < np.abs(first - true).max() < 0.05


def test_runs_that_share_matrices_differ_in_little():
    source = candidate_source(KERNELS["SW"], SET, FIXED)
    with pytest.raises(ParameterError, match=r"not in \['n_directions'\]"):
        source.candidates(TRAIN, TEST, n_directions=3)
    with pytest.raises(ParameterError, match=r"homology dimensions \[2\]"):
        source.candidates(TRAIN, TEST, dimensions=(2,))
    with pytest.raises(ParameterError, match="not one of those"):
        source.candidates(TEST, TRAIN)
    with pytest.raises(ParameterError, match="splits is empty"):
        candidate_source(KERNELS["SW"], SET, [])
    with pytest.raises(ParameterError, match="no grid for UniversalKernel"):
        candidate_source(UniversalKernel(), SET, FIXED)
    with pytest.raises(ParameterError, match=r"dimensions \[5\]"):
        candidate_source(SlicedWassersteinKernel(weights={5: 1.0}), SET, FIXED)
    with pytest.raises(ParameterError, match="p must be"):
        bad = PersistenceWeightedGaussianKernel(p=-1)
        candidate_source(bad, SET, FIXED).candidates(TRAIN, TEST)


@pytest.mark.parametrize("name", ["SW", "PSS", "embedding"])
def test_progress_of_what_is_shared_goes_up_to_its_end_once(name):
    told = []
    source = candidate_source(KERNELS[name], SET, FIXED)
    for _ in range(2):
        source.candidates(
            TRAIN, TEST, progress=lambda done, total: told.append(done / total)
        )
    if name == "embedding":
        # Each run has its own.
        assert len(told) % 2 == 0
        told = told[: len(told) // 2]
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_progress_of_a_run_goes_through_all_settings():
    told, seen = [], []
    tune_and_test(
        candidate_source(KERNELS["SW"], SET, FIXED).candidates(TRAIN, TEST),
        LABELS,
        TRAIN,
        TEST,
        n_splits=2,
        progress=lambda *step: told.append(step),
        watch=seen.append,
    )
    assert told == [(index, 15) for index in range(1, 16)]
    assert len(seen) == 15


def test_test_samples_have_no_say_in_a_run():
    found = candidate_source(KERNELS["SW"], SET, FIXED).candidates(TRAIN, TEST)
    spoilt = DistanceCandidates(found.inner, np.zeros_like(found.outer), "product")
    reports = [
        tune_and_test(one, LABELS, TRAIN, TEST, n_splits=3) for one in (found, spoilt)
    ]
    assert reports[0].parameters == reports[1].parameters
    assert reports[0].C == reports[1].C
    assert reports[0].accuracy > reports[1].accuracy


def test_times_are_by_the_clock_that_was_given():
    source = candidate_source(KERNELS["SW"], SET, FIXED, clock=time.process_time)
    start = time.process_time()
    report = tune_and_test(source.candidates(TRAIN, TEST), LABELS, TRAIN, TEST)
    spent = time.process_time() - start
    assert 0 < report.gram_seconds + report.tuning_seconds <= spent

    stopped = candidate_source(KERNELS["SW"], SET, FIXED, clock=lambda: 0.0)
    report = tune_and_test(stopped.candidates(TRAIN, TEST), LABELS, TRAIN, TEST)
    assert report.gram_seconds == report.tuning_seconds == 0


def test_the_grid_of_the_weighted_kernel_is_the_papers():
    assert len(PWG_GRID) == len(set(PWG_GRID)) == 125
    assert PWG_GRID[0] == (FACTORS[0],) * 3
    assert len(C_GRID) == 7
