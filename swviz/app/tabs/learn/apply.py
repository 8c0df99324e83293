"""Use a trained classifier: save it, load one, ask it about other diagrams."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import JobCancelled
from swviz.app.runtime.session import in_document, tell
from swviz.app.runtime.settings import SETTINGS
from swviz.app.runtime.task import Task
from swviz.app.tabs.learn.trainer import Trainer
from swviz.app.ui.drop import FileDrop, too_large
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.tables import table
from swviz.app.ui.theme import caption, card, flow, plain_text
from swviz.app.workspace.reading import (
    ENDINGS,
    LIMITS,
    Part,
    in_dimension,
    is_undecided,
    join_sets,
    read_files,
)
from swviz.diagrams import DiagramSet
from swviz.errors import DiagramFileError, SwvizError
from swviz.files import save
from swviz.learning import Answers, DiagramClassifier, load_classifier
from swviz.learning.saving import with_recipe
from swviz.plot.theme import MISTAKE

MOST_QUESTIONS = 500
NEIGHBORS = 3


class ApplyCard(pn.viewable.Viewer):
    """Says which class a diagram would be, and which training ones it resembles."""

    in_use = param.String(default="", doc="Which classifier answers.")
    complaints = param.String(default="")

    def __init__(self, trainer: Trainer, **params: Any) -> None:
        super().__init__(**params)
        self.trainer = trainer
        self._classifying = Task()
        self.jobs = JobBar(self._classifying)
        self.loaded: DiagramClassifier | None = None
        # What was asked, where there are answers.
        self.asked: Any = None
        self.answered: tuple[DiagramClassifier, Answers] | None = None
        self._asked_of: Hashable = None
        self.save_button = pmui.FileDownload(
            callback=self.as_npz,
            filename="classifier.npz",
            label="Save this one",
            size="small",
            margin=(6, 6),
        )
        self.model_file = FileDrop(
            self.take_model_file,
            accept=(".npz", ".csv"),
            label="Another classifier",
            folders=False,
            margin=(6, 6),
            sizing_mode="stretch_width",
        )
        self.forget = pmui.Button(
            label="Back to this one",
            size="small",
            variant="text",
            visible=False,
            margin=(6, 6),
            on_click=self._forget,
        )
        self.files = FileDrop(
            self.ask,
            accept=ENDINGS,
            label="Diagrams to classify",
            margin=(6, 6),
            sizing_mode="stretch_width",
        )
        self.table = table(
            self.frame(),
            page_size=6,
            visible=False,
        )
        self.open_slices = pmui.Button(
            label="Open the first in Slices, beside its nearest",
            icon="open_in_new",
            size="small",
            variant="outlined",
            visible=False,
            disabled=True,
            margin=(4, 0),
            on_click=lambda _event: self.show_pair(0),
        )
        self.table.on_click(lambda event: self.show_pair(event.row))
        trainer.param.watch(self._trained, ["portrait", "setting"])
        self._trained()

    def __panel__(self) -> pn.Column:
        return card(
            plain_text(self.param.in_use),
            flow(self.save_button, self.forget, gap=0),
            self.model_file,
            self.files,
            plain_text(self.param.complaints, color=MISTAKE),
            self.jobs,
            self.table,
            self.open_slices,
            caption(
                "A saved classifier is a plain npz file: its training diagrams and "
                "settings. Opening one runs no code; it is trained again."
            ),
            title="What class would your diagram be, and what does it resemble?",
        )

    # -- the classifier -------------------------------------------------------------

    def _trained(self, *_events: object) -> None:
        portrait = self.trainer.portrait
        there = portrait is not None and portrait.evaluation is not None
        self.save_button.disabled = not there
        self._drop_old_answers()
        if self.loaded is None:
            self.in_use = (
                f"The machine above answers ({len(self.trainer.train)} training "
                "diagrams)."
                if there
                else "There is no trained machine yet; load one, or choose data."
            )

    def _machine(self) -> Hashable:
        """Return what tells the machine that answers now from all others."""
        if self.loaded is not None:
            return id(self.loaded)
        setting = self.trainer.setting
        if setting is None:
            return None
        # The bandwidth of k_SW is no matter of another kernel's machine.
        return id(self.trainer.dataset), tuple(setting.without("sigma").items())

    def _drop_old_answers(self) -> None:
        """Show no answers of another machine than the one that is named."""
        machine = self._machine()
        if self._asked_of != machine:
            self._asked_of, self.complaints = machine, ""
            self.asked = self.answered = None
            self.table.value = self.frame()
            self.open_slices.disabled = True

    def training_set(self) -> DiagramSet:
        """Return the training samples with the recipe of the machine on show."""
        trainer = self.trainer
        if trainer.portrait is None or trainer.portrait.evaluation is None:
            raise SwvizError("there is no trained machine to save")
        kernel = trainer.ready.at(trainer.setting.scale)
        return with_recipe(kernel, trainer.setting.C, self._samples())

    def _samples(self) -> DiagramSet:
        """Return the training samples, in the dimensions that are learnt from."""
        part = self.trainer.shown[self.trainer.train]
        several = {k: part.diagrams[k] for k in self.trainer.setting.dimensions}
        return DiagramSet(several, part.labels, part.names, part.provenance)

    def as_npz(self) -> BytesIO:
        """Return the machine on show as the content of a file."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "classifier.npz"
            save(self.training_set(), path)
            return BytesIO(path.read_bytes())

    def _current(self) -> Callable[..., DiagramClassifier]:
        """Return what makes the classifier that answers."""
        if self.loaded is not None:
            ready = self.loaded
            return lambda progress: ready
        trainer, setting = self.trainer, self.trainer.setting
        if trainer.portrait is None or trainer.portrait.evaluation is None:
            raise SwvizError("there is no trained machine: load one, or choose data")
        kernel = trainer.ready.at(setting.scale)
        samples = self._samples()
        return lambda progress: DiagramClassifier(kernel, setting.C).fit(
            samples, progress=progress
        )

    async def take_model_file(
        self, files: Mapping[str, bytes], complaints: Sequence[str] = ()
    ) -> None:
        """Take a saved classifier from what was dropped.

        Parameters
        ----------
        files : mapping of str to bytes
            One file.
        complaints : sequence of str
            About files that were refused before.
        """
        if complaints or len(files) != 1:
            told = " ".join(complaints) or "A classifier is one file: give only that."
            in_document(partial(self.param.update, complaints=told))
            return
        [(name, content)] = files.items()
        await self.load_model(content, name)

    async def load_model(self, content: bytes, name: str) -> None:
        """Take a saved classifier.

        Parameters
        ----------
        content : bytes
        name : str
            For messages.
        """
        try:
            if len(content) > LIMITS.max_bytes:
                size = too_large(len(content), LIMITS.max_bytes)
                raise DiagramFileError(f"{name}: {size}")
            loaded = await self._classifying.compute(
                partial(load_classifier, content, name, limits=LIMITS),
                title="Training the loaded classifier",
            )
        except JobCancelled:
            tell("Cancelled; the classifier was not taken.", "info", 4)
            return
        except SwvizError as error:
            in_document(partial(self.param.update, complaints=str(error)))
            return
        in_document(partial(self._take_model, loaded, name))

    def _take_model(self, loaded: DiagramClassifier, name: str) -> None:
        self.loaded = loaded
        self.forget.visible = True
        self.param.update(
            complaints="",
            in_use=f"{name} answers: {type(loaded.kernel_).__name__}, "
            f"{len(loaded.samples_)} training diagrams of {len(loaded.classes_)} "
            "classes.",
        )
        self._drop_old_answers()

    def _forget(self, _event: object = None) -> None:
        self.loaded = None
        self.forget.visible = False
        self._trained()

    # -- questions ------------------------------------------------------------------

    async def ask(
        self, files: Mapping[str, bytes], complaints: Sequence[str] = ()
    ) -> None:
        """Classify the diagrams in some files.

        Parameters
        ----------
        files : mapping of str to bytes
        complaints : sequence of str
            About files that were refused before.
        """
        asked_of = self._machine()
        try:
            make = self._current()
            asked, answered, bad = await self._classifying.compute(
                partial(_answer, files, make), title="Classifying"
            )
        except JobCancelled:
            tell("Cancelled; nothing was classified.", "info", 4)
            return
        except SwvizError as error:
            in_document(partial(self.param.update, complaints=str(error)))
            return
        told = [*complaints, *bad]
        in_document(partial(self._show, asked_of, asked, answered, told))

    def _show(
        self,
        asked_of: Hashable,
        asked: DiagramSet | None,
        answered: tuple[DiagramClassifier, Answers] | None,
        complaints: list[str],
    ) -> None:
        if asked_of != self._machine():
            # Another machine answers by now.
            return
        self.complaints = " ".join(complaints)
        if asked is None:
            return
        self.asked, self.answered = asked, answered
        self.table.value = self.frame()
        self.table.visible = self.open_slices.visible = True
        self.open_slices.disabled = False

    def frame(self) -> pd.DataFrame:
        """Return the answers as a table."""
        columns = ["diagram", "class"]
        columns += [f"resembles ({k})" for k in range(1, NEIGHBORS + 1)]
        rows = []
        if self.answered is not None:
            machine, answers = self.answered
            names, labels = machine.samples_.names, machine.samples_.labels
            assert labels is not None, "it was trained"
            for place, name in enumerate(self.asked.names):
                row = dict.fromkeys(columns, "")
                row |= {"diagram": name, "class": str(answers.predictions[place])}
                for rank, (index, far) in enumerate(
                    zip(
                        answers.neighbors[place], answers.distances[place], strict=True
                    ),
                    start=1,
                ):
                    row[f"resembles ({rank})"] = (
                        f"{names[index]} ({labels[index]}), at {far:.3g}"
                    )
                rows.append(row)
        return pd.DataFrame(rows, columns=columns, dtype=object)

    def show_pair(self, row: int) -> None:
        """Open a classified diagram and the one it resembles most in Slices."""
        if self.answered is None:
            return
        machine, answers = self.answered
        space = self.trainer.workspace
        known = machine.samples_.dimensions
        dimension = space.dimension if space.dimension in known else known[0]
        here = self.asked.dimensions
        own = dimension if dimension in here else here[0]
        nearest = int(answers.neighbors[row][0])
        space.edit(
            self.asked.in_dimension(own)[row],
            machine.samples_.in_dimension(dimension)[nearest],
        )
        space.tab = "Slices"


def _answer(
    files: Mapping[str, bytes],
    make: Callable[..., DiagramClassifier],
    progress: Callable[[int, int], None],
) -> tuple[DiagramSet | None, tuple[DiagramClassifier, Answers] | None, list[str]]:
    good, complaints = read_files(files, "diagrams", progress)
    if not good:
        return None, None, complaints
    count = sum(len(part) for _, part in good)
    if count > SETTINGS.classified_diagrams:
        raise SwvizError(
            "too many diagrams: "
            + SETTINGS.exceeded("classified_diagrams", count, "classify fewer at once")
        )
    machine = make(progress=progress)
    good, warnings = in_dimensions_of(machine, good)
    complaints += warnings
    if not good:
        return None, None, complaints
    asked = join_sets(good)
    answers = machine.answer(asked, NEIGHBORS, progress=progress)
    return asked, (machine, answers), complaints


def in_dimensions_of(
    machine: DiagramClassifier, parts: Sequence[Part]
) -> tuple[list[Part], list[str]]:
    """Bring files to the homology dimensions that a machine was trained on.

    Parameters
    ----------
    machine : DiagramClassifier
        Trained.
    parts : sequence of (str, DiagramSet)

    Returns
    -------
    usable : list of (str, DiagramSet)
    warnings : list of str
        About files that do not say their dimension, hold another one, or lack one.
    """
    dimensions = machine.kernel_.dimensions
    known = machine.samples_.dimensions if dimensions is None else tuple(dimensions)
    trained = "the machine was trained on " + " and ".join(f"H{k}" for k in known)
    usable: list[Part] = []
    silent, other, lacking = [], [], []
    for name, part in parts:
        missing = not set(known) <= set(part.dimensions)
        if len(known) == len(part.dimensions) == 1:
            if is_undecided(part):
                silent.append(name)
            elif missing:
                other.append(name)
            usable.append((name, in_dimension(part, known[0])))
        elif missing:
            lacking.append(name)
        else:
            usable.append((name, part))
    warnings = []
    if silent:
        warnings.append(
            f"No homology dimension in {_listed(silent)}: taken as H{known[0]}, since "
            f"{trained}."
        )
    if other:
        warnings.append(
            f"Another homology dimension in {_listed(other)}: {trained}, so do not "
            "rely on the answer."
        )
    if lacking:
        warnings.append(
            f"Not classified, for lack of a homology dimension: {_listed(lacking)}; "
            f"{trained}."
        )
    return usable, warnings


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
