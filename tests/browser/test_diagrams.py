"""The Diagrams view in a real browser."""

import pytest

PLANE = """() => [...Bokeh.documents[0]._all_models.values()].find((model) =>
    model.type === "Figure" && model.below[0]?.axis_label === "birth"
    && model.renderers.some((renderer) => renderer.name === "A"))"""
BARS = PLANE.replace('=== "birth"', '?.startsWith("level t")')
ON_SCREEN = """([find, layer, x, y, index]) => {
  const plot = eval(find)()
  const view = Bokeh.index.find_one(plot)
  const source = plot.renderers.find((renderer) => renderer.name === layer).data_source
  const middle = (columns) => columns.map((column) => source.data[column][index])
    .reduce((sum, value) => sum + value, 0) / columns.length
  view.canvas_view.el.scrollIntoView({block: "center"})
  const box = view.canvas_view.el.getBoundingClientRect()
  return [box.x + view.frame.x_scale.compute(middle(x)),
          box.y + view.frame.y_scale.compute(middle(y))]
}"""
HOVERED = f"""(layer) => ({PLANE})().renderers
    .find((renderer) => renderer.name === layer).data_source.inspected.indices"""


def upload(page, *files):
    page.get_by_role("tab", name="Upload").click()
    page.locator("input[type=file]").first.set_input_files(
        [
            {"name": name, "mimeType": "text/csv", "buffer": content}
            for name, content in files
        ]
    )


def choose(page, field, option):
    page.get_by_label(field, exact=True).click()
    page.locator("li[role=option], li").filter(has_text=option).first.click()


def test_a_good_and_a_bad_file(visit):
    page = visit.open("?tab=Diagrams")
    upload(page, ("good.csv", b"0,1\n0.5,2\n"), ("bad.csv", b"0,1\nzero,2\n"))
    page.get_by_text("bad.csv, line 2").wait_for()
    page.get_by_text("Read good.csv").wait_for()
    page.get_by_text("A · good").wait_for()
    visit.keep("diagrams-upload")
    visit.assert_calm()


def test_markup_in_names_is_shown_and_not_run(visit):
    page = visit.open("?tab=Diagrams")
    name = "<img src=x onerror=window.broken=1>"
    # The file's name becomes the title of the set and the name of its sample.
    upload(page, (f"{name}.csv", b"0,1\n0.5,2\n"))
    page.get_by_text("Read <img").wait_for()
    page.wait_for_timeout(1000)
    assert page.evaluate("window.broken") is None


def test_generate_makes_one_set_after_another(visit):
    page = visit.open("?tab=Diagrams")
    for source, preset, first in (
        ("Functions on a line", "figure 1", "A · figure 1: f"),
        ("Random diagrams", "", "A · "),
        ("Functions on a line", "figure 1", "A · figure 1: f"),
    ):
        choose(page, "Source", source)
        # At once, while the fields of the source are still being built.
        page.get_by_role("button", name="Generate", exact=True).click()
        page.get_by_text(f"{source} · {preset}").first.wait_for()
        page.get_by_text(first).first.wait_for()
    page.wait_for_timeout(1000)
    visit.keep("diagrams-functions")
    visit.assert_calm()


def test_a_long_job_can_be_cancelled(visit):
    page = visit.open("?tab=Diagrams")
    choose(page, "Source", "Linked twist map orbits")
    choose(page, "Preset", "paper")
    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled; the data set on show is unchanged.").wait_for()
    assert page.get_by_text("Point clouds · small").is_visible()
    visit.assert_calm()


@pytest.mark.parametrize("layer", ["A", "B"])
def test_hovering_a_bar_lights_its_point(visit, layer):
    page = visit.open("?tab=Diagrams&source=functions&preset=figure+1", height=1000)
    page.get_by_text("A · figure 1: f").wait_for()
    page.wait_for_function(f"() => Bokeh.index.find_one(({BARS})()) != null")
    for index in (2, 0):
        where = [BARS, layer, ["birth", "death"], ["y"], index]
        for _ in range(50):  # the plot may still be on its way to its place
            x, y = page.evaluate(ON_SCREEN, where)
            page.mouse.move(x - 3, y - 3)
            page.mouse.move(x, y, steps=3)
            page.wait_for_timeout(100)
            if page.evaluate(HOVERED, layer) == [index]:
                break
        assert page.evaluate(HOVERED, layer) == [index]
    visit.assert_calm()


AXES_IN_PLACE = """() => {
  const plots = [...Bokeh.documents[0]._all_models.values()]
    .filter((model) => model.type === "Figure" && model.x_range.end === 1.05)
  const {left, bottom} = Bokeh.index.find_one(plots[0]).frame.bbox
  const {height} = Bokeh.index.find_one(plots[0]).bbox
  return left > 20 && height - bottom > 20
}"""


def test_a_drawn_diagram_becomes_a(visit):
    page = visit.open("?tab=Diagrams", height=1000)
    page.get_by_role("tab", name="Draw your own").click()
    board = page.get_by_role("button", name="Use as A")
    board.wait_for()
    # Axes have their places, and stay there.
    page.wait_for_function(AXES_IN_PLACE)
    page.wait_for_timeout(800)
    page.wait_for_function(AXES_IN_PLACE)
    canvas = page.locator(".bk-Canvas").first
    box = canvas.bounding_box()
    for dx, dy in ((0.3, 0.3), (0.45, 0.25), (0.6, 0.8)):
        page.mouse.click(
            box["x"] + dx * box["width"], box["y"] + dy * box["height"], delay=60
        )
        page.wait_for_timeout(400)
    board.click()
    page.get_by_text("A · edited").wait_for()
    page.wait_for_function(
        f"""() => ({PLANE})().renderers.find((renderer) => renderer.name === "A")
            .data_source.data.birth.length === 3"""
    )
    visit.keep("diagrams-drawn")
    visit.assert_calm()
