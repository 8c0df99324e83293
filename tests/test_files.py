"""Files of every format, written here: what is read, what is refused, how."""

import io
import json
import os
import stat
import time
import warnings
import zipfile

import gudhi
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, ParameterError
from swviz.files import (
    Limits,
    labels_from_names,
    load,
    load_cloud,
    load_image,
    load_mesh,
    save,
)
from tests.file_mutations import (
    POINTS,
    TETRAHEDRON,
    bomb,
    chunk,
    npy,
    npy_claiming,
    npz,
    png,
    zipped,
)

INF = float("inf")


def contents(diagram_set):
    """Plain lists by dimension, one per sample."""
    return {
        dimension: [d.tolist() for d in diagram_set.in_dimension(dimension)]
        for dimension in diagram_set.dimensions
    }


def assert_identical(again, original):
    assert again.dimensions == original.dimensions
    assert again.names == original.names
    for dimension in original.dimensions:
        pairs = zip(
            again.in_dimension(dimension), original.in_dimension(dimension), strict=True
        )
        for left, right in pairs:
            assert left.shape == right.shape and left.tobytes() == right.tobytes()
    if original.labels is None:
        assert again.labels is None
    else:
        assert again.labels.dtype.kind == original.labels.dtype.kind
        np.testing.assert_array_equal(again.labels, original.labels)


def refusal(data, name, reader=load, **options):
    with pytest.raises(DiagramFileError) as caught:
        reader(data, name, **options)
    message = str(caught.value)
    assert message.startswith(name)
    assert "unforeseen" not in message
    return message


# Text: two columns, three, four; separators; headers.

TWO_COLUMNS = {0: [[[0.0, 0.5], [0.25, 1.0]]]}


@pytest.mark.parametrize(
    "text",
    [
        b"0,0.5\n0.25,1\n",
        b"0;0.5\n0.25;1",
        b"0\t0.5\n0.25\t1\n",
        b"  0 0.5\n0.25    1\n",
        b"0, 0.5\n0.25, 1\n",
        b'"0","0.5"\n"0.25","1"\n',
        b"birth,death\n0,0.5\n0.25,1\n",
        b"Death;Birth\n0.5;0\n1;0.25\n",
        b"# a comment\n\n0 0.5 # here too\n   # and here\n0.25 1e0\n",
        b"\xef\xbb\xbf0,0.5\r\n0.25,1\r\n",
        b"\xef\xbb\xbfbirth,death\r\n0,0.5\r\n0.25,1\r\n",
        b"0 0.5\r0.25 1\r",
        "0 0.5\n0.25 1\n".encode("utf-16"),
        b"id,birth,death,persistence\nx,0,0.5,0.5\ny,0.25,1,0.75\n",
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.txt", "a.npy", "a"])
def test_two_columns(text, name):
    assert contents(load(text, name)) == TWO_COLUMNS


@pytest.mark.parametrize(
    "text",
    [
        b"0 0 0.5\n1 0.25 1\n",  # GUDHI's order
        b"0 0.5 0\n0.25 1 1\n",  # dimension last
        b"0.0e0,5e-1,0.0e0\n0.25,1,1.0\n",
        b"# birth death dimension\n0 0.5 0\n0.25 1 1\n",
        b"dim,b,d\n0,0,0.5\n1,0.25,1\n",
        b"Birth,Homology Dimension,Death\n0,0,0.5\n0.25,1,1\n",
        b"2 0 0 0.5\n2 1 0.25 1\n",  # GUDHI's with the field
    ],
)
def test_a_dimension_column_on_either_side(text):
    expected = {0: [[[0.0, 0.5]]], 1: [[[0.25, 1.0]]]}
    assert contents(load(text, "a.txt")) == expected


def test_an_order_that_puts_all_on_the_diagonal_gives_way():
    assert contents(load(b"0 0 1\n1 1 2\n", "a.txt")) == {
        0: [[[0.0, 1.0]]],
        1: [[[1.0, 2.0]]],
    }


def test_an_ambiguous_dimension_column_is_refused_and_a_header_settles_it():
    message = refusal(b"0 0.5 1\n", "a.txt")
    assert "line 1" in message and "both the first and the last" in message
    assert "dimension,birth,death" in message
    assert contents(load(b"dimension birth death\n0 0.5 1\n", "a.txt")) == {
        0: [[[0.5, 1.0]]]
    }
    assert contents(load(b"birth death dimension\n0 0.5 1\n", "a.txt")) == {
        1: [[[0.0, 0.5]]]
    }


def test_three_columns_of_which_none_is_a_dimension():
    assert "neither the first nor the last" in refusal(b"0.5 1 1.5\n", "a.txt")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"0 0.5\n0.25 1\n", TWO_COLUMNS),
        (b"0 0.5 1\n", {0: [[[0.5, 1.0]]]}),
        (b"2 1 0.5 1\n2 0 0 inf\n", {0: [[]], 1: [[[0.5, 1.0]]]}),
    ],
)
def test_pers_ends_in_birth_and_death(text, expected):
    assert contents(load(text, "a.pers")) == expected


def test_pers_is_read_as_gudhi_reads_it(tmp_path):
    path = tmp_path / "square.pers"
    path.write_text("# H0, H1\n2 0 0 inf\n2 0 0.0 0.5\n2  1 0.25 1e0\n2 0 0 0.75\n")
    by_gudhi = gudhi.read_persistence_intervals_grouped_by_dimension(str(path))
    loaded = load(path, essential=9)
    assert loaded.names == ("square",)
    assert loaded.provenance["n_essential"] == 1
    assert set(loaded.dimensions) == set(by_gudhi) == {0, 1}
    for dimension, intervals in by_gudhi.items():
        expected = [[birth, min(death, 9)] for birth, death in intervals]
        assert loaded.in_dimension(dimension)[0].tolist() == expected


def test_what_numpy_savetxt_writes():
    stream = io.BytesIO()
    np.savetxt(stream, np.c_[POINTS, [0, 1, 1]], header="birth death dimension")
    assert load(stream.getvalue(), "a.txt").dimensions == (0, 1)


def test_samples_names_and_labels_by_header():
    loaded = load(
        b"sample,name,class,birth,death\n"
        b'7,"b, c",2,0,1\n3,a,1,0,2\n7,"b, c",2,1,3\n9,none,2,,\n',
        "set.csv",
    )
    assert contents(loaded) == {
        0: [[[0.0, 2.0]], [[0.0, 1.0], [1.0, 3.0]], []],
    }
    assert loaded.names == ("a", "b, c", "none")
    assert loaded.labels.tolist() == [1, 2, 2] and loaded.labels.dtype == np.int64


def test_rows_are_grouped_by_name_without_a_sample_column():
    loaded = load("name;d;b\nü;1;0\nv;2;0\nü;3;0\n".encode(), "set.csv")
    assert loaded.names == ("ü", "v")
    assert contents(loaded) == {0: [[[0.0, 1.0], [0.0, 3.0]], [[0.0, 2.0]]]}


@pytest.mark.parametrize("text", [b"birth,death\n", b"# birth death\n"])
def test_a_header_alone_is_the_empty_diagram(text):
    assert contents(load(text, "a.csv")) == {0: [[]]}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (b"0,1\n0,one\n", 2, "'one' is not a number"),
        (b"# c\n\n0 1\n0 1 2\n", 4, "expected 2 columns as before, found 3"),
        (b"0,1\n0;1\n", 2, "expected 2 columns"),
        (b"0,1\n0\n", 2, "expected 2 columns"),
        (b"0;1\n0,5;1\n", 2, "decimals with a point"),
        (b"0 1\n\n2 1\n", 3, "the point (2, 1) dies before it is born"),
        (b"0 1\n0 nan\n", 2, "is not a number; remove"),
        (b"-inf 1\n", 1, "infinite birth"),
        (b"0 1e305\n", 1, "rescale"),
        (b"0,1\n0,\n", 2, "'' is not a number"),
        (b"1_0 20\n", 1, "'1_0'"),
        ("0 1\n0 −1\n".encode(), 2, "is not a number"),
        (b"x,y\n0,1\n", 1, "load_cloud"),
        (b"1\n2\n", 1, "found 1 columns"),
        (b"0 1 2 3 4\n", 1, "found 5 columns"),
        (b"birth,death\n0,1\n0,1,2\n", 3, "2 columns as in the header, found 3"),
        (b"birth,death\n\n# c\n0,x\n", 4, "'x' is not a number"),
        (b"dim,birth,death\n0,0,1\n0.5,0,1\n", 3, "0.5 is not a homology dimension"),
        (b"dim,birth,death\n-1,0,1\n", 2, "-1 is not a homology dimension"),
        (b"sample,birth,death\n0.5,0,1\n", 2, "sample 0.5 is not a whole number"),
        (b"name,birth,death\na,0,1\n\xff,0,1\n", 3, "not UTF-8"),
        (b'name,birth,death\n"a,0,1\nb,0,1\n', 2, "expected 3 columns"),
        (b'birth,death,name\n0,1,"a\n0,1,b\n', 2, "quote"),
        ("birth,death\n0,1\u00a0\n".encode(), 2, "is not a number"),
        (b"b,d\n0,1_0\n", 2, "'1_0' is not a number"),
        (b"birth,death" + b",x" * 30, 1, "32 columns, more than 12"),
        (b'" "0.75\n', 1, "is not a number"),
        ("0 1\n\u00a0\n".encode(), 2, "expected 2 columns"),
        (b"0,1\n" + b"9" * 200_000, 2, "200000 bytes"),
        (b"0 1\n" * 40_000 + b"0 x\n" + b"0 1\n" * 40_000, 40_001, "'x'"),
    ],
)
def test_text_refused_with_its_line(text, line, words):
    message = refusal(text, "some file.csv")
    assert message.startswith(f"some file.csv, line {line}: ")
    assert words in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "empty"),
        (b"# only a comment\n", "no point and no header"),
        (b"\xef\xbb\xbf", "no point and no header"),
        (b"0 1\0\n", "neither text nor"),
        (b"\xff\xfe0", "utf-16"),
        (b"birth,death,b\n0,1,2\n", "birth twice"),
    ],
)
def test_text_refused_as_a_whole(text, words):
    assert words in refusal(text, "a.csv")


def test_errors_count_the_rows_like_the_first():
    assert "(2, 1) and 2 more" in refusal(b"0 1\n2 1\n3 1\n4 1\n", "a.txt")


# Points that never die.


@pytest.mark.parametrize("written", [b"inf", b"Infinity", b"+INF", b"1e999"])
def test_essential_points(written):
    text = b"0 1\n0.5 " + written + b"\n"
    dropped = load(text, "a.txt")
    assert contents(dropped) == {0: [[[0.0, 1.0]]]}
    assert dropped.provenance["n_essential"] == 1
    assert contents(load(text, "a.txt", essential=3)) == {0: [[[0.0, 1.0], [0.5, 3.0]]]}
    message = refusal(text, "a.txt", essential="error")
    assert "line 2" in message and 'essential="drop"' in message
    assert "larger cap" in refusal(text, "a.txt", essential=0.25)


@pytest.mark.parametrize("essential", ["keep", INF, float("nan"), None])
def test_unknown_treatment_of_essential_points(essential):
    with pytest.raises(ParameterError, match="essential must be"):
        load(b"0 1", "a.txt", essential=essential)


def test_the_dimension_where_the_file_does_not_say():
    loaded = load(b"0 1", "a.txt", dimension=1)
    assert loaded.dimensions == (1,)
    assert loaded.provenance["assumed_dimension"] == 1
    with pytest.raises(ParameterError, match="dimension must be"):
        load(b"0 1", "a.txt", dimension=-1)


# Arrays.


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (POINTS, {0: [POINTS.tolist()]}),
        (np.asfortranarray(POINTS), {0: [POINTS.tolist()]}),
        (POINTS.astype(">f4"), {0: [POINTS.tolist()]}),
        (np.array([[0, 2]], dtype=np.uint8), {0: [[[0.0, 2.0]]]}),
        (np.empty((0, 2)), {0: [[]]}),
        (np.empty(0), {0: [[]]}),
        (np.array([[0.0, 1.0, 1.0]]), {1: [[[0.0, 1.0]]]}),
        (np.array([[0.0, 0.5, 1.0]]), {1: [[[0.0, 0.5]]]}),  # both fit: last
        (np.array([[1.0, 0.25, 0.5]]), {1: [[[0.25, 0.5]]]}),
        (POINTS[None].repeat(2, axis=0), {0: [POINTS.tolist()] * 2}),
        (np.empty((0, 4, 3)), {0: []}),
    ],
)
def test_npy(array, expected):
    assert contents(load(npy(array), "a.npy")) == expected


def test_padding_in_arrays_of_many_samples_is_left_out():
    loaded = load(npy([[[0, 1, 0], [2, 2, 1]], [[0, 3, 0], [0.5, 1, 1]]]), "giotto.npy")
    assert contents(loaded) == {0: [[[0, 1]], [[0, 3]]], 1: [[], [[0.5, 1]]]}
    assert loaded.provenance["n_padding"] == 1


def test_npz_by_names():
    one = load(npz(H0=POINTS, H1=POINTS[:0]), "a.npz")
    assert contents(one) == {0: [POINTS.tolist()], 1: [[]]}
    many = load(npz(a_H1=POINTS, b_H1=POINTS[:1], b_H2=POINTS[:2]), "a.npz")
    assert many.names == ("a", "b")
    assert contents(many) == {
        1: [POINTS.tolist(), POINTS[:1].tolist()],
        2: [[], POINTS[:2].tolist()],
    }


def test_npz_of_unnamed_samples_with_labels():
    loaded = load(npz(x=POINTS, y=POINTS[:1], labels=np.array(["u", "v"])), "a.npz")
    assert loaded.names == ("x", "y") and loaded.labels.tolist() == ["u", "v"]
    assert contents(loaded) == {0: [POINTS.tolist(), POINTS[:1].tolist()]}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (npy_claiming("(1000000000000, 2)"), "max_points=1000000000000"),
        (npy_claiming("(0, 1000000000000, 2)"), "max_points"),
        (npy_claiming("(1000000000000, 0)"), "max_points"),
        (npy_claiming("(100, 2)"), "ends early"),
        (npy_claiming("(-1, 2)"), "header is damaged"),
        (npy_claiming("(2, 2)", "'|O'"), "never unpickled"),
        (npy_claiming("(2, 2)", "[('a', '<f8')]"), "not a plain array"),
        (npy_claiming("(2, 2)", "'<c16'"), "complex128"),
        (npy(POINTS)[:60], "header is damaged"),
        (npy(POINTS)[:9], "cut off"),
        (npy(POINTS)[:-1], "ends early"),
        (npy([0.0, 1.0]), "shape (2,)"),
        (npy(["a"]), "<U1"),
        (npy([[True, True]]), "bool"),
        (npy([[0.0, np.nan]]), "row 0 of the array"),
        (npy([[0.0, 1.0], [2.0, 1.0]]), "row 1 of the array"),
    ],
)
def test_npy_refused(data, words):
    assert words in refusal(data, "a.npy")


def test_pickled_objects_are_refused():
    stream = io.BytesIO()
    np.save(stream, np.array([[1], [2, 3]], dtype=object), allow_pickle=True)
    assert "never unpickled" in refusal(stream.getvalue(), "a.npy")
    assert "pickle" in refusal(b"\x80\x04\x95", "a.pkl")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (zipped({"a.npy": npy_claiming("(1000000000000, 2)")}), "max_points"),
        (zipped({"a.txt": b"0 1"}), "'a.txt': is not a NumPy array"),
        (zipped({}), "no diagram"),
        (zipped({"xl/workbook.xml": b""}), "Office document"),
        (npz(a=POINTS)[:-30], "damaged"),
        (npz(a=POINTS, b=np.zeros(3)), "array 'b'"),
        (npz(a=POINTS, b=POINTS - [[0, 9]]), "row 0 of array 'b'"),
        (npz(a=POINTS, b=np.zeros((1, 3))), "some diagrams have two columns"),
        (npz(H0=POINTS, b=POINTS), "some diagrams have a homology dimension"),
        (npz(a=POINTS, labels=np.array([1, 2])), "labels have shape"),
    ],
)
def test_npz_refused(data, words):
    assert words in refusal(data, "a.npz")


def test_a_zip_bomb_is_refused_by_its_table_and_a_lie_by_its_end():
    honest = bomb(100_000_000)
    assert len(honest) < 200_000
    assert "max_bytes" in refusal(honest, "bomb.npz")
    assert "damaged" in refusal(bomb(50_000_000, claimed=176), "bomb.npz")


def test_unbounded_methods_of_compression_are_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.npy", npy(POINTS))
    assert "numpy.savez_compressed" in refusal(stream.getvalue(), "a.npz")


def test_many_members_are_refused_before_they_are_listed():
    data = zipped({f"{index}.npy": b"" for index in range(30)})
    message = refusal(data, "a.npz", limits=Limits(max_diagrams=29))
    assert "holds 30 arrays" in message and "Limits(max_diagrams=30)" in message


# JSON.


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ([[0, 1], [0.5, 2]], {0: [[[0, 1], [0.5, 2]]]}),
        ([[0, 1], [0.5, None]], {0: [[[0, 1]]]}),
        ([[0, 1], [0.5, INF]], {0: [[[0, 1]]]}),
        ([], {0: [[]]}),
        ([[], []], {0: [[], []]}),
        ([[[0, 1]], [], [[0, 2]]], {0: [[[0, 1]], [], [[0, 2]]]}),
        ([[0, 1, 0], [0.5, 2, 1]], {0: [[[0, 1]]], 1: [[[0.5, 2]]]}),
        ([[[0, 0.5, 1]], [[0, 1, 0]]], {0: [[], [[0, 1]]], 1: [[[0, 0.5]], []]}),
        ([[1, [0, 1]], [0, [0, INF]]], {0: [[]], 1: [[[0, 1]]]}),
        ({"dgms": [[[0, 1]], []]}, {0: [[[0, 1]]], 1: [[]]}),
        ({"dgms": [[[0, 1]]], "num_edges": 3}, {0: [[[0, 1]]]}),
        ([{"dgms": [[[0, 1]]]}, {"dgms": [[]]}], {0: [[[0, 1]], []]}),
        ({"H1": [[0, 1]], "H2": []}, {1: [[[0, 1]]], 2: [[]]}),
        ({"diagrams": [[[0, 1]], []]}, {0: [[[0, 1]], []]}),
        ([[[[0, 1]], [[1, 2]]]], {0: [[[0, 1]]], 1: [[[1, 2]]]}),
    ],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf\n"])
def test_json(tree, expected, mark):
    loaded = load(mark + json.dumps(tree).encode(), "a.json")
    assert contents(loaded) == expected


def test_json_with_labels_and_names():
    tree = {"diagrams": [[[0, 1]], []], "labels": [1, 2], "names": ["é", "b"]}
    loaded = load(json.dumps(tree, ensure_ascii=False).encode(), "a.json")
    assert loaded.names == ("é", "b") and loaded.labels.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[[0, 1],\n[0, ]]", "line 2: is not JSON"),
        (b"[[0, 1", "line 1: is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"dgms": [], "dgms": []}', "'dgms' is there twice"),
        (b"[[0, %s]]" % (b"9" * 5000), "digits"),
        (b"[[0, %s]]" % (b"9" * 400), "row 0 of diagram 0"),
        (b"[[0, 1], [0, NaN]]", "row 1 of diagram 0"),
        (b"[[0, 1], [null, 1]]", "row 1 of diagram 0"),
        (b"[[0, 1], [0, true, 1]]", "row 1 of diagram 0"),
        (b'[[0, 1], [0, "x"]]', "row 1 of diagram 0"),
        (b"[[[0, 1]], [[2, 1]]]", "row 0 of diagram 1"),
        (b"[[0, [0, 1]], [0.5, [0, 1]]]", "row 1 of diagram 0"),
        (b"[1, 2]", "instead of a list of points"),
        (b"{}", "no diagram"),
        (b'{"points": []}', "'points' is not understood"),
        (b'"text"', "instead of a list of diagrams"),
        (b"\xff", "line 1: is not UTF-8"),
        (b'{"diagrams": [[]], "labels": [1, "a"]}', '"labels" must be'),
        (b'{"diagrams": [[]], "labels": ["a", "b"]}', "labels have shape"),
        (b'{"diagrams": [[]], "names": 1}', '"names" must be'),
    ],
)
def test_json_refused(text, words):
    assert words in refusal(text, "a.json")


# The content decides, not the ending.


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.npz", "a.json.txt", "a.xyz"])
def test_the_wrong_ending_is_read_by_content(name):
    expected = {0: [POINTS.tolist()]}
    assert contents(load(npy(POINTS), name)) == expected
    assert contents(load(npz(a=POINTS), name)) == expected
    assert contents(load(json.dumps(POINTS.tolist()).encode(), name)) == expected


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (png(np.zeros((2, 2))), "swviz.sources.from_picture"),
        (TETRAHEDRON, "swviz.sources.shapes"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"%PDF-1.4", "PDF"),
    ],
)
def test_other_kinds_of_files_are_named(data, words):
    assert words in refusal(data, "a.csv")


# Limits.


def test_every_limit_says_its_name_and_how_to_raise_it():
    rows = b"0 1\n" * 11
    for limits, data, name in (
        (Limits(max_bytes=43), rows, "max_bytes=44"),
        (Limits(max_rows=10), rows, "max_rows=11"),
        (Limits(max_rows=10), b"0 %s\n" % (b"1" * 3000), "max_rows=12"),
        (Limits(max_points=2), npy(POINTS), "max_points=3"),
        (Limits(max_diagrams=1), b"[[], []]", "max_diagrams=2"),
    ):
        assert f"limits=Limits({name})" in refusal(data, "a.dat", limits=limits)


def test_a_million_rows_are_refused_or_read():
    row = b"0.26978671376387032,0.63696168732145432\n"
    start = time.perf_counter()
    assert "Limits(max_rows=1000000)" in refusal(row * 1_000_000, "a.csv")
    refused = time.perf_counter()
    loaded = load(row * 1_000_000, "a.csv", limits=Limits(max_rows=1_000_000))
    read = time.perf_counter()
    assert len(loaded.in_dimension(0)[0]) == 1_000_000
    # About 0.1 and 1 s on a quiet machine; loose, for it may not be.
    assert refused - start < 2 and read - refused < 10


def test_json_is_counted_before_it_is_parsed():
    assert "max_rows" in refusal(b"[" + b"[]," * 1_000_000, "a.json")
    assert "max_diagrams" in refusal(b"[" + b"{}," * 20_000, "a.json")
    wide = b'["\\ud83d\\ude00' + b" " * 8_000_000 + b'"]'
    assert "ASCII" in refusal(wide, "a.json")


# Paths.


def test_a_path_is_read_and_named(tmp_path):
    path = tmp_path / "circle.csv"
    path.write_bytes(b"0,1\n")
    for given_as in (path, str(path)):
        loaded = load(given_as)
        assert loaded.names == ("circle",)
        assert loaded.provenance["file"] == str(path)
    path.write_bytes(b"0,x\n")
    assert refusal(path, None or str(path)).startswith(f"{path}, line 1")


def test_paths_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "none.csv", "a\0b", "x" * 5000):
        with pytest.raises(DiagramFileError) as caught:
            load(path)
        assert str(path) in str(caught.value)
    with pytest.raises(DiagramFileError, match=r"file\.read\(\)"):
        load(io.BytesIO(b"0 1"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert stat.S_ISFIFO((tmp_path / "pipe.csv").stat().st_mode)
    with pytest.raises(DiagramFileError, match="no regular file"):
        load(tmp_path / "pipe.csv")


def test_bytes_like_objects_are_taken():
    assert contents(load(bytearray(b"0 1"))) == {0: [[[0.0, 1.0]]]}
    assert contents(load(memoryview(b"0 1"))) == {0: [[[0.0, 1.0]]]}


# Writing.

COORDINATES = st.floats(-1e300, 1e300, allow_nan=False)
DIAGRAMS = st.lists(st.tuples(COORDINATES, COORDINATES).map(sorted), max_size=4).map(
    lambda rows: np.array(rows, dtype=float).reshape(-1, 2)
)
# What a table could stumble over; all of Unicode takes seconds to set up.
TEXT = st.text(
    st.sampled_from("ab1 ,;.'\"\\#\n\r\t\0é∞\u2028\ud800\U0001f600"), max_size=6
)
LABELS = (
    TEXT,
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.floats(allow_nan=False),
    st.floats(allow_nan=False, width=32).map(np.float32),
)


@st.composite
def diagram_sets(draw):
    n_samples = draw(st.integers(0, 3))
    dimensions = draw(st.sets(st.integers(0, 1000), min_size=1, max_size=3))
    exactly = {"min_size": n_samples, "max_size": n_samples}
    labels = None
    if draw(st.booleans()):
        kind = LABELS[draw(st.integers(0, len(LABELS) - 1))]
        labels = np.array(draw(st.lists(kind, **exactly)))
        if not n_samples:
            labels = labels.astype(draw(st.sampled_from(["U3", "int64", "bool"])))
    return DiagramSet(
        {d: draw(st.lists(DIAGRAMS, **exactly)) for d in dimensions},
        labels=labels,
        names=draw(st.lists(TEXT, **exactly)),
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("saved")


@pytest.mark.parametrize("ending", ["npz", "csv"])
@settings(deadline=None)
@given(original=diagram_sets())
def test_what_is_saved_reads_back_identical(original, ending, folder):
    path = folder / f"set.{ending}"
    save(original, path)
    assert_identical(load(path), original)


@pytest.mark.parametrize("ending", ["npz", "csv", "CSV"])
def test_names_that_would_break_a_table(ending, tmp_path):
    names = ['"', "a,b", "# c", "\n\r\0", "\\u000a", " d ", "", "é∞\ud800\u2028"]
    original = DiagramSet({0: [[(0, 0.1)]] * 8, 2: [[]] * 8}, labels=names, names=names)
    save(original, tmp_path / f"set.{ending}")
    assert_identical(load(tmp_path / f"set.{ending}"), original)


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_provenance_is_kept_as_far_as_json_goes(ending, tmp_path):
    provenance = {
        "source": "orbits",
        "n": 3,
        "r": (2.5, np.float64(4.1)),
        "seed": np.int64(7),
        "more": {1: np.arange(2)},
        "function": abs,
        "text": "two\nlines é",
    }
    path = tmp_path / f"set.{ending}"
    save(DiagramSet({1: [[(0, 1)]]}, provenance=provenance), path)
    again = load(path)
    assert again.provenance == {
        "source": "orbits",
        "n": 3,
        "r": [2.5, 4.1],
        "seed": 7,
        "more": {"1": [0, 1]},
        "function": "<built-in function abs>",
        "text": "two\nlines é",
    }
    # Saving what was loaded changes nothing any more.
    save(again, tmp_path / f"again.{ending}")
    assert (tmp_path / f"again.{ending}").read_bytes() == path.read_bytes()


def test_a_saved_csv_is_readable(tmp_path):
    diagrams = {1: [[(0.1, 0.2)], []]}
    save(DiagramSet(diagrams, labels=[3, 4], names=["a", "b"]), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == (
        "# swviz diagrams 1\n"
        "# labels: int64\n"
        "# provenance: {}\n"
        "sample,dimension,birth,death,label,name\n"
        '0,1,0.1,0.2,3,"a"\n'
        '1,1,,,4,"b"\n'
    )


def test_saving_that_cannot_work(tmp_path):
    few = DiagramSet({1: [[(0, 1)]]})
    for path, words in (
        (tmp_path / "a.txt", ".npz or .csv"),
        (tmp_path / "none" / "a.csv", "cannot be written"),
    ):
        with pytest.raises(DiagramFileError, match=words):
            save(few, path)
    with pytest.raises(DiagramFileError, match="1000000 is not a homology dimension"):
        save(DiagramSet({1_000_000: [[(0, 1)]]}), tmp_path / "a.csv")
    with pytest.raises(DiagramFileError, match=r"too long .* \.npz"):
        save(DiagramSet({1: [[]]}, names=["x" * 200_000]), tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"counts": np.array([[1, 1]])}, "do not fit"),
        ({"counts": np.array([[-1, 4]])}, "do not fit"),
        ({"counts": np.array([[2**62, 2**62]])}, "do not fit"),
        ({"dimensions": np.array([1.0])}, "do not fit"),
        ({"dimensions": np.array([-1])}, "not a homology dimension"),
        ({"meta": np.array("{}")}, "array meta"),
        ({"meta": np.array("[")}, "not JSON"),
        ({"meta": np.array("3")}, "array meta"),
        ({"labels": np.zeros(5)}, "labels have shape"),
    ],
)
def test_a_saved_npz_is_not_trusted(change, words):
    meta = {"format": "swviz diagrams 1", "names": ["a", "b"], "provenance": {}}
    arrays = {
        "meta": np.array(json.dumps(meta)),
        "points": POINTS,
        "counts": np.array([[1, 2]]),
        "dimensions": np.array([1]),
    }
    assert load(npz(**arrays), "a.npz").names == ("a", "b")
    assert words in refusal(npz(**arrays | change), "a.npz")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"int64", b"int8", "not every label"),
        (b"int64", b"complex", "not every label"),
        (b"{}", b"{", "line 3"),
        (b"{}", b"[]", "line 3: the provenance"),
    ],
)
def test_a_saved_csv_is_not_trusted(old, new, words, tmp_path):
    save(DiagramSet({1: [[(0, 1)]]}, labels=[300]), tmp_path / "a.csv")
    data = (tmp_path / "a.csv").read_bytes()
    assert words in refusal(data.replace(old, new), "a.csv")


# Meshes.


def assert_is_tetrahedron(mesh):
    assert mesh.vertices.tolist() == [[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]]
    assert mesh.faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]
    assert mesh.vertices.dtype == np.float64 and mesh.faces.dtype == np.int64
    assert not mesh.vertices.flags.writeable and not mesh.faces.flags.writeable


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"", b""),
        (b"\n", b"\r\n"),
        (b"OFF\n# corners of a cube\n4 4 6", b"OFF 4 4 6"),
        (b"4 4 6", b"4 4"),
        (b"OFF", b"# a comment\n\nOFF"),
        (b"OFF", b"\xef\xbb\xbfOFF"),
        (b"1 1 0\n", b"1 1 0  # a comment\n\n"),
    ],
)
def test_off(old, new):
    assert_is_tetrahedron(load_mesh(TETRAHEDRON.replace(old, new), "a.off"))


def test_off_with_colours_and_normals_of_vertices():
    coloured = TETRAHEDRON.replace(b"OFF", b"COFF").replace(
        b"1 1 0\n", b"1 1 0 255 0 0 255\n"
    )
    assert_is_tetrahedron(load_mesh(coloured, "a.off"))


@pytest.mark.parametrize(
    ("old", "new", "where", "words"),
    [
        (b"OFF", b"ply", ", line 1", "first word must be OFF"),
        (b"4 4 6", b"4 x 6", ", line 3", "expected the counts"),
        (b"4 4 6", b"1000000000000 4 6", "", "max_points"),
        (b"4 4 6", b"5 4 6", "", "announces 5 vertices"),
        (b"4 4 6", b"4 3 6", "", "announces 4 vertices and 3 faces"),
        (b"4 4 6", b"0 0 0", ", line 3", "no vertices"),
        (b"1 1 0", b"1 nan 0", ", line 5", "not finite"),
        (b"1 1 0", b"1 one 0", ", line 5", "'one' is not a number"),
        (b"1 1 0", b"1 1", ", line 5", "column 3 is missing"),
        (b"3 0 2 3", b"4 0 2 3 1", ", line 9", "4 corners; triangulate"),
        (b"3 0 2 3", b"3 0 2 4", ", line 9", "indices go from 0 to 3"),
        (b"3 0 2 3", b"3 0 2 -1", ", line 9", "-1 is not the index"),
        (b"3 0 2 3", b"3 0 2 0.5", ", line 9", "0.5 is not the index"),
        (b"3 0 2 3", b"3 0 2", ", line 9", "column 4 is missing"),
        (b"3 1 3 2\n", b"", "", "is the file complete"),
        (b"OFF", b"4OFF", ", line 1", "three dimensions"),
        (b"4 4 6\n0 0 0", b"1 7 6\n\x1c", ", line 4", "column 1 is missing"),
    ],
)
def test_off_refused(old, new, where, words):
    message = refusal(TETRAHEDRON.replace(old, new), "a.off", load_mesh)
    assert message.startswith(f"a.off{where}: ") and words in message


# Images.

RAMP = np.arange(0, 240, 20).reshape(3, 4)


def test_png_of_grey_levels():
    image = load_image(png(RAMP), "a.png")
    assert image.tolist() == RAMP.tolist()
    assert image.dtype == np.uint8 and not image.flags.writeable


def test_png_of_16_bits_keeps_the_upper_8():
    image = load_image(png(RAMP, depth=16), "a.png")
    assert image.tolist() == RAMP[:, ::2].tolist()


def test_png_of_colours_and_transparency():
    colours = np.array([[255, 255, 255, 0, 0, 0, 255, 0, 0]])
    assert load_image(png(colours, colour=2), "a.png").tolist() == [[255, 0, 76]]
    transparent = np.array([[255, 255, 255, 0, 10, 10, 10, 9]])
    assert load_image(png(transparent, colour=6), "a.png").tolist() == [[255, 10]]
    palette = chunk(b"PLTE", bytes([9, 9, 9, 200, 200, 200]))
    palette += chunk(b"tRNS", bytes([0, 128]))
    assert load_image(png([[0, 1]], colour=3, extra=palette), "a.png").tolist() == [
        [9, 200]
    ]


def test_png_with_chunks_that_could_hurt():
    for kind in (b"acTL", b"zTXt", b"iCCP", b"tEXt", b"gAMA", b"eXIf"):
        data = png(RAMP, extra=chunk(kind, bytes(9)))
        assert load_image(data, "a.png").tolist() == RAMP.tolist()


def damaged_png(old, new):
    return png(RAMP).replace(old, new)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"P5 1 1 255 0", "not a PNG"),
        (png(RAMP)[:-20], "cut off"),
        (png(RAMP)[:40], "cut off"),
        (damaged_png(b"IHDR\0\0\0\4", b"IHDR\0\0\0\5"), "checksum"),
        (png(RAMP)[:8] + chunk(b"IEND", b""), "does not start with its size"),
        (png(RAMP)[:8] + chunk(b"IHDR", bytes(13)), "no pixels"),
        (png(RAMP)[:33] + chunk(b"IDAT", b"x") + chunk(b"IEND", b""), "damaged"),
        (png(RAMP)[:33] + chunk(b"IEND", b""), "damaged"),
    ],
)
def test_png_refused(data, words):
    assert words in refusal(data, "a.png", load_image)


def test_the_size_of_an_image_is_checked_before_it_is_expanded():
    message = refusal(png(RAMP), "a.png", load_image, limits=Limits(max_pixels=11))
    assert "holds 12 pixels" in message and "Limits(max_pixels=12)" in message
    huge = chunk(b"IHDR", b"\x7f\xff\xff\xff" * 2 + bytes([8, 0, 0, 0, 0]))
    assert "max_pixels" in refusal(png(RAMP)[:8] + huge, "a.png", load_image)


# Clouds.


@pytest.mark.parametrize(
    "data",
    [
        b"0,1\n2,3\n",
        b"# c\n0 1\n2 3\n",
        b"x;y\n0;1\n2;3\n",
        b"east north\n0 1\n2 3\n",
        b"label,y,x\na,1,0\nb,3,2\n",
        npy([[0, 1], [2, 3]]),
    ],
)
def test_clouds(data):
    cloud = load_cloud(data, "a.csv")
    assert cloud.tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert cloud.dtype == np.float64 and not cloud.flags.writeable


def test_clouds_in_space():
    assert load_cloud(b"x,y,z\n1,2,3\n", "a.csv").tolist() == [[1.0, 2.0, 3.0]]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"0,1\n2,x\n", "line 2"),
        (b"0,1\n2,inf\n", "line 2: a coordinate is not finite"),
        (b"0 x\n", "line 1"),
        (b"x,y\n", "shape (0, 2)"),
        (b"0,1,2,3\n", "found 4 columns"),
        (npy([0.0, 1.0]), "shape (2,)"),
        (npy([[0.0, np.nan]]), "row 0"),
        (npy(["a"]), "instead of numbers"),
        (b"# nothing\n", "found 0 columns"),
        (b"", "empty"),
    ],
)
def test_clouds_refused(data, words):
    assert words in refusal(data, "cloud.csv", load_cloud)


def test_no_reader_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(npy(np.array([["0", "1e4000"]], dtype=np.longdouble)), "a.npy")
        load(b"[[0, 1e999]]", "a.json")
        refusal(b"# nothing", "a.csv")
        refusal(b"x,y\n", "a.csv", load_cloud)


# Labels from the names of files.


@pytest.mark.parametrize(
    "names, labels, how",
    [
        (["cat_0.csv", "cat_1.csv", "dog_0.csv"], ["cat", "cat", "dog"], "prefix"),
        (["cat 0.csv", "cat 12.csv", "dog 1.csv"], ["cat", "cat", "dog"], "prefix"),
        (["cat-0.csv", "cat-12.csv", "dog-1.csv"], ["cat", "cat", "dog"], "prefix"),
        (["cat0.csv", "cat12.csv", "dog.csv"], ["cat", "cat", "dog"], "prefix"),
        (["cat (1).csv", "cat (2).csv", "dog(1).csv"], ["cat", "cat", "dog"], "prefix"),
        (["cat.1.csv", "cat.2.csv", "dog.1.csv"], ["cat", "cat", "dog"], "prefix"),
        (["r=2.5_0.npy", "r=2.5_1.npy", "r=4_0.npy"], ["r=2.5", "r=2.5", "r=4"],
         "prefix"),
        (["a/cat/0.csv", "a/cat/1.csv", "a/dog/0.csv"], ["cat", "cat", "dog"],
         "folder"),
        (["a\\cat\\0.csv", "a\\dog\\0.csv"], ["cat", "dog"], "folder"),
        # One folder says nothing; the names in it may.
        (["a/cat_0.csv", "a/cat_1.csv", "a/dog_0.csv"], ["cat", "cat", "dog"],
         "prefix"),
        # A class each, one class for all, or no name left: no classes.
        (["cat.csv", "dog.csv"], None, None),
        (["cat_0.csv", "cat_1.csv"], None, None),
        (["0.csv", "1.csv", "cat_0.csv"], None, None),
        # A file beside the folders has no class.
        (["0.csv", "cat/0.csv", "dog/0.csv"], None, None),
        (["cat/0.csv"], None, None),
        ([], None, None),
    ],
)  # fmt: skip
def test_labels_from_names(names, labels, how):
    assert labels_from_names(names) == (labels, how)


# Folders, and lists of files.


@pytest.fixture
def classes(tmp_path):
    """Two classes in folders: cat/2.csv, cat/10.csv, dog/1.csv."""
    for place, death in (("cat/10", 3), ("cat/2", 2), ("dog/1", 1)):
        path = tmp_path / f"{place}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"dimension,birth,death\n1,0,{death}\n1,0,inf\n")
    (tmp_path / "notes.md").write_text("not a diagram")
    (tmp_path / ".hidden.csv").write_text("not a diagram")
    return tmp_path


def test_a_folder_is_a_set_with_its_folders_as_labels(classes):
    loaded = load(classes)
    assert contents(loaded) == {1: [[[0, 2]], [[0, 3]], [[0, 1]]]}
    assert loaded.labels.tolist() == ["cat", "cat", "dog"]
    assert loaded.names == ("cat/2", "cat/10", "dog/1")
    assert loaded.provenance["labels_from"] == "folder"
    assert loaded.provenance["n_essential"] == 3
    assert_identical(load(str(classes)), loaded)
    with pytest.raises(DiagramFileError, match=r"2\.csv.*never die"):
        load(classes, essential="error")


def test_a_list_of_files_has_labels_by_their_prefix(tmp_path):
    for name in ("cat_0", "cat_1", "dog_0"):
        (tmp_path / f"{name}.txt").write_text("0 1\n")
    paths = [tmp_path / f"{name}.txt" for name in ("dog_0", "cat_0", "cat_1")]
    for source in (paths, tuple(map(str, paths)), iter(paths)):
        loaded = load(source, dimension=2)
        assert loaded.dimensions == (2,)
        assert loaded.labels.tolist() == ["dog", "cat", "cat"]
        assert loaded.provenance["labels_from"] == "prefix"
        assert loaded.provenance["assumed_dimension"] == 2
    assert load(tmp_path).labels.tolist() == ["cat", "cat", "dog"]
    assert load(paths[1:]).labels is None


def test_labels_in_files_come_before_names_and_dimensions_are_filled(tmp_path):
    for name, label, dimensions in (("a_0", "x", (0, 1)), ("a_1", "y", (1,))):
        parts = {k: [[(0, 1)], [(0, 2)]] for k in dimensions}
        save(DiagramSet(parts, labels=[label] * 2), tmp_path / f"{name}.npz")
    loaded = load(tmp_path)
    assert loaded.labels.tolist() == ["x", "x", "y", "y"]
    assert loaded.names == ("a_0: 0", "a_0: 1", "a_1: 0", "a_1: 1")
    assert [len(d) for d in loaded.in_dimension(0)] == [1, 1, 0, 0]
    assert [len(d) for d in loaded.in_dimension(1)] == [1, 1, 1, 1]


def test_files_that_make_no_set_are_told(tmp_path):
    with pytest.raises(DiagramFileError, match="no files of diagrams"):
        load(tmp_path)
    with pytest.raises(DiagramFileError, match="no files in this list"):
        load([])
    with pytest.raises(DiagramFileError, match="must hold their paths, not int"):
        load([3])
    with pytest.raises(DiagramFileError, match="expected a path or bytes"):
        load({"a": b"0 1"})
    with pytest.raises(DiagramFileError, match=r"pass file.read\(\)"):
        load(io.StringIO("0 1"))
    (tmp_path / "said.csv").write_text("dimension,birth,death\n1,0,1\n")
    (tmp_path / "unsaid.csv").write_text("0,1\n")
    with pytest.raises(DiagramFileError, match=r"said.csv says the homology dimension"):
        load(tmp_path)
    save(DiagramSet({1: [[(0, 1)]]}, labels=["a"]), tmp_path / "unsaid.csv")
    with pytest.raises(DiagramFileError, match=r"unsaid.csv says labels"):
        load(tmp_path)
    (tmp_path / "unsaid.csv").write_text("0,x\n")
    with pytest.raises(DiagramFileError, match=r"unsaid.csv, line 1: 'x'"):
        load(tmp_path)
    with pytest.raises(DiagramFileError, match=r"2 files, more than the limit of 1"):
        load(tmp_path, limits=Limits(max_diagrams=1))
    with pytest.raises(DiagramFileError, match=r"bytes, more than the limit of 20"):
        load(tmp_path, limits=Limits(max_bytes=20))
