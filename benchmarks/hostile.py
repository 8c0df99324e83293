"""What strangers may send: ``python -m benchmarks.hostile [--messages 10000]``.

A server of its own on this machine gets messages that no page would send, over real
websockets: properties of wrong types and out of their ranges, models that are not
there, events without a form, broken files as uploads, documents pushed over its own,
bytes that are no message, links that make no sense. Beside it a neighbour goes on
turning the line. Exits with 1 unless the server is up at the end, no answer held a
trace or a path, its log quotes nobody, and the neighbour was answered all the time.

Needs Linux; 10,000 messages take some minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.sessions import HOST, Closed, Served, Visitor, served
from benchmarks.timing import table
from tests.file_mutations import mutated_files

MARK = "secret-of-a-user"
"""What a user's data hold, and no log may."""

MARKUP = f"<img src=x onerror=alert('{MARK}')>"
PATIENCE = 4.0

VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**70), 1e308, -1e308, 0.5),
    *("", MARK, MARKUP, "1e999", "\0", "x" * 20_000, "../../etc/passwd"),
    *([], [MARK], [[[]]], [None] * 50, {}, {"type": "map", "entries": []}),
    {"type": "number", "value": "nan"},
    {"type": "number", "value": "+inf"},
    {"type": "map", "entries": [[MARK, [1, 2]], ["theta", "x"]]},
    {"type": "map", "entries": "x"},
    {"type": "ndarray", "array": {"type": "bytes", "data": "AA=="}, "shape": [10**9],
     "dtype": "float64", "order": "little"},
    {"type": "ndarray", "array": [1], "shape": [-1], "dtype": "object"},
    {"type": "bytes", "data": "!"},
    {"type": "slice", "start": 0, "stop": 10**12, "step": 0},
    {"type": "object", "name": "Figure", "id": "new"},
    {"type": "object", "name": f"No{MARK}", "id": "x"},
    {"type": "ref", "id": "nobody"},
    {"id": "nobody"},
    {"type": "set", "entries": [[1], [1]]},
    {"type": "date", "iso": MARK},
    {"type": MARK},
]  # fmt: skip
EVENTS: list[Any] = [
    {}, {"kind": MARK}, {"kind": "ModelChanged"}, {"kind": "RootAdded", "model": 3},
    {"kind": "RootRemoved", "model": {"id": "nobody"}}, {"kind": "TitleChanged"},
    {"kind": "TitleChanged", "title": MARKUP},
    {"kind": "ColumnsStreamed", "model": {"id": "nobody"}, "attr": "data",
     "data": {"x": [1]}, "rollover": -1},
    {"kind": "ColumnsPatched", "model": {"id": "nobody"}, "attr": "data",
     "patches": {"x": [[10**9, 1]]}},
    {"kind": "MessageSent"}, {"kind": "MessageSent", "msg_type": MARK, "msg_data": 1},
    {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": MARK},
    {"kind": "MessageSent", "msg_type": "bokeh_event",
     "msg_data": {"type": "event", "name": MARK, "values": {}}},
    {"kind": "MessageSent", "msg_type": "bokeh_event",
     "msg_data": {"type": "event", "name": "button_click",
                  "values": {"type": "map", "entries": [["model", {"id": "nobody"}]]}}},
    "event", 3, None, [],
]  # fmt: skip
FRAGMENTS: list[tuple[str | bytes, ...]] = [
    (b"\xff\xfe\0",),
    ("{",),
    ("[]", "[]", "[]"),
    ('{"msgid": 1, "msgtype": "NOTHING"}', "{}", "{}"),
    ('{"msgid": "1", "msgtype": "PATCH-DOC"}', "{}", "[" * 50_000),
    ('{"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": 9}', "{}", "{}", "x"),
    ('{"msgid": "1", "msgtype": "PATCH-DOC"}', "{}", '{"events": 3}'),
    ('{"msgtype": "PULL-DOC-REQ"}', "{}", "{}"),
    (MARK, MARK, MARK),
]
"""What ends a session: each is tried now and then."""

QUERIES: list[dict[str, str]] = [
    {"A": "nan,inf;1", "B": MARKUP},
    {"A": ";".join(["0,1"] * 900)},
    {"M": "10" * 3000, "theta": "nan", "sigma": "-1", "dim": "99999999999"},
    {"source": "upload", "title": MARKUP, "A": "0,1", "B": "0,2"},
    {"source": "orbits", "preset": "paper", "with": '{"n_points": 1e12}'},
    {"source": "orbits", "preset": MARK, "with": "[" * 5000},
    {"source": "textures", "preset": "small", "with": '{"pictures": "/etc/passwd"}'},
    {"tab": MARKUP, "a": "-1", "b": "1e9", "rule": "\0"},
    {"tour": "A" * 5000},
    {"tour": MARK, "station": "99999"},
    {f"x.{number}": MARK for number in range(300)},
    {"distortion.n_diagrams": "1000000000", "tab": "Distortion"},
    {"learn.seed": MARK, "learn.C": "nan", "tab": "Learn"},
]
PATHS = [
    *("/", "/app/../../etc/passwd", "/static/..%2f..%2fetc%2fpasswd", f"/{MARK}"),
    *("/static/extensions/panel/../../../x", "/app/ws", "/app/autoload.js", "/%00"),
    *(
        "/components/x/y",
        "/status?x=" + MARK,
        "/opening?M=" + MARK,
        "/liveness/" + MARK,
    ),
]


class Attack:
    """Sends what it can think of, and counts what comes of it."""

    def __init__(self, server: Served, seed: int) -> None:
        self.server = server
        self.choose = random.Random(seed)
        self.files = mutated_files(100_000, seed)
        self.outcomes: Counter[str] = Counter()
        self.leaks: list[str] = []
        self.sent = 0

    async def run(self, messages: int, each: int = 250) -> None:
        """Send so many messages, some hundred of each session."""
        while self.sent < messages:
            visitor = Visitor(self.server.port, self._tab())
            try:
                await visitor.open()
                for _ in range(min(each, messages - self.sent)):
                    if not visitor.is_open:
                        break
                    await self.send(visitor)
            except (Closed, OSError):
                self.outcomes["session ended"] += 1
            finally:
                self.leaks += visitor.leaks
                visitor.close()
                print(f"{self.sent:,} sent, {len(self.leaks)} leaks", file=sys.stderr)

    async def send(self, visitor: Visitor) -> None:
        """Send one message, and wait for what comes of it."""
        self.sent += 1
        dice = self.choose.random()
        if dice < 0.006:
            self.outcomes["no message"] += 1
            await visitor.write(*self.choose.choice(FRAGMENTS))
            # Its end may be heard of, or not.
            with suppress(asyncio.TimeoutError, Closed):
                await asyncio.wait_for(visitor.send("PULL-DOC-REQ", {}), 2)
            return
        if dice < 0.01:
            self.outcomes["document pushed"] += 1
            document = {"roots": [self.choose.choice(VALUES)], "title": MARK}
            await self._answer(visitor.send("PUSH-DOC", {"doc": document}))
            return
        if dice < 0.2:
            self.outcomes["upload"] += 1
            for event in self._upload(visitor):
                await self._answer(visitor.patch([event]))
            return
        if dice < 0.35:
            self.outcomes["event"] += 1
            await self._answer(visitor.patch([self.choose.choice(EVENTS)]))
            return
        self.outcomes["property"] += 1
        model, name = self._property(visitor)
        value = self.choose.choice(VALUES)
        await self._answer(visitor.change(model, name, value))

    async def ask(self, number: int) -> None:
        """Open pages by links that make no sense, and addresses that are none."""
        for path in PATHS:
            self.outcomes["address"] += 1
            await asyncio.to_thread(self._fetch, path)
        for _ in range(number):
            self.outcomes["link"] += 1
            query = dict(self.choose.choice(QUERIES))
            query.update(self.choose.choice(QUERIES))
            visitor = Visitor(self.server.port, "?" + urlencode(query)[:7000])
            try:
                await visitor.open()
            except (OSError, Closed) as error:
                self.outcomes[f"link: {type(error).__name__}"] += 1
            finally:
                self.leaks += visitor.leaks
                visitor.close()

    async def _answer(self, sent: Any) -> None:
        try:
            await asyncio.wait_for(sent, PATIENCE)
        except TimeoutError:
            # Its own page may be beyond repair by now; a new one goes on.
            self.outcomes[f"no answer within {PATIENCE:.0f} s"] += 1
            raise Closed from None

    def _tab(self) -> str:
        tabs = ("Slices", "Slices", "Diagrams", "Learn", "Distortion", "Approximation")
        return f"?tab={self.choose.choice(tabs)}"

    def _property(self, visitor: Visitor) -> tuple[str, str]:
        if self.choose.random() < 0.1:
            return self.choose.choice(["nobody", "", "p1"]), "value"
        model = self.choose.choice(list(visitor.models))
        names = [*visitor.models[model], "value", "data", "children", "name", MARK]
        return model, self.choose.choice(names)

    def _upload(self, visitor: Visitor) -> Iterator[dict[str, Any]]:
        """Say what the field for files says, with a file that is broken."""
        drops = visitor.find_fields_for_files() or list(visitor.models)
        model, sample = self.choose.choice(drops), next(self.files)
        name = self.choose.choice([sample.name, MARKUP, f"../../{MARK}.csv", "=1+1"])
        data = {"type": "bytes", "data": _base64(sample.data[:50_000])}
        for said in (
            {"kind": "begin", "batch": 1, "left_out": self.choose.choice([0, "x"])},
            {"kind": "part", "batch": 1, "place": 0, "name": name, "data": data},
            {"kind": "end", "batch": 1},
        ):
            yield {
                "kind": "MessageSent",
                "msg_type": "bokeh_event",
                "msg_data": {
                    "type": "event",
                    "name": "data_event",
                    "values": {
                        "type": "map",
                        "entries": [
                            ["model", {"id": model}],
                            ["data", {"type": "map", "entries": list(said.items())}],
                        ],
                    },
                },
            }

    def _fetch(self, path: str) -> None:
        address = f"http://{HOST}:{self.server.port}{quote(path, safe='/%?=.&')}"
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                text = answer.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
        visitor = Visitor(self.server.port)
        visitor.look_for_leaks(text)
        self.leaks += visitor.leaks


def _base64(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()


async def turn(visitor: Visitor, times: list[float], is_over: asyncio.Event) -> None:
    """Turn the line of a session ten times a second."""
    heard = visitor.heard("asked_angle")["count"]
    while not is_over.is_set():
        angle = float(np.sin(time.monotonic()))
        times.append(await visitor.say("rest", theta=angle, heard=heard))
        await asyncio.sleep(0.1)


async def attack(server: Served, messages: int, links: int, seed: int) -> int:
    """Attack a server beside a neighbour; return 0 if nothing came of it."""
    hostile, times, is_over = Attack(server, seed), list[float](), asyncio.Event()
    neighbour = await Visitor(server.port).open()
    turning = asyncio.ensure_future(turn(neighbour, times, is_over))
    began = time.monotonic()
    await hostile.run(messages)
    await hostile.ask(links)
    spent = time.monotonic() - began
    is_over.set()
    await turning
    late = await Visitor(server.port).open()
    late.close()
    log = server.log.read_text(errors="replace")
    rows = [
        ("messages and uploads sent", f"{hostile.sent:,}"),
        *((f"of them: {name}", f"{n:,}") for name, n in hostile.outcomes.most_common()),
        ("seconds", f"{spent:.0f}"),
        ("server is up", server.process.poll() is None),
        ("neighbour is connected", neighbour.is_open),
        ("neighbour: answers", f"{len(times):,}"),
        ("neighbour: 95 of 100 within", f"{1000 * np.quantile(times, 0.95):.0f} ms"),
        ("neighbour: slowest", f"{1000 * max(times):.0f} ms"),
        ("answers with a trace or a path", len(hostile.leaks + neighbour.leaks)),
        ("lines of the log that quote a user", log.count(MARK)),
        ("size of the log", f"{len(log) / 1e6:.1f} MB"),
        ("memory", f"{server.megabytes:.0f} MB"),
    ]
    print(table(["hostile input", ""], rows))
    for leak in hostile.leaks[:5]:
        print("leaked:", leak)
    for line in [line for line in log.splitlines() if MARK in line][:5]:
        print("quoted:", line[:300])
    good = neighbour.is_open and not (hostile.leaks + neighbour.leaks)
    neighbour.close()
    return 0 if good and server.process.poll() is None and MARK not in log else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--links", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
        return asyncio.run(
            attack(server, options.messages, options.links, options.seed)
        )


if __name__ == "__main__":
    sys.exit(main())
