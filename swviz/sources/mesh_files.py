"""Triangle meshes with labelled parts, read from files."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swviz.errors import DiagramFileError, ParameterError
from swviz.sources.meshes import Disconnected, HasTriangles, TriangleMesh, as_mesh
from swviz.sources.origins import Subset

MAX_LABEL_FILE_BYTES = 50_000_000


class LabelledMesh(NamedTuple):
    """A mesh, the label of each vertex, its name and its side of the split."""

    mesh: TriangleMesh
    labels: NDArray[np.str_] | None
    name: str
    subset: Subset | None


def read_meshes(
    path: Path, n_train: int, disconnected: Disconnected
) -> list[LabelledMesh]:
    """Read an OFF file, or a folder of them with their part labels.

    Parameters
    ----------
    path : Path
        A file, or a folder with ``<n>.off`` and, for all or none, ``<n>_labels.txt``.
    n_train : int
        How many meshes, in the order of their numbers, are for training.
    disconnected : {"error", "largest"}
        As in :func:`swviz.sources.meshes.as_mesh`.

    Returns
    -------
    list of LabelledMesh
        A file alone has neither labels nor a split.
    """
    if path.is_file():
        mesh, _, _ = _read_mesh(path, disconnected)
        return [LabelledMesh(mesh, None, path.stem, None)]
    if not path.is_dir():
        raise ParameterError(f'"{path}" is neither "figure" nor a folder nor a file')
    paths = sorted(path.glob("*.off"), key=_by_number)
    if not paths:
        raise DiagramFileError(f"{path}: no meshes; expected files named <n>.off")
    label_paths = [one.with_name(f"{one.stem}_labels.txt") for one in paths]
    missing = [one.name for one in label_paths if not one.exists()]
    if 0 < len(missing) < len(paths):
        raise DiagramFileError(
            f"{path}: {len(missing)} of {len(paths)} meshes have no labels, the first "
            f"missing file is {missing[0]}"
        )
    labelled = []
    for index, (mesh_path, label_path) in enumerate(
        zip(paths, label_paths, strict=True)
    ):
        mesh, read, kept = _read_mesh(mesh_path, disconnected)
        labels = None
        if not missing:
            labels = read_part_labels(label_path, read.faces, len(read.vertices))[kept]
        labelled.append(
            LabelledMesh(mesh, labels, mesh_path.stem, side_of_split(index, n_train))
        )
    return labelled


def side_of_split(index: int, n_train: int) -> Subset:
    """Return the side of the mesh at `index` when the first `n_train` train."""
    return "train" if index < n_train else "test"


def read_part_labels(path: Path, faces: ArrayLike, n_vertices: int) -> NDArray[np.str_]:
    """Read the parts of the faces of a mesh and give each vertex one of them.

    Parameters
    ----------
    path : Path
        Alternating a line with a part's name and one with its face numbers, from 1.
    faces : array-like of int of shape (n_faces, 3)
    n_vertices : int

    Returns
    -------
    ndarray of str of shape (n_vertices,)
        The part of most faces of each vertex, the first in the alphabet in a tie.
    """
    faces = np.asarray(faces)
    parts = _read_parts(path, len(faces))
    names = sorted(parts)
    votes = np.zeros((n_vertices, len(names)), dtype=np.int64)
    is_labelled = np.zeros(len(faces), dtype=bool)
    for column, name in enumerate(names):
        np.add.at(votes[:, column], faces[parts[name]], 1)
        is_labelled[parts[name]] = True
    if not is_labelled.all():
        raise DiagramFileError(
            f"{path}: {(~is_labelled).sum()} of {len(faces)} faces are in no part, "
            f"the first is face {int(np.argmin(is_labelled)) + 1}"
        )
    return np.array(names)[votes.argmax(axis=1)]


def _read_parts(path: Path, n_faces: int) -> dict[str, NDArray[np.int64]]:
    """Faces of each part, from 0."""
    try:
        if path.stat().st_size > MAX_LABEL_FILE_BYTES:
            raise DiagramFileError(f"{path}: too large for a file of part labels")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DiagramFileError(f"{path}: cannot be read ({error})") from None
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines or len(lines) % 2:
        raise DiagramFileError(
            f"{path}: expected pairs of lines, a part's name and its face numbers, "
            f"but there are {len(lines)} lines"
        )
    parts: dict[str, NDArray[np.int64]] = {}
    for index in range(0, len(lines), 2):
        name = lines[index].strip()
        try:
            numbers = np.array(lines[index + 1].split(), dtype=np.int64)
        except (ValueError, OverflowError):
            raise DiagramFileError(
                f"{path}, line {index + 2}: expected face numbers of part {name!r}"
            ) from None
        if len(numbers) and not (numbers.min() >= 1 and numbers.max() <= n_faces):
            raise DiagramFileError(
                f"{path}, line {index + 2}: face numbers must be from 1 to {n_faces}, "
                f"the number of faces of the mesh, not {numbers.min()} to "
                f"{numbers.max()}"
            )
        parts[name] = np.concatenate([parts.get(name, numbers[:0]), numbers - 1])
    return parts


def _read_mesh(
    path: Path, disconnected: Disconnected
) -> tuple[TriangleMesh, HasTriangles, NDArray[np.bool_]]:
    """Return the mesh to use, the mesh in the file, and its vertices in use."""
    from swviz.files import load_mesh

    read: HasTriangles = load_mesh(path)
    try:
        mesh, kept = as_mesh(read, disconnected)
    except ParameterError as error:
        raise DiagramFileError(f"{path}: {error}") from None
    return mesh, read, kept


def _by_number(path: Path) -> tuple[bool, int, str]:
    """Order numbered files by their number, and after them the others by name."""
    is_number = path.stem.isdecimal()
    return not is_number, int(path.stem) if is_number else 0, path.stem
