"""What the runs of the protocol share, kernel by kernel.

What no run learns is computed once for all of them: the distances of k_SW and d1, the
13 matrices of k_PSS, whose scales are fixed beforehand. Matrices are kept one for each
homology dimension, so that kernels on H0, on H1 and on both share them, too.
"""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from swviz.diagrams import Diagram, DiagramSet
from swviz.errors import ParameterError
from swviz.kernels import (
    DiagramKernel,
    DistanceKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.kernels.base import stage
from swviz.kernels.inputs import ByDimension, Samples, as_samples, by_dimension
from swviz.learning.candidates import (
    Candidates,
    DistanceCandidates,
    MeanDistances,
    ScaleSpaceCandidates,
    WeightedGaussianCandidates,
)
from swviz.learning.grids import FACTORS, PSS_GRID
from swviz.learning.pair_matrices import Clock, PairMatrix, Pairs, check_split
from swviz.learning.svm import Split
from swviz.seeds import fixed_seed
from swviz.typing import Floats, Ints, Progress

_KEPT_BYTES = 1 << 29
"""Matrices that take more than this are computed anew whenever they are needed."""


@dataclass(frozen=True)
class _Run:
    """A kernel on some homology dimensions, and the split it is tuned on."""

    kernel: Any
    dimensions: list[int | None]
    train: Ints
    test: Ints


class CandidateSource(ABC):
    """Makes the candidates of each run, and keeps what runs share.

    Parameters
    ----------
    kernel : DiagramKernel
    X : list of diagrams, or DiagramSet
    splits : sequence of (train, test) or None
        Of all runs, as indices; None if any may come.
    clock : callable
    factors : sequence of float, optional
        For kernels of a distance, as in :class:`DistanceCandidates`.
    """

    changeable: tuple[str, ...] = ("dimensions", "combine")
    """Parameters of the kernel that do not change what is shared."""

    def __init__(
        self,
        kernel: DiagramKernel,
        X: Samples,
        splits: Sequence[Split] | None,
        clock: Clock,
        factors: Sequence[float] | None = None,
    ) -> None:
        self._kernel: Any = clone(kernel)
        self._X, self._clock, self._factors = X, clock, factors
        self._diagrams: ByDimension = by_dimension(X, kernel.dimensions)
        self._pairs = Pairs(len(X), splits)
        self._prepare()

    def candidates(
        self,
        train: Ints,
        test: Ints,
        *,
        progress: Progress | None = None,
        **changes: Any,
    ) -> Candidates:
        """Candidates for one run.

        Parameters
        ----------
        train, test : ndarrays of int
            One of the splits, if the source knows them.
        progress : callable, optional
            Called in this thread as ``progress(done, total)`` pairs of what runs share
            go by; not if it is there already.
        **changes
            Parameters in which the kernel of this run differs from that of the source:
            some of its `dimensions`, `combine`; for k_PWG `form` and `random_state`,
            too.

        Returns
        -------
        Candidates
        """
        self._pairs.check(train, test)
        others = sorted(set(changes) - set(self.changeable))
        if others:
            raise ParameterError(
                f"runs that share matrices may differ in {list(self.changeable)}, not "
                f"in {others}"
            )
        kernel: DiagramKernel = clone(self._kernel).set_params(**changes)
        wanted = list(self._diagrams)
        if kernel.dimensions is not None:
            wanted = [int(dimension) for dimension in kernel.dimensions]
        missing = [one for one in wanted if one not in self._diagrams]
        if missing:
            raise ParameterError(
                f"there are no matrices of the homology dimensions {missing}, only of "
                f"{list(self._diagrams)}"
            )
        return self._candidates(_Run(kernel, wanted, train, test), progress)

    @abstractmethod
    def _prepare(self) -> None:
        """Make room for what runs share."""

    @abstractmethod
    def _candidates(self, run: _Run, progress: Progress | None) -> Candidates:
        """Candidates for a checked run."""

    def _distance_candidates(
        self, run: _Run, inner: Floats, outer: Floats, seconds: float
    ) -> Candidates:
        return DistanceCandidates(
            inner,
            outer,
            run.kernel.combine,
            seconds=seconds,
            factors=self._factors,
            dimensions=run.dimensions,
            clock=self._clock,
        )


class DistanceSource(CandidateSource):
    """k_SW and the Gaussian of d1: one matrix of distances for each dimension."""

    def _prepare(self) -> None:
        self._kernel.dimension_weights(self._diagrams)
        alone: DistanceKernel = clone(self._kernel)
        alone.set_params(dimensions=None, weights=None)
        if hasattr(alone, "random_state"):
            # So that random directions are the same for all pairs.
            alone.set_params(random_state=fixed_seed(alone.random_state))

        def compute(
            X: list[Diagram], Y: list[Diagram] | None, progress: Progress | None
        ) -> Floats:
            return alone.distances(X, Y, progress=progress)[0]

        self._matrices = {
            dimension: PairMatrix(diagrams, compute, self._pairs, clock=self._clock)
            for dimension, diagrams in self._diagrams.items()
        }

    def _candidates(self, run: _Run, progress: Progress | None) -> Candidates:
        matrices = [self._matrices[dimension] for dimension in run.dimensions]
        weights = np.array(run.kernel.dimension_weights(run.dimensions))[:, None, None]
        half = len(matrices)
        count = 2 * half if len(self._pairs.others) else half
        inner = [
            matrix.inner(run.train, stage(progress, index, count))
            for index, matrix in enumerate(matrices)
        ]
        outer = [
            matrix.outer(run.train, run.test, stage(progress, half + index, count))
            for index, matrix in enumerate(matrices)
        ]
        return self._distance_candidates(
            run,
            weights * np.stack(inner),
            weights * np.stack(outer),
            sum(matrix.seconds for matrix in matrices),
        )


class EmbeddingSource(CandidateSource):
    """k_SW with the embedding, whose bins are placed by the training samples."""

    def _prepare(self) -> None:
        """Nothing is shared: each run has bins of its own."""

    def _candidates(self, run: _Run, progress: Progress | None) -> Candidates:
        start = self._clock()
        known, others = take(self._X, run.train), take(self._X, run.test)
        kernel = run.kernel.fit(known)
        inner = kernel.distances(known, progress=progress)
        outer = kernel.distances(others, known)
        return self._distance_candidates(run, inner, outer, self._clock() - start)


class ScaleSpaceSource(CandidateSource):
    """k_PSS: a matrix for each of the 13 scales and each dimension."""

    def _prepare(self) -> None:
        n_matrices = len(PSS_GRID) * len(self._diagrams)
        self._keep = _can_keep(n_matrices * len(self._pairs.known) ** 2)
        self._matrices = [self._at_scale(t) for t in PSS_GRID]

    def _at_scale(self, t: float) -> dict[int | None, PairMatrix]:
        kernel = clone(self._kernel).set_params(t=t, dimensions=None)

        def compute(
            X: list[Diagram], Y: list[Diagram] | None, progress: Progress | None
        ) -> Floats:
            gram: Floats = kernel.gram(X, Y, progress=progress)
            return gram

        options: dict[str, Any] = {"keep": self._keep, "clock": self._clock}
        return {
            dimension: PairMatrix(diagrams, compute, self._pairs, **options)
            for dimension, diagrams in self._diagrams.items()
        }

    def _candidates(self, run: _Run, progress: Progress | None) -> Candidates:
        chosen = [[one[dim] for dim in run.dimensions] for one in self._matrices]
        if self._keep:
            # Here, because their progress can be told.
            count = len(chosen) * len(run.dimensions)
            for index, matrix in enumerate(itertools.chain(*chosen)):
                matrix.inner(run.train, stage(progress, index, count))
        combine = run.kernel.combine
        return ScaleSpaceCandidates(chosen, combine, run.train, run.test, self._clock)


class WeightedGaussianSource(CandidateSource):
    """k_PWG, which learns from the training set: runs on the same one share."""

    changeable = (*CandidateSource.changeable, "form", "random_state")

    def _prepare(self) -> None:
        self._latest: tuple[bytes, bytes, int | None] | None = None
        self._distances: dict[int | None, MeanDistances] = {}

    def _candidates(self, run: _Run, progress: Progress | None) -> Candidates:
        is_random = run.kernel.method == "fourier"
        seed = fixed_seed(run.kernel.random_state) if is_random else None
        latest = (run.train.tobytes(), run.test.tobytes(), seed)
        if latest != self._latest:
            self._latest = latest
            self._distances.clear()
        numbers = len(run.train) ** 2
        if is_random:
            numbers += (len(run.train) + len(run.test)) * run.kernel.n_features
        keep = _can_keep(len(FACTORS) ** 2 * len(self._diagrams) * numbers)
        for dimension in run.dimensions:
            if dimension not in self._distances:
                diagrams = self._diagrams[dimension]
                self._distances[dimension] = MeanDistances(
                    run.kernel,
                    [diagrams[index] for index in run.train],
                    [diagrams[index] for index in run.test],
                    dimension,
                    keep=keep,
                    seed=seed,
                    clock=self._clock,
                )
        several = {one: self._distances[one] for one in run.dimensions}
        return WeightedGaussianCandidates(run.kernel, several, self._clock)


def _can_keep(n_numbers: int) -> bool:
    return 8 * n_numbers <= _KEPT_BYTES


def candidate_source(
    kernel: DiagramKernel,
    X: Samples,
    splits: Sequence[tuple[ArrayLike, ArrayLike]] | None = None,
    *,
    factors: Sequence[float] | None = None,
    clock: Clock = time.perf_counter,
) -> CandidateSource:
    """Prepare what the runs of the protocol share for one kernel.

    Parameters
    ----------
    kernel : DiagramKernel
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
    splits : sequence of (train, test), optional
        Indices, of all runs that will be asked for: pairs that none of them needs are
        not compared. By default all pairs are, and run k is the same to the last digit
        however many runs there are.
    factors : sequence of float, optional
        What each homology dimension may count, for kernels of a distance, as in
        :func:`swviz.learning.evaluate_kernel`.
    clock : callable, default=time.perf_counter
        What times are measured by.

    Returns
    -------
    CandidateSource
        Its `candidates(train, test)` are what :func:`swviz.learning.tune_and_test`
        chooses from. Matrices are computed when a run first asks for them.

    Notes
    -----
    Keeps a matrix of all pairs for each homology dimension, k_PSS 13 and
    k_PWG 25 of them; if these take more than 512 MB, they are computed again for each
    run, one at a time.

    Examples
    --------
    >>> from swviz import SlicedWassersteinKernel
    >>> X = [[(0, 1)], [(0, 3)], [(0, 1.5)], [(0, 2.5)]]
    >>> source = candidate_source(SlicedWassersteinKernel(), X)
    >>> candidates = source.candidates(np.array([0, 1, 2]), np.array([3]))
    >>> len(candidates.settings), next(candidates.train_grams()).shape
    (15, (3, 3))
    """
    X = as_samples(X)
    checked: list[Split] | None = None
    if splits is not None:
        checked = [check_split(train, test, len(X)) for train, test in splits]
        if not checked:
            raise ParameterError("splits is empty: give at least one (train, test)")
    if isinstance(kernel, SlicedWassersteinKernel) and kernel.method == "embedding":
        return EmbeddingSource(kernel, X, checked, clock, factors)
    if isinstance(kernel, DistanceKernel):
        return DistanceSource(kernel, X, checked, clock, factors)
    if factors is not None:
        raise ParameterError(
            f"{type(kernel).__name__} is not made of a distance: leave out factors"
        )
    if isinstance(kernel, PersistenceScaleSpaceKernel):
        return ScaleSpaceSource(kernel, X, checked, clock)
    if isinstance(kernel, PersistenceWeightedGaussianKernel):
        return WeightedGaussianSource(kernel, X, checked, clock)
    raise ParameterError(
        f"the paper has no grid for {type(kernel).__name__}: use scikit-learn's "
        "GridSearchCV with a Pipeline of the kernel and SVC(kernel='precomputed')"
    )


def take(X: Samples, chosen: Ints) -> Samples:
    """Choose samples.

    Parameters
    ----------
    X : list of diagrams, or DiagramSet
    chosen : ndarray of int

    Returns
    -------
    list or DiagramSet
    """
    if isinstance(X, DiagramSet):
        return X[chosen]
    return [X[index] for index in chosen]
