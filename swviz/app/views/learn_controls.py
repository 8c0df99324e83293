"""The Learn view's own controls, for the sidebar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel_material_ui as pmui
import param

from swviz.app.sliders import DecadeSlider
from swviz.app.theme import label
from swviz.app.views.learn_kernels import KERNELS
from swviz.app.views.learn_trainer import Trainer

_C_DECADES = (-3.0, 5.0)
_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (8, 12)}


def make_controls(
    trainer: Trainer, tune: Callable[..., None], fit_map: param.Parameter
) -> list[Any]:
    """Make the widgets for kernel, C and split.

    Parameters
    ----------
    trainer : Trainer
    tune : callable
        What the button for tuning does.
    fit_map : param.Parameter
        Whether the map is zoomed to the diagrams.

    Returns
    -------
    list of widgets
    """
    dimensions = pmui.CheckButtonGroup(
        label="Learn from", options={}, value=[], size="small", **_WIDE
    )
    cost = DecadeSlider(_C_DECADES, step=0.25, label="Cost factor C", **_WIDE)
    _Bound(trainer, dimensions, cost)
    return [
        label("Support vector machine"),
        pmui.Select.from_param(
            trainer.param.kernel,
            label="Kernel",
            options={choice.title: name for name, choice in KERNELS.items()},
            size="small",
            **_WIDE,
        ),
        dimensions,
        cost,
        pmui.Button(label="Tune σ and C", icon="tune", on_click=tune, **_WIDE),
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


class _Bound:
    """Widgets whose values are not the trainer's: a logarithm, a list of names.

    Parameters
    ----------
    trainer : Trainer
    dimensions, cost : widgets
    """

    def __init__(self, trainer: Trainer, dimensions: Any, cost: Any) -> None:
        self.trainer, self.dimensions, self.cost = trainer, dimensions, cost
        self._writing = False
        self._follow()
        trainer.param.watch(self._follow, ["dimensions", "C"])
        trainer.workspace.param.watch(self._follow, "dataset")
        dimensions.param.watch(self._chosen, "value")
        cost.param.watch(self._chosen, "value")

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

    def _chosen(self, event: Any) -> None:
        if self._writing or event.new is None:
            return
        if event.obj is self.cost:
            self.trainer.C = self.cost.number
        elif event.new:
            self.trainer.dimensions = sorted(event.new)
        else:
            # At least one dimension has to be learnt from.
            self._follow()
