"""Pictures of diagrams: they show the points they are given, in both libraries."""

import holoviews as hv
import numpy as np
import pytest

import swviz as sw
from swviz.errors import DiagramError, ParameterError, SwvizError
from swviz.plot import theme
from swviz.sources import Cloud, Function, Image, MeshPoint
from swviz.sources.meshes import TriangleMesh
from tests.plot_tools import check_axes, columns, draw, layer, look

A = np.array([(0.0, 1.0), (0.2, 0.9), (0.5, 0.6)])
B = np.array([(0.1, 2.0), (0.4, 0.7)])
ODD = {
    "empty": [],
    "one point": [(1, 2)],
    "all equal": [(1, 2)] * 5,
    "on the diagonal": [(1, 1)],
    "huge": [(1e15, 1e15 + 1)],
    "tiny": [(0, 1e-12)],
}


def test_names_are_there_and_documented():
    assert set(sw.plot.__all__) <= set(dir(sw.plot))
    for name in sw.plot.__all__:
        text = getattr(sw.plot, name).__doc__
        assert "Parameters" in text
        assert ">>> " in text, name
    with pytest.raises(AttributeError, match="no attribute 'pie'"):
        _ = sw.plot.pie


def test_a_diagram_shows_its_points_in_the_looks_of_a_and_b():
    picture = sw.plot.diagram(A, B)
    for name, given in (("A", A), ("B", B)):
        points = layer(picture, hv.Points, name)
        np.testing.assert_array_equal(columns(points, "birth", "death"), given)
        np.testing.assert_array_equal(points["persistence"], given @ [-1, 1])
        for key, value in theme.STYLES[name].items():
            assert look(points)[key] == value
    figure = check_axes(picture)
    assert figure.x_range.start == figure.y_range.start
    assert figure.xaxis[0].axis_label == "birth"
    names = [item.label.value for item in figure.legend[0].items]
    assert names == ["A", "B"]


def test_diagrams_have_names_and_looks_of_their_own():
    picture = sw.plot.diagram(A, B, A + 1, labels=["x", "y", "z"])
    looks = [look(layer(picture, hv.Points, name)) for name in "xyz"]
    assert len({one["fill_color"] for one in looks}) == 3
    check_axes(picture)


@pytest.mark.parametrize("odd", ODD)
def test_odd_diagrams_have_sensible_pictures(odd):
    given = ODD[odd]
    for picture in (sw.plot.diagram(given), sw.plot.barcode(given)):
        check_axes(picture, both=odd == "empty")
    for picture in (sw.plot.diagram(given, B), sw.plot.barcode(given, given)):
        check_axes(picture)


def test_pictures_compose():
    both = sw.plot.diagram(A) * hv.Points([(0.5, 0.8)]) + sw.plot.barcode(A)
    assert isinstance(both, hv.Layout)
    hv.render(both, backend="bokeh")
    assert sw.plot.diagram(A).opts(title="mine").opts.get("plot").kwargs["title"]


def test_bars_are_from_birth_to_death_the_longest_next_to_zero():
    picture = sw.plot.barcode(A, B)
    above, below = picture.Rectangles.A, picture.Rectangles.B
    np.testing.assert_array_equal(columns(above, "birth", "death"), A)
    assert (above["low"] > 0).all()
    assert (below["high"] < 0).all()
    nearest = np.argmin(np.abs(above["low"]))
    assert above["persistence"][nearest] == max(A @ [-1, 1])
    check_axes(picture)


def circle(level=None, **provenance):
    clouds = sw.DiagramSet(
        {1: [A]}, origins=[Cloud(np.array([(0.0, 0.0), (3.0, 4.0)]))],
        provenance=provenance,
    )  # fmt: skip
    return sw.plot.origin(clouds, 0, level)


@pytest.mark.parametrize(
    ("provenance", "radius"),
    [({}, 0.25), ({"squared": True}, 0.5), ({"complex": "rips"}, 0.125)],
)
def test_balls_of_a_cloud_have_the_radius_of_the_level(provenance, radius):
    picture = circle(0.25, **provenance)
    np.testing.assert_array_equal(columns(picture.Points.I, "x", "y")[1], (3, 4))
    ball = columns(picture.Polygons.I.split()[0], "x", "y")
    np.testing.assert_allclose(np.hypot(*ball.T), radius)
    figure = check_axes(picture, both=not provenance)
    spans = [side.end - side.start for side in (figure.x_range, figure.y_range)]
    assert spans[0] == pytest.approx(spans[1])
    assert not circle().Polygons


def test_a_cloud_in_space_is_drawn_from_the_side():
    points = np.random.default_rng(0).random((20, 3))
    picture = sw.plot.origin(Cloud(points))
    np.testing.assert_array_equal(picture.Points.I["x"], points[:, 0])
    check_axes(picture, both=True)


def test_a_function_is_thick_up_to_the_level():
    given = Function(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 0.0]))
    graph, below = sw.plot.origin(given, level=1.0).Curve
    np.testing.assert_array_equal(graph["f(x)"], given.y)
    drawn = below["f(x)"]
    assert np.nanmax(drawn) <= 1
    assert np.isnan(drawn).any()
    np.testing.assert_allclose(drawn[~np.isnan(drawn)], given(below["x"])[drawn <= 1])
    check_axes(sw.plot.origin(given, level=1.0), both=True)
    check_axes(sw.plot.origin(given))


def test_a_picture_stands_beside_its_patterns():
    pixels = np.random.default_rng(0).integers(0, 256, (16, 12)).astype(np.uint8)
    given = Image(pixels)
    picture = sw.plot.origin(given, level=60)
    left, codes, below = picture.Image
    np.testing.assert_array_equal(left.dimension_values(2, flat=False)[::-1], pixels)
    np.testing.assert_array_equal(
        codes.dimension_values(2, flat=False)[::-1], given.descriptor
    )
    marked = ~np.isnan(below.dimension_values(2, flat=False)[::-1])
    np.testing.assert_array_equal(marked, given.descriptor <= 60)
    check_axes(picture, both=True)
    check_axes(sw.plot.origin(given))


def test_a_set_that_was_read_says_that_origins_are_not_saved(tmp_path):
    own = sw.sources.from_cloud(np.random.default_rng(0).random((9, 2)))
    sw.save(own, tmp_path / "own.npz")
    again = sw.load(tmp_path / "own.npz")
    assert again.provenance["source"] == "from_cloud"
    with pytest.raises(ParameterError, match="save and load do not keep origins"):
        sw.plot.origin(again)


def test_a_picture_without_patterns_is_filtered_itself():
    pixels = np.random.default_rng(0).normal(size=(6, 9))
    shown, below = sw.plot.origin(Image(pixels, None), level=0.5).Image
    np.testing.assert_array_equal(shown.dimension_values(2, flat=False)[::-1], pixels)
    marked = ~np.isnan(below.dimension_values(2, flat=False)[::-1])
    np.testing.assert_array_equal(marked, pixels <= 0.5)
    assert shown.bounds.lbrt() == below.bounds.lbrt() == (0, 0, 9, 6)
    assert len(sw.plot.origin(Image(pixels, None), level=-99).Image) == 1


def test_a_mesh_is_coloured_up_to_the_level():
    corners = np.array([(0, 0, 0), (0, 0, 3), (0, 2, 0), (1, 0, 0)], dtype=float)
    faces = np.array([(0, 1, 2), (0, 2, 3), (0, 1, 3), (1, 2, 3)])
    given = MeshPoint(TriangleMesh(corners, faces), 0)
    everything = sw.plot.origin(given).Points.Mesh
    np.testing.assert_allclose(
        np.sort(everything["distance"]), np.sort(given.distances)
    )
    near = sw.plot.origin(given, level=1.5).Points.Mesh
    assert len(near) == (given.distances <= 1.5).sum() < 4
    check_axes(sw.plot.origin(given, level=1.5), both=True)


def test_a_gallery_has_a_row_a_class():
    few = sw.DiagramSet(
        {0: [[]] * 4, 1: [A, B, [], A]}, labels=["b", "a", "b", "b"], names="wxyz"
    )
    picture = sw.plot.gallery(few, n_per_class=2, n_points=2)
    points, cells = picture.Points.Points, picture.Rectangles.Diagrams
    assert points["class"].tolist() == [0, 0, 1, 1]
    # Row "a" is above row "b", whose second diagram is empty.
    assert points["y"][:2].min() > 1 > points["y"][2:].max()
    assert cells["sample"].tolist() == ["x", "w", "y"]
    assert cells["index"].tolist() == [1, 0, 2]
    assert cells["count"].tolist() == [2, 3, 0]
    figure = check_axes(picture)
    assert list(figure.yaxis[0].major_label_overrides.values()) == ["a", "b"]
    # The strongest points are kept.
    across = points["y"][2:] - points["x"][2:]
    assert across.min() > 0
    check_axes(sw.plot.gallery(few, 0))
    check_axes(sw.plot.gallery(sw.DiagramSet({1: [A, B]})))
    check_axes(sw.plot.gallery(few[[]]), both=True)


def test_a_gallery_frames_a_and_b():
    few = sw.DiagramSet({1: [A, B, A]}, labels=["a", "b", "a"])
    blue, red = (theme.STYLES[name]["fill_color"] for name in "AB")

    def edges(**chosen):
        picture = sw.plot.gallery(few, **chosen)
        cells = picture.Rectangles.Diagrams
        return dict(zip(cells["index"], cells["edge"], strict=True))

    assert edges() == dict.fromkeys((0, 2, 1), theme.GREY)
    assert edges(A=2, B=1) == {0: theme.GREY, 2: blue, 1: red}
    # A lies over B, and a sample that is not drawn has no frame.
    assert edges(A=1, B=1)[1] == blue
    assert edges(B=2, n_per_class=1) == dict.fromkeys((0, 1), theme.GREY)
    check_axes(sw.plot.gallery(few, A=2, B=1))


def test_a_gallery_has_means_at_the_head_of_its_rows():
    few = sw.DiagramSet({0: [B] * 3, 1: [A, B, []]}, labels=["b", "a", "c"])
    means = sw.sliced_means(few)
    picture = sw.plot.gallery(few, 1, means=means, A="b", B=0)
    cells, points = picture.Rectangles.Means, picture.Points.Mean_points
    assert cells["sample"].tolist() == ["mean of a", "mean of b", "mean of c"]
    assert cells["index"].tolist() == [0, 1, 2]
    # Of a class of one, the mean is the one; also if that is empty.
    assert cells["count"].tolist() == [len(B), len(A), 0]
    assert points["class"].tolist() == [0] * len(B) + [1] * len(A)
    first = picture.Rectangles.Diagrams
    assert cells["x1"].max() < first["x0"].min()
    assert cells["y0"].tolist() == first["y0"].tolist() == [2, 1, 0]
    blue, red = (theme.STYLES[name]["fill_color"] for name in "AB")
    assert cells["edge"].tolist() == [theme.GREY, blue, theme.GREY]
    assert dict(zip(first["index"], first["edge"], strict=True))[0] == red
    figure = check_axes(picture, both=True)
    assert figure.x_range.start < cells["x0"].min()
    # Those that have been found so far.
    some = sw.plot.gallery(few, 1, means=means[:1])
    assert some.Rectangles.Means["sample"].tolist() == ["mean of a"]
    check_axes(some)
    plain = sw.plot.gallery(few, 1)
    assert len(plain.Rectangles.Means) == 0
    assert check_axes(plain).x_range.start > figure.x_range.start


def test_without_classes_the_mean_is_that_of_all():
    few = sw.DiagramSet({1: [A] * 9})
    picture = sw.plot.gallery(few, means=sw.sliced_means(few), B="", n_per_class=4)
    cells = picture.Rectangles.Means
    assert cells["sample"].tolist() == ["mean of all"]
    assert cells["y0"].tolist() == [2]
    assert cells["edge"].tolist() == [theme.STYLES["B"]["fill_color"]]
    check_axes(picture)


def test_a_level_cuts_points_and_bars():
    for picture, lines in (
        (sw.plot.diagram(A, B, level=0.5), [hv.VLine, hv.HLine]),
        (sw.plot.barcode(A, B, level=0.5), [hv.VLine]),
    ):
        cuts = [one for one in picture if isinstance(one, hv.VLine | hv.HLine)]
        assert [(type(cut), cut.data) for cut in cuts if cut.data] == [
            (kind, 0.5) for kind in lines
        ]
        check_axes(picture, both=True)
    # A level far away does not move the axes.
    far, near = (check_axes(sw.plot.diagram(A, level=t)).x_range for t in (99, None))
    assert (far.start, far.end) == (near.start, near.end)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: sw.plot.diagram(), "one diagram at least"),
        (lambda: sw.plot.diagram([(2, 1)]), "death"),
        (lambda: sw.plot.diagram(A, B, labels=["a"]), "2 different names"),
        (lambda: sw.plot.diagram(A, B, labels=["a", "a"]), "2 different names"),
        (lambda: sw.plot.barcode([(0, np.inf)]), "inf|never"),
        (lambda: sw.plot.origin(sw.DiagramSet({1: [A]})), "computed from"),
        (lambda: sw.plot.origin(A), "must be a DiagramSet"),
        (lambda: sw.plot.origin(Cloud(A), level=np.nan), "level"),
        (lambda: sw.plot.diagram(A, level=np.nan), "level"),
        (lambda: sw.plot.barcode(A, level="x"), "level"),
        (lambda: sw.plot.gallery([A]), "must be a DiagramSet"),
        (lambda: sw.plot.gallery(sw.DiagramSet({1: [A]}), A=1), "A must be"),
        (lambda: sw.plot.gallery(sw.DiagramSet({1: [A]}), 7), "no homology"),
        (lambda: sw.plot.gallery(sw.DiagramSet({1: [A]}), means=[A]), "means must be"),
        (lambda: sw.plot.use_theme("blue"), "mode"),
    ],
)
def test_mistakes_are_told(wrong, message):
    with pytest.raises(SwvizError, match=message) as told:
        wrong()
    assert isinstance(told.value, DiagramError | ParameterError)


@pytest.mark.parametrize("mode", theme.MODES)
def test_pictures_follow_the_theme(mode):
    import matplotlib as mpl

    before = hv.renderer("bokeh").theme
    with mpl.rc_context():
        sw.plot.use_theme(mode)
        _, axes = draw(sw.plot.diagram(A, B))
        paper = theme.MODES[mode]["paper"]
        assert mpl.colors.to_hex(axes.get_facecolor()).upper() == paper
    hv.renderer("bokeh").theme = before
