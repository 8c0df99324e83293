r"""How kernels bend the diagram distance :math:`d_1`.

The paper's figure of metric distortion sets, for every pair of diagrams, the distance
in the Hilbert space of a kernel against :math:`d_1`. What is slow there,
:math:`d_1` and :math:`SW` of each pair, does not depend on any bandwidth
(:class:`PairDistances`). The rest is an exponential
(:func:`exponential_distances`) or a Gram matrix of the diagrams
(:func:`scale_space_distances`).

Examples
--------
>>> pairs = PairDistances([[(0, 1)], [(0, 2)], [(0, 4)]]).run()
>>> pairs.d1.tolist()
[1.0, 2.5, 2.0]
>>> constants = distortion_constants(pairs.d1, pairs.sw, largest=1)
>>> constants.lower < constants.low <= constants.high < constants.upper
True
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import spearmanr
from sklearn.isotonic import IsotonicRegression

from swviz.checks import check_count, check_positive, check_workers
from swviz.diagrams import Diagram, DiagramSet, as_diagrams
from swviz.distances import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz.kernels import PersistenceWeightedGaussianKernel
from swviz.kernels.measures import Gaussian, as_measures, middle_birth
from swviz.kernels.products import rkhs_distances
from swviz.results import Result, as_frame, draw
from swviz.seeds import RandomState, fixed_seed
from swviz.studies.bandwidths import Bandwidths
from swviz.typing import Floats, Ints, Progress, Rule

if TYPE_CHECKING:
    import pandas as pd

UPPER = 2 * np.sqrt(2)
"""SW is at most this times d1 (the paper's Theorem 3.3)."""

_BLOCK_SECONDS = 0.15
"""Work between two reports of progress, about."""

_THREADS_FROM = 200
"""Points of a diagram from which threads win more than starting them costs."""


class PairDistances(Result):
    r"""Distances :math:`d_1` and :math:`SW` of all pairs, computed bit by bit.

    Parameters
    ----------
    diagrams : sequence of array-likes of shape (n_i, 2)
        Their order is the order of work: draw them at random
        (:func:`swviz.studies.draw_diagrams`).
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
    counts them. Of two that compute, one waits for the other.
    """

    def __init__(
        self,
        diagrams: DiagramSet | Sequence[ArrayLike],
        *,
        n_directions: int | Literal["exact"] = "exact",
        rule: Rule = "paper",
        random_state: RandomState = 0,
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
        self._lock = threading.Lock()

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

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "diagrams": str(len(self.diagrams)),
            "pairs": f"{self.done} of {len(self)} computed",
            "SW": f"{self.n_directions}",
        }

    def frame(self) -> pd.DataFrame:
        """Return the pairs computed so far as a data frame, a row each.

        Returns
        -------
        pandas.DataFrame
            Columns first, second (indices of the diagrams), d1 and sw.

        Examples
        --------
        >>> PairDistances([[(0, 1)], [(0, 2)]]).run().frame()[["first", "second", "d1"]]
           first  second   d1
        0      0       1  1.0
        """
        # Read once: another thread may be adding to it.
        done = self.done
        first, second = self.pairs[:done].T
        d1, sw = self._found[:, :done]
        return as_frame({"first": first, "second": second, "d1": d1, "sw": sw})

    def plot(self) -> Any:
        """Draw SW against d1, between the theorems' lines: `swviz.plot.bounds`."""
        done = self.done
        return draw("bounds", *self._found[:, :done], self.largest)

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
        with self._lock:
            self._run(n_jobs if self.largest >= _THREADS_FROM else None, progress)
        return self

    def _run(self, workers: int | None, progress: Progress | None) -> None:
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


def _triangle(pairs: int) -> int:
    """Return the largest count with count * (count - 1) / 2 <= pairs."""
    return int((1 + np.sqrt(1 + 8 * pairs)) / 2)


def exponential_distances(distances: ArrayLike, sigma: float = 1.0) -> Floats:
    r"""Distances in the Hilbert space of :math:`k = e^{-d / (2 \sigma^2)}`.

    Parameters
    ----------
    distances : array-like of any shape
        SW for k_SW, d1 for the Gaussian on it, :math:`\|\mu_A - \mu_B\|` for k_PWG.
    sigma : float, default=1.0
        Bandwidth; tau for k_PWG.

    Returns
    -------
    ndarray of the same shape
        :math:`\sqrt{2 - 2 k}`, without the loss of digits where k is close to 1.

    Examples
    --------
    >>> exponential_distances([0.0, 1.0, 1e9]).round(4)
    array([0.    , 0.8871, 1.4142])
    """
    sigma = check_positive(sigma, "sigma")
    given = np.asarray(distances, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.sqrt(-2 * np.expm1(-0.5 * (given / sigma) / sigma))


def scale_space_distances(
    diagrams: Sequence[Diagram], t: float, *, progress: Progress | None = None
) -> Floats:
    r"""Distances in the Hilbert space of the persistence scale space kernel.

    Parameters
    ----------
    diagrams : sequence of ndarrays of shape (n_i, 2)
    t : float
        As in :class:`swviz.PersistenceScaleSpaceKernel`.
    progress : callable, optional
        As in :meth:`PairDistances.run`.

    Returns
    -------
    ndarray of shape (n, n)
        As ``rkhs_distance(PersistenceScaleSpaceKernel(t).gram(diagrams))``, but with
        all digits where two diagrams are close.
    """
    t = check_positive(t, "t")
    several = as_diagrams(diagrams)
    measures = as_measures(
        several, lambda p: (p > 0).astype(np.float64), middle_birth(several)
    )
    gaussian = Gaussian(2 * t**0.5, mirrored=True)
    distances = rkhs_distances(measures, None, gaussian, progress=progress)
    return distances / np.sqrt(8 * np.pi * t)


def weighted_distances(
    diagrams: Sequence[Diagram],
    widths: Bandwidths,
    rho: float,
    progress: Progress | None = None,
) -> Floats:
    """Return distances of k_PWG's sums of Gaussians, without its exponential.

    Parameters
    ----------
    diagrams : sequence of ndarrays of shape (n_i, 2)
    widths : Bandwidths
        For K and p.
    rho : float
    progress : callable, optional

    Returns
    -------
    ndarray of shape (n, n)
    """
    kernel = PersistenceWeightedGaussianKernel(widths.K, rho, p=widths.p)
    return kernel.mean_distances(diagrams, progress=progress)[0]


@dataclass(frozen=True)
class DistortionConstants:
    """Between which multiples of d1 SW lies.

    Parameters
    ----------
    low, high : float
        Smallest and largest SW / d1 of the pairs at d1 > 0; NaN without such.
    lower, upper : float
        What the paper's Theorems 3.4 and 3.3 allow.
    """

    low: float
    high: float
    lower: float
    upper: float


def distortion_constants(
    d1: ArrayLike, sw: ArrayLike, largest: int
) -> DistortionConstants:
    r"""Observe between which multiples of d1 SW lies.

    Parameters
    ----------
    d1, sw : array-likes of shape (n,)
        Of the same pairs.
    largest : int
        N, the number of points that no diagram exceeds.

    Returns
    -------
    DistortionConstants

    Notes
    -----
    The theorems say :math:`d_1 / (2 M') \le SW \le 2 \sqrt 2 \, d_1` with
    :math:`M' = 1 + 2N(2N - 1)`: a line through two of up to 2N points, for each of the
    two sides of a slice. N is that of the whole set here; a pair of smaller diagrams
    is held to a stricter bound by their own.
    """
    N = check_count(largest, "largest")
    ratios = distance_ratios(d1, sw)
    ratios = ratios[~np.isnan(ratios)]
    low, high = (ratios.min(), ratios.max()) if len(ratios) else (np.nan, np.nan)
    lower = 1 / (2 * (1 + 2 * N * (2 * N - 1)))
    return DistortionConstants(float(low), float(high), lower, float(UPPER))


def distance_ratios(d1: ArrayLike, sw: ArrayLike) -> Floats:
    """Return SW / d1 of pairs; NaN where d1 is 0.

    Parameters
    ----------
    d1, sw : array-likes of shape (n,)
        Of the same pairs.

    Returns
    -------
    ndarray of shape (n,)
    """
    first, second = np.asarray(d1, dtype=float), np.asarray(sw, dtype=float)
    return np.divide(second, first, out=np.full(len(first), np.nan), where=first > 0)


def extreme_pairs(ratios: ArrayLike, most: int) -> Ints:
    """Find the pairs with the smallest and with the largest ratios.

    Parameters
    ----------
    ratios : array-like of shape (n,)
        NaN for pairs that have none.
    most : int
        How many of either end.

    Returns
    -------
    ndarray of shape (k,), integer
        By ascending ratio; all pairs with a ratio if there are not more.

    Examples
    --------
    >>> extreme_pairs([0.3, 0.1, float("nan"), 0.2], most=1)
    array([1, 0])
    """
    given = np.asarray(ratios, dtype=float)
    order = np.argsort(given)[: int(np.isfinite(given).sum())]
    if len(order) <= 2 * most:
        return order
    return np.concatenate([order[:most], order[-most:]])


@dataclass(frozen=True)
class Agreement:
    """How well a distance keeps d1.

    Parameters
    ----------
    rank_correlation : float
        Spearman's; 1 if both put all pairs into the same order. NaN if one of them is
        the same for all pairs, or there are less than three.
    spread : float
        Typical factor between a pair's distance and the best rising curve over d1: 1
        if it is on the curve. NaN without two pairs of positive distance.
    n_zero : int
        Pairs at distance 0, which have no logarithm and do not count in the spread.
    """

    rank_correlation: float
    spread: float
    n_zero: int


def agreement(d1: ArrayLike, distances: ArrayLike) -> Agreement:
    r"""Compare a distance of pairs with d1.

    Parameters
    ----------
    d1, distances : array-likes of shape (n,)

    Returns
    -------
    Agreement

    Notes
    -----
    The curve is the isotonic (never falling) one through the logarithms with the least
    sum of squares, in O(n log n); the spread is e to the power of the root mean square
    distance from it. So a kernel may bend the scale of d1 as it likes and pays only for
    pairs of equal d1 that it sets apart, or puts into another order.

    Examples
    --------
    >>> found = agreement([1, 2, 2, 3], [0.5, 0.7, 0.7, 0.71])
    >>> round(found.rank_correlation, 9), round(found.spread, 9)
    (1.0, 1.0)
    """
    first = np.asarray(d1, dtype=np.float64)
    second = np.asarray(distances, dtype=np.float64)
    rank = np.nan
    if len(first) > 2 and np.ptp(first) > 0 and np.ptp(second) > 0:
        rank = float(spearmanr(first, second).statistic)
    positive = second > 0
    spread = np.nan
    if positive.sum() > 1:
        logarithms = np.log(second[positive])
        curve = IsotonicRegression().fit_transform(first[positive], logarithms)
        spread = float(np.exp(np.sqrt(np.mean((logarithms - curve) ** 2))))
    return Agreement(rank, spread, int((~positive).sum()))
