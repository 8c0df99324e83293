"""Accuracy of a support vector machine by the number of directions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_count
from swviz.diagrams import DiagramSet, as_diagrams
from swviz.distances import sliced_wasserstein_matrix
from swviz.learning import C_GRID, random_splits, sigma_grid, tune_on_distances
from swviz.seeds import RandomState, fixed_seed
from swviz.typing import Floats, Progress, Rule

Size = int | Literal["exact"]

ACCURACY_COUNTS: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 10, 20)
"""Numbers of directions that machines are trained with."""

SMALL_C = (1.0, 100.0)
"""Of the paper's grid, what a quick look tries."""


@dataclass(frozen=True, eq=False)
class AccuracyStudy:
    """Accuracies by the number of directions.

    Parameters
    ----------
    sizes : tuple of int or "exact"
        The numbers of directions M.
    accuracies : ndarray of shape (len(sizes), n_runs)
        On the test part of each run; the runs split alike for all sizes.
    n_samples : int
    """

    sizes: tuple[Size, ...]
    accuracies: Floats
    n_samples: int

    @property
    def mean(self) -> Floats:
        """Mean over runs, shape (len(sizes),)."""
        return self.accuracies.mean(axis=1)

    @property
    def spread(self) -> Floats:
        """Standard deviation over runs, shape (len(sizes),); 0 for a single run."""
        runs = self.accuracies.shape[1]
        spread: Floats = self.accuracies.std(axis=1, ddof=min(1, runs - 1))
        return spread


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
    total = len(sizes) * len(splits)
    rows: list[list[float]] = []
    for size in sizes:
        done = len(rows) * len(splits)

        def report(*_of_this_matrix: int, done: int = done) -> None:
            if progress is not None:
                progress(done, total)

        distances = sliced_wasserstein_matrix(
            diagrams, n_directions=size, rule=rule, random_state=0, progress=report
        )
        row: list[float] = []
        for train, test in splits:
            report(done=done + len(row))
            inner = distances[np.ix_(train, train)]
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
