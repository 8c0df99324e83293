import asyncio
import io

import numpy as np
import pytest
from PIL import Image as Picture

from swviz.app.knobs import recipe
from swviz.app.plots import columns, plane_range
from swviz.app.state import Workspace
from swviz.app.views.diagrams import DiagramView
from swviz.app.views.gallery import PER_CLASS, by_class, strongest, summary_table
from swviz.app.views.origins import OriginPane
from swviz.app.views.uploads import LIMITS, join_sets, read_file, read_files
from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError
from swviz.files import load
from swviz.sources import Cloud, Function

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

FEW = DiagramSet(
    {1: [[(0, 1), (0, 3)], [(0, 2)], []]}, labels=["a", "a", "b"], names="xyz"
)
GOOD, BAD = b"0,1\n0.5,2\n", b"0,1\nzero,2\n"


@pytest.fixture
def view():
    return DiagramView(FEW)


def test_points_and_bars_share_their_source(view):
    source = view.sources["A"]
    assert source in [r.data_source for r in view.plane.renderers]
    assert source in [r.data_source for r in view.bars.renderers]
    np.testing.assert_array_equal(source.data["death"], [1, 3])


def test_the_longest_bar_is_nearest_to_zero():
    drawn = columns(np.array([(0.0, 1.0), (0.0, 3.0)]))
    np.testing.assert_array_equal(drawn["y"], [2, 1])
    below = columns(np.array([(0.0, 1.0), (0.0, 3.0)]), above=False)
    np.testing.assert_array_equal(below["y"], [-2, -1])


def test_choosing_another_sample_redraws(view):
    view.workspace.index_a = 1
    np.testing.assert_array_equal(view.sources["A"].data["death"], [2])
    assert view.title_a == "A · y"


def test_the_level_cuts_plane_barcode_and_count(view):
    view.slider.value = 2.0
    assert {cut.location for cut in view._cuts} == {2.0}
    assert "1 of A, 0 of B" in view._alive.object


def test_ranges_hold_all_points_and_survive_empty_diagrams():
    low, high = plane_range(np.array([(0.0, 4.0)]))
    assert low < 0
    assert high > 4
    low, high = plane_range(np.empty((0, 2)))
    assert low < high


def test_a_click_in_the_gallery_sets_a_or_b(view):
    view.gallery._cells.selected.indices = [1]
    assert view.workspace.index_a == 1
    view.gallery.target.value = "B"
    view.gallery.choose(0)
    assert view.workspace.index_b == 0


def test_the_gallery_is_bounded_and_by_class():
    many = DiagramSet({1: [[(0, 1)]] * 30}, labels=["a", "b"] * 15)
    rows = by_class(many)
    assert [name for name, _ in rows] == ["a", "b"]
    assert {len(row) for _, row in rows} == {PER_CLASS}
    assert len(strongest(np.array([(0.0, k) for k in range(500)]))) == 150


def test_the_table_counts_and_measures():
    table = summary_table(FEW, 1)
    assert table["points"].tolist() == [2, 1, 0]
    assert table["total persistence"].tolist() == [4, 2, 0]
    assert table["longest"].tolist() == [3, 2, 0]


@pytest.mark.parametrize(
    ("source", "preset"),
    [
        ("point_clouds", "clean circle"),
        ("point_clouds", "voids"),
        ("functions", "figure 1"),
        ("textures", "small patches"),
        ("shapes", "standing and running"),
        ("random_diagrams", "ties"),
    ],
)
def test_every_kind_of_origin_is_drawn_at_any_level(source, preset):
    view = DiagramView(workspace=Workspace())
    made = recipe(source, preset)()
    view.workspace.use(made, "x", source, preset)
    for level in (view.slider.start, view.slider.end):
        view.slider.value = level
    assert view.generator.source.value == source
    assert view.generator.preset.value == preset


def test_figures_of_origins_stay_and_show_other_data():
    pane = OriginPane("#000000")
    clouds = [Cloud(np.random.default_rng(seed).random((9, 2))) for seed in (0, 1)]
    wave = Function(np.array([0.0, 1.0]), np.array([0.0, 2.0]))
    pane.show(clouds[0], 0.1, {})
    first = pane.shown.figure
    pane.show(wave, 0.1, {})
    pane.show(clouds[1], 0.2, {})
    assert pane.shown.figure is first
    np.testing.assert_array_equal(pane.shown.source.data["x"], clouds[1].points[:, 0])
    assert [part.visible for part in pane._column] == [True, False]


def test_balls_have_the_radius_that_the_filtration_means():
    cloud = Cloud(np.random.default_rng(0).random((9, 2)))
    for provenance, radius in (
        ({}, 0.25),
        ({"complex": "rips"}, 0.125),
        ({"squared": True}, 0.5),
    ):
        pane = OriginPane("#000000")
        pane.show(cloud, 0.25, provenance)
        assert pane.shown.balls.glyph.radius == radius


def test_a_sublevel_set_of_a_function_stays_below_the_level():
    wave = Function(np.array([0.0, 1.0, 2.0]), np.array([0.0, 2.0, 0.0]))
    pane = OriginPane("#000000")
    pane.show(wave, 1.0, {})
    y = pane.shown.below.data["y"]
    assert np.nanmax(y) <= 1.0
    assert np.isnan(y).any()


def test_generate_shows_the_changed_preset():
    view = DiagramView(workspace=Workspace())
    generator = view.generator
    generator.source.value = "random_diagrams"
    generator.preset.value = "ties"
    generator.knobs["n_points"].value = 7
    assert generator.changes == {"n_points": 7}
    asyncio.run(generator.run())
    assert view.workspace.changes == {"n_points": 7}
    assert {len(d) for d in view.workspace.dataset.in_dimension(1)} == {7}


def test_a_bad_file_gets_a_message_and_good_ones_are_kept():
    good, complaints = read_files({"a.csv": GOOD, "bad.csv": BAD, "b.txt": b"0 3\n"})
    assert [name for name, _ in good] == ["a.csv", "b.txt"]
    assert len(complaints) == 1
    assert complaints[0].startswith("bad.csv, line 2")
    joined = join_sets(good)
    assert joined.names == ("a", "b")
    assert joined.labels.tolist() == ["a", "b"]


def test_an_upload_is_shown(view):
    asyncio.run(view.uploader.take({"mine.csv": GOOD, "bad.csv": BAD}))
    assert view.workspace.title == "mine.csv"
    assert len(view.workspace.dataset) == 1
    severities = [alert.severity for alert in view.uploader._messages]
    assert severities == ["error", "success"]


def test_only_bad_files_leave_the_set_as_it_is(view):
    asyncio.run(view.uploader.take({"bad.csv": BAD}))
    assert view.workspace.dataset is FEW


def test_sizes_are_checked_in_python():
    with pytest.raises(DiagramFileError, match=r"large\.csv: has 20 MB"):
        read_file("large.csv", b"0" * (LIMITS.max_bytes + 1))


def test_clouds_pictures_and_meshes_become_diagrams():
    rows = "\n".join(f"{np.cos(t)},{np.sin(t)}" for t in np.linspace(0, 6, 30))
    cloud = read_file("ring.csv", rows.encode(), "point clouds")
    assert (np.diff(cloud.in_dimension(1)[0]) > 0.5).sum() == 1
    content = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 255, (16, 16), dtype=np.uint8)
    Picture.fromarray(pixels).save(content, "PNG")
    assert read_file("noise.png", content.getvalue()).dimensions == (0,)
    tetrahedron = b"OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n" + (
        b"3 0 1 2\n3 0 1 3\n3 0 2 3\n3 1 2 3\n"
    )
    assert len(read_file("body.off", tetrahedron)) == 4


def test_joined_sets_have_all_dimensions():
    parts = [
        ("a.csv", DiagramSet({0: [[(0, 1)]]})),
        ("b.csv", DiagramSet({1: [[(0, 2)], [(0, 3)]], 0: [[], []]}, labels=[1, 2])),
    ]
    joined = join_sets(parts)
    assert joined.dimensions == (0, 1)
    assert joined.labels.tolist() == ["a", "1", "2"]
    assert [len(d) for d in joined.in_dimension(1)] == [0, 1, 1]


def test_drawn_points_are_brought_above_the_diagonal(view):
    board = view.board
    board.source.data = {"birth": [0.8, 0.1], "death": [0.2, 0.5]}
    np.testing.assert_array_equal(board.diagram, [(0.2, 0.8), (0.1, 0.5)])
    board._use_a()
    assert view.workspace.edited
    np.testing.assert_array_equal(view.workspace.diagram_a, board.diagram)


def test_what_the_browser_sends_is_not_trusted(view):
    board = view.board
    board.source.data = {"birth": [None, 0.1, "x"], "death": [1.0, float("inf"), 2]}
    assert len(board.diagram) == 0


def test_downloads_can_be_read_again(view):
    for content, name in ((view.as_npz(), "a.npz"), (view.as_csv(), "a.csv")):
        again = load(content.getvalue(), name)
        assert again.names == FEW.names
        assert again.labels.tolist() == FEW.labels.tolist()


def test_the_level_and_the_way_are_in_the_link_until_the_pair_changes():
    workspace = Workspace()
    view = DiagramView(workspace=workspace)
    assert workspace.settings == {}
    view.slider.value = level = 0.25 * view.slider.start + 0.75 * view.slider.end
    view.way = "Upload"
    again = Workspace()
    made_before = DiagramView(workspace=again)
    again.read_query(workspace.to_query())
    later = Workspace()
    later.read_query(workspace.to_query())
    for linked in (made_before, DiagramView(workspace=later)):
        assert linked.slider.value == pytest.approx(level, abs=1e-6)
        assert linked.level == linked.slider.value
        assert linked.way == "Upload"
    later.settings = {"diagrams.level": "1e9"}
    assert DiagramView(workspace=later).level <= view.slider.end
    workspace.index_b = 20
    assert workspace.settings == {"diagrams.way": "Upload"}
