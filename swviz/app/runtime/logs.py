"""What a server writes down about errors: where and of which kind, not whose data."""

from __future__ import annotations

import logging
import re
import traceback
from functools import cache
from typing import Any

_LOGGERS = (
    "asyncio",
    "bokeh.core.has_props",
    "bokeh.server.protocol_handler",
    "bokeh.server.views.doc_handler",
    "bokeh.server.views.ws",
    "panel",
    "panel.reactive",
    "tornado.access",
    "tornado.application",
    "tornado.general",
)
"""Which name messages of browsers, or addresses, in what they log."""

_QUERY = re.compile(r"\?[^\s'\"]*")
_PATH = re.compile(r" /\S+")
_QUOTES = re.compile(r"\nfuture:|changing propert")
_LONGEST = 300
_FRAMES = 12


def where(error: BaseException | None) -> str:
    """Say of which kind an error is and where it came from, without its own words.

    These may quote what somebody has uploaded or typed. At the level DEBUG, the app's
    own log has them, too.

    Parameters
    ----------
    error : BaseException or None
    """
    if error is None:
        return "an error"
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    lines = [f"  {one.filename}:{one.lineno} in {one.name}" for one in frames]
    text = "\n".join([type(error).__name__, *lines])
    cause = error.__cause__ or (
        None if error.__suppress_context__ else error.__context__
    )
    return text if cause is None else f"{text}\nafter {type(cause).__name__}"


class _NoData(logging.Filter):
    """Rewrites records so that they hold no message, value or query of a user."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "bokeh.core.has_props":
            record.msg, record.args = "a browser has sent an attribute of no model", ()
        if isinstance(record.args, tuple):
            if str(record.msg).startswith("Unhandled exception receiving"):
                # Bokeh quotes bytes that are no message.
                record.args = tuple(map(_unquoted, record.args))
            record.args = tuple(map(_harmless, record.args))
            if record.name == "tornado.access" and 404 in record.args[:1]:
                # An address that is none may be anything.
                record.args = tuple(map(_without_path, record.args))
        if isinstance(record.exc_info, tuple):
            # What asyncio and Panel say then quotes tasks, errors and values.
            record.msg = _QUOTES.split(str(record.msg))[0]
            record.msg = f"{record.getMessage()}\n{where(record.exc_info[1])}"
            record.args, record.exc_info, record.exc_text = (), None, None
        return True


def _harmless(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, str):
        return _QUERY.sub("?…", value)[:_LONGEST]
    # A message of Bokeh's protocol has a kind.
    kind = getattr(value, "msgtype", None)
    return f"{type(value).__name__}" if kind is None else f"{kind}"


def _unquoted(value: Any) -> Any:
    return f"{len(value)} characters" if isinstance(value, str) else value


def _without_path(value: Any) -> Any:
    return _PATH.sub(" /…", value) if isinstance(value, str) else value


@cache
def keep_data_out_of_logs() -> None:
    """Have Bokeh's and Tornado's logs say where and what, and quote nobody."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_NoData())
