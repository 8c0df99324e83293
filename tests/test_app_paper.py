import asyncio
import re

import numpy as np
import panel as pn
import pytest
from bokeh.models import SaveTool

from swviz.app.tabs.paper import view as paper_module
from swviz.app.tabs.paper.tables import (
    TABLE_KERNELS,
    accuracy_table,
    summary,
    time_table,
    time_text,
)
from swviz.app.tabs.paper.view import PaperView, dataset_maker
from swviz.app.workspace.state import Workspace
from swviz.experiments import CellResult, Results, comparisons, results
from swviz.experiments.paper_numbers import GRAM_SECONDS
from tests.plot_tools import sent

# Panel's Tabulator calls pandas in a way that pandas 3.1 wants to be rid of.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword")


def cell(experiment, dataset, label, dimensions, accuracies, notes=()):
    setting = {
        "experiment": experiment,
        "dataset": dataset,
        "kernel": {"name": "SW", "label": label},
        "dimensions": list(dimensions),
        "data": {"label": "a few", "train": 7, "test": 3, "classes": ["a", "b"],
                 "split": "fixed"},
    }  # fmt: skip
    runs = tuple(
        {"run": i, "accuracy": a, "cv_accuracy": a, "C": 1.0, "parameters": {},
         "date": "2026-11-16T01:02:03"}
        for i, a in enumerate(accuracies)
    )  # fmt: skip
    return CellResult(setting, notes, runs)


RESULTS = Results(
    (
        cell("shapes", "Human", "k_SW", (1,), [0.75] * 10, ("Five <b>parts</b>.",)),
        cell("shapes", "Ant", "k_SW", (1,), [0.5, 0.5]),
        cell("orbit", "100-a-class", "k_SW (6)", (1,), [0.85, 0.87]),
    ),
    {
        "times": {
            "shapes/Human": {
                "paper_row": "Human",
                "seconds": {"SW 10": 2.0, "SW exact": 10.0, "GUDHI SW 10": 6.0},
            }
        }
    },
    (),
)


@pytest.fixture
def told(monkeypatch):
    messages = []
    monkeypatch.setattr(paper_module, "tell", lambda text, *rest: messages.append(text))
    return messages


def test_cells_show_ours_and_the_papers():
    table = accuracy_table(comparisons(RESULTS))
    human = table[table["data"] == "Human"].iloc[0]
    assert human["k_SW"] == "75.0 ± 0.0 (74.0)"
    assert human["k_PSS"] == "not measured (68.5)"
    ant = table[table["data"] == "Ant"].iloc[0]
    assert ant["k_SW"] == "50.0 ± 0.0 [2] (92.3)"
    orbit = table[(table["data"] == "100-a-class") & (table["dimensions"] == "H1")]
    assert orbit.iloc[0]["k_SW"] == "86.0 ± 1.4 [2] (83.7)"


def test_every_row_of_the_papers_table_is_there_even_if_nothing_was_measured():
    rows = comparisons(Results((), {}, ()))
    table = accuracy_table(rows)
    for name in ("Human", "Fish", "100-a-class", "50-a-class", "OUTEX_TC_00000"):
        line = table[table["data"] == name].iloc[0]
        assert "not measured" in line["k_SW"]
    assert set(TABLE_KERNELS) < set(table.columns)
    assert summary(rows)["orbit"] == "not measured"
    view = PaperView(Results((), {}, ()))
    view.__panel__()


def test_summary_counts_what_is_close_to_the_paper():
    numbers = summary(comparisons(RESULTS))
    assert numbers["shapes"] == "1 of 7"
    assert numbers["orbit"] == "86 ± 1.4 %"
    assert numbers["measured"].startswith("3 of ")


def test_times_are_set_against_the_papers_and_gudhis():
    table = time_table(RESULTS)
    few = table[table["distances"] == "k_SW, M = 10"].iloc[0]
    paper = GRAM_SECONDS["Human"]["SW 10"].mean
    assert few["here"] == "2 s"
    assert few["paper"] == f"{paper:.3g} s · {paper / 2:.3g} ×"
    assert few["GUDHI, same run"] == "6 s · 3 ×"
    exact = table[table["distances"] == "k_SW, exact"].iloc[0]
    assert exact["GUDHI, same run"] == "not measured"


def texts(view):
    return [pane.object for pane in view._details.select(pn.pane.HTML)]


def test_a_line_shows_protocol_notes_and_commands():
    view = PaperView(RESULTS)
    view.select("shapes", "Human", "H1")
    shown = "\n".join(map(str, texts(view)))
    assert "7 diagrams to train, 3 to test" in shown
    assert "2026-11-16" in shown
    # Names and notes may come from strangers.
    assert "Five &lt;b&gt;parts" in shown
    assert "python -m swviz.experiments shapes" in shown
    view.select("shapes", "Fish", "H1")
    assert "Not measured yet." in "\n".join(map(str, texts(view)))


def test_tasks_filter_the_table():
    view = PaperView(RESULTS)
    view.task = "orbit"
    assert set(view.table.value["task"]) == {"orbit"}


def test_data_that_is_not_here_is_explained(told, monkeypatch):
    monkeypatch.delenv("SWVIZ_DATA", raising=False)
    view = PaperView(RESULTS)
    view.select("shapes", "Human", "H1")
    asyncio.run(view.open())
    assert "SWVIZ_DATA" in told[0]


def test_built_in_data_opens_in_the_other_views():
    space = Workspace()
    view = PaperView(RESULTS, workspace=space)
    view.select("texture", "photographs", "H0") if (
        ("texture", "photographs", "H0") in view._groups
    ) else setattr(view, "selected", ("texture", "photographs"))
    asyncio.run(view.open())
    assert (space.source, space.preset) == ("textures", "photographs")
    assert space.tab == "Diagrams"


def test_names_of_results_cannot_leave_the_folder(tmp_path, monkeypatch):
    (tmp_path / "textures" / "pictures").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    monkeypatch.setenv("SWVIZ_DATA", str(tmp_path))
    assert dataset_maker("texture", "pictures") is not None
    assert dataset_maker("texture", "../secret") is None
    assert dataset_maker("texture", "..") is None
    assert dataset_maker("shapes", "pictures") is None
    assert dataset_maker("orbit", "9-a-class") is None


def test_figures_are_drawn_from_the_results():
    view = PaperView(RESULTS)
    ours = sent(view.pictures["differences"], "k_SW")
    assert list(ours["task"]) == ["Human", "Ant"]
    np.testing.assert_allclose(ours["difference"], [75 - 74, 50 - 92.3])


def test_other_data_and_rules_go_into_the_same_figures():
    view = PaperView()
    part = view.results.studies["directions"]
    figure = view.pictures["boxes"].figure
    models = set(figure.references())
    for view.boxes in part:
        for view.rule in ("paper", "diagonal"):
            middle = part[view.boxes]["quantiles"].index(0.5)
            medians = [
                row["ratio"][view.rule][middle] for row in part[view.boxes]["rows"]
            ]
            np.testing.assert_allclose(
                sent(view.pictures["boxes"], "boxes")["median"], medians
            )
    assert view.pictures["boxes"].figure is figure
    assert set(figure.references()) == models


def test_figures_take_the_width_of_their_card_without_a_word(caplog):
    view = PaperView()
    view.rule = "diagonal"
    for name, picture in view.pictures.items():
        assert picture.figure.sizing_mode == "stretch_width", name
        assert len(picture.figure.select(SaveTool)) == 1, name
    assert not [
        record for record in caplog.records if "responsive" in record.getMessage()
    ]


def test_tables_are_as_high_as_their_rows():
    view = PaperView()
    everything = view.table.height
    assert everything > 30 * len(view.table.value)
    assert view.times.height > 30 * len(view.times.value)
    view.task = "texture"
    assert len(view.table.value) < 8
    assert view.table.height < everything / 2


def test_long_times_are_written_out():
    assert time_text(2270.4) == "2,270 s"
    assert time_text(0.19912) == "0.199 s"
    assert time_text(102.3) == "102 s"


def test_python_prints_what_is_shown(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    view = PaperView(task="orbit", rule="diagonal")
    view.select("orbit", "50-a-class", "H1")
    lines = view.as_python()
    assert "import *" not in lines
    exec(compile(lines, "copied", "exec"), {"__name__": "copied"})
    printed = capsys.readouterr().out
    numbers = summary(view.rows)
    assert f"measured {numbers['measured']}" in printed
    assert f"close to the paper: {numbers['shapes'].split()[0]}" in printed
    best = numbers["orbit"].removesuffix(" %")
    assert f"k_SW, orbits: {best} paper 83.7 ± 0.5" in printed
    shown = view.table.value
    assert set(shown["task"]) == {"orbit"}
    assert "Human, H1" not in printed
    for _, line in shown.iterrows():
        ours = re.match(r"([\d.]+) ± ([\d.]+)", line["k_SW"])
        named = f"{line['data']}, {line['dimensions']}, k_SW (6): "
        if ours:
            mean, spread = map(float, ours.groups())
            assert f"{named}{mean:g} ± {spread:g} (83.7 ± 0.5)" in printed
        else:
            assert f"{named}None (83.7 ± 0.5)" in printed
    assert "python -m swviz.experiments orbit --kernels SW --directions 6" in printed
    for _, line in view.times.value.iterrows():
        name = "SW " + line["distances"].split(", ")[1].removeprefix("M = ")
        seconds = line["here"].replace(",", "")
        assert f"{line['data']}, {name}: {seconds}" in printed
        factor = line["paper"].split(" · ")[1]
        assert re.search(
            re.escape(f"{line['data']}, {name}: {seconds}; paper ") + r"[^\n]*, "
            + re.escape(factor), printed)  # fmt: skip
    rows = view.results.studies["directions"][view.boxes]["rows"]
    assert str(rows[0]["ratio"]["diagonal"]) in printed
    assert "distance in k_SW [" in printed


def test_python_without_results_still_runs(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(results, "results_folder", lambda: tmp_path)
    lines = PaperView(Results((), {}, ())).as_python()
    exec(compile(lines, "copied", "exec"), {"__name__": "copied"})
    assert "measured 0 of" in capsys.readouterr().out
