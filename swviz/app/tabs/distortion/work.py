"""Measuring, bandwidths and numbers of the Distortion view, without its layout."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any

import numpy as np
import panel as pn
import param
from numpy.typing import NDArray

from swviz.app.runtime.building import start
from swviz.app.runtime.jobs import RESULTS, JobCancelled, digest
from swviz.app.runtime.session import handle_exception, in_document
from swviz.app.tabs.distortion.figures import KERNELS, DistortionFigures
from swviz.app.tabs.distortion.pair_table import PairTable
from swviz.app.tabs.distortion.run import DistortionRun
from swviz.app.tabs.distortion.spectrum import SpectrumPanel
from swviz.app.tabs.distortion.words import describe_constants, describe_sample, judge
from swviz.app.ui.job_bar import JobBar
from swviz.app.workspace.kernel_widths import NAMES, KernelWidths
from swviz.app.workspace.links import remember, unwatch
from swviz.app.workspace.state import Workspace, title_of
from swviz.app.workspace.words import sample_options
from swviz.errors import SwvizError
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

Floats = NDArray[np.float64]

TAB = "Distortion"

MOST_DIAGRAMS = 120

SLOW_SECONDS = 0.3
"""Distances stay on show for so long while those of another bandwidth are computed."""

POINT_KERNELS = {"t": "k_pss", "rho": "k_pwg"}
"""Kernels whose distances have to be computed anew for another bandwidth."""

FEW_PAIRS = 3
"""Pairs that are waited for before the first are shown: fewer have no order."""


class DistortionWork(pn.viewable.Viewer):
    """The pairs of a workspace's data set, measured and compared.

    Parameters
    ----------
    workspace : Workspace
    alone : bool, default=False
        Whether there is no page with tabs around it: then it works at once.
    **params
        Further parameters.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    n_diagrams = param.Integer(
        default=32, bounds=(2, MOST_DIAGRAMS), label="Diagrams to draw"
    )
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed of the draw")
    tier = param.Selector(default="auto", objects=["auto", "exact", "sidebar"])

    agreements = param.Dict(default={}, doc="Of each kernel with d1.")
    sample_text = param.String(default="", doc="Which pairs are shown.")
    constants_text = param.String(default="", doc="The observed constants.")
    verdict = param.String(default="", doc="What the plots say, in words.")
    stopped = param.Boolean(default=False, doc="Whether the work was cancelled.")

    def __init__(
        self, workspace: Workspace, alone: bool = False, **params: Any
    ) -> None:
        super().__init__(workspace=workspace, **params)
        self._alone = alone
        self.jobs, self.quick_jobs = JobBar(), JobBar()
        self.figures = DistortionFigures()
        self.widths = KernelWidths.of(workspace)
        self.spectrum = SpectrumPanel(self._use_six)
        self.table = PairTable(self.open_pair)
        self.run: DistortionRun | None = None
        self._key = ""
        self._stale = True
        self._recomputing = False
        # Distances of k_PSS by "t" and k_PWG by "rho", and at which values.
        self._point_distances: dict[str, Floats] = {}
        self._computed: dict[str, float] = {}
        linked = remember(self, workspace, "distortion", ["n_diagrams", "seed", "tier"])
        self._watch()
        self._watchers.append(linked)
        self._start_if_open()

    def _watch(self) -> None:
        space, pairs = self.workspace, self.figures.pairs
        self._watchers = [
            space.param.watch(self._outdate, ["dataset", "dimension"]),
            space.param.watch(self._outdate_directions, ["n_directions", "rule"]),
            space.param.watch(self._start_if_open, "tab"),
            space.param.watch(lambda _event: self._bend("k_sw"), "sigma"),
            self.widths.param.watch(self._change_width, list(NAMES)),
        ]
        self.param.watch(self._outdate, ["n_diagrams", "seed", "tier"])
        self.jobs.param.watch(self._hear_progress, "text")
        pairs.selected.on_change("indices", lambda _a, _old, _new: self._list_pairs())
        self.figures.tapped.on_change("data", lambda _a, _old, new: self._tapped(new))

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        unwatch(self._watchers)
        self.run = None
        self.jobs.cancel()
        self.quick_jobs.cancel()

    def _outdate(self, *_events: object) -> None:
        """Show nothing that belongs to other data or another draw any more."""
        self.run = None
        self.jobs.cancel()
        self._clear()
        self._stale = True
        self._start_if_open()

    def _outdate_directions(self, *_events: object) -> None:
        if self.tier == "sidebar":
            self._outdate()

    def _start_if_open(self, *_events: object) -> None:
        if self._stale and (self._alone or self.workspace.tab == TAB):
            self._stale = False
            launch(self.measure)

    # -- measuring ------------------------------------------------------------------

    def _new_run(self) -> DistortionRun:
        """Prepare the work for what is chosen, or fetch it if it has been done."""
        space = self.workspace
        several = space.dataset.in_dimension(space.dimension)
        drawn = draw_diagrams(len(several), self.n_diagrams, self.seed)
        diagrams = [several[index] for index in drawn]
        n_directions, rule = "exact", "paper"
        if self.tier == "sidebar":
            n_directions, rule = space.n_directions, space.rule
        elif self.tier == "auto":
            n_directions, rule = affordable_directions(diagrams)
        question = self.widths.question()
        self._key = digest("distortion", n_directions, rule, drawn, question[0])
        kept = RESULTS.get(self._key)
        return kept or DistortionRun(drawn, diagrams, n_directions, rule, question)

    async def measure(self, _event: object = None) -> None:
        """Compute the distances of all pairs; they appear as they come."""
        run = self.run = self._new_run()
        in_document(partial(self._begin, run))
        await self._work_on(run)

    async def resume(self, _event: object = None) -> None:
        """Compute what is missing since the work was cancelled."""
        if self.run is not None and self._is_incomplete():
            await self._work_on(self.run)

    def _is_incomplete(self) -> bool:
        return not self.run.finished or bool(self._outdated_widths())

    async def _work_on(self, run: DistortionRun) -> None:
        self.stopped = False
        if len(run.diagrams) < 2:
            self.jobs.cancel()
            return
        try:
            await self.jobs.run(run.compute, self._key, "d₁ and SW of pairs")
        except JobCancelled:
            if run is not self.run:
                # Another data set, not the button.
                return
            self.stopped = True
            await self.jobs.run(run.compute_sweep)
        except SwvizError as error:
            handle_exception(error)
            in_document(partial(self._end, run))
            return
        in_document(partial(self._end, run))
        # In a script the loop ends with this call, and would take with it what has been
        # started meanwhile.
        await asyncio.sleep(0)
        while self._recomputing:
            await asyncio.sleep(0.01)
        # In a script nothing that is launched outlives this coroutine.
        await self.recompute()

    def _hear_progress(self, _event: object) -> None:
        if self.run is not None:
            in_document(partial(self._push, self.run))

    def _begin(self, run: DistortionRun) -> None:
        if run is not self.run:
            return
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
        if run is not self.run or run.widths is None:
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
            if self._outdated_widths():
                launch(self.recompute)
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
        for column in KERNELS:
            rows[column] = _drawable(self.distances(column, shown, done))
        self.figures.add_pairs(rows)
        self._describe_sample()
        constants = distortion_constants(
            run.pairs.d1[:done], run.pairs.sw[:done], run.pairs.largest
        )
        self.constants_text = describe_constants(constants, run.pairs.largest)
        self._compare(KERNELS)
        self.figures.set_constants(constants)

    def _end(self, run: DistortionRun) -> None:
        if run is not self.run:
            return
        self._push(run, everything=True)
        self.spectrum.show(run.matrices(), run.sweep)
        self._list_pairs()
        self._describe_sample()

    # -- bandwidths -----------------------------------------------------------------

    def _change_width(self, *events: param.parameterized.Event) -> None:
        changed = {event.name for event in events}
        if "sigma_d1" in changed:
            self._bend("k_d1")
        if "tau" in changed:
            self._bend("k_pwg")
        if self._outdated_widths():
            launch(self.recompute)

    def _outdated_widths(self) -> list[str]:
        """Which of t and rho are not those of the distances at hand."""
        return [
            name
            for name, computed in self._computed.items()
            if getattr(self.widths, name) != computed
        ]

    def _outdated_kernels(self) -> list[str]:
        return [POINT_KERNELS[name] for name in self._outdated_widths()]

    async def recompute(self) -> None:
        """Bring the distances of k_PSS and k_PWG to the bandwidths t and rho."""
        if self._recomputing:
            # The call at work will see the new values.
            return
        if not self._outdated_widths():
            return
        self._recomputing = True
        emptying = asyncio.ensure_future(self._empty_if_slow())
        try:
            while outdated := self._outdated_widths():
                name = outdated[0]
                await self._recompute_one(self.run, name, getattr(self.widths, name))
        except SwvizError as error:
            handle_exception(error)
        except JobCancelled:
            pass
        finally:
            emptying.cancel()
            self._recomputing = False
            in_document(self._show_whether_stopped)

    async def _empty_if_slow(self) -> None:
        while True:
            await asyncio.sleep(SLOW_SECONDS)
            in_document(self._empty_outdated)

    def _empty_outdated(self) -> None:
        """Show nothing of a kernel whose bandwidth has moved on."""
        for name in self._outdated_widths():
            self._bend(POINT_KERNELS[name])

    def _show_whether_stopped(self) -> None:
        """Leave what was not computed empty, say so, and offer to go on."""
        if self.run is None or self.jobs.busy or self._recomputing:
            return
        self._empty_outdated()
        self.stopped = self._is_incomplete()
        self._describe_sample()

    async def _recompute_one(self, run: DistortionRun, name: str, value: float) -> None:
        def work(progress: Any) -> Floats:
            if name == "t":
                return scale_space_distances(run.diagrams, value, progress=progress)
            return weighted_distances(run.diagrams, run.widths, value, progress)

        found = await self.quick_jobs.run(work, title="Distances of a kernel")
        if run is self.run:
            self._computed[name] = value
            self._point_distances[name] = found
            if name not in self._outdated_widths():
                in_document(partial(self._bend, POINT_KERNELS[name]))

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
            One of ``KERNELS``.
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
            names = " and ".join(KERNELS[column][0] for column in missing)
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


def launch(function: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Start a coroutine: in a session, in a notebook, or, in a script, to its end.

    Parameters
    ----------
    function : coroutine function
    """
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        start(function)
        return
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(function())
    else:
        pn.state.execute(function)


def _drawable(distances: Floats) -> Floats:
    """Leave out what has no place on a logarithmic axis."""
    return np.where(distances > 0, distances, np.nan)
