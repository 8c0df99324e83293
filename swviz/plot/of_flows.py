"""Pictures of diagrams that move: on the way to another, and amid many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import holoviews as hv
import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_integer
from swviz.diagrams import Diagram, DiagramSet, as_diagram, as_diagrams
from swviz.errors import ParameterError
from swviz.flows import SlicedFlow, sliced_flow, sliced_mean, sliced_means
from swviz.plot.looks import dots, line, shorten, words
from swviz.plot.of_diagrams import (
    BIRTH,
    DEATH,
    half_plane,
    look,
    plane,
    points_of,
)
from swviz.plot.places import plane_span
from swviz.plot.theme import ACCENT, GREY, class_color
from swviz.plot.turning import show_itself
from swviz.typing import Floats, Ints

STEP = hv.Dimension("step", label="step")

_TAIL = 4
"""Frames back to which a moving point has a tail."""

_ENDS = ["x0", "y0", "x1", "y1"]


def flow(
    A: ArrayLike,
    B: ArrayLike,
    way: SlicedFlow | None = None,
    *,
    n_frames: int = 40,
    random_state: Any = 0,
) -> hv.HoloMap:
    r"""Draw the way of one diagram to another: a picture that plays.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    way : SlicedFlow, optional
        Of A to B; by default :func:`swviz.sliced_flow` finds it.
    n_frames : int, default=40
        At most: steps in which nothing much moves share one.
    random_state : int, RandomState instance, Generator or None, default=0
        For the flow, if it is not given.

    Returns
    -------
    hv.HoloMap
        Over the steps. Points of A that stay, that die on the diagonal, and those that
        are born from it, with a short tail each; B as rings, and how far it is to B,
        :math:`SW_M`. In a cell it shows itself, with all frames and all scripts: it
        plays in a saved notebook, and in the HTML of nbconvert, without a kernel or a
        network, and needs no ``hv.extension``. ``hv.save(picture, "flow.html",
        fmt="scrubber")`` writes it as a page. Axes stay as they are.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.flow([(0, 1), (2, 2.2)], [(0, 2)])
    >>> picture.last.Points.Dies["death"].round(1)
    array([2.1])
    """
    first, second = as_diagram(A), as_diagram(B)
    if way is None:
        way = sliced_flow(first, second, random_state=random_state)
    count = len(first) + len(second)
    if way.died.shape != (len(first),) or way.path.shape[1:] != (count, 2):
        raise ParameterError(
            f"this flow is of {len(way.died)} and {len(way.born)} points, not of "
            f"{len(first)} and {len(second)}: give the one of these diagrams"
        )
    frames = _frames(way.path, check_integer(n_frames, "n_frames", 2, 1000))
    low, high = plane_span(way.path.reshape(-1, 2), second)
    kinds = _kinds(way)
    still = [*half_plane(low, high), _goal(second)]
    # Above the legend, where no point comes.
    corner = high - 0.04 * (high - low), low + 0.5 * (high - low)
    pictures: dict[int, hv.Overlay] = {}
    made: hv.Overlay | None = None
    for number, step in enumerate(frames):
        recent = way.path[frames[max(0, number - _TAIL) : number + 1]]
        data: list[Any] = [
            *(_tails(recent[:, rows]) for rows, *_ in kinds),
            *(way.path[step, rows] for rows, *_ in kinds),
            [(*corner, f"SW {way.costs[step]:.3g}")],
        ]
        if made is None:
            layers = _moving(data, kinds)
            made = plane([*still, *layers], low, high)
            moving = list(made)[len(still) :]
        # HoloViews takes longer to set options than to do all the rest.
        clones = [one.clone(new) for one, new in zip(moving, data, strict=True)]
        pictures[int(step)] = made.clone([*list(made)[: len(still)], *clones])
    playing = hv.HoloMap(pictures, kdims=[STEP])
    labels = [f"step {step} of {len(way.path) - 1}" for step in pictures]
    # Amid the way, where one sees what moves also before it plays.
    show_itself(playing, [playing], labels, "step", len(pictures) // 4)
    return playing


def _frames(path: Floats, most: int) -> Ints:
    """Choose steps between which about as much moves."""
    moved = np.linalg.norm(np.diff(path, axis=0), axis=2).sum(axis=1)
    far = np.concatenate([[0.0], np.cumsum(moved)])
    wanted = np.searchsorted(far, np.linspace(0, far[-1], most), side="left")
    ends = np.array([0, len(path) - 1])
    return np.unique(np.concatenate([ends, np.minimum(wanted, ends[1])]))


def _kinds(way: SlicedFlow) -> list[tuple[Ints, str, str, str, float]]:
    """Rows, name, colour, marker and size of what moves."""
    n = len(way.died)
    (color_a, marker_a, size_a), (color_b, marker_b, size_b) = look(0), look(1)
    return [
        (n + np.flatnonzero(~way.born), "rests", GREY, marker_b, 3.0),
        (np.flatnonzero(way.died), "dies", GREY, marker_a, 0.7 * size_a),
        (n + np.flatnonzero(way.born), "is born", color_b, marker_b, size_b),
        (np.flatnonzero(~way.died), "stays", color_a, marker_a, size_a),
    ]


def _tails(recent: Floats) -> Floats:
    """Join where points were in recent frames, of shape (k, n, 2)."""
    return np.concatenate([recent[:-1], recent[1:]], axis=2).reshape(-1, 4)


def _moving(
    data: Sequence[Any], kinds: Sequence[tuple[Ints, str, str, str, float]]
) -> list[Any]:
    count = len(kinds)
    tails, points, (note,) = data[:count], data[count : 2 * count], data[2 * count :]
    return [
        *(
            line(
                hv.Segments(given, _ENDS, label=name),
                color,
                1,
                alpha=0.45,
                # Its point is named.
                show_legend=False,
            )
            for given, (_, name, color, _, _) in zip(tails, kinds, strict=True)
        ),
        *(
            dots(hv.Points(given, [BIRTH, DEATH], label=name), color, marker, size)
            for given, (_, name, color, marker, size) in zip(points, kinds, strict=True)
        ),
        words(hv.Labels(note, [BIRTH, DEATH], "SW"), size=11, align="right"),
    ]


def _goal(second: Diagram) -> Any:
    color, marker, size = look(1)
    rings = hv.Points(second, [BIRTH, DEATH], label="B")
    return dots(rings, color, marker, size + 2, hollow=True, width=1.2)


def mean(
    X: DiagramSet | Sequence[ArrayLike],
    means: DiagramSet | ArrayLike | None = None,
) -> hv.Overlay:
    r"""Draw diagrams and their mean, or that of each class.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        Of one homology dimension. With labels, each class has a colour and a mean.
    means : DiagramSet or array-like of shape (n, 2), optional
        The mean of each class (:func:`swviz.sliced_means`), or the one of all
        diagrams; found by default.

    Returns
    -------
    hv.Overlay
        All points, pale, and the points of means.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.mean([[(0, 1)], [(0, 1.2)]])
    >>> len(picture.Points.Members), len(picture.Points.Mean)
    (2, 1)
    """
    members = as_diagrams(X)
    labels = X.labels if isinstance(X, DiagramSet) else None
    if labels is None or not isinstance(X, DiagramSet):
        found = sliced_mean(members).diagram if means is None else means
        if isinstance(found, DiagramSet):
            [found] = as_diagrams(found)
        groups = [("members", "mean", ACCENT, members, as_diagram(found))]
    else:
        found = sliced_means(X) if means is None else means
        if not isinstance(found, DiagramSet) or found.class_names != X.class_names:
            raise ParameterError(
                f"means must be a DiagramSet of the classes {list(X.class_names)}, as "
                "sliced_means gives it"
            )
        groups = [
            (
                "", shorten(name), class_color(index),
                [members[i] for i in np.flatnonzero(labels == label)], one,
            )
            for index, (name, label, one) in enumerate(
                zip(X.class_names, X.classes, as_diagrams(found), strict=True)
            )
        ]  # fmt: skip
    low, high = plane_span(*members, *(group[4] for group in groups))
    layers = [*half_plane(low, high)]
    for name, _, color, several, _ in groups:
        points = np.concatenate([np.empty((0, 2)), *several])
        pale = hv.Points(points, [BIRTH, DEATH], label=name)
        layers.append(dots(pale, color, size=4, alpha=0.3, width=0))
    for _, name, color, _, one in groups:
        layers.append(_mean_points(one, name, color))
    return plane(layers, low, high)


def _mean_points(one: Diagram, name: str, color: str) -> Any:
    tooltips = [
        (name, "point @point"), ("birth", "@birth{0.0000}"),
        ("death", "@death{0.0000}"), ("persistence", "@persistence{0.0000}"),
    ]  # fmt: skip
    return dots(points_of(one, name, 0), color, "diamond", 10, tooltips=tooltips)
