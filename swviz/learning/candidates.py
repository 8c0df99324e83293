"""The Gram matrices that one run chooses from, kernel by kernel (Section 4).

What a kernel's parameters leave unchanged is computed once. What is learnt from samples
(deciles, heuristics) is learnt from training samples only.
"""

from __future__ import annotations

import itertools
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone

from swviz.checks import check_positive
from swviz.diagrams import Diagram
from swviz.errors import ParameterError, shown
from swviz.kernels import PersistenceWeightedGaussianKernel, kernel_from_distances
from swviz.kernels.base import combine_grams
from swviz.kernels.distance_based import Combine
from swviz.kernels.fourier import fourier_sums
from swviz.kernels.heuristics import point_scales, typical_distance
from swviz.learning.grids import FACTORS, PSS_GRID, PWG_GRID, sigma_grid
from swviz.learning.pair_matrices import Clock, PairMatrix
from swviz.typing import Floats, Ints

Setting = Mapping[str, Any]


class Candidates(ABC):
    """Gram matrices for one split into training and test samples.

    Attributes
    ----------
    settings : list of mapping
        The kernel parameters to choose from.
    clock : callable
        What times are measured by.
    """

    settings: list[Setting]
    clock: Clock

    @property
    @abstractmethod
    def seconds(self) -> float:
        """Time spent on matrices so far, as if this split had been the only one."""

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
    clock : callable, default=time.perf_counter
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
        clock: Clock = time.perf_counter,
    ) -> None:
        self.inner, self.outer, self.combine = inner, outer, combine
        self.clock, self._seconds = clock, seconds
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

    @property
    def seconds(self) -> float:
        """Time for the distances and the exponentials so far."""
        return self._seconds

    def train_grams(self) -> Iterator[Floats]:
        """One exponential each."""
        for setting in range(len(self.settings)):
            start = self.clock()
            gram = self._gram(self.inner, setting)
            self._seconds += self.clock() - start
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


class ScaleSpaceCandidates(Candidates):
    """k_PSS at each scale: matrices of the homology dimensions, combined.

    Parameters
    ----------
    matrices : list of list of PairMatrix
        For each scale one for each homology dimension.
    combine : {"mean", "product"}
    train, test : ndarrays of int
    clock : callable
    """

    def __init__(
        self,
        matrices: list[list[PairMatrix]],
        combine: Combine,
        train: Ints,
        test: Ints,
        clock: Clock,
    ) -> None:
        self._matrices, self._combine, self.clock = matrices, combine, clock
        self._train, self._test = train, test
        self.settings = [{"t": t} for t in PSS_GRID]

    @property
    def seconds(self) -> float:
        """Time for the sums of Gaussians."""
        return sum(one.seconds for several in self._matrices for one in several)

    def train_grams(self) -> Iterator[Floats]:
        """Parts of the matrices."""
        return map(self._inner, range(len(self.settings)))

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        """Parts of the matrices of one scale."""
        outer = [one.outer(self._train, self._test) for one in self._matrices[setting]]
        return self._inner(setting), combine_grams(outer, self._combine)

    def _inner(self, setting: int) -> Floats:
        inner = [one.inner(self._train) for one in self._matrices[setting]]
        return combine_grams(inner, self._combine)


class MeanDistances:
    r"""Distances :math:`\|\mu_A - \mu_B\|` of k_PWG around the heuristics of a split.

    Parameters
    ----------
    kernel : PersistenceWeightedGaussianKernel
        Gives p, method and the like.
    known, others : lists of ndarray of shape (n_i, 2)
        Training and test samples in one homology dimension.
    dimension : int or None
        For messages.
    keep : bool
        Whether to keep the matrices; else each is computed when it is asked for.
    seed : int or None
        Of the random Fourier features, if the kernel has them.
    clock : callable

    Attributes
    ----------
    K, rho : float
        Learnt from the training samples.
    seconds : float
        Time spent so far.
    """

    def __init__(
        self,
        kernel: PersistenceWeightedGaussianKernel,
        known: list[Diagram],
        others: list[Diagram],
        dimension: int | None,
        *,
        keep: bool,
        seed: int | None,
        clock: Clock,
    ) -> None:
        self._kernel: PersistenceWeightedGaussianKernel = clone(kernel)
        self._kernel.set_params(dimensions=None, random_state=seed)
        self._known, self._others = known, others
        self._keep, self._clock = keep, clock
        self._matrices: dict[tuple[int, int, bool], Floats] = {}
        self._sums: dict[int, Floats] = {}
        start = clock()
        p = check_positive(kernel.p, "p")
        self.K, self.rho = point_scales(known, p, dimension)
        self.seconds = clock() - start

    def distances(self, k: int, r: int, *, tested: bool = False) -> Floats:
        """Distances between training samples, or of test samples to these.

        Parameters
        ----------
        k, r : int
            Which factors of K and rho.
        tested : bool, default=False

        Returns
        -------
        ndarray of shape (n_train, n_train), or (n_test, n_train) if `tested`
        """
        kept = self._matrices.get((k, r, tested))
        if kept is not None:
            return kept
        start = self._clock()
        if self._kernel.method == "fourier":
            first, second = np.split(self._feature_sums(k, r), [len(self._known)])
            matrix = cdist(second if tested else first, first)
        else:
            kernel = clone(self._kernel)
            kernel.set_params(K=FACTORS[k] * self.K, rho=FACTORS[r] * self.rho)
            pair = (self._others, self._known) if tested else (self._known,)
            matrix = kernel.mean_distances(*pair)[0]
        self.seconds += self._clock() - start
        if self._keep:
            self._matrices[k, r, tested] = matrix
        return matrix

    def _feature_sums(self, k: int, r: int) -> Floats:
        """Sum the features of all samples: shape (n_train + n_test, n_features).

        Features do not depend on K: if they are kept, those of all K are summed at
        once. Single precision is enough to choose by.
        """
        if r in self._sums:
            return self._sums[r][k]
        factors = FACTORS if self._keep else [FACTORS[k]]
        sums = fourier_sums(
            [*self._known, *self._others],
            [factor * self.K for factor in factors],
            FACTORS[r] * self.rho,
            self._kernel.p,
            self._kernel.n_features,
            self._kernel.random_state,
            precision=np.float32,
        )
        if not self._keep:
            return sums[0]
        self._sums[r] = sums
        return sums[k]


class WeightedGaussianCandidates(Candidates):
    """k_PWG around the heuristics: 25 distances for K and rho, exponentials for tau.

    Parameters
    ----------
    kernel : PersistenceWeightedGaussianKernel
        Gives p, form and combine.
    distances : mapping of int or None to MeanDistances
        By homology dimension.
    clock : callable
    """

    def __init__(
        self,
        kernel: PersistenceWeightedGaussianKernel,
        distances: Mapping[int | None, MeanDistances],
        clock: Clock,
    ) -> None:
        self._kernel, self._distances, self.clock = kernel, distances, clock
        middle = FACTORS.index(1.0)
        tau = typical_distance(self._stack(middle, middle).sum(axis=0))
        self.settings = [
            {
                "K": {dimension: K * one.K for dimension, one in distances.items()},
                "rho": {dimension: r * one.rho for dimension, one in distances.items()},
                "tau": t * tau,
                "p": float(kernel.p),
            }
            for K, r, t in PWG_GRID
        ]

    @property
    def seconds(self) -> float:
        """Time for heuristics and distances."""
        return sum(one.seconds for one in self._distances.values())

    def train_grams(self) -> Iterator[Floats]:
        """Five exponentials for each of the 25 distances."""
        count = len(FACTORS)
        for index, (k, r) in enumerate(itertools.product(range(count), repeat=2)):
            distances = self._stack(k, r)
            for setting in range(count * index, count * (index + 1)):
                yield self._gram(setting, distances)

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        """Two exponentials, and the distances of the test samples."""
        k, r = map(int, np.unravel_index(setting, (len(FACTORS),) * 3)[:2])
        return (
            self._gram(setting, self._stack(k, r)),
            self._gram(setting, self._stack(k, r, tested=True)),
        )

    def _stack(self, k: int, r: int, *, tested: bool = False) -> Floats:
        several = self._distances.values()
        return np.stack([one.distances(k, r, tested=tested) for one in several])

    def _gram(self, setting: int, distances: Floats) -> Floats:
        kernel: PersistenceWeightedGaussianKernel = clone(self._kernel)
        kernel.set_params(tau=self.settings[setting]["tau"])
        return kernel.from_mean_distances(distances)
