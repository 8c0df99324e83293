"""The way of A to B as the browser plays it: few frames, and when each is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from swviz.app.runtime.settings import SETTINGS
from swviz.diagrams import Diagram
from swviz.errors import DiagramError
from swviz.flows import sliced_flow
from swviz.typing import Floats, Ints, Progress, Rule

MOST_FRAMES = 120
MOST_PLACES = 120_000
"""Points of all frames that are sent to the browser, 16 bytes each."""

FEWEST_DIRECTIONS = 4
"""A flow along fewer of them may rest before it arrives."""

STEP_SIZE = 0.1
"""Small, so that a flow has steps enough to be looked at."""


@dataclass(frozen=True, eq=False)
class Way:
    """Frames of a flow.

    Attributes
    ----------
    path : ndarray of shape (k, n + m, 2)
        Positions in each frame, as in :class:`swviz.flows.SlicedFlow`.
    steps : ndarray of shape (k,)
        Which steps of the flow they are: from 0 to its last.
    moments : ndarray of shape (k,)
        When each of them is reached, from 0 to 1.
    """

    path: Floats
    steps: Ints
    moments: Floats


def find_way(
    A: Diagram,
    B: Diagram,
    n_directions: int,
    rule: Rule,
    progress: Progress | None = None,
) -> Way:
    """Let A flow to B, along the directions of the page.

    Parameters
    ----------
    A, B : ndarrays of shape (n, 2) and (m, 2)
    n_directions, rule
        As in :func:`swviz.directions`.
    progress : callable, optional
        Called as ``progress(done, total)`` steps go by.

    Raises
    ------
    DiagramError
        If there are too many points, or nothing would move.
    """
    count = len(A) + len(B)
    # The browser sorts all of them two hundred times for each frame.
    if count > SETTINGS.flow_points:
        cure = "choose smaller diagrams, call swviz.sliced_flow(A, B)"
        raise DiagramError(
            "too many points: " + SETTINGS.exceeded("flow_points", count, cure)
        )
    flow = sliced_flow(
        A, B, **flow_options(n_directions, rule), random_state=0, progress=progress
    )
    if len(flow.path) < 2:
        raise DiagramError("A and B are the same diagram, so that nothing flows")
    return _frames(flow.path)


def flow_options(n_directions: int, rule: Rule) -> dict[str, Any]:
    """Return how :func:`swviz.sliced_flow` is called for a page of these directions."""
    return {
        "n_directions": max(FEWEST_DIRECTIONS, n_directions),
        "rule": rule,
        "step_size": STEP_SIZE,
    }


def _frames(path: Floats) -> Way:
    """Choose steps that are about as far from each other when the flow is played."""
    moments = _moments(path)
    last = len(moments) - 1
    most = min(MOST_FRAMES, max(2, MOST_PLACES // path.shape[1]))
    if last < most:
        steps = np.arange(last + 1)
    else:
        wanted = np.searchsorted(moments, np.linspace(0, 1, most))
        steps = np.unique([0, *np.minimum(wanted, last), last])[:most]
        steps[-1] = last
    return Way(path[steps], steps, moments[steps])


def _moments(path: Floats) -> Floats:
    """Say when each step is reached, of a play that takes from 0 to 1.

    A flow does most of its way in its first steps. They are given more time than the
    others, but not so much that nothing seems to come to rest.
    """
    moved = np.hypot(*np.diff(path, axis=0).transpose(2, 0, 1)).max(axis=1)
    taken = np.sqrt(moved / (moved.max() or 1.0)) + 0.05
    moments: Floats = np.concatenate([[0.0], np.cumsum(taken)])
    return moments / moments[-1]
