import numpy as np
import pytest

from swviz import (
    slice_costs,
)
from swviz.batches import paired_slice_costs
from tests.strategies import FAMILIES
from tests.studies_data import some_diagrams


@pytest.mark.parametrize("family", FAMILIES)
def test_paired_costs_are_those_of_each_pair(family):
    first, second = some_diagrams(family, seed=1), some_diagrams(family, seed=2)
    first[1] = np.empty((0, 2))
    thetas = np.linspace(-1.5, 1.5, 11)
    costs = paired_slice_costs(first, second, thetas)
    for k, (a, b) in enumerate(zip(first, second, strict=True)):
        np.testing.assert_allclose(costs[k], slice_costs(a, b, thetas), atol=1e-12)


def test_paired_costs_in_many_blocks(monkeypatch):
    first, second = some_diagrams(seed=1), some_diagrams(seed=2)
    thetas = np.linspace(-1.5, 1.5, 11)
    whole = paired_slice_costs(first, second, thetas)
    monkeypatch.setattr("swviz.batches._BLOCK", 50)
    np.testing.assert_allclose(paired_slice_costs(first, second, thetas), whole)
