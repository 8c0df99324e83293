"""The exponential of a kernel, and the distance a kernel induces."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from swviz.directions import Floats
from swviz.distances import Progress
from swviz.errors import ParameterError
from swviz.kernels.base import DiagramKernel
from swviz.kernels.inputs import ByDimension, check_square
from swviz.kernels.sliced import SlicedWassersteinKernel

_LARGEST_EXPONENT = 700.0
"""The exponential of more overflows."""


class UniversalKernel(DiagramKernel):
    r"""The exponential of another kernel, :math:`\exp(k(A, B))`.

    Parameters
    ----------
    kernel : DiagramKernel, default=None
        None is ``SlicedWassersteinKernel()``.

    Notes
    -----
    A power series of a kernel with positive coefficients is a kernel, and the
    exponential of one that separates diagrams is universal: on a compact set of
    diagrams every continuous function is a limit of functions in its Hilbert space. So
    :func:`swviz.mmd_test` with it sees every difference between two distributions.

    Examples
    --------
    >>> universal = UniversalKernel(SlicedWassersteinKernel(sigma=2.0))
    >>> round(universal([(0, 1)], [(0, 1)]), 5)  # exp(1)
    2.71828
    """

    def __init__(self, kernel: DiagramKernel | None = None) -> None:
        self.kernel = kernel

    @property
    def dimensions(self) -> Collection[int] | None:  # type: ignore[override]
        """The homology dimensions that the kernel inside looks at."""
        return self._inner().dimensions

    def _inner(self) -> DiagramKernel:
        if self.kernel is None:
            return SlicedWassersteinKernel()
        if not isinstance(self.kernel, DiagramKernel):
            raise ParameterError(
                f"kernel must be one of swviz.kernels, not {self.kernel!r}"
            )
        return self.kernel

    def _check_parameters(self) -> None:
        self._inner()._check_parameters()

    def _learn(self, diagrams: ByDimension) -> None:
        self.kernel_: DiagramKernel = clone(self._inner())
        self.kernel_._learn(diagrams)

    def _gram(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        kernel = getattr(self, "kernel_", None) or self._inner()
        gram = kernel._gram(X, Y, progress)
        if gram.size and gram.max() > _LARGEST_EXPONENT:
            raise ParameterError(
                f"the kernel inside reaches {gram.max():g}, whose exponential is too "
                "large for a float: take a kernel with values up to 1, as k_SW"
            )
        return np.exp(gram, out=gram)


def rkhs_distance(gram: ArrayLike) -> Floats:
    r"""Distances in the Hilbert space of a kernel, from its Gram matrix.

    Parameters
    ----------
    gram : array-like of shape (n, n)

    Returns
    -------
    ndarray of shape (n, n)
        :math:`d_k(i, j) = \sqrt{k_{ii} + k_{jj} - 2 k_{ij}}`; 0 where rounding, or a
        function that is no kernel, makes that negative.

    Examples
    --------
    >>> rkhs_distance([[1, 0.5], [0.5, 1]])
    array([[0., 1.],
           [1., 0.]])
    """
    matrix = check_square(gram, "gram")
    norms = np.diag(matrix)
    squared = norms[:, None] + norms - (matrix + matrix.T)
    np.fill_diagonal(squared, 0.0)
    return np.sqrt(np.maximum(squared, 0.0))
