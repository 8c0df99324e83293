"""Cards of the Learn view: curves, grid, test, protocol, mistakes, applying it."""

import asyncio
import time
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from swviz import DiagramSet, save
from swviz.app.runtime.jobs import RESULTS
from swviz.app.runtime.task import settled
from swviz.app.tabs.learn import apply as learn_apply
from swviz.app.tabs.learn import background as learn_background
from swviz.app.tabs.learn import protocol as learn_protocol
from swviz.app.tabs.learn.apply import ApplyCard
from swviz.app.tabs.learn.cards import (
    SIGMAS,
    BandwidthCard,
    DirectionsCard,
    GridCard,
    TwoSampleCard,
)
from swviz.app.tabs.learn.history import History
from swviz.app.tabs.learn.kernels import KERNEL_CHOICES, make_kernel
from swviz.app.tabs.learn.protocol import ProtocolCard
from swviz.app.tabs.learn.trainer import Trainer
from swviz.app.tabs.learn.view import LearnView
from swviz.app.workspace.state import Workspace
from swviz.learning import (
    NearestSlicedMean,
    PreparedKernel,
    Trials,
    evaluate_kernel,
    load_classifier,
    mean_runs,
    mmd_between_classes,
    tune_on_distances,
)
from swviz.studies import (
    CurvePoint,
    bandwidth_curve,
    directions_curve,
    distances_by_directions,
)
from tests.learning_data import LABELS, SET
from tests.plot_tools import sent

pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


@pytest.fixture(scope="module")
def shared():
    return LearnView(SET)


@pytest.fixture
def view(shared):
    # A hidden view computes nothing: once, when it is shown again, is enough.
    shared.workspace.tab = "Slices"
    shared.trainer.param.update(kernel="sw", dimensions=[1], C=10.0, seed=0)
    shared.workspace.param.update(
        sigma=0.5, n_directions=12, index_a=0, index_b=8, tab="Learn"
    )
    return shared


class Cards:
    """Some cards of the Learn view with its trainer: others compute nothing."""

    def __init__(self, dataset, *names):
        self.workspace = Workspace.of_set(dataset, tab="Learn", sigma=0.5)
        self.trainer = Trainer(self.workspace)
        self.history = History(self.workspace)
        makers = {
            "bandwidths": BandwidthCard,
            "grid": GridCard,
            "directions": DirectionsCard,
            "two_samples": TwoSampleCard,
            "protocol": partial(ProtocolCard, history=self.history),
            "apply": ApplyCard,
        }
        for name in names:
            setattr(self, name, makers[name](self.trainer))
        self.trainer.refresh()


@pytest.fixture
def told(monkeypatch):
    messages = []
    for module in ("protocol", "cards", "apply"):
        monkeypatch.setattr(
            f"swviz.app.tabs.learn.{module}.tell",
            lambda text, *rest: messages.append(text),
        )
    return messages


def split_of(view):
    return LABELS, view.trainer.train, view.trainer.test


# -- curves and grid ----------------------------------------------------------------


def test_the_curve_over_sigma_is_the_librarys():
    view = Cards(SET, "bandwidths")
    points = list(
        bandwidth_curve(
            view.trainer.ready, *split_of(view), SIGMAS, 10.0, random_state=0
        )
    )
    assert view.bandwidths.points == points
    picture = view.bandwidths.picture
    for name, label in (("train", "training"), ("cv", "tried"), ("test", "test")):
        drawn = sent(picture, label)
        assert drawn["value"].tolist() == SIGMAS.tolist()
        of_points = [100 * getattr(point, name) for point in points]
        assert drawn["accuracy"].tolist() == of_points
    assert sent(picture, "guessing")["accuracy"] == pytest.approx(100 / 3)
    assert sent(picture, "now")["value"].tolist() == [0.5, 0.5]
    view.workspace.sigma = 2.0
    moved = sent(picture, "now")
    assert moved["value"].tolist() == [2.0, 2.0]
    # What a slider moves is what the drawing function draws.
    view.bandwidths.show(points, True)
    for name, column in sent(picture, "now").items():
        assert column.tolist() == moved[name].tolist()


def tap_layer(picture, name, row):
    [drawn] = [one for one in picture.figure.renderers if one.name == name]
    drawn.data_source.selected.indices = [row]
    assert drawn.data_source.selected.indices == []


def test_a_tap_on_the_curve_uses_its_sigma():
    view = Cards(SET, "bandwidths")
    tap_layer(view.bandwidths.picture, "tried", 12)
    assert view.workspace.sigma == pytest.approx(SIGMAS[12])
    assert view.trainer.setting.scale == view.workspace.sigma


def test_the_grid_is_the_papers_on_this_split():
    view = Cards(SET, "grid")
    report = tune_on_distances(view.trainer.ready.distances, *split_of(view))
    cells = sent(view.grid.picture, "grid")["accuracy"]
    np.testing.assert_array_equal(cells.reshape(15, 7), report.grid.mean)
    star = sent(view.grid.picture, "best")
    assert (star["x"].item(), star["y"].item()) == report.grid.best
    scales = [setting["sigma"] for setting in report.grid.settings]
    for sigma, C, column in ((0.5, 10.0, 4), (0.05, 900.0, 6)):
        view.workspace.sigma, view.trainer.C = sigma, C
        nearest = int(np.argmin(np.abs(np.log(np.array(scales) / sigma))))
        frame = sent(view.grid.picture, "now")
        assert (frame["left"] + frame["right"]).item() == pytest.approx(2 * nearest)
        assert (frame["bottom"] + frame["top"]).item() == pytest.approx(2 * column)
        view.grid.show(report, True)
        for name, moved in sent(view.grid.picture, "now").items():
            assert moved.tolist() == frame[name].tolist()


def test_a_tap_on_the_grid_uses_its_cell():
    view = Cards(SET, "grid")
    cells = sent(view.grid.picture, "grid")
    tap_layer(view.grid.picture, "grid", 7 * 8 + 5)
    sigma = view.grid.scores.settings[8]["sigma"]
    assert view.workspace.sigma == pytest.approx(sigma, rel=1e-5)
    assert float(cells["setting"][7 * 8 + 5]) == pytest.approx(sigma, rel=5e-3)
    assert view.trainer.C == float(cells["C"][7 * 8 + 5]) == 100.0


def test_tuning_takes_the_best_of_the_grid(told):
    view = Cards(SET, "grid")
    view.grid.tune()
    report = tune_on_distances(view.trainer.ready.distances, *split_of(view))
    assert view.workspace.sigma == pytest.approx(report.parameters["sigma"], rel=1e-5)
    assert view.trainer.C == report.C
    assert view.trainer.portrait.evaluation.test_accuracy == report.accuracy
    assert told[-1].startswith("Tuned on the training part")


def test_without_a_machine_there_is_nothing_to_tune(told):
    nothing = DiagramSet({1: [[(0, 1)], [(0, 2)]]})
    view = Cards(nothing, "grid", "protocol", "two_samples")
    view.grid.tune()
    view.protocol.run()
    assert "two classes" in told[0]
    assert "no classes" in told[1]
    assert view.two_samples.verdict == ""


def test_pss_has_its_own_grid_and_name():
    view = Cards(SET, "grid", "bandwidths")
    view.trainer.kernel = "pss"
    assert len(view.grid.scores.settings) == 13
    for card in (view.grid, view.bandwidths):
        assert card.picture.figure.xaxis[0].axis_label == "t"


def test_the_curve_over_M_is_the_librarys():
    view = Cards(SET, "directions")
    kernel = make_kernel("sw", 1, "paper", [1])
    stacks = dict(distances_by_directions(kernel, SET))
    points = directions_curve(stacks, *split_of(view), 0.5, 10.0)
    drawn = sent(view.directions.picture, "tried")
    assert drawn["value"].tolist() == [1, 2, 3, 4, 6, 10, 20, 50]
    assert drawn["accuracy"].tolist() == [100 * point.cv for point in points]
    ticks = view.directions.picture.figure.xaxis[0].ticker.ticks
    assert list(ticks) == drawn["value"].tolist()
    assert sent(view.directions.picture, "now")["value"].tolist() == [12, 12]
    view.workspace.sigma = 0.05
    moved = directions_curve(stacks, *split_of(view), 0.05, 10.0)
    drawn = sent(view.directions.picture, "test")["accuracy"]
    assert drawn.tolist() == [100 * point.test for point in moved]


def test_all_equal_diagrams_have_no_grid_but_a_reason():
    same = DiagramSet({1: [[(0, 1)]] * 12}, labels=["a", "b"] * 6)
    view = Cards(same, "grid")
    assert "nothing to tell apart" in view.grid.message
    assert len(sent(view.grid.picture, "grid")["accuracy"]) == 0
    assert view.trainer.portrait.evaluation is not None


class SlowCurve(BandwidthCard):
    """Two points, then a long wait."""

    def __init__(self, trainer):
        self.at_work = []
        super().__init__(trainer)

    def work(self):
        cost = self.trainer.setting.C

        def compute(progress):
            two = [CurvePoint(0.1, 1, 1, 1, 0), CurvePoint(1.0, 1, 1, 1, 0)]
            progress.found(two)
            self.at_work.append(cost)
            try:
                for step in range(1000):
                    progress(step, 1000)
                    time.sleep(0.02)
            finally:
                self.at_work.remove(cost)

        return compute


class Silent:
    """A report that nobody hears."""

    def __call__(self, done, total):
        pass

    def found(self, part):
        pass


def new_trainer(seed):
    rng = np.random.default_rng(seed)
    several = [np.sort(rng.random((4, 2)), axis=1) for _ in range(12)]
    dataset = DiagramSet({1: several}, labels=np.repeat(["a", "b"], 6))
    return Trainer(Workspace(dataset, tab="Learn"))


def test_results_arrive_as_they_come_and_stay_when_cancelled():
    async def cancel():
        trainer = new_trainer(200)
        card = SlowCurve(trainer)
        trainer.refresh()
        while len(card.points) < 2:
            await asyncio.sleep(0.02)
        assert card.jobs.task.busy
        assert not card.button.visible
        card.jobs.task.cancel()
        await settled()
        return card

    card = asyncio.run(cancel())
    assert sent(card.picture, "tried")["value"].tolist() == [0.1, 1.0]
    assert card.button.visible


def test_a_new_setting_replaces_the_curve_under_way():
    async def change():
        trainer = new_trainer(201)
        card = SlowCurve(trainer)
        trainer.refresh()
        while not card.jobs.task.busy:
            await asyncio.sleep(0.02)
        trainer.C = 3.0
        while card.jobs.task.begun < 2 or card.at_work != [3.0]:
            await asyncio.sleep(0.02)
        assert card.jobs.task.busy
        assert not card.button.visible
        card.jobs.task.cancel()
        await settled()

    asyncio.run(change())


def test_a_worker_that_begins_late_does_what_it_was_made_for():
    view = Cards(SET, "bandwidths", "grid", "directions", "two_samples")
    cards = view.bandwidths, view.grid, view.directions, view.two_samples
    expected = [card.work()(progress=Silent()) for card in cards]
    late = [card.work() for card in cards]
    view.trainer.param.update(seed=3, kernel="pss")
    view.workspace.use(DiagramSet({1: [[(0, 1)]]}), "one", "upload")
    curve, report, by_directions, test = (work(progress=Silent()) for work in late)
    assert (curve, by_directions) == (expected[0], expected[2])
    np.testing.assert_array_equal(report.grid.mean, expected[1].grid.mean)
    assert (test.statistic, test.p_value) == (
        expected[3].statistic, expected[3].p_value,
    )  # fmt: skip


def test_large_sets_wait_for_the_button(monkeypatch):
    monkeypatch.setattr(learn_background, "FEW_SAMPLES", 5)
    trainer = new_trainer(202)
    card = BandwidthCard(trainer)
    trainer.refresh()
    assert card.button.visible
    assert len(sent(card.picture, "tried")["value"]) == 0
    card.run()
    assert len(sent(card.picture, "tried")["value"]) == len(SIGMAS)
    assert not card.button.visible


def test_tuning_waits_for_the_grid_under_way(monkeypatch, told):
    tunings = []
    tune = PreparedKernel.tune

    def slowly(self, *split, progress, **options):
        tunings.append(split)
        for step in range(10):
            progress(step, 10)
            time.sleep(0.02)
        return tune(self, *split, progress=progress, **options)

    monkeypatch.setattr(PreparedKernel, "tune", slowly)

    async def tune_meanwhile():
        trainer = new_trainer(204)
        card = GridCard(trainer)
        trainer.refresh()
        while not tunings:
            await asyncio.sleep(0.02)
        card.tune()
        await settled()
        return trainer, card

    trainer, card = asyncio.run(tune_meanwhile())
    assert len(tunings) == 1
    assert told[-1].startswith("Tuned on the training part")
    best, _ = card.scores.best
    sigma = card.scores.settings[best]["sigma"]
    assert trainer.workspace.sigma == pytest.approx(sigma, rel=1e-5)


def test_tuning_computes_a_grid_that_was_not_there(monkeypatch, told):
    monkeypatch.setattr(GridCard, "is_cheap", lambda self: False)
    trainer = new_trainer(203)
    card = GridCard(trainer)
    trainer.refresh()
    assert len(card.scores.settings) == 0
    card.tune()
    assert len(card.scores.settings) == 15
    best, _ = card.scores.best
    sigma = card.scores.settings[best]["sigma"]
    assert trainer.workspace.sigma == pytest.approx(sigma, rel=1e-5)


# -- the two-sample test ------------------------------------------------------------


def test_the_two_sample_test_is_the_librarys():
    view = Cards(SET, "two_samples")
    card = view.two_samples
    card.selects[0].value, card.selects[1].value = 0, 2
    gram = np.exp(view.trainer.portrait.gram)
    found = mmd_between_classes(gram, LABELS, "a", "c", 999, 0)
    assert f"p = {found.p_value:.3f}" in card.verdict
    real = sent(card.picture, "these two")["statistic"]
    assert real.tolist() == [found.statistic] * 2
    assert sent(card.picture, "by chance")["count"].sum() == 999
    view.workspace.sigma = 100.0
    assert sent(card.picture, "these two")["statistic"][0] < 1e-3


def test_a_class_against_itself_is_told():
    view = Cards(SET, "two_samples")
    card = view.two_samples
    card.selects[0].value = card.selects[1].value = 1
    assert "two different classes" in card.message
    assert len(sent(card.picture, "by chance")["count"]) == 0
    card.selects[0].value = 0
    assert card.message == ""
    assert "MMD²" in card.verdict


# -- the protocol -------------------------------------------------------------------


def test_the_table_has_the_protocols_numbers(told):
    view = Cards(SET, "protocol")
    card = view.protocol
    card.param.update(kernels=["sw", "pss"], n_runs=2)
    before = len(view.history.runs)
    card.run()
    table = card.frame()
    assert table["kernel"].tolist() == [
        KERNEL_CHOICES["sw"].title,
        KERNEL_CHOICES["pss"].title,
    ]
    for row, name in enumerate(("sw", "pss")):
        kernel = make_kernel(name, 12, "paper", [1])
        report = evaluate_kernel(kernel, SET, n_runs=2)
        assert table["test"][row] == (
            f"{100 * report.accuracy:.1f} % ± {100 * report.spread:.1f}"
        )
    assert table["runs"].tolist() == ["2 of 2", "2 of 2"]
    assert table["matrices"].tolist() == ["1", "13"]
    assert all(cell.endswith("s") for cell in table["tuning"])
    assert len(view.history.runs) == before + 2
    assert view.history.runs[0]["how"] == "protocol, 2 runs"
    settings = "Found with H1 · M = 12 (paper) · 70 % for training, seed 0"
    assert card.settings == settings
    # The table stays, and says of what it is.
    view.workspace.n_directions = 5
    view.trainer.param.update(seed=7, train_share=0.5)
    assert card.settings == settings
    view.trainer.param.update(seed=0, train_share=0.7)


def test_the_nearest_mean_is_compared_on_the_same_splits(told):
    view = Cards(SET, "protocol")
    card = view.protocol
    card.param.update(kernels=["mean", "sw"], n_runs=3)
    card.run()
    table = card.frame().set_index("kernel")
    machine = NearestSlicedMean(12, rule="paper", random_state=0)
    H1 = DiagramSet({1: SET.in_dimension(1)}, LABELS)
    runs = tuple(mean_runs(machine, H1, n_runs=3))
    report = Trials("mean", runs)
    row = table.loc["nearest sliced mean"]
    assert row["test"] == f"{100 * report.accuracy:.1f} % ± {100 * report.spread:.1f}"
    assert (row["runs"], row["matrices"], row["tuning"]) == ("3 of 3", "none", "none")
    assert row["their time"].endswith("s")
    for ours, theirs in zip(card.found["mean"], card.found["sw"], strict=True):
        np.testing.assert_array_equal(ours.test, theirs.test)
    noted = next(
        run for run in view.history.runs if run["kernel"] == "nearest sliced mean"
    )
    assert (noted["C"], noted["bandwidth"]) == ("none", "none")


def test_a_kernel_that_cannot_be_tuned_does_not_spoil_the_others():
    empty = DiagramSet({1: [[]] * 6 + [[(0, 1)]] * 6}, labels=["a"] * 6 + ["b"] * 6)
    view = Cards(empty, "protocol")
    view.protocol.param.update(kernels=["pwg", "sw"], n_runs=1)
    view.protocol.run()
    table = view.protocol.frame().set_index("kernel")["test"]
    assert table[KERNEL_CHOICES["pwg"].title].startswith("not possible: no scale")
    assert table[KERNEL_CHOICES["sw"].title].startswith("100.0 %")


def test_runs_before_a_cancel_stay(told, monkeypatch):
    view = Cards(SET, "protocol")
    real = learn_protocol.kernel_runs

    def slow_runs(kernel, dataset, *, progress, **options):
        runs = real(kernel, dataset, progress=progress, **options)
        yield next(runs)
        for step in range(1000):
            progress(step, 1000)
            time.sleep(0.02)

    monkeypatch.setattr(learn_protocol, "kernel_runs", slow_runs)
    card = view.protocol
    card.param.update(kernels=["sw"], n_runs=3)

    async def cancel():
        card.run()
        while card.frame()["runs"].tolist() != ["1 of 3"]:
            await asyncio.sleep(0.02)
        card.jobs.task.cancel()
        await settled()

    asyncio.run(cancel())
    assert card.table.value["runs"].tolist() == ["1 of 3"]
    assert "%" in card.table.value["test"][0]
    assert told == ["Stopped; the runs so far stay."]


def test_nothing_chosen_is_told(told):
    view = Cards(SET, "protocol")
    view.protocol.kernels = []
    view.protocol.run()
    assert told == ["Choose at least one kernel to compare."]


def test_another_data_set_clears_the_table():
    view = Cards(SET, "protocol")
    view.protocol.param.update(kernels=["sw"], n_runs=1)
    view.protocol.run()
    assert len(view.protocol.table.value) == 1
    view.workspace.use(SET[:20], "fewer", "upload")
    assert len(view.protocol.table.value) == 0
    assert view.protocol.settings == ""


def test_another_data_set_does_not_promise_that_runs_stay(told, monkeypatch):
    def slow_runs(kernel, dataset, *, progress, **options):
        for step in range(1000):
            progress(step, 1000)
            time.sleep(0.02)
        yield

    monkeypatch.setattr(learn_protocol, "kernel_runs", slow_runs)
    view = Cards(SET, "protocol")

    async def change():
        view.protocol.run()
        while not len(view.protocol.frame()):
            await asyncio.sleep(0.02)
        view.workspace.use(SET[:20], "fewer", "upload")
        await settled()

    asyncio.run(change())
    assert view.protocol.table.value.empty
    assert told == []


# -- mistakes -----------------------------------------------------------------------


def tap(view, row, column):
    view.confusion.cells.selected.indices = [3 * row + column]


def test_a_cell_lists_its_diagrams_and_sets_the_pair(view):
    view.workspace.sigma = 30.0
    labels, train, test = split_of(view)
    found = view.trainer.portrait.evaluation
    said = {k: found.predictions[place] for place, k in enumerate(test)}
    row, column = np.argwhere(found.confusion * (1 - np.eye(3, dtype=int)))[0]
    tap(view, row, column)
    behind = [k for k in test if labels[k] == "abc"[row] and said[k] == "abc"[column]]
    assert behind
    table = view.mistakes.table.value
    assert table["sample"].tolist() == behind
    apart = view.trainer.ready.distances.sum(axis=0)
    for place, sample in enumerate(behind):
        nearest = min(train, key=lambda k: apart[sample, k])
        assert (
            table["nearest in training"][place] == f"{nearest} · {SET.names[nearest]}"
        )
        assert table["its class"][place] == labels[nearest]
    space = view.workspace
    assert space.index_a == behind[0]
    assert space.index_b == min(train, key=lambda k: apart[behind[0], k])
    assert view.mistakes._card.visible
    assert f"{len(behind)} test diagram" in view.mistakes.heading
    assert view.confusion.chosen.data == {"x": [column], "y": [row]}


def test_a_row_takes_another_pair_and_a_button_opens_it(view):
    found = view.trainer.portrait.evaluation
    row = int(found.confusion.diagonal().argmax())
    tap(view, row, row)
    assert ": right." in view.mistakes.heading
    view.mistakes._row_clicked(1)
    assert view.workspace.index_a == view.mistakes.behind()[1]
    view.mistakes._open()
    assert view.workspace.tab == "Slices"


def test_the_list_follows_the_machine_and_an_empty_cell_is_empty(view):
    tap(view, 0, 0)
    view.workspace.sigma = 1000.0
    assert (
        view.mistakes.table.value["sample"].tolist() == view.mistakes.behind().tolist()
    )
    empty = np.argwhere(view.trainer.portrait.evaluation.confusion == 0)[0]
    before = view.workspace.index_a
    tap(view, *empty)
    assert len(view.mistakes.table.value) == 0
    assert view.workspace.index_a == before


def test_fewer_classes_close_the_list():
    view = LearnView(SET)
    tap(view, 2, 2)
    view.workspace.use(SET[:16], "two classes", "upload")
    assert not view.mistakes._card.visible
    assert view.mistakes.heading == ""


# -- applying it --------------------------------------------------------------------


def as_csv(diagram):
    return "\n".join(f"{b},{d}" for b, d in diagram).encode()


def ask(card, files):
    asyncio.run(card.ask(files))
    return card.frame()


def test_uploaded_diagrams_get_a_class_and_neighbours():
    view = Cards(SET, "apply")
    trainer = view.trainer
    several = [SET.in_dimension(1)[k] for k in trainer.test[:3]]
    files = {f"mine{k}.csv": as_csv(d) for k, d in enumerate(several)}
    table = ask(view.apply, files)
    predicted = trainer.portrait.predictions[trainer.test[:3]]
    assert table["class"].tolist() == predicted.tolist()
    apart = trainer.ready.distances.sum(axis=0)[trainer.test[0], trainer.train]
    nearest = trainer.train[np.argmin(apart)]
    assert table["resembles (1)"][0] == (
        f"{SET.names[nearest]} ({LABELS[nearest]}), at {apart.min():.3g}"
    )
    assert view.apply.table.visible


def test_another_homology_dimension_than_the_machines_is_told():
    view = Cards(SET, "apply")
    diagram = SET.in_dimension(1)[0]
    assert view.trainer.setting.dimensions == (1,)
    ask(view.apply, {"mine.csv": as_csv(diagram)})
    assert view.apply.complaints == (
        "No homology dimension in mine.csv: taken as H1, since the machine was trained "
        "on H1."
    )
    stated = {k: f"birth,death,dimension\n0,1,{k}\n0,2,{k}\n".encode() for k in (0, 1)}
    table = ask(view.apply, {"H0.csv": stated[0], "H1.csv": stated[1]})
    assert view.apply.complaints == (
        "Another homology dimension in H0.csv: the machine was trained on H1, so do "
        "not rely on the answer."
    )
    # Both are the same points, and not one of them nothing.
    assert table["resembles (1)"].nunique() == 1
    ask(view.apply, {"H1.csv": stated[1]})
    assert view.apply.complaints == ""
    both = b"birth,death,dimension\n0,1,0\n0,2,2\n"
    ask(view.apply, {"both.csv": both})
    assert view.apply.complaints == (
        "Not classified, for lack of a homology dimension: both.csv; the machine was "
        "trained on H1."
    )


def test_a_saved_classifier_answers_as_the_one_on_show(tmp_path):
    view = Cards(SET, "apply")
    content = view.apply.as_npz().read()
    machine = load_classifier(content, "classifier.npz")
    trainer = view.trainer
    np.testing.assert_array_equal(machine.predict(SET), trainer.portrait.predictions)
    asyncio.run(view.apply.load_model(content, "mine.npz"))
    assert view.apply.in_use.startswith("mine.npz answers: SlicedWassersteinKernel")
    view.workspace.sigma = 1000.0
    files = {"mine.csv": as_csv(SET.in_dimension(1)[20])}
    table = ask(view.apply, files)
    assert table["class"].tolist() == [machine.predict(SET[[20]])[0]]
    view.apply._forget()
    assert view.apply.in_use.startswith("The machine above")


@pytest.mark.parametrize("kernel", KERNEL_CHOICES)
def test_every_kernel_can_be_saved(kernel):
    view = Cards(SET, "apply")
    view.trainer.kernel = kernel
    machine = load_classifier(view.apply.as_npz().read(), "classifier.npz")
    np.testing.assert_array_equal(
        machine.predict(SET), view.trainer.portrait.predictions
    )


def test_files_that_are_no_use_are_told(tmp_path, monkeypatch):
    view = Cards(SET, "apply")
    asyncio.run(view.apply.load_model(b"nonsense", "model.npz"))
    assert view.apply.complaints.startswith("model.npz")
    save(SET, tmp_path / "set.npz")
    content = (tmp_path / "set.npz").read_bytes()
    asyncio.run(view.apply.load_model(content, "set.npz"))
    assert "no classifier" in view.apply.complaints
    table = ask(view.apply, {"bad.csv": b"0,1\nx,2\n", "good.csv": b"0,1\n"})
    assert table["diagram"].tolist() == ["good"]
    assert "bad.csv, line 2" in view.apply.complaints
    few = replace(learn_apply.SETTINGS, classified_diagrams=1)
    monkeypatch.setattr(learn_apply, "SETTINGS", few)
    ask(view.apply, {"one.csv": b"0,1\n", "two.csv": b"0,1\n"})
    assert "2 are more than the 1 that this server allows" in view.apply.complaints


def test_files_that_the_browser_sends_are_used_or_told_of():
    view = Cards(SET, "apply")
    card = view.apply
    asyncio.run(card.files._taken({"good.csv": b"0,1\n", "none.csv": b""}, ["a: b"]))
    assert card.frame()["diagram"].tolist() == ["good"]
    assert "a: b" in card.complaints
    assert "none.csv: the file is empty" in card.complaints
    take = card.model_file._taken
    asyncio.run(take({"none.npz": b""}, []))
    assert card.complaints.startswith("none.npz")
    asyncio.run(take({"one.npz": b"", "two.npz": b""}, []))
    assert "one file" in card.complaints
    asyncio.run(take({}, ["large.npz: has 21 MB"]))
    assert card.complaints == "large.npz: has 21 MB"
    asyncio.run(take({"mine.npz": card.as_npz().read()}, []))
    assert card.in_use.startswith("mine.npz answers")
    assert card.complaints == ""


def test_a_classified_diagram_opens_in_slices_beside_its_nearest():
    view = Cards(SET, "apply")
    mine = SET.in_dimension(1)[3] + 0.01
    ask(view.apply, {"mine.csv": as_csv(mine)})
    machine, answers = view.apply.answered
    view.apply.show_pair(0)
    assert view.workspace.tab == "Slices"
    np.testing.assert_allclose(view.workspace.diagram_a, mine)
    nearest = machine.samples_.in_dimension(1)[answers.neighbors[0][0]]
    np.testing.assert_array_equal(view.workspace.diagram_b, nearest)


@pytest.mark.parametrize("other", ["sigma", "C", "seed", "load", "forget", "data"])
def test_answers_go_with_the_machine_that_gave_them(other):
    view = Cards(SET, "apply")
    card, files = view.apply, {"mine.csv": as_csv(SET.in_dimension(1)[3])}
    content = card.as_npz().read()
    if other == "forget":
        asyncio.run(card.load_model(content, "mine.npz"))
    assert len(ask(card, files)) == 1
    assert len(card.table.value) == 1
    assert not card.open_slices.disabled
    # Nothing that the machine depends on.
    view.workspace.index_a = 5
    assert len(card.table.value) == 1
    if other == "load":
        asyncio.run(card.load_model(content, "mine.npz"))
    elif other == "forget":
        card._forget()
    elif other == "data":
        view.workspace.use(SET[:20], "fewer", "upload")
    else:
        owner = view.workspace if other == "sigma" else view.trainer
        setattr(owner, other, 2 * getattr(owner, other) + 1)
    assert card.table.value.empty
    assert card.complaints == ""
    assert card.open_slices.disabled
    card.show_pair(0)
    assert view.workspace.tab == "Learn"


def test_an_answer_of_a_machine_that_has_gone_is_dropped(monkeypatch):
    view = Cards(SET, "apply")
    answer = learn_apply._answer

    def slowly(*parts, progress):
        time.sleep(0.3)
        return answer(*parts, progress=progress)

    monkeypatch.setattr(learn_apply, "_answer", slowly)

    async def move():
        asking = asyncio.create_task(view.apply.ask({"mine.csv": b"0,1\n"}))
        await asyncio.sleep(0.1)
        view.trainer.C = 1.0
        await settled()
        await asking

    asyncio.run(move())
    assert view.apply.table.value.empty


def test_without_a_machine_nothing_is_classified():
    view = Cards(DiagramSet({1: [[(0, 1)], [(0, 2)]]}), "apply")
    ask(view.apply, {"mine.csv": b"0,1\n"})
    assert "no trained machine" in view.apply.complaints
    assert view.apply.save_button.disabled


def test_results_are_kept_for_other_sessions(view):
    count = len(RESULTS)
    again = LearnView(SET)
    assert len(RESULTS) == count > 0
    assert again.trainer.ready is view.trainer.ready
