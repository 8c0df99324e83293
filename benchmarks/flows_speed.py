"""Means of diagrams beside GUDHI's barycentre, on the same sets, and flows.

Run from the root of the project::

    python -m benchmarks.flows_speed [--large] [--patience SECONDS]

Both start from the same member. GUDHI's ``lagrangian_barycenter`` (which needs POT,
``pip install pot``) minimises the mean of squared d2, and is stopped after ten minutes
of its processor's time: it goes on for ever where its matchings come back. ``--large``
measures instead 5, 10 and 20 of 100 diagrams of about 900 points, GUDHI's as far as its
patience goes, and all 100.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty
from typing import Any

import numpy as np

import swviz as sw
from benchmarks.timing import seconds, table
from swviz.diagrams import Diagram

PATIENCE = 600
"""Seconds of a processor that GUDHI gets."""

SHARES = (5, 10, 20, 100)
"""Diagrams of the large set."""


def barycentre(members: list[Diagram], start: int, answers: Any) -> None:
    from gudhi.wasserstein.barycenter import lagrangian_barycenter

    # Its diagrams are changed in place.
    copies = [np.array(member) for member in members]
    began = time.process_time()
    found = lagrangian_barycenter(copies, init=start)
    answers.put((np.asarray(found), time.process_time() - began))


def gudhi_mean(
    members: list[Diagram], start: int, patience: float
) -> tuple[Diagram, float] | None:
    """Return GUDHI's mean and its time, or None if it took too long."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=barycentre, args=(members, start, answers))
    process.start()
    try:
        while process.is_alive():
            try:
                found: tuple[Diagram, float] = answers.get(timeout=1)
                return found
            except Empty:
                if spent_by(process.pid) > patience:
                    break
        return None
    finally:
        process.terminate()
        process.join()


def spent_by(pid: int | None) -> float:
    """Return the processor's time of another process, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quality(mean: Diagram, members: list[Diagram]) -> list[str]:
    """Return number of points, mean SW and mean squared d2."""
    distances = sw.sliced_wasserstein_matrix([mean], members, rule="diagonal")
    matched = sw.diagram_distance_matrix([mean], members, p=2)
    return [
        str(len(mean)),
        f"{distances.mean():.4f}",
        f"{np.square(distances).mean() ** 0.5:.4f}",
        f"{np.square(matched).mean():.3g}",
    ]


def compare(
    name: str, members: list[Diagram], patience: float = PATIENCE
) -> list[list[str]]:
    rows = []
    began, worked = time.perf_counter(), time.process_time()
    own = sw.sliced_mean(members, n_jobs=2)
    took = seconds(time.perf_counter() - began), seconds(time.process_time() - worked)
    rows.append([f"{name}: swviz", *took, *quality(own.diagram, members)])
    if patience:
        peer = gudhi_mean(members, own.start, patience)
        if peer is None:
            text = f"not within {patience:g} s"
            rows.append([f"{name}: GUDHI", "", text, *4 * [""]])
        else:
            spent = seconds(peer[1])
            rows.append([f"{name}: GUDHI", "", spent, *quality(peer[0], members)])
    start = quality(members[own.start], members)
    rows.append([f"{name}: the member at the start", "", "", *start])
    return rows


def flows() -> list[list[str]]:
    rng = np.random.default_rng(0)

    def pair(n: int) -> tuple[Diagram, Diagram]:
        first, second = (np.sort(rng.random((n, 2)), axis=1) for _ in range(2))
        return first, second

    clouds = sw.sources.from_preset("point_clouds", "small")
    loops, labels = clouds.in_dimension(1), clouds.labels.tolist()
    built_in = loops[labels.index("circle")], loops[labels.index("figure eight")]
    pairs: dict[str, Callable[[], tuple[Diagram, Diagram]]] = {
        "circle to figure eight": lambda: built_in,
        "100 random points to 100": lambda: pair(100),
        "900 random points to 900": lambda: pair(900),
    }
    rows = []
    for name, make in pairs.items():
        first, second = make()
        began = time.perf_counter()
        flow = sw.sliced_flow(first, second, random_state=0)
        took = time.perf_counter() - began
        left = sw.sliced_wasserstein_exact(flow.path[-1], second)
        part = left / sw.sliced_wasserstein_exact(first, second)
        steps = str(len(flow.path) - 1)
        rows.append([name, seconds(took), steps, f"{100 * part:.3f}%"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--patience", type=float, default=PATIENCE)
    arguments = parser.parse_args()
    header = ("mean", "time", "of processors", "points", "mean SW", "root mean SW²")
    header = *header, "mean d2²"
    patience = arguments.patience
    if arguments.large:
        large = sw.sources.orbits(n_orbits=20, n_points=1000).in_dimension(1)
        rows = []
        for count in SHARES:
            part = large[:: len(large) // count]
            rows += compare(f"{count} orbits, about 900 points", part, patience)
            if len(rows[-2]) > 2 and "not within" in rows[-2][2]:
                # More of them would take longer still.
                patience = 0
        print(table(header, rows))
        return
    orbits = sw.sources.orbits(r=(2.5,), n_orbits=6, n_points=370)
    clouds = sw.sources.from_preset("point_clouds", "small")
    sets = {"6 orbits, about 330 points": orbits.in_dimension(1)}
    for name in ("circle", "figure eight"):
        sets[f"6 times {name}"] = clouds[clouds.labels == name].in_dimension(1)
    rows = [
        row
        for name, members in sets.items()
        for row in compare(name, members, patience)
    ]
    print(table(header, rows))
    print()
    print(table(("flow", "time", "steps", "exact SW left"), flows()))


if __name__ == "__main__":
    main()
