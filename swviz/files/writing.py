"""Writing diagram sets so that they read back identical, and reading the npz kind.

The npz file holds ``points`` (all points, dimension by dimension and sample by
sample), ``counts`` (points per dimension and sample), ``dimensions``, ``labels`` if
there are any, and ``meta``: JSON with names and provenance. The csv file is described
in `swviz.files.tables`. What the samples were computed from (`origins`) is not saved.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError
from swviz.files.arrays import checked_labels
from swviz.files.cells import label_type, quote
from swviz.files.lines import LONGEST_LINE
from swviz.files.nested import parse_json
from swviz.files.rows import LARGEST_DIMENSION, Rows, as_dimensions
from swviz.files.tables import FIRST_LINE
from swviz.files.upload import Upload

_FORMAT = "swviz diagrams 1"


def save(diagram_set: DiagramSet, path: str | os.PathLike[str]) -> None:
    """Write a set of diagrams; `load` reads it back identical.

    Diagrams (bit for bit, also empty ones), dimensions, labels and names come back as
    they were; the provenance comes back as far as JSON can say it. What the samples
    were computed from is not saved: a set that was read has no origins, and
    :func:`swviz.plot.origin` cannot draw it.

    Parameters
    ----------
    diagram_set : DiagramSet
    path : str or path
        Ends in ``.npz`` (small and fast) or ``.csv`` (readable anywhere).

    Raises
    ------
    DiagramFileError
        If the ending is another one or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from swviz.files import load
    >>> few = DiagramSet({1: [[(0, 0.1)], []]}, labels=["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(few, folder + "/few.csv")
    ...     again = load(folder + "/few.csv")
    >>> again.labels.tolist(), again.in_dimension(1)[0]
    (['a', 'b'], array([[0. , 0.1]]))
    """
    target = Path(path)
    writers = {".npz": _as_npz, ".csv": _as_csv}
    if target.suffix.lower() not in writers:
        raise DiagramFileError(
            f"{target}: diagrams are written as .npz or .csv; choose one of them"
        )
    outside = [d for d in diagram_set.dimensions if not 0 <= d <= LARGEST_DIMENSION]
    if outside:
        raise DiagramFileError(
            f"{target}: {outside[0]} is not a homology dimension from 0 to "
            f"{LARGEST_DIMENSION}; change it before saving"
        )
    content = writers[target.suffix.lower()](diagram_set, target)
    try:
        target.write_bytes(content)
    except (OSError, ValueError) as error:
        raise DiagramFileError(
            f"{target}: cannot be written ({error}); choose another place"
        ) from None


def _as_npz(diagram_set: DiagramSet, target: Path) -> bytes:
    several = [diagram_set.in_dimension(d) for d in diagram_set.dimensions]
    every = [diagram for diagrams in several for diagram in diagrams]
    arrays: dict[str, Any] = {
        "points": np.concatenate([np.empty((0, 2)), *every]),
        "counts": np.array([[len(d) for d in ds] for ds in several], dtype=np.int64),
        "dimensions": np.array(diagram_set.dimensions, dtype=np.int64),
    }
    if diagram_set.labels is not None:
        arrays["labels"] = diagram_set.labels
    meta = {
        "format": _FORMAT,
        "names": list(diagram_set.names),
        "provenance": _as_json(diagram_set.provenance),
    }
    stream = io.BytesIO()
    np.savez_compressed(stream, meta=np.array(json.dumps(meta)), **arrays)
    return stream.getvalue()


def _as_csv(diagram_set: DiagramSet, target: Path) -> bytes:
    provenance = json.dumps(_as_json(diagram_set.provenance))
    lines = [FIRST_LINE, f"# provenance: {provenance}"]
    header = ["sample", "dimension", "birth", "death", "label", "name"]
    if diagram_set.labels is None:
        header.remove("label")
    else:
        lines.insert(1, f"# labels: {label_type(diagram_set.labels)}")
    lines.append(",".join(header))
    lines.extend(_csv_rows(diagram_set))
    encoded = [line.encode() for line in lines]
    # The first lines are comments, which may be long.
    if max(map(len, encoded[3:]), default=0) > LONGEST_LINE:
        raise DiagramFileError(
            f"{target}: a name or label is too long for a csv file; save it as .npz"
        )
    return b"\n".join([*encoded, b""])


def _csv_rows(diagram_set: DiagramSet) -> Iterator[str]:
    endings = [f",{quote(name)}" for name in diagram_set.names]
    if diagram_set.labels is not None:
        is_text = diagram_set.labels.dtype.kind == "U"
        labels = diagram_set.labels.tolist()
        written = [quote(label) if is_text else repr(label) for label in labels]
        endings = [f",{w}{e}" for w, e in zip(written, endings, strict=True)]
    for dimension in diagram_set.dimensions:
        if not len(diagram_set):
            yield f",{dimension},,," + ("," if diagram_set.labels is not None else "")
        for sample, diagram in enumerate(diagram_set.in_dimension(dimension)):
            start, end = f"{sample},{dimension},", endings[sample]
            for birth, death in diagram.tolist():
                yield f"{start}{birth!r},{death!r}{end}"
            if not len(diagram):
                yield f"{start},{end}"


def _as_json(value: Any) -> Any:
    """Provenance in JSON's types; what it does not know becomes its description."""
    if isinstance(value, Mapping):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_as_json(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return _as_json(value.tolist())
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return repr(value)


def is_saved(arrays: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the arrays are those of a file written by :func:`save`.

    Parameters
    ----------
    arrays : mapping of str to ndarray

    Returns
    -------
    bool
    """
    return {"meta", "points", "counts", "dimensions"} <= set(arrays)


def rows_from_saved(upload: Upload, arrays: Mapping[str, NDArray[Any]]) -> Rows:
    """Read the arrays of a file written by :func:`save`, trusting nothing.

    Parameters
    ----------
    upload : Upload
    arrays : mapping of str to ndarray

    Returns
    -------
    Rows
    """
    points, counts, dimensions = (arrays[k] for k in ("points", "counts", "dimensions"))
    fits = (
        points.dtype == np.float64
        and points.ndim == 2
        and points.shape[1] == 2
        and counts.dtype == dimensions.dtype == np.int64
        and counts.ndim == 2
        and dimensions.shape == (len(counts),)
        and arrays["meta"].shape == ()
        and arrays["meta"].dtype.kind == "U"
    )
    if fits:
        upload.check("max_diagrams", counts.size, "diagrams")
        # Each count is bounded first, so that their sum cannot overflow.
        fits = bool(np.all((counts >= 0) & (counts <= len(points))))
    if not fits or counts.sum() != len(points):
        raise upload.error("the arrays of this saved set do not fit; save it again")
    n_dimensions, n_samples = counts.shape
    as_dimensions(
        upload, dimensions.astype(np.float64), lambda row: f"entry {row} of dimensions"
    )
    if len(np.unique(dimensions)) < n_dimensions or not n_dimensions:
        raise upload.error("the saved dimensions are not distinct; save it again")
    names, provenance = _read_meta(upload, arrays["meta"], n_samples)
    per_diagram = np.tile(np.arange(n_samples), n_dimensions)
    labels = arrays.get("labels")
    return Rows(
        points,
        lambda row: f"row {row} of points",
        "npz",
        dimension=np.repeat(dimensions, counts.sum(axis=1)),
        sample=np.repeat(per_diagram, counts.ravel()),
        n_samples=n_samples,
        names=names,
        labels=None if labels is None else checked_labels(upload, labels),
        dimensions=set(dimensions.tolist()),
        saved_provenance=provenance,
    )


def _read_meta(
    upload: Upload, array: NDArray[Any], n_samples: int
) -> tuple[list[str], dict[str, Any]]:
    try:
        text = str(array[()]).encode()
    except (ValueError, SystemError):
        raise upload.error("its text is damaged; save it again", "array meta") from None
    meta = parse_json(upload, text)
    meta = meta if isinstance(meta, dict) else {}
    names, provenance = meta.get("names"), meta.get("provenance")
    if (
        meta.get("format") != _FORMAT
        or not isinstance(provenance, dict)
        or not isinstance(names, list)
        or len(names) != n_samples
        or not all(isinstance(name, str) for name in names)
    ):
        raise upload.error(
            f"is not the JSON of a set in the format {_FORMAT!r}; save it again, or "
            "update swviz",
            "array meta",
        )
    return names, provenance
