import param
import pytest

from swviz.app.views import (
    ApproximationView,
    DiagramView,
    DistortionView,
    LearnView,
    SliceView,
)
from swviz.app.workspace import links
from swviz.app.workspace.kernel_widths import KernelWidths, WidthSliders
from swviz.app.workspace.links import remember
from swviz.app.workspace.state import MOST_SETTINGS, Workspace
from swviz.studies import Bandwidths


class View(param.Parameterized):
    C = param.Number(default=1.0, bounds=(1e-3, 1e3))
    count = param.Integer(default=5, bounds=(1, 9))
    live = param.Boolean(default=True)
    kernel = param.Selector(default="SW", objects=["SW", "PSS"])


NAMES = ["C", "count", "live", "kernel"]


@pytest.fixture
def told(monkeypatch):
    messages = []
    monkeypatch.setattr(links, "tell", lambda text, *rest: messages.append(text))
    return messages


def test_what_differs_from_the_default_is_in_the_link():
    space, view = Workspace(), View()
    remember(view, space, "view", NAMES)
    assert not any("." in key for key in space.to_query())
    view.param.update(C=0.25, live=False, kernel="PSS")
    query = space.to_query()
    assert query["view.C"] == "0.25"
    assert query["view.live"] == "no"
    assert query["view.kernel"] == "PSS"
    assert "view.count" not in query
    view.C = 1.0
    assert "view.C" not in space.to_query()


def test_a_link_is_taken_over_before_and_after_the_view_is_made():
    first = View(C=0.125, count=7, live=False, kernel="PSS")
    space = Workspace()
    space.settings = {"view.C": "0.125", "view.count": "7", "view.live": "no",
                      "view.kernel": "PSS"}  # fmt: skip
    second = View()
    remember(second, space, "view", NAMES)
    third, later = View(), Workspace()
    remember(third, later, "view", NAMES)
    later.read_query(space.to_query())
    for name in NAMES:
        assert getattr(second, name) == getattr(first, name)
        assert getattr(third, name) == getattr(first, name)
    assert later.settings == space.settings


@pytest.mark.parametrize(
    ("name", "text"),
    [("C", "1e9"), ("C", "nan"), ("C", "much"), ("count", "2.5"), ("count", "0"),
     ("live", "maybe"), ("kernel", "__class__")],
)  # fmt: skip
def test_bad_values_are_told_and_ignored_one_by_one(told, name, text):
    space, view = Workspace(), View()
    space.settings = {f"view.{name}": text, "view.unknown": "1"}
    space.settings |= {"view.count": "3"} if name != "count" else {"view.C": "3"}
    remember(view, space, "view", NAMES)
    assert len(told) == 1
    assert f"view.{name}" in told[0]
    assert getattr(view, name) == View.param[name].default
    assert view.count == 3 or view.C == 3


def test_a_link_cannot_carry_more_than_it_should():
    space = Workspace()
    space.read_query({f"x.{k}": "1" for k in range(1000)} | {"y.z": "1" * 10_000})
    assert len(space.settings) == MOST_SETTINGS
    assert "y.z" not in space.settings


def test_a_closed_view_is_left_alone():
    space, view = Workspace(), View()
    space.param.unwatch(remember(view, space, "view", NAMES))
    space.settings = {"view.C": "2"}
    assert view.C == 1.0


def test_switches_of_slices_are_in_the_link():
    workspace = Workspace()
    SliceView(workspace=workspace).show_polar = True
    again = Workspace()
    again.read_query(workspace.to_query())
    view = SliceView(workspace=again)
    assert view.show_polar
    assert view.board.shown["polar"] == [True]
    assert view.show_rays


def test_chosen_bandwidths_are_in_the_link_and_fitted_ones_are_not():
    workspace = Workspace()
    widths = KernelWidths(workspace)
    widths.learn(Bandwidths(t=0.5, rho=0.25, K=1.0, p=2.0, tau=2.0))
    assert workspace.settings == {}
    WidthSliders(widths).sliders["t"].value = 1.0
    assert workspace.settings == {"distortion.t": "5"}
    again = Workspace()
    again.read_query(workspace.to_query())
    linked = KernelWidths(again)
    linked.learn(Bandwidths(t=0.5, rho=0.25, K=1.0, p=2.0, tau=2.0))
    assert (linked.t, linked.rho) == (5.0, 0.25)
    assert WidthSliders(linked).sliders["t"].value == pytest.approx(1)
    linked.reset()
    assert linked.t == 0.5
    assert again.settings == {}


def test_choices_are_forgotten_with_the_data_and_when_taken_back():
    workspace = Workspace()
    widths = KernelWidths(workspace)
    widths.learn(Bandwidths(t=0.5))
    widths.t = 5.0
    widths.t = 0.5
    assert workspace.settings == {}
    widths.t = 5.0
    widths.forget()
    assert workspace.settings == {}
    linked = Workspace()
    linked.settings = {"distortion.t": "1"}
    # Also a value that a new view happens to have was chosen.
    chosen = KernelWidths(linked)
    chosen.learn(Bandwidths(t=0.5))
    assert chosen.t == 1.0


def watchers_of(owner):
    """Return all that watch an object, by name of the parameter."""
    return {
        name: kinds["value"]
        for name, kinds in owner.param.watchers.items()
        if kinds.get("value")
    }


# What pandas says to Bokeh is not ours to mend.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
@pytest.mark.parametrize(
    "make", [ApproximationView, DiagramView, DistortionView, LearnView, SliceView]
)
def test_a_closed_view_leaves_nobody_on_the_workspace(make):
    space = Workspace(tab="Paper")
    # They belong to the session.
    widths = KernelWidths.of(space)
    before = watchers_of(space), watchers_of(widths)
    before = [{name: list(found) for name, found in of.items()} for of in before]
    view = make(workspace=space)
    assert watchers_of(space) != before[0]
    view.close()
    assert [watchers_of(space), watchers_of(widths)] == before
