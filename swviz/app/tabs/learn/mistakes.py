"""The diagrams behind a cell of the confusion matrix, and their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.tabs.learn.matrices import ConfusionFigure
from swviz.app.tabs.learn.trainer import Trainer
from swviz.app.ui.tables import table
from swviz.app.ui.theme import card, plain_text
from swviz.learning import nearest

_COLUMNS = (
    "sample",
    "name",
    "true class",
    "predicted",
    "nearest in training",
    "its class",
    "distance",
)


class MistakeCard(pn.viewable.Viewer):
    """Lists the diagrams of a cell; each can be taken as A, beside its nearest as B.

    Parameters
    ----------
    trainer : Trainer
    figure : ConfusionFigure
        Whose cells are tapped.
    """

    heading = param.String(default="")

    def __init__(
        self, trainer: Trainer, figure: ConfusionFigure, **params: Any
    ) -> None:
        super().__init__(**params)
        self.trainer, self.figure = trainer, figure
        self.cell: tuple[int, int] | None = None
        self.table = table(
            pd.DataFrame(columns=list(_COLUMNS)),
            page_size=6,
        )
        self.open_slices = pmui.Button(
            label="Open A and B in Slices",
            icon="open_in_new",
            size="small",
            variant="outlined",
            margin=(4, 0),
            on_click=self._open,
        )
        self._card = card(
            plain_text(self.param.heading, font_weight="600"),
            self.table,
            self.open_slices,
            title="Behind the cell: a click on a row takes it as A, its nearest as B",
            visible=False,
        )
        figure.cells.selected.on_change("indices", self._tapped)
        self.table.on_click(lambda event: self._row_clicked(event.row))
        trainer.param.watch(self._follow, "portrait")

    def __panel__(self) -> pn.Column:
        return self._card

    def _tapped(self, _attribute: str, _old: object, indices: list[int]) -> None:
        if not indices:
            return
        data = self.figure.cells.data
        cell = int(data["y"][indices[0]]), int(data["x"][indices[0]])
        self.figure.cells.selected.indices = []
        self.open_cell(cell)

    def open_cell(self, cell: tuple[int, int]) -> None:
        """List the diagrams of a cell and take its first one as A.

        Parameters
        ----------
        cell : (row, column)
            True and predicted class, as indices.
        """
        self.cell = cell
        self._follow()
        behind = self.behind()
        if len(behind):
            self.choose(int(behind[0]))

    def behind(self) -> np.ndarray:
        """Return the test samples of the open cell."""
        portrait = self.trainer.portrait
        if self.cell is None or portrait is None or portrait.evaluation is None:
            return np.empty(0, dtype=int)
        classes = portrait.evaluation.classes
        if max(self.cell) >= len(classes):
            return np.empty(0, dtype=int)
        true, said = classes[list(self.cell)]
        test = self.trainer.test
        here = (self.trainer.labels[test] == true) & (
            portrait.evaluation.predictions == said
        )
        return test[here]

    def _follow(self, *_events: object) -> None:
        portrait = self.trainer.portrait
        there = portrait is not None and portrait.evaluation is not None
        if there and self.cell and max(self.cell) >= len(portrait.evaluation.classes):
            self.cell = None
        if self.trainer.computing and self.trainer.shown is not None and self.cell:
            # The cell of another machine is on its way: no row is behind it yet.
            self.heading = "…"
            self.table.value = self.frame(np.empty(0, dtype=int))
            return
        if not there or self.cell is None:
            self.cell = None
            self._card.visible = False
            self.heading = ""
            self.figure.mark(None)
            return
        behind = self.behind()
        true, said = (str(portrait.evaluation.classes[k]) for k in self.cell)
        count = f"{len(behind)} test diagram{'s' * (len(behind) != 1)}"
        self.heading = f"{count} of class {true}, taken for {said}" + (
            ": right." if true == said else "."
        )
        self.table.value = self.frame(behind)
        self.figure.mark(self.cell)
        self._card.visible = True

    def frame(self, samples: np.ndarray) -> pd.DataFrame:
        """Return samples and their nearest training samples as a table."""
        trainer = self.trainer
        if not len(samples):
            return pd.DataFrame(columns=list(_COLUMNS))
        names, labels = trainer.shown.names, trainer.labels
        predictions = trainer.portrait.predictions
        closest, apart = self._nearest(samples)
        return pd.DataFrame(
            {
                "sample": samples,
                "name": [names[k] for k in samples],
                "true class": [str(labels[k]) for k in samples],
                "predicted": [str(predictions[k]) for k in samples],
                "nearest in training": [f"{k} · {names[k]}" for k in closest],
                "its class": [str(labels[k]) for k in closest],
                "distance": [float(f"{far:.4g}") for far in apart],
            }
        )

    def _nearest(self, samples: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Nearest training sample of each, but never itself."""
        trainer = self.trainer
        others = trainer.train if len(trainer.train) else np.arange(len(trainer.shown))
        apart = trainer.ready.sample_distances(trainer.portrait.gram)[
            np.ix_(samples, others)
        ]
        apart = np.where(others == np.asarray(samples)[:, None], np.inf, apart)
        indices, distances = nearest(apart, 1)
        return others[indices[:, 0]], distances[:, 0]

    def choose(self, sample: int) -> None:
        """Take a sample as A and the training sample nearest to it as B."""
        trainer = self.trainer
        if trainer.portrait is None or len(trainer.shown) < 2:
            return
        closest, _ = self._nearest(np.array([sample]))
        space = trainer.workspace
        space.param.update(index_a=sample, index_b=int(closest[0]))
        if space.edited:
            # They were the numbers of the pair before, which is another one.
            space.restore()

    def _row_clicked(self, row: int) -> None:
        samples = self.behind()
        if row < len(samples):
            self.choose(int(samples[row]))

    def _open(self, _event: object = None) -> None:
        self.trainer.workspace.tab = "Slices"
