import asyncio
import itertools
import re
import threading
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
from swviz.plot.theme import TIER_STYLES
from swviz.studies import Answer, kink_study, pair_study, ratio_studies, ratio_study
from swviz.typing import RULES
from tests.plot_tools import sent
from tests.strategies import FAMILIES, pairs_of

A, B = pairs_of("uniform", 9, 7, seed=0)


def shown(picture, name, column):
    """Return a column of the layers of a picture that have a name."""
    return sent(picture, name)[column]


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
def measured():
    """What the finished view has measured: times, too, are measured once."""
    return ResultCache()


@pytest.fixture(scope="module")
def finished(measured):
    """A view that has computed everything; tests leave it as it is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "RESULTS", measured)
        view = ApproximationView(small_set())
        asyncio.run(view.ready())
    return view


@pytest.fixture
def view():
    """A view of a set without classes: no machine is trained."""
    return ApproximationView(small_set(labels=False))


@pytest.fixture
def labelled():
    return ApproximationView(small_set())


# -- the pair ------------------------------------------------------------------------


@pytest.mark.parametrize("rule", RULES)
def test_curves_show_what_the_library_computes(finished, rule):
    study = pair_study(*finished.workspace.pair)
    curves, drawn = (
        sent(picture, rule)
        for picture in (finished.pair.figures.curves, finished.pair.figures.errors)
    )
    np.testing.assert_array_equal(curves["M"], study.counts)
    np.testing.assert_allclose(curves["SW"], np.median(study.values[rule], axis=0))
    errors = 100 * np.median(study.errors(rule), axis=0)
    known = np.isfinite(drawn["error"])
    assert known.sum() > 25
    np.testing.assert_allclose(drawn["error"][known], errors[known])
    assert (errors[~known] < 1e-4).all()
    assert (shown(finished.pair.figures.curves, "exact", "SW") == study.exact).all()


def test_combs_are_the_papers_directions(finished):
    study = kink_study(*finished.workspace.pair)
    figures = finished.pair.figures
    for k, (count, comb) in enumerate(zip((6, 8), figures.combs, strict=True)):
        bars, thetas = sent(comb, "directions"), directions(count)
        np.testing.assert_allclose(bars["theta"], thetas)
        costs = slice_costs(*finished.workspace.pair, thetas)
        np.testing.assert_allclose(bars["top"], costs)
        np.testing.assert_allclose(bars["right"] - bars["left"], np.pi / count)
        error = 100 * study.paper_errors[k]
        assert f"{error:+.1f} %" in finished.pair.comb_notes[count]
        turned = shown(figures.turned, f"M = {count}", "error")
        np.testing.assert_allclose(turned, 100 * study.errors[k])
    lost = [shown(comb, "lost direction", "theta") for comb in figures.combs]
    np.testing.assert_allclose(np.concatenate(lost), [np.pi / 4])
    assert len(lost[0]) == 0
    assert "none on" in finished.pair.comb_notes[6]
    assert "one is lost" in finished.pair.comb_notes[8]


def test_the_ring_follows_m_and_rule(view):
    asyncio.run(view.pair.measuring.ready())
    for count, rule in itertools.product((37, 40), RULES):
        view.workspace.param.update(n_directions=count, rule=rule)
        expected = sliced_wasserstein(
            *view.workspace.pair, count, rule=rule, random_state=0
        )
        error = 100 * abs(expected / view.pair.study.exact - 1)
        for picture in (view.pair.figures.curves, view.pair.figures.errors):
            # Once before it is built and once after it, it is where the stream puts it.
            for other in (count + 1, count):
                view.workspace.n_directions = other
                now = sent(picture, "now")
                assert now["M"].tolist() == [other]
            assert now["SW"][0] == pytest.approx(expected)
            assert now["error"][0] == pytest.approx(error)
            assert now["rule"].tolist() == [rule]
            picture.show(*picture.given)
            again = sent(picture, "now")
            assert {name: again[name].tolist() for name in now} == {
                name: column.tolist() for name, column in now.items()
            }
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


def test_boxes_show_what_the_library_computes(view):
    for rule in RULES:
        view.workspace.rule = rule
        asyncio.run(view.set.measuring.ready())
        study = ratio_study(view.set.diagrams)
        boxes = study.boxes(rule)
        figures = view.set.figures
        drawn = sent(figures.boxes, "boxes")
        for name, levels in (
            ("low", boxes.lower),
            ("bottom", boxes.quarter),
            ("median", boxes.median),
            ("top", boxes.three_quarters),
            ("high", boxes.upper),
        ):
            np.testing.assert_allclose(drawn[name], levels)
        for count in (12, 8):
            view.workspace.n_directions = count
            marked = sent(figures.boxes, "now")
            place = study.counts.tolist().index(count)
            for side in ("left", "bottom", "right", "top"):
                np.testing.assert_allclose(marked[side], drawn[side][[place]])
        view.workspace.n_directions = 13
        assert len(shown(figures.boxes, "now", "top")) == 0
        outliers = sent(figures.boxes, "outliers")
        np.testing.assert_allclose(outliers["ratio"], boxes.outlier_ratios)
        names = view.workspace.dataset.names
        assert outliers["first"].tolist() == [names[i] for i in outliers["A"]]
        worst = shown(figures.worst, rule, "error")
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
            line = shown(view.set.figures.worst, "tolerance", "error")
            np.testing.assert_allclose(line, tolerance)
            band = sent(view.set.figures.boxes, "tolerance")
            assert band["top"] == pytest.approx([1 + tolerance / 100])
            enough = sent(view.set.figures.worst, "enough")
            ringed = dict(zip(enough["rule"], enough["M"], strict=True))
            assert ringed[rule] == found.n_directions
    assert "all 28 pairs" in view.set.note


def test_times_tiers_and_accuracies_are_shown(finished):
    figures = finished.set.figures
    milliseconds = shown(figures.times, "time", "milliseconds")
    np.testing.assert_allclose(milliseconds, 1e3 * finished.set.times.seconds)
    assert "all 8 diagrams; measured now" in finished.set.time_note
    exact, slices, embedding = finished.set.tiers
    micro = shown(figures.tiers, "slices", "micro")
    np.testing.assert_allclose(micro, 1e6 * slices.seconds)
    bounds = shown(figures.tiers, "bound", "error")
    np.testing.assert_allclose(bounds, 100 * embedding.bounds)
    # No error cannot be drawn on a logarithmic axis: the mark lies at its lower end.
    assert exact.mean_errors[0] == 0
    drawn = sent(figures.tiers, "exact")
    assert drawn["error"][0] > figures.tiers.figure.y_range.start
    assert drawn["worst"][0] == 0
    drawn = sent(figures.accuracies, "mean")
    np.testing.assert_allclose(drawn["accuracy"], 100 * finished.set.accuracies.mean)
    assert drawn["M"].tolist()[-1] == "exact"
    assert (shown(figures.accuracies, "guessing", "accuracy") == 50).all()


def pictures(view):
    pair, whole = view.pair.figures, view.set.figures
    of_set = [picture for several in whole.of.values() for picture in several]
    return [pair.curves, pair.errors, *pair.combs, pair.turned, *of_set]


def test_every_glyph_has_a_name_for_the_downloads(finished):
    assert len(pictures(finished)) == 10
    for picture in pictures(finished):
        for renderer in picture.figure.select(GlyphRenderer):
            assert renderer.name


def filled(picture):
    return [
        layer.data_source
        for layer in picture.figure.renderers
        if isinstance(layer, GlyphRenderer)
    ]


def rows(picture):
    return [
        {name: np.asarray(column).tolist() for name, column in source.data.items()}
        for source in filled(picture)
    ]


def test_figures_are_built_once_emptied_and_filled_again(
    finished, measured, monkeypatch
):
    monkeypatch.setattr(jobs, "RESULTS", measured)
    view = ApproximationView(finished.workspace.dataset)
    empty = [rows(picture) for picture in pictures(view)]
    built = [filled(picture) for picture in pictures(view)]
    asyncio.run(view.ready())
    for picture, before, models in zip(pictures(view), empty, built, strict=True):
        # In the same models.
        full = rows(picture)
        assert full != before
        assert filled(picture) == models
        given = picture.given
        picture.clear()
        assert not any(column for row in rows(picture) for column in row.values())
        picture.show(*given)
        np.testing.assert_equal(rows(picture), full)
    # Figures that are built when there is something to show, are the same.
    for first, second in zip(pictures(view), pictures(finished), strict=True):
        np.testing.assert_equal(rows(first), rows(second))


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
    view.workspace.use(small_set(labels=False, n=6), "other", "upload")
    assert view.set.n_pairs == 15
    assert len(shown(view.set.figures.boxes, "boxes", "median")) == 0
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
    space = view.workspace
    [layer] = view.set.figures.boxes.figure.select({"name": "outliers"})
    outliers = layer.data_source
    for index in (1, 0):
        outliers.selected.indices = [index]
        assert space.index_a == outliers.data["A"][index]
        assert space.index_b == outliers.data["B"][index]
    # A message that this view did not write.
    outliers.selected.indices = [10_000]
    assert space.index_a == outliers.data["A"][0]


def slowly(monkeypatch, first):
    """Hold the ratios after the first batches until the event returned is set."""
    monkeypatch.setattr("swviz.studies.directions._BATCH", 4)
    studies, go_on = ratio_studies, threading.Event()

    def held(*args, **options):
        for count, study in enumerate(studies(*args, **options)):
            yield study
            if count + 1 == first:
                assert go_on.wait(60)

    monkeypatch.setattr(of_set, "ratio_studies", held)
    return go_on


async def first_ratios(view):
    """Wait for the two batches before the rest is held."""
    while view.set.ratios is None or len(view.set.ratios.pairs) < 8:
        await asyncio.sleep(0.02)


def test_pairs_arrive_while_others_are_measured(view, monkeypatch):
    go_on = slowly(monkeypatch, first=2)

    async def look():
        running = asyncio.create_task(view.set.measuring.ready())
        await first_ratios(view)
        note = view.set.note
        go_on.set()
        await running
        return note

    assert "8 of 28 pairs so far" in asyncio.run(look())
    assert "all 28 pairs" in view.set.note


def test_cancel_keeps_what_is_done(labelled, monkeypatch):
    view = labelled
    go_on = slowly(monkeypatch, first=2)

    async def cancel_soon():
        running = asyncio.create_task(view.set.measuring.ready())
        await first_ratios(view)
        view.set.measuring.cancel()
        # It does not wait for the worker, which could find more before it is stopped.
        await running
        go_on.set()

    asyncio.run(cancel_soon())
    assert not view.set.measuring.busy
    assert len(view.set.ratios.pairs) == 8
    assert len(shown(view.set.figures.boxes, "boxes", "median"))
    assert "8 of 28 pairs, seed 0 (stopped; 28 were asked for)" in view.set.note
    assert view.set.times is None
    assert "Measure again" in view.set.time_note
    assert "Measure again" in view.set.accuracy_note


def test_a_newer_turn_ends_the_older_one(view, monkeypatch):
    go_on = slowly(monkeypatch, first=2)

    async def overtake():
        older = asyncio.create_task(view.set.measuring.ready())
        await first_ratios(view)
        view.set.n_pairs = 5
        go_on.set()
        await asyncio.gather(older, view.set.measuring.ready())

    asyncio.run(overtake())
    assert len(view.set.ratios.pairs) == 5
    assert "5 of 28 pairs, seed 0" in view.set.note


def test_an_overtaken_turn_starts_no_further_job(labelled, monkeypatch):
    view = labelled
    go_on = slowly(monkeypatch, first=2)
    begun, seeds = [], []
    measuring = view.set.measuring
    measuring.param.watch(lambda _event: begun.append(measuring.title), "begun")
    measuring.param.watch(lambda _event: seeds.append(view.set.seed), "begun")

    async def overtake():
        older = asyncio.create_task(measuring.ready())
        await first_ratios(view)
        view.set.seed = 1
        go_on.set()
        await asyncio.gather(older, measuring.ready())

    asyncio.run(overtake())
    ratios, *others = begun[1:]
    assert begun[0] == ratios
    assert seeds == [0, 1, 1, 1, 1]
    assert len({ratios, *others}) == 4


def test_a_closed_view_starts_no_further_job(view, monkeypatch):
    go_on = slowly(monkeypatch, first=2)

    async def close_soon():
        running = asyncio.create_task(view.set.measuring.ready())
        await first_ratios(view)
        before = {note: getattr(view.set, note) for note in NOTES.values()}
        view.close()
        await running
        go_on.set()
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
    assert shown(view.pair.figures.curves, "now", "M").tolist() == [12]


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
    assert view.set.n_pairs == 300
    expected = sources.from_preset("point_clouds", "four shapes")
    assert len(view.set.diagrams) == len(expected) == 60


# -- one owner for every number --------------------------------------------------------


def two_dimensions(labels=True, n=6):
    """The same number of diagrams in H0, far apart in size from those in H1."""
    rng = np.random.default_rng(1)
    return DiagramSet(
        {
            0: [FAMILIES["uniform"](rng, 30) for _ in range(n)],
            1: [FAMILIES["uniform"](rng, 3 + k % 3) for k in range(n)],
        },
        labels=np.array(["a", "b"] * (n // 2)) if labels else None,
    )


def shown_numbers(view):
    return {view.set.answer, *view.set.needed.values(), *view.set.needed_most.values()}


WAITING = {"Measuring how many directions are enough …", "…", ""}
"""What a number says that is not there yet."""


def test_another_dimension_does_not_show_the_answer_of_the_one_before():
    view = ApproximationView(two_dimensions(labels=False))
    asyncio.run(view.ready())
    view.workspace.dimension = 0
    assert shown_numbers(view) <= WAITING
    view.set.tolerance = 5.0
    view.workspace.rule = "diagonal"
    assert shown_numbers(view) <= WAITING
    assert len(shown(view.set.figures.boxes, "boxes", "median")) == 0
    assert len(shown(view.set.figures.worst, "paper", "M")) == 0
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
    layers = {
        "ratios": (figures.boxes, "boxes", "median"),
        "times": (figures.times, "time", "M"),
        "tiers": (figures.tiers, "embedding", "error"),
        "accuracies": (figures.accuracies, "mean", "accuracy"),
    }
    asyncio.run(view.ready())
    for name, value, gone in FORGOTTEN:
        owner = view.set if name in view.set.param else view.workspace
        before = {note: getattr(view.set, note) for note in NOTES.values()}
        kept = getattr(owner, name)
        owner.param.update(**{name: value})
        empty = {part for part, layer in layers.items() if not len(shown(*layer))}
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
    go_on = slowly(monkeypatch, first=2)
    view = ApproximationView(small_set(n=8), only_when_open=True)

    async def change():
        view.workspace.tab = "Approximation"
        await first_ratios(view)
        assert view.set.measuring.busy
        view.workspace.tab = "Diagrams"
        view.workspace.use(small_set(n=4), "other", "upload")
        go_on.set()
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
    assert len(shown(view.pair.figures.curves, "now", "M")) == 0
    assert len(shown(view.pair.figures.curves, "paper", "M")) == 0
    assert not any(note.strip() for note in view.pair.comb_notes.values())
    asyncio.run(view.pair.measuring.ready())
    expected = sliced_wasserstein(*view.workspace.pair, 7)
    assert f"SW_M = {expected:.4g}" in view.pair.note


@pytest.mark.parametrize("fails", [False, True])
def test_a_pair_that_was_not_measured_says_so_and_can_be_again(monkeypatch, fails):
    study, broken = of_pair.pair_study, [True]
    data = small_set(labels=False)

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
        # What fails ends by itself, on a busy machine some time later.
        if not fails:
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


def test_python_prints_what_is_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = small_set()
    save(data, "diagrams.npz")
    view = ApproximationView(data, tolerance=3.0 + 0.1 + 0.2)
    view.set.param.update(n_pairs=20, n_diagrams=6, seed=2)
    for rule in ("diagonal", "random"):
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
            most = view.set.needed_most[one]
            assert f"{one}: {needed} for all pairs, {most}" in printed
        for note in view.pair.comb_notes.values():
            number, error = re.match(r"M = (\d): (\S+) %", note).groups()
            assert f"M = {number}: error {error} %" in printed
        figures = view.set.figures
        for one in RULES:
            assert numbers(shown(figures.worst, one, "error")) in printed
        assert numbers(shown(figures.accuracies, "mean", "accuracy")) in printed
        embedding = TIER_STYLES["embedding"]["label"]
        assert numbers(shown(figures.tiers, embedding, "worst")) in printed
        assert numbers(shown(figures.tiers, "bound", "error")) in printed
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
