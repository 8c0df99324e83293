import numpy as np
import pytest

from swviz.errors import ParameterError
from swviz.lessons import check
from swviz.matchings import diagram_distance
from swviz.sources import perturb

LOOPS = np.array([(0.2, 0.3), (2.0, 9.0), (0.5, 0.9)])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (..., "Not answered yet"),
        (2, "Right."),
        (np.float64(2 + 1e-10), "Right."),
        (2 + 1e-6, "Not yet"),
        (np.nan, "Not yet"),
        ([1, 2], "Not yet: the answer has shape (2,)"),
        ("two", "Not yet: the answer is a number"),
        (None, "Not yet"),
    ],
)
def test_an_answer_is_judged(capsys, answer, said):
    check("1.1", answer, LOOPS)
    assert capsys.readouterr().out.startswith(said)


def test_what_is_expected_follows_what_was_given(capsys):
    # Who has changed a seed has another cloud, and another answer.
    check("1.2", 2, LOOPS)
    check("1.2", 1, LOOPS[:2])
    moved = perturb(LOOPS, 0.05, random_state=0)
    check("1.3", diagram_distance(LOOPS, moved), LOOPS)
    check("2.3", 0, LOOPS, LOOPS[1:])
    assert capsys.readouterr().out == "Right.\n" * 4


def test_the_tolerance_is_relative_to_what_is_expected(capsys):
    check("1.1", 1e12 + 1, [(1e12, 2e12)])
    check("1.1", 1e12 + 2e3, [(1e12, 2e12)])
    assert [line[:5] for line in capsys.readouterr().out.splitlines()] == [
        "Right",
        "Not y",
    ]


@pytest.mark.parametrize(("exercise", "given"), [("9.9", ()), ("1.1", ())])
def test_a_check_that_is_none_of_a_lesson_is_refused(exercise, given):
    with pytest.raises(ParameterError):
        check(exercise, 1, *given)
