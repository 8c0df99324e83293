"""Random diagrams of known character: what tests and first steps need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from swviz.checks import check_choices, check_integer, check_number
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError, shown
from swviz.seeds import RandomState, as_generator, as_seed
from swviz.sources.parameters import Preset, check_total

MAX_POINTS = 10_000
MAX_TOTAL_POINTS = 5_000_000

GRID_STEPS = 10
"""Grid-like diagrams have coordinates 0, 1, ..., 10 times `scale`."""

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]


@dataclass(frozen=True)
class Family:
    """A way to draw the points of a diagram between 0 and about 1."""

    description: str
    draw: Draw


def _uniform(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    return np.sort(rng.random((count, 2)), axis=1)


def _clustered(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    centres = _uniform(rng, 4)
    points = centres[rng.integers(len(centres), size=count)]
    # Sorting reflects what falls below the diagonal back above it.
    return np.sort(points + rng.normal(0, 0.03, (count, 2)), axis=1)


def _near_diagonal(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    birth = rng.random(count)
    return np.stack([birth, birth + rng.exponential(0.02, count)], axis=1)


def _components(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    return np.stack([np.zeros(count), rng.gamma(4.0, 0.1, count)], axis=1)


def _grid(rng: np.random.Generator, count: int) -> NDArray[np.float64]:
    birth = rng.integers(0, GRID_STEPS, count)
    death = rng.integers(birth + 1, GRID_STEPS + 1)
    return np.stack([birth, death], axis=1).astype(np.float64)


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "uniform": Family("Uniform in the triangle above the diagonal", _uniform),
        "clustered": Family("Four clusters at random places", _clustered),
        "near-diagonal": Family("Noise: short lives at every birth", _near_diagonal),
        "H0-like": Family("All born at 0, like the components of a cloud", _components),
        "grid-like": Family(
            "Integer coordinates with many ties, like those of a picture", _grid
        ),
    }
)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "all families": Preset(
            "Ten diagrams of each family", {"family": tuple(FAMILIES), "n_diagrams": 10}
        ),
        "uniform": Preset("Points all over the triangle", {"family": "uniform"}),
        "signal and noise": Preset(
            "Clusters against noise near the diagonal",
            {"family": ("clustered", "near-diagonal")},
        ),
        "ties": Preset(
            "Integer coordinates: many equal points", {"family": "grid-like"}
        ),
    }
)


def random_diagrams(
    family: str | Sequence[str] = "uniform",
    n_diagrams: int = 20,
    n_points: int | tuple[int, int] = 50,
    *,
    scale: float = 1.0,
    dimension: int = 1,
    random_state: RandomState = 0,
) -> DiagramSet:
    """Draw random diagrams.

    Parameters
    ----------
    family : str or sequence of str, default="uniform"
        Any of "uniform", "clustered", "near-diagonal", "H0-like" and "grid-like"; see
        ``FAMILIES``. Each is a class.
    n_diagrams : int from 1 to 10000, default=20
        Diagrams per family.
    n_points : int from 0 to 10000, or pair of ints, default=50
        Points per diagram; a pair gives the range from which the number of points of
        each diagram is drawn, both ends included.
    scale : float from 1e-6 to 1e6, default=1.0
        Factor on all coordinates, which are between 0 and about 1 before it; those of
        "grid-like" are integers from 0 to 10.
    dimension : int from 0 to 10, default=1
        Homology dimension under which the set keeps the diagrams.
    random_state : int, RandomState instance, Generator or None, default=0

    Returns
    -------
    DiagramSet
        Labels are the families. Not cached: drawing is faster than reading.

    Examples
    --------
    >>> random_diagrams(["uniform", "H0-like"], n_diagrams=3, n_points=5)
    <DiagramSet of 6 samples (H1: 30 points), 2 classes>
    """
    families = check_choices(family, "family", FAMILIES)
    n_diagrams = check_integer(n_diagrams, "n_diagrams", 1, 10_000)
    fewest, most = _check_range(n_points)
    scale = check_number(scale, "scale", 1e-6, 1e6)
    dimension = check_integer(dimension, "dimension", 0, 10)
    check_total("points", len(families) * n_diagrams * most, MAX_TOTAL_POINTS)
    rng = as_generator(random_state)
    labels = np.repeat(families, n_diagrams)
    counts = rng.integers(fewest, most, size=len(labels), endpoint=True)
    return DiagramSet(
        {
            dimension: [
                scale * FAMILIES[label].draw(rng, count)
                for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
            ]
        },
        labels=labels,
        names=[
            f"{name} {index + 1}" for name in families for index in range(n_diagrams)
        ],
        provenance={
            "source": "random_diagrams",
            "family": list(families),
            "n_diagrams": n_diagrams,
            "n_points": [fewest, most],
            "scale": scale,
            "dimension": dimension,
            "random_state": as_seed(random_state),
        },
    )


def _check_range(n_points: int | tuple[int, int]) -> tuple[int, int]:
    if isinstance(n_points, Sequence):
        if len(n_points) != 2:
            raise ParameterError(
                "n_points must be a number or a pair (fewest, most), not "
                f"{shown(n_points)}"
            )
        fewest, most = (check_integer(n, "n_points", 0, MAX_POINTS) for n in n_points)
        if fewest > most:
            raise ParameterError(
                f"n_points must be (fewest, most), not {shown(n_points)}"
            )
        return fewest, most
    count = check_integer(n_points, "n_points", 0, MAX_POINTS)
    return count, count
