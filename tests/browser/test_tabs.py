"""All tabs with sets that hold next to nothing: nobody complains."""

import logging
import time
import urllib.request
from functools import partial

import numpy as np
import panel as pn
import pytest

from swviz.app.runtime.session import handle_exception
from swviz.app.shell import page as app_page
from swviz.app.shell.page import SessionPage
from swviz.app.workspace.state import TABS, Workspace
from swviz.diagrams import DiagramSet
from tests.browser.conftest import free_port, serve
from tests.browser.tabs import LEADS, go_to

ONE = np.array([[0.0, 1.0], [0.2, 0.5]])
EMPTY_IN_H1 = DiagramSet({0: [ONE], 1: [np.empty((0, 2))]})
ONE_IN_H1 = DiagramSet({1: [ONE]})
SMALL = "source=point_clouds&preset=small&a=0&b=12"


@pytest.fixture(scope="module")
def small_set(server):
    """Address of a page that opens with no points, and what brings some."""
    opened = []

    def create():
        pn.extension(
            "mathjax", "tabulator", notifications=True,
            exception_handler=handle_exception,
        )  # fmt: skip
        app_page.walk_faster()
        space = Workspace(EMPTY_IN_H1, title="no points", source="upload")
        opened.append((pn.state.curdoc, space))
        return SessionPage(space, {}).layout

    def change():
        document, space = opened[-1]
        document.add_next_tick_callback(
            partial(space.use, ONE_IN_H1, "one diagram", "upload")
        )

    known = set(pn.state._servers)
    pn.serve(
        {"few": create}, port=0, address="127.0.0.1", threaded=True, show=False,
        liveness=True, websocket_origin="*",
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for key in set(pn.state._servers) - known:
            port = pn.state._servers[key][0].port
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/liveness", timeout=5)
            except (OSError, TypeError):
                continue
            return f"http://127.0.0.1:{port}/few", change
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def walk_through_tabs(page):
    """Go to each tab, and yield it when what was sent has been painted."""
    for tab in TABS:
        go_to(page, tab)
        page.evaluate("() => new Promise((done) => requestAnimationFrame("
                      "() => requestAnimationFrame(done)))")  # fmt: skip
        yield tab


def test_a_walk_through_all_tabs_is_calm(visit, small_set, caplog):
    visit.address, change = small_set
    page = visit.open()
    assert list(walk_through_tabs(page)) == list(TABS)
    # Each tab is made with the first set, and follows to the second. (Tabs that are
    # made with the second are looked at without a browser, in test_app_page.)
    change()
    page.get_by_text("one diagram", exact=True).first.wait_for()
    assert list(walk_through_tabs(page)) == list(TABS)
    complaints = [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.ERROR or "responsive" in record.getMessage()
        # Tornado's word for a page that was left, of the test before.
        if "WebSocketClosedError" not in record.getMessage()
    ]
    assert complaints == []


def test_the_app_works_without_any_knowledge_of_other_packages(visit, tmp_path):
    port = free_port()
    server = serve(port, tmp_path, SWVIZ_COMPAT="off", SWVIZ_REHEARSED_TABS="0")
    try:
        visit.address = f"http://127.0.0.1:{port}/app"
        # By their links: without that knowledge each change has the whole page walked
        # through, and with every tab it grows.
        for tab in TABS:
            page = visit.open(f"?tab={tab}&{SMALL}")
            page.get_by_text(LEADS[tab]).first.wait_for()
            if tab == "Slices":
                page.get_by_label("Directions M").press("ArrowRight")
                visit.wait_for_link("M=13")
            elif tab == "Learn":
                page.get_by_text("Bandwidth σ of k_SW").first.wait_for()
                page.get_by_role("button", name="Copy as Python").click()
                page.get_by_role("button", name="Copy", exact=True).click()
                page.get_by_text("Copied.").wait_for()
                page.keyboard.press("Escape")
                page.get_by_label("Python", exact=True).wait_for(state="hidden")
        visit.forget()
    finally:
        server.kill()
        server.wait()
