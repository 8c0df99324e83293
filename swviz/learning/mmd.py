"""A test whether two samples of diagrams come from one distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from swviz.checks import check_count, check_square
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError, shown
from swviz.kernels import DiagramKernel, SlicedWassersteinKernel, kernel_from_distances
from swviz.kernels.inputs import Samples, by_dimension, count_samples
from swviz.learning.svm import as_labels
from swviz.results import Result, as_frame, draw
from swviz.seeds import as_random_state
from swviz.typing import Floats, Progress

if TYPE_CHECKING:
    import pandas as pd

_PERMUTATIONS = 1 << 22
"""Entries of all permutations that are looked at together."""


@dataclass(frozen=True, eq=False, repr=False)
class MMDResult(Result):
    r"""Result of a two-sample test.

    Parameters
    ----------
    statistic : float
        :math:`MMD^2`, the squared distance of the two samples' means in the Hilbert
        space of the kernel.
    p_value : float
        How probable a statistic as large as this is if both samples come from one
        distribution.
    permutations : ndarray of shape (n_permutations,)
        Statistics after random exchanges between the samples.
    """

    statistic: float
    p_value: float
    permutations: Floats

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {
            "MMD²": f"{self.statistic:.4g}",
            "p": f"{self.p_value:.4g}",
            "permutations": str(len(self.permutations)),
        }

    def frame(self) -> pd.DataFrame:
        """Return what chance makes of the statistic: columns permutation, statistic."""
        number = np.arange(len(self.permutations))
        return as_frame({"permutation": number, "statistic": self.permutations})

    def plot(self) -> Any:
        """Draw the statistic beside those by chance: `swviz.plot.permutations`."""
        return draw("permutations", self)


def mmd_test(
    X: Samples,
    Y: Samples,
    kernel: DiagramKernel | None = None,
    n_permutations: int = 999,
    random_state: Any = None,
    *,
    progress: Progress | None = None,
) -> MMDResult:
    r"""Test whether two samples of diagrams come from one distribution.

    Parameters
    ----------
    X, Y : sequences of array-likes of shape (n_i, 2), or DiagramSets
        At least two samples each.
    kernel : DiagramKernel, optional
        By default exp(k_SW) with 50 directions, where :math:`2 \sigma^2` is the median
        of all distances.
    n_permutations : int, default=999
    random_state : int, RandomState instance, Generator or None, default=None
    progress : callable, optional
        As in :func:`swviz.sliced_wasserstein_matrix`, for the Gram matrix.

    Returns
    -------
    MMDResult

    Notes
    -----
    The maximum mean discrepancy of Gretton et al. (2012), in the biased form

    .. math:: MMD^2 = \frac{1}{n^2} \sum_{ij} k(x_i, x_j)
              + \frac{1}{m^2} \sum_{ij} k(y_i, y_j)
              - \frac{2}{nm} \sum_{ij} k(x_i, y_j).

    Its distribution under the null hypothesis is that over random relabellings; the
    p-value is (1 + number of permutations at least as large) / (1 + n_permutations),
    which is valid for any kernel, and for any sigma that does not depend on the
    labels. As exp(k_SW) is universal, any difference is seen if samples are large
    enough.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = [[(0, 1 + 0.1 * x)] for x in rng.random(10)]
    >>> Y = [[(0, 2 + 0.1 * x)] for x in rng.random(10)]
    >>> mmd_test(X, Y, random_state=0).p_value
    0.001
    """
    both, count = _pooled(X, Y)
    if kernel is None:
        distances = SlicedWassersteinKernel().distances(both, progress=progress)
        total = distances.sum(axis=0)
        typical = np.median(total[np.triu_indices(len(total), 1)])
        # All distances 0: any sigma gives the same statistic, 0.
        sigma = np.sqrt(typical / 2) if typical > 0 else 1.0
        gram = np.exp(kernel_from_distances(distances, sigma))
    elif isinstance(kernel, DiagramKernel):
        gram = kernel.gram(both, progress=progress)
    else:
        raise ParameterError(
            f"kernel must be one of swviz.kernels, not {shown(kernel)}"
        )
    return mmd_from_gram(gram, count, n_permutations, random_state)


def mmd_from_gram(
    gram: ArrayLike,
    n_first: int,
    n_permutations: int = 999,
    random_state: Any = None,
) -> MMDResult:
    """Test whether two samples come from one distribution, given their Gram matrix.

    Parameters
    ----------
    gram : array-like of shape (n + m, n + m)
        The first sample's rows first.
    n_first : int
        The size n of the first sample.
    n_permutations, random_state
        As in :func:`mmd_test`.

    Returns
    -------
    MMDResult
    """
    matrix = check_square(gram, "gram")
    n_permutations = check_count(n_permutations, "n_permutations")
    n_first = check_count(n_first, "n_first")
    if not 2 <= n_first <= len(matrix) - 2:
        raise ParameterError(
            "a two-sample test needs at least two diagrams in each sample, not "
            f"{n_first} and {len(matrix) - n_first}"
        )
    signs = np.repeat(
        [1 / n_first, -1 / (len(matrix) - n_first)], [n_first, len(matrix) - n_first]
    )
    random = as_random_state(random_state)
    batch = max(1, _PERMUTATIONS // len(matrix))
    values = []
    for start in range(0, n_permutations, batch):
        size = min(batch, n_permutations - start)
        orders = np.argsort(random.random_sample((size, len(matrix))), axis=1)
        values.append(_discrepancies(matrix, signs[orders]))
    permutations = np.concatenate(values)
    statistic = float(_discrepancies(matrix, signs[None])[0])
    # Relabellings that are equal up to their order differ by a rounding.
    slack = 1e-12 * np.abs(matrix).max()
    larger = int(np.sum(permutations >= statistic - slack))
    return MMDResult(statistic, (1 + larger) / (1 + n_permutations), permutations)


def mmd_between_classes(
    gram: ArrayLike,
    labels: ArrayLike,
    first: Any,
    second: Any,
    n_permutations: int = 999,
    random_state: Any = None,
) -> MMDResult:
    """Test whether two classes come from one distribution, given the Gram matrix.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        Of the samples of all classes.
    labels : array-like of shape (n,)
    first, second : labels
    n_permutations, random_state
        As in :func:`mmd_test`.

    Returns
    -------
    MMDResult

    Examples
    --------
    >>> gram = np.kron(np.eye(2), np.ones((4, 4)))
    >>> labels = list("aaaabbbb")
    >>> float(mmd_between_classes(gram, labels, "a", "b", random_state=0).statistic)
    2.0
    """
    matrix = check_square(gram, "gram")
    given = as_labels(labels, len(matrix))
    if first == second:
        raise ParameterError("a two-sample test needs two different classes")
    ours, theirs = np.flatnonzero(given == first), np.flatnonzero(given == second)
    both = np.concatenate([ours, theirs])
    return mmd_from_gram(
        matrix[np.ix_(both, both)], len(ours), n_permutations, random_state
    )


def _discrepancies(gram: Floats, signs: Floats) -> Floats:
    """Evaluate the quadratic form of each row of signs, at least 0 for a kernel."""
    return np.maximum(np.einsum("ij,ij->i", signs @ gram, signs), 0.0)


def _pooled(X: Samples, Y: Samples) -> tuple[Samples, int]:
    first, second = by_dimension(X), by_dimension(Y)
    if len(first) == len(second) == 1 and (None in first or None in second):
        # A list does not say its dimension: it goes with a set of one dimension.
        (dimension,) = second if None in first else first
        first, second = (
            {dimension: one} for both in (first, second) for one in both.values()
        )
    if set(first) != set(second):
        raise ParameterError(
            f"the samples hold different homology dimensions: {list(first)} and "
            f"{list(second)}"
        )
    count = count_samples(first)
    if count < 2 or count_samples(second) < 2:
        raise ParameterError(
            "a two-sample test needs at least two diagrams in each sample, not "
            f"{count} and {count_samples(second)}"
        )
    pooled = {dimension: first[dimension] + second[dimension] for dimension in first}
    if None in pooled:
        return pooled[None], count
    return DiagramSet({k: v for k, v in pooled.items() if k is not None}), count
