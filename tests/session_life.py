"""The life of sessions, and what is left: ``python -m tests.session_life``.

In a process of its own, whose garbage is nobody else's, and where no type is known yet.
"""

import asyncio
import gc
import weakref
from types import SimpleNamespace

import panel as pn
from bokeh.core.has_props import is_DataModel
from bokeh.document import Document
from bokeh.model import Model
from panel.io.document import _cleanup_doc
from panel.io.state import set_curdoc

from swviz.app import views
from swviz.app.compat.bokeh import walk_faster
from swviz.app.compat.panel import release
from swviz.app.runtime import session
from swviz.app.runtime.session import free_at_end, spare_checks
from swviz.app.shell.page import SessionPage
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.state import TABS, Workspace

FEW = recipe("point_clouds", "small", {"n_clouds": 2})()
"""Eight diagrams with their clouds: what a session keeps is not a matter of size."""


def types():
    """Return the types that a page knows if it is sent now."""
    known = Model.model_class_reverse_map
    return {name for name, kind in known.items() if is_DataModel(kind)}


def typed():
    """Load all tabs: their types exist already, before any page is sent."""
    before = types()
    assert before >= {"Button1"}
    for name in views.__all__:
        getattr(views, name)
    assert types() - before == set()


def open_and_close(tabs):
    """Live the life of a session; return what dies with it, by its name."""
    document = Document()
    with set_curdoc(document):
        space = Workspace(FEW, title="few", source="upload", tab=tabs[0])
        page = SessionPage(space)
        for tab in tabs:
            page.workspace.tab = tab
        page.layout.server_doc(document)
    assert set(page.views) == set(tabs)
    del space
    parts = page.views | {"workspace": page.workspace, "layout": page.layout}
    remains = {name: weakref.ref(part) for name, part in parts.items()}
    release(page.layout, document)
    _cleanup_doc(document)
    return remains


def alive_after(*sessions):
    """Return the names of what is left of sessions with these tabs."""
    closed = [open_and_close(tabs) for tabs in sessions]
    gc.collect()
    return [name for one in closed for name, kept in one.items() if kept() is not None]


def closed():
    """Open and close sessions: nothing of them is alive afterwards."""
    views = len(pn.state._views)
    # The second finds what the first has left for it, with figures of either kind.
    alive = alive_after(TABS, ["Learn"])
    # What is kept keeps the whole page: the tabs to blame are found one by one.
    blamed = [tab for tab in TABS if alive and alive_after([tab])]
    assert (alive, blamed) == ([], [])
    assert len(pn.state._views) == views


def ended():
    """Have a server end a session: it frees the page soon."""
    session.COLLECT_AFTER = 0.05
    gc.disable()
    document = Document()
    with set_curdoc(document):
        page = SessionPage(Workspace(tab="Slices"))
        page.layout.server_doc(document)
        free_at_end(page.layout)
    gone = weakref.ref(page.workspace)
    del page

    async def live():
        nonlocal document
        for end in list(document.session_destroyed_callbacks):
            end(SimpleNamespace(_document=document, id="of a test"))
        end = document = None
        await asyncio.sleep(0.3)

    asyncio.run(live())
    assert gone() is None
    gc.enable()


if __name__ == "__main__":
    typed()
    print("No type is late.")
    # As in other tests, see conftest.py; nothing is kept by it, nor freed.
    gc.set_threshold(100_000, 20, 20)
    # As on a server.
    walk_faster()
    spare_checks()
    ended()
    closed()
    print("Nothing is left.")
