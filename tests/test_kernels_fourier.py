"""Random Fourier features of k_PWG."""

import numpy as np
import pytest

from swviz import ParameterError
from swviz.kernels.fourier import fourier_sums

RNG = np.random.default_rng(0)
X = [np.sort(RNG.random((n, 2)), axis=1) for n in (7, 3, 1, 0)]
# Equal points count as often as they are there.
X[0] = np.concatenate([X[0], X[0][:3]])
K, RHO, P, D = [0.3, 3.0], 0.7, 2, 30


def slow_sums(diagram, scale):
    """sqrt(2 / D) cos(<w, x> + b), point by point, feature by feature."""
    random = np.random.RandomState(5)
    frequencies = random.normal(size=(2, D)) / RHO
    phases = random.uniform(0, 2 * np.pi, D)
    sums = np.zeros(D)
    for birth, death in diagram:
        weight = np.arctan(scale * (death - birth) ** P)
        for feature in range(D):
            turned = (birth + death) / 2**0.5, (death - birth) / 2**0.5
            angle = turned @ frequencies[:, feature] + phases[feature]
            sums[feature] += weight * np.cos(angle)
    return sums * (2 / D) ** 0.5


@pytest.mark.parametrize(
    ("precision", "tolerance"), [(np.float64, 1e-13), (np.float32, 3e-6)]
)
def test_sums_are_those_of_the_definition(precision, tolerance):
    sums = fourier_sums(X, K, RHO, P, D, 5, precision=precision)
    assert sums.shape == (2, len(X), D)
    assert sums.dtype == np.float64
    for scale, ours in zip(K, sums, strict=True):
        expected = [slow_sums(diagram, scale) for diagram in X]
        np.testing.assert_allclose(ours, expected, rtol=0, atol=tolerance)


def test_batches_change_nothing(monkeypatch):
    whole = fourier_sums(X, K, RHO, P, D, 5)
    monkeypatch.setattr("swviz.kernels.fourier._BATCH", 2)
    np.testing.assert_allclose(fourier_sums(X, K, RHO, P, D, 5), whole, atol=1e-14)


@pytest.mark.parametrize("precision", [np.float64, np.float32])
def test_gaussians_that_are_too_narrow_are_refused(precision):
    with pytest.raises(ParameterError, match="too narrow"):
        fourier_sums(X, K, 1e-320, P, D, precision=precision)
