"""What outlives a reload: a session as a text, in a file or kept by the browser."""

import asyncio
import json

import numpy as np
import pytest

from swviz.app.shell import page as shell
from swviz.app.shell.page import SessionPage
from swviz.app.tabs.diagrams.uploads import Uploader
from swviz.app.tabs.learn.history import History
from swviz.app.workspace.keeping import (
    belongs_to,
    bring_back,
    is_worth_keeping,
    pack,
    unpack,
)
from swviz.app.workspace.state import Workspace
from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError
from tests.strategies import pairs_of

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")
A, B = pairs_of("uniform", 9, 7, seed=0)
OWN = DiagramSet(
    {0: [A, B, A[:3]], 1: [B, A, B[:2]]},
    labels=["cat", "dog", "cat"],
    names=["one", "two", "three"],
)
RUN = {"run": 3, "kernel": "k_SW", "C": 10.0}


def uploaded():
    space = Workspace(OWN, source="upload", title="my cats.npz", dimension=0)
    space.param.update(n_directions=33, theta=0.25)
    space.runs = [RUN]
    return space


def test_an_uploaded_set_comes_back_with_all_that_was_on_show():
    before, space = uploaded(), Workspace()
    assert bring_back(space, unpack(pack(before))) == []
    assert space.to_query() == before.to_query()
    assert space.title == "my cats.npz" and space.runs == [RUN]
    for dimension in (0, 1):
        for one, other in zip(
            space.dataset.in_dimension(dimension), OWN.in_dimension(dimension),
            strict=True,
        ):  # fmt: skip
            np.testing.assert_array_equal(one, other)
    assert list(space.dataset.labels) == ["cat", "dog", "cat"]
    # Once more: nothing is there twice.
    bring_back(space, unpack(pack(before)))
    assert space.runs == [RUN]


def test_a_large_pair_comes_back_with_its_points():
    before, space = Workspace(), Workspace()
    many = np.column_stack([np.linspace(0, 1, 90), np.linspace(1, 3, 90)])
    before.edit(many, B)
    assert not before.link_has_points and is_worth_keeping(before)
    assert bring_back(space, unpack(pack(before))) == []
    np.testing.assert_array_equal(space.diagram_a, many)
    np.testing.assert_array_equal(space.diagram_b, B)
    assert space.edited and space.source == before.source


def test_nothing_is_kept_of_what_a_link_brings_back():
    assert not is_worth_keeping(Workspace())


def test_a_text_that_is_cut_off_says_so():
    text = pack(uploaded())
    for length in (1, 10, len(text) // 2, len(text) - 1):
        with pytest.raises(DiagramFileError, match=r"my\.swviz: is cut off"):
            unpack(text[:length], "my.swviz")
    damaged = text.replace('"data":"UEsD', '"data":"UEsDBBBB')
    with pytest.raises(DiagramFileError, match="data"):
        unpack(damaged)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (None, "is no workspace"),
        ({"kind": "other"}, "is no workspace"),
        ({"version": 99}, "another version"),
        ({"data": "%%%"}, "data are damaged"),
        ({"data": [1]}, "is damaged"),
        ({"pair": [[[0, 1]]]}, "is damaged"),
        ({"pair": [[["x", 1]], []]}, "is damaged"),
        ({"pair": 3}, "is damaged"),
        ({"query": 3}, "is damaged"),
        ({"runs": {}}, "is damaged"),
        ({"called": None}, "is damaged"),
    ],
)
def test_a_text_that_says_something_else_is_refused(change, words):
    said = [] if change is None else json.loads(pack(Workspace())) | change
    with pytest.raises(DiagramFileError, match=words):
        unpack(json.dumps(said))


def test_runs_of_strangers_are_short_texts_and_numbers():
    said = json.loads(pack(Workspace()))
    said["runs"] = [{"run": "x", "C": [1] * 900, "test": float("nan")}, 3, {}]
    text = json.dumps(said)
    [run, empty] = unpack(text).runs
    assert empty == {} and len(run["C"]) == 200 and run["test"] == "nan"
    space = Workspace(runs=[run, empty])
    history = History(space)
    history.add(C=5)
    assert history.runs[0] == {"run": 1, "C": 5} and len(history.frame()) == 3


def test_a_file_brings_a_session_back():
    space = Workspace()
    uploads = Uploader(space)
    asyncio.run(uploads.take({"mine.swviz": pack(uploaded()).encode()}))
    assert space.title == "my cats.npz" and space.n_directions == 33
    asyncio.run(uploads.take({"mine.swviz": pack(uploaded()).encode()[:900]}))
    assert "cut off" in uploads._messages.objects[0].objects[0].object


def test_a_page_that_is_loaded_again_has_what_its_link_lacks():
    before = SessionPage(uploaded())
    before._write()
    kept, query = before.browser.to_keep, before.workspace.to_query()
    after = SessionPage(Workspace(), query)
    assert after.workspace.missing["title"] == "my cats.npz"
    # Not yet: what is kept is of the set that is missing here.
    after._write()
    assert after.browser.to_keep == ""
    after.browser.kept = kept
    assert after.workspace.missing == {}
    assert after.workspace.to_query() == query
    assert after.workspace.runs == [RUN]


def test_a_page_of_other_data_takes_only_the_runs(monkeypatch):
    told = []
    monkeypatch.setattr(shell, "tell", lambda *words: told.append(words[0]))
    page = SessionPage(Workspace())
    page.browser.kept = pack(uploaded())
    assert page.workspace.title.startswith("Point clouds")
    assert page.workspace.runs == [RUN]
    assert not belongs_to(unpack(pack(uploaded())), page.workspace)
    page.browser.kept = "{"
    assert "could not be brought back" in told[0]
