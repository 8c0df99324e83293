"""A figure of the Learn view that follows the trainer with a job of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.jobs import RESULTS, JobCancelled, digest
from swviz.app.runtime.latest import Latest
from swviz.app.runtime.session import in_document
from swviz.app.tabs.learn.kernels import KERNELS
from swviz.app.tabs.learn.trainer import Trainer
from swviz.app.ui.job_bar import JobBar
from swviz.app.ui.theme import plain_text
from swviz.errors import SwvizError

Progress = Callable[[int, int], None]

FEW_SAMPLES = 300
"""Up to here curves are computed without being asked for."""


class Background(pn.viewable.Viewer):
    """A figure that follows the trainer by a job, as results come.

    Subclasses say what is shown (`needs`), how it is computed (`task`) and drawn.

    Parameters
    ----------
    trainer : Trainer
    """

    trainer = param.ClassSelector(class_=Trainer, allow_None=False)
    message = param.String(default="", doc="Why there is nothing to see.")

    delay = 0.25
    """Seconds to wait for more changes: live work goes first, and is drawn first."""

    job_title = ""

    def __init__(self, trainer: Trainer, **params: Any) -> None:
        super().__init__(trainer=trainer, **params)
        self.jobs = JobBar()
        self.partial: Any = None
        self._key: Hashable = None
        self._run = Latest(self._compute)
        self.button = pmui.Button(
            label="Compute", icon="play_arrow", variant="outlined", size="small",
            visible=False, margin=(4, 0), on_click=self.run,
        )  # fmt: skip
        self.jobs.param.watch(self._show_partial, "text")
        # After the first screen has been drawn.
        trainer.param.watch(self.follow, "portrait", precedence=1)

    def needs(self) -> Hashable:
        """Return what the figure depends on; None if there can be no figure."""
        raise NotImplementedError

    def is_cheap(self) -> bool:
        """Tell whether to compute without being asked."""
        return len(self.trainer.shown) <= FEW_SAMPLES

    def task(self) -> Callable[..., Any]:
        """Return the job: it takes `progress`, and may set `partial` on the way."""
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
            self.jobs.cancel()
            self.button.visible = False
            self.clear()
            return
        self.mark()
        if not changed:
            return
        self.jobs.cancel()
        self.outdate()
        if self.is_cheap() or self._kept():
            self.run()
        else:
            self.clear()
            self.button.visible = True

    def run(self, _event: object = None) -> None:
        """Start the job."""
        self._run()

    def _kept(self) -> bool:
        return RESULTS.get(digest(type(self).__name__, self._key)) is not None

    async def _compute(self) -> None:
        if self.delay and pn.state.curdoc is not None:
            await asyncio.sleep(self.delay)
            self._run.catch_up()
        key = self._key
        if key is None:
            return
        self.partial = None
        in_document(self._begin)
        try:
            result = await self.jobs.run(
                self.task(), digest(type(self).__name__, key), self.job_title
            )
        except JobCancelled:
            in_document(partial(self._stopped, key))
            raise
        except SwvizError as error:
            in_document(partial(self._failed, str(error)))
            return
        in_document(partial(self._finished, key, result))

    def _begin(self) -> None:
        self.button.visible = False
        self.message = ""

    def _stopped(self, key: Hashable) -> None:
        # What has been found stays; the button goes on.
        self.button.visible = key == self._key

    def _failed(self, message: str) -> None:
        self.clear()
        self.message = message[:1].upper() + message[1:] + "."

    def _finished(self, key: Hashable, result: Any) -> None:
        if key == self._key:
            self.show(result, True)
            self.mark()

    def _show_partial(self, *_events: object) -> None:
        found, key = self.partial, self._key
        if found is not None:
            in_document(partial(self._draw_partial, found, key))

    def _draw_partial(self, found: Any, key: Hashable) -> None:
        if key == self._key and self.jobs.busy:
            self.show(found, False)
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
        return KERNELS[self.trainer.setting.kernel].scale

    def _named(self, text: str) -> Any:
        """Fill in the letter of the bandwidth, and whose it is, of the kernel."""

        def fill(kernel: str) -> str:
            return text.format(KERNELS[kernel].scale, KERNELS[kernel].of)

        return pn.bind(fill, self.trainer.param.kernel)

    def _below(self) -> list[Any]:
        return [plain_text(self.param.message), self.button, self.jobs]
