"""What all kernels share: fit, transform, and how homology dimensions are combined."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Collection, Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from swviz.diagrams import DiagramSet
from swviz.errors import DiagramError
from swviz.estimators import DiagramTransformer
from swviz.kernels.inputs import (
    ByDimension,
    Samples,
    by_dimension,
    count_samples,
    one_sample,
)
from swviz.seeds import fixed_seed
from swviz.typing import Floats, Progress


class DiagramKernel(DiagramTransformer, metaclass=ABCMeta):
    """Base of the kernels: subclasses compute Gram matrices of checked diagrams.

    Notes
    -----
    A list of diagrams is one homology dimension. In a `DiagramSet` each dimension is
    compared with its like; the parameter `combine` of each kernel says how they make
    one number.

    Parameters count when the kernel is evaluated, also those that are set after `fit`.
    """

    dimensions: Collection[int] | None
    random_state: Any

    def fit(self, X: Samples, y: object = None) -> Self:
        """Keep the diagrams that others will be compared to.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
            At least one sample.
        y : ignored

        Returns
        -------
        self
        """
        self.check_parameters()
        diagrams = by_dimension(X, self.dimensions)
        if not count_samples(diagrams):
            raise DiagramError("the list of diagrams is empty: fit needs at least one")
        self._drawn = None
        if hasattr(self, "random_state"):
            self.drawn_seed()
        self.learn_from(diagrams)
        self.diagrams_ = diagrams
        return self

    def transform(self, X: Samples) -> Floats:
        """Evaluate the kernel between samples and the fitted ones.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet

        Returns
        -------
        ndarray of shape (len(X), number of fitted samples)
            Exactly symmetric if `X` is what was fitted.
        """
        check_is_fitted(self)
        self.check_parameters()
        diagrams = by_dimension(X, self.dimensions)
        return self.gram_by_dimension(*self._paired(diagrams, self.diagrams_), None)

    def gram(
        self, X: Samples, Y: Samples | None = None, *, progress: Progress | None = None
    ) -> Floats:
        """Evaluate the kernel between all pairs.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
        Y : like `X`, optional
            By default `X` with itself.
        progress : callable, optional
            Called in this thread as ``progress(done, total)`` pairs go by. An
            exception it raises stops the work.

        Returns
        -------
        ndarray of shape (len(X), len(Y) or len(X))
        """
        self.check_parameters()
        first = by_dimension(X, self.dimensions)
        if Y is None:
            return self.gram_by_dimension(first, None, progress)
        return self.gram_by_dimension(
            *self._paired(first, by_dimension(Y, self.dimensions)), progress
        )

    def __call__(self, A: ArrayLike | DiagramSet, B: ArrayLike | DiagramSet) -> float:
        """Evaluate the kernel for two diagrams, or two sets of one sample each.

        Parameters
        ----------
        A, B : array-likes of shape (n, 2) and (m, 2), or DiagramSets of one sample

        Returns
        -------
        float
        """
        return float(self.gram(one_sample(A), one_sample(B))[0, 0])

    def check_parameters(self) -> None:
        """Raise a ParameterError for a parameter outside of its range."""

    def drawn_seed(self) -> int:
        """Seed of the random state, drawn once: all values are of one kernel.

        Returns
        -------
        int
        """
        if self._drawn is None or self._drawn[0] is not self.random_state:
            self._drawn = self.random_state, fixed_seed(self.random_state)
        return self._drawn[1]

    _drawn: tuple[Any, int] | None = None
    """The random state that a seed was drawn from, and the seed."""

    @property
    def _n_features_out(self) -> int:
        return count_samples(self.diagrams_)

    def learn_from(self, diagrams: ByDimension) -> None:
        """Learn what evaluating the kernel needs, if anything.

        Parameters
        ----------
        diagrams : dict of int or None to list of ndarray of shape (n_i, 2)
            Checked, by homology dimension; None for plain lists.
        """

    @abstractmethod
    def gram_by_dimension(
        self, X: ByDimension, Y: ByDimension | None, progress: Progress | None
    ) -> Floats:
        """Gram matrix of checked diagrams.

        Parameters
        ----------
        X : dict of int or None to list of ndarray of shape (n_i, 2)
            By homology dimension; None for plain lists.
        Y : like `X`, or None
            None is `X` with itself.
        progress : callable or None
            As in :meth:`gram`.

        Returns
        -------
        ndarray of shape (n, m)
        """

    @staticmethod
    def _paired(
        X: ByDimension, Y: ByDimension
    ) -> tuple[ByDimension, ByDimension | None]:
        """Match the dimensions of X and Y; None as the second if both are equal."""
        if len(X) == len(Y) == 1 and (None in X or None in Y):
            # A list does not say its dimension: it goes with a set of one dimension.
            (dimension,) = Y if None in X else X
            X, Y = ({dimension: one} for both in (X, Y) for one in both.values())
        if X.keys() != Y.keys():
            raise DiagramError(
                f"homology dimensions differ: {list(X)} and {list(Y)}; choose common "
                "ones with dimensions=..., or pass plain lists, .in_dimension(k)"
            )
        equal = all(
            len(X[dimension]) == len(Y[dimension])
            and all(map(np.array_equal, X[dimension], Y[dimension]))
            for dimension in X
        )
        return X, None if equal else Y


def combine_grams(grams: Iterable[Floats], combine: str) -> Floats:
    """Make one Gram matrix of those of the homology dimensions.

    Parameters
    ----------
    grams : iterable of ndarray of shape (n, m)
    combine : {"product", "mean"}
        Both keep positive semi-definiteness.

    Returns
    -------
    ndarray of shape (n, m)
    """
    several = list(grams)
    if combine == "product":
        return np.multiply.reduce(several)
    return np.add.reduce(several) / len(several)


def stage(progress: Progress | None, index: int, count: int) -> Progress | None:
    """Report the progress of one of several stages with equal totals.

    Parameters
    ----------
    progress : callable or None
    index, count : int
        Which stage, of how many.

    Returns
    -------
    callable or None
    """
    if progress is None:
        return None
    return lambda done, total: progress(index * total + done, count * total)
