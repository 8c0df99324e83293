import csv
import re
import socket
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from axe_playwright_python.sync_playwright import Axe

from swviz.app.workspace.state import TABS
from tests.browser.conftest import serve

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
    # The bar of the job that made it is hidden, and has its name, too.
    page.get_by_text("Functions on a line · figure 1", exact=True).wait_for()
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


def wait_for_tab(page, tab):
    page.wait_for_function(f"() => window.location.search.includes('tab={tab}&')")
    page.get_by_role("tab", name=tab, selected=True).wait_for()


def test_back_and_forward_step_through_tabs_and_change_nothing_else(visit):
    page = visit.open("?tab=Diagrams&M=33")
    wait_for_tab(page, "Diagrams")
    page.wait_for_function("() => window.location.search.includes('theta')")
    entries = page.evaluate("window.history.length")
    page.get_by_role("tab", name="Slices").click()
    wait_for_tab(page, "Slices")
    page.get_by_role("tab", name="Paper").click()
    wait_for_tab(page, "Paper")
    # A change of anything else is no step.
    page.get_by_role("slider", name="Directions M").press("ArrowRight")
    page.wait_for_function("() => window.location.search.includes('M=34')")
    assert page.evaluate("window.history.length") == entries + 2
    page.go_back()
    wait_for_tab(page, "Slices")
    page.wait_for_function("() => window.location.search.includes('M=34')")
    page.go_back()
    wait_for_tab(page, "Diagrams")
    page.get_by_text("Every feature is a point and a bar.").wait_for()
    # Two at once: what the server writes of the first must not end up in the second.
    page.go_forward()
    page.go_forward()
    wait_for_tab(page, "Paper")
    page.wait_for_timeout(1500)
    wait_for_tab(page, "Paper")
    page.go_back()
    wait_for_tab(page, "Slices")
    page.wait_for_function("() => window.location.search.includes('M=34')")
    assert page.evaluate("window.history.length") == entries + 2
    visit.assert_calm()


def test_theme_and_level_are_in_the_link(visit, browser):
    page = visit.open("?tab=Diagrams")
    page.get_by_label("Toggle theme").click()
    page.wait_for_function("() => window.location.search.includes('theme=dark')")
    page.get_by_role("slider", name="Level t").press("End")
    page.wait_for_function("() => window.location.search.includes('diagrams.level')")
    level = page.get_by_role("slider", name="Level t").input_value()
    other = browser.new_context().new_page()
    again = type(visit)(other, visit.address)
    again.open("?" + urlparse(page.url).query)
    other.wait_for_function("() => window.location.search.includes('theta')")
    dark = other.locator(".main").evaluate("e => getComputedStyle(e).backgroundColor")
    assert dark == "rgb(15, 22, 29)"
    assert other.get_by_role("slider", name="Level t").input_value() == level
    other.get_by_label("Toggle theme").click()
    other.wait_for_function("() => !window.location.search.includes('theme')")
    again.assert_calm()
    other.context.close()


def test_everything_in_the_bar_is_reachable_on_a_phone(visit):
    width, height = SIZES["phone"]
    page = visit.open("?tab=Slices", width, height)
    page.wait_for_function("() => window.location.search.includes('theta')")
    buttons = [
        page.get_by_role("button", name=name, exact=True)
        for name in ("Open drawer", "Copy as Python", "Link", "Toggle theme")
    ]
    tabs = [page.get_by_role("tab", name=tab) for tab in TABS]
    for part in (*buttons, *tabs):
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert 0 <= box["y"] <= 100
    # What is below the bar begins below it.
    lead = page.get_by_text("Turn the line.").bounding_box()
    assert lead["y"] > max(tab.bounding_box()["y"] for tab in tabs) + 40
    page.get_by_role("button", name="Link", exact=True).click()
    page.get_by_text("Copied.").wait_for()
    page.get_by_role("button", name="Toggle theme").click()
    page.wait_for_function("() => window.location.search.includes('theme=dark')")
    # Or its tooltip, which fingers do not call up, lies over the tabs.
    page.mouse.move(width / 2, height / 2)
    page.get_by_role("tooltip").wait_for(state="detached")
    for tab in ("Paper", "Diagrams"):
        page.get_by_role("tab", name=tab).click()
        wait_for_tab(page, tab)
    page.get_by_role("button", name="Copy as Python").click()
    page.get_by_label("Python", exact=True).wait_for()
    visit.keep("bar-phone")
    # Where not even a phone has room, the tabs scroll and an arrow says so.
    page.keyboard.press("Escape")
    page.get_by_label("Python", exact=True).wait_for(state="hidden")
    page.set_viewport_size({"width": 280, "height": 653})
    page.locator(".MuiTabs-scrollButtons:visible").first.wait_for()
    page.get_by_role("tab", name="Learn").click()
    wait_for_tab(page, "Learn")
    visit.assert_calm()


def test_a_link_to_an_uploaded_set_says_so_and_asks_for_the_file(visit, browser):
    rows = "".join(f"{k},{k + 1}\n" for k in range(70)).encode()
    file = {"name": "mine <b>.csv", "mimeType": "text/csv", "buffer": rows}
    page = visit.open("?tab=Diagrams")
    page.get_by_role("tab", name="Upload").click()
    page.locator("input[type=file]").first.set_input_files([file])
    page.get_by_role("button", name="Use this set").click()
    page.get_by_text("Showing mine <b>.csv").wait_for()
    page.wait_for_function("() => window.location.search.includes('source=upload')")
    page.get_by_role("button", name="Link", exact=True).click()
    page.get_by_text("Copied. It carries no file: the uploaded set “mine").wait_for()
    other = browser.new_context().new_page()
    again = type(visit)(other, visit.address)
    again.open("?" + urlparse(page.url).query.replace("tab=Diagrams", "tab=Slices"))
    told = other.get_by_text("This link leads to the uploaded set “mine <b>.csv”")
    told.wait_for()
    again.keep("link-of-an-upload")
    # Nor is it forgotten with the next reload.
    other.wait_for_function("() => window.location.search.includes('theta')")
    other.reload()
    told.wait_for()
    other.locator("#loader").wait_for(state="hidden")
    other.get_by_role("button", name="Load the file").click()
    wait_for_tab(other, "Diagrams")
    other.get_by_role("tab", name="Upload", selected=True).wait_for()
    other.locator("input[type=file]").first.set_input_files([file])
    other.get_by_role("button", name="Use this set").click()
    other.get_by_text("Showing mine <b>.csv").wait_for()
    told.wait_for(state="detached")
    again.assert_calm()
    other.context.close()


def test_a_job_shows_on_every_tab_and_a_reload_says_that_it_was_lost(
    visit, endless_orbits
):
    page = visit.open("?tab=Diagrams", height=500)
    page.wait_for_function("() => window.location.search.includes('theta')")
    page.get_by_label("Source", exact=True).click()
    page.locator("li").filter(has_text="Linked twist map orbits").first.click()
    page.get_by_label("Preset", exact=True).click()
    page.locator("li").filter(has_text="paper").first.click()
    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_text("Making Linked twist map orbits").wait_for()
    elsewhere = page.get_by_text("Diagrams: Making Linked twist map orbits")
    assert not elsewhere.is_visible()
    page.get_by_role("tab", name="Slices").click()
    elsewhere.wait_for()
    page.get_by_role("button", name="Pause").wait_for()
    page.locator(".main-content").evaluate("e => e.scrollTo(0, 400)")
    assert 40 < elsewhere.bounding_box()["y"] < 120
    visit.keep("job-elsewhere")
    page.get_by_role("button", name="Show", exact=True).click()
    wait_for_tab(page, "Diagrams")
    elsewhere.wait_for(state="hidden")
    page.reload()
    page.get_by_text(
        "Lost, because this page was left while at work: Making"
    ).wait_for()


def test_a_page_says_that_its_server_is_gone_and_comes_back_with_it(
    browser, visit, tmp_path
):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    page = visit.page
    first = serve(port, tmp_path)
    try:
        visit.address = f"http://127.0.0.1:{port}/app"
        visit.open("?tab=Diagrams&M=33&theme=dark")
        page.wait_for_function("() => window.location.search.includes('theta')")
        gone = page.get_by_role("alert").filter(has_text="The server does not answer")
        assert not gone.is_visible()
        page.get_by_role("slider", name="Directions M").press("ArrowRight")
        page.wait_for_function("() => window.location.search.includes('M=34')")
        visit.assert_calm()
        first.kill()
        first.wait()
        gone.wait_for(timeout=5000)
        page.wait_for_timeout(1000)
        visit.keep("server-gone")
        # In vain: the page stays as it is.
        gone.get_by_role("button", name="Reload").click()
        page.wait_for_timeout(1000)
        assert gone.is_visible()
        assert page.get_by_text("Every feature is a point and a bar.").is_visible()
    finally:
        first.kill()
        first.wait()
    second = serve(port, tmp_path)
    try:
        gone.wait_for(state="hidden")
        page.get_by_text("Every feature is a point and a bar.").wait_for()
        page.get_by_text("Directions M: 34").wait_for()
        wait_for_tab(page, "Diagrams")
        dark = page.locator(".main").evaluate(
            "e => getComputedStyle(e).backgroundColor"
        )
        assert dark == "rgb(15, 22, 29)"
    finally:
        second.kill()
        second.wait()


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


def test_a_neighbour_is_answered_while_a_session_computes(
    visit, browser, endless_orbits
):
    page = visit.open("?tab=Diagrams&source=orbits&preset=paper")
    page.get_by_text("Making Linked twist map orbits").wait_for()
    other = browser.new_context().new_page()
    other.goto(visit.address + "?tab=Diagrams")
    other.get_by_text("Every feature is a point and a bar.").wait_for()
    other.get_by_role("button", name="Copy as Python").click()
    other.get_by_label("Python", exact=True).wait_for()
    # The first message of a part that came after the page.
    other.get_by_role("button", name="Copy", exact=True).click()
    other.get_by_text("Copied.").wait_for()
    other.context.close()
