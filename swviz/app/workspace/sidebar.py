"""The sidebar: what every view shares, then what the open view adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.compat.panel import make_models
from swviz.app.ui.sliders import CountSlider, DecadeSlider
from swviz.app.ui.theme import label, plain_text
from swviz.app.workspace.state import Workspace
from swviz.app.workspace.words import RULES, describe, sample_options
from swviz.plot.theme import STYLES

_SIGMA_DECADES = (-3.0, 3.0)
_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (8, 12)}


_SHOWN = {"content-visibility": "visible", "height": "auto", "overflow": "visible"}
_HIDDEN = {"content-visibility": "hidden", "height": "0", "overflow": "hidden"}
"""In a way that leaves all sizes as they are: widgets of Material that have been
without any may stay so."""


class Sidebar(pn.viewable.Viewer):
    """Data set, pair, dimension, directions and bandwidth, bound to a workspace."""

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.select = {
            name: pmui.Select(
                label=f"{mark} {name}",
                size="small",
                # As in the plots: the field of each diagram has its colour.
                stylesheets=[
                    ".MuiInputLabel-root { font-weight: 700; color: "
                    f"{STYLES[name]['fill_color']} !important; }}"
                ],
                **_WIDE,
            )
            for name, mark in (("A", "●"), ("B", "◆"))
        }
        self.dimension = pmui.RadioButtonGroup(
            label="Homology dimension", size="small", **_WIDE
        )
        self.directions = CountSlider(
            workspace.param.n_directions.bounds[1], label="Directions M", **_WIDE
        )
        self.typed = pmui.IntInput.from_param(
            workspace.param.n_directions,
            label="M",
            size="small",
            width=64,
            margin=(8, 12, 8, 0),
            # Without its steps: those are the slider's, and there is no room.
            sx={"& button": {"display": "none"}},
        )
        self.rule = pmui.Select.from_param(
            workspace.param.rule,
            label="Direction rule",
            options=RULES,
            size="small",
            **_WIDE,
        )
        self.sigma = DecadeSlider(
            _SIGMA_DECADES, step=0.05, label="Bandwidth σ of k_SW", **_WIDE
        )
        self._own = pn.Column(sizing_mode="stretch_width", margin=0)
        self._places: list[pn.Column] = []
        self._writing = False
        self._layout = pn.Column(
            label("Data"),
            plain_text(workspace.param.title, font_weight="700", font_size="1rem"),
            plain_text(
                pn.bind(describe, workspace.param.dataset, workspace.param.dimension),
                font_size="0.75rem",
                opacity="0.75",
            ),
            label("Pair"),
            self.select["A"],
            self.select["B"],
            self.dimension,
            label("Directions"),
            pn.Row(self.directions, self.typed, sizing_mode="stretch_width", margin=0),
            self.rule,
            label("Kernel"),
            self.sigma,
            self._own,
            sizing_mode="stretch_width",
            margin=0,
        )
        self._follow()
        self._mark_edited()
        workspace.param.watch(
            self._follow,
            ["dataset", "dimension", "index_a", "index_b", "n_directions", "sigma"],
        )
        workspace.param.watch(
            self._mark_edited, ["diagram_a", "diagram_b", "edited", "called"]
        )
        self.select["A"].param.watch(self._chosen, "value")
        self.select["B"].param.watch(self._chosen, "value")
        self.dimension.param.watch(self._chosen, "value")
        self.sigma.param.watch(self._chosen, "value")
        self.directions.param.watch(self._chosen, "value")

    def __panel__(self) -> pn.Column:
        return self._layout

    def prepare(self, controls: Sequence[Any]) -> None:
        """Make the models of controls that are shown next."""
        make_models([self._place_of(controls)], self._own)

    def show(self, controls: Sequence[Any]) -> None:
        """Show the controls that the open view adds, and none of other views.

        Those of other views stay on the page. To take them away and bring them back has
        Bokeh walk through all models, of all tabs, and the browser make them anew.
        """
        if controls:
            place = self._place_of(controls)
            if place not in self._own.objects:
                self._own.append(place)
        for place in self._own.objects:
            is_shown = bool(controls) and place is self._place_of(controls)
            place.styles = _SHOWN if is_shown else _HIDDEN

    def _place_of(self, controls: Sequence[Any]) -> pn.Column:
        """Return the column of a view's controls."""
        for place in self._places:
            if place.objects == list(controls):
                return place
        place = pn.Column(*controls, sizing_mode="stretch_width", margin=0)
        self._places.append(place)
        return place

    def _follow(self, *events: Any) -> None:
        """Bring the widgets to the workspace's state."""
        changed = {event.name for event in events}
        self._writing = True
        try:
            # A moving slider must not rebuild long menus at every step.
            if not changed or changed - {"sigma", "n_directions"}:
                self._follow_pair()
            self.directions.follow(self.workspace.n_directions)
            self.sigma.follow(self.workspace.sigma)
        finally:
            self._writing = False

    def _follow_pair(self) -> None:
        space = self.workspace
        options = sample_options(space.dataset)
        for name, index in (("A", space.index_a), ("B", space.index_b)):
            self.select[name].param.update(options=options, value=index)
            # The browser knows the value by its text, which may be new.
            self.select[name].param.trigger("value")
        self.dimension.param.update(
            options={f"H{k}": k for k in space.dataset.dimensions},
            value=space.dimension,
        )

    def _mark_edited(self, *_events: object) -> None:
        for name, select in self.select.items():
            text = "edited by hand" if self.workspace.is_edited(name) else ""
            if name in self.workspace.called:
                text = f"on show instead: {self.workspace.called[name]}"
            select.helper_text = text

    def _chosen(self, event: Any) -> None:
        if self._writing or event.new is None:
            return
        if event.obj is self.sigma:
            self.workspace.sigma = self.sigma.number
        elif event.obj is self.directions:
            self.workspace.n_directions = self.directions.number
        elif event.obj is self.dimension:
            self.workspace.dimension = event.new
        else:
            name = "A" if event.obj is self.select["A"] else "B"
            self.workspace.take(name, event.new)
