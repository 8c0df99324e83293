import asyncio
import logging
from urllib.parse import parse_qsl

import numpy as np
import panel as pn
import panel_material_ui as pmui
import pytest
from panel.io.state import set_curdoc

from swviz.app.runtime.session import handle_exception
from swviz.app.runtime.settings import Settings
from swviz.app.runtime.task import settled
from swviz.app.shell import page as page_module
from swviz.app.shell.first_steps import EXAMPLES
from swviz.app.shell.page import SessionPage
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.links import not_in_link
from swviz.app.workspace.sidebar import Sidebar
from swviz.app.workspace.state import TABS, Workspace
from swviz.app.workspace.words import describe, sample_options
from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from tests.test_app_building import ServedDocument

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

FEW = DiagramSet({0: [[(0, 1)], [(0, 2)]], 1: [[], []]}, labels=["a", "b"], names="xx")


@pytest.fixture
def told(monkeypatch):
    messages = []
    monkeypatch.setattr(page_module, "tell", lambda text, *rest: messages.append(text))
    monkeypatch.setattr(
        "swviz.app.runtime.session.tell", lambda text, *rest: messages.append(text)
    )
    return messages


def seen(page):
    return [
        page._islands[tab].styles["content-visibility"]
        for tab in TABS
        if page._places[tab]
    ]


def test_a_click_makes_a_view_and_back_and_forward_open_tabs_and_nothing_else():
    page = SessionPage(Workspace(FEW, tab="Diagrams"))
    assert list(page.views) == ["Diagrams"]
    page.tabs.active = TABS.index("Slices")
    assert page.workspace.tab == "Slices"
    assert list(page.views) == ["Diagrams", "Slices"]
    assert seen(page) == ["hidden", "visible"]  # in the order of the tabs
    page.workspace.tab = "Diagrams"
    assert seen(page) == ["visible", "hidden"]
    assert page.tabs.active == TABS.index("Diagrams")
    page.browser.step = "1 Slices"
    assert page.workspace.tab == "Slices"
    assert page.browser.address.endswith(" 1")
    page.browser.step = "2 Secrets"
    assert page.workspace.tab == "Slices"
    # The browser has to hear that the step was heard, or it drops what follows.
    assert page.browser.address.endswith(" 2")


def test_a_view_that_cannot_be_made_leaves_what_is_on_show(monkeypatch):
    page = SessionPage(Workspace())
    monkeypatch.setattr(page_module, "_make_view", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        page.workspace.tab = "Diagrams"
    assert seen(page) == ["visible"]
    assert list(page.views) == ["Slices"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.title)
def test_a_page_takes_all_that_an_example_says(example):
    space = Workspace()
    assert space.read_query(example.query) == []
    written = space.to_query()
    wrong = {k: v for k, v in example.query.items() if written.get(k) != v}
    assert wrong == {}
    assert example.point.endswith((".", "?"))


def test_who_is_new_finds_examples_and_who_presents_does_not():
    page = SessionPage(Workspace(FEW), {"theme": "dark"})
    assert page.first.is_open
    assert page.first.titles == [example.title for example in EXAMPLES]
    # As the browser says that its fifth button was pressed, in a window that is too
    # narrow for the sidebar.
    page.layout.sidebar_open = False
    page.first.wish = "1 4"
    assert not page.layout.sidebar_open
    assert page.workspace.tab == "Diagrams"
    assert page.views["Diagrams"].way == "Draw your own"
    assert page.first.point == EXAMPLES[4].point
    page.stage.is_on = True
    assert not page.first.is_open
    for nonsense in ("2 99", "3", "4 x", "5 ²"):
        page.first.wish = nonsense
    assert page.workspace.tab == "Diagrams"
    assert len(page.workspace.dataset) == len(FEW)
    page.first.wish = "6 lecture"
    assert page.presenting.is_open
    assert len(page.workspace.dataset) == 24
    assert not SessionPage(Workspace(), {"tab": "Slices"}).first.is_open


def test_the_address_keeps_the_dark_theme():
    page = SessionPage(Workspace(), {"tab": "Slices", "theme": "dark"})
    page.workspace.n_directions = 77
    assert ("theme", "dark") in parse_qsl(page.browser.address.removeprefix("?"))
    plain = SessionPage(Workspace(), {"tab": "Slices", "theme": "<b>"})
    plain.workspace.n_directions = 77
    assert "theme" not in plain.browser.address


def test_the_address_follows_the_switch_of_the_theme():
    page = SessionPage(Workspace())
    assert not page.layout.dark_theme
    page.layout.dark_theme = True
    assert ("theme", "dark") in parse_qsl(page.browser.address.removeprefix("?"))
    page.layout.dark_theme = False
    assert "theme" not in page.browser.address


def test_a_link_to_an_uploaded_set_says_so_and_leads_to_upload():
    space = Workspace(FEW, title="few of these")
    page = SessionPage(space, {"source": "upload", "title": "my <b>.csv"})
    assert "uploaded set “my <b>.csv”" in page.notice.text
    assert "few of these" in page.notice.text
    page.notice.load()
    assert page.workspace.tab == "Diagrams"
    assert page.views["Diagrams"].way == "Upload"
    page.workspace.use(FEW, "my <b>.csv", "upload")
    assert page.notice.text == ""
    assert not page.notice._place.objects


def test_a_link_that_lacks_points_says_so_until_that_is_dismissed():
    page = SessionPage(Workspace(), Workspace().to_query() | {"points": "75"})
    assert "75 points" in page.notice.text
    page.notice.dismiss()
    assert page.notice.text == ""
    assert "points" not in page.browser.address


def test_what_a_link_cannot_carry_is_told_when_it_is_copied():
    space = Workspace()
    assert not_in_link(space) == ""
    space.edit([(0, 1)], [])
    assert not_in_link(space) == ""
    many = [(k, k + 1) for k in range(61)]
    space.edit(many, [])
    assert "61" in not_in_link(space)
    space.use(FEW, "few.csv", "upload")
    assert "only the pair on show" in not_in_link(space)
    assert "few.csv" in not_in_link(space)
    space.use(DiagramSet({1: [many]}), "many.csv", "upload")
    assert "no file" in not_in_link(space)


def test_the_address_follows_the_state_and_leads_back():
    page = SessionPage(Workspace())
    page.workspace.n_directions = 77
    query = dict(parse_qsl(page.browser.address.removeprefix("?")))
    assert query["M"] == "77"
    again = SessionPage(Workspace(), query)
    assert again.workspace.to_query() == page.workspace.to_query()


RANDOMS = {
    "source": "random_diagrams", "preset": "uniform", "with": '{"n_diagrams":5}'
}  # fmt: skip


def test_what_moves_is_in_the_address_when_it_rests_or_after_a_while():
    page = SessionPage(Workspace())
    document, before = ServedDocument(), page.browser.address
    with set_curdoc(document):
        page.workspace.theta = 0.0
        for step in range(1, 20):
            page.workspace.theta = step / 100
            document.later.pop(0)()
            if page.browser.address != before:
                break
        # The step of which the time was up, and not the first one: after that one it
        # is looked half as often.
        delay, longest = page_module.URL_DELAY_MS, page_module.LONGEST_MOVE_MS
        assert step == 1 + (longest - delay) // (2 * delay)
        assert f"theta={step / 100:.4f}" in page.browser.address
        document.later.clear()
        page.workspace.theta = 0.5
        page.workspace.theta = 0.6
        document.pass_time()
        assert "theta=0.6000" in page.browser.address


@pytest.fixture
def before_loading(monkeypatch):
    """Keep a page at the moment when it has not been loaded yet."""
    monkeypatch.setattr(type(pn.state), "onload", lambda *_: None)


@pytest.mark.usefixtures("before_loading")
def test_the_address_stays_while_the_set_of_its_link_is_made(told):
    page = SessionPage(Workspace(FEW), {"tab": "Slices"} | RANDOMS)
    for tab in ("Diagrams", "Slices", "Diagrams"):
        page.workspace.tab = tab
    page.layout.dark_theme = True
    assert page.browser.address == ""

    async def load():
        await page._load({"M": "20"} | RANDOMS)
        # What the tab computes of it: a loop that ends before would leave it undone.
        await settled()

    asyncio.run(load())
    assert told == []
    query = dict(parse_qsl(page.browser.address.removeprefix("?")))
    wanted = RANDOMS | {"M": "20", "tab": "Diagrams", "theme": "dark"}
    assert {key: query[key] for key in wanted} == wanted


@pytest.mark.usefixtures("before_loading")
def test_the_address_follows_again_when_the_set_of_a_link_cannot_be_made(monkeypatch):
    monkeypatch.setattr(page_module, "recipe", lambda *_: lambda progress: 1 / 0)
    query = RANDOMS | {"with": '{"n_diagrams":6}', "tab": "Slices"}
    page = SessionPage(Workspace(), query)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(page._load(query))
    assert "source=point_clouds" in page.browser.address


def test_what_is_not_in_the_address_does_not_write_it():
    page = SessionPage(Workspace())
    page.browser.address = ""
    page.workspace.param.update(widths=Workspace(), undoable=1)
    assert page.browser.address == ""


def test_bad_values_in_the_address_are_told_one_by_one(told):
    page = SessionPage(
        Workspace(), {"tab": "Slices", "M": "x", "sigma": "-1", "theta": "1"}
    )
    assert len(told) == 2
    assert page.workspace.theta == 1.0


def test_errors_of_the_user_are_told_in_their_words(told):
    handle_exception(ParameterError("n_points must be from 1 to 9, not 10"))
    assert told == ["N_points must be from 1 to 9, not 10."]


def test_other_errors_show_no_trace(told, caplog):
    handle_exception(ZeroDivisionError("secret"))
    assert "secret" not in told[0]
    assert "ZeroDivisionError" in caplog.text and "secret" not in caplog.text


def test_the_sidebar_writes_and_follows():
    space = Workspace(FEW, index_a=0, index_b=1, dimension=0)
    sidebar = Sidebar(space)
    sidebar.select["B"].value = 0
    assert space.index_b == 0
    sidebar.dimension.value = 1
    assert space.dimension == 1
    sidebar.sigma.value = 1.0
    assert space.sigma == 10.0
    space.param.update(sigma=0.01, index_a=1)
    assert sidebar.sigma.value == -2.0
    assert sidebar.select["A"].value == 1


def test_samples_are_named_with_their_class_even_if_names_repeat():
    assert sample_options(FEW) == {"0 · x (a)": 0, "1 · x (b)": 1}
    assert describe(FEW, 0) == "2 diagrams · 2 classes · 2 points in H0"


ONE = [(0.0, 1.0), (0.2, 0.5)]
EIGHT = {"n_clouds": 2}
"""What makes eight diagrams of the 24 of a preset."""


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_shows_one_diagram_at_every_visit_and_copied_lines_of_others_run(
    tab, told, caplog
):
    with_empty, alone = DiagramSet({0: [ONE], 1: [[]]}), DiagramSet({1: [ONE]})
    eight = recipe("point_clouds", "small", EIGHT)()
    elsewhere = "Diagrams" if tab == "Slices" else "Slices"

    async def walk():
        space = Workspace(with_empty, title="few", source="upload", tab=tab)
        page = SessionPage(space)
        await settled()
        assert list(page.views) == [tab]
        for dataset in (with_empty, alone, FEW):
            space.tab = elsewhere
            space.use(dataset, "few", "upload")
            for visited in (tab, elsewhere, tab):
                space.tab = visited
                await settled()
        assert "source=upload" in page.browser.address
        space.use(eight, "another", "point_clouds", "small", EIGHT)
        await settled()
        return page

    page = asyncio.run(walk())
    assert told == []
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
    assert page.workspace.tab == tab
    # In the address and in the sidebar.
    assert "preset=small" in page.browser.address
    fields = page.sidebar.__panel__().select(pmui.Select)
    assert [len(field.options) for field in fields[:2]] == [8, 8]
    page.show_python()
    assert page.dialog.open
    assert ("import swviz as sw" in page.dialog.lines) == (tab != "Paper")
    with np.printoptions():  # Approximation's lines set them
        exec(compile(page.dialog.lines, "python", "exec"), {})


def test_all_tabs_are_rehearsed_once_and_compute_nothing(monkeypatch):
    rehearsed, begun = [], []
    monkeypatch.setattr(page_module, "rehearse", rehearsed.append)
    monkeypatch.setattr(page_module, "SETTINGS", Settings())
    page_module.rehearse_tabs.cache_clear()
    page_module.rehearse_tabs()
    page_module.rehearse_tabs()
    [views] = rehearsed
    assert [view.args[0] for view in views] == list(TABS)
    monkeypatch.setattr("swviz.app.runtime.jobs.Job.run", begun.append)
    views[TABS.index("Distortion")]()
    assert begun == []
