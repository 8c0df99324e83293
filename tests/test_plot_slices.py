"""Pictures of slices: what they draw adds up to what the library computes."""

import html
import re
import subprocess
import sys

import holoviews as hv
import numpy as np
import pytest
from bokeh.models import GlyphRenderer

import swviz as sw
from swviz.errors import SwvizError
from swviz.plot import turning
from swviz.plot.turning import frames_of
from tests.plot_tools import check_axes, columns, layer

RNG = np.random.default_rng(0)
A = np.cumsum(RNG.random((7, 2)), axis=1)
B = np.cumsum(RNG.random((5, 2)), axis=1)
THETAS = [-1.2, 0.0, 0.4, np.pi / 4]
ODD = {
    "empty": ([], []),
    "one point": ([], [(1, 2)]),
    "equal": (A, A),
    "on the diagonal": ([(1, 1)], []),
    "all at one place": ([(0, 1)] * 4, [(0, 1)]),
}
PICTURES = {
    "plane": lambda A, B: sw.plot.slice_plane(A, B, 0.4),
    "lines": lambda A, B: sw.plot.slice_lines(A, B, 0.4),
    "surplus": lambda A, B: sw.plot.surplus(A, B, 0.4),
    "costs": lambda A, B: sw.plot.cost_curve(A, B, 5, theta=0.4),
    "polar": lambda A, B: sw.plot.cost_curve(A, B, 5, polar=True, theta=0.4),
    "segments": sw.plot.balanced_segments,
    "matching": sw.plot.matching,
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("make", PICTURES.values(), ids=PICTURES)
def test_odd_pairs_have_sensible_pictures(make, odd):
    check_axes(make(*ODD[odd]), both=odd == "empty")


# The others are drawn below, as they turn.
@pytest.mark.parametrize("name", ["polar", "segments", "matching"])
def test_pictures_are_drawn(name):
    check_axes(PICTURES[name](A, B), both=True)


@pytest.mark.parametrize("theta", THETAS)
def test_rays_meet_the_line_at_a_right_angle(theta):
    picture = sw.plot.slice_plane(A, B, theta)
    u = np.array([np.cos(theta), np.sin(theta)])
    start, end = columns(layer(picture, hv.Curve, "line"), "birth", "death")
    np.testing.assert_allclose((end - start) @ [-u[1], u[0]], 0, atol=1e-12)
    for name, given in (("A", A), ("B", B)):
        rays = columns(layer(picture, hv.Segments, name), "x0", "y0", "x1", "y1")
        # Every point, and every projection onto the diagonal.
        np.testing.assert_array_equal(rays[: len(given), :2], given)
        along = rays[:, 2:] - rays[:, :2]
        np.testing.assert_allclose(along @ u, 0, atol=1e-12)
        np.testing.assert_allclose((rays[:, 2:] - start) @ [-u[1], u[0]], 0, atol=1e-9)
        rings = layer(picture, hv.Points, f"projections of {name}")
        np.testing.assert_allclose(rings["birth"], given.mean(axis=1))


@pytest.mark.parametrize("theta", THETAS)
def test_links_and_the_shaded_area_are_the_cost_of_the_slice(theta):
    [cost] = sw.slice_costs(A, B, [theta])
    links = layer(sw.plot.slice_lines(A, B, theta), hv.Segments)
    x0, x1 = links["x0"], links["x1"]
    np.testing.assert_allclose(np.abs(x0 - x1).sum(), cost, atol=1e-12)
    assert (np.diff(x0) >= 0).all()
    assert (np.diff(x1) >= 0).all()
    area = layer(sw.plot.surplus(A, B, theta), hv.Rectangles)
    sides = columns(area, "left", "low", "right", "high")
    boxes = (sides[:, 2] - sides[:, 0]) * (sides[:, 3] - sides[:, 1])
    np.testing.assert_allclose(boxes.sum(), cost, atol=1e-12)


def test_the_lists_are_told_apart():
    picture = sw.plot.slice_lines(A, B, 0.4)
    for name, given, height in (("A", A, 1), ("B", B, 0)):
        own = layer(picture, hv.Points, name)
        theirs = layer(picture, hv.Points, f"projections of {name}")
        assert (own["list"] == height).all()
        assert (theirs["list"] == 1 - height).all()
        assert len(own) == len(theirs) == len(given)


@pytest.mark.parametrize("rule", ["paper", "diagonal", "random"])
def test_bars_are_the_slices_of_the_sum(rule):
    picture = sw.plot.cost_curve(A, B, 6, rule, random_state=3)
    bars = layer(picture, hv.Rectangles)
    expected = sw.sliced_wasserstein(A, B, 6, rule=rule, random_state=3)
    assert bars["cost"].mean() == pytest.approx(expected)
    area = (bars["right"] - bars["left"]) @ bars["top"] / np.pi
    assert area == pytest.approx(expected)
    curve = layer(picture, hv.Curve)
    np.testing.assert_allclose(curve["cost"], sw.slice_costs(A, B, curve["theta"]))


def test_the_polar_curve_has_the_cost_as_its_radius():
    picture = sw.plot.cost_curve(A, B, polar=True)
    places = columns(layer(picture, hv.Polygons).split()[0], "x", "y")
    theta = np.arctan2(places[:, 1], places[:, 0])
    np.testing.assert_allclose(
        np.hypot(*places.T), sw.slice_costs(A, B, theta), atol=1e-9
    )


def test_a_marked_angle_may_be_any():
    for theta in (0.4, 0.4 + np.pi, 0.4 - 3 * np.pi):
        picture = sw.plot.cost_curve(A, B, theta=theta)
        [spot] = columns(layer(picture, hv.Scatter), "theta", "cost")
        np.testing.assert_allclose(spot, (0.4, sw.slice_costs(A, B, [0.4])[0]))


def sides(figure):
    """Return the ends of both axes of a Bokeh figure."""
    ranges = figure.x_range, figure.y_range
    return [end for side in ranges for end in (side.start, side.end)]


def test_slices_turn():
    slices = sw.plot.slices(A, B, [0.0, 0.5, 1.0], n_directions=4)
    assert isinstance(slices, hv.Layout)
    for part in slices:
        assert isinstance(part, hv.HoloMap)
        degrees = [float(key) for key in part.keys()]
        np.testing.assert_allclose(degrees, np.rad2deg([0.0, 0.5, 1.0]), atol=1e-3)
        # That axes stay for all frames is looked at below.
        check_axes(part.last, both=True)
    lines = list(slices)[2]
    for degree, frame in lines.data.items():
        links = layer(frame, hv.Segments)
        [cost] = sw.slice_costs(A, B, np.deg2rad(degree))
        assert np.abs(links["x0"] - links["x1"]).sum() == pytest.approx(cost, abs=1e-3)


# Three angles of the usual pair: a first frame, one between others, and a last one.
# Those of odd pairs have next to nothing to change, or nothing at all: of two, the
# last.
FRAMES = {"usual": (A, B, THETAS[:3])} | {
    name: (*ODD[name], THETAS[::2]) for name in ("empty", "all at one place")
}


@pytest.fixture(params=FRAMES)
def turning_page(request, monkeypatch):
    """Name of a case, its slices, what a notebook is given, and the frames in it."""
    slices = sw.plot.slices(*FRAMES[request.param], n_directions=4)
    found = []

    def noted(part):
        found.append(frames_of(part))
        return found[-1]

    monkeypatch.setattr(turning, "frames_of", noted)
    bundle, _ = slices._repr_mimebundle_()
    return request.param, slices, bundle, found


def test_a_notebook_is_given_a_page_with_what_each_frame_draws(turning_page):
    name, slices, bundle, found = turning_page
    for part, (drawn, parts) in zip(slices, found, strict=True):
        changing = {source.id: rest for source, *rest in parts}
        for k, key in enumerate(part.keys()):
            if name != "usual" and k == 0:
                continue
            fresh = hv.render(part[key], backend="bokeh")
            # A slice turns without moving its axes.
            assert sides(fresh) == sides(drawn)
            for mine, theirs in zip(drawn.renderers, fresh.renderers, strict=True):
                if not isinstance(theirs, GlyphRenderer):
                    same = theirs.properties_with_values()
                    assert mine.properties_with_values() == same
                    continue
                shown = dict(mine.data_source.data)
                names, ends, values = changing.get(mine.data_source.id, ([], [], []))
                for column, rows in zip(names, values, strict=True):
                    shown[column] = rows[ends[k - 1] if k else 0 : ends[k]]
                for column, rows in theirs.data_source.data.items():
                    np.testing.assert_array_equal(shown[column], rows)
    # And it asks for nothing.
    assert bundle["text/plain"] == repr(slices)
    page = html.unescape(bundle["text/html"])
    assert not re.findall(r"^<(?:script|link)[^>]+(?:src|href)=", page, re.MULTILINE)
    assert "-68.755" in page


def test_one_angle_is_a_picture_that_stands_still():
    slices = sw.plot.slices([], [], [0.0])
    assert [len(part) for part in slices] == [1] * 4
    # One of the four, since nothing changes in any.
    still, _ = sw.plot.steps({0.0: list(slices)[3].last})._repr_mimebundle_()
    assert "<iframe" in still["text/html"]


def test_slices_are_laid_out_with_others(monkeypatch):
    slices = sw.plot.slices(A, B, THETAS[:2])
    mine = hv.Curve([1, 2])
    assert len(slices + mine) == len(mine + slices) == 5
    # Who draws with Matplotlib is shown what HoloViews makes of it.
    monkeypatch.setattr(hv.Store, "current_backend", "matplotlib")
    monkeypatch.setattr(hv.Store, "render", lambda layout: ({"given": layout}, {}))
    assert slices._repr_mimebundle_()[0] == {"given": slices}


def test_slices_are_saved_with_all_their_frames():
    """HoloViews' own page has them, too: that of `hv.save`, or beside others."""
    # In a process of its own: other tests load the app, and with it other widgets.
    code = (
        "import gc\n"
        "gc.disable()\n"
        # It loads HoloViews by itself.
        "import swviz as sw\n"
        "turning = sw.plot.slices([(0, 1)], [(0, 2)], [0.0, 0.5])\n"
        "import holoviews as hv\n"
        "print(hv.renderer('bokeh').components(turning)[0]['text/html'])"
    )
    answer = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "panel.models.state.State" in answer.stdout
    # What to change in the page for each of the two angles.
    assert answer.stdout.count("PATCH-DOC") == 2
    assert "28.648" in answer.stdout


def test_balanced_segments_add_up_to_the_distance():
    picture = sw.plot.balanced_segments(A, B)
    total = 0.0
    for name, sign in (("for SW", 1), ("against SW", -1)):
        some = layer(picture, hv.Segments, name)
        ends = columns(some, "x0", "y0", "x1", "y1")
        assert (sign * some["weight"] > 0).all()
        total += some["weight"] @ np.hypot(*(ends[:, 2:] - ends[:, :2]).T)
    assert total / np.pi == pytest.approx(sw.sliced_wasserstein_exact(A, B))


@pytest.mark.parametrize("p", [1, 2])
def test_the_matching_costs_the_distance(p):
    ends = columns(
        layer(sw.plot.matching(A, B, p), hv.Segments), "x0", "y0", "x1", "y1"
    )
    # Along the diagonal nothing is paid for: d_p counts in the maximum norm.
    costs = np.abs(ends[:, 2:] - ends[:, :2]).max(axis=1)
    assert (costs**p).sum() ** (1 / p) == pytest.approx(sw.diagram_distance(A, B, p))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: sw.plot.slice_plane(A, B, [0, 1]), "one angle"),
        (lambda: sw.plot.slice_lines(A, B, np.nan), "finite|angle"),
        (lambda: sw.plot.surplus([(1, 0)], B, 0), "death"),
        (lambda: sw.plot.cost_curve(A, B, 0), "n_directions"),
        (lambda: sw.plot.cost_curve(A, B, 4, "best"), "rule"),
        (lambda: sw.plot.slices(A, B, []), "different angles"),
        (lambda: sw.plot.slices(A, B, [0, 0]), "different angles"),
        (lambda: sw.plot.matching(A, B, 0), "p "),
        (lambda: sw.plot.balanced_segments([(0, np.inf)], B), "inf|never"),
    ],
)
def test_mistakes_are_told(wrong, message):
    with pytest.raises(SwvizError, match=message):
        wrong()
