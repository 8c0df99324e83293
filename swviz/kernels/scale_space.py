"""The persistence scale space kernel."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from swviz.checks import check_choice, check_positive, check_workers
from swviz.errors import ParameterError
from swviz.kernels.base import DiagramKernel, combine_grams, stage
from swviz.kernels.distance_based import Combine
from swviz.kernels.inputs import ByDimension
from swviz.kernels.measures import Gaussian, as_measures, middle_birth
from swviz.kernels.products import SumMethod, inner_products
from swviz.typing import Floats, Progress


class PersistenceScaleSpaceKernel(DiagramKernel):
    r"""The persistence scale space kernel of Reininghaus et al. (2015).

    Parameters
    ----------
    t : float, default=1.0
        Time of the heat diffusion: squared scale of the Gaussians.
    method : {"auto", "direct", "grid"}, default="auto"
        The double sum, the same numbers (to 1e-10) as inner products on a grid, or
        whichever is faster.
    combine : {"mean", "product"}, default="mean"
        Several homology dimensions: mean of kernels, or product. This kernel is an
        inner product, so it is sums that keep its meaning (squared distances add up);
        in a product one empty diagram would hide all other dimensions.
    dimensions : collection of int, optional
        Which homology dimensions of a `DiagramSet`; all by default.
    n_jobs : int, optional
        Number of joblib workers, -1 for all cores; 1 by default.

    Notes
    -----
    The inner product of the solutions at time t of the heat equation that start from
    the diagrams' points, with value 0 on the diagonal:

    .. math:: k_{PSS}(A, B) = \frac{1}{8 \pi t} \sum_{p \in A} \sum_{q \in B}
              e^{-|p - q|^2 / 8t} - e^{-|p - \bar q|^2 / 8t},

    where :math:`\bar q` is q reflected at the diagonal.

    Examples
    --------
    >>> kernel = PersistenceScaleSpaceKernel(t=0.5)
    >>> round(kernel([(0, 2)], [(0, 2)]), 5)  # (1 - exp(-2)) / (4 pi)
    0.06881
    """

    def __init__(
        self,
        t: float = 1.0,
        *,
        method: SumMethod = "auto",
        combine: Combine = "mean",
        dimensions: Collection[int] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.t = t
        self.method = method
        self.combine = combine
        self.dimensions = dimensions
        self.n_jobs = n_jobs

    def check_parameters(self) -> None:
        """Check t, the method, the way to combine dimensions and the workers."""
        check_positive(self.t, "t")
        check_workers(self.n_jobs)
        check_choice(self.method, "method", ("auto", "direct", "grid"))
        check_choice(self.combine, "combine", ("product", "mean"))

    def gram_by_dimension(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        """Add up the Gaussians, dimension by dimension."""
        gaussian = Gaussian(2 * float(self.t) ** 0.5, mirrored=True)
        grams = []
        for index, dimension in enumerate(X):
            others = None if Y is None else Y[dimension]
            origin = middle_birth(X[dimension], others)
            grams.append(
                inner_products(
                    as_measures(X[dimension], _lasting, origin),
                    None if others is None else as_measures(others, _lasting, origin),
                    gaussian,
                    self.method,
                    self.n_jobs,
                    stage(progress, index, len(X)),
                )
            )
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = [gram / (8 * np.pi * self.t) for gram in grams]
            combined = combine_grams(scaled, self.combine)
        if not np.isfinite(combined).all():
            raise ParameterError(
                f"k_PSS is too large for a float at t = {self.t:g}: take a larger t"
            )
        return combined


def _lasting(persistence: Floats) -> Floats:
    """Weight 1; 0 on the diagonal, where the mirrored Gaussian vanishes."""
    return (persistence > 0).astype(np.float64)
