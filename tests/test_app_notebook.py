"""The views in cells of a notebook, run by a real kernel."""

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = (
    "import panel as pn\npn.extension('mathjax', 'tabulator')",
    "from swviz.app.views import DiagramView, SliceView\n"
    "view = SliceView([(0, 1), (0.2, 0.7)], [(0.1, 0.9)])\nview",
    "import swviz as sw\nDiagramView(sw.sources.functions())",
    # A point is dragged: the kernel's side follows.
    # As when Panel takes a message of the browser: held, then let go.
    "view.figures.edited.data = {\n"
    "    'stamp': ['1+1'], 'a': [[(0, 3), (0.2, 0.7)]], 'b': [[(0.1, 0.9)]],\n"
    "    'gesture': [1]\n}\n"
    "view.figures.edited.document.unhold()",
    "print(view.workspace.diagram_a.tolist(), view.figures.answer.data['exact'][0]\n"
    "      == sw.sliced_wasserstein_exact([(0, 3), (0.2, 0.7)], [(0.1, 0.9)]))",
)


@pytest.fixture(scope="module")
def cells():
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(text) for text in CELLS]
    )
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return notebook.cells


def shown(cell):
    (result,) = [o for o in cell.outputs if o.output_type == "execute_result"]
    return result.data["text/html"]


def test_showing_views_prints_nothing_to_standard_error(cells):
    outputs = [output for cell in cells[:3] for output in cell.outputs]
    assert [o.text for o in outputs if o.get("name") == "stderr"] == []


def test_slices_show_themselves(cells):
    page = shown(cells[1])
    assert "The line, laid flat: the k-th joins the k-th" in page
    assert "0.2" in page


def test_diagrams_show_themselves(cells):
    page = shown(cells[2])
    assert "figure 1: f" in page
    assert "level t, from birth to death" in page


def test_edits_reach_the_kernel(cells):
    text = "".join(o.text for o in cells[4].outputs if o.get("name") == "stdout")
    assert text.strip() == "[[0.0, 3.0], [0.2, 0.7]] True"
