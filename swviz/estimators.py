"""Manners that all estimators of diagrams share, as scikit-learn wants them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)

from swviz.diagrams import DiagramSet, list_samples
from swviz.errors import ParameterError


class DiagramInput:
    """Tells scikit-learn what the input is: lists of diagrams, not rows of features.

    Notes
    -----
    An array of shape (n_samples, n_points, 2) is a list of diagrams, too. Everything
    else that scikit-learn can name (rows of features, sparse matrices, text) is none.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        return tags


class DiagramTransformer(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    DiagramInput,
    BaseEstimator,  # type: ignore[misc]
):
    """Base of what turns diagrams into rows of numbers."""

    def fit_transform(self, X: Any, y: object = None) -> Any:
        """Fit, and transform the same diagrams.

        Parameters
        ----------
        X : sequence of array-likes of shape (n_i, 2), or DiagramSet
            May be a generator: it is read once.
        y : ignored

        Returns
        -------
        ndarray
            As `transform` gives it.
        """
        samples = X if isinstance(X, DiagramSet) else list_samples(X)
        return self.fit(samples).transform(samples)


def remember(estimator: Any, names: Collection[str]) -> None:
    """Keep the values of parameters at the end of `fit`, for :func:`check_unchanged`.

    Parameters
    ----------
    estimator : estimator
    names : collection of str
        Parameters whose changes would have no effect until the next `fit`.
    """
    estimator.fitted_parameters_ = _values(estimator, names)


def check_unchanged(estimator: Any) -> None:
    """Refuse a parameter that was set after `fit`, which would be ignored.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    """
    before = estimator.fitted_parameters_
    now = _values(estimator, {name.partition("__")[0] for name in before})
    for name in sorted({*before, *now}):
        if not (name in before and name in now and _is_same(now[name], before[name])):
            raise ParameterError(
                f"{name} has been changed since fit, which uses it: fit again"
            )


def _values(estimator: Any, names: Collection[str]) -> dict[str, Any]:
    """Values of parameters; of an estimator among them, what it consists of."""
    given = estimator.get_params()
    nested = {name.partition("__")[0] for name in given if "__" in name}
    return {
        name: value
        for name, value in given.items()
        if name.partition("__")[0] in names
        and name not in nested
        # How fast a result comes does not matter to it.
        and not name.endswith("n_jobs")
    }


def _is_same(value: Any, before: Any) -> bool:
    if value is before:
        return True
    try:
        return type(value) is type(before) and bool(np.all(value == before))
    except (TypeError, ValueError):
        return False
