"""Where the figures of Slices stand on a page, and what it is told and tells.

Server and browser speak by tables of one row, each of them replaced whole, so that no
reader sees a half of it. The server writes questions: the pair with its stamp, sampled
angles and bandwidth, the angle that a link asks for, which layers are on show; and the
answers that only the library has: exact distance, d1, layers, with the stamp of the
pair they belong to, and the way of A to B, with the name of the wish for it. The
browser says what was edited, where the line rests, and what it wishes for.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import param
from bokeh.document import Document
from bokeh.embed import json_item
from bokeh.io.doc import patch_curdoc
from bokeh.models import CustomJS
from panel.custom import JSComponent

from swviz.app.tabs.slices.figures import SliceFigures
from swviz.app.tabs.slices.way import Way
from swviz.diagrams import Diagram
from swviz.plot.places import plane_span
from swviz.plot.theme import MODES, Mode
from swviz.typing import Floats

_HERE = Path(__file__).parent
ENGINE = (_HERE / "engine.js").read_text(encoding="utf-8")
PAINT = (_HERE / "paint.js").read_text(encoding="utf-8")

COLORS: dict[Mode, dict[str, str]] = {
    "light": {
        "quiet": "rgba(0, 0, 0, 0.6)",
        "grid": "rgba(0, 0, 0, 0.1)",
        "frame": "rgba(0, 0, 0, 0)",
    },
    "dark": {
        "quiet": "rgba(255, 255, 255, 0.7)",
        "grid": "rgba(255, 255, 255, 0.12)",
        "frame": "rgba(255, 255, 255, 0.25)",
    },
}
"""Of numbers at ticks, of lines behind the data, and around them."""


def _table(*columns: str, doc: str) -> param.Dict:
    return param.Dict(default={column: [] for column in columns}, doc=doc)


def colors_of_modes() -> dict[Mode, dict[str, str]]:
    """Return what `paint.js` paints figures with, on a light and on a dark page."""
    return {
        mode: {"text": MODES[mode]["text"], **colors} for mode, colors in COLORS.items()
    }


class Board(JSComponent):
    """The figures of one Slices view, to be put on a page.

    Parameters
    ----------
    autoplay : bool, default=False
        Whether the line turns as soon as it is drawn.
    """

    pair = _table("stamp", "a", "b", "anchor", "radius", "low", "high", doc="On show.")
    setting = _table("thetas", "rule", "sigma", doc="What distances are computed with.")
    asked_angle = param.Dict(
        default={"theta": [0.0], "count": [0]}, doc="Where the line is to turn to."
    )
    answer = _table(
        "stamp", "exact", "d1", "matching", "segments", doc="What the library knows."
    )
    way = _table("wish", "path", "steps", "moments", doc="Of A to B.")
    shown = _table(
        *("rays", "projections", "matching", "segments", "polar", "edit"),
        doc="Which layers are on show, and which diagram new points go to.",
    )
    motion = param.Dict(
        default={"autoplay": [False], "halts": [0]},
        doc="Whether the line turns at first, and how often it was stopped.",
    )

    edited = _table("stamp", "a", "b", "gesture", doc="Points, edited in the browser.")
    rest = _table("theta", "heard", doc="Where the line rests.")
    undone = _table("count", doc="How often an edit was taken back by a key.")
    reminder = _table("stamp", "count", doc="The pair whose answer is waited for.")
    wish = _table(
        "stamp", "wish", doc="For the way of A to B; without a name, for none."
    )

    figures = param.String(doc="All of them, as Bokeh writes them down.")
    modes = param.Dict(doc="Colours of figures on a light and on a dark page.")

    _esm = f"{PAINT}\n{(_HERE / 'board.js').read_text(encoding='utf-8')}"

    def __init__(self, autoplay: bool = False, **params: Any) -> None:
        super().__init__(
            figures=figures_for_all(),
            modes=colors_of_modes(),
            motion={"autoplay": [autoplay], "halts": [0]},
            sizing_mode="stretch_width",
            margin=0,
            **params,
        )

    def set_pair(self, stamp: str, A: Diagram, B: Diagram) -> None:
        """Show another pair, in a plane that holds it for every angle."""
        low, high = plane_span(A, B)
        # The line turns about the middle of the plane, where it is always in sight:
        # moving it sideways changes no distance.
        anchor = (low + high) / 2
        points = np.concatenate([A, B, [[low, high]]])
        self.pair = {
            "stamp": [stamp],
            "a": [A.tolist()],
            "b": [B.tolist()],
            "anchor": [anchor],
            "radius": [float(np.hypot(*(points - anchor).T).max())],
            "low": [low],
            "high": [high],
        }

    def set_setting(self, thetas: Floats, rule: str, sigma: float) -> None:
        """Sample other directions, or use another bandwidth."""
        self.setting = {
            "thetas": [thetas.tolist()],
            "rule": [rule],
            "sigma": [sigma],
        }

    def ask_angle(self, theta: float) -> None:
        """Have the browser turn the line to an angle."""
        self.asked_angle = {"theta": [theta], "count": [self.n_asked + 1]}

    @property
    def n_asked(self) -> int:
        """How often the browser was asked to turn the line."""
        return int(self.asked_angle["count"][0])

    def halt(self) -> None:
        """Have the line stay where it is."""
        self.motion = self.motion | {"halts": [self.motion["halts"][0] + 1]}

    def set_shown(self, edit: str, **layers: bool) -> None:
        """Switch layers on and off, and let new points go to diagram "A" or "B"."""
        shown = {"edit": edit, **layers}
        self.shown = {name: [value] for name, value in shown.items()}

    def set_answer(
        self,
        stamp: str,
        exact: float | None,
        d1: float | None,
        matching: Floats,
        segments: tuple[Floats, Floats],
    ) -> None:
        """Give what only the library knows of the pair with this stamp.

        Parameters
        ----------
        stamp : str
        exact, d1 : float or None
            None if they were not computed.
        matching : ndarray of shape (k, 2, 2)
            Ends of the optimal matching's segments.
        segments : ndarrays of shapes (k, 2, 2) and (k,)
            Balanced segments and their weights.
        """
        ends, weights = segments
        self.answer = {
            "stamp": [stamp],
            "exact": [exact],
            "d1": [d1],
            "matching": [matching.reshape(-1, 4).T.tolist()],
            "segments": [[*ends.reshape(-1, 4).T.tolist(), weights.tolist()]],
        }

    def set_way(self, wish: str, way: Way | None) -> None:
        """Give the way of A to B that the browser has wished for, or say that it ends.

        Parameters
        ----------
        wish : str
            The browser's name for it.
        way : Way or None
        """
        if way is None:
            self.way = {"wish": [wish], "path": [None], "steps": [None]} | {
                "moments": [None]
            }
            return
        self.way = {
            "wish": [wish],
            "path": [way.path.ravel()],
            "steps": [way.steps.tolist()],
            "moments": [way.moments.tolist()],
        }

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return what is said both ways, by name."""
        return {name: getattr(self, name) for name in TABLES}


TABLES = (
    *("pair", "setting", "asked_angle", "answer", "way", "shown", "motion"),
    *("edited", "rest", "undone", "reminder", "wish"),
)
"""Names of the tables: those of the server, then those of the browser."""


def make_figures(
    tables: dict[str, dict[str, Any]], is_alone: bool = False
) -> SliceFigures:
    """Make figures with the engine that moves them.

    Parameters
    ----------
    tables : dict of str to tables
        See :meth:`Board.tables`.
    is_alone : bool, default=False
        Whether the page will have no server that could answer, as one that is saved.
    """
    figures = SliceFigures(tables)
    arguments = {**figures.engine_arguments(), "is_alone": is_alone}
    figures.connect(CustomJS(args=arguments, code=ENGINE, module=True))
    return figures


@cache
def figures_for_all() -> str:
    """Write down figures that show nothing yet, once for all pages of a process.

    They are most of what Slices consists of. Made by the server for each page, with a
    model here for each there, they cost it as much as all the rest of the page.
    """
    empty = {name: Board.param[name].default for name in TABLES}
    # Bokeh holds it weakly.
    document = Document()
    with patch_curdoc(document):
        item = json_item(make_figures(empty).layout())
    # Definitions of all components that this process has: they are plain Bokeh.
    item["doc"].pop("defs", None)
    return json.dumps(item, separators=(",", ":"))
