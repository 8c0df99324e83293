import gc
import weakref

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.document import _cleanup_doc
from panel.io.state import set_curdoc

from swviz.app.page import SessionPage
from swviz.app.session import release
from swviz.app.state import TABS, Workspace

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


def open_and_close(tab):
    """Live the life of a session, and return what dies with it."""
    document = Document()
    with set_curdoc(document):
        page = SessionPage(Workspace(tab=tab))
        page.layout.server_doc(document)
    remains = weakref.ref(page.workspace), weakref.ref(page.layout)
    release(page.layout, document)
    _cleanup_doc(document)
    return remains


@pytest.mark.parametrize("tab", TABS)
def test_a_closed_session_is_freed(tab):
    views = len(pn.state._views)
    remains = [kept for _ in range(2) for kept in open_and_close(tab)]
    gc.collect()
    assert [kept() for kept in remains] == [None] * 4
    assert len(pn.state._views) == views
