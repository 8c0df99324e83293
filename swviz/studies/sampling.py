"""Samples of a set that is too large to be measured whole: seeded, and stated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_count
from swviz.diagrams import Diagram
from swviz.seeds import RandomState, as_generator, as_random_state
from swviz.typing import Ints

_SECONDS = 12.0
"""What a study of ratios may take, by the rough costs below."""

_PER_SQUARE, _PER_POINT = 9e-8, 4e-5
"""Seconds for a pair's squared distinct points (exact) and its points (slices)."""

_SORTED = 4e6
"""Points of all pairs of a matrix that takes a fifth of a second per direction."""

_LOOKED_AT = 8
"""Diagrams whose points are counted."""


def sample_pairs(n_diagrams: int, n_pairs: int, random_state: RandomState = 0) -> Ints:
    """Choose pairs of a set at random, each at most once.

    Parameters
    ----------
    n_diagrams : int
    n_pairs : int
        How many; all pairs if there are not more.
    random_state : int, RandomState instance, Generator or None, default=0

    Returns
    -------
    ndarray of shape (k, 2)
        Indices i < j, in random order: whatever it begins with is a sample too.

    Examples
    --------
    >>> sample_pairs(1000, 3).tolist()
    [[158, 798], [57, 715], [304, 922]]
    """
    total = n_diagrams * (n_diagrams - 1) // 2
    wanted = min(check_count(n_pairs, "n_pairs"), total)
    chosen = as_generator(random_state).choice(total, wanted, replace=False)
    # The pairs in order of j: those with j come after j (j - 1) / 2 others.
    second = ((1 + np.sqrt(1 + 8 * chosen.astype(np.float64))) / 2).astype(np.int64)
    second -= second * (second - 1) // 2 > chosen
    second += (second + 1) * second // 2 <= chosen
    first = chosen - second * (second - 1) // 2
    return np.stack([first, second], axis=1).astype(np.intp)


def suggest_pairs(X: Sequence[Diagram], most: int = 300) -> int:
    """Return how many pairs of a set can be measured while one waits.

    Parameters
    ----------
    X : sequence of ndarrays of shape (n_i, 2)
    most : int, default=300

    Returns
    -------
    int
        From the numbers of points alone, hence the same on every machine.
    """
    total = len(X) * (len(X) - 1) // 2
    some = X[:: 1 + len(X) // _LOOKED_AT]
    points = 2 * np.array([len(diagram) for diagram in some], dtype=np.float64)
    # Exact distances merge equal points, of which pictures have many.
    distinct = 2 * np.array([len(np.unique(diagram @ (1, 1j))) for diagram in some])
    seconds = _PER_SQUARE * distinct**2 + _PER_POINT * points
    affordable = int(_SECONDS / max(1e-3, seconds.mean() if len(some) else 0.0))
    return max(1, min(most, total, max(10, affordable)))


def sample_diagrams(
    n_diagrams: int,
    size: int,
    labels: ArrayLike | None = None,
    random_state: RandomState = 0,
) -> Ints:
    """Choose some diagrams of a set at random, evenly from its classes.

    Parameters
    ----------
    n_diagrams : int
    size : int
        How many; all if there are not more.
    labels : array-like of shape (n_diagrams,), optional
    random_state : int, RandomState instance, Generator or None, default=0

    Returns
    -------
    ndarray of shape (min(size, n_diagrams),)
        Ascending.

    Examples
    --------
    >>> sample_diagrams(6, 4, ["a", "a", "a", "a", "b", "b"]).tolist()
    [2, 3, 4, 5]
    """
    check_count(size, "size")
    order = as_generator(random_state).permutation(n_diagrams)
    if labels is not None:
        # In turns: the first of every class, then the second of every class, ...
        _, classes = np.unique(np.asarray(labels)[order], return_inverse=True)
        by_class = np.argsort(classes, kind="stable")
        starts = np.searchsorted(classes[by_class], classes[by_class])
        turn = np.empty(n_diagrams, dtype=np.intp)
        turn[by_class] = np.arange(n_diagrams) - starts
        order = order[np.argsort(turn, kind="stable")]
    return np.sort(order[:size])


def suggest_diagrams(X: Sequence[Diagram], most: int = 100) -> int:
    """Return how many diagrams a matrix can have if it is to be measured often.

    Parameters
    ----------
    X : sequence of ndarrays of shape (n_i, 2)
    most : int, default=100

    Returns
    -------
    int
        From the numbers of points alone, hence the same on every machine.
    """
    width = 2 * sum(len(diagram) for diagram in X) / max(1, len(X))
    pairs = _SORTED / max(1.0, width)
    return max(2, min(most, len(X), int((2 * pairs) ** 0.5)))


def draw_diagrams(count: int, most: int, random_state: RandomState = 0) -> Ints:
    """Draw some of many diagrams, without replacement, in random order.

    Parameters
    ----------
    count : int
        How many there are.
    most : int
        How many to draw; all of them if there are not more.
    random_state : int, RandomState instance, Generator or None, default=0

    Returns
    -------
    ndarray of shape (min(count, most),), integer

    Examples
    --------
    >>> sorted(draw_diagrams(4, 10).tolist())
    [0, 1, 2, 3]
    """
    order = as_random_state(random_state).permutation(count)
    return order[: check_count(most, "most")].astype(np.intp)
