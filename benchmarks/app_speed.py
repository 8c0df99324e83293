"""The app, measured: ``python -m benchmarks.app_speed [PART ...]``.

Prints a Markdown table for each part: ``drag`` (what a step of a dragged point costs
the server), ``play`` (frames a second in headless Chromium, of the line as it turns),
``flow`` (the same, while the built-in circle flows to a figure eight: how often its
points have moved; saved and on the dashboard; what Chromium's two processes worked for
a frame tells what a quiet machine could do), ``open`` (time until the
first picture on a warm server, and until it is live), ``tabs`` (time from a click on a
tab to its results on the default data, and how long another session waits meanwhile),
``learn`` (from a click on Learn, and from its link, to a machine trained on the paper's
500 orbits), ``cloud`` (frames a second of Distortion with 4,950 pairs), ``neighbour``
(how long another session waits while one computes), ``soak`` (sessions opened and
closed, and what is left of them).
Name some to leave out the others. All but the first need Chromium and the extra "test".
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import panel as pn

from benchmarks.sessions import HOST, served
from benchmarks.timing import best_time, table
from swviz.app.shell.page import create_page
from swviz.app.tabs.slices.view import SliceView
from swviz.app.workspace.state import Workspace

PARTS = ("drag", "play", "flow", "open", "tabs", "learn", "cloud", "neighbour", "soak")
POINTS = 200
MANY_POINTS = {
    "tab": "Slices",
    "source": "orbits",
    "preset": "five classes",
    "dim": "1",
    "a": "0",
    "b": "50",
}
"""Link to a pair of about 900 points each."""

STEPS = 20

_TURNS = """(seconds) => new Promise((resolve) => {
  const models = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  const line = models.filter((model) => model.type === "Figure")
    .flatMap((plot) => plot.renderers).find((layer) => layer.name === "line")
  const times = [], end = performance.now() + 1000 * seconds
  line.data_source.properties.data.change.connect(() => {
    times.push(performance.now())
    if (performance.now() > end) resolve(times)
  })
})"""
_NOTE_FRAMES = """() => {
  const times = window.frames_seen = []
  const note = (time) => {
    times.push(time)
    if (window.frames_seen === times) requestAnimationFrame(note)
  }
  requestAnimationFrame(note)
}"""
_NOTE_MOVES = """() => {
  const plots = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  const moved = plots.filter((model) => model.type === "Figure")
    .flatMap((plot) => plot.renderers).find((layer) => layer.name === "moved")
  window.moves = []
  moved.data_source.properties.data.change.connect(
    () => window.moves.push(performance.now()))
}"""
_DRAWN = """() => {
  const models = (window.Bokeh?.documents ?? [])
    .flatMap((one) => [...one._all_models.values()])
  const plots = models.filter((model) => model.type === "Figure")
  const plane = plots.find((plot) => plot.below[0]?.axis_label === "birth")
  return plane != null && (Bokeh.index.find_one(plane)?._render_count ?? 0) > 0
}"""


_PAINTED = """() => performance.getEntriesByName("first-contentful-paint")[0].startTime
"""


def pair(points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Two diagrams of so many points."""
    rng = np.random.default_rng(0)
    births = rng.random((2, points))
    deaths = births + rng.exponential(0.15, births.shape)
    A, B = np.stack([births, deaths], axis=2)
    return A, B


def drag(_arguments: argparse.Namespace) -> str:
    A, B = pair()
    rows = []
    for name, switches in (
        ("as it opens", {}),
        ("with d1 matching", {"show_matching": True}),
        ("with balanced segments", {"show_segments": True}),
    ):
        view = SliceView(A, B, **switches)
        steps = iter(np.linspace(0.01, 0.2, STEPS))

        def step(view: SliceView = view, steps=steps) -> None:
            moved = A.copy()
            moved[0, 1] += next(steps)
            view.board.edited = {
                "stamp": ["1+1"],
                "a": [moved.tolist()],
                "b": [B.tolist()],
                "gesture": [1],
            }

        times = [1000 * best_time(step, 1)[1] for _ in range(STEPS)]
        middle, most = np.median(times), max(times)
        rows.append([name, f"{middle:.1f} ms", f"{most:.1f} ms", "50 ms"])
    header = [f"a step of a drag, {POINTS} + {POINTS} points", "median", "slowest"]
    return table([*header, "at most"], rows)


def play(arguments: argparse.Namespace) -> str:
    rows = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        saved = Path(folder) / "slices.html"
        SliceView(*pair()).save(saved)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(saved.as_uri())
        page.get_by_role("button", name="Pause").wait_for()
        page.wait_for_timeout(1500)
        rows.append(
            [
                f"saved page, {POINTS} + {POINTS} points",
                *_turning_frames(page, arguments.seconds),
            ]
        )
        page.close()
        with panel_serve() as address:
            for what, query in (
                ("dashboard, 8 + 12 points", ""),
                ("dashboard, 925 + 884 points", f"?{urlencode(MANY_POINTS)}"),
            ):
                page = browser.new_page(viewport={"width": 1280, "height": 800})
                page.goto(address + query)
                page.wait_for_function(_DRAWN, timeout=120_000)
                if query:
                    page.get_by_text("100 diagrams").wait_for(timeout=120_000)
                page.get_by_role("button", name="Pause").wait_for()
                # Until results that come late are there.
                page.wait_for_timeout(4000)
                rows.append([what, *_turning_frames(page, arguments.seconds)])
                page.close()
    header = ["Play", "frames a second", "slowest 5%", "at least"]
    return table(header, rows)


def _turning_frames(page, seconds: float) -> list[str]:
    """Note how often the line itself has moved."""
    gaps = np.diff(page.evaluate(_TURNS, seconds))
    slow = np.quantile(gaps, 0.95)
    return [f"{1000 / gaps.mean():.0f}", f"{slow:.0f} ms a frame", "25"]


def flow(_arguments: argparse.Namespace) -> str:
    rows = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        saved = Path(folder) / "slices.html"
        SliceView(*Workspace().pair).save(saved)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(saved.as_uri())
        page.get_by_role("button", name="Pause").wait_for()
        page.wait_for_timeout(1500)
        rows.append(["saved page", *_flow_frames(browser, page)])
        page.close()
        with panel_serve() as address:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(address)
            page.wait_for_function(_DRAWN, timeout=120_000)
            # It makes all tabs once for nobody, first.
            page.wait_for_timeout(30_000)
            rows.append(["dashboard", *_flow_frames(browser, page)])
    header = ["Circle to figure eight", "frames a second", "slowest 5%"]
    return table([*header, "work of page and painter", "at least"], rows)


def _flow_frames(browser, page) -> list[str]:
    """Let A flow to B, and note when its points have moved."""
    page.evaluate(_NOTE_MOVES)
    session = browser.new_browser_cdp_session()

    def worked() -> dict[str, float]:
        found = session.send("SystemInfo.getProcessInfo")["processInfo"]
        times: dict[str, float] = {}
        for process in found:
            kind = process["type"].lower()
            times[kind] = max(times.get(kind, 0.0), process["cpuTime"])
        return times

    before = worked()
    page.get_by_role("button", name="Let A flow to B").click()
    page.get_by_role("button", name="Again").wait_for()
    spent = {kind: time - before.get(kind, 0.0) for kind, time in worked().items()}
    gaps = np.diff(page.evaluate("window.moves"))
    slow = np.quantile(gaps, 0.95)
    work = " + ".join(f"{1000 * spent[k] / len(gaps):.0f}" for k in ("renderer", "gpu"))
    frames = [f"{1000 / gaps.mean():.0f}", f"{slow:.0f} ms a frame"]
    return [*frames, f"{work} ms a frame", "30"]


def open_page(arguments: argparse.Namespace) -> str:
    painted, live = [], []
    with panel_serve() as address, chromium() as browser:
        for _ in range(arguments.visits):
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            start = time.perf_counter()
            page.goto(address, wait_until="commit")
            page.wait_for_function(_DRAWN, polling=100)
            live.append(time.perf_counter() - start)
            painted.append(page.evaluate(_PAINTED) / 1000)
            page.context.close()
    rows = [
        ["first visit of a new server", f"{painted[0]:.2f} s", f"{live[0]:.2f} s"],
        *(
            [
                f"later visits, {name}",
                f"{function(painted[1:]):.2f} s",
                f"{function(live[1:]):.2f} s",
            ]
            for name, function in (("median", np.median), ("slowest", np.max))
        ),
        ["at most", "3 s", ""],
    ]
    header = ["opening the page", "the pair drawn by the server is painted"]
    return table([*header, "the live plane is drawn"], rows)


RESULTS_OF_TABS = {
    "Approximation": r"keeps every pair within",
    "Distortion": r"pairs: all those of 32 diagrams .*\. SW exact",
    "Learn": r"support vectors",
}
"""What a tab says when its first results are there."""


def tabs(arguments: argparse.Namespace) -> str:
    spent: dict[str, list[float]] = {tab: [] for tab in RESULTS_OF_TABS}
    waits: dict[str, list[float]] = {tab: [] for tab in RESULTS_OF_TABS}
    for _ in range(arguments.rounds):
        # A new server each time: it keeps the results of tabs.
        with panel_serve() as address, chromium() as browser:
            page = _visit(browser, address)
            page.wait_for_timeout(IMPORTS_MS)
            page.context.close()
            for tab, text in RESULTS_OF_TABS.items():
                page = _visit(browser, address)
                page.wait_for_timeout(1500)
                with pings(address) as waited:
                    start = time.perf_counter()
                    page.get_by_role("tab", name=tab).click()
                    page.get_by_text(re.compile(text)).first.wait_for(timeout=60_000)
                    spent[tab].append(time.perf_counter() - start)
                    page.wait_for_timeout(4000)
                waits[tab] += waited
                page.context.close()
    rows = [
        [
            tab,
            f"{np.median(spent[tab]):.1f} s",
            f"{max(spent[tab]):.1f} s",
            f"{np.median(waits[tab]):.1f} ms",
            f"{np.quantile(waits[tab], 0.99):.0f} ms",
            f"{max(waits[tab]):.0f} ms",
        ]
        for tab in RESULTS_OF_TABS
    ]
    header = ["from a click on a tab to its results (at most 5 s)", "median", "slowest"]
    return table([*header, "a neighbour waits, median", "99 of 100", "longest"], rows)


def _visit(browser, address: str):
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.wait_for_function(_DRAWN, polling=100)
    return page


ORBITS = {"source": "orbits", "preset": "paper", "dim": "1"}
_TRAINED = """() => Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  .some((model) => model.name === "samples" && model.data_source?.data.x.length === 500
    && model.visible)"""


def learn(_arguments: argparse.Namespace) -> str:
    spent = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), SWVIZ_CACHE_DIR=folder) as server,
        chromium(Path(folder, "profile")) as browser,
    ):
        server.await_rehearsal()
        page = browser.new_page()
        page.set_viewport_size({"width": 1280, "height": 800})
        page.set_default_timeout(180_000)
        address = f"http://{HOST}:{server.port}/app"

        def measure(name: str, ask) -> None:
            start = time.perf_counter()
            ask()
            page.wait_for_function(_TRAINED, polling=50)
            spent[name] = time.perf_counter() - start

        page.goto(address)
        page.wait_for_function(_DRAWN, polling=100)
        page.goto(f"{address}?{urlencode({'tab': 'Diagrams'} | ORBITS)}")
        page.get_by_text("500 diagrams").first.wait_for()
        server.await_rehearsal()
        learn_tab = page.get_by_role("tab", name="Learn")
        measure("from a click on Learn, nothing computed before", learn_tab.click)
        server.await_rehearsal()
        link = f"{address}?{urlencode({'tab': 'Learn'} | ORBITS)}"
        page.goto("about:blank")
        measure("from a link to Learn, computed before", lambda: page.goto(link))
    rows = [[name, f"{one:.1f} s"] for name, one in spent.items()]
    return table(["a machine trained on 500 orbits is shown", ""], rows)


IMPORTS_MS = 30_000
"""After its first visit a server makes all views once for nobody, which slows down
everything; ``make app`` does it before it opens the browser."""


def cloud(arguments: argparse.Namespace) -> str:
    query = {
        "tab": "Distortion", "source": "point_clouds", "preset": "small",
        "with": '{"n_clouds":25}', "distortion.n_diagrams": "100",
    }  # fmt: skip
    rows = []
    with panel_serve() as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}?{urlencode(query)}")
        page.get_by_text("All 4,950 pairs").first.wait_for(timeout=120_000)
        # Rows below are drawn, too.
        page.wait_for_timeout(9000)
        box = page.locator(".bk-Canvas").first.bounding_box()
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for name, dragged in (("hover", False), ("pan", True)):
            page.mouse.move(*middle)
            if dragged:
                page.mouse.down()
            page.evaluate(_NOTE_FRAMES)
            end, step = time.perf_counter() + arguments.seconds, 0
            while time.perf_counter() < end:
                step += 1
                turn = 60 * np.sin(step / 5), 30 * np.cos(step / 5)
                page.mouse.move(*np.add(middle, turn))
                page.wait_for_timeout(10)
            gaps = np.diff(page.evaluate("window.frames_seen"))
            if dragged:
                page.mouse.up()
            slow = np.quantile(gaps, 0.95)
            rows.append([name, f"{1000 / gaps.mean():.0f}", f"{slow:.0f} ms a frame"])
    header = ["4,950 pairs, 24,750 dots in two plots", "frames a second", "slowest 5%"]
    return table(header, rows)


@contextmanager
def pings(address: str):
    """Ask the server for an answer all the time, and note how long each one takes."""
    waits: list[float] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            start = time.perf_counter()
            urllib.request.urlopen(address.removesuffix("app") + "liveness").read()
            waits.append(1000 * (time.perf_counter() - start))
            time.sleep(0.02)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield waits
    finally:
        done.set()
        thread.join()


def neighbour(_arguments: argparse.Namespace) -> str:
    from swviz.app.runtime.jobs import Job
    from swviz.sources import from_preset

    make = partial(from_preset, "orbits", "five classes", cache=False)
    with server(create_page) as address:
        urllib.request.urlopen(address).read()
        with pings(address) as waits:
            asyncio.run(Job(make).run())
    rows = [
        ["median", f"{np.median(waits):.1f} ms"],
        ["slowest", f"{max(waits):.0f} ms"],
    ]
    return table(
        [f"{len(waits)} requests while a session computes", "answered in"], rows
    )


def soak(arguments: argparse.Namespace) -> str:
    from bokeh.client import pull_session

    rows = []
    with server(create_page, keep_milliseconds=200) as address:
        for opened in range(arguments.sessions + 1):
            if opened in (10, arguments.sessions // 2, arguments.sessions):
                time.sleep(2)
                # Counted, not freed here: also what the collector does not see.
                gc.unfreeze()
                alive = sum(isinstance(o, Workspace) for o in gc.get_objects())
                rows.append([str(opened), str(alive), f"{_memory():.0f} MB"])
            session = pull_session(url=address)
            session.close()
    header = ["sessions opened and closed", "workspaces left", "memory"]
    return table(header, rows)


def _memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


@contextmanager
def chromium(profile: Path | None = None):
    """Start a browser: one that forgets everything, or one with a profile on disk."""
    from playwright.sync_api import sync_playwright

    how = {
        "executable_path": shutil.which("chromium") or shutil.which("google-chrome"),
        "args": ["--no-sandbox", "--disable-gpu"],
    }
    with sync_playwright() as playwright:
        if profile is None:
            browser = playwright.chromium.launch(**how)
        else:
            browser = playwright.chromium.launch_persistent_context(profile, **how)
        yield browser
        browser.close()


@contextmanager
def panel_serve():
    """Serve as people do, in a process of its own."""
    app = Path(__file__).parents[1] / "app.py"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "panel", "serve", str(app)]
    command += ["--address", "127.0.0.1", "--port", str(port), "--liveness"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        await_answer(port)
        yield f"http://127.0.0.1:{port}/app"
    finally:
        process.terminate()
        process.wait()


def await_answer(port: int) -> None:
    """Wait for a server to be there."""
    for _ in range(600):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/liveness")
            return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError("the server did not start")


@contextmanager
def server(create, keep_milliseconds: int = 15_000):
    """Serve on a free port, in a thread of its own."""
    pn.serve(
        {"app": create},
        port=0,
        address="127.0.0.1",
        threaded=True,
        show=False,
        liveness=True,
        unused_session_lifetime_milliseconds=keep_milliseconds,
        check_unused_sessions_milliseconds=max(100, keep_milliseconds // 2),
    )
    while not pn.state._servers:
        time.sleep(0.1)
    port = next(iter(pn.state._servers.values()))[0].port
    await_answer(port)
    yield f"http://127.0.0.1:{port}/app"
    pn.state.kill_all_servers()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=float, default=5.0, help="of Play")
    parser.add_argument("--visits", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3, help="of tabs")
    parser.add_argument("--sessions", type=int, default=300)
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: choose from {', '.join(PARTS)}")
    functions = {
        "drag": drag,
        "play": play,
        "flow": flow,
        "open": open_page,
        "cloud": cloud,
        "tabs": tabs,
        "learn": learn,
        "neighbour": neighbour,
        "soak": soak,
    }
    for part in arguments.parts or PARTS:
        print(f"\n{functions[part](arguments)}", flush=True)


if __name__ == "__main__":
    main()
