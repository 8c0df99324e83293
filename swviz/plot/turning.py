"""Pictures that turn in a page of their own: no kernel, no server, no network.

HoloViews would take many times as long for a HoloMap, to be turned by a widget from the
network, and cannot where Material's widgets have been loaded. Here each figure is built
once; what changes are columns of numbers, which the browser steps through.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import holoviews as hv
import numpy as np
from bokeh.document import Document
from bokeh.embed import json_item
from bokeh.layouts import gridplot
from bokeh.models import ColumnDataSource, CustomJS
from bokeh.plotting import figure
from bokeh.resources import Resources
from bokeh.themes import Theme
from holoviews.streams import Pipe

from swviz.checks import check_number
from swviz.errors import ParameterError, shown

_HERE = Path(__file__).parent

SHOWN_BY = "_repr_mimebundle_"
"""What a notebook asks an object for."""


def steps(
    pictures: Mapping[float, hv.Overlay],
    name: str = "step",
    first: float | None = None,
) -> hv.HoloMap:
    """Put pictures one behind the other: a slider, or Play, goes through them.

    Parameters
    ----------
    pictures : dict of float to hv.Overlay
        By the value of what changes, in the order in which they are shown. All from the
        same function, with the same axes: nothing but their data changes.
    name : str, default="step"
        Of what changes.
    first : float, optional
        The value that is shown before anybody moves the slider; the first by default.

    Returns
    -------
    hv.HoloMap
        In a cell it shows itself, with all frames and all scripts: it goes on working
        in a saved notebook, and in the HTML of nbconvert, without a kernel or a
        network, and needs no ``hv.extension``.

    Examples
    --------
    >>> import swviz as sw
    >>> A, B = [(0, 1)], [(0, 2)]
    >>> combs = {M: sw.plot.cost_curve(A, B, n_directions=M) for M in (2, 4, 8)}
    >>> sw.plot.steps(combs, "M").keys()
    [2, 4, 8]
    """
    if not isinstance(pictures, Mapping) or not pictures:
        raise ParameterError(
            "pictures must be a dictionary, of pictures by the value of what changes, "
            f"not {shown(pictures)}"
        )
    for value in pictures:
        check_number(value, "pictures' values", -1e300, 1e300)
    kinds = [_kind(one) for one in pictures.values()]
    if any(kind != kinds[0] for kind in kinds):
        raise ParameterError(
            "pictures must come from one function, with the same layers and axes: only "
            "their data may change from step to step"
        )
    values = list(pictures)
    if first is not None and first not in values:
        raise ParameterError(f"first must be the value of a picture, not {first!r}")
    found = hv.HoloMap(list(pictures.items()), kdims=[name], sort=False)
    labels = [f"{name} = {value:.4g}" for value in values]
    start = 0 if first is None else values.index(first)
    show_itself(found, [found], labels, name, start)
    return found


def _kind(picture: Any) -> tuple[Any, ...]:
    if not isinstance(picture, hv.Overlay):
        raise ParameterError(
            f"pictures must be of swviz.plot, overlays of layers, not {shown(picture)}"
        )
    options = hv.Store.lookup_options("bokeh", picture, "plot").kwargs
    ends = tuple(
        tuple(float(f"{end:.9g}") for end in options.get(axis) or ())
        for axis in ("xlim", "ylim")
    )
    return *(type(one) for one in picture), *ends


def show_itself(
    picture: Any,
    parts: Sequence[hv.HoloMap],
    labels: Sequence[str],
    name: str,
    start: int = 0,
) -> None:
    """Have a notebook show a picture in a page of its own.

    It is of this one alone: objects of a subclass would not be laid out together with
    others by ``+``.
    """
    setattr(picture, SHOWN_BY, TurningPage(picture, parts, labels, name, start))


class TurningPage:
    """How a notebook shows HoloMaps over one dimension.

    Parameters
    ----------
    picture : hv.Layout or hv.HoloMap
        What is shown.
    parts : sequence of hv.HoloMap
        With the same frames, in which nothing but data changes.
    labels : sequence of str
        Of the frames.
    name : str
        Of what changes.
    start : int
        The frame that is shown first.
    """

    def __init__(
        self,
        picture: Any,
        parts: Sequence[hv.HoloMap],
        labels: Sequence[str],
        name: str,
        start: int,
    ) -> None:
        self._picture, self._parts = picture, parts
        self._labels, self._name, self._start = list(labels), name, start

    def __call__(self, include: Any = None, exclude: Any = None) -> Any:
        """Return what IPython shows, as its ``_repr_mimebundle_`` has to."""
        if hv.Store.current_backend != "bokeh":
            return hv.Store.render(self._picture)
        page = html.escape(self.html())
        shown = (
            f'<iframe srcdoc="{page}" loading="lazy" '
            'style="width:100%;height:760px;border:0"></iframe>'
        )
        return {"text/html": shown, "text/plain": repr(self._picture)}, {}

    def html(self) -> str:
        """Return a page with all frames and all that it needs to turn."""
        figures, parts = [], []
        for turning in self._parts:
            drawn, changing = frames_of(turning)
            figures.append(drawn)
            parts += changing
        # One frame alone has nothing that changes.
        sources, columns, ends, values = zip(*parts, strict=True) if parts else [()] * 4
        document = Document()
        tools = {"logo": None, "autohide": True}
        grid = gridplot(figures, ncols=2, toolbar_options=tools)
        document.add_root(grid)
        document.js_on_event(
            "document_ready",
            CustomJS(
                args={
                    "sources": sources,
                    "columns": columns,
                    "ends": ends,
                    "values": values,
                    "labels": self._labels,
                    "start": self._start,
                },
                code=(_HERE / "turning.js").read_text(),
                module=True,
            ),
        )
        theme = hv.renderer("bokeh").theme
        item = json_item(grid, theme=theme if isinstance(theme, Theme) else None)
        # Nothing in it may end the script that it stands in.
        text = json.dumps(item).replace("</", "<\\/")
        page = (_HERE / "turning.html").read_text()
        page = page.replace("%%NAME%%", html.escape(self._name))
        scripts = "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)
        return page.replace("%%ITEM%%", text).replace("%%SCRIPTS%%", scripts)


_Part = tuple[ColumnDataSource, list[str], list[int], list[Any]]


def frames_of(turning: hv.HoloMap) -> tuple[figure, list[_Part]]:
    """Build a figure with the first frame; return it with what changes later.

    Parameters
    ----------
    turning : hv.HoloMap
        Over one dimension.

    Returns
    -------
    drawn : bokeh figure
    parts : list of (ColumnDataSource, list of str, list of int, list)
        A source, its columns that change, where their frames end, and the values of
        each, one frame after the other.
    """
    keys = turning.keys()
    pipe = Pipe(data=keys[0])
    stream = hv.DynamicMap(lambda data: turning[data], streams=[pipe])
    drawn = hv.renderer("bokeh").get_plot(stream, doc=Document()).state
    sources = list(drawn.select(ColumnDataSource))
    frames: list[list[dict[str, Any]]] = []
    for key in keys:
        pipe.send(key)
        frames.append([dict(source.data) for source in sources])
    pipe.send(keys[0])
    # Its frame has a size; HoloViews says that the whole has one, too. WebGL would be
    # another script.
    drawn.update(sizing_mode=None, output_backend="canvas")
    return drawn, [
        part
        for source, data in zip(sources, zip(*frames, strict=True), strict=True)
        if (part := _part(source, data))[1]
    ]


def _part(source: ColumnDataSource, frames: Sequence[dict[str, Any]]) -> _Part:
    first = frames[0]
    changing = [
        name
        for name in first
        if not all(np.array_equal(frame[name], first[name]) for frame in frames[1:])
    ]
    if not changing:
        return source, [], [], []
    ends = np.cumsum([len(frame[changing[0]]) for frame in frames]).tolist()
    joined = [_joined([frame[name] for frame in frames]) for name in changing]
    return source, changing, ends, joined


def _joined(columns: Sequence[Any]) -> Any:
    """Join the columns of all frames, numbers in one array."""
    kinds = {one.dtype.kind for one in columns if isinstance(one, np.ndarray)}
    if kinds and kinds <= set("fiub") and {np.ndim(one) for one in columns} == {1}:
        return np.concatenate(columns).astype(np.float64)
    # Texts, or a picture or an outline a row.
    return [row for column in columns for row in column]
