"""The Learn view's matrices: who is taken for whom, and who resembles whom."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from bokeh.models import HoverTool, LinearColorMapper, Range1d, TapTool
from bokeh.plotting import figure
from numpy.typing import NDArray

from swviz.app.tabs.learn.figures import (
    Floats,
    shorten,
    source,
)
from swviz.app.ui.plots import label_ticks, new_figure
from swviz.plot.images import shrink
from swviz.plot.theme import ACCENT, GREY, SEQUENTIAL, SHADE


class ClassTicks:
    """Names of classes on both axes, sent to the browser only when they change.

    Parameters
    ----------
    most : int
        Characters of a name.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._shown: tuple[Any, Any] = ((), ())

    def set(self, places: list[float], names: list[str], plot: figure) -> None:
        """Write names at places."""
        if (places, names) == self._shown:
            return
        self._shown = places, names
        short = [shorten(name, self._most) for name in names]
        for axis in (plot.xaxis, plot.yaxis):
            label_ticks(axis, dict(zip(places, short, strict=True)))


class ConfusionFigure:
    """Test samples by true and predicted class; a cell can be tapped."""

    def __init__(self) -> None:
        self.cells = source(
            *("x", "y", "count", "share", "shade", "text", "ink", "true", "said")
        )
        self.chosen = source("x", "y")
        plot = new_figure(
            "confusion",
            tools="",
            x_range=Range1d(-0.5, 1.5),
            y_range=Range1d(1.5, -0.5),
            x_axis_label="predicted class",
            y_axis_label="true class",
            sizing_mode="scale_width",
            aspect_ratio=1.15,
        )
        plot.grid.visible = False
        plot.outline_line_color = None
        plot.xaxis.major_label_orientation = 0.5
        self.boxes = plot.rect(
            "x",
            "y",
            width=0.94,
            height=0.94,
            source=self.cells,
            # Over the paper, which is white or dark: an empty cell is neither.
            fill_color=SHADE,
            fill_alpha="shade",
            line_color=GREY,
            line_alpha=0.5,
            hover_line_color=GREY,
            hover_line_width=3,
            nonselection_fill_alpha="shade",
            nonselection_line_alpha=0.5,
            name="cells",
        )
        plot.text(
            "x",
            "y",
            text="text",
            source=self.cells,
            text_align="center",
            text_baseline="middle",
            text_color="ink",
            text_font_size="14px",
            text_font_style="bold",
            nonselection_text_alpha=1.0,
        )
        plot.rect(
            "x",
            "y",
            width=0.94,
            height=0.94,
            source=self.chosen,
            fill_color=None,
            line_color=ACCENT,
            line_width=3,
        )
        plot.add_tools(
            TapTool(renderers=[self.boxes]),
            HoverTool(
                renderers=[self.boxes],
                tooltips=[
                    ("true class", "@true"),
                    ("predicted", "@said"),
                    ("diagrams", "@count"),
                    ("of this class", "@share{0%}"),
                ],
            ),
        )
        self._ticks = ClassTicks(14)
        self.plot = plot

    def show(self, confusion: NDArray[np.intp], classes: NDArray[Any]) -> None:
        """Fill in the counts."""
        count = len(classes)
        rows, columns = np.indices((count, count)).reshape(2, -1)
        number = confusion.ravel()
        share = (
            confusion / np.maximum(confusion.sum(axis=1, keepdims=True), 1)
        ).ravel()
        names = [str(label) for label in classes]
        cells = {
            "x": columns.tolist(),
            "y": rows.tolist(),
            "count": number.tolist(),
            "share": share.tolist(),
            "shade": (0.95 * share).tolist(),
            "text": [str(n) if count <= 20 else "" for n in number],
            "ink": np.where(share > 0.4, "#FFFFFF", GREY).tolist(),
            "true": [names[k] for k in rows],
            "said": [names[k] for k in columns],
        }
        # What has not changed is not painted again.
        if self.cells.data != cells:
            self.cells.data = cells
        self.plot.x_range.update(start=-0.5, end=count - 0.5)
        self.plot.y_range.update(start=count - 0.5, end=-0.5)
        few = count <= 20
        self._ticks.set(
            list(range(count)) if few else [], names if few else [], self.plot
        )

    def mark(self, cell: tuple[int, int] | None) -> None:
        """Frame the cell whose diagrams are listed."""
        at = [] if cell is None else [cell]
        self.chosen.data = {"x": [c for _, c in at], "y": [r for r, _ in at]}

    def clear(self) -> None:
        """Draw nothing."""
        self.cells.data = {key: [] for key in self.cells.data}
        self.mark(None)


class GramFigure:
    """The Gram matrix, ordered by class: blocks are classes that hold together."""

    def __init__(self) -> None:
        self.image = source("image", "dw", "dh")
        self.borders = source("at", "end")
        plot = new_figure(
            "gram",
            tools="",
            x_range=Range1d(0, 1),
            y_range=Range1d(1, 0),
            sizing_mode="scale_width",
            aspect_ratio=1.1,
            x_axis_label="diagram, ordered by class",
        )
        plot.grid.visible = False
        self.mapper = LinearColorMapper(palette=SEQUENTIAL, low=0, high=255)
        drawn = plot.image(
            "image",
            0,
            0,
            "dw",
            "dh",
            source=self.image,
            color_mapper=self.mapper,
            name="gram",
        )
        for x, y in (("at", "end"), ("end", "at")):
            plot.segment(
                "at" if x == "at" else 0,
                0 if x == "at" else "at",
                x,
                y,
                source=self.borders,
                line_color="#FFFFFF",
                line_width=1.5,
            )
        plot.add_tools(
            HoverTool(renderers=[drawn], tooltips=[("row, column", "$y{0}, $x{0}")])
        )
        plot.xaxis.major_label_orientation = 0.5
        self._ticks = ClassTicks(10)
        self.plot = plot

    def show(self, gram: Floats, labels: NDArray[Any] | None) -> None:
        """Draw a Gram matrix."""
        count = len(gram)
        order = np.arange(count)
        edges: list[int] = []
        names: list[str] = []
        if labels is not None:
            order = np.argsort(labels, kind="stable")
            classes, sizes = np.unique(labels, return_counts=True)
            edges = np.cumsum(sizes).tolist()
            names = [str(label) for label in classes]
        small = shrink(gram[np.ix_(order, order)])
        high = max(float(gram.max()), 1e-300)
        # The darkest is the largest value: 1, but for k_PSS.
        levels = np.clip(255 * small / high, 0, 255).astype(np.uint8)
        # Bokeh draws the first row at the lower end of the axis, which is on top here.
        # C does not change it: then it is not painted again.
        shown = self.image.data
        if shown["dw"] != [count] or not np.array_equal([levels], shown["image"]):
            self.image.data = {"image": [levels], "dw": [count], "dh": [count]}
        borders = {"at": edges[:-1], "end": [count] * len(edges[:-1])}
        if self.borders.data != borders:
            self.borders.data = borders
        self.plot.x_range.update(start=0, end=count)
        self.plot.y_range.update(start=count, end=0)
        middles = [(a + b) / 2 for a, b in pairwise([0, *edges])]
        few = len(names) <= 12
        self._ticks.set(middles if few else [], names if few else [], self.plot)

    def clear(self) -> None:
        """Draw nothing."""
        self.image.data = {"image": [], "dw": [], "dh": []}
        self.borders.data = {"at": [], "end": []}
