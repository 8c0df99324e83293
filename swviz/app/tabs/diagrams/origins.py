"""What a diagram was computed from, drawn at a level of its filtration.

Figures are made once and shown other data: a figure that is replaced while the browser
is still building it breaks the page.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import colorcet
import numpy as np
import panel as pn
from bokeh.models import ColumnDataSource, Label, LinearColorMapper, Range1d, Span
from bokeh.plotting import figure

from swviz.app.ui.plots import add_downloads
from swviz.app.ui.theme import plot_pane, stack
from swviz.plot.places import ball_radius, cloud_places, fine_graph, mesh_places
from swviz.plot.theme import ACCENT, GREY
from swviz.sources import Cloud, Function, Image, MeshPoint

_CLEAR = "#00000000"
_FAR = "#B8C2CC"


class OriginPane(pn.viewable.Viewer):
    """The origin of one diagram, whatever it is.

    Parameters
    ----------
    color : str
        Of the diagram that it belongs to.
    """

    def __init__(self, color: str) -> None:
        super().__init__()
        self._color = color
        self._plots: dict[type, OriginPlot] = {}
        self._panes: dict[type, pn.Column] = {}
        self._column = stack()
        self.shown: OriginPlot | None = None

    def __panel__(self) -> pn.Column:
        return self._column

    def show(self, origin: Any, level: float, provenance: Mapping[str, Any]) -> None:
        """Draw an origin.

        Parameters
        ----------
        origin : Cloud, Image, Function, MeshPoint or None
        level : float
            Where in the filtration to stand.
        provenance : mapping
            Of the set; says what the values of a cloud's filtration mean.
        """
        kind = type(origin) if type(origin) in _PLOTS else type(None)
        new = kind not in self._plots
        if new:
            self._plots[kind] = _PLOTS[kind](self._color)
        self.shown = self._plots[kind]
        self.shown.show(origin, provenance)
        self.shown.set_level(level)
        if new:
            # In a column each, since a Bokeh pane that was hidden stays hidden.
            self._panes[kind] = stack(plot_pane(self.shown.figure, margin=0))
            self._column.append(self._panes[kind])
        for other, pane in self._panes.items():
            pane.visible = other is kind

    def set_level(self, t: float) -> None:
        """Bring the sublevel set to a level."""
        if self.shown is not None:
            self.shown.set_level(t)


class OriginPlot(ABC):
    """A figure of one kind of origin."""

    figure: figure

    @abstractmethod
    def __init__(self, color: str) -> None: ...

    @abstractmethod
    def show(self, origin: Any, provenance: Mapping[str, Any]) -> None:
        """Draw another origin of this kind."""

    @abstractmethod
    def set_level(self, t: float) -> None:
        """Bring the sublevel set to a level."""


_HIGHER = """@media (min-width: 1600px) {
  :host { height: 270px !important; flex-basis: 270px !important; }
}"""
"""Where the plane beside them is large, so are they. Bokeh has its own height later."""


def _frame(aspect: bool = True, **options: Any) -> figure:
    plot = figure(
        match_aspect=aspect,
        sizing_mode="stretch_width",
        height=185,
        stylesheets=[_HIGHER],
        tools="pan,wheel_zoom,reset,save",
        toolbar_location="right",
        **options,
    )
    plot.toolbar.logo = None
    plot.toolbar.autohide = True
    plot.grid.visible = False
    add_downloads(plot, "origin")
    return plot


class CloudPlot(OriginPlot):
    """Points, and the balls of the level around them."""

    def __init__(self, color: str) -> None:
        self.figure = _frame(x_axis_label="x", y_axis_label="y")
        self.source = ColumnDataSource({"x": [], "y": []})
        self.balls = self.figure.circle(
            "x",
            "y",
            radius=0.0,
            source=self.source,
            color=color,
            fill_alpha=0.14,
            line_alpha=0,
            name="balls",
        )
        self.figure.scatter("x", "y", source=self.source, size=3, color=color)
        self._provenance: Mapping[str, Any] = {}

    def show(self, origin: Cloud, provenance: Mapping[str, Any]) -> None:
        """Draw another cloud."""
        self._provenance = provenance
        x, y = cloud_places(origin.points).T
        self.source.data = {"x": x, "y": y}

    def set_level(self, t: float) -> None:
        """Let the balls grow."""
        self.balls.glyph.radius = ball_radius(t, self._provenance)


class ImagePlot(OriginPlot):
    """A picture beside its local binary patterns."""

    def __init__(self, color: str) -> None:
        self.figure = _frame(
            x_axis_label="picture, and its local binary patterns up to t",
            x_range=Range1d(0, 1),
            y_range=Range1d(0, 1),
        )
        for axis in (self.figure.xaxis, self.figure.yaxis):
            axis.major_label_text_font_size = "0pt"
            axis.major_tick_line_color = axis.minor_tick_line_color = None
        self.grey = LinearColorMapper(palette="Greys256", low=0, high=255)
        self.below = LinearColorMapper(
            palette=[color + "B0"], low=-1, high=0, high_color=_CLEAR
        )
        self.picture, self.codes = (
            ColumnDataSource({"image": [], "x": [], "dw": [], "dh": []})
            for _ in range(2)
        )
        for source, mapper in (
            (self.picture, self.grey),
            (self.codes, self.grey),
            (self.codes, self.below),
        ):
            self.figure.image(
                "image",
                x="x",
                y=0,
                dw="dw",
                dh="dh",
                source=source,
                color_mapper=mapper,
            )

    def show(self, origin: Image, provenance: Mapping[str, Any]) -> None:
        """Draw another picture."""
        height, width = origin.pixels.shape
        shift = 1.06 * width
        if origin.patterns is None and origin.pixels.dtype != np.uint8:
            low, high = float(origin.pixels.min()), float(origin.pixels.max())
            self.grey.update(low=low, high=high if high > low else low + 1)
        else:
            self.grey.update(low=0, high=255)
        for source, picture, x in (
            (self.picture, origin.pixels, 0.0),
            (self.codes, origin.descriptor, shift),
        ):
            # Row 0 of a picture is its top; Bokeh draws it at the bottom.
            source.data = {
                "image": [picture[::-1]],
                "x": [x],
                "dw": [width],
                "dh": [height],
            }
        for side, end in (
            (self.figure.x_range, shift + width),
            (self.figure.y_range, height),
        ):
            side.update(start=0, end=end, reset_start=0, reset_end=end)

    def set_level(self, t: float) -> None:
        """Colour the codes up to the level."""
        self.below.update(low=min(t, 0) - 1, high=t)


class FunctionPlot(OriginPlot):
    """A graph, thick where it is below the level."""

    def __init__(self, color: str) -> None:
        self.figure = _frame(False, x_axis_label="x", y_axis_label="f(x)")
        self.graph, self.below = (ColumnDataSource({"x": [], "y": []}) for _ in "gb")
        self.figure.line("x", "y", source=self.graph, color=GREY, line_width=1.5)
        self.figure.line(
            "x", "y", source=self.below, color=color, line_width=5, line_cap="round"
        )
        self.cut = Span(dimension="width", line_color=ACCENT, line_dash="dashed")
        self.figure.add_layout(self.cut)

    def show(self, origin: Function, provenance: Mapping[str, Any]) -> None:
        """Draw another function."""
        self.graph.data = {"x": origin.x, "y": origin.y}
        self._x, self._y = fine_graph(origin)

    def set_level(self, t: float) -> None:
        """Move the line, and thicken what is below it."""
        self.cut.location = t
        below = np.where(self._y <= t, self._y, np.nan)
        self.below.data = {"x": self._x, "y": below}


class MeshPlot(OriginPlot):
    """Vertices of a mesh, coloured up to the level of their distance."""

    def __init__(self, color: str) -> None:
        self.figure = _frame()
        self.figure.axis.visible = False
        self.source = ColumnDataSource({"x": [], "y": [], "distance": []})
        self.base = ColumnDataSource({"x": [], "y": []})
        self.near = LinearColorMapper(palette=colorcet.CET_CBL1[40:], low=0, high=1)
        self.far = LinearColorMapper(palette=[_FAR], low=0, high=1, low_color=_CLEAR)
        for mapper in (self.near, self.far):
            self.figure.scatter(
                "x",
                "y",
                source=self.source,
                size=4,
                line_color=None,
                fill_color={"field": "distance", "transform": mapper},
            )
        self.figure.scatter(
            "x",
            "y",
            source=self.base,
            marker="star",
            size=16,
            fill_color=color,
            line_color="white",
        )

    def show(self, origin: MeshPoint, provenance: Mapping[str, Any]) -> None:
        """Draw another mesh, or distances from another vertex."""
        places, distances, base = mesh_places(origin)
        self._top = float(distances.max())
        self.near.high = self._top
        self.far.high = 2 * self._top + 1
        x, y = places.T
        self.source.data = {"x": x, "y": y, "distance": distances}
        self.base.data = {"x": base[:1], "y": base[1:]}

    def set_level(self, t: float) -> None:
        """Grey what is farther than the level."""
        self.far.low = min(max(t, 0.0), 2 * self._top)


class NoPlot(OriginPlot):
    """A diagram that came without its origin."""

    def __init__(self, color: str) -> None:
        self.figure = _frame(x_range=Range1d(0, 1), y_range=Range1d(0, 1))
        self.figure.toolbar_location = None
        self.figure.axis.visible = False
        self.figure.outline_line_color = None
        self.figure.add_layout(
            Label(
                x=0.5,
                y=0.5,
                text="known by its diagram only",
                text_align="center",
                text_color=GREY,
            )
        )

    def show(self, origin: None, provenance: Mapping[str, Any]) -> None:
        """There is nothing to draw."""

    def set_level(self, t: float) -> None:
        """There is nothing to cut."""


_PLOTS: dict[type, type[OriginPlot]] = {
    Cloud: CloudPlot,
    Image: ImagePlot,
    Function: FunctionPlot,
    MeshPoint: MeshPlot,
    type(None): NoPlot,
}
