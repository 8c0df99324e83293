"""The Learn view: train a support vector machine, see what bandwidth and C do to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz import plot
from swviz.app.runtime.building import fill_later, one_message
from swviz.app.runtime.task import Task
from swviz.app.tabs.learn.apply import ApplyCard
from swviz.app.tabs.learn.cards import (
    BandwidthCard,
    DirectionsCard,
    GridCard,
    TwoSampleCard,
)
from swviz.app.tabs.learn.controls import make_controls
from swviz.app.tabs.learn.figures import MapFigure, legend_html
from swviz.app.tabs.learn.history import History
from swviz.app.tabs.learn.kernels import KERNEL_CHOICES
from swviz.app.tabs.learn.matrices import ConfusionFigure, GramFigure
from swviz.app.tabs.learn.means import MapMeans
from swviz.app.tabs.learn.mistakes import MistakeCard
from swviz.app.tabs.learn.protocol import ProtocolCard
from swviz.app.tabs.learn.trainer import CANCELLED, Trainer
from swviz.app.tabs.learn.words import (
    HELP,
    accuracy_text,
    describe,
    invite,
    name_machine,
    name_width,
)
from swviz.app.ui.exports import Matrices, matrix_buttons
from swviz.app.ui.theme import (
    card,
    cell,
    grid,
    lead,
    plain_text,
    plot_pane,
    stack,
    stat,
)
from swviz.app.workspace.links import remember
from swviz.app.workspace.listing import call, literal
from swviz.app.workspace.state import Workspace
from swviz.app.workspace.tab_view import TabView
from swviz.diagrams import DiagramSet
from swviz.learning import Portrait
from swviz.plot.theme import ACCENT

_NUMBERS = {
    "test": "test accuracy",
    "cv": "cross-validated",
    "train": "training accuracy",
    "support": "support vectors",
}


class LearnView(TabView):
    """Train a classifier live: numbers, map and grids follow bandwidth and C.

    Parameters
    ----------
    D : DiagramSet, optional
        Shown in a workspace of its own.
    workspace : Workspace, optional
        Of a session; the built-in data set by default.
    **params
        Further parameters of the view, and `controls`: whether a cell of a notebook
        shows the sidebar beside it.

    Examples
    --------
    In a notebook, ``LearnView(dataset)`` in a cell shows itself; its σ, M and C are
    ``view.workspace.sigma``, ``view.workspace.n_directions`` and ``view.trainer.C``,
    bandwidths of other kernels are in ``view.trainer.widths``.
    """

    fit_map = param.Boolean(default=False, label="Zoom the map to the diagrams")
    test_text = param.String(default="—")
    test_note = param.String(default="")
    cv_text = param.String(default="—")
    cv_note = param.String(default="")
    train_text = param.String(default="—")
    train_note = param.String(default="")
    support_text = param.String(default="—")
    support_note = param.String(default="")
    machine = param.String(default="", doc="What the numbers are those of.")
    verdict = param.String(default="")

    def __init__(
        self,
        D: DiagramSet | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        super().__init__(**params)
        if workspace is None:
            workspace = Workspace.of_set(D, tab="Learn")
        self.workspace = workspace
        self.trainer = Trainer(workspace)
        linked = ["kernel", "C", "train_share", "seed", "stratify"]
        self.trainer.until_closed(
            remember(self.trainer, workspace, "learn", linked, self.trainer.is_usual)
        )
        self.trainer.begin()
        self.map, self.confusion = MapFigure(), ConfusionFigure()
        self.gram = GramFigure()
        self.history = History(workspace)
        self.bandwidths = BandwidthCard(self.trainer)
        self.grid = GridCard(self.trainer)
        self.directions = DirectionsCard(self.trainer)
        self.two_samples = TwoSampleCard(self.trainer)
        self.protocol = ProtocolCard(self.trainer, self.history)
        self.apply = ApplyCard(self.trainer)
        self.mistakes = MistakeCard(self.trainer, self.confusion)
        self.means = MapMeans(self.trainer, self.map)
        self._problem = self._make_problem()
        self._legend = pn.pane.HTML(
            legend_html(None), sizing_mode="stretch_width", margin=0
        )
        self.controls = make_controls(self.trainer, self.grid.tune, self.param.fit_map)
        self.trainer.param.watch(self._show, ["portrait", "computing"])
        self.trainer.param.watch(self._tuned, "tuned")
        self.trainer.param.watch(self._show_problem, "problem")
        self.param.watch(self._show_map, "fit_map")
        self.trainer.until_closed(
            workspace.param.watch(self._mark_pair, ["index_a", "index_b", "called"])
        )
        self.map.points.selected.on_change("indices", self._map_tapped)
        self.trainer.refresh()

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        self.trainer.close()
        self.history.close()
        for task in self.tasks:
            task.forget()
        super().close()

    @property
    def tasks(self) -> list[Task]:
        """What the view computes by itself."""
        cards = (self.bandwidths, self.grid, self.directions, self.two_samples)
        return [self.trainer.training, *(card.following for card in cards)]

    def stills(self) -> list[Any]:
        """Draw the map and the mistakes of the machine on show."""
        trainer = self.trainer
        portrait = trainer.portrait
        if portrait is None:
            return super().stills()
        drawn = [
            plot.kernel_map(portrait, trainer.labels, trainer.test, trainer.shown.names)
        ]
        if portrait.evaluation is not None:
            drawn.append(plot.confusion(portrait.evaluation))
        return drawn

    # -- what is shown --------------------------------------------------------------

    def _show(self, *_events: object) -> None:
        """Bring everything that follows the bandwidth at once to the portrait."""
        # One message to the browser, not forty.
        with one_message():
            self._show_portrait()

    def _show_portrait(self) -> None:
        trainer = self.trainer
        portrait = trainer.portrait
        if portrait is None:
            for figure in (self.map, self.confusion, self.gram):
                figure.clear()
            self._legend.object = legend_html(trainer.labels)
            self._show_numbers(None)
            return
        if trainer.computing:
            # The pictures stay; the numbers are not those that are asked for.
            self._show_numbers(None)
            return
        self._show_map()
        self.gram.show(portrait.gram, trainer.labels)
        if portrait.evaluation is None:
            self.confusion.clear()
        else:
            found = portrait.evaluation
            self.confusion.show(found.confusion, found.classes)
            self._note_run()
        self._show_numbers(portrait)

    def _show_map(self, *_events: object) -> None:
        trainer = self.trainer
        if trainer.portrait is not None:
            self.map.show(
                trainer.portrait,
                trainer.shown.names,
                trainer.labels,
                trainer.test,
                self.fit_map,
            )
            self._legend.object = legend_html(trainer.labels)
            self._mark_pair()

    def _mark_pair(self, *_events: object) -> None:
        space = self.workspace
        called = space.called
        self.map.mark_pair(
            called.get("A", space.index_a), called.get("B", space.index_b)
        )

    def _show_numbers(self, portrait: Portrait | None) -> None:
        machine = "" if portrait is None else name_machine(self.trainer.setting)
        if portrait is None or portrait.evaluation is None:
            nothing = "…" if self.trainer.computing else "—"
            self.param.update(
                **{f"{name}_text": nothing for name in _NUMBERS},
                **{f"{name}_note": "" for name in _NUMBERS},
                machine=machine,
                verdict="" if portrait is None else describe(portrait),
            )
            return
        found, trainer = portrait.evaluation, self.trainer
        n_test, n_train = len(trainer.test), len(trainer.train)
        error = math.sqrt(found.test_accuracy * (1 - found.test_accuracy) / n_test)
        self.param.update(
            test_text=accuracy_text(found.test_accuracy),
            test_note=f"{n_test} diagrams, ± {100 * error:.0f} %",
            cv_text=accuracy_text(found.cv_accuracy),
            cv_note="mean of 10 random halves of the training part, "
            f"± {100 * found.cv_spread:.0f} %",
            train_text=accuracy_text(found.train_accuracy),
            train_note=f"{n_train} diagrams",
            support_text=str(len(found.support)),
            support_note=f"of {n_train} training diagrams",
            machine=machine,
            verdict=describe(portrait),
        )

    def _note_run(self) -> None:
        trainer, found = self.trainer, self.trainer.portrait.evaluation
        setting = trainer.setting
        how = "tuned" if setting == trainer.tuned else "by hand"
        self.history.add(
            # Sliding over values of σ and C is one run: the one where it ends.
            group=(trainer.workspace.title, how, tuple(setting.slow.items())),
            how=how,
            data=trainer.workspace.title,
            kernel=KERNEL_CHOICES[setting.kernel].title,
            H=", ".join(map(str, setting.dimensions)),
            M=setting.n_directions,
            rule=setting.rule,
            C=setting.C,
            seed=setting.seed,
            training=round(found.train_accuracy, 4),
            spread=round(found.cv_spread, 4),
            test=round(found.test_accuracy, 4),
            bandwidth=name_width(setting),
            share=setting.train_share,
            CV=round(found.cv_accuracy, 4),
        )

    def _tuned(self, *_events: object) -> None:
        """Note a run whose tuning has led to what is on show already."""
        trainer = self.trainer
        if trainer.tuned is not None and trainer.tuned == trainer.setting:
            self._note_run()

    def _show_problem(self, *_events: object) -> None:
        self._problem.visible = bool(self.trainer.problem)
        self._again.visible = self.trainer.problem == CANCELLED

    def _map_tapped(self, _attribute: str, _old: object, indices: list[int]) -> None:
        if not indices:
            return
        self.map.points.selected.indices = []
        if not self.means.has_taken_tap:
            self.mistakes.choose(int(indices[0]))

    # -- layout ---------------------------------------------------------------------

    def _make_problem(self) -> pmui.Alert:
        self._again = pmui.Button(
            label="Compute",
            size="small",
            variant="outlined",
            visible=False,
            on_click=self.trainer.refresh,
        )
        return pmui.Alert(
            pn.Row(
                plain_text(self.trainer.param.problem),
                self._again,
                sizing_mode="stretch_width",
            ),
            severity="info",
            sizing_mode="stretch_width",
            margin=(4, 6),
            visible=False,
        )

    def __panel__(self) -> pn.Column:
        rest = stack()
        page = stack(
            lead(
                pn.bind(invite, self.trainer.param.kernel),
                pn.bind(
                    lambda name: KERNEL_CHOICES[name].formula, self.trainer.param.kernel
                ),
                pn.bind(
                    lambda name: KERNEL_CHOICES[name].source, self.trainer.param.kernel
                ),
                more=HELP,
            ),
            self._problem,
            self.trainer.jobs,
            grid(
                *(
                    cell(
                        stat(
                            title,
                            self.param[f"{name}_text"],
                            self.param[f"{name}_note"],
                            ACCENT if name == "test" else None,
                        ),
                        xs=6,
                        md=3,
                    )
                    for name, title in _NUMBERS.items()
                )
            ),
            grid(
                cell(
                    card(
                        self._legend,
                        plot_pane(self.map.plot),
                        self.means.controls,
                        title="Kernel PCA: the ground is the machine, crosses are its "
                        "mistakes",
                    ),
                    md=7,
                ),
                cell(
                    stack(
                        card(
                            plot_pane(self.confusion.plot),
                            title="Who is taken for whom? Test diagrams; click a cell",
                        ),
                        card(
                            plain_text(self.param.machine, opacity="0.75"),
                            plain_text(self.param.verdict),
                            plain_text(self.mistakes.param.heading, font_weight="600"),
                        ),
                    ),
                    md=5,
                ),
            ),
            self.means,
            # With a table at once: the browser sends back what the styles of a first
            # table that comes later are, and the server warns of it.
            self.mistakes,
            rest,
        )
        fill_later(rest, self._below(), after=self.param.verdict)
        return page

    def _below(self) -> list[Callable[[], Any]]:
        """Return what is below the first screen, row by row."""
        return [
            lambda: grid(
                cell(self.bandwidths, md=6, lg=4),
                cell(self.grid, md=6, lg=4),
                cell(
                    card(
                        plot_pane(self.gram.plot),
                        matrix_buttons("learn", self.matrices),
                        title="Dark squares hold together: Gram matrix by class",
                    ),
                    md=6,
                    lg=4,
                ),
                # In the same grid: on a projector it stands beside the Gram matrix.
                cell(self.directions, md=6, lg=4),
                cell(self.protocol, lg=8),
            ),
            lambda: grid(
                cell(self.apply, md=7, lg=8), cell(self.two_samples, md=5, lg=4)
            ),
            lambda: self.history,
        ]

    def matrices(self) -> Matrices:
        """Return the Gram matrix on show, with the distances that it was made of."""
        trainer = self.trainer
        if trainer.portrait is None or trainer.ready is None or trainer.computing:
            return [], {}
        found = {"gram": trainer.portrait.gram}
        distances = trainer.ready.distances
        for place, matrix in enumerate([] if distances is None else distances):
            found[f"distances_{place}"] = matrix
        return trainer.shown.names, found

    def as_python(self) -> str:
        """Return the lines that print the numbers on show with the library."""
        trainer = self.trainer
        setting, portrait = trainer.setting, trainer.portrait
        lines = ["import numpy as np", "import swviz as sw"]
        if portrait is None:
            # There is no machine, or none yet.
            return "\n".join(
                [*lines, "", *self.workspace.data_lines(), "print(len(diagrams))", ""]
            )
        kernel = trainer.ready.at(setting.scale)
        lines += [
            f"from swviz.kernels import {type(kernel).__name__}",
            "from swviz.learning import "
            "map_samples, mmd_between_classes, train_portrait, random_splits",
            "",
            *self.workspace.data_lines(),
            f"kernel = {call(kernel)}",
        ]
        if portrait.evaluation is None:
            lines += [
                "gram = kernel.fit(data).gram(data)",
                "portrait = map_samples(gram)",
            ]
        else:
            lines += [
                "train, test = random_splits(",
                f"    data.labels, 1, {literal(round(1 - setting.train_share, 10))}, "
                f"{setting.seed}, stratify={setting.stratify}",
                ")[0]",
                "gram = kernel.fit(data[train]).gram(data)",
                "portrait = train_portrait(",
                f"    gram, data.labels, train, test, C={literal(setting.C)}, "
                f"random_state={setting.seed}",
                ")",
                "found = portrait.evaluation",
                "print(found.test_accuracy, len(test))",
                "print(found.cv_accuracy, found.cv_spread)",
                "print(found.train_accuracy, len(train))",
                "print(len(found.support))",
                "print(found.confusion.tolist())",
            ]
        lines += [
            "print(portrait.similarity, portrait.map.explained.sum())",
            *self.means.lines(),
            *self.two_samples.lines(),
            "",
        ]
        return "\n".join(lines)
