import numpy as np
import pytest
from gudhi.representations.metrics import _sliced_wasserstein_distance
from hypothesis import given, settings

from swviz import (
    ParameterError,
    directions,
    slice_costs,
    slice_matching,
    sliced_wasserstein,
    step_function,
)
from tests import naive
from tests.axioms import DistanceAxioms
from tests.strategies import FAMILIES, diagrams, orbit_diagram, pairs_of


class TestSlicedWassersteinAxioms(DistanceAxioms):
    def distance(self, A, B):
        return sliced_wasserstein(A, B, n_directions=6)


class TestOddDirectionsAxioms(DistanceAxioms):
    # Reflection turns theta into pi/2 - theta, which an odd number of the paper's
    # directions does not keep.
    reflection = False

    def distance(self, A, B):
        return sliced_wasserstein(A, B, n_directions=1)


class TestDiagonalRuleAxioms(DistanceAxioms):
    reflection = False

    def distance(self, A, B):
        return sliced_wasserstein(A, B, n_directions=5, rule="diagonal")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("M", [1, 2, 7, 12])
def test_equals_algorithm_1(family, M):
    A, B = pairs_of(family, 13, 9, seed=M)
    expected = naive.algorithm_1(A, B, M)
    assert sliced_wasserstein(A, B, M) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def test_costs_of_many_angles_equal_one_by_one_across_blocks(monkeypatch):
    monkeypatch.setattr("swviz.slices._BLOCK", 64)
    A, B = pairs_of("uniform", 8, 5, seed=0)
    thetas = np.linspace(-4, 4, 41)
    expected = [naive.slice_cost(A, B, theta) for theta in thetas]
    np.testing.assert_allclose(slice_costs(A, B, thetas), expected, rtol=1e-13)


def test_cost_vanishes_where_the_diagonal_is_seen_end_on():
    A, B = pairs_of("uniform", 50, 40, seed=1)
    assert slice_costs(A, B, [np.pi / 4]) == pytest.approx([0], abs=1e-13)


@settings(deadline=None, max_examples=60)
@given(diagrams(), diagrams())
def test_matching_joins_kth_to_kth_and_costs_w(A, B):
    theta = 0.3
    matching = slice_matching(A, B, theta)
    assert matching.cost == pytest.approx(naive.slice_cost(A, B, theta), abs=1e-12)
    assert (np.diff(matching.source) >= 0).all()
    assert (np.diff(matching.target) >= 0).all()
    u = np.array([np.cos(theta), np.sin(theta)])
    np.testing.assert_allclose(matching.source_points @ u, matching.source, atol=1e-12)
    np.testing.assert_allclose(matching.target_points @ u, matching.target, atol=1e-12)
    for side, own, other in (("source", A, B), ("target", B, A)):
        on_diagonal = getattr(matching, f"{side}_on_diagonal")
        index = getattr(matching, f"{side}_index")
        points = getattr(matching, f"{side}_points")
        assert sorted(index[~on_diagonal]) == list(range(len(own)))
        assert sorted(index[on_diagonal]) == list(range(len(other)))
        np.testing.assert_array_equal(points[~on_diagonal], own[index[~on_diagonal]])
        assert (points[on_diagonal][:, 0] == points[on_diagonal][:, 1]).all()


@settings(deadline=None, max_examples=60)
@given(diagrams(), diagrams())
def test_area_between_step_functions_is_the_cost(A, B):
    for theta in (-1.2, 0.0, 0.9):
        steps = step_function(A, theta, minus=B)
        assert len(steps.values) == 0 or steps.values[-1] == 0
        assert (np.diff(steps.knots) > 0).all()
        assert steps.area == pytest.approx(naive.slice_cost(A, B, theta), abs=1e-12)


def test_step_function_counts_points_less_projections():
    steps = step_function([(0, 1), (0, 3)], np.pi / 2)
    assert steps.knots.tolist() == [0.5, 1.0, 1.5, 3.0]
    assert steps.values.tolist() == [-1, 0, -1, 0]


def test_error_falls_like_the_square_of_the_number_of_directions():
    A, B = orbit_diagram(3.5, 80, 1), orbit_diagram(4.1, 80, 2)
    truth = naive.exact_by_pieces(A[:25], B[:25])
    errors = [
        abs(sliced_wasserstein(A[:25], B[:25], M, rule="diagonal") - truth)
        for M in (10, 100, 1000)
    ]
    assert errors[1] < errors[0] / 20
    assert errors[2] < errors[1] / 20


@pytest.mark.parametrize("thetas", [[np.nan], [[0.0]], ["x"], np.inf])
def test_bad_angles_are_refused(thetas):
    with pytest.raises(ParameterError, match="angles must be"):
        slice_costs([(0, 1)], [], thetas)


def test_matching_takes_one_angle():
    with pytest.raises(ParameterError, match="one angle"):
        slice_matching([(0, 1)], [], [0.1, 0.2])
    for angles in ([0.1, 0.2], []):
        with pytest.raises(ParameterError, match="one angle"):
            step_function([(0, 1)], angles)


class TestPeers:
    """What peers get wrong, pinned: swviz must not agree with them here."""

    A = np.array([[0.0, 1.0], [0.5, 2.0]])
    B = np.array([[0.2, 3.0]])

    def test_gudhi_drops_the_last_direction(self):
        M = 4
        theirs = _sliced_wasserstein_distance(self.A, self.B, M)
        without_last = slice_costs(self.A, self.B, directions(M)[:-1]).mean()
        assert theirs == pytest.approx(without_last, rel=1e-13)
        ours = sliced_wasserstein(self.A, self.B, M)
        assert ours == pytest.approx(naive.algorithm_1(self.A, self.B, M), rel=1e-13)
        assert abs(ours - theirs) > 0.01

    def test_one_direction_is_one_direction(self):
        expected = naive.slice_cost(self.A, self.B, -np.pi / 2)
        assert sliced_wasserstein(self.A, self.B, 1) == pytest.approx(expected)

    def test_persim_moves_projections_of_negative_points(self):
        from persim import sliced_wasserstein as theirs

        shifted = self.A - 10, self.B - 10
        ours = sliced_wasserstein(*shifted, 12)
        assert ours == pytest.approx(sliced_wasserstein(self.A, self.B, 12), rel=1e-12)
        assert theirs(self.A, self.B, 12) == pytest.approx(ours, rel=1e-5)
        assert theirs(*shifted, 12) > 2 * ours

    def test_distance_to_the_empty_diagram(self):
        expected = naive.algorithm_1(self.A, [], 10)
        assert sliced_wasserstein(self.A, [], 10) == pytest.approx(expected, rel=1e-13)
        assert sliced_wasserstein([], self.A, 10) == pytest.approx(expected, rel=1e-13)
        assert sliced_wasserstein([], [], 10) == 0
