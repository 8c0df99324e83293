"""The address of the page: what it restores, what it follows, what it cannot carry."""

import csv
from urllib.parse import parse_qs, urlparse

from playwright.sync_api import expect

from tests.browser.tabs import go_to, turn, wait_for_tab

LINK = (
    "?tab=Diagrams&source=functions&preset=figure+1&a=1&b=0&M=34&rule=diagonal"
    "&sigma=lots"
)


def test_a_shared_link_restores_the_view_and_bad_values_are_told(visit):
    page = visit.share(LINK)
    # First, since it goes away by itself.
    page.get_by_text("The link's sigma = 'lots' is not usable.").wait_for()
    page.get_by_text("A · figure 1: g, 15 samples").wait_for()
    # The bar of the job that made it is hidden, and has its name, too.
    page.get_by_text("Functions on a line · figure 1", exact=True).wait_for()
    page.get_by_text("Directions M: 34").wait_for()
    page.get_by_text("Bandwidth σ of k_SW: 0.5").wait_for()
    visit.wait_for_link()
    query = parse_qs(urlparse(page.url).query)
    assert query["M"] == ["34"]
    assert query["rule"] == ["diagonal"]
    assert query["a"] == ["1"]
    assert query["sigma"] == ["0.5"]


def test_the_link_is_copied(visit):
    page = visit.share(LINK)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    visit.wait_for_link()
    page.get_by_role("button", name="Link").click()
    page.get_by_text("Copied.").wait_for()
    link = page.evaluate("navigator.clipboard.readText()")
    page.context.clear_permissions()
    assert parse_qs(urlparse(link).query)["M"] == ["34"]


def test_copy_as_python_opens_the_lines(visit):
    page = visit.share(LINK)
    page.get_by_role("button", name="Copy as Python").click()
    lines = page.get_by_label("Python", exact=True)
    lines.wait_for()
    assert "import swviz as sw" in lines.input_value()
    page.keyboard.press("Escape")
    lines.wait_for(state="hidden")


def test_theme_and_level_are_in_the_link(visit):
    # Before there are other tabs, which would have to follow though they are hidden.
    page = visit.share(LINK)
    page.get_by_label("Toggle theme").click()
    visit.wait_for_link("theme=dark")
    page.get_by_role("slider", name="Level t").press("End")
    visit.wait_for_link("diagrams.level")
    level = page.get_by_role("slider", name="Level t").input_value()
    visit.open("?" + urlparse(page.url).query)
    visit.wait_for_link()
    dark = page.locator(".main").evaluate("e => getComputedStyle(e).backgroundColor")
    assert dark == "rgb(15, 22, 29)"
    assert page.get_by_role("slider", name="Level t").input_value() == level
    turn(page, "light")
    page.wait_for_function("() => !window.location.search.includes('theme')")
    visit.leave_as(LINK)


def test_plots_are_saved_as_pictures_and_numbers(visit, tmp_path):
    page = visit.share(LINK)
    go_to(page, "Slices")
    # Drawn, with a line in it.
    page.get_by_text("this slice").first.wait_for()
    visit.wait_until_still()
    # Tools show when the pointer is over their plot.
    expect(page.get_by_title("Save as PNG").filter(visible=True)).to_have_count(0)
    page.locator("canvas").filter(visible=True).first.hover(force=True)
    saved = {}
    for title, ending in (
        ("Save as PNG", "png"),
        ("Save as SVG", "svg"),
        ("Save the data as CSV", "csv"),
    ):
        with page.expect_download() as download:
            page.get_by_title(title).filter(visible=True).first.click()
        saved[ending] = tmp_path / f"plane.{ending}"
        assert download.value.suggested_filename == f"plane.{ending}"
        download.value.save_as(saved[ending])
    go_to(page, "Diagrams")
    assert saved["png"].read_bytes().startswith(b"\x89PNG")
    assert "<svg" in saved["svg"].read_text()
    rows = list(csv.DictReader(saved["csv"].read_text().splitlines()))
    assert {"A", "B", "line"} <= {row["layer"] for row in rows}
    births = [float(row["birth"]) for row in rows if row["layer"] == "A"]
    assert births


def test_back_and_forward_step_through_tabs_and_change_nothing_else(visit):
    page = visit.share(LINK)
    wait_for_tab(page, "Diagrams")
    visit.wait_for_link("M=34")
    entries = page.evaluate("window.history.length")
    page.get_by_role("tab", name="Slices").click()
    wait_for_tab(page, "Slices")
    page.get_by_role("tab", name="Distortion").click()
    wait_for_tab(page, "Distortion")
    # A change of anything else is no step.
    page.get_by_role("slider", name="Directions M").press("ArrowRight")
    visit.wait_for_link("M=36")
    assert page.evaluate("window.history.length") == entries + 2
    page.go_back()
    wait_for_tab(page, "Slices")
    visit.wait_for_link("M=36")
    page.go_back()
    wait_for_tab(page, "Diagrams")
    page.get_by_text("Every feature is a point and a bar.").wait_for()
    # Two at once: what the server writes of the first must not end up in the second.
    page.go_forward()
    page.go_forward()
    wait_for_tab(page, "Distortion")
    # All that was on its way has come when a later change has.
    page.get_by_role("slider", name="Directions M").press("ArrowLeft")
    visit.wait_for_link("M=34")
    wait_for_tab(page, "Distortion")
    page.go_back()
    wait_for_tab(page, "Slices")
    visit.wait_for_link("M=34")
    assert page.evaluate("window.history.length") == entries + 2
    page.go_back()
    wait_for_tab(page, "Diagrams")
