"""The double sum and the grid behind k_PSS and k_PWG."""

import tracemalloc

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from swviz import PersistenceScaleSpaceKernel, PersistenceWeightedGaussianKernel
from swviz.kernels import grid as grid_module
from swviz.kernels import measures as measures_module
from swviz.kernels import products as products_module
from swviz.kernels.grid import grid_norms, make_grid
from swviz.kernels.measures import (
    Gaussian,
    as_measures,
    differences,
    direct_norms,
    middle_birth,
)
from swviz.kernels.products import inner_products, rkhs_distances
from swviz.kernels.threads import one_blas_thread
from tests.strategies import FAMILIES, orbit_diagram

RNG = np.random.default_rng(1)
FEW = [make(RNG, 12) for make in FAMILIES.values()] + [np.empty((0, 2))]


def weights(persistence):
    return np.arctan(3 * persistence**2)


def relative_error(found, expected, norms, other_norms=None):
    other_norms = norms if other_norms is None else other_norms
    size = np.sqrt(norms[:, None] * other_norms)
    apart = np.abs(found - expected)
    return np.max(np.divide(apart, size, out=apart.copy(), where=size > 0))


@pytest.mark.parametrize("mirrored", [True, False])
@pytest.mark.parametrize("rho", [1e-3, 0.03, 0.2, 1.0, 50.0, 1e4])
@pytest.mark.parametrize("data", ["families", "orbits"])
def test_grid_and_double_sum_agree(data, rho, mirrored):
    diagrams = FEW
    if data == "orbits":
        diagrams = [orbit_diagram(r, 300, 0) for r in (2.5, 3.5, 4.0, 4.3)]
    measures, gaussian = as_measures(diagrams, weights), Gaussian(rho, mirrored)
    direct = inner_products(measures, None, gaussian, "direct")
    found = inner_products(measures, None, gaussian, "grid")
    # 1e-8 is promised. The grid's own error is far below.
    assert relative_error(found, direct, np.diag(direct)) < 1e-10
    half = as_measures(diagrams[::2], weights)
    rectangular = inner_products(half, measures, gaussian, "grid")
    assert (
        relative_error(rectangular, direct[::2], np.diag(direct)[::2], np.diag(direct))
        < 1e-10
    )
    np.testing.assert_allclose(
        grid_norms(measures, make_grid(measures, gaussian)), np.diag(direct), rtol=1e-10
    )
    np.testing.assert_allclose(
        direct_norms(measures, gaussian), np.diag(direct), rtol=1e-12
    )


def test_mirrored_sums_keep_their_digits_next_to_the_diagonal():
    near = [np.array([[0.3, 0.3 + 1e-9], [0.5, 0.5 + 3e-9]])]
    measures, gaussian = as_measures(near, np.ones_like), Gaussian(0.4, True)
    v, u = np.array([1e-9, 3e-9]) / 2**0.5, 2**0.5 * np.array([0.3, 0.5])
    along = np.exp(-((u[:, None] - u) ** 2) / (2 * 0.4**2))
    expected = np.sum(along * 2 * np.outer(v, v) / 0.4**2)
    for method in ("direct", "grid"):
        found = inner_products(measures, None, gaussian, method)
        assert found[0, 0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("method", ["direct", "grid"])
@pytest.mark.parametrize("offset", [1e8, -(2.0**30)])
def test_kernels_do_not_depend_on_where_diagrams_are(method, offset):
    # Steps that coordinates of this size can still hold.
    steps = [np.sort(RNG.integers(0, 1 << 12, (9, 2)), axis=1) for _ in range(4)]
    X = [diagram / (1 << 12) for diagram in steps]
    moved = [diagram + offset for diagram in X]
    for kernel in (
        PersistenceScaleSpaceKernel(t=0.01, method=method),
        PersistenceWeightedGaussianKernel(rho=0.1, method=method),
    ):
        expected = kernel.gram(X, X[:2])
        # On the grid nodes move with the origin, which is a birth.
        allowed = 1e-13 if method == "direct" else 1e-11
        np.testing.assert_allclose(kernel.gram(moved, moved[:2]), expected, allowed)
        np.testing.assert_allclose(kernel.gram(moved)[:, :2], expected, 1e-11)
    assert middle_birth([], None) == 0
    # A birth itself: between two of them that are far apart both would lose digits.
    assert middle_birth([np.array([(0.0, 1.0)]), np.array([(1e8, 2e8)])]) == 0


def test_auto_takes_the_cheaper_method(monkeypatch):
    used = []
    for name in ("direct_products", "grid_products"):
        original = getattr(products_module, name)
        monkeypatch.setattr(
            products_module,
            name,
            lambda *given, f=original, n=name: used.append(n) or f(*given),
        )
    small = as_measures(FEW, np.ones_like)
    inner_products(small, None, Gaussian(1.0, False))
    large = as_measures([orbit_diagram(4.0, 1000, s) for s in range(6)], np.ones_like)
    inner_products(large, None, Gaussian(0.1, False))
    spread = as_measures(
        [np.sort(1e6 * RNG.random((600, 2))) for _ in range(3)], weights
    )
    inner_products(spread, None, Gaussian(0.01, False))
    inner_products(spread, None, Gaussian(1e-3 * 1e6, False), "grid")
    assert used == [
        "direct_products",
        "grid_products",
        "direct_products",
        "grid_products",
    ]
    assert make_grid(spread, Gaussian(1e-5, False)) is None


def test_blocks_tasks_and_threads_change_nothing(monkeypatch):
    measures = as_measures(FEW, weights)
    other = as_measures(FEW[:4], weights)
    expected = {}
    for mirrored in (True, False):
        for method in ("direct", "grid"):
            gaussian = Gaussian(0.2, mirrored)
            expected[mirrored, method] = (
                inner_products(measures, None, gaussian, method),
                inner_products(other, measures, gaussian, method),
            )
    monkeypatch.setattr(measures_module, "_ROWS", 7)
    monkeypatch.setattr(measures_module, "_COLUMNS", 11)
    monkeypatch.setattr(grid_module, "_EDGE", 40)
    monkeypatch.setattr(grid_module, "_CHUNK", 20)
    monkeypatch.setattr(grid_module, "_TASK_SECONDS", 1e-9)
    for (mirrored, method), (square, rectangle) in expected.items():
        gaussian = Gaussian(0.2, mirrored)
        for n_jobs in (None, 2):
            found = inner_products(measures, None, gaussian, method, n_jobs)
            np.testing.assert_allclose(found, square, rtol=1e-9, atol=1e-13)
            found = inner_products(other, measures, gaussian, method, n_jobs)
            np.testing.assert_allclose(found, rectangle, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("method", ["direct", "grid"])
def test_distances_of_equal_and_nearly_equal_measures(method, monkeypatch):
    monkeypatch.setattr(products_module, "_PAIRS", 30)
    base = FAMILIES["uniform"](RNG, 20)
    moved = base.copy()
    moved[0, 1] += 1e-6
    several = as_measures([base, base[::-1], moved, base[:-1]], np.ones_like)
    gaussian = Gaussian(0.5, False)
    found = rkhs_distances(several, None, gaussian, method)
    assert found[0, 1] == 0
    # Two Gaussians at the distance d are at sqrt(2 - 2 exp(-d^2 / 2 rho^2)).
    assert found[0, 2] == pytest.approx(1e-6 / 0.5, rel=1e-4)
    assert found[0, 3] == pytest.approx(1.0, rel=1e-9)
    assert (found == found.T).all()
    rectangle = rkhs_distances(
        several.take(several.owner < 2), several, gaussian, method
    )
    np.testing.assert_allclose(rectangle[:2], found[:2], rtol=1e-6, atol=1e-12)


def test_differences_cancel_what_is_shared():
    A, B = np.array([[0.0, 1], [0, 2], [0, 2]]), np.array([[0.0, 2], [1, 3]])
    first, second = (
        as_measures([A, A[:0]], np.ones_like),
        as_measures([B], np.ones_like),
    )
    found = differences(first, second, np.array([[0, 0], [1, 0]]))
    assert found.owner.tolist() == [0, 0, 0, 1, 1]
    assert sorted(found.weight[:3].tolist()) == [-1, 1, 1]
    assert found.weight[3:].tolist() == [-1, -1]
    assert not len(differences(first, first, np.array([[0, 0], [1, 1]])))


def test_far_coordinates_do_not_overflow():
    far = [np.array([[0.0, 1e200]]), np.array([[-1e200, 0.0], [0.0, 1.0]])]
    for mirrored in (True, False):
        found = inner_products(
            as_measures(far, np.ones_like), None, Gaussian(1.0, mirrored)
        )
        np.testing.assert_allclose(np.diag(found), [1, 2 - mirrored * np.exp(-1)])


def test_memory_is_bounded():
    many = as_measures(
        [np.sort(RNG.random((20_000, 2)), axis=1) for _ in range(10)], np.ones_like
    )
    tracemalloc.start()
    try:
        inner_products(many, None, Gaussian(0.05, True), "grid")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        few = many.take((many.owner == 0) & (np.arange(len(many)) < 8000))
        inner_products(few, None, Gaussian(0.05, False), "direct")
        direct_peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200e6
    # All pairs of points at once would take 512 MB.
    assert direct_peak < 200e6


def test_blas_threads_are_limited_and_given_back():
    def blas_threads():
        return [
            library["num_threads"]
            for library in threadpool_info()
            if library["user_api"] == "blas"
        ]

    before = blas_threads()
    with one_blas_thread():
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before


def test_close_pairs_too_far_apart_for_a_grid():
    A = np.array([[0.0, 1.0], [1e9, 2e9]])
    several = as_measures([A, A + np.array([[0, 1e-8], [0, 0]])], np.ones_like)
    found = rkhs_distances(several, None, Gaussian(1.0, False))
    assert 0 <= found[0, 1] < 1e-7
