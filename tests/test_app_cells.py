"""Views of a kernel: who shows them, who holds them, and when they are closed."""

import asyncio
import sys
import urllib.error
import urllib.request
from types import SimpleNamespace

import pytest
from bokeh.document import Document
from bokeh.models import Div
from bokeh.server.session import ServerSession
from panel.io.state import set_curdoc
from tornado.ioloop import IOLoop

from swviz.app.compat.bokeh import take_changes
from swviz.app.runtime.cells import (
    _ELSEWHERE,
    ALIVE,
    CELLS,
    CLOSED,
    HOST,
    Cells,
    cell_id_of,
    cell_of,
    is_held,
)
from swviz.app.ui.frame import frame_html, png_of
from swviz.app.views import ApproximationView, PaperView, SliceView
from swviz.errors import ParameterError
from swviz.plot import diagram


class View:
    """As much of a view as cells know."""

    def __init__(self, cells):
        self.is_closed = False
        self._cells = cells

    def close(self):
        self.is_closed = True
        self._cells.end(self)


class Shell:
    """As much of IPython as cells know: it runs code that is a function."""

    kernel = object()

    def __init__(self):
        self.user_ns = {"Out": {}}
        self.heard = {"pre_run_cell": [], "post_run_cell": []}
        self.events = SimpleNamespace(
            register=lambda name, function: self.heard[name].append(function)
        )
        self._parent = {}

    def get_parent(self):
        return self._parent

    def run(self, cell, code):
        self._parent = {"metadata": {"cellId": cell}, "content": {"code": ""}}
        for function in self.heard["pre_run_cell"]:
            function(None)
        code()
        for function in self.heard["post_run_cell"]:
            function(None)


@pytest.fixture
def kernel(monkeypatch):
    """A kernel's cells and its shell, and what shows a view that no variable has."""
    cells, shell = Cells(), Shell()
    monkeypatch.setattr("swviz.app.runtime.cells.shell_of_kernel", lambda: shell)
    made = []

    def show(view=None, name=None):
        view = View(cells) if view is None else view
        made.append(view)
        shell.user_ns["Out"][len(made)] = view
        if name is not None:
            shell.user_ns[name] = view
        cells.show(view, make_page=None)

    return SimpleNamespace(cells=cells, shell=shell, show=show, made=made)


def open_views(kernel):
    return [frame.view for frame in kernel.cells.frames.values()]


def test_ten_runs_of_a_cell_keep_one_view(kernel):
    for _ in range(10):
        kernel.shell.run("one", kernel.show)
    assert open_views(kernel) == [kernel.made[-1]]
    assert [view.is_closed for view in kernel.made] == [True] * 9 + [False]
    # What IPython keeps of outputs is let go of, too.
    assert list(kernel.shell.user_ns["Out"].values()) == [kernel.made[-1]]


def test_other_cells_keep_their_views(kernel):
    kernel.shell.run("one", kernel.show)
    kernel.shell.run("two", kernel.show)
    kernel.shell.run("two", lambda: None)
    assert open_views(kernel) == [kernel.made[0]]


def test_a_view_that_a_variable_has_stays(kernel):
    kernel.shell.run("one", lambda: kernel.show(name="view"))
    kernel.shell.run("one", lambda: None)
    assert open_views(kernel) == [kernel.made[0]]
    # Until another takes its name, and its cell.
    kernel.shell.run("two", lambda: kernel.show(kernel.made[0]))
    kernel.shell.run("two", lambda: kernel.show(name="view"))
    assert open_views(kernel) == [kernel.made[-1]]
    assert kernel.made[0].is_closed


def test_a_view_in_two_cells_has_one_frame(kernel):
    kernel.shell.run("one", kernel.show)
    view = kernel.made[0]
    kernel.shell.run("two", lambda: kernel.show(view))
    assert len(kernel.cells.frames) == 1
    kernel.shell.run("one", lambda: None)
    assert not view.is_closed
    kernel.shell.run("two", lambda: None)
    assert view.is_closed


@pytest.mark.parametrize(
    ("names", "held"),
    [
        ({"_": 0, "__": 0, "_3": 0, "Out": {3: 0}}, False),
        ({"view": 0}, True),
        ({"views": [1, 0]}, True),
        ({"views": {"a": 0}}, True),
        ({"other": 1}, False),
    ],
)
def test_ipython_s_own_variables_hold_nothing(names, held):
    marks = [object(), object()]
    names = {
        name: marks[value] if isinstance(value, int)
        else type(value)([marks[one] for one in value]) if isinstance(value, list)
        else {key: marks[one] for key, one in value.items()}
        for name, value in names.items()
    }  # fmt: skip
    assert is_held(marks[0], names) is held


def test_a_cell_without_a_name_is_known_by_its_code():
    shell = SimpleNamespace(get_parent=lambda: {"content": {"code": "SliceView()"}})
    assert cell_id_of(shell) is None
    assert cell_of(shell) == "SliceView()"
    assert cell_of(SimpleNamespace()) == ""


def test_the_server_tells_of_the_views_it_has():
    def ask(port, key):
        try:
            with urllib.request.urlopen(f"http://{HOST}:{port}/{ALIVE}/{key}") as got:
                return got.status, got.headers["Access-Control-Allow-Origin"]
        except urllib.error.HTTPError as error:
            return error.code, None

    async def serve():
        cells = Cells()
        view = View(cells)
        frame = cells.show(view, make_page=None)
        port = cells.port
        assert cells.port == port
        asked = [await asyncio.to_thread(ask, port, key) for key in (frame.key, "no")]
        view.close()
        asked.append(await asyncio.to_thread(ask, port, frame.key))
        cells._server.stop()
        return asked

    assert asyncio.run(serve()) == [(204, "*"), (404, None), (404, None)]


def test_a_closed_view_leaves_nothing_behind(monkeypatch):
    shell = Shell()
    for module in ("runtime.cells", "workspace.tab_view"):
        name = f"swviz.app.{module}.shell_of_kernel"
        monkeypatch.setattr(name, lambda: shell)

    async def show_and_close():
        view = SliceView([(0, 1)], [(0, 2)], controls=True)
        shell.user_ns["Out"][1] = view
        shell.run("one", view._repr_mimebundle_)
        [key] = CELLS.frames
        address = f"http://{HOST}:{CELLS.port}/view?bokeh-session-id={key}"
        # Loaded again, it is the same one.
        for _ in range(2):
            await asyncio.to_thread(read, address)
        [session] = CELLS._server.get_sessions()
        shown = [getattr(model, "data", None) for model in session.document.models]
        pairs = [getattr(data, "pair", None) for data in shown]
        assert view.board.pair in pairs
        shell.run("one", lambda: None)
        for _ in range(300):
            if session.destroyed:
                break
            await asyncio.sleep(0.1)
        CELLS._server.stop()
        return session.destroyed

    def read(address):
        with urllib.request.urlopen(address) as got:
            got.read()

    assert asyncio.run(show_and_close())
    assert CELLS.frames == {}
    assert shell.user_ns["Out"] == {}


@pytest.mark.parametrize("on_a_hub", [False, True])
def test_pages_of_a_hub_may_speak_with_views(monkeypatch, caplog, on_a_hub):
    monkeypatch.delenv("JUPYTERHUB_SERVICE_PREFIX", raising=False)
    if on_a_hub:
        monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/somebody/")

    async def serve():
        cells = Cells()
        port = cells.port
        cells._server.stop()
        return port, cells._server._tornado.websocket_origins

    port, origins = asyncio.run(serve())
    assert origins == ({"*"} if on_a_hub else {f"{HOST}:{port}", f"localhost:{port}"})
    assert [one for one in caplog.records if one.levelname == "WARNING"] == []


def test_where_no_page_reaches_the_kernel_slices_turn_by_themselves(monkeypatch):
    name = "swviz.app.workspace.tab_view.shell_of_kernel"
    monkeypatch.setattr(name, lambda: Shell())
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    bundle = SliceView([(0, 1)], [(0, 2)])._repr_mimebundle_()
    assert bundle["text/html"].startswith("<iframe srcdoc=")
    assert "127.0.0.1" not in bundle["text/html"]
    assert CELLS.frames == {}


@pytest.mark.parametrize(
    ("variable", "pages", "expected"),
    [
        (None, False, False),
        ("VSCODE_PID", False, True),
        ("JUPYTERHUB_SERVICE_PREFIX", False, True),
        (None, True, True),
    ],
)
def test_a_page_is_kept_where_the_kernel_may_be_out_of_reach(
    monkeypatch, variable, pages, expected
):
    monkeypatch.setattr("swviz.app.workspace.tab_view.shell_of_kernel", lambda: Shell())
    monkeypatch.setattr(SliceView, "still_page", lambda self: '<b title="own">')
    monkeypatch.setattr(Cells, "port", 5000)
    for name in _ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setenv(variable, "1")
    monkeypatch.setattr("swviz.notebooks._keeps_pages", pages)
    view = SliceView([(0, 1)], [(0, 2)])
    try:
        shown = view._repr_mimebundle_()["text/html"]
    finally:
        view.close()
    assert "const port = 5000" in shown
    own = '<template><iframe srcdoc="&lt;b title=&quot;own&quot;&gt;"'
    assert (own in shown) == expected


def test_nobody_sees_a_view_without_its_key():
    cells, document = Cells(), Document()
    frame = cells.show(View(cells), make_page=None)
    request = SimpleNamespace(arguments={})
    context = SimpleNamespace(id=frame.key[:-1], request=request, session=None)
    document._session_context = lambda: context
    with set_curdoc(document):
        assert cells._page().object == CLOSED


def test_changes_without_the_lock_wait_for_it_and_keep_their_order():
    sent = []

    async def change():
        document = Document()
        text = Div(text="0")
        document.add_root(text)
        session = ServerSession("one", document, IOLoop.current())
        document._session_context = lambda: SimpleNamespace(session=session)
        session._document_patched = lambda event: sent.append(event.new)
        take_changes(document)
        text.text = "1"
        text.text = "2"
        assert sent == []
        await session.with_document_locked(text.update, text="3")
        text.text = "4"
        for _ in range(100):
            if len(sent) == 4:
                break
            await asyncio.sleep(0.01)

    asyncio.run(change())
    assert sent == ["1", "2", "3", "4"]


def test_what_a_cell_shows_is_a_picture_and_a_script_that_looks_for_the_view():
    png = png_of(diagram([(0, 1)], [(0, 2)]), diagram([(0, 1)]))
    page = frame_html("A </script><b>", png, (5000, "key"))
    assert '<img alt="A &lt;/script&gt;&lt;b&gt;"' in page
    assert "data:image/png;base64," in page
    assert 'const key = "key"' in page
    assert page.count("</script>") == 1
    assert "script" not in frame_html("A", png, None)
    assert len(page) < 100_000


def test_a_view_outside_of_a_notebook_says_what_it_is():
    view = SliceView([(0, 1)], [(0, 2)])
    assert view._repr_mimebundle_() == {"text/plain": "SliceView: two diagrams"}


def test_a_view_that_was_closed_says_so(monkeypatch):
    view = SliceView([(0, 1)], [(0, 2)])
    view.close()
    name = "swviz.app.workspace.tab_view.shell_of_kernel"
    monkeypatch.setattr(name, lambda: Shell())
    with pytest.raises(ParameterError, match="make another"):
        view._repr_mimebundle_()


@pytest.mark.parametrize("kind", [SliceView, ApproximationView, PaperView])
def test_controls_are_shown_or_not(kind):
    with pytest.raises(ParameterError, match="controls must be True or False"):
        kind(controls="all")


def test_views_can_be_waited_for_in_a_script():
    view = SliceView([(0, 1)], [(0, 2)])
    asyncio.run(view.ready())
    assert view.board.answer["exact"][0] > 0
