import numpy as np
import pytest

from swviz import (
    ParameterError,
    diagram_distance_matrix,
    sliced_wasserstein_matrix,
)
from swviz.kernels import kernel_from_distances
from swviz.sources import d1_counterexample
from swviz.studies import (
    conditional_negativity,
    eigenvalues,
    rounding,
    six_diagrams,
    smallest_eigenvalues,
    smallest_over_sigma,
)

RNG = np.random.default_rng(0)


def test_the_gaussian_on_d1_has_a_negative_eigenvalue_and_k_sw_has_none():
    six = d1_counterexample().in_dimension(1)
    d1, sw = (
        diagram_distance_matrix(six),
        sliced_wasserstein_matrix(six, n_directions="exact"),
    )
    s = np.exp(-1 / (2 * 1.5**2))
    closed_form = 1 + 2 * s**2 - np.sqrt(s**4 + 8 * s**2)
    spectrum = eigenvalues(kernel_from_distances(d1, 1.5))
    assert spectrum[-1] == pytest.approx(closed_form)
    assert (np.diff(spectrum) <= 0).all()
    sigmas = np.logspace(-1, 2, 31)
    assert smallest_eigenvalues(d1, sigmas).min() < -0.07
    assert smallest_eigenvalues(sw, sigmas).min() > -1e-12
    assert smallest_eigenvalues(d1, [1.5])[0] == pytest.approx(closed_form)


def test_eigenvalues_of_bad_matrices_are_refused():
    with pytest.raises(ParameterError, match="square"):
        eigenvalues([[1, 2]])
    with pytest.raises(ParameterError, match="empty"):
        smallest_eigenvalues(np.zeros((0, 0)), [1.0])
    with pytest.raises(ParameterError, match="sigma"):
        smallest_eigenvalues(np.zeros((2, 2)), [0.0])


def test_conditional_negativity():
    points = RNG.normal(size=(9, 3))
    apart = np.abs(points[:, None] - points).sum(axis=2)
    assert conditional_negativity(apart) < 0
    # On a line three points and the squared distance make a degenerate form.
    line = np.arange(3.0)
    squared = (line[:, None] - line) ** 2
    assert conditional_negativity(squared) == pytest.approx(0, abs=1e-12)
    c = RNG.normal(size=9)
    c -= c.mean()
    c /= np.linalg.norm(c)
    matrix = RNG.normal(size=(9, 9))
    matrix += matrix.T
    assert c @ matrix @ c <= conditional_negativity(matrix) + 1e-12
    centring = np.eye(9) - 1 / 9
    top = np.linalg.eigvalsh(centring @ matrix @ centring).max()
    assert conditional_negativity(matrix) == pytest.approx(top)
    with pytest.raises(ParameterError, match="at least two"):
        conditional_negativity([[0.0]])


def test_the_sweep_goes_through_the_root_of_the_median():
    six = six_diagrams()
    sigmas, curves = smallest_over_sigma(six)
    middle = sigmas[len(sigmas) // 2]
    positive = np.concatenate([matrix[matrix > 0] for matrix in six.values()])
    assert middle == pytest.approx(np.sqrt(np.median(positive)))
    assert sigmas[-1] / sigmas[0] == pytest.approx(1000)
    for name, curve in curves.items():
        for sigma, value in zip(sigmas[::10], curve[::10], strict=True):
            gram = kernel_from_distances(six[name], sigma)
            assert value == pytest.approx(np.linalg.eigvalsh(gram)[0], abs=1e-14)
    assert curves["k_d1"].min() < -0.07
    assert curves["k_sw"].min() > -rounding(np.ones(6))


def test_there_is_nothing_to_sweep_where_all_are_equal():
    sigmas, curves = smallest_over_sigma({"a": np.zeros((0, 0)), "b": np.zeros((3, 3))})
    assert len(sigmas) == len(curves["a"]) == len(curves["b"]) == 0


def test_rounding_grows_with_the_matrix_and_covers_what_numpy_makes():
    x = np.linspace(0, 1, 40)
    values = eigenvalues(np.outer(x, x))
    assert np.abs(values[1:]).max() <= rounding(values) < 1e-9
    assert rounding(100 * values) > rounding(values)
