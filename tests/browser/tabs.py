"""What the tests of several tabs know of each: when it is there, and all of it."""

from swviz.app.workspace.state import TABS

LEADS = {
    "Diagrams": "Every feature is a point and a bar.",
    "Slices": "Turn the line.",
    "Approximation": "How many directions are enough?",
    "Distortion": "Thin is good.",
    "Learn": "Move σ or C.",
    "Paper": "measured again",
}
ALL_FULL = """(names) => {
  const lengths = Object.fromEntries(names.map((name) => [name, []]))
  // One walk for all: to find a view by its model is a walk, too.
  for (const {el, model} of Bokeh.index.query(({model}) => model.type === "Figure")) {
    // Tabs that are hidden have layers of the same names.
    if (!el.checkVisibility()) continue
    for (const {name, data_source} of model.renderers) {
      lengths[name]?.push(data_source?.get_length() ?? 0)
    }
  }
  return Object.values(lengths).every((found) =>
    found.length > 0 && found.every((length) => length > 0))
}"""
# Several figures may have a layer of one name: "now" is in three of Approximation.
LAYERS = {
    "Approximation": ("now", "boxes", "time", "bound", "spread"),
    "Distortion": ("k_sw", "sw"),
    # The grid, the last of what is computed by itself, has been drawn.
    "Learn": ("samples", "cells", "best"),
}
# Cards follow one by one.
ALL_TURNED = """([color, paper]) => {
  const has = (element, wanted) =>
    getComputedStyle(element).backgroundColor === wanted
  let mains = 0, cards = 0
  const turned = (node) => [...node.children].every((child) => {
    if (child.matches(".main")) {
      mains += 1
      if (!has(child, color)) return false
    }
    if (child.matches(".card") && child.checkVisibility()) {
      cards += 1
      if (!has(child, paper)) return false
    }
    return (child.shadowRoot == null || turned(child.shadowRoot)) && turned(child)
  })
  return turned(document.body) && mains === 1 && cards > 0
}"""
LAST_WORDS = {
    "Slices": "W(θ)",
    "Approximation": "Measured on",
    # The figure is drawn when the numbers below it are.
    "Distortion": "keeps the order of d₁ best here",
    "Learn": "Runs of this session",
    "Paper": "Figure 6: what the kernels do",
}


def wait_for_layers(page, *names):
    """Wait until all figures on show that have layers of these names have filled them.

    And until there are such figures.
    """
    page.wait_for_function(ALL_FULL, arg=names)


def wait_until_full(page, tab):
    """Wait for all that a tab computes by itself for the default data set."""
    page.get_by_text(LEADS[tab]).first.wait_for()
    wait_for_layers(page, *LAYERS.get(tab, ()))
    if tab in LAST_WORDS:
        page.get_by_text(LAST_WORDS[tab]).first.wait_for()


def wait_for_tab(page, tab):
    """Wait until a tab is chosen, and the address says so."""
    page.wait_for_function(f"() => window.location.search.includes('tab={tab}&')")
    page.get_by_role("tab", name=tab, selected=True).wait_for()


def go_to(page, tab):
    assert tab in TABS
    page.get_by_role("tab", name=tab, exact=True).click()
    wait_for_tab(page, tab)
    page.get_by_text(LEADS[tab]).first.wait_for()


def choose(page, field, option):
    """Choose from a menu, and wait until it is gone: it takes clicks while it fades."""
    page.get_by_label(field, exact=True).click()
    page.locator("li").filter(has_text=option).first.click()
    page.locator("[role=listbox]").wait_for(state="detached")


def turn(page, theme):
    """Switch to the other theme, and wait until all that is on show has followed."""
    page.get_by_label("Toggle theme").click()
    color = {"dark": "rgb(15, 22, 29)", "light": "rgb(244, 246, 249)"}[theme]
    paper = {"dark": "rgb(26, 36, 46)", "light": "rgb(255, 255, 255)"}[theme]
    page.wait_for_function(ALL_TURNED, arg=[color, paper])
