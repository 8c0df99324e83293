"""The server's side of the Slices view; tests/browser has what the browser computes."""

import re

import numpy as np
import pytest

from swviz import (
    DiagramError,
    DiagramSet,
    balanced_segments,
    diagram_distance,
    directions,
    slice_matching,
    sliced_wasserstein,
    sliced_wasserstein_exact,
)
from swviz.app.tabs.slices.view import SliceView
from swviz.app.workspace.state import Workspace
from tests.strategies import pairs_of

A, B = pairs_of("uniform", 9, 7, seed=0)


@pytest.fixture
def view():
    return SliceView(A, B)


def test_a_set_is_told_to_give_two_of_its_diagrams():
    data = DiagramSet({1: [A, B]})
    for given in ((data,), (data, B), (A, data)):
        with pytest.raises(DiagramError, match=r"SliceView\(\*data.in_dimension\(1\)"):
            SliceView(*given)
    # The advice is good.
    assert len(SliceView(*data.in_dimension(1)[:2]).workspace.pair) == 2
    with pytest.raises(DiagramError, match="a list of diagrams: pass one of them"):
        SliceView([A, A])


def cell(source, name):
    """The one value in a column."""
    (value,) = source[name]
    return value


def say_edit(view, A, B, stamp=None, gesture=1):
    """Have the browser say that the pair was edited."""
    base = cell(view.board.pair, "stamp")
    view.board.edited = {
        "stamp": [stamp or f"{base}+1"],
        "a": [np.asarray(A).tolist()],
        "b": [np.asarray(B).tolist()],
        "gesture": [gesture],
    }


def test_questions_hold_the_pair_its_directions_and_the_bandwidth(view):
    board = view.board
    assert cell(board.pair, "a") == A.tolist()
    assert cell(board.pair, "b") == B.tolist()
    assert cell(board.setting, "thetas") == directions(12).tolist()
    assert cell(board.setting, "sigma") == 0.5
    assert cell(board.asked_angle, "theta") == 0.5


def test_the_line_holds_the_pair_for_every_angle(view):
    anchor, radius = (cell(view.board.pair, name) for name in ("anchor", "radius"))
    assert np.hypot(*(np.concatenate([A, B]) - anchor).T).max() <= radius


@pytest.mark.parametrize("rule", ["paper", "diagonal", "random"])
def test_the_sampled_directions_are_those_of_the_library(view, rule):
    view.workspace.param.update(n_directions=7, rule=rule)
    expected = directions(7, rule, random_state=0)
    assert cell(view.board.setting, "thetas") == expected.tolist()
    assert cell(view.board.setting, "rule") == rule


def test_answers_carry_the_stamp_of_their_pair(view):
    board = view.board
    for pair in ((A, B), (B, A), (A[:3], B[:1])):
        view.workspace.edit(*pair)
        assert cell(board.answer, "stamp") == cell(board.pair, "stamp")
        assert cell(board.answer, "exact") == sliced_wasserstein_exact(*pair)
        assert cell(board.answer, "d1") == diagram_distance(*pair)


def test_a_new_pair_has_a_new_stamp(view):
    before = cell(view.board.pair, "stamp")
    view.workspace.edit(B, A)
    assert cell(view.board.pair, "stamp") != before


def test_edits_of_the_browser_reach_the_workspace_and_are_answered(view):
    sent = cell(view.board.pair, "stamp")
    moved = A.copy()
    moved[0] = (0.1, 5.0)
    say_edit(view, moved, B, f"{sent}+4")
    np.testing.assert_array_equal(view.workspace.diagram_a, moved)
    assert view.workspace.edited
    # The browser has these points: they are not sent back, which would disturb a drag.
    assert cell(view.board.pair, "stamp") == sent
    assert cell(view.board.answer, "stamp") == f"{sent}+4"
    assert cell(view.board.answer, "exact") == sliced_wasserstein_exact(moved, B)


def test_edits_of_a_pair_that_is_gone_are_dropped(view):
    sent = cell(view.board.pair, "stamp")
    view.workspace.edit(B, A)
    say_edit(view, A[:2], B, f"{sent}+1")
    np.testing.assert_array_equal(view.workspace.diagram_a, B)


def test_points_below_the_diagonal_are_lifted_and_nonsense_is_answered(view):
    say_edit(view, [(2.0, 1.0)], np.empty((0, 2)))
    assert view.workspace.diagram_a.tolist() == [[2, 2]]
    before = view.workspace.pair
    for rows in ([("x", 1.0)], [(np.nan, 1.0)], [(1.0,)], None, [[0, np.inf]]):
        sent = cell(view.board.pair, "stamp")
        say = {"stamp": [f"{sent}+1"], "a": [rows], "b": [[]], "gesture": [1]}
        view.board.edited = say
        # The browser is told what the pair is, and all about it.
        assert cell(view.board.pair, "stamp") != sent
        assert cell(view.board.answer, "stamp") == cell(view.board.pair, "stamp")
    view.board.edited = {"stamp": []}
    for old, new in zip(before, view.workspace.pair, strict=True):
        np.testing.assert_array_equal(old, new)


def test_a_browser_that_waits_is_answered_again(view):
    stamp = cell(view.board.pair, "stamp")
    for waiting, expected in (("another", None), (stamp, stamp)):
        view.board.answer = {
            name: [None] for name in ("stamp", "exact", "d1", "matching", "segments")
        }
        view.board.reminder = {"stamp": [waiting], "count": [1]}
        assert cell(view.board.answer, "stamp") == expected
    assert cell(view.board.answer, "exact") == sliced_wasserstein_exact(A, B)


def test_the_steps_of_a_drag_are_taken_back_as_one(view):
    space = view.workspace
    for step in range(1, 5):
        say_edit(view, A + np.array([0, step]), B, gesture=3)
    say_edit(view, A[1:], B, gesture=8)
    assert space.undoable == 2
    space.undo()
    np.testing.assert_array_equal(space.diagram_a, A + np.array([0, 4]))
    assert cell(view.board.pair, "a") == space.diagram_a.tolist()
    view.board.undone = {"count": [1]}
    np.testing.assert_array_equal(space.diagram_a, A)
    assert not space.edited
    space.undo()
    assert space.undoable == 0


def test_the_original_comes_back(view):
    say_edit(view, A[1:], B, gesture=1)
    say_edit(view, A[2:], B[1:], gesture=2)
    view.workspace.restore()
    np.testing.assert_array_equal(view.workspace.diagram_a, A)
    np.testing.assert_array_equal(view.workspace.diagram_b, B)
    assert (view.workspace.edited, view.workspace.undoable) == (False, 0)


def test_another_pair_cannot_be_undone_into_the_one_before():
    space = Workspace()
    space.edit(A, B)
    space.index_b = 7
    shown = space.diagram_b
    space.undo()
    np.testing.assert_array_equal(space.diagram_b, shown)
    assert not space.edited


def test_layers_are_computed_when_shown(view):
    assert cell(view.board.answer, "segments") == [[]] * 5
    view.param.update(show_segments=True, show_matching=True, show_polar=True)
    segments, weights = balanced_segments(A, B)
    shown = cell(view.board.answer, "segments")
    np.testing.assert_array_equal(shown[:4], segments.reshape(-1, 4).T)
    np.testing.assert_array_equal(shown[4], weights)
    x0, y0, x1, y1 = np.array(cell(view.board.answer, "matching"))
    lengths = np.maximum(np.abs(x0 - x1), np.abs(y0 - y1))
    assert lengths.sum() == pytest.approx(diagram_distance(A, B))
    assert cell(view.board.shown, "polar") and cell(view.board.shown, "segments")


def test_new_points_go_to_the_chosen_diagram(view):
    view.edit = "B"
    assert cell(view.board.shown, "edit") == "B"


def test_the_angle_goes_both_ways():
    workspace = Workspace.of_pair(A, B)
    view = SliceView(workspace=workspace)
    workspace.theta = -0.7
    assert cell(view.board.asked_angle, "theta") == -0.7
    asked = cell(view.board.asked_angle, "count")
    view.board.rest = {"theta": [0.25], "heard": [asked]}
    assert workspace.theta == 0.25
    # The line is there already.
    assert cell(view.board.asked_angle, "count") == asked
    for nonsense in ("x", None, np.nan):
        view.board.rest = {"theta": [nonsense], "heard": [asked]}
    view.board.rest = {}
    # Of before it was asked for the last angle.
    view.board.rest = {"theta": [0.1], "heard": [asked - 1]}
    assert workspace.theta == 0.25
    view.board.rest = {"theta": [9.0], "heard": [asked]}
    assert workspace.theta == pytest.approx(np.pi / 2)


def test_a_closed_view_follows_no_more():
    workspace = Workspace.of_pair(A, B)
    view = SliceView(workspace=workspace)
    before = cell(view.board.pair, "stamp")
    view.close()
    workspace.edit([(0, 1)], [])
    assert cell(view.board.pair, "stamp") == before


def test_controls_are_made_once(view):
    assert view.controls is view.controls


def test_a_hidden_tab_computes_nothing():
    workspace = Workspace(tab="Learn")
    view = SliceView(workspace=workspace, only_when_open=True)
    workspace.index_b = 7
    assert view.board.answer["stamp"] == []
    workspace.tab = "Slices"
    assert cell(view.board.answer, "exact") == sliced_wasserstein_exact(*workspace.pair)


@pytest.mark.parametrize(
    ("first", "second"),
    [([], []), (A, []), ([], B), (A, A), ([(1, 1)], [(2, 2)]), (1e9 + A, 1e9 + B)],
)
def test_unusual_pairs_are_answered(first, second):
    view = SliceView(first, second)
    exact = cell(view.board.answer, "exact")
    assert exact == sliced_wasserstein_exact(first, second)


def test_the_python_lines_print_the_numbers(view, capsys):
    view.workspace.param.update(
        n_directions=7, rule="random", sigma=0.1 + 0.05, theta=-0.3
    )
    lines = view.as_python()
    assert "0.15**2" in lines
    exec(lines, {})
    printed = [float(line.split()[-1]) for line in capsys.readouterr().out.splitlines()]
    mean = sliced_wasserstein(A, B, 7, rule="random", random_state=0)
    exact = sliced_wasserstein_exact(A, B)
    expected = [
        mean,
        exact,
        mean / exact,
        slice_matching(A, B, -0.3).cost,
        diagram_distance(A, B),
        np.exp(-exact / (2 * 0.15**2)),
    ]
    assert printed == pytest.approx(expected, rel=1e-9)


def test_a_saved_page_stands_alone(view, tmp_path):
    path = tmp_path / "slices.html"
    view.save(path)
    page = path.read_text()
    assert not re.search(r"<(script|link)[^>]*(src|href)=", page)
    assert repr(sliced_wasserstein_exact(A, B)) in page
    # For a phone, for the dark, and for who has never seen one.
    assert '<meta name="viewport"' in page
    assert "prefers-color-scheme: dark" in page
    assert "Turn the line" in page
    space = Workspace()
    served = SliceView(workspace=space).still_page("Two <clouds>")
    assert "<h1>Two &lt;clouds&gt;</h1>" in served
    assert str(space.dataset.names[space.index_b]) in served
