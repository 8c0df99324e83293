"""A classifier of diagrams: the class of each, and which diagrams it resembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from swviz.diagrams import DiagramSet
from swviz.directions import Floats
from swviz.distances import Progress
from swviz.errors import ParameterError
from swviz.kernels import DiagramKernel, DistanceKernel, SlicedWassersteinKernel
from swviz.kernels.inputs import Samples, check_positive
from swviz.learning.maps import nearest
from swviz.learning.svm import Ints, check_labels, fit_svm


@dataclass(frozen=True, eq=False)
class Answers:
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


class DiagramClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A support vector machine with a kernel between diagrams.

    Parameters
    ----------
    kernel : DiagramKernel, optional
        k_SW with its defaults if not given.
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

    def fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        *,
        progress: Progress | None = None,
    ) -> Self:
        """Train on labelled samples.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        y : array-like of shape (len(X),), optional
            Classes; by default the labels of the `DiagramSet`.
        progress : callable, optional
            Called in this thread as ``progress(done, total)`` pairs go by. An
            exception it raises stops the work.

        Returns
        -------
        self
        """
        C = check_positive(self.C, "C")
        samples = X if isinstance(X, DiagramSet) else _as_set(X)
        labels = samples.labels if y is None else np.asarray(y)
        if labels is None:
            raise ParameterError("there are no labels: pass the class of each sample")
        classes, numbers = check_labels(labels, len(samples))
        kernel = SlicedWassersteinKernel() if self.kernel is None else self.kernel
        fitted: DiagramKernel = clone(kernel).fit(samples)
        gram = fitted.gram(samples, progress=progress)
        self.samples_ = DiagramSet(
            samples.diagrams, labels, samples.names, samples.provenance
        )
        self.classes_ = classes
        self.kernel_ = fitted
        self.machine_ = fit_svm(gram, numbers, C)
        return self

    def predict(self, X: Samples) -> NDArray[Any]:
        """Classes of other samples.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet

        Returns
        -------
        ndarray of shape (len(X),)
        """
        return self.answer(X, 1).predictions

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
            As in :meth:`fit`.

        Returns
        -------
        Answers
        """
        check_is_fitted(self)
        samples = self._matching(X)
        if not len(samples):
            raise ParameterError("there are no diagrams to classify")
        rows = self.kernel_.gram(samples, self.samples_, progress=progress)
        predicted = self.machine_.predict(rows)
        values = self.machine_.decision_function(rows)
        if values.ndim == 1:
            values = np.stack([-values, values], axis=1)
        if isinstance(self.kernel_, DistanceKernel):
            apart = self.kernel_.distances(samples, self.samples_).sum(axis=0)
        else:
            apart = self._hilbert_distances(samples, rows)
        neighbors, distances = nearest(apart, n_neighbors)
        return Answers(self.classes_[predicted], values, neighbors, distances)

    def _matching(self, X: Samples) -> DiagramSet:
        """Bring samples to the homology dimensions of the training samples."""
        samples = X if isinstance(X, DiagramSet) else _as_set(X)
        wanted = self.kernel_.dimensions
        known = self.samples_.dimensions if wanted is None else tuple(wanted)
        if len(samples.dimensions) == len(known) == 1:
            # Files and lists do not say their dimension.
            (only,) = samples.diagrams.values()
            return DiagramSet({known[0]: only}, names=samples.names)
        missing = set(known) - set(samples.dimensions)
        if missing:
            raise ParameterError(
                f"the classifier was trained on homology dimensions {sorted(known)}, "
                f"and these diagrams lack {sorted(missing)}"
            )
        return DiagramSet({k: samples.diagrams[k] for k in known}, names=samples.names)

    def _hilbert_distances(self, samples: DiagramSet, rows: Floats) -> Floats:
        own = self.kernel_.gram(samples).diagonal()
        theirs = self.kernel_.gram(self.samples_).diagonal()
        return np.sqrt(np.maximum(own[:, None] + theirs - 2 * rows, 0.0))


def _as_set(X: Any) -> DiagramSet:
    several = list(X)
    if several and all(isinstance(one, DiagramSet) for one in several):
        raise ParameterError("pass one DiagramSet, not a list of them")
    return DiagramSet({0: several})
