"""Peers and swviz in one process, on the same data: ``python -m benchmarks.run``.

Prints Markdown tables and writes them to benchmarks/results.md, from where
docs/make_tables.py takes them to the pages. ``--shapes FOLDER`` adds the direction
rules on diagrams of the meshes in that folder, ``--dry`` writes nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import persim
from gudhi.hera import wasserstein_distance
from gudhi.representations.metrics import pairwise_persistence_diagram_distances
from scipy.spatial.distance import pdist, squareform

import swviz as sw
from benchmarks.timing import best_time, in_turns, seconds, table
from swviz.sources import orbits, random_diagrams, shapes
from tests import naive

HERE = Path(__file__).parent
RESULTS = HERE / "results.md"


def gudhi_matrix(X, M, n_jobs=None):
    # GUDHI leaves the last direction out: ask for one more to get M of them.
    return pairwise_persistence_diagram_distances(
        X, metric="sliced_wasserstein", num_directions=M + 1, n_jobs=n_jobs
    )


def persim_matrix(X, M):
    D = np.zeros((len(X), len(X)))
    for i in range(len(X)):
        for j in range(i):
            D[i, j] = D[j, i] = persim.sliced_wasserstein(X[i], X[j], M)
    return D


def matrices(large, small) -> str:
    rows = []
    for name, X, M, repetitions in (
        (f"{len(large)} orbits, H1, about {mean_size(large)} points", large, 6, 3),
        (f"{len(small)} random diagrams of {mean_size(small)} points", small, 10, 5),
    ):
        own = {
            "swviz": lambda X=X, M=M: sw.sliced_wasserstein_matrix(X, n_directions=M),
            "GUDHI": lambda X=X, M=M: gudhi_matrix(X, M),
            "swviz 2": lambda X=X, M=M: sw.sliced_wasserstein_matrix(
                X, n_directions=M, n_jobs=2
            ),
            "GUDHI 2": lambda X=X, M=M: gudhi_matrix(X, M, n_jobs=2),
        }
        timed = in_turns(own, repetitions)
        few = X[:6]
        _, persim_time = best_time(lambda few=few, M=M: persim_matrix(few, M), 1)
        persim_time *= len(X) * (len(X) - 1) / (len(few) * (len(few) - 1))
        check_same_directions(X[:3], M)
        ours = timed["swviz"][1]
        rows.append(
            (
                f"{name}, M = {M}", seconds(ours), seconds(timed["GUDHI"][1]),
                f"{timed['GUDHI'][1] / ours:.1f}x", f"{persim_time / ours:.0f}x",
                seconds(timed["swviz 2"][1]), seconds(timed["GUDHI 2"][1]),
                f"{timed['GUDHI 2'][1] / timed['swviz 2'][1]:.1f}x",
            )
        )  # fmt: skip
    head = ("SW_M matrix", "swviz", "GUDHI", "ratio", "ratio to persim",
            "swviz, 2 threads", "GUDHI, 2 jobs", "ratio")  # fmt: skip
    return table(head, rows)


def check_same_directions(X, M):
    """GUDHI's M directions are the first M of the paper's M + 1."""
    same = sw.directions(M + 1)[:-1]
    ours = [[sw.slice_costs(A, B, same).mean() for B in X] for A in X]
    np.testing.assert_allclose(gudhi_matrix(X, M), ours, rtol=1e-12, atol=1e-14)


def exact_distances(pairs: dict[str, tuple]) -> str:
    """Single pairs of H1 and H0, with GUDHI's C++ beside them."""
    rows = []
    timed = in_turns(
        {
            name: lambda pair=pair: sw.sliced_wasserstein_exact(*pair)
            for name, pair in pairs.items()
        },
        5,
    )
    for name, (A, B) in pairs.items():
        value, ours = timed[name]
        dense = sw.slice_costs(A, B, sw.directions(40_000, "diagonal")).mean()
        size = f"{name}, {len(A)} + {len(B)} points"
        rows.append((size, seconds(ours), "1", f"{abs(value / dense - 1):.0e}"))
        theirs = gudhi_exact(A, B)
        if theirs is None:
            missing = "not measured: needs libgudhi-dev and g++"
            rows.append(("GUDHI's C++", missing, "", ""))
            continue
        rows.append(
            (
                "GUDHI's C++ (-O3), same pair",
                seconds(theirs[1]),
                f"{theirs[1] / ours:.1f}",
                f"{abs(theirs[0] / dense - 1):.0e}",
            )
        )
    A, B = next(iter(pairs.values()))
    few = A[:25], B[:25]
    truth, ours_few = best_time(lambda: sw.sliced_wasserstein_exact(*few), 5)
    printed, slow = best_time(lambda: naive.algorithm_2(*few), 1)
    truth = naive.exact_by_pieces(*few)
    rows.append(("25 + 25 points", seconds(ours_few), "1", error(few, truth)))
    rows.append(
        (
            "Algorithm 2 as printed (Python), same pair",
            seconds(slow),
            f"{slow / ours_few:.0f}",
            f"{abs(printed / truth - 1):.0e}",
        )
    )
    return table(("exact SW of one pair", "time", "times swviz's", "error"), rows)


def exact_matrix(small) -> str:
    """Small diagrams in a matrix, where swviz works on many pairs at once."""
    matrix, ours = best_time(
        lambda: sw.sliced_wasserstein_matrix(small, n_directions="exact"), 3
    )
    A, B = small[:2]
    single, alone = best_time(lambda: sw.sliced_wasserstein_exact(A, B), 20)
    np.testing.assert_allclose(matrix[0, 1], single, rtol=1e-12)
    pairs = len(small) * (len(small) - 1) / 2
    rows = [
        (f"swviz, matrix of {len(small)} diagrams", seconds(ours / pairs)),
        ("swviz, one pair", seconds(alone)),
    ]
    theirs = gudhi_exact(A, B)
    missing = "not measured: needs libgudhi-dev and g++"
    rows.append(
        ("GUDHI's C++ (-O3), one pair", seconds(theirs[1]) if theirs else missing)
    )
    return table((f"exact SW, {len(A)} + {len(B)} points", "time of a pair"), rows)


def error(pair, truth) -> str:
    return f"{abs(sw.sliced_wasserstein_exact(*pair) / truth - 1):.0e}"


def gudhi_exact(A, B) -> tuple[float, float] | None:
    """Value and time of GUDHI's C++ exact mode, if it can be compiled here."""
    compiler = shutil.which("g++")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "gudhi_exact"
        command = [compiler, "-O3", "-march=native", "-std=c++17", "-w",
                   str(HERE / "gudhi_exact.cpp"), "-o", str(program)]  # fmt: skip
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
        for name, diagram in (("a", A), ("b", B)):
            np.savetxt(Path(folder) / name, diagram)
        answer = subprocess.run(
            [program, Path(folder) / "a", Path(folder) / "b", "3"],
            capture_output=True, check=True, text=True,
        )  # fmt: skip
        value, taken = answer.stdout.split()
        return float(value), float(taken)


def embedding(large) -> str:
    M, T = 6, 1024

    def embed():
        vectors = sw.SlicedWassersteinEmbedding(M, T).fit_transform(large)
        return squareform(pdist(vectors, "cityblock"))

    found, ours = best_time(embed)
    _, theirs = best_time(lambda: gudhi_matrix(large, M), 1)
    truth = sw.sliced_wasserstein_matrix(large, n_directions=M, n_jobs=-1)
    above = np.triu_indices(len(large), 1)
    short = 1 - found[above] / truth[above]
    bounds = sw.SlicedWassersteinEmbedding(M, T).fit(large).error_bounds(large)
    certified = bounds[above[0]] + bounds[above[1]]
    outside = (truth[above] - found[above] > certified * (1 + 1e-9)).sum()
    row = (
        f"{len(large)} orbits, H1, M = {M}, T = {T}", seconds(ours), seconds(theirs),
        f"{theirs / ours:.0f}x", f"{100 * short.mean():.2f}%",
        f"{100 * short.max():.2f}%", f"{100 * np.mean(certified / truth[above]):.2f}%",
        int(outside),
    )  # fmt: skip
    head = ("embedding, fit included", "swviz", "GUDHI's matrix", "ratio", "mean error",
            "largest error", "mean bound", "outside of bound")  # fmt: skip
    return table(head, [row])


def rules(sets: dict[str, list]) -> str:
    rows = []
    several = (6, 7, 8, 9, 10, 12, 14, 16, 20)
    for name, X in sets.items():
        exact = sw.sliced_wasserstein_matrix(X, n_directions="exact", n_jobs=-1)
        above = np.triu_indices(len(X), 1)
        above = tuple(side[exact[above] > 0] for side in above)
        for rule in ("paper", "diagonal"):
            errors = []
            for M in several:
                D = sw.sliced_wasserstein_matrix(X, n_directions=M, rule=rule)
                errors.append(np.abs(D[above] / exact[above] - 1).mean())
            rows.append((f"{name}, {rule} rule", *(f"{100 * e:.2f}%" for e in errors)))
    return table(("mean error of SW_M", *(f"M = {M}" for M in several)), rows)


def scaling() -> str:
    rows = []
    for n in (50, 100, 200, 400, 800, 1600, 3200):
        A, B = random_diagrams("uniform", n_diagrams=2, n_points=n).in_dimension(1)
        once = 1 if n > 1000 else 3
        _, slices = best_time(lambda A=A, B=B: sw.sliced_wasserstein(A, B, 50), 5)
        _, exact = best_time(lambda A=A, B=B: sw.sliced_wasserstein_exact(A, B), once)
        _, matching = best_time(lambda A=A, B=B: sw.diagram_distance(A, B), once)
        _, hera = best_time(
            lambda A=A, B=B: wasserstein_distance(A, B, order=1, internal_p=np.inf),
            once,
        )
        cells = (seconds(t) for t in (slices, exact, matching, hera))
        rows.append((f"{n} + {n} points", *cells))
    head = ("one pair", "SW_50", "exact SW", "d1", "d1 by Hera, 1% error")
    return table(head, rows)


def scaling_in_diagrams() -> str:
    rows = []
    for n in (100, 200, 400, 800):
        X = random_diagrams("uniform", n_diagrams=n, n_points=15).in_dimension(1)
        timed = [
            best_time(
                lambda X=X, M=M: sw.sliced_wasserstein_matrix(X, n_directions=M), 2
            )
            for M in (10, 50, "exact")
        ]
        pairs = n * (n - 1) / 2
        rows.append((f"{n} diagrams", *(f"{seconds(t)} ({seconds(t / pairs)} a pair)"
                                        for _, t in timed)))  # fmt: skip
    return table(("matrix, 15 points each", "SW_10", "SW_50", "exact SW"), rows)


def mean_size(X) -> int:
    return round(np.mean([len(diagram) for diagram in X]))


def shape_sets(folder: Path | None) -> dict[str, list]:
    if folder is None:
        return {}
    meshes = shapes(folder, every=400)
    rng = np.random.default_rng(0)
    some = rng.choice(len(meshes), min(60, len(meshes)), replace=False)
    return {folder.name: meshes[np.sort(some)].in_dimension(1)}


def sections(shapes_folder: Path | None) -> Iterator[tuple[str, Callable[[], str]]]:
    data = orbits(n_orbits=50)
    large = data.in_dimension(1)
    components = data.in_dimension(0)
    small = random_diagrams("uniform", n_diagrams=200, n_points=15).in_dimension(1)
    yield "Matrices", lambda: matrices(large[::3], small)
    pairs = {
        "orbits, H1": (large[0], large[-1]),
        "orbits, H0": (components[0], components[-1]),
    }
    yield "Exact distance", lambda: exact_distances(pairs)
    yield "Exact distances of small diagrams", lambda: exact_matrix(small[:100])
    yield "Embedding", lambda: embedding(large)
    sets = {"orbits H0": components[::10], "orbits H1": large[::10]}
    yield "Direction rules", lambda: rules(sets | shape_sets(shapes_folder))
    yield "Scaling in points", scaling
    yield "Scaling in diagrams", scaling_in_diagrams


def machine() -> str:
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("numpy", "gudhi", "persim")
    )
    return (
        f"Python {platform.python_version()}, {versions}; {os.cpu_count()} cores "
        f"({platform.machine()})."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shapes", type=Path, help="a category of meshes, as a folder")
    parser.add_argument("--dry", action="store_true", help="write no files")
    options = parser.parse_args()
    parts = [machine()]
    for title, section in sections(options.shapes):
        print(f"{title} ...", file=sys.stderr)
        parts.append(section())
        print(parts[-1] + "\n", flush=True)
    if not options.dry:
        RESULTS.write_text("\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
