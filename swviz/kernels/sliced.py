r"""The sliced Wasserstein kernel."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal

import numpy as np

from swviz.checks import check_choice, check_count
from swviz.diagrams import Diagram
from swviz.directions import directions
from swviz.distances import cityblock_matrix, sliced_wasserstein_matrix
from swviz.embedding import SlicedWassersteinEmbedding
from swviz.errors import ParameterError, shown
from swviz.kernels.distance_based import Combine, DistanceKernel
from swviz.kernels.inputs import ByDimension
from swviz.seeds import as_random_state
from swviz.typing import Floats, Progress, Rule


class SlicedWassersteinKernel(DistanceKernel):
    r"""The sliced Wasserstein kernel, :math:`\exp(-SW(A, B) / (2 \sigma^2))`.

    Parameters
    ----------
    sigma : float, default=1.0
        Bandwidth.
    n_directions : int or "exact", default=50
        The paper's M (its Algorithm 1), or the exact distance.
    rule : {"paper", "diagonal", "random"}, default="paper"
        As in :func:`swviz.directions`.
    random_state : int, RandomState instance, Generator or None, default=None
        For the random rule: directions are drawn once, in `fit` or, without it, when
        the kernel is first evaluated.
    method : {"slices", "embedding"}, default="slices"
        "embedding" compares vectors of `n_bins` numbers a direction (see
        :class:`swviz.SlicedWassersteinEmbedding`): the fastest for large diagrams or
        many, a little below :math:`SW_M`, and a kernel just the same. Its bins are
        placed by the diagrams given to `fit`.
    n_bins : int, default=1024
        For the embedding.
    combine : {"product", "mean"}, default="product"
        Several homology dimensions: sum of distances, which is the product of kernels,
        or mean of kernels.
    weights : mapping of int to float, optional
        By how much to multiply the distances of a homology dimension, 1 by default. All
        weights give kernels; a dimension of weight 0 does not count.
    dimensions : collection of int, optional
        Which homology dimensions of a `DiagramSet`; all by default.
    n_jobs : int, optional
        Number of joblib workers, -1 for all cores; 1 by default.

    Attributes
    ----------
    diagrams_ : dict of int or None to list of ndarray
        The fitted diagrams by homology dimension.

    Notes
    -----
    SW is conditionally negative definite (the paper's Lemma 3.2), so this is a positive
    definite kernel for every sigma, whatever the directions, the bins or the
    exactness.

    Examples
    --------
    >>> kernel = SlicedWassersteinKernel(sigma=1.0, n_directions="exact")
    >>> kernel.fit_transform([[(0, 1)], [(0, 2)], []]).round(4)
    array([[1.    , 0.6723, 0.7985],
           [0.6723, 1.    , 0.6375],
           [0.7985, 0.6375, 1.    ]])
    """

    def __init__(
        self,
        sigma: float = 1.0,
        n_directions: int | Literal["exact"] = 50,
        *,
        rule: Rule = "paper",
        random_state: Any = None,
        method: Literal["slices", "embedding"] = "slices",
        n_bins: int = 1024,
        combine: Combine = "product",
        weights: Mapping[int, float] | None = None,
        dimensions: Collection[int] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sigma = sigma
        self.n_directions = n_directions
        self.rule = rule
        self.random_state = random_state
        self.method = method
        self.n_bins = n_bins
        self.combine = combine
        self.weights = weights
        self.dimensions = dimensions
        self.n_jobs = n_jobs

    def check_parameters(self) -> None:
        """Check what all kernels of a distance have, the directions and the method."""
        super().check_parameters()
        as_random_state(self.random_state)
        check_choice(self.method, "method", ("slices", "embedding"))
        if self.method == "embedding":
            if isinstance(self.n_directions, str):
                raise ParameterError(
                    "the embedding needs a number of directions, not "
                    f'{shown(self.n_directions)}: use method="slices" for exact '
                    "distances"
                )
            check_count(self.n_bins, "n_bins")
        if self.n_directions != "exact":
            # One angle is enough to have the rule checked too.
            check_count(self.n_directions, "n_directions")
            directions(1, self.rule, 0)

    def learn_from(self, diagrams: ByDimension) -> None:
        """Place the bins of the embedding, if that is the method."""
        self.embeddings_: dict[int | None, SlicedWassersteinEmbedding] = {}
        if self.method == "embedding":
            for dimension, several in diagrams.items():
                self.embeddings_[dimension] = self._embedding().fit(several)

    def _embedding(self) -> SlicedWassersteinEmbedding:
        return SlicedWassersteinEmbedding(
            self.n_directions,  # type: ignore[arg-type]
            self.n_bins,
            rule=self.rule,
            random_state=self.drawn_seed(),
        )

    def _fitted_embedding(
        self, dimension: int | None
    ) -> SlicedWassersteinEmbedding | None:
        """Return the embedding by the fitted diagrams, with the present parameters."""
        fitted = getattr(self, "diagrams_", {})
        if len(fitted) == 1 and (dimension is None or None in fitted):
            # A list does not say its dimension.
            (dimension,) = fitted
        if dimension not in fitted:
            return None
        learnt = self.embeddings_.get(dimension)
        wanted = self._embedding()
        if learnt is None or learnt.get_params() != wanted.get_params():
            # Parameters have been set after fit.
            learnt = self.embeddings_[dimension] = wanted.fit(fitted[dimension])
        return learnt

    def _matrix(
        self,
        dimension: int | None,
        X: list[Diagram],
        Y: list[Diagram] | None,
        progress: Progress | None,
    ) -> Floats:
        if self.method == "slices":
            return sliced_wasserstein_matrix(
                X,
                Y,
                n_directions=self.n_directions,
                rule=self.rule,
                random_state=self.drawn_seed(),
                n_jobs=self.n_jobs,
                progress=progress,
            )
        embedding = self._fitted_embedding(dimension)
        if embedding is None:
            embedding = self._embedding().fit([*X, *(Y or [])] or [np.empty((0, 2))])
        return cityblock_matrix(
            embedding.vectors(X),
            None if Y is None else embedding.vectors(Y),
            n_jobs=self.n_jobs,
            progress=progress,
        )
