"""Bytes from a stranger: opened within limits, and spoken about by name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from swviz.errors import DiagramFileError, SwvizError

PathOrBytes = str | os.PathLike[str] | bytes | bytearray | memoryview

_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Limits:
    """How much of a file is accepted before it is refused unread.

    The defaults keep any single file below about a second and 500 MB.

    Parameters
    ----------
    max_bytes : int, default=64_000_000
        Size of the file, and of what a compressed file expands to.
    max_points : int, default=2_000_000
        Points in arrays, vertices or faces of a mesh.
    max_rows : int, default=100_000
        Rows of text or JSON, which cost one to five microseconds each to read.
    max_diagrams : int, default=5_000
        Samples times homology dimensions.
    max_pixels : int, default=16_000_000
        Width times height of an image.

    Examples
    --------
    >>> Limits(max_rows=2_000_000).max_rows
    2000000
    """

    max_bytes: int = 64_000_000
    max_points: int = 2_000_000
    max_rows: int = 100_000
    max_diagrams: int = 5_000
    max_pixels: int = 16_000_000


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Upload:
    """The bytes of one file, its name for messages, and the limits for reading it."""

    name: str
    data: bytes
    limits: Limits = DEFAULT_LIMITS

    @property
    def stem(self) -> str:
        """The file's name without folders and ending."""
        return Path(self.name).stem or self.name

    @property
    def ending(self) -> str:
        """The ending of the file's name in lower case, without the dot."""
        return Path(self.name).suffix.lower().removeprefix(".")

    def error(
        self,
        problem: str,
        where: str = "",
        *,
        cure: str = "",
        kind: str = "",
        limit: str = "",
    ) -> DiagramFileError:
        """Build the error that names this file and the place in it."""
        place = f"{self.name}, {where}" if where else self.name
        problem = f"{place}: {problem}"
        message = f"{problem}; {cure}" if cure else problem
        return DiagramFileError(message, problem=problem, kind=kind, limit=limit)

    def check(self, limit: str, found: int, what: str) -> None:
        """Refuse the file if it has more than `limit` of something."""
        allowed = getattr(self.limits, limit)
        if found > allowed:
            raise self.error(
                f"holds {found} {what}, more than the limit of {allowed}",
                cure=f"if you trust the file, pass limits=Limits({limit}={found})",
                kind="limit",
                limit=limit,
            )


def open_upload(source: PathOrBytes, name: str | None, limits: Limits) -> Upload:
    """Read a file, or wrap bytes, if they are within ``limits.max_bytes``.

    Parameters
    ----------
    source : str, path or bytes
    name : str or None
        What to call it; the path by default.
    limits : Limits

    Returns
    -------
    Upload
    """
    if isinstance(source, bytes | bytearray | memoryview):
        upload = Upload(name or "uploaded data", bytes(source), limits)
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        upload = Upload(name or str(path), _read_within(path, limits, name), limits)
    else:
        raise DiagramFileError(
            f"expected a path or bytes, not {type(source).__name__}; "
            "for an open file pass file.read() and its name"
        )
    upload.check("max_bytes", len(upload.data), "bytes")
    if not upload.data:
        raise upload.error("the file is empty; was it written or copied completely?")
    return upload


def _read_within(path: Path, limits: Limits, name: str | None) -> bytes:
    unread = Upload(name or str(path), b"", limits)
    try:
        status = path.stat()
        # A pipe or a device could block for ever or never end.
        if not stat.S_ISREG(status.st_mode):
            kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
            raise unread.error(f"is {kind}; give the path of one file")
        unread.check("max_bytes", status.st_size, "bytes")
        with path.open("rb") as stream:
            return stream.read(limits.max_bytes + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise unread.error(f"cannot be opened ({reason}); check the path") from None
    except ValueError as error:
        if isinstance(error, SwvizError):
            raise
        raise unread.error(f"is not a path ({error}); check the path") from None


@contextmanager
def only_file_errors(name: str | None) -> Iterator[None]:
    """Turn whatever a parser raises on a stranger's bytes into a `DiagramFileError`.

    The readers foresee their failures; this is the last guard behind them, so that
    one forgotten case is a message and not a crashed session. The fuzz test counts
    a file that comes this far as a failure.

    Parameters
    ----------
    name : str or None
    """
    try:
        yield
    except SwvizError:
        raise
    except Exception as error:
        raise DiagramFileError(
            f"{name or 'the file'}: cannot be read, for an unforeseen reason "
            f"({type(error).__name__}: {shown(str(error))}); it is probably damaged"
        ) from error


def shown(text: str) -> str:
    """Quote a piece of a file for a message: short, printable.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(shown("birth" * 20))
    'birthbirthbirthbirthbirthbirthbirthbirth'...
    """
    cut = "..." if len(text) > _SHOWN_CHARACTERS else ""
    return ascii(text[:_SHOWN_CHARACTERS]) + cut
