"""What a view keeps computed: what is wanted, what runs, and whose result it is.

Each view has a :class:`Task` for each thing that it computes, and asks it whenever
something has changed. The task begins when somebody looks, lets the latest request win,
passes on what has been found so far, and drops what comes too late.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import panel as pn
import param

from swviz.app.runtime.building import start, starts_later
from swviz.app.runtime.jobs import NOTHING, Job, JobCancelled
from swviz.app.runtime.session import handle_exception, in_document
from swviz.errors import SwvizError

SLOW_SECONDS = 0.3
"""What is on show stays for so long while its successor is computed."""

_without_session: set[asyncio.Task[None]] = set()
"""Of scripts, tests and notebooks; a session's document looks after its own."""


class Turn:
    """One answer to what is asked of a task, until something else is asked."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._question = task.question

    @property
    def is_over(self) -> bool:
        """Whether something else is asked by now."""
        return self._question != self._task.question

    async def compute(
        self,
        function: Callable[..., Any],
        key: str | None = None,
        title: str = "",
        *,
        urgent: bool = False,
        show: Callable[[Any], None] | None = None,
    ) -> Any:
        """Have a function computed in a thread, as :meth:`Task.compute` does.

        Raises
        ------
        JobCancelled
            Also if the turn is over: nobody wants to know any more.
        """
        if self.is_over:
            raise JobCancelled
        shown = None if show is None else partial(self.show, show)
        result = await self._task.run_job(function, key, title, urgent, shown)
        if self.is_over:
            raise JobCancelled
        return result

    def show(self, function: Callable[..., Any], *values: Any) -> None:
        """Call a function that changes the page, unless the turn is over by then.

        Parameters
        ----------
        function : callable
        *values
            What it is called with.
        """

        def call() -> None:
            if not self.is_over:
                function(*values)

        self._task.in_document(call)


class Task(param.Parameterized):
    """Something that a view keeps computed, by jobs off the server's thread.

    Parameters
    ----------
    work : coroutine function, optional
        Takes a :class:`Turn`, by which it computes and shows. Not needed for a task
        that only does single jobs, by :meth:`compute`.
    is_open : callable, optional
        Tells whether anybody looks: a hidden view does not begin to compute.
    delay : float, default=0
        Seconds of a session to wait for more requests before a turn.
    at_once : bool, default=True
        Whether a script waits for the result. If not, it has to ask by :meth:`ready`.
    in_cell : callable, optional
        Called instead of a turn where there is no session: it computes and shows, so
        that a cell of a notebook has the answer with the question.
    is_small : callable, optional
        Tells whether `in_cell` takes less time than it takes to have a thread do it. It
        is called in sessions, too, then.
    on_slow : callable, optional
        Called if what is wanted takes longer than a moment.
    live : bool, default=False
        Whether a step that was passed over is shown nevertheless, so that the moment
        begins anew with each turn, and not with the first of a drag.
    on_stop : callable, optional
        Called if the user has cancelled a turn.
    on_error : callable, optional
        Called with what went wrong. Mistakes of users are told on the page if there is
        none; other errors always are.

    Attributes
    ----------
    question : int
        Counts what was asked anew; an answer to an earlier question is dropped.
    """

    busy = param.Boolean(default=False, doc="Whether a job is running.")
    begun = param.Integer(default=0, doc="How many jobs have begun.")
    title = param.String(default="", doc="What is being done.")
    done = param.Integer(default=0)
    total = param.Integer(default=0, doc="0 if nobody knows.")
    seconds = param.Number(default=0.0, doc="Since the job began.")
    ahead = param.Integer(default=0, doc="Jobs that are in the queue before this one.")

    def __init__(
        self,
        work: Callable[[Turn], Awaitable[None]] | None = None,
        *,
        is_open: Callable[[], bool] = lambda: True,
        delay: float = 0.0,
        at_once: bool = True,
        in_cell: Callable[[], None] | None = None,
        is_small: Callable[[], bool] = lambda: False,
        on_slow: Callable[[], None] | None = None,
        live: bool = False,
        on_stop: Callable[[], None] | None = None,
        on_error: Callable[[Exception], None] | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._work = work
        self._is_open = is_open
        self._delay = delay
        self._at_once = at_once
        self._in_cell, self._is_small = in_cell, is_small
        self._live = live
        self._on_slow, self._on_stop, self._on_error = on_slow, on_stop, on_error
        self.question = 0
        self._job: Job | None = None
        self._early: Job | None = None
        self._is_due = self._is_running = self._is_stopped = False
        # On the loop of a kernel, which does not turn while a cell runs.
        self._scheduled: asyncio.Task[None] | None = None
        document = pn.state.curdoc
        is_served = document is not None and document.session_context is not None
        self._document = document if is_served else None

    # -- what is wanted -------------------------------------------------------------

    @property
    def is_due(self) -> bool:
        """Whether an answer is wanted that has not been begun."""
        return self._is_due

    def request(self, anew: bool = True) -> None:
        """Want an answer to what is asked now.

        Parameters
        ----------
        anew : bool, default=True
            Whether the answer that is being computed is wrong by now, and ended.
            Otherwise it is finished and shown first.
        """
        self._is_due, self._is_stopped = True, False
        if anew:
            self._end_turn()
        self.look()

    def look(self) -> None:
        """Begin what is due, if somebody looks."""
        if not self._is_due or self._is_running or not self._is_open():
            return
        if self._document is not None and not self._is_small():
            self._is_running = True
            start(self._run)
        elif self._in_cell is not None:
            self._is_due = False
            self._in_cell()
        elif _is_loop_running():
            self._is_running = True
            running = self._scheduled = asyncio.ensure_future(self._run())
            _without_session.add(running)
            running.add_done_callback(_without_session.discard)
        elif self._at_once:
            self._is_running = True
            asyncio.run(self._run_to_the_end())

    def begin(self, function: Callable[..., Any], key: str) -> None:
        """Begin a job that the first turn will ask for, while its view is being made.

        Parameters
        ----------
        function : callable
            As in :meth:`compute`.
        key : str
            By which the turn finds it under way.
        """
        if self._document is not None and self._is_open() and starts_later():
            self._early = Job(function, key)
            self._early.begin()

    def cancel(self) -> None:
        """Stop computing, as the button does; what is found so far stays."""
        self._is_due, self._is_stopped = False, self._is_running
        self._cancel_job()

    def forget(self) -> None:
        """End what runs, without a word, and want nothing."""
        self._is_due = self._is_stopped = False
        self._end_turn()

    @property
    def is_running(self) -> bool:
        """Whether an answer is being computed, or will be when the loop turns."""
        return self._is_running

    def unschedule(self) -> None:
        """Let somebody else begin what is due, if it has not begun."""
        if self._scheduled is not None and self._scheduled.cancel():
            _without_session.discard(self._scheduled)
            self._is_running = False
        self._scheduled = None

    async def ready(self) -> None:
        """Wait until all that is wanted has been computed."""
        if self._is_due and not self._is_running and self._is_open():
            self._is_running = True
            await self._run()
        while self._is_running:
            await asyncio.sleep(0.01)

    # -- what is done ---------------------------------------------------------------

    async def compute(
        self,
        function: Callable[..., Any],
        key: str | None = None,
        title: str = "",
        *,
        urgent: bool = False,
    ) -> Any:
        """Have a function computed in a thread; a newer one replaces it.

        Parameters
        ----------
        function : callable
            Takes `progress`; see :class:`swviz.app.runtime.jobs.Job`.
        key : str, optional
            From :func:`swviz.app.runtime.jobs.digest`; the result is kept under it.
        title : str, default=""
            What is being done, for those who wait.
        urgent : bool, default=False
            Whether other jobs rest meanwhile.

        Returns
        -------
        object
            What the function returned; :class:`JobCancelled` is raised if it was
            stopped.
        """
        return await self.run_job(function, key, title, urgent)

    async def run_job(
        self,
        function: Callable[..., Any],
        key: str | None,
        title: str,
        urgent: bool,
        show: Callable[[Any], None] | None = None,
    ) -> Any:
        """Run the next job of this task; `show` takes what it has found so far."""
        early = self._early
        if early is not None and early.key == key:
            job, self._early = early, None
        else:
            job = Job(function, key, urgent)
        self._cancel_job()
        self._job = job
        began = time.monotonic()

        def watch() -> None:
            if self._job is job:
                self.param.update(
                    done=job.done,
                    total=job.total,
                    ahead=job.ahead,
                    seconds=time.monotonic() - began,
                )
                show_found()

        def show_found() -> None:
            found = job.take_found()
            if found is not NOTHING and show is not None:
                show(found)

        self.param.update(
            title=title,
            done=0,
            total=0,
            seconds=0.0,
            ahead=0,
            begun=self.begun + 1,
            busy=True,
        )
        try:
            return await job.run(watch)
        except Exception:
            show_found()
            raise
        finally:
            if self._job is job:
                self._job = None
                self.busy = False

    def in_document(self, function: Callable[[], Any]) -> None:
        """Call a function with the document locked, unless the session has gone."""
        if self._document is None or self._document.session_context is not None:
            in_document(function)

    def _end_turn(self) -> None:
        self.question += 1
        self._cancel_job()

    def _cancel_job(self) -> None:
        for job in (self._job, self._early):
            if job is not None:
                job.cancel()
        self._early = None

    async def _run(self) -> None:
        self._scheduled = None
        late = asyncio.ensure_future(self._say_when_slow())
        try:
            while self._is_due and self._is_open():
                if self._delay and self._document is not None:
                    await asyncio.sleep(self._delay)
                if self._live:
                    late.cancel()
                    late = asyncio.ensure_future(self._say_when_slow())
                self._is_due = False
                await self._answer(Turn(self))
            if self._is_stopped and self._on_stop is not None:
                Turn(self).show(self._on_stop)
        finally:
            late.cancel()
            self._is_running = self._is_stopped = False

    async def _say_when_slow(self) -> None:
        while self._on_slow is not None:
            await asyncio.sleep(SLOW_SECONDS)
            Turn(self).show(self._on_slow)

    async def _run_to_the_end(self) -> None:
        """In a script the loop ends with this call, and takes with it what runs."""
        await self._run()
        await settled()

    async def _answer(self, turn: Turn) -> None:
        assert self._work is not None, "a task without work takes no requests"
        try:
            await self._work(turn)
        except JobCancelled:
            pass
        except Exception as error:
            self._tell(turn, error)

    def _tell(self, turn: Turn, error: Exception) -> None:
        if self._on_error is None or not isinstance(error, SwvizError):
            self.in_document(partial(handle_exception, error))
        if self._on_error is not None:
            turn.show(self._on_error, error)


async def ready(*tasks: Task) -> None:
    """Wait until all that is wanted of some tasks has been computed, in their order."""
    for task in tasks:
        await task.ready()


def finish(tasks: Sequence[Task], seconds: float) -> bool:
    """Compute what is wanted of some tasks now, as long as it does not take too long.

    For a cell of a notebook: tasks are on its loop, which waits for the cell. If one of
    them has begun before, none is waited for; what is not finished begins again later.

    Parameters
    ----------
    tasks : sequence of Task
        In the order in which they ask one another.
    seconds : float

    Returns
    -------
    bool
        Whether everything has been computed.
    """
    for task in tasks:
        task.unschedule()
    if any(task.is_running for task in tasks):
        for task in tasks:
            task.look()
        return False
    # A loop of its own, in a thread: this one has a loop.
    with ThreadPoolExecutor(1) as thread:
        late = thread.submit(asyncio.run, _finish(tasks, seconds)).result()
    for task in late:
        task.request()
    return not late


async def _finish(tasks: Sequence[Task], seconds: float) -> list[Task]:
    """Return the tasks that could not be finished; nothing of them runs any more."""
    everything = asyncio.ensure_future(ready(*tasks))
    await asyncio.wait([everything], timeout=seconds)
    late = [task for task in tasks if task.is_due or task.is_running]
    for task in late:
        task.forget()
    await everything
    await settled()
    return late


async def settled() -> None:
    """Wait until nothing is being computed any more on this loop, without sessions."""
    loop = asyncio.get_running_loop()
    while own := [task for task in _without_session if task.get_loop() is loop]:
        await asyncio.gather(*own)


def _is_loop_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
