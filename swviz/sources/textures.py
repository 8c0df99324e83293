"""Textures by their local binary patterns, the paper's Section 4.3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import numpy as np

from swviz.checks import check_choice, check_integer, check_workers
from swviz.diagrams import Diagram, DiagramSet
from swviz.errors import ParameterError
from swviz.seeds import RandomState, as_generator, as_seed
from swviz.sources.origins import Image, Subset
from swviz.sources.parameters import Preset, check_total
from swviz.sources.patterns import PATTERNS
from swviz.sources.persistence import Essential, diagrams_of, picture_diagram
from swviz.sources.pictures import (
    Picture,
    class_folders,
    generated,
    is_outex,
    outex_split,
    photographs,
    read_picture,
)
from swviz.typing import Progress

MAX_PICTURES = 20_000

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "photographs": Preset(
            "Brick, grass and gravel: real photographs in 128 x 128 patches",
            {"pictures": "photographs"},
        ),
        "generated": Preset(
            "Noise, stripes, checks, cells and weave, drawn at random",
            {"pictures": "generated", "per_class": 15},
        ),
        "rotation-invariant": Preset(
            "Photographs by patterns that do not change when the picture turns",
            {"pictures": "photographs", "patterns": "ror"},
        ),
        "small patches": Preset(
            "Photographs in 64 x 64 patches: more samples, smaller diagrams",
            {"pictures": "photographs", "size": 64},
        ),
    }
)


def textures(
    pictures: str | Path = "photographs",
    *,
    size: int = 128,
    per_class: int | None = None,
    patterns: Literal["default", "ror", "uniform"] = "default",
    problem: int = 0,
    essential: Essential = "drop",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> DiagramSet:
    """Textures and the 0-dimensional diagrams of their local binary patterns.

    Parameters
    ----------
    pictures : {"photographs", "generated"} or path, default="photographs"
        Patches of three photographs (brick, grass, gravel); textures drawn at random
        (see ``TEXTURES``); or a folder: of class folders, ``<class>/<name>.png``, or
        in OUTEX's layout, ``images/`` beside ``000/train.txt`` and ``000/test.txt``.
    size : int from 16 to 512, default=128
        Side of the built-in pictures; those of a folder keep their own.
    per_class : int, optional
        Only the first pictures of each class. All by default; 20 of the generated.
        OUTEX's splits are fixed and cannot be cut.
    patterns : {"default", "ror", "uniform"}, default="default"
        Local binary patterns as in scikit-image: the plain code, its least rotation,
        or the number of brighter neighbours where they are adjacent.
    problem : int from 0 to 999, default=0
        Which of OUTEX's splits to take; the paper takes the first.
    essential : {"drop", "cap"}, default="drop"
        The component of the lowest code never dies: leave it out, or let it die at
        the highest code of the picture.
    random_state : int, RandomState instance, Generator or None, default=0
        Of the generated textures.
    n_jobs : int, optional
        Threads, as in joblib.
    progress : callable, optional
        Called with (pictures done, all pictures).
    cache : bool, default=True
        Keep the diagrams on disk, unless the textures are generated without a seed.

    Returns
    -------
    DiagramSet
        Dimension 0, labels are the classes, origins :class:`~swviz.sources.Image`.
        With OUTEX's layout :func:`~swviz.sources.train_test` gives its split.

    Notes
    -----
    The sign component of the completed local binary patterns (CLBP) is the plain local
    binary pattern, here with radius 1 and 8 neighbours; see
    :func:`swviz.sources.patterns.binary_patterns`. The codes are filtered by sublevel
    sets; pixels that touch in a corner are connected.

    Examples
    --------
    >>> few = textures("generated", size=32, per_class=1, cache=False)
    >>> len(few), few.class_names[:3]
    (6, ('cells', 'checks', 'coarse noise'))
    """
    size = check_integer(size, "size", 16, 512)
    if per_class is not None:
        per_class = check_integer(per_class, "per_class", 1, MAX_PICTURES)
    check_choice(patterns, "patterns", PATTERNS)
    problem = check_integer(problem, "problem", 0, 999)
    check_choice(essential, "essential", ("drop", "cap"))
    check_workers(n_jobs)
    is_reproducible = True
    if pictures == "photographs":
        chosen = list(photographs(size, per_class))
    elif pictures == "generated":
        per_class = 20 if per_class is None else per_class
        check_total("generated pictures per class", per_class, 500)
        chosen = list(generated(size, per_class, as_generator(random_state)))
        is_reproducible = as_seed(random_state) is not None
    else:
        chosen = _from_folder(Path(pictures), per_class, problem)

    origins = [Image(one.pixels, patterns, one.subset) for one in chosen]
    diagrams = diagrams_of(
        origins,
        partial(_diagrams_of_image, essential=essential),
        (0,),
        recipe={"complex": "cubical", "patterns": patterns, "essential": essential},
        inputs=[one.pixels for one in chosen],
        n_jobs=n_jobs,
        progress=progress,
        cache=cache and is_reproducible,
    )
    return DiagramSet(
        diagrams,
        labels=np.array([picture.label for picture in chosen]),
        names=[picture.name for picture in chosen],
        provenance={
            "source": "textures",
            "pictures": str(pictures),
            "size": size,
            "per_class": per_class,
            "patterns": patterns,
            "problem": problem,
            "essential": essential,
            "random_state": as_seed(random_state),
        },
        origins=origins,
    )


def _from_folder(folder: Path, per_class: int | None, problem: int) -> list[Picture]:
    if not folder.is_dir():
        raise ParameterError(
            f'pictures must be "photographs", "generated" or a folder, not "{folder}"'
        )
    if is_outex(folder):
        if per_class is not None:
            raise ParameterError("OUTEX's splits are fixed: leave per_class out")
        listed: Sequence[tuple[Path, str, Subset | None]]
        listed = outex_split(folder, problem)
    else:
        listed = [(*found, None) for found in class_folders(folder, per_class)]
    check_total("pictures", len(listed), MAX_PICTURES)
    return [
        Picture(read_picture(path), label, f"{label}/{path.stem}", subset)
        for path, label, subset in listed
    ]


def _diagrams_of_image(image: Image, essential: Essential) -> list[Diagram]:
    return [picture_diagram(image.descriptor, essential)]
