"""Pictures of learning: matrices, maps, curves over parameters, a test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import holoviews as hv
import numpy as np
from numpy.typing import ArrayLike, NDArray

from swviz.checks import (
    check_choice,
    check_integer,
    check_number,
    check_positive,
    check_square,
)
from swviz.errors import ParameterError, shown
from swviz.learning import (
    Evaluation,
    GridScores,
    MMDResult,
    Portrait,
)
from swviz.learning.reports import Trial, Trials
from swviz.plot.images import shrink
from swviz.plot.looks import (
    dots,
    every,
    framed,
    ground,
    level,
    line,
    log_span,
    log_ticks,
    plain,
    shorten,
    styled,
    with_alpha,
    words,
)
from swviz.plot.theme import (
    ACCENT,
    GREY,
    LINE_STYLES,
    MISTAKE,
    SEQUENTIAL,
    SHADE,
    class_color,
)
from swviz.studies import CurvePoint
from swviz.typing import Floats, Ints

_SQUARE = (320, 320)
_BOX = ["x0", "y0", "x1", "y1"]
_GROUND = (208, 156)
"""Cells of the ground, across and up."""

_WIDE = 1.35
"""Width of the map by its height."""

_NAMED = 12
"""Classes that there is room to name."""

_BINS = 40

_OVER_PAPER = tuple(with_alpha(SHADE, 0.95 * step / 100) for step in range(101))
"""Of cells on light or dark paper: an empty one is as the paper is."""


def gram(matrix: ArrayLike, labels: ArrayLike | None = None) -> hv.Overlay:
    """Draw a Gram matrix, or one of distances, ordered by class.

    Parameters
    ----------
    matrix : array-like of shape (n, n)
    labels : array-like of shape (n,), optional
        Classes; rows keep their order without.

    Returns
    -------
    hv.Overlay
        The first row on top, with a line between classes. Dark is much; the darkest is
        the largest value. Large matrices are averaged over blocks.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.gram([[1, 0, 0.5], [0, 1, 0], [0.5, 0, 1]], list("aba"))
    >>> picture.Image.I.dimension_values("value", flat=False)[::-1]
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    given = check_square(matrix, "matrix")
    count = len(given)
    if not count:
        raise ParameterError("matrix is empty: there is nothing to draw")
    order, edges, names = np.arange(count), [count], [""]
    if labels is not None:
        classes, numbers = _classes(labels, count)
        order = np.argsort(numbers, kind="stable")
        edges = np.cumsum(np.bincount(numbers)).tolist()
        names = [str(label) for label in classes]
    small = shrink(given[np.ix_(order, order)])
    low = min(0.0, float(given.min()))
    high = float(given.max())
    picture = hv.Image(small, ["column", "row"], "value", bounds=(0, 0, count, count))
    color: dict[str, Any] = {
        "cmap": list(SEQUENTIAL),
        "clim": (low, high if high > low else low + 1.0),
        "colorbar": True,
    }
    layers = [styled(picture, color | {"tools": ["hover"]}, color)]
    borders = np.array(edges[:-1], dtype=float)
    if len(borders):
        zero, full = np.zeros(len(borders)), np.full(len(borders), float(count))
        across = zero, count - borders, full, count - borders
        upright = borders, zero, borders, full
        both = tuple(np.concatenate(ends) for ends in zip(across, upright, strict=True))
        layers.append(line(hv.Segments(both, _BOX), "#FFFFFF", 1.5))
    middles = [(first + last) / 2 for first, last in pairwise([0, *edges])]
    few = labels is not None and len(names) <= _NAMED
    ticks = [(m, shorten(n, 10)) for m, n in zip(middles, names, strict=True)]
    return framed(
        layers,
        size=_SQUARE,
        xlim=(0, count),
        ylim=(0, count),
        xticks=ticks if few else [(0, "")],
        yticks=[(count - m, n) for m, n in ticks] if few else [(0, "")],
        xrotation=30 if few else 0,
        xlabel="diagram, ordered by class" if labels is not None else "diagram",
        ylabel="",
        show_grid=False,
    )


def kernel_map(
    portrait: Portrait,
    labels: ArrayLike | None = None,
    test: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    means: ArrayLike | None = None,
) -> hv.Overlay:
    """Draw samples as a kernel sees them, with what a machine makes of them.

    Parameters
    ----------
    portrait : Portrait
        From :func:`swviz.learning.train_portrait`, or from
        :func:`swviz.learning.map_samples` without a machine.
    labels : array-like of shape (n,), optional
        Classes of the samples.
    test : array-like of int, optional
        Samples that the machine was tested on: squares; the others are discs.
    names : sequence of str, optional
        Of the samples, for the pointer; numbers by default.
    means : array-like of shape (n_classes, 2), optional
        Where the means of classes are, each drawn as a star: for those of
        :func:`swviz.sliced_means`, ``portrait.map.project(kernel.gram(means, X))``.

    Returns
    -------
    hv.Overlay
        The first two principal components. The ground has the colour of the class that
        the machine sees there, rings are support vectors, crosses mistakes.

    Examples
    --------
    >>> import numpy as np
    >>> import swviz as sw
    >>> from swviz.learning import train_portrait
    >>> x = np.array([0.0, 1.0, 5.0, 6.0])
    >>> gram = np.exp(-np.abs(x[:, None] - x))
    >>> portrait = train_portrait(gram, list("aabb"), [0, 1, 2, 3], [0, 2], n_splits=0)
    >>> len(sw.plot.kernel_map(portrait, list("aabb"), [0, 2]).Points.B)
    2
    """
    if not isinstance(portrait, Portrait):
        raise ParameterError(
            "portrait must be what swviz.learning.train_portrait or map_samples "
            f"returns, not {shown(portrait)}"
        )
    where = portrait.map.coordinates
    count = len(where)
    called = [str(k) for k in range(count)] if names is None else list(map(str, names))
    if len(called) != count:
        raise ParameterError(f"{len(called)} names for {count} samples")
    classes, numbers = np.array(["samples"]), np.zeros(count, dtype=np.intp)
    if labels is not None:
        classes, numbers = _classes(labels, count)
    tested = np.zeros(count, dtype=bool)
    if test is not None:
        tested[_indices(test, count)] = True
    half = 1.15 * float(
        max(np.abs(where[:, 0]).max() / _WIDE, np.abs(where[:, 1]).max())
    )
    half = half if half > 0 else 1.0
    width, height = _WIDE * half, half
    layers: list[Any] = []
    if portrait.plane is not None:
        layers.append(_ground(portrait, width, height))
    evaluation = portrait.evaluation
    if evaluation is not None:
        held = hv.Points(where[evaluation.support], ["x", "y"], label="support vectors")
        layers.append(dots(held, GREY, size=14, hollow=True, width=1.3))
    said = [""] * count
    if portrait.predictions is not None:
        said = [str(label) for label in portrait.predictions]
    for number, label in enumerate(classes):
        for part, marker in ((False, "circle"), (True, "square")):
            chosen = np.flatnonzero((numbers == number) & (tested == part))
            if not len(chosen):
                continue
            color = GREY if labels is None else class_color(number)
            layers.append(
                _samples(where, chosen, called, said, str(label), color, marker)
            )
    if portrait.predictions is not None and labels is not None:
        wrong = portrait.predictions != np.asarray(labels)
        crosses = hv.Points(where[wrong], ["x", "y"], label="mistakes")
        if wrong.any():
            layers.append(dots(crosses, MISTAKE, "x", 13, width=2.4))
    if means is not None:
        layers.append(_stars(means, classes, labels is not None))
    return framed(
        layers,
        size=(432, 320),
        legend="right" if len(classes) <= _NAMED and labels is not None else None,
        xlim=(-width, width),
        ylim=(-height, height),
        xlabel=f"first component, {portrait.map.explained[0]:.0%} of the variance",
        ylabel=f"second component, {portrait.map.explained[1]:.0%}",
    )


def _stars(means: ArrayLike, classes: NDArray[Any], are_classes: bool) -> Any:
    where = np.asarray(means, dtype=np.float64)
    if where.shape != (len(classes), 2):
        raise ParameterError(
            f"means must have shape ({len(classes)}, 2), a place for each class, not "
            f"{where.shape}"
        )
    called = [f"mean of {label}" if are_classes else "mean" for label in classes]
    stars = hv.Points(
        (*where.T, np.arange(len(where), dtype=float), np.array(called, dtype=object)),
        ["x", "y"],
        ["class", "name"],
        label="means",
    )
    colors = [class_color(k) for k in range(len(where))] if are_classes else [GREY]
    look = {"color": "class", "cmap": colors, "clim": (-0.5, len(where) - 0.5)}
    return styled(
        stars,
        {
            "marker": "star", "size": 20, "line_color": "black", "line_width": 1,
            "tools": ["hover"], "hover_tooltips": [("", "@name")], **look,
        },
        {"marker": "*", "s": 190, "edgecolors": "black", "linewidth": 0.8, **look},
    )  # fmt: skip


def _ground(portrait: Portrait, width: float, height: float) -> Any:
    plane: Any = portrait.plane
    # Middles of cells, from the upper left corner on.
    across = width * ((2 * np.arange(_GROUND[0]) + 1) / _GROUND[0] - 1)
    up = height * (1 - (2 * np.arange(_GROUND[1]) + 1) / _GROUND[1])
    places = np.stack(np.meshgrid(across, up), axis=-1)
    classes = plane.predict(places).astype(float)
    picture = hv.Image(
        classes, ["x", "y"], "ground", bounds=(-width, -height, width, height)
    )
    colors = [class_color(k) for k in range(int(classes.max()) + 1)]
    # One colour a class: numbers are in the middle of their part of the scale.
    look = {"cmap": colors, "clim": (-0.5, len(colors) - 0.5), "alpha": 0.22}
    return styled(picture, look, look)


def _samples(
    where: Floats,
    chosen: Ints,
    names: list[str],
    said: list[str],
    label: str,
    color: str,
    marker: str,
) -> Any:
    points = hv.Points(
        (
            *where[chosen].T,
            [names[k] for k in chosen],
            [label] * len(chosen),
            [said[k] for k in chosen],
        ),
        ["x", "y"],
        ["sample", "class", "predicted"],
        label=shorten(label, 24),
    )
    tips = [("sample", "@sample"), ("class", "@class"), ("predicted", "@predicted")]
    return dots(points, color, marker, 9, tooltips=tips)


def confusion(
    counts: ArrayLike | Evaluation | Trial | Trials,
    classes: Sequence[object] | None = None,
) -> hv.Overlay:
    """Draw who is taken for whom.

    Parameters
    ----------
    counts : array-like of shape (k, k), Evaluation, RunReport, LearningReport, ...
        Samples by true class (rows) and predicted class (columns), or what has such a
        matrix.
    classes : sequence, optional
        Names of the classes; those of the report by default.

    Returns
    -------
    hv.Overlay
        A cell's darkness is its share of the true class.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.confusion([[3, 1], [0, 4]], ["a", "b"])
    >>> picture.Rectangles.I["share"]
    array([0.75, 0.25, 0.  , 1.  ])
    """
    known: Any = classes
    if isinstance(counts, Trials):
        known = counts.runs[0].classes if classes is None else classes
        counts = counts.confusion
    elif isinstance(counts, Evaluation | Trial):
        known = counts.classes if classes is None else classes
        counts = counts.confusion
    matrix = check_square(counts, "counts")
    count = len(matrix)
    if not count or matrix.min() < 0:
        raise ParameterError("counts must be numbers of samples, of one class at least")
    names = [str(label) for label in (range(count) if known is None else known)]
    if len(names) != count:
        raise ParameterError(f"{len(names)} names for {count} classes")
    rows, columns = np.indices((count, count)).reshape(2, -1)
    share = (matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)).ravel()
    # The first class is on top.
    x, y = columns.astype(float), count - 1.0 - rows
    cells = hv.Rectangles(
        (
            *(x - 0.47, y - 0.47, x + 0.47, y + 0.47, share, matrix.ravel()),
            *([names[k] for k in rows], [names[k] for k in columns]),
        ),
        _BOX,
        ["share", "count", "true", "predicted"],
    )
    tips = [
        ("true class", "@true"),
        ("predicted", "@predicted"),
        ("diagrams", "@count{0}"),
        ("of this class", "@share{0%}"),
    ]
    layers = [_shaded(cells, "share", tips, _OVER_PAPER)]
    if count <= 20:
        dark = share > 0.4
        text = np.array([f"{number:.0f}" for number in matrix.ravel()], dtype=object)
        for chosen, ink in ((dark, "#FFFFFF"), (~dark, GREY)):
            some = hv.Labels((x[chosen], y[chosen], text[chosen]), ["x", "y"], "text")
            layers.append(words(some, ink, 11))
    few = count <= 20
    ticks = [(float(k), shorten(name)) for k, name in enumerate(names)]
    return framed(
        layers,
        size=_SQUARE,
        xlim=(-0.5, count - 0.5),
        ylim=(-0.5, count - 0.5),
        xticks=ticks if few else [(0, "")],
        yticks=[(count - 1 - k, name) for k, name in ticks] if few else [(0, "")],
        xrotation=30,
        xlabel="predicted class",
        ylabel="true class",
        show_grid=False,
    )


def _shaded(
    cells: hv.Rectangles,
    by: str,
    tips: list[tuple[str, str]],
    colors: Sequence[str] = SEQUENTIAL,
) -> Any:
    shade = {"color": by, "cmap": list(colors), "clim": (0.0, 1.0)}
    return styled(
        cells,
        shade
        | {"line_color": GREY, "line_alpha": 0.5, "tools": ["hover"]}
        | {"hover_tooltips": tips},
        shade | {"edgecolor": GREY, "linewidth": 0.4},
    )


def bandwidth_curve(
    points: Iterable[CurvePoint],
    *,
    now: float | None = None,
    chance: float | None = None,
    ends: tuple[float, float] | None = None,
    xlabel: str = "bandwidth σ",
    mark: str = "now",
) -> hv.Overlay:
    """Draw the accuracies of a machine as one knob is turned.

    Parameters
    ----------
    points : iterable of CurvePoint
        From :func:`swviz.studies.bandwidth_curve` or
        :func:`swviz.studies.directions_curve`; without any, axes alone are drawn.
    now : float, optional
        A value to mark.
    chance : float, optional
        Accuracy of guessing, from 0 to 1.
    ends : (float, float), optional
        Of the axis; around the points by default.
    xlabel : str, default="bandwidth σ"
    mark : str, default="now"
        What the legend calls the value that is marked.

    Returns
    -------
    hv.Overlay
        Training, cross-validated and test accuracy in per cent over a logarithmic axis,
        with one standard deviation around the cross-validated one.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import CurvePoint
    >>> points = [CurvePoint(0.1, 1.0, 0.6, 0.7, 0.1), CurvePoint(1, 0.9, 0.8, 0.8, 0)]
    >>> sw.plot.bandwidth_curve(points).Curve.Test["accuracy"]
    array([60., 80.])
    """
    given = list(points)
    if not all(isinstance(point, CurvePoint) for point in given):
        raise ParameterError("points must be what swviz.studies.bandwidth_curve yields")
    table = np.array([[p.value, p.train, p.test, p.cv, p.spread] for p in given])
    table = table.reshape(-1, 5)
    value, train, test, cv, spread = table[np.argsort(table[:, 0])].T
    if value.min(initial=1.0) <= 0:
        raise ParameterError("values of the knob must be positive")
    low, high = log_span(value, 1.15) if ends is None else _log_ends(ends)
    x = hv.Dimension("value", label=xlabel)
    band = hv.Area(
        (value, 100 * np.maximum(cv - spread, 0), 100 * np.minimum(cv + spread, 1)),
        x,
        ["accuracy", "high"],
    )
    layers: list[Any] = [ground(band, LINE_STYLES["cv"][1], 0.16)]
    across = () if chance is None else (low, high)
    guess = 100 * check_number(0.0 if chance is None else chance, "chance", 0, 1)
    axes = (x, "accuracy")
    guessed = chance is not None
    layers.append(level(guess, across, axes, "guessing", GREY, show_legend=guessed))
    for key, accuracy in (("train", train), ("cv", cv), ("test", test)):
        name, color, dash = LINE_STYLES[key]
        curve = hv.Curve((value, 100 * accuracy), x, "accuracy", label=name)
        layers.append(line(curve, color, 2.2, dash))
    marks = hv.Scatter(
        (value, 100 * cv, 100 * train, 100 * test),
        x,
        ["accuracy", "training", "test"],
        label="tried",
    )
    tips = [
        (xlabel, "@value{0.000a}"),
        ("training", "@training{0.0} %"),
        ("cross-validated", "@accuracy{0.0} %"),
        ("test", "@test{0.0} %"),
    ]
    color = LINE_STYLES["cv"][1]
    layers.append(
        dots(marks, color, size=6, tooltips=tips, by_column=True, show_legend=False)
    )
    at = [] if now is None else [check_positive(now, "now")] * 2
    here = hv.Curve((at, [-3.0, 105.0][: len(at)]), x, "accuracy", label=mark)
    layers.append(line(here, ACCENT, 2.2, show_legend=now is not None))
    return framed(
        layers,
        legend="right",
        logx=True,
        xlim=(low, high),
        ylim=(-3, 105),
        xticks=log_ticks(low, high),
        yticks=[(tick, str(tick)) for tick in (0, 25, 50, 75, 100)],
        xlabel=xlabel,
        ylabel="accuracy, %",
    )


def _log_ends(ends: tuple[float, float]) -> tuple[float, float]:
    low, high = (check_positive(end, "ends") for end in ends)
    if low >= high:
        raise ParameterError("ends must be two positive numbers, the smaller one first")
    return low, high


def parameter_grid(
    grid: GridScores,
    name: str = "σ",
    parameter: str | None = None,
    now: tuple[int, int] | None = None,
) -> hv.Overlay:
    """Draw cross-validated accuracies over a grid of bandwidths and C.

    Parameters
    ----------
    grid : GridScores
        Of a :class:`swviz.learning.RunReport`; NaN where a score is not known yet.
    name : str, default="σ"
        Of the bandwidth, for the axis.
    parameter : str, optional
        Which of the settings is the bandwidth; the first by default.
    now : (int, int), optional
        Indices of the setting and of the C in use: framed.

    Returns
    -------
    hv.Overlay
        Dark cells are accurate, as the scale beside them says; the best one has a star
        once all are known.

    Examples
    --------
    >>> import numpy as np
    >>> import swviz as sw
    >>> from swviz.learning import GridScores
    >>> scores = np.array([[[0.5]], [[0.9]]])
    >>> grid = GridScores(({"sigma": 0.1}, {"sigma": 1.0}), np.array([1.0]), scores)
    >>> sw.plot.parameter_grid(grid).Points.Best["x"]
    array([1.])
    """
    if not isinstance(grid, GridScores):
        raise ParameterError(f"grid must be a GridScores, not {shown(grid)}")
    keys = list(grid.settings[0]) if len(grid.settings) else []
    key = keys[0] if keys else ""
    if parameter is not None:
        key = check_choice(parameter, "parameter", keys)
    mean, spread = grid.mean, grid.spread
    x, y = np.indices(mean.shape).reshape(2, -1).astype(float)
    scales = [float(setting[key]) for setting in grid.settings]
    texts = [plain(scale) for scale in scales]
    costs = [plain(float(cost)) for cost in grid.C]
    cells = hv.Rectangles(
        (
            *(*cell_box(x, y), mean.ravel(), spread.ravel()),
            *([texts[int(k)] for k in x], [costs[int(k)] for k in y]),
        ),
        _BOX,
        ["accuracy", "spread", "setting", "C"],
        label="grid",
    )
    tips = [
        (name, "@setting"),
        ("C", "@C"),
        ("accuracy", "@accuracy{0.0%} ± @spread{0.0%}"),
    ]
    known = mean.size > 0 and np.isfinite(mean).all()
    best = np.array([grid.best] if known else [], dtype=float).reshape(-1, 2)
    star = hv.Points(best, ["x", "y"], label="best")
    in_use = hv.Rectangles(
        np.array([] if now is None else [cell_box(*_place(now, mean.shape))]).reshape(
            -1, 4
        ),
        _BOX,
        label="now",
    )
    scale = {"colorbar": True, "clabel": "cross-validated"}
    layers = [
        styled(_shaded(cells, "accuracy", tips), scale, scale),
        styled(
            dots(star, "#FFFFFF", "star", 15, width=1),
            {"line_color": "#101010"},
            {"edgecolors": "#101010"},
        ),
        ground(in_use, ACCENT, 0, edge=ACCENT, width=3),
    ]
    return framed(
        layers,
        size=(max(200, min(32 * len(texts), 520)), max(120, 34 * len(costs))),
        xlim=(-0.5, max(len(texts), 1) - 0.5),
        ylim=(-0.5, max(len(costs), 1) - 0.5),
        xticks=every([plain(float(f"{s:.2g}")) for s in scales], 8) or [(0.0, "")],
        yticks=every(costs, 18) or [(0.0, "")],
        xrotation=50,
        xlabel=name,
        ylabel="C",
        show_grid=False,
    )


def cell_box(x: Any, y: Any) -> tuple[Any, Any, Any, Any]:
    """Return the box of a cell, a little apart from its neighbours."""
    return x - 0.48, y - 0.47, x + 0.48, y + 0.47


def _place(now: tuple[int, int], shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the indices of a cell that a grid has."""
    if len(now) != 2:
        raise ParameterError("now must be the indices of a setting and of a C")
    setting, cost = (
        check_integer(index, "now", 0, length - 1)
        for index, length in zip(now, shape, strict=True)
    )
    return setting, cost


def permutations(result: MMDResult) -> hv.Overlay:
    r"""Draw a two-sample test: its statistic beside what chance makes of it.

    Parameters
    ----------
    result : MMDResult
        From :func:`swviz.mmd_test`; without permutations, axes alone are drawn.

    Returns
    -------
    hv.Overlay
        A histogram of :math:`MMD^2` after random exchanges between the samples, and a
        line where it really is: the part of the bars from there on is the p-value.

    Examples
    --------
    >>> import numpy as np
    >>> import swviz as sw
    >>> from swviz.learning import mmd_from_gram
    >>> result = mmd_from_gram(np.kron(np.eye(2), np.ones((4, 4))), 4, random_state=0)
    >>> int(sw.plot.permutations(result).Rectangles.By_chance["count"].sum())
    999
    """
    if not isinstance(result, MMDResult):
        raise ParameterError(
            f"result must be what swviz.mmd_test returns, not {shown(result)}"
        )
    exchanged, real = result.permutations, [result.statistic] * 2
    if not len(exchanged):
        real = []
    values = np.append(exchanged, real)
    smallest, largest = values.min(initial=0.0), values.max(initial=0.0)
    # Statistics that are all 0 but for rounding fill one bar.
    reach = (largest - smallest) if largest - smallest > 1e-12 else 1.0
    counts, edges = np.histogram(
        exchanged, _BINS, range=(smallest, smallest + 1.02 * reach)
    )
    top = 1.1 * float(max(1, counts.max()))
    drawn = slice(_BINS if len(exchanged) else 0)
    bars = hv.Rectangles(
        (
            *(edges[:-1][drawn], np.zeros(_BINS)[drawn], edges[1:][drawn]),
            *(counts[drawn].astype(float), counts[drawn]),
        ),
        ["left", "bottom", "right", "top"],
        "count",
        label="by chance",
    )
    tips = [("MMD²", "@left{0.0000} to @right{0.0000}"), ("permutations", "@count")]
    here = hv.Curve(
        (real, [0.0, top][: len(real)]), "statistic", "count", label="these two"
    )
    layers = [
        ground(bars, GREY, 0.45, edge=GREY, width=0.6, tooltips=tips),
        line(here, ACCENT, 3),
    ]
    ending = f"; p = {result.p_value:.3g}" if len(exchanged) else ""
    return framed(
        layers,
        size=(420, 230),
        legend="right",
        xlim=(float(smallest - 0.02 * reach), float(smallest + 1.06 * reach)),
        ylim=(0, top),
        xlabel=f"MMD² with labels exchanged{ending}",
        ylabel="permutations",
    )


def _classes(labels: ArrayLike, count: int) -> tuple[NDArray[Any], Ints]:
    """Return the classes in order, and the number of each sample's."""
    given = np.asarray(labels)
    if given.shape != (count,):
        raise ParameterError(
            f"labels have shape {given.shape}, but there are {count} samples: give one "
            "a sample"
        )
    classes, numbers = np.unique(given, return_inverse=True)
    return classes, numbers.astype(np.intp)


def _indices(test: ArrayLike, count: int) -> Any:
    given = np.asarray(test)
    if given.dtype == bool and given.shape == (count,):
        return given
    whole = given.size == 0 or given.dtype.kind in "iu"
    if not whole or (given.size and (given.min() < 0 or given.max() >= count)):
        raise ParameterError(f"test must be indices from 0 to {count - 1}, or a mask")
    return given.astype(np.intp)
