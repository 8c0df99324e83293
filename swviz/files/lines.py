"""Lines of text to numbers: fast, and exact about the line that is wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from swviz.errors import DiagramFileError
from swviz.files.rows import Floats
from swviz.files.upload import Upload, shown

# Each digit can be matched in one way only: else a long cell takes quadratic time.
_NUMBER = re.compile(
    r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:inf|infinity|nan)",
    re.ASCII | re.IGNORECASE,
)
_says_something = re.compile(rb"\s*[^\s#]").match
LONGEST_LINE = 100_000
"""In bytes; comments may be longer. The csv module refuses cells above 131,072."""
_BYTES_PER_ROW = 256
"""On average, if there are as many rows as the limit allows."""
MOST_COLUMNS = 12
"""Under a header, which may name columns that are not needed."""
CHUNK = 10_000
"""Rows parsed at once, and searched one by one if something in them is wrong."""
_BYTE_ORDER_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)


@dataclass(frozen=True)
class Lines:
    """The lines of a text file, and among them those that say something."""

    upload: Upload
    every: list[bytes]
    kept: list[bytes]
    """Neither blank nor a comment."""

    def number(self, index: int) -> int:
        """Line number in the file, from 1, of ``kept[index]``."""
        # Only errors ask, so the numbers are not kept for every line.
        seen = -1
        for number, line in enumerate(self.every, start=1):
            seen += _says_something(line) is not None
            if seen == index:
                return number
        return len(self.every)

    def place(self, index: int) -> str:
        """Words for where ``kept[index]`` is."""
        return f"line {self.number(index)}"

    def error(
        self, index: int, problem: str, *, cure: str = "", kind: str = ""
    ) -> DiagramFileError:
        """Build the error about ``kept[index]``."""
        return self.upload.error(problem, self.place(index), cure=cure, kind=kind)

    def texts(self, indices: range) -> list[str]:
        """Decode some of the lines, refused if they are not UTF-8."""
        kept = self.kept[indices.start : indices.stop]
        try:
            return b"\n".join(kept).decode().split("\n")
        except UnicodeDecodeError:
            index = next(i for i in indices if not _is_utf8(self.kept[i]))
            raise self.error(
                index, "this line is not UTF-8 text; save the file as UTF-8"
            ) from None


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def split_lines(upload: Upload) -> Lines:
    """Split a text file into lines, whatever ends them.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    Lines
    """
    data = without_mark(upload)
    if b"\0" in data:
        raise upload.error(
            "this is neither text nor a kind of binary file that can be read here; "
            "save it as csv, npy, npz or json"
        )
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    # Twice, for comments and blank lines between the rows.
    if data.count(b"\n") > 2 * upload.limits.max_rows + 1000:
        upload.check("max_rows", data.count(b"\n"), "lines")
    every = data.split(b"\n")
    lines = Lines(upload, every, list(filter(_says_something, every)))
    upload.check("max_rows", len(lines.kept), "rows")
    n_bytes = sum(map(len, lines.kept))
    if n_bytes > _BYTES_PER_ROW * upload.limits.max_rows:
        needed = -(-n_bytes // _BYTES_PER_ROW)
        raise upload.error(
            f"its rows hold {n_bytes} bytes, more than {_BYTES_PER_ROW} for each of "
            f"the {upload.limits.max_rows} rows allowed",
            cure="leave out columns, or if you trust the file, pass "
            f"limits=Limits(max_rows={needed})",
            kind="limit",
            limit="max_rows",
        )
    longest = max(map(len, lines.kept), default=0)
    if longest > LONGEST_LINE:
        index = next(i for i, line in enumerate(lines.kept) if len(line) == longest)
        raise lines.error(
            index, f"the line has {longest} bytes; write one point per line"
        )
    return lines


def without_mark(upload: Upload) -> bytes:
    """Bytes of a text file as UTF-8 without a byte order mark.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    bytes
    """
    for mark, encoding in _BYTE_ORDER_MARKS:
        if upload.data.startswith(mark):
            data = upload.data[len(mark) :]
            try:
                return data if encoding == "utf-8" else data.decode(encoding).encode()
            except UnicodeError:
                raise upload.error(
                    f"starts like {encoding} text but is not; save the file as UTF-8"
                ) from None
    return upload.data


def find_separator(line: str) -> str | None:
    """Separator of the cells of a line; None is any white space.

    Parameters
    ----------
    line : str

    Returns
    -------
    str or None

    Examples
    --------
    >>> find_separator("0; 1"), find_separator("0.5,1"), find_separator("0 1")
    (';', ',', None)
    """
    return next((mark for mark in ";,\t" if mark in line), None)


def split_cells(line: str, separator: str | None) -> list[str]:
    """Cells of a line, without their quotes.

    Parameters
    ----------
    line : str
    separator : str or None

    Returns
    -------
    list of str
    """
    return next(iter(split_rows([line], separator)), [])


def split_rows(lines: Sequence[str], separator: str | None) -> list[list[str]]:
    """Cells of several lines; see :func:`split_cells`.

    Parameters
    ----------
    lines : sequence of str
    separator : str or None

    Returns
    -------
    list of list of str
        One per line, unless a quote is left open.
    """
    if separator is None:
        return [[cell.strip('"') for cell in line.split()] for line in lines]
    return list(csv.reader(lines, delimiter=separator, skipinitialspace=True))


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, infinity or NaN.

    Parameters
    ----------
    cell : str

    Returns
    -------
    bool
    """
    return _NUMBER.fullmatch(cell.strip(" \t")) is not None


def parse_numbers(
    lines: Lines,
    indices: Sequence[int],
    separator: str | None,
    columns: Sequence[int] | None = None,
) -> Floats:
    """Read a rectangle of numbers; what follows a # in a row is a comment.

    Parameters
    ----------
    lines : Lines
    indices : sequence of int
        The rows, as indices into ``lines.kept``.
    separator : str or None
    columns : sequence of int, optional
        The cells wanted of each row; rows may then differ in length. All by default.

    Returns
    -------
    ndarray of shape (len(indices), n_columns)
    """
    if not indices:
        return np.empty((0, len(columns or (0, 1))))
    n_cells = len(_cells(lines, indices[0], separator))
    width = n_cells if columns is None else len(columns)
    parts: list[Floats] = []
    for start in range(0, len(indices), CHUNK):
        chunk = indices[start : start + CHUNK]
        part = _parse_chunk(lines, chunk, separator, columns)
        # NumPy and the csv module differ over quotes within cells: trust neither.
        if part.shape != (len(chunk), width):
            raise _first_error(lines, chunk, separator, columns, n_cells)
        parts.append(part)
    return np.concatenate(parts)


def _parse_chunk(
    lines: Lines,
    chunk: Sequence[int],
    separator: str | None,
    columns: Sequence[int] | None,
) -> Floats:
    """Parse rows by NumPy; where it cannot, the result has another shape."""
    joined = b"\n".join([lines.kept[index] for index in chunk])
    texts = joined.decode("utf-8", "replace").split("\n")
    # White space beyond ASCII counts as no data, about which NumPy would warn.
    if not any(text.partition("#")[0].strip() for text in texts):
        return np.empty((0, 0))
    try:
        return np.loadtxt(
            texts,
            delimiter=separator,
            comments="#",
            usecols=columns,
            quotechar='"',
            ndmin=2,
        )
    except (ValueError, OverflowError):
        return np.empty((0, 0))


def _first_error(
    lines: Lines,
    chunk: Sequence[int],
    separator: str | None,
    columns: Sequence[int] | None,
    width: int,
) -> DiagramFileError:
    """Find the first row of a chunk that is not like the first of all."""
    for index in chunk:
        cells = _cells(lines, index, separator)
        if columns is None and len(cells) != width:
            return lines.error(
                index, f"expected {width} columns as before, found {len(cells)}"
            )
        for column in range(len(cells)) if columns is None else columns:
            if column >= len(cells):
                return lines.error(
                    index, f"column {column + 1} is missing; is the row complete?"
                )
            if not is_number(cells[column]):
                cure = "write one number per cell, decimals with a point"
                return lines.error(
                    index, f"{shown(cells[column])} is not a number; {cure}"
                )
    return lines.error(
        chunk[0], "these rows are not a table of numbers; is a quote left open?"
    )


def _cells(lines: Lines, index: int, separator: str | None) -> list[str]:
    line = lines.kept[index].decode("utf-8", "replace")
    return split_cells(line.partition("#")[0], separator)
