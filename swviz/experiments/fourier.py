"""Random Fourier features of k_PWG for several weights at once.

What the paper approximates k_PWG with. The features of a point do not depend on K, so
the five values of K that tuning tries share one evaluation of all cosines; those are
taken in single precision, whose error is thousands of times below that of the
approximation itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from swviz.diagrams import Diagram
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

    Returns
    -------
    ndarray of shape (len(K), len(diagrams), n_features)
        Their Euclidean distances approximate :math:`\|\mu_A - \mu_B\|`.

    Notes
    -----
    Rahimi and Recht (2008): sqrt(2 / D) cos(<w, x> + b). Costs about 3 ns a point and
    feature; equal points, as in diagrams of pictures, count once.
    """
    random = as_random_state(random_state)
    frequencies = random.normal(size=(2, n_features)) / rho
    phases = random.uniform(0, 2 * np.pi, n_features)
    scales = np.array(K, dtype=np.float64)[:, None]
    sums = np.zeros((len(scales), len(diagrams), n_features))
    with one_blas_thread(), np.errstate(over="ignore"):
        for index, diagram in enumerate(diagrams):
            points, counts = np.unique(diagram, axis=0, return_counts=True)
            persistence = points[:, 1] - points[:, 0]
            weights = counts * np.arctan(scales * persistence**p)
            # The kernels' own coordinates, so that the same seed gives the same sums.
            along = (points[:, 0] + points[:, 1]) / np.sqrt(2)
            away = persistence / np.sqrt(2)
            places = np.stack([along, away], axis=1)
            for start in range(0, len(points), _BATCH):
                some = slice(start, start + _BATCH)
                angles = (places[some] @ frequencies + phases).astype(np.float32)
                values = np.cos(angles, out=angles)
                sums[:, index] += weights[:, some].astype(np.float32) @ values
    return sums * np.sqrt(2 / n_features)
