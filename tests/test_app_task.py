import asyncio
import itertools
import threading
import time

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from swviz.app.runtime import task as task_module
from swviz.app.runtime.jobs import JobCancelled
from swviz.app.runtime.task import Task, finish, ready, settled
from swviz.errors import SwvizError


class Notebook:
    """A view with a question, a hidden state, and a list of what it was told."""

    def __init__(self, **options):
        self.question = "a"
        self.is_shown = True
        self.seen = []
        self.gate = threading.Event()
        self.task = Task(
            self.work,
            is_open=lambda: self.is_shown,
            on_stop=lambda: self.seen.append("stopped"),
            on_error=lambda error: self.seen.append(str(error)),
            **options,
        )

    async def work(self, turn):
        question = self.question

        def compute(progress):
            progress.found(f"part of {question}")
            while not self.gate.wait(0.005):
                progress(1, 2)
            return question.upper()

        answer = await turn.compute(compute, title=question, show=self.seen.append)
        turn.show(self.seen.append, answer)

    def ask(self, question, anew=True):
        self.question = question
        self.task.request(anew)


async def until(condition):
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come")


def test_a_script_waits_for_the_answer():
    view = Notebook()
    view.gate.set()
    view.ask("a")
    assert view.seen[-1] == "A"
    assert not view.task.is_due
    assert not view.task.busy


def test_a_script_may_ask_later():
    view = Notebook(at_once=False)
    view.gate.set()
    view.ask("a")
    assert view.seen == []
    assert view.task.is_due
    asyncio.run(view.task.ready())
    assert view.seen[-1] == "A"
    asyncio.run(view.task.ready())
    assert view.seen.count("A") == 1


def test_a_new_question_ends_the_old_one_and_drops_what_comes_late():
    async def ask_twice():
        view = Notebook()
        view.ask("a")
        await until(lambda: view.task.busy)
        view.ask("b")
        await until(lambda: view.task.title == "b")
        view.gate.set()
        await view.task.ready()
        return view.seen

    assert [said for said in asyncio.run(ask_twice()) if "part" not in said] == ["B"]


def test_an_answer_that_is_on_its_way_to_the_page_is_dropped_too(monkeypatch):
    waiting = []
    monkeypatch.setattr(task_module, "in_document", waiting.append)

    async def ask_twice():
        view = Notebook()
        view.gate.set()
        view.ask("a")
        await view.task.ready()
        view.ask("b")
        await view.task.ready()
        for function in waiting:
            function()
        return view.seen

    seen = asyncio.run(ask_twice())
    assert "A" not in seen
    assert seen[-1] == "B"


def test_a_step_is_finished_and_shown_before_the_next():
    async def drag():
        view = Notebook()
        view.ask("a")
        await until(lambda: view.task.busy)
        for step in "bcd":
            view.ask(step, anew=False)
        view.gate.set()
        await view.task.ready()
        return view.seen

    # Steps between are passed over.
    assert [said for said in asyncio.run(drag()) if "part" not in said] == ["A", "D"]


def test_steps_are_shown_although_the_next_has_begun(monkeypatch):
    waiting = []
    monkeypatch.setattr(task_module, "in_document", waiting.append)

    async def drag():
        view = Notebook()
        view.ask("a")
        await until(lambda: view.task.busy)
        view.ask("b", anew=False)
        view.gate.set()
        await view.task.ready()
        for function in waiting:
            function()
        return view.seen

    assert {"A", "B"} <= set(asyncio.run(drag()))


def test_parts_are_shown_as_they_come():
    async def look():
        view = Notebook()
        view.ask("a")
        await until(lambda: view.seen)
        assert view.seen == ["part of a"]
        view.gate.set()
        await view.task.ready()
        return view.seen

    assert asyncio.run(look()) == ["part of a", "A"]


def test_cancelling_keeps_the_parts_and_wants_nothing_more():
    async def cancel():
        view = Notebook()
        view.ask("a")
        await until(lambda: view.task.busy)
        view.ask("b", anew=False)
        await asyncio.sleep(0.02)
        view.task.cancel()
        await view.task.ready()
        return view

    view = asyncio.run(cancel())
    assert view.seen == ["part of a", "stopped"]
    assert not view.task.is_due


def test_forgetting_is_silent():
    async def forget():
        view = Notebook()
        view.ask("a")
        await until(lambda: view.task.busy)
        view.task.forget()
        await view.task.ready()
        return view

    view = asyncio.run(forget())
    assert "stopped" not in view.seen
    assert not view.task.busy


def test_a_hidden_view_computes_nothing_until_it_is_shown():
    async def hide():
        view = Notebook()
        view.gate.set()
        view.is_shown = False
        view.ask("a")
        view.ask("b")
        await view.task.ready()
        assert view.task.begun == 0
        assert view.task.is_due
        view.is_shown = True
        view.task.look()
        await view.task.ready()
        view.task.look()
        await view.task.ready()
        return view

    view = asyncio.run(hide())
    assert view.task.begun == 1
    assert view.seen[-1] == "B"


@pytest.mark.parametrize("error", [SwvizError("no such thing"), ValueError("oh")])
def test_an_error_is_told_once_and_ends_nothing_else(monkeypatch, error):
    told = []
    monkeypatch.setattr(task_module, "handle_exception", told.append)

    async def fail(turn):
        raise error

    heard = []
    task = Task(fail, on_error=heard.append)
    task.request()
    assert heard == [error]
    # Mistakes of users are the view's to tell; defects are told in any case.
    assert told == ([] if isinstance(error, SwvizError) else [error])
    task.request()
    assert len(heard) == 2
    silent = Task(fail)
    silent.request()
    assert told[-1] is error


def test_a_slow_turn_says_so_and_a_quick_one_does_not(monkeypatch):
    said = threading.Event()

    def no_time(progress):
        pass

    def until_said(progress):
        assert said.wait(60)

    async def work(turn):
        await turn.compute(compute)

    task = Task(work, on_slow=said.set)
    # No machine is so busy that a turn of nothing takes that long.
    monkeypatch.setattr(task_module, "SLOW_SECONDS", 60)
    compute = no_time
    task.request()
    assert not said.is_set()
    monkeypatch.setattr(task_module, "SLOW_SECONDS", 0.05)
    compute = until_said
    task.request()
    assert said.is_set()


def test_a_drag_of_short_steps_is_slow_unless_its_steps_are_shown(monkeypatch):
    def drag(live, seconds):
        """Take twenty steps of a tenth of a second; tell whether that was slow."""
        monkeypatch.setattr(task_module, "SLOW_SECONDS", seconds)
        said, steps = [], itertools.count(1)

        async def work(turn):
            if next(steps) < 20:
                task.request(anew=False)
            await turn.compute(lambda progress: time.sleep(0.1))

        task = Task(work, on_slow=lambda: said.append("slow"), live=live)
        task.request()
        return bool(said)

    # All of them take longer; one of them does only where it is stopped for a second.
    assert not drag(live=True, seconds=1.5)
    assert drag(live=False, seconds=1.5)


def test_cancelling_before_the_next_turn_has_begun_says_so():
    async def cancel():
        view = Notebook()
        view.ask("a")
        await until(lambda: view.task.busy)
        view.ask("b")
        view.task.cancel()
        await view.task.ready()
        return view.seen

    assert asyncio.run(cancel())[-1] == "stopped"


def test_what_was_found_before_an_error_stays(monkeypatch):
    monkeypatch.setattr(task_module, "handle_exception", lambda error: None)
    shown = []

    def fail(progress):
        progress.found("some")
        raise ValueError("no")

    async def work(turn):
        await turn.compute(fail, show=shown.append)

    Task(work).request()
    assert shown == ["some"]


def test_turns_that_are_over_start_no_further_job():
    jobs = []

    async def work(turn):
        for name in "abc":
            await turn.compute(lambda progress, name=name: jobs.append(name))
            if name == "b":
                task.question += 1

    task = Task(work)
    task.request()
    assert jobs == ["a", "b"]


def test_a_single_job_replaces_the_one_before():
    task = Task()

    async def replace():
        def wait(progress):
            while True:
                progress(0, 0)
                time.sleep(0.005)

        first = asyncio.create_task(task.compute(wait, title="first"))
        await until(lambda: task.busy)
        assert await task.compute(lambda progress: 7, title="second") == 7
        with pytest.raises(JobCancelled):
            await first

    asyncio.run(replace())
    assert (task.title, task.begun, task.busy) == ("second", 2, False)


def test_a_cancelled_job_that_never_reports_holds_nobody_up():
    gate = threading.Event()

    async def work(turn):
        await turn.compute(lambda progress: gate.wait(10))

    async def cancel():
        task = Task(work)
        task.request()
        await until(lambda: task.busy)
        start = time.monotonic()
        task.cancel()
        await task.ready()
        return time.monotonic() - start

    try:
        assert asyncio.run(cancel()) < 5
    finally:
        gate.set()


def test_in_a_cell_the_answer_comes_with_the_question():
    shown = []

    async def cell():
        task = Task(in_cell=lambda: shown.append("now"))
        task.request()
        assert shown == ["now"]
        assert not task.is_due

    asyncio.run(cell())


def test_nothing_is_shown_to_a_session_that_has_gone():
    class Context:
        pass

    document = Document()
    with set_curdoc(document):
        document._session_context = lambda: Context  # as Bokeh's server does
        task = Task()
    document._session_context = None
    shown = []
    task.in_document(lambda: shown.append("late"))
    assert shown == []


@pytest.fixture
def being_made(monkeypatch):
    """A session whose view is being made: what starts, starts later."""
    started = []
    monkeypatch.setattr(task_module, "start", started.append)
    monkeypatch.setattr(task_module, "starts_later", lambda: True)
    document = Document()
    document._session_context = lambda: document  # as Bokeh's server does
    with set_curdoc(document):
        yield started


class Counting:
    """A job that counts how often it begins, and waits for its gate."""

    def __init__(self):
        self.begun = 0
        self.stopped = threading.Event()
        self.gate = threading.Event()

    def __call__(self, progress):
        self.begun += 1
        try:
            while not self.gate.wait(0.005):
                progress(1, 2)
        except JobCancelled:
            self.stopped.set()
            raise
        return "done"


def test_a_job_begins_while_its_view_is_made_and_is_found_by_its_key(being_made):
    job, found = Counting(), []

    async def work(turn):
        found.append(await turn.compute(job, "begun early"))

    async def begin_then_start():
        task = Task(work)
        task.begin(job, "begun early")
        await until(lambda: job.begun)
        task.request(anew=False)
        assert not task.busy
        [start] = being_made
        running = asyncio.ensure_future(start())
        await until(lambda: task.busy)
        job.gate.set()
        await running

    asyncio.run(begin_then_start())
    assert found == ["done"]
    assert job.begun == 1


@pytest.mark.parametrize("ends", ["another key", "forget", "anew"])
def test_a_job_begun_for_nothing_is_ended(ends, being_made):
    early, other = Counting(), Counting()
    other.gate.set()

    async def work(turn):
        await turn.compute(other, f"another question: {ends}")

    async def begin_then_ask():
        task = Task(work)
        task.begin(early, "a question that nobody asks")
        await until(lambda: early.begun)
        if ends == "forget":
            task.forget()
        else:
            task.request(anew=ends == "anew")
            await being_made[0]()
        await until(early.stopped.is_set)

    asyncio.run(begin_then_ask())
    assert other.begun == (ends != "forget")


def test_nothing_begins_early_where_nobody_looks_or_waits(being_made, monkeypatch):
    job = Counting()
    job.gate.set()
    Task(is_open=lambda: False).begin(job, "hidden")
    monkeypatch.setattr(task_module, "starts_later", lambda: False)
    Task().begin(job, "on show")
    with set_curdoc(Document()):
        Task().begin(job, "rehearsed")
    assert job.begun == 0


def test_all_tasks_of_a_script_are_waited_for():
    done = []

    async def second_work(turn):
        await turn.compute(lambda progress: time.sleep(0.05))
        turn.show(done.append, "second")

    second = Task(second_work)

    async def first_work(turn):
        await turn.compute(lambda progress: None)
        turn.show(second.request)

    Task(first_work).request()
    assert done == ["second"]


def test_ready_and_settled_wait_for_several():
    async def run():
        views = [Notebook(), Notebook()]
        for view in views:
            view.gate.set()
            view.ask("a")
        await ready(*(view.task for view in views))
        await settled()
        return [view.seen[-1] for view in views]

    assert asyncio.run(run()) == ["A", "A"]


def test_a_cell_has_what_is_computed_in_time():
    async def run_a_cell():
        view = Notebook()
        view.gate.set()
        view.ask("a")
        # Not begun: the loop waits for the cell.
        assert finish([view.task], 60)
        seen = list(view.seen)
        await settled()
        return view, seen

    view, seen = asyncio.run(run_a_cell())
    assert seen[-1] == "A"
    assert view.seen == seen
    assert not view.task.is_due
    assert not view.task.is_running


def test_what_takes_a_cell_too_long_is_computed_after_it():
    async def run_a_cell():
        view = Notebook()
        view.ask("a")
        assert not finish([view.task], 0.05)
        assert "A" not in view.seen
        view.gate.set()
        await view.task.ready()
        return view

    assert asyncio.run(run_a_cell()).seen[-1] == "A"


def test_a_cell_does_not_wait_for_what_has_begun_before():
    async def run_two_cells():
        view, other = Notebook(), Notebook()
        view.ask("a")
        await until(lambda: view.task.busy)
        other.gate.set()
        other.ask("b")
        assert not finish([view.task, other.task], 60)
        view.gate.set()
        await settled()
        return view, other

    view, other = asyncio.run(run_two_cells())
    assert (view.seen[-1], other.seen[-1]) == ("A", "B")
    assert (view.seen.count("A"), other.seen.count("B")) == (1, 1)


def test_a_question_asked_after_a_cell_has_waited_is_answered_once():
    async def run_a_cell():
        view = Notebook()
        view.gate.set()
        view.ask("a")
        finish([view.task], 60)
        view.ask("b")
        await settled()
        return view

    view = asyncio.run(run_a_cell())
    assert view.seen[-1] == "B"
    assert view.seen.count("B") == 1
    assert not view.task.is_running
