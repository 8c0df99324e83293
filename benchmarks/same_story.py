"""The Approximation and Distortion views' numbers on orbits, pictures and shapes.

Run from the root of the project::

    python -m benchmarks.same_story [--data FOLDER]

To be put beside the paper's Figures 5 and 6: SW_M / SW by M under its rule, and how
well each kernel keeps the order of d1. Shapes are Airplane of a folder as the
experiments have it, or else the built-in figure; pictures are the built-in photographs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.timing import table
from swviz.diagrams import Diagram
from swviz.kernels import (
    PersistenceWeightedGaussianKernel,
    pwg_heuristics,
    rkhs_distance,
)
from swviz.sources import orbits, shapes, textures
from swviz.studies import (
    PairDistances,
    agreement,
    exponential_distances,
    ratio_study,
    scale_space_distances,
    typical_sigma,
)

COUNTS = (4, 6, 8, 10, 16, 20)
N_DIAGRAMS, N_PAIRS, MOST_POINTS = 40, 60, 1000


def some(diagrams: list[Diagram]) -> list[Diagram]:
    """Draw diagrams that are not empty, the same ones each time."""
    full = [diagram for diagram in diagrams if len(diagram)]
    count = min(N_DIAGRAMS, len(full))
    chosen = np.random.default_rng(0).choice(len(full), count, replace=False)
    return [full[index] for index in chosen]


def ratios(diagrams: list[Diagram]) -> list[str]:
    """Return the middle nine tenths of SW_M / SW for each M."""
    study = ratio_study(diagrams, n_pairs=N_PAIRS, random_state=0)
    known, values = list(study.counts), study.ratios("paper")
    texts = []
    for count in COUNTS:
        low, high = np.nanquantile(values[..., known.index(count)], [0.05, 0.95])
        texts.append(f"{low:.2f} to {high:.2f}")
    return texts


def agreements(diagrams: list[Diagram]) -> list[str]:
    """Compare three kernels with d1, which takes long on many points."""
    large = max(map(len, diagrams)) > MOST_POINTS
    few = diagrams[: 12 if large else 24]
    pairs = PairDistances(few, n_directions=6 if large else "exact")
    pairs.run()
    first, second = np.asarray(pairs.pairs).T
    learnt = pwg_heuristics(few, 4)
    weighted = PersistenceWeightedGaussianKernel(**learnt.scaled()).gram(few)
    distances = (
        exponential_distances(pairs.sw, typical_sigma(pairs.sw)),
        # Gaussians as wide as those of k_PWG, as in the view.
        scale_space_distances(few, learnt.rho[None] ** 2 / 4)[first, second],
        rkhs_distance(weighted)[first, second],
    )
    found = [agreement(pairs.d1, one) for one in distances]
    return [f"{one.rank_correlation:.2f}, x{one.spread:.2f}" for one in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="FOLDER")
    folder = parser.parse_args().data
    mesh = [] if folder is None else [folder / "shapes" / "Airplane"]
    sets = {
        "orbits, H1": orbits(n_orbits=10, n_points=300).in_dimension(1),
        "photographs, H0": textures().in_dimension(0),
        "shapes, H1": shapes(*mesh).in_dimension(1),
    }
    drawn = {name: some(diagrams) for name, diagrams in sets.items()}
    rows = [[name, *ratios(diagrams)] for name, diagrams in drawn.items()]
    header = ["SW_M / SW, nine of ten pairs", *(f"M = {count}" for count in COUNTS)]
    print(table(header, rows), flush=True)
    rows = [[name, *agreements(diagrams)] for name, diagrams in drawn.items()]
    header = ["rank correlation with d1, spread", "k_SW", "k_PSS", "k_PWG"]
    print(f"\n{table(header, rows)}")


if __name__ == "__main__":
    main()
