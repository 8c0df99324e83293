"""What the Paper view lists: results beside the paper's numbers, as data frames."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from swviz.experiments.comparison import Comparison
from swviz.experiments.paper_numbers import GRAM_SECONDS, SHAPE_CATEGORIES
from swviz.experiments.results import Results
from swviz.experiments.tables import FULL_RUNS

TABLE_KERNELS = ("k_SW", "k_SW (10)", "k_PSS", "k_PWG", "k_PWG, as printed")
"""Columns of the table of accuracies, from our kernel to its rivals."""

TOLERANCE = 2.0
"""Percentage points below the paper that still count as the paper's result."""


def kernel_column(row: Comparison) -> str:
    """Return the column that a cell belongs to.

    Returns
    -------
    str
        The main k_SW of a task is exact on shapes, and has six directions elsewhere.
    """
    label = row.label.replace(" (1000)", "")
    return "k_SW" if label == "k_SW (6)" else label


def by_dataset(
    rows: Sequence[Comparison],
) -> dict[tuple[str, str, str], list[Comparison]]:
    """Group cells by the line of the table that they stand in."""
    groups: dict[tuple[str, str, str], list[Comparison]] = {}
    for row in rows:
        key = (row.experiment, row.dataset, row.dimensions)
        groups.setdefault(key, []).append(row)
    return groups


def cell_text(row: Comparison) -> str:
    """Show ours and, in parentheses, the paper's, in few characters."""
    if row.ours is None:
        text = "not measured"
    else:
        text = f"{row.ours.mean:.1f} ± {row.ours.spread:.1f}"
        if len(row.accuracies) != FULL_RUNS:
            text += f" [{len(row.accuracies)}]"
    return text if row.paper is None else f"{text} ({row.paper.mean:.1f})"


def accuracy_table(rows: Sequence[Comparison]) -> pd.DataFrame:
    """Lay accuracies out like the paper's Table 2.

    Returns
    -------
    DataFrame
        A line for each data set and choice of homology dimensions; cells with ours
        and, in parentheses, the paper's accuracy in percent.
    """
    lines = []
    for (experiment, dataset, dimensions), some in by_dataset(rows).items():
        cells = {kernel_column(row): cell_text(row) for row in some}
        lines.append(
            {
                "task": experiment,
                "data": dataset,
                "dimensions": dimensions,
                **{kernel: cells.get(kernel, "") for kernel in TABLE_KERNELS},
            }
        )
    return pd.DataFrame(lines, columns=["task", "data", "dimensions", *TABLE_KERNELS])


def time_table(results: Results) -> pd.DataFrame:
    """Lay times of one matrix out like the paper's Table 3.

    Returns
    -------
    DataFrame
        Seconds for the training set; the factors say how many times as long the paper
        and GUDHI took.
    """
    lines = []
    for key, part in results.studies.get("times", {}).items():
        seconds = part["seconds"]
        paper = GRAM_SECONDS.get(str(part.get("paper_row")), {})
        few = "SW 6" if "SW 6" in seconds else "SW 10"
        for name in (few, "SW exact"):
            ours = seconds.get(name)
            if ours is None:
                continue
            printed = paper[name].mean if name in paper else None
            peer = seconds.get(f"GUDHI {name}")
            lines.append(
                {
                    "data": key,
                    "distances": name.replace("SW ", "k_SW, M = ")
                    if name != "SW exact"
                    else "k_SW, exact",
                    "here": time_text(ours),
                    "paper": _times(printed, ours),
                    "GUDHI, same run": _times(peer, ours),
                }
            )
    header = ["data", "distances", "here", "paper", "GUDHI, same run"]
    return pd.DataFrame(lines, columns=header)


def summary(rows: Sequence[Comparison]) -> dict[str, str]:
    """Say in numbers how the paper's Table 2 was met.

    Returns
    -------
    dict of str to str
        Figures for the cards at the top of the view.
    """
    with_paper = [row for row in rows if row.paper is not None]
    measured = [row for row in with_paper if row.is_measured]
    shapes = [
        row
        for row in rows
        if row.dataset in SHAPE_CATEGORIES and kernel_column(row) == "k_SW"
    ]
    close = [
        row
        for row in shapes
        if row.difference is not None and row.difference >= -TOLERANCE
    ]
    orbit = [
        row
        for row in rows
        if row.experiment == "orbit"
        and kernel_column(row) == "k_SW"
        and row.ours is not None
    ]
    best = max(orbit, key=lambda row: row.ours.mean if row.ours else 0.0, default=None)
    return {
        "measured": f"{len(measured)} of {len(with_paper)}",
        "shapes": f"{len(close)} of {len(SHAPE_CATEGORIES)}",
        "orbit": "not measured" if best is None else f"{best.ours} %",
        "orbit_note": ""
        if best is None
        else f"{best.dataset}, {best.dimensions}; paper {best.paper} %",
    }


def _times(theirs: float | None, ours: float) -> str:
    if theirs is None:
        return "not measured"
    return f"{time_text(theirs)} · {theirs / ours:.3g} ×"


def time_text(seconds: float) -> str:
    """Write a time with three digits that matter, and never as a power of ten."""
    return f"{float(f'{seconds:.3g}'):,g} s"
