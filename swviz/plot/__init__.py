"""Pictures from arrays and results, as HoloViews elements.

One line for two diagrams, a Gram matrix or a study; what it returns is composed with
other elements by ``+`` and ``*`` and changed by ``.opts``. Pictures are drawn with
Bokeh, or with Matplotlib for papers:
``hv.save(picture, "figure.pdf", backend="matplotlib")``.

HoloViews is loaded when a picture is asked for, not before.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swviz.plot.looks import use_theme
    from swviz.plot.of_diagrams import barcode, diagram, gallery, origin
    from swviz.plot.of_slices import (
        balanced_segments,
        cost_curve,
        matching,
        slice_lines,
        slice_plane,
        slices,
        surplus,
    )

_PLACES = {
    "looks": ("use_theme",),
    "of_diagrams": ("barcode", "diagram", "gallery", "origin"),
    "of_slices": (
        "balanced_segments",
        "cost_curve",
        "matching",
        "slice_lines",
        "slice_plane",
        "slices",
        "surplus",
    ),
}

__all__ = [
    "balanced_segments",
    "barcode",
    "cost_curve",
    "diagram",
    "gallery",
    "matching",
    "origin",
    "slice_lines",
    "slice_plane",
    "slices",
    "surplus",
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
