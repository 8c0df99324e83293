"""The Distortion view, measured: ``python -m benchmarks.distortion_speed``.

Prints two Markdown tables: how long each bandwidth takes to redraw about 500 pairs, and
how many pairs a second get their d1 and SW. ``--orbits`` is the number of orbits of
1,000 points in the large set.
"""

from __future__ import annotations

import argparse
import time

import swviz as sw
from benchmarks.timing import best_time, seconds, table
from swviz.app.tabs.distortion.view import DistortionView
from swviz.diagrams import DiagramSet
from swviz.sources import from_preset, orbits
from swviz.studies import PairDistances

N_DIAGRAMS = 32
"""496 pairs."""


def redraw(name: str, data: DiagramSet) -> list[list[str]]:
    """Time each bandwidth: half, then double, as a slider would."""
    view = DistortionView(data, n_diagrams=N_DIAGRAMS)
    rows = []
    for owner, width in (
        (view.workspace, "sigma"),
        (view.widths, "sigma_d1"),
        (view.widths, "tau"),
        (view.widths, "t"),
        (view.widths, "rho"),
    ):
        start = getattr(owner, width)
        spent = []
        for factor in (0.5, 1.0, 2.0):
            begin = time.perf_counter()
            setattr(owner, width, start * factor)
            spent.append(time.perf_counter() - begin)
        rows.append([f"{name}, {view.n_shown} pairs: {width}", seconds(max(spent))])
    return rows


def throughput(name: str, diagrams: list, n_directions: int | str) -> list[list[str]]:
    """Time d1 alone, and d1 with SW, with one thread and with two."""
    rows = []
    n_pairs = len(diagrams) * (len(diagrams) - 1) // 2
    for jobs in (1, 2):
        _, spent = best_time(
            lambda jobs=jobs: sw.diagram_distance_matrix(diagrams, n_jobs=jobs), 1
        )
        row = [f"{name}: d1, {jobs} thread(s)", f"{n_pairs / spent:.0f}"]
        rows.append(row)
        _, spent = best_time(
            lambda jobs=jobs: PairDistances(diagrams, n_directions=n_directions).run(
                n_jobs=jobs
            ),
            1,
        )
        rows.append([f"{name}: d1 and SW, {jobs} thread(s)", f"{n_pairs / spent:.0f}"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orbits", type=int, default=35)
    arguments = parser.parse_args()
    uniform = from_preset("random_diagrams", "uniform", n_diagrams=N_DIAGRAMS)
    large = orbits(n_orbits=-(-arguments.orbits // 5))
    rows = redraw("50 points", uniform)
    rows += redraw("orbits of 1,000 points", DiagramSet({1: large.in_dimension(1)}))
    print(table(["Redraw", "slowest of three"], rows), end="\n\n")
    rows = throughput("50 points, exact SW", uniform.in_dimension(1), "exact")
    rows += throughput(
        "orbits of 1,000 points, 50 directions", large.in_dimension(1)[:8], 50
    )
    print(table(["Pairs", "a second"], rows))


if __name__ == "__main__":
    main()
