"""The runs of this session, with their settings."""

from __future__ import annotations

import time
from collections.abc import Callable
from io import StringIO
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from swviz.app.runtime.settings import SETTINGS
from swviz.app.runtime.task import Task, Turn
from swviz.app.ui.tables import no_formula, table
from swviz.app.ui.theme import card
from swviz.app.workspace.state import Workspace

COLUMNS = (
    "run",
    "how",
    "test",
    "CV",
    "spread",
    "training",
    "kernel",
    "bandwidth",
    "C",
    "M",
    "rule",
    "H",
    "share",
    "seed",
    "data",
)
SETTLED_SECONDS = 1.5
"""A machine that is replaced sooner was only passed through."""


class History(pn.viewable.Viewer):
    """A table of runs that can be downloaded."""

    def __init__(
        self,
        workspace: Workspace | None = None,
        clock: Callable[[], float] = time.monotonic,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._clock = clock
        self._last: tuple[Any, float] = (None, 0.0)
        self._workspace = Workspace() if workspace is None else workspace
        self._watcher = self._workspace.param.watch(self._changed, "runs")
        self._count = _highest(self.runs)
        # A table is slow to draw: the slider goes first.
        self._showing = Task(self._show, delay=SETTLED_SECONDS)
        self.table = table(
            self.frame(),
            page_size=8,
            layout="fit_data",
            sortable=False,
        )
        self.download = pmui.FileDownload(
            callback=self.as_csv,
            filename="runs.csv",
            label="Download csv",
            size="small",
            margin=(4, 0),
        )

    def close(self) -> None:
        """Stop following the workspace."""
        self._workspace.param.unwatch(self._watcher)
        self._showing.forget()

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The session's runs, the newest first."""
        return list(self._workspace.runs)

    def __panel__(self) -> pn.Column:
        return card(
            self.table,
            self.download,
            title="Runs of this session: what was tried, and how well it did",
        )

    def add(self, group: object = None, **values: Any) -> None:
        """Add a run; the newest is on top.

        Parameters
        ----------
        group : object, optional
            Runs of one group that follow each other quickly count as one: the last.
        **values
            By name of the column.
        """
        now = self._clock()
        before, when = self._last
        self._last = (group, now)
        passed = group is not None and group == before and now - when < SETTLED_SECONDS
        runs = self.runs
        if passed and runs:
            del runs[0]
        else:
            self._count += 1
        runs = [{"run": self._count, **values}, *runs]
        self._workspace.runs = runs[: SETTINGS.history_runs]

    def _changed(self, *_events: object) -> None:
        self._count = max(self._count, _highest(self.runs))
        self._showing.request(anew=False)

    async def _show(self, turn: Turn) -> None:
        turn.show(lambda: self.table.param.update(value=self.frame()))

    def frame(self) -> pd.DataFrame:
        """Return the runs as a table."""
        blank = dict.fromkeys(COLUMNS, "")
        rows = [{**blank, **run} for run in self.runs]
        return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)

    def as_csv(self) -> StringIO:
        """Return the runs as the content of a csv file."""
        shown = self.frame().map(lambda cell: no_formula(str(cell)))
        return StringIO(shown.to_csv(index=False))


def _highest(runs: list[dict[str, Any]]) -> int:
    """Return the number of the last run; kept ones may come without."""
    numbers = [run.get("run", 0) for run in runs]
    return max((number for number in numbers if isinstance(number, int)), default=0)
