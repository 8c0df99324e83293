"""Live work: what is asked for while a round runs makes one more round, not many."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import panel as pn

from swviz.app.runtime.building import start
from swviz.app.runtime.jobs import JobCancelled

_tasks: set[asyncio.Task[None]] = set()
"""Of scripts, tests and notebooks; a session's document looks after its own."""


async def settled() -> None:
    """Wait until nothing is being computed any more, outside of sessions."""
    while _tasks:
        await asyncio.gather(*_tasks)


class Latest:
    """Runs a coroutine; calls while it runs make it run once more, not many times.

    Parameters
    ----------
    work : coroutine function
    """

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._running = self._again = False

    @property
    def is_asked_again(self) -> bool:
        """Whether another round follows the present one."""
        return self._again

    def catch_up(self) -> None:
        """Say that the present round does all that was asked for so far."""
        self._again = False

    def __call__(self) -> None:
        """Have the work done, now or as soon as the present round is over."""
        if self._running:
            self._again = True
            return
        self._running = True
        document = pn.state.curdoc
        if document is not None and document.session_context is not None:
            start(self._run)
            return
        if _running_loop() is None:
            # A script or a test: the caller waits for the result.
            asyncio.run(self._run_and_settle())
            return
        task = asyncio.ensure_future(self._run())
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)

    async def _run(self) -> None:
        try:
            while True:
                self._again = False
                try:
                    await self._work()
                except JobCancelled:
                    # Stopped because its settings have changed: go on with those.
                    pass
                if not self._again:
                    return
        finally:
            self._running = False

    async def _run_and_settle(self) -> None:
        await self._run()
        await settled()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
