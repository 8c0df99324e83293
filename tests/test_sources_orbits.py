"""Orbits of the linked twist map against a plain loop, and their alpha complexes."""

import math

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from swviz.errors import ParameterError
from swviz.sources import linked_twist_map, orbits


def plain_orbit(r, x, y, n_points):
    points = [(x, y)]
    for _ in range(n_points - 1):
        x = (x + r * y * (1 - y)) % 1
        y = (y + r * x * (1 - x)) % 1
        points.append((x, y))
    return points


def test_orbits_are_those_of_a_plain_loop():
    r, starts = [2.5, 4.1, 4.3], [(0.1, 0.2), (0.9, 0.01), (0.5, 0.5)]
    together = linked_twist_map(r, starts, 200)
    for row, one_r, start in zip(together, r, starts, strict=True):
        assert row.tolist() == [list(p) for p in plain_orbit(one_r, *start, 200)]


def test_y_is_updated_with_the_new_x():
    # x = 0.25 + 2 * 0.5 * 0.5 = 0.75, then y = 0.5 + 2 * 0.75 * 0.25 = 0.875.
    assert linked_twist_map([2.0], [(0.25, 0.5)], 2)[0, 1].tolist() == [0.75, 0.875]


def test_set_has_classes_origins_and_both_dimensions():
    several = orbits(r=(2.5, 4.3), n_orbits=3, n_points=50, cache=False)
    assert several.labels.tolist() == [2.5] * 3 + [4.3] * 3
    assert several.dimensions == (0, 1)
    assert several.provenance["r"] == [2.5, 4.3]
    for sample in several:
        points = sample.origins[0].points
        assert points.shape == (50, 2)
        assert ((points >= 0) & (points < 1)).all()
        x, y = points[0]
        assert points.tolist() == [
            list(p) for p in plain_orbit(*sample.labels, x, y, 50)
        ]


def test_components_die_at_half_the_edges_of_the_minimum_spanning_tree():
    one = orbits(r=3.5, n_orbits=1, n_points=120, cache=False)
    points = one.origins[0].points
    tree = minimum_spanning_tree(squareform(pdist(points)))
    diagram = one.in_dimension(0)[0]
    assert (diagram[:, 0] == 0).all()
    np.testing.assert_allclose(
        np.sort(diagram[:, 1]), np.sort(tree.data) / 2, rtol=1e-9
    )


def test_squared_radii_are_squares():
    few = {"r": 4.1, "n_orbits": 2, "n_points": 80, "cache": False}
    plain, squared = orbits(**few), orbits(**few, squared=True)
    for dimension in (0, 1):
        for a, b in zip(
            plain.in_dimension(dimension), squared.in_dimension(dimension), strict=True
        ):
            np.testing.assert_allclose(np.sort(a, 0) ** 2, np.sort(b, 0), rtol=1e-12)


def test_voids_form_at_r_4_3():
    # "When r is 3.5, there seems to be no interesting topological features in the
    # orbit, while voids form for r parameters around 4.3" (Section 4.2).
    several = orbits(r=(3.5, 4.3), n_orbits=5, cache=False)
    longest = np.array([np.ptp(d, axis=1).max() for d in several.in_dimension(1)])
    assert longest[several.labels == 4.3].min() > 2 * longest[:5].max()


def test_seeds_and_threads():
    few = {"r": (3.5, 4.3), "n_orbits": 4, "n_points": 60, "cache": False}
    one = orbits(**few, random_state=7)
    same = orbits(**few, random_state=np.random.default_rng(7), n_jobs=2)
    other = orbits(**few, random_state=8)
    for a, b, c in zip(
        one.in_dimension(1), same.in_dimension(1), other.in_dimension(1), strict=True
    ):
        assert np.array_equal(a, b)
        assert not np.array_equal(a, c)
    assert not np.array_equal(
        orbits(**few, random_state=None).origins[0].points,
        orbits(**few, random_state=None).origins[0].points,
    )


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_progress_counts_to_the_end(n_jobs):
    calls = []
    orbits(
        r=4.0,
        n_orbits=40,
        n_points=30,
        n_jobs=n_jobs,
        progress=lambda *call: calls.append(call),
        cache=False,
    )
    done, totals = zip(*calls, strict=True)
    assert set(totals) == {40}
    assert done[-1] == 40
    assert len(done) > 2
    assert list(done) == sorted(set(done))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_what_progress_raises_ends_the_computation(n_jobs):
    class Cancelled(Exception):
        pass

    calls = []

    def cancel(done, total):
        calls.append(done)
        raise Cancelled

    with pytest.raises(Cancelled):
        orbits(n_orbits=100, n_points=50, n_jobs=n_jobs, progress=cancel, cache=False)
    assert len(calls) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"r": ()},
        {"r": (4.0, 4.0)},
        {"r": -1},
        {"r": math.nan},
        {"r": "4"},
        {"r": range(21)},
        {"n_orbits": 0},
        {"n_orbits": 2.0},
        {"n_orbits": True},
        {"n_points": 2},
        {"n_points": 10**6},
        {"n_points": 5000, "n_orbits": 1000},
        {"squared": "yes"},
        {"random_state": -1},
        {"random_state": "seed"},
        {"n_jobs": 0},
    ],
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(ParameterError):
        orbits(**wrong)
