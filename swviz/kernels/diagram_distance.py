"""The Gaussian on the diagram distance, and a set of diagrams where it is no kernel."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from swviz.diagrams import Diagram
from swviz.distances import diagram_distance_matrix
from swviz.kernels.distance_based import Combine, DistanceKernel
from swviz.matchings import check_order
from swviz.typing import Floats, Progress


class DiagramDistanceKernel(DistanceKernel):
    r"""A Gaussian on the diagram distance, :math:`\exp(-d_1(A, B) / (2 \sigma^2))`.

    Parameters
    ----------
    sigma : float, default=1.0
        Bandwidth.
    p : float, default=1
        Which diagram distance :math:`d_p`; ``inf`` is the bottleneck distance.
    combine, weights, dimensions, n_jobs
        As in :class:`SlicedWassersteinKernel`.

    Notes
    -----
    Not a kernel: :math:`d_1` is not conditionally negative definite, so Gram matrices
    may have negative eigenvalues (:func:`swviz.sources.d1_counterexample` is a set of
    six diagrams where they do). It is here to be compared, as in the paper's figure of
    metric distortion; support vector machines take it without complaint.

    Examples
    --------
    >>> round(DiagramDistanceKernel(sigma=1.0)([(0, 1)], [(0, 2)]), 4)  # exp(-1 / 2)
    0.6065
    """

    def __init__(
        self,
        sigma: float = 1.0,
        p: float = 1,
        *,
        combine: Combine = "product",
        weights: Mapping[int, float] | None = None,
        dimensions: Collection[int] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sigma = sigma
        self.p = p
        self.combine = combine
        self.weights = weights
        self.dimensions = dimensions
        self.n_jobs = n_jobs

    def check_parameters(self) -> None:
        """Check what all kernels of a distance have, and p."""
        super().check_parameters()
        check_order(self.p)

    def _matrix(
        self,
        dimension: int | None,
        X: list[Diagram],
        Y: list[Diagram] | None,
        progress: Progress | None,
    ) -> Floats:
        return diagram_distance_matrix(
            X, Y, p=self.p, n_jobs=self.n_jobs, progress=progress
        )
