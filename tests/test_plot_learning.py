"""Pictures of learning: matrices, maps, curves and a test, against the library."""

import holoviews as hv
import numpy as np
import pytest

import swviz as sw
from swviz import learning, studies
from swviz.errors import ParameterError
from swviz.plot.theme import class_color
from tests.plot_tools import check_axes, columns, layer, look

RNG = np.random.default_rng(0)
PLACES = np.concatenate([RNG.normal(0, 1, (10, 2)), RNG.normal(2.5, 1, (10, 2))])
LABELS = np.array(["left"] * 10 + ["right"] * 10)[RNG.permutation(20)]
DISTANCES = np.abs(PLACES[:, None] - PLACES).sum(axis=2)
GRAM = np.exp(-DISTANCES / 4)
TEST = np.arange(0, 20, 3)
TRAIN = np.setdiff1d(np.arange(20), TEST)
PORTRAIT = learning.train_portrait(GRAM, LABELS, TRAIN, TEST, n_splits=2)
RUN = learning.tune_on_distances(
    DISTANCES[None], LABELS, TRAIN, TEST, sigmas=[0.5, 1, 2], C=(1.0, 10.0), n_splits=2
)
RESULT = learning.mmd_from_gram(GRAM, 10, 99, random_state=0)
POINTS = [
    studies.CurvePoint(value, 0.9, 0.5, 0.7, 0.4) for value in (1.0, 0.1, 10.0)
]  # fmt: skip


def image_of(picture):
    """Values of an image, the first row on top."""
    return layer(picture, hv.Image).dimension_values(2, flat=False)[::-1]


def test_a_gram_matrix_is_ordered_by_class():
    picture = sw.plot.gram(GRAM, LABELS)
    order = np.argsort(LABELS, kind="stable")
    np.testing.assert_array_equal(image_of(picture), GRAM[np.ix_(order, order)])
    borders = columns(layer(picture, hv.Segments), "x0", "y0", "x1", "y1")
    np.testing.assert_array_equal(borders, [(0, 10, 20, 10), (10, 0, 10, 20)])
    figure = check_axes(picture, both=True)
    names = figure.yaxis[0].major_label_overrides
    # The first class is on top.
    assert max(names, key=float) == min(names, key=lambda place: names[place])


def test_large_matrices_are_averaged():
    matrix = np.kron(np.arange(300.0)[:, None], np.ones((2, 600)))
    small = image_of(sw.plot.gram(matrix))
    assert small.shape == (200, 200)
    np.testing.assert_allclose(small[:, 0], 1 + 1.5 * np.arange(200) - 0.5, atol=0.51)


@pytest.mark.parametrize(
    "matrix", [[[1.0]], np.ones((3, 3)), np.zeros((2, 2)), -np.eye(2)]
)
def test_odd_matrices_have_sensible_pictures(matrix):
    check_axes(sw.plot.gram(matrix), both=len(matrix) == 1)
    check_axes(sw.plot.gram(matrix, ["a"] * len(matrix)))


def test_the_map_shows_samples_machine_and_mistakes():
    picture = sw.plot.kernel_map(PORTRAIT, LABELS, TEST)
    where = PORTRAIT.map.coordinates
    samples = [
        one for one in picture if isinstance(one, hv.Points) and len(one.vdims) == 3
    ]
    assert sum(len(one) for one in samples) == len(LABELS)
    for one in samples:
        index = one["sample"].astype(int)
        np.testing.assert_array_equal(columns(one, "x", "y"), where[index])
        assert (LABELS[index] == one.label).all()
        marker = "square" if index[0] in TEST else "circle"
        assert np.isin(index, TEST).all() == (marker == "square")
        style = look(one)
        number = np.unique(LABELS).tolist().index(one.label)
        assert (style["marker"], style["fill_color"]) == (marker, class_color(number))
    wrong = layer(picture, hv.Points, "mistakes")
    expected = where[PORTRAIT.predictions != LABELS]
    assert len(expected)
    np.testing.assert_array_equal(columns(wrong, "x", "y"), expected)
    support = layer(picture, hv.Points, "support vectors")
    assert len(support) == len(PORTRAIT.evaluation.support)


def test_the_ground_is_what_the_machine_says_there():
    ground = layer(sw.plot.kernel_map(PORTRAIT, LABELS, TEST), hv.Image)
    places = np.stack(
        [ground.dimension_values(k, flat=False) for k in range(2)], axis=-1
    )
    said = ground.dimension_values(2, flat=False)
    np.testing.assert_array_equal(said, PORTRAIT.plane.predict(places))


def test_maps_without_machine_or_spread():
    check_axes(sw.plot.kernel_map(learning.map_samples(GRAM)), both=True)
    check_axes(sw.plot.kernel_map(learning.map_samples(GRAM), LABELS))
    check_axes(sw.plot.kernel_map(learning.map_samples(np.ones((3, 3)))))
    check_axes(sw.plot.kernel_map(learning.map_samples([[1.0]])))


def test_means_are_stars_in_the_colours_of_their_classes():
    places = PORTRAIT.map.project(GRAM[:2])
    picture = sw.plot.kernel_map(PORTRAIT, LABELS, TEST, means=places)
    stars = layer(picture, hv.Points, "means")
    np.testing.assert_array_equal(columns(stars, "x", "y"), places)
    assert stars["name"].tolist() == ["mean of left", "mean of right"]
    assert look(stars)["cmap"] == [class_color(0), class_color(1)]
    # With machine and mistakes, too.
    check_axes(picture, both=True)
    check_axes(sw.plot.kernel_map(learning.map_samples(GRAM), means=[(0, 0)]))


def test_confusion_counts_samples():
    found = PORTRAIT.evaluation
    picture = sw.plot.confusion(found)
    cells = layer(picture, hv.Rectangles)
    for true, said, count in zip(
        cells["true"], cells["predicted"], cells["count"], strict=True
    ):
        row, column = (found.classes.tolist().index(name) for name in (true, said))
        assert count == found.confusion[row, column]
    texts = [text for one in picture if isinstance(one, hv.Labels)
             for text in one["text"]]  # fmt: skip
    assert sorted(texts) == sorted(str(n) for n in found.confusion.ravel())
    check_axes(picture, both=True)
    report = learning.LearningReport("kernel", (RUN, RUN))
    double = layer(sw.plot.confusion(report), hv.Rectangles)["count"]
    np.testing.assert_array_equal(
        double, 2 * layer(sw.plot.confusion(RUN), hv.Rectangles)["count"]
    )
    check_axes(sw.plot.confusion(np.zeros((25, 25))))
    check_axes(sw.plot.confusion([[0]]))


def test_a_curve_is_sorted_and_its_band_stays_between_0_and_100():
    picture = sw.plot.bandwidth_curve(POINTS, now=1.0, chance=0.5)
    for label, value in (("training", 90), ("cross-validated", 70), ("test", 50)):
        curve = layer(picture, hv.Curve, label)
        np.testing.assert_allclose(curve["value"], (0.1, 1, 10))
        np.testing.assert_allclose(curve["accuracy"], value)
    band = columns(layer(picture, hv.Area), "accuracy", "high")
    np.testing.assert_allclose(band, [(30, 100)] * 3)
    tried = layer(picture, hv.Scatter, "tried")
    np.testing.assert_allclose(columns(tried, "training", "test"), [(90, 50)] * 3)
    np.testing.assert_allclose(layer(picture, hv.Curve, "now")["value"], 1)
    figure = check_axes(picture, both=True)
    names = [item.label.value for item in figure.legend[0].items]
    assert names == ["guessing", "training", "cross-validated", "test", "now"]
    check_axes(sw.plot.bandwidth_curve(POINTS[:1]))


def test_a_curve_without_points_has_the_same_layers_and_tells_of_none():
    nothing = sw.plot.bandwidth_curve([], ends=(0.01, 100.0))
    full = sw.plot.bandwidth_curve(POINTS, now=1.0, chance=0.5)
    assert [type(one) for one in nothing] == [type(one) for one in full]
    assert [one.label for one in nothing] == [one.label for one in full]
    assert not any(len(one) for one in nothing)
    figure = check_axes(nothing, both=True)
    assert (figure.x_range.start, figure.x_range.end) == (0.01, 100)
    names = [item.label.value for item in figure.legend[0].items]
    assert names == ["training", "cross-validated", "test"]


def test_the_grid_stars_its_best_cell():
    picture = sw.plot.parameter_grid(RUN.grid)
    cells = layer(picture, hv.Rectangles, "grid")
    np.testing.assert_array_equal(cells["accuracy"], RUN.grid.mean.ravel())
    [star] = columns(layer(picture, hv.Points, "best"), "x", "y")
    assert tuple(star) == RUN.grid.best
    assert cells["C"][:2].tolist() == ["1", "10"]
    unknown = RUN.grid.accuracies.copy()
    unknown[0] = np.nan
    part = learning.GridScores(RUN.grid.settings, RUN.grid.C, unknown)
    assert not len(layer(sw.plot.parameter_grid(part), hv.Points, "best"))
    check_axes(sw.plot.parameter_grid(part))


def test_the_grid_frames_the_cell_in_use():
    picture = sw.plot.parameter_grid(RUN.grid, now=(1, 0))
    cells = columns(layer(picture, hv.Rectangles, "grid"), "x0", "y0", "x1", "y1")
    [frame] = columns(layer(picture, hv.Rectangles, "now"), "x0", "y0", "x1", "y1")
    assert frame.tolist() == cells[len(RUN.grid.C)].tolist()
    check_axes(picture, both=True)


def test_a_grid_without_cells_has_the_same_layers():
    nothing = learning.GridScores((), np.empty(0), np.empty((0, 0, 1)))
    picture = sw.plot.parameter_grid(nothing)
    assert [one.label for one in picture] == ["grid", "best", "now"]
    assert not any(len(one) for one in picture)
    check_axes(picture, both=True)


def test_permutations_are_counted():
    picture = sw.plot.permutations(RESULT)
    bars = layer(picture, hv.Rectangles, "by chance")
    assert bars["count"].sum() == 99
    beyond = bars["count"][bars["left"] >= RESULT.statistic].sum()
    assert beyond <= round(RESULT.p_value * 100)
    real = layer(picture, hv.Curve, "these two")
    np.testing.assert_allclose(real["statistic"], RESULT.statistic)
    figure = check_axes(picture, both=True)
    assert f"p = {RESULT.p_value:.3g}" in figure.xaxis[0].axis_label
    check_axes(sw.plot.permutations(learning.mmd_from_gram(np.ones((4, 4)), 2)))
    nothing = sw.plot.permutations(learning.MMDResult(0.0, 1.0, np.empty(0)))
    assert [one.label for one in nothing] == ["by chance", "these two"]
    assert not any(len(one) for one in nothing)
    figure = check_axes(nothing, both=True)
    assert "p =" not in figure.xaxis[0].axis_label


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: sw.plot.gram(np.ones((2, 3))), "matrix"),
        (lambda: sw.plot.gram(np.empty((0, 0))), "nothing to draw"),
        (lambda: sw.plot.gram(GRAM, ["a"]), "one a sample"),
        (lambda: sw.plot.kernel_map(GRAM), "train_portrait"),
        (lambda: sw.plot.kernel_map(PORTRAIT, LABELS[:3]), "one a sample"),
        (lambda: sw.plot.kernel_map(PORTRAIT, LABELS, [99]), "indices"),
        (lambda: sw.plot.kernel_map(PORTRAIT, names=["a"]), "1 names"),
        (lambda: sw.plot.kernel_map(PORTRAIT, LABELS, means=[(0, 0)]), "each class"),
        (lambda: sw.plot.confusion([[1, 2]]), "counts"),
        (lambda: sw.plot.confusion([[-1]]), "numbers of samples"),
        (lambda: sw.plot.confusion([[1]], ["a", "b"]), "2 names"),
        (lambda: sw.plot.bandwidth_curve(POINTS, ends=(2, 1)), "smaller one first"),
        (lambda: sw.plot.bandwidth_curve(POINTS, ends=(0, 1)), "ends"),
        (lambda: sw.plot.bandwidth_curve([1, 2]), "bandwidth_curve"),
        (lambda: sw.plot.bandwidth_curve(POINTS, now=-1), "now"),
        (lambda: sw.plot.bandwidth_curve(POINTS, chance=2), "chance"),
        (lambda: sw.plot.parameter_grid(RUN), "GridScores"),
        (lambda: sw.plot.parameter_grid(RUN.grid, parameter="tau"), "parameter"),
        (lambda: sw.plot.parameter_grid(RUN.grid, now=(0, 99)), "now"),
        (lambda: sw.plot.parameter_grid(RUN.grid, now=(0, 0, 0)), "indices"),
        (lambda: sw.plot.permutations(0.05), "mmd_test"),
    ],
)
def test_mistakes_are_told(wrong, message):
    with pytest.raises(ParameterError, match=message):
        wrong()
