r"""Kernels that are one exponential of a distance, :math:`\exp(-d / (2 \sigma^2))`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_choice, check_not_negative, check_positive, check_workers
from swviz.diagrams import Diagram
from swviz.errors import ParameterError, shown
from swviz.kernels.base import DiagramKernel, combine_grams, stage
from swviz.kernels.inputs import ByDimension, Samples, by_dimension, check_dimensions
from swviz.typing import Floats, Progress

Combine = Literal["product", "mean"]


def kernel_from_distances(
    distances: ArrayLike, sigma: float = 1.0, combine: Combine = "product"
) -> Floats:
    r"""Turn distances into a Gram matrix, :math:`\exp(-d / (2 \sigma^2))`.

    Parameters
    ----------
    distances : array-like of shape (n, m) or (n_dimensions, n, m)
        Of one homology dimension, or of several.
    sigma : float, default=1.0
    combine : {"product", "mean"}, default="product"
        For several dimensions: "product" of kernels, that is the kernel of the sum of
        distances, or "mean" of kernels.

    Returns
    -------
    ndarray of shape (n, m)

    Notes
    -----
    With :math:`d = SW` this is the paper's :math:`k_{SW}`. Distances are computed once;
    every other sigma costs this one exponential.

    Examples
    --------
    >>> kernel_from_distances([[0.0, 2.0]], sigma=1.0).round(4)
    array([[1.    , 0.3679]])
    """
    sigma = check_positive(sigma, "sigma")
    check_choice(combine, "combine", ("product", "mean"))
    stack = check_stack(distances)
    if combine == "product":
        stack = stack.sum(axis=0, keepdims=True)
    # Dividing twice, since sigma ** 2 may be 0 where sigma is not.
    with np.errstate(over="ignore"):
        return combine_grams(np.exp(-0.5 * (stack / sigma) / sigma), combine)


def check_stack(distances: ArrayLike) -> Floats:
    """Return distances as one matrix for each homology dimension.

    Parameters
    ----------
    distances : array-like of shape (n, m) or (n_dimensions, n, m)

    Returns
    -------
    ndarray of shape (n_dimensions, n, m)
    """
    try:
        stack = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError("distances must be a matrix of numbers") from None
    if stack.ndim == 2:
        stack = stack[None]
    if stack.ndim != 3 or not len(stack):
        raise ParameterError(
            "distances must have shape (n, m), or (n_dimensions, n, m), not "
            f"{np.shape(distances)}"
        )
    if not (stack >= 0).all():
        raise ParameterError("distances must be at least 0, and not NaN")
    return stack


class DistanceKernel(DiagramKernel):
    """Base of the kernels that are one exponential of a distance."""

    sigma: float
    combine: Combine
    weights: Mapping[int, float] | None
    n_jobs: int | None

    def distances(
        self, X: Samples, Y: Samples | None = None, *, progress: Progress | None = None
    ) -> Floats:
        """Distances between all pairs, for :func:`kernel_from_distances`.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        Y : like `X`, optional
            By default `X` with itself.
        progress : callable, optional
            As in :func:`swviz.sliced_wasserstein_matrix`.

        Returns
        -------
        ndarray of shape (n_dimensions, len(X), len(Y) or len(X))
            One matrix for each homology dimension, times its weight; a list of
            diagrams has one, and no weight.
        """
        self.check_parameters()
        first, second = by_dimension(X, self.dimensions), None
        if Y is not None:
            first, second = self._paired(first, by_dimension(Y, self.dimensions))
        return self._distances(first, second, progress)

    def dimension_weights(self, dimensions: Iterable[int | None]) -> list[float]:
        """By how much the distances of each homology dimension are multiplied.

        Parameters
        ----------
        dimensions : iterable of int or None
            Of some samples; None is that of plain lists, which has no weight.

        Returns
        -------
        list of float
        """
        self.check_parameters()
        held, weights = list(dimensions), self.weights or {}
        unknown = sorted(set(weights) - set(held))
        if unknown and self.dimensions is None and None not in held:
            raise ParameterError(
                f"weights are given for the homology dimensions {unknown}, and these "
                f"samples hold {held} only"
            )
        return [1.0 if one is None else float(weights.get(one, 1.0)) for one in held]

    def check_parameters(self) -> None:
        """Check sigma, the way to combine dimensions, their weights and the workers."""
        check_positive(self.sigma, "sigma")
        check_choice(self.combine, "combine", ("product", "mean"))
        check_workers(self.n_jobs)
        if self.weights is None:
            return
        if not isinstance(self.weights, Mapping):
            raise ParameterError(
                "weights must be a mapping from homology dimensions to numbers, such "
                f"as {{0: 1.0, 1: 2.0}}, not {shown(self.weights)}"
            )
        check_dimensions([*self.weights] or None, "the keys of weights")
        for dimension, weight in self.weights.items():
            check_not_negative(weight, f"the weight of dimension {dimension}")

    def _distances(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        weights = self.dimension_weights(X)
        return np.stack(
            [
                self._matrix(
                    dimension,
                    X[dimension],
                    None if Y is None else Y[dimension],
                    stage(progress, index, len(X)),
                )
                * weights[index]
                for index, dimension in enumerate(X)
            ]
        )

    def gram_by_dimension(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        """One exponential of the distances."""
        return kernel_from_distances(
            self._distances(X, Y, progress), self.sigma, self.combine
        )

    @abstractmethod
    def _matrix(
        self,
        dimension: int | None,
        X: list[Diagram],
        Y: list[Diagram] | None,
        progress: Progress | None,
    ) -> Floats:
        """Distances in one homology dimension."""
