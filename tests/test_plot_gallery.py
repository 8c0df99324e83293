"""The gallery shows every picture there is."""

import re
from inspect import isfunction
from pathlib import Path

import swviz as sw
from swviz.experiments import figures

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "gallery.md").read_text()


def test_the_gallery_shows_every_function():
    shown = set(re.findall(r"^\| `sw\.plot\.(\w+)\(", PAGE, re.M))
    assert shown == set(sw.plot.__all__) - {"use_theme"}


def test_the_gallery_shows_the_figures_of_the_paper():
    shown = set(re.findall(r"^\| `figures\.(\w+)\(results", PAGE, re.M))
    own = {
        name
        for name, one in vars(figures).items()
        if isfunction(one) and one.__module__ == figures.__name__ and name[0] != "_"
    }
    assert shown == own


def test_pictures_of_the_gallery_are_there_light_and_dark():
    targets = re.findall(r"\]\(([^)]+\.png)\)", PAGE)
    assert len(targets) == 2 * len(re.findall(r"^\| `", PAGE, re.M))
    for target in targets:
        assert (DOCS / target).exists(), target
