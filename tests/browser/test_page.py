from urllib.parse import parse_qs, urlparse

import pytest

SIZES = {"laptop": (1280, 800), "projector": (1024, 768), "phone": (390, 844)}


def test_six_loads_in_a_row_are_calm(visit):
    for _ in range(6):
        page = visit.open()
        page.wait_for_timeout(500)
    visit.assert_calm()


@pytest.mark.parametrize("tab", ["Diagrams", "Slices"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_scrolls_sideways_and_the_content_is_uncovered(visit, tab, size):
    width, height = SIZES[size]
    page = visit.open(f"?tab={tab}", width, height)
    page.wait_for_timeout(2500)
    visit.keep(f"{tab.lower()}-{size}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    content = page.locator(".main-content")
    assert content.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    # What is at the middle of the content is part of it, not of a drawer above it.
    assert page.locator(".MuiBackdrop-root:visible").count() == 0
    assert content.bounding_box()["width"] > width / 2
    visit.assert_calm()


def test_the_dark_page_is_dark(visit):
    page = visit.open("?tab=Diagrams")
    page.get_by_label("Toggle theme").click()
    page.wait_for_timeout(1000)
    visit.keep("diagrams-dark")
    color = page.locator(".main").evaluate("e => getComputedStyle(e).backgroundColor")
    assert color == "rgb(15, 22, 29)"
    visit.assert_calm()


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
    page.get_by_text("Bandwidth σ = 0.25").wait_for()


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
