"""The Distortion tab: what kernels do to the metric, on the data set in use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import panel as pn
import param
from numpy.typing import NDArray

from swviz import plot
from swviz.app.runtime.jobs import RESULTS, JobCancelled, Report, digest
from swviz.app.runtime.session import handle_exception
from swviz.app.runtime.settings import SETTINGS
from swviz.app.runtime.task import Task, Turn
from swviz.app.tabs.distortion.figures import DistortionFigures
from swviz.app.tabs.distortion.layout import lay_out, make_controls
from swviz.app.tabs.distortion.listing import distortion_lines
from swviz.app.tabs.distortion.pair_table import PairTable
from swviz.app.tabs.distortion.run import DistortionRun
from swviz.app.tabs.distortion.spectrum import SpectrumPanel
from swviz.app.tabs.distortion.words import describe_constants, describe_sample, judge
from swviz.app.ui.exports import Matrices
from swviz.app.ui.job_bar import JobBar
from swviz.app.workspace.kernel_widths import NAMES, KernelWidths, WidthSliders
from swviz.app.workspace.links import remember, unwatch
from swviz.app.workspace.state import Workspace, title_of
from swviz.app.workspace.tab_view import TabView
from swviz.app.workspace.words import sample_options
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
from swviz.kernels import kernel_from_distances
from swviz.plot.theme import KERNEL_STYLES
from swviz.sources import from_preset
from swviz.studies import (
    affordable_directions,
    agreement,
    distortion_constants,
    draw_diagrams,
    exponential_distances,
    scale_space_distances,
    weighted_distances,
)
from swviz.typing import Rule

Floats = NDArray[np.float64]

TAB = "Distortion"

POINT_KERNELS = {"t": "k_pss", "rho": "k_pwg"}
"""Kernels whose distances have to be computed anew for another bandwidth."""

FEW_PAIRS = 3
"""Pairs that are waited for before the first are shown: fewer have no order."""


class DistortionView(TabView):
    """All pairs of some diagrams: d1 across, distances of four kernels up.

    Parameters
    ----------
    D : DiagramSet, optional
        Shown in a workspace of its own.
    workspace : Workspace, optional
        Of a session; the built-in data set by default.
    **params
        Further parameters of the view, and `controls`: whether a cell of a notebook
        shows the sidebar beside it.

    Examples
    --------
    In a notebook, ``DistortionView(D)`` in a cell shows itself; in a script,
    ``DistortionView(D).agreements`` has the numbers.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    n_diagrams = param.Integer(
        default=min(32, SETTINGS.distortion_diagrams),
        bounds=(2, SETTINGS.distortion_diagrams),
        label="Diagrams to draw",
    )
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed of the draw")
    tier = param.Selector(default="auto", objects=["auto", "exact", "sidebar"])

    agreements = param.Dict(default={}, doc="Of each kernel with d1.")
    sample_text = param.String(default="", doc="Which pairs are shown.")
    constants_text = param.String(default="", doc="The observed constants.")
    verdict = param.String(default="", doc="What the plots say, in words.")
    stopped = param.Boolean(default=False, doc="Whether the work was cancelled.")

    def __init__(
        self,
        D: DiagramSet | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        alone = workspace is None
        if workspace is None:
            workspace = Workspace.of_set(D)
        super().__init__(workspace=workspace, **params)
        self.measuring = Task(
            self._measure,
            is_open=lambda: alone or workspace.tab == TAB,
            on_error=self._fail,
        )
        self.adjusting = Task(
            self._adjust,
            on_slow=self._empty_outdated,
            on_stop=self._show_whether_stopped,
            on_error=self._fail_to_adjust,
        )
        self.jobs, self.quick_jobs = JobBar(self.measuring), JobBar(self.adjusting)
        self.figures = DistortionFigures()
        self.widths = KernelWidths.of(workspace)
        self.spectrum = SpectrumPanel(self._use_six)
        self.table = PairTable(self.open_pair)
        # A DistortionRun, once the view has been open.
        self.run: Any = None
        self._key = ""
        # Distances of k_PSS by "t" and k_PWG by "rho", and at which values.
        self._point_distances: dict[str, Floats] = {}
        self._computed: dict[str, float] = {}
        self.sliders = WidthSliders(self.widths)
        self.controls = [*self.sliders.controls, *make_controls(self)]
        linked = remember(self, workspace, "distortion", ["n_diagrams", "seed", "tier"])
        self._watch()
        self._watchers += [linked, self.sliders.watcher]
        self.measuring.request()

    def __panel__(self) -> pn.Column:
        return lay_out(self)

    @property
    def tasks(self) -> list[Task]:
        """What the view computes by itself."""
        return [self.measuring, self.adjusting]

    def stills(self) -> list[Any]:
        """Draw the pairs that have been computed."""
        shown = self.n_shown
        if not shown:
            return super().stills()
        d1, sw = (part[:shown] for part in (self.run.pairs.d1, self.run.pairs.sw))
        bent = {name: self.distances(name, 0, shown) for name in KERNEL_STYLES}
        return [
            plot.distortion(d1, bent),
            plot.bounds(d1, sw, self.run.pairs.largest),
        ]

    def matrices(self) -> Matrices:
        """Return d1, SW and the Gram matrices of both, of the diagrams that have all.

        Those that are drawn come first to last; while pairs are being computed, the
        first of them.
        """
        if self.run is None or not self.n_shown:
            return [], {}
        found = self.run.matrices()
        d1, sw = found["k_d1"], found["k_sw"]
        texts = list(sample_options(self.workspace.dataset))
        return [texts[index] for index in self.run.drawn[: len(d1)]], {
            "d1": d1,
            "sw": sw,
            "gram_k_sw": kernel_from_distances(sw, self.workspace.sigma),
            "gram_gaussian_on_d1": kernel_from_distances(d1, self.widths.sigma_d1),
        }

    def as_python(self) -> str:
        """Return the lines that print the numbers on show with the library."""
        return distortion_lines(self)

    def _watch(self) -> None:
        space, pairs = self.workspace, self.figures.pairs
        self._watchers = [
            space.param.watch(self._outdate, ["dataset", "dimension"]),
            space.param.watch(self._outdate_directions, ["n_directions", "rule"]),
            space.param.watch(lambda *_: self.measuring.look(), "tab"),
            space.param.watch(lambda _event: self._bend("k_sw"), "sigma"),
            self.widths.param.watch(self._change_width, list(NAMES)),
        ]
        self.param.watch(self._outdate, ["n_diagrams", "seed", "tier"])
        pairs.selected.on_change("indices", lambda _a, _old, _new: self._list_pairs())
        self.figures.tapped.on_change("data", lambda _a, _old, new: self._tapped(new))

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        unwatch(self._watchers)
        self.run = None
        self.measuring.forget()
        self.adjusting.forget()
        super().close()

    def _outdate(self, *_events: object) -> None:
        """Show nothing that belongs to other data or another draw any more."""
        self.run = None
        self.adjusting.forget()
        self._clear()
        self.measuring.request()

    def _outdate_directions(self, *_events: object) -> None:
        if self.tier == "sidebar":
            self._outdate()

    # -- measuring ------------------------------------------------------------------

    def _new_run(self) -> DistortionRun:
        """Prepare the work for what is chosen, or fetch it if it has been done."""
        space = self.workspace
        several = space.dataset.in_dimension(space.dimension)
        drawn = draw_diagrams(len(several), self.n_diagrams, self.seed)
        diagrams = [several[index] for index in drawn]
        n_directions: int | Literal["exact"] = "exact"
        rule: Rule = "paper"
        if self.tier == "sidebar":
            n_directions, rule = space.n_directions, space.rule
        elif self.tier == "auto":
            n_directions, rule = affordable_directions(diagrams)
        question = self.widths.question()
        self._key = digest("distortion", n_directions, rule, drawn, question[0])
        kept = RESULTS.get(self._key)
        return kept or DistortionRun(drawn, diagrams, n_directions, rule, question)

    def resume(self, _event: object = None) -> None:
        """Compute what is missing since the work was cancelled."""
        if self.run is not None and self._is_incomplete():
            self.measuring.request()

    def _is_incomplete(self) -> bool:
        return not self.run.finished or bool(self._outdated_widths())

    async def _measure(self, turn: Turn) -> None:
        """Compute the distances of all pairs; they appear as they come."""
        if self.run is None:
            self.run = self._new_run()
            turn.show(self._begin, self.run)
        run = self.run
        turn.show(lambda: self.param.update(stopped=False))
        if len(run.diagrams) < 2:
            return

        def compute(progress: Report) -> DistortionRun:
            def report(done: int, total: int) -> None:
                progress.found(run)
                progress(done, total)

            return run.compute(report)

        try:
            await turn.compute(
                compute, self._key, "d₁ and SW of pairs", show=self._push
            )
        except JobCancelled:
            if turn.is_over:
                raise
            turn.show(lambda: self.param.update(stopped=True))
            await turn.compute(run.compute_sweep)
        turn.show(self._end, run)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, SwvizError):
            handle_exception(error)
        if self.run is not None:
            self._end(self.run)

    def _begin(self, run: DistortionRun) -> None:
        self._clear()
        waiting = len(run.diagrams) > 1
        self.spectrum.show(run.matrices(), run.sweep, waiting)
        self._describe_sample()

    def _clear(self) -> None:
        """Show no pairs."""
        self.figures.clear()
        self._point_distances, self._computed = {}, {}
        self.param.update(agreements={}, verdict="", constants_text="", sample_text="")
        self.spectrum.clear()
        self._list_pairs()

    def _push(self, run: DistortionRun, everything: bool = False) -> None:
        """Show the pairs that have been computed since, if they are worth drawing."""
        if run.widths is None:
            return
        shown, done = self.n_shown, run.pairs.done
        # Many pairs take the browser long to draw: not each few of them anew.
        worth = 1 if everything else max(1, FEW_PAIRS - shown, shown // 20)
        if done - shown < worth:
            return
        if not shown:
            self._computed = {"t": run.widths.t, "rho": run.widths.rho}
            self._point_distances = {"t": run.scale_space, "rho": run.weighted}
            self.widths.learn(run.widths)
            self._adjust_if_needed()
        texts = list(sample_options(self.workspace.dataset))
        i, j = run.drawn[run.pairs.pairs[shown:done]].T
        rows: dict[str, Any] = {
            "i": i,
            "j": j,
            "a": [texts[index] for index in i],
            "b": [texts[index] for index in j],
            "d1": run.pairs.d1[shown:done],
            "sw": run.pairs.sw[shown:done],
        }
        for column in KERNEL_STYLES:
            rows[column] = _drawable(self.distances(column, shown, done))
        self.figures.add_pairs(rows)
        self._describe_sample()
        constants = distortion_constants(
            run.pairs.d1[:done], run.pairs.sw[:done], run.pairs.largest
        )
        self.constants_text = describe_constants(constants, run.pairs.largest)
        self._compare(KERNEL_STYLES)
        self.figures.set_constants(constants)

    def _end(self, run: DistortionRun) -> None:
        self._push(run, everything=True)
        self.spectrum.show(run.matrices(), run.sweep)
        self._list_pairs()
        self._describe_sample()
        self._adjust_if_needed()

    # -- bandwidths -----------------------------------------------------------------

    def _change_width(self, *events: param.parameterized.Event) -> None:
        changed = {event.name for event in events}
        if "sigma_d1" in changed:
            self._bend("k_d1")
        if "tau" in changed:
            self._bend("k_pwg")
        self._adjust_if_needed()

    def _adjust_if_needed(self) -> None:
        if self._outdated_widths():
            self.adjusting.request(anew=False)

    def _outdated_widths(self) -> list[str]:
        """Which of t and rho are not those of the distances at hand."""
        return [
            name
            for name, computed in self._computed.items()
            if getattr(self.widths, name) != computed
        ]

    def _outdated_kernels(self) -> list[str]:
        return [POINT_KERNELS[name] for name in self._outdated_widths()]

    async def _adjust(self, turn: Turn) -> None:
        """Bring the distances of k_PSS and k_PWG to the bandwidths t and rho."""
        run = self.run
        for name in self._outdated_widths():
            value = getattr(self.widths, name)

            def compute(
                progress: Report, name: str = name, value: float = value
            ) -> Floats:
                if name == "t":
                    return scale_space_distances(run.diagrams, value, progress=progress)
                return weighted_distances(run.diagrams, run.widths, value, progress)

            found = await turn.compute(compute, title="Distances of a kernel")
            turn.show(self._take_distances, name, value, found)
        turn.show(self._show_whether_stopped)

    def _fail_to_adjust(self, error: Exception) -> None:
        if isinstance(error, SwvizError):
            handle_exception(error)
        self._show_whether_stopped()

    def _take_distances(self, name: str, value: float, found: Floats) -> None:
        self._computed[name] = value
        self._point_distances[name] = found
        if name not in self._outdated_widths():
            self._bend(POINT_KERNELS[name])

    def _empty_outdated(self) -> None:
        """Show nothing of a kernel whose bandwidth has moved on."""
        for name in self._outdated_widths():
            self._bend(POINT_KERNELS[name])

    def _show_whether_stopped(self) -> None:
        """Leave what was not computed empty, say so, and offer to go on."""
        adjusting = self.adjusting.busy or self.adjusting.is_due
        if self.run is None or self.measuring.busy or adjusting:
            return
        self._empty_outdated()
        self.stopped = self._is_incomplete()
        self._describe_sample()

    def _bend(self, column: str) -> None:
        """Redraw one kernel's distances."""
        count = self.n_shown
        if count:
            self.figures.set_column(column, _drawable(self.distances(column, 0, count)))
            self._compare([column])
            self.table.follow(column, self.figures.pairs.data[column])

    # -- numbers --------------------------------------------------------------------

    @property
    def n_shown(self) -> int:
        """How many pairs are on show."""
        return len(self.figures.pairs.data["d1"])

    def distances(self, column: str, start: int, stop: int) -> Floats:
        """Distances of some pairs in the Hilbert space of a kernel.

        Parameters
        ----------
        column : str
            One of ``KERNEL_STYLES``.
        start, stop : int
            Which of the pairs.

        Returns
        -------
        ndarray of shape (stop - start,)
            NaN where those at the bandwidth in use are not computed yet.
        """
        pairs = self.run.pairs
        if column in self._outdated_kernels():
            return np.full(stop - start, np.nan)
        i, j = pairs.pairs[start:stop].T
        if column == "k_sw":
            return exponential_distances(pairs.sw[start:stop], self.workspace.sigma)
        if column == "k_d1":
            return exponential_distances(pairs.d1[start:stop], self.widths.sigma_d1)
        if column == "k_pss":
            return self._point_distances["t"][i, j]
        norms = self._point_distances["rho"][i, j]
        return exponential_distances(norms, self.widths.tau)

    def _compare(self, columns: Iterable[str]) -> None:
        """Bring axes and numbers to other distances of some kernels."""
        count = self.n_shown
        d1 = self.run.pairs.d1[:count]
        self.figures.fit()
        self.spectrum.set_sigmas(self.workspace.sigma, self.widths.sigma_d1)
        found = {
            column: agreement(d1, self.distances(column, 0, count))
            for column in columns
        }
        outdated = self._outdated_kernels()
        self.agreements = {
            column: one
            for column, one in (self.agreements | found).items()
            if column not in outdated
        }
        self.verdict = judge(self.agreements)

    def _describe_sample(self) -> None:
        self.sample_text = describe_sample(
            self.run, self.n_shown, len(self.workspace.dataset), self.seed
        )
        missing = self._outdated_kernels()
        if missing and self.stopped:
            names = " and ".join(KERNEL_STYLES[column][0] for column in missing)
            self.sample_text += f" {names} was stopped at this bandwidth."

    # -- pairs ----------------------------------------------------------------------

    def open_pair(self, row: int) -> None:
        """Take a pair as A and B, and open Slices.

        Parameters
        ----------
        row : int
            Of the pairs on show.
        """
        if 0 <= row < self.n_shown:
            data = self.figures.pairs.data
            a, b = int(data["i"][row]), int(data["j"][row])
            self.workspace.param.update(index_a=a, index_b=b, tab="Slices")

    def _tapped(self, data: dict[str, Any]) -> None:
        try:
            row = int(data["index"][0])
        except (KeyError, IndexError, TypeError, ValueError, OverflowError):
            # A message that this view did not write.
            return
        self.open_pair(row)

    def _list_pairs(self) -> None:
        pairs = self.figures.pairs
        self.table.show(pairs.data, pairs.selected.indices)

    def _use_six(self, _event: object) -> None:
        six = "d1_counterexample", "six diagrams"
        self.workspace.use(from_preset(*six), title_of(*six), *six)


def _drawable(distances: Floats) -> Floats:
    """Leave out what has no place on a logarithmic axis."""
    return np.where(distances > 0, distances, np.nan)
