"""The paper's protocol (Section 4): tune on the training set, test once, average.

:func:`tune_and_test` is one run. What it chooses from comes from
:func:`swviz.learning.candidate_source`, which several runs share, so that each of them
can be made, kept and taken up again on its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix

from swviz.checks import check_positive, check_workers
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError, shown
from swviz.kernels import DiagramKernel
from swviz.kernels.distance_based import Combine, check_stack
from swviz.kernels.inputs import Samples, as_samples
from swviz.learning.candidate_sources import candidate_source
from swviz.learning.candidates import Candidates, DistanceCandidates
from swviz.learning.grids import C_GRID
from swviz.learning.pair_matrices import check_split
from swviz.learning.reports import GridScores, LearningReport, RunReport
from swviz.learning.svm import (
    Split,
    as_labels,
    check_labels,
    fit_svm,
    random_splits,
    split_accuracies,
)
from swviz.seeds import as_random_state
from swviz.typing import Floats, Ints, Progress

Watch = Callable[[GridScores], object]
"""Told the scores so far, NaN where they are not known yet."""

_SHARED = 0.3
"""Part of the progress that stands for what all runs share."""


def evaluate_kernel(
    kernel: DiagramKernel,
    X: Samples,
    labels: ArrayLike | None = None,
    *,
    n_runs: int = 10,
    test_size: float = 0.3,
    splits: Sequence[tuple[ArrayLike, ArrayLike]] | None = None,
    C: Sequence[float] = C_GRID,
    factors: Sequence[float] | None = None,
    n_splits: int = 10,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> LearningReport:
    """Run the paper's classification protocol for one kernel.

    Parameters
    ----------
    kernel : DiagramKernel
        Its bandwidths are tuned; everything else (directions, method, homology
        dimensions, p of k_PWG) is taken from it.
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
    labels : array-like of shape (len(X),), optional
        By default those of the `DiagramSet`.
    n_runs : int, default=10
        Random splits into training and test set to average over, with the same part of
        each class in both.
    test_size : float, default=0.3
    splits : sequence of (train, test), optional
        Indices, instead of random splits.
    C : sequence of float, default=(0.001, ..., 1000)
    factors : sequence of float, optional
        What a homology dimension may count, such as ``(0, 1 / 3, 1)``: one is chosen
        for each together with the bandwidth, for kernels of a distance. By default all
        count alike, as in the paper.
    n_splits : int, default=10
        Random halves of the training set that parameters are chosen by.
    random_state : int, RandomState instance, Generator or None, default=0
        The same seed gives the same splits to all kernels.
    n_jobs : int, optional
        Number of joblib workers for the support vector machines.
    progress : callable, optional
        Called in this thread as ``progress(done, total)``, in thousandths of the work.
        An exception it raises stops the work.

    Returns
    -------
    LearningReport

    Notes
    -----
    For each run and for each point of the grid (15 sigmas for :math:`k_{SW}`, 13 scales
    for k_PSS, 125 settings for k_PWG; times 7 values of C) a support vector machine is
    trained on one half of the training set and tested on the other, for ten random
    halves; the parameters with the best mean accuracy are used for one machine on the
    whole training set, and that is tested on the test set. No test sample is looked at
    before.

    With `factors`, distances of each dimension are divided by their median over the
    training pairs before they are weighted; three factors for two dimensions make five
    times as many points of the grid.
    """
    runs = kernel_runs(
        kernel,
        X,
        labels,
        n_runs=n_runs,
        test_size=test_size,
        splits=splits,
        C=C,
        factors=factors,
        n_splits=n_splits,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
    )
    return LearningReport(type(kernel).__name__, tuple(runs))


def kernel_runs(
    kernel: DiagramKernel,
    X: Samples,
    labels: ArrayLike | None = None,
    *,
    n_runs: int = 10,
    test_size: float = 0.3,
    splits: Sequence[tuple[ArrayLike, ArrayLike]] | None = None,
    C: Sequence[float] = C_GRID,
    factors: Sequence[float] | None = None,
    n_splits: int = 10,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Iterator[RunReport]:
    """Run the paper's protocol and give each run when it is done.

    Parameters
    ----------
    kernel, X, labels, n_runs, test_size, splits
        As in :func:`evaluate_kernel`, whose runs these are.
    C, factors, n_splits, random_state, n_jobs
        As there.
    progress : callable, optional
        As in :func:`evaluate_kernel`; runs given before it raises are not lost.
    watch : callable, optional
        Called with the :class:`GridScores` of the run so far, NaN where they are not
        known yet, each time a setting has been tried.

    Yields
    ------
    RunReport
    """
    X = as_samples(X)
    _check_costs(C)
    check_workers(n_jobs)
    random = as_random_state(random_state)
    given, checked = protocol_splits(X, labels, n_runs, test_size, splits, random)
    announced = None if splits is None else checked
    source = candidate_source(kernel, X, announced, factors=factors)
    ends = np.linspace(_SHARED, 1.0, len(checked) + 1)
    for index, (train, test) in enumerate(checked):
        # The first run computes what all of them share.
        shared = _portion(progress, 0.0, _SHARED) if index == 0 else None
        yield tune_and_test(
            source.candidates(train, test, progress=shared),
            given,
            train,
            test,
            C=C,
            n_splits=n_splits,
            random_state=random,
            n_jobs=n_jobs,
            progress=_portion(progress, ends[index], ends[index + 1]),
            watch=watch,
        )


def protocol_splits(
    X: Samples,
    labels: ArrayLike | None,
    n_runs: int,
    test_size: float,
    splits: Sequence[tuple[ArrayLike, ArrayLike]] | None,
    random_state: Any,
) -> tuple[NDArray[Any], list[Split]]:
    """Split samples for several runs, in the same way for all classifiers.

    Parameters
    ----------
    X : list of diagrams, or DiagramSet
    labels, n_runs, test_size, splits
        As in :func:`evaluate_kernel`.
    random_state : int, RandomState instance, Generator or None
        The same seed gives the same splits.

    Returns
    -------
    labels : ndarray of shape (len(X),)
    splits : list of (train, test)
        Indices.
    """
    if labels is None:
        labels = X.labels if isinstance(X, DiagramSet) else None
    given = as_labels(labels)
    check_labels(given, len(X))
    chosen: Sequence[tuple[ArrayLike, ArrayLike]] | None = splits
    if chosen is None:
        chosen = random_splits(given, n_runs, test_size, random_state, stratify=True)
    return given, [check_split(train, test, len(X)) for train, test in chosen]


def tune_and_test(
    candidates: Candidates,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    *,
    C: Sequence[float] = C_GRID,
    n_splits: int = 10,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> RunReport:
    """Make one run: choose a Gram matrix and C on the training set, and test once.

    Parameters
    ----------
    candidates : Candidates
        Gram matrices of this split, from :func:`swviz.learning.candidate_source`.
    labels : array-like of shape (n,)
        Of all samples.
    train, test : array-likes of int, or masks
    C, n_splits
        As in :func:`evaluate_kernel`.
    random_state : int, RandomState instance, Generator or None, default=0
        For the random halves.
    n_jobs : int, optional
        Number of joblib workers for the halves.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` with the settings done. An
        exception it raises stops the work.
    watch : callable, optional
        As in :func:`kernel_runs`.

    Returns
    -------
    RunReport
        Its times are by the clock of the candidates.

    Notes
    -----
    Costs settings x C x halves support vector machines, a millisecond or so each. Test
    samples take part in the last step only.
    """
    given = as_labels(labels)
    # Numbers for the classes, because scikit-learn takes labels such as 2.5 for the
    # values of a regression.
    classes, numbers = check_labels(given, len(given))
    known, others = check_split(train, test, len(given))
    costs = _check_costs(C)
    check_workers(n_jobs)
    halves = random_splits(given[known], n_splits, 0.5, as_random_state(random_state))
    grid, tuning_seconds = _cross_validate(
        candidates, numbers[known], costs, halves, n_jobs, progress, watch
    )
    setting, cost = grid.best
    inner, outer = candidates.final_grams(setting)
    machine = fit_svm(inner, numbers[known], float(costs[cost]))
    predicted = machine.predict(outer)
    return RunReport(
        train=known,
        test=others,
        parameters=grid.settings[setting],
        C=float(costs[cost]),
        grid=grid,
        classes=classes,
        predictions=classes[predicted],
        accuracy=float(np.mean(predicted == numbers[others])),
        confusion=confusion_matrix(
            numbers[others], predicted, labels=np.arange(len(classes))
        ),
        gram_seconds=candidates.seconds,
        tuning_seconds=tuning_seconds,
    )


def tune_on_distances(
    distances: ArrayLike,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    *,
    sigmas: Sequence[float] | None = None,
    combine: Combine = "product",
    C: Sequence[float] = C_GRID,
    n_splits: int = 10,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> RunReport:
    """Choose sigma and C on precomputed distances, and test once.

    Parameters
    ----------
    distances : array-like of shape (n, n) or (n_dimensions, n, n)
        Of all samples: sliced Wasserstein distances, or d1.
    labels : array-like of shape (n,)
    train, test : array-likes of int, or masks
    sigmas : sequence of float, optional
        By default :func:`swviz.sigma_grid` of the distances within the training set.
    combine : {"product", "mean"}, default="product"
        As in :func:`swviz.kernels.kernel_from_distances`.
    C, n_splits, random_state, n_jobs
        As in :func:`evaluate_kernel`.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` with the sigmas done. An
        exception it raises stops the work.
    watch : callable, optional
        As in :func:`kernel_runs`.

    Returns
    -------
    RunReport

    Examples
    --------
    >>> x = np.repeat([0.0, 10.0], 6) + np.arange(12) % 6
    >>> labels = np.repeat(["low", "high"], 6)
    >>> train, test = np.arange(12) % 3 > 0, np.arange(12) % 3 == 0
    >>> report = tune_on_distances(np.abs(x[:, None] - x), labels, train, test)
    >>> report.accuracy, report.grid.mean.shape
    (1.0, (15, 7))
    """
    stack = check_stack(distances)
    count = stack.shape[1]
    if stack.shape[2] != count:
        raise ParameterError(f"distances must be square, not {stack.shape[1:]}")
    given = as_labels(labels)
    check_labels(given, count)
    known, others = check_split(train, test, count)
    if sigmas is not None:
        sigmas = [check_positive(sigma, "sigma") for sigma in sigmas]
    columns = stack[:, :, known]
    return tune_and_test(
        DistanceCandidates(columns[:, known], columns[:, others], combine, sigmas),
        given,
        known,
        others,
        C=C,
        n_splits=n_splits,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        watch=watch,
    )


def _check_costs(C: Sequence[float]) -> Floats:
    if not isinstance(C, Collection) or isinstance(C, str | bytes | Mapping):
        raise ParameterError(
            f"C must be a list of numbers to choose from, such as [1.0], not {shown(C)}"
        )
    costs = np.array([check_positive(c, "C") for c in C], dtype=np.float64)
    if not len(costs):
        raise ParameterError("C is empty: give at least one value")
    return costs


def _portion(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Report the progress of a part of the work, in thousandths of the whole."""
    if progress is None:
        return None

    def report(done: int, total: int) -> None:
        share = done / total if total else 1.0
        progress(round(1000 * (begin + (end - begin) * share)), 1000)

    return report


def _cross_validate(
    candidates: Candidates,
    numbers: Ints,
    costs: Floats,
    halves: Sequence[Split],
    n_jobs: int | None,
    progress: Progress | None,
    watch: Watch | None,
) -> tuple[GridScores, float]:
    """Accuracies over the grid on halves of the training set, and the seconds it took.

    Everything here knows training samples only.
    """
    settings = tuple(candidates.settings)
    accuracies = np.full((len(settings), len(costs), len(halves)), np.nan)
    seconds = 0.0
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for index, gram in enumerate(candidates.train_grams()):
            start = candidates.clock()
            columns = parallel(
                delayed(split_accuracies)(gram, numbers, half, costs) for half in halves
            )
            accuracies[index] = np.stack(columns, axis=1)
            seconds += candidates.clock() - start
            if watch is not None:
                watch(GridScores(settings, costs, accuracies.copy()))
            if progress is not None:
                progress(index + 1, len(settings))
    return GridScores(settings, costs, accuracies), seconds
