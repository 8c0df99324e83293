"""The link of a session: settings of single views in it, and what it cannot carry.

The workspace keeps settings as text under names such as "learn.C", because a link may
come before its view is made, and because it comes from a stranger: a view takes over
what its own bounded parameters accept, and tells of the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.session import tell
from swviz.app.ui.theme import card, flow, plain_text, stack
from swviz.app.workspace.state import SHARED_POINTS, Workspace
from swviz.sources import SOURCES


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

    def complain(name: str, text: str) -> None:
        tell(f"The link's {prefix}.{name} = {text!r} is not usable.", "warning")

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
                found[name] = _value(text, view.param[name])
            except ValueError:
                complain(name, text)
        busy = True
        try:
            view.param.update(**found)
        except ValueError:
            if all(getattr(view, name) == value for name, value in found.items()):
                # Not a value's fault, but that of something that listens.
                raise
            # One by one: a bad value must not take good ones with it.
            for name, value in found.items():
                try:
                    view.param.update(**{name: value})
                except ValueError:
                    complain(name, workspace.settings[f"{prefix}.{name}"])
        finally:
            busy = False

    read()
    view.param.watch(write, list(names))
    return workspace.param.watch(read, "settings")


def unwatch(watchers: list[param.parameterized.Watcher]) -> None:
    """Stop watchers of whatever they watch.

    Parameters
    ----------
    watchers : list of Watcher
        Empty afterwards.
    """
    while watchers:
        watcher = watchers.pop()
        watcher.inst.param.unwatch(watcher)


def not_in_link(workspace: Workspace) -> str:
    """Say what a link to the state on show does not carry.

    Returns
    -------
    str
        A sentence, or nothing if the link leads to all that is on show.
    """
    if "source" in workspace.missing or workspace.source == "upload":
        title = workspace.missing.get("title", workspace.title)
        has_pair = workspace.link_has_points and not workspace.stands_in
        what = "only the pair on show, not" if has_pair else "no file:"
        return f"It carries {what} the uploaded set “{title}”. Send the file with it."
    if workspace.link_has_points or (
        workspace.source in SOURCES and not workspace.edited
    ):
        return ""
    return (
        f"It carries up to {SHARED_POINTS} points, and not the "
        f"{len(workspace.diagram_a) + len(workspace.diagram_b)} of this pair."
    )


class MissingNotice(pn.viewable.Viewer):
    """Says what the link of the session could not carry, and where to load it."""

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    text = param.String(default="", doc="What is missing; empty if nothing is.")

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self._place = stack()
        self._follow()
        workspace.param.watch(self._follow, ["missing", "title"])

    def __panel__(self) -> pn.Column:
        return self._place

    def load(self, _event: object = None) -> None:
        """Open the tab where files are uploaded."""
        space = self.workspace
        space.param.update(
            tab="Diagrams", settings={**space.settings, "diagrams.way": "Upload"}
        )

    def dismiss(self, _event: object = None) -> None:
        """Be content with what is on show."""
        self.workspace.missing = {}

    def _follow(self, *_events: object) -> None:
        before, self.text = self.text, missing_words(self.workspace)
        if self.text == before:
            return
        if not self.text:
            self._place.objects = []
            return
        # Made when it is needed, and anew each time: most links carry everything.
        buttons = [("Dismiss", self.dismiss)]
        if "source" in self.workspace.missing:
            buttons.insert(0, ("Load the file", self.load))
        self._place.objects = [
            card(
                plain_text(self.text, font_weight="600"),
                flow(
                    *(
                        pmui.Button(
                            label=name,
                            variant="outlined",
                            size="small",
                            margin=6,
                            on_click=click,
                        )
                        for name, click in buttons
                    ),
                    gap=0,
                ),
                css_classes=["missing"],
            )
        ]


def missing_words(workspace: Workspace) -> str:
    """Say what the link that was opened could not carry, and what is on show.

    Returns
    -------
    str
        Empty if nothing is missing.
    """
    missing = workspace.missing
    if "points" in missing:
        means = [
            f"{name} of this link is the {missing[f'is{name}']}"
            for name in "AB"
            if f"is{name}" in missing
        ]
        what = ", and ".join(means) or "The pair of this link was edited by hand"
        again = " Click it in the gallery of Diagrams to have it again." * bool(means)
        return (
            f"{what}. The pair's {missing['points']} points are more than the "
            f"{SHARED_POINTS} that a link can carry: on show is the pair as it is in "
            f"the data set.{again}"
        )
    if "source" not in missing:
        return ""
    kind = "uploaded set" if missing["source"] == "upload" else "drawn diagrams"
    named = f"{kind} “{missing['title']}”" if missing["title"] else kind
    if workspace.source == "drawn":
        return (
            f"This link shows one pair of the {named}. A link cannot carry the whole "
            "set: load the file to have it here."
        )
    return (
        f"This link leads to the {named}, which a link cannot carry. Load the file to "
        f"see it; until then {workspace.title} is on show instead."
    )


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
