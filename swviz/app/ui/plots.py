"""Figures from arrays: no widgets, no computation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bokeh.models import (
    ColumnDataSource,
    CustomAction,
    CustomJS,
    FixedTicker,
    HoverTool,
    Label,
    Node,
    Range1d,
    SaveTool,
    Span,
)
from bokeh.plotting import figure

from swviz.diagrams import Diagram
from swviz.plot.places import bar_ranks
from swviz.plot.theme import ACCENT, GREY, STYLES

TOOLS = "pan,wheel_zoom,box_zoom,reset,save"

TOOLTIPS = [
    ("birth", "@birth{0.0000}"),
    ("death", "@death{0.0000}"),
    ("persistence", "@persistence{0.0000}"),
]

_DOWNLOAD = (Path(__file__).parent / "download.js").read_text()

# Letters on a tool's button, in a grey that light and dark toolbars both show.
_LETTERS = (
    "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' width='24' "
    "height='24'><text x='12' y='16' font-family='sans-serif' font-size='9.5' "
    "font-weight='700' text-anchor='middle' fill='rgb(131,147,160)'>{}</text></svg>"
)


def add_downloads(plot: figure, filename: str) -> None:
    """Give a figure's toolbar buttons that save it as PNG, as SVG and as CSV.

    The browser writes the files from what it shows: in an app, a notebook and a saved
    page alike. Rows of the CSV carry the name of the layer that draws them.

    Parameters
    ----------
    plot : bokeh figure
    filename : str
        Without an ending.
    """
    for tool in plot.select(SaveTool):
        plot.toolbar.tools.remove(tool)
    kinds = {"svg": "Save as SVG", "csv": "Save the data as CSV"}
    tools: list[Any] = []
    if plot.border_fill_color is None:
        # Bokeh would save it without a ground.
        kinds = {"png": "Save as PNG", **kinds}
    else:
        tools.append(SaveTool(filename=filename, description="Save as PNG"))
    for kind, what in kinds.items():
        callback = CustomJS(
            args={"plot": plot, "kind": kind, "filename": filename},
            code=_DOWNLOAD,
            module=True,
        )
        icon = "save" if kind == "png" else _LETTERS.format(kind.upper())
        tools.append(CustomAction(icon=icon, description=what, callback=callback))
    plot.add_tools(*tools)


MOVES = "pan,wheel_zoom,box_zoom,reset"
"""Tools of a figure that one can look into."""


def new_figure(filename: str, **options: Any) -> figure:
    """Make an empty figure as wide as its card, with downloads.

    Parameters
    ----------
    filename : str
        Of the downloads, without an ending.
    **options
        Parameters of the figure.
    """
    usual = {
        "sizing_mode": "stretch_width",
        "min_width": 0,
        "tools": MOVES,
        "toolbar_location": "above",
    }
    plot = figure(**{**usual, **options})
    dress(plot)
    add_downloads(plot, filename)
    return plot


def dress(plot: figure) -> None:
    """Give a figure the calm that all have: tools show when the pointer is over it."""
    plot.toolbar.update(
        logo=None,
        autohide=True,
        # Whoever drags a finger over a page wants to scroll.
        active_drag=None,
    )
    plot.grid.grid_line_alpha = 0.25


def label_ticks(axis: Any, labels: dict[float, str]) -> None:
    """Put labels at places of an axis.

    A new ticker would be a new model, for which Bokeh looks through the whole page:
    the one there is keeps its place.
    """
    for one in axis if isinstance(axis, list) else [axis]:
        if isinstance(one.ticker, FixedTicker):
            one.ticker.ticks = list(labels)
        else:
            one.ticker = FixedTicker(ticks=list(labels))
        one.major_label_overrides = labels


def columns(diagram: Diagram, above: bool = True) -> dict[str, Any]:
    """Return a diagram as columns for points and bars.

    Parameters
    ----------
    diagram : ndarray of shape (n, 2)
    above : bool, default=True
        Whether its bars are stacked upwards from zero or downwards.

    Returns
    -------
    dict of str to ndarray of shape (n,)
        The longest bar is nearest to zero.
    """
    rank = bar_ranks(diagram)
    return {
        "birth": diagram[:, 0],
        "death": diagram[:, 1],
        "persistence": diagram[:, 1] - diagram[:, 0],
        "y": rank if above else -rank,
    }


def empty_plane(low: float, high: float, tools: str = TOOLS, **options: Any) -> figure:
    """Plane of birth and death with the diagonal drawn and below it shaded.

    Parameters
    ----------
    low, high : float
        Range of both axes.
    tools : str
    **options
        Further parameters of the figure.
    """
    options = {
        "sizing_mode": "scale_width",
        "aspect_ratio": 1,
        "max_width": 620,
        **options,
    }
    plane = figure(
        match_aspect=True,
        x_range=Range1d(low, high),
        y_range=Range1d(low, high),
        x_axis_label="birth",
        y_axis_label="death",
        tools=tools,
        toolbar_location="above",
        **options,
    )
    plane.toolbar.update(logo=None, autohide=True)
    # Beyond any view, however far one pans or data move.
    far = 1e3 * (abs(low) + abs(high) + 1)
    plane.patch(
        [-far, far, far],
        [-far, far, -far],
        color=GREY,
        fill_alpha=0.14,
        line_alpha=0,
    )
    plane.line([-far, far], [-far, far], color=GREY, line_width=1.5)
    return plane


def add_points(plane: figure, name: str, source: ColumnDataSource) -> None:
    """Draw a diagram in a plane in the style that it has everywhere.

    Parameters
    ----------
    plane : bokeh figure
    name : {"A", "B"}
    source : ColumnDataSource
        See :func:`columns`.
    """
    style = STYLES[name]
    points = plane.scatter(
        "birth",
        "death",
        source=source,
        line_color="white",
        line_width=0.6,
        name=name,
        hover_fill_color=ACCENT,
        hover_line_color=ACCENT,
        **style,
    )
    plane.add_tools(
        HoverTool(
            renderers=[points],
            tooltips=[(name, "point $index"), *TOOLTIPS],
            visible=False,
        )
    )


def place_legend(plane: figure) -> None:
    """Name A and B in the corner where a diagram has no points: below the diagonal.

    Plain labels: Bokeh's own legend is drawn anew whenever a point moves.
    """
    # Below one another, with room for larger type.
    for name, sign, offset in (("A", "●", -32), ("B", "◆", -10)):
        plane.add_layout(
            Label(
                x=Node(target="frame", symbol="right", offset=-10),
                y=Node(target="frame", symbol="bottom", offset=offset),
                text=f"{sign} {name}",
                text_color=STYLES[name]["fill_color"],
                text_font_style="bold",
                text_align="right",
                text_baseline="bottom",
            )
        )


def barcode(sources: dict[str, ColumnDataSource], **options: Any) -> figure:
    """Bars of two diagrams, A's above zero and B's below, longest in the middle.

    Parameters
    ----------
    sources : dict of {"A", "B"} to ColumnDataSource
        See :func:`columns`. Shared with :func:`add_points`, so that hovering a bar
        marks its point and the other way round.
    **options
        Further parameters of the figure.
    """
    plot = figure(
        x_range=Range1d(0, 1),
        y_range=Range1d(-1, 1),
        x_axis_label="level t, from birth to death",
        tools=TOOLS,
        toolbar_location="above",
        **options,
    )
    plot.toolbar.update(logo=None, autohide=True)
    plot.yaxis.visible = False
    plot.ygrid.visible = False
    plot.add_layout(Span(location=0, dimension="width", line_color=GREY))
    for name, source in sources.items():
        bars = plot.hbar(
            y="y",
            left="birth",
            right="death",
            height=0.8,
            source=source,
            fill_color=STYLES[name]["fill_color"],
            line_color=None,
            hover_fill_color=ACCENT,
            hover_line_color=ACCENT,
            legend_label=name,
            name=name,
        )
        plot.add_tools(
            HoverTool(
                renderers=[bars],
                tooltips=[(name, "bar $index"), *TOOLTIPS],
                visible=False,
            )
        )
    plot.legend.location = "top_right"
    plot.legend.background_fill_alpha = 0.6
    plot.legend.border_line_alpha = 0
    plot.legend.padding = 4
    return plot
