"""The Paper view: the paper's tables and figures beside what this code measures."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import JobCancelled, digest
from swviz.app.runtime.session import in_document, tell
from swviz.app.runtime.task import Task
from swviz.app.tabs.paper.tables import (
    TOLERANCE,
    accuracy_table,
    by_dataset,
    summary,
    time_table,
)
from swviz.app.ui.copying import copy_button
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.pictures import Picture
from swviz.app.ui.tables import table
from swviz.app.ui.theme import (
    card,
    cell,
    flow,
    grid,
    lead,
    plain_text,
    plot_pane,
    stack,
    stat,
)
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.listing import literal
from swviz.app.workspace.state import Workspace, title_of
from swviz.app.workspace.tab_view import TabView
from swviz.diagrams import DiagramSet
from swviz.experiments import (
    Comparison,
    Results,
    comparisons,
    figures,
    load_results,
    results_folder,
)
from swviz.experiments.paper_numbers import SHAPE_CATEGORIES
from swviz.sources import shapes, textures

DATA_VARIABLE = "SWVIZ_DATA"
"""Environment variable of the server: a folder with data that is not ours to ship."""

_BUILT_IN: dict[tuple[str, str], tuple[str, str, dict[str, Any]]] = {
    ("orbit", "100-a-class"): ("orbits", "paper", {}),
    ("orbit", "50-a-class"): ("orbits", "paper", {"n_orbits": 50}),
    ("texture", "photographs"): ("textures", "photographs", {}),
    ("shapes", "figure"): ("shapes", "figure", {}),
}
"""Data sets of the experiments that a source makes: source, preset and changes."""

_TABLE: dict[str, Any] = {
    # Widths that do not depend on the cells: these are not there to be measured when
    # the tab is shown again. Narrower, the table scrolls.
    "layout": "fit_columns",
    "widths": {"data": 132, "dimensions": 124},
    "hidden_columns": ["task"],
    "configuration": {"columnDefaults": {"minWidth": 128}},
    # As text, 100.0 would come before 62.5.
    "sortable": False,
    "stylesheets": [
        ".tabulator .tabulator-cell { font-size: 12.5px; padding: 4px 6px; }"
        ".tabulator .tabulator-col-title { font-size: 13px; }"
    ],
}

_HEADER, _ROW, _SCROLLBAR = 46, 36, 18
"""Heights of a table's parts in pixels."""

_TALL = 380
"""Height of a figure, with its legend below it."""

_HELP = """
**Table 2** of the paper, cell by cell: accuracy in percent measured with this code,
mean ± standard deviation over ten runs, and the paper's in parentheses. A cell that
has not been measured says so. Click a line for its protocol, what differs from the
paper, the command that measures it and, where the data is at hand, to open it in the
other views.

**Table 3**: seconds for all distances of a training set, and how many times as long the
paper's machine and GUDHI (in the same run, on the same data) took.

**Figure 5**: accuracy, time and SW<sub>M</sub> / SW by the number of directions.
**Figure 6**: what each kernel does to the metric d<sub>1</sub>.

The shape categories are the Princeton Segmentation Benchmark, the pictures OUTEX and
KTH-TIPS: not ours to ship. Start the app with the variable SWVIZ_DATA naming a folder
that has them, and their lines open like the others.
"""


class PaperView(TabView):
    """Stored results beside the paper's numbers.

    Parameters
    ----------
    results : Results, optional
        By default those that come with swviz.
    workspace : Workspace, optional
        Where a line's data set is opened.
    **params
        Further parameters of the view, and `controls`: whether a cell of a notebook
        shows the sidebar beside it.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    task = param.Selector(default="all", objects=["all", "shapes", "orbit", "texture"])
    boxes = param.Selector(default=None, objects=[None], label="Data")
    rule = param.Selector(
        default="paper", objects=["paper", "diagonal"], label="Direction rule"
    )
    pairs = param.Selector(default=None, objects=[None], label="Data")

    def __init__(
        self,
        results: Results | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        super().__init__(workspace=workspace or Workspace(), **params)
        self.results = _own_results() if results is None else results
        self.rows = comparisons(self.results)
        self._making = Task()
        self.jobs = JobBar(self._making)
        self._groups = by_dataset(self.rows)
        self.table = _make_table(self._accuracies())
        self.table.on_click(self._clicked)
        self.times = _make_table(time_table(self.results))
        self._details = stack()
        for name, study in (("boxes", "directions"), ("pairs", "distortion")):
            keys: list[str | None] = [*self.results.studies.get(study, {})]
            keys = keys or [None]
            self.param[name].objects = keys
            with param.discard_events(self):
                setattr(self, name, keys[0])
        self.pictures = self._draw()
        self._select_first()

    def close(self) -> None:
        """Stop computing."""
        self._making.forget()
        super().close()

    def stills(self) -> list[Any]:
        """Draw Table 2 and Figure 5."""
        return [
            figures.accuracy_differences(self.results),
            figures.ratio_boxes(*self._of_boxes()),
        ]

    # -- tables ---------------------------------------------------------------------

    def _accuracies(self) -> pd.DataFrame:
        rows = [row for row in self.rows if self.task in ("all", row.experiment)]
        return accuracy_table(rows)

    @param.depends("task", watch=True)
    def _filter(self) -> None:
        found = self._accuracies()
        self.table.param.update(value=found, height=_height(found))

    def _clicked(self, event: Any) -> None:
        line = self.table.value.iloc[event.row]
        self.select(str(line["task"]), str(line["data"]), str(line["dimensions"]))

    def _select_first(self) -> None:
        measured = [row for row in self.rows if row.is_measured] or self.rows
        if measured:
            first = measured[0]
            self.select(first.experiment, first.dataset, first.dimensions)

    def select(self, experiment: str, dataset: str, dimensions: str) -> None:
        """Show all that is known of a line of the table.

        Parameters
        ----------
        experiment, dataset, dimensions : str
            As in the table.
        """
        group = self._groups[experiment, dataset, dimensions]
        self.selected = (experiment, dataset)
        self.line = (experiment, dataset, dimensions)
        parts: list[Any] = [
            plain_text(f"{dataset}, {dimensions}", font_weight="700", font_size="1rem")
        ]
        notes = dict.fromkeys(note for row in group for note in row.notes)
        parts += [plain_text(note) for note in (_about(self.results, group), *notes)]
        commands = dict.fromkeys(row.command for row in group)
        parts.append(plain_text("Measured by", font_weight="600"))
        parts += [
            flow(
                plain_text(
                    command,
                    sizing_mode=None,
                    font_family="monospace",
                    font_size="0.82rem",
                    align_self="center",
                ),
                copy_button(command),
                gap=0,
            )
            for command in commands
        ]
        opener = pmui.Button(
            label="Open this data in the other views",
            icon="open_in_new",
            variant="outlined",
            size="small",
            margin=(8, 12),
        )
        opener.on_click(self.open)
        self._details.objects = [*parts, opener, self.jobs]

    async def open(self, _event: object = None) -> None:
        """Make the selected line's data set and show it."""
        experiment, dataset = self.selected
        found = dataset_maker(experiment, dataset)
        if found is None:
            tell(
                f"{dataset} is not ours to ship. Start the app with the variable "
                f"{DATA_VARIABLE} naming a folder that holds it, or upload your own "
                "copy in Diagrams.",
                "info",
            )
            return
        make, title, source = found
        try:
            data = await self._making.compute(
                make, digest("paper", title), f"Making {title}"
            )
        except JobCancelled:
            tell("Cancelled; the data set on show is unchanged.", "info", 4)
            return
        in_document(partial(self._show, data, title, source))

    def _show(
        self, data: DiagramSet, title: str, source: tuple[str, str, dict[str, Any]]
    ) -> None:
        self.workspace.use(data, title, *source)
        self.workspace.tab = "Diagrams"

    # -- figures --------------------------------------------------------------------

    def _draw(self) -> dict[str, Picture]:
        draw: dict[str, tuple[Callable[..., Any], *tuple[Any, ...]]] = {
            "differences": (figures.accuracy_differences, self.results),
            "accuracy": (figures.accuracy_by_directions, self.results),
            "time": (figures.time_by_directions, self.results),
            "boxes": (figures.ratio_boxes, *self._of_boxes()),
            "distortion": (figures.distortion, *self._of_pairs()),
        }
        return {
            # Beside one another, long names would leave no room.
            name: Picture(
                *asked, filename=name, height=_TALL, of=self.results, legend_cols=2
            )
            for name, asked in draw.items()
        }

    def _of_boxes(self) -> tuple[Results, str, str]:
        return self.results, self.boxes or "", self.rule

    def _of_pairs(self) -> tuple[Results, str]:
        return self.results, self.pairs or ""

    @param.depends("boxes", "rule", watch=True)
    def _draw_boxes(self) -> None:
        self.pictures["boxes"].show(*self._of_boxes())

    @param.depends("pairs", watch=True)
    def _draw_distortion(self) -> None:
        self.pictures["distortion"].show(*self._of_pairs())

    def as_python(self) -> str:
        """Return the lines that print the numbers on show from the stored results."""
        chosen = literal(self.line)
        filtered = "" if self.task == "all" else f" if row.experiment == {self.task!r}"
        return "\n".join(
            [
                "import numpy as np",
                "from swviz.experiments import comparisons, load_results",
                "from swviz.experiments.paper_numbers import GRAM_SECONDS",
                "",
                "results = load_results()  # those that come with swviz",
                "rows = comparisons(results)",
                "",
                "close = [",
                "    row for row in rows",
                '    if row.experiment == "shapes" and row.label == "k_SW"',
                f"    and row.difference is not None and row.difference >= "
                f"{literal(-TOLERANCE)}",
                "]",
                'print("k_SW, shapes close to the paper:", len(close))',
                "orbit = [",
                "    row for row in rows",
                '    if row.experiment == "orbit" and row.label == "k_SW (6)"',
                "    and row.is_measured",
                "]",
                "for row in sorted(orbit, key=lambda row: row.ours.mean)[-1:]:",
                '    print("k_SW, orbits:", row.ours, "paper", row.paper)',
                "with_paper = [row for row in rows if row.paper is not None]",
                "measured = [row for row in with_paper if row.is_measured]",
                'print("measured", len(measured), "of", len(with_paper))',
                "",
                "# Table 2",
                f"for row in [row for row in rows{filtered}]:",
                "    print(row.dataset, row.dimensions, row.label, sep=', ', end=': ')",
                '    print(row.ours, f"({row.paper}),", len(row.accuracies), "runs")',
                "",
                "# The chosen line",
                "for row in rows:",
                "    if (row.experiment, row.dataset, row.dimensions) == (",
                f"        {chosen[1:-1]}",
                "    ):",
                '        print(row.label, row.command, *row.notes, sep="\\n")',
                "",
                "# Table 3",
                'for key, part in results.studies.get("times", {}).items():',
                '    paper = GRAM_SECONDS.get(str(part.get("paper_row")), {})',
                '    for name, seconds in part["seconds"].items():',
                '        print(f"{key}, {name}: {seconds:.3g} s", end="")',
                "        if name in paper:",
                "            factor = paper[name].mean / seconds",
                '            print(f"; paper {paper[name].mean:g} s, {factor:.3g} ×", '
                'end="")',
                "        print()",
                "",
                "# Figure 5",
                'for key, part in results.studies.get("directions", {}).items():',
                '    M, seconds = zip(*[(r["M"], r["seconds"]) for r in part["rows"]])',
                '    print(key, "M", M, "seconds", np.array(seconds))',
                *self._study_lines(),
                "",
            ]
        )

    def _study_lines(self) -> list[str]:
        """Return lines for the figures whose data can be chosen."""
        lines = []
        if self.boxes is not None:
            lines += [
                f'for row in results.studies["directions"][{self.boxes!r}]["rows"]:',
                f'    print(row["M"], "SW_M / SW", row["ratio"][{self.rule!r}])',
            ]
        if self.pairs is not None:
            lines += [
                "",
                "# Figure 6",
                f'part = results.studies["distortion"][{self.pairs!r}]',
                'print("d1", np.array(part["d1"]))',
                'for name, found in part["kernels"].items():',
                '    print("distance in", name, np.array(found["distances"]))',
            ]
        return lines

    # -- layout ---------------------------------------------------------------------

    def __panel__(self) -> pn.Column:
        numbers = summary(self.rows)
        plots = {name: plot_pane(one.figure) for name, one in self.pictures.items()}
        choose: dict[str, Any] = {"size": "small", "width": 210, "margin": (4, 10)}
        return stack(
            lead(
                "**The paper's claims, measured again** with this code on real data.",
                "",
                "Section 4",
                _HELP,
            ),
            grid(
                *(
                    cell(stat(*texts), sm=4)
                    for texts in (
                        (
                            "k_SW on the seven shape categories",
                            numbers["shapes"],
                            f"at most {TOLERANCE:g} points below the paper",
                        ),
                        ("k_SW on orbits", numbers["orbit"], numbers["orbit_note"]),
                        (
                            "Cells measured that the paper has",
                            numbers["measured"],
                            "the others say that they are not",
                        ),
                    )
                ),
            ),
            card(
                pmui.RadioButtonGroup.from_param(
                    self.param.task, label="Task", size="small", margin=(2, 8)
                ),
                self.table,
                title="Table 2: accuracy in percent over ten runs [or so many], and "
                "(the paper's)",
            ),
            card(self._details, title="The chosen line"),
            card(
                self.times,
                title="Table 3: time for all distances of a training set, and how "
                "many times ours the others take",
            ),
            grid(
                cell(
                    card(plots["differences"], title="Table 2 as a picture"),
                ),
                cell(
                    card(
                        plots["accuracy"],
                        title="Figure 5, first row: accuracy by directions",
                    ),
                    md=6,
                ),
                cell(
                    card(
                        plots["time"],
                        title="Figure 5, second row: time by directions",
                    ),
                    md=6,
                ),
                cell(
                    card(
                        flow(
                            pmui.Select.from_param(self.param.boxes, **choose),
                            pmui.Select.from_param(self.param.rule, **choose),
                        ),
                        plots["boxes"],
                        title="Figure 5, third row: approximate over exact distance",
                    ),
                    md=6,
                ),
                cell(
                    card(
                        pmui.Select.from_param(self.param.pairs, **choose),
                        plots["distortion"],
                        title="Figure 6: what the kernels do to the metric",
                    ),
                    md=6,
                ),
            ),
            *(
                [
                    card(
                        *(plain_text(problem) for problem in self.results.problems),
                        title="Files that could not be read",
                    )
                ]
                if self.results.problems
                else []
            ),
        )


def _own_results() -> Results:
    """Return the results that come with swviz: the same for all sessions.

    They share the figures drawn from them, too. New ones may come while a server runs.
    """
    files = sorted(results_folder().rglob("*.json"))
    return _read_results(tuple((path, path.stat().st_mtime_ns) for path in files))


@lru_cache(maxsize=1)
def _read_results(_files: tuple[tuple[Path, int], ...]) -> Results:
    return load_results()


def _make_table(rows: pd.DataFrame) -> pn.widgets.Tabulator:
    return table(rows, height=_height(rows), **_TABLE)


def _height(rows: pd.DataFrame) -> int:
    """Return the height of a table that shows all rows and has none to scroll to.

    Left to itself, Tabulator takes another height whenever its tab is shown again
    than the card around it.
    """
    return _HEADER + _ROW * len(rows) + _SCROLLBAR


def dataset_maker(
    experiment: str, dataset: str
) -> tuple[Callable[..., DiagramSet], str, tuple[str, str, dict[str, Any]]] | None:
    """Return what makes the data set of a line.

    Returns
    -------
    make : callable
        Takes `progress`.
    title : str
    source : (str, str, dict)
        For :meth:`swviz.app.workspace.state.Workspace.use`.

        None instead of all, if the data is not on this machine.
    """
    if (experiment, dataset) in _BUILT_IN:
        asked = _BUILT_IN[experiment, dataset]
        return recipe(*asked), title_of(*asked), asked
    named = os.environ.get(DATA_VARIABLE, "")
    kinds: dict[str, tuple[Callable[..., DiagramSet], Any]] = {
        "shapes": (shapes, SHAPE_CATEGORIES),
        "texture": (textures, None),
    }
    if not named or experiment not in kinds:
        return None
    make, known = kinds[experiment]
    folder = Path(named) / ("shapes" if experiment == "shapes" else "textures")
    path = folder / dataset
    # A name from a results file may only lead to a folder inside of the data.
    inside = path.name == dataset and path.resolve().parent == folder.resolve()
    if not inside or not path.is_dir() or (known and dataset not in known):
        return None
    return partial(make, path), dataset, ("upload", "", {})


def _about(results: Results, group: list[Comparison]) -> str:
    """Say what the data is, and when and with how many runs it was measured."""
    for row in group:
        for measured in results.cells:
            if (measured.experiment, measured.dataset) != (row.experiment, row.dataset):
                continue
            about = measured.setting.get("data") or {}
            dates = sorted(str(run.get("date", ""))[:10] for run in measured.runs)
            when = f", {dates[-1]}" if dates and dates[-1] else ""
            return (
                f"{about.get('label', row.dataset)}: {about.get('train')} diagrams to "
                f"train, {about.get('test')} to test, {len(about.get('classes', ()))} "
                f"classes; split {about.get('split')}{when}."
            )
    return "Not measured yet."
