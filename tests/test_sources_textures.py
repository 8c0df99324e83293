"""Textures: patterns and diagrams by hand, photographs, folders and OUTEX's layout."""

import struct

import numpy as np
import pytest
from PIL import Image as PillowImage

from swviz.errors import DiagramFileError, ParameterError, SwvizError
from swviz.sources import TEXTURES, textures, train_test
from swviz.sources.patterns import binary_patterns
from swviz.sources.persistence import picture_diagram


def noise(seed, size=24):
    return np.random.default_rng(seed).integers(0, 256, (size, size), dtype=np.uint8)


def write_png(path, pixels):
    path.parent.mkdir(parents=True, exist_ok=True)
    PillowImage.fromarray(pixels).save(path)


def write_ras(path, pixels):
    """Sun raster, 8 bits, without a colour map: the format of OUTEX's pictures."""
    path.parent.mkdir(parents=True, exist_ok=True)
    height, width = pixels.shape
    header = struct.pack(">8I", 0x59A66A95, width, height, 8, width * height, 1, 0, 0)
    path.write_bytes(header + pixels.tobytes())


def hand_written_patterns(pixels):
    """Codes of the four neighbours that lie on pixels: bits 0, 2, 4 and 6."""
    centre = pixels[1:-1, 1:-1]
    right, up = pixels[1:-1, 2:], pixels[:-2, 1:-1]
    left, down = pixels[1:-1, :-2], pixels[2:, 1:-1]
    bits = ((right, 0), (up, 2), (left, 4), (down, 6))
    return sum((p >= centre).astype(int) << bit for p, bit in bits)


def flood_diagram(values):
    """H0 of sublevel sets with eight neighbours, by merging components plainly."""
    cells = sorted(np.ndindex(values.shape), key=lambda c: values[c])
    lead, finite = {}, []

    def find(c):
        while lead[c] != c:
            c = lead[c]
        return c

    for c in cells:
        lead[c] = c
        for step in np.ndindex(3, 3):
            other = (c[0] + step[0] - 1, c[1] + step[1] - 1)
            if other in lead:
                a, b = find(c), find(other)
                if a != b:
                    young, old = (a, b) if values[a] >= values[b] else (b, a)
                    lead[young] = old
                    if values[young] < values[c]:
                        finite.append((values[young], values[c]))
    return sorted(finite)


def test_patterns_compare_each_pixel_with_its_neighbours():
    pixels = noise(0)
    codes = binary_patterns(pixels)
    assert codes.shape == (22, 22)
    np.testing.assert_array_equal(codes & 0b01010101, hand_written_patterns(pixels))


def test_patterns_of_extremes():
    pixels = np.full((3, 3), 10, dtype=np.uint8)
    pixels[1, 1] = 200
    assert binary_patterns(pixels).tolist() == [[0]]
    pixels[1, 1] = 0
    assert binary_patterns(pixels).tolist() == [[255]]
    assert binary_patterns(pixels, "uniform").tolist() == [[8]]


def test_rotation_invariant_patterns_do_not_change_with_quarter_turns():
    pixels = noise(1)
    turned = np.rot90(binary_patterns(pixels, "ror"))
    np.testing.assert_array_equal(binary_patterns(np.rot90(pixels), "ror"), turned)


@pytest.mark.parametrize("seed", range(5))
def test_diagram_of_a_picture_is_that_of_plain_merging(seed):
    values = np.random.default_rng(seed).integers(0, 9, (9, 11)).astype(np.uint8)
    finite = flood_diagram(values.astype(int))
    found = picture_diagram(values, "drop")
    assert sorted(map(tuple, found.tolist())) == finite
    capped = picture_diagram(values, "cap")
    assert sorted(map(tuple, capped.tolist())) == sorted(
        [*finite, (values.min(), values.max())]
    )


def test_photographs_are_cut_in_patches():
    several = textures(per_class=2, cache=False)
    assert several.class_names == ("brick", "grass", "gravel")
    assert len(several) == 6
    for sample in several:
        image = sample.origins[0]
        assert image.pixels.shape == (128, 128)
        assert image.descriptor.shape == (126, 126)
        expected = picture_diagram(image.descriptor, "drop")
        np.testing.assert_array_equal(sample.in_dimension(0)[0], expected)
    assert len(textures(size=256, cache=False)) == 3 * 4


def test_patches_are_those_of_the_photograph():
    from skimage.data import gravel

    several = textures(size=256, cache=False)
    patches = [o.pixels for o in several[several.labels == "gravel"].origins]
    np.testing.assert_array_equal(np.block([patches[:2], patches[2:]]), gravel())


def test_generated_textures_differ_by_class_and_seed():
    small = {"pictures": "generated", "size": 48, "per_class": 2, "cache": False}
    one, same, other = (textures(**small, random_state=s) for s in (1, 1, 2))
    assert set(one.class_names) == set(TEXTURES)
    for a, b, c in zip(one.origins, same.origins, other.origins, strict=True):
        assert np.array_equal(a.pixels, b.pixels)
        assert not np.array_equal(a.pixels, c.pixels)
        assert a.pixels.min() == 0 and a.pixels.max() == 255


def test_folder_of_class_folders(tmp_path):
    for label in ("linen", "cork"):
        for index in range(3):
            write_png(tmp_path / label / f"{index}.png", noise(index, 20 + index))
    (tmp_path / "linen" / "notes.txt").write_text("not a picture")
    several = textures(tmp_path, cache=False)
    assert several.labels.tolist() == ["cork"] * 3 + ["linen"] * 3
    assert several.names[0] == "cork/0"
    assert several.origins[2].pixels.shape == (22, 22)
    assert len(textures(tmp_path, per_class=1, cache=False)) == 2
    with pytest.raises(ParameterError, match="no fixed split"):
        train_test(several)


@pytest.fixture
def outex(tmp_path):
    """OUTEX's layout with four pictures: Sun raster, BMP and PNG files."""
    writers = {"ras": write_ras, "bmp": write_png, "png": write_png}
    endings = ["ras", "ras", "bmp", "png"]
    for index, ending in enumerate(endings):
        path = tmp_path / "images" / f"{index:06d}.{ending}"
        writers[ending](path, noise(index))
    for split, (train, test) in {"000": ((0, 3), (1, 2)), "001": ((1,), (3,))}.items():
        (tmp_path / split).mkdir()
        for name, chosen in (("train", train), ("test", test)):
            lines = [str(len(chosen))]
            lines += [f"{i:06d}.{endings[i]} {i % 2}" for i in chosen]
            (tmp_path / split / f"{name}.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "000" / "classes.txt").write_text("2\ncanvas001 0\ntile005 1\n")
    return tmp_path


def test_outex_layout_keeps_its_split(outex):
    several = textures(outex, cache=False)
    train, test = train_test(several)
    assert train.names == ("canvas001/000000", "tile005/000003")
    assert test.names == ("tile005/000001", "canvas001/000002")
    for origin, seed in zip(several.origins, (0, 3, 1, 2), strict=True):
        np.testing.assert_array_equal(origin.pixels, noise(seed))


def test_outex_other_problem_without_names_of_classes(outex):
    train, test = train_test(textures(outex, problem=1, cache=False))
    assert train.labels.tolist() == test.labels.tolist() == ["1"]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("000/train.txt", "2\n000000.ras 0\nlonely\n", r"train\.txt, line 3"),
        ("000/train.txt", "1\nmissing.ras 0\n", r"missing\.ras"),
        ("000/train.txt", "1\nmissing.png 0\n", r"missing\.png"),
        ("images/000000.ras", "damaged", r"000000\.ras.*convert it to PNG"),
        ("images/000003.png", "damaged", r"000003\.png"),
    ],
)
def test_broken_outex_folders_name_the_file(outex, file, text, message):
    (outex / file).write_text(text)
    with pytest.raises(DiagramFileError, match=message):
        textures(outex, cache=False)


def test_split_files_that_are_missing_or_leave_the_folder(outex):
    with pytest.raises(DiagramFileError, match=r"007/train\.txt: cannot be read"):
        textures(outex, problem=7, cache=False)
    (outex / "secret.png").write_bytes((outex / "images/000003.png").read_bytes())
    (outex / "000" / "train.txt").write_text("1\n../secret.png 0\n")
    with pytest.raises(DiagramFileError, match=r"images/secret\.png"):
        textures(outex, cache=False)


def test_tiny_pictures_and_empty_folders_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(DiagramFileError, match="no pictures"):
        textures(tmp_path)
    write_png(tmp_path / "class" / "1.png", noise(0, size=4))
    with pytest.raises(SwvizError, match="sides of 8 pixels"):
        textures(tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"pictures": "no such folder"},
        {"size": 8},
        {"size": 1000},
        {"per_class": 0},
        {"pictures": "generated", "per_class": 501},
        {"patterns": "var"},
        {"problem": -1},
        {"essential": "error"},
        {"n_jobs": "two"},
    ],
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(ParameterError):
        textures(**wrong)


def test_outex_cannot_be_cut(outex):
    with pytest.raises(ParameterError, match="fixed"):
        textures(outex, per_class=1)
