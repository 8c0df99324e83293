"""From rows of numbers, however they were stored, to a `DiagramSet`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from swviz.diagrams import DiagramSet, is_finite_number
from swviz.errors import DiagramError, ParameterError, shown
from swviz.files.upload import Upload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Place = Callable[[int], str]
"""Where in the file a row stands: "line 7" or "row 3 of H1"."""

_LARGEST_VALUE = 1e300
_LARGEST_GUESSED_DIMENSION = 20
"""Whole numbers above this are not taken for dimensions unless the file says so."""
LARGEST_DIMENSION = 1000


@dataclass
class Rows:
    """What every reader makes of a file: points, and what is known about each."""

    points: Floats
    place: Place
    format: str
    dimension: Ints | None = None
    """Of each point; None where the file does not say."""
    sample: Ints | None = None
    """Index of each point's sample; None if all belong to one."""
    n_samples: int = 1
    names: Sequence[str] = ()
    labels: NDArray[Any] | None = None
    dimensions: set[int] = field(default_factory=set)
    """Dimensions that the file mentions, also those without a point."""
    notes: dict[str, Any] = field(default_factory=dict)
    """Further facts for the provenance."""
    saved_provenance: dict[str, Any] | None = None
    """Of a file that `swviz.save` wrote: replaces the one made here."""


@dataclass(frozen=True)
class Block:
    """Some rows of one sample, as arrays and JSON hold them."""

    table: Floats
    """Of shape (n, 2), or (n, 3) with a dimension column."""
    sample: int
    where: str
    dimension: int | Ints | None = None


def rows_from_blocks(upload: Upload, blocks: Sequence[Block], **known: Any) -> Rows:
    """Join blocks into rows; a dimension column is last where both ends would fit.

    Parameters
    ----------
    upload : Upload
    blocks : sequence of Block
    **known
        Further attributes of the rows.

    Returns
    -------
    Rows
    """
    sizes = np.array([len(block.table) for block in blocks], dtype=np.int64)
    upload.check("max_points", int(sizes.sum()), "points")
    starts = np.cumsum(sizes) - sizes

    def place(row: int) -> str:
        index = int(np.searchsorted(starts, row, side="right")) - 1
        return f"row {row - starts[index]} of {blocks[index].where}"

    filled = [block for block in blocks if len(block.table)]
    widths = {block.table.shape[1] for block in filled}
    if len(widths) > 1:
        raise upload.error(
            "some diagrams have two columns and some three; give all of them a "
            "dimension column, or none"
        )
    table = np.concatenate([block.table for block in filled] or [np.empty((0, 2))])
    rows = Rows(table[:, :2], place, **known)
    rows.sample = np.repeat(np.array([b.sample for b in blocks], np.int64), sizes)
    if table.shape[1] == 3:
        rows.points, rows.dimension = split_dimension(upload, table, place, "last")
    elif any(block.dimension is not None for block in blocks):
        if any(block.dimension is None for block in blocks):
            raise upload.error(
                "some diagrams have a homology dimension and some do not; give all of "
                "them one, or none"
            )
        rows.dimension = np.concatenate(
            [np.full(n, b.dimension) for b, n in zip(blocks, sizes, strict=True)]
        ).astype(np.int64)
        rows.dimensions = {b.dimension for b in blocks if isinstance(b.dimension, int)}
    return rows


def split_dimension(
    upload: Upload,
    table: Floats,
    place: Place,
    preferred: Literal["last"] | None = None,
) -> tuple[Floats, Ints]:
    """Find out which end of three columns is the dimension.

    A column can be the dimension if it holds whole numbers from 0 to 20 only, and an
    order fits if no point then dies before it is born. An order that puts every
    point on the diagonal gives way to one that does not.

    Parameters
    ----------
    upload : Upload
    table : ndarray of shape (n, 3)
    place : callable
    preferred : {"last"} or None
        What to take when both ends fit; None refuses to guess.

    Returns
    -------
    points : ndarray of shape (n, 2)
    dimension : ndarray of shape (n,)
    """
    readings = {"first": (0, [1, 2]), "last": (2, [0, 1])}
    possible = [
        end
        for end, (column, _) in readings.items()
        if _are_dimensions(table[:, column])
    ]
    if len(possible) > 1:
        fitting = [end for end in possible if _are_points(table[:, readings[end][1]])]
        off_diagonal = [
            end for end in fitting if _leave_diagonal(table[:, readings[end][1]])
        ]
        possible = off_diagonal or fitting
    if len(possible) > 1 and preferred is not None:
        possible = [preferred]
    if len(possible) != 1:
        problem = (
            "of the three columns both the first and the last could be the dimension"
            if possible
            else "neither the first nor the last of the three columns can be the "
            f"dimension (whole numbers from 0 to {_LARGEST_GUESSED_DIMENSION}) with "
            "birth <= death in the other two"
        )
        raise upload.error(
            f"{problem}; say it with a first line such as dimension,birth,death",
            place(0),
        )
    column, others = readings[possible[0]]
    return table[:, others], table[:, column].astype(np.int64)


def _are_dimensions(column: Floats) -> bool:
    in_range = (column >= 0) & (column <= _LARGEST_GUESSED_DIMENSION)
    return bool(np.all(in_range & (column == np.round(column))))


def _are_points(pairs: Floats) -> bool:
    return bool(np.all(pairs[:, 0] <= pairs[:, 1]))


def _leave_diagonal(pairs: Floats) -> bool:
    return bool(np.any(pairs[:, 0] < pairs[:, 1]))


def as_dimensions(upload: Upload, column: Floats, place: Place) -> Ints:
    """Check a column that is said to hold homology dimensions.

    Parameters
    ----------
    upload : Upload
    column : ndarray of shape (n,)
    place : callable

    Returns
    -------
    ndarray of shape (n,), int64
    """
    good = (column >= 0) & (column <= LARGEST_DIMENSION)
    good &= column == np.round(column)
    if not good.all():
        row = int(np.argmin(good))
        raise upload.error(
            f"{column[row]:g} is not a homology dimension; it must be a whole number "
            f"from 0 to {LARGEST_DIMENSION}",
            place(row),
        )
    return column.astype(np.int64)


def assemble(
    upload: Upload, rows: Rows, essential: str | float, dimension: int
) -> DiagramSet:
    """Check the points, settle those that never die, and group them into diagrams.

    Parameters
    ----------
    upload : Upload
    rows : Rows
    essential : {"error", "drop"} or float
    dimension : int
        Where the file does not say one.

    Returns
    -------
    DiagramSet
    """
    upload.check("max_points", len(rows.points), "points")
    points = np.array(rows.points, dtype=np.float64)
    n_never_dying = _settle_essential(upload, points, rows.place, essential)
    _check_points(upload, points, rows.place)
    facts = {"file": upload.name, "format": rows.format, "essential": essential}
    if rows.dimension is None:
        facts["assumed_dimension"] = dimension
        rows.dimension = np.full(len(points), dimension, dtype=np.int64)
        rows.dimensions = {dimension}
    provenance = dict(rows.saved_provenance or facts)
    provenance |= rows.notes
    if rows.saved_provenance is None or n_never_dying:
        provenance["n_essential"] = n_never_dying
    kept = np.isfinite(points[:, 1])
    sample = np.zeros(len(points), np.int64) if rows.sample is None else rows.sample
    groups = _group(upload, rows, points[kept], sample[kept], rows.dimension[kept])
    names = rows.names
    if not names and rows.n_samples == 1:
        names = [upload.stem]
    try:
        return DiagramSet(
            groups, labels=rows.labels, names=names, provenance=provenance
        )
    except DiagramError as error:
        raise upload.error(str(error)) from None


def _settle_essential(
    upload: Upload, points: Floats, place: Place, essential: str | float
) -> int:
    """Count the points that never die; under a cap, let them die there."""
    never_dies = points[:, 1] == np.inf
    count = int(np.count_nonzero(never_dies))
    if not count or essential == "drop":
        return count
    row = int(np.argmax(never_dies))
    if essential == "error":
        raise upload.error(
            f'{count} points never die (death = inf); pass essential="drop" to leave '
            "them out, or a finite value at which they die",
            place(row),
        )
    cap = float(essential)
    late = never_dies & (points[:, 0] > cap)
    if late.any():
        row = int(np.argmax(late))
        raise upload.error(
            f"the point born at {points[row, 0]:g} never dies and is born after the "
            f"cap {cap:g}; use a larger cap",
            place(row),
        )
    points[never_dies, 1] = cap
    return count


def _check_points(upload: Upload, points: Floats, place: Place) -> None:
    birth, death = points.T
    too_large = np.abs(points) > _LARGEST_VALUE
    # Deaths that are still infinite belong to points about to be dropped.
    too_large[:, 1] &= death != np.inf
    problems = (
        (np.isnan(points).any(axis=1), "is not a number", "remove such rows"),
        (np.isinf(birth), "has an infinite birth", "births must be finite"),
        (
            death < birth,
            "dies before it is born",
            "rows are (birth, death); for superlevel sets negate both and swap them",
        ),
        (too_large.any(axis=1), f"is beyond {_LARGEST_VALUE:g}", "rescale the data"),
    )
    for bad, what, cure in problems:
        count = int(np.count_nonzero(bad))
        if count:
            row = int(np.argmax(bad))
            others = f" and {count - 1} more" if count > 1 else ""
            raise upload.error(
                f"the point ({birth[row]:g}, {death[row]:g}){others} {what}; {cure}",
                place(row),
            )


def _group(
    upload: Upload, rows: Rows, points: Floats, sample: Ints, dimension: Ints
) -> dict[int, list[Floats]]:
    assert rows.dimension is not None
    dimensions = sorted(rows.dimensions | set(np.unique(rows.dimension).tolist()))
    if not dimensions:
        dimensions = [0]
    n_diagrams = rows.n_samples * len(dimensions)
    upload.check("max_diagrams", n_diagrams, "diagrams")
    group = np.searchsorted(dimensions, dimension) * rows.n_samples + sample
    if np.any(np.diff(group) < 0):
        order = np.argsort(group, kind="stable")
        points, group = points[order], group[order]
    ends = np.cumsum(np.bincount(group, minlength=n_diagrams))
    pieces = iter(np.split(points, ends[:-1]) if n_diagrams else [])
    return {d: [next(pieces) for _ in range(rows.n_samples)] for d in dimensions}


def check_essential(essential: object) -> None:
    """Refuse a policy for points that never die before any file is opened.

    Parameters
    ----------
    essential : object
    """
    if essential in ("error", "drop"):
        return
    if is_finite_number(essential):
        return
    raise ParameterError(
        f'essential must be "error", "drop" or a finite number, not {shown(essential)}'
    )
