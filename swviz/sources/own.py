"""One's own data, turned into diagrams: clouds, pictures and functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist

from swviz.checks import (
    check_choice,
    check_flag,
    check_not_negative,
    check_positive,
    check_workers,
)
from swviz.diagrams import Diagram, DiagramSet, as_diagram
from swviz.errors import ParameterError, shown
from swviz.seeds import RandomState, as_generator
from swviz.sources.clouds import check_dimensions, most_points
from swviz.sources.origins import Cloud, Function, Image
from swviz.sources.parameters import check_total
from swviz.sources.patterns import PATTERNS
from swviz.sources.persistence import (
    Essential,
    alpha_diagrams,
    diagrams_of,
    path_diagram,
    picture_diagrams,
    rips_diagrams,
)
from swviz.typing import Floats, Progress

MAX_PIXELS = 4_000_000
MAX_KNOTS = 1_000_000

_LARGEST = 1e100
"""Coordinates and values, the squares of which GUDHI can still add."""


def from_cloud(
    points: ArrayLike | Sequence[ArrayLike],
    complex: Literal["alpha", "rips"] = "alpha",
    dimensions: Sequence[int] = (0, 1),
    *,
    max_edge: float | None = None,
    squared: bool = False,
    labels: Any = None,
    names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> DiagramSet:
    """Diagrams of your own point cloud, or of several.

    Parameters
    ----------
    points : array-like of shape (n, 2) or (n, 3), or list of them
        At most 5000 points a cloud; at most 400 for "rips", and 100 with H2.
    complex : {"alpha", "rips"}, default="alpha"
        Births and deaths are radii of balls around the points for "alpha", and lengths
        of edges (diameters) for "rips".
    dimensions : sequence of int, default=(0, 1)
        Any of 0, 1 and 2.
    max_edge : float, optional
        Longest edge of the Rips complex; what is alive at this length dies there. By
        default the greatest distance of two points, at which nothing is alive.
    squared : bool, default=False
        For "alpha": squares of the radii, GUDHI's own values.
    labels : array-like of shape (n_clouds,), optional
        The class of each cloud.
    names : sequence of str, optional
    n_jobs : int, optional
        Threads, as in joblib.
    progress : callable, optional
        Called with (clouds done, all clouds).

    Returns
    -------
    DiagramSet
        A sample for each cloud, origins :class:`~swviz.sources.Cloud`. The component
        that never dies is left out of H0.

    See Also
    --------
    point_clouds : clouds drawn at random.
    swviz.files.load_cloud : a cloud from a file.

    Examples
    --------
    >>> square = from_cloud([(0, 0), (1, 0), (1, 1), (0, 1)])
    >>> square
    <DiagramSet of 1 samples (H0: 3 points, H1: 1 points)>
    >>> square.in_dimension(1)[0].round(3)
    array([[0.5  , 0.707]])
    """
    check_choice(complex, "complex", ("alpha", "rips"))
    degrees = check_dimensions(dimensions)
    squared = check_flag(squared, "squared")
    if squared and complex == "rips":
        raise ParameterError('squared radii are for complex="alpha" only')
    if max_edge is not None:
        max_edge = check_positive(max_edge, "max_edge")
    check_workers(n_jobs)
    clouds = [
        _check_cloud(cloud, most_points(complex, degrees))
        for cloud in _as_several(points, 2, "a cloud", "(n, 2) or (n, 3)")
    ]
    own: dict[str, Any] = {"complex": complex, "dimensions": list(degrees)}
    of_one: Callable[[Floats], list[Diagram]]
    if complex == "alpha":
        own["squared"] = squared
        of_one = partial(alpha_diagrams, dimensions=degrees, squared=squared)
    else:
        own["max_edge"] = max_edge
        of_one = partial(_rips_of, dimensions=degrees, max_edge=max_edge)
    return _set_of(
        [Cloud(cloud) for cloud in clouds],
        lambda one: of_one(one.points),
        degrees,
        ("cloud", {"source": "from_cloud", **own}),
        (labels, names),
        n_jobs,
        progress,
    )


def _rips_of(
    cloud: Floats, dimensions: Sequence[int], max_edge: float | None
) -> list[Diagram]:
    longest = float(pdist(cloud).max(initial=0.0)) if max_edge is None else max_edge
    return rips_diagrams(cloud, dimensions, longest)


def _check_cloud(cloud: NDArray[Any], most: int) -> Floats:
    if cloud.shape[1] not in (2, 3):
        raise ParameterError(
            f"a cloud must have shape (n, 2) or (n, 3), not {cloud.shape}"
        )
    if not 1 <= len(cloud) <= most:
        raise ParameterError(
            f"a cloud of this kind may have 1 to {most} points, not {len(cloud)}: draw "
            "some of them at random"
        )
    return _frozen(cloud)


def from_picture(
    pixels: ArrayLike | Sequence[ArrayLike],
    patterns: Literal["default", "ror", "uniform"] | None = None,
    dimensions: Sequence[int] = (0,),
    *,
    essential: Essential = "drop",
    labels: Any = None,
    names: Sequence[str] | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> DiagramSet:
    """Diagrams of your own grey picture, or of several, by sublevel sets.

    Parameters
    ----------
    pixels : array-like of shape (height, width), or list of them
        Grey levels; dark pixels come first.
    patterns : {"default", "ror", "uniform"}, optional
        Filter the local binary patterns instead of the grey levels, as the paper does;
        see :func:`textures`. Grey levels are to be whole numbers from 0 to 255 then.
    dimensions : sequence of int, default=(0,)
        0, for dark spots, 1, for bright spots that dark surrounds, or both.
    essential : {"drop", "cap"}, default="drop"
        The component of the lowest value never dies: leave it out, or let it die at
        the highest value of the picture.
    labels : array-like of shape (n_pictures,), optional
        The class of each picture.
    names : sequence of str, optional
    n_jobs : int, optional
        Threads, as in joblib.
    progress : callable, optional
        Called with (pictures done, all pictures).

    Returns
    -------
    DiagramSet
        A sample for each picture, origins :class:`~swviz.sources.Image`. Pixels that
        touch in a corner are connected.

    See Also
    --------
    swviz.files.load_image : the grey levels of a PNG file.

    Examples
    --------
    >>> dark_and_ring = [[9, 9, 9, 9, 9], [2, 9, 1, 1, 1], [9, 9, 1, 5, 1],
    ...                  [9, 9, 1, 1, 1]]
    >>> found = from_picture(dark_and_ring, dimensions=(0, 1))
    >>> found.in_dimension(0)[0].tolist(), found.in_dimension(1)[0].tolist()
    ([[2.0, 9.0]], [[1.0, 5.0]])
    """
    if patterns is not None:
        check_choice(patterns, "patterns", PATTERNS)
    degrees = check_dimensions(dimensions, highest=1)
    check_choice(essential, "essential", ("drop", "cap"))
    check_workers(n_jobs)
    _refuse_colours(pixels)
    images = [
        Image(_check_picture(picture, patterns), patterns)
        for picture in _as_several(pixels, 2, "a picture", "(height, width)")
    ]
    of_one = partial(_diagrams_of_image, dimensions=degrees, essential=essential)
    own = {
        "source": "from_picture",
        "patterns": patterns,
        "dimensions": list(degrees),
        "essential": essential,
    }
    return _set_of(
        images, of_one, degrees, ("picture", own), (labels, names), n_jobs, progress
    )


def _refuse_colours(pixels: Any) -> None:
    shape: tuple[int, ...] = getattr(pixels, "shape", ())
    if len(shape) == 3 and shape[2] in (3, 4):
        raise ParameterError(
            f"an array of shape {shape} looks like a picture in colours: take the mean "
            "over its last axis, pixels.mean(axis=2), or give a list of pictures"
        )


def _diagrams_of_image(
    image: Image, dimensions: Sequence[int], essential: Essential
) -> list[Diagram]:
    return picture_diagrams(image.descriptor, dimensions, essential)


def _check_picture(picture: NDArray[Any], patterns: str | None) -> NDArray[Any]:
    if not picture.size:
        raise ParameterError(
            f"a picture has pixels; this one has shape {picture.shape}"
        )
    check_total("pixels of a picture", picture.size, MAX_PIXELS)
    if patterns is None:
        return _frozen(picture)
    if min(picture.shape) < 3:
        raise ParameterError(
            f"patterns compare neighbours: 3 x 3 pixels at least, not {picture.shape}"
        )
    levels = picture.astype(np.uint8)
    if (levels != picture).any():
        raise ParameterError(
            "patterns are of grey levels that are whole numbers from 0 to 255: scale "
            "and round the picture, or leave out patterns"
        )
    return _frozen(levels)


def from_function(
    values: ArrayLike | Sequence[ArrayLike],
    x: ArrayLike | None = None,
    *,
    essential: Essential = "cap",
    labels: Any = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> DiagramSet:
    """Diagrams of your own function on an interval, or of several, by sublevel sets.

    Parameters
    ----------
    values : array-like of shape (n,), or list of them
        The function at its knots; it is linear between them.
    x : array-like of shape (n,), optional
        The knots, ascending; evenly spaced from 0 to 1 by default. They matter to
        pictures only.
    essential : {"cap", "drop"}, default="cap"
        The component of the global minimum never dies: let it die at the global
        maximum, or leave it out.
    labels : array-like of shape (n_functions,), optional
        The class of each function.
    names : sequence of str, optional
    progress : callable, optional
        Called with (functions done, all functions).

    Returns
    -------
    DiagramSet
        Dimension 0, a sample for each function, origins
        :class:`~swviz.sources.Function`.

    See Also
    --------
    stability : both sides of the stability theorem for two of the origins.

    Examples
    --------
    >>> valleys = from_function([2, 0, 3, 1, 4])
    >>> sorted(valleys.in_dimension(0)[0].tolist())
    [[0.0, 4.0], [1.0, 3.0]]
    """
    check_choice(essential, "essential", ("cap", "drop"))
    functions = [
        Function(_check_knots(x, len(one)), _check_values(one))
        for one in _as_several(values, 1, "a function", "(n,)")
    ]
    return _set_of(
        functions,
        lambda one: [path_diagram(one.y, essential)],
        (0,),
        ("function", {"source": "from_function", "essential": essential}),
        (labels, names),
        None,
        progress,
    )


def _check_values(values: NDArray[Any]) -> Floats:
    check_total("knots of a function", len(values), MAX_KNOTS)
    if not len(values):
        raise ParameterError("a function has a value at one knot at least")
    return _frozen(values)


def _check_knots(x: ArrayLike | None, count: int) -> Floats:
    if x is None:
        return _frozen(np.linspace(0, 1, count))
    (knots,) = _as_several(x, 1, "x", "(n,)")
    if len(knots) != count or (np.diff(knots) <= 0).any():
        raise ParameterError(
            f"x must be ascending, as many numbers as the function has values: {count}"
        )
    return _frozen(knots)


def perturb(
    diagram: ArrayLike, scale: float, random_state: RandomState = None
) -> Diagram:
    r"""Move every point of a diagram a little, and none of them far.

    Parameters
    ----------
    diagram : array-like of shape (n, 2)
    scale : float
        How far births and deaths may move, at least 0.
    random_state : int, RandomState instance, Generator or None, default=None

    Returns
    -------
    ndarray of shape (n, 2), read-only
        Row k is where point k went: uniformly within `scale` of it in the max norm, and
        reflected at the diagonal where it would be below. So
        :math:`d_\infty(D, D') \le scale` and :math:`d_1(D, D') \le n \cdot scale`.

    Examples
    --------
    >>> A = [(0, 1), (0.4, 0.5)]
    >>> moved = perturb(A, 0.1, random_state=0)
    >>> bool(np.abs(moved - A).max() <= 0.1), bool((moved[:, 0] <= moved[:, 1]).all())
    (True, True)
    """
    points = as_diagram(diagram)
    scale = check_not_negative(scale, "scale")
    moved = points + scale * as_generator(random_state).uniform(-1, 1, points.shape)
    # A sum may be rounded away from its point, by less than one step of a float.
    moved = np.where(np.abs(moved - points) > scale, np.nextafter(moved, points), moved)
    # A birth and a death that have crossed may be exchanged: death - scale <= new death
    # < new birth <= birth + scale, so that both are within the scale of either.
    return as_diagram(np.sort(moved, axis=1))


def _as_several(given: Any, ndim: int, what: str, shape: str) -> list[NDArray[Any]]:
    """Return the arrays of one thing, or of a list of things, of finite numbers."""
    several = [_as_array(given)]
    if several[0] is None or several[0].ndim == ndim + 1:
        several = [_as_array(one) for one in given] if np.iterable(given) else [None]
    found = []
    for one in several:
        if one is None or one.ndim != ndim:
            wrong = shown(given) if one is None else f"one of shape {one.shape}"
            raise ParameterError(
                f"{what} is an array of numbers of shape {shape}, not {wrong}"
            )
        if not (np.abs(one) <= _LARGEST).all():
            raise ParameterError(
                f"{what} has entries that are NaN, infinite or beyond {_LARGEST:g}: "
                "leave them out, or rescale it"
            )
        found.append(one)
    if not found:
        raise ParameterError(f"there is nothing here: give {what} at least")
    return found


def _as_array(given: Any) -> NDArray[Any] | None:
    """Return an array of real numbers, None if this is none."""
    try:
        array = np.asarray(given)
    except ValueError:
        return None
    return array if array.dtype.kind in "iuf" else None


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a copy that nobody can change: grey levels as bytes, the rest as float."""
    kept = np.array(array, dtype=None if array.dtype == np.uint8 else np.float64)
    kept.setflags(write=False)
    return kept


def _set_of(
    origins: Sequence[Any],
    of_one: Callable[[Any], Sequence[Diagram]],
    dimensions: Sequence[int],
    kind: tuple[str, Mapping[str, Any]],
    given: tuple[Any, Sequence[str] | None],
    n_jobs: int | None,
    progress: Progress | None,
) -> DiagramSet:
    """Compute the diagrams of what somebody has brought.

    Parameters
    ----------
    origins : sequence
    of_one : callable
        The diagrams of one of them, one per entry of `dimensions`.
    dimensions : sequence of int
    kind : (str, mapping)
        What each is called, and where the set comes from.
    given : (array-like or None, sequence of str or None)
        Labels and names.
    n_jobs, progress
        As in :func:`from_cloud`.
    """
    (word, provenance), (labels, names), count = kind, given, len(origins)
    if names is None:
        names = [word] if count == 1 else [f"{word} {k + 1}" for k in range(count)]
    diagrams = diagrams_of(
        origins,
        of_one,
        dimensions,
        recipe={},
        inputs=(),
        n_jobs=n_jobs,
        progress=progress,
        cache=False,
    )
    return DiagramSet(
        diagrams,
        labels=labels,
        names=[names] if isinstance(names, str) else names,
        provenance=provenance,
        origins=origins,
    )
