r"""Exact sliced Wasserstein distance, from the lines that balance two diagrams.

Derivation
----------
Put all atoms of the two transport problems in one signed set: weight +1 for the
points of A and of :math:`\pi_\Delta(B)`, -1 for those of B and of
:math:`\pi_\Delta(A)`. The weights sum to 0. With :math:`F_\theta(t)` the weight of the
atoms whose projection is at most t, a slice costs :math:`W(\theta) = \int |F_\theta|
\,dt = \sum_k |F_k| (x_{k+1} - x_k)`, where :math:`x_1 \le x_2 \le \dots` are the sorted
projections :math:`\langle p_k, u(\theta)\rangle`.

*Between events.* While the order of the projections stays the same, W is a linear
combination of cosine and sine, so :math:`W'' + W = 0`. The order changes only where
:math:`u(\theta)` is orthogonal to a line through two or more atoms. There W is
continuous and :math:`W'` jumps, so :math:`W'' + W = \sum_e J_e \delta_{\theta_e}`. As W
has period :math:`\pi`, the integral of :math:`W''` over a period vanishes and

.. math:: \pi\,SW = \int_{-\pi/2}^{\pi/2} W\,d\theta = \sum_e J_e .

*The jump at one line.* Let m atoms lie on the line, ordered along it, with weights
:math:`w_1..w_m`, partial sums :math:`S_k`, and distances :math:`g_k` from atom k to
atom k + 1; let c be the weight strictly on the side that projects below. At the event
all m projections coincide; just before it they appear in one order, just after in the
other, and the gap between neighbours opens at the speed :math:`g_k` on both sides.
The mass below a gap is :math:`c + S_k` in one order and :math:`c + S_m - S_k` in the
other, so these gaps add :math:`\sum_k (|c+S_k| + |c+S_m-S_k|)\, g_k` to the jump of
:math:`W'`. The two gaps that separate the line's atoms from their outer neighbours
have the masses c and :math:`c + S_m`; they shrink by what the inner gaps take, which
subtracts :math:`(|c| + |c+S_m|)\sum_k g_k`. Together

.. math:: J = \sum_k \bigl(|c+S_k| + |c+S_m-S_k| - |c| - |c+S_m|\bigr)\, g_k .

Lines that are parallel share an event; their jumps add up. On a line with two atoms of
weight :math:`\pm 1`, as all lines but the diagonal are in general position, the bracket
is +2 for opposite weights with c = 0, -2 for two equal weights s with c = -s, and 0
otherwise: :math:`SW` is :math:`2/\pi` times the length of the balanced segments between
opposite atoms less that of those between equal atoms. The bracket is always even.

Algorithm
---------
Every gap is charged to the atom behind it, where *forward* means that persistence
falls (or stays, and birth + death grows). An atom on the diagonal is then never behind
anything but on the diagonal itself, so only the n points off the diagonal are
centres, and the diagonal is one more sum. Around a centre, all atoms are folded onto a
half circle and sorted by angle; atoms on one line through the centre become
neighbours, and a cumulative sum of weights (negative for atoms behind) gives c for
every line. That is O(n^2 log n), in blocks of centres (of one pair or of many).

Which atoms share a line, and in which order lines turn, must be decided alike from
every centre, or whole segments are lost or counted twice. So this is decided exactly,
for atoms moved onto a grid of :math:`2^{49}` to :math:`2^{50}` steps over the extent of
the two diagrams (less what they share), in the coordinates birth + death and death -
birth, each scaled by itself (lines and sides do not depend on it). Differences are
exact in float64; a pseudo-angle is one correctly rounded quotient, so monotone: equal
directions have equal quotients, and different quotients are in the right order. The
packed sort keys are truncated quotients; where they agree, an exact integer cross
product tells whether the directions do. Lengths are taken from the coordinates as
given. SW is Lipschitz in the position of each atom, so the move onto the grid, and the
rounding of birth + death and death - birth before it, cost a few units in the last
place of the largest coordinate for each balanced segment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cmp_to_key

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swviz.atoms import Atoms, Bools, Counts, Ints, signed_atoms
from swviz.batches import pad
from swviz.diagrams import Diagram, as_diagram
from swviz.typing import Floats

_BLOCK = 1 << 16
"""Atoms around centres handled at once: a few arrays of this size fit into a cache."""

_LAST = np.int64(1) << 62
"""Sort key of what is no neighbour: the centre itself, and padding."""


def sliced_wasserstein_exact(A: ArrayLike, B: ArrayLike) -> float:
    r"""Exact sliced Wasserstein distance.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)

    Returns
    -------
    float
        :math:`SW(A, B) = \frac{1}{\pi}\int_{-\pi/2}^{\pi/2} W(\theta)\,d\theta`
        (Definition 3.1), with no sampling of directions and no perturbation.

    See Also
    --------
    balanced_segments : the segments whose lengths add up to this.
    sliced_wasserstein : the paper's Algorithm 1, much faster for large diagrams.

    Notes
    -----
    Costs O(N^2 log N) time with N = n + m, and O(N) memory beside blocks of fixed
    size. The module's documentation derives the formula. The absolute error is about
    N roundings of the largest coordinate: diagrams far from the origin, or from each
    other, have fewer correct digits relative to a small distance.

    Examples
    --------
    >>> round(sliced_wasserstein_exact([(0, 1)], [(0, 2)]), 10)
    0.7940483902
    """
    return float(exact_distances([as_diagram(A)], [as_diagram(B)])[0])


def balanced_segments(A: ArrayLike, B: ArrayLike) -> tuple[Floats, Floats]:
    r"""Find the segments whose weighted lengths add up to the exact distance.

    Parameters
    ----------
    A, B : array-likes of shape (n, 2) and (m, 2)

    Returns
    -------
    segments : ndarray of shape (k, 2, 2)
        Two end points (birth, death) each; an end is a point of a diagram or a
        diagonal projection.
    weights : ndarray of shape (k,)
        Even integers, not zero.

    Notes
    -----
    ``sum(weights * lengths) / pi`` is :func:`sliced_wasserstein_exact`.

    Examples
    --------
    >>> segments, weights = balanced_segments([(0, 1)], [])
    >>> segments
    array([[[0. , 1. ],
            [0.5, 0.5]]])
    >>> weights
    array([2.])
    """
    atoms = signed_atoms(pad([as_diagram(A)]), pad([as_diagram(B)]))
    found = list(_balanced_gaps(atoms))
    ends = np.stack(
        [
            np.concatenate([gaps.behind for gaps in found]),
            np.concatenate([gaps.ahead for gaps in found]),
        ],
        axis=1,
    )
    segments = np.stack([atoms.birth[0, ends], atoms.death[0, ends]], axis=-1)
    weights = np.concatenate([gaps.weight for gaps in found])
    return np.ldexp(segments, atoms.exponent[0]), weights.astype(np.float64)


def exact_distances(X: list[Diagram], Y: list[Diagram]) -> Floats:
    """Exact distances between the k-th of `X` and the k-th of `Y`, in one batch.

    Parameters
    ----------
    X, Y : lists of ndarrays of shape (n_i, 2)
        Validated diagrams of equal number, best of similar sizes: each list is padded
        to its largest.

    Returns
    -------
    ndarray of shape (len(X),)
    """
    atoms = signed_atoms(pad(X), pad(Y))
    total = np.zeros(len(X))
    birth, death = atoms.birth.ravel(), atoms.death.ravel()
    for gaps in _balanced_gaps(atoms):
        if not len(gaps.pair):
            continue
        start = gaps.pair * atoms.birth.shape[1]
        behind, ahead = start + gaps.behind, start + gaps.ahead
        lengths = np.sqrt(
            (birth[ahead] - birth[behind]) ** 2 + (death[ahead] - death[behind]) ** 2
        )
        low, high = gaps.pair.min(), gaps.pair.max() + 1
        total[low:high] += np.bincount(gaps.pair - low, weights=gaps.weight * lengths)
    # Rounding may leave a tiny negative sum where all but equal diagrams cancel.
    return np.ldexp(np.maximum(total, 0) / np.pi, atoms.exponent)


@dataclass(frozen=True)
class _Gaps:
    """Gaps between neighbours on lines, with the non-zero bracket of the formula."""

    pair: NDArray[np.intp]
    behind: NDArray[np.intp]
    ahead: NDArray[np.intp]
    weight: Ints


def _balanced_gaps(atoms: Atoms) -> Iterator[_Gaps]:
    """Find the gaps of all lines whose bracket is not zero, block by block."""
    yield _diagonal_gaps(atoms)
    pair, centre = np.nonzero(atoms.weight[:, : atoms.n_off])
    rows = max(1, _BLOCK // max(1, atoms.along.shape[1]))
    for start in range(0, len(pair), rows):
        block = slice(start, start + rows)
        yield _gaps_around(atoms, pair[block], centre[block])


def _diagonal_gaps(atoms: Atoms) -> _Gaps:
    """Gaps of the diagonal itself: nothing lies below it, so c = 0."""
    weight = atoms.weight[:, atoms.n_off :].astype(np.int64)
    partial = np.cumsum(weight, axis=1)
    brackets = _bracket(np.int64(0), partial, partial[:, -1:])
    pair, behind = np.nonzero((brackets[:, :-1] != 0) & (weight[:, 1:] != 0))
    columns = behind + atoms.n_off
    return _Gaps(pair, columns, columns + 1, brackets[pair, behind])


def _bracket(c: Ints | np.int64, partial: Ints, total: Ints) -> Ints:
    """Weight of a gap: |c + S_k| + |c + S_m - S_k| - |c| - |c + S_m|."""
    return (
        np.abs(c + partial)
        + np.abs(c + total - partial)
        - np.abs(c)
        - np.abs(c + total)
    )


def _gaps_around(
    atoms: Atoms, pair: NDArray[np.intp], centre: NDArray[np.intp]
) -> _Gaps:
    """Gaps charged to some centres: from each to the next atom on each of its lines."""
    count = atoms.along.shape[1]
    index_bits = int(count - 1).bit_length()
    keys = _angle_keys(atoms, pair, centre, index_bits)
    keys.sort(axis=1)
    same = (keys[:, 1:] ^ keys[:, :-1]) < (1 << index_bits)
    same &= keys[:, 1:] < _LAST
    column = keys & ((1 << index_bits) - 1)
    has_runs = bool(same.any())
    if has_runs:
        _separate_directions(atoms, pair, centre, column, same)

    weight = atoms.weight.ravel().take(column + pair[:, None] * count)
    # The sort has put centre and padding last, where their weights do not matter.
    ahead = column > centre[:, None]
    signed = np.where(ahead, weight, -weight)
    below = np.cumsum(signed, axis=1, dtype=np.int32)
    own = atoms.weight[pair, centre]
    total_ahead = atoms.weight_ahead[pair, centre][:, None]

    # A line with one other atom, ahead: c is what is left of all that is ahead once
    # the smaller angles and the atom itself are taken away. Far from balance the
    # bracket vanishes.
    side = total_ahead - below
    reach = 2 * np.abs(atoms.weight).max(initial=1)
    candidate = ahead & (np.abs(side) < reach) & (keys < _LAST)
    if has_runs:
        candidate[:, 1:] &= ~same
        candidate[:, :-1] &= ~same
    row, position = np.nonzero(candidate)
    c = side[row, position].astype(np.int64)
    own_weight = own[row].astype(np.int64)
    brackets = _bracket(c, own_weight, own_weight + weight[row, position])
    if has_runs:
        run = _run_brackets(same, signed, below, ahead, total_ahead[:, 0], own)
        row = np.concatenate([row, run[0]])
        position = np.concatenate([position, run[1]])
        brackets = np.concatenate([brackets, run[2]])
    kept = brackets != 0
    row, position = row[kept], position[kept]
    return _Gaps(pair[row], centre[row], column[row, position], brackets[kept])


def _angle_keys(
    atoms: Atoms, pair: NDArray[np.intp], centre: NDArray[np.intp], index_bits: int
) -> Ints:
    """Sort keys: a monotone pseudo-angle in the high bits, the column in the low ones.

    The pseudo-angle of a folded direction (x, y), y <= 0, is x / (|x| + |y|), which
    rises from -1 to 1 as the direction turns counter-clockwise. Adding 3 brings it into
    (2, 4], where the bits of a float64 are a fixed-point number.
    """
    columns = np.arange(atoms.along.shape[1])
    rows = np.arange(len(pair))
    x = atoms.along[pair]
    x -= x[rows, centre][:, None]
    y = atoms.height[pair]
    y -= y[rows, centre][:, None]
    np.abs(y, out=y)
    y += np.abs(x)
    # The centre itself has no direction; any will do until its key is overwritten.
    y[y == 0] = 1
    np.negative(x, out=x, where=columns < centre[:, None])
    x /= y
    x += 3.0
    keys = x.view(np.int64)
    keys -= np.float64(2.0).view(np.int64)
    # 53 bits of angle and the index have to stay below bit 62.
    keys >>= max(0, 53 + index_bits - 62)
    keys <<= index_bits
    keys |= columns
    keys[rows, centre] |= _LAST
    if atoms.is_padded:
        keys[atoms.weight[pair] == 0] |= _LAST
    return keys


def _folded_directions(
    atoms: Atoms,
    pair: NDArray[np.intp],
    centre: NDArray[np.intp],
    column: Ints,
) -> tuple[Ints, Ints]:
    """Directions from centres to columns as exact integers, folded to face forward."""
    x = (atoms.along[pair, column] - atoms.along[pair, centre]).astype(np.int64)
    y = (atoms.height[pair, column] - atoms.height[pair, centre]).astype(np.int64)
    sign = np.where(column > centre, 1, -1)
    return x * sign, y * sign


def _neighbour_turns(
    atoms: Atoms,
    pair: NDArray[np.intp],
    centre: NDArray[np.intp],
    column: Ints,
    row: NDArray[np.intp],
    left: NDArray[np.intp],
) -> Ints:
    """Cross products of the directions at some places of a block and at the next."""
    x, y = _folded_directions(
        atoms, pair[row][:, None], centre[row][:, None],
        column[row[:, None], left[:, None] + np.array([0, 1])],
    )  # fmt: skip
    return x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]


def _separate_directions(
    atoms: Atoms,
    pair: NDArray[np.intp],
    centre: NDArray[np.intp],
    column: Ints,
    same: Bools,
) -> None:
    """Where sort keys agree, find out exactly which directions do.

    Updates `column` (reordered within runs of equal keys, if need be) and `same` (True
    only between equal directions). Products of grid coordinates may exceed 64 bits, but
    cross products of directions with equal keys do not, and integer arithmetic that
    wraps around gives them exactly.
    """
    lines = atoms.on_one_line[pair]
    if lines.any():
        # Most neighbours of H0 are known to be on its line: look at the others first.
        unknown = same & ~(lines[:, None] & (column[:, 1:] < atoms.n_off))
        row, left = np.nonzero(unknown)
        if not _neighbour_turns(atoms, pair, centre, column, row, left).any():
            return
    row, left = np.nonzero(same)
    cross = _neighbour_turns(atoms, pair, centre, column, row, left)
    if not cross.any():
        return
    # Runs with different directions: all their elements, numbered run by run.
    first = np.ones(len(row), dtype=bool)
    first[1:] = (row[1:] != row[:-1]) | (left[1:] != left[:-1] + 1)
    run_of = np.cumsum(first) - 1
    mixed = np.zeros(run_of[-1] + 1, dtype=bool)
    mixed[run_of[cross != 0]] = True
    lengths = np.bincount(run_of)[mixed] + 1
    starts = np.flatnonzero(first)[mixed]
    run = np.repeat(np.arange(len(lengths)), lengths)
    offset = np.arange(len(run)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    rows = np.repeat(row[starts], lengths)
    positions = np.repeat(left[starts], lengths) + offset
    chosen = column[rows, positions]
    x, y = _folded_directions(atoms, pair[rows], centre[rows], chosen)
    head = np.repeat(np.cumsum(lengths) - lengths, lengths)
    turn = x[head] * y - x * y[head]
    order = np.lexsort((chosen, turn / (np.abs(x) - y), run))
    x, y, chosen = x[order], y[order], chosen[order]
    cross = x[:-1] * y[1:] - x[1:] * y[:-1]
    inside = run[1:] == run[:-1]
    if (wrong := inside & (cross < 0)).any():
        # The second quotient was rounded as well: compare these few exactly.
        for number in np.unique(run[1:][wrong]):
            members = np.flatnonzero(run == number)
            place = members[_sort_exactly(x[members], y[members], chosen[members])]
            x[members], y[members], chosen[members] = x[place], y[place], chosen[place]
        cross = x[:-1] * y[1:] - x[1:] * y[:-1]
    column[rows, positions] = chosen
    same[rows[:-1][inside], positions[:-1][inside]] = cross[inside] == 0


def _sort_exactly(x: Ints, y: Ints, column: Ints) -> NDArray[np.intp]:
    """Order of a few directions of equal key by angle, then by column."""

    def compare(i: int, j: int) -> int:
        cross = int(x[i]) * int(y[j]) - int(x[j]) * int(y[i])
        return -cross if cross else int(column[i]) - int(column[j])

    return np.array(sorted(range(len(x)), key=cmp_to_key(compare)), dtype=np.intp)


def _run_brackets(
    same: Bools,
    signed: Counts,
    below: Counts,
    ahead: Bools,
    total_ahead: Counts,
    own: Counts,
) -> tuple[NDArray[np.intp], NDArray[np.intp], Ints]:
    """Brackets of lines with two or more atoms beside the centre.

    Such a line is a run of neighbours in a sorted row, ordered along the line. Its gap
    goes from the centre to the first atom ahead.
    """
    after = np.zeros(signed.shape, dtype=bool)
    after[:, 1:] = same
    before = np.zeros(signed.shape, dtype=bool)
    before[:, :-1] = same
    # Along a line atoms behind the centre come first: its gap ends where they do.
    enters = (before | after) & ahead
    enters[:, 1:] &= ~(same & ahead[:, :-1])
    row, first = np.nonzero(enters)
    starts = np.flatnonzero(before & ~after)
    ends = np.flatnonzero(after & ~before)
    width = signed.shape[1]
    run = np.searchsorted(starts, row * width + first, side="right") - 1
    start, end = starts[run] % width, ends[run] % width
    before_run = below[row, start] - signed[row, start]
    before_gap = below[row, first] - signed[row, first]
    weight_ahead = below[row, end] - before_gap
    c = (total_ahead[row] - weight_ahead - before_run).astype(np.int64)
    # Those behind are in the sums with the opposite sign.
    partial = (own[row] - (before_gap - before_run)).astype(np.int64)
    return row, first, _bracket(c, partial, partial + weight_ahead)
