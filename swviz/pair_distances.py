r"""Distances :math:`d_1` and :math:`SW` of the pairs of some diagrams, bit by bit.

Both are slow for many pairs of large diagrams, and depend on no bandwidth: computed
once, in an order that is useful whenever one stops, they serve every kernel.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_count, check_workers
from swviz.diagrams import Diagram, DiagramSet, as_diagrams
from swviz.distances import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz.seeds import as_random_state, fixed_seed
from swviz.typing import Floats, Ints, Progress, Rule

_BLOCK_SECONDS = 0.15
"""Work between two reports of progress, about."""

_THREADS_FROM = 200
"""Points of a diagram from which threads win more than starting them costs."""


def draw_diagrams(count: int, most: int, random_state: Any = 0) -> Ints:
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


class PairDistances:
    r"""Distances :math:`d_1` and :math:`SW` of all pairs, computed bit by bit.

    Parameters
    ----------
    diagrams : sequence of array-likes of shape (n_i, 2)
        Their order is the order of work: draw them with :func:`draw_diagrams`.
    n_directions : int or "exact", default="exact"
        For SW; see :func:`swviz.sliced_wasserstein_matrix`.
    rule : {"paper", "diagonal", "random"}, default="paper"
    random_state : int, RandomState instance, Generator or None, default=0
        For the random rule.

    Attributes
    ----------
    pairs : ndarray of shape (n_pairs, 2), integer
        All (0, 1), then (0, 2), (1, 2), then those with 3 ...
    done : int
        How many of the pairs are computed.

    Notes
    -----
    The order of the pairs has two merits. Whenever the work is stopped, *all* pairs of
    the first diagrams are known (:attr:`n_complete`), so that there are Gram matrices.
    And for diagrams in random order, what is known is a fair sample.

    A thread may read while another one computes: numbers are written before `done`
    counts them.
    """

    def __init__(
        self,
        diagrams: DiagramSet | Sequence[ArrayLike],
        *,
        n_directions: int | Literal["exact"] = "exact",
        rule: Rule = "paper",
        random_state: Any = 0,
    ) -> None:
        self.diagrams: list[Diagram] = as_diagrams(diagrams)
        self.n_directions = n_directions
        self.rule = rule
        # Drawn once: all blocks of pairs have the same directions.
        self.random_state = fixed_seed(random_state)
        rows, columns = np.tril_indices(len(self.diagrams), -1)
        self.pairs: Ints = np.stack([columns, rows], axis=1)
        self.done = 0
        self._found = np.zeros((2, len(self.pairs)))

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def d1(self) -> Floats:
        """Diagram distances of the pairs computed so far."""
        return self._found[0, : self.done]

    @property
    def sw(self) -> Floats:
        """Sliced Wasserstein distances of the pairs computed so far."""
        return self._found[1, : self.done]

    @property
    def n_complete(self) -> int:
        """How many diagrams, from the first on, have all their pairs computed."""
        return _triangle(self.done) if len(self.diagrams) else 0

    @property
    def largest(self) -> int:
        """Points of the largest diagram, at least 1: N in the paper's Theorem 3.4."""
        return max([1, *map(len, self.diagrams)])

    def matrices(self) -> tuple[Floats, Floats]:
        """Return d1 and SW between the diagrams that are complete.

        Returns
        -------
        d1, sw : ndarrays of shape (n_complete, n_complete)
        """
        # Read once: another thread may be adding to it.
        count = self.n_complete
        i, j = self.pairs[: count * (count - 1) // 2].T
        matrices = np.zeros((2, count, count))
        matrices[:, i, j] = matrices[:, j, i] = self._found[:, : len(i)]
        return matrices[0], matrices[1]

    def run(
        self, *, n_jobs: int | None = None, progress: Progress | None = None
    ) -> Self:
        """Compute what is missing; may be stopped and called again.

        Parameters
        ----------
        n_jobs : int, optional
            Number of joblib workers, -1 for all cores; 1 by default.
        progress : callable, optional
            Called in this thread as ``progress(done, total)`` pairs go by, several
            times a second. An exception it raises stops the work, and what is
            computed stays.

        Returns
        -------
        self

        Notes
        -----
        A pair of diagrams of N points costs O(N^3) at worst and about 10 N^2 in
        practice for d1, and O(N^2 log N) for exact SW or O(M N log N) for M directions.
        """
        check_workers(n_jobs)
        workers = n_jobs if self.largest >= _THREADS_FROM else None
        length = 1
        while self.done < len(self):
            first, last = self.pairs[self.done]
            stop = int(min(first + length, last))
            start = time.perf_counter()
            rows, column = self.diagrams[first:stop], [self.diagrams[last]]
            block = slice(self.done, self.done + len(rows))
            self._found[0, block] = diagram_distance_matrix(
                rows, column, n_jobs=workers
            )[:, 0]
            self._found[1, block] = sliced_wasserstein_matrix(
                rows,
                column,
                n_directions=self.n_directions,
                rule=self.rule,
                random_state=self.random_state,
                n_jobs=workers,
            )[:, 0]
            self.done = block.stop
            each = (time.perf_counter() - start) / len(rows)
            length = int(np.clip(_BLOCK_SECONDS / each, 1, 4 * length))
            if progress is not None:
                progress(self.done, len(self))
        return self


def _triangle(pairs: int) -> int:
    """Return the largest count with count * (count - 1) / 2 <= pairs."""
    return int((1 + np.sqrt(1 + 8 * pairs)) / 2)
