"""Views in the cells of a notebook: each in a frame, served by the kernel itself.

Panel's own way into a cell, over the notebook's comm, makes the notebook's page that of
the view. Tried with JupyterLab 4.6, offline: a notebook with two views had 71 MB of
scripts, icons were words, Slices did not follow Python, since changes of plain Bokeh
models have to be pushed by hand, and Learn stayed empty, since those that come while
the browser draws for the first time are lost. VS Code and Colab need packages of their
own. A frame has a page like that of the dashboard, with nothing of it in the notebook:
what works there works here. What speaks against it: the browser has to reach the
kernel's machine. Where it does not, as on a hub without jupyter-server-proxy, and where
there is no kernel any more, a picture stays in the cell; where that may be (`reach`),
Slices brings a page that works by itself, which is shown instead.

The server runs on the kernel's own loop and not in a thread: code in a cell and what is
done in the browser never change a view at the same time, without any locks, and as with
all widgets a view waits while a cell is running. Its document belongs to the view, and
has one address for as long as the kernel lives: a page that is loaded again, or another
one, shows the same state. Views do not know that they are served: they compute as they
do in a script, and what they change is sent (`compat.bokeh.take_changes`).

A view is closed when the cell that showed it runs again, unless a variable of the
notebook still has it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import panel as pn
from bokeh.document import Document
from panel.viewable import Viewable
from tornado.web import RequestHandler

from swviz.app.compat.bokeh import take_changes
from swviz.app.compat.panel import keep_sending, load_extensions
from swviz.app.runtime.session import free_at_end, handle_exception

HOST = "127.0.0.1"
PAGE = "view"
"""Path of all views; the session is the view's."""

ALIVE = "alive"
"""Path that tells whether there is a view."""

FOR_GOOD_MS = 10 * 365 * 24 * 3600 * 1000
"""A view without a page waits for as long as it is not closed: pages are reloaded."""

LOOK_MS = 1000
"""How often the server looks for views that have been closed."""

_TRIES = 5

CLOSED = "This view has been closed. Run its cell again to have another."


@dataclass(eq=False)
class Frame:
    """A view that is shown in cells.

    Parameters
    ----------
    view : object
        With a method `close`.
    make_page : callable
        Makes the page around the view, once, for its document.
    key : str
        Names its session. Nobody who does not know it sees the view.
    """

    view: Any
    make_page: Callable[[], Viewable]
    key: str = field(default_factory=partial(secrets.token_urlsafe, 24))
    cells: set[str] = field(default_factory=set)
    document: Document | None = None


class Cells:
    """The views of a kernel, the cells that show them, and the server of their frames.

    Attributes
    ----------
    frames : dict of str to Frame
        Those that are open, by their keys.
    """

    def __init__(self) -> None:
        self.frames: dict[str, Frame] = {}
        self._server: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._shell: Any = None
        self._shown: set[Frame] = set()

    @property
    def port(self) -> int:
        """Where the server listens; it is started if there is none."""
        loop = asyncio.get_running_loop()
        if self._server is None or self._loop is not loop:
            self._server, self._loop = self._start(), loop
        return int(self._server.port)

    def show(self, view: Any, make_page: Callable[[], Viewable]) -> Frame:
        """Have a view in the cell that is running.

        Returns
        -------
        Frame
            The one it has already, if it is in another cell, too.
        """
        frame = self.of(view)
        if frame is None:
            frame = Frame(view, make_page)
            self.frames[frame.key] = frame
        self._listen(shell_of_kernel())
        frame.cells.add(cell_of(self._shell))
        self._shown.add(frame)
        return frame

    def of(self, view: Any) -> Frame | None:
        """Return the frame of a view, if it has one."""
        return next((one for one in self.frames.values() if one.view is view), None)

    def end(self, view: Any) -> None:
        """Serve a view no longer; its session ends when no page shows it any more."""
        frame = self.of(view)
        if frame is None:
            return
        del self.frames[frame.key]
        self._shown.discard(frame)
        forget_output(self._shell, view)
        for session in [] if self._server is None else self._server.get_sessions():
            if session.id == frame.key:
                session.request_expiration()

    # -- cells ----------------------------------------------------------------------

    def _listen(self, shell: Any) -> None:
        """Hear of cells that run, from now on."""
        if shell is None or shell is self._shell:
            return
        self._shell = shell
        shell.events.register("pre_run_cell", self._begin)
        shell.events.register("post_run_cell", self._end)

    def _begin(self, _info: object = None) -> None:
        self._shown.clear()

    def _end(self, _result: object = None) -> None:
        """Close what the cell has shown before and does not show any more."""
        cell = cell_of(self._shell)
        for frame in list(self.frames.values()):
            if cell in frame.cells and frame not in self._shown:
                frame.cells.discard(cell)
                if not frame.cells and not is_held(frame.view, self._shell.user_ns):
                    frame.view.close()
        self._shown.clear()

    # -- server ---------------------------------------------------------------------

    def _start(self) -> Any:
        load_extensions("mathjax", "tabulator")
        if on_a_hub():
            # It would warn, in the cell, of what has been thought of: see `_origins`.
            logging.getLogger("bokeh.server.util").setLevel(logging.ERROR)
        for again in reversed(range(_TRIES)):
            port = _free_port()
            try:
                return pn.io.server.get_server(
                    {PAGE: self._page},
                    port=port,
                    address=HOST,
                    websocket_origin=_origins(port),
                    start=True,
                    show=False,
                    session_token_expiration=FOR_GOOD_MS // 1000,
                    unused_session_lifetime_milliseconds=FOR_GOOD_MS,
                    check_unused_sessions_milliseconds=LOOK_MS,
                    extra_patterns=[
                        (rf"/{ALIVE}/([\w-]+)", _Alive, {"frames": self.frames})
                    ],
                )
            except OSError:
                # Somebody else was faster.
                if not again:
                    raise
        raise AssertionError

    def _page(self) -> Viewable:
        document = pn.state.curdoc
        frame = self.frames.get(str(document.session_context.id))
        if frame is None or frame.document is not None:
            document.add_next_tick_callback(partial(_expire, document))
            return pn.pane.Str(CLOSED)
        frame.document = document
        pn.config.notifications = True
        pn.config.exception_handler = handle_exception
        keep_sending()
        page = frame.make_page()
        free_at_end(page)
        # There is no session yet, which takes changes. Nothing else runs until it is.
        document.hold()
        document.add_next_tick_callback(partial(_begin_session, document))
        return page


def _expire(document: Document) -> None:
    """Have a session end as soon as no page shows it."""
    document.session_context.session.request_expiration()


def _begin_session(document: Document) -> None:
    take_changes(document)
    document.unhold()


class _Alive(RequestHandler):
    """Tells pages of notebooks, which are of other hosts, whether there is a view."""

    def initialize(self, frames: Mapping[str, Frame]) -> None:
        self._frames = frames

    def set_default_headers(self) -> None:
        self.set_header("Access-Control-Allow-Origin", "*")
        self.set_header("Cache-Control", "no-store")

    def get(self, key: str) -> None:
        self.set_status(204 if key in self._frames else 404)


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind((HOST, 0))
        return int(trial.getsockname()[1])


def _origins(port: int) -> list[str]:
    """Hosts whose pages may speak with views; who does not know its key sees none."""
    own = [f"{HOST}:{port}", f"localhost:{port}"]
    # Behind the proxy of a hub, whose name the kernel is not told.
    return ["*"] if on_a_hub() else own


def on_a_hub() -> bool:
    """Tell whether this kernel runs for a browser on another machine."""
    return "JUPYTERHUB_SERVICE_PREFIX" in os.environ


_ELSEWHERE = (
    "JUPYTERHUB_SERVICE_PREFIX",
    "VSCODE_PID",
    "VSCODE_CWD",
    "KAGGLE_KERNEL_RUN_TYPE",
    "DATABRICKS_RUNTIME_VERSION",
)
"""Variables of programs that show notebooks whose kernels may run elsewhere."""


def reach() -> Literal["always", "perhaps", "never"]:
    """Tell whether a page that shows a notebook reaches servers of its kernel."""
    if "google.colab" in sys.modules:
        return "never"
    return "perhaps" if any(name in os.environ for name in _ELSEWHERE) else "always"


def shell_of_kernel() -> Any:
    """Return the IPython of the notebook whose kernel this is, or None."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell if hasattr(shell, "kernel") else None


def request_of(shell: Any) -> Mapping[str, Any]:
    """Return the message that has the running cell run, as far as it is known."""
    message = shell.get_parent() if hasattr(shell, "get_parent") else None
    return message if isinstance(message, Mapping) else {}


def cell_id_of(shell: Any) -> str | None:
    """Return what a notebook on a screen calls the running cell.

    Returns
    -------
    str or None
        None where cells have no name: when nbconvert, say, runs them.
    """
    found = (request_of(shell).get("metadata") or {}).get("cellId")
    return None if found is None else str(found)


def cell_of(shell: Any) -> str:
    """Return what tells the running cell from others: its name, or else its code."""
    code = (request_of(shell).get("content") or {}).get("code", "")
    return cell_id_of(shell) or str(code)


def is_held(view: object, names: Mapping[str, Any]) -> bool:
    """Tell whether a variable of a notebook has a view, or a list or dict of them.

    IPython's own variables, such as `_` and `Out`, do not count.
    """
    return any(
        one is view
        for name, value in list(names.items())
        if not name.startswith("_") and name not in ("In", "Out")
        for one in _parts(value)
    )


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [value, *value.values()]
    return [value, *value] if isinstance(value, list | tuple | set) else [value]


def forget_output(shell: Any, view: object) -> None:
    """Drop a view from the outputs that IPython keeps: it would stay in memory."""
    names = {} if shell is None else shell.user_ns
    kept = names.get("Out", {})
    for number in [number for number, value in kept.items() if value is view]:
        del kept[number]
        names.pop(f"_{number}", None)


CELLS = Cells()
"""Those of this kernel."""
