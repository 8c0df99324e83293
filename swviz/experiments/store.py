"""Files of results: JSON, written whole or not at all, and what was measured where."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from swviz.errors import SwvizError

FORMAT = 1
"""Raised when files mean something else than before."""

MAX_BYTES = 5_000_000
"""Larger files are not results."""

_PACKAGES = ("swviz", "numpy", "scipy", "scikit-learn", "gudhi")

_STUDY_KEYS: dict[str, dict[str, type]] = {
    "times": {"seconds": dict},
    "directions": {"quantiles": list, "rows": list},
    "distortion": {"d1": list, "kernels": dict},
}
"""What each part of a study has at least."""

Record = dict[str, Any]


class ResultError(SwvizError):
    """A file of results that cannot be read."""


def read_json(path: Path) -> Record:
    """Read a file of results.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ResultError(f"{path.name}: too large for a file of results")
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, ResultError):
            raise
        raise ResultError(f"{path.name}: cannot be read ({error})") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ResultError(f"{path.name}: not a file of results of format {FORMAT}")
    return record


def read_study(path: Path) -> Record:
    """Read a study.

    Parameters
    ----------
    path : Path

    Returns
    -------
    dict of str to dict
        Its parts by data set.
    """
    parts = read_json(path).get("parts")
    needed = _STUDY_KEYS.get(path.stem, {})
    if not isinstance(parts, dict) or not all(
        isinstance(part, dict)
        and all(isinstance(part.get(key), kind) for key, kind in needed.items())
        for part in parts.values()
    ):
        raise ResultError(f"{path.name}: its parts by data set are incomplete")
    return parts


def write_json(path: Path, record: Record) -> None:
    """Write another file of results.

    Parameters
    ----------
    path : Path
    record : dict
    """
    write_whole(path, to_text({"format": FORMAT, **record}) + "\n")


def to_text(record: Record) -> str:
    """Write JSON with a line for each entry, but lists of numbers or words in one.

    Parameters
    ----------
    record : dict

    Returns
    -------
    str
    """
    text = json.dumps(record, indent=1, ensure_ascii=False)
    # No string has a bracket before the end of a line: in JSON, strings have no lines.
    return re.sub(
        r"\[\n[^\[\]{}]*\n *\]",
        lambda found: re.sub(r"\n *", " ", found[0]).replace("[ ", "[", 1)[:-2] + "]",
        text,
    )


def write_whole(path: Path, text: str) -> None:
    """Write so that a reader sees the whole file or none.

    Parameters
    ----------
    path : Path
        Its folder is made if there is none.
    text : str
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError as error:
        raise ResultError(f"results cannot be written: {error}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        # As any other file; mkstemp gives it to its owner alone.
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def put_aside(path: Path) -> str:
    """Rename a file so that another can take its place.

    Parameters
    ----------
    path : Path

    Returns
    -------
    str
        Its new name, which no reader of results looks for.
    """
    for number in range(1, 1000):
        aside = path.with_name(f"{path.name}.old{number}")
        if not aside.exists():
            path.rename(aside)
            return aside.name
    raise ResultError(f"{path.name}: too many old versions; remove some")


def environment() -> Record:
    """Versions and machine, without anything that names it.

    Returns
    -------
    dict
    """
    return {
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
        "system": sys.platform,
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
    }


def today() -> str:
    """Today's date in UTC, as YYYY-MM-DD.

    Returns
    -------
    str
    """
    return datetime.now(UTC).date().isoformat()
