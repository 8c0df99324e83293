"""Every mistake that a user can make ends in one of these.

Catch :class:`SwvizError` to catch them all. They are ``ValueError`` too, so that
code written for scikit-learn's conventions keeps working.
"""

_SHOWN_CHARACTERS = 80


class SwvizError(ValueError):
    """Something about the input is not as it has to be; the message says what to do."""


class DiagramError(SwvizError):
    """An array that is not a persistence diagram, or not one that can be used here."""


class DiagramFileError(SwvizError):
    """A file or upload that cannot be read as diagrams, a cloud, a mesh or an image.

    Parameters
    ----------
    message : str
    problem : str, optional
        The message without what to do about it.
    kind : str, default=""
        "limit", "cloud", "image", "mesh" or "pickle" where a program may know a cure
        of its own that fits its users better than the library's.
    limit : str, default=""
        The field of :class:`swviz.files.Limits` that the file exceeds.
    """

    def __init__(
        self,
        message: str = "",
        *,
        problem: str | None = None,
        kind: str = "",
        limit: str = "",
    ) -> None:
        super().__init__(message)
        self.problem = message if problem is None else problem
        self.kind = kind
        self.limit = limit


class ParameterError(SwvizError):
    """A parameter outside its range."""


class MissingPackageError(SwvizError, ImportError):
    """A package that is needed here cannot be loaded; the message says how to get it.

    It is an ``ImportError`` too.
    """


def shown(value: object) -> str:
    """Write a value into a message: short, whatever it is.

    Parameters
    ----------
    value : object

    Returns
    -------
    str

    Examples
    --------
    >>> shown("x"), shown(10**5000)
    ("'x'", 'a huge number')
    """
    try:
        text = repr(value)
    except ValueError:  # Python's own limit for the digits of an int
        return "a huge number"
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."
