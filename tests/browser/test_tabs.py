"""All tabs with sets that hold next to nothing: nobody complains."""

import logging
import time
import urllib.request

import numpy as np
import panel as pn
import pytest

from swviz.app.runtime.session import handle_exception
from swviz.app.shell import page as app_page
from swviz.app.shell.page import SessionPage
from swviz.app.workspace.state import TABS, Workspace
from swviz.diagrams import DiagramSet
from tests.browser.conftest import free_port, serve
from tests.browser.tabs import go_to

ONE = np.array([[0.0, 1.0], [0.2, 0.5]])
SETS = {
    "one": {1: [ONE]},
    "empty": {0: [ONE], 1: [np.empty((0, 2))]},
}


@pytest.fixture(scope="module")
def small_sets(server):
    """Address of pages that open with a set of one diagram."""

    def page_of(diagrams):
        def create():
            pn.extension(
                "mathjax", "tabulator", notifications=True,
                exception_handler=handle_exception,
            )  # fmt: skip
            app_page.walk_faster()
            space = Workspace(DiagramSet(diagrams), title="few", source="upload")
            return SessionPage(space, {}).layout

        return create

    known = set(pn.state._servers)
    pn.serve(
        {name: page_of(diagrams) for name, diagrams in SETS.items()},
        port=0, address="127.0.0.1", threaded=True, show=False, liveness=True,
        websocket_origin="*",
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for key in set(pn.state._servers) - known:
            port = pn.state._servers[key][0].port
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/liveness", timeout=5)
            except (OSError, TypeError):
                continue
            return f"http://127.0.0.1:{port}"
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def walk_through_tabs(visit, rounds=2):
    page = visit.open()
    for _ in range(rounds):
        for tab in TABS:
            go_to(page, tab)
            # What was sent has been painted.
            page.evaluate("() => new Promise((done) => requestAnimationFrame("
                          "() => requestAnimationFrame(done)))")  # fmt: skip
    visit.assert_calm()
    return page


@pytest.mark.parametrize("name", SETS)
def test_a_walk_through_all_tabs_is_calm(visit, small_sets, name, caplog):
    visit.address = f"{small_sets}/{name}"
    walk_through_tabs(visit)
    complaints = [
        record.getMessage()
        for record in caplog.records
        if record.levelno >= logging.ERROR or "responsive" in record.getMessage()
    ]
    assert complaints == []


def test_the_app_works_without_any_knowledge_of_other_packages(visit, tmp_path):
    port = free_port()
    server = serve(port, tmp_path, SWVIZ_COMPAT="off")
    try:
        visit.address = f"http://127.0.0.1:{port}/app"
        page = walk_through_tabs(visit, rounds=1)
        page.get_by_role("tab", name="Slices").click()
        page.get_by_label("Directions M").press("ArrowRight")
        visit.wait_for_link("M=13")
        page.get_by_role("tab", name="Learn").click()
        page.get_by_text("Bandwidth σ of k_SW").first.wait_for()
        page.get_by_role("button", name="Copy as Python").click()
        page.get_by_role("button", name="Copy", exact=True).click()
        page.get_by_text("Copied.").wait_for()
        visit.forget()
    finally:
        server.kill()
        server.wait()
