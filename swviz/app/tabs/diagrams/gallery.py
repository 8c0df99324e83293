"""All diagrams of a set at a glance: small planes by class, and a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import ColumnDataSource, HoverTool, Range1d, TapTool
from bokeh.plotting import figure

from swviz.app.ui.plots import label_ticks, plane_range
from swviz.app.ui.theme import plot_pane, stack
from swviz.app.workspace.links import unwatch
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram, DiagramSet
from swviz.plot.theme import GREY, STYLES

MAX_CLASSES = 12
PER_CLASS = 8
POINTS = 150
"""Of each small diagram, those of greatest persistence."""

_CELL = ("x", "y", "index", "name", "points")


class Gallery(pn.viewable.Viewer):
    """Small planes, a row for each class; a click takes one as A or as B."""

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.target = pmui.RadioButtonGroup(
            label="A click on a diagram chooses",
            options=["A", "B"],
            value="A",
            size="small",
        )
        # Made once and shown other data: a figure that is replaced while its sources
        # change leaves the browser with references to nothing.
        self._cells = ColumnDataSource({key: [] for key in _CELL})
        self._frames = {name: ColumnDataSource({"x": [], "y": []}) for name in "AB"}
        self._diagonals = ColumnDataSource(
            {key: [] for key in ("x0", "y0", "x1", "y1")}
        )
        self._points = ColumnDataSource({"x": [], "y": []})
        self.plot = self._make_plot()
        self._draw()
        self._cells.selected.on_change("indices", self._tapped)
        self._watchers = [
            workspace.param.watch(self._draw, ["dataset", "dimension"]),
            workspace.param.watch(self._mark, ["index_a", "index_b"]),
        ]

    def close(self) -> None:
        """Stop following the workspace."""
        unwatch(self._watchers)

    def __panel__(self) -> pn.Column:
        pane = plot_pane(self.plot)
        return stack(self.target, pane)

    def _make_plot(self) -> figure:
        plot = figure(
            x_range=Range1d(-0.02, PER_CLASS),
            y_range=Range1d(-0.02, 1.02),
            sizing_mode="scale_width",
            tools="",
            toolbar_location=None,
        )
        plot.xaxis.visible = False
        plot.grid.visible = False
        plot.outline_line_color = None
        plot.yaxis.axis_line_color = plot.yaxis.major_tick_line_color = None
        boxes = plot.rect(
            "x",
            "y",
            width=0.9,
            height=0.9,
            source=self._cells,
            fill_color=GREY,
            fill_alpha=0.07,
            line_color=GREY,
            line_alpha=0.5,
            nonselection_fill_alpha=0.07,
            nonselection_line_alpha=0.5,
            hover_fill_alpha=0.25,
        )
        plot.segment(
            "x0",
            "y0",
            "x1",
            "y1",
            source=self._diagonals,
            line_color=GREY,
            line_alpha=0.6,
        )
        plot.scatter(
            "x", "y", source=self._points, size=3.5, color=GREY, line_color=None
        )
        for name in ("B", "A"):
            plot.rect(
                "x",
                "y",
                width=0.9,
                height=0.9,
                source=self._frames[name],
                fill_color=None,
                line_color=STYLES[name]["fill_color"],
                line_width=3.0,
                name=name,
            )
        plot.add_tools(
            TapTool(renderers=[boxes]),
            HoverTool(
                renderers=[boxes],
                tooltips=[("sample", "@name"), ("points", "@points")],
                point_policy="follow_mouse",
            ),
        )
        return plot

    def _draw(self, *_events: object) -> None:
        space = self.workspace
        shown = by_class(space.dataset)
        diagrams = space.dataset.in_dimension(space.dimension)
        chosen = [index for _, row in shown for index in row]
        low, high = plane_range(*[diagrams[index] for index in chosen])
        rows = len(shown)
        self.plot.update(aspect_ratio=1.1 * PER_CLASS / rows)
        self.plot.y_range.update(start=-0.02, end=rows + 0.02)
        # One label for each row of small planes, in its middle.
        labels = {
            rows - 1 - place + 0.45: title for place, (title, _) in enumerate(shown)
        }
        label_ticks(self.plot.yaxis, labels)
        cells: dict[str, list[Any]] = {key: [] for key in _CELL}
        points = [np.empty((0, 2))]
        for place, (_, row) in enumerate(shown):
            for column, index in enumerate(row):
                x, y = float(column), float(rows - 1 - place)
                cells["x"].append(x + 0.45)
                cells["y"].append(y + 0.45)
                cells["index"].append(index)
                cells["name"].append(space.dataset.names[index])
                cells["points"].append(len(diagrams[index]))
                scaled = 0.9 * (strongest(diagrams[index]) - low) / (high - low)
                points.append(scaled + np.array([x, y]))
        self._cells.data = cells
        corners = np.array([cells["x"], cells["y"]]) - 0.45
        (x0, y0), (x1, y1) = corners, corners + 0.9
        self._diagonals.data = {"x0": x0, "y0": y0, "x1": x1, "y1": y1}
        where = np.concatenate(points)
        self._points.data = {"x": where[:, 0], "y": where[:, 1]}
        self._mark()

    def _mark(self, *_events: object) -> None:
        places = {index: k for k, index in enumerate(self._cells.data["index"])}
        for name, index in (
            ("A", self.workspace.index_a),
            ("B", self.workspace.index_b),
        ):
            at = [places[index]] if index in places else []
            self._frames[name].data = {
                axis: [self._cells.data[axis][k] for k in at] for axis in "xy"
            }

    def _tapped(self, _attribute: str, _old: object, indices: list[int]) -> None:
        if not indices:
            return
        self.choose(self._cells.data["index"][indices[0]])
        self._cells.selected.indices = []

    def choose(self, index: int) -> None:
        """Take a sample as A or B, whichever a click chooses."""
        name = "index_a" if self.target.value == "A" else "index_b"
        self.workspace.param.update(**{name: int(index)})


def by_class(dataset: DiagramSet) -> list[tuple[str, list[int]]]:
    """Return the first samples of the first classes.

    Returns
    -------
    list of (str, list of int)
        The name of the class, and the samples to show. Without classes all samples
        share the rows.
    """
    if dataset.labels is None or not len(dataset):
        indices = list(range(min(len(dataset), 3 * PER_CLASS)))
        rows = [indices[k : k + PER_CLASS] for k in range(0, len(indices), PER_CLASS)]
        return [("", row) for row in rows] or [("", [])]
    return [
        (name, np.flatnonzero(dataset.labels == label)[:PER_CLASS].tolist())
        for name, label in zip(
            dataset.class_names[:MAX_CLASSES], dataset.classes, strict=False
        )
    ]


def strongest(diagram: Diagram, count: int = POINTS) -> Diagram:
    """Return the points of greatest persistence."""
    return diagram[np.argsort(diagram[:, 0] - diagram[:, 1], kind="stable")[:count]]


def summary_table(dataset: DiagramSet, dimension: int) -> pd.DataFrame:
    """Count the points of every diagram and measure their persistence.

    Returns
    -------
    DataFrame
        A row per sample.
    """
    lengths = [d[:, 1] - d[:, 0] for d in dataset.in_dimension(dimension)]
    table = {"sample": list(dataset.names)}
    if dataset.labels is not None:
        table["class"] = [str(label) for label in dataset.labels]
    return pd.DataFrame(
        {
            **table,
            "points": [len(length) for length in lengths],
            "total persistence": [float(length.sum()) for length in lengths],
            "longest": [float(length.max(initial=0.0)) for length in lengths],
            "median": [
                float(np.median(length)) if len(length) else 0.0 for length in lengths
            ],
        }
    )
