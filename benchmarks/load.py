"""A whole class at once: ``python -m benchmarks.load [PART ...]``.

A server of its own on this machine, and sessions over real websockets that say what the
script of a page says (:mod:`benchmarks.sessions`; there is no browser, so that what is
measured is the server). Prints one Markdown table a part:

``open``       N pages within ten seconds: until each is live, and what it cost.
``move``       N sessions, opened within ten seconds, that turn the line, drag a point
               and change M, each ten times a second: answers, and whether the last
               word of each has arrived.
``train``      N sessions that change M in Learn, each until its machine is shown.
``neighbour``  One session that turns the line: alone, while another runs the heaviest
               job that is allowed, and while others open pages.
``leave``      Sessions closed, broken in the middle of a job, asked for and never
               connected: what is left a minute later.
``row``        Pages one after the other: memory and live sessions on the way.

``--number`` is N (60), ``--seconds`` how long moving goes on (15), ``--row`` how many
in a row (300). ``--workers`` serves by several processes. Every part ends by itself;
needs Linux.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlencode

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.sessions import Served, Visitor, served, visitors
from benchmarks.timing import table

WITHIN = 10.0
"""Seconds within which all pages are asked for."""

A_SECOND = 10
"""Moves of each session."""

HEAVY = {
    "tab": "Distortion",
    "source": "random_diagrams",
    "preset": "uniform",
    "with": '{"n_diagrams": 200, "n_points": 500}',
    "distortion.n_diagrams": "120",
}
"""The heaviest job that a link can ask for: all pairs of 120 diagrams of 500 points."""

Row = tuple[str, str]


async def open_at_once(
    port: int, number: int, within: float = WITHIN
) -> tuple[float, list[float]]:
    """Open pages within some seconds; return how long all and each have taken."""
    several = [Visitor(port) for _ in range(number)]

    async def come(place: int) -> None:
        await asyncio.sleep(place * within / number)
        await several[place].open()

    began = time.monotonic()
    await asyncio.gather(*map(come, range(number)))
    spent = time.monotonic() - began
    for one in several:
        one.close()
    return spent, [one.opened_after for one in several]


async def open_pages(server: Served, number: int) -> list[Row]:
    """Have a class open the page."""
    before = server.processor_seconds
    spent, waited = await open_at_once(server.port, number)
    cost = (server.processor_seconds - before) / number
    return [
        (f"{number} pages asked for within", f"{WITHIN:.0f} s"),
        ("all live after", f"{spent:.1f} s"),
        ("a page: half of them live after", f"{np.median(waited):.2f} s"),
        ("a page: 95 of 100 live after", f"{np.quantile(waited, 0.95):.2f} s"),
        ("a page: slowest", f"{max(waited):.2f} s"),
        ("server's processor time a page", f"{1000 * cost:.0f} ms"),
    ]


async def move(server: Served, number: int, seconds: float) -> list[Row]:
    """Have all sessions move something, and look whether all of it arrives."""
    rows = []
    # Who comes in the same instant is all let in by one of several processes.
    async with visitors(server.port, number, within=WITHIN) as several:
        for one in several:
            # Sixty browsers would not take their processor from the server.
            one.reads_all = False
        for name, step in (("turn", _turn), ("drag", _drag), ("change M", _change_m)):
            times, lost = await _move_all(several, step, seconds)
            rows += [
                (f"{number} that {name}: answers", f"{len(times):,}"),
                (f"{number} that {name}: half within", _ms(times, 0.5)),
                (f"{number} that {name}: 95 of 100 within", _ms(times, 0.95)),
                (f"{number} that {name}: slowest", _ms(times, 1.0)),
                (f"{number} that {name}: last word lost", f"{lost}"),
            ]
    return rows


Step = Callable[[Visitor, int], Awaitable[tuple[float, Callable[[Visitor], bool]]]]


async def _move_all(
    several: list[Visitor], step: Step, seconds: float
) -> tuple[list[float], int]:
    times: list[float] = []

    async def go(visitor: Visitor, place: int) -> bool:
        await asyncio.sleep(place / len(several) / A_SECOND)
        end, count = time.monotonic() + seconds, place
        arrived: Callable[[Visitor], bool] = _nothing
        while time.monotonic() < end:
            began = time.monotonic()
            count += 1
            spent, arrived = await step(visitor, count)
            times.append(spent)
            rest = 1 / A_SECOND - (time.monotonic() - began)
            await asyncio.sleep(max(0.0, rest))
        try:
            await visitor.until(arrived, 30)
        except TimeoutError:
            return False
        return True

    ended = await asyncio.gather(*(go(one, k) for k, one in enumerate(several)))
    return times, ended.count(False)


def _nothing(_visitor: Visitor) -> bool:
    return True


async def _turn(
    visitor: Visitor, count: int
) -> tuple[float, Callable[[Visitor], bool]]:
    angle = round(float(np.sin(count / 7)), 4)
    heard = visitor.heard("asked_angle")["count"]
    spent = await visitor.say("rest", theta=angle, heard=heard)
    return spent, lambda one: f"theta={angle:.4f}" in one.address


async def _drag(
    visitor: Visitor, count: int
) -> tuple[float, Callable[[Visitor], bool]]:
    death = round(0.5 + 0.4 * abs(float(np.sin(count / 7))), 4)
    spent = await visitor.say(
        "edited",
        stamp=f"{visitor.heard('pair')['stamp']}+{count}",
        a=[[0.1, death]],
        b=[[0.2, 0.9], [0.3, 0.4]],
        gesture=1,
    )
    return spent, lambda one: urlencode({"A": f"0.1,{death:.6g}"}) in one.address


async def _change_m(
    visitor: Visitor, count: int
) -> tuple[float, Callable[[Visitor], bool]]:
    number = 2 + count % 100
    spent = await visitor.change(visitor.find(label="M"), "value", number)
    return spent, lambda one: f"M={number}&" in one.address


async def train(server: Served, number: int, rounds: int = 3) -> list[Row]:
    """Have all sessions train machines, each by another M."""
    times: list[float] = []

    async def go(visitor: Visitor, place: int) -> None:
        for turn in range(rounds):
            heard = visitor.n_messages
            began = time.monotonic()
            m = 5 + place + number * turn % 150
            await visitor.change(visitor.find(label="M"), "value", m)
            # The numbers of a machine, its map and its matrix.
            await visitor.until(lambda one, heard=heard: one.n_messages > heard + 6, 60)
            times.append(time.monotonic() - began)

    async with visitors(server.port, number, "?tab=Learn") as several:
        await asyncio.sleep(5)
        await asyncio.gather(*(go(one, k) for k, one in enumerate(several)))
    return [
        (f"{number} that train: machines", f"{len(times)}"),
        (f"{number} that train: half shown after", f"{np.median(times):.2f} s"),
        (f"{number} that train: 95 of 100 after", f"{np.quantile(times, 0.95):.2f} s"),
    ]


async def neighbour(server: Served, number: int, seconds: float) -> list[Row]:
    """Turn a line beside what others do."""
    one = await Visitor(server.port).open()
    alone = await _turn_for(one, seconds)
    other = await Visitor(server.port, "?" + urlencode(HEAVY)).open()
    beside = await _turn_for(one, seconds)
    jobs = server.status()["jobs"]
    other.close()

    # In a process of their own: to read sixty pages is work, too, and not the server's.
    others = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "benchmarks.load", "open", "--number", str(number)),
        *("--port", str(server.port)),
        stdout=asyncio.subprocess.DEVNULL,
    )
    opening = asyncio.ensure_future(others.wait())
    meanwhile: list[float] = []
    while not opening.done():
        meanwhile += await _turn_for(one, 1.0)
    assert await opening == 0
    one.close()
    rows = [("jobs at work during the heaviest", f"{jobs}")]
    for what, times in (
        ("alone", alone),
        ("beside the heaviest job", beside),
        (f"while {number} open", meanwhile),
    ):
        rows.append((f"a neighbour {what}: half within", _ms(times, 0.5)))
        rows.append((f"a neighbour {what}: 95 of 100 within", _ms(times, 0.95)))
    return rows


async def _turn_for(visitor: Visitor, seconds: float) -> list[float]:
    times, _ = await _move_all([visitor], _turn, seconds)
    return times


async def leave(server: Served, number: int, patience: float = 75.0) -> list[Row]:
    """Leave sessions in every way, and look what stays."""
    third = max(1, number // 3)
    before = server.status()
    async with visitors(server.port, third):
        pass
    broken = [
        Visitor(server.port, "?" + urlencode(HEAVY | {"distortion.seed": f"{k}"}))
        for k in range(third)
    ]
    await asyncio.gather(*(one.open() for one in broken))
    at_work = await _at_work(server, patience)
    for one in broken:
        one.kill()
    await asyncio.gather(*(Visitor(server.port).ask() for _ in range(third)))
    asked = server.status()
    began, after = time.monotonic(), asked
    while time.monotonic() - began < patience:
        after = await asyncio.to_thread(server.status)
        if after["sessions"] <= before["sessions"] and not after["jobs"]:
            break
        await asyncio.sleep(1)
    return [
        ("sessions: before, with those asked for, at the end", _each(
            "sessions", before, asked, after)),
        ("jobs: before, as one begins, at the end", _each(
            "jobs", before, at_work, after)),
        ("threads: before, as a job begins, at the end", _each(
            "threads", before, at_work, after)),
        ("nothing left after", f"{time.monotonic() - began:.0f} s"),
    ]  # fmt: skip


async def _at_work(server: Served, patience: float) -> dict[str, int]:
    """Return what the server says once a job is under way: it is to be left so."""
    end = time.monotonic() + patience
    while not (said := await asyncio.to_thread(server.status))["jobs"]:
        if time.monotonic() > end:
            raise TimeoutError("no job has begun: there is nothing to be killed amid")
        await asyncio.sleep(0.05)
    return said


def _each(name: str, *states: dict[str, int]) -> str:
    return ", ".join(str(state[name]) for state in states)


async def in_a_row(server: Served, number: int, at_once: int = 3) -> list[Row]:
    """Open and leave pages one after the other, a few at a time."""
    rows = [("memory before", f"{server.megabytes:.0f} MB")]
    marks = sorted({number // 10, number // 3, number * 2 // 3, number})
    done, began = 0, time.monotonic()
    while done < number:
        async with visitors(server.port, min(at_once, number - done)) as several:
            done += len(several)
        if marks and done >= marks[0]:
            marks.pop(0)
            await _settle(server)
            live = server.status()["sessions"]
            rows.append(
                (
                    f"after {done}: memory, live sessions",
                    f"{server.megabytes:.0f} MB, {live}",
                )
            )
    rows.append(("a page", f"{(time.monotonic() - began) / number:.2f} s"))
    return rows


async def _settle(server: Served, patience: float = 75.0) -> None:
    """Wait until sessions that were left are freed."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if not (await asyncio.to_thread(server.status))["sessions"]:
            break
        await asyncio.sleep(1)
    await asyncio.sleep(2)


def _ms(times: list[float], share: float) -> str:
    return f"{1000 * np.quantile(times, share):.0f} ms"


PARTS = ("open", "move", "train", "neighbour", "leave", "row")


async def run(server: Served, part: str, options: argparse.Namespace) -> list[Row]:
    """Run one part on a server that is warm."""
    number, seconds = options.number, options.seconds
    calls: dict[str, Callable[[], Awaitable[list[Row]]]] = {
        "open": lambda: open_pages(server, number),
        "move": lambda: move(server, number, seconds),
        "train": lambda: train(server, min(number, 10)),
        "neighbour": lambda: neighbour(server, number, seconds),
        "leave": lambda: leave(server, min(number, 15)),
        "row": lambda: in_a_row(server, options.row),
    }
    return await calls[part]()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--number", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--row", type=int, default=300)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--port", type=int, help="only open pages, of that server")
    options = parser.parse_args()
    if options.port:
        asyncio.run(open_at_once(options.port, options.number))
        return
    for part in options.parts or PARTS:
        more = ["--workers", str(options.workers)] if options.workers > 1 else []
        with tempfile.TemporaryDirectory() as folder:
            with served(Path(folder), more) as server:
                server.await_rehearsal()
                rows = asyncio.run(run(server, part, options))
        title = f"{part}, {os.cpu_count()} cores"
        if options.workers > 1:
            title += f", {options.workers} processes"
        print(table([title, ""], rows), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
