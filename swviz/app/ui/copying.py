"""Putting a link or lines of Python on the clipboard."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui
from panel.viewable import Viewer

from swviz.app.runtime.session import tell
from swviz.app.ui.controls import Controls, buttons
from swviz.app.ui.theme import dialog


def tell_copied(warning: str = "") -> None:
    """Say that something has been copied, and what to know about it."""
    if warning:
        tell(f"Copied. {warning}", "warning")
    else:
        tell("Copied.", "success", 3)


def copy_button(lines: str, **options: Any) -> Controls:
    """Make a button that copies a text that is known.

    Parameters
    ----------
    lines : str
    **options
        Parameters of the component.
    """
    return Controls(None, _copies(lines), press={"copy": tell_copied}, **options)


def _copies(lines: str) -> list[dict[str, Any]]:
    return [
        buttons(
            {"name": "copy", "text": "Copy", "icon": "content_copy", "copies": lines}
        )
    ]


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
        self._copy = copy_button(lines)
        self._dialog = dialog(
            self._code,
            self._copy,
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
        self._copy.rows = _copies(lines)
        self._dialog.open = True

    def __panel__(self) -> pmui.Dialog:
        return self._dialog
