"""Presets, and the largest sets that may be made, shared by all sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from swviz.errors import ParameterError


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


def check_total(what: str, total: int, limit: int) -> None:
    """Raise a ParameterError if a set would have more than `limit` of `what`."""
    if total > limit:
        raise ParameterError(
            f"this makes {total:,} {what}, more than {limit:,}: ask for fewer"
        )
