"""Six diagrams that show why the Gaussian on d1 is no kernel."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from swviz.diagrams import DiagramSet
from swviz.sources.parameters import Preset

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {"six diagrams": Preset("Six diagrams where the Gaussian on d1 is no kernel", {})}
)


def d1_counterexample() -> DiagramSet:
    r"""Six diagrams whose Gaussian on :math:`d_1` has a negative eigenvalue.

    Returns
    -------
    DiagramSet
        One homology dimension, 1; six diagrams of two points.

    Notes
    -----
    The points are the corners of a diamond far from the diagonal: in the sup norm
    neighbours are at distance 1 and opposite corners at distance 2. The diagrams are
    the six pairs of corners. Each of the two pairs of opposite corners is at
    :math:`d_1 = 1` from each of the four pairs of neighbours, and all other distances
    are 2: the distances along the edges of the graph :math:`K_{2,4}`. With
    :math:`s = e^{-1/(2\sigma^2)}` the Gram matrix has the eigenvalue

    .. math:: 1 + 2 s^2 - \sqrt{s^4 + 8 s^2},

    negative as soon as :math:`s^2 > 1/3`, that is for :math:`\sigma > 0.954`.

    Examples
    --------
    >>> from swviz.kernels import DiagramDistanceKernel
    >>> gram = DiagramDistanceKernel(sigma=1.5).fit_transform(d1_counterexample())
    >>> np.linalg.eigvalsh(gram)[0].round(4)
    np.float64(-0.0715)
    """
    corners = {"top": (2, 9), "right": (3, 8), "bottom": (2, 7), "left": (1, 8)}
    pairs = [
        ("top", "bottom"),
        ("left", "right"),
        ("top", "right"),
        ("bottom", "left"),
        ("top", "left"),
        ("bottom", "right"),
    ]
    return DiagramSet(
        {1: [[corners[first], corners[second]] for first, second in pairs]},
        labels=np.array(["opposite"] * 2 + ["neighbours"] * 4),
        names=[f"{first} and {second}" for first, second in pairs],
        provenance={"source": "d1_counterexample"},
    )
