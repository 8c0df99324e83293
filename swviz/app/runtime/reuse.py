"""One page for all who come: HTML at once, and a session of one's own behind it.

The HTML of every session is the same but for the key to it, and to write it takes a
tenth of a second of the server each time. Here it is written once. A visitor gets it
with a key to a session that is not there yet: a browser loads the page's scripts while
the session is made, in whichever process of the server the websocket reaches.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import panel as pn
from bokeh.util.token import generate_jwt_token, generate_session_id
from panel.io.resources import LOCAL_DIST
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest
from tornado.web import HTTPError, RequestHandler

_SIGN = "X-Swviz-Page-For-All"
_SECRET = secrets.token_urlsafe(16)
"""Known to the processes of one server alone: they have it from their parent."""

_TOKEN = re.compile(rb'"token":"([^"]+)"')
_THEMES = ("light", "dark")
_TRIES = 200
_KEPT_BACK = ("Authorization", "Cookie", _SIGN)
"""Of a visitor's request: a session has no use for them."""

_pages: dict[str, tuple[bytes, bytes]] = {}
"""By theme, which is painted before any script: what stands around the key."""

_doors: set[str] = set()
"""Paths that this process answers with the page for all."""


def _theme(arguments: Mapping[str, list[bytes]]) -> str:
    return "dark" if arguments.get("theme", [b""])[-1] == b"dark" else "light"


def _is_signed(headers: Mapping[str, str]) -> bool:
    return secrets.compare_digest(headers.get(_SIGN, "").encode(), _SECRET.encode())


def is_for_all() -> bool:
    """Tell whether the session is nobody's: one whose HTML everybody gets."""
    return _is_signed(pn.state.headers)


def needs_html() -> bool:
    """Tell whether the session is made to write a page, not for one that is there."""
    context = pn.state.curdoc and pn.state.curdoc.session_context
    request = context and context.request
    return not (request and request.path.endswith("/ws"))


def take_styles_from_here() -> None:
    """Have the session's components take their style sheets from this server.

    Panel says so when it writes a page's HTML, which is the page for all; sessions that
    are made behind it would take them from the network.
    """
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        document.template_variables.setdefault("dist_url", LOCAL_DIST)


class PageForAll(RequestHandler):
    """Gives a visitor the page for all, with a key to a session of their own."""

    def get(self) -> None:
        """Write it as HTML."""
        server: Any = self.application
        token = generate_jwt_token(
            generate_session_id(server.secret_key, server.sign_sessions),
            secret_key=server.secret_key,
            signed=server.sign_sessions,
            expiration=server.session_token_expiration,
            extra_payload={
                "headers": {
                    name: value
                    for name, value in self.request.headers.items()
                    if name not in _KEPT_BACK
                },
                "cookies": {},
                "arguments": self.request.arguments,
            },
        )
        before, after = _pages[_theme(self.request.arguments)]
        # The key is for one visit.
        self.set_header("Cache-Control", "no-store")
        self.write(before + token.encode() + after)


class Door(RequestHandler):
    """Has the process that is reached give the page for all, from now on.

    For the server itself: a request is how Tornado lets anybody at its routes.
    """

    def post(self) -> None:
        """Take the path that the body names, if the page has been written."""
        if not _is_signed(self.request.headers):
            raise HTTPError(404)
        path = self.request.body.decode()
        if path not in _doors and len(_pages) == len(_THEMES):
            _doors.add(path)
            self.application.add_handlers(".*", [(re.escape(path), PageForAll)])


async def open_door(server: str, path: str, door: str) -> None:
    """Write the page for all, and have this process give it to visitors.

    One of several processes answers a request, in turns as it pleases the system. If
    anything fails, each visitor's page is written as before.

    Parameters
    ----------
    server : str
        Its address, without a path.
    path, door : str
        Of the page, and of :class:`Door`.
    """
    headers = {_SIGN: _SECRET}
    ask = AsyncHTTPClient().fetch
    # Another process may have opened the door by then: what is written stays.
    with suppress(HTTPClientError, OSError, ValueError):
        for theme in _THEMES:
            page = f"{server}{path}?theme={theme}"
            answer = await ask(HTTPRequest(page, headers=headers, request_timeout=120))
            before, _, after = _TOKEN.split(answer.body)
            _pages[theme] = before + b'"token":"', b'"' + after
        for _ in range(_TRIES):
            if path in _doors:
                break
            await ask(f"{server}{door}", method="POST", body=path, headers=headers)
