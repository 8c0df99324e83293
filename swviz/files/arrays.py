"""Diagrams as NumPy arrays: npy and npz, without pickle.

An array of shape (n, 2) is a diagram and (n, 3) has a dimension column (giotto's
order, dimension last, where both ends fit). With one axis more in front it holds many
samples of one length, dimension last; such arrays are padded with points on the
diagonal, which are left out.

In an npz file each array is a sample, except that names ending in ``H0``, ``H1`` or
``dim0``, ``dim1`` are the dimensions of the sample that the rest of the name says,
and that arrays called ``labels`` and ``names`` are just that.
"""

from __future__ import annotations

import io
import math
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.errors import SwvizError
from swviz.files.rows import Block, Floats, Rows, as_dimensions, rows_from_blocks
from swviz.files.upload import Upload, shown

NPY_MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 10_000
_DESCR = re.compile(r"'descr': *'([<>=|]?[a-zA-Z]\d{0,8})'")
_ORDER = re.compile(r"'fortran_order': *(True|False)")
_SHAPE = re.compile(r"'shape': *\(([\d, ]{0,100})\)", re.ASCII)
_DIMENSION_NAME = re.compile(r"(?<![a-z])(?:H|dim|dimension)_?(\d{1,2})$", re.I | re.A)
_BROKEN_ZIP = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError),
    *(OSError, ValueError, NotImplementedError, RuntimeError, OverflowError, KeyError),
)


@dataclass(frozen=True)
class _Header:
    dtype: np.dtype[Any]
    fortran: bool
    shape: tuple[int, ...]
    offset: int

    @property
    def n_bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


def _read_header(upload: Upload, data: bytes, where: str) -> _Header:
    """Read what an npy array claims to be, and refuse it if that is too much."""
    # numpy.lib.format evaluates the header as Python and may warn about it.
    start, length_type = (10, "<H") if data[6:7] == b"\x01" else (12, "<I")
    try:
        (length,) = struct.unpack(length_type, data[8:start])
    except struct.error:
        raise upload.error("the header is cut off; save it again", where) from None
    text = data[start : start + min(length, _LONGEST_HEADER)].decode("latin-1")
    descr, order, shape = (p.search(text) for p in (_DESCR, _ORDER, _SHAPE))
    if descr is None or order is None or shape is None or data[6] not in (1, 2, 3):
        raise upload.error(
            "this is not a plain array of numbers (or its header is damaged); save "
            "diagrams as float arrays of shape (n, 2)",
            where,
        )
    try:
        dtype = np.dtype(descr[1])
        sizes = tuple(int(size) for size in shape[1].split(",") if size.strip())
    except (TypeError, ValueError):
        raise upload.error("the header is damaged; save it again", where) from None
    if dtype.kind not in "biufU":
        hint = ""
        if dtype.kind == "O":
            hint = " (Python objects are never unpickled here)"
        raise upload.error(
            f"an array of type {dtype} cannot be read{hint}; save each diagram as its "
            "own float array of shape (n, 2) with numpy.savez",
            where,
        )
    header = _Header(dtype, order[1] == "True", sizes, start + length)
    if len(sizes) in (2, 3) and dtype.kind != "U":
        upload.check("max_points", math.prod(sizes[:-1]), "points")
    # An axis of length 0 makes any other length cheap to claim.
    for size in sizes:
        upload.check("max_points", size, "rows in an array")
    upload.check("max_bytes", header.n_bytes, "bytes in an array")
    return header


def _fill_array(
    upload: Upload, header: _Header, data: bytes, where: str
) -> NDArray[Any]:
    if len(data) < header.offset + header.n_bytes:
        raise upload.error(
            f"claims shape {header.shape} but ends early; was it cut off?", where
        )
    if header.n_bytes == 0:
        return np.empty(header.shape, header.dtype)
    count = math.prod(header.shape)
    array = np.frombuffer(data, header.dtype, count, header.offset)
    return array.reshape(header.shape, order="F" if header.fortran else "C")


def read_single_array(upload: Upload) -> NDArray[Any]:
    """Read an npy file.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    ndarray
    """
    header = _read_header(upload, upload.data, "")
    return _fill_array(upload, header, upload.data, "")


def read_archive(upload: Upload) -> dict[str, NDArray[Any]]:
    """Read all arrays of an npz file, if the archive's table keeps to the limits.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    dict of str to ndarray
    """
    # The zip module reads the whole table of contents at once: bound it first.
    n_members = upload.data.count(b"PK\x01\x02")
    upload.check("max_diagrams", n_members, "arrays")
    try:
        archive = zipfile.ZipFile(io.BytesIO(upload.data))
    except _BROKEN_ZIP as error:
        raise upload.error(
            f"the zip archive is damaged ({error}); was it cut off?"
        ) from None
    members = archive.infolist()
    if any(member.filename.startswith(("xl/", "word/")) for member in members):
        raise upload.error("this is an Office document; save the table as csv")
    upload.check("max_bytes", sum(m.file_size for m in members), "bytes when expanded")
    arrays: dict[str, NDArray[Any]] = {}
    for member in members:
        name = member.filename.removesuffix(".npy")
        where = f"array {shown(name)}"
        if name in arrays:
            raise upload.error("is in the archive twice; remove one", where)
        arrays[name] = _read_member(upload, archive, member, where)
    return arrays


def _read_member(
    upload: Upload, archive: zipfile.ZipFile, member: zipfile.ZipInfo, where: str
) -> NDArray[Any]:
    # Other methods of compression expand without a bound in the zip module.
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise upload.error(
            "is compressed in an unusual way; use numpy.savez_compressed", where
        )
    try:
        with archive.open(member) as stream:
            start = stream.read(min(_LONGEST_HEADER + 12, member.file_size))
            if not start.startswith(NPY_MAGIC):
                raise upload.error(
                    "is not a NumPy array; an npz archive holds nothing else", where
                )
            header = _read_header(upload, start, where)
            # A size is given, so that a member that lies about its own stops there.
            data = start + stream.read(member.file_size - len(start))
    except SwvizError:
        raise
    except _BROKEN_ZIP as error:
        raise upload.error(f"is damaged ({error}); was it cut off?", where) from None
    return _fill_array(upload, header, data, where)


def rows_from_array(upload: Upload, array: NDArray[Any]) -> Rows:
    """Diagrams of one array.

    Parameters
    ----------
    upload : Upload
    array : ndarray

    Returns
    -------
    Rows
    """
    return _rows_from_named(upload, [("", array)], {"format": "npy"})


def rows_from_arrays(upload: Upload, arrays: dict[str, NDArray[Any]]) -> Rows:
    """Diagrams of the arrays of an npz file.

    Parameters
    ----------
    upload : Upload
    arrays : dict of str to ndarray

    Returns
    -------
    Rows
    """
    known: dict[str, Any] = {"format": "npz"}
    diagrams = dict(arrays)
    for key in ("labels", "names"):
        if key in diagrams and diagrams[key].ndim == 1:
            known[key] = checked_labels(upload, diagrams.pop(key))
    if not diagrams:
        raise upload.error("there is no diagram in the archive")
    if "names" in known:
        known["names"] = [str(name) for name in known["names"]]
    return _rows_from_named(upload, list(diagrams.items()), known)


def checked_labels(upload: Upload, array: NDArray[Any]) -> NDArray[Any]:
    """Refuse text that is not text: NumPy does not look at its code points.

    Parameters
    ----------
    upload : Upload
    array : ndarray

    Returns
    -------
    ndarray
    """
    upload.check("max_diagrams", array.size, "labels or names")
    native = array.astype(array.dtype.newbyteorder("="))
    try:
        native.tolist()
    except (ValueError, SystemError):
        raise upload.error("labels or names are damaged; save it again") from None
    return native


def _rows_from_named(
    upload: Upload, named: list[tuple[str, NDArray[Any]]], known: dict[str, Any]
) -> Rows:
    blocks: list[Block] = []
    samples: dict[str, int] = {}
    n_samples = 0
    n_read = 0
    dimensions: set[int] = set()
    for name, array in named:
        where = f"array {shown(name)}" if name else "the array"
        numbers = _as_numbers(upload, array, where)
        n_read += math.prod(numbers.shape[:-1])
        if numbers.ndim == 3:
            upload.check("max_diagrams", n_samples + len(numbers), "samples")
            for table in numbers:
                block = _without_padding(upload, table, n_samples, where)
                blocks.append(block)
                n_samples += 1
            if numbers.shape[2] == 3:
                dimensions |= set(np.unique(numbers[:, :, 2]).astype(int).tolist())
            continue
        sample, dimension = _split_name(name)
        if sample not in samples:
            samples[sample] = n_samples
            n_samples += 1
        blocks.append(Block(numbers, samples[sample], where, dimension))
    known.setdefault("names", list(samples) if len(samples) == n_samples > 1 else ())
    rows = rows_from_blocks(upload, blocks, n_samples=n_samples, **known)
    rows.dimensions |= dimensions
    if n_read > len(rows.points):
        rows.notes["n_padding"] = n_read - len(rows.points)
    return rows


def _without_padding(upload: Upload, table: Floats, sample: int, where: str) -> Block:
    where = f"sample {sample} of {where}"
    inside = table[table[:, 0] != table[:, 1]]
    if table.shape[1] == 2:
        return Block(inside, sample, where)
    dimension = as_dimensions(upload, table[:, 2], lambda row: f"row {row} of {where}")
    return Block(inside[:, :2], sample, where, dimension[table[:, 0] != table[:, 1]])


def _split_name(name: str) -> tuple[str, int | None]:
    match = _DIMENSION_NAME.search(name)
    if match is None:
        return name, None
    return name[: match.start()].rstrip(" _./-"), int(match[1])


def _as_numbers(upload: Upload, array: NDArray[Any], where: str) -> Floats:
    if array.shape == (0,):
        return np.empty((0, 2))
    if (
        array.ndim not in (2, 3)
        or array.shape[-1] not in (2, 3)
        or array.dtype.kind not in "fiu"
    ):
        raise upload.error(
            f"has shape {array.shape} and type {array.dtype}; expected numbers of "
            "shape (n, 2) or (n, 3) for a diagram, (samples, n, 2 or 3) for many",
            where,
        )
    with np.errstate(over="ignore"):
        return array.astype(np.float64)
