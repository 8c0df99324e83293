import numpy as np
import pytest

from swviz import (
    DiagramError,
    ParameterError,
    diagram_distance_matrix,
    sliced_wasserstein_matrix,
)
from swviz.pair_distances import PairDistances, draw_diagrams
from tests.strategies import FAMILIES

RNG = np.random.default_rng(0)
DIAGRAMS = [FAMILIES["uniform"](RNG, n) for n in (5, 0, 3, 8, 1, 6, 4)]


class Stop(Exception):
    pass


def stop_after(count):
    def progress(done, total):
        if done >= count:
            raise Stop

    return progress


def test_a_draw_is_seeded_without_repetition_and_never_more_than_asked():
    drawn = draw_diagrams(100, 7, random_state=3)
    assert len(set(drawn.tolist())) == 7
    np.testing.assert_array_equal(drawn, draw_diagrams(100, 7, random_state=3))
    assert drawn.tolist() != draw_diagrams(100, 7, random_state=4).tolist()
    assert sorted(draw_diagrams(5, 7).tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(ParameterError):
        draw_diagrams(5, 0)


@pytest.mark.parametrize("n_directions", ["exact", 6])
def test_pairs_hold_the_distances_of_the_matrices(n_directions):
    found = PairDistances(DIAGRAMS, n_directions=n_directions).run()
    d1 = diagram_distance_matrix(DIAGRAMS)
    sw = sliced_wasserstein_matrix(DIAGRAMS, n_directions=n_directions)
    i, j = found.pairs.T
    assert len(found) == found.done == 21
    np.testing.assert_allclose(found.d1, d1[i, j])
    np.testing.assert_allclose(found.sw, sw[i, j], rtol=1e-12)
    for matrix, expected in zip(found.matrices(), (d1, sw), strict=True):
        np.testing.assert_allclose(matrix, expected, rtol=1e-12)


def test_whenever_one_stops_the_first_diagrams_have_all_their_pairs():
    found = PairDistances(DIAGRAMS)
    for count in range(len(found) + 1):
        found.done = count
        among = found.n_complete
        known = {tuple(pair) for pair in found.pairs[:count].tolist()}
        expected = {(i, j) for j in range(among) for i in range(j)}
        assert expected <= known
        # The next diagram is not complete.
        assert among == len(DIAGRAMS) or not {(i, among) for i in range(among)} <= known


def test_stopping_keeps_what_is_done_and_running_again_does_the_rest():
    found = PairDistances(DIAGRAMS)
    with pytest.raises(Stop):
        found.run(progress=stop_after(8))
    done = found.done
    assert 8 <= done < len(found)
    before = found.d1.copy()
    d1, _ = found.matrices()
    np.testing.assert_allclose(d1, diagram_distance_matrix(DIAGRAMS[: len(d1)]))
    reports = []
    found.run(progress=lambda done, total: reports.append((done, total)))
    np.testing.assert_array_equal(found.d1[:done], before)
    assert reports[-1] == (21, 21)
    assert [done for done, _ in reports] == sorted({done for done, _ in reports})


def test_threads_change_nothing():
    rng = np.random.default_rng(1)
    large = [FAMILIES["uniform"](rng, 210) for _ in range(4)]
    one = PairDistances(large, n_directions=5).run()
    two = PairDistances(large, n_directions=5).run(n_jobs=2)
    np.testing.assert_array_equal(one.d1, two.d1)
    np.testing.assert_array_equal(one.sw, two.sw)


@pytest.mark.parametrize("count", [0, 1])
def test_less_than_two_diagrams_have_no_pairs(count):
    found = PairDistances(DIAGRAMS[:count]).run()
    assert len(found) == found.done == 0
    assert found.n_complete == count
    assert [matrix.shape for matrix in found.matrices()] == [(count, count)] * 2


def test_bad_diagrams_are_refused():
    with pytest.raises(DiagramError):
        PairDistances([[(0, 1)], [(2, 1)]])
    with pytest.raises(ParameterError):
        PairDistances(DIAGRAMS, n_directions=0).run()
