import asyncio
import gc
import subprocess
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace

import panel as pn
import pytest
from bokeh.document import Document
from bokeh.settings import settings
from panel.io import document as lines
from panel.io.state import set_curdoc
from panel.util import edit_readonly

from swviz.app.compat import panel as compat
from swviz.app.runtime import browser as browsers
from swviz.app.runtime import session
from swviz.app.runtime.session import (
    collect_soon,
    keep_from_collector,
    spare_checks,
)
from swviz.app.shell.page import full_house
from swviz.app.ui.frame import cell_page

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture(scope="module")
def life():
    """Lives of sessions, in a process of their own.

    What other tests have left behind may keep a session, and has made types.
    """
    return subprocess.run(
        [sys.executable, "-m", "tests.session_life"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )


def test_every_type_of_the_tabs_exists_before_a_page_is_sent(life):
    assert life.stdout.startswith("No type is late.\n"), life.stderr


def test_a_session_is_freed(life):
    said = "No type is late.\nNothing is left.\n"
    assert (life.returncode, life.stdout) == (0, said), life.stderr


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


class Line:
    """Where a message goes that is not written by Tornado."""


class Connection:
    protocol = SimpleNamespace(create=lambda _kind, events: events[0])

    def __init__(self):
        self._socket = Line()


def forgotten(meanwhile, afterwards=lambda document, send: None):
    """Return what has been sent if the line becomes free as a message is queued.

    What happens afterwards is given the document, and a function that sends a message.
    """
    sent = []

    async def talk():
        loop = asyncio.get_running_loop()
        busy = loop.create_future()
        document = Document()
        # A document outside of a server has no loop of its own.
        document.add_next_tick_callback = lambda send: loop.create_task(send())
        document.add_timeout_callback = lambda call, ms: loop.call_later(
            ms / 1000, call
        )
        connection = Connection()

        def send(message):
            lines.schedule_write_events(document, [connection], [message])

        def write(_connection, events=None, msg=None):
            sent.append(msg)
            return [busy] if msg == "first" else []

        lines.extra_socket_handlers[Line] = write
        meanwhile()
        send("first")
        await asyncio.sleep(0)
        busy.set_result(None)
        send("second")
        afterwards(document, send)
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


def test_results_are_followed_by_a_message_that_has_others_sent(monkeypatch):
    monkeypatch.setattr(compat, "STUCK_SECONDS", 0.02)
    monkeypatch.setattr(browsers, "NUDGE_MS", 20)

    def follow(document, send):
        browser = browsers.Browser()
        browser.param.watch(lambda event: send(f"nudge {event.new}"), "nudges")
        # Several results in a row are followed by one.
        browser.nudge(document)
        browser.nudge(document)

    assert forgotten(lambda: None, follow) == ["first", "second", "nudge 1"]


@pytest.mark.parametrize("forgets", [False, True])
def test_a_result_is_followed_where_panel_forgets(monkeypatch, forgets):
    monkeypatch.setattr(session, "FORGETS", forgets)
    document, shown = Document(), []
    with set_curdoc(document):
        browser = browsers.Browser()
        session._in_order(lambda: shown.append("result"))
    assert shown == ["result"]
    assert len(document.session_callbacks) == forgets
    assert browsers.Browser.of(document) is browser


def test_a_panel_that_sends_otherwise_is_left_alone(monkeypatch):
    monkeypatch.setattr(compat, "STUCK_SECONDS", 0.02)
    monkeypatch.delattr(lines, "_dispatch_msgs")

    async def look():
        compat.keep_sending()
        compat.keep_sending()
        await asyncio.sleep(5 * compat.STUCK_SECONDS)

    asyncio.run(look())
    compat.keep_sending()  # no loop: nothing to look after


@pytest.mark.parametrize("make", [full_house, lambda: cell_page(dark=False)])
def test_pages_neither_follow_nor_are_held_by_what_others_do(make):
    page = make()
    with edit_readonly(pn.state):
        pn.state.busy = True
        follows = page.busy
        pn.state.busy = False
    assert not follows
    gone = weakref.ref(page)
    del page
    gc.collect()
    assert gone() is None


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
