"""Diagrams of clouds, pictures and functions by GUDHI, many at a time.

Clouds in the plane have theirs without GUDHI, too (:mod:`swviz.sources.plane`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from swviz.checks import check_workers
from swviz.diagrams import Diagram, as_diagram
from swviz.errors import MissingPackageError
from swviz.packages import load_package
from swviz.sources.cache import DiagramsByDimension, remembered
from swviz.sources.plane import plane_alpha
from swviz.typing import Progress

Essential = Literal["drop", "cap"]

_Sample = TypeVar("_Sample")

FIELD = 2
"""Homology with coefficients in Z/2; none of the spaces here has torsion to see."""

_PURPOSE = "Diagrams of clouds, pictures, functions and meshes"


def load_gudhi(module: str = "gudhi") -> Any:
    """Load GUDHI, which takes a while and may not be installed.

    Parameters
    ----------
    module : str, default="gudhi"
        One of its modules.

    Returns
    -------
    module
    """
    return load_package(module, _PURPOSE)


def diagrams_of(
    samples: Sequence[_Sample],
    diagrams_of_one: Callable[[_Sample], Sequence[Diagram]],
    dimensions: Sequence[int],
    *,
    recipe: Mapping[str, Any],
    inputs: Iterable[NDArray[Any]],
    n_jobs: int | None,
    progress: Progress | None,
    cache: bool,
) -> DiagramsByDimension:
    """Compute the diagrams of every sample, or fetch them from the cache.

    Parameters
    ----------
    samples : sequence
    diagrams_of_one : callable
        Gives the diagrams of one sample, one per entry of `dimensions`.
    dimensions : sequence of int
    recipe, inputs : mapping, iterable of ndarray
        What the diagrams depend on; see :func:`swviz.sources.cache.remembered`.
    n_jobs : int or None
        Threads (GUDHI works outside of the interpreter's lock), as in joblib.
    progress : callable or None
        Called with (done, total). What it raises ends the computation.
    cache : bool

    Returns
    -------
    dict of int to list of ndarray of shape (n_i, 2)
    """
    total = len(samples)

    def compute() -> DiagramsByDimension:
        diagrams: DiagramsByDimension = {dimension: [] for dimension in dimensions}
        workers = check_workers(n_jobs)
        # Rounds of tasks, not one stream, so that an exception from `progress` leaves
        # no task behind.
        together = 1 if workers == 1 else 8 * workers
        with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
            for start in range(0, total, together):
                results = parallel(
                    delayed(diagrams_of_one)(sample)
                    for sample in samples[start : start + together]
                )
                for result in results:
                    for dimension, diagram in zip(dimensions, result, strict=True):
                        diagrams[dimension].append(diagram)
                done = start + len(results)
                if progress is not None and done < total:
                    progress(done, total)
        return diagrams

    diagrams = remembered(recipe, inputs, compute) if cache else compute()
    if progress is not None:
        progress(total, total)
    return diagrams


def alpha_diagrams(
    points: NDArray[np.float64], dimensions: Sequence[int], squared: bool = False
) -> list[Diagram]:
    """Diagrams of the alpha complex: of the union of growing balls.

    A simplex enters at the radius of the balls that makes them meet, or with
    `squared` at that radius squared, which is GUDHI's own value. The component that
    never dies is left out. Points of the plane have diagrams without GUDHI, too.
    """
    try:
        complex_of_points = load_gudhi().AlphaComplex(points=points)
    except MissingPackageError:
        if points.shape[1] != 2:
            raise
        of_plane = [*plane_alpha(points), np.empty((0, 2))]
        diagrams = [of_plane[k] for k in dimensions]
    else:
        tree = complex_of_points.create_simplex_tree()
        tree.compute_persistence(homology_coeff_field=FIELD, min_persistence=0.0)
        diagrams = [tree.persistence_intervals_in_dimension(k) for k in dimensions]
    if not squared:
        diagrams = [np.sqrt(diagram) for diagram in diagrams]
    return [as_diagram(diagram, essential="drop") for diagram in diagrams]


def rips_diagrams(
    points: NDArray[np.float64], dimensions: Sequence[int], max_edge: float
) -> list[Diagram]:
    """Diagrams of the Vietoris-Rips complex up to an edge length.

    A simplex enters at the length of its longest edge. A class that outlives
    `max_edge` dies there; the component that would never die is left out.
    """
    # A module of its own, since it loads scikit-learn.
    transformer = load_gudhi("gudhi.sklearn").RipsPersistence(
        homology_dimensions=list(dimensions),
        threshold=max_edge,
        homology_coeff_field=FIELD,
    )
    diagrams = []
    results = transformer.fit_transform([points])[0]
    for dimension, result in zip(dimensions, results, strict=True):
        diagram = np.asarray(result, dtype=np.float64).reshape(-1, 2)
        if dimension == 0:
            last = np.flatnonzero(np.isinf(diagram[:, 1]))[-1]
            diagram = np.delete(diagram, last, axis=0)
        diagrams.append(as_diagram(diagram, essential=max_edge))
    return diagrams


def picture_diagram(values: NDArray[Any], essential: Essential) -> Diagram:
    """0-dimensional diagram of the sublevel sets of a picture."""
    return picture_diagrams(values, (0,), essential)[0]


def picture_diagrams(
    values: NDArray[Any], dimensions: Sequence[int], essential: Essential
) -> list[Diagram]:
    """Diagrams of the sublevel sets of a picture.

    Pixels are the squares of a cubical complex, so that pixels that touch in a
    corner are connected.
    """
    transformer = load_gudhi("gudhi.sklearn").CubicalPersistence(
        homology_dimensions=list(dimensions),
        homology_coeff_field=FIELD,
        min_persistence=0.0,
    )
    (diagrams,) = transformer.fit_transform([values.astype(np.float64)])
    return [settle(diagram, values, essential) for diagram in diagrams]


def path_diagram(values: NDArray[np.float64], essential: Essential) -> Diagram:
    """0-dimensional diagram of the sublevel sets of a function on a path."""
    complex_of_path = load_gudhi().CubicalComplex(vertices=values)
    complex_of_path.compute_persistence(homology_coeff_field=FIELD, min_persistence=0.0)
    return settle(
        complex_of_path.persistence_intervals_in_dimension(0), values, essential
    )


def settle(
    diagram: NDArray[np.float64], values: NDArray[Any], essential: Essential
) -> Diagram:
    """Drop the classes that never die, or let them die at the greatest value."""
    return as_diagram(
        np.asarray(diagram, dtype=np.float64).reshape(-1, 2),
        essential="drop" if essential == "drop" else float(values.max()),
    )
