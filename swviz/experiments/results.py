"""Results on disk: one file for each cell of the tables, readable by people.

A file is written anew after each run, so that work can be stopped at any time. What
does not look like a result is named and measured again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from swviz.experiments.store import (
    FORMAT,
    Record,
    ResultError,
    read_json,
    read_study,
    to_text,
    write_whole,
)
from swviz.results import Result, brief
from swviz.typing import Floats

EXPERIMENTS = ("orbit", "texture", "shapes")
STUDIES = ("times", "directions", "distortion")

_RUN_KEYS = ("run", "accuracy", "cv_accuracy", "C", "parameters")


@dataclass(frozen=True, eq=False, repr=False)
class CellResult(Result):
    """All runs of one kernel on one data set.

    Parameters
    ----------
    setting : mapping
        What was measured: experiment, dataset, kernel, dimensions, data, protocol.
    notes : tuple of str
        What differs from the paper.
    runs : tuple of mapping
        Finished runs, by number.
    environments : tuple of mapping
        Versions and machines; each run has the index of its own.
    """

    setting: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    runs: tuple[Mapping[str, Any], ...] = ()
    environments: tuple[Mapping[str, Any], ...] = ()

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "experiment": f"{self.experiment}, {self.dataset}",
            "kernel": f"{self.label}, {dimension_name(self.dimensions)}",
            "runs": str(len(self.runs)),
            "accuracy": f"{self.accuracy:.1%} ± {self.spread:.1%}",
        }

    @property
    def experiment(self) -> str:
        """Which experiment: "orbit", "texture" or "shapes"."""
        return str(self.setting["experiment"])

    @property
    def dataset(self) -> str:
        """Which data set of the experiment."""
        return str(self.setting["dataset"])

    @property
    def kernel(self) -> str:
        """Name of the kernel as on the command line, such as "SW"."""
        return str(self.setting["kernel"]["name"])

    @property
    def label(self) -> str:
        """Name of the kernel in tables, such as "k_SW (6)"."""
        return str(self.setting["kernel"]["label"])

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Homology dimensions."""
        return tuple(self.setting["dimensions"])

    @property
    def accuracies(self) -> Floats:
        """Accuracy of each run, shape (n_runs,)."""
        return np.array([run["accuracy"] for run in self.runs])

    @property
    def accuracy(self) -> float:
        """Mean accuracy; NaN without runs."""
        return float(self.accuracies.mean()) if self.runs else math.nan

    @property
    def spread(self) -> float:
        """Standard deviation of the accuracies; 0 for a single run."""
        return float(self.accuracies.std(ddof=1)) if len(self.runs) > 1 else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Results(Result):
    """Everything in a folder of results.

    Parameters
    ----------
    cells : tuple of CellResult
    studies : mapping of str to mapping
        "times", "directions" and "distortion", each with a part for each data set, such
        as "shapes/Airplane".
    problems : tuple of str
        Files that could not be read, and why.
    """

    cells: tuple[CellResult, ...]
    studies: Mapping[str, Record]
    problems: tuple[str, ...]

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "cells": str(len(self.cells)),
            "studies": brief(self.studies),
            "problems": str(len(self.problems)),
        }

    def find(
        self,
        experiment: str,
        dataset: str,
        label: str,
        dimensions: tuple[int, ...] | None = None,
    ) -> CellResult | None:
        """Look for a cell.

        Parameters
        ----------
        experiment, dataset, label : str
        dimensions : tuple of int, optional
            Any, by default.

        Returns
        -------
        CellResult or None
            None if it has not been measured.
        """
        for cell in self.cells:
            named = (cell.experiment, cell.dataset, cell.label)
            if named == (experiment, dataset, label) and (
                dimensions is None or cell.dimensions == tuple(dimensions)
            ):
                return cell
        return None


def results_folder() -> Path:
    """Return where the results are that come with swviz.

    Returns
    -------
    Path
        In an installed package a folder of it, which is filled when the package is
        built (``setup.py``); in the repository its folder ``results``, which
        ``make results`` fills.
    """
    here = Path(__file__).parent
    packaged, repository = here / "stored", here.parents[1]
    if packaged.is_dir():
        return packaged
    if (repository / "pyproject.toml").is_file():
        return repository / "results"
    return Path("results")


def load_results(folder: str | Path | None = None) -> Results:
    """Load all results in a folder.

    Parameters
    ----------
    folder : str or Path, optional
        Where ``python -m swviz.experiments`` wrote them. May be missing: then nothing
        has been measured. By default those that come with swviz.

    Returns
    -------
    Results
    """
    folder = results_folder() if folder is None else Path(folder)
    cells, problems, studies = [], [], {}
    for experiment in EXPERIMENTS:
        for path in sorted((folder / experiment).glob("*/*.json")):
            try:
                cell = read_cell(path)
            except ResultError as error:
                problems.append(str(error))
            else:
                cells.append(cell)
    for name in STUDIES:
        path = folder / f"{name}.json"
        if path.exists():
            try:
                studies[name] = read_study(path)
            except ResultError as error:
                problems.append(str(error))
    return Results(tuple(cells), studies, tuple(problems))


def read_cell(
    path: Path, tell: Callable[[str], object] = lambda text: None
) -> CellResult:
    """Read the runs of one cell.

    Parameters
    ----------
    path : Path
    tell : callable, optional
        Told about each run that is left out because it is broken.

    Returns
    -------
    CellResult
    """
    record = read_json(path)
    setting, runs = record.get("setting"), record.get("runs")
    if not isinstance(setting, dict) or not isinstance(runs, list):
        raise ResultError(f"{path.name}: no setting or no runs")
    try:
        # Whatever is asked for later must be there.
        str(setting["kernel"]["name"]), str(setting["kernel"]["label"])
        str(setting["experiment"]), str(setting["dataset"])
        tuple(map(int, setting["dimensions"]))
    except (KeyError, TypeError, ValueError):
        raise ResultError(f"{path.name}: an incomplete setting") from None
    good: dict[int, Record] = {}
    for run in runs:
        if _is_run(run) and run["run"] not in good:
            good[run["run"]] = run
        else:
            tell(f"{path.name}: a broken run is left out and done again")
    return CellResult(
        setting,
        tuple(map(str, record.get("notes") or ())),
        tuple(good[number] for number in sorted(good)),
        tuple(record.get("environments") or ()),
    )


def _is_run(run: Any) -> bool:
    if not isinstance(run, dict) or not all(key in run for key in _RUN_KEYS):
        return False
    numbers = [run["accuracy"], run["cv_accuracy"]]
    return isinstance(run["run"], int) and all(
        isinstance(number, float | int) and 0 <= number <= 1 for number in numbers
    )


def write_cell(path: Path, cell: CellResult) -> None:
    """Write the runs of one cell, one a line.

    Parameters
    ----------
    path : Path
    cell : CellResult
    """
    head = {
        "format": FORMAT,
        "setting": cell.setting,
        "notes": cell.notes,
        "environments": cell.environments,
    }
    text = to_text(head)
    runs = ",\n  ".join(json.dumps(run, ensure_ascii=False) for run in cell.runs)
    write_whole(path, f'{text[:-2]},\n "runs": [\n  {runs}\n ]\n}}\n')


def dimension_name(dimensions: Sequence[int]) -> str:
    """Name homology dimensions, such as "H0+H1".

    Parameters
    ----------
    dimensions : sequence of int

    Returns
    -------
    str
    """
    return "+".join(f"H{dimension}" for dimension in dimensions)
