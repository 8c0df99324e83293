"""Learning with kernels: tuning, support vector machines, maps, tests, large sets."""

from swviz.learning.grids import C_GRID, FACTORS, PSS_GRID, sigma_grid
from swviz.learning.maps import (
    KernelMap,
    conditional_negativity,
    kernel_pca,
    nearest,
    smallest_eigenvalue,
)
from swviz.learning.mmd import MMDResult, mmd_from_gram, mmd_test
from swviz.learning.nystroem import SlicedWassersteinFeatures
from swviz.learning.reports import GridScores, LearningReport, RunReport
from swviz.learning.svm import Evaluation, evaluate_svm, random_splits
from swviz.learning.tuning import evaluate_kernel, tune_on_distances

__all__ = [
    "C_GRID",
    "FACTORS",
    "PSS_GRID",
    "Evaluation",
    "GridScores",
    "KernelMap",
    "LearningReport",
    "MMDResult",
    "RunReport",
    "SlicedWassersteinFeatures",
    "conditional_negativity",
    "evaluate_kernel",
    "evaluate_svm",
    "kernel_pca",
    "mmd_from_gram",
    "mmd_test",
    "nearest",
    "random_splits",
    "sigma_grid",
    "smallest_eigenvalue",
    "tune_on_distances",
]
