"""Sessions of the app without a browser: what its script says, over a real websocket.

For :mod:`benchmarks.load` and :mod:`benchmarks.hostile`, on this machine alone.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, TextIO

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import (
    WebSocketClientConnection,
    WebSocketClosedError,
    websocket_connect,
)

HOST = "127.0.0.1"
SECONDS = 120.0
"""After which an answer is not waited for any more."""

_TOKEN = re.compile(r'"token":"([^"]+)"')
_LEAK = re.compile(
    r"Traceback \(most|File \\?\"/|site-packages|"
    + re.escape(str(Path(__file__).parents[1]))
)
"""What only the server's log is to hold."""

_READY = {
    "kind": "MessageSent",
    "msg_type": "bokeh_event",
    "msg_data": {
        "type": "event",
        "name": "document_ready",
        "values": {"type": "map", "entries": []},
    },
}

AsyncHTTPClient.configure(None, max_clients=1000, max_body_size=1 << 28)


class Closed(Exception):
    """The server has closed the session."""


class Visitor:
    """One session, as the script of a page would have it.

    Parameters
    ----------
    port : int
    query : str, default=""
        Of the page's address, with its question mark.
    scheme : {"http", "https"}
    certificate : str, optional
        File with the certificate of a proxy.
    headers : mapping of str to str, optional
        Of all requests.
    """

    def __init__(
        self,
        port: int,
        query: str = "",
        scheme: str = "http",
        certificate: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.port, self.query, self.scheme = port, query, scheme
        self.headers = dict(headers or {})
        self._more: dict[str, Any] = {
            "connect_timeout": SECONDS,
            "request_timeout": SECONDS,
            "ca_certs": certificate,
        }
        self.models: dict[str, dict[str, Any]] = {}
        self.values: dict[tuple[str, str], Any] = {}
        self.errors: list[str] = []
        self.leaks: list[str] = []
        self.opened_after = self.html_after = 0.0
        self.n_messages = 0
        self.is_heard = False
        self.reads_all = True
        self._numbers = count(1)
        self._replies: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._changed = asyncio.Event()
        self._socket: WebSocketClientConnection | None = None
        self._reading: asyncio.Task[None] | None = None

    async def ask(self) -> str:
        """Ask for the page alone; return the token of its session."""
        address = f"{self.scheme}://{HOST}:{self.port}/app{self.query}"
        answer = await AsyncHTTPClient().fetch(
            HTTPRequest(address, headers=self.headers, **self._more)
        )
        for cookie in answer.headers.get_list("Set-Cookie"):
            self.headers["Cookie"] = cookie.split(";")[0]
        self.look_for_leaks(answer.body.decode())
        found = _TOKEN.search(answer.body.decode())
        assert found is not None, "the page has no token"
        return found[1]

    async def open(self) -> Visitor:
        """Open the page and say that it is drawn; return when the server has heard."""
        began = time.monotonic()
        token = await self.ask()
        self.html_after = time.monotonic() - began
        self._socket = await websocket_connect(
            HTTPRequest(
                f"{self.scheme.replace('http', 'ws')}://{HOST}:{self.port}/app/ws",
                headers=self.headers
                | {"Origin": f"{self.scheme}://{HOST}:{self.port}"},
                **self._more,
            ),
            subprotocols=["bokeh", token],
            max_message_size=1 << 28,
        )
        # As browsers do: a message in three parts is not to wait for an answer.
        if self._socket.protocol is not None:
            self._socket.protocol.set_nodelay(True)
        self._reading = asyncio.ensure_future(self._read())
        # The server cannot read before it has said that it is there.
        await self.until(lambda one: one.is_heard)
        answer = await self.send("PULL-DOC-REQ", {})
        self._learn(answer)
        await self.patch([_READY])
        self.opened_after = time.monotonic() - began
        return self

    def close(self) -> None:
        """Close the session, as a page that is left does."""
        if self._socket is not None:
            self._socket.close()

    def kill(self) -> None:
        """Let the line break without a word."""
        if self._socket is not None:
            stream = self._socket.protocol and self._socket.protocol.stream
            if stream is not None:
                stream.close()

    @property
    def is_open(self) -> bool:
        """Whether the server still listens."""
        return self._reading is not None and not self._reading.done()

    async def send(self, kind: str, content: Any, **header: Any) -> dict[str, Any]:
        """Send a message of Bokeh's protocol; return the content of the answer."""
        number = str(next(self._numbers))
        head = {"msgid": number, "msgtype": kind, **header}
        reply = self._replies[number] = asyncio.get_running_loop().create_future()
        try:
            # All three at once: others of this session must not come in between.
            await self.write(json.dumps(head), "{}", json.dumps(content))
            return await asyncio.wait_for(reply, SECONDS)
        finally:
            self._replies.pop(number, None)

    async def write(self, *fragments: str | bytes) -> None:
        """Send anything at all."""
        if self._socket is None or not self.is_open:
            raise Closed
        try:
            for fragment in fragments:
                is_binary = isinstance(fragment, bytes)
                writing = self._socket.write_message(fragment, is_binary)
        except WebSocketClosedError:
            raise Closed from None
        with suppress(Exception):
            await writing

    async def patch(self, events: list[dict[str, Any]]) -> float:
        """Send changes; return the seconds until the server has taken them."""
        began = time.monotonic()
        await self.send("PATCH-DOC", {"events": events})
        return time.monotonic() - began

    async def change(self, model: str, name: str, value: Any) -> float:
        """Change a property, as the browser does."""
        event = {
            "kind": "ModelChanged",
            "model": {"id": model},
            "attr": name,
            "new": value,
        }
        return await self.patch([event])

    async def say(self, table: str, **columns: Any) -> float:
        """Say something as the figures of Slices do, by a table of one row."""
        entries = [[name, [value]] for name, value in columns.items()]
        value = {"type": "map", "entries": entries}
        return await self.change(self._board(), table, value)

    async def until(
        self, holds: Callable[[Visitor], bool], seconds: float = SECONDS
    ) -> float:
        """Wait until something holds of what the server has said; return how long."""
        began = time.monotonic()
        while not holds(self):
            self._changed.clear()
            left = began + seconds - time.monotonic()
            await asyncio.wait_for(self._changed.wait(), max(left, 0.001))
            if not self.is_open:
                raise Closed
        return time.monotonic() - began

    def find(self, **attributes: Any) -> str:
        """Return the id of the first model with these attributes."""
        for name, has in self.models.items():
            if all(has.get(key) == value for key, value in attributes.items()):
                return name
        raise LookupError(f"no model has {attributes}")

    def heard(self, table: str) -> dict[str, Any]:
        """Return what the figures of Slices have been told last."""
        board = self._board()
        said = self.values.get((board, table), self.models[board][table])
        return {name: row[0] for name, row in said["entries"]}

    def _board(self) -> str:
        for name, has in self.models.items():
            if "asked_angle" in has:
                return name
        raise LookupError("there are no figures of Slices")

    def find_fields_for_files(self) -> list[str]:
        """Return the ids of all places to drop files on."""
        found = []
        for name, has in self.models.items():
            data = has.get("data")
            if isinstance(data, dict) and "max_total" in data.get("attributes", {}):
                found.append(name)
        return found

    @property
    def address(self) -> str:
        """What the page's address would show."""
        shown = [value for (_, name), value in self.values.items() if name == "address"]
        return str(shown[-1]) if shown else ""

    async def _read(self) -> None:
        assert self._socket is not None
        while True:
            parts = []
            for _ in range(3):
                fragment = await self._socket.read_message()
                if fragment is None:
                    self._end()
                    return
                parts.append(fragment)
                if self.reads_all:
                    self.look_for_leaks(str(fragment))
            head, content = json.loads(parts[0]), json.loads(parts[2])
            for _ in range(2 * head.get("num_buffers", 0)):
                await self._socket.read_message()
            self._hear(head, content, brings_models='"object"' in str(parts[2]))

    def _hear(
        self, head: dict[str, Any], content: dict[str, Any], brings_models: bool
    ) -> None:
        self.n_messages += 1
        kind = head["msgtype"]
        if kind == "ACK":
            self.is_heard = True
        if kind == "ERROR":
            self.errors.append(json.dumps(content))
        if kind == "PATCH-DOC":
            for event in content.get("events", ()):
                if event.get("kind") in ("ModelChanged", "ColumnDataChanged"):
                    place = event["model"]["id"], event["attr"]
                    self.values[place] = event.get("new", event.get("data"))
                if brings_models:
                    self._learn(event)
        reply = self._replies.get(head.get("reqid", ""))
        if reply is not None and not reply.done():
            reply.set_result(content)
        self._changed.set()

    def look_for_leaks(self, text: str) -> None:
        """Note a trace, or a path of the server, in what a browser is sent."""
        found = _LEAK.search(text)
        if found:
            self.leaks.append(text[max(0, found.start() - 80) : found.end() + 120])

    def _end(self) -> None:
        for reply in self._replies.values():
            if not reply.done():
                reply.set_exception(Closed())
        self._changed.set()

    def _learn(self, said: Any) -> None:
        """Note the models that a message holds."""
        left = [said]
        while left:
            part = left.pop()
            if isinstance(part, dict):
                if part.get("type") == "object" and "id" in part:
                    self.models[part["id"]] = part.get("attributes", {})
                left.extend(part.values())
            elif isinstance(part, list):
                left.extend(part)


class Served:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[Any], port: int, log: Path) -> None:
        self.process, self.port, self.log = process, port, log

    @property
    def processes(self) -> list[Path]:
        """Where the system tells of the process, and of those that it has started."""
        own = str(self.process.pid)
        found = [Path("/proc", own)]
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (path / "stat").read_text().rsplit(")")[1].split()[1] == own:
                    found.append(path)
        return found

    @property
    def megabytes(self) -> float:
        """What the processes hold in memory."""
        held = [(path / "status").read_text() for path in self.processes]
        return sum(int(one.split("VmRSS:")[1].split()[0]) for one in held) / 1000

    def await_rehearsal(self) -> None:
        """Wait until the server has made all tabs once, and rests.

        It rests if it has used next to no processor time for a second and a half: that
        is what the pause measures.
        """
        before, end = -1.0, time.monotonic() + SECONDS
        while self.processor_seconds - before > 0.1:
            if time.monotonic() > end:
                raise TimeoutError("the server does not come to rest")
            before = self.processor_seconds
            time.sleep(1.5)

    def status(self) -> dict[str, int]:
        """Return what the server says of itself."""
        address = f"http://{HOST}:{self.port}/status"
        with urllib.request.urlopen(address, timeout=SECONDS) as answer:
            return dict(json.load(answer))

    @property
    def processor_seconds(self) -> float:
        """What the processes have worked."""
        ticks = 0
        for path in self.processes:
            fields = (path / "stat").read_text().rsplit(")")[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as trial:
        trial.bind((HOST, 0))
        return int(trial.getsockname()[1])


@contextmanager
def served(
    folder: Path, options: Sequence[str] = (), **environment: str
) -> Iterator[Served]:
    """Serve the app as ``swviz`` does, until the block ends.

    Parameters
    ----------
    folder : Path
        For its log.
    options : sequence of str
        Further ones of the command.
    **environment : str
        Limits, say.
    """
    port, log = free_port(), folder / "server.log"
    command = [sys.executable, "-m", "swviz", "--no-browser", "--port", str(port)]
    command += options
    with log.open("w") as stream:
        process = start(command, stream, environment)
        try:
            await_server(port, process)
            yield Served(process, port, log)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def start(
    command: list[str], stream: TextIO, environment: dict[str, str]
) -> subprocess.Popen[Any]:
    """Start a server of this folder."""
    return subprocess.Popen(
        command,
        stdout=stream,
        stderr=subprocess.STDOUT,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment},
    )


def await_server(port: int, process: subprocess.Popen[Any]) -> None:
    """Return when a server answers."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError("the server has ended")
        try:
            urllib.request.urlopen(f"http://{HOST}:{port}/liveness", timeout=5).read()
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
        else:
            return
    raise TimeoutError("the server does not answer")


@asynccontextmanager
async def visitors(
    port: int, number: int, query: str = "", within: float = 0.0
) -> AsyncIterator[list[Visitor]]:
    """Open pages, all at once or within some seconds, and close them at the end."""
    several = [Visitor(port, query) for _ in range(number)]

    async def come(place: int) -> None:
        await asyncio.sleep(place * within / number)
        await several[place].open()

    try:
        await asyncio.gather(*map(come, range(number)))
        yield several
    finally:
        for one in several:
            one.close()
