"""Runs of the paper's protocol one by one, and the two-sample test of two classes."""

import numpy as np
import pytest

from swviz import ParameterError
from swviz.learning import (
    evaluate_kernel,
    kernel_runs,
    mmd_between_classes,
    mmd_from_gram,
    prepare,
)
from tests.learning_data import KERNELS, LABELS, SET

FEW = {"n_runs": 3, "n_splits": 2, "C": (1.0, 100.0), "random_state": 5}


@pytest.mark.parametrize("name", ["SW", "embedding", "PSS"])
def test_the_runs_are_those_of_the_whole_protocol(name):
    runs = list(kernel_runs(KERNELS[name], SET, **FEW))
    report = evaluate_kernel(KERNELS[name], SET, **FEW)
    assert [run.accuracy for run in runs] == report.accuracies.tolist()
    for ours, theirs in zip(runs, report.runs, strict=True):
        assert (ours.parameters, ours.C) == (theirs.parameters, theirs.C)
        np.testing.assert_array_equal(ours.test, theirs.test)


def test_runs_before_a_stop_are_kept():
    done = []

    def stop_in_the_second_run(thousandths, total):
        if done:
            raise KeyboardInterrupt

    runs = kernel_runs(KERNELS["SW"], SET, progress=stop_in_the_second_run, **FEW)
    with pytest.raises(KeyboardInterrupt):
        for run in runs:
            done.append(run)
    assert len(done) == 1


def test_a_test_of_two_classes_takes_their_samples():
    gram = prepare(KERNELS["SW"], SET).gram(0.5)
    found = mmd_between_classes(gram, LABELS, "b", "c", 199, random_state=1)
    both = np.flatnonzero(LABELS != "a")
    expected = mmd_from_gram(gram[np.ix_(both, both)], 8, 199, random_state=1)
    assert found.statistic == expected.statistic
    assert found.p_value == expected.p_value
    swapped = mmd_between_classes(gram, LABELS, "c", "b", 199, random_state=1)
    assert swapped.statistic == pytest.approx(found.statistic)


def test_two_classes_are_needed():
    gram = np.eye(24)
    with pytest.raises(ParameterError, match="two different classes"):
        mmd_between_classes(gram, LABELS, "a", "a")
    with pytest.raises(ParameterError, match="at least two diagrams"):
        mmd_between_classes(gram, LABELS, "a", "z")
    with pytest.raises(ParameterError, match="there are 24 samples"):
        mmd_between_classes(gram, LABELS[:3], "a", "b")
