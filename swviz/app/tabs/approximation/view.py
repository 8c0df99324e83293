"""The Approximation tab: how many directions are enough."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import numpy as np
import panel as pn
import param

from swviz.app.runtime.building import start
from swviz.app.runtime.jobs import JobCancelled, digest
from swviz.app.tabs.approximation.figures import PairFigures
from swviz.app.tabs.approximation.layout import lay_out, make_controls
from swviz.app.tabs.approximation.listing import accuracy_lines, pair_lines, set_lines
from swviz.app.tabs.approximation.measurements import STOPPED, SetMeasurements
from swviz.app.ui.job_bar import JobBar
from swviz.app.workspace.links import remember
from swviz.app.workspace.listing import literal
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram, DiagramSet
from swviz.errors import SwvizError
from swviz.slices import sliced_wasserstein
from swviz.studies import (
    KinkStudy,
    PairStudy,
    kink_study,
    pair_study,
    suggest_diagrams,
    suggest_pairs,
)

TAB = "Approximation"


class ApproximationView(SetMeasurements, pn.viewable.Viewer):
    """SW_M against SW, for a pair and for a set: error, time and accuracy by M.

    Parameters
    ----------
    D : DiagramSet, optional
        Shown in a workspace of its own.
    workspace : Workspace, optional
        Of a session; the built-in data set by default.
    **params
        Further parameters of the view.

    Notes
    -----
    In a session and in a notebook it computes by itself. In a script,
    ``asyncio.run(view.run())`` does it.
    """

    only_when_open = param.Boolean(
        default=False, doc="Whether to compute only while the page shows this tab."
    )
    pair_note = param.String(default="…")

    def __init__(
        self,
        D: DiagramSet | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        if workspace is None:
            given = {} if D is None else {"title": "this set", "source": "upload"}
            workspace = Workspace(D, **given)
        super().__init__(workspace=workspace, **params)
        self.pair_figures = PairFigures()
        self.pair_jobs = JobBar()
        self.pair: PairStudy | None = None
        self._studied: tuple[Diagram, Diagram] | None = None
        self._stale = {"pair", "set"}
        if not {"n_pairs", "n_diagrams"} & set(params):
            self._suggest()
        linked = remember(
            self,
            workspace,
            "approximation",
            ["tolerance", "n_pairs", "n_diagrams", "seed"],
        )
        self.controls = make_controls(self)
        self._connect()
        self._watchers.append(linked)
        self._start()

    def __panel__(self) -> pn.Column:
        return lay_out(self)

    def _connect(self) -> None:
        watch = self.workspace.param.watch
        self._watchers = [
            watch(self._new_pair, ["diagram_a", "diagram_b"]),
            watch(lambda *_: self._suggest(), ["dataset", "dimension"]),
            watch(self._new_rule, "rule"),
            watch(lambda *_: self._show_now(), "n_directions"),
            watch(lambda *_: self._start(), "tab"),
        ]
        self.param.watch(self._new_question, ["n_pairs", "n_diagrams", "seed"])
        self.param.watch(lambda *_: self._show_answer(), "tolerance")
        self.set_figures.outliers.selected.on_change(
            "indices", lambda _attr, _old, chosen: self._choose(chosen)
        )

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        for watcher in self._watchers:
            self.workspace.param.unwatch(watcher)
        self._end_turn()
        self.pair_jobs.cancel()

    def as_python(self) -> str:
        """Return the lines that reproduce what is on show with the library."""
        space, question = self.workspace, self.question
        pair = (
            [f"A = {literal(space.diagram_a)}", f"B = {literal(space.diagram_b)}"]
            if space.edited
            else [f"A, B = diagrams[{space.index_a}], diagrams[{space.index_b}]"]
        )
        lines = [*space.data_lines(), *pair, *pair_lines(question, space.n_directions)]
        names = ["RULES", "kink_study", "pair_study"]
        if len(question.diagrams) > 1:
            lines += set_lines(question, self.tolerance / 100)
            names += ["embedding_tiers", "exact_tier", "gram_times", "ratio_study",
                      "sample_diagrams", "slice_tiers"]  # fmt: skip
            if self.accuracies is not None:
                lines += accuracy_lines(question, self.accuracies.sizes)
                names.append("accuracy_study")
        imports = ",\n    ".join(sorted(names, key=str.lower))
        return "\n".join(
            [
                "import numpy as np",
                "import swviz as sw",
                f"from swviz.studies import (\n    {imports},\n)",
                "",
                "np.set_printoptions(precision=4, suppress=True, linewidth=1000)",
                *lines,
                "",
            ]
        )

    # -- when to compute -------------------------------------------------------------

    def _changed(self, what: str) -> None:
        self._stale.add(what)
        self._start()

    def _new_pair(self, *_events: object) -> None:
        if self._is_studied():
            return
        self.pair = self._studied = None
        self.pair_figures.clear()
        self.pair_note = "…"
        self._changed("pair")

    def _new_question(self, *_events: object) -> None:
        self._end_turn()
        self._forget_old()
        self._changed("set")

    def _new_rule(self, *_events: object) -> None:
        self._show_now()
        self._show_ratios()
        self._show_answer()
        # Times and accuracies are of one rule; ratios are of all, and are kept.
        self._new_question()

    def _suggest(self) -> None:
        """Choose samples that can be measured while one waits."""
        with param.discard_events(self):
            self.n_pairs = suggest_pairs(self.diagrams)
            self.n_diagrams = suggest_diagrams(self.diagrams)
        self.param.trigger("n_pairs", "n_diagrams")

    def _start(self) -> None:
        """Compute what is out of date, if anybody is looking and a loop is running."""
        hidden = self.only_when_open and self.workspace.tab != TAB
        if hidden or not self._stale:
            return
        document = pn.state.curdoc
        if document is None or document.session_context is None:
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return
        stale, self._stale = self._stale, set()
        if "pair" in stale:
            start(self.run_pair)
        if "set" in stale:
            start(self.run_set)

    def again(self, _event: object = None) -> None:
        """Measure the set once more, times included; and the pair, if it failed."""
        self._repeat += 1
        if "pair" in self._stale:
            self.pair_note = "…"
        self._new_question()

    async def run(self) -> None:
        """Compute everything."""
        self._stale = set()
        await asyncio.gather(self.run_pair(), self.run_set())

    # -- the pair --------------------------------------------------------------------

    async def run_pair(self) -> None:
        """Compute what is shown of the pair."""
        pair = self.workspace.pair
        try:
            studies = await self.pair_jobs.run(
                partial(_study_pair, *pair),
                digest("approximation of a pair", *pair),
                "Slicing the pair",
            )
        except JobCancelled:
            self._later(partial(self._miss_pair, pair, STOPPED))
            return
        except SwvizError as error:
            self._later(partial(self._miss_pair, pair, f"Not measurable: {error}."))
            return
        except Exception:
            self._later(partial(self._miss_pair, pair, "Not measured."))
            raise
        self._later(partial(self._show_pair, pair, *studies))

    def _miss_pair(self, pair: tuple[Diagram, Diagram], why: str) -> None:
        """Say why there is nothing of the pair, unless something is on its way."""
        if self.pair_jobs.busy or not _are_same(pair, self.workspace.pair):
            return
        if not self._is_studied():
            self.pair_note = why
            self._stale.add("pair")

    def _is_studied(self) -> bool:
        """Tell whether what is shown of the pair is of the pair on show."""
        return self._studied is not None and _are_same(
            self._studied, self.workspace.pair
        )

    def _show_pair(
        self, pair: tuple[Diagram, Diagram], study: PairStudy, kink: KinkStudy
    ) -> None:
        if not _are_same(pair, self.workspace.pair):
            return
        self.pair, self._studied = study, pair
        self.pair_figures.show_pair(study)
        self.pair_figures.show_kink(kink)
        self._show_now()

    def _show_now(self) -> None:
        """Mark the M and the rule of the sidebar."""
        space = self.workspace
        self.set_figures.show_now(space.n_directions, space.rule)
        if self.pair is None or not self._is_studied():
            return
        exact, value = self.pair.exact, self._value_now()
        self.pair_figures.show_now(space.n_directions, space.rule, value, exact)
        self.pair_note = (
            f"SW = {exact:.4g}; with M = {space.n_directions}, SW_M = {value:.4g}, "
            f"{100 * (value / exact - 1):+.2g} %"
            if exact > 0
            else "A and B are equal: every slice costs 0, there is nothing to "
            "approximate. Choose another pair."
        )

    def _value_now(self) -> float:
        """SW_M of the pair; most M have been computed already."""
        count, rule = self.workspace.n_directions, self.workspace.rule
        known = np.flatnonzero(self.pair.counts == count)
        if len(known):
            return float(self.pair.values[rule][0, known[0]])
        return sliced_wasserstein(
            *self.workspace.pair, count, rule=rule, random_state=0
        )

    def _choose(self, chosen: list[int]) -> None:
        """Make an outlier that was clicked the pair."""
        if not chosen:
            return
        data = self.set_figures.outliers.data
        if chosen[0] < len(data["first"]):
            self.workspace.param.update(
                index_a=int(data["first"][chosen[0]]),
                index_b=int(data["second"][chosen[0]]),
            )


def _are_same(one: tuple[Diagram, Diagram], other: tuple[Diagram, Diagram]) -> bool:
    return one[0] is other[0] and one[1] is other[1]


def _study_pair(
    A: Diagram, B: Diagram, progress: Any = None
) -> tuple[PairStudy, KinkStudy]:
    study = pair_study(A, B, progress=progress)
    return study, kink_study(A, B, exact=study.exact)
