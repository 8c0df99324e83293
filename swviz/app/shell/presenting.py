"""The tour on the page: its card, its keys, and the state of each station."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

import param
from panel.custom import JSComponent

from swviz.app.runtime.session import tell
from swviz.app.shell.tours import Station, Tour, lecture, read_tour, unpack
from swviz.errors import SwvizError
from swviz.plot.theme import ACCENT

_STYLE = """
:host { position: fixed; z-index: 1250; bottom: 10px; left: 50%;
  transform: translateX(-50%); width: min(1240px, 100vw - 20px); }
.tour { font-size: clamp(15px, 1.36vw, 25px); max-height: 46vh; overflow: auto;
  box-sizing: border-box; padding: 10px 18px 14px; border-radius: 12px;
  font-family: Roboto, system-ui, sans-serif; line-height: 1.35;
  background: var(--panel-surface-color, #FFFFFF);
  color: var(--panel-on-surface-color, #1D2730);
  border: 1px solid color-mix(in srgb, currentColor 22%, transparent);
  box-shadow: 0 6px 28px rgba(0, 0, 0, 0.32); }
.tour[hidden], .tour [hidden] { display: none; }
.head { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 10px; }
.number { font-size: 0.85em; opacity: 0.7; font-variant-numeric: tabular-nums; }
.headline { flex: 1 1 12em; margin: 0; font-size: 1.27em; line-height: 1.2; }
.said { display: grid; grid-template-columns: 1fr 1fr; gap: 4px 28px;
  margin-top: 6px; }
p { margin: 0; font-size: 1em; }
p.keys { font-size: 0.8em; opacity: 0.75; margin-top: 6px; }
.question { font-weight: 700; display: inline; margin-right: 12px; }
.answer { margin-top: 4px; padding-left: 12px; border-left: 4px solid ACCENT; }
.way { display: flex; align-items: center; gap: 6px; }
.dots { display: flex; }
button { font: inherit; color: inherit; background: none; cursor: pointer;
  border: 1px solid color-mix(in srgb, currentColor 30%, transparent);
  border-radius: 8px; padding: 4px 12px; }
button:hover:not(:disabled) {
  background: color-mix(in srgb, currentColor 10%, transparent); }
button:focus-visible { outline: 3px solid ACCENT; outline-offset: 1px; }
button:disabled { opacity: 0.4; cursor: default; }
.next, .reveal { font-weight: 700; }
.tools { display: flex; font-size: 0.75em; margin: 4px 0 0 -8px; }
.tool { padding: 3px 8px; border-color: transparent; opacity: 0.85; }
.dot { padding: 6px 5px; border: 0; line-height: 0; }
.dot::before { content: ""; display: block; width: 10px; height: 10px;
  border-radius: 50%; background: color-mix(in srgb, currentColor 35%, transparent); }
.dot[aria-current]::before { background: ACCENT; transform: scale(1.4); }
@media (max-width: 1100px) { .tools { display: none; } }
@media (max-width: 700px) {
  .said { grid-template-columns: 1fr; }
  .headline { order: 1; flex-basis: 100%; font-size: 1.1em; }
  .way { margin-left: auto; }
  p { font-size: 1em; }
  .dots { display: none; }
}
"""


class Presenting(JSComponent):
    """Leads through a tour; closed until it is started.

    Parameters
    ----------
    go : callable
        Takes the query of a station, and has the page show it.
    """

    stations = param.List(default=[], doc="Texts of the stations.")
    at = param.Integer(
        default=-1, bounds=(-1, None), doc="The station on show, or -1 if it is closed."
    )
    is_open = param.Boolean(default=False, doc="Whether a station is on show.")
    text = param.String(default="", doc="The tour as a file.")
    given = param.Dict(default={}, doc="Written by the browser: a file of one's own.")
    links = param.Integer(default=0, doc="Written by the browser: a link is wanted.")
    copied = param.String(default="", doc="For the clipboard.")
    sight = param.Dict(
        default={"text": "", "count": 0},
        doc="The beginning of a title that is to be seen, and how often one was.",
    )

    _esm = Path(__file__).with_name("presenting.js")
    _stylesheets: ClassVar[list[str]] = [_STYLE.replace("ACCENT", ACCENT)]

    def __init__(self, go: Callable[[Station], None], **params: Any) -> None:
        super().__init__(**params)
        self._go = go
        self.tour = lecture()
        self.param.watch(self._moved, "at")
        self.param.watch(self._open_file, "given")
        self.param.watch(self._copy_link, "links")

    def start(self, tour: Tour | None = None, at: int = 0) -> None:
        """Present a tour, the lecture by default.

        Parameters
        ----------
        tour : Tour, optional
        at : int, default=0
            The station to begin with; the last one if there are fewer.
        """
        self._take(tour or lecture())
        at = self._within(at)
        if at == self.at:
            self._moved()
        else:
            self.at = at

    def bring_into_sight(self, text: str) -> None:
        """Have the page scroll to a title, once that is there; to none without one.

        Parameters
        ----------
        text : str
            Its beginning.
        """
        self.sight = {"text": text, "count": self.sight["count"] + 1}

    def _take(self, tour: Tour) -> None:
        self.tour = tour
        self.param.update(
            stations=[asdict(station) for station in tour.stations],
            text=tour.to_json(),
        )

    def _within(self, at: int) -> int:
        return min(max(at, 0), len(self.tour.stations) - 1)

    def to_query(self) -> dict[str, str]:
        """Return what a link needs to come back to the station."""
        if not self.is_open:
            return {}
        packed = "" if self.tour == lecture() else self.tour.pack()
        own = {"stations": packed} if packed else {}
        return {"tour": str(self.at + 1)} | own

    def read(self, query: dict[str, str]) -> dict[str, str]:
        """Begin with what a link asks for, on a page that is being made.

        Parameters
        ----------
        query : dict of str to str

        Returns
        -------
        dict of str to str
            What the page has to show: the station, or all as the link says.
        """
        if "tour" not in query:
            return query
        tour = lecture()
        if "stations" in query:
            try:
                tour = unpack(query["stations"])
            except SwvizError as error:
                tell(f"The tour of this link cannot be given: {error}.", "warning")
        number = query["tour"]
        at = int(number[:4]) - 1 if number.isdecimal() else 0
        with param.parameterized.discard_events(self):
            self._take(tour)
            self.param.update(at=self._within(at), is_open=True)
        return self.tour.stations[self.at].query

    def _moved(self, *_events: object) -> None:
        self.is_open = 0 <= self.at < len(self.tour.stations)
        if self.is_open:
            self._go(self.tour.stations[self.at])

    def _open_file(self, event: Any) -> None:
        try:
            tour = read_tour(str(event.new.get("text", "")))
        except SwvizError as error:
            tell(f"This tour cannot be given: {error}.", "warning")
            return
        self.start(tour)

    def _copy_link(self, *_events: object) -> None:
        if not self.is_open:
            return
        query = self.to_query() | {"tour": "1"}
        if self.tour != lecture() and "stations" not in query:
            tell("This tour is too long for a link. Save it, and send the file.")
            return
        self.copied = ""
        self.copied = f"?{urlencode(query)}"
        tell("Copied.", "success", 3)
