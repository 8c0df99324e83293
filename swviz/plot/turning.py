"""Pictures that turn in a page of their own: no kernel, no server, no network.

HoloViews would take many times as long for a HoloMap, to be turned by a widget from the
network, and cannot where Material's widgets have been loaded. Here each figure is built
once; what changes are columns of numbers, which the browser steps through.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
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

_HERE = Path(__file__).parent

SHOWN_BY = "_repr_mimebundle_"
"""What a notebook asks an object for."""


class TurningPage:
    """How a notebook shows a layout of HoloMaps over one angle.

    Parameters
    ----------
    layout : hv.Layout
        Of HoloMaps with the same frames, in which nothing but data changes.
    labels : sequence of str
        Of the frames.
    """

    def __init__(self, layout: hv.Layout, labels: Sequence[str]) -> None:
        self._layout = layout
        self._labels = list(labels)

    def __call__(self, include: Any = None, exclude: Any = None) -> Any:
        """Return what IPython shows, as its ``_repr_mimebundle_`` has to."""
        if hv.Store.current_backend != "bokeh":
            return hv.Store.render(self._layout)
        page = html.escape(self.html())
        shown = (
            f'<iframe srcdoc="{page}" loading="lazy" '
            'style="width:100%;height:760px;border:0"></iframe>'
        )
        return {"text/html": shown, "text/plain": repr(self._layout)}, {}

    def html(self) -> str:
        """Return a page with all frames and all that it needs to turn."""
        figures, parts = [], []
        for turning in self._layout:
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
    joined = [np.concatenate([frame[name] for frame in frames]) for name in changing]
    numbers = [
        column.astype(np.float64) if column.dtype.kind in "fiub" else column.tolist()
        for column in joined
    ]
    return source, changing, ends, numbers
