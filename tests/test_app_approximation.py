import asyncio
import re
import time

import numpy as np
import pytest
from bokeh.models import GlyphRenderer

from swviz import directions, save, slice_costs, sliced_wasserstein, sources
from swviz.app.runtime import jobs
from swviz.app.runtime.jobs import JobCancelled, ResultCache
from swviz.app.tabs.approximation import measurements as approximation_measurements
from swviz.app.tabs.approximation import view as approximation
from swviz.app.tabs.approximation.measurements import NOTES
from swviz.app.tabs.approximation.view import ApproximationView
from swviz.app.tabs.approximation.words import (
    answer_sentence,
    diagrams_note,
    pairs_note,
    rule_value,
)
from swviz.app.ui.theme import ACCENT
from swviz.app.workspace.state import Workspace
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
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
    asyncio.run(view.run())
    return view


@pytest.fixture
def view():
    return ApproximationView(small_set())


# -- the pair ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_curves_show_what_the_library_computes(finished, rule):
    study = pair_study(*finished.workspace.pair)
    shown = finished.pair_figures.curves[rule]
    np.testing.assert_array_equal(column(shown, "M"), study.counts)
    middle = np.median(study.values[rule], axis=0)
    np.testing.assert_allclose(column(shown, "value"), middle)
    errors = 100 * np.median(study.errors(rule), axis=0)
    drawn = np.isfinite(column(shown, "error"))
    assert drawn.sum() > 25
    np.testing.assert_allclose(column(shown, "error")[drawn], errors[drawn])
    assert (errors[~drawn] < 1e-4).all()
    assert finished.pair_figures.exact.location == study.exact


def test_random_directions_show_their_spread(finished):
    shown = finished.pair_figures.curves["random"]
    values = pair_study(*finished.workspace.pair).values["random"]
    np.testing.assert_allclose(column(shown, "low"), np.quantile(values, 0.1, axis=0))
    np.testing.assert_allclose(column(shown, "high"), np.quantile(values, 0.9, axis=0))
    assert (column(shown, "high") > column(shown, "low")).all()


def test_slopes_are_straight_lines_of_minus_two_and_minus_a_half(finished):
    slopes = finished.pair_figures.slopes
    M = np.log(column(slopes, "M"))
    for name, slope in (("square", -2), ("root", -0.5)):
        drawn = column(slopes, name)
        known = np.isfinite(drawn)
        found = np.diff(np.log(drawn[known])) / np.diff(M[known])
        np.testing.assert_allclose(found, slope)


def test_combs_are_the_papers_directions(finished):
    study = kink_study(*finished.workspace.pair)
    figures = finished.pair_figures
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
    asyncio.run(view.run_pair())
    view.workspace.param.update(n_directions=count, rule=rule)
    expected = sliced_wasserstein(
        *view.workspace.pair, count, rule=rule, random_state=0
    )
    now = view.pair_figures.now
    assert column(now, "M").tolist() == [count]
    assert column(now, "value")[0] == pytest.approx(expected)
    assert f"{expected:.4g}" in view.pair_note


def test_equal_diagrams_are_told_of():
    view = ApproximationView(workspace=Workspace.of_pair(A, A))
    asyncio.run(view.run())
    assert "equal" in view.pair_note
    assert "equal" in view.answer


def test_a_pair_of_empty_diagrams_is_no_trouble():
    view = ApproximationView(workspace=Workspace.of_pair([], []))
    asyncio.run(view.run())
    assert "equal" in view.pair_note


def test_a_drawn_pair_has_one_ratio():
    view = ApproximationView(workspace=Workspace.of_pair(A, B))
    asyncio.run(view.run())
    assert "the only pair" in view.note
    assert "no classes" in view.accuracy_note


# -- the set -------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_boxes_show_what_the_library_computes(view, rule):
    view.workspace.rule = rule
    asyncio.run(view.run_set())
    study = ratio_study(view.diagrams)
    boxes = study.boxes(rule)
    shown = view.set_figures.boxes
    assert column(shown, "M").tolist() == [str(m) for m in study.counts]
    for name in ("lower", "quarter", "median", "three_quarters", "upper"):
        np.testing.assert_allclose(column(shown, name), getattr(boxes, name))
    colors = dict(zip(shown.data["M"], shown.data["line"], strict=True))
    assert colors["12"] == ACCENT
    assert colors["8"] != ACCENT
    np.testing.assert_allclose(
        column(view.set_figures.outliers, "ratio"), boxes.outlier_ratios
    )
    worst = column(view.set_figures.worst[rule], "error")
    np.testing.assert_allclose(worst, 100 * study.worst_errors(rule))


def test_the_answer_follows_tolerance_and_rule(view):
    asyncio.run(view.run_set())
    study = view.ratios
    for rule in ("paper", "diagonal"):
        for tolerance in (0.5, 5.0):
            view.tolerance = tolerance
            view.workspace.rule = rule
            found = study.answer(rule, tolerance / 100)
            assert f"M = {found.n_directions} keeps every pair" in view.answer
            assert f"within {tolerance:g} %" in view.answer
            assert view.needed[rule] == f"M = {found.n_directions}"
            assert view.set_figures.tolerance.location == tolerance
    assert "all 28 pairs" in view.note


def test_times_tiers_and_accuracies_are_shown(finished):
    figures = finished.set_figures
    np.testing.assert_allclose(
        column(figures.times, "milliseconds"), 1e3 * finished.times.seconds
    )
    assert "all 8 diagrams; measured now" in finished.time_note
    exact, slices, embedding = finished.tiers
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
    mean = 100 * finished.accuracies.mean
    np.testing.assert_allclose(column(figures.accuracies, "mean"), mean)
    assert column(figures.accuracies, "M").tolist()[-1] == "exact"
    assert figures.chance.location == 50


def test_every_glyph_has_a_name_for_the_downloads(finished):
    figures = [finished.pair_figures, finished.set_figures]
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
    asyncio.run(view.run_set())
    assert view.accuracy_note == "This data set has no classes."
    assert view.ratios is not None
    assert view.tiers


def test_labels_that_cannot_be_learnt_are_told_not_thrown():
    equal = DiagramSet({1: [A] * 8}, labels=np.array(["a", "b"] * 4))
    view = ApproximationView(equal)
    asyncio.run(view.run_set())
    assert "Not measurable" in view.accuracy_note
    assert "equal" in view.answer


@pytest.mark.parametrize("diagrams", [[A], []])
def test_a_set_without_pairs_is_told_of(diagrams):
    view = ApproximationView(DiagramSet({1: diagrams}))
    asyncio.run(view.run())
    assert "no pairs" in view.answer


def test_another_dimension_or_set_is_measured_anew(view):
    asyncio.run(view.run_set())
    before = view.ratios
    view.workspace.use(small_set(n=6), "other", "upload")
    assert view.n_pairs == 15
    assert len(column(view.set_figures.boxes, "M")) == 0
    asyncio.run(view.run_set())
    assert view.ratios is not before
    assert view.ratios.n_diagrams == 6


def test_samples_are_stated_and_adjustable(view):
    view.param.update(n_pairs=10, n_diagrams=4, seed=3)
    asyncio.run(view.run_set())
    assert "10 of 28 pairs, seed 3" in view.note
    assert "4 of 8 diagrams, seed 3" in view.time_note
    expected = ratio_study(view.diagrams, n_pairs=10, random_state=3)
    np.testing.assert_array_equal(view.ratios.pairs, expected.pairs)


def test_outliers_that_are_clicked_become_the_pair(view):
    asyncio.run(view.run_set())
    outliers = view.set_figures.outliers
    assert len(outliers.data["first"])
    outliers.selected.indices = [0]
    space = view.workspace
    assert space.index_a == outliers.data["first"][0]
    assert space.index_b == outliers.data["second"][0]
    assert outliers.data["a"][0] == space.dataset.names[space.index_a]
    view._choose([10_000])  # a message that this view did not write


def slowly(monkeypatch, first):
    """Hold the ratios after the first batches until the job is cancelled."""
    monkeypatch.setattr("swviz.studies.directions._BATCH", 4)
    studies = ratio_studies

    def held(*args, **options):
        for count, study in enumerate(studies(*args, **options)):
            yield study
            if count + 1 == first:
                asyncio.run(asyncio.sleep(0.5))

    monkeypatch.setattr(approximation_measurements, "ratio_studies", held)


def test_pairs_arrive_while_others_are_measured(view, monkeypatch):
    slowly(monkeypatch, first=2)
    seen = []
    view.param.watch(lambda event: seen.append(event.new), "note")
    asyncio.run(view.run_set())
    assert any("8 of 28 pairs so far" in note for note in seen)
    assert "all 28 pairs" in view.note


def test_cancel_keeps_what_is_done(view, monkeypatch):
    slowly(monkeypatch, first=2)

    async def cancel_soon():
        running = asyncio.create_task(view.run_set())
        while view.ratios is None:
            await asyncio.sleep(0.02)
        view.set_jobs.cancel()
        await running

    asyncio.run(cancel_soon())
    assert len(view.ratios.pairs) == 8
    assert len(column(view.set_figures.boxes, "M"))
    assert "8 of 28 pairs, seed 0 (stopped; 28 were asked for)" in view.note
    assert view.times is None
    assert "Measure again" in view.time_note
    assert "Measure again" in view.accuracy_note


def test_a_newer_turn_ends_the_older_one(view, monkeypatch):
    slowly(monkeypatch, first=2)

    async def overtake():
        older = asyncio.create_task(view.run_set())
        await asyncio.sleep(0.15)
        view.n_pairs = 5
        await asyncio.gather(older, view.run_set())

    asyncio.run(overtake())
    assert len(view.ratios.pairs) == 5
    assert "5 of 28 pairs, seed 0" in view.note


def test_an_overtaken_turn_starts_no_further_job(view):
    async def too_late():
        view._turn = 7
        with pytest.raises(JobCancelled):
            await view._job(6, lambda progress: 1, "key", "")

    asyncio.run(too_late())


def test_measuring_again_takes_the_times_anew(view):
    asyncio.run(view.run_set())
    first = view.times
    asyncio.run(view.run_set())
    assert view.times is first
    view.again()
    asyncio.run(view.run_set())
    assert view.times is not first


def test_a_hidden_tab_computes_nothing_until_it_is_opened(monkeypatch):
    space = Workspace(small_set())
    calls = []
    monkeypatch.setattr(approximation.pn.state, "onload", calls.append)

    async def inside_a_loop():
        view = ApproximationView(workspace=space, only_when_open=True)
        assert calls == []
        space.edit(A, B)
        assert calls == []
        space.tab = "Approximation"
        assert calls == [view.run_pair, view.run_set]
        space.n_directions = 20
        space.edit(B, A)
        assert calls[2:] == [view.run_pair]

    asyncio.run(inside_a_loop())


def test_nothing_is_shown_once_the_session_has_gone(view):
    class Gone:
        session_context = None

    view._document = Gone()
    asyncio.run(view.run_pair())
    assert view.pair is None


def test_a_closed_view_follows_nothing(view):
    asyncio.run(view.run_pair())
    view.close()
    view.workspace.n_directions = 99
    assert column(view.pair_figures.now, "M").tolist() == [12]


def test_knobs_are_bounded(view):
    for name, value in (
        ("tolerance", 0), ("n_pairs", 10**6), ("n_diagrams", 1), ("seed", -1),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=name):
            view.param.update(**{name: value})


def test_it_has_a_layout_and_controls(finished):
    assert len(finished.__panel__()) > 4
    assert len(finished.controls) == 5


def test_the_default_data_set_needs_no_arguments():
    view = ApproximationView()
    assert view.n_pairs == 276
    assert len(view.diagrams) == len(sources.from_preset("point_clouds", "small"))


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
    return {view.answer, *view.needed.values(), *view.needed_most.values()}


WAITING = {"Measuring how many directions are enough …", "…", ""}
"""What a number says that is not there yet."""


def test_another_dimension_does_not_show_the_answer_of_the_one_before():
    view = ApproximationView(two_dimensions())
    asyncio.run(view.run())
    view.workspace.dimension = 0
    assert shown_numbers(view) <= WAITING
    view.tolerance = 5.0
    view.workspace.rule = "diagonal"
    assert shown_numbers(view) <= WAITING
    assert len(column(view.set_figures.boxes, "M")) == 0
    assert len(column(view.set_figures.worst["paper"], "M")) == 0
    asyncio.run(view.run())
    found = ratio_study(view.workspace.dataset.in_dimension(0))
    needed = found.answer("diagonal", 0.05).n_directions
    assert view.needed["diagonal"] == f"M = {needed}"


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
    figures = view.set_figures
    sources = {
        "ratios": figures.boxes,
        "times": figures.times,
        "tiers": figures.tiers["embedding"],
        "accuracies": figures.accuracies,
    }
    asyncio.run(view.run())
    for name, value, gone in FORGOTTEN:
        owner = view if name in view.param else view.workspace
        before = {note: getattr(view, note) for note in NOTES.values()}
        kept = getattr(owner, name)
        owner.param.update(**{name: value})
        empty = {part for part, one in sources.items() if not len(one.data["error"
                 if part == "tiers" else "M"])}  # fmt: skip
        assert empty == gone, name
        for part, note in NOTES.items():
            if part in gone:
                assert getattr(view, note) in ("", "Measuring …"), (name, part)
            elif part != "ratios":  # whose note is about tolerance and rule, too
                assert getattr(view, note) == before[note], (name, part)
        owner.param.update(**{name: kept})
        # Results are kept: this is quick.
        asyncio.run(view.run())
        assert before == {note: getattr(view, note) for note in NOTES.values()}


def test_an_answer_for_an_older_question_is_dropped(monkeypatch):
    view = ApproximationView(two_dimensions())
    held = []
    monkeypatch.setattr(view, "_later", held.append)
    asyncio.run(view.run())
    view.workspace.dimension = 0
    for show in held:
        show()
    assert view.ratios is None
    assert view.pair is None
    assert view.times is None
    assert view.tiers == []
    assert view.accuracies is None
    assert shown_numbers(view) <= WAITING
    assert view.pair_note == "…"


def test_a_turn_keeps_to_the_question_it_began_with(monkeypatch):
    """A smaller set that comes in between must not mix with the larger one."""
    slowly(monkeypatch, first=2)
    view = ApproximationView(small_set(n=8), only_when_open=True)

    async def change():
        running = asyncio.create_task(view.run_set())
        await asyncio.sleep(0.15)
        view.workspace.use(small_set(n=4), "other", "upload")
        await running

    asyncio.run(change())
    assert view.ratios is None
    assert view.times is None
    assert shown_numbers(view) <= WAITING


def test_a_new_pair_shows_no_number_of_the_old_one(view):
    asyncio.run(view.run_pair())
    assert "SW_M" in view.pair_note
    view.workspace.index_b = 3
    assert view.pair_note == "…"
    view.workspace.n_directions = 7
    assert view.pair_note == "…"
    assert len(column(view.pair_figures.now, "M")) == 0
    assert len(column(view.pair_figures.curves["paper"], "M")) == 0
    asyncio.run(view.run_pair())
    expected = sliced_wasserstein(*view.workspace.pair, 7)
    assert f"SW_M = {expected:.4g}" in view.pair_note


@pytest.mark.parametrize("fails", [False, True])
def test_a_pair_that_was_not_measured_says_so_and_can_be_again(monkeypatch, fails):
    study, broken = approximation.pair_study, [True]

    def held(*pair, progress):
        while broken:
            progress(0, 1)
            if fails:
                raise SwvizError("no slices today")
            time.sleep(0.02)
        return study(*pair, progress=progress)

    monkeypatch.setattr(approximation, "pair_study", held)
    started = []
    monkeypatch.setattr(approximation, "start", started.append)

    async def stop():
        view = ApproximationView(small_set())
        running = asyncio.create_task(view.run_pair())
        await asyncio.sleep(0.15)
        view.pair_jobs.cancel()
        await running
        why = "no slices today" if fails else "Measure again"
        assert why in view.pair_note
        # Not of a pair that has been left meanwhile.
        view.workspace.index_b = 3
        older = asyncio.create_task(view.run_pair())
        await asyncio.sleep(0)
        view.workspace.index_b = 4
        view.pair_jobs.cancel()
        await older
        assert view.pair_note == "…"
        await _cancelled(view)
        assert why in view.pair_note
        broken.clear()
        started.clear()
        view.again()
        assert view.pair_note == "…"
        assert started == [view.run_pair, view.run_set]
        await view.run_pair()
        return view

    async def _cancelled(view):
        running = asyncio.create_task(view.run_pair())
        await asyncio.sleep(0.15)
        view.pair_jobs.cancel()
        await running

    view = asyncio.run(stop())
    assert "SW_M" in view.pair_note


def test_the_note_names_the_seed_of_the_pairs_it_is_about(view):
    view.param.update(n_pairs=10, seed=3)
    asyncio.run(view.run_set())
    with_seed_three = view.note
    view.seed = 4
    assert view.note != with_seed_three
    asyncio.run(view.run_set())
    assert "10 of 28 pairs, seed 4" in view.note


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
    view.param.update(n_pairs=20, n_diagrams=6, seed=2)
    view.workspace.param.update(rule=rule, n_directions=37)
    asyncio.run(view.run())
    lines = view.as_python()
    assert "0.033" in lines
    assert "00000000" not in lines
    printed = run_lines(lines, capsys)
    exact, value, percent = re.fullmatch(
        r"SW = (\S+); with M = 37, SW_M = (\S+), (\S+) %", view.pair_note
    ).groups()
    assert f"SW = {exact}, SW_M = {value}, error {percent} %" in printed
    for one, needed in view.needed.items():
        assert f"{one}: {needed} for all pairs, {view.needed_most[one]}" in printed
    for plot in view.pair_figures.comb_figures:
        number, error = re.match(r"M = (\d): (\S+) %", plot.title.text).groups()
        assert f"M = {number}: error {error} %" in printed
    figures = view.set_figures
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
    asyncio.run(alone.run_pair())
    lines = alone.as_python()
    assert "B = [(0.0, 1.0), (0.5, 0.8)]" in lines
    study = lines.index("study = ") if "study = " in lines else len(lines)
    exact = re.match(r"SW = (\S+);", alone.pair_note).group(1)
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
    asyncio.run(view.run())
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
