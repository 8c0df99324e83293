"""The Approximation tab in a real browser: it computes by itself, arrives, answers."""

import re

from tests.browser.screens import look_at_all_of
from tests.browser.tabs import choose, wait_until_full

OUTLIER = """() => {
  for (const document of Bokeh.documents) {
    for (const plot of document._all_models.values()) {
      if (plot.type !== "Figure") continue
      const layer = plot.renderers.find((renderer) => renderer.name === "outliers")
      if (layer == null) continue
      const view = Bokeh.index.find_one(plot)
      view.el.scrollIntoView({block: "center"})
      const data = layer.data_source.data
      // A dot that is apart from others, near the left: those of M = 2.
      const k = [...data.place].indexOf(1)
      const box = view.canvas_view.el.getBoundingClientRect()
      const {x_scale, y_scale} = view.frame
      return [
        box.x + x_scale.compute(data.place[k]), box.y + y_scale.compute(data.ratio[k]),
        data.ratio[k], data.A[k], data.B[k],
      ]
    }
  }
}"""
TAB = "?tab=Approximation&source=point_clouds&preset=small&a=0&b=12"


def answer(page):
    return page.get_by_text(re.compile(r"On this data, .*every pair within"))


def test_it_fills_by_itself_and_answers_in_words(visit):
    page = visit.share(TAB)
    wait_until_full(page, "Approximation")
    assert "M = 24 keeps every pair within 2 %" in answer(page).inner_text()
    page.get_by_text("all 24 diagrams; measured now").wait_for()
    page.get_by_text("the dotted line is guessing").wait_for()


def test_a_clicked_outlier_becomes_the_pair(visit):
    page = visit.share(TAB)
    wait_until_full(page, "Approximation")
    visit.wait_for_link()
    x, y, _, first, second = visit.place_of(OUTLIER)
    pair = f"a={first}&b={second}"
    assert pair not in page.url
    page.mouse.click(x, y)
    visit.wait_for_link(pair)


def test_rule_and_tolerance_change_the_answer(visit):
    page = visit.share(TAB)
    wait_until_full(page, "Approximation")
    choose(page, "Direction rule", "diagonal-aware")
    answer(page).filter(has_text="M = 16 keeps").wait_for()
    page.get_by_text("Measured on all 276 pairs.").wait_for()
    slider = page.get_by_role("slider", name="Tolerance")
    slider.focus()
    for _ in range(10):
        slider.press("ArrowRight")
    page.get_by_text("within 3 %").wait_for()


def test_it_fits_all_screens_in_light_and_dark(visit):
    visit.share(TAB)
    look_at_all_of(visit, "Approximation")
