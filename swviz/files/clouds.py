"""Point clouds in the plane or in space."""

from __future__ import annotations

import numpy as np

from swviz.files.arrays import NPY_MAGIC, read_single_array
from swviz.files.lines import (
    MOST_COLUMNS,
    find_separator,
    is_number,
    parse_numbers,
    split_cells,
    split_lines,
)
from swviz.files.rows import Floats, Place
from swviz.files.upload import (
    DEFAULT_LIMITS,
    Limits,
    PathOrBytes,
    Upload,
    only_file_errors,
    open_upload,
)


def load_cloud(
    source: PathOrBytes, name: str | None = None, *, limits: Limits = DEFAULT_LIMITS
) -> Floats:
    r"""Read a cloud of points.

    Parameters
    ----------
    source : str, path or bytes
        An npy array, or text with a point per line (csv, tsv, txt), with or without a
        header. If the header names x, y and perhaps z, other columns are ignored.
    name : str, optional
        What to call it in messages.
    limits : Limits

    Returns
    -------
    ndarray of shape (n, 2) or (n, 3), float64, read-only

    Raises
    ------
    DiagramFileError
        If it is not a table of numbers with two or three columns and at least one
        row, or a coordinate is not finite.

    Examples
    --------
    >>> load_cloud(b"x,y\n0,1\n2,3\n", "two.csv")
    array([[0., 1.],
           [2., 3.]])
    """
    with only_file_errors(name):
        upload = open_upload(source, name, limits)
        if upload.data.startswith(NPY_MAGIC):
            cloud, place = _from_array(upload)
        else:
            cloud, place = _from_text(upload)
        if cloud.ndim != 2 or cloud.shape[1] not in (2, 3) or not len(cloud):
            raise upload.error(
                f"has shape {cloud.shape}; a cloud has a row per point and two or "
                "three columns"
            )
        finite = np.isfinite(cloud).all(axis=1)
        if not finite.all():
            row = int(np.argmin(finite))
            raise upload.error(
                "a coordinate is not finite; remove such rows", place(row)
            )
    cloud.setflags(write=False)
    return cloud


def _from_array(upload: Upload) -> tuple[Floats, Place]:
    array = read_single_array(upload)
    if array.dtype.kind not in "fiu":
        raise upload.error(f"holds {array.dtype} instead of numbers")
    with np.errstate(over="ignore"):
        return array.astype(np.float64), lambda row: f"row {row}"


def _from_text(upload: Upload) -> tuple[Floats, Place]:
    lines = split_lines(upload)
    first = lines.kept[0].decode("utf-8", "replace") if lines.kept else ""
    separator = find_separator(first)
    words = [
        word.strip().lower() for word in split_cells(first.partition("#")[0], separator)
    ]
    # A header has no number in it: a line with some is a row with a mistake.
    start = 0 if any(map(is_number, words)) else 1
    columns = None
    if start and {"x", "y"} <= set(words):
        columns = [words.index(axis) for axis in "xyz" if axis in words]
    if len(words) > MOST_COLUMNS or (columns is None and len(words) not in (2, 3)):
        raise upload.error(
            f"found {len(words)} columns; a cloud has two or three, or a header that "
            "names x and y"
        )
    rows = range(start, len(lines.kept))
    cloud = parse_numbers(lines, rows, separator, columns)
    return cloud, lambda row: lines.place(rows[row])
