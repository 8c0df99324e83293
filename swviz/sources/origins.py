"""What a sample was computed from: enough to draw it beside its diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.sources.meshes import TriangleMesh
from swviz.sources.patterns import binary_patterns

Subset = Literal["train", "test"]
"""The side of a fixed split on which a sample falls."""


@dataclass(frozen=True, eq=False)
class Cloud:
    """A point cloud, of shape (n_points, 2) or (n_points, 3)."""

    points: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Image:
    """A grey picture, and the kind of local binary patterns that describe it."""

    pixels: NDArray[np.uint8]
    patterns: str = "default"
    subset: Subset | None = None

    @property
    def descriptor(self) -> NDArray[np.uint8]:
        """The codes whose sublevel sets were filtered; computed when asked for."""
        return binary_patterns(self.pixels, self.patterns)


@dataclass(frozen=True, eq=False)
class Function:
    """A piecewise-linear function: values `y` at the increasing knots `x`."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Value of the function at each `x`, constant beyond its ends."""
        return np.interp(x, self.x, self.y)


@dataclass(frozen=True, eq=False)
class MeshPoint:
    """A vertex of a mesh, the source of a geodesic distance.

    Samples of one mesh share the mesh; the distances are computed when they are
    asked for, because a thousand samples would hold a hundred megabytes of them.
    """

    mesh: TriangleMesh
    vertex: int
    subset: Subset | None = None

    @property
    def distances(self) -> NDArray[np.float64]:
        """Geodesic distance from the vertex to every vertex of the mesh."""
        distances: NDArray[np.float64] = self.mesh.distances_from([self.vertex])[0]
        return distances


def train_test(diagrams: DiagramSet) -> tuple[DiagramSet, DiagramSet]:
    """Part a set along the fixed split that it came with.

    Parameters
    ----------
    diagrams : DiagramSet
        From :func:`swviz.sources.shapes`, or from :func:`swviz.sources.textures` on
        a folder in OUTEX's layout, or any part of such a set.

    Returns
    -------
    train, test : DiagramSet
    """
    subsets: list[Any] = [
        getattr(origin, "subset", None) for origin in diagrams.origins or ()
    ]
    if not subsets or None in subsets:
        raise ParameterError(
            "this set has no fixed split into train and test; split it at random, "
            "e.g. with sklearn.model_selection.train_test_split on its indices"
        )
    is_train = np.array(subsets) == "train"
    return diagrams[is_train], diagrams[~is_train]
