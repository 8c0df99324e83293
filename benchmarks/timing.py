"""Timing and tables for the benchmarks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any


def best_time(call: Callable[[], Any], repetitions: int = 3) -> tuple[Any, float]:
    """Return a call's result and its shortest time in seconds.

    The shortest of a few runs is the one that other work on the machine disturbed
    least.
    """
    shortest = float("inf")
    result = None
    for _ in range(repetitions):
        start = time.perf_counter()
        result = call()
        shortest = min(shortest, time.perf_counter() - start)
    return result, shortest


def in_turns(
    calls: dict[str, Callable[[], Any]], repetitions: int = 3
) -> dict[str, tuple[Any, float]]:
    """Time several calls round by round, so that all see the same machine."""
    found: dict[str, tuple[Any, float]] = {}
    for _ in range(repetitions):
        for name, call in calls.items():
            result, seconds = best_time(call, 1)
            found[name] = result, min(seconds, found.get(name, (None, seconds))[1])
    return found


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table, numbers to the right."""
    lines = [list(header), ["---"] + ["---:"] * (len(header) - 1)]
    lines += [[str(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def seconds(value: float) -> str:
    """Return a time with a unit that suits it."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"
