r"""How kernels bend the diagram distance :math:`d_1`.

The paper's figure of metric distortion sets, for every pair of diagrams, the distance
in the Hilbert space of a kernel against :math:`d_1`. What is slow there,
:math:`d_1` and :math:`SW` of each pair, does not depend on any bandwidth
(:class:`swviz.pair_distances.PairDistances`). The rest is an exponential
(:func:`exponential_distances`) or a Gram matrix of the diagrams
(:func:`scale_space_distances`).

Examples
--------
>>> from swviz.pair_distances import PairDistances
>>> pairs = PairDistances([[(0, 1)], [(0, 2)], [(0, 4)]]).run()
>>> pairs.d1.tolist()
[1.0, 2.5, 2.0]
>>> constants = distortion_constants(pairs.d1, pairs.sw, largest=1)
>>> constants.lower < constants.low <= constants.high < constants.upper
True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import spearmanr
from sklearn.isotonic import IsotonicRegression

from swviz.checks import check_count, check_positive, check_square
from swviz.diagrams import Diagram, as_diagrams
from swviz.distances import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz.errors import ParameterError
from swviz.kernels.distance_based import kernel_from_distances
from swviz.kernels.heuristics import pwg_heuristics
from swviz.kernels.measures import Gaussian, as_measures, middle_birth
from swviz.kernels.products import rkhs_distances
from swviz.kernels.threads import one_blas_thread
from swviz.kernels.weighted_gaussian import PersistenceWeightedGaussianKernel
from swviz.pair_distances import draw_diagrams
from swviz.typing import Floats, Progress

UPPER = 2 * np.sqrt(2)
"""SW is at most this times d1 (the paper's Theorem 3.3)."""

_LOOKED_AT, _COMPARED = 32, 12
"""Diagrams whose points, and whose distances, bandwidths are learnt from."""

_EXACT_POINTS, _DIRECTIONS = 150, 50
"""Points of a diagram from which this many directions do for a bandwidth."""


def exponential_distances(distances: ArrayLike, sigma: float = 1.0) -> Floats:
    r"""Distances in the Hilbert space of :math:`k = e^{-d / (2 \sigma^2)}`.

    Parameters
    ----------
    distances : array-like of any shape
        SW for k_SW, d1 for the Gaussian on it, :math:`\|\mu_A - \mu_B\|` for k_PWG.
    sigma : float, default=1.0
        Bandwidth; tau for k_PWG.

    Returns
    -------
    ndarray of the same shape
        :math:`\sqrt{2 - 2 k}`, without the loss of digits where k is close to 1.

    Examples
    --------
    >>> exponential_distances([0.0, 1.0, 1e9]).round(4)
    array([0.    , 0.8871, 1.4142])
    """
    sigma = check_positive(sigma, "sigma")
    given = np.asarray(distances, dtype=np.float64)
    with np.errstate(over="ignore"):
        return np.sqrt(-2 * np.expm1(-0.5 * (given / sigma) / sigma))


def scale_space_distances(
    diagrams: Sequence[Diagram], t: float, *, progress: Progress | None = None
) -> Floats:
    r"""Distances in the Hilbert space of the persistence scale space kernel.

    Parameters
    ----------
    diagrams : sequence of ndarrays of shape (n_i, 2)
    t : float
        As in :class:`swviz.PersistenceScaleSpaceKernel`.
    progress : callable, optional
        As in :meth:`swviz.pair_distances.PairDistances.run`.

    Returns
    -------
    ndarray of shape (n, n)
        As ``rkhs_distance(PersistenceScaleSpaceKernel(t).gram(diagrams))``, but with
        all digits where two diagrams are close.
    """
    t = check_positive(t, "t")
    several = as_diagrams(diagrams)
    measures = as_measures(
        several, lambda p: (p > 0).astype(np.float64), middle_birth(several)
    )
    gaussian = Gaussian(2 * t**0.5, mirrored=True)
    distances = rkhs_distances(measures, None, gaussian, progress=progress)
    return distances / np.sqrt(8 * np.pi * t)


@dataclass(frozen=True)
class Bandwidths:
    """Parameters of the four kernels of the paper's figure.

    Parameters
    ----------
    sigma : float
        Of k_SW.
    t : float
        Of k_PSS.
    K, rho, tau, p : float
        Of k_PWG.
    sigma_d1 : float
        Of the Gaussian on d1.
    """

    sigma: float = 1.0
    t: float = 1.0
    K: float = 1.0
    rho: float = 1.0
    tau: float = 1.0
    p: float = 4.0
    sigma_d1: float = 1.0


def typical_sigma(distances: ArrayLike) -> float:
    r"""Bandwidth for :math:`e^{-d / (2 \sigma^2)}`: the root of the median distance.

    Parameters
    ----------
    distances : array-like of shape (n,)

    Returns
    -------
    float
        The middle of :func:`swviz.sigma_grid`. Distances 0 tell nothing of a scale and
        are left out; 1 if there are no others.
    """
    return float(np.sqrt(_median_of_positive(distances)))


def point_bandwidths(diagrams: Sequence[Diagram], p: float = 4.0) -> Bandwidths:
    r"""Choose the widths around points, those of k_PSS and k_PWG, from the diagrams.

    Parameters
    ----------
    diagrams : sequence of ndarrays of shape (n_i, 2)
    p : float, default=4.0
        Exponent of persistence; the paper takes 4 for data in the plane, 5 in space.

    Returns
    -------
    Bandwidths
        K, rho and tau by :func:`swviz.kernels.pwg_heuristics`, or, if diagrams have
        too few points for that, by the median persistence; t so that the Gaussians of
        k_PSS are as wide as those of k_PWG. Both sigmas are 1: see
        :func:`typical_sigma`, and :func:`fit_bandwidths` for all of them.
    """
    try:
        learnt = pwg_heuristics(diagrams, p)
        K, rho, tau = learnt.K[None], learnt.rho[None], learnt.tau
    except ParameterError:
        everything = np.concatenate([np.empty((0, 2)), *diagrams])
        rho = _median_of_positive(everything[:, 1] - everything[:, 0])
        # Of very small or very large diagrams the power is beyond floats.
        with np.errstate(over="ignore", under="ignore"):
            K = float(np.clip(np.float_power(rho, -p), 1e-300, 1e300))
        kernel = PersistenceWeightedGaussianKernel(K, rho, p=p)
        tau = _median_of_positive(kernel.mean_distances(diagrams))
    # The square of a very small width would be 0, of a very large one infinite.
    t = float(np.clip(rho / 2, 1e-150, 1e150)) ** 2
    return Bandwidths(t=t, K=K, rho=rho, tau=tau, p=p)


def fit_bandwidths(
    diagrams: Sequence[Diagram], *, progress: Progress | None = None
) -> Bandwidths:
    r"""Choose a bandwidth for each of the four kernels from a sample of the diagrams.

    Parameters
    ----------
    diagrams : sequence of ndarrays of shape (n_i, 2)
    progress : callable, optional
        As in :func:`swviz.diagram_distance_matrix`, which takes most of the time.

    Returns
    -------
    Bandwidths
        Always the same ones for the same diagrams.

    Notes
    -----
    t, K and rho by :func:`point_bandwidths`, from 32 diagrams. The other three are
    bandwidths of an exponential :math:`e^{-d / (2 \sigma^2)}`, and so roots of a median
    (:func:`typical_sigma`): of SW and of d1 over the 66 pairs of 12 diagrams, and of
    :math:`\|\mu_A - \mu_B\|` over all pairs of the 32. The median itself, which the
    authors of k_PWG take for tau, suits their kernel, where the norm is squared; in
    the paper's form it makes all diagrams look alike.
    """
    drawn = draw_diagrams(len(diagrams), _LOOKED_AT)
    some = [diagrams[index] for index in drawn]
    if not some:
        return Bandwidths()
    widths = point_bandwidths(some)
    kernel = PersistenceWeightedGaussianKernel(widths.K, widths.rho, p=widths.p)
    compared = some[:_COMPARED]
    exact = max(map(len, some)) <= _EXACT_POINTS
    d1 = diagram_distance_matrix(compared, progress=progress)
    sw = sliced_wasserstein_matrix(
        compared, n_directions="exact" if exact else _DIRECTIONS, rule="diagonal"
    )
    return replace(
        widths,
        tau=typical_sigma(kernel.mean_distances(some)),
        sigma=typical_sigma(sw),
        sigma_d1=typical_sigma(d1),
    )


def _median_of_positive(values: ArrayLike) -> float:
    numbers = np.asarray(values, dtype=np.float64)
    numbers = numbers[numbers > 0]
    return float(np.median(numbers)) if numbers.size else 1.0


@dataclass(frozen=True)
class DistortionConstants:
    """Between which multiples of d1 SW lies.

    Parameters
    ----------
    low, high : float
        Smallest and largest SW / d1 of the pairs at d1 > 0; NaN without such.
    lower, upper : float
        What the paper's Theorems 3.4 and 3.3 allow.
    """

    low: float
    high: float
    lower: float
    upper: float


def distortion_constants(
    d1: ArrayLike, sw: ArrayLike, largest: int
) -> DistortionConstants:
    r"""Observe between which multiples of d1 SW lies.

    Parameters
    ----------
    d1, sw : array-likes of shape (n,)
        Of the same pairs.
    largest : int
        N, the number of points that no diagram exceeds.

    Returns
    -------
    DistortionConstants

    Notes
    -----
    The theorems say :math:`d_1 / (2 M') \le SW \le 2 \sqrt 2 \, d_1` with
    :math:`M' = 1 + 2N(2N - 1)`: a line through two of up to 2N points, for each of the
    two sides of a slice. N is that of the whole set here; a pair of smaller diagrams
    is held to a stricter bound by their own.
    """
    N = check_count(largest, "largest")
    first, second = np.asarray(d1, dtype=float), np.asarray(sw, dtype=float)
    ratios = second[first > 0] / first[first > 0]
    low, high = (ratios.min(), ratios.max()) if len(ratios) else (np.nan, np.nan)
    lower = 1 / (2 * (1 + 2 * N * (2 * N - 1)))
    return DistortionConstants(float(low), float(high), lower, float(UPPER))


@dataclass(frozen=True)
class Agreement:
    """How well a distance keeps d1.

    Parameters
    ----------
    rank_correlation : float
        Spearman's; 1 if both put all pairs into the same order. NaN if one of them is
        the same for all pairs, or there are less than three.
    spread : float
        Typical factor between a pair's distance and the best rising curve over d1: 1
        if it is on the curve. NaN without two pairs of positive distance.
    n_zero : int
        Pairs at distance 0, which have no logarithm and do not count in the spread.
    """

    rank_correlation: float
    spread: float
    n_zero: int


def agreement(d1: ArrayLike, distances: ArrayLike) -> Agreement:
    r"""Compare a distance of pairs with d1.

    Parameters
    ----------
    d1, distances : array-likes of shape (n,)

    Returns
    -------
    Agreement

    Notes
    -----
    The curve is the isotonic (never falling) one through the logarithms with the least
    sum of squares, in O(n log n); the spread is e to the power of the root mean square
    distance from it. So a kernel may bend the scale of d1 as it likes and pays only for
    pairs of equal d1 that it sets apart, or puts into another order.

    Examples
    --------
    >>> found = agreement([1, 2, 2, 3], [0.5, 0.7, 0.7, 0.71])
    >>> round(found.rank_correlation, 9), round(found.spread, 9)
    (1.0, 1.0)
    """
    first = np.asarray(d1, dtype=np.float64)
    second = np.asarray(distances, dtype=np.float64)
    rank = np.nan
    if len(first) > 2 and np.ptp(first) > 0 and np.ptp(second) > 0:
        rank = float(spearmanr(first, second).statistic)
    positive = second > 0
    spread = np.nan
    if positive.sum() > 1:
        logarithms = np.log(second[positive])
        curve = IsotonicRegression().fit_transform(first[positive], logarithms)
        spread = float(np.exp(np.sqrt(np.mean((logarithms - curve) ** 2))))
    return Agreement(rank, spread, int((~positive).sum()))


def eigenvalues(gram: ArrayLike) -> Floats:
    """Eigenvalues of a symmetric matrix, the largest first.

    Parameters
    ----------
    gram : array-like of shape (n, n)

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> eigenvalues([[1, 2], [2, 1]]).round(9)
    array([ 3., -1.])
    """
    matrix = check_square(gram, "gram")
    with one_blas_thread():
        return np.asarray(np.linalg.eigvalsh(matrix)[::-1], dtype=np.float64)


def smallest_eigenvalues(distances: ArrayLike, sigmas: ArrayLike) -> Floats:
    r"""Smallest eigenvalue of :math:`e^{-d / (2 \sigma^2)}` for several bandwidths.

    Parameters
    ----------
    distances : array-like of shape (n, n)
        Symmetric, at least one row.
    sigmas : array-like of shape (k,)

    Returns
    -------
    ndarray of shape (k,)
        Never below 0 but for rounding if the distance is SW; perhaps if it is d1. Costs
        O(k n^3): 41 bandwidths of 100 diagrams take a tenth of a second.
    """
    matrix = check_square(distances, "distances")
    if not len(matrix):
        raise ParameterError("distances is empty: there is no eigenvalue")
    with one_blas_thread():
        return np.array(
            [
                np.linalg.eigvalsh(kernel_from_distances(matrix, sigma))[0]
                for sigma in np.asarray(sigmas, dtype=np.float64).tolist()
            ]
        )
