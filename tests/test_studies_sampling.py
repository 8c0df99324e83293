import numpy as np
import pytest

from swviz.errors import ParameterError
from swviz.studies import (
    draw_diagrams,
    sample_diagrams,
    sample_pairs,
    suggest_diagrams,
    suggest_pairs,
)


@pytest.mark.parametrize("n", [2, 3, 7, 40])
def test_all_pairs_come_once_if_there_are_not_more(n):
    pairs = sample_pairs(n, 10_000)
    assert sorted(map(tuple, pairs)) == sorted(zip(*np.triu_indices(n, 1), strict=True))


def test_sampled_pairs_are_distinct_seeded_and_valid_in_huge_sets():
    pairs = sample_pairs(3_000_000, 4000, random_state=3)
    assert len(np.unique(pairs, axis=0)) == 4000
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert pairs.min() >= 0
    assert pairs.max() < 3_000_000
    np.testing.assert_array_equal(pairs, sample_pairs(3_000_000, 4000, 3))
    assert (pairs != sample_pairs(3_000_000, 4000, 4)).any()


def test_diagrams_are_sampled_evenly_from_classes():
    labels = np.repeat(["a", "b", "c"], [50, 10, 4])
    chosen = sample_diagrams(64, 12, labels, random_state=1)
    assert np.unique(labels[chosen], return_counts=True)[1].tolist() == [4, 4, 4]
    assert (np.diff(chosen) > 0).all()
    assert sample_diagrams(5, 9).tolist() == [0, 1, 2, 3, 4]


def test_suggestions_shrink_with_the_size_of_diagrams():
    small = [np.zeros((10, 2))] * 200
    large = [np.arange(2000.0).reshape(1000, 2)] * 200
    repeated = [np.zeros((1000, 2))] * 200
    assert suggest_pairs(small) == 300
    assert 10 <= suggest_pairs(large) < suggest_pairs(repeated) < 300
    assert suggest_pairs([np.zeros((5, 2))] * 3) == 3
    assert suggest_diagrams(small) == 100
    assert 2 <= suggest_diagrams(large) < 80
    assert suggest_diagrams([np.zeros((5, 2))] * 3) == 3


def test_a_draw_is_seeded_without_repetition_and_never_more_than_asked():
    drawn = draw_diagrams(100, 7, random_state=3)
    assert len(set(drawn.tolist())) == 7
    np.testing.assert_array_equal(drawn, draw_diagrams(100, 7, random_state=3))
    assert drawn.tolist() != draw_diagrams(100, 7, random_state=4).tolist()
    assert sorted(draw_diagrams(5, 7).tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(ParameterError):
        draw_diagrams(5, 0)
