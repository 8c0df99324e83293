"""Orbits of the linked twist map, the paper's Section 4.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swviz.checks import check_flag, check_integer, check_number, check_workers
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.seeds import RandomState, as_generator, as_seed
from swviz.sources.origins import Cloud
from swviz.sources.parameters import Preset, check_total
from swviz.sources.persistence import alpha_diagrams, diagrams_of
from swviz.typing import Progress

PAPER_R = (2.5, 3.5, 4.0, 4.1, 4.3)
"""The parameters of the paper's five classes."""

MAX_POINTS = 5_000
MAX_TOTAL_POINTS = 5_000_000

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "five classes": Preset(
            "The paper's five parameters r, twenty orbits each",
            {"n_orbits": 20},
        ),
        "paper": Preset(
            "The paper's task: 100 orbits of 1000 points for each of five r",
            {"n_orbits": 100},
        ),
        "void or none": Preset(
            "r = 3.5 fills the square, r = 4.3 leaves voids: one loop tells them apart",
            {"r": (3.5, 4.3), "n_orbits": 30},
        ),
        "hard pair": Preset(
            "r = 4.0 and r = 4.1 look alike",
            {"r": (4.0, 4.1), "n_orbits": 30},
        ),
        "few points": Preset(
            "Orbits of 200 points: diagrams small enough to read point by point",
            {"n_orbits": 10, "n_points": 200},
        ),
    }
)


def orbits(
    r: float | Sequence[float] = PAPER_R,
    n_orbits: int = 20,
    n_points: int = 1000,
    *,
    squared: bool = False,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> DiagramSet:
    r"""Orbits of the linked twist map and their alpha-complex diagrams, H0 and H1.

    Parameters
    ----------
    r : float or sequence of floats in [0, 10], default=(2.5, 3.5, 4.0, 4.1, 4.3)
        One class of orbits for each.
    n_orbits : int from 1 to 1000, default=20
        Orbits per class, each from a random start in the unit square.
    n_points : int from 3 to 5000, default=1000
        Points per orbit; the start is the first.
    squared : bool, default=False
        Births and deaths are radii of balls around the points; True gives their
        squares, GUDHI's own values.
    random_state : int, RandomState instance, Generator or None, default=0
    n_jobs : int, optional
        Threads, as in joblib.
    progress : callable, optional
        Called with (orbits done, all orbits).
    cache : bool, default=True
        Keep the diagrams on disk when `random_state` is an integer.

    Returns
    -------
    DiagramSet
        Dimensions 0 and 1, labels `r`, origins :class:`~swviz.sources.Cloud`. The
        component that never dies is left out of H0.

    Notes
    -----
    The map of the paper's Section 4.2, where y is updated with the new x:

    .. math:: x_{n+1} = x_n + r y_n (1 - y_n) \bmod 1, \quad
              y_{n+1} = y_n + r x_{n+1} (1 - x_{n+1}) \bmod 1

    Examples
    --------
    >>> few = orbits(r=(3.5, 4.3), n_orbits=2, n_points=100, cache=False)
    >>> len(few), few.dimensions, few.labels.tolist()
    (4, (0, 1), [3.5, 3.5, 4.3, 4.3])
    """
    several_r = _check_r(r)
    n_orbits = check_integer(n_orbits, "n_orbits", 1, 1000)
    n_points = check_integer(n_points, "n_points", 3, MAX_POINTS)
    squared = check_flag(squared, "squared")
    check_workers(n_jobs)
    check_total("points", len(several_r) * n_orbits * n_points, MAX_TOTAL_POINTS)
    labels = np.repeat(several_r, n_orbits)
    starts = as_generator(random_state).random((len(labels), 2))
    points = linked_twist_map(labels, starts, n_points)
    diagrams = diagrams_of(
        list(points),
        partial(alpha_diagrams, dimensions=(0, 1), squared=squared),
        (0, 1),
        recipe={"complex": "alpha", "dimensions": [0, 1], "squared": squared},
        inputs=[points],
        n_jobs=n_jobs,
        progress=progress,
        cache=cache and as_seed(random_state) is not None,
    )
    return DiagramSet(
        diagrams,
        labels=labels,
        names=[
            f"r = {parameter:g}, orbit {index + 1}"
            for parameter in several_r
            for index in range(n_orbits)
        ],
        provenance={
            "source": "orbits",
            "r": list(several_r),
            "n_orbits": n_orbits,
            "n_points": n_points,
            "squared": squared,
            "random_state": as_seed(random_state),
        },
        origins=[Cloud(orbit) for orbit in points],
    )


def linked_twist_map(
    r: ArrayLike, starts: ArrayLike, n_points: int
) -> NDArray[np.float64]:
    """Advance several orbits of the linked twist map together.

    Parameters
    ----------
    r : array-like of shape (n_orbits,)
    starts : array-like of shape (n_orbits, 2)
    n_points : int

    Returns
    -------
    ndarray of shape (n_orbits, n_points, 2), read-only
        The first point of each orbit is its start.
    """
    r = np.asarray(r, dtype=np.float64)
    x, y = np.asarray(starts, dtype=np.float64).T
    points = np.empty((len(r), n_points, 2))
    points[:, 0, 0], points[:, 0, 1] = x, y
    for index in range(1, n_points):
        x = (x + r * y * (1 - y)) % 1
        y = (y + r * x * (1 - x)) % 1
        points[:, index, 0], points[:, index, 1] = x, y
    points.setflags(write=False)
    return points


def _check_r(r: float | Sequence[float]) -> tuple[float, ...]:
    several = (r,) if np.isscalar(r) else tuple(r)  # type: ignore[arg-type]
    if not 1 <= len(several) <= 20:
        raise ParameterError(f"r must hold 1 to 20 values, not {len(several)}")
    several = tuple(check_number(value, "r", 0.0, 10.0) for value in several)
    if len(set(several)) < len(several):
        raise ParameterError(f"r repeats a value, but each is a class: {several}")
    return several
