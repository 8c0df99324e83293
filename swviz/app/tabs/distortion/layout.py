"""Where the parts of the Distortion view stand."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui

from swviz.app.runtime.building import fill_later
from swviz.app.tabs.distortion.figures import ORDER
from swviz.app.tabs.distortion.words import rank_text, spread_text
from swviz.app.ui.exports import matrix_buttons
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
from swviz.plot.theme import KERNEL_STYLES

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


def make_controls(view: Any) -> list[Any]:
    """Make the widgets that say which pairs are drawn, for the sidebar."""
    count = pmui.IntSlider(
        start=2,
        end=view.param.n_diagrams.bounds[1],
        value=view.n_diagrams,
        label="Diagrams to draw",
        **_WIDE,
    )
    # Only when it is let go: each value means other pairs.
    count.param.watch(
        lambda event: view.param.update(n_diagrams=event.new), "value_throttled"
    )
    return [
        label("Pairs"),
        count,
        pmui.IntInput.from_param(view.param.seed, size="small", **_WIDE),
        pmui.Select.from_param(
            view.param.tier,
            label="SW of a pair",
            options=TIERS,
            size="small",
            **_WIDE,
        ),
    ]


def lay_out(view: Any) -> pn.Column:
    """Place the figures, the numbers and the tables of the view."""
    below = stack()
    page = stack(
        lead(
            "**Thin is good.** A kernel that keeps the metric draws a curve, not "
            "a cloud.",
            r"d_k(A, B)^2 = k(A, A) + k(B, B) - 2\,k(A, B)",
            "Theorems 3.3, 3.4",
            _HELP,
        ),
        view.jobs,
        view.quick_jobs,
        grid(
            cell(_scatter_card(view), md=7),
            cell(_against_card(view), md=5),
            *(cell(_stat(view, column), xs=6, md=3) for column in ORDER),
        ),
        card(plain_text(view.param.verdict)),
        below,
    )
    fill_later(
        below,
        [
            lambda: card(
                view.spectrum,
                title="Eigenvalues of the Gram matrices: below zero it is no kernel",
            ),
            lambda: card(view.table, title="Pairs"),
        ],
        after=view.measuring.param.busy,
    )
    return page


def _scatter_card(view: Any) -> pn.Column:
    again = pmui.Button(
        label="Continue",
        icon="play_arrow",
        size="small",
        variant="outlined",
        visible=view.param.stopped,
        on_click=view.resume,
    )
    return card(
        plot_pane(view.figures.scatter),
        flow(caption(view.param.sample_text), again),
        matrix_buttons("distortion", view.matrices),
        title="How each kernel bends d₁: every dot is a pair of diagrams",
    )


def _against_card(view: Any) -> pn.Column:
    return card(
        plot_pane(view.figures.against),
        caption(view.param.constants_text),
        title="SW against d₁, and its bounds",
    )


def _stat(view: Any, column: str) -> pn.Column:
    text, color, _ = KERNEL_STYLES[column]
    rank = pn.bind(partial(rank_text, column), view.param.agreements)
    spread = pn.bind(partial(spread_text, column), view.param.agreements)
    return stat(text, rank, spread, color)
