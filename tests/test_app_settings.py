"""What a server allows, and that it says so."""

import threading
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest

from swviz.app.runtime import settings
from swviz.app.runtime.jobs import ResultCache, size_of
from swviz.app.runtime.pool import FairPool
from swviz.app.runtime.settings import SETTINGS, Settings, variable
from swviz.app.shell import page
from swviz.app.workspace import reading, state
from swviz.app.workspace.state import Workspace
from swviz.errors import DiagramFileError, ParameterError
from swviz.files import Limits
from swviz.studies import MOST_PAIRS

ROOT = Path(__file__).parents[1]


def test_the_table_of_the_serving_guide_is_that_of_the_module():
    assert settings.table() in (ROOT / "docs/serving.md").read_text()


def test_the_environment_sets_limits():
    said = {"SWVIZ_SESSIONS": " 7 ", "SWVIZ_DIRECTIONS": "", "OTHER": "x"}
    assert Settings.from_environment(said) == replace(Settings(), sessions=7)
    assert Settings.from_environment({}) == Settings()


@pytest.mark.parametrize("text", ["x", "0", "-3", "1e3", "99999999999", "7.5", "٣"])
def test_a_value_that_is_no_limit_is_refused_with_its_name(text):
    with pytest.raises(ParameterError, match="SWVIZ_SESSIONS must be a whole number"):
        Settings.from_environment({"SWVIZ_SESSIONS": text})


def test_no_limit_is_beyond_what_the_library_allows():
    ranges = {each.name: each.metadata["range"] for each in fields(Settings)}
    assert ranges["pairs"][1] == MOST_PAIRS
    assert Workspace.param.n_directions.bounds == (1, SETTINGS.directions)
    for each in fields(Limits):
        own = getattr(reading.LIMITS, each.name)
        assert own == getattr(SETTINGS, each.name.replace("max_", "upload_"))


@pytest.mark.parametrize(
    ("kind", "content"),
    [("bytes", b"0,1\n" * 30), ("rows", b"0,1\n" * 30)],
)
def test_a_file_beyond_a_limit_is_refused_with_the_way_to_raise_it(
    kind, content, monkeypatch
):
    few = replace(reading.LIMITS, **{f"max_{kind}": 10})
    monkeypatch.setattr(reading, "LIMITS", few)
    with pytest.raises(DiagramFileError, match=variable(f"upload_{kind}")):
        reading.read_file("a.csv", content)


def test_an_edited_pair_has_no_more_points_than_a_file(monkeypatch):
    space = Workspace.of_pair([(0, 1)] * 8, [(0, 2)])
    monkeypatch.setattr(state, "SETTINGS", replace(SETTINGS, upload_points=10))
    space.edit([(0, 1)] * 8, [(0, 2)] * 2)
    with pytest.raises(ParameterError, match="11 are more than the 10 that this"):
        space.edit([(0, 1)] * 8, [(0, 2)] * 3)
    assert len(space.diagram_b) == 2


def test_a_full_house_says_so(monkeypatch, caplog):
    monkeypatch.setattr(page, "count_sessions", lambda: SETTINGS.sessions)
    shown = page.create_page()
    [alert] = shown.main
    assert "pages are open" in alert.object and "SWVIZ_SESSIONS" in alert.object
    assert "sent away" in caplog.text


# -- caches and threads ---------------------------------------------------------------


def test_sizes_count_arrays_once_and_with_their_base():
    array = np.zeros(1000)
    assert 8000 <= size_of(array) < 8200
    assert size_of([array, array]) < 8400
    assert size_of({"a": array[:3]}) > 8000
    space = Workspace.of_pair([(0, 1)] * 1000, [(0, 2)])
    assert size_of(space.dataset) > 16_000


def test_a_cache_holds_no_more_bytes_than_it_may():
    cache = ResultCache(limit=9, most_bytes=20_000)
    for key in "abc":
        cache.put(key, np.zeros(1000))
    assert cache.get("a") is None and cache.get("c") is not None
    assert len(cache) == 2 and cache.n_bytes <= 20_000
    cache.put("c", np.zeros(10_000))
    assert cache.get("c") is None and len(cache) == 1
    cache.put("b", None)
    assert cache.n_bytes < 100


class Steps:
    """Work that reports until it is told to end."""

    def __init__(self):
        self.end, self.begun = threading.Event(), threading.Event()

    def __call__(self, ticket):
        self.begun.set()
        while not self.end.wait(0.001):
            ticket.give_way()
        return "done"


def test_a_session_does_not_starve_others(monkeypatch):
    monkeypatch.setattr("swviz.app.runtime.pool.SLICE_SECONDS", 0.02)
    pool = FairPool(1, "test")
    greedy = [Steps() for _ in range(3)]
    tickets = [pool.submit("greedy", work) for work in greedy]
    assert greedy[0].begun.wait(20)
    modest = Steps()
    modest.end.set()
    # Its turn comes although the other's first job never ends, and before its second.
    own = pool.submit("modest", modest)
    assert own.future.result(20) == "done"
    assert not greedy[1].begun.is_set()
    assert pool.count_of("greedy") == 3 and pool.count_of("modest") == 0
    assert [ticket.ahead for ticket in tickets] in ([0, 1, 2], [1, 1, 2])
    tickets[2].leave()
    assert tickets[2].future.cancelled() and pool.count_of("greedy") == 2
    for work in greedy:
        work.end.set()
    assert [ticket.future.result(20) for ticket in tickets[:2]] == ["done"] * 2
    assert not greedy[2].begun.is_set()


def test_jobs_that_nobody_wants_leave_their_slot(monkeypatch):
    monkeypatch.setattr("swviz.app.runtime.pool.SLICE_SECONDS", 0.0)
    pool = FairPool(1, "test")
    first, second = Steps(), Steps()
    one = pool.submit("a", first)
    assert first.begun.wait(20)
    two = pool.submit("b", second)
    assert second.begun.wait(20)
    one.leave()
    first.end.set()
    second.end.set()
    assert one.future.result(20) == two.future.result(20) == "done"
    assert pool.count_of("a") == 0


def test_an_error_in_a_thread_reaches_who_waits():
    def fail(ticket):
        raise ValueError("no such thing")

    pool = FairPool(1, "test")
    with pytest.raises(ValueError, match="no such thing"):
        pool.submit(None, fail).future.result(20)
    assert pool.submit(None, lambda ticket: 7).future.result(20) == 7
