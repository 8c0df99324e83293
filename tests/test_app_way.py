"""The way of A to B, as the browser gets it, and how the server looks for it."""

from dataclasses import replace

import numpy as np
import pytest

import swviz as sw
from swviz.app.runtime.settings import SETTINGS
from swviz.app.tabs.slices import view as slices
from swviz.app.tabs.slices.view import SliceView
from swviz.app.tabs.slices.way import (
    MOST_FRAMES,
    MOST_PLACES,
    find_way,
    flow_options,
)
from swviz.app.workspace.state import Workspace
from tests.strategies import pairs_of

A, B = pairs_of("uniform", 9, 7, seed=0)


@pytest.fixture
def view():
    return SliceView(A, B)


def cell(source, name):
    """The one value in a column."""
    (value,) = source[name]
    return value


def say_wish(view, wish, stamp=None):
    """Have the browser wish for the flow of the pair on show."""
    sent = cell(view.board.pair, "stamp") if stamp is None else stamp
    view.board.wish = {"stamp": [sent], "wish": [wish]}


def shown_path(view):
    path, steps = cell(view.board.way, "path"), cell(view.board.way, "steps")
    return path.reshape(len(steps), -1, 2)


# Frames.


@pytest.mark.parametrize("rule", ["paper", "diagonal", "random"])
@pytest.mark.parametrize("n_directions", [1, 2, 12])
def test_the_circle_of_the_built_in_set_arrives_at_the_figure_eight(n_directions, rule):
    first, second = Workspace().pair
    way = find_way(first, second, n_directions, rule)
    np.testing.assert_array_equal(way.path[0, : len(first)], first)
    start = sw.sliced_wasserstein_exact(first, second)
    assert sw.sliced_wasserstein_exact(way.path[-1], second) < 0.01 * start
    mean = [
        sw.sliced_wasserstein(one, second, n_directions, rule=rule, random_state=0)
        for one in (first, way.path[-1])
    ]
    assert mean[1] < 0.01 * mean[0]
    # One loop becomes two.
    lives = np.diff(way.path, axis=2)[..., 0]
    assert [(lives[k] > 0.2).sum() for k in (0, -1)] == [1, 2]


def test_frames_are_steps_of_the_library():
    flow = sw.sliced_flow(A, B, **flow_options(12, "paper"), random_state=0)
    way = find_way(A, B, 12, "paper")
    np.testing.assert_array_equal(way.path, flow.path[way.steps])
    assert way.steps[0] == 0 and way.steps[-1] == len(flow.path) - 1
    assert way.moments[0] == 0 and way.moments[-1] == 1
    assert (np.diff(way.moments) > 0).all() and (np.diff(way.steps) > 0).all()


def test_what_is_sent_is_bounded(monkeypatch):
    whole = find_way(A, B, 12, "paper")
    assert len(whole.path) > 12
    for name, value in (("MOST_FRAMES", 12), ("MOST_PLACES", 12 * 16)):
        with monkeypatch.context() as patch:
            patch.setattr(f"swviz.app.tabs.slices.way.{name}", value)
            way = find_way(A, B, 12, "paper")
        assert 10 <= len(way.path) <= 12
        np.testing.assert_array_equal(way.path[[0, -1]], whole.path[[0, -1]])
        # Evenly, as they are played.
        assert np.diff(way.moments).max() < 0.2
    assert MOST_PLACES // SETTINGS.flow_points >= 30 and MOST_FRAMES <= 120


# The server.


def test_a_wish_is_answered_with_the_way_of_the_pair(view):
    assert view.board.way["wish"] == []
    say_wish(view, "1 wish 1")
    way = find_way(A, B, 12, "paper")
    assert cell(view.board.way, "wish") == "1 wish 1"
    np.testing.assert_array_equal(shown_path(view), way.path)
    # The pair is what it was.
    np.testing.assert_array_equal(view.workspace.diagram_a, A)
    assert not view.workspace.edited


def test_a_wish_for_a_pair_that_is_gone_is_refused(view):
    before = cell(view.board.pair, "stamp")
    view.workspace.edit(B, A)
    say_wish(view, "late", stamp=before)
    assert cell(view.board.way, "wish") == "late"
    assert cell(view.board.way, "path") is None
    for nonsense in ({}, {"stamp": []}, {"stamp": ["1"]}, {"wish": ["1"]}):
        view.board.wish = nonsense
    assert cell(view.board.way, "wish") == "late"


@pytest.mark.parametrize(
    "change",
    [
        lambda view: view.workspace.edit(A[1:], B),
        lambda view: setattr(view.workspace, "n_directions", 7),
        lambda view: setattr(view.workspace, "rule", "diagonal"),
        lambda view: setattr(view.workspace, "index_b", 0),
        lambda view: setattr(view.workspace, "tab", "Learn"),
        lambda view: say_wish(view, ""),
    ],
)
def test_a_flow_ends_with_what_it_was_of(change):
    view = SliceView(workspace=Workspace.of_pair(A, B), only_when_open=True)
    say_wish(view, "wish")
    assert cell(view.board.way, "path") is not None
    assert "sliced_flow" in view.as_python()
    change(view)
    assert cell(view.board.way, "wish") == "wish"
    assert cell(view.board.way, "path") is None
    assert "sliced_flow" not in view.as_python()


def test_a_flow_goes_on_when_nothing_of_it_changes(view):
    say_wish(view, "wish")
    view.workspace.param.update(theta=0.1, sigma=2.0)
    view.show_matching = True
    assert cell(view.board.way, "path") is not None


def test_flows_that_cannot_be_shown_are_refused_with_a_reason(monkeypatch):
    told = []
    monkeypatch.setattr(slices, "tell", lambda *words: told.append(words))
    few = replace(SETTINGS, flow_points=15)
    monkeypatch.setattr("swviz.app.tabs.slices.way.SETTINGS", few)
    for first, second, why in (
        (B, B, "the same diagram"),
        ([], [], "the same diagram"),
        ([(1, 1)], [(2, 2)], "the same diagram"),
        (A, B, "16 are more than the 15 that this server allows"),
    ):
        view = SliceView(first, second)
        say_wish(view, "wish")
        assert cell(view.board.way, "path") is None
        assert why in told[-1][0]
        assert "sliced_flow" not in view.as_python()


def test_the_python_lines_give_the_path_on_show(view):
    view.workspace.param.update(n_directions=2, rule="random")
    say_wish(view, "wish")
    names = {}
    exec(view.as_python(), names)
    steps = cell(view.board.way, "steps")
    np.testing.assert_allclose(
        names["flow"].path[steps], shown_path(view), rtol=1e-9, atol=1e-9
    )


def test_a_saved_page_has_the_way_in_it(monkeypatch, tmp_path):
    sent = []
    set_way = slices.Board.set_way

    def noted(board, wish, way):
        sent.append((wish, cell(board.pair, "stamp"), way))
        set_way(board, wish, way)

    monkeypatch.setattr(slices.Board, "set_way", noted)
    SliceView(A, B).save(tmp_path / "slices.html")
    ((wish, stamp, way),) = sent
    assert wish == stamp
    np.testing.assert_array_equal(way.path, find_way(A, B, 12, "paper").path)
