"""Sliders whose every step is followed at once."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
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


class CountSlider(LiveSlider):
    """A slider for whole numbers from 1 on whose small ones have most of its way.

    It steps by 1 up to 20, by 2 up to 40, by 5 up to 100 and by 10 from there. Numbers
    in between can be shown, too.

    Parameters
    ----------
    most : int
        The largest number, from 100 on.
    **params
        Further parameters of the slider.
    """

    def __init__(self, most: int, **params: Any) -> None:
        self._numbers = [1, 20, 40, 100, most]
        self._places = [0, 19, 29, 41, 41 + (most - 100) / 10]
        # As `number` does, in the browser: see DecadeSlider.
        code = f"""
            const places = {json.dumps(self._places)}
            const numbers = {json.dumps(self._numbers)}
            let k = 0
            while (k + 2 < places.length && tick > places[k + 1]) k += 1
            const part = (tick - places[k]) / (places[k + 1] - places[k])
            return `${{Math.round(numbers[k] + part * (numbers[k + 1] - numbers[k]))}}`
        """
        params = {"start": 0, "end": self._places[-1], "step": 1, **params}
        super().__init__(format=CustomJSTickFormatter(code=code), **params)

    @property
    def number(self) -> int:
        """The number at the slider's place."""
        return round(float(np.interp(self.value, self._places, self._numbers)))

    def follow(self, number: int) -> None:
        """Move to a number, unless that is where the slider is."""
        if number != self.number:
            self.value = float(np.interp(number, self._numbers, self._places))
