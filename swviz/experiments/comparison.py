"""Our results beside the paper's, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from swviz.experiments.paper_numbers import ACCURACY, SHAPE_CATEGORIES, Measured
from swviz.experiments.results import CellResult, Results, dimension_name
from swviz.typing import Floats

DIMENSION_CHOICES: tuple[tuple[int, ...], ...] = ((0, 1), (1,), (0,))
"""Homology dimensions of the orbit task: all, as in the paper, then each alone."""

CHOSEN = "chosen in training"

_MAIN_SHAPE_LABELS = ("k_SW", "k_SW (10)", "k_PSS", "k_PWG", "k_PWG, as printed")
_MAIN_LARGE_LABELS = ("k_SW (6)", "k_PSS", "k_PWG (1000)", "k_PWG (1000), as printed")


@dataclass(frozen=True, eq=False)
class Comparison:
    """One kernel on one task: the paper's number and ours.

    Parameters
    ----------
    experiment, dataset, label : str
        Which cell; `label` names the kernel.
    dimensions : str
        Such as "H0+H1".
    accuracies : ndarray of shape (n_runs,)
        Of our runs; empty if nothing was measured.
    paper : Measured or None
        Percent; None if the paper has no number to compare with.
    command : str
        What measures it.
    notes : tuple of str
        What differs from the paper.
    """

    experiment: str
    dataset: str
    label: str
    dimensions: str
    accuracies: Floats
    paper: Measured | None
    command: str
    notes: tuple[str, ...] = ()

    @property
    def is_measured(self) -> bool:
        """Whether there is at least one run."""
        return bool(len(self.accuracies))

    @property
    def ours(self) -> Measured | None:
        """Mean and standard deviation of our runs in percent; None without runs."""
        if not self.is_measured:
            return None
        spread = self.accuracies.std(ddof=1) if len(self.accuracies) > 1 else 0.0
        return Measured(
            round(100 * float(self.accuracies.mean()), 1), round(100 * float(spread), 1)
        )

    @property
    def difference(self) -> float | None:
        """Percentage points above the paper; None if one of both is missing."""
        if self.ours is None or self.paper is None:
            return None
        return round(self.ours.mean - self.paper.mean, 1)


def comparisons(results: Results) -> list[Comparison]:
    """List every cell of the paper's Table 2 and all others that were measured.

    Parameters
    ----------
    results : Results

    Returns
    -------
    list of Comparison
        Cells that were not measured are there, too, without accuracies.
    """
    return [*_shape_rows(results), *_orbit_rows(results), *_texture_rows(results)]


def command_for(
    experiment: str, dataset: str, kernel: str, n_directions: object = None
) -> str:
    """Write down the command that measures a cell.

    Parameters
    ----------
    experiment, dataset, kernel : str
    n_directions : int or "exact", optional

    Returns
    -------
    str
    """
    words = [f"python -m swviz.experiments {experiment} --kernels {kernel}"]
    if n_directions is not None:
        words.append(f"--directions {n_directions}")
    if experiment == "shapes" and dataset != "figure":
        words.append(f"--categories {dataset} --data FOLDER")
    if experiment == "texture" and dataset != "photographs":
        words.append("--data FOLDER")
    return " ".join(words)


def chosen_in_training(cells: Sequence[CellResult]) -> Floats:
    """Accuracies when each run takes the dimensions that did best in training.

    Parameters
    ----------
    cells : sequence of CellResult
        The same task and kernel with several choices of homology dimensions; the first
        wins ties.

    Returns
    -------
    ndarray of shape (n_runs,)
        For the runs that all cells have. No test sample has a say in the choice.
    """
    by_run = [{run["run"]: run for run in cell.runs} for cell in cells]
    shared = sorted(set.intersection(*map(set, by_run))) if by_run else []
    best = [
        max((runs[number] for runs in by_run), key=lambda run: run["cv_accuracy"])
        for number in shared
    ]
    return np.array([run["accuracy"] for run in best])


def paper_key(label: str) -> str:
    """Return the kernel's name in the paper's tables.

    Parameters
    ----------
    label : str
        Such as "k_PWG (1000), as printed".

    Returns
    -------
    str
        Such as "PWG".
    """
    return label.removeprefix("k_").split(" ")[0].rstrip(",")


def _datasets(results: Results, experiment: str, first: Sequence[str]) -> list[str]:
    measured = [cell.dataset for cell in results.cells if cell.experiment == experiment]
    return list(dict.fromkeys([*first, *measured]))


def _row(
    results: Results,
    experiment: str,
    dataset: str,
    label: str,
    dimensions: tuple[int, ...],
    paper_row: str | None,
) -> Comparison:
    cell = results.find(experiment, dataset, label, dimensions)
    key = paper_key(label)
    return Comparison(
        experiment,
        dataset,
        label,
        dimension_name(dimensions),
        cell.accuracies if cell else np.empty(0),
        ACCURACY[paper_row][key] if paper_row else None,
        _command(experiment, dataset, label),
        cell.notes if cell else (),
    )


def _command(experiment: str, dataset: str, label: str) -> str:
    kernel = paper_key(label) + ("-printed" if "printed" in label else "")
    directions: object = None
    if kernel == "SW":
        directions = label[len("k_SW (") : -1] if "(" in label else "exact"
    return command_for(experiment, dataset, kernel, directions)


def _shape_rows(results: Results) -> Iterator[Comparison]:
    for dataset in _datasets(results, "shapes", SHAPE_CATEGORIES):
        paper_row = dataset if dataset in SHAPE_CATEGORIES else None
        for label in _MAIN_SHAPE_LABELS:
            yield _row(results, "shapes", dataset, label, (1,), paper_row)


def _orbit_rows(results: Results) -> Iterator[Comparison]:
    counts = ("100-a-class", "50-a-class", "50-a-class-squared")
    for dataset in _datasets(results, "orbit", counts):
        paper_row = "Orbit" if dataset in counts else None
        for label in _MAIN_LARGE_LABELS:
            for dimensions in DIMENSION_CHOICES:
                yield _row(results, "orbit", dataset, label, dimensions, paper_row)
            found = [
                results.find("orbit", dataset, label, dimensions)
                for dimensions in DIMENSION_CHOICES
            ]
            cells = [cell for cell in found if cell is not None]
            complete = len(cells) == len(DIMENSION_CHOICES)
            yield Comparison(
                "orbit",
                dataset,
                label,
                CHOSEN,
                chosen_in_training(cells) if complete else np.empty(0),
                ACCURACY[paper_row][paper_key(label)] if paper_row else None,
                _command("orbit", dataset, label),
            )


def _texture_rows(results: Results) -> Iterator[Comparison]:
    cells = [cell for cell in results.cells if cell.experiment == "texture"]
    rows = {cell.dataset: cell.setting.get("paper_row") for cell in cells}
    if "Texture" not in rows.values():
        rows["OUTEX_TC_00000"] = "Texture"
    for dataset, paper_row in rows.items():
        for label in _MAIN_LARGE_LABELS:
            yield _row(results, "texture", dataset, label, (0,), paper_row)
