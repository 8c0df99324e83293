"""``swviz slices A B -o slices.html``: a page on which the line turns."""

from __future__ import annotations

import argparse
import sys

from swviz.app.views import SliceView
from swviz.command.inputs import only_dimension, read_one, writable
from swviz.diagrams import Diagram


def run(options: argparse.Namespace) -> None:
    """Write the page.

    Parameters
    ----------
    options : argparse.Namespace
    """
    pair: list[Diagram] = []
    for path in (options.first, options.second):
        found = read_one(path, options)
        pair += found.in_dimension(only_dimension(found))
    with writable(options.out):
        SliceView(*pair).save(options.out, title="Slices")
    print(f"{options.out}: open it in a browser", file=sys.stderr)
