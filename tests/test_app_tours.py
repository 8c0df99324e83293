"""Tours: stations as data, what they say, and the way through them."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

import swviz as sw
from swviz.app.shell import presenting as presenting_module
from swviz.app.shell.first_steps import EXAMPLES
from swviz.app.shell.page import SessionPage
from swviz.app.shell.presenting import Presenting
from swviz.app.shell.tours import (
    MOST_BYTES,
    MOST_IN_LINK,
    MOST_STATIONS,
    Tour,
    lecture,
    read_tour,
    unpack,
)
from swviz.app.tabs.learn import background as learn_background
from swviz.app.tabs.learn import cards as learn_cards
from swviz.app.workspace.state import TABS, Workspace
from swviz.errors import ParameterError

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

STATIONS = lecture().stations
OWN = Tour("mine", (replace(STATIONS[1], headline="Mine"), STATIONS[3]))


@pytest.fixture
def told(monkeypatch):
    messages = []
    monkeypatch.setattr(
        presenting_module, "tell", lambda text, *rest: messages.append(text)
    )
    return messages


@pytest.fixture
def shown():
    return []


@pytest.fixture
def presenting(shown):
    return Presenting(shown.append)


def said(**changes):
    """Return a file with one station."""
    station = {**asdict(STATIONS[0]), **changes}
    return json.dumps({"title": "", "stations": [station]})


# -- the lecture ----------------------------------------------------------------------


@pytest.mark.parametrize("station", STATIONS, ids=lambda one: one.headline)
def test_a_page_takes_all_that_the_link_of_a_station_says(station):
    space = Workspace()
    assert space.read_query(station.query) == []
    written = space.to_query()
    assert written["tab"] in TABS
    wrong = {
        key: (text, written.get(key))
        for key, text in station.query.items()
        if key != "theta" and written.get(key) != text
    }
    assert wrong == {}
    assert station.headline
    assert station.words
    assert station.question.endswith("?")
    assert station.answer


def test_the_lecture_says_the_truth_about_its_pair():
    diagrams = sw.sources.from_preset("point_clouds", "small").in_dimension(1)
    A, B = diagrams[0], diagrams[12]
    exact = sw.sliced_wasserstein_exact(A, B)
    errors = {
        M: round(100 * abs(sw.sliced_wasserstein(A, B, M) / exact - 1), 1)
        for M in (4, 6, 8, 12)
    }
    assert errors == {4: 10.7, 6: 3.2, 8: 3.4, 12: 1.7}
    assert "M = 12 loses one of twelve, and is 1.7 % low" in STATIONS[5].answer
    assert "by 3.2 %, eight by 3.4 %: six beat eight" in STATIONS[5].words
    assert "(Four, on the curves above, miss it by 11 %.)" in STATIONS[5].words
    thetas = sw.directions(12)
    assert [round(cost, 12) for cost in sw.slice_costs(A, B, thetas)].count(0) == 1
    assert "twelve bars; the one at 45° has no height" in STATIONS[4].words
    angles = np.linspace(-np.pi / 2, np.pi / 2, 721)
    costs = sw.slice_costs(A, B, angles)
    most = np.degrees(angles[costs.argmax()])
    assert abs(most + 80) < 1
    assert "The line stands where W is largest" in STATIONS[4].question
    assert np.degrees(float(STATIONS[4].query["theta"])) == pytest.approx(-80, abs=0.1)
    assert [int((D[:, 1] - D[:, 0] > 0.2).sum()) for D in (A, B)] == [1, 2]
    assert "A has one, B has two" in STATIONS[0].answer
    assert sw.slice_costs(A, B, [np.pi / 4])[0] == pytest.approx(0, abs=1e-12)
    assert float(STATIONS[3].query["theta"]) == pytest.approx(np.pi / 4, abs=1e-4)
    segments, weights = sw.balanced_segments(A, B)
    lengths = np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1)
    # All weights are 2, so that the difference of lengths is half of their sum.
    assert set(np.abs(weights)) == {2}
    difference = f"{lengths[weights > 0].sum() - lengths[weights < 0].sum():.3f}"
    assert f"here {difference} = {exact:.4f} · π/2" in STATIONS[6].words


def test_the_cards_that_are_named_are_there(request):
    folder = request.config.rootpath / "swviz" / "app" / "tabs"
    code = "".join(path.read_text() for path in folder.rglob("*.py"))
    for station in STATIONS:
        assert station.show in code
        assert station.above in code
    assert all(example.show in code for example in EXAMPLES)


# -- files and links ------------------------------------------------------------------


def test_a_tour_is_the_same_after_a_file_and_a_link():
    for tour in (lecture(), OWN):
        assert read_tour(tour.to_json()) == tour
        assert unpack(tour.pack()) == tour
        assert len(tour.pack()) <= MOST_IN_LINK


def test_a_tour_that_is_too_long_for_a_link_has_none():
    digits = np.random.default_rng(0).integers(0, 10, (20, 1900))
    noise = ["".join(map(str, row)) for row in digits]
    long = Tour("", tuple(replace(STATIONS[0], words=text) for text in noise))
    assert read_tour(long.to_json()) == long
    assert long.pack() == ""


def test_the_link_of_a_station_may_be_a_whole_address():
    tour = read_tour(said(link="http://localhost:5006/app?tab=Learn&sigma=2"))
    assert tour.stations[0].query == {"tab": "Learn", "sigma": "2"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as JSON"),
        ("[" * 60_000, "cannot be read as JSON"),
        ("[]", "this is no tour"),
        ('{"stations": 3}', "this is no tour"),
        ('{"stations": []}', f"1 to {MOST_STATIONS} stations"),
        ('{"stations": [3]}', "station 1 must be an object"),
        (said(words=3), "the words of station 1 must be text"),
        (said(words="a" * 2001), "more than 2,000 characters"),
        (said(link="tab=Slices"), "the link of station 1"),
        (said(colour="red"), "station 1 has 'colour'"),
        ('{"stations": [{}]}', "station 1 has no headline"),
        ('{"title": 1, "stations": [{}]}', "the title must be text"),
        (" " * (MOST_BYTES + 1), "at most 100,000 bytes"),
    ],
)
def test_other_files_are_refused_in_words(text, message):
    with pytest.raises(ParameterError, match=message):
        read_tour(text)


@pytest.mark.parametrize("text", ["", "é", "AAAA", "eJw", lecture().pack()[:-40]])
def test_links_that_are_cut_off_are_refused(text):
    with pytest.raises(ParameterError):
        unpack(text)


# -- the way --------------------------------------------------------------------------


def test_a_tour_goes_from_station_to_station_and_ends(presenting, shown):
    assert not presenting.is_open
    assert presenting.to_query() == {}
    presenting.start()
    presenting.at = 1
    assert presenting.is_open
    assert presenting.to_query() == {"tour": "2"}
    presenting.at = -1
    assert not presenting.is_open
    presenting.start(at=99)
    assert shown == [STATIONS[0], STATIONS[1], STATIONS[-1]]
    presenting.start(at=99)
    assert len(shown) == 4


def test_a_station_that_is_not_there_shows_nothing(presenting, shown):
    presenting.start()
    presenting.at = 500
    assert not presenting.is_open
    assert len(shown) == 1


def test_a_tour_of_ones_own_is_presented_and_linked(presenting, shown, told):
    presenting.given = {"text": OWN.to_json(), "count": 1}
    assert shown == [OWN.stations[0]]
    query = presenting.to_query()
    assert unpack(query["stations"]) == OWN
    presenting.at = 1
    presenting.links += 1
    assert presenting.copied.startswith("?tour=1&stations=")
    again = Presenting(shown.append)
    assert again.read(query) == OWN.stations[0].query
    assert again.tour == OWN
    assert told == ["Copied."]


def test_a_file_that_is_no_tour_leaves_the_one_on_show(presenting, shown, told):
    presenting.start()
    presenting.given = {"text": "{", "count": 1}
    presenting.given = {"count": 2}
    assert presenting.tour == lecture()
    assert len(told) == 2
    assert all("cannot be given" in text for text in told)


@pytest.mark.parametrize(
    ("number", "at"), [("1", 0), ("3", 2), ("0", 0), ("x", 0), ("99999999999", 10)]
)
def test_a_link_begins_at_its_station(presenting, shown, number, at):
    assert presenting.read({"tour": number}) == STATIONS[at].query
    assert (presenting.at, presenting.is_open) == (at, True)
    assert shown == []  # the page is being made: it shows it anyway
    assert presenting.read({"tab": "Learn"}) == {"tab": "Learn"}


def test_a_link_with_a_broken_tour_gives_the_lecture_and_says_so(presenting, told):
    presenting.read({"tour": "1", "stations": "nonsense"})
    assert presenting.tour == lecture()
    assert "cannot be given" in told[0]


def test_the_page_shows_stations_without_its_sidebar_and_has_it_back(monkeypatch):
    # As with large sets: nothing below the first screen of Learn is computed unasked.
    for module in (learn_background, learn_cards):
        monkeypatch.setattr(module, "FEW_SAMPLES", 0)
    page = SessionPage(Workspace(), {"tour": "2"})
    space = page.workspace
    assert (space.tab, space.theta) == ("Slices", -0.9)
    assert not page.views["Slices"].autoplay
    assert page.stage.is_on
    assert not page.layout.sidebar_open
    data, first = space.dataset, space.diagram_a
    space.edit([(0, 1)], [(0, 2)])
    page.presenting.at = 3
    assert space.theta == pytest.approx(np.pi / 4, abs=1e-15)
    # The set is not made again, but what was touched is as it was.
    assert space.dataset is data
    np.testing.assert_array_equal(space.diagram_a, first)
    assert "tour=4" in page.browser.address
    # The bandwidth is moved in the sidebar.
    page.presenting.at = 9
    assert page.layout.sidebar_open
    page.presenting.at = 3
    assert not page.layout.sidebar_open
    page.presenting.at = -1
    assert not page.stage.is_on
    assert page.layout.sidebar_open
    assert "tour" not in page.browser.address


def test_one_presents_without_a_tour_and_goes_on_after_it():
    page = SessionPage(Workspace(), {"tab": "Slices", "present": "yes"})
    assert page.stage.is_on
    assert not page.layout.sidebar_open
    page.presenting.start(OWN)
    assert "present=yes" not in page.browser.address
    page.presenting.at = -1
    assert page.stage.is_on
    assert not page.layout.sidebar_open
    assert "present=yes" in page.browser.address
    page.stage.is_on = False
    assert page.layout.sidebar_open
    assert "present" not in page.browser.address


def test_present_starts_the_lecture_on_the_page_as_it_is():
    page = SessionPage(Workspace(), {"tab": "Slices", "M": "30"})
    board = page.views["Slices"].board
    before = board.motion["halts"]
    page.presenting.start(OWN)
    assert page.workspace.n_directions == 12
    # The line stays where a station has it.
    assert board.motion["halts"] != before
    assert not page.layout.sidebar_open
