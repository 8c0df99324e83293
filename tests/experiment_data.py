"""A small task for the tests of experiments: three classes, H0 and H1."""

import numpy as np

from swviz import DiagramSet
from swviz.experiments.tasks import Task
from swviz.sources.origins import Image

LABELS = np.repeat(["a", "b", "c"], 10)


def diagrams(seed, spread):
    rng = np.random.default_rng(seed)
    return [
        np.sort(rng.random((7, 2)), axis=1) * (1 + spread * "abc".index(label))
        for label in LABELS
    ]


def make_task(test_size=0.4, large=False, several=((0,), (1,), (0, 1))):
    """Two dimensions, of which H1 tells classes apart better."""
    subsets = ["train" if index % 3 else "test" for index in range(len(LABELS))]
    data = DiagramSet(
        {0: diagrams(0, 0.1), 1: diagrams(1, 0.6)},
        labels=LABELS,
        origins=[Image(np.zeros((3, 3), np.uint8), subset=one) for one in subsets],
    )
    return Task("orbit", "toy", "a toy", data, several, test_size, 2, large)
