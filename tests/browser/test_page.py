"""Every tab on screens of all sizes, in light and dark, with a mouse and by touch."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from swviz.app.workspace.state import TABS
from tests.browser.tabs import go_to, turn, wait_for_tab, wait_until_full

SIZES = {"laptop": (1280, 800), "projector": (1024, 768), "phone": (390, 844)}
TOO_WIDE = """(cards) => cards
  .filter((card) => card.scrollWidth > card.clientWidth + 1)
  .map((card) => [card.shadowRoot?.textContent.slice(-80), card.scrollWidth])"""


def test_the_pair_is_drawn_before_any_script_runs(context, server):
    page = context.new_page()
    context.new_cdp_session(page).send(
        "Emulation.setScriptExecutionDisabled", {"value": True}
    )
    page.goto(server + "?tab=Slices&M=17")
    page.get_by_role("img", name="Diagrams A and B").wait_for()
    page.get_by_text("SW17 = ").wait_for()
    page.close()


def assert_nothing_scrolls_sideways(visit, width):
    page = visit.page
    # The sidebar of a narrow window leaves when the page is there.
    page.locator(".MuiBackdrop-root:visible").wait_for(state="detached")
    visit.wait_until_still()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    content = page.locator(".main-content")
    assert content.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert content.bounding_box()["width"] > width / 2
    # Nor does a legend leave its card. (Paper's pictures do, by three pixels.)
    if "tab=Paper" not in page.url:
        assert page.locator(".card:visible").evaluate_all(TOO_WIDE) == []


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_on_screens_of_two_sizes_in_light_and_dark(visit, tab):
    name = tab.lower()
    page = visit.share("?tab=Diagrams")
    go_to(page, tab)
    wait_until_full(page, tab)
    for size in ("projector", "laptop"):
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        assert_nothing_scrolls_sideways(visit, width)
        visit.keep(f"{name}-{size}")
    assert critical_violations(page) == []
    page.get_by_role("button", name="Help").filter(visible=True).click()
    words = page.get_by_text("What you see, and what to try").filter(visible=True)
    words.wait_for()
    page.keyboard.press("Escape")
    words.wait_for(state="hidden")
    turn(page, "dark")
    visit.keep(f"{name}-dark")
    turn(page, "light")


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_on_a_phone(visit, tab):
    width, height = SIZES["phone"]
    page = visit.share("?tab=Slices", width, height)
    go_to(page, tab)
    wait_until_full(page, tab)
    assert_nothing_scrolls_sideways(visit, width)
    visit.keep(f"{tab.lower()}-phone")


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


def test_everything_in_the_bar_is_reachable_on_a_phone(visit):
    width, height = SIZES["phone"]
    page = visit.share("?tab=Slices", width, height)
    go_to(page, "Slices")
    visit.wait_for_link()
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
    visit.wait_for_link("theme=dark")
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
