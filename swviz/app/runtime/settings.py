"""What a server allows: one place for all limits, each with a variable of the system.

They hold on the server, whatever a browser sends. ``docs/serving.md`` has them in a
table, which a test compares with this module.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from swviz.errors import ParameterError, shown

PREFIX = "SWVIZ_"


def _limit(default: int, low: int, high: int, what: str) -> Any:
    return field(default=default, metadata={"range": (low, high), "what": what})


@dataclass(frozen=True)
class Settings:
    """The limits of a server; :meth:`from_environment` reads them.

    Parameters
    ----------
    **values : int
        See ``what`` of each field, or the table in ``docs/serving.md``.
    """

    upload_bytes: int = _limit(
        20_000_000, 1_000, 2_000_000_000, "bytes of an uploaded file"
    )
    upload_total: int = _limit(
        100_000_000, 1_000, 4_000_000_000, "bytes of all files of one upload"
    )
    upload_files: int = _limit(500, 1, 100_000, "files of one upload")
    upload_points: int = _limit(
        500_000, 10, 100_000_000, "points in an uploaded file, and in an edited pair"
    )
    upload_rows: int = _limit(
        100_000, 10, 10_000_000, "rows of an uploaded text or JSON"
    )
    upload_diagrams: int = _limit(
        5_000, 1, 1_000_000, "diagrams in an uploaded file, of all dimensions"
    )
    upload_pixels: int = _limit(
        1_000_000, 64, 100_000_000, "pixels of an uploaded picture"
    )
    message_bytes: int = _limit(
        20_971_520,
        10_000_000,
        2_000_000_000,
        "bytes of one message of a browser (files come in parts of 8 MB)",
    )
    directions: int = _limit(200, 12, 2_000, "directions M")
    drawn_points: int = _limit(500, 1, 10_000, "points of a drawn diagram")
    flow_points: int = _limit(2_000, 2, 20_000, "points of A and B that flow")
    pairs: int = _limit(5_000, 1, 5_000, "pairs sampled in Approximation")
    matrix_diagrams: int = _limit(
        300, 2, 2_000, "diagrams in a matrix of Approximation"
    )
    distortion_diagrams: int = _limit(120, 2, 1_000, "diagrams drawn in Distortion")
    learn_diagrams: int = _limit(2_000, 2, 20_000, "diagrams to learn from")
    classified_diagrams: int = _limit(500, 1, 20_000, "diagrams classified at once")
    history_runs: int = _limit(500, 1, 10_000, "runs in the history of Learn")
    edits: int = _limit(100, 1, 10_000, "edits of a pair that can be taken back")
    session_jobs: int = _limit(
        12, 1, 1_000, "jobs of one session, at work or in the queue"
    )
    job_threads: int = _limit(
        max(2, (os.cpu_count() or 2) - 1), 1, 256, "threads for the jobs of all"
    )
    results: int = _limit(24, 0, 10_000, "results that are remembered for all sessions")
    result_bytes: int = _limit(
        200_000_000, 0, 100_000_000_000, "bytes of all remembered results"
    )
    sessions: int = _limit(200, 1, 100_000, "pages that are open at once, in a process")
    idle_seconds: int = _limit(
        30, 1, 86_400, "seconds until a page that was left, or never came, is freed"
    )
    rehearsed_tabs: int = _limit(
        6, 0, 6, "tabs that a new server makes for nobody, so that others come sooner"
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            value, (low, high) = getattr(self, each.name), each.metadata["range"]
            if type(value) is not int or not low <= value <= high:
                raise ParameterError(
                    f"{variable(each.name)} must be a whole number from {low} to "
                    f"{high} ({each.metadata['what']}), not {shown(value)}"
                )

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Read what the variables of the system say; others keep their defaults.

        Raises
        ------
        ParameterError
            If one is no number, or out of its range.
        """
        said = {
            each.name: environment[variable(each.name)].strip()
            for each in fields(cls)
            if environment.get(variable(each.name), "").strip()
        }
        return cls(**{name: _whole(text) for name, text in said.items()})

    def exceeded(self, name: str, found: int, cure: str) -> str:
        """Say that there is too much of something, and what to do about it.

        Parameters
        ----------
        name : str
            A field.
        found : int
        cure : str
            What the user can do, as a command.
        """
        (each,) = (one for one in fields(self) if one.name == name)
        return (
            f"{found:,} are more than the {getattr(self, name):,} that this server "
            f"allows ({each.metadata['what']}): {cure}, or {how_to_raise(name)}"
        )


def how_to_raise(name: str) -> str:
    """Say who can raise a limit, and by which variable."""
    return f"ask who runs the server to raise {variable(name)}"


def variable(name: str) -> str:
    """Return the variable of the system that sets a limit."""
    return PREFIX + name.upper()


def table() -> str:
    """Return all limits as a table in Markdown, as it is in ``docs/serving.md``."""
    rows = ["| variable | default | allowed | what it limits |", "|---|---:|---:|---|"]
    for each in fields(Settings):
        low, high = each.metadata["range"]
        default = (
            "cores - 1, 2 at least"
            if each.name == "job_threads"
            else (f"{each.default:,}")
        )
        rows.append(
            f"| `{variable(each.name)}` | {default} | {low:,} to {high:,} "
            f"| {each.metadata['what']} |"
        )
    return "\n".join(rows)


def _whole(text: str) -> Any:
    """Read a whole number; what is none is told of with its variable."""
    return int(text) if text.isascii() and text.isdecimal() else text


SETTINGS = Settings.from_environment()
"""Of this process."""
