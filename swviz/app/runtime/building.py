"""Making parts of a page that is on show: neither its user nor others wait for them."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from functools import partial
from typing import Any

import panel as pn
import param
from bokeh.document import Document
from panel.io.state import set_curdoc

from swviz.app.runtime.browser import Browser
from swviz.app.runtime.jobs import jobs_rest
from swviz.app.runtime.session import handle_exception, in_document

log = logging.getLogger("swviz.app")

LONGEST_WAIT_MS = 6000
"""For a first result, before rows below it are made nevertheless."""

LONGEST_DRAWING_MS = 2500

_wanted: ContextVar[list[Callable[[], Any]] | None] = ContextVar("wanted", default=None)
"""In the thread that makes a view: what this view wants to start."""

_BUILDER = ThreadPoolExecutor(1, thread_name_prefix="swviz-builder")
"""One thread for all sessions: its work is Python's, and two would not be faster."""

one_at_a_time = threading.RLock()
"""For what all sessions share and views change while a thread makes them."""


def make_then(make: Callable[[], Any], add: Callable[[Any], Any]) -> None:
    """Make a view for a page in a thread, then add it to the page.

    A large view takes most of a second to make; the server answers other sessions
    meanwhile. The document of this one stays locked: what its user does waits, and
    nothing is shown by halves. Before the page is served, both happen at once.

    Parameters
    ----------
    make : callable
        Makes the view. It must not change anything that is on the page already.
    add : callable
        Takes the view; its changes of the page are sent as one message.
    """
    document = pn.state.curdoc
    if document is None or document.session_context is None or not pn.state.loaded:
        add(make())
        return

    def work() -> tuple[Any, list[Callable[[], Any]]]:
        wanted: list[Callable[[], Any]] = []
        token = _wanted.set(wanted)
        try:
            with set_curdoc(document), jobs_rest():
                return make(), wanted
        finally:
            _wanted.reset(token)

    async def make_and_add() -> None:
        try:
            loop = asyncio.get_running_loop()
            view, wanted = await loop.run_in_executor(_BUILDER, work)
            with set_curdoc(document), pn.io.unlocked(), jobs_rest():
                _with_one_walk(document, partial(add, view))
        except Exception as error:
            with set_curdoc(document):
                handle_exception(error)
            return
        with set_curdoc(document):
            for function in wanted:
                in_document(partial(pn.state.execute, function))

    # Bokeh keeps the document locked until a coroutine that it calls has ended.
    document.add_next_tick_callback(make_and_add)


def _with_one_walk(document: Document, change: Callable[[], Any]) -> None:
    """Change a page, and have Bokeh walk through its models once, at the end.

    Else it does at each part of the change.
    """
    failed = None
    with document.models.freeze():
        # What leaves this block by an error would leave the models frozen for good.
        try:
            change()
        except Exception as error:
            failed = error
    if failed is not None:
        raise failed


def in_builder(make: Callable[[], Any]) -> Future[Any]:
    """Have the thread that makes views make something else."""
    return _BUILDER.submit(make)


def rehearse(views: Sequence[Callable[[], Any]]) -> None:
    """Make views for nobody, in the background: later ones come sooner.

    A first one pays for imports, and for what all sessions share. Views that are on
    their way to a page are made in between.

    Parameters
    ----------
    views : sequence of callables
        Each makes one, and closes it. What these want to start never begins.
    """
    if views:
        _BUILDER.submit(_rehearse_next, list(views))


def _rehearse_next(views: list[Callable[[], Any]]) -> None:
    token = _wanted.set([])
    try:
        with set_curdoc(Document()):
            views.pop(0)()
    except Exception as error:
        # Whoever opens that tab is told.
        log.warning("a view could not be made beforehand", exc_info=error)
    finally:
        _wanted.reset(token)
    rehearse(views)


def one_message() -> AbstractContextManager[Any]:
    """Return a context in which all changes of a page make one message.

    A view that is being made in a thread has nothing to send yet. To hold the document
    there would hold back the message with the view's models, too, until the browser
    speaks; from then on Bokeh takes them for known there, and never sends them.
    """
    return pn.io.hold() if _wanted.get() is None else nullcontext()


def in_order() -> AbstractContextManager[Any]:
    """Return a context whose changes of models take the way that Panel's own take.

    Panel queues its changes while the line is busy, new models among them; what Bokeh
    sends by itself would overtake them. A view that is being made has no such changes.
    """
    return pn.io.unlocked() if _wanted.get() is None else nullcontext()


def start(work: Callable[[], Any]) -> None:
    """Start what a view does by itself, once it is on the page.

    Work that begins earlier would change figures while a thread makes them, and take
    its time from it. Work of a view that could not be made never begins.

    Parameters
    ----------
    work : callable
        A coroutine function, too.
    """
    wanted = _wanted.get()
    if wanted is None:
        pn.state.onload(work)
    else:
        wanted.append(work)


def starts_later() -> bool:
    """Tell whether what is started now waits for its view, or for its page."""
    return _wanted.get() is not None or not pn.state.loaded


def fill_later(
    column: pn.Column,
    rows: list[Callable[[], Any]],
    after: param.Parameter | None = None,
) -> None:
    """Add rows one by one, each when the browser has drawn what is there.

    Making all of a long view at once would keep the page waiting; other sessions do not
    wait, as in :func:`make_then`. In a notebook the rows are there at once.

    Parameters
    ----------
    column : panel.Column
    rows : list of callables
        Each makes a row. Not too small ones: the browser lays out the whole tab at
        each.
    after : param.Parameter, optional
        Rows wait for it to change, or to become false if it says that a job is
        running, but not for long.
    """
    document = pn.state.curdoc
    if document is None or document.session_context is None:
        column.objects = [make() for make in rows]
        return
    waiting = list(rows)
    is_ready = after is None
    is_served = begun = False

    def make() -> Any:
        try:
            return waiting.pop(0)()
        except Exception as error:
            # The other rows are not to be lost with this one.
            return error

    def add(row: Any) -> None:
        if isinstance(row, Exception):
            handle_exception(row)
        else:
            column.append(row)
        if waiting:
            when_drawn(partial(make_then, make, add))

    def begin() -> None:
        nonlocal begun
        if is_ready and is_served and not begun:
            begun = True
            in_document(partial(when_drawn, partial(make_then, make, add)))

    def changed(event: param.parameterized.Event | None = None) -> None:
        nonlocal is_ready
        if event is None or event.new is not True:
            is_ready = True
            begin()

    def served() -> None:
        nonlocal is_served
        is_served = True
        begin()
        document.add_timeout_callback(changed, LONGEST_WAIT_MS)

    if after is not None:
        after.owner.param.watch(changed, after.name)
    start(served)


def when_drawn(function: Callable[[], None]) -> None:
    """Call a function once the browser has drawn all that it was sent so far."""
    document = pn.state.curdoc
    browser = Browser.of(document)
    done = False

    def once() -> None:
        nonlocal done
        if not done:
            done = True
            function()

    if browser is not None:
        browser.when_drawn(partial(in_document, once))
    # A browser may have gone to sleep.
    document.add_timeout_callback(once, LONGEST_DRAWING_MS)
