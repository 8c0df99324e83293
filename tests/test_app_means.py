"""Means of classes in the app: in the gallery, on the map, and as A or B."""

import asyncio
import time

import numpy as np
import pytest

import swviz as sw
from swviz import DiagramSet
from swviz.app.runtime.jobs import RESULTS
from swviz.app.runtime.task import settled
from swviz.app.tabs.diagrams import gallery as gallery_module
from swviz.app.tabs.diagrams.gallery import Gallery
from swviz.app.tabs.diagrams.view import DiagramView
from swviz.app.tabs.learn import background as learn_background
from swviz.app.tabs.learn import cards as learn_cards
from swviz.app.tabs.learn import means as means_module
from swviz.app.tabs.learn.figures import legend_html
from swviz.app.tabs.learn.view import LearnView
from swviz.app.workspace import class_means
from swviz.app.workspace.class_means import (
    count_points,
    find_means,
    means_key,
    names_of_means,
    why_not,
)
from swviz.app.workspace.links import missing_words
from swviz.app.workspace.sidebar import Sidebar
from swviz.app.workspace.state import Workspace
from swviz.plot.theme import GREY, STYLES, class_color
from tests.learning_data import LABELS, SET
from tests.plot_tools import sent as drawn

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

CLOUDS = sw.sources.from_preset("point_clouds", "small")
ONE = DiagramSet({1: [[(0, 1)], [], [(0, 1), (2, 4)]]}, labels=["x", "y", "z"])


def clouds_space():
    """Return a workspace with clouds that a link leads back to."""
    return Workspace(
        CLOUDS, title="small", source="point_clouds", preset="small", index_b=12,
        tab="Diagrams",
    )  # fmt: skip


@pytest.fixture(autouse=True)
def cards_wait(monkeypatch):
    """Have other cards of Learn wait for their buttons, as with large sets."""
    for module in (learn_background, learn_cards):
        monkeypatch.setattr(module, "FEW_SAMPLES", 0)


class Told:
    """What a job reports to, without a job."""

    def __init__(self):
        self.parts, self.progress = [], []

    def __call__(self, done, total):
        self.progress.append((done, total))

    def found(self, part):
        self.parts.append(part)


def fresh_set(seed, classes="ab"):
    """A set that no cache knows."""
    rng = np.random.default_rng(seed)
    several = [
        [np.sort(rng.random((4, 2)), axis=1) for _ in range(6 * len(classes))]
        for _ in range(2)
    ]
    labels = np.repeat(list(classes), 6)
    return DiagramSet(dict(enumerate(several)), labels=labels)


def same(ours, theirs):
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


def means_of(dataset, dimension):
    chosen = DiagramSet({dimension: dataset.in_dimension(dimension)}, dataset.labels)
    return sw.sliced_means(chosen).in_dimension(dimension)


def gallery_of(dataset):
    """Return the gallery of a set, without the rest of the view."""
    return Gallery(Workspace.of_set(dataset, tab="Diagrams"))


def slow_finder(module, monkeypatch):
    """Have means of the dimension 1 be found slowly; others as fast as they are."""

    def slowly(dataset, dimensions, progress):
        for step in range(3000 if 1 in dimensions else 0):
            progress(step, 3000)
            time.sleep(0.02)
        return find_means(dataset, dimensions, progress)

    monkeypatch.setattr(module, "find_means", slowly)


# -- finding them -------------------------------------------------------------------


def test_means_are_the_librarys_and_come_one_by_one():
    told = Told()
    dataset = fresh_set(400)
    found = find_means(dataset, (0, 1), told)
    expected = sw.sliced_means(dataset)
    for k in (0, 1):
        same(found.in_dimension(k), expected.in_dimension(k))
    assert found.labels.tolist() == ["a", "b"]
    assert [part.labels.tolist() for part in told.parts] == [["a"], ["a", "b"]]
    done, total = told.progress[-1]
    assert done == total
    # The second time nothing is computed.
    assert find_means(dataset, (0, 1), Told()) is found


def test_a_class_of_one_is_its_own_mean_and_empty_diagrams_have_one():
    found = find_means(ONE, (1,), Told()).in_dimension(1)
    same([np.sort(d, axis=0) for d in found], ONE.in_dimension(1))
    nothing = find_means(DiagramSet({1: [[]] * 3}), (1,), Told())
    assert nothing.labels is None
    assert [len(one) for one in nothing.in_dimension(1)] == [0]
    assert names_of_means(ONE) == ["mean of x", "mean of y", "mean of z"]
    assert names_of_means(DiagramSet({1: [[]]})) == ["mean of all"]


def test_what_costs_too_much_is_counted_and_told(monkeypatch):
    few = DiagramSet(
        {0: [[]] * 3, 1: [[(0, 1)] * 5, [(0, 1)], [(0, 2)]]}, labels=["a", "a", "b"]
    )
    assert count_points(few, [1]) == 5 + 5 + 1
    assert count_points(few, [0, 1]) == 11
    assert count_points(few[[]], [1]) == 0
    assert count_points(DiagramSet(few.diagrams), [1]) == 15
    assert why_not(few, [1]) == ""
    monkeypatch.setattr(class_means, "UNASKED", 10)
    assert "up to 10 come by themselves" in why_not(few, [1])
    assert class_means.can_be_found(few, [1])
    monkeypatch.setattr(class_means, "MOST", 10)
    assert "takes up to 10: use sw.sliced_means in Python" in why_not(few, [1])
    assert not class_means.can_be_found(few, [1])


def test_the_key_is_that_of_diagrams_classes_and_dimensions():
    others = [
        DiagramSet(CLOUDS.diagrams),
        DiagramSet(CLOUDS.diagrams, CLOUDS.labels[::-1]),
        CLOUDS[:-1],
    ]
    keys = {means_key(one, (1,)) for one in (CLOUDS, *others)}
    assert len(keys | {means_key(CLOUDS, (0,)), means_key(CLOUDS, (0, 1))}) == 6


# -- the pair -----------------------------------------------------------------------


def test_a_mean_is_a_or_b_until_a_sample_is():
    space = Workspace()
    sidebar = Sidebar(space)
    space.put("B", [(0, 1)], "mean of circle")
    assert (space.name_of("A"), space.name_of("B")) == ("circle 1", "mean of circle")
    assert sidebar.select["B"].helper_text == "on show instead: mean of circle"
    # Another sample as A leaves it, and so does the same one.
    for index in (3, 3):
        space.take("A", index)
        assert (space.index_a, space.name_of("A")) == (index, f"circle {index + 1}")
        np.testing.assert_array_equal(space.diagram_b, [(0, 1)])
        assert space.called == {"B": "mean of circle"}
    sidebar.select["A"].value = 5
    assert (space.name_of("A"), space.name_of("B")) == ("circle 6", "mean of circle")
    space.put("A", [(0, 2)], "mean of clusters")
    assert space.called == {"A": "mean of clusters", "B": "mean of circle"}
    # Whoever drags a point of it has a diagram of his own.
    space.edit(space.diagram_a, [(0, 1.5)])
    assert (space.name_of("A"), space.name_of("B")) == ("mean of clusters", "edited")
    space.undo()
    assert space.name_of("B") == "mean of circle"
    # The sample that has been B all along, by its number.
    space.take("B", space.index_b)
    assert (space.name_of("A"), space.name_of("B")) == (
        "mean of clusters",
        "figure eight 1",
    )
    space.dimension = 0
    assert space.called == {}
    assert sidebar.select["A"].helper_text == ""


def test_a_link_with_a_mean_leads_to_the_same():
    space = clouds_space()
    Gallery(space).choose_mean(2)
    again = Workspace()
    assert again.read_query(space.to_query()) == []
    np.testing.assert_allclose(again.diagram_a, space.diagram_a, rtol=1e-5)
    assert again.name_of("A") == "mean of figure eight"
    assert missing_words(again) == ""
    assert again.to_query() == space.to_query()


def test_a_link_that_cannot_carry_a_mean_says_so():
    space = Workspace()
    space.dimension = 0
    means = means_of(CLOUDS, 0)
    space.put("A", means[0], "mean of circle")
    space.put("B", means[1], "mean of clusters")
    again = Workspace()
    assert again.read_query(space.to_query()) == []
    assert again.called == {}
    words = missing_words(again)
    assert words.startswith(
        "A of this link is the mean of circle, and B of this link is the mean of "
        "clusters. The pair's "
    )
    assert "more than the 60 that a link can carry" in words
    assert words.endswith("Click it in the gallery of Diagrams to have it again.")
    again.put("A", means[0], "mean of circle")
    assert missing_words(again) == ""


def test_a_link_to_an_uploaded_set_says_what_the_pair_is():
    space = Workspace()
    space.use(
        sw.DiagramSet({1: [[(0, 1)], [(0, 2)], [(0, 3)]]}, ["a", "a", "b"]),
        "mine.npz",
        "upload",
    )
    space.put("A", [(0, 1.5)], "mean of a")
    again = Workspace()
    assert again.read_query(space.to_query()) == []
    assert [again.name_of(name) for name in "AB"] == ["mean of a", space.name_of("B")]
    # And so does the link of the page that it opens.
    third = Workspace()
    third.read_query(again.to_query())
    assert [third.name_of(name) for name in "AB"] == ["mean of a", space.name_of("B")]


@pytest.mark.parametrize("said", ["mean of nothing", "<b>", "x" * 1000, ""])
def test_a_link_calls_nothing_a_mean_that_is_none(said):
    space = Workspace()
    space.put("A", [(0, 1)], "mean of circle")
    again = Workspace()
    again.read_query(space.to_query() | {"isA": said})
    assert again.called == {}
    assert again.name_of("A") == "edited"


# -- the gallery --------------------------------------------------------------------


def test_the_gallery_has_the_mean_of_each_class_and_a_click_takes_it():
    view = DiagramView(CLOUDS)
    gallery, space = view.gallery, view.workspace
    same(gallery.means.in_dimension(1), means_of(CLOUDS, 1))
    cells = drawn(gallery.picture, "means")
    assert cells["sample"].tolist() == names_of_means(CLOUDS)
    gallery.target.value = "B"
    gallery._heads.selected.indices = [1]
    assert gallery._heads.selected.indices == []
    np.testing.assert_array_equal(space.diagram_b, gallery.means.in_dimension(1)[1])
    assert (view.title_a, view.title_b) == ("A · circle 1", "B · mean of clusters")
    # It was computed from diagrams, not from a cloud.
    assert len(view.sources["B"].data["birth"]) == len(space.diagram_b)
    red = STYLES["B"]["fill_color"]
    cells = drawn(gallery.picture, "means")
    assert cells["edge"].tolist() == [GREY, red, GREY, GREY]
    assert red not in drawn(gallery.picture, "diagrams")["edge"].tolist()
    gallery._cells.selected.indices = [0]
    assert view.title_b == "B · circle 1"
    assert red not in drawn(gallery.picture, "means")["edge"].tolist()
    # A click that was on its way when the means went.
    gallery.means = None
    gallery.choose_mean(1)
    assert view.title_b == "B · circle 1"


def test_another_dimension_or_set_has_other_means():
    view = DiagramView(CLOUDS)
    space, gallery = view.workspace, view.gallery
    space.dimension = 0
    same(gallery.means.in_dimension(0), means_of(CLOUDS, 0))
    space.use(DiagramSet({1: ONE.in_dimension(1)}), "plain", "upload")
    assert drawn(gallery.picture, "means")["sample"].tolist() == ["mean of all"]
    gallery.choose_mean(0)
    assert view.title_a == "A · mean of all"
    space.use(ONE, "one each", "upload")
    assert drawn(gallery.picture, "means")["count"].tolist() == [1, 0, 2]
    # Of an empty diagram, too.
    gallery.choose_mean(1)
    assert view.title_a == "A · mean of y"
    assert len(view.sources["A"].data["birth"]) == 0
    space.use(ONE[[]], "none", "upload")
    assert gallery.means is None
    assert len(drawn(gallery.picture, "means")["sample"]) == 0


def test_means_of_another_question_are_dropped(monkeypatch):
    slow_finder(gallery_module, monkeypatch)

    async def change():
        gallery = gallery_of(fresh_set(401))
        space = gallery.workspace
        assert space.dimension == 1
        while not gallery.finding.busy:
            await asyncio.sleep(0.02)
        assert gallery.means is None
        space.dimension = 0
        assert len(drawn(gallery.picture, "means")["sample"]) == 0
        await settled()
        return gallery

    gallery = asyncio.run(change())
    same(gallery.means.in_dimension(0), means_of(gallery.workspace.dataset, 0))
    assert not gallery.finding.busy


def test_a_late_answer_of_the_gallery_is_not_shown(monkeypatch):
    gallery = gallery_of(fresh_set(402))
    space, held = gallery.workspace, []
    monkeypatch.setattr(gallery.finding, "in_document", held.append)
    space.dimension = 0
    assert gallery.means is None
    assert held
    space.tab = "Slices"
    space.use(fresh_set(403), "another", "upload")
    for show in held:
        show()
    assert gallery.means is None
    held.clear()
    monkeypatch.undo()
    # Nobody looks, until somebody does.
    space.tab = "Diagrams"
    same(gallery.means.in_dimension(0), means_of(space.dataset, 0))


def test_large_sets_wait_for_the_button_and_huge_ones_are_refused(monkeypatch):
    monkeypatch.setattr(class_means, "UNASKED", 10)
    gallery = gallery_of(fresh_set(404))
    space = gallery.workspace
    assert gallery.means is None
    assert gallery.button.visible
    assert "48 points" in gallery.message
    # No room is kept for what may never come.
    narrow = gallery.picture.figure.x_range.start
    gallery.find()
    same(gallery.means.in_dimension(1), means_of(space.dataset, 1))
    assert not gallery.button.visible
    assert gallery.message == ""
    assert gallery.picture.figure.x_range.start < narrow
    monkeypatch.setattr(class_means, "MOST", 10)
    space.use(fresh_set(405), "more", "upload")
    assert gallery.means is None
    assert not gallery.button.visible
    assert "too long for this page" in gallery.message


def test_means_before_a_cancel_stay(monkeypatch):
    def slowly(dataset, dimensions, progress):
        found = find_means(dataset, dimensions, Told())
        progress.found(found[:1])
        for step in range(3000):
            progress(step, 3000)
            time.sleep(0.02)

    monkeypatch.setattr(gallery_module, "find_means", slowly)

    async def cancel():
        view = DiagramView(fresh_set(406))
        while view.gallery.means is None:
            await asyncio.sleep(0.02)
        view.gallery.finding.cancel()
        await settled()
        return view

    view = asyncio.run(cancel())
    gallery = view.gallery
    assert drawn(gallery.picture, "means")["sample"].tolist() == ["mean of a"]
    assert gallery.all_means is None
    assert "means" not in view.as_python()
    assert gallery.button.visible
    monkeypatch.undo()
    gallery.find()
    assert len(gallery.all_means) == 2


def test_lines_of_python_print_the_means_on_show(tmp_path, monkeypatch, capsys):
    view = DiagramView(workspace=clouds_space())
    view.gallery.choose_mean(1)
    lines = view.as_python()
    assert "A = means.in_dimension(1)[1]" in lines
    capsys.readouterr()
    exec(compile(lines, "python", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].startswith(f"A has {len(view.workspace.diagram_a)} points")
    for line, name, mean in zip(
        printed[-4:],
        names_of_means(CLOUDS),
        view.gallery.means.in_dimension(1),
        strict=True,
    ):
        said, count, *longest = line.split(", ")
        assert (said, int(count)) == (name, len(mean))
        expected = np.sort(mean[:, 1] - mean[:, 0])[:-3:-1]
        np.testing.assert_allclose(np.array(longest, float), expected)


# -- the map ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learn():
    return LearnView(SET)


@pytest.fixture
def view(learn):
    """One view for many tests, with its settings as they were at first."""
    # A hidden view computes nothing: once, when it is shown again, is enough.
    learn.workspace.tab = "Slices"
    learn.workspace.use(SET[:], "three classes", "upload")
    learn.trainer.param.update(kernel="sw", dimensions=[1], C=10.0, seed=0)
    learn.workspace.param.update(sigma=0.5, tab="Learn")
    return learn


def stars(view):
    return np.column_stack([view.map.means.data[axis] for axis in "xy"])


def test_a_mean_is_where_the_map_puts_a_new_diagram(view):
    trainer = view.trainer
    means = sw.sliced_means(DiagramSet({1: SET.in_dimension(1)}, LABELS))
    for sigma in (0.5, 0.2):
        view.workspace.sigma = sigma
        kernel = trainer.ready.at(sigma).fit(SET)
        expected = trainer.portrait.map.project(kernel.gram(means, SET))
        np.testing.assert_allclose(stars(view), expected, atol=1e-12)
    data = view.map.means.data
    assert data["color"] == [class_color(k) for k in range(3)]
    assert data["name"] == ["mean of a", "mean of b", "mean of c"]
    assert "mean of a class" in legend_html(trainer.labels)


@pytest.mark.parametrize("kernel", ["pss", "pwg", "embedding"])
def test_means_follow_kernel_and_dimensions(view, kernel):
    trainer = view.trainer
    trainer.param.update(kernel=kernel, dimensions=[0, 1])
    means = sw.sliced_means(SET)
    setting = trainer.setting
    own = trainer.ready.at(setting.scale).fit(SET[trainer.train])
    expected = trainer.portrait.map.project(own.gram(means, SET))
    np.testing.assert_allclose(stars(view), expected, rtol=1e-6, atol=1e-9)


def test_sigma_moves_means_without_finding_them_again(view, monkeypatch):
    view.workspace.use(fresh_set(410), "fresh", "upload")
    monkeypatch.setattr(means_module, "find_means", None)
    before = stars(view)
    view.workspace.sigma = 0.1
    view.trainer.C = 3.0
    view.trainer.seed = 4
    assert stars(view).shape == before.shape == (2, 2)
    assert not np.allclose(stars(view), before)


def test_a_star_opens_its_diagram_which_can_be_a_or_b(monkeypatch):
    monkeypatch.setattr(means_module, "_SAME_TAP", 600.0)
    view = LearnView(SET)
    means, space = view.means, view.workspace
    assert len(means._place) == 0
    pair = space.index_a, space.index_b
    view.map.means.selected.indices = [1]
    assert view.map.means.selected.indices == []
    # The sample below the star is not meant by the same tap.
    view.map.points.selected.indices = [20]
    assert view.map.points.selected.indices == []
    assert (space.index_a, space.index_b) == pair
    assert means._place[0].visible
    mean = means.found.means.in_dimension(1)[1]
    assert means.heading == (
        f"Mean of b: {len(mean)} points in H1, amid the pale ones of 8 diagrams."
    )
    np.testing.assert_array_equal(means.plane.mean.data["death"], mean[:, 1])
    assert len(means.plane.members.data["birth"]) == 48
    sample = space.diagram_a
    means.use("B")
    np.testing.assert_array_equal(space.diagram_b, mean)
    np.testing.assert_array_equal(space.diagram_a, sample)
    assert space.name_of("B") == "mean of b"
    # It is ringed, and the sample that was B is not.
    np.testing.assert_allclose(
        [view.map.pair["B"].data[axis][0] for axis in "xy"], stars(view)[1]
    )
    # The ring goes where the mean goes.
    space.sigma = 0.1
    np.testing.assert_allclose(
        [view.map.pair["B"].data[axis][0] for axis in "xy"], stars(view)[1]
    )
    # A click on a sample takes that and its nearest, also if they were it before.
    view.mistakes.choose(space.index_a)
    index = space.index_b
    means.use("B")
    view.mistakes.choose(space.index_a)
    assert (space.index_b, space.called) == (index, {})
    means._close()
    assert not means._place[0].visible
    means.use("A")
    assert space.called == {}


def test_a_mean_of_several_dimensions_is_used_in_one_that_it_has(view):
    three = DiagramSet({k: SET.in_dimension(k % 2) for k in range(3)}, LABELS)
    view.workspace.use(three, "three dimensions", "upload")
    view.trainer.dimensions = [0, 1]
    view.workspace.dimension = 2
    view.means.choose(0)
    assert "in H0" in view.means.heading
    view.means.use("A")
    assert view.workspace.dimension == 0
    np.testing.assert_array_equal(
        view.workspace.diagram_a, view.means.found.means.in_dimension(0)[0]
    )


def test_other_data_take_the_means_away_at_once(monkeypatch):
    async def change():
        view = LearnView(fresh_set(411))
        await settled()
        assert len(stars(view)) == 2
        view.means.choose(0)
        slow_finder(means_module, monkeypatch)
        view.workspace.use(fresh_set(412, "abc"), "other", "upload")
        assert len(stars(view)) == 0
        assert not view.means._place[0].visible
        while not view.means._following.busy:
            await asyncio.sleep(0.02)
        assert len(stars(view)) == 0
        # What is found for it comes too late.
        view.workspace.dimension = 0
        await settled()
        return view

    view = asyncio.run(change())
    assert len(stars(view)) == 3
    assert view.means.found.means.dimensions == (0,)


def test_without_classes_the_map_has_one_mean():
    view = LearnView(DiagramSet({1: SET.in_dimension(1)}))
    assert view.map.means.data["name"] == ["mean of all"]
    assert view.map.means.data["color"] == [GREY]
    view.means.choose(0)
    assert "24 diagrams" in view.means.heading
    empty = DiagramSet({1: [[], [], []]}, labels=["a", "b", "b"])
    view.workspace.use(empty, "empty", "upload")
    assert len(stars(view)) == 2


def test_a_map_of_a_large_set_waits_for_the_button(view, monkeypatch):
    monkeypatch.setattr(class_means, "UNASKED", 10)
    view.workspace.use(fresh_set(413), "large", "upload")
    assert len(stars(view)) == 0
    assert view.means.button.visible
    assert "up to 10 come by themselves" in view.means.message
    view.means.run()
    assert len(stars(view)) == 2
    assert not view.means.button.visible
    assert view.means.message == ""
    monkeypatch.setattr(class_means, "MOST", 10)
    view.workspace.use(fresh_set(414), "more", "upload")
    assert not view.means.button.visible
    assert "too long for this page" in view.means.message
    # What has been found elsewhere is shown.
    dataset = fresh_set(415)
    RESULTS.put(means_key(dataset, (1,)), sw.sliced_means(
        DiagramSet({1: dataset.in_dimension(1)}, dataset.labels)
    ))  # fmt: skip
    view.workspace.use(dataset, "known", "upload")
    assert len(stars(view)) == 2
