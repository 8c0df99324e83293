"""Measuring the cells of a task run by run, going on where it was stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from swviz.experiments.cells import Cell, Protocol
from swviz.experiments.results import (
    CellResult,
    dimension_name,
    read_cell,
    write_cell,
)
from swviz.experiments.store import (
    Record,
    ResultError,
    environment,
    put_aside,
    today,
)
from swviz.experiments.tasks import Task
from swviz.learning import (
    PWG_GRID,
    CandidateSource,
    RunReport,
    candidate_source,
    tune_and_test,
)

Tell = Callable[[str], object]

_PWG_NOTE = (
    "The paper prints k_PWG with the norm, Kusano et al. with its square: PWG is "
    "squared, PWG-printed is as printed. Which one the paper ran is not known."
)


def run_task(
    task: Task,
    cells: Iterable[Cell],
    folder: Path,
    protocol: Protocol,
    tell: Tell = tqdm.write,
) -> list[CellResult]:
    """Measure what is missing, and keep each run as soon as it is finished.

    Parameters
    ----------
    task : Task
    cells : iterable of Cell
    folder : Path
        Of all results.
    protocol : Protocol
    tell : callable, optional
        Told what is going on, a line at a time.

    Returns
    -------
    list of CellResult
    """
    results: dict[Cell, CellResult] = {}
    place = folder / task.experiment / task.name
    data = task.describe()
    for cell in cells:
        setting = {
            "experiment": task.experiment,
            "dataset": task.name,
            "paper_row": task.paper_row,
            "kernel": cell.describe(task),
            "dimensions": list(cell.dimensions),
            "data": data,
            "protocol": protocol.describe(),
        }
        notes = task.notes + ((_PWG_NOTE,) if "PWG" in cell.kernel else ())
        results[cell] = resume(place / cell.file_name, CellResult(setting, notes), tell)
    missing = {
        cell: [
            run
            for run in range(protocol.n_runs)
            if run not in {done["run"] for done in result.runs}
        ]
        for cell, result in results.items()
    }
    total = sum(map(len, missing.values()))
    with tqdm(total=total, desc=f"{task.experiment}, {task.name}", disable=None) as bar:
        for group in _groups(cell for cell in results if missing[cell]):
            source = candidate_source(
                group[0].make_kernel(task, protocol.n_jobs),
                task.diagrams,
                None if task.is_random else [task.split(0)],
                clock=time.process_time,
            )
            for run in range(protocol.n_runs):
                for cell in group:
                    if run not in missing[cell]:
                        continue
                    report = _one_run(task, cell, source, run, protocol)
                    results[cell] = _add(results[cell], run, report)
                    write_cell(place / cell.file_name, results[cell])
                    bar.update()
                    tell(_line(results[cell], run))
    return list(results.values())


def resume(path: Path, new: CellResult, tell: Tell) -> CellResult:
    """Take up what was measured before, if it was the same.

    Anything else is put aside under another name, never lost.

    Parameters
    ----------
    path : Path
    new : CellResult
        What is to be measured, without runs.
    tell : callable

    Returns
    -------
    CellResult
    """
    if not path.exists():
        return new
    try:
        old = read_cell(path, tell)
    except ResultError as error:
        tell(f"{error}: kept as {put_aside(path)}, measured again")
        return new
    if old.setting != new.setting:
        tell(
            f"{path.name} was measured with other settings or data: kept as "
            f"{put_aside(path)}, measured again"
        )
        return new
    return replace(new, runs=old.runs, environments=old.environments)


def _groups(cells: Iterable[Cell]) -> Iterator[list[Cell]]:
    """Cells that share matrices; only one group's are kept at a time."""
    groups: dict[object, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(cell.shared_key, []).append(cell)
    yield from groups.values()


def _one_run(
    task: Task, cell: Cell, source: CandidateSource, run: int, protocol: Protocol
) -> RunReport:
    train, test = task.split(run)
    name = f"{cell.kernel} {cell.n_directions or ''}".strip()
    with tqdm(desc=f"  {name}: matrices", leave=False, disable=None) as bar:
        candidates = source.candidates(
            train, test, progress=_shown_in(bar), **cell.choices(run)
        )
    with tqdm(desc=f"  {name}: run {run}", leave=False, disable=None) as bar:
        return tune_and_test(
            candidates,
            task.labels,
            train,
            test,
            C=protocol.C,
            n_splits=protocol.n_splits,
            random_state=run,
            n_jobs=protocol.n_jobs,
            progress=_shown_in(bar),
        )


def _shown_in(bar: Any) -> Callable[[int, int], object]:
    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)

    return show


def _add(result: CellResult, run: int, report: RunReport) -> CellResult:
    here = environment()
    environments = list(result.environments)
    if here not in environments:
        environments.append(here)
    setting, cost = report.grid.best
    record = {
        "run": run,
        "accuracy": round(report.accuracy, 6),
        "cv_accuracy": round(float(report.grid.mean[setting, cost]), 6),
        "C": report.C,
        "parameters": _plain(chosen_parameters(report)),
        "gram_cpu_seconds": round(report.gram_seconds, 3),
        "tuning_cpu_seconds": round(report.tuning_seconds, 2),
        "confusion": report.confusion.tolist(),
        "date": today(),
        "environment": environments.index(here),
    }
    runs = sorted([*result.runs, record], key=lambda one: one["run"])
    return replace(result, runs=tuple(runs), environments=tuple(environments))


def chosen_parameters(report: RunReport) -> Record:
    """Return the parameters that a run chose, as results hold them.

    Parameters
    ----------
    report : RunReport

    Returns
    -------
    dict
        For k_PWG with the factors of its heuristics, and without p: that is a setting.
    """
    parameters = {key: one for key, one in report.parameters.items() if key != "p"}
    if "tau" in parameters:
        parameters["factors"] = list(PWG_GRID[report.grid.best[0]])
    return parameters


def _plain(value: Any) -> Any:
    """Parameters as JSON has them, with keys such as H1 for homology dimensions."""
    if isinstance(value, dict):
        return {
            f"H{key}" if isinstance(key, int) else key: _plain(one)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str) else float(f"{value:.6g}")


def _line(result: CellResult, run: int) -> str:
    dimensions = dimension_name(result.dimensions)
    latest = next(one for one in result.runs if one["run"] == run)
    return (
        f"{result.experiment} {result.dataset}, {result.label}, {dimensions}, run "
        f"{run}: {latest['accuracy']:.1%} (mean of {len(result.runs)}: "
        f"{result.accuracy:.1%})"
    )
