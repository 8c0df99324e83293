"""One run of the paper's protocol on Gram matrices that several runs share.

The same steps as :func:`swviz.learning.evaluate_kernel`, for one run at a time, so that
each can be kept when it is finished.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn import config_context
from sklearn.metrics import confusion_matrix

from swviz.checks import check_workers
from swviz.learning import C_GRID, GridScores, RunReport, random_splits
from swviz.learning.candidates import Candidates
from swviz.learning.svm import Split, check_labels, fit_svm
from swviz.seeds import as_random_state
from swviz.typing import Floats, Ints, Progress


def tune_and_test(
    candidates: Candidates,
    labels: ArrayLike,
    train: Ints,
    test: Ints,
    *,
    C: Sequence[float] = C_GRID,
    n_splits: int = 10,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> RunReport:
    """Choose a Gram matrix and C on halves of the training set, and test once.

    Parameters
    ----------
    candidates : Candidates
        Gram matrices of this split.
    labels : array-like of shape (n,)
        Of all samples.
    train, test : ndarrays of int
    C : sequence of float, default=(0.001, ..., 1000)
        Ascending.
    n_splits : int, default=10
        Random halves of the training set.
    random_state : int, RandomState instance, Generator or None, default=0
        For these halves.
    n_jobs : int, optional
        Number of joblib threads for the halves.
    progress : callable, optional
        Called as ``progress(done, total)`` with the settings done.

    Returns
    -------
    RunReport

    Notes
    -----
    Costs settings x C x halves support vector machines at most, a few milliseconds
    each. Test samples take part in the last step only. Times in the report are
    processor time, of all threads: on a busy machine, too, they mean something.
    """
    classes, numbers = check_labels(labels, len(np.asarray(labels)))
    known = numbers[train]
    costs = np.array(C, dtype=np.float64)
    random = as_random_state(random_state)
    check_workers(n_jobs)
    halves = random_splits(np.asarray(labels)[train], n_splits, 0.5, random)
    accuracies = np.empty((len(candidates.settings), len(costs), len(halves)))
    tuning_seconds = 0.0
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for index, gram in enumerate(candidates.train_grams()):
            start = time.process_time()
            columns = parallel(
                delayed(half_accuracies)(gram, known, half, costs) for half in halves
            )
            accuracies[index] = np.stack(columns, axis=1)
            tuning_seconds += time.process_time() - start
            if progress is not None:
                progress(index + 1, len(candidates.settings))
    grid = GridScores(tuple(candidates.settings), costs, accuracies)
    setting, cost = grid.best
    inner, outer = candidates.final_grams(setting)
    predicted = fit_svm(inner, known, float(costs[cost])).predict(outer)
    return RunReport(
        train=train,
        test=test,
        parameters=grid.settings[setting],
        C=float(costs[cost]),
        grid=grid,
        classes=classes,
        predictions=classes[predicted],
        accuracy=float(np.mean(predicted == numbers[test])),
        confusion=confusion_matrix(
            numbers[test], predicted, labels=np.arange(len(classes))
        ),
        gram_seconds=candidates.seconds,
        tuning_seconds=tuning_seconds,
    )


def half_accuracies(gram: Floats, labels: Ints, half: Split, C: Floats) -> Floats:
    """Train on one half and test on the other, for ascending C.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    labels : ndarray of shape (n,), integer
    half : (train, test)
    C : ndarray of shape (n_C,)
        Ascending.

    Returns
    -------
    ndarray of shape (n_C,)

    Notes
    -----
    Once no coefficient is at its bound C, a larger C changes nothing: its machine is
    the same, and is not trained again. That spares about a third of them.
    """
    train, test = half
    known, truth = labels[train], labels[test]
    if (known == known[0]).all():
        return np.full(len(C), np.mean(truth == known[0]))
    inner = np.ascontiguousarray(gram[np.ix_(train, train)])
    outer = np.ascontiguousarray(gram[np.ix_(test, train)])
    accuracies = np.empty(len(C))
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for index, cost in enumerate(C):
            machine = fit_svm(inner, known, cost)
            accuracies[index:] = np.mean(machine.predict(outer) == truth)
            converged = machine.fit_status_ == 0
            if converged and np.abs(machine.dual_coef_).max() < 0.999 * cost:
                break
    return accuracies
