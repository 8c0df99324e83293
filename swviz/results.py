"""What results have in common: few words on a line, a small table, a picture.

A result is a dataclass of arrays, which may be long. It is shown by what is worth a
line, its :meth:`~Result.summary`; its numbers are in its attributes, and as a data
frame in ``frame()``. pandas and HoloViews are loaded when a frame or a picture is asked
for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_LONGEST = 60
"""Characters of a value in a summary."""


class Result:
    """Something with a summary, which is how it is shown.

    Examples
    --------
    >>> class Found(Result):
    ...     def summary(self):
    ...         return {"distance": "0.5", "name": "a < b"}
    >>> Found()
    <Found: distance 0.5, name a < b>
    """

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {}

    def __repr__(self) -> str:
        facts = ", ".join(f"{key} {_cut(text)}" for key, text in self.summary().items())
        return f"<{type(self).__name__}{': ' if facts else ''}{facts}>"

    def _repr_html_(self) -> str:
        return html_table(type(self).__name__, self.summary())


def html_table(title: str, facts: Mapping[str, str]) -> str:
    """Write facts as a small table for notebooks.

    Parameters
    ----------
    title : str
    facts : mapping of str to str

    Returns
    -------
    str
        HTML in which all that was given is text.

    Examples
    --------
    >>> "&lt;b&gt;" in html_table("A set", {"name": "<b>"})
    True
    """
    rows = "".join(
        f'<tr><th style="text-align: left">{escape(key)}</th>'
        f'<td style="text-align: left">{escape(_cut(words))}</td></tr>'
        for key, words in facts.items()
    )
    return f"<div><strong>{escape(title)}</strong><table>{rows}</table></div>"


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else words[: _LONGEST - 3] + "..."


def brief(values: Iterable[object], most: int = 6) -> str:
    """List values in a few words.

    Parameters
    ----------
    values : iterable
    most : int, default=6
        How many are named.

    Returns
    -------
    str

    Examples
    --------
    >>> brief("abc"), brief(range(100), 3)
    ('a, b, c', '0, 1, 2, ... (100)')
    """
    several = [str(value) for value in values]
    if len(several) <= most:
        return ", ".join(several)
    return f"{', '.join(several[:most])}, ... ({len(several)})"


def as_frame(*parts: Mapping[str, Any]) -> pd.DataFrame:
    """Make a data frame of columns; pandas is loaded now.

    Parameters
    ----------
    *parts : mappings of str to array-like of shape (n_i,)
        One at least; their rows come below each other. A value that is no array is
        that of all rows.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> as_frame({"rule": "paper", "M": [4, 8]}, {"rule": "random", "M": [4]})
         rule  M
    0   paper  4
    1   paper  8
    2  random  4
    """
    import pandas as pd

    frames = [pd.DataFrame(dict(columns)) for columns in parts]
    return pd.concat(frames, ignore_index=True)


def draw(picture: str, *given: Any, **options: Any) -> Any:
    """Draw a picture of :mod:`swviz.plot`, which is loaded now.

    The one place from which a room reaches up to `swviz.plot`: inside of this call, so
    that no room needs it to be imported.

    Parameters
    ----------
    picture : str
        Name of the function.
    *given, **options
        What it takes.

    Returns
    -------
    hv.Overlay
    """
    from swviz import plot

    return getattr(plot, picture)(*given, **options)
