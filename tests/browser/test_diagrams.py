"""The Diagrams view in a real browser."""

from urllib.parse import urlparse

import pytest

from tests.browser.screens import look_at_all_of
from tests.browser.tabs import choose, wait_for_tab

TAB = "?tab=Diagrams&source=point_clouds&preset=small&a=0&b=12"
MAKING = "Making Linked twist map orbits"
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


KEPT = "(sessionStorage.getItem('swviz-workspace') ?? '')"


def upload(page, *files):
    page.get_by_role("tab", name="Upload").click()
    page.locator("input[type=file]").first.set_input_files(
        [
            {"name": name, "mimeType": "text/csv", "buffer": content}
            for name, content in files
        ]
    )


def use(page):
    page.get_by_role("button", name="Use this set").click()


def show_functions(page):
    """Have the pair of Figure 1 be on show, if it is not."""
    page.get_by_role("tab", name="Generate", exact=True).click()
    if page.get_by_text("A · figure 1: f").first.is_visible():
        return
    choose(page, "Source", "Functions on a line")
    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_text("A · figure 1: f").first.wait_for()


def test_a_long_job_can_be_cancelled(visit, endless_orbits):
    page = visit.share(TAB)
    choose(page, "Source", "Linked twist map orbits")
    choose(page, "Preset", "paper")
    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("Cancelled; the data set on show is unchanged.").wait_for()
    assert page.get_by_text("Point clouds · small").is_visible()


def test_files_are_told_of_looked_at_and_used(visit):
    page = visit.share(TAB)
    pets = [f"{pet}_{k}.csv" for pet in ("cat", "dog") for k in range(3)]
    upload(
        page,
        *[(name, b"0,1\n0.5,2\n") for name in pets],
        ("bad.csv", b"0,1\nzero,2\n"),
        ("empty.csv", b""),
        ("letter.docx", b"PK\x03\x04 no zip"),
    )
    page.get_by_text("bad.csv, line 2").wait_for()
    page.get_by_text("empty.csv: the file is empty").wait_for()
    page.get_by_text("letter.docx: a .docx file cannot be read").wait_for()
    page.get_by_text("2 classes: cat (3), dog (3)").wait_for()
    assert page.get_by_text("Uploaded").count() == 0
    assert page.get_by_text("Point clouds · small").is_visible()
    # Another class and another dimension, before the set is used.
    page.locator(".tabulator-cell[tabulator-field=class]").nth(1).click()
    page.keyboard.press("Control+A")
    page.keyboard.type("lion")
    page.keyboard.press("Enter")
    page.get_by_text("lion (1)").wait_for()
    choose(page, "Dimension if not stated", "H2")
    page.get_by_text("taken as H2, as chosen").wait_for()
    visit.keep("diagrams-upload")
    # The card is higher than the window, and lies over no other.
    hint = page.get_by_text("Click a class to type another one.").bounding_box()
    below = page.get_by_text("What they were computed from").bounding_box()
    assert hint["y"] + hint["height"] < below["y"]
    use(page)
    page.get_by_text("6 diagrams · 3 classes · 12 points in H2").first.wait_for()
    page.get_by_text("A · cat_0").wait_for()
    assert page.get_by_text("bad.csv").count() == 0
    # A second upload, of one bad file; its message goes with the next good one.
    upload(page, ("none.csv", b""))
    page.get_by_text("none.csv: the file is empty").wait_for()
    upload(page, ("good.csv", b"0,1\n0.5,2\n"))
    page.get_by_text("good.csv does not say the homology dimension").wait_for()
    assert page.get_by_text("none.csv").count() == 0
    use(page)
    page.get_by_text("A · good").wait_for()


def test_markup_in_names_is_shown_and_not_run(visit):
    page = visit.share(TAB)
    name = "<img src=x onerror=window.broken=1>"
    # The file's name becomes the title of the set and the name of its sample; the
    # class comes from it, too.
    files = [(f"{name}{k}.csv", b"0,1\n0.5,2\n") for k in range(2)]
    upload(page, *files, ("other.csv", b"0,1\n"), (f"{name}.csv", b"no,table\n"))
    page.get_by_text("2 classes: <img").wait_for()
    visit.wait_until_still()
    use(page)
    page.get_by_text("A · <img").wait_for()
    visit.wait_until_still()
    # An image that was made of it would be there, and would have asked for its source.
    assert page.locator("img[src=x]").count() == 0
    assert page.evaluate("window.broken") is None


DROP = """(input, entries) => {
    // As the browser hands over what is dropped: a text is a file's content, a list a
    // folder's, and nothing can be read of null.
    const entry = ([name, content]) => ({
        name,
        isFile: !Array.isArray(content),
        file: (yes, no) => content === null
            ? no(new DOMException("gone", "NotFoundError"))
            : yes(new File([content], name)),
        createReader: () => {
            const rest = [content.map(entry), []]
            return {readEntries: (yes) => yes(rest.shift())}
        },
    })
    const event = new Event("drop")
    event.dataTransfer = {
        items: entries.map((item) => ({webkitGetAsEntry: () => entry(item)})),
        files: [],
    }
    input.closest(".zone").dispatchEvent(event)
}"""


def test_of_a_dropped_folder_every_file_is_read_or_told_of(visit):
    page = visit.share(TAB)
    page.get_by_role("tab", name="Upload").click()
    hidden = [(f"._{k}", "") for k in range(600)]
    pets = [(f"{pet}_{k}.csv", "0,1\n") for pet in ("cat", "dog") for k in range(2)]
    page.locator("input[type=file]").first.evaluate(
        DROP, [("pets", [*hidden, ("gone.csv", None), *pets]), ("pets", pets[:1])]
    )
    page.get_by_text("pets/gone.csv: could not be read by the browser").wait_for()
    page.get_by_text("cat_0 (2)", exact=True).first.wait_for()


def test_every_way_to_get_data_works_on_each_visit(visit):
    page = visit.share(TAB)
    shown = {
        "Generate": page.get_by_role("button", name="Generate", exact=True),
        "Upload": page.get_by_text("Choose files"),
        "Draw your own": page.get_by_role("button", name="Use as A"),
    }
    for way in ("Upload", "Generate", "Draw your own", "Upload", "Draw your own",
                "Generate"):  # fmt: skip
        page.get_by_role("tab", name=way, exact=True).click()
        shown[way].wait_for()
        for other, part in shown.items():
            if other != way:
                part.wait_for(state="hidden")
    # One click opens all parameters of point clouds.
    page.get_by_role("button", name="Parameters").click()
    seed = page.get_by_text("Seed:")
    seed.wait_for()
    visit.wait_until_still()
    box = seed.bounding_box()
    card = page.locator(".MuiAccordion-root").bounding_box()
    assert box["y"] + box["height"] < card["y"] + card["height"]
    choose(page, "Source", "Functions on a line")
    shown["Generate"].click()
    page.get_by_text("A · figure 1: f").first.wait_for()


def test_generate_makes_one_set_after_another(visit):
    page = visit.share(TAB)
    page.get_by_role("tab", name="Generate", exact=True).click()
    # After those that the test before has made.
    for source, preset, first in (
        ("Random diagrams", "", "A · "),
        ("Functions on a line", "figure 1", "A · figure 1: f"),
    ):
        choose(page, "Source", source)
        # At once, while the fields of the source are still being built.
        page.get_by_role("button", name="Generate", exact=True).click()
        page.get_by_text(f"{source} · {preset}").first.wait_for()
        page.get_by_text(first).first.wait_for()
    visit.wait_until_still()
    visit.keep("diagrams-functions")


@pytest.mark.parametrize("layer", ["A", "B"])
def test_hovering_a_bar_lights_its_point(visit, layer):
    page = visit.share(TAB)
    page.set_viewport_size({"width": 1280, "height": 1000})
    show_functions(page)
    page.wait_for_function(f"() => Bokeh.index.find_one(({BARS})()) != null")
    for index in (2, 0):
        x, y = visit.place_of(
            ON_SCREEN, [BARS, layer, ["birth", "death"], ["y"], index]
        )
        page.mouse.move(x - 3, y - 3)
        page.mouse.move(x, y, steps=3)
        page.wait_for_function(
            f"([layer, index]) => String(({HOVERED})(layer)) === String(index)",
            arg=[layer, index],
        )


GALLERY = """() => [...Bokeh.documents[0]._all_models.values()].find((model) =>
    model.type === "Figure"
    && model.renderers.some((renderer) => renderer.name === "diagrams"))"""


def test_a_click_in_the_gallery_chooses_a_and_frames_it(visit):
    page = visit.share(TAB)
    page.set_viewport_size({"width": 1280, "height": 1000})
    show_functions(page)
    visit.wait_until_still()
    place = [GALLERY, "diagrams", ["x0", "x1"], ["y0", "y1"], 1]
    x, y = page.evaluate(ON_SCREEN, place)
    page.mouse.click(x, y)
    page.get_by_text("A · figure 1: g").wait_for()
    page.wait_for_function(
        f"""() => ({GALLERY})().renderers.find(({{name}}) => name === "diagrams")
            .data_source.data.width[1] === 3"""
    )


def test_a_click_on_a_mean_takes_it_and_so_does_its_link(visit):
    page = visit.share(TAB)
    page.set_viewport_size({"width": 1280, "height": 1000})
    show_functions(page)
    found = f"""() => ({GALLERY})().renderers.find(({{name}}) => name === "means")
        .data_source.data.sample?.[0]"""
    # It comes by itself.
    page.wait_for_function(f"{found}?.startsWith('mean of')")
    name = page.evaluate(found)
    visit.wait_until_still()
    place = [GALLERY, "means", ["x0", "x1"], ["y0", "y1"], 0]
    page.mouse.click(*page.evaluate(ON_SCREEN, place))
    page.get_by_text(f"A · {name}").wait_for()
    visit.wait_for_link("isA=mean+of")
    visit.keep("diagrams-mean")
    # The sample that A was before, for the tests that share the page.
    place[1], place[4] = "diagrams", 0
    page.mouse.click(*page.evaluate(ON_SCREEN, place))
    page.get_by_text("A · figure 1: f").wait_for()


BOARD = """() => [...Bokeh.documents[0]._all_models.values()]
    .find((model) => model.type === "Figure"
      && model.toolbar.tools.some((tool) => tool.type === "PointDrawTool"))"""
AXES_IN_PLACE = f"""() => {{
  const view = Bokeh.index.find_one(({BOARD})())
  const {{left, bottom}} = view.frame.bbox
  return left > 20 && view.bbox.height - bottom > 20
}}"""
FRAME = f"""() => {{
  const view = Bokeh.index.find_one(({BOARD})())
  const box = view.canvas_view.el.getBoundingClientRect()
  const {{left, top, width, height}} = view.frame.bbox
  return [box.x + left, box.y + top, width, height]
}}"""
DRAWN = f"""() => {{
  const {{data}} = ({BOARD})().renderers
    .map((renderer) => renderer.data_source)
    .find((source) => "birth" in source.data)
  return [[...data.birth], [...data.death]]
}}"""


def test_a_drawn_diagram_becomes_a(visit):
    page = visit.share(TAB)
    page.set_viewport_size({"width": 1280, "height": 1000})
    show_functions(page)
    page.get_by_role("tab", name="Draw your own").click()
    board = page.get_by_role("button", name="Use as A")
    board.wait_for()
    # Axes have their places, and stay there.
    page.wait_for_function(AXES_IN_PLACE)
    visit.wait_until_still()
    page.wait_for_function(AXES_IN_PLACE)
    left, top, width, height = page.evaluate(FRAME)
    places = ((0.3, 0.3), (0.45, 0.25), (0.6, 0.8))
    for number, (across, down) in enumerate(places, start=1):
        page.mouse.click(left + across * width, top + down * height, delay=60)
        # The last is below the diagonal: the server puts it above.
        page.wait_for_function(
            f"""(number) => {{
              const [birth, death] = ({DRAWN})()
              return birth.length === number && birth.every((b, k) => b < death[k])
            }}""",
            arg=number,
        )
        # Bokeh takes a click that comes sooner for the second of a double click.
        page.wait_for_timeout(400)
    board.click()
    page.get_by_text("A · edited").wait_for()
    assert page.get_by_text("B · figure 1: g").is_visible()
    assert page.get_by_text("edited by hand").count() == 1
    page.wait_for_function(
        f"""() => ({PLANE})().renderers.find((renderer) => renderer.name === "A")
            .data_source.data.birth.length === 3"""
    )
    visit.keep("diagrams-drawn")


def test_it_fits_all_screens_in_light_and_dark(visit):
    page = visit.share(TAB)
    page.get_by_role("tab", name="Generate", exact=True).click()
    look_at_all_of(visit, "Diagrams")
    # The others want neither light nor sidebar.
    visit.leave_as(TAB)


def test_a_job_shows_on_every_tab_and_a_reload_says_that_it_was_lost(
    visit, endless_orbits
):
    page = visit.share(TAB)
    visit.wait_for_link()
    page.set_viewport_size({"width": 1280, "height": 500})
    page.get_by_role("tab", name="Generate", exact=True).click()
    choose(page, "Source", "Linked twist map orbits")
    choose(page, "Preset", "paper")
    page.get_by_role("button", name="Generate", exact=True).click()
    page.get_by_text(MAKING).wait_for()
    elsewhere = page.get_by_text(f"Diagrams: {MAKING}")
    assert not elsewhere.is_visible()
    page.get_by_role("tab", name="Slices").click()
    elsewhere.wait_for()
    page.get_by_text("this slice").first.wait_for()
    page.locator(".main-content").evaluate("e => e.scrollTo(0, 400)")
    assert 40 < elsewhere.bounding_box()["y"] < 120
    visit.keep("job-elsewhere")
    page.get_by_role("button", name="Show", exact=True).click()
    wait_for_tab(page, "Diagrams")
    elsewhere.wait_for(state="hidden")
    page.reload()
    page.get_by_text(
        "Lost, because this page was left while at work: Making"
    ).wait_for()
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_link_to_an_uploaded_set_says_so_and_asks_for_the_file(visit):
    rows = "".join(f"{k},{k + 1}\n" for k in range(70)).encode()
    file = {"name": "mine <b>.csv", "mimeType": "text/csv", "buffer": rows}
    page = visit.share(TAB)
    page.get_by_role("tab", name="Upload").click()
    page.locator("input[type=file]").first.set_input_files([file])
    page.get_by_role("button", name="Use this set").click()
    page.get_by_text("Showing mine <b>.csv").wait_for()
    visit.wait_for_link("source=upload")
    page.get_by_role("button", name="Link", exact=True).click()
    page.get_by_text("Copied. It carries no file: the uploaded set “mine").wait_for()
    # Opened by somebody else: this window would still have the set.
    page.wait_for_function(f"() => {KEPT}.includes('mine <b>')")
    page.evaluate("() => sessionStorage.clear()")
    visit.open("?" + urlparse(page.url).query.replace("tab=Diagrams", "tab=Slices"))
    told = page.get_by_text("This link leads to the uploaded set “mine <b>.csv”")
    told.wait_for()
    visit.keep("link-of-an-upload")
    # Nor is it forgotten with the next reload.
    visit.wait_for_link("source=upload", "title=mine")
    page.get_by_role("button", name="Load the file").click()
    wait_for_tab(page, "Diagrams")
    page.get_by_role("tab", name="Upload", selected=True).wait_for()
    page.locator("input[type=file]").first.set_input_files([file])
    page.get_by_role("button", name="Use this set").click()
    page.get_by_text("Showing mine <b>.csv").wait_for()
    told.wait_for(state="detached")
