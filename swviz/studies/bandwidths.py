"""Bandwidths that fit a data set: one for each of the paper's four kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from swviz.diagrams import Diagram
from swviz.distances import diagram_distance_matrix, sliced_wasserstein_matrix
from swviz.errors import ParameterError
from swviz.kernels import PersistenceWeightedGaussianKernel, pwg_heuristics
from swviz.studies.sampling import draw_diagrams
from swviz.typing import Progress, Rule

_LOOKED_AT, _COMPARED = 32, 12
"""Diagrams whose points, and whose distances, bandwidths are learnt from."""

_EXACT_POINTS = 150
"""Points of the largest diagram up to which exact distances are cheap."""

_DIRECTIONS = 50
"""Directions that do for larger ones."""


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


def affordable_directions(
    diagrams: Sequence[Diagram],
) -> tuple[int | Literal["exact"], Rule]:
    """Choose between exact distances and many directions, by the largest diagram.

    Parameters
    ----------
    diagrams : sequence of ndarrays of shape (n_i, 2)

    Returns
    -------
    n_directions : int or "exact"
    rule : {"paper", "diagonal"}
        As in :func:`swviz.sliced_wasserstein_matrix`.

    Examples
    --------
    >>> import numpy as np
    >>> affordable_directions([[(0, 1)]]), affordable_directions([np.ones((200, 2))])
    (('exact', 'paper'), (50, 'diagonal'))
    """
    if max(map(len, diagrams), default=0) <= _EXACT_POINTS:
        return "exact", "paper"
    return _DIRECTIONS, "diagonal"


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
    n_directions, rule = affordable_directions(some)
    d1 = diagram_distance_matrix(compared, progress=progress)
    sw = sliced_wasserstein_matrix(compared, n_directions=n_directions, rule=rule)
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
