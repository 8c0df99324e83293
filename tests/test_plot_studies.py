"""Pictures of studies: they show the study's numbers, and nothing that is not there."""

import holoviews as hv
import numpy as np
import pytest
from bokeh.models import LogScale

import swviz as sw
from swviz import studies
from swviz.errors import ParameterError
from swviz.plot.theme import KERNEL_COLORS, KERNEL_STYLES, RULE_STYLES
from tests.plot_tools import check_axes, columns, layer, look

RNG = np.random.default_rng(0)
X = [np.cumsum(RNG.random((6, 2)), axis=1) for _ in range(6)]
PAIR = studies.pair_study(X[0], X[1], (1, 2, 4, 8, 16), n_draws=9)
SAME = studies.pair_study(X[0], X[0], (1, 2, 4), n_draws=3)
RATIO = studies.ratio_study(X, (1, 2, 4, 8), n_draws=3)
SAME_RATIO = studies.ratio_study([X[0]] * 3, (1, 2), n_draws=2)
KINK = studies.kink_study(X[0], X[1])
SAME_KINK = studies.kink_study(X[0], X[0])
TIMES = studies.GramTimes(6, np.array([1, 2, 8]), np.array([1e-3, 2e-3, 9e-3]))
ACCURACY = studies.AccuracyStudy(
    (1, 6, "exact"), np.array([[0.5, 0.7], [0.8, 1.0], [1.0, 1.0]]), 30
)


@pytest.mark.parametrize("rule", RULE_STYLES)
def test_convergence_is_that_of_the_rule(rule):
    picture = sw.plot.convergence(PAIR)
    curve = layer(picture, hv.Curve, rule)
    np.testing.assert_array_equal(curve["M"], PAIR.counts)
    np.testing.assert_allclose(curve["SW"], np.median(PAIR.values[rule], axis=0))
    exact = layer(picture, hv.Curve, "exact")
    assert (exact["SW"] == PAIR.exact).all()
    assert look(curve)["color"] == RULE_STYLES[rule]["color"]


@pytest.mark.parametrize("rule", RULE_STYLES)
def test_errors_are_in_per_cent(rule):
    curve = layer(sw.plot.error(PAIR), hv.Curve, rule)
    expected = 100 * np.median(PAIR.errors(rule), axis=0)
    seen = expected >= 1e-4
    np.testing.assert_allclose(curve["error"][seen], expected[seen])
    assert np.isnan(curve["error"][~seen]).all()
    worst = layer(sw.plot.error(RATIO), hv.Curve, rule)
    np.testing.assert_allclose(worst["error"], 100 * RATIO.worst_errors(rule))


def test_equal_diagrams_have_no_error_and_the_picture_says_so():
    for study in (SAME, SAME_RATIO):
        *others, note = sw.plot.error(study)
        assert note["text"].tolist() == ["no error beyond rounding"]
        assert not any(map(len, others))
    for study in (PAIR, RATIO):
        assert len(layer(sw.plot.error(study), hv.Labels, "note")) == 0


@pytest.mark.parametrize("rule", RULE_STYLES)
def test_what_is_in_use_is_ringed(rule):
    value = 1.01 * PAIR.exact
    for draw in (sw.plot.convergence, sw.plot.error):
        ring = layer(draw(PAIR, (rule, 5, value)), hv.Scatter, "now")
        assert columns(ring, "M", "SW", "error").tolist() == [
            [5.0, value, pytest.approx(1)]
        ]
        assert ring["rule"].tolist() == [RULE_STYLES[rule]["name"]]
        assert len(layer(draw(PAIR), hv.Scatter, "now")) == 0
    # What is exact has no place on a logarithmic axis.
    exact = sw.plot.error(PAIR, (rule, 5, PAIR.exact))
    assert len(layer(exact, hv.Scatter, "now")) == 0
    marked = layer(sw.plot.ratios(RATIO, rule, now=4), hv.Rectangles, "now")
    boxes = RATIO.boxes(rule)
    np.testing.assert_allclose(
        columns(marked, "bottom", "top"), [(boxes.quarter[2], boxes.three_quarters[2])]
    )
    assert len(layer(sw.plot.ratios(RATIO, now=5), hv.Rectangles, "now")) == 0


def test_the_first_number_of_directions_within_a_tolerance_is_ringed():
    picture = sw.plot.error(RATIO, tolerance=0.2)
    assert (layer(picture, hv.Curve, "tolerance")["error"] == 20).all()
    rings = layer(picture, hv.Scatter, "enough")
    answers = {rule: RATIO.answer(rule, 0.2).n_directions for rule in RULE_STYLES}
    expected = {
        RULE_STYLES[rule]["name"]: M for rule, M in answers.items() if M is not None
    }
    assert dict(zip(rings["rule"], rings["M"], strict=True)) == expected
    assert expected


def test_combs_are_the_papers_directions():
    for count, costs in zip(KINK.counts, KINK.sampled_costs, strict=True):
        picture = sw.plot.comb(KINK, int(count))
        thetas = sw.directions(int(count))
        bars = layer(picture, hv.Rectangles, "directions")
        middles = (bars["left"] + bars["right"]) / 2
        np.testing.assert_allclose(middles, thetas, atol=1e-15)
        np.testing.assert_allclose(bars["top"], costs)
        # They cover half a turn, once.
        np.testing.assert_allclose((bars["right"] - bars["left"]).sum(), np.pi)
        lost = layer(picture, hv.Scatter, "lost direction")
        expected = thetas[np.isclose(thetas, np.pi / 4)]
        np.testing.assert_array_equal(lost["theta"], expected)
        assert len(expected) == (count % 4 == 0)
        # With one that is lost, and without.
        check_axes(picture, both=True)


def test_turned_directions_show_their_error():
    picture = sw.plot.kink(KINK)
    for count, errors in zip(KINK.counts, KINK.errors, strict=True):
        curve = layer(picture, hv.Curve, f"M = {count}")
        np.testing.assert_array_equal(curve["place"], KINK.offsets)
        np.testing.assert_allclose(curve["error"], 100 * errors)
        # The diagonal-aware rule is the comb that is turned to its place.
        place = layer(picture, hv.Curve, "diagonal")["place"]
        comb = np.pi / 4 + np.pi / count * (np.arange(count) - place[0])
        turned = sw.slice_costs(X[0], X[1], comb).mean()
        diagonal = sw.sliced_wasserstein(X[0], X[1], int(count), rule="diagonal")
        assert turned == pytest.approx(diagonal, rel=1e-12)
    rings = layer(picture, hv.Scatter, "paper")
    paper = [sw.sliced_wasserstein(X[0], X[1], int(M)) for M in KINK.counts]
    np.testing.assert_allclose(rings["error"], 100 * (np.array(paper) / KINK.exact - 1))
    check_axes(picture, both=True)


def test_slopes_fall_as_they_say():
    picture = sw.plot.error(PAIR)
    for label, power in (("1/M²", 2), ("1/√M", 0.5)):
        slope = layer(picture, hv.Curve, label)
        product = slope["error"] * slope["M"] ** power
        np.testing.assert_allclose(product, product[0])


# Those with all layers full, or most of them empty, are drawn by Matplotlib, too.
@pytest.mark.parametrize(
    ("picture", "both"),
    [
        (lambda: sw.plot.convergence(PAIR, ("paper", 3, 1.0)), True),
        (lambda: sw.plot.convergence(SAME), False),
        (lambda: sw.plot.error(PAIR, ("paper", 3, 1.0)), True),
        (lambda: sw.plot.error(PAIR), False),
        (lambda: sw.plot.error(SAME), True),
        (lambda: sw.plot.error(RATIO), False),
        (lambda: sw.plot.error(RATIO, tolerance=0.02), True),
        (lambda: sw.plot.error(SAME_RATIO), False),
        (lambda: sw.plot.ratios(RATIO, "diagonal", 0.02, now=4), True),
        (lambda: sw.plot.ratios(SAME_RATIO), True),
        (lambda: sw.plot.comb(SAME_KINK, 8), False),
        (lambda: sw.plot.kink(SAME_KINK), False),
        (lambda: sw.plot.accuracy(ACCURACY), False),
        (lambda: sw.plot.accuracy({"one": ACCURACY, "two": ACCURACY}), False),
        (lambda: sw.plot.times(TIMES), False),
        (lambda: sw.plot.times({"one": TIMES, "two": TIMES}), True),
        (lambda: sw.plot.distortion([], {"k_sw": []}), True),
        (lambda: sw.plot.distortion([1.0], {"k_sw": [0.0], "mine": [2.0]}), False),
        (lambda: sw.plot.bounds([], [], 1), True),
        (lambda: sw.plot.bounds([0.0, 0.0], [0.0, 0.0], 4), False),
        (lambda: sw.plot.eigenvalues([1.0, 1.0, 1.0]), False),
        (lambda: sw.plot.eigenvalues([0.0]), True),
        (lambda: sw.plot.smallest_eigenvalues([0.1, 1.0], {"k_sw": [0.0, 0.5]}), True),
    ],
)
def test_pictures_are_drawn_of_whatever_is_found(picture, both):
    check_axes(picture(), both)


@pytest.mark.parametrize("rule", RULE_STYLES)
def test_boxes_are_those_of_the_study(rule):
    picture = sw.plot.ratios(RATIO, rule, tolerance=0.05)
    boxes = RATIO.boxes(rule)
    drawn = columns(layer(picture, hv.Rectangles, "boxes"), "y0", "y1", "median")
    expected = np.stack([boxes.quarter, boxes.three_quarters, boxes.median], axis=1)
    np.testing.assert_array_equal(drawn, expected)
    whiskers = columns(layer(picture, hv.Segments, "whiskers"), "y0", "y1")
    np.testing.assert_array_equal(whiskers, np.stack([boxes.lower, boxes.upper], 1))
    beyond = layer(picture, hv.Points, "outliers")
    np.testing.assert_array_equal(beyond["ratio"], boxes.outlier_ratios)
    within = columns(layer(picture, hv.Rectangles, "tolerance"), "bottom", "top")
    np.testing.assert_allclose(within, [(0.95, 1.05)])


def test_the_axis_of_ratios_does_not_move_from_rule_to_rule():
    ends = set()
    for rule in ("paper", "diagonal"):
        figure = check_axes(sw.plot.ratios(RATIO, rule))
        ends.add((figure.y_range.start, figure.y_range.end))
    assert len(ends) == 1


def test_times_are_in_milliseconds():
    marks = layer(sw.plot.times(TIMES), hv.Scatter, "time")
    np.testing.assert_allclose(marks["milliseconds"], 1e3 * TIMES.seconds)
    np.testing.assert_array_equal(marks["M"], TIMES.counts)
    assert look(marks)["fill_color"] == KERNEL_COLORS["k_SW"]
    several = sw.plot.times({"one": TIMES, "two": TIMES})
    colors = {look(layer(several, hv.Curve, name))["color"] for name in ("one", "two")}
    assert len(colors - set(KERNEL_COLORS.values())) == 2


def test_tiers_stand_at_their_time_and_error():
    slices = studies.slice_tiers(RATIO, TIMES)
    embedding = studies.embedding_tiers(X, RATIO, n_bins=(8, 64))
    picture = sw.plot.tiers(studies.exact_tier(RATIO), slices, embedding)
    for name, tier in (("slices", slices), ("embedding", embedding)):
        marks = layer(picture, hv.Scatter, name)
        np.testing.assert_allclose(marks["micro"], 1e6 * tier.seconds)
        np.testing.assert_allclose(marks["mean"], 100 * tier.mean_errors)
        np.testing.assert_allclose(marks["worst"], 100 * tier.worst_errors)
    bound = layer(picture, hv.Scatter, "bound")
    np.testing.assert_allclose(bound["error"], 100 * embedding.bounds)
    exact = layer(picture, hv.Scatter, "exact")
    figure = check_axes(picture, both=True)
    # On the lower edge, not below it.
    assert figure.y_range.start < exact["error"][0] < bound["error"].min()
    check_axes(sw.plot.tiers(studies.exact_tier(RATIO)))


def test_accuracies_have_their_spread():
    picture = sw.plot.accuracy(ACCURACY, n_classes=4)
    marks = layer(picture, hv.Scatter, "mean")
    np.testing.assert_allclose(marks["accuracy"], (60, 90, 100))
    bars = columns(layer(picture, hv.Segments, "spread"), "y0", "y1")
    spread = 100 * ACCURACY.spread
    np.testing.assert_allclose(bars[:, 0], marks["accuracy"] - spread)
    np.testing.assert_allclose(bars[:, 1], np.minimum(marks["accuracy"] + spread, 100))
    assert (layer(picture, hv.Curve, "guessing")["accuracy"] == 25).all()
    figure = check_axes(picture, both=True)
    assert list(figure.xaxis[0].major_label_overrides.values()) == ["1", "6", "exact"]
    figure = check_axes(sw.plot.accuracy(ACCURACY, sizes=(1, 4, 6)))
    names = list(figure.xaxis[0].major_label_overrides.values())
    assert names == ["1", "4", "6", "exact"]
    assert not any(legend.items for legend in figure.legend)


def test_distortion_leaves_out_what_has_no_logarithm():
    d1 = np.array([1.0, 2.0, 3.0])
    given = {key: np.array([0.0, 0.5, 1.0]) + k for k, key in enumerate(KERNEL_STYLES)}
    picture = sw.plot.distortion(d1, given)
    for key, (name, color, marker) in KERNEL_STYLES.items():
        points = layer(picture, hv.Scatter, name)
        apart = given[key] > 0
        drawn = columns(points, "d1", "distance")
        np.testing.assert_array_equal(drawn, np.stack([d1, given[key]], 1)[apart])
        style = look(points)
        assert style["marker"] == marker
        assert color in (style["fill_color"], style["line_color"])
    check_axes(picture, both=True)


def test_a_name_begins_with_the_kernel_whose_colour_it_has():
    names = {"k_SW (10)": "k_SW", "Gaussian on d1": "Gaussian", "mine": None}
    picture = sw.plot.distortion([1.0], {key: [0.5] for key in names})
    assert [one.label for one in picture] == list(names)
    for name, kernel in names.items():
        color = look(layer(picture, hv.Scatter, name))["fill_color"]
        assert (color == KERNEL_COLORS.get(kernel)) == (kernel is not None)


def test_a_line_laid_over_a_picture_keeps_its_axes():
    picture = sw.plot.distortion([1.0, 2.0], {"k_sw": [0.5, 1.0]})
    alone = check_axes(picture)
    figure = hv.render(picture * hv.HLine(0.7), backend="bokeh")
    assert type(figure.y_scale) is type(alone.y_scale) is LogScale
    assert figure.xaxis[0].axis_label == alone.xaxis[0].axis_label
    assert figure.y_range.end == alone.y_range.end
    beside = sw.plot.eigenvalues([1.0, 2.0]) + sw.plot.times(TIMES)
    assert len(beside) == 2
    hv.render(beside, backend="matplotlib")


def test_bounds_hold_all_pairs():
    pairs = studies.PairDistances(X).run()
    picture = sw.plot.bounds(pairs.d1, pairs.sw, pairs.largest)
    drawn = columns(layer(picture, hv.Scatter, "pairs"), "d1", "sw")
    np.testing.assert_array_equal(drawn, np.stack([pairs.d1, pairs.sw], axis=1))
    found = studies.distortion_constants(pairs.d1, pairs.sw, pairs.largest)
    for label, slope in (("2√2 d₁", found.upper), ("d₁ / 2M'", found.lower)):
        ray = layer(picture, hv.Curve, label)
        np.testing.assert_allclose(ray["sw"], slope * ray["d1"])
    observed = [one for one in picture if one.label == "observed"]
    slopes = sorted(ray["sw"][1] / ray["d1"][1] for ray in observed)
    np.testing.assert_allclose(slopes, (found.low, found.high))
    check_axes(picture, both=True)


def test_eigenvalues_below_zero_are_crossed():
    matrices = studies.six_diagrams()
    spectra = {
        key: studies.eigenvalues(np.exp(-matrix / (2 * 1.5**2)))
        for key, matrix in matrices.items()
    }
    picture = sw.plot.eigenvalues(spectra)
    below = layer(picture, hv.Scatter, "below zero")
    found = spectra["k_d1"]
    np.testing.assert_array_equal(below["value"], found[found < -1e-12])
    above = layer(picture, hv.Scatter, "k_SW")
    np.testing.assert_array_equal(above["value"], spectra["k_sw"])
    check_axes(picture, both=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: sw.plot.convergence(RATIO), "pair_study"),
        (lambda: sw.plot.error(3), "pair_study or ratio_study"),
        (lambda: sw.plot.error(PAIR, tolerance=0.1), "many pairs"),
        (lambda: sw.plot.error(RATIO, ("paper", 8, 1.0)), "one pair"),
        (lambda: sw.plot.error(RATIO, tolerance=0), "tolerance"),
        (lambda: sw.plot.convergence(PAIR, ("best", 8, 1.0)), "rule"),
        (lambda: sw.plot.convergence(PAIR, ("paper", 0, 1.0)), "directions"),
        (lambda: sw.plot.convergence(PAIR, 8), "rule, a number"),
        (lambda: sw.plot.convergence(PAIR, ("paper", 8, np.nan)), "SW_M"),
        (lambda: sw.plot.comb(PAIR, 8), "kink_study"),
        (lambda: sw.plot.comb(KINK, 7), "one of .6, 8."),
        (lambda: sw.plot.kink(PAIR), "kink_study"),
        (lambda: sw.plot.ratios(RATIO, now=0), "now"),
        (lambda: sw.plot.ratios(RATIO, names=["a"]), "1 names for 6 diagrams"),
        (lambda: sw.plot.ratios(PAIR), "ratio_study"),
        (lambda: sw.plot.ratios(RATIO, "best"), "rule"),
        (lambda: sw.plot.ratios(RATIO, tolerance=-1), "tolerance"),
        (lambda: sw.plot.times({}), "one at least"),
        (lambda: sw.plot.times([1, 2]), "gram_times"),
        (lambda: sw.plot.tiers(), "one tier"),
        (lambda: sw.plot.tiers(TIMES), "slice_tiers"),
        (lambda: sw.plot.accuracy(0.9), "accuracy_study"),
        (lambda: sw.plot.accuracy(ACCURACY, 0), "n_classes"),
        (lambda: sw.plot.distortion([1, 2], {"k_sw": [1]}), "1 values for 2 pairs"),
        (lambda: sw.plot.distortion([1, 2], [1, 2]), "mapping"),
        (lambda: sw.plot.distortion([np.nan], {"k_sw": [1]}), "finite"),
        (lambda: sw.plot.bounds([1], [1], 0), "largest"),
        (lambda: sw.plot.bounds([[1]], [1], 1), "flat"),
        (lambda: sw.plot.eigenvalues({}), "empty"),
        (lambda: sw.plot.eigenvalues(["a"]), "numbers"),
    ],
)
def test_mistakes_are_told(wrong, message):
    with pytest.raises(ParameterError, match=message):
        wrong()
