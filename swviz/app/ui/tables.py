"""Tables, all of one look."""

from __future__ import annotations

from typing import Any

import pandas as pd
import panel as pn


def table(rows: pd.DataFrame, page_size: int | None = None, **options: Any) -> Any:
    """Return a table to read.

    Parameters
    ----------
    rows : DataFrame
    page_size : int, optional
        Rows of a page; all are on one by default.
    **options
        Further parameters of `panel.widgets.Tabulator`.
    """
    pages = {} if page_size is None else {"pagination": "local", "page_size": page_size}
    usual: dict[str, Any] = {
        "disabled": True,
        "show_index": False,
        "selectable": False,
        "sizing_mode": "stretch_width",
        "theme": "simple",
        "layout": "fit_data_stretch",
    }
    return pn.widgets.Tabulator(rows, **{**usual, **pages, **options})


def no_formula(text: str) -> str:
    """Return a cell of a csv file that no spreadsheet takes for a formula.

    Names of files and classes are strangers'. Numbers stay as they are.

    Parameters
    ----------
    text : str
    """
    if not text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
