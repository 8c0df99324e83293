"""One bandwidth for each kernel, owned here for all views of a session."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import RESULTS, digest
from swviz.app.ui.sliders import LiveSlider
from swviz.app.ui.theme import label
from swviz.app.workspace.links import remember
from swviz.app.workspace.state import WIDTH_SETTINGS, Workspace
from swviz.diagrams import Diagram
from swviz.studies import Bandwidths, fit_bandwidths
from swviz.typing import Progress

NAMES = ("t", "rho", "tau", "sigma_d1")
"""Bandwidths beside sigma of k_SW."""

_POSITIVE = (1e-300, 1e300)
_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (8, 12)}

_SLIDERS = {
    "t": ("t of k_PSS", 3.0),
    "rho": ("ρ of k_PWG", 1.5),
    "tau": ("τ of k_PWG", 2.0),
    "sigma_d1": ("σ of the Gaussian on d₁", 2.0),
}
"""Label, and how many decades the slider goes up and down from what fits."""


class KernelWidths(param.Parameterized):
    """The bandwidths of a session; use :meth:`of`, so that all views have the same.

    k_SW's sigma is the workspace's own and stays as it is until somebody moves it. Each
    of the others follows what fits the data set (:func:`fit_bandwidths`) until somebody
    chooses another value, which then is in the link.

    Parameters
    ----------
    workspace : Workspace
    **params
        Further parameters.
    """

    t = param.Number(default=1.0, bounds=_POSITIVE, doc="Of k_PSS.")
    rho = param.Number(default=1.0, bounds=_POSITIVE, doc="Of k_PWG, around points.")
    tau = param.Number(default=1.0, bounds=_POSITIVE, doc="Of k_PWG.")
    sigma_d1 = param.Number(default=1.0, bounds=_POSITIVE, doc="Of the Gaussian on d1.")
    fitted = param.ClassSelector(
        class_=Bandwidths, doc="What fits the data in use; None until it is computed."
    )

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(**params)
        self.workspace = workspace
        self._chosen: set[str] = set()
        self._fitting = False
        # Views ask for this object before they watch the data themselves, and so find
        # no fit of the old ones here when they hear of others.
        workspace.param.watch(self.forget, ["dataset", "dimension"])
        # Before the link hears of it; to choose the value that is there is a choice.
        self.param.watch(self._note_choices, list(NAMES), onlychanged=False)
        # Links have called them so since there was but one view that had them.
        remember(self, workspace, "distortion", list(NAMES), self._is_free)
        workspace.param.watch(self._follow_link, "settings")

    @classmethod
    def of(cls, workspace: Workspace) -> KernelWidths:
        """Return the bandwidths of a session."""
        if workspace.widths is None:
            workspace.widths = cls(workspace)
        return workspace.widths

    def value(self, name: str, fitted: Bandwidths | None = None) -> float:
        """Return a bandwidth.

        Parameters
        ----------
        name : str
            "sigma", or one of ``NAMES``.
        fitted : Bandwidths, optional
            What will be learnt: a bandwidth that nobody has chosen will be this.
        """
        if name == "sigma":
            return float(self.workspace.sigma)
        if fitted is not None and self._is_free(name):
            return float(getattr(fitted, name))
        return float(getattr(self, name))

    def choose(self, name: str, value: float) -> None:
        """Take another bandwidth, the nearest one that is allowed.

        Parameters
        ----------
        name : str
            "sigma", or one of ``NAMES``.
        value : float
        """
        owner = self.workspace if name == "sigma" else self
        owner.param.update(**{name: float(np.clip(value, *owner.param[name].bounds))})

    # -- what fits ------------------------------------------------------------------

    def forget(self, *_events: object) -> None:
        """Let all bandwidths follow the data again: they are other data."""
        self._unchoose()
        self.fitted = None

    def question(self) -> tuple[str, Sequence[Diagram]]:
        """Return the diagrams that bandwidths are to fit, and a key to the answer."""
        space = self.workspace
        diagrams = space.dataset.in_dimension(space.dimension)
        points = np.concatenate([np.empty((0, 2)), *diagrams])
        sizes = np.array([len(diagram) for diagram in diagrams])
        return digest("bandwidths", points, sizes), diagrams

    def learn(self, fitted: Bandwidths) -> None:
        """Follow the widths that fit the data in use, unless others are chosen."""
        free = {name: getattr(fitted, name) for name in NAMES if self._is_free(name)}
        self._fit(fitted=fitted, **free)

    def reset(self, _event: object = None) -> None:
        """Bring all bandwidths to what fits the data, k_SW's sigma as well."""
        fitted = self.fitted
        if fitted is not None:
            # As many digits as the sidebar's slider keeps.
            self.choose("sigma", float(f"{fitted.sigma:.4g}"))
            self._unchoose()
            self.learn(fitted)

    def _is_free(self, name: str) -> bool:
        """Tell whether nobody has chosen a bandwidth, here or in a link."""
        return name not in self._chosen

    def _fit(self, **values: Any) -> None:
        """Set bandwidths that nobody has chosen."""
        self._fitting = True
        try:
            self.param.update(**values)
        finally:
            self._fitting = False

    def _note_choices(self, *events: Any) -> None:
        if self._fitting:
            return
        for event in events:
            if event.new == getattr(self.fitted, event.name, None):
                self._chosen.discard(event.name)
            else:
                self._chosen.add(event.name)

    def _unchoose(self) -> None:
        """Forget all choices, in the link as well."""
        self._chosen.clear()
        settings = self.workspace.settings
        if WIDTH_SETTINGS & set(settings):
            self.workspace.settings = {
                key: text for key, text in settings.items() if key not in WIDTH_SETTINGS
            }

    def _follow_link(self, *_events: object) -> None:
        """Let bandwidths follow the data that the link names no longer."""
        gone = {
            name
            for name in self._chosen
            if f"distortion.{name}" not in self.workspace.settings
        }
        if gone:
            self._chosen -= gone
            if self.fitted is not None:
                self.learn(self.fitted)


def fit_once(key: str, diagrams: Sequence[Diagram], progress: Progress) -> Bandwidths:
    """Return the bandwidths that fit some diagrams, kept ones if there are some."""
    fitted: Bandwidths | None = RESULTS.get(key)
    if fitted is None:
        fitted = fit_bandwidths(diagrams, progress=progress)
        RESULTS.put(key, fitted)
    return fitted


class WidthSliders:
    """Sliders for the bandwidths of all kernels but k_SW, in decades from what fits."""

    def __init__(self, widths: KernelWidths) -> None:
        self.widths = widths
        self._writing = False
        self.sliders = {
            name: LiveSlider(
                start=-decades,
                end=decades,
                step=0.05,
                value=0,
                show_value=False,
                label=text,
                **_WIDE,
            )
            for name, (text, decades) in _SLIDERS.items()
        }
        for name, slider in self.sliders.items():
            slider.param.watch(partial(self._slide, name), "value")
        self.watcher = widths.param.watch(self._show, [*NAMES, "fitted"])
        self.controls = [
            label("Other kernels"),
            *self.sliders.values(),
            pmui.Button(
                label="Fit bandwidths to the data",
                icon="auto_fix_high",
                variant="outlined",
                size="small",
                on_click=widths.reset,
                **_WIDE,
            ),
        ]
        self._show()

    def _slide(self, name: str, event: Any) -> None:
        fitted = self.widths.fitted
        if not self._writing and fitted is not None:
            self.widths.choose(name, getattr(fitted, name) * 10.0**event.new)

    def _show(self, *_events: object) -> None:
        """Bring the sliders to the bandwidths."""
        fitted = self.widths.fitted
        self._writing = True
        try:
            for name, (text, decades) in _SLIDERS.items():
                value = self.widths.value(name)
                if fitted is None:
                    self.sliders[name].param.update(label=f"{text} = …", value=0.0)
                    continue
                away = np.log10(value / getattr(fitted, name))
                self.sliders[name].param.update(
                    label=f"{text} = {value:.3g}",
                    value=float(np.clip(away, -decades, decades)),
                )
        finally:
            self._writing = False
