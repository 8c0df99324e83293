"""Learning with kernels: tuning, support vector machines, maps, tests, large sets."""

from swviz.learning.candidate_sources import CandidateSource, candidate_source
from swviz.learning.candidates import Candidates, DistanceCandidates
from swviz.learning.classifier import Answers, DiagramClassifier
from swviz.learning.grids import C_GRID, FACTORS, PSS_GRID, PWG_GRID, sigma_grid
from swviz.learning.maps import (
    KernelMap,
    kernel_pca,
    nearest,
)
from swviz.learning.mmd import MMDResult, mmd_between_classes, mmd_from_gram, mmd_test
from swviz.learning.nearest_mean import NearestSlicedMean, mean_runs
from swviz.learning.nystroem import SlicedWassersteinFeatures
from swviz.learning.portraits import Portrait, map_samples, train_portrait
from swviz.learning.prepared import PreparedKernel, prepare
from swviz.learning.reports import (
    GridScores,
    LearningReport,
    MeansReport,
    RunReport,
    Trials,
)
from swviz.learning.saving import load_classifier, save_classifier
from swviz.learning.svm import Evaluation, evaluate_svm, random_splits
from swviz.learning.tuning import (
    evaluate_kernel,
    kernel_runs,
    tune_and_test,
    tune_on_distances,
)

__all__ = [
    "C_GRID",
    "FACTORS",
    "PSS_GRID",
    "PWG_GRID",
    "Answers",
    "CandidateSource",
    "Candidates",
    "DiagramClassifier",
    "DistanceCandidates",
    "Evaluation",
    "GridScores",
    "KernelMap",
    "LearningReport",
    "MMDResult",
    "MeansReport",
    "NearestSlicedMean",
    "Portrait",
    "PreparedKernel",
    "RunReport",
    "SlicedWassersteinFeatures",
    "Trials",
    "candidate_source",
    "evaluate_kernel",
    "evaluate_svm",
    "kernel_pca",
    "kernel_runs",
    "load_classifier",
    "map_samples",
    "mean_runs",
    "mmd_between_classes",
    "mmd_from_gram",
    "mmd_test",
    "nearest",
    "prepare",
    "random_splits",
    "save_classifier",
    "sigma_grid",
    "train_portrait",
    "tune_and_test",
    "tune_on_distances",
]
