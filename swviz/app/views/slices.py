"""The Slices view: turn the line, watch the matching, read off the distances."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.io.doc import patch_curdoc
from bokeh.models import CustomJS
from bokeh.resources import INLINE
from numpy.typing import ArrayLike

from swviz.app.links import remember
from swviz.app.state import Workspace
from swviz.app.theme import caption, card, cell, grid, label, lead, plot_pane, stack
from swviz.app.views.slice_figures import SliceFigures
from swviz.directions import directions
from swviz.errors import DiagramError
from swviz.exact import balanced_segments, sliced_wasserstein_exact
from swviz.matchings import diagram_distance, diagram_matching
from swviz.slices import slice_costs, slice_matching, step_function

ENGINE = (Path(__file__).parent / "slices.js").read_text()
_SWITCHES = ["show_rays", "show_projections", "show_matching", "show_segments",
             "show_polar", "edit"]  # fmt: skip
MOST_POINTS = 1000
"""Points of a pair up to which the browser turns the line smoothly."""

_HELP = """
**The plane** shows diagrams A (blue discs) and B (orange diamonds), hollow marks where
their points fall on the diagonal, and the turning line L(θ) with the rays that
project every point onto it.

**The line, laid flat:** A and the diagonal points of B above, B and the diagonal points
of A below. In one dimension the cheapest matching joins the sorted lists in order, so
crossing links never pay. Its cost W(θ) is also the area between the two counting
functions: the shaded step function below.

**The curve** is W(θ) over the half circle. Its mean is the sliced Wasserstein
distance SW; the mean of the M bars is the approximation SW<sub>M</sub> (Algorithm 1
of the paper).
Exact SW needs no directions at all: it is the sum of signed lengths of the *balanced
segments* divided by π.

Things to try:

- Drag a point up and watch which part of the curve rises.
- Let the line pass θ = 45°: each point and its diagonal mark meet, and the cost is 0.
  At θ = −45° all diagonal marks fall onto one spot.
- Set M to 2 in the sidebar, then 6, then 8: the ratio is not always better with more.
- Switch on the d<sub>1</sub> matching. SW never exceeds 2√2 d<sub>1</sub> (Theorem
  3.3).

Space plays and pauses, the arrow keys turn the line by a degree.
"""


class SliceView(pn.viewable.Viewer):
    """Two diagrams, a turning line, and what the line sees of them.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2), optional
        The pair to show.
    workspace : Workspace, optional
        Where the pair comes from instead, and edits go to.
    **params
        Further parameters of the view.

    Examples
    --------
    In a notebook, ``SliceView(A, B)`` in a cell shows itself, and
    ``SliceView(A, B).save("slices.html")`` writes a page that turns without a server.
    """

    show_rays = param.Boolean(default=True, label="Projection rays")
    show_projections = param.Boolean(default=True, label="Diagonal projections")
    show_matching = param.Boolean(default=False, label="d1 matching")
    show_segments = param.Boolean(default=False, label="Balanced segments")
    show_polar = param.Boolean(default=False, label="Polar W(θ)")
    autoplay = param.Boolean(default=False, doc="Whether the line turns at once.")
    edit = param.Selector(default="A", objects=["A", "B"], label="New points go to")

    def __init__(
        self,
        A: ArrayLike | None = None,
        B: ArrayLike | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        if workspace is None:
            pair = (A if A is not None else [], B if B is not None else [])
            given = A is not None or B is not None
            workspace = Workspace.of_pair(*pair) if given else Workspace()
        self.workspace = workspace
        self.figures = SliceFigures()
        self._from_browser = False
        self._connect_browser()
        self._watchers = [
            workspace.param.watch(self._take_pair, ["diagram_a", "diagram_b"]),
            workspace.param.watch(
                lambda *_: self._fill_directions(), ["n_directions", "rule"]
            ),
            workspace.param.watch(lambda *_: self._fill_sigma(), "sigma"),
            workspace.param.watch(lambda *_: self._fill_angle(), "theta"),
        ]
        self._fill_all()
        self._update_switches()
        self._watchers.append(remember(self, workspace, "slices", _SWITCHES))

    def close(self) -> None:
        """Stop following the workspace."""
        for watcher in self._watchers:
            self.workspace.param.unwatch(watcher)

    # -- what the browser does ------------------------------------------------------

    def _connect_browser(self) -> None:
        figures = self.figures
        arguments = {**figures.engine_arguments(), "autoplay": self.autoplay}
        engine = CustomJS(args=arguments, code=ENGINE, module=True)
        for source in (figures.a, figures.b):
            # While a point is dragged only this signal is sent, not that of "data".
            source.js_on_change("change", engine)
        for source in (figures.truth, figures.frame, figures.sampled):
            source.js_on_change("data", engine)
        figures.slider.js_on_change("value", engine)
        figures.play.js_on_change("active", engine)
        figures.plane.js_on_change("inner_width", engine)
        for side in (figures.plane.x_range, figures.plane.y_range):
            side.js_on_change("start", engine)
            side.js_on_change("end", engine)
        figures.mirror.on_change("data", lambda _attr, _old, _new: self._take_edit())
        figures.slider.on_change(
            "value_throttled", lambda _attr, _old, degrees: self._take_angle(degrees)
        )

    def _take_edit(self) -> None:
        """Take points that were dragged, added or deleted in the browser."""
        data = {
            key: np.asarray(column) for key, column in self.figures.mirror.data.items()
        }
        try:
            points = np.stack([data["birth"], data["death"]], axis=1).astype(float)
            points[:, 1] = np.maximum(points[:, 0], points[:, 1])
            first = data["which"] == 0
            A, B = self.workspace.pair
            if np.array_equal(points[first], A) and np.array_equal(points[~first], B):
                # The echo of a pair that this side has sent.
                return
            self._from_browser = True
            self.workspace.edit(points[first], points[~first])
        except (ValueError, TypeError, KeyError, DiagramError):
            # A message that this view did not write: the pair on show stays.
            self._fill_points()
        finally:
            self._from_browser = False

    def _take_angle(self, degrees: float) -> None:
        theta = float(np.clip(np.radians(degrees), -np.pi / 2, np.pi / 2))
        self._from_browser = True
        try:
            self.workspace.theta = theta
        finally:
            self._from_browser = False

    # -- what the server does -------------------------------------------------------

    def _take_pair(self, *_events: param.parameterized.Event) -> None:
        if not self._from_browser:
            self._fill_points()
        self._fill_truth()

    def _fill_all(self) -> None:
        self.figures.slider.value = float(np.degrees(self.workspace.theta))
        self._fill_points()
        self._fill_directions()
        self._fill_truth()

    def _fill_points(self) -> None:
        A, B = self.workspace.pair
        self.figures.fit(A, B)
        self._fill_sigma()
        self.figures.set_points(A, B)
        self._fill_curve()
        self._fill_slice()

    def _fill_sigma(self) -> None:
        self.figures.set_sigma(self.workspace.sigma)

    def _fill_angle(self) -> None:
        if not self._from_browser:
            self.figures.slider.value = float(np.degrees(self.workspace.theta))
            self._fill_slice()

    def _fill_curve(self) -> None:
        thetas = self.figures.curve_angles
        self.figures.set_curve(slice_costs(*self.workspace.pair, thetas))

    def _fill_slice(self) -> None:
        A, B = self.workspace.pair
        theta = self.workspace.theta
        self.figures.set_slice(
            slice_matching(A, B, theta), step_function(A, theta, minus=B)
        )

    def _fill_directions(self) -> None:
        workspace = self.workspace
        thetas = directions(workspace.n_directions, workspace.rule, random_state=0)
        self.figures.set_directions(
            thetas, slice_costs(*workspace.pair, thetas), workspace.rule
        )

    def _fill_truth(self) -> None:
        """Fill in what only the server computes: exact distance, d1, layers."""
        A, B = self.workspace.pair
        self.figures.set_truth(sliced_wasserstein_exact(A, B), diagram_distance(A, B))
        self._fill_layers()

    def _fill_layers(self) -> None:
        A, B = self.workspace.pair
        if self.show_matching:
            self.figures.set_matching(A, B, diagram_matching(A, B))
        if self.show_segments:
            self.figures.set_segments(*balanced_segments(A, B))

    @param.depends(
        "show_rays", "show_projections", "show_matching", "show_segments",
        "show_polar", "edit", watch=True,
    )  # fmt: skip
    def _update_switches(self) -> None:
        self._fill_layers()
        self.figures.set_visible(
            rays=self.show_rays,
            projections=self.show_projections,
            matching=self.show_matching,
            segments=self.show_segments,
            polar=self.show_polar,
        )
        self.figures.draw_into(self.edit)

    # -- layout ---------------------------------------------------------------------

    @property
    def controls(self) -> list[pn.viewable.Viewable]:
        """Widgets of this view's own, for the sidebar."""
        switches = [
            pmui.Switch.from_param(self.param[name], margin=(2, 10))
            for name in (
                "show_rays", "show_projections", "show_matching", "show_segments",
                "show_polar",
            )
        ]  # fmt: skip
        return [
            label("Show"),
            *switches,
            label("Edit"),
            pmui.RadioButtonGroup.from_param(
                self.param.edit, label="New points go to", sizing_mode="stretch_width"
            ),
            caption(
                "With the drawing tool, drag a point, tap the plane to add one, tap a "
                "point and press Backspace to remove it. Space plays, arrows turn."
            ),
        ]

    def __panel__(self) -> pn.viewable.Viewable:
        # Few panes: each of them walks through all models of the view, which the
        # engine ties together.
        figures = self.figures
        return stack(
            lead(
                "**Turn the line.** It sorts both diagrams: joining them in order is "
                "the cheapest match.",
                r"SW(A, B) = \tfrac{1}{\pi}\int_{-\pi/2}^{\pi/2} W(\theta)\,d\theta",
                "Definition 3.1",
                _HELP,
            ),
            grid(
                cell(
                    card(plot_pane(figures.plane)),
                    card(plot_pane(figures.numbers())),
                    md=5,
                ),
                cell(card(plot_pane(figures.turning())), md=7),
            ),
        )

    def save(self, path: str | Path, title: str = "Slices") -> None:
        """Write a page that turns, and can be edited, without a server or a network.

        Parameters
        ----------
        path : str or path
        title : str, default="Slices"
        """
        # Models belong to one document: the page gets its own, of plain Bokeh, since
        # Panel's components would be fetched from the network.
        names = [name for name in self.param if name.startswith("show_")]
        switches = {name: getattr(self, name) for name in names}
        state = {
            name: getattr(self.workspace, name)
            for name in ("theta", "n_directions", "rule", "sigma")
        }
        workspace = Workspace.of_pair(*self.workspace.pair, **state)
        # Away from the current document, which may be that of a running server.
        document = Document()  # only weakly held by Bokeh
        with patch_curdoc(document):
            twin = SliceView(workspace=workspace, autoplay=True, **switches)
            page = file_html(
                twin.figures.layout(),
                INLINE,
                title=title,
                suppress_callback_warning=True,
            )
        # Panel has Bokeh link to its own scripts and styles, which nothing here needs.
        page = re.sub(r"(?m)^ *<script[^>\n]* src=[^>\n]*></script> *$", "", page)
        page = re.sub(r"(?m)^ *<link[^>\n]*> *$", "", page)
        Path(path).write_text(page, encoding="utf-8")
