r"""How many directions are enough? Ratios :math:`SW_M / SW` of the pairs of a set.

Box plots of them are the third row of the paper's figure on the number of directions.
They answer the question it asks: the smallest M that keeps pairs within a tolerance.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from swviz.batches import pad, paired_slice_costs
from swviz.checks import check_count, check_counts
from swviz.diagrams import Diagram, DiagramSet, as_diagrams
from swviz.directions import directions
from swviz.errors import ParameterError
from swviz.exact import exact_distances
from swviz.results import Result, as_frame, brief, draw
from swviz.seeds import RandomState, as_random_state, fixed_seed
from swviz.studies.sampling import sample_pairs
from swviz.typing import RULES, Floats, Ints, Progress, Rule

if TYPE_CHECKING:
    import pandas as pd

MOST_DIRECTIONS = 2_000
"""Above this a study would be slow, and the error below any plot's resolution."""

SET_COUNTS = (*range(1, 13), 14, 16, 18, 20, 24, 32, 40, 50, 64, 100)
"""Numbers of directions that box plots are drawn for."""

MOST_PAIRS = 5_000

_BATCH = 24
"""Pairs that arrive together, if they are small."""

_BATCH_ATOMS = 1 << 13
"""Points of all pairs that arrive together, if they are large."""

_EQUAL = 1e-12
"""Exact distances below this part of the total persistence are rounding errors."""


class AnglePlan:
    """The angles that several M need under several rules, in one list.

    A slice is the cost of everything here, so W is computed once on all of them.

    Parameters
    ----------
    counts : sequence of int
        The numbers of directions M, ascending.
    n_draws : int, default=30
        How often random directions are drawn.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the first draw; the next one has the next seed. Each is the draw that
        :func:`swviz.directions` makes with that seed.
    rules : sequence of {"paper", "diagonal", "random"}, optional
        All by default.

    Attributes
    ----------
    angles : ndarray of shape (k,)

    Notes
    -----
    Directions of the paper's and of the diagonal-aware rule differ for every M. The
    first M of one long random draw are a draw of M, so random directions need no more
    angles than the largest M has.
    """

    def __init__(
        self,
        counts: Sequence[int],
        n_draws: int = 30,
        random_state: RandomState = 0,
        rules: Sequence[Rule] = RULES,
    ) -> None:
        self.counts = check_counts(counts, "counts", MOST_DIRECTIONS)
        self.n_draws = check_count(n_draws, "n_draws", 1000)
        self.rules = tuple(rules)
        largest = int(self.counts[-1])
        seed = fixed_seed(random_state)
        pieces: list[Floats] = []
        for rule in self.rules:
            if rule == "random":
                pieces += [
                    _unsorted_draw(largest, seed + draw) for draw in range(self.n_draws)
                ]
            else:
                pieces += [directions(int(count), rule) for count in self.counts]
        self.angles: Floats = np.concatenate([np.empty(0), *pieces])

    def averages(self, costs: Floats) -> dict[Rule, Floats]:
        r"""Average costs of slices into :math:`SW_M`.

        Parameters
        ----------
        costs : ndarray of shape (..., k)
            W at `angles`.

        Returns
        -------
        dict of rule to ndarray of shape (..., n_draws, n_counts)
            One draw for the rules that draw nothing.
        """
        found: dict[Rule, Floats] = {}
        start = 0
        for rule in self.rules:
            if rule == "random":
                largest = int(self.counts[-1])
                stop = start + self.n_draws * largest
                drawn = costs[..., start:stop]
                drawn = drawn.reshape(*costs.shape[:-1], self.n_draws, largest)
                totals = np.cumsum(drawn, axis=-1)[..., self.counts - 1]
            else:
                stop = start + int(self.counts.sum())
                firsts = np.cumsum(self.counts) - self.counts
                totals = np.add.reduceat(costs[..., start:stop], firsts, axis=-1)
                totals = totals[..., None, :]
            found[rule] = totals / self.counts
            start = stop
        return found


def _unsorted_draw(count: int, seed: int) -> Floats:
    """As the random rule, but not sorted: the beginnings of it are draws too."""
    drawn: Floats = np.pi * (as_random_state(seed).uniform(size=count) - 0.5)
    return drawn


def count_range(counts: Ints) -> str:
    """Say which numbers of directions there are.

    Parameters
    ----------
    counts : ndarray of shape (k,)
        Ascending.

    Returns
    -------
    str

    Examples
    --------
    >>> count_range(np.array([1, 2, 3])), count_range(np.arange(1, 101))
    ('1, 2, 3', '1 to 100 (100)')
    """
    if len(counts) <= 3:
        return brief(counts)
    return f"{counts[0]} to {counts[-1]} ({len(counts)})"


@dataclass(frozen=True, eq=False, repr=False)
class Boxes(Result):
    """Box plots of ratios, one for each M.

    Parameters
    ----------
    counts : ndarray of shape (k,)
        The numbers of directions M.
    lower, quarter, median, three_quarters, upper : ndarrays of shape (k,)
        Quartiles, and the ends of the whiskers: the last ratios within one and a half
        times the box.
    outliers : ndarray of shape (n, 2)
        Row (index of the pair in the study, index of M) of each ratio beyond them.
    outlier_ratios : ndarray of shape (n,)
    """

    counts: Ints
    lower: Floats
    quarter: Floats
    median: Floats
    three_quarters: Floats
    upper: Floats
    outliers: Ints
    outlier_ratios: Floats

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "directions": count_range(self.counts),
            "outliers": str(len(self.outliers)),
        }

    def frame(self) -> pd.DataFrame:
        """Return the boxes as a data frame, a row for each M, without the outliers."""
        return as_frame(
            {
                "n_directions": self.counts,
                "lower": self.lower,
                "quarter": self.quarter,
                "median": self.median,
                "three_quarters": self.three_quarters,
                "upper": self.upper,
            }
        )


@dataclass(frozen=True)
class Answer:
    """How many directions a tolerance asks for.

    Parameters
    ----------
    n_directions : int or None
        The smallest M tried that keeps the pairs within it; None if none does.
    worst : float
        The largest relative error with that M (or with the largest M tried).
    exceptions : tuple of int
        Larger M that do not: under the paper's rule more may be worse.
    """

    n_directions: int | None
    worst: float
    exceptions: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class RatioStudy(Result):
    r""":math:`SW_M` and SW of sampled pairs.

    Parameters
    ----------
    n_diagrams : int
        Of the set.
    pairs : ndarray of shape (n_pairs, 2)
        Indices of diagrams; of a sample, i < j.
    exact : ndarray of shape (n_pairs,)
        SW; 0 for pairs of equal diagrams.
    counts : ndarray of shape (n_counts,)
        The numbers of directions M.
    values : dict of rule to ndarray of shape (n_pairs, n_draws, n_counts)
        :math:`SW_M`, with one draw for the rules that draw nothing.
    exact_seconds, slice_seconds : float
        Time per pair for SW, and per pair and direction for :math:`SW_M`.
    """

    n_diagrams: int
    pairs: Ints
    exact: Floats
    counts: Ints
    values: dict[Rule, Floats]
    exact_seconds: float
    slice_seconds: float

    @property
    def n_equal(self) -> int:
        """Pairs of equal diagrams, which have no ratio and are left out."""
        return int((self.exact == 0).sum())

    @property
    def n_all_pairs(self) -> int:
        """Pairs of the whole set."""
        return self.n_diagrams * (self.n_diagrams - 1) // 2

    def ratios(self, rule: Rule) -> Floats:
        """Return the ratios, shape (n_pairs, n_draws, n_counts); NaN without one."""
        exact = np.where(self.exact > 0, self.exact, np.nan)
        return self.values[rule] / exact[:, None, None]

    def errors(self, rule: Rule) -> Floats:
        """Return each pair's relative error in its worst draw, without equal pairs.

        Parameters
        ----------
        rule : {"paper", "diagonal", "random"}

        Returns
        -------
        ndarray of shape (n_pairs - n_equal, n_counts)
        """
        ratios = self.ratios(rule)[self.exact > 0]
        worst: Floats = np.abs(ratios - 1).max(axis=1)
        return worst

    @cached_property
    def _boxes(self) -> dict[Rule, Boxes]:
        """Box plots, kept: a moving mark asks for them often."""
        return {}

    @cached_property
    def _sorted(self) -> dict[Rule, Floats]:
        """Errors in ascending order, kept: a moving tolerance asks for them often."""
        return {}

    def worst_errors(self, rule: Rule, share: float = 1.0) -> Floats:
        """Return the error that a share of the pairs does not exceed.

        Parameters
        ----------
        rule : {"paper", "diagonal", "random"}
        share : float in (0, 1], default=1.0
            All pairs by default.

        Returns
        -------
        ndarray of shape (n_counts,)
            NaN if there are no pairs.
        """
        if not 0 < share <= 1:
            raise ParameterError(f"share must be above 0 and at most 1, not {share!r}")
        if rule not in self._sorted:
            self._sorted[rule] = np.sort(self.errors(rule), axis=0)
        errors = self._sorted[rule]
        if not len(errors):
            return np.full(len(self.counts), np.nan)
        # Less a rounding error, or 95 % of 100 pairs would be 96 of them.
        row: Floats = errors[int(np.ceil(share * len(errors) - 1e-9)) - 1]
        return row

    def mean_errors(self, rule: Rule) -> Floats:
        """Return the mean relative error over pairs and draws.

        Parameters
        ----------
        rule : {"paper", "diagonal", "random"}

        Returns
        -------
        ndarray of shape (n_counts,)
            NaN if there are no pairs.
        """
        ratios = self.ratios(rule)[self.exact > 0]
        if not len(ratios):
            return np.full(len(self.counts), np.nan)
        mean: Floats = np.abs(ratios - 1).mean(axis=(0, 1))
        return mean

    def answer(self, rule: Rule, tolerance: float, share: float = 1.0) -> Answer:
        """Find the smallest M that keeps pairs, in every draw, within a tolerance.

        Parameters
        ----------
        rule : {"paper", "diagonal", "random"}
        tolerance : float
            Of the relative error.
        share : float in (0, 1], default=1.0
            Of the pairs that are to keep it; all by default.

        Returns
        -------
        Answer
        """
        if not tolerance > 0:
            raise ParameterError(f"tolerance must be positive, not {tolerance!r}")
        worst = self.worst_errors(rule, share)
        enough = worst <= tolerance
        if not enough.any():
            return Answer(None, float(worst[-1]), ())
        first = int(np.argmax(enough))
        later = self.counts[first:][~enough[first:]]
        return Answer(
            int(self.counts[first]), float(worst[first]), tuple(later.tolist())
        )

    def quantiles(self, rule: Rule, levels: Sequence[float]) -> Floats:
        """Quantiles of the ratios of pairs and draws.

        Parameters
        ----------
        rule : {"paper", "diagonal", "random"}
        levels : sequence of float in [0, 1]

        Returns
        -------
        ndarray of shape (n_levels, n_counts)
            NaN if all pairs are of equal diagrams.
        """
        flat = self.ratios(rule)[self.exact > 0].reshape(-1, len(self.counts))
        if not len(flat):
            return np.full((len(levels), len(self.counts)), np.nan)
        return np.quantile(flat, levels, axis=0)

    def boxes(self, rule: Rule) -> Boxes:
        """Summarise the ratios for box plots.

        Parameters
        ----------
        rule : {"paper", "diagonal", "random"}

        Returns
        -------
        Boxes
            Empty of ratios if all pairs are of equal diagrams.
        """
        if rule not in self._boxes:
            self._boxes[rule] = self._box(rule)
        return self._boxes[rule]

    def _box(self, rule: Rule) -> Boxes:
        usable = np.flatnonzero(self.exact > 0)
        ratios = self.ratios(rule)[usable]
        n_draws, n_counts = ratios.shape[1:]
        flat = ratios.reshape(-1, n_counts)
        if not len(flat):
            none = np.full(n_counts, np.nan)
            empty = np.empty((0, 2), dtype=np.intp)
            return Boxes(self.counts, none, none, none, none, none, empty, np.empty(0))
        quarter, median, three_quarters = self.quantiles(rule, (0.25, 0.5, 0.75))
        reach = 1.5 * (three_quarters - quarter)
        inside = (flat >= quarter - reach) & (flat <= three_quarters + reach)
        row, column = np.nonzero(~inside)
        return Boxes(
            counts=self.counts,
            lower=np.where(inside, flat, np.inf).min(axis=0),
            quarter=quarter,
            median=median,
            three_quarters=three_quarters,
            upper=np.where(inside, flat, -np.inf).max(axis=0),
            outliers=np.stack([usable[row // n_draws], column], axis=1),
            outlier_ratios=flat[row, column],
        )

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        equal = f", {self.n_equal} of equal diagrams" if self.n_equal else ""
        return {
            "pairs": f"{len(self.pairs)} of {self.n_all_pairs}{equal}",
            "directions": count_range(self.counts),
            "rules": brief(self.values),
        }

    def frame(self) -> pd.DataFrame:
        r"""Return the study as a data frame, a row for each rule, pair, draw and M.

        Returns
        -------
        pandas.DataFrame
            Columns rule, pair, first, second (indices of its diagrams), draw,
            n_directions, sw (:math:`SW_M`), exact and ratio, NaN for equal diagrams.

        Examples
        --------
        >>> study = ratio_study([[(0, 1)], [(0, 2)], [(1, 2)]], counts=(4, 6))
        >>> of_paper = study.frame().query("rule == 'paper'")
        >>> of_paper.groupby("n_directions")["ratio"].mean().round(3).to_dict()
        {4: 0.811, 6: 1.015}
        """
        parts = []
        for rule, values in self.values.items():
            pair, number, column = np.indices(values.shape).reshape(3, -1)
            parts.append(
                {
                    "rule": rule,
                    "pair": pair,
                    "first": self.pairs[pair, 0],
                    "second": self.pairs[pair, 1],
                    "draw": number,
                    "n_directions": self.counts[column],
                    "sw": values.ravel(),
                    "exact": self.exact[pair],
                    "ratio": self.ratios(rule).ravel(),
                }
            )
        return as_frame(*parts)

    def plot(self, rule: Rule | None = None, **options: Any) -> Any:
        """Draw box plots of the ratios.

        Parameters
        ----------
        rule : {"paper", "diagonal", "random"}, optional
            The first that the study has by default.
        **options
            Of :func:`swviz.plot.ratios`.

        Returns
        -------
        hv.Overlay
        """
        chosen = next(iter(self.values)) if rule is None else rule
        return draw("ratios", self, chosen, **options)


def ratio_studies(
    X: DiagramSet | Sequence[ArrayLike],
    counts: Sequence[int] = SET_COUNTS,
    *,
    n_pairs: int = 300,
    pairs: ArrayLike | None = None,
    rules: Sequence[Rule] = RULES,
    n_draws: int = 5,
    random_state: RandomState = 0,
) -> Iterator[RatioStudy]:
    r"""Measure :math:`SW_M / SW` on more and more pairs of a set.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
    counts : sequence of int
        The numbers of directions M, ascending.
    n_pairs : int, default=300
        How many pairs to sample, at most 5000; all pairs if there are not more.
    pairs : array-like of shape (k, 2), optional
        Indices of the pairs to measure, instead of a sample.
    rules : sequence of {"paper", "diagonal", "random"}, optional
        All by default.
    n_draws : int, default=5
        How often random directions are drawn, the same for all pairs.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the sample, and of the first draw.

    Yields
    ------
    RatioStudy
        Of all pairs so far; the last one is of all that were asked for.

    See Also
    --------
    ratio_study : the last one.

    Notes
    -----
    A pair costs O(N^2 log N) for the exact distance and one sort for each of
    ``2 * sum(counts) + n_draws * max(counts)`` angles, for all rules.
    """
    diagrams = as_diagrams(X)
    if len(diagrams) < 2:
        raise ParameterError("ratios need pairs: a set of two diagrams at least")
    check_count(n_pairs, "n_pairs", MOST_PAIRS)
    seed = fixed_seed(random_state)
    plan = AnglePlan(counts, n_draws, seed, rules)
    chosen = (
        sample_pairs(len(diagrams), n_pairs, seed)
        if pairs is None
        else _check_pairs(pairs, len(diagrams))
    )
    sizes = np.array([len(diagram) for diagram in diagrams])
    widest = int(sizes[chosen].sum(axis=1).max(initial=1))
    step = max(1, min(_BATCH, _BATCH_ATOMS // max(1, widest)))
    exact: list[Floats] = []
    costs: list[dict[Rule, Floats]] = []
    exact_seconds = slice_seconds = 0.0
    for start in range(0, len(chosen), step):
        batch = chosen[start : start + step]
        first = [diagrams[i] for i in batch[:, 0]]
        second = [diagrams[j] for j in batch[:, 1]]
        begin = time.perf_counter()
        exact.append(_without_rounding(exact_distances(first, second), first, second))
        middle = time.perf_counter()
        costs.append(plan.averages(paired_slice_costs(first, second, plan.angles)))
        exact_seconds += middle - begin
        slice_seconds += time.perf_counter() - middle
        done = start + len(batch)
        yield RatioStudy(
            n_diagrams=len(diagrams),
            pairs=chosen[:done],
            exact=np.concatenate(exact),
            counts=plan.counts,
            values={
                rule: np.concatenate([part[rule] for part in costs])
                for rule in plan.rules
            },
            exact_seconds=exact_seconds / done,
            slice_seconds=slice_seconds / (done * len(plan.angles)),
        )


def ratio_study(
    X: DiagramSet | Sequence[ArrayLike],
    counts: Sequence[int] = SET_COUNTS,
    *,
    n_pairs: int = 300,
    pairs: ArrayLike | None = None,
    rules: Sequence[Rule] = RULES,
    n_draws: int = 5,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> RatioStudy:
    r"""Measure :math:`SW_M / SW` on sampled pairs of a set.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
    counts : sequence of int
        The numbers of directions M, ascending.
    n_pairs, pairs, rules, n_draws, random_state
        As in :func:`ratio_studies`.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` pairs go by. An exception it
        raises stops the work.

    Returns
    -------
    RatioStudy

    Examples
    --------
    >>> study = ratio_study([[(0, 1)], [(0, 2)], [(1, 2)]], counts=(4, 6, 8, 10))
    >>> study.answer("paper", tolerance=0.02)
    Answer(n_directions=6, worst=0.016834256608111886, exceptions=(8, 10))
    """
    study: RatioStudy | None = None
    total = min(n_pairs, len(X) * (len(X) - 1) // 2)
    if pairs is not None:
        pairs = _check_pairs(pairs, len(X))
        total = len(pairs)
    for study in ratio_studies(
        X, counts, n_pairs=n_pairs, pairs=pairs, rules=rules, n_draws=n_draws,
        random_state=random_state,
    ):  # fmt: skip
        if progress is not None:
            progress(len(study.pairs), total)
    assert study is not None  # there is one pair at least
    return study


def _check_pairs(pairs: ArrayLike, n_diagrams: int) -> Ints:
    try:
        checked = np.asarray(pairs).astype(np.intp, casting="same_kind")
    except (TypeError, ValueError):
        raise ParameterError("pairs must be indices of diagrams, two a row") from None
    if checked.ndim != 2 or checked.shape[1] != 2 or not len(checked):
        raise ParameterError("pairs must be indices of diagrams, two a row")
    if not ((checked >= 0) & (checked < n_diagrams)).all():
        raise ParameterError(f"pairs must hold indices below {n_diagrams}")
    return checked


def _without_rounding(exact: Floats, X: list[Diagram], Y: list[Diagram]) -> Floats:
    """Set what is only a rounding error to 0: such a pair has no meaningful ratio."""
    total = (pad(X).sum(axis=1) + pad(Y).sum(axis=1)) @ (-1.0, 1.0)
    return np.where(exact > _EQUAL * total, exact, 0.0)
