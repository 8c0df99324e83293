"""``swviz``: serve the dashboard on this machine and open the browser."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import webbrowser
from importlib.metadata import version
from typing import TYPE_CHECKING

from swviz.errors import ParameterError

if TYPE_CHECKING:
    from tornado.ioloop import IOLoop

_HERE = ("127.0.0.1", "localhost", "::1")


def run(options: argparse.Namespace) -> None:
    """Serve until Ctrl+C.

    The browser is opened when a first page has been made, for all: its own comes as
    fast as any later one. Tabs are made in the background, while the user looks at it.

    Parameters
    ----------
    options : argparse.Namespace
        With port, address, no_browser, workers, compress and allow_websocket_origin.
    """
    port = _free_port(options.address, options.port)
    parent = os.getpid()
    print(f"swviz {version('swviz')} is loading ...", file=sys.stderr)
    import panel as pn
    from tornado.process import task_id

    from swviz.app.runtime.entering import application
    from swviz.app.runtime.jobs import cancel_all
    from swviz.app.runtime.reuse import Door, open_door
    from swviz.app.runtime.settings import SETTINGS
    from swviz.app.runtime.status import Status
    from swviz.app.shell.opening import Opening
    from swviz.app.shell.page import create_page, rehearse_tabs

    host = "localhost" if options.address in _HERE else options.address
    own = {f"{name}:{port}" for name in (options.address, "localhost", host)}
    try:
        server = pn.serve(
            {"app": application(create_page)},
            port=port,
            address=options.address,
            websocket_origin=sorted(own) + options.allow_websocket_origin,
            show=False,
            start=False,
            verbose=False,
            liveness=True,
            websocket_max_message_size=SETTINGS.message_bytes,
            unused_session_lifetime_milliseconds=1000 * SETTINGS.idle_seconds,
            check_unused_sessions_milliseconds=min(17_000, 500 * SETTINGS.idle_seconds),
            num_procs=options.workers,
            extra_patterns=[
                ("/status", Status),
                ("/opening", Opening),
                ("/door", Door),
            ],
            # The scripts of a page are 7 MB, and a sixth of it compressed. To whoever
            # is on the same machine that would only take time.
            compress_response=options.compress or options.address not in _HERE,
        )
    except (OSError, ValueError) as error:
        raise ParameterError(_refusal(options, error)) from None
    place = f"http://{host}:{port}"

    async def welcome() -> None:
        await open_door(place, path="/app", door="/door")
        if not task_id():
            print(f"swviz is at {place}/app (Ctrl+C ends it)", file=sys.stderr)
            if not options.no_browser:
                webbrowser.open(f"{place}/app")
        rehearse_tabs()

    if options.workers > 1:
        _end_with(parent, server.io_loop)
    server.start()
    server.io_loop.add_callback(welcome)
    try:
        server.io_loop.start()
    finally:
        cancel_all()


def _end_with(parent: int, loop: IOLoop) -> None:
    """Have a process that serves end when the one that has started it is gone.

    It would go on serving, and nobody else could have its port.
    """
    from tornado.ioloop import PeriodicCallback

    def look() -> None:
        if os.getppid() != parent:
            loop.stop()

    PeriodicCallback(look, 1000).start()


def _free_port(address: str, port: int) -> int:
    """Return a port that can be listened on: loading first would take seconds."""
    try:
        kind, *_, place = socket.getaddrinfo(
            address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(kind, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
            return int(trial.getsockname()[1])
    except OSError as error:
        raise ParameterError(
            f"cannot listen on {address}, port {port} ({error.strerror or error}): "
            "choose another with --port or --address"
        ) from None


def _refusal(options: argparse.Namespace, error: Exception) -> str:
    return (
        f"cannot serve on {options.address} ({error}): choose others of --port, "
        "--address and --allow-websocket-origin"
    )
