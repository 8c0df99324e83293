import asyncio
import gc
import weakref
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.settings import settings
from panel.io import document as lines
from panel.io.document import _cleanup_doc
from panel.io.state import set_curdoc

from swviz.app.compat import panel as compat
from swviz.app.compat.panel import release
from swviz.app.runtime import session
from swviz.app.runtime.session import (
    collect_soon,
    free_at_end,
    keep_from_collector,
    spare_checks,
)
from swviz.app.shell.page import SessionPage
from swviz.app.workspace.state import TABS, Workspace

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


def open_and_close(tabs):
    """Live the life of a session; return what dies with it, by its name."""
    document = Document()
    with set_curdoc(document):
        page = SessionPage(Workspace(tab=tabs[0]))
        for tab in tabs:
            page.workspace.tab = tab
        page.layout.server_doc(document)
    assert set(page.views) == set(tabs)
    parts = page.views | {"workspace": page.workspace, "layout": page.layout}
    remains = {name: weakref.ref(part) for name, part in parts.items()}
    release(page.layout, document)
    _cleanup_doc(document)
    return remains


def alive_after(*sessions):
    """Return the names of what is left of sessions with these tabs."""
    closed = [open_and_close(tabs) for tabs in sessions]
    gc.collect()
    return [name for one in closed for name, kept in one.items() if kept() is not None]


def test_a_closed_session_is_freed():
    views = len(pn.state._views)
    # The second finds what the first has left for it, with figures of either kind.
    alive = alive_after(TABS, ["Learn"])
    # What is kept keeps the whole page: the tabs to blame are found one by one.
    blamed = [tab for tab in TABS if alive and alive_after([tab])]
    assert (alive, blamed) == ([], [])
    assert len(pn.state._views) == views


class Knot:
    """Garbage that only the collector can free."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def collections(monkeypatch):
    """How often everything was looked at."""
    runs, collect = [], gc.collect
    monkeypatch.setattr(session, "COLLECT_AFTER", 0.05)
    monkeypatch.setattr(session, "_collection", None)
    monkeypatch.setattr(gc, "collect", lambda: runs.append(collect()))
    gc.disable()
    yield runs
    gc.enable()


def knot_gone():
    """Return a weak reference to garbage that only the collector frees."""
    return weakref.ref(Knot())


async def end_and_wait(ends, seconds=0.3):
    for _ in range(ends):
        collect_soon()
    await asyncio.sleep(seconds)


def test_what_sessions_leave_is_freed_once_for_all_of_them(collections):
    gone = knot_gone()
    asyncio.run(end_and_wait(3))
    assert gone() is None
    assert len(collections) == 1


def test_a_server_that_stops_too_early_does_not_keep_the_next_from_it(collections):
    asyncio.run(end_and_wait(1, seconds=0))
    assert collections == []
    gone = knot_gone()
    asyncio.run(end_and_wait(1))
    assert gone() is None


def test_without_a_loop_all_is_freed_at_once(collections):
    gone = knot_gone()
    collect_soon()
    assert gone() is None


def test_the_end_of_a_session_frees_its_page(collections):
    document = Document()
    with set_curdoc(document):
        page = SessionPage(Workspace(tab="Slices"))
        page.layout.server_doc(document)
        free_at_end(page.layout)
    gone = weakref.ref(page.workspace)
    del page

    async def live():
        nonlocal document
        for end in list(document.session_destroyed_callbacks):
            end(SimpleNamespace(_document=document, id="of a test"))
        end = document = None
        await asyncio.sleep(0.3)

    asyncio.run(live())
    assert gone() is None


class Line:
    """Where a message goes that is not written by Tornado."""


class Connection:
    protocol = SimpleNamespace(create=lambda _kind, events: events[0])

    def __init__(self):
        self._socket = Line()


def forgotten(meanwhile):
    """Return what has been sent if the line becomes free as a message is queued."""
    sent = []

    async def talk():
        loop = asyncio.get_running_loop()
        busy = loop.create_future()
        document = Document()
        # A document outside of a server has no loop of its own.
        document.add_next_tick_callback = lambda send: loop.create_task(send())
        connection = Connection()

        def write(_connection, events=None, msg=None):
            sent.append(msg)
            return [busy] if msg == "first" else []

        lines.extra_socket_handlers[Line] = write
        meanwhile()
        lines.schedule_write_events(document, [connection], ["first"])
        await asyncio.sleep(0)
        busy.set_result(None)
        lines.schedule_write_events(document, [connection], ["second"])
        await asyncio.sleep(5 * compat.STUCK_SECONDS)

    try:
        asyncio.run(talk())
    finally:
        del lines.extra_socket_handlers[Line]
    return sent


def test_what_panel_forgets_to_send_is_sent(monkeypatch):
    monkeypatch.setattr(compat, "STUCK_SECONDS", 0.02)
    # The day this fails, Panel does without `keep_sending`.
    assert forgotten(lambda: None) == ["first"]
    assert forgotten(compat.keep_sending) == ["first", "second"]


def test_a_panel_that_sends_otherwise_is_left_alone(monkeypatch):
    monkeypatch.setattr(compat, "STUCK_SECONDS", 0.02)
    monkeypatch.delattr(lines, "_dispatch_msgs")

    async def look():
        compat.keep_sending()
        compat.keep_sending()
        await asyncio.sleep(5 * compat.STUCK_SECONDS)

    asyncio.run(look())
    compat.keep_sending()  # no loop: nothing to look after


def test_what_is_imported_is_kept_from_the_collector_once(monkeypatch):
    frozen = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    keep_from_collector.cache_clear()
    keep_from_collector()
    keep_from_collector()
    assert frozen == [1]


@pytest.mark.parametrize("wanted", [None, "yes"])
def test_bokeh_checks_for_programmers_are_spared_unless_they_are_asked_for(
    monkeypatch, wanted
):
    checked = settings.perform_document_validation
    monkeypatch.delenv(checked.env_var, raising=False)
    if wanted is not None:
        monkeypatch.setenv(checked.env_var, wanted)
    checked.unset_value()
    spare_checks.cache_clear()
    spare_checks()
    assert checked() is (wanted is not None)
