"""What a Gram or distance matrix shows: maps, and neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.utils.extmath import svd_flip

from swviz.checks import check_count, check_square
from swviz.errors import ParameterError
from swviz.kernels.threads import one_blas_thread
from swviz.results import Result, as_frame, brief
from swviz.typing import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class KernelMap(Result):
    """Principal components in the Hilbert space of a kernel.

    Parameters
    ----------
    coordinates : ndarray of shape (n, n_components)
    explained : ndarray of shape (n_components,)
        Part of the total variance along each component.
    axes : ndarray of shape (n, n_components)
        Coefficients that `project` needs.
    column_means : ndarray of shape (n,)
        Of the Gram matrix.
    """

    coordinates: Floats
    explained: Floats
    axes: Floats
    column_means: Floats

    def project(self, gram: ArrayLike) -> Floats:
        """Coordinates of other samples on the same map.

        Parameters
        ----------
        gram : array-like of shape (m, n)
            The kernel between them and those the map was made of.

        Returns
        -------
        ndarray of shape (m, n_components)
        """
        rows = np.atleast_2d(np.asarray(gram, dtype=np.float64))
        if rows.shape[1] != len(self.column_means):
            raise ParameterError(
                f"gram must have {len(self.column_means)} columns, not {rows.shape[1]}"
            )
        # The axes sum to 0, so that the mean of each row drops out.
        return (rows - self.column_means) @ self.axes

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "samples": str(len(self.coordinates)),
            "variance explained": brief(f"{part:.0%}" for part in self.explained),
        }

    def frame(self) -> pd.DataFrame:
        """Return the map as a data frame, a row for each sample.

        Returns
        -------
        pandas.DataFrame
            Columns sample and component_1, component_2, ...
        """
        columns = {
            f"component_{number}": column
            for number, column in enumerate(self.coordinates.T, start=1)
        }
        return as_frame({"sample": np.arange(len(self.coordinates)), **columns})


def kernel_pca(gram: ArrayLike, n_components: int = 2) -> KernelMap:
    """Map samples by kernel principal component analysis.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        Symmetric. Negative eigenvalues (of functions that are no kernel) are left out.
    n_components : int, default=2

    Returns
    -------
    KernelMap
        Components without variance have coordinates 0.

    Examples
    --------
    >>> x = np.array([-1.0, 0.0, 1.0])
    >>> kernel_pca(np.outer(x, x), 1).coordinates.round(6).ravel()
    array([ 1.,  0., -1.])
    """
    matrix = check_square(gram, "gram")
    n_components = check_count(n_components, "n_components", max(1, len(matrix)))
    means = matrix.mean(axis=0)
    centred = matrix - means - means[:, None] + means.mean()
    low = max(0, len(matrix) - n_components)
    with one_blas_thread():
        values, vectors = eigh(centred, subset_by_index=[low, len(matrix) - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    vectors, _ = svd_flip(vectors, None)
    total = max(np.trace(centred), 0.0)
    tiny = len(matrix) * np.finfo(float).eps * max(np.abs(matrix).max(), total)
    lengths = np.sqrt(np.where(values > tiny, values, 0.0))
    axes = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return KernelMap(
        coordinates=vectors * lengths,
        explained=lengths**2 / total if total > 0 else np.zeros(len(lengths)),
        axes=axes,
        column_means=means,
    )


def nearest(distances: ArrayLike, n_neighbors: int = 5) -> tuple[Ints, Floats]:
    """Find the nearest diagrams of each query.

    Parameters
    ----------
    distances : array-like of shape (n_queries, n)
        Such as ``sliced_wasserstein_matrix([query], X)``.
    n_neighbors : int, default=5
        At most n are given.

    Returns
    -------
    indices : ndarray of shape (n_queries, k), integer
        Nearest first; of equal ones the first.
    nearest_distances : ndarray of shape (n_queries, k)

    Examples
    --------
    >>> nearest([[0.3, 0.1, 0.2]], 2)
    (array([[1, 2]]), array([[0.1, 0.2]]))
    """
    rows = np.atleast_2d(np.asarray(distances, dtype=np.float64))
    if rows.ndim != 2 or np.isnan(rows).any():
        raise ParameterError("distances must be a matrix of numbers, without NaN")
    count = min(check_count(n_neighbors, "n_neighbors"), rows.shape[1])
    indices = np.argsort(rows, axis=1, kind="stable")[:, :count]
    return indices, np.take_along_axis(rows, indices, axis=1)
