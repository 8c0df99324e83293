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
    np.testing.assert_allclose(column(figures.top, "t"), matching.source - centre)
    np.testing.assert_allclose(column(figures.bottom, "t"), matching.target - centre)
    assert column(figures.cursor, "w")[0] == pytest.approx(matching.cost)
    np.testing.assert_allclose(
        column(figures.curve, "w"), slice_costs(A, B, figures.curve_angles)
    )
    assert column(figures.truth, "exact")[0] == sliced_wasserstein_exact(A, B)
    assert column(figures.truth, "d1")[0] == diagram_distance(A, B)
    t, g = column(figures.steps, "t"), column(figures.steps, "g")
    area = np.abs(g[1:-1:2]) @ np.diff(t)[1::2]
    assert area == pytest.approx(matching.cost)


def test_filled_markers_are_points_and_hollow_ones_projections(view):
    top = view.figures.top
    color, fill = column(top, "color"), column(top, "fill")
    assert (fill == (color == view.figures.ray_colors[0])).all()
    assert fill.sum() == len(A)
    bottom = view.figures.bottom
    assert column(bottom, "fill").sum() == len(B)


def test_feet_of_the_rays_lie_on_the_line(view):
    rays, line = view.figures.rays, view.figures.line
    start = np.array([column(line, "x")[0], column(line, "y")[0]])
    end = np.array([column(line, "x")[1], column(line, "y")[1]])
    u = (end - start) / np.linalg.norm(end - start)
    feet = np.stack([column(rays, "x1"), column(rays, "y1")], axis=1)
    ray = feet - np.stack([column(rays, "x0"), column(rays, "y0")], axis=1)
    np.testing.assert_allclose(ray @ u, 0, atol=1e-12)
    across = (feet - start) @ [-u[1], u[0]]
    np.testing.assert_allclose(across, 0, atol=1e-12)


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
