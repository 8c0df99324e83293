"""The browser around a page: its address and history, its drawing, its last words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary, ref

import panel as pn
import param
from bokeh.document import Document
from panel.custom import JSComponent

NUDGE_MS = 200
"""After which a line that was busy is free."""


class Browser(JSComponent):
    """Speaks with the browser that shows a page; to be put on the page."""

    address = param.String(
        default="",
        doc="What the browser shows behind the page's path, and after a space the "
        "last of its steps that was heard of.",
    )
    step = param.String(
        default="",
        doc="Written by the browser at Back and Forward: a number, and the tab that "
        "they lead to.",
    )
    asked = param.Integer(default=0, doc="How often it was asked to tell of drawing.")
    drawn = param.Integer(default=0, doc="Written by the browser: what it answered.")
    at_work = param.String(default="", doc="Jobs, to be remembered if a page is left.")
    greetings = param.Integer(
        default=0, doc="Written by the browser whenever new models have come."
    )
    to_keep = param.String(
        default="", doc="For the tab's own storage, until it is closed."
    )
    kept = param.String(
        default="", doc="Written by the browser: what a page before this one kept."
    )
    lost = param.String(default="", doc="Written by the browser: jobs of a page left.")
    nudges = param.Integer(default=0, doc="Says nothing, but has all else be sent.")

    _esm = Path(__file__).with_name("browser.js")

    # Weak, too: it knows its document, which would never be freed.
    _of_documents: ClassVar[WeakKeyDictionary[Document, ref[Browser]]] = (
        WeakKeyDictionary()
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**{"visible": False, **params})
        self._waiting: list[Callable[[], None]] = []
        self._is_nudged = False
        self.param.watch(self._answer, "drawn")
        if pn.state.curdoc is not None:
            self._of_documents[pn.state.curdoc] = ref(self)

    @classmethod
    def of(cls, document: Document) -> Browser | None:
        """Return the browser of a document's page, if there is one."""
        return cls._of_documents.get(document, lambda: None)()

    def show_address(self, query: str) -> None:
        """Let the browser show the state of the page.

        Parameters
        ----------
        query : str
            Without spaces, as URLs are.
        """
        heard, _, _ = self.step.partition(" ")
        self.address = f"{query} {heard}".rstrip()

    def when_drawn(self, function: Callable[[], None]) -> None:
        """Call a function when what was sent before has been drawn."""
        self._waiting.append(function)
        self.asked += 1

    def nudge(self, document: Document) -> None:
        """Have a document send, a moment from now, what Panel may have forgotten."""
        if not self._is_nudged:
            self._is_nudged = True
            document.add_timeout_callback(self._nudge, NUDGE_MS)

    def _nudge(self) -> None:
        self._is_nudged = False
        self.nudges += 1

    def _answer(self, event: Any) -> None:
        if event.new == self.asked:
            waiting, self._waiting = self._waiting, []
            for function in waiting:
                function()
