"""What each tier costs and how far off it is: exact, slices, embedding."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from swviz.batches import paired_slice_costs
from swviz.checks import check_count, check_counts
from swviz.diagrams import Diagram, DiagramSet, as_diagrams
from swviz.directions import directions
from swviz.distances import cityblock_matrix, sliced_wasserstein_matrix
from swviz.embedding import SlicedWassersteinEmbedding
from swviz.errors import ParameterError
from swviz.kernels import kernel_from_distances
from swviz.results import Result, as_frame, draw
from swviz.studies.directions import MOST_DIRECTIONS, RatioStudy, count_range
from swviz.typing import Floats, Ints, Progress, Rule

if TYPE_CHECKING:
    import pandas as pd

GRAM_COUNTS = (1, 2, 4, 6, 8, 10, 20, 32, 50)

BINS = (32, 128, 512, 2048)

_TOGETHER = 64
"""Pairs whose slices are computed in one call."""

_VECTOR_BYTES = 1 << 26
"""Of the vectors of all diagrams that are compared at once."""


@dataclass(frozen=True, eq=False, repr=False)
class GramTimes(Result):
    """Seconds for one Gram matrix by the number of directions.

    Parameters
    ----------
    n_diagrams : int
        Rows of the matrix.
    counts : ndarray of shape (k,)
        The numbers of directions M.
    seconds : ndarray of shape (k,)
    """

    n_diagrams: int
    counts: Ints
    seconds: Floats

    @property
    def n_pairs(self) -> int:
        """Pairs of different diagrams in the matrix."""
        return self.n_diagrams * (self.n_diagrams - 1) // 2

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "diagrams": str(self.n_diagrams),
            "directions": count_range(self.counts),
            "seconds": f"{self.seconds.min():.3g} to {self.seconds.max():.3g}",
        }

    def frame(self) -> pd.DataFrame:
        """Return the times as a data frame: columns n_directions and seconds."""
        return as_frame({"n_directions": self.counts, "seconds": self.seconds})

    def plot(self) -> Any:
        """Draw the times by the number of directions: `swviz.plot.times`."""
        return draw("times", self)


def gram_times(
    X: DiagramSet | Sequence[ArrayLike],
    counts: Sequence[int] = GRAM_COUNTS,
    *,
    rule: Rule = "paper",
    sigma: float = 1.0,
    n_repeats: int = 3,
    clock: Callable[[], float] = time.perf_counter,
    progress: Progress | None = None,
) -> GramTimes:
    r"""Measure, now and on this machine, the time of a Gram matrix by M.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
        Two diagrams at least.
    counts : sequence of int
        The numbers of directions M, ascending.
    rule : {"paper", "diagonal", "random"}, default="paper"
    sigma : float, default=1.0
        Bandwidth of the kernel; of no consequence for the time.
    n_repeats : int, default=3
        The fastest counts: whatever slows a run down is not this code.
    clock : callable, default=time.perf_counter
        Gives the seconds; ``time.process_time`` counts those of the processor.
    progress : callable, optional
        Called in this thread as ``progress(done, total)``. An exception it raises stops
        the work.

    Returns
    -------
    GramTimes
        With one worker. Second row of the paper's figure.
    """
    diagrams = _check_several(X)
    numbers = check_counts(counts, "counts", MOST_DIRECTIONS)
    check_count(n_repeats, "n_repeats", 100)
    seconds = np.full((n_repeats, len(numbers)), np.inf)
    for done, (repeat, column) in enumerate(np.ndindex(seconds.shape)):

        def report(*_of_this_matrix: int, done: int = done) -> None:
            if progress is not None:
                progress(done, seconds.size)

        report()
        start = clock()
        distances = sliced_wasserstein_matrix(
            diagrams,
            n_directions=int(numbers[column]),
            rule=rule,
            random_state=0,
            progress=report,
        )
        kernel_from_distances(distances, sigma)
        seconds[repeat, column] = clock() - start
    return GramTimes(len(diagrams), numbers, seconds.min(axis=0))


@dataclass(frozen=True, eq=False, repr=False)
class Tiers(Result):
    """Ways to the distances of a set: time against error.

    Parameters
    ----------
    tier : str
        "exact", "slices" or "embedding".
    sizes : ndarray of shape (k,), integer
        Directions for slices, bins for the embedding; one entry, 0, for exact.
    seconds : ndarray of shape (k,)
        Per pair, of a matrix of `n_diagrams`.
    mean_errors, worst_errors : ndarrays of shape (k,)
        Relative to SW, over the pairs of a study.
    bounds : ndarray of shape (k,)
        For the embedding, the mean error that is certain not to be exceeded, given that
        of the slices it is made of; NaN for the other tiers.
    n_diagrams : int
    """

    tier: str
    sizes: Ints
    seconds: Floats
    mean_errors: Floats
    worst_errors: Floats
    bounds: Floats
    n_diagrams: int

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        facts = {"tier": self.tier}
        if self.tier != "exact":
            what = "directions" if self.tier == "slices" else "bins"
            facts[what] = count_range(self.sizes)
        if len(self.sizes):
            fastest, slowest = self.seconds.min(), self.seconds.max()
            facts["seconds a pair"] = f"{fastest:.2g} to {slowest:.2g}"
            facts["mean error"] = f"{self.mean_errors[-1]:.2%} at last"
        return facts

    def frame(self) -> pd.DataFrame:
        """Return the tier as a data frame, a row for each size.

        Returns
        -------
        pandas.DataFrame
            Columns tier, size, seconds (per pair), mean_error, worst_error and bound:
            frames of several tiers can be joined.
        """
        return as_frame(
            {
                "tier": self.tier,
                "size": self.sizes,
                "seconds": self.seconds,
                "mean_error": self.mean_errors,
                "worst_error": self.worst_errors,
                "bound": self.bounds,
            }
        )

    def plot(self, *others: Tiers) -> Any:
        """Draw time against error: `swviz.plot.tiers`.

        Parameters
        ----------
        *others : Tiers
            In the same picture.

        Returns
        -------
        hv.Overlay
        """
        return draw("tiers", self, *others)


def exact_tier(study: RatioStudy) -> Tiers:
    """Return what exact distances cost, as measured in a study.

    Parameters
    ----------
    study : RatioStudy

    Returns
    -------
    Tiers
    """
    zero = np.zeros(1)
    return Tiers(
        "exact", np.zeros(1, dtype=np.intp), np.array([study.exact_seconds]), zero,
        zero, np.full(1, np.nan), study.n_diagrams,
    )  # fmt: skip


def slice_tiers(study: RatioStudy, times: GramTimes, rule: Rule = "paper") -> Tiers:
    """Combine the errors of a study with the times of Gram matrices.

    Parameters
    ----------
    study : RatioStudy
    times : GramTimes
    rule : {"paper", "diagonal", "random"}, default="paper"

    Returns
    -------
    Tiers
        For the numbers of directions that both have.
    """
    common, ours, theirs = np.intersect1d(
        study.counts, times.counts, return_indices=True
    )
    return Tiers(
        "slices",
        common,
        times.seconds[theirs] / max(1, times.n_pairs),
        study.mean_errors(rule)[ours],
        study.worst_errors(rule)[ours],
        np.full(len(common), np.nan),
        times.n_diagrams,
    )


def embedding_tiers(
    X: DiagramSet | Sequence[ArrayLike],
    study: RatioStudy,
    *,
    n_directions: int = 10,
    n_bins: Sequence[int] = BINS,
    rule: Rule = "paper",
    timed: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Tiers:
    r"""Measure the L1 embedding: its time, its error and what bounds it.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
        The set of the study.
    study : RatioStudy
        Whose pairs and exact distances the errors refer to.
    n_directions : int, default=10
    n_bins : sequence of int
        Ascending.
    rule : {"paper", "diagonal", "random"}, default="paper"
    timed : sequence of int, optional
        Diagrams of the matrix that is timed; all by default.
    progress : callable, optional
        Called in this thread as ``progress(done, total)``. An exception it raises stops
        the work.

    Returns
    -------
    Tiers
        Seconds are for fitting, transforming and comparing, shared by all pairs of the
        matrix. With :math:`e_i` the error bound of diagram i, the bound of a pair is
        :math:`(|SW_M - SW| + e_i + e_j) / SW`, and the mean of them is given.

    Notes
    -----
    Transforming costs O(M N log T) a diagram, a pair O(M T).
    """
    diagrams = _check_several(X)
    if len(diagrams) != study.n_diagrams:
        raise ParameterError("the study is of another set")
    sizes = check_counts(n_bins, "n_bins", 100_000)
    subset = diagrams if timed is None else _check_several([diagrams[i] for i in timed])
    usable = study.exact > 0
    pairs, exact = study.pairs[usable], study.exact[usable]
    thetas = directions(n_directions, rule, random_state=0)
    slice_errors = np.abs(_slice_values(diagrams, pairs, thetas) - exact)
    columns = []
    for done, bins in enumerate(sizes):
        if progress is not None:
            progress(done, len(sizes))
        embedding = SlicedWassersteinEmbedding(
            n_directions, int(bins), rule=rule, random_state=0
        )
        seconds = _embedding_seconds(embedding, subset)
        embedding.fit(diagrams)
        found, short = _embedded_distances(embedding, diagrams, pairs)
        errors = np.abs(found - exact) / exact
        columns.append(
            [
                seconds,
                _reduce(np.mean, errors),
                _reduce(np.max, errors),
                _reduce(np.mean, (slice_errors + short) / exact),
            ]
        )
    times, means, worst, bounds = np.array(columns).T
    return Tiers("embedding", sizes, times, means, worst, bounds, len(subset))


def _check_several(X: DiagramSet | Sequence[ArrayLike]) -> list[Diagram]:
    diagrams = as_diagrams(X)
    if len(diagrams) < 2:
        raise ParameterError("a matrix needs two diagrams at least")
    return diagrams


def _reduce(reduce: Any, values: Floats) -> float:
    return float(reduce(values)) if len(values) else float("nan")


def _embedding_seconds(
    embedding: SlicedWassersteinEmbedding, diagrams: list[Diagram]
) -> float:
    """Time per pair of a whole matrix, from diagrams to distances."""
    start = time.perf_counter()
    cityblock_matrix(embedding.fit(diagrams).vectors(diagrams))
    pairs = len(diagrams) * (len(diagrams) - 1) // 2
    return (time.perf_counter() - start) / pairs


def _slice_values(diagrams: list[Diagram], pairs: Ints, thetas: Floats) -> Floats:
    """SW_M of pairs, in batches that bound the memory."""
    values = [
        paired_slice_costs(
            [diagrams[i] for i in some[:, 0]], [diagrams[j] for j in some[:, 1]], thetas
        ).mean(axis=1)
        for some in np.split(pairs, range(_TOGETHER, len(pairs), _TOGETHER))
    ]
    return np.concatenate(values)


def _embedded_distances(
    embedding: SlicedWassersteinEmbedding, diagrams: list[Diagram], pairs: Ints
) -> tuple[Floats, Floats]:
    """Distances of pairs, and the sum of both error bounds of each."""
    length = embedding.edges_.shape[0] * (embedding.edges_.shape[1] - 1)
    step = max(1, _VECTOR_BYTES // (3 * 8 * length))
    distances = []
    for start in range(0, len(pairs), step):
        some = pairs[start : start + step]
        first = embedding.vectors([diagrams[i] for i in some[:, 0]])
        second = embedding.vectors([diagrams[j] for j in some[:, 1]])
        distances.append(np.abs(first - second).sum(axis=1))
    used, where = np.unique(pairs, return_inverse=True)
    bounds = embedding.error_bounds([diagrams[i] for i in used])
    short = bounds[where.reshape(pairs.shape)].sum(axis=1)
    return np.concatenate([np.empty(0), *distances]), short
