"""Pictures of slices: the turning line, its matching, its cost, and their sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import holoviews as hv
import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_angles, check_count
from swviz.diagrams import Diagram, as_diagram
from swviz.directions import directions
from swviz.errors import ParameterError
from swviz.exact import balanced_segments as exact_segments
from swviz.matchings import diagram_matching
from swviz.plot.looks import dots, framed, ground, line, styled
from swviz.plot.of_diagrams import (
    BIRTH,
    DEATH,
    half_plane,
    look,
    plane,
    points_of,
)
from swviz.plot.places import plane_span
from swviz.plot.theme import ACCENT, GAIN, GREY, LOSS
from swviz.plot.turning import show_itself
from swviz.slices import slice_costs, slice_matching, step_function
from swviz.typing import Floats, Rule

ANGLE_TICKS = [
    (-np.pi / 2, "−π/2"), (-np.pi / 4, "−π/4"), (0.0, "0"), (np.pi / 4, "π/4"),
    (np.pi / 2, "π/2"),
]  # fmt: skip

ANGLE = hv.Dimension("angle", label="θ in degrees")

_CURVE = 361
"""Angles that the curve of costs is drawn through."""

_ENDS = ["x0", "y0", "x1", "y1"]
_SIDES = ["left", "low", "right", "high"]
_WIDE = (420, 130)


class _Pair:
    """Two diagrams, and axes that hold them for every angle.

    The line turns about the middle of the plane, where it is always in sight: moving it
    sideways changes no distance.
    """

    def __init__(self, A: ArrayLike, B: ArrayLike) -> None:
        self.first, self.second = as_diagram(A), as_diagram(B)
        self.low, self.high = plane_span(self.first, self.second)
        self.anchor = (self.low + self.high) / 2
        corners = np.array([[self.low, self.high]])
        away = np.concatenate([self.first, self.second, corners]) - self.anchor
        self.radius = float(np.hypot(*away.T).max())
        self._made: dict[str, Any] = {}

    def layer(self, key: str, make: Callable[[], Any], data: Any = None) -> Any:
        """Make a layer once; in further frames, show it again or with other data.

        HoloViews takes longer to set options than to do all the rest, and does not
        touch what is the same element in the next frame.
        """
        if key not in self._made:
            self._made[key] = make()
            return self._made[key]
        return self._made[key] if data is None else self._made[key].clone(data)

    @property
    def diagrams(self) -> tuple[Diagram, Diagram]:
        return self.first, self.second

    def middle(self, theta: float) -> float:
        """Coordinate on the line of the point about which it turns."""
        return self.anchor * (np.cos(theta) + np.sin(theta))

    def foot(self, along: Floats, theta: float) -> Floats:
        """Place in the plane of points of the line."""
        u = np.array([np.cos(theta), np.sin(theta)])
        return self.anchor + (along - self.middle(theta))[:, None] * u


def slice_plane(A: ArrayLike, B: ArrayLike, theta: float) -> hv.Overlay:
    r"""Draw two diagrams and their projections onto a line through the plane.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    theta : float
        The line's angle, in radians.

    Returns
    -------
    hv.Overlay
        The diagrams, their projections onto the diagonal (rings), and the rays along
        which all of them reach the line.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.slice_plane([(0, 1)], [(0, 2)], 0.0)
    >>> len(picture.Segments.A)
    2
    """
    return _plane_at(_Pair(A, B), _one_angle(theta))


def _plane_at(pair: _Pair, theta: float) -> hv.Overlay:
    u = np.array([np.cos(theta), np.sin(theta)])
    ends = pair.anchor + 2 * pair.radius * np.array([-u, u])
    layers = pair.layer("half", lambda: [*half_plane(pair.low, pair.high)]).copy()
    points = []
    for index, given in enumerate(pair.diagrams):
        color, name = look(index)[0], "AB"[index]
        middles = _middles(given)
        places = np.concatenate([given, middles])
        feet = pair.foot(places @ u, theta)
        rays = np.concatenate([places, feet], axis=1)
        layers += [
            pair.layer(f"rays {name}", partial(_rays, rays, color, name), rays),
            pair.layer(f"rings {name}", partial(_rings, middles, color, name)),
        ]
        points.append(pair.layer(name, partial(points_of, given, name, index)))
    turning = pair.layer(
        "line",
        lambda: line(hv.Curve(ends, BIRTH, DEATH, label="line"), ACCENT, 3),
        ends,
    )
    layers += [turning, *points]
    return pair.layer(
        "plane", lambda: plane(layers, pair.low, pair.high, legend=False), layers
    )


def _rays(ends: Floats, color: str, name: str) -> Any:
    return line(hv.Segments(ends, _ENDS, label=name), color, 1, alpha=0.35)


def _rings(places: Floats, color: str, name: str) -> Any:
    rings = hv.Points(places, [BIRTH, DEATH], label=f"projections of {name}")
    return dots(rings, color, size=5, hollow=True, width=1)


def slice_lines(A: ArrayLike, B: ArrayLike, theta: float) -> hv.Overlay:
    r"""Draw the two sorted lists of a slice, joined in order.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    theta : float
        The line's angle, in radians.

    Returns
    -------
    hv.Overlay
        Above, A with the diagonal projections of B; below, B with those of A (rings).
        The k-th joins the k-th: the lengths along the line add up to
        :math:`W(\theta)`.

    Examples
    --------
    >>> import swviz as sw
    >>> links = sw.plot.slice_lines([(0, 1)], [(0, 2)], 0.0).Segments.I
    >>> float(abs(links["x0"] - links["x1"]).sum())
    0.5
    """
    return _lines_at(_Pair(A, B), _one_angle(theta))


def _lines_at(pair: _Pair, theta: float) -> hv.Overlay:
    found = slice_matching(*pair.diagrams, theta)
    middle = pair.middle(theta)
    above, below = found.source - middle, found.target - middle
    full, zero = np.ones(len(above)), np.zeros(len(below))
    links = above, full, below, zero
    layers = [
        pair.layer("lower", lambda: line(hv.HLine(0), GREY, 1.5)),
        pair.layer("upper", lambda: line(hv.HLine(1), GREY, 1.5)),
        pair.layer(
            "links", lambda: line(hv.Segments(links, _ENDS), ACCENT, 1.2, alpha=0.55),
            links,
        ),
    ]  # fmt: skip
    for at, height, own, on_diagonal in (
        (above, full, 0, found.source_on_diagonal),
        (below, zero, 1, found.target_on_diagonal),
    ):
        for index, chosen in ((own, ~on_diagonal), (1 - own, on_diagonal)):
            marks = at[chosen], height[chosen]
            make = partial(_listed, marks, index, index != own)
            layers.append(pair.layer(f"list {own} {index}", make, marks))
    return pair.layer(
        "lines",
        lambda: framed(
            layers,
            size=_WIDE,
            xlim=(-pair.radius, pair.radius),
            ylim=(-0.3, 1.3),
            xlabel="position on L(θ), from its middle",
            ylabel="",
            yticks=[(0, "B + π(A)"), (1, "A + π(B)")],
            show_grid=False,
        ),
        layers,
    )


def _listed(marks: tuple[Floats, Floats], index: int, hollow: bool) -> Any:
    name = f"projections of {'AB'[index]}" if hollow else "AB"[index]
    color, marker, _ = look(index)
    element = hv.Points(marks, ["t", "list"], label=name)
    return dots(element, color, marker, 8, hollow=hollow, width=1.3)


def surplus(A: ArrayLike, B: ArrayLike, theta: float) -> hv.Overlay:
    r"""Draw how many more points A has than B up to each place of a line.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    theta : float
        The line's angle, in radians.

    Returns
    -------
    hv.Overlay
        :math:`G_A - G_B`, shaded: its area is :math:`W(\theta)`.

    Examples
    --------
    >>> import swviz as sw
    >>> sw.plot.surplus([(0, 1)], [(0, 2)], 0.0).Rectangles.I["low"]
    array([-1.])
    """
    pair = _Pair(A, B)
    angle = _one_angle(theta)
    steps = step_function(pair.first, angle, pair.second)
    return _surplus_at(pair, angle, _reach([steps.values]))


def _reach(values: Sequence[Floats]) -> float:
    return 1.15 * max([1.0, *(np.abs(some).max(initial=0.0) for some in values)])


def _surplus_at(pair: _Pair, theta: float, reach: float) -> hv.Overlay:
    steps = step_function(pair.first, theta, pair.second)
    knots, values = steps.knots - pair.middle(theta), steps.values
    if len(knots):
        left, right, height = knots[:-1], knots[1:], values[:-1]
        path = np.repeat(knots, 2), np.concatenate([[0.0], np.repeat(height, 2), [0.0]])
    else:
        left = right = height = np.empty(0)
        path = np.array([0.0]), np.array([0.0])
    areas = left, np.minimum(height, 0), right, np.maximum(height, 0)
    reached = pair.radius * np.array([-1, 1])
    outline = (
        np.concatenate([reached[:1], path[0], reached[1:]]),
        np.concatenate([[0.0], path[1], [0.0]]),
    )
    layers = [
        pair.layer("zero", lambda: line(hv.HLine(0), GREY, 1)),
        pair.layer(
            "areas", lambda: ground(hv.Rectangles(areas, _SIDES), ACCENT, 0.25), areas
        ),
        pair.layer(
            "steps",
            lambda: line(hv.Curve(outline, "t", "surplus"), ACCENT, 1.5),
            outline,
        ),
    ]
    return pair.layer(
        "surplus",
        lambda: framed(
            layers,
            size=_WIDE,
            xlim=(-pair.radius, pair.radius),
            ylim=(-reach, reach),
            xlabel="position on L(θ), from its middle",
            ylabel="A minus B",
        ),
        layers,
    )


def cost_curve(
    A: ArrayLike,
    B: ArrayLike,
    n_directions: int | None = None,
    rule: Rule = "paper",
    *,
    polar: bool = False,
    theta: float | None = None,
    random_state: Any = 0,
) -> hv.Overlay:
    r"""Draw the cost of every slice, and the bars of the sum that samples it.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    n_directions : int, optional
        The paper's M: so many bars, whose mean height is :math:`SW_M`. None are drawn
        by default.
    rule : {"paper", "diagonal", "random"}, default="paper"
        How directions are placed.
    polar : bool, default=False
        Draw the cost as a radius around the origin instead of a height.
    theta : float, optional
        An angle to mark, in radians.
    random_state : int, RandomState instance, Generator or None, default=0
        Used by the random rule only.

    Returns
    -------
    hv.Overlay
        The mean height of the curve is the exact distance SW.

    Examples
    --------
    >>> import swviz as sw
    >>> bars = sw.plot.cost_curve([(0, 1)], [(0, 2)], 4).Rectangles.I
    >>> float(bars["cost"].mean()) == sw.sliced_wasserstein([(0, 1)], [(0, 2)], 4)
    True
    """
    first, second = as_diagram(A), as_diagram(B)
    samples = np.empty(0)
    if n_directions is not None:
        samples = directions(n_directions, rule, random_state)
    curve = _curve(first, second)
    if polar:
        now = None if theta is None else _one_angle(theta)
        return _polar(first, second, curve, samples, now)
    still = _costs_at(first, second, curve, samples, rule)
    if theta is None:
        return still
    return _marked(_Pair(first, second), still, _one_angle(theta))


def _curve(first: Diagram, second: Diagram) -> tuple[Floats, Floats]:
    angles = np.linspace(-np.pi / 2, np.pi / 2, _CURVE)
    return angles, slice_costs(first, second, angles)


def _top(first: Diagram, second: Diagram, costs: Floats) -> float:
    """End of the axis of costs."""
    top = 1.08 * float(costs.max())
    # What is left of the cost of equal diagrams is rounding.
    scale = float(np.abs(np.concatenate([first, second])).max(initial=0.0))
    return top if top > 1e-14 * scale * (len(first) + len(second)) else 1.0


_DIRECTION, _COST = hv.Dimension("theta", label="direction θ"), hv.Dimension("cost")


def _costs_at(
    first: Diagram,
    second: Diagram,
    curve: tuple[Floats, Floats],
    samples: Floats,
    rule: Rule,
) -> hv.Overlay:
    heights = slice_costs(first, second, samples)
    tips = [("θ", "@theta{0.000}"), ("W(θ)", "@cost{0.0000}")]
    line_ = line(hv.Curve(curve, _DIRECTION, _COST), GREY, 2.5, tooltips=tips)
    layers = [line_]
    if len(samples):
        left, right = _bars(samples, rule)
        bars = hv.Rectangles(
            (left, np.zeros(len(left)), right, heights, heights),
            ["left", "bottom", "right", "top"],
            "cost",
        )
        marks = hv.Scatter((samples, heights), _DIRECTION, _COST)
        layers = [
            ground(bars, GREY, 0.3, edge="white"),
            line_,
            dots(marks, GREY, size=6, width=0),
        ]
    return framed(
        layers,
        size=(420, 190),
        xlim=(-np.pi / 2, np.pi / 2),
        ylim=(0, _top(first, second, np.append(curve[1], heights))),
        xticks=ANGLE_TICKS,
        xlabel="direction θ",
        ylabel="cost of the slice W(θ)",
    )


def _marked(pair: _Pair, still: hv.Overlay, theta: float) -> hv.Overlay:
    """Mark an angle on the curve of costs."""
    now = np.array([(theta + np.pi / 2) % np.pi - np.pi / 2])
    height = slice_costs(*pair.diagrams, now)
    ends = now, np.zeros(1), now, height
    mark = pair.layer(
        "mark", lambda: line(hv.Segments(ends, _ENDS), ACCENT, 2, "dashed"), ends
    )
    spot = pair.layer(
        "spot",
        lambda: dots(hv.Scatter((now, height), _DIRECTION, _COST), ACCENT, size=11),
        (now, height),
    )
    return still.clone([*still, mark, spot])


def _polar(
    first: Diagram,
    second: Diagram,
    curve: tuple[Floats, Floats],
    samples: Floats,
    now: float | None,
) -> hv.Overlay:
    angles, costs = curve
    heights = slice_costs(first, second, samples)
    top = _top(first, second, np.append(costs, heights))
    # A slice and its opposite cost the same: the curve goes around.
    turn = np.concatenate([angles, angles[1:] + np.pi])
    radius = np.concatenate([costs, costs[1:]])
    x, y = radius * np.cos(turn), radius * np.sin(turn)
    layers: list[Any] = [
        ground(hv.Polygons([{"x": x, "y": y}], ["x", "y"]), GREY, 0.25, GREY, 2)
    ]
    if len(samples):
        spokes = np.concatenate([samples, samples + np.pi])
        length = np.concatenate([heights, heights])
        ends = length * np.cos(spokes), length * np.sin(spokes)
        zero = np.zeros(len(spokes))
        layers.append(line(hv.Segments((zero, zero, *ends), _ENDS), GREY, 1))
        layers.append(dots(hv.Points(ends, ["x", "y"]), GREY, size=6, width=0))
    if now is not None:
        height = slice_costs(first, second, [now])[0]
        tip = height * np.array([np.cos(now), np.sin(now)])
        ends_now = hv.Curve(np.stack([-tip, tip]), "x", "y", label="now")
        layers.append(line(ends_now, ACCENT, 3))
    return framed(
        layers,
        size=(300, 300),
        xlim=(-top, top),
        ylim=(-top, top),
        xlabel="W(θ) cos θ",
        ylabel="W(θ) sin θ",
    )


def _bars(samples: Floats, rule: Rule) -> tuple[Floats, Floats]:
    """Return the ends of the bars of the sum, one a direction, all of one width."""
    step = np.pi / len(samples)
    # The paper's sum has each angle at the left of its cell.
    left = samples if rule == "paper" else samples - step / 2
    return left, left + step


def slices(
    A: ArrayLike,
    B: ArrayLike,
    thetas: ArrayLike | None = None,
    *,
    n_directions: int | None = None,
    rule: Rule = "paper",
) -> hv.Layout:
    r"""Draw a pair's slices for all angles: a picture that turns.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    thetas : array-like of shape (k,), optional
        Angles in radians; every 7.5 degrees by default.
    n_directions : int, optional
        Bars of the cost curve, as in :func:`cost_curve`.
    rule : {"paper", "diagonal", "random"}, default="paper"

    Returns
    -------
    hv.Layout
        Four HoloMaps over the angle in degrees (:func:`slice_plane`,
        :func:`cost_curve`, :func:`slice_lines`, :func:`surplus`), with one slider for
        all. In a cell it shows itself, with all frames and all scripts: it turns in a
        saved notebook, and in the HTML of nbconvert, without a kernel or a network, and
        needs no ``hv.extension``. Axes stay as they are.

    Examples
    --------
    >>> import swviz as sw
    >>> turning = sw.plot.slices([(0, 1)], [(0, 2)], thetas=[0.0, 1.0])
    >>> [len(part) for part in turning]
    [2, 2, 2, 2]
    """
    pair = _Pair(A, B)
    chosen = np.linspace(-np.pi / 2, np.pi / 2, 24, endpoint=False)
    angles = check_angles(chosen if thetas is None else thetas)
    degrees = np.round(angles * (180 / np.pi), 3)
    if not len(angles) or len(np.unique(degrees)) < len(degrees):
        raise ParameterError("thetas must be different angles, one at least")
    samples = np.empty(0)
    if n_directions is not None:
        samples = directions(check_count(n_directions, "n_directions"), rule, 0)
    still = _costs_at(*pair.diagrams, _curve(*pair.diagrams), samples, rule)
    reach = _reach(
        [step_function(pair.first, angle, pair.second).values for angle in angles]
    )
    layout = hv.Layout(
        [
            _turning(draw, angles, degrees)
            for draw in (
                lambda theta: _plane_at(pair, theta),
                lambda theta: _marked(pair, still, theta),
                lambda theta: _lines_at(pair, theta),
                lambda theta: _surplus_at(pair, theta, reach),
            )
        ]
    ).cols(2)
    # Matplotlib would call the parts A, B, C and D, two of which are diagrams.
    layout = styled(layout, {"shared_axes": False}, {"sublabel_format": ""})
    labels = [f"θ = {degree:g}°" for degree in degrees]
    show_itself(layout, list(layout), labels, "angle")
    return layout


def _turning(
    draw: Callable[[float], hv.Overlay], angles: Floats, degrees: Floats
) -> hv.HoloMap:
    frames = {
        float(degree): draw(float(angle))
        for degree, angle in zip(degrees, angles, strict=True)
    }
    return hv.HoloMap(frames, kdims=[ANGLE])


def balanced_segments(A: ArrayLike, B: ArrayLike) -> hv.Overlay:
    r"""Draw the segments that the exact distance is made of.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)

    Returns
    -------
    hv.Overlay
        Segments that count for the distance, and dashed those that count against it:
        SW is the sum of their lengths, each times its weight, over :math:`\pi`.

    Examples
    --------
    >>> import swviz as sw
    >>> picture = sw.plot.balanced_segments([(0, 1)], [])
    >>> picture.Segments.For_SW["weight"]
    array([2.])
    """
    first, second = as_diagram(A), as_diagram(B)
    ends, weights = exact_segments(first, second)
    low, high = plane_span(first, second)
    layers = [*half_plane(low, high)]
    for name, color, dash, chosen in (
        ("for SW", GAIN, "solid", weights > 0),
        ("against SW", LOSS, "dashed", weights < 0),
    ):
        some = hv.Segments(
            (*ends[chosen].reshape(-1, 4).T, weights[chosen]),
            _ENDS,
            "weight",
            label=name,
        )
        tips = [(name, "weight @weight")]
        layers.append(line(some, color, 2, dash, alpha=0.8, tooltips=tips))
    layers += [points_of(d, "AB"[i], i) for i, d in enumerate((first, second))]
    return plane(layers, low, high)


def matching(A: ArrayLike, B: ArrayLike, p: float = 1) -> hv.Overlay:
    r"""Draw an optimal matching of two diagrams, one that attains :math:`d_p`.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    p : float, default=1
        As in :func:`swviz.diagram_matching`.

    Returns
    -------
    hv.Overlay
        A segment for every point: to one of the other diagram, or to the diagonal.

    Examples
    --------
    >>> import swviz as sw
    >>> pairs = sw.plot.matching([(0, 2), (1, 1.5)], [(0, 3)]).Segments.I
    >>> pairs["y1"]
    array([3.  , 1.25])
    """
    first, second = as_diagram(A), as_diagram(B)
    rows = diagram_matching(first, second, p)
    i, j = rows.T
    both = (i >= 0) & (j >= 0)
    ends = np.concatenate(
        [
            np.hstack([first[i[both]], second[j[both]]]),
            *(
                np.hstack([own, _middles(own)])
                for own in (first[i[j < 0]], second[j[i < 0]])
            ),
        ]
    )
    low, high = plane_span(first, second)
    layers = [*half_plane(low, high)]
    layers.append(line(hv.Segments(ends, _ENDS), GAIN, 2))
    layers += [points_of(d, "AB"[i], i) for i, d in enumerate((first, second))]
    return plane(layers, low, high)


def _middles(given: Diagram) -> Floats:
    """Projections onto the diagonal."""
    return np.repeat(given.mean(axis=1, keepdims=True), 2, axis=1)


def _one_angle(theta: float) -> float:
    angles = check_angles(theta)
    if len(angles) != 1:
        raise ParameterError("this takes one angle; slices(A, B, thetas) takes many")
    return float(angles[0])
