"""A random walk over the real page: after each step everything on it must be true.

The tests take a short walk; ``python -m tests.browser.walk --steps 300`` a long one,
against a server of its own. The walker does to a workspace of its own what it does to
the page, and asks the library for the numbers.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import re
import sys
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, urlparse

import numpy as np

from swviz import (
    diagram_distance,
    slice_costs,
    sliced_wasserstein,
    sliced_wasserstein_exact,
)
from swviz.app.tabs.slices.way import find_way
from swviz.app.ui.sliders import CountSlider
from swviz.app.workspace.knobs import TITLES, recipe
from swviz.app.workspace.state import Workspace, title_of
from swviz.errors import SwvizError
from tests.browser.tabs import choose

SETTLE_SECONDS = 40
"""A wrong number that stays for so long is a wrong number; a busy machine is slow."""

NUMBERS = {
    "SWM": "approximate",
    "SW": "exact",
    "SWM / SW": "ratio",
    "W(θ)": "slice",
    "d1": "d1",
    "kSW(A, B)": "kernel",
}

_FIND = """
const models = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
const figures = models.filter((model) => model.type === "Figure")
const layer = (plot, name) => plot.renderers.find((r) => r.name === name)?.data_source
const plane = figures.find((plot) => layer(plot, "line") != null)
const rows = (source) => Array.from(source.data.birth, (birth, k) =>
  [birth, source.data.death[k]])
// One walk through all views: to find one by its model is a walk, too.
const is_number = ({model}) => model.type === "Div" && model.tags.length > 0
const boxes = [...Bokeh.index.query(is_number)].map((view) => view.shadow_el)
  .filter((element) => element?.querySelector(".value") != null)
const texts = Object.fromEntries(boxes.map((element) => {
  const value = element.querySelector(".value")
  return [value.previousElementSibling.textContent, value.textContent]
}))
"""

_LOOK = f"""() => {{
  {_FIND}
  const line = layer(plane, "line").data
  const costs = figures.find((plot) => plot.left[0]?.axis_label === "W(θ)"
    && plot.below[0]?.axis_label === "θ" && plot.title.text.startsWith("Cost of every"))
  const of = (...names) => costs.renderers.map((r) => r.data_source.data)
    .find((data) => names.every((name) => name in data))
  const polar = figures.find((plot) => plot.title?.text === "W(θ) as a radius")
  const strip = figures.find((plot) => layer(plot, "surplus") != null)
  const of_polar = polar.renderers.map((r) => r.data_source.data)
  const pointer = polar.visible ? of_polar.find((d) => d.x.length === 2) : null
  return {{
    texts,
    a: rows(layer(plane, "A")), b: rows(layer(plane, "B")),
    line: [line.x[0], line.y[0], line.x[1], line.y[1]],
    slider: models.find((m) => m.type === "Slider" && m.start === -90).value,
    cursor: [of("low").theta[0], of("low").w[0]],
    bars: Array.from(of("top", "left").top),
    pointer: pointer && [pointer.x[1], pointer.y[1]],
    polar: polar.visible,
    cost_end: costs.y_range.end,
    surplus: [layer(strip, "surplus").data.t, layer(strip, "surplus").data.g],
    playing: models.some((m) => m.type === "Toggle" && m.active),
    lies: window.lies ?? [],
  }}
}}"""

_WATCH_FOR_LIES = f"""() => {{
  {_FIND}
  window.lies = []
  const of_label = Object.fromEntries(models
    .filter((model) => model.type === "Div" && model.tags.length > 0)
    .map((model) => [model, Bokeh.index.find_one(model)?.shadow_el])
    .filter(([_, element]) => element?.querySelector(".value") != null)
    .map(([model, element]) => [
      element.querySelector(".value").previousElementSibling.textContent, model]))
  // To find a view is to walk through all of them.
  const drawn = {{}}
  const value = (label) => {{
    if (!drawn[label]?.isConnected) {{
      drawn[label] = Bokeh.index.find_one(of_label[label])?.shadow_el
    }}
    return drawn[label]?.querySelector(".value")?.textContent ?? "not drawn"
  }}
  const look = () => {{
    const texts = ["SWM", "SW", "SWM / SW"].map(value)
    const [mean, exact, ratio] = texts.map(Number)
    if ([mean, exact, ratio].every(Number.isFinite)
        && Math.abs(mean / exact - ratio) > 2e-3) window.lies.push(texts)
    setTimeout(look, 50)
  }}
  look()
}}"""
"""Numbers that do not belong together must not stand side by side for a moment."""

_PLACES = f"""() => {{
  {_FIND}
  const view = Bokeh.index.find_one(plane)
  const box = view.canvas_view.el.getBoundingClientRect()
  const {{x_scale, y_scale, bbox}} = view.frame
  const places = (source) => rows(source).map(([birth, death]) =>
    [box.x + x_scale.compute(birth), box.y + y_scale.compute(death)])
  return {{
    a: places(layer(plane, "A")), b: places(layer(plane, "B")),
    frame: [box.x + bbox.left, box.y + bbox.top, bbox.width, bbox.height],
  }}
}}"""

_TRACK = f"""() => {{
  {_FIND}
  const slider = models.find((m) => m.type === "Slider" && m.start === -90)
  const track = Bokeh.index.find_one(slider).shadow_el.querySelector(".noUi-target")
  const {{x, y, width, height}} = track.getBoundingClientRect()
  return [x, y, width, height]
}}"""


class Walk:
    """One page, and a workspace that is to be where the page is."""

    def __init__(self, page, seed: int) -> None:
        self.page = page
        self.random = np.random.default_rng(seed)
        self.space = Workspace()
        self.ahead: list[Callable[[], str]] = []
        self.done: list[str] = []
        page.get_by_role("button", name="Pause").wait_for()
        # It keeps clicks off until the page is ready for them.
        page.locator("#loader").wait_for(state="hidden")
        page.evaluate(_WATCH_FOR_LIES)
        page.mouse.click(640, 790)
        self.key(" ")

    # -- steps --------------------------------------------------------------------

    def step(self) -> str:
        """Do something; return what it was."""
        if not self.ahead:
            # In rounds, each in an order of its own: a short walk does everything once.
            kinds: list[Callable[[], str]] = [
                self.choose_pair, self.choose_pair, self.change_directions,
                self.change_rule, self.change_sigma, self.change_dimension,
                self.click_slider, self.press_arrows, self.play, self.drag, self.add,
                self.delete, self.undo, self.drag, self.restore, self.visit_tab,
                self.change_data, self.switch_layer, self.choose_same, self.flow,
            ]  # fmt: skip
            self.ahead = [kinds[k] for k in self.random.permutation(len(kinds))]
        what = self.ahead.pop()()
        self.done.append(what)
        return what

    def choose_same(self) -> str:
        index = self.space.index_a
        choose(self.page, "◆ B", re.compile(rf"^{index} · "))
        if self.space.index_b != index:
            self.space.take("B", index)
        return f"B = A = {index}"

    def choose_pair(self) -> str:
        name = "AB"[self.random.integers(2)]
        index = int(self.random.integers(len(self.space.dataset)))
        mark = {"A": "● A", "B": "◆ B"}[name]
        choose(self.page, mark, re.compile(rf"^{index} · "))
        if getattr(self.space, f"index_{name.lower()}") != index:
            self.space.take(name, index)
        return f"{name} = {index}"

    def change_directions(self) -> str:
        steps = int(self.random.integers(1, 5)) * int(self.random.choice([-1, 1]))
        slider = self.page.get_by_role("slider", name="Directions M").first
        self._press(slider, steps)
        moved = CountSlider(200)
        moved.follow(self.space.n_directions)
        moved.value = float(np.clip(moved.value + steps, moved.start, moved.end))
        self.space.n_directions = moved.number
        return f"M = {self.space.n_directions}"

    def change_sigma(self) -> str:
        steps = int(self.random.integers(1, 4)) * int(self.random.choice([-1, 1]))
        slider = self.page.get_by_role("slider", name="Bandwidth").first
        self._press(slider, steps)
        decade = np.clip(math.log10(self.space.sigma) + 0.05 * steps, -3, 3)
        self.space.sigma = float(f"{10**decade:.4g}")
        return f"sigma = {self.space.sigma}"

    def _press(self, slider, steps: int) -> None:
        slider.focus()
        for _ in range(abs(steps)):
            slider.press("ArrowRight" if steps > 0 else "ArrowLeft")

    def change_rule(self) -> str:
        names = {"paper": "paper (Algorithm 1)", "diagonal": "diagonal-aware",
                 "random": "random"}  # fmt: skip
        rule = str(self.random.choice(list(names)))
        choose(self.page, "Direction rule", re.compile(re.escape(names[rule])))
        self.space.rule = rule
        return f"rule = {rule}"

    def change_dimension(self) -> str:
        dimension = int(self.random.choice(self.space.dataset.dimensions))
        if dimension != self.space.dimension:
            self.page.get_by_role("button", name=f"H{dimension}", exact=True).click()
            self.space.dimension = dimension
        return f"H{dimension}"

    def click_slider(self) -> str:
        x, y, width, height = self.page.evaluate(_TRACK)
        at = float(self.random.uniform(0.02, 0.98))
        self.page.mouse.click(x + at * width, y + height / 2)
        return f"slider at {180 * at - 90:.0f} degrees"

    def press_arrows(self) -> str:
        key = str(self.random.choice(["ArrowLeft", "ArrowRight"]))
        before = self.look()["slider"]
        count = int(self.random.integers(1, 4))
        for _ in range(count):
            self.key(key)
        step = count if key == "ArrowRight" else -count
        wanted = float(np.clip(before + step, -90, 90))
        self._wait(lambda: abs(self.look()["slider"] - wanted) < 1e-6, "an arrow key")
        return f"{count} x {key}"

    def play(self) -> str:
        self.key(" ")
        self.page.get_by_role("button", name="Pause").wait_for()
        self.page.wait_for_timeout(300)
        self.key(" ")
        self.page.get_by_role("button", name="Play").wait_for()
        return "play, pause"

    def key(self, key: str) -> None:
        """Press a key with the focus on nothing."""
        self.page.evaluate("document.activeElement?.blur()")
        self.page.keyboard.press(key)

    def drag(self) -> str:
        spot = self._lonely_point()
        if spot is None:
            return "no point to drag"
        x, y = spot
        # Bokeh takes a hand that trembles by less than five pixels for a click.
        way, angle = self.random.uniform(12, 40), self.random.uniform(0, 2 * math.pi)
        dx, dy = way * math.cos(angle), way * math.sin(angle)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=5)
        self.page.mouse.up()
        return self._edited("drag")

    def add(self) -> str:
        places = self.page.evaluate(_PLACES)
        left, top, width, height = places["frame"]
        others = np.array([*places["a"], *places["b"]]).reshape(-1, 2)
        for _ in range(50):
            across, up = np.sort(self.random.uniform(0.08, 0.92, 2))
            x, y = left + across * width, top + (1 - up) * height
            if not len(others) or np.hypot(*(others - [x, y]).T).min() > 16:
                self.page.mouse.click(x, y, delay=30)
                return self._edited("add")
        return "no room for a point"

    def delete(self) -> str:
        spot = self._lonely_point()
        if spot is None:
            return "no point to delete"
        self.page.mouse.click(*spot, delay=30)
        self.page.keyboard.press("Backspace")
        return self._edited("delete")

    def _lonely_point(self) -> tuple[float, float] | None:
        places = self.page.evaluate(_PLACES)
        left, top, width, height = places["frame"]
        points = np.array([*places["a"], *places["b"]]).reshape(-1, 2)
        # Within the frame, and with no neighbour that would be hit as well.
        inside = (points > [left + 8, top + 8]).all(axis=1)
        inside &= (points < [left + width - 8, top + height - 8]).all(axis=1)
        apart = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        lonely = points[inside & (apart.min(axis=1, initial=np.inf) > 16)]
        if not len(lonely):
            return None
        x, y = lonely[self.random.integers(len(lonely))]
        return float(x), float(y)

    def _edited(self, how: str) -> str:
        """Take over what the browser's points are after an edit."""
        before = [len(diagram) for diagram in self.space.pair]
        change = {"drag": 0, "add": 1, "delete": -1}[how]

        def is_done() -> bool:
            seen = self.look()
            same = self._same_points(seen)
            return not same and len(seen["a"]) + len(seen["b"]) == sum(before) + change

        self._wait(is_done, how)
        seen = self.look()
        self.space.edit(_diagram(seen["a"]), _diagram(seen["b"]))
        return how

    def undo(self) -> str:
        if not self.space.undoable:
            return "nothing to undo"
        if self.random.random() < 0.5:
            self.page.evaluate("document.activeElement?.blur()")
            self.page.keyboard.press("Control+z")
        else:
            self.page.get_by_role("button", name="Undo").click()
        self.space.undo()
        return "undo"

    def restore(self) -> str:
        if not self.space.edited:
            return "nothing to restore"
        self.page.get_by_role("button", name="Back to original").click()
        self.space.restore()
        return "original"

    def visit_tab(self) -> str:
        tab = str(self.random.choice(["Diagrams", "Approximation", "Distortion"]))
        self._open(tab)
        self.page.wait_for_timeout(int(self.random.integers(0, 1500)))
        self._open("Slices")
        return f"Slices, {tab}, Slices"

    def change_data(self) -> str:
        source, preset = [
            ("functions", "figure 1"), ("point_clouds", "small")
        ][self.random.integers(2)]  # fmt: skip
        self._open("Diagrams")
        self.page.get_by_text("Every feature is a point and a bar.").wait_for()
        self.page.get_by_role("tab", name="Generate").click()
        choose(self.page, "Source", re.compile(TITLES[source]))
        self.page.get_by_role("button", name="Generate", exact=True).click()
        title = title_of(source, preset)
        self.page.get_by_text(title, exact=True).first.wait_for()
        self.page.get_by_text(f"Made {title}").or_(
            self.page.get_by_text(title, exact=True)
        ).first.wait_for()
        self.space.use(recipe(source, preset)(), title, source, preset)
        self._open("Slices")
        return f"data set {title}"

    def _open(self, tab: str) -> None:
        self.page.get_by_role("tab", name=tab, exact=True).click()
        self.page.wait_for_function(
            "(tab) => window.location.search.includes(`tab=${tab}`)", arg=tab
        )

    def switch_layer(self) -> str:
        name = str(self.random.choice(["Polar W(θ)", "d1 matching"]))
        self.page.get_by_label(name).first.click()
        return f"switch {name}"

    def flow(self) -> str:
        A, B = self.space.pair
        try:
            way = find_way(A, B, self.space.n_directions, self.space.rule)
        except SwvizError:
            return "nothing to flow"
        self.page.get_by_role("button", name="Let A flow to B").click()
        self.page.get_by_role("button", name="Back to A").wait_for()
        frame = int(self.random.integers(-4, 5)) % len(way.steps)
        scrubber = self.page.get_by_role("slider", name="Step of the flow")
        ways = [("Home", "ArrowRight", way.steps[frame]),
                ("End", "ArrowLeft", way.steps[-1] - way.steps[frame])]  # fmt: skip
        end, key, count = min(ways, key=lambda way: way[2])
        # A flow that plays goes on until it has heard of the first key: press it until
        # it rests there, then step by step.
        place = {"Home": 0, "End": way.steps[-1]}[end]
        step = {"Home": 1, "End": -1}[end]
        self._press_until(scrubber, end, place)
        for k in range(1, count + 1):
            scrubber.press(key)
            self._wait(lambda k=k: self._at(scrubber, place + k * step), "a key")
        cost = sliced_wasserstein(
            way.path[frame], B, self.space.n_directions, rule=self.space.rule,
            random_state=0,
        )  # fmt: skip
        self._wait(
            lambda: not _differs("SWM", self.look()["texts"]["SWM"], cost),
            f"SW_M = {cost} after {way.steps[frame]} steps",
        )
        if self.random.random() < 0.5:
            self.key("Escape")
        else:
            self.page.get_by_role("button", name="Back to A").click()
        self.page.get_by_role("button", name="Let A flow to B").wait_for()
        return f"{way.steps[frame]} steps of a flow"

    def _at(self, scrubber, place: int) -> bool:
        return round(float(scrubber.get_attribute("aria-valuenow"))) == place

    def _press_until(self, scrubber, key: str, place: int) -> None:
        for _ in range(20):
            scrubber.press(key)
            self.page.wait_for_timeout(150)
            if self._at(scrubber, place):
                return
        raise AssertionError(f"{key} does not lead to step {place}")

    # -- what must be true --------------------------------------------------------

    def look(self) -> dict:
        """Return what is on the page."""
        return self.page.evaluate(_LOOK)

    def check(self, with_python: bool = False) -> list[str]:
        """Return what is wrong on the page, after it has had time to settle."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while True:
            wrong = self._wrong()
            if not wrong and with_python:
                wrong = self._wrong_in_python()
            if not wrong or time.monotonic() > deadline:
                return wrong
            self.page.wait_for_timeout(200)

    def _wrong(self) -> list[str]:
        seen, space = self.look(), self.space
        query = dict(parse_qsl(urlparse(self.page.url).query))
        wrong = [f"side by side: {lie}" for lie in seen["lies"][:3]]
        if not self._same_points(seen):
            wrong.append(f"points {seen['a']} {seen['b']}, not {space.pair}")
            return wrong
        theta = math.radians(seen["slider"])
        u = np.array([math.cos(theta), math.sin(theta)])
        x0, y0, x1, y1 = seen["line"]
        off = abs((x1 - x0) * u[1] - (y1 - y0) * u[0]) / math.hypot(x1 - x0, y1 - y0)
        if off > 1e-6:
            wrong.append(f"the line is not at the slider's {seen['slider']} degrees")
        if abs(seen["cursor"][0] - theta) > 1e-9:
            wrong.append(f"the cursor is at {seen['cursor'][0]}, the line at {theta}")
        numbers, expected = seen["texts"], self._expected(theta, query)
        for label, key in NUMBERS.items():
            wrong += _differs(label, numbers.get(label), expected[key])
        t, g = map(np.array, seen["surplus"])
        area = np.abs(g[1:-1:2]) @ np.diff(t)[1::2] if len(t) else 0.0
        wrong += _differs("area of the surplus", str(area), expected["slice"])
        if np.array_equal(*self.space.pair) and len(t):
            wrong.append("equal diagrams have a surplus")
        if seen["cost_end"] < 1e-12:
            wrong.append(f"the cost axis ends at {seen['cost_end']}")
        wrong += _differs("cursor", str(seen["cursor"][1]), expected["slice"])
        wrong += _differs("bars", str(np.mean(seen["bars"])), expected["approximate"])
        if seen["pointer"] is not None:
            length = expected["slice"]
            scale = max(length, seen["cost_end"])
            if np.abs(seen["pointer"] - length * u).max() > 1e-4 * scale:
                wrong.append(f"the polar pointer is at {seen['pointer']}")
        return wrong + self._wrong_in_link(query, theta)

    def _expected(self, theta: float, query: dict[str, str]) -> dict[str, float]:
        space = self.space
        A, B = space.pair
        exact = sliced_wasserstein_exact(A, B)
        mean = sliced_wasserstein(
            A, B, space.n_directions, rule=space.rule, random_state=0
        )
        # Of the link, which is compared with the walker's: sliders round.
        sigma = float(query.get("sigma", "nan"))
        return {
            "approximate": mean,
            "exact": exact,
            "ratio": mean / exact if exact > 0 else math.nan,
            "slice": slice_costs(A, B, [theta])[0],
            "d1": diagram_distance(A, B),
            "kernel": math.exp(-exact / (2 * sigma**2)),
        }

    def _wrong_in_link(self, query: dict[str, str], theta: float) -> list[str]:
        self.space.theta = theta
        wanted = self.space.to_query()
        wrong = []
        for key, value in wanted.items():
            said = query.get(key)
            if key == "theta":
                same = said is not None and abs(float(said) - theta) < 1e-4
            elif key == "sigma":
                same = (
                    said is not None and abs(float(said) / self.space.sigma - 1) < 0.01
                )
            elif key in ("A", "B"):
                same = said is not None and _same_lists(said, value)
            else:
                same = said == value
            if not same:
                wrong.append(f"the link has {key} = {said}, not {value}")
        if ("A" in wanted) != ("A" in query):
            wrong.append("the link does not say whether points were edited")
        return wrong

    def _wrong_in_python(self) -> list[str]:
        self.page.get_by_role("button", name="Copy as Python").click()
        area = self.page.get_by_label("Python", exact=True)
        area.wait_for()
        said = io.StringIO()
        lines = area.input_value()
        with contextlib.redirect_stdout(said):
            exec(lines, {})
        self.page.keyboard.press("Escape")
        area.wait_for(state="hidden")
        shown = self.look()["texts"]
        printed = [line.split()[-1] for line in said.getvalue().splitlines()]
        wrong = []
        for label, value in zip(NUMBERS, printed, strict=True):
            expected = math.nan if value == "undefined" else float(value)
            wrong += _differs(f"Python's {label}", shown[label], expected)
        return wrong

    def _same_points(self, seen: dict) -> bool:
        return all(
            len(shown) == len(diagram)
            and np.allclose(_diagram(shown), diagram, rtol=1e-12, atol=1e-12)
            for shown, diagram in zip(
                (seen["a"], seen["b"]), self.space.pair, strict=True
            )
        )

    def _wait(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + SETTLE_SECONDS
        while not condition():
            if time.monotonic() > deadline:
                raise AssertionError(f"nothing came of {what}, after {self.done[-5:]}")
            self.page.wait_for_timeout(50)


def _diagram(rows: list[list[float]]) -> np.ndarray:
    return np.array(rows, dtype=float).reshape(-1, 2)


def _same_lists(said: str, wanted: str) -> bool:
    """Compare the points of two links, which round them."""
    lists = [
        np.array([float(number) for number in re.split("[,;]", text) if number])
        for text in (said, wanted)
    ]
    return len(lists[0]) == len(lists[1]) and np.allclose(*lists, rtol=1e-5, atol=1e-12)


def _differs(label: str, shown: str | None, expected: float) -> list[str]:
    """Say what is wrong with a number, shown with four digits."""
    if math.isnan(expected):
        return [] if shown == "undefined" else [f"{label} is {shown}, not undefined"]
    try:
        number = float(shown or "nothing")
    except ValueError:
        return [f"{label} is {shown!r}, not {expected:.6g}"]
    # Half a unit of the fourth digit, and the dust of sums that cancel.
    if abs(number - expected) <= 6e-4 * abs(expected) + 1e-9:
        return []
    return [f"{label} is {shown}, not {expected:.6g}"]


def walk(page, seed: int, steps: int, python_every: int = 1, report=None) -> list[str]:
    """Walk over an open page; return what was wrong, with the way there."""
    walker = Walk(page, seed)
    found = []
    for step in range(steps):
        what = walker.step()
        wrong = walker.check(with_python=step % python_every == 0)
        if report is not None:
            report(step, what, wrong)
        if wrong:
            found.append(f"step {step}, after {walker.done[-4:]}: {wrong}")
            if len(found) >= 5:
                break
    return found


def main() -> int:
    """Take a long walk against a server of its own."""
    from benchmarks.app_speed import chromium, panel_serve

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    def report(step: int, what: str, wrong: list[str]) -> None:
        print(f"{step:4d} {what}" + "".join(f"\n     WRONG {w}" for w in wrong))
        sys.stdout.flush()

    with panel_serve() as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1100})
        page.set_default_timeout(1000 * SETTLE_SECONDS)
        page.goto(address)
        found = walk(page, arguments.seed, arguments.steps, report=report)
    print(f"{arguments.steps} steps, {len(found)} disagreements")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
