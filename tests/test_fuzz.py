"""Thousands of broken files: each is read or refused in words, nothing else."""

import pytest

from tests.file_mutations import monsters, mutated_files, try_file, valid_files


@pytest.mark.parametrize("sample", valid_files(), ids=lambda sample: sample.what)
def test_the_valid_files_are_valid(sample):
    assert try_file(sample).result == "read"


def test_mutated_files_are_read_or_refused():
    outcomes = [try_file(sample) for sample in mutated_files(4000, seed=0)]
    assert [outcome for outcome in outcomes if outcome.escaped] == []
    # Mutations that all fail, or never, would test nothing.
    n_read = sum(outcome.result == "read" for outcome in outcomes)
    assert 400 < n_read < 3600


def test_the_same_seed_gives_the_same_files():
    first, again = (list(mutated_files(50, seed=3)) for _ in range(2))
    assert first == again


def test_monsters_are_read_or_refused():
    outcomes = [try_file(sample) for sample in monsters(large=False)]
    assert [outcome for outcome in outcomes if outcome.escaped] == []
