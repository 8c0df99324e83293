"""Bring your own: diagrams, clouds, pictures and meshes from files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz import diagrams
from swviz.app.runtime.jobs import JobCancelled
from swviz.app.runtime.session import in_document, tell
from swviz.app.runtime.settings import SETTINGS
from swviz.app.runtime.task import Task
from swviz.app.tabs.diagrams.preview import Preview
from swviz.app.ui.drop import FileDrop
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.theme import caption, plain_text, stack
from swviz.app.workspace.keeping import ENDING, bring_back, unpack
from swviz.app.workspace.reading import (
    ENDINGS,
    Part,
    join_sets,
    read_files,
)
from swviz.app.workspace.state import Workspace
from swviz.app.workspace.words import describe
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError


class Uploader(pn.viewable.Viewer):
    """Drop files or choose them, look at what was found, and use it.

    Each bad file gets a message of its own.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self._reading = Task()
        self.jobs = JobBar(self._reading)
        self.files = FileDrop(
            self.take,
            accept=(*ENDINGS, ENDING),
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
                f"pictures, off meshes. Up to {SETTINGS.upload_bytes / 1e6:.0f} MB "
                "each. Folders, or names such as cat_0 and dog_1, give classes. A "
                f"saved workspace ({ENDING}) brings back all that was on show."
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
        saved = [name for name in files if name.lower().endswith(ENDING)]
        if saved:
            self._bring_back(saved[-1], files[saved[-1]])
            return
        asked = self._last = files, complaints
        try:
            good, bad = await self._reading.compute(
                partial(read_files, files, self.tables.value), title="Reading files"
            )
        except JobCancelled:
            if self._last is asked:
                tell("Cancelled; nothing was taken over.", "info", 4)
            return
        if self._last is asked:
            in_document(partial(self._show, good, [*complaints, *bad]))

    def _bring_back(self, name: str, content: bytes) -> None:
        """Show a workspace that was saved."""
        try:
            complaints = bring_back(self.workspace, unpack(content, name))
        except SwvizError as error:
            found = [_alert(str(error), "error")]
        else:
            found = [_alert(text, "warning") for text in complaints]
            found.append(_alert(f"{name} is on show again.", "success"))
        self._discard()
        self._messages.objects = found

    async def _read_again(self, _event: object) -> None:
        """Read what was uploaded as the other kind of table."""
        if self._last is not None:
            await self.take(*self._last)

    def _show(self, good: list[Part], complaints: list[str]) -> None:
        self._messages.objects = [_alert(text, "error") for text in complaints]
        self.preview = (
            Preview(good, self._use, self._add, self._discard) if good else None
        )
        self._found.objects = [] if self.preview is None else [self.preview]

    def _use(self, parts: Sequence[Part], labels: Sequence[str] | None) -> None:
        dataset = join_sets(parts, labels)
        title = parts[0][0] if len(parts) == 1 else f"{len(parts)} files"
        self._discard()
        self.workspace.use(dataset, title, "upload")
        found = f"Showing {title}: {describe(dataset, self.workspace.dimension)}."
        self._messages.objects = [_alert(found, "success")]

    def _add(self, parts: Sequence[Part], labels: Sequence[str] | None) -> None:
        """Show what was uploaded with what is on show, and a pair of both."""
        space, uploaded = self.workspace, join_sets(parts, labels)
        before, title = space.dataset, space.title
        classes = None
        if before.labels is not None or uploaded.labels is not None:
            classes = [*_classes(before, title), *_classes(uploaded, "uploaded")]
        both = diagrams.join_sets(
            [before, uploaded],
            missing="empty",
            labels=classes,
            provenance={
                "source": "upload",
                "files": [name for name, _ in parts],
                "added_to": title,
            },
        )
        self._discard()
        space.use(both, f"{title} + {len(uploaded)} uploaded", "upload")
        space.param.update(index_a=0, index_b=len(before))
        found = f"Showing {space.title}: {describe(both, space.dimension)}."
        self._messages.objects = [_alert(found, "success")]

    def _discard(self) -> None:
        self._last = self.preview = None
        self._messages.objects, self._found.objects = [], []


def _classes(dataset: DiagramSet, name: str) -> list[str]:
    """Return the class of each sample; one for all if there are none."""
    labels = [name] * len(dataset) if dataset.labels is None else dataset.labels
    return [str(label) for label in labels]


def _alert(text: str, severity: str) -> pmui.Alert:
    return pmui.Alert(
        plain_text(text),
        severity=severity,
        closeable=True,
        sizing_mode="stretch_width",
        margin=(2, 8),
    )
