"""Classifiers in files that run no code when they are opened.

A saved classifier is a saved set of diagrams (:func:`swviz.save`): the training
samples with their labels, and in the provenance the kernel's name, its parameters and
C. Reading it trains the same machine again. Nothing is unpickled, and
:func:`swviz.load` reads the training samples of the very same file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, ParameterError, SwvizError
from swviz.estimators import check_unchanged
from swviz.files import Limits, load, save
from swviz.files.upload import DEFAULT_LIMITS, PathOrBytes
from swviz.kernels import (
    DiagramDistanceKernel,
    DiagramKernel,
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.learning.classifier import DiagramClassifier
from swviz.typing import Progress

FORMAT = "swviz classifier 1"
_KEY = "classifier"
_MOST = {"n_directions": 1000, "n_bins": 8192, "n_features": 10_000}
"""What a stranger's file may ask for of the parameters that cost time."""

_KERNELS: dict[str, Callable[..., DiagramKernel]] = {
    kernel.__name__: kernel
    for kernel in (
        SlicedWassersteinKernel,
        DiagramDistanceKernel,
        PersistenceScaleSpaceKernel,
        PersistenceWeightedGaussianKernel,
    )
}


def save_classifier(
    classifier: DiagramClassifier, path: str | os.PathLike[str]
) -> None:
    """Write a trained classifier; :func:`load_classifier` trains it again.

    Parameters
    ----------
    classifier : DiagramClassifier
        Fitted.
    path : str or path
        Ends in ``.npz`` (small and fast) or ``.csv`` (readable anywhere).

    Raises
    ------
    DiagramFileError
        If the ending is another one or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> machine = DiagramClassifier().fit([[(0, 1)], [(0, 3)]], ["short", "long"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_classifier(machine, folder + "/machine.npz")
    ...     again = load_classifier(folder + "/machine.npz")
    >>> again.predict([[(0, 2.9)]]).tolist()
    ['long']
    """
    if not isinstance(classifier, DiagramClassifier):
        raise ParameterError(
            f"only a DiagramClassifier can be saved, not {type(classifier).__name__}"
        )
    check_is_fitted(classifier)
    check_unchanged(classifier)
    save(with_recipe(classifier.kernel_, classifier.C, classifier.samples_), path)


def with_recipe(kernel: DiagramKernel, C: float, samples: DiagramSet) -> DiagramSet:
    """Put into a set's provenance how to train a classifier on it.

    Parameters
    ----------
    kernel : DiagramKernel
        One of this library's four.
    C : float
    samples : DiagramSet
        The training samples, with labels.

    Returns
    -------
    DiagramSet
    """
    name = type(kernel).__name__
    if name not in _KERNELS:
        raise DiagramFileError(
            f"a classifier with {name} cannot be saved: only with "
            + ", ".join(_KERNELS)
        )
    parameters = {
        key: _plain(value)
        for key, value in kernel.get_params(deep=False).items()
        if key != "n_jobs"
    }
    if "random_state" in parameters:
        # The seed that has been drawn, so that the same kernel is made again.
        parameters["random_state"] = kernel.drawn_seed()
    recipe = {
        "format": FORMAT,
        "kernel": name,
        "parameters": parameters,
        "C": float(C),
    }
    return DiagramSet(
        samples.diagrams,
        samples.labels,
        samples.names,
        {**samples.provenance, _KEY: recipe},
    )


def load_classifier(
    source: PathOrBytes,
    name: str | None = None,
    *,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress | None = None,
) -> DiagramClassifier:
    """Read a classifier and train it on the samples in the file.

    Parameters
    ----------
    source : str, path or bytes
        Written by :func:`save_classifier`.
    name : str, optional
        What to call it in messages; give the file's name along with bytes.
    limits : Limits
        How much is accepted; raise it for large files that you trust.
    progress : callable, optional
        As in ``DiagramClassifier.fit``, which takes most of the time.

    Returns
    -------
    DiagramClassifier

    Raises
    ------
    DiagramFileError
        If the file is no classifier, or asks for something that is not allowed.
    """
    samples = load(source, name, limits=limits)
    shown = name or (str(source) if isinstance(source, str | os.PathLike) else "file")
    recipe = samples.provenance.get(_KEY)
    if not isinstance(recipe, Mapping) or recipe.get("format") != FORMAT:
        raise DiagramFileError(
            f"{shown}: holds diagrams but no classifier; save one with "
            "swviz.learning.save_classifier or in the Learn view"
        )
    try:
        kernel = _kernel_of(recipe)
        return DiagramClassifier(kernel, recipe.get("C", 1.0)).fit(
            samples, progress=progress
        )
    except SwvizError as error:
        raise DiagramFileError(f"{shown}: cannot be trained again: {error}") from None


def _kernel_of(recipe: Mapping[str, Any]) -> DiagramKernel:
    """Make the kernel of a recipe that a stranger may have written."""
    kernel_name, given = recipe.get("kernel"), recipe.get("parameters")
    known_kernel = isinstance(kernel_name, str) and kernel_name in _KERNELS
    if not known_kernel or not isinstance(given, Mapping):
        raise DiagramFileError(f"its kernel must be one of {', '.join(_KERNELS)}")
    make = _KERNELS[str(kernel_name)]
    known = set(make().get_params(deep=False)) - {"n_jobs"}
    if not set(given) <= known:
        unknown = ", ".join(sorted(map(repr, set(given) - known)))
        raise DiagramFileError(f"{kernel_name} has no parameter {unknown}")
    parameters = {key: _from_plain(key, value) for key, value in given.items()}
    for key, most in _MOST.items():
        value = parameters.get(key)
        if isinstance(value, int) and value > most:
            raise DiagramFileError(f"{key} is {value}, more than {most}")
    kernel = make(**parameters)
    kernel.check_parameters()
    return kernel


def _plain(value: Any) -> Any:
    """Turn a parameter into what JSON can say."""
    if isinstance(value, Mapping):
        return {
            "by dimension": [
                [None if k is None else int(k), float(v)] for k, v in value.items()
            ]
        }
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set | frozenset | range):
        return [int(entry) for entry in value]
    return value.item() if hasattr(value, "item") else repr(value)


def _from_plain(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        entries = value.get("by dimension")
        if key in ("K", "rho", "weights") and isinstance(entries, list):
            try:
                return {(None if k is None else int(k)): float(v) for k, v in entries}
            except (TypeError, ValueError):
                pass
        raise DiagramFileError(f"{key} is damaged")
    if isinstance(value, list):
        whole = all(type(entry) is int and 0 <= entry <= 1000 for entry in value)
        if key != "dimensions" or not whole:
            raise DiagramFileError(f"{key} is damaged")
        return tuple(value)
    if key == "random_state" and (type(value) is not int or not 0 <= value < 2**32):
        raise DiagramFileError("random_state is damaged")
    return value
