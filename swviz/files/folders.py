"""Several files, or a folder of them, as one set."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from swviz.diagrams import DiagramSet, join_sets
from swviz.errors import DiagramFileError
from swviz.files.names import labels_from_names
from swviz.files.upload import Limits, Upload

ENDINGS = ("csv", "tsv", "txt", "pers", "npy", "npz", "json")
"""Of the files in a folder that are read."""


def files_in(folder: Path, limits: Limits) -> list[Path]:
    """List the files of diagrams in a folder and the folders in it, 2 before 10.

    Parameters
    ----------
    folder : Path
    limits : Limits
        No more files than `max_diagrams`, and together no more than `max_bytes`.

    Returns
    -------
    list of Path
        At least one. Hidden files, and links to other folders, are left out.
    """
    here = Upload(str(folder), b"", limits)
    found: list[Path] = []
    total = 0
    try:
        for place, folders, names in os.walk(folder, onerror=_raise):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for path in (Path(place, name) for name in names):
                ending = path.suffix.lower().removeprefix(".")
                if ending in ENDINGS and not path.name.startswith("."):
                    found.append(path)
                    total += path.stat().st_size
            here.check("max_diagrams", len(found), "files")
            here.check("max_bytes", total, "bytes")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise here.error(f"cannot be read ({reason}); check the folder") from None
    if not found:
        raise here.error(
            f"there are no files of diagrams in this folder ({', '.join(ENDINGS)})"
        )
    return sorted(found, key=lambda path: _natural(path.relative_to(folder)))


def join_files(names: Sequence[str], sets: Sequence[DiagramSet]) -> DiagramSet:
    """Put the samples of several files into one set.

    Parameters
    ----------
    names : sequence of str
        Of the files, perhaps with folders.
    sets : sequence of DiagramSet
        What is in them.

    Returns
    -------
    DiagramSet
        With the labels in the files, or else those by
        :func:`~swviz.files.labels_from_names`, if there are any. A homology dimension
        that a file lacks is empty there.

    Raises
    ------
    DiagramFileError
        If some of the files say labels, or homology dimensions, and some do not.
    """
    _check_all_or_none(
        names,
        [one.labels is not None for one in sets],
        "labels",
        "give all of them labels, or none",
    )
    assumed = ["assumed_dimension" in one.provenance for one in sets]
    _check_all_or_none(
        names,
        [not unsaid for unsaid in assumed],
        "the homology dimension",
        "give all of them a dimension column, or none",
    )
    labels = None
    facts: dict[str, object] = {"files": list(names)}
    if sets[0].labels is not None:
        facts["labels_from"] = "files"
    else:
        by_file, how = labels_from_names(names)
        if by_file is not None:
            facts["labels_from"] = how
            labels = [
                label
                for label, one in zip(by_file, sets, strict=True)
                for _ in range(len(one))
            ]
    for key in ("essential", "assumed_dimension"):
        if key in sets[0].provenance:
            facts[key] = sets[0].provenance[key]
    facts["n_essential"] = sum(one.provenance.get("n_essential", 0) for one in sets)
    return join_sets(
        sets,
        missing="empty",
        labels=labels,
        names=[
            f"{stem}: {own}" if len(one) > 1 else stem
            for stem, one in zip(map(_stem, names), sets, strict=True)
            for own in one.names
        ],
        provenance=facts,
    )


def _check_all_or_none(
    names: Sequence[str], have: Sequence[bool], what: str, cure: str
) -> None:
    if any(have) and not all(have):
        first, other = names[have.index(True)], names[have.index(False)]
        raise DiagramFileError(
            f"{first} says {what}, and {other} does not, so that they make no set; "
            f"{cure}"
        )


def _stem(name: str) -> str:
    return str(Path(name).with_suffix(""))


def _natural(path: Path) -> list[list[tuple[int, str]]]:
    """Order names by their text and the numbers in it."""
    return [
        [
            (int(piece), "") if piece.isdecimal() else (-1, piece)
            for piece in re.split(r"(\d+)", part)
        ]
        for part in path.parts
    ]


def _raise(error: OSError) -> None:
    raise error
