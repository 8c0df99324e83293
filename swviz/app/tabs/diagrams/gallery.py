"""All diagrams of a set at a glance: small planes by class, and a table."""

from __future__ import annotations

from functools import partial
from typing import Any

import holoviews as hv
import numpy as np
import pandas as pd
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import CustomJS, TapTool

from swviz import plot
from swviz.app.runtime.jobs import RESULTS
from swviz.app.runtime.task import Task, Turn
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.pictures import Picture, layer_of
from swviz.app.ui.theme import caption, plain_text, plot_pane, stack
from swviz.app.workspace.class_means import (
    JOB,
    can_be_found,
    find_means,
    means_key,
    names_of_means,
    why_not,
)
from swviz.app.workspace.links import unwatch
from swviz.app.workspace.state import Workspace
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError

MAX_CLASSES = 12
PER_CLASS = 8
POINTS = 150
"""Of each small diagram, those of greatest persistence."""


class Gallery(pn.viewable.Viewer):
    """Small planes, a row for each class with its mean; a click takes one as A or B."""

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)
    means = param.ClassSelector(
        class_=DiagramSet, doc="Of classes, on show: those that have been found so far."
    )
    message = param.String(default="", doc="Why means are not there, if they are not.")

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self.target = pmui.RadioButtonGroup(
            label="A click on a diagram chooses",
            options=["A", "B"],
            value="A",
            size="small",
        )
        self.finding = Task(
            self._find,
            is_open=lambda: workspace.tab == "Diagrams",
            # What is on the first screen comes first.
            delay=0.5,
            on_stop=self._stopped,
            on_error=self._failed,
        )
        self.jobs = JobBar(self.finding)
        self.button = pmui.Button(
            label="Find the means",
            icon="play_arrow",
            variant="outlined",
            size="small",
            visible=False,
            margin=(4, 0),
            on_click=self.find,
        )
        is_wanted = self._take_known()
        self.picture = Picture(
            _gallery,
            *self._shown(),
            filename="gallery",
            # As high as its rows are, in cells that are the same in every set.
            height=None,
            responsive="width",
            xaxis=None,
            show_frame=False,
        )
        layers = {
            name: layer_of(self.picture.figure, name) for name in ("diagrams", "means")
        }
        self.picture.figure.add_tools(TapTool(renderers=list(layers.values())))
        # On a phone cells are narrower than a word.
        self.picture.figure.js_on_change(
            "inner_width",
            CustomJS(
                args={"words": layer_of(self.picture.figure, "words")},
                code="words.visible = cb_obj.inner_width > 500",
            ),
        )
        self._cells, self._heads = (one.data_source for one in layers.values())
        self._cells.selected.on_change("indices", self._tapped)
        self._heads.selected.on_change("indices", self._mean_tapped)
        self._watchers = [
            workspace.param.watch(self._follow, ["dataset", "dimension"]),
            workspace.param.watch(self._draw, ["index_a", "index_b", "called"]),
            workspace.param.watch(lambda *_: self.finding.look(), "tab"),
        ]
        if is_wanted:
            self.finding.request()

    def close(self) -> None:
        """Stop following the workspace, and stop computing."""
        unwatch(self._watchers)
        self.finding.forget()

    def __panel__(self) -> pn.Column:
        return stack(
            self.target,
            plain_text(self.param.message, font_size="0.875rem"),
            self.button,
            self.jobs,
            plot_pane(self.picture.figure),
            caption(
                "At the head of a row stands the mean of its class: a diagram whose "
                "mean of squared sliced costs to all of the class is least (30 "
                "directions, diagonal-aware). What the class shares stays; noise, "
                "which is elsewhere in each diagram, dies."
            ),
        )

    # -- means ----------------------------------------------------------------------

    @property
    def all_means(self) -> DiagramSet | None:
        """The means on show, once there is one of each class."""
        expected = max(1, len(self.workspace.dataset.classes))
        complete = self.means is not None and len(self.means) == expected
        return self.means if complete else None

    def _follow(self, *_events: object) -> None:
        """Show another set, or dimension, and have its means found."""
        self.finding.forget()
        is_wanted = self._take_known()
        self._draw()
        if is_wanted:
            self.finding.request()

    def _take_known(self) -> bool:
        """Take means that are known already; tell whether to find others."""
        space = self.workspace
        asked = space.dataset, (space.dimension,)
        self.means = RESULTS.get(means_key(*asked)) if len(space.dataset) else None
        self.message = "" if self.means is not None else why_not(*asked)
        self.button.visible = bool(self.message) and can_be_found(*asked)
        return self.means is None and not self.message and len(space.dataset) > 0

    def find(self, _event: object = None) -> None:
        """Find the means of the set on show, unless that is under way."""
        self.finding.request(anew=False)

    async def _find(self, turn: Turn) -> None:
        space = self.workspace
        turn.show(self._begin)
        found = await turn.compute(
            partial(find_means, space.dataset, (space.dimension,)),
            title=JOB,
            show=self._show_means,
        )
        turn.show(self._show_means, found)

    def _begin(self) -> None:
        self.button.visible = False
        self.message = ""
        self._draw()

    def _show_means(self, found: DiagramSet) -> None:
        self.means = found
        self._draw()

    def _stopped(self) -> None:
        # Those that have been found stay; the button goes on.
        self.message = "The means that are missing were not looked for any further."
        self.button.visible = True

    def _failed(self, error: Exception) -> None:
        if isinstance(error, SwvizError):
            self.message = f"There are no means: {error}."

    # -- what is on show ------------------------------------------------------------

    def _shown(self) -> tuple[Any, ...]:
        space = self.workspace
        framed = (self._framed("A", space.index_a), self._framed("B", space.index_b))
        has_room = self.means is not None or not self.message
        return space.dataset, space.dimension, *framed, self.means, has_room

    def _framed(self, name: str, index: int) -> int | str | None:
        """Return the sample that is A or B, or the class whose mean it is."""
        space = self.workspace
        if name in space.called:
            classes = space.dataset.class_names or ("",)
            known = dict(zip(names_of_means(space.dataset), classes, strict=True))
            return known.get(space.called[name])
        return index if index < len(space.dataset) else None

    def _draw(self, *_events: object) -> None:
        self.picture.show(*self._shown())

    def _tapped(self, _attribute: str, _old: object, indices: list[int]) -> None:
        if not indices:
            return
        self.choose(self._cells.data["index"][indices[0]])
        self._cells.selected.indices = []

    def _mean_tapped(self, _attribute: str, _old: object, indices: list[int]) -> None:
        if not indices:
            return
        self.choose_mean(self._heads.data["index"][indices[0]])
        self._heads.selected.indices = []

    def choose(self, index: int) -> None:
        """Take a sample as A or B, whichever a click chooses."""
        self.workspace.take(self.target.value, int(index))

    def choose_mean(self, number: int) -> None:
        """Take the mean of a class as A or B, whichever a click chooses.

        Parameters
        ----------
        number : int
            Of the class; without classes, 0.
        """
        space = self.workspace
        if self.means is None or number >= len(self.means):
            return
        mean = self.means.in_dimension(space.dimension)[number]
        called = names_of_means(space.dataset)[number]
        space.put(self.target.value, mean, called)


def _gallery(
    dataset: DiagramSet,
    dimension: int,
    a: int | str | None,
    b: int | str | None,
    means: DiagramSet | None,
    has_room: bool,
) -> hv.Overlay:
    picture = plot.gallery(
        dataset,
        dimension,
        A=a,
        B=b,
        means=means,
        n_per_class=PER_CLASS,
        n_classes=MAX_CLASSES,
        n_points=POINTS,
    )
    low, high = picture.opts.get("plot", backend="bokeh").kwargs["ylim"]
    # Also before they have come, so that nothing moves when they do.
    left = -1.2 if has_room else -0.05
    return picture.opts(
        backend="bokeh",
        aspect=1.1 * (PER_CLASS - 0.05 - left) / (high - low),
        xlim=(left, PER_CLASS - 0.05),
    )


def summary_table(dataset: DiagramSet, dimension: int) -> pd.DataFrame:
    """Count the points of every diagram and measure their persistence.

    Returns
    -------
    DataFrame
        A row per sample.
    """
    lengths = [d[:, 1] - d[:, 0] for d in dataset.in_dimension(dimension)]
    table = {"sample": list(dataset.names)}
    if dataset.labels is not None:
        table["class"] = [str(label) for label in dataset.labels]
    return pd.DataFrame(
        {
            **table,
            "points": [len(length) for length in lengths],
            "total persistence": [float(length.sum()) for length in lengths],
            "longest": [float(length.max(initial=0.0)) for length in lengths],
            "median": [
                float(np.median(length)) if len(length) else 0.0 for length in lengths
            ],
        }
    )
