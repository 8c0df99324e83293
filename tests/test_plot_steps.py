"""Pictures one behind the other: a slider in a page that needs nothing else."""

import html

import holoviews as hv
import numpy as np
import pytest
from bokeh.models import ColumnDataSource

import swviz as sw
from swviz.plot.turning import frames_of

A, B = [(0, 1), (0.2, 0.7)], [(0.1, 0.9)]
CLOUD = sw.sources.Cloud(np.array([(0, 0), (1, 0), (0, 1.0)]))


def test_values_keep_their_order_and_name_their_frames():
    combs = {M: sw.plot.cost_curve(A, B, n_directions=M) for M in (8, 2, 4)}
    made = sw.plot.steps(combs, "M & more", first=4)
    assert made.keys() == [8, 2, 4]
    bundle, _ = made._repr_mimebundle_()
    page = html.unescape(bundle["text/html"])
    assert 'aria-label="M &amp; more"' in page
    for M in combs:
        assert f"M & more = {M}" in page
    assert '["start", 2]' in page


@pytest.mark.parametrize(
    ("pictures", "name"),
    [
        # A picture a row, and an outline a row.
        ({k: sw.plot.gram([[1, k], [k, 1]]) for k in (0.1, 0.7)}, "image"),
        ({k: sw.plot.origin(CLOUD, level=k) for k in (0.1, 0.2, 0.3)}, "xs"),
        # As many rows as there are directions.
        ({k: sw.plot.cost_curve(A, B, n_directions=k) for k in (2, 5, 3)}, "left"),
    ],
)
def test_frames_hold_what_each_picture_would(pictures, name):
    made = sw.plot.steps(pictures)
    _, parts = frames_of(made)
    [(columns, ends, values)] = [
        (columns, ends, values) for _, columns, ends, values in parts if name in columns
    ]
    starts = [0, *ends]
    for frame, picture in enumerate(pictures.values()):
        drawn = hv.renderer("bokeh").get_plot(picture).state
        [alone] = [
            one.data[name] for one in drawn.select(ColumnDataSource)
            if set(columns) <= set(one.data) and name in one.data
        ]  # fmt: skip
        shown = values[columns.index(name)][starts[frame] : starts[frame + 1]]
        assert len(shown) == len(alone)
        for one, other in zip(shown, alone, strict=True):
            np.testing.assert_allclose(_flat(one), _flat(other))


def _flat(value):
    parts = value if isinstance(value, list) else [value]
    while any(isinstance(part, list) for part in parts):
        parts = [one for part in parts for one in part]
    return np.concatenate([np.ravel(part) for part in parts])


@pytest.mark.parametrize(
    ("pictures", "words"),
    [
        ({}, "must be a dictionary"),
        ([sw.plot.diagram(A)], "must be a dictionary"),
        ({"a": sw.plot.diagram(A)}, "number"),
        ({1: hv.Curve([1, 2])}, "overlays of layers"),
        ({1: sw.plot.diagram(A), 2: sw.plot.diagram(A, B)}, "same layers"),
        ({1: sw.plot.diagram(A), 2: sw.plot.diagram([(0, 9)])}, "same layers"),
    ],
)
def test_mistakes(pictures, words):
    with pytest.raises(sw.ParameterError, match=words):
        sw.plot.steps(pictures)


def test_the_first_is_one_of_them():
    with pytest.raises(sw.ParameterError, match="first must be"):
        sw.plot.steps({1: sw.plot.diagram(A)}, first=2)


def test_a_flow_shows_itself():
    bundle, _ = sw.plot.flow(A, B, n_frames=3)._repr_mimebundle_()
    assert "<iframe srcdoc" in bundle["text/html"]
    assert "step 0 of" in html.unescape(bundle["text/html"])
