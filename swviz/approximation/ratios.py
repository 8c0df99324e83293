r"""Ratios :math:`SW_M / SW` of pairs of diagrams, by M, and what they amount to.

Box plots of them are the third row of the paper's figure on the number of directions.
They answer the question it asks: the smallest M that keeps pairs within a tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from swviz.approximation.curves import Counts
from swviz.approximation.sampling import Pairs
from swviz.errors import ParameterError
from swviz.typing import Floats, Rule


@dataclass(frozen=True, eq=False)
class Boxes:
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

    counts: Counts
    lower: Floats
    quarter: Floats
    median: Floats
    three_quarters: Floats
    upper: Floats
    outliers: Pairs
    outlier_ratios: Floats


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


@dataclass(frozen=True, eq=False)
class RatioStudy:
    r""":math:`SW_M` and SW of sampled pairs.

    Parameters
    ----------
    n_diagrams : int
        Of the set.
    pairs : ndarray of shape (n_pairs, 2)
        Indices of diagrams, i < j.
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
    pairs: Pairs
    exact: Floats
    counts: Counts
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
        usable = np.flatnonzero(self.exact > 0)
        ratios = self.ratios(rule)[usable]
        n_draws, n_counts = ratios.shape[1:]
        flat = ratios.reshape(-1, n_counts)
        if not len(flat):
            none = np.full(n_counts, np.nan)
            empty = np.empty((0, 2), dtype=np.intp)
            return Boxes(self.counts, none, none, none, none, none, empty, np.empty(0))
        quarter, median, three_quarters = np.quantile(flat, (0.25, 0.5, 0.75), axis=0)
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
