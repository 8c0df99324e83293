"""Eigenvalues of Gram matrices: below zero, a function is no kernel."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_square
from swviz.distances import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz.errors import ParameterError
from swviz.kernels import kernel_from_distances
from swviz.kernels.threads import one_blas_thread
from swviz.sources import d1_counterexample
from swviz.studies.bandwidths import typical_sigma
from swviz.typing import Floats

_STEPS = 41
"""Bandwidths of a sweep."""


def eigenvalues(gram: ArrayLike) -> Floats:
    """Eigenvalues of a symmetric matrix, the largest first.

    Parameters
    ----------
    gram : array-like of shape (n, n)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> eigenvalues([[1, 2], [2, 1]]).round(9)
    array([ 3., -1.])
    """
    matrix = check_square(gram, "gram")
    with one_blas_thread():
        return np.asarray(np.linalg.eigvalsh(matrix)[::-1], dtype=np.float64)


def smallest_eigenvalues(distances: ArrayLike, sigmas: ArrayLike) -> Floats:
    r"""Smallest eigenvalue of :math:`e^{-d / (2 \sigma^2)}` for several bandwidths.

    Parameters
    ----------
    distances : array-like of shape (n, n)
        Symmetric, at least one row.
    sigmas : array-like of shape (k,)

    Returns
    -------
    ndarray of shape (k,)
        Never below 0 but for rounding if the distance is SW; perhaps if it is d1. Costs
        O(k n^3): 41 bandwidths of 100 diagrams take a tenth of a second.
    """
    matrix = check_square(distances, "distances")
    if not len(matrix):
        raise ParameterError("distances is empty: there is no eigenvalue")
    with one_blas_thread():
        return np.array(
            [
                np.linalg.eigvalsh(kernel_from_distances(matrix, sigma))[0]
                for sigma in np.asarray(sigmas, dtype=np.float64).tolist()
            ]
        )


def smallest_over_sigma(
    matrices: Mapping[str, Floats],
) -> tuple[Floats, dict[str, Floats]]:
    """Smallest eigenvalues of several distances over bandwidths of three decades.

    Parameters
    ----------
    matrices : mapping of str to ndarray of shape (n, n)
        Distances.

    Returns
    -------
    sigmas : ndarray of shape (k,)
        Around the root of the median distance; empty if all distances are 0.
    curves : dict of str to ndarray of shape (k,)
    """
    distances = np.concatenate([matrix[matrix > 0] for matrix in matrices.values()])
    if not len(distances):
        return np.empty(0), {key: np.empty(0) for key in matrices}
    sigmas = typical_sigma(distances) * np.logspace(-1.5, 1.5, _STEPS)
    return sigmas, {
        key: smallest_eigenvalues(matrix, sigmas) for key, matrix in matrices.items()
    }


def rounding(values: Floats) -> float:
    """Size below which an eigenvalue of a matrix is rounding.

    Parameters
    ----------
    values : ndarray of shape (n,)
        All eigenvalues.

    Returns
    -------
    float
    """
    return 1e-14 * max(1.0, float(np.abs(values).max(initial=0))) * len(values)


@lru_cache(maxsize=1)
def six_diagrams() -> dict[str, Floats]:
    """Return the distances of the six diagrams where the Gaussian on d1 is no kernel.

    Returns
    -------
    dict of {"k_sw", "k_d1"} to ndarray of shape (6, 6)
    """
    diagrams = d1_counterexample().in_dimension(1)
    return {
        "k_sw": sliced_wasserstein_matrix(diagrams, n_directions="exact"),
        "k_d1": diagram_distance_matrix(diagrams),
    }


def conditional_negativity(distances: ArrayLike) -> float:
    r"""Check a distance for conditional negative definiteness.

    Parameters
    ----------
    distances : array-like of shape (n, n)
        Symmetric.

    Returns
    -------
    float
        The largest value of :math:`\sum_{ij} c_i c_j d_{ij}` over
        :math:`\sum_i c_i = 0`, :math:`\sum_i c_i^2 = 1`: up to rounding at most 0 if
        and only if :math:`e^{-d / 2\sigma^2}` is a kernel on these samples for every
        sigma (Berg et al. 1984, Theorem 3.2.2; the paper's Section 2.2).

    Examples
    --------
    >>> line = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    >>> conditional_negativity(line) < 0
    True
    """
    matrix = check_square(distances, "distances")
    if len(matrix) < 2:
        raise ParameterError("a distance is between two samples: give at least two")
    # An orthonormal basis of the vectors of sum 0 (Helmert's).
    k = np.arange(1, len(matrix))
    basis = np.triu(np.ones((len(matrix), len(matrix) - 1)))
    basis[k, k - 1] = -k
    basis /= np.sqrt(k * (k + 1.0))
    inside = basis.T @ matrix @ basis
    return float(eigenvalues(inside)[0])
