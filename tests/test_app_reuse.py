"""One page for all who come, and a session of one's own behind it, from a thread."""

import asyncio
import json
import threading

import panel as pn
import pytest
from tornado.httpclient import AsyncHTTPClient, HTTPClientError

from benchmarks.sessions import HOST, Visitor, free_port
from swviz.app.runtime import reuse
from swviz.app.runtime.entering import application
from swviz.app.runtime.session import count_sessions
from swviz.app.shell.page import create_page

pytestmark = [
    # A server within pytest would answer a warning with an error.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(autouse=True)
def no_page_yet(monkeypatch):
    monkeypatch.setattr(reuse, "_pages", {})
    monkeypatch.setattr(reuse, "_doors", set())


def serve(create, visit):
    """Serve pages as the command does, while a coroutine function visits them."""

    async def run():
        port = free_port()
        server = pn.io.server.get_server(
            {"app": application(create)},
            port=port,
            address=HOST,
            websocket_origin=[f"{HOST}:{port}"],
            unused_session_lifetime_milliseconds=1500,
            check_unused_sessions_milliseconds=300,
            extra_patterns=[("/door", reuse.Door)],
        )
        server.start()
        try:
            return await visit(port)
        finally:
            server.stop()
            pn.state.reset()

    return asyncio.run(run())


def test_everybody_has_the_page_at_once_and_a_state_of_their_own():
    made, threads = [], set()

    def create():
        made.append(dict(pn.state.session_args))
        threads.add(threading.current_thread())
        return create_page()

    async def visit(port):
        here = f"http://{HOST}:{port}"
        before = count_sessions()
        await reuse.open_door(here, "/app", "/door")
        # Of both themes, and nobody's: there is as much room as before.
        assert [row["theme"] for row in made] == [[b"light"], [b"dark"]]
        assert count_sessions() == before
        pages = [
            (await AsyncHTTPClient().fetch(f"{here}/app{query}")).body.decode()
            for query in ("?M=9", "?M=9&theme=dark")
        ]
        # Asked for, and never come: it costs nothing.
        assert len(made) == 2
        first, second = Visitor(port, "?M=7&tab=Slices"), Visitor(port)
        await asyncio.gather(first.open(), second.open())
        for one, said in ((first, "M=7&"), (second, "M=12&")):
            await one.until(lambda it, said=said: said in it.address)
            models = json.dumps(list(one.models.values()))
            assert "static/extensions/panel/" in models
            assert "https://cdn" not in models
            one.close()
        assert len(made) == 4
        for _ in range(600):
            if count_sessions() == before:
                return pages
            await asyncio.sleep(0.1)
        raise AssertionError("sessions that were left are still there")

    light, dark = serve(create, visit)
    # Its own pictures come by themselves.
    assert 'data-query=""' in light and 'data-query=""' in dark
    assert "#opening { background: #0F161D" in dark
    assert "#opening { background: #0F161D" not in light
    assert threading.main_thread() not in threads


def test_the_server_answers_while_a_page_is_made():
    begun, done = threading.Event(), threading.Event()

    def create():
        begun.set()
        assert done.wait(30)
        return pn.Column("made")

    async def visit(port):
        page = asyncio.ensure_future(
            AsyncHTTPClient().fetch(f"http://{HOST}:{port}/app")
        )
        while not begun.is_set():
            await asyncio.sleep(0.01)
        with pytest.raises(HTTPClientError, match="404"):
            await AsyncHTTPClient().fetch(f"http://{HOST}:{port}/elsewhere")
        assert not page.done()
        done.set()
        return await page

    assert serve(create, visit).code == 200


def test_a_page_that_cannot_be_made_is_an_error_and_the_next_one_is_made(caplog):
    fails = [True, True]

    def create():
        if fails:
            fails.pop()
            raise ValueError("not this time")
        return pn.Column("made")

    async def visit(port):
        with pytest.raises(HTTPClientError, match="500"):
            await AsyncHTTPClient().fetch(f"http://{HOST}:{port}/app")
        return await AsyncHTTPClient().fetch(f"http://{HOST}:{port}/app")

    assert serve(create, visit).code == 200
    assert "not this time" in caplog.text


def test_a_session_is_told_neither_passwords_nor_cookies():
    told = []

    def create():
        told.append(dict(pn.state.headers))
        return pn.Column("made")

    async def visit(port):
        await reuse.open_door(f"http://{HOST}:{port}", "/app", "/door")
        sent = {
            "authorization": "Basic c2VjcmV0",
            "cookie": "secret=1",
            "User-Agent": "Mobi",
        }
        one = await Visitor(port, headers=sent).open()
        one.close()

    serve(create, visit)
    assert told[-1]["User-Agent"] == "Mobi"
    assert "c2VjcmV0" not in str(told) and "secret=1" not in str(told)


def test_what_is_written_stays_if_the_server_cannot_be_reached_any_more():
    reuse._pages.update(light=(b"a", b"b"), dark=(b"c", b"d"))
    asyncio.run(reuse.open_door(f"http://{HOST}:{free_port()}", "/app", "/door"))
    assert set(reuse._pages) == {"light", "dark"}


def test_nobody_else_opens_the_door(monkeypatch):
    async def visit(port):
        for sign in ("guessed", "gu\u00e9ssed"):
            with pytest.raises(HTTPClientError, match="404"):
                await AsyncHTTPClient().fetch(
                    f"http://{HOST}:{port}/door",
                    method="POST",
                    body="/app",
                    headers={"X-Swviz-Page-For-All": sign},
                )

    serve(lambda: pn.Column("made"), visit)
    assert not reuse._doors
    monkeypatch.setattr(
        type(pn.state), "headers", {"X-Swviz-Page-For-All": "guessed"}, raising=False
    )
    assert not reuse.is_for_all()
