"""Means of classes on the map, and the diagram of one of them on a click."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import HoverTool

from swviz.app.runtime.jobs import RESULTS, Report
from swviz.app.tabs.learn.background import Background
from swviz.app.tabs.learn.figures import MapFigure, source
from swviz.app.tabs.learn.kernels import DIRECTED, LEARNT
from swviz.app.tabs.learn.trainer import Trainer
from swviz.app.ui.plots import (
    TOOLTIPS,
    add_downloads,
    columns,
    dress,
    empty_plane,
)
from swviz.app.ui.theme import card, cell, flow, grid, plain_text, plot_pane, stack
from swviz.app.workspace.class_means import (
    JOB,
    can_be_found,
    find_means,
    means_key,
    means_lines,
    names_of_means,
    why_not,
)
from swviz.diagrams import Diagram, DiagramSet
from swviz.learning import PreparedKernel
from swviz.learning.prepared import PreparedRows
from swviz.plot.places import plane_span
from swviz.plot.theme import GREY, class_color
from swviz.typing import Floats

_NOTHING = np.empty((0, 2))
_SAME_TAP = 0.2
"""Seconds within which the browser tells of all that one tap has met."""


@dataclass(frozen=True, eq=False)
class FoundMeans:
    """Means of classes, and what puts them on a map.

    Parameters
    ----------
    means : DiagramSet
        One sample a class.
    rows : PreparedRows
        The kernel between them and the samples, for any bandwidth.
    gram : ndarray of shape (n_classes, n) or None
        For one bandwidth, if others cost more than an exponential.
    """

    means: DiagramSet
    rows: PreparedRows
    gram: Floats | None

    def gram_at(self, scale: float) -> Floats:
        """Return the kernel between means and samples."""
        return self.rows.gram(scale) if self.gram is None else self.gram


def find_on_map(
    dataset: DiagramSet,
    dimensions: tuple[int, ...],
    ready: PreparedKernel,
    scale: float,
    progress: Report,
) -> FoundMeans:
    """Find the means of classes, and compare them with all samples.

    Parameters
    ----------
    dataset : DiagramSet
    dimensions : tuple of int
    ready : PreparedKernel
        Of the samples.
    scale : float
        The bandwidth on show.
    progress : Report
    """
    means = find_means(dataset, dimensions, progress)
    rows = ready.beside(means, progress=progress)
    gram = rows.gram(scale, progress=progress) if rows.distances is None else None
    return FoundMeans(means, rows, gram)


class MeanFigure:
    """A mean amid the points of its class."""

    def __init__(self) -> None:
        self.plot = empty_plane(0, 1, max_width=420)
        self.members, self.mean = source("birth", "death"), source(*columns(_NOTHING))
        looks: dict[str, dict[str, Any]] = {
            "members": {"size": 5, "fill_alpha": 0.3, "line_width": 0},
            "mean": {
                "marker": "diamond",
                "size": 13,
                "line_color": "white",
                "line_width": 0.8,
            },
        }
        self._layers = {
            name: self.plot.scatter(
                "birth", "death", source=getattr(self, name), name=name, **look
            )
            for name, look in looks.items()
        }
        tooltips = [("mean", "point $index"), *TOOLTIPS]
        hover = HoverTool(renderers=[self._layers["mean"]], tooltips=tooltips)
        self.plot.add_tools(hover)
        dress(self.plot)
        add_downloads(self.plot, "mean")

    def show(self, members: Sequence[Diagram], mean: Diagram, color: str) -> None:
        """Draw a mean.

        Parameters
        ----------
        members : sequence of ndarray of shape (n_i, 2)
            Of its class.
        mean : ndarray of shape (n, 2)
        color : str
            Of the class.
        """
        points = np.concatenate([_NOTHING, *members])
        self.members.data = {"birth": points[:, 0], "death": points[:, 1]}
        self.mean.data = columns(mean)
        for layer in self._layers.values():
            layer.glyph.fill_color = color
        low, high = plane_span(*members, mean)
        for axis in (self.plot.x_range, self.plot.y_range):
            axis.update(start=low, end=high, reset_start=low, reset_end=high)


class MapMeans(Background):
    """Puts the mean of each class on the map; a click on one opens its diagram.

    Parameters
    ----------
    trainer : Trainer
    figure : MapFigure
        On which they are marked.
    """

    chosen = param.Integer(default=-1, doc="The class whose mean is open; -1 is none.")
    heading = param.String(default="")
    job_title = JOB

    def __init__(self, trainer: Trainer, figure: MapFigure, **params: Any) -> None:
        super().__init__(trainer, **params)
        self.figure = figure
        self.found: FoundMeans | None = None
        self._found_key: Hashable = None
        self._tapped_at = -math.inf
        self.button.label = "Find the means"
        self._place = stack()
        figure.means.selected.on_change("indices", self._tapped)

    @cached_property
    def plane(self) -> MeanFigure:
        """Where a mean is drawn: made when somebody wants to see one. Most do not."""
        return MeanFigure()

    def __panel__(self) -> pn.Column:
        return self._place

    @property
    def controls(self) -> pn.Column:
        """What says why there are no means, and how far they are."""
        return stack(*self._below())

    # -- what is computed -----------------------------------------------------------

    def needs(self) -> Hashable:
        """Return what kernel values of the means depend on, but for the bandwidth."""
        trainer = self.trainer
        if trainer.portrait is None:
            return None
        setting = trainer.setting
        free = {"C", "sigma"}
        if trainer.ready.distances is not None:
            free.add("scale")
        if setting.kernel not in DIRECTED:
            free |= {"n_directions", "rule"}
        if setting.kernel not in LEARNT:
            free |= {"train_share", "seed", "stratify"}
        return trainer.data_key, tuple(setting.without(*free).items())

    def is_cheap(self) -> bool:
        """Tell whether to compute without being asked."""
        asked = self.trainer.shown, self.trainer.setting.dimensions
        return not why_not(*asked) or RESULTS.get(means_key(*asked)) is not None

    def work(self) -> Callable[..., Any]:
        """Return what the job does."""
        trainer = self.trainer
        setting = trainer.setting
        return partial(
            find_on_map,
            trainer.shown,
            setting.dimensions,
            trainer.ready,
            setting.scale,
        )

    def show(self, result: Any, finished: bool) -> None:
        """Keep what has been found; single means have no place yet."""
        if finished:
            self.found, self._found_key = result, self._key
            self._show_chosen()

    def mark(self) -> None:
        """Put the means where the map on show has them."""
        trainer = self.trainer
        if self.found is None or self._found_key != self._key:
            self.figure.show_means(_NOTHING, [], [], [])
            return
        means = self.found.means
        count = len(means)
        places = trainer.portrait.map.project(self.found.gram_at(trainer.setting.scale))
        self.figure.show_means(
            places,
            names_of_means(trainer.shown),
            [self._color(row) for row in range(count)],
            [sum(len(means.in_dimension(k)[row]) for k in means.dimensions)
             for row in range(count)],
        )  # fmt: skip

    def _color(self, number: int) -> str:
        assert self.found is not None
        return GREY if self.found.means.labels is None else class_color(number)

    def outdate(self) -> None:
        """Take the means of another question away."""
        self.message = ""
        self.figure.show_means(_NOTHING, [], [], [])
        if self.found is not None and not self._is_of_shown():
            self._forget()

    def clear(self) -> None:
        """Show no means, and say why if they cost too much."""
        trainer = self.trainer
        self.figure.show_means(_NOTHING, [], [], [])
        self._forget()
        if trainer.portrait is not None:
            self.message = why_not(trainer.shown, trainer.setting.dimensions)

    def follow(self, *events: object) -> None:
        """Compute anew if something has changed that matters here."""
        super().follow(*events)
        trainer = self.trainer
        if self.button.visible and trainer.portrait is not None:
            asked = trainer.shown, trainer.setting.dimensions
            self.button.visible = can_be_found(*asked)

    def _is_of_shown(self) -> bool:
        """Tell whether the means are those of the set on show, whatever the kernel."""
        trainer, found = self.trainer, self.found
        return (
            found is not None
            and trainer.portrait is not None
            and found.means.dimensions == trainer.setting.dimensions
            and self._found_key is not None
            and self._found_key[0] == trainer.data_key  # type: ignore[index]
        )

    def _forget(self) -> None:
        self.found, self._found_key = None, None
        self.chosen = -1
        self._show_chosen()

    # -- one of them ----------------------------------------------------------------

    @property
    def dimension(self) -> int:
        """The homology dimension in which a mean is shown, and used."""
        assert self.found is not None
        known = self.found.means.dimensions
        own = self.trainer.workspace.dimension
        return own if own in known else known[0]

    def _tapped(self, _attribute: str, _old: object, indices: list[int]) -> None:
        if not indices:
            return
        self.figure.means.selected.indices = []
        self.choose(int(indices[0]))
        self._tapped_at = time.monotonic()

    @property
    def has_taken_tap(self) -> bool:
        """Whether a tap has just met a star: a sample below it is not meant."""
        return time.monotonic() - self._tapped_at < _SAME_TAP

    def choose(self, number: int) -> None:
        """Show the diagram of a mean.

        Parameters
        ----------
        number : int
            Of the class; without classes, 0.
        """
        if self.found is not None and number < len(self.found.means):
            self.chosen = number
            self._show_chosen()

    def _show_chosen(self) -> None:
        if self.found is None or self.chosen < 0:
            if len(self._place):
                self._place[0].visible = False
            return
        trainer, dimension = self.trainer, self.dimension
        members = np.arange(len(trainer.shown))
        if trainer.labels is not None:
            members = members[trainer.labels == trainer.shown.classes[self.chosen]]
        diagrams = trainer.shown.in_dimension(dimension)
        mean = self.found.means.in_dimension(dimension)[self.chosen]
        count = f"{len(members)} diagram{'s' * (len(members) != 1)}"
        called = names_of_means(trainer.shown)[self.chosen]
        self.heading = (
            f"{called[:1].upper()}{called[1:]}: {len(mean)} points in H{dimension}, "
            f"amid the pale ones of {count}."
        )
        self.plane.show([diagrams[k] for k in members], mean, self._color(self.chosen))
        if not len(self._place):
            self._place.append(self._card())
        self._place[0].visible = True

    def _card(self) -> pn.Column:
        buttons = (
            ("Use as A", partial(self.use, "A")),
            ("Use as B", partial(self.use, "B")),
            ("Open A and B in Slices", self._open),
            ("Close", self._close),
        )
        return card(
            grid(
                cell(plot_pane(self.plane.plot, max_width=420), md=6),
                cell(
                    plain_text(self.param.heading, font_weight="600"),
                    flow(
                        *(
                            pmui.Button(
                                label=text,
                                variant="outlined",
                                size="small",
                                margin=6,
                                on_click=click,
                            )
                            for text, click in buttons
                        ),
                        gap=0,
                    ),
                    md=6,
                ),
            ),
            title="The diagram of this mean, which is none of the set",
        )

    def use(self, name: str, _event: object = None) -> None:
        """Take the mean that is open as A or B.

        Parameters
        ----------
        name : {"A", "B"}
        """
        if self.found is None or self.chosen < 0:
            return
        space, dimension = self.trainer.workspace, self.dimension
        mean = self.found.means.in_dimension(dimension)[self.chosen]
        called = names_of_means(self.trainer.shown)[self.chosen]
        if space.dimension != dimension:
            space.dimension = dimension
        space.put(name, mean, called)

    def _open(self, _event: object = None) -> None:
        self.trainer.workspace.tab = "Slices"

    def _close(self, _event: object = None) -> None:
        self.chosen = -1
        self._show_chosen()

    def lines(self) -> list[str]:
        """Return the lines of Python that put the means on show on the map."""
        if self.found is None or self._found_key != self._key:
            return []
        return [
            *means_lines(self.trainer.setting.dimensions),
            "# On the page either axis may point the other way.",
            "print(portrait.map.project(kernel.gram(means, data)).tolist())",
        ]
