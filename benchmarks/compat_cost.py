"""What each patch of other packages is worth: ``python -m benchmarks.compat_cost``.

``swviz.app.compat`` reaches into Panel and Bokeh where that makes the app faster. This
serves the app with all patches, without one after the other (``SWVIZ_COMPAT=-name``),
and without any; sessions without a browser say what a page says. Prints a Markdown
table:

- what a page, all six tabs, a second visit of all, a step of a slider and of a drag
  cost the server's processor;
- how long one user alone waits for the answer to such a step;
- how long a neighbour who turns the line waits while the tabs are opened.

Patches without which something is wrong, and not slower, are not listed: their
reasons are in ``swviz/app/compat``. Name some patches to measure no others.
``--rounds`` (3) is how often all is measured, in turns; the medians are printed. Needs
Linux, and a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks.load import _drag, _turn
from benchmarks.sessions import Served, Visitor, served
from benchmarks.timing import seconds, table
from swviz.app.workspace.state import TABS

FASTER = ("walk_faster", "send_at_once", "make_models", "follows_every_step")
"""Patches that are there for speed alone."""

N_PAGES = 8
N_STEPS = 100
HAND_SECONDS = 0.03
"""Between two steps of a hand."""

WATCH_SECONDS = 3.0
"""How long a neighbour is watched after each click on a tab."""

COLUMNS = (
    "a page",
    "six tabs",
    "all again",
    "a step of a slider",
    "a step of a drag",
    "slider: half answered within",
    "drag: half answered within",
    "neighbour while tabs open: 95 of 100 within",
    "longest",
)


async def measure(server: Served) -> list[float]:
    """Return all columns for a server that is warm, in seconds."""
    for_pages = await _work(server, _open_pages(server)) / N_PAGES
    one, other, third = [await Visitor(server.port).open() for _ in range(3)]
    await asyncio.to_thread(server.await_rehearsal)
    for_tabs = await _work(server, _open_tabs(one, server))
    for_visits = await _work(server, _open_tabs(one, server))
    sliding: list[float] = []
    for_slider = await _work(server, _slide(other, sliding)) / N_STEPS
    dragging: list[float] = []
    for_drag = await _work(server, _step_by_step(other, dragging)) / N_STEPS
    waits: list[float] = []
    turning = asyncio.ensure_future(_turn_on(other, waits))
    await _open_tabs(third, None)
    turning.cancel()
    for visitor in (one, other, third):
        visitor.close()
    return [
        *(for_pages, for_tabs, for_visits, for_slider, for_drag),
        *(statistics.median(sliding), statistics.median(dragging)),
        *(float(np.quantile(waits, 0.95)), max(waits)),
    ]


async def _work(server: Served, what: Awaitable[None]) -> float:
    """Return what the processor has worked until the server rests again."""
    before = server.processor_seconds
    await what
    await asyncio.to_thread(server.await_rehearsal)
    return server.processor_seconds - before


async def _open_pages(server: Served) -> None:
    for _ in range(N_PAGES):
        (await Visitor(server.port).open()).close()


async def _open_tabs(visitor: Visitor, server: Served | None) -> None:
    """Open one tab after the other, each when all of the last has been computed.

    Without a server that is waited for, each has the same time.
    """
    menu = visitor.find(variant="scrollable")
    for place, tab in enumerate(TABS):
        await visitor.change(menu, "active", place)
        if server is None:
            await asyncio.sleep(WATCH_SECONDS)
        else:
            await asyncio.to_thread(server.await_rehearsal)
        await visitor.until(lambda one, tab=tab: f"tab={tab}&" in one.address)


async def _turn_on(visitor: Visitor, waits: list[float]) -> None:
    for step in count():
        waits.append((await _turn(visitor, step))[0])
        await asyncio.sleep(HAND_SECONDS)


async def _slide(visitor: Visitor, times: list[float]) -> None:
    slider = visitor.find(label="Directions M")
    for step in range(N_STEPS):
        # The first places of the slider are those of M = 1, 2, ... 20.
        m = step % 20 + 1
        await _answered(
            *(visitor, visitor.change(slider, "value", m - 1), times),
            lambda one, m=m: len(one.heard("setting")["thetas"]) == m,
        )


async def _step_by_step(visitor: Visitor, times: list[float]) -> None:
    for step in range(N_STEPS):
        stamp = f"{visitor.heard('pair')['stamp']}+{step}"
        await _answered(
            *(visitor, _drag(visitor, step), times),
            lambda one, stamp=stamp: one.heard("answer")["stamp"] == stamp,
        )


async def _answered(
    visitor: Visitor,
    step: Awaitable[object],
    times: list[float],
    holds: Callable[[Visitor], bool],
) -> None:
    began = time.perf_counter()
    await step
    await visitor.until(holds)
    times.append(time.perf_counter() - began)
    await asyncio.sleep(HAND_SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PATCH", help=", ".join(FASTER))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    names = options.names or FASTER
    variants = {
        "all patches": "on",
        **{f"without {name}": f"-{name}" for name in names},
    }
    if not options.names:
        variants["without any"] = "off"
    found: dict[str, list[list[float]]] = {name: [] for name in variants}
    for _ in range(options.rounds):
        for name, said in variants.items():
            with (
                tempfile.TemporaryDirectory() as folder,
                served(Path(folder), SWVIZ_COMPAT=said) as server,
            ):
                server.await_rehearsal()
                found[name].append(asyncio.run(measure(server)))
                print(name, *map(seconds, found[name][-1]), sep=" | ", flush=True)
    rows = [
        [name, *(seconds(statistics.median(one)) for one in zip(*runs, strict=True))]
        for name, runs in found.items()
    ]
    print(table(["Panel and Bokeh", *COLUMNS], rows))


if __name__ == "__main__":
    main()
