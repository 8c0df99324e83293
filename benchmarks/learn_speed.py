"""How fast the Learn view follows the slider: train again and redraw, 250 diagrams.

Run from the root of the project::

    python -m benchmarks.learn_speed [--browser]

With ``--browser`` a server and Chromium are started, and the time is also taken from
a key that moves the slider until the browser has painted what it changes of map,
ground, confusion, Gram matrix and numbers (they come in one message).
"""

from __future__ import annotations

import argparse
import statistics
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

import numpy as np

from benchmarks.timing import best_time, seconds, table
from swviz import compat
from swviz.app.tabs.learn.view import LearnView
from swviz.app.workspace.state import Workspace
from swviz.kernels import SlicedWassersteinKernel
from swviz.learning import PreparedKernel, evaluate_svm, prepare, train_portrait
from swviz.sources import orbits

SIGMAS = np.geomspace(0.01, 100, 13)
POINTS = """() => [...Bokeh.documents[0]._all_models.values()].find(
    (model) => model.name === "samples")?.data_source.data.x ?? []"""
REDRAWN = """() => {
  const samples = [...Bokeh.documents[0]._all_models.values()].find(
    (model) => model.name === "samples").data_source
  window.redrawn = new Promise((resolve, reject) => {
    let start = null
    setTimeout(() => reject(new Error("nothing was redrawn")), 60000)
    // Samples that stay as many are moved by a patch. They come in one message with all
    // others; painted two frames later.
    const note = () => {
      if (start == null) return
      requestAnimationFrame(() => requestAnimationFrame(
        () => resolve(performance.now() - start)))
    }
    samples.patching.connect(note)
    samples.properties.data.change.connect(note)
    document.addEventListener("keydown", () => { start = performance.now() },
      {capture: true, once: true})
  })
}"""
QUERY = {
    "tab": "Learn",
    "source": "orbits",
    "preset": "five classes",
    "with": '{"n_orbits":50,"n_points":300}',
    "M": "6",
    "sigma": "0.2",
}


def in_process(view: LearnView) -> list[tuple[str, str]]:
    trainer = view.trainer
    ready, labels = trainer.ready, trainer.labels
    split = labels, trainer.train, trainer.test

    def over_sigmas(call: Any) -> str:
        times = [best_time(lambda s=s: call(s), 3)[1] for s in SIGMAS]
        return f"{seconds(statistics.median(times))}, at most {seconds(max(times))}"

    return [
        ("Gram matrix from distances", over_sigmas(ready.gram)),
        (
            "one machine, tested, and ten halves",
            over_sigmas(
                lambda s: evaluate_svm(ready.gram(s), *split, 10.0, n_splits=10)
            ),
        ),
        (
            "the same with map and ground",
            over_sigmas(lambda s: train_portrait(ready.gram(s), *split, 10.0)),
        ),
        (
            "the same without swviz.compat",
            without_compat(
                lambda: over_sigmas(
                    lambda s: train_portrait(ready.gram(s), *split, 10.0)
                )
            ),
        ),
        (
            "all figures of the first screen redrawn",
            over_sigmas(lambda _: view._show()),
        ),
        ("the grid of 15 sigma and 7 C on ten halves", tuned(ready, split)),
        ("the same without swviz.compat", without_compat(lambda: tuned(ready, split))),
        (
            "the grid of every eighth sample",
            tuned(ready, split, every=8),
        ),
        (
            "the same without swviz.compat",
            without_compat(lambda: tuned(ready, split, every=8)),
        ),
    ]


def tuned(ready: PreparedKernel, split: Any, every: int = 1) -> str:
    labels, train, test = split
    call = partial(ready.tune, labels, train[::every], test[::every])
    return seconds(best_time(call, 3)[1])


def without_compat(measure: Callable[[], str]) -> str:
    """Measure what SVC itself takes."""
    with patch.object(compat, "is_usable", lambda: False):
        return measure()


def in_browser() -> list[tuple[str, str]]:
    from benchmarks.app_speed import chromium, panel_serve

    rows = []
    with panel_serve() as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(240_000)
        page.goto(f"{address}?{urlencode(QUERY)}")
        page.get_by_text("Runs of this session").wait_for()
        page.wait_for_function(f"() => ({POINTS})().length === 250")
        # Curves and grid are computed in the background first.
        page.wait_for_timeout(25_000)
        for name, pause in (("Bandwidth σ", 2500), ("Cost factor C", 4000)):
            page.get_by_label(name).first.focus()
            times = []
            for key in 10 * ["ArrowRight"] + 10 * ["ArrowLeft"]:
                page.evaluate(REDRAWN)
                page.keyboard.press(key)
                times.append(page.evaluate("window.redrawn") / 1000)
                # Histories, tests and curves that follow are not to be measured.
                page.wait_for_timeout(pause)
            shown = (
                f"{seconds(statistics.median(times))}, nine of ten below "
                f"{seconds(float(np.quantile(times, 0.9)))}, at most "
                f"{seconds(max(times))}"
            )
            rows.append((f"{name}: from a key to all it changes painted", shown))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", action="store_true")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", "The inplace keyword")
    dataset = orbits(n_orbits=50, n_points=300)
    workspace = Workspace(dataset, tab="Learn", n_directions=6)
    kernel = SlicedWassersteinKernel(n_directions=6, dimensions=[1])
    _, once = best_time(lambda: prepare(kernel, dataset), 1)
    view = LearnView(workspace=workspace)
    rows = [("distances, once (M = 6, H1)", seconds(once)), *in_process(view)]
    if arguments.browser:
        rows += in_browser()
    print(table(("250 orbits of 300 points, 175 to train", "time"), rows))


if __name__ == "__main__":
    main()
