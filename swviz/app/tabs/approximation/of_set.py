"""What the Approximation view measures on the whole set, part after part."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import param

from swviz.app.runtime.jobs import Report, digest
from swviz.app.runtime.settings import SETTINGS
from swviz.app.runtime.task import Task, Turn
from swviz.app.tabs.approximation.figures import SetFigures
from swviz.app.tabs.approximation.words import (
    MOST,
    STOPPED,
    answer_note,
    answer_sentence,
    diagrams_note,
    pairs_note,
    percent,
    rule_value,
    why_not,
)
from swviz.app.ui.job_bar import JobBar
from swviz.app.workspace.links import remember, unwatch
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram, DiagramSet
from swviz.errors import SwvizError
from swviz.plot.theme import RULE_STYLES
from swviz.studies import (
    ACCURACY_COUNTS,
    GRAM_COUNTS,
    AccuracyStudy,
    GramTimes,
    RatioStudy,
    Tiers,
    accuracy_studies,
    embedding_tiers,
    exact_tier,
    gram_times,
    ratio_studies,
    sample_diagrams,
    slice_tiers,
    suggest_diagrams,
    suggest_pairs,
)
from swviz.typing import Rule

EMBEDDING_DIRECTIONS = 10
QUICK_SECONDS = 3.0
"""Times that take no longer together are measured three times."""

EXACT_SECONDS = 5.0
"""Accuracy is shown for exact distances, too, if all of them take no longer."""


WAITING = "Measuring how many directions are enough …"

NOTES = {
    "ratios": "note",
    "times": "time_note",
    "tiers": "tier_note",
    "accuracies": "accuracy_note",
}
"""What is measured, part after part, and the words below it."""

_ANSWERS_TO = {
    "ratios": ("n_pairs",),
    "times": ("rule", "n_diagrams", "repeat"),
    "tiers": ("rule", "n_pairs", "n_diagrams", "repeat"),
    "accuracies": ("rule", "n_diagrams"),
}
"""What each part depends on, beside the set, the dimension and the seed."""


class Question(NamedTuple):
    """What is to be measured, and how.

    Parameters
    ----------
    dataset : DiagramSet
    dimension : int
    rule : {"paper", "diagonal", "random"}
    n_pairs, n_diagrams : int
        Sizes of the samples.
    seed : int
    repeat : int
        How many times the user has asked to measure again.
    """

    dataset: DiagramSet
    dimension: int
    rule: Rule
    n_pairs: int
    n_diagrams: int
    seed: int
    repeat: int

    @property
    def diagrams(self) -> list[Diagram]:
        """The diagrams of the set in the dimension asked for."""
        return self.dataset.in_dimension(self.dimension)

    @property
    def sample(self) -> Any:
        """Indices of the diagrams in a matrix."""
        return sample_diagrams(
            len(self.dataset), self.n_diagrams, self.dataset.labels, self.seed
        )

    def about(self, part: str) -> tuple[Any, ...]:
        """Return what a part of the answer belongs to.

        Returns
        -------
        tuple
            Equal for questions with the same answer.
        """
        names = ("dataset", "dimension", "seed", *_ANSWERS_TO[part])
        return tuple(getattr(self, name) for name in names)


class SetMeasurements(param.Parameterized):
    """Ratios, times, tiers and accuracies of a set, and what they say.

    What a cancelled turn has measured stays. Every part of the answer carries what it
    belongs to, and stays on show while another rule or sample asks for the same.

    Parameters
    ----------
    workspace : Workspace
    is_open : callable
        Whether anybody looks.
    **params
        Sizes of the samples; they are suggested if none is given.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    tolerance = param.Number(
        default=2.0, bounds=(0.1, 20.0), doc="Of the relative error, in per cent."
    )
    n_pairs = param.Integer(
        default=min(300, SETTINGS.pairs),
        bounds=(1, SETTINGS.pairs),
        label="Pairs sampled",
    )
    n_diagrams = param.Integer(
        default=min(100, SETTINGS.matrix_diagrams),
        bounds=(2, SETTINGS.matrix_diagrams),
        label="Diagrams in a matrix",
    )
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed of the samples")
    answer = param.String(default=WAITING)
    note = param.String(default="")
    needed = param.Dict(default=dict.fromkeys(RULE_STYLES, "…"))
    needed_most = param.Dict(default=dict.fromkeys(RULE_STYLES, ""))
    time_note = param.String(default="")
    tier_note = param.String(default="")
    accuracy_note = param.String(default="")

    def __init__(
        self, workspace: Workspace, is_open: Callable[[], bool], **params: Any
    ) -> None:
        super().__init__(workspace=workspace, **params)
        self.figures = SetFigures()
        self.measuring = Task(
            self._measure,
            is_open=is_open,
            at_once=False,
            on_stop=partial(self._stop, STOPPED),
            on_error=lambda error: self._stop(why_not(error)),
        )
        self.jobs = JobBar(self.measuring)
        self.ratios: Any = None
        self.times: GramTimes | None = None
        self.tiers: list[Tiers] = []
        self.accuracies: AccuracyStudy | None = None
        self._repeat = 0
        self._stopped = False
        self._answered: dict[str, tuple[Any, ...]] = {}
        if not {"n_pairs", "n_diagrams"} & set(params):
            self._suggest()
        watch = workspace.param.watch
        self._watchers = [
            remember(
                self,
                workspace,
                "approximation",
                ["tolerance", "n_pairs", "n_diagrams", "seed"],
            ),
            watch(self._suggest, ["dataset", "dimension"]),
            watch(self._new_rule, "rule"),
            watch(self._show_now, "n_directions"),
            watch(lambda *_: self.measuring.look(), "tab"),
        ]
        self.param.watch(self._new_question, ["n_pairs", "n_diagrams", "seed"])
        self.param.watch(self._new_tolerance, "tolerance")
        self.figures.boxes.on_tap("outliers", self._choose)
        self.measuring.request()

    def close(self) -> None:
        """Stop following the workspace, and stop measuring."""
        unwatch(self._watchers)
        self.measuring.forget()

    @property
    def question(self) -> Question:
        """What the sidebar asks for now."""
        space = self.workspace
        return Question(
            space.dataset,
            space.dimension,
            space.rule,
            self.n_pairs,
            self.n_diagrams,
            self.seed,
            self._repeat,
        )

    @property
    def diagrams(self) -> list[Diagram]:
        """The diagrams of the set in the dimension on show."""
        return self.question.diagrams

    # -- what is asked --------------------------------------------------------------

    def again(self, _event: object = None) -> None:
        """Measure once more, times included."""
        self._repeat += 1
        self._new_question()

    def _suggest(self, *_events: object) -> None:
        """Choose samples that can be measured while one waits."""
        with param.discard_events(self):
            self.n_pairs = min(suggest_pairs(self.diagrams), SETTINGS.pairs)
            suggested = suggest_diagrams(self.diagrams)
            self.n_diagrams = min(suggested, SETTINGS.matrix_diagrams)
        self.param.trigger("n_pairs", "n_diagrams")

    def _new_question(self, *_events: object) -> None:
        self._forget_old()
        self.measuring.request()

    def _new_rule(self, *_events: object) -> None:
        if self._is_answered("ratios"):
            self.figures.boxes.show(*self._boxes())
        self._show_answer()
        # Times and accuracies are of one rule; ratios are of all, and are kept.
        self._new_question()

    def _new_tolerance(self, *_events: object) -> None:
        self._show_now()
        if self._is_answered("ratios"):
            self.figures.worst.mark(self.ratios, None, self.tolerance / 100)
        self._show_answer()

    def _choose(self, chosen: int) -> None:
        """Make an outlier that was clicked the pair."""
        if not self._is_answered("ratios"):
            return
        outliers = self.ratios.boxes(self.workspace.rule).outliers
        if chosen < len(outliers):
            first, second = self.ratios.pairs[outliers[chosen, 0]].tolist()
            self.workspace.param.update(index_a=first, index_b=second)

    # -- what is answered -----------------------------------------------------------

    def _answer(
        self, part: str, question: Question, show: Callable[..., None], *found: Any
    ) -> None:
        """Show a part of the answer, and note what it belongs to."""
        self._answered[part] = question.about(part)
        show(*found)

    def _is_answered(self, part: str) -> bool:
        return self._answered.get(part) == self.question.about(part)

    def _forget_old(self) -> None:
        """Empty whatever answers another question than the one asked now."""
        empty: dict[str, Any] = {
            "ratios": None,
            "times": None,
            "tiers": [],
            "accuracies": None,
        }
        for part, note in NOTES.items():
            if self._is_answered(part):
                continue
            self._answered.pop(part, None)
            setattr(self, part, empty[part])
            self.figures.clear(part)
            if part == "ratios":
                self.param.update(
                    answer=WAITING,
                    note="",
                    needed=dict.fromkeys(RULE_STYLES, "…"),
                    needed_most=dict.fromkeys(RULE_STYLES, ""),
                )
            else:
                self.param.update(**{note: "Measuring …"})

    async def _measure(self, turn: Turn) -> None:
        """Measure ratios, then times and tiers, then accuracies."""
        question = self.question
        self._stopped = False
        diagrams = question.diagrams
        if len(diagrams) < 2:
            turn.show(self._say_too_few, question)
            return
        key = digest("approximation", *diagrams)
        ratios = await self._measure_ratios(turn, question, key)
        await self._measure_tiers(turn, question, key, ratios)
        await self._measure_accuracies(turn, question, key, ratios)

    async def _measure_ratios(
        self, turn: Turn, question: Question, key: str
    ) -> RatioStudy:
        diagrams = question.diagrams
        asked = question.n_pairs, question.seed
        wanted = min(question.n_pairs, len(diagrams) * (len(diagrams) - 1) // 2)

        def compute(progress: Report) -> RatioStudy | None:
            study = None
            for study in ratio_studies(
                diagrams, n_pairs=asked[0], random_state=asked[1]
            ):
                progress.found(study)
                progress(len(study.pairs), wanted)
            return study

        show = partial(self._answer, "ratios", question, self._take_ratios)
        study: RatioStudy = await turn.compute(
            compute,
            digest("ratios", key, asked),
            "Comparing SW_M with the exact SW, pairs",
            show=show,
        )
        turn.show(show, study)
        return study

    def _take_ratios(self, study: RatioStudy) -> None:
        self.ratios = study
        self.figures.boxes.show(*self._boxes())
        self.figures.worst.show(study, None, self.tolerance / 100)
        self._show_answer()

    def _boxes(self) -> tuple[Any, ...]:
        """Return what the box plots show: the rule and the M of the sidebar."""
        space = self.workspace
        return (
            self.ratios,
            space.rule,
            self.tolerance / 100,
            space.n_directions,
            space.dataset.names,
        )

    def _show_now(self, *_events: object) -> None:
        """Mark the tolerance, and the M of the sidebar."""
        if self._is_answered("ratios"):
            self.figures.boxes.mark(*self._boxes())

    def _show_answer(self, *_events: object) -> None:
        """Say how many directions the tolerance asks for."""
        study, rule = self.ratios, self.workspace.rule
        tolerance = self.tolerance / 100
        if study is None or not self._is_answered("ratios"):
            return
        if study.n_equal == len(study.pairs):
            self.answer = "All diagrams are equal: every M gives 0, the exact value."
            self.note = pairs_note(study, self.n_pairs, self.seed, self._stopped)
            return
        largest = int(study.counts[-1])
        answers = {one: study.answer(one, tolerance) for one in RULE_STYLES}
        most = {one: study.answer(one, tolerance, MOST) for one in RULE_STYLES}
        self.answer = answer_sentence(answers[rule], tolerance, largest)
        wanted = min(self.n_pairs, study.n_all_pairs)
        self.note = (
            f"{answer_note(study, rule, tolerance)} Measured on "
            f"{pairs_note(study, wanted, self.seed, self._stopped)}."
        )
        self.needed = {one: rule_value(answers[one], largest) for one in answers}
        self.needed_most = {
            one: f"{rule_value(most[one], largest)} for {percent(MOST)} of the pairs"
            for one in most
        }

    async def _measure_tiers(
        self, turn: Turn, question: Question, key: str, ratios: RatioStudy
    ) -> None:
        rule, diagrams, chosen = question.rule, question.diagrams, question.sample
        some = [diagrams[i] for i in chosen]
        pairs = len(some) * (len(some) - 1) // 2
        once = ratios.slice_seconds * pairs * sum(GRAM_COUNTS)
        repeats = 3 if once < QUICK_SECONDS else 1
        times = await turn.compute(
            partial(gram_times, some, rule=rule, n_repeats=repeats),
            digest("times", key, rule, chosen, repeats, question.repeat),
            "Timing Gram matrices",
        )
        found = times, len(diagrams), repeats
        turn.show(self._answer, "times", question, self._show_times, *found)
        embedding = await turn.compute(
            partial(
                embedding_tiers,
                diagrams,
                ratios,
                n_directions=EMBEDDING_DIRECTIONS,
                rule=rule,
                timed=chosen,
            ),
            digest("tiers", key, rule, chosen, ratios.pairs, question.repeat),
            "Embedding diagrams, numbers of bins",
        )
        tiers = [exact_tier(ratios), slice_tiers(ratios, times, rule), embedding]
        turn.show(self._answer, "tiers", question, self._show_tiers, tiers)

    def _show_times(self, times: GramTimes, total: int, repeats: int) -> None:
        self.times = times
        self.figures.times.show(times)
        of = diagrams_note(times.n_diagrams, total, self.seed)
        best = f", best of {repeats}" if repeats > 1 else ""
        self.time_note = f"{of}; measured now, one worker{best}"

    def _show_tiers(self, tiers: list[Tiers]) -> None:
        self.tiers = tiers
        self.figures.tiers.show(*tiers)
        exact, _, embedding = tiers
        self.tier_note = (
            f"An exact pair takes {1e3 * exact.seconds[0]:.3g} ms. Embedding of "
            f"M = {EMBEDDING_DIRECTIONS} directions, its fit shared by "
            f"{embedding.n_diagrams:,} diagrams."
        )

    async def _measure_accuracies(
        self, turn: Turn, question: Question, key: str, ratios: RatioStudy
    ) -> None:
        data, rule, seed = question.dataset, question.rule, question.seed
        show = partial(turn.show, self._answer, "accuracies", question)
        if data.labels is None or len(data.classes) < 2:
            show(self._no_accuracies, "This data set has no classes.")
            return
        diagrams, chosen = question.diagrams, question.sample
        some = [diagrams[i] for i in chosen]
        labels = data.labels[chosen]
        pairs = len(some) * (len(some) - 1) // 2
        exact = ratios.exact_seconds * pairs <= EXACT_SECONDS
        sizes: tuple[Any, ...] = (*ACCURACY_COUNTS, *(["exact"] if exact else []))
        draw = partial(self._show_accuracies, sizes, len(data.classes), len(data))

        def compute(progress: Report) -> AccuracyStudy | None:
            study = None
            for study in accuracy_studies(
                some, labels, sizes, rule=rule, random_state=seed, progress=progress
            ):
                progress.found(study)
            return study

        try:
            study = await turn.compute(
                compute,
                digest("accuracies", key, rule, chosen, labels, sizes, seed),
                "Training support vector machines",
                show=partial(self._answer, "accuracies", question, draw),
            )
        except SwvizError as error:
            show(self._no_accuracies, why_not(error))
        else:
            show(draw, study)

    def _show_accuracies(
        self, sizes: Any, n_classes: int, total: int, study: AccuracyStudy
    ) -> None:
        self.accuracies = study
        self.figures.accuracies.show(study, n_classes, sizes)
        if len(study.sizes) < len(sizes):
            # More is to come: a turn that is stopped here says so.
            del self._answered["accuracies"]
        of = diagrams_note(study.n_samples, total, self.seed)
        self.accuracy_note = (
            f"{of}; mean and deviation of {study.accuracies.shape[1]} splits; the "
            "dotted line is guessing"
        )

    def _no_accuracies(self, why: str) -> None:
        self.accuracies = None
        self.accuracy_note = why

    def _say_too_few(self, question: Question) -> None:
        self._answered = {part: question.about(part) for part in NOTES}
        self.param.update(
            answer="One diagram has no pairs: add a second one to compare it with.",
            note="",
            needed=dict.fromkeys(RULE_STYLES, "none"),
            needed_most=dict.fromkeys(RULE_STYLES, ""),
            time_note="",
            tier_note="",
            accuracy_note="",
        )

    def _stop(self, why: str) -> None:
        """Say why there is no more; what has been measured stays."""
        self._stopped = True
        self._show_answer()
        if not self._is_answered("ratios"):
            self.answer = why
        for part, note in NOTES.items():
            if part != "ratios" and not self._is_answered(part):
                self.param.update(**{note: why})
