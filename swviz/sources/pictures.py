"""Pictures of textures: photographs, generated ones, and folders of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from scipy.spatial import cKDTree

from swviz.errors import DiagramFileError
from swviz.sources.origins import Subset

Pixels = NDArray[np.uint8]

PHOTOGRAPHS = ("brick", "grass", "gravel")
"""Photographs of 512 x 512 pixels in scikit-image's wheel, under CC0."""

PICTURE_SUFFIXES = (".png", ".bmp", ".ras")

MAX_PIXELS = 4_000_000
SMALLEST_SIDE = 8

MAX_SPLIT_FILE_BYTES = 10_000_000


class Picture(NamedTuple):
    """A grey picture with its class, its name and its side of a fixed split."""

    pixels: Pixels
    label: str
    name: str
    subset: Subset | None = None


@dataclass(frozen=True)
class Texture:
    """A way to draw a square texture with values of any range."""

    description: str
    draw: Callable[[np.random.Generator, int], NDArray[np.float64]]


def _noise(blur: float, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    smooth: NDArray[np.float64] = gaussian_filter(
        rng.normal(size=(size, size)), blur, mode="wrap"
    )
    return smooth / smooth.std()


def _along(
    rng: np.random.Generator, size: int, spread: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates of the pixels, turned by up to `spread` and shifted at random."""
    angle = rng.uniform(-spread, spread)
    rows, columns = np.mgrid[:size, :size] + rng.uniform(0, size, (2, 1, 1))
    return (
        np.cos(angle) * rows + np.sin(angle) * columns,
        np.cos(angle) * columns - np.sin(angle) * rows,
    )


def _stripes(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    across, _ = _along(rng, size, np.pi / 2)
    wave = np.sin(2 * np.pi * across / rng.uniform(8, 10))
    return 2 * wave + 0.3 * _noise(1.0, rng, size)


def _checks(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    rows, columns = _along(rng, size, np.pi / 8)
    side = rng.uniform(7, 9)
    checks = (np.floor(rows / side) + np.floor(columns / side)) % 2
    return 3 * checks + 0.3 * _noise(1.0, rng, size)


def _cells(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """Distance to the nearest of random centres: Voronoi cells."""
    centres = rng.uniform(0, size, (max(4, size * size // 150), 2))
    pixels = np.mgrid[:size, :size].reshape(2, -1).T
    distance = cKDTree(centres, boxsize=size).query(pixels)[0].reshape(size, size)
    return distance + 0.3 * _noise(1.0, rng, size)


def _weave(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    rows, columns = _along(rng, size, np.pi / 16)
    period = rng.uniform(9, 11)
    over = np.sin(2 * np.pi * rows / period) * np.sin(2 * np.pi * columns / period) > 0
    threads = np.where(
        over, np.cos(4 * np.pi * rows / period), np.cos(4 * np.pi * columns / period)
    )
    return 2 * threads + 0.3 * _noise(1.0, rng, size)


def _fine_noise(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return _noise(0.7, rng, size)


def _coarse_noise(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return _noise(2.5, rng, size)


TEXTURES: Mapping[str, Texture] = MappingProxyType(
    {
        "fine noise": Texture("Noise blurred over less than a pixel", _fine_noise),
        "coarse noise": Texture("Noise blurred over a few pixels", _coarse_noise),
        "stripes": Texture("Waves in one direction", _stripes),
        "checks": Texture("A chequered board", _checks),
        "cells": Texture("Cells around random centres", _cells),
        "weave": Texture("Threads over and under each other", _weave),
    }
)


def photographs(size: int, per_class: int | None) -> Iterator[Picture]:
    """Cut scikit-image's photographs of textures into square patches."""
    # Imported here so that sources without files do not load the readers of files.
    from swviz.files import load_image

    for label in PHOTOGRAPHS:
        content = package_files("skimage.data").joinpath(f"{label}.png").read_bytes()
        photograph = load_image(content, f"{label}.png")
        n_rows, n_columns = (side // size for side in photograph.shape)
        for index in range(n_rows * n_columns)[:per_class]:
            row, column = size * (index // n_columns), size * (index % n_columns)
            patch = photograph[row : row + size, column : column + size]
            yield Picture(patch, label, f"{label} {index + 1}")


def generated(size: int, per_class: int, rng: np.random.Generator) -> Iterator[Picture]:
    """Draw textures; a bit of noise keeps flat parts from being exactly flat."""
    for label, texture in TEXTURES.items():
        for index in range(per_class):
            values = texture.draw(rng, size)
            low, high = values.min(), values.max()
            pixels = np.round(255 * (values - low) / (high - low)).astype(np.uint8)
            yield Picture(pixels, label, f"{label} {index + 1}")


def is_outex(folder: Path) -> bool:
    """Whether a folder has OUTEX's layout: ``images`` beside numbered splits."""
    return (folder / "images").is_dir() and (folder / "000").is_dir()


def class_folders(folder: Path, per_class: int | None) -> Iterator[tuple[Path, str]]:
    """Paths and classes of the pictures in a folder of class folders."""
    found = False
    for class_folder in sorted(path for path in folder.iterdir() if path.is_dir()):
        paths = sorted(
            path
            for path in class_folder.iterdir()
            if path.suffix.lower() in PICTURE_SUFFIXES
        )
        for path in paths[:per_class]:
            found = True
            yield path, class_folder.name
    if not found:
        raise DiagramFileError(
            f"{folder}: no pictures in class folders; expected <class>/<name>.png, or "
            "OUTEX's layout with images/ and 000/train.txt, 000/test.txt"
        )


def outex_split(folder: Path, problem: int) -> list[tuple[Path, str, Subset]]:
    """Paths, classes and sides of one of OUTEX's fixed splits.

    Parameters
    ----------
    folder : Path
        With ``images/`` and, for each split, ``<number>/train.txt`` and ``test.txt``:
        the number of pictures, then a line with the file's name and the number of its
        class for each. An optional ``classes.txt`` beside them names the classes.
    problem : int
        Number of the split; the paper uses the first, 0.
    """
    split = folder / f"{problem:03d}"
    class_names = _outex_classes(split / "classes.txt")
    listed: list[tuple[Path, str, Subset]] = []
    subsets: tuple[Subset, Subset] = ("train", "test")
    for subset in subsets:
        path = split / f"{subset}.txt"
        for number, words in _numbered_words(path):
            if len(words) < 2:
                if number == 1:
                    continue  # the number of pictures
                raise DiagramFileError(
                    f"{path}, line {number}: expected a file's name and its class"
                )
            picture = folder / "images" / Path(words[0]).name
            listed.append((picture, class_names.get(words[1], words[1]), subset))
    return listed


def _outex_classes(path: Path) -> dict[str, str]:
    """Names of the classes by their number, as text; empty without the file."""
    if not path.exists():
        return {}
    lines = [words for _, words in _numbered_words(path)]
    if lines and len(lines[0]) == 1 and lines[0][0].isdigit():
        lines = lines[1:]
    return {
        words[1] if len(words) > 1 and words[1].isdigit() else str(index): words[0]
        for index, words in enumerate(lines)
    }


def _numbered_words(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        if path.stat().st_size > MAX_SPLIT_FILE_BYTES:
            raise DiagramFileError(f"{path}: too large for a list of pictures")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DiagramFileError(f"{path}: cannot be read ({error})") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if words := line.split():
            yield number, words


def read_picture(path: Path) -> Pixels:
    """Read a grey picture from a PNG file, or from OUTEX's BMP and Sun raster files."""
    from swviz.files import load_image

    if path.suffix.lower() == ".png":
        pixels = load_image(path)
    else:
        pixels = _read_raster(path)
    if min(pixels.shape) < SMALLEST_SIDE or pixels.size > MAX_PIXELS:
        raise DiagramFileError(
            f"{path}: a texture must have sides of {SMALLEST_SIDE} pixels or more and "
            f"at most {MAX_PIXELS:,} pixels, not {pixels.shape}"
        )
    return pixels


def _read_raster(path: Path) -> Pixels:
    from PIL import Image

    try:
        with Image.open(path, formats=["BMP", "SUN"]) as image:
            if image.width * image.height > MAX_PIXELS:
                raise DiagramFileError(f"{path}: more than {MAX_PIXELS:,} pixels")
            return np.array(image.convert("L"), dtype=np.uint8)
    except DiagramFileError:
        raise
    # Pillow raises many kinds on damaged files, SyntaxError among them.
    except Exception as error:
        raise DiagramFileError(
            f"{path}: cannot be read as a BMP or Sun raster picture ({error}); "
            "convert it to PNG"
        ) from None
