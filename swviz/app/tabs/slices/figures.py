"""The Bokeh models of the Slices view.

Each number and each curve has one owner. What the server knows and asks comes in tables
(:mod:`swviz.app.tabs.slices.board` says which). All that follows from them, every
number on show included, is written by the engine in the browser (`engine.js`), and by
it alone. So the models live there: they are made once in a process, written down, and
no server hears of them again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import (
    BasicTicker,
    Button,
    Column,
    ColumnDataSource,
    CustomJS,
    Div,
    FixedTicker,
    Glyph,
    GlyphRenderer,
    HoverTool,
    Label,
    Line,
    MultiLine,
    Node,
    NoOverlap,
    Patch,
    PointDrawTool,
    Quad,
    Range1d,
    Scatter,
    Segment,
    Select,
    Slider,
    Slope,
    Span,
    Text,
    Toggle,
)
from bokeh.plotting import figure

from swviz.app.tabs.slices import look
from swviz.app.ui.plots import add_downloads, place_legend
from swviz.plot.theme import ACCENT, GAIN, GREY, LOSS, MATCHING, STYLES

COLORS = [STYLES["A"]["fill_color"], STYLES["B"]["fill_color"]]
MOVING = "overlay"
"""Layer of what turns with the line, or flows. Bokeh paints it apart: axes, grids and
points that stay are not painted anew in every frame, which is most of the work."""

ANGLE_TICKS = {
    -np.pi / 2: "−π/2",
    -np.pi / 4: "−π/4",
    0: "0",
    np.pi / 4: "π/4",
    np.pi / 2: "π/2",
}
STATS = {
    "approximate": ("SW<sub>M</sub>", "M directions"),
    "exact": ("SW", "exact"),
    "ratio": ("SW<sub>M</sub> / SW", "1 is perfect"),
    "slice": ("W(θ)", "this slice"),
    "d1": ("d<sub>1</sub>", "optimal matching"),
    "kernel": ("k<sub>SW</sub>(A, B)", "exp(−SW / 2σ²)"),
}
_STAT = (
    '<div class="label">{label}</div><div class="value {kind}">{{value}}</div>'
    '<div class="note">{{note}}</div>'
)
MANY = 240
"""Points of both diagrams beyond which they are thinned out, to be told apart."""

SPEEDS = ("0.25", "0.5", "1", "2", "4")
"""How fast the line may turn, as a multiple of what is usual."""


def _source(*columns: str) -> ColumnDataSource:
    return ColumnDataSource({column: [] for column in columns})


def _draw(
    plot: figure, source: ColumnDataSource, glyph: Glyph, **options: Any
) -> GlyphRenderer:
    """Add a layer that nobody selects: one glyph, where methods of `figure` make four.

    Every model less makes the page open sooner.
    """
    alike = {"selection_glyph": None, "nonselection_glyph": None}
    return plot.add_glyph(source, glyph, **{**alike, **options})


def _toggle(label: str, **options: Any) -> Toggle:
    return Toggle(
        label=label,
        active=False,
        button_type="primary",
        stylesheets=[look.BUTTON],
        **options,
    )


def _button(label: str) -> Button:
    """Make a button for those who present."""
    return Button(
        label=label,
        styles=look.PRESENTER,
        stylesheets=[look.BUTTON],
    )


def _legend_line(plane: figure, line: int, text: str, color: str) -> Label:
    """Explain a layer above the names of A and B, as long as it is on show."""
    label = Label(
        x=Node(target="frame", symbol="right", offset=-8),
        y=Node(target="frame", symbol="bottom", offset=-36 - 21 * line),
        text=text,
        text_color=color,
        text_align="right",
        text_baseline="bottom",
        text_font_size="12px",
        text_font_style="bold",
        visible=False,
    )
    plane.add_layout(label)
    return label


class SliceFigures:
    """Sources, figures and widgets of one Slices view.

    Parameters
    ----------
    tables : mapping of str to tables, optional
        What the server says, and what is said to it, by name.
    """

    def __init__(self, tables: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.curve_angles = np.linspace(-np.pi / 2, np.pi / 2, 181)
        self.a, self.b = _source("birth", "death"), _source("birth", "death")
        self.diagonal_a, self.diagonal_b = _source("x", "y"), _source("x", "y")
        self.line = _source("x", "y")
        self.rays = _source("x", "y"), _source("x", "y")
        self.own = {name: _source("t", "y") for name in "AB"}
        self.middle = {name: _source("t", "y") for name in "AB"}
        self.own_density = {name: _source("t", "y") for name in "AB"}
        self.middle_density = {name: _source("t", "y") for name in "AB"}
        self.links = _source("x", "y")
        self.counts = _source("x", "y", "text", "color", "shift")
        self.steps = _source("t", "g")
        self.curve = ColumnDataSource(
            {"theta": self.curve_angles, "w": np.zeros(len(self.curve_angles))}
        )
        self.bars = _source("left", "right", "theta", "top")
        self.cursor = _source("theta", "w", "low")
        self.bar_now = _source("left", "right", "top")
        self.highest = _source("theta", "w", "text", "align", "shift")
        self.meeting = _source("t", "y")
        self.meeting_points = _source("x", "y")
        self.polar, self.polar_cursor = _source("x", "y"), _source("x", "y")
        self.moved = _source("birth", "death", "size", "fill", "line", "edge")
        self.trails = _source("xs", "ys", "alpha")
        self.matching = _source("x0", "y0", "x1", "y1")
        self.segments = _source("x0", "y0", "x1", "y1", "color", "weight")
        self.tables = {
            name: ColumnDataSource(data=dict(table), name=name)
            for name, table in (tables or {}).items()
        }
        self.slider = Slider(
            start=-90,
            end=90,
            step=0.5,
            value=0,
            title="θ in degrees",
            format="0.0",
            sizing_mode="stretch_width",
            stylesheets=[look.SLIDER],
        )
        # As wide as its longer word: the slider beside it must not move.
        self.play = _toggle("▶ Play", styles={"min-width": "5.2rem"})
        self.speed = Select(
            value="1",
            options=[(speed, f"{speed}×") for speed in SPEEDS],
            styles=look.PRESENTER,
            stylesheets=[look.SELECT],
        )
        self.next_change = _button("Next change")
        self.next_direction = _button("Next of M")
        self.dearest = _button("Costliest")
        self.flow_button = _toggle("Let A flow to B")
        # Hidden by style: a change of `visible` makes Bokeh lay out every figure.
        self.flow_play = _toggle("▶ Flow", styles={"visibility": "hidden"})
        self.scrubber = Slider(
            start=0,
            end=1,
            step=1,
            value=0,
            title="Step",
            format="0",
            sizing_mode="stretch_width",
            styles={"visibility": "hidden"},
            stylesheets=[look.SLIDER],
        )
        self.stats = {
            name: Div(
                text="",
                tags=[
                    _STAT.format(label=label, kind="now" if name == "slice" else ""),
                    note,
                ],
                sizing_mode="stretch_width",
                margin=0,
                stylesheets=[look.NUMBER],
            )
            for name, (label, note) in STATS.items()
        }
        self.plane = self._make_plane()
        self.flat = self._make_flat()
        self.step_figure = self._make_steps()
        self.cost_figure = self._make_costs()
        self.polar_figure = self._make_polar()
        names = "plane", "line", "surplus", "costs", "polar"
        for plot, filename in zip(self.all_figures(), names, strict=True):
            add_downloads(plot, filename)

    # -- figures --------------------------------------------------------------------

    def _figure(self, **options: Any) -> figure:
        plot = figure(
            **{
                "sizing_mode": "stretch_width",
                "tools": "save",
                "toolbar_location": "above",
                # They stand on the page, light or dark.
                "background_fill_color": None,
                "border_fill_color": None,
            }
            | options
        )
        plot.toolbar.update(logo=None, autohide=True)
        plot.title.update(text_font_size="1.05em", **look.WORDS["text"])
        for axis in plot.axis:
            axis.update(
                axis_line_alpha=0,
                major_tick_line_alpha=0,
                minor_tick_line_alpha=0,
                axis_label_text_font_size="1em",
                major_label_text_font_size="0.925em",
                # Height is for the data.
                axis_label_standoff=6,
                **look.WORDS["axis_label_text"],
                **look.WORDS["major_label_text"],
            )
        plot.min_border = 2
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
            stylesheets=[look.PLANE],
        )
        plane.add_layout(
            Slope(
                gradient=1,
                y_intercept=0,
                line_color=GREY,
                line_width=1.2,
                below_fill_color=GREY,
                below_fill_alpha=0.13,
                level="underlay",
            )
        )
        self.ray_glyphs = [
            _draw(plane, source, Line(line_color=color, line_alpha=0.55), level=MOVING)
            for source, color in zip(self.rays, COLORS, strict=True)
        ]
        _draw(
            plane,
            self.line,
            Line(line_color=ACCENT, line_width=3),
            level=MOVING,
            name="line",
        )
        _draw(
            plane,
            self.meeting_points,
            Line(line_color=ACCENT, line_width=2, line_dash="dashed"),
            level=MOVING,
            name="meeting",
        )
        _draw(
            plane,
            self.trails,
            MultiLine(line_color=COLORS[0], line_alpha="alpha", line_width=3),
            level=MOVING,
            name="trails",
        )
        moved = _draw(
            plane,
            self.moved,
            Scatter(
                x="birth",
                y="death",
                size="size",
                fill_color=COLORS[0],
                fill_alpha="fill",
                line_color="edge",
                line_alpha="line",
            ),
            level=MOVING,
            name="moved",
        )
        self.matching_glyphs = _draw(
            plane, self.matching, Segment(line_color=MATCHING, line_width=2.5)
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
                    renderers=[points[-1], *([moved] if name == "A" else [])],
                    tooltips=[
                        (name, "point $index"),
                        ("birth", "@birth{0.0000}"),
                        ("death", "@death{0.0000}"),
                    ],
                )
            )
        _draw(
            plane,
            self.counts,
            Text(
                text_color="color",
                x_offset="shift",
                y_offset=-7,
                text_align="center",
                text_font_size="11px",
                text_font_style="bold",
            ),
            name="counts",
        )
        place_legend(plane)
        self.legends = {
            "segments": [
                _legend_line(plane, 2, "━ adds to SW", GAIN),
                _legend_line(plane, 1, "━ subtracts", LOSS),
            ],
            "matching": [_legend_line(plane, 3, "━ d₁ matching", MATCHING)],
        }
        self.draw_tool = PointDrawTool(renderers=points)
        self.points = points
        self.start_glyph, self.end_glyph = (layer.glyph for layer in points)
        plane.add_tools(self.draw_tool)
        plane.toolbar.active_tap = self.draw_tool
        return plane

    def _make_flat(self) -> figure:
        self.line_range = Range1d(-1, 1)
        self.flat_range = Range1d(-0.25, 1.25)
        flat = self._figure(
            height=140,
            stylesheets=[look.height_of("flat")],
            # The engine changes it; a title that is empty at first would stay unseen.
            title="k-th joins k-th; ○ π: put on the diagonal",
            x_range=self.line_range,
            y_range=self.flat_range,
        )
        for level in (0, 1):
            flat.add_layout(
                Span(
                    location=level,
                    dimension="width",
                    line_color=GREY,
                    line_width=1.5,
                    level="underlay",
                )
            )
        _draw(
            flat,
            self.links,
            Line(line_color=ACCENT, line_alpha=0.55),
            level=MOVING,
            name="links",
        )
        for name, color in zip("AB", COLORS, strict=True):
            for source, alpha in (
                (self.own_density[name], 0.55),
                (self.middle_density[name], 0.2),
            ):
                hill = Patch(x="t", fill_color=color, fill_alpha=alpha)
                hill.update(line_color=color, line_alpha=0.8)
                _draw(flat, source, hill, level=MOVING)
            for source, filled in ((self.own[name], 1), (self.middle[name], 0)):
                glyph = Scatter(
                    x="t", size=7, line_color=color, fill_color=color, fill_alpha=filled
                )
                layer = name if filled else f"π({name})"
                _draw(flat, source, glyph, level=MOVING, name=layer)
        ring = {"fill_color": None, "line_color": ACCENT, "line_width": 3, "size": 17}
        _draw(flat, self.meeting, Scatter(x="t", **ring), level=MOVING, name="meeting")
        flat.yaxis.ticker = FixedTicker(ticks=[0, 1])
        flat.yaxis.major_label_overrides = {0: "B + π(A)", 1: "A + π(B)"}
        flat.xaxis.visible = False
        flat.grid.grid_line_color = None
        return flat

    def _make_steps(self) -> figure:
        self.step_range = Range1d(-1.5, 1.5)
        steps = self._figure(
            height=165,
            stylesheets=[look.height_of("surplus")],
            title="Surplus of A so far: its area is W(θ)",
            x_range=self.line_range,
            y_range=self.step_range,
            x_axis_label="position on L(θ), from its middle",
            y_axis_label="A minus B",
        )
        steps.yaxis.ticker = BasicTicker(
            desired_num_ticks=3, mantissas=[1, 2, 3, 5], min_interval=1
        )
        # On a low screen some of them are all that there is room for.
        steps.yaxis.major_label_policy = NoOverlap()
        _draw(
            steps,
            self.steps,
            Patch(
                x="t",
                y="g",
                fill_color=ACCENT,
                fill_alpha=0.25,
                line_color=ACCENT,
                line_width=1.5,
            ),
            level=MOVING,
            name="surplus",
        )
        steps.add_layout(
            Span(location=0, dimension="width", line_color=GREY, level="underlay")
        )
        return steps

    def _make_costs(self) -> figure:
        self.cost_range = Range1d(0, 1)
        costs = self._figure(
            height=190,
            stylesheets=[look.height_of("costs")],
            title="Cost of every direction, M as bars",
            x_range=Range1d(-np.pi / 2, np.pi / 2),
            y_range=self.cost_range,
            x_axis_label="θ",
            y_axis_label="W(θ)",
        )
        _draw(
            costs,
            self.bars,
            Quad(
                bottom=0,
                fill_color=GREY,
                fill_alpha=0.3,
                line_color=GREY,
                line_alpha=0.35,
            ),
            level=MOVING,
        )
        _draw(
            costs,
            self.bar_now,
            Quad(bottom=0, fill_color=ACCENT, fill_alpha=0.3, line_color=None),
            level=MOVING,
            name="bar now",
        )
        curve = _draw(
            costs,
            self.curve,
            Line(x="theta", y="w", line_color=GREY, line_width=2.5),
            level=MOVING,
        )
        dot = {"fill_color": GREY, "line_color": GREY, "size": 5}
        _draw(costs, self.bars, Scatter(x="theta", y="top", **dot), level=MOVING)
        _draw(
            costs,
            self.cursor,
            Segment(
                x0="theta",
                y0="low",
                x1="theta",
                y1="w",
                line_color=ACCENT,
                line_width=2,
                line_dash="dashed",
            ),
            level=MOVING,
        )
        above: dict[str, Any] = {
            "y_offset": -10,
            "text_baseline": "middle",
            "text_color": GREY,
            "text_font_size": "12px",
        }
        _draw(
            costs,
            self.highest,
            Text(x="theta", y="w", text={"value": "▼"}, text_align="center", **above),
            level=MOVING,
            name="most expensive",
        )
        _draw(
            costs,
            self.highest,
            Text(x="theta", y="w", text_align="align", x_offset="shift", **above),
            level=MOVING,
        )
        dot = {"fill_color": ACCENT, "line_color": ACCENT, "size": 11}
        _draw(costs, self.cursor, Scatter(x="theta", y="w", **dot), level=MOVING)
        costs.yaxis.ticker = BasicTicker(desired_num_ticks=2)
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
            level=MOVING,
        )
        _draw(
            polar,
            self.polar_cursor,
            Line(line_color=ACCENT, line_width=3),
            level=MOVING,
        )
        return polar

    def all_figures(self) -> list[figure]:
        """Return the figures, the plane first."""
        strips = self.flat, self.step_figure, self.cost_figure
        return [self.plane, *strips, self.polar_figure]

    def layout(self) -> Column:
        """Lay all out: big numbers, the plane, and beside it what follows the angle."""
        wide = {"sizing_mode": "stretch_width"}
        # Six in a row, or three where there is no room; in sight wherever one scrolls.
        numbers = row(
            *self.stats.values(),
            css_classes=["card"],
            stylesheets=[look.NUMBERS],
            styles=look.CARD
            | {"position": "sticky", "top": "0", "z-index": "4", "padding": "6px 14px"},
            **wide,
        )
        # On a phone the slider goes below the buttons.
        wraps = {"flex-wrap": "wrap", "align-items": "center"}
        flow = row(self.flow_button, self.flow_play, self.scrubber, **wide)
        flow.styles = wraps
        card: dict[str, Any] = {"css_classes": ["card"], "styles": look.CARD, **wide}
        flowing = column(self.plane, flow, **card)
        own = self.speed, self.next_change, self.next_direction, self.dearest
        controls = row(self.play, self.slider, *own, styles=wraps, **wide)
        strips = self.flat, self.step_figure, self.cost_figure, self.polar_figure
        turning = column(controls, *strips, **card)
        sides = row(
            column(flowing, css_classes=["md-5"], **wide),
            column(turning, css_classes=["md-7"], **wide),
            styles={"flex-wrap": "wrap"},
            stylesheets=[look.SIDES],
            **wide,
        )
        return column(numbers, sides, **wide)

    def connect(self, engine: CustomJS) -> None:
        """Have the engine called for all that it follows."""
        for source in (self.a, self.b):
            # While a point is dragged only this signal is sent, not that of "data".
            source.js_on_change("change", engine)
        for table in self.tables.values():
            table.js_on_change("data", engine)
        for slider in (self.slider, self.scrubber):
            slider.js_on_change("value", engine)
        for toggle in (self.play, self.flow_button, self.flow_play):
            toggle.js_on_change("active", engine)
        for button in (self.next_change, self.next_direction, self.dearest):
            button.js_on_click(engine)
        self.plane.js_on_change("inner_width", engine)
        for side in (self.plane.x_range, self.plane.y_range):
            side.js_on_change("start", engine)
            side.js_on_change("end", engine)

    def engine_arguments(self) -> dict[str, Any]:
        """Return what the browser's part of the view reads and writes."""
        names = (
            "a",
            "b",
            "diagonal_a",
            "diagonal_b",
            "line",
            "rays",
            "own",
            "middle",
            "own_density",
            "middle_density",
            "links",
            "counts",
            "steps",
            "curve",
            "bars",
            "cursor",
            "bar_now",
            "highest",
            "meeting",
            "meeting_points",
            "polar",
            "polar_cursor",
            "polar_figure",
            "moved",
            "trails",
            "matching",
            "segments",
            "slider",
            "play",
            "speed",
            "next_change",
            "next_direction",
            "dearest",
            "flow_button",
            "flow_play",
            "scrubber",
            "plane",
            "start_glyph",
            "end_glyph",
            "ray_glyphs",
            "projection_glyphs",
            "matching_glyphs",
            "segment_glyphs",
            "legends",
            "draw_tool",
            "points",
            "flat",
            "flat_range",
            "line_range",
            "step_range",
            "cost_range",
            "polar_ranges",
            "stats",
        )
        constants = {
            "many": MANY,
            "segment_colors": [GAIN, LOSS],
            "sizes": [STYLES[name]["size"] for name in "AB"],
        }
        return {name: getattr(self, name) for name in names} | constants | self.tables
