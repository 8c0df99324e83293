"""The paper's tasks: labelled diagrams and how they are split."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swviz.diagrams import DiagramSet
from swviz.errors import ParameterError
from swviz.experiments.paper_numbers import SHAPE_CATEGORIES
from swviz.learning import random_splits
from swviz.learning.svm import Split
from swviz.sources import orbits, shapes, textures
from swviz.sources.pictures import PICTURE_SUFFIXES, is_outex

Dimensions = tuple[int, ...]

SHAPES_HELP = (
    "For the paper's categories get the Princeton Segmentation Benchmark "
    "(https://segeval.cs.princeton.edu) and its part labels (Kalogerakis et al. 2010), "
    "put them into FOLDER/<Category>/<n>.off and <n>_labels.txt, and add --data FOLDER."
)
TEXTURE_HELP = (
    "For the paper's pictures get OUTEX_TC_00000 from its authors (https://www.outex."
    "oulu.fi), or KTH-TIPS (https://www.csc.kth.se/cvap/databases/kth-tips) as another "
    "set, put it into FOLDER/<name>/<class>/<picture>.png (OUTEX as it is), and add "
    "--data FOLDER."
)
_COUNTS = (
    "The paper's text says 100 orbits a class, its Table 1 counts 50: both are "
    "measured. Runs differ in the split of one set of orbits."
)
_SQUARED = (
    "Births and deaths are squared radii, GUDHI's own values, to see whether the paper "
    "had these: its t for k_PSS, 0.001 and up, is too large for them."
)
_FIVE_PARTS = "The data has five part labels where the paper's Table 1 says four."


@dataclass(frozen=True, eq=False)
class Task:
    """Labelled diagrams, and how each run splits them.

    Parameters
    ----------
    experiment : {"orbit", "texture", "shapes"}
    name : str
        Of the data set; a folder of the results is called like that.
    label : str
        What the data is, in a few words.
    diagrams : DiagramSet
    dimensions : tuple of tuple of int
        The choices of homology dimensions to be measured.
    test_size : float or None
        Part of the samples that each run draws for testing; None for the fixed split
        that the data came with.
    p : float
        Exponent of k_PWG, the paper's for this data.
    large : bool
        Whether diagrams are so large that the paper approximates kernels.
    paper_row : str or None
        The row of the paper's tables that this can be compared with.
    notes : tuple of str
        What differs from the paper.
    """

    experiment: str
    name: str
    label: str
    diagrams: DiagramSet
    dimensions: tuple[Dimensions, ...]
    test_size: float | None
    p: float
    large: bool
    paper_row: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> NDArray[Any]:
        """The class of each sample, shape (n_samples,)."""
        if self.diagrams.labels is None:
            raise ParameterError(f"{self.name} has no labels")
        return self.diagrams.labels

    @property
    def is_random(self) -> bool:
        """Whether each run draws a split of its own."""
        return self.test_size is not None

    def split(self, run: int) -> Split:
        """Return the indices for training and testing in one run.

        Parameters
        ----------
        run : int

        Returns
        -------
        train, test : ndarrays of int
        """
        if self.test_size is None:
            origins: Sequence[Any] = self.diagrams.origins or ()
            is_train = np.array([origin.subset == "train" for origin in origins])
            return np.flatnonzero(is_train), np.flatnonzero(~is_train)
        return random_splits(self.labels, 1, self.test_size, run, stratify=True)[0]

    def describe(self) -> dict[str, Any]:
        """Describe the data for the record; takes milliseconds.

        Returns
        -------
        dict of str to object
        """
        train, test = self.split(0)
        sizes = {
            f"H{dimension}": [len(d) for d in self.diagrams.in_dimension(dimension)]
            for dimension in self.diagrams.dimensions
        }
        return {
            "label": self.label,
            "train": len(train),
            "test": len(test),
            "classes": list(map(str, self.diagrams.class_names)),
            "mean_points": {key: round(np.mean(n), 1) for key, n in sizes.items()},
            "largest": {key: max(n) for key, n in sizes.items()},
            "split": "random, by class" if self.is_random else "fixed",
            "digest": digest(self.diagrams),
        }


def digest(diagrams: DiagramSet) -> str:
    """Digest of points and labels: the same for the same data only.

    Parameters
    ----------
    diagrams : DiagramSet

    Returns
    -------
    str
    """
    content = hashlib.sha256(repr(np.asarray(diagrams.labels).tolist()).encode())
    for dimension in diagrams.dimensions:
        for diagram in diagrams.in_dimension(dimension):
            content.update(f"{dimension}:{len(diagram)};".encode())
            content.update(np.ascontiguousarray(diagram).data)
    return content.hexdigest()[:16]


def orbit_tasks(*, quick: bool = False, n_jobs: int | None = None) -> Iterator[Task]:
    """Yield the orbit task with the counts of the paper's text and of its Table 1.

    Parameters
    ----------
    quick : bool, default=False
        A few small orbits, to try the code.
    n_jobs : int, optional

    Yields
    ------
    Task
        The last one has births and deaths squared, as GUDHI gives them.
    """
    kinds = [(100, "text", False), (50, "table 1", False), (50, "table 1", True)]
    for count, place, squared in [(8, "quick", False)] if quick else kinds:
        yield Task(
            experiment="orbit",
            name=f"{count}-a-class" + ("-squared" if squared else ""),
            label=f"{count} orbits a class ({place})"
            + (", squared radii" if squared else ""),
            diagrams=orbits(
                n_orbits=count,
                n_points=150 if quick else 1000,
                squared=squared,
                cache=not quick,
                n_jobs=n_jobs,
            ),
            dimensions=((0,), (1,), (0, 1)),
            test_size=0.3,
            p=4,
            large=True,
            paper_row=None if quick else "Orbit",
            notes=(_SQUARED,) if squared else (_COUNTS,),
        )


def shape_tasks(
    data: Path | None,
    categories: Sequence[str] | None = None,
    *,
    quick: bool = False,
    n_jobs: int | None = None,
) -> Iterator[Task]:
    """Yield the segmentation tasks; without data that of the built-in figure.

    Parameters
    ----------
    data : Path or None
        Folder with a folder of meshes and labels for each category, or with a folder
        ``shapes`` of them.
    categories : sequence of str, optional
        All of the paper's that are there, by default.
    quick : bool, default=False
        Fewer points.
    n_jobs : int, optional

    Yields
    ------
    Task
    """
    every = 500 if quick else 100
    if data is None:
        yield _shape_task(
            "figure",
            "built-in figure in ten poses, not the paper's data",
            shapes(every=every, n_jobs=n_jobs),
            None,
            (f"No folder was given: this is the built-in figure. {SHAPES_HELP}",),
        )
        return
    folder = data / "shapes" if (data / "shapes").is_dir() else data
    wanted = categories or [c for c in SHAPE_CATEGORIES if (folder / c).is_dir()]
    missing = [name for name in wanted if not (folder / name).is_dir()]
    if missing or not wanted:
        named = ", ".join(missing) or ", ".join(SHAPE_CATEGORIES)
        raise ParameterError(f"{folder} has no folder for {named}. {SHAPES_HELP}")
    for category in wanted:
        yield _shape_task(
            category,
            f"{category}, Princeton Segmentation Benchmark",
            shapes(folder / category, every=every, n_jobs=n_jobs),
            category if category in SHAPE_CATEGORIES and not quick else None,
            (_FIVE_PARTS,) if category in ("Airplane", "Bird") else (),
        )


def _shape_task(
    name: str,
    label: str,
    diagrams: DiagramSet,
    paper_row: str | None,
    notes: tuple[str, ...],
) -> Task:
    return Task(
        experiment="shapes",
        name=name,
        label=label,
        diagrams=diagrams,
        dimensions=((1,),),
        test_size=None,
        p=5,
        large=False,
        paper_row=paper_row,
        notes=(*notes, "The split is fixed: runs differ in the halves for tuning."),
    )


def texture_tasks(
    data: Path | None, *, quick: bool = False, n_jobs: int | None = None
) -> Iterator[Task]:
    """Yield the built-in photographs, then every set of pictures in a folder.

    Parameters
    ----------
    data : Path or None
        A set of pictures in class folders or in OUTEX's layout; a folder of such sets;
        or one with a folder ``textures`` of them.
    quick : bool, default=False
        Smaller patches, fewer pictures.
    n_jobs : int, optional

    Yields
    ------
    Task
    """
    other = "Not the paper's data: not to be compared with its texture row."
    size = {"size": 64, "per_class": 10} if quick else {}
    yield _texture_task(
        "photographs",
        "three photographs in patches, built in",
        textures(**size, n_jobs=n_jobs),  # type: ignore[arg-type]
        0.5,
        (f"{other} {TEXTURE_HELP}",),
    )
    for folder in [] if data is None else picture_folders(data):
        if is_outex(folder):
            yield _texture_task(
                folder.name, "OUTEX", textures(folder, n_jobs=n_jobs), None, ()
            )
        else:
            pictures = textures(folder, per_class=4 if quick else None, n_jobs=n_jobs)
            yield _texture_task(
                folder.name, f"pictures of {folder.name}", pictures, 0.5, (other,)
            )


def _texture_task(
    name: str,
    label: str,
    diagrams: DiagramSet,
    test_size: float | None,
    notes: tuple[str, ...],
) -> Task:
    return Task(
        experiment="texture",
        name=name,
        label=label,
        diagrams=diagrams,
        dimensions=((0,),),
        test_size=test_size,
        p=4,
        large=True,
        paper_row="Texture" if test_size is None else None,
        notes=notes,
    )


def picture_folders(data: Path) -> list[Path]:
    """Find sets of pictures.

    Parameters
    ----------
    data : Path
        As in :func:`texture_tasks`.

    Returns
    -------
    list of Path
    """
    folder = data / "textures" if (data / "textures").is_dir() else data
    if not folder.is_dir():
        raise ParameterError(f"{data} is not a folder. {TEXTURE_HELP}")
    if _has_pictures(folder):
        return [folder]
    found = [one for one in sorted(folder.iterdir()) if _has_pictures(one)]
    if not found:
        raise ParameterError(f"{data} has no pictures. {TEXTURE_HELP}")
    return found


def _has_pictures(folder: Path) -> bool:
    return folder.is_dir() and (
        is_outex(folder)
        or any(
            path.suffix.lower() in PICTURE_SUFFIXES
            for path in folder.glob("*/*")
            if path.is_file()
        )
    )
