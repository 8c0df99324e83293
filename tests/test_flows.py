"""Flows and means: gradients against differences, ends, invariances, costs."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import Parallel

import swviz as sw
from swviz import DiagramError, DiagramSet, ParameterError
from swviz.flows import _Lists, _Pulls, squared_pull
from tests import naive
from tests.strategies import FAMILIES, diagrams, pairs_of

THETAS = sw.directions(30, "diagonal")
CLOUDS = sw.sources.point_clouds(("circle", "figure eight"), 6, 100, cache=False)
CIRCLES = CLOUDS[CLOUDS.labels == "circle"].in_dimension(1)
EIGHTS = CLOUDS[CLOUDS.labels == "figure eight"].in_dimension(1)
few = settings(max_examples=40, deadline=None)


def random_diagram(n, seed):
    return np.sort(np.random.default_rng(seed).random((n, 2)), axis=1)


def feet(diagram):
    return np.repeat(diagram.mean(axis=1)[:, None], 2, axis=1)


def sorted_along(points, thetas):
    u = np.stack([np.cos(thetas), np.sin(thetas)])
    return np.sort((points @ u).T, axis=1)


def pulls_of(members, weights, points):
    lists = _Lists(members, weights, THETAS, max(len(one) for one in members))
    with Parallel(n_jobs=1, prefer="threads") as parallel:
        place = _Pulls(lists, parallel, 1, None)(points)
    return place.cost, place.squared, place.gradient


def canonical(diagram):
    """Points off the diagonal, in order: what a diagram is."""
    lasting = diagram[diagram[:, 1] > diagram[:, 0]]
    return lasting[np.lexsort(lasting.T)]


def root_mean_square(diagram, members):
    each = [sw.slice_costs(diagram, one, THETAS).mean() for one in members]
    return np.sqrt(np.mean(np.square(each)))


def mean_squared(diagram, members, weights=None):
    each = [naive.squared_sliced_cost(diagram, one, THETAS) for one in members]
    return np.average(each, weights=weights)


def test_means_of_the_built_in_set_have_the_loops_that_its_classes_share():
    clouds = sw.sources.from_preset("point_clouds", "small")
    H1 = DiagramSet({1: clouds.in_dimension(1)}, clouds.labels)
    means = sw.sliced_means(H1)

    def longest(diagram):
        return np.sort(np.append(diagram[:, 1] - diagram[:, 0], [0, 0, 0]))[:-4:-1]

    for name, n_loops in (("circle", 1), ("figure eight", 2)):
        [mean] = means[means.labels == name].in_dimension(1)
        members = H1[H1.labels == name].in_dimension(1)
        found = longest(mean)
        each = np.array([longest(member) for member in members])
        low, high = each.min(axis=0), each.max(axis=0)
        # Loops are as long as those of the members,
        assert (low[:n_loops] <= found[:n_loops]).all()
        assert (found[:n_loops] <= high[:n_loops]).all()
        # the noise is less, and there is nothing in between.
        assert found[n_loops] <= high[n_loops]
        assert found[n_loops - 1] > 20 * found[n_loops]


# Gradients, away from ties.


@pytest.mark.parametrize("n", [1, 2, 7, 20])
def test_the_pull_of_lists_is_the_gradient_of_their_squared_cost(n):
    cloud, goal = random_diagram(n, 0), random_diagram(n, 1)
    squared, gradient = squared_pull(cloud, sorted_along(goal, THETAS), THETAS)
    expected = naive.squared_list_cost(cloud, goal, THETAS)
    assert squared == pytest.approx(expected, rel=1e-13)
    slope = naive.gradient(
        lambda points: naive.squared_list_cost(points, goal, THETAS), cloud, 1e-7
    )
    np.testing.assert_allclose(gradient, slope, atol=1e-8)


@pytest.mark.parametrize("sizes", [(3,), (5, 5), (1, 9, 4), (0, 6, 2, 2)])
def test_the_pull_of_diagrams_is_the_gradient_of_their_squared_cost(sizes):
    members = [random_diagram(n, seed) for seed, n in enumerate(sizes)]
    weights = np.arange(1.0, len(sizes) + 1)
    weights /= weights.sum()
    points = random_diagram(6, 99)
    cost, squared, gradient = pulls_of(members, weights, points)
    plain = [sw.slice_costs(points, one, THETAS).mean() for one in members]
    assert cost == pytest.approx(np.sqrt(weights @ np.square(plain)), rel=1e-13)
    assert squared == pytest.approx(mean_squared(points, members, weights), rel=1e-13)
    slope = naive.gradient(
        lambda moved: mean_squared(moved, members, weights), points, 1e-7
    )
    np.testing.assert_allclose(gradient, slope, atol=1e-8)


def test_blocks_do_not_change_the_pull(monkeypatch):
    members, weights = CIRCLES[:5], np.full(5, 0.2)
    whole = pulls_of(members, weights, EIGHTS[0])
    monkeypatch.setattr("swviz.flows._BLOCK", 500)
    monkeypatch.setattr("swviz.flows._MEMORY", 0)
    for part, expected in zip(
        pulls_of(members, weights, EIGHTS[0]), whole, strict=True
    ):
        np.testing.assert_allclose(part, expected, rtol=1e-12, atol=1e-15)
    targets = sorted_along(CIRCLES[0], THETAS)
    small = squared_pull(CIRCLES[0][::-1] + 0.1, targets, THETAS)
    monkeypatch.undo()
    large = squared_pull(CIRCLES[0][::-1] + 0.1, targets, THETAS)
    assert small[0] == pytest.approx(large[0], rel=1e-12)
    np.testing.assert_allclose(small[1], large[1], rtol=1e-9, atol=1e-15)


def test_the_mean_of_lists_stands_for_all_of_them():
    members = [random_diagram(n, n) for n in (3, 8, 5)]
    weights = np.array([0.5, 0.2, 0.3])
    lists = _Lists(members, weights, THETAS, 16)
    filled = [lists.filled(index) for index in range(3)]
    for one, member in zip(filled, members, strict=True):
        np.testing.assert_array_equal(one[: len(member)], member)
        assert (one[len(member) :, 0] == one[len(member) :, 1]).all()

    def both(points):
        each = [naive.squared_list_cost(points, one, THETAS) for one in filled]
        return weights @ each, squared_pull(points, lists.mean, THETAS)[0]

    constants = [np.subtract(*both(random_diagram(16, seed))) for seed in range(3)]
    np.testing.assert_allclose(constants, constants[0], rtol=1e-10)
    apart = [both(one)[0] for one in filled]
    assert lists.nearest_members(3).tolist() == np.argsort(apart).tolist()


# Flows.


@pytest.mark.parametrize("n", [0, 1, 2, 5, 20, 60, 150])
@pytest.mark.parametrize("m", [0, 1, 3, 20, 100])
def test_a_flow_ends_where_it_should(n, m):
    A, B = random_diagram(n, 1000 + n), random_diagram(m, m)
    flow = sw.sliced_flow(A, B, random_state=0)
    assert flow.path.shape == (len(flow.costs), n + m, 2)
    np.testing.assert_array_equal(flow.path[0], np.concatenate([A, feet(B)]))
    start = sw.sliced_wasserstein_exact(A, B)
    assert sw.sliced_wasserstein_exact(flow.path[-1], B) <= 0.01 * start
    assert flow.costs[-1] <= 0.001 * flow.costs[0]
    assert n - flow.died.sum() + flow.born.sum() == m


@pytest.mark.parametrize("family", FAMILIES)
def test_flows_of_families(family):
    A, B = pairs_of(family, 25, 15, 3)
    flow = sw.sliced_flow(A, B, random_state=0)
    start = sw.sliced_wasserstein_exact(A, B)
    end = sw.sliced_wasserstein_exact(flow.path[-1], B)
    assert end <= 0.01 * start + 1e-14 * np.abs([*A, *B]).sum()
    assert flow.died.shape == (25,) and flow.born.shape == (15,)


@few
@given(diagrams(), diagrams(), st.sampled_from(["paper", "diagonal", "random"]))
def test_what_every_flow_holds(A, B, rule):
    flow = sw.sliced_flow(A, B, 12, rule, n_steps=25, random_state=3)
    thetas = sw.directions(12, rule, 3)
    goal = np.concatenate([B, feet(A)])
    assert len(flow.path) == len(flow.costs) == len(flow.squared_costs) <= 26
    assert (np.diff(flow.squared_costs) <= 0).all()
    assert (flow.path[..., 1] >= flow.path[..., 0]).all()
    np.testing.assert_array_equal(flow.path[0, : len(A)], A)
    size = np.abs([*A, *B]).sum() if len(goal) else 0.0
    for step in (0, len(flow.path) // 2, -1):
        cost = sw.slice_costs(flow.path[step], B, thetas).mean()
        squared = naive.squared_list_cost(flow.path[step], goal, thetas)
        assert flow.costs[step] == pytest.approx(cost, rel=1e-12, abs=1e-14 * size)
        assert flow.squared_costs[step] == pytest.approx(
            squared, rel=1e-10, abs=1e-14 * size**2
        )


def test_a_flow_of_equal_diagrams_goes_nowhere():
    for A in (random_diagram(5, 0), np.empty((0, 2)), np.ones((1, 2))):
        flow = sw.sliced_flow(A, A)
        np.testing.assert_array_equal(flow.path, [np.concatenate([A, feet(A)])])
        np.testing.assert_allclose(flow.costs, [0], atol=1e-15)
        assert not flow.born.any()


def test_duplicates_go_different_ways():
    A = np.array([(0.0, 1.0)] * 4)
    B = np.array([(0, 1), (0.1, 0.9), (-0.3, 0.8), (0.5, 0.6)])
    end = sw.sliced_flow(A, B, random_state=0).path[-1]
    assert sw.sliced_wasserstein_exact(end, B) < 0.01 * sw.sliced_wasserstein_exact(
        A, B
    )


@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**-30, 2.0**30, 2.0**990])
def test_flows_and_means_scale(factor):
    A, B = random_diagram(12, 0), random_diagram(9, 1)
    flow = sw.sliced_flow(A, B, random_state=0)
    scaled = sw.sliced_flow(factor * A, factor * B, random_state=0)
    np.testing.assert_array_equal(scaled.path, factor * flow.path)
    np.testing.assert_array_equal(scaled.costs, factor * flow.costs)
    mean, large = sw.sliced_mean([A, B]), sw.sliced_mean([factor * A, factor * B])
    np.testing.assert_array_equal(large.diagram, factor * mean.diagram)
    np.testing.assert_array_equal(large.costs, factor * mean.costs)


def test_other_factors_and_translations_move_the_path_along():
    A, B = random_diagram(6, 4), random_diagram(5, 5)
    flow, mean = sw.sliced_flow(A, B, random_state=0), sw.sliced_mean([A, B, A / 2])
    for factor, shift in ((0.3, 0.0), (1.0, 0.7), (1.0, -3.0)):
        C, D = factor * A + shift, factor * B + shift
        moved = sw.sliced_flow(C, D, random_state=0)
        np.testing.assert_allclose(moved.path, factor * flow.path + shift, atol=1e-9)
        others = sw.sliced_mean([C, D, factor * A / 2 + shift])
        np.testing.assert_allclose(
            others.diagram, factor * mean.diagram + shift, atol=1e-9
        )


def test_the_order_of_points_and_of_diagrams_does_not_matter():
    A, B, C = random_diagram(7, 0), random_diagram(5, 1), random_diagram(6, 2)
    rng = np.random.default_rng(0)
    flow = sw.sliced_flow(A, B, random_state=0)
    p, q = rng.permutation(7), rng.permutation(5)
    moved = sw.sliced_flow(A[p], B[q], random_state=0)
    both = np.concatenate([p, 7 + q])
    np.testing.assert_allclose(moved.path, flow.path[:, both], atol=1e-9)
    mean = sw.sliced_mean([A, B, C], [1, 2, 3])
    other = sw.sliced_mean([C, A[p], B[q]], [3, 1, 2])
    np.testing.assert_allclose(
        canonical(other.diagram), canonical(mean.diagram), atol=1e-9
    )


def test_a_seed_gives_the_same_flow():
    A, B = random_diagram(40, 0), random_diagram(40, 1)
    first, again = (sw.sliced_flow(A, B, random_state=7).path for _ in range(2))
    np.testing.assert_array_equal(first, again)
    other = sw.sliced_flow(A, B, random_state=8).path
    assert other.shape != first.shape or (other != first).any()


def test_steps_and_their_size():
    A, B = random_diagram(10, 0), random_diagram(10, 1)
    assert len(sw.sliced_flow(A, B, n_steps=3, random_state=0).path) == 4
    slow = sw.sliced_flow(A, B, n_steps=1, step_size=0.1)
    fast = sw.sliced_flow(A, B, n_steps=1, step_size=0.5)
    np.testing.assert_allclose(
        fast.path[1] - fast.path[0], 5 * (slow.path[1] - slow.path[0]), atol=1e-12
    )
    early = sw.sliced_flow(A, B, tolerance=0.5)
    assert 0.3 * early.costs[0] < early.costs[-1] <= 0.5 * early.costs[0]


# The built-in set.


def test_a_loop_becomes_two_and_noise_sinks_into_the_diagonal():
    data = sw.sources.from_preset("point_clouds", "small", cache=False)
    loops = data.in_dimension(1)
    A = loops[data.labels.tolist().index("circle")]
    B = loops[data.labels.tolist().index("figure eight")]
    flow = sw.sliced_flow(A, B, random_state=0)
    start = sw.sliced_wasserstein_exact(A, B)
    assert sw.sliced_wasserstein_exact(flow.path[-1], B) < 0.01 * start
    large = 0.15
    persistence = np.diff(flow.path[[0, -1]], axis=2)[..., 0]
    assert (persistence > large).sum(axis=1).tolist() == [1, 2]
    # The loop is one of the two, and the other one is noise, or was not there.
    assert (persistence > large).all(axis=0).sum() == 1
    assert flow.died.sum() > len(A) / 4
    assert (persistence[1, : len(A)][flow.died] < 0.01).all()


@pytest.mark.parametrize(("name", "loops"), [("circle", 1), ("figure eight", 2)])
def test_means_of_classes_look_like_their_members(name, loops):
    data = sw.sources.from_preset("point_clouds", "small", cache=False)
    members = data[data.labels == name].in_dimension(1)
    found = sw.sliced_mean(members)
    strongest = [d[np.argsort(d[:, 0] - d[:, 1])[:loops]] for d in members]
    spread = np.concatenate(strongest)
    order = np.argsort(found.diagram[:, 0] - found.diagram[:, 1])
    top, rest = found.diagram[order[:loops]], found.diagram[order[loops:]]
    assert (top >= spread.min(axis=0)).all() and (top <= spread.max(axis=0)).all()
    assert (top[:, 1] - top[:, 0]).min() > 2 * (rest[:, 1] - rest[:, 0]).max()
    each = [root_mean_square(one, members) for one in members]
    assert found.costs[-1] == pytest.approx(root_mean_square(found.diagram, members))
    assert found.costs[-1] < min(each)


# Means.


@few
@given(diagrams(), st.integers(1, 3))
def test_the_mean_of_equal_diagrams_is_that_diagram(A, count):
    found = sw.sliced_mean([A] * count)
    expected = A[A[:, 1] > A[:, 0]]
    np.testing.assert_array_equal(found.diagram, expected)
    np.testing.assert_allclose(found.squared_costs, [0.0], atol=1e-28)


@few
@given(st.lists(diagrams(), min_size=1, max_size=5), st.integers(1, 3))
def test_what_every_mean_holds(members, n_starts):
    found = sw.sliced_mean(members, n_starts=n_starts, n_steps=8)
    assert len(found.costs) == len(found.squared_costs) <= 10
    assert (np.diff(found.squared_costs) <= 0).all()
    largest = max(len(one) for one in members)
    assert len(found.diagram) <= 2 * largest
    assert (found.diagram[:, 1] > found.diagram[:, 0]).all()
    size = sum(np.abs(one).sum() for one in members)
    end = root_mean_square(found.diagram, members)
    assert found.costs[-1] == pytest.approx(end, rel=1e-9, abs=1e-13 * size)
    assert end <= min(root_mean_square(one, members) for one in members) + 1e-13 * size


def test_weights_lead_from_one_diagram_to_another():
    A, B = CIRCLES[0], EIGHTS[0]
    np.testing.assert_array_equal(sw.sliced_mean([A, B], [1, 0]).diagram, A)
    np.testing.assert_array_equal(sw.sliced_mean([A, B], [0, 5.0]).diagram, B)
    between = sw.sliced_wasserstein(A, B, 30)
    before = 0.0
    for share in (0.25, 0.5, 0.75):
        middle = sw.sliced_mean([A, B], [1 - share, share]).diagram
        to_a = sw.sliced_wasserstein(middle, A, 30)
        to_b = sw.sliced_wasserstein(middle, B, 30)
        assert to_a == pytest.approx(share * between, rel=0.25)
        assert to_b == pytest.approx((1 - share) * between, rel=0.25)
        assert to_a > before
        before = to_a


def test_points_far_apart_meet_half_way_to_the_diagonal():
    found = sw.sliced_mean([[(0, 1)], [(10, 11)]]).diagram
    np.testing.assert_allclose(
        canonical(found), [(0.25, 0.75), (10.25, 10.75)], atol=0.02
    )


def test_more_starts_are_no_worse():
    members = [random_diagram(8, seed) for seed in range(6)]
    means = [sw.sliced_mean(members, n_starts=n).diagram for n in (1, 6)]
    costs = [root_mean_square(mean, members) for mean in means]
    assert costs[1] <= costs[0]
    alone = sw.sliced_mean(members, n_starts=1)
    each = [root_mean_square(one, members) for one in members]
    assert alone.start == int(np.argmin(each))
    assert alone.costs[0] == pytest.approx(min(each), rel=1e-12)
    start = mean_squared(members[alone.start], members)
    assert alone.squared_costs[0] == pytest.approx(start, rel=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
def test_means_of_families(family):
    members = [FAMILIES[family](np.random.default_rng(seed), 9) for seed in range(4)]
    members.append(np.empty((0, 2)))
    found = sw.sliced_mean(members)
    each = [root_mean_square(one, members) for one in members]
    size = sum(np.abs(one).sum() for one in members)
    assert root_mean_square(found.diagram, members) <= min(each) + 1e-14 * size


def test_workers_do_not_change_the_mean():
    one, two = (sw.sliced_mean(CIRCLES, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.diagram, two.diagram)
    np.testing.assert_array_equal(one.costs, two.costs)


def test_means_of_classes_and_dimensions():
    means = sw.sliced_means(CLOUDS, n_steps=3)
    assert means.dimensions == CLOUDS.dimensions
    assert means.labels.tolist() == ["circle", "figure eight"]
    assert means.names == ("circle", "figure eight")
    expected = sw.sliced_mean(EIGHTS, n_steps=3).diagram
    np.testing.assert_array_equal(means.in_dimension(1)[1], expected)
    plain = DiagramSet({1: CIRCLES})
    assert len(sw.sliced_means(plain, n_steps=1)) == 1
    np.testing.assert_array_equal(
        sw.sliced_mean(plain, n_steps=1).diagram,
        sw.sliced_mean(CIRCLES, n_steps=1).diagram,
    )


# Progress, memory, mistakes, words.

CALLS = {
    "flow": lambda progress: sw.sliced_flow(
        CIRCLES[0], EIGHTS[0], random_state=0, progress=progress
    ),
    "mean": lambda progress: sw.sliced_mean(CIRCLES, progress=progress),
    "mean, threads": lambda progress: sw.sliced_mean(
        CIRCLES, n_jobs=2, progress=progress
    ),
    "means": lambda progress: sw.sliced_means(CLOUDS, n_steps=2, progress=progress),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_progress_and_how_to_stop(call):
    told = []
    call(lambda done, total: told.append((done, total)))
    done, totals = np.array(told).T
    assert len(told) > 4
    assert len(set(totals)) == 1
    assert (np.diff(done) >= 0).all() and done[-1] == totals[-1]

    class Enough(Exception):
        pass

    def stop(done, total):
        if done > total // 20:
            raise Enough

    with pytest.raises(Enough):
        call(stop)


def test_memory_stays_bounded():
    members = [random_diagram(300, seed) for seed in range(60)]
    sw.sliced_mean(members[:3], n_steps=1)
    tracemalloc.start()
    sw.sliced_mean(members, n_steps=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = 16 * 30 * 300 * 60
    assert peak < kept + (24 << 20)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sw.sliced_flow([(0, 1)], [], n_steps=0), "n_steps must be"),
        (lambda: sw.sliced_flow([(0, 1)], [], step_size=0), "step_size must be"),
        (lambda: sw.sliced_flow([(0, 1)], [], step_size=1.5), "step_size must be"),
        (lambda: sw.sliced_flow([(0, 1)], [], tolerance=-1), "tolerance must be"),
        (lambda: sw.sliced_flow([(0, 1)], [], rule="x"), "rule must be"),
        (lambda: sw.sliced_flow([(0, 1)], [], random_state="x"), "random_state"),
        (lambda: sw.sliced_flow([(1, 0)], []), "dies before it is born"),
        (lambda: sw.sliced_mean([]), "no diagrams"),
        (lambda: sw.sliced_mean([(0, 1)]), "wrap it"),
        (lambda: sw.sliced_mean(CLOUDS), "choose one with"),
        (lambda: sw.sliced_mean(CIRCLES, n_starts=0), "n_starts must be"),
        (lambda: sw.sliced_mean(CIRCLES, n_jobs=0), "n_jobs must be"),
        (lambda: sw.sliced_mean(CIRCLES, tolerance="x"), "tolerance must be"),
        (lambda: sw.sliced_means(CIRCLES), "takes a DiagramSet"),
        (lambda: sw.sliced_means(CLOUDS[:0]), "no diagrams"),
    ],
)
def test_mistakes(call, words):
    with pytest.raises((ParameterError, DiagramError), match=words):
        call()


@pytest.mark.parametrize(
    "weights",
    [[1], [1, -1], [0, 0], [1, np.nan], [1, np.inf], "ab", [[1, 1]], [1, None]],
)
def test_weights_that_are_none(weights):
    with pytest.raises(ParameterError, match="weights must be 2 numbers"):
        sw.sliced_mean(CIRCLES[:2], weights)


@pytest.mark.parametrize("weights", [[1e-320, 1e-320], [1e300, 1e300], [3, 3]])
def test_weights_count_relative_to_each_other(weights):
    np.testing.assert_array_equal(
        sw.sliced_mean(CIRCLES[:2], weights).diagram,
        sw.sliced_mean(CIRCLES[:2]).diagram,
    )


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 1e-160, 1e160, 1e299])
def test_very_small_and_very_large_diagrams(factor):
    A, B = factor * random_diagram(6, 0), factor * random_diagram(4, 1)
    flow = sw.sliced_flow(A, B, random_state=0)
    assert np.isfinite(flow.path).all()
    assert flow.costs[-1] <= 0.01 * flow.costs[0]
    found = sw.sliced_mean([A, B])
    assert np.isfinite(found.diagram).all() and len(found.diagram)


def test_results_are_short_to_read():
    flow = sw.sliced_flow([(0, 1), (2, 2.2)], [(0, 2)], random_state=0)
    assert repr(flow).startswith("<SlicedFlow of 2 points, ")
    assert "1 died, 0 were born, SW from" in repr(flow)
    assert repr(sw.sliced_mean([[(0, 1)]])) == (
        "<SlicedMean of 1 points, 0 steps: SW to all from 0 to 0>"
    )
