"""The Gaussian on the diagram distance, and a set of diagrams where it is no kernel."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from swviz.diagrams import Diagram, DiagramSet
from swviz.directions import Floats
from swviz.distances import Progress, diagram_distance_matrix
from swviz.kernels.distance_based import Combine, DistanceKernel
from swviz.matchings import check_order


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
    may have negative eigenvalues (:func:`d1_counterexample` is a set of six diagrams
    where they do). It is here to be compared, as in the paper's figure of metric
    distortion; support vector machines take it without complaint.

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

    def _check_parameters(self) -> None:
        super()._check_parameters()
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


def d1_counterexample() -> DiagramSet:
    r"""Six diagrams whose Gaussian on :math:`d_1` has a negative eigenvalue.

    Returns
    -------
    DiagramSet
        One homology dimension, 1; six diagrams of two points.

    Notes
    -----
    The points are the corners of a diamond far from the diagonal: in the sup norm
    neighbours are at distance 1 and opposite corners at distance 2. The diagrams are
    the six pairs of corners. Each of the two pairs of opposite corners is at
    :math:`d_1 = 1` from each of the four pairs of neighbours, and all other distances
    are 2: the distances along the edges of the graph :math:`K_{2,4}`. With
    :math:`s = e^{-1/(2\sigma^2)}` the Gram matrix has the eigenvalue

    .. math:: 1 + 2 s^2 - \sqrt{s^4 + 8 s^2},

    negative as soon as :math:`s^2 > 1/3`, that is for :math:`\sigma > 0.954`.

    Examples
    --------
    >>> gram = DiagramDistanceKernel(sigma=1.5).fit_transform(d1_counterexample())
    >>> np.linalg.eigvalsh(gram)[0].round(4)
    np.float64(-0.0715)
    """
    corners = {"top": (2, 9), "right": (3, 8), "bottom": (2, 7), "left": (1, 8)}
    pairs = [
        ("top", "bottom"),
        ("left", "right"),
        ("top", "right"),
        ("bottom", "left"),
        ("top", "left"),
        ("bottom", "right"),
    ]
    return DiagramSet(
        {1: [[corners[first], corners[second]] for first, second in pairs]},
        labels=np.array(["opposite"] * 2 + ["neighbours"] * 4),
        names=[f"{first} and {second}" for first, second in pairs],
        provenance={"source": "d1_counterexample"},
    )
