"""What the lessons in `notebooks/` share: a word on an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from swviz.checks import check_not_negative
from swviz.errors import ParameterError, shown


def check(answer: Any, expected: Any, tolerance: float = 1e-9) -> None:
    """Say whether the answer to an exercise is right.

    Parameters
    ----------
    answer : number, array-like or Ellipsis
        What the learner has found; ``...`` as long as there is nothing.
    expected : number or array-like
        What it should be.
    tolerance : float, default=1e-9
        How far off it may be, as a part of the largest expected number.

    Examples
    --------
    >>> check(..., 2)
    Not answered yet: replace the three dots above, then run both cells.
    >>> check(2.0, 2)
    Right.
    >>> check(3, 2)
    Not yet: 3 is not what was asked for. Try again, or look at the answer below.
    """
    right = np.asarray(expected, dtype=np.float64)
    if not np.isfinite(right).all():
        raise ParameterError("expected must be finite: there is no right answer")
    tolerance = check_not_negative(tolerance, "tolerance")
    if answer is ...:
        print("Not answered yet: replace the three dots above, then run both cells.")
        return
    try:
        given = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        print(f"Not yet: the answer is a number, not {shown(answer)}.")
        return
    if given.shape != right.shape:
        print(
            f"Not yet: the answer has shape {given.shape}, and should have "
            f"{right.shape}; () is a single number."
        )
        return
    room = tolerance * max(1.0, float(np.abs(right).max(initial=0.0)))
    if np.all(np.abs(given - right) <= room):
        print("Right.")
    else:
        print(
            f"Not yet: {shown(answer)} is not what was asked for. Try again, or look "
            "at the answer below."
        )
