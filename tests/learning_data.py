"""A small labelled set for the tests of learning: three classes, H0 and H1."""

import numpy as np

from swviz import DiagramSet
from swviz.kernels import (
    DiagramDistanceKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.learning import random_splits

LABELS = np.repeat(["a", "b", "c"], 8)


def _diagrams(seed):
    rng = np.random.default_rng(seed)
    return [
        np.sort(rng.random((6, 2)), axis=1) * (1 + 0.6 * "abc".index(label))
        for label in LABELS
    ]


SET = DiagramSet(
    {0: _diagrams(0), 1: _diagrams(1)},
    labels=LABELS,
    names=[f"{label}{k}" for k, label in enumerate(LABELS)],
)
TRAIN, TEST = random_splits(LABELS, 1, 0.3, 0)[0]
KERNELS = {
    "SW": SlicedWassersteinKernel(n_directions=6),
    "exact": SlicedWassersteinKernel(n_directions="exact"),
    "embedding": SlicedWassersteinKernel(n_directions=6, method="embedding"),
    "d1": DiagramDistanceKernel(),
    "PSS": PersistenceScaleSpaceKernel(),
    "PWG": PersistenceWeightedGaussianKernel(p=2),
    "PWG squared": PersistenceWeightedGaussianKernel(p=2, form="squared"),
}
