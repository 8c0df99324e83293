"""A view in a cell of a notebook: the page in its frame, or a picture of it."""

from __future__ import annotations

import base64
import html
import io
import json
import secrets
from pathlib import Path
from typing import Any

import panel_material_ui as pmui
from PIL import Image

from swviz.app.runtime.session import ignore_busy
from swviz.app.ui.theme import MATERIAL, stack
from swviz.plot.looks import HAS_MATPLOTLIB

SIDEBAR_WIDTH = 270
_STYLE = {
    # As high as what is in it: the notebook scrolls, and not the frame.
    "height": "auto",
    "width": "100%",
    "overflow": "visible",
    "& .header, & .MuiToolbar-root": {"display": "none"},
    "& .main": {"backgroundColor": "background.default", "minWidth": 0},
    "& .main-content": {"padding": "6px", "overflow": "visible"},
    "& .MuiDrawer-root, & .MuiDrawer-paper": {"height": "auto"},
    "& .MuiDrawer-paper": {"minHeight": "100%", "paddingBottom": "16px"},
}
_TEMPLATE = Path(__file__).with_name("frame.html").read_text(encoding="utf-8")
_SCRIPT = Path(__file__).with_name("frame.js").read_text(encoding="utf-8")
_COLORS = 128
_DOTS = 96
"""Of a picture, per inch."""

STILL_NOTE = (
    "A picture of the view. Run the cell to have it live, in a browser that reaches "
    "the kernel."
)

OWN_NOTE = (
    "This page works by itself, also without a kernel: what is changed in it does not "
    "reach Python."
)


def cell_page(*objects: object, controls: object = None, dark: bool) -> pmui.Page:
    """Make the page in the frame of a cell.

    Parameters
    ----------
    *objects
        What it shows, from top to bottom.
    controls : object, optional
        What it shows beside that.
    dark : bool
    """
    page = pmui.Page(
        title="swviz",
        theme_config=MATERIAL,
        dark_theme=dark,
        template=_TEMPLATE,
        main=[stack(*objects)],
        sidebar=[] if controls is None else [stack(controls)],
        # Beside the view at any width: there is no bar with a button to open it.
        sidebar_variant="permanent",
        sidebar_width=SIDEBAR_WIDTH,
        sidebar_resizable=False,
        theme_toggle=False,
        busy_indicator=None,
        sx=_STYLE,
    )
    ignore_busy(page)
    return page


def png_of(*pictures: Any) -> bytes | None:
    """Draw pictures side by side.

    Parameters
    ----------
    *pictures : HoloViews elements
        From :mod:`swviz.plot`.

    Returns
    -------
    bytes or None
        A PNG; None without Matplotlib, which draws without a browser.
    """
    if not HAS_MATPLOTLIB:
        return None
    drawn = [_draw(picture) for picture in pictures]
    whole = Image.new(
        "RGB",
        (sum(one.width for one in drawn), max(one.height for one in drawn)),
        drawn[0].getpixel((0, 0)),
    )
    left = 0
    for one in drawn:
        whole.paste(one, (left, 0))
        left += one.width
    buffer = io.BytesIO()
    whole.quantize(_COLORS).save(buffer, format="png", optimize=True)
    return buffer.getvalue()


def _draw(picture: Any) -> Image.Image:
    import holoviews as hv
    import matplotlib.pyplot as plt

    figure = hv.render(picture, backend="matplotlib")
    try:
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=_DOTS, bbox_inches="tight")
    finally:
        # Or the notebook would show it, too.
        plt.close(figure)
    return Image.open(buffer).convert("RGB")


def frame_html(
    title: str, png: bytes | None, live: tuple[int, str] | None, page: str | None = None
) -> str:
    """Write what a cell shows: a picture, and a script that replaces it by the view.

    Parameters
    ----------
    title : str
        What it is, for those who see neither.
    png : bytes, optional
        The picture.
    live : (int, str), optional
        Port and key of the view; None if there is none to come.
    page : str, optional
        One that does without a kernel: it is shown where the view cannot be reached.
    """
    note = STILL_NOTE if live is not None else ""
    text = html.escape(title, quote=True)
    still = f"<p>{text}</p>"
    if png is not None:
        data = base64.b64encode(png).decode()
        still = (
            f'<img alt="{text}" style="max-width:100%" '
            f'src="data:image/png;base64,{data}">'
        )
    still += f'<p style="font-size:80%;opacity:0.7;margin:4px 0">{note}</p>'
    if live is None:
        return f'<div class="swviz-still">{still}</div>' if page is None else _own(page)
    # Inert until the script takes it out.
    spare = "" if page is None else f"<template>{_own(page)}</template>"
    port, key = live
    # Its own for each output: the same view may be in several.
    name = f"swviz-{secrets.token_hex(6)}"
    values = {"port": port, "key": key, "title": title}
    given = "".join(f"const {k} = {_literal(value)}\n" for k, value in values.items())
    return (
        f'<div class="swviz-view" id="{name}"><div class="swviz-still">{still}</div>'
        f"{spare}"
        '<script>{const place = document.currentScript?.closest(".swviz-view") ?? '
        f'document.getElementById("{name}");\n'
        f"(async () => {{\n{given}{_SCRIPT}}})()}}</script></div>"
    )


def _own(page: str) -> str:
    """Write a page of its own, in a frame."""
    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" loading="lazy" '
        'style="width:100%;height:800px;border:0"></iframe>'
        f'<p style="font-size:80%;opacity:0.7;margin:4px 0">{OWN_NOTE}</p>'
    )


def _literal(value: object) -> str:
    """Write a value for a script inside of a page."""
    return json.dumps(value).replace("<", "\\u003c")
