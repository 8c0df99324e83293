"""What can be changed of a preset, within which bounds: for widgets and for links.

Links come from strangers, so this is a list of what is allowed: no paths, and no
number that would keep the server busy for long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from swviz.checks import check_choice, check_integer, check_number
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.sources import (
    FAMILIES,
    FUNCTIONS,
    POSES,
    PRESETS,
    SHAPES,
    SOURCES,
    from_preset,
)
from swviz.sources.clouds import most_points
from swviz.sources.orbits import PAPER_R

TITLES = MappingProxyType(
    {
        "orbits": "Linked twist map orbits",
        "point_clouds": "Point clouds",
        "functions": "Functions on a line",
        "textures": "Textures",
        "shapes": "3D shapes",
        "random_diagrams": "Random diagrams",
        "d1_counterexample": "Counterexample for d₁",
    }
)
"""Names of the sources for people."""


@dataclass(frozen=True)
class Knob:
    """A parameter of a source that people may turn.

    Parameters
    ----------
    name : str
        The keyword of the source.
    label : str
    bounds : pair of numbers, optional
        Both integers for an integer.
    choices : sequence, optional
        Instead of bounds.
    several : bool, default=False
        Whether more than one of the choices can be taken.
    default : object
        What the source does if the preset does not say.
    most : callable, optional
        What other parameters leave of the upper bound: takes the mapping of all.
    """

    name: str
    label: str
    bounds: tuple[float, float] | None = None
    choices: Sequence[Any] = ()
    several: bool = False
    default: Any = None
    most: Callable[[Mapping[str, Any]], int] | None = None

    def bounds_with(self, parameters: Mapping[str, Any]) -> tuple[float, float]:
        """Return the bounds that hold beside other parameters of the source."""
        assert self.bounds is not None
        low, high = self.bounds
        return low, high if self.most is None else min(high, self.most(parameters))

    def check(self, value: Any, parameters: Mapping[str, Any] | None = None) -> Any:
        """Return a usable value for the source, or raise a ParameterError.

        The message calls the parameter as its widget is called.
        """
        if self.several:
            listed = value if isinstance(value, list | tuple) else [value]
            if not listed:
                raise ParameterError(f"{self.label}: choose at least one")
            return tuple(_check_listed(self.label, one, self.choices) for one in listed)
        if self.choices:
            return _check_listed(self.label, value, self.choices)
        low, high = self.bounds_with(parameters or {})
        if isinstance(low, int):
            return check_integer(value, self.label, low, int(high))
        return check_number(value, self.label, low, high)


def _check_listed(name: str, value: Any, choices: Sequence[Any]) -> Any:
    by_text = {str(choice): choice for choice in choices}
    return by_text[check_choice(str(value), name, list(by_text))]


def _most_cloud_points(parameters: Mapping[str, Any]) -> int:
    return most_points(
        parameters.get("complex", "alpha"), parameters.get("dimensions", (0, 1))
    )


_SEED = Knob("random_state", "Seed", (0, 9999), default=0)
_NOISE = Knob("noise", "Noise", (0.0, 1.0), default=0.0)

KNOBS: Mapping[str, tuple[Knob, ...]] = MappingProxyType(
    {
        "orbits": (
            Knob(
                "r",
                "Parameter r",
                choices=(2.0, 2.5, 3.0, 3.5, 4.0, 4.1, 4.3, 4.5, 5.0),
                several=True,
                default=PAPER_R,
            ),
            Knob("n_orbits", "Orbits per class", (1, 100), default=20),
            Knob("n_points", "Points per orbit", (10, 2000), default=1000),
            _SEED,
        ),
        "point_clouds": (
            Knob(
                "shapes",
                "Shapes",
                choices=tuple(SHAPES),
                several=True,
                default=("circle", "two circles", "figure eight", "clusters"),
            ),
            Knob("n_clouds", "Clouds per shape", (1, 50), default=10),
            Knob(
                "n_points",
                "Points per cloud",
                (10, 1000),
                default=200,
                most=_most_cloud_points,
            ),
            Knob("noise", "Noise", (0.0, 1.0), default=0.05),
            Knob("outliers", "Share of outliers", (0.0, 1.0), default=0.0),
            Knob("complex", "Complex", choices=("alpha", "rips"), default="alpha"),
            _SEED,
        ),
        "functions": (
            Knob(
                "function",
                "Functions",
                choices=tuple(FUNCTIONS),
                several=True,
                default=("figure 1",),
            ),
            Knob("n_samples", "Samples of g", (2, 200), default=15),
            _NOISE,
            _SEED,
        ),
        "textures": (
            Knob("size", "Side in pixels", choices=(32, 64, 128), default=128),
            Knob("per_class", "Pictures per class", (1, 64), default=16),
            Knob(
                "patterns",
                "Local binary patterns",
                choices=("default", "ror", "uniform"),
                default="default",
            ),
        ),
        "shapes": (
            Knob(
                "poses",
                "Poses",
                choices=tuple(POSES),
                several=True,
                default=tuple(POSES),
            ),
            Knob("every", "Take every n-th vertex", (20, 1000), default=100),
        ),
        "random_diagrams": (
            Knob(
                "family",
                "Families",
                choices=tuple(FAMILIES),
                several=True,
                default=("uniform",),
            ),
            Knob("n_diagrams", "Diagrams per family", (1, 200), default=20),
            Knob("n_points", "Points per diagram", (0, 500), default=50),
            _SEED,
        ),
        "d1_counterexample": (),
    }
)
"""By the name of the source."""


def check_changes(source: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Check changes of a preset, such as those in a link.

    Parameters
    ----------
    source : str
        A key of ``KNOBS``.
    changes : mapping of str to object

    Returns
    -------
    dict of str to object
        Keyword arguments of the source.

    Examples
    --------
    >>> check_changes("orbits", {"n_points": 300, "r": [4.1]})
    {'n_points': 300, 'r': (4.1,)}
    >>> check_changes("textures", {"pictures": "/etc"})
    Traceback (most recent call last):
    swviz.errors.ParameterError: parameter must be one of 'size', 'per_class',
    'patterns', not 'pictures'
    """
    check_choice(source, "source", KNOBS)
    knobs = {knob.name: knob for knob in KNOBS[source]}
    return {
        name: knobs[check_choice(name, "parameter", knobs)].check(value)
        for name, value in changes.items()
    }


def recipe(
    source: str, preset: str, changes: Mapping[str, Any] | None = None
) -> Callable[..., DiagramSet]:
    """Prepare the making of a data set; calling the result makes it.

    Returns
    -------
    callable
        Takes `progress` and returns the DiagramSet.
    """
    check_choice(source, "source", SOURCES)
    check_choice(preset, "preset", PRESETS[source])
    changed = check_changes(source, changes or {})
    parameters = {**PRESETS[source][preset].parameters, **changed}
    for knob in KNOBS[source]:
        if knob.most is not None:
            knob.check(parameters.get(knob.name, knob.default), parameters)
    make = partial(from_preset, source, preset, **changed)
    if source not in ("random_diagrams", "d1_counterexample"):
        return make

    def draw(progress: object = None) -> DiagramSet:
        # Made faster than a progress bar: these sources report none.
        return make()

    return draw
