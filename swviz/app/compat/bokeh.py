"""What the app knows of the inside of Bokeh.

A faster walk through Bokeh's models, for pages that change while others wait.

At every change of what a page consists of, Bokeh goes through all models of the
document. It asks each one for every property that might hold another, the long way
over themes and defaults. Here only values are looked at that have been set, or that
were made as a default of this very model: others are shared, and cannot be models. The
same models are found, in the same order, in a quarter of the time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from bokeh.core.has_props import HasProps
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.document import Document
from bokeh.model import DataModel, Model, util
from bokeh.models import ColumnDataSource
from bokeh.plotting import figure
from bokeh.server.connection import ServerConnection

from swviz.app.compat import uses

_HIT = "source.selection_manager?.inspectors?.get(renderer)?.indices[0]"
HIT_OF = f"(source, renderer) => {_HIT if uses('hit_of') else 'undefined'}"
"""A function of the browser: the row under the pointer, of one of several renderers
that share a source. What Bokeh makes public is the hit of the last of them. Without
this, the pair under the pointer has no ring."""

Visitor = Callable[[Model], None]
Walk = Callable[[Any, Visitor], None]

_original: Any = getattr(util, "visit_immediate_value_references", None)


def send_at_once(document: Document) -> None:
    """Have the system send a page's messages as soon as they are written.

    A message of Bokeh is three small writes. The system keeps back the second one until
    the first has been acknowledged, and who has nothing to say takes 40 ms for that.
    Without this, answers may come so much later.
    """
    context = document.session_context
    if context is None or not uses("send_at_once"):
        return
    try:
        for connection in context.session._subscribed_connections:
            connection._socket.set_nodelay(True)
    except (AssertionError, AttributeError, TypeError):
        # Of another release, or the page has just been left.
        return


def take_changes(document: Document) -> None:
    """Let a served document be changed by code that does not hold its lock.

    Such as code in a cell of the notebook whose kernel is the server. It runs in the
    server's thread, so that nothing else changes the document meanwhile, but Bokeh
    refuses what no callback of the session has done. From now on it is sent by the next
    callback, in order. Without this, Bokeh's error ends whatever was changing the view.

    Parameters
    ----------
    document : bokeh.document.Document
        Of a session that has begun.
    """
    session: Any = getattr(document.session_context, "session", None)
    if not uses("take_changes") or not hasattr(session, "_pending_writes"):
        return
    send = session._document_patched
    waiting: deque[Any] = deque()

    def send_waiting() -> None:
        while waiting:
            send(waiting.popleft())

    def take(event: Any) -> None:
        if session._pending_writes is None:
            waiting.append(event)
            if len(waiting) == 1:
                document.add_next_tick_callback(send_waiting)
        else:
            # What came before is not to overwrite this.
            send_waiting()
            send(event)

    session._document_patched = take


@cache
def hide_traces() -> None:
    """Have Bokeh tell a browser that a message failed, and not where in which file.

    It answers a message that it cannot use with the whole trace. Without this, paths of
    the server reach whoever sends one.
    """
    if not uses("hide_traces") or not hasattr(ServerConnection, "error"):
        return
    tell = ServerConnection.error

    def tell_little(connection: Any, message: Any, _text: str) -> Any:
        said = tell(connection, message, "this message could not be used")
        said.content["traceback"] = None
        return said

    ServerConnection.error = tell_little


@cache
def hide_folder() -> None:
    """Keep the folder in which the server was started out of every page.

    Fields to choose files on the server, which no page of ours has, come from there by
    default, and Bokeh sends the defaults of all components to all browsers.
    """
    if not uses("hide_folder"):
        return
    folder = str(Path.cwd())
    for kind in Model.model_class_reverse_map.values():
        if issubclass(kind, DataModel):
            for name in kind.properties():
                default = kind.lookup(name).property
                if getattr(default, "_default", None) == folder:
                    default._default = ""


@cache
def walk_faster() -> bool:
    """Have all documents of this process walked through faster, from now on.

    Returns
    -------
    bool
        Whether they are: with a Bokeh that works otherwise inside, nothing is changed.
    """
    if not uses("walk_faster") or _original is None:
        return False
    expected = _kinds(_original)
    agrees = expected is not None and _kinds(visit) == expected
    if agrees:
        util.visit_immediate_value_references = visit
    return agrees


def _kinds(walk: Walk) -> list[str] | None:
    """Kinds of the models of a new figure, in the order in which a walk finds them."""
    # The source's selection is a default that nobody has asked for.
    sample = figure(tags=[ColumnDataSource()])
    sample.scatter([0], [0])
    try:
        return [type(model).__name__ for model in walk_through(sample, walk)]
    except Exception:
        return None


def walk_through(root: Model, walk: Walk) -> list[Model]:
    """Return all models that a model refers to, and those that they refer to.

    Parameters
    ----------
    root : bokeh.model.Model
    walk : callable
        As :func:`visit`.

    Returns
    -------
    list of bokeh.model.Model
        Each once, in the order in which Bokeh finds them.
    """
    found = {root.id: root}
    queue = [root]
    for model in queue:
        near: list[Model] = []
        walk(model, near.append)
        for one in near:
            if one.id not in found:
                found[one.id] = one
                queue.append(one)
    return queue


def visit(value: Any, visitor: Visitor) -> None:
    """Visit the models that a value refers to itself.

    Stands in for Bokeh's ``visit_immediate_value_references``.

    Parameters
    ----------
    value : object
    visitor : callable
        Called with each model; with the same one again if it is referred to again.
    """
    if not isinstance(value, HasProps):
        _original(value, visitor)
        return
    given, made = value._property_values, value._unstable_default_values
    themed = value.themed_values() or ()
    for name, is_plain in _references(type(value)):
        if not is_plain or name in themed:
            child = getattr(value, name)
        elif name in given:
            child = given[name]
        elif name in made:
            child = made[name]
        else:
            continue
        if isinstance(child, Model):
            visitor(child)
        elif child is not None:
            util.visit_value_and_its_immediate_references(child, visitor)


@cache
def _references(kind: type[HasProps]) -> tuple[tuple[str, bool], ...]:
    """Properties of a class that may refer to models, and whether they are plain ones.

    A plain property is read as most are, without methods of its own.
    """
    found = []
    for name in kind.properties_with_refs():
        descriptor = kind.lookup(name)
        is_plain = all(
            getattr(type(descriptor), method) is getattr(PropertyDescriptor, method)
            for method in ("__get__", "_get", "_get_default")
        )
        found.append((name, is_plain))
    return tuple(found)
