"""Accuracy as one knob is turned: the bandwidth, or the number of directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike
from sklearn.base import clone

from swviz.kernels import SlicedWassersteinKernel, kernel_from_distances
from swviz.kernels.distance_based import Combine
from swviz.kernels.inputs import Samples, as_samples
from swviz.learning.prepared import PreparedKernel
from swviz.learning.svm import evaluate_svm
from swviz.typing import Floats, Progress

DIRECTIONS = (1, 2, 3, 4, 6, 10, 20, 50)
"""Numbers of directions that are worth comparing."""


@dataclass(frozen=True)
class CurvePoint:
    """Accuracies at one value of the knob.

    Parameters
    ----------
    value : float
    train, test : float
    cv, spread : float
        Mean and standard deviation over random halves of the training set.
    """

    value: float
    train: float
    test: float
    cv: float
    spread: float


def bandwidth_curve(
    ready: PreparedKernel,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    scales: Sequence[float],
    C: float = 1.0,
    *,
    n_splits: int = 10,
    random_state: Any = 0,
    progress: Progress | None = None,
) -> Iterator[CurvePoint]:
    """Accuracies for one bandwidth after the other.

    Parameters
    ----------
    ready : PreparedKernel
    labels, train, test
        As in :func:`swviz.learning.evaluate_svm`.
    scales : sequence of float
    C, n_splits, random_state
        As in :func:`swviz.learning.evaluate_svm`.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` bandwidths.

    Yields
    ------
    CurvePoint
    """
    for done, scale in enumerate(scales):
        if progress is not None:
            progress(done, len(scales))
        gram = ready.gram(scale)
        yield _point(scale, gram, labels, train, test, C, n_splits, random_state)


def distances_by_directions(
    kernel: SlicedWassersteinKernel,
    X: Samples,
    counts: Sequence[int] = DIRECTIONS,
    *,
    progress: Progress | None = None,
) -> Iterator[tuple[int, Floats]]:
    """Sliced Wasserstein distances with ever more directions.

    Parameters
    ----------
    kernel : SlicedWassersteinKernel
        Gives the rule, the dimensions and so on.
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
    counts : sequence of int, default=(1, 2, 3, 4, 6, 10, 20, 50)
    progress : callable, optional
        As in :func:`swviz.sliced_wasserstein_matrix`.

    Yields
    ------
    n_directions : int
    distances : ndarray of shape (n_dimensions, n, n)
    """
    X = as_samples(X)
    # A matrix costs in proportion to its directions.
    before = 0
    for count in counts:
        part = _weighted(progress, before, count, sum(counts))
        wanted = clone(kernel).set_params(n_directions=count)
        yield count, wanted.fit(X).distances(X, progress=part)
        before += count


def directions_curve(
    distances: Mapping[int, Floats],
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    sigma: float,
    C: float = 1.0,
    *,
    combine: Combine = "product",
    n_splits: int = 10,
    random_state: Any = 0,
) -> list[CurvePoint]:
    """Accuracies by number of directions, at one sigma and one C.

    Parameters
    ----------
    distances : mapping of int to ndarray of shape (n_dimensions, n, n)
        From :func:`distances_by_directions`.
    labels, train, test
        As in :func:`swviz.learning.evaluate_svm`.
    sigma : float
    C : float, default=1.0
    combine : {"product", "mean"}, default="product"
    n_splits, random_state
        As in :func:`swviz.learning.evaluate_svm`.

    Returns
    -------
    list of CurvePoint
    """
    return [
        _point(
            count,
            kernel_from_distances(stack, sigma, combine),
            labels,
            train,
            test,
            C,
            n_splits,
            random_state,
        )
        for count, stack in distances.items()
    ]


def _point(
    value: float,
    gram: Floats,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    C: float,
    n_splits: int,
    random_state: Any,
) -> CurvePoint:
    found = evaluate_svm(
        gram, labels, train, test, C, n_splits=n_splits, random_state=random_state
    )
    return CurvePoint(
        float(value),
        found.train_accuracy,
        found.test_accuracy,
        found.cv_accuracy,
        found.cv_spread,
    )


def _weighted(
    progress: Progress | None, before: int, weight: int, total: int
) -> Progress | None:
    """Report a stage whose cost is `weight` of `total`, in thousandths."""
    if progress is None:
        return None

    def report(done: int, pairs: int) -> None:
        share = done / pairs if pairs else 1.0
        progress(round(1000 * (before + weight * share) / total), 1000)

    return report
