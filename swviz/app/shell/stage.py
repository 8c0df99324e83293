"""Presenter mode: a page that is read from the last row, and one figure alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import param
from panel.custom import JSComponent


class Stage(JSComponent):
    """Makes type larger and lines thicker; the key P has it begin and end.

    The key F puts the figure under the pointer alone on the screen.
    """

    is_on = param.Boolean(default=False, doc="Whether somebody presents.")

    _esm = Path(__file__).with_name("stage.js")

    def __init__(self, **params: Any) -> None:
        # Not invisible: that would not be drawn.
        super().__init__(**{"width": 0, "height": 0, "margin": 0, **params})

    def to_query(self) -> dict[str, str]:
        """Return what a link needs to begin in this mode."""
        return {"present": "yes"} if self.is_on else {}
