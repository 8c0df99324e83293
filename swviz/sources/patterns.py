"""Local binary patterns: the sign component of CLBP."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RADIUS = 1
NEIGHBOURS = 8
"""As in the paper's Section 4.3."""

PATTERNS = ("default", "ror", "uniform")


def binary_patterns(
    pixels: NDArray[np.uint8], patterns: str = "default"
) -> NDArray[np.uint8]:
    """Local binary patterns of a grey picture, without its border.

    Parameters
    ----------
    pixels : ndarray of uint8 of shape (height, width)
    patterns : {"default", "ror", "uniform"}, default="default"
        As scikit-image calls them: the plain code, the least of its rotations, or the
        number of brighter neighbours where these are adjacent.

    Returns
    -------
    ndarray of uint8 of shape (height - 2, width - 2)
        Codes from 0 to 255, or to 9 for "uniform".

    Notes
    -----
    The sign component of the completed local binary patterns (CLBP) of Guo, Zhang and
    Zhang (2010) is the plain local binary pattern: bit k of a pixel's code says
    whether its neighbour k, at angle 2 pi k / 8 on the circle of radius 1, is at
    least as bright. Pixels of the border lack neighbours and have no code.
    """
    # Imported here because scikit-image takes a while to load.
    from skimage.feature import local_binary_pattern

    codes: NDArray[np.float64] = local_binary_pattern(  # type: ignore[no-untyped-call]
        pixels, P=NEIGHBOURS, R=RADIUS, method=patterns
    )
    return codes[RADIUS:-RADIUS, RADIUS:-RADIUS].astype(np.uint8)
