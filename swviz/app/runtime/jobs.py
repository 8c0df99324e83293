"""Long work off the server's thread: progress, cancel, and a cache of results.

All sessions share one pool of threads and one cache. A job reports to its view by
being asked, on the document's own thread: no Bokeh model is touched from a worker.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any

import numpy as np
import panel as pn
import param

from swviz.app.runtime.pool import FairPool, Ticket
from swviz.app.runtime.settings import SETTINGS
from swviz.errors import ParameterError

POLL_SECONDS = 0.1
QUIET_SECONDS = 0.3
"""Work shorter than this shows no bar: a flash of it would only disturb."""

LONGEST_REST = 1.0
"""Seconds that a job waits for something urgent before it goes on nevertheless."""

_POOL = FairPool(SETTINGS.job_threads, "swviz-job")
_URGENT = FairPool(2, "swviz-urgent")
"""So that a moved slider does not queue behind the long jobs of others."""


class JobCancelled(Exception):
    """The job was stopped, by its button or because its session has gone."""


def digest(*parts: Any) -> str:
    """Return a key for the cache from everything a result depends on.

    Parameters
    ----------
    *parts
        Arrays, taken with all their bytes, and anything whose `repr` is exact.
    """
    state = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            state.update(repr((part.dtype.str, part.shape)).encode())
            state.update(np.ascontiguousarray(part).tobytes())
        else:
            state.update(repr(part).encode())
        state.update(b"\0")
    return state.hexdigest()


class _Rest:
    """Has jobs rest while something urgent is done: they share one interpreter."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._urgent = 0
        self._calm = threading.Event()
        self._calm.set()

    @contextmanager
    def __call__(self) -> Iterator[None]:
        self._change(1)
        try:
            yield
        finally:
            self._change(-1)

    def _change(self, by: int) -> None:
        with self._lock:
            self._urgent += by
            if self._urgent:
                self._calm.clear()
            else:
                self._calm.set()

    def wait(self) -> None:
        """Return when nothing is urgent any more, or after some time."""
        self._calm.wait(LONGEST_REST)

    @property
    def is_due(self) -> bool:
        """Whether something is urgent."""
        return not self._calm.is_set()


jobs_rest = _Rest()
"""``with jobs_rest():`` the jobs of all sessions pause at their next report."""


def size_of(result: Any) -> int:
    """Return about how many bytes a result holds, with all that it consists of.

    Parameters
    ----------
    result : object
        Arrays, containers and objects with attributes; what is met twice counts once.
    """
    total, seen, left = 0, set(), [result]
    while left:
        part = left.pop()
        if id(part) in seen or isinstance(part, type):
            continue
        seen.add(id(part))
        if isinstance(part, np.ndarray):
            # A view keeps all of its base.
            base = part if part.base is None else part.base
            if base is not part:
                left.append(base)
            else:
                total += part.nbytes
            if part.dtype == object:
                left.extend(part.flat)
            continue
        total += sys.getsizeof(part, 0)
        if isinstance(part, Mapping):
            left.extend(part.values())
        elif isinstance(part, list | tuple | set | frozenset):
            left.extend(part)
        left.extend(getattr(part, "__dict__", {}).values())
    return total


class ResultCache:
    """The results used last, a bounded number of them with a bounded size.

    Parameters
    ----------
    limit : int, optional
        How many.
    most_bytes : int, optional
        Of all together, as :func:`size_of` sees them when they are put here. A result
        that is larger alone is not kept.
    """

    def __init__(
        self,
        limit: int = SETTINGS.results,
        most_bytes: int = SETTINGS.result_bytes,
    ) -> None:
        self.limit, self.most_bytes = limit, most_bytes
        self.n_bytes = 0
        self._results: OrderedDict[str, Any] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._lock = threading.Lock()

    def get(self, key: str | None, default: Any = None) -> Any:
        """Return what is kept under `key`, or `default`."""
        with self._lock:
            if key is None or key not in self._results:
                return default
            self._results.move_to_end(key)
            return self._results[key]

    def put(self, key: str, result: Any) -> None:
        """Keep a result, and forget those that have not been used for longest."""
        size = size_of(result)
        with self._lock:
            self._forget(key)
            if size > self.most_bytes:
                return
            self._results[key], self._sizes[key] = result, size
            self.n_bytes += size
            while len(self._results) > self.limit or self.n_bytes > self.most_bytes:
                self._forget(next(iter(self._results)))

    def _forget(self, key: str) -> None:
        if self._results.pop(key, NOTHING) is not NOTHING:
            self.n_bytes -= self._sizes.pop(key)

    def __len__(self) -> int:
        return len(self._results)


NOTHING = object()
RESULTS = ResultCache()
"""Shared by all sessions."""

_of_sessions: weakref.WeakKeyDictionary[Any, weakref.WeakSet[Job]] = (
    weakref.WeakKeyDictionary()
)


class Report:
    """What a job's function calls to say how far it is, and what it has found."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def __call__(self, done: int, total: int) -> None:
        """Note how far the work is, and end it if it is not wanted any more."""
        self._job.progress(done, total)

    def found(self, part: Any) -> None:
        """Show what has been found so far.

        Parameters
        ----------
        part : object
            Not to be changed any more: another thread draws it.
        """
        self._job.tell(part)


class Job(param.Parameterized):
    """One computation in the pool.

    Parameters
    ----------
    function : callable
        Called in a thread with `progress`, a :class:`Report`.
    key : str, optional
        From :func:`digest`; the result is kept under it.
    urgent : bool, default=False
        Whether somebody waits for it at this moment: other jobs rest meanwhile.
    """

    done = param.Integer(default=0)
    total = param.Integer(default=0)
    ahead = param.Integer(
        default=0, doc="How many jobs are at work or in the queue before this one."
    )
    status = param.Selector(
        default="waiting",
        objects=["waiting", "running", "finished", "cancelled", "failed"],
    )

    def __init__(
        self,
        function: Callable[..., Any],
        key: str | None = None,
        urgent: bool = False,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._function = function
        self._key = key
        self._urgent = urgent
        self._began, self._rested = time.monotonic(), 0.0
        self._stop = threading.Event()
        # Written by the worker and read by the poll; each is replaced whole.
        self._reported = (0, 0)
        self._found: Any = NOTHING
        self._wake: Callable[[], Any] = lambda: None
        self._owner = pn.state.curdoc
        self._ticket: Ticket | None = None
        if pn.state.curdoc is not None:
            _of_sessions.setdefault(pn.state.curdoc, weakref.WeakSet()).add(self)

    @property
    def key(self) -> str | None:
        """Under which the result is kept."""
        return self._key

    def begin(self) -> None:
        """Begin to compute what :meth:`run` will be asked for, unless it is kept."""
        if RESULTS.get(self._key, NOTHING) is NOTHING:
            self._submit(_URGENT if self._urgent else _POOL)

    def cancel(self) -> None:
        """Ask the job to stop; it does at its next report of progress."""
        self._stop.set()
        if self._ticket is not None:
            self._ticket.leave()
        self._wake()

    def tell(self, part: Any) -> None:
        """Keep what has been found so far until somebody takes it."""
        self._found = part

    def take_found(self) -> Any:
        """Return what has been found since, or ``NOTHING``."""
        found, self._found = self._found, NOTHING
        return found

    def progress(self, done: int, total: int) -> None:
        """Note how far the work is, and end it if it is not wanted any more."""
        self._reported = (done, total)
        if self._stop.is_set():
            raise JobCancelled
        if jobs_rest.is_due and not self._urgent:
            self._take_a_rest()
        if self._ticket is not None and not self._urgent:
            self._ticket.give_way()
            if self._stop.is_set():
                raise JobCancelled

    def _take_a_rest(self) -> None:
        """Wait for what is urgent, but for a third of the job's time at most."""
        now = time.monotonic()
        if 3 * self._rested <= now - self._began + LONGEST_REST:
            jobs_rest.wait()
            self._rested += time.monotonic() - now

    async def run(self, watch: Callable[[], None] | None = None) -> Any:
        """Compute, or fetch from the cache, without blocking the server.

        Parameters
        ----------
        watch : callable, optional
            Called now and then while the job runs, on the caller's thread.

        Returns
        -------
        object
            What `function` returned.

        Raises
        ------
        JobCancelled
            If the job was stopped. Errors of `function` are passed on.
        ParameterError
            If the session has too many jobs.
        """
        kept = RESULTS.get(self._key, NOTHING)
        if kept is not NOTHING:
            self.status = "finished"
            return kept
        if self._ticket is None:
            self._submit(_URGENT if self._urgent else _POOL)
        ticket = self._ticket
        assert ticket is not None
        try:
            with jobs_rest() if self._urgent else nullcontext():
                await self._wait_for(ticket.future, watch)
            result = ticket.future.result()
        except (JobCancelled, asyncio.CancelledError, FutureCancelled):
            # The last of a job that left the queue before it had begun.
            self._stop.set()
            ticket.leave()
            self.status = "cancelled"
            raise JobCancelled from None
        except BaseException:
            self.status = "failed"
            raise
        if self._key is not None:
            RESULTS.put(self._key, result)
        self.status = "finished"
        return result

    def _submit(self, pool: FairPool) -> None:
        self._check_number(pool)
        self.status = "running"
        self._ticket = pool.submit(self._owner, self._work)

    def _check_number(self, pool: FairPool) -> None:
        """Refuse the job if its session has too many; scripts may have any number."""
        count = 0 if self._owner is None else pool.count_of(self._owner) + 1
        if count > SETTINGS.session_jobs:
            self.status = "failed"
            raise ParameterError(
                "too much at once: "
                + SETTINGS.exceeded("session_jobs", count, "wait for one, or cancel it")
            )

    async def _wait_for(
        self, future: Future[Any], watch: Callable[[], None] | None
    ) -> None:
        waiting = asyncio.wrap_future(future)
        # Its error, if any, is raised by `future.result()`, or wanted by nobody.
        waiting.add_done_callback(_retrieve)
        stopped = asyncio.get_running_loop().create_future()
        self._wake = partial(_resolve, stopped)
        while True:
            await asyncio.wait(
                {waiting, stopped},
                timeout=POLL_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            self.done, self.total = self._reported
            self.ahead = 0 if self._ticket is None else self._ticket.ahead
            if waiting.done():
                return
            if self._stop.is_set():
                # A function that seldom reports must not hold up the view.
                raise JobCancelled
            if watch is not None:
                watch()

    def _work(self, ticket: Ticket) -> Any:
        # Before the line after `submit` in `run` is reached, perhaps.
        self._ticket = ticket
        if self._stop.is_set():
            raise JobCancelled
        return self._function(progress=Report(self))


def _resolve(waiting: asyncio.Future[None]) -> None:
    """Have a job on another thread's loop notice at once that it was cancelled."""

    def resolve() -> None:
        if not waiting.done():
            waiting.set_result(None)

    loop = waiting.get_loop()
    if not loop.is_closed():
        loop.call_soon_threadsafe(resolve)


def _retrieve(waiting: asyncio.Future[Any]) -> None:
    """Look at a future, or asyncio complains that nobody did."""
    if not waiting.cancelled():
        waiting.exception()


def count_jobs() -> int:
    """Return how many jobs of all sessions are at work or wait."""
    return len(_POOL) + len(_URGENT)


def cancel_session(document: Any) -> None:
    """Stop all jobs of a session that has gone."""
    for job in _of_sessions.pop(document, ()):
        job.cancel()


def cancel_all() -> None:
    """Stop the jobs of a server that ends: Python waits for its threads."""
    for document in list(_of_sessions):
        cancel_session(document)
