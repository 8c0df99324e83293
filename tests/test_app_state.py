import json
from urllib.parse import parse_qsl

import numpy as np
import pytest

from swviz import sources
from swviz.app.workspace.knobs import KNOBS, check_changes, recipe
from swviz.app.workspace.links import not_in_link
from swviz.app.workspace.state import Workspace, title_of
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.sources import PRESETS, SOURCES

FEW = DiagramSet(
    {0: [[(0, 1)], [(0, 2)], []], 1: [[(1, 2)], [], [(1, 3)]]}, labels=["a", "a", "b"]
)


def test_it_starts_with_a_pair_of_different_samples():
    space = Workspace()
    assert space.index_a != space.index_b
    assert len(space.diagram_a)
    assert len(space.diagram_b)


def test_a_new_set_is_shown_from_its_first_pair_of_classes_on():
    space = Workspace()
    space.use(FEW, "few", "upload")
    assert (space.index_a, space.index_b, space.title) == (0, 2, "few")
    np.testing.assert_array_equal(space.diagram_b, [(1, 3)])


@pytest.mark.parametrize(
    ("data", "given", "pair"),
    [
        (FEW, {}, (0, 2)),
        (FEW, {"index_a": 2}, (2, 0)),
        (FEW, {"index_a": 1, "index_b": 0}, (1, 0)),
        (DiagramSet({1: [[(0, 1)], [(0, 2)], []]}), {}, (0, 1)),
        (DiagramSet({1: [[(0, 1)]]}, labels=["a"]), {}, (0, 0)),
    ],
)
def test_own_data_begin_with_two_classes_if_there_are(data, given, pair):
    space = Workspace.of_set(data, **given)
    assert (space.index_a, space.index_b) == pair


def test_a_dimension_that_the_set_lacks_becomes_one_that_it_has():
    space = Workspace(FEW, dimension=1)
    space.use(DiagramSet({0: [[(0, 5)]]}), "one", "upload")
    assert space.dimension == 0
    np.testing.assert_array_equal(space.diagram_a, [(0, 5)])


def test_editing_keeps_the_set_and_choosing_a_sample_ends_it():
    space = Workspace(FEW, index_a=0, index_b=2)
    space.edit([(5, 6)], [])
    assert space.edited
    space.index_a = 1
    assert not space.edited
    assert not len(space.diagram_a)


def test_the_state_survives_a_url():
    space = Workspace()
    made = recipe("functions", "figure 1", {"n_samples": 9})()
    space.use(made, "x", "functions", "figure 1", {"n_samples": 9})
    space.param.update(n_directions=33, rule="diagonal", sigma=2.5, tab="Diagrams")
    other = Workspace()
    assert other.read_query(space.to_query()) == []
    assert other.to_query() == space.to_query()
    np.testing.assert_array_equal(other.diagram_b, space.diagram_b)


def test_edited_points_survive_a_url():
    space = Workspace()
    space.edit([(0, 1), (0.25, 0.5)], [])
    other = Workspace()
    assert other.read_query(space.to_query()) == []
    assert other.edited
    np.testing.assert_array_equal(other.diagram_a, [(0, 1), (0.25, 0.5)])


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ({"M": "many"}, "M"),
        ({"M": "100000"}, "M"),
        ({"sigma": "nan"}, "sigma"),
        ({"rule": "best"}, "rule"),
        ({"tab": "Secrets"}, "tab"),
        ({"source": "nowhere", "preset": "x"}, "data set"),
        ({"source": "orbits", "preset": "paper", "with": "["}, "data set"),
        ({"source": "orbits", "preset": "paper", "with": '{"r":[99]}'}, "data set"),
        ({"A": "1,0", "B": ""}, "points"),
        ({"A": "x", "B": ""}, "points"),
    ],
)
def test_a_bad_value_is_reported_and_the_others_are_taken(query, word):
    space = Workspace()
    before = space.n_directions
    complaints = space.read_query({**query, "theta": "0.25"})
    assert len(complaints) == 1
    assert word in complaints[0]
    assert space.theta == 0.25
    assert space.n_directions == before


def test_a_link_cannot_name_a_folder_of_the_server():
    with pytest.raises(ParameterError, match="pictures"):
        check_changes("textures", {"pictures": "/etc"})


def test_every_knob_is_a_keyword_of_its_source_and_its_default_is_allowed():
    assert set(KNOBS) == set(SOURCES) == set(PRESETS)
    for source, knobs in KNOBS.items():
        for knob in knobs:
            knob.check(knob.default)
            assert title_of(source, "p", {knob.name: 1}).endswith("(changed)")


def test_the_python_lines_reproduce_the_pair():
    space = Workspace()
    made = recipe("functions", "figure 1", {"n_samples": 9})()
    space.use(made, "x", "functions", "figure 1", {"n_samples": 9})
    names = {}
    exec(space.as_python(), names)
    np.testing.assert_array_equal(names["A"], space.diagram_a)
    np.testing.assert_array_equal(names["B"], space.diagram_b)


def test_changes_in_a_link_are_json():
    space = Workspace()
    made = recipe("random_diagrams", "ties", {"n_points": 5})()
    space.use(made, "x", "random_diagrams", "ties", {"n_points": 5})
    assert json.loads(space.to_query()["with"]) == {"n_points": 5}


def test_the_six_built_in_diagrams_are_a_source_that_a_link_carries():
    space = Workspace()
    six = "d1_counterexample", "six diagrams"
    space.use(recipe(*six)(), title_of(*six), *six)
    other = Workspace()
    assert other.read_query(space.to_query()) == []
    assert other.dataset.names == space.dataset.names
    assert other.title == space.title
    assert other.missing == {}


MANY = DiagramSet({1: [np.column_stack([np.arange(40), np.arange(1, 41)])] * 3})


def test_a_link_to_an_uploaded_set_names_it_and_keeps_saying_that_it_is_missing():
    space = Workspace()
    space.use(MANY, "mine.csv", "upload")
    other = Workspace()
    assert other.read_query(space.to_query()) == []
    assert other.missing == {"source": "upload", "title": "mine.csv"}
    assert other.title == Workspace().title
    again = Workspace()
    again.read_query(other.to_query())
    assert again.missing == other.missing
    again.use(MANY, "mine.csv", "upload")
    assert again.missing == {}


def test_edits_of_a_set_that_stands_in_are_not_linked_as_a_pair_of_the_missing_one():
    space = Workspace()
    space.read_query({"source": "upload", "title": "mine.csv", "points": "900"})
    assert "no file" in not_in_link(space)
    for points in ([(0, 1)], MANY.in_dimension(1)[0]):
        space.edit(points, points)
        assert not {"A", "B", "points"} & set(space.to_query())
        assert "no file" in not_in_link(space)
    again = Workspace()
    again.read_query(space.to_query())
    assert again.missing == {"source": "upload", "title": "mine.csv"}
    assert again.title == Workspace().title


def test_of_a_small_uploaded_pair_the_link_carries_the_pair():
    space = Workspace()
    space.use(FEW, "few.csv", "upload")
    space.param.update(index_a=2, index_b=0)
    other = Workspace()
    assert other.read_query(space.to_query()) == []
    assert other.missing == {"source": "upload", "title": "few.csv"}
    assert "few.csv" in other.title
    assert len(other.dataset) == 2
    np.testing.assert_array_equal(other.dataset.in_dimension(1)[0], [(1, 3)])
    np.testing.assert_array_equal(other.diagram_a, [(1, 3)])
    np.testing.assert_array_equal(other.diagram_b, [(1, 2)])
    assert not other.edited
    other.missing = {}
    again = Workspace()
    again.read_query(other.to_query())
    assert again.missing == {}
    assert again.title == other.title
    np.testing.assert_array_equal(again.diagram_a, [(1, 3)])


def test_edited_points_that_a_link_cannot_carry_are_missed_in_it():
    space = Workspace()
    space.edit(MANY.in_dimension(1)[0], MANY.in_dimension(1)[1])
    other = Workspace()
    assert other.read_query(space.to_query()) == []
    assert other.missing == {"points": "80"}
    assert not other.edited
    assert other.to_query()["points"] == "80"
    other.index_a = 3
    assert other.missing == {}


@pytest.mark.parametrize("text", ["", "x" * 10_000, "<script>"])
def test_titles_in_links_are_bounded(text):
    space = Workspace()
    assert space.read_query({"source": "upload", "title": text}) == []
    assert len(space.missing["title"]) <= 100


def test_edits_of_a_tiny_diagram_are_seen():
    space = Workspace.of_pair([(0, 1e-9)], [(0, 2e-9)])
    space.edit([(0, 5e-9)], [(0, 2e-9)])
    assert space.is_edited("A")
    assert not space.is_edited("B")


@pytest.mark.parametrize("made", [True, False])
@pytest.mark.parametrize("asked", ["a=3&b=12", "a=0&b=12", "b=2", "a=x&b=12"])
def test_a_link_goes_to_its_pair_without_another_one_in_between(asked, made):
    link = f"source=point_clouds&preset=small&dim=1&{asked}"
    space = Workspace(sources.from_preset("point_clouds", "small"))
    seen = []
    space.param.watch(lambda event: seen.append(event.new), "index_b")
    space.index_b = 20
    seen.clear()
    space.read_query(dict(parse_qsl(link)), space.dataset if made else None)
    assert seen == [2 if asked == "b=2" else 12]
