"""Packages that are loaded when they are needed, with a word if they are not there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from swviz.errors import MissingPackageError


def load_package(module: str, purpose: str) -> Any:
    """Import a module of another package, now.

    Parameters
    ----------
    module : str
        Such as "gudhi" or "gudhi.sklearn".
    purpose : str
        What it is needed for, to begin the message with.

    Returns
    -------
    module

    Raises
    ------
    MissingPackageError
        If the package is not installed, or does not load.

    Examples
    --------
    >>> load_package("math", "Roots").sqrt(4)
    2.0
    >>> load_package("no_such_package", "Tea")
    Traceback (most recent call last):
        ...
    swviz.errors.MissingPackageError: Tea need no_such_package, which cannot be loaded
    (No module named 'no_such_package'): install it with "pip install no_such_package"
    or "conda install -c conda-forge no_such_package"
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.split(".")[0]
        raise MissingPackageError(
            f"{purpose} need {package}, which cannot be loaded ({error}): install it "
            f'with "pip install {package}" or "conda install -c conda-forge {package}"'
        ) from error
