import asyncio
import io
import re
from types import SimpleNamespace

import numpy as np
import panel_material_ui as pmui
import pytest
from PIL import Image as Picture

from swviz.app.tabs.diagrams import preview as preview_module
from swviz.app.tabs.diagrams.gallery import PER_CLASS, POINTS, summary_table
from swviz.app.tabs.diagrams.generator import Generator
from swviz.app.tabs.diagrams.origins import CloudPlot, OriginPane
from swviz.app.tabs.diagrams.uploads import Uploader
from swviz.app.tabs.diagrams.view import DiagramView, eventful_level
from swviz.app.ui.drop import FileDrop
from swviz.app.ui.pictures import layer_of
from swviz.app.ui.plots import columns
from swviz.app.workspace.knobs import KNOBS, recipe
from swviz.app.workspace.reading import LIMITS, join_sets, read_file, read_files
from swviz.app.workspace.sidebar import Sidebar
from swviz.app.workspace.state import Workspace
from swviz.app.workspace.words import describe
from swviz.diagrams import DiagramSet
from swviz.errors import DiagramError, DiagramFileError, ParameterError
from swviz.files import load
from swviz.flows import sliced_means
from swviz.plot.theme import STYLES
from swviz.sources import PRESETS, Cloud, Function, Image, from_picture
from tests.plot_tools import sent as drawn

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")

FEW = DiagramSet(
    {1: [[(0, 1), (0, 3)], [(0, 2)], []]}, labels=["a", "a", "b"], names="xyz"
)
GOOD, BAD = b"0,1\n0.5,2\n", b"0,1\nzero,2\n"


@pytest.fixture(scope="module")
def shared():
    return DiagramView(FEW)


@pytest.fixture
def view(shared):
    """One view for many tests, with the same diagrams as at first."""
    space = shared.workspace
    space.settings = {}
    space.use(FEW[:], "this set", "upload")
    space.tab = "Diagrams"
    shared.gallery.target.value = "A"
    return shared


@pytest.fixture
def upload():
    """The part of the view that takes files, with its workspace."""
    space = Workspace.of_set(FEW, tab="Diagrams")
    return SimpleNamespace(workspace=space, uploader=Uploader(space))


def use_small(space):
    """Show fewer diagrams than the built-in set has, with the same classes."""
    made = recipe("point_clouds", "small")()
    space.use(made, "small", "point_clouds", "small", indices=(0, 12))


def test_a_list_is_told_how_to_become_a_set():
    several = [[(0, 1)], [(0, 2)]]
    with pytest.raises(DiagramError, match=r"pass DiagramSet\(\{1: diagrams\}\)"):
        DiagramView(several)
    assert DiagramView(DiagramSet({1: several})).workspace.dataset.dimensions == (1,)


def test_own_pictures_are_drawn_from_their_darkest_to_their_brightest(view):
    own = from_picture(np.array([[0.25, 0.5], [0.75, -1.0]]))
    view.workspace.use(own, "own", "upload")
    shown = view.origins["A"].shown
    assert (shown.grey.low, shown.grey.high) == (-1, 0.75)
    shown.set_level(-2.0)
    assert shown.below.low < shown.below.high == -2
    shown.show(Image(np.zeros((4, 4), np.uint8)), {})
    assert (shown.grey.low, shown.grey.high) == (0, 255)


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


def test_the_level_begins_in_the_longest_life():
    assert eventful_level(np.array([(0.0, 1.0), (2.0, 5.0)]), np.empty((0, 2))) == 3.5
    assert eventful_level(np.empty((0, 2)), np.array([(1.0, 2.0)])) == 1.5
    assert np.isfinite(eventful_level(np.empty((0, 2)), np.empty((0, 2))))


def test_a_click_in_the_gallery_sets_a_or_b(view):
    view.gallery._cells.selected.indices = [1]
    assert view.workspace.index_a == 1
    view.gallery.target.value = "B"
    view.gallery.choose(0)
    assert view.workspace.index_b == 0


def test_the_gallery_is_bounded_and_by_class(view):
    picture = view.gallery.picture
    models = set(picture.figure.references())
    long = [(0, k) for k in range(1, POINTS + 9)]
    many = DiagramSet({1: [long] * 30}, labels=["a", "b"] * 15)
    view.workspace.use(many, "many", "upload")
    cells = drawn(picture, "diagrams")
    assert [int(np.sum(cells["y0"] == y)) for y in (0, 1)] == [PER_CLASS] * 2
    assert set(cells["count"]) == {len(long)}
    assert len(drawn(picture, "points")["x"]) == 2 * PER_CLASS * POINTS
    # Classes with few samples are drawn no larger.
    assert picture.figure.x_range.end == pytest.approx(PER_CLASS, abs=0.1)
    # Neither wheel nor finger are taken from the page.
    bar = picture.figure.toolbar
    assert (bar.active_scroll, bar.active_drag) == ("auto", None)
    # Shown in the figure that there was, which is as high as its rows.
    assert set(picture.figure.references()) == models
    assert picture.figure.sizing_mode == "scale_width"
    # With room for the means.
    assert picture.figure.aspect_ratio == pytest.approx(1.1 * (PER_CLASS + 1.15) / 2)


def test_the_gallery_frames_a_and_b_where_they_are_shown(view):
    view.workspace.param.update(index_a=1, index_b=2)
    cells = drawn(view.gallery.picture, "diagrams")
    edges = dict(zip(cells["index"], cells["edge"], strict=True))
    colors = [STYLES[name]["fill_color"] for name in "AB"]
    assert [edges[1], edges[2]] == colors
    assert edges[0] not in colors
    # The columns that layers are drawn by are there, also where all frames are alike.
    view.gallery.means = sliced_means(view.workspace.dataset)
    view.gallery._draw()
    for name in ("diagrams", "means"):
        layer = layer_of(view.gallery.picture.figure, name)
        for glyph in (layer.glyph, layer.hover_glyph):
            assert {glyph.line_color.field, glyph.line_width.field} <= set(
                layer.data_source.column_names
            )
    view.workspace.use(FEW[[]], "none", "upload")
    assert len(drawn(view.gallery.picture, "diagrams")["index"]) == 0


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
def test_every_kind_of_origin_is_drawn_at_any_level(view, source, preset):
    made = recipe(source, preset)()
    # Where nobody looks, no means are found.
    view.workspace.tab = "Slices"
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
    generator = Generator(Workspace())
    generator.source.value = "random_diagrams"
    generator.preset.value = "ties"
    generator.knobs["n_points"].value = 7
    assert generator.changes == {"n_points": 7}
    asyncio.run(generator.run())
    assert generator.workspace.changes == {"n_points": 7}
    assert {len(d) for d in generator.workspace.dataset.in_dimension(1)} == {7}


def ways(view):
    """The widgets on show in the card that gets data, by what it is called."""
    return {
        name
        for part in view._ways
        if part.visible
        for name, widget in (
            ("Generate", view.generator.generate),
            ("Upload", view.uploader.tables),
            ("Draw your own", view.board._buttons["Use as A"]),
        )
        if widget in part.select()
    }


def test_every_way_to_get_data_works_again(view):
    page = view.__panel__()
    menu = next(
        part
        for part in page.select(pmui.TabMenu)
        if part.items[0]["label"] == "Generate"
    )
    for name in ("Upload", "Generate", "Draw your own", "Upload", "Generate"):
        menu.active = [item["label"] for item in menu.items].index(name)
        assert ways(view) == {name}
    assert len(view._ways) == 3


def test_the_slider_of_points_ends_where_the_source_does():
    generator = Generator(Workspace())
    generator.preset.value = "loops"
    points, kind = generator.knobs["n_points"], generator.knobs["complex"]
    points.value = 1000
    kind.value = "rips"
    assert (points.end, points.value) == (400, 400)
    kind.value = "alpha"
    assert points.end == 1000
    # In H2, which the preset asks for, even fewer.
    generator.preset.value = "voids"
    generator.knobs["complex"].value = "rips"
    assert generator.knobs["n_points"].end == 100


@pytest.mark.parametrize(
    ("source", "preset", "changes"),
    [
        (source, preset, {knob.name: value})
        for source, preset in (
            ("orbits", "few points"),
            ("point_clouds", "clean circle"),
            ("point_clouds", "Rips"),
            ("functions", "figure 1"),
            ("random_diagrams", "ties"),
        )
        for knob in KNOBS[source]
        if knob.bounds is not None and knob.name not in ("n_clouds", "n_orbits")
        for value in knob.bounds_with(PRESETS[source][preset].parameters)
    ],
)
def test_the_source_takes_both_ends_of_every_slider(source, preset, changes):
    few = {"n_clouds": 1, "n_orbits": 1, "n_diagrams": 1}
    names = [knob.name for knob in KNOBS[source]]
    few = {name: value for name, value in few.items() if name in names}
    assert len(recipe(source, preset, few | changes)()) > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"complex": "rips", "n_points": 401},
            "Points per cloud must be from 10 to 400, not 401",
        ),
        ({"shapes": []}, "Shapes: choose at least one"),
        ({"outliers": 2.0}, "Share of outliers must be from 0 to 1, not 2.0"),
        ({"complex": "x"}, "Complex must be one of 'alpha', 'rips', not 'x'"),
    ],
)
def test_the_generator_speaks_of_its_fields(changes, message):
    with pytest.raises(ParameterError, match=message):
        recipe("point_clouds", "loops", changes)


def test_parameters_are_behind_one_chevron():
    # Material UI's Details shows 150 pixels, and the rest behind a second one.
    generator = Generator(Workspace())
    assert not generator.__panel__().select(pmui.Details)


def test_a_bad_file_gets_a_message_and_good_ones_are_kept():
    good, complaints = read_files({"a.csv": GOOD, "bad.csv": BAD, "b.txt": b"0 3\n"})
    assert [name for name, _ in good] == ["a.csv", "b.txt"]
    assert len(complaints) == 1
    assert complaints[0].startswith("bad.csv, line 2")
    joined = join_sets(good)
    assert joined.names == ("a", "b")
    assert joined.labels is None


def take(view, files, *complaints):
    asyncio.run(view.uploader.take(files, complaints))
    return view.uploader.preview


def severities(view):
    return [alert.severity for alert in view.uploader._messages]


def test_an_upload_is_looked_at_and_then_used(upload):
    preview = take(upload, {"mine.csv": GOOD, "bad.csv": BAD})
    assert upload.workspace.dataset is FEW
    assert severities(upload) == ["error"]
    preview.use()
    assert upload.workspace.title == "mine.csv"
    assert len(upload.workspace.dataset) == 1
    assert severities(upload) == ["success"]
    assert upload.uploader.preview is None


def test_an_upload_can_be_added_to_the_set_on_show(upload):
    before = len(FEW)
    take(upload, {"mine.csv": GOOD}).add()
    space = upload.workspace
    dataset = space.dataset
    assert len(dataset) == before + 1
    assert dataset.names[:before] == FEW.names
    # A pair of both, ready to be compared.
    assert (space.index_a, space.index_b) == (0, before)
    for k in FEW.dimensions:
        for old, new in zip(FEW.in_dimension(k), dataset.in_dimension(k), strict=False):
            np.testing.assert_array_equal(old, new)
    assert space.title.endswith(" + 1 uploaded")
    assert severities(upload) == ["success"]
    # What has no classes has one of its own where others have some.
    if FEW.labels is not None:
        assert list(dataset.labels) == [*map(str, FEW.labels), "uploaded"]
    take(upload, {"more/a_0.csv": GOOD, "more/b_1.csv": GOOD}).add()
    assert len(space.dataset) == before + 3
    assert space.index_b == before + 1


def test_only_bad_files_leave_the_set_as_it_is(upload):
    assert take(upload, {"bad.csv": BAD}) is None
    assert upload.workspace.dataset is FEW


def test_the_last_error_goes_when_an_upload_works(upload):
    take(upload, {"bad.csv": BAD})
    take(upload, {"mine.csv": GOOD}, "large.csv: has 30 MB")
    assert severities(upload) == ["error"]
    take(upload, {"mine.csv": GOOD})
    assert severities(upload) == []


PETS = {f"{pet}_{k}.csv": GOOD for pet in ("cat", "dog") for k in range(4)}


def test_one_diagram_per_file_has_the_classes_of_the_names(upload):
    preview = take(upload, PETS)
    assert preview.classes.value == "names of files"
    assert preview.labels == ["cat"] * 4 + ["dog"] * 4
    assert preview.summary == "8 diagrams in 8 files, 2 classes: cat (4), dog (4)."
    preview.use()
    assert upload.workspace.dataset.class_names == ("cat", "dog")
    assert upload.workspace.dataset.names[0] == "cat_0"


def test_folders_are_classes_and_tell_equal_names_apart(upload):
    preview = take(upload, {f"set/{pet}/0.csv": GOOD for pet in ("cat", "dog")})
    assert preview.classes.value == "folders"
    preview.use()
    assert upload.workspace.dataset.labels.tolist() == ["cat", "dog"]
    assert upload.workspace.dataset.names == ("set/cat/0", "set/dog/0")


def test_labels_of_a_column_stay_what_they_are(upload):
    table = b"birth,death,sample,label\n0,1,0,10\n0,2,1,9\n"
    preview = take(upload, {"mine.csv": table})
    assert preview.classes.value == "labels in the file"
    preview.use()
    assert upload.workspace.dataset.labels.tolist() == [10, 9]


def test_classes_can_be_typed_or_left_out(upload):
    preview = take(upload, PETS)
    preview.table.value.loc[1, "class"] = "lion"
    preview._typed(SimpleNamespace(column="class", row=1, value="lion"))
    assert preview.classes.value == "typed in the table"
    assert "lion (1)" in preview.summary
    preview.use()
    assert upload.workspace.dataset.labels[:2].tolist() == ["cat", "lion"]
    preview = take(upload, PETS)
    preview.classes.value = "none"
    assert set(preview.table.value["class"]) == {""}
    preview.use()
    assert upload.workspace.dataset.labels is None


def test_a_class_for_some_only_is_asked_for(upload, monkeypatch):
    told = []
    monkeypatch.setattr(preview_module, "tell", lambda text, *_: told.append(text))
    preview = take(upload, {"a.csv": GOOD, "b.csv": GOOD})
    preview._typed(SimpleNamespace(column="class", row=0, value="cat"))
    preview.use()
    assert "1 of 2 diagrams have no class" in told[0]
    assert upload.workspace.dataset is FEW


def test_the_dimension_of_a_table_without_one_can_be_chosen(upload):
    preview = take(upload, {"mine.csv": GOOD})
    assert preview.dimension.value == 1
    assert preview.note == (
        "mine.csv does not say the homology dimension: taken as H1, since births "
        "differ."
    )
    preview.dimension.value = 2
    assert "taken as H2, as chosen" in preview.note
    assert preview.table.value["points"].tolist() == ["2 in H2"]
    preview.use()
    assert upload.workspace.dataset.dimensions == (2,)
    assert upload.workspace.dimension == 2


def test_points_that_are_born_at_once_are_components(upload):
    assert take(upload, {"mine.csv": b"0,1\n0,2\n0,inf\n"}).dimension.value == 0
    assert "1 point that never dies was left out." in upload.uploader.preview.note


def test_a_stated_dimension_is_not_asked_for(upload):
    preview = take(upload, {"mine.csv": b"birth,death,dimension\n0,1,0\n0.5,2,1\n"})
    assert preview.dimension is None
    assert preview.table.value["points"].tolist() == ["1 in H0, 1 in H1"]


def test_tables_can_be_read_as_clouds_without_another_upload(upload):
    rows = "x,y\n" + "\n".join(f"{np.cos(t)},{np.sin(t)}" for t in range(30))
    assert take(upload, {"ring.csv": rows.encode()}) is None

    async def choose():
        upload.uploader.tables.param.update(value="point clouds")
        while upload.uploader.preview is None:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(choose(), 30))
    assert upload.uploader.preview.parts[0][1].dimensions == (0, 1)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty.csv: the file is empty; was it written"),
        ("letter.docx", b"PK\x03\x04" + bytes(60), "a .docx file cannot be read here"),
        ("notes", b"hello\n", "a file without an ending cannot be read here"),
        ("cloud.csv", b"x,y\n0,1\n", 'choose "point clouds"'),
        ("many.csv", b"0,1\n" * 100_001, "limit of 100000; split the file"),
        ("photo.jpg", b"\xff\xd8\xff" + bytes(60), "save it as PNG"),
        ("table.csv", b"\x89PNG\r\n\x1a\n" + bytes(60), "ends in .png"),
        ("body.txt", b"OFF\n4 4 6\n0 0 0\n", "ends in .off"),
        ("saved.npy", b"\x80\x04" + bytes(60), "save the diagrams as npz or csv"),
    ],
)
def test_refusals_name_the_file_and_what_to_do_on_the_page(name, content, said):
    with pytest.raises(DiagramFileError, match=f"^{re.escape(name)}") as refusal:
        read_file(name, content)
    text = str(refusal.value)
    assert said in text
    assert not re.search(r"swviz\.|load_|Limits|limits=|numpy", text)


def test_unknown_endings_are_read_if_the_content_can_be():
    assert len(read_file("diagram.dat", GOOD)) == 1


def sent(drop, *messages):
    for message in messages:
        result = drop.receive(message)
    return result


def part(name, data, batch=1, size=None, place=None):
    size = len(data) if size is None else size
    return {
        **{"kind": "part", "batch": batch, "name": name, "data": data, "size": size},
        "place": hash(name) if place is None else place,
    }


BEGIN, END = {"kind": "begin", "batch": 1}, {"kind": "end", "batch": 1}


def test_every_file_that_is_dropped_is_told_of():
    drop = FileDrop(print, max_bytes=10, max_total=18, max_files=4)
    files, complaints = sent(
        drop,
        {**BEGIN, "left_out": 2},
        part("empty.csv", b""),
        part("two.csv", b"12345"),
        part("two.csv", b"678"),
        part("large.csv", None, size=30_000_000),
        part("lying.csv", b"x" * 11, size=3),
        part("gone.csv", None, size=3),
        part("rest.csv", b"1" * 10),
        part("more.csv", b"1"),
        END,
    )
    assert files == {
        "empty.csv": b"",
        "two.csv": b"12345678",
        "rest.csv": b"1" * 10,
    }
    assert [text.partition(":")[0] for text in complaints] == [
        "Only 4 files are read at once, and more were given; upload the others later, "
        "put many diagrams into one file, or ask who runs the server to raise "
        "SWVIZ_UPLOAD_FILES.",
        "large.csv",
        "lying.csv",
        "gone.csv",
        "more.csv",
    ]


def test_files_of_one_name_are_not_glued_together():
    drop = FileDrop(print, max_bytes=10)
    files, complaints = sent(
        drop,
        BEGIN,
        part("x/a.csv", b"0,", place=0),
        part("x/a.csv", b"1", place=0),
        part("x/a.csv", b"0,2", place=1),
        part("x/a.csv", None, size=30_000_000, place=2),
        part("x/a.csv", b"0,3", place=3),
        part("a.b/c", b"4", place=4),
        part("a.b/c", b"5", place=5),
        END,
    )
    assert files == {
        "x/a.csv": b"0,1",
        "x/a (2).csv": b"0,2",
        "x/a (3).csv": b"0,3",
        "a.b/c": b"4",
        "a.b/c (2)": b"5",
    }
    assert len(complaints) == 1


def test_files_of_an_overtaken_batch_are_not_mixed_in():
    drop = FileDrop(print)
    second = {"kind": "begin", "batch": 2}
    assert sent(drop, BEGIN, part("a.csv", b"1"), second, END) is None
    files, _ = sent(
        drop, part("b.csv", b"2", batch=2), part("a.csv", b"1"), {**END, "batch": 2}
    )
    assert files == {"b.csv": b"2"}


@pytest.mark.parametrize("message", [None, 3, {}, {"kind": "part"}, {"kind": "end"}])
def test_nonsense_from_the_browser_does_not_break_an_upload(message):
    drop = FileDrop(print)
    sent(drop, {**BEGIN, "left_out": "x"}, message)
    assert sent(drop, part("a.csv", b"1"), END) == ({"a.csv": b"1"}, [])


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
        ("b.csv", DiagramSet({1: [[(0, 2)], [(0, 3)]], 0: [[], []]})),
    ]
    joined = join_sets(parts, ["x", "y", "y"])
    assert joined.dimensions == (0, 1)
    assert joined.names == ("a", "b: 0", "b: 1")
    assert joined.labels.tolist() == ["x", "y", "y"]
    assert [len(d) for d in joined.in_dimension(1)] == [0, 1, 1]


def test_drawn_points_are_brought_above_the_diagonal(view):
    board = view.board
    board.source.data = {"birth": [0.8, 0.1], "death": [0.2, 0.5]}
    np.testing.assert_array_equal(board.diagram, [(0.2, 0.8), (0.1, 0.5)])
    board._use_a()
    assert view.workspace.edited
    np.testing.assert_array_equal(view.workspace.diagram_a, board.diagram)


def test_drawing_one_diagram_does_not_mark_the_other(view):
    space, sidebar = view.workspace, Sidebar(view.workspace)
    space.tab = "Slices"
    use_small(space)
    drawn = [(0.2, 0.8)]

    def marks():
        assert (view.title_a, view.title_b) == tuple(
            f"{name} · {'edited' if sidebar.select[name].helper_text else sample}"
            for name, sample in (("A", "circle 1"), ("B", "figure eight 1"))
        )
        return {name for name in "AB" if space.is_edited(name)}

    view.board.source.data = {"birth": [0.2], "death": [0.8]}
    original = space.diagram_a
    view.board._use_a()
    assert marks() == {"A"}
    # What it was computed from is still known of B.
    assert isinstance(view.origins["B"].shown, CloudPlot)
    assert not isinstance(view.origins["A"].shown, CloudPlot)
    view.board._use_b()
    assert marks() == {"A", "B"}
    space.edit(original, drawn)
    assert marks() == {"B"}
    # A link rounds the points of both.
    again = Workspace()
    again.read_query(space.to_query())
    assert {name for name in "AB" if again.is_edited(name)} == {"B"}
    space.index_b = 13
    space.index_a = 1
    assert {name for name in "AB" if space.is_edited(name)} == set()


def test_what_the_browser_sends_is_not_trusted(view):
    board = view.board
    board.source.data = {"birth": [None, 0.1, "x"], "death": [1.0, float("inf"), 2]}
    assert len(board.diagram) == 0


def printed(view, tmp_path, monkeypatch, capsys):
    (tmp_path / "diagrams.npz").write_bytes(view.as_npz().getvalue())
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    exec(view.as_python(), {})
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("source", ["point_clouds", "upload"])
def test_python_prints_what_is_on_screen(view, source, tmp_path, monkeypatch, capsys):
    space = view.workspace
    if source == "point_clouds":
        use_small(space)
    view.slider.value = 0.1 + 0.05
    for change in ({}, {"index_a": 2}, {"dimension": space.dataset.dimensions[0]}):
        space.param.update(**change)
        total, *rest = printed(view, tmp_path, monkeypatch, capsys)
        assert total.replace(",", " ·") == describe(space.dataset, space.dimension) \
            .replace(f" in H{space.dimension}", "").replace(",", "")  # fmt: skip
        alive = [line.rpartition(" ")[2] for line in rest[:2]]
        assert f"{alive[0]} of A, {alive[1]} of B" in view._alive.object
        table = view.table.value
        rows = [line.split(", ") for line in rest[3 : 3 + len(table)]]
        assert [row[0] for row in rows] == table["sample"].tolist()
        columns = ["points", "total persistence", "longest", "median"]
        np.testing.assert_allclose(
            np.array(rows)[:, 1:].astype(float), table[columns].to_numpy(dtype=float)
        )
    # One diagram drawn by hand: the other is still that of the set.
    space.edit([(0.1, 0.3)], space.diagram_b)
    lines = view.as_python()
    assert "A = np.array([(0.1, 0.3)]).reshape(-1, 2)" in lines
    assert f"B = diagrams[{space.index_b}]" in lines
    assert f"t = {float(f'{view.level:.12g}')!r}" in lines
    out = printed(view, tmp_path, monkeypatch, capsys)
    assert out[1].startswith("A has 1 points")


def test_values_of_sliders_carry_no_dust():
    generator = Generator(Workspace())
    generator.knobs["noise"].value = 0.1 + 0.05
    assert generator.changes == {"noise": 0.15}


def test_downloads_can_be_read_again(view):
    for content, name in ((view.as_npz(), "a.npz"), (view.as_csv(), "a.csv")):
        again = load(content.getvalue(), name)
        assert again.names == FEW.names
        assert again.labels.tolist() == FEW.labels.tolist()


def test_the_level_and_the_way_are_in_the_link_until_the_pair_changes(view):
    workspace = view.workspace
    workspace.tab = "Slices"
    use_small(workspace)
    assert workspace.settings == {}
    view.slider.value = level = 0.25 * view.slider.start + 0.75 * view.slider.end
    view.way = "Upload"
    again = Workspace.of_set(FEW)
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
