"""A notebook as nbconvert writes it, opened from disk: no server, kernel or network."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
SLICES = "sw.plot.slices(A, B, [-1.2, 0.1, 0.5, 1.0])"
CELLS = (
    # As all lessons begin.
    "import swviz as sw\nsw.notebook()",
    "A, B = [(0, 1), (0.2, 0.7), (0.3, 0.9)], [(0.1, 0.9), (0.5, 0.8)]",
    "sw.plot.diagram(A, B)",
    SLICES,
    # Material's widgets take the place of those that HoloViews would show.
    "from swviz.app.views import SliceView\nSliceView(A, B)",
    SLICES,
)
ANGLE = """() => {
  const lines = [...Bokeh.documents[0]._all_models.values()].filter((model) =>
    model.type === "GlyphRenderer" && model.glyph.type === "Line"
    && model.data_source.data.birth?.length === 2)
  const {birth, death} = lines[0].data_source.data
  return Math.atan2(death[1] - death[0], birth[1] - birth[0])
}"""

DRAWN = """(count) => {
  const roots = (window.Bokeh?.documents ?? []).flatMap((one) => one.roots())
  const views = roots.map((root) => Bokeh.index.find_one(root))
  // Some have nothing to show, as what tells the size of the window.
  const seen = views.filter((view) => view?.el != null)
  return seen.length >= count
    && seen.every(({el}) => el.getBoundingClientRect().height > 100)
}"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Address of the page that nbconvert makes of a notebook, by its own kernel."""
    folder = tmp_path_factory.mktemp("notebooks")
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "cells.ipynb")
    run = subprocess.run(
        [*(sys.executable, "-m", "nbconvert"), "--to", "html", "--execute",
         str(folder / "cells.ipynb")],
        # The library beside this test, wherever the notebook is.
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return (folder / "cells.html").as_uri()


def test_pictures_are_drawn_and_slices_turn_without_a_network(context, exported):
    page = context.new_page()
    page.goto(exported, wait_until="domcontentloaded")
    # What scripts draw. This browser reaches no network, and nbconvert's page asks for
    # things from there. First, since it moves all that is below.
    page.wait_for_function(DRAWN, arg=1, polling=200)
    turning = page.locator("iframe[srcdoc]")
    assert turning.count() == 2
    # Before there was a view in the notebook, and after it.
    for element in turning.all():
        element.scroll_into_view_if_needed()
        frame = element.element_handle().content_frame()
        frame.get_by_text("θ = -68.755°").wait_for()
        assert frame.evaluate(ANGLE) == pytest.approx(-1.2)
        frame.get_by_label("angle").focus()
        for theta, text in ((0.1, "5.73"), (0.5, "28.648"), (1.0, "57.296")):
            page.keyboard.press("ArrowRight")
            frame.get_by_text(f"θ = {text}°").wait_for()
            assert frame.evaluate(ANGLE) == pytest.approx(theta)
    # Play goes round.
    frame.get_by_label("Play").click()
    frame.get_by_text("θ = -68.755°").wait_for()
    frame.get_by_text("θ = 28.648°").wait_for()
    page.close()
