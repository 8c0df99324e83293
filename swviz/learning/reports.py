"""What learning found out, in numbers that can be shown or written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class GridScores:
    """Cross-validated accuracies over a grid of kernel parameters and C.

    Parameters
    ----------
    settings : tuple of mapping
        Kernel parameters, n_settings of them.
    C : ndarray of shape (n_C,)
    accuracies : ndarray of shape (n_settings, n_C, n_splits)
    """

    settings: tuple[Mapping[str, Any], ...]
    C: Floats
    accuracies: Floats

    @property
    def mean(self) -> Floats:
        """Mean over splits, shape (n_settings, n_C)."""
        return self.accuracies.mean(axis=2)

    @property
    def spread(self) -> Floats:
        """Standard deviation over splits, shape (n_settings, n_C)."""
        return self.accuracies.std(axis=2)

    @property
    def best(self) -> tuple[int, int]:
        """Indices of setting and C with the highest mean.

        If several are equally good, the one in the middle of their list: grids have
        plateaus, and their edge is a bad place.
        """
        mean = self.mean
        # Means of the same counts may differ by a rounding.
        ties = np.argwhere(mean >= mean.max() - 1e-12)
        setting, cost = ties[len(ties) // 2]
        return int(setting), int(cost)


@dataclass(frozen=True, eq=False)
class RunReport:
    """One run: tuned on the training part, then tested once.

    Parameters
    ----------
    train, test : ndarrays of int
        Indices of the samples.
    parameters : mapping
        The kernel parameters chosen.
    C : float
        The cost factor chosen.
    grid : GridScores
        What they were chosen by.
    classes : ndarray of shape (n_classes,)
    predictions : ndarray of shape (n_test,)
    accuracy : float
        Of the predictions.
    confusion : ndarray of shape (n_classes, n_classes), integer
        Test samples by true class (rows) and predicted class (columns).
    gram_seconds : float
        Time for all Gram matrices, as if this run had been the only one.
    tuning_seconds : float
        Time for the support vector machines of the cross-validation.
    """

    train: Ints
    test: Ints
    parameters: Mapping[str, Any]
    C: float
    grid: GridScores
    classes: NDArray[Any]
    predictions: NDArray[Any]
    accuracy: float
    confusion: Ints
    gram_seconds: float
    tuning_seconds: float


@dataclass(frozen=True, eq=False)
class LearningReport:
    """Several runs of one kernel.

    Parameters
    ----------
    kernel : str
        Name of its class.
    runs : tuple of RunReport
    """

    kernel: str
    runs: tuple[RunReport, ...]

    @property
    def accuracies(self) -> Floats:
        """Accuracy of each run, shape (n_runs,)."""
        return np.array([run.accuracy for run in self.runs])

    @property
    def accuracy(self) -> float:
        """Mean accuracy."""
        return float(self.accuracies.mean())

    @property
    def spread(self) -> float:
        """Standard deviation of the accuracies; 0 for a single run."""
        return float(self.accuracies.std(ddof=1)) if len(self.runs) > 1 else 0.0

    @property
    def confusion(self) -> Ints:
        """Sum of the runs' confusion matrices, shape (n_classes, n_classes)."""
        return np.sum([run.confusion for run in self.runs], axis=0)

    @property
    def gram_seconds(self) -> float:
        """Mean time for the Gram matrices of a run."""
        return float(np.mean([run.gram_seconds for run in self.runs]))

    @property
    def tuning_seconds(self) -> float:
        """Mean time for the cross-validation of a run."""
        return float(np.mean([run.tuning_seconds for run in self.runs]))
