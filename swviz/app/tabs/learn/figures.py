"""The Learn view's map, and what its figures have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    ColumnDataSource,
    HoverTool,
    LinearColorMapper,
    Range1d,
    TapTool,
)
from numpy.typing import NDArray

from swviz.app.ui import theme
from swviz.app.ui.plots import new_figure
from swviz.learning import Portrait
from swviz.plot.theme import GREY, MISTAKE, MOST_COLORS, STYLES, class_color

Floats = NDArray[np.float64]

BOUNDED = 0.85
"""Half the height of the map: with values of k up to 1 no sample is beyond 1."""

_WIDE = 1.35
"""Width of the map by its height."""

_GROUND = (208, 156)
"""Cells of the ground, across and up."""

_NAMED = 12
"""Classes that the legend names."""

_MARKS = {
    "training": ("●", GREY),
    "test": ("■", GREY),
    "support": ("◯", GREY),
    "mistake": ("✕", MISTAKE),
    "mean of a class": ("★", GREY),
    "A": ("○", STYLES["A"]["fill_color"]),
    "B": ("◇", STYLES["B"]["fill_color"]),
}

_EMPTY_MAP: dict[str, Any] = {
    key: []
    for key in (
        "x",
        "y",
        "color",
        "marker",
        "name",
        "class",
        "predicted",
        "part",
        "index",
    )
}


def source(*columns: str) -> ColumnDataSource:
    """Return an empty source."""
    return ColumnDataSource({column: [] for column in columns})


def shorten(text: str, most: int = 14) -> str:
    """Cut text that would not fit on an axis."""
    return text if len(text) <= most else text[: most - 1] + "…"


class MapFigure:
    """Kernel PCA: classes, training and test samples, support vectors, mistakes."""

    def __init__(self) -> None:
        self.points = ColumnDataSource(_EMPTY_MAP)
        self.support, self.mistakes = source("x", "y"), source("x", "y")
        self.pair = {name: source("x", "y", "size") for name in "AB"}
        self.means = source("x", "y", "color", "name", "count")
        self._marked: tuple[int | str, int | str] = (0, 0)
        self.ground = source("image", "x", "y", "dw", "dh")
        self.x_range = Range1d(-_WIDE * BOUNDED, _WIDE * BOUNDED)
        self.y_range = Range1d(-BOUNDED, BOUNDED)
        plot = new_figure(
            "map",
            x_range=self.x_range,
            y_range=self.y_range,
            tools="pan,wheel_zoom,reset,save",
            sizing_mode="scale_width",
            aspect_ratio=1.3,
            x_axis_label="first component",
            y_axis_label="second component",
        )
        plot.image(
            "image",
            "x",
            "y",
            "dw",
            "dh",
            source=self.ground,
            level="underlay",
            color_mapper=LinearColorMapper(
                palette=[f"{class_color(k)}38" for k in range(MOST_COLORS)],
                low=0,
                high=MOST_COLORS,
            ),
            name="ground",
        )
        plot.scatter(
            "x",
            "y",
            source=self.support,
            size=13,
            fill_color=None,
            line_color=GREY,
            line_width=1.3,
            name="support",
        )
        self.samples = plot.scatter(
            "x",
            "y",
            source=self.points,
            marker="marker",
            size=9,
            fill_color="color",
            line_color="white",
            line_width=0.6,
            name="samples",
            nonselection_fill_alpha=1.0,
            nonselection_line_alpha=1.0,
        )
        plot.scatter(
            "x",
            "y",
            source=self.mistakes,
            marker="x",
            size=13,
            line_color=MISTAKE,
            line_width=2.4,
            name="mistakes",
        )
        for name, where in self.pair.items():
            plot.scatter(
                "x",
                "y",
                source=where,
                size="size",
                fill_color=None,
                line_width=2.6,
                marker=STYLES[name]["marker"],
                line_color=STYLES[name]["fill_color"],
                name=name,
            )
        stars = plot.scatter(
            "x",
            "y",
            source=self.means,
            marker="star",
            size=22,
            fill_color="color",
            line_color="black",
            line_width=1.2,
            name="means",
            nonselection_fill_alpha=1.0,
            nonselection_line_alpha=1.0,
        )
        # In this order the browser tells of those that one tap has met.
        self.tap = TapTool(renderers=[stars, self.samples])
        plot.add_tools(
            self.tap,
            HoverTool(
                renderers=[stars],
                tooltips=[("diagram", "@name"), ("points", "@count")],
                # Beside it may be what the pointer is told of a sample below.
                attachment="vertical",
            ),
            HoverTool(
                renderers=[self.samples],
                tooltips=[
                    ("sample", "@index · @name"),
                    ("class", "@class"),
                    ("predicted", "@predicted"),
                    ("part", "@part"),
                ],
            ),
        )
        self.plot = plot

    def show(
        self,
        portrait: Portrait,
        names: Sequence[str],
        labels: NDArray[Any] | None,
        test: NDArray[np.intp],
        fit: bool,
    ) -> None:
        """Draw a portrait.

        Parameters
        ----------
        portrait : Portrait
        names : sequence of str
        labels : ndarray of shape (n,) or None
        test : ndarray of int
        fit : bool
            Whether the axes close in on the samples; otherwise they stay.
        """
        where = portrait.map.coordinates
        count = len(where)
        self._set_ranges(portrait, fit)
        said, wrong = [""] * count, np.zeros(count, dtype=bool)
        if portrait.predictions is not None:
            said = [str(label) for label in portrait.predictions]
            wrong = portrait.predictions != labels
        moving = {**_columns(where), "predicted": said}
        fixed = self._fixed_columns(portrait, names, labels, test)
        if all(self.points.data[key] == column for key, column in fixed.items()):
            # Names and colours do not travel to the browser with every σ. A patch says
            # what it said when it was made: `data.update` is read when it is sent, and
            # by then there may be more samples than the browser has colours for.
            self.points.patch(
                {key: [(slice(0, count), values)] for key, values in moving.items()}
            )
        else:
            self.points.data = {**fixed, **moving}
        found = portrait.evaluation
        held: Any = [] if found is None else found.support
        for marks, chosen in ((self.support, held), (self.mistakes, wrong)):
            marks.data = _columns(where[chosen])
        self._show_ground(portrait)

    def _fixed_columns(
        self,
        portrait: Portrait,
        names: Sequence[str],
        labels: NDArray[Any] | None,
        test: NDArray[np.intp],
    ) -> dict[str, list[Any]]:
        """Return what only data and split change."""
        count = len(names)
        is_test = np.zeros(count, dtype=bool)
        is_test[test] = True
        colors, shown = [GREY] * count, ["no class"] * count
        if labels is not None:
            _, numbers = np.unique(labels, return_inverse=True)
            colors = [class_color(k) for k in numbers]
            shown = [str(label) for label in labels]
        part = np.where(is_test, "test", "training").tolist()
        return {
            "color": colors,
            "marker": np.where(is_test, "square", "circle").tolist(),
            "name": list(names),
            "class": shown,
            "part": part if portrait.evaluation is not None else [""] * count,
            "index": list(range(count)),
        }

    def _set_ranges(self, portrait: Portrait, fit: bool) -> None:
        unbounded = portrait.gram.diagonal().max() > 1 + 1e-9
        half = BOUNDED
        if fit or unbounded:
            where = np.abs(portrait.map.coordinates)
            half = 1.15 * float(max(where[:, 0].max() / _WIDE, where[:, 1].max()))
            half = half if half > 0 else BOUNDED
        for axis, size in ((self.x_range, _WIDE * half), (self.y_range, half)):
            if axis.reset_end != size:
                axis.update(start=-size, end=size, reset_start=-size, reset_end=size)

    def _show_ground(self, portrait: Portrait) -> None:
        if portrait.plane is None:
            self.ground.data = {key: [] for key in ("image", "x", "y", "dw", "dh")}
            return
        # A little beyond the axes.
        width, height = 1.1 * self.x_range.reset_end, 1.1 * self.y_range.reset_end
        across = np.linspace(-width, width, _GROUND[0])
        up = np.linspace(-height, height, _GROUND[1])
        places = np.stack(np.meshgrid(across, up), axis=-1)
        classes = portrait.plane.predict(places)
        # A byte for each cell: the browser knows the colours.
        self.ground.data = {
            "image": [(classes % MOST_COLORS).astype(np.uint8)],
            "x": [-width],
            "y": [-height],
            "dw": [2 * width],
            "dh": [2 * height],
        }

    def mark_pair(self, first: int | str, second: int | str) -> None:
        """Ring what is A and B.

        Parameters
        ----------
        first, second : int or str
            The number of a sample, or what a mean is called.
        """
        self._marked = first, second
        for name, chosen in (("A", first), ("B", second)):
            if isinstance(chosen, str):
                data = self.means.data
                # Behind the last, where nothing is, if there is no such mean.
                row = [*data["name"], chosen].index(chosen)
            else:
                data, row = self.points.data, chosen
            # Around a star, too.
            size = 34 if isinstance(chosen, str) else 20
            where = np.column_stack([data[axis] for axis in "xy"]).reshape(-1, 2)
            place = _columns(where[row : row + 1])
            self.pair[name].data = {**place, "size": [size] * len(place["x"])}

    def show_means(
        self,
        places: Floats,
        names: Sequence[str],
        colors: Sequence[str],
        counts: Sequence[int],
    ) -> None:
        """Mark the means of classes.

        Parameters
        ----------
        places : ndarray of shape (n_classes, 2)
        names, colors, counts : sequences
            What they are called, their colours, and how many points they have.
        """
        columns = {
            **_columns(places),
            "color": list(colors),
            "name": list(names),
            "count": list(counts),
        }
        if columns != self.means.data:
            self.means.data = columns
            if any(isinstance(chosen, str) for chosen in self._marked):
                self.mark_pair(*self._marked)

    def clear(self) -> None:
        """Draw nothing."""
        self.points.data = _EMPTY_MAP
        for where in (self.support, self.mistakes, *self.pair.values()):
            where.data = {key: [] for key in where.data}
        self.ground.data = {key: [] for key in ("image", "x", "y", "dw", "dh")}


def _columns(places: Floats) -> dict[str, list[float]]:
    """Return a few places for a source.

    As lists: an array would go to the browser in two messages of its own.
    """
    x, y = places.T.tolist()
    return {"x": x, "y": y}


def legend_html(labels: NDArray[Any] | None) -> str:
    """Write the legend of the map.

    Returns
    -------
    str
        Names of classes are escaped.
    """
    names = [] if labels is None else [str(label) for label in np.unique(labels)]
    entries = [(name, "●", class_color(k)) for k, name in enumerate(names[:_NAMED])]
    if len(names) > _NAMED:
        entries.append((f"and {len(names) - _NAMED} more", "●", GREY))
    entries += [(name, mark, color) for name, (mark, color) in _MARKS.items()]
    return theme.legend_html(
        (shorten(name, 24), mark, color) for name, mark, color in entries
    )
