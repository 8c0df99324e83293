"""All tabs in one page, without any knowledge of the inside of other packages."""

import json
import re

from swviz.app.workspace.state import TABS
from tests.browser.conftest import free_port, serve
from tests.browser.tabs import go_to, wait_until_full

LINK = "?tab=Diagrams&source=point_clouds&preset=small&a=0&b=12"
# No other diagram to compare it with, nothing to learn, and no point in H1.
ONE = json.dumps([{"0": [[0, 1], [0.2, 0.5]], "1": []}]).encode()
COMPLAINT = re.compile("error|exception|failed|traceback|responsive", re.IGNORECASE)


def use_file(page, content):
    """Take an uploaded set."""
    go_to(page, "Diagrams")
    page.get_by_role("tab", name="Upload").click()
    file = {"name": "few.json", "mimeType": "application/json", "buffer": content}
    # Learn has fields for files, too: that of Diagrams is before them, if it is there.
    page.get_by_text("Drop files or a folder here").wait_for()
    page.get_by_label("Choose files").first.set_input_files([file])
    page.get_by_role("button", name="Use this set").click()
    page.get_by_text("Showing few.json").wait_for()


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
        # Each has been made with one set, and follows to another that holds nearly
        # nothing. (Tabs that are made with such sets: see test_app_page.)
        use_file(page, ONE)
        assert list(walk_through_tabs(page)) == list(TABS)
        # Nor does anybody complain of a dimension in which there are two points.
        page.get_by_role("button", name="H0").first.click()
        visit.wait_for_link("dim=0")
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
