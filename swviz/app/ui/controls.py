"""Small controls that stand together, in one component that draws them itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import param
from panel.custom import JSComponent

from swviz.plot.theme import ACCENT

LONGEST_WORD = 200
"""Of what a browser says."""

ADDRESS = "address:"
"""No text that anybody copies."""

_STYLE = """
.controls { font: 1rem/1.4 Roboto, system-ui, sans-serif; color: inherit; }
.heading { margin: 10px 12px 2px; font-size: 0.75rem; font-weight: 600; opacity: 0.75;
  letter-spacing: 0.08em; }
.label { margin: 4px 12px 2px; font-size: 0.875rem; opacity: 0.75; }
.note { margin: 2px 12px; font-size: 0.75rem; line-height: 1.35; opacity: 0.75; }
.switch { display: flex; align-items: center; gap: 9px; margin: 0 10px; height: 40px;
  cursor: pointer; position: relative; }
.switch input { position: absolute; opacity: 0; width: 40px; height: 40px; margin: 0;
  cursor: pointer; z-index: 1; }
.track { flex: 0 0 40px; height: 20px; border-radius: 10px; position: relative;
  top: 2px;
  background: color-mix(in srgb, currentColor 38%, transparent); }
.track::after { content: ""; position: absolute; left: 0; top: 0; width: 20px;
  height: 20px; border-radius: 50%; background: #FAFAFA;
  box-shadow: 0 1px 3px rgba(0, 0, 0, 0.45); transition: transform 0.12s; }
input:checked + .track { background: color-mix(in srgb, PRIMARY 50%, transparent); }
input:checked + .track::after { transform: translateX(20px); background: PRIMARY; }
input:focus-visible + .track { outline: 3px solid ACCENT; outline-offset: 2px; }
button { font: inherit; cursor: pointer; color: inherit; background: none; border: 0; }
button:focus-visible { outline: 3px solid ACCENT; outline-offset: 1px; }
button[disabled] { opacity: 0.45; cursor: default; }
.icon { font-family: "Material Icons"; font-size: 20px; line-height: 1;
  font-feature-settings: "liga"; user-select: none; }
.choice { display: flex; margin: 4px 12px 8px; border-radius: 10px; overflow: hidden;
  border: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.choice button { flex: 1; padding: 0.5em; font-size: 0.875rem; font-weight: 500; }
.choice [aria-checked=true] { background: PRIMARY; color: ON_PRIMARY; }
.sidebar .buttons { display: flex; flex-wrap: wrap; gap: 8px; margin: 6px 12px; }
.sidebar .buttons button { display: flex; align-items: center; gap: 6px; color: PRIMARY;
  padding: 4px 9px; border-radius: 10px; font-size: 0.8125rem; font-weight: 500;
  border: 1px solid color-mix(in srgb, PRIMARY 50%, transparent); }
.sidebar .buttons button:not([disabled]):hover {
  background: color-mix(in srgb, PRIMARY 9%, transparent); }
.bar { color: #FFFFFF; }
.bar .buttons { display: flex; }
.bar button { display: flex; align-items: center; gap: 6px; padding: 6px 8px;
  border-radius: 10px; font-size: 13.6px; font-weight: 500; letter-spacing: 0.4px; }
.bar button:hover { background: rgba(255, 255, 255, 0.08); }
/* On a narrow page only the icon is seen; screen readers still have the name. */
@media (max-width: 1119px) { .bar .words { display: none; } }
"""
for _name, _color in (
    ("ON_PRIMARY", "var(--panel-on-primary-color, #FFFFFF)"),
    ("PRIMARY", "var(--panel-primary-color, #005F99)"),
    ("ACCENT", ACCENT),
):
    _STYLE = _STYLE.replace(_name, _color)


def heading(text: str) -> dict[str, Any]:
    """Describe the small heading of a group."""
    return {"kind": "heading", "text": text.upper()}


def note(text: str) -> dict[str, Any]:
    """Describe small print."""
    return {"kind": "note", "text": text}


def switch(parameter: param.Boolean) -> dict[str, Any]:
    """Describe a switch for a parameter."""
    return {"kind": "switch", "name": parameter.name, "text": parameter.label}


def choice(parameter: param.Selector) -> dict[str, Any]:
    """Describe a choice of a few texts."""
    options = list(parameter.objects)
    return {
        "kind": "choice",
        "name": parameter.name,
        "text": parameter.label,
        "options": options,
    }


def buttons(*described: Mapping[str, str]) -> dict[str, Any]:
    """Describe a row of buttons.

    Parameters
    ----------
    *described : mappings of str to str
        Each with name, text and the name of an icon; perhaps a title, which a pointer
        calls up, and the text that it copies. The browser copies it, for whom that is
        allowed while somebody presses; :data:`ADDRESS` stands for the page's address.
    """
    return {"kind": "buttons", "buttons": [dict(one) for one in described]}


class Controls(JSComponent):
    """Switches, choices and buttons: what they are set to belongs to their owner.

    Each control of Material's is a component of its own, which takes the server ten
    milliseconds and the browser several times as long to make; ten of them are a
    quarter of what it takes to open a page.

    Parameters
    ----------
    owner : param.Parameterized or None
        Whose parameters switches and choices are; buttons need none.
    rows : sequence of dict
        From top to bottom: see :func:`switch` and the others.
    press : mapping of str to callable, optional
        What buttons do, by name.
    """

    rows = param.List(default=[])
    look = param.Selector(default="sidebar", objects=["sidebar", "bar"])
    values = param.Dict(default={}, doc="What switches and choices are set to.")
    disabled = param.List(default=[], doc="Names of buttons that cannot be pressed.")
    said = param.String(
        default="",
        doc="Written by the browser, as JSON: a number of its own, what was touched, "
        "and what it was set to.",
    )

    _esm = Path(__file__).with_name("controls.js")
    _stylesheets: ClassVar[list[str]] = [_STYLE]

    def __init__(
        self,
        owner: param.Parameterized | None,
        rows: Sequence[Mapping[str, Any]],
        press: Mapping[str, Callable[[], Any]] | None = None,
        **params: Any,
    ) -> None:
        self._owner, self._press = owner, dict(press or {})
        self._names = [
            str(row["name"]) for row in rows if row["kind"] in ("switch", "choice")
        ]
        super().__init__(
            rows=[dict(row) for row in rows],
            values=self._of_owner(),
            **{"margin": 0, **params},
        )
        if owner is not None and self._names:
            owner.param.watch(self._follow, self._names)
        self.param.watch(self._hear, "said")

    def _of_owner(self) -> dict[str, Any]:
        return {name: getattr(self._owner, name) for name in self._names}

    def _follow(self, *_events: Any) -> None:
        self.values = self._of_owner()

    def _hear(self, event: Any) -> None:
        try:
            _, name, value = json.loads(event.new[:LONGEST_WORD])
            if self._owner is not None and name in self._names:
                self._owner.param.update(**{name: value})
            elif name not in self.disabled:
                self._press[name]()
        except (ValueError, TypeError, KeyError):
            # Nothing that these controls have said: they show what is.
            self.param.trigger("values")
