"""Functions on an interval against a union-find, and the stability theorem."""

from itertools import pairwise

import gudhi
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swviz.errors import ParameterError
from swviz.sources import FUNCTIONS, Function, functions, stability, sup_distance
from swviz.sources.persistence import path_diagram

VALUES = st.lists(st.floats(-100, 100) | st.integers(-3, 3), min_size=2, max_size=40)


def union_find_diagram(values):
    """Points of a path enter from low to high; the younger valley dies at a pass."""
    valley, finite = {}, []

    def bottom(i):
        while valley[i] != i:
            i = valley[i]
        return i

    for i in sorted(range(len(values)), key=lambda i: values[i]):
        valley[i] = i
        for j in (i - 1, i + 1):
            if j in valley:
                old, young = sorted(
                    (bottom(i), bottom(j)), key=lambda k: (values[k], k == i)
                )
                valley[young] = old
                if young != old and values[young] < values[i]:
                    finite.append((values[young], values[i]))
    return sorted(finite)


@given(VALUES)
def test_diagram_of_a_path_is_that_of_union_find(values):
    values = np.array(values, dtype=float)
    finite = union_find_diagram(values)
    assert sorted(map(tuple, path_diagram(values, "drop").tolist())) == finite
    capped = sorted(map(tuple, path_diagram(values, "cap").tolist()))
    assert capped == sorted([*finite, (values.min(), values.max())])


@given(VALUES, st.integers(-50, 50))
def test_shifts_and_reversal(values, shift):
    values = np.round(np.array(values, dtype=float))
    diagram = sorted(path_diagram(values, "drop").tolist())
    moved = path_diagram(values[::-1] + shift, "drop") - shift
    assert sorted(moved.tolist()) == diagram


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("essential", ["cap", "drop"])
def test_stability_theorem(name, essential):
    several = functions(
        name, n_samples=(5, 15, 60, 200), noise=0.02, essential=essential, cache=False
    )
    f, *samplings = several.origins
    dg_f, *dg_samplings = several.in_dimension(0)
    for g, dg_g in zip(samplings, dg_samplings, strict=True):
        both = stability(f, g, essential)
        assert both.bottleneck == gudhi.bottleneck_distance(dg_f, dg_g)
        assert both.bottleneck <= both.sup_distance * (1 + 1e-12)


def test_denser_samples_come_closer():
    several = functions("figure 1", n_samples=(20, 40, 80, 160), cache=False)
    f, *samplings = several.origins
    errors = [sup_distance(f, g) for g in samplings]
    # Linear interpolation: half the step, a quarter of the error.
    assert all(4.8 > a / b > 3.2 for a, b in pairwise(errors))


def test_sup_distance_is_found_between_the_knots_of_one_of_them():
    f = Function(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 0.0]))
    g = Function(np.array([0.0, 1.0]), np.array([0.0, 0.5]))
    assert sup_distance(f, g) == sup_distance(g, f) == 0.75


def test_figure_1_has_four_valleys():
    f, g = functions(cache=False).in_dimension(0)
    assert len(f) == len(g) == 4
    x = np.linspace(0, 1, 2001)
    y = FUNCTIONS["figure 1"].evaluate(x)
    assert f[:, 0].min() == y.min()
    assert f[:, 1].max() == y.max()


def test_samplings_pass_through_f_without_noise():
    several = functions("chirp", n_samples=(9, 33), cache=False)
    for g in several.origins[1:]:
        np.testing.assert_array_equal(g.y, np.sin(16 * np.pi * g.x**2))
    assert several.labels.tolist() == ["chirp"] * 3


def test_seeds():
    noisy = {"n_samples": 30, "noise": 0.1, "cache": False}
    one, same, other = (functions(**noisy, random_state=s) for s in (1, 1, 2))
    assert np.array_equal(one.in_dimension(0)[1], same.in_dimension(0)[1])
    assert not np.array_equal(one.origins[1].y, other.origins[1].y)


@pytest.mark.parametrize(
    "wrong",
    [
        {"function": "tangent"},
        {"n_samples": 1},
        {"n_samples": (10, 10**6)},
        {"n_samples": (10,) * 2000},
        {"noise": -1},
        {"n_points": 10},
        {"essential": "error"},
    ],
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(ParameterError):
        functions(**wrong)
