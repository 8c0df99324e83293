"""Results are shown in few words, and give their numbers as frames and pictures."""

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import holoviews as hv
import numpy as np
import pandas as pd
import pytest

import swviz as sw
from swviz import learning, sources, studies
from swviz.experiments import load_results
from swviz.results import Result
from swviz.slices import SliceMatching, StepFunction
from tests.learning_data import LABELS, SET, TEST, TRAIN

ROOT = Path(__file__).parents[1]
H1 = SET.in_dimension(1)
KERNEL = sw.SlicedWassersteinKernel(n_directions=6, dimensions=[1])
READY = learning.prepare(KERNEL, SET)
GRAM = READY.gram(1.0)
RATIO = studies.ratio_study(H1, (2, 4, 8), n_pairs=15, n_draws=3)
TIMES = studies.GramTimes(24, np.array([1, 2, 8]), np.array([1e-3, 2e-3, 9e-3]))
RUN = learning.tune_on_distances(
    READY.distances, LABELS, TRAIN, TEST, C=[1.0, 10.0], n_splits=3
)
MACHINE = learning.DiagramClassifier(KERNEL).fit(SET, LABELS)
[MEANS] = learning.mean_runs(
    learning.NearestSlicedMean(2, n_steps=1), SET, splits=[(TRAIN, TEST)]
)
MESH = sources.TriangleMesh(
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)],
)
FUNCTION = sources.Function(np.array([0.0, 1, 2]), np.array([2.0, 0, 1]))
RESULTS = [
    SET,
    sw.slice_matching(H1[0], H1[1], 0.3),
    sw.step_function(H1[0], 0.3, H1[1]),
    studies.pair_study(H1[0], H1[1], (1, 2, 4, 8, 16), n_draws=4),
    studies.kink_study(H1[0], H1[1]),
    RATIO,
    RATIO.boxes("paper"),
    TIMES,
    studies.Tiers("slices", *np.arange(1, 6) * np.ones((5, 1)), 24),
    studies.AccuracyStudy((1, 6), np.array([[0.5, 0.7], [np.nan, 1.0]]), 24),
    studies.bandwidth_study(KERNEL, SET, n_splits=3),
    studies.PairDistances(H1[:6]).run(),
    sw.mmd_test(H1[:12], H1[12:], n_permutations=999, random_state=0),
    learning.evaluate_svm(GRAM, LABELS, TRAIN, TEST, n_splits=3),
    learning.kernel_pca(GRAM),
    learning.train_portrait(GRAM, LABELS, TRAIN, TEST),
    learning.train_portrait(GRAM, LABELS, TRAIN, TEST).plane,
    RUN,
    RUN.grid,
    learning.LearningReport("SlicedWassersteinKernel", (RUN, RUN)),
    MEANS,
    learning.Trials("NearestSlicedMean", (MEANS, MEANS)),
    MACHINE.answer(SET),
    READY,
    MESH,
    sources.MeshPoint(MESH, 2),
    sources.Cloud(np.zeros((999, 3))),
    sources.Image(np.zeros((90, 80), np.uint8)),
    FUNCTION,
    load_results(),
    load_results().cells[0],
]
IDS = [type(result).__name__ for result in RESULTS]
NO_FRAME = {
    *("Plane", "PreparedKernel", "TriangleMesh", "MeshPoint", "Image"),
    *("Results", "CellResult"),
}


@pytest.mark.parametrize("result", RESULTS, ids=IDS)
def test_a_result_is_shown_on_one_short_line(result):
    text = repr(result)
    assert text.startswith(f"<{type(result).__name__}")
    assert len(text) < 250
    assert "\n" not in text
    assert "array(" not in text


@pytest.mark.parametrize("result", RESULTS, ids=IDS)
def test_a_notebook_shows_a_small_table(result):
    page = result._repr_html_()
    assert page.count("<tr>") == len(result.summary()) >= 1
    assert len(page) < 3000


def test_every_result_is_looked_at_here():
    """A new class of results must be in the list above."""
    known = {type(result) for result in RESULTS}
    for room in (sw, learning, studies, sources):
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isclass(thing) and issubclass(thing, Result):
                assert thing in known, name
    assert {SliceMatching, StepFunction} <= known


@pytest.mark.parametrize("result", RESULTS, ids=IDS)
def test_results_have_frames(result):
    if type(result).__name__ in NO_FRAME:
        assert not hasattr(result, "frame")
        return
    frame = result.frame()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame)
    assert list(frame.index) == list(range(len(frame)))
    assert all(name == name.strip() for name in frame.columns)


@pytest.mark.parametrize("result", RESULTS, ids=IDS)
def test_results_can_be_pickled(result):
    if type(result).__name__ != "PairDistances":  # which has a lock
        assert repr(pickle.loads(pickle.dumps(result))) == repr(result)


def test_what_users_wrote_is_text_in_a_table():
    bad = sw.DiagramSet({1: [[(0, 1)]]}, labels=["<script>alert(1)</script>"])
    assert "<script>" not in bad._repr_html_()
    assert "&lt;script&gt;" in bad._repr_html_()
    long = sw.DiagramSet({1: [[]] * 300}, labels=[f"class {k}" for k in range(300)])
    assert len(long._repr_html_()) < 1500
    report = learning.LearningReport("<b>", (RUN,))
    assert "<b>" not in report._repr_html_()


# The numbers in frames.


def test_frame_of_a_set():
    frame = SET.frame()
    assert len(frame) == 2 * 24 * 6
    for k in (0, 1):
        part = frame[frame["dimension"] == k]
        points = part[["birth", "death"]].to_numpy()
        np.testing.assert_array_equal(points, np.concatenate(SET.in_dimension(k)))
        assert part["label"].tolist() == np.repeat(LABELS, 6).tolist()
        assert part["name"].tolist() == np.repeat(SET.names, 6).tolist()
        assert part["sample"].tolist() == np.repeat(np.arange(24), 6).tolist()
    np.testing.assert_array_equal(frame["persistence"], frame["death"] - frame["birth"])
    plain = sw.DiagramSet({0: [[], [(0, 1)]], 3: [[(1, 2)], []]}).frame()
    assert "label" not in plain
    assert plain[["sample", "dimension"]].to_numpy().tolist() == [[1, 0], [0, 3]]
    assert len(sw.DiagramSet({1: []}).frame()) == 0


def test_frame_of_a_slice():
    matching = sw.slice_matching(H1[0], H1[1], 0.3)
    frame = matching.frame()
    assert frame["cost"].sum() == pytest.approx(matching.cost, rel=1e-15)
    points = frame[["target_birth", "target_death"]].to_numpy()
    np.testing.assert_array_equal(points, matching.target_points)
    own = frame[~frame["source_on_diagonal"]].sort_values("source_index")
    np.testing.assert_array_equal(own[["source_birth", "source_death"]], H1[0])


@pytest.mark.parametrize("theta", [0.0, np.pi / 4, -1.0])
def test_a_slice_knows_its_diagrams(theta):
    A = np.array([(0, 1), (0, 1), (0.5, 0.5), (0.2, 3)])
    B = np.array([(0.1, 0.4)])
    for pair in ((A, B), (B, A), (A, []), ([], [])):
        found = sw.slice_matching(*pair, theta).diagrams
        for given, back in zip(pair, found, strict=True):
            np.testing.assert_array_equal(back, np.reshape(given, (-1, 2)))


def test_frame_of_a_pair_study():
    study = RESULTS[3]
    frame = study.frame()
    for rule, values in study.values.items():
        part = frame[frame["rule"] == rule]
        table = part.pivot(index="draw", columns="n_directions", values="sw")
        np.testing.assert_array_equal(table.to_numpy(), values)
        assert table.columns.tolist() == study.counts.tolist()
        errors = part.pivot(index="draw", columns="n_directions", values="error")
        np.testing.assert_array_equal(errors.to_numpy(), study.errors(rule))


def test_frame_of_a_ratio_study():
    frame = RATIO.frame()
    for rule in RATIO.values:
        part = frame[frame["rule"] == rule]
        for column, count in enumerate(RATIO.counts):
            some = part[part["n_directions"] == count]
            table = some.pivot(index="pair", columns="draw", values="ratio")
            expected = RATIO.ratios(rule)[..., column]
            np.testing.assert_array_equal(table.to_numpy(), expected)
    first = frame.drop_duplicates("pair").sort_values("pair")
    np.testing.assert_array_equal(first[["first", "second"]], RATIO.pairs)
    np.testing.assert_array_equal(first["exact"], RATIO.exact)


def test_frame_of_an_accuracy_study():
    study = studies.AccuracyStudy((1, "exact"), np.array([[0.5, 0.7], [np.nan, 1]]), 9)
    frame = study.frame()
    assert frame.to_numpy().tolist() == [[1, 0, 0.5], [1, 1, 0.7], ["exact", 1, 1.0]]
    numbers = studies.AccuracyStudy((1, 6), np.array([[0.5], [0.7]]), 9).frame()
    assert numbers["n_directions"].dtype.kind == "i"


def test_frames_of_learning():
    report = learning.LearningReport("k", (RUN, RUN))
    frame = report.frame()
    assert frame["accuracy"].tolist() == report.accuracies.tolist()
    assert frame["C"].tolist() == [RUN.C] * 2
    assert frame["sigma"].tolist() == [RUN.parameters["sigma"]] * 2
    grid = RUN.grid.frame()
    means = grid.groupby(["setting", "C"])["accuracy"].mean().to_numpy()
    np.testing.assert_allclose(means, RUN.grid.mean.ravel(), rtol=1e-15)
    assert frame["cv_accuracy"][0] == RUN.grid.mean.max()
    weighted = learning.evaluate_kernel(
        sw.SlicedWassersteinKernel(n_directions=4), SET, n_runs=1, C=[1.0],
        factors=[0, 1], n_splits=2,
    )  # fmt: skip
    assert isinstance(weighted.frame()["weights"][0], dict)
    pairs = RESULTS[11]
    np.testing.assert_array_equal(pairs.frame()["sw"], pairs.sw)
    np.testing.assert_array_equal(pairs.frame()[["first", "second"]], pairs.pairs)


# The pictures are those of swviz.plot.


def same(one, other):
    """Whether two pictures have the same layers with the same data."""
    assert [type(layer) for layer in one] == [type(layer) for layer in other]
    for first, second in zip(one, other, strict=True):
        assert first.label == second.label
        for name in first.dimensions("all", label=True):
            np.testing.assert_array_equal(
                first.dimension_values(name), second.dimension_values(name)
            )
    return len(one) > 0


def result(kind):
    [found] = [one for one in RESULTS if type(one) is kind]
    return found


@pytest.mark.parametrize(
    ("kind", "picture"),
    [
        (sw.DiagramSet, sw.plot.gallery),
        (studies.PairStudy, sw.plot.convergence),
        (studies.RatioStudy, sw.plot.ratios),
        (studies.GramTimes, sw.plot.times),
        (studies.Tiers, sw.plot.tiers),
        (studies.AccuracyStudy, sw.plot.accuracy),
        (learning.MMDResult, sw.plot.permutations),
        (learning.Evaluation, sw.plot.confusion),
        (learning.RunReport, sw.plot.confusion),
        (learning.LearningReport, sw.plot.confusion),
        (learning.GridScores, sw.plot.parameter_grid),
        (learning.Portrait, sw.plot.kernel_map),
        (sources.Cloud, sw.plot.origin),
        (sources.Function, sw.plot.origin),
        (sources.Image, sw.plot.origin),
        (sources.MeshPoint, sw.plot.origin),
    ],
)
def test_a_result_draws_itself(kind, picture):
    one = result(kind)
    assert same(one.plot(), picture(one))


def test_results_draw_themselves_from_their_parts():
    A, B = H1[:2]
    assert same(sw.slice_matching(A, B, 0.3).plot(), sw.plot.slice_lines(A, B, 0.3))
    pairs = result(studies.PairDistances)
    assert same(pairs.plot(), sw.plot.bounds(pairs.d1, pairs.sw, pairs.largest))
    curve = result(studies.BandwidthStudy)
    expected = sw.plot.bandwidth_curve(
        curve.points, now=curve.best.value, chance=curve.chance, mark="best"
    )
    assert same(curve.plot(), expected)
    single = SET[0]
    both = sw.plot.diagram(*(single.in_dimension(k)[0] for k in (0, 1)))
    assert same(single.plot(labels=["A", "B"]), both)
    one = single.plot(dimension=1)
    assert [layer.label for layer in one if isinstance(layer, hv.Points)] == ["H1"]
    assert same(RATIO.plot("diagonal"), sw.plot.ratios(RATIO, "diagonal"))
    only = studies.ratio_study(H1, (2, 4), n_pairs=3, rules=("diagonal",))
    assert same(only.plot(), sw.plot.ratios(only, "diagonal"))
    tiers = result(studies.Tiers)
    assert same(tiers.plot(tiers), sw.plot.tiers(tiers, tiers))


def test_words_need_neither_pandas_nor_holoviews():
    code = (
        "import sys, swviz as sw\n"
        "few = sw.DiagramSet({1: [[(0, 1)]]})\n"
        "study = sw.slice_matching([(0, 1)], [(0, 2)], 0.3)\n"
        "print(repr(few), repr(study), few._repr_html_())\n"
        "assert not {'pandas', 'holoviews', 'sklearn'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
