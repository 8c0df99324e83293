"""What opening a page costs: ``python -m benchmarks.page_cost [PAGE ...]``.

Prints one Markdown table with a column for each page: ``panel`` (an empty page of
Panel), ``material`` (an empty page of panel-material-ui), ``app`` (swviz as it opens),
``mixed`` (the app with Material's widgets in a page of our own) and ``plain`` (the app
with Panel's own widgets in that page, see :mod:`benchmarks.plain_page`). Name some to
leave out the others.

Each page has a server of its own; all are asked in turns, so that all see the same
machine, after two visits that are not counted. Sessions are kept until the end: what
the servers' memory grows by is theirs. Needs Linux, Chromium and the extra "test"; with
the defaults it takes about ten minutes and ends by itself.

With ``--tabs`` it prints another table instead: what it takes to open each tab for the
first time, one after the other, and to come back to it when all are open. Only for
``app`` and ``mixed``; about three minutes each.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from benchmarks.app_speed import _DRAWN, IMPORTS_MS, await_answer, chromium
from benchmarks.timing import table

_EXTENSION = "pn.extension('mathjax', 'tabulator', notifications=True)\n"
PAGES = {
    "panel": f"import panel as pn\n{_EXTENSION}pn.Column().servable()",
    "material": "import panel as pn, panel_material_ui as pmui\n"
    f"{_EXTENSION}pmui.Page().servable()",
    "app": "from swviz.app.shell.page import create_page\ncreate_page().servable()",
    "mixed": "import os\nos.environ['SWVIZ_WIDGETS'] = 'material'\n"
    "from benchmarks.plain_page import create_page\ncreate_page().servable()",
    "plain": "from benchmarks.plain_page import create_page\ncreate_page().servable()",
}
"""What a server runs for each session."""

WARM_UPS = 2
REST_MS = 3000
"""Until a page that is live has sent and heard all that it has to at first."""

_IDLE = "() => window.Bokeh?.documents?.[0]?.is_idle === true"
_MODELS = """() => {
  const models = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
  return [models.length, models.filter((model) => model.type === "Figure").length]
}"""

_TWO_FRAMES = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(done))
})"""
LEADS = {
    "Diagrams": "Every feature is a point and a bar.",
    "Approximation": "How many directions are enough?",
    "Distortion": "Thin is good.",
    "Learn": "Move σ or C.",
    "Paper": "measured again",
    "Slices": "Turn the line.",
}
"""How each tab begins."""

_ROWS = {
    "asked": ("server: the page's HTML, processor time", "{:.0f} ms"),
    "served": ("server: the whole opening, processor time", "{:.0f} ms"),
    "memory": ("server: memory of a session", "{:.1f} MB"),
    "http": ("over HTTP", "{:.1f} MB"),
    "socket": ("over the websocket", "{:.0f} kB"),
    "messages": ("messages, both ways", "{:.0f}"),
    "models": ("Bokeh models", "{:.0f}"),
    "figures": ("of them figures", "{:.0f}"),
    "live": ("live after", "{:.2f} s"),
    "slowest": ("live after, slowest", "{:.2f} s"),
    "work": ("browser: work until then", "{:.2f} s"),
    "heap": ("browser: heap of scripts", "{:.0f} MB"),
    "nodes": ("browser: nodes", "{:.0f}"),
}
"""Medians of the visits; the first three are means, since clocks of processes tick
every 10 ms and memory grows in steps."""


class Server:
    """A page, served by a process of its own.

    Parameters
    ----------
    address : str
    process : subprocess.Popen
    """

    def __init__(self, address: str, process: subprocess.Popen) -> None:
        self.address = address
        self._process = Path("/proc") / str(process.pid)

    @property
    def processor_ms(self) -> float:
        """Milliseconds of processor time so far."""
        fields = (self._process / "stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        return 1000 * ticks / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> float:
        """Megabytes that the process holds."""
        pages = int((self._process / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def serve(name: str, folder: Path):
    """Serve one of the pages; its sessions are kept."""
    script = folder / f"{name}.py"
    script.write_text(PAGES[name])
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "panel", "serve", str(script), "--liveness"),
            *("--address", "127.0.0.1", "--port", str(port)),
            *("--unused-session-lifetime", "3600000"),
        ],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "SWVIZ_CACHE_DIR": str(folder)},
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        await_answer(port)
        yield Server(f"http://127.0.0.1:{port}/{name}", process)
    finally:
        process.terminate()
        process.wait()


def ask(server: Server) -> dict[str, float]:
    """Ask for the page alone: the session is made, and its document."""
    before = server.processor_ms
    urllib.request.urlopen(server.address).read()
    return {"asked": server.processor_ms - before}


def visit(browser, server: Server, is_empty: bool) -> dict[str, float]:
    """Open the page in a browser that has never seen it."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(60_000)
    cdp = page.context.new_cdp_session(page)
    cdp.send("Network.enable")
    cdp.send("Performance.enable")
    loaded, sent = [], []
    cdp.on(
        "Network.loadingFinished",
        lambda event: loaded.append(event["encodedDataLength"]),
    )

    def hear(line) -> None:
        line.on("framereceived", lambda frame: sent.append(frame))
        line.on("framesent", lambda frame: sent.append(frame))

    page.on("websocket", hear)
    before = server.processor_ms
    start = time.perf_counter()
    page.goto(server.address, wait_until="commit")
    page.wait_for_function(_IDLE if is_empty else _DRAWN, polling=50)
    live = time.perf_counter() - start
    work = _metrics(cdp)["TaskDuration"]
    page.wait_for_timeout(REST_MS)
    served = server.processor_ms - before
    models, figures = page.evaluate(_MODELS)
    cdp.send("HeapProfiler.collectGarbage")
    metrics = _metrics(cdp)
    page.context.close()
    frames = [one.encode() if isinstance(one, str) else one for one in sent]
    return {
        "served": served,
        "http": sum(loaded) / 1e6,
        "socket": sum(map(len, frames)) / 1e3,
        "messages": sum(frame.startswith(b'{"msgid"') for frame in frames),
        "models": models,
        "figures": figures,
        "live": live,
        "work": work,
        "heap": metrics["JSHeapUsedSize"] / 1e6,
        "nodes": metrics["Nodes"],
    }


def _metrics(cdp) -> dict[str, float]:
    found = cdp.send("Performance.getMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in found}


def change_tabs(browser, server: Server) -> dict[str, list[float]]:
    """Open all tabs, then come back to each; return the browser's work for both."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(60_000)
    cdp = page.context.new_cdp_session(page)
    cdp.send("Performance.enable")
    page.goto(server.address)
    page.wait_for_function(_DRAWN, polling=100)
    page.wait_for_timeout(IMPORTS_MS)
    found = defaultdict(list)
    for rest in (IMPORTS_MS, REST_MS):
        for tab, text in LEADS.items():
            start, before = time.perf_counter(), _metrics(cdp)["TaskDuration"]
            page.get_by_role("tab", name=tab, exact=True).first.click()
            page.get_by_text(text).first.wait_for()
            page.evaluate(_TWO_FRAMES)
            found[tab].append(time.perf_counter() - start)
            found[tab].append(_metrics(cdp)["TaskDuration"] - before)
            page.wait_for_timeout(rest)
    page.context.close()
    return found


def tabs_table(pages: list[str]) -> str:
    """Change tabs on each page in turn."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        for name in pages:
            with serve(name, Path(folder)) as server:
                for tab, seconds in change_tabs(browser, server).items():
                    rows.append([f"{name}: {tab}", *map("{:.1f} s".format, seconds)])
    header = ["changing tabs", "opened after", "work of the browser", "back after"]
    return table([*header, "work of the browser"], rows)


def measure(pages: list[str], visits: int, requests: int) -> dict[str, dict]:
    """Open all pages in turns and return the numbers of each."""
    found: dict[str, dict[str, list[float]]] = {
        page: defaultdict(list) for page in pages
    }
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        browser = stack.enter_context(chromium())
        servers = {
            page: stack.enter_context(serve(page, Path(folder))) for page in pages
        }
        for turn in range(WARM_UPS):
            for page, server in servers.items():
                visit(browser, server, page in ("panel", "material"))
            if turn == 0:
                # After its first visit swviz imports the other tabs.
                time.sleep(IMPORTS_MS / 1000)
        before = {page: server.memory for page, server in servers.items()}
        for calls, call in (
            (
                visits,
                lambda page, at: visit(browser, at, page in ("panel", "material")),
            ),
            (requests, lambda _page, at: ask(at)),
        ):
            for _ in range(calls):
                for page, server in servers.items():
                    for name, value in call(page, server).items():
                        found[page][name].append(value)
        for page, server in servers.items():
            grown = server.memory - before[page]
            found[page]["memory"] = [grown / (visits + requests)]
    return found


def summary(numbers: dict[str, list[float]]) -> dict[str, float]:
    """Reduce the visits of a page to one number each."""
    means = ("asked", "served", "memory")
    reduced = {
        name: float((np.mean if name in means else np.median)(values))
        for name, values in numbers.items()
    }
    return {**reduced, "slowest": max(numbers["live"])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", choices=[*PAGES, []], default=[])
    parser.add_argument("--visits", type=int, default=5)
    parser.add_argument("--requests", type=int, default=8, help="without a browser")
    parser.add_argument("--tabs", action="store_true")
    arguments = parser.parse_args()
    if arguments.tabs:
        print(tabs_table(arguments.pages or ["app", "mixed"]))
        return
    pages = arguments.pages or list(PAGES)
    found = measure(pages, arguments.visits, arguments.requests)
    numbers = {page: summary(found[page]) for page in pages}
    rows = [
        [title, *(text.format(numbers[page][name]) for page in pages)]
        for name, (title, text) in _ROWS.items()
    ]
    cores = os.cpu_count()
    print(table([f"opening a page, {cores} cores", *pages], rows))


if __name__ == "__main__":
    main()
