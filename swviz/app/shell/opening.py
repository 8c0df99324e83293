"""What a visitor sees while the browser still loads: the pair, drawn by the server."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray
from tornado.web import RequestHandler

from swviz.app.tabs.slices.look import sizes
from swviz.app.ui.theme import BAR
from swviz.app.workspace.made import made_before, needs_making
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram
from swviz.plot.places import plane_span
from swviz.plot.theme import ACCENT, GREY, STYLES
from swviz.slices import slice_costs, sliced_wasserstein

MOST_POINTS = 500
"""Of each diagram, those of greatest persistence: the live picture shows all."""

_SIDE, _WIDTH, _HEIGHT = 400, 600, 180

TEMPLATE = (Path(__file__).parent / "opening.html").read_text(encoding="utf-8")
"""Jinja template of the page; needs the variables of :func:`opening`."""


def opening(workspace: Workspace, query: Mapping[str, str]) -> dict[str, str]:
    """Draw the pair and the cost of every direction as pictures without a script.

    The page shows them until its own plots are there.

    Parameters
    ----------
    workspace : Workspace
    query : mapping of str to str
        What the address of the page says.

    Returns
    -------
    dict of str to str
        Variables of :data:`TEMPLATE`: HTML, with all that others wrote escaped.
    """
    return {
        "opening_bar": BAR,
        "opening_sizes": sizes(
            "(66px + var(--lead-height, 3.7rem) + 5.4rem + var(--above, 0rem))"
        ),
        "opening_query": html.escape(_key(query)),
        "opening_pictures": pictures_of(workspace),
    }


def pictures_of(workspace: Workspace) -> str:
    """Draw two cards with the pair of a workspace.

    Returns
    -------
    str
        HTML, with all that others wrote escaped.
    """
    A, B = workspace.pair
    names = workspace.dataset.names
    pair = " · ".join(
        f'<span style="color:{STYLES[name]["fill_color"]}">{mark} {name}</span> '
        + html.escape(str(names[index]))
        for name, mark, index in (
            ("A", "●", workspace.index_a),
            ("B", "◆", workspace.index_b),
        )
    )
    distance = sliced_wasserstein(
        A, B, workspace.n_directions, rule=workspace.rule, random_state=0
    )
    return (
        f"<section><p>{pair}</p>{draw_plane(A, B, workspace.theta)}</section>"
        "<section><p><b>The cost of every direction</b>, W(θ) from −π/2 to π/2</p>"
        f"{draw_costs(A, B)}"
        f'<p class="number">SW<sub>{workspace.n_directions}</sub> = {distance:.4g}</p>'
        f'<p class="quiet">{html.escape(workspace.title)}. The page is being loaded.'
        "</p></section>"
    )


def _key(query: Mapping[str, str]) -> str:
    """Write what the pictures depend on as a script in the page does."""
    asked = [entry for entry in query.items() if entry[0] != "theme"]
    return urlencode(asked, safe="*").replace("~", "%7E")


class Opening(RequestHandler):
    """``/opening``: the pictures of a link, for a page that is the same for all links.

    Answers with nothing if the link's data set has to be made first.
    """

    def get(self) -> None:
        """Write them as HTML."""
        query = {name: self.get_query_argument(name) for name in self.request.arguments}
        self.set_header("Cache-Control", "no-store")
        workspace = Workspace()
        if needs_making(workspace, query):
            self.set_status(204)
            return
        workspace.read_query(query, made_before(workspace, query))
        self.write(pictures_of(workspace))


def draw_plane(A: Diagram, B: Diagram, theta: float) -> str:
    """Draw two diagrams, the diagonal and a line that turns.

    Parameters
    ----------
    A, B : ndarrays of shape (n, 2) and (m, 2)
    theta : float
        Where the line is at first.

    Returns
    -------
    str
        SVG.
    """
    low, high = plane_span(A, B)
    scale = _SIDE / (high - low)
    shapes = {
        "A": '<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>',
        "B": '<path d="M{x:.1f} {y:.1f}m0-6l4 6-4 6-4-6z"/>',
    }
    groups = []
    for name, diagram in (("A", A), ("B", B)):
        order = np.argsort(diagram[:, 0] - diagram[:, 1], kind="stable")[:MOST_POINTS]
        points = (diagram[order] - low) * scale
        drawn = "".join(shapes[name].format(x=x, y=_SIDE - y) for x, y in points)
        groups.append(f'<g fill="{STYLES[name]["fill_color"]}">{drawn}</g>')
    middle, far = _SIDE / 2, _SIDE
    degrees = -math.degrees(theta)
    return (
        f'<svg viewBox="0 0 {_SIDE} {_SIDE}" role="img" aria-label="Diagrams A and B">'
        f'<path d="M0 {_SIDE}H{_SIDE}V0z" fill="{GREY}" fill-opacity="0.13"/>'
        f'<path d="M0 {_SIDE}L{_SIDE} 0" stroke="{GREY}" stroke-width="1.2"/>'
        f'<g transform="rotate({degrees:.1f} {middle} {middle})"><path class="turning" '
        f'd="M{middle - far} {middle}h{2 * far}" stroke="{ACCENT}" stroke-width="3"/>'
        f"</g>{''.join(groups)}</svg>"
    )


def draw_costs(A: Diagram, B: Diagram) -> str:
    """Draw the cost of every direction.

    Returns
    -------
    str
        SVG.
    """
    thetas: NDArray[np.float64] = np.linspace(-np.pi / 2, np.pi / 2, 97)
    costs = slice_costs(A, B, thetas)
    most = float(costs.max(initial=0)) or 1.0
    x = np.linspace(0, _WIDTH, len(thetas))
    y = _HEIGHT * (1 - costs / (1.08 * most))
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Cost of every direction"><polyline points="0,{_HEIGHT} {line} '
        f'{_WIDTH},{_HEIGHT}" fill="{GREY}" fill-opacity="0.2" stroke="{GREY}" '
        'stroke-width="2.5"/></svg>'
    )
