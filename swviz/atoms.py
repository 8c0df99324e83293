"""Signed atoms: two diagrams and their diagonal projections as one weighted set.

Points of A and projections of B weigh +1, points of B and projections of A weigh -1.
Atoms are rounded to a grid, so that :mod:`swviz.exact` can decide with integers which
of them share a line; what that costs is said there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from swviz.typing import Floats

Ints = NDArray[np.int64]
Counts = NDArray[np.int32]
Bools = NDArray[np.bool_]

_GRID_BITS = 50


@dataclass(frozen=True)
class Atoms:
    """Signed atoms of several pairs: first those off the diagonal, then those on it.

    Arrays have shape (n_pairs, n_off + n_on). Off the diagonal they are ordered by
    falling persistence, then by rising birth + death, on the diagonal by the latter:
    along any line, forward is towards higher columns. Atoms at one place are merged,
    those of weight 0 are gone, and what is left over at the end of both parts is
    padding of weight 0.
    """

    along: Floats  # birth + death on the grid
    height: Floats  # death - birth on the grid
    weight: Counts
    birth: Floats  # coordinates as given, scaled by 2**-exponent
    death: Floats
    exponent: Counts  # (n_pairs,)
    on_one_line: Bools  # (n_pairs,): whether all atoms off the diagonal surely are
    n_off: int

    @cached_property
    def weight_ahead(self) -> Counts:
        """Sum of the weights in higher columns, i.e. ahead on all lines together."""
        including = np.cumsum(self.weight[:, ::-1], axis=1, dtype=np.int32)[:, ::-1]
        return including - self.weight

    @cached_property
    def is_padded(self) -> bool:
        """Whether any column is padding."""
        return not self.weight.all()


def signed_atoms(first: Floats, second: Floats) -> Atoms:
    """Make the atoms of pairs of padded diagrams.

    Parameters
    ----------
    first, second : ndarrays of shape (n_pairs, n, 2) and (n_pairs, m, 2)

    Returns
    -------
    Atoms
    """
    points = np.concatenate([first, second], axis=1)
    weight = np.ones(points.shape[:2], dtype=np.int32)
    weight[:, first.shape[1] :] = -1
    # What cancels must not have a say in the grid: shared points, however far away,
    # and points on the diagonal, padding among them.
    weight = np.where(points[..., 0] < points[..., 1], weight, 0)
    points, weight = _cancel_shared(points, weight)
    # A power of two per pair keeps tiny and huge coordinates within range, exactly.
    exponent = np.frexp(np.abs(points).max(axis=(1, 2), initial=0))[1]
    points = np.ldexp(points, -exponent[:, None, None])
    birth, death = points[..., 0], points[..., 1]
    height = _on_grid(death - birth, from_zero=True)
    weight = np.where(height > 0, weight, 0)
    along = _on_grid(birth + death, where=weight != 0)
    # Points born at once, such as all of H0, share a line, and rounding both sums on
    # their own grids must not bend it: birth + death differs as death - birth does.
    last = np.where(weight != 0, birth, -np.inf).max(axis=1, initial=-np.inf)
    together = ((weight == 0) | (birth == last[:, None])).all(axis=1)
    along = np.where(together[:, None], height, along)

    off = _merge(along, height, weight, birth, death)
    middle = birth / 2 + death / 2
    on = _merge(along, np.zeros_like(height), -weight, middle, middle)
    return Atoms(
        along=np.concatenate([off[0], on[0]], axis=1),
        height=np.concatenate([off[1], on[1]], axis=1),
        weight=np.concatenate([off[2], on[2]], axis=1),
        birth=np.concatenate([off[3], on[3]], axis=1),
        death=np.concatenate([off[4], on[4]], axis=1),
        exponent=exponent,
        on_one_line=together,
        n_off=off[0].shape[1],
    )


def _cancel_shared(points: Floats, weight: Counts) -> tuple[Floats, Counts]:
    """Give each place the sum of its weights, once; drop to (0, 0) what weighs 0."""
    order = np.lexsort((points[..., 1], points[..., 0], weight == 0), axis=-1)
    points = np.take_along_axis(points, order[..., None], axis=1)
    weight = np.take_along_axis(weight, order, axis=1)
    starts = np.ones(weight.shape, dtype=bool)
    starts[:, 1:] = (points[:, 1:] != points[:, :-1]).any(axis=-1)
    weight = _sum_at_starts(weight, starts)
    return np.where((weight != 0)[..., None], points, 0.0), weight


def _sum_at_starts(weight: Counts, starts: Bools) -> Counts:
    """Add up weights from one start to the next, and put 0 elsewhere."""
    place = np.cumsum(starts.ravel()) - 1
    sums = np.bincount(place, weights=weight.ravel()).astype(np.int32)
    return np.where(starts, sums[place].reshape(weight.shape), 0)


def _on_grid(
    values: Floats, from_zero: bool = False, where: Bools | Literal[True] = True
) -> Floats:
    """Round rows to 2**50 steps or less over their extent, counted from the least."""
    low = values.min(axis=1, keepdims=True, initial=np.inf, where=where)
    if from_zero:
        low = np.zeros_like(low)
    high = values.max(axis=1, keepdims=True, initial=-np.inf, where=where)
    extent = np.where(high > low, high - low, 1.0)
    low = np.where(np.isfinite(low), low, 0.0)
    shift = _GRID_BITS - np.frexp(extent)[1]
    return np.rint(np.ldexp(values, shift)) - np.rint(np.ldexp(low, shift))


def _merge(
    along: Floats,
    height: Floats,
    weight: Counts,
    birth: Floats,
    death: Floats,
) -> tuple[Floats, Floats, Counts, Floats, Floats]:
    """Order atoms, add up the weights of those at one place, drop the weight 0."""
    order = np.lexsort((along, -height, weight == 0), axis=-1)
    along = np.take_along_axis(along, order, axis=1)
    height = np.take_along_axis(height, order, axis=1)
    weight = np.take_along_axis(weight, order, axis=1)
    starts = np.ones(along.shape, dtype=bool)
    starts[:, 1:] = (along[:, 1:] != along[:, :-1]) | (height[:, 1:] != height[:, :-1])
    merged = _sum_at_starts(weight, starts)
    keep = np.argsort(merged == 0, axis=1, kind="stable")
    keep = keep[:, : int((merged != 0).sum(axis=1).max(initial=0))]
    order = np.take_along_axis(order, keep, axis=1)
    return (
        np.take_along_axis(along, keep, axis=1),
        np.take_along_axis(height, keep, axis=1),
        np.take_along_axis(merged, keep, axis=1),
        np.take_along_axis(birth, order, axis=1),
        np.take_along_axis(death, order, axis=1),
    )
