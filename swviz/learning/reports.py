"""What learning found out, in numbers that can be shown or written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from swviz.diagrams import DiagramSet
from swviz.results import Result, as_frame, brief, draw
from swviz.typing import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class GridScores(Result):
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

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        settings, costs, splits = self.accuracies.shape
        facts = {"settings": f"{settings} x {costs} C", "splits": str(splits)}
        if self.accuracies.size and np.isfinite(self.accuracies).all():
            setting, cost = self.best
            chosen = {**self.settings[setting], "C": self.C[cost]}
            facts["best"] = f"{self.mean.max():.1%}, {_listed(chosen)}"
        return facts

    def frame(self) -> pd.DataFrame:
        """Return the grid as a data frame, a row for each setting, C and split.

        Returns
        -------
        pandas.DataFrame
            Columns setting (its number), those of the kernel's parameters, C, split and
            accuracy.
        """
        setting, cost, split = np.indices(self.accuracies.shape).reshape(3, -1)
        keys = list(self.settings[0]) if self.settings else []
        return as_frame(
            {
                "setting": setting,
                **{key: [self.settings[k][key] for k in setting] for key in keys},
                "C": self.C[cost],
                "split": split,
                "accuracy": self.accuracies.ravel(),
            }
        )

    def plot(self, **options: Any) -> Any:
        """Draw the accuracies over bandwidths and C.

        Parameters
        ----------
        **options
            Of :func:`swviz.plot.parameter_grid`.

        Returns
        -------
        hv.Overlay
        """
        return draw("parameter_grid", self, **options)


def _listed(parameters: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in parameters.items()
    )


@dataclass(frozen=True, eq=False, repr=False)
class Trial(Result):
    """A classifier that was trained on one part of the samples, tested on another.

    Parameters
    ----------
    train, test : ndarrays of int
        Indices of the samples.
    classes : ndarray of shape (n_classes,)
    predictions : ndarray of shape (n_test,)
    accuracy : float
        Of the predictions.
    confusion : ndarray of shape (n_classes, n_classes), integer
        Test samples by true class (rows) and predicted class (columns).
    """

    train: Ints
    test: Ints
    classes: NDArray[Any]
    predictions: NDArray[Any]
    accuracy: float
    confusion: Ints

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "accuracy": f"{self.accuracy:.1%}",
            "samples": f"{len(self.train)} to train, {len(self.test)} to test",
        }

    def frame(self) -> pd.DataFrame:
        """Return the test samples: columns sample (its index) and predicted."""
        return as_frame({"sample": self.test, "predicted": self.predictions})

    def plot(self) -> Any:
        """Draw who is taken for whom: `swviz.plot.confusion`."""
        return draw("confusion", self)


@dataclass(frozen=True, eq=False, repr=False)
class RunReport(Trial):
    """One run: tuned on the training part, then tested once.

    Parameters
    ----------
    train, test, classes, predictions, accuracy, confusion
        As of every run.
    parameters : mapping
        The kernel parameters chosen.
    C : float
        The cost factor chosen.
    grid : GridScores
        What they were chosen by.
    gram_seconds : float
        Time for all Gram matrices, as if this run had been the only one.
    tuning_seconds : float
        Time for the support vector machines of the cross-validation.
    """

    parameters: Mapping[str, Any]
    C: float
    grid: GridScores
    gram_seconds: float
    tuning_seconds: float

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        chosen = _listed({**self.parameters, "C": self.C})
        return {**super().summary(), "chosen": chosen}


@dataclass(frozen=True, eq=False, repr=False)
class MeansReport(Trial):
    """One run of the nearest mean: its means are of the training part.

    Parameters
    ----------
    train, test, classes, predictions, accuracy, confusion
        As of every run.
    means : DiagramSet
        One sample a class.
    seconds : float
        Time for the means, and for the distances of the test part to them.
    """

    means: DiagramSet
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class Trials(Result):
    """Several runs of one classifier.

    Parameters
    ----------
    kernel : str
        Name of the class of its kernel, or its own if it has none.
    runs : tuple of RunReport or MeansReport
    """

    kernel: str
    runs: tuple[Trial, ...]

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

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "kernel": self.kernel,
            "runs": str(len(self.runs)),
            "accuracy": f"{self.accuracy:.1%} ± {self.spread:.1%}",
            "classes": brief(self.runs[0].classes),
        }

    def frame(self) -> pd.DataFrame:
        """Return the runs as a data frame: columns run and accuracy."""
        return as_frame({"run": np.arange(len(self.runs)), "accuracy": self.accuracies})

    def plot(self) -> Any:
        """Draw who is taken for whom in all runs: `swviz.plot.confusion`."""
        return draw("confusion", self)


@dataclass(frozen=True, eq=False, repr=False)
class LearningReport(Trials):
    """Several runs of one kernel, tuned anew in each.

    Parameters
    ----------
    kernel : str
        Name of its class.
    runs : tuple of RunReport
    """

    runs: tuple[RunReport, ...]

    @property
    def gram_seconds(self) -> float:
        """Mean time for the Gram matrices of a run."""
        return float(np.mean([run.gram_seconds for run in self.runs]))

    @property
    def tuning_seconds(self) -> float:
        """Mean time for the cross-validation of a run."""
        return float(np.mean([run.tuning_seconds for run in self.runs]))

    def frame(self) -> pd.DataFrame:
        """Return the runs as a data frame, a row each.

        Returns
        -------
        pandas.DataFrame
            Columns run, accuracy, cv_accuracy (of what was chosen), those of the
            kernel's parameters, C, gram_seconds and tuning_seconds.
        """
        return as_frame(
            *(
                {
                    "run": [number],
                    "accuracy": run.accuracy,
                    "cv_accuracy": run.grid.mean.max(),
                    # In a list each: a parameter may be a mapping by dimension.
                    **{key: [value] for key, value in run.parameters.items()},
                    "C": run.C,
                    "gram_seconds": run.gram_seconds,
                    "tuning_seconds": run.tuning_seconds,
                }
                for number, run in enumerate(self.runs)
            )
        )
