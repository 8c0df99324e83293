"""Eigenvalues of Gram matrices: k_SW stays above zero, the Gaussian on d1 need not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from numpy.typing import NDArray

from swviz import plot
from swviz.app.ui.pictures import Picture
from swviz.app.ui.theme import (
    cell,
    flow,
    grid,
    plain_text,
    plot_pane,
    stack,
)
from swviz.kernels import kernel_from_distances
from swviz.plot.theme import KERNEL_STYLES
from swviz.studies import (
    eigenvalues,
    rounding,
    six_diagrams,
    smallest_over_sigma,
)

Floats = NDArray[np.float64]

THIS, SIX = "This data set", "Six built-in diagrams"
SIX_SIGMA = 1.5
"""Bandwidth at which the spectrum of the six diagrams is shown."""

_SHOWN = ("k_sw", "k_d1")
_HEIGHT = 250


class SpectrumPanel(pn.viewable.Viewer):
    """The spectrum at the bandwidths in use, and its smallest value at all others.

    Parameters
    ----------
    use_six : callable
        Makes the six diagrams the data set in use.
    **params
        Further parameters of the panel.

    Attributes
    ----------
    values : dict of {"k_sw", "k_d1"} to ndarray of shape (n,)
        Eigenvalues on show, the largest first.
    curves : tuple
        The smallest ones on show, over all bandwidths.
    """

    which = param.Selector(default=THIS, objects=[THIS, SIX])
    text = param.String(default="", doc="The smallest eigenvalues, in words.")

    def __init__(self, use_six: Callable[[Any], None], **params: Any) -> None:
        super().__init__(**params)
        self._use_six = use_six
        self._distances: dict[str, Floats] = {}
        self._sweep: tuple[Floats, dict[str, Floats]] = (np.empty(0), {})
        self._sigmas = dict.fromkeys(_SHOWN, 1.0)
        nothing = dict.fromkeys(_SHOWN, np.empty(0))
        self.values = nothing
        self.spectrum = Picture(
            plot.eigenvalues, nothing, filename="eigenvalues", height=_HEIGHT
        )
        self.smallest = Picture(
            plot.smallest_eigenvalues,
            *(np.empty(0), nothing, {}),
            filename="smallest-eigenvalue",
            height=_HEIGHT,
        )
        self.clear()

    def show(
        self,
        matrices: dict[str, Floats],
        sweep: tuple[Floats, dict[str, Floats]],
        waiting: bool = False,
    ) -> None:
        """Show the Gram matrices of other diagrams.

        Parameters
        ----------
        matrices : dict of {"k_sw", "k_d1"} to ndarray of shape (n, n)
            Distances.
        sweep : tuple
            Their :func:`smallest_over_sigma`, which may take long.
        waiting : bool, default=False
            Whether more of them are being computed.
        """
        self._distances, self._sweep = matrices, sweep
        self._waiting = waiting
        self._draw()

    @property
    def n_diagrams(self) -> int:
        """Of how many diagrams the Gram matrices are."""
        return len(self._distances["k_sw"])

    def clear(self) -> None:
        """Show nothing of this data set."""
        none = {key: np.zeros((0, 0)) for key in _SHOWN}
        self.show(none, smallest_over_sigma(none))

    def set_sigmas(self, sigma: float, sigma_d1: float) -> None:
        """Use other bandwidths.

        Parameters
        ----------
        sigma, sigma_d1 : float
            Of k_SW and of the Gaussian on d1.
        """
        self._sigmas = {"k_sw": sigma, "k_d1": sigma_d1}
        self._draw()

    @param.depends("which", watch=True)
    def _draw(self) -> None:
        six = self.which == SIX
        matrices = six_diagrams() if six else self._distances
        sigmas = dict.fromkeys(_SHOWN, SIX_SIGMA) if six else self._sigmas
        self.curves = smallest_over_sigma(matrices) if six else self._sweep
        self.values = {
            key: eigenvalues(kernel_from_distances(matrix, sigmas[key]))
            if len(matrix) > 1
            else np.empty(0)
            for key, matrix in matrices.items()
        }
        found = {key: values for key, values in self.values.items() if len(values)}
        now = {key: (sigmas[key], values[-1]) for key, values in found.items()}
        if found:
            self.spectrum.show(self.values)
            self.smallest.show(*self.curves, now)
        else:
            self.spectrum.clear()
            self.smallest.clear()
        self.text = self._words(found, sigmas)

    def _words(self, values: dict[str, Floats], sigmas: dict[str, float]) -> str:
        if not values:
            if self._waiting:
                return "…"
            return "Eigenvalues appear when there are two diagrams or more."
        parts = []
        for key, found in values.items():
            least = 0.0 if abs(found[-1]) <= rounding(found) else found[-1]
            parts.append(
                f"{KERNEL_STYLES[key][0]} {least:.3g} at σ = {sigmas[key]:.3g}"
            )
        text = f"Smallest of {len(found)} eigenvalues: {', '.join(parts)}. "
        swept, curves = self.curves
        below = swept[curves["k_d1"] < -rounding(found)]
        if len(below):
            return text + (
                f"The Gaussian on d₁ is below zero between σ = {below[0]:.2g} and "
                f"{below[-1]:.2g}: it is no kernel. k_SW never is."
            )
        return text + (
            "No σ brings either below zero here. That is luck for the Gaussian on d₁ "
            "(see the six built-in diagrams) and a theorem for k_SW (Lemma 3.2)."
        )

    def __panel__(self) -> pn.Column:
        choose = pmui.RadioButtonGroup.from_param(
            self.param.which, label="Diagrams", size="small", margin=(0, 8), width=340
        )
        use = pmui.Button(
            label="Use the six as data set",
            icon="input",
            variant="outlined",
            size="small",
            margin=(0, 8),
            on_click=self._use_six,
        )
        return stack(
            flow(choose, use),
            plain_text(self.param.text),
            grid(
                cell(
                    _titled(
                        "Size of each eigenvalue; a cross is one below zero",
                        self.spectrum,
                    ),
                    md=6,
                ),
                cell(
                    _titled("Smallest eigenvalue over all bandwidths", self.smallest),
                    md=6,
                ),
            ),
        )


def _titled(title: str, picture: Picture) -> pn.Column:
    return stack(
        plain_text(title, margin=(4, 8), font_weight="600"),
        plot_pane(picture.figure),
    )
