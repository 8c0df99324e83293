"""Kernels and learning, measured: ``python -m benchmarks.kernels_speed``.

Prints a Markdown table for each part: ``speed`` (Gram matrices and tuning), ``pairs``
(2,000 diagrams against 400), ``large`` (5,000 diagrams by features, and what 100,000
would cost), ``orbits`` (the paper's classification task). Name some to leave out the
others. ``--runs`` and ``--pwg-runs`` are the splits that accuracies are averaged over,
``--kernels`` those of the orbit task.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.base import clone
from sklearn.svm import LinearSVC

import swviz as sw
from benchmarks.timing import best_time, seconds, table
from swviz.kernels import (
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
    pwg_heuristics,
)
from swviz.learning import (
    SlicedWassersteinFeatures,
    evaluate_kernel,
    random_splits,
    tune_on_distances,
)
from swviz.learning.grids import FACTORS
from swviz.sources import orbits

JOBS = 2
PARTS = ("speed", "pairs", "large", "orbits")
KERNELS = {
    "k_SW": SlicedWassersteinKernel(n_directions=6, method="embedding"),
    "k_PSS": PersistenceScaleSpaceKernel(),
    "k_PWG": PersistenceWeightedGaussianKernel(p=4),
    "k_PWG, squared": PersistenceWeightedGaussianKernel(p=4, form="squared"),
}


def clock(call):
    return best_time(call, 1)


def speed() -> str:
    data = orbits(n_orbits=50, n_jobs=JOBS)
    X = data.in_dimension(1)
    rows = []
    kernel = SlicedWassersteinKernel(0.3, 6, method="embedding", n_jobs=JOBS)
    _, spent = best_time(lambda: kernel.fit_transform(X))
    rows.append(["k_SW, M = 6, embedding: Gram matrix", seconds(spent), "1 s"])
    _, spent = best_time(
        lambda: sw.sliced_wasserstein_matrix(X, n_directions=6, n_jobs=JOBS), 1
    )
    rows.append(["k_SW, M = 6, slices: Gram matrix", seconds(spent), ""])
    for t in (0.001, 1.0, 1000.0):
        pss = PersistenceScaleSpaceKernel(t, n_jobs=JOBS)
        _, spent = best_time(lambda pss=pss: pss.fit_transform(X))
        rows.append([f"k_PSS, t = {t:g}: Gram matrix", seconds(spent), "2 s"])
    learnt, spent = clock(lambda: pwg_heuristics(X))
    rows.append(["k_PWG: heuristics", seconds(spent), ""])
    for factor in FACTORS:
        pwg = PersistenceWeightedGaussianKernel(
            **learnt.scaled(rho=factor), n_jobs=JOBS
        )
        _, spent = best_time(lambda pwg=pwg: pwg.fit_transform(X))
        rows.append([f"k_PWG, {factor:g} rho: Gram matrix", seconds(spent), "2 s"])
    fourier = PersistenceWeightedGaussianKernel(**learnt.scaled(), method="fourier")
    _, spent = clock(lambda: fourier.fit_transform(X))
    rows.append(["k_PWG, 1000 Fourier features: Gram matrix", seconds(spent), ""])
    distances = kernel.distances(X)
    train, test = random_splits(data.labels, 1, 0.3, 0, stratify=True)[0]
    report, spent = clock(
        lambda: tune_on_distances(distances, data.labels, train, test, n_jobs=JOBS)
    )
    shape = " x ".join(map(str, report.grid.accuracies.shape))
    rows.append(
        [f"tuning k_SW, {shape} machines, {len(train)} samples", seconds(spent), "30 s"]
    )
    header = [f"250 orbits, H1, {np.mean([len(d) for d in X]):.0f} points", "took"]
    return table([*header, "at most"], rows)


def pairs() -> str:
    rng = np.random.default_rng(0)
    X = [np.sort(rng.random((15, 2)), axis=1) for _ in range(2000)]
    rows = []
    for n_directions, limit in (("exact", "180 s"), (10, "10 s")):
        kernel = SlicedWassersteinKernel(0.3, n_directions, n_jobs=JOBS).fit(X[:400])
        _, spent = clock(lambda kernel=kernel: kernel.transform(X))
        rows.append([f"n_directions = {n_directions}", seconds(spent), limit])
    return table(["2,000 diagrams of 15 points against 400", "took", "at most"], rows)


def large() -> str:
    data = orbits(n_orbits=1000, n_points=200, n_jobs=JOBS, cache=False)
    X, labels = data.in_dimension(1), data.labels.astype(str)
    del data
    train, test = random_splits(labels, 1, 0.3, 0, stratify=True)[0]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    features = SlicedWassersteinFeatures(n_components=500, random_state=0, n_jobs=JOBS)
    start = time.perf_counter()
    _, fitting = clock(lambda: features.fit([X[i] for i in train]))
    known, embedding = clock(lambda: features.transform([X[i] for i in train]))
    machine = LinearSVC(C=10, dual=False)
    _, learning = clock(lambda: machine.fit(known, labels[train]))
    unknown = features.transform([X[i] for i in test])
    accuracy = machine.score(unknown, labels[test])
    whole = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    per_diagram, per_row = embedding / len(train), learning / len(train)
    points = np.mean([len(d) for d in X])
    rows = [
        [f"5,000 diagrams of {points:.0f} points", "train and predict", seconds(whole)],
        ["", "at most", "120 s"],
        ["", "peak memory (before)", f"{peak:.2f} GB ({before:.2f} GB)"],
        ["", "at most", "4 GB"],
        ["", "accuracy, 5 classes", f"{accuracy:.1%}"],
        ["one diagram", "500 features", seconds(per_diagram)],
        ["", "linear SVM", seconds(per_row)],
        ["500 landmarks", "Gram matrix, inverse root", seconds(fitting)],
        ["100,000 diagrams", "features", seconds(1e5 * per_diagram)],
        ["", "linear SVM", seconds(1e5 * per_row)],
        ["", "memory of the features", f"{1e5 * 500 * 8 / 1e9:.2f} GB"],
        ["", "memory of a Gram matrix", f"{1e10 * 8 / 1e9:.0f} GB"],
    ]
    return table(["what", "of it", "measured or worked out"], rows)


def orbit_task(runs: int, pwg_runs: int, chosen_kernels: list[str]) -> str:
    data = orbits(n_orbits=100, n_jobs=JOBS)
    splits = random_splits(data.labels, runs, 0.3, 0, stratify=True)
    rows = []
    for label in chosen_kernels:
        kernel = clone(KERNELS[label])
        some = splits[:pwg_runs] if label.startswith("k_PWG") else splits
        accuracies, trained = [], []
        for dimensions, name in ((None, "all dimensions"), ((1,), "H1 only")):
            kernel.set_params(dimensions=dimensions, n_jobs=JOBS)
            report = evaluate_kernel(kernel, data, splits=some, n_jobs=JOBS)
            accuracies.append(report.accuracies)
            trained.append([run.grid.mean.max() for run in report.runs])
            rows.append(
                [
                    f"{label}, {name}",
                    *accuracy_cells(report.accuracies, pwg_runs),
                    f"{np.mean(trained[-1]):.1%}",
                    seconds(report.gram_seconds),
                    seconds(report.tuning_seconds),
                ]
            )
            print(" | ".join(map(str, rows[-1])), file=sys.stderr, flush=True)
        # Test samples have no say in the choice of dimensions either.
        chosen = np.choose(np.argmax(trained, axis=0), accuracies)
        rows.append(
            [
                f"{label}, dimensions chosen in training",
                *accuracy_cells(chosen, pwg_runs),
                f"{np.mean(np.max(trained, axis=0)):.1%}",
                "",
                "",
            ]
        )
    header = ["500 orbits, 70-30", "accuracy", "runs", f"first {pwg_runs} runs"]
    return table([*header, "best in training", "Gram time", "tuning time"], rows)


def accuracy_cells(accuracies, first: int) -> list[str]:
    spread = accuracies.std(ddof=1) if len(accuracies) > 1 else 0.0
    common = f"{accuracies[:first].mean():.1%}"
    return [f"{accuracies.mean():.1%} ± {spread:.1%}", str(len(accuracies)), common]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=PARTS)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--pwg-runs", type=int, default=3)
    parser.add_argument("--kernels", nargs="*", choices=KERNELS, default=[*KERNELS])
    arguments = parser.parse_args()
    if len(arguments.parts) > 1:
        # Each part in a process of its own: memory is that of the part.
        for part in arguments.parts:
            options = [f"--runs={arguments.runs}", f"--pwg-runs={arguments.pwg_runs}"]
            options += ["--kernels", *arguments.kernels]
            command = [sys.executable, "-m", "benchmarks.kernels_speed", part, *options]
            subprocess.run(command, check=True)
        return
    part = arguments.parts[0]
    print(f"\n{platform.machine()}, {os.cpu_count()} cores, n_jobs={JOBS}: {part}\n")
    if part == "orbits":
        print(orbit_task(arguments.runs, arguments.pwg_runs, arguments.kernels))
    else:
        print({"speed": speed, "pairs": pairs, "large": large}[part]())


if __name__ == "__main__":
    main()
