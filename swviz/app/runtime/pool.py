"""Threads that sessions share fairly: nobody starves beside the long jobs of others.

A job holds one of few slots while it computes. When somebody of another session waits,
a job that has held its slot for a while hands it over at its next report, and goes on
when it is its turn again: its thread rests, and another one works meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

SLICE_SECONDS = 1.0
"""How long a job keeps its slot although others wait."""

BEGUN_PER_SLOT = 8
"""Jobs that have begun and rest, for each slot: they hold memory."""

_LOOK_SECONDS = 0.2


class Ticket:
    """A place in the queue of a :class:`FairPool`, then a slot, until the end."""

    def __init__(
        self, pool: FairPool, owner: Hashable, work: Callable[[Ticket], Any]
    ) -> None:
        self.owner = owner
        self.work = work
        self.future: Future[Any] = Future()
        self.has_begun = self.is_left = False
        self.since = 0.0
        self.go = threading.Event()
        self._pool = pool

    @property
    def ahead(self) -> int:
        """How many jobs are at work or go before this one; 0 if it is at work."""
        return self._pool.count_ahead(self)

    def give_way(self) -> None:
        """Let others work, if it is their turn; return when it is this one's again."""
        self._pool.give_way(self)

    def leave(self) -> None:
        """Say that nobody wants the result: what has not begun never does."""
        self._pool.leave(self)


class FairPool:
    """Runs functions in threads, those of each owner in turn.

    Parameters
    ----------
    slots : int
        How many are at work at once.
    name : str
        Of the threads.
    """

    def __init__(self, slots: int, name: str) -> None:
        self.slots = slots
        self._threads = ThreadPoolExecutor(slots * BEGUN_PER_SLOT, name)
        self._lock = threading.Lock()
        self._waiting: list[Ticket] = []
        self._at_work: set[Ticket] = set()
        self._turn = 0
        self._last_turn: dict[Hashable, int] = {}

    def submit(self, owner: Hashable, work: Callable[[Ticket], Any]) -> Ticket:
        """Have a function called with its ticket when it is its owner's turn."""
        ticket = Ticket(self, owner, work)
        with self._lock:
            self._waiting.append(ticket)
            self._fill()
        return ticket

    def count_of(self, owner: Hashable) -> int:
        """Return how many jobs an owner has here that somebody still wants."""
        with self._lock:
            mine = [t for t in (*self._waiting, *self._at_work) if t.owner is owner]
            return sum(not ticket.is_left for ticket in mine)

    def __len__(self) -> int:
        with self._lock:
            return len(self._waiting) + len(self._at_work)

    def count_ahead(self, ticket: Ticket) -> int:
        """Return how many jobs are at work or come before a ticket's."""
        with self._lock:
            if ticket not in self._waiting:
                return 0
            return self._in_order().index(ticket) + len(self._at_work)

    def give_way(self, ticket: Ticket) -> None:
        """Have a job rest if its time is over and others wait."""
        with self._lock:
            mine = ticket in self._at_work
            over = time.monotonic() - ticket.since >= SLICE_SECONDS
            others = any(
                other.owner is not ticket.owner and self._may_begin(other)
                for other in self._waiting
            )
            if not (mine and over and others):
                return
            self._at_work.discard(ticket)
            ticket.go.clear()
            # Before what its owner has not begun: it holds memory.
            self._waiting.insert(0, ticket)
            self._fill()
        while not ticket.go.wait(_LOOK_SECONDS):
            if ticket.is_left:
                self._end(ticket)
                return

    def leave(self, ticket: Ticket) -> None:
        """Take a ticket out of the queue if it has not begun."""
        with self._lock:
            ticket.is_left = True
            if ticket in self._waiting and not ticket.has_begun:
                self._waiting.remove(ticket)
                ticket.future.cancel()

    def _in_order(self) -> list[Ticket]:
        """Return who waits, each owner with one job after the other.

        Those who have least at work come first, then those served longest ago.
        """
        at_work: dict[int, int] = {}
        for ticket in self._at_work:
            at_work[id(ticket.owner)] = at_work.get(id(ticket.owner), 0) + 1
        ranked = []
        for place, ticket in enumerate(self._waiting):
            before = at_work.get(id(ticket.owner), 0)
            at_work[id(ticket.owner)] = before + 1
            last = self._last_turn.get(id(ticket.owner), 0)
            ranked.append((before, last, place, ticket))
        return [ticket for *_, ticket in sorted(ranked, key=lambda one: one[:3])]

    def _may_begin(self, ticket: Ticket) -> bool:
        begun = len(self._at_work) + sum(one.has_begun for one in self._waiting)
        return ticket.has_begun or begun < self.slots * BEGUN_PER_SLOT

    def _fill(self) -> None:
        """Give free slots to those whose turn it is; called with the lock."""
        while len(self._at_work) < self.slots:
            able = [one for one in self._in_order() if self._may_begin(one)]
            if not able:
                break
            ticket = able[0]
            self._waiting.remove(ticket)
            self._at_work.add(ticket)
            self._turn += 1
            self._last_turn[id(ticket.owner)] = self._turn
            ticket.since = time.monotonic()
            ticket.go.set()
            if not ticket.has_begun:
                ticket.has_begun = True
                self._threads.submit(self._run, ticket)
        if not self._waiting:
            self._last_turn.clear()

    def _run(self, ticket: Ticket) -> None:
        if not ticket.future.set_running_or_notify_cancel():
            self._end(ticket)
            return
        try:
            result = ticket.work(ticket)
        except BaseException as error:
            self._end(ticket)
            ticket.future.set_exception(error)
        else:
            self._end(ticket)
            ticket.future.set_result(result)

    def _end(self, ticket: Ticket) -> None:
        with self._lock:
            self._at_work.discard(ticket)
            if ticket in self._waiting:
                self._waiting.remove(ticket)
            self._fill()
