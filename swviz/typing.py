"""Types that all modules share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

Rule = Literal["paper", "diagonal", "random"]
"""How directions are chosen: see :func:`swviz.directions`."""

RULES: tuple[Rule, ...] = get_args(Rule)

Progress = Callable[[int, int], object]
"""Called as ``progress(done, total)``; an exception it raises stops the work."""
