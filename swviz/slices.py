r"""Slices: directions, projections, step functions, matchings and costs.

A slice in direction :math:`u(\theta) = (\cos\theta, \sin\theta)` projects both
diagrams, and the projections of both onto the diagonal, to a line. There the
cheapest matching joins the k-th point to the k-th, at the cost

.. math:: W(\theta) = \| \mathrm{sort}\langle A \cup \pi_\Delta B, u\rangle
                        - \mathrm{sort}\langle B \cup \pi_\Delta A, u\rangle \|_1
                    = \int |G_A(t) - G_B(t)|\,dt,

where :math:`G_A(t)` counts the points of :math:`A` whose projection is at most
:math:`t`, less the points of :math:`\pi_\Delta A` for which that holds. Each
:math:`G` belongs to one diagram, so everything here but the last sort is done once
per diagram, and a point on the diagonal changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swviz.checks import check_angles
from swviz.diagrams import Diagram, as_diagram
from swviz.directions import directions
from swviz.errors import ParameterError
from swviz.results import Result, as_frame, draw
from swviz.typing import Floats, Rule

if TYPE_CHECKING:
    import pandas as pd

_BLOCK = 1 << 16
"""Numbers sorted in one call: large enough to hide Python, small enough for a cache."""


def project(diagrams: Floats, thetas: Floats) -> tuple[Floats, Floats]:
    r"""Project points, and their diagonal projections, onto lines.

    Parameters
    ----------
    diagrams : ndarray of shape (..., n, 2)
    thetas : ndarray of shape (k,)

    Returns
    -------
    points, on_diagonal : ndarrays of shape (..., k, n)
        :math:`\langle p, u\rangle` and :math:`\langle \pi_\Delta p, u\rangle`.
    """
    birth, death = diagrams[..., None, :, 0], diagrams[..., None, :, 1]
    cosine, sine = np.cos(thetas)[:, None], np.sin(thetas)[:, None]
    return (
        birth * cosine + death * sine,
        (birth / 2 + death / 2) * (cosine + sine),
    )


def slice_costs(A: ArrayLike, B: ArrayLike, thetas: ArrayLike) -> Floats:
    r"""Cost of the slices, :math:`W(\theta)`.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    thetas : array-like of shape (k,)
        Angles in radians.

    Returns
    -------
    ndarray of shape (k,)

    Notes
    -----
    Costs O(k (n + m) log(n + m)) time, and memory for a block of angles only.

    Examples
    --------
    >>> slice_costs([(0, 1)], [(0, 2)], [0, np.pi / 2])
    array([0.5, 1.5])
    """
    first, second = as_diagram(A), as_diagram(B)
    angles = check_angles(thetas)
    costs = np.empty(len(angles))
    step = max(1, _BLOCK // max(1, len(first) + len(second)))
    for start in range(0, len(angles), step):
        block = angles[start : start + step]
        points_a, diagonal_a = project(first, block)
        points_b, diagonal_b = project(second, block)
        source = np.concatenate([points_a, diagonal_b], axis=-1)
        target = np.concatenate([points_b, diagonal_a], axis=-1)
        costs[start : start + step] = _transport_costs(source, target)
    return costs


def _transport_costs(source: Floats, target: Floats) -> Floats:
    """1-D transport costs along the last axis; sorts both arguments in place."""
    source.sort(axis=-1)
    target.sort(axis=-1)
    return absolute_difference(source, target)


def absolute_difference(source: Floats, target: Floats) -> Floats:
    """Sum absolute differences along the last axis; overwrites `source`.

    Parameters
    ----------
    source, target : ndarrays of shape (..., n)

    Returns
    -------
    ndarray of shape (...,)
    """
    np.subtract(source, target, out=source)
    np.abs(source, out=source)
    total: Floats = source.sum(axis=-1)
    return total


def sliced_wasserstein(
    A: ArrayLike,
    B: ArrayLike,
    n_directions: int = 50,
    *,
    rule: Rule = "paper",
    random_state: Any = None,
) -> float:
    r"""Approximate sliced Wasserstein distance :math:`SW_M` (Algorithm 1).

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    n_directions : int, default=50
        The paper's M.
    rule, random_state
        As in :func:`directions`.

    Returns
    -------
    float
        The mean of :math:`W(\theta)` over the directions.

    See Also
    --------
    sliced_wasserstein_exact : the limit for many directions.
    sliced_wasserstein_matrix : all pairs of two lists.

    Notes
    -----
    Costs O(M (n + m) log(n + m)). The error falls like :math:`1/M^2`, with random
    directions like :math:`1/\sqrt M`.

    Examples
    --------
    >>> sliced_wasserstein([(0, 1)], [(0, 2)], n_directions=4)
    0.6767766952966369
    """
    return float(slice_costs(A, B, directions(n_directions, rule, random_state)).mean())


@dataclass(frozen=True, repr=False)
class SliceMatching(Result):
    """The cheapest matching of one slice; the k-th entries belong together.

    Attributes
    ----------
    theta : float
    source, target : ndarrays of shape (n + m,)
        Coordinates on the line, ascending: A with B's diagonal projections, and B
        with A's.
    source_points, target_points : ndarrays of shape (n + m, 2)
        The same points in the plane.
    source_on_diagonal, target_on_diagonal : boolean ndarrays of shape (n + m,)
        Whether that entry is a diagonal projection (of a point of the other diagram).
    source_index, target_index : integer ndarrays of shape (n + m,)
        The row it comes from, in A for `source` where not `source_on_diagonal` and in
        B where it is; the other way round for `target`.
    """

    theta: float
    source: Floats
    target: Floats
    source_points: Floats
    target_points: Floats
    source_on_diagonal: NDArray[np.bool_]
    target_on_diagonal: NDArray[np.bool_]
    source_index: NDArray[np.intp]
    target_index: NDArray[np.intp]

    @property
    def cost(self) -> float:
        r"""Cost of the slice, :math:`W(\theta)`."""
        return float(np.abs(self.source - self.target).sum())

    @property
    def diagrams(self) -> tuple[Diagram, Diagram]:
        """The two diagrams A and B that were matched, shapes (n, 2) and (m, 2)."""
        return (
            _own_points(self.source_points, self.source_on_diagonal, self.source_index),
            _own_points(self.target_points, self.target_on_diagonal, self.target_index),
        )

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        A, B = self.diagrams
        return {
            "theta": f"{self.theta:.4g}",
            "cost": f"{self.cost:.4g}",
            "points": f"{len(A)} + {len(B)}",
        }

    def frame(self) -> pd.DataFrame:
        """Return the matching as a data frame, a row for each pair on the line.

        Returns
        -------
        pandas.DataFrame of n + m rows
            Columns source, target (places on the line), cost, and the attributes of
            both sides: birth, death, on_diagonal and index.
        """
        sides = {}
        for side, points, on_diagonal, index in (
            ("source", self.source_points, self.source_on_diagonal, self.source_index),
            ("target", self.target_points, self.target_on_diagonal, self.target_index),
        ):
            sides[f"{side}_birth"], sides[f"{side}_death"] = points.T
            sides[f"{side}_on_diagonal"], sides[f"{side}_index"] = on_diagonal, index
        return as_frame(
            {
                "source": self.source,
                "target": self.target,
                "cost": np.abs(self.source - self.target),
                **sides,
            }
        )

    def plot(self) -> Any:
        """Draw the two sorted lists and who is matched: `swviz.plot.slice_lines`."""
        return draw("slice_lines", *self.diagrams, self.theta)


def _own_points(
    points: Floats, on_diagonal: NDArray[np.bool_], index: NDArray[np.intp]
) -> Diagram:
    """Put the points of one diagram back into the order of its rows."""
    own = ~on_diagonal
    return points[own][np.argsort(index[own])]


def slice_matching(A: ArrayLike, B: ArrayLike, theta: float) -> SliceMatching:
    """Match two diagrams, each with the other's diagonal projections, along a line.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)
    theta : float
        The line's angle, in radians.

    Returns
    -------
    SliceMatching

    Examples
    --------
    >>> matching = slice_matching([(0, 1)], [(0, 2)], 0.0)
    >>> matching.source, matching.target, matching.cost
    (array([0., 1.]), array([0. , 0.5]), 0.5)
    """
    first, second = as_diagram(A), as_diagram(B)
    angles = _one_angle(theta)
    source = _sorted_side(first, second, angles)
    target = _sorted_side(second, first, angles)
    return SliceMatching(
        theta=float(angles[0]),
        source=source[0],
        target=target[0],
        source_points=source[1],
        target_points=target[1],
        source_on_diagonal=source[2],
        target_on_diagonal=target[2],
        source_index=source[3],
        target_index=target[3],
    )


def _one_angle(theta: float) -> Floats:
    angles = check_angles(theta)
    if len(angles) != 1:
        raise ParameterError("this takes one angle; slice_costs takes many")
    return angles


def _sorted_side(
    own: Diagram, other: Diagram, angle: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.intp]]:
    """Own points and the other's diagonal projections, in order along the line."""
    middle = other.sum(axis=1, keepdims=True) / 2
    coordinates = np.concatenate(
        [project(own, angle)[0][0], project(other, angle)[1][0]]
    )
    order = np.argsort(coordinates, kind="stable")
    points = np.concatenate([own, np.repeat(middle, 2, axis=1)])
    on_diagonal = np.arange(len(order)) >= len(own)
    index = np.concatenate([np.arange(len(own)), np.arange(len(other))])
    return coordinates[order], points[order], on_diagonal[order], index[order]


@dataclass(frozen=True, repr=False)
class StepFunction(Result):
    """A piecewise constant function that is 0 outside of its knots.

    Attributes
    ----------
    knots : ndarray of shape (k,)
        Strictly ascending.
    values : ndarray of shape (k,)
        The value from each knot up to the next; the last one is 0.
    """

    knots: Floats
    values: Floats

    @property
    def area(self) -> float:
        """The integral of the absolute value, which is the cost of a slice."""
        return float(np.abs(self.values[:-1]) @ np.diff(self.knots))

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {"knots": str(len(self.knots)), "area": f"{self.area:.4g}"}

    def frame(self) -> pd.DataFrame:
        """Return the steps as a data frame: columns knot and value."""
        return as_frame({"knot": self.knots, "value": self.values})


def step_function(
    A: ArrayLike, theta: float, minus: ArrayLike | None = None
) -> StepFunction:
    r"""Signed count of a diagram along a line, :math:`G_A` or :math:`G_A - G_B`.

    Parameters
    ----------
    A : array-like of shape (n, 2)
    theta : float
        The line's angle, in radians.
    minus : array-like of shape (m, 2), optional
        A second diagram B, whose :math:`G_B` is subtracted: the area under the
        absolute value is then the slice's cost.

    Returns
    -------
    StepFunction

    Examples
    --------
    >>> steps = step_function([(0, 1)], 0.0, minus=[(0, 2)])
    >>> steps.knots, steps.values
    (array([0.5, 1. ]), array([-1.,  0.]))
    """
    angles = _one_angle(theta)
    positions, jumps = [], []
    for diagram, sign in ((A, 1), (() if minus is None else minus, -1)):
        points, on_diagonal = project(as_diagram(diagram), angles)
        positions += [points[0], on_diagonal[0]]
        jumps += [np.full(points.size, sign), np.full(points.size, -sign)]
    knots, where = np.unique(np.concatenate(positions), return_inverse=True)
    jump = np.bincount(where, weights=np.concatenate(jumps), minlength=len(knots))
    return StepFunction(knots[jump != 0], np.cumsum(jump[jump != 0]))
