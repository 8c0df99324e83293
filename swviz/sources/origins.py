"""What a sample was computed from: enough to draw it beside its diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.results import Result, as_frame, draw
from swviz.sources.meshes import TriangleMesh
from swviz.sources.patterns import binary_patterns

if TYPE_CHECKING:
    import pandas as pd

Subset = Literal["train", "test"]
"""The side of a fixed split on which a sample falls."""


class Origin(Result):
    """What one sample was computed from."""

    def plot(self, level: float | None = None, **options: Any) -> Any:
        """Draw it, perhaps at a level of its filtration.

        Parameters
        ----------
        level : float, optional
        **options
            Of :func:`swviz.plot.origin`.

        Returns
        -------
        hv.Overlay
        """
        return draw("origin", self, level=level, **options)


@dataclass(frozen=True, eq=False, repr=False)
class Cloud(Origin):
    """A point cloud, of shape (n_points, 2) or (n_points, 3)."""

    points: NDArray[np.float64]

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {"points": f"{len(self.points)} in {self.points.shape[1]}D"}

    def frame(self) -> pd.DataFrame:
        """Return the points as a data frame: columns x, y and perhaps z."""
        return as_frame(dict(zip("xyz", self.points.T, strict=False)))


@dataclass(frozen=True, eq=False, repr=False)
class Image(Origin):
    """A grey picture, and the kind of local binary patterns that describe it.

    Without patterns the grey levels are filtered themselves, which may be any numbers.
    """

    pixels: NDArray[Any]
    patterns: str | None = "default"
    subset: Subset | None = None

    @property
    def descriptor(self) -> NDArray[Any]:
        """The numbers whose sublevel sets were filtered; computed when asked for."""
        if self.patterns is None:
            return self.pixels
        return binary_patterns(self.pixels, self.patterns)

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        height, width = self.pixels.shape
        patterns = "none" if self.patterns is None else self.patterns
        return {"pixels": f"{width} x {height}", "patterns": patterns}


@dataclass(frozen=True, eq=False, repr=False)
class Function(Origin):
    """A piecewise-linear function: values `y` at the increasing knots `x`."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """Value of the function at each `x`, constant beyond its ends."""
        return np.interp(x, self.x, self.y)

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        low, high = self.y.min(), self.y.max()
        return {"knots": str(len(self.x)), "values": f"{low:.4g} to {high:.4g}"}

    def frame(self) -> pd.DataFrame:
        """Return the knots as a data frame: columns x and y."""
        return as_frame({"x": self.x, "y": self.y})


@dataclass(frozen=True, eq=False, repr=False)
class MeshPoint(Origin):
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

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        count = len(self.mesh.vertices)
        return {"vertex": f"{self.vertex} of {count}"}


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
