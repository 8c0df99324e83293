"""One visual language for all tabs: cards, big numbers; colours are those of plots."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui

from swviz.app.compat.panel import ChangesCheaply
from swviz.plot.theme import ACCENT

BAR = "#0B3A5B"

MATERIAL: dict[str, Any] = {
    "light": {
        "palette": {
            "primary": {"main": "#005F99"},
            "secondary": {"main": ACCENT},
            "background": {"default": "#F4F6F9", "paper": "#FFFFFF"},
        },
        "shape": {"borderRadius": 10},
        "typography": {"button": {"textTransform": "none"}},
    },
    "dark": {
        "palette": {
            "primary": {"main": "#5AB4F0"},
            "secondary": {"main": "#E583BA"},
            "background": {"default": "#0F161D", "paper": "#1A242E"},
        },
        "shape": {"borderRadius": 10},
        "typography": {"button": {"textTransform": "none"}},
    },
}
"""Material UI's palettes for the light and the dark page."""

# The page is as high as the window and scrolls: a card that may not be higher than the
# page would lie over the next one.
_SHRINKS = {"min-width": "0", "max-height": "none"}
_PAPER = _SHRINKS | {
    "background": "var(--panel-surface-color, var(--jp-layout-color1, #FFFFFF))",
    "border": "1px solid color-mix(in srgb, currentColor 15%, transparent)",
    "border-radius": "10px",
    "box-sizing": "border-box",
}
_BREAKPOINTS = {"xs": 0, "sm": 600, "md": 900, "lg": 1200}
"""Widths of the window as Material UI names them, in pixels."""


# Containers are Panel's own with a style, not Material UI's, except for `island`: each
# of those is a React root that makes Bokeh lay out all figures again when it appears,
# and that walks through all models in it on the server.


WRAPS = ":host, .column, .accordion { min-width: 0 !important; }"
"""A style sheet for containers, also those of Material UI. Panel gives each the least
width that it adds up from the widgets in it, as if nothing could wrap, and the page
gets wider than the screen."""


def card(*objects: object, title: str | None = None, **options: object) -> pn.Column:
    """Make a rounded panel, white or dark as the page is.

    Parameters
    ----------
    *objects
        What it shows, from top to bottom.
    title : str, optional
        A line that says what to see.
    **options
        Further parameters of `panel.Column`.
    """
    heading = [] if title is None else [heading_line(title)]
    options = {
        "margin": 6,
        "sizing_mode": "stretch_width",
        # Panel's columns are no higher than the window; what is in them can be.
        "styles": _PAPER | {"padding": "10px 14px", "max-height": "none"},
        "css_classes": ["card"],
        "stylesheets": [WRAPS],
        **options,
    }
    return pn.Column(*heading, *objects, **options)


def stack(*objects: object, **options: object) -> pn.Column:
    """Put things below one another, over the whole width that there is.

    Parameters
    ----------
    *objects
    **options
        Further parameters of `panel.Column`.
    """
    usual = {
        "margin": 0,
        "sizing_mode": "stretch_width",
        "styles": _SHRINKS,
        "stylesheets": [WRAPS],
    }
    return pn.Column(*objects, **{**usual, **options})


def island(*objects: object, **styles: str) -> pmui.Column:
    """Put things below one another in a column that is laid out by itself.

    Bokeh lays out everything up to the outermost container again whenever anything in
    it changes its size, and all that is hidden, too: with six tabs, the figures of all
    for each of the many changes that a new tab brings. Panel stops at a component of
    Material UI in another one. And for what is around it, an island has no height that
    changes.

    Parameters
    ----------
    *objects
    **styles
        CSS, with underscores for hyphens.

    Returns
    -------
    panel_material_ui.Column
        For a place directly in the page or in another island.
    """
    usual = {"height": "0", "min-height": "0", "overflow": "visible"}
    return pmui.Column(
        *objects,
        margin=0,
        sizing_mode="stretch_width",
        styles=_SHRINKS | usual | _css(styles),
        stylesheets=[WRAPS],
    )


def cell(*objects: object, xs: float = 12, **sizes: float) -> pn.Column:
    """Make a part of a :func:`grid`.

    Parameters
    ----------
    *objects
        What it shows, from top to bottom.
    xs : float, default=12
        Twelfths of the width it takes, on the narrowest screens.
    **sizes : float
        The same from the breakpoints `sm`, `md` and `lg` on.
    """
    classes = [
        f"{point}-{_twelfths(size)}" for point, size in {"xs": xs, **sizes}.items()
    ]
    return pn.Column(
        *objects, css_classes=classes, margin=0, sizing_mode="stretch_width"
    )


def grid(*cells: pn.Column) -> pn.Row:
    """Lay cells out side by side, as many as the window has room for.

    Parameters
    ----------
    *cells
        From :func:`cell`.
    """
    used = sorted({name for part in cells for name in part.css_classes})
    rules = []
    for point, least in _BREAKPOINTS.items():
        for name in used:
            if name.startswith(f"{point}-"):
                share = f"{float(name.split('-')[1].replace('_', '.')) / 0.12:.4f}%"
                rules.append(
                    f"@media (min-width: {least}px) {{ .{name} {{ flex: 0 0 {share}; "
                    f"width: {share}; max-width: {share}; min-width: 0; }} }}"
                )
    return pn.Row(
        *cells,
        margin=0,
        sizing_mode="stretch_width",
        styles=_SHRINKS | {"flex-wrap": "wrap"},
        stylesheets=["\n".join([WRAPS, *rules])],
    )


def _twelfths(size: float) -> str:
    return f"{size:.3f}".rstrip("0").rstrip(".").replace(".", "_")


def flow(*objects: object, gap: int = 8, **styles: str) -> pn.Row:
    """Put things side by side, and what has no room in a next line.

    Parameters
    ----------
    *objects
    gap : int, default=8
        Pixels between them.
    **styles
        CSS, with underscores for hyphens.
    """
    usual = {"flex-wrap": "wrap", "align-items": "center", "gap": f"{gap}px"}
    return pn.Row(
        *objects,
        margin=0,
        sizing_mode="stretch_width",
        styles=_SHRINKS | usual | _css(styles),
        stylesheets=[WRAPS],
    )


def plot_pane(figure: Any, **options: object) -> pn.pane.Bokeh:
    """Show a Bokeh figure as wide as its container.

    Parameters
    ----------
    figure : bokeh model
    **options
        Further parameters of the pane.
    """
    return pn.pane.Bokeh(figure, sizing_mode="stretch_width", **options)


def legend_html(entries: Iterable[tuple[str, str, str]]) -> str:
    """Write a legend that wraps where it has no room, as Bokeh's own does not.

    Parameters
    ----------
    entries : iterable of (str, str, str)
        Name, mark and colour of each. Names are escaped.
    """
    return "".join(
        '<span style="display:inline-block;margin-right:12px;font-size:13px">'
        f'<span style="color:{color};font-weight:700">{mark}</span> '
        f"{html.escape(name)}</span>"
        for name, mark, color in entries
    )


def legend(entries: Iterable[tuple[str, str, str]]) -> pn.pane.HTML:
    """Show a legend above a figure; see :func:`legend_html`."""
    return pn.pane.HTML(
        legend_html(entries), sizing_mode="stretch_width", margin=(0, 0, 4, 0)
    )


def heading_line(text: str) -> pn.pane.HTML:
    """Return the title of a card."""
    return plain_text(
        text, margin=(2, 0, 6, 0), font_weight="700", font_size="0.875rem"
    )


def caption(text: object) -> pn.pane.HTML:
    """Return small print under a plot."""
    return plain_text(text, font_size="0.75rem", line_height="1.35", opacity="0.75")


def stat(
    label: object, value: object, note: object = "", color: str | None = None
) -> pn.Column:
    """Show a big number on a card.

    Parameters
    ----------
    label, value, note : str or references to str
        What it is, how much, and what to make of it. Anything that Panel can follow
        (`pn.bind`, a param, `param.rx`) keeps the card up to date.
    color : str, optional
        Colour of the number; the text's by default.
    """
    number: dict[str, Any] = {
        "font_weight": "700",
        "line_height": "1.15",
        "font_size": "1.6rem",
    }
    if color is not None:
        number["color"] = color
    quiet: dict[str, Any] = {"opacity": "0.75", "line_height": "1.3"}
    return pn.Column(
        plain_text(label, font_size="0.875rem", **quiet),
        plain_text(value, **number),
        plain_text(note, font_size="0.75rem", **quiet),
        margin=6,
        sizing_mode="stretch_width",
        styles=_PAPER | {"padding": "8px 4px"},
        stylesheets=[WRAPS],
    )


def lead(
    sentence: object, formula: object = "", source: object = "", more: str = ""
) -> pn.Row:
    """Begin a tab: what to look for, and the formula it draws.

    Parameters
    ----------
    sentence : str or reference to str
        Markdown.
    formula : str or reference to str, default=""
        LaTeX, without dollars.
    source : str or reference to str, default=""
        The paper's equation, theorem or figure.
    more : str, default=""
        Markdown that a "?" opens: how to read the plots and what to try.
    """
    inline = r"$\textstyle {}$".format
    # Apart, so that a phone can put them below one another.
    aside: list[object] = []
    if formula:
        aside += [
            pn.pane.LaTeX(
                inline(formula)
                if isinstance(formula, str)
                else pn.bind(inline, formula),
                renderer="mathjax",
                margin=(4, 6),
                styles={"font-size": "0.95rem"},
            ),
        ]
    if source:
        aside.append(
            plain_text(source, margin=(4, 4), sizing_mode=None, opacity="0.75")
        )
    if more:
        aside += _help(more)
    return flow(
        pn.pane.Markdown(sentence, margin=(0, 4, 0, 12)),
        pn.Row(*aside, margin=0, styles={"flex-wrap": "wrap", "align-items": "center"}),
        gap=0,
        justify_content="space-between",
        # A page may have no room for it.
        display="var(--lead, flex)",
    )


def dialog(*objects: object, title: str) -> pmui.Dialog:
    """Make a dialog that is open.

    From the start: a change right after it was made could overtake it on its way to
    the browser.

    Parameters
    ----------
    *objects
        What it shows, from top to bottom.
    title : str
    """
    return pmui.Dialog(
        *objects,
        title=title,
        title_variant="h6",
        close_on_click=True,
        show_close_button=True,
        width_option="md",
        open=True,
    )


def _help(text: str) -> tuple[pmui.IconButton, pn.Column]:
    """Return a "?" and the place of the dialog that it opens."""
    place = pn.Column(margin=0, width=0, height=0)
    button = pmui.IconButton(
        label="Help", icon="help_outline", description="Help", margin=0, align="center"
    )

    def show(_event: object) -> None:
        if place.objects:
            place[0].open = True
            return
        # Made when it is asked for: most visits never do.
        body = pn.pane.Markdown(text, sizing_mode="stretch_width")
        place.append(dialog(body, title="What you see, and what to try"))

    button.on_click(show)
    return button, place


def label(text: str) -> pn.pane.HTML:
    """Return the small heading of a group of controls in the sidebar."""
    return plain_text(
        text.upper(),
        margin=(10, 12, 2, 12),
        font_size="0.75rem",
        font_weight="600",
        letter_spacing="0.08em",
        opacity="0.75",
    )


def plain_text(
    text: object,
    margin: int | tuple[int, ...] = (2, 12),
    sizing_mode: str | None = "stretch_width",
    **styles: str,
) -> pn.pane.HTML:
    """Show text that others wrote, such as the names of samples and files.

    Material UI's Typography and Alert put their text into the page as HTML; here
    markup is shown, not run.

    Parameters
    ----------
    text : str or reference to str
    margin : int or tuple of int, default=(2, 12)
    sizing_mode : str or None, default="stretch_width"
    **styles
        CSS, with underscores for hyphens.
    """
    return _Text(
        html.escape(text) if isinstance(text, str) else pn.bind(html.escape, text),
        margin=margin,
        sizing_mode=sizing_mode,
        styles={"overflow-wrap": "anywhere"} | _css(styles),
    )


class _Text(ChangesCheaply, pn.pane.HTML):
    # Not for `pn.panel` to choose.
    priority: ClassVar[bool] = False


def _css(styles: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in styles.items()}
