"""Which kernels are measured on which task, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from swviz.errors import ParameterError
from swviz.experiments.store import Record
from swviz.experiments.tasks import Dimensions, Task
from swviz.kernels import (
    DiagramKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.learning import C_GRID, FACTORS, PSS_GRID

KERNEL_NAMES = ("SW", "PSS", "PWG", "PWG-printed")
"""Kernels by their names on the command line, the most telling first."""

N_FEATURES = 1000
"""Random Fourier features of k_PWG, the paper's."""


@dataclass(frozen=True)
class Cell:
    """One entry of the tables.

    Parameters
    ----------
    kernel : {"SW", "PSS", "PWG", "PWG-printed"}
    dimensions : tuple of int
    n_directions : int or "exact", optional
        Of k_SW.
    """

    kernel: str
    dimensions: Dimensions
    n_directions: Any = None

    @property
    def file_name(self) -> str:
        """Name of the file of its results."""
        directions = "" if self.n_directions is None else f"-{self.n_directions}"
        dimensions = "".join(f"h{dimension}" for dimension in self.dimensions)
        return f"{self.kernel.lower()}{directions}-{dimensions}.json"

    @property
    def shared_key(self) -> tuple[str, Any]:
        """What cells that share matrices have in common."""
        return self.kernel.removesuffix("-printed"), self.n_directions

    def make_kernel(self, task: Task, n_jobs: int | None = None) -> DiagramKernel:
        """Make the kernel that cells with the same `shared_key` share.

        Parameters
        ----------
        task : Task
        n_jobs : int, optional

        Returns
        -------
        DiagramKernel
            On all homology dimensions of the task; :meth:`choices` make it this cell's.
        """
        if self.kernel == "SW":
            return SlicedWassersteinKernel(
                n_directions=self.n_directions, n_jobs=n_jobs
            )
        if self.kernel == "PSS":
            return PersistenceScaleSpaceKernel(n_jobs=n_jobs)
        return PersistenceWeightedGaussianKernel(
            p=task.p,
            method="fourier" if task.large else "auto",
            n_features=N_FEATURES,
            n_jobs=n_jobs,
        )

    def choices(self, run: int) -> Record:
        """Parameters that are this cell's own, or this run's.

        Parameters
        ----------
        run : int
            Seed of what is drawn at random.

        Returns
        -------
        dict
            For :meth:`swviz.learning.CandidateSource.candidates`.
        """
        if "PWG" not in self.kernel:
            return {"dimensions": self.dimensions}
        return {
            "dimensions": self.dimensions,
            "form": self._form,
            "random_state": run,
        }

    @property
    def _form(self) -> str:
        return "squared" if self.kernel == "PWG" else "paper"

    def describe(self, task: Task) -> Record:
        """Describe the kernel for the record.

        Parameters
        ----------
        task : Task

        Returns
        -------
        dict
        """
        if self.kernel == "SW":
            exact = self.n_directions == "exact"
            return {
                "name": "SW",
                "label": "k_SW" if exact else f"k_SW ({self.n_directions})",
                "n_directions": self.n_directions,
                "combine": "product",
                "grid": "square roots of deciles 1, 5, 9, times factors",
                "factors": list(FACTORS),
            }
        if self.kernel == "PSS":
            return {
                "name": "PSS",
                "label": "k_PSS",
                "combine": "mean",
                "grid": list(PSS_GRID),
            }
        label = f"k_PWG ({N_FEATURES})" if task.large else "k_PWG"
        return {
            "name": self.kernel,
            "label": label if self.kernel == "PWG" else f"{label}, as printed",
            "form": self._form,
            "p": task.p,
            "method": "fourier" if task.large else "exact",
            "combine": "product",
            "grid": "heuristics of K, rho and tau, times factors",
            "factors": list(FACTORS),
        }


def cells_of(
    task: Task,
    kernels: Sequence[str] = KERNEL_NAMES,
    directions: Sequence[Any] | None = None,
) -> list[Cell]:
    """List the cells of a task.

    Parameters
    ----------
    task : Task
    kernels : sequence of str, default=KERNEL_NAMES
    directions : sequence of int or "exact", optional
        For k_SW. By default 6 where the paper approximates, else 10 and "exact".

    Returns
    -------
    list of Cell
    """
    unknown = set(kernels) - set(KERNEL_NAMES)
    if unknown:
        raise ParameterError(f"no kernel {sorted(unknown)}: choose from {KERNEL_NAMES}")
    if directions is None:
        directions = [6] if task.large else [10, "exact"]
    return [
        Cell(kernel, dimensions, n_directions)
        for kernel in kernels
        for n_directions in (directions if kernel == "SW" else [None])
        for dimensions in task.dimensions
    ]


@dataclass(frozen=True)
class Protocol:
    """How runs are made.

    Parameters
    ----------
    n_runs : int, default=10
    n_splits : int, default=10
        Random halves of the training set that parameters are chosen by.
    C : tuple of float, default=(0.001, ..., 1000)
    n_jobs : int, optional
        Threads; they change no result.
    quick : bool, default=False
        Recorded, so that nobody takes a trial for a result.
    """

    n_runs: int = 10
    n_splits: int = 10
    C: tuple[float, ...] = C_GRID
    n_jobs: int | None = None
    quick: bool = False

    def describe(self) -> Record:
        """Describe what makes a difference for a single run.

        Returns
        -------
        dict
        """
        return {
            "C": list(self.C),
            "halves": self.n_splits,
            "seed": "the number of the run",
            "quick": self.quick,
        }
