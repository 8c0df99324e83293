"""The Learn view's own controls, for the sidebar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.tabs.learn.kernels import KERNEL_CHOICES
from swviz.app.tabs.learn.trainer import SIGMAS, Trainer
from swviz.app.ui.sliders import DecadeSlider
from swviz.app.ui.theme import caption, label, stack
from swviz.app.workspace.kernel_widths import NAMES

_C_DECADES = (-3.0, 5.0)
_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (8, 12)}


def make_controls(
    trainer: Trainer, tune: Callable[..., None], fit_map: param.Parameter
) -> list[Any]:
    """Make the widgets for kernel, bandwidth, C and split.

    Parameters
    ----------
    trainer : Trainer
    tune : callable
        What the button for tuning does.
    fit_map : param.Parameter
        Whether the map is zoomed to the diagrams.
    """
    dimensions = pmui.CheckButtonGroup(
        label="Learn from", options={}, value=[], size="small", **_WIDE
    )
    width = DecadeSlider(
        tuple(np.log10(SIGMAS[[0, -1]])), step=0.05, label="σ of k_SW", **_WIDE
    )
    cost = DecadeSlider(_C_DECADES, step=0.25, label="Cost factor C", **_WIDE)
    tuning = pmui.Button(label="Tune σ and C", icon="tune", on_click=tune, **_WIDE)
    place = stack()
    _Bound(trainer, dimensions, place, width, cost, tuning)
    return [
        label("Support vector machine"),
        pmui.Select.from_param(
            trainer.param.kernel,
            label="Kernel",
            options={choice.title: name for name, choice in KERNEL_CHOICES.items()},
            size="small",
            **_WIDE,
        ),
        caption(pn.bind(_why, trainer.param.kernel, trainer.param.suggested)),
        dimensions,
        place,
        cost,
        tuning,
        label("Split"),
        pmui.FloatSlider.from_param(
            trainer.param.train_share, label="Share of training", step=0.05, **_WIDE
        ),
        pmui.IntInput.from_param(
            trainer.param.seed, label="Seed", size="small", **_WIDE
        ),
        pmui.Switch.from_param(
            trainer.param.stratify, label="Each class in proportion", margin=(2, 10)
        ),
        label("Map"),
        pmui.Switch.from_param(fit_map, margin=(2, 10)),
    ]


def _why(kernel: str, suggested: str) -> str:
    """Say why a kernel is chosen that nobody has chosen."""
    if kernel != "embedding" or suggested != "embedding":
        return ""
    return (
        "Chosen because the set is large: it takes seconds where SW_M of all pairs "
        "would take far longer, and is a kernel just the same."
    )


class _Bound:
    """Widgets whose values are not the trainer's: logarithms, a list of names."""

    def __init__(
        self,
        trainer: Trainer,
        dimensions: pmui.CheckButtonGroup,
        place: pn.Column,
        width: DecadeSlider,
        cost: DecadeSlider,
        tuning: pmui.Button,
    ) -> None:
        self.trainer, self.dimensions, self.place = trainer, dimensions, place
        self.width, self.cost, self.tuning = width, cost, tuning
        self._writing = False
        self._shown = "sigma"
        self._follow()
        self._follow_width()
        trainer.param.watch(self._follow, ["dimensions", "C"])
        trainer.param.watch(self._follow_width, "kernel")
        space, widths = trainer.workspace, trainer.widths
        for watcher in (
            space.param.watch(self._follow, "dataset"),
            space.param.watch(self._follow_width, "sigma"),
            widths.param.watch(self._follow_width, [*NAMES, "fitted"]),
        ):
            trainer.until_closed(watcher)
        for widget in (dimensions, width, cost):
            widget.param.watch(self._chosen, "value")

    def _follow(self, *_events: object) -> None:
        self._writing = True
        try:
            present = self.trainer.dataset.dimensions
            self.dimensions.param.update(
                options={f"H{k}": k for k in present},
                value=[k for k in self.trainer.dimensions if k in present],
            )
            self.cost.follow(self.trainer.C)
        finally:
            self._writing = False

    def _follow_width(self, *_events: object) -> None:
        """Show the bandwidth of the kernel that is chosen, under its own name."""
        choice, widths = self.trainer.choice, self.trainer.widths
        self.tuning.label = f"Tune {choice.scale} and C"
        if choice.width != "sigma" and widths.fitted is None:
            # Name and number stay together until it is known where this one starts. Not
            # a word in between: of two changes at once the browser may miss the second.
            return
        self._shown = choice.width
        self._writing = True
        try:
            self.width.label = f"{choice.scale} of {choice.of}"
            low, high = np.log10(self.trainer.scales()[[0, -1]]).tolist()
            self.width.follow(widths.value(choice.width), (low, high))
        finally:
            self._writing = False
        # That of k_SW is the sidebar's: one number has one slider.
        wanted = [] if choice.width == "sigma" else [self.width]
        if self.place.objects != wanted:
            self.place.objects = wanted

    def _chosen(self, event: Any) -> None:
        if self._writing or event.new is None:
            return
        if event.obj is self.cost:
            self.trainer.C = self.cost.number
        elif event.obj is self.width:
            self.trainer.widths.choose(self._shown, self.width.number)
        elif event.new:
            self.trainer.dimensions = sorted(event.new)
        else:
            # At least one dimension has to be learnt from.
            self._follow()
