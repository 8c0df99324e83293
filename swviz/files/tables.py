r"""Diagrams as tables of text: csv, tsv, txt, GUDHI's pers.

A row is a point. Cells are separated by commas, semicolons, tabs or blanks; lines
that start with # are comments. Without a header, two columns are birth and death;
three have a dimension first (GUDHI) or last, whichever fits, and a file that fits
both is refused; four are GUDHI's field, dimension, birth and death.

A header, also one behind a # as `numpy.savetxt` writes it, names the columns:
*birth* and *death*, and if wanted *dimension*, *sample* (a whole number), *name* and
*label*. Other columns, up to 12 in all, are ignored. Rows with the same sample
(without that column: the same name) are one sample; its name and label are those of
its first row. A row whose birth and death are blank says that the sample has this
dimension and no point in it; if its sample is blank too, there is the dimension and
no sample.

What `swviz.save` writes is such a table:

.. code-block:: none

    # swviz diagrams 1
    # labels: int64
    # provenance: {"source": "orbits"}
    sample,dimension,birth,death,label,name
    0,1,0.25,0.5,3,"first"
    1,1,,,4,"second, without a point"
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.files.cells import LABEL_TYPES, read_labels, unescape
from swviz.files.lines import (
    CHUNK,
    MOST_COLUMNS,
    Lines,
    find_separator,
    is_number,
    parse_numbers,
    split_cells,
    split_lines,
    split_rows,
)
from swviz.files.nested import parse_json
from swviz.files.rows import Floats, Rows, as_dimensions, split_dimension
from swviz.files.upload import Upload, shown

FIRST_LINE = "# swviz diagrams 1"
_LONGEST_HEADER = 1000
_LARGEST_SAMPLE = 2**53
_ROLES = {
    "birth": ("birth", "births", "birth_time", "b"),
    "death": ("death", "deaths", "death_time", "d"),
    "dimension": ("dimension", "dim", "homology_dimension", "homology_dim", "hom_dim"),
    "sample": ("sample", "diagram", "sample_id", "diagram_id"),
    "name": ("name", "sample_name"),
    "label": ("label", "class", "target", "y"),
}
_ROLE_OF = {word: role for role, words in _ROLES.items() for word in words}


def read_table(upload: Upload) -> Rows:
    """Read diagrams from a table with or without a header.

    Parameters
    ----------
    upload : Upload

    Returns
    -------
    Rows
    """
    lines = split_lines(upload)
    form = upload.ending if upload.ending in ("csv", "tsv", "pers") else "txt"
    header = _find_header(lines)
    if header is not None:
        cells, separator, start = header
        return _read_columns(lines, cells, separator, start, form)
    if not lines.kept:
        raise upload.error(
            "there is no point and no header; an empty diagram has the one line "
            "birth,death"
        )
    return _read_bare(lines, form)


def _find_header(lines: Lines) -> tuple[list[str], str | None, int] | None:
    """Cells of the header, the separator, and the first row after it."""
    first = lines.kept[0].decode("utf-8", "replace") if lines.kept else ""
    separator = find_separator(first)
    cells = split_cells(first, separator)
    if cells and not all(map(is_number, cells)):
        return None if any(map(is_number, cells)) else (cells, separator, 1)
    comment = _comment_before(lines)
    words = split_cells(comment, find_separator(comment))
    if {"birth", "death"} <= {_role(word) for word in words} and (
        not cells or len(cells) == len(words)
    ):
        return words, separator if cells else find_separator(comment), 0
    return None


def _comment_before(lines: Lines) -> str:
    """Find the last comment before the first row, without its #."""
    first = lines.number(0) - 1 if lines.kept else len(lines.every)
    for line in reversed(lines.every[:first]):
        if line.strip():
            comment = line.strip()[:_LONGEST_HEADER]
            return comment.decode("utf-8", "replace").lstrip("# ")
    return ""


def _role(word: str) -> str | None:
    plain = word.strip().lower().replace(" ", "_").replace("-", "_")
    return _ROLE_OF.get(plain)


def _read_bare(lines: Lines, form: str) -> Rows:
    first = lines.kept[0].decode("utf-8", "replace")
    separator = find_separator(first)
    # Before the numbers are parsed: there may be very many in a row.
    width = len(split_cells(first.partition("#")[0], separator))
    if width not in (2, 3, 4):
        raise lines.error(
            0,
            f"found {width} columns without a header; expected birth and death, with "
            "a dimension before or after them, or a header that names the columns",
        )
    table = parse_numbers(lines, range(len(lines.kept)), separator)
    rows = Rows(table[:, -2:], lines.place, form)
    if width == 3 and form != "pers":
        rows.points, rows.dimension = split_dimension(lines.upload, table, lines.place)
    elif width > 2:
        column = table[:, width - 3]
        rows.dimension = as_dimensions(lines.upload, column, lines.place)
    return rows


def _read_columns(
    lines: Lines, header: list[str], separator: str | None, start: int, form: str
) -> Rows:
    column = _columns_by_role(lines, header)
    body = _Body(
        lines, start, _read_cells(lines, start, separator, column, len(header))
    )
    lived = zip(body.cells["birth"], body.cells["death"], strict=True)
    has_point = np.array([bool(b.strip() or d.strip()) for b, d in lived], np.bool_)
    point_rows = np.flatnonzero(has_point)
    n_blank = len(has_point) - len(point_rows)
    lines.upload.check("max_diagrams", n_blank, "empty diagrams")
    points = [body.numbers(role, has_point) for role in ("birth", "death")]
    rows = Rows(
        np.column_stack(points), lambda row: body.place(int(point_rows[row])), form
    )
    if "dimension" in column:
        numbers = body.numbers("dimension", np.ones_like(has_point))
        dimension = as_dimensions(lines.upload, numbers, body.place)
        rows.dimension = dimension[has_point]
        rows.dimensions = set(dimension[~has_point].tolist())
    if "sample" in column:
        body.group_by_sample(rows, has_point)
    elif "name" in column:
        body.group_by_name(rows, has_point)
    return rows


def _columns_by_role(lines: Lines, header: list[str]) -> dict[str, int]:
    column: dict[str, int] = {}
    if len(header) > MOST_COLUMNS:
        raise lines.error(
            0,
            f"the header has {len(header)} columns, more than {MOST_COLUMNS}; keep "
            "birth, death, dimension, sample, name and label",
        )
    for index, word in enumerate(header):
        role = _role(word)
        if role is None:
            continue
        if role in column:
            raise lines.upload.error(f"the header names {role} twice; rename one")
        column[role] = index
    if not {"birth", "death"} <= set(column):
        words = ", ".join(shown(word) for word in header[:6])
        raise lines.error(
            0,
            f"the first line is neither numbers nor a header with birth and death, but "
            f"{words}",
            cure="for a cloud of points use load_cloud, and swviz.sources.from_cloud",
            kind="cloud",
        )
    return column


def _read_cells(
    lines: Lines,
    start: int,
    separator: str | None,
    column: dict[str, int],
    width: int,
) -> dict[str, list[str]]:
    """Split the rows under a header, and keep the cells that have a role."""
    has_comments = not {"name", "label"} & set(column)
    cells: dict[str, list[str]] = {role: [] for role in column}
    for first in range(start, len(lines.kept), CHUNK):
        texts = lines.texts(range(first, min(first + CHUNK, len(lines.kept))))
        if has_comments:
            texts = [text.partition("#")[0] for text in texts]
        try:
            table = split_rows(texts, separator)
        except csv.Error:
            table = []
        # A quote that is left open makes one row of several lines.
        if len(table) != len(texts) or set(map(len, table)) != {width}:
            for index, text in enumerate(texts, start=first):
                found = len(split_cells(text, separator))
                if found != width:
                    raise lines.error(
                        index,
                        f"expected {width} columns as in the header, found {found}",
                    )
            raise lines.error(first, "a quote in this or a later line is left open")
        for role, index in column.items():
            cells[role] += [row[index] for row in table]
    return cells


@dataclass(frozen=True)
class _Body:
    """The rows under a header, numbered from 0."""

    lines: Lines
    start: int
    cells: dict[str, list[str]]

    def place(self, row: int) -> str:
        return self.lines.place(self.start + row)

    def numbers(self, role: str, chosen: NDArray[np.bool_]) -> Floats:
        """One column of the chosen rows."""
        cells = list(compress(self.cells[role], chosen))
        joined = ",".join(cells)
        try:
            # Python's float takes these two, and they are no numbers here.
            if "_" in joined or not joined.isascii():
                raise ValueError
            return np.array(list(map(float, cells)), dtype=np.float64)
        except ValueError:
            bad = next(i for i, cell in enumerate(cells) if not is_number(cell))
            raise self.lines.error(
                self.start + int(np.flatnonzero(chosen)[bad]),
                f"{shown(cells[bad])} is not a number; write a {role}, decimals with "
                "a point",
            ) from None

    def group_by_sample(self, rows: Rows, has_point: NDArray[np.bool_]) -> None:
        declares = np.array([bool(c.strip()) for c in self.cells["sample"]], np.bool_)
        chosen = has_point | declares
        keys = self.numbers("sample", chosen)
        places = np.flatnonzero(chosen)
        good = (np.abs(keys) <= _LARGEST_SAMPLE) & (keys == np.round(keys))
        if not good.all():
            bad = int(np.argmin(good))
            raise self.lines.error(
                self.start + int(places[bad]),
                f"sample {keys[bad]:g} is not a whole number",
            )
        distinct, first, inverse = np.unique(
            keys, return_index=True, return_inverse=True
        )
        rows.names = [f"{key:.0f}" for key in distinct]
        rows.sample = inverse[has_point[chosen]].astype(np.int64)
        self.read_names_and_labels(rows, places[first].tolist())

    def group_by_name(self, rows: Rows, has_point: NDArray[np.bool_]) -> None:
        first: dict[str, int] = {}
        for row, name in enumerate(self.cells["name"]):
            first.setdefault(name, row)
        rank = {name: position for position, name in enumerate(first)}
        sample = np.array([rank[name] for name in self.cells["name"]], dtype=np.int64)
        rows.sample = sample[has_point]
        self.read_names_and_labels(rows, list(first.values()))

    def read_names_and_labels(self, rows: Rows, firsts: list[int]) -> None:
        """Take the name and the label of each sample from its first row."""
        upload = self.lines.upload
        upload.check("max_diagrams", len(firsts), "samples")
        rows.n_samples = len(firsts)
        notes = _saved_notes(self.lines)
        clean = str.strip if notes is None else unescape
        if "name" in self.cells:
            rows.names = [clean(self.cells["name"][row]) for row in firsts]
        if "label" in self.cells:
            labels = [clean(self.cells["label"][row]) for row in firsts]
            type_name = None if notes is None else notes.get("labels")
            try:
                rows.labels = read_labels(labels, type_name)
            except (ValueError, OverflowError):
                raise upload.error(
                    f"not every label is of the type {shown(str(type_name))} that the "
                    f"file states; known are {', '.join(LABEL_TYPES)}"
                ) from None
        if notes is not None:
            rows.saved_provenance = notes["provenance"]


def _saved_notes(lines: Lines) -> dict[str, Any] | None:
    """Read the comments of a file written by `swviz.save`; None for others."""
    if lines.every[0].strip() != FIRST_LINE.encode():
        return None
    notes: dict[str, Any] = {"provenance": {}}
    for number, line in enumerate(lines.every[1:3], start=2):
        key, _, value = line.removeprefix(b"#").strip().partition(b":")
        if key == b"labels":
            notes["labels"] = value.strip().decode("utf-8", "replace")
        elif key == b"provenance":
            provenance = parse_json(lines.upload, value, first_line=number)
            if not isinstance(provenance, dict):
                raise lines.upload.error(
                    "the provenance is not a JSON object; remove the line",
                    f"line {number}",
                )
            notes["provenance"] = provenance
    return notes
