"""A server of the app in this process, and a Chromium that reaches nothing else."""

import itertools
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from functools import partial
from pathlib import Path
from urllib.parse import urljoin

import panel as pn
import pytest
from playwright.sync_api import expect, sync_playwright

from swviz import sources
from swviz.app.runtime.jobs import JobCancelled
from swviz.app.shell.page import create_page
from swviz.app.workspace import knobs

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    # Pages live for seconds: to optimise their scripts takes longer than it saves, and
    # so does it to collect their young garbage again and again.
    "--js-flags=--no-opt --min-semi-space-size=64 --max-semi-space-size=64",
    # Nothing but this machine resolves: a request to any other host fails.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
RESULTS = Path(__file__).parents[2] / "test-results"
TIMEOUT_MS = 120_000
"""A condition that does not come to hold within it will not; a busy machine is slow."""
LOOK_MS = 100
"""Playwright looks at every frame, and to find one of thousands of models takes as long
as a frame: a page that is looked at all the time does not come to draw."""
KEEP = "SWVIZ_SCREENSHOTS" in os.environ
"""Whether people want to look at what the tests have seen."""
FAILED = pytest.StashKey[bool]()
STILL = """() => {
  const found = []
  const walk = (node) => {
    for (const child of node.children) {
      if (child.matches("canvas, .card, .main, .MuiDrawer-paper, .tabulator-table")) {
        const {x, y, width, height} = child.getBoundingClientRect()
        found.push(x, y, width, height, getComputedStyle(child).backgroundColor)
      }
      if (child.shadowRoot) walk(child.shadowRoot)
      walk(child)
    }
  }
  walk(document.body)
  const now = found.join(" ")
  const before = window.still ?? {}
  window.still = {now, since: now === before.now ? before.since : performance.now()}
  return performance.now() - window.still.since > 400
}"""
INFORMATION = re.compile(
    r"Bokeh items were rendered|subtree hidden by content-visibility"
)


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    # Playwright's event loop stays in this thread: tests with loops of their own first.
    items.sort(key=lambda item: here in Path(item.path).parents)
    for item in items:
        if here not in Path(item.path).parents:
            continue
        # What the server's third parties do in their threads is not ours to mend.
        for text in (
            "The inplace keyword",
            "The 'mode.chained_assignment' option",
            "unclosed",
            "There is no current event",
            # The browser gives back style sheets that it was given: a server of one's
            # own warns, and takes them.
            "reference already known",
        ):
            item.add_marker(pytest.mark.filterwarnings(f"ignore:{text}"))
        item.add_marker(
            pytest.mark.filterwarnings(
                "ignore::pytest.PytestUnraisableExceptionWarning"
            )
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def context(tmp_path_factory):
    """One browser with a profile on disk: scripts are fetched and compiled once."""
    path = next(
        filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None
    )
    if path is None:
        pytest.skip("no Chromium or Chrome on this machine")
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=path,
            args=ARGUMENTS,
            # A line that turns keeps a core at work: see Visit.open.
            reduced_motion="reduce",
        )
        context.set_default_timeout(TIMEOUT_MS)
        # The 5 s that Playwright expects things within are few on a busy machine.
        expect.set_options(timeout=TIMEOUT_MS)
        yield context
        context.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Address of the app, with nothing made before."""
    os.environ["SWVIZ_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    pn.serve(
        {"app": create_page},
        port=0,
        address="127.0.0.1",
        threaded=True,
        show=False,
        liveness=True,
        websocket_origin="*",
    )
    deadline = time.monotonic() + 60
    port = None
    while time.monotonic() < deadline:
        try:
            port = next(iter(pn.state._servers.values()))[0].port
            urllib.request.urlopen(f"http://127.0.0.1:{port}/liveness", timeout=5)
            break
        except (OSError, StopIteration, AttributeError):
            time.sleep(0.1)
    assert port, "the server did not start"
    yield f"http://127.0.0.1:{port}/app"
    pn.state.reset()
    del os.environ["SWVIZ_CACHE_DIR"]


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def serve(port, folder, log=None, **environment):
    """Start the app in a process of its own, and wait for it.

    What it says is written to a file, if one is named.
    """
    stream = None if log is None else log.open("wb")
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "panel", "serve", "app.py", "--port", str(port)),
            *("--address", "127.0.0.1", "--liveness"),
            *("--allow-websocket-origin", f"127.0.0.1:{port}"),
        ],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "SWVIZ_CACHE_DIR": str(folder), **environment},
        stdout=stream,
        stderr=stream,
    )
    if stream is not None:
        stream.close()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/liveness", timeout=5)
            return process
        except OSError:
            time.sleep(0.2)
    process.kill()
    raise AssertionError("the server did not start")


class Visit:
    """A page that remembers what its console and network did."""

    def __init__(self, page, address):
        self.page = page
        self.address = address
        self.shown = None
        self.console = []
        self.outside = []
        page.wait_for_function = partial(page.wait_for_function, polling=LOOK_MS)
        # Colours that fade over have all of the page drawn again in each frame.
        self._devtools = page.context.new_cdp_session(page)
        self._devtools.send("Animation.enable")
        self._devtools.send("Animation.setPlaybackRate", {"playbackRate": 100})
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("request", self._see)

    def _hear(self, message):
        # Bokeh counts what it draws, and warns of what it cannot draw.
        is_count = "[bokeh" in message.text and message.type != "warning"
        if not is_count and not INFORMATION.search(message.text):
            self.console.append(f"{message.type}: {message.text}")

    def _see(self, request):
        if not request.url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:",
                                       "blob:", "file:", "about:")):  # fmt: skip
            self.outside.append(request.url)

    def open(self, query="", width=1280, height=800, motion="reduce"):
        """Open the app with nothing remembered of what was before.

        As somebody who wants little motion, so that Slices does not play by itself.
        """
        self.forget()
        self.page.emulate_media(reduced_motion=motion)
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(self.address + query)
        self.wait_until_live()
        return self.page

    def forget(self):
        """Leave the page, and clear what it kept in the browser."""
        self.shown = None
        # Of the same origin, with no script in it.
        self.page.goto(urljoin(self.address, "/liveness"))
        self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.page.context.clear_cookies()

    def share(self, query, width=1280, height=800, motion="reduce"):
        """Open the app, or go on where the test before has left it.

        For tests that leave the page as they find it. A test that failed leaves none.
        """
        if self.shown != (self.address, query, width, height):
            self.open(query, width, height, motion)
            self.leave_as(query, width, height)
        return self.page

    def leave_as(self, query, width=1280, height=800):
        """Say that the page is what a link leads to, for the tests that share it."""
        self.shown = (self.address, query, width, height)

    def wait_until_live(self):
        """Wait for the first plot, and for what keeps clicks off until then."""
        self.page.locator("canvas").first.wait_for()
        self.page.locator("#opening").wait_for(state="detached")
        self.page.locator("#loader").wait_for(state="hidden")

    def wait_for_link(self, *parts):
        """Wait until the address holds the whole state, and these parts of it."""
        for part in ("theta=", *parts):
            self.page.wait_for_function(
                "(part) => window.location.search.includes(part)", arg=part
            )

    def wait_until_still(self):
        """Wait until nothing has moved for a while, nor changed its colour.

        Plots are laid out in steps of their own, and colours fade over.
        """
        self.page.evaluate("() => { window.still = null }")
        self.page.wait_for_function(STILL, polling=150)

    def place_of(self, script, argument=None):
        """Return what a script says of a place on the screen, once it stays there.

        The script may scroll to it. Results that come late move axes, too.
        """
        before = None
        for _ in range(100):
            place = self.page.evaluate(script, argument)
            if place == before:
                return place
            before = place
            self.wait_until_still()
        raise AssertionError(f"it goes on moving, to {place}")

    def keep(self, name):
        """Keep a screenshot, for people who have set SWVIZ_SCREENSHOTS to look at."""
        if KEEP:
            self.shoot(name)

    def shoot(self, name):
        RESULTS.mkdir(exist_ok=True)
        self.page.screenshot(path=RESULTS / f"{name}.png")

    def assert_calm(self):
        assert self.console == []
        assert self.outside == []


@pytest.fixture(scope="module")
def window(context, server):
    """The window of all tests of a file.

    Another one after it: Chromium frees late what pages leave behind, and a window in
    which a hundred of them have been opened is several times as slow as a new one.
    """
    before = list(context.pages)
    visit = Visit(context.new_page(), server)
    for page in before:
        page.close()
    return visit


@pytest.fixture
def visit(window, server, request):
    """The window, and after the test a look at what its console has said."""
    window.address = server
    window.console.clear()
    window.outside.clear()
    yield window
    if request.node.stash.get(FAILED, False):
        window.shown = None
        window.shoot(f"failed-{request.node.name}")
        # What it still has to say is not the next test's.
        window.page.goto("about:blank")
    else:
        window.assert_calm()


def _make_orbits_by(step, monkeypatch):
    """Have orbits be made step by step, until the event returned or a cancel ends it.

    The largest set takes six seconds on an idle machine: a race with the page.
    """
    over = threading.Event()

    def make(source, preset, progress=None, **changes):
        if source != "orbits":
            return sources.from_preset(source, preset, progress=progress, **changes)
        for seed in itertools.count():
            step(seed)
            progress(seed, 10_000)
            if over.is_set():
                raise JobCancelled

    monkeypatch.setattr(knobs, "from_preset", make)
    return over


@pytest.fixture
def endless_orbits(monkeypatch):
    """Have orbits take as long as the test lasts, and leave the machine in peace."""
    over = _make_orbits_by(lambda seed: time.sleep(0.05), monkeypatch)
    yield
    over.set()


@pytest.fixture
def busy_orbits(monkeypatch):
    """Have orbits be computed for as long as the test lasts."""
    over = _make_orbits_by(
        lambda seed: sources.orbits(5.0, 1, 1000, random_state=seed, cache=False),
        monkeypatch,
    )
    yield
    over.set()
