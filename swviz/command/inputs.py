"""What the commands read and write: files of diagrams in, tables out."""

from __future__ import annotations

import argparse
import csv
import io
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, ParameterError
from swviz.files import load


def read_one(path: Path, options: argparse.Namespace) -> DiagramSet:
    """Read a file with the diagrams of one sample.

    Parameters
    ----------
    path : Path
    options : argparse.Namespace
        With dimension and essential.

    Returns
    -------
    DiagramSet
        Of one sample.
    """
    found = read([path], options)
    if len(found) != 1:
        raise DiagramFileError(
            f"{path}: holds {len(found)} diagrams, and one is wanted; save it alone, "
            "or use the command matrix"
        )
    return found


def read(paths: Sequence[Path], options: argparse.Namespace) -> DiagramSet:
    """Read files and folders as one set.

    Parameters
    ----------
    paths : sequence of Path
    options : argparse.Namespace
        With dimension and essential.

    Returns
    -------
    DiagramSet
    """
    source = paths[0] if len(paths) == 1 else list(paths)
    assumed = options.dimension if options.dimension is not None else 0
    found = load(source, essential=options.essential, dimension=assumed)
    if options.dimension is None:
        return found
    if options.dimension not in found.dimensions:
        raise ParameterError(
            f"--dimension {options.dimension}: there is none, only {_listed(found)}"
        )
    return DiagramSet(
        {options.dimension: found.in_dimension(options.dimension)}, names=found.names
    )


def only_dimension(several: DiagramSet) -> int:
    """Return the homology dimension of a set, if there is one only.

    Parameters
    ----------
    several : DiagramSet

    Returns
    -------
    int
    """
    if len(several.dimensions) != 1:
        raise ParameterError(
            f"these files hold the homology dimensions {_listed(several)}: choose one "
            "with --dimension"
        )
    return several.dimensions[0]


def _listed(several: DiagramSet) -> str:
    return ", ".join(map(str, several.dimensions))


def directions_of(options: argparse.Namespace) -> int | Literal["exact"]:
    """Return the number of directions that is asked for.

    Parameters
    ----------
    options : argparse.Namespace
        With directions and exact.

    Returns
    -------
    int or "exact"
    """
    return "exact" if options.exact else options.directions


def write_table(rows: Iterable[Sequence[object]], out: Path | None) -> None:
    """Write rows as CSV; numbers with all their digits.

    Parameters
    ----------
    rows : iterable of sequences
    out : Path or None
        None for standard output.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    if out is None:
        sys.stdout.write(text.getvalue())
    else:
        with writable(out):
            out.write_text(text.getvalue(), encoding="utf-8")


@contextmanager
def writable(out: Path) -> Iterator[None]:
    """Turn what goes wrong while a file is written into a word about it.

    Parameters
    ----------
    out : Path
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise DiagramFileError(
            f"{out}: cannot be written ({reason}); choose another place"
        ) from None
