"""The paper's figures from stored results, drawn by :mod:`swviz.plot`.

Figure 5 (accuracy, time and ratio by the number of directions) and Figure 6 (metric
distortion). They take what :func:`swviz.experiments.load_results` returns and compute
nothing. HoloViews is imported when this module is; ``import swviz`` does not import it.
"""

from __future__ import annotations

import math
from typing import Any

import holoviews as hv
import numpy as np

from swviz.experiments.comparison import comparisons
from swviz.experiments.results import Results
from swviz.experiments.studies import accuracies_by_directions, times_by_directions
from swviz.plot import of_studies as plot
from swviz.plot.looks import dots, framed, line, styled, words
from swviz.plot.places import span
from swviz.plot.theme import GREY, KERNEL_COLORS, KERNEL_STYLES, MARKERS

_WIDE = (420, 290)
_KEYS = {name: key for key, (name, _, _) in KERNEL_STYLES.items()}
_KEYS["Gaussian on d1"] = "k_d1"
"""Of kernels, by the names that results have."""


def accuracy_by_directions(results: Results) -> hv.Overlay:
    """Accuracy of k_SW by the number of directions: Figure 5, first row.

    Parameters
    ----------
    results : Results

    Returns
    -------
    hv.Overlay
        A curve with one standard deviation up and down for each data set with at
        least two numbers of directions; see :func:`swviz.plot.accuracy`.
    """
    found = accuracies_by_directions(results)
    if not found:
        return _not_measured()
    lowest = 100 * min(float((one.mean - one.spread).min()) for one in found.values())
    ends = {"ylim": (max(0, 10 * math.floor(lowest / 10)), 101)}
    return styled(plot.accuracy(found), ends, ends)


def time_by_directions(results: Results) -> hv.Overlay:
    """Time of one matrix by the number of directions: Figure 5, second row.

    Parameters
    ----------
    results : Results

    Returns
    -------
    hv.Overlay
        Of the processor; see :func:`swviz.plot.times`.
    """
    found = times_by_directions(results)
    return plot.times(found) if found else _not_measured()


def ratio_boxes(results: Results, key: str, rule: str = "paper") -> hv.Overlay:
    """Boxes of approximate over exact distance by M: Figure 5, third row.

    Parameters
    ----------
    results : Results
    key : str
        Data set, such as "shapes/Airplane".
    rule : {"paper", "diagonal"}, default="paper"
        How directions are placed.

    Returns
    -------
    hv.Overlay
        From the 5th to the 95th percentile, the box from the first quartile to the
        third, and the median. The axis is the same for all data sets and rules.
    """
    parts = results.studies.get("directions", {})
    if key not in parts:
        return _not_measured()
    names = [str(row["M"]) for row in parts[key]["rows"]]
    drawn = [_whiskers(part, one) for part in parts.values() for one in _rules(part)]
    return framed(
        [
            line(hv.HLine(1.0), GREY, 1, "dashed"),
            *plot.box_layers(_whiskers(parts[key], rule), KERNEL_COLORS["k_SW"]),
        ],
        size=_WIDE,
        xlim=(-0.6, len(names) - 0.4),
        ylim=span(np.concatenate([table.ravel() for table in drawn])),
        xticks=[(float(place), name) for place, name in enumerate(names)],
        xlabel="number of directions M",
        ylabel="SW_M / SW",
    )


def _rules(part: dict[str, Any]) -> list[str]:
    return [*part["rows"][0]["ratio"]]


def _whiskers(part: dict[str, Any], rule: str) -> Any:
    """Return what a box plot shows, of shape (5, k) for k numbers of directions."""
    at = [part["quantiles"].index(level) for level in (0.05, 0.25, 0.5, 0.75, 0.95)]
    return np.array([row["ratio"][rule] for row in part["rows"]])[:, at].T


def distortion(results: Results, key: str = "shapes/Airplane") -> hv.Overlay:
    """Distances of the kernels against d1: Figure 6.

    Parameters
    ----------
    results : Results
    key : str, default="shapes/Airplane"

    Returns
    -------
    hv.Overlay
        On a logarithmic axis; see :func:`swviz.plot.distortion`.
    """
    part = results.studies.get("distortion", {}).get(key)
    if part is None:
        return _not_measured()
    distances = {
        _KEYS.get(name, name): found["distances"]
        for name, found in part["kernels"].items()
    }
    return plot.distortion(part["d1"], distances)


def accuracy_differences(results: Results) -> hv.Overlay:
    """Our accuracy minus the paper's, cell by cell of its Table 2.

    Parameters
    ----------
    results : Results

    Returns
    -------
    hv.Overlay
        Points above 0 are above the paper.
    """
    # Of the orbit task all dimensions together, as in the paper.
    rows = [
        (row.dataset, row.label, row.difference)
        for row in comparisons(results)
        if row.difference is not None
        and (row.experiment != "orbit" or row.dimensions == "H0+H1")
    ]
    if not rows:
        return _not_measured()
    tasks = list(dict.fromkeys(dataset for dataset, _, _ in rows))
    tips = [("data", "@task"), ("kernel", "@kernel"),
            ("ours minus the paper's", "@difference{+0.0} points")]  # fmt: skip
    layers: list[Any] = [line(hv.HLine(0.0), GREY, 1.5, "dashed")]
    for index, label in enumerate(dict.fromkeys(label for _, label, _ in rows)):
        some = [
            (float(tasks.index(dataset)), difference, dataset, label)
            for dataset, one, difference in rows
            if one == label
        ]
        marks = hv.Scatter(some, "place", ["difference", "task", "kernel"], label=label)
        color = KERNEL_COLORS[label.split()[0].rstrip(",")]
        layers.append(
            dots(marks, color, MARKERS[index % len(MARKERS)], 9, tooltips=tips)
        )
    return framed(
        layers,
        size=(840, 290),
        legend="right",
        xlim=(-0.5, len(tasks) - 0.5),
        ylim=span([0.0, *(difference for _, _, difference in rows)]),
        xticks=[(float(place), task) for place, task in enumerate(tasks)],
        xrotation=40,
        # Names of data sets say what they are.
        xlabel="",
        ylabel="ours minus the paper's, points",
    )


def _not_measured() -> hv.Overlay:
    """Say in place of a figure that there is none."""
    note = words(hv.Labels([(0.5, 0.5, "not measured yet")]), size=11)
    empty = [(0.0, "")]
    return framed(
        [note], size=_WIDE, xlim=(0, 1), ylim=(0, 1), xlabel="", ylabel="",
        xticks=empty, yticks=empty, show_grid=False,
    )  # fmt: skip
