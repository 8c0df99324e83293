"""Files to break the readers with: small valid ones, mutations of them, monsters.

Used by the test of a few thousand files and by ``benchmarks/fuzz_files.py``.
"""

from __future__ import annotations

import io
import json
import re
import struct
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError
from swviz.files import Limits, Mesh, load, load_cloud, load_image, load_mesh
from swviz.files.images import PNG_MAGIC

Reader = Callable[..., Any]
READERS: dict[str, Reader] = {
    "diagrams": load,
    "cloud": load_cloud,
    "mesh": load_mesh,
    "image": load_image,
}
MOST_ROWS = Limits().max_rows
POINTS = np.array([[0.0, 0.5], [0.25, 1.0], [0.5, 0.75]])
TOKENS = [
    *(b"nan", b"inf", b"-inf", b"Infinity", b"null", b"NaN", b"1e999", b"-1", b"1_0"),
    *(b"", b"x", b"1e308", b"9" * 30, b"9" * 5000, b"0x10", b"1,5", b"\xff", b"\0"),
    *("∞".encode(), "−1".encode(), b'"', b"#", b"[", b"]", b"{", b"}", b":", b"'"),
    *("\xa0".encode(), b"\x1c", b"\x0c", b'""', b" # ", b"\\u0041"),
    *(b"1000000000000", b"2147483648", b"-9223372036854775808", b"\r", b"\n\n"),
]


@dataclass(frozen=True)
class Sample:
    """A file, what it is called, and the reader it goes to."""

    what: str
    name: str
    data: bytes
    kind: str = "diagrams"


@dataclass(frozen=True)
class Outcome:
    """What came of reading a file."""

    what: str
    result: str
    """Either "read", or "refused", or what escaped."""
    seconds: float
    cpu_seconds: float

    @property
    def escaped(self) -> bool:
        return self.result not in ("read", "refused")


def try_file(sample: Sample) -> Outcome:
    """Read a file; anything but a valid result or a `DiagramFileError` has escaped."""
    start, cpu_start = time.perf_counter(), time.process_time()
    try:
        result = READERS[sample.kind](sample.data, sample.name)
        outcome = "read" if _is_valid(result) else f"invalid result {result!r}"
    except DiagramFileError as error:
        told = sample.name in str(error) and "unforeseen" not in str(error)
        outcome = "refused" if told else f"unclear message: {error}"
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    return Outcome(sample.what, outcome, seconds, time.process_time() - cpu_start)


def _is_valid(result: Any) -> bool:
    if isinstance(result, DiagramSet):
        # Whatever a reader let through has to survive being looked at.
        repr(result), result.class_names
        return all(
            np.isfinite(diagram).all() and np.all(diagram[:, 0] <= diagram[:, 1])
            for dimension in result.dimensions
            for diagram in result.in_dimension(dimension)
        )
    if isinstance(result, Mesh):
        faces = result.faces
        inside = (faces >= 0) & (faces < len(result.vertices))
        return bool(np.isfinite(result.vertices).all() and inside.all())
    if result.dtype == np.uint8:
        return result.ndim == 2 and result.size > 0
    return result.ndim == 2 and bool(np.isfinite(result).all())


def npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.asarray(array))
    return stream.getvalue()


def npy_claiming(shape: str, descr: str = "'<f8'") -> bytes:
    """An npy file whose header claims a shape that its content does not have."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    padded = header.ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded + bytes(64)


def npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(f">I4s{len(content)}sI", len(content), kind, content, checksum)


def png(pixels: Any, depth: int = 8, colour: int = 0, extra: bytes = b"") -> bytes:
    """A PNG image from scan lines of bytes, (height, bytes per line)."""
    rows = np.asarray(pixels, dtype=np.uint8)
    per_pixel = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour] * depth // 8
    size = (rows.shape[1] // per_pixel, rows.shape[0])
    header = struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, 0)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    return b"".join(
        [
            *(PNG_MAGIC, chunk(b"IHDR", header), extra),
            *(chunk(b"IDAT", zlib.compress(lines)), chunk(b"IEND", b"")),
        ]
    )


TETRAHEDRON = b"""OFF
# corners of a cube
4 4 6
0 0 0
1 1 0
1 0 1
0 1 1
3 0 1 2 255 0 0
3 0 2 3
3 0 3 1
3 1 3 2
"""
SAVED_CSV = b'''# swviz diagrams 1
# labels: int64
# provenance: {"source": "hand"}
sample,dimension,birth,death,label,name
0,0,0.0,0.5,7,"first"
0,1,,,7,"first"
1,0,,,8,"sec\\u000aond, ""b"""
1,1,0.25,1.0,8,"sec\\u000aond, ""b"""
'''


def valid_files() -> list[Sample]:
    """A small valid file of every format."""
    giotto = [[[0, 0.5, 0], [0.25, 1, 1]], [[0, 0.75, 0], [0.5, 1.5, 1]]]
    meta = {"format": "swviz diagrams 1", "names": ["a", "b"], "provenance": {}}
    saved = npz(
        meta=np.array(json.dumps(meta)),
        points=POINTS,
        counts=np.array([[1, 2]]),
        dimensions=np.array([1]),
        labels=np.array(["x", "y"]),
    )
    ramp = np.arange(0, 240, 20).reshape(3, 4)
    return [
        Sample("csv", "a.csv", b"birth,death\n0,0.5\n0.25,1\n0.5,inf\n"),
        Sample("saved csv", "a.csv", SAVED_CSV),
        Sample("csv by name", "a.csv", b"name,label,b,d\nu,1,0,1\nv,2,0,2\nu,1,1,2\n"),
        Sample("tsv", "a.tsv", b"dim\tbirth\tdeath\r\n0\t0\t0.5\r\n1\t0.25\t1\r\n"),
        Sample("txt", "a.txt", b"# a comment\n0 0.5\n0.25 1 # here\n\n0.5 0.75\n"),
        Sample("txt with dimension", "a.txt", b"0.1 0.5 0\n0.25 1 1\n0.5 0.75 1\n"),
        Sample("pers", "a.pers", b"2 0 0 inf\n2 0 0 0.5\n2 1 0.25 1\n"),
        Sample("npy", "a.npy", npy(POINTS)),
        Sample("npy of many", "a.npy", npy(giotto)),
        Sample("npz", "a.npz", npz(H0=POINTS, H1=POINTS[:0])),
        Sample("saved npz", "a.npz", saved),
        Sample("json", "a.json", json.dumps(giotto).encode()),
        Sample("json of ripser", "a.json", b'{"dgms": [[[0, 1], [0, null]], []]}'),
        Sample("json of GUDHI", "a.json", b"[[1, [0, 1]], [0, [0, Infinity]]]"),
        Sample(
            "json with labels",
            "a.json",
            b'{"diagrams": [[[0, 1]], []], "labels": ["a", "b"], "names": ["x", "y"]}',
        ),
        Sample("csv cloud", "a.csv", b"x,y,z\n0,1,2\n3,4,5\n", "cloud"),
        Sample("npy cloud", "a.npy", npy(POINTS), "cloud"),
        Sample("off", "a.off", TETRAHEDRON, "mesh"),
        Sample("png", "a.png", png(ramp), "image"),
        Sample("colour png", "a.png", png(ramp[:, :3], colour=2), "image"),
        Sample("deep png", "a.png", png(ramp, depth=16), "image"),
    ]


def mutated_files(count: int, seed: int) -> Iterator[Sample]:
    """Mutations of the valid files, the same ones for the same seed."""
    rng = np.random.default_rng(seed)
    valid = valid_files()
    for index in range(count):
        origin = valid[index % len(valid)]
        data = origin.data
        for _ in range(int(rng.integers(1, 4))):
            data = _mutate(data, valid, rng)
        name, kind = origin.name, origin.kind
        if rng.random() < 0.1:
            name = valid[rng.integers(len(valid))].name
        if rng.random() < 0.05:
            kind = str(rng.choice(list(READERS)))
        yield Sample(f"{origin.what}, mutation {index}", name, data, kind)


def _mutate(data: bytes, valid: list[Sample], rng: np.random.Generator) -> bytes:
    # Half of the time behind the checksums: else few mutations pass these.
    if rng.random() < 0.5:
        try:
            if data.startswith(b"PK"):
                members = unzipped(data)
                chosen = str(rng.choice(list(members)))
                members[chosen] = _mutate_bytes(members[chosen], valid, rng)
                return zipped(members)
            if data.startswith(PNG_MAGIC):
                return _mutate_chunk(data, valid, rng)
        except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, RuntimeError):
            pass  # An earlier mutation broke it; go on with the bytes.
        except (struct.error, NotImplementedError, OSError, KeyError):
            pass
    return _mutate_bytes(data, valid, rng)


def _mutate_chunk(data: bytes, valid: list[Sample], rng: np.random.Generator) -> bytes:
    position = len(PNG_MAGIC)
    chunks = []
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position : position + 8])
        chunks.append((kind, data[position + 8 : position + 8 + size]))
        position += 12 + size
    chosen = int(rng.integers(len(chunks)))
    kind, content = chunks[chosen]
    if kind == b"IDAT" and rng.random() < 0.5:
        content = zlib.compress(_mutate_bytes(zlib.decompress(content), valid, rng))
    else:
        content = _mutate_bytes(content, valid, rng)
    chunks[chosen] = (kind, content)
    return PNG_MAGIC + b"".join(chunk(*each) for each in chunks)


def _mutate_bytes(data: bytes, valid: list[Sample], rng: np.random.Generator) -> bytes:
    start, end = sorted(rng.integers(0, len(data) + 1, 2).tolist())
    token = TOKENS[rng.integers(len(TOKENS))]
    choice = rng.integers(11)
    if choice == 0:  # flip some bits
        flipped = np.frombuffer(data, np.uint8).copy()
        if len(flipped):
            where = rng.integers(0, len(flipped), int(rng.integers(1, 6)))
            flipped[where] ^= np.left_shift(1, rng.integers(0, 8, len(where))).astype(
                np.uint8
            )
        return flipped.tobytes()
    if choice == 1:  # set bytes to extremes
        extreme = bytes([int(rng.choice([0, 1, 0x7F, 0x80, 0xFF]))])
        return data[:start] + extreme * min(end - start, 8) + data[start + 8 :]
    if choice == 2:
        return data[:end]
    if choice == 3:
        return data[:start] + data[end:]
    if choice == 4:
        return data[:start] + token + data[start:]
    if choice in (5, 6):  # another number
        numbers = list(re.finditer(rb"[\d.]+", data))
        if numbers:
            found = numbers[rng.integers(len(numbers))]
            return data[: found.start()] + token + data[found.end() :]
        return data + token
    if choice == 7:  # repeat a piece, sometimes often
        times = int(rng.choice([2, 3, 100, 3000]))
        piece = data[start : min(end, start + 60)]
        return data[:start] + piece * times + data[end:]
    if choice == 8:  # half of another file
        other = valid[rng.integers(len(valid))].data
        return data[:start] + other[rng.integers(len(other)) :]
    if choice == 9:  # exchange lines
        lines = data.split(b"\n")
        rng.shuffle(lines)
        return b"\n".join(lines)
    separators = [b",", b";", b"\t", b" ", b"\n"]
    old, new = rng.choice(5, 2, replace=False)
    return data.replace(separators[old], separators[new], int(rng.integers(1, 5)))


def bomb(size: int, claimed: int | None = None) -> bytes:
    """A zip archive of zeros, if wanted with a smaller size in its tables."""
    data = zipped({"a.npy": npy(POINTS)[:128] + bytes(size)})
    if claimed is None:
        return data
    true = struct.pack("<I", size + 128)
    return data.replace(true, struct.pack("<I", claimed))


def monsters(large: bool = True) -> Iterator[Sample]:
    """Files built to hurt; those of many megabytes only if `large`."""
    rows = b"0.25,0.5\n"
    text = {
        "empty": b"",
        "only a byte order mark": b"\xef\xbb\xbf",
        "only comments": b"# nothing\n\n#\n",
        "text in numbers": b"0,1\n0,one\n",
        "not a number": b"0,1\nnan,1\n",
        "mixed columns": b"0,1\n0,1,2\n",
        "mixed separators": b"0,1\n0;1\n",
        "death before birth": b"0,1\n2,1\n",
        "old Mac lines": b"0,1\r1,2\r",
        "UTF-16": "0,1\n1,2\n".encode("utf-16"),
        "odd UTF-16": b"\xff\xfe0\x00,",
        "a cell of a hundred thousand bytes": b'"' + b"x" * 99_000 + b'",1\n',
        "an open quote": b'name,birth,death\n"a,0,1\n' + rows * 100,
        "a thousand samples by name": b"name,birth,death\n"
        + b"".join(b"n%d,0,1\n" % i for i in range(1000)),
        "a sample beyond integers": b"sample,birth,death\n1e300,0,1\n",
        "a dimension beyond reason": b"dimension,birth,death\n1e9,0,1\n",
        "columns of one role": b"birth,death,b\n0,1,2\n",
        "many columns": b",".join([b"0"] * 40_000),
        "a number that takes a regular expression long": b"9" * 99_000 + b"x,1\n",
        "pickle": b"\x80\x04\x95\x10\x00cos\nsystem\n",
        "gzip": b"\x1f\x8b\x08\x00",
    }
    for what, data in text.items():
        yield Sample(what, "monster.csv", data)
    for what, data in {
        "deep": b"[" * 200_000,
        "deep objects": b'{"a":' * 100_000,
        "integer of 5000 digits": b"[[0," + b"9" * 5000 + b"]]",
        "integer of 400 digits": b"[[0," + b"9" * 400 + b"]]",
        "repeated key": b'{"dgms": [], "dgms": []}',
        "not an object": b'"diagram"',
        "repeated last key": b"{%s}"
        % b",".join(b'"%d":0' % i for i in [*range(150_000), 149_999]),
        "labels beyond integers": b'{"diagrams": [[]], "labels": [1%s]}' % (b"0" * 400),
        "half a surrogate": b'{"diagrams": [[]], "names": ["\\ud800"]}',
    }.items():
        yield Sample(f"json, {what}", "monster.json", data)
    for shape in (
        *("(1000000000000, 2)", "(1000000000000, 0)", "(0, 1000000000000)"),
        *("(0, 1000000000000, 2)", "(99999999999999999999999999, 2)", "(-1, 2)"),
        *("(10, 2)", "()", "(2,)", "(1, 2, 3, 4)", "(1" + ", 1" * 30 + ")"),
    ):
        yield Sample(f"npy claiming {shape}", "monster.npy", npy_claiming(shape))
        member = {"a.npy": npy_claiming(shape)}
        yield Sample(f"npz claiming {shape}", "monster.npz", zipped(member))
    for descr in ("'|O'", "'<U99999999'", "'<c16'", "[('a', '<f8')]", "'<f3'", "'V8'"):
        data = npy_claiming("(2, 2)", descr)
        yield Sample(f"npy of type {descr}", "monster.npy", data)
    labels = npy_claiming("(1,)", "'<U1'")[:-64] + b"\xff\xff\xff\xff"
    members = {"labels.npy": labels, "a.npy": npy(POINTS)}
    yield Sample("labels outside Unicode", "monster.npz", zipped(members))
    yield Sample("zip that lies", "monster.npz", bomb(10_000_000, claimed=176))
    spreadsheet = zipped({"xl/workbook.xml": b"<x/>"})
    yield Sample("spreadsheet", "monster.csv", spreadsheet)
    yield Sample("zip as text", "monster.csv", zipped({"a.npy": npy(POINTS)}))
    names = {f"{'_' * 60_000}x{i}.npy": npy(POINTS) for i in range(50)}
    yield Sample("long names in a zip", "monster.npz", zipped(names))
    yield Sample("no array in a zip", "monster.npz", zipped({}))
    yield from _picture_monsters()
    if large:
        yield from _large_monsters()


def _picture_monsters() -> Iterator[Sample]:
    huge = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 0, 0, 0, 0)
    start = PNG_MAGIC + chunk(b"IHDR", huge)
    yield Sample("png of 4e18 pixels", "monster.png", start, "image")
    flat = np.zeros((2, 2))
    text_bomb = chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(20_000_000)))
    animation = chunk(b"acTL", bytes(8))
    yield Sample("png text bomb", "monster.png", png(flat, extra=text_bomb), "image")
    yield Sample("png animation", "monster.png", png(flat, extra=animation), "image")
    yield Sample("png as diagrams", "monster.png", png(flat))
    for what, data in {
        "counts of 1e12": b"OFF\n1000000000000 1000000000000 0\n",
        "counts beyond integers": b"OFF\n" + b"9" * 5000 + b" 1 0\n",
        "negative index": TETRAHEDRON.replace(b"3 0 2 3", b"3 0 -2 3"),
        "index beyond integers": TETRAHEDRON.replace(b"3 0 2 3", b"3 0 1e300 3"),
        "binary": b"OFF BINARY\n" + bytes(100),
        "only its keyword": b"OFF",
    }.items():
        yield Sample(f"off, {what}", "monster.off", data, "mesh")


def _large_monsters() -> Iterator[Sample]:
    """Files at the default limits; one at a time, for they would fill the memory."""
    yield from _large_tables()
    yield from _large_arrays()
    yield from _large_trees()
    square = png(np.zeros((4000, 4000)))
    yield Sample("png at the limit", "monster.png", square, "image")
    n_vertices = MOST_ROWS // 2
    mesh = b"OFF %d %d 0\n" % (n_vertices, MOST_ROWS - n_vertices - 1)
    mesh += b"0 0.5 1\n" * n_vertices + b"3 0 1 2\n" * (MOST_ROWS - n_vertices - 1)
    yield Sample("off at the limit", "monster.off", mesh, "mesh")


def _large_tables() -> Iterator[Sample]:
    row = b"0.26978671376387032,0.63696168732145432\n"
    yield Sample("rows at the limit", "monster.csv", row * MOST_ROWS)
    yield Sample("1e6 rows", "monster.csv", row * 1_000_000)
    wrong = row * (MOST_ROWS - 1) + b"0.5,x\n"
    yield Sample("the last row is wrong", "monster.csv", wrong)
    head = b"sample,dimension,birth,death,label,name\n"
    rows = (b'%d,1,0.269786,0.636961,3,"a, b"\n' % (i // 20) for i in _under_header())
    yield Sample("a set at the limit", "monster.csv", head + b"".join(rows))
    head = b"name,birth,death%s\n" % (b",more" * 9)
    for digits in (20, 55):
        row = b'"a,%d",0,1' + (b"," + b"7" * digits) * 9 + b"\n"
        table = head + b"".join(row % (i % 5000) for i in _under_header())
        what = f"columns of {digits} digits"
        yield Sample(what, "monster.csv", table)
        cloud = b"name,x,y" + table.removeprefix(b"name,birth,death")
        yield Sample(f"cloud with {what}", "monster.csv", cloud, "cloud")
    yield Sample("60 MB of line ends", "monster.csv", b"\n" * 60_000_000)
    yield Sample("60 MB in a line", "monster.csv", b"0," * 30_000_000)
    wide = "\N{GRINNING FACE}".encode()
    yield Sample("60 MB of wide text", "monster.csv", wide + b"0" * 60_000_000)
    yield Sample(
        "60 MB of wide comment", "monster.csv", b"#" + wide + b"0" * 60_000_000
    )
    yield Sample("60 MB of zeros", "monster.csv", bytes(60_000_000))


def _under_header() -> range:
    return range(MOST_ROWS - 1)


def _large_arrays() -> Iterator[Sample]:
    yield Sample("1e6 points", "monster.npy", npy(np.tile([0.0, 1.0], (1_000_000, 1))))
    limit = np.random.default_rng(0).random((Limits().max_points, 2))
    yield Sample("points at the limit", "monster.npz", npz(a=np.sort(limit, axis=1)))
    keys = [f"d{index}" for index in range(Limits().max_diagrams)]
    arrays = npz(**dict.fromkeys(keys, POINTS))
    yield Sample("arrays at the limit", "monster.npz", arrays)
    tiny = {f"{index}.npy": b"" for index in range(50_000)}
    yield Sample("50,000 members", "monster.npz", zipped(tiny))
    yield Sample("zip bomb", "monster.npz", bomb(300_000_000))
    yield Sample("zip that lies much", "monster.npz", bomb(300_000_000, claimed=176))


def _large_trees() -> Iterator[Sample]:
    rows = b"[0.26978671376387032,0.63696168732145432]," * (MOST_ROWS - 1)
    yield Sample("json at the limit", "monster.json", b"[" + rows + b"[0,1]]")
    rows = b"[1.0,[0,1]]," * (MOST_ROWS - 1)
    tree = b"[" + rows + b"[0,[0,1]]]"
    yield Sample("json of GUDHI at the limit", "monster.json", tree)
    yield Sample("json, 60 MB of lists", "monster.json", b"[" + b"[]," * 20_000_000)
    string = b'["' + b"a" * 60_000_000 + b'"]'
    yield Sample("json, 60 MB of string", "monster.json", string)
    escaped = b'["\\ud83d\\ude00' + b"a" * 60_000_000 + b'"]'
    yield Sample("json, 60 MB of wide string", "monster.json", escaped)
    digits = b"[[0," + b"9" * 60_000_000 + b"]]"
    yield Sample("json, 60 MB of integer", "monster.json", digits)
