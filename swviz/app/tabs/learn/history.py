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
from swviz.app.ui.tables import table
from swviz.app.ui.theme import card

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
        self, clock: Callable[[], float] = time.monotonic, **params: Any
    ) -> None:
        super().__init__(**params)
        self._clock = clock
        self._last: tuple[Any, float] = (None, 0.0)
        self._count = 0
        self.runs: list[dict[str, Any]] = []
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
        if passed and self.runs:
            self.runs[0] = {"run": self._count, **values}
        else:
            self._count += 1
            self.runs.insert(0, {"run": self._count, **values})
            del self.runs[SETTINGS.history_runs :]
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
        return StringIO(self.frame().to_csv(index=False))
