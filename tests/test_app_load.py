"""A few sessions over real websockets: the short versions of two benchmarks.

``benchmarks/load.py`` and ``benchmarks/hostile.py`` have the long ones.
"""

import asyncio
import json
import logging
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from types import SimpleNamespace

import panel as pn
import pytest
from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketHandler

from benchmarks import hostile, load
from benchmarks.hostile import EVENTS, FRAGMENTS, MARK, VALUES
from benchmarks.sessions import HOST, Closed, Visitor, free_port, visitors
from swviz.app.runtime import logs
from swviz.app.runtime.session import count_sessions
from swviz.app.runtime.status import Status
from swviz.app.shell import page as shell
from swviz.app.ui.tables import no_formula

pytestmark = [
    # A server within pytest would answer a warning with an error.
    pytest.mark.filterwarnings("ignore"),
]


@asynccontextmanager
async def serving():
    """A server on the loop of the test: what is sent is answered in between."""
    port = free_port()
    server = pn.io.server.get_server(
        {"app": shell.create_page},
        port=port,
        address=HOST,
        websocket_origin=[f"{HOST}:{port}"],
        extra_patterns=[("/status", Status)],
        unused_session_lifetime_milliseconds=1500,
        check_unused_sessions_milliseconds=300,
    )
    server.start()
    try:
        yield port
    finally:
        server.stop()
        pn.state.reset()


async def told(port):
    answer = await AsyncHTTPClient().fetch(f"http://{HOST}:{port}/status")
    return json.loads(answer.body)


async def until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.05)


def test_sessions_move_are_left_and_attacked(caplog, monkeypatch):
    """One server and two sessions for all of it: pages take their time."""
    at_once, set_nodelay = [], WebSocketHandler.set_nodelay

    def note(handler, value):
        at_once.append(value)
        set_nodelay(handler, value)

    monkeypatch.setattr(WebSocketHandler, "set_nodelay", note)

    async def visit():
        before = count_sessions()
        async with serving() as port:
            async with visitors(port, 2) as several:
                neighbour, stranger = several
                assert count_sessions() == before + 2
                assert (await told(port))["sessions"] == before + 2
                for step in (load._turn, load._drag):
                    times, lost = await load._move_all(several, step, 0.3)
                    assert len(times) >= 2 and lost == 0
                # Answers do not wait for the acknowledgement of their first bytes.
                assert at_once == [True, True]
                # One that never connects, and one for whom there is no room.
                await Visitor(port).ask()
                await send_away(port)
                await attack(stranger)
                # The other is not disturbed.
                await neighbour.change(neighbour.find(label="M"), "value", 9)
                await neighbour.until(lambda one: "M=9&" in one.address)
                assert neighbour.is_open and not neighbour.errors
                neighbour.kill()
            await until(lambda: count_sessions() == before)
            return stranger.errors, [*stranger.leaks, *neighbour.leaks]

    caplog.set_level(logging.INFO)
    errors, leaks = asyncio.run(visit())
    # Messages that cannot be used are answered, and logged without a word of theirs.
    assert len(errors) > 10
    assert leaks == []
    assert "error handling message" in caplog.text
    assert MARK not in caplog.text


async def send_away(port):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shell, "SETTINGS", replace(shell.SETTINGS, sessions=1))
        full = await Visitor(port).open()
        assert "SWVIZ_SESSIONS" in json.dumps(list(full.models.values()))
        full.close()


async def attack(stranger):
    hostile_one = hostile.Attack(SimpleNamespace(port=stranger.port), seed=0)
    for value in VALUES:
        await stranger.change(stranger.find(label="M"), "value", value)
        await stranger.change(*hostile_one._property(stranger), value)
    for event in EVENTS:
        await stranger.patch([event])
    for event in hostile_one._upload(stranger):
        await stranger.patch([event])
    await stranger.send("PUSH-DOC", {"doc": MARK})
    await stranger.write(*FRAGMENTS[0])
    with suppress(asyncio.TimeoutError, Closed):
        await asyncio.wait_for(stranger.send("PULL-DOC-REQ", {}), 2)


@contextmanager
def heard(name):
    """Hear what a logger says, whatever others (dask) have told it to keep quiet."""
    logs.keep_data_out_of_logs()
    records = []
    logger = logging.getLogger(name)
    handler = logging.Handler()
    handler.emit = records.append
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    try:
        yield logger, records
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)


def test_logs_say_where_and_not_what():
    message = SimpleNamespace(msgtype="PATCH-DOC", content=MARK)
    with heard("bokeh.server.views.ws") as (logger, records):
        try:
            raise ValueError(MARK)
        except ValueError as error:
            logger.error("failed: %r: %r", error, message, exc_info=True)
        logger.error("GET %s took %d ms", f"/app?A={MARK}", 3)
        # Bokeh's own words.
        logger.error(
            "Unhandled exception receiving a message: %r: %r", ValueError(MARK), MARK
        )
    first, second, third = (record.getMessage() for record in records)
    assert "PATCH-DOC" in first and "ValueError" in first
    assert "test_app_load.py" in first and MARK not in first
    assert second == "GET /app?… took 3 ms"
    assert third.endswith("'ValueError': '16 characters'")


def test_logs_do_not_name_addresses_that_are_none():
    with heard("tornado.access") as (logger, records):
        logger.warning("%d %s %.2fms", 404, f"GET /{MARK}/x (127.0.0.1)", 0.5)
        logger.warning("%d %s %.2fms", 500, "GET /status (127.0.0.1)", 0.5)
    first, second = (record.getMessage() for record in records)
    assert first == "404 GET /… (127.0.0.1) 0.50ms"
    assert second == "500 GET /status (127.0.0.1) 0.50ms"


@pytest.mark.parametrize("text", ["=1+1", "+A1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_formulas_stay_text(text):
    assert no_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=1", "-1", "+2.5e3", "-inf", "circle"])
def test_numbers_and_names_stay_as_they_are(text):
    assert no_formula(text) == text
