"""What a diagram was computed from, drawn at a level of its filtration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import colorcet
import numpy as np
from bokeh.models import ColumnDataSource, Label, LinearColorMapper, Span
from bokeh.plotting import figure

from swviz.app.plots import add_downloads
from swviz.app.theme import ACCENT, GREY
from swviz.sources import Cloud, Function, Image, MeshPoint

_CLEAR = "#00000000"
_FAR = "#B8C2CC"


class OriginPlot(NamedTuple):
    """A figure, and what brings its sublevel set to a level."""

    figure: figure
    set_level: Callable[[float], None]


def origin_plot(
    origin: Any, color: str, level: float, provenance: Mapping[str, Any]
) -> OriginPlot:
    """Draw the origin of a diagram.

    Parameters
    ----------
    origin : Cloud, Image, Function, MeshPoint or None
    color : str
        Of the diagram that it belongs to.
    level : float
        Where in the filtration to stand.
    provenance : mapping
        Of the set; says what the values of a cloud's filtration mean.

    Returns
    -------
    OriginPlot
    """
    if isinstance(origin, Cloud):
        return _cloud(origin, color, level, provenance)
    if isinstance(origin, Image):
        return _image(origin, color, level)
    if isinstance(origin, Function):
        return _function(origin, color, level)
    if isinstance(origin, MeshPoint):
        return _mesh(origin, color, level)
    return _nothing()


def _frame(aspect: bool = True, **options: Any) -> figure:
    plot = figure(
        match_aspect=aspect,
        sizing_mode="stretch_width",
        height=185,
        tools="pan,wheel_zoom,reset,save",
        toolbar_location="right",
        **options,
    )
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    plot.grid.visible = False
    add_downloads(plot, "origin")
    return plot


def _cloud(
    origin: Cloud, color: str, level: float, provenance: Mapping[str, Any]
) -> OriginPlot:
    points = origin.points
    if points.shape[1] == 3:
        points = _from_the_side(points)
    plot = _frame(x_axis_label="x", y_axis_label="y")
    source = ColumnDataSource({"x": points[:, 0], "y": points[:, 1]})
    balls = plot.circle(
        "x", "y", radius=0.0, source=source, color=color, fill_alpha=0.14, line_alpha=0
    )
    plot.scatter("x", "y", source=source, size=3, color=color)

    def set_level(t: float) -> None:
        balls.glyph.radius = _radius(t, provenance)

    set_level(level)
    return OriginPlot(plot, set_level)


def _radius(t: float, provenance: Mapping[str, Any]) -> float:
    """Radius of the balls at a level of the filtration."""
    t = max(t, 0.0)
    if provenance.get("complex") == "rips":
        return t / 2
    return float(np.sqrt(t)) if provenance.get("squared") else t


def _image(origin: Image, color: str, level: float) -> OriginPlot:
    # Row 0 of a picture is its top; Bokeh draws it at the bottom.
    pixels, codes = origin.pixels[::-1], origin.descriptor[::-1]
    height, width = pixels.shape
    shift = 1.06 * width
    plot = _frame(
        x_axis_label="picture, and its local binary patterns up to t",
        x_range=(0, shift + width),
        y_range=(0, height),
    )
    plot.xaxis.major_label_text_font_size = plot.yaxis.major_label_text_font_size = (
        "0pt"
    )
    plot.axis.major_tick_line_color = plot.axis.minor_tick_line_color = None
    grey = LinearColorMapper(palette="Greys256", low=0, high=255)
    for picture, x in ((pixels, 0.0), (codes, shift)):
        plot.image([picture], x=x, y=0, dw=width, dh=height, color_mapper=grey)
    below = LinearColorMapper(palette=[color + "B0"], low=-1, high=0, high_color=_CLEAR)
    plot.image([codes], x=shift, y=0, dw=width, dh=height, color_mapper=below)

    def set_level(t: float) -> None:
        below.high = max(t, -0.5)

    set_level(level)
    return OriginPlot(plot, set_level)


def _function(origin: Function, color: str, level: float) -> OriginPlot:
    plot = _frame(False, x_axis_label="x", y_axis_label="f(x)")
    plot.line(origin.x, origin.y, color=GREY, line_width=1.5)
    # Cut where the function crosses the level, not at the next knot.
    x = np.union1d(origin.x, np.linspace(origin.x[0], origin.x[-1], 600))
    y = origin(x)
    below = ColumnDataSource({"x": x, "y": y})
    plot.line("x", "y", source=below, color=color, line_width=5, line_cap="round")
    cut = Span(location=level, dimension="width", line_color=ACCENT, line_dash="dashed")
    plot.add_layout(cut)

    def set_level(t: float) -> None:
        cut.location = t
        below.data = {"x": x, "y": np.where(y <= t, y, np.nan)}

    set_level(level)
    return OriginPlot(plot, set_level)


def _mesh(origin: MeshPoint, color: str, level: float) -> OriginPlot:
    vertices = origin.mesh.vertices
    distances = origin.distances
    # Upright: the longest extent is the height, the next one the width.
    depth, across, up = np.argsort(np.ptp(vertices, axis=0))
    order = np.argsort(vertices[:, depth])
    plot = _frame()
    plot.axis.visible = False
    source = ColumnDataSource(
        {
            "x": vertices[order, across],
            "y": vertices[order, up],
            "distance": distances[order],
        }
    )
    top = float(distances.max())
    near = LinearColorMapper(palette=colorcet.CET_CBL1[40:], low=0, high=top)
    far = LinearColorMapper(palette=[_FAR], low=0, high=2 * top + 1, low_color=_CLEAR)
    for mapper in (near, far):
        plot.scatter(
            "x",
            "y",
            source=source,
            size=4,
            line_color=None,
            fill_color={"field": "distance", "transform": mapper},
        )
    plot.scatter(
        [vertices[origin.vertex, across]],
        [vertices[origin.vertex, up]],
        marker="star",
        size=16,
        fill_color=color,
        line_color="white",
    )

    def set_level(t: float) -> None:
        far.low = min(max(t, 0.0), 2 * top)

    set_level(level)
    return OriginPlot(plot, set_level)


def _nothing() -> OriginPlot:
    plot = _frame(x_range=(0, 1), y_range=(0, 1))
    plot.axis.visible = False
    plot.outline_line_color = None
    plot.add_layout(
        Label(
            x=0.5,
            y=0.5,
            text="known by its diagram only",
            text_align="center",
            text_color=GREY,
        )
    )

    def set_level(t: float) -> None:
        """There is nothing to cut."""

    return OriginPlot(plot, set_level)


def _from_the_side(points: np.ndarray) -> np.ndarray:
    """Project from space, a little from above, as one looks at a model on a table."""
    tilt = np.deg2rad(35)
    return np.column_stack(
        [points[:, 0], np.cos(tilt) * points[:, 2] + np.sin(tilt) * points[:, 1]]
    )
