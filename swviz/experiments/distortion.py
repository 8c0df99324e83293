"""How kernels distort the first diagram distance: the paper's Figure 6."""

from __future__ import annotations

from typing import Any

import numpy as np

from swviz.distances import diagram_distance_matrix
from swviz.errors import ParameterError
from swviz.experiments.cells import Cell
from swviz.experiments.runs import chosen_parameters
from swviz.experiments.store import Record
from swviz.experiments.studies import random_pairs
from swviz.experiments.tasks import Task
from swviz.kernels import rkhs_distance
from swviz.learning import (
    Candidates,
    DistanceCandidates,
    candidate_source,
    tune_and_test,
)
from swviz.typing import Floats

DISTORTION_KERNELS = ("k_SW", "k_PSS", "k_PWG", "Gaussian on d1")
"""Kernels of the figure, in the order of the results."""


def distortion_study(
    task: Task, n_pairs: int = 600, n_splits: int = 10, n_jobs: int | None = None
) -> Record:
    """Compare distances in the kernels' Hilbert spaces with d1, for training pairs.

    Parameters
    ----------
    task : Task
        With small diagrams in one homology dimension.
    n_pairs : int, default=600
        Random pairs of the training set.
    n_splits : int, default=10
        Halves of the training set that parameters are chosen by.
    n_jobs : int, optional

    Returns
    -------
    dict
        d1 and, for each kernel, the distances and the parameters chosen in run 0.

    Notes
    -----
    Costs a run of the protocol for each kernel, k_PWG the most: a minute or so.
    """
    if len(task.diagrams.dimensions) > 1 or task.test_size is not None:
        raise ParameterError("metric distortion is measured on shapes")
    train, test = task.split(0)
    diagrams = task.diagrams.in_dimension(task.diagrams.dimensions[0])
    known = [diagrams[index] for index in train]
    d1 = diagram_distance_matrix(known, n_jobs=n_jobs)
    # Test samples take no part; the outer matrices only have to have some row.
    split = train, test[:1]
    cells = {
        "k_SW": Cell("SW", task.dimensions[0], "exact"),
        "k_PSS": Cell("PSS", task.dimensions[0]),
        "k_PWG": Cell("PWG", task.dimensions[0]),
    }
    pairs = np.array(random_pairs(len(train), n_pairs))
    series: Record = {}
    for name in DISTORTION_KERNELS:
        candidates: Candidates
        if name in cells:
            kernel = cells[name].make_kernel(task, n_jobs)
            source = candidate_source(kernel, task.diagrams, [split])
            candidates = source.candidates(*split, **cells[name].choices(0))
        else:
            candidates = DistanceCandidates(d1[None], d1[None, :1], "product")
        report = tune_and_test(
            candidates, task.labels, *split, n_splits=n_splits, n_jobs=n_jobs
        )
        gram, _ = candidates.final_grams(report.grid.best[0])
        distances = rkhs_distance(gram)[pairs[:, 0], pairs[:, 1]]
        series[name] = {
            "parameters": _text(chosen_parameters(report)),
            "C": report.C,
            "distances": _short(distances),
        }
    return {
        "train": len(train),
        "pairs": len(pairs),
        "d1": _short(d1[pairs[:, 0], pairs[:, 1]]),
        "kernels": series,
    }


def _short(values: Floats) -> list[float]:
    return [float(f"{value:.4g}") for value in values]


def _text(parameters: Any) -> Record:
    return {key: str(value) for key, value in parameters.items()}
