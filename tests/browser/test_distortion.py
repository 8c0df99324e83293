"""The Distortion view in a real browser."""

import re
from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest

from swviz import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.state import DEFAULT_PRESET, DEFAULT_SOURCE
from tests.browser.screens import look_at_all_of
from tests.browser.tabs import go_to, wait_for_layers, wait_for_tab

TAB = "?tab=Distortion"
SLOW = (
    "?tab=Distortion&source=random_diagrams&preset=uniform"
    "&with=%7B%22n_points%22%3A500%7D"
)

PLOT = """(label) => [...Bokeh.documents[0]._all_models.values()].find(
  (model) => model.type === "Figure" && model.left[0]?.axis_label.startsWith(label))"""
DATA = f"""() => {{
  const plot = ({PLOT})("distance in")
  if (plot == null) return null
  const data = plot.renderers.find((one) => one.name === "k_sw").data_source.data
  return Object.fromEntries(Object.entries(data).map(([k, v]) => [k, [...v]]))
}}"""
PLACE_OF = f"""([row, column]) => {{
  const plot = ({PLOT})("distance in")
  const view = Bokeh.index.find_one(plot)
  view.canvas_view.el.scrollIntoView({{block: "center"}})
  const data = plot.renderers.find((one) => one.name === column).data_source.data
  const box = view.canvas_view.el.getBoundingClientRect()
  const {{x_scale, y_scale}} = view.frame
  return [
    box.x + x_scale.compute(data.d1[row]), box.y + y_scale.compute(data[column][row])
  ]
}}"""
RINGS = f"""() => {{
  const ring = ({PLOT})("SW").renderers.find((one) => one.name === "ring-sw")
  const {{data}} = ring.data_source
  return Object.fromEntries(Object.entries(data).map(([k, v]) => [k, [...v]]))
}}"""
COUNT = f"() => ({DATA})()?.d1.length ?? 0"
# Where the last dots lie: nothing is drawn over them.
PLACE = f"""(row) => {{
  const plot = ({PLOT})("SW")
  const view = Bokeh.index.find_one(plot)
  view.canvas_view.el.scrollIntoView({{block: "center"}})
  const data = plot.renderers.find((one) => one.name === "sw").data_source.data
  const box = view.canvas_view.el.getBoundingClientRect()
  const {{x_scale, y_scale}} = view.frame
  return [box.x + x_scale.compute(data.d1[row]), box.y + y_scale.compute(data.sw[row])]
}}"""
RENAME = f"""([row, name]) => {{
  const plot = ({PLOT})("SW")
  const source = plot.renderers.find((one) => one.name === "sw").data_source
  source.data.a[row] = name
}}"""


def wait_for_pairs(page, count):
    page.wait_for_function(f"(count) => ({COUNT})() === count", arg=count)
    # The figure is drawn when the numbers below it are.
    page.get_by_text("keeps the order of d₁ best here").wait_for()


@pytest.fixture
def opened(visit):
    page = visit.share(TAB)
    wait_for_pairs(page, 496)
    visit.wait_until_still()
    return page


def lonely_row(data):
    """Return the pair that is farthest from all others in the SW plot."""
    points = np.array([data["d1"], data["sw"]]).T / np.max(
        [data["d1"], data["sw"]], axis=1
    )
    between = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(between, np.inf)
    return int(between.min(axis=1).argmax())


def test_the_default_set_is_shown_by_itself(opened, visit):
    data = opened.evaluate(DATA)
    several = recipe(DEFAULT_SOURCE, DEFAULT_PRESET)().in_dimension(1)
    i, j = data["i"], data["j"]
    np.testing.assert_allclose(data["d1"], diagram_distance_matrix(several)[i, j])
    sw = sliced_wasserstein_matrix(several, n_directions="exact")
    np.testing.assert_allclose(data["sw"], sw[i, j], rtol=1e-9)
    opened.get_by_text(
        "496 of 1,770 pairs: all those of 32 diagrams drawn from 60"
    ).wait_for()


def test_it_fits_all_screens_in_light_and_dark(opened, visit):
    look_at_all_of(visit, "Distortion")
    # The others are in the dark, but not without the sidebar.
    opened.get_by_role("button", name="Open drawer").click()
    visit.leave_as(TAB)


def test_hovering_names_the_pair_as_text(opened, visit):
    data = opened.evaluate(DATA)
    row = lonely_row(data)
    evil = "<img class='evil' src='data:,'>"
    opened.evaluate(RENAME, [row, evil])
    opened.mouse.move(*visit.place_of(PLACE, row), steps=3)
    opened.get_by_text(evil).wait_for()
    opened.get_by_text(data["b"][row], exact=True).last.wait_for()
    assert opened.locator("img.evil").count() == 0
    # A ring marks the pair in both plots, without drawing all dots again.
    assert opened.evaluate(RINGS) == {
        name: [data[name][row]]
        for name in ("d1", "sw", "k_pss", "k_pwg", "k_sw", "k_d1")
    }
    opened.mouse.move(5, 5)
    opened.wait_for_function(f"() => ({RINGS})().d1.length === 0")
    opened.evaluate(RENAME, [row, data["a"][row]])


@pytest.mark.parametrize("column", ["k_pss", "k_d1"])
def test_dots_of_every_kernel_are_ringed(opened, visit, column):
    data = opened.evaluate(DATA)
    points = np.array([data["d1"], np.log10(data[column])], dtype=float).T
    # The topmost dots of a kernel: few others are near.
    row = int(np.argmax(points[:, 1] - 0.5 * points[:, 0] / points[:, 0].max()))
    opened.mouse.move(*visit.place_of(PLACE_OF, [row, column]), steps=3)
    opened.wait_for_function(f"() => ({RINGS})().d1.length === 1")
    ring = opened.evaluate(RINGS)
    # Another dot may lie on top: some pair at this very place.
    np.testing.assert_allclose(ring["d1"][0], data["d1"][row], atol=0.01)


def test_a_slider_bends_its_kernel_and_nothing_else(opened):
    before = opened.evaluate(DATA)
    slider = opened.get_by_role("slider", name="σ of the Gaussian on d₁")
    slider.focus()
    slider.press("ArrowRight")
    opened.wait_for_function(
        f"(old) => ({DATA})().k_d1[0] !== old", arg=before["k_d1"][0]
    )
    after = opened.evaluate(DATA)
    assert after["k_sw"] == before["k_sw"]
    assert after["k_d1"][0] < before["k_d1"][0]
    slider = opened.get_by_role("slider", name="t of k_PSS")
    slider.focus()
    slider.press("ArrowRight")
    opened.wait_for_function(
        f"(old) => ({DATA})().k_pss[0] !== old", arg=before["k_pss"][0]
    )


def test_six_diagrams_show_a_negative_eigenvalue(opened, visit):
    opened.get_by_role("button", name="Six built-in diagrams").click()
    opened.get_by_text("The Gaussian on d₁ is below zero between").wait_for()
    opened.get_by_text("Smallest eigenvalue over").scroll_into_view_if_needed()
    visit.keep("distortion-six")


def test_a_click_on_a_dot_opens_its_pair_in_slices(opened, visit):
    data = opened.evaluate(DATA)
    row = lonely_row(data)
    opened.mouse.click(*visit.place_of(PLACE, row))
    opened.wait_for_function("() => window.location.search.includes('tab=Slices')")
    query = parse_qs(urlparse(opened.url).query)
    assert query["a"] == [str(data["i"][row])]
    assert query["b"] == [str(data["j"][row])]
    opened.get_by_text("Turn the line.").wait_for()
    opened.go_back()
    wait_for_tab(opened, "Distortion")


def test_a_box_lists_its_pairs(opened, visit):
    place = visit.place_of(PLACE, lonely_row(opened.evaluate(DATA)))
    # Tools show when the pointer is over their plot.
    opened.mouse.move(*place)
    opened.locator(".bk-tool-icon-box-select").filter(visible=True).last.click()
    opened.mouse.move(place[0] - 12, place[1] - 12)
    opened.mouse.down()
    opened.mouse.move(place[0] + 12, place[1] + 12, steps=4)
    opened.mouse.up()
    opened.get_by_text("selected pair").wait_for()
    visit.keep("distortion-selected")


def test_pairs_arrive_one_after_the_other_and_cancel_keeps_them(visit):
    page = visit.share(SLOW)
    page.wait_for_function(f"() => ({COUNT})() > 0 && ({COUNT})() < 190")
    some = page.evaluate(COUNT)
    page.wait_for_function(f"(some) => ({COUNT})() > some", arg=some)
    page.get_by_role("button", name="Cancel").locator("visible=true").click()
    page.get_by_role("button", name="Continue").wait_for()
    visit.keep("distortion-cancelled")
    kept = page.evaluate(COUNT)
    assert some < kept < 190
    page.get_by_text("are here so far").wait_for()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_function(f"(kept) => ({COUNT})() > kept", arg=kept)
    page.get_by_role("button", name="Cancel").filter(visible=True).click()
    page.get_by_role("button", name="Continue").wait_for()


def test_approximation_keeps_the_pairs_that_are_done_when_cancelled(visit):
    # Exact distances of so many points take long enough to be stopped.
    page = visit.share(SLOW)
    go_to(page, "Approximation")
    page.get_by_text(re.compile("pairs so far")).wait_for()
    page.get_by_role("button", name="Cancel").filter(visible=True).click()
    page.get_by_text(re.compile("stopped; .* were asked for")).wait_for()
    wait_for_layers(page, "boxes")
