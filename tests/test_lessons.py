import numpy as np
import pytest

from swviz.errors import ParameterError
from swviz.lessons import check


@pytest.mark.parametrize(
    ("answer", "expected", "said"),
    [
        (..., 2, "Not answered yet"),
        (2, 2, "Right."),
        (np.float64(2 + 1e-10), 2, "Right."),
        (2 + 1e-6, 2, "Not yet"),
        (1e12 + 1, 1e12, "Right."),
        (True, 1, "Right."),
        (np.nan, 2, "Not yet"),
        ([1, 2], [1, 2], "Right."),
        ([1, 2], 2, "Not yet: the answer has shape (2,)"),
        ("two", 2, "Not yet: the answer is a number"),
        (None, 2, "Not yet"),
    ],
)
def test_an_answer_is_judged(capsys, answer, expected, said):
    check(answer, expected)
    assert capsys.readouterr().out.startswith(said)


def test_the_tolerance_is_relative_to_what_is_expected(capsys):
    check(101.0, 100, tolerance=0.02)
    check(103.0, 100, tolerance=0.02)
    assert [line[:5] for line in capsys.readouterr().out.splitlines()] == [
        "Right",
        "Not y",
    ]


@pytest.mark.parametrize("wrong", [{"tolerance": -1}, {"expected": np.inf}])
def test_a_check_that_cannot_be_passed_is_refused(wrong):
    with pytest.raises(ParameterError):
        check(**{"answer": 1, "expected": 1, **wrong})
