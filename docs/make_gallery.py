"""Draw every picture of ``swviz.plot``, light and dark, and write docs/gallery.md.

``python -m docs.make_gallery`` from the root of the repository; Matplotlib draws, so
that no browser is needed. Half a minute.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import holoviews as hv
import matplotlib as mpl
import numpy as np
from PIL import Image

import swviz as sw
from swviz import learning, studies
from swviz.experiments import figures as experiments_figures
from swviz.experiments import load_results
from swviz.kernels import kernel_from_distances
from swviz.plot.theme import MODES

HERE = Path(__file__).parent
IMAGES = HERE / "images" / "gallery"

TEXT = """# Gallery

Every picture of `swviz.plot`, for a light and for a dark page
(`sw.plot.use_theme("dark")`). Each line returns a HoloViews element: lay your own over
it with `*`, set others beside it with `+`, change it with `.opts`. In a notebook call
`sw.notebook()` first; what the pointer is over is then explained. `slices`, `flow` and
`steps` need no such call, and turn where there is neither a kernel nor a network. For a
paper: `hv.save(picture, "figure.pdf", backend="matplotlib")`.

`A` and `B` are diagrams, `X` a list of them, `data` a `DiagramSet` with labels; the
script that drew this page, `docs/make_gallery.py`, has all of them.
"""

PAPER = """
## The paper's figures

Those of the Paper tab, from the results that come with swviz:

```python
from swviz.experiments import figures, load_results

results = load_results()
```
"""


def pictures() -> dict[str, tuple[str, Callable[[], Any]]]:
    """Return what to draw: by name, the line of code and a function."""
    data = sw.sources.point_clouds(n_clouds=6, n_points=60, noise=0.09, cache=False)
    X = data.in_dimension(1)
    functions = sw.sources.functions(cache=False)
    A, B = X[0], X[-1]
    some = np.isin(data.labels, ["circle", "figure eight"])
    loops = sw.DiagramSet({1: data[some].in_dimension(1)}, labels=data.labels[some])
    few = [d[np.argsort(d[:, 0] - d[:, 1])[:4]] for d in (A, B)]
    pair, ratio = studies.pair_study(A, B), studies.ratio_study(X, n_pairs=60)
    kink = studies.kink_study(A, B, exact=pair.exact)
    now = "paper", 12, sw.sliced_wasserstein(A, B, 12)
    # Times are of no machine in particular: pictures shall not change from run to run.
    counts = np.array(studies.GRAM_COUNTS)
    times = studies.GramTimes(len(X), counts, 2e-3 + 8e-4 * counts)
    embedding = studies.embedding_tiers(X, ratio)
    embedding = studies.Tiers(
        embedding.tier, embedding.sizes, 1e-6 * np.array([0.5, 1, 2, 4]),
        embedding.mean_errors, embedding.worst_errors, embedding.bounds,
        embedding.n_diagrams,
    )  # fmt: skip
    exact = studies.exact_tier(ratio)
    exact = studies.Tiers(
        "exact", exact.sizes, np.array([1e-3]), exact.mean_errors, exact.worst_errors,
        exact.bounds, exact.n_diagrams,
    )  # fmt: skip
    tiers = exact, studies.slice_tiers(ratio, times), embedding
    accuracy = studies.accuracy_study(X, data.labels, (1, 2, 4, 6, 10, "exact"))
    pairs = studies.PairDistances(X).run()
    widths = studies.fit_bandwidths(X)
    i, j = pairs.pairs.T
    bent = {
        "k_sw": studies.exponential_distances(pairs.sw, widths.sigma),
        "k_pss": studies.scale_space_distances(X, widths.t)[i, j],
        "k_d1": studies.exponential_distances(pairs.d1, widths.sigma_d1),
    }
    spectra = {
        key: studies.eigenvalues(kernel_from_distances(matrix, 1.5))
        for key, matrix in studies.six_diagrams().items()
    }
    distances = sw.sliced_wasserstein_matrix(X)
    gram = kernel_from_distances(distances, widths.sigma)
    [(train, test)] = learning.random_splits(data.labels, 1, 0.3, 0)
    portrait = learning.train_portrait(gram, data.labels, train, test)
    run = learning.tune_on_distances(
        distances[None], data.labels, train, test, n_splits=3
    )
    ready = learning.prepare(sw.SlicedWassersteinKernel(), X)
    scales = (widths.sigma * np.logspace(-1.5, 1.5, 19)).tolist()
    curve = list(
        studies.bandwidth_curve(ready, data.labels, train, test, scales, C=10.0)
    )
    test_result = sw.mmd_test(X[:6], X[18:], random_state=0)
    theta, plot = 0.5, sw.plot
    return {
        "diagram": ("diagram(A, B)", lambda: plot.diagram(A, B)),
        "barcode": ("barcode(A, B)", lambda: plot.barcode(A, B)),
        "origin": (
            "origin(data, 0, level=0.12)", lambda: plot.origin(data, 0, level=0.12),
        ),
        "origin of a function": (
            "origin(functions, 0, level=0.3)",
            lambda: plot.origin(functions, 0, level=0.3),
        ),
        "gallery": ("gallery(data)", lambda: plot.gallery(data)),
        "slice_plane": (
            "slice_plane(A, B, theta)", lambda: plot.slice_plane(A, B, theta),
        ),
        "slice_lines": (
            "slice_lines(A, B, theta)", lambda: plot.slice_lines(A, B, theta),
        ),
        "surplus": ("surplus(A, B, theta)", lambda: plot.surplus(A, B, theta)),
        "cost_curve": (
            "cost_curve(A, B, 10, theta=theta)",
            lambda: plot.cost_curve(A, B, 10, theta=theta),
        ),
        "cost_curve, polar": (
            "cost_curve(A, B, 10, polar=True)",
            lambda: plot.cost_curve(A, B, 10, polar=True, theta=theta),
        ),
        "slices": (
            "slices(A, B)  # turns; here one angle",
            lambda: plot.slices(A, B, [theta], n_directions=10),
        ),
        "balanced_segments": (
            "balanced_segments(A, B)  # here of four points each",
            lambda: plot.balanced_segments(*few),
        ),
        "matching": ("matching(A, B)", lambda: plot.matching(A, B)),
        "comb": (
            "comb(kink_study, 8)  # why M = 8 may be worse than M = 6",
            lambda: plot.comb(kink, 8),
        ),
        "kink": ("kink(kink_study)", lambda: plot.kink(kink)),
        "steps": (
            'steps({M: sw.plot.cost_curve(A, B, M) for M in range(2, 13)}, "M")'
            "  # a slider; here M = 6",
            lambda: plot.cost_curve(A, B, 6),
        ),
        "flow": ("flow(A, B)  # plays; here one step", lambda: _amid(plot.flow(A, B))),
        "mean": ("mean(loops)  # a DiagramSet of H1", lambda: plot.mean(loops)),
        "convergence": ("convergence(pair_study)", lambda: plot.convergence(pair)),
        "error": (
            'error(pair_study, ("paper", 12, value))', lambda: plot.error(pair, now),
        ),
        "error of many": (
            "error(ratio_study, tolerance=0.05)",
            lambda: plot.error(ratio, tolerance=0.05),
        ),
        "ratios": (
            'ratios(ratio_study, "paper", 0.05, now=12)',
            lambda: plot.ratios(ratio, "paper", 0.05, 12),
        ),
        "times": ("times(gram_times)", lambda: plot.times(times)),
        "tiers": ("tiers(exact, slices, embedding)", lambda: plot.tiers(*tiers)),
        "accuracy": (
            "accuracy(accuracy_study, n_classes=4)", lambda: plot.accuracy(accuracy, 4),
        ),
        "distortion": (
            "distortion(d1, distances)", lambda: plot.distortion(pairs.d1, bent),
        ),
        "bounds": (
            "bounds(d1, sw, largest)",
            lambda: plot.bounds(pairs.d1, pairs.sw, pairs.largest),
        ),
        "eigenvalues": ("eigenvalues(spectra)", lambda: plot.eigenvalues(spectra)),
        "smallest_eigenvalues": (
            "smallest_eigenvalues(*smallest_over_sigma)",
            lambda: plot.smallest_eigenvalues(
                *studies.smallest_over_sigma(studies.six_diagrams())
            ),
        ),
        "gram": ("gram(gram, data.labels)", lambda: plot.gram(gram, data.labels)),
        "kernel_map": (
            "kernel_map(portrait, data.labels, test)",
            lambda: plot.kernel_map(portrait, data.labels, test),
        ),
        "confusion": ("confusion(run)", lambda: plot.confusion(run)),
        "bandwidth_curve": (
            "bandwidth_curve(curve, now=sigma)",
            lambda: plot.bandwidth_curve(curve, now=widths.sigma, chance=0.25),
        ),
        "parameter_grid": (
            "parameter_grid(run.grid)", lambda: plot.parameter_grid(run.grid),
        ),
        "permutations": (
            "permutations(mmd_test)", lambda: plot.permutations(test_result),
        ),
    }  # fmt: skip


def of_paper() -> dict[str, tuple[str, Callable[[], Any]]]:
    """Return the figures of the Paper tab, from the stored results."""
    results, figures = load_results(), experiments_figures
    lines: dict[str, tuple[Any, ...]] = {
        "accuracy_differences": (),
        "accuracy_by_directions": (),
        "time_by_directions": (),
        "ratio_boxes": ("shapes/Airplane", "paper"),
        "distortion": ("shapes/Airplane",),
    }
    return {
        f"paper {name}": (
            f"{name}({', '.join(['results', *map(_quoted, given)])})",
            partial(getattr(figures, name), results, *given),
        )
        for name, given in lines.items()
    }


def _quoted(text: str) -> str:
    return f'"{text}"'


def _amid(frames: hv.HoloMap) -> hv.Overlay:
    """Take a frame with something under way."""
    return frames[frames.keys()[len(frames) // 4]]


def save(picture: Any, path: Path) -> None:
    """Write a picture as a small PNG."""
    figure = hv.render(picture, backend="matplotlib")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=72, bbox_inches="tight")
    mpl.pyplot.close(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.open(buffer).convert("RGB").quantize(96).save(path, optimize=True)


def main() -> None:
    """Draw all pictures and write the page."""
    parts = {
        (TEXT, "sw.plot."): pictures(),
        (PAPER, "figures."): of_paper(),
    }
    lines = []
    for mode in MODES:
        sw.plot.use_theme(mode)
        for wanted in parts.values():
            for name, (_, make) in wanted.items():
                save(make(), IMAGES / mode / f"{_file(name)}.png")
    for (text, module), wanted in parts.items():
        lines += [text, "| | light | dark |", "|---|---|---|"]
        for name, (code, _) in wanted.items():
            shown = " | ".join(
                f"![{name}](images/gallery/{mode}/{_file(name)}.png)" for mode in MODES
            )
            lines.append(f"| `{module}{code}` | {shown} |")
    (HERE / "gallery.md").write_text("\n".join(lines) + "\n")


def _file(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


if __name__ == "__main__":
    mpl.use("agg")
    main()
