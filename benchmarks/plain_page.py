"""The page of swviz in a template of its own, without panel-material-ui: a spike.

Importing this module puts a stand-in with Panel's own widgets into the place of
panel-material-ui, then imports the app, whose code is the same: workspace, figures,
texts, sidebar and tabs. With ``SWVIZ_WIDGETS=material`` in the environment Material's
widgets stay, and only its page and columns are replaced. Either belongs into a process
of its own, that of a server; see :mod:`benchmarks.page_cost`. Only the opening page was
looked at closely. docs/material.md says what came out.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import panel as pn
import param
from bokeh.themes import Theme
from panel.theme import DarkTheme, Native
from panel.theme.base import BOKEH_DARK

_MATERIAL_ONLY = {
    "sx", "size", "variant", "color", "helper_text", "severity", "title_variant",
    "width_option", "close_on_click", "icon", "label_placement", "scroll", "title",
}  # fmt: skip
"""Options of Material's components that have no meaning here, or another one."""

_ICONS = {"code": "⟨⟩", "link": "∞", "undo": "↶", "restore": "↺"}
"""Characters: Panel's own icons are fetched from the network."""

_SWITCH = """
input {
  appearance: none; width: 30px; height: 16px; margin: 2px 10px 2px 2px;
  border-radius: 8px; position: relative;
  background: color-mix(in srgb, currentColor 35%, transparent);
}
input::after {
  content: ""; position: absolute; top: 2px; left: 2px; width: 12px; height: 12px;
  border-radius: 6px; background: #FFFFFF;
}
input:checked { background: var(--design-primary-color); }
input:checked::after { left: 16px; }
"""
_IN_BAR = """
.bk-btn, :host(.solid) .bk-btn.bk-btn-default {
  background: none; border: 0; box-shadow: none; color: #FFFFFF;
}
.bk-btn:hover { background: rgba(255, 255, 255, 0.12) !important; }
"""
_TABS = """
:host(.solid) .bk-btn-group .bk-btn.bk-btn-default {
  background: none; border: 0; border-radius: 0; color: rgba(255, 255, 255, 0.8);
  font-size: 0.95rem; padding: 16px 14px; flex: none;
}
:host(.solid) .bk-btn-group .bk-btn.bk-btn-default.bk-active {
  color: #FFFFFF; box-shadow: inset 0 -3px #E9A03B; text-shadow: 0 0 0.9px;
}
"""
_FIELDS = """
:host { --border-radius: 8px; }
.bk-input { border-radius: 8px; }
.bk-btn-group .bk-btn.bk-active, :host(.solid) .bk-btn-group .bk-btn.bk-active {
  background: color-mix(in srgb, var(--design-primary-color) 22%, transparent);
  box-shadow: none;
}
.noUi-connect { background: var(--design-primary-color); }
"""

_LINES = "#45525E"
_DARK_PLOTS = {
    "Plot": dict.fromkeys(["background_fill_color", "border_fill_color"])
    | {"outline_line_color": _LINES},
    "Grid": {"grid_line_color": _LINES},
}

TEMPLATE = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")


class _Plain:
    """Takes what the app says to Material's components, and drops what is theirs."""

    _look: ClassVar[str] = ""

    def __init__(self, *objects: Any, **params: Any) -> None:
        icon = _ICONS.get(params.get("icon"), "")
        is_in_bar = params.get("variant") == "text"
        known = {
            name: value
            for name, value in params.items()
            if (name in self.param and name not in _MATERIAL_ONLY) or name == "on_click"
        }
        if icon:
            known["label"] = f"{icon} {known['label']}"
        sheet = _IN_BAR if is_in_bar else self._look
        if sheet:
            known["stylesheets"] = [sheet]
        super().__init__(*objects, **known)


class Switch(_Plain, pn.widgets.Checkbox):
    """Panel's own Switch has no label: a Checkbox that looks like one."""

    _look = _SWITCH


class Column(_Plain, pn.Column):
    """A column of Panel has a height, which Material's in the app have not."""

    def __init__(self, *objects: Any, **params: Any) -> None:
        styles = dict(params.pop("styles", {}))
        for name in ("height", "min-height"):
            styles.pop(name, None)
        super().__init__(*objects, styles=styles, **params)


class LinearProgress(_Plain, pn.indicators.Progress):
    """Stands in for Material's."""

    variant = param.String(default="determinate")
    value = param.Number(default=-1)
    _rename: ClassVar[dict[str, str | None]] = {"variant": None}

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        if "value" in params:
            params = {**params, "value": int(params["value"])}
        return super()._process_param_change(params)


class TabMenu(pn.viewable.Viewer):
    """Names of tabs, one of which is open."""

    active = param.Integer(default=0)

    def __init__(self, items: list[dict[str, str]], active: int, **_: Any) -> None:
        super().__init__(active=active)
        names = [item["label"] for item in items]
        self._group = pn.widgets.RadioButtonGroup(
            options=names, value=names[active], stylesheets=[_TABS], margin=0
        )
        self._group.param.watch(
            lambda event: setattr(self, "active", names.index(event.new)), "value"
        )
        self.param.watch(
            lambda event: setattr(self._group, "value", names[event.new]), "active"
        )

    def __panel__(self) -> pn.widgets.RadioButtonGroup:
        return self._group


class Dark(DarkTheme):
    """Figures as dark as the cards around them."""

    bokeh_theme = Theme(json={"attrs": BOKEH_DARK["attrs"] | _DARK_PLOTS})


class Look(Native):
    """Panel's plainest design."""

    _themes: ClassVar[dict[str, type]] = {**Native._themes, "dark": Dark}


class Page(pn.Template):
    """Bar, sidebar and main area, each a root of its own in our HTML."""

    dark_theme = param.Boolean(default=False)

    def __init__(self, header: list, sidebar: list, main: list, dark_theme: bool, **_):
        super().__init__(
            TEMPLATE,
            design=Look,
            theme=Look._themes["dark" if dark_theme else "default"],
        )
        self.param.update(dark_theme=dark_theme)
        wide = {"sizing_mode": "stretch_width", "margin": 0}
        self.add_panel("bar", pn.Row(*header, **wide))
        self.add_panel("sidebar", pn.Column(*sidebar, **wide))
        self.add_panel("main", pn.Column(*main, **wide))
        self.add_panel("notifications", pn.state.notifications)
        self.add_variable("dark", dark_theme)


def _plain(name: str, kind: type) -> type:
    return type(name, (_Plain, kind), {"_look": _FIELDS})


def _stand_in() -> ModuleType:
    """Return a module that has all of panel-material-ui that the app uses."""
    module = ModuleType("panel_material_ui")
    for kind in (Switch, Column, LinearProgress, TabMenu, Page):
        setattr(module, kind.__name__, kind)
    for name in (
        "Button", "Select", "RadioButtonGroup", "CheckButtonGroup", "FloatSlider",
        "IntSlider", "IntInput", "FileDownload", "MultiChoice", "TextAreaInput",
    ):  # fmt: skip
        setattr(module, name, _plain(name, getattr(pn.widgets, name)))
    module.IconButton = module.Button
    module.Dialog = _plain("Dialog", pn.layout.Modal)
    module.Accordion = _plain("Accordion", pn.Accordion)
    module.Alert = _plain("Alert", pn.pane.Alert)
    return module


KEEPS_WIDGETS = os.environ.get("SWVIZ_WIDGETS") == "material"
assert "swviz.app.shell.page" not in sys.modules
if KEEPS_WIDGETS:
    import panel_material_ui

    panel_material_ui.Page, panel_material_ui.Column = Page, Column
else:
    sys.modules["panel_material_ui"] = _stand_in()

from swviz.app.shell.page import create_page as create_page  # noqa: E402
