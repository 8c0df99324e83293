"""The bar of a job at work, and the list of all bars of a session."""

from __future__ import annotations

import weakref
from functools import cached_property
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import QUIET_SECONDS
from swviz.app.runtime.task import Task
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
        """Return the list of a document's page, if there is one."""
        if document is None:
            return None
        return cls._of_documents.get(document, lambda: None)()

    @property
    def titles(self) -> list[str]:
        """What the jobs at work do."""
        return [bar.title for bar in self.bars if bar.title]


_SHOWN, _HIDDEN = {"display": "flex"}, {"display": "none"}


class JobBar(pn.viewable.Viewer):
    """Progress of a task's job, with a button that cancels it."""

    text = param.String(default="", doc="What is being done, and how far it is.")

    def __init__(self, task: Task, **params: Any) -> None:
        super().__init__(**params)
        self.task = task
        self._running: RunningJobs | None = None
        self._row = pn.Row(sizing_mode="stretch_width", styles=_HIDDEN)
        task.param.watch(self._begin, "begun")
        task.param.watch(self._show, "seconds")
        task.param.watch(self._end, "busy")

    @cached_property
    def _bar(self) -> pmui.LinearProgress:
        return pmui.LinearProgress(
            variant="determinate", value=0, margin=(4, 10), sizing_mode="stretch_width"
        )

    def _parts(self) -> list[Any]:
        cancel = pmui.Button(
            label="Cancel",
            variant="outlined",
            size="small",
            on_click=lambda _event: self.task.cancel(),
        )
        words = plain_text(self.param.text)
        return [pn.Column(words, self._bar, sizing_mode="stretch_width"), cancel]

    def __panel__(self) -> pn.Row:
        return self._row

    @property
    def title(self) -> str:
        """What is being done."""
        return self.task.title

    def _begin(self, *_events: object) -> None:
        running = self._running = RunningJobs.of(pn.state.curdoc)
        if running is not None:
            running.begun.add(self.title)
            if self in running.bars:
                # The same bar at another job: those who listen have its old title.
                running.param.trigger("bars")

    def _show(self, *_events: object) -> None:
        task = self.task
        if not task.busy or not task.seconds:
            return
        is_long = task.seconds > QUIET_SECONDS
        if is_long and not self._row.objects:
            # Most jobs are over before anybody sees their bar, and a page has many.
            self._row.objects = self._parts()
        known = task.total > 0
        if self._row.objects:
            self._bar.param.update(
                variant="determinate" if known else "indeterminate",
                value=100 * task.done / task.total if known else 0,
            )
        count = f" · {task.done} of {task.total}" if known else ""
        self.text = f"{task.title}{count}{_queue(task.ahead)}"
        self._appear(is_long)

    def _end(self, *_events: object) -> None:
        if not self.task.busy:
            self._appear(False)

    def _appear(self, shown: bool) -> None:
        # By style: a change of `visible` makes Bokeh lay out every figure of the tab.
        self._row.styles = _SHOWN if shown else _HIDDEN
        running = self._running
        if running is not None and shown != (self in running.bars):
            others = [bar for bar in running.bars if bar is not self]
            running.bars = [*others, self] if shown else others


def _queue(ahead: int) -> str:
    """Say how many jobs are before one that waits for the threads of all sessions."""
    if not ahead:
        return ""
    return f" · waiting for {ahead} other job{'s' * (ahead > 1)}"
