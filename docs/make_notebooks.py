"""Run the lessons of ``notebooks/`` and keep what they show: text, tables, pictures.

``python -m docs.make_notebooks [NAME ...]`` from the root of the repository. The
notebooks are committed with these outputs, so that they read well without running. A
picture is kept as the PNG that Chromium makes of it: the scripts that draw it are
megabytes, and no site that shows notebooks runs them. Needs the extras "test" and
"notebooks", and Chromium; a minute or two each.
"""

from __future__ import annotations

import base64
import io
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from PIL import Image

from benchmarks.app_speed import chromium

FOLDER = Path(__file__).parents[1] / "notebooks"
SECONDS = 300
"""For a lesson, on a busy machine."""

_WIDTH = 1100
_SETTLED_MS = 2000
_BEGUN = "(count) => (window.Bokeh?.documents ?? []).length >= count"


def lessons() -> list[Path]:
    """Return the notebooks, in order."""
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> Any:
    """Read a notebook."""
    return nbformat.read(path, as_version=4)


def run(notebook: Any) -> Any:
    """Run all cells of a notebook, in an empty folder, and return it."""
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
        ).execute()
    return notebook


@contextmanager
def opened(notebook: Any, browser: Any) -> Iterator[Any]:
    """Open what nbconvert makes of a notebook in a browser, from disk, and wait."""
    page = browser.new_page(viewport={"width": _WIDTH, "height": 900})
    page.set_default_timeout(1000 * SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder) / "lesson.html"
        exported.write_text(HTMLExporter().from_notebook_node(notebook)[0])
        page.goto(exported.as_uri(), wait_until="domcontentloaded")
        pictures = [one for cell in notebook.cells for one in pictures_of(cell)]
        page.wait_for_function(_BEGUN, arg=sum(map(_by_scripts, pictures)))
        page.wait_for_timeout(_SETTLED_MS)
        yield page
    page.close()


def pictures_of(cell: Any) -> list[Any]:
    """Return the outputs of a cell that are drawn when they are looked at."""
    return [
        output
        for output in cell.get("outputs", ())
        if output.output_type == "execute_result"
        and (_by_scripts(output) or _in_a_page(output) or _is_view(output))
    ]


def _by_scripts(output: Any) -> bool:
    return "application/vnd.holoviews_exec.v0+json" in output.data


def _in_a_page(output: Any) -> bool:
    return "<iframe srcdoc=" in output.data.get("text/html", "")


def _is_view(output: Any) -> bool:
    return 'class="swviz-view"' in output.data.get("text/html", "")


def keep_outputs(notebook: Any, page: Any) -> None:
    """Put pictures in the place of scripts, and leave out what is of this run alone."""
    shown = page.locator(".jp-Cell").all()
    for cell, place in zip(notebook.cells, shown, strict=True):
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        for output in pictures_of(cell):
            if _is_view(output):
                # It has drawn its picture itself.
                del output.data["text/html"]
                continue
            picture = place.locator(".jp-OutputArea-output.jp-OutputArea-executeResult")
            picture.scroll_into_view_if_needed()
            if _in_a_page(output):
                # It begins to be drawn when it is seen.
                page.wait_for_timeout(_SETTLED_MS)
            output.data = {
                "image/png": small_png(picture.screenshot()),
                "text/plain": output.data["text/plain"],
            }
        cell.outputs = [one for one in cell.outputs if not _is_script(one)]
        for output in cell.outputs:
            output.get("metadata", {}).clear()
            if "execution_count" in output:
                output.execution_count = None


def _is_script(output: Any) -> bool:
    return output.output_type == "display_data" and "image/png" not in output.data


def small_png(screenshot: bytes) -> str:
    """Cut white margins off a picture, and write it with few colours."""
    picture = Image.open(io.BytesIO(screenshot)).convert("RGB")
    ink = picture.convert("L").point(lambda grey: 255 * (grey < 250)).getbbox()
    picture = picture.crop(ink) if ink else picture
    buffer = io.BytesIO()
    picture.quantize(96).save(buffer, format="png", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def main() -> None:
    """Run the lessons that are named, or all, and write them back."""
    wanted = sys.argv[1:]
    with chromium() as browser:
        for path in lessons():
            if wanted and path.stem not in wanted:
                continue
            notebook = run(read(path))
            with opened(notebook, browser) as page:
                keep_outputs(notebook, page)
            nbformat.write(notebook, path)
            print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
