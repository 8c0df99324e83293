import io
import json

import numpy as np
import pytest
from sklearn.base import clone

from swviz import DiagramFileError, DiagramSet, load, save
from swviz.files import Limits
from swviz.kernels import SlicedWassersteinKernel, UniversalKernel, pwg_heuristics
from swviz.learning import DiagramClassifier, load_classifier, save_classifier
from swviz.learning.saving import with_recipe
from tests.learning_data import KERNELS, LABELS, SET, TEST, TRAIN


def learnt_pwg():
    learnt = pwg_heuristics(SET[TRAIN], 2)
    return clone(KERNELS["PWG"]).set_params(**learnt.scaled())


@pytest.mark.parametrize("ending", ["npz", "csv"])
@pytest.mark.parametrize("name", [*KERNELS, "learnt", "random", "one dimension"])
def test_a_saved_classifier_comes_back_the_same(name, ending, tmp_path):
    kernel = {
        **KERNELS,
        "learnt": learnt_pwg(),
        "random": SlicedWassersteinKernel(n_directions=4, rule="random"),
        "one dimension": SlicedWassersteinKernel(n_directions=4, dimensions=[1]),
    }[name]
    machine = DiagramClassifier(kernel, C=10.0).fit(SET[TRAIN])
    path = tmp_path / f"machine.{ending}"
    save_classifier(machine, path)
    again = load_classifier(path)
    before, after = machine.answer(SET[TEST]), again.answer(SET[TEST])
    np.testing.assert_array_equal(after.predictions, before.predictions)
    np.testing.assert_array_equal(after.neighbors, before.neighbors)
    np.testing.assert_allclose(after.decision_values, before.decision_values)
    assert again.C == 10.0
    assert again.samples_.names == SET[TRAIN].names


def test_the_file_is_also_the_training_set(tmp_path):
    machine = DiagramClassifier(C=2.0).fit(SET[TRAIN])
    save_classifier(machine, tmp_path / "machine.npz")
    samples = load(tmp_path / "machine.npz")
    assert samples.labels.tolist() == LABELS[TRAIN].tolist()
    for ours, theirs in zip(
        samples.in_dimension(1), SET[TRAIN].in_dimension(1), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_labels_keep_their_type(tmp_path):
    numbers = np.repeat([2.5, 4.1, 4.3], 8)
    machine = DiagramClassifier().fit(SET, numbers)
    save_classifier(machine, tmp_path / "machine.npz")
    assert load_classifier(tmp_path / "machine.npz").classes_.tolist() == [
        2.5,
        4.1,
        4.3,
    ]


def test_other_kernels_are_not_saved(tmp_path):
    kernel = UniversalKernel(SlicedWassersteinKernel(n_directions=4))
    machine = DiagramClassifier(kernel).fit(SET)
    with pytest.raises(DiagramFileError, match="UniversalKernel cannot be saved"):
        save_classifier(machine, tmp_path / "machine.npz")


def test_diagrams_are_no_classifier(tmp_path):
    save(SET, tmp_path / "set.npz")
    with pytest.raises(DiagramFileError, match=r"set.npz: holds diagrams but no"):
        load_classifier(tmp_path / "set.npz")
    with pytest.raises(DiagramFileError, match="pickle"):
        load_classifier(b"\x80\x04 anything", "machine.npz")


def forged(tmp_path, **changes):
    """A file whose recipe a stranger has changed."""
    made = with_recipe(SlicedWassersteinKernel(n_directions=4), 1.0, SET)
    recipe = {**made.provenance["classifier"], **changes}
    provenance = {**made.provenance, "classifier": recipe}
    path = tmp_path / "forged.npz"
    save(DiagramSet(SET.diagrams, SET.labels, SET.names, provenance), path)
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kernel": "os.system"}, "its kernel must be one of"),
        ({"kernel": ["SlicedWassersteinKernel"]}, "its kernel must be one of"),
        ({"parameters": None}, "its kernel must be one of"),
        ({"parameters": {"sigma": -1}}, "sigma must be"),
        ({"parameters": {"sigma": "1"}}, "sigma must be"),
        ({"parameters": {"n_directions": 10**9}}, "n_directions is 1000000000"),
        ({"parameters": {"n_jobs": 64}}, "no parameter 'n_jobs'"),
        ({"parameters": {"__class__": 1}}, "no parameter '__class__'"),
        ({"parameters": {"dimensions": [1, "x"]}}, "dimensions is damaged"),
        ({"parameters": {"dimensions": [7]}}, "homology dimension 7"),
        ({"parameters": {"random_state": -5}}, "random_state is damaged"),
        ({"parameters": {"sigma": {"by dimension": []}}}, "sigma is damaged"),
        (
            {
                "kernel": "PersistenceWeightedGaussianKernel",
                "parameters": {"K": {"by dimension": [[1, "x"]]}},
            },
            "K is damaged",
        ),
        ({"C": 0}, "C must be"),
        ({"C": "many"}, "C must be"),
        ({"format": "swviz classifier 9"}, "no classifier"),
    ],
)
def test_a_forged_recipe_is_refused(changes, message, tmp_path):
    with pytest.raises(DiagramFileError, match=message):
        load_classifier(forged(tmp_path, **changes))


def test_limits_hold(tmp_path):
    machine = DiagramClassifier(KERNELS["SW"]).fit(SET)
    save_classifier(machine, tmp_path / "machine.npz")
    content = (tmp_path / "machine.npz").read_bytes()
    with pytest.raises(DiagramFileError, match="more than the limit of 5"):
        load_classifier(content, "machine.npz", limits=Limits(max_diagrams=5))


def test_training_again_can_be_stopped(tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_classifier(forged(tmp_path), progress=stop)


def test_a_file_without_labels_is_told():
    made = with_recipe(SlicedWassersteinKernel(), 1.0, SET)
    stream = io.BytesIO()
    arrays = {
        "points": np.concatenate([d for k in (0, 1) for d in SET.in_dimension(k)]),
        "counts": np.full((2, len(SET)), 6),
        "dimensions": np.array([0, 1]),
        "meta": np.array(
            json.dumps(
                {
                    "format": "swviz diagrams 1",
                    "names": list(SET.names),
                    "provenance": dict(made.provenance),
                }
            )
        ),
    }
    np.savez(stream, **arrays)
    with pytest.raises(DiagramFileError, match="no labels"):
        load_classifier(stream.getvalue(), "machine.npz")
