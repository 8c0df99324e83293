"""Support vector machines on precomputed Gram matrices: splits, accuracies, one run."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.svm import SVC

from swviz import compat
from swviz.checks import check_count, check_positive, check_square
from swviz.diagrams import first_missing
from swviz.errors import ParameterError, shown
from swviz.results import Result, as_frame, brief, draw
from swviz.seeds import as_random_state
from swviz.typing import Floats, Ints

if TYPE_CHECKING:
    import pandas as pd

Split = tuple[Ints, Ints]

_ITERATIONS = 200_000
"""Steps of LIBSVM after which it stops: on Gram matrices with huge entries, as k_PSS
may have, it would go on for minutes and change no prediction."""


def as_labels(labels: ArrayLike | None, n_samples: int | None = None) -> NDArray[Any]:
    """Return labels as an array, or raise a ParameterError if one is missing.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
    n_samples : int, optional
        If given, how many there must be.

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if labels is None:
        raise ParameterError("there are no labels: pass the class of each sample")
    try:
        given = np.asarray(labels)
    except ValueError:
        raise ParameterError("labels must be a flat list, one a sample") from None
    if given.ndim != 1 or n_samples not in (None, len(given)):
        raise ParameterError(
            f"labels have shape {given.shape}"
            + ("" if n_samples is None else f", but there are {n_samples} samples")
            + ": give one a sample"
        )
    gap = first_missing(labels)
    if gap is not None:
        raise ParameterError(
            f"label {gap} is missing ({given[gap]}): leave out samples without one"
        )
    return given


def check_labels(labels: ArrayLike, n_samples: int) -> tuple[NDArray[Any], Ints]:
    """Check labels and number the classes.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
    n_samples : int

    Returns
    -------
    classes : ndarray of shape (n_classes,)
        Sorted.
    numbers : ndarray of shape (n_samples,), integer
        For each sample the index of its class.
    """
    given = as_labels(labels, n_samples)
    try:
        classes, numbers = np.unique(given, return_inverse=True)
    except TypeError:
        raise ParameterError(
            "labels are of kinds that cannot be put in order: make all of them text, "
            "or all of them numbers"
        ) from None
    if len(classes) < 2:
        raise ParameterError(
            f"all {n_samples} labels are equal: there is one class only, and a "
            "classifier needs two classes at least"
        )
    return classes, numbers


def check_indices(indices: ArrayLike, n_samples: int, name: str) -> Ints:
    """Return indices or a mask as distinct indices.

    Parameters
    ----------
    indices : array-like of int or bool
    n_samples : int
    name : str
        For the message.

    Returns
    -------
    ndarray of int
    """
    try:
        chosen = np.arange(n_samples)[np.asarray(indices)]
    except (IndexError, ValueError):
        raise ParameterError(
            f"{name} must hold indices below {n_samples}, or a mask of that length"
        ) from None
    if chosen.ndim != 1 or not len(chosen) or len(np.unique(chosen)) < len(chosen):
        raise ParameterError(f"{name} must hold at least one sample, and none twice")
    return chosen


def random_splits(
    labels: ArrayLike,
    n_splits: int = 10,
    test_size: float = 0.5,
    random_state: Any = None,
    *,
    stratify: bool = False,
) -> list[Split]:
    """Split samples at random into a training and a test part, several times.

    Parameters
    ----------
    labels : array-like of shape (n_samples,)
    n_splits : int, default=10
    test_size : float in (0, 1), default=0.5
    random_state : int, RandomState instance, Generator or None, default=None
    stratify : bool, default=False
        Split each class in proportion, if it has two samples and the parts have room
        for all classes.

    Returns
    -------
    list of (train, test)
        Indices.

    Notes
    -----
    For tuning, splits are better not stratified: in halves of equally many samples a
    class, machines with a tiny C do well that, on a training set with one sample more
    in one class, predict nothing but that class.

    Examples
    --------
    >>> train, test = random_splits(["a", "a", "b", "b"], 1, random_state=0)[0]
    >>> len(train), len(test)
    (2, 2)
    """
    given = as_labels(labels)
    _, numbers = check_labels(given, len(given))
    n_splits = check_count(n_splits, "n_splits", 10_000)
    if not 0 < check_positive(test_size, "test_size") < 1:
        raise ParameterError(
            f"test_size must be between 0 and 1, not {shown(test_size)}"
        )
    sizes = np.bincount(numbers)
    n_test = int(np.ceil(test_size * len(given)))
    room = min(n_test, len(given) - n_test)
    if room < 1:
        raise ParameterError(
            f"{len(given)} samples cannot be split into two parts: add some, or change "
            f"test_size={test_size:g}"
        )
    kind = (
        StratifiedShuffleSplit
        if stratify and sizes.min() >= 2 and room >= len(sizes)
        else ShuffleSplit
    )
    random = as_random_state(random_state)
    splitter = kind(n_splits, test_size=n_test, random_state=random)
    return [(train, test) for train, test in splitter.split(numbers, numbers)]


def split_accuracies(
    gram: Floats, labels: Ints, split: Split, C: Sequence[float]
) -> Floats:
    """Train on one part of a Gram matrix and test on the other, for several C.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    labels : ndarray of shape (n,), integer
    split : (train, test)
    C : sequence of float

    Returns
    -------
    ndarray of shape (len(C),)
        Accuracies. If the training part has one class only, that is the prediction.
    """
    train, test = split
    known, truth = labels[train], labels[test]
    if (known == known[0]).all():
        return np.full(len(C), np.mean(truth == known[0]))
    inner = np.ascontiguousarray(gram[np.ix_(train, train)])
    outer = np.ascontiguousarray(gram[np.ix_(test, train)])
    return np.array([np.mean(_predict(inner, known, outer, c) == truth) for c in C])


def _predict(inner: Floats, labels: Ints, outer: Floats, C: float) -> NDArray[Any]:
    """Train on checked arrays and return the predictions."""
    said = compat.svm_predictions(inner, labels, outer, C, _ITERATIONS)
    if said is not None:
        return said
    with config_context(assume_finite=True, skip_parameter_validation=True):
        return np.asarray(fit_svm(inner, labels, C).predict(outer))


def fit_svm(gram: Floats, labels: NDArray[Any], C: float) -> SVC:
    """Train LIBSVM's C-SVM on a Gram matrix.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    labels : ndarray of shape (n,)
    C : float

    Returns
    -------
    SVC
    """
    machine = SVC(C=C, kernel="precomputed", max_iter=_ITERATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(gram, labels)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Result):
    """One support vector machine, looked at from all sides.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
    train_accuracy, test_accuracy : float
    cv_accuracy, cv_spread : float
        Mean and standard deviation over random halves of the training set; NaN if
        none were asked for.
    predictions : ndarray of shape (n_test,)
    decision_values : ndarray of shape (n_test, n_classes)
        The larger, the more of that class.
    confusion : ndarray of shape (n_classes, n_classes), integer
        Test samples by true class (rows) and predicted class (columns).
    support : ndarray of int
        Support vectors, as indices into all samples.
    machine : SVC
        The machine itself: it takes rows of kernel values with the training samples
        and answers with indices into `classes`.
    """

    classes: NDArray[Any]
    train_accuracy: float
    test_accuracy: float
    cv_accuracy: float
    cv_spread: float
    predictions: NDArray[Any]
    decision_values: Floats
    confusion: Ints
    support: Ints
    machine: SVC

    def summary(self) -> dict[str, str]:
        """Return what is worth a line: words by what they are about."""
        facts = {"test accuracy": f"{self.test_accuracy:.1%}"}
        if np.isfinite(self.cv_accuracy):
            spread = f"{self.cv_accuracy:.1%} ± {self.cv_spread:.1%}"
            facts["cross-validated"] = spread
        return facts | {
            "training": f"{self.train_accuracy:.1%}",
            "classes": brief(self.classes),
            "support vectors": str(len(self.support)),
        }

    def frame(self) -> pd.DataFrame:
        """Return the test samples as a data frame, a row each, in their order.

        Returns
        -------
        pandas.DataFrame
            Columns predicted, and for each class its decision value.
        """
        values = zip(self.classes, self.decision_values.T, strict=True)
        return as_frame(
            {
                "predicted": self.predictions,
                **{f"value of {label}": column for label, column in values},
            }
        )

    def plot(self) -> Any:
        """Draw who is taken for whom: `swviz.plot.confusion`."""
        return draw("confusion", self)


def evaluate_svm(
    gram: ArrayLike,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    C: float = 1.0,
    *,
    n_splits: int = 0,
    random_state: Any = 0,
) -> Evaluation:
    """Train and test one support vector machine on a Gram matrix: milliseconds.

    Parameters
    ----------
    gram : array-like of shape (n, n)
        Of all samples; for a distance,
        :func:`swviz.kernels.kernel_from_distances` makes it for any sigma.
    labels : array-like of shape (n,)
    train, test : array-likes of int, or masks
    C : float, default=1.0
    n_splits : int, default=0
        Random halves of the training set to cross-validate on.
    random_state : int, RandomState instance, Generator or None, default=0
        For these.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import numpy as np
    >>> from swviz.kernels import kernel_from_distances
    >>> x = np.array([0.0, 1.0, 5.0, 6.0, 0.5, 5.5])
    >>> gram = kernel_from_distances(np.abs(x[:, None] - x), sigma=1.0)
    >>> found = evaluate_svm(gram, list("aabbab"), train=range(4), test=[4, 5])
    >>> found.test_accuracy, found.predictions.tolist(), found.support.tolist()
    (1.0, ['a', 'b'], [0, 1, 2, 3])
    """
    found, _ = evaluate_and_predict_all(
        check_square(gram, "gram"),
        labels,
        train,
        test,
        C,
        n_splits=n_splits,
        random_state=random_state,
    )
    return found


def evaluate_and_predict_all(
    matrix: Floats,
    labels: ArrayLike,
    train: ArrayLike,
    test: ArrayLike,
    C: float,
    *,
    n_splits: int,
    random_state: Any,
) -> tuple[Evaluation, NDArray[Any]]:
    """Train and test one machine, and ask it about every sample.

    Parameters
    ----------
    matrix : ndarray of shape (n, n)
        A checked Gram matrix.
    labels, train, test, C, n_splits, random_state
        As in :func:`evaluate_svm`.

    Returns
    -------
    found : Evaluation
    predictions : ndarray of shape (n,)
        Of all samples, those neither trained nor tested on too.
    """
    C = check_positive(C, "C")
    train = check_indices(train, len(matrix), "train")
    test = check_indices(test, len(matrix), "test")
    given = as_labels(labels)
    classes, numbers = check_labels(given, len(matrix))
    known, _ = check_labels(given[train], len(train))
    columns = np.ascontiguousarray(matrix[:, train])
    inner = columns[train]
    # Everything has been checked.
    with config_context(assume_finite=True, skip_parameter_validation=True):
        machine = fit_svm(inner, numbers[train], C)
        said = machine.predict(columns)
        values = machine.decision_function(columns[test])
    decision = np.full((len(test), len(classes)), -np.inf)
    if len(known) == 2:
        values = np.stack([-values, values], axis=1)
    decision[:, machine.classes_] = values
    scores = np.full(1, np.nan)
    if n_splits:
        halves = random_splits(given[train], n_splits, 0.5, random_state)
        scores = np.array(
            [split_accuracies(inner, numbers[train], half, [C])[0] for half in halves]
        )
    right = said == numbers
    confusion = np.zeros((len(classes), len(classes)), dtype=np.intp)
    np.add.at(confusion, (numbers[test], said[test]), 1)
    found = Evaluation(
        classes=classes,
        train_accuracy=float(np.mean(right[train])),
        test_accuracy=float(np.mean(right[test])),
        cv_accuracy=float(scores.mean()),
        cv_spread=float(scores.std()),
        predictions=classes[said[test]],
        decision_values=decision,
        confusion=confusion,
        support=train[machine.support_],
        machine=machine,
    )
    return found, classes[said]
