"""Settings of single views in the link of a session.

The workspace keeps them as text under names such as "learn.C", because a link may come
before its view is made, and because it comes from a stranger: a view takes over what
its own bounded parameters accept, and tells of the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import param

from swviz.app.session import tell
from swviz.app.state import Workspace


def remember(
    view: param.Parameterized,
    workspace: Workspace,
    prefix: str,
    names: Sequence[str],
    is_default: Callable[[str], bool] | None = None,
) -> param.parameterized.Watcher:
    """Keep parameters of a view in the session's link, and take them from it.

    Parameters
    ----------
    view : Parameterized
    workspace : Workspace
    prefix : str
        Names the view in the link.
    names : sequence of str
        Parameters that are numbers, switches or choices.
    is_default : callable, optional
        Tells of a name whether its value goes without saying. By default, those that
        the view has now do.

    Returns
    -------
    Watcher
        Of the workspace; a view that is closed has to stop it.
    """
    defaults = {name: getattr(view, name) for name in names}
    if is_default is None:

        def is_default(name: str) -> bool:
            return getattr(view, name) == defaults[name]

    busy = False

    def write(*_events: object) -> None:
        if busy:
            return
        texts = dict(workspace.settings)
        for name in names:
            if is_default(name):
                texts.pop(f"{prefix}.{name}", None)
            else:
                texts[f"{prefix}.{name}"] = _text(getattr(view, name))
        workspace.settings = texts

    def read(*_events: object) -> None:
        nonlocal busy
        found: dict[str, Any] = {}
        for name in names:
            text = workspace.settings.get(f"{prefix}.{name}")
            if text is None or (
                text == _text(getattr(view, name)) and not is_default(name)
            ):
                continue
            try:
                value = _value(text, view.param[name])
                # One by one: a bad value must not take good ones with it.
                view.param[name]._validate(value)
                found[name] = value
            except ValueError:
                tell(f"The link's {prefix}.{name} = {text!r} is not usable.", "warning")
        if found:
            busy = True
            try:
                view.param.update(**found)
            finally:
                busy = False

    read()
    view.param.watch(write, list(names))
    return workspace.param.watch(read, "settings")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.8g}" if isinstance(value, float) else str(value)


def _value(text: str, parameter: param.Parameter) -> Any:
    """Read a value as the kind of thing that the parameter holds."""
    if isinstance(parameter, param.Boolean):
        if text not in ("yes", "no"):
            raise ValueError(text)
        return text == "yes"
    if isinstance(parameter, param.Selector):
        choices = {_text(choice): choice for choice in parameter.objects}
        if text not in choices:
            raise ValueError(text)
        return choices[text]
    if isinstance(parameter, param.Integer):
        return int(text)
    if isinstance(parameter, param.Number):
        number = float(text)
        if not math.isfinite(number):
            raise ValueError(text)
        return number
    return text
