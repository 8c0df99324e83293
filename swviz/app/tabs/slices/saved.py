"""The page that Slices saves: one file of plain Bokeh, without server or network."""

from __future__ import annotations

import html
import json
import re
from typing import Any

from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.io.doc import patch_curdoc
from bokeh.resources import INLINE

from swviz.app.tabs.slices.board import PAINT, colors_of_modes, make_figures
from swviz.app.tabs.slices.look import sizes
from swviz.app.ui.theme import MATERIAL
from swviz.plot.theme import MODES, STYLES

_MARKS = {"A": "●", "B": "◆"}

_STYLE = """
:root { LIGHT color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { DARK } }
html, body { height: auto; }
body { padding: 10px 18px; max-width: 2400px; margin: 0 auto;
  font-family: Roboto, system-ui, sans-serif; --bokeh-font-size: 0.9rem;
  background: var(--panel-surface-color); color: var(--panel-on-surface-color); }
header { display: flex; flex-wrap: wrap; gap: 2px 26px; align-items: baseline; }
header h1 { font-size: 1.15rem; margin: 2px 0; }
header p { margin: 2px 0; font-size: 0.95rem; }
"""

_SCRIPT = """
PAINT
const modes = MODES
const paint_all = (mode) => {
  const views = [...Bokeh.index.query((view) => view.model.type === "Figure")]
  if (views.length === 0) setTimeout(() => paint_all(mode), 100)
  else paint(views.map((view) => view.model), modes[mode])
}
follow_mode(paint_all)
"""

# Bokeh has it extend its own.
_TEMPLATE = """
{% from macros import embed %}
{% block preamble %}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
{% endblock %}
{% block postamble %}<style>{{ page_style }}</style>{% endblock %}
{% block contents %}
<header>{{ page_words }}</header>
{{ super() }}
{% endblock %}
{% block inner_body %}
{{ super() }}
<script type="module">{{ page_script }}</script>
{% endblock %}
"""


def saved_page(
    tables: dict[str, dict[str, Any]], title: str, names: dict[str, str]
) -> str:
    """Return a page that needs nothing but a browser, light or dark as that is.

    Parameters
    ----------
    tables : dict of str to tables
        The pair and its answers, see :meth:`Board.tables`.
    title : str
    names : dict of {"A", "B"} to str
        What the diagrams are.
    """
    # Plain Bokeh, in a document of its own: Panel's components would be fetched from
    # the network. Bokeh holds it weakly.
    document = Document()
    with patch_curdoc(document):
        # Or Bokeh would look for another document that is current: any session's.
        document.add_root(make_figures(tables, is_alone=True).layout())
    page = file_html(
        document,
        INLINE,
        title=title,
        template=_TEMPLATE,
        template_variables={
            "page_style": _style(),
            "page_words": _words(title, names),
            "page_script": _SCRIPT.replace(
                "MODES", json.dumps(colors_of_modes())
            ).replace("PAINT", PAINT.replace("export ", "")),
        },
        suppress_callback_warning=True,
    )
    # Panel has Bokeh link to its own scripts and styles, which nothing here needs.
    page = re.sub(r"(?m)^ *<script[^>\n]* src=[^>\n]*></script> *$", "", page)
    return re.sub(r"(?m)^ *<link[^>\n]*> *$", "", page)


def _style() -> str:
    style = _STYLE
    for mode in ("light", "dark"):
        primary = MATERIAL[mode]["palette"]["primary"]["main"]
        colors = {
            "surface": MODES[mode]["paper"],
            "on-surface": MODES[mode]["text"],
            "primary": primary,
            "on-primary": "#FFFFFF" if mode == "light" else "#101010",
        }
        said = " ".join(f"--panel-{name}-color: {c};" for name, c in colors.items())
        style = style.replace(mode.upper(), said)
    return style + sizes("10.5rem + 20px", presenter="block")


def _words(title: str, names: dict[str, str]) -> str:
    called = " · ".join(
        f'<span style="color:{STYLES[name]["fill_color"]};font-weight:700">{mark} '
        f"{name}</span>"
        + (f" {html.escape(names[name])}" if names[name] != name else "")
        for name, mark in _MARKS.items()
    )
    return (
        f"<h1>{html.escape(title)}</h1><p>{called}</p>"
        "<p>Turn the line: it sorts both persistence diagrams, and joining them in "
        "order is the cheapest match. Its mean cost over all directions is the sliced "
        "Wasserstein distance SW. Points can be dragged.</p>"
    )
