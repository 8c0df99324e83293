"""The lessons: they run, they show what was committed, and their answers are right."""

import re
import sys
from itertools import islice
from pathlib import Path

import nbformat
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
import make_notebooks

LESSONS = {path.stem: make_notebooks.read(path) for path in make_notebooks.lessons()}
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")


def tagged(notebook, tag):
    return [c for c in notebook.cells if tag in c.metadata.get("tags", ())]


def code_of(answer):
    (code,) = re.findall(r"```python\n(.*?)\n```", answer.source, re.S)
    return code


def words_of(cell):
    """Return what a cell has printed, and tables and other results as text."""
    texts = []
    for output in cell.outputs:
        if output.output_type == "stream":
            texts.append(output.text)
        elif "image/png" not in output.data and "text/plain" in output.data:
            if not make_notebooks.pictures_of(cell):
                texts.append(output.data["text/plain"])
    return "\n".join(texts)


def assert_alike(found, kept):
    """Compare texts: letter by letter, but numbers as numbers."""
    assert NUMBER.sub("#", found) == NUMBER.sub("#", kept)
    np.testing.assert_allclose(
        [float(number) for number in NUMBER.findall(found)],
        [float(number) for number in NUMBER.findall(kept)],
        rtol=1e-3,
        atol=1e-6,
    )


# For the kernel alone, and nothing that a lesson sees. As in conftest.py, no parsers of
# addresses, and less looking for garbage. And of pictures that turn, which have up to
# forty frames, three are drawn: all are made, and what a page has of each of them is
# the matter of test_plot_slices.py and test_plot_steps.py.
LIGHTER = """
import gc, sys
sys.modules.setdefault("rfc3987_syntax", None)
gc.set_threshold(100_000, 20, 20)
from swviz.plot import turning

def some_frames_of(frames, frames_of=turning.frames_of):
    keys = frames.keys()
    some = dict.fromkeys((keys[0], keys[len(keys) // 2], keys[-1]))
    return frames_of(frames.clone([(key, frames[key]) for key in some]))

turning.frames_of = some_frames_of
"""

WITHOUT_GUDHI = "123"
"""As docs/no-server.md says: these lessons need none."""


def fresh(lesson, folder):
    """Write the cell before a lesson: nothing of the one before is left.

    One kernel runs all: to start one and to load all packages takes longer than most
    lessons do.
    """
    gudhi = (
        "sys.modules['gudhi'] = None"
        if lesson[0] in WITHOUT_GUDHI
        else "sys.modules.pop('gudhi')\n"
        if lesson[0] == "4"
        else ""
    )
    return nbformat.v4.new_code_cell(
        # Else it looks through all modules for garbage.
        "import gc\ngc.freeze()\n"
        "%reset -f\n"
        f"import os, sys\nos.environ['SWVIZ_CACHE_DIR'] = {str(folder)!r}\n{gudhi}\n"
        "del os, sys"
    )


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """The lessons, run, with every exercise answered as its folded answer says."""
    folder = tmp_path_factory.mktemp("cache")
    whole, lengths = nbformat.v4.new_notebook(), {}
    whole.cells.append(nbformat.v4.new_code_cell(LIGHTER))
    for name in LESSONS:
        notebook = make_notebooks.read(make_notebooks.FOLDER / f"{name}.ipynb")
        answers = tagged(notebook, "answer")
        for exercise, answer in zip(tagged(notebook, "exercise"), answers, strict=True):
            exercise.source = code_of(answer)
        whole.cells += [fresh(name, folder), *notebook.cells]
        lengths[name] = len(notebook.cells)
    cells = iter(make_notebooks.run(whole).cells)
    next(cells)
    lessons = {}
    for name, length in lengths.items():
        next(cells)
        lessons[name] = nbformat.v4.new_notebook(cells=list(islice(cells, length)))
    return lessons


def test_there_are_five_lessons():
    assert [name[0] for name in LESSONS] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_runs_and_its_answers_are_right(name, answered):
    notebook = answered[name]
    checks = tagged(notebook, "check")
    assert len(checks) == 3
    assert [words_of(cell).strip() for cell in checks] == ["Right."] * 3


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_says_what_was_committed(name, answered):
    kept = LESSONS[name]
    for cell, before in zip(answered[name].cells, kept.cells, strict=True):
        if cell.cell_type != "code" or before.metadata.get("tags"):
            continue
        assert_alike(words_of(cell), words_of(before))
        drawn = [o for o in before.outputs if "image/png" in o.get("data", {})]
        assert len(drawn) == len(make_notebooks.pictures_of(cell)), before.source
        errors = [o for o in cell.outputs if o.get("name") == "stderr"]
        assert errors == []


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_committed_without_noise(name):
    text = (make_notebooks.FOLDER / f"{name}.ipynb").read_text()
    assert len(text) < 1_500_000
    for noise in ("/root", "/home", "/tmp", "site-packages", '"execution":', "http://"):
        assert noise not in text
    notebook = LESSONS[name]
    # The kernel that the tests share would not miss it.
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert "sw.notebook()" in first.source
    pictures = 0
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.execution_count is None
            pictures += sum("image/png" in o.get("data", {}) for o in cell.outputs)
    assert pictures >= 4
    unanswered = [words_of(cell) for cell in tagged(notebook, "check")]
    assert all(text.startswith("Not answered yet") for text in unanswered)
