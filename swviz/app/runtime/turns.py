"""Sessions that begin at the same time are made one after the other.

To make one takes some tenths of a second, in which the server hears of nothing else. Of
many that are asked for at once, whoever works already would wait for all of them.
"""

from __future__ import annotations

import asyncio
from typing import Any

from bokeh.application.handlers import Handler
from bokeh.document import Document

PAUSE = 0.02
"""Seconds between two of them, for what others have said meanwhile."""


class OneByOne(Handler):
    """Has the sessions of an application wait for their turn: to be added to it."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = asyncio.Lock()

    def modify_document(self, doc: Document) -> None:
        """Add nothing to a session."""

    async def on_session_created(self, session_context: Any) -> None:
        """Wait; Bokeh makes the session as soon as this returns."""
        async with self._turn:
            await asyncio.sleep(PAUSE)
