r"""Names and labels as cells of a csv file.

A cell cannot hold a line break, and a file cannot hold half a surrogate pair. In the
files that `swviz.save` writes, such characters and the backslash are written as
``\u000a``, so that every name comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.files.lines import is_number

_TO_ESCAPE = re.compile("[\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")
_WHOLE = re.compile(r"[+-]?\d{1,20}", re.ASCII)
LABEL_TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
    *("uint64", "float16", "float32", "float64", "str"),
)


def quote(text: str) -> str:
    r"""Write text as one cell of a csv file.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(quote('a "b"\n'))
    "a ""b""\u000a"
    """
    escaped = _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return '"' + escaped.replace('"', '""') + '"'


def unescape(cell: str) -> str:
    r"""Read what :func:`quote` wrote, once the quotes are gone.

    Parameters
    ----------
    cell : str

    Returns
    -------
    str

    Examples
    --------
    >>> unescape(r"a\u005cb")
    'a\\b'
    """
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), cell)


def label_type(labels: NDArray[Any]) -> str:
    """Name of the type of labels, one of `LABEL_TYPES`.

    Parameters
    ----------
    labels : ndarray

    Returns
    -------
    str
    """
    if labels.dtype.kind == "U":
        return "str"
    # Wider floats than float64 exist on some machines only.
    return labels.dtype.name if labels.dtype.name in LABEL_TYPES else "float64"


def read_labels(cells: Sequence[str], type_name: str | None) -> NDArray[Any]:
    """Labels from cells.

    Parameters
    ----------
    cells : sequence of str
    type_name : str or None
        One of `LABEL_TYPES`; by default integers if all are, else numbers if all
        are, else text.

    Returns
    -------
    ndarray of shape (len(cells),)

    Raises
    ------
    ValueError, OverflowError
        If a cell is not of that type.
    """
    if type_name is None:
        if all(_WHOLE.fullmatch(cell) for cell in cells):
            type_name = "int64"
        else:
            type_name = "float64" if all(map(is_number, cells)) else "str"
    if type_name not in LABEL_TYPES:
        raise ValueError(f"unknown type {type_name}")
    if type_name == "str":
        return np.array(cells, dtype=np.str_)
    if type_name == "bool":
        if not set(cells) <= {"True", "False"}:
            raise ValueError("labels must be True or False")
        return np.array([cell == "True" for cell in cells], dtype=np.bool_)
    if type_name.startswith("float"):
        with np.errstate(over="ignore"):
            return np.array([float(cell) for cell in cells]).astype(type_name)
    return np.array([int(cell) for cell in cells], dtype=type_name)
