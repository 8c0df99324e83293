"""What all pictures are made of: marks that look alike with Bokeh and Matplotlib.

A mark takes its look once, in Bokeh's words, and gets it in both libraries. Matplotlib
is optional; where it is not installed its options are left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from importlib.util import find_spec
from typing import Any

import holoviews as hv

# Plotting is loaded by import: hv.extension would write scripts into a notebook's cell.
import holoviews.plotting.bokeh
import numpy as np
from bokeh.themes import Theme

from swviz.plot import theme

HAS_MATPLOTLIB = find_spec("matplotlib") is not None
"""Whether pictures can be drawn with Matplotlib too."""

if HAS_MATPLOTLIB:
    # Now, for a picture keeps the options of those libraries alone that are loaded.
    import holoviews.plotting.mpl

COUNT_TICKS = (1, 2, 3, 5, 10, 20, 50, 100, 200)
"""Where people look for numbers of directions."""

DIRECTIONS = hv.Dimension("M", label="number of directions M")

_MARKERS = {
    "circle": "o", "square": "s", "triangle": "^", "diamond": "D",
    "inverted_triangle": "v", "hex": "h", "star": "*", "plus": "P", "x": "X",
    "cross": "P",
}  # fmt: skip
_HOLLOW = ("x", "cross")
"""Markers that are lines alone: they have no fill."""

_EDGED = 9
"""Size from which marks have a white edge."""

_POINTS = 0.75
"""Points a pixel."""


_mode: theme.Mode = "light"


def theme_in_use() -> theme.Mode:
    """Return the theme that :func:`use_theme` was called with last."""
    return _mode


def use_theme(mode: theme.Mode = "light") -> None:
    """Draw all further pictures for a light or a dark page.

    Parameters
    ----------
    mode : {"light", "dark"}, default="light"

    Notes
    -----
    This is for the whole program: it sets the theme of HoloViews' Bokeh renderer and
    Matplotlib's ``rcParams``.

    Examples
    --------
    >>> import swviz as sw
    >>> sw.plot.use_theme("light")
    """
    global _mode
    hv.renderer("bokeh").theme = Theme(json=theme.bokeh_theme(mode))
    _mode = mode
    if HAS_MATPLOTLIB:
        import matplotlib

        look: Any = theme.matplotlib_theme(mode)
        matplotlib.rcParams.update(look)


_BOKEH_ALONE: ContextVar[bool] = ContextVar("bokeh_alone", default=False)


@contextmanager
def for_a_page() -> Iterator[None]:
    """Make pictures for Bokeh alone, not to be laid over others: in half the time."""
    before = _BOKEH_ALONE.set(True)
    try:
        yield
    finally:
        _BOKEH_ALONE.reset(before)


def styled(element: Any, bokeh: Mapping[str, Any], mpl: Mapping[str, Any]) -> Any:
    """Give an element its look in both libraries.

    Parameters
    ----------
    element : hv.Element or hv.Overlay
    bokeh, mpl : mapping of str to object
        HoloViews options.

    Returns
    -------
    The element.
    """
    # Axes are set for all frames of a HoloMap at once: to look through all of them for
    # each would take minutes.
    element = element.opts(backend="bokeh", framewise=True, **bokeh)
    if HAS_MATPLOTLIB and not _BOKEH_ALONE.get():
        element = element.opts(backend="matplotlib", framewise=True, **mpl)
    return element


def dots(
    element: Any,
    color: Any,
    marker: Any = "circle",
    size: float = 7,
    *,
    alpha: float = 1.0,
    hollow: bool = False,
    width: float = 0.6,
    tooltips: Sequence[tuple[str, str]] | None = None,
    by_column: bool = False,
    **shared: Any,
) -> Any:
    """Draw points.

    Parameters
    ----------
    element : hv.Points or hv.Scatter
    color : str
    marker : str, default="circle"
        By Bokeh's name.
    size : float, default=7
        In pixels.
    alpha : float, default=1.0
    hollow : bool, default=False
        A ring instead of a disc.
    width : float, default=0.6
        Of the line around a point; of the whole mark if it is hollow.
    tooltips : sequence of (str, str), optional
        What the pointer is told, by Bokeh's rules.
    by_column : bool, default=False
        Whether it is told so above and below a point, too.
    **shared
        Further options that both libraries know.
    """
    lines = hollow or marker in _HOLLOW
    # Large marks keep apart by a white edge; small ones would be nothing but edge.
    edge = color if lines or size < _EDGED else "white"
    hover = {} if tooltips is None else _hover(tooltips)
    if by_column:
        hover["hover_mode"] = "vline"
    bokeh: dict[str, Any] = {
        "marker": marker, "size": size, "fill_color": None if hollow else color,
        "line_color": edge, "line_width": width,
        "alpha": alpha, **hover, **shared,
    }  # fmt: skip
    mpl: dict[str, Any] = {
        "marker": _MARKERS[marker], "s": (_POINTS * size) ** 2, "alpha": alpha,
        "linewidth": _POINTS * width, **shared,
    }  # fmt: skip
    if hollow and marker not in _HOLLOW:
        mpl |= {"facecolors": "none", "edgecolors": color}
    elif lines:
        mpl |= {"color": color}
    else:
        mpl |= {"color": color, "edgecolors": edge}
    return styled(element, bokeh, mpl)


def line(
    element: Any,
    color: str,
    width: float = 2,
    dash: str = "solid",
    alpha: float = 1.0,
    tooltips: Sequence[tuple[str, str]] | None = None,
    **shared: Any,
) -> Any:
    """Draw a curve, a path, segments or a straight line.

    Parameters
    ----------
    element : hv.Curve, hv.Path, hv.Segments, hv.HLine, hv.VLine or hv.Slope
    color : str
    width : float, default=2
        In pixels.
    dash : {"solid", "dashed", "dotted"}, default="solid"
    alpha : float, default=1.0
    tooltips : sequence of (str, str), optional
    **shared
        Further options that both libraries know.
    """
    bokeh: dict[str, Any] = {
        "color": color,
        "line_width": width,
        "line_dash": dash,
        "alpha": alpha,
        **shared,
    }
    if tooltips is not None:
        bokeh |= _hover(tooltips)
    mpl: dict[str, Any] = {
        "color": color,
        "linewidth": _POINTS * width,
        "linestyle": dash,
        "alpha": alpha,
        **shared,
    }
    return styled(element, bokeh, mpl)


def ground(
    element: Any,
    color: Any,
    alpha: float,
    edge: str | None = None,
    width: float = 1,
    tooltips: Sequence[tuple[str, str]] | None = None,
) -> Any:
    """Draw an area, a polygon or boxes.

    Parameters
    ----------
    element : hv.Area, hv.Polygons or hv.Rectangles
    color : str
    alpha : float
        Of the fill.
    edge : str, optional
        Colour of the outline; none by default.
    width : float, default=1
        Of the outline.
    tooltips : sequence of (str, str), optional
    """
    bokeh: dict[str, Any] = {"fill_color": color, "fill_alpha": alpha}
    bokeh |= {"line_color": edge, "line_width": width}
    if tooltips is not None:
        bokeh |= _hover(tooltips)
    mpl: dict[str, Any] = {"edgecolor": edge or "none", "linewidth": _POINTS * width}
    mpl["facecolor"] = with_alpha(color, alpha)
    if isinstance(element, hv.Area):
        mpl |= {"facecolor": color, "color": color, "alpha": alpha}
    elif isinstance(element, hv.Polygons):
        # HoloViews has a default for either, which would win over the other.
        mpl["color"] = mpl["facecolor"]
    return styled(element, bokeh, mpl)


def _hover(tooltips: Sequence[tuple[str, str]]) -> dict[str, Any]:
    return {"tools": ["hover"], "hover_tooltips": list(tooltips)}


def with_alpha(color: str, alpha: float) -> str:
    """Return a colour such as "#00AAFF80".

    Parameters
    ----------
    color : str
        Such as "#00AAFF".
    alpha : float
    """
    return f"{color}{round(255 * alpha):02X}"


def words(
    element: Any, color: str = theme.GREY, size: int = 9, align: str = "center"
) -> Any:
    """Write labels.

    Parameters
    ----------
    element : hv.Labels
    color : str
    size : int, default=9
        In points.
    align : {"left", "center", "right"}, default="center"
    """
    return styled(
        element,
        {"text_color": color, "text_font_size": f"{size}pt", "text_align": align},
        {"color": color, "size": size, "horizontalalignment": align},
    )


def level(
    height: float,
    ends: Sequence[float],
    dimensions: Sequence[Any],
    label: str,
    color: str,
    dash: str = "dashed",
    **shared: Any,
) -> Any:
    """Draw a line across that the legend names, as it does not those of hv.HLine.

    Parameters
    ----------
    height : float
    ends : sequence of two floats
        Of the axis; none, for a line without points.
    dimensions : sequence of two dimensions
        Of the axes.
    label, color : str
    dash : str, default="dashed"
    **shared
        Further options that both libraries know.
    """
    curve = hv.Curve((list(ends), [height] * len(ends)), *dimensions, label=label)
    return line(curve, color, 1.5, dash, apply_ranges=False, **shared)


def every(texts: Sequence[str], most: int) -> list[tuple[float, str]]:
    """Name as many of the places 0, 1, 2 ... as there is room for, evenly.

    Parameters
    ----------
    texts : sequence of str
    most : int

    Examples
    --------
    >>> every(["1", "2", "4", "8"], 2)
    [(0.0, '1'), (2.0, '4')]
    """
    step = max(1, -(-len(texts) // most))
    return [(float(k), texts[k]) for k in range(0, len(texts), step)]


def behind(element: Any) -> Any:
    """Leave an element out of what the axes have to hold.

    Parameters
    ----------
    element : hv.Element
    """
    option = {"apply_ranges": False}
    return styled(element, option, option)


def framed(
    layers: Sequence[Any],
    *,
    size: tuple[int, int] = (420, 300),
    legend: str | None = None,
    **options: Any,
) -> hv.Overlay:
    """Lay layers over one another, with the axes that they share.

    Parameters
    ----------
    layers : sequence of hv.Element
        From the ground up.
    size : (int, int), default=(420, 300)
        Of the frame, in pixels.
    legend : str, optional
        Where it stands; none by default.
    **options
        HoloViews options that both libraries know: xlim, logx, xticks, ...

    Returns
    -------
    hv.Overlay
    """
    width, height = size
    shared = {"title": "", "show_grid": True, **options}
    bokeh = shared | {
        "frame_width": width,
        "frame_height": height,
        "autohide_toolbar": True,
    }
    mpl = shared | {
        "aspect": width / height,
        "fig_inches": (width / 75, height / 75),
    }
    if options.get("logx") or options.get("logy"):
        # HoloViews would take the aspect by another logarithm than Matplotlib.
        mpl |= {"aspect": "auto", "hooks": [_name_ticks_alone]}
        # Matplotlib asks for ticks before HoloViews tells it the limits, and finds none
        # for a layer without rows.
        mpl["initial_hooks"] = [partial(_limit, options)]
    shown = {"show_legend": legend is not None}
    if legend is not None:
        shown["legend_position"] = legend  # type: ignore[assignment]
    first, *others = layers
    if not _BOKEH_ALONE.get():
        # It keeps its axes when others are laid over it with *.
        first = styled(first, bokeh, mpl)
    return styled(hv.Overlay([first, *others]), bokeh | shown, mpl | shown)


def _limit(options: Mapping[str, Any], plot: Any, _element: Any) -> None:
    """Set the limits of Matplotlib's axes."""
    plot.handles["axis"].set(
        **{name: options[name] for name in ("xlim", "ylim") if name in options}
    )


def _name_ticks_alone(plot: Any, _element: Any) -> None:
    """Keep Matplotlib from writing numbers between the ticks of a logarithmic axis."""
    from matplotlib.ticker import NullFormatter

    for axis in (plot.handles["axis"].xaxis, plot.handles["axis"].yaxis):
        axis.set_minor_formatter(NullFormatter())


def log_span(values: Any, factor: float = 1.6) -> tuple[float, float]:
    """Return a logarithmic axis that holds all positive values.

    Parameters
    ----------
    values : array-like
    factor : float, default=1.6
        The margin.

    Returns
    -------
    low, high : float
    """
    given = np.asarray(values, dtype=np.float64).ravel()
    given = given[np.isfinite(given) & (given > 0)]
    if not len(given):
        return 0.1, 10.0
    low, high = float(given.min() / factor), float(given.max() * factor)
    # Equal values are in the middle of an axis with a tick on either side.
    more = max(1.0, math.sqrt(12 * low / high))
    return low / more, high * more


def log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Choose ticks of a logarithmic axis and write them plainly.

    Parameters
    ----------
    low, high : float
        Ends of the axis.

    Returns
    -------
    list of (float, str)
        1, 2 and 5 of each decade, or 1 alone where there are many.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    decades = math.log10(high / low)
    digits = (1, 2, 5) if decades < 2 else (1,)
    step = max(1, (last - first) // 8)
    values = [
        float(f"{digit}e{power}")
        for power in range(first, last + 1, step)
        for digit in digits
    ]
    return [(value, plain(value)) for value in values if low <= value <= high]


def plain(value: float) -> str:
    """Write a number as one would by hand.

    Parameters
    ----------
    value : float

    Examples
    --------
    >>> plain(0.05), plain(2000.0), plain(1e-9)
    ('0.05', '2000', '1e-09')
    """
    return f"{value:.0f}" if 1000 <= value < 1e6 else f"{value:.3g}"


def count_ticks(counts: Any) -> list[tuple[float, str]]:
    """Return ticks for numbers of directions on a logarithmic axis.

    Parameters
    ----------
    counts : array-like of int
    """
    largest = max(np.asarray(counts).tolist(), default=1)
    return [(float(tick), str(tick)) for tick in COUNT_TICKS if tick <= largest]


def shorten(text: str, most: int = 14) -> str:
    """Cut text that would not fit on an axis.

    Parameters
    ----------
    text : str
    most : int, default=14

    Examples
    --------
    >>> shorten("a very long name", 8)
    'a very …'
    """
    return text if len(text) <= most else text[: most - 1] + "…"
