"""The door: which reader a file goes to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, ParameterError, shown
from swviz.files.arrays import (
    NPY_MAGIC,
    read_archive,
    read_single_array,
    rows_from_array,
    rows_from_arrays,
)
from swviz.files.folders import files_in, join_files
from swviz.files.images import PNG_MAGIC
from swviz.files.meshes import looks_like_mesh
from swviz.files.nested import read_json
from swviz.files.rows import LARGEST_DIMENSION, Rows, assemble, check_essential
from swviz.files.tables import read_table
from swviz.files.upload import (
    DEFAULT_LIMITS,
    Limits,
    PathOrBytes,
    Upload,
    only_file_errors,
    open_upload,
)
from swviz.files.writing import is_saved, rows_from_saved

_OTHER_KINDS = (
    (PNG_MAGIC, "a PNG image", "use load_image and swviz.sources.from_picture",
     "image"),
    (b"\xff\xd8\xff", "a JPEG image",
     "save it as PNG and use swviz.sources.from_picture", "image"),
    (b"\x1f\x8b", "compressed by gzip", "unpack it first", ""),
    (b"BZh", "compressed by bzip2", "unpack it first", ""),
    (b"\xfd7zXZ", "compressed by xz", "unpack it first", ""),
    (b"\x89HDF", "an HDF5 file", "save the diagrams as npz", ""),
    (b"MATLAB 5.0", "a MATLAB file", "save the diagrams as csv", ""),
    (b"%PDF", "a PDF", "save the table as csv", ""),
    *(
        (
            b"\x80" + bytes([protocol]),
            "a Python pickle, which could run any program when it is opened",
            "save the diagrams with swviz.save or numpy.savez",
            "pickle",
        )
        for protocol in range(2, 6)
    ),
)  # fmt: skip
"""How a file starts, what it then is, what to do, and the kind of the error."""


def load(
    source: PathOrBytes | Iterable[str | os.PathLike[str]],
    name: str | None = None,
    *,
    essential: str | float = "drop",
    dimension: int = 0,
    limits: Limits = DEFAULT_LIMITS,
) -> DiagramSet:
    r"""Read persistence diagrams from files, a folder, or uploaded bytes.

    Parameters
    ----------
    source : str, path or bytes, or list of paths
        csv, tsv, txt, pers, npy, npz or json; see `swviz.files`. The content decides
        where it contradicts the ending of the name. Of a folder, all such files in it
        and in its folders are read.
    name : str, optional
        What to call it in messages; give the file's name along with bytes.
    essential : {"drop", "error"} or float, default="drop"
        What to do with points that never die (death = inf): leave them out, refuse
        the file, or let them die at this finite value. Their number is in the
        provenance as ``n_essential``.
    dimension : int, default=0
        Homology dimension of the diagrams where the file does not say.
    limits : Limits
        How much is accepted; raise it for large files that you trust.

    Returns
    -------
    DiagramSet
        With ``file``, ``format`` and the treatment of essential points as provenance;
        a file from `swviz.save` keeps the provenance that it was saved with, but not
        the origins. The
        samples of several files have the labels in the files or, if there are none,
        those that the names of folders or files tell
        (:func:`swviz.files.labels_from_names`).

    Raises
    ------
    DiagramFileError
        Whatever is wrong with the file: its message names the file, the line or array,
        and what to do.

    Examples
    --------
    >>> diagrams = load(b"birth,death\n0,1\n0.5,inf\n", "circle.csv")
    >>> diagrams.in_dimension(0), diagrams.names, diagrams.provenance["n_essential"]
    ([array([[0., 1.]])], ('circle',), 1)
    >>> load(b"0 1\n0.5 x\n", "circle.txt")
    Traceback (most recent call last):
    swviz.errors.DiagramFileError: circle.txt, line 2: 'x' is not a number; write one
    number per cell, decimals with a point
    """
    check_essential(essential)
    if not isinstance(dimension, int) or not 0 <= dimension <= LARGEST_DIMENSION:
        raise ParameterError(
            f"dimension must be an integer from 0 to {LARGEST_DIMENSION}, "
            f"not {shown(dimension)}"
        )
    with only_file_errors(name):
        folder = _as_folder(source)
        if folder is not None:
            paths = files_in(folder, limits)
            names = [str(path.relative_to(folder)) for path in paths]
        elif _is_list(source):
            paths = list(source)  # type: ignore[arg-type]
            names = [_name_of(path) for path in paths]
        else:
            return _load_one(source, name, essential, dimension, limits)
        if not paths:
            raise DiagramFileError("there are no files in this list; give one")
        sets = [_load_one(path, None, essential, dimension, limits) for path in paths]
        return join_files(names, sets)


def _is_list(source: object) -> bool:
    """Whether these are several sources; an open file is a list of its lines."""
    return isinstance(source, Iterable) and not (
        isinstance(source, str | os.PathLike | bytes | bytearray | memoryview | Mapping)
        or hasattr(source, "read")
    )


def _name_of(path: object) -> str:
    if not isinstance(path, str | os.PathLike):
        raise DiagramFileError(
            f"a list of files must hold their paths, not {type(path).__name__}"
        )
    return str(Path(path))


def _as_folder(source: object) -> Path | None:
    if not isinstance(source, str | os.PathLike):
        return None
    try:
        path = Path(source)
        return path if path.is_dir() else None
    except (OSError, ValueError):
        return None


def _load_one(
    source: Any,
    name: str | None,
    essential: str | float,
    dimension: int,
    limits: Limits,
) -> DiagramSet:
    upload = open_upload(source, name, limits)
    return assemble(upload, _read_rows(upload), essential, dimension)


def _read_rows(upload: Upload) -> Rows:
    data = upload.data
    for magic, what, cure, kind in _OTHER_KINDS:
        if data.startswith(magic):
            raise upload.error(f"this is {what}", cure=cure, kind=kind)
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        arrays = read_archive(upload)
        if is_saved(arrays):
            return rows_from_saved(upload, arrays)
        return rows_from_arrays(upload, arrays)
    if data.startswith(NPY_MAGIC):
        return rows_from_array(upload, read_single_array(upload))
    if looks_like_mesh(upload):
        raise upload.error(
            "this is an OFF mesh",
            cure="make diagrams of meshes with swviz.sources.shapes",
            kind="mesh",
        )
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"[", b"{")) or upload.ending == "json":
        return read_json(upload)
    return read_table(upload)
