"""Pictures of studies: how many directions, what they cost, how kernels bend d1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import holoviews as hv
import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_choice, check_count, check_number
from swviz.errors import ParameterError, shown
from swviz.plot.looks import (
    DIRECTIONS,
    count_ticks,
    dots,
    every,
    framed,
    ground,
    level,
    line,
    log_span,
    log_ticks,
    shorten,
    words,
)
from swviz.plot.theme import (
    ACCENT,
    GREY,
    KERNEL_COLORS,
    KERNEL_STYLES,
    MARKERS,
    RULE_STYLES,
    SET_COLORS,
    TIER_STYLES,
)
from swviz.studies import (
    AccuracyStudy,
    GramTimes,
    PairStudy,
    RatioStudy,
    Tiers,
    distortion_constants,
    rounding,
)
from swviz.typing import Floats, Rule

SMALLEST_ERROR = 1e-4
"""In per cent: below it, errors are those of rounding, and are not drawn."""

_WIDE = (420, 290)
_BOX = ["x0", "y0", "x1", "y1"]


def convergence(study: PairStudy) -> hv.Overlay:
    r"""Draw :math:`SW_M` of a pair by the number of directions, under each rule.

    Parameters
    ----------
    study : PairStudy
        From :func:`swviz.studies.pair_study`.

    Returns
    -------
    hv.Overlay
        A curve for each rule, of random directions the median of the draws with eight
        tenths of them around it, and the exact distance (dashed).

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import pair_study
    >>> study = pair_study([(0, 1)], [(0, 2)], counts=(4, 8))
    >>> sw.plot.convergence(study).Curve.Paper["SW"].round(4)
    array([0.6768, 0.7723])
    """
    _check_type(study, PairStudy, "study", "swviz.studies.pair_study")
    layers: list[Any] = []
    for rule, values in study.values.items():
        low, middle, high = np.quantile(values, (0.1, 0.5, 0.9), axis=0)
        layers += _rule_layers(rule, study.counts, low, middle, high, "SW")
    ends = _count_span(study.counts)
    layers.append(level(study.exact, ends, (DIRECTIONS, "SW"), "exact", ACCENT))
    fixed = [values for rule, values in study.values.items() if rule != "random"]
    drawn = np.concatenate([[study.exact], *map(np.ravel, fixed)])
    reach = max(np.abs(drawn - study.exact).max(), 0.05 * study.exact) or 1.0
    return _by_count(
        layers,
        study.counts,
        ylim=(study.exact - 1.15 * reach, study.exact + 1.15 * reach),
        ylabel="approximate distance SW_M",
    )


def error(study: PairStudy | RatioStudy) -> hv.Overlay:
    r"""Draw the error of :math:`SW_M` by the number of directions, under each rule.

    Parameters
    ----------
    study : PairStudy or RatioStudy
        Of one pair, or of many: then the largest error of any pair and draw.

    Returns
    -------
    hv.Overlay
        In per cent of SW, on logarithmic axes; what is rounding alone is left out. With
        the slopes 1/M² and 1/√M for one pair.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import pair_study
    >>> study = pair_study([(0, 1)], [(0, 2)], counts=(4, 8))
    >>> sw.plot.error(study).Curve.Paper["error"].round(2)
    array([14.77,  2.74])
    """
    if isinstance(study, RatioStudy):
        percent = {rule: 100 * study.worst_errors(rule) for rule in study.values}
        layers = []
        for rule, values in percent.items():
            seen = _above_rounding(values)
            layers += _rule_layers(rule, study.counts, seen, seen, seen, "error")
        label = "largest error of any pair, % of SW"
        drawn = np.concatenate([np.empty(0), *percent.values()])
        return _errors(layers, study.counts, drawn, label)
    _check_type(study, PairStudy, "study", "swviz.studies.pair_study or ratio_study")
    layers, drawn = _slopes(study)
    for rule in study.values:
        low, middle, high = np.quantile(
            100 * study.errors(rule), (0.1, 0.5, 0.9), axis=0
        )
        low, high = (np.maximum(end, SMALLEST_ERROR) for end in (low, high))
        seen = _above_rounding(middle)
        layers += _rule_layers(rule, study.counts, low, seen, high, "error")
        drawn = np.append(drawn, middle)
    return _errors(layers, study.counts, drawn, "error, % of SW")


def _errors(
    layers: list[Any], counts: ArrayLike, drawn: Floats, label: str
) -> hv.Overlay:
    low, high = log_span(_above_rounding(drawn), 2)
    if not layers:
        note = [(3.0, math.sqrt(low * high), "no error beyond rounding")]
        layers = [words(hv.Labels(note, [DIRECTIONS, "error"], "text"), size=11)]
    return _by_count(
        layers,
        counts,
        logy=True,
        ylim=(low, high),
        yticks=log_ticks(low, high),
        ylabel=label,
    )


def _slopes(study: PairStudy) -> tuple[list[Any], Floats]:
    """Draw how fast errors fall: 1/M² for the paper's rule, 1/√M for random ones."""
    counts = study.counts.astype(float)
    # Where the tails lie in the middle: the first few M follow no slope yet.
    tail = counts >= min(8, counts[-1])
    layers: list[Any] = []
    drawn = np.empty(0)
    falls: tuple[tuple[Rule, float, str, str], ...] = (
        ("paper", 2.0, "1/M²", "dashed"),
        ("random", 0.5, "1/√M", "dotted"),
    )
    for rule, power, text, dash in falls:
        if rule not in study.values or study.exact == 0:
            continue
        errors = 100 * np.median(study.errors(rule), axis=0)
        slope = np.median((errors * counts**power)[tail]) / counts**power
        if slope[-1] >= SMALLEST_ERROR:
            curve = hv.Curve((counts, slope), DIRECTIONS, "error", label=text)
            layers.append(line(curve, GREY, 1.5, dash))
            drawn = np.append(drawn, slope)
    return layers, drawn


def _rule_layers(
    rule: Rule, counts: ArrayLike, low: Floats, middle: Floats, high: Floats, name: str
) -> list[Any]:
    style = RULE_STYLES[rule]
    x, label, color = np.asarray(counts, dtype=float), style["name"], style["color"]
    tips = [(label, "M = @M"), (name, f"@{name}{{0.00000}}")]
    layers: list[Any] = []
    if not np.isfinite(middle).any():
        return layers
    if rule == "random" and (high > low).any():
        band = hv.Area((x, low, high), DIRECTIONS, [name, "high"])
        layers.append(ground(band, color, 0.22))
    curve = hv.Curve((x, middle), DIRECTIONS, name, label=label)
    marks = hv.Scatter((x, middle), DIRECTIONS, name, label=label)
    layers.append(line(curve, color))
    layers.append(dots(marks, color, style["marker"], 6, width=1, tooltips=tips))
    return layers


def _by_count(layers: list[Any], counts: ArrayLike, **options: Any) -> hv.Overlay:
    return framed(
        layers,
        size=_WIDE,
        legend="right",
        logx=True,
        xlim=_count_span(counts),
        xticks=count_ticks(counts),
        xlabel="number of directions M",
        **options,
    )


def _count_span(counts: ArrayLike) -> tuple[float, float]:
    return 0.9, max(1.15 * float(np.max(counts)), 12.0)


def _above_rounding(percent: Floats) -> Floats:
    return np.where(percent >= SMALLEST_ERROR, percent, np.nan)


def ratios(
    study: RatioStudy, rule: Rule = "paper", tolerance: float | None = None
) -> hv.Overlay:
    r"""Draw box plots of :math:`SW_M / SW` over the pairs of a set.

    Parameters
    ----------
    study : RatioStudy
        From :func:`swviz.studies.ratio_study`.
    rule : {"paper", "diagonal", "random"}, default="paper"
        One that the study has.
    tolerance : float, optional
        A relative error, shaded on both sides of 1.

    Returns
    -------
    hv.Overlay
        Boxes from quartile to quartile with the median, whiskers to the last ratio
        within one and a half times the box, and the pairs beyond them. The axis is the
        same for the paper's and for the diagonal rule.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import ratio_study
    >>> X = [[(0, 1)], [(0, 2)], [(1, 4)]]
    >>> picture = sw.plot.ratios(ratio_study(X, counts=(4, 8)))
    >>> len(picture.Rectangles.Boxes)
    2
    """
    _check_type(study, RatioStudy, "study", "swviz.studies.ratio_study")
    check_choice(rule, "rule", list(study.values))
    boxes = study.boxes(rule)
    color = RULE_STYLES[rule]["color"]
    layers: list[Any] = [line(hv.HLine(1.0), GREY, 1, "dashed")]
    if tolerance is not None:
        within = check_number(tolerance, "tolerance", 0, 1e6)
        layers.append(_tolerated(within, len(boxes.counts)))
    layers += box_layers(
        np.stack([boxes.lower, boxes.quarter, boxes.median, boxes.three_quarters,
                  boxes.upper]),
        color,
    )  # fmt: skip
    pairs = study.pairs[boxes.outliers[:, 0]]
    beyond = hv.Points(
        (boxes.outliers[:, 1].astype(float), boxes.outlier_ratios, *pairs.T),
        ["place", "ratio"],
        ["A", "B"],
        label="outliers",
    )
    tips = [("pair", "@A, @B"), ("ratio", "@ratio{0.0000}")]
    layers.append(dots(beyond, GREY, size=5, alpha=0.7, width=0, tooltips=tips))
    usable = study.exact > 0
    away = [
        np.abs(study.ratios(one)[usable] - 1).max(initial=0.0)
        for one in study.values
        if one in ("paper", "diagonal", rule)
    ]
    half = float(np.clip(1.1 * max(away, default=1.0), 0.02, 1.0))
    return framed(
        layers,
        size=_WIDE,
        xlim=(-0.6, len(boxes.counts) - 0.4),
        ylim=(1 - half, 1 + half),
        xticks=every([str(M) for M in boxes.counts], 12),
        xlabel="number of directions M",
        ylabel="SW_M / SW",
    )


def _tolerated(tolerance: float, count: int) -> Any:
    box = (np.array([-0.6]), np.array([1 - tolerance]), np.array([count - 0.4]),
           np.array([1 + tolerance]))  # fmt: skip
    return ground(hv.Rectangles(box, _BOX, label="tolerance"), ACCENT, 0.12)


def box_layers(levels: Floats, color: str) -> list[Any]:
    """Draw box plots at 0, 1, 2 ...

    Parameters
    ----------
    levels : ndarray of shape (5, k)
        Ends of the whiskers, quartiles and medians of k boxes, ascending.
    color : str

    Returns
    -------
    list of hv.Element
    """
    low, first, median, third, high = levels
    place = np.arange(len(median), dtype=float)
    whiskers = hv.Segments((place, low, place, high), _BOX, label="whiskers")
    boxes = hv.Rectangles(
        (place - 0.3, first, place + 0.3, third, median), _BOX, "median", label="boxes"
    )
    medians = hv.Segments(
        (place - 0.3, median, place + 0.3, median), _BOX, label="medians"
    )
    tips = [("median", "@median{0.0000}"), ("half of them", "@y0{0.000} to @y1{0.000}")]
    return [
        line(whiskers, color, 1.5),
        ground(boxes, color, 0.35, edge=color, tooltips=tips),
        line(medians, color, 3),
    ]


def times(measured: GramTimes | Mapping[str, GramTimes]) -> hv.Overlay:
    """Draw the time of a Gram matrix by the number of directions.

    Parameters
    ----------
    measured : GramTimes or mapping of str to GramTimes
        From :func:`swviz.studies.gram_times`, of one data set or of several by name.

    Returns
    -------
    hv.Overlay

    Examples
    --------
    >>> import numpy as np
    >>> import swviz as sw
    >>> from swviz.studies import GramTimes
    >>> measured = GramTimes(10, np.array([1, 10]), np.array([0.001, 0.004]))
    >>> sw.plot.times(measured).Scatter.I["milliseconds"]
    array([1., 4.])
    """
    layers, top, most = [], 0.0, 1
    y = hv.Dimension("milliseconds", label="one Gram matrix, ms")
    several = _by_name(measured, GramTimes, "measured", "swviz.studies.gram_times")
    for (name, one), (color, marker) in zip(
        several.items(), _set_looks(len(several)), strict=True
    ):
        values = one.counts.astype(float), 1e3 * one.seconds
        tips = [("M", "@M"), ("time", "@milliseconds{0.00} ms")]
        curve = hv.Curve(values, DIRECTIONS, y, label=name)
        marks = hv.Scatter(values, DIRECTIONS, y, label=name)
        layers += [line(curve, color), dots(marks, color, marker, 7, tooltips=tips)]
        top = max(top, float(values[1].max(initial=0.0)))
        most = max(most, int(one.counts.max(initial=1)))
    return framed(
        layers,
        size=_WIDE,
        legend="right" if len(several) > 1 else None,
        xlim=(0, 1.05 * most),
        ylim=(0, 1.1 * top or 1.0),
        xlabel="number of directions M",
        ylabel="one Gram matrix, ms",
    )


def tiers(*measured: Tiers) -> hv.Overlay:
    """Draw the error of each way to the distance against its time.

    Parameters
    ----------
    *measured : Tiers
        From :func:`swviz.studies.exact_tier`, :func:`swviz.studies.slice_tiers` and
        :func:`swviz.studies.embedding_tiers`.

    Returns
    -------
    hv.Overlay
        On logarithmic axes. The exact distance has no error and stands on the lower
        edge. Of embeddings also what is known beforehand to bound the error.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import exact_tier, ratio_study
    >>> study = ratio_study([[(0, 1)], [(0, 2)], [(1, 4)]], counts=(4, 8))
    >>> len(sw.plot.tiers(exact_tier(study)).Scatter.Exact)
    1
    """
    if not measured:
        raise ParameterError("give one tier at least, from swviz.studies.slice_tiers")
    for one in measured:
        _check_type(one, Tiers, "each tier", "swviz.studies.slice_tiers")
    drawn = np.concatenate([np.append(t.mean_errors, t.bounds) for t in measured])
    ends = log_span(_above_rounding(100 * drawn), 3)
    low, high = ends if np.nanmax(drawn, initial=0) > 0 else (0.01, 100.0)
    micro = np.concatenate([1e6 * one.seconds for one in measured])
    left, right = log_span(micro, 4)
    layers: list[Any] = []
    placed: list[tuple[Floats, list[str]]] = []
    for one in measured:
        style = TIER_STYLES[one.tier]
        errors = np.maximum(100 * one.mean_errors, 1.25 * low)
        x, bound = 1e6 * one.seconds, 100 * one.bounds
        known = bound >= SMALLEST_ERROR
        if known.any():
            reach = hv.Segments((x[known], errors[known], x[known], bound[known]), _BOX)
            layers.append(line(reach, style["color"], 1.5, "dotted"))
            caps = hv.Scatter((x[known], bound[known]), "micro", "error", label="bound")
            layers.append(dots(caps, style["color"], "inverted_triangle", 8))
        text = [_tier_words(one.tier, int(size)) for size in one.sizes]
        marks = hv.Scatter(
            (x, errors, 100 * one.mean_errors, 100 * one.worst_errors, text),
            "micro",
            ["error", "mean", "worst", "text"],
            label=style["label"],
        )
        tips = [
            (style["label"], "@text"),
            ("time per pair", "@micro{0.0} µs"),
            ("mean error", "@mean{0.0000} %"),
            ("largest error", "@worst{0.000} %"),
        ]
        size = 16 if style["marker"] == "star" else 10
        layers.append(dots(marks, style["color"], style["marker"], size, tooltips=tips))
        if one.tier != "exact":
            placed.append((np.stack([x, errors], axis=1), text))
    if placed:
        layers.append(_tier_names(placed, (right / left, high / low)))
    return framed(
        layers,
        size=_WIDE,
        legend="right",
        logx=True,
        logy=True,
        xlim=(left, right),
        ylim=(low, high),
        xticks=log_ticks(left, right),
        yticks=log_ticks(low, high),
        xlabel="time per pair, µs",
        ylabel="mean error, % of SW",
    )


def _tier_words(tier: str, size: int) -> str:
    return {"exact": "exact", "slices": f"M = {size}"}.get(tier, f"{size} bins")


def _tier_names(
    placed: list[tuple[Floats, list[str]]], ranges: tuple[float, float]
) -> Any:
    """Write what marks stand for beside those that have room, ends of tiers first."""
    places = np.concatenate([where for where, _ in placed])
    texts = [text for _, several in placed for text in several]
    scaled = np.log(places) / np.log(ranges)
    starts = np.cumsum([0, *(len(several) for _, several in placed)])
    ends = [*starts[:-1], *(starts[1:] - 1)]
    chosen: list[int] = []
    for k in [*ends, *range(len(texts))]:
        away = np.abs(scaled[chosen] - scaled[k])
        if not len(away) or ((away[:, 0] > 0.2) | (away[:, 1] > 0.08)).all():
            chosen.append(int(k))
    x, y = places[chosen].T
    names = hv.Labels(
        (x, y * ranges[1] ** 0.05, [texts[k] for k in chosen]),
        ["micro", "error"],
        "text",
    )
    return words(names, size=8)


def accuracy(
    study: AccuracyStudy | Mapping[str, AccuracyStudy], n_classes: int | None = None
) -> hv.Overlay:
    """Draw the accuracy of k_SW by the number of directions.

    Parameters
    ----------
    study : AccuracyStudy or mapping of str to AccuracyStudy
        From :func:`swviz.studies.accuracy_study`, of one data set or of several by
        name.
    n_classes : int, optional
        For a line at the accuracy of guessing.

    Returns
    -------
    hv.Overlay
        Means, with one standard deviation over the runs up and down.

    Examples
    --------
    >>> import numpy as np
    >>> import swviz as sw
    >>> from swviz.studies import AccuracyStudy
    >>> study = AccuracyStudy((1, 6, "exact"), np.array([[0.5], [0.8], [0.9]]), 30)
    >>> sw.plot.accuracy(study, n_classes=2).Scatter.I["accuracy"]
    array([50., 80., 90.])
    """
    source = "swviz.studies.accuracy_study"
    several = _by_name(study, AccuracyStudy, "study", source)
    sizes = _ordered({size for one in several.values() for size in one.sizes})
    layers: list[Any] = []
    if n_classes is not None:
        chance = 100 / check_count(n_classes, "n_classes")
        axes = ("place", "accuracy")
        layers.append(level(chance, (-1, len(sizes)), axes, "guessing", GREY, "dotted"))
    bottom = 100.0
    for (name, one), (color, marker) in zip(
        several.items(), _set_looks(len(several)), strict=True
    ):
        x = np.array([sizes.index(size) for size in one.sizes], dtype=float)
        mean, spread = 100 * one.mean, 100 * one.spread
        low, high = np.maximum(mean - spread, 0), np.minimum(mean + spread, 100)
        bars = hv.Segments((x, low, x, high), _BOX, label=name)
        curve = hv.Curve((x, mean), "place", "accuracy", label=name)
        text = [str(size) for size in one.sizes]
        marks = hv.Scatter(
            (x, mean, low, high, text),
            "place",
            ["accuracy", "low", "high", "M"],
            label=name,
        )
        tips = [
            ("M", "@M"),
            ("accuracy", "@accuracy{0.0} %"),
            ("one standard deviation", "@low{0.0} to @high{0.0} %"),
        ]
        layers += [
            line(bars, color, 1.5),
            line(curve, color),
            dots(marks, color, marker, 8, tooltips=tips),
        ]
        bottom = min(bottom, float(low.min(initial=100.0)))
    return framed(
        layers,
        size=_WIDE,
        legend="right" if len(several) > 1 or n_classes is not None else None,
        xlim=(-0.4, max(len(sizes), 1) - 0.6),
        ylim=(0, 103),
        xticks=[(float(k), str(size)) for k, size in enumerate(sizes)],
        xlabel="number of directions M",
        ylabel="accuracy on the test part, %",
    )


def _ordered(sizes: Any) -> list[Any]:
    """Sort numbers of directions; the exact distance comes last."""
    return sorted(sizes, key=lambda size: np.inf if size == "exact" else size)


def distortion(d1: ArrayLike, distances: Mapping[str, ArrayLike]) -> hv.Overlay:
    r"""Draw how kernels bend the diagram distance :math:`d_1`.

    Parameters
    ----------
    d1 : array-like of shape (n_pairs,)
        Diagram distances.
    distances : mapping of str to array-like of shape (n_pairs,)
        Distances of the same pairs in the Hilbert space of each kernel: "k_sw",
        "k_pss", "k_pwg" and "k_d1" have looks of their own, and names that begin with
        "k_SW" and so on have its colour.

    Returns
    -------
    hv.Overlay
        A point a pair and kernel: the thinner the cloud, the better is :math:`d_1`
        kept. Pairs at distance 0 have no place on the logarithmic axis.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.distortion([1, 2, 3], {"k_sw": [0.0, 0.5, 0.7]})
    >>> picture.Scatter.K_SW["distance"]
    array([0.5, 0.7])
    """
    first = _numbers(d1, "d1")
    if not isinstance(distances, Mapping) or not distances:
        raise ParameterError(
            "distances must be a mapping such as {'k_sw': values}, one value a pair"
        )
    y = hv.Dimension("distance")
    layers, drawn = [], []
    order = [key for key in KERNEL_STYLES if key in distances]
    others = [key for key in distances if key not in KERNEL_STYLES]
    for index, key in enumerate([*order, *others]):
        values = _numbers(distances[key], f"distances[{key!r}]", len(first))
        name, color, marker = _kernel_look(key, index)
        apart = values > 0
        dotted = hv.Scatter((first[apart], values[apart]), "d1", y, label=name)
        tips = [(name, "@distance{0.0000}"), ("d₁", "@d1{0.0000}")]
        layers.append(
            dots(dotted, color, marker, 5, alpha=0.7, width=0.2, tooltips=tips)
        )
        drawn.append(values[apart])
    low, high = log_span(np.concatenate(drawn), 1.3)
    return framed(
        layers,
        size=_WIDE,
        legend="right",
        logy=True,
        xlim=(0, 1.05 * float(first.max(initial=0.0)) or 1.0),
        ylim=(low, high),
        yticks=log_ticks(low, high),
        xlabel="diagram distance d₁ of the pair",
        ylabel="distance in the kernel's Hilbert space",
    )


def bounds(d1: ArrayLike, sw: ArrayLike, largest: int) -> hv.Overlay:
    r"""Draw SW against :math:`d_1`, between the bounds of the paper's theorems.

    Parameters
    ----------
    d1, sw : array-likes of shape (n_pairs,)
        Of the same pairs.
    largest : int
        The number of points that no diagram exceeds.

    Returns
    -------
    hv.Overlay
        The pairs, what Theorems 3.3 and 3.4 allow (shaded), and the lines between
        which these pairs lie (dotted).

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import PairDistances
    >>> pairs = PairDistances([[(0, 1)], [(0, 2)], [(0, 4)]]).run()
    >>> len(sw.plot.bounds(pairs.d1, pairs.sw, pairs.largest).Scatter.Pairs)
    3
    """
    first, second = _numbers(d1, "d1"), _numbers(sw, "sw", np.size(d1))
    constants = distortion_constants(first, second, largest)
    right = 1.05 * float(first.max(initial=0.0)) or 1.0
    x = np.array([0.0, right])
    allowed = hv.Area(
        (x, constants.lower * x, constants.upper * x), "d1", ["sw", "upper"]
    )
    color = KERNEL_COLORS["k_SW"]
    layers: list[Any] = [
        ground(allowed, GREY, 0.12),
        line(_ray(x, constants.upper, "2√2 d₁"), GREY),
        line(_ray(x, constants.lower, "d₁ / 2M'"), GREY, 2, "dashed"),
    ]
    if np.isfinite(constants.low):
        layers += [
            line(_ray(x, slope, "observed"), color, 2, "dotted")
            for slope in (constants.low, constants.high)
        ]
    pairs = hv.Scatter((first, second), "d1", "sw", label="pairs")
    tips = [("d₁", "@d1{0.0000}"), ("SW", "@sw{0.0000}")]
    layers.append(dots(pairs, color, size=5, alpha=0.6, width=0, tooltips=tips))
    return framed(
        layers,
        size=_WIDE,
        legend="right",
        xlim=(0, right),
        ylim=(0, 1.05 * float(second.max(initial=0.0)) or 1.0),
        xlabel="diagram distance d₁",
        ylabel="sliced Wasserstein distance SW",
    )


def _ray(x: Floats, slope: float, label: str) -> hv.Curve:
    return hv.Curve((x, slope * x), "d1", "sw", label=label)


def eigenvalues(spectra: ArrayLike | Mapping[str, ArrayLike]) -> hv.Overlay:
    """Draw the eigenvalues of Gram matrices; one below zero shows that it is no kernel.

    Parameters
    ----------
    spectra : array-like of shape (n,), or mapping of str to such
        From :func:`swviz.studies.eigenvalues`; by kernel, where "k_sw", "k_pss",
        "k_pwg" and "k_d1" have looks of their own.

    Returns
    -------
    hv.Overlay
        Sizes on a logarithmic axis, the largest first. Crosses are below zero by more
        than rounding.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import eigenvalues
    >>> picture = sw.plot.eigenvalues(eigenvalues([[1, 2], [2, 1]]))
    >>> picture.Scatter.Below_zero["size"].round(9)
    array([1.])
    """
    given = spectra if isinstance(spectra, Mapping) else {"k_sw": spectra}
    if not given:
        raise ParameterError("spectra is empty: give the eigenvalues of one matrix")
    layers: list[Any] = []
    crosses, sizes, most = [np.empty((0, 3))], [], 1
    for index, (key, values) in enumerate(given.items()):
        found = np.sort(_numbers(values, "spectra"))[::-1]
        name, color, marker = _kernel_look(key, index)
        floor = rounding(found)
        rank = np.arange(1.0, len(found) + 1)
        size = np.maximum(np.abs(found), floor)
        below = found < -floor
        label = name if isinstance(spectra, Mapping) else ""
        curve = hv.Curve((rank, size), "rank", "size")
        marks = hv.Scatter(
            (rank[~below], size[~below], found[~below]),
            "rank",
            ["size", "value"],
            label=label,
        )
        tips = [("rank", "@rank"), ("λ", "@value{0.000e+0}")]
        layers.append(line(curve, color, 1.5, alpha=0.5))
        layers.append(dots(marks, color, marker, 7, width=1, tooltips=tips))
        crosses.append(np.stack([rank, size, found], axis=1)[below])
        sizes.append(size)
        most = max(most, len(found))
    bad = np.concatenate(crosses)
    if len(bad):
        marks = hv.Scatter(bad, "rank", ["size", "value"], label="below zero")
        layers.append(dots(marks, ACCENT, "x", 12, width=3, tooltips=_EIGENVALUE))
    low, high = log_span(np.concatenate(sizes), 2)
    return framed(
        layers,
        size=_WIDE,
        legend="right" if isinstance(spectra, Mapping) or len(bad) else None,
        logy=True,
        xlim=(0, most + 1),
        ylim=(low, high),
        yticks=log_ticks(low, high),
        xlabel="rank of the eigenvalue, largest first",
        ylabel="size |λ|",
    )


_EIGENVALUE = [("rank", "@rank"), ("λ", "@value{0.000e+0}")]


def _kernel_look(key: str, index: int) -> tuple[str, str, str]:
    """Return name, colour and marker of a kernel, by its key or a name of its own."""
    if key in KERNEL_STYLES:
        return KERNEL_STYLES[key]
    name = str(key)
    # "k_SW (10)" and "Gaussian on d1" have the colour of their kernel.
    first = (name.split() or [""])[0].rstrip(",")
    color = KERNEL_COLORS.get(first, SET_COLORS[index % len(SET_COLORS)])
    return name, color, MARKERS[index % len(MARKERS)]


def _set_looks(count: int) -> list[tuple[str, str]]:
    """Colours and markers of data sets; of one alone, those of k_SW."""
    if count == 1:
        return [(KERNEL_COLORS["k_SW"], "circle")]
    return [
        (SET_COLORS[k % len(SET_COLORS)], MARKERS[k % len(MARKERS)])
        for k in range(count)
    ]


def _by_name(given: Any, kind: type, name: str, source: str) -> dict[str, Any]:
    """Return several results by name, or one without a name."""
    several = dict(given) if isinstance(given, Mapping) else {"": given}
    if not several:
        raise ParameterError(f"{name} is empty: give one at least, from {source}")
    for one in several.values():
        _check_type(one, kind, name, source)
    return {shorten(str(key), 28): one for key, one in several.items()}


def _check_type(given: object, kind: type, name: str, source: str) -> None:
    if not isinstance(given, kind):
        raise ParameterError(
            f"{name} must be what {source} returns, not {shown(given)}"
        )


def _numbers(values: ArrayLike, name: str, count: int | None = None) -> Floats:
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a flat list of numbers") from None
    if given.ndim != 1 or not np.isfinite(given).all():
        raise ParameterError(f"{name} must be a flat list of finite numbers")
    if count is not None and len(given) != count:
        raise ParameterError(f"{name} has {len(given)} values for {count} pairs")
    return given
