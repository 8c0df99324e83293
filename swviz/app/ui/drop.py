"""Files from the browser, each by its name: also empty ones and those of folders.

Material UI's FileInput leaves out empty files and those of other endings without a
word, and says "Uploaded" before anybody has looked at them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import partial
from itertools import chain, count
from pathlib import Path, PurePath
from typing import Any, ClassVar

import panel as pn
import param
from panel.custom import JSComponent

from swviz.app.runtime.settings import SETTINGS, how_to_raise

_STYLE = """
:host { width: 100%; }
.zone {
  display: flex; flex-wrap: wrap; align-items: center; gap: 6px 12px;
  padding: 12px 14px; border-radius: 10px;
  border: 1.5px dashed color-mix(in srgb, currentColor 40%, transparent);
  font-size: 0.95rem;
}
.zone.over {
  border-color: var(--panel-primary-color, currentColor);
  background: color-mix(in srgb, currentColor 8%, transparent);
}
.zone label {
  position: relative; cursor: pointer; padding: 5px 12px; border-radius: 10px;
  color: var(--panel-primary-color, inherit); border: 1px solid currentColor;
  font-size: 0.875rem; font-weight: 500;
}
.zone label:hover { background: color-mix(in srgb, currentColor 10%, transparent); }
.zone label:focus-within { outline: 2px solid currentColor; outline-offset: 2px; }
.zone input { position: absolute; opacity: 0; width: 1px; height: 1px; }
.zone .state { opacity: 0.75; font-size: 0.875rem; }
"""

Taken = Callable[[dict[str, bytes], list[str]], Any]
"""Called with the content of each file by its name, and a sentence for each refusal."""


class FileDrop(JSComponent):
    """A place to drop files and folders on, or to choose them.

    Parameters
    ----------
    taken : callable
        Called when a batch has come: with the files' contents by name, those of a
        folder with their path, and a sentence for each file that was not taken.
    label : str
        What the place says.
    accept : sequence of str
        Endings that the browser's dialog offers. Others come, too, to be told about.
    folders : bool
        Whether a whole folder can be chosen, too.
    max_bytes, max_total, max_files : int
        What is taken of one file, of all together, and how many; what the server
        allows by default.
    """

    label = param.String(default="Drop files or a folder here")
    accept = param.String(default="")
    folders = param.Boolean(default=True)
    max_bytes = param.Integer(default=SETTINGS.upload_bytes)
    max_total = param.Integer(default=SETTINGS.upload_total)
    max_files = param.Integer(default=SETTINGS.upload_files)
    batches = param.Integer(default=0, doc="How many the browser has begun to send.")

    _esm = Path(__file__).with_name("drop.js")
    _stylesheets: ClassVar[list[str]] = [_STYLE]

    def __init__(self, taken: Taken, accept: Sequence[str] = (), **params: Any) -> None:
        super().__init__(accept=",".join(accept), **params)
        self._taken = taken
        self._batch: object = None
        # By their place in the batch: two files may have one name.
        self._received: dict[int, tuple[str, bytearray]] = {}
        self._complaints: dict[int | None, str] = {}
        self.on_msg(self._heard)

    def _heard(self, event: Any) -> None:
        batch = self.receive(event.data)
        if batch is not None:
            pn.state.execute(partial(self._taken, *batch))

    def receive(self, message: Any) -> tuple[dict[str, bytes], list[str]] | None:
        """Take a message of the browser, which may say anything.

        Returns
        -------
        tuple or None
            At the end of a batch: its files, and a sentence for each refused one.
        """
        if not isinstance(message, dict):
            return None
        kind = message.get("kind")
        if kind == "begin":
            self._begin(message)
        elif message.get("batch") != self._batch:
            # Of files that others have overtaken.
            return None
        elif kind == "part":
            place, name = message.get("place"), message.get("name")
            if isinstance(place, int) and isinstance(name, str):
                self._take(place, name, message)
        elif kind == "end":
            files: dict[str, bytes] = {}
            for name, data in self._received.values():
                files[_new_name(name, files)] = bytes(data)
            complaints = list(self._complaints.values())
            self._begin({})
            return files, complaints
        return None

    def _begin(self, message: dict[str, Any]) -> None:
        self._batch = message.get("batch")
        self._received, self._complaints = {}, {}
        left_out = message.get("left_out")
        if isinstance(left_out, int) and left_out > 0:
            self._complaints[None] = (
                f"Only {self.max_files} files are read at once, and more were given; "
                "upload the others later, put many diagrams into one file, or "
                f"{how_to_raise('upload_files')}."
            )

    def _take(self, place: int, name: str, message: dict[str, Any]) -> None:
        if place in self._complaints or (
            place not in self._received and len(self._received) >= self.max_files
        ):
            return
        data, size = message.get("data"), message.get("size")
        if isinstance(data, bytes | bytearray | memoryview):
            _, received = self._received.setdefault(place, (name, bytearray()))
            received.extend(data)
            size = len(received)
            if size <= self.max_bytes:
                total = sum(len(data) for _, data in self._received.values())
                if total > self.max_total:
                    self._refuse(
                        place,
                        f"{name}: does not fit: {_megabytes(self.max_total)} can be "
                        "uploaded at once; upload it alone, or "
                        + how_to_raise("upload_total"),
                    )
                return
        if isinstance(size, int) and size > self.max_bytes:
            self._refuse(place, f"{name}: {too_large(size, self.max_bytes)}")
        else:
            self._refuse(
                place, f"{name}: could not be read by the browser; choose it again"
            )

    def _refuse(self, place: int, complaint: str) -> None:
        self._received.pop(place, None)
        self._complaints[place] = complaint


def _new_name(name: str, taken: Container[str]) -> str:
    """Return the name, with a number if another file has it: a.csv, a (2).csv."""
    ending = PurePath(name).suffix
    stem = name.removesuffix(ending)
    numbered = (f"{stem} ({number}){ending}" for number in count(2))
    return next(new for new in chain([name], numbered) if new not in taken)


def too_large(size: int, most: int) -> str:
    """Say that a file is too large, and what to do.

    Parameters
    ----------
    size, most : int
        Bytes.
    """
    return (
        f"has {_megabytes(size)}, more than the {_megabytes(most)} that can be "
        f"uploaded; split it, or {how_to_raise('upload_bytes')}"
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
