"""The life of a session: how its errors are told, and how it is freed at its end."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.settings import settings
from panel.util import edit_readonly

from swviz.app.compat.panel import FORGETS, release
from swviz.app.runtime.browser import Browser
from swviz.app.runtime.jobs import JobCancelled, cancel_session
from swviz.app.runtime.logs import where
from swviz.errors import SwvizError

log = logging.getLogger("swviz.app")

COLLECT_AFTER = 1.0
"""Seconds from the end of a session until it is freed, if nobody holds it."""

_live: set[int] = set()
"""Documents of sessions that have begun and not ended."""

_collection: asyncio.TimerHandle | None = None
"""The last one that was planned."""


def tell(message: str, kind: str = "error", seconds: float = 8) -> None:
    """Show a message on the session's page; in a notebook, log it.

    Parameters
    ----------
    message : str
        Plain words that say what to do.
    kind : {"error", "warning", "info", "success"}, default="error"
    seconds : float, default=8
    """
    area = pn.state.notifications
    if area is None:
        level = logging.INFO if kind in ("info", "success") else logging.WARNING
        log.log(level, message)
        return
    area.send(message, duration=int(1000 * seconds), type=kind)


def handle_exception(error: BaseException) -> None:
    """Turn an error of a callback into a message; where it came from is logged."""
    if isinstance(error, JobCancelled):
        return
    if isinstance(error, SwvizError):
        tell(_sentence(str(error)))
        return
    log.error("a callback failed: %s", where(error))
    log.debug("its words", exc_info=error)
    tell(
        "Something went wrong here, and it is not your fault. What was on show before "
        "is unchanged: try again, or reload the page."
    )


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


@cache
def keep_from_collector() -> None:
    """Take what has been imported out of the sight of Python's collector, once.

    It lives as long as the server. Walking through it, the collector would stop the
    server for a sixth of a second, several times while a page is made.
    """
    gc.freeze()


@cache
def spare_checks() -> None:
    """Have Bokeh leave out what it checks for programmers, once for all pages.

    The signatures of callbacks, and each new document as a whole: a fifth of what a
    page costs the server. ``BOKEH_VALIDATE_DOC=yes`` or
    ``BOKEH_PERFORM_ERROR_DIAGNOSTICS=yes`` in the environment keep them on.
    """
    for setting in (
        settings.perform_document_validation,
        settings.perform_error_diagnostics,
    ):
        if setting.env_var not in os.environ:
            setting.set_value(False)


class _Calm(param.Parameterized):
    """What is never busy."""

    busy = param.Boolean(default=False, constant=True)


def ignore_busy(page: pmui.Page) -> None:
    """Keep a page from following `pn.state.busy`.

    It would walk through all of its models twice at every event of any session, which
    takes longer than the events do, and the global state would hold on to it. It has
    something of its own to follow instead, since only what follows another thing is
    let go by the one before.

    Parameters
    ----------
    page : pmui.Page
    """
    with edit_readonly(page):
        page.busy = _Calm().param.busy


def collect_soon() -> None:
    """Free what sessions have left behind, a moment from now and at once for all.

    A session is a web of cycles, megabytes of it: it is not to wait until the collector
    comes by. Bokeh still holds it while it tells of its end, and jobs may until they
    stop.
    """
    global _collection
    if _collection is not None:
        # Of a session before, perhaps on a server that has gone.
        _collection.cancel()
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        gc.collect()
    else:
        _collection = loop.call_later(COLLECT_AFTER, gc.collect)


def count_sessions() -> int:
    """Return how many pages of this server are open, or wait for their browser."""
    return len(_live)


def free_at_end(page: pmui.Page, counts: bool = True) -> None:
    """See to it that a closed session leaves nothing behind.

    Panel's global state would hold on to it: notifications and location stay in
    `pn.state`.

    Parameters
    ----------
    page : pmui.Page
    counts : bool, default=True
        Whether it is one of the sessions that there may be so many of.
    """
    document = pn.state.curdoc
    if document is None:
        return
    if counts and document.session_context is not None:
        _live.add(id(document))

    def end(_context: Any) -> None:
        _live.discard(id(document))
        try:
            cancel_session(document)
            release(page, document)
        finally:
            collect_soon()

    pn.state.on_session_destroyed(end)


def in_document(function: Callable[[], Any]) -> None:
    """Call a function with the session's document locked.

    A coroutine holds no lock after it has waited, and Bokeh then refuses changes of
    its models: results of jobs have to be shown through here.
    """
    if pn.state.curdoc is None or pn.state.curdoc.session_context is None:
        function()
    else:
        pn.state.execute(partial(_in_order, function), schedule=True)


def _in_order(function: Callable[[], Any]) -> None:
    """Have all changes sent to the browser in the order in which they are made.

    Panel queues its own when the line is busy, and data of a new figure would overtake
    the figure.
    """
    with pn.io.unlocked():
        function()
    document = pn.state.curdoc
    browser = Browser.of(document) if FORGETS and document is not None else None
    if browser is not None:
        browser.nudge(document)
