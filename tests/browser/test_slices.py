"""The Slices view in a real browser: saved, with no server behind it, and served."""

import json
import threading

import numpy as np
import pytest

from swviz import directions, slice_costs, sliced_wasserstein
from swviz.app.tabs.slices import view as slices
from swviz.app.tabs.slices.view import SliceView
from swviz.app.tabs.slices.way import find_way
from swviz.app.workspace.state import Workspace
from tests.browser.screens import look_at_all_of
from tests.browser.tabs import choose
from tests.browser.walk import walk
from tests.strategies import pairs_of

A, B = pairs_of("uniform", 12, 9, seed=1)
TAB = "?tab=Slices"

MODEL = """(type, name) => Bokeh.documents
    .flatMap((one) => [...one._all_models.values()])
    .filter((model) => model.type === type && (!name || model.name === name))"""
ANGLE = f"() => ({MODEL})('Slider').find(({{start}}) => start === -90).value"
SLICE = f"""() => {{
  const texts = ({MODEL})('Div').map((model) => model.text)
  const found = texts.find((text) => text.includes('this slice'))
  return Number(/>([^<>]+)<\\/div><div[^>]*>this slice/.exec(found)[1])
}}"""
APPROXIMATE = SLICE.replace("this slice", "M directions")
POSITION = f"""() => {{
  const plots = ({MODEL})("Figure")
  const plane = plots.find((plot) => plot.below[0]?.axis_label === "birth")
  const view = Bokeh.index.find_one(plane)
  const points = plane.renderers.find((renderer) => renderer.name === 'A').data_source
  const birth = points.data.birth[5], death = points.data.death[5]
  const box = view.canvas_view.el.getBoundingClientRect()
  const {{x_scale, y_scale}} = view.frame
  return [box.x + x_scale.compute(birth), box.y + y_scale.compute(death), birth, death]
}}"""


LAYER = f"""(name) => {{
  const layers = ({MODEL})("Figure").flatMap((plot) => plot.renderers)
  const {{data}} = layers.filter((layer) => layer.name === name).at(-1).data_source
  return Object.fromEntries(Object.entries(data).map(([key, values]) =>
    [key, Array.from(values)]))
}}"""


def angles_of_changes():
    """Degrees at which two points of A + π(B), or of B + π(A), fall together."""
    angles = []
    for own, other in ((A, B), (B, A)):
        feet = np.repeat(other.mean(axis=1, keepdims=True), 2, axis=1)
        points = np.concatenate([own, feet])
        first, second = np.triu_indices(len(points), 1)
        dx, dy = (points[first] - points[second]).T
        angles.append(np.degrees(np.arctan2(dy, dx)) + 90)
    return np.concatenate(angles)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Where a page of the pair has been saved."""
    path = tmp_path_factory.mktemp("saved") / "slices.html"
    SliceView(A, B).save(path)
    return path.as_uri()


@pytest.fixture
def saved(visit, address):
    """The saved page as it is when it has been opened: it plays."""
    page = visit.page
    if visit.shown != address:
        page.set_viewport_size({"width": 1280, "height": 1000})
        page.emulate_media(reduced_motion="no-preference")
        page.goto(address)
    page.get_by_role("button", name="Pause").wait_for()
    visit.shown = address
    return page


def pause(page):
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").wait_for()


def play(page):
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()


def test_play_turns_the_line_and_agrees_with_the_library(saved):
    start = saved.evaluate(ANGLE)
    saved.wait_for_function(f"(start) => Math.abs(({ANGLE})() - start) > 5", arg=start)
    pause(saved)
    degrees = saved.evaluate(ANGLE)
    expected = slice_costs(A, B, np.radians(degrees))[0]
    assert saved.evaluate(SLICE) == pytest.approx(expected, rel=1e-3)
    expected = sliced_wasserstein(A, B, 12)
    assert saved.evaluate(APPROXIMATE) == pytest.approx(expected, rel=1e-3)
    play(saved)


def test_keys_play_and_turn(saved):
    saved.mouse.click(5, 5)
    saved.keyboard.press("Space")
    saved.get_by_role("button", name="Play").wait_for()
    before = saved.evaluate(ANGLE)
    saved.keyboard.press("ArrowLeft")
    assert saved.evaluate(ANGLE) == pytest.approx(max(before - 1, -90))
    changes = angles_of_changes()
    for key, forth in (("e", 1), ("e", 1), ("Shift+E", -1)):
        before = saved.evaluate(ANGLE)
        saved.keyboard.press(key)
        ahead = forth * (changes - before) % 180
        expected = forth * ahead[ahead > 1e-4].min()
        assert (saved.evaluate(ANGLE) - before) % 180 == pytest.approx(expected % 180)
        assert len(saved.evaluate(LAYER, "meeting")["t"]) == 1
    sampled = np.degrees(directions(12))
    for key, forth in (("m", 1), ("m", 1), ("Shift+M", -1)):
        before = saved.evaluate(ANGLE)
        saved.keyboard.press(key)
        ahead = forth * (sampled - before) % 180
        expected = forth * ahead[(ahead > 1e-4) & (ahead < 180 - 1e-4)].min()
        assert (saved.evaluate(ANGLE) - before) % 180 == pytest.approx(expected % 180)
        assert len(saved.evaluate(LAYER, "bar now")["top"]) == 1
    assert saved.evaluate(LAYER, "meeting")["t"] == []
    saved.keyboard.press("x")
    highest = slice_costs(A, B, np.linspace(-np.pi / 2, np.pi / 2, 20001)).max()
    found = slice_costs(A, B, np.radians(saved.evaluate(ANGLE)))[0]
    # The engine knows where the curve bends, between the places looked at here.
    assert highest <= found <= (1 + 1e-4) * highest
    assert saved.evaluate(LAYER, "most expensive")["w"] == pytest.approx([found])
    speed = f"() => ({MODEL})('Select')[0].value"
    for key, expected in (("+", "2"), ("+", "4"), ("+", "4"), ("-", "2"), ("-", "1")):
        saved.keyboard.press(key)
        assert saved.evaluate(speed) == expected
    play(saved)


def test_a_flows_to_b_without_a_server(saved):
    pause(saved)
    before = saved.evaluate(APPROXIMATE)
    saved.get_by_role("button", name="Let A flow to B").click()
    scrubber = saved.get_by_role("slider", name="Step of the flow")
    # At once, where it is already: a key on the slider holds the flow.
    scrubber.press("Home")
    saved.get_by_role("button", name="▶ Flow").wait_for()
    scrubber.press("End")
    saved.wait_for_function(
        f"(before) => ({APPROXIMATE})() < 0.01 * before", arg=before
    )
    saved.get_by_role("button", name="Back to A").click()
    saved.wait_for_function(f"(before) => ({APPROXIMATE})() === before", arg=before)
    play(saved)


def test_dragging_a_point_changes_everything_during_the_drag(saved, visit):
    # Nobody finds the page as it was.
    visit.shown = None
    pause(saved)
    x, y, birth, death = saved.evaluate(POSITION)
    before = saved.evaluate(APPROXIMATE)
    saved.mouse.move(x, y)
    saved.mouse.down()
    saved.mouse.move(x - 20, y - 60, steps=6)
    during = saved.evaluate(APPROXIMATE)
    saved.mouse.up()
    _, _, new_birth, new_death = saved.evaluate(POSITION)
    assert (new_birth, new_death) != (birth, death)
    moved = A.copy()
    moved[5] = new_birth, new_death
    assert during != before
    # There is no server that could say more.
    assert saved.get_by_text("not computed").count() == 1
    assert saved.get_by_text("being computed").count() == 0
    expected = sliced_wasserstein(moved, B, 12)
    assert saved.evaluate(APPROXIMATE) == pytest.approx(expected, rel=1e-3)
    # The way that was saved is not of this pair.
    assert saved.get_by_role("button", name="Let A flow to B").is_disabled()


NUMBERS = f"""() => Object.fromEntries(({MODEL})('Div')
  .map((model) => Bokeh.index.find_one(model)?.shadow_el?.querySelector(".value"))
  .filter((value) => value != null)
  .map((value) => [value.previousElementSibling.textContent, value.textContent]))"""
SHOWN = f"""(name) => ({MODEL})("Figure")
  .map((plot) => plot.renderers.find((one) => one.name === name)?.data_source.data)
  .filter((data) => data?.birth != null)
  .map(({{birth, death}}) => Array.from(birth, (x, k) => [x, death[k]]))[0]"""


def wait_for_cost(page, points, B):
    """Wait until SW_M of some points and B is on show; return it."""
    expected = sliced_wasserstein(points, B, 12)
    page.wait_for_function(
        f"""(expected) => {{
          const shown = Number(({NUMBERS})()["SWM"])
          return Math.abs(shown - expected) <= 6e-4 * expected + 1e-12
        }}""",
        arg=expected,
    )
    return float(page.evaluate(NUMBERS)["SWM"])


def test_a_flows_to_b_and_comes_back(visit, monkeypatch):
    page = visit.share(TAB, motion="no-preference")
    # It has arrived at once, and goes where it is sent.
    page.emulate_media(reduced_motion="reduce")
    pause(page)
    first, second = Workspace().pair
    way = find_way(first, second, 12, "paper")
    page.get_by_text("exact", exact=True).wait_for()
    before = page.evaluate(NUMBERS)
    page.get_by_role("button", name="Let A flow to B").click()
    page.get_by_role("button", name="Back to A").wait_for()
    assert wait_for_cost(page, way.path[-1], second) < 0.01 * float(before["SWM"])
    numbers = page.evaluate(NUMBERS)
    # What belongs to A and B is not said of the points on their way.
    assert numbers["SW"].startswith("≈") and numbers["d1"] == "\N{EN DASH}"
    assert float(numbers["SW"].strip("≈ ")) < 0.01 * float(before["SW"])
    moved = np.array(page.evaluate(SHOWN, "moved"))[: len(first) + len(second)]
    lasting = np.diff(way.path[-1], axis=1)[:, 0] > 0
    np.testing.assert_array_equal(moved[lasting], way.path[-1][lasting])
    scrubber = page.get_by_role("slider", name="Step of the flow")
    scrubber.press("Home")
    wait_for_cost(page, first, second)
    assert page.evaluate(NUMBERS)["W(θ)"] == before["W(θ)"]
    for _ in range(5):
        scrubber.press("ArrowRight")
    wait_for_cost(page, way.path[5], second)
    for key in ("End", "ArrowLeft"):
        scrubber.press(key)
    wait_for_cost(page, way.path[-2], second)
    page.get_by_role("button", name="▶ Flow").click()
    page.get_by_role("button", name="Again").wait_for()
    wait_for_cost(page, way.path[-1], second)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Let A flow to B").wait_for()
    scrubber.wait_for(state="hidden")
    assert page.evaluate(NUMBERS) == before
    # Another pair ends it, too.
    page.get_by_role("button", name="Let A flow to B").click()
    page.get_by_role("button", name="Back to A").wait_for()
    choose(page, "◆ B", "31 · ")
    page.get_by_role("button", name="Let A flow to B").wait_for()
    wait_for_cost(page, first, Workspace(index_b=31).pair[1])
    # And one that is late is dropped.
    begun, found, looked = threading.Event(), threading.Event(), []

    def find(*arguments, progress):
        begun.set()
        looked.append(found.wait(60))
        return find_way(*arguments)

    monkeypatch.setattr(slices, "find_way", find)
    page.get_by_role("button", name="Let A flow to B").click()
    page.get_by_role("button", name="Finding").wait_for()
    # One that is still in the queue would never begin.
    assert begun.wait(60)
    choose(page, "◆ B", "30 · ")
    page.get_by_role("button", name="Let A flow to B").wait_for()
    found.set()
    page.wait_for_function(
        f"(before) => JSON.stringify(({NUMBERS})()) === before",
        arg=json.dumps(before, separators=(",", ":"), ensure_ascii=False),
    )
    assert looked == [True]
    assert page.evaluate(SHOWN, "moved") == []
    play(page)


def test_it_fits_all_screens_in_light_and_dark(visit):
    # It plays by itself; still, it takes less to look at.
    page = visit.share(TAB, motion="no-preference")
    pause(page)
    look_at_all_of(visit, "Slices")
    # The walk is taken in the dark, but not without the sidebar.
    page.get_by_role("button", name="Open drawer").click()
    play(page)
    visit.leave_as(TAB)


def test_a_walk_over_the_page_finds_nothing_that_is_not_true(visit, monkeypatch):
    threads = set()

    def noted(A, B, *arguments, **options):
        name = threading.current_thread().name.partition("_")[0]
        threads.add("small" if len(A) + len(B) <= slices.SMALL_POINTS else name)
        return truth(A, B, *arguments, **options)

    truth = slices._truth
    monkeypatch.setattr(slices, "_truth", noted)
    page = visit.share(TAB, motion="no-preference")
    page.set_viewport_size({"width": 1280, "height": 1100})
    visit.shown = None
    assert walk(page, seed=5, steps=20, python_every=4) == []
    # Exact distances never hold up the server; rehearsed tabs have their own thread.
    # Those of small pairs take less time than to have a thread find them.
    assert threads <= {"small", "swviz-urgent", "swviz-job", "swviz-builder"}
    assert threads
