"""Pictures on the page: built once, when somebody looks, then sent data alone."""

import gc
import weakref

import holoviews as hv
import numpy as np
import pytest
from bokeh.document import Document
from bokeh.io.doc import patch_curdoc

from swviz import plot
from swviz.app.ui.pictures import Picture
from swviz.plot.of_studies import convergence_marks, error_marks
from swviz.studies import pair_study, ratio_study
from tests.plot_tools import sent

RNG = np.random.default_rng(0)
X = [np.cumsum(RNG.random((6, 2)), axis=1) for _ in range(4)]
FIRST, SECOND = (pair_study(*pair, (1, 2, 4, 8), n_draws=5) for pair in (X[:2], X[2:]))
RATIO = ratio_study(X, (1, 2, 4, 8), n_draws=3)


@pytest.fixture
def picture():
    return Picture(
        plot.convergence, FIRST, None, filename="sw", marks=convergence_marks
    )


def changes_of(picture):
    """Return a list that grows with what is sent to the browser."""
    document, changes = Document(), []
    document.add_root(picture.figure)
    document.on_change(
        lambda event: changes.append((type(event.model).__name__, event.attr))
    )
    return changes


def test_a_figure_is_built_when_somebody_looks():
    drawn = []

    def draw(study):
        drawn.append(study)
        return plot.convergence(study)

    picture = Picture(draw, FIRST, filename="sw")
    picture.show(SECOND)
    assert drawn == []
    assert (sent(picture, "exact")["SW"] == SECOND.exact).all()
    assert set(drawn) == {SECOND}
    picture.show(FIRST)
    assert (sent(picture, "exact")["SW"] == FIRST.exact).all()
    assert picture.given == (FIRST,)


def test_new_data_are_sent_as_data_and_ranges(picture):
    [legend] = picture.figure.legend
    assert legend in picture.figure.below
    changes = changes_of(picture)
    for study in (SECOND, FIRST):
        picture.show(study, ("paper", 4, study.exact))
    kinds = {kind for kind, _ in changes}
    assert kinds == {"ColumnDataSource", "Range1d", "figure"}
    # The figure itself holds its breath while all that comes, and keeps its parts.
    assert {name for kind, name in changes if kind == "figure"} == {"hold_render"}
    assert picture.figure.legend == [legend]


def test_whoever_scrolls_a_page_does_not_zoom(picture):
    for study in (SECOND, FIRST):
        picture.show(study, None)
        assert picture.figure.toolbar.active_drag is None
        assert picture.figure.toolbar.active_scroll == "auto"


@pytest.mark.parametrize(
    ("draw", "marks", "names", "given"),
    [
        (plot.convergence, convergence_marks, ["now"], (FIRST, ("paper", 4, 0.5))),
        (plot.error, error_marks, ["now"], (FIRST, ("random", 8, 0.5))),
        (plot.error, error_marks, ["tolerance", "enough"], (RATIO, None, 0.3)),
    ],
)
def test_marks_move_to_where_the_stream_would_put_them(draw, marks, names, given):
    picture = Picture(draw, given[0], None, filename="x", marks=marks)
    changes = changes_of(picture)
    picture.mark(*given)
    assert changes == [("ColumnDataSource", "data")] * len(names)
    moved = {name: sent(picture, name) for name in names}
    assert all(len(columns["M"]) for columns in moved.values())
    picture.show(*given)
    np.testing.assert_equal({name: sent(picture, name) for name in names}, moved)


def test_marks_that_moved_before_anybody_looked_are_there(picture):
    picture.mark(SECOND, ("paper", 4, 0.5))
    assert sent(picture, "now")["M"].tolist() == [4]
    assert (sent(picture, "exact")["SW"] == SECOND.exact).all()


def test_nothing_is_shown_without_waiting_for_the_stream(picture):
    picture.show(SECOND, ("paper", 4, 0.5))
    changes = changes_of(picture)
    picture.clear()
    assert set(changes) == {("ColumnDataSource", "data")}
    assert len(sent(picture, "paper")["M"]) == 0
    changes.clear()
    picture.clear()
    assert changes == []
    picture.show(SECOND, None)
    np.testing.assert_array_equal(sent(picture, "paper")["M"], SECOND.counts)


def test_a_mark_that_is_clicked_is_told():
    clicked = []
    points = hv.Points([(0, 1), (2, 3)], label="points")
    picture = Picture(lambda: hv.Overlay([points]), filename="points")
    picture.on_tap("points", clicked.append)
    [layer] = picture.figure.select({"name": "points"})
    for index in (1, 0):
        layer.data_source.selected.indices = [index]
    assert clicked == [1, 0]


DRAWN = []


def counted(study, now):
    DRAWN.append(study)
    return plot.convergence(study, now)


def state_of(picture):
    """Return all that a figure says, but for the ids of its models."""
    made = picture.figure
    ranges = [(one.start, one.end) for one in (made.x_range, made.y_range)]
    layers = [layer for layer in made.renderers if hasattr(layer, "data_source")]
    return [ranges, *((layer.name, dict(layer.data_source.data)) for layer in layers)]


def test_pages_share_what_is_drawn_and_no_model():
    first, second = (Picture(counted, FIRST, None, filename="sw") for _ in range(2))
    assert first.figure is not second.figure
    ids = [{model.id for model in one.figure.references()} for one in (first, second)]
    assert not ids[0] & ids[1]
    assert DRAWN == [FIRST]
    first.show(SECOND, None)
    assert (sent(second, "exact")["SW"] == FIRST.exact).all()
    assert (sent(first, "exact")["SW"] == SECOND.exact).all()
    second.show(SECOND, None)
    assert DRAWN == [FIRST, SECOND]
    np.testing.assert_equal(state_of(first), state_of(second))


def test_what_comes_back_is_as_it_was():
    page, other = (
        Picture(plot.error, FIRST, None, filename="back", marks=error_marks)
        for _ in range(2)
    )
    before = state_of(page)
    page.mark(FIRST, ("paper", 4, 0.5))
    # What changes in the original now has not been there when the first was drawn.
    other.show(SECOND, ("paper", 4, 0.7))
    page.show(SECOND, None)
    page.show(FIRST, None)
    np.testing.assert_equal(state_of(page), before)


def test_a_page_hears_nothing_of_the_original():
    page = Document()
    with patch_curdoc(page):
        made = Picture(lambda: plot.convergence(FIRST), filename="own")
        page.add_root(made.figure)
    # HoloViews slips events of its own into its document.
    assert made._original._plot.document is not page
    assert page.get_model_by_id(made._original._plot.state.id) is None


def test_what_may_have_changed_is_drawn_again():
    given = {"k_sw": np.array([2.0, 1.0])}
    made = Picture(plot.eigenvalues, given, filename="again")
    assert sent(made, "k_SW")["value"].tolist() == [2, 1]
    given["k_sw"] = np.array([4.0, 3.0])
    made.show(given)
    assert sent(made, "k_SW")["value"].tolist() == [4, 3]


NOTHING = {"k_sw": np.empty(0)}


def of_eigenvalues():
    made = Picture(plot.eigenvalues, NOTHING, filename="eigenvalues")
    made.show({"k_sw": np.array([2.0, 1.0])})
    return made


def test_new_data_goes_into_the_same_models():
    made = of_eigenvalues()
    models = set(made.figure.references())
    made.show({"k_sw": np.array([3.0, 2.0, 1.0])})
    assert sent(made, "k_SW")["value"].tolist() == [3, 2, 1]
    made.clear()
    assert len(sent(made, "k_SW")["value"]) == 0
    assert set(made.figure.references()) == models


def test_a_picture_leaves_wheel_and_finger_to_the_page_and_needs_no_webgl():
    figure = of_eigenvalues().figure
    assert (figure.toolbar.active_scroll, figure.toolbar.active_drag) == ("auto", None)
    assert figure.toolbar.autohide
    assert figure.output_backend == "canvas"


def test_rows_that_are_arrays_are_sent_when_they_have_changed():
    picture = Picture(plot.gram, np.eye(3), filename="gram")
    changes = changes_of(picture)
    picture.show(np.eye(3).copy())
    assert ("ColumnDataSource", "data") not in changes
    picture.show(np.eye(3)[::-1].copy())
    assert ("ColumnDataSource", "data") in changes


def test_a_picture_is_gone_with_its_view():
    made = of_eigenvalues()
    remains = weakref.ref(made), weakref.ref(made.figure)
    del made
    gc.collect()
    assert [kept() for kept in remains] == [None, None]
