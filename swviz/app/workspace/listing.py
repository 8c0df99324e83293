"""Values of the page as they stand in lines of Python that a user copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator


def literal(value: Any) -> str:
    """Return the Python text of a value, without the dust of binary fractions.

    Parameters
    ----------
    value : bool, number, str, None, array, or a sequence or mapping of these
        Arrays become lists, their rows tuples.

    Returns
    -------
    str
        Numbers have twelve digits at most: more than the page shows of any.

    Examples
    --------
    >>> literal(0.1 + 0.05), literal(3), literal({"t": 2e-7})
    ('0.15', '3', "{'t': 2e-07}")
    >>> literal(np.array([[0, 1], [0.5, 2.25]]))
    '[(0.0, 1.0), (0.5, 2.25)]'
    """
    if isinstance(value, np.ndarray):
        value = [tuple(row) if np.ndim(row) else row for row in value]
    if isinstance(value, Mapping):
        pairs = (f"{literal(k)}: {literal(v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, tuple):
        ending = ",)" if len(value) == 1 else ")"
        return "(" + ", ".join(map(literal, value)) + ending
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return repr(float(f"{value:.12g}"))
    return repr(value)


def call(estimator: BaseEstimator) -> str:
    """Return the Python text that makes an estimator.

    Returns
    -------
    str
        With the parameters that are not as they are by default.

    Examples
    --------
    >>> from swviz import SlicedWassersteinKernel
    >>> call(SlicedWassersteinKernel(sigma=0.1 + 0.05))
    'SlicedWassersteinKernel(sigma=0.15)'
    """
    usual = type(estimator)().get_params()
    given = {
        name: value
        for name, value in estimator.get_params().items()
        if value != usual[name]
    }
    listed = ", ".join(f"{name}={literal(value)}" for name, value in given.items())
    return f"{type(estimator).__name__}({listed})"
