"""Colours, markers and fonts, light and dark, of plots, of the app and of the paper.

A kernel, a diagram, a rule and a class have one look everywhere. This module loads no
plotting library.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import colorcet

from swviz.checks import check_choice
from swviz.typing import Rule

Mode = Literal["light", "dark"]

ACCENT = "#C43C8A"
"""What is "now": the turning line, the cursor. Far from A and B to every eye."""

GREY = "#8393A0"
"""What stands back: axes, bounds, whatever is compared with."""

GAIN, LOSS = "#009E73", "#D7263D"
"""Of segments that count for the distance, and against it; legible on dark, too."""

MATCHING = "#8C6BB1"
"""Of the optimal matching in the plane, beside what slices match."""

MISTAKE = "#D7263D"

STYLES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "A": {"fill_color": "#0072B2", "marker": "circle", "size": 9},
        "B": {"fill_color": "#D55E00", "marker": "diamond", "size": 12},
    }
)
"""The two diagrams, everywhere: colours that colour-blind eyes tell apart."""

KERNEL_COLORS: Mapping[str, str] = MappingProxyType(
    {"k_SW": "#E08A00", "k_PSS": "#3B9DD9", "k_PWG": "#009E73", "Gaussian": GREY}
)
"""Of kernels, by the first word of their names, apart from A, B and "now"."""

KERNEL_STYLES: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "k_pss": ("k_PSS", KERNEL_COLORS["k_PSS"], "square"),
        "k_pwg": ("k_PWG", KERNEL_COLORS["k_PWG"], "triangle"),
        "k_sw": ("k_SW", KERNEL_COLORS["k_SW"], "circle"),
        "k_d1": ("Gaussian on d₁", KERNEL_COLORS["Gaussian"], "cross"),
    }
)
"""Name, colour and marker of kernels by their keys, in the order of drawing."""

RULE_STYLES: Mapping[Rule, Mapping[str, Any]] = MappingProxyType(
    {
        "paper": {"color": "#C98A00", "marker": "square", "name": "paper"},
        "diagonal": {"color": "#009E73", "marker": "triangle", "name": "diagonal"},
        "random": {"color": GREY, "marker": "x", "name": "random"},
    }
)
"""The three rules that place directions."""

TIER_STYLES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "exact": {"color": ACCENT, "marker": "star", "label": "exact"},
        "slices": {"color": "#56799B", "marker": "circle", "label": "slices"},
        "embedding": {"color": "#8C6BB1", "marker": "diamond", "label": "embedding"},
    }
)
"""The three ways to the distance."""

LINE_STYLES: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "train": ("training", "#E69F00", "dashed"),
        "cv": ("cross-validated", "#009E73", "solid"),
        "test": ("test", "#AA4499", "dotted"),
    }
)
"""Name, colour and dash of the accuracies of one machine."""

SET_COLORS: tuple[str, ...] = ("#AA4499", "#44AA99", "#7B74D6", "#999933", "#CC6677")
"""Of data sets; after Tol's, told apart by most eyes; repeated after the last."""

MARKERS: tuple[str, ...] = (
    "circle", "square", "triangle", "diamond", "inverted_triangle", "hex", "star",
    "plus",
)  # fmt: skip
"""Of data sets, or of curves of the same colour, in this order."""

CLASS_COLORS: tuple[str, ...] = (
    "#56B4E9", "#E69F00", "#009E73", "#AA4499", "#DDCC77", "#CC6677", "#44AA99",
    "#999933", "#B7A5F0", "#88CCEE",
)  # fmt: skip
"""Colour-blind safe in this order, and apart from the colours of A and B."""

MOST_COLORS = len(colorcet.glasbey_light)
"""Of classes: 256, so that a byte can tell."""

SEQUENTIAL: tuple[str, ...] = tuple(colorcet.CET_CBL1[:24:-1])
"""Pale is little, dark is much; without the blackest."""

SHADE = "#1B6CA8"
"""Of what lies over the paper, light or dark: the more, the less of it shows."""

FONT = "system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

MODES: Mapping[Mode, Mapping[str, str]] = MappingProxyType(
    {
        "light": {"paper": "#FFFFFF", "text": "#1F2933", "line": "#D5DCE3"},
        "dark": {"paper": "#1A242E", "text": "#E4EAF0", "line": "#3A4753"},
    }
)
"""Ground, words and grid of a light and of a dark page."""


def class_color(index: int) -> str:
    """Return the colour of a class by its number; beyond 256 they come again.

    Parameters
    ----------
    index : int

    Returns
    -------
    str

    Examples
    --------
    >>> class_color(0), class_color(256) == class_color(0)
    ('#56B4E9', True)
    """
    index %= MOST_COLORS
    if index < len(CLASS_COLORS):
        return CLASS_COLORS[index]
    color: str = colorcet.glasbey_light[index]
    return color


def bokeh_theme(mode: Mode = "light") -> dict[str, Any]:
    """Return the look of a page as ``bokeh.themes.Theme(json=...)`` wants it.

    Parameters
    ----------
    mode : {"light", "dark"}, default="light"

    Returns
    -------
    dict
    """
    check_choice(mode, "mode", MODES)
    paper, text, line = MODES[mode].values()
    words = {"text_color": text, "text_font": FONT}
    return {
        "attrs": {
            "Plot": {
                "background_fill_color": paper,
                "border_fill_color": paper,
                "outline_line_color": line,
            },
            "Grid": {"grid_line_color": line, "grid_line_alpha": 0.6},
            "Axis": {
                "axis_line_color": line,
                "major_tick_line_color": line,
                "minor_tick_line_color": line,
                "axis_label_text_color": text,
                "axis_label_text_font": FONT,
                "axis_label_text_font_style": "normal",
                "major_label_text_color": text,
                "major_label_text_font": FONT,
            },
            "Legend": {
                "background_fill_color": paper,
                "background_fill_alpha": 0.7,
                "border_line_alpha": 0,
                "label_text_color": text,
                "label_text_font": FONT,
            },
            "BaseColorBar": {
                "background_fill_color": paper,
                "major_label_text_color": text,
                "title_text_color": text,
            },
            "Title": words,
        }
    }


def matplotlib_theme(mode: Mode = "light") -> dict[str, Any]:
    """Return the look of a page as ``matplotlib.rc_context`` wants it.

    Parameters
    ----------
    mode : {"light", "dark"}, default="light"

    Returns
    -------
    dict
    """
    check_choice(mode, "mode", MODES)
    paper, text, line = MODES[mode].values()
    return {
        "figure.facecolor": paper,
        "savefig.facecolor": paper,
        "axes.facecolor": paper,
        "axes.edgecolor": line,
        "axes.labelcolor": text,
        "axes.titlecolor": text,
        "text.color": text,
        "xtick.color": text,
        "ytick.color": text,
        "grid.color": line,
        "legend.frameon": False,
        # Text stays text in a PDF or SVG, to be searched and edited.
        "pdf.fonttype": 42,
        "svg.fonttype": "none",
    }
