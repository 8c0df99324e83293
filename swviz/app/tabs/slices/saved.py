"""The page that Slices saves: one file of plain Bokeh, without server or network."""

from __future__ import annotations

import html
import json
import re

from bokeh.embed import file_html
from bokeh.resources import INLINE

from swviz.app.tabs.slices.figures import SliceFigures
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

# Figures are painted, so that CSS has no hold on their colours.
_SCRIPT = """
{
  const modes = MODES
  const dark = window.matchMedia("(prefers-color-scheme: dark)")
  const paint = () => {
    const {text, line} = modes[dark.matches ? "dark" : "light"]
    const is_figure = (view) => view.model.type === "Figure"
    const views = window.Bokeh?.index?.query(is_figure) ?? []
    let count = 0
    for (const {model: plot} of views) {
      count += 1
      plot.title.setv({text_color: text})
      plot.setv({outline_line_color: line})
      for (const axis of [...plot.below, ...plot.left])
        if ("major_label_text_color" in axis.properties)
          axis.setv({axis_label_text_color: text, major_label_text_color: text,
            axis_line_color: line, major_tick_line_color: line,
            minor_tick_line_color: line})
      for (const grid of plot.center)
        if ("grid_line_color" in grid.properties) grid.setv({grid_line_color: line})
    }
    if (count === 0) setTimeout(paint, 100)
  }
  dark.addEventListener("change", paint)
  paint()
}
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
<script>{{ page_script }}</script>
{% endblock %}
"""


def saved_page(figures: SliceFigures, title: str, names: dict[str, str]) -> str:
    """Return a page that needs nothing but a browser, light or dark as that is.

    Parameters
    ----------
    figures : SliceFigures
        With the pair and its answers in them; they belong to the page afterwards.
    title : str
    names : dict of {"A", "B"} to str
        What the diagrams are.
    """
    for plot in figures.all_figures():
        plot.update(background_fill_color=None, border_fill_color=None)
    page = file_html(
        figures.layout(),
        INLINE,
        title=title,
        template=_TEMPLATE,
        template_variables={
            "page_style": _style(),
            "page_words": _words(title, names),
            "page_script": _SCRIPT.replace(
                "MODES", json.dumps({mode: dict(MODES[mode]) for mode in MODES})
            ),
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
