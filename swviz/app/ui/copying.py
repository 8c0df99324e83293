"""Putting a link or lines of Python on the clipboard."""

from __future__ import annotations

import json
from typing import Any

import panel_material_ui as pmui
from panel.viewable import Viewer

from swviz.app.compat.panel import RunsScript
from swviz.app.runtime.session import tell
from swviz.app.ui.theme import dialog

_COPY = """
if (navigator.clipboard) {
  navigator.clipboard.writeText(text)
} else {  // pages that are not served over https have no clipboard
  const area = document.createElement("textarea")
  area.value = text
  document.body.appendChild(area)
  area.select()
  document.execCommand("copy")
  area.remove()
}
"""


class CopyButton(RunsScript, pmui.Button):
    """Copies a text in the browser.

    Parameters
    ----------
    text : str
        Its JavaScript expression.
    **options
        Further parameters of the button.
    """

    def __init__(self, text: str, **options: Any) -> None:
        super().__init__(**options)
        self.run_when_clicked(f"const text = {text}{_COPY}")
        self.on_click(lambda _event: tell_copied())


def tell_copied(warning: str = "") -> None:
    """Say that something has been copied, and what to know about it."""
    if warning:
        tell(f"Copied. {warning}", "warning")
    else:
        tell("Copied.", "success", 3)


def copy_button(lines: str, **options: Any) -> CopyButton:
    """Make a button that copies a text that is known.

    Parameters
    ----------
    lines : str
    **options
        Parameters of the button.
    """
    return CopyButton(json.dumps(lines), label="Copy", icon="content_copy", **options)


class PythonDialog(Viewer):
    """The lines that reproduce what is on show, to be copied; open from the start."""

    def __init__(self, lines: str) -> None:
        super().__init__()
        self._code = pmui.TextAreaInput(
            label="Python",
            value=lines,
            rows=16,
            sizing_mode="stretch_width",
            sx={"& textarea": {"fontFamily": "monospace", "fontSize": "0.85rem"}},
        )
        self._dialog = dialog(
            self._code,
            copy_button(lines),
            title="What is on screen, with the library",
        )

    @property
    def lines(self) -> str:
        """What the dialog shows."""
        return str(self._code.value)

    @property
    def open(self) -> bool:
        """Whether it is on screen."""
        return bool(self._dialog.open)

    def show(self, lines: str) -> None:
        """Open with these lines."""
        self._code.value = lines
        self._dialog[1] = copy_button(lines)
        self._dialog.open = True

    def __panel__(self) -> pmui.Dialog:
        return self._dialog
