"""The Distortion tab: what kernels do to the metric, on the data set in use."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui

from swviz.app.runtime.building import fill_later
from swviz.app.tabs.distortion.figures import KERNELS, ORDER
from swviz.app.tabs.distortion.words import rank_text, spread_text
from swviz.app.tabs.distortion.work import MOST_DIAGRAMS, DistortionWork
from swviz.app.ui.theme import (
    caption,
    card,
    cell,
    flow,
    grid,
    label,
    lead,
    plain_text,
    plot_pane,
    stack,
    stat,
)
from swviz.app.workspace.kernel_widths import WidthSliders
from swviz.app.workspace.listing import literal
from swviz.app.workspace.state import Workspace
from swviz.diagrams import DiagramSet

TIERS = {
    "automatic": "auto",
    "exact": "exact",
    "M and rule of the sidebar": "sidebar",
}
_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (8, 12)}

_HELP = r"""
**Every dot is a pair of diagrams.** Across: their diagram distance d<sub>1</sub>, the
cost of the best matching. Up, on a logarithmic scale: their distance in the Hilbert
space of a kernel. A kernel that keeps the metric draws one thin rising curve; one that
forgets it draws a cloud. The Gaussian on d<sub>1</sub> (grey) is a curve by
construction, but it is no kernel. This is the figure of the paper's section *Metric
Distortion*.

**Rank correlation** (Spearman) asks whether pairs come in the same order as by
d<sub>1</sub>: 1 is perfect. **Spread** is the typical factor between a dot and the
best rising curve through its cloud: ×1 is on the curve. A kernel may bend the scale as
it likes; it pays only for pairs that it puts into another order.

**SW against d<sub>1</sub>:** Theorems 3.3 and 3.4 allow the shaded wedge, with
M' = 1 + 2N(2N − 1) and N the points of the largest diagram. What is observed is far
narrower: see the dotted lines.

**Eigenvalues:** a Gram matrix of a kernel has none below zero. k<sub>SW</sub> is one
for every bandwidth (Lemma 3.2). The Gaussian on d<sub>1</sub> often gets away with it;
on six built-in diagrams it does not.

Things to try:

- Move a bandwidth: the cloud bends, d<sub>1</sub> and SW are not computed again.
- Hover over a dot that lies far off, click it, and see in Slices why.
- Draw a box with the selection tool: the pairs in it are marked in both plots and
  listed in the table. A click on a row opens its pair, too. Click a name in the legend
  to hide its dots.
- Show the six built-in diagrams in the eigenvalue panel.

Each kernel has one bandwidth, the same here and in Learn. σ of k_SW is the sidebar's.
The others start at what fits the data set: roots of a median distance (σ of the
Gaussian on d<sub>1</sub>, τ), the rules of k_PWG's authors (K, ρ; p = 4), and for k_PSS
Gaussians as wide as those of k_PWG. *Fit bandwidths to the data* brings all of them
there, σ of k_SW as well. The paper took them from cross-validation.
"""


class DistortionView(DistortionWork):
    """All pairs of some diagrams: d1 across, distances of four kernels up.

    Parameters
    ----------
    D : DiagramSet, optional
        Shown in a workspace of its own.
    workspace : Workspace, optional
        Of a session; the built-in data set by default.
    **params
        Further parameters of the view.

    Examples
    --------
    In a notebook, ``DistortionView(D)`` in a cell shows itself; in a script,
    ``DistortionView(D).agreements`` has the numbers.
    """

    def __init__(
        self,
        D: DiagramSet | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        alone = workspace is None
        if workspace is None:
            given = {} if D is None else {"title": "this set", "source": "upload"}
            workspace = Workspace(D, **given)
        super().__init__(workspace, alone, **params)
        self.sliders = WidthSliders(self.widths)
        self._watchers.append(self.sliders.watcher)
        self.controls = [*self.sliders.controls, *self._sample_controls()]

    def as_python(self) -> str:
        """Return the lines that print the numbers on show with the library."""
        run, widths = self.run, self.widths
        lines = ["import numpy as np", "import swviz as sw"]
        if run is None or not self.n_shown:
            # There is no pair, or nothing is known of any yet.
            return "\n".join([*lines, "", *self.workspace.data_lines(),
                               "print(len(diagrams))", ""])  # fmt: skip
        learnt, rows = run.widths, self.table.rows.tolist()
        complete = self.n_shown == len(run.pairs)
        # Of a measurement that is under way or was stopped.
        part = "" if complete else f"[:{self.n_shown}]"
        count = self.spectrum.n_diagrams
        square = "" if complete else f"[:{count}, :{count}]"
        return "\n".join(
            [
                *lines,
                "from swviz.kernels import (",
                "    PersistenceWeightedGaussianKernel, kernel_from_distances",
                ")",
                "from swviz.studies import (",
                "    PairDistances, agreement, distortion_constants, draw_diagrams,",
                "    eigenvalues, exponential_distances, scale_space_distances,",
                ")",
                "",
                *self.workspace.data_lines(),
                "drawn = draw_diagrams(",
                f"    len(diagrams), {self.n_diagrams}, random_state={self.seed}",
                ")",
                "some = [diagrams[index] for index in drawn]",
                "pairs = PairDistances(",
                f"    some, n_directions={literal(run.pairs.n_directions)}, "
                f"rule={literal(run.pairs.rule)}",
                ").run()",
                f"i, j = pairs.pairs{part}.T",
                f"d1, sw_ = pairs.d1{part}, pairs.sw{part}",
                f"sigma, sigma_d1 = {literal(self.workspace.sigma)}, "
                f"{literal(widths.sigma_d1)}  # of k_SW, of the Gaussian on d1",
                f"t, rho, tau = {literal(widths.t)}, {literal(widths.rho)}, "
                f"{literal(widths.tau)}  # of k_PSS, of k_PWG",
                "pwg = PersistenceWeightedGaussianKernel(",
                f"    K={literal(learnt.K)}, rho=rho, p={literal(learnt.p)}",
                ")",
                "distances = {",
                '    "k_SW": exponential_distances(sw_, sigma),',
                '    "k_PSS": scale_space_distances(some, t)[i, j],',
                '    "k_PWG": exponential_distances(',
                "        pwg.mean_distances(some)[0][i, j], tau",
                "    ),",
                '    "Gaussian on d1": exponential_distances(d1, sigma_d1),',
                "}",
                "for name, values in distances.items():",
                "    found = agreement(d1, values)",
                "    print(name, found.rank_correlation, found.spread)",
                "",
                "found = distortion_constants(d1, sw_, pairs.largest)",
                "print(found.low, found.high, found.high / found.low)",
                "print(found.lower, found.upper, pairs.largest)",
                *(
                    [
                        "all_d1, all_sw = pairs.matrices()",
                        "print(",
                        "    eigenvalues("
                        f"kernel_from_distances(all_sw{square}, sigma))[-1],",
                        "    eigenvalues("
                        f"kernel_from_distances(all_d1{square}, sigma_d1))[-1],",
                        ")",
                    ]
                    if count > 1
                    else []
                ),
                f"for row in {literal(rows)}:",
                "    of_kernels = [values[row] for values in distances.values()]",
                "    print(drawn[i[row]], drawn[j[row]], d1[row], sw_[row],",
                "          sw_[row] / d1[row], *of_kernels)",
                "",
            ]
        )

    def _sample_controls(self) -> list[Any]:
        count = pmui.IntSlider(
            start=2,
            end=MOST_DIAGRAMS,
            value=self.n_diagrams,
            label="Diagrams to draw",
            **_WIDE,
        )
        # Only when it is let go: each value means other pairs.
        count.param.watch(
            lambda event: self.param.update(n_diagrams=event.new), "value_throttled"
        )
        return [
            label("Pairs"),
            count,
            pmui.IntInput.from_param(self.param.seed, size="small", **_WIDE),
            pmui.Select.from_param(
                self.param.tier,
                label="SW of a pair",
                options=TIERS,
                size="small",
                **_WIDE,
            ),
        ]

    def __panel__(self) -> pn.viewable.Viewable:
        below = stack()
        page = stack(
            lead(
                "**Thin is good.** A kernel that keeps the metric draws a curve, not "
                "a cloud.",
                r"d_k(A, B)^2 = k(A, A) + k(B, B) - 2\,k(A, B)",
                "Theorems 3.3, 3.4",
                _HELP,
            ),
            self.jobs,
            self.quick_jobs,
            grid(
                cell(self._scatter_card(), md=7),
                cell(self._against_card(), md=5),
                *(cell(self._stat(column), xs=6, md=3) for column in ORDER),
            ),
            card(plain_text(self.param.verdict)),
            below,
        )
        fill_later(
            below,
            [
                lambda: card(
                    self.spectrum,
                    title="Eigenvalues of the Gram matrices: below zero it is no "
                    "kernel",
                ),
                lambda: card(self.table, title="Pairs"),
            ],
            after=self.jobs.param.busy,
        )
        return page

    def _scatter_card(self) -> pn.Column:
        again = pmui.Button(
            label="Continue",
            icon="play_arrow",
            size="small",
            variant="outlined",
            visible=self.param.stopped,
            on_click=self.resume,
        )
        return card(
            plot_pane(self.figures.scatter),
            flow(caption(self.param.sample_text), again),
            title="How each kernel bends d₁: every dot is a pair of diagrams",
        )

    def _against_card(self) -> pn.Column:
        return card(
            plot_pane(self.figures.against),
            caption(self.param.constants_text),
            title="SW against d₁, and its bounds",
        )

    def _stat(self, column: str) -> pn.Column:
        text, color, _ = KERNELS[column]
        rank = pn.bind(partial(rank_text, column), self.param.agreements)
        spread = pn.bind(partial(spread_text, column), self.param.agreements)
        return stat(text, rank, spread, color)
