"""The plainest classifier of diagrams: the class with the nearest mean."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from swviz.diagrams import DiagramSet
from swviz.distances import sliced_wasserstein_matrix
from swviz.errors import ParameterError
from swviz.estimators import DiagramInput, check_unchanged, remember
from swviz.flows import sliced_means
from swviz.kernels.inputs import Samples
from swviz.learning.classifier import (
    ScoresDiagrams,
    as_set,
    labels_of,
    match_dimensions,
)
from swviz.learning.svm import check_labels
from swviz.seeds import fixed_seed
from swviz.typing import Floats, Progress, Rule


class NearestSlicedMean(ScoresDiagrams, DiagramInput, BaseEstimator):  # type: ignore[misc]
    r"""Says of a diagram the class whose mean is nearest, by :math:`SW_M`.

    Parameters
    ----------
    n_directions : int, default=30
        The paper's M, for means and for distances.
    rule, random_state
        As in :func:`swviz.directions`.
    n_steps : int, default=30
        As in :func:`swviz.sliced_mean`.
    n_jobs : int, optional
        Number of joblib workers, -1 for all cores; 1 by default.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    means_ : DiagramSet
        The mean of each class, in all homology dimensions of the training samples;
        distances of dimensions add up.

    Notes
    -----
    It keeps one diagram a class, so that it answers in O(n_classes) distances, and it
    shows what it has learnt: ``sw.plot.diagram(*machine.means_.in_dimension(1))``. A
    class of two kinds of diagrams has a mean that is neither: a kernel is better there.

    Examples
    --------
    >>> X = [[(0, 1)], [(0, 1.1)], [(0, 3)], [(0, 3.1)]]
    >>> machine = NearestSlicedMean().fit(X, ["short", "short", "long", "long"])
    >>> machine.predict([[(0, 0.9)], [(0, 3.3)]]).tolist()
    ['short', 'long']
    >>> machine.means_.in_dimension(0)[0][:, 1].round(2)
    array([3.05])
    """

    def __init__(
        self,
        n_directions: int = 30,
        *,
        rule: Rule = "diagonal",
        n_steps: int = 30,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_directions = n_directions
        self.rule = rule
        self.n_steps = n_steps
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        *,
        progress: Progress | None = None,
    ) -> Self:
        """Find the mean of each class.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        y : array-like of shape (len(X),), optional
            Classes; by default the labels of the `DiagramSet`.
        progress : callable, optional
            As in :func:`swviz.sliced_means`.

        Returns
        -------
        self
        """
        samples = as_set(X)
        labels = labels_of(samples, y, self)
        classes, numbers = check_labels(labels, len(samples))
        # Means and distances are along the same random directions.
        seed = fixed_seed(self.random_state)
        numbered = DiagramSet(samples.diagrams, numbers, samples.names)
        means = sliced_means(
            numbered,
            n_directions=self.n_directions,
            rule=self.rule,
            n_steps=self.n_steps,
            random_state=seed,
            n_jobs=self.n_jobs,
            progress=progress,
        )
        self.means_ = DiagramSet(
            means.diagrams, classes, [str(one) for one in classes], samples.provenance
        )
        self.classes_ = classes
        self.seed_ = seed
        remember(self, ["n_directions", "rule", "n_steps", "random_state"])
        return self

    def distances(self, X: Samples) -> Floats:
        """Distances to the mean of each class.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet

        Returns
        -------
        ndarray of shape (len(X), n_classes)
        """
        check_is_fitted(self)
        check_unchanged(self)
        samples = match_dimensions(as_set(X), self.means_.dimensions, self.means_)
        if not len(samples):
            raise ParameterError("there are no diagrams to classify")
        return sum(
            (
                sliced_wasserstein_matrix(
                    samples.in_dimension(k),
                    self.means_.in_dimension(k),
                    n_directions=self.n_directions,
                    rule=self.rule,
                    random_state=self.seed_,
                    n_jobs=self.n_jobs,
                )
                for k in self.means_.dimensions
            ),
            start=np.zeros((len(samples), len(self.classes_))),
        )

    def predict(self, X: Samples) -> NDArray[Any]:
        """Classes of other samples.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet

        Returns
        -------
        ndarray of shape (len(X),)
        """
        nearest = self.distances(X).argmin(axis=1)
        return self.classes_[nearest]

    def decision_function(self, X: Samples) -> Floats:
        """How much other samples are of each class: the larger, the more.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet

        Returns
        -------
        ndarray of shape (len(X),) or (len(X), n_classes)
            Distances with a minus; of two classes, by how much the second is nearer: it
            is predicted above 0.
        """
        distances = self.distances(X)
        if len(self.classes_) > 2:
            return -distances
        return distances[:, 0] - distances[:, 1]
