"""Checks of parameters: what passes, and that what does not is named."""

import numpy as np
import pytest

from swviz import checks
from swviz.errors import ParameterError


@pytest.mark.parametrize(
    ("check", "good", "expected"),
    [
        (lambda v: checks.check_count(v, "x", 9), np.int64(9), 9),
        (lambda v: checks.check_integer(v, "x", -2, 2), -2, -2),
        (lambda v: checks.check_number(v, "x", 0, 1), np.float32(0.5), 0.5),
        (lambda v: checks.check_positive(v, "x"), 1e-300, 1e-300),
        (lambda v: checks.check_not_negative(v, "x"), 0, 0.0),
        (lambda v: checks.check_flag(v, "x"), np.True_, True),
        (lambda v: checks.check_choice(v, "x", ("a", "b")), "b", "b"),
        (lambda v: checks.check_choices(v, "x", ("a", "b")), "a", ("a",)),
        (lambda v: checks.check_choices(v, "x", ("a", "b")), ["b", "a"], ("b", "a")),
    ],
)
def test_good_values_come_back_as_plain_ones(check, good, expected):
    found = check(good)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        (lambda v: checks.check_count(v, "x", 9), [0, 10, 1.0, True, None, "1"]),
        (lambda v: checks.check_integer(v, "x", -2, 2), [-3, 3, 0.0, False]),
        (lambda v: checks.check_number(v, "x", 0, 1), [2, -0.1, np.nan, True, "0"]),
        (lambda v: checks.check_positive(v, "x"), [0, -1, np.inf, np.nan, True, "1"]),
        (lambda v: checks.check_positive(v, "x"), [10**400]),
        (lambda v: checks.check_not_negative(v, "x"), [-1e-300, np.inf, None]),
        (lambda v: checks.check_flag(v, "x"), [0, 1, "yes", None]),
        (lambda v: checks.check_choice(v, "x", ("a", "b")), ["c", "", None, ["a"]]),
        (lambda v: checks.check_choices(v, "x", ("a", "b")), ["c", [], ["a", "c"]]),
        (lambda v: checks.check_counts(v, "x", 9), [[], [2, 1], [1, 1], [10]]),
        (lambda v: checks.check_square(v, "x"), [[1], [[1, 2]], [[np.nan]], "a"]),
    ],
)
def test_bad_values_are_refused_by_name(check, bad):
    for value in bad:
        with pytest.raises(ParameterError, match=r"^x (must|is empty|has entries)"):
            check(value)


def test_choices_are_listed_as_they_are_typed():
    message = "x must be one of 'a', 'b', not 'c'"
    with pytest.raises(ParameterError, match=f"^{message}$"):
        checks.check_choice("c", "x", ("a", "b"))


@pytest.mark.parametrize("n_jobs", [0, 1025, 1.0, True, "2"])
def test_workers_that_cannot_be_started(n_jobs):
    with pytest.raises(ParameterError, match="n_jobs must be a whole number"):
        checks.check_workers(n_jobs)


def test_workers_are_counted():
    assert checks.check_workers(None) == 1
    assert checks.check_workers(3) == 3
    assert checks.check_workers(-1) >= 1
