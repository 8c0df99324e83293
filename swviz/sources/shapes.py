"""Points of 3D shapes by their geodesic distance, the paper's Section 4.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from swviz.checks import check_choice, check_choices, check_integer, check_workers
from swviz.diagrams import Diagram, DiagramSet
from swviz.errors import ParameterError
from swviz.sources.figure import POSES, posed_figure
from swviz.sources.mesh_files import LabelledMesh, read_meshes, side_of_split
from swviz.sources.meshes import Disconnected, HasTriangles, TriangleMesh, as_mesh
from swviz.sources.origins import MeshPoint
from swviz.sources.parameters import Preset, check_total
from swviz.sources.persistence import Essential, diagrams_of
from swviz.typing import Progress

MAX_DIAGRAMS = 20_000

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "figure": Preset(
            "Every hundredth point of a figure in ten poses: which part is it on?",
            {"meshes": "figure"},
        ),
        "one pose": Preset(
            "A standing figure, closely sampled",
            {"meshes": "figure", "poses": ("standing",), "every": 20, "n_train": 0},
        ),
        "standing and running": Preset(
            "The same point in two poses has a similar diagram",
            {"meshes": "figure", "poses": ("standing", "running"), "n_train": 1},
        ),
    }
)


def shapes(
    meshes: str | Path | HasTriangles = "figure",
    *,
    poses: str | Sequence[str] = tuple(POSES),
    every: int = 100,
    vertices: Sequence[int] | None = None,
    n_train: int = 5,
    essential: Essential = "drop",
    disconnected: Disconnected = "error",
    n_jobs: int | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> DiagramSet:
    """Points of 3D shapes and the H1 diagrams of the distance from each of them.

    Parameters
    ----------
    meshes : "figure", path or mesh, default="figure"
        The built-in figure; a folder with ``<n>.off`` and ``<n>_labels.txt``; one OFF
        file; or any object with `vertices` and `faces`.
    poses : str or sequence of str, default all
        Of the built-in figure; see ``POSES``.
    every : int from 1 to 100000, default=100
        Take vertices 0, `every`, 2 `every`, ... of each mesh, as the paper does.
    vertices : sequence of int, optional
        Take these vertices of each mesh instead.
    n_train : int from 0, default=5
        The points of the first meshes are for training and those of the others for
        testing, as in the paper; see :func:`~swviz.sources.train_test`. A mesh alone
        has no split.
    essential : {"drop", "cap"}, default="drop"
        Loops that no distance fills, around handles or along boundaries, are left
        out, or die at the greatest distance.
    disconnected : {"error", "largest"}, default="error"
        Refuse a mesh in several pieces, or keep the piece with most vertices, its
        vertices renumbered.
    n_jobs : int, optional
        Threads, as in joblib.
    progress : callable, optional
        Called with (points done, all points).
    cache : bool, default=True
        Keep the diagrams on disk.

    Returns
    -------
    DiagramSet
        Dimension 1, labels are the parts, origins :class:`~swviz.sources.MeshPoint`.
        Meshes of a folder are in the order of their numbers.

    Notes
    -----
    The distance is that of the shortest path along edges. A label file alternates a
    line with the name of a part and a line with the numbers of its faces, from 1. A
    vertex belongs to the part of most of its faces, and in a tie to the part that is
    first in the alphabet. A folder without any label file gives a set without labels.

    Examples
    --------
    >>> points = shapes(poses="standing", every=200, n_train=0, cache=False)
    >>> points.dimensions, points.class_names
    ((1,), ('arm', 'head', 'leg', 'torso'))
    """
    several_poses = check_choices(poses, "poses", POSES)
    every = check_integer(every, "every", 1, 100_000)
    n_train = check_integer(n_train, "n_train", 0, 1_000_000)
    check_choice(essential, "essential", ("drop", "cap"))
    check_choice(disconnected, "disconnected", ("error", "largest"))
    check_workers(n_jobs)
    if isinstance(meshes, str) and meshes == "figure":
        labelled = _figures(several_poses, n_train)
    elif isinstance(meshes, str | Path):
        labelled = read_meshes(Path(meshes), n_train, disconnected)
    elif hasattr(meshes, "vertices") and hasattr(meshes, "faces"):
        labelled = [LabelledMesh(as_mesh(meshes, disconnected)[0], None, "mesh", None)]
    else:
        raise ParameterError(
            'meshes must be "figure", a path or a mesh with vertices and faces, '
            f"not {type(meshes).__name__}"
        )
    sources = [_sources(one.mesh, every, vertices) for one in labelled]
    check_total("diagrams", sum(map(len, sources)), MAX_DIAGRAMS)
    origins = [
        MeshPoint(one.mesh, vertex, one.subset)
        for one, chosen in zip(labelled, sources, strict=True)
        for vertex in chosen.tolist()
    ]
    diagrams = diagrams_of(
        origins,
        partial(_diagrams_of_point, essential=essential),
        (1,),
        recipe={"complex": "geodesic", "essential": essential},
        inputs=[
            array
            for one, chosen in zip(labelled, sources, strict=True)
            for array in (one.mesh.vertices, one.mesh.faces, chosen)
        ],
        n_jobs=n_jobs,
        progress=progress,
        cache=cache,
    )
    return DiagramSet(
        diagrams,
        labels=_labels(labelled, sources),
        names=[
            f"{one.name}, vertex {vertex}"
            for one, chosen in zip(labelled, sources, strict=True)
            for vertex in chosen.tolist()
        ],
        provenance={
            "source": "shapes",
            "meshes": str(meshes) if isinstance(meshes, str | Path) else "mesh",
            "poses": list(several_poses),
            "every": every,
            "vertices": None if vertices is None else [int(v) for v in vertices],
            "n_train": n_train,
            "essential": essential,
            "disconnected": disconnected,
        },
        origins=origins,
    )


def _figures(poses: Sequence[str], n_train: int) -> list[LabelledMesh]:
    return [
        LabelledMesh(*posed_figure(pose), pose, side_of_split(index, n_train))
        for index, pose in enumerate(poses)
    ]


def _sources(
    mesh: TriangleMesh, every: int, vertices: Sequence[int] | None
) -> NDArray[np.int64]:
    n_vertices = len(mesh.vertices)
    if vertices is None:
        return np.arange(0, n_vertices, every)
    chosen = [check_integer(v, "vertices", 0, n_vertices - 1) for v in vertices]
    if not chosen:
        raise ParameterError("vertices is empty: give at least one, or leave it out")
    return np.array(chosen, dtype=np.int64)


def _labels(
    labelled: Sequence[LabelledMesh], sources: Sequence[NDArray[np.int64]]
) -> NDArray[np.str_] | None:
    chosen = [
        one.labels[vertices]
        for one, vertices in zip(labelled, sources, strict=True)
        if one.labels is not None
    ]
    return np.concatenate(chosen) if chosen else None


def _diagrams_of_point(point: MeshPoint, essential: Essential) -> list[Diagram]:
    return [point.mesh.loop_diagram(point.distances, essential)]
