"""The page before any script of it runs, and its bar on a phone.

What is below the bar is looked at with each tab, on screens of all sizes.
"""

from swviz.app.workspace.state import TABS
from tests.browser.screens import SIZES, assert_nothing_scrolls_sideways
from tests.browser.tabs import wait_for_tab

WIDTH, HEIGHT = SIZES["phone"]
# Whether it fits is no question of how many diagrams there are.
LINK = "?tab=Slices&source=point_clouds&preset=small&a=0&b=12"
PLACE_OF = """(element) => {
  element.scrollIntoView({block: "nearest", inline: "nearest"})
  const {x, y, width, height} = element.getBoundingClientRect()
  return [x + width / 2, y + height / 2]
}"""


def test_the_pair_is_drawn_before_any_script_runs(context, server):
    page = context.new_page()
    context.new_cdp_session(page).send(
        "Emulation.setScriptExecutionDisabled", {"value": True}
    )
    page.goto(server + "?tab=Slices&M=17")
    page.get_by_role("img", name="Diagrams A and B").wait_for()
    page.get_by_text("SW17 = ").wait_for()
    page.close()


def test_everything_in_the_bar_is_reachable_on_a_phone(visit):
    page = visit.open(LINK, WIDTH, HEIGHT)
    visit.wait_for_link()
    assert_nothing_scrolls_sideways(visit, WIDTH)
    # Nothing turns before the eyes of those who want little motion.
    page.get_by_role("button", name="Play").wait_for()
    buttons = [
        page.get_by_role("button", name=name, exact=True)
        for name in ("Open drawer", "Copy as Python", "Link", "Toggle theme")
    ]
    tabs = [page.get_by_role("tab", name=tab) for tab in TABS]
    for part in (*buttons, *tabs):
        box = part.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= WIDTH
        assert 0 <= box["y"] <= 100
    # What is below the bar begins below it.
    lead = page.get_by_text("Turn the line.").bounding_box()
    assert lead["y"] > max(tab.bounding_box()["y"] for tab in tabs) + 40
    page.get_by_role("button", name="Link", exact=True).click()
    page.get_by_text("Copied.").wait_for()
    # There and back, before there are tabs that have to follow.
    page.get_by_role("button", name="Toggle theme").click()
    visit.wait_for_link("theme=dark")
    page.get_by_role("button", name="Toggle theme").click()
    page.wait_for_function("() => !window.location.search.includes('theme')")
    # Or its tooltip, which fingers do not call up, lies over the tabs.
    page.mouse.move(WIDTH / 2, HEIGHT / 2)
    page.get_by_role("tooltip").wait_for(state="detached")
    # Where not even a phone has room, the tabs scroll and an arrow says so.
    page.set_viewport_size({"width": 280, "height": 653})
    page.locator(".MuiTabs-scrollButtons:visible").first.wait_for()
    # Some time after a change of size Material UI moves the tabs: from under a click.
    tab = page.get_by_role("tab", name="Paper").element_handle()
    page.mouse.click(*visit.place_of(PLACE_OF, tab))
    wait_for_tab(page, "Paper")
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.get_by_role("tab", name="Diagrams").click()
    wait_for_tab(page, "Diagrams")
    page.get_by_role("button", name="Copy as Python").click()
    page.get_by_label("Python", exact=True).wait_for()
    visit.keep("bar-phone")
    page.keyboard.press("Escape")
    page.get_by_label("Python", exact=True).wait_for(state="hidden")
