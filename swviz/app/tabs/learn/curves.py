"""The Learn view's curves: accuracy against σ, C and M; the permutation test."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    HoverTool,
    LinearColorMapper,
    Range1d,
    Span,
    TapTool,
)
from bokeh.plotting import figure

from swviz.app.tabs.learn.figures import source
from swviz.app.ui.plots import label_ticks, new_figure
from swviz.learning import GridScores, MMDResult
from swviz.plot.theme import ACCENT, GREY, LINE_STYLES, SEQUENTIAL
from swviz.studies import CurvePoint

LINES = {column: color for column, (_, color, _) in LINE_STYLES.items()}
_DASHES = {column: dash for column, (_, _, dash) in LINE_STYLES.items()}
_BINS = 40

CURVE_LEGEND = (
    ("training", "╍", LINES["train"]),
    ("cross-validated", "━", LINES["cv"]),
    ("test", "┅", LINES["test"]),
)
GRID_LEGEND = (("best", "☆", GREY), ("now", "▣", ACCENT))
PERMUTATION_LEGEND = (("by chance", "■", GREY), ("these two classes", "┃", ACCENT))
"""Legends of the figures, for their cards: name, mark and colour."""


class CurveFigure:
    """Accuracies along a logarithmic axis, with a cursor at the present value.

    Parameters
    ----------
    filename : str
    label : str
        Of the axis.
    low, high : float
        Range of the axis.
    tall : int
        Height in pixels.
    """

    def __init__(
        self, filename: str, label: str, low: float, high: float, tall: int
    ) -> None:
        self.points = source("value", "train", "cv", "test", "low", "high")
        plot = new_figure(
            filename,
            tools="",
            height=tall,
            x_axis_type="log",
            x_range=Range1d(low, high),
            y_range=Range1d(-0.03, 1.05),
            x_axis_label=label,
            y_axis_label="accuracy",
        )
        plot.varea(
            "value",
            "low",
            "high",
            source=self.points,
            fill_color=LINES["cv"],
            fill_alpha=0.16,
        )
        for column, color in LINES.items():
            plot.line(
                "value",
                column,
                source=self.points,
                line_color=color,
                line_width=2.2,
                line_dash=_DASHES[column],
                name=column,
            )
        dots = plot.scatter(
            "value",
            "cv",
            source=self.points,
            size=6,
            color=LINES["cv"],
            nonselection_fill_alpha=1.0,
        )
        # On a layer of its own: a moving line must not draw all curves again.
        self.cursor = Span(
            dimension="height",
            line_color=ACCENT,
            line_width=2.2,
            level="overlay",
            location=1.0,
        )
        self.chance = Span(
            dimension="width", line_color=GREY, line_dash="dashed", location=0.5
        )
        plot.add_layout(self.chance)
        plot.add_layout(self.cursor)
        plot.yaxis.ticker = [0, 0.25, 0.5, 0.75, 1]
        plot.yaxis.major_label_overrides = {
            value: f"{100 * value:.0f} %" for value in (0, 0.25, 0.5, 0.75, 1)
        }
        plot.add_tools(
            TapTool(renderers=[dots]),
            HoverTool(
                renderers=[dots],
                mode="vline",
                tooltips=_curve_tooltips(label),
                formatters={"@value": "printf"},
            ),
        )
        self.plot = plot

    def set_axis(self, label: str, low: float, high: float) -> None:
        """Use another axis.

        Parameters
        ----------
        label : str
        low, high : float
            Its range.
        """
        self.plot.xaxis.axis_label = label
        self.plot.x_range.update(start=low, end=high)
        self.plot.select_one(HoverTool).tooltips = _curve_tooltips(label)

    def show(self, points: Sequence[CurvePoint]) -> None:
        """Draw accuracies."""
        if not len(points) and not len(self.points.data["value"]):
            return
        value, train, test, cv, spread = (
            np.array([[p.value, p.train, p.test, p.cv, p.spread] for p in points])
            .reshape(-1, 5)
            .T
        )
        self.points.data = {
            "value": value,
            "train": train,
            "cv": cv,
            "test": test,
            "low": np.maximum(cv - spread, 0),
            "high": np.minimum(cv + spread, 1),
        }

    def mark(self, value: float) -> None:
        """Move the cursor."""
        self.cursor.location = value

    def set_chance(self, share: float) -> None:
        """Draw the accuracy of always guessing the most frequent class."""
        self.chance.location = share


class GridFigure:
    """Cross-validated accuracy over bandwidths and C; a cell can be tapped."""

    def __init__(self) -> None:
        self.cells = source("x", "y", "mean", "spread", "scale", "C")
        self.now, self.best = source("x", "y"), source("x", "y")
        self.scales: np.ndarray = np.empty(0)
        self.costs: np.ndarray = np.empty(0)
        plot = new_figure(
            "grid",
            tools="",
            height=290,
            x_range=Range1d(-0.5, 14.5),
            y_range=Range1d(-0.5, 6.5),
            x_axis_label="σ",
            y_axis_label="C",
        )
        plot.grid.visible = False
        plot.xaxis.major_label_orientation = 0.9
        mapper = LinearColorMapper(
            palette=SEQUENTIAL, low=0, high=1, nan_color="rgba(131,147,160,0.15)"
        )
        self.boxes = plot.rect(
            "x",
            "y",
            width=0.96,
            height=0.94,
            source=self.cells,
            line_color=None,
            fill_color={"field": "mean", "transform": mapper},
            hover_line_color=GREY,
            hover_line_width=3,
            nonselection_fill_alpha=1.0,
            name="cells",
        )
        plot.scatter(
            "x",
            "y",
            source=self.best,
            marker="star",
            size=13,
            fill_color="#FFFFFF",
            line_color="#101010",
            name="best",
        )
        plot.rect(
            "x",
            "y",
            width=0.96,
            height=0.94,
            source=self.now,
            fill_color=None,
            line_color=ACCENT,
            line_width=3,
            name="now",
        )
        plot.add_tools(
            TapTool(renderers=[self.boxes]),
            HoverTool(
                renderers=[self.boxes],
                tooltips=_grid_tooltips("σ"),
                formatters={"@scale": "printf"},
            ),
        )
        self.plot = plot

    def show(self, grid: GridScores, name: str, finished: bool) -> None:
        """Draw scores, also unfinished ones.

        Parameters
        ----------
        grid : GridScores
        name : str
            Of the bandwidth.
        finished : bool
            Whether a best cell can be named.
        """
        self.scales = np.array([next(iter(s.values())) for s in grid.settings])
        self.costs = np.asarray(grid.C)
        x, y = np.indices(grid.mean.shape).reshape(2, -1)
        self.cells.data = {
            "x": x,
            "y": y,
            "mean": grid.mean.ravel(),
            "spread": grid.spread.ravel(),
            "scale": self.scales[x],
            "C": self.costs[y],
        }
        best = [grid.best] if finished else []
        self.best.data = {"x": [i for i, _ in best], "y": [j for _, j in best]}
        self.plot.x_range.update(end=len(self.scales) - 0.5)
        self.plot.y_range.update(end=len(self.costs) - 0.5)
        self.plot.xaxis.axis_label = name
        self.plot.select_one(HoverTool).tooltips = _grid_tooltips(name)
        for axis, values in (
            (self.plot.xaxis, self.scales),
            (self.plot.yaxis, self.costs),
        ):
            label_ticks(axis, {k: f"{v:.2g}" for k, v in enumerate(values)})

    def mark(self, scale: float, C: float) -> None:
        """Frame the cell nearest to the present setting."""
        if not len(self.scales):
            return
        x, y = (
            int(np.argmin(np.abs(np.log(values) - np.log(value))))
            for values, value in ((self.scales, scale), (self.costs, C))
        )
        self.now.data = {"x": [x], "y": [y]}

    def clear(self) -> None:
        """Draw nothing."""
        self.scales = self.costs = np.empty(0)
        self.cells.data = {key: [] for key in self.cells.data}
        for where in (self.now, self.best):
            where.data = {"x": [], "y": []}


class PermutationFigure:
    """Histogram of the statistic under random exchanges, and where it really is."""

    def __init__(self) -> None:
        self.bars = ColumnDataSource({"left": [], "right": [], "top": []})
        self.statistic = source("x", "y0", "y1")
        plot: figure = new_figure(
            "mmd",
            tools="",
            height=230,
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            x_axis_label="MMD² with labels exchanged",
            y_axis_label="permutations",
        )
        bars = plot.quad(
            left="left",
            right="right",
            bottom=0,
            top="top",
            source=self.bars,
            fill_color=GREY,
            fill_alpha=0.45,
            line_color=GREY,
            line_alpha=0.6,
        )
        plot.segment(
            "x",
            "y0",
            "x",
            "y1",
            source=self.statistic,
            line_color=ACCENT,
            line_width=3,
        )
        plot.add_tools(
            HoverTool(
                renderers=[bars],
                tooltips=[
                    ("MMD²", "@left{0.0000} to @right{0.0000}"),
                    ("permutations", "@top"),
                ],
            )
        )
        self.plot = plot

    def show(self, result: MMDResult | None) -> None:
        """Draw a test, or nothing."""
        if result is None:
            self.bars.data = {"left": [], "right": [], "top": []}
            self.statistic.data = {"x": [], "y0": [], "y1": []}
            return
        largest = float(max(result.permutations.max(), result.statistic)) or 1.0
        counts, edges = np.histogram(
            result.permutations, _BINS, range=(0, 1.02 * largest)
        )
        self.bars.data = {"left": edges[:-1], "right": edges[1:], "top": counts}
        top = 1.1 * float(counts.max())
        self.statistic.data = {"x": [result.statistic], "y0": [0], "y1": [top]}
        self.plot.x_range.update(start=0, end=1.06 * largest)
        self.plot.y_range.update(start=0, end=top)


def _curve_tooltips(label: str) -> list[tuple[str, str]]:
    return [
        (label.split(",")[0], "@value{%.3g}"),
        ("training", "@train{0.0%}"),
        ("cross-validated", "@cv{0.0%}"),
        ("test", "@test{0.0%}"),
    ]


def _grid_tooltips(letter: str) -> list[tuple[str, str]]:
    return [
        (letter, "@scale{%.3g}"),
        ("C", "@C"),
        ("accuracy", "@mean{0.0%} ± @spread{0.0%}"),
    ]
