"""Without GUDHI: all that needs none works, the rest says what to install."""

import io
import sys
from contextlib import contextmanager, redirect_stdout

import numpy as np
import pytest

import swviz as sw
from swviz.packages import load_package
from swviz.sources.persistence import alpha_diagrams

BLOCKED = "import sys\nimport numpy as np, swviz as sw\n"
NEEDS = (
    "sw.sources.from_cloud(np.eye(3))",
    "sw.sources.from_cloud(np.eye(3)[:, :2], 'rips')",
    "sw.sources.from_picture(np.eye(3))",
    "sw.sources.from_function([1, 0, 2])",
)


WORKS = """
A, B = [(0, 1), (0.5, 2)], [(0, 2)]
rng = np.random.default_rng(0)
X = [np.sort(rng.random((9, 2)), axis=1) for _ in range(12)]
sw.as_diagram(A)
sw.sliced_wasserstein(A, B), sw.sliced_wasserstein_exact(A, B)
sw.balanced_segments(A, B)
sw.slice_matching(A, B, 0.3).plot()
sw.diagram_distance(A, B), sw.diagram_distance(A, B, p=np.inf)
sw.diagram_matching(A, B)
sw.sliced_wasserstein_matrix(X), sw.diagram_distance_matrix(X)
sw.SlicedWassersteinEmbedding().fit_transform(X)
sw.SlicedWassersteinKernel().fit_transform(X)
sw.mmd_test(X[:6], X[6:], n_permutations=9)
sw.plot.diagram(A, B) + sw.plot.barcode(A, B) + sw.plot.cost_curve(A, B, 6)
sw.plot.slices(A, B, thetas=[0, 1])
sw.plot.balanced_segments(A, B), sw.plot.matching(A, B)
sw.studies.pair_study(A, B, (2, 4), n_draws=2).plot()
sw.sources.perturb(A, 0.1, 0)
sw.sources.random_diagrams(n_diagrams=2)
sw.sources.d1_counterexample().plot()
sw.sources.from_cloud(rng.random((9, 2)), dimensions=(0, 1, 2)).plot()
sw.sources.orbits(n_orbits=1, n_points=20)
sw.DiagramSet({1: X}).frame()
path = __import__("os").environ["SWVIZ_CACHE_DIR"] + "/set.npz"
sw.save(sw.DiagramSet({1: X}), path)
assert len(sw.load(path)) == 12
assert not [name for name in sys.modules if name.startswith("gudhi.")]
print("all of it")
"""


@contextmanager
def anew(*packages):
    """Import packages once more, as a new process would, and then be as before.

    What they import of others stays: it takes seconds, and cannot be loaded twice.
    """

    def loaded():
        return [name for name in sys.modules if name.split(".")[0] in packages]

    kept = {name: sys.modules.pop(name) for name in loaded()}
    try:
        yield
    finally:
        for name in loaded():
            del sys.modules[name]
        sys.modules.update(kept)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What a Python without GUDHI prints, line by line."""
    tries = (
        f"try:\n    {line}\nexcept sw.SwvizError as error:\n    print(repr(str(error)))"
        f"\nelse:\n    print('no error')"
        for line in NEEDS
    )
    printed = io.StringIO()
    with anew("swviz", "gudhi"), pytest.MonkeyPatch.context() as patch:
        patch.setenv("SWVIZ_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        sys.modules["gudhi"] = None
        with redirect_stdout(printed):
            exec("\n".join((BLOCKED, *tries, WORKS)), {})
    return printed.getvalue().splitlines()


def test_what_needs_no_gudhi_works_without_it(said):
    assert said[len(NEEDS) :] == ["all of it"]


@pytest.mark.parametrize("line", NEEDS)
def test_what_needs_gudhi_says_how_to_get_it(line, said):
    answer = said[NEEDS.index(line)]
    assert "need gudhi" in answer
    assert "pip install gudhi" in answer
    assert "conda install -c conda-forge gudhi" in answer


def test_a_missing_package_is_an_import_error_and_ours():
    with pytest.raises(sw.MissingPackageError, match="pip install no_such_package"):
        load_package("no_such_package.inner", "Tests")
    assert issubclass(sw.MissingPackageError, sw.SwvizError)
    assert issubclass(sw.MissingPackageError, ImportError)


SEED = np.random.default_rng(0)
CLOUDS = {
    **{f"{n} at random": SEED.random((n, 2)) for n in (1, 2, 3, 4, 5, 60, 400)},
    "with duplicates": SEED.integers(0, 4, (20, 2)),
    "grid": np.argwhere(np.ones((5, 6))),
    "on a line": np.c_[np.arange(7), 2 * np.arange(7)],
    "one place": np.zeros((3, 2)),
    "tiny": 1e-9 * SEED.random((30, 2)),
    "huge": 1e90 * SEED.random((30, 2)),
}


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_in_the_plane_have_gudhi_s_diagrams_without_it(name, monkeypatch):
    cloud = CLOUDS[name].astype(float)
    expected = alpha_diagrams(cloud, (0, 1, 2), squared=True)
    monkeypatch.setitem(sys.modules, "gudhi", None)
    found = alpha_diagrams(cloud, (0, 1, 2), squared=True)
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        one, other = (each[np.lexsort(each.T)] for each in (one, other))
        largest = np.abs(other).max(initial=0.0)
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-13 * largest)


def test_points_that_the_triangulation_takes_for_one_are_still_there(monkeypatch):
    monkeypatch.setitem(sys.modules, "gudhi", None)
    cloud = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (1, 1e-17)], dtype=float)
    pieces, loops = alpha_diagrams(cloud, (0, 1))
    np.testing.assert_allclose(np.sort(pieces[:, 1]), [0, 0.5, 0.5, 0.5], atol=1e-16)
    np.testing.assert_allclose(loops, [(0.5, 0.5**0.5)])
