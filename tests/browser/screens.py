"""A tab on screens of all sizes, in light and dark, and what axe-core says of it."""

import re
import time

from axe_playwright_python.sync_playwright import Axe

from tests.browser.tabs import turn, wait_until_full

SIZES = {"laptop": (1280, 800), "projector": (1024, 768), "phone": (390, 844)}
TOO_WIDE = """(parts) => {
  // What sticks out of a node: its kind, and where it ends. Bokeh has boxes that nobody
  // sees around all that a layer would draw, also where it is beyond the axes.
  const out_of = (node, right) => [...node.children].flatMap((child) => {
    const box = child.getBoundingClientRect()
    if (child.matches(".bk-GlyphRenderer")) return []
    const own = box.width > 0 && box.right > right + 1
      ? [`${child.className || child.tagName} to ${Math.round(box.right)}`] : []
    const roots = [child.shadowRoot, child].filter((root) => root != null)
    return [...own, ...roots.flatMap((root) => out_of(root, right))]
  })
  return parts.filter((part) => part.scrollWidth > part.clientWidth + 1)
    .map((part) =>
      out_of(part.shadowRoot ?? part, part.getBoundingClientRect().right).slice(0, 8))
    .filter((found) => found.length > 0)
}"""
AXE = {
    "resultTypes": ["violations"],
    # Half of the time for what is never critical to axe-core.
    "rules": {"color-contrast": {"enabled": False}},
}


def assert_nothing_scrolls_sideways(visit, width):
    page = visit.page
    # The sidebar of a narrow window leaves when the page is there.
    page.locator(".MuiBackdrop-root:visible").wait_for(state="detached")
    visit.wait_until_still()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    content = page.locator(".main-content")
    assert content.evaluate_all(TOO_WIDE) == []
    assert content.bounding_box()["width"] > width / 2
    # Nor does a legend leave its card. (Paper's pictures do, by three pixels.) A figure
    # that has been laid out follows its card in a frame of its own.
    if "tab=Paper" not in page.url:
        cards, end = page.locator(".card:visible"), time.monotonic() + 10
        while (wide := cards.evaluate_all(TOO_WIDE)) and time.monotonic() < end:
            visit.wait_until_still()
        assert wide == []


def critical_violations(page):
    """What axe-core calls critical in our own markup."""
    return [
        (entry["id"], node["html"][:200])
        for entry in Axe().run(page, options=AXE).response["violations"]
        if entry["impact"] == "critical"
        for node in entry["nodes"]
        # Tables are Tabulator's own markup, the buttons of number fields Material UI's.
        if not re.search("tabulator|MuiIconButton-sizeSmall", node["html"])
    ]


def look_at_all_of(visit, tab):
    """Check a tab that is open on screens of three sizes, in light and dark.

    The last of a page: it is left dark and without its sidebar. Best where no other tab
    has been opened: what is hidden is laid out and coloured with the rest.
    """
    name, page = tab.lower(), visit.page
    visit.shown = None
    wait_until_full(page, tab)
    assert critical_violations(page) == []
    page.get_by_role("button", name="Help").filter(visible=True).click()
    words = page.get_by_text("What you see, and what to try").filter(visible=True)
    words.wait_for()
    page.keyboard.press("Escape")
    words.wait_for(state="hidden")
    for size, (width, height) in SIZES.items():
        if size == "phone":
            # There it would lie over the page, and who comes by phone has it closed.
            page.get_by_role("button", name="Close drawer").click()
        page.set_viewport_size({"width": width, "height": height})
        assert_nothing_scrolls_sideways(visit, width)
        visit.keep(f"{name}-{size}")
    page.set_viewport_size(dict(zip(("width", "height"), SIZES["laptop"], strict=True)))
    turn(page, "dark")
    visit.keep(f"{name}-dark")
