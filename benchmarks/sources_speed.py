"""How long the sources take, and whether real data have the paper's numbers.

Run from the root of the project, with folders of data if there are any::

    python -m benchmarks.sources_speed --shapes <folder of categories> \
        --textures <folder of class folders>
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tqdm import tqdm

from benchmarks.timing import best_time, seconds, table
from swviz.diagrams import DiagramSet
from swviz.sources import orbits, point_clouds, shapes, textures, train_test

PAPER_COUNTS = {
    "Human": (415, 1618),
    "Airplane": (300, 980),
    "Ant": (364, 1141),
    "Bird": (257, 832),
    "FourLeg": (438, 1097),
    "Octopus": (334, 1447),
    "Fish": (304, 905),
}
"""Training and test instances in the paper's Table 1."""


def timed(
    what: str, make: Callable[..., DiagramSet], **parameters: Any
) -> tuple[Any, float]:
    with tqdm(desc=what, leave=False) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        return best_time(
            lambda: make(**parameters, progress=progress, cache=False), repetitions=1
        )


def generated_rows(n_jobs: int) -> list[tuple[str, int, str]]:
    calls: dict[str, tuple[Callable[..., DiagramSet], dict[str, Any]]] = {
        "500 orbits of 1000 points, H0 and H1": (orbits, {"n_orbits": 100}),
        "40 clouds of 200 points, alpha": (point_clouds, {}),
        "40 clouds of 200 points, Rips": (point_clouds, {"complex": "rips"}),
        "48 photographs of 128 x 128": (textures, {}),
        "figure in ten poses": (shapes, {}),
    }
    rows = []
    for what, (make, parameters) in calls.items():
        made, time = timed(what, make, **parameters, n_jobs=n_jobs)
        rows.append((what, len(made), seconds(time)))
    return rows


def shape_rows(folder: Path, n_jobs: int) -> list[tuple[str, str, str, str]]:
    rows = []
    for category, (paper_train, paper_test) in PAPER_COUNTS.items():
        made, time = timed(category, shapes, meshes=folder / category, n_jobs=n_jobs)
        train, test = train_test(made)
        rows.append(
            (
                category,
                f"{len(train)} ({paper_train})",
                f"{len(test)} ({paper_test})",
                seconds(time),
            )
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", type=Path, help="folder of shape categories")
    parser.add_argument("--textures", type=Path, help="folder of class folders")
    parser.add_argument("--n-jobs", type=int, default=2)
    options = parser.parse_args()
    print(table(("source", "diagrams", "time"), generated_rows(options.n_jobs)))
    if options.shapes:
        header = ("category", "train (paper)", "test (paper)", "time")
        print()
        print(table(header, shape_rows(options.shapes, options.n_jobs)))
    if options.textures:
        made, time = timed(
            "textures", textures, pictures=options.textures, n_jobs=options.n_jobs
        )
        print(f"\n{len(made)} pictures, {len(made.classes)} classes: {seconds(time)}")


if __name__ == "__main__":
    main()
