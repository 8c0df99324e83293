"""The Bokeh models of the Slices view: sources, figures, slider and button."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import (
    Column,
    ColumnDataSource,
    Div,
    FixedTicker,
    Glyph,
    GlyphRenderer,
    HoverTool,
    Line,
    Patch,
    PointDrawTool,
    Quad,
    Range1d,
    Row,
    Scatter,
    Segment,
    Slider,
    Slope,
    Span,
    Toggle,
)
from bokeh.plotting import figure
from numpy.typing import NDArray

from swviz.app.plots import add_downloads, place_legend
from swviz.app.theme import ACCENT, GREY, STYLES

Floats = NDArray[np.float64]

COLORS = [STYLES["A"]["fill_color"], STYLES["B"]["fill_color"]]
MOVING = "overlay"
"""Layer of what turns with the line. Bokeh paints it apart: axes, grids and points
that stay are not painted anew in every frame, which is most of the work."""

ANGLE_TICKS = {-np.pi / 2: "−π/2", -np.pi / 4: "−π/4", 0: "0", np.pi / 4: "π/4",
               np.pi / 2: "π/2"}  # fmt: skip
STATS = {
    "approximate": ("SW<sub>M</sub>", "M directions"),
    "exact": ("SW", "exact"),
    "ratio": ("SW<sub>M</sub> / SW", "1 is perfect"),
    "slice": ("W(θ)", "this slice"),
    "d1": ("d<sub>1</sub>", "optimal matching"),
    "kernel": ("k<sub>SW</sub>", "exp(−SW / 2σ²)"),
}
_STAT = (
    '<div style="font:13px/20px system-ui,sans-serif;height:20px;opacity:0.75">{label}'
    "</div>"
    '<div style="font:700 clamp(16px,1.7vw,22px) system-ui,sans-serif;color:{color}" '
    'class="value">{{value}}</div>'
    '<div style="font:11px system-ui,sans-serif;opacity:0.75">{note}</div>'
)


def _source(*columns: str) -> ColumnDataSource:
    return ColumnDataSource({column: [] for column in columns})


def _draw(
    plot: figure, source: ColumnDataSource, glyph: Glyph, **options: Any
) -> GlyphRenderer:
    """Add a layer that nobody selects: one glyph, where methods of `figure` make four.

    Every model less makes the page open sooner.
    """
    return plot.add_glyph(source, glyph, nonselection_glyph=None, **options)


class SliceModels:
    """Sources, figures and widgets of one Slices view, still empty."""

    ray_colors = COLORS

    def __init__(self) -> None:
        self.curve_angles = np.linspace(-np.pi / 2, np.pi / 2, 181)
        self.a, self.b = _source("birth", "death"), _source("birth", "death")
        self.diagonal_a, self.diagonal_b = _source("x", "y"), _source("x", "y")
        self.line = _source("x", "y")
        self.rays = _source("x", "y"), _source("x", "y")
        self.own = {name: _source("t", "y") for name in "AB"}
        self.middle = {name: _source("t", "y") for name in "AB"}
        self.links = _source("x", "y")
        self.steps = _source("t", "g")
        self.curve = ColumnDataSource(
            {"theta": self.curve_angles, "w": np.zeros(len(self.curve_angles))}
        )
        self.sampled = _source("theta")
        self.bars = _source("left", "right", "theta", "top")
        self.cursor = _source("theta", "w", "low")
        self.polar, self.polar_cursor = _source("x", "y"), _source("x", "y")
        self.matching = _source("x0", "y0", "x1", "y1")
        self.segments = _source("x0", "y0", "x1", "y1", "color", "weight")
        self.truth = ColumnDataSource({"exact": [0.0], "d1": [0.0], "version": [0]})
        self.frame = ColumnDataSource(
            {"anchor": [0.0], "radius": [1.0], "sigma": [1.0]}
        )
        self.mirror = _source("birth", "death", "which")
        self.slider = Slider(
            start=-90,
            end=90,
            step=0.5,
            value=0,
            title="θ in degrees",
            format="0.0",
            sizing_mode="stretch_width",
        )
        self.play = Toggle(
            label="▶ Play", active=False, width=100, button_type="primary"
        )
        self.stats = {
            name: Div(
                text="",
                tags=[
                    _STAT.format(
                        label=label,
                        note=note,
                        color=ACCENT if name == "slice" else "inherit",
                    )
                ],
                sizing_mode="stretch_width",
                margin=0,
            )
            for name, (label, note) in STATS.items()
        }
        self.plane = self._make_plane()
        self.flat = self._make_flat()
        self.step_figure = self._make_steps()
        self.cost_figure = self._make_costs()
        self.polar_figure = self._make_polar()
        for plot, filename in (
            (self.plane, "plane"),
            (self.flat, "line"),
            (self.step_figure, "surplus"),
            (self.cost_figure, "costs"),
            (self.polar_figure, "polar"),
        ):
            add_downloads(plot, filename)

    # -- figures --------------------------------------------------------------------

    def _figure(self, **options: Any) -> figure:
        plot = figure(
            **{
                "sizing_mode": "stretch_width",
                "tools": "save",
                "toolbar_location": "above",
            }
            | options
        )
        plot.toolbar.logo = None
        plot.title.text_font_size = "12px"  # fits a phone
        plot.grid.grid_line_alpha = 0.25
        return plot

    def _make_plane(self) -> figure:
        plane = self._figure(
            aspect_ratio=1,
            sizing_mode="scale_width",
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
            x_axis_label="birth",
            y_axis_label="death",
            tools="pan,wheel_zoom,reset,save",
            toolbar_location="above",
        )
        plane.add_layout(
            Slope(
                gradient=1, y_intercept=0, line_color=GREY, line_width=1.2,
                below_fill_color=GREY, below_fill_alpha=0.13, level="underlay",
            )
        )  # fmt: skip
        self.ray_glyphs = [
            _draw(plane, source, Line(line_color=color, line_alpha=0.35), level=MOVING)
            for source, color in zip(self.rays, COLORS, strict=True)
        ]
        _draw(
            plane, self.line, Line(line_color=ACCENT, line_width=3), level=MOVING,
            name="line",
        )  # fmt: skip
        self.matching_glyphs = _draw(
            plane, self.matching, Segment(line_color="#009E73", line_width=2)
        )
        self.segment_glyphs = _draw(
            plane,
            self.segments,
            Segment(line_color="color", line_width=2, line_alpha=0.8),
        )
        self.projection_glyphs = [
            _draw(plane, source, Scatter(size=5, fill_color=None, line_color=color))
            for source, color in zip(
                (self.diagonal_a, self.diagonal_b), COLORS, strict=True
            )
        ]
        points = []
        for name, source in (("A", self.a), ("B", self.b)):
            glyph = Scatter(x="birth", y="death", line_color="white", **STYLES[name])
            # With the usual paler look of what is not selected.
            points.append(plane.add_glyph(source, glyph, name=name))
            plane.add_tools(
                HoverTool(
                    renderers=[points[-1]],
                    tooltips=[
                        (name, "point $index"),
                        ("birth", "@birth{0.0000}"),
                        ("death", "@death{0.0000}"),
                    ],
                )
            )
        place_legend(plane)
        self.draw_tool = PointDrawTool(renderers=points)
        self._points = points
        plane.add_tools(self.draw_tool)
        plane.toolbar.active_tap = self.draw_tool
        return plane

    def _make_flat(self) -> figure:
        self.line_range = Range1d(-1, 1)
        flat = self._figure(
            height=140,
            title="The line, laid flat: the k-th joins the k-th",
            x_range=self.line_range,
            y_range=Range1d(-0.25, 1.25),
        )
        for level in (0, 1):
            flat.add_layout(
                Span(
                    location=level, dimension="width", line_color=GREY, line_width=1.5,
                    level="underlay",
                )
            )  # fmt: skip
        _draw(
            flat, self.links, Line(line_color=ACCENT, line_alpha=0.55), level=MOVING,
            name="links",
        )  # fmt: skip
        for name, color in zip("AB", COLORS, strict=True):
            for source, filled in ((self.own[name], 1), (self.middle[name], 0)):
                glyph = Scatter(
                    x="t", size=7, line_color=color, fill_color=color, fill_alpha=filled
                )
                layer = name if filled else f"π({name})"
                _draw(flat, source, glyph, level=MOVING, name=layer)
        flat.yaxis.ticker = FixedTicker(ticks=[0, 1])
        flat.yaxis.major_label_overrides = {0: "B + π(A)", 1: "A + π(B)"}
        flat.xaxis.visible = False
        flat.grid.grid_line_color = None
        return flat

    def _make_steps(self) -> figure:
        self.step_range = Range1d(-1.5, 1.5)
        steps = self._figure(
            height=165,
            title="Surplus of A along the line: its area is W(θ)",
            x_range=self.line_range,
            y_range=self.step_range,
            x_axis_label="position on L(θ), from its middle",
            y_axis_label="A minus B",
        )
        _draw(
            steps,
            self.steps,
            Patch(
                x="t", y="g", fill_color=ACCENT, fill_alpha=0.25, line_color=ACCENT,
                line_width=1.5,
            ),
            level=MOVING,
            name="surplus",
        )  # fmt: skip
        steps.add_layout(
            Span(location=0, dimension="width", line_color=GREY, level="underlay")
        )
        return steps

    def _make_costs(self) -> figure:
        self.cost_range = Range1d(0, 1)
        costs = self._figure(
            height=190,
            title="Cost of every direction, and of M sampled ones",
            x_range=Range1d(-np.pi / 2, np.pi / 2),
            y_range=self.cost_range,
            x_axis_label="θ",
            y_axis_label="W(θ)",
        )
        _draw(
            costs,
            self.bars,
            Quad(bottom=0, fill_color=GREY, fill_alpha=0.3, line_color="white"),
        )
        curve = _draw(
            costs, self.curve, Line(x="theta", y="w", line_color=GREY, line_width=2.5)
        )
        dot = {"fill_color": GREY, "line_color": GREY, "size": 5}
        _draw(costs, self.bars, Scatter(x="theta", y="top", **dot))
        _draw(
            costs,
            self.cursor,
            Segment(
                x0="theta", y0="low", x1="theta", y1="w", line_color=ACCENT,
                line_width=2, line_dash="dashed",
            ),
            level=MOVING,
        )  # fmt: skip
        dot = {"fill_color": ACCENT, "line_color": ACCENT, "size": 11}
        _draw(costs, self.cursor, Scatter(x="theta", y="w", **dot), level=MOVING)
        costs.xaxis.ticker = FixedTicker(ticks=list(ANGLE_TICKS))
        costs.xaxis.major_label_overrides = ANGLE_TICKS
        costs.add_tools(
            HoverTool(
                renderers=[curve],
                mode="vline",
                tooltips=[("θ", "@theta{0.000}"), ("W(θ)", "@w{0.0000}")],
            )
        )
        return costs

    def _make_polar(self) -> figure:
        self.polar_ranges = Range1d(-1, 1), Range1d(-1, 1)
        polar = self._figure(
            width=300,
            height=300,
            sizing_mode="fixed",
            x_range=self.polar_ranges[0],
            y_range=self.polar_ranges[1],
            title="W(θ) as a radius",
            x_axis_label="W(θ) cos θ",
            y_axis_label="W(θ) sin θ",
        )
        _draw(
            polar,
            self.polar,
            Patch(fill_color=GREY, fill_alpha=0.25, line_color=GREY, line_width=2),
        )
        _draw(
            polar,
            self.polar_cursor,
            Line(line_color=ACCENT, line_width=3),
            level=MOVING,
        )
        return polar

    def numbers(self) -> Column:
        """Lay the big numbers out, three in a row."""
        stats = list(self.stats.values())
        wide = {"sizing_mode": "stretch_width"}
        rows = [row(*stats[:3], **wide), row(*stats[3:], **wide)]
        return column(*rows, spacing=8, **wide)

    def turning(self) -> Column:
        """Lay out what follows the angle, below its button and slider."""
        wide = {"sizing_mode": "stretch_width"}
        return column(
            row(self.play, self.slider, **wide),
            self.flat,
            self.step_figure,
            self.cost_figure,
            self.polar_figure,
            **wide,
        )

    def layout(self) -> Row:
        """Lay all figures out with Bokeh alone."""
        wide = {"sizing_mode": "stretch_width"}
        return row(column(self.plane, self.numbers(), **wide), self.turning(), **wide)

    def engine_arguments(self) -> dict[str, Any]:
        """Return what the browser's part of the view reads and writes."""
        names = (
            "a", "b", "diagonal_a", "diagonal_b", "line", "rays", "own", "middle",
            "links", "steps", "curve", "sampled", "bars", "cursor", "polar",
            "polar_cursor", "polar_figure", "truth", "frame", "mirror", "slider",
            "play", "plane", "ray_glyphs",
            "step_range", "cost_range", "polar_ranges", "stats",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names} | {"colors": COLORS}
