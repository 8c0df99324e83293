"""Make a data set: a source, a preset, and its main parameters."""

from __future__ import annotations

from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import JobCancelled, digest
from swviz.app.runtime.session import in_document, tell
from swviz.app.runtime.task import Task
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.theme import WRAPS, flow, plain_text, stack
from swviz.app.workspace.knobs import KNOBS, TITLES, Knob, recipe
from swviz.app.workspace.links import unwatch
from swviz.app.workspace.state import Workspace, title_of
from swviz.sources import PRESETS

_FIELD: dict[str, Any] = {"margin": (8, 8), "size": "small"}


class Generator(pn.viewable.Viewer):
    """Menus of sources and presets; Generate runs as a job."""

    workspace = param.ClassSelector(class_=Workspace, allow_None=False)

    def __init__(self, workspace: Workspace, **params: Any) -> None:
        super().__init__(workspace=workspace, **params)
        self._making = Task()
        self.jobs = JobBar(self._making)
        self.source = pmui.Select(
            label="Source",
            options={title: name for name, title in TITLES.items()},
            width=230,
            **_FIELD,
        )
        self.preset = pmui.Select(label="Preset", width=210, **_FIELD)
        self.generate = pmui.Button(
            label="Generate",
            icon="play_arrow",
            margin=(10, 8),
            on_click=self.run,
        )
        self.knobs: dict[str, Any] = {}
        self._description = plain_text("", font_size="0.875rem")
        self._fields = flow(gap=0)
        self._list_presets()
        self._list_knobs()
        self.source.param.watch(self._list_presets, "value")
        self.preset.param.watch(self._list_knobs, "value")
        self._follow()
        self._watchers = [workspace.param.watch(self._follow, ["source", "preset"])]

    def close(self) -> None:
        """Stop following the workspace."""
        unwatch(self._watchers)

    def __panel__(self) -> pn.Column:
        return stack(
            flow(self.source, self.preset, self.generate, gap=0),
            self._description,
            pmui.Accordion(
                ("Parameters", self._fields),
                title_variant="body1",
                sizing_mode="stretch_width",
                margin=(4, 8),
                stylesheets=[WRAPS],
            ),
            self.jobs,
        )

    def _follow(self, *_events: object) -> None:
        """Bring the menus to the data set on show, if a source made it."""
        source, preset = self.workspace.source, self.workspace.preset
        if source in PRESETS and preset in PRESETS[source]:
            self.source.value = source
            self.preset.value = preset

    def _list_presets(self, *_events: object) -> None:
        names = list(PRESETS[self.source.value])
        self.preset.param.update(options=names, value=names[0])

    def _list_knobs(self, *_events: object) -> None:
        source, preset = self.source.value, self.preset.value
        if preset not in PRESETS[source]:
            return
        chosen = PRESETS[source][preset]
        self._description.object = chosen.description
        self.knobs = {}
        for knob in KNOBS[source]:
            value = chosen.parameters.get(knob.name, knob.default)
            self.knobs[knob.name] = _widget(knob, value)
        self._initial = {name: knob.value for name, knob in self.knobs.items()}
        for knob in KNOBS[source]:
            if knob.most is not None:
                for other in self.knobs.values():
                    other.param.watch(partial(self._fit, knob), "value")
                self._fit(knob)
        self._fields.objects = list(self.knobs.values())

    def _fit(self, knob: Knob, *_events: object) -> None:
        """Bring a slider's range to what the other parameters allow."""
        preset = PRESETS[self.source.value][self.preset.value].parameters
        chosen = {name: widget.value for name, widget in self.knobs.items()}
        slider = self.knobs[knob.name]
        _, high = knob.bounds_with({**preset, **chosen})
        if slider.end != high:
            slider.param.update(end=high, value=min(slider.value, high))

    @property
    def changes(self) -> dict[str, Any]:
        """What has been changed of the preset."""
        return {
            name: _clean(widget.value)
            for name, widget in self.knobs.items()
            if widget.value != self._initial[name]
        }

    async def run(self, _event: object = None) -> None:
        """Make the chosen data set and show it."""
        asked = self.source.value, self.preset.value, self.changes
        title = title_of(*asked)
        try:
            dataset = await self._making.compute(
                recipe(*asked), digest(*asked), f"Making {title}"
            )
        except JobCancelled:
            tell("Cancelled; the data set on show is unchanged.", "info", 4)
            return
        in_document(partial(self.workspace.use, dataset, title, *asked))


def _widget(knob: Knob, value: Any) -> Any:
    """Build the widget of a parameter, at its value in the preset."""
    if knob.several:
        value = list(value) if isinstance(value, list | tuple) else [value]
        return pmui.MultiChoice(
            label=knob.label,
            options={_text(choice): choice for choice in knob.choices},
            value=value,
            # As narrow as the column of a phone.
            width=270,
            margin=8,
        )
    if knob.choices:
        return pmui.Select(
            label=knob.label,
            options=list(knob.choices),
            value=value if value in knob.choices else knob.default,
            width=160,
            **_FIELD,
        )
    assert knob.bounds is not None, "a number has bounds"
    low, high = knob.bounds
    if isinstance(value, tuple | list):
        # Several values in the preset; touching the field replaces them by one.
        value = value[0]
    slider = pmui.IntSlider if isinstance(low, int) else pmui.FloatSlider
    step = 1 if isinstance(low, int) else 0.01
    return slider(
        label=knob.label,
        start=low,
        end=high,
        step=step,
        value=min(max(value, low), high),
        width=200,
        margin=(4, 16),
        size="small",
    )


def _clean(value: Any) -> Any:
    """Return the number that a slider shows: 0.15, not 0.15000000000000002."""
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _text(choice: Any) -> str:
    return f"{choice:g}" if isinstance(choice, float) else str(choice)
