"""Gram matrices of k_PWG that the cells and the runs of a task share.

k_PWG learns its heuristics from the training set, so runs share something only if the
split is fixed. Cells with other homology dimensions, and the two forms, always share.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Literal

import numpy as np
from scipy.spatial.distance import cdist

from swviz.experiments.fourier import fourier_sums
from swviz.experiments.grams import KernelGrams
from swviz.experiments.tasks import Dimensions, Task
from swviz.kernels import PersistenceWeightedGaussianKernel, pwg_heuristics
from swviz.learning import FACTORS
from swviz.learning.candidates import Candidates
from swviz.typing import Floats, Ints, Progress

Form = Literal["squared", "paper"]


class MeanDistances:
    r"""Distances :math:`\|\mu_A - \mu_B\|` of k_PWG around its heuristics.

    Parameters
    ----------
    task : Task
    dimension : int
    train, test : ndarrays of int
    seed : int
        For random Fourier features, if the task is large.
    n_jobs : int, optional
    """

    def __init__(
        self,
        task: Task,
        dimension: int,
        train: Ints,
        test: Ints,
        seed: int,
        n_jobs: int | None = None,
    ) -> None:
        diagrams = task.diagrams.in_dimension(dimension)
        self.first = [diagrams[index] for index in train]
        self.second = [diagrams[index] for index in test]
        self.p, self.n_jobs = task.p, n_jobs
        learnt = pwg_heuristics(self.first, task.p)
        self.K, self.rho = learnt.K[None], learnt.rho[None]
        self.sums: list[Floats] = []
        if task.large:
            scales = [factor * self.K for factor in FACTORS]
            self.sums = [
                fourier_sums(
                    [*self.first, *self.second],
                    scales,
                    factor * self.rho,
                    self.p,
                    random_state=seed,
                )
                for factor in FACTORS
            ]
        self.inner = [
            [self._matrix(k, r, among_training=True) for r in range(len(FACTORS))]
            for k in range(len(FACTORS))
        ]
        self.known_outer: dict[tuple[int, int], Floats] = {}

    def outer(self, k: int, r: int) -> Floats:
        """Distances of test samples to training samples.

        Parameters
        ----------
        k, r : int
            Which factors of K and rho.

        Returns
        -------
        ndarray of shape (n_test, n_train)
        """
        if (k, r) not in self.known_outer:
            self.known_outer[k, r] = self._matrix(k, r, among_training=False)
        return self.known_outer[k, r]

    def _matrix(self, k: int, r: int, *, among_training: bool) -> Floats:
        if self.sums:
            known, unknown = np.split(self.sums[r][k], [len(self.first)])
            return cdist(known if among_training else unknown, known)
        kernel = PersistenceWeightedGaussianKernel(
            FACTORS[k] * self.K, FACTORS[r] * self.rho, p=self.p, n_jobs=self.n_jobs
        )
        if among_training:
            return kernel.mean_distances(self.first)[0]
        return kernel.mean_distances(self.second, self.first)[0]


class WeightedGaussianGrams(KernelGrams):
    """k_PWG: 25 distances for K and rho, an exponential for tau and for each form.

    Parameters
    ----------
    task : Task
    n_jobs : int, optional
    """

    def __init__(self, task: Task, n_jobs: int | None = None) -> None:
        self.task, self.n_jobs = task, n_jobs
        self.run: int | None = None
        self.distances: dict[int, MeanDistances] = {}
        self.seconds: dict[int, float] = {}

    def candidates(
        self,
        dimensions: Dimensions,
        train: Ints,
        test: Ints,
        run: int,
        progress: Progress | None = None,
        form: Form = "squared",
    ) -> Candidates:
        """Learn the heuristics, or take what another cell of this run has learnt."""
        fresh = self.task.test_size is not None or self.task.large
        if self.run is not None and self.run != run and fresh:
            self.distances.clear()
        self.run = run
        for dimension in dimensions:
            if dimension not in self.distances:
                start = time.process_time()
                self.distances[dimension] = MeanDistances(
                    self.task, dimension, train, test, run, self.n_jobs
                )
                self.seconds[dimension] = time.process_time() - start
        several = {dimension: self.distances[dimension] for dimension in dimensions}
        seconds = sum(self.seconds[dimension] for dimension in dimensions)
        return _WeightedGaussianCandidates(several, form, seconds)


class _WeightedGaussianCandidates(Candidates):
    def __init__(
        self, several: dict[int, MeanDistances], form: Form, seconds: float
    ) -> None:
        self.several, self.form, self.seconds = several, form, seconds
        self.factors = list(itertools.product(range(len(FACTORS)), repeat=3))
        middle = FACTORS.index(1.0)
        between = np.sum([one.inner[middle][middle] for one in several.values()], 0)
        pairs = between[np.triu_indices(len(between), 1)]
        tau = float(np.median(pairs[pairs > 0]))
        self.settings = [
            {
                "K": {dim: FACTORS[k] * one.K for dim, one in several.items()},
                "rho": {dim: FACTORS[r] * one.rho for dim, one in several.items()},
                "tau": FACTORS[t] * tau,
                "factors": [FACTORS[k], FACTORS[r], FACTORS[t]],
            }
            for k, r, t in self.factors
        ]

    def train_grams(self) -> Iterator[Floats]:
        for setting, (k, r, _) in enumerate(self.factors):
            yield self._gram(
                setting, [one.inner[k][r] for one in self.several.values()]
            )

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        k, r, _ = self.factors[setting]
        inner = [one.inner[k][r] for one in self.several.values()]
        outer = [one.outer(k, r) for one in self.several.values()]
        return self._gram(setting, inner), self._gram(setting, outer)

    def _gram(self, setting: int, distances: list[Floats]) -> Floats:
        tau = self.settings[setting]["tau"]
        kernel = PersistenceWeightedGaussianKernel(tau=tau, form=self.form)
        return kernel.from_mean_distances(np.stack(distances))
