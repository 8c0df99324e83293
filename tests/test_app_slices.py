import re

import numpy as np
import pytest

from swviz import (
    balanced_segments,
    diagram_distance,
    directions,
    slice_costs,
    slice_matching,
    sliced_wasserstein_exact,
)
from swviz.app.state import Workspace
from swviz.app.views.slices import SliceView
from tests.strategies import pairs_of

A, B = pairs_of("uniform", 9, 7, seed=0)


@pytest.fixture
def view():
    return SliceView(A, B)


def column(source, name):
    return np.asarray(source.data[name])


def test_figures_show_what_the_library_computes(view):
    figures = view.figures
    theta = view.workspace.theta
    matching = slice_matching(A, B, theta)
    # Positions on the line are counted from the point about which it turns.
    centre = column(figures.frame, "anchor")[0] * (np.cos(theta) + np.sin(theta))
    ends = column(figures.links, "x").reshape(-1, 3)
    np.testing.assert_allclose(ends[:, 0], matching.source - centre)
    np.testing.assert_allclose(ends[:, 1], matching.target - centre)
    assert np.isnan(ends[:, 2]).all()
    assert column(figures.cursor, "w")[0] == pytest.approx(matching.cost)
    np.testing.assert_allclose(
        column(figures.curve, "w"), slice_costs(A, B, figures.curve_angles)
    )
    assert column(figures.truth, "exact")[0] == sliced_wasserstein_exact(A, B)
    assert column(figures.truth, "d1")[0] == diagram_distance(A, B)
    t, g = column(figures.steps, "t"), column(figures.steps, "g")
    area = np.abs(g[1:-1:2]) @ np.diff(t)[1::2]
    assert area == pytest.approx(matching.cost)


def test_points_and_projections_lie_where_the_line_is_laid_flat(view):
    figures, theta = view.figures, view.workspace.theta
    u = np.array([np.cos(theta), np.sin(theta)])
    centre = column(figures.frame, "anchor")[0] * u.sum()
    for name, diagram, level in (("A", A, 1), ("B", B, 0)):
        own, middle = figures.own[name], figures.middle[name]
        np.testing.assert_allclose(
            np.sort(column(own, "t")), np.sort(diagram @ u - centre), atol=1e-12
        )
        projected = diagram.mean(axis=1) * u.sum() - centre
        np.testing.assert_allclose(
            np.sort(column(middle, "t")), np.sort(projected), atol=1e-12
        )
        assert set(column(own, "y")) == {level}
        assert set(column(middle, "y")) == {1 - level}


def segments(source):
    """Starts and ends of the segments in a line with gaps."""
    points = np.stack([column(source, "x"), column(source, "y")], axis=1)
    return points.reshape(-1, 3, 2)[:, :2]


def test_rays_lead_from_the_points_to_the_line(view):
    theta = view.workspace.theta
    u = np.array([np.cos(theta), np.sin(theta)])
    anchor = column(view.figures.frame, "anchor")[0]
    for rays, diagram in zip(view.figures.rays, (A, B), strict=True):
        drawn = segments(rays)
        np.testing.assert_allclose(drawn[:, 0], diagram)
        feet = anchor + np.outer((diagram - anchor) @ u, u)
        frame = view.figures.plane.x_range
        seen = ((feet >= frame.start) & (feet <= frame.end)).all(axis=1)
        assert seen.sum() > len(feet) / 2
        np.testing.assert_allclose(drawn[seen, 1], feet[seen])


@pytest.mark.parametrize("theta", [-1.5, -0.7, 0.0, 0.9, np.pi / 2])
def test_what_moves_stays_inside_of_the_frame(view, theta):
    far = [(-3.0, 4.0), (-3.0, -3.0), (4.0, 4.0)]
    view.workspace.edit(far, B)
    view.workspace.theta = theta
    figures = view.figures
    plane = figures.plane.x_range
    for source in (figures.line, *figures.rays):
        drawn = segments(source)
        assert len(drawn)
        assert np.nanmin(drawn) >= plane.start - 1e-9
        assert np.nanmax(drawn) <= plane.end + 1e-9


@pytest.mark.parametrize("rule", ["paper", "diagonal", "random"])
def test_bars_are_the_sampled_directions(view, rule):
    view.workspace.param.update(n_directions=7, rule=rule)
    thetas = directions(7, rule, random_state=0)
    bars = view.figures.bars
    np.testing.assert_allclose(column(bars, "theta"), thetas)
    np.testing.assert_allclose(column(bars, "top"), slice_costs(A, B, thetas))
    np.testing.assert_allclose(column(bars, "right") - column(bars, "left"), np.pi / 7)
    shown = f"{slice_costs(A, B, thetas).mean():.4g}"
    assert shown in view.figures.stats["approximate"].text


def test_points_dragged_in_the_browser_reach_the_workspace(view):
    moved = A.copy()
    moved[0] = (0.1, 5.0)
    both = np.concatenate([moved, B])
    view.figures.mirror.data = {
        "birth": both[:, 0], "death": both[:, 1],
        "which": np.repeat([0, 1], [len(A), len(B)]),
    }  # fmt: skip
    np.testing.assert_array_equal(view.workspace.diagram_a, moved)
    assert view.workspace.edited
    expected = sliced_wasserstein_exact(moved, B)
    assert column(view.figures.truth, "exact")[0] == pytest.approx(expected)


def test_the_echo_of_a_pair_is_no_edit(view):
    both = np.concatenate([A, B])
    view.figures.mirror.data = {
        "birth": both[:, 0], "death": both[:, 1],
        "which": np.repeat([0, 1], [len(A), len(B)]),
    }  # fmt: skip
    assert not view.workspace.edited


def test_points_below_the_diagonal_are_lifted_and_nonsense_is_ignored(view):
    view.figures.mirror.data = {"birth": [2.0], "death": [1.0], "which": [0]}
    assert view.workspace.diagram_a.tolist() == [[2, 2]]
    before = view.workspace.pair
    view.figures.mirror.data = {"birth": ["x"], "death": [1.0], "which": [0]}
    view.figures.mirror.data = {"birth": [np.nan], "death": [1.0], "which": [0]}
    view.figures.mirror.data = {"birth": [1.0]}
    for old, new in zip(before, view.workspace.pair, strict=True):
        np.testing.assert_array_equal(old, new)


def test_layers_are_computed_when_shown(view):
    assert len(view.figures.segments.data["x0"]) == 0
    view.param.update(show_segments=True, show_matching=True, show_polar=True)
    segments, weights = balanced_segments(A, B)
    np.testing.assert_allclose(column(view.figures.segments, "x0"), segments[:, 0, 0])
    np.testing.assert_allclose(column(view.figures.segments, "weight"), weights)
    matching = view.figures.matching
    lengths = np.maximum(
        np.abs(column(matching, "x0") - column(matching, "x1")),
        np.abs(column(matching, "y0") - column(matching, "y1")),
    )
    assert lengths.sum() == pytest.approx(diagram_distance(A, B))
    assert view.figures.polar_figure.visible


def test_new_points_go_to_the_chosen_diagram(view):
    view.edit = "B"
    assert view.figures.draw_tool.renderers[0].name == "B"


def test_a_workspace_moves_its_view_until_it_is_closed():
    workspace = Workspace.of_pair(A, B)
    view = SliceView(workspace=workspace)
    workspace.theta = -0.7
    assert view.figures.slider.value == pytest.approx(np.degrees(-0.7))
    view.figures.slider.trigger("value_throttled", 0, 45.0)
    assert workspace.theta == pytest.approx(np.pi / 4)
    workspace.edit([(0, 1)], [])
    assert column(view.figures.a, "death").tolist() == [1]
    view.close()
    workspace.edit([(0, 2)], [])
    assert column(view.figures.a, "death").tolist() == [1]


@pytest.mark.parametrize("pair", [([], []), ([(1, 1)], []), ([(5, 9)], [(1e6, 2e6)])])
def test_empty_and_odd_pairs_are_drawn(pair):
    view = SliceView(*pair)
    view.param.update(show_segments=True, show_matching=True)
    assert view.figures.cost_range.end > 0


def test_a_saved_page_carries_the_engine_and_no_server(view, tmp_path):
    path = tmp_path / "slices.html"
    view.save(path)
    text = path.read_text()
    assert "requestAnimationFrame(turn)" in text
    assert not re.search(r"<script[^>]* src=", text)
