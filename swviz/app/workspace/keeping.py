"""A session as a text: a file to come back with, and what the browser keeps meanwhile.

A link carries the state of a page, but no uploaded set, no large drawn pair and no
history of runs. This text does. It may come from anybody, and is checked as such.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from swviz.app.runtime.settings import SETTINGS, how_to_raise
from swviz.app.workspace.reading import LIMITS
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram, DiagramSet, as_diagram
from swviz.errors import DiagramFileError, SwvizError
from swviz.files import load, save
from swviz.sources import SOURCES

ENDING = ".swviz"

KIND, VERSION = "swviz workspace", 1

MOST_KEPT = 1_500_000
"""Characters that a browser keeps of a page; of larger ones there is the file."""

_MOST_TEXT = 200
_OF_DATA = ("source", "preset", "with", "title", "A", "B", "points", "isA", "isB")
"""What of a link's values speaks of data that the text itself carries."""


@dataclass(frozen=True)
class Kept:
    """What was read from a text.

    Parameters
    ----------
    query : dict of str to str
        As in a link.
    title, source : str
    data : DiagramSet, optional
        One that no source makes.
    pair : tuple of two diagrams, optional
        If they are no samples.
    called : dict of str to str
    runs : list of dict
    """

    query: dict[str, str]
    title: str = ""
    source: str = ""
    data: DiagramSet | None = None
    pair: tuple[Diagram, Diagram] | None = None
    called: dict[str, str] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)


def is_worth_keeping(workspace: Workspace) -> bool:
    """Tell whether there is something that a link does not bring back."""
    made = workspace.source in SOURCES
    return bool(workspace.runs) or workspace.edited or not made


def pack(workspace: Workspace, data: str | None = None) -> str:
    """Return the workspace as the text of a file.

    Parameters
    ----------
    workspace : Workspace
    data : str, optional
        Its data set from :func:`write_data`, if that was done before.
    """
    made = workspace.source in SOURCES
    said = {
        "kind": KIND,
        "version": VERSION,
        "query": workspace.to_query(),
        "title": workspace.title,
        "source": workspace.source,
        "data": "" if made else data or write_data(workspace.dataset),
        "pair": [one.tolist() for one in workspace.pair] if workspace.edited else None,
        "called": workspace.called,
        "runs": workspace.runs,
    }
    return json.dumps(said, separators=(",", ":"), default=str)


def unpack(text: str | bytes, name: str = "the workspace file") -> Kept:
    """Read what :func:`pack` has written, or say what is wrong with it.

    Parameters
    ----------
    text : str or bytes
    name : str
        For messages.

    Raises
    ------
    DiagramFileError
        If it is too large, cut off, damaged or of another kind.
    """
    most = 2 * SETTINGS.upload_bytes
    if len(text) > most:
        raise DiagramFileError(
            f"{name}: has more than {most:,} bytes; {how_to_raise('upload_bytes')}"
        )
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        end = text.strip()[-1:]
        cut = end not in ("}", b"}")
        what = "is cut off, it does not end as it should" if cut else "is damaged"
        raise DiagramFileError(f"{name}: {what}; copy or download it again") from None
    if not isinstance(said, Mapping) or said.get("kind") != KIND:
        raise DiagramFileError(
            f"{name}: is no workspace of swviz; save one with “Download workspace”"
        )
    if said.get("version") != VERSION:
        raise DiagramFileError(
            f"{name}: was written by another version of swviz, and cannot be read here"
        )
    try:
        return Kept(
            query=_texts(said.get("query")),
            title=str(said.get("title", ""))[:_MOST_TEXT],
            source=str(said.get("source", ""))[:_MOST_TEXT],
            data=_read(said.get("data"), name),
            pair=_pair(said.get("pair")),
            called=_texts(said.get("called")),
            runs=_runs(said.get("runs")),
        )
    except DiagramFileError:
        raise
    except (ValueError, TypeError, SwvizError) as error:
        raise DiagramFileError(
            f"{name}: is damaged ({type(error).__name__}); download it again"
        ) from None


def bring_back(workspace: Workspace, kept: Kept) -> list[str]:
    """Show what was kept.

    Returns
    -------
    list of str
        A sentence for each value that was not usable.
    """
    query = kept.query
    if kept.data is not None:
        source = kept.source if kept.source in ("upload", "drawn") else "upload"
        workspace.use(kept.data, kept.title, source)
        query = {key: text for key, text in query.items() if key not in _OF_DATA}
    elif kept.pair is not None:
        # Of a set that is made: all but its points.
        query = {key: text for key, text in query.items() if key not in _OF_DATA[4:]}
    complaints = workspace.read_query(query)
    if kept.pair is not None:
        workspace.edit(*kept.pair, called=kept.called)
    bring_back_runs(workspace, kept)
    return complaints


def bring_back_runs(workspace: Workspace, kept: Kept) -> None:
    """Put kept runs below those of this session."""
    known = [json.dumps(run, sort_keys=True, default=str) for run in workspace.runs]
    older = [run for run in kept.runs if json.dumps(run, sort_keys=True) not in known]
    if older:
        workspace.runs = [*workspace.runs, *older][: SETTINGS.history_runs]


def belongs_to(kept: Kept, workspace: Workspace) -> bool:
    """Tell whether a text has what the link of a session could not carry."""
    missing = workspace.missing
    if "source" in missing:
        same = kept.source == missing["source"]
        return (
            kept.data is not None and same and kept.title.startswith(missing["title"])
        )
    return (
        "points" in missing
        and kept.pair is not None
        and (str(sum(map(len, kept.pair))) == missing["points"])
    )


def write_data(dataset: DiagramSet) -> str:
    """Return a data set as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        save(dataset, path)
        return base64.b64encode(path.read_bytes()).decode()


def _read(said: Any, name: str) -> DiagramSet | None:
    if not said:
        return None
    if not isinstance(said, str):
        raise ValueError("data")
    try:
        content = base64.b64decode(said, validate=True)
    except binascii.Error:
        raise DiagramFileError(
            f"{name}: its data are damaged; download it again"
        ) from (None)
    return load(content, f"{name}, its data", limits=LIMITS)


def _texts(said: Any) -> dict[str, str]:
    if not isinstance(said, Mapping):
        raise TypeError("not a mapping")
    return {
        str(key)[:_MOST_TEXT]: str(text)[: SETTINGS.upload_points]
        for key, text in list(said.items())[:_MOST_TEXT]
    }


def _pair(said: Any) -> tuple[Diagram, Diagram] | None:
    if said is None:
        return None
    first, second = said
    return as_diagram(first or []), as_diagram(second or [])


def _runs(said: Any) -> list[dict[str, Any]]:
    """Return runs of which nothing but short texts and finite numbers is taken."""
    if not isinstance(said, list):
        raise TypeError("runs")
    return [
        {
            str(key)[:40]: cell if _is_number(cell) else str(cell)[:_MOST_TEXT]
            for key, cell in list(run.items())[:40]
        }
        for run in said[: SETTINGS.history_runs]
        if isinstance(run, dict)
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
