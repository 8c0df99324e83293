import numpy as np
import pytest

from swviz import ParameterError, directions, sliced_wasserstein_exact
from swviz.slices import slice_costs
from tests.strategies import orbit_diagram


@pytest.mark.parametrize("M", [1, 2, 3, 6, 7, 50])
def test_paper_rule_has_all_of_algorithm_1s_directions(M):
    expected = [-np.pi / 2 + k * np.pi / M for k in range(M)]
    np.testing.assert_allclose(directions(M), expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("M", [1, 2, 3, 4, 6, 7, 8, 12, 50, 1001])
def test_diagonal_rule_is_equispaced_and_puts_the_kink_where_b2_vanishes(M):
    thetas = directions(M, "diagonal")
    h = np.pi / M
    assert len(thetas) == M
    assert thetas.min() >= -np.pi / 2
    assert thetas.max() < np.pi / 2
    np.testing.assert_allclose(np.diff(thetas), h, rtol=1e-9)
    a = np.mod((np.pi / 4 - thetas) / h, 1)
    np.testing.assert_allclose(a**2 - a + 1 / 6, 0, atol=1e-9)


def test_random_rule_is_seeded_sorted_and_within_the_half_circle():
    thetas = directions(100, "random", random_state=3)
    assert (thetas == directions(100, "random", random_state=3)).all()
    assert (thetas != directions(100, "random", random_state=4)).any()
    assert (np.diff(thetas) >= 0).all()
    assert thetas[0] >= -np.pi / 2
    assert thetas[-1] < np.pi / 2


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "6", None, 10**9])
def test_bad_counts_are_refused(count):
    with pytest.raises(ParameterError, match="n_directions must be a whole number"):
        directions(count)


def test_unknown_rules_are_refused():
    with pytest.raises(ParameterError, match="diagonal"):
        directions(4, "sobol")
    with pytest.raises(ParameterError, match="random_state"):
        directions(4, "random", random_state="x")


def test_diagonal_rule_beats_the_papers_on_orbits():
    several = [
        orbit_diagram(r, 120, seed=k) for k, r in enumerate((2.5, 3.5, 4.1, 4.3))
    ]
    errors = {"paper": [], "diagonal": []}
    for M in (8, 12, 16, 20):
        for i in range(len(several)):
            for j in range(i):
                exact = sliced_wasserstein_exact(several[i], several[j])
                for rule, found in errors.items():
                    thetas = directions(M, rule)
                    value = slice_costs(several[i], several[j], thetas).mean()
                    found.append(abs(value / exact - 1))
    assert np.mean(errors["diagonal"]) < np.mean(errors["paper"]) / 3
