"""A lecture as data: stations, each a state of the page with a question to ask.

A tour is a JSON file with a title and stations; a station has a headline, words, a
question, its answer, and the link of a state, as the button "Link" copies it. It may
name the card to show. Teachers write their own, and share it as a file or in a link:
what comes in is a stranger's, and is bounded and checked here.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from swviz.errors import ParameterError

MOST_BYTES = 100_000
MOST_STATIONS = 60
MOST_CHARACTERS = 2000
"""Of a text; a link carries a pair of sixty points in fewer."""

MOST_IN_LINK = 6000
"""Characters of a packed tour in a link: servers refuse addresses beyond 8,000."""


_OPTIONAL = ("show", "above", "controls")


@dataclass(frozen=True)
class Station:
    """One state of the page, and what to say about it.

    Parameters
    ----------
    headline, words, question, answer : str
    link : str
        Query of the page's address, with its question mark.
    show : str, default=""
        The beginning of the title of a card, which is brought to the top of the page.
    above : str, default=""
        The beginning of a text that is to be seen, such as that beside a number: it is
        brought to the bottom, above the card of the tour.
    controls : str, default=""
        The heading in the sidebar of what is to be used, in capitals: the sidebar is
        opened, and it is brought into sight. Any other text only opens it.
    """

    headline: str
    words: str
    question: str
    answer: str
    link: str
    show: str = ""
    above: str = ""
    controls: str = ""

    @property
    def query(self) -> dict[str, str]:
        """What the link says, value by value."""
        return dict(parse_qsl(self.link.removeprefix("?"), keep_blank_values=True))


@dataclass(frozen=True)
class Tour:
    """Stations in their order."""

    title: str
    stations: tuple[Station, ...]

    def to_json(self) -> str:
        """Return the tour as the text of a file."""
        said = [
            {
                key: text
                for key, text in asdict(station).items()
                if text or key != "show"
            }
            for station in self.stations
        ]
        return json.dumps(
            {"title": self.title, "stations": said}, indent=2, ensure_ascii=False
        )

    def pack(self) -> str:
        """Return the tour as text for a link; empty if it is too long for one."""
        packed = zlib.compress(self.to_json().encode(), 9)
        text = base64.urlsafe_b64encode(packed).decode().rstrip("=")
        return text if len(text) <= MOST_IN_LINK else ""


def read_tour(text: str | bytes) -> Tour:
    """Read a tour that somebody has written.

    Parameters
    ----------
    text : str or bytes
        JSON.

    Raises
    ------
    ParameterError
        With what is wrong, and where.
    """
    if len(text) > MOST_BYTES:
        raise ParameterError(f"a tour has at most {MOST_BYTES:,} bytes")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise ParameterError("this is no tour: it cannot be read as JSON") from None
    if not isinstance(said, dict) or not isinstance(said.get("stations"), list):
        raise ParameterError(
            'this is no tour: write {"title": "...", "stations": [...]}'
        )
    stations = said["stations"]
    if not 1 <= len(stations) <= MOST_STATIONS:
        raise ParameterError(
            f"a tour has 1 to {MOST_STATIONS} stations, this one {len(stations)}"
        )
    title = said.get("title", "")
    _check_text(title, "the title")
    return Tour(title, tuple(_station(one, k + 1) for k, one in enumerate(stations)))


def unpack(text: str) -> Tour:
    """Read a tour from a link; see :meth:`Tour.pack`."""
    try:
        packed = base64.urlsafe_b64decode(text[:MOST_IN_LINK] + "==")
        opened = zlib.decompressobj()
        # A few bytes may be opened to gigabytes.
        plain = opened.decompress(packed, MOST_BYTES)
    except (ValueError, binascii.Error, zlib.error):
        raise ParameterError("the link's tour is not readable") from None
    return read_tour(plain)


@cache
def lecture() -> Tour:
    """Return the tour that comes with the app."""
    file = Path(__file__).with_name("lecture.json")
    return read_tour(file.read_text(encoding="utf-8"))


def _station(said: Any, number: int) -> Station:
    where = f"station {number}"
    if not isinstance(said, Mapping):
        raise ParameterError(f"{where} must be an object with headline, words, ...")
    known = Station.__dataclass_fields__
    for key in said:
        if key not in known:
            raise ParameterError(
                f"{where} has {str(key)[:40]!r}: only {', '.join(known)} are known"
            )
    for key in known:
        if key not in _OPTIONAL and key not in said:
            raise ParameterError(f"{where} has no {key}")
        _check_text(said.get(key, ""), f"the {key} of {where}")
    link = urlsplit(said["link"]).query
    if not link:
        raise ParameterError(
            f"the link of {where} has nothing after a question mark: copy one with the "
            "button Link"
        )
    return Station(**{**said, "link": f"?{link}"})


def _check_text(value: Any, what: str) -> None:
    if not isinstance(value, str):
        raise ParameterError(f"{what} must be text")
    if len(value) > MOST_CHARACTERS:
        raise ParameterError(f"{what} has more than {MOST_CHARACTERS:,} characters")
