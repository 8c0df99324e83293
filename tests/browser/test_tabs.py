"""All tabs in one page, without any knowledge of the inside of other packages."""

import json
import re

from swviz.app.workspace.state import TABS
from tests.browser.conftest import free_port, serve
from tests.browser.tabs import go_to, wait_until_full

LINK = "?tab=Diagrams&source=point_clouds&preset=small&a=0&b=12"
# One diagram: no other to compare it with, and nothing to learn.
ONE = json.dumps([[[0.0, 1.0], [0.2, 0.5]]]).encode()
EMPTY = json.dumps([{"0": [[0, 1], [0.2, 0.5]], "1": []}]).encode()
COMPLAINT = re.compile(r"ERROR|Traceback|responsive")


def use_files(page, *contents):
    """Take an uploaded set."""
    go_to(page, "Diagrams")
    page.get_by_role("tab", name="Upload").click()
    files = [
        {"name": f"few{k}.json", "mimeType": "application/json", "buffer": content}
        for k, content in enumerate(contents)
    ]
    # Learn has fields for files, too: that of Diagrams is before them, once it is there.
    page.get_by_text("Drop files or a folder here").wait_for()
    page.get_by_label("Choose files").first.set_input_files(files)
    page.get_by_role("button", name="Use this set").click()
    page.get_by_text("Showing few").wait_for()


def walk_through_tabs(page):
    """Go to each tab, and yield it when what was sent has been painted."""
    for tab in TABS:
        go_to(page, tab)
        page.evaluate("() => new Promise((done) => requestAnimationFrame("
                      "() => requestAnimationFrame(done)))")  # fmt: skip
        yield tab


def test_the_app_works_without_compat_and_with_next_to_no_data(visit, tmp_path):
    port, said = free_port(), tmp_path / "server.txt"
    server = serve(port, tmp_path, said, SWVIZ_COMPAT="off", SWVIZ_REHEARSED_TABS="0")
    try:
        visit.address = f"http://127.0.0.1:{port}/app"
        page = visit.open(LINK)
        # The main path of every tab: it shows all that it computes by itself.
        for tab in walk_through_tabs(page):
            wait_until_full(page, tab)
            if tab == "Slices":
                for key, number in (("ArrowRight", 13), ("ArrowLeft", 12)):
                    page.get_by_label("Directions M").press(key)
                    visit.wait_for_link(f"M={number}&")
            elif tab == "Learn":
                page.get_by_role("button", name="Copy as Python").click()
                page.get_by_role("button", name="Copy", exact=True).click()
                page.get_by_text("Copied.").wait_for()
                page.keyboard.press("Escape")
                page.get_by_label("Python", exact=True).wait_for(state="hidden")
        # Each has been made with one set, and follows to others that hold nearly
        # nothing. (Tabs that are made with these: test_app_page, without a browser.)
        for content in (ONE, EMPTY):
            use_files(page, content)
            assert list(walk_through_tabs(page)) == list(TABS)
        visit.forget()
    finally:
        server.kill()
        server.wait()
    complaints = [
        line
        for line in said.read_text().splitlines()
        # Tornado's word for a page that was left.
        if COMPLAINT.search(line) and "WebSocketClosedError" not in line
    ]
    assert complaints == []
