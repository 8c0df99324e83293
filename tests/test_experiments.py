"""Experiments: the command line on small data, the paper's numbers, tables."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture

import swviz.experiments.tasks as tasks
from swviz import ParameterError, sliced_wasserstein, sliced_wasserstein_exact
from swviz.experiments import comparisons, load_results
from swviz.experiments.command import main
from swviz.experiments.comparison import (
    CHOSEN,
    chosen_in_training,
    command_for,
    paper_key,
)
from swviz.experiments.distortion import DISTORTION_KERNELS
from swviz.experiments.paper_numbers import (
    ACCURACY,
    GRAM_SECONDS,
    SHAPE_CATEGORIES,
    SIZES,
)
from swviz.experiments.results import EXPERIMENTS, CellResult, Results, write_cell
from swviz.experiments.studies import (
    QUANTILES,
    accuracies_by_directions,
    direction_study,
    gudhi_distances,
    random_pairs,
)
from swviz.experiments.tables import markdown


def cell(experiment, dataset, label, accuracies, **more):
    """A result as if it had been measured."""
    setting = {
        "experiment": experiment,
        "dataset": dataset,
        "paper_row": None,
        "kernel": {"name": paper_key(label), "label": label, **more.pop("kernel", {})},
        "dimensions": more.pop("dimensions", [1]),
        "data": {"train": 3, "test": 4, "classes": ["a"], "mean_points": {"H1": 5}},
        **more,
    }
    runs = tuple(
        {
            "run": index,
            "accuracy": accuracy,
            "cv_accuracy": accuracy,
            "C": 1.0,
            "parameters": {},
        }
        for index, accuracy in enumerate(accuracies)
    )
    return CellResult(setting, ("A note.",), runs)


def results_of(*cells, **studies):
    return Results(tuple(cells), studies, ())


@pytest.fixture
def quick(tmp_path):
    """Run a command on small data; returns the results."""

    def run(*arguments):
        folder = tmp_path / "out"
        main([*arguments, "--quick", "--runs", "1", "--out", str(folder)])
        assert (folder / "tables.md").read_text().startswith("# Results")
        results = load_results(folder)
        assert results.problems == ()
        return results

    return run


def test_orbits(quick):
    results = quick("orbit", "--kernels", "SW", "PSS")
    assert {cell.label for cell in results.cells} == {"k_SW (6)", "k_PSS"}
    assert {cell.dimensions for cell in results.cells} == {(0,), (1,), (0, 1)}
    for found in results.cells:
        assert found.setting["protocol"]["quick"]
        assert found.setting["data"]["train"] == 28
        assert found.setting["data"]["test"] == 12
        assert found.setting["paper_row"] is None


def test_shapes_without_a_folder_are_the_built_in_figure(quick, capsys):
    results = quick("shapes", "--kernels", "SW", "--directions", "3", "6")
    assert [cell.dataset for cell in results.cells] == ["figure", "figure"]
    for found in results.cells:
        assert found.accuracy > 0.5  # of four parts
        assert "Princeton Segmentation Benchmark" in found.notes[0]
        assert "not the paper's data" in found.setting["data"]["label"]
    said = " ".join(capsys.readouterr().out.split())
    assert "shapes: built-in figure" in said
    assert tasks.SHAPES_HELP in said


def test_textures_without_a_folder_are_photographs(quick):
    results = quick("texture", "--kernels", "SW")
    (found,) = results.cells
    assert found.dataset == "photographs"
    assert found.accuracy > 0.6  # of three
    assert "not to be compared" in found.notes[0].lower()


def test_the_weighted_kernel_on_textures(quick):
    (found,) = quick("texture", "--kernels", "PWG").cells
    assert found.label == "k_PWG (1000)"
    assert found.setting["kernel"]["form"] == "squared"
    assert found.accuracy > 0.6


def test_times_have_gudhis_beside_ours(quick, tmp_path, capsys):
    parts = quick("times").studies["times"]
    assert set(parts) == {"shapes/figure", "orbit/8-a-class"}
    shapes, orbit = parts["shapes/figure"], parts["orbit/8-a-class"]
    assert {"SW 10", "GUDHI SW 10", "SW exact", "PSS", "PWG"} <= set(shapes["seconds"])
    assert {"SW 6", "GUDHI SW 6", "SW 6, all"} <= set(orbit["seconds"])
    for part in parts.values():
        assert all(seconds > 0 for seconds in part["seconds"].values())
    # A study is not measured twice, and survives damage.
    assert quick("times").studies["times"] == parts
    assert "is there already" in capsys.readouterr().out
    (tmp_path / "out" / "times.json").write_text("{}")
    assert set(quick("times").studies["times"]) == set(parts)
    assert "measured again" in capsys.readouterr().out


def test_directions_and_their_figures_data(quick):
    results = quick("directions", "--directions", "1", "4")
    part = results.studies["directions"]["shapes/figure"]
    assert [row["M"] for row in part["rows"]] == [1, 4]
    for row in part["rows"]:
        for quantiles in row["ratio"].values():
            assert len(quantiles) == len(QUANTILES)
            assert sorted(quantiles) == quantiles
    # One direction is far off, four less so.
    spreads = [
        row["ratio"]["paper"][-1] - row["ratio"]["paper"][0] for row in part["rows"]
    ]
    assert spreads[0] > spreads[1]
    labels = {cell.label for cell in results.cells if cell.experiment == "shapes"}
    assert labels == {"k_SW (1)", "k_SW (4)"}


def test_distortion_compares_four_kernels_with_d1(quick):
    part = quick("distortion").studies["distortion"]["shapes/figure"]
    assert tuple(part["kernels"]) == DISTORTION_KERNELS
    d1 = np.array(part["d1"])
    assert len(d1) == part["pairs"] == 50
    for one in part["kernels"].values():
        assert len(one["distances"]) == 50
        assert one["parameters"]
    # Distances of a Gaussian on d1 grow with d1, those of no other do exactly.
    gaussian = np.array(part["kernels"]["Gaussian on d1"]["distances"])
    assert np.all(np.diff(gaussian[np.argsort(d1)]) >= -1e-3)
    sliced = np.array(part["kernels"]["k_SW"]["distances"])
    assert not np.all(np.diff(sliced[np.argsort(d1)]) >= -1e-3)


def write_category(folder, sphere_points=60):
    """Two labelled balls in the layout of the benchmark."""
    from tests.mesh_samples import sphere

    folder.mkdir(parents=True)
    for number in range(1, 8):
        mesh = sphere(sphere_points, number)
        lines = ["OFF", f"{len(mesh.vertices)} {len(mesh.faces)} 0"]
        lines += [" ".join(map(str, vertex)) for vertex in mesh.vertices]
        lines += [f"3 {a} {b} {c}" for a, b, c in mesh.faces]
        (folder / f"{number}.off").write_text("\n".join(lines))
        upper = mesh.vertices[mesh.faces].mean(axis=1)[:, 2] > 0
        text = ""
        for name, chosen in (("top", upper), ("bottom", ~upper)):
            text += f"{name}\n{' '.join(map(str, np.flatnonzero(chosen) + 1))}\n"
        (folder / f"{number}_labels.txt").write_text(text)


@pytest.mark.parametrize("inside", ["shapes", "."])
def test_shapes_are_read_from_a_folder(tmp_path, inside):
    write_category(tmp_path / "data" / inside / "Fish", 300)
    (task,) = tasks.shape_tasks(tmp_path / "data")
    assert (task.name, task.paper_row, task.p) == ("Fish", "Fish", 5)
    train, test = task.split(0)
    assert len(train) == 5 * 3
    assert len(test) == 2 * 3
    assert task.describe()["split"] == "fixed"
    (named,) = tasks.shape_tasks(tmp_path / "data", ["Fish"], quick=True)
    assert named.paper_row is None
    with pytest.raises(ParameterError, match="no folder for Bird"):
        list(tasks.shape_tasks(tmp_path / "data", ["Fish", "Bird"]))


def test_categories_with_other_parts_than_the_papers_say_so(tmp_path):
    write_category(tmp_path / "Airplane", 120)
    (task,) = tasks.shape_tasks(tmp_path)
    assert "five part labels" in task.notes[0]
    assert SIZES["Airplane"].labels == SIZES["Bird"].labels == 4


def test_textures_are_read_from_a_folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in ("cork", "linen"):
        folder = tmp_path / "textures" / "SET" / name
        folder.mkdir(parents=True)
        for index in range(4):
            pixels = rng.integers(0, 255, (24, 24), dtype=np.uint8)
            Picture.fromarray(pixels).save(folder / f"{index}.png")
    for data in (tmp_path, tmp_path / "textures", tmp_path / "textures" / "SET"):
        photographs, pictures = tasks.texture_tasks(data, quick=True)
        assert photographs.name == "photographs"
        assert (pictures.name, pictures.paper_row) == ("SET", None)
        assert len(pictures.diagrams) == 8
        assert "Not the paper's data" in pictures.notes[0]
    with pytest.raises(ParameterError, match="has no pictures"):
        tasks.picture_folders(tmp_path / "textures" / "SET" / "cork")


def test_outex_is_compared_with_the_paper(tmp_path):
    rng = np.random.default_rng(0)
    folder = tmp_path / "Outex_TC_00000"
    (folder / "images").mkdir(parents=True)
    (folder / "000").mkdir()
    names = [f"{index:06d}.png" for index in range(8)]
    for name in names:
        pixels = rng.integers(0, 255, (24, 24), dtype=np.uint8)
        Picture.fromarray(pixels).save(folder / "images" / name)
    for file, some in (("train", names[::2]), ("test", names[1::2])):
        lines = [str(len(some))] + [f"{n} {i % 2}" for i, n in enumerate(some)]
        (folder / "000" / f"{file}.txt").write_text("\n".join(lines))
    _, task = tasks.texture_tasks(tmp_path, quick=True)
    assert (task.paper_row, task.test_size) == ("Texture", None)
    assert [len(part) for part in task.split(0)] == [4, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["shapes", "--data", "/no/such/folder"], "there is no folder"),
        (["orbit", "--runs", "0"], "from 1 to 1000"),
        (["orbit", "--directions", "many"], "invalid"),
        (["orbit", "--kernels", "RBF"], "invalid choice"),
        (["poetry"], "invalid choice"),
    ],
)
def test_mistakes_end_with_a_message(arguments, message, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        main([*arguments, "--out", str(tmp_path)])
    assert message in f"{stop.value.code}{capsys.readouterr().err}"


def test_interrupted_work_ends_with_a_message(monkeypatch, tmp_path):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("swviz.experiments.command.run_task", interrupt)
    with pytest.raises(SystemExit, match="finished runs are kept"):
        main(["orbit", "--quick", "--out", str(tmp_path)])


def test_a_trial_does_not_take_the_place_of_results(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    main(["tables", "--quick"])
    main(["tables"])
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "results",
        "results-quick",
    ]


def test_the_papers_numbers():
    # Sums of the columns, added up from the paper's source.
    def total(table, key):
        return round(sum(row[key].mean for row in table.values() if key in row), 1)

    assert [total(ACCURACY, key) for key in ("PSS", "PWG", "SW")] == [671, 680.8, 718.9]
    times = ("PSS", "PWG", "SW 6", "SW exact", "SW 10")
    sums = [333.6, 717.8, 897, 3184, 217.6]
    assert [total(GRAM_SECONDS, key) for key in times] == sums
    assert sum(size.train for size in SIZES.values()) == 2827
    assert sum(size.test for size in SIZES.values()) == 8335
    assert set(SIZES) == set(ACCURACY) == set(GRAM_SECONDS)
    assert set(SHAPE_CATEGORIES) == set(SIZES) - {"Orbit", "Texture"}


def test_every_cell_of_the_papers_table_is_there_measured_or_not():
    rows = comparisons(results_of())
    assert not any(row.is_measured for row in rows)
    assert all(row.ours is None and row.difference is None for row in rows)
    compared = {(row.dataset, paper_key(row.label)) for row in rows if row.paper}
    for category in SHAPE_CATEGORIES:
        assert {(category, key) for key in ("SW", "PSS", "PWG")} <= compared
    text = markdown(results_of())
    assert text.count("not measured (") >= 9 * 3


def test_ours_stand_beside_the_papers():
    ours = cell("shapes", "Human", "k_SW", [0.75, 0.77])
    rows = comparisons(results_of(ours))
    (row,) = [row for row in rows if row.is_measured]
    assert (row.ours.mean, row.ours.spread) == (76.0, 1.4)
    assert (row.paper.mean, row.difference) == (74.0, 2.0)
    assert row.command == (
        "python -m swviz.experiments shapes --kernels SW --directions exact "
        "--categories Human --data FOLDER"
    )
    text = markdown(results_of(ours))
    assert "| Human | 76.0 ± 1.4, 2 runs (74.0 ± 0.2) |" in text
    assert "Human: A note." in text
    ten = cell("shapes", "Human", "k_SW", [0.75] * 10)
    assert "75.0 ± 0.0 (74.0 ± 0.2)" in markdown(results_of(ten))


def test_every_command_is_understood():
    from swviz.experiments.command import _parser

    for row in comparisons(results_of(cell("texture", "SET", "k_PSS", [1]))):
        words = row.command.split()
        assert words[:3] == ["python", "-m", "swviz.experiments"]
        options = _parser().parse_args(words[3:])
        assert options.experiment == row.experiment
        assert len(options.kernels) == 1
    assert "--directions" not in command_for("orbit", "100-a-class", "PSS")


def test_dimensions_are_chosen_by_training_alone():
    def runs(dimensions, scores):
        made = cell("orbit", "100-a-class", "k_SW (6)", [a for a, _ in scores])
        for run, (_, cv) in zip(made.runs, scores, strict=True):
            run["cv_accuracy"] = cv
        made.setting["dimensions"] = dimensions
        return made

    both = runs([0, 1], [(0.8, 0.7), (0.6, 0.9)])
    loops = runs([1], [(0.9, 0.6), (0.7, 0.95)])
    parts = runs([0], [(0.5, 0.5)])
    assert chosen_in_training([both, loops]).tolist() == [0.8, 0.7]
    # Only runs that all of them have.
    assert chosen_in_training([both, loops, parts]).tolist() == [0.8]
    rows = comparisons(results_of(both, loops, parts))
    (row,) = [r for r in rows if r.dimensions == CHOSEN and r.is_measured]
    assert row.accuracies.tolist() == [0.8]
    assert chosen_in_training([]).tolist() == []


def test_names_of_folders_cannot_break_the_tables(tmp_path):
    name = "a|b <script>"
    write_cell(
        tmp_path / "texture" / "x" / "pss-h0.json",
        cell("texture", name, "k_PSS", [0.5], dimensions=[0]),
    )
    text = markdown(load_results(tmp_path))
    assert "<script>" not in text
    header, line = re.findall(r"^\| (?:H0|a\\\|b).*$", text, re.M)[:2]
    assert len(re.findall(r"(?<!\\)\|", line)) == header.count("|")


def test_times_are_compared_with_gudhis_and_the_papers():
    seconds = {"SW 10": 0.5, "GUDHI SW 10": 2.0, "SW 10, all": 1.0, "SW exact": 4.0}
    part = {"paper_row": "Airplane", "seconds": seconds}
    text = markdown(results_of(times={"shapes/Airplane": part}))
    line = next(x for x in text.splitlines() if x.startswith("| shapes/Airplane"))
    assert line == (
        "| shapes/Airplane | 0.5 s | 2 s, 4 x | 10 s, 20 x | 10 s, 10 x | 4 s | "
        "44 s, 11 x |  |  |  |"
    )


def test_problems_are_listed(tmp_path):
    folder = tmp_path / "orbit" / "x"
    folder.mkdir(parents=True)
    (folder / "broken.json").write_text("{")
    for name, parts in (("times", [1]), ("distortion", {"shapes/x": {"d1": []}})):
        record = {"format": 1, "parts": parts}
        (tmp_path / f"{name}.json").write_text(json.dumps(record))
    text = markdown(load_results(tmp_path))
    assert "broken.json: cannot be read" in text
    assert "times.json: its parts" in text
    assert "distortion.json: its parts" in text


def test_the_results_of_this_repository_can_be_read():
    folder = Path(__file__).parent.parent / "results"
    results = load_results(folder)
    assert results.problems == ()
    assert {cell.experiment for cell in results.cells} == set(EXPERIMENTS)
    for found in results.cells:
        assert not found.setting["protocol"]["quick"], found.label
        data = found.setting["data"]
        printed = SIZES.get(found.dataset)
        if printed:
            assert (data["train"], data["test"]) == (printed.train, printed.test)
    for path in folder.rglob("*.*"):
        # Folders of the machine that measured have no place here.
        assert not re.search(r"\W/(home|root|tmp|work|Users)/", path.read_text()), path


def test_gudhis_matrix_is_near_ours():
    from swviz import sliced_wasserstein_matrix

    rng = np.random.default_rng(0)
    X = [np.sort(rng.random((9, 2)), axis=1) for _ in range(5)]
    exact = sliced_wasserstein_matrix(X, n_directions="exact")
    theirs = gudhi_distances(X, 200)
    np.testing.assert_allclose(theirs, exact, rtol=0.05, atol=1e-12)


def test_directions_are_measured_by_the_librarys_distances():
    task = next(iter(tasks.orbit_tasks(quick=True)))
    part = direction_study(task, [6, 1, 6], n_pairs=10)
    assert [row["M"] for row in part["rows"]] == [1, 6]
    assert (part["pairs"], part["dimension"]) == (10, 1)
    several = task.diagrams.in_dimension(1)
    pairs = random_pairs(len(several), 10)
    exact = [sliced_wasserstein_exact(several[i], several[j]) for i, j in pairs]
    for row in part["rows"]:
        assert row["seconds"] > 0
        for rule, levels in row["ratio"].items():
            found = [
                sliced_wasserstein(several[i], several[j], row["M"], rule=rule)
                for i, j in pairs
            ]
            expected = np.quantile(np.divide(found, exact), QUANTILES)
            np.testing.assert_allclose(levels, expected, rtol=1e-4)


def test_stored_accuracies_by_directions_are_those_of_their_cells():
    ant = [
        cell("shapes", "Ant", "k_SW", runs, kernel={"n_directions": M})
        for M, runs in ((8, [0.9, 0.8, 0.7]), (2, [0.5, 0.7]), ("exact", [1.0]))
    ]
    wide = cell(
        "orbit", "few", "k_SW", [0.5], kernel={"n_directions": 2}, dimensions=[0, 1]
    )
    narrow = cell("orbit", "few", "k_SW", [0.4], kernel={"n_directions": 4})
    studies = accuracies_by_directions(results_of(*ant, wide, narrow))
    # Of the orbits one number of directions is left, which is no curve.
    assert list(studies) == ["shapes/Ant"]
    study = studies["shapes/Ant"]
    assert study.sizes == (2, 8)
    np.testing.assert_allclose(study.mean, [ant[1].accuracy, ant[0].accuracy])
    np.testing.assert_allclose(study.spread, [ant[1].spread, ant[0].spread])
    assert study.n_samples == 7


def test_pairs_are_different_and_repeatable():
    pairs = random_pairs(10, 20)
    assert len(set(pairs)) == 20
    assert all(0 <= i < j < 10 for i, j in pairs)
    assert pairs == random_pairs(10, 20)
    assert len(random_pairs(4, 100)) == 6
