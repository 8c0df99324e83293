"""Where the parts of the Approximation view stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn
import panel_material_ui as pmui

from swviz.app.runtime.building import fill_later
from swviz.app.tabs.approximation.figures import COMBS
from swviz.app.tabs.approximation.words import HELP
from swviz.app.ui.pictures import Picture
from swviz.app.ui.theme import (
    caption,
    card,
    cell,
    grid,
    label,
    lead,
    plain_text,
    plot_pane,
    stack,
)
from swviz.app.workspace.words import RULES as RULE_NAMES
from swviz.plot.theme import RULE_STYLES

_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (8, 12)}
_NARROWER = {7 / 3: {"sm": 4}, 4: {"md": 6}, 6: {"md": 6}}
"""Twelfths of narrower pages for parts that are no full row there."""


def make_controls(view: Any) -> list[Any]:
    """Make the widgets of the view's own, for the sidebar."""
    fields = [
        pmui.IntInput.from_param(view.set.param[name], step=step, size="small", **_WIDE)
        for name, step in (("n_pairs", 50), ("n_diagrams", 10), ("seed", 1))
    ]
    again = pmui.Button(
        label="Measure again",
        icon="refresh",
        variant="outlined",
        size="small",
        on_click=view.again,
        **_WIDE,
    )
    return [label("Samples"), *fields, again]


def lay_out(view: Any) -> pn.Column:
    """Place the figures, the answer and the notes of the view."""
    pair, whole = view.pair.figures, view.set.figures
    below = stack()
    page = stack(
        lead(
            "**How many directions are enough?** Watch the error fall like 1/M², "
            "and read off the M that your data need.",
            r"SW_M = \frac{1}{M}\sum_{i=1}^{M} W(\theta_i) \to SW",
            "Algorithm 1",
            more=HELP,
        ),
        view.set.jobs,
        _answer_card(view),
        _grid(
            (
                6,
                _card(
                    "SW_M settles on the exact value",
                    pair.curves,
                    view.pair.param.note,
                ),
            ),
            (
                6,
                _card(
                    "The error falls like 1/M², random ones like 1/√M",
                    pair.errors,
                    "The pair A, B. The ring is the sidebar's M and rule; "
                    "the band holds 80 % of 30 random draws.",
                ),
            ),
        ),
        view.pair.jobs,
        below,
    )
    fill_later(
        below,
        [
            lambda: _why_card(view.pair),
            lambda: _grid(
                (
                    7,
                    _card(
                        "SW_M / SW over the pairs of the set",
                        whole.boxes,
                        "The band is the tolerance. Click a dot to look at that "
                        "pair above.",
                    ),
                ),
                (
                    5,
                    _card(
                        "The worst pair decides",
                        whole.worst,
                        "Dashed: the tolerance. Rings: the first M within it.",
                    ),
                ),
            ),
            lambda: _grid(
                (
                    4,
                    _card("Time grows with M", whole.times, view.set.param.time_note),
                ),
                (
                    4,
                    _card(
                        "What an error costs",
                        whole.tiers,
                        view.set.param.tier_note,
                    ),
                ),
                (
                    4,
                    _card(
                        "Accuracy needs few directions",
                        whole.accuracies,
                        view.set.param.accuracy_note,
                    ),
                ),
            ),
        ],
        after=view.set.measuring.param.busy,
    )
    return page


def _answer_card(view: Any) -> pn.Row:
    slider = pmui.FloatSlider.from_param(
        view.set.param.tolerance,
        label="Tolerance, %",
        step=0.1,
        sizing_mode="stretch_width",
        margin=(6, 10, 0, 4),
    )
    words = card(
        plain_text(
            view.set.param.answer,
            font_size="1.2rem",
            font_weight="700",
            line_height="1.25",
        ),
        caption(view.set.param.note),
        slider,
    )
    numbers = [
        card(
            caption(text),
            plain_text(
                pn.bind(dict.get, view.set.param.needed, rule),
                font_size="1.6rem",
                font_weight="700",
                line_height="1.15",
                color=RULE_STYLES[rule]["color"],
            ),
            caption(pn.bind(dict.get, view.set.param.needed_most, rule)),
        )
        for text, rule in RULE_NAMES.items()
    ]
    return _grid((5, words), *((7 / 3, number) for number in numbers))


def _why_card(pair: Any) -> pn.Column:
    figures = pair.figures
    combs = zip(COMBS, figures.combs, strict=True)
    return card(
        _grid(
            *(
                (4, _titled(pn.bind(dict.get, pair.param.comb_notes, count), comb))
                for count, comb in combs
            ),
            (4, _titled("The same directions, turned", figures.turned)),
        ),
        caption(
            "W(π/4) = 0 for every pair: there each point falls on its own diagonal "
            "projection. Whenever 4 divides M, the paper's rule spends a direction "
            "on it and comes out low. With as many directions, but π/4 half way "
            "between two of them, it would come out high, by about half as much. "
            "Right: turn the directions, and the error changes with where π/4 falls. "
            "Rings are the paper's rule; the dotted line is where the diagonal-aware "
            "rule puts it. Bars at one end go on at the other."
        ),
        title="Why M = 8 can be worse than M = 6",
    )


def _grid(*parts: tuple[float, Any]) -> pn.Row:
    """Lay parts out in twelfths of a wide page; narrower ones give them more."""
    return grid(
        *(
            cell(part, **{**narrower, "lg": size})
            for (size, part), narrower in zip(parts, _narrower(parts), strict=True)
        )
    )


def _narrower(parts: Sequence[tuple[float, Any]]) -> list[dict[str, int]]:
    """Return what parts take of narrower pages; the last of three has its own row."""
    sizes = [dict(_NARROWER.get(size, {})) for size, _ in parts]
    if len(parts) == 3:
        sizes[-1] = {}
    return sizes


def _titled(title: Any, picture: Picture) -> pn.Column:
    return stack(
        plain_text(title, margin=(4, 8), font_size="0.85rem"),
        plot_pane(picture.figure, margin=0),
    )


def _card(title: str, picture: Picture, note: Any) -> pn.Column:
    return card(plot_pane(picture.figure, margin=0), caption(note), title=title)
