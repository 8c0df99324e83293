"""A table of pairs: those selected in a plot, or those that SW bends most."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import param
from numpy.typing import NDArray

from swviz.app.tabs.distortion.figures import DISTANCES, ORDER
from swviz.app.ui.tables import table
from swviz.app.ui.theme import caption, stack
from swviz.studies import distance_ratios, extreme_pairs

MOST = 200
"""Selected pairs that are listed."""

EXTREME = 5
"""Pairs that are listed for the smallest ratio, and for the largest."""

_DIGITS = 5

_NUMBERS = ("d₁", "SW", "SW / d₁", *(DISTANCES[name] for name in ORDER))


class PairTable(pn.viewable.Viewer):
    """Pairs and their distances; a click on a row opens its pair.

    Parameters
    ----------
    open_pair : callable
        Called with the row of a pair in the plots.
    **params
        Further parameters.
    """

    title = param.String(default="")

    def __init__(self, open_pair: Callable[[int], None], **params: Any) -> None:
        super().__init__(**params)
        self._open_pair = open_pair
        self.rows: NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self.table = table(
            _frame({title: [] for title in ("A", "B", *_NUMBERS)}),
            page_size=10,
            layout="fit_columns",
            widths={"A": 180, "B": 180},
            # Narrower, it scrolls.
            configuration={"columnDefaults": {"minWidth": 96, "headerWordWrap": True}},
        )
        self.table.on_click(self._clicked)

    def show(self, data: Mapping[str, Any], selected: Sequence[int]) -> None:
        """List some of the pairs.

        Parameters
        ----------
        data : mapping of str to sequence
            The columns of the plots.
        selected : sequence of int
            Rows to list; those with extreme SW / d1 if there are none.
        """
        d1, sw = (np.asarray(data[name], dtype=float) for name in ("d1", "sw"))
        ratio = distance_ratios(d1, sw)
        chosen = np.array(
            [row for row in selected if 0 <= row < len(d1)], dtype=np.intp
        )
        if len(chosen):
            self.title = (
                f"{len(chosen):,} selected {'pair' * (len(chosen) == 1) or 'pairs'}"
            )
            if len(chosen) > MOST:
                self.title += f", the first {MOST} of them"
            chosen = chosen[:MOST]
        else:
            self.title = (
                "Pairs with the smallest and the largest SW / d₁. Select others "
                "with the box tool of a plot"
            )
            chosen = extreme_pairs(ratio, EXTREME)
        self.title += "; a click on a row opens the pair in Slices."
        self.rows = chosen
        numbers = [d1, sw, ratio, *(np.asarray(data[name], float) for name in ORDER)]
        self.table.value = _frame(
            {
                "A": [data["a"][row] for row in chosen],
                "B": [data["b"][row] for row in chosen],
                **{
                    title: column[chosen]
                    for title, column in zip(_NUMBERS, numbers, strict=True)
                },
            }
        )

    def follow(self, name: str, values: Sequence[float]) -> None:
        """Bring the listed distances of one kernel to another bandwidth.

        Parameters
        ----------
        name : str
            One of ``ORDER``.
        values : sequence of float
            The column of the plots.
        """
        column = np.asarray(values, dtype=float)[self.rows].round(_DIGITS)
        if len(column):
            # One column of few rows: a new table would be drawn from the start.
            self.table.patch({DISTANCES[name]: list(enumerate(column.tolist()))})

    def _clicked(self, event: Any) -> None:
        if 0 <= event.row < len(self.rows):
            self._open_pair(int(self.rows[event.row]))

    def __panel__(self) -> pn.Column:
        return stack(caption(self.param.title), self.table)


def _frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Make a table of the same types whether it has rows or not."""
    types = {"A": object, "B": object, **dict.fromkeys(_NUMBERS, float)}
    return pd.DataFrame(columns).astype(types).round(_DIGITS)
