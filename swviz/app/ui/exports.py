"""Buttons that hand out matrices of distances and kernels as files."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from io import BytesIO, StringIO
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui

from swviz.app.runtime.session import tell
from swviz.app.ui.theme import flow
from swviz.typing import Floats

Matrices = tuple[Sequence[str], Mapping[str, Floats]]
"""Names of n samples, and matrices of shape (n, n) between them by their names."""


def matrix_buttons(filename: str, get: Callable[[], Matrices]) -> pn.Row:
    """Offer matrices as npz and csv.

    Parameters
    ----------
    filename : str
        Without an ending.
    get : callable
        Returns what is on show when a button is clicked; no matrices, if there is
        nothing yet.
    """
    buttons = [
        pmui.FileDownload(
            callback=partial(_write, get, write),
            filename=f"{filename}.{ending}",
            label=f"Matrices as {ending}",
            size="small",
            margin=(4, 8, 4, 0),
        )
        for ending, write in (("npz", as_npz), ("csv", as_csv))
    ]
    return flow(*buttons, gap=0)


def _write(
    get: Callable[[], Matrices], write: Callable[[Matrices], BytesIO]
) -> BytesIO:
    found = get()
    if not found[1]:
        tell("There is nothing to download yet: the matrices are being computed.")
    return write(found)


def as_npz(found: Matrices) -> BytesIO:
    """Return an npz file: an array for each matrix, and the names of the samples."""
    names, matrices = found
    buffer = BytesIO()
    arrays: dict[str, Any] = {"names": np.array(list(names), dtype=str), **matrices}
    np.savez_compressed(buffer, **arrays)
    buffer.seek(0)
    return buffer


def as_csv(found: Matrices) -> BytesIO:
    """Return a csv file: a line for each pair of samples, a column for each matrix."""
    names, matrices = found
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["i", "j", "first", "second", *matrices])
    i, j = np.triu_indices(len(names) if matrices else 0)
    columns = [matrix[i, j].tolist() for matrix in matrices.values()]
    for first, second, *values in zip(i.tolist(), j.tolist(), *columns, strict=True):
        called = str(names[first]), str(names[second])
        writer.writerow([first, second, *called, *map(repr, values)])
    return BytesIO(text.getvalue().encode())
