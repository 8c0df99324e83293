"""The short way to LIBSVM: the same predictions, and none where it does not fit."""

import ast
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from swviz import compat
from swviz.learning import svm, tune_on_distances

SWVIZ = Path(__file__).parents[1] / "swviz"


@pytest.fixture(autouse=True)
def ask_again():
    compat.is_usable.cache_clear()
    yield
    compat.is_usable.cache_clear()


def some_gram(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(60, 2))
    labels = rng.integers(n_classes, size=60) + 3
    gram = np.exp(-cdist(points, points))
    inner = np.ascontiguousarray(gram[:40, :40])
    outer = np.ascontiguousarray(gram[40:, :40])
    return inner, labels[:40], outer


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("C", [0.001, 1.0, 1000.0])
def test_it_predicts_what_scikit_learn_does(n_classes, C, capfd):
    inner, labels, outer = some_gram(n_classes)
    expected = SVC(C=C, kernel="precomputed").fit(inner, labels).predict(outer)
    assert compat.is_usable()
    found = compat.svm_predictions(inner, labels, outer, C, 200_000)
    np.testing.assert_array_equal(found, expected)
    assert capfd.readouterr() == ("", "")


def raising(*_arguments, **_options):
    raise TypeError("fit() got an unexpected keyword argument")


def mistaken(*arguments, **options):
    return np.zeros(len(arguments[0]))


OTHER_RELEASES = {
    "it is elsewhere": None,
    "it takes other arguments": SimpleNamespace(
        set_verbosity_wrap=lambda level: None, fit=raising, predict=raising
    ),
    "it says something else": SimpleNamespace(
        set_verbosity_wrap=lambda level: None,
        fit=getattr(compat.libsvm, "fit", raising),
        predict=mistaken,
    ),
}


@pytest.mark.parametrize("libsvm", OTHER_RELEASES.values(), ids=OTHER_RELEASES)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_another_release_is_left_alone_and_predicts_the_same(
    monkeypatch, libsvm, n_classes
):
    inner, labels, outer = some_gram(n_classes)
    expected = svm._predict(inner, labels, outer, 10.0)
    monkeypatch.setattr(compat, "libsvm", libsvm)
    compat.is_usable.cache_clear()
    assert not compat.is_usable()
    assert compat.svm_predictions(inner, labels, outer, 10.0, -1) is None
    np.testing.assert_array_equal(svm._predict(inner, labels, outer, 10.0), expected)


def test_tuning_without_it_finds_the_same(monkeypatch):
    rng = np.random.default_rng(1)
    labels = np.arange(40) % 3
    x = rng.normal(size=40) + labels
    distances = np.abs(x[:, None] - x)

    def tune():
        compat.is_usable.cache_clear()
        train, test = np.arange(28), np.arange(28, 40)
        return tune_on_distances(distances, labels, train, test, n_splits=3)

    with_it = tune()
    monkeypatch.setenv("SWVIZ_COMPAT", "off")
    without = tune()
    assert not compat.is_usable()
    np.testing.assert_array_equal(with_it.grid.accuracies, without.grid.accuracies)
    np.testing.assert_array_equal(with_it.predictions, without.predictions)


def test_a_machine_that_is_not_finite_is_left_to_scikit_learn(monkeypatch):
    inner, labels, outer = some_gram(2)
    broken = [np.zeros(1)] * 3 + [np.full((1, 1), np.nan), np.zeros(1)] + [None] * 4
    assert compat.is_usable()
    monkeypatch.setattr(
        compat,
        "libsvm",
        SimpleNamespace(set_verbosity_wrap=lambda level: None,
                        fit=lambda *_, **__: broken),
    )  # fmt: skip
    assert compat.svm_predictions(inner, labels, outer, 1.0, -1) is None


def test_no_other_module_of_the_library_has_private_names_of_others():
    for path in SWVIZ.rglob("*.py"):
        if "app" in path.relative_to(SWVIZ).parts or path.name == "compat.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and not node.module.startswith("swviz"):
                parts = [*node.module.split("."), *(name.name for name in node.names)]
                private = [
                    part for part in parts if part[0] == "_" and part[:2] != "__"
                ]
                assert not private, (path, private)
