"""Data of every kind in the paper, turned into diagrams.

Each source takes parameters and gives a :class:`~swviz.diagrams.DiagramSet` whose
`origins` hold what each diagram was computed from, ready to be drawn. ``PRESETS``
has parameters worth a look for each source, by name. Your own data become diagrams by
:func:`from_cloud`, :func:`from_picture` and :func:`from_function`.

Examples
--------
>>> sorted(PRESETS)  # doctest: +ELLIPSIS
['d1_counterexample', 'functions', 'orbits', 'point_clouds', ...]
>>> PRESETS["functions"]["figure 1"].description
"The paper's Figure 1: f, and g its piecewise-linear sampling"
>>> from_preset("functions", "figure 1", cache=False)
<DiagramSet of 2 samples (H0: 8 points), 1 classes>
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from swviz.checks import check_choice
from swviz.diagrams import DiagramSet
from swviz.sources.cache import cache_folder, clear_cache
from swviz.sources.clouds import PRESETS as _CLOUD_PRESETS
from swviz.sources.clouds import SHAPES, point_clouds
from swviz.sources.counterexample import PRESETS as _COUNTEREXAMPLE_PRESETS
from swviz.sources.counterexample import d1_counterexample
from swviz.sources.figure import POSES
from swviz.sources.functions import FUNCTIONS, functions, stability, sup_distance
from swviz.sources.functions import PRESETS as _FUNCTION_PRESETS
from swviz.sources.meshes import TriangleMesh
from swviz.sources.orbits import PRESETS as _ORBIT_PRESETS
from swviz.sources.orbits import linked_twist_map, orbits
from swviz.sources.origins import Cloud, Function, Image, MeshPoint, train_test
from swviz.sources.own import from_cloud, from_function, from_picture, perturb
from swviz.sources.parameters import Preset
from swviz.sources.pictures import TEXTURES
from swviz.sources.randoms import FAMILIES, random_diagrams
from swviz.sources.randoms import PRESETS as _RANDOM_PRESETS
from swviz.sources.shapes import PRESETS as _SHAPE_PRESETS
from swviz.sources.shapes import shapes
from swviz.sources.textures import PRESETS as _TEXTURE_PRESETS
from swviz.sources.textures import textures

__all__ = [
    "FAMILIES",
    "FUNCTIONS",
    "POSES",
    "PRESETS",
    "SHAPES",
    "SOURCES",
    "TEXTURES",
    "Cloud",
    "Function",
    "Image",
    "MeshPoint",
    "Preset",
    "TriangleMesh",
    "cache_folder",
    "clear_cache",
    "d1_counterexample",
    "from_cloud",
    "from_function",
    "from_picture",
    "from_preset",
    "functions",
    "linked_twist_map",
    "orbits",
    "perturb",
    "point_clouds",
    "random_diagrams",
    "shapes",
    "stability",
    "sup_distance",
    "textures",
    "train_test",
]

SOURCES: Mapping[str, Callable[..., DiagramSet]] = MappingProxyType(
    {
        "orbits": orbits,
        "point_clouds": point_clouds,
        "functions": functions,
        "textures": textures,
        "shapes": shapes,
        "random_diagrams": random_diagrams,
        "d1_counterexample": d1_counterexample,
    }
)
"""Every source by its name."""

PRESETS: Mapping[str, Mapping[str, Preset]] = MappingProxyType(
    {
        "orbits": _ORBIT_PRESETS,
        "point_clouds": _CLOUD_PRESETS,
        "functions": _FUNCTION_PRESETS,
        "textures": _TEXTURE_PRESETS,
        "shapes": _SHAPE_PRESETS,
        "random_diagrams": _RANDOM_PRESETS,
        "d1_counterexample": _COUNTEREXAMPLE_PRESETS,
    }
)
"""Presets of every source, by the names of source and preset."""


def from_preset(source: str, preset: str, **changes: Any) -> DiagramSet:
    """Call a source with the parameters of a preset.

    Parameters
    ----------
    source : str
        A key of ``SOURCES``.
    preset : str
        A key of ``PRESETS[source]``.
    **changes
        Keyword arguments that are added to those of the preset, or replace them.

    Returns
    -------
    DiagramSet
    """
    check_choice(source, "source", SOURCES)
    check_choice(preset, "preset", PRESETS[source])
    return SOURCES[source](**{**PRESETS[source][preset].parameters, **changes})
