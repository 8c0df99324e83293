"""The Learn view in a real browser: a machine that follows, and clicks that lead on."""

import io
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from swviz import load
from swviz.app.workspace.state import Workspace
from swviz.learning import load_classifier
from tests.browser.screens import look_at_all_of
from tests.browser.tabs import go_to

TAB = "?tab=Learn&source=point_clouds&preset=small&a=0&b=12"
MODELS = "() => [...Bokeh.documents[0]._all_models.values()]"
DATA = f"""(name) => {{
  const found = ({MODELS})().find((model) => model.name === name && model.data_source)
  return found ? found.data_source.data : null
}}"""
PLACE = f"""([name, index]) => {{
  const plot = ({MODELS})().find((model) => model.type === "Figure"
    && model.renderers.some((renderer) => renderer.name === name))
  const drawn = plot.renderers.find((renderer) => renderer.name === name)
  const view = Bokeh.index.find_one(plot)
  view.canvas_view.el.scrollIntoView({{block: "center"}})
  const box = view.canvas_view.el.getBoundingClientRect()
  const {{x_scale, y_scale}} = view.frame
  const {{x, y, left, right, bottom, top}} = drawn.data_source.data
  const across = x ? x[index] : (left[index] + right[index]) / 2
  const up = y ? y[index] : (bottom[index] + top[index]) / 2
  return [box.x + x_scale.compute(across), box.y + y_scale.compute(up)]
}}"""
TRAINED = f"() => ({DATA})('samples')?.x.length === 24"
ALONE = f"""() => {{
  // The diagram that is farthest from any star.
  const samples = ({DATA})('samples'), stars = ({DATA})('means')
  const far = Array.from(samples.x, (x, k) => Math.min(...Array.from(stars.x,
    (at, j) => Math.hypot(x - at, samples.y[k] - stars.y[j]))))
  return far.indexOf(Math.max(...far))
}}"""
COUNTS = f"() => Array.from(({DATA})('cells')?.count ?? [])"
REACH = f"""() => {{
  const x = Array.from(({DATA})('samples').x)
  return Math.max(...x) - Math.min(...x)
}}"""
NUMBER = """(title) => {
  const texts = []
  const walk = (node) => {
    if (node.nodeName === "STYLE") return
    if (node.nodeType === 3 && node.textContent.trim()) texts.push(node.textContent)
    if (node.shadowRoot) walk(node.shadowRoot)
    for (const child of node.childNodes) walk(child)
  }
  walk(document.body)
  return texts[texts.indexOf(title) + 1]
}"""

HEARS_AT_ONCE = """() => {
  const slider = [...Bokeh.documents[0]._all_models.values()].find(
    (model) => model.class_name === "FloatSlider")
  return [true, false].map((of_react) => {
    let heard = 0
    const hear = () => { heard += 1 }
    slider.watch(null, "label", hear, of_react)
    slider.unwatch(null, "label", hear)
    return heard
  })
}"""


@pytest.fixture
def learn(visit):
    page = visit.share(TAB)
    page.wait_for_function(TRAINED)
    return page


def everything(page):
    page.get_by_text("Runs of this session").wait_for()
    # The grid, the last of what is computed by itself, has been drawn.
    page.wait_for_function(f"() => ({DATA})('best')?.x.length === 1")


@contextmanager
def another_a(visit):
    """Expect that another diagram becomes A."""
    visit.wait_for_link()
    [before] = parse_qs(urlparse(visit.page.url).query)["a"]
    yield
    visit.page.wait_for_function(
        "(a) => new URLSearchParams(window.location.search).get('a') !== a", arg=before
    )


def choose_kernel(page, name):
    # Like a hand: the sidebar's menus lie in shadow trees.
    box = page.get_by_label("Kernel").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("li", has_text=name).last.click()
    page.locator("[role=listbox]").wait_for(state="detached")


def test_a_trained_machine_is_there(learn):
    assert learn.evaluate(NUMBER, "training accuracy") == "100.0 %"
    assert learn.evaluate(NUMBER, "cross-validated") not in ("—", "100.0 %")


def test_the_protocol_runs_and_can_be_cancelled(visit, learn):
    everything(learn)
    button = learn.get_by_role("button", name="Run the paper's protocol")
    button.scroll_into_view_if_needed()
    button.click()
    learn.get_by_role("button", name="Cancel").click()
    learn.get_by_text("Stopped; the runs so far stay.").wait_for()


def test_a_saved_classifier_is_a_plain_file_and_answers_questions(visit, learn):
    everything(learn)
    with learn.expect_download() as download:
        learn.get_by_role("button", name="Save this one").click()
    content = Path(download.value.path()).read_bytes()
    machine = load_classifier(content, "classifier.npz")
    assert len(load(content, "classifier.npz")) == len(machine.samples_) == 16
    dataset = Workspace().dataset
    stream = io.StringIO()
    for birth, death in dataset.in_dimension(1)[2]:
        stream.write(f"{birth},{death}\n")
    mine = {
        "name": "<b>mine</b>.csv",
        "mimeType": "text/csv",
        "buffer": stream.getvalue().encode(),
    }
    # A table that comes while it is out of sight is drawn when it is looked at.
    learn.get_by_text("Diagrams to classify").scroll_into_view_if_needed()
    inputs = learn.locator("input[type=file]")
    saved = {"mimeType": "application/zip", "buffer": content}
    inputs.nth(0).set_input_files([{"name": "saved.npz", **saved}])
    learn.get_by_text("saved.npz answers").wait_for()
    empty = {"name": "empty.csv", "mimeType": "text/csv", "buffer": b""}
    inputs.nth(1).set_input_files([mine, empty])
    learn.get_by_text("empty.csv: the file is empty").wait_for()
    # The third circle itself, if it was trained on, or another one.
    learn.get_by_text("(circle), at").first.wait_for()
    # Markup in a file's name is text.
    learn.get_by_text("<b>mine</b>").first.wait_for()
    visit.keep("learn-classified")
    learn.get_by_role("button", name="Back to this one").click()
    learn.get_by_text("The machine above answers").wait_for()
    learn.get_by_text("<b>mine</b>").first.wait_for(state="hidden")


def test_a_tap_on_the_map_takes_a_pair_or_opens_a_mean(visit, learn):
    everything(learn)
    learn.wait_for_function(f"() => ({DATA})('means')?.x.length === 4")
    # Overlapping diagrams are tapped together: one of them becomes A.
    with another_a(visit):
        learn.mouse.click(*visit.place_of(PLACE, ["samples", learn.evaluate(ALONE)]))
    [before] = parse_qs(urlparse(learn.url).query)["a"]
    learn.mouse.click(*visit.place_of(PLACE, ["means", 0]))
    learn.get_by_text("Mean of circle: 13 points").wait_for()
    # The sample below the star has not been taken.
    learn.get_by_role("button", name="Use as B").click()
    visit.wait_for_link("isB=mean+of+circle")
    assert parse_qs(urlparse(learn.url).query)["a"] == [before]
    learn.get_by_role("button", name="Close", exact=True).click()
    learn.get_by_text("Mean of circle: 13 points").wait_for(state="hidden")


def test_a_confusion_cell_leads_to_its_diagrams_and_to_slices(visit, learn):
    everything(learn)
    counts = learn.evaluate(COUNTS)
    cell = next(k for k, count in enumerate(counts) if count and k % 5)
    with another_a(visit):
        learn.mouse.click(*visit.place_of(PLACE, ["cells", cell]))
        learn.get_by_text("taken for").first.wait_for()
    learn.get_by_role("button", name="Open A and B in Slices").click()
    learn.get_by_text("Turn the line.").wait_for()
    visit.wait_for_link("tab=Slices")
    go_to(learn, "Learn")


def test_each_kernel_has_its_own_bandwidth(visit, learn):
    everything(learn)
    choose_kernel(learn, "k_PSS")
    learn.get_by_text("t of k_PSS: 0.00638").wait_for()
    learn.get_by_text("k_PSS · t = 0.006378 · C = 10").wait_for()
    learn.get_by_text("accuracy against t of k_PSS").wait_for()
    learn.wait_for_function(f"() => ({DATA})('best')?.x.length === 1")
    visit.keep("learn-pss")
    learn.get_by_role("button", name="Tune t and C").click()
    learn.get_by_text("Tuned on the training part: t of k_PSS = ").wait_for()
    learn.get_by_text("t of k_PSS: 0.01").wait_for()
    learn.get_by_text("Bandwidth σ of k_SW: 0.5").wait_for()
    choose_kernel(learn, "k_PWG")
    learn.get_by_text("k_PWG · τ = ").wait_for()
    choose_kernel(learn, "k_SW, M directions")
    learn.get_by_text("k_SW, M directions · M = 12 (paper) · σ = 0.5").wait_for()
    # The other view shows what was tuned here, and changes nothing by being opened.
    learn.get_by_role("tab", name="Distortion").click()
    learn.get_by_text("keeps the order of d₁ best here").wait_for()
    learn.get_by_text("t of k_PSS = 0.01", exact=True).wait_for()
    # Nor does a slider miss a bandwidth that comes while it is being drawn.
    for slider in ("ρ of k_PWG = ", "τ of k_PWG = "):
        learn.get_by_text(slider).wait_for()
    # Whether a change falls into the gap is chance: nobody who follows later misses it.
    assert learn.evaluate(HEARS_AT_ONCE) == [1, 0]
    learn.get_by_text("Bandwidth σ of k_SW: 0.5").wait_for()
    learn.wait_for_function(
        "() => window.location.search.includes('distortion.t=0.01')"
    )
    assert "sigma=0.5&" in learn.url
    go_to(learn, "Learn")


def test_sigma_leads_to_both_ends(visit, learn):
    everything(learn)
    learn.get_by_label("Bandwidth σ").first.focus()
    learn.keyboard.press("Home")
    learn.get_by_text("Overfit: it knows").wait_for()
    visit.keep("learn-overfit")
    learn.keyboard.press("End")
    learn.get_by_text("Useless: it hardly").wait_for()
    learn.wait_for_function(f"() => ({REACH})() < 0.01")
    counts = learn.evaluate(COUNTS)
    # All test diagrams are given one class: one column of the matrix.
    assert sorted(sum(counts[k::4]) for k in range(4)) == [0, 0, 0, 8]
    visit.keep("learn-useless")


def test_tuning_moves_sigma_and_C(visit, learn):
    everything(learn)
    learn.get_by_role("button", name="Tune σ and C").click()
    learn.get_by_text("Tuned on the training part").wait_for()
    learn.get_by_text("Cost factor C: 100").wait_for()
    learn.get_by_text("Bandwidth σ of k_SW: 0.571").wait_for()
    visit.keep("learn-tuned")


def test_a_tap_on_the_grid_uses_its_cell(visit, learn):
    everything(learn)
    visit.wait_until_still()
    learn.mouse.click(*learn.evaluate(PLACE, ["grid", 7 * 9 + 5]))
    learn.get_by_text("Cost factor C: 100").wait_for()
    learn.get_by_text("Bandwidth σ of k_SW: 3.66").wait_for()
    # The frame has followed.
    learn.wait_for_function(
        f"() => ({MODELS})().some((model) => model.name === 'now'"
        " && model.data_source?.data.left?.[0] === 9 - 0.48)"
    )


def test_it_fits_all_screens_in_light_and_dark(visit, learn):
    look_at_all_of(visit, "Learn")
    # The last one wants neither light nor sidebar.
    visit.leave_as(TAB)


def test_diagrams_without_classes_are_met_with_a_message(visit, learn):
    # The last of this page: it has other diagrams from here on.
    visit.shown = None
    everything(learn)
    learn.get_by_role("tab", name="Diagrams").click()
    learn.get_by_role("tab", name="Upload").click()
    # Learn has fields for files, too: that of Diagrams is before them.
    learn.get_by_text("Drop files or a folder here").wait_for()
    learn.get_by_label("Choose files").first.set_input_files(
        [{"name": "two.json", "mimeType": "application/json",
          "buffer": b"[[[0, 1], [0, 2]], [[0, 3]], [[1, 2]]]"}]
    )  # fmt: skip
    learn.get_by_role("button", name="Use this set").click()
    learn.get_by_text("Showing two.json").wait_for()
    learn.get_by_role("tab", name="Learn").click()
    learn.get_by_text("These diagrams have no classes").wait_for()
    learn.wait_for_function(f"() => ({DATA})('samples')?.x.length === 3")
    # The generator of Diagrams, which is hidden, offers circles still.
    circles = learn.get_by_text("circle", exact=True).filter(visible=True)
    expect(circles).to_have_count(0)
    learn.get_by_text("no classes", exact=True).first.wait_for()
    visit.keep("learn-no-classes")
