"""A classifier of diagrams: the class of each, and which diagrams it resembles."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from swviz.checks import check_positive
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.estimators import DiagramInput, check_unchanged, remember
from swviz.kernels import DiagramKernel, DistanceKernel
from swviz.kernels.inputs import Samples, as_samples
from swviz.kernels.universal import KernelInside
from swviz.learning.maps import nearest
from swviz.learning.svm import as_labels, check_labels, fit_svm
from swviz.results import Result, as_frame, brief
from swviz.typing import Floats, Ints, Progress

if TYPE_CHECKING:
    import pandas as pd

_ASSUMED = "assumed_dimension"
"""In the provenance of files and lists, which do not say their homology dimension."""


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


class ScoresDiagrams(ClassifierMixin):  # type: ignore[misc]
    """Accuracy by the labels of a set, or by others, which may be numbers."""

    def score(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Part of the samples whose class is found.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        y : array-like of shape (len(X),), optional
            Classes, which may be numbers such as 2.5; by default the labels of the
            `DiagramSet`.
        sample_weight : array-like of shape (len(X),), optional

        Returns
        -------
        float
        """
        samples = as_set(X)
        labels = as_labels(samples.labels if y is None else y, len(samples))
        right = self.predict(samples) == labels
        if sample_weight is None:
            return float(np.mean(right))
        return float(np.average(right, weights=_check_weights(sample_weight, right)))


class DiagramClassifier(ScoresDiagrams, DiagramInput, KernelInside):
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
        samples = as_set(X)
        labels = labels_of(samples, y, self)
        classes, numbers = check_labels(labels, len(samples))
        fitted: DiagramKernel = clone(self._inner()).fit(samples)
        gram = fitted.gram(samples, progress=progress)
        self.samples_ = DiagramSet(
            samples.diagrams, labels, samples.names, samples.provenance
        )
        self.classes_ = classes
        self.kernel_ = fitted
        self.machine_ = fit_svm(gram, numbers, C)
        remember(self, ["kernel", "C"])
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
        _, rows = self._rows(X)
        return self.classes_[self.machine_.predict(rows)]

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
            As in :meth:`fit`.

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
        check_unchanged(self)
        wanted = self.kernel_.dimensions
        known = self.samples_.dimensions if wanted is None else tuple(wanted)
        samples = match_dimensions(as_set(X), known, self.samples_)
        if not len(samples):
            raise ParameterError("there are no diagrams to classify")
        rows = self.kernel_.gram(samples, self.samples_, progress=progress)
        return samples, rows

    def _hilbert_distances(self, samples: DiagramSet, rows: Floats) -> Floats:
        own = self.kernel_.gram(samples).diagonal()
        theirs = self.kernel_.gram(self.samples_).diagonal()
        return np.sqrt(np.maximum(own[:, None] + theirs - 2 * rows, 0.0))


def _check_weights(sample_weight: ArrayLike, of: NDArray[Any]) -> Floats:
    weights = np.empty(0)
    with suppress(TypeError, ValueError, OverflowError):
        weights = np.asarray(sample_weight, dtype=np.float64)
    fits = weights.shape == of.shape and bool((weights >= 0).all())
    if not (fits and 0 < weights.sum() < np.inf):
        raise ParameterError(
            f"sample_weight must be {len(of)} numbers of at least 0, one a sample, and "
            "not all of them 0"
        )
    return weights


def as_set(X: Samples) -> DiagramSet:
    """Return samples as a set; the dimension of plain lists is assumed to be 0.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet

    Returns
    -------
    DiagramSet
    """
    samples = as_samples(X)
    if isinstance(samples, DiagramSet):
        return samples
    return DiagramSet({0: samples}, provenance={_ASSUMED: 0})


def labels_of(samples: DiagramSet, y: ArrayLike | None, who: object) -> NDArray[Any]:
    """Return the classes to train on: `y`, or the labels of the set.

    Parameters
    ----------
    samples : DiagramSet
    y : array-like of shape (n_samples,) or None
    who : object
        The classifier, for the message.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if y is None and samples.labels is None:
        raise ParameterError(
            f"there are no labels: {type(who).__name__} requires y to be passed, but "
            "the target y is None, and the samples bring no labels"
        )
    return as_labels(samples.labels if y is None else y)


def match_dimensions(
    samples: DiagramSet, known: tuple[int, ...], trained: DiagramSet
) -> DiagramSet:
    """Bring samples to the homology dimensions that a classifier was trained on.

    Parameters
    ----------
    samples : DiagramSet
    known : tuple of int
        The dimensions that it uses.
    trained : DiagramSet
        The training samples.

    Returns
    -------
    DiagramSet
    """
    unsaid = any(_ASSUMED in s.provenance for s in (samples, trained))
    if len(samples.dimensions) == len(known) == 1 and unsaid:
        (only,) = samples.diagrams.values()
        return DiagramSet({known[0]: only}, names=samples.names)
    if _ASSUMED in trained.provenance and len(samples.dimensions) > 1:
        raise ParameterError(
            "the classifier was trained on diagrams that do not say their homology "
            f"dimension, and these are of {list(samples.dimensions)}: choose one "
            "with .in_dimension(k)"
        )
    missing = set(known) - set(samples.dimensions)
    if missing:
        raise ParameterError(
            f"the classifier was trained on homology dimensions {sorted(known)}, "
            f"and these diagrams lack {sorted(missing)}: they are of "
            f"{list(samples.dimensions)}"
        )
    return DiagramSet({k: samples.diagrams[k] for k in known}, names=samples.names)
