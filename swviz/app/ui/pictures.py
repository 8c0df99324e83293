"""Pictures of `swviz.plot` on the page: drawn once, then sent new data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
from bokeh.document import Document
from bokeh.models import GlyphRenderer, TapTool
from bokeh.plotting import figure
from holoviews.streams import Pipe

from swviz.app.ui.plots import add_downloads, dress
from swviz.plot.looks import for_a_page

_DRAWER = hv.plotting.bokeh.BokehRenderer.instance(
    mode="default", theme=None, webgl=False
)
"""Without a theme: the page has one, and its own way to change it. Without WebGL, which
fills the console with complaints of drivers."""

_LEGEND = {
    "background_fill_alpha": 0,
    "border_line_alpha": 0,
    "padding": 0,
    "margin": 0,
    "spacing": 10,
    "label_standoff": 2,
    "glyph_width": 16,
    "orientation": "horizontal",
}
"""A click on a name makes faint what it names. Hiding it would not do: with the next
data HoloViews strikes from the legend what is hidden."""

_IN_A_ROW = 3
"""Names of a legend that fit side by side on a phone."""


class Picture:
    """A figure that a function of `swviz.plot` draws, as wide as its card.

    HoloViews builds the figure once, when it is first asked for; what is shown later
    goes through a stream into the same models, which takes a tenth of the time and
    sends data alone.

    Parameters
    ----------
    draw : callable
        Returns an overlay, with the same layers whatever it is given: a layer that is
        missing in the first picture would have to be built later.
    *nothing
        What it is given as long as there is nothing to show.
    filename : str
        Of the downloads, without an ending.
    height : int or None, default=290
        In pixels; None where the aspect of what is drawn decides.
    moving : str, optional
        Name of a layer that follows each step of a slider: see :meth:`move`.
    marks : callable, optional
        Returns, of what `draw` is given, the columns of those of its layers that
        :meth:`mark` sends, by their labels.
    **options
        Further options of the overlay, in HoloViews' words.

    Attributes
    ----------
    element : hv.Overlay
        What is on show.
    figure : bokeh figure
    """

    def __init__(
        self,
        draw: Callable[..., hv.Overlay],
        *nothing: Any,
        filename: str,
        height: int | None = 290,
        moving: str | None = None,
        marks: Callable[..., Mapping[str, Mapping[str, Any]]] | None = None,
        **options: Any,
    ) -> None:
        self._draw = draw
        self._nothing = nothing
        self._filename = filename
        self._moving = moving
        self._marks = marks
        self._moved: dict[str, Any] = {}
        self._taps: list[tuple[str, Callable[[int], None]]] = []
        self._options = {
            "responsive": True,
            "frame_width": None,
            "frame_height": None,
            # A height of None would be one, to HoloViews.
            **({} if height is None else {"height": height}),
            "toolbar": "above",
            "default_tools": ["pan", "wheel_zoom", "box_zoom", "reset"],
            # The wheel moves the page, until its tool is chosen.
            "active_tools": [],
            "legend_position": "top_left",
            # Four names fit into half of a projector's page.
            "fontsize": {"legend": "12px"},
            "hooks": [_name_layers],
            **options,
        }
        self._pipe = Pipe(data=nothing)

    @cached_property
    def figure(self) -> figure:
        """The figure, built with what is on show."""
        stream = hv.DynamicMap(self._redraw, streams=[self._pipe])
        self._plot = _DRAWER.get_plot(stream)
        # HoloViews has it end with the current document, which is the whole program's
        # in a thread: it would keep the picture, and all that its callbacks know.
        self._plot.document = Document()
        built = self._plot.state
        dress(built)
        _put_below(built)
        for name, use in self._taps:
            _let_tap(built, _layer(built, name), use)
        add_downloads(built, self._filename)
        if self._moving is not None:
            # Drawn by itself: whatever is below is not drawn again.
            layer = _layer(built, self._moving)
            layer.level = "overlay"
            if self._moved:
                layer.data_source.data = self._moved
        return built

    @property
    def given(self) -> tuple[Any, ...]:
        """What is on show, as the drawing function is given it."""
        given: tuple[Any, ...] = self._pipe.data
        return given

    def _redraw(self, data: tuple[Any, ...]) -> hv.Overlay:
        with for_a_page():
            element = self._draw(*data)
        self.element = element.opts(backend="bokeh", **self._options)
        return self.element

    def show(self, *given: Any) -> None:
        """Draw something else into the same figure."""
        self._moved = {}
        self._pipe.send(given)

    def clear(self) -> None:
        """Show nothing, on the axes that are there."""
        if self._pipe.data is self._nothing:
            return
        self._moved = {}
        self._pipe.update(data=self._nothing)
        if "figure" in vars(self):
            # Not by the stream: somebody may be dragging what has made this old.
            for layer in self.figure.renderers:
                if isinstance(layer, GlyphRenderer):
                    source = layer.data_source
                    source.data = {name: [] for name in source.column_names}

    def move(self, **columns: Any) -> None:
        """Send the moving layer alone: for each step of a slider.

        Parameters
        ----------
        **columns
            All that is sent of it, by name, as the drawing function would have it.
        """
        if columns == self._moved:
            return
        self._moved = columns
        if self._moving is not None and "figure" in vars(self):
            _layer(self.figure, self._moving).data_source.data = columns

    def mark(self, *given: Any) -> None:
        """Draw something else that differs from what is on show in its marks alone.

        They go to the browser as they are, for each step of a slider. The stream would
        ask all layers what has changed, which takes a hundred times as long.
        """
        self._pipe.update(data=given)
        if self._marks is None or "figure" not in vars(self):
            return
        for name, columns in self._marks(*given).items():
            _layer(self.figure, name).data_source.data = dict(columns)

    def on_tap(self, name: str, use: Callable[[int], None]) -> None:
        """Call a function with the number of a row of a layer when it is tapped.

        Parameters
        ----------
        name : str
            Of the layer: the label of its element.
        use : callable
        """
        self._taps.append((name, use))


def _put_below(built: figure) -> None:
    """Put the legend out of the way of the data.

    HoloViews itself would take it out and in again with all new data: a new model for
    the browser, which lays out the figure anew and has no theme for it. It would also
    set its looks again, over those of the theme.
    """
    for legend in list(built.legend):
        if legend.items:
            legend.update(**_LEGEND)
            if len(legend.items) > _IN_A_ROW:
                legend.ncols = 2
            built.center.remove(legend)
            built.add_layout(legend, "below")


def _layer(built: figure, name: str) -> GlyphRenderer:
    return next(one for one in built.renderers if one.name == name)


def _let_tap(built: figure, drawn: GlyphRenderer, use: Callable[[int], None]) -> None:
    # Those that are not tapped stay as they are.
    drawn.nonselection_glyph = None
    built.add_tools(TapTool(renderers=[drawn]))
    selected = drawn.data_source.selected

    def tapped(_attribute: str, _old: object, indices: list[int]) -> None:
        if indices:
            selected.indices = []
            use(indices[0])

    selected.on_change("indices", tapped)


def _name_layers(plot: Any, _element: Any) -> None:
    """Name what is drawn by its label, for downloads and tests."""
    for part in plot.subplots.values():
        drawn = part.handles.get("glyph_renderer")
        if isinstance(drawn, GlyphRenderer) and drawn.name is None:
            drawn.name = part.current_frame.label or part.current_frame.group
