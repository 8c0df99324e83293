"""Figures from arrays: no widgets, no computation."""

from __future__ import annotations

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool, Range1d
from bokeh.plotting import figure

from swviz.diagrams import Diagram

STYLES = {
    "A": {"fill_color": "#0072B2", "marker": "circle", "size": 9},
    "B": {"fill_color": "#D55E00", "marker": "diamond", "size": 12},
}
"""The two diagrams, everywhere: colours that colour-blind eyes tell apart."""


def plane_range(*diagrams: Diagram) -> tuple[float, float]:
    """Range of both axes that shows all points with a margin.

    Parameters
    ----------
    *diagrams : ndarrays of shape (n_i, 2)

    Returns
    -------
    low, high : float
    """
    points = np.concatenate([np.empty((0, 2)), *diagrams])
    low, high = (points.min(), points.max()) if len(points) else (0.0, 1.0)
    margin = 0.08 * (high - low) or 0.5
    return float(low - margin), float(high + margin)


def diagram_plane(A: Diagram, B: Diagram) -> figure:
    """Two diagrams in one plane, with the diagonal drawn and below it shaded.

    Parameters
    ----------
    A, B : ndarrays of shape (n, 2) and (m, 2)

    Returns
    -------
    bokeh figure
    """
    low, high = plane_range(A, B)
    plane = figure(
        match_aspect=True,
        sizing_mode="scale_width",
        aspect_ratio=1,
        max_width=620,
        x_range=Range1d(low, high),
        y_range=Range1d(low, high),
        x_axis_label="birth",
        y_axis_label="death",
        tools="pan,wheel_zoom,box_zoom,reset,save",
        toolbar_location="above",
    )
    plane.toolbar.logo = None
    far = 10 * (abs(low) + abs(high) + 1)
    plane.patch(
        [-far, far, far], [-far, far, -far], color="gray", fill_alpha=0.12, line_alpha=0
    )
    plane.line([-far, far], [-far, far], color="gray", line_width=1.5)
    for name, diagram in (("A", A), ("B", B)):
        points = plane.scatter(
            "birth",
            "death",
            source=ColumnDataSource({"birth": diagram[:, 0], "death": diagram[:, 1]}),
            legend_label=f"{name} · {len(diagram)} points",
            line_color="white",
            name=name,
            **STYLES[name],
        )
        plane.add_tools(
            HoverTool(
                renderers=[points],
                tooltips=[
                    (name, "point $index"),
                    ("birth", "@birth{0.0000}"),
                    ("death", "@death{0.0000}"),
                ],
            )
        )
    plane.legend.location = "bottom_right"
    plane.legend.background_fill_alpha = 0.7
    return plane
