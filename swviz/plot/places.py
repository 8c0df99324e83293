"""Where things stand in pictures of diagrams, for `swviz.plot` and for the live ones.

This module loads no plotting library.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from swviz.diagrams import Diagram
from swviz.sources import Function, MeshPoint
from swviz.typing import Floats


def span(values: Any, margin: float = 0.08) -> tuple[float, float]:
    """Return an axis that holds all values, with a margin, never of no length.

    Parameters
    ----------
    values : array-like
        NaN and infinite ones are left out.
    margin : float, default=0.08

    Returns
    -------
    low, high : float
    """
    given = np.asarray(values, dtype=np.float64).ravel()
    given = given[np.isfinite(given)]
    low, high = (given.min(), given.max()) if len(given) else (0.0, 1.0)
    # Also where numbers are so large that 0.5 is rounded away.
    reach = max(abs(low), abs(high))
    room = max(margin * (high - low) or 0.5, 4 * np.spacing(reach))
    return float(low - room), float(high + room)


def plane_span(*diagrams: Diagram) -> tuple[float, float]:
    """Range of both axes that shows all points with a margin.

    Parameters
    ----------
    *diagrams : ndarrays of shape (n_i, 2)
    """
    return span(np.concatenate([np.empty((0, 2)), *diagrams]))


def bar_ranks(diagram: Diagram) -> Floats:
    """Return the numbers of the bars of a diagram: 1 is the longest.

    Parameters
    ----------
    diagram : ndarray of shape (n, 2)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> bar_ranks(np.array([(0, 1), (0, 3)]))
    array([2., 1.])
    """
    ranks = np.empty(len(diagram))
    order = np.argsort(diagram[:, 0] - diagram[:, 1], kind="stable")
    ranks[order] = np.arange(1.0, len(diagram) + 1)
    return ranks


def ball_radius(level: float, provenance: Mapping[str, Any]) -> float:
    """Radius of the balls at a level, by what the values of the filtration mean.

    Parameters
    ----------
    level : float
    provenance : mapping of str to object
        Of the set of diagrams.

    Examples
    --------
    >>> ball_radius(0.25, {}), ball_radius(0.25, {"squared": True})
    (0.25, 0.5)
    """
    level = max(level, 0.0)
    if provenance.get("complex") == "rips":
        return level / 2
    return float(np.sqrt(level)) if provenance.get("squared") else level


def cloud_places(points: Floats) -> Floats:
    """Return where the points of a cloud are drawn.

    Parameters
    ----------
    points : ndarray of shape (n, 2) or (n, 3)
        Those in space are seen from the side and a little from above, as one looks at
        a model on a table.

    Returns
    -------
    ndarray of shape (n, 2)
    """
    if points.shape[1] != 3:
        return points
    tilt = np.deg2rad(35)
    return np.column_stack(
        [points[:, 0], np.cos(tilt) * points[:, 2] + np.sin(tilt) * points[:, 1]]
    )


def fine_graph(function: Function) -> tuple[Floats, Floats]:
    """Return a graph so fine that it can be cut where it crosses a level.

    Parameters
    ----------
    function : Function

    Returns
    -------
    x, y : ndarrays of shape (k,)
        The knots and what lies between them.
    """
    ends = np.linspace(function.x[0], function.x[-1], 600)
    x = np.union1d(function.x, ends)
    return x, function(x)


def mesh_places(origin: MeshPoint) -> tuple[Floats, Floats, Floats]:
    """Return where the vertices of a mesh are drawn, those in front last.

    Parameters
    ----------
    origin : MeshPoint

    Returns
    -------
    places : ndarray of shape (n, 2)
        Upright: the longest extent is the height, the next one the width.
    distances : ndarray of shape (n,)
        In the order of the places.
    base : ndarray of shape (2,)
        Where the distances are from.
    """
    vertices = origin.mesh.vertices
    depth, across, up = np.argsort(np.ptp(vertices, axis=0))
    order = np.argsort(vertices[:, depth])
    flat = vertices[:, [across, up]]
    return flat[order], origin.distances[order], flat[origin.vertex]
