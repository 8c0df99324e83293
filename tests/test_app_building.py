import asyncio
import threading
from contextlib import nullcontext
from functools import partial
from types import SimpleNamespace

import panel as pn
import param
import pytest
from bokeh.document import Document
from bokeh.document.models import DocumentModelManager
from panel.io.state import set_curdoc

from swviz.app.runtime import building
from swviz.app.runtime.browser import Browser
from swviz.app.runtime.building import (
    fill_later,
    make_then,
    rehearse,
    start,
    when_drawn,
)
from swviz.app.runtime.jobs import jobs_rest


class ServedDocument:
    """As much of a served document as building needs; time passes when told."""

    session_context = SimpleNamespace(request=SimpleNamespace(arguments={}))
    session_context.session = None

    def __init__(self):
        self.later = []

    def add_timeout_callback(self, function, _milliseconds):
        self.later.append(function)

    def pass_time(self):
        while self.later:
            self.later.pop(0)()


class Work(param.Parameterized):
    busy = param.Boolean(default=False)


@pytest.fixture
def document(monkeypatch):
    monkeypatch.setattr(building, "start", lambda work: work())
    monkeypatch.setattr(building, "in_document", lambda function: function())
    document = ServedDocument()
    with set_curdoc(document):
        yield document


def texts(column):
    return [row.object for row in column]


def row(text):
    return lambda: pn.pane.HTML(text)


def fail():
    raise ValueError("no such row")


def test_in_a_notebook_all_rows_are_there_at_once():
    column = pn.Column()
    fill_later(column, [row("a"), row("b")], after=Work().param.busy)
    assert texts(column) == ["a", "b"]


def test_rows_come_one_by_one(document):
    column = pn.Column()
    fill_later(column, [row("a"), row("b")])
    assert texts(column) == []
    document.later.pop(0)()
    assert texts(column) == ["a"]
    document.pass_time()
    assert texts(column) == ["a", "b"]


def test_a_row_that_fails_does_not_take_the_others_with_it(document, monkeypatch):
    told = []
    monkeypatch.setattr(building, "handle_exception", told.append)
    column = pn.Column()
    fill_later(column, [row("a"), fail, row("b")])
    document.pass_time()
    assert texts(column) == ["a", "b"]
    assert [str(error) for error in told] == ["no such row"]


def test_rows_wait_for_the_job_above_them(document):
    column, work = pn.Column(), Work()
    fill_later(column, [row("a")], after=work.param.busy)
    patience = document.later.pop(0)
    work.busy = True
    document.pass_time()
    assert texts(column) == []
    work.busy = False
    document.pass_time()
    assert texts(column) == ["a"]
    # Patience ends later, and there is nothing to do any more.
    patience()
    document.pass_time()
    assert texts(column) == ["a"]


def test_rows_do_not_wait_for_ever(document):
    column = pn.Column()
    fill_later(column, [row("a")], after=Work().param.busy)
    document.pass_time()
    assert texts(column) == ["a"]


def test_the_browser_says_when_it_has_drawn(document):
    browser, calls = Browser(), []
    assert Browser.of(document) is browser
    when_drawn(lambda: calls.append("drawn"))
    assert calls == []
    browser.drawn = -1  # an old answer
    assert calls == []
    browser.drawn = browser.asked
    assert calls == ["drawn"]
    # The answer that came in time makes the last resort void.
    document.pass_time()
    assert calls == ["drawn"]


def test_a_browser_that_sleeps_is_not_waited_for(document):
    browser, calls = Browser(), []
    when_drawn(lambda: calls.append("drawn"))
    document.pass_time()
    browser.drawn = browser.asked
    assert calls == ["drawn"]


def test_outside_of_a_session_a_view_is_made_at_once():
    shown = []
    make_then(lambda: "view", shown.append)
    assert shown == ["view"]


class CountedWalks(DocumentModelManager):
    """Bokeh's own models of a document, and how often it has walked through them."""

    walks = 0

    def recompute(self):
        self.walks += 1
        super().recompute()


@pytest.fixture
def session(monkeypatch):
    """A session that is being served, with an event loop of its own."""
    document = ServedDocument()
    document.models = CountedWalks(Document())
    queue, told = [], []
    document.add_next_tick_callback = queue.append
    monkeypatch.setattr(type(pn.state), "loaded", True)
    monkeypatch.setattr(pn.io, "unlocked", nullcontext)
    monkeypatch.setattr(building, "in_document", lambda function: function())
    monkeypatch.setattr(building, "handle_exception", told.append)
    document.told = told
    document.turn = lambda: asyncio.run(queue.pop(0)())
    with set_curdoc(document):
        yield document


def test_a_view_is_made_in_a_thread_and_added_outside_of_it(session):
    threads, started = [], []

    def make():
        threads.append(threading.current_thread())
        assert pn.state.curdoc is session
        start(lambda: started.append(list(threads)))
        return "view"

    def add(view):
        assert view == "view"
        for _ in range(3):
            session.models.invalidate()
        threads.append(threading.current_thread())

    make_then(make, add)
    assert threads == []
    session.turn()
    assert threads[0].name.startswith("swviz-builder")
    assert threads[1] is threading.main_thread()
    # Bokeh walked once, at the end, and walks again at the next change.
    assert session.models.walks == 1
    session.models.invalidate()
    assert session.models.walks == 2
    # What the view starts by itself begins when it is there.
    assert started == [threads]


@pytest.mark.parametrize("where", ["make", "add"])
def test_a_view_that_fails_leaves_nothing_behind(session, where):
    started = []

    def step(now, *_view):
        if now == "make":
            start(lambda: started.append(True))
        if now == where:
            raise ValueError("no such view")

    make_then(partial(step, "make"), partial(step, "add"))
    session.turn()
    assert [str(error) for error in session.told] == ["no such view"]
    assert not started
    walks = session.models.walks
    session.models.invalidate()
    assert session.models.walks == walks + 1
    assert building._wanted.get() is None
    assert not jobs_rest.is_due


def test_views_are_rehearsed_one_by_one_with_others_in_between(caplog):
    order, begun = [], []

    def make(name):
        start(lambda: begun.append(name))
        assert pn.state.curdoc.session_context is None
        order.append(name)

    def click():
        # A user opens a tab while the first is being made.
        make("first")
        clicked.append(building._BUILDER.submit(order.append, "clicked"))

    clicked = []
    rehearse([click, fail, partial(make, "third")])
    building._BUILDER.submit(lambda: None).result()
    while len(order) < 3:
        building._BUILDER.submit(lambda: None).result()
    assert order == ["first", "clicked", "third"]
    assert begun == []
    assert "no such row" in caplog.text
