"""One page for all who come, and a session of one's own behind it."""

import asyncio
import json

import panel as pn
import pytest
from tornado.httpclient import AsyncHTTPClient

from benchmarks.sessions import HOST, Visitor, free_port
from swviz.app.runtime import reuse
from swviz.app.runtime.session import count_sessions
from swviz.app.shell.page import create_page

pytestmark = [
    # A server within pytest would answer a warning with an error.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.mark.parametrize("several_processes", [False, True])
def test_everybody_has_the_page_at_once_and_a_state_of_their_own(
    several_processes, monkeypatch
):
    monkeypatch.setattr(reuse, "_made", set())
    made = []

    def create():
        made.append(dict(pn.state.session_args))
        return create_page()

    async def visit():
        port = free_port()
        server = pn.io.server.get_server(
            {"app": create},
            port=port,
            address=HOST,
            websocket_origin=[f"{HOST}:{port}"],
            unused_session_lifetime_milliseconds=1500,
            check_unused_sessions_milliseconds=300,
        )
        server.start()
        page = f"http://{HOST}:{port}/app"
        before = count_sessions()
        try:
            await reuse.make_page_for_all(page)
            await reuse.make_page_for_all(page)
            # One, and nobody's: there is as much room as before.
            assert len(made) == 1 and count_sessions() == before
            asked = await AsyncHTTPClient().fetch(f"{page}?M=9")
            first, second = Visitor(port, "?M=7&tab=Slices"), Visitor(port)
            await asyncio.gather(first.open(), second.open())
            for one, said in ((first, "M=7&"), (second, "M=12&")):
                await one.until(lambda it, said=said: said in it.address)
                models = json.dumps(list(one.models.values()))
                assert "static/extensions/panel/" in models
                assert "https://cdn" not in models
                one.close()
            # The page that was asked for and never came costs nothing where several
            # processes serve: another one might have been reached.
            assert {b"9"} & {row["M"][0] for row in made if "M" in row} == (
                set() if several_processes else {b"9"}
            )
            for _ in range(600):
                if count_sessions() == before:
                    return asked.body.decode()
                await asyncio.sleep(0.1)
            raise AssertionError("sessions that were left are still there")
        finally:
            server.stop()
            pn.state.reset()

    reuse.reuse_pages(several_processes)
    try:
        html = asyncio.run(visit())
    finally:
        pn.config.reuse_sessions = False
        pn.config.session_key_func = None
    # Its own pictures come by themselves.
    assert 'data-query=""' in html


def test_nobody_else_is_taken_for_the_page_for_all(monkeypatch):
    monkeypatch.setattr(
        type(pn.state), "headers", {"X-Swviz-Page-For-All": "guessed"}, raising=False
    )
    assert not reuse.is_for_all()
