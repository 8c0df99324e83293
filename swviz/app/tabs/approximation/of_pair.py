"""What the Approximation view computes of the pair A, B."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import param

from swviz.app.runtime.jobs import Report, digest
from swviz.app.runtime.task import Task, Turn
from swviz.app.tabs.approximation.figures import COMBS, PairFigures
from swviz.app.tabs.approximation.words import STOPPED, comb_words, why_not
from swviz.app.ui.job_bar import JobBar
from swviz.app.workspace.links import unwatch
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram
from swviz.slices import sliced_wasserstein
from swviz.studies import KinkStudy, PairStudy, kink_study, pair_study
from swviz.typing import Rule


class PairMeasurements(param.Parameterized):
    """SW_M of the pair on show by M and rule, and what the sidebar's M gives.

    Parameters
    ----------
    workspace : Workspace
    is_open : callable
        Whether anybody looks.

    Attributes
    ----------
    study : PairStudy or None
        Of the pair in use; None until it is computed.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    note = param.String(default="…")
    comb_notes = param.Dict(default=dict.fromkeys(COMBS, " "))

    def __init__(
        self, workspace: Workspace, is_open: Callable[[], bool], **params: Any
    ) -> None:
        super().__init__(workspace=workspace, **params)
        self.figures = PairFigures()
        self.measuring = Task(
            self._measure,
            is_open=is_open,
            at_once=False,
            on_stop=lambda: self.param.update(note=STOPPED),
            on_error=lambda error: self.param.update(note=why_not(error)),
        )
        self.jobs = JobBar(self.measuring)
        self.study: Any = None
        self._pair = workspace.pair
        watch = workspace.param.watch
        self._watchers = [
            watch(self._new_pair, ["diagram_a", "diagram_b"]),
            watch(self._show_now, ["n_directions", "rule"]),
            watch(lambda *_: self.measuring.look(), "tab"),
        ]
        self.measuring.request()

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        unwatch(self._watchers)
        self.measuring.forget()

    def again(self) -> None:
        """Compute what was stopped or has failed."""
        if self.study is None and not self.measuring.busy:
            self.note = "…"
            self.measuring.request()

    def _new_pair(self, *_events: object) -> None:
        pair = self.workspace.pair
        if pair[0] is self._pair[0] and pair[1] is self._pair[1]:
            return
        self._pair = pair
        self.study = None
        self.figures.clear()
        self.param.update(note="…", comb_notes=dict.fromkeys(COMBS, " "))
        self.measuring.request()

    async def _measure(self, turn: Turn) -> None:
        pair = self._pair
        studies = await turn.compute(
            partial(_study_pair, *pair),
            digest("approximation of a pair", *pair),
            "Slicing the pair",
        )
        # One by one: a picture takes the server a tenth of a second, others a turn.
        turn.show(self._show_curves, studies[0])
        turn.show(self._show_errors)
        for show in self.figures.showing(studies[1]):
            turn.show(show)
        turn.show(self._show_words, studies[1])

    def _show_curves(self, study: PairStudy) -> None:
        self.study = study
        self.figures.curves.show(study, self._say_now())

    def _show_errors(self) -> None:
        self.figures.errors.show(self.study, self._say_now())

    def _show_words(self, kink: KinkStudy) -> None:
        self.comb_notes = comb_words(kink)

    def _show_now(self, *_events: object) -> None:
        """Mark the M and the rule of the sidebar."""
        if self.study is not None:
            now = self._say_now()
            self.figures.curves.mark(self.study, now)
            self.figures.errors.mark(self.study, now)

    def _say_now(self) -> tuple[Rule, int, float]:
        """Say what the M and the rule of the sidebar give, and return all three."""
        space = self.workspace
        exact, value = self.study.exact, self._value_now()
        self.note = (
            f"SW = {exact:.4g}; with M = {space.n_directions}, SW_M = {value:.4g}, "
            f"{100 * (value / exact - 1):+.2g} %"
            if exact > 0
            else "A and B are equal: every slice costs 0, there is nothing to "
            "approximate. Choose another pair."
        )
        return space.rule, space.n_directions, value

    def _value_now(self) -> float:
        """SW_M of the pair; most M have been computed already."""
        count, rule = self.workspace.n_directions, self.workspace.rule
        known = np.flatnonzero(self.study.counts == count)
        if len(known):
            return float(self.study.values[rule][0, known[0]])
        return sliced_wasserstein(*self._pair, count, rule=rule, random_state=0)


def _study_pair(
    A: Diagram, B: Diagram, progress: Report
) -> tuple[PairStudy, KinkStudy]:
    study = pair_study(A, B, progress=progress)
    return study, kink_study(A, B, COMBS, exact=study.exact)
