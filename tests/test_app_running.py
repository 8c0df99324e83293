import asyncio
import time

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from swviz.app.runtime.browser import Browser
from swviz.app.runtime.jobs import JobCancelled
from swviz.app.runtime.task import Task
from swviz.app.shell import running as running_module
from swviz.app.shell.page import SessionPage
from swviz.app.shell.running import JobsElsewhere, LostJobs
from swviz.app.tabs.diagrams.generator import Generator
from swviz.app.ui.job_bar import JobBar, RunningJobs
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.state import TABS, Workspace

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture
def document():
    document = Document()
    with set_curdoc(document):
        yield document


@pytest.fixture(scope="module")
def page():
    """A page with all of its tabs; tests open others, and leave it otherwise."""
    few = recipe("point_clouds", "small", {"n_clouds": 2})()
    with set_curdoc(Document()):
        page = SessionPage(Workspace(few, title="few", source="upload", tab="Diagrams"))
        for tab in TABS:
            page.workspace.tab = tab
        # Its bar is on the page when it is chosen, and not before.
        page.views["Diagrams"].way = "Upload"
        yield page


def count_slowly(progress):
    for done in range(80):
        progress(done, 80)
        time.sleep(0.02)


def test_a_job_shows_on_every_tab_but_its_own(page):
    page.workspace.tab = "Diagrams"
    task = page.views["Diagrams"].generator.jobs.task
    seen = {}

    async def walk():
        job = asyncio.create_task(task.compute(count_slowly, title="Counting"))
        while not page.running.bars:
            await asyncio.sleep(0.02)
        for tab in ("Slices", "Diagrams", "Paper"):
            page.workspace.tab = tab
            seen[tab] = page.elsewhere.text
        assert page.running.titles == ["Counting"]
        page.elsewhere.show()
        assert page.workspace.tab == "Diagrams"
        page.workspace.tab = "Slices"
        await job

    asyncio.run(walk())
    assert seen["Diagrams"] == ""
    assert seen["Slices"].startswith("Diagrams: Counting ·")
    assert seen["Paper"].startswith("Diagrams: Counting ·")
    assert page.elsewhere.text == ""
    assert page.running.bars == []


def test_a_job_that_begins_before_its_card_is_on_the_page_shows_on_other_tabs():
    tabs = {}
    running, bar = RunningJobs(), JobBar(Task(title="Counting"))
    elsewhere = JobsElsewhere(running, tabs.get, tab="Slices")
    running.bars = [bar]
    bar.text = "Counting · 1 of 80"
    assert elsewhere.text == ""
    tabs[bar] = "Learn"
    bar.text = "Counting · 2 of 80"
    assert elsewhere.text == "Learn: Counting · 2 of 80"
    elsewhere.show()
    assert elsewhere.tab == "Learn"
    assert elsewhere.text == ""


def bars_of(thing, seen=None):
    """Every JobBar that a view holds, in whatever part of it."""
    seen = set() if seen is None else seen
    for value in vars(thing).values():
        if isinstance(value, JobBar):
            yield value
        elif type(value).__module__.startswith("swviz.app.tabs") and (
            id(value) not in seen
        ):
            seen.add(id(value))
            yield from bars_of(value, seen)


@pytest.mark.parametrize("tab", TABS)
def test_bars_are_found_in_their_tabs(page, tab):
    bars = list(bars_of(page.views[tab]))
    assert bars or tab == "Slices"
    assert {page._tab_of(bar) for bar in bars} <= {tab}
    assert page._tab_of(page.jobs) is None


def test_a_quick_job_disturbs_nobody(document):
    page = SessionPage(Workspace(tab="Slices"))
    told = []
    page.running.param.watch(lambda event: told.append(event.new), "bars")
    task = Generator(page.workspace).jobs.task
    asyncio.run(task.compute(lambda progress: 7, title="Quick"))
    assert told == []
    assert page.running.begun == {"Quick"}


def test_the_memo_has_the_title_of_the_job_that_a_bar_went_over_to(document):
    running, task, browser = RunningJobs(), Task(), Browser()
    bar = JobBar(task)
    LostJobs(running, browser)

    async def walk():
        first = asyncio.create_task(task.compute(count_slowly, title="First"))
        while bar not in running.bars:
            await asyncio.sleep(0.02)
        assert browser.at_work == "First"
        second = asyncio.create_task(task.compute(count_slowly, title="Second"))
        await asyncio.sleep(0)
        assert browser.at_work == "Second"
        task.cancel()
        await asyncio.wait({first, second})
        assert {type(job.exception()) for job in (first, second)} == {JobCancelled}

    asyncio.run(walk())
    assert browser.at_work == ""


def test_lost_jobs_are_told_unless_they_have_begun_again(document, monkeypatch):
    told = []
    monkeypatch.setattr(running_module, "tell", lambda text, *rest: told.append(text))
    running = RunningJobs()
    running.begun.add("Again")
    browser = Browser()
    LostJobs(running, browser)
    browser.lost = "Again\nTraining"
    assert len(told) == 1
    assert "Training" in told[0]
    assert "Again;" not in told[0]
    browser.lost = "Again"
    assert len(told) == 1
