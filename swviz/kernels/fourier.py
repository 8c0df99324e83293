"""Random Fourier features of k_PWG, what the paper approximates it with (Section 4).

The features of a point do not depend on its weight, so several scales K of the weights
share one evaluation of all cosines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from swviz.diagrams import Diagram
from swviz.errors import ParameterError
from swviz.kernels.threads import one_blas_thread
from swviz.seeds import as_random_state
from swviz.typing import Floats

_BATCH = 2048
"""Points whose features are evaluated at once: 16 MB for 1000 features."""


def fourier_sums(
    diagrams: Sequence[Diagram],
    K: Sequence[float],
    rho: float,
    p: float,
    n_features: int = 1000,
    random_state: Any = 0,
    *,
    precision: DTypeLike = np.float64,
) -> Floats:
    r"""Sum the weighted features of the points of each diagram.

    Parameters
    ----------
    diagrams : sequence of ndarray of shape (n_i, 2)
    K : sequence of float
        Scales of the weights :math:`\arctan(K \, \mathrm{pers}^p)`.
    rho : float
        Width of the Gaussians.
    p : float
    n_features : int, default=1000
    random_state : int, RandomState instance, Generator or None, default=0
    precision : dtype, default=float64
        Of the cosines. Single precision takes half the time, and its error is
        thousands of times below that of the approximation itself.

    Returns
    -------
    ndarray of shape (len(K), len(diagrams), n_features)
        Their Euclidean distances approximate :math:`\|\mu_A - \mu_B\|`.

    Notes
    -----
    Rahimi and Recht (2008): sqrt(2 / D) cos(<w, x> + b). Costs about 3 ns a point and
    feature in single precision; equal points, as in diagrams of pictures, count once.
    """
    random = as_random_state(random_state)
    scales = np.array(K, dtype=np.float64)[:, None]
    sums = np.zeros((len(scales), len(diagrams), n_features))
    # What is out of range is refused at the end.
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        frequencies = random.normal(size=(2, n_features)) / rho
        phases = random.uniform(0, 2 * np.pi, n_features)
        for index, diagram in enumerate(diagrams):
            points, counts = np.unique(diagram, axis=0, return_counts=True)
            persistence = points[:, 1] - points[:, 0]
            weights = counts * np.arctan(scales * persistence**p)
            # Along the diagonal and away from it, as all kernels have coordinates.
            places = np.stack([points.sum(axis=1), persistence], axis=1) / np.sqrt(2)
            for start in range(0, len(points), _BATCH):
                some = slice(start, start + _BATCH)
                angles = (places[some] @ frequencies + phases).astype(precision)
                values = np.cos(angles, out=angles)
                sums[:, index] += weights[:, some].astype(precision) @ values
    if not np.isfinite(sums).all():
        raise ParameterError(
            f"the Gaussians (width {rho:g}) are too narrow for random Fourier features "
            'of these diagrams: use method="auto", or a larger rho'
        )
    return sums * np.sqrt(2 / n_features)
