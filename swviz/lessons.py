"""What the lessons in `notebooks/` share: a word on an answer to an exercise.

What is expected is computed here, and not in the cell that asks for it: a check that
stands below an exercise is not to give its solution away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from swviz.checks import check_choice
from swviz.diagrams import Diagram, DiagramSet
from swviz.distances import sliced_wasserstein_matrix
from swviz.errors import ParameterError, shown
from swviz.exact import sliced_wasserstein_exact
from swviz.matchings import diagram_distance
from swviz.slices import slice_costs, sliced_wasserstein
from swviz.typing import Floats

if TYPE_CHECKING:
    from swviz.studies import PairDistances, PairStudy

TOLERANCE = 1e-9
"""How far off an answer may be, as a part of the largest expected number."""


def check(exercise: str, answer: Any, *given: Any) -> None:
    """Say whether the answer to an exercise is right.

    Parameters
    ----------
    exercise : str
        Numbers of the lesson and of the exercise in it: ``"1.3"``.
    answer : number, array-like or Ellipsis
        What the learner has found; ``...`` as long as there is nothing.
    *given
        What the exercise is about, as the lesson's check cell hands it over.

    Examples
    --------
    >>> loops = [(0.2, 0.3), (0.1, 0.9)]
    >>> check("1.1", ..., loops)
    Not answered yet: replace the three dots above, then run both cells.
    >>> check("1.1", 0.1, loops)
    Right.
    >>> check("1.1", 0.2, loops)
    Not yet: 0.2 is not what was asked for. Try again, or look at the answer below.
    """
    check_choice(exercise, "exercise", tuple(_EXPECTED))
    if answer is ...:
        print("Not answered yet: replace the three dots above, then run both cells.")
        return
    try:
        expected = np.asarray(_EXPECTED[exercise](*given), dtype=np.float64)
    except TypeError as error:
        raise ParameterError(
            f"exercise {exercise} is about something else than was given: call its "
            "check as the lesson does"
        ) from error
    print(_verdict(answer, expected))


def _verdict(answer: Any, expected: Floats) -> str:
    try:
        found = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        return f"Not yet: the answer is a number, not {shown(answer)}."
    if found.shape != expected.shape:
        return (
            f"Not yet: the answer has shape {found.shape}, and should have "
            f"{expected.shape}; () is a single number."
        )
    room = TOLERANCE * max(1.0, float(np.abs(expected).max(initial=0.0)))
    if np.all(np.abs(found - expected) <= room):
        return "Right."
    return (
        f"Not yet: {shown(answer)} is not what was asked for. Try again, or look at "
        "the answer below."
    )


def _birth_of_the_longest(loops: Diagram) -> float:
    births, deaths = np.asarray(loops, dtype=np.float64).T
    return float(births[np.argmax(deaths - births)])


def _number_of_long(loops: Diagram) -> int:
    return int((np.diff(loops, axis=1) > 0.2).sum())


def _moved_by_a_perturbation(loops: Diagram) -> float:
    from swviz.sources import perturb

    return diagram_distance(loops, perturb(loops, 0.05, random_state=0))


def _cost_at_one(A: Diagram, B: Diagram) -> float:
    return float(slice_costs(A, B, [1.0])[0])


def _six_directions(A: Diagram, B: Diagram) -> float:
    return sliced_wasserstein(A, B, n_directions=6)


def _change_by_a_diagonal_point(_A: Diagram, _B: Diagram) -> float:
    return 0.0


def _last_above_one_per_cent(study: PairStudy) -> int:
    within = study.errors("diagonal")[0] <= 0.01
    return min(int(M) for k, M in enumerate(study.counts) if within[k:].all())


def _largest_shortfall(X: Sequence[Diagram], vectors: Floats) -> float:
    from scipy.spatial.distance import cdist

    D = sliced_wasserstein_matrix(X, n_directions=6)
    return float((D - cdist(vectors, vectors, "cityblock")).max())


def _all_pairs(pairs: PairDistances) -> int:
    return len(pairs.d1)


def _most_negative(sigmas: Floats, curves: Mapping[str, Floats]) -> float:
    return float(sigmas[np.argmin(curves["k_d1"])])


def _negativity(distances: Mapping[str, Floats]) -> float:
    from swviz.studies import conditional_negativity

    return conditional_negativity(distances["k_d1"])


def _accuracy_if_narrow(train: DiagramSet, test: DiagramSet) -> float:
    from sklearn.svm import SVC

    from swviz.kernels import SlicedWassersteinKernel

    kernel = SlicedWassersteinKernel(sigma=0.02, n_directions=10, dimensions=[1])
    known, asked = np.asarray(train.labels, str), np.asarray(test.labels, str)
    machine = SVC(C=10, kernel="precomputed").fit(kernel.fit_transform(train), known)
    return float(machine.score(kernel.transform(test), asked))


def _p_of_halves(group: Sequence[Diagram]) -> float:
    from swviz.learning import mmd_test

    halves = group[:15], group[15:]
    return mmd_test(*halves, n_permutations=199, random_state=0).p_value


def _nearest(mine: DiagramSet, train: DiagramSet) -> float:
    first = mine.in_dimension(1)[:1]
    near = train.in_dimension(1)
    return float(sliced_wasserstein_matrix(first, near, n_directions="exact").min())


_EXPECTED: dict[str, Callable[..., float]] = {
    "1.1": _birth_of_the_longest,
    "1.2": _number_of_long,
    "1.3": _moved_by_a_perturbation,
    "2.1": _cost_at_one,
    "2.2": _six_directions,
    "2.3": _change_by_a_diagonal_point,
    "3.1": sliced_wasserstein_exact,
    "3.2": _last_above_one_per_cent,
    "3.3": _largest_shortfall,
    "4.1": _all_pairs,
    "4.2": _most_negative,
    "4.3": _negativity,
    "5.1": _accuracy_if_narrow,
    "5.2": _p_of_halves,
    "5.3": _nearest,
}
"""What each exercise asks for, from what it is about."""
