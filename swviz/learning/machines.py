"""What all classifiers of diagrams share: labels, samples to classify, accuracy."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.estimators import DiagramInput, check_unchanged
from swviz.kernels.inputs import Samples, as_samples
from swviz.learning.svm import as_labels, check_labels
from swviz.typing import Floats, Ints, Progress

_ASSUMED = "assumed_dimension"
"""In the provenance of files and lists, which do not say their homology dimension."""


class DiagramMachine(ClassifierMixin, DiagramInput):  # type: ignore[misc]
    """Base of what learns the classes of diagrams: labels in, samples in, accuracy.

    A machine says how it learns, by `_learn`, and the number of the class of each
    sample, by `_numbers`.
    """

    classes_: NDArray[Any]

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
            Called in this thread as ``progress(done, total)`` parts of the work go by.
            An exception it raises stops the work.

        Returns
        -------
        self
        """
        samples, classes, numbers = self._labelled(X, y)
        self._learn(samples, classes, numbers, progress)
        self.classes_ = classes
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
        check_is_fitted(self)
        return self.classes_[self._numbers(X)]

    def _learn(
        self,
        samples: DiagramSet,
        classes: NDArray[Any],
        numbers: Ints,
        progress: Progress | None,
    ) -> None:
        raise NotImplementedError

    def _numbers(self, X: Samples) -> Ints:
        raise NotImplementedError

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
        samples = _as_set(X)
        labels = as_labels(samples.labels if y is None else y, len(samples))
        right = self.predict(samples) == labels
        if sample_weight is None:
            return float(np.mean(right))
        return float(np.average(right, weights=_check_weights(sample_weight, right)))

    def _labelled(
        self, X: Samples, y: ArrayLike | None
    ) -> tuple[DiagramSet, NDArray[Any], Ints]:
        """Return samples to train on with their labels, classes, and their numbers."""
        samples = _as_set(X)
        if y is None and samples.labels is None:
            raise ParameterError(
                f"there are no labels: {type(self).__name__} requires y to be passed, "
                "but the target y is None, and the samples bring no labels"
            )
        labels = as_labels(samples.labels if y is None else y)
        classes, numbers = check_labels(labels, len(samples))
        labelled = DiagramSet(
            samples.diagrams, labels, samples.names, samples.provenance
        )
        return labelled, classes, numbers

    def _asked(
        self, X: Samples, known: tuple[int, ...], trained: DiagramSet
    ) -> DiagramSet:
        """Return samples to classify in the homology dimensions that are known."""
        check_unchanged(self)
        samples = _match_dimensions(_as_set(X), known, trained)
        if not len(samples):
            raise ParameterError("there are no diagrams to classify")
        return samples


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


def _as_set(X: Samples) -> DiagramSet:
    """Return samples as a set; the dimension of plain lists is assumed to be 0."""
    samples = as_samples(X)
    if isinstance(samples, DiagramSet):
        return samples
    return DiagramSet({0: samples}, provenance={_ASSUMED: 0})


def _match_dimensions(
    samples: DiagramSet, known: tuple[int, ...], trained: DiagramSet
) -> DiagramSet:
    """Bring samples to the dimensions that a classifier of others has learnt."""
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
