"""Data sets that links lead to: which are there, and which have to be made first."""

from __future__ import annotations

from collections.abc import Mapping

from swviz.app.runtime.jobs import RESULTS, digest
from swviz.app.workspace.state import (
    DEFAULT_PRESET,
    DEFAULT_SOURCE,
    Workspace,
    asked_for,
)
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
from swviz.sources import SOURCES

_QUICK = {(DEFAULT_SOURCE, DEFAULT_PRESET), ("point_clouds", "small")}
"""Presets that are made in less time than it takes to have a job make them: where all
begin, and what the lecture and the examples lead to."""


def made_before(workspace: Workspace, query: Mapping[str, str]) -> DiagramSet | None:
    """Return a link's data set if it is on show, or was made before.

    Parameters
    ----------
    workspace : Workspace
        What is on show.
    query : mapping of str to str
        The link's.
    """
    try:
        asked = asked_for(query)
    except SwvizError:
        return None
    if asked == (workspace.source, workspace.preset, workspace.changes):
        return workspace.dataset
    return RESULTS.get(digest(*asked))


def needs_making(workspace: Workspace, query: Mapping[str, str]) -> bool:
    """Tell whether a link's data set has to be made first."""
    if query.get("source") not in SOURCES or "preset" not in query:
        return False
    asked = query["source"], query["preset"]
    is_quick = asked in _QUICK and "with" not in query
    return not is_quick and made_before(workspace, query) is None
