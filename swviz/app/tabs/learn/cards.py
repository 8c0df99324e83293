"""Cards of the Learn view that follow the trainer with jobs of their own."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param

from swviz import plot
from swviz.app.runtime.jobs import RESULTS, Report, digest
from swviz.app.runtime.session import tell
from swviz.app.tabs.learn.background import FEW_SAMPLES, Background
from swviz.app.tabs.learn.kernels import KERNEL_CHOICES, make_kernel
from swviz.app.tabs.learn.trainer import N_SPLITS, SIGMAS, Trainer
from swviz.app.ui.pictures import Picture
from swviz.app.ui.theme import card, flow, heading_line, legend, plain_text, plot_pane
from swviz.app.workspace.listing import literal
from swviz.learning import GridScores, MMDResult, RunReport, mmd_between_classes
from swviz.plot.of_learning import cell_box
from swviz.plot.theme import ACCENT, GREY, LINE_STYLES
from swviz.studies import (
    DIRECTIONS,
    CurvePoint,
    bandwidth_curve,
    directions_curve,
    distances_by_directions,
)

N_PERMUTATIONS = 999

_CURVE_LEGEND = [
    (name, mark, color)
    for (name, color, _), mark in zip(LINE_STYLES.values(), "╍━┅", strict=True)
]
_GRID_LEGEND = (("best", "☆", GREY), ("now", "▣", ACCENT))
_TEST_LEGEND = (("by chance", "■", GREY), ("these two classes", "┃", ACCENT))
"""Above the figures, where they wrap: name, mark and colour."""

_NO_GRID = GridScores((), np.empty(0), np.empty((0, 0, 1)))
_NO_TEST = MMDResult(0.0, 1.0, np.empty(0))

_NO_CLASS = {"no classes": None}
"""A menu without any option would look for one again and again."""


class CurveCard(Background):
    """Accuracies along a logarithmic axis, with a cursor at the present value.

    Attributes
    ----------
    points : list of CurvePoint
        What is on show.
    picture : Picture
    """

    def __init__(
        self,
        trainer: Trainer,
        filename: str,
        axis: tuple[str, tuple[float, float]],
        height: int,
        **options: Any,
    ) -> None:
        self.points: list[CurvePoint] = []
        self._axis = axis
        self.picture = Picture(
            _draw_curve,
            *([], None, None, *axis),
            filename=filename,
            height=height,
            moving="now",
            show_legend=False,
            **options,
        )
        super().__init__(trainer)

    def value(self) -> float:
        """Return where the cursor is."""
        raise NotImplementedError

    def axis(self) -> tuple[str, tuple[float, float]]:
        """Return the label of the axis, and its ends."""
        return self._axis

    def show(self, result: list[CurvePoint], finished: bool) -> None:
        """Draw the curve."""
        self.points, self._axis = result, self.axis()
        chance = 1 / len(np.unique(self.trainer.labels))
        self.picture.show(result, self.value(), chance, *self._axis)

    def mark(self) -> None:
        """Move the cursor."""
        if self.axis() != self._axis:
            # What is there is another kernel's.
            self.show([], False)
        self.picture.move(value=[self.value()] * 2, accuracy=[-3.0, 105.0])

    def clear(self) -> None:
        """Draw nothing."""
        self.points = []
        self.picture.clear()


def _draw_curve(
    points: list[CurvePoint],
    now: float | None,
    chance: float | None,
    label: str,
    ends: tuple[float, float],
) -> Any:
    return plot.bandwidth_curve(points, now=now, chance=chance, ends=ends, xlabel=label)


class BandwidthCard(CurveCard):
    """Accuracy against the bandwidth, from overfit to useless."""

    job_title = "Trying bandwidths"

    def __init__(self, trainer: Trainer) -> None:
        ends = float(SIGMAS[0]), float(SIGMAS[-1])
        super().__init__(trainer, "bandwidth", ("σ", ends), 270)
        self.picture.on_tap("tried", self._use)

    def __panel__(self) -> pn.Column:
        return card(
            heading_line(
                self._named("From overfit to useless: accuracy against {} of {}")
            ),
            legend(_CURVE_LEGEND),
            plot_pane(self.picture.figure),
            *self._below(),
        )

    def needs(self) -> Hashable:
        """All but the bandwidth, and the range to try."""
        key = self._machine_key("scale", "sigma")
        return None if key is None else (key, float(self.trainer.scales()[0]))

    def work(self) -> Callable[..., Any]:
        """One machine, and ten halves, for each bandwidth."""
        trainer, setting = self.trainer, self.trainer.setting
        # The trainer moves on while the worker works.
        ready, split = trainer.ready, (trainer.labels, trainer.train, trainer.test)
        scales = trainer.scales()
        if ready.distances is None:
            scales = scales[::2]

        def compute(progress: Report) -> list[CurvePoint]:
            points: list[CurvePoint] = []
            for point in bandwidth_curve(
                ready,
                *split,
                scales,
                setting.C,
                n_splits=N_SPLITS,
                random_state=setting.seed,
                progress=progress,
            ):
                points.append(point)
                progress.found(list(points))
            return points

        return compute

    def value(self) -> float:
        """Return the bandwidth in use."""
        return self.trainer.setting.scale

    def axis(self) -> tuple[str, tuple[float, float]]:
        """Return the letter of the kernel's bandwidth, and the range to try."""
        scales = self.trainer.scales()
        return self._letter(), (float(scales[0]), float(scales[-1]))

    def _use(self, row: int) -> None:
        self.trainer.use(self.points[row].value, self.trainer.C)


class GridCard(Background):
    """Cross-validated accuracy over the paper's grid; a click uses a cell.

    Attributes
    ----------
    scores : GridScores
        What is on show.
    picture : Picture
    """

    job_title = "Cross-validating the grid"

    def __init__(self, trainer: Trainer) -> None:
        self.scores = _NO_GRID
        self.picture = Picture(
            plot.parameter_grid,
            *(_NO_GRID, "σ"),
            filename="grid",
            moving="now",
            show_legend=False,
        )
        self._use_best = False
        super().__init__(trainer)
        self.picture.on_tap(
            "grid", lambda row: self.use(*divmod(row, len(self.scores.C)))
        )

    def __panel__(self) -> pn.Column:
        return card(
            heading_line(
                self._named("Dark is good: {} of {} × C, cross-validated. Click to use")
            ),
            legend(_GRID_LEGEND),
            plot_pane(self.picture.figure),
            *self._below(),
        )

    def needs(self) -> Hashable:
        """All but bandwidth and C."""
        return self._machine_key("scale", "sigma", "C")

    def is_cheap(self) -> bool:
        """Tell whether a thousand machines take a moment only."""
        return len(self.trainer.shown) <= FEW_SAMPLES // 2 or self._use_best

    def work(self) -> Callable[..., Any]:
        """Return the paper's protocol on this split."""
        trainer, seed = self.trainer, self.trainer.setting.seed
        ready, split = trainer.ready, (trainer.labels, trainer.train, trainer.test)

        def compute(progress: Report) -> RunReport:
            return ready.tune(
                *split,
                n_splits=N_SPLITS,
                random_state=seed,
                progress=progress,
                watch=progress.found,
            )

        return compute

    def show(self, result: Any, finished: bool) -> None:
        """Draw the grid; at the end, take its best if that was asked for."""
        grid = result.grid if finished else result
        self.scores = grid
        name = self._letter()
        self.picture.show(grid, name, None, self._nearest())
        if finished and self._use_best:
            self._use_best = False
            setting, cost = grid.best
            of = KERNEL_CHOICES[self.trainer.setting.kernel].of
            self.use(setting, cost, tuned=True)
            scale, C = self._at(setting, cost)
            tell(
                f"Tuned on the training part: {name} of {of} = {scale:.3g}, C = {C:g}.",
                "success",
                4,
            )

    def mark(self) -> None:
        """Frame the nearest cell."""
        if len(self.scores.settings):
            left, bottom, right, top = ([end] for end in cell_box(*self._nearest()))
            self.picture.move(left=left, bottom=bottom, right=right, top=top)

    def _nearest(self) -> tuple[int, int]:
        """Return the cell nearest to the present setting."""
        scales = [next(iter(setting.values())) for setting in self.scores.settings]
        setting, cost = (
            int(np.argmin(np.abs(np.log(values) - np.log(value))))
            for values, value in (
                (scales, self.trainer.setting.scale),
                (self.scores.C, self.trainer.setting.C),
            )
        )
        return setting, cost

    def _at(self, setting: int, cost: int) -> tuple[float, float]:
        """Return bandwidth and C of a cell."""
        scale = next(iter(self.scores.settings[setting].values()))
        return float(scale), float(self.scores.C[cost])

    def clear(self) -> None:
        """Draw nothing."""
        self._use_best = False
        self.scores = _NO_GRID
        self.picture.clear()

    def tune(self, _event: object = None) -> None:
        """Choose bandwidth and C by the grid, as the paper does."""
        if self._key is None:
            tell("There is no machine to tune: two classes are needed.", "warning")
            return
        self._use_best = True
        self.run()

    def use(self, setting: int, cost: int, tuned: bool = False) -> None:
        """Take a cell of the grid.

        Parameters
        ----------
        setting, cost : int
        tuned : bool, default=False
            Whether tuning has chosen it, and nobody by hand.
        """
        self.trainer.use(*self._at(setting, cost), tuned)


class DirectionsCard(CurveCard):
    """Accuracy of k_SW against the number of directions."""

    delay = 0.6
    job_title = "Computing SW with more directions"

    def __init__(self, trainer: Trainer) -> None:
        axis = "M, directions", (0.9, 56.0)
        ticks = [(count, str(count)) for count in DIRECTIONS]
        super().__init__(trainer, "directions", axis, 250, xticks=ticks)

    def __panel__(self) -> pn.Column:
        return card(
            legend(_CURVE_LEGEND),
            plot_pane(self.picture.figure),
            *self._below(),
            title="How many directions does learning need? k_SW at its σ and this C",
        )

    def needs(self) -> Hashable:
        """All but the kernel, its bandwidth and its own M."""
        return self._machine_key("kernel", "scale", "n_directions")

    def _distances_key(self) -> str:
        setting = self.trainer.setting
        parts = self.trainer.data_key, setting.dimensions, setting.rule
        return digest("directions", *parts)

    def is_cheap(self) -> bool:
        """Known distances are cheap, and so are those of few samples."""
        if RESULTS.get(self._distances_key()) is not None:
            return True
        points = sum(
            len(diagram)
            for k in self.trainer.setting.dimensions
            for diagram in self.trainer.shown.in_dimension(k)
        )
        return len(self.trainer.shown) * points < 1_000_000

    def work(self) -> Callable[..., Any]:
        """Distances, once for all bandwidths, and a machine for each M."""
        trainer, setting = self.trainer, self.trainer.setting
        key, dataset = self._distances_key(), trainer.shown
        split = trainer.labels, trainer.train, trainer.test
        kernel = make_kernel("sw", 1, setting.rule, setting.dimensions)
        curve = partial(directions_curve, n_splits=N_SPLITS, random_state=setting.seed)

        def compute(progress: Report) -> list[CurvePoint]:
            kept = RESULTS.get(key)
            if kept is not None:
                return curve(kept, *split, setting.sigma, setting.C)
            stacks: dict[Any, Any] = {}
            points: list[CurvePoint] = []
            for count, stack in distances_by_directions(
                kernel, dataset, progress=progress
            ):
                stacks[count] = stack
                one: dict[Any, Any] = {count: stack}
                points += curve(one, *split, setting.sigma, setting.C)
                progress.found(list(points))
            RESULTS.put(key, stacks)
            return points

        return compute

    def value(self) -> float:
        """Return M."""
        return float(self.trainer.setting.n_directions)


class TwoSampleCard(Background):
    """Are two classes really different? The MMD test and its permutations."""

    verdict = param.String(default="")

    delay = 0.4
    job_title = "Exchanging labels"

    def __init__(self, trainer: Trainer, **params: Any) -> None:
        self.picture = Picture(
            plot.permutations,
            *(_NO_TEST,),
            filename="mmd",
            height=230,
            show_legend=False,
            # The verdict has p.
            xlabel="MMD² with labels exchanged",
        )
        self._classes: np.ndarray = np.empty(0)
        self._offering = False
        super().__init__(trainer, **params)
        self.selects = [
            pmui.Select(
                label=label, options=_NO_CLASS, size="small", width=190, margin=(6, 6)
            )
            for label in ("First class", "Second class")
        ]
        for select in self.selects:
            select.param.watch(self._chosen, "value")

    def __panel__(self) -> pn.Column:
        return card(
            flow(*self.selects, gap=0),
            plain_text(self.param.verdict, font_weight="600"),
            legend(_TEST_LEGEND),
            plot_pane(self.picture.figure),
            *self._below(),
            title="Are two classes different at all? The MMD two-sample test",
        )

    def _chosen(self, *_events: object) -> None:
        if not self._offering:
            self.follow()

    def needs(self) -> Hashable:
        """Return the kernel on show, and the classes."""
        trainer = self.trainer
        labels = trainer.labels
        self._offer(np.empty(0) if labels is None else np.unique(labels))
        if trainer.portrait is None:
            return None
        first, second = (select.value for select in self.selects)
        if len(self._classes) < 2 or first is None or second is None:
            return None
        setting = tuple(trainer.setting.without("C", "sigma", "stratify").items())
        return (trainer.data_key, setting, first, second)

    def _offer(self, classes: np.ndarray) -> None:
        """Let the menus hold the classes of this data set."""
        if np.array_equal(classes, self._classes):
            return
        self._classes = classes
        # Numbered, because shortened names may repeat.
        options = {f"{k} · {label}": k for k, label in enumerate(classes)}
        self._offering = True
        try:
            for place, select in enumerate(self.selects):
                value = min(place, len(classes) - 1) if len(classes) else None
                select.param.update(options=options or _NO_CLASS, value=value)
                # The browser knows the value by its text, which may be new.
                select.param.trigger("value")
        finally:
            self._offering = False

    def work(self) -> Callable[..., Any]:
        """999 exchanges on the Gram matrix that is on show."""
        trainer, seed = self.trainer, self.trainer.setting.seed
        gram, labels = trainer.portrait.gram, trainer.labels
        if trainer.ready.distances is not None:
            # Universal, so that any difference is seen (the paper's Section 3.2).
            gram = np.exp(gram)
        first, second = (self._classes[select.value] for select in self.selects)

        def compute(progress: Report) -> MMDResult:
            return mmd_between_classes(
                gram, labels, first, second, N_PERMUTATIONS, seed
            )

        return compute

    def show(self, result: MMDResult, finished: bool) -> None:
        """Draw the histogram and say what it means."""
        self.picture.show(result)
        if result.p_value <= 0.05:
            meaning = "chance seldom does that: the classes differ"
        else:
            meaning = "chance does that too: no difference is seen at this bandwidth"
        self.verdict = (
            f"MMD² = {result.statistic:.3g}, p = {result.p_value:.3f}: {meaning}."
        )

    def outdate(self) -> None:
        """Say nothing of another kernel or other classes."""
        self.verdict = "…"

    def lines(self) -> list[str]:
        """Return the lines of Python that print the test on show, if there is one."""
        if not self.verdict:
            return []
        seed = self.trainer.setting.seed
        # As in `work`.
        gram = "np.exp(gram)" if self.trainer.ready.distances is not None else "gram"
        first, second = (
            literal(self._classes[select.value]) for select in self.selects
        )
        return [
            "mmd = mmd_between_classes(",
            f"    {gram}, data.labels, {first}, {second}, {N_PERMUTATIONS}, {seed}",
            ")",
            "print(mmd.statistic, mmd.p_value)",
        ]

    def clear(self) -> None:
        """Draw nothing."""
        self.verdict = ""
        self.picture.clear()
