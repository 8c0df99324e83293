"""Matrices of pairs of samples that the runs of the protocol share."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from swviz.diagrams import Diagram
from swviz.errors import ParameterError
from swviz.learning.svm import Split, check_indices
from swviz.typing import Floats, Ints, Progress

Compute = Callable[[list[Diagram], list[Diagram] | None, Progress | None], Floats]
"""The matrix of two lists of diagrams; None as the second is the first."""

Clock = Callable[[], float]
"""Seconds: ``time.perf_counter``, or ``time.process_time`` for processor time."""


def check_split(train: ArrayLike, test: ArrayLike, n_samples: int) -> Split:
    """Return a training and a test part as indices, if no sample is in both.

    Parameters
    ----------
    train, test : array-likes of int, or masks
    n_samples : int

    Returns
    -------
    train, test : ndarrays of int
    """
    known = check_indices(train, n_samples, "train")
    others = check_indices(test, n_samples, "test")
    if np.intersect1d(known, others).size:
        raise ParameterError("train and test have samples in common")
    return known, others


class Pairs:
    """Which pairs of samples runs may need.

    Parameters
    ----------
    n_samples : int
    splits : sequence of (train, test), optional
        Of all runs, as indices; by default any split may come.

    Attributes
    ----------
    known : ndarray of int
        Samples that a run may train on, ascending.
    others : ndarray of int
        Those that are tested on only, ascending: never compared with each other.
    """

    def __init__(self, n_samples: int, splits: Sequence[Split] | None = None) -> None:
        self.known: Ints = np.arange(n_samples)
        self.others: Ints = np.empty(0, dtype=np.intp)
        if splits is not None:
            self.known = np.unique(np.concatenate([train for train, _ in splits]))
            tested = np.concatenate([test for _, test in splits])
            self.others = np.setdiff1d(tested, self.known)

    def check(self, train: Ints, test: Ints) -> None:
        """Raise a ParameterError for a split with other pairs.

        Parameters
        ----------
        train, test : ndarrays of int
        """
        seen = np.union1d(self.known, self.others)
        if not (np.isin(train, self.known).all() and np.isin(test, seen).all()):
            raise ParameterError("this split is not one of those that were announced")


class PairMatrix:
    """A matrix of pairs of samples, of which each run takes its part.

    Parameters
    ----------
    diagrams : sequence of ndarray of shape (n_i, 2)
        Of all samples, in one homology dimension.
    compute : callable
        ``compute(X, Y, progress)`` is the matrix of two lists, None as Y is X.
    pairs : Pairs
        Those of all runs.
    keep : bool, default=True
        Whether to compute the pairs of all runs when the first one asks for them, and
        keep them; else each run has its own computed.
    clock : callable, default=time.perf_counter

    Notes
    -----
    Any split needs one symmetric matrix of all samples; a fixed one that of its
    training set, and, when it asks for them, the test samples against these.
    """

    def __init__(
        self,
        diagrams: Sequence[Diagram],
        compute: Compute,
        pairs: Pairs,
        *,
        keep: bool = True,
        clock: Clock = time.perf_counter,
    ) -> None:
        self._diagrams, self._compute, self._pairs = diagrams, compute, pairs
        self._keep, self._clock = keep, clock
        self._parts: dict[str, Floats] = {}
        self._seconds: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """Time for the parts that a run uses, as if it had been the only one."""
        return sum(self._seconds.values())

    def inner(self, train: Ints, progress: Progress | None = None) -> Floats:
        """Return the part of the training samples.

        Parameters
        ----------
        train : ndarray of int
        progress : callable, optional

        Returns
        -------
        ndarray of shape (n_train, n_train)
        """
        if not self._keep:
            return self._matrix("inner", train, None, progress)
        places = np.searchsorted(self._pairs.known, train)
        return self._kept("inner", progress)[np.ix_(places, places)]

    def outer(
        self, train: Ints, test: Ints, progress: Progress | None = None
    ) -> Floats:
        """Return the part of test and training samples.

        Parameters
        ----------
        train, test : ndarrays of int
        progress : callable, optional

        Returns
        -------
        ndarray of shape (n_test, n_train)
        """
        if not self._keep:
            return self._matrix("outer", test, train, progress)
        columns = np.searchsorted(self._pairs.known, train)
        is_known = np.isin(test, self._pairs.known)
        values = np.empty((len(test), len(train)))
        for name, samples, rows in (
            ("inner", self._pairs.known, is_known),
            ("outer", self._pairs.others, ~is_known),
        ):
            if rows.any():
                places = np.searchsorted(samples, test[rows])
                values[rows] = self._kept(name, progress)[np.ix_(places, columns)]
        return values

    def _kept(self, name: str, progress: Progress | None) -> Floats:
        if name not in self._parts:
            known = self._pairs.known
            rows = known if name == "inner" else self._pairs.others
            columns = None if name == "inner" else known
            self._parts[name] = self._matrix(name, rows, columns, progress)
        return self._parts[name]

    def _matrix(
        self, name: str, rows: Ints, columns: Ints | None, progress: Progress | None
    ) -> Floats:
        start = self._clock()
        first = [self._diagrams[index] for index in rows]
        second = None
        if columns is not None:
            second = [self._diagrams[index] for index in columns]
        values = self._compute(first, second, progress)
        self._seconds[name] = self._clock() - start
        return values
