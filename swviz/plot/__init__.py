"""Pictures from arrays and results, as HoloViews elements.

One line for two diagrams, a Gram matrix or a study; what it returns is composed with
other elements by ``+`` and ``*`` and changed by ``.opts``. Pictures are drawn with
Bokeh, or with Matplotlib for papers:
``hv.save(picture, "figure.pdf", backend="matplotlib")``.

In a notebook, ``hv.extension("bokeh")`` lets cells show pictures. `slices`, `flow` and
`steps` show themselves without, in a page with all frames and scripts (1.6 MB): they
turn in a saved notebook and in nbconvert's HTML, without a kernel or a network.

HoloViews is loaded when a picture is asked for, not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swviz.plot.looks import (
        use_theme,
    )
    from swviz.plot.of_diagrams import (
        barcode,
        diagram,
        gallery,
        origin,
    )
    from swviz.plot.of_flows import (
        flow,
        mean,
    )
    from swviz.plot.of_learning import (
        bandwidth_curve,
        confusion,
        gram,
        kernel_map,
        parameter_grid,
        permutations,
    )
    from swviz.plot.of_slices import (
        balanced_segments,
        cost_curve,
        matching,
        slice_lines,
        slice_plane,
        slices,
        surplus,
    )
    from swviz.plot.of_studies import (
        accuracy,
        bounds,
        comb,
        convergence,
        distortion,
        eigenvalues,
        error,
        kink,
        ratios,
        smallest_eigenvalues,
        tiers,
        times,
    )
    from swviz.plot.turning import (
        steps,
    )

_PLACES = {
    "looks": ("use_theme",),
    "of_diagrams": (
        "barcode",
        "diagram",
        "gallery",
        "origin",
    ),
    "of_slices": (
        "balanced_segments",
        "cost_curve",
        "matching",
        "slice_lines",
        "slice_plane",
        "slices",
        "surplus",
    ),
    "of_flows": (
        "flow",
        "mean",
    ),
    "of_studies": (
        "accuracy",
        "bounds",
        "comb",
        "convergence",
        "distortion",
        "eigenvalues",
        "error",
        "kink",
        "ratios",
        "smallest_eigenvalues",
        "tiers",
        "times",
    ),
    "of_learning": (
        "bandwidth_curve",
        "confusion",
        "gram",
        "kernel_map",
        "parameter_grid",
        "permutations",
    ),
    "turning": ("steps",),
}

__all__ = [
    "accuracy",
    "balanced_segments",
    "bandwidth_curve",
    "barcode",
    "bounds",
    "comb",
    "confusion",
    "convergence",
    "cost_curve",
    "diagram",
    "distortion",
    "eigenvalues",
    "error",
    "flow",
    "gallery",
    "gram",
    "kernel_map",
    "kink",
    "matching",
    "mean",
    "origin",
    "parameter_grid",
    "permutations",
    "ratios",
    "slice_lines",
    "slice_plane",
    "slices",
    "smallest_eigenvalues",
    "steps",
    "surplus",
    "tiers",
    "times",
    "use_theme",
]


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            found = getattr(import_module(f"swviz.plot.{module}"), name)
            globals()[name] = found
            return found
    raise AttributeError(f"module 'swviz.plot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
