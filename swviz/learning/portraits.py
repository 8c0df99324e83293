"""One trained machine drawn from all sides: map, decision ground, mistakes."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.svm import SVC

from swviz.checks import check_square
from swviz.errors import ParameterError
from swviz.learning.maps import KernelMap, kernel_pca
from swviz.learning.svm import Evaluation, check_indices, evaluate_and_predict_all
from swviz.results import Result, draw
from swviz.typing import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Plane(Result):
    """A machine's decisions on the plane of a map: each is affine there.

    Parameters
    ----------
    classes : ndarray of shape (k,), integer
        Indices of the classes that the machine knows.
    values : ndarray of shape (3, k * (k - 1) / 2)
        Constant, slope along the first and along the second component, for each pair
        of classes; above 0 the pair's first class wins.
    """

    classes: Ints
    values: Floats

    def predict(self, coordinates: ArrayLike) -> Ints:
        """Classes at points of the plane.

        Parameters
        ----------
        coordinates : array-like of shape (..., 2)

        Returns
        -------
        ndarray of shape (...), integer
        """
        places = np.asarray(coordinates, dtype=np.float64)
        constant, along, up = self.values
        first, second = np.triu_indices(len(self.classes), 1)
        votes = np.zeros((*places.shape[:-1], len(self.classes)), dtype=np.int16)
        for pair, (i, j) in enumerate(zip(first, second, strict=True)):
            value = constant[pair] + places @ [along[pair], up[pair]]
            votes[..., i] += value > 0
            votes[..., j] += value <= 0
        return self.classes[votes.argmax(axis=-1)]

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        return {"classes": str(len(self.classes))}


@dataclass(frozen=True, eq=False, repr=False)
class Portrait(Result):
    """What one bandwidth and one C make of a data set.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    map : KernelMap
        Two components.
    similarity : float
        Median kernel value of two different samples, as a part of their own: near 0
        each sample is alike only to itself, near 1 all are alike.
    evaluation : Evaluation or None
        None without two classes to tell apart.
    predictions : ndarray of shape (n,) or None
        What the machine says of every sample, training ones too.
    plane : Plane or None
        The machine on the plane of the map.
    """

    gram: Floats
    map: KernelMap
    similarity: float
    evaluation: Evaluation | None = None
    predictions: NDArray[Any] | None = None
    plane: Plane | None = None

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        facts = {
            "samples": str(len(self.gram)),
            "median similarity": f"{self.similarity:.3g}",
        }
        if self.evaluation is not None:
            facts["test accuracy"] = f"{self.evaluation.test_accuracy:.1%}"
        return facts

    def frame(self) -> pd.DataFrame:
        """Return the map as a data frame, a row for each sample.

        Returns
        -------
        pandas.DataFrame
            Columns sample, component_1, component_2, and predicted if there is a
            machine.
        """
        frame = self.map.frame()
        if self.predictions is None:
            return frame
        return frame.assign(predicted=self.predictions)

    def plot(self, labels: ArrayLike | None = None, **options: Any) -> Any:
        """Draw the map, with the machine's ground below it.

        Parameters
        ----------
        labels : array-like of shape (n,), optional
            Classes of the samples, for colours and mistakes.
        **options
            Of :func:`swviz.plot.kernel_map`.

        Returns
        -------
        hv.Overlay
        """
        return draw("kernel_map", self, labels, **options)


def map_samples(gram: ArrayLike, reference: ArrayLike | None = None) -> Portrait:
    """Map samples by kernel PCA, with no machine.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        Of at least one sample.
    reference : array-like of shape (n, 2), optional
        Coordinates of an earlier map: components are turned to point the same way, so
        that a map that is drawn again and again does not flip.

    Returns
    -------
    Portrait
    """
    matrix = check_square(gram, "gram")
    if not len(matrix):
        raise ParameterError("there are no samples to map")
    return Portrait(matrix, _plane_map(matrix, reference), _similarity(matrix))


def train_portrait(
    gram: ArrayLike,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    C: float = 1.0,
    *,
    n_splits: int = 10,
    random_state: Any = 0,
    reference: ArrayLike | None = None,
) -> Portrait:
    """Train a support vector machine and draw it from all sides.

    Parameters
    ----------
    gram, labels, train, test, C, n_splits, random_state
        As in :func:`swviz.learning.evaluate_svm`.
    reference : array-like of shape (n, 2), optional
        As in :func:`map_samples`.

    Returns
    -------
    Portrait

    Notes
    -----
    For 250 samples about 20 ms, of which cross-validation is most.

    In the Hilbert space of the kernel the machine is linear. The plane of the map goes
    through the mean of the samples along the first two components, and there the
    machine's decisions are affine functions of the coordinates: `plane` holds exactly
    them. Samples lie off that plane, so that a sample may be given another class than
    the ground below it has.
    """
    base = map_samples(gram, reference)
    found, predictions = evaluate_and_predict_all(
        base.gram, labels, train, test, C, n_splits=n_splits, random_state=random_state
    )
    chosen = check_indices(train, len(base.gram), "train")
    return replace(
        base,
        evaluation=found,
        predictions=predictions,
        plane=machine_on_plane(found.machine, base.gram, chosen, base.map),
    )


def machine_on_plane(
    machine: SVC, gram: Floats, train: Ints, where: KernelMap
) -> Plane:
    """Restrict a machine to the plane of a map.

    Parameters
    ----------
    machine : SVC
        Trained on the rows and columns `train` of `gram`.
    gram : ndarray of shape (n, n)
    train : ndarray of int
    where : KernelMap
        Of `gram`, with two components.

    Returns
    -------
    Plane
    """
    # Inner products of the training samples with the mean and with both components.
    middle = where.column_means[train]
    slopes = (gram[train] @ where.axes).T
    rows = np.ascontiguousarray(middle + np.vstack([np.zeros(len(train)), slopes]))
    pairwise = copy.copy(machine)
    pairwise.decision_function_shape = "ovo"
    with config_context(assume_finite=True):
        values = pairwise.decision_function(rows)
    if values.ndim == 1:
        # Of two classes scikit-learn gives the second the positive sign.
        values = -values[:, None]
    values[1:] -= values[0]
    return Plane(machine.classes_.astype(np.intp), values)


def _plane_map(gram: Floats, reference: ArrayLike | None) -> KernelMap:
    found = kernel_pca(gram, min(2, len(gram)))
    missing = 2 - found.coordinates.shape[1]
    wide = ((0, 0), (0, missing))
    coordinates, axes = np.pad(found.coordinates, wide), np.pad(found.axes, wide)
    signs = np.ones(2)
    if reference is not None and np.shape(reference) == coordinates.shape:
        along = np.sum(coordinates * np.asarray(reference), axis=0)
        signs = np.where(along < 0, -1.0, 1.0)
    return KernelMap(
        coordinates * signs,
        np.pad(found.explained, (0, missing)),
        axes * signs,
        found.column_means,
    )


def _similarity(gram: Floats) -> float:
    if len(gram) < 2:
        return 1.0
    own = np.sqrt(np.maximum(gram.diagonal(), 0.0))
    scale = np.outer(own, own)
    # Beside an empty diagram k_PSS is 0 whatever the other one is.
    parts = np.divide(gram, scale, out=np.zeros_like(gram), where=scale > 0)
    return float(np.median(parts[np.triu_indices(len(gram), 1)]))
