"""What the app knows of the inside of Panel, param and panel-material-ui."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import panel as pn
from bokeh.document import Document
from panel.links import Callback
from panel.viewable import Viewable

from swviz.app.compat import uses

_HEAR_ALL_CHANGES = """
// Panel's React components read the values of their model when they are rendered, and
// begin to follow it a moment later, on a busy page a second. They would show for good
// what has changed in between: let each look once more when it begins to follow.
for (const model of Bokeh.documents[0].all_models) {
  let owner = model
  while (owner != null && !Object.hasOwn(owner, "watch")) {
    owner = Object.getPrototypeOf(owner)
  }
  if (owner == null || !("_esm_watchers" in model)) continue
  if (!owner.watch.hears_all) {
    const watch = owner.watch
    owner.watch = function(view, property, callback, of_react = false) {
      watch.call(this, view, property, callback, of_react)
      if (of_react) callback()
    }
    owner.watch.hears_all = true
  }
  break
}
"""
HEAR_ALL_CHANGES = _HEAR_ALL_CHANGES if uses("hear_all_changes") else ""
"""For the page, when it is ready. Without this, a widget that changes while it is being
shown for the first time may show its first value until it changes again."""


STUCK_SECONDS = 0.2
"""After so long, what Panel has forgotten to send is sent."""

_watched: WeakSet[asyncio.AbstractEventLoop] = WeakSet()
"""Loops of servers; more than one in tests."""


FORGETS = not uses("keep_sending")
"""Whether changes may stay unsent until another one comes."""


def keep_sending() -> None:
    """Have the server look, from now on, for changes that Panel has forgotten to send.

    A change that comes while the line is busy is queued. If the line becomes free in
    the same step of the loop, whoever was to send it takes the queue for an empty one,
    and it stays there until something else changes: a figure would stay empty for as
    long as nobody touches the page. Without this, each result is followed by a message
    of no meaning (:meth:`swviz.app.runtime.browser.Browser.nudge`).
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return
    if uses("keep_sending") and loop not in _watched:
        _watched.add(loop)
        loop.call_later(STUCK_SECONDS, _send_what_is_stuck)


def _send_what_is_stuck() -> None:
    lines = pn.io.document
    try:
        queues, at_work, send = (
            lines._WRITE_MSGS,
            lines._WRITE_BLOCK,
            lines._dispatch_msgs,
        )
        for document in list(queues):
            if document not in at_work:
                at_work[document] = True
                # By the document, which knows the loop of its own server.
                document.add_next_tick_callback(partial(send, document))
    except (AttributeError, LookupError, RuntimeError, TypeError, ValueError):
        # Of another release, or the session has just gone.
        pass
    asyncio.get_running_loop().call_later(STUCK_SECONDS, _send_what_is_stuck)


def load_extensions(*names: str) -> None:
    """Have all pages of this process know extensions of Panel.

    `pn.extension` does it, and puts megabytes of scripts into the notebook whose kernel
    the process is. Without this, pages that it serves have no formulas.
    """
    if not uses("load_extensions"):
        return
    try:
        for name in names:
            import_module(pn.extension._imports[name])
            if name not in pn.extension._loaded_extensions:
                pn.extension._loaded_extensions.append(name)
    except (AttributeError, KeyError):
        # Of another release.
        return


def make_models(parts: Iterable[Viewable], column: pn.Column) -> None:
    """Make models of parts; Panel takes them when the parts are put into the column.

    So that a thread makes them while the server answers others. Nothing may change the
    parts in between, or Panel, which does not find their document yet, gives them the
    style sheets of another server. Without this, Panel makes them when it needs them.
    """
    if not uses("make_models"):
        return
    try:
        places = [
            (parent, *pn.state._views[reference][1:])
            for reference, (parent, _) in column._models.items()
        ]
    except (AttributeError, LookupError, TypeError, ValueError):
        return
    for parent, root, document, comm in places:
        for part in parts:
            part._get_model(document, root, parent, comm)


def release(page: Viewable, document: Document) -> None:
    """Cut the ties from Panel's global state to a page and its document.

    Without this, a closed session's memory is freed with the server.
    """
    # JavaScript callbacks are kept by their widget, and name other ones in it.
    # Found by the page: at the end of a session the document has no roots any more.
    for part in page.select():
        Callback.registry.pop(part, None)
    if not uses("release"):
        return
    views = getattr(pn.state, "_views", {})
    for reference, view in list(views.items()):
        if document in view:
            del views[reference]
    # Keyed weakly by document, but their values (location, notifications) hold it.
    for kept in vars(type(pn.state)).values():
        if isinstance(kept, WeakKeyDictionary):
            kept.pop(document, None)


class ChangesCheaply:
    """Text whose changes cost little: Panel makes its style sheets anew each time.

    A widget of Panel with text has no such cost, but Bokeh lays out the page whenever
    its text changes: with all tabs open, to open one more took twice as long.
    """

    _transform_object: Callable[[Any], dict[str, Any]]
    object: Any

    if uses("changes_cheaply"):

        def _update(self, ref: str, model: Any) -> None:
            model.text = self._transform_object(self.object)["object"]


class FollowsEveryStep:
    """Has a slider send each step at once, and the end of a drag not once more.

    Panel waits 50 ms for further steps, and tells of the last one in a message of its
    own.
    """

    if uses("follows_every_step"):
        _debounce = 1

        @property
        def _linked_properties(self) -> tuple[str, ...]:
            linked = super()._linked_properties  # type: ignore[misc]
            return tuple(name for name in linked if name != "value_throttled")
