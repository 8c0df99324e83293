"""Diagrams as JSON, in the manners of GUDHI, ripser and giotto.

A *diagram* is a list of rows: ``[birth, death]``, ``[birth, death, dimension]``
(giotto) or ``[dimension, [birth, death]]`` (GUDHI); a death may be ``null`` or
``Infinity``. A *sample* is a diagram, a list of diagrams by dimension, or an object
with the key ``dgms`` (ripser) or with keys such as ``H0`` and ``H1``. A file is one
diagram, one object, a list of samples, or an object with the key ``diagrams`` and
perhaps ``labels`` and ``names``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.files.lines import without_mark
from swviz.files.rows import (
    LARGEST_DIMENSION,
    Block,
    Floats,
    Ints,
    Rows,
    rows_from_blocks,
)
from swviz.files.upload import Upload, shown

_WIDE_TEXT_BYTES = 8_000_000
"""Python may need four bytes per character once a single one is not ASCII."""
_DIMENSION_KEY = re.compile(r"(?:h|dim|dimension)?[ _]?(\d{1,2})", re.I | re.A)


def parse_json(upload: Upload, data: bytes, first_line: int = 1) -> Any:
    """Parse JSON within limits.

    Parameters
    ----------
    upload : Upload
        For messages and limits.
    data : bytes
    first_line : int, default=1
        Of `data` in the file.

    Returns
    -------
    object
    """
    limits = upload.limits
    # Python's objects are many times larger than their text: count before parsing.
    for mark, limit, most in (
        (b"[", "max_rows", 2 * (limits.max_rows + limits.max_diagrams)),
        (b",", "max_rows", 4 * (limits.max_rows + limits.max_diagrams)),
        (b"{", "max_diagrams", limits.max_diagrams + 1000),
        (b":", "max_diagrams", 20 * limits.max_diagrams + 1000),
    ):
        found = data.count(mark)
        if found > most:
            upload.check(limit, found, f"times the character {mark.decode()}")
    if len(data) > _WIDE_TEXT_BYTES and not (data.isascii() and b"\\u" not in data):
        raise upload.error(
            f"JSON above {_WIDE_TEXT_BYTES} bytes must be plain ASCII here; save the "
            "diagrams as npz"
        )
    try:
        return json.loads(data.decode(), object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        where = f"line {first_line + error.lineno - 1}"
        problem = f"is not JSON: {error.msg} at column {error.colno}"
        raise upload.error(f"{problem}; was it cut off?", where) from None
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise upload.error("is not UTF-8; save it as UTF-8", f"line {line}") from None
    except RecursionError:
        raise upload.error(
            "is nested too deeply; a list of diagrams has three levels"
        ) from None
    except ValueError as error:
        # Of a repeated key, or of Python for integers of thousands of digits.
        raise upload.error(f"cannot be used: {error}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shown(key)} is there twice; remove one")
        found[key] = value
    return found


def read_json(upload: Upload) -> Rows:
    """Read diagrams from JSON.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    Rows
    """
    tree = parse_json(upload, without_mark(upload))
    known: dict[str, Any] = {"format": "json"}
    if isinstance(tree, dict) and "diagrams" in tree:
        known["names"] = _read_names(upload, tree.get("names"))
        known["labels"] = _read_labels(upload, tree.get("labels"))
        tree = tree["diagrams"]
    if isinstance(tree, dict) or (
        isinstance(tree, list) and (not tree or _is_row(tree[0]))
    ):
        tree = [tree]
    if not isinstance(tree, list):
        raise upload.error(
            f"holds {shown(str(tree))} instead of a list of diagrams such as "
            "[[[0, 1], [0.5, 2]]]"
        )
    upload.check("max_diagrams", len(tree), "diagrams")
    blocks = [
        block
        for index, node in enumerate(tree)
        for block in _blocks(upload, node, index)
    ]
    upload.check("max_rows", sum(len(block.table) for block in blocks), "rows")
    return rows_from_blocks(upload, blocks, n_samples=len(tree), **known)


def _read_names(upload: Upload, names: Any) -> list[str]:
    if names is None:
        return []
    if not isinstance(names, list):
        raise upload.error('"names" must be a list with a name for each diagram')
    return [name if isinstance(name, str) else json.dumps(name) for name in names]


def _read_labels(upload: Upload, labels: Any) -> NDArray[Any] | None:
    if labels is None:
        return None
    if isinstance(labels, list):
        for kind, type_ in ((str, np.str_), (bool, np.bool_), (int, np.int64)):
            if all(type(label) is kind for label in labels):
                try:
                    return np.array(labels, dtype=type_)
                except OverflowError:
                    break
        if all(type(label) in (int, float) for label in labels):
            try:
                return np.array(labels, dtype=np.float64)
            except OverflowError:
                pass
    raise upload.error(
        '"labels" must be a list of numbers only or of text only, one per diagram'
    )


def _is_row(node: Any) -> bool:
    return (
        isinstance(node, list) and bool(node) and not isinstance(node[0], list | dict)
    )


def _blocks(upload: Upload, node: Any, sample: int) -> Iterator[Block]:
    """Blocks of one sample."""
    where = f"diagram {sample}"
    if isinstance(node, dict):
        for dimension, diagram in _by_dimension(upload, node, where):
            place = f"H{dimension} of {where}"
            yield Block(_as_pairs(upload, diagram, place), sample, place, dimension)
    elif not isinstance(node, list):
        raise upload.error(f"is {shown(str(node))} instead of a list of points", where)
    elif node and isinstance(node[0], list) and not _is_row(node[0]):
        for dimension, diagram in enumerate(node):
            place = f"H{dimension} of {where}"
            yield Block(_as_pairs(upload, diagram, place), sample, place, dimension)
    elif node and isinstance(node[0], list) and isinstance(node[0][-1], list):
        points, dimensions = _as_gudhi(upload, node, where)
        yield Block(points, sample, where, dimensions)
    else:
        yield Block(_as_table(upload, node, where), sample, where)


def _by_dimension(
    upload: Upload, node: dict[str, Any], where: str
) -> Iterator[tuple[int, Any]]:
    diagrams = node.get("dgms")
    if isinstance(diagrams, list):
        upload.check("max_diagrams", len(diagrams), "dimensions")
        yield from enumerate(diagrams)
        return
    seen: set[int] = set()
    for key, diagram in node.items():
        match = _DIMENSION_KEY.fullmatch(key)
        if match is None or int(match[1]) in seen:
            raise upload.error(
                f"the key {shown(key)} is not understood here; expected dgms, "
                "diagrams, or each dimension once (H0, H1, ...)",
                where,
            )
        seen.add(int(match[1]))
        yield int(match[1]), diagram
    if not seen:
        raise upload.error("there is no diagram; expected dgms or H0, H1, ...", where)


def _as_pairs(upload: Upload, diagram: Any, where: str) -> Floats:
    table = _as_table(upload, diagram, where)
    if table.shape[1] != 2:
        raise upload.error(
            "the dimension is known here; rows must be [birth, death]", where
        )
    return table


def _as_gudhi(upload: Upload, rows: list[Any], where: str) -> tuple[Floats, Ints]:
    for index, row in enumerate(rows):
        if not (
            isinstance(row, list)
            and len(row) == 2
            and type(row[0]) in (int, float)
            and 0 <= row[0] <= LARGEST_DIMENSION
            and row[0] == int(row[0])
            and isinstance(row[1], list)
            and len(row[1]) == 2
        ):
            raise upload.error(
                f"{shown(json.dumps(row))} is not [dimension, [birth, death]]",
                f"row {index} of {where}",
            )
    points = _as_table(upload, [row[1] for row in rows], where)
    return points, np.array([row[0] for row in rows], dtype=np.int64)


def _as_table(upload: Upload, rows: Any, where: str) -> Floats:
    """Rows of numbers; a death that is null is infinite."""
    if not isinstance(rows, list):
        raise upload.error(f"is {shown(str(rows))} instead of a list of points", where)
    if not rows:
        return np.empty((0, 2))
    try:
        table = np.array(rows, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        table = np.empty((0, 0))
    if table.ndim != 2 or table.shape[1] not in (2, 3):
        index = next((i for i, row in enumerate(rows) if not _is_good(row, rows[0])), 0)
        raise upload.error(
            f"{shown(json.dumps(rows[index]))} is not [birth, death] or [birth, death, "
            "dimension] like the rows before it",
            f"row {index} of {where}",
        )
    for row, column in np.argwhere(np.isnan(table)).tolist():
        # NumPy reads null as NaN. Which of the two it was matters here.
        if rows[row][column] is None and column == 1:
            table[row, 1] = np.inf
    return table


def _is_good(row: Any, first: Any) -> bool:
    return (
        isinstance(row, list)
        and len(row) in (2, 3)
        and len(row) == len(first)
        and all(type(cell) in (int, float, type(None)) for cell in row)
        and all(cell is None or -1e308 < cell < 1e308 for cell in row)
    )
