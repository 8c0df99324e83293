"""A view in a cell of a real JupyterLab: shown, moved, changed by Python, kept."""

import json

import pytest
from playwright.sync_api import expect

from swviz import sliced_wasserstein
from tests.browser.conftest import TIMEOUT_MS
from tests.browser.jupyter import (
    frame_of,
    lab,
    open_notebook,
    printed,
    run_all,
    write_notebook,
)
from tests.browser.tabs import wait_until_full

PAIR = "A, B = [(0, 1), (0.2, 0.7), (0.3, 0.9)], [(0.1, 0.9), (0.5, 0.8)]"
CELLS = (
    "from swviz.app.views import LearnView, SliceView",
    f"{PAIR}\nview = SliceView(A, B, controls=True)\nview",
    "view.workspace.n_directions = 3",
    "LearnView()",
)
A, B = [(0, 1), (0.2, 0.7), (0.3, 0.9)], [(0.1, 0.9), (0.5, 0.8)]
APPROXIMATE = """() => {
  const texts = Bokeh.documents.flatMap((one) => [...one._all_models.values()])
    .filter((model) => model.type === "Div").map((model) => model.text)
  const found = texts.find((text) => text.includes("M directions"))
  return Number(/>([^<>]+)<\\/div><div[^>]*>M directions/.exec(found)?.[1])
}"""
SHOWS = f"(wanted) => Math.abs(({APPROXIMATE})() - wanted) < 1e-3 * wanted"


@pytest.fixture
def page(context, tmp_path):
    write_notebook(tmp_path / "cells.ipynb", CELLS)
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 900})
    with lab(tmp_path) as address:
        open_notebook(page, address, "cells.ipynb")
        yield page
        page.close()


def test_views_in_cells(page, tmp_path):
    run_all(page)
    assert printed(page) == []
    # What Python has changed since is on show.
    frame = frame_of(page, 1)
    frame.wait_for_function(SHOWS, arg=sliced_wasserstein(A, B, 3))
    # Results that came before the page did are there.
    wait_until_full(frame_of(page, 3), "Learn")
    # A slider in the cell changes the number in the cell, and the kernel's.
    frame = frame_of(page, 1)
    slider = frame.get_by_role("slider", name="Directions M")
    # Its place: M = 1 is at 0.
    expect(slider).to_have_value("2", timeout=TIMEOUT_MS)
    slider.focus()
    slider.press("ArrowRight")
    frame.wait_for_function(SHOWS, arg=sliced_wasserstein(A, B, 4))
    # The notebook keeps pictures, and no script of megabytes.
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    saved = (tmp_path / "cells.ipynb").read_text()
    outputs = [cell["outputs"] for cell in json.loads(saved)["cells"]]
    assert [bool(one) and "image/png" in one[0]["data"] for one in outputs] == [
        *(False, True, False, True)
    ]
    assert len(saved) < 1_000_000
