"""Point clouds sampled from simple shapes, with noise and outliers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from swviz.checks import (
    check_choice,
    check_choices,
    check_flag,
    check_integer,
    check_number,
    check_workers,
)
from swviz.diagrams import Diagram, DiagramSet
from swviz.errors import ParameterError, shown
from swviz.seeds import RandomState, as_generator, as_seed
from swviz.sources.origins import Cloud
from swviz.sources.parameters import Preset, check_total
from swviz.sources.persistence import alpha_diagrams, diagrams_of, rips_diagrams
from swviz.typing import Progress

MAX_POINTS = {"alpha": 5_000, "rips": 400, "rips with H2": 100}
"""Points per cloud: what takes less than about a second."""

FEWEST_POINTS = 4

MAX_TOTAL_POINTS = 2_000_000

Sample = Callable[[np.random.Generator, int], NDArray[np.float64]]


@dataclass(frozen=True)
class CloudShape:
    """A shape of size about 1 to sample points from."""

    description: str
    sample: Sample


def _ring(
    rng: np.random.Generator, count: int, radius: float = 1.0, x: float = 0.0
) -> NDArray[np.float64]:
    angle = rng.uniform(0, 2 * np.pi, count)
    return np.stack([x + radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def _two_rings(
    first: tuple[float, float],
    second: tuple[float, float],
    rng: np.random.Generator,
    count: int,
) -> NDArray[np.float64]:
    """Sample two rings, given as (radius, x), in proportion to their lengths."""
    of_first = round(count * first[0] / (first[0] + second[0]))
    return np.concatenate(
        [_ring(rng, of_first, *first), _ring(rng, count - of_first, *second)]
    )


def _annulus(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    # Area grows with the square of the radius, hence the square root.
    return np.sqrt(rng.uniform(0.5**2, 1, (count, 1))) * _ring(rng, count)


def _clusters(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    centres = np.array([(-0.8, -0.5), (0.8, -0.5), (0.0, 0.9)])
    return centres[np.arange(count) % 3] + rng.normal(0, 0.12, (count, 2))


def _sphere(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    points = rng.normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _torus(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Sample uniformly by area: the outer side of the tube has more of it."""
    major, minor = 1.0, 0.4
    tube = np.empty(0)
    while len(tube) < count:
        angle = rng.uniform(0, 2 * np.pi, 2 * count)
        accepted = rng.random(2 * count) * (major + minor) < major + minor * np.cos(
            angle
        )
        tube = np.concatenate([tube, angle[accepted]])
    tube = tube[:count]
    distance = (major + minor * np.cos(tube))[:, None]
    height = minor * np.sin(tube)
    return np.column_stack([distance * _ring(rng, count), height])


SHAPES: Mapping[str, CloudShape] = MappingProxyType(
    {
        "circle": CloudShape("One loop of radius 1", _ring),
        "two circles": CloudShape(
            "Two loops apart, of radii 1 and 0.6",
            partial(_two_rings, (1.0, -1.0), (0.6, 1.0)),
        ),
        "figure eight": CloudShape(
            "Two loops of radius 0.7 that touch",
            partial(_two_rings, (0.7, -0.7), (0.7, 0.7)),
        ),
        "annulus": CloudShape("A disc of radius 1 with a hole of radius 0.5", _annulus),
        "clusters": CloudShape("Three groups and no loop", _clusters),
        "torus": CloudShape("In space: two loops and a void", _torus),
        "sphere": CloudShape("In space: a void and no loop", _sphere),
    }
)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "small": Preset(
            "Four shapes of 40 points: diagrams small enough to drag points in",
            {"n_clouds": 6, "n_points": 40, "noise": 0.1},
        ),
        "four shapes": Preset(
            "The same, fifteen of each: enough to learn from",
            {"n_clouds": 15, "n_points": 40, "noise": 0.1},
        ),
        "loops": Preset(
            "No loop, one or two: five shapes in the plane",
            {
                "shapes": (
                    "circle",
                    "two circles",
                    "figure eight",
                    "annulus",
                    "clusters",
                )
            },
        ),
        "clean circle": Preset(
            "One long bar in H1 and hardly any noise",
            {"shapes": "circle", "noise": 0.01, "n_clouds": 5, "n_points": 100},
        ),
        "noisy circle": Preset(
            "How noise and outliers eat the loop",
            {"shapes": "circle", "noise": 0.15, "outliers": 0.1},
        ),
        "voids": Preset(
            "Torus and sphere in space, with H2",
            {"shapes": ("torus", "sphere"), "n_points": 500, "dimensions": (0, 1, 2)},
        ),
        "Rips": Preset(
            "The same circles by the Vietoris-Rips complex",
            {"shapes": ("circle", "figure eight"), "n_points": 80, "complex": "rips"},
        ),
    }
)


def most_points(complex: str, dimensions: Collection[int] = (0, 1)) -> int:
    """Return how many points a cloud may have.

    Parameters
    ----------
    complex : {"alpha", "rips"}
    dimensions : collection of int, default=(0, 1)
        Homology dimensions that are computed.

    Returns
    -------
    int

    Examples
    --------
    >>> most_points("alpha"), most_points("rips"), most_points("rips", (0, 1, 2))
    (5000, 400, 100)
    """
    with_h2 = " with H2" if complex == "rips" and 2 in dimensions else ""
    return MAX_POINTS[complex + with_h2]


def point_clouds(
    shapes: str | Sequence[str] = ("circle", "two circles", "figure eight", "clusters"),
    n_clouds: int = 10,
    n_points: int = 200,
    *,
    noise: float = 0.05,
    outliers: float = 0.0,
    complex: Literal["alpha", "rips"] = "alpha",
    max_edge: float = 2.0,
    dimensions: Sequence[int] = (0, 1),
    squared: bool = False,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> DiagramSet:
    """Point clouds around simple shapes and their diagrams.

    Parameters
    ----------
    shapes : str or sequence of str
        Any of "circle", "two circles", "figure eight", "annulus", "clusters", "torus"
        and "sphere"; see ``SHAPES``. Each is a class.
    n_clouds : int from 1 to 1000, default=10
        Clouds per shape.
    n_points : int from 4 to 5000, default=200
        Points per cloud, outliers included; at most 400 for "rips", and 100 with H2.
    noise : float from 0 to 1, default=0.05
        Standard deviation of the Gaussian noise on each coordinate.
    outliers : float from 0 to 1, default=0.0
        Share of the points that lie uniformly in a box around the shape instead.
    complex : {"alpha", "rips"}, default="alpha"
        Births and deaths are radii of balls around the points for "alpha", and lengths
        of edges (diameters) for "rips".
    max_edge : float from 0.01 to 4, default=2.0
        Longest edge of the Rips complex; what is alive at this length dies there.
    dimensions : sequence of int, default=(0, 1)
        Any of 0, 1 and 2.
    squared : bool, default=False
        For "alpha": squares of the radii, GUDHI's own values.
    random_state : int, RandomState instance, Generator or None, default=0
    n_jobs : int, optional
        Threads, as in joblib.
    progress : callable, optional
        Called with (clouds done, all clouds).
    cache : bool, default=True
        Keep the diagrams on disk when `random_state` is an integer.

    Returns
    -------
    DiagramSet
        Labels are the shapes, origins :class:`~swviz.sources.Cloud`. The component
        that never dies is left out of H0.

    Examples
    --------
    >>> rings = point_clouds("circle", n_clouds=3, n_points=100, cache=False)
    >>> loops = rings.in_dimension(1)
    >>> [int((loop[:, 1] - loop[:, 0] > 0.5).sum()) for loop in loops]
    [1, 1, 1]
    """
    several = check_choices(shapes, "shapes", SHAPES)
    complex = check_choice(complex, "complex", ("alpha", "rips"))  # type: ignore[assignment]
    dimensions = check_dimensions(dimensions)
    n_clouds = check_integer(n_clouds, "n_clouds", 1, 1000)
    n_points = check_integer(
        n_points, "n_points", FEWEST_POINTS, most_points(complex, dimensions)
    )
    noise = check_number(noise, "noise", 0.0, 1.0)
    outliers = check_number(outliers, "outliers", 0.0, 1.0)
    max_edge = check_number(max_edge, "max_edge", 0.01, 4.0)
    squared = check_flag(squared, "squared")
    if squared and complex == "rips":
        raise ParameterError('squared radii are for complex="alpha" only')
    check_workers(n_jobs)
    check_total("points", len(several) * n_clouds * n_points, MAX_TOTAL_POINTS)

    rng = as_generator(random_state)
    labels = np.repeat(several, n_clouds)
    clouds = [
        sample_cloud(shape, n_points, noise=noise, outliers=outliers, rng=rng)
        for shape in labels.tolist()
    ]
    diagrams_of_one: Callable[[NDArray[np.float64]], list[Diagram]]
    if complex == "alpha":
        own = {"complex": "alpha", "dimensions": list(dimensions), "squared": squared}
        diagrams_of_one = partial(
            alpha_diagrams, dimensions=dimensions, squared=squared
        )
    else:
        own = {"complex": "rips", "dimensions": list(dimensions), "max_edge": max_edge}
        diagrams_of_one = partial(
            rips_diagrams, dimensions=dimensions, max_edge=max_edge
        )
    diagrams = diagrams_of(
        clouds,
        diagrams_of_one,
        dimensions,
        recipe=own,
        inputs=clouds,
        n_jobs=n_jobs,
        progress=progress,
        cache=cache and as_seed(random_state) is not None,
    )
    return DiagramSet(
        diagrams,
        labels=labels,
        names=[
            f"{shape} {index + 1}" for shape in several for index in range(n_clouds)
        ],
        provenance={
            "source": "point_clouds",
            "shapes": list(several),
            "n_clouds": n_clouds,
            "n_points": n_points,
            "noise": noise,
            "outliers": outliers,
            **own,
            "random_state": as_seed(random_state),
        },
        origins=[Cloud(cloud) for cloud in clouds],
    )


def sample_cloud(
    shape: str,
    n_points: int,
    *,
    noise: float,
    outliers: float,
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Draw one cloud.

    Parameters
    ----------
    shape : str
        A key of ``SHAPES``.
    n_points : int
    noise, outliers : float
        As in :func:`point_clouds`.
    rng : Generator

    Returns
    -------
    ndarray of shape (n_points, 2) or (n_points, 3), read-only
    """
    n_outliers = round(outliers * n_points)
    # The box comes from a full sample, so that it is there even without inliers.
    sample = SHAPES[shape].sample(rng, n_points)
    low, high = sample.min(axis=0) - 0.25, sample.max(axis=0) + 0.25
    points = rng.permutation(sample + rng.normal(0, noise, sample.shape))
    points[:n_outliers] = rng.uniform(low, high, (n_outliers, sample.shape[1]))
    points.setflags(write=False)
    return points


def check_dimensions(dimensions: Sequence[int], highest: int = 2) -> tuple[int, ...]:
    """Return homology dimensions from 0 to the highest, ascending.

    Parameters
    ----------
    dimensions : sequence of int
    highest : int, default=2

    Returns
    -------
    tuple of int
    """
    if not np.iterable(dimensions):
        raise ParameterError(
            f"dimensions must be a list, such as (0, 1), not {shown(dimensions)}"
        )
    several = tuple(check_integer(k, "dimensions", 0, highest) for k in dimensions)
    if not several or len(set(several)) < len(several):
        known = "0, 1 and 2" if highest == 2 else "0 and 1"
        raise ParameterError(
            f"dimensions must be some of {known}, each once, not {shown(dimensions)}"
        )
    return tuple(sorted(several))
