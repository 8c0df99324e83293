"""A notebook as nbconvert writes it, opened from disk: no server, kernel or network."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
PAIR = "A, B = [(0, 1), (0.2, 0.7), (0.3, 0.9)], [(0.1, 0.9), (0.5, 0.8)]"
SLICES = f"import swviz as sw\n{PAIR}\nsw.plot.slices(A, B, [-1.2, 0.1, 0.5, 1.0])"
# Material's widgets take the place of those that HoloViews would show.
CELLS = (f"from swviz.app.views import SliceView\n{PAIR}\nSliceView(A, B)", SLICES)
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
    """Folder of the pages that nbconvert makes of the notebooks, each by its kernel."""
    folder = tmp_path_factory.mktemp("notebooks")
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbformat.write(notebook, folder / "after a view.ipynb")
    shutil.copy(ROOT / "notebooks/2-slicing.ipynb", folder / "lesson 2.ipynb")
    run = subprocess.run(
        [*(sys.executable, "-m", "nbconvert"), "--to", "html", "--execute",
         *map(str, folder.glob("*.ipynb"))],
        # The library beside this test, wherever the notebook is.
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return folder


def test_slices_turn_in_an_exported_notebook_after_a_view(context, exported):
    page = context.new_page()
    page.goto((exported / "after a view.html").as_uri(), wait_until="domcontentloaded")
    element = page.locator("iframe[srcdoc]")
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


def test_the_exported_lesson_turns_and_is_drawn_without_a_network(context, exported):
    page = context.new_page()
    page.goto((exported / "lesson 2.html").as_uri(), wait_until="domcontentloaded")
    # What scripts draw. This browser reaches no network, and nbconvert's page asks for
    # things from there. First, since it moves all that is below.
    page.wait_for_function(DRAWN, arg=4, polling=200)
    element = page.locator("iframe[srcdoc]").first
    element.scroll_into_view_if_needed()
    frame = element.element_handle().content_frame()
    label = frame.get_by_text(re.compile(r"θ = -?[\d.]+°"))
    label.wait_for()
    frame.get_by_label("angle").focus()
    shown = set()
    for _ in range(3):
        before = label.inner_text()
        page.keyboard.press("ArrowRight")
        frame.wait_for_function(
            "(before) => !document.body.innerText.includes(before)", arg=before
        )
        degrees = float(re.search(r"-?[\d.]+", label.inner_text())[0])
        assert np.degrees(frame.evaluate(ANGLE)) == pytest.approx(degrees, abs=1e-3)
        shown.add(degrees)
    assert len(shown) == 3
    page.close()
