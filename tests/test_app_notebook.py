"""The views in cells of a notebook, run by a real kernel with nobody looking."""

import base64
import io

import nbformat
import pytest
from nbclient import NotebookClient
from PIL import Image

CELLS = (
    # As the README has it: nothing has to be called first.
    "from swviz.app.views import SliceView\n"
    "view = SliceView([(0, 1), (0.2, 0.7)], [(0.1, 0.9)])\nview",
    # Its first results come by jobs: the picture has them nevertheless.
    "from swviz import sources\nfrom swviz.app.views import LearnView\n"
    "learn = LearnView(sources.from_preset('point_clouds', 'small'))\nlearn",
    "print(learn.test_text)",
    # A point is dragged: the kernel's side follows.
    "import swviz as sw\n"
    "view.board.edited = {\n"
    "    'stamp': ['1+1'], 'a': [[(0, 3), (0.2, 0.7)]], 'b': [[(0.1, 0.9)]],\n"
    "    'gesture': [1]\n}\n"
    "print(view.workspace.diagram_a.tolist(), view.board.answer['exact'][0]\n"
    "      == sw.sliced_wasserstein_exact([(0, 3), (0.2, 0.7)], [(0.1, 0.9)]))",
    "learn.workspace.sigma = 1e-3\nawait learn.ready()\n"
    "print(learn.trainer.setting.sigma, learn.trainer.computing)",
    # Cells without names are known by their code: the second is the first again.
    "SliceView([(0, 1)], [])",
    "SliceView([(0, 1)], [])",
    "from swviz.app.runtime.cells import CELLS\nprint(len(CELLS.frames))",
)  # fmt: skip


@pytest.fixture(scope="module")
def cells():
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in CELLS]
    )
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        # As in other tests, see conftest.py.
        extra_arguments=[
            "--IPKernelApp.exec_lines=import gc; gc.set_threshold(100_000, 20, 20)"
        ],
    ).execute()
    return notebook.cells


def shown(cell):
    (result,) = [o for o in cell.outputs if o.output_type == "execute_result"]
    return result.data


def said(cell, stream="stdout"):
    return "".join(o.text for o in cell.outputs if o.get("name") == stream).strip()


def test_nothing_is_printed_to_standard_error(cells):
    assert [said(cell, "stderr") for cell in cells] == [""] * len(cells)


@pytest.mark.parametrize("index", [0, 1])
def test_a_picture_stays_in_the_notebook_and_no_script_of_megabytes(cells, index):
    data = shown(cells[index])
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert picture.width > 600
    # Axes alone have a few colours.
    assert len(picture.convert("RGB").getcolors(2**20)) > 20
    assert (
        f'src="data:image/png;base64,{data["image/png"].strip()}' in data["text/html"]
    )
    assert sum(map(len, data.values())) < 400_000


def test_first_results_are_there_when_the_view_is(cells):
    assert said(cells[2]).endswith("%")


def test_edits_reach_the_kernel(cells):
    assert said(cells[3]) == "[[0.0, 3.0], [0.2, 0.7]] True"


def test_a_cell_can_wait_for_the_view(cells):
    assert said(cells[4]) == "0.001 False"


def test_a_view_is_closed_when_its_cell_runs_again(cells):
    # Those of two variables, and one of two others.
    assert said(cells[7]) == "3"
