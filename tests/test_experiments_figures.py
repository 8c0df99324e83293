"""Experiments: figures show the stored numbers."""

import holoviews as hv
import numpy as np
import pytest

from swviz.experiments import figures
from swviz.experiments.distortion import DISTORTION_KERNELS
from swviz.experiments.studies import QUANTILES
from swviz.plot.theme import KERNEL_STYLES
from tests import plot_tools as tools
from tests.test_experiments import cell, results_of

RATIOS = [0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3]
DIRECTIONS = {
    "shapes/Airplane": {
        "train": 4,
        "pairs": 9,
        "quantiles": list(QUANTILES),
        "rows": [
            {"M": M, "seconds": M / 10, "ratio": {"paper": RATIOS, "diagonal": RATIOS}}
            for M in (2, 8)
        ],
    }
}
DISTORTION = {
    "shapes/Airplane": {
        "d1": [1.0, 2.0, 3.0],
        "kernels": {
            name: {"distances": [0.0, 0.5, 1.0]} for name in DISTORTION_KERNELS
        },
    }
}
SLICED = [
    cell("shapes", "Ant", f"k_SW ({M})", [0.9, 0.8], kernel={"n_directions": M})
    for M in (8, 2)
]
RESULTS = results_of(
    *SLICED,
    cell("shapes", "Ant", "k_PSS", [0.85]),
    directions=DIRECTIONS,
    distortion=DISTORTION,
)
DRAWN = {
    "accuracy": figures.accuracy_by_directions,
    "time": figures.time_by_directions,
    "ratio": lambda results: figures.ratio_boxes(results, "shapes/Airplane"),
    "distortion": figures.distortion,
    "differences": figures.accuracy_differences,
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_figures_are_drawn_with_results(draw):
    figure, axes = tools.draw(draw(RESULTS))
    assert figure.yaxis[0].axis_label == axes.get_ylabel() != ""
    for ends, drawn in (
        (figure.x_range, axes.get_xlim()),
        (figure.y_range, axes.get_ylim()),
    ):
        np.testing.assert_allclose((ends.start, ends.end), drawn)


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_figures_say_that_nothing_was_measured(draw):
    picture = draw(results_of())
    (note,) = picture
    assert list(note["Label"]) == ["not measured yet"]
    tools.draw(picture)


def test_accuracies_are_in_the_order_of_directions():
    curves = figures.accuracy_by_directions(RESULTS).traverse(lambda x: x, [hv.Curve])
    guessing, curve = curves
    # How many classes there are to guess among is not known here.
    assert np.isnan(guessing.dimension_values("accuracy")).all()
    assert curve.label == "shapes/Ant"
    np.testing.assert_allclose(curve.dimension_values("accuracy"), [85, 85])
    (marks,) = figures.accuracy_by_directions(RESULTS).traverse(
        lambda x: x, [hv.Scatter]
    )
    assert list(marks.dimension_values("M")) == ["2", "8"]
    spread = 100 * np.std([0.9, 0.8], ddof=1)
    np.testing.assert_allclose(marks.dimension_values("low"), 85 - spread)
    np.testing.assert_allclose(marks.dimension_values("high"), 85 + spread)


def test_times_are_those_that_were_measured():
    (curve,) = figures.time_by_directions(RESULTS).traverse(lambda x: x, [hv.Curve])
    np.testing.assert_allclose(curve.dimension_values("M"), [2, 8])
    np.testing.assert_allclose(curve.dimension_values("milliseconds"), [200, 800])


def test_boxes_go_from_quartile_to_quartile():
    figure = figures.ratio_boxes(RESULTS, "shapes/Airplane")
    (boxes,) = figure.traverse(lambda x: x, [hv.Rectangles])
    np.testing.assert_allclose(boxes.dimension_values("y0"), [0.9, 0.9])
    np.testing.assert_allclose(boxes.dimension_values("y1"), [1.1, 1.1])
    whiskers, medians = figure.traverse(lambda x: x, [hv.Segments])
    np.testing.assert_allclose(whiskers.dimension_values("y1"), [1.2, 1.2])
    np.testing.assert_allclose(medians.dimension_values("y0"), [1.0, 1.0])


def test_distortion_leaves_out_pairs_at_distance_0():
    clouds = figures.distortion(RESULTS).traverse(lambda x: x, [hv.Scatter])
    # In the looks that these kernels have everywhere.
    assert [cloud.label for cloud in clouds] == [
        name for name, _, _ in KERNEL_STYLES.values()
    ]
    np.testing.assert_allclose(clouds[0].dimension_values("d1"), [2, 3])
    np.testing.assert_allclose(clouds[0].dimension_values("distance"), [0.5, 1])


def test_differences_are_to_the_papers_table():
    clouds = figures.accuracy_differences(RESULTS).traverse(lambda x: x, [hv.Scatter])
    (cloud,) = [cloud for cloud in clouds if cloud.label == "k_PSS"]
    assert list(cloud.dimension_values("task")) == ["Ant"]
    np.testing.assert_allclose(cloud.dimension_values("difference"), [85 - 86.3])
