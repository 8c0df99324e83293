"""The page of one session."""

from __future__ import annotations

import panel as pn
import panel_material_ui as pmui

from swviz.app.plots import diagram_plane
from swviz.exact import sliced_wasserstein_exact
from swviz.slices import sliced_wasserstein
from swviz.sources import orbits

RULES = {"paper (Algorithm 1)": "paper", "diagonal-aware": "diagonal"}


def create_page() -> pmui.Page:
    """Build the page: a pair of diagrams and how far apart they are.

    Returns
    -------
    panel_material_ui.Page
    """
    pn.extension(notifications=True)
    pair = orbits(r=(3.5, 4.3), n_orbits=1, n_points=120)
    A, B = pair.in_dimension(1)
    exact = sliced_wasserstein_exact(A, B)
    directions = pmui.IntSlider(
        name="Directions M", value=6, start=1, end=50, sizing_mode="stretch_width"
    )
    rule = pmui.Select(
        name="Direction rule",
        options=RULES,
        value="paper",
        sizing_mode="stretch_width",
    )

    def numbers(count: int, chosen: str) -> pn.FlexBox:
        value = sliced_wasserstein(A, B, count, rule=chosen)
        return pn.FlexBox(
            _card(f"SW with {count} directions", f"{value:.4f}"),
            _card("SW, exact", f"{exact:.4f}"),
            _card("ratio", f"{value / exact:.4f}"),
        )

    return pmui.Page(
        title="swviz · sliced Wasserstein distance of persistence diagrams",
        sidebar=[
            pn.pane.Markdown(
                f"**A** · orbit with r = {pair.labels[0]:g}\n\n"
                f"**B** · orbit with r = {pair.labels[1]:g}"
            ),
            directions,
            rule,
        ],
        main=[
            pn.pane.Markdown(
                "Two orbits of the linked twist map, seen through the loops (H1) of "
                "their points. Move M and watch Algorithm 1 approach the exact "
                "distance."
            ),
            pn.Row(
                pn.pane.Bokeh(diagram_plane(A, B), sizing_mode="stretch_width"),
                pn.bind(numbers, directions, rule),
            ),
        ],
    )


def _card(label: str, value: str) -> pmui.Paper:
    return pmui.Paper(
        pmui.Typography(label, variant="body2"),
        pmui.Typography(value, variant="h4"),
        elevation=1,
        margin=8,
        sx={"padding": "12px 20px"},
    )
