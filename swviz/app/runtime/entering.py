"""Pages made in a thread: whoever is at work already does not wait for who comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from bokeh.application.application import SessionContext
from bokeh.application.handlers import Handler
from bokeh.document import Document
from panel.io.application import Application
from panel.io.state import set_curdoc
from panel.viewable import Viewable

from swviz.app.runtime.building import in_builder

PAUSE = 0.1
"""Seconds from one page to the next, in which the server sends the first one: beside a
thread at work it would take twice as long, and others wait for it."""


def application(create: Callable[[], Viewable]) -> Application:
    """Return an application for :func:`panel.serve` whose pages a thread makes.

    To make one takes tenths of a second, in which a server answers nobody. Bokeh waits
    for what is to be done before a session is made, and serves others meanwhile: there
    the page is made, by the thread that makes tabs.

    Parameters
    ----------
    create : callable
        Makes the page of the current document.
    """
    return Application(_Entrance(create))


class _Entrance(Handler):
    def __init__(self, create: Callable[[], Viewable]) -> None:
        super().__init__()
        self._create = create
        self._turn = asyncio.Semaphore(1)

    async def on_session_created(self, session_context: SessionContext) -> None:
        await session_context.with_locked_document(self._make)

    async def _make(self, document: Document) -> None:
        await self._turn.acquire()
        try:
            await asyncio.wrap_future(in_builder(partial(self._fill, document)))
        finally:
            asyncio.get_running_loop().call_later(PAUSE, self._turn.release)

    def _fill(self, document: Document) -> None:
        with set_curdoc(document):
            self._create().server_doc(document)

    def modify_document(self, doc: Document) -> None:
        """Make the page here if the thread has failed, so that Bokeh hears why."""
        if not doc.roots:
            self._fill(doc)
