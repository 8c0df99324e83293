"""The Distortion view's figures: arrays in, pictures out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bokeh.models import (
    BoxSelectTool,
    ColumnDataSource,
    CustomJS,
    FixedTicker,
    GlyphRenderer,
    HoverTool,
    PrintfTickFormatter,
    Range1d,
    Scatter,
    TapTool,
)
from bokeh.plotting import figure
from numpy.typing import NDArray

from swviz.app.compat.bokeh import HIT_OF
from swviz.app.ui.plots import new_figure
from swviz.plot.theme import ACCENT, GREY, KERNEL_STYLES
from swviz.studies import DistortionConstants

Floats = NDArray[np.float64]

ORDER = ("k_sw", "k_pss", "k_pwg", "k_d1")
"""The columns in the order of legends and tables."""

SHORT = {column: text for column, (text, _, _) in KERNEL_STYLES.items()}
SHORT["k_d1"] = "Gauss(d₁)"
"""Names where there is little room."""

DISTANCES = {column: f"distance in {SHORT[column]}" for column in ORDER}
"""Names of the numbers: k alone is the kernel, k(A, B) its value, this its distance."""

COLUMNS = ("i", "j", "a", "b", "d1", "sw", *KERNEL_STYLES)
"""What is known of a pair: its places in the data set, their names, distances."""

_TOOLTIPS = [
    ("A", "@a"),
    ("B", "@b"),
    ("d₁", "@d1{0.0000}"),
    ("SW", "@sw{0.0000}"),
    *((DISTANCES[column], f"@{column}{{0.0000}}") for column in ORDER),
]

_TAP = """
const index = cb_data.source.inspected.indices[0]
if (index !== undefined) {
  // A new count, so that the same pair can be opened twice.
  tapped.data = {index: [index], count: [tapped.data.count[0] + 1]}
}
"""

_RING = (
    f"const hit_of = {HIT_OF}"
    + """
// Called for each renderer; those that are not hit must not clear the hit of another.
const {renderer} = cb_data
const index = hit_of(pairs, renderer)
const names = Object.keys(ring.data)
// The ring is the browser's own affair: the server is not told.
const draw = (tags, value) => ring.setv(
  {tags, data: Object.fromEntries(names.map((name) => [name, value(name)]))},
  {sync: false},
)
if (index === undefined) {
  if (ring.tags[0] === renderer.id) draw([], () => [])
} else if (ring.tags[1] !== index) {
  draw([renderer.id, index], (name) => [pairs.data[name][index]])
} else {
  ring.setv({tags: [renderer.id, index]}, {sync: false})
}
"""
)

_NO_RING = """
const data = Object.fromEntries(Object.keys(ring.data).map((name) => [name, []]))
ring.setv({tags: [], data}, {sync: false})
"""

_EXTREMES = (1e-12, 1e12)
"""Of the logarithmic axis, however odd the bandwidths."""


class DistortionFigures:
    """All Bokeh models of one Distortion view; methods put arrays into them.

    Attributes
    ----------
    pairs : ColumnDataSource
        One row a pair, shared by the scatter plots: what is selected in one of them is
        selected in both.
    ring : ColumnDataSource
        The pair under the pointer. It is drawn on a layer of its own: to mark it among
        thousands of dots, Bokeh would draw all of them again.
    tapped : ColumnDataSource
        The row that was clicked last.
    """

    def __init__(self) -> None:
        self.pairs = ColumnDataSource({column: [] for column in COLUMNS})
        self.ring = ColumnDataSource(
            {name: [] for name in ("d1", "sw", *KERNEL_STYLES)}
        )
        # Dots that move leave their ring behind.
        forget = CustomJS(args={"ring": self.ring}, code=_NO_RING)
        for event in ("change:data", "patching", "streaming"):
            self.pairs.js_on_change(event, forget)
        self.tapped = ColumnDataSource({"index": [-1], "count": [0]})
        self.bounds = ColumnDataSource({"x": [], "lower": [], "upper": []})
        self.observed = ColumnDataSource({"x": [], "low": [], "high": []})
        self.d1_range = Range1d(0, 1)
        self.scatter = self._make_scatter()
        self.against = self._make_against()

    # -- data -----------------------------------------------------------------------

    def clear(self) -> None:
        """Forget all pairs."""
        self.pairs.selected.indices = []
        self.pairs.data = {column: np.empty(0) for column in COLUMNS}
        empty = np.empty(0)
        self.bounds.data = {"x": empty, "lower": empty, "upper": empty}
        self.observed.data = {"x": empty, "low": empty, "high": empty}

    def add_pairs(self, rows: Mapping[str, Any]) -> None:
        """Show some more pairs.

        Parameters
        ----------
        rows : mapping of str to sequence
            All of ``COLUMNS``.
        """
        if len(self.pairs.data["d1"]):
            self.pairs.stream(dict(rows))
        else:
            self.pairs.data = dict(rows)

    def set_column(self, column: str, values: Floats) -> None:
        """Replace one of the kernels' distances, and send nothing else.

        Parameters
        ----------
        column : str
            One of ``KERNEL_STYLES``.
        values : ndarray of shape (n_pairs,)
        """
        if len(values):
            self.pairs.patch({column: [(slice(0, len(values)), values)]})

    def fit(self) -> None:
        """Choose ranges that hold all pairs, in steps, so that axes seldom move."""
        data = self.pairs.data
        for side, values in (
            (self.d1_range, data["d1"]),
            (self.against.y_range, data["sw"]),
        ):
            end = 1.05 * float(np.max(values, initial=0)) or 1.0
            side.update(start=0, end=end, reset_start=0, reset_end=end)
        shown = np.concatenate([data[column] for column in KERNEL_STYLES])
        shown = shown[shown > 0]
        if not len(shown):
            return
        # Half decades: a slider that moves a little does not move the axis.
        ends = np.log10([np.quantile(shown, 0.001), shown.max()]) * 2
        low, high = np.floor(ends[0] - 0.1) / 2, np.ceil(ends[1] + 0.1) / 2
        low, high = np.clip(10.0 ** np.array([low, high]), *_EXTREMES).tolist()
        self._set_ticks(low, high)
        self.scatter.y_range.update(
            start=low, end=high, reset_start=low, reset_end=high
        )

    def _set_ticks(self, low: float, high: float) -> None:
        """Label 1, 2, 5 of each decade: Bokeh's own ticks end at 1 going down."""
        decades = np.log10(high / low)
        mantissas: list[float] = [1, 2, 5] if decades < 3.5 else [1]
        if decades < 1.5:
            mantissas = [1, 1.5, 2, 3, 5, 7]
        # Two decades beyond the range, for those who pan.
        powers = np.arange(np.floor(np.log10(low)) - 2, np.ceil(np.log10(high)) + 2)
        ticks = np.outer(10.0**powers, mantissas).ravel()
        self.scatter.yaxis.ticker.ticks = ticks.tolist()

    def set_constants(self, constants: DistortionConstants) -> None:
        """Draw the lines of the theorems, and the observed ones."""
        # Beyond any view, however far one zooms out.
        x = np.array([0.0, 20 * self.d1_range.end])
        self.bounds.data = {
            "x": x,
            "lower": constants.lower * x,
            "upper": constants.upper * x,
        }
        if np.isfinite(constants.low):
            self.observed.data = {
                "x": x,
                "low": constants.low * x,
                "high": constants.high * x,
            }

    # -- figures --------------------------------------------------------------------

    def _make_scatter(self) -> figure:
        plot = new_figure(
            "distortion",
            height=390,
            x_range=self.d1_range,
            y_range=Range1d(1e-2, 10),
            y_axis_type="log",
            x_axis_label="diagram distance d₁ of the pair",
            y_axis_label="distance in the kernel's Hilbert space (log scale)",
        )
        for column, (_, color, marker) in KERNEL_STYLES.items():
            dots = plot.scatter(
                "d1",
                column,
                source=self.pairs,
                marker=marker,
                size=5 if column != "k_d1" else 4,
                fill_color=color,
                alpha=0.7,
                # Thousands of dots are drawn faster without outlines.
                line_color=None if column != "k_d1" else color,
                line_width=1.2,
                nonselection_alpha=0.08,
                legend_label=SHORT[column],
                name=column,
            )
            self._add_ring(plot, column, dots)
        plot.yaxis.ticker = FixedTicker(ticks=[])
        plot.yaxis.formatter = PrintfTickFormatter(format="%.3g")
        plot.ygrid.ticker = plot.yaxis[0].ticker
        self._let_choose(plot)
        legend = plot.legend[0]
        legend.orientation = "horizontal"
        legend.click_policy = "hide"
        by_name = {item.label.value: item for item in legend.items}
        legend.items = [by_name[SHORT[column]] for column in ORDER]
        legend.border_line_alpha = 0
        legend.background_fill_alpha = 0
        legend.label_text_font_size = "12px"
        legend.spacing = 6
        legend.margin = 0
        legend.padding = 2
        plot.add_layout(legend, "above")
        return plot

    def _make_against(self) -> figure:
        plot = new_figure(
            "sw-against-d1",
            height=345,
            x_range=self.d1_range,
            y_range=Range1d(0, 1),
            x_axis_label="diagram distance d₁",
            y_axis_label="SW",
        )
        plot.varea(
            "x",
            "lower",
            "upper",
            source=self.bounds,
            color=GREY,
            alpha=0.12,
            name="allowed",
        )
        for column, text in (
            ("upper", "2√2 d₁"),
            ("lower", "d₁ / 2M'"),
        ):
            plot.line(
                "x",
                column,
                source=self.bounds,
                color=GREY,
                line_width=2,
                line_dash="solid" if column == "upper" else "dashed",
                legend_label=text,
                name=column,
            )
        color = KERNEL_STYLES["k_sw"][1]
        for column in ("low", "high"):
            plot.line(
                "x",
                column,
                source=self.observed,
                color=color,
                line_dash="dotted",
                line_width=2,
                legend_label="observed",
                name=column,
            )
        dots = plot.scatter(
            "d1",
            "sw",
            source=self.pairs,
            size=5,
            fill_color=color,
            line_color=None,
            alpha=0.6,
            nonselection_alpha=0.08,
            name="sw",
        )
        self._add_ring(plot, "sw", dots)
        self._let_choose(plot)
        style_legend(plot, "bottom_right")
        return plot

    def _add_ring(self, plot: figure, column: str, dots: GlyphRenderer) -> None:
        look = {"size": 11, "fill_color": None, "line_color": ACCENT, "line_width": 2}
        glyph = Scatter(x="d1", y=column, **look)
        ring = plot.add_glyph(self.ring, glyph, level="overlay", name=f"ring-{column}")
        # A click on the legend hides both.
        dots.js_link("visible", ring, "visible")

    def _let_choose(self, plot: figure) -> None:
        """Add hovering, clicking and box selection of pairs to a scatter plot."""
        dots = [r for r in plot.renderers if r.data_source is self.pairs]
        tap = TapTool(
            renderers=dots,
            behavior="inspect",
            callback=CustomJS(args={"tapped": self.tapped}, code=_TAP),
            visible=False,
        )
        plot.add_tools(
            HoverTool(
                renderers=dots,
                tooltips=_TOOLTIPS,
                visible=False,
                limit=1,
                callback=CustomJS(
                    args={"ring": self.ring, "pairs": self.pairs}, code=_RING
                ),
            ),
            tap,
            BoxSelectTool(renderers=dots, description="Select pairs: list them below"),
        )
        plot.toolbar.active_tap = tap


def style_legend(plot: figure, location: str) -> None:
    """Put a quiet legend into a corner of a figure.

    Parameters
    ----------
    plot : bokeh figure
    location : str
        As "top_right".
    """
    plot.legend.location = location
    plot.legend.background_fill_alpha = 0.6
    plot.legend.border_line_alpha = 0
    plot.legend.label_text_font_size = "12px"
    plot.legend.padding = 4
    plot.legend.spacing = 0
