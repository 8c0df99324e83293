"""Means of diagrams beside GUDHI's barycentre, on the same sets, and flows.

Run from the root of the project::

    python -m benchmarks.flows_speed [--large]

Both start from the same member. GUDHI's ``lagrangian_barycenter`` (which needs POT,
``pip install pot``) minimises the mean of squared d2, and is stopped after ten minutes:
it goes on for ever where its matchings come back. ``--large`` adds 100 diagrams of
about 900 points.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from queue import Empty
from typing import Any

import numpy as np

import swviz as sw
from benchmarks.timing import seconds, table
from swviz.diagrams import Diagram

PATIENCE = 600
"""Seconds that GUDHI gets."""


def barycentre(members: list[Diagram], start: int, answers: Any) -> None:
    from gudhi.wasserstein.barycenter import lagrangian_barycenter

    # Its diagrams are changed in place.
    copies = [np.array(member) for member in members]
    began = time.perf_counter()
    found = lagrangian_barycenter(copies, init=start)
    answers.put((np.asarray(found), time.perf_counter() - began))


def gudhi_mean(members: list[Diagram], start: int) -> tuple[Diagram, float] | None:
    """Return GUDHI's mean and its time, or None if it took too long."""
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    process = context.Process(target=barycentre, args=(members, start, answers))
    process.start()
    try:
        found: tuple[Diagram, float] = answers.get(timeout=PATIENCE)
        return found
    except Empty:
        return None
    finally:
        process.terminate()
        process.join()


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


def compare(name: str, members: list[Diagram]) -> list[list[str]]:
    rows = []
    began = time.perf_counter()
    own = sw.sliced_mean(members, n_jobs=2)
    took = time.perf_counter() - began
    rows.append([f"{name}: swviz", seconds(took), *quality(own.diagram, members)])
    peer = gudhi_mean(members, own.start)
    if peer is None:
        text = f"not within {PATIENCE} s"
        rows.append([f"{name}: GUDHI", text, *4 * [""]])
    else:
        rows.append([f"{name}: GUDHI", seconds(peer[1]), *quality(peer[0], members)])
    start = quality(members[own.start], members)
    rows.append([f"{name}: the member at the start", "", *start])
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
    arguments = parser.parse_args()
    orbits = sw.sources.orbits(r=(2.5,), n_orbits=6, n_points=370)
    clouds = sw.sources.from_preset("point_clouds", "small")
    sets = {"6 orbits, about 330 points": orbits.in_dimension(1)}
    for name in ("circle", "figure eight"):
        sets[f"6 times {name}"] = clouds[clouds.labels == name].in_dimension(1)
    if arguments.large:
        large = sw.sources.orbits(n_orbits=20, n_points=1000)
        sets["100 orbits, about 900 points"] = large.in_dimension(1)
    rows = [row for name, members in sets.items() for row in compare(name, members)]
    header = ("mean", "time", "points", "mean SW", "root mean SW²", "mean d2²")
    print(table(header, rows))
    print()
    print(table(("flow", "time", "steps", "exact SW left"), flows()))


if __name__ == "__main__":
    main()
