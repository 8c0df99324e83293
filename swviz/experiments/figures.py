"""The paper's figures from stored results, as HoloViews.

Figure 5 (accuracy, time and ratio by the number of directions) and Figure 6 (metric
distortion). They take what :func:`swviz.experiments.load_results` returns and compute
nothing. HoloViews is imported when this module is; ``import swviz`` does not import it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import holoviews as hv
import numpy as np

from swviz.experiments.comparison import comparisons
from swviz.experiments.distortion import DISTORTION_KERNELS
from swviz.experiments.results import Results
from swviz.experiments.studies import accuracies_by_directions
from swviz.plot.of_studies import box_layers
from swviz.plot.theme import KERNEL_COLORS, MARKERS, SET_COLORS

# As wide as where they are shown. A width, even None, would keep them from it.
_SIZE: Mapping[str, Any] = {"responsive": True, "height": 340}
_TICKS = [1, 2, 3, 5, 10, 20, 50, 100]
_LOG_TICKS = [
    float(f"{digit}e{power}") for power in range(-4, 5) for digit in (1, 2, 5)
]
_DIRECTIONS = hv.Dimension("M", label="directions M")


def accuracy_by_directions(results: Results) -> hv.Overlay:
    """Accuracy of k_SW by the number of directions: Figure 5, first row.

    Parameters
    ----------
    results : Results

    Returns
    -------
    hv.Overlay
        A curve with one standard deviation up and down for each data set with at
        least two numbers of directions.
    """
    layers = []
    accuracy = hv.Dimension("accuracy", label="accuracy", unit="%")
    for index, (name, study) in enumerate(accuracies_by_directions(results).items()):
        mean, spread = 100 * study.mean, 100 * study.spread
        layers += _curve((study.sizes, mean), _DIRECTIONS, accuracy, name, index)
        bars = hv.ErrorBars(
            (study.sizes, mean, spread), _DIRECTIONS, [accuracy, "spread"]
        )
        layers.append(bars.opts(line_color=_colour(index), lower_head=None))
    title = "A few directions tell classes apart"
    return _overlay(layers, title, logx=True, xticks=_TICKS)


def time_by_directions(results: Results) -> hv.Overlay:
    """Time of one matrix by the number of directions: Figure 5, second row.

    Parameters
    ----------
    results : Results

    Returns
    -------
    hv.Overlay
    """
    seconds = hv.Dimension("seconds", label="processor time of one matrix", unit="s")
    layers = []
    for index, (name, part) in enumerate(_parts(results, "directions").items()):
        values = [(row["M"], row["seconds"]) for row in part["rows"]]
        layers += _curve(values, _DIRECTIONS, seconds, name, index)
    title = "The cost grows with the number of directions"
    return _overlay(
        layers, title, logx=True, logy=True, xticks=_TICKS, yticks=_LOG_TICKS
    )


def ratio_boxes(
    results: Results,
    key: str,
    rule: str = "paper",
    colours: Mapping[str, str] = KERNEL_COLORS,
) -> hv.Overlay:
    """Boxes of approximate over exact distance by M: Figure 5, third row.

    Parameters
    ----------
    results : Results
    key : str
        Data set, such as "shapes/Airplane".
    rule : {"paper", "diagonal"}, default="paper"
        How directions are placed.
    colours : mapping of str to str, optional
        Of kernels; boxes are in that of k_SW.

    Returns
    -------
    hv.Overlay
        From the 5th to the 95th percentile, the box from the first quartile to the
        third, and the median.
    """
    part = _parts(results, "directions").get(key)
    if part is None:
        return _overlay([], f"{key}: how far SW_M is from SW, {rule} rule")
    at = [part["quantiles"].index(level) for level in (0.05, 0.25, 0.5, 0.75, 0.95)]
    table = np.array(
        [[row["ratio"][rule][index] for index in at] for row in part["rows"]]
    )
    names = [str(row["M"]) for row in part["rows"]]
    layers = [
        hv.HLine(1.0).opts(color="grey", line_dash="dashed", line_width=1),
        *box_layers(table.T, colours["k_SW"]),
    ]
    title = f"{key}: how far SW_M is from SW, {rule} rule"
    ticks = [(float(place), name) for place, name in enumerate(names)]
    return _overlay(
        layers,
        title,
        xticks=ticks,
        xlabel="directions M",
        ylabel="SW_M / SW",
        show_legend=False,
    )


def distortion(
    results: Results,
    key: str = "shapes/Airplane",
    colours: Mapping[str, str] = KERNEL_COLORS,
) -> hv.Overlay:
    """Logarithm of the kernels' distances against d1: Figure 6.

    Parameters
    ----------
    results : Results
    key : str, default="shapes/Airplane"
    colours : mapping of str to str, optional
        Of kernels.

    Returns
    -------
    hv.Overlay
    """
    part = _parts(results, "distortion").get(key)
    if part is None:
        return _overlay([], f"{key}: a thin cloud keeps d1")
    d1 = np.array(part["d1"])
    x = hv.Dimension("d1", label="first diagram distance d1")
    y = hv.Dimension("log_distance", label="log of the kernel's distance")
    layers = []
    for index, name in enumerate(DISTORTION_KERNELS):
        distances = np.array(part["kernels"][name]["distances"])
        apart = distances > 0
        points = hv.Scatter((d1[apart], np.log(distances[apart])), x, y, label=name)
        layers.append(
            points.opts(
                color=colours[_kernel(name)], size=4, alpha=0.6, marker=_marker(index)
            )
        )
    return _overlay(layers, f"{key}: a thin cloud keeps d1")


def accuracy_differences(
    results: Results, colours: Mapping[str, str] = KERNEL_COLORS
) -> hv.Overlay:
    """Our accuracy minus the paper's, cell by cell of its Table 2.

    Parameters
    ----------
    results : Results
    colours : mapping of str to str, optional
        Of kernels.

    Returns
    -------
    hv.Overlay
        Points above 0 are above the paper.
    """
    # Of the orbit task all dimensions together, as in the paper.
    rows = [
        row
        for row in comparisons(results)
        if row.difference is not None
        and (row.experiment != "orbit" or row.dimensions == "H0+H1")
    ]
    task = hv.Dimension("task", label="data set")
    points = hv.Dimension("difference", label="ours minus the paper's", unit="points")
    layers: list[Any] = []
    for index, label in enumerate(dict.fromkeys(row.label for row in rows)):
        some = [(row.dataset, row.difference) for row in rows if row.label == label]
        layers.append(
            hv.Scatter(some, task, points, label=label).opts(
                color=colours[_kernel(label)], size=9, marker=_marker(index)
            )
        )
    if layers:
        layers.append(hv.HLine(0).opts(color="grey", line_dash="dashed"))
    title = "Our accuracies beside the paper's"
    # Names of data sets say what they are.
    return _overlay(layers, title, xrotation=40, xlabel="")


def _parts(results: Results, study: str) -> dict[str, Any]:
    return dict(results.studies.get(study, {}))


def _colour(index: int) -> str:
    return SET_COLORS[index % len(SET_COLORS)]


def _kernel(label: str) -> str:
    """Return the kernel of a label such as "k_PWG (1000), as printed"."""
    return label.split()[0].rstrip(",")


def _marker(index: int) -> str:
    return MARKERS[index % len(MARKERS)]


def _curve(data: Any, x: Any, y: Any, name: str, index: int) -> list[Any]:
    curve = hv.Curve(data, x, y, label=name).opts(color=_colour(index), line_width=2)
    points = hv.Scatter(data, x, y, label=name).opts(
        color=_colour(index), size=7, marker=_marker(index), tools=["hover"]
    )
    return [curve, points]


def _overlay(layers: list[Any], title: str, **options: Any) -> hv.Overlay:
    """Lay layers over each other; without any, a figure that says so."""
    if not layers:
        layers = [hv.Labels([(0.5, 0.5, "not measured yet")]), hv.Scatter([])]
        options = {"xlim": (0, 1), "ylim": (0, 1), "xaxis": None, "yaxis": None}
    return hv.Overlay(layers).opts(
        title=title, legend_position="right", **_SIZE, **options
    )
