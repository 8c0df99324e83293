"""Kernels between persistence diagrams, as scikit-learn transformers.

``kernel.fit(X).transform(X)`` is a Gram matrix for ``SVC(kernel="precomputed")``,
``kernel(A, B)`` one value, ``kernel.gram(X, Y)`` a matrix without fitting.

Examples
--------
>>> kernel = SlicedWassersteinKernel(sigma=1.0, n_directions=50)
>>> kernel.fit_transform([[(0, 1)], [(0, 2)]]).round(3)
array([[1.   , 0.672],
       [0.672, 1.   ]])
"""

from swviz.kernels.base import DiagramKernel
from swviz.kernels.diagram_distance import DiagramDistanceKernel
from swviz.kernels.distance_based import DistanceKernel, kernel_from_distances
from swviz.kernels.heuristics import PWGHeuristics, pwg_heuristics
from swviz.kernels.scale_space import PersistenceScaleSpaceKernel
from swviz.kernels.sliced import SlicedWassersteinKernel
from swviz.kernels.universal import UniversalKernel, rkhs_distance
from swviz.kernels.weighted_gaussian import PersistenceWeightedGaussianKernel

__all__ = [
    "DiagramDistanceKernel",
    "DiagramKernel",
    "DistanceKernel",
    "PWGHeuristics",
    "PersistenceScaleSpaceKernel",
    "PersistenceWeightedGaussianKernel",
    "SlicedWassersteinKernel",
    "UniversalKernel",
    "kernel_from_distances",
    "pwg_heuristics",
    "rkhs_distance",
]
