"""The Learn view and its trainer, without a browser."""

import ast
import asyncio
import time
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import pytest
from bokeh.models import HoverTool

from swviz import DiagramSet
from swviz.app.runtime.task import settled
from swviz.app.shell.page import SessionPage
from swviz.app.tabs.distortion.view import DistortionView
from swviz.app.tabs.learn import background as learn_background
from swviz.app.tabs.learn import cards as learn_cards
from swviz.app.tabs.learn import controls as controls_module
from swviz.app.tabs.learn import trainer as learn_trainer
from swviz.app.tabs.learn.cards import GridCard
from swviz.app.tabs.learn.controls import make_controls
from swviz.app.tabs.learn.figures import legend_html
from swviz.app.tabs.learn.history import History
from swviz.app.tabs.learn.kernels import KERNEL_CHOICES, make_kernel
from swviz.app.tabs.learn.matrices import GramFigure
from swviz.app.tabs.learn.trainer import CANCELLED, NO_CLASSES, ONE_CLASS, Trainer
from swviz.app.tabs.learn.view import LearnView
from swviz.app.tabs.learn.words import describe, invite
from swviz.app.ui.exports import as_csv, as_npz
from swviz.app.workspace.kernel_widths import NAMES
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.state import Workspace
from swviz.files import save
from swviz.kernels import SlicedWassersteinKernel, kernel_from_distances
from swviz.learning import evaluate_svm, kernel_pca, random_splits
from swviz.plot.images import shrink
from swviz.plot.theme import class_color
from tests.learning_data import LABELS, SET
from tests.plot_tools import sent

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture(scope="module")
def shared():
    return LearnView(SET)


@pytest.fixture
def view(shared):
    """One view for many tests, with its settings as they were at first."""
    space = shared.workspace
    # A hidden view computes nothing: once, when it is shown again, is enough.
    space.tab = "Slices"
    if space.dataset is not SET:
        space.use(SET, "three classes", "upload")
    space.settings = {}
    shared.trainer.param.update(
        kernel="sw", dimensions=[1], C=10.0, train_share=0.7, seed=0, stratify=False
    )
    space.param.update(
        sigma=0.5, n_directions=12, rule="paper", index_a=0, index_b=8, tab="Learn"
    )
    return shared


def have_cards_wait(patch):
    """Have curves, grid and test wait for their buttons, as with large sets."""
    for module in (learn_background, learn_cards):
        patch.setattr(module, "FEW_SAMPLES", 0)


@pytest.fixture
def waiting(monkeypatch):
    have_cards_wait(monkeypatch)


@pytest.fixture
def quiet(view, waiting):
    """The view, after it has computed everything once, with cards that wait."""
    return view


@pytest.fixture(scope="module")
def page():
    """A page that opens with Learn, and a set that can be made again."""
    made = recipe("point_clouds", "small")()
    space = Workspace(
        made, title="small", source="point_clouds", preset="small", index_b=12
    )
    space.tab = "Learn"
    with pytest.MonkeyPatch.context() as patch:
        have_cards_wait(patch)
        return SessionPage(space)


@pytest.fixture(scope="module")
def trainer():
    """A trainer without a view."""
    return trainer_of(SET)


def trainer_of(dataset, **params):
    trainer = Trainer(Workspace(dataset, tab="Learn"), **params)
    trainer.refresh()
    return trainer


def expected(sigma=0.5, C=10.0, M=12):
    kernel = SlicedWassersteinKernel(n_directions=M, dimensions=[1])
    gram = kernel_from_distances(kernel.distances(SET), sigma)
    train, test = random_splits(LABELS, 1, 0.3, 0)[0]
    return gram, train, test, evaluate_svm(gram, LABELS, train, test, C, n_splits=10)


# -- what is shown ------------------------------------------------------------------


def test_numbers_are_the_librarys(view):
    _, train, test, found = expected()
    assert view.test_text == f"{100 * found.test_accuracy:.1f} %"
    assert view.cv_text == f"{100 * found.cv_accuracy:.1f} %"
    assert view.train_text == f"{100 * found.train_accuracy:.1f} %"
    assert view.support_text == str(len(found.support))
    assert view.test_note.startswith(f"{len(test)} diagrams")
    assert str(len(train)) in view.train_note
    assert f"± {100 * found.cv_spread:.0f} %" in view.cv_note


def test_matrices_are_handed_out_as_files(view):
    gram = expected()[0]
    names, matrices = view.matrices()
    read = np.load(as_npz((names, matrices)))
    np.testing.assert_array_equal(read["gram"], view.trainer.portrait.gram)
    np.testing.assert_allclose(read["gram"], gram)
    np.testing.assert_allclose(
        kernel_from_distances(read["distances_0"], 0.5), gram, rtol=1e-12
    )
    assert read["names"].tolist() == list(SET.names)
    lines = as_csv((names, matrices)).getvalue().decode().splitlines()
    assert lines[0] == "i,j,first,second,gram,distances_0"
    assert len(lines) == 1 + len(SET) * (len(SET) + 1) // 2
    i, j, first, second, value, _ = lines[2].split(",")
    assert (i, j, first, second) == ("0", "1", SET.names[0], SET.names[1])
    assert float(value) == view.trainer.portrait.gram[0, 1]
    assert as_csv(([], {})).getvalue() == b"i,j,first,second\n"


def test_figures_show_what_the_library_computes(view):
    gram, _, test, found = expected()
    points = view.map.points.data
    where = kernel_pca(gram).coordinates
    for axis, name in enumerate("xy"):
        np.testing.assert_allclose(np.abs(points[name]), np.abs(where[:, axis]))
    assert [k for k, part in enumerate(points["part"]) if part == "test"] == sorted(
        test
    )
    assert points["class"] == LABELS.tolist()
    cells = view.confusion.cells.data
    np.testing.assert_array_equal(np.reshape(cells["count"], (3, 3)), found.confusion)
    x = np.asarray(points["x"])
    np.testing.assert_array_equal(view.map.support.data["x"], x[found.support])
    wrong = test[found.predictions != LABELS[test]]
    assert set(x[wrong]) <= set(view.map.mistakes.data["x"])
    order = np.argsort(LABELS, kind="stable")
    image = view.gram.image.data["image"][0]
    assert (np.abs(image / 255 - gram[np.ix_(order, order)]) < 1 / 250).all()
    assert view.gram.borders.data["at"] == [8, 16]


def test_sigma_goes_from_overfit_to_useless(view):
    words, shares, spans = [], [], []
    for sigma in (0.001, 0.6, 1000.0):
        view.workspace.sigma = sigma
        portrait = view.trainer.portrait
        words.append(view.verdict)
        shares.append((view.train_text, portrait.evaluation.cv_accuracy))
        pixels = view.map.ground.data["image"][0]
        spans.append((len(np.unique(pixels)), np.ptp(view.map.points.data["x"])))
    assert words[0].startswith("Overfit")
    assert "alike only to itself" in words[0]
    assert words[2].startswith("Useless")
    assert "look alike" in words[2]
    assert shares[0][0] == "100.0 %"
    assert shares[0][1] < 0.4
    assert shares[1][1] > 0.6
    # The ground takes one colour and the diagrams fall together.
    assert spans[1][0] == 3
    assert spans[2][0] == 1
    assert spans[2][1] < 0.01 < spans[1][1]


def test_axes_stay_unless_the_map_is_to_be_zoomed(view):
    before = view.map.x_range.end
    view.workspace.sigma = 30.0
    assert view.map.x_range.end == before
    view.fit_map = True
    reach = np.abs(view.map.points.data["x"]).max()
    assert reach < view.map.x_range.end < 3 * before * reach
    view.fit_map = False
    assert view.map.x_range.end == before


def test_the_pair_is_ringed_and_a_tap_chooses_it(view):
    x = np.asarray(view.map.points.data["x"])
    assert view.map.pair["A"].data["x"] == x[[0]]
    view.map.points.selected.indices = [5]
    space = view.workspace
    assert space.index_a == 5
    apart = view.trainer.ready.distances.sum(axis=0)[5]
    others = [k for k in view.trainer.train if k != 5]
    assert space.index_b == min(others, key=lambda k: apart[k])
    assert view.map.pair["B"].data["x"] == x[[space.index_b]]
    assert view.map.points.selected.indices == []


@pytest.mark.parametrize("kernel", KERNEL_CHOICES)
def test_every_kernel_is_trained_on_its_own_gram_matrix(trainer, kernel):
    trainer.kernel = kernel
    assert trainer.problem == ""
    own = trainer.ready.at(trainer.setting.scale).fit(SET[trainer.train]).gram(SET)
    np.testing.assert_allclose(trainer.portrait.gram, own, rtol=1e-9)
    assert type(trainer.ready.kernel) is type(make_kernel(kernel, 12, "paper", [1]))


def test_dimensions_follow_the_sidebar_until_several_are_chosen():
    trainer = trainer_of(SET)
    trainer.workspace.dimension = 0
    assert trainer.setting.dimensions == (0,)
    trainer.dimensions = [0, 1]
    assert trainer.ready.distances.shape == (2, 24, 24)
    trainer.workspace.dimension = 1
    assert trainer.setting.dimensions == (0, 1)


def shown_in(sidebar):
    """Return the controls that the open view has added."""
    (place,) = (
        one for one in sidebar._own if one.styles["content-visibility"] == "visible"
    )
    return place.objects


def test_the_page_opens_the_view_with_a_trained_machine(page):
    view = page.views["Learn"]
    assert view.trainer.portrait.evaluation.train_accuracy > 0.9
    assert shown_in(page.sidebar) == view.controls


@pytest.mark.usefixtures("waiting")
@pytest.mark.parametrize("kernel", KERNEL_CHOICES)
def test_lines_of_python_print_the_numbers_on_show(page, kernel, capsys):
    view = page.views["Learn"]
    view.trainer.param.update(kernel=kernel, C=0.1 + 0.2, seed=2, train_share=0.65)
    view.two_samples.run()
    lines = view.as_python()
    assert "import *" not in lines
    assert "C=0.3," in lines
    exec(compile(lines, "python", "exec"), {})
    test, cv, train, support, confusion, rest, means, mmd = (
        capsys.readouterr().out.splitlines()
    )
    number, count = test.split()
    assert (view.test_text, view.test_note.split()[0]) == (
        f"{100 * float(number):.1f} %",
        count,
    )
    number, spread = map(float, cv.split())
    assert view.cv_text == f"{100 * number:.1f} %"
    assert f"± {100 * spread:.0f} %" in view.cv_note
    assert view.train_text == f"{100 * float(train.split()[0]):.1f} %"
    assert view.support_text == support
    assert confusion == str(view.trainer.portrait.evaluation.confusion.tolist())
    similarity, explained = map(float, rest.split())
    assert similarity == pytest.approx(view.trainer.portrait.similarity)
    assert f"shows {100 * explained:.0f} % of" in view.verdict
    stars = view.map.means.data
    np.testing.assert_allclose(
        np.abs(ast.literal_eval(means)),
        np.abs(np.column_stack([stars["x"], stars["y"]])),
        rtol=1e-6,
        atol=1e-9,
    )
    statistic, p = map(float, mmd.split())
    assert f"MMD² = {statistic:.3g}, p = {p:.3f}" in view.two_samples.verdict


def test_lines_of_a_map_without_a_machine_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    view = LearnView(DiagramSet({1: DIAGRAMS}))
    view.trainer.train_share = 0.25
    for labels, means in ((None, 1), (["a", "a", "b", "b"], 2)):
        dataset = DiagramSet({1: DIAGRAMS}, labels=labels)
        view.workspace.use(dataset, "few", "upload")
        assert view.trainer.portrait.evaluation is None
        save(dataset, tmp_path / "diagrams.npz")
        exec(compile(view.as_python(), "python", "exec"), {})
        printed = capsys.readouterr().out.splitlines()
        similarity, explained = map(float, printed[0].split())
        assert similarity == pytest.approx(view.trainer.portrait.similarity)
        assert f"shows {100 * explained:.0f} % of" in view.verdict
        assert len(ast.literal_eval(printed[1])) == means
        assert len(printed) == (2 if labels is None else 3)


def test_markup_in_class_names_is_shown_and_not_run():
    text = legend_html(np.array(["<img src=x onerror=alert(1)>", "b"]))
    assert "<img" not in text
    assert "&lt;img" in text
    many = legend_html(np.arange(40))
    assert "and 28 more" in many


def test_colours_of_classes_do_not_repeat_at_first():
    colors = [class_color(k) for k in range(40)]
    assert len(set(colors)) == 40


def test_a_large_matrix_is_averaged_for_its_picture():
    matrix = np.random.default_rng(0).random((7, 7))
    small = shrink(matrix, 3)
    edges = [0, 2, 4, 7]
    for i in range(3):
        for j in range(3):
            block = matrix[edges[i] : edges[i + 1], edges[j] : edges[j + 1]]
            assert small[i, j] == pytest.approx(block.mean())
    assert shrink(matrix, 7) is matrix


# -- live work ----------------------------------------------------------------------


def counting(monkeypatch):
    calls = []
    real = learn_trainer.prepare

    def count(*args, **kwargs):
        calls.append(args)
        return real(*args, **kwargs)

    monkeypatch.setattr(learn_trainer, "prepare", count)
    return calls


def fresh_set(seed):
    """A set that no cache knows."""
    rng = np.random.default_rng(seed)
    several = [np.sort(rng.random((4, 2)), axis=1) for _ in range(12)]
    return DiagramSet({1: several}, labels=np.repeat(["a", "b"], 6))


def test_distances_are_computed_once_for_all_sigma_and_C(monkeypatch):
    calls = counting(monkeypatch)
    trainer = trainer_of(fresh_set(100))
    for sigma in (0.1, 1.0, 10.0):
        trainer.workspace.sigma = sigma
        trainer.C = 100 * sigma
        assert (trainer.setting.scale, trainer.setting.C) == (sigma, 100 * sigma)
    trainer.seed = 3
    assert len(calls) == 1
    trainer.workspace.n_directions = 13
    assert len(calls) == 2
    trainer.kernel = "exact"
    assert len(calls) == 3
    trainer.workspace.n_directions = 14
    assert len(calls) == 3


def test_a_slider_that_moves_fast_is_followed_without_a_backlog():
    async def slide():
        trainer = trainer_of(fresh_set(101))
        await settled()
        portraits = []
        trainer.param.watch(lambda event: portraits.append(event.new), "portrait")
        for k in range(200):
            trainer.workspace.sigma = 0.01 * (k + 1)
            if k % 20 == 0:
                await asyncio.sleep(0.01)
        await settled()
        return trainer, portraits

    trainer, portraits = asyncio.run(slide())
    assert trainer.setting.scale == 2.0
    assert 0 < len(portraits) < 60
    gram = trainer.ready.gram(2.0)
    np.testing.assert_array_equal(trainer.portrait.gram, gram)


def slow_prepare(monkeypatch, seconds):
    """Distances that take a while, and report."""
    real = learn_trainer.prepare

    def slow(kernel, X, train=None, *, progress):
        if kernel.n_directions == 50:
            for step in range(int(seconds / 0.02)):
                progress(step, int(seconds / 0.02))
                time.sleep(0.02)
        return real(kernel, X, train, progress=progress)

    monkeypatch.setattr(learn_trainer, "prepare", slow)


def test_cancelled_distances_are_told_and_can_be_computed_later(monkeypatch):
    async def cancel():
        trainer = trainer_of(fresh_set(102))
        await settled()
        slow_prepare(monkeypatch, 60.0)
        trainer.workspace.n_directions = 50
        while "of 3000" not in trainer.jobs.text:
            await asyncio.sleep(0.02)
        trainer.jobs.task.cancel()
        await settled()
        return trainer

    trainer = asyncio.run(cancel())
    assert trainer.problem == CANCELLED
    assert trainer.portrait is None
    monkeypatch.undo()
    trainer.refresh()
    assert trainer.problem == ""
    assert trainer.setting.n_directions == 50


def test_a_change_of_M_replaces_the_distances_under_way(monkeypatch):
    async def change():
        trainer = trainer_of(fresh_set(103))
        await settled()
        slow_prepare(monkeypatch, 60.0)
        trainer.workspace.n_directions = 50
        await asyncio.sleep(0.15)
        trainer.workspace.n_directions = 7
        await settled()
        return trainer

    trainer = asyncio.run(change())
    assert trainer.setting.n_directions == 7
    assert trainer.problem == ""


def test_nothing_is_computed_while_another_tab_is_open(trainer):
    trainer.kernel = "sw"
    trainer.workspace.tab = "Slices"
    before = trainer.portrait
    trainer.workspace.sigma = 3.0
    assert trainer.portrait is before
    trainer.workspace.tab = "Learn"
    assert trainer.setting.scale == 3.0


# -- one bandwidth for each kernel ---------------------------------------------------

OTHERS = {"pss": "t", "pwg": "tau", "d1": "sigma_d1"}


def test_kernels_start_where_they_learn():
    trainer = Trainer(Workspace(tab="Learn"))
    grid = GridCard(trainer)
    for kernel, name in OTHERS.items():
        trainer.kernel = kernel
        assert trainer.setting.scale == getattr(trainer.widths.fitted, name)
        assert describe(trainer.portrait).startswith("It learns")
        best = grid.scores.mean.max()
        assert trainer.portrait.evaluation.cv_accuracy > best - 0.1
        assert trainer.workspace.sigma == trainer.workspace.param.sigma.default


def test_tuning_one_kernel_moves_no_other():
    trainer = Trainer(Workspace(SET, tab="Learn", sigma=0.5))
    grid, widths = GridCard(trainer), trainer.widths
    for kernel, name in OTHERS.items():
        trainer.kernel = kernel
        before = {key: widths.value(key) for key in (*NAMES, "sigma")}
        grid.tune()
        after = {key: widths.value(key) for key in (*NAMES, "sigma")}
        assert {key for key in before if before[key] != after[key]} <= {name}
        best, _ = grid.scores.best
        [scale] = grid.scores.settings[best].values()
        assert after[name] == pytest.approx(scale, rel=1e-5)
        assert trainer.setting.scale == after[name]
    trainer.kernel = "sw"
    assert trainer.setting.scale == trainer.workspace.sigma == 0.5


@pytest.mark.usefixtures("waiting")
def test_everything_names_the_bandwidth_by_its_own_letter():
    # Of its own: figures that have been drawn are drawn again by all tests after this.
    view = LearnView(SET)
    controls = make_controls(view.trainer, view.grid.tune, view.param.fit_map)
    place = next(one for one in controls if isinstance(one, pn.Column))
    button = next(one for one in controls if isinstance(one, pmui.Button))
    # That of k_SW has its slider in the sidebar, for all tabs.
    assert place.objects == []
    view.trainer.kernel = "pss"
    [slider] = place.objects
    for kernel, label, letter in (
        ("pss", "t of k_PSS", "t"),
        ("pwg", "τ of k_PWG", "τ"),
        ("d1", "σ of the Gaussian on d₁", "σ"),
        ("sw", "σ of k_SW", "σ"),
    ):
        view.trainer.kernel = kernel
        view.bandwidths.run()
        view.grid.run()
        trainer = view.trainer
        assert place.objects == ([] if kernel == "sw" else [slider])
        assert slider.label == label
        assert 10**slider.value == pytest.approx(trainer.setting.scale)
        assert button.label == f"Tune {letter} and C"
        assert f"{letter} = {trainer.setting.scale:.4g} · C = 10" in view.machine
        assert view.history.runs[0]["bandwidth"].startswith(f"{letter} = ")
        curve = view.bandwidths.picture
        assert curve.figure.xaxis[0].axis_label == letter
        low, high = curve.figure.x_range.start, curve.figure.x_range.end
        now = sent(curve, "now")["value"][0]
        assert low < trainer.setting.scale == now < high
        for picture in (curve, view.grid.picture):
            assert letter in dict(picture.figure.select_one(HoverTool).tooltips)
        assert invite(kernel).startswith(f"**Move {letter} or C")
        slider.value += 0.5
        name = KERNEL_CHOICES[kernel].width
        assert trainer.widths.value(name) == slider.number == trainer.setting.scale


@pytest.mark.usefixtures("waiting")
def test_formula_and_titles_follow_the_kernel(page):
    view, place = page.views["Learn"], page._places["Learn"]

    def shown():
        panes = [pane.object for pane in place.select(pn.pane.base.PaneBase)]
        return " ".join(text for text in panes if isinstance(text, str))

    view.trainer.kernel = "sw"
    assert "k_{SW}" in shown()
    view.trainer.kernel = "pss"
    text = shown()
    assert "k_{PSS}" in text
    assert "k_{SW}" not in text
    assert "accuracy against t of k_PSS" in text
    assert "t of k_PSS × C" in text


def test_learn_and_distortion_have_the_same_bandwidths():
    space = Workspace(SET, tab="Learn")
    trainer, distortion = Trainer(space), DistortionView(workspace=space)
    trainer.kernel = "pss"
    started = trainer.setting.scale
    space.tab = "Distortion"
    assert distortion.widths.t == started
    distortion.widths.choose("t", 0.07)
    space.tab = "Learn"
    assert trainer.setting.scale == 0.07
    trainer.kernel = "pwg"
    trainer.widths.choose("tau", 1.5)
    space.tab = "Distortion"
    assert "τ of k_PWG = 1.5" in distortion.sliders.sliders["tau"].label
    assert space.sigma == space.param.sigma.default


def test_the_curve_over_M_is_k_SWs_whichever_kernel_is_chosen(view):
    before = view.directions.points
    view.trainer.kernel = "pss"
    view.trainer.widths.choose("t", 0.3)
    assert view.directions.points == before
    drawn = sent(view.directions.picture, "tried")["accuracy"]
    assert drawn.tolist() == [100 * point.cv for point in before]


def test_tuned_runs_are_noted_as_tuned(quiet):
    view = quiet
    view.trainer.kernel = "pss"
    assert view.history.runs[0]["how"] == "by hand"
    view.grid.tune()
    first = view.history.runs[0]
    assert (first["how"], first["C"]) == ("tuned", view.trainer.C)
    assert first["bandwidth"] == f"t = {view.trainer.widths.t:.4g}"
    # What is there already is tuned, too.
    view.trainer.param.update(C=10.0)
    assert view.history.runs[0]["how"] == "by hand"
    view.trainer.use(view.trainer.widths.t, 10.0, tuned=True)
    assert view.history.runs[0]["how"] == "tuned"
    view.trainer.C = 20.0
    view.trainer.C = 10.0
    assert view.history.runs[0]["how"] == "by hand"


@pytest.mark.usefixtures("waiting")
def test_a_bandwidth_is_in_the_link_and_comes_back(page):
    space, view = page.workspace, page.views["Learn"]
    view.trainer.kernel = "pwg"
    view.trainer.widths.choose("tau", 3.25)
    query = space.to_query()
    assert query["distortion.tau"] == "3.25"
    again = Workspace()
    assert again.read_query(query) == []
    other = LearnView(workspace=again)
    assert (other.trainer.setting.kernel, other.trainer.setting.scale) == ("pwg", 3.25)
    assert other.test_text == view.test_text


# -- nothing old under a new name ----------------------------------------------------


def numbers(view):
    return [
        getattr(view, f"{name}_text") for name in ("test", "cv", "train", "support")
    ]


def shows_nothing_old(view):
    return (
        numbers(view) == ["…"] * 4
        and not view.machine
        and not view.verdict
        and len(view.map.points.data["x"]) == 0
        and len(view.confusion.cells.data["x"]) == 0
        and len(sent(view.grid.picture, "grid")["accuracy"]) == 0
        and len(sent(view.bandwidths.picture, "tried")["value"]) == 0
        and len(sent(view.directions.picture, "tried")["value"]) == 0
        and view.two_samples.verdict == ""
    )


def test_another_data_set_takes_the_old_numbers_away_at_once(monkeypatch):
    async def change():
        space = Workspace(fresh_set(300), tab="Learn")
        view = LearnView(workspace=space)
        await settled()
        assert view.test_text.endswith("%")
        runs = len(view.history.runs)
        slow_prepare(monkeypatch, 0.5)
        space.n_directions = 50
        await asyncio.sleep(0.1)
        labelled = fresh_set(301)
        other = DiagramSet(labelled.diagrams, np.repeat(["new", "other"], 6))
        space.use(other, "another", "upload")
        assert shows_nothing_old(view)
        assert "> a<" not in view._legend.object
        assert view.two_samples.selects[0].options == {"no classes": None}
        await settled()
        assert len(view.history.runs) == runs + 1
        assert view.history.runs[0]["data"] == "another"
        # In a hidden tab as well, and by another dimension or kernel.
        space.tab = "Diagrams"
        space.use(fresh_set(302), "a third", "upload")
        assert shows_nothing_old(view)
        space.tab = "Learn"
        assert shows_nothing_old(view)
        await settled()
        view.trainer.kernel = "exact"
        assert shows_nothing_old(view)
        assert "0 · a" in view.two_samples.selects[0].options
        await settled()
        return view

    view = asyncio.run(change())
    assert view.test_text.endswith("%")
    assert not view.trainer.computing


@pytest.mark.usefixtures("waiting")
def test_numbers_of_a_machine_that_takes_long_are_not_those_of_the_last(monkeypatch):
    async def wait():
        view = LearnView(fresh_set(303))
        await settled()
        slow_prepare(monkeypatch, 3.0)
        view.workspace.n_directions = 50
        while view.test_text != "…":
            await asyncio.sleep(0.02)
        # The pictures stay meanwhile.
        assert len(view.map.points.data["x"]) == 12
        assert numbers(view) == ["…"] * 4
        await settled()
        return view

    view = asyncio.run(wait())
    assert view.test_text.endswith("%")
    assert "M = 50" in view.machine


def test_an_answer_for_another_kernel_is_dropped(monkeypatch):
    trainer = trainer_of(fresh_set(304))
    held = []
    monkeypatch.setattr(trainer.jobs.task, "in_document", held.append)
    trainer.workspace.sigma = 0.3
    trainer.workspace.tab = "Slices"
    before = trainer.portrait
    for show in held:
        show()
    assert trainer.portrait is not before
    assert trainer.setting.scale == 0.3
    # Once more, and then it comes too late.
    trainer.workspace.tab = "Learn"
    held.clear()
    trainer.workspace.sigma = 0.4
    assert held
    trainer.workspace.tab = "Slices"
    trainer.kernel = "exact"
    for show in held:
        show()
    assert trainer.portrait is None
    assert trainer.setting is None
    assert trainer.computing


# -- data that cannot be learnt from ------------------------------------------------

DIAGRAMS = [[(0, 1)], [(0, 2)], [(0, 3), (1, 2)], [(0, 4)]]


def test_coming_back_with_diagrams_without_classes_there_is_a_map_and_a_message(quiet):
    view, space = quiet, quiet.workspace
    # Menus go wrong only when they are drawn.
    root = pn.panel(view.two_samples).get_root()
    for _ in range(2):
        space.tab = "Diagrams"
        space.use(DiagramSet({1: DIAGRAMS}), "plain", "upload")
        space.tab = "Learn"
        assert view.trainer.problem == NO_CLASSES
        assert view._problem.visible
        for select in view.two_samples.selects:
            assert select.options == {"no classes": None}
            assert select.value is None
        assert view._legend.object == legend_html(None)
        assert (view.two_samples.verdict, view.test_text) == ("", "—")
        assert len(view.map.points.data["x"]) == 4
        assert len(view.confusion.cells.data["x"]) == 0
        assert len(view.gram.image.data["image"]) == 1
        space.use(SET, "labelled", "upload")
        assert not view._problem.visible
        assert view.trainer.portrait.evaluation is not None
        assert view.test_text.endswith("%")
        assert "0 · a" in view.two_samples.selects[0].options
    assert root is not None


@pytest.mark.parametrize(
    ("diagrams", "labels", "words"),
    [
        (DIAGRAMS, ["a"] * 4, "two classes"),
        (DIAGRAMS[:2], ["a", "b"], ONE_CLASS),
        (DIAGRAMS[:1], ["a"], "two classes"),
        ([], [], "data set is empty"),
    ],
)
def test_too_little_to_learn_from_is_told(diagrams, labels, words):
    trainer = trainer_of(DiagramSet({1: diagrams}, labels=labels))
    assert words in trainer.problem
    assert trainer.portrait is None or trainer.portrait.evaluation is None


def test_empty_diagrams_are_learnt_from_like_any_other():
    half = [[] if k % 2 else [(0, 1 + 0.01 * k)] for k in range(16)]
    trainer = trainer_of(DiagramSet({1: half}, labels=["full", "empty"] * 8))
    assert trainer.portrait.evaluation.test_accuracy == 1.0
    nothing = trainer_of(DiagramSet({1: [[]] * 16}, labels=["a", "b"] * 8))
    assert nothing.portrait.similarity == 1.0
    nothing.kernel = "pwg"
    assert nothing.problem.startswith("No scale can be learnt")


def test_too_many_diagrams_are_refused(monkeypatch):
    few = replace(learn_trainer.SETTINGS, learn_diagrams=10)
    monkeypatch.setattr(learn_trainer, "SETTINGS", few)
    problem = trainer_of(SET).problem
    assert "more than the 10 that this server allows" in problem
    assert "SWVIZ_LEARN_DIAGRAMS" in problem


def test_an_error_of_ours_leaves_what_is_shown(monkeypatch, caplog):
    trainer = trainer_of(fresh_set(104))
    before = trainer.portrait

    def fail(*args, **kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr(learn_trainer, "train_portrait", fail)
    trainer.workspace.sigma = 0.123
    assert trainer.portrait is before
    assert "a callback failed" in caplog.text


# -- history ------------------------------------------------------------------------


def test_a_slide_is_one_run_and_a_rest_makes_another():
    now = [0.0]
    history = History(clock=lambda: now[0])
    for at, value in ((0.0, 1), (0.5, 2), (1.0, 3), (9.0, 4)):
        now[0] = at
        history.add(group="slide", C=value)
    now[0] = 9.1
    history.add(group="other", C=5)
    history.add(C=6)
    history.add(C=7)
    assert [run["C"] for run in history.runs] == [7, 6, 5, 4, 3]
    assert [run["run"] for run in history.runs] == [5, 4, 3, 2, 1]


def test_runs_are_noted_and_can_be_downloaded(quiet):
    view = quiet
    view.trainer.seed = 4
    view.trainer.seed = 5
    table = pd.read_csv(StringIO(view.history.as_csv().read()))
    found = view.trainer.portrait.evaluation
    assert table["seed"].tolist()[:2] == [5, 4]
    assert table["test"][0] == pytest.approx(found.test_accuracy, abs=1e-4)
    assert table["CV"][0] == pytest.approx(found.cv_accuracy, abs=1e-4)
    assert table["bandwidth"][0] == "σ = 0.5"
    assert table["kernel"][0] == KERNEL_CHOICES["sw"].title


def test_runs_that_come_together_are_drawn_once():
    history = History()
    drawn = []
    history.table.param.watch(lambda event: drawn.append(len(event.new)), "value")

    async def live():
        for cost in range(3):
            history.add(C=cost)
        await settled()
        history.add(C=3)
        await settled()

    asyncio.run(live())
    assert drawn == [3, 4]


def test_borders_of_classes_reach_across_a_larger_matrix():
    figure = GramFigure()
    for sizes in ((10, 10), (10, 30)):
        labels = np.repeat(["a", "b"], sizes)
        figure.show(np.eye(len(labels)), labels)
        assert figure.borders.data == {"at": [10], "end": [len(labels)]}
        assert figure.image.data["dw"] == [len(labels)]


def test_what_has_not_changed_is_not_sent_again(view):
    sent = [view.gram.image.data, view.confusion.cells.data]
    view._show()
    assert view.gram.image.data is sent[0]
    assert view.confusion.cells.data is sent[1]


# -- large sets ---------------------------------------------------------------------


def large_set():
    rng = np.random.default_rng(0)
    births = rng.random((70, 1000))
    diagrams = np.stack([births, births + rng.random(births.shape)], axis=2)
    labels = np.arange(70) % 3
    return DiagramSet({1: list(diagrams)}, labels=labels)


def test_a_large_set_is_compared_by_its_embedding_until_one_chooses():
    space = Workspace(tab="Slices")
    view = LearnView(workspace=space)
    trainer = view.trainer
    assert trainer.kernel == trainer.suggested == "sw"
    space.use(large_set(), "large", "upload")
    assert trainer.kernel == "embedding"
    assert "set is large" in controls_module._why(trainer.kernel, trainer.suggested)
    # It goes without saying, and so a link says nothing; a choice is said, and stays.
    assert "learn.kernel" not in space.settings
    trainer.kernel = "sw"
    assert space.settings["learn.kernel"] == "sw"
    assert controls_module._why(trainer.kernel, trainer.suggested) == ""
    space.use(large_set(), "another", "upload")
    assert trainer.kernel == "sw"
    space.use(SET, "small", "upload")
    assert (trainer.kernel, trainer.suggested) == ("sw", "sw")
    view.close()


def test_a_link_says_which_kernel_a_large_set_was_compared_by():
    large = large_set()
    space = Workspace(large, tab="Slices", settings={"learn.kernel": "sw"})
    view = LearnView(workspace=space)
    assert view.trainer.kernel == "sw"
    assert Trainer(Workspace(large, tab="Slices")).kernel == "embedding"
