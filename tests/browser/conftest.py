"""A server of the app in this process, and a Chromium that reaches nothing else."""

import itertools
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import panel as pn
import pytest
from playwright.sync_api import sync_playwright

from swviz import sources
from swviz.app.runtime.jobs import JobCancelled
from swviz.app.shell.page import create_page
from swviz.app.workspace import knobs

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    # Nothing but this machine resolves: a request to any other host fails.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
RESULTS = Path(__file__).parents[2] / "test-results"
INFORMATION = re.compile(
    r"\[bokeh|Bokeh items were rendered|subtree hidden by content-visibility"
)


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    # Playwright's event loop stays in this thread: tests with loops of their own first.
    items.sort(key=lambda item: here in Path(item.path).parents)
    for item in items:
        if here not in Path(item.path).parents:
            continue
        # A busy machine makes a browser late; what is wrong is wrong three times.
        if "SWVIZ_ONE_TRY" not in os.environ:
            item.add_marker(pytest.mark.flaky(reruns=2))
        # What the server's third parties do in their threads is not ours to mend.
        for text in (
            "The inplace keyword",
            "The 'mode.chained_assignment' option",
            "unclosed",
            "There is no current event",
        ):
            item.add_marker(pytest.mark.filterwarnings(f"ignore:{text}"))
        item.add_marker(
            pytest.mark.filterwarnings(
                "ignore::pytest.PytestUnraisableExceptionWarning"
            )
        )


@pytest.fixture(scope="session")
def browser():
    path = next(
        filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None
    )
    if path is None:
        pytest.skip("no Chromium or Chrome on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    context = browser.new_context()
    yield context.new_page()
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


def serve(port, folder, **environment):
    """Start the app in a process of its own, and wait for it."""
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "panel", "serve", "app.py", "--port", str(port)),
            *("--address", "127.0.0.1", "--liveness"),
            *("--allow-websocket-origin", f"127.0.0.1:{port}"),
        ],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "SWVIZ_CACHE_DIR": str(folder), **environment},
    )
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
        self.console = []
        self.outside = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.console.append(str(error)))
        page.on("request", self._see)

    def _hear(self, message):
        if not INFORMATION.search(message.text):
            self.console.append(f"{message.type}: {message.text}")

    def _see(self, request):
        if not request.url.startswith(("http://127.0.0.1", "ws://127.0.0.1", "data:",
                                       "blob:")):  # fmt: skip
            self.outside.append(request.url)

    def open(self, query="", width=1280, height=800):
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(self.address + query)
        self.page.locator("canvas").first.wait_for(timeout=45_000)
        self.page.locator("#opening").wait_for(state="detached")
        self.page.locator("#loader").wait_for(state="hidden")
        return self.page

    def keep(self, name):
        """Keep a screenshot for people to look at."""
        RESULTS.mkdir(exist_ok=True)
        self.page.screenshot(path=RESULTS / f"{name}.png")

    def assert_calm(self):
        assert self.console == []
        assert self.outside == []


@pytest.fixture
def visit(page, server):
    page.set_default_timeout(30_000)
    return Visit(page, server)


@pytest.fixture
def endless_orbits(monkeypatch):
    """Have orbits be computed for as long as the test lasts, or until cancelled.

    The largest set takes six seconds on an idle machine: a race with the page.
    """
    over = threading.Event()

    def make(source, preset, progress=None, **changes):
        if source != "orbits":
            return sources.from_preset(source, preset, progress=progress, **changes)
        for seed in itertools.count():
            sources.orbits(5.0, 1, 1000, random_state=seed, cache=False)
            progress(seed, 10_000)
            if over.is_set():
                raise JobCancelled

    monkeypatch.setattr(knobs, "from_preset", make)
    yield
    over.set()
