r"""Thousands of diagrams: :math:`k_{SW}` as features for linear models."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from swviz.checks import check_count, check_positive, check_workers
from swviz.diagrams import Diagram
from swviz.embedding import SlicedWassersteinEmbedding
from swviz.errors import DiagramError
from swviz.estimators import DiagramTransformer, check_unchanged, remember
from swviz.kernels.distance_based import kernel_from_distances
from swviz.kernels.inputs import ByDimension, Samples, by_dimension, count_samples
from swviz.kernels.threads import one_blas_thread
from swviz.seeds import as_random_state
from swviz.typing import Floats, Rule

_BATCH = 256
"""Diagrams that are embedded at once: the embedding of all is never held."""


class SlicedWassersteinFeatures(DiagramTransformer):
    r"""Map diagrams to vectors whose inner product is nearly :math:`k_{SW}`.

    Parameters
    ----------
    sigma : float or None, default=None
        Bandwidth; None takes :math:`2 \sigma^2` to be the median of the positive
        distances between landmarks.
    n_components : int, default=500
        Landmarks: diagrams, chosen at random, to which others are compared.
    n_directions : int, default=10
        The paper's M.
    n_bins : int, default=256
        Bins a direction; see :class:`swviz.SlicedWassersteinEmbedding`.
    rule : {"paper", "diagonal", "random"}, default="paper"
        As in :func:`swviz.directions`.
    dimensions : collection of int, optional
        Which homology dimensions of a `DiagramSet`; all by default. Their distances
        are added.
    random_state : int, RandomState instance, Generator or None, default=None
        For the landmarks, and for random directions.
    n_jobs : int, optional
        Number of joblib workers, -1 for all cores; 1 by default.

    Attributes
    ----------
    sigma_ : float
        The bandwidth in use.
    landmarks_ : list of ndarray of shape (n_landmarks, n_directions * n_bins)
        Embedded landmarks, one array for each homology dimension.
    normalization_ : ndarray of shape (n_landmarks, n_landmarks)
        Inverse square root of the landmarks' Gram matrix.

    Notes
    -----
    The method of Nystroem: with the landmarks' Gram matrix K and the kernel k between
    a diagram and the landmarks, the features are :math:`k K^{-1/2}`. Distances are
    cityblock distances of the embedding, so a diagram costs the same whatever its
    size, memory is that of the features, and batches are independent tasks for joblib.

    Examples
    --------
    >>> X = [[(0, 1 + 0.1 * k)] for k in range(20)]
    >>> F = SlicedWassersteinFeatures(sigma=1.0, n_components=20).fit_transform(X)
    >>> (F @ F.T)[0, :3].round(2)  # k_SW of the first diagram and the first three
    array([1.  , 0.95, 0.9 ])
    """

    def __init__(
        self,
        sigma: float | None = None,
        n_components: int = 500,
        *,
        n_directions: int = 10,
        n_bins: int = 256,
        rule: Rule = "paper",
        dimensions: Collection[int] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.sigma = sigma
        self.n_components = n_components
        self.n_directions = n_directions
        self.n_bins = n_bins
        self.rule = rule
        self.dimensions = dimensions
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Samples, y: object = None) -> Self:
        """Choose landmarks and compare them with each other.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        y : ignored

        Returns
        -------
        self
        """
        check_workers(self.n_jobs)
        diagrams = by_dimension(X, self.dimensions)
        count = count_samples(diagrams)
        if not count:
            raise DiagramError("the list of diagrams is empty: fit needs at least one")
        random = as_random_state(self.random_state)
        n_landmarks = min(check_count(self.n_components, "n_components"), count)
        chosen = np.sort(random.choice(count, n_landmarks, replace=False))
        self.embeddings_, self.landmarks_ = [], []
        for several in diagrams.values():
            landmarks = [several[index] for index in chosen]
            embedding = SlicedWassersteinEmbedding(
                self.n_directions,
                self.n_bins,
                rule=self.rule,
                random_state=random.randint(np.iinfo(np.int32).max),
            ).fit(landmarks)
            self.embeddings_.append(embedding)
            self.landmarks_.append(embedding.vectors(landmarks))
        distances = sum(cdist(v, v, "cityblock") for v in self.landmarks_)
        if self.sigma is None:
            between = distances[np.triu_indices(n_landmarks, 1)]
            positive = between[between > 0]
            self.sigma_ = 1.0
            if len(positive):
                self.sigma_ = float(np.sqrt(np.median(positive) / 2))
        else:
            self.sigma_ = check_positive(self.sigma, "sigma")
        gram = kernel_from_distances(distances, self.sigma_)
        with one_blas_thread():
            values, vectors = np.linalg.eigh(gram)
        # Equal landmarks make eigenvalues 0: they add no feature.
        keep = values > n_landmarks * np.finfo(float).eps * values[-1]
        self.normalization_ = (vectors[:, keep] / np.sqrt(values[keep])) @ vectors[
            :, keep
        ].T
        self.dimensions_ = tuple(diagrams)
        remember(self, set(self.get_params()) - {"n_jobs"})
        return self

    def transform(self, X: Samples) -> Floats:
        """Compute the features.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet

        Returns
        -------
        ndarray of shape (len(X), n_landmarks)
        """
        check_is_fitted(self)
        check_unchanged(self)
        check_workers(self.n_jobs)
        diagrams = by_dimension(X, self.dimensions)
        # A list does not say its dimension: it goes with a set of one.
        unsaid = None in diagrams or None in self.dimensions_
        if len(diagrams) != len(self.dimensions_) or (
            tuple(diagrams) != self.dimensions_ and not unsaid
        ):
            raise DiagramError(
                f"fitted on homology dimensions {list(self.dimensions_)}, but these "
                f"are {list(diagrams)}"
            )
        count = count_samples(diagrams)
        batches = [
            {k: several[i : i + _BATCH] for k, several in diagrams.items()}
            for i in range(0, count, _BATCH)
        ]
        features = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._features)(batch) for batch in batches
        )
        return np.concatenate([np.empty((0, len(self.normalization_))), *features])

    @property
    def _n_features_out(self) -> int:
        return len(self.normalization_)

    def _features(self, diagrams: ByDimension) -> Floats:
        several: list[list[Diagram]] = list(diagrams.values())
        distances = sum(
            cdist(embedding.vectors(own), landmarks, "cityblock")
            for own, embedding, landmarks in zip(
                several, self.embeddings_, self.landmarks_, strict=True
            )
        )
        kernel = kernel_from_distances(np.asarray(distances), self.sigma_)
        return kernel @ self.normalization_
