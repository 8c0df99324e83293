"""Sliders whose every step is followed at once."""

from __future__ import annotations

import math
from typing import Any

import panel_material_ui as pmui
from bokeh.models import CustomJSTickFormatter

from swviz.app.compat.panel import FollowsEveryStep


class LiveSlider(FollowsEveryStep, pmui.FloatSlider):
    """A slider whose every step is followed at once.

    Panel waits 50 ms for further steps. Here a step takes little time, or is left out
    where the work is done if a further one has overtaken it: the wait would only be
    felt. The value where a drag ends, which comes in a message of its own, is the last
    of the steps, and so is not listened to.
    """


class DecadeSlider(LiveSlider):
    """A slider whose value is a decimal logarithm and that shows the number itself.

    The browser writes the number: with a label from the server each step would come
    back as three more messages before its result does.

    Parameters
    ----------
    decades : (float, float), optional
        The range, instead of `start` and `end`; :meth:`follow` widens it where a number
        lies outside.
    **params
        Further parameters of the slider.
    """

    def __init__(
        self, decades: tuple[float, float] | None = None, **params: Any
    ) -> None:
        if decades is not None:
            params["start"], params["end"] = decades
        # One for each slider: a model belongs to one document.
        params["format"] = CustomJSTickFormatter(
            code="return `${+(10 ** tick).toPrecision(3)}`"
        )
        super().__init__(**params)
        self._decades = self.start, self.end

    @property
    def number(self) -> float:
        """The number at the slider's place, to four digits."""
        return float(f"{10**self.value:.4g}")

    def follow(self, number: float, decades: tuple[float, float] | None = None) -> None:
        """Move to a number, unless that is where the slider is.

        Parameters
        ----------
        number : float
        decades : (float, float), optional
            Another range from now on.
        """
        moved = decades is not None and decades != self._decades
        self._decades = decades or self._decades
        if number != self.number or moved:
            place = math.log10(number)
            low, high = self._decades
            self.param.update(start=min(low, place), end=max(high, place), value=place)
