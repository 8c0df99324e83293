"""A classifier of diagrams: the class of each, and which diagrams it resembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from swviz.checks import check_positive
from swviz.diagrams import DiagramSet
from swviz.estimators import remember
from swviz.kernels import DiagramKernel, DistanceKernel
from swviz.kernels.inputs import Samples
from swviz.kernels.universal import KernelInside
from swviz.learning.machines import DiagramMachine
from swviz.learning.maps import nearest
from swviz.learning.svm import fit_svm
from swviz.results import Result, as_frame, brief
from swviz.typing import Floats, Ints, Progress

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Answers(Result):
    """What a classifier says of some diagrams, and why.

    Parameters
    ----------
    predictions : ndarray of shape (m,)
    decision_values : ndarray of shape (m, n_classes)
        The larger, the more of that class.
    neighbors : ndarray of shape (m, k), integer
        The training samples that each resembles most, nearest first.
    distances : ndarray of shape (m, k)
        To these: the distance in the exponent of the kernel; for k_PSS and k_PWG the
        one in the kernel's Hilbert space.
    """

    predictions: NDArray[Any]
    decision_values: Floats
    neighbors: Ints
    distances: Floats

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "diagrams": str(len(self.predictions)),
            "predictions": brief(self.predictions),
        }

    def frame(self) -> pd.DataFrame:
        """Return the answers as a data frame, a row for each diagram and neighbour.

        Returns
        -------
        pandas.DataFrame
            Columns sample, predicted, rank (0 is the nearest), neighbor and distance.
        """
        sample, rank = np.indices(self.neighbors.shape).reshape(2, -1)
        return as_frame(
            {
                "sample": sample,
                "predicted": self.predictions[sample],
                "rank": rank,
                "neighbor": self.neighbors.ravel(),
                "distance": self.distances.ravel(),
            }
        )


class DiagramClassifier(DiagramMachine, KernelInside):
    """A support vector machine with a kernel between diagrams.

    Parameters
    ----------
    kernel : DiagramKernel, optional
        k_SW with its defaults if not given; its sigma is the parameter
        ``kernel__sigma``, also then.
    C : float, default=1.0

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    kernel_ : DiagramKernel
        Fitted to the training samples.
    machine_ : SVC
    samples_ : DiagramSet
        The training samples, with labels.

    Examples
    --------
    >>> X = [[(0, 1)], [(0, 1.1)], [(0, 3)], [(0, 3.1)]]
    >>> machine = DiagramClassifier(C=10.0).fit(X, ["short", "short", "long", "long"])
    >>> machine.predict([[(0, 0.9)], [(0, 3.3)]]).tolist()
    ['short', 'long']
    >>> machine.answer([[(0, 3.3)]], 2).neighbors.tolist()
    [[3, 2]]
    """

    def __init__(self, kernel: DiagramKernel | None = None, C: float = 1.0) -> None:
        self.kernel = kernel
        self.C = C

    def _learn(
        self,
        samples: DiagramSet,
        classes: NDArray[Any],
        numbers: Ints,
        progress: Progress | None,
    ) -> None:
        C = check_positive(self.C, "C")
        fitted: DiagramKernel = clone(self._inner()).fit(samples)
        gram = fitted.gram(samples, progress=progress)
        self.samples_ = samples
        self.kernel_ = fitted
        self.machine_ = fit_svm(gram, numbers, C)
        remember(self, ["kernel", "C"])

    def _numbers(self, X: Samples) -> Ints:
        return self.machine_.predict(self._rows(X)[1])

    def decision_function(self, X: Samples) -> Floats:
        """How much other samples are of each class: the larger, the more.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet

        Returns
        -------
        ndarray of shape (len(X),) or (len(X), n_classes)
            Of two classes, for the second alone: it is predicted above 0.
        """
        _, rows = self._rows(X)
        values: Floats = self.machine_.decision_function(rows)
        return values

    def answer(
        self,
        X: Samples,
        n_neighbors: int = 3,
        *,
        progress: Progress | None = None,
    ) -> Answers:
        """Classify samples, and find the training samples that they resemble.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
            A `DiagramSet` may hold more homology dimensions than the kernel uses.
        n_neighbors : int, default=3
        progress : callable, optional
            As in ``fit``.

        Returns
        -------
        Answers
        """
        samples, rows = self._rows(X, progress)
        predicted = self.machine_.predict(rows)
        values = self.machine_.decision_function(rows)
        if values.ndim == 1:
            values = np.stack([-values, values], axis=1)
        if isinstance(self.kernel_, DistanceKernel):
            between = self.kernel_.distances(samples, self.samples_).sum(axis=0)
        else:
            between = self._hilbert_distances(samples, rows)
        neighbors, distances = nearest(between, n_neighbors)
        return Answers(self.classes_[predicted], values, neighbors, distances)

    def _rows(
        self, X: Samples, progress: Progress | None = None
    ) -> tuple[DiagramSet, Floats]:
        """Compare samples with the training samples."""
        check_is_fitted(self)
        wanted = self.kernel_.dimensions
        known = self.samples_.dimensions if wanted is None else tuple(wanted)
        samples = self._asked(X, known, self.samples_)
        rows = self.kernel_.gram(samples, self.samples_, progress=progress)
        return samples, rows

    def _hilbert_distances(self, samples: DiagramSet, rows: Floats) -> Floats:
        own = self.kernel_.gram(samples).diagonal()
        theirs = self.kernel_.gram(self.samples_).diagonal()
        return np.sqrt(np.maximum(own[:, None] + theirs - 2 * rows, 0.0))
