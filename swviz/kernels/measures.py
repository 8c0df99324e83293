r"""Inner products of sums of Gaussians: the numbers behind k_PSS and k_PWG.

A diagram becomes a sum of weighted Gaussians, one a point. With
:math:`k_\rho(p, q) = \exp(-|p - q|^2 / (2 \rho^2))` the inner product of two of them is

.. math:: \sum_{p \in A} \sum_{q \in B} w_p w_q \, k_\rho(p, q),

or, *mirrored*, with :math:`k_\rho(p, q) - k_\rho(p, \bar q)` in place of
:math:`k_\rho`, where :math:`\bar q` is q reflected at the diagonal. There are two ways
to compute all of them: the double sum (here) and a grid (:mod:`swviz.kernels.grid`).

Coordinates are turned by 45 degrees, (along, away from the diagonal), because diagrams
hug the diagonal, and because there the mirrored kernel has a form without cancellation:
:math:`|p - \bar q|^2 = |p - q|^2 + 4 v_p v_q`, so

.. math:: k_\rho(p, q) - k_\rho(p, \bar q)
          = -k_\rho(p, q) \, \mathrm{expm1}(-2 v_p v_q / \rho^2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import csr_array

from swviz.diagrams import Diagram
from swviz.typing import Floats, Ints, Progress

_ROWS, _COLUMNS = 512, 4096
"""Points in a block of the double sum: 16 MB for each array."""


@dataclass(frozen=True)
class Measures:
    """Weighted points of several diagrams.

    Parameters
    ----------
    along, away : ndarrays of shape (n_points,)
        Coordinates along the diagonal and away from it.
    weight : ndarray of shape (n_points,)
    owner : ndarray of shape (n_points,), integer
        Which diagram each point belongs to, ascending.
    count : int
        How many diagrams there are; some may own no point.
    """

    along: Floats
    away: Floats
    weight: Floats
    owner: Ints
    count: int

    def __len__(self) -> int:
        return len(self.along)

    def take(self, chosen: Any) -> Measures:
        """Keep some of the points.

        Parameters
        ----------
        chosen : slice, boolean mask or indices

        Returns
        -------
        Measures
        """
        return Measures(
            self.along[chosen],
            self.away[chosen],
            self.weight[chosen],
            self.owner[chosen],
            self.count,
        )


@dataclass(frozen=True)
class Gaussian:
    """The Gaussian of the points.

    Parameters
    ----------
    rho : float
        Its standard deviation.
    mirrored : bool
        Whether the Gaussian around the reflected point is taken off.
    """

    rho: float
    mirrored: bool


def middle_birth(*lists: Sequence[Diagram] | None) -> float:
    """Find where on the diagonal to put the origin: digits are lost far from it.

    Parameters
    ----------
    *lists : sequences of ndarrays of shape (n_i, 2), or None
        All that will be compared.

    Returns
    -------
    float
        One of the births, the lower median: differences to it are exact near it.

    Notes
    -----
    What is left of the rounding is relative to the extent of the diagrams.
    """
    births = [diagram[:, 0] for some in lists for diagram in some or ()]
    together = np.concatenate([np.empty(0), *births])
    if not len(together):
        return 0.0
    middle = (len(together) - 1) // 2
    return float(np.partition(together, middle)[middle])


def as_measures(
    diagrams: Sequence[Diagram],
    weigh: Callable[[Floats], Floats],
    origin: float = 0.0,
) -> Measures:
    """Turn diagrams into weighted points, without those that weigh nothing.

    Parameters
    ----------
    diagrams : sequence of ndarrays of shape (n_i, 2)
    weigh : callable
        From persistences to weights.
    origin : float, default=0.0
        Birth and death of the point on the diagonal that becomes the origin.

    Returns
    -------
    Measures
    """
    birth, death = np.concatenate([np.empty((0, 2)), *diagrams]).T
    owner = np.repeat(np.arange(len(diagrams)), [len(d) for d in diagrams])
    half = np.sqrt(0.5)
    everything = Measures(
        half * (birth - origin) + half * (death - origin),
        half * (death - birth),
        weigh(death - birth),
        owner,
        len(diagrams),
    )
    return everything.take(everything.weight != 0)


def differences(first: Measures, second: Measures, pairs: Ints) -> Measures:
    """Subtract measures; points that both hold cancel exactly.

    Parameters
    ----------
    first, second : Measures
    pairs : ndarray of shape (k, 2), integer
        Which measures of `first` and `second`.

    Returns
    -------
    Measures
        The k differences.
    """
    pieces = []
    for side, sign, chosen in ((first, 1, pairs[:, 0]), (second, -1, pairs[:, 1])):
        ends = np.searchsorted(side.owner, [chosen, chosen + 1])
        sizes = ends[1] - ends[0]
        owner = np.repeat(np.arange(len(pairs)), sizes)
        shift = np.repeat(ends[0] - np.cumsum(sizes) + sizes, sizes)
        points = side.take(shift + np.arange(sizes.sum()))
        pieces.append((points.along, points.away, sign * points.weight, owner))
    along, away, weight, owner = (
        np.concatenate(two) for two in zip(*pieces, strict=True)
    )
    order = np.lexsort((away, along, owner))
    along, away, owner = along[order], away[order], owner[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (np.diff(along) != 0) | (np.diff(away) != 0) | (np.diff(owner) != 0)
    starts = np.flatnonzero(fresh)
    total = np.add.reduceat(weight[order], starts) if len(starts) else weight
    merged = Measures(along[starts], away[starts], total, owner[starts], len(pairs))
    return merged.take(merged.weight != 0)


def direct_products(
    first: Measures,
    second: Measures | None,
    gaussian: Gaussian,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Inner products by the double sum, in blocks of bounded size.

    Parameters
    ----------
    first : Measures
    second : Measures or None
        None for `first` with itself.
    gaussian : Gaussian
    n_jobs, progress
        As in :func:`swviz.sliced_wasserstein_matrix`.

    Returns
    -------
    ndarray of shape (first.count, second.count)

    Notes
    -----
    Points that occur several times, in one diagram or in many (pixel images have few
    values), are looked at once.
    """
    places, weights = _distinct(first)
    other_places, other_weights = (
        (places, weights) if second is None else _distinct(second)
    )
    products = np.zeros((weights.shape[0], other_weights.shape[0]))
    stretches = [
        slice(start, min(start + _ROWS, len(places)))
        for start in range(0, len(places), _ROWS)
    ]
    done = 0
    together = 8 * max(1, effective_n_jobs(n_jobs))
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for begin in range(0, len(stretches), together):
            some = stretches[begin : begin + together]
            # By symmetry only what lies right of the diagonal blocks is computed.
            rests = [s.start if second is None else 0 for s in some]
            sums = parallel(
                delayed(_block_sums)(
                    places[stretch],
                    other_places[rest:],
                    other_weights[:, rest:],
                    gaussian,
                    second is None,
                )
                for stretch, rest in zip(some, rests, strict=True)
            )
            for stretch, values in zip(some, sums, strict=True):
                products += weights[:, stretch] @ values.T
            if progress is not None:
                done = some[-1].stop
                progress(*pairs_done(done / len(places), products, second is None))
    return products + products.T if second is None else products


def _distinct(measures: Measures) -> tuple[NDArray[np.complex128], csr_array]:
    """Find the distinct places, and each measure's weights there, (count, places)."""
    places, column = np.unique(measures.along + 1j * measures.away, return_inverse=True)
    weights = csr_array(
        (measures.weight, (measures.owner, column.ravel())),
        shape=(measures.count, len(places)),
    )
    return places, weights


def _block_sums(
    rows: NDArray[np.complex128],
    columns: NDArray[np.complex128],
    weights: csr_array,
    gaussian: Gaussian,
    halve_diagonal: bool,
) -> Floats:
    """Sum the Gaussian over each measure's columns: shape (measures, rows).

    With `halve_diagonal` the first columns are the rows, and their block counts half,
    since the caller adds the transpose.
    """
    total = np.zeros((weights.shape[0], len(rows)))
    for start in range(0, len(columns), _COLUMNS):
        stretch = slice(start, start + _COLUMNS)
        block = gaussian_matrix(columns[stretch], rows, gaussian)
        if halve_diagonal and start == 0:
            block[: len(rows)] *= 0.5
        total += weights[:, stretch] @ block
    return total


def gaussian_matrix(
    rows: NDArray[np.complex128], columns: NDArray[np.complex128], gaussian: Gaussian
) -> Floats:
    """Evaluate the Gaussian between points given as along + i away.

    Parameters
    ----------
    rows, columns : ndarrays of shape (n,) and (m,), complex
    gaussian : Gaussian

    Returns
    -------
    ndarray of shape (n, m)
    """
    with np.errstate(over="ignore"):
        exponent = ((rows.real[:, None] - columns.real) / gaussian.rho) ** 2
        exponent += ((rows.imag[:, None] - columns.imag) / gaussian.rho) ** 2
        exponent *= -0.5
        values: Floats = np.exp(exponent, out=exponent)
        if gaussian.mirrored:
            away = np.multiply.outer(
                -2 / gaussian.rho * rows.imag, columns.imag / gaussian.rho
            )
            values *= -np.expm1(away, out=away)
    return values


def direct_norms(measures: Measures, gaussian: Gaussian) -> Floats:
    """Squared norms by the double sum.

    Parameters
    ----------
    measures : Measures
    gaussian : Gaussian

    Returns
    -------
    ndarray of shape (measures.count,)
    """
    norms = np.zeros(measures.count)
    for owner, points in each_measure(measures):
        alone = Measures(
            points.along, points.away, points.weight, np.zeros_like(points.owner), 1
        )
        norms[owner] = direct_products(alone, None, gaussian)[0, 0]
    return norms


def each_measure(measures: Measures) -> Iterator[tuple[int, Measures]]:
    """Go through the measures that own points.

    Parameters
    ----------
    measures : Measures

    Yields
    ------
    owner : int
    points : Measures
    """
    owners, starts = np.unique(measures.owner, return_index=True)
    ends = np.append(starts, len(measures))[1:]
    for owner, start, end in zip(owners, starts, ends, strict=True):
        yield int(owner), measures.take(slice(start, end))


def pairs_done(part: float, products: Floats, symmetric: bool) -> tuple[int, int]:
    """Express a part of the work as (pairs done, all pairs).

    Parameters
    ----------
    part : float in [0, 1]
    products : ndarray of shape (n, m)
    symmetric : bool

    Returns
    -------
    done, total : int
    """
    n, m = products.shape
    total = n * (n - 1) // 2 if symmetric else n * m
    return round(part * total), total
