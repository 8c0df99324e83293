import asyncio
import gc
import weakref

import panel as pn
import pytest
from bokeh.document import Document
from panel.io.document import _cleanup_doc
from panel.io.state import set_curdoc

from swviz.app import session
from swviz.app.page import SessionPage
from swviz.app.session import collect_soon, keep_from_collector, release
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


class Knot:
    """Garbage that only the collector can free."""

    def __init__(self):
        self.itself = self


def test_what_was_kept_from_the_collector_is_freed_after_a_session(monkeypatch):
    monkeypatch.setattr(session, "COLLECT_AFTER", 0.01)
    runs, collect = [], gc.collect
    monkeypatch.setattr(gc, "collect", lambda: runs.append(collect()))
    knot = Knot()
    gone = weakref.ref(knot)

    async def live():
        with set_curdoc(Document()):
            keep_from_collector()
        nonlocal knot
        knot = None
        # Sessions that end together are freed together.
        collect_soon()
        collect_soon()
        await asyncio.sleep(0.2)

    try:
        asyncio.run(live())
        assert len(runs) == 1
        assert gone() is None
    finally:
        gc.unfreeze()


def test_notebooks_keep_their_collector():
    before = gc.get_freeze_count()
    keep_from_collector()
    assert gc.get_freeze_count() == before
