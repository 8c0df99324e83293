"""The bar of a job at work, and the list of all bars of a session."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import QUIET_SECONDS, Job
from swviz.app.ui.theme import plain_text


class RunningJobs(param.Parameterized):
    """The bars of a session whose jobs are at work, in whichever tab they are."""

    bars = param.List(default=[], doc="Those that are at work for more than a moment.")

    # Weak, too: bars know their document, which would never be freed.
    _of_documents: ClassVar[
        weakref.WeakKeyDictionary[Any, weakref.ref[RunningJobs]]
    ] = weakref.WeakKeyDictionary()

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.begun: set[str] = set()
        if pn.state.curdoc is not None:
            self._of_documents[pn.state.curdoc] = weakref.ref(self)

    @classmethod
    def of(cls, document: Any) -> RunningJobs | None:
        """Return the list of a document's page, if there is one.

        Parameters
        ----------
        document : bokeh.document.Document or None

        Returns
        -------
        RunningJobs or None
        """
        if document is None:
            return None
        return cls._of_documents.get(document, lambda: None)()

    @property
    def titles(self) -> list[str]:
        """What the jobs at work do."""
        return [bar.title for bar in self.bars if bar.title]


_SHOWN, _HIDDEN = {"display": "flex"}, {"display": "none"}


class JobBar(pn.viewable.Viewer):
    """Progress of the job at work, with a button that cancels it.

    Views run their jobs through :meth:`run`; a new job replaces the old one.
    """

    busy = param.Boolean(default=False, doc="Whether a job is running.")
    title = param.String(default="", doc="What is being done.")
    text = param.String(default="", doc="What is being done, and how far it is.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.job: Job | None = None
        self._started = 0.0
        self._running: RunningJobs | None = None
        self._text = plain_text(self.param.text)
        self._bar = pmui.LinearProgress(
            variant="determinate", value=0, margin=(4, 10), sizing_mode="stretch_width"
        )
        self._cancel = pmui.Button(
            label="Cancel", variant="outlined", size="small", on_click=self.cancel
        )
        self._row = pn.Row(
            pn.Column(self._text, self._bar, sizing_mode="stretch_width"),
            self._cancel,
            sizing_mode="stretch_width",
            styles=_HIDDEN,
        )

    def __panel__(self) -> pn.Row:
        return self._row

    def cancel(self, _event: object = None) -> None:
        """Stop the running job, if there is one."""
        if self.job is not None:
            self.job.cancel()

    async def run(
        self,
        function: Callable[..., Any],
        key: str | None = None,
        title: str = "",
        urgent: bool = False,
    ) -> Any:
        """Run a function as a job and show how far it is.

        Parameters
        ----------
        function : callable
            Takes `progress`; see :class:`Job`.
        key : str, optional
            From :func:`digest`.
        title : str, default=""
            What is being done, for the line above the bar.
        urgent : bool, default=False
            Whether other jobs rest meanwhile.

        Returns
        -------
        object
            What the function returned; :class:`JobCancelled` is raised if it was
            stopped.
        """
        self.cancel()
        job = self.job = Job(function, key, urgent)
        self.title = title
        self._running = RunningJobs.of(pn.state.curdoc)
        if self._running is not None:
            self._running.begun.add(title)
            if self in self._running.bars:
                # The same bar at another job: those who listen have its old title.
                self._running.param.trigger("bars")
        self._started = asyncio.get_running_loop().time()
        self.busy = True
        try:
            return await job.run(self._show)
        finally:
            if self.job is job:
                self.job, self.busy = None, False
                self._appear(False)

    def _show(self) -> None:
        job = self.job
        if job is None:
            return
        known = job.total > 0
        self._bar.param.update(
            variant="determinate" if known else "indeterminate",
            value=100 * job.done / job.total if known else 0,
        )
        count = f" · {job.done} of {job.total}" if known else ""
        self.text = f"{self.title}{count}"
        elapsed = asyncio.get_running_loop().time() - self._started
        self._appear(elapsed > QUIET_SECONDS)

    def _appear(self, shown: bool) -> None:
        # By style: a change of `visible` makes Bokeh lay out every figure of the tab.
        self._row.styles = _SHOWN if shown else _HIDDEN
        running = self._running
        if running is not None and shown != (self in running.bars):
            others = [bar for bar in running.bars if bar is not self]
            running.bars = [*others, self] if shown else others
