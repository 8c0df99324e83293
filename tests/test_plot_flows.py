"""Pictures of flows and means: what they draw is what the library finds."""

import holoviews as hv
import numpy as np
import pytest

import swviz as sw
from swviz import DiagramSet
from swviz.errors import SwvizError
from swviz.plot.theme import class_color
from tests.plot_tools import check_axes, columns, layer, look

RNG = np.random.default_rng(0)
A = np.cumsum(RNG.random((7, 2)), axis=1)
B = np.cumsum(RNG.random((5, 2)), axis=1)
ODD = {
    "empty": ([], []),
    "one point": ([], [(1, 2)]),
    "equal": (A, A),
    "on the diagonal": ([(1, 1)], []),
    "all at one place": ([(0, 1)] * 4, [(0, 1)]),
}
SET = DiagramSet({1: [A, A + 0.1, B, B + 0.1]}, labels=["a", "a", "b", "b"])


@pytest.mark.parametrize("odd", ODD)
def test_odd_pairs_have_sensible_pictures(odd):
    picture = sw.plot.flow(*ODD[odd], n_frames=3)
    check_axes(picture.last, both=odd == "empty")
    check_axes(sw.plot.mean(ODD[odd]), both=odd == "empty")


def test_a_flow_plays_from_a_to_b():
    way = sw.sliced_flow(A, B, random_state=0)
    picture = sw.plot.flow(A, B, way)
    assert isinstance(picture, hv.HoloMap)
    assert picture.kdims == ["step"]
    steps = picture.keys()
    assert steps[0] == 0 and steps[-1] == len(way.path) - 1
    assert len(steps) <= 40
    for step in steps:
        frame, now = picture[step], way.path[step]
        for name, rows in (
            ("stays", np.flatnonzero(~way.died)),
            ("dies", np.flatnonzero(way.died)),
            ("is born", 7 + np.flatnonzero(way.born)),
            ("rests", 7 + np.flatnonzero(~way.born)),
        ):
            shown = columns(layer(frame, hv.Points, name), "birth", "death")
            np.testing.assert_array_equal(shown, now[rows])
        goal = columns(layer(frame, hv.Points, "B"), "birth", "death")
        np.testing.assert_array_equal(goal, B)
        [note] = layer(frame, hv.Labels)["SW"]
        assert note == f"SW {way.costs[step]:.3g}"


def test_tails_are_where_points_have_been():
    way = sw.sliced_flow(A, B, random_state=0)
    picture = sw.plot.flow(A, B, way)
    steps = picture.keys()
    assert len(layer(picture[0], hv.Segments, "stays")) == 0
    staying = np.flatnonzero(~way.died)
    tails = columns(layer(picture[steps[2]], hv.Segments, "stays"), "x0", "y0", "x1")
    assert len(tails) == 2 * len(staying)
    np.testing.assert_array_equal(tails[: len(staying), :2], way.path[0, staying])
    last = layer(picture.last, hv.Segments, "stays")
    assert len(last) == 4 * len(staying)


def test_frames_share_their_axes_and_their_number_is_bounded():
    picture = sw.plot.flow(A, B, n_frames=5)
    assert 2 <= len(picture) <= 6
    first = check_axes(picture[0])
    last = check_axes(picture.last, both=True)
    for side in ("x_range", "y_range"):
        assert getattr(first, side).start == getattr(last, side).start
        assert getattr(first, side).end == getattr(last, side).end
    again = sw.plot.flow(A, B, n_frames=5)
    assert again.keys() == picture.keys()


def test_the_mean_is_drawn_over_its_members():
    picture = sw.plot.mean([A, B])
    check_axes(picture, both=True)
    found = sw.sliced_mean([A, B]).diagram
    members = columns(layer(picture, hv.Points, "members"), "birth", "death")
    np.testing.assert_array_equal(members, np.concatenate([A, B]))
    shown = columns(layer(picture, hv.Points, "mean"), "birth", "death")
    np.testing.assert_array_equal(shown, found)
    given = sw.plot.mean([A, B], [(0, 1)])
    np.testing.assert_array_equal(layer(given, hv.Points, "mean")["death"], [1])


def test_every_class_has_a_mean_in_its_colour():
    picture = sw.plot.mean(SET)
    check_axes(picture, both=True)
    means = sw.sliced_means(SET)
    for index, (name, one) in enumerate(zip("ab", means.in_dimension(1), strict=True)):
        mark = layer(picture, hv.Points, name)
        np.testing.assert_array_equal(columns(mark, "birth", "death"), one)
        assert look(mark)["fill_color"] == class_color(index)
    pale = [one for one in picture if isinstance(one, hv.Points) and not one.label]
    assert [len(one) for one in pale] == [14, 10]
    again = sw.plot.mean(SET, means)
    np.testing.assert_array_equal(
        layer(again, hv.Points, "a")["birth"], means.in_dimension(1)[0][:, 0]
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: sw.plot.flow(A, B, sw.sliced_flow(B, A)),
        lambda: sw.plot.flow(A, B, n_frames=1),
        lambda: sw.plot.flow(A, "x"),
        lambda: sw.plot.mean(A),
        lambda: sw.plot.mean([]),
        lambda: sw.plot.mean(SET, [(0, 1)]),
        lambda: sw.plot.mean(SET, sw.sliced_means(SET)[:1]),
    ],
)
def test_mistakes(call):
    with pytest.raises(SwvizError):
        call()
