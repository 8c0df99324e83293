"""Figures of the Approximation view for the whole set: built once, then filled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bokeh.models import (
    BoxAnnotation,
    FactorRange,
    HoverTool,
    NumeralTickFormatter,
    Range1d,
    Span,
    TapTool,
)
from bokeh.plotting import figure

from swviz.app.tabs.approximation.figures import (
    SMALLEST_ERROR,
    above_rounding,
    clear_source,
    count_axis,
    legend_below,
    new_source,
    set_range,
)
from swviz.app.ui.plots import new_figure
from swviz.plot.theme import ACCENT, GREY, KERNEL_COLORS, RULE_STYLES, TIER_STYLES
from swviz.studies import SET_COUNTS, AccuracyStudy, GramTimes, RatioStudy, Tiers
from swviz.typing import Rule

_CROWDED = (2, 6, 8)
"""Numbers of directions whose marks stand too close for a word beside each."""


class SetFigures:
    """Ratios, worst errors, times, tiers and accuracies by M."""

    def __init__(self) -> None:
        self.boxes = new_source(
            "M", "lower", "quarter", "median", "three_quarters", "upper", "line"
        )
        self.outliers = new_source("M", "ratio", "a", "b", "first", "second")
        self.within = BoxAnnotation(
            bottom=0.98, top=1.02, fill_color=ACCENT, fill_alpha=0.12, line_alpha=0
        )
        self.box_figure = self._make_boxes()
        self.worst = {rule: new_source("M", "error") for rule in RULE_STYLES}
        self.enough = new_source("M", "error", "rule")
        self.tolerance = Span(
            dimension="width", location=2, line_color=ACCENT, line_dash="dashed"
        )
        self.worst_figure = self._make_worst()
        self.times = new_source("M", "milliseconds")
        self.time_figure = self._make_times()
        columns = ("micro", "error", "worst", "text", "mark", "bound")
        self.tiers = {name: new_source(*columns) for name in TIER_STYLES}
        self.tier_figure = self._make_tiers()
        self.accuracies = new_source("M", "mean", "low", "high")
        self.chance = Span(dimension="width", line_color=GREY, line_dash="dotted")
        self.accuracy_figure = self._make_accuracies()

    # -- ratios ----------------------------------------------------------------------

    def _make_boxes(self) -> figure:
        self.ratio_range = Range1d(0, 2)
        plot = new_figure(
            "ratio_by_directions",
            height=330,
            x_range=FactorRange(factors=[str(count) for count in SET_COUNTS]),
            y_range=self.ratio_range,
            x_axis_label="number of directions M",
            y_axis_label="SW_M / SW",
        )
        # Upright, or they run into one another on a phone.
        plot.xaxis.major_label_orientation = "vertical"
        plot.add_layout(self.within)
        plot.add_layout(Span(location=1, dimension="width", line_color=GREY))
        for start, end in (("upper", "three_quarters"), ("lower", "quarter")):
            plot.segment(
                "M",
                start,
                "M",
                end,
                source=self.boxes,
                color="line",
                line_width=1.5,
                name="whisker",
            )
        boxes = plot.vbar(
            x="M",
            bottom="quarter",
            top="three_quarters",
            width=0.6,
            name="box",
            source=self.boxes,
            fill_color="line",
            fill_alpha=0.35,
            line_color="line",
            line_width=1.5,
        )
        plot.scatter(
            "M",
            "median",
            source=self.boxes,
            marker="dash",
            size=16,
            color="line",
            line_width=3,
            name="median",
        )
        dots = plot.scatter(
            "M",
            "ratio",
            source=self.outliers,
            size=5,
            color=GREY,
            alpha=0.7,
            nonselection_alpha=0.7,
            hover_color=ACCENT,
            name="outlier",
        )
        plot.add_tools(
            HoverTool(
                renderers=[boxes],
                tooltips=[
                    ("M", "@M"),
                    ("median", "@median{0.0000}"),
                    ("half of the pairs", "@quarter{0.000} to @three_quarters{0.000}"),
                    ("whiskers", "@lower{0.000} to @upper{0.000}"),
                ],
                visible=False,
            ),
            HoverTool(
                renderers=[dots],
                tooltips=[
                    ("A", "@a"),
                    ("B", "@b"),
                    ("ratio", "@ratio{0.0000}"),
                    ("click", "to make it the pair above"),
                ],
                visible=False,
            ),
            TapTool(renderers=[dots], visible=False),
        )
        return plot

    def show_ratios(self, study: RatioStudy, rule: Rule, names: Sequence[str]) -> None:
        """Fill in the box plots of a rule.

        Parameters
        ----------
        study : RatioStudy
        rule : {"paper", "diagonal", "random"}
        names : sequence of str
            Of the diagrams.
        """
        boxes = study.boxes(rule)
        factors = [str(count) for count in boxes.counts]
        self.boxes.data = {
            "M": factors,
            "lower": boxes.lower,
            "quarter": boxes.quarter,
            "median": boxes.median,
            "three_quarters": boxes.three_quarters,
            "upper": boxes.upper,
            "line": [RULE_STYLES[rule]["color"]] * len(factors),
        }
        pairs = study.pairs[boxes.outliers[:, 0]]
        self.outliers.selected.indices = []
        self.outliers.data = {
            "M": [factors[column] for column in boxes.outliers[:, 1]],
            "ratio": boxes.outlier_ratios,
            "a": [names[i] for i in pairs[:, 0]],
            "b": [names[j] for j in pairs[:, 1]],
            "first": pairs[:, 0],
            "second": pairs[:, 1],
        }

    def show_now(self, n_directions: int, rule: Rule) -> None:
        """Mark the box of the number of directions in use, if it has one."""
        color = RULE_STYLES[rule]["color"]
        colors = [
            ACCENT if factor == str(n_directions) else color
            for factor in self.boxes.data["M"]
        ]
        if colors != self.boxes.data["line"]:
            self.boxes.data = {**self.boxes.data, "line": colors}

    def fit_ratios(self, study: RatioStudy) -> None:
        """Choose the range of the ratios for all rules, so that it stays."""
        usable = study.exact > 0
        reach = [
            np.abs(study.ratios(rule)[usable] - 1).max()
            for rule in ("paper", "diagonal")
            if usable.any()
        ]
        half = float(np.clip(1.1 * max(reach, default=1.0), 0.02, 1.0))
        set_range(self.ratio_range, 1 - half, 1 + half)

    def _make_worst(self) -> figure:
        self.worst_range = Range1d(0.01, 200)
        plot = new_figure(
            "worst_error_by_directions",
            height=330,
            x_axis_type="log",
            y_axis_type="log",
            x_range=Range1d(0.9, 115),
            y_range=self.worst_range,
            y_axis_label="largest error of any pair, %",
        )
        plot.add_layout(self.tolerance)
        for rule, style in RULE_STYLES.items():
            plot.line(
                "M",
                "error",
                source=self.worst[rule],
                color=style["color"],
                line_width=2,
                legend_label=style["name"],
                name=style["name"],
            )
            points = plot.scatter(
                "M",
                "error",
                source=self.worst[rule],
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
                        ("largest error", "@error{0.000} %"),
                    ],
                    visible=False,
                )
            )
        marks = plot.scatter(
            "M",
            "error",
            source=self.enough,
            size=13,
            fill_color=None,
            line_color=ACCENT,
            line_width=3,
            name="first within tolerance",
        )
        plot.add_tools(
            HoverTool(
                renderers=[marks],
                tooltips=[("@rule", "M = @M is enough"), ("error", "@error{0.000} %")],
                visible=False,
            )
        )
        plot.yaxis.formatter = NumeralTickFormatter(format="0.[0000]")
        count_axis(plot, 100)
        legend_below(plot)
        return plot

    def show_worst(self, study: RatioStudy, tolerance: float) -> None:
        """Fill in the largest errors, and where they come below a tolerance.

        Parameters
        ----------
        study : RatioStudy
        tolerance : float
            Relative.
        """
        marks: dict[str, list[object]] = {"M": [], "error": [], "rule": []}
        largest, smallest = SMALLEST_ERROR, 100.0
        for rule, source in self.worst.items():
            percent = above_rounding(100 * study.worst_errors(rule))
            source.data = {"M": study.counts, "error": percent}
            if np.isfinite(percent).any():
                largest = max(largest, np.nanmax(percent))
                smallest = min(smallest, np.nanmin(percent))
            answer = study.answer(rule, tolerance)
            if answer.n_directions is not None:
                marks["M"].append(answer.n_directions)
                marks["error"].append(max(100 * answer.worst, SMALLEST_ERROR))
                marks["rule"].append(RULE_STYLES[rule]["name"])
        self.enough.data = marks
        set_range(self.worst_range, smallest / 2, 2 * max(largest, 1e-3))
        self.show_tolerance(tolerance)

    def show_tolerance(self, tolerance: float) -> None:
        """Draw the tolerance.

        Parameters
        ----------
        tolerance : float
            Relative.
        """
        self.tolerance.location = 100 * tolerance
        self.within.update(bottom=1 - tolerance, top=1 + tolerance)

    # -- times, tiers, accuracies ----------------------------------------------------

    def _make_times(self) -> figure:
        self.time_range = Range1d(0, 1)
        plot = new_figure(
            "gram_time_by_directions",
            height=290,
            x_range=Range1d(0, 52),
            y_range=self.time_range,
            x_axis_label="number of directions M",
            y_axis_label="one Gram matrix, ms",
        )
        color = KERNEL_COLORS["k_SW"]
        plot.line(
            "M",
            "milliseconds",
            source=self.times,
            color=color,
            line_width=2,
            name="time",
        )
        points = plot.scatter(
            "M", "milliseconds", source=self.times, color=color, size=7, name="time"
        )
        plot.add_tools(
            HoverTool(
                renderers=[points],
                tooltips=[("M", "@M"), ("time", "@milliseconds{0.00} ms")],
                visible=False,
            )
        )
        return plot

    def show_times(self, times: GramTimes) -> None:
        """Fill in the times of Gram matrices."""
        milliseconds = 1e3 * times.seconds
        self.times.data = {"M": times.counts, "milliseconds": milliseconds}
        set_range(self.time_range, 0, 1.1 * float(milliseconds.max()))

    def _make_tiers(self) -> figure:
        self.micro_range, self.tier_range = Range1d(1, 1e4), Range1d(0.01, 100)
        plot = new_figure(
            "error_by_time",
            height=290,
            x_axis_type="log",
            y_axis_type="log",
            x_range=self.micro_range,
            y_range=self.tier_range,
            x_axis_label="time per pair, µs",
            y_axis_label="mean error, % of SW",
        )
        embedding = self.tiers["embedding"]
        plot.segment(
            "micro",
            "error",
            "micro",
            "bound",
            source=embedding,
            line_dash="dotted",
            color=TIER_STYLES["embedding"]["color"],
            line_width=1.5,
            name="up to it",
        )
        plot.scatter(
            "micro",
            "bound",
            source=embedding,
            marker="dash",
            size=12,
            line_width=2.5,
            color=TIER_STYLES["embedding"]["color"],
            legend_label="its bound",
            name="certified bound",
        )
        for name, style in TIER_STYLES.items():
            source = self.tiers[name]
            points = plot.scatter(
                "micro",
                "error",
                source=source,
                size=9,
                color=style["color"],
                marker=style["marker"],
                legend_label=style["label"],
                name=name,
            )
            above = name == "embedding"
            plot.text(
                "micro",
                "bound" if above else "error",
                text="mark",
                source=source,
                x_offset=0 if above else 7,
                y_offset=-5 if above else 5,
                name=name,
                text_align="center" if above else "left",
                text_font_size="10px",
                text_color=GREY,
            )
            plot.add_tools(
                HoverTool(
                    renderers=[points],
                    tooltips=[
                        (name, "@text" + " bins" * (name == "embedding")),
                        ("time per pair", "@micro{0.0} µs"),
                        ("mean error", "@error{0.0000} %"),
                        ("largest error", "@worst{0.000} %"),
                    ]
                    + [("mean bound", "@bound{0.000} %")] * (name == "embedding"),
                    visible=False,
                )
            )
        plot.yaxis.formatter = NumeralTickFormatter(format="0.[0000]")
        plot.xaxis.formatter = NumeralTickFormatter(format="0,0.[0]")
        legend = plot.legend[0]
        legend.items = [*legend.items[1:], legend.items[0]]
        legend_below(plot, columns=2)
        return plot

    def show_tiers(self, tiers: Sequence[Tiers]) -> None:
        """Fill in errors against times."""
        micro = np.concatenate([1e6 * tier.seconds for tier in tiers])
        drawn = [np.append(tier.mean_errors, tier.bounds) for tier in tiers]
        percent = 100 * np.concatenate(drawn)
        percent = percent[percent >= SMALLEST_ERROR]
        low = float(percent.min(initial=1.0)) / 3
        high = 3 * float(percent.max(initial=10.0))
        set_range(self.micro_range, micro.min() / 2, 4 * micro.max())
        set_range(self.tier_range, low, high)
        for tier in tiers:
            errors = np.maximum(100 * tier.mean_errors, 1.25 * low)
            self.tiers[tier.tier].data = {
                "micro": 1e6 * tier.seconds,
                "error": errors,
                "worst": 100 * tier.worst_errors,
                "text": [_tier_text(tier.tier, size) for size in tier.sizes],
                "mark": _marks(tier),
                "bound": 100 * tier.bounds,
            }

    def _make_accuracies(self) -> figure:
        self.size_range = FactorRange(factors=["1"])
        plot = new_figure(
            "accuracy_by_directions",
            height=290,
            x_range=self.size_range,
            y_range=Range1d(0, 103),
            x_axis_label="number of directions M",
            y_axis_label="accuracy on the test part, %",
        )
        plot.add_layout(self.chance)
        color = KERNEL_COLORS["k_SW"]
        plot.segment(
            "M",
            "low",
            "M",
            "high",
            source=self.accuracies,
            color=color,
            line_width=1.5,
            name="spread",
        )
        plot.line(
            "M", "mean", source=self.accuracies, color=color, line_width=2, name="mean"
        )
        points = plot.scatter(
            "M", "mean", source=self.accuracies, color=color, size=8, name="mean"
        )
        plot.add_tools(
            HoverTool(
                renderers=[points],
                tooltips=[
                    ("M", "@M"),
                    ("accuracy", "@mean{0.0} %"),
                    ("one standard deviation", "@low{0.0} to @high{0.0} %"),
                ],
                visible=False,
            )
        )
        return plot

    def show_accuracies(
        self, study: AccuracyStudy, sizes: Sequence[object], n_classes: int
    ) -> None:
        """Fill in accuracies.

        Parameters
        ----------
        study : AccuracyStudy
        sizes : sequence of int or "exact"
            All that will come, for the axis.
        n_classes : int
            For the line of guessing.
        """
        mean, spread = 100 * study.mean, 100 * study.spread
        self.size_range.factors = [str(size) for size in sizes]
        self.accuracies.data = {
            "M": [str(size) for size in study.sizes],
            "mean": mean,
            "low": mean - spread,
            "high": np.minimum(100, mean + spread),
        }
        self.chance.location = 100 / max(1, n_classes)

    def clear(self, part: str) -> None:
        """Empty the figures of a part: what they show is of another question."""
        sources = {
            "ratios": [self.boxes, self.outliers, self.enough, *self.worst.values()],
            "times": [self.times],
            "tiers": list(self.tiers.values()),
            "accuracies": [self.accuracies],
        }[part]
        for source in sources:
            clear_source(source)


def _marks(tier: Tiers) -> list[str]:
    """Name the points of a tier that there is room to name."""
    sizes = list(tier.sizes)
    # Embeddings take about the same time, whatever their size: the ends will do.
    crowded = sizes[1:-1] if tier.tier == "embedding" else _CROWDED
    return ["" if size in crowded else _tier_text(tier.tier, size) for size in sizes]


def _tier_text(tier: str, size: int) -> str:
    """Return what a mark stands for, in few letters."""
    return {"exact": "", "slices": f"M = {size}", "embedding": str(size)}[tier]
