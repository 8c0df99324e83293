"""Directions of the slices: how to choose M angles in a half circle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from swviz.checks import check_count, check_rule
from swviz.seeds import as_random_state
from swviz.typing import Floats, Rule

_DIAGONAL_OFFSET = (1 - 3**-0.5) / 2
"""Where in a cell the second Bernoulli polynomial vanishes; see `directions`."""


def directions(
    n_directions: int, rule: Rule = "paper", random_state: Any = None
) -> Floats:
    r"""Angles of the slices, in :math:`[-\pi/2, \pi/2)`.

    Parameters
    ----------
    n_directions : int
        How many (the paper's M), at least 1.
    rule : {"paper", "diagonal", "random"}, default="paper"
        - "paper": :math:`-\pi/2 + k\pi/M`, Algorithm 1.
        - "diagonal": the same spacing, shifted so that the error of the kink at
          :math:`\pi/4`, which every pair of diagrams has, cancels (see Notes).
        - "random": independent and uniform.
    random_state : int, RandomState instance, Generator or None, default=None
        Used by "random" only.

    Returns
    -------
    ndarray of shape (n_directions,)
        In ascending order.

    Notes
    -----
    At :math:`\theta = \pi/4` each point and its diagonal projection land on the same
    spot, so W vanishes there for every pair, with the sharpest kink of the curve. By
    Euler-Maclaurin, a kink with slope jump J at the fraction a of a cell of width h
    adds :math:`-\tfrac{h^2}{2} J B_2(a)`, with :math:`B_2(a) = a^2 - a + 1/6`, to an
    equal-weight sum. The paper's rule has a = 0, the worst place, whenever 4 divides
    M. The diagonal rule puts :math:`\pi/4` where :math:`B_2` vanishes. Any rule gives
    an average of slices, so the kernel stays positive definite.

    Examples
    --------
    >>> directions(4) / np.pi
    array([-0.5 , -0.25,  0.  ,  0.25])
    """
    count = check_count(n_directions, "n_directions")
    check_rule(rule)
    step = np.pi / count
    if rule == "paper":
        return -np.pi / 2 + step * np.arange(count, dtype=np.float64)
    if rule == "diagonal":
        # Cells back from pi/4 that still fit into the half circle.
        first = math.ceil(-0.75 * count - _DIAGONAL_OFFSET)
        return np.pi / 4 + step * (
            _DIAGONAL_OFFSET + first + np.arange(count, dtype=np.float64)
        )
    uniform = as_random_state(random_state).uniform(size=count)
    return np.sort(np.pi * (uniform - 0.5))
