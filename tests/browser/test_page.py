import csv
import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from axe_playwright_python.sync_playwright import Axe

from swviz.app.state import TABS

SIZES = {"laptop": (1280, 800), "projector": (1024, 768), "phone": (390, 844)}


def test_six_loads_in_a_row_are_calm(visit):
    for _ in range(6):
        page = visit.open()
        page.wait_for_timeout(500)
    visit.assert_calm()


def test_the_pair_is_drawn_before_any_script_runs(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + "?tab=Slices&M=17")
    page.get_by_role("img", name="Diagrams A and B").wait_for()
    page.get_by_text("SW17 = ").wait_for()
    context.close()


def test_the_first_picture_makes_room_for_the_page(visit):
    page = visit.open()
    page.wait_for_function("() => document.getElementById('opening') == null")
    page.locator("#loader").wait_for(state="hidden")
    visit.assert_calm()


def assert_nothing_scrolls_sideways(page, width):
    page.wait_for_timeout(1000)
    # The sidebar of a narrow window leaves when the page is there.
    page.locator(".MuiBackdrop-root:visible").wait_for(state="detached")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    content = page.locator(".main-content")
    assert content.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert content.bounding_box()["width"] > width / 2


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_on_screens_of_two_sizes_in_light_and_dark(visit, tab):
    name = tab.lower()
    page = visit.open(f"?tab={tab}")
    page.wait_for_timeout(2500)
    for size in ("laptop", "projector"):
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        assert_nothing_scrolls_sideways(page, width)
        visit.keep(f"{name}-{size}")
    assert critical_violations(page) == []
    page.get_by_role("button", name="Help").first.click()
    page.get_by_text("What you see, and what to try").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("What you see, and what to try").wait_for(state="hidden")
    page.get_by_label("Toggle theme").click()
    color = ""
    for _ in range(20):
        page.wait_for_timeout(500)
        color = page.locator(".main").evaluate(
            "e => getComputedStyle(e).backgroundColor"
        )
        if color == "rgb(15, 22, 29)":
            break
    assert color == "rgb(15, 22, 29)"
    page.wait_for_timeout(1000)
    visit.keep(f"{name}-dark")
    visit.assert_calm()


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_on_a_phone(visit, tab):
    width, height = SIZES["phone"]
    page = visit.open(f"?tab={tab}", width, height)
    page.wait_for_timeout(1500)
    assert_nothing_scrolls_sideways(page, width)
    visit.keep(f"{tab.lower()}-phone")
    visit.assert_calm()


def critical_violations(page):
    """What axe-core calls critical in our own markup."""
    return [
        (entry["id"], node["html"][:200])
        for entry in Axe().run(page).response["violations"]
        if entry["impact"] == "critical"
        for node in entry["nodes"]
        # Tables are Tabulator's own markup, the buttons of number fields Material UI's.
        if not re.search("tabulator|MuiIconButton-sizeSmall", node["html"])
    ]


def test_a_shared_link_restores_the_view(visit):
    page = visit.open(
        "?tab=Diagrams&source=functions&preset=figure+1&a=1&b=0&M=33&rule=diagonal"
    )
    page.get_by_text("A · figure 1: g, 15 samples").wait_for()
    page.get_by_text("Functions on a line · figure 1").wait_for()
    page.wait_for_function("() => window.location.search.includes('theta')")
    query = parse_qs(urlparse(page.url).query)
    assert query["M"] == ["33"]
    assert query["rule"] == ["diagonal"]
    assert query["a"] == ["1"]
    visit.assert_calm()


def test_bad_values_in_a_link_are_told(visit):
    page = visit.open("?tab=Diagrams&M=lots&sigma=0.25")
    page.get_by_text("The link's M = 'lots' is not usable.").wait_for()
    page.get_by_text("Bandwidth σ of k_SW: 0.25").wait_for()


def test_tabs_change_the_view_and_the_address(visit):
    page = visit.open()
    page.get_by_role("tab", name="Diagrams").click()
    page.get_by_text("Every feature is a point and a bar.").wait_for()
    page.wait_for_function("() => window.location.search.includes('tab=Diagrams')")
    visit.assert_calm()


def test_copy_as_python_opens_the_lines(visit):
    page = visit.open("?tab=Diagrams")
    page.get_by_role("button", name="Copy as Python").click()
    lines = page.get_by_label("Python", exact=True)
    lines.wait_for()
    assert "import swviz as sw" in lines.input_value()
    visit.assert_calm()


def test_the_link_is_copied(visit):
    page = visit.open("?tab=Slices&M=17")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.wait_for_function("() => window.location.search.includes('theta')")
    page.get_by_role("button", name="Link").click()
    page.get_by_text("Copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlparse(link).query)["M"] == ["17"]


def test_plots_are_saved_as_pictures_and_numbers(visit, tmp_path):
    page = visit.open("?tab=Slices")
    page.get_by_role("button", name="Pause").click()
    saved = {}
    for title, ending in (
        ("Save as PNG", "png"),
        ("Save as SVG", "svg"),
        ("Save the data as CSV", "csv"),
    ):
        with page.expect_download() as download:
            page.get_by_title(title).first.click()
        saved[ending] = tmp_path / f"plane.{ending}"
        assert download.value.suggested_filename == f"plane.{ending}"
        download.value.save_as(saved[ending])
    assert saved["png"].read_bytes().startswith(b"\x89PNG")
    assert "<svg" in Path(saved["svg"]).read_text()
    rows = list(csv.DictReader(saved["csv"].read_text().splitlines()))
    assert {"A", "B", "line"} <= {row["layer"] for row in rows}
    births = [float(row["birth"]) for row in rows if row["layer"] == "A"]
    assert births
    visit.assert_calm()


def test_a_neighbour_is_answered_while_a_session_computes(visit, browser):
    page = visit.open("?tab=Diagrams&source=orbits&preset=paper")
    page.get_by_text("Making Linked twist map orbits").wait_for()
    other = browser.new_context().new_page()
    other.goto(visit.address + "?tab=Diagrams")
    other.get_by_text("Every feature is a point and a bar.").wait_for()
    other.get_by_role("button", name="Copy as Python").click()
    other.get_by_label("Python", exact=True).wait_for()
    other.context.close()
