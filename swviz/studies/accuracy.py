"""Accuracy of a support vector machine as one knob is turned.

The knob is the number of directions M, with everything else tuned anew for each M
(:func:`accuracy_study`, the first row of the paper's figure on M) or held still
(:func:`directions_curve`); or it is the bandwidth (:func:`bandwidth_curve`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from swviz.checks import check_count, check_positive
from swviz.diagrams import DiagramSet, as_diagrams
from swviz.errors import ParameterError
from swviz.kernels import (
    DiagramKernel,
    SlicedWassersteinKernel,
    kernel_from_distances,
)
from swviz.kernels.distance_based import Combine
from swviz.kernels.inputs import Samples, as_samples
from swviz.learning import (
    C_GRID,
    PreparedKernel,
    evaluate_svm,
    prepare,
    random_splits,
    sigma_grid,
    tune_on_distances,
)
from swviz.learning.svm import as_labels, check_labels
from swviz.results import Result, as_frame, brief, draw
from swviz.seeds import RandomState, fixed_seed
from swviz.typing import Floats, Progress, Rule

if TYPE_CHECKING:
    import pandas as pd

Size = int | Literal["exact"]
"""A number of directions, or the exact distance."""

ACCURACY_COUNTS: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 10, 20)
"""Numbers of directions that machines are trained with."""

DIRECTIONS = (1, 2, 3, 4, 6, 10, 20, 50)
"""Numbers of directions that are worth comparing."""

_EXACT_COST = 50
"""What an exact matrix counts in the progress, in directions."""

SMALL_C = (1.0, 100.0)
"""Of the paper's grid, what a quick look tries."""


def distances_by_directions(
    kernel: SlicedWassersteinKernel,
    X: Samples,
    counts: Sequence[Size] = DIRECTIONS,
    *,
    progress: Progress | None = None,
) -> Iterator[tuple[Size, Floats]]:
    """Sliced Wasserstein distances with ever more directions.

    Parameters
    ----------
    kernel : SlicedWassersteinKernel
        Gives the rule, the dimensions and so on.
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
    counts : sequence of int or "exact", default=(1, 2, 3, 4, 6, 10, 20, 50)
    progress : callable, optional
        As in :func:`swviz.sliced_wasserstein_matrix`.

    Yields
    ------
    n_directions : int or "exact"
    distances : ndarray of shape (n_dimensions, n, n)
    """
    X = as_samples(X)
    # A matrix costs in proportion to its directions.
    costs = [
        _EXACT_COST if count == "exact" else check_count(count, "n_directions")
        for count in counts
    ]
    for index, count in enumerate(counts):
        part = _weighted(progress, sum(costs[:index]), costs[index], sum(costs))
        wanted = clone(kernel).set_params(n_directions=count)
        yield count, wanted.fit(X).distances(X, progress=part)


@dataclass(frozen=True, eq=False, repr=False)
class AccuracyStudy(Result):
    """Accuracies by the number of directions.

    Parameters
    ----------
    sizes : tuple of int or "exact"
        The numbers of directions M.
    accuracies : ndarray of shape (len(sizes), n_runs)
        On the test part of each run; the runs split alike for all sizes. NaN for runs
        that have not been made; each size has one at least.
    n_samples : int
    """

    sizes: tuple[Size, ...]
    accuracies: Floats
    n_samples: int

    @property
    def mean(self) -> Floats:
        """Mean over runs, shape (len(sizes),)."""
        return np.nanmean(self.accuracies, axis=1)

    @property
    def spread(self) -> Floats:
        """Standard deviation over runs, shape (len(sizes),); 0 for a single run."""
        away = self.accuracies - self.mean[:, None]
        runs = np.isfinite(away).sum(axis=1)
        return np.sqrt(np.nansum(away**2, axis=1) / np.maximum(runs - 1, 1))

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "samples": str(self.n_samples),
            "directions": brief(self.sizes, 10),
            "runs": str(self.accuracies.shape[1]),
            "accuracy": brief((f"{mean:.1%}" for mean in self.mean), 10),
        }

    def frame(self) -> pd.DataFrame:
        """Return the study as a data frame, a row for each run that has been made.

        Returns
        -------
        pandas.DataFrame
            Columns n_directions (or "exact"), run and accuracy.
        """
        size, run = np.nonzero(np.isfinite(self.accuracies))
        sizes = np.array(self.sizes, dtype=object)[size]
        if "exact" not in self.sizes:
            sizes = sizes.astype(np.intp)
        accuracy = self.accuracies[size, run]
        return as_frame({"n_directions": sizes, "run": run, "accuracy": accuracy})

    def plot(self) -> Any:
        """Draw the accuracies by the number of directions: `swviz.plot.accuracy`."""
        return draw("accuracy", self)


def accuracy_studies(
    X: DiagramSet | Sequence[ArrayLike],
    labels: ArrayLike,
    sizes: Sequence[Size] = ACCURACY_COUNTS,
    *,
    rule: Rule = "paper",
    n_runs: int = 5,
    grid: Literal["small", "paper"] = "small",
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> Iterator[AccuracyStudy]:
    """Train and test with more and more numbers of directions.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
    labels : array-like of shape (len(X),)
    sizes : sequence of int or "exact"
        The numbers of directions M.
    rule : {"paper", "diagonal", "random"}, default="paper"
    n_runs : int, default=5
        Random splits, 70 % for training, to average over.
    grid : {"small", "paper"}, default="small"
        What is tuned by cross-validation on the training part: 5 of the paper's 15
        sigmas and 2 of its 7 values of C on 3 random halves, or all of them on 10.
    random_state : int, RandomState instance, Generator or None, default=0
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` with the machines that have
        been tested. An exception it raises stops the work.

    Yields
    ------
    AccuracyStudy
        Of all sizes so far.

    See Also
    --------
    accuracy_study : the last one.
    swviz.learning.evaluate_kernel : the paper's protocol for one kernel.
    """
    diagrams = as_diagrams(X)
    given = np.asarray(labels)
    # The same halves for every number of directions.
    seed = fixed_seed(random_state)
    splits = random_splits(
        given, check_count(n_runs, "n_runs", 1000), 0.3, seed, stratify=True
    )
    small = grid == "small"
    rows: list[list[float]] = []
    row: list[float] = []

    def report(*_of_a_matrix: int) -> None:
        if progress is not None:
            done = len(rows) * len(splits) + len(row)
            progress(done, len(sizes) * len(splits))

    kernel = SlicedWassersteinKernel(rule=rule, random_state=0)
    for _, distances in distances_by_directions(
        kernel, diagrams, sizes, progress=report
    ):
        for train, test in splits:
            report()
            inner = distances[0][np.ix_(train, train)]
            run = tune_on_distances(
                distances,
                given,
                train,
                test,
                sigmas=sigma_grid(inner)[1::3].tolist() if small else None,
                C=SMALL_C if small else C_GRID,
                n_splits=3 if small else 10,
                random_state=seed,
            )
            row.append(run.accuracy)
        rows.append(row)
        row = []
        yield AccuracyStudy(tuple(sizes[: len(rows)]), np.array(rows), len(diagrams))


def accuracy_study(
    X: DiagramSet | Sequence[ArrayLike],
    labels: ArrayLike,
    sizes: Sequence[Size] = ACCURACY_COUNTS,
    *,
    rule: Rule = "paper",
    n_runs: int = 5,
    grid: Literal["small", "paper"] = "small",
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> AccuracyStudy:
    """Accuracy of a support vector machine by the number of directions.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
    labels : array-like of shape (len(X),)
    sizes : sequence of int or "exact"
        The numbers of directions M.
    rule, n_runs, grid, random_state, progress
        As in :func:`accuracy_studies`.

    Returns
    -------
    AccuracyStudy
        First row of the paper's figure.
    """
    if not sizes:
        return AccuracyStudy((), np.empty((0, n_runs)), len(X))
    *_, last = accuracy_studies(
        X, labels, sizes, rule=rule, n_runs=n_runs, grid=grid,
        random_state=random_state, progress=progress,
    )  # fmt: skip
    return last


@dataclass(frozen=True)
class CurvePoint:
    """Accuracies at one value of the knob.

    Parameters
    ----------
    value : float
    train, test : float
    cv, spread : float
        Mean and standard deviation over random halves of the training set.
    """

    value: float
    train: float
    test: float
    cv: float
    spread: float


def bandwidth_curve(
    ready: PreparedKernel,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    scales: Sequence[float],
    C: float = 1.0,
    *,
    n_splits: int = 10,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> Iterator[CurvePoint]:
    """Accuracies for one bandwidth after the other.

    Parameters
    ----------
    ready : PreparedKernel
    labels, train, test
        As in :func:`swviz.learning.evaluate_svm`.
    scales : sequence of float
    C, n_splits, random_state
        As in :func:`swviz.learning.evaluate_svm`.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` bandwidths.

    Yields
    ------
    CurvePoint
    """
    for done, scale in enumerate(scales):
        if progress is not None:
            progress(done, len(scales))
        gram = ready.gram(scale)
        yield _point(scale, gram, labels, train, test, C, n_splits, random_state)


@dataclass(frozen=True, eq=False, repr=False)
class BandwidthStudy(Result):
    """Accuracies of one kernel by its bandwidth.

    Parameters
    ----------
    kernel : str
        Name of its class.
    parameter : str
        Name of the bandwidth: "sigma", "t" or "tau".
    points : tuple of CurvePoint
        By ascending bandwidth.
    C : float
    chance : float
        Share of the largest class in the test part: the accuracy of guessing it.
    """

    kernel: str
    parameter: str
    points: tuple[CurvePoint, ...]
    C: float
    chance: float

    @property
    def best(self) -> CurvePoint:
        """The point of the highest cross-validated accuracy; of several the middle."""
        highest = max(point.cv for point in self.points)
        ties = [point for point in self.points if point.cv >= highest - 1e-12]
        return ties[len(ties) // 2]

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        best = self.best
        return {
            "kernel": self.kernel,
            "bandwidths": str(len(self.points)),
            "best": f"{self.parameter} {best.value:.3g}, test {best.test:.1%}",
            "guessing": f"{self.chance:.1%}",
        }

    def frame(self) -> pd.DataFrame:
        """Return the curve as a data frame, a row for each bandwidth.

        Returns
        -------
        pandas.DataFrame
            Columns bandwidth, train, test, cv and spread.
        """
        return as_frame(
            {
                "bandwidth": [point.value for point in self.points],
                "train": [point.train for point in self.points],
                "test": [point.test for point in self.points],
                "cv": [point.cv for point in self.points],
                "spread": [point.spread for point in self.points],
            }
        )

    def plot(self, now: float | None = None) -> Any:
        """Draw the curve: `swviz.plot.bandwidth_curve`.

        Parameters
        ----------
        now : float, optional
            A bandwidth to mark; that of `best` by default.

        Returns
        -------
        hv.Overlay
        """
        letter = {"sigma": "σ", "tau": "τ"}.get(self.parameter, self.parameter)
        return draw(
            "bandwidth_curve",
            self.points,
            now=self.best.value if now is None else now,
            chance=self.chance,
            xlabel=f"bandwidth {letter}",
            mark="best" if now is None else "chosen",
        )


def bandwidth_study(
    kernel: DiagramKernel,
    X: Samples,
    labels: ArrayLike | None = None,
    scales: Sequence[float] | None = None,
    C: float = 1.0,
    *,
    test_size: float = 0.3,
    n_splits: int = 10,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> BandwidthStudy:
    """Accuracy of a support vector machine by the bandwidth of its kernel.

    Parameters
    ----------
    kernel : DiagramKernel
        k_SW (any tier), the Gaussian on d1, k_PSS or k_PWG; its own bandwidth does not
        matter.
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
    labels : array-like of shape (len(X),), optional
        By default those of the `DiagramSet`.
    scales : sequence of float, optional
        The bandwidths; those that the paper tries by default.
    C : float, default=1.0
    test_size : float, default=0.3
        Part of the samples that is kept for testing, in each class.
    n_splits : int, default=10
        Random halves of the training part for cross-validation.
    random_state : int, RandomState instance, Generator or None, default=0
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` machines.

    Returns
    -------
    BandwidthStudy

    See Also
    --------
    bandwidth_curve : the same point by point, for matrices that are there already.

    Examples
    --------
    >>> import swviz as sw
    >>> X = [[(0, death + k / 10)] for death in (1, 3) for k in range(10)]
    >>> labels = np.repeat(["short", "long"], 10)
    >>> study = bandwidth_study(sw.SlicedWassersteinKernel(), X, labels)
    >>> study.best.test, study.chance
    (1.0, 0.5)
    """
    samples = as_samples(X)
    if labels is None:
        labels = X.labels if isinstance(X, DiagramSet) else None
    given = as_labels(labels)
    check_labels(given, len(samples))
    seed = fixed_seed(random_state)
    train, test = random_splits(given, 1, test_size, seed, stratify=True)[0]
    ready = prepare(kernel, samples, train)
    wanted = ready.scales(train) if scales is None else scales
    several = sorted(check_positive(scale, "scales") for scale in wanted)
    if not several:
        raise ParameterError("scales is empty: give one bandwidth at least")
    points = bandwidth_curve(
        ready, given, train, test, several, C, n_splits=n_splits, random_state=seed,
        progress=progress,
    )  # fmt: skip
    _, counts = np.unique(given[test], return_counts=True)
    return BandwidthStudy(
        type(kernel).__name__,
        ready.scale_name,
        tuple(points),
        check_positive(C, "C"),
        float(counts.max() / len(test)),
    )


def directions_curve(
    distances: Mapping[int, Floats],
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    sigma: float,
    C: float = 1.0,
    *,
    combine: Combine = "product",
    n_splits: int = 10,
    random_state: Any = 0,
) -> list[CurvePoint]:
    """Accuracies by number of directions, at one sigma and one C.

    Parameters
    ----------
    distances : mapping of int to ndarray of shape (n_dimensions, n, n)
        From :func:`distances_by_directions`.
    labels, train, test
        As in :func:`swviz.learning.evaluate_svm`.
    sigma : float
    C : float, default=1.0
    combine : {"product", "mean"}, default="product"
    n_splits, random_state
        As in :func:`swviz.learning.evaluate_svm`.

    Returns
    -------
    list of CurvePoint
    """
    return [
        _point(
            count,
            kernel_from_distances(stack, sigma, combine),
            labels,
            train,
            test,
            C,
            n_splits,
            random_state,
        )
        for count, stack in distances.items()
    ]


def _point(
    value: float,
    gram: Floats,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    C: float,
    n_splits: int,
    random_state: Any,
) -> CurvePoint:
    found = evaluate_svm(
        gram, labels, train, test, C, n_splits=n_splits, random_state=random_state
    )
    return CurvePoint(
        float(value),
        found.train_accuracy,
        found.test_accuracy,
        found.cv_accuracy,
        found.cv_spread,
    )


def _weighted(
    progress: Progress | None, before: int, weight: int, total: int
) -> Progress | None:
    """Report a stage whose cost is `weight` of `total`, in thousandths."""
    if progress is None:
        return None

    def report(done: int, pairs: int) -> None:
        share = done / pairs if pairs else 1.0
        progress(round(1000 * (before + weight * share) / total), 1000)

    return report
