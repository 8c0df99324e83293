"""Figures of the Approximation view, and what they show before there are numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import numpy as np

from swviz import plot
from swviz.app.ui.pictures import Picture
from swviz.plot.of_studies import convergence_marks, error_marks, ratio_marks
from swviz.plot.theme import TIER_STYLES
from swviz.studies import (
    ACCURACY_COUNTS,
    GRAM_COUNTS,
    PAIR_COUNTS,
    SET_COUNTS,
    AccuracyStudy,
    GramTimes,
    KinkStudy,
    PairStudy,
    RatioStudy,
    Tiers,
)
from swviz.typing import RULES

COMBS = (6, 8)
"""Numbers of directions whose combs are compared."""

_NONE = np.empty(0)
_NO_PAIR = PairStudy(
    np.array(PAIR_COUNTS),
    np.nan,
    {rule: np.full((1, len(PAIR_COUNTS)), np.nan) for rule in RULES},
)
_NO_KINK = KinkStudy(
    angles=_NONE,
    costs=_NONE,
    exact=np.nan,
    counts=np.array(COMBS),
    sampled=[_NONE for _ in COMBS],
    sampled_costs=[_NONE for _ in COMBS],
    places=np.full(len(COMBS), np.nan),
    offsets=_NONE,
    errors=np.empty((len(COMBS), 0)),
)
_NO_RATIOS = RatioStudy(
    n_diagrams=0,
    pairs=np.empty((0, 2), dtype=np.intp),
    exact=_NONE,
    counts=np.array(SET_COUNTS),
    values={rule: np.empty((0, 1, len(SET_COUNTS))) for rule in RULES},
    exact_seconds=0.0,
    slice_seconds=0.0,
)
_NO_TIMES = GramTimes(0, np.array(GRAM_COUNTS), np.full(len(GRAM_COUNTS), np.nan))
_NO_TIERS = [
    Tiers(tier, np.empty(0, dtype=np.intp), _NONE, _NONE, _NONE, _NONE, 0)
    for tier in TIER_STYLES
]
_NO_ACCURACY = AccuracyStudy((), np.empty((0, 1)), 0)


class PairFigures:
    """SW_M and its error by M, and why more directions may be worse."""

    def __init__(self) -> None:
        self.curves = Picture(
            plot.convergence,
            *(_NO_PAIR, None),
            filename="sw_by_directions",
            marks=convergence_marks,
            ylabel="SW_M",
        )
        self.errors = Picture(
            plot.error,
            *(_NO_PAIR, None),
            filename="error_by_directions",
            marks=error_marks,
        )
        self.combs = [
            Picture(plot.comb, *(_NO_KINK, count), filename=f"comb_{k + 1}", height=245)
            for k, count in enumerate(COMBS)
        ]
        self.turned = Picture(
            plot.kink, _NO_KINK, filename="error_by_place", height=245
        )

    def showing(self, study: KinkStudy) -> list[Callable[[], None]]:
        """Return what shows, figure by figure, what two numbers make of the curve W.

        Parameters
        ----------
        study : KinkStudy
            Of two numbers of directions.
        """
        return [
            *(
                partial(comb.show, study, count)
                for count, comb in zip(COMBS, self.combs, strict=True)
            ),
            partial(self.turned.show, study),
        ]

    def clear(self) -> None:
        """Empty all figures: what they show is of another pair."""
        for picture in (self.curves, self.errors, *self.combs, self.turned):
            picture.clear()


class SetFigures:
    """Ratios, worst errors, times, tiers and accuracies by M.

    Attributes
    ----------
    of : mapping of str to tuple of Picture
        What shows a part of the answer.
    """

    def __init__(self) -> None:
        self.boxes = Picture(
            plot.ratios,
            *(_NO_RATIOS, "paper", None, None, ()),
            filename="ratio_by_directions",
            height=330,
            marks=lambda *given: ratio_marks(*given[:-1]),
        )
        self.worst = Picture(
            plot.error,
            *(_NO_RATIOS, None, None),
            filename="worst_error_by_directions",
            height=330,
            marks=error_marks,
            ylabel="largest error of any pair, %",
        )
        self.times = Picture(plot.times, _NO_TIMES, filename="gram_time_by_directions")
        self.tiers = Picture(
            plot.tiers, *_NO_TIERS, filename="error_by_time", legend_cols=2
        )
        self.accuracies = Picture(
            plot.accuracy,
            *(_NO_ACCURACY, None, ACCURACY_COUNTS),
            filename="accuracy_by_directions",
            show_legend=False,
        )
        self.of: Mapping[str, tuple[Picture, ...]] = MappingProxyType(
            {
                "ratios": (self.boxes, self.worst),
                "times": (self.times,),
                "tiers": (self.tiers,),
                "accuracies": (self.accuracies,),
            }
        )

    def clear(self, part: str) -> None:
        """Empty the figures of a part: what they show is of another question."""
        for picture in self.of[part]:
            picture.clear()
