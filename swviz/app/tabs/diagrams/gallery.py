"""All diagrams of a set at a glance: small planes by class, and a table."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import TapTool

from swviz import plot
from swviz.app.ui.pictures import Picture
from swviz.app.ui.theme import plot_pane, stack
from swviz.app.workspace.links import unwatch
from swviz.app.workspace.state import Workspace
from swviz.diagrams import DiagramSet

MAX_CLASSES = 12
PER_CLASS = 8
POINTS = 150
"""Of each small diagram, those of greatest persistence."""


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
        self.picture = Picture(
            _gallery,
            *self._shown(),
            filename="gallery",
            # As high as its rows are, in cells that are the same in every set.
            height=None,
            responsive="width",
            xlim=(-0.05, PER_CLASS - 0.05),
            xaxis=None,
            show_frame=False,
        )
        [cells] = self.picture.figure.select(name="diagrams")
        self.picture.figure.add_tools(TapTool(renderers=[cells]))
        self._cells = cells.data_source
        self._cells.selected.on_change("indices", self._tapped)
        self._watchers = [
            workspace.param.watch(
                self._draw, ["dataset", "dimension", "index_a", "index_b"]
            ),
        ]

    def close(self) -> None:
        """Stop following the workspace."""
        unwatch(self._watchers)

    def __panel__(self) -> pn.Column:
        return stack(self.target, plot_pane(self.picture.figure))

    def _shown(self) -> tuple[DiagramSet, int, int | None, int | None]:
        space = self.workspace
        a, b = (
            index if index < len(space.dataset) else None
            for index in (space.index_a, space.index_b)
        )
        return space.dataset, space.dimension, a, b

    def _draw(self, *_events: object) -> None:
        self.picture.show(*self._shown())

    def _tapped(self, _attribute: str, _old: object, indices: list[int]) -> None:
        if not indices:
            return
        self.choose(self._cells.data["index"][indices[0]])
        self._cells.selected.indices = []

    def choose(self, index: int) -> None:
        """Take a sample as A or B, whichever a click chooses."""
        name = "index_a" if self.target.value == "A" else "index_b"
        self.workspace.param.update(**{name: int(index)})


def _gallery(
    dataset: DiagramSet, dimension: int, a: int | None, b: int | None
) -> hv.Overlay:
    picture = plot.gallery(
        dataset,
        dimension,
        A=a,
        B=b,
        n_per_class=PER_CLASS,
        n_classes=MAX_CLASSES,
        n_points=POINTS,
    )
    low, high = picture.opts.get("plot", backend="bokeh").kwargs["ylim"]
    return picture.opts(backend="bokeh", aspect=1.1 * PER_CLASS / (high - low))


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
