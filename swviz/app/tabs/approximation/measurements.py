"""What the Approximation view measures on the whole set, part after part."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import panel as pn
import param

from swviz.app.runtime.jobs import JobCancelled, digest
from swviz.app.runtime.session import in_document
from swviz.app.tabs.approximation.figures import RULE_STYLES
from swviz.app.tabs.approximation.set_figures import SetFigures
from swviz.app.tabs.approximation.words import (
    MOST,
    answer_note,
    answer_sentence,
    diagrams_note,
    pairs_note,
    percent,
    rule_value,
)
from swviz.app.ui.job_bar import JobBar
from swviz.app.workspace.state import Workspace
from swviz.diagrams import Diagram, DiagramSet
from swviz.errors import SwvizError
from swviz.studies import (
    ACCURACY_COUNTS,
    GRAM_COUNTS,
    MOST_PAIRS,
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
)
from swviz.typing import Rule

EMBEDDING_DIRECTIONS = 10
QUICK_SECONDS = 3.0
"""Times that take no longer together are measured three times."""

EXACT_SECONDS = 5.0
"""Accuracy is shown for exact distances, too, if all of them take no longer."""


STOPPED = "Stopped; “Measure again” in the sidebar starts anew."
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

        Parameters
        ----------
        part : {"ratios", "times", "tiers", "accuracies"}

        Returns
        -------
        tuple
            Equal for questions with the same answer.
        """
        names = ("dataset", "dimension", "seed", *_ANSWERS_TO[part])
        return tuple(getattr(self, name) for name in names)


class SetMeasurements(param.Parameterized):
    """Ratios, times, tiers and accuracies of a set, and what they say.

    A newer turn ends an older one; what a cancelled turn has measured stays. Every
    answer carries the question it belongs to, and is shown only while that is asked.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    tolerance = param.Number(
        default=2.0, bounds=(0.1, 20.0), doc="Of the relative error, in per cent."
    )
    n_pairs = param.Integer(default=300, bounds=(1, MOST_PAIRS), label="Pairs sampled")
    n_diagrams = param.Integer(
        default=100, bounds=(2, 300), label="Diagrams in a matrix"
    )
    seed = param.Integer(default=0, bounds=(0, 9999), label="Seed of the samples")
    answer = param.String(default=WAITING)
    note = param.String(default="")
    needed = param.Dict(default=dict.fromkeys(RULE_STYLES, "…"))
    needed_most = param.Dict(default=dict.fromkeys(RULE_STYLES, ""))
    time_note = param.String(default="")
    tier_note = param.String(default="")
    accuracy_note = param.String(default="")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.set_figures = SetFigures()
        self.set_jobs = JobBar()
        self.ratios: RatioStudy | None = None
        self.times: GramTimes | None = None
        self.tiers: list[Tiers] = []
        self.accuracies: AccuracyStudy | None = None
        document = pn.state.curdoc
        served = document is not None and document.session_context is not None
        self._document = document if served else None
        self._turn = 0
        self._repeat = 0
        self._stopped = False
        self._arrived: Any = None
        self._answered: dict[str, tuple[Any, ...]] = {}
        self.set_jobs.param.watch(lambda *_: self._take_arrivals(), "text")

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

    def _later(self, function: Any) -> None:
        """Call a function with the document locked, unless the session has gone."""
        if self._document is None or self._document.session_context is not None:
            in_document(function)

    def _answer(self, part: str, question: Question, show: Any) -> None:
        """Show a part of the answer, unless the question has changed meanwhile."""
        about = question.about(part)
        if about == self.question.about(part):
            self._answered[part] = about
            show()

    def _is_answered(self, part: str) -> bool:
        return self._answered.get(part) == self.question.about(part)

    def _forget_old(self) -> None:
        """Empty whatever answers another question than the one asked now."""
        empty: dict[str, Any] = {
            "ratios": None, "times": None, "tiers": [], "accuracies": None,
        }  # fmt: skip
        for part, note in NOTES.items():
            if self._is_answered(part):
                continue
            self._answered.pop(part, None)
            setattr(self, part, empty[part])
            self.set_figures.clear(part)
            if part == "ratios":
                self.param.update(
                    answer=WAITING,
                    note="",
                    needed=dict.fromkeys(RULE_STYLES, "…"),
                    needed_most=dict.fromkeys(RULE_STYLES, ""),
                )
            else:
                self.param.update(**{note: "Measuring …"})

    def _end_turn(self) -> int:
        """Stop measuring, and return the number of the turn that comes next."""
        self._turn += 1
        self.set_jobs.cancel()
        return self._turn

    async def run_set(self) -> None:
        """Measure ratios, then times and tiers, then accuracies."""
        turn = self._end_turn()
        question = self.question
        self._stopped = False
        diagrams = question.diagrams
        if len(diagrams) < 2:
            self._later(partial(self._say_too_few, question))
            return
        key = digest("approximation", *diagrams)
        try:
            ratios = await self._measure_ratios(turn, question, key)
            await self._measure_tiers(turn, question, key, ratios)
            await self._measure_accuracies(turn, question, key, ratios)
        except JobCancelled:
            if turn == self._turn:
                self._stopped = True
                self._later(self._say_stopped)

    async def _job(self, turn: int, function: Any, key: str, title: str) -> Any:
        """Run one part, unless a newer turn has begun."""
        if turn != self._turn:
            raise JobCancelled
        self._arrived = None
        result = await self.set_jobs.run(function, key, title)
        if turn != self._turn:
            raise JobCancelled
        return result

    def _arrive(self, show: Any, studies: Any, total: int | None) -> Any:
        """Make a job of studies that grow; the view shows each when it is polled."""

        def work(progress: Any) -> Any:
            study = None
            for study in studies(progress):
                self._arrived = partial(show, study)
                if total is not None:
                    progress(len(study.pairs), total)
            return study

        return work

    def _take_arrivals(self) -> None:
        """Show what has been computed so far; called now and then during a job."""
        arrived, self._arrived = self._arrived, None
        if arrived is not None:
            self._later(arrived)

    async def _measure_ratios(
        self, turn: int, question: Question, key: str
    ) -> RatioStudy:
        diagrams = question.diagrams
        asked = question.n_pairs, question.seed
        wanted = min(question.n_pairs, len(diagrams) * (len(diagrams) - 1) // 2)

        def studies(_progress: Any) -> Any:
            return ratio_studies(diagrams, n_pairs=asked[0], random_state=asked[1])

        def show(study: RatioStudy) -> None:
            self._answer("ratios", question, partial(self._take_ratios, study))

        study: RatioStudy = await self._job(
            turn,
            self._arrive(show, studies, wanted),
            digest("ratios", key, asked),
            "Comparing SW_M with the exact SW, pairs",
        )
        self._later(partial(show, study))
        return study

    def _take_ratios(self, study: RatioStudy) -> None:
        self.ratios = study
        self.set_figures.fit_ratios(study)
        self._show_ratios()
        self._show_answer()

    def _show_ratios(self) -> None:
        """Bring the box plots to the rule and the M of the sidebar."""
        space = self.workspace
        if self._is_answered("ratios"):
            self.set_figures.show_ratios(self.ratios, space.rule, space.dataset.names)
            self.set_figures.show_now(space.n_directions, space.rule)

    def _show_answer(self) -> None:
        """Say how many directions the tolerance asks for."""
        study, rule = self.ratios, self.workspace.rule
        tolerance = self.tolerance / 100
        self.set_figures.show_tolerance(tolerance)
        if study is None or not self._is_answered("ratios"):
            return
        if study.n_equal == len(study.pairs):
            self.answer = "All diagrams are equal: every M gives 0, the exact value."
            self.note = pairs_note(study, self.n_pairs, self.seed, self._stopped)
            return
        self.set_figures.show_worst(study, tolerance)
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
        self, turn: int, question: Question, key: str, ratios: RatioStudy
    ) -> None:
        rule, diagrams, chosen = question.rule, question.diagrams, question.sample
        some = [diagrams[i] for i in chosen]
        pairs = len(some) * (len(some) - 1) // 2
        once = ratios.slice_seconds * pairs * sum(GRAM_COUNTS)
        repeats = 3 if once < QUICK_SECONDS else 1
        times = await self._job(
            turn,
            partial(gram_times, some, rule=rule, n_repeats=repeats),
            digest("times", key, rule, chosen, repeats, question.repeat),
            "Timing Gram matrices",
        )
        show = partial(self._show_times, times, len(diagrams), repeats)
        self._later(partial(self._answer, "times", question, show))
        embedding = await self._job(
            turn,
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
        show = partial(self._show_tiers, tiers)
        self._later(partial(self._answer, "tiers", question, show))

    def _show_times(self, times: GramTimes, total: int, repeats: int) -> None:
        self.times = times
        self.set_figures.show_times(times)
        of = diagrams_note(times.n_diagrams, total, self.seed)
        best = f", best of {repeats}" if repeats > 1 else ""
        self.time_note = f"{of}; measured now, one worker{best}"

    def _show_tiers(self, tiers: list[Tiers]) -> None:
        self.tiers = tiers
        self.set_figures.show_tiers(tiers)
        exact, _, embedding = tiers
        self.tier_note = (
            f"An exact pair takes {1e3 * exact.seconds[0]:.3g} ms. Embedding of "
            f"M = {EMBEDDING_DIRECTIONS} directions, its fit shared by "
            f"{embedding.n_diagrams:,} diagrams."
        )

    async def _measure_accuracies(
        self, turn: int, question: Question, key: str, ratios: RatioStudy
    ) -> None:
        data, rule, seed = question.dataset, question.rule, question.seed

        def show(study: AccuracyStudy | str) -> None:
            self._answer("accuracies", question, partial(shown, study))

        shown: Any = self._no_accuracies
        if data.labels is None or len(data.classes) < 2:
            self._later(partial(show, "This data set has no classes."))
            return
        diagrams, chosen = question.diagrams, question.sample
        some = [diagrams[i] for i in chosen]
        labels = data.labels[chosen]
        pairs = len(some) * (len(some) - 1) // 2
        exact = ratios.exact_seconds * pairs <= EXACT_SECONDS
        sizes = (*ACCURACY_COUNTS, *(["exact"] if exact else []))
        shown = partial(self._show_accuracies, sizes, len(data.classes), len(data))

        def studies(progress: Any) -> Any:
            return accuracy_studies(
                some, labels, sizes, rule=rule, random_state=seed, progress=progress
            )

        try:
            study = await self._job(
                turn,
                self._arrive(show, studies, None),
                digest("accuracies", key, rule, chosen, labels, sizes, seed),
                "Training support vector machines",
            )
        except SwvizError as error:
            shown, study = self._no_accuracies, f"Not measurable: {error}."
        self._later(partial(show, study))

    def _show_accuracies(
        self, sizes: Any, n_classes: int, total: int, study: AccuracyStudy
    ) -> None:
        self.accuracies = study
        self.set_figures.show_accuracies(study, sizes, n_classes)
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
        if question != self.question:
            return
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

    def _say_stopped(self) -> None:
        self._show_answer()
        if not self._is_answered("ratios"):
            self.answer = STOPPED
        for part, note in NOTES.items():
            if part != "ratios" and not self._is_answered(part):
                self.param.update(**{note: STOPPED})
