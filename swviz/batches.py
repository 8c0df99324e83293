r"""Many diagrams at once: padding, :math:`SW_M` of all pairs, slices of some pairs.

A point on the diagonal changes no distance, so ragged lists are padded with (0, 0).
"""

from __future__ import annotations

import math

import numpy as np

from swviz.diagrams import Diagram
from swviz.slices import absolute_difference, project
from swviz.typing import Floats

_BLOCK = 1 << 16
"""Numbers sorted in one call: large enough to hide Python, small enough for a cache."""


def slice_distances(
    X: list[Diagram], Y: list[Diagram], thetas: Floats, symmetric: bool = False
) -> Floats:
    r""":math:`SW_M` between two lists of diagrams, in one batch.

    Parameters
    ----------
    X, Y : lists of ndarrays of shape (n_i, 2)
        Validated diagrams, best of similar sizes: each list is padded to its largest.
    thetas : ndarray of shape (M,)
    symmetric : bool, default=False
        Whether `Y` is `X` and only what is above the diagonal of the result matters.

    Returns
    -------
    ndarray of shape (len(X), len(Y))

    Notes
    -----
    Sorting is nearly all of the cost. Each diagram's projections are sorted once; pairs
    then sort two runs, along a contiguous axis, in blocks that fit into a cache. Extra
    memory is 16 M n bytes a diagram.
    """
    points_x, diagonal_x = _sorted_projections(X, thetas)
    points_y, diagonal_y = (
        (points_x, diagonal_x) if symmetric else _sorted_projections(Y, thetas)
    )
    n, m = points_x.shape[-1], points_y.shape[-1]
    pair_size = len(thetas) * (n + m)
    pairs = max(1, _BLOCK // max(1, pair_size))
    wide = max(1, min(len(Y), pairs))
    tall = max(1, pairs // wide)
    memory = np.empty(2 * tall * wide * pair_size)
    result = np.zeros((len(X), len(Y)))
    for i in range(0, len(X), tall):
        rows = slice(i, i + tall)
        for j in range(i if symmetric else 0, len(Y), wide):
            columns = slice(j, j + wide)
            shape = (2, len(X[rows]), len(Y[columns]), len(thetas), n + m)
            both = memory[: math.prod(shape)].reshape(shape)
            both[0, ..., :n] = points_x[rows, None]
            both[0, ..., n:] = diagonal_y[None, columns]
            both[1, ..., :m] = points_y[None, columns]
            both[1, ..., m:] = diagonal_x[rows, None]
            both.sort(axis=-1)
            costs = absolute_difference(both[0], both[1])
            result[rows, columns] = costs.mean(axis=-1)
    return result


def paired_slice_costs(X: list[Diagram], Y: list[Diagram], thetas: Floats) -> Floats:
    r"""Cost of slices, :math:`W(\theta)`, of the k-th of `X` and the k-th of `Y`.

    Parameters
    ----------
    X, Y : lists of ndarrays of shape (n_i, 2)
        Validated diagrams of equal number, best of similar sizes: each list is padded
        to its largest.
    thetas : ndarray of shape (k,)

    Returns
    -------
    ndarray of shape (len(X), k)
    """
    first, second = pad(X), pad(Y)
    width = max(1, first.shape[1] + second.shape[1])
    lines = max(1, min(len(thetas), _BLOCK // width))
    pairs = max(1, _BLOCK // (width * lines))
    costs = np.empty((len(X), len(thetas)))
    for i in range(0, len(X), pairs):
        for k in range(0, len(thetas), lines):
            block = thetas[k : k + lines]
            points_a, diagonal_a = project(first[i : i + pairs], block)
            points_b, diagonal_b = project(second[i : i + pairs], block)
            source = np.concatenate([points_a, diagonal_b], axis=-1)
            target = np.concatenate([points_b, diagonal_a], axis=-1)
            source.sort(axis=-1)
            target.sort(axis=-1)
            costs[i : i + pairs, k : k + lines] = absolute_difference(source, target)
    return costs


def _sorted_projections(
    diagrams: list[Diagram], thetas: Floats
) -> tuple[Floats, Floats]:
    """Projections of points and of their diagonal projections, in ascending order."""
    points, on_diagonal = project(pad(diagrams), thetas)
    points.sort(axis=-1)
    on_diagonal.sort(axis=-1)
    return points, on_diagonal


def pad(diagrams: list[Diagram]) -> Floats:
    """Stack diagrams, filled up with (0, 0), which is on the diagonal.

    Parameters
    ----------
    diagrams : list of ndarrays of shape (n_i, 2)

    Returns
    -------
    ndarray of shape (len(diagrams), max n_i, 2)
    """
    sizes = np.array([len(diagram) for diagram in diagrams], dtype=np.intp)
    padded = np.zeros((len(diagrams), sizes.max(initial=0), 2))
    if len(diagrams):
        padded[np.arange(padded.shape[1]) < sizes[:, None]] = np.concatenate(diagrams)
    return padded
