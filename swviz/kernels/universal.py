"""The exponential of a kernel, and the distance a kernel induces."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from swviz.checks import check_square
from swviz.errors import ParameterError, shown
from swviz.kernels.base import DiagramKernel
from swviz.kernels.inputs import ByDimension
from swviz.kernels.sliced import SlicedWassersteinKernel
from swviz.typing import Floats, Progress

_LARGEST_EXPONENT = 700.0
"""The exponential of more overflows."""


class KernelInside(BaseEstimator):  # type: ignore[misc]
    """Base of estimators with a parameter `kernel`, by default k_SW.

    Notes
    -----
    The parameters of the default can be seen and set as ``kernel__sigma`` and so on,
    as those of a kernel that was given.
    """

    kernel: DiagramKernel | None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, with those of the kernel inside.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        dict of str to object
        """
        found: dict[str, Any] = super().get_params(deep)
        if deep and self.kernel is None:
            inside = SlicedWassersteinKernel().get_params()
            found |= {f"kernel__{name}": value for name, value in inside.items()}
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also of the kernel inside.

        Parameters
        ----------
        **params
            By name; ``kernel__sigma`` is that of the kernel.

        Returns
        -------
        self
        """
        inside = any(name.startswith("kernel__") for name in params)
        if inside and params.get("kernel", self.kernel) is None:
            params["kernel"] = SlicedWassersteinKernel()
        super().set_params(**params)
        return self

    def _inner(self) -> DiagramKernel:
        if self.kernel is None:
            return SlicedWassersteinKernel()
        if not isinstance(self.kernel, DiagramKernel):
            raise ParameterError(
                f"kernel must be one of swviz.kernels, not {shown(self.kernel)}"
            )
        return self.kernel


class UniversalKernel(KernelInside, DiagramKernel):
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

    def check_parameters(self) -> None:
        """Check those of the kernel inside."""
        self._inner().check_parameters()

    def learn_from(self, diagrams: ByDimension) -> None:
        """Let a copy of the kernel inside learn."""
        inner = self._inner()
        self.kernel_: DiagramKernel = clone(inner)
        # The random state itself, not a copy that would draw the same again.
        self.kernel_.set_params(**inner.get_params(deep=False))
        self.kernel_.learn_from(diagrams)
        self.kernel_.diagrams_ = diagrams

    def _present(self) -> DiagramKernel:
        """Return the kernel inside, with its present parameters and what it learnt."""
        inner = self._inner()
        learnt = getattr(self, "kernel_", None)
        if learnt is None:
            return inner
        if type(learnt) is not type(inner):
            # Another kernel has been set after fit.
            self.learn_from(self.diagrams_)
            return self.kernel_
        return learnt.set_params(**inner.get_params(deep=False))

    def gram_by_dimension(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        """Exponentiate the matrix of the kernel inside."""
        gram = self._present().gram_by_dimension(X, Y, progress)
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
