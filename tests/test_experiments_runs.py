"""Experiments: measuring run by run, stopping, going on, broken files."""

import json
import shutil

import numpy as np
import pytest

from swviz import DiagramSet, ParameterError
from swviz.experiments import ResultError, load_results
from swviz.experiments.cells import KERNEL_NAMES, Cell, Protocol, cells_of
from swviz.experiments.results import CellResult, read_cell, write_cell
from swviz.experiments.runs import run_task
from swviz.experiments.store import (
    FORMAT,
    environment,
    read_json,
    to_text,
    write_whole,
)
from swviz.experiments.tasks import Task, digest
from swviz.kernels import (
    PersistenceScaleSpaceKernel,
    PersistenceWeightedGaussianKernel,
    SlicedWassersteinKernel,
)
from swviz.learning import evaluate_kernel
from tests.experiment_data import LABELS, diagrams, make_task

FEW = Protocol(n_runs=2, n_splits=2, C=(1.0, 100.0), quick=True)
CELLS = [Cell("SW", (1,), 4), Cell("PSS", (0, 1))]


def tell_nothing(text):
    pass


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    run_task(make_task(), CELLS, folder, FEW, tell_nothing)
    return folder


@pytest.fixture
def folder(measured, tmp_path):
    return shutil.copytree(measured, tmp_path / "results")


def path_of(folder, cell=CELLS[0]):
    return folder / "orbit" / "toy" / cell.file_name


def go_on(folder, protocol=FEW, task=None, cells=CELLS):
    """Run again; returns what was told and the results."""
    told = []
    results = run_task(task or make_task(), cells, folder, protocol, told.append)
    return told, results


def test_a_file_says_what_was_measured_with_what(folder):
    record = json.loads(path_of(folder).read_text())
    assert record["format"] == FORMAT
    setting = record["setting"]
    assert setting["kernel"]["label"] == "k_SW (4)"
    assert setting["dimensions"] == [1]
    assert setting["data"]["train"] == 18
    assert setting["data"]["test"] == 12
    assert setting["data"]["classes"] == ["a", "b", "c"]
    assert setting["data"]["mean_points"] == {"H0": 7.0, "H1": 7.0}
    assert setting["protocol"]["halves"] == 2
    assert setting["protocol"]["quick"] is True
    assert {"python", "numpy", "gudhi", "cores", "architecture"} <= set(
        record["environments"][0]
    )
    for number, run in enumerate(record["runs"]):
        assert run["run"] == number
        assert 0 <= run["accuracy"] <= 1
        assert run["parameters"]["sigma"] > 0
        assert run["C"] in FEW.C
        assert np.sum(run["confusion"]) == 12
        correct = np.trace(run["confusion"]) / 12
        assert run["accuracy"] == pytest.approx(correct, abs=1e-6)


def test_nothing_names_the_machine_or_its_folders(folder):
    import platform

    for path in folder.rglob("*.json"):
        text = path.read_text()
        assert platform.node() not in text.split('"')
        assert str(folder) not in text
    assert "node" not in environment()


def test_finished_runs_are_not_measured_again(folder):
    before = path_of(folder).read_bytes()
    told, results = go_on(folder)
    assert told == []
    assert path_of(folder).read_bytes() == before
    assert [len(result.runs) for result in results] == [2, 2]


def test_more_runs_are_added_to_those_that_are_there(folder):
    before = read_cell(path_of(folder)).runs
    told, (result, _) = go_on(folder, Protocol(3, 2, (1.0, 100.0), quick=True))
    assert result.runs[:2] == before
    assert [run["run"] for run in result.runs] == [0, 1, 2]
    assert len(told) == 2
    assert "run 2" in told[0]


def test_a_run_that_was_lost_comes_out_as_before(folder):
    cell = read_cell(path_of(folder))
    kept = CellResult(cell.setting, cell.notes, cell.runs[1:], cell.environments)
    write_cell(path_of(folder), kept)
    _, (result, _) = go_on(folder)

    def numbers(run):
        return {key: run[key] for key in run if "seconds" not in key}

    assert [numbers(run) for run in result.runs] == [numbers(r) for r in cell.runs]


def test_work_that_is_interrupted_keeps_its_finished_runs(tmp_path):
    def stop_after_one(text):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_task(make_task(), CELLS, tmp_path, FEW, stop_after_one)
    assert len(read_cell(path_of(tmp_path)).runs) == 1
    told, results = go_on(tmp_path)
    assert len(told) == 3
    assert [len(result.runs) for result in results] == [2, 2]
    assert not list(tmp_path.rglob("*.part"))


@pytest.mark.parametrize(
    "content",
    ["", "{", '{"format": 1}', "[1, 2]", '{"format": 99, "runs": []}', "\0\1\2"],
)
def test_a_broken_file_is_put_aside_and_measured_again(folder, content):
    path_of(folder).write_text(content)
    assert any(path_of(folder).name in one for one in load_results(folder).problems)
    told, (result, _) = go_on(folder)
    assert "measured again" in told[0]
    assert len(result.runs) == 2
    assert path_of(folder).with_name("sw-4-h1.json.old1").read_text() == content
    assert load_results(folder).problems == ()


@pytest.mark.parametrize(
    "damage", [{"accuracy": 3}, {"accuracy": "high"}, {"run": "x"}, {"run": 0}]
)
def test_a_broken_run_is_done_again(folder, damage):
    record = json.loads(path_of(folder).read_text())
    good = dict(record["runs"][1])
    record["runs"][1].update(damage)
    path_of(folder).write_text(json.dumps(record))
    told, (result, _) = go_on(folder)
    assert "broken run" in told[0]
    assert [run["run"] for run in result.runs] == [0, 1]
    assert result.runs[1]["accuracy"] == good["accuracy"]


@pytest.mark.parametrize("change", ["data", "protocol"])
def test_other_data_or_settings_do_not_mix(folder, change):
    task, protocol = make_task(), FEW
    if change == "data":
        other = DiagramSet({0: diagrams(5, 0.1), 1: diagrams(6, 0.6)}, labels=LABELS)
        task = Task("orbit", "toy", "a toy", other, task.dimensions, 0.4, 2, False)
    else:
        protocol = Protocol(2, 3, (1.0, 100.0), quick=True)
    before = path_of(folder).read_text()
    told, (result, _) = go_on(folder, protocol, task)
    assert "other settings or data" in told[0]
    assert len(result.runs) == 2
    assert path_of(folder).with_name("sw-4-h1.json.old1").read_text() == before


def test_the_digest_sees_points_and_labels():
    data = make_task().diagrams
    assert digest(data) == digest(make_task().diagrams)
    moved = {d: [np.array(x) for x in data.in_dimension(d)] for d in (0, 1)}
    moved[1][3][0, 1] += 1e-9
    assert digest(DiagramSet(moved, labels=LABELS)) != digest(data)
    others = np.where(LABELS == "a", "b", LABELS)
    same = {d: list(data.in_dimension(d)) for d in (0, 1)}
    assert digest(DiagramSet(same, labels=LABELS)) == digest(data)
    assert digest(DiagramSet(same, labels=others)) != digest(data)


def test_cells_are_those_of_the_papers_table():
    small, large = make_task(several=((1,),)), make_task(large=True, several=((0,),))
    labels = [cell.describe(small)["label"] for cell in cells_of(small)]
    assert labels == ["k_SW (10)", "k_SW", "k_PSS", "k_PWG", "k_PWG, as printed"]
    labels = [cell.describe(large)["label"] for cell in cells_of(large)]
    assert labels == ["k_SW (6)", "k_PSS", "k_PWG (1000)", "k_PWG (1000), as printed"]
    names = [c.file_name for c in cells_of(make_task(), KERNEL_NAMES, [2, "exact"])]
    assert len(set(names)) == len(names) == 15
    with pytest.raises(ParameterError, match="no kernel"):
        cells_of(small, ["RBF"])


def test_the_two_forms_of_the_weighted_kernel_differ(tmp_path):
    cells = [Cell("PWG", (1,)), Cell("PWG-printed", (1,))]
    protocol = Protocol(1, 1, (10.0,), quick=True)
    squared, printed = run_task(make_task(), cells, tmp_path, protocol, tell_nothing)
    assert squared.setting["kernel"]["form"] == "squared"
    assert printed.setting["kernel"]["form"] == "paper"
    for result in (squared, printed):
        parameters = result.runs[0]["parameters"]
        assert set(parameters) == {"K", "rho", "tau", "factors"}
        assert set(parameters["K"]) == {"H1"}
        assert any("as printed" in note for note in result.notes)


@pytest.mark.parametrize("large", [False, True])
def test_a_run_is_the_learning_modules_with_the_run_as_seed(tmp_path, large):
    task = make_task(large=large)
    cells = [Cell("SW", (0, 1), 4), Cell("PSS", (1,)), Cell("PWG-printed", (0, 1))]
    run_task(task, cells, tmp_path, FEW, tell_nothing)
    method = "fourier" if large else "auto"
    for cell, kernel in zip(
        cells,
        (
            SlicedWassersteinKernel(n_directions=4),
            PersistenceScaleSpaceKernel(dimensions=[1]),
            PersistenceWeightedGaussianKernel(p=2, method=method, random_state=1),
        ),
        strict=True,
    ):
        record = read_cell(path_of(tmp_path, cell)).runs[1]
        (report,) = evaluate_kernel(
            kernel,
            task.diagrams,
            splits=[task.split(1)],
            random_state=1,
            n_splits=FEW.n_splits,
            C=FEW.C,
        ).runs
        assert record["accuracy"] == pytest.approx(report.accuracy, abs=1e-6)
        assert record["confusion"] == report.confusion.tolist()
        assert record["C"] == report.C
        for name in set(record["parameters"]) - {"factors", "K", "rho"}:
            chosen = record["parameters"][name]
            assert chosen == pytest.approx(report.parameters[name], rel=1e-5)
        for name in {"K", "rho"} & set(record["parameters"]):
            chosen = record["parameters"][name]
            named = {f"H{d}": one for d, one in report.parameters[name].items()}
            assert chosen == pytest.approx(named, rel=1e-5)


@pytest.mark.parametrize("test_size", [0.4, None])
def test_matrices_do_not_depend_on_the_number_of_runs(tmp_path, monkeypatch, test_size):
    """On matrices of huge numbers, a machine turns on their last digit."""
    compared = []
    real = SlicedWassersteinKernel.distances

    def counted(self, X, Y=None, **options):
        compared.append((len(X), len(X) if Y is None else len(Y)))
        return real(self, X, Y, **options)

    monkeypatch.setattr(SlicedWassersteinKernel, "distances", counted)
    task = make_task(test_size)
    for n_runs in (1, 3):
        compared.clear()
        protocol = Protocol(n_runs, 1, (10.0,), quick=True)
        run_task(task, CELLS[:1], tmp_path / str(n_runs), protocol, tell_nothing)
        assert compared == ([(30, 30)] if test_size else [(20, 20), (10, 20)])


def test_a_folder_without_results_has_none(tmp_path):
    results = load_results(tmp_path / "nothing")
    assert (results.cells, results.studies, results.problems) == ((), {}, ())


def test_results_are_found_again(folder):
    results = load_results(folder)
    assert len(results.cells) == 2
    found = results.find("orbit", "toy", "k_SW (4)")
    assert found.dimensions == (1,)
    assert found.accuracy == pytest.approx(np.mean(found.accuracies))
    assert found.spread == pytest.approx(np.std(found.accuracies, ddof=1))
    assert results.find("orbit", "toy", "k_SW (4)", (0,)) is None
    assert results.find("orbit", "toy", "k_PSS", (0, 1)) is not None


def test_lists_are_written_in_one_line():
    record = {
        "a": [1, 2.5, 3],
        "words": ["x ] y", "[ z", "line\nbreak"],
        "empty": [],
        "deep": [[1, 2], {"b": [3]}],
        "text": "[ 1 ]",
    }
    text = to_text(record)
    assert json.loads(text) == record
    assert '"a": [1, 2.5, 3]' in text
    assert '"text": "[ 1 ]"' in text


def test_a_huge_file_is_no_result(tmp_path):
    path = tmp_path / "huge.json"
    path.write_text(" " * 5_000_001)
    with pytest.raises(ResultError, match="too large"):
        read_json(path)


def test_a_place_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultError, match="cannot be written"):
        write_whole(tmp_path / "file" / "x.json", "text")
