import pytest
from bokeh.document import Document
from bokeh.model import util
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure
from panel.io.state import set_curdoc

from swviz.app.compat import bokeh as model_walk
from swviz.app.shell.page import SessionPage
from swviz.app.workspace.state import Workspace

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture(autouse=True)
def unpatched(monkeypatch):
    original = model_walk._original
    monkeypatch.setattr(util, "visit_immediate_value_references", original)


def found(root, walk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(util, "visit_immediate_value_references", walk)
        return util.collect_models(root)


def kinds_of_page(tab, walk):
    """Build a page and walk through it in one way only: a walk leaves traces."""
    document = Document()
    with pytest.MonkeyPatch.context() as patch, set_curdoc(document):
        patch.setattr(util, "visit_immediate_value_references", walk)
        SessionPage(Workspace(tab=tab)).layout.server_doc(document)
        root = document.roots[0]
        assert model_walk.walk_through(root, walk) == util.collect_models(root)
        return [type(model).__name__ for model in util.collect_models(root)]


@pytest.mark.parametrize("tab", ["Slices", "Paper"])
def test_the_same_models_are_found_in_the_same_order(tab):
    quick = kinds_of_page(tab, model_walk.visit)
    assert quick == kinds_of_page(tab, model_walk._original)
    assert len(quick) > 60


def test_defaults_that_are_models_are_found():
    kinds = {type(one).__name__ for one in found(ColumnDataSource(), model_walk.visit)}
    assert kinds == {"ColumnDataSource", "Selection", "UnionRenderers"}


def test_what_was_put_into_a_default_is_found():
    plot, source = figure(), ColumnDataSource({"x": [1]})
    plot.tags.append(source)
    assert source in found(plot, model_walk.visit)
    plot.js_property_callbacks["change:tags"] = []
    assert found(plot, model_walk.visit) == found(plot, model_walk._original)


def test_other_values_than_models_are_walked_through():
    plot = figure()
    models = []
    model_walk.visit([{"a": plot}], models.append)
    assert models == [plot]


def test_bokeh_is_left_alone_if_it_works_otherwise(monkeypatch):
    switch = model_walk.walk_faster.__wrapped__
    monkeypatch.setattr(model_walk, "visit", lambda value, visitor: value.no_such_thing)
    assert switch() is False
    assert util.visit_immediate_value_references is model_walk._original
    monkeypatch.undo()
    assert switch() is True
    assert util.visit_immediate_value_references is model_walk.visit
    util.visit_immediate_value_references = model_walk._original
