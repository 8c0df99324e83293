"""Measurements beside the tables: times, number of directions, metric distortion.

Each is one file of results with a part for each data set. Parts that are there for the
same data are kept. What is measured is in :mod:`swviz.studies`; here is on which data,
and what of it is written down.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swviz.diagrams import Diagram
from swviz.distances import sliced_wasserstein_matrix
from swviz.experiments.results import CellResult, Results
from swviz.experiments.runs import Tell
from swviz.experiments.store import (
    Record,
    ResultError,
    environment,
    put_aside,
    read_study,
    today,
    write_json,
)
from swviz.experiments.tasks import Task, digest
from swviz.kernels import (
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
    pwg_heuristics,
)
from swviz.studies import AccuracyStudy, GramTimes, ratio_study
from swviz.studies import gram_times as gram_times_by_directions
from swviz.typing import Floats, Rule

RULES_COMPARED: tuple[Rule, ...] = ("paper", "diagonal")

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Of the ratio of approximate and exact distances."""

GUDHI_NOTE = (
    "GUDHI's num_directions = M computes M - 1 directions: its last one is dropped."
)

Measure = Callable[[Task], Record]


def run_study(
    name: str, tasks: Iterable[Task], measure: Measure, folder: Path, tell: Tell = print
) -> Record:
    """Measure the data sets that a file of results does not have yet.

    Parameters
    ----------
    name : str
        Of the file, without suffix.
    tasks : iterable of Task
    measure : callable
        Takes a task and returns what to record about it.
    folder : Path
        Of all results.
    tell : callable, default=print

    Returns
    -------
    dict of str to dict
        What the file holds now.
    """
    path = folder / f"{name}.json"
    parts: Record = {}
    if path.exists():
        try:
            parts = read_study(path)
        except ResultError as error:
            tell(f"{error}: kept as {put_aside(path)}, measured again")
    for task in tasks:
        key = f"{task.experiment}/{task.name}"
        data = digest(task.diagrams)
        if isinstance(parts.get(key), dict) and parts[key].get("digest") == data:
            tell(f"{name}: {key} is there already")
            continue
        parts[key] = {
            "digest": data,
            "label": task.label,
            "paper_row": task.paper_row,
            **measure(task),
            "date": today(),
            "environment": environment(),
        }
        write_json(path, {"parts": parts})
        tell(f"{name}: {key} measured")
    return parts


def gram_times(task: Task) -> Record:
    """Time one Gram matrix of each kernel, and GUDHI's in the same run.

    Parameters
    ----------
    task : Task

    Returns
    -------
    dict
        Processor seconds by what was computed, all with one thread, for the training
        set of run 0; "all" adds the test samples against the training samples.

    Notes
    -----
    With 1000 diagrams of 15 points that takes seconds, with large ones minutes.
    """
    train, test = task.split(0)
    parts = [task.diagrams.in_dimension(d) for d in task.diagrams.dimensions]
    inner = [[diagrams[index] for index in train] for diagrams in parts]
    outer = [[diagrams[index] for index in test] for diagrams in parts]
    few = 6 if task.large else 10

    def each(matrix: Callable[[list[Diagram]], object]) -> float:
        return sum(_clock(matrix, diagrams) for diagrams in inner)

    def sliced(X: Any, Y: Any = None, M: Any = few) -> Floats:
        return sliced_wasserstein_matrix(X, Y, n_directions=M)

    embedded = SlicedWassersteinKernel(n_directions=few, method="embedding")
    seconds = {
        f"SW {few}": each(sliced),
        f"GUDHI SW {few}": each(lambda X: gudhi_distances(X, few)),
        f"SW {few}, embedding": each(lambda X: embedded.fit(X).distances(X)),
        "PSS": each(PersistenceScaleSpaceKernel().gram),
    }
    learnt = [pwg_heuristics(diagrams, task.p) for diagrams in inner]
    seconds["PWG"] = sum(
        _clock(PersistenceWeightedGaussianKernel(**one.scaled()).gram, diagrams)
        for one, diagrams in zip(learnt, inner, strict=True)
    )
    seconds[f"SW {few}, all"] = seconds[f"SW {few}"] + sum(
        _clock(sliced, X, Y) for X, Y in zip(outer, inner, strict=True)
    )
    if not task.large:
        seconds["SW exact"] = each(lambda X: sliced(X, M="exact"))
        seconds["SW exact, all"] = seconds["SW exact"] + sum(
            _clock(sliced, X, Y, "exact") for X, Y in zip(outer, inner, strict=True)
        )
    return {
        "train": len(train),
        "test": len(test),
        "seconds": {key: float(f"{value:.4g}") for key, value in seconds.items()},
        "note": GUDHI_NOTE,
    }


def _clock(call: Callable[..., object], *arguments: Any) -> float:
    """Processor time of a call: what it takes on an idle machine, with one thread."""
    start = time.process_time()
    call(*arguments)
    return time.process_time() - start


def gudhi_distances(X: Sequence[Diagram], n_directions: int) -> Floats:
    """Compute GUDHI's matrix of sliced Wasserstein distances.

    Parameters
    ----------
    X : sequence of ndarray of shape (n_i, 2)
    n_directions : int

    Returns
    -------
    ndarray of shape (len(X), len(X))
    """
    from gudhi.representations import SlicedWassersteinDistance

    several = list(map(np.array, X))
    distance = SlicedWassersteinDistance(num_directions=n_directions)
    matrix: Floats = distance.fit_transform(several)
    return matrix


def direction_study(task: Task, several_M: Sequence[int], n_pairs: int = 200) -> Record:
    """Measure what the number of directions costs and how far off it is.

    Parameters
    ----------
    task : Task
    several_M : sequence of int
    n_pairs : int, default=200
        Random pairs of diagrams whose exact distance is computed.

    Returns
    -------
    dict
        For each M the processor seconds of the Gram matrix of the training set of
        run 0, and quantiles of the ratio to the exact distance, by the paper's rule
        and by the diagonal one.
    """
    several_M = sorted(set(several_M))
    train, _ = task.split(0)
    parts = [task.diagrams.in_dimension(d) for d in task.diagrams.dimensions]
    pairs = random_pairs(len(task.diagrams), n_pairs)
    # Ratios of the last dimension: in H0 all births are 0, which is less of a test.
    ratios = ratio_study(parts[-1], several_M, pairs=pairs, rules=RULES_COMPARED)
    times = [
        gram_times_by_directions(
            [diagrams[index] for index in train],
            several_M,
            n_repeats=1,
            clock=time.process_time,
        ).seconds
        for diagrams in parts
    ]
    seconds = np.sum(times, axis=0)
    quantiles = {rule: ratios.quantiles(rule, QUANTILES) for rule in RULES_COMPARED}
    return {
        "train": len(train),
        "pairs": len(pairs),
        "dimension": int(task.diagrams.dimensions[-1]),
        "quantiles": list(QUANTILES),
        "rows": [
            {
                "M": M,
                "seconds": float(f"{seconds[column]:.4g}"),
                "ratio": {
                    rule: [float(f"{value:.5g}") for value in levels[:, column]]
                    for rule, levels in quantiles.items()
                },
            }
            for column, M in enumerate(several_M)
        ],
    }


def accuracies_by_directions(results: Results) -> dict[str, AccuracyStudy]:
    """Return the stored accuracies of k_SW by the number of directions.

    Parameters
    ----------
    results : Results

    Returns
    -------
    dict of str to AccuracyStudy
        By data set, such as "shapes/Ant", for those with at least two numbers of
        directions. Of several choices of homology dimensions the largest, as in the
        paper.
    """
    found: dict[str, list[CellResult]] = {}
    for cell in results.cells:
        M = cell.setting["kernel"].get("n_directions")
        if cell.kernel == "SW" and isinstance(M, int) and cell.runs:
            found.setdefault(f"{cell.experiment}/{cell.dataset}", []).append(cell)
    studies = {}
    for name, cells in found.items():
        widest = max(len(cell.dimensions) for cell in cells)
        by_M = {
            cell.setting["kernel"]["n_directions"]: cell
            for cell in cells
            if len(cell.dimensions) == widest
        }
        if len(by_M) > 1:
            data = cells[0].setting["data"]
            studies[name] = AccuracyStudy(
                tuple(sorted(by_M)),
                _table([by_M[M].accuracies for M in sorted(by_M)]),
                data["train"] + data["test"],
            )
    return studies


def times_by_directions(results: Results) -> dict[str, GramTimes]:
    """Return the stored times of one matrix by the number of directions.

    Parameters
    ----------
    results : Results

    Returns
    -------
    dict of str to GramTimes
        By data set, such as "shapes/Ant".
    """
    return {
        name: GramTimes(
            part["train"],
            np.array([row["M"] for row in part["rows"]]),
            np.array([row["seconds"] for row in part["rows"]]),
        )
        for name, part in results.studies.get("directions", {}).items()
    }


def _table(rows: Sequence[Floats]) -> Floats:
    """Stack rows of different lengths, filled up with NaN."""
    table = np.full((len(rows), max(map(len, rows))), np.nan)
    for index, row in enumerate(rows):
        table[index, : len(row)] = row
    return table


def random_pairs(count: int, n_pairs: int, seed: int = 0) -> list[tuple[int, int]]:
    """Draw different pairs of different samples: those that are in stored results.

    Parameters
    ----------
    count : int
        Of samples, at least 2.
    n_pairs : int
        All pairs, if there are no more.
    seed : int, default=0

    Returns
    -------
    list of (int, int)
    """
    rows, columns = np.triu_indices(count, 1)
    chosen = np.random.default_rng(seed).permutation(len(rows))[:n_pairs]
    return list(zip(rows[chosen].tolist(), columns[chosen].tolist(), strict=True))
