"""Sphinx builds the documentation from here: ``make docs``.

The source folder is the root of the repository, so that a link from a page to a lesson
or to a table of results leads there on the code's host and in the site alike. Nothing
is fetched, and no lesson is run: their outputs are committed.
"""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

# jsonschema, which checks notebooks, would make forty parsers of addresses with it: a
# seventh of the whole time. Without it those go unchecked, and notebooks have none.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

_PROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]

project = "swviz"
author = "the authors of swviz"
copyright = "the authors of swviz, MIT licence"
release = version = _PROJECT["version"]

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "reference",
    "themed",
    "turning_page",
]
root_doc = "docs/index"
include_patterns = [
    "docs/*.md",
    "docs/api/*.md",
    "notebooks/*.ipynb",
    "results/*.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
]
# Sphinx walks through folders before it asks whether their files are wanted.
exclude_patterns = [".*", "build", "dist", "test-results", "results-quick", "swviz"]
nitpicky = True

nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False
toc_object_entries_show_parents = "hide"

_MATHJAX = "sphinx-mathjax-offline/static/mathjax/tex-svg.js"
mathjax_path = "tex-svg.js"
mathjax_options = {"defer": "defer"}

html_theme = "furo"
html_title = "swviz"
pygments_dark_style = "github-dark"
html_static_path = [
    "static",
    # One file, with its glyphs as paths: a page from disk needs no fonts.
    str(distribution("sphinx-mathjax-offline").locate_file(_MATHJAX)),
]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_copy_source = False
html_show_sphinx = False
# A page from disk may not fetch others for excerpts of what was found.
html_show_search_summary = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#005F99",
        "color-brand-content": "#005F99",
        "color-brand-visited": "#005F99",
        "color-api-name": "#005F99",
        "color-api-pre-name": "#005F99",
    },
    "dark_css_variables": {
        "color-brand-primary": "#5AB4F0",
        "color-brand-content": "#5AB4F0",
        "color-brand-visited": "#5AB4F0",
        "color-api-name": "#5AB4F0",
        "color-api-pre-name": "#5AB4F0",
        "color-background-primary": "#0F161D",
        "color-background-secondary": "#141D26",
    },
}
