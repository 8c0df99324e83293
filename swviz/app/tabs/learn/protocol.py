"""The paper's protocol as one button: kernels compared in one table, with times."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import Report
from swviz.app.runtime.session import handle_exception, tell
from swviz.app.runtime.task import Task, Turn
from swviz.app.tabs.learn.history import History
from swviz.app.tabs.learn.kernels import KERNEL_CHOICES, make_kernel
from swviz.app.tabs.learn.trainer import Setting, Trainer
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.tables import table
from swviz.app.ui.theme import caption, card, flow, plain_text
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
from swviz.learning import (
    LearningReport,
    MeansReport,
    NearestSlicedMean,
    RunReport,
    Trials,
    kernel_runs,
    mean_runs,
)
from swviz.learning.reports import Trial

Found = dict[str, "list[Trial] | str"]
"""For each kernel its runs, or why there are none."""

MEAN = "mean"
"""Short name of the classifier without a kernel."""

_NAMES = {name: choice.title for name, choice in KERNEL_CHOICES.items()} | {
    MEAN: "nearest sliced mean"
}
_COLUMNS = (
    "kernel",
    "test",
    "runs",
    "matrices",
    "their time",
    "tuning",
)


def compare(
    setting: Setting,
    dataset: Any,
    kernels: list[str],
    n_runs: int,
    progress: Report,
) -> Found:
    """Run the paper's protocol for one kernel after the other, and the nearest mean.

    Parameters
    ----------
    setting : Setting
        Gives dimensions, directions, the share of the training part and the seed.
    dataset : DiagramSet
    kernels : list of str
        Keys of ``KERNEL_CHOICES``, and ``MEAN``.
    n_runs : int
    progress : Report
        Told of every run, so that those stay if the work is stopped.
    """
    found: Found = {}
    for index, name in enumerate(kernels):
        found[name] = []

        def report(part: int, whole: int, start: int = index) -> None:
            share = part / whole if whole else 1.0
            progress(int(100 * (start + share) / len(kernels)), 100)

        progress.found(dict(found))
        report(0, 1)
        try:
            for run in _runs(
                name,
                setting,
                dataset,
                n_runs=n_runs,
                test_size=round(1 - setting.train_share, 10),
                random_state=setting.seed,
                progress=report,
            ):
                found[name] = [*found[name], run]
                progress.found(dict(found))
        except SwvizError as error:
            found[name] = str(error)
    return found


def _runs(
    name: str, setting: Setting, dataset: DiagramSet, **options: Any
) -> Iterator[Trial]:
    """Run one of them, on the splits that all of them have."""
    how = setting.n_directions, setting.rule
    if name != MEAN:
        kernel = make_kernel(name, *how, setting.dimensions)
        return kernel_runs(kernel, dataset, **options)
    chosen = DiagramSet(
        {k: dataset.in_dimension(k) for k in setting.dimensions},
        dataset.labels,
        dataset.names,
    )
    # The same random directions as k_SW has.
    machine = NearestSlicedMean(how[0], rule=how[1], random_state=0)
    return mean_runs(machine, chosen, **options)


class ProtocolCard(pn.viewable.Viewer):
    """Kernels tuned and tested as in the paper, side by side.

    Parameters
    ----------
    trainer : Trainer
    history : History
        Where finished kernels are noted.
    """

    kernels = param.ListSelector(
        default=["sw", "pss", "pwg", MEAN], objects=list(_NAMES)
    )
    n_runs = param.Integer(default=3, bounds=(1, 100))
    settings = param.String(default="", doc="With which settings the table was found.")

    def __init__(self, trainer: Trainer, history: History, **params: Any) -> None:
        super().__init__(**params)
        self.trainer, self.history = trainer, history
        self._comparing = Task(
            self._compare, on_stop=self._stopped, on_error=self._failed
        )
        self.jobs = JobBar(self._comparing)
        self.found: Found = {}
        self._asked = 0
        # Of what has been found; None before.
        self._setting: Any = None
        self.table = table(
            self.frame(),
            sortable=False,
        )
        self.choice = pmui.MultiChoice.from_param(
            self.param.kernels,
            label="Kernels",
            options={title: name for name, title in _NAMES.items()},
            sizing_mode="stretch_width",
            margin=(6, 6),
        )
        self.count = pmui.IntInput.from_param(
            self.param.n_runs, label="Runs", size="small", width=120, margin=(6, 6)
        )
        self.button = pmui.Button(
            label="Run the paper's protocol",
            icon="play_arrow",
            margin=(6, 6),
            on_click=self.run,
        )
        trainer.until_closed(trainer.workspace.param.watch(self._forget, "dataset"))

    def __panel__(self) -> pn.Column:
        return card(
            flow(self.choice, self.count),
            self.button,
            self.jobs,
            plain_text(self.param.settings),
            self.table,
            caption(
                "Each run splits anew, tries the whole grid on ten random halves of "
                "the training part (15 σ, 13 t, or 125 K, ρ, τ; times 7 C), trains "
                "with the best and tests once; all kernels see the same splits. "
                "“Matrices” of all pairs are what tuning has to compute: k_SW needs "
                "one for all σ. The nearest sliced mean has no kernel and nothing to "
                "tune: it knows the mean of each class of the training part, and says "
                "the class of the nearest one; its time is that of means and "
                "distances. Times are for one run."
            ),
            title="Kernels compared, and the price of tuning them",
        )

    def run(self, _event: object = None) -> None:
        """Start, if there is something to compare."""
        if self._comparing.busy:
            return
        if self.trainer.portrait is None or self.trainer.portrait.evaluation is None:
            tell(self.trainer.problem or "There is nothing to compare yet.", "warning")
            return
        if not self.kernels:
            tell("Choose at least one kernel to compare.", "warning")
            return
        self._comparing.request()

    async def _compare(self, turn: Turn) -> None:
        self._asked, self._setting = self.n_runs, self.trainer.setting
        kernels = [name for name in _NAMES if name in self.kernels]
        turn.show(self._show, {})
        found = await turn.compute(
            partial(compare, self._setting, self.trainer.shown, kernels, self._asked),
            title="Tuning and testing, in percent",
            show=self._show,
        )
        turn.show(self._show, found)
        turn.show(self._note_runs)

    def _stopped(self) -> None:
        tell("Stopped; the runs so far stay.", "info", 4)
        self._note_runs()

    def _failed(self, error: Exception) -> None:
        if isinstance(error, SwvizError):
            handle_exception(error)
        self._note_runs()

    def _note_runs(self) -> None:
        for name, runs in self.found.items():
            if isinstance(runs, str) or not runs:
                continue
            report = Trials(name, tuple(runs))
            setting = self._setting
            choice = KERNEL_CHOICES.get(name)
            self.history.add(
                how=f"protocol, {len(runs)} runs",
                data=self.trainer.workspace.title,
                kernel=_NAMES[name],
                H=", ".join(map(str, setting.dimensions)),
                M=setting.n_directions,
                rule=setting.rule,
                C="none" if choice is None else "tuned",
                seed=setting.seed,
                spread=round(report.spread, 4),
                test=round(report.accuracy, 4),
                bandwidth="none" if choice is None else f"{choice.scale} tuned",
                share=setting.train_share,
            )

    def _forget(self, *_events: object) -> None:
        """Drop what was found for another data set."""
        self._comparing.forget()
        self._show({})

    def _show(self, found: Found) -> None:
        self.found = found
        self.settings = describe(self._setting) if found else ""
        self.table.value = self.frame()

    def frame(self) -> pd.DataFrame:
        """Return what has been found so far as a table."""
        rows = []
        for name, runs in self.found.items():
            row = dict.fromkeys(_COLUMNS, "")
            choice = KERNEL_CHOICES.get(name)
            row |= {
                "kernel": _NAMES[name],
                "matrices": "none" if choice is None else choice.matrices,
            }
            if isinstance(runs, str):
                row["test"] = f"not possible: {runs}"
            elif not runs:
                row |= {"test": "…", "runs": f"0 of {self._asked}"}
            else:
                report = Trials(name, tuple(runs))
                row |= {
                    "test": f"{100 * report.accuracy:.1f} % "
                    f"± {100 * report.spread:.1f}",
                    "runs": f"{len(report.runs)} of {self._asked}",
                    **_times(runs),
                }
            rows.append(row)
        return pd.DataFrame(rows, columns=list(_COLUMNS), dtype=object)


def _times(runs: list[Trial]) -> dict[str, str]:
    """Return how long a run takes, on the mean."""
    if isinstance(runs[0], MeansReport):
        means = [run.seconds for run in runs if isinstance(run, MeansReport)]
        return {"their time": seconds(sum(means) / len(means)), "tuning": "none"}
    tuned = tuple(run for run in runs if isinstance(run, RunReport))
    report = LearningReport("", tuned)
    return {
        "their time": seconds(report.gram_seconds),
        "tuning": seconds(report.tuning_seconds),
    }


def describe(setting: Setting) -> str:
    """Say which settings all kernels of the table share."""
    return (
        f"Found with {', '.join(f'H{k}' for k in setting.dimensions)} · "
        f"M = {setting.n_directions} ({setting.rule}) · "
        f"{100 * setting.train_share:.0f} % for training, seed {setting.seed}"
    )


def seconds(value: float) -> str:
    """Return a time with a unit that suits it."""
    return f"{value:.1f} s" if value >= 0.95 else f"{1000 * value:.0f} ms"
