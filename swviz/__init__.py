"""See, compute and use the sliced Wasserstein kernel for persistence diagrams.

The names below are the library. Importing it loads no plotting library: `swviz.plot`
does when it draws its first picture, and the dashboard lives in `swviz.app`.
"""

from swviz import plot, sources
from swviz.diagrams import DiagramSet, as_diagram
from swviz.directions import directions
from swviz.distances import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz.embedding import SlicedWassersteinEmbedding
from swviz.errors import DiagramError, DiagramFileError, ParameterError, SwvizError
from swviz.exact import balanced_segments, sliced_wasserstein_exact
from swviz.files import load, save
from swviz.kernels import (
    DiagramDistanceKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
    UniversalKernel,
    rkhs_distance,
)
from swviz.learning import mmd_test, sigma_grid
from swviz.matchings import diagram_distance, diagram_matching
from swviz.slices import (
    slice_costs,
    slice_matching,
    sliced_wasserstein,
    step_function,
)

__all__ = [
    "DiagramDistanceKernel",
    "DiagramError",
    "DiagramFileError",
    "DiagramSet",
    "ParameterError",
    "PersistenceScaleSpaceKernel",
    "PersistenceWeightedGaussianKernel",
    "SlicedWassersteinEmbedding",
    "SlicedWassersteinKernel",
    "SwvizError",
    "UniversalKernel",
    "as_diagram",
    "balanced_segments",
    "diagram_distance",
    "diagram_distance_matrix",
    "diagram_matching",
    "directions",
    "load",
    "mmd_test",
    "plot",
    "rkhs_distance",
    "save",
    "sigma_grid",
    "slice_costs",
    "slice_matching",
    "sliced_wasserstein",
    "sliced_wasserstein_exact",
    "sliced_wasserstein_matrix",
    "sources",
    "step_function",
]
