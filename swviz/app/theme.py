"""One visual language for all tabs: colours, cards, big numbers."""

from __future__ import annotations

import html

import panel as pn
import panel_material_ui as pmui

ACCENT = "#C43C8A"
"""What is "now": the turning line, the cursor. Far from A and B to every eye."""

BAR = "#0B3A5B"
GREY = "#8393A0"

STYLES = {
    "A": {"fill_color": "#0072B2", "marker": "circle", "size": 9},
    "B": {"fill_color": "#D55E00", "marker": "diamond", "size": 12},
}
"""The two diagrams, everywhere: colours that colour-blind eyes tell apart."""

MATERIAL = {
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

_OUTLINE = {"border": "1px solid", "borderColor": "divider", "boxShadow": "none"}


def card(*objects: object, title: str | None = None, **options: object) -> pmui.Paper:
    """Make a rounded panel, white or dark as the page is.

    Parameters
    ----------
    *objects
        What it shows, from top to bottom.
    title : str, optional
        A line that says what to see.
    **options
        Further parameters of `panel_material_ui.Paper`.

    Returns
    -------
    panel_material_ui.Paper
    """
    heading = [] if title is None else [heading_line(title)]
    options = {"margin": 6, "sizing_mode": "stretch_width", **options}
    return pmui.Paper(
        *heading,
        *objects,
        elevation=0,
        sx={**_OUTLINE, "padding": "10px 14px", "minWidth": 0},
        **options,
    )


def heading_line(text: str) -> pmui.Typography:
    """Return the title of a card."""
    return pmui.Typography(
        text, variant="subtitle2", margin=(2, 0, 6, 0), sx={"fontWeight": 700}
    )


def stat(
    label: object, value: object, note: object = "", color: str | None = None
) -> pmui.Paper:
    """Show a big number on a card.

    Parameters
    ----------
    label, value, note : str or references to str
        What it is, how much, and what to make of it. Anything that Panel can follow
        (`pn.bind`, a param, `param.rx`) keeps the card up to date.
    color : str, optional
        Colour of the number; the text's by default.

    Returns
    -------
    panel_material_ui.Paper
    """
    number = {"font_weight": "700", "line_height": "1.15", "font_size": "1.6rem"}
    if color is not None:
        number["color"] = color
    quiet = {"opacity": "0.75", "line_height": "1.3"}
    return pmui.Paper(
        plain_text(label, font_size="0.875rem", **quiet),
        plain_text(value, **number),
        plain_text(note, font_size="0.75rem", **quiet),
        elevation=0,
        margin=6,
        sizing_mode="stretch_width",
        sx={**_OUTLINE, "padding": "8px 4px", "minWidth": 0},
    )


def lead(
    sentence: str, formula: str = "", source: str = "", more: str = ""
) -> pn.FlexBox:
    """Begin a tab: what to look for, and the formula it draws.

    Parameters
    ----------
    sentence : str
        Markdown.
    formula : str, default=""
        LaTeX, without dollars.
    source : str, default=""
        The paper's equation, theorem or figure.
    more : str, default=""
        Markdown that a "?" opens: how to read the plots and what to try.

    Returns
    -------
    panel.FlexBox
    """
    # Apart, so that a phone can put them below one another.
    aside: list[object] = []
    if formula:
        aside += [
            pn.pane.LaTeX(
                rf"$\textstyle {formula}$",
                renderer="mathjax",
                margin=(4, 8),
                styles={"font-size": "0.95rem"},
            ),
        ]
    if source:
        aside.append(
            pmui.Typography(
                source, variant="body2", margin=(4, 8), sx={"color": "text.secondary"}
            )
        )
    if more:
        aside += _help(more)
    return pn.FlexBox(
        pn.pane.Markdown(sentence, margin=(0, 12)),
        pn.FlexBox(*aside, align_items="center", sizing_mode=None),
        justify_content="space-between",
        align_items="center",
        sizing_mode="stretch_width",
    )


def _help(text: str) -> tuple[pmui.IconButton, pmui.Dialog]:
    """Return a "?" and the dialog it opens."""
    dialog = pmui.Dialog(
        pn.pane.Markdown(text, sizing_mode="stretch_width"),
        title="What you see, and what to try",
        title_variant="h6",
        close_on_click=True,
        show_close_button=True,
        width_option="md",
    )
    button = pmui.IconButton(
        label="Help", icon="help_outline", description="Help", margin=0, align="center"
    )
    button.on_click(lambda _event: dialog.param.update(open=True))
    return button, dialog


def label(text: str) -> pmui.Typography:
    """Return the small heading of a group of controls in the sidebar."""
    return pmui.Typography(
        text.upper(),
        variant="overline",
        margin=(10, 10, 0, 10),
        sx={"color": "text.secondary", "letterSpacing": "0.08em", "fontWeight": 600},
    )


def plain_text(text: object, **styles: str) -> pn.pane.HTML:
    """Show text that others wrote, such as the names of samples and files.

    Material UI's Typography and Alert put their text into the page as HTML; here
    markup is shown, not run.

    Parameters
    ----------
    text : str or reference to str
    **styles
        CSS, with underscores for hyphens.

    Returns
    -------
    panel.pane.HTML
    """
    return pn.pane.HTML(
        html.escape(text) if isinstance(text, str) else pn.bind(html.escape, text),
        margin=(2, 12),
        sizing_mode="stretch_width",
        styles={
            "overflow-wrap": "anywhere",
            **{name.replace("_", "-"): value for name, value in styles.items()},
        },
    )
