"""What T and sigma cost and buy: ``python -m benchmarks.choosing``.

Prints Markdown tables and writes them to benchmarks/choosing.md; docs/make_tables.py
puts them into docs/choosing.md. Errors and accuracies, no times: they are the same on
every machine. A minute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.distance import pdist, squareform

import swviz as sw
from benchmarks.timing import table
from swviz import learning, studies

RESULTS = Path(__file__).parent / "choosing.md"
M = 6


def bins(X: list[np.ndarray], reference: np.ndarray) -> str:
    """Measure the embedding's error and its certificate, by the number of bins."""
    i, j = np.triu_indices(len(X), 1)
    true = reference[i, j]
    rows = []
    for T in (64, 128, 256, 512, 1024, 2048, 4096):
        embedding = sw.SlicedWassersteinEmbedding(n_directions=M, n_bins=T).fit(X)
        found = squareform(pdist(embedding.transform(X), "cityblock"))[i, j]
        bounds = embedding.error_bounds(X)
        short = (true - found) / true
        certified = (bounds[i] + bounds[j]) / true
        rows.append(
            (
                f"T = {T}",
                f"{short.mean():.2%}",
                f"{short.max():.2%}",
                f"{certified.mean():.1%}",
                f"{M * T * 8 / 1e3:.0f} kB",
            )
        )
    head = ("embedding", "mean error", "largest", "mean bound", "memory a diagram")
    return table(head, rows)


def bandwidths(data: sw.DiagramSet, distances: np.ndarray) -> str:
    """Measure the accuracy of machines by their sigma."""
    labels = data.labels.astype(str)
    typical = studies.typical_sigma(distances[np.triu_indices(len(distances), 1)])
    factors = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
    rows = []
    splits = learning.random_splits(labels, 10, 0.3, 0)
    for C in (1.0, 100.0):
        cells = []
        for factor in factors:
            gram = np.exp(-distances / (2 * (factor * typical) ** 2))
            found = [
                learning.evaluate_svm(gram, labels, train, test, C).test_accuracy
                for train, test in splits
            ]
            cells.append(f"{100 * np.mean(found):.1f}")
        rows.append((f"C = {C:g}", *cells))
    head = ("accuracy, sigma / typical", *(f"{factor:g}" for factor in factors))
    return table(head, rows)


def main() -> None:
    """Measure, print and write."""
    data = sw.sources.orbits(n_orbits=50)
    X = data.in_dimension(1)
    distances = sw.sliced_wasserstein_matrix(X, n_directions=M)
    some = np.arange(0, len(X), 5)
    parts = [
        bins([X[k] for k in some], distances[np.ix_(some, some)]),
        bandwidths(data, distances),
    ]
    text = "\n\n".join(parts)
    print(text)
    RESULTS.write_text(text + "\n")


if __name__ == "__main__":
    main()
