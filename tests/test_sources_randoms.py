"""Random diagrams: each family has its character."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swviz.errors import ParameterError
from swviz.sources import FAMILIES, random_diagrams


@given(
    family=st.sampled_from(sorted(FAMILIES)),
    n_points=st.integers(0, 30),
    seed=st.integers(0, 2**32 - 1),
)
def test_every_family_gives_valid_diagrams_of_the_asked_size(family, n_points, seed):
    several = random_diagrams(family, 3, n_points, random_state=seed)
    assert [d.shape for d in several.in_dimension(1)] == [(n_points, 2)] * 3
    assert several.class_names == (family,)


def diagram(family):
    return random_diagrams(family, 1, 2000).in_dimension(1)[0]


def test_uniform_fills_the_triangle():
    birth, death = diagram("uniform").T
    assert 0 <= birth.min() and death.max() <= 1
    # Marginals of the uniform law on the triangle.
    assert birth.mean() == pytest.approx(1 / 3, abs=0.02)
    assert death.mean() == pytest.approx(2 / 3, abs=0.02)


def test_clusters_are_dense():
    points = diagram("clustered")
    near = np.linalg.norm(points[:, None] - points[None, :200], axis=2) < 0.1
    uniform = diagram("uniform")
    near_uniform = np.linalg.norm(uniform[:, None] - uniform[None, :200], axis=2) < 0.1
    assert near.mean() > 2 * near_uniform.mean()


def test_noise_is_near_the_diagonal():
    assert np.ptp(diagram("near-diagonal"), axis=1).mean() == pytest.approx(
        0.02, rel=0.1
    )


def test_components_are_born_at_zero():
    assert (diagram("H0-like")[:, 0] == 0).all()


def test_grid_has_integers_with_ties():
    points = diagram("grid-like")
    assert np.array_equal(points, np.round(points))
    assert len(np.unique(points, axis=0)) == 55
    assert (points[:, 0] < points[:, 1]).all()


def test_sizes_scale_and_dimension():
    several = random_diagrams("uniform", 50, (3, 9), scale=10.0, dimension=0)
    sizes = {len(d) for d in several.in_dimension(0)}
    assert sizes == set(range(3, 10))
    assert max(d.max() for d in several.in_dimension(0)) > 5


def test_seeds():
    one, same, other = (random_diagrams(random_state=s) for s in (1, 1, 2))
    assert np.array_equal(one.in_dimension(1), same.in_dimension(1))
    assert not np.array_equal(one.in_dimension(1), other.in_dimension(1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"family": "normal"},
        {"n_diagrams": 0},
        {"n_points": -1},
        {"n_points": (5, 3)},
        {"n_points": (1, 2, 3)},
        {"n_points": 10_000, "n_diagrams": 10_000},
        {"scale": 0},
        {"dimension": -1},
    ],
)
def test_parameters_out_of_range(wrong):
    with pytest.raises(ParameterError):
        random_diagrams(**wrong)
