"""A figure of the Learn view that follows the trainer with a job of its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import RESULTS, digest
from swviz.app.runtime.task import Task, Turn
from swviz.app.tabs.learn.kernels import KERNEL_CHOICES
from swviz.app.tabs.learn.trainer import Trainer
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.theme import plain_text
from swviz.errors import SwvizError

FEW_SAMPLES = 300
"""Up to here curves are computed without being asked for."""


class Background(pn.viewable.Viewer):
    """A figure that follows the trainer by a job, as results come.

    Subclasses say what is shown (`needs`), how it is computed (`work`) and drawn.
    """

    trainer = param.ClassSelector(class_=Trainer, allow_None=False)
    message = param.String(default="", doc="Why there is nothing to see.")

    delay = 0.25
    """Seconds to wait for more changes: live work goes first, and is drawn first."""

    job_title = ""

    def __init__(self, trainer: Trainer, **params: Any) -> None:
        super().__init__(trainer=trainer, **params)
        self._following = Task(
            self._compute,
            delay=self.delay,
            on_stop=self._stopped,
            on_error=self._failed,
        )
        self.jobs = JobBar(self._following)
        self._key: Hashable = None
        self.button = pmui.Button(
            label="Compute",
            icon="play_arrow",
            variant="outlined",
            size="small",
            visible=False,
            margin=(4, 0),
            on_click=self.run,
        )
        # After the first screen has been drawn.
        trainer.param.watch(self.follow, "portrait", precedence=1)

    @property
    def following(self) -> Task:
        """What brings the figure to the trainer."""
        return self._following

    def needs(self) -> Hashable:
        """Return what the figure depends on; None if there can be no figure."""
        raise NotImplementedError

    def is_cheap(self) -> bool:
        """Tell whether to compute without being asked."""
        return len(self.trainer.shown) <= FEW_SAMPLES

    def work(self) -> Callable[..., Any]:
        """Return what the job does; it takes `progress`, and may tell what it found."""
        raise NotImplementedError

    def show(self, result: Any, finished: bool) -> None:
        """Draw a result, or what there is of it so far."""
        raise NotImplementedError

    def mark(self) -> None:
        """Show where the present setting is."""

    def outdate(self) -> None:
        """Take away what would be wrong until the new result is there."""

    def clear(self) -> None:
        """Draw nothing."""

    def follow(self, *_events: object) -> None:
        """Compute anew if something has changed that matters here."""
        key = self.needs()
        changed = key != self._key
        self._key = key
        if key is None:
            self._following.forget()
            self.button.visible = False
            self.clear()
            return
        self.mark()
        if not changed:
            return
        self._following.forget()
        self.outdate()
        if self.is_cheap() or self._kept():
            self.run()
        else:
            self.clear()
            self.button.visible = True

    def run(self, _event: object = None) -> None:
        """Start the job, unless it is under way."""
        self._following.request(anew=False)

    def _kept(self) -> bool:
        return RESULTS.get(digest(type(self).__name__, self._key)) is not None

    async def _compute(self, turn: Turn) -> None:
        if self._key is None:
            return
        turn.show(self._begin)
        result = await turn.compute(
            self.work(),
            digest(type(self).__name__, self._key),
            self.job_title,
            show=lambda found: self._draw(found, False),
        )
        turn.show(self._draw, result, True)

    def _begin(self) -> None:
        self.button.visible = False
        self.message = ""

    def _stopped(self) -> None:
        # What has been found stays; the button goes on.
        self.button.visible = True

    def _failed(self, error: Exception) -> None:
        self.clear()
        if isinstance(error, SwvizError):
            message = str(error)
            self.message = message[:1].upper() + message[1:] + "."

    def _draw(self, result: Any, finished: bool) -> None:
        self.show(result, finished)
        self.mark()

    def _machine_key(self, *without: str) -> Hashable:
        """Key of the machine on show; None if there is none."""
        trainer = self.trainer
        if trainer.portrait is None or trainer.portrait.evaluation is None:
            return None
        setting = trainer.setting
        wanted = tuple(setting.without(*without).items())
        return (trainer.data_key, wanted)

    def _letter(self) -> str:
        """Letter of the bandwidth of the machine on show."""
        return KERNEL_CHOICES[self.trainer.setting.kernel].scale

    def _named(self, text: str) -> Any:
        """Fill in the letter of the bandwidth, and whose it is, of the kernel."""

        def fill(kernel: str) -> str:
            return text.format(KERNEL_CHOICES[kernel].scale, KERNEL_CHOICES[kernel].of)

        return pn.bind(fill, self.trainer.param.kernel)

    def _below(self) -> list[Any]:
        return [plain_text(self.param.message), self.button, self.jobs]
