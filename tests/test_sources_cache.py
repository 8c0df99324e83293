"""The cache on disk: found again, never trusted, never in the way."""

import os
from pathlib import Path

import numpy as np
import pytest

from swviz.sources import cache, cache_folder, clear_cache, orbits, shapes
from tests.mesh_samples import sphere

FEW = {"r": (3.5, 4.3), "n_orbits": 2, "n_points": 40}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SWVIZ_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def computed(monkeypatch):
    """Count how often diagrams are really computed."""
    from swviz.sources import persistence

    count = []
    compute = persistence.remembered

    def counting(recipe, inputs, build):
        return compute(recipe, inputs, lambda: count.append(1) or build())

    monkeypatch.setattr(persistence, "remembered", counting)
    return count


def same(one, other):
    assert one.dimensions == other.dimensions
    for dimension in one.dimensions:
        for a, b in zip(
            one.in_dimension(dimension), other.in_dimension(dimension), strict=True
        ):
            np.testing.assert_array_equal(a, b)
    assert one.names == other.names
    np.testing.assert_array_equal(one.labels, other.labels)


def files(folder):
    return sorted(folder.glob("*"))


def test_a_set_is_found_again(folder, computed):
    first = orbits(**FEW)
    again = orbits(**FEW)
    assert len(computed) == 1
    assert len(files(folder)) == 1
    same(first, again)
    same(first, orbits(**FEW, cache=False))
    np.testing.assert_array_equal(first.origins[1].points, again.origins[1].points)


@pytest.mark.parametrize(
    "change", [{"squared": True}, {"random_state": 1}, {"n_points": 41}, {"r": 3.5}]
)
def test_other_parameters_are_another_set(computed, change):
    orbits(**FEW)
    orbits(**{**FEW, **change})
    assert len(computed) == 2


def test_another_version_is_another_set(computed, monkeypatch):
    orbits(**FEW)
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)
    orbits(**FEW)
    monkeypatch.setattr(cache, "version", lambda package: "next")
    orbits(**FEW)
    assert len(computed) == 3


@pytest.mark.parametrize("random_state", [None, np.random.default_rng(0)])
def test_sets_without_a_seed_are_not_kept(folder, random_state):
    orbits(**FEW, random_state=random_state)
    orbits(**FEW, cache=False)
    assert not folder.exists()


def damages(content):
    rng = np.random.default_rng(0)
    yield b""
    yield content[:20]
    yield content[:-1]
    yield content + b"\0"
    yield b"\0" * len(content)
    for place in rng.integers(len(content), size=10).tolist():
        yield content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


def test_damaged_files_are_written_again(folder, computed):
    right = orbits(**FEW)
    (path,) = files(folder)
    content = path.read_bytes()
    for count, damaged in enumerate(damages(content), start=2):
        path.write_bytes(damaged)
        same(right, orbits(**FEW))
        assert len(computed) == count
        assert path.read_bytes() == content


def test_a_file_under_another_name_is_not_trusted(folder, computed):
    orbits(**FEW)
    (first,) = files(folder)
    other = orbits(**FEW, random_state=1)
    (second,) = set(files(folder)) - {first}
    second.write_bytes(first.read_bytes())
    same(other, orbits(**FEW, random_state=1))
    assert len(computed) == 3


def test_a_folder_that_cannot_be_made_does_not_matter(folder):
    folder.write_text("a file in the way")
    same(orbits(**FEW), orbits(**FEW, cache=False))
    assert folder.read_text() == "a file in the way"
    assert clear_cache() == 0


def test_a_folder_in_place_of_the_file_does_not_matter(folder):
    orbits(**FEW)
    (path,) = files(folder)
    path.unlink()
    path.mkdir()
    same(orbits(**FEW), orbits(**FEW, cache=False))
    assert files(folder) == [path]


def test_a_full_disk_does_not_matter(folder, monkeypatch):
    def full(*arguments):
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "replace", full)
    same(orbits(**FEW), orbits(**FEW, cache=False))
    assert files(folder) == []


def test_oldest_files_make_room(folder, monkeypatch):
    for seed in range(3):
        orbits(**FEW, random_state=seed)
        for path in files(folder):
            os.utime(
                path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns - 10**9)
            )
    size = sum(path.stat().st_size for path in files(folder))
    by_age = sorted(files(folder), key=lambda path: path.stat().st_mtime)
    monkeypatch.setattr(cache, "SIZE_LIMIT", size)
    orbits(**FEW, random_state=3)
    assert by_age[0] not in files(folder)
    assert set(by_age[1:]) < set(files(folder))
    monkeypatch.setattr(cache, "SIZE_LIMIT", 10)
    orbits(**FEW, random_state=4)
    assert len(files(folder)) == 3


def test_clearing_removes_sets_only(folder):
    orbits(**FEW)
    (folder / "mine.txt").write_text("keep")
    assert clear_cache() == 1
    assert files(folder) == [folder / "mine.txt"]


def test_meshes_are_known_by_their_content(computed):
    shapes(sphere(30, seed=0), every=10)
    shapes(sphere(30, seed=0), every=10)
    assert len(computed) == 1
    shapes(sphere(30, seed=1), every=10)
    shapes(sphere(30, seed=0), every=9)
    assert len(computed) == 3


def test_empty_diagrams_come_back_empty(computed):
    from tests.mesh_samples import TETRAHEDRON

    for _ in range(2):
        points = shapes(TETRAHEDRON, every=1)
        assert [len(diagram) for diagram in points.in_dimension(1)] == [0] * 4
    assert len(computed) == 1


def test_progress_is_told_of_the_end_when_nothing_is_computed():
    orbits(**FEW)
    calls = []
    orbits(**FEW, progress=lambda *call: calls.append(call))
    assert calls == [(4, 4)]


def test_folder_follows_the_environment(monkeypatch):
    monkeypatch.delenv("SWVIZ_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/swviz")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == Path("/home/me/.cache/swviz")
