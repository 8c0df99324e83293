"""What the names of files say about classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

LabelRule = Literal["folder", "prefix"]
"""Where labels come from: the folder of each file, or the start of its name."""

_NUMBER_AT_THE_END = re.compile(r"[\s_.\-(\[#]*\d+[)\]]?$")


def labels_from_names(
    names: Sequence[str],
) -> tuple[list[str] | None, LabelRule | None]:
    """Read the class of each file from its name, if the names tell classes apart.

    Parameters
    ----------
    names : sequence of str
        Names of files, perhaps with the folders that they lie in.

    Returns
    -------
    labels : list of str or None
        One for each file; None if the names give no classes.
    how : {"folder", "prefix"} or None
        "folder": the files lie in more than one folder, and the label is the name of
        the folder next to the file. "prefix": the label is the file's name without its
        ending and the number before that, if this gives several classes, but less than
        files.

    Examples
    --------
    >>> labels_from_names(["cat/0.csv", "cat/1.csv", "dog/0.csv"])
    (['cat', 'cat', 'dog'], 'folder')
    >>> labels_from_names(["cat_0.csv", "cat 12.csv", "dog7.csv"])
    (['cat', 'cat', 'dog'], 'prefix')
    >>> labels_from_names(["0.csv", "1.csv"])
    (None, None)
    """
    paths = [name.replace("\\", "/").split("/") for name in names]
    folders = [path[-2] if len(path) > 1 else "" for path in paths]
    if all(folders) and len(set(folders)) > 1:
        return folders, "folder"
    prefixes = [_prefix(path[-1]) for path in paths]
    if all(prefixes) and 1 < len(set(prefixes)) < len(prefixes):
        return prefixes, "prefix"
    return None, None


def _prefix(name: str) -> str:
    stem = name.rpartition(".")[0] or name
    return _NUMBER_AT_THE_END.sub("", stem).strip()
