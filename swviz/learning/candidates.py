"""The Gram matrices that tuning chooses from, kernel by kernel.

Each class computes what its parameters leave unchanged once: distances for k_SW and
d1, whole Gram matrices for k_PSS, whose scales are fixed beforehand. What is learnt
from samples (deciles, heuristics, bins of the embedding) is learnt from training
samples only.
"""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError, shown
from swviz.kernels import (
    DiagramKernel,
    DistanceKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
    kernel_from_distances,
    pwg_heuristics,
)
from swviz.kernels.base import stage
from swviz.kernels.distance_based import Combine
from swviz.kernels.inputs import Samples
from swviz.learning.grids import FACTORS, PSS_GRID, sigma_grid
from swviz.typing import Floats, Ints, Progress

Setting = Mapping[str, Any]


class Candidates(ABC):
    """Gram matrices for one split into training and test samples.

    Attributes
    ----------
    settings : list of mapping
        The kernel parameters to choose from.
    seconds : float
        Time spent on matrices so far, for this split alone.
    """

    settings: list[Setting]
    seconds: float = 0.0

    @abstractmethod
    def train_grams(self) -> Iterator[Floats]:
        """Gram matrices of the training samples, one for each setting.

        Yields
        ------
        ndarray of shape (n_train, n_train)
        """

    @abstractmethod
    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        """Gram matrices for the setting that was chosen.

        Parameters
        ----------
        setting : int
            Index into `settings`.

        Returns
        -------
        inner : ndarray of shape (n_train, n_train)
        outer : ndarray of shape (n_test, n_train)
        """


class DistanceCandidates(Candidates):
    """One exponential for each sigma, and for each weighting of the dimensions.

    Parameters
    ----------
    inner : ndarray of shape (n_dimensions, n_train, n_train)
        Distances.
    outer : ndarray of shape (n_dimensions, n_test, n_train)
    combine : {"product", "mean"}
    sigmas : sequence of float, optional
        By default the paper's, from `inner`.
    seconds : float, default=0.0
        Time the distances took.
    factors : sequence of float, optional
        What each homology dimension may count; by default all count alike.
    dimensions : sequence of int, default=()
        What they are called in `settings`, if there are factors.
    """

    def __init__(
        self,
        inner: Floats,
        outer: Floats,
        combine: Combine,
        sigmas: Sequence[float] | None = None,
        seconds: float = 0.0,
        factors: Sequence[float] | None = None,
        dimensions: Sequence[int | None] = (),
    ) -> None:
        self.inner, self.outer, self.combine = inner, outer, combine
        self.seconds = seconds
        self.settings, self._weights = [], []
        for weights in _weightings(inner, factors):
            chosen = sigmas
            if chosen is None:
                # Each kernel of a mean sees its own distance, the product their sum.
                total = np.tensordot(weights, inner, 1)
                chosen = sigma_grid(
                    total if combine == "product" else total / len(inner)
                ).tolist()
            for sigma in chosen:
                setting: dict[str, Any] = {"sigma": float(sigma)}
                if factors is not None:
                    named = zip(dimensions, weights.tolist(), strict=True)
                    setting["weights"] = dict(named)
                self.settings.append(setting)
                self._weights.append(weights)

    def train_grams(self) -> Iterator[Floats]:
        """One exponential each."""
        for setting in range(len(self.settings)):
            start = time.perf_counter()
            gram = self._gram(self.inner, setting)
            self.seconds += time.perf_counter() - start
            yield gram

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        """Two exponentials."""
        return self._gram(self.inner, setting), self._gram(self.outer, setting)

    def _gram(self, distances: Floats, setting: int) -> Floats:
        weighted = distances * self._weights[setting][:, None, None]
        sigma = self.settings[setting]["sigma"]
        return kernel_from_distances(weighted, sigma, self.combine)


def _weightings(inner: Floats, factors: Sequence[float] | None) -> list[Floats]:
    """Weights of the dimensions to choose from, each of shape (n_dimensions,).

    Distances of each dimension are divided by their median over the training pairs, so
    that a factor means the same in all of them. Weightings that differ by a common
    factor are the same for some other sigma: the largest factor is always there.
    """
    if factors is None:
        return [np.ones(len(inner))]
    values = sorted({float(factor) for factor in factors})
    if not values or not 0 <= values[0] <= values[-1] < np.inf or values[-1] == 0:
        raise ParameterError(
            "factors of the dimensions must be at least 0, one above, not "
            f"{shown(factors)}"
        )
    pairs = np.triu_indices(inner.shape[1], 1)
    medians = np.array([np.median(d[pairs]) if len(pairs[0]) else 0.0 for d in inner])
    medians[medians == 0] = 1.0
    return [
        np.array(chosen) / medians
        for chosen in itertools.product(values, repeat=len(inner))
        if max(chosen) == values[-1]
    ]


class WholeGramCandidates(Candidates):
    """Gram matrices of all samples, of which each split takes its part.

    Parameters
    ----------
    grams : list of ndarray of shape (n, n)
    settings : list of mapping
    seconds : float
    train, test : ndarrays of int
    """

    def __init__(
        self,
        grams: list[Floats],
        settings: list[Setting],
        seconds: float,
        train: Ints,
        test: Ints,
    ) -> None:
        self.grams, self.settings, self.seconds = grams, settings, seconds
        self.train, self.test = train, test

    def train_grams(self) -> Iterator[Floats]:
        """Parts of the matrices."""
        return (gram[np.ix_(self.train, self.train)] for gram in self.grams)

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        """Parts of one matrix."""
        gram = self.grams[setting]
        return gram[np.ix_(self.train, self.train)], gram[np.ix_(self.test, self.train)]


class WeightedGaussianCandidates(Candidates):
    """k_PWG around the heuristics: new sums for K and rho, one exponential for tau.

    Parameters
    ----------
    kernel : PersistenceWeightedGaussianKernel
    inner, outer : lists of diagrams, or DiagramSets
        Training and test samples.
    """

    def __init__(
        self, kernel: PersistenceWeightedGaussianKernel, inner: Samples, outer: Samples
    ) -> None:
        start = time.perf_counter()
        learnt = pwg_heuristics(inner, kernel.p, kernel=kernel)
        self.seconds = time.perf_counter() - start
        self.kernel, self.inner, self.outer = kernel, inner, outer
        self.settings = [
            learnt.scaled(*factors) for factors in itertools.product(FACTORS, repeat=3)
        ]

    def train_grams(self) -> Iterator[Floats]:
        """Five exponentials for each of the 25 distances."""
        for index in range(0, len(self.settings), len(FACTORS)):
            start = time.perf_counter()
            kernel = self._kernel(index)
            distances = kernel.mean_distances(self.inner)
            self.seconds += time.perf_counter() - start
            for setting in range(index, index + len(FACTORS)):
                yield self._kernel(setting).from_mean_distances(distances)

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        """Compute the sums once more, and those of the test samples."""
        kernel = self._kernel(setting).fit(self.inner)
        return kernel.gram(self.inner), kernel.gram(self.outer, self.inner)

    def _kernel(self, setting: int) -> PersistenceWeightedGaussianKernel:
        kernel: PersistenceWeightedGaussianKernel = clone(self.kernel)
        return kernel.set_params(**self.settings[setting])


class CandidateSource(ABC):
    """Makes the candidates of any split of the same samples."""

    @abstractmethod
    def split(self, train: Ints, test: Ints) -> Candidates:
        """Candidates for one split.

        Parameters
        ----------
        train, test : ndarrays of int

        Returns
        -------
        Candidates
        """


class DistanceSource(CandidateSource):
    """Distances of all samples, computed once.

    Parameters
    ----------
    distances : ndarray of shape (n_dimensions, n, n)
    combine : {"product", "mean"}
    sigmas : sequence of float, optional
    seconds : float, default=0.0
    factors : sequence of float, optional
    dimensions : sequence of int, default=()
        As in :class:`DistanceCandidates`.
    """

    def __init__(
        self,
        distances: Floats,
        combine: Combine = "product",
        sigmas: Sequence[float] | None = None,
        seconds: float = 0.0,
        factors: Sequence[float] | None = None,
        dimensions: Sequence[int | None] = (),
    ) -> None:
        self.distances = distances
        self.options = (combine, sigmas, seconds, factors, dimensions)

    def split(self, train: Ints, test: Ints) -> Candidates:
        """Take parts of the distances."""
        columns = self.distances[:, :, train]
        return DistanceCandidates(columns[:, train], columns[:, test], *self.options)


class EmbeddingSource(CandidateSource):
    """k_SW with the embedding, whose bins are placed by the training samples.

    Parameters
    ----------
    kernel : SlicedWassersteinKernel
    X : list of diagrams, or DiagramSet
    factors : sequence of float, optional
        As in :class:`DistanceCandidates`.
    """

    def __init__(
        self,
        kernel: SlicedWassersteinKernel,
        X: Samples,
        factors: Sequence[float] | None = None,
    ) -> None:
        self.kernel, self.X, self.factors = kernel, X, factors

    def split(self, train: Ints, test: Ints) -> Candidates:
        """Embed and compare."""
        start = time.perf_counter()
        inner, outer = take(self.X, train), take(self.X, test)
        kernel = clone(self.kernel).fit(inner)
        distances = kernel.distances(inner), kernel.distances(outer, inner)
        return DistanceCandidates(
            *distances,
            kernel.combine,
            seconds=time.perf_counter() - start,
            factors=self.factors,
            dimensions=list(kernel.diagrams_),
        )


class ScaleSpaceSource(CandidateSource):
    """k_PSS at the paper's 13 scales.

    Parameters
    ----------
    kernel : PersistenceScaleSpaceKernel
    X : list of diagrams, or DiagramSet
    progress : callable, optional
    """

    def __init__(
        self,
        kernel: PersistenceScaleSpaceKernel,
        X: Samples,
        progress: Progress | None = None,
    ) -> None:
        start = time.perf_counter()
        self.settings: list[Setting] = [{"t": t} for t in PSS_GRID]
        self.grams = [
            clone(kernel)
            .set_params(**setting)
            .gram(X, progress=stage(progress, index, len(self.settings)))
            for index, setting in enumerate(self.settings)
        ]
        self.seconds = time.perf_counter() - start

    def split(self, train: Ints, test: Ints) -> Candidates:
        """Take parts of the matrices."""
        return WholeGramCandidates(self.grams, self.settings, self.seconds, train, test)


class WeightedGaussianSource(CandidateSource):
    """k_PWG with heuristics learnt anew from each training set.

    Parameters
    ----------
    kernel : PersistenceWeightedGaussianKernel
    X : list of diagrams, or DiagramSet
    """

    def __init__(self, kernel: PersistenceWeightedGaussianKernel, X: Samples) -> None:
        self.kernel, self.X = kernel, X

    def split(self, train: Ints, test: Ints) -> Candidates:
        """Learn the heuristics."""
        return WeightedGaussianCandidates(
            self.kernel, take(self.X, train), take(self.X, test)
        )


def candidate_source(
    kernel: DiagramKernel,
    X: Samples,
    progress: Progress | None = None,
    factors: Sequence[float] | None = None,
) -> CandidateSource:
    """Compute what all splits share.

    Parameters
    ----------
    kernel : DiagramKernel
    X : list of diagrams, or DiagramSet
    progress : callable, optional
    factors : sequence of float, optional
        What each homology dimension may count, for kernels of a distance.

    Returns
    -------
    CandidateSource
    """
    if isinstance(kernel, SlicedWassersteinKernel) and kernel.method == "embedding":
        return EmbeddingSource(kernel, X, factors)
    if isinstance(kernel, DistanceKernel):
        start = time.perf_counter()
        # A copy with a seed, so that random directions are the same for all pairs.
        fitted = clone(kernel).fit(X)
        distances = fitted.distances(X, progress=progress)
        return DistanceSource(
            distances,
            kernel.combine,
            seconds=time.perf_counter() - start,
            factors=factors,
            dimensions=list(fitted.diagrams_),
        )
    if factors is not None:
        raise ParameterError(
            f"{type(kernel).__name__} is not made of a distance: leave out factors"
        )
    if isinstance(kernel, PersistenceScaleSpaceKernel):
        return ScaleSpaceSource(kernel, X, progress)
    if isinstance(kernel, PersistenceWeightedGaussianKernel):
        return WeightedGaussianSource(kernel, X)
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
