"""Bandwidths of the kernels that are compared, and their sliders."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import panel_material_ui as pmui
import param
from numpy.typing import NDArray

from swviz.app.links import remember
from swviz.app.sliders import LiveSlider
from swviz.app.state import Workspace
from swviz.app.theme import label
from swviz.distortion import Bandwidths, typical_sigma

Floats = NDArray[np.float64]

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
    """Bandwidths of all kernels but k_SW, whose sigma is the workspace's.

    Parameters
    ----------
    workspace : Workspace
    **params
        Further parameters.

    Notes
    -----
    Each bandwidth follows what fits the data until somebody chooses another value;
    sliders count decades from what fits.
    """

    t = param.Number(default=1.0, bounds=_POSITIVE)
    rho = param.Number(default=1.0, bounds=_POSITIVE)
    tau = param.Number(default=1.0, bounds=_POSITIVE)
    sigma_d1 = param.Number(default=1.0, bounds=_POSITIVE)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(**params)
        self.workspace = workspace
        self._fitted: dict[str, float] = {}
        self._chosen: set[str] = set()
        self._fitting = False
        self._guess: tuple[float, float] | None = None
        self._writing = False
        self.sliders = {
            name: LiveSlider(
                start=-decades, end=decades, step=0.05, value=0, show_value=False,
                label=text, **_WIDE,
            )
            for name, (text, decades) in _SLIDERS.items()
        }  # fmt: skip
        for name, slider in self.sliders.items():
            slider.param.watch(partial(self._slide, name), "value")
        # Before the link hears of it; to choose the value that is there is a choice.
        self.param.watch(self._note_choices, list(_SLIDERS), onlychanged=False)
        self.param.watch(self._show, list(_SLIDERS))
        remember(self, workspace, "distortion", list(_SLIDERS), self._is_free)
        self.controls = [
            label("Other kernels"),
            *self.sliders.values(),
            pmui.Button(
                label="Fit bandwidths to the data",
                icon="auto_fix_high",
                variant="outlined",
                size="small",
                on_click=self.reset,
                **_WIDE,
            ),
        ]

    def forget(self) -> None:
        """Let all bandwidths follow the data again: they are other data."""
        # The last fitted sigma stays known: a session's sigma that equals it was not
        # chosen, any other was.
        self._fitted = {"sigma": self._fitted.get("sigma", 0.0)}
        self._unchoose()
        self._guess = None

    def learn(self, widths: Bandwidths) -> None:
        """Follow the widths of points that fit some diagrams, unless others are chosen.

        Parameters
        ----------
        widths : Bandwidths
        """
        fits = {"t": widths.t, "rho": widths.rho, "tau": widths.tau}
        free = {name: fit for name, fit in fits.items() if self._is_free(name)}
        self._fitted |= fits
        self._fit(free)
        self._show()

    @property
    def sigmas(self) -> tuple[float, float]:
        """The bandwidths of k_SW and of the Gaussian on d1."""
        sigma, sigma_d1 = self.workspace.sigma, self.sigma_d1
        if self._guess is None:
            return sigma, sigma_d1
        return (
            self._guess[0] if self._is_free("sigma") else sigma,
            self._guess[1] if self._is_free("sigma_d1") else sigma_d1,
        )

    def guess_sigmas(self, d1: Floats, sw: Floats) -> None:
        """Use what fits the first pairs, unless somebody has chosen a sigma.

        Sliders and the link wait for :meth:`fit_sigmas`.

        Parameters
        ----------
        d1, sw : ndarrays of shape (n,)
        """
        self._guess = typical_sigma(sw), typical_sigma(d1)

    def fit_sigmas(self, d1: Floats, sw: Floats) -> None:
        """Let both sigmas follow the median distances, unless somebody has chosen one.

        Parameters
        ----------
        d1, sw : ndarrays of shape (n,)
        """
        self._guess = None
        space = self.workspace
        # As many digits as the sidebar's slider keeps.
        sigma = float(f"{typical_sigma(sw):.4g}")
        sigma = float(np.clip(sigma, *space.param.sigma.bounds))
        free, free_d1 = self._is_free("sigma"), self._is_free("sigma_d1")
        self._fitted |= {"sigma": sigma, "sigma_d1": typical_sigma(d1)}
        if free_d1:
            self._fit({"sigma_d1": self._fitted["sigma_d1"]})
        if free:
            space.sigma = sigma
        self._show()

    def _is_free(self, name: str) -> bool:
        """Tell whether nobody has chosen a bandwidth, here or in a link."""
        if name == "sigma":
            space = self.workspace
            return space.sigma in (space.param.sigma.default, self._fitted.get(name))
        return name not in self._chosen

    def _fit(self, values: dict[str, float]) -> None:
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
            if event.new == self._fitted.get(event.name):
                self._chosen.discard(event.name)
            else:
                self._chosen.add(event.name)

    def _unchoose(self) -> None:
        """Forget all choices, in the link as well."""
        self._chosen.clear()
        keys = {f"distortion.{name}" for name in _SLIDERS}
        settings = self.workspace.settings
        if keys & set(settings):
            self.workspace.settings = {
                key: text for key, text in settings.items() if key not in keys
            }

    def reset(self, _event: object = None) -> None:
        """Bring all bandwidths back to what fits the data."""
        fitted = dict(self._fitted)
        if "sigma_d1" in fitted:
            self.workspace.sigma = fitted.pop("sigma")
            self._unchoose()
            self._fit(fitted)

    def _slide(self, name: str, event: Any) -> None:
        if not self._writing and name in self._fitted:
            value = np.clip(self._fitted[name] * 10.0**event.new, *_POSITIVE)
            self.param.update(**{name: float(value)})

    def _show(self, *_events: object) -> None:
        """Bring the sliders to the bandwidths."""
        self._writing = True
        try:
            for name, (text, decades) in _SLIDERS.items():
                value = getattr(self, name)
                away = np.log10(value / self._fitted.get(name, value))
                self.sliders[name].param.update(
                    label=f"{text} = {value:.3g}",
                    value=float(np.clip(away, -decades, decades)),
                )
        finally:
            self._writing = False
