import asyncio
import re
import time

import numpy as np
import pytest
from bokeh.models import GlyphRenderer

from swviz import directions, save, slice_costs, sliced_wasserstein, sources
from swviz.app.runtime import jobs
from swviz.app.runtime.jobs import ResultCache
from swviz.app.runtime.task import settled
from swviz.app.tabs.approximation import of_pair, of_set
from swviz.app.tabs.approximation.of_set import NOTES
from swviz.app.tabs.approximation.view import ApproximationView
from swviz.app.tabs.approximation.words import (
    STOPPED,
    answer_sentence,
    diagrams_note,
    pairs_note,
    rule_value,
)
from swviz.app.workspace.state import Workspace
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
from swviz.plot.theme import ACCENT
from swviz.studies import Answer, kink_study, pair_study, ratio_studies, ratio_study
from swviz.typing import RULES
from tests.strategies import FAMILIES, pairs_of

A, B = pairs_of("uniform", 9, 7, seed=0)


def column(source, name):
    return np.asarray(source.data[name])


@pytest.fixture(autouse=True)
def own_cache(monkeypatch):
    monkeypatch.setattr(jobs, "RESULTS", ResultCache())


def small_set(labels=True, n=8):
    rng = np.random.default_rng(0)
    diagrams = [FAMILIES["uniform"](rng, 4 + k % 3) for k in range(n)]
    diagrams = [d + 3 * (k % 2) for k, d in enumerate(diagrams)]
    return DiagramSet(
        {1: diagrams},
        labels=np.array(["a", "b"] * (n // 2)) if labels else None,
        names=tuple(f"sample {k}" for k in range(n)),
    )


@pytest.fixture(scope="module")
def finished():
    """A view that has computed everything; tests leave it as it is."""
    view = ApproximationView(small_set())
    asyncio.run(view.ready())
    return view


@pytest.fixture
def view():
    return ApproximationView(small_set())


# -- the pair ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_curves_show_what_the_library_computes(finished, rule):
    study = pair_study(*finished.workspace.pair)
    shown = finished.pair.figures.curves[rule]
    np.testing.assert_array_equal(column(shown, "M"), study.counts)
    middle = np.median(study.values[rule], axis=0)
    np.testing.assert_allclose(column(shown, "value"), middle)
    errors = 100 * np.median(study.errors(rule), axis=0)
    drawn = np.isfinite(column(shown, "error"))
    assert drawn.sum() > 25
    np.testing.assert_allclose(column(shown, "error")[drawn], errors[drawn])
    assert (errors[~drawn] < 1e-4).all()
    assert finished.pair.figures.exact.location == study.exact


def test_random_directions_show_their_spread(finished):
    shown = finished.pair.figures.curves["random"]
    values = pair_study(*finished.workspace.pair).values["random"]
    np.testing.assert_allclose(column(shown, "low"), np.quantile(values, 0.1, axis=0))
    np.testing.assert_allclose(column(shown, "high"), np.quantile(values, 0.9, axis=0))
    assert (column(shown, "high") > column(shown, "low")).all()


def test_slopes_are_straight_lines_of_minus_two_and_minus_a_half(finished):
    slopes = finished.pair.figures.slopes
    M = np.log(column(slopes, "M"))
    for name, slope in (("square", -2), ("root", -0.5)):
        drawn = column(slopes, name)
        known = np.isfinite(drawn)
        found = np.diff(np.log(drawn[known])) / np.diff(M[known])
        np.testing.assert_allclose(found, slope)


def test_combs_are_the_papers_directions(finished):
    study = kink_study(*finished.workspace.pair)
    figures = finished.pair.figures
    for k, count in enumerate((6, 8)):
        thetas = directions(count)
        np.testing.assert_allclose(column(figures.bars[k], "theta"), thetas)
        costs = slice_costs(*finished.workspace.pair, thetas)
        np.testing.assert_allclose(column(figures.bars[k], "w"), costs)
        width = column(figures.bars[k], "right") - column(figures.bars[k], "left")
        np.testing.assert_allclose(width, np.pi / count)
        assert f"{100 * study.paper_errors[k]:+.1f} %" in (
            figures.comb_figures[k].title.text
        )
    assert len(column(figures.missed[0], "theta")) == 0
    np.testing.assert_allclose(column(figures.missed[1], "theta"), [np.pi / 4])
    np.testing.assert_allclose(
        column(figures.turned[1], "error"), 100 * study.errors[1]
    )


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("count", [37, 40])
def test_the_ring_follows_m_and_rule(view, rule, count):
    asyncio.run(view.pair.measuring.ready())
    view.workspace.param.update(n_directions=count, rule=rule)
    expected = sliced_wasserstein(
        *view.workspace.pair, count, rule=rule, random_state=0
    )
    now = view.pair.figures.now
    assert column(now, "M").tolist() == [count]
    assert column(now, "value")[0] == pytest.approx(expected)
    assert f"{expected:.4g}" in view.pair.note


def test_equal_diagrams_are_told_of():
    view = ApproximationView(workspace=Workspace.of_pair(A, A))
    asyncio.run(view.ready())
    assert "equal" in view.pair.note
    assert "equal" in view.set.answer


def test_a_pair_of_empty_diagrams_is_no_trouble():
    view = ApproximationView(workspace=Workspace.of_pair([], []))
    asyncio.run(view.ready())
    assert "equal" in view.pair.note


def test_a_drawn_pair_has_one_ratio():
    view = ApproximationView(workspace=Workspace.of_pair(A, B))
    asyncio.run(view.ready())
    assert "the only pair" in view.set.note
    assert "no classes" in view.set.accuracy_note


# -- the set -------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_boxes_show_what_the_library_computes(view, rule):
    view.workspace.rule = rule
    asyncio.run(view.set.measuring.ready())
    study = ratio_study(view.set.diagrams)
    boxes = study.boxes(rule)
    shown = view.set.figures.boxes
    assert column(shown, "M").tolist() == [str(m) for m in study.counts]
    for name in ("lower", "quarter", "median", "three_quarters", "upper"):
        np.testing.assert_allclose(column(shown, name), getattr(boxes, name))
    colors = dict(zip(shown.data["M"], shown.data["line"], strict=True))
    assert colors["12"] == ACCENT
    assert colors["8"] != ACCENT
    np.testing.assert_allclose(
        column(view.set.figures.outliers, "ratio"), boxes.outlier_ratios
    )
    worst = column(view.set.figures.worst[rule], "error")
    np.testing.assert_allclose(worst, 100 * study.worst_errors(rule))


def test_the_answer_follows_tolerance_and_rule(view):
    asyncio.run(view.set.measuring.ready())
    study = view.set.ratios
    for rule in ("paper", "diagonal"):
        for tolerance in (0.5, 5.0):
            view.set.tolerance = tolerance
            view.workspace.rule = rule
            found = study.answer(rule, tolerance / 100)
            assert f"M = {found.n_directions} keeps every pair" in view.set.answer
            assert f"within {tolerance:g} %" in view.set.answer
            assert view.set.needed[rule] == f"M = {found.n_directions}"
            assert view.set.figures.tolerance.location == tolerance
    assert "all 28 pairs" in view.set.note


def test_times_tiers_and_accuracies_are_shown(finished):
    figures = finished.set.figures
    np.testing.assert_allclose(
        column(figures.times, "milliseconds"), 1e3 * finished.set.times.seconds
    )
    assert "all 8 diagrams; measured now" in finished.set.time_note
    exact, slices, embedding = finished.set.tiers
    np.testing.assert_allclose(
        column(figures.tiers["slices"], "micro"), 1e6 * slices.seconds
    )
    np.testing.assert_allclose(
        column(figures.tiers["embedding"], "bound"), 100 * embedding.bounds
    )
    # No error cannot be drawn on a logarithmic axis: the mark lies at its lower end.
    assert exact.mean_errors[0] == 0
    assert column(figures.tiers["exact"], "error")[0] > figures.tier_range.start
    assert column(figures.tiers["exact"], "worst")[0] == 0
    mean = 100 * finished.set.accuracies.mean
    np.testing.assert_allclose(column(figures.accuracies, "mean"), mean)
    assert column(figures.accuracies, "M").tolist()[-1] == "exact"
    assert figures.chance.location == 50


def test_every_glyph_has_a_name_for_the_downloads(finished):
    figures = [finished.pair.figures, finished.set.figures]
    plots = [
        plot
        for owner in figures
        for name, plot in vars(owner).items()
        if name.endswith("_figure")
    ]
    assert len(plots) == 8
    for plot in plots:
        for renderer in plot.select(GlyphRenderer):
            if len(renderer.data_source.data.get("x", [])) != 1:  # of the legend only
                assert renderer.name


def test_a_set_without_classes_says_so():
    view = ApproximationView(small_set(labels=False))
    asyncio.run(view.set.measuring.ready())
    assert view.set.accuracy_note == "This data set has no classes."
    assert view.set.ratios is not None
    assert view.set.tiers


def test_labels_that_cannot_be_learnt_are_told_not_thrown():
    equal = DiagramSet({1: [A] * 8}, labels=np.array(["a", "b"] * 4))
    view = ApproximationView(equal)
    asyncio.run(view.set.measuring.ready())
    assert "Not measurable" in view.set.accuracy_note
    assert "equal" in view.set.answer


@pytest.mark.parametrize("diagrams", [[A], []])
def test_a_set_without_pairs_is_told_of(diagrams):
    view = ApproximationView(DiagramSet({1: diagrams}))
    asyncio.run(view.ready())
    assert "no pairs" in view.set.answer


def test_another_dimension_or_set_is_measured_anew(view):
    asyncio.run(view.set.measuring.ready())
    before = view.set.ratios
    view.workspace.use(small_set(n=6), "other", "upload")
    assert view.set.n_pairs == 15
    assert len(column(view.set.figures.boxes, "M")) == 0
    asyncio.run(view.set.measuring.ready())
    assert view.set.ratios is not before
    assert view.set.ratios.n_diagrams == 6


def test_samples_are_stated_and_adjustable(view):
    view.set.param.update(n_pairs=10, n_diagrams=4, seed=3)
    asyncio.run(view.set.measuring.ready())
    assert "10 of 28 pairs, seed 3" in view.set.note
    assert "4 of 8 diagrams, seed 3" in view.set.time_note
    expected = ratio_study(view.set.diagrams, n_pairs=10, random_state=3)
    np.testing.assert_array_equal(view.set.ratios.pairs, expected.pairs)


def test_outliers_that_are_clicked_become_the_pair(view):
    asyncio.run(view.set.measuring.ready())
    outliers = view.set.figures.outliers
    assert len(outliers.data["first"])
    outliers.selected.indices = [0]
    space = view.workspace
    assert space.index_a == outliers.data["first"][0]
    assert space.index_b == outliers.data["second"][0]
    assert outliers.data["a"][0] == space.dataset.names[space.index_a]
    view.set._choose([10_000])  # a message that this view did not write


def slowly(monkeypatch, first):
    """Hold the ratios after the first batches until the job is cancelled."""
    monkeypatch.setattr("swviz.studies.directions._BATCH", 4)
    studies = ratio_studies

    def held(*args, **options):
        for count, study in enumerate(studies(*args, **options)):
            yield study
            if count + 1 == first:
                asyncio.run(asyncio.sleep(0.5))

    monkeypatch.setattr(of_set, "ratio_studies", held)


def test_pairs_arrive_while_others_are_measured(view, monkeypatch):
    slowly(monkeypatch, first=2)
    seen = []
    view.set.param.watch(lambda event: seen.append(event.new), "note")
    asyncio.run(view.set.measuring.ready())
    assert any("8 of 28 pairs so far" in note for note in seen)
    assert "all 28 pairs" in view.set.note


def test_cancel_keeps_what_is_done(view, monkeypatch):
    slowly(monkeypatch, first=2)

    async def cancel_soon():
        running = asyncio.create_task(view.set.measuring.ready())
        while view.set.ratios is None:
            await asyncio.sleep(0.02)
        view.set.measuring.cancel()
        await running

    asyncio.run(cancel_soon())
    assert not view.set.measuring.busy
    assert len(view.set.ratios.pairs) == 8
    assert len(column(view.set.figures.boxes, "M"))
    assert "8 of 28 pairs, seed 0 (stopped; 28 were asked for)" in view.set.note
    assert view.set.times is None
    assert "Measure again" in view.set.time_note
    assert "Measure again" in view.set.accuracy_note


def test_a_newer_turn_ends_the_older_one(view, monkeypatch):
    slowly(monkeypatch, first=2)

    async def overtake():
        older = asyncio.create_task(view.set.measuring.ready())
        await asyncio.sleep(0.15)
        view.set.n_pairs = 5
        await asyncio.gather(older, view.set.measuring.ready())

    asyncio.run(overtake())
    assert len(view.set.ratios.pairs) == 5
    assert "5 of 28 pairs, seed 0" in view.set.note


def test_an_overtaken_turn_starts_no_further_job(view, monkeypatch):
    slowly(monkeypatch, first=2)
    begun, seeds = [], []
    measuring = view.set.measuring
    measuring.param.watch(lambda _event: begun.append(measuring.title), "begun")
    measuring.param.watch(lambda _event: seeds.append(view.set.seed), "begun")

    async def overtake():
        older = asyncio.create_task(measuring.ready())
        while view.set.ratios is None:
            await asyncio.sleep(0.02)
        view.set.seed = 1
        await asyncio.gather(older, measuring.ready())

    asyncio.run(overtake())
    ratios, *others = begun[1:]
    assert begun[0] == ratios
    assert seeds == [0, 1, 1, 1, 1]
    assert len({ratios, *others}) == 4


def test_a_closed_view_starts_no_further_job(view, monkeypatch):
    slowly(monkeypatch, first=2)

    async def close_soon():
        running = asyncio.create_task(view.set.measuring.ready())
        while view.set.ratios is None:
            await asyncio.sleep(0.02)
        before = {note: getattr(view.set, note) for note in NOTES.values()}
        view.close()
        await running
        return before

    before = asyncio.run(close_soon())
    assert view.set.measuring.begun == 1
    assert not view.set.measuring.busy
    assert len(view.set.ratios.pairs) == 8
    assert view.set.times is None
    assert before == {note: getattr(view.set, note) for note in NOTES.values()}


def test_measuring_again_takes_the_times_anew(view):
    asyncio.run(view.set.measuring.ready())
    first = view.set.times
    view.set.measuring.request()
    asyncio.run(view.set.measuring.ready())
    assert view.set.times is first
    view.again()
    asyncio.run(view.set.measuring.ready())
    assert view.set.times is not first


def test_a_hidden_tab_computes_nothing_until_it_is_opened():
    space = Workspace(small_set())

    def jobs_of(view):
        return view.pair.measuring.begun, view.set.measuring.begun

    async def inside_a_loop():
        view = ApproximationView(workspace=space, only_when_open=True)
        await view.ready()
        space.edit(A, B)
        view.set.seed = 1
        view.again()
        await view.ready()
        await asyncio.sleep(0.05)
        assert jobs_of(view) == (0, 0)
        assert view.pair.study is None
        assert view.set.ratios is None
        space.tab = "Approximation"
        await settled()
        # Once: the pair at a time, and ratios, times, tiers and accuracies of the set.
        assert jobs_of(view) == (1, 4)
        assert view.pair.study.exact == pytest.approx(pair_study(A, B).exact)
        assert view.set.accuracies is not None
        space.n_directions = 20
        space.tab = "Slices"
        space.tab = "Approximation"
        await settled()
        assert jobs_of(view) == (1, 4)
        space.edit(B, A[:-1])
        await settled()
        assert jobs_of(view) == (2, 4)

    asyncio.run(inside_a_loop())


def test_nothing_is_shown_once_the_session_has_gone(view):
    class Gone:
        session_context = None

    view.pair.measuring._document = view.set.measuring._document = Gone()
    asyncio.run(view.ready())
    assert view.pair.study is None
    assert view.pair.note == "…"
    assert view.set.ratios is None


def test_a_closed_view_follows_nothing(view):
    asyncio.run(view.pair.measuring.ready())
    view.close()
    view.workspace.n_directions = 99
    assert column(view.pair.figures.now, "M").tolist() == [12]


def test_knobs_are_bounded(view):
    for name, value in (
        ("tolerance", 0), ("n_pairs", 10**6), ("n_diagrams", 1), ("seed", -1),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=name):
            view.set.param.update(**{name: value})


def test_it_has_a_layout_and_controls(finished):
    assert len(finished.__panel__()) > 4
    assert len(finished.controls) == 5


def test_the_default_data_set_needs_no_arguments():
    view = ApproximationView()
    assert view.set.n_pairs == 276
    assert len(view.set.diagrams) == len(sources.from_preset("point_clouds", "small"))


# -- one owner for every number --------------------------------------------------------


def two_dimensions(n=8):
    """The same number of diagrams in H0, far apart in size from those in H1."""
    rng = np.random.default_rng(1)
    return DiagramSet(
        {
            0: [FAMILIES["uniform"](rng, 30) for _ in range(n)],
            1: [FAMILIES["uniform"](rng, 3 + k % 3) for k in range(n)],
        },
        labels=np.array(["a", "b"] * (n // 2)),
    )


def shown_numbers(view):
    return {view.set.answer, *view.set.needed.values(), *view.set.needed_most.values()}


WAITING = {"Measuring how many directions are enough …", "…", ""}
"""What a number says that is not there yet."""


def test_another_dimension_does_not_show_the_answer_of_the_one_before():
    view = ApproximationView(two_dimensions())
    asyncio.run(view.ready())
    view.workspace.dimension = 0
    assert shown_numbers(view) <= WAITING
    view.set.tolerance = 5.0
    view.workspace.rule = "diagonal"
    assert shown_numbers(view) <= WAITING
    assert len(column(view.set.figures.boxes, "M")) == 0
    assert len(column(view.set.figures.worst["paper"], "M")) == 0
    asyncio.run(view.ready())
    found = ratio_study(view.workspace.dataset.in_dimension(0))
    needed = found.answer("diagonal", 0.05).n_directions
    assert view.set.needed["diagonal"] == f"M = {needed}"


FORGOTTEN = [
    ("n_pairs", 10, {"ratios", "tiers"}),
    ("seed", 3, {"ratios", "times", "tiers", "accuracies"}),
    ("n_diagrams", 4, {"times", "tiers", "accuracies"}),
    ("rule", "diagonal", {"times", "tiers", "accuracies"}),
    ("dimension", 0, {"ratios", "times", "tiers", "accuracies"}),
    ("n_directions", 3, set()),
    ("tolerance", 7.0, set()),
]


def test_a_setting_forgets_what_was_measured_with_another():
    view = ApproximationView(two_dimensions())
    figures = view.set.figures
    sources = {
        "ratios": figures.boxes,
        "times": figures.times,
        "tiers": figures.tiers["embedding"],
        "accuracies": figures.accuracies,
    }
    asyncio.run(view.ready())
    for name, value, gone in FORGOTTEN:
        owner = view.set if name in view.set.param else view.workspace
        before = {note: getattr(view.set, note) for note in NOTES.values()}
        kept = getattr(owner, name)
        owner.param.update(**{name: value})
        empty = {part for part, one in sources.items() if not len(one.data["error"
                 if part == "tiers" else "M"])}  # fmt: skip
        assert empty == gone, name
        for part, note in NOTES.items():
            if part in gone:
                assert getattr(view.set, note) in ("", "Measuring …"), (name, part)
            elif part != "ratios":  # whose note is about tolerance and rule, too
                assert getattr(view.set, note) == before[note], (name, part)
        owner.param.update(**{name: kept})
        # Results are kept: this is quick.
        asyncio.run(view.ready())
        assert before == {note: getattr(view.set, note) for note in NOTES.values()}


def test_an_answer_for_an_older_question_is_dropped(monkeypatch):
    view = ApproximationView(two_dimensions())
    held = []
    for measuring in (view.pair.measuring, view.set.measuring):
        monkeypatch.setattr(measuring, "in_document", held.append)
    asyncio.run(view.ready())
    assert len(held) >= 5
    view.workspace.dimension = 0
    for show in held:
        show()
    assert view.set.ratios is None
    assert view.pair.study is None
    assert view.set.times is None
    assert view.set.tiers == []
    assert view.set.accuracies is None
    assert shown_numbers(view) <= WAITING
    assert view.pair.note == "…"


def test_a_turn_keeps_to_the_question_it_began_with(monkeypatch):
    """A smaller set that comes in between must not mix with the larger one."""
    slowly(monkeypatch, first=2)
    view = ApproximationView(small_set(n=8), only_when_open=True)

    async def change():
        view.workspace.tab = "Approximation"
        await asyncio.sleep(0.15)
        assert view.set.measuring.busy
        view.workspace.tab = "Diagrams"
        view.workspace.use(small_set(n=4), "other", "upload")
        await view.ready()

    asyncio.run(change())
    assert view.set.ratios is None
    assert view.set.times is None
    assert shown_numbers(view) <= WAITING


def test_a_new_pair_shows_no_number_of_the_old_one(view):
    asyncio.run(view.pair.measuring.ready())
    assert "SW_M" in view.pair.note
    view.workspace.index_b = 3
    assert view.pair.note == "…"
    view.workspace.n_directions = 7
    assert view.pair.note == "…"
    assert len(column(view.pair.figures.now, "M")) == 0
    assert len(column(view.pair.figures.curves["paper"], "M")) == 0
    asyncio.run(view.pair.measuring.ready())
    expected = sliced_wasserstein(*view.workspace.pair, 7)
    assert f"SW_M = {expected:.4g}" in view.pair.note


@pytest.mark.parametrize("fails", [False, True])
def test_a_pair_that_was_not_measured_says_so_and_can_be_again(monkeypatch, fails):
    study, broken = of_pair.pair_study, [True]
    data = small_set()

    def held(*pair, progress):
        while broken:
            progress(0, 1)
            if fails:
                which = [one is pair[1] for one in data.in_dimension(1)].index(True)
                raise SwvizError(f"no slices of {which} today")
            time.sleep(0.02)
        return study(*pair, progress=progress)

    monkeypatch.setattr(of_pair, "pair_study", held)

    def why(index):
        return f"Not measurable: no slices of {index} today." if fails else STOPPED

    async def stop():
        view = ApproximationView(data)
        pair = view.pair
        await cancelled(pair)
        assert pair.note == why(view.workspace.index_b)
        # Not of a pair that has been left meanwhile.
        said = []
        pair.param.watch(lambda event: said.append(event.new), "note")
        view.workspace.index_b = 3
        assert pair.note == "…"
        await asyncio.sleep(0)
        view.workspace.index_b = 4
        await asyncio.sleep(0.05)
        assert fails or pair.note == "…"
        await cancelled(pair)
        assert said == ["…", why(4)]
        broken.clear()
        await view.set.measuring.ready()
        times = view.set.times
        view.again()
        assert pair.note == "…"
        await view.ready()
        assert view.set.times is not times
        return view

    async def cancelled(pair):
        await asyncio.sleep(0.15)
        pair.measuring.cancel()
        await pair.measuring.ready()
        assert not pair.measuring.busy

    view = asyncio.run(stop())
    assert "SW_M" in view.pair.note
    # What is on show is not computed once more.
    before = view.pair.measuring.begun
    view.again()
    asyncio.run(view.ready())
    assert view.pair.measuring.begun == before


def test_the_note_names_the_seed_of_the_pairs_it_is_about(view):
    view.set.param.update(n_pairs=10, seed=3)
    asyncio.run(view.set.measuring.ready())
    with_seed_three = view.set.note
    view.set.seed = 4
    assert view.set.note != with_seed_three
    asyncio.run(view.set.measuring.ready())
    assert "10 of 28 pairs, seed 4" in view.set.note


# -- Copy as Python --------------------------------------------------------------------


def run_lines(lines, capsys):
    """Run lines as somebody would who has only them; return what they print."""
    assert "import *" not in lines
    capsys.readouterr()
    with np.printoptions():  # the lines set them
        exec(compile(lines, "copied", "exec"), {"__name__": "copied"})
    return capsys.readouterr().out


@pytest.mark.parametrize("rule", ["diagonal", "random"])
def test_python_prints_what_is_shown(tmp_path, monkeypatch, capsys, rule):
    monkeypatch.chdir(tmp_path)
    data = small_set()
    save(data, "diagrams.npz")
    view = ApproximationView(data, tolerance=3.0 + 0.1 + 0.2)
    view.set.param.update(n_pairs=20, n_diagrams=6, seed=2)
    view.workspace.param.update(rule=rule, n_directions=37)
    asyncio.run(view.ready())
    lines = view.as_python()
    assert "0.033" in lines
    assert "00000000" not in lines
    printed = run_lines(lines, capsys)
    exact, value, percent = re.fullmatch(
        r"SW = (\S+); with M = 37, SW_M = (\S+), (\S+) %", view.pair.note
    ).groups()
    assert f"SW = {exact}, SW_M = {value}, error {percent} %" in printed
    for one, needed in view.set.needed.items():
        assert f"{one}: {needed} for all pairs, {view.set.needed_most[one]}" in printed
    for plot in view.pair.figures.comb_figures:
        number, error = re.match(r"M = (\d): (\S+) %", plot.title.text).groups()
        assert f"M = {number}: error {error} %" in printed
    figures = view.set.figures
    for one in RULES:
        assert numbers(column(figures.worst[one], "error")) in printed
    assert numbers(column(figures.accuracies, "mean")) in printed
    embedding = figures.tiers["embedding"]
    assert numbers(column(embedding, "worst")) in printed
    assert numbers(column(embedding, "bound")) in printed
    assert "one Gram matrix, ms" in printed


def numbers(values):
    """As the lines print an array; errors too small to draw are printed, too."""
    with np.printoptions(precision=4, suppress=True, linewidth=1000):
        return str(np.asarray(values))


def test_python_of_points_that_were_moved_and_of_one_diagram(capsys):
    alone = ApproximationView(workspace=Workspace.of_pair(A, B))
    alone.workspace.edit([(0, 1)], [(0, 1), (0.5, 0.1 + 0.2 + 0.5)])
    asyncio.run(alone.pair.measuring.ready())
    lines = alone.as_python()
    assert "B = [(0.0, 1.0), (0.5, 0.8)]" in lines
    study = lines.index("study = ") if "study = " in lines else len(lines)
    exact = re.match(r"SW = (\S+);", alone.pair.note).group(1)
    kept = [one for one in lines[:study].splitlines() if "sw.load" not in one]
    kept = [one for one in kept if not one.startswith("diagrams = ")]
    assert f"SW = {exact}" in run_lines("\n".join(kept), capsys)
    single = ApproximationView(DiagramSet({1: [A]}))
    assert "ratio_study" not in single.as_python()


def test_python_of_equal_diagrams_divides_by_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = DiagramSet({1: [A, A]})
    save(data, "diagrams.npz")
    view = ApproximationView(data)
    asyncio.run(view.ready())
    assert "SW = 0, SW_M = 0" in run_lines(view.as_python(), capsys)


# -- words ---------------------------------------------------------------------------


def test_answers_in_words():
    assert answer_sentence(Answer(8, 0.015, ()), 0.02, 100) == (
        "On this data, M = 8 keeps every pair within 2 %."
    )
    assert answer_sentence(Answer(6, 0.015, (8,)), 0.025, 100).endswith(
        "within 2.5 %. More is not always better: M = 8 does not."
    )
    assert answer_sentence(Answer(6, 0.015, (8, 12, 20)), 0.02, 100).endswith(
        "M = 8, 12 and 20 do not."
    )
    assert answer_sentence(Answer(None, 0.115, ()), 0.001, 100) == (
        "On this data, not even M = 100 keeps every pair within 0.1 %: the worst is "
        "off by 12 %."
    )
    assert rule_value(Answer(None, 0.1, ()), 100) == "M > 100"
    assert diagrams_note(40, 1250, 7) == "40 of 1,250 diagrams, seed 7"


def test_pairs_in_words():
    study = ratio_study([A, A, B, []], (1, 2))
    assert pairs_note(study, 6, 0, False) == (
        "all 6 pairs; 1 of equal diagrams have no ratio and are left out"
    )
