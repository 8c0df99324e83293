"""One page for all who come: HTML at once, and a session of one's own behind it.

To make a session takes the server some tenths of a second, which a visitor would look
at an empty window for. Panel can give everybody the HTML of the first session
(`pn.config.reuse_sessions`), which differs in nothing but its key. A browser loads the
page's scripts from it while the session is made; with several processes, which do not
know each other's sessions, the one that the websocket reaches makes it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import panel as pn
from panel.io.resources import LOCAL_DIST
from tornado.httpclient import AsyncHTTPClient, HTTPClientError, HTTPRequest

_SIGN = "X-Swviz-Page-For-All"
_SECRET = secrets.token_urlsafe(16)
"""Known to the processes of one server alone: they have it from their parent."""

TRIES = 200

_made: set[str] = set()
"""Themes whose pages for all have been made by this process."""


def reuse_pages(several_processes: bool) -> None:
    """Have all pages of the server share their HTML, from now on."""
    pn.config.reuse_sessions = True if several_processes else "warm"
    pn.config.session_key_func = _key


def _key(request: Any) -> tuple[str, str]:
    """Tell pages apart by their path and theme, which is painted before any script."""
    return request.path, _theme(request.arguments)


def _theme(arguments: Mapping[str, list[bytes]]) -> str:
    return "dark" if arguments.get("theme", [b""])[-1] == b"dark" else "light"


def is_for_all() -> bool:
    """Tell whether the session is nobody's: one whose HTML everybody gets."""
    if pn.state.headers.get(_SIGN) != _SECRET:
        return False
    _made.add(_theme(pn.state.session_args))
    return True


def needs_html() -> bool:
    """Tell whether anybody will get the HTML of the session's own page."""
    is_reused = pn.config.reuse_sessions and _theme(pn.state.session_args) in _made
    return not is_reused or pn.state.headers.get(_SIGN) == _SECRET


def take_styles_from_here() -> None:
    """Have the session's components take their style sheets from this server.

    Panel says so when it writes a page's HTML, which is the page for all; sessions that
    are made behind it would take them from the network.
    """
    document = pn.state.curdoc
    if document is not None and document.session_context is not None:
        document.template_variables.setdefault("dist_url", LOCAL_DIST)


async def make_page_for_all(address: str) -> None:
    """Ask for pages until this process has made the one for all.

    One of several processes answers a request, in turns as it pleases the system.

    Parameters
    ----------
    address : str
        Of the page, light or dark.
    """
    theme = "dark" if address.endswith("?theme=dark") else "light"
    request = HTTPRequest(address, headers={_SIGN: _SECRET}, request_timeout=120)
    for _ in range(TRIES):
        if theme in _made:
            return
        try:
            await AsyncHTTPClient().fetch(request)
        except (HTTPClientError, OSError):
            # Without it, the first visitor's page is that for all.
            return
