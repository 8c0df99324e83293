"""The Approximation tab: how many directions are enough."""

from __future__ import annotations

from typing import Any

import panel as pn
import param

from swviz import plot
from swviz.app.runtime.task import Task
from swviz.app.tabs.approximation.layout import lay_out, make_controls
from swviz.app.tabs.approximation.listing import accuracy_lines, pair_lines, set_lines
from swviz.app.tabs.approximation.of_pair import PairMeasurements
from swviz.app.tabs.approximation.of_set import SetMeasurements
from swviz.app.workspace.listing import literal
from swviz.app.workspace.state import Workspace
from swviz.app.workspace.tab_view import TabView
from swviz.diagrams import DiagramSet

TAB = "Approximation"


class ApproximationView(TabView):
    """SW_M against SW, for a pair and for a set: error, time and accuracy by M.

    Parameters
    ----------
    D : DiagramSet, optional
        Shown in a workspace of its own.
    workspace : Workspace, optional
        Of a session; the built-in data set by default.
    only_when_open : bool, default=False
    controls : bool, default=False
        Whether a cell of a notebook shows the sidebar beside the view.
    **samples
        Sizes and seed of the samples, and the tolerance: see
        :class:`swviz.app.tabs.approximation.of_set.SetMeasurements`.

    Attributes
    ----------
    pair : PairMeasurements
    set : SetMeasurements

    Notes
    -----
    In a session and in a notebook it computes by itself. In a script,
    ``asyncio.run(view.ready())`` does it.
    """

    only_when_open = param.Boolean(
        default=False, doc="Whether to compute only while the page shows this tab."
    )

    def __init__(
        self,
        D: DiagramSet | None = None,
        *,
        workspace: Workspace | None = None,
        only_when_open: bool = False,
        controls: bool = False,
        **samples: Any,
    ) -> None:
        if workspace is None:
            workspace = Workspace.of_set(D)
        super().__init__(controls=controls, only_when_open=only_when_open)
        self.workspace = workspace
        self.pair = PairMeasurements(workspace, self._is_open)
        self.set = SetMeasurements(workspace, self._is_open, **samples)
        self.controls = make_controls(self)

    def __panel__(self) -> pn.Column:
        return lay_out(self)

    def _is_open(self) -> bool:
        return not self.only_when_open or self.workspace.tab == TAB

    @property
    def tasks(self) -> list[Task]:
        """What the view computes by itself."""
        return [self.pair.measuring, self.set.measuring]

    def stills(self) -> list[Any]:
        """Draw what has been measured of the pair and of the set."""
        drawn = []
        if self.pair.study is not None:
            drawn.append(plot.error(self.pair.study))
        if self.set.ratios is not None:
            drawn.append(plot.ratios(self.set.ratios, self.workspace.rule))
        return drawn or super().stills()

    def again(self, _event: object = None) -> None:
        """Measure the set once more, times included; and the pair, if it failed."""
        self.pair.again()
        self.set.again()

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        self.pair.close()
        self.set.close()
        super().close()

    def as_python(self) -> str:
        """Return the lines that reproduce what is on show with the library."""
        space, question = self.workspace, self.set.question
        pair = (
            [f"A = {literal(space.diagram_a)}", f"B = {literal(space.diagram_b)}"]
            if space.edited
            else [f"A, B = diagrams[{space.index_a}], diagrams[{space.index_b}]"]
        )
        lines = [*space.data_lines(), *pair, *pair_lines(question, space.n_directions)]
        names = ["RULES", "kink_study", "pair_study"]
        if len(question.diagrams) > 1:
            lines += set_lines(question, self.set.tolerance / 100)
            names += [
                "embedding_tiers",
                "exact_tier",
                "gram_times",
                "ratio_study",
                "sample_diagrams",
                "slice_tiers",
            ]
            if self.set.accuracies is not None:
                lines += accuracy_lines(question, self.set.accuracies.sizes)
                names.append("accuracy_study")
        imports = ",\n    ".join(sorted(names, key=str.lower))
        return "\n".join(
            [
                "import numpy as np",
                "import swviz as sw",
                f"from swviz.studies import (\n    {imports},\n)",
                "",
                "np.set_printoptions(precision=4, suppress=True, linewidth=1000)",
                *lines,
                "",
            ]
        )
