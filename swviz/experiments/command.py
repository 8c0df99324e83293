"""The experiments on the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from textwrap import fill
from typing import Any

from tqdm import tqdm

from swviz.errors import ParameterError, SwvizError
from swviz.experiments.cells import KERNEL_NAMES, Protocol, cells_of
from swviz.experiments.distortion import distortion_study
from swviz.experiments.results import EXPERIMENTS, STUDIES
from swviz.experiments.runs import run_task
from swviz.experiments.studies import direction_study, gram_times, run_study
from swviz.experiments.tables import write_tables
from swviz.experiments.tasks import Task, orbit_tasks, shape_tasks, texture_tasks

DIRECTIONS = (1, 2, 3, 4, 6, 8, 10, 15, 20, 30)
"""Numbers of directions that the study of them goes through."""

STUDIED_SHAPES = ("Airplane", "Ant", "Bird")
"""Categories of the study of directions, unless others are named."""

_HELP = """\
The paper's experiments. Every finished run is kept: the same command goes on where it
was stopped, and measures nothing twice.

orbit, texture, shapes   accuracies of Table 2, 10 runs each
times                    Gram matrix times of Table 3, and GUDHI's
directions               accuracy, time and ratio by number of directions, Figure 5
distortion               the kernels' distances against d1, Figure 6
tables                   write tables.md from what has been measured
all                      everything
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiments that the command line asks for.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.
    """
    options = _parser().parse_args(arguments)
    if options.out is None:
        # A trial must not take the place of results.
        options.out = Path("results-quick" if options.quick else "results")
    names: Sequence[str] = (options.experiment,)
    if options.experiment == "all":
        names = (*EXPERIMENTS, *STUDIES)
    try:
        for name in names:
            if name in EXPERIMENTS:
                _measure(name, options)
            elif name != "tables":
                _study(name, options)
        print(f"tables: {write_tables(options.out)}")
    except SwvizError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit("stopped; finished runs are kept, the same command goes on")


def _measure(experiment: str, options: argparse.Namespace) -> None:
    for task in _tasks(experiment, options):
        tqdm.write(f"{experiment}: {task.label}")
        for note in task.notes:
            tqdm.write(fill(note, 88, initial_indent="  ", subsequent_indent="  "))
        cells = cells_of(task, options.kernels, options.directions)
        run_task(task, cells, options.out, _protocol(options), tqdm.write)


def _study(name: str, options: argparse.Namespace) -> None:
    quick, n_jobs = options.quick, options.jobs
    shapes = partial(_tasks, "shapes", options)
    if name == "distortion":
        # The paper's figure is about airplanes.
        category = None if options.data is None else ["Airplane"]
        measure = partial(
            distortion_study,
            n_pairs=50 if quick else 600,
            n_splits=2 if quick else 10,
            n_jobs=n_jobs,
        )
        run_study(name, shapes(options.categories or category), measure, options.out)
        return
    # The orbit task with the counts of Table 1, whose times Table 3 has.
    small = list(_tasks("orbit", options))[:2][-1:]
    if name == "times":
        tasks = chain(shapes(), small)
        run_study(name, tasks, gram_times, options.out)
        return
    several_M = [M for M in options.directions or DIRECTIONS if M != "exact"]
    categories = None if options.data is None else STUDIED_SHAPES
    tasks = chain(shapes(options.categories or categories), small)
    measure = partial(
        direction_study,
        several_M=several_M[:3] if quick else several_M,
        n_pairs=20 if quick else 200,
    )
    for task in tasks:
        run_study(name, [task], measure, options.out)
        cells = [
            cell
            for cell in cells_of(task, ["SW"], measure.keywords["several_M"])
            if cell.dimensions == task.dimensions[-1]
        ]
        run_task(task, cells, options.out, _protocol(options), tqdm.write)


def _protocol(options: argparse.Namespace) -> Protocol:
    return Protocol(
        n_runs=options.runs,
        n_splits=3 if options.quick else 10,
        n_jobs=options.jobs,
        quick=options.quick,
    )


def _tasks(
    experiment: str,
    options: argparse.Namespace,
    categories: Sequence[str] | None = None,
) -> Iterator[Task]:
    shared: dict[str, Any] = {"quick": options.quick, "n_jobs": options.jobs}
    if options.data is not None and not options.data.is_dir():
        raise ParameterError(f"--data: there is no folder {options.data}")
    if experiment == "orbit":
        return orbit_tasks(**shared)
    if experiment == "texture":
        return texture_tasks(options.data, **shared)
    return shape_tasks(options.data, categories or options.categories, **shared)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m swviz.experiments",
        description=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiment", choices=(*EXPERIMENTS, *STUDIES, "tables", "all"))
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="with shapes/<Category>/<n>.off and <n>_labels.txt, and "
        "textures/<set>/<class>/<picture>.png; without it, built-in data",
    )
    add("--categories", nargs="+", metavar="NAME", help="of shapes; all by default")
    add("--runs", type=_count, default=10, help="10 by default, as in the paper")
    add(
        "--kernels",
        nargs="+",
        choices=KERNEL_NAMES,
        default=KERNEL_NAMES,
        help="PWG squares the norm as its authors do, PWG-printed does not, as the "
        "paper prints it; all by default",
    )
    add(
        "--directions",
        nargs="+",
        type=_directions,
        metavar="M",
        help="of k_SW, numbers or 'exact'; by default 6 for orbits and textures, 10 "
        "and exact for shapes",
    )
    add("--jobs", type=int, default=1, help="threads; 1 by default, -1 for all cores")
    add("--quick", action="store_true", help="small data, to try the code in seconds")
    add("--out", type=Path, help="results/ by default, results-quick/ with --quick")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 1000:
        raise argparse.ArgumentTypeError("from 1 to 1000")
    return number


def _directions(text: str) -> Any:
    return text if text == "exact" else _count(text)
