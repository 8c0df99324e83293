"""Measuring the cells of a task run by run, going on where it was stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tqdm import tqdm

from swviz.experiments.cells import Cell, Protocol
from swviz.experiments.grams import KernelGrams, ScaleSpaceGrams, SlicedGrams
from swviz.experiments.protocol import tune_and_test
from swviz.experiments.results import CellResult, read_cell, write_cell
from swviz.experiments.store import ResultError, environment, put_aside, today
from swviz.experiments.tasks import Task
from swviz.experiments.weighted_grams import Form, WeightedGaussianGrams
from swviz.learning import RunReport

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
        for grams, group in _groups(task, [c for c in results if missing[c]], protocol):
            for run in range(protocol.n_runs):
                for cell in group:
                    if run not in missing[cell]:
                        continue
                    report = _one_run(task, cell, grams, run, protocol)
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


def _groups(
    task: Task, cells: Sequence[Cell], protocol: Protocol
) -> Iterator[tuple[KernelGrams, list[Cell]]]:
    """Cells that share Gram matrices; only one group's are kept at a time."""
    keys = dict.fromkeys((c.kernel.split("-")[0], c.n_directions) for c in cells)
    for kernel, n_directions in keys:
        group = [
            cell
            for cell in cells
            if (cell.kernel.split("-")[0], cell.n_directions) == (kernel, n_directions)
        ]
        grams: KernelGrams
        if kernel == "SW":
            grams = SlicedGrams(task, n_directions, protocol.n_jobs)
        elif kernel == "PSS":
            grams = ScaleSpaceGrams(task, protocol.n_jobs)
        else:
            grams = WeightedGaussianGrams(task, protocol.n_jobs)
        yield grams, group


def _one_run(
    task: Task, cell: Cell, grams: KernelGrams, run: int, protocol: Protocol
) -> RunReport:
    train, test = task.split(run)
    prepare = grams.candidates
    if isinstance(grams, WeightedGaussianGrams):
        form: Form = "paper" if cell.kernel == "PWG-printed" else "squared"
        prepare = partial(grams.candidates, form=form)
    name = f"{cell.kernel} {cell.n_directions or ''}".strip()
    with tqdm(desc=f"  {name}: matrices", leave=False, disable=None) as bar:
        candidates = prepare(cell.dimensions, train, test, run, _shown_in(bar))
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
        "parameters": _plain(report.parameters),
        "gram_cpu_seconds": round(report.gram_seconds, 3),
        "tuning_cpu_seconds": round(report.tuning_seconds, 2),
        "confusion": report.confusion.tolist(),
        "date": today(),
        "environment": environments.index(here),
    }
    runs = sorted([*result.runs, record], key=lambda one: one["run"])
    return replace(result, runs=tuple(runs), environments=tuple(environments))


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
    dimensions = "+".join(f"H{dimension}" for dimension in result.dimensions)
    latest = next(one for one in result.runs if one["run"] == run)
    return (
        f"{result.experiment} {result.dataset}, {result.label}, {dimensions}, run "
        f"{run}: {latest['accuracy']:.1%} (mean of {len(result.runs)}: "
        f"{result.accuracy:.1%})"
    )
