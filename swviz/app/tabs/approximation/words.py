"""What the Approximation view says in words: no widgets, no computation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swviz.errors import SwvizError
from swviz.studies import Answer, KinkStudy, RatioStudy
from swviz.typing import Rule

IN_WORDS: dict[Rule, str] = {
    "paper": "the paper's rule",
    "diagonal": "the diagonal-aware rule",
    "random": "random directions",
}
STOPPED = "Stopped; “Measure again” in the sidebar starts anew."
MOST = 0.95
"""Share of the pairs that the second answer is about."""

HELP = """
**How to read it.** SW is the mean of the cost W(θ) over all directions; SW_M is its
mean over M of them. The curves above follow SW_M to SW for the pair A, B; what is below
them is about the whole data set.

- *Error by M*, on logarithmic axes: 1/M² is a straight line of slope −2. Evenly spaced
  directions follow it, random ones only 1/√M. That is the reason to space them evenly.
- *Why M = 8 can be worse than M = 6*: at θ = π/4 every point and its projection to the
  diagonal land on the same spot, so W(π/4) = 0 for every pair of diagrams, in a sharp
  dip. Whenever 4 divides M, the paper's rule has a direction exactly there: it adds 0,
  and SW_M is too small. M = 6 has π/4 half way between two directions, overshoots, and
  by half as much. The diagonal-aware rule places its directions so that the dip's error
  cancels.
- *Box plots*: the third row of the paper's figure on the number of directions. A box is
  half of the pairs, whiskers reach to the last ratio within one and a half boxes. Click
  a dot to make that pair A and B.
- *Time of a Gram matrix* is the second row, measured now on this machine with one
  worker; *accuracy* is the first row, with a small grid of parameters (the Learn tab
  has the paper's).
- *Tiers*: what error one buys with what time. The embedding never overestimates SW_M,
  and falls short by no more than its certified bound.

**What to try.** Move the tolerance. Choose the diagonal-aware rule in the sidebar and
watch M = 4, 8, 12 fall back into line. Choose H0. Load orbits, textures or shapes in
the Diagrams tab and compare with the paper's figure.
"""


def percent(value: float) -> str:
    """Return a share as per cent, with two digits that matter."""
    return f"{100 * value:.2g} %" if value < 1 else f"{100 * value:.0f} %"


def answer_sentence(answer: Answer, tolerance: float, largest: int) -> str:
    """Answer how many directions are enough.

    Parameters
    ----------
    answer : Answer
    tolerance : float
        Relative.
    largest : int
        The largest M tried.
    """
    if answer.n_directions is None:
        return (
            f"On this data, not even M = {largest} keeps every pair within "
            f"{percent(tolerance)}: the worst is off by {percent(answer.worst)}."
        )
    sentence = (
        f"On this data, M = {answer.n_directions} keeps every pair within "
        f"{percent(tolerance)}."
    )
    if answer.exceptions:
        verb = "does" if len(answer.exceptions) == 1 else "do"
        sentence += (
            f" More is not always better: M = {_listed(answer.exceptions)} {verb} not."
        )
    return sentence


def answer_note(study: RatioStudy, rule: Rule, tolerance: float) -> str:
    """Say what the answer rests on.

    Parameters
    ----------
    study : RatioStudy
    rule : {"paper", "diagonal", "random"}
    tolerance : float
        Relative.
    """
    note = f"With {IN_WORDS[rule]}"
    if rule == "random":
        note += f", in each of {study.values[rule].shape[1]} draws"
    most = study.answer(rule, tolerance, MOST)
    if most.n_directions is not None:
        note += f". For {percent(MOST)} of the pairs, M = {most.n_directions} is enough"
    return note + "."


def comb_words(study: KinkStudy) -> dict[int, str]:
    """Say what combs of directions make of the kink, by the number of directions."""
    found = {}
    for count, thetas, error in zip(
        study.counts.tolist(), study.sampled, study.paper_errors, strict=True
    ):
        lost = np.isclose(thetas, np.pi / 4).any()
        where = "one is lost on π/4" if lost else "none on π/4"
        found[count] = f"M = {count}"
        if np.isfinite(error):
            found[count] += f": {100 * error:+.1f} %, {where}"
    return found


def rule_value(answer: Answer, largest: int) -> str:
    """Return the number of directions that a rule needs, for a big number.

    Parameters
    ----------
    answer : Answer
    largest : int
        The largest M tried.
    """
    known = answer.n_directions is not None
    return f"M = {answer.n_directions}" if known else f"M > {largest}"


def pairs_note(study: RatioStudy, wanted: int, seed: int, stopped: bool) -> str:
    """Say which pairs were measured.

    Parameters
    ----------
    study : RatioStudy
    wanted : int
        Pairs asked for.
    seed : int
    stopped : bool
        Whether the measurement was cancelled.
    """
    done, total = len(study.pairs), study.n_all_pairs
    note = f"{done:,} of {total:,} pairs"
    if done == total:
        note = f"all {total:,} pairs" if total > 1 else "the only pair"
    elif done == wanted or stopped:
        note += f", seed {seed}"
    else:
        note += " so far"
    if stopped and done < wanted:
        note += f" (stopped; {wanted:,} were asked for)"
    if study.n_equal:
        note += f"; {study.n_equal:,} of equal diagrams have no ratio and are left out"
    return note


def diagrams_note(used: int, total: int, seed: int) -> str:
    """Say which diagrams a matrix is made of."""
    if used == total:
        return f"all {total:,} diagrams"
    return f"{used:,} of {total:,} diagrams, seed {seed}"


def _listed(numbers: Sequence[int]) -> str:
    *others, last = [str(number) for number in numbers]
    return f"{', '.join(others)} and {last}" if others else last


def why_not(error: Exception) -> str:
    """Say why something is not measured, without words of the library's inside."""
    if isinstance(error, SwvizError):
        return f"Not measurable: {error}."
    return "Not measured."
