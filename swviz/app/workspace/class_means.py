"""Means of the classes of a data set, found once for all views that show them."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from swviz.app.runtime.jobs import RESULTS, Report, digest
from swviz.app.workspace.state import mean_name
from swviz.diagrams import Diagram, DiagramSet
from swviz.flows import sliced_means

UNASKED = 20_000
"""Points up to which means are found without being asked for: some seconds."""

MOST = 1_000_000
"""Points up to which they are found at all: some minutes."""

JOB = "Finding the mean of each class, in percent"


def count_points(dataset: DiagramSet, dimensions: Collection[int]) -> int:
    """Count what the means of classes cost.

    Parameters
    ----------
    dataset : DiagramSet
    dimensions : collection of int

    Returns
    -------
    int
        The points of all diagrams, if each had as many as the largest of its class: so
        many a mean may have, and compares with each of them.
    """
    numbers = np.zeros(len(dataset), dtype=int)
    if dataset.labels is not None:
        _, numbers = np.unique(dataset.labels, return_inverse=True)
    count = 0
    for dimension in dimensions:
        sizes = np.array([len(one) for one in dataset.in_dimension(dimension)], int)
        largest = np.zeros(numbers.max(initial=0) + 1, dtype=int)
        np.maximum.at(largest, numbers, sizes)
        count += int(largest[numbers].sum())
    return count


def why_not(dataset: DiagramSet, dimensions: Collection[int]) -> str:
    """Say why means are not found without being asked for.

    Returns
    -------
    str
        Empty if they are.
    """
    count = count_points(dataset, dimensions)
    if count <= UNASKED:
        return ""
    several = "means of classes" if len(dataset.classes) > 1 else "mean"
    counted = (
        f"The {several} of {count:,} points (each diagram counted as large as the "
        "largest of its class)"
    )
    if count <= MOST:
        return f"{counted} will take a while: up to {UNASKED:,} come by themselves."
    return (
        f"{counted} would take too long for this page, which takes up to {MOST:,}: use "
        "sw.sliced_means in Python, or fewer diagrams."
    )


def can_be_found(dataset: DiagramSet, dimensions: Collection[int]) -> bool:
    """Tell whether means are found if somebody asks for them."""
    return 0 < len(dataset) and count_points(dataset, dimensions) <= MOST


def means_key(dataset: DiagramSet, dimensions: Collection[int]) -> str:
    """Return the key to the means of classes: a digest of all that they depend on."""
    several = [one for k in dimensions for one in dataset.in_dimension(k)]
    labels = None if dataset.labels is None else dataset.labels.tolist()
    return digest(
        "means",
        tuple(dimensions),
        np.concatenate([np.empty((0, 2)), *several]),
        np.array([len(one) for one in several]),
        labels,
    )


def find_means(
    dataset: DiagramSet, dimensions: Collection[int], progress: Report
) -> DiagramSet:
    """Find the mean of each class, one after the other, or take kept ones.

    Parameters
    ----------
    dataset : DiagramSet
        Without labels, it is one class.
    dimensions : collection of int
    progress : Report
        Told of the means so far.

    Returns
    -------
    DiagramSet
        What :func:`swviz.sliced_means` gives of the diagrams of these dimensions.
    """
    key = means_key(dataset, dimensions)
    kept: DiagramSet | None = RESULTS.get(key)
    if kept is not None:
        return kept
    chosen = DiagramSet(
        {k: dataset.in_dimension(k) for k in dimensions}, dataset.labels, dataset.names
    )
    labels, groups = chosen.labels, [chosen]
    if labels is not None:
        groups = [chosen[labels == label] for label in chosen.classes]
    found: dict[int, list[Diagram]] = {k: [] for k in dimensions}
    names: list[str] = []
    for done, group in enumerate(groups):

        def report(part: int, whole: int, start: int = done) -> None:
            progress(int(100 * (start + part / max(1, whole)) / len(groups)), 100)

        one = sliced_means(group, progress=report)
        for k in dimensions:
            found[k] += one.in_dimension(k)
        names += one.names
        means = DiagramSet(
            {k: tuple(several) for k, several in found.items()},
            None if labels is None else chosen.classes[: done + 1],
            tuple(names),
        )
        progress.found(means)
    RESULTS.put(key, means)
    return means


def names_of_means(dataset: DiagramSet) -> list[str]:
    """Return what the means of a set's classes are called, in the order of classes."""
    return [mean_name(name) for name in dataset.class_names or ("",)]


def means_lines(dimensions: Collection[int]) -> list[str]:
    """Return the lines of Python that find the means of the classes of `data`."""
    chosen = ", ".join(f"{k}: data.in_dimension({k})" for k in dimensions)
    return [f"means = sw.sliced_means(sw.DiagramSet({{{chosen}}}, data.labels))"]
