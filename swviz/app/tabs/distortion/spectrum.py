"""Eigenvalues of Gram matrices: k_SW stays above zero, the Gaussian on d1 need not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import BoxAnnotation, ColumnDataSource, HoverTool, Range1d, Span
from bokeh.plotting import figure
from numpy.typing import NDArray

from swviz.app.tabs.distortion.figures import style_legend
from swviz.app.ui.plots import new_figure
from swviz.app.ui.theme import (
    cell,
    flow,
    grid,
    plain_text,
    plot_pane,
    stack,
)
from swviz.kernels import kernel_from_distances
from swviz.plot.theme import ACCENT, GREY, KERNEL_STYLES
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


class SpectrumPanel(pn.viewable.Viewer):
    """The spectrum at the bandwidths in use, and its smallest value at all others.

    Parameters
    ----------
    use_six : callable
        Makes the six diagrams the data set in use.
    **params
        Further parameters of the panel.
    """

    which = param.Selector(default=THIS, objects=[THIS, SIX])
    text = param.String(default="", doc="The smallest eigenvalues, in words.")

    def __init__(self, use_six: Callable[[Any], None], **params: Any) -> None:
        super().__init__(**params)
        self._use_six = use_six
        self._distances: dict[str, Floats] = {}
        self._sweep: tuple[Floats, dict[str, Floats]] = (np.empty(0), {})
        self._sigmas = dict.fromkeys(_SHOWN, 1.0)
        self.spectra = {
            key: ColumnDataSource(_spectrum_columns(np.empty(0))) for key in _SHOWN
        }
        self.curves = ColumnDataSource({key: [] for key in ("sigma", *_SHOWN)})
        self.cursor = ColumnDataSource({"sigma": [], "value": []})
        self.spectrum = self._make_spectrum()
        self.smallest = self._make_smallest()
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
        self._draw_curves()

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
        self._draw_spectra()

    @param.depends("which", watch=True)
    def _draw_curves(self) -> None:
        """Draw what depends on the distances alone."""
        six = self.which == SIX
        sigmas, curves = smallest_over_sigma(six_diagrams()) if six else self._sweep
        if len(sigmas):
            lowest = min(float(curve.min()) for curve in curves.values())
            self.smallest.x_range.update(start=sigmas[0], end=sigmas[-1])
            self.smallest.y_range.update(start=min(-0.15, 1.3 * lowest), end=1.05)
        self.curves.data = {"sigma": sigmas, **curves}
        self._draw_spectra()

    def _draw_spectra(self) -> None:
        """Draw what depends on the bandwidths."""
        six = self.which == SIX
        matrices = six_diagrams() if six else self._distances
        sigmas = dict.fromkeys(_SHOWN, SIX_SIGMA) if six else self._sigmas
        values = {
            key: eigenvalues(kernel_from_distances(matrix, sigmas[key]))
            for key, matrix in matrices.items()
            if len(matrix) > 1
        }
        for key, source in self.spectra.items():
            source.data = _spectrum_columns(values.get(key, np.empty(0)))
        self.cursor.data = {
            "sigma": [sigmas[key] for key in values],
            "value": [found[-1] for found in values.values()],
        }
        self._fit_spectrum()
        self.text = self._words(values, sigmas)

    def _fit_spectrum(self) -> None:
        sizes = np.concatenate([s.data["size"] for s in self.spectra.values()])
        if not len(sizes):
            return
        ends = np.floor(np.log10(sizes.min())), np.ceil(np.log10(sizes.max()))
        low, high = (10.0 ** np.array(ends)).tolist()
        count = len(sizes) // len(self.spectra)
        self.spectrum.x_range.update(start=0, end=count + 1)
        self.spectrum.y_range.update(start=low / 2, end=2 * high)

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
        curve = np.asarray(self.curves.data["k_d1"])
        if len(curve) and curve.min() < -rounding(found):
            below = np.asarray(self.curves.data["sigma"])[curve < -rounding(found)]
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

    def _make_spectrum(self) -> figure:
        plot = new_figure(
            "eigenvalues",
            height=250,
            x_range=Range1d(0, 10),
            y_range=Range1d(1e-3, 10),
            y_axis_type="log",
            x_axis_label="rank of the eigenvalue, largest first",
            y_axis_label="size |λ| (log scale)",
        )
        for key, source in self.spectra.items():
            text, color, _ = KERNEL_STYLES[key]
            plot.line("rank", "size", source=source, color=color, alpha=0.5, name=key)
            dots = plot.scatter(
                "rank",
                "above",
                source=source,
                color=color,
                size=6,
                legend_label=text,
                name=f"{key} above zero",
            )
            crosses = plot.scatter(
                "rank",
                "below",
                source=source,
                marker="x",
                size=12,
                line_width=3,
                color=ACCENT,
                legend_label="below zero",
                name=f"{key} below zero",
            )
            tooltips = [("kernel", text), ("rank", "@rank"), ("λ", "@value{0.000e+0}")]
            plot.add_tools(
                HoverTool(renderers=[dots, crosses], tooltips=tooltips, visible=False)
            )
        style_legend(plot, "top_right")
        return plot

    def _make_smallest(self) -> figure:
        plot = new_figure(
            "smallest-eigenvalue",
            height=250,
            x_range=Range1d(0.01, 100),
            y_range=Range1d(-0.15, 1.05),
            x_axis_type="log",
            x_axis_label="bandwidth σ (log scale)",
            y_axis_label="smallest eigenvalue",
        )
        plot.add_layout(BoxAnnotation(top=0, fill_color=GREY, fill_alpha=0.14))
        plot.add_layout(Span(location=0, dimension="width", line_color=GREY))
        for key in _SHOWN:
            text, color, _ = KERNEL_STYLES[key]
            line = plot.line(
                "sigma",
                key,
                source=self.curves,
                color=color,
                line_width=2.5,
                line_dash="solid" if key == "k_sw" else "dashed",
                legend_label=text,
                name=key,
            )
            tooltips = [("σ", "@sigma{0.000}"), (text, f"@{key}{{0.00000}}")]
            plot.add_tools(
                HoverTool(
                    renderers=[line], mode="vline", tooltips=tooltips, visible=False
                )
            )
        plot.scatter(
            "sigma",
            "value",
            source=self.cursor,
            color=ACCENT,
            size=9,
            legend_label="σ in use",
            name="cursor",
        )
        style_legend(plot, "top_right")
        return plot


def _spectrum_columns(values: Floats) -> dict[str, Floats]:
    floor = rounding(values)
    size = np.maximum(np.abs(values), floor)
    negative = values < -floor
    return {
        "rank": np.arange(1, len(values) + 1),
        "value": values,
        "size": size,
        "above": np.where(negative, np.nan, size),
        "below": np.where(negative, size, np.nan),
    }


def _titled(title: str, plot: figure) -> pn.Column:
    return stack(
        plain_text(title, margin=(4, 8), font_weight="600"),
        plot_pane(plot),
    )
