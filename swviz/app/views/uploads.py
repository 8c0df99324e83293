"""Bring your own: diagrams, clouds, pictures and meshes from files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Any, Literal

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.drop import FileDrop, too_large
from swviz.app.jobs import JobBar, JobCancelled
from swviz.app.session import in_document, tell
from swviz.app.sidebar import describe
from swviz.app.state import Workspace
from swviz.app.theme import caption, plain_text, stack
from swviz.app.views.preview import Part, Preview, sample_names
from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, SwvizError
from swviz.files import Limits, load, load_cloud, load_image, load_mesh
from swviz.files.cells import read_labels
from swviz.sources import Cloud, Image, shapes
from swviz.sources.clouds import FEWEST_POINTS, most_points
from swviz.sources.persistence import alpha_diagrams, picture_diagram

ENDINGS = (".csv", ".tsv", ".txt", ".pers", ".npy", ".npz", ".json", ".off", ".png")
MAX_FILES = 500
LIMITS = Limits(max_bytes=20_000_000, max_points=500_000, max_pixels=1_000_000)
MESH_POINTS = 100
"""Points of an uploaded mesh from which distances are taken."""

Tables = Literal["diagrams", "point clouds"]

_CURES = {
    "limit": "split the file",
    "cloud": 'if it is a cloud of points, choose "point clouds" beside '
    '"Tables of numbers are"',
    "image": "save it as PNG, with a name that ends in .png",
    "mesh": "give it a name that ends in .off",
    "pickle": "save the diagrams as npz or csv",
}
"""What to do on the page, where the library's advice is for programs."""


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
        If the file cannot be used; the message says why and what to do on the page.
    """
    try:
        return _read(name, content, tables)
    except DiagramFileError as error:
        ending = PurePath(name).suffix.lower()
        # Whatever is no table looks like a cloud's: only where it says it is one.
        is_told = error.kind != "cloud" or ending in ENDINGS
        if error.kind in _CURES and is_told:
            message = f"{error.problem}; {_CURES[error.kind]}"
            raise DiagramFileError(message) from None
        if content and ending not in ENDINGS:
            known = ", ".join(known.removeprefix(".") for known in ENDINGS)
            kind = f"a {ending} file" if ending else "a file without an ending"
            raise DiagramFileError(
                f"{name}: {kind} cannot be read here; save the diagrams as csv or npz "
                f"(known endings: {known})"
            ) from None
        raise


def _read(name: str, content: bytes, tables: Tables) -> DiagramSet:
    if len(content) > LIMITS.max_bytes:
        raise DiagramFileError(f"{name}: {too_large(len(content), LIMITS.max_bytes)}")
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
        most = most_points("alpha")
        if not FEWEST_POINTS <= len(points) <= most:
            raise DiagramFileError(
                f"{name}: has {len(points)} points; a cloud needs {FEWEST_POINTS} to "
                f"{most}"
            )
        H0, H1 = alpha_diagrams(points, dimensions=(0, 1))
        return DiagramSet({0: [H0], 1: [H1]}, names=[stem], origins=[Cloud(points)])
    return load(content, name, limits=LIMITS)


def read_files(
    files: Mapping[str, bytes],
    tables: Tables = "diagrams",
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Part], list[str]]:
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


def join_sets(parts: Sequence[Part], labels: Sequence[str] | None = None) -> DiagramSet:
    """Put what several files hold into one set.

    Parameters
    ----------
    parts : sequence of (str, DiagramSet)
        At least one.
    labels : sequence of str, optional
        The class of each sample; numbers if all are, as in files.

    Returns
    -------
    DiagramSet
        A dimension that a file lacks is empty there.
    """
    dimensions = sorted({k for _, part in parts for k in part.dimensions})
    empty = np.empty((0, 2))
    origins = [
        origin for _, part in parts for origin in part.origins or [None] * len(part)
    ]
    provenance = {"source": "upload", "files": [name for name, _ in parts]}
    if len(parts) == 1:
        provenance = dict(parts[0][1].provenance)
        # Settled by now.
        provenance.pop("assumed_dimension", None)
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
        labels=None if labels is None else read_labels(list(labels), None),
        names=sample_names(parts),
        origins=origins if any(origin is not None for origin in origins) else None,
        provenance=provenance,
    )


class Uploader(pn.viewable.Viewer):
    """Drop files or choose them, look at what was found, and use it.

    Each bad file gets a message of its own.

    Parameters
    ----------
    workspace : Workspace
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.jobs = JobBar()
        self.files = FileDrop(
            self.take,
            accept=ENDINGS,
            max_bytes=LIMITS.max_bytes,
            max_files=MAX_FILES,
            sizing_mode="stretch_width",
            margin=(4, 8),
        )
        self.tables = pmui.RadioButtonGroup(
            label="Tables of numbers are",
            options=["diagrams", "point clouds"],
            value="diagrams",
            size="small",
            width=240,
            margin=(4, 8),
        )
        self.preview: Preview | None = None
        self._last: tuple[Mapping[str, bytes], Sequence[str]] | None = None
        self._messages = stack()
        self._found = stack()
        self.tables.param.watch(self._read_again, "value")

    def __panel__(self) -> pn.Column:
        return stack(
            self.files,
            self.tables,
            caption(
                "Diagrams: csv, txt, npy, npz, json or GUDHI's pers, a row (birth, "
                "death) per point, perhaps with a dimension. Also point clouds, png "
                "pictures, off meshes. Up to 20 MB each. Folders, or names such as "
                "cat_0 and dog_1, give classes."
            ),
            self._messages,
            self._found,
            self.jobs,
        )

    async def take(
        self, files: Mapping[str, bytes], complaints: Sequence[str] = ()
    ) -> None:
        """Read files and show what is usable in them.

        Parameters
        ----------
        files : mapping of str to bytes
        complaints : sequence of str
            About files that were refused before.
        """
        asked = self._last = files, complaints
        try:
            good, bad = await self.jobs.run(
                partial(read_files, files, self.tables.value), title="Reading files"
            )
        except JobCancelled:
            if self._last is asked:
                tell("Cancelled; nothing was taken over.", "info", 4)
            return
        if self._last is asked:
            in_document(partial(self._show, good, [*complaints, *bad]))

    async def _read_again(self, _event: object) -> None:
        """Read what was uploaded as the other kind of table."""
        if self._last is not None:
            await self.take(*self._last)

    def _show(self, good: list[Part], complaints: list[str]) -> None:
        self._messages.objects = [_alert(text, "error") for text in complaints]
        self.preview = Preview(good, self._use, self._discard) if good else None
        self._found.objects = [] if self.preview is None else [self.preview]

    def _use(self, parts: Sequence[Part], labels: Sequence[str] | None) -> None:
        dataset = join_sets(parts, labels)
        title = parts[0][0] if len(parts) == 1 else f"{len(parts)} files"
        self._discard()
        self.workspace.use(dataset, title, "upload")
        found = f"Showing {title}: {describe(dataset, self.workspace.dimension)}."
        self._messages.objects = [_alert(found, "success")]

    def _discard(self) -> None:
        self._last = self.preview = None
        self._messages.objects, self._found.objects = [], []


def _alert(text: str, severity: str) -> pmui.Alert:
    return pmui.Alert(
        plain_text(text),
        severity=severity,
        closeable=True,
        sizing_mode="stretch_width",
        margin=(2, 8),
    )
