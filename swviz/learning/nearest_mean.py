"""The plainest classifier of diagrams: the class with the nearest mean."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import confusion_matrix
from sklearn.utils.validation import check_is_fitted

from swviz.diagrams import DiagramSet
from swviz.distances import sliced_wasserstein_matrix
from swviz.estimators import remember
from swviz.flows import sliced_means
from swviz.kernels.base import stage
from swviz.kernels.inputs import Samples, as_samples
from swviz.learning.candidate_sources import take
from swviz.learning.machines import DiagramMachine
from swviz.learning.reports import MeansReport
from swviz.learning.tuning import protocol_splits
from swviz.seeds import as_random_state, fixed_seed
from swviz.typing import Floats, Ints, Progress, Rule


class NearestSlicedMean(DiagramMachine, BaseEstimator):  # type: ignore[misc]
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

    def _learn(
        self,
        samples: DiagramSet,
        classes: NDArray[Any],
        numbers: Ints,
        progress: Progress | None,
    ) -> None:
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
        self.seed_ = seed
        remember(self, ["n_directions", "rule", "n_steps", "random_state"])

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
        samples = self._asked(X, self.means_.dimensions, self.means_)
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

    def _numbers(self, X: Samples) -> Ints:
        return self.distances(X).argmin(axis=1)

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


def mean_runs(
    machine: NearestSlicedMean,
    X: Samples,
    labels: ArrayLike | None = None,
    *,
    n_runs: int = 10,
    test_size: float = 0.3,
    splits: Sequence[tuple[ArrayLike, ArrayLike]] | None = None,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> Iterator[MeansReport]:
    """Test the nearest mean as kernels are, and give each run when it is done.

    Parameters
    ----------
    machine : NearestSlicedMean
        Its parameters are taken; it is left as it is.
    X, labels, n_runs, test_size, splits, random_state
        As in :func:`swviz.learning.kernel_runs`: the same seed gives the same splits.
    progress : callable, optional
        Called in this thread as ``progress(done, total)``, in parts of the work. An
        exception it raises stops the work; runs given before are not lost.

    Yields
    ------
    MeansReport

    Notes
    -----
    There is nothing to tune. Means are found anew in each run, from the training part
    alone.

    Examples
    --------
    >>> X = [[(0, 1)], [(0, 1.1)], [(0, 3)], [(0, 3.1)]]
    >>> runs = mean_runs(NearestSlicedMean(), X, [1, 1, 2, 2], n_runs=2, test_size=0.5)
    >>> [run.accuracy for run in runs]
    [1.0, 1.0]
    """
    X = as_samples(X)
    random = as_random_state(random_state)
    given, chosen = protocol_splits(X, labels, n_runs, test_size, splits, random)
    classes = np.unique(given)
    for index, (train, test) in enumerate(chosen):
        start = time.perf_counter()
        fitted = clone(machine).fit(
            take(X, train), given[train], progress=stage(progress, index, len(chosen))
        )
        predicted = fitted.predict(take(X, test))
        yield MeansReport(
            train=train,
            test=test,
            classes=classes,
            predictions=predicted,
            accuracy=float(np.mean(predicted == given[test])),
            confusion=confusion_matrix(
                np.searchsorted(classes, given[test]),
                np.searchsorted(classes, predicted),
                labels=np.arange(len(classes)),
            ),
            means=fitted.means_,
            seconds=time.perf_counter() - start,
        )
