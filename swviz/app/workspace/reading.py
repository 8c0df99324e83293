"""Data sets from files that strangers give: one door for all tabs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, Literal

import numpy as np

from swviz import diagrams
from swviz.app.runtime.settings import SETTINGS, how_to_raise
from swviz.app.ui.drop import too_large
from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, SwvizError
from swviz.files import (
    Limits,
    labels_from_names,
    load,
    load_cloud,
    load_image,
    load_mesh,
)
from swviz.files.cells import read_labels
from swviz.sources import Cloud, Image, shapes
from swviz.sources.clouds import FEWEST_POINTS, most_points
from swviz.sources.persistence import alpha_diagrams, picture_diagram

Part = tuple[str, DiagramSet]
"""The name of a file, and what is in it."""

ENDINGS = (".csv", ".tsv", ".txt", ".pers", ".npy", ".npz", ".json", ".off", ".png")

_KINDS = ("bytes", "points", "rows", "diagrams", "pixels")

LIMITS = Limits(
    **{f"max_{kind}": getattr(SETTINGS, f"upload_{kind}") for kind in _KINDS}
)
"""Of one file, as the server's settings have them."""

MESH_POINTS = 100
"""Points of an uploaded mesh from which distances are taken."""

Tables = Literal["diagrams", "point clouds"]

_CURES = {
    "limit": "split the file",
    "cloud": 'if it is a cloud of points, choose "point clouds" beside '
    '"Tables of numbers are"',
    "image": "save it as PNG, with a name that ends in .png",
    "mesh": "give it a name that ends in .off",
    "pickle": "save the diagrams as npz or csv",
}
"""What to do on the page, where the library's advice is for programs."""


def read_file(name: str, content: bytes, tables: Tables = "diagrams") -> DiagramSet:
    """Read one uploaded file.

    Parameters
    ----------
    name : str
        Its ending decides between picture, mesh and table.
    content : bytes
    tables : {"diagrams", "point clouds"}, default="diagrams"
        What a table of numbers holds.

    Raises
    ------
    DiagramFileError
        If the file cannot be used; the message says why and what to do on the page.
    """
    try:
        return _read(name, content, tables)
    except DiagramFileError as error:
        ending = PurePath(name).suffix.lower()
        # Whatever is no table looks like a cloud's: only where it says it is one.
        is_told = error.kind != "cloud" or ending in ENDINGS
        if error.kind in _CURES and is_told:
            message = f"{error.problem}; {_CURES[error.kind]}"
            if error.limit:
                name = error.limit.replace("max_", "upload_")
                message += f", or {how_to_raise(name)}"
            raise DiagramFileError(message) from None
        if content and ending not in ENDINGS:
            known = ", ".join(known.removeprefix(".") for known in ENDINGS)
            kind = f"a {ending} file" if ending else "a file without an ending"
            raise DiagramFileError(
                f"{name}: {kind} cannot be read here; save the diagrams as csv or npz "
                f"(known endings: {known})"
            ) from None
        raise


def _read(name: str, content: bytes, tables: Tables) -> DiagramSet:
    if len(content) > LIMITS.max_bytes:
        raise DiagramFileError(f"{name}: {too_large(len(content), LIMITS.max_bytes)}")
    ending, stem = PurePath(name).suffix.lower(), PurePath(name).stem
    if ending == ".off":
        mesh = load_mesh(content, name, limits=LIMITS)
        every = max(1, len(mesh.vertices) // MESH_POINTS)
        return shapes(mesh, every=every, disconnected="largest", cache=False)
    if ending == ".png":
        image = Image(load_image(content, name, limits=LIMITS))
        return DiagramSet(
            {0: [picture_diagram(image.descriptor, "drop")]},
            names=[stem],
            origins=[image],
        )
    if tables == "point clouds" and ending in (".csv", ".tsv", ".txt", ".npy"):
        points = load_cloud(content, name, limits=LIMITS)
        most = most_points("alpha")
        if not FEWEST_POINTS <= len(points) <= most:
            raise DiagramFileError(
                f"{name}: has {len(points)} points; a cloud needs {FEWEST_POINTS} to "
                f"{most}"
            )
        H0, H1 = alpha_diagrams(points, dimensions=(0, 1))
        return DiagramSet({0: [H0], 1: [H1]}, names=[stem], origins=[Cloud(points)])
    return load(content, name, limits=LIMITS)


def read_files(
    files: Mapping[str, bytes],
    tables: Tables = "diagrams",
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Part], list[str]]:
    """Read several files; bad ones do not spoil the good ones.

    Parameters
    ----------
    files : mapping of str to bytes
    tables : {"diagrams", "point clouds"}, default="diagrams"
    progress : callable, optional
        Called with (files done, all files).

    Returns
    -------
    good : list of (str, DiagramSet)
        The name of each readable file and what is in it.
    complaints : list of str
        A sentence for each file that is not.
    """
    good, complaints = [], []
    for done, (name, content) in enumerate(files.items()):
        if progress is not None:
            progress(done, len(files))
        most = SETTINGS.upload_files
        if done >= most:
            complaints.append(
                f"Only {most} files are read at once; upload the other "
                f"{len(files) - most} later, or {how_to_raise('upload_files')}."
            )
            break
        try:
            good.append((name, read_file(name, content, tables)))
        except SwvizError as error:
            message = str(error)
            named = message if message.startswith(name) else f"{name}: {message}"
            complaints.append(named)
    return good, complaints


def join_sets(parts: Sequence[Part], labels: Sequence[str] | None = None) -> DiagramSet:
    """Put what several files hold into one set.

    Parameters
    ----------
    parts : sequence of (str, DiagramSet)
        At least one.
    labels : sequence of str, optional
        The class of each sample; numbers if all are, as in files.

    Returns
    -------
    DiagramSet
        A dimension that a file lacks is empty there.
    """
    provenance: dict[str, Any] = {
        "source": "upload",
        "files": [name for name, _ in parts],
    }
    if len(parts) == 1:
        provenance = dict(parts[0][1].provenance)
        # Settled by now.
        provenance.pop("assumed_dimension", None)
    joined = diagrams.join_sets(
        [part for _, part in parts],
        missing="empty",
        names=sample_names(parts),
        provenance=provenance,
    )
    # Chosen by who uploads them, and perhaps none.
    chosen = None if labels is None else read_labels(list(labels), None)
    return replace(joined, labels=chosen)


NONE, TYPED = "none", "typed in the table"
_OF_RULE = {"folder": "folders", "prefix": "names of files"}


def sample_names(parts: Sequence[Part]) -> list[str]:
    """Name the samples of several files.

    Returns
    -------
    list of str
        Those of the file where there is one; with the files' names where there are
        several, and with the folders' where files of two folders have one name.
    """
    if len(parts) == 1:
        return list(parts[0][1].names)
    paths = [PurePath(name) for name, _ in parts]
    stems = [path.stem for path in paths]
    if len(set(stems)) < len(stems):
        stems = [str(path.with_suffix("")) for path in paths]
    return [
        f"{stem}: {own}" if len(part) > 1 else stem
        for stem, (_, part) in zip(stems, parts, strict=True)
        for own in part.names
    ]


def label_choices(parts: Sequence[Part]) -> dict[str, list[str] | None]:
    """Return every way to get the classes of samples, the best first.

    Returns
    -------
    dict of str to (list of str or None)
        What it is called, and the class of each sample; "none" is always there.
    """
    choices: dict[str, list[str] | None] = {}
    given = [part.labels for _, part in parts if part.labels is not None]
    if len(given) == len(parts):
        choices["labels in the file" + "s" * (len(parts) > 1)] = [
            str(label) for labels in given for label in labels
        ]
    if len(parts) > 1:
        names = [name for name, part in parts for _ in range(len(part))]
        labels, rule = labels_from_names(names)
        if labels is not None and rule is not None:
            choices[_OF_RULE[rule]] = labels
    else:
        # Samples have no endings, but perhaps dots.
        labels, _ = labels_from_names([f"{own}." for own in parts[0][1].names])
        if labels is not None:
            choices["names of samples"] = labels
    choices[NONE] = None
    return choices


def is_undecided(part: DiagramSet) -> bool:
    """Tell whether a file does not say the homology dimension of its diagrams.

    Parameters
    ----------
    part : DiagramSet
        From :func:`swviz.files.load`.
    """
    assumed = part.provenance.get("assumed_dimension")
    return part.dimensions == (assumed,)


def guess_dimension(parts: Sequence[Part]) -> tuple[int, str]:
    """Guess the homology dimension of diagrams whose files do not say it.

    Components of a cloud are all born at once, at 0: where births differ, loops are
    likelier.

    Parameters
    ----------
    parts : sequence of (str, DiagramSet)
        Files that do not say.
    """
    births = [
        diagram[:, 0]
        for _, part in parts
        for diagram in part.in_dimension(part.dimensions[0])
    ]
    every = np.concatenate(births) if births else np.empty(0)
    if len(every) and np.ptp(every) == 0:
        return 0, "since all are born at once"
    return 1, "since births differ"


def in_dimension(part: DiagramSet, dimension: int) -> DiagramSet:
    """Return a set whose only homology dimension is called otherwise."""
    (several,) = part.diagrams.values()
    return DiagramSet(
        {dimension: several}, part.labels, part.names, part.provenance, part.origins
    )
