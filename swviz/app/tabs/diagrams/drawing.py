"""Draw a diagram by clicking, and use it as A or B."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import ColumnDataSource, PointDrawTool

from swviz.app.runtime.settings import SETTINGS
from swviz.app.ui.plots import empty_plane
from swviz.app.ui.theme import cell, flow, grid, plot_pane
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram, as_diagram
from swviz.plot.theme import ACCENT


class DrawingBoard(pn.viewable.Viewer):
    """A plane to click points into."""

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.source = ColumnDataSource({"birth": [], "death": []})
        self._correcting = False
        plane = empty_plane(-0.05, 1.05, tools="wheel_zoom,reset", max_width=420)
        points = plane.scatter(
            "birth",
            "death",
            source=self.source,
            size=11,
            fill_color=ACCENT,
            line_color="white",
        )
        tool = PointDrawTool(renderers=[points], num_objects=SETTINGS.drawn_points)
        plane.add_tools(tool)
        plane.toolbar.active_tap = tool
        self.source.on_change("data", self._drawn)
        self._plane = plot_pane(plane, max_width=420)
        self._buttons = {
            text: pmui.Button(
                label=text, variant="outlined", size="small", margin=6, on_click=click
            )
            for text, click in (
                ("Use as A", self._use_a),
                ("Use as B", self._use_b),
                ("Start from A", self._from_a),
                ("Clear", self._clear),
            )
        }

    def __panel__(self) -> pn.Row:
        return grid(
            cell(self._plane, md=6),
            cell(
                pn.pane.Markdown(
                    "**Click** to add a point, **drag** to move it, **click** it and "
                    "press **Backspace** to remove it. A feature cannot die before it "
                    "is born: points below the diagonal are mirrored above it.",
                    sizing_mode="stretch_width",
                ),
                flow(*self._buttons.values(), gap=0),
                md=6,
            ),
        )

    @property
    def diagram(self) -> Diagram:
        """The drawn diagram."""
        return as_diagram(
            np.column_stack(
                [
                    np.asarray(self.source.data["birth"], dtype=float),
                    np.asarray(self.source.data["death"], dtype=float),
                ]
            )
        )

    def _drawn(self, _attribute: str, _old: object, data: Any) -> None:
        """Mirror points below the diagonal, and drop what is no number."""
        if self._correcting:
            return
        pairs = zip(data["birth"], data["death"], strict=False)
        usable = [pair for pair in pairs if all(_is_number(v) for v in pair)]
        points = np.sort(
            np.array(usable, dtype=float).reshape(-1, 2)[: SETTINGS.drawn_points]
        )
        self._put(points)

    def _put(self, points: np.ndarray) -> None:
        self._correcting = True
        try:
            self.source.data = {"birth": points[:, 0], "death": points[:, 1]}
        finally:
            self._correcting = False

    def _use_a(self, _event: object = None) -> None:
        self.workspace.edit(self.diagram, self.workspace.diagram_b)

    def _use_b(self, _event: object = None) -> None:
        self.workspace.edit(self.workspace.diagram_a, self.diagram)

    def _from_a(self, _event: object = None) -> None:
        self._put(self.workspace.diagram_a[: SETTINGS.drawn_points])

    def _clear(self, _event: object = None) -> None:
        self._put(np.empty((0, 2)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value))
