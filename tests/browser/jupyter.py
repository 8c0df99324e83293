"""A real JupyterLab in Chromium, on this machine alone: views in cells, "Run All".

``python -m tests.browser.jupyter --rounds 6`` restarts the kernel of a notebook with
all views so many times, runs all cells, waits until each view shows all that it
computes, and prints how long that took, and what kernel and consoles said.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import nbformat
from playwright.sync_api import expect, sync_playwright

from tests.browser.conftest import ARGUMENTS, RESULTS, free_port
from tests.browser.tabs import wait_until_full

ROOT = Path(__file__).parents[2]
VIEWS = {
    "SliceView": "Slices",
    "DiagramView": "Diagrams",
    "ApproximationView": "Approximation",
    "DistortionView": "Distortion",
    "LearnView": "Learn",
    "PaperView": "Paper",
}
"""Each view, and its tab."""

CELLS = [f"from swviz.app.views import {name}\n{name}()" for name in VIEWS]
_COMMAND = "(name) => window.jupyterapp.commands.execute(name)"
_LATER = "(name) => void window.jupyterapp.commands.execute(name)"
_IDLE = """() => {
  const {content, sessionContext} = window.jupyterapp.shell.currentWidget
  const cells = [...content.model.cells].filter((cell) => cell.type === "code")
  return sessionContext.session?.kernel?.status === "idle"
    && (cells.every((cell) => cell.executionCount != null)
      // Those below are not run.
      || cells.some((cell) => cell.sharedModel.outputs.some(
        (one) => one.output_type === "error")))
}"""


def write_notebook(path, cells):
    """Write a notebook that has not been run."""
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in cells],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    nbformat.write(notebook, path)


@contextlib.contextmanager
def lab(folder, **environment):
    """Serve a folder by JupyterLab; yields its address."""
    port = free_port()
    home = Path(folder) / ".jupyter"
    own = {
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
        "IPYTHONDIR": home / "ipython",
        # The library beside this file, wherever the notebook is.
        "PYTHONPATH": ROOT,
    }
    # Its question whether to fetch news would lie over cells.
    news = home / "settings/@jupyterlab/apputils-extension"
    news.mkdir(parents=True)
    (news / "notification.jupyterlab-settings").write_text(
        json.dumps({"checkForUpdates": False, "fetchNews": "false"})
    )
    with (Path(folder) / "lab.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
                *(f"--port={port}", "--ip=127.0.0.1", "--expose-app-in-browser"),
                *("--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"),
                # Others ask the network.
                "--LabApp.extension_manager=readonly",
            ],
            env=os.environ | {name: str(path) for name, path in own.items()}
            | environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/api", process)
            yield address
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for(address, process):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(address, timeout=5)
            return
        time.sleep(0.2)
    raise AssertionError("JupyterLab did not start: see lab.log in its folder")


def open_notebook(page, address, name):
    """Open a notebook, and wait until it has a kernel."""
    page.goto(f"{address}/lab/tree/{name}?reset")
    page.locator(".jp-Notebook").wait_for()
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.isReady"
    )


def run_all(page, restart=False):
    """Run all cells, with a new kernel if asked to, and wait until they have run."""
    if restart:
        page.evaluate(_COMMAND, "notebook:clear-all-cell-outputs")
        page.evaluate(_LATER, "notebook:restart-run-all")
        page.get_by_role("button", name="Confirm Kernel Restart").click()
    else:
        page.evaluate(_LATER, "notebook:run-all-cells")
    page.wait_for_function(_IDLE)


def cell(page, index):
    """Return a cell, on the screen: JupyterLab makes those far from it when needed."""
    page.evaluate(
        "(i) => window.jupyterapp.shell.currentWidget.content.scrollToItem(i, 'start')",
        index,
    )
    found = page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{index}']")
    found.wait_for()
    return found


def frame_of(page, index):
    """Return the frame in a cell, once its view is on show."""
    element = cell(page, index).locator("iframe")
    expect(element).to_have_css("opacity", "1")
    element.scroll_into_view_if_needed()
    return element.element_handle().content_frame()


def printed(page):
    """Return what the cells have printed, and their errors."""
    return page.evaluate(
        """() => [...window.jupyterapp.shell.currentWidget.content.model.cells].flatMap(
          (cell) => (cell.sharedModel.outputs ?? []).filter(
            (one) => !["execute_result", "display_data"].includes(one.output_type)
          ).map((one) => JSON.stringify(one)))"""
    )


def main():
    """Run all views so many times, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--shots", action="store_true", help="keep screenshots")
    options = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("google-chrome")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_notebook(Path(folder) / "views.ipynb", CELLS)
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        expect.set_options(timeout=120_000)
        said = []
        page.on("console", lambda message: said.append((message.type, message.text)))
        page.on("pageerror", lambda error: said.append(("error", str(error))))
        with lab(folder) as address:
            open_notebook(page, address, "views.ipynb")
            for number in range(options.rounds):
                said.clear()
                began = time.monotonic()
                run_all(page, restart=True)
                print(f"round {number + 1}: run in {time.monotonic() - began:.1f} s")
                for index, (name, tab) in enumerate(VIEWS.items()):
                    try:
                        frame = frame_of(page, index)
                        wait_until_full(frame, tab)
                        seen = "full"
                    except Exception as error:
                        wrong += 1
                        seen = f"NOT FULL: {str(error).splitlines()[0]}"
                    if options.shots:
                        RESULTS.mkdir(exist_ok=True)
                        page.screenshot(path=RESULTS / f"cell-{number}-{name}.png")
                    print(f"  {name}: {seen} after {time.monotonic() - began:.1f} s")
                outputs = printed(page)
                errors = [
                    text
                    for kind, text in said
                    # JupyterLab's own, about a kernel that has gone.
                    if kind == "error" and "debug_request" not in text
                ]
                wrong += len(outputs) + len(errors)
                print(f"  printed: {outputs or 'nothing'}")
                print(f"  errors in consoles: {errors or 'none'}", flush=True)
        browser.close()
    print("all well" if not wrong else f"{wrong} things are wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
