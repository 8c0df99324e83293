r"""One pair: :math:`SW_M` by M under the three rules, and what its kink does to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_counts
from swviz.diagrams import as_diagram
from swviz.directions import directions
from swviz.exact import sliced_wasserstein_exact
from swviz.results import Result, as_frame, brief, draw
from swviz.seeds import RandomState
from swviz.slices import slice_costs
from swviz.studies.directions import MOST_DIRECTIONS, AnglePlan, count_range
from swviz.typing import Floats, Ints, Progress, Rule

if TYPE_CHECKING:
    import pandas as pd

PAIR_COUNTS = (
    *range(1, 21),
    *(24, 28, 32, 40, 48, 50, 64, 80, 96, 100, 128, 160, 200),
)
"""Numbers of directions that a curve is drawn through."""

_CURVE_ANGLES = 361

_OFFSETS = 49


@dataclass(frozen=True, eq=False, repr=False)
class PairStudy(Result):
    r""":math:`SW_M` of one pair by the number of directions.

    Parameters
    ----------
    counts : ndarray of shape (n_counts,)
        The numbers of directions M.
    exact : float
        SW.
    values : dict of rule to ndarray of shape (n_draws, n_counts)
        One draw for the rules that draw nothing.
    """

    counts: Ints
    exact: float
    values: dict[Rule, Floats]

    def errors(self, rule: Rule) -> Floats:
        """Relative errors, shape (n_draws, n_counts); NaN if the diagrams are equal."""
        if self.exact == 0:
            return np.full_like(self.values[rule], np.nan)
        return np.abs(self.values[rule] / self.exact - 1)

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "SW": f"{self.exact:.4g}",
            "directions": count_range(self.counts),
            "rules": brief(self.values),
        }

    def frame(self) -> pd.DataFrame:
        r"""Return the study as a data frame, a row for each rule, draw and M.

        Returns
        -------
        pandas.DataFrame
            Columns rule, draw, n_directions, sw (:math:`SW_M`) and error, which is
            relative.

        Examples
        --------
        >>> study = pair_study([(0, 1)], [(0, 2)], counts=(4, 8), n_draws=2)
        >>> study.frame().query("rule == 'paper'")[["n_directions", "sw"]].round(4)
           n_directions      sw
        0             4  0.6768
        1             8  0.7723
        """
        parts = []
        for rule, values in self.values.items():
            number, column = np.indices(values.shape).reshape(2, -1)
            parts.append(
                {
                    "rule": rule,
                    "draw": number,
                    "n_directions": self.counts[column],
                    "sw": values.ravel(),
                    "error": self.errors(rule).ravel(),
                }
            )
        return as_frame(*parts)

    def plot(self) -> Any:
        """Draw how the values reach their limit: `swviz.plot.convergence`."""
        return draw("convergence", self)


def pair_study(
    A: ArrayLike,
    B: ArrayLike,
    counts: Sequence[int] = PAIR_COUNTS,
    *,
    n_draws: int = 30,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> PairStudy:
    r"""Follow :math:`SW_M` of a pair to its limit, under all three rules.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    counts : sequence of int
        The numbers of directions M, ascending.
    n_draws, random_state
        As in :class:`AnglePlan`.
    progress : callable, optional
        Called in this thread as ``progress(done, total)``. An exception it raises stops
        the work.

    Returns
    -------
    PairStudy

    Notes
    -----
    Costs one slice, O((n + m) log(n + m)), for each of
    ``2 * sum(counts) + n_draws * max(counts)`` angles, and the exact distance.

    Examples
    --------
    >>> study = pair_study([(0, 1)], [(0, 2)], counts=(4, 8))
    >>> study.values["paper"].round(4), round(study.exact, 4)
    (array([[0.6768, 0.7723]]), 0.794)
    """
    first, second = as_diagram(A), as_diagram(B)
    plan = AnglePlan(counts, n_draws, random_state)
    blocks = np.array_split(plan.angles, 8)
    costs = []
    for done, block in enumerate(blocks):
        if progress is not None:
            progress(done, len(blocks) + 1)
        costs.append(slice_costs(first, second, block))
    if progress is not None:
        progress(len(blocks), len(blocks) + 1)
    exact = sliced_wasserstein_exact(first, second)
    return PairStudy(plan.counts, exact, plan.averages(np.concatenate(costs)))


@dataclass(frozen=True, eq=False, repr=False)
class KinkStudy(Result):
    r"""What a comb of M directions makes of the kink that W has at :math:`\pi/4`.

    Parameters
    ----------
    angles, costs : ndarrays of shape (k,)
        The curve W.
    exact : float
        Its mean, SW.
    counts : ndarray of shape (n_counts,)
        The numbers of directions M.
    sampled, sampled_costs : lists of n_counts ndarrays of shape (M,)
        The paper's directions, and W there.
    places : ndarray of shape (n_counts,)
        Where :math:`\pi/4` lies between two of these directions, from 0 (on the first)
        to 1 (on the next).
    offsets : ndarray of shape (n_offsets,)
        Other places, from 0 to 1: the same comb, turned.
    errors : ndarray of shape (n_counts, n_offsets)
        Signed relative error of :math:`SW_M` for each; NaN if the diagrams are equal.
    """

    angles: Floats
    costs: Floats
    exact: float
    counts: Ints
    sampled: list[Floats]
    sampled_costs: list[Floats]
    places: Floats
    offsets: Floats
    errors: Floats

    @property
    def paper_errors(self) -> Floats:
        """Signed relative error of the paper's rule, shape (n_counts,)."""
        if not self.exact > 0:
            return np.full(len(self.counts), np.nan)
        means = np.array([costs.mean() for costs in self.sampled_costs])
        return means / self.exact - 1

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        errors = (f"{error:+.2%}" for error in self.paper_errors)
        return {
            "SW": f"{self.exact:.4g}",
            "directions": brief(self.counts),
            "errors of the paper's rule": brief(errors),
        }

    def frame(self) -> pd.DataFrame:
        r"""Return the study as a data frame, a row for each M and each turned comb.

        Returns
        -------
        pandas.DataFrame
            Columns n_directions, offset (where :math:`\pi/4` lies between two
            directions) and error, which is relative and signed.
        """
        return as_frame(
            {
                "n_directions": np.repeat(self.counts, len(self.offsets)),
                "offset": np.tile(self.offsets, len(self.counts)),
                "error": self.errors.ravel(),
            }
        )


def kink_study(
    A: ArrayLike,
    B: ArrayLike,
    counts: Sequence[int] = (6, 8),
    *,
    exact: float | None = None,
) -> KinkStudy:
    r"""Show why the paper's rule may do worse with more directions.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    counts : sequence of int, default=(6, 8)
        The numbers of directions M to compare, ascending.
    exact : float, optional
        SW, if it is known.

    Returns
    -------
    KinkStudy

    Notes
    -----
    W vanishes at :math:`\pi/4` for every pair, with a kink. Directions with
    :math:`\pi/4` half way between two of them overestimate the dip by half as much as
    directions with one exactly on it underestimate it (:math:`-B_2(a)` is 1/12 and
    -1/6; see :func:`swviz.directions`). The paper's rule has M = 6 half way and M = 8
    on it. Costs about ``50 * sum(counts)`` slices, and the exact distance.

    Examples
    --------
    >>> study = kink_study([(0, 1)], [(0, 2)])
    >>> study.places, study.paper_errors.round(3)
    (array([0.5, 0. ]), array([ 0.014, -0.027]))
    """
    first, second = as_diagram(A), as_diagram(B)
    numbers = check_counts(counts, "counts", MOST_DIRECTIONS)
    angles = np.linspace(-np.pi / 2, np.pi / 2, _CURVE_ANGLES)
    offsets = np.linspace(0, 1, _OFFSETS)
    sampled = [directions(int(count), "paper") for count in numbers]
    turned = [
        (np.pi / 4 + np.pi / count * (np.arange(count) - offsets[:, None])).ravel()
        for count in numbers
    ]
    parts = [angles, *sampled, *turned]
    costs = np.split(
        slice_costs(first, second, np.concatenate(parts)),
        np.cumsum([len(part) for part in parts])[:-1],
    )
    if exact is None:
        exact = sliced_wasserstein_exact(first, second)
    means = np.stack(
        [
            cost.reshape(len(offsets), count).mean(axis=1)
            for cost, count in zip(costs[1 + len(numbers) :], numbers, strict=True)
        ]
    )
    return KinkStudy(
        angles=angles,
        costs=costs[0],
        exact=exact,
        counts=numbers,
        sampled=sampled,
        sampled_costs=costs[1 : 1 + len(numbers)],
        # From the last direction to pi/4, in steps: 3 M / 4 of them from -pi / 2.
        places=(0.75 * numbers.astype(np.float64)) % 1,
        offsets=offsets,
        errors=means / exact - 1 if exact > 0 else np.full_like(means, np.nan),
    )
