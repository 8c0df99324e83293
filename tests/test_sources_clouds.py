"""Point clouds: their shapes, and what is known of their homology."""

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from swviz.errors import ParameterError
from swviz.sources import SHAPES, point_clouds
from swviz.sources.persistence import alpha_diagrams, rips_diagrams

LOOPS = {"circle": 1, "two circles": 2, "figure eight": 2, "annulus": 1, "clusters": 0}


def lifetimes(diagram):
    return np.sort(diagram[:, 1] - diagram[:, 0])[::-1]


def test_alpha_complex_of_a_circle_has_one_loop_that_dies_at_its_radius():
    ring = point_clouds("circle", n_clouds=1, noise=0.0, cache=False)
    diagram = ring.in_dimension(1)[0]
    loop = diagram[np.argmax(np.ptp(diagram, axis=1))]
    # Points on a circle are in degenerate position: rounding makes more loops.
    assert lifetimes(diagram)[1:].sum() < 1e-6
    angles = np.sort(np.arctan2(*ring.origins[0].points.T))
    gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
    # Born when the balls bridge the widest gap, filled at the centre.
    assert loop[0] == pytest.approx(np.sin(gaps.max() / 2), rel=1e-9)
    assert loop[1] == pytest.approx(1.0, rel=1e-9)


def test_rips_complex_of_a_regular_polygon():
    # The loop of a regular 12-gon is born with its sides and filled when the
    # triangles on every fourth vertex appear.
    angles = 2 * np.pi * np.arange(12) / 12
    polygon = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    components, loops = rips_diagrams(polygon, (0, 1), max_edge=2.0)
    side = 2 * np.sin(np.pi / 12)
    np.testing.assert_allclose(components, [(0, side)] * 11, atol=1e-6)
    np.testing.assert_allclose(loops, [(side, np.sqrt(3))], atol=1e-6)


def test_what_outlives_the_longest_edge_dies_there():
    pairs = np.array([(0, 0), (0.1, 0), (5, 0), (5.1, 0), (9, 0)])
    components, loops = rips_diagrams(pairs, (0, 1), max_edge=1.0)
    np.testing.assert_allclose(np.sort(components[:, 1]), [0.1, 0.1, 1, 1], atol=1e-6)
    assert len(loops) == 0


@pytest.mark.parametrize("shape", LOOPS)
def test_number_of_long_lived_loops(shape):
    several = point_clouds(shape, n_clouds=3, n_points=300, noise=0.02, cache=False)
    for diagram in several.in_dimension(1):
        assert (lifetimes(diagram) > 0.25).sum() == LOOPS[shape]


def test_torus_and_sphere_in_space():
    several = point_clouds(
        ("torus", "sphere"),
        n_clouds=1,
        n_points=2000,
        noise=0.0,
        dimensions=(0, 1, 2),
        cache=False,
    )
    torus, sphere = several
    assert (lifetimes(torus.in_dimension(1)[0]) > 0.2).sum() == 2
    assert (lifetimes(torus.in_dimension(2)[0]) > 0.2).sum() == 1
    assert (lifetimes(sphere.in_dimension(1)[0]) > 0.2).sum() == 0
    assert lifetimes(sphere.in_dimension(2)[0])[0] == pytest.approx(0.9, abs=0.1)


def test_rips_sees_the_void_of_a_sphere():
    ball = point_clouds(
        "sphere",
        n_clouds=1,
        n_points=80,
        noise=0.0,
        complex="rips",
        dimensions=(2,),
        cache=False,
    )
    assert (lifetimes(ball.in_dimension(2)[0]) > 0.4).sum() == 1


@pytest.mark.parametrize("complex", ["alpha", "rips"])
def test_components_come_from_the_minimum_spanning_tree(complex):
    cloud = point_clouds("annulus", 1, 90, complex=complex, max_edge=4.0, cache=False)
    tree = minimum_spanning_tree(squareform(pdist(cloud.origins[0].points)))
    edges = np.sort(tree.data) / (2 if complex == "alpha" else 1)
    # Ripser computes in single precision.
    deaths = np.sort(cloud.in_dimension(0)[0][:, 1])
    np.testing.assert_allclose(deaths, edges, rtol=1e-6)


def test_clouds_lie_on_their_shapes():
    for shape, radius in (
        ("circle", (1, 1)),
        ("sphere", (1, 1)),
        ("annulus", (0.5, 1)),
    ):
        points = SHAPES[shape].sample(np.random.default_rng(0), 500)
        distance = np.linalg.norm(points, axis=1)
        assert distance.min() >= radius[0] - 1e-12
        assert distance.max() <= radius[1] + 1e-12
    x, y, z = SHAPES["torus"].sample(np.random.default_rng(0), 500).T
    np.testing.assert_allclose((np.hypot(x, y) - 1) ** 2 + z**2, 0.4**2)


def test_torus_is_sampled_evenly_by_area():
    x, y, _ = SHAPES["torus"].sample(np.random.default_rng(0), 20_000).T
    # The outer half of the tube has (pi R + 2 r) / (2 pi R) of the area.
    share = (np.hypot(x, y) > 1).mean()
    assert share == pytest.approx((np.pi + 2 * 0.4) / (2 * np.pi), abs=0.01)


def test_outliers_replace_their_share_of_the_points():
    clean = {"shapes": "circle", "n_clouds": 1, "noise": 0.0, "cache": False}
    points = point_clouds(**clean, outliers=0.25).origins[0].points
    off = np.abs(np.linalg.norm(points, axis=1) - 1) > 1e-9
    assert off.sum() == 50
    assert np.abs(points).max() <= 1.25


def test_moving_and_reordering_a_cloud_changes_nothing():
    rng = np.random.default_rng(0)
    points = rng.random((60, 2))
    moved = rng.permutation(points + np.array([3, -2]))
    for one, other in zip(
        alpha_diagrams(points, (0, 1)), alpha_diagrams(moved, (0, 1)), strict=True
    ):
        np.testing.assert_allclose(np.sort(one, 0), np.sort(other, 0), atol=1e-7)


def test_scaling_a_cloud_scales_its_diagrams():
    points = np.random.default_rng(0).random((60, 2))
    for one, other in zip(
        alpha_diagrams(points, (0, 1)), alpha_diagrams(4 * points, (0, 1)), strict=True
    ):
        np.testing.assert_allclose(4 * np.sort(one, 0), np.sort(other, 0), rtol=1e-7)


def test_labels_names_seeds_and_threads():
    few = {"shapes": ("circle", "torus"), "n_clouds": 2, "n_points": 40, "cache": False}
    one = point_clouds(**few, random_state=3, outliers=0.1)
    same = point_clouds(**few, random_state=3, outliers=0.1, n_jobs=2)
    assert one.labels.tolist() == ["circle"] * 2 + ["torus"] * 2
    assert one.names[0] == "circle 1"
    for a, b in zip(one.in_dimension(1), same.in_dimension(1), strict=True):
        assert np.array_equal(a, b)
    assert one.origins[0].points.shape == (40, 2)
    assert one.origins[2].points.shape == (40, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"shapes": "klein bottle"},
        {"shapes": ()},
        {"n_clouds": 0},
        {"n_points": 3},
        {"n_points": 401, "complex": "rips"},
        {"n_points": 101, "complex": "rips", "dimensions": (2,)},
        {"n_points": 5000, "n_clouds": 1000},
        {"noise": -0.1},
        {"noise": float("nan")},
        {"outliers": 1.1},
        {"complex": "cech"},
        {"max_edge": 0},
        {"max_edge": 100},
        {"dimensions": ()},
        {"dimensions": (1, 1)},
        {"dimensions": (3,)},
        {"squared": 1},
        {"squared": True, "complex": "rips"},
    ],
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(ParameterError):
        point_clouds(**wrong)
