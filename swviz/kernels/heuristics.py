"""Parameters of k_PWG learnt from diagrams, as its authors propose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from swviz.checks import check_positive
from swviz.diagrams import Diagram
from swviz.errors import ParameterError
from swviz.kernels.inputs import Samples, as_samples, by_dimension
from swviz.kernels.weighted_gaussian import PersistenceWeightedGaussianKernel
from swviz.typing import Floats

_SAMPLE = 500
"""Points of a diagram that are looked at for its median distance."""

_LARGEST = 1e300
"""K of diagrams so small that the power of their persistence overflows; so large that
it underflows, one over it."""


@dataclass(frozen=True)
class PWGHeuristics:
    """Parameters of k_PWG learnt from diagrams, as its authors propose.

    Parameters
    ----------
    K, rho : mapping of int or None to float
        For each homology dimension; None is the key of plain lists.
    tau : float
    p : float
    """

    K: Mapping[int | None, float]
    rho: Mapping[int | None, float]
    tau: float
    p: float

    def scaled(
        self, K: float = 1.0, rho: float = 1.0, tau: float = 1.0
    ) -> dict[str, Any]:
        """Parameters of the kernel, times factors.

        Parameters
        ----------
        K, rho, tau : float, default=1.0

        Returns
        -------
        dict of str to object
            Keyword arguments of :class:`PersistenceWeightedGaussianKernel`.
        """
        return {
            "K": {dimension: K * value for dimension, value in self.K.items()},
            "rho": {dimension: rho * value for dimension, value in self.rho.items()},
            "tau": tau * self.tau,
            "p": self.p,
        }


def pwg_heuristics(
    X: Samples,
    p: float = 4,
    *,
    kernel: PersistenceWeightedGaussianKernel | None = None,
) -> PWGHeuristics:
    r"""Choose K, rho and tau for k_PWG as Kusano et al. (2016) propose.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2), or DiagramSet
    p : float, default=4
        The paper's choice for data in the plane; 5 in space.
    kernel : PersistenceWeightedGaussianKernel, optional
        Gives `dimensions`, `method` and the like; its K, rho, tau and p are not used.

    Returns
    -------
    PWGHeuristics

    Notes
    -----
    rho is the median over diagrams of the median distance between two points of a
    diagram; K the median over diagrams of their median persistence, to the power -p;
    tau the median distance :math:`\|\mu_i - \mu_j\|` of two diagrams. Diagrams or
    pairs that give 0 tell nothing about a scale and are left out. In a diagram of more
    than 500 points, evenly spaced 500 of them are looked at for rho.

    Examples
    --------
    >>> learnt = pwg_heuristics([[(0, 1), (0, 3)], [(0, 1.5), (0, 2.5)]], p=1)
    >>> learnt.scaled(rho=10)  # doctest: +ELLIPSIS
    {'K': {None: 0.5}, 'rho': {None: 15.0}, 'tau': 0.4407..., 'p': 1.0}
    """
    X = as_samples(X)
    kernel = kernel if kernel is not None else PersistenceWeightedGaussianKernel()
    p = check_positive(p, "p")
    diagrams = by_dimension(X, kernel.dimensions)
    K, rho = {}, {}
    for dimension, several in diagrams.items():
        K[dimension], rho[dimension] = point_scales(several, p, dimension)
    tuned = PersistenceWeightedGaussianKernel(
        **{**kernel.get_params(), "K": K, "rho": rho, "p": p}
    )
    tau = typical_distance(tuned.mean_distances(X).sum(axis=0))
    return PWGHeuristics(K, rho, tau, p)


def point_scales(
    diagrams: Sequence[Diagram], p: float, dimension: int | None = None
) -> tuple[float, float]:
    """Choose K and rho for the diagrams of one homology dimension.

    Parameters
    ----------
    diagrams : sequence of ndarray of shape (n_i, 2)
    p : float
    dimension : int, optional
        For the message, if there is no scale.

    Returns
    -------
    K, rho : float
        As in :func:`pwg_heuristics`.
    """
    where = "" if dimension is None else f" in homology dimension {dimension}"
    lifetimes = [np.median(d[:, 1] - d[:, 0]) for d in diagrams if len(d)]
    typical = _typical(lifetimes, f"persistent points{where}")
    with np.errstate(over="ignore"):
        power = np.float_power(typical, -p)
    within = [np.median(_some_distances(d)) for d in diagrams if len(d) > 1]
    return (
        float(np.clip(power, 1 / _LARGEST, _LARGEST)),
        _typical(within, f"diagrams of two different points{where}"),
    )


def typical_distance(distances: Floats) -> float:
    """Choose tau: the median distance of two diagrams that differ.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        The sum over homology dimensions of what k_PWG takes the exponential of.

    Returns
    -------
    float
    """
    pairs = distances[np.triu_indices(len(distances), 1)]
    return _typical(pairs, "two different diagrams")


def _some_distances(diagram: Diagram) -> Floats:
    some = diagram[:: -(-len(diagram) // _SAMPLE)]
    # Near 1, exactly: squares of very large or small coordinates are out of range.
    exponent = int(np.frexp(np.abs(some).max(initial=0.0))[1])
    return np.ldexp(pdist(np.ldexp(some, -exponent)), exponent)


def _typical(values: Any, what: str) -> float:
    """Take the median of the positive values."""
    positive = np.asarray(values, dtype=np.float64)
    positive = positive[positive > 0]
    if not len(positive):
        raise ParameterError(
            f"no scale can be learnt: there are no {what}; leave these out, rescale "
            "diagrams whose powers are too small for a float, or choose K, rho and tau "
            "yourself"
        )
    return float(np.median(positive))
