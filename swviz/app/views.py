"""The tabs, one Viewer each; each works alone in a notebook.

Examples
--------
>>> from swviz.app.views import SliceView
>>> view = SliceView([(0, 1)], [(0, 2)])  # in a cell of a notebook it shows itself
"""

from importlib import import_module
from typing import Any

_MODULES = {
    "DiagramView": "diagrams",
    "SliceView": "slices",
    "ApproximationView": "approximation",
    "DistortionView": "distortion",
    "LearnView": "learn",
    "PaperView": "paper",
}

__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    """Import a view when it is first asked for: together they take seconds."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"swviz.app.tabs.{_MODULES[name]}.view")
    return getattr(module, name)
