"""What a kernel's bandwidth leaves unchanged, computed once for live work.

Moving sigma (or tau of k_PWG) then costs one exponential; only k_PSS has to add up
its Gaussians anew for every t.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from swviz.checks import check_positive
from swviz.errors import ParameterError, shown
from swviz.kernels import (
    DiagramKernel,
    DistanceKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    kernel_from_distances,
    pwg_heuristics,
    rkhs_distance,
)
from swviz.kernels.inputs import Samples, as_samples
from swviz.learning.candidate_sources import take
from swviz.learning.grids import C_GRID, PSS_GRID, sigma_grid
from swviz.learning.reports import RunReport
from swviz.learning.svm import check_indices
from swviz.learning.tuning import Watch, kernel_runs, tune_on_distances
from swviz.results import Result
from swviz.seeds import fixed_seed
from swviz.typing import Floats, Ints, Progress


@dataclass(frozen=True, eq=False, repr=False)
class PreparedKernel(Result):
    """A kernel on some samples, ready for any bandwidth.

    Parameters
    ----------
    kernel : DiagramKernel
        With everything learnt but its bandwidth.
    X : list of diagrams, or DiagramSet
    distances : ndarray of shape (n_dimensions, n, n) or None
        What the exponential is taken of; None for k_PSS, which has none.
    seconds : float
        Time it took.
    """

    kernel: DiagramKernel
    X: Samples
    distances: Floats | None
    seconds: float

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "kernel": type(self.kernel).__name__,
            "samples": str(len(self.X)),
            "bandwidth": self.scale_name,
        }

    @property
    def scale_name(self) -> str:
        """Name of the bandwidth: sigma, t or tau."""
        if isinstance(self.kernel, PersistenceScaleSpaceKernel):
            return "t"
        is_pwg = isinstance(self.kernel, PersistenceWeightedGaussianKernel)
        return "tau" if is_pwg else "sigma"

    def at(self, scale: float) -> DiagramKernel:
        """Kernel with a bandwidth.

        Parameters
        ----------
        scale : float

        Returns
        -------
        DiagramKernel
        """
        copy: DiagramKernel = clone(self.kernel)
        return copy.set_params(**{self.scale_name: check_positive(scale, "scale")})

    def gram(self, scale: float, *, progress: Progress | None = None) -> Floats:
        """Gram matrix for a bandwidth: one exponential, except for k_PSS.

        Parameters
        ----------
        scale : float
        progress : callable, optional
            For k_PSS, as in :meth:`swviz.kernels.DiagramKernel.gram`.

        Returns
        -------
        ndarray of shape (n, n)
        """
        if self.distances is None:
            return self.at(scale).gram(self.X, progress=progress)
        combine = self.kernel.combine
        return kernel_from_distances(self.distances, scale, combine)

    def sample_distances(self, gram: ArrayLike) -> Floats:
        """How far samples are from each other, to look for neighbours.

        Parameters
        ----------
        gram : array-like of shape (n, n)
            Of any bandwidth; used for k_PSS only.

        Returns
        -------
        ndarray of shape (n, n)
            The distances, summed over homology dimensions; for k_PSS those in its
            Hilbert space.
        """
        if self.distances is None:
            return rkhs_distance(gram)
        return self.distances.sum(axis=0)

    def beside(
        self, others: Samples, *, progress: Progress | None = None
    ) -> PreparedRows:
        """Compare other samples with these, such as those to be put on their map.

        Parameters
        ----------
        others : sequence of array-likes of shape (m_i, 2), or DiagramSet
        progress : callable, optional
            As in :func:`prepare`.

        Returns
        -------
        PreparedRows

        Examples
        --------
        >>> from swviz import SlicedWassersteinKernel
        >>> ready = prepare(SlicedWassersteinKernel(), [[(0, 1)], [(0, 2)]])
        >>> ready.beside([[(0, 1)]]).gram(1.0).round(3).tolist()
        [[1.0, 0.672]]
        """
        distances: Floats | None = None
        if isinstance(self.kernel, DistanceKernel):
            distances = self.kernel.distances(others, self.X, progress=progress)
        elif isinstance(self.kernel, PersistenceWeightedGaussianKernel):
            distances = _pwg_distances(self.kernel, others, self.X, progress)
        return PreparedRows(self, others, distances)

    def scales(self, train: ArrayLike) -> Floats:
        """Bandwidths that the paper tries.

        Parameters
        ----------
        train : array-like of int
            The samples whose distances they are learnt from.

        Returns
        -------
        ndarray of shape (n_scales,)
            15 by :func:`swviz.sigma_grid`; for k_PSS 13 fixed ones.
        """
        if self.distances is None:
            return np.array(PSS_GRID)
        chosen = check_indices(train, self.distances.shape[1], "train")
        inner = self.distances[:, chosen][:, :, chosen]
        return sigma_grid(inner.sum(axis=0))

    def tune(
        self,
        labels: ArrayLike,
        train: ArrayLike,
        test: ArrayLike,
        *,
        n_splits: int = 10,
        random_state: Any = 0,
        progress: Progress | None = None,
        watch: Watch | None = None,
    ) -> RunReport:
        """Choose bandwidth and C as in the paper, on one split.

        Parameters
        ----------
        labels : array-like of shape (n,)
        train, test : array-likes of int, or masks
        n_splits, random_state, progress, watch
            As in :func:`swviz.learning.kernel_runs`.

        Returns
        -------
        RunReport
            For k_PWG, tau and C are chosen; K and rho are those learnt before.
        """
        if self.distances is not None:
            return tune_on_distances(
                self.distances,
                labels,
                train,
                test,
                combine=self.kernel.combine,
                C=C_GRID,
                n_splits=n_splits,
                random_state=random_state,
                progress=progress,
                watch=watch,
            )
        runs = kernel_runs(
            self.kernel,
            self.X,
            labels,
            splits=[(train, test)],
            n_splits=n_splits,
            random_state=random_state,
            progress=progress,
            watch=watch,
        )
        return next(runs)


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """A kernel between other samples and those that it is prepared for.

    Parameters
    ----------
    ready : PreparedKernel
    others : list of diagrams, or DiagramSet
    distances : ndarray of shape (n_dimensions, m, n) or None
        As in :class:`PreparedKernel`.
    """

    ready: PreparedKernel
    others: Samples
    distances: Floats | None

    def gram(self, scale: float, *, progress: Progress | None = None) -> Floats:
        """Gram matrix for a bandwidth: one exponential, except for k_PSS.

        Parameters
        ----------
        scale : float
        progress : callable, optional
            For k_PSS, as in :meth:`PreparedKernel.gram`.

        Returns
        -------
        ndarray of shape (m, n)
            Its rows are what :meth:`swviz.learning.KernelMap.project` takes.
        """
        ready = self.ready
        if self.distances is None:
            return ready.at(scale).gram(self.others, ready.X, progress=progress)
        return kernel_from_distances(self.distances, scale, ready.kernel.combine)


def prepare(
    kernel: DiagramKernel,
    X: Samples,
    train: ArrayLike | None = None,
    *,
    progress: Progress | None = None,
) -> PreparedKernel:
    """Compute what a kernel's bandwidth leaves unchanged.

    Parameters
    ----------
    kernel : DiagramKernel
        k_SW (any tier), the Gaussian on d1, k_PSS or k_PWG.
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
    train : array-like of int, optional
        Samples that may be learnt from: bins of the embedding, K and rho of k_PWG. All
        by default.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` pairs go by. An exception it
        raises stops the work.

    Returns
    -------
    PreparedKernel

    Notes
    -----
    All pairs of samples are compared once, for k_PWG twice; nothing for k_PSS.

    Examples
    --------
    >>> from swviz import SlicedWassersteinKernel
    >>> ready = prepare(SlicedWassersteinKernel(), [[(0, 1)], [(0, 2)]])
    >>> ready.gram(1.0).round(3).tolist() == ready.at(1.0).gram(ready.X).round(
    ...     3
    ... ).tolist()
    True
    """
    start = time.perf_counter()
    X = as_samples(X)
    chosen: Ints = (
        np.arange(len(X)) if train is None else check_indices(train, len(X), "train")
    )
    if not isinstance(kernel, DiagramKernel):
        raise ParameterError(
            f"kernel must be one of swviz.kernels, not {shown(kernel)}"
        )
    ready: DiagramKernel = clone(kernel)
    if hasattr(ready, "random_state"):
        # So that the kernel of every bandwidth has the directions of the distances.
        ready.set_params(random_state=fixed_seed(ready.random_state))
    distances: Floats | None = None
    if isinstance(ready, DistanceKernel):
        distances = ready.fit(take(X, chosen)).distances(X, progress=progress)
    elif isinstance(ready, PersistenceWeightedGaussianKernel):
        learnt = pwg_heuristics(take(X, chosen), ready.p, kernel=ready)
        ready.set_params(**learnt.scaled())
        distances = _pwg_distances(ready, X, None, progress)
    elif not isinstance(ready, PersistenceScaleSpaceKernel):
        raise ParameterError(
            f"{type(kernel).__name__} has no bandwidth to move: use its gram()"
        )
    return PreparedKernel(ready, X, distances, time.perf_counter() - start)


def _pwg_distances(
    kernel: PersistenceWeightedGaussianKernel,
    X: Samples,
    Y: Samples | None,
    progress: Progress | None,
) -> Floats:
    """Return what the exponential is taken of."""
    distances = kernel.mean_distances(X, Y, progress=progress)
    return distances**2 if kernel.form == "squared" else distances
