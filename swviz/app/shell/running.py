"""Jobs at work, shown on every tab; those that a reload ended are told of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from swviz.app.runtime.browser import Browser
from swviz.app.runtime.session import tell
from swviz.app.ui.job_bar import JobBar, RunningJobs
from swviz.app.ui.theme import flow, plain_text, stack

LOST_AFTER_MS = 4000
"""Jobs that a page starts by itself have begun again by then, and are not lost."""

_BAR = {
    "position": "sticky",
    "top": "0",
    "z-index": "5",
    "background": "var(--panel-surface-color, #FFFFFF)",
    "border": "1px solid color-mix(in srgb, currentColor 25%, transparent)",
    "border-radius": "10px",
    "padding": "0 6px",
}


class JobsElsewhere(pn.viewable.Viewer):
    """One line that tells of jobs at work in tabs that are not open.

    Parameters
    ----------
    running : RunningJobs
    tab_of : callable
        Takes a bar and returns the tab that it is in, or None if it is on all.
    """

    tab = param.String(default="", doc="The tab that is open.")
    text = param.String(default="", doc="Empty if there is nothing to tell.")

    def __init__(
        self,
        running: RunningJobs,
        tab_of: Callable[[JobBar], str | None],
        **params: Any,
    ) -> None:
        super().__init__(**params)
        self._running, self._tab_of = running, tab_of
        self._tabs: dict[JobBar, str | None] = {}
        self._watchers: dict[JobBar, Any] = {}
        self._place = stack(styles={"display": "none"})
        running.param.watch(self._list, "bars")
        self.param.watch(self._tell, "tab")

    def __panel__(self) -> pn.Column:
        return self._place

    @property
    def elsewhere(self) -> dict[JobBar, str]:
        """The bars at work that cannot be seen, and their tabs."""
        return {
            bar: tab
            for bar, tab in self._tabs.items()
            if tab is not None and tab != self.tab
        }

    def show(self, _event: object = None) -> None:
        """Open the tab of the job that has been at work for longest."""
        for tab in self.elsewhere.values():
            self.tab = tab
            return

    def _list(self, *_events: object) -> None:
        bars = self._running.bars
        for bar in [bar for bar in self._tabs if bar not in bars]:
            del self._tabs[bar]
            bar.param.unwatch(self._watchers.pop(bar))
        for bar in bars:
            if bar not in self._tabs:
                self._tabs[bar] = None
                self._watchers[bar] = bar.param.watch(self._tell, "text")
        self._tell()

    def _tell(self, *_events: object) -> None:
        for bar, tab in self._tabs.items():
            if tab is None:
                # Again each time: a job may begin before its card is on the page.
                self._tabs[bar] = self._tab_of(bar)
        self.text = "; ".join(
            f"{tab}: {bar.text or 'working'}" for bar, tab in self.elsewhere.items()
        )
        if self.text and not self._place.objects:
            # Made when it is needed: most visits stay on the tab of their job.
            button = pmui.Button(
                label="Show",
                variant="text",
                size="small",
                align="center",
                margin=2,
                on_click=self.show,
            )
            text = plain_text(self.param.text, flex="1", align_self="center")
            self._place.append(flow(text, button))
        self._place.styles = _BAR | {"display": "flex" if self.text else "none"}


class LostJobs:
    """Lets the browser remember jobs at work, and tells of those that a page left."""

    def __init__(self, running: RunningJobs, browser: Browser) -> None:
        self._running, self._browser = running, browser
        running.param.watch(self._write, "bars")
        browser.param.watch(self._read, "lost")

    def _write(self, *_events: object) -> None:
        self._browser.at_work = "\n".join(self._running.titles)

    def _read(self, event: Any) -> None:
        titles = str(event.new).split("\n")
        document = pn.state.curdoc
        if document is None or document.session_context is None:
            self._tell(titles)
        else:
            tell = partial(self._tell, titles)
            # A page starts jobs when it has been loaded, which takes its time.
            pn.state.onload(partial(document.add_timeout_callback, tell, LOST_AFTER_MS))

    def _tell(self, titles: list[str]) -> None:
        lost = [title for title in titles if title not in self._running.begun]
        if lost:
            tell(
                "Lost, because this page was left while at work: "
                f"{'; '.join(lost)}. Start it again if you need it.",
                "warning",
                15,
            )
