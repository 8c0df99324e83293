"""The persistence weighted Gaussian kernel."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import cdist

from swviz.checks import check_choice, check_count, check_positive, check_workers
from swviz.errors import ParameterError
from swviz.kernels.base import DiagramKernel, combine_grams, stage
from swviz.kernels.distance_based import Combine
from swviz.kernels.fourier import fourier_sums
from swviz.kernels.inputs import ByDimension, Samples, by_dimension
from swviz.kernels.measures import Gaussian, as_measures, middle_birth
from swviz.kernels.products import rkhs_distances
from swviz.seeds import as_random_state
from swviz.typing import Floats, Progress

PerDimension = float | Mapping[Any, float]
"""A number, or one for each homology dimension; None is that of plain lists."""


class PersistenceWeightedGaussianKernel(DiagramKernel):
    r"""The persistence weighted Gaussian kernel of Kusano et al. (2016).

    Parameters
    ----------
    K : float or mapping of int to float, default=1.0
        Scale of the weights; a mapping gives one for each homology dimension.
    rho : float or mapping of int to float, default=1.0
        Width of the Gaussians around the points.
    tau : float, default=1.0
        Width of the Gaussian on their distance.
    p : float, default=1
        Exponent of persistence in the weights. The authors' rule of thumb asks for more
        than the dimension of the data plus one; the paper takes 5 in R^3, 4 in R^2.
    method : {"auto", "direct", "grid", "fourier"}, default="auto"
        The double sum, the same on a grid, whichever is faster, or the approximation
        by random Fourier features that the paper uses.
    form : {"paper", "squared"}, default="paper"
        Whether the distance is squared; see Notes.
    n_features : int, default=1000
        Random Fourier features.
    random_state : int, RandomState instance, Generator or None, default=None
        For the features, drawn once, in `fit` or, without it, when the kernel is first
        evaluated.
    combine : {"product", "mean"}, default="product"
        Several homology dimensions: product of kernels (for the paper's form: the sum
        of distances), or mean of kernels.
    dimensions : collection of int, optional
        Which homology dimensions of a `DiagramSet`; all by default.
    n_jobs : int, optional
        Number of joblib workers, -1 for all cores; 1 by default.

    Notes
    -----
    With :math:`k_\rho(x, y) = \exp(-|x - y|^2 / (2 \rho^2))`,
    :math:`\mu = \sum_x \arctan(K \, \mathrm{pers}(x)^p) \, k_\rho(\cdot, x)` and
    pers = death - birth, the paper prints

    .. math:: k_{PWG}(A, B) = \exp\Bigl(-\frac{\|\mu_A - \mu_B\|}{2 \tau^2}\Bigr)

    without a square on the norm, and so does ``form="paper"``. Kusano et al. have the
    square: ``form="squared"``. Both are positive definite.

    Examples
    --------
    >>> kernel = PersistenceWeightedGaussianKernel(K=1.0, rho=1.0, tau=1.0, p=1)
    >>> round(kernel([(0, 1)], []), 5)  # exp(-(pi / 4) / 2)
    0.67523
    """

    def __init__(
        self,
        K: PerDimension = 1.0,
        rho: PerDimension = 1.0,
        tau: float = 1.0,
        p: float = 1,
        *,
        method: Literal["auto", "direct", "grid", "fourier"] = "auto",
        form: Literal["paper", "squared"] = "paper",
        n_features: int = 1000,
        random_state: Any = None,
        combine: Combine = "product",
        dimensions: Collection[int] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.K = K
        self.rho = rho
        self.tau = tau
        self.p = p
        self.method = method
        self.form = form
        self.n_features = n_features
        self.random_state = random_state
        self.combine = combine
        self.dimensions = dimensions
        self.n_jobs = n_jobs

    def mean_distances(
        self, X: Samples, Y: Samples | None = None, *, progress: Progress | None = None
    ) -> Floats:
        r"""Distances :math:`\|\mu_A - \mu_B\|`, which do not depend on tau.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        Y : like `X`, optional
            By default `X` with itself.
        progress : callable, optional
            As in :meth:`gram`.

        Returns
        -------
        ndarray of shape (n_dimensions, len(X), len(Y) or len(X))
            One matrix for each homology dimension; a list of diagrams has one.
        """
        self.check_parameters()
        first, second = by_dimension(X, self.dimensions), None
        if Y is not None:
            first, second = self._paired(first, by_dimension(Y, self.dimensions))
        return self._mean_distances(first, second, progress)

    def from_mean_distances(self, distances: Floats) -> Floats:
        """Turn the result of `mean_distances` into a Gram matrix.

        Parameters
        ----------
        distances : ndarray of shape (n_dimensions, n, m)

        Returns
        -------
        ndarray of shape (n, m)
        """
        self.check_parameters()
        power = 2 if self.form == "squared" else 1
        with np.errstate(over="ignore"):
            exponents = (distances**power / self.tau) / self.tau / 2
        return combine_grams(np.exp(-exponents), self.combine)

    def check_parameters(self) -> None:
        """Check K, rho, tau, p, the method and what goes with it."""
        for name in ("K", "rho"):
            value = getattr(self, name)
            for one in value.values() if isinstance(value, Mapping) else [value]:
                check_positive(one, name)
        check_positive(self.tau, "tau")
        check_positive(self.p, "p")
        check_choice(self.method, "method", ("auto", "direct", "grid", "fourier"))
        check_choice(self.form, "form", ("paper", "squared"))
        check_choice(self.combine, "combine", ("product", "mean"))
        check_count(self.n_features, "n_features")
        check_workers(self.n_jobs)
        as_random_state(self.random_state)

    def gram_by_dimension(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        """One exponential of the distances of weighted sums."""
        return self.from_mean_distances(self._mean_distances(X, Y, progress))

    def _mean_distances(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        matrices = []
        for index, dimension in enumerate(X):
            K = _pick(self.K, dimension, "K")
            rho = _pick(self.rho, dimension, "rho")
            others = None if Y is None else Y[dimension]
            if self.method == "fourier":
                options = (rho, self.p, self.n_features, self.drawn_seed())
                sums = [
                    fourier_sums(several, [K], *options)[0]
                    for several in (X[dimension], others)
                    if several is not None
                ]
                matrices.append(cdist(sums[0], sums[-1]))
                continue
            weigh = partial(_arctan_weights, K=K, p=self.p)
            origin = middle_birth(X[dimension], others)
            matrices.append(
                rkhs_distances(
                    as_measures(X[dimension], weigh, origin),
                    None if others is None else as_measures(others, weigh, origin),
                    Gaussian(rho, mirrored=False),
                    self.method,
                    self.n_jobs,
                    stage(progress, index, len(X)),
                )
            )
        return np.stack(matrices)


def _pick(value: PerDimension, dimension: int | None, name: str) -> float:
    if not isinstance(value, Mapping):
        return float(value)
    if dimension not in value:
        raise ParameterError(
            f"{name} has no value for homology dimension {dimension}, only for "
            f"{list(value)}"
        )
    return float(value[dimension])


def _arctan_weights(persistence: Floats, K: float, p: float) -> Floats:
    with np.errstate(over="ignore"):
        return np.arctan(K * persistence**p)
