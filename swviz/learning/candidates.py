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
from swviz.directions import Floats
from swviz.distances import Progress
from swviz.errors import ParameterError
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
from swviz.learning.svm import Ints

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
    """One exponential for each sigma.

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
    """

    def __init__(
        self,
        inner: Floats,
        outer: Floats,
        combine: Combine,
        sigmas: Sequence[float] | None = None,
        seconds: float = 0.0,
    ) -> None:
        if sigmas is None:
            # Each kernel of a mean sees its own distance, the product sees their sum.
            total = inner.sum(axis=0)
            grid = sigma_grid(total if combine == "product" else total / len(inner))
            sigmas = grid.tolist()
        self.settings = [{"sigma": float(sigma)} for sigma in sigmas]
        self.inner, self.outer, self.combine = inner, outer, combine
        self.seconds = seconds

    def train_grams(self) -> Iterator[Floats]:
        """One exponential each."""
        for setting in self.settings:
            start = time.perf_counter()
            gram = kernel_from_distances(self.inner, setting["sigma"], self.combine)
            self.seconds += time.perf_counter() - start
            yield gram

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        """Two exponentials."""
        sigma = self.settings[setting]["sigma"]
        inner, outer = (
            kernel_from_distances(distances, sigma, self.combine)
            for distances in (self.inner, self.outer)
        )
        return inner, outer


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
        return kernel.transform(self.inner), kernel.transform(self.outer)

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
    """

    def __init__(
        self,
        distances: Floats,
        combine: Combine = "product",
        sigmas: Sequence[float] | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.distances, self.combine = distances, combine
        self.sigmas, self.seconds = sigmas, seconds

    def split(self, train: Ints, test: Ints) -> Candidates:
        """Take parts of the distances."""
        columns = self.distances[:, :, train]
        return DistanceCandidates(
            columns[:, train], columns[:, test], self.combine, self.sigmas, self.seconds
        )


class EmbeddingSource(CandidateSource):
    """k_SW with the embedding, whose bins are placed by the training samples.

    Parameters
    ----------
    kernel : SlicedWassersteinKernel
    X : list of diagrams, or DiagramSet
    """

    def __init__(self, kernel: SlicedWassersteinKernel, X: Samples) -> None:
        self.kernel, self.X = kernel, X

    def split(self, train: Ints, test: Ints) -> Candidates:
        """Embed and compare."""
        start = time.perf_counter()
        inner, outer = take(self.X, train), take(self.X, test)
        kernel = clone(self.kernel).fit(inner)
        distances = kernel.distances(inner), kernel.distances(outer, inner)
        return DistanceCandidates(
            *distances, kernel.combine, seconds=time.perf_counter() - start
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
    kernel: DiagramKernel, X: Samples, progress: Progress | None = None
) -> CandidateSource:
    """Compute what all splits share.

    Parameters
    ----------
    kernel : DiagramKernel
    X : list of diagrams, or DiagramSet
    progress : callable, optional

    Returns
    -------
    CandidateSource
    """
    if isinstance(kernel, SlicedWassersteinKernel) and kernel.method == "embedding":
        return EmbeddingSource(kernel, X)
    if isinstance(kernel, DistanceKernel):
        start = time.perf_counter()
        # A copy with a seed, so that random directions are the same for all pairs.
        distances = clone(kernel).fit(X).distances(X, progress=progress)
        seconds = time.perf_counter() - start
        return DistanceSource(distances, kernel.combine, seconds=seconds)
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
