"""Pictures of diagrams: points, bars, what they came from, many at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import holoviews as hv
import numpy as np
from bokeh.core.properties import field
from numpy.typing import ArrayLike, NDArray

from swviz.checks import check_count, check_integer, check_number
from swviz.diagrams import Diagram, DiagramSet, as_diagram
from swviz.errors import ParameterError, shown
from swviz.plot.looks import (
    behind,
    dots,
    framed,
    ground,
    line,
    shorten,
    styled,
    words,
)
from swviz.plot.places import (
    ball_radius,
    bar_ranks,
    cloud_places,
    fine_graph,
    mesh_places,
    plane_span,
    span,
)
from swviz.plot.theme import (
    ACCENT,
    GREY,
    MARKERS,
    SEQUENTIAL,
    STYLES,
    class_color,
)
from swviz.sources import Cloud, Function, Image, MeshPoint
from swviz.typing import Floats

BIRTH, DEATH = hv.Dimension("birth"), hv.Dimension("death")

_SQUARE = (320, 320)
_CORNERS = 24
"""Of a polygon that stands for a ball."""

_FAR_GREY = "#B8C2CC"


def diagram(
    *diagrams: ArrayLike,
    labels: Sequence[str] | None = None,
    level: float | None = None,
) -> hv.Overlay:
    """Draw diagrams in the plane of birth and death.

    Parameters
    ----------
    *diagrams : array-likes of shape (n_i, 2)
        The first two are A and B and look as they do everywhere.
    labels : sequence of str, optional
        Their names; "A", "B", "C" ... by default.
    level : float, optional
        Where to cut (dashed): features alive at t lie left of it and above it.

    Returns
    -------
    hv.Overlay
        The half plane below the diagonal, which no diagram enters, the diagonal, and
        points for each diagram, with birth, death and persistence under the pointer.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.diagram([(0, 1)], [(0, 2), (1, 3)])
    >>> picture.Points.B["persistence"]
    array([2., 2.])
    """
    several = _check_diagrams(diagrams)
    names = _check_labels(labels, len(several))
    low, high = plane_span(*several)
    layers = [*half_plane(low, high)]
    layers += [
        points_of(given, name, index)
        for index, (given, name) in enumerate(zip(several, names, strict=True))
    ]
    if level is not None:
        layers += [_cut(hv.VLine, level), _cut(hv.HLine, level)]
    return plane(layers, low, high, legend=len(several) > 1)


def _cut(kind: type, level: float) -> Any:
    where = check_number(level, "level", -1e300, 1e300)
    return line(behind(kind(where)), ACCENT, 1.5, "dashed")


def plane(
    layers: Sequence[Any], low: float, high: float, legend: bool = True
) -> hv.Overlay:
    """Frame the plane of birth and death.

    Parameters
    ----------
    layers : sequence of hv.Element
    low, high : float
        Of both axes.
    legend : bool, default=True
        Where diagrams have no points: below the diagonal.
    """
    return framed(
        layers,
        size=_SQUARE,
        legend="bottom_right" if legend else None,
        xlim=(low, high),
        ylim=(low, high),
        xlabel="birth",
        ylabel="death",
    )


def half_plane(low: float, high: float) -> tuple[Any, Any]:
    """Shade what lies below the diagonal, and draw the diagonal.

    Parameters
    ----------
    low, high : float
        Of both axes; it goes far beyond them.
    """
    far = 1e3 * (abs(low) + abs(high) + 1)
    corner = {"birth": [-far, far, far], "death": [-far, far, -far]}
    shade = hv.Polygons([corner], [BIRTH, DEATH])
    return (
        behind(ground(shade, GREY, 0.14)),
        behind(line(hv.Slope(1, 0), GREY, 1.5)),
    )


def points_of(given: Diagram, name: str, index: int, alpha: float = 1.0) -> Any:
    """Draw the points of one diagram.

    Parameters
    ----------
    given : ndarray of shape (n, 2)
    name : str
    index : int
        0 for A, 1 for B, and so on: its look.
    alpha : float, default=1.0
    """
    color, marker, size = look(index)
    rows = np.arange(len(given))
    element = hv.Points(
        (given[:, 0], given[:, 1], given[:, 1] - given[:, 0], rows),
        [BIRTH, DEATH],
        ["persistence", "point"],
        label=name,
    )
    tooltips = [
        (name, "point @point"),
        ("birth", "@birth{0.0000}"),
        ("death", "@death{0.0000}"),
        ("persistence", "@persistence{0.0000}"),
    ]
    return dots(element, color, marker, size, alpha=alpha, tooltips=tooltips)


def look(index: int) -> tuple[str, str, float]:
    """Return colour, marker and size of a diagram by its number.

    Parameters
    ----------
    index : int
        0 for A, 1 for B.
    """
    if index < 2:
        style = STYLES["AB"[index]]
        return style["fill_color"], style["marker"], style["size"]
    return class_color(index), MARKERS[index % len(MARKERS)], 9


def barcode(
    A: ArrayLike, B: ArrayLike | None = None, level: float | None = None
) -> hv.Overlay:
    """Draw the bars of one or two diagrams.

    Parameters
    ----------
    A : array-like of shape (n, 2)
    B : array-like of shape (m, 2), optional
    level : float, optional
        Where to cut (dashed): the bars that it crosses are alive.

    Returns
    -------
    hv.Overlay
        A's bars above zero and B's below, the longest next to zero.

    Examples
    --------
    >>> import swviz as sw
    >>> bars = sw.plot.barcode([(0, 1), (0, 3)]).Rectangles.A
    >>> bars["death"], bars["bar"]
    (array([1., 3.]), array([2., 1.]))
    """
    given = [as_diagram(A)] if B is None else [as_diagram(A), as_diagram(B)]
    layers = [line(hv.HLine(0), GREY, 1)]
    for index, one in enumerate(given):
        persistence, rank = one[:, 1] - one[:, 0], bar_ranks(one)
        middle = rank if index == 0 else -rank
        name = "AB"[index]
        bars = hv.Rectangles(
            (one[:, 0], middle - 0.4, one[:, 1], middle + 0.4, rank, persistence),
            [BIRTH, "low", DEATH, "high"],
            ["bar", "persistence"],
            label=name,
        )
        tooltips = [
            (name, "bar @bar"),
            ("birth", "@birth{0.0000}"),
            ("death", "@death{0.0000}"),
            ("persistence", "@persistence{0.0000}"),
        ]
        layers.append(ground(bars, look(index)[0], 1.0, tooltips=tooltips))
    if level is not None:
        layers.append(_cut(hv.VLine, level))
    above = len(given[0]) + 1.0
    below = len(given[1]) + 1.0 if len(given) > 1 else 0.0
    return framed(
        layers,
        size=(420, 260),
        legend="top_right" if B is not None else None,
        xlim=plane_span(*given),
        ylim=(-below, above),
        xlabel="level t, from birth to death",
        ylabel="",
        yticks=[(0, "")],
    )


def origin(
    source: DiagramSet | Cloud | Image | Function | MeshPoint,
    index: int = 0,
    level: float | None = None,
    *,
    color: str = STYLES["A"]["fill_color"],
) -> hv.Overlay:
    """Draw what a diagram was computed from.

    Parameters
    ----------
    source : DiagramSet, Cloud, Image, Function or MeshPoint
        A set with origins, such as those of :mod:`swviz.sources`, or an origin.
    index : int, default=0
        Which sample of a set.
    level : float, optional
        Where in the filtration to stand: balls of that level around the points of a
        cloud, the part of a picture, graph or mesh that is below it. None is drawn by
        default.
    color : str, optional
        Of what is below the level; that of A by default.

    Returns
    -------
    hv.Overlay

    Examples
    --------
    >>> import swviz as sw
    >>> circles = sw.sources.point_clouds("circle", 1, n_points=50, cache=False)
    >>> len(sw.plot.origin(circles, 0, level=0.1).Points.I)
    50
    """
    if level is not None:
        level = check_number(level, "level", -1e300, 1e300)
    provenance: Mapping[str, Any] = {}
    what: Any = source
    if isinstance(source, DiagramSet):
        if source.origins is None:
            raise ParameterError(
                "this set does not say what its diagrams were computed from: only sets "
                "of swviz.sources, or with origins=..., can be drawn this way; save "
                "and load do not keep origins"
            )
        provenance = source.provenance
        what = source.origins[check_integer(index, "index", 0, len(source) - 1)]
    if isinstance(what, Cloud):
        return _cloud(what, level, color, provenance)
    if isinstance(what, Image):
        return _picture(what, level, color)
    if isinstance(what, Function):
        return _graph(what, level, color)
    if isinstance(what, MeshPoint):
        return _mesh(what, level, color)
    raise ParameterError(
        "source must be a DiagramSet or a Cloud, Image, Function or MeshPoint, not "
        f"{shown(what)}"
    )


def _cloud(
    what: Cloud, level: float | None, color: str, provenance: Mapping[str, Any]
) -> hv.Overlay:
    points = cloud_places(what.points)
    layers = []
    if level is not None:
        radius = ball_radius(level, provenance)
        turn = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
        circle = radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        balls = hv.Polygons([circle + point for point in points], ["x", "y"])
        layers.append(ground(balls, color, 0.14))
    layers.append(dots(hv.Points(points, ["x", "y"]), color, size=5))
    xlim, ylim = _equal_spans(points)
    return framed(layers, size=_SQUARE, xlim=xlim, ylim=ylim, xlabel="x", ylabel="y")


def _picture(what: Image, level: float | None, color: str) -> hv.Overlay:
    height, width = what.pixels.shape
    codes = what.descriptor
    layers = [_grey(what.pixels, (0, 0, width, height))]
    words, left = "picture", 0.0
    if what.patterns is not None:
        # Beside the picture, what is filtered.
        words, left = "picture, and its local binary patterns", 1.06 * width
        layers.append(_grey(codes, (left, 0, left + width, height)))
    if level is not None:
        words += " up to t"
        below = codes <= level
        # Without any number in it, a picture has no range.
        if below.any():
            bounds = (left, 0, left + width, height)
            part = hv.Image(np.where(below, 1.0, np.nan), bounds=bounds)
            options = {"cmap": [color], "clim": (0, 2), "alpha": 0.7}
            layers.append(styled(part, options, options))
    across = 520 if left else _SQUARE[0]
    return framed(
        layers,
        size=(across, round(across * height / (left + width))),
        xlim=(0, left + width),
        ylim=(0, height),
        xlabel=words,
        ylabel="",
        xticks=[(0, "")],
        yticks=[(0, "")],
        show_grid=False,
    )


def _grey(pixels: NDArray[Any], bounds: tuple[float, float, float, float]) -> hv.Image:
    low, high = float(pixels.min()), float(pixels.max())
    reach = (0, 255) if pixels.dtype == np.uint8 else (low, high if high > low else 1)
    options = {"cmap": "gray", "clim": reach}
    return styled(hv.Image(pixels, bounds=bounds), options, options)


def _graph(what: Function, level: float | None, color: str) -> hv.Overlay:
    layers = [line(hv.Curve((what.x, what.y), "x", "f(x)"), GREY, 1.5)]
    if level is not None:
        x, y = fine_graph(what)
        below = hv.Curve((x, np.where(y <= level, y, np.nan)), "x", "f(x)")
        layers.append(line(below, color, 5))
        layers.append(line(hv.HLine(level), ACCENT, 1.5, "dashed"))
    values = what.y if level is None else np.append(what.y, level)
    return framed(layers, xlim=span(what.x, 0.02), ylim=span(values))


def _mesh(what: MeshPoint, level: float | None, color: str) -> hv.Overlay:
    places, distances, base = mesh_places(what)
    near = np.full(len(places), True) if level is None else distances <= level
    top = float(distances.max(initial=0.0)) or 1.0
    layers = []
    if not near.all():
        layers.append(dots(hv.Points(places[~near]), _FAR_GREY, size=3, width=0))
    shown_ = hv.Points(
        (*places[near].T, distances[near]), ["x", "y"], "distance", label="mesh"
    )
    shade = {"color": "distance", "cmap": list(SEQUENTIAL[20:]), "clim": (0, top)}
    layers.append(
        styled(
            shown_,
            shade | {"size": 4, "line_width": 0},
            shade | {"s": 9, "linewidth": 0},
        )
    )
    layers.append(dots(hv.Points([base], ["x", "y"]), color, "star", 16))
    xlim, ylim = _equal_spans(places)
    return framed(
        layers,
        size=_SQUARE,
        xlim=xlim,
        ylim=ylim,
        xlabel="distance over the surface from the star",
        ylabel="",
        xticks=[(0, "")],
        yticks=[(0, "")],
        show_grid=False,
    )


def _equal_spans(points: Floats) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return axes of one scale for a square frame."""
    spans = np.array([span(column) for column in points.T])
    half = np.diff(spans, axis=1).max() / 2
    (x, y) = spans.mean(axis=1)
    return (float(x - half), float(x + half)), (float(y - half), float(y + half))


def gallery(
    diagrams: DiagramSet,
    dimension: int | None = None,
    *,
    A: int | str | None = None,
    B: int | str | None = None,
    means: DiagramSet | None = None,
    n_per_class: int = 6,
    n_classes: int = 12,
    n_points: int = 60,
) -> hv.Overlay:
    """Draw the first diagrams of each class side by side, a row a class.

    Parameters
    ----------
    diagrams : DiagramSet
    dimension : int, optional
        Homology dimension; the highest by default.
    A, B : int or str, optional
        Samples to be framed in the colours of A and B; the name of a class is its mean.
    means : DiagramSet, optional
        Means of classes, as :func:`swviz.sliced_means` gives them: each is drawn at the
        head of its row. Of samples without classes it is one, and stands at the top.
    n_per_class : int, default=6
        Diagrams in a row.
    n_classes : int, default=12
        Rows at most.
    n_points : int, default=60
        Points of greatest persistence of each diagram that are drawn.

    Returns
    -------
    hv.Overlay
        All diagrams in the same scale. Without labels, rows have no name.

    Examples
    --------
    >>> import swviz as sw
    >>> few = sw.DiagramSet({1: [[(0, 1)], [(0, 2)], []]}, labels=["a", "b", "a"])
    >>> sw.plot.gallery(few).Rectangles.Diagrams["sample"].tolist()
    ['0', '2', '1']
    """
    if not isinstance(diagrams, DiagramSet):
        raise ParameterError(f"diagrams must be a DiagramSet, not {shown(diagrams)}")
    across = check_count(n_per_class, "n_per_class", 100)
    most = check_count(n_points, "n_points")
    rows = _rows(diagrams, across, check_count(n_classes, "n_classes", 200))
    degree = diagrams.dimensions[-1] if dimension is None else dimension
    several = diagrams.in_dimension(degree)
    drawn = {
        index: _strongest(several[index], most) for _, row in rows for index in row
    }
    heads = {} if means is None else _heads(means, rows, degree)
    strongest = [_strongest(one, most) for one in heads.values()]
    low, high = plane_span(*drawn.values(), *strongest)
    corners = {
        index: (float(column), float(len(rows) - 1 - place))
        for place, (_, row) in enumerate(rows)
        for column, index in enumerate(row)
    }
    # One that is not on show has no frame, and one that is no sample is a mistake.
    frames: dict[int | str, int] = {
        sample
        if isinstance(sample, str)
        else check_integer(sample, "AB"[number], 0, len(diagrams) - 1): number
        for number, sample in reversed([*enumerate((A, B))])
        if sample is not None
    }
    names = [name for name, _ in rows]
    aside = {place: (_ASIDE, float(len(rows) - 1 - place)) for place in heads}
    at = np.array([*corners.values(), *aside.values()]).reshape(-1, 2)
    cells = _cells(
        corners,
        {index: diagrams.names[index] for index in corners},
        [several[index] for index in corners],
        [frames.get(index) for index in corners],
        "diagrams",
    )
    of_means = _cells(
        aside,
        {place: f"mean of {names[place] or 'all'}" for place in aside},
        list(heads.values()),
        [frames.get(names[place]) for place in aside],
        "means",
    )
    slopes = hv.Segments(
        np.concatenate([at, at + _SIDE], axis=1), _CELL, label="diagonals"
    )
    rank = [place for place, (_, row) in enumerate(rows) for _ in row]
    points = _small([*drawn.values()], [*corners.values()], rank, (low, high), "points")
    marks = _small(strongest, [*aside.values()], [*aside], (low, high), "mean points")
    # A number a point, and not a colour: a set may have many thousands.
    color = {
        "color": "class",
        "cmap": [class_color(place) for place in range(len(rows))],
        "clim": (-0.5, len(rows) - 0.5),
    }
    # Below the diagonal, where no point is.
    said = [(x + 0.95 * _SIDE, y + 0.13 * _SIDE, "mean") for x, y in aside.values()]
    layers = [
        _clickable(cells, "sample", 0.10),
        _clickable(of_means, "diagram", 0.22),
        line(slopes, GREY, 0.8),
        styled(
            points,
            {"size": 4, "line_width": 0, **color},
            {"s": 9, "linewidth": 0, **color},
        ),
        styled(
            marks,
            {"marker": "diamond", "size": 8, "line_width": 0, **color},
            {"marker": "d", "s": 25, "linewidth": 0, **color},
        ),
        words(
            hv.Labels(said, ["x", "y"], "what", label="words"), size=8, align="right"
        ),
    ]
    left = -0.05 if means is None else _ASIDE - 0.05
    right = max([1, *(len(row) for _, row in rows)]) - 0.05
    ticks = [
        (len(rows) - 1 - place + _SIDE / 2, shorten(name))
        for place, (name, _) in enumerate(rows)
    ]
    return framed(
        layers,
        size=(round(80 * (right - left)), len(rows) * 80),
        xlim=(left, right),
        ylim=(-0.05, len(rows) - 0.05),
        xlabel=f"diagrams of H{degree}, from {low:.3g} to {high:.3g} on both axes",
        ylabel="",
        xticks=[(0, "")],
        yticks=ticks,
        show_grid=False,
    )


_CELL = ["x0", "y0", "x1", "y1"]
_SIDE = 0.9
"""Of a small plane; the rest is between it and the next."""

_ASIDE = -1.15
"""Where the means stand, a little apart from the diagrams of their row."""


def _heads(
    means: DiagramSet, rows: Sequence[tuple[str, list[int]]], degree: int
) -> dict[int, Diagram]:
    """Return the means that are shown, each by the number of its row."""
    if not isinstance(means, DiagramSet):
        raise ParameterError(
            f"means must be a DiagramSet, as sliced_means gives it, not {shown(means)}"
        )
    found = means.in_dimension(degree)
    if means.labels is None:
        return {} if rows[0][0] else dict(enumerate(found[:1]))
    numbers = {str(label): number for number, label in enumerate(means.labels)}
    return {
        place: found[numbers[name]]
        for place, (name, _) in enumerate(rows)
        if name in numbers
    }


def _cells(
    corners: Mapping[int, tuple[float, float]],
    names: Mapping[int, str],
    held: Sequence[Diagram],
    frames: Sequence[int | None],
    label: str,
) -> Any:
    """Return the small planes, framed where one is A (0) or B (1)."""
    at = np.array([*corners.values()]).reshape(-1, 2)
    columns = {
        "index": np.array([*corners], dtype=int),
        "sample": np.array([names[index] for index in corners], dtype=object),
        "count": np.array([len(one) for one in held], dtype=int),
        "edge": np.array(
            [GREY if one is None else look(one)[0] for one in frames], dtype=object
        ),
        "width": np.array([0.5 if one is None else 3.0 for one in frames]),
    }
    boxes = (*at.T, *(at + _SIDE).T)
    return hv.Rectangles((*boxes, *columns.values()), _CELL, [*columns], label=label)


def _clickable(cells: Any, kind: str, alpha: float) -> Any:
    tooltips = [(kind, "@sample"), ("points", "@count")]
    return styled(
        ground(cells, GREY, alpha, tooltips=tooltips),
        # Where a click chooses one, the others stay as they are.
        {
            "hooks": [_frame_by_columns],
            "hover_fill_alpha": alpha + 0.15,
            "nonselection_fill_alpha": alpha,
            "nonselection_line_alpha": 1.0,
        },
        {"edgecolor": "edge", "linewidth": 0.75 * hv.dim("width")},
    )


def _frame_by_columns(plot: Any, _element: Any) -> None:
    """Have each small plane framed as its columns say.

    As an option of HoloViews, columns in which all is alike would be left out, and a
    figure that is sent nothing but data would look for them.
    """
    layer = plot.handles["glyph_renderer"]
    for look_of in ("", "hover_", "selection_", "nonselection_", "muted_"):
        glyph = getattr(layer, f"{look_of}glyph")
        if hasattr(glyph, "line_width"):
            glyph.update(line_color=field("edge"), line_width=field("width"))


def _small(
    held: Sequence[Diagram],
    corners: Sequence[tuple[float, float]],
    rank: Sequence[int],
    ends: tuple[float, float],
    label: str,
) -> Any:
    """Return the points of small planes, with the number of their row."""
    low, high = ends
    places = [
        _SIDE * (one - low) / (high - low) + corner
        for one, corner in zip(held, corners, strict=True)
    ]
    columns = (
        *np.concatenate([np.empty((0, 2)), *places]).T,
        np.repeat(np.array(rank, dtype=float), [len(one) for one in places]),
    )
    return hv.Points(columns, ["x", "y"], "class", label=label)


def _rows(diagrams: DiagramSet, across: int, most: int) -> list[tuple[str, list[int]]]:
    """Return names of classes and their first samples."""
    if diagrams.labels is None or not len(diagrams):
        indices = list(range(min(len(diagrams), 3 * across)))
        rows = [indices[k : k + across] for k in range(0, len(indices), across)]
        return [("", row) for row in rows] or [("", [])]
    return [
        (name, np.flatnonzero(diagrams.labels == label)[:across].tolist())
        for name, label in zip(
            diagrams.class_names[:most], diagrams.classes, strict=False
        )
    ]


def _strongest(given: Diagram, count: int) -> Diagram:
    return given[np.argsort(given[:, 0] - given[:, 1], kind="stable")[:count]]


def _check_diagrams(diagrams: Sequence[ArrayLike]) -> list[Diagram]:
    if not diagrams:
        raise ParameterError("give one diagram at least: diagram(A) or diagram(A, B)")
    return [as_diagram(given) for given in diagrams]


def _check_labels(labels: Sequence[str] | None, count: int) -> list[str]:
    if labels is None:
        letters = [chr(ord("A") + index) for index in range(min(count, 26))]
        return letters + [f"diagram {index + 1}" for index in range(26, count)]
    names = [labels] if isinstance(labels, str) else [str(label) for label in labels]
    if len(names) != count or len(set(names)) != count:
        raise ParameterError(
            f"labels must be {count} different names, one a diagram, not {shown(names)}"
        )
    return names
