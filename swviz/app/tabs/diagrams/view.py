"""The Diagrams tab: where diagrams come from, and how to read them."""

from __future__ import annotations

import tempfile
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import ColumnDataSource, Span

from swviz import plot
from swviz.app.runtime.task import Task
from swviz.app.tabs.diagrams.drawing import DrawingBoard
from swviz.app.tabs.diagrams.gallery import Gallery, summary_table
from swviz.app.tabs.diagrams.generator import Generator
from swviz.app.tabs.diagrams.origins import OriginPane
from swviz.app.tabs.diagrams.uploads import Uploader
from swviz.app.ui.plots import (
    add_downloads,
    add_points,
    barcode,
    columns,
    dress,
    empty_plane,
    place_legend,
)
from swviz.app.ui.tables import no_formula, table
from swviz.app.ui.theme import (
    card,
    cell,
    grid,
    label,
    lead,
    plain_text,
    plot_pane,
    stack,
)
from swviz.app.workspace.class_means import means_lines, names_of_means
from swviz.app.workspace.keeping import ENDING, pack
from swviz.app.workspace.links import remember, unwatch
from swviz.app.workspace.listing import literal
from swviz.app.workspace.state import Workspace
from swviz.app.workspace.tab_view import TabView
from swviz.diagrams import Diagram, DiagramSet
from swviz.files import save
from swviz.plot.places import plane_span
from swviz.plot.theme import ACCENT, STYLES

_FEATURES = {0: "Components", 1: "Loops", 2: "Voids"}

_HELP = """
**A persistence diagram** lists the features of a shape - components, loops, voids -
while a threshold t grows: each is born at one level and dies at a later one. It is
drawn as the point (birth, death) above the diagonal, or as the bar from birth to death.
Points far from the diagonal live long.

**The first card** makes data sets, reads your files (csv, txt, npy, npz, json, GUDHI's
.pers) or lets you draw two diagrams. **The row below** shows what A and B were computed
from, their diagrams and their barcodes, all cut at the level t. Hover over a bar and
its point lights up, and the other way round.

Things to try:

- Move the level: balls grow around a cloud, the sublevel set of a function or a picture
  fills. Count the bars that the line crosses.
- Generate *Functions on a line · figure 1*: the paper's first figure.
- Click a diagram in the gallery, or the mean of a class at the head of its row: it
  becomes A or B, as the switch above it says.
- Change the homology dimension in the sidebar.

The set can be saved as npz or csv from the sidebar, each plot from its toolbar.
"""


_MEANS_PRINTED = [
    'print("mean of a class, points, longest, second longest")',
    'for name, D in zip(data.class_names or ["all"], *means.diagrams.values()):',
    "    length = np.sort(np.append(D[:, 1] - D[:, 0], [0, 0]))[::-1]",
    '    print("mean of " + name, len(D), *length[:2], sep=", ")',
]

_WAYS = ("Generate", "Upload", "Draw your own")


def eventful_level(A: Diagram, B: Diagram) -> float:
    """Return a level at which there is something to see.

    Parameters
    ----------
    A, B : ndarrays of shape (n, 2) and (m, 2)

    Returns
    -------
    float
        The middle of the longest life in A, or in B if A is empty.
    """
    low, high = plane_span(A, B)
    diagram = A if len(A) else B
    if not len(diagram):
        return (low + high) / 2
    life = np.diff(diagram, axis=1)[:, 0]
    return float(np.clip(diagram[life.argmax()].mean(), low, high))


class DiagramView(TabView):
    """A pair of diagrams beside what they were computed from, and the whole set.

    Parameters
    ----------
    D : DiagramSet, optional
        Shown in a workspace of its own.
    workspace : Workspace, optional
        Of a session; the built-in data set by default.
    **params
        Further parameters of the view, and `controls`: whether a cell of a notebook
        shows the sidebar beside it.
    """

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    title_a = param.String(default="", doc="Name of the sample that A is.")
    title_b = param.String(default="", doc="Name of the sample that B is.")
    level = param.Number(default=0.0, doc="Where in the filtration the origins stand.")
    way = param.Selector(
        default=_WAYS[0], objects=list(_WAYS), doc="To get a data set, on show."
    )

    def __init__(
        self,
        D: DiagramSet | None = None,
        *,
        workspace: Workspace | None = None,
        **params: Any,
    ) -> None:
        if workspace is None:
            workspace = Workspace.of_set(D, tab="Diagrams")
        super().__init__(workspace=workspace, **params)
        self.sources = {name: ColumnDataSource() for name in "AB"}
        self.origins = {name: OriginPane(STYLES[name]["fill_color"]) for name in "AB"}
        self._build_figures()
        self.slider = pmui.FloatSlider(
            label="Level t", start=0, end=1, step=0.001, sizing_mode="stretch_width"
        )
        self._alive = plain_text("", font_size="0.875rem")
        self.table = table(
            summary_table(workspace.dataset, workspace.dimension),
            page_size=10,
            layout="fit_columns",
        )
        self.gallery = Gallery(workspace)
        self.generator = Generator(workspace)
        self.uploader = Uploader(workspace)
        self.board = DrawingBoard(workspace)
        self.controls = self._downloads()
        self._show_pair()
        self._show_origins()
        self._watchers = [
            workspace.param.watch(
                self._follow,
                [
                    *("diagram_a", "diagram_b", "dataset", "index_a", "index_b"),
                    *("edited", "called"),
                ],
            ),
            workspace.param.watch(self._show_table, ["dataset", "dimension"]),
        ]
        self.slider.param.watch(self._slide, "value")
        self.table.on_click(self._row_clicked)
        self.param.watch(self._follow_level, "level")
        self._watchers.append(
            remember(self, workspace, "diagrams", ["level", "way"], self._is_usual)
        )

    @property
    def tasks(self) -> list[Task]:
        """What the view computes by itself."""
        return [self.gallery.finding]

    def close(self) -> None:
        """Stop following the workspace."""
        unwatch(self._watchers)
        self.gallery.close()
        self.generator.close()
        super().close()

    def stills(self) -> list[Any]:
        """Draw the pair and its bars."""
        A, B = self.workspace.pair
        return [plot.diagram(A, B, level=self.level), plot.barcode(A, B, self.level)]

    def _build_figures(self) -> None:
        self.plane = empty_plane(0, 1, max_width=700)
        for name, source in self.sources.items():
            add_points(self.plane, name, source)
        place_legend(self.plane)
        self.bars = barcode(self.sources, sizing_mode="stretch_width", height=400)
        self._cuts = [
            Span(dimension=dimension, line_color=ACCENT, line_dash="dashed", location=0)
            for dimension in ("height", "width", "height")
        ]
        for figure, filename in ((self.plane, "diagrams"), (self.bars, "barcodes")):
            dress(figure)
            add_downloads(figure, filename)
        self.plane.add_layout(self._cuts[0])
        self.plane.add_layout(self._cuts[1])
        self.bars.add_layout(self._cuts[2])

    def __panel__(self) -> pn.Column:
        self._ways = stack(stack(self.generator))
        self._way_of = {0: self._ways[0]}
        choice = pmui.TabMenu(
            items=[{"label": name} for name in _WAYS], active=0, margin=(0, 0, 6, 0)
        )
        choice.param.watch(self._way_chosen, "active")
        choice.param.watch(self._name_way, "active")
        self.param.watch(
            lambda event: choice.param.update(active=_WAYS.index(event.new)), "way"
        )
        choice.active = _WAYS.index(self.way)
        return stack(
            lead(
                "**Every feature is a point and a bar.** Move the level t and see "
                "which are alive.",
                r"\mathrm{Dg} = \{(b_i, d_i)\},\; b_i \le d_i",
                "Section 2.1",
                _HELP,
            ),
            card(choice, self._ways),
            grid(
                cell(self._origin_card(), md=4),
                cell(
                    card(
                        plot_pane(self.plane),
                        self.slider,
                        self._alive,
                        title="Diagrams A and B, cut at the level t",
                    ),
                    md=4,
                ),
                cell(
                    card(
                        plot_pane(self.bars),
                        title="Barcodes: A above, B below",
                    ),
                    md=4,
                ),
            ),
            card(self.gallery, title="The set by class"),
            card(self.table, title="The set in numbers"),
        )

    def _way_chosen(self, event: Any) -> None:
        """Show one way to get diagrams; each is made when it is first chosen.

        Tabs of Material UI would build the figure to draw in while it is hidden, and
        measure it wrongly.
        """
        # Kept by number: a column holds what a view draws, not the view itself.
        new = event.new not in self._way_of
        if new:
            chosen = (self.generator, self.uploader, self.board)[event.new]
            self._way_of[event.new] = stack(chosen)
        for number, part in self._way_of.items():
            part.visible = number == event.new
        if new:
            self._ways.append(self._way_of[event.new])

    def _name_way(self, event: Any) -> None:
        self.way = _WAYS[event.new]

    def _origin_card(self) -> pn.Column:
        parts: list[Any] = []
        for name, mark in (("A", "●"), ("B", "◆")):
            marked = plain_text(
                mark,
                margin=(2, 0),
                sizing_mode=None,
                color=STYLES[name]["fill_color"],
            )
            title = plain_text(self.param[f"title_{name.lower()}"], font_weight="600")
            parts.append(pn.Row(marked, title, margin=0))
            parts.append(self.origins[name])
        return card(*parts, title="What they were computed from")

    def _downloads(self) -> list[Any]:
        buttons = [
            pmui.FileDownload(
                callback=getattr(self, f"as_{ending}"),
                filename=f"diagrams.{ending}",
                label=f"Download {ending}",
                size="small",
                margin=(6, 12),
            )
            for ending in ("npz", "csv")
        ]
        everything = pmui.FileDownload(
            callback=self.as_workspace,
            filename=f"workspace{ENDING}",
            label="Download workspace",
            size="small",
            margin=(6, 12),
        )
        return [label("This data set"), *buttons, label("Everything"), everything]

    def as_workspace(self) -> StringIO:
        """Return data, pair, settings and runs of the session as one file."""
        return StringIO(pack(self.workspace))

    def as_npz(self) -> BytesIO:
        """Return the data set as the content of an npz file."""
        return _written(self.workspace.dataset, "npz")

    def as_csv(self) -> BytesIO:
        """Return the data set as the content of a csv file."""
        data = self.workspace.dataset
        labels = data.labels
        if labels is not None and labels.dtype.kind in "UO":
            labels = [no_formula(str(label)) for label in labels]
        names = [no_formula(name) for name in data.names]
        harmless = DiagramSet(data.diagrams, labels, names, data.provenance)
        return _written(harmless, "csv")

    def as_python(self) -> str:
        """Return the lines that print what the tab counts and measures."""
        space = self.workspace
        has_means = self.gallery.all_means is not None
        names = names_of_means(space.dataset) if has_means else []
        pair = []
        for name, index in (("A", space.index_a), ("B", space.index_b)):
            if space.called.get(name) in names:
                number = names.index(space.called[name])
                pair.append(f"{name} = means.in_dimension({space.dimension})[{number}]")
            elif space.is_edited(name) or index >= len(space.dataset):
                points = literal(self._pairs()[name])
                pair.append(f"{name} = np.array({points}).reshape(-1, 2)")
            else:
                pair.append(f"{name} = diagrams[{index}]")
        return "\n".join(
            [
                "import numpy as np",
                "import swviz as sw",
                "",
                *space.data_lines(),
                *(means_lines([space.dimension]) if has_means else []),
                *pair,
                f"t = {literal(self.level)}",
                "",
                'print(len(data), "diagrams,", len(data.classes), "classes,",',
                '      sum(map(len, diagrams)), "points")',
                'for name, D in (("A", A), ("B", B)):',
                "    alive = (D[:, 0] <= t) & (t < D[:, 1])",
                '    print(name, "has", len(D), "points, alive at t:", alive.sum())',
                'print("sample, points, total persistence, longest, median")',
                "for name, D in zip(data.names, diagrams):",
                "    length = D[:, 1] - D[:, 0]",
                "    median = np.median(length) if len(D) else 0.0",
                "    longest = length.max(initial=0.0)",
                '    print(name, len(D), length.sum(), longest, median, sep=", ")',
                *(_MEANS_PRINTED if has_means else []),
                "",
            ]
        )

    def _pairs(self) -> dict[str, Diagram]:
        return {"A": self.workspace.diagram_a, "B": self.workspace.diagram_b}

    def _follow(self, *_events: object) -> None:
        # In this order: a change of data overtakes a new figure on its way to the
        # browser, so nothing may be changed in it after it has been added.
        self._show_pair()
        self._show_origins()

    def _show_pair(self) -> None:
        """Bring points and bars to the workspace's pair."""
        pair = self._pairs()
        low, high = plane_span(*pair.values())
        for name, diagram in pair.items():
            self.sources[name].data = columns(diagram, above=name == "A")
        for axis in (self.plane.x_range, self.plane.y_range):
            axis.update(start=low, end=high, reset_start=low, reset_end=high)
        self.bars.x_range.update(start=low, end=high)
        most = {name: len(diagram) + 1 for name, diagram in pair.items()}
        self.bars.y_range.update(start=-most["B"], end=most["A"])
        self._usual_level = eventful_level(pair["A"], pair["B"])
        self.slider.param.update(
            start=low, end=high, step=(high - low) / 500, value=self._usual_level
        )
        self._slide()

    def _show_origins(self) -> None:
        space = self.workspace
        origins = space.dataset.origins
        for name, index in (("A", space.index_a), ("B", space.index_b)):
            is_sample = not (space.is_edited(name) or name in space.called)
            known = origins is not None and len(origins) > index and is_sample
            self.origins[name].show(
                origins[index] if known else None, self.level, space.dataset.provenance
            )
            title = f"{name} · {space.name_of(name)}"
            self.param.update(**{f"title_{name.lower()}": title})

    def _show_table(self, *_events: object) -> None:
        space = self.workspace
        self.table.value = summary_table(space.dataset, space.dimension)

    def _slide(self, *_events: object) -> None:
        """Cut everything at the level of the slider."""
        self.level = t = self.slider.value
        for cut in self._cuts:
            cut.location = t
        for origin in self.origins.values():
            origin.set_level(t)
        alive = {
            name: int(((diagram[:, 0] <= t) & (t < diagram[:, 1])).sum())
            for name, diagram in self._pairs().items()
        }
        what = _FEATURES.get(self.workspace.dimension, "Features")
        self._alive.object = f"{what} alive at t: {alive['A']} of A, {alive['B']} of B"

    def _follow_level(self, *_events: object) -> None:
        """Bring the slider to a level that a link asks for."""
        if self.level != self.slider.value:
            within = min(max(self.level, self.slider.start), self.slider.end)
            self.level = self.slider.value = within

    def _is_usual(self, name: str) -> bool:
        usual = {"level": self._usual_level, "way": _WAYS[0]}
        return bool(getattr(self, name) == usual[name])

    def _row_clicked(self, event: Any) -> None:
        self.gallery.choose(event.row)


def _written(dataset: DiagramSet, ending: str) -> BytesIO:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"diagrams.{ending}"
        save(dataset, path)
        return BytesIO(path.read_bytes())
