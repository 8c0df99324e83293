"""Parameters that the paper tries for each kernel."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from swviz.errors import ParameterError
from swviz.typing import Floats

FACTORS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""By which values learnt from the training set are multiplied."""

C_GRID = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
"""The cost factors of the support vector machine."""

PSS_GRID = (
    *(0.001, 0.005, 0.01, 0.05, 0.1, 0.5),
    *(1.0, 5.0, 10.0, 50.0, 100.0, 500.0, 1000.0),
)
"""The scales t of k_PSS."""

PWG_GRID = tuple(itertools.product(FACTORS, repeat=3))
"""The 125 settings of k_PWG: factors of its heuristics K, rho and tau."""

_DECILES = (0.1, 0.5, 0.9)


def sigma_grid(distances: ArrayLike) -> Floats:
    r"""Bandwidths that the paper tries for :math:`k_{SW}`.

    Parameters
    ----------
    distances : array-like of shape (n, n) or (n * (n - 1) / 2,)
        Sliced Wasserstein distances within the training set: a symmetric matrix, of
        which the entries above the diagonal count, or those entries.

    Returns
    -------
    ndarray of shape (15,)
        Square roots of the first decile, the median and the last decile, each times
        0.01, 0.1, 1, 10 and 100; ascending.

    Raises
    ------
    ParameterError
        If all distances are 0.

    Notes
    -----
    If a decile is 0, because many diagrams are equal, the deciles are those of the
    positive distances.

    Examples
    --------
    >>> sigma_grid([[0, 4, 4], [4, 0, 4], [4, 4, 0]])[::3]
    array([2.e-02, 2.e-01, 2.e+00, 2.e+01, 2.e+02])
    """
    pairs = _pair_distances(distances)
    if not len(pairs) or not (pairs >= 0).all() or not np.isfinite(pairs).all():
        raise ParameterError(
            "a grid of sigmas needs the finite distances of at least two diagrams"
        )
    deciles = np.quantile(pairs, _DECILES)
    if deciles[0] == 0:
        if not pairs.any():
            raise ParameterError(
                "all diagrams are at distance 0 from each other: they are equal, and "
                "there is nothing to tell apart"
            )
        deciles = np.quantile(pairs[pairs > 0], _DECILES)
    return np.sort(np.outer(np.sqrt(deciles), FACTORS).ravel())


def _pair_distances(distances: ArrayLike) -> Floats:
    try:
        given = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("distances must be numbers") from None
    if given.ndim == 2 and given.shape[0] == given.shape[1]:
        return given[np.triu_indices(len(given), 1)]
    if given.ndim == 1:
        return given
    raise ParameterError(
        f"distances must be a square matrix or a list, not of shape {given.shape}"
    )
