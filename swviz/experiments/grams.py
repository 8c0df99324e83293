"""Gram matrices that the cells and the runs of a task share.

A cell is one entry of the paper's tables: a kernel with some homology dimensions. Runs
of k_SW share all distances, runs of k_PSS all sums, and cells with other homology
dimensions share them, too.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from swviz.distances import sliced_wasserstein_matrix
from swviz.experiments.tasks import Dimensions, Task
from swviz.kernels import PersistenceScaleSpaceKernel
from swviz.learning import PSS_GRID
from swviz.learning.candidates import Candidates, DistanceCandidates
from swviz.typing import Floats, Ints, Progress

Matrix = Callable[[Any, Any, Progress | None], Floats]


class SharedMatrix:
    """A matrix of all pairs that some run of a task needs, computed when asked for.

    Parameters
    ----------
    task : Task
    dimension : int
    compute : callable
        ``compute(X, Y, progress)`` gives the matrix of two lists; None as Y is X.
    """

    def __init__(self, task: Task, dimension: int, compute: Matrix) -> None:
        self.task, self.compute = task, compute
        self.diagrams = task.diagrams.in_dimension(dimension)
        self.parts: dict[str, Floats] = {}
        self.seconds = 0.0

    def inner(self, train: Ints, progress: Progress | None = None) -> Floats:
        """Return the part of the training samples.

        Parameters
        ----------
        train : ndarray of int
        progress : callable, optional

        Returns
        -------
        ndarray of shape (n_train, n_train)
        """
        if self.task.test_size is None:
            return self._part("inner", train, None, progress)
        return self._part("whole", None, None, progress)[np.ix_(train, train)]

    def outer(
        self, train: Ints, test: Ints, progress: Progress | None = None
    ) -> Floats:
        """Return the part of test and training samples.

        Parameters
        ----------
        train, test : ndarrays of int
        progress : callable, optional

        Returns
        -------
        ndarray of shape (n_test, n_train)
        """
        if self.task.test_size is None:
            return self._part("outer", test, train, progress)
        return self._part("whole", None, None, progress)[np.ix_(test, train)]

    def _part(
        self, name: str, rows: Ints | None, columns: Ints | None, progress: Any
    ) -> Floats:
        if name not in self.parts:
            start = time.process_time()
            first = self.diagrams
            if rows is not None:
                first = [self.diagrams[index] for index in rows]
            second = None
            if columns is not None:
                second = [self.diagrams[index] for index in columns]
            self.parts[name] = self.compute(first, second, progress)
            self.seconds += time.process_time() - start
        return self.parts[name]


class KernelGrams(ABC):
    """Gram matrices of one kernel for all runs and homology dimensions of a task."""

    @abstractmethod
    def candidates(
        self,
        dimensions: Dimensions,
        train: Ints,
        test: Ints,
        run: int,
        progress: Progress | None = None,
    ) -> Candidates:
        """Prepare what one run of one cell chooses from.

        Parameters
        ----------
        dimensions : tuple of int
        train, test : ndarrays of int
        run : int
            Seed of what is drawn at random.
        progress : callable, optional

        Returns
        -------
        Candidates
        """


class SlicedGrams(KernelGrams):
    """k_SW: distances once, an exponential for each sigma.

    Parameters
    ----------
    task : Task
    n_directions : int or "exact"
    n_jobs : int, optional
    """

    def __init__(
        self,
        task: Task,
        n_directions: int | Literal["exact"],
        n_jobs: int | None = None,
    ) -> None:
        def compute(X: Any, Y: Any, progress: Progress | None) -> Floats:
            return sliced_wasserstein_matrix(
                X, Y, n_directions=n_directions, n_jobs=n_jobs, progress=progress
            )

        self.matrices = {
            dimension: SharedMatrix(task, dimension, compute)
            for dimension in task.diagrams.dimensions
        }

    def candidates(
        self,
        dimensions: Dimensions,
        train: Ints,
        test: Ints,
        run: int,
        progress: Progress | None = None,
    ) -> Candidates:
        """Take parts of the distances; the product of kernels adds them up."""
        matrices = [self.matrices[dimension] for dimension in dimensions]
        inner = np.stack([one.inner(train, progress) for one in matrices])
        outer = np.stack([one.outer(train, test, progress) for one in matrices])
        seconds = sum(one.seconds for one in matrices)
        return DistanceCandidates(inner, outer, "product", seconds=seconds)


class ScaleSpaceGrams(KernelGrams):
    """k_PSS: a sum of Gaussians for each t and homology dimension.

    Parameters
    ----------
    task : Task
    n_jobs : int, optional
    """

    def __init__(self, task: Task, n_jobs: int | None = None) -> None:
        def compute(t: float) -> Matrix:
            kernel = PersistenceScaleSpaceKernel(t, n_jobs=n_jobs)
            return lambda X, Y, progress: kernel.gram(X, Y)

        self.matrices = {
            dimension: [SharedMatrix(task, dimension, compute(t)) for t in PSS_GRID]
            for dimension in task.diagrams.dimensions
        }

    def candidates(
        self,
        dimensions: Dimensions,
        train: Ints,
        test: Ints,
        run: int,
        progress: Progress | None = None,
    ) -> Candidates:
        """Add the matrices of the homology dimensions."""
        several = [self.matrices[dimension] for dimension in dimensions]
        return _ScaleSpaceCandidates(several, train, test)


class _ScaleSpaceCandidates(Candidates):
    def __init__(
        self, matrices: list[list[SharedMatrix]], train: Ints, test: Ints
    ) -> None:
        self.matrices, self.train, self.test = matrices, train, test
        self.settings = [{"t": t} for t in PSS_GRID]

    def train_grams(self) -> Iterator[Floats]:
        for several in zip(*self.matrices, strict=True):
            yield np.mean([one.inner(self.train) for one in several], axis=0)
        self.seconds = sum(one.seconds for each in self.matrices for one in each)

    def final_grams(self, setting: int) -> tuple[Floats, Floats]:
        chosen = [each[setting] for each in self.matrices]
        inner = np.mean([one.inner(self.train) for one in chosen], axis=0)
        outer = np.mean([one.outer(self.train, self.test) for one in chosen], axis=0)
        return inner, outer
