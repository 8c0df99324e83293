"""Matrices made small enough for a picture; loads no plotting library."""

from __future__ import annotations

import numpy as np

from swviz.typing import Floats


def shrink(matrix: Floats, most: int = 200) -> Floats:
    """Average blocks of a square matrix, so that a picture of it stays small.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
    most : int, default=200

    Returns
    -------
    ndarray of shape (m, m)
        m = n if that is at most `most`.
    """
    count = len(matrix)
    if count <= most:
        return matrix
    starts = np.linspace(0, count, most, endpoint=False).astype(int)
    sizes = np.diff([*starts, count])
    sums = np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
    shrunk: Floats = sums / np.outer(sizes, sizes)
    return shrunk
