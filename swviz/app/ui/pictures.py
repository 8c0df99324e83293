"""Pictures of `swviz.plot` on the page: drawn once for all pages, then sent new data.

HoloViews takes some hundred milliseconds to build a figure, and a tenth of a second to
draw new data into it. So it does that in one figure for all sessions, the original;
each page has a copy, which takes over whatever new data have changed there.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np
from bokeh.core.serialization import Deserializer
from bokeh.document import Document
from bokeh.model import Model
from bokeh.models import GlyphRenderer, TapTool
from bokeh.plotting import figure
from bokeh.util.serialization import make_id
from holoviews.streams import Pipe
from panel.io.state import set_curdoc

from swviz.app.runtime.building import in_order, one_at_a_time
from swviz.app.ui.plots import add_downloads, dress
from swviz.plot.looks import for_a_page
from swviz.results import Result

_DRAWER = hv.plotting.bokeh.BokehRenderer.instance(
    mode="default", theme=None, webgl=False
)
"""Without a theme: the page has one, and its own way to change it. Without WebGL, which
fills the console with complaints of drivers."""
# HoloViews would ask Bokeh for the current document otherwise, and this is whatever
# another thread has made current, or has just thrown away.
_DRAWER.notebook_context = True

_KEPT = 4
"""What an original remembers to have drawn: sessions with the same data share it."""

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

_IN_A_ROW, _LETTERS_IN_A_ROW = 3, 24
"""Names of a legend, and letters of all of them, that fit side by side on a phone."""

Place = tuple[str, str]
"""The id of a model of the original, and the name of one of its properties."""


class Original:
    """The figure into which HoloViews draws, for the copies on all pages.

    Parameters
    ----------
    draw : callable
    given : tuple
        What is drawn first.
    filename : str
    moving : str or None
    options : dict
        As in :class:`Picture`.
    """

    def __init__(
        self,
        draw: Callable[..., hv.Overlay],
        given: tuple[Any, ...],
        filename: str,
        moving: str | None,
        options: dict[str, Any],
    ) -> None:
        self._draw, self._options = draw, options
        self._pipe = Pipe(data=given)
        # Its own, or HoloViews ties it to the one of the page that comes first.
        self._document = Document()
        with set_curdoc(self._document):
            self._plot = _DRAWER.get_plot(
                hv.DynamicMap(self._redraw, streams=[self._pipe])
            )
        # What is the current document to HoloViews is the page's nevertheless.
        self._plot.document = self._document
        built = self._plot.state
        dress(built)
        _put_below(built)
        add_downloads(built, filename)
        if moving is not None:
            # Drawn by itself: whatever is below is not drawn again.
            layer_of(built, moving).level = "overlay"
        self._document.add_root(built)
        with self._document.models.freeze(), _with_fewer_models(built):
            self._json = self._document.to_json(deferred=False)["roots"]
        self._changed: dict[Place, None] = {}
        self._document.on_change(self._note)
        self._drawn: deque[tuple[tuple[Any, ...], dict[Place, Any]]] = deque(
            [(given, {})], maxlen=_KEPT
        )

    def _redraw(self, data: tuple[Any, ...]) -> hv.Overlay:
        with for_a_page():
            element = self._draw(*data)
        return element.opts(backend="bokeh", **self._options)

    def _note(self, event: Any) -> None:
        # The figure holds its breath while new data come, and so does each copy.
        if event.attr != "hold_render":
            self._changed[event.model.id, event.attr] = None

    @cached_property
    def _first(self) -> dict[str, Model]:
        """What it consisted of when it was new."""
        return self._copy()[1]

    def copy(self) -> tuple[figure, dict[str, Model]]:
        """Make a figure like the original when it was new.

        Returns
        -------
        figure
        dict of str to Model
            What it consists of, by the ids in the original.
        """
        with one_at_a_time:
            return self._copy()

    def _copy(self) -> tuple[figure, dict[str, Model]]:
        ids: dict[str, str] = {}
        [made] = Deserializer().deserialize(_renamed(self._json, ids))
        models = {model.id: model for model in made.references()}
        return made, {old: models[new] for old, new in ids.items()}

    def draw(self, given: tuple[Any, ...]) -> dict[Place, Any]:
        """Draw something.

        Parameters
        ----------
        given : tuple
            What the drawing function is given.

        Returns
        -------
        dict of (str, str) to object
            All that has ever changed in the original, as it is now.
        """
        with one_at_a_time:
            for known, values in self._drawn:
                if known is given or _is_same(known, given):
                    return {
                        place: values[place] if place in values else self._was(place)
                        for place in self._changed
                    }
            # Every new model would have all of them collected again.
            with set_curdoc(self._document), self._document.models.freeze():
                self._pipe.send(given)
            values = {place: self._is(place) for place in self._changed}
            if _is_same(given, given):
                self._drawn.append((given, values))
            return values

    def _is(self, place: Place) -> Any:
        name, attribute = place
        return _plain(getattr(self._document.get_model_by_id(name), attribute))

    def _was(self, place: Place) -> Any:
        name, attribute = place
        model = self._first.get(name)
        return None if model is None else _plain(getattr(model, attribute))


_SHARED = 64
_originals: OrderedDict[Any, Original] = OrderedDict()
"""Those that pages share, by how they are drawn: the ones used last. The app has some
twenty."""


class Picture:
    """A figure that a function of `swviz.plot` draws, as wide as its card.

    The figure is made when it is first asked for; what is shown later goes into the
    same models, and sends data alone.

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
    of : hashable, optional
        What decides which layers there are, beside the kinds of what `draw` is given.
    **options
        Further options of the overlay, in HoloViews' words.

    Attributes
    ----------
    given : tuple
        What is on show, as the drawing function is given it.
    """

    def __init__(
        self,
        draw: Callable[..., hv.Overlay],
        *nothing: Any,
        filename: str,
        height: int | None = 290,
        moving: str | None = None,
        marks: Callable[..., Mapping[str, Mapping[str, Any]]] | None = None,
        of: Hashable = None,
        **options: Any,
    ) -> None:
        self._of = of
        self.given = self._nothing = nothing
        self._draw = draw
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

    @cached_property
    def _original(self) -> Original:
        draw, name = self._draw, getattr(self._draw, "__qualname__", "")
        module = sys.modules.get(getattr(draw, "__module__", None) or "")
        arguments = draw, self.given, self._filename, self._moving, self._options
        if getattr(module, name, None) is not draw:
            # A function of somebody's own, which is to be gone with them.
            return Original(*arguments)
        # A function may have other layers for other kinds of results.
        kinds = tuple(map(type, self._nothing))
        key = draw, kinds, self._of, self._filename, self._moving, repr(self._options)
        with one_at_a_time:
            if key not in _originals:
                _originals[key] = Original(*arguments)
                if len(_originals) > _SHARED:
                    _originals.popitem(last=False)
            _originals.move_to_end(key)
            return _originals[key]

    @cached_property
    def figure(self) -> figure:
        """The figure, made with what is on show."""
        made, self._models = self._original.copy()
        self._take(self._original.draw(self.given))
        for name, use in self._taps:
            _let_tap(made, layer_of(made, name), use)
        if self._moving is not None and self._moved:
            layer_of(made, self._moving).data_source.data = self._moved
        return made

    def _take(self, values: Mapping[Place, Any]) -> None:
        """Take over what is otherwise in the original by now, of what a copy has."""
        for (name, attribute), value in values.items():
            model = self._models.get(name)
            if model is not None and not _is_equal(
                _plain(getattr(model, attribute)), value
            ):
                setattr(model, attribute, value)

    def show(self, *given: Any) -> None:
        """Draw something else into the same figure."""
        self._moved = {}
        self.given = given
        if "figure" in vars(self):
            values = self._original.draw(given)
            with in_order():
                self.figure.hold_render = True
                try:
                    self._take(values)
                finally:
                    self.figure.hold_render = False

    def clear(self) -> None:
        """Show nothing, on the axes that are there."""
        if self.given is self._nothing:
            return
        self._moved = {}
        self.given = self._nothing
        if "figure" in vars(self):
            # Not drawn: somebody may be dragging what has made this old.
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
            layer_of(self.figure, self._moving).data_source.data = columns

    def mark(self, *given: Any) -> None:
        """Draw something else that differs from what is on show in its marks alone.

        They go to the browser as they are, for each step of a slider. HoloViews would
        ask all layers what has changed, which takes a hundred times as long.
        """
        self.given = given
        if self._marks is None or "figure" not in vars(self):
            return
        for name, columns in self._marks(*given).items():
            layer_of(self.figure, name).data_source.data = dict(columns)

    def on_tap(self, name: str, use: Callable[[int], None]) -> None:
        """Call a function with the number of a row of a layer when it is tapped.

        Parameters
        ----------
        name : str
            Of the layer: the label of its element.
        use : callable
        """
        self._taps.append((name, use))


def layer_of(built: figure, name: str) -> GlyphRenderer:
    """Return the layer of a figure with this name."""
    return next(one for one in built.renderers if one.name == name)


def _renamed(part: Any, ids: dict[str, str]) -> Any:
    """Return a part of a figure's JSON with new ids, and note which is whose."""
    if isinstance(part, list | tuple):
        return [_renamed(one, ids) for one in part]
    if not isinstance(part, dict):
        return part
    # The keys of users' data are values here: "id" is always a model's.
    return {
        key: ids.setdefault(value, ids.get(value) or make_id())
        if key == "id"
        else _renamed(value, ids)
        for key, value in part.items()
    }


def _plain(value: Any) -> Any:
    """Return the value of a property apart from its model, which is told of changes."""
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else value


def _is_equal(one: Any, other: Any) -> bool:
    """Tell whether two values of a property are the same, part by part."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _is_equal(one[key], other[key]) for key in one
        )
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return one is other or (
            type(one) is type(other)
            and one.dtype == other.dtype
            and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        )
    if type(one) is not type(other):
        return False
    try:
        return bool(one == other)
    except ValueError:
        # Lists of arrays: pictures or outlines, one a row.
        return len(one) == len(other) and all(map(_is_equal, one, other))


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two things are drawn alike, as far as that is cheap to know.

    Lists, dictionaries and arrays may have changed since, unless they are empty;
    results do not.
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_is_same, one, other))
    if isinstance(one, list | dict):
        return not one and not other
    return one is other if isinstance(one, Result) else _is_fixed(one) and one == other


def _is_fixed(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _put_below(built: figure) -> None:
    """Put the legend out of the way of the data.

    HoloViews itself would take it out and in again with all new data: a new model for
    the browser, which lays out the figure anew and has no theme for it. It would also
    set its looks again, over those of the theme.
    """
    for legend in list(built.legend):
        if legend.items:
            legend.update(**_LEGEND)
            names = [str(item.label.value) for item in legend.items]
            if len(names) > _IN_A_ROW or sum(map(len, names)) > _LETTERS_IN_A_ROW:
                legend.ncols = 2
            built.center.remove(legend)
            built.add_layout(legend, "below")


@contextmanager
def _with_fewer_models(built: figure) -> Iterator[None]:
    """Have marks that are selected look as all do, and leave faint ones to the browser.

    HoloViews has a model for each of these looks, a fifth of all that a figure has, and
    would make it again with the next data.
    """
    # None: as all others. What is made faint is so by default.
    looks = {"selection_glyph": None, "nonselection_glyph": None, "muted_glyph": "auto"}
    layers = [one for one in built.renderers if isinstance(one, GlyphRenderer)]
    kept = [(layer, {name: getattr(layer, name) for name in looks}) for layer in layers]
    for layer in layers:
        layer.update(**looks)
    try:
        yield
    finally:
        for layer, those in kept:
            layer.update(**those)


def _let_tap(built: figure, drawn: GlyphRenderer, use: Callable[[int], None]) -> None:
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
