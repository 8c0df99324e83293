"""See, compute and use the sliced Wasserstein kernel for persistence diagrams.

The names below are the library. Each is loaded when it is first asked for, with what it
needs: distances need NumPy and SciPy, kernels scikit-learn, diagrams of one's own data
GUDHI, pictures HoloViews. The dashboard lives in `swviz.app`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# A function with the name of its module: it must be there before that module is.
from swviz.directions import directions
from swviz.errors import (
    DiagramError,
    DiagramFileError,
    MissingPackageError,
    ParameterError,
    SwvizError,
)

if TYPE_CHECKING:
    from swviz import files, kernels, learning, lessons, plot, sources, studies
    from swviz.diagrams import DiagramSet, as_diagram
    from swviz.distances import diagram_distance_matrix, sliced_wasserstein_matrix
    from swviz.embedding import SlicedWassersteinEmbedding
    from swviz.exact import balanced_segments, sliced_wasserstein_exact
    from swviz.files import load, save
    from swviz.flows import sliced_flow, sliced_mean, sliced_means
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
    from swviz.notebooks import notebook
    from swviz.slices import (
        slice_costs,
        slice_matching,
        sliced_wasserstein,
        step_function,
    )

_ROOMS = ("files", "kernels", "learning", "lessons", "plot", "sources", "studies")

_PLACES = {
    "diagrams": ("DiagramSet", "as_diagram"),
    "distances": ("diagram_distance_matrix", "sliced_wasserstein_matrix"),
    "embedding": ("SlicedWassersteinEmbedding",),
    "exact": ("balanced_segments", "sliced_wasserstein_exact"),
    "files": ("load", "save"),
    "flows": ("sliced_flow", "sliced_mean", "sliced_means"),
    "kernels": (
        "DiagramDistanceKernel",
        "PersistenceScaleSpaceKernel",
        "PersistenceWeightedGaussianKernel",
        "SlicedWassersteinKernel",
        "UniversalKernel",
        "rkhs_distance",
    ),
    "learning": ("mmd_test", "sigma_grid"),
    "matchings": ("diagram_distance", "diagram_matching"),
    "notebooks": ("notebook",),
    "slices": (
        "slice_costs",
        "slice_matching",
        "sliced_wasserstein",
        "step_function",
    ),
}

__all__ = [
    "DiagramDistanceKernel",
    "DiagramError",
    "DiagramFileError",
    "DiagramSet",
    "MissingPackageError",
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
    "files",
    "kernels",
    "learning",
    "lessons",
    "load",
    "mmd_test",
    "notebook",
    "plot",
    "rkhs_distance",
    "save",
    "sigma_grid",
    "slice_costs",
    "slice_matching",
    "sliced_flow",
    "sliced_mean",
    "sliced_means",
    "sliced_wasserstein",
    "sliced_wasserstein_exact",
    "sliced_wasserstein_matrix",
    "sources",
    "step_function",
    "studies",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"swviz.{name}")
    for module, names in _PLACES.items():
        if name in names:
            found = getattr(import_module(f"swviz.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'swviz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
