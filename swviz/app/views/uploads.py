"""Bring your own: diagrams, clouds, pictures and meshes from files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import PurePath
from typing import Any, Literal

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.jobs import JobBar, JobCancelled
from swviz.app.session import in_document, tell
from swviz.app.sidebar import describe
from swviz.app.state import Workspace
from swviz.app.theme import caption, flow, plain_text, stack
from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, SwvizError
from swviz.files import Limits, load, load_cloud, load_image, load_mesh
from swviz.sources import Cloud, Image, shapes
from swviz.sources.persistence import alpha_diagrams, picture_diagram

ENDINGS = (".csv", ".tsv", ".txt", ".pers", ".npy", ".npz", ".json", ".off", ".png")
MAX_FILES = 50
LIMITS = Limits(max_bytes=20_000_000, max_points=500_000, max_pixels=1_000_000)
MAX_CLOUD = 5_000
MESH_POINTS = 100
"""Points of an uploaded mesh from which distances are taken."""

Tables = Literal["diagrams", "point clouds"]


def read_file(name: str, content: bytes, tables: Tables = "diagrams") -> DiagramSet:
    """Read one uploaded file.

    Parameters
    ----------
    name : str
        Its ending decides between picture, mesh and table.
    content : bytes
    tables : {"diagrams", "point clouds"}, default="diagrams"
        What a table of numbers holds.

    Returns
    -------
    DiagramSet

    Raises
    ------
    DiagramFileError
        If the file cannot be used; the message says why and what to do.
    """
    if len(content) > LIMITS.max_bytes:
        raise DiagramFileError(
            f"{name}: has {len(content) / 1e6:.0f} MB, more than the "
            f"{LIMITS.max_bytes / 1e6:.0f} MB that can be uploaded; split it"
        )
    ending, stem = PurePath(name).suffix.lower(), PurePath(name).stem
    if ending == ".off":
        mesh = load_mesh(content, name, limits=LIMITS)
        every = max(1, len(mesh.vertices) // MESH_POINTS)
        return shapes(mesh, every=every, disconnected="largest", cache=False)
    if ending == ".png":
        image = Image(load_image(content, name, limits=LIMITS))
        return DiagramSet(
            {0: [picture_diagram(image.descriptor, "drop")]},
            names=[stem],
            origins=[image],
        )
    if tables == "point clouds" and ending in (".csv", ".tsv", ".txt", ".npy"):
        points = load_cloud(content, name, limits=LIMITS)
        if not 4 <= len(points) <= MAX_CLOUD:
            raise DiagramFileError(
                f"{name}: has {len(points)} points; a cloud needs 4 to {MAX_CLOUD}"
            )
        H0, H1 = alpha_diagrams(points, dimensions=(0, 1))
        return DiagramSet({0: [H0], 1: [H1]}, names=[stem], origins=[Cloud(points)])
    return load(content, name, limits=LIMITS)


def read_files(
    files: Mapping[str, bytes],
    tables: Tables = "diagrams",
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[tuple[str, DiagramSet]], list[str]]:
    """Read several files; bad ones do not spoil the good ones.

    Parameters
    ----------
    files : mapping of str to bytes
    tables : {"diagrams", "point clouds"}, default="diagrams"
    progress : callable, optional
        Called with (files done, all files).

    Returns
    -------
    good : list of (str, DiagramSet)
        The name of each readable file and what is in it.
    complaints : list of str
        A sentence for each file that is not.
    """
    good, complaints = [], []
    for done, (name, content) in enumerate(files.items()):
        if progress is not None:
            progress(done, len(files))
        if done >= MAX_FILES:
            complaints.append(
                f"Only {MAX_FILES} files are read at once; upload the other "
                f"{len(files) - MAX_FILES} later."
            )
            break
        try:
            good.append((name, read_file(name, content, tables)))
        except SwvizError as error:
            message = str(error)
            named = message if message.startswith(name) else f"{name}: {message}"
            complaints.append(named)
    return good, complaints


def join_sets(parts: list[tuple[str, DiagramSet]]) -> DiagramSet:
    """Put what several files hold into one set.

    Parameters
    ----------
    parts : list of (str, DiagramSet)
        At least one.

    Returns
    -------
    DiagramSet
        Samples keep their labels; those without are labelled with their file's name.
        A dimension that a file lacks is empty there.
    """
    if len(parts) == 1:
        return parts[0][1]
    dimensions = sorted({k for _, part in parts for k in part.dimensions})
    empty = np.empty((0, 2))
    labels: list[str] = []
    names: list[str] = []
    origins: list[Any] = []
    for name, part in parts:
        stem = PurePath(name).stem
        several = len(part) > 1
        labels += [stem] * len(part) if part.labels is None else map(str, part.labels)
        names += [f"{stem}: {own}" if several else stem for own in part.names]
        origins += part.origins or [None] * len(part)
    return DiagramSet(
        {
            k: [
                diagram
                for _, part in parts
                for diagram in (
                    part.in_dimension(k)
                    if k in part.dimensions
                    else [empty] * len(part)
                )
            ]
            for k in dimensions
        },
        labels=labels,
        names=names,
        origins=origins,
        provenance={
            "source": "upload",
            "files": [name for name, _ in parts],
            # As long as no file says its homology dimension, none is known.
            **dict.fromkeys(
                ["assumed_dimension"]
                if all("assumed_dimension" in part.provenance for _, part in parts)
                else [],
                dimensions[0],
            ),
        },
    )


class Uploader(pn.viewable.Viewer):
    """Drop files or choose them; each bad one gets a message of its own.

    Parameters
    ----------
    workspace : Workspace
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.jobs = JobBar()
        self.files = pmui.FileInput(
            label="Drop files here, or click to choose",
            multiple=True,
            accept=",".join(ENDINGS),
            variant="outlined",
            width=330,
            margin=(8, 8),
        )
        self.tables = pmui.RadioButtonGroup(
            label="Tables of numbers are",
            options=["diagrams", "point clouds"],
            value="diagrams",
            size="small",
            margin=(8, 8),
        )
        self._messages = stack()
        self.files.param.watch(self._uploaded, "value")

    def __panel__(self) -> pn.Column:
        return stack(
            flow(self.files, self.tables, gap=0),
            caption(
                "Diagrams: csv, txt, npy, npz, json or GUDHI's pers, a row (birth, "
                "death) per point, perhaps with a dimension. Also point clouds, png "
                "pictures, off meshes. Up to 20 MB each."
            ),
            self._messages,
            self.jobs,
        )

    async def _uploaded(self, _event: object = None) -> None:
        contents, names = self.files.value, self.files.filename
        if not contents:
            return
        if isinstance(contents, bytes):
            contents, names = [contents], [names]
        await self.take(dict(zip(names, contents, strict=False)))

    async def take(self, files: Mapping[str, bytes]) -> None:
        """Read files and show what is usable in them.

        Parameters
        ----------
        files : mapping of str to bytes
        """
        try:
            good, complaints = await self.jobs.run(
                partial(read_files, files, self.tables.value), title="Reading files"
            )
        except JobCancelled:
            tell("Cancelled; nothing was taken over.", "info", 4)
            return
        in_document(partial(self._show, good, complaints))

    def _show(self, good: list[tuple[str, DiagramSet]], complaints: list[str]) -> None:
        alerts = [_alert(text, "error") for text in complaints]
        if good:
            dataset = join_sets(good)
            title = good[0][0] if len(good) == 1 else f"{len(good)} files"
            self.workspace.use(dataset, title, "upload")
            found = f"Read {title}: {describe(dataset, self.workspace.dimension)}."
            alerts.append(_alert(found, "success"))
        self._messages.objects = alerts


def _alert(text: str, severity: str) -> pmui.Alert:
    return pmui.Alert(
        plain_text(text),
        severity=severity,
        closeable=True,
        sizing_mode="stretch_width",
        margin=(2, 8),
    )
