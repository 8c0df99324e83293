"""Triangle meshes from OFF files."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swviz.files.lines import Lines, parse_numbers, split_lines
from swviz.files.upload import (
    DEFAULT_LIMITS,
    Limits,
    PathOrBytes,
    Upload,
    only_file_errors,
    open_upload,
    shown,
)

_KEYWORD = re.compile(rb"(?:ST)?C?N?(?:4?n?)OFF\b")
_COUNTS = re.compile(r"(\d{1,18})\s+(\d{1,18})(?:\s+\d{1,18})?", re.ASCII)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A triangle mesh; both arrays are read-only.

    Parameters
    ----------
    vertices : ndarray of shape (n, 3), float64
    faces : ndarray of shape (m, 3), int64
        The three vertices of each triangle, as indices.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


def load_mesh(
    source: PathOrBytes, name: str | None = None, *, limits: Limits = DEFAULT_LIMITS
) -> Mesh:
    r"""Read a triangle mesh in the OFF format.

    Comments are skipped; colours and normals (COFF, NOFF, or numbers behind a face)
    are ignored. Each vertex and each face must stand on a line of its own.

    Parameters
    ----------
    source : str, path or bytes
    name : str, optional
        What to call it in messages.
    limits : Limits
        Vertices and faces are bounded by ``max_points`` and ``max_rows``.

    Returns
    -------
    Mesh

    Raises
    ------
    DiagramFileError
        If it is no OFF file, is cut off or its counts lie, a face is not a triangle,
        an index is out of range or a coordinate is not finite.

    Examples
    --------
    >>> mesh = load_mesh(b"OFF 3 1 0 0 0 0 1 0 0 0 1 0 3 0 1 2", "triangle.off")
    Traceback (most recent call last):
    swviz.errors.DiagramFileError: triangle.off, line 1: after OFF expected the counts
    of vertices, faces and edges, found '3 1 0 0 0 0 1 0 0 0 1 0 3 0 1 2'
    >>> load_mesh(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").faces
    array([[0, 1, 2]])
    """
    with only_file_errors(name):
        upload = open_upload(source, name, limits)
        lines = split_lines(upload)
        n_vertices, n_faces, start = _read_counts(lines)
        vertex_rows = range(start, start + n_vertices)
        face_rows = range(vertex_rows.stop, vertex_rows.stop + n_faces)
        if face_rows.stop != len(lines.kept):
            raise upload.error(
                f"announces {n_vertices} vertices and {n_faces} faces, but "
                f"{len(lines.kept) - start} lines follow; is the file complete, with "
                "one vertex or face per line?"
            )
        mesh = Mesh(
            _read_vertices(lines, vertex_rows),
            _read_faces(lines, face_rows, n_vertices),
        )
    mesh.vertices.setflags(write=False)
    mesh.faces.setflags(write=False)
    return mesh


def looks_like_mesh(upload: Upload) -> bool:
    """Whether a file starts with OFF's keyword, perhaps behind comments.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    bool
    """
    for line in upload.data[:10_000].splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith(b"#"):
            return _KEYWORD.match(stripped) is not None
    return False


def _read_counts(lines: Lines) -> tuple[int, int, int]:
    """Numbers of vertices and faces, and the first row behind them."""
    first = lines.kept[0].strip() if lines.kept else b""
    keyword = _KEYWORD.match(first)
    if keyword is None:
        raise lines.upload.error(
            "this is not an OFF mesh: its first word must be OFF", "line 1"
        )
    rest = first[keyword.end() :].partition(b"#")[0].strip()
    if b"4" in keyword[0] or b"n" in keyword[0] or rest.startswith(b"BINARY"):
        raise lines.error(0, "only text OFF files in three dimensions can be read")
    row = 0 if rest else 1
    if not rest:
        rest = lines.kept[1].partition(b"#")[0].strip() if len(lines.kept) > 1 else b""
    counts = _COUNTS.fullmatch(rest.decode("utf-8", "replace"))
    if counts is None:
        raise lines.error(
            min(row, len(lines.kept) - 1),
            "after OFF expected the counts of vertices, faces and edges, found "
            + shown(rest.decode("utf-8", "replace")),
        )
    n_vertices, n_faces = int(counts[1]), int(counts[2])
    lines.upload.check("max_points", max(n_vertices, n_faces), "vertices or faces")
    if not n_vertices or not n_faces:
        raise lines.error(row, "the mesh has no vertices or no faces")
    return n_vertices, n_faces, row + 1


def _read_vertices(lines: Lines, rows: range) -> NDArray[np.float64]:
    vertices = parse_numbers(lines, rows, None, (0, 1, 2))
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        raise lines.error(
            rows[int(np.argmin(finite))],
            "a coordinate is not finite; repair or remove this vertex",
        )
    return vertices


def _read_faces(lines: Lines, rows: range, n_vertices: int) -> NDArray[np.int64]:
    corners = parse_numbers(lines, rows, None, (0,))[:, 0]
    if not np.all(corners == 3):
        row = int(np.argmax(corners != 3))
        raise lines.error(
            rows[row],
            f"this face has {corners[row]:g} corners; triangulate the mesh, so that "
            "every face has 3",
        )
    indices = parse_numbers(lines, rows, None, (1, 2, 3))
    good = (indices >= 0) & (indices < n_vertices) & (indices == np.round(indices))
    if not good.all():
        row, corner = np.argwhere(~good)[0]
        raise lines.error(
            rows[int(row)],
            f"{indices[row, corner]:g} is not the index of a vertex; indices go from "
            f"0 to {n_vertices - 1}",
        )
    return indices.astype(np.int64)
