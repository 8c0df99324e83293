"""What the library knows of the inside of scikit-learn: no other module may.

Reason: tuning trains thousands of small support vector machines, and around each of
them ``SVC`` checks what has been checked already, even with ``assume_finite`` and
``skip_parameter_validation``. The paper's grid on 250 samples takes three times as long
that way, on 32 samples ten times, and a step of a slider in the dashboard a third
longer (``python -m benchmarks.learn_speed`` prints both ways).

Tried with scikit-learn 1.9.1. Another release is asked first, once, whether it still
predicts what ``SVC`` does on a small example; if not, or with ``SWVIZ_COMPAT=off`` in
the environment, ``SVC`` does the work: slower, the same predictions.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from swviz.typing import Floats, Ints

try:
    from sklearn.svm import _libsvm as libsvm
except ImportError:
    libsvm = None

_KIND = {"svm_type": 0, "kernel": "precomputed"}


def svm_predictions(
    inner: Floats, labels: Ints, outer: Floats, C: float, max_iter: int
) -> NDArray[Any] | None:
    """Train LIBSVM's C-SVM on a Gram matrix and return its predictions.

    Parameters
    ----------
    inner : ndarray of shape (n_train, n_train)
        C-contiguous, checked.
    labels : ndarray of shape (n_train,)
        Two classes at least.
    outer : ndarray of shape (n_test, n_train)
        C-contiguous, checked.
    C : float
    max_iter : int

    Returns
    -------
    ndarray of shape (n_test,) or None
        None if there is no such way, or the machine is not finite: use ``SVC``, which
        says what is wrong.
    """
    return _predict(inner, labels, outer, C, max_iter) if is_usable() else None


@cache
def is_usable() -> bool:
    """Tell whether LIBSVM can be called directly, and predicts what ``SVC`` does."""
    off = os.environ.get("SWVIZ_COMPAT", "on").lower() in ("off", "0", "no")
    if libsvm is None or off:
        return False
    x = np.array([0.0, 1.0, 2.0, 5.0, 6.0, 9.0, 9.5, 5.2])
    labels = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    gram = np.exp(-np.abs(x[:, None] - x))
    expected = SVC(C=1.0, kernel="precomputed").fit(gram, labels).predict(gram)
    try:
        found = _predict(gram, labels, gram, 1.0, -1)
    except Exception:  # whatever another release does with such a call
        return False
    return found is not None and np.array_equal(found, expected)


def _predict(
    inner: Floats, labels: Ints, outer: Floats, C: float, max_iter: int
) -> NDArray[Any] | None:
    libsvm.set_verbosity_wrap(0)
    classes, numbers = np.unique(labels, return_inverse=True)
    known = numbers.astype(np.float64)
    *machine, _, _ = libsvm.fit(inner, known, C=C, max_iter=max_iter, **_KIND)
    # Coefficients and intercepts.
    if not all(np.isfinite(part).all() for part in machine[3:5]):
        return None
    return classes[libsvm.predict(outer, *machine, **_KIND).astype(np.intp)]
