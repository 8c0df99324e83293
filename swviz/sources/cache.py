"""A cache of computed diagrams on disk, keyed by what they were computed from.

The key is a digest of the input itself (the points, pixels or triangles), of the
parameters of the computation and of the versions of the code that computes. A set
is found again exactly when recomputing it would give the same diagrams, for
generated data and for a folder of files alike.

Files lie in ``$SWVIZ_CACHE_DIR``, else ``$XDG_CACHE_HOME/swviz``, else
``~/.cache/swviz``. Each starts with a checksum of its content and its key; a file
that does not match is ignored and written again. A folder that cannot be written
costs time, never an error.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.diagrams import Diagram

DiagramsByDimension = dict[int, list[Diagram]]

FORMAT = 1
"""Raised whenever a source computes other diagrams from the same input."""

SIZE_LIMIT = 500_000_000
"""Bytes; beyond it the files written longest ago are removed."""

_SUFFIX = ".diagrams"
_CHECKSUM_BYTES = hashlib.sha256().digest_size


def cache_folder() -> Path:
    """Folder of the cached diagrams; it need not exist."""
    if chosen := os.environ.get("SWVIZ_CACHE_DIR"):
        return Path(chosen).expanduser()
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared).expanduser() / "swviz"
    return Path("~/.cache/swviz").expanduser()


def clear_cache() -> int:
    """Remove every cached set.

    Returns
    -------
    int
        How many were removed.
    """
    removed = 0
    for path in cache_folder().glob(f"*{_SUFFIX}"):
        with suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def remembered(
    recipe: Mapping[str, Any],
    inputs: Iterable[NDArray[Any]],
    compute: Callable[[], DiagramsByDimension],
) -> DiagramsByDimension:
    """Return diagrams from the cache, or compute and keep them.

    Parameters
    ----------
    recipe : mapping
        The parameters of the computation, as JSON types.
    inputs : iterable of ndarray
        The data it is applied to.
    compute : callable
        Called without arguments when the cache does not have the diagrams.
    """
    key = _digest(recipe, inputs)
    diagrams = _read(key)
    if diagrams is None:
        diagrams = compute()
        _write(key, diagrams)
    return diagrams


def _digest(recipe: Mapping[str, Any], inputs: Iterable[NDArray[Any]]) -> str:
    versions = [_version(package) for package in ("swviz", "gudhi", "scikit-image")]
    digest = hashlib.sha256(
        json.dumps([FORMAT, versions, recipe], sort_keys=True).encode()
    )
    for array in inputs:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _read(key: str) -> DiagramsByDimension | None:
    try:
        content = (cache_folder() / f"{key}{_SUFFIX}").read_bytes()
    except (OSError, RuntimeError):
        return None
    checksum, payload = content[:_CHECKSUM_BYTES], content[_CHECKSUM_BYTES:]
    if checksum != _checksum(key, payload):
        return None
    diagrams: DiagramsByDimension = {}
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        for dimension in arrays["dimensions"].tolist():
            ends = np.cumsum(arrays[f"counts{dimension}"])
            diagrams[dimension] = np.split(arrays[f"points{dimension}"], ends[:-1])
    return diagrams


def _write(key: str, diagrams: DiagramsByDimension) -> None:
    arrays: dict[str, NDArray[Any]] = {"dimensions": np.array(list(diagrams))}
    for dimension, several in diagrams.items():
        arrays[f"counts{dimension}"] = np.array([len(one) for one in several])
        arrays[f"points{dimension}"] = np.concatenate([np.empty((0, 2)), *several])
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    payload = buffer.getvalue()
    if len(payload) > SIZE_LIMIT:
        return
    # Without a folder or a disk the set is simply computed again next time.
    with suppress(OSError, RuntimeError):
        folder = cache_folder()
        folder.mkdir(parents=True, exist_ok=True)
        _write_whole(folder / f"{key}{_SUFFIX}", _checksum(key, payload) + payload)
        _prune(folder)


def _write_whole(path: Path, content: bytes) -> None:
    """Write so that another process sees the whole file or none."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _prune(folder: Path) -> None:
    """Remove the files written longest ago until the rest fits the limit."""
    files = [(path.stat(), path) for path in folder.glob(f"*{_SUFFIX}")]
    files.sort(key=lambda file: file[0].st_mtime, reverse=True)
    total = 0
    for status, path in files:
        total += status.st_size
        if total > SIZE_LIMIT:
            path.unlink(missing_ok=True)


def _checksum(key: str, payload: bytes) -> bytes:
    return hashlib.sha256(key.encode() + payload).digest()
