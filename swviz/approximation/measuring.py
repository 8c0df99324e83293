"""Measure the ratios of a set on its pairs, or on a sample of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from swviz.approximation.curves import AnglePlan
from swviz.approximation.ratios import RatioStudy
from swviz.approximation.sampling import sample_pairs
from swviz.batches import pad
from swviz.checks import check_count
from swviz.diagrams import Diagram, DiagramSet, as_diagrams
from swviz.errors import ParameterError
from swviz.exact import exact_distances
from swviz.seeds import RandomState, fixed_seed
from swviz.slices import absolute_difference, project
from swviz.typing import Floats, Progress, Rule

SET_COUNTS = (*range(1, 13), 14, 16, 18, 20, 24, 32, 40, 50, 64, 100)
"""Numbers of directions that box plots are drawn for."""

MOST_PAIRS = 5_000

_BLOCK = 1 << 16
"""Numbers sorted in one call, as in :mod:`swviz.slices`."""

_BATCH = 24
"""Pairs that arrive together, if they are small."""

_BATCH_ATOMS = 1 << 13
"""Points of all pairs that arrive together, if they are large."""

_EQUAL = 1e-12
"""Exact distances below this part of the total persistence are rounding errors."""


def ratio_studies(
    X: DiagramSet | Sequence[ArrayLike],
    counts: Sequence[int] = SET_COUNTS,
    *,
    n_pairs: int = 300,
    n_draws: int = 5,
    random_state: RandomState = 0,
) -> Iterator[RatioStudy]:
    r"""Measure :math:`SW_M / SW` on more and more pairs of a set.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
    counts : sequence of int
        The numbers of directions M, ascending.
    n_pairs : int, default=300
        How many pairs to sample, at most 5000; all pairs if there are not more.
    n_draws : int, default=5
        How often random directions are drawn, the same for all pairs.
    random_state : int, RandomState instance, Generator or None, default=0
        Seed of the sample, and of the first draw.

    Yields
    ------
    RatioStudy
        Of all pairs so far; the last one is of all that were asked for.

    See Also
    --------
    ratio_study : the last one.

    Notes
    -----
    A pair costs O(N^2 log N) for the exact distance and one sort for each of
    ``2 * sum(counts) + n_draws * max(counts)`` angles.
    """
    diagrams = as_diagrams(X)
    if len(diagrams) < 2:
        raise ParameterError("ratios need pairs: a set of two diagrams at least")
    check_count(n_pairs, "n_pairs", MOST_PAIRS)
    seed = fixed_seed(random_state)
    plan = AnglePlan(counts, n_draws, seed)
    pairs = sample_pairs(len(diagrams), n_pairs, seed)
    sizes = np.array([len(diagram) for diagram in diagrams])
    widest = int(sizes[pairs].sum(axis=1).max(initial=1))
    step = max(1, min(_BATCH, _BATCH_ATOMS // max(1, widest)))
    exact: list[Floats] = []
    costs: list[dict[Rule, Floats]] = []
    exact_seconds = slice_seconds = 0.0
    for start in range(0, len(pairs), step):
        batch = pairs[start : start + step]
        first = [diagrams[i] for i in batch[:, 0]]
        second = [diagrams[j] for j in batch[:, 1]]
        begin = time.perf_counter()
        exact.append(_without_rounding(exact_distances(first, second), first, second))
        middle = time.perf_counter()
        costs.append(plan.averages(paired_slice_costs(first, second, plan.angles)))
        exact_seconds += middle - begin
        slice_seconds += time.perf_counter() - middle
        done = start + len(batch)
        yield RatioStudy(
            n_diagrams=len(diagrams),
            pairs=pairs[:done],
            exact=np.concatenate(exact),
            counts=plan.counts,
            values={
                rule: np.concatenate([part[rule] for part in costs])
                for rule in plan.rules
            },
            exact_seconds=exact_seconds / done,
            slice_seconds=slice_seconds / (done * len(plan.angles)),
        )


def ratio_study(
    X: DiagramSet | Sequence[ArrayLike],
    counts: Sequence[int] = SET_COUNTS,
    *,
    n_pairs: int = 300,
    n_draws: int = 5,
    random_state: RandomState = 0,
    progress: Progress | None = None,
) -> RatioStudy:
    r"""Measure :math:`SW_M / SW` on sampled pairs of a set.

    Parameters
    ----------
    X : sequence of array-likes of shape (n_i, 2)
    counts : sequence of int
        The numbers of directions M, ascending.
    n_pairs, n_draws, random_state
        As in :func:`ratio_studies`.
    progress : callable, optional
        Called in this thread as ``progress(done, total)`` pairs go by. An exception it
        raises stops the work.

    Returns
    -------
    RatioStudy

    Examples
    --------
    >>> study = ratio_study([[(0, 1)], [(0, 2)], [(1, 2)]], counts=(4, 6, 8, 10))
    >>> study.answer("paper", tolerance=0.02)
    Answer(n_directions=6, worst=0.016834256608111886, exceptions=(8, 10))
    """
    study: RatioStudy | None = None
    total = min(n_pairs, len(X) * (len(X) - 1) // 2)
    for study in ratio_studies(
        X, counts, n_pairs=n_pairs, n_draws=n_draws, random_state=random_state
    ):
        if progress is not None:
            progress(len(study.pairs), total)
    assert study is not None  # two diagrams have a pair
    return study


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


def _without_rounding(exact: Floats, X: list[Diagram], Y: list[Diagram]) -> Floats:
    """Set what is only a rounding error to 0: such a pair has no meaningful ratio."""
    total = (pad(X).sum(axis=1) + pad(Y).sum(axis=1)) @ (-1.0, 1.0)
    return np.where(exact > _EQUAL * total, exact, 0.0)
