"""Figures of the Approximation view for the pair: built once, then filled."""

from __future__ import annotations

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    NumeralTickFormatter,
    Range1d,
    Span,
)
from bokeh.plotting import figure

from swviz.app.ui.plots import new_figure
from swviz.plot.theme import ACCENT, GREY, RULE_STYLES
from swviz.studies import KinkStudy, PairStudy
from swviz.typing import Floats, Rule

SMALLEST_ERROR = 1e-4
"""In per cent: below it, errors are those of rounding, and are not drawn."""

_ANGLES = {
    -np.pi / 2: "−π/2",
    -np.pi / 4: "−π/4",
    0: "0",
    np.pi / 4: "π/4",
    np.pi / 2: "π/2",
}
_COUNT_TICKS = [1, 2, 3, 5, 10, 20, 50, 100, 200]


def new_source(*columns: str) -> ColumnDataSource:
    """Return a source with empty columns."""
    return ColumnDataSource({column: [] for column in columns})


def clear_source(source: ColumnDataSource) -> None:
    """Empty a source, unless it is empty: nothing is sent for nothing."""
    if any(len(column) for column in source.data.values()):
        source.data = {column: [] for column in source.column_names}


def legend_below(plot: figure, columns: int = 0) -> None:
    """Put the legend out of the way of the data.

    Parameters
    ----------
    plot : bokeh figure
    columns : int, default=0
        After how many entries a new row begins; never by default.
    """
    legend = plot.legend[0]
    legend.orientation = "horizontal"
    legend.background_fill_alpha = 0
    legend.border_line_alpha = 0
    legend.padding = 0
    legend.margin = 0
    legend.spacing = 10
    legend.label_standoff = 2
    legend.glyph_width = 16
    legend.click_policy = "hide"
    if columns:
        legend.ncols = columns
    plot.add_layout(legend, "below")


def count_axis(plot: figure, most: int) -> None:
    """Name the axis of M and put its ticks where people look for them.

    Parameters
    ----------
    plot : bokeh figure
    most : int
        The largest M.
    """
    ticks = [tick for tick in _COUNT_TICKS if tick <= most]
    plot.xaxis.ticker = FixedTicker(ticks=ticks)
    plot.xaxis.major_label_overrides = {tick: str(tick) for tick in ticks}
    plot.xaxis.axis_label = "number of directions M"


def set_range(axis: Range1d, low: float, high: float) -> None:
    """Set a range, and what its reset goes back to."""
    axis.update(start=low, end=high, reset_start=low, reset_end=high)


def above_rounding(percent: Floats) -> Floats:
    """Blank errors too small for a logarithmic axis.

    Returns
    -------
    ndarray of the same shape
        With NaN for them.
    """
    return np.where(percent >= SMALLEST_ERROR, percent, np.nan)


class PairFigures:
    """SW_M and its error by M, and why more directions may be worse."""

    def __init__(self) -> None:
        columns = ("M", "value", "low", "high", "error", "error_low", "error_high")
        self.curves = {rule: new_source(*columns) for rule in RULE_STYLES}
        self.now = new_source("M", "value", "error", "rule")
        self.slopes = new_source("M", "square", "root")
        self.slope_names = new_source("M", "error", "text")
        self.exact = Span(
            dimension="width", line_color=ACCENT, line_dash="dashed", line_width=1.5
        )
        self.curve_figure = self._make_curves()
        self.error_figure = self._make_errors()
        self.cost = new_source("theta", "w")
        self.bars = [new_source("left", "right", "theta", "w") for _ in range(2)]
        self.missed = [new_source("theta", "w") for _ in range(2)]
        self.cost_range = Range1d(0, 1)
        self.comb_figures = [self._make_comb(k) for k in range(2)]
        self.turned = [new_source("place", "error", "M") for _ in range(2)]
        self.places = new_source("place", "error", "M", "what")
        self.turn_figure = self._make_turns()

    # -- SW_M and its error ----------------------------------------------------------

    def _make_curves(self) -> figure:
        self.value_range = Range1d(0, 1)
        plot = new_figure(
            "sw_by_directions",
            height=290,
            x_axis_type="log",
            x_range=Range1d(0.9, 230),
            y_range=self.value_range,
            y_axis_label="SW_M",
        )
        self._draw_rules(plot, "value", "low", "high")
        plot.add_layout(self.exact)
        plot.line(
            [np.nan], [np.nan], color=ACCENT, line_dash="dashed", legend_label="exact"
        )
        self._draw_now(plot, "value")
        count_axis(plot, 200)
        legend_below(plot)
        return plot

    def _make_errors(self) -> figure:
        self.error_range = Range1d(SMALLEST_ERROR, 100)
        plot = new_figure(
            "error_by_directions",
            height=290,
            x_axis_type="log",
            y_axis_type="log",
            x_range=Range1d(0.9, 480),
            y_range=self.error_range,
            y_axis_label="error, % of SW",
        )
        for name, dash in (("square", "dashed"), ("root", "dotted")):
            plot.line(
                "M",
                name,
                source=self.slopes,
                color=GREY,
                line_dash=dash,
                line_width=1.5,
                name=f"slope, {name}",
            )
        plot.text(
            "M",
            "error",
            text="text",
            source=self.slope_names,
            text_color=GREY,
            text_font_size="12px",
            x_offset=4,
            text_baseline="middle",
            name="slopes",
        )
        self._draw_rules(plot, "error", "error_low", "error_high")
        self._draw_now(plot, "error")
        plot.yaxis.formatter = NumeralTickFormatter(format="0.[0000]")
        count_axis(plot, 200)
        legend_below(plot)
        return plot

    def _draw_rules(self, plot: figure, value: str, low: str, high: str) -> None:
        random = self.curves["random"]
        plot.varea(
            "M",
            low,
            high,
            source=random,
            color=GREY,
            alpha=0.22,
            name="random",
        )
        for rule, style in RULE_STYLES.items():
            source = self.curves[rule]
            plot.line(
                "M",
                value,
                source=source,
                color=style["color"],
                line_width=2,
                legend_label=style["name"],
                name=style["name"],
            )
            points = plot.scatter(
                "M",
                value,
                source=source,
                color=style["color"],
                size=5,
                marker=style["marker"],
                legend_label=style["name"],
                name=style["name"],
            )
            plot.add_tools(
                HoverTool(
                    renderers=[points],
                    tooltips=[
                        (style["name"], "M = @M"),
                        ("SW_M", "@value{0.00000}"),
                        ("error", "@error{0.0000} %"),
                    ],
                    visible=False,
                )
            )

    def _draw_now(self, plot: figure, value: str) -> None:
        points = plot.scatter(
            "M",
            value,
            source=self.now,
            size=13,
            fill_color=None,
            line_color=ACCENT,
            line_width=3,
            name="now",
        )
        plot.add_tools(
            HoverTool(
                renderers=[points],
                tooltips=[
                    ("now", "M = @M, @rule"),
                    ("SW_M", "@value{0.00000}"),
                    ("error", "@error{0.0000} %"),
                ],
                visible=False,
            )
        )

    def show_pair(self, study: PairStudy) -> None:
        """Fill in the curves of a pair."""
        for rule, source in self.curves.items():
            values = study.values[rule]
            errors = 100 * study.errors(rule)
            low, middle, high = np.quantile(values, (0.1, 0.5, 0.9), axis=0)
            error_low, error, error_high = np.quantile(errors, (0.1, 0.5, 0.9), axis=0)
            source.data = {
                "M": study.counts,
                "value": middle,
                "low": low,
                "high": high,
                "error": above_rounding(error),
                "error_low": np.maximum(error_low, SMALLEST_ERROR),
                "error_high": np.maximum(error_high, SMALLEST_ERROR),
            }
        self.exact.update(location=study.exact, visible=True)
        self._show_slopes(study)
        fixed = np.concatenate(
            [study.values[rule].ravel() for rule in ("paper", "diagonal")]
        )
        reach = max(np.abs(fixed - study.exact).max(), 0.05 * study.exact) or 1.0
        set_range(
            self.value_range,
            study.exact - 1.15 * reach,
            study.exact + 1.15 * reach,
        )

    def _show_slopes(self, study: PairStudy) -> None:
        counts = study.counts.astype(float)
        paper = 100 * study.errors("paper")[0]
        random = 100 * np.median(study.errors("random"), axis=0)
        # Where the tails lie in the middle: the first few M follow no slope yet.
        tail = counts >= min(8, counts[-1])
        square = np.median((paper * counts**2)[tail]) / counts**2
        root = np.median((random * counts**0.5)[tail]) / counts**0.5
        self.slopes.data = {
            "M": counts,
            "square": above_rounding(square),
            "root": above_rounding(root),
        }
        self.slope_names.data = {
            "M": [counts[-1], counts[-1]],
            "error": above_rounding(np.array([square[-1], root[-1]])),
            "text": ["1/M²", "1/√M"],
        }
        errors = above_rounding(np.concatenate([paper, random, square]))
        if np.isfinite(errors).any():
            low, high = np.nanmin(errors), np.nanmax(errors)
            set_range(self.error_range, max(SMALLEST_ERROR, low / 2), 2 * high)

    def show_now(
        self, n_directions: int, rule: Rule, value: float, exact: float
    ) -> None:
        """Mark the number of directions in use.

        Parameters
        ----------
        n_directions : int
        rule : {"paper", "diagonal", "random"}
        value, exact : float
            SW_M and SW.
        """
        error = 100 * abs(value / exact - 1) if exact else np.nan
        self.now.data = {
            "M": [n_directions],
            "value": [value],
            "error": above_rounding(np.array([error])),
            "rule": [RULE_STYLES[rule]["name"]],
        }

    def clear(self) -> None:
        """Empty all figures: what they show is of another pair."""
        sources = [
            *self.curves.values(),
            self.now,
            self.slopes,
            self.slope_names,
            self.cost,
            *self.bars,
            *self.missed,
            *self.turned,
            self.places,
        ]
        for source in sources:
            clear_source(source)
        self.exact.visible = False
        for plot in self.comb_figures:
            plot.title.text = " "

    # -- why M = 8 may be worse than M = 6 -------------------------------------------

    def _make_comb(self, k: int) -> figure:
        plot = new_figure(
            f"comb_{k + 1}",
            height=270,
            toolbar_location="below",
            x_range=Range1d(-np.pi / 2, np.pi / 2),
            y_range=self.cost_range,
            x_axis_label="direction θ",
            y_axis_label="cost of the slice W(θ)",
            title=" ",
        )
        plot.quad(
            left="left",
            right="right",
            top="w",
            bottom=0,
            source=self.bars[k],
            color=RULE_STYLES["paper"]["color"],
            alpha=0.3,
            line_color="white",
            name="directions",
        )
        curve = plot.line(
            "theta", "w", source=self.cost, color=GREY, line_width=2.5, name="W"
        )
        plot.scatter(
            "theta",
            "w",
            source=self.bars[k],
            size=7,
            marker="square",
            color=RULE_STYLES["paper"]["color"],
            name="directions",
        )
        plot.add_layout(
            Span(
                location=np.pi / 4,
                dimension="height",
                line_color=ACCENT,
                line_dash="dashed",
            )
        )
        plot.scatter(
            "theta",
            "w",
            source=self.missed[k],
            size=13,
            color=ACCENT,
            marker="x",
            line_width=3,
            name="lost direction",
        )
        plot.xaxis.ticker = FixedTicker(ticks=list(_ANGLES))
        plot.xaxis.major_label_overrides = _ANGLES
        plot.add_tools(
            HoverTool(
                renderers=[curve],
                mode="vline",
                tooltips=[("θ", "@theta{0.000}"), ("W(θ)", "@w{0.0000}")],
                visible=False,
            )
        )
        plot.title.text_font_size = "12px"
        return plot

    def _make_turns(self) -> figure:
        self.turn_range = Range1d(-10, 10)
        plot = new_figure(
            "error_by_place",
            height=270,
            toolbar_location="below",
            x_range=Range1d(-0.09, 1.09),
            y_range=self.turn_range,
            x_axis_label="where π/4 lies between two directions",
            y_axis_label="error, % of SW",
            title="The same directions, turned",
        )
        plot.add_layout(Span(location=0, dimension="width", line_color=GREY))
        for k, (source, dash) in enumerate(
            zip(self.turned, ("dashed", "solid"), strict=True)
        ):
            line = plot.line(
                "place",
                "error",
                source=source,
                color=RULE_STYLES["paper"]["color"],
                line_width=2,
                line_dash=dash,
                legend_label=f"M = {(6, 8)[k]}",
                name=f"turned {k + 1}",
            )
            plot.add_tools(
                HoverTool(
                    renderers=[line],
                    tooltips=[
                        ("M", "@M"),
                        ("place", "@place{0.00}"),
                        ("error", "@error{0.00} %"),
                    ],
                    visible=False,
                )
            )
        marks = plot.scatter(
            "place",
            "error",
            source=self.places,
            size=11,
            fill_color=None,
            line_color=ACCENT,
            line_width=3,
            name="rules",
        )
        plot.add_tools(
            HoverTool(
                renderers=[marks],
                tooltips=[("", "@what"), ("error", "@error{0.00} %")],
                visible=False,
            )
        )
        rest = 1 - (1 - 3**-0.5) / 2
        plot.add_layout(
            Span(
                location=rest,
                dimension="height",
                line_dash="dotted",
                line_width=2,
                line_color=RULE_STYLES["diagonal"]["color"],
            )
        )
        plot.line(
            [np.nan],
            [np.nan],
            line_dash="dotted",
            line_width=2,
            color=RULE_STYLES["diagonal"]["color"],
            legend_label="diagonal",
        )
        plot.xaxis.ticker = FixedTicker(ticks=[0, 0.5, 1])
        plot.xaxis.major_label_overrides = {0: "on one", 0.5: "half way", 1: "on one"}
        legend_below(plot)
        plot.title.text_font_size = "12px"
        return plot

    def show_kink(self, study: KinkStudy) -> None:
        """Fill in what two numbers of directions make of the curve W.

        Parameters
        ----------
        study : KinkStudy
            Of two.
        """
        self.cost.data = {"theta": study.angles, "w": study.costs}
        top = study.costs.max() or 1.0
        set_range(self.cost_range, -0.05 * top, 1.12 * top)
        for k, count in enumerate(study.counts):
            thetas, costs = study.sampled[k], study.sampled_costs[k]
            half = np.pi / count / 2
            self.bars[k].data = {
                "left": thetas - half,
                "right": thetas + half,
                "theta": thetas,
                "w": costs,
            }
            lost = np.isclose(thetas, np.pi / 4)
            self.missed[k].data = {"theta": thetas[lost], "w": costs[lost]}
            self.turned[k].data = {
                "place": study.offsets,
                "error": 100 * study.errors[k],
                "M": np.full(len(study.offsets), count),
            }
            error = 100 * study.paper_errors[k]
            where = "one is lost on π/4" if lost.any() else "none on π/4"
            self.comb_figures[k].title.text = (
                f"M = {count}: {error:+.1f} %, {where}"
                if np.isfinite(error)
                else f"M = {count}"
            )
        self._show_places(study)

    def _show_places(self, study: KinkStudy) -> None:
        numbers = study.counts.tolist()
        self.places.data = {
            "place": study.places,
            "error": 100 * study.paper_errors,
            "M": numbers,
            "what": [f"paper's rule, M = {count}" for count in numbers],
        }
        reach = 1.15 * np.nanmax(np.abs(np.append(study.errors, 0.01))) * 100
        set_range(self.turn_range, -reach, reach)
