"""Checks of parameters, and presets, shared by all sources."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from swviz.errors import ParameterError, shown


@dataclass(frozen=True)
class Preset:
    """Keyword arguments worth a name in a menu.

    Parameters
    ----------
    description : str
        One line that says what to see.
    parameters : mapping of str to object
        Keyword arguments of the source.
    """

    description: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))


def check_integer(name: str, value: object, low: int, high: int) -> int:
    """Return `value` as an int in [low, high], or raise a ParameterError."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ParameterError(f"{name} must be an integer, not {shown(value)}")
    if not low <= value <= high:
        raise ParameterError(f"{name} must be from {low} to {high}, not {shown(value)}")
    return int(value)


def check_number(name: str, value: object, low: float, high: float) -> float:
    """Return `value` as a float in [low, high], or raise a ParameterError."""
    if isinstance(value, bool) or not isinstance(
        value, int | float | np.integer | np.floating
    ):
        raise ParameterError(f"{name} must be a number, not {shown(value)}")
    if not low <= value <= high:
        raise ParameterError(
            f"{name} must be from {low:g} to {high:g}, not {shown(value)}"
        )
    return float(value)


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`, or raise a ParameterError.

    Parameters
    ----------
    name : str
        What to call the parameter in the message.
    value : object
    choices : collection of str

    Returns
    -------
    str
    """
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{name} must be one of {listed}, not {shown(value)}")
    return value


def check_choices(
    name: str, values: str | Sequence[str], choices: Collection[str]
) -> tuple[str, ...]:
    """Return one or several of `choices` as a tuple, or raise a ParameterError."""
    several = (values,) if isinstance(values, str) else tuple(values)
    if not several:
        raise ParameterError(f"{name} is empty: give at least one of {list(choices)}")
    return tuple(check_choice(name, value, choices) for value in several)


def check_total(what: str, total: int, limit: int) -> None:
    """Raise a ParameterError if a set would have more than `limit` of `what`."""
    if total > limit:
        raise ParameterError(
            f"this makes {total:,} {what}, more than {limit:,}: ask for fewer"
        )


def check_flag(name: str, value: object) -> bool:
    """Return `value` as a bool, or raise a ParameterError."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, not {shown(value)}")
    return bool(value)
