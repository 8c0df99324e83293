"""The Slices view: turn the line, watch the matching, read off the distances."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
import param
from numpy.typing import ArrayLike, NDArray

from swviz import plot
from swviz.app.runtime.jobs import digest
from swviz.app.runtime.session import tell
from swviz.app.runtime.task import Task, Turn
from swviz.app.tabs.slices.board import Board
from swviz.app.tabs.slices.saved import saved_page
from swviz.app.tabs.slices.way import Way, find_way, flow_options
from swviz.app.ui.controls import Controls, buttons, choice, heading, note, switch
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.theme import lead, stack
from swviz.app.workspace.links import remember, unwatch
from swviz.app.workspace.listing import literal
from swviz.app.workspace.state import Workspace
from swviz.app.workspace.tab_view import TabView
from swviz.diagrams import Diagram, as_diagram
from swviz.directions import directions
from swviz.errors import DiagramError, SwvizError
from swviz.exact import balanced_segments, sliced_wasserstein_exact
from swviz.matchings import diagram_distance, diagram_matching
from swviz.typing import Floats

_SWITCHES = [
    "show_rays",
    "show_projections",
    "show_matching",
    "show_segments",
    "show_polar",
    "edit",
]
TAB = "Slices"
QUICK_POINTS = 2000
"""Points of a pair up to which its exact distance takes less than a second: other jobs
rest meanwhile."""

SMALL_POINTS = 120
"""Points of a pair up to which its exact distance and d1 take some milliseconds: to
have a thread find them, and to pass them back, takes longer."""

_HELP = """
**The plane** shows diagrams A (blue discs) and B (orange diamonds), hollow marks where
their points fall on the diagonal, and the turning line L(θ) with the rays that
project every point onto it.

**The line, laid flat:** π(A) and π(B) are the points of A and B put onto the diagonal,
each at the place nearest to it. A and π(B) are above, B and π(A) below, so that both
lists are equally long. In one dimension the cheapest matching joins the sorted lists in
order, so crossing links never pay. Its cost W(θ) is also the area between the two
counting functions: the shaded step function below.

**The curve** is W(θ) over the half circle. Its mean is the sliced Wasserstein
distance SW; the mean of the M bars is the approximation SW<sub>M</sub> (Algorithm 1
of the paper).
Exact SW needs no directions at all: it is the sum of signed lengths of the *balanced
segments* divided by π.

Things to try:

- Drag a point up and watch which part of the curve rises.
- Let the line pass θ = 45°: each point and its diagonal mark meet, and the cost is 0.
  At θ = −45° all diagonal marks fall onto one spot.
- Set M to 2 in the sidebar, then 6, then 8: the ratio is not always better with more.
- Switch on the d<sub>1</sub> matching. SW never exceeds 2√2 d<sub>1</sub> (Theorem
  3.3).
- Let A flow to B: every slice pulls the points of A towards their partners, and all
  slices together carry A to B. Features are born from the diagonal and die on it, and
  the curve sinks to zero. Numbers are those of the moved points meanwhile; A itself
  stays as it is.

Keys: Space plays and pauses, the arrows turn the line by a degree, + and − change its
speed. E stops at the next change of the matching, where two points of one list fall
together and exchange their partners (a ring on the laid-flat line, dashed in the
plane). M stops at the next of the M directions, X at the most expensive one; with
Shift, E and M go back. Escape ends a flow. P makes type larger and lines thicker for a
lecture hall, F puts the figure under the pointer alone on the screen.
"""


class SliceView(TabView):
    """Two diagrams, a turning line, and what the line sees of them.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2), optional
        The pair to show.
    workspace : Workspace, optional
        Where the pair comes from instead, and edits go to.
    **params
        Further parameters of the view, and `controls`: whether a cell of a notebook
        shows the sidebar beside it.

    Examples
    --------
    In a notebook, ``SliceView(A, B)`` in a cell shows itself, and
    ``SliceView(A, B).save("slices.html")`` writes a page that turns without a server.
    """

    show_rays = param.Boolean(default=True, label="Projection rays")
    show_projections = param.Boolean(default=True, label="Diagonal projections")
    show_matching = param.Boolean(default=False, label="d1 matching")
    show_segments = param.Boolean(default=False, label="Balanced segments")
    show_polar = param.Boolean(default=False, label="Polar W(θ)")
    autoplay = param.Boolean(default=False, doc="Whether the line turns at once.")
    edit = param.Selector(default="A", objects=["A", "B"], label="New points go to")
    only_when_open = param.Boolean(
        default=False, doc="Whether to compute only while the tab is open."
    )

    def __init__(
        self,
        A: ArrayLike | None = None,
        B: ArrayLike | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        if workspace is None:
            empty: ArrayLike = []
            pair = (empty if A is None else A), (empty if B is None else B)
            given = A is not None or B is not None
            workspace = Workspace.of_pair(*pair) if given else Workspace()
        self.workspace = workspace
        self.board = Board(self.autoplay)
        self._answering = Task(
            self._answer,
            is_open=self._is_open,
            in_cell=self._answer_now,
            is_small=lambda: sum(map(len, workspace.pair)) <= SMALL_POINTS,
            on_stop=self._show_nothing,
            on_error=self._say_why,
        )
        self._flowing = Task(
            self._flow,
            is_open=self._is_open,
            in_cell=self._flow_now,
            on_stop=self._end_flow,
            on_error=self._refuse_flow,
        )
        self.jobs, self.flow_jobs = JobBar(self._answering), JobBar(self._flowing)
        self._counted = 0
        self._stamp = ""
        self._wish = ""
        self._way: Way | None = None
        self._from_browser = False
        self._connect_browser()
        self._watchers = [
            workspace.param.watch(self._take_pair, ["diagram_a", "diagram_b"]),
            workspace.param.watch(
                lambda *_: self._send_setting(), ["n_directions", "rule", "sigma"]
            ),
            workspace.param.watch(
                lambda *_: self._end_flow(), ["n_directions", "rule"]
            ),
            workspace.param.watch(lambda *_: self._ask_angle(), "theta"),
            workspace.param.watch(self._take_tab, "tab"),
        ]
        self._send_setting()
        self._ask_angle()
        self._update_switches()
        self._take_pair()
        self._watchers.append(remember(self, workspace, "slices", _SWITCHES))

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        unwatch(self._watchers)
        self._answering.forget()
        self._flowing.forget()
        super().close()

    @property
    def tasks(self) -> list[Task]:
        """What the view computes by itself."""
        return [self._answering, self._flowing]

    def rest(self) -> None:
        """Stop the line, so that it stays where it is put."""
        self.board.halt()

    # -- what the browser says ------------------------------------------------------

    def _connect_browser(self) -> None:
        heard = {
            "edited": self._take_edit,
            "rest": self._take_angle,
            "undone": lambda _said: self.workspace.undo(),
            "reminder": self._remind,
            "wish": self._take_wish,
        }
        self.board.param.watch(
            lambda *events: [heard[event.name](event.new) for event in events],
            list(heard),
        )

    def _take_edit(self, said: Mapping[str, Any]) -> None:
        """Take points that were dragged, added or deleted in the browser."""
        try:
            stamp = str(said["stamp"][0])
            A, B = (_points(said[name][0]) for name in "ab")
            gesture = int(said["gesture"][0])
        except (ValueError, TypeError, KeyError, IndexError, DiagramError):
            # A message that this view did not write: the pair on show stays.
            self._take_pair()
            return
        if _server_stamp(stamp) != _server_stamp(self._stamp):
            # Of a pair that is not on show any more.
            return
        self._from_browser, self._stamp = True, stamp
        try:
            self.workspace.edit(A, B, gesture=gesture)
        except SwvizError as error:
            tell(f"The points stay as they are: {error}.", "warning")
            self._send_pair()
        finally:
            self._from_browser = False

    def _remind(self, said: Mapping[str, Any]) -> None:
        """Answer again if the browser still waits, unless the answer is being made."""
        waits = list(said.get("stamp", [])) == [self._stamp]
        if waits and not self._answering.busy:
            self._answering.request(anew=False)

    def _take_angle(self, said: Mapping[str, Any]) -> None:
        try:
            theta = float(np.clip(float(said["theta"][0]), -np.pi / 2, np.pi / 2))
            heard = int(said["heard"][0])
        except (ValueError, TypeError, KeyError, IndexError):
            return
        if np.isnan(theta) or heard != self.board.n_asked:
            # Said before the line was asked to turn elsewhere.
            return
        self._from_browser = True
        try:
            self.workspace.theta = theta
        finally:
            self._from_browser = False

    def _take_wish(self, said: Mapping[str, Any]) -> None:
        """Look for the way of A to B, or stop looking: a wish without a name."""
        try:
            stamp, wish = str(said["stamp"][0]), str(said["wish"][0])
        except (TypeError, KeyError, IndexError):
            return
        self._end_flow()
        if wish and stamp == self._stamp:
            self._wish = wish
            self._flowing.request()
        elif wish:
            # For a pair that is not on show any more.
            self.board.set_way(wish, None)

    # -- what the server says -------------------------------------------------------

    def _take_tab(self, *_events: param.parameterized.Event) -> None:
        self._answering.look()
        if not self._is_open():
            self._end_flow()

    def _take_pair(self, *_events: param.parameterized.Event) -> None:
        self._end_flow()
        if not self._from_browser:
            self._send_pair()
        # The steps of a drag are let finish: their layers follow the point.
        self._answering.request(anew=not self._from_browser)

    def _send_pair(self) -> None:
        self._counted += 1
        self._stamp = str(self._counted)
        self.board.set_pair(self._stamp, *self.workspace.pair)

    def _send_setting(self) -> None:
        space = self.workspace
        thetas = directions(space.n_directions, space.rule, random_state=0)
        self.board.set_setting(thetas, space.rule, space.sigma)

    def _ask_angle(self) -> None:
        if not self._from_browser:
            self.board.ask_angle(self.workspace.theta)

    def _is_open(self) -> bool:
        return not self.only_when_open or self.workspace.tab == TAB

    def _answer_now(self) -> None:
        layers = self.show_matching, self.show_segments
        try:
            truth = _truth(*self.workspace.pair, *layers)
        except SwvizError as error:
            self._say_why(error)
        else:
            self.board.set_answer(self._stamp, *truth)

    async def _answer(self, turn: Turn) -> None:
        """Compute what only the library knows."""
        stamp, (A, B) = self._stamp, self.workspace.pair
        layers = self.show_matching, self.show_segments
        # A drag would push everything else out of the cache.
        key = None if self.workspace.edited else digest("slices", A, B, *layers)
        answer = await turn.compute(
            partial(_truth, A, B, *layers),
            key,
            f"Exact SW and d1 of {len(A):,} + {len(B):,} points",
            urgent=len(A) + len(B) <= QUICK_POINTS,
        )
        turn.show(self.board.set_answer, stamp, *answer)

    def _show_nothing(self) -> None:
        self.board.set_answer(self._stamp, *_NOTHING)

    def _say_why(self, error: Exception) -> None:
        if isinstance(error, SwvizError):
            tell(f"There is no exact SW here: {error}.", "warning")
        self._show_nothing()

    def _flow_now(self) -> None:
        space = self.workspace
        try:
            way = find_way(*space.pair, space.n_directions, space.rule)
        except SwvizError as error:
            self._refuse_flow(error)
        else:
            self._show_way(self._wish, way)

    async def _flow(self, turn: Turn) -> None:
        """Look for the way that the browser has wished for."""
        space, wish = self.workspace, self._wish
        (A, B), how = space.pair, (space.n_directions, space.rule)
        key = None if space.edited else digest("way", A, B, *how)
        way = await turn.compute(
            partial(find_way, A, B, *how),
            key,
            f"The way of A to B, {len(A):,} + {len(B):,} points",
        )
        turn.show(self._show_way, wish, way)

    def _show_way(self, wish: str, way: Way) -> None:
        self._way = way
        self.board.set_way(wish, way)

    def _end_flow(self) -> None:
        """Want no flow any more, and have the browser show the pair as it is."""
        self._flowing.forget()
        wish, self._wish, self._way = self._wish, "", None
        if wish:
            self.board.set_way(wish, None)

    def _refuse_flow(self, error: Exception) -> None:
        if isinstance(error, SwvizError):
            tell(f"A does not flow here: {error}.", "warning")
        self._end_flow()

    @param.depends(*_SWITCHES, watch=True)
    def _update_switches(self) -> None:
        self.board.set_shown(
            self.edit,
            rays=self.show_rays,
            projections=self.show_projections,
            matching=self.show_matching,
            segments=self.show_segments,
            polar=self.show_polar,
        )

    @param.depends("show_matching", "show_segments", watch=True)
    def _fill_layers(self) -> None:
        self._answering.request(anew=False)

    def as_python(self) -> str:
        """Return the lines that print what is on show, with the library."""
        lines = self.workspace.as_python()
        if self._way is None:
            return lines
        options = flow_options(self.workspace.n_directions, self.workspace.rule)
        given = ", ".join(f"{name}={literal(value)}" for name, value in options.items())
        return (
            f"{lines}\n# The way of A to B: flow.path[k] are its points after k steps\n"
            f"flow = sw.sliced_flow(A, B, {given}, random_state=0)\n"
        )

    # -- layout ---------------------------------------------------------------------

    @cached_property
    def controls(self) -> list[pn.viewable.Viewable]:
        """Widgets of this view's own, for the sidebar."""
        space = self.workspace
        controls = Controls(
            self,
            [
                heading("Show"),
                *(switch(self.param[name]) for name in _SWITCHES if name != "edit"),
                heading("Edit"),
                choice(self.param.edit),
                buttons(
                    {"name": "undo", "text": "Undo", "icon": "undo"},
                    {"name": "restore", "text": "Back to original", "icon": "restore"},
                ),
                note(
                    "With the drawing tool, drag a point, tap the plane to add one, "
                    "tap a point and press Backspace to remove it. Ctrl+Z takes an "
                    "edit back. Space plays, arrows turn."
                ),
            ],
            press={"undo": space.undo, "restore": space.restore},
            sizing_mode="stretch_width",
        )

        def follow(*_events: Any) -> None:
            is_useless = {"undo": space.undoable == 0, "restore": not space.edited}
            controls.disabled = [name for name, holds in is_useless.items() if holds]

        self._watchers.append(space.param.watch(follow, ["undoable", "edited"]))
        follow()
        return [controls]

    def __panel__(self) -> pn.viewable.Viewable:
        return stack(
            lead(
                "**Turn the line.** It sorts both diagrams: joining them in order is "
                "the cheapest match.",
                r"SW(A, B) = \tfrac{1}{\pi}\int_{-\pi/2}^{\pi/2} W(\theta)\,d\theta",
                "Definition 3.1",
                _HELP,
            ),
            self.board,
            self.jobs,
            self.flow_jobs,
        )

    def save(self, path: str | Path, title: str = "Slices") -> None:
        """Write a page that needs no server and no network.

        The line turns, points can be edited, and A flows to B as long as they are not.
        """
        Path(path).write_text(self.still_page(title), encoding="utf-8")

    def stills(self) -> list[Any]:
        """Draw the slice and the cost of every direction."""
        space = self.workspace
        A, B = space.pair
        costs = plot.cost_curve(A, B, space.n_directions, space.rule, theta=space.theta)
        return [plot.slice_plane(A, B, space.theta), costs]

    def still_page(self, title: str = "Slices") -> str:
        """Return the page that :meth:`save` writes."""
        space = self.workspace
        switches = {
            name: getattr(self, name) for name in self.param if name.startswith("show_")
        }
        state = {
            name: getattr(space, name)
            for name in ("theta", "n_directions", "rule", "sigma")
        }
        twin = SliceView(
            workspace=Workspace.of_pair(*space.pair, **state), autoplay=True, **switches
        )
        twin._answer_now()
        with suppress(SwvizError):
            way = find_way(*space.pair, space.n_directions, space.rule)
            twin.board.set_way(twin._stamp, way)
        names = {name: space.name_of(name) for name in "AB"}
        return saved_page(twin.board.tables(), title, names)


_NOTHING = (None, None, np.empty((0, 2, 2)), (np.empty((0, 2, 2)), np.empty(0)))
"""The answer where there is none."""


def _server_stamp(stamp: str) -> str:
    """Stamp of the pair that the server sent, of which a stamp may be an edit."""
    return stamp.partition("+")[0]


def _points(rows: Any) -> Diagram:
    """Points as the browser has them, those below the diagonal lifted onto it."""
    points = np.array(rows, dtype=float).reshape(-1, 2)
    points[:, 1] = points.max(axis=1, initial=-np.inf)
    return as_diagram(points)


def _truth(
    A: Diagram,
    B: Diagram,
    with_matching: bool,
    with_segments: bool,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> tuple[Any, ...]:
    """Compute what the browser cannot: the arguments of `SliceFigures.set_answer`."""
    steps = 2 + with_matching + with_segments
    progress(0, steps)
    exact = sliced_wasserstein_exact(A, B)
    progress(1, steps)
    d1 = diagram_distance(A, B)
    progress(2, steps)
    matching, segments = _NOTHING[2:]
    if with_matching:
        matching = _matched_ends(A, B, diagram_matching(A, B))
    if with_segments:
        segments = balanced_segments(A, B)
    return exact, d1, matching, segments


def _matched_ends(A: Diagram, B: Diagram, matching: NDArray[np.intp]) -> Floats:
    """Return the ends of a matching's segments, shape (k, 2, 2); -1 is the diagonal."""
    ends = np.full((len(matching), 2, 2), np.nan)
    for side, diagram in enumerate((A, B)):
        index = matching[:, side]
        ends[index >= 0, side] = diagram[index[index >= 0]]
    other = ends[:, ::-1].mean(axis=2, keepdims=True)
    return np.where(np.isnan(ends), other, ends)
