"""Pictures of studies: how many directions, what they cost, how kernels bend d1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import holoviews as hv
import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import (
    check_choice,
    check_count,
    check_not_negative,
    check_number,
    check_positive,
)
from swviz.directions import directions
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
    styled,
    words,
)
from swviz.plot.of_slices import ANGLE_TICKS
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
    KinkStudy,
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
_SIDES = ["left", "bottom", "right", "top"]
Marks = dict[str, dict[str, Any]]
"""Columns of layers by their labels."""

_APART: dict[str, Any] = {"show_legend": False, "apply_ranges": False}
"""Of marks that come and go: neither legend nor axes are about them."""


def convergence(
    study: PairStudy, now: tuple[Rule, int, float] | None = None
) -> hv.Overlay:
    r"""Draw :math:`SW_M` of a pair by the number of directions, under each rule.

    Parameters
    ----------
    study : PairStudy
        From :func:`swviz.studies.pair_study`.
    now : (rule, int, float), optional
        A rule, a number of directions and :math:`SW_M` with it: ringed.

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
        middle = _above_rounding(100 * np.median(study.errors(rule), axis=0))
        layers += _rule_layers(rule, study.counts, values, "SW", ("error", middle))
    ends = _count_span(study.counts)
    layers.append(level(study.exact, ends, (DIRECTIONS, "SW"), "exact", ACCENT))
    ring = hv.Scatter(
        convergence_marks(study, now)["now"],
        DIRECTIONS,
        ["SW", "error", "rule"],
        label="now",
    )
    layers.append(_ring(ring, _NOW))
    fixed = [values for rule, values in study.values.items() if rule != "random"]
    away = np.concatenate([np.zeros(1), *map(np.ravel, fixed)]) - study.exact
    reach = max(np.abs(away[1:]).max(initial=0.0), 0.05 * study.exact) or 1.0
    ylim = study.exact - 1.15 * reach, study.exact + 1.15 * reach
    return _by_count(
        layers,
        study.counts,
        ylim=ylim if np.isfinite(study.exact) else (0.0, 1.0),
        ylabel="approximate distance SW_M",
    )


def convergence_marks(
    study: PairStudy, now: tuple[Rule, int, float] | None = None
) -> Marks:
    """Return those layers of :func:`convergence` that `now` moves.

    Parameters
    ----------
    study : PairStudy
    now : (rule, int, float), optional

    Returns
    -------
    dict of str to dict of str to sequence
        Columns by the label of the layer: a slider does not wait for HoloViews.
    """
    return {"now": _now(study, now, "SW")}


def error(
    study: PairStudy | RatioStudy,
    now: tuple[Rule, int, float] | None = None,
    tolerance: float | None = None,
) -> hv.Overlay:
    r"""Draw the error of :math:`SW_M` by the number of directions, under each rule.

    Parameters
    ----------
    study : PairStudy or RatioStudy
        Of one pair, or of many: then the largest error of any pair and draw.
    now : (rule, int, float), optional
        For one pair: a rule, a number of directions and :math:`SW_M` with it, ringed.
    tolerance : float, optional
        For many: a relative error, drawn as a line, with rings around the first number
        of directions of each rule that keeps it.

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
    marks = error_marks(study, now, tolerance)
    layers: list[Any] = []
    if isinstance(study, RatioStudy):
        percent = [100 * study.worst_errors(rule) for rule in study.values]
        for rule, values in zip(study.values, percent, strict=True):
            seen = _above_rounding(values)[None]
            layers += _rule_layers(rule, study.counts, seen, "error")
        allowed = hv.Curve(marks["tolerance"], DIRECTIONS, "error", label="tolerance")
        rings = hv.Scatter(
            marks["enough"], DIRECTIONS, ["error", "rule"], label="enough"
        )
        layers += [
            line(allowed, ACCENT, 1.5, "dashed", **_APART),
            _ring(rings, _ENOUGH),
        ]
        drawn = np.concatenate([np.empty(0), *percent])
        equal = study.n_equal == len(study.pairs) > 0
        label = "largest error of any pair, % of SW"
        return _errors(layers, study.counts, drawn, equal, 1.15, ylabel=label)
    layers, drawn = _slopes(study)
    for rule, values in study.values.items():
        percent_ = 100 * study.errors(rule)
        middle = np.median(values, axis=0)
        layers += _rule_layers(rule, study.counts, percent_, "error", ("SW", middle))
        drawn = np.append(drawn, np.median(percent_, axis=0))
    ring = hv.Scatter(marks["now"], DIRECTIONS, ["error", "SW", "rule"], label="now")
    layers.append(_ring(ring, _NOW))
    # The slopes have their names at their ends.
    return _errors(
        layers, study.counts, drawn, study.exact == 0, 2.4, ylabel="error, % of SW"
    )


def error_marks(
    study: PairStudy | RatioStudy,
    now: tuple[Rule, int, float] | None = None,
    tolerance: float | None = None,
) -> Marks:
    """Return those layers of :func:`error` that `now` or `tolerance` moves.

    Parameters
    ----------
    study : PairStudy or RatioStudy
    now : (rule, int, float), optional
    tolerance : float, optional

    Returns
    -------
    dict of str to dict of str to sequence
        As in :func:`convergence_marks`.
    """
    if isinstance(study, PairStudy):
        if tolerance is not None:
            raise ParameterError("a tolerance is for many pairs: give a RatioStudy")
        return {"now": _now(study, now, "error")}
    _check_type(study, RatioStudy, "study", "swviz.studies.pair_study or ratio_study")
    if now is not None:
        raise ParameterError("now is for one pair: give a PairStudy")
    ends, found = [], []
    if tolerance is not None:
        check_positive(tolerance, "tolerance")
        ends = [(x, 100 * tolerance) for x in _count_span(study.counts)]
        for rule in study.values:
            answer = study.answer(rule, tolerance)
            if answer.n_directions is not None:
                worst = max(100 * answer.worst, SMALLEST_ERROR)
                name = RULE_STYLES[rule]["name"]
                found.append((float(answer.n_directions), worst, name))
    return {
        "tolerance": _columns(ends, "M", "error"),
        "enough": _columns(found, "M", "error", "rule"),
    }


_NOW = [
    ("now", "M = @M, @rule"), ("SW_M", "@SW{0.00000}"), ("error", "@error{0.0000} %"),
]  # fmt: skip
_ENOUGH = [("enough", "M = @M, @rule"), ("largest error", "@error{0.000} %")]


def _now(
    study: PairStudy, now: tuple[Rule, int, float] | None, drawn: str
) -> dict[str, Any]:
    """Place the mark of what is in use, where the axis has a place for it."""
    rows = []
    if now is not None:
        if not isinstance(now, tuple) or len(now) != 3:
            raise ParameterError(
                f"now must be a rule, a number of directions and SW_M, not {shown(now)}"
            )
        rule, count, value = now
        check_choice(rule, "now's rule", list(RULE_STYLES))
        check_count(count, "now's number of directions")
        check_not_negative(value, "now's SW_M")
        away = 100 * abs(value / study.exact - 1) if study.exact else np.nan
        if drawn == "SW" or away >= SMALLEST_ERROR:
            rows = [(float(count), value, away, RULE_STYLES[rule]["name"])]
    return _columns(rows, "M", "SW", "error", "rule")


def _columns(rows: Sequence[tuple[Any, ...]], *names: str) -> dict[str, Any]:
    """Turn rows into columns, none into empty ones."""
    return {name: np.array([row[k] for row in rows]) for k, name in enumerate(names)}


def _ring(element: hv.Scatter, tooltips: list[tuple[str, str]]) -> Any:
    return dots(
        element, ACCENT, size=13, hollow=True, width=3, tooltips=tooltips, **_APART
    )


def _errors(
    layers: list[Any],
    counts: ArrayLike,
    drawn: Floats,
    equal: bool,
    room: float,
    **options: Any,
) -> hv.Overlay:
    low, high = log_span(_above_rounding(drawn), 2)
    note = [(3.0, math.sqrt(low * high), "no error beyond rounding")] if equal else []
    text = hv.Labels(
        _columns(note, "M", "error", "text"),
        [DIRECTIONS, "error"],
        "text",
        label="note",
    )
    return _by_count(
        [*layers, words(text, size=11)],
        counts,
        room,
        logy=True,
        ylim=(low, high),
        yticks=log_ticks(low, high),
        **options,
    )


def _slopes(study: PairStudy) -> tuple[list[Any], Floats]:
    """Draw how fast errors fall: 1/M² for the paper's rule, 1/√M for random ones."""
    counts = study.counts.astype(float)
    # Where the tails lie in the middle: the first few M follow no slope yet.
    tail = counts >= min(8, counts[-1])
    layers: list[Any] = []
    drawn = np.empty(0)
    names = []
    falls: tuple[tuple[Rule, float, str, str], ...] = (
        ("paper", 2.0, "1/M²", "dashed"),
        ("random", 0.5, "1/√M", "dotted"),
    )
    for rule, power, text, dash in falls:
        slope = np.empty(0)
        if rule in study.values and study.exact > 0:
            errors = 100 * np.median(study.errors(rule), axis=0)
            slope = np.median((errors * counts**power)[tail]) / counts**power
            slope = slope if slope[-1] >= SMALLEST_ERROR else slope[:0]
        x = counts[: len(slope)]
        curve = hv.Curve((x, slope), DIRECTIONS, "error", label=text)
        layers.append(line(curve, GREY, 1.5, dash, show_legend=False))
        drawn = np.append(drawn, slope)
        if len(slope):
            names.append((1.1 * x[-1], slope[-1], text))
    ends = hv.Labels(
        _columns(names, "M", "error", "text"),
        [DIRECTIONS, "error"],
        "text",
        label="slopes",
    )
    return [*layers, words(ends, align="left")], drawn


def _rule_layers(
    rule: Rule,
    counts: ArrayLike,
    draws: Floats,
    name: str,
    other: tuple[str, Floats] | None = None,
) -> list[Any]:
    """Draw the median of the draws by M; of random ones also where most are.

    Parameters
    ----------
    rule : {"paper", "diagonal", "random"}
    counts : array-like of shape (n_counts,)
    draws : ndarray of shape (n_draws, n_counts)
    name : {"SW", "error"}
        What they are.
    other : (str, ndarray of shape (n_counts,)), optional
        What else the pointer is told.
    """
    style = RULE_STYLES[rule]
    x, label, color = np.asarray(counts, dtype=float), style["name"], style["color"]
    low, middle, high = np.quantile(draws, (0.1, 0.5, 0.9), axis=0)
    if name == "error":
        low, high = (np.maximum(end, SMALLEST_ERROR) for end in (low, high))
        middle = _above_rounding(middle)
    more = [] if other is None else [other[1]]
    if not np.isfinite(middle).any():
        x, low, middle, high, *more = (a[:0] for a in (x, low, middle, high, *more))
    layers: list[Any] = []
    if rule == "random" and other is not None:
        band = hv.Area((x, low, high), DIRECTIONS, [name, "high"])
        layers.append(ground(band, color, 0.22))
    curve = hv.Curve((x, middle), DIRECTIONS, name, label=label)
    told = [name] if other is None else [name, other[0]]
    marks = hv.Scatter((x, middle, *more), DIRECTIONS, told, label=label)
    tips = [(label, "M = @M"), *(_TOLD[one] for one in sorted(told))]
    layers.append(line(curve, color))
    layers.append(dots(marks, color, style["marker"], 6, width=1, tooltips=tips))
    return layers


_TOLD = {"SW": ("SW_M", "@SW{0.00000}"), "error": ("error", "@error{0.0000} %")}


def _by_count(
    layers: list[Any], counts: ArrayLike, room: float = 1.15, **options: Any
) -> hv.Overlay:
    return framed(
        layers,
        size=_WIDE,
        legend="right",
        logx=True,
        xlim=_count_span(counts, room),
        xticks=count_ticks(counts),
        xlabel="number of directions M",
        **options,
    )


def _count_span(counts: ArrayLike, room: float = 1.15) -> tuple[float, float]:
    return 0.9, max(room * float(np.max(counts)), 12.0)


def _above_rounding(percent: Floats) -> Floats:
    return np.where(percent >= SMALLEST_ERROR, percent, np.nan)


def comb(study: KinkStudy, n_directions: int) -> hv.Overlay:
    r"""Draw the cost of every slice, and the directions of the paper's rule under it.

    Parameters
    ----------
    study : KinkStudy
        From :func:`swviz.studies.kink_study`.
    n_directions : int
        One that the study has.

    Returns
    -------
    hv.Overlay
        A bar a direction, as wide as what it stands for. At :math:`\pi/4` (dashed) no
        slice costs anything: a direction there (crossed) is lost.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import kink_study
    >>> study = kink_study([(0, 1)], [(0, 2)])
    >>> [len(sw.plot.comb(study, M).Scatter.Lost_direction) for M in (6, 8)]
    [0, 1]
    """
    _check_type(study, KinkStudy, "study", "swviz.studies.kink_study")
    counts = study.counts.tolist()
    if n_directions not in counts:
        raise ParameterError(
            f"n_directions must be one of {counts}, which the study has, not "
            f"{shown(n_directions)}"
        )
    at = counts.index(n_directions)
    thetas, costs = (part[at] for part in (study.sampled, study.sampled_costs))
    half = np.pi / n_directions / 2
    axes = "theta", "cost"
    bars = hv.Rectangles(
        (thetas - half, np.zeros(len(thetas)), thetas + half, costs),
        _SIDES,
        label="directions",
    )
    curve = hv.Curve((study.angles, study.costs), *axes, label="W")
    marks = hv.Scatter((thetas, costs), *axes, label="directions")
    on = np.isclose(thetas, np.pi / 4)
    lost = hv.Scatter((thetas[on], costs[on]), *axes, label="lost direction")
    color, marker = (RULE_STYLES["paper"][key] for key in ("color", "marker"))
    tips = [("θ", "@theta{0.000}"), ("W(θ)", "@cost{0.0000}")]
    top = float(study.costs.max(initial=0.0)) or 1.0
    return framed(
        [
            ground(bars, color, 0.3, edge=color),
            line(hv.VLine(np.pi / 4), ACCENT, 1.5, "dashed"),
            line(curve, GREY, 2.5, tooltips=tips),
            dots(marks, color, marker, 7, width=0, tooltips=tips),
            dots(lost, ACCENT, "x", 13, width=3, tooltips=tips),
        ],
        size=(420, 190),
        xlim=(-np.pi / 2, np.pi / 2),
        ylim=(-0.05 * top, 1.12 * top),
        xticks=ANGLE_TICKS,
        xlabel="direction θ",
        ylabel="cost of the slice W(θ)",
    )


def kink(study: KinkStudy) -> hv.Overlay:
    r"""Draw how the error changes when the same directions are turned.

    Parameters
    ----------
    study : KinkStudy
        From :func:`swviz.studies.kink_study`.

    Returns
    -------
    hv.Overlay
        Signed errors by the place of :math:`\pi/4` between two directions, a curve for
        each number of them. Rings are the paper's rule; the dotted line is where the
        diagonal-aware rule puts :math:`\pi/4`.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import kink_study
    >>> rings = sw.plot.kink(kink_study([(0, 1)], [(0, 2)])).Scatter.Paper
    >>> rings["place"], rings["error"].round(1)
    (array([0.5, 0. ]), array([ 1.4, -2.7]))
    """
    _check_type(study, KinkStudy, "study", "swviz.studies.kink_study")
    axes = "place", "error"
    errors, paper = 100 * study.errors, 100 * study.paper_errors
    reach = 1.15 * float(np.nanmax(np.abs(np.append(errors, 1.0))))
    layers: list[Any] = [line(hv.HLine(0), GREY, 1)]
    color = RULE_STYLES["paper"]["color"]
    # The last is the one to look at.
    dashes = ["dotted", "dashed", "solid"][-len(study.counts) :]
    for k, (count, values) in enumerate(zip(study.counts, errors, strict=True)):
        known = np.isfinite(values)
        curve = hv.Curve(
            (study.offsets[known], values[known]), *axes, label=f"M = {count}"
        )
        tips = [(f"M = {count}", "@error{0.00} %"), ("place", "@place{0.00}")]
        dash = dashes[k % len(dashes)]
        layers.append(line(curve, color, 2, dash, tooltips=tips))
    rows = [
        (float(place), float(value), f"M = {count}")
        for place, value, count in zip(study.places, paper, study.counts, strict=True)
        if np.isfinite(value)
    ]
    rings = hv.Scatter(
        _columns(rows, "place", "error", "M"), "place", ["error", "M"], label="paper"
    )
    tips = [("paper's rule", "@M"), ("error", "@error{0.00} %")]
    step = np.pi / 4
    rest = (step - directions(4, "diagonal")[0]) / step % 1
    other = RULE_STYLES["diagonal"]
    upright = hv.Curve(([rest] * 2, [-reach, reach]), *axes, label=other["name"])
    layers += [
        line(upright, other["color"], 2, "dotted", apply_ranges=False),
        _ring(rings, tips),
    ]
    return framed(
        layers,
        size=_WIDE,
        legend="right",
        xlim=(-0.09, 1.09),
        ylim=(-reach, reach),
        xticks=[(0.0, "on one"), (0.5, "half way"), (1.0, "on one")],
        xlabel="where π/4 lies between two directions",
        ylabel="error, % of SW",
    )


def ratios(
    study: RatioStudy,
    rule: Rule = "paper",
    tolerance: float | None = None,
    now: int | None = None,
    names: Sequence[str] | None = None,
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
    now : int, optional
        A number of directions, whose box is marked if there is one.
    names : sequence of str, optional
        Of the diagrams; numbers by default.

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
    marks = ratio_marks(study, rule, tolerance, now)
    band, marked = (
        hv.Rectangles(columns, _SIDES, label=label) for label, columns in marks.items()
    )
    boxes = study.boxes(rule)
    levels = np.stack([boxes.lower, boxes.quarter, boxes.median, boxes.three_quarters,
                       boxes.upper])  # fmt: skip
    texts = [str(M) for M in boxes.counts]
    if names is not None and len(names) != study.n_diagrams:
        raise ParameterError(
            f"names has {len(names)} names for {study.n_diagrams} diagrams"
        )
    pairs = study.pairs[boxes.outliers[:, 0]]
    called = [
        [str(index) if names is None else str(names[index]) for index in column]
        for column in pairs.T
    ]
    beyond = hv.Points(
        (boxes.outliers[:, 1].astype(float), boxes.outlier_ratios, *pairs.T, *called),
        ["place", "ratio"],
        ["A", "B", "first", "second"],
        label="outliers",
    )
    tips = [("A", "@first"), ("B", "@second"), ("ratio", "@ratio{0.0000}")]
    outliers = dots(beyond, GREY, size=5, alpha=0.7, width=0, tooltips=tips)
    outliers = styled(outliers, {"nonselection_alpha": 0.7, "hover_color": ACCENT}, {})
    layers: list[Any] = [
        line(hv.HLine(1.0), GREY, 1, "dashed"),
        ground(band, ACCENT, 0.12),
        *box_layers(levels, RULE_STYLES[rule]["color"], [f"M = {M}" for M in texts]),
        ground(marked, ACCENT, 0.5, edge=ACCENT, width=2),
        outliers,
    ]
    usable = study.exact > 0
    away = [
        np.abs(study.ratios(one)[usable] - 1).max(initial=0.0)
        for one in study.values
        if one in ("paper", "diagonal", rule)
    ]
    half = float(np.clip(1.1 * max(away), 0.02, 1.0)) if usable.any() else 1.0
    return framed(
        layers,
        size=_WIDE,
        xlim=_ratio_span(study),
        ylim=(1 - half, 1 + half),
        xticks=every(texts, 24),
        # Upright, or many would run into one another.
        xrotation=90 if len(texts) > 12 else 0,
        xlabel="number of directions M",
        ylabel="SW_M / SW",
    )


def ratio_marks(
    study: RatioStudy,
    rule: Rule = "paper",
    tolerance: float | None = None,
    now: int | None = None,
) -> Marks:
    """Return those layers of :func:`ratios` that `tolerance` or `now` moves.

    Parameters
    ----------
    study : RatioStudy
    rule : {"paper", "diagonal", "random"}, default="paper"
    tolerance : float, optional
    now : int, optional

    Returns
    -------
    dict of str to dict of str to sequence
        As in :func:`convergence_marks`.
    """
    _check_type(study, RatioStudy, "study", "swviz.studies.ratio_study")
    check_choice(rule, "rule", list(study.values))
    band, box = [], []
    if tolerance is not None:
        within = check_number(tolerance, "tolerance", 0, 1e6)
        left, right = _ratio_span(study)
        band = [(left, 1 - within, right, 1 + within)]
    if now is not None:
        check_count(now, "now")
        boxes = study.boxes(rule)
        low, high = boxes.quarter, boxes.three_quarters
        box = [
            (place - 0.3, low[place], place + 0.3, high[place])
            for place in np.flatnonzero((boxes.counts == now) & np.isfinite(low))
        ]
    return {"tolerance": _columns(band, *_SIDES), "now": _columns(box, *_SIDES)}


def _ratio_span(study: RatioStudy) -> tuple[float, float]:
    return -0.6, len(study.counts) - 0.4


def box_layers(
    levels: Floats, color: str, names: Sequence[str] | None = None
) -> list[Any]:
    """Draw box plots at 0, 1, 2 ...

    Parameters
    ----------
    levels : ndarray of shape (5, k)
        Ends of the whiskers, quartiles and medians of k boxes, ascending. Boxes of NaN
        are left out.
    color : str
    names : sequence of k str, optional
        What the boxes are of; numbers by default.

    Returns
    -------
    list of hv.Element
    """
    known = np.flatnonzero(np.isfinite(levels).all(axis=0))
    low, first, median, third, high = levels[:, known]
    place = known.astype(float)
    called = [str(k) if names is None else names[k] for k in known.tolist()]
    whiskers = hv.Segments((place, low, place, high), _BOX, label="whiskers")
    boxes = hv.Rectangles(
        (place - 0.3, first, place + 0.3, third, median, low, high, called),
        _BOX,
        ["median", "low", "high", "name"],
        label="boxes",
    )
    medians = hv.Segments(
        (place - 0.3, median, place + 0.3, median), _BOX, label="medians"
    )
    tips = [
        ("box", "@name"),
        ("median", "@median{0.0000}"),
        ("half of them", "@y0{0.000} to @y1{0.000}"),
        ("whiskers", "@low{0.000} to @high{0.000}"),
    ]
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
        Those of NaN, not measured yet, are left out.

    Returns
    -------
    hv.Overlay

    Examples
    --------
    >>> import numpy as np
    >>> import swviz as sw
    >>> from swviz.studies import GramTimes
    >>> measured = GramTimes(10, np.array([1, 10]), np.array([0.001, 0.004]))
    >>> sw.plot.times(measured).Scatter.Time["milliseconds"]
    array([1., 4.])
    """
    layers, top, most = [], 0.0, 1
    y = hv.Dimension("milliseconds", label="one Gram matrix, ms")
    several = _by_name(measured, GramTimes, "measured", "swviz.studies.gram_times")
    for (name, one), (color, marker) in zip(
        several.items(), _set_looks(len(several)), strict=True
    ):
        known = np.isfinite(one.seconds)
        values = one.counts[known].astype(float), 1e3 * one.seconds[known]
        tips = [("M", "@M"), ("time", "@milliseconds{0.00} ms")]
        curve = hv.Curve(values, DIRECTIONS, y, label=name or "time")
        marks = hv.Scatter(values, DIRECTIONS, y, label=name or "time")
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
    reach = np.empty((0, 4))
    placed: list[tuple[Floats, list[str]]] = []
    for one in measured:
        style = TIER_STYLES[one.tier]
        errors = np.maximum(100 * one.mean_errors, 1.25 * low)
        x, bound = 1e6 * one.seconds, 100 * one.bounds
        known = bound >= SMALLEST_ERROR
        reach = np.append(reach, np.stack([x, errors, x, bound], axis=1)[known], axis=0)
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
    # Only embeddings have bounds.
    color = TIER_STYLES["embedding"]["color"]
    upright = line(hv.Segments(reach, _BOX), color, 1.5, "dotted")
    caps = hv.Scatter(reach[:, 2:], "micro", "error", label="bound")
    tips = [("mean bound", "@error{0.000} %"), ("time per pair", "@micro{0.0} µs")]
    named = any(one.tier == "embedding" for one in measured)
    layers = [
        upright,
        *layers,
        dots(caps, color, "inverted_triangle", 8, tooltips=tips, show_legend=named),
        _tier_names(placed, (right / left, high / low)),
    ]
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
    filled = [(where, several) for where, several in placed if several]
    places = np.concatenate([np.empty((0, 2)), *(where for where, _ in filled)])
    texts = [text for _, several in filled for text in several]
    scaled = np.log(places) / np.log(ranges)
    starts = np.cumsum([0, *(len(several) for _, several in filled)])
    ends = [*starts[:-1], *(starts[1:] - 1)]
    chosen: list[int] = []
    for k in [*ends, *range(len(texts))]:
        away = np.abs(scaled[chosen] - scaled[k])
        if not len(away) or ((away[:, 0] > 0.3) | (away[:, 1] > 0.1)).all():
            chosen.append(int(k))
    x, y = places[chosen].T
    names = hv.Labels(
        (x, y * ranges[1] ** 0.05, [texts[k] for k in chosen]),
        ["micro", "error"],
        "text",
        label="names",
    )
    return words(names, size=8)


def accuracy(
    study: AccuracyStudy | Mapping[str, AccuracyStudy],
    n_classes: int | None = None,
    sizes: Sequence[Any] = (),
) -> hv.Overlay:
    """Draw the accuracy of k_SW by the number of directions.

    Parameters
    ----------
    study : AccuracyStudy or mapping of str to AccuracyStudy
        From :func:`swviz.studies.accuracy_study`, of one data set or of several by
        name.
    n_classes : int, optional
        For a line at the accuracy of guessing.
    sizes : sequence of int or "exact", optional
        Further numbers of directions for the axis: more is to come.

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
    >>> sw.plot.accuracy(study, n_classes=2).Scatter.Mean["accuracy"]
    array([50., 80., 90.])
    """
    source = "swviz.studies.accuracy_study"
    several = _by_name(study, AccuracyStudy, "study", source)
    found = {size for one in several.values() for size in one.sizes}
    places = _ordered(found | set(sizes))
    layers: list[Any] = []
    if n_classes is not None or len(several) == 1:
        count = np.nan if n_classes is None else check_count(n_classes, "n_classes")
        ends, axes = (-1, max(len(places), 1)), ("place", "accuracy")
        layers.append(level(100 / count, ends, axes, "guessing", GREY, "dotted"))
    for (name, one), (color, marker) in zip(
        several.items(), _set_looks(len(several)), strict=True
    ):
        x = np.array([places.index(size) for size in one.sizes], dtype=float)
        mean, spread = 100 * one.mean, 100 * one.spread
        low, high = np.maximum(mean - spread, 0), np.minimum(mean + spread, 100)
        bars = hv.Segments((x, low, x, high), _BOX, label=name or "spread")
        name = name or "mean"
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
    return framed(
        layers,
        size=_WIDE,
        legend="right" if len(several) > 1 or n_classes is not None else None,
        xlim=(-0.4, max(len(places), 1) - 0.6),
        ylim=(0, 103),
        xticks=[(float(k), str(size)) for k, size in enumerate(places)],
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
        # Crosses are nothing but lines.
        width = 1 if marker == "cross" else 0.2
        layers.append(
            dots(dotted, color, marker, 5, alpha=0.7, width=width, tooltips=tips)
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
        curve = hv.Curve((rank, size), "rank", "size")
        marks = hv.Scatter(
            (rank[~below], size[~below], found[~below]),
            "rank",
            ["size", "value"],
            label=name if isinstance(spectra, Mapping) else "",
        )
        layers.append(line(curve, color, 1.5, alpha=0.5))
        layers.append(dots(marks, color, marker, 7, width=1, tooltips=_EIGENVALUE))
        crosses.append(np.stack([rank, size, found], axis=1)[below])
        sizes.append(size)
        most = max(most, len(found))
    bad = hv.Scatter(
        np.concatenate(crosses), "rank", ["size", "value"], label="below zero"
    )
    layers.append(dots(bad, ACCENT, "x", 12, width=2, tooltips=_EIGENVALUE))
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


_IN_USE = [("σ in use", "@sigma{0.000}"), ("smallest", "@smallest{0.00000}")]
_EIGENVALUE = [("rank", "@rank"), ("λ", "@value{0.000e+0}")]


def smallest_eigenvalues(
    sigmas: ArrayLike,
    curves: Mapping[str, ArrayLike],
    now: Mapping[str, tuple[float, float]] | None = None,
) -> hv.Overlay:
    """Draw the smallest eigenvalue of Gram matrices over all bandwidths.

    Parameters
    ----------
    sigmas : array-like of shape (k,)
        Positive, rising.
    curves : mapping of str to array-like of shape (k,)
        Both from :func:`swviz.studies.smallest_over_sigma`; "k_sw", "k_pss", "k_pwg"
        and "k_d1" have looks of their own.
    now : mapping of str to (float, float), optional
        Bandwidths in use and smallest eigenvalues there, by kernel: marked.

    Returns
    -------
    hv.Overlay
        Below zero (shaded) a function is no kernel.

    Examples
    --------
    >>> import swviz as sw
    >>> from swviz.studies import six_diagrams, smallest_over_sigma
    >>> sigmas, curves = smallest_over_sigma(six_diagrams())
    >>> picture = sw.plot.smallest_eigenvalues(sigmas, curves)
    >>> bool(picture.Curve.K_SW["smallest"].min() > 0)
    True
    """
    x = _numbers(sigmas, "sigmas")
    if (x <= 0).any() or (np.diff(x) <= 0).any():
        raise ParameterError("sigmas must be positive and rising")
    if not isinstance(curves, Mapping) or not curves:
        raise ParameterError(
            "curves must be a mapping such as {'k_sw': values}, one value a bandwidth"
        )
    ends = (float(x[0]), float(x[-1])) if len(x) > 1 else (0.01, 100.0)
    axes = ("sigma", "smallest")
    lines: list[Any] = []
    lowest = 0.0
    for index, (key, values) in enumerate(curves.items()):
        y = _numbers(values, f"curves[{key!r}]", len(x), "bandwidths")
        name, color, _ = _kernel_look(key, index)
        curve = hv.Curve((x, y), *axes, label=name)
        tips = [("σ", "@sigma{0.000}"), (name, "@smallest{0.00000}")]
        # Two that lie on each other are both seen.
        dash = "dashed" if index else "solid"
        lines.append(line(curve, color, 2.5, dash, tooltips=tips))
        lowest = min(lowest, float(y.min(initial=0.0)))
    bottom = min(-0.15, 1.3 * lowest)
    below = hv.Area((ends, [bottom, bottom], [0, 0]), "sigma", ["smallest", "zero"])
    marked = np.array(list((now or {}).values()), dtype=np.float64).reshape(-1, 2)
    in_use = hv.Scatter(marked, *axes, label="in use")
    return framed(
        [
            ground(below, GREY, 0.14),
            *lines,
            dots(in_use, ACCENT, size=9, tooltips=_IN_USE),
        ],
        size=_WIDE,
        legend="right",
        logx=True,
        xlim=ends,
        ylim=(bottom, 1.05),
        xticks=log_ticks(*ends),
        xlabel="bandwidth σ",
        ylabel="smallest eigenvalue",
    )


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


def _numbers(
    values: ArrayLike, name: str, count: int | None = None, what: str = "pairs"
) -> Floats:
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a flat list of numbers") from None
    if given.ndim != 1 or not np.isfinite(given).all():
        raise ParameterError(f"{name} must be a flat list of finite numbers")
    if count is not None and len(given) != count:
        raise ParameterError(f"{name} has {len(given)} values for {count} {what}")
    return given
