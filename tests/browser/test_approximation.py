"""The Approximation tab in a real browser: it computes by itself, arrives, answers."""

import re

import pytest

SIZES = {"laptop": (1280, 800), "projector": (1024, 768), "phone": (390, 844)}
SOURCE = """(name) => {
  for (const document of Bokeh.documents) {
    for (const model of document._all_models.values()) {
      if (model.type === "GlyphRenderer" && model.name === name) {
        return model.data_source
      }
    }
  }
  return null
}"""
LENGTH = f"(name) => (({SOURCE})(name)?.get_length() ?? 0)"
OUTLIER = """() => {
  for (const document of Bokeh.documents) {
    for (const plot of document._all_models.values()) {
      if (plot.type !== "Figure") continue
      const layer = plot.renderers.find((renderer) => renderer.name === "outlier")
      if (layer == null) continue
      const view = Bokeh.index.find_one(plot)
      view.el.scrollIntoView({block: "center"})
      const data = layer.data_source.data
      // A dot that is apart from others, near the left: those of M = 2.
      const k = [...data.M].indexOf("2")
      const box = view.canvas_view.el.getBoundingClientRect()
      const {x_scale, y_scale} = view.frame
      return [
        box.x + x_scale.compute(data.M[k]), box.y + y_scale.compute(data.ratio[k]),
        data.ratio[k], data.first[k], data.second[k],
      ]
    }
  }
}"""
PARTS = ("now", "box", "time", "certified bound", "spread")


def wait_for(page, *names):
    for name in names:
        page.wait_for_function(f"(name) => ({LENGTH})(name) > 0", arg=name)


def answer(page):
    return page.get_by_text(re.compile(r"On this data, .*every pair within"))


def test_it_fills_by_itself_and_answers_in_words(visit):
    page = visit.open("?tab=Approximation")
    page.set_default_timeout(90_000)
    wait_for(page, *PARTS)
    page.get_by_text("Measured on all 276 pairs.").wait_for()
    assert "M = 24 keeps every pair within 2 %" in answer(page).inner_text()
    page.get_by_text("all 24 diagrams; measured now").wait_for()
    page.get_by_text("the dotted line is guessing").wait_for()
    visit.keep("approximation")
    visit.assert_calm()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_overlaps_or_scrolls_sideways(visit, size):
    width, height = SIZES[size]
    page = visit.open("?tab=Approximation", width, height)
    page.set_default_timeout(90_000)
    wait_for(page, *PARTS)
    page.get_by_text("Measured on all 276 pairs.").wait_for()
    visit.keep(f"approximation-{size}")
    content = page.locator(".main-content")
    assert content.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    visit.assert_calm()


def test_rule_and_tolerance_change_the_answer(visit):
    page = visit.open("?tab=Approximation&rule=diagonal")
    page.set_default_timeout(90_000)
    wait_for(page, "box")
    page.get_by_text("Measured on all 276 pairs.").wait_for()
    assert "M = 16 keeps" in answer(page).inner_text()
    slider = page.get_by_role("slider", name="Tolerance")
    slider.focus()
    for _ in range(10):
        slider.press("ArrowRight")
    page.get_by_text("within 3 %").wait_for()
    visit.assert_calm()


def test_a_clicked_outlier_becomes_the_pair(visit):
    page = visit.open("?tab=Approximation", 1280, 1000)
    page.set_default_timeout(90_000)
    wait_for(page, "box", "spread")
    page.get_by_text("Measured on all 276 pairs.").wait_for()
    x, y, _, first, second = page.evaluate(OUTLIER)
    page.mouse.click(x, y)
    page.wait_for_function(
        "(pair) => window.location.search.includes(pair)", arg=f"a={first}&b={second}"
    )
    visit.assert_calm()


def test_cancel_keeps_the_pairs_that_are_done(visit):
    # Exact distances of orbits take long enough to be stopped.
    page = visit.open("?tab=Approximation&source=orbits&preset=five+classes&dim=0")
    page.set_default_timeout(90_000)
    page.get_by_text(re.compile("pairs so far")).wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text(re.compile("stopped; .* were asked for")).wait_for()
    wait_for(page, "box")
    visit.assert_calm()


def test_the_dark_page_is_readable(visit):
    page = visit.open("?tab=Approximation")
    page.set_default_timeout(90_000)
    page.get_by_label("Toggle theme").click()
    wait_for(page, *PARTS)
    page.get_by_text("Measured on all 276 pairs.").wait_for()
    page.wait_for_timeout(500)
    visit.keep("approximation-dark")
    visit.assert_calm()
