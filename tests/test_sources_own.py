"""One's own data: the same diagrams as elsewhere, and mistakes that are told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import swviz as sw
from swviz import ParameterError, sources
from swviz.sources.clouds import most_points
from tests.plot_tools import check_axes
from tests.strategies import diagrams

RNG = np.random.default_rng(0)
PLANE, SPACE = RNG.random((30, 2)), RNG.random((20, 3))
PICTURE = RNG.integers(0, 256, (12, 10)).astype(np.uint8)


def equal(one, other):
    assert one.dimensions == other.dimensions
    for k in one.dimensions:
        several = zip(one.in_dimension(k), other.in_dimension(k), strict=True)
        for first, second in several:
            np.testing.assert_array_equal(first, second)
    return True


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"squared": True},
        {"complex": "rips", "max_edge": 0.7},
        {"complex": "rips", "max_edge": 0.7, "dimensions": (1,)},
        {"dimensions": (0, 1, 2)},
    ],
)
def test_clouds_have_the_diagrams_that_generated_ones_have(options):
    drawn = sources.point_clouds(("circle", "torus"), 2, 30, cache=False, **options)
    clouds = [origin.points for origin in drawn.origins]
    own = sources.from_cloud(clouds, labels=drawn.labels, **options)
    assert equal(own, drawn)
    assert own.labels.tolist() == drawn.labels.tolist()
    assert own.names == ("cloud 1", "cloud 2", "cloud 3", "cloud 4")
    for cloud, origin in zip(clouds, own.origins, strict=True):
        np.testing.assert_array_equal(origin.points, cloud)


def test_one_cloud_is_a_set_of_one():
    one = sources.from_cloud(PLANE.tolist())
    assert one.names == ("cloud",)
    assert equal(one, sources.from_cloud([PLANE]))
    assert equal(one, sources.from_cloud(PLANE[None]))
    assert sources.from_cloud(PLANE, names="mine").names == ("mine",)
    both = sources.from_cloud([PLANE, SPACE])
    assert [origin.points.shape for origin in both.origins] == [(30, 2), (20, 3)]
    assert equal(both[0], one)


def test_nothing_is_alive_at_the_greatest_distance():
    whole = sources.from_cloud(PLANE, "rips")
    greatest = np.linalg.norm(PLANE[:, None] - PLANE, axis=-1).max()
    assert equal(whole, sources.from_cloud(PLANE, "rips", max_edge=10 * greatest))
    assert max(
        d.max() for d in (whole.in_dimension(0)[0], whole.in_dimension(1)[0])
    ) <= (greatest)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(1.0, 2.0)], []),
        ([(0, 0), (4, 0)], [[0, 2]]),
        ([(0, 0), (1, 0), (3, 0)], [[0, 0.5], [0, 1]]),
        ([(1, 1), (1, 1), (1, 3)], [[0, 1]]),
        ([(0, 0, 0), (0, 0, 2)], [[0, 1]]),
    ],
)
def test_small_and_degenerate_clouds(points, expected):
    for complex, factor in (("alpha", 1), ("rips", 2)):
        found = sources.from_cloud(points, complex)
        component = found.in_dimension(0)[0]
        # Points that are there twice die at once, and may be told or not.
        lasting = component[component[:, 1] > 0]
        np.testing.assert_allclose(
            np.sort(lasting, axis=0), factor * np.reshape(expected, (-1, 2))
        )
        assert len(found.in_dimension(1)[0]) == 0


def test_pictures_have_the_diagrams_of_textures():
    for patterns in ("default", "ror", "uniform"):
        drawn = sources.textures(
            "generated", size=16, per_class=1, patterns=patterns, cache=False
        )
        pictures = [origin.pixels for origin in drawn.origins]
        own = sources.from_picture(pictures, patterns)
        assert equal(own, drawn)
        assert own.origins[0].patterns == patterns


def test_grey_levels_are_filtered_as_they_are():
    levels = np.array([[0.5, 3.0, -1.0], [3.5, 3.25, 4.0]])
    found = sources.from_picture(levels)
    assert found.in_dimension(0)[0].tolist() == [[0.5, 3.0]]
    capped = sources.from_picture(levels, essential="cap")
    assert sorted(capped.in_dimension(0)[0].tolist()) == [[-1.0, 4.0], [0.5, 3.0]]
    np.testing.assert_array_equal(found.origins[0].descriptor, levels)
    ring = np.array([[1, 1, 1], [1, 7, 2], [1, 1, 1]])
    both = sources.from_picture(ring, dimensions=(1, 0))
    assert both.in_dimension(1)[0].tolist() == [[2, 7]]
    # Turned upside down, dark spots are the bright spots that were surrounded.
    framed = np.pad(PICTURE.astype(float), 1, constant_values=-1)
    loops = sources.from_picture(framed, dimensions=(1,)).in_dimension(1)[0]
    assert len(loops) > 3
    assert (loops[:, 1] <= 255).all()


def test_functions_have_the_diagrams_of_functions():
    drawn = sources.functions("chirp", (9, 30), cache=False)
    values = [origin.y for origin in drawn.origins]
    own = sources.from_function(values)
    assert equal(own, drawn)
    np.testing.assert_array_equal(own.origins[1].x, np.linspace(0, 1, 9))
    shifted = sources.from_function([3, 1, 2], x=[-1, 0, 5], essential="drop")
    assert shifted.in_dimension(0)[0].shape == (0, 2)
    assert shifted.origins[0].x.tolist() == [-1, 0, 5]
    two = sources.from_function([[3, 1, 2], [0, 1, 0]], x=[0, 1, 2])
    bounds = sources.stability(*two.origins)
    assert bounds.bottleneck <= bounds.sup_distance == 3
    assert sources.from_function([5.0]).in_dimension(0)[0].tolist() == [[5, 5]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sources.from_cloud(None), r"\(n, 2\) or \(n, 3\), not None"),
        (lambda: sources.from_cloud("abc"), r"\(n, 2\) or \(n, 3\), not 'abc'"),
        (lambda: sources.from_cloud(3), r"not one of shape \(\)"),
        (lambda: sources.from_cloud([]), r"not one of shape \(0,\)"),
        (lambda: sources.from_cloud([1, 2]), r"not one of shape \(2,\)"),
        (lambda: sources.from_cloud(np.empty((0, 2))), "1 to 5000 points, not 0"),
        (lambda: sources.from_cloud(np.empty((0, 5, 2))), "nothing here"),
        (lambda: sources.from_cloud(np.ones((5, 4))), r"not \(5, 4\)"),
        (lambda: sources.from_cloud([(0, 1), (0, 1, 2)]), r"shape \(2,\)"),
        (lambda: sources.from_cloud([(0, np.nan)]), "leave them out"),
        (lambda: sources.from_cloud([(0, np.inf)]), "leave them out"),
        (lambda: sources.from_cloud([(0, 1e200)]), "rescale"),
        (lambda: sources.from_cloud([(0, 1j)]), "array of numbers"),
        (lambda: sources.from_cloud(PLANE, "cech"), "'alpha', 'rips'"),
        (lambda: sources.from_cloud(PLANE, dimensions=1), r"such as \(0, 1\)"),
        (lambda: sources.from_cloud(PLANE, dimensions=(0, 3)), "from 0 to 2"),
        (lambda: sources.from_cloud(PLANE, dimensions=(1, 1)), "each once"),
        (lambda: sources.from_cloud(PLANE, dimensions=()), "some of 0, 1 and 2"),
        (lambda: sources.from_cloud(PLANE, "rips", max_edge=0), "max_edge"),
        (lambda: sources.from_cloud(PLANE, "rips", squared=True), "alpha"),
        (lambda: sources.from_cloud(PLANE, n_jobs=0), "n_jobs"),
        (lambda: sources.from_cloud(np.ones((401, 2)), "rips"), "1 to 400"),
        (lambda: sources.from_picture(np.ones((4, 5, 3))), r"mean\(axis=2\)"),
        (lambda: sources.from_picture(np.empty((0, 4))), "pixels"),
        (lambda: sources.from_picture([1, 2]), r"\(height, width\)"),
        (lambda: sources.from_picture(PICTURE / 255, "default"), "whole numbers"),
        (lambda: sources.from_picture([[1, 2]], "default"), "3 x 3 pixels"),
        (lambda: sources.from_picture(PICTURE, "plain"), "patterns"),
        (lambda: sources.from_picture(PICTURE, dimensions=(2,)), "from 0 to 1"),
        (lambda: sources.from_picture(PICTURE, essential="keep"), "essential"),
        (lambda: sources.from_function([]), "one knot"),
        (lambda: sources.from_function(5), r"\(n,\)"),
        (lambda: sources.from_function(["a", "b"]), "array of numbers"),
        (lambda: sources.from_function([1, 2], x=[1, 0]), "ascending"),
        (lambda: sources.from_function([1, 2], x=[1]), "as many numbers"),
        (lambda: sources.from_function([1, 2], essential=1), "essential"),
        (lambda: sources.perturb([(0, 1)], -1), "scale must be"),
        (lambda: sources.perturb([(0, 1)], np.nan), "scale must be"),
        (lambda: sources.perturb([(0, 1)], 1, "seed"), "random_state"),
    ],
)  # fmt: skip
def test_mistakes_are_told(call, words):
    with pytest.raises(ParameterError, match=words) as caught:
        call()
    assert len(str(caught.value)) < 250


def test_labels_and_names_are_checked_as_in_every_set():
    with pytest.raises(sw.DiagramError, match="labels have shape"):
        sources.from_cloud([PLANE, SPACE], labels=["a"])
    with pytest.raises(sw.DiagramError, match="sample 1 has no label"):
        sources.from_cloud([PLANE, SPACE], labels=["a", None])
    with pytest.raises(sw.DiagramError, match="3 names for 2"):
        sources.from_cloud([PLANE, SPACE], names=["a", "b", "c"])


def test_own_data_are_copied_and_cannot_be_changed():
    points = PLANE.copy()
    kept = sources.from_cloud(points).origins[0].points
    points[:] = 0
    np.testing.assert_array_equal(kept, PLANE)
    assert not kept.flags.writeable


@pytest.mark.parametrize(
    "own",
    [
        sources.from_cloud(PLANE),
        sources.from_cloud(SPACE, "rips"),
        sources.from_picture(PICTURE),
        sources.from_picture(PICTURE, "default"),
        sources.from_picture(PICTURE / 1000),
        sources.from_picture(np.ones((3, 3))),
        sources.from_function([2, 0, 3, 1, 4]),
    ],
    ids=str,
)
def test_own_data_are_drawn(own):
    check_axes(sw.plot.origin(own))
    check_axes(sw.plot.origin(own, level=0.2))
    check_axes(own.plot())


def test_progress_counts_clouds():
    seen = []
    sources.from_cloud([PLANE] * 3, progress=lambda *counts: seen.append(counts))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_limits_are_those_of_generated_clouds():
    assert most_points("rips", (0, 1, 2)) == 100
    with pytest.raises(ParameterError, match="1 to 100"):
        sources.from_cloud(np.ones((101, 3)), "rips", (0, 1, 2))


@given(
    diagrams(max_size=12),
    st.one_of(st.just(0.0), st.floats(1e-12, 1e3)),
    st.integers(0, 2**32 - 1),
)
def test_a_perturbed_diagram_is_within_the_scale(diagram, scale, seed):
    moved = sources.perturb(diagram, scale, seed)
    assert moved.shape == diagram.shape
    assert (moved[:, 0] <= moved[:, 1]).all()
    # To the last bit, so that theorems hold without a tolerance.
    assert (np.abs(moved - diagram) <= scale).all()
    assert sw.diagram_distance(diagram, moved, p=np.inf) <= scale
    np.testing.assert_array_equal(moved, sources.perturb(diagram, scale, seed))


@given(diagrams(max_size=8), st.floats(1e-3, 10), st.integers(0, 99))
def test_stability_of_the_sliced_distance_holds(diagram, scale, seed):
    moved = sources.perturb(diagram, scale, seed)
    d1 = sw.diagram_distance(diagram, moved)
    most = len(diagram) * scale
    assert d1 <= most * (1 + 1e-12)
    sliced = sw.sliced_wasserstein_exact(diagram, moved)
    size = 1 + np.abs(diagram).max(initial=0)
    assert sliced <= 2 * np.sqrt(2) * d1 + 1e-12 * size * (1 + len(diagram))


def test_perturbed_points_use_their_room():
    far = np.tile([0.0, 10.0], (4000, 1))
    moved = sources.perturb(far, 1.0, 0) - far
    assert np.abs(moved).max() > 0.999
    np.testing.assert_allclose(np.abs(moved).mean(axis=0), 0.5, atol=0.02)
    assert not np.array_equal(sources.perturb(far, 1.0, 1) - far, moved)
