"""Pairwise matrices: sliced Wasserstein distances and diagram distances.

Diagrams are sorted by size and cut into tiles, so that the diagrams of a tile need
little padding. Tiles are independent tasks for joblib (threads by default, since NumPy
sorts without holding Python's lock; any backend, such as Dask, by
``joblib.parallel_config``). The size of a tile bounds its time and its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist

from swviz.batches import slice_distances
from swviz.checks import check_rule, check_workers
from swviz.diagrams import (
    Diagram,
    DiagramSet,
    as_diagram,
    as_diagrams,
    check_same_dimension,
    dimension_of,
    list_samples,
)
from swviz.directions import directions
from swviz.errors import DiagramError, ParameterError, shown
from swviz.exact import exact_distances
from swviz.matchings import check_lasting, check_order, distance
from swviz.typing import Floats, Progress, Rule

Tile = Callable[[list[Diagram], list[Diagram], bool], Floats]

_MEMORY = 128 << 20
"""Bytes of projections that all tiles under way may hold together."""

_TILE_WORK = 1 << 24
"""Numbers to sort in one tile: a fraction of a second."""

_EXACT_BATCH = 1 << 17
"""Atoms of all pairs in one batch of exact distances."""

_NO_LIMIT = 1 << 40
"""Diagrams along a tile whose memory does not grow with it."""


def sliced_wasserstein_matrix(
    X: DiagramSet | Sequence[ArrayLike],
    Y: DiagramSet | Sequence[ArrayLike] | None = None,
    *,
    n_directions: int | Literal["exact"] = 50,
    rule: Rule = "paper",
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    r"""Sliced Wasserstein distances between all pairs.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
    Y : sequence of array-likes of shape (m_j, 2), optional
        By default `X` with itself: symmetric, with zeros on the diagonal.
    n_directions : int or "exact", default=50
        The paper's M, or the exact distance.
    rule, random_state
        As in :func:`swviz.directions`; random directions are drawn once for all pairs.
    n_jobs : int, optional
        Number of joblib workers, -1 for all cores; 1 by default.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` pairs go by. An exception it
        raises stops the work.

    Returns
    -------
    ndarray of shape (len(X), len(Y) or len(X))

    Notes
    -----
    Each pair costs O(M N log N), or O(N^2 log N) exactly. Beside the result and a copy
    of the diagrams, memory stays below 256 MB for any number of diagrams (as long as a
    single one has less than about a million points).

    Examples
    --------
    >>> X = [[(0, 1)], [(0, 2)], []]
    >>> sliced_wasserstein_matrix(X, n_directions="exact").round(4)
    array([[0.    , 0.794 , 0.4502],
           [0.794 , 0.    , 0.9003],
           [0.4502, 0.9003, 0.    ]])
    """
    check_rule(rule)
    first, second = _check_lists(X, Y, as_diagram)
    largest = max((len(d) for d in [*first, *(second or [])]), default=0)
    largest = max(1, largest)
    if isinstance(n_directions, str):
        if n_directions != "exact":
            raise ParameterError(
                'n_directions must be a whole number or "exact", not '
                f"{shown(n_directions)}"
            )
        # Around each of 2 n centres 4 n atoms, at four times the cost of a sort.
        return _pairwise(
            first, second, _exact_tile, 32 * largest**2, _NO_LIMIT, n_jobs, progress
        )
    thetas = directions(n_directions, rule, random_state)
    budget = _MEMORY // (2 * check_workers(n_jobs))
    lines = max(1, min(len(thetas), budget // (16 * largest)))
    return _pairwise(
        first,
        second,
        partial(_slices_tile, thetas=thetas, lines=lines),
        4 * len(thetas) * largest,
        max(1, budget // (16 * lines * largest)),
        n_jobs,
        progress,
    )


def diagram_distance_matrix(
    X: DiagramSet | Sequence[ArrayLike],
    Y: DiagramSet | Sequence[ArrayLike] | None = None,
    *,
    p: float = 1,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    r"""Diagram distances :math:`d_p` between all pairs.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
        Points that never die are treated as in :func:`swviz.diagram_distance`.
    Y : sequence of array-likes of shape (m_j, 2), optional
        By default `X` with itself: symmetric, with zeros on the diagonal.
    p : float, default=1
        At least 1; ``inf`` gives bottleneck distances.
    n_jobs, progress
        As in :func:`sliced_wasserstein_matrix`. One worker also repeats its last call
        of `progress` while it is busy with a pair of large diagrams.

    Returns
    -------
    ndarray of shape (len(X), len(Y) or len(X))

    Examples
    --------
    >>> diagram_distance_matrix([[(0, 1)], [(0, 2)]], [[], [(0, 3)]])
    array([[0.5, 2. ],
           [1. , 1. ]])
    """
    order = check_order(p)
    first, second = _check_lists(X, Y, check_lasting)
    largest = max((len(d) for d in [*first, *(second or [])]), default=0)
    # Measured on orbits: near 10 n^2 times what sorting one number takes, and a call.
    work = 10 * largest**2 + 10_000
    pulse = None
    if progress is not None and check_workers(n_jobs) == 1:
        progress = pulse = _Repeating(progress, first, second)
    tile = partial(_diagram_distance_tile, order=order, pulse=pulse)
    return _pairwise(first, second, tile, work, _NO_LIMIT, n_jobs, progress)


def cityblock_matrix(
    X: NDArray[Any],
    Y: NDArray[Any] | None = None,
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Cityblock distances between all pairs of vectors.

    Parameters
    ----------
    X : ndarray of shape (n, length)
        Such as :class:`swviz.SlicedWassersteinEmbedding` makes.
    Y : ndarray of shape (m, length), optional
        By default `X` with itself: symmetric, with zeros on the diagonal.
    n_jobs, progress
        As in :func:`sliced_wasserstein_matrix`.

    Returns
    -------
    ndarray of shape (n, m)
    """
    length = max(1, X.shape[1])
    return _pairwise(
        list(X),
        None if Y is None else list(Y),
        _cityblock_tile,
        length,
        max(1, _MEMORY // (16 * length * check_workers(n_jobs))),
        n_jobs,
        progress,
    )


def _check_lists(
    X: DiagramSet | Sequence[ArrayLike],
    Y: DiagramSet | Sequence[ArrayLike] | None,
    check: Callable[[ArrayLike], Diagram],
) -> tuple[list[Diagram], list[Diagram] | None]:
    first, dimension = _check_list(X, "X", check)
    if Y is None:
        return first, None
    second, other = _check_list(Y, "Y", check)
    check_same_dimension(dimension, other)
    return first, second


def _check_list(
    samples: DiagramSet | Sequence[ArrayLike],
    name: str,
    check: Callable[[ArrayLike], Diagram],
) -> tuple[list[Diagram], int | None]:
    """Return checked diagrams, and the homology dimension if they say one."""
    try:
        several = samples if isinstance(samples, DiagramSet) else list_samples(samples)
        return as_diagrams(several, check), dimension_of(several)
    except DiagramError as error:
        raise DiagramError(f"{name}: {error}") from None


def _slices_tile(
    X: list[Diagram], Y: list[Diagram], symmetric: bool, thetas: Floats, lines: int
) -> Floats:
    total = np.zeros((len(X), len(Y)))
    for start in range(0, len(thetas), lines):
        block = thetas[start : start + lines]
        total += slice_distances(X, Y, block, symmetric) * len(block)
    return total / len(thetas)


def _exact_tile(X: list[Diagram], Y: list[Diagram], symmetric: bool) -> Floats:
    rows, columns = _tile_pairs(X, Y, symmetric)
    size = 2 * max((len(d) for d in [*X, *Y]), default=0)
    batch = max(1, _EXACT_BATCH // max(1, size))
    distances = [
        exact_distances(
            [X[i] for i in rows[start : start + batch]],
            [Y[j] for j in columns[start : start + batch]],
        )
        for start in range(0, len(rows), batch)
    ]
    tile = np.zeros((len(X), len(Y)))
    tile[rows, columns] = np.concatenate([np.empty(0), *distances])
    return tile


def _diagram_distance_tile(
    X: list[Diagram],
    Y: list[Diagram],
    symmetric: bool,
    order: float,
    pulse: _Repeating | None,
) -> Floats:
    again = None if pulse is None else pulse.again
    tile = np.zeros((len(X), len(Y)))
    for i, j in zip(*_tile_pairs(X, Y, symmetric), strict=True):
        tile[i, j] = distance(X[i], Y[j], order, again)
    return tile


class _Repeating:
    """Progress that can be called again amid a pair, so that it may stop the work."""

    def __init__(
        self, progress: Progress, X: list[Diagram], Y: list[Diagram] | None
    ) -> None:
        self.progress = progress
        self.last = 0, _count_pairs(len(X), None if Y is None else len(Y))

    def __call__(self, done: int, total: int) -> None:
        self.last = done, total
        self.progress(done, total)

    def again(self) -> None:
        self.progress(*self.last)


def _count_pairs(n: int, m: int | None) -> int:
    """Count the pairs of a matrix; of a symmetric one, those above its diagonal."""
    return n * (n - 1) // 2 if m is None else n * m


def _cityblock_tile(X: list[Floats], Y: list[Floats], symmetric: bool) -> Floats:
    tile: Floats = cdist(np.stack(X), np.stack(Y), "cityblock")
    return tile


def _tile_pairs(
    X: list[Diagram], Y: list[Diagram], symmetric: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    if symmetric:
        return np.triu_indices(len(X), 1)
    rows, columns = np.indices((len(X), len(Y)))
    return rows.ravel(), columns.ravel()


def _pairwise(
    X: list[Diagram],
    Y: list[Diagram] | None,
    tile: Tile,
    work_per_pair: int,
    longest: int,
    n_jobs: int | None,
    progress: Progress | None,
) -> Floats:
    """Fill a matrix tile by tile; a symmetric one from the tiles above its diagonal.

    `tile` is called with two lists and whether they are the same, in which case only
    the part above the diagonal is used. A tile takes about `_TILE_WORK` of work, where
    each pair takes `work_per_pair`, and at most `longest` diagrams a side.
    """
    symmetric = Y is None
    workers = check_workers(n_jobs)
    # The distances of a tile, and copies of them, count as well.
    longest = min(longest, int((_MEMORY / (64 * workers)) ** 0.5))
    edge = int(max(1, min(longest, (_TILE_WORK / work_per_pair) ** 0.5)))
    if workers > 1:
        # A small matrix, too, is work for all of them.
        edge = min(edge, -(-len(X) // (2 * workers)) or 1)
    order_x = np.argsort([len(diagram) for diagram in X], kind="stable")
    order_y = order_x
    if Y is not None:
        order_y = np.argsort([len(diagram) for diagram in Y], kind="stable")
    rows = list(_stretches(order_x, edge))
    columns = rows if symmetric else list(_stretches(order_y, edge))
    tasks = [
        (a, b)
        for a in range(len(rows))
        for b in range(a if symmetric else 0, len(columns))
    ]
    others = X if Y is None else Y
    matrix = np.zeros((len(X), len(others)))
    total = _count_pairs(len(X), None if Y is None else len(Y))
    done = 0
    # Rounds of tasks, not one stream, so that an exception from `progress` leaves no
    # task behind.
    together = 1 if workers == 1 else 8 * workers
    if work_per_pair > _TILE_WORK:
        # Each task is one long pair: let progress hear of it, or stop the rest.
        together = workers
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for start in range(0, len(tasks), together):
            some = tasks[start : start + together]
            tiles = parallel(
                delayed(tile)(
                    [X[i] for i in rows[a]],
                    [others[j] for j in columns[b]],
                    symmetric and a == b,
                )
                for a, b in some
            )
            for (a, b), values in zip(some, tiles, strict=True):
                if symmetric and a == b:
                    values = np.triu(values, 1)
                    values = values + values.T
                    done += len(values) * (len(values) - 1) // 2
                else:
                    done += values.size
                matrix[np.ix_(rows[a], columns[b])] = values
                if symmetric:
                    matrix[np.ix_(columns[b], rows[a])] = values.T
            if progress is not None:
                progress(done, total)
    return matrix


def _stretches(order: NDArray[np.intp], edge: int) -> Iterator[NDArray[np.intp]]:
    """Cut `order` into stretches of nearly equal length, at most `edge`."""
    count = -(-len(order) // edge)
    return iter(np.array_split(order, count)) if count else iter(())
