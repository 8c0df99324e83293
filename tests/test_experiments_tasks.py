"""Experiments: how tasks are split."""

import numpy as np
import pytest

from swviz import DiagramSet, ParameterError
from swviz.experiments.tasks import Task
from tests.experiment_data import LABELS, diagrams, make_task


def test_splits_are_fixed_or_drawn_by_the_number_of_the_run():
    fixed = make_task(test_size=None)
    train, test = fixed.split(0)
    assert test.tolist() == list(range(0, 30, 3))
    assert fixed.split(5)[0].tolist() == train.tolist()
    drawn = make_task(test_size=0.4)
    train, test = drawn.split(0)
    assert np.unique(LABELS[test], return_counts=True)[1].tolist() == [4, 4, 4]
    assert drawn.split(0)[0].tolist() == train.tolist()
    assert drawn.split(1)[0].tolist() != train.tolist()


def test_a_task_without_labels_says_so():
    data = DiagramSet({1: diagrams(1, 0.6)})
    task = Task("shapes", "bare", "no labels", data, ((1,),), 0.5, 5, False)
    with pytest.raises(ParameterError, match="bare has no labels"):
        task.split(0)
