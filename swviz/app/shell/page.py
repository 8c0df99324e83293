"""The page of one session: bar, sidebar, tabs that are made when they are opened."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Any
from urllib.parse import urlencode

import panel as pn
import panel_material_ui as pmui
from bokeh.models import CustomJS
from panel.viewable import Viewable, Viewer

from swviz.app import views
from swviz.app.compat.bokeh import (
    hide_folder,
    hide_traces,
    send_at_once,
    walk_faster,
)
from swviz.app.compat.panel import HEAR_ALL_CHANGES, keep_sending, make_models
from swviz.app.runtime.browser import Browser
from swviz.app.runtime.building import make_then, rehearse, when_drawn
from swviz.app.runtime.jobs import JobCancelled, digest, jobs_rest
from swviz.app.runtime.logs import keep_data_out_of_logs
from swviz.app.runtime.reuse import is_for_all, needs_html, take_styles_from_here
from swviz.app.runtime.session import (
    count_sessions,
    free_at_end,
    handle_exception,
    ignore_busy,
    in_document,
    keep_from_collector,
    log,
    spare_checks,
    tell,
)
from swviz.app.runtime.settings import SETTINGS, variable
from swviz.app.runtime.task import Task
from swviz.app.shell.first_steps import Example, FirstSteps
from swviz.app.shell.opening import TEMPLATE, opening
from swviz.app.shell.presenting import Presenting
from swviz.app.shell.running import JobsElsewhere, LostJobs
from swviz.app.shell.scripts import WAIT_FOR_SERVER
from swviz.app.shell.stage import Stage
from swviz.app.shell.tours import Station

# A page knows the types that exist when it is sent. Panel sends a type later only to
# the first page that needs it: so components of tabs are imported before any page.
from swviz.app.tabs.slices import board as board
from swviz.app.ui import drop as drop
from swviz.app.ui import pictures as pictures
from swviz.app.ui.controls import ADDRESS, Controls, buttons
from swviz.app.ui.copying import PythonDialog, tell_copied
from swviz.app.ui.job_bar import JobBar, RunningJobs
from swviz.app.ui.theme import BAR, MATERIAL, island, stack
from swviz.app.workspace.keeping import (
    MOST_KEPT,
    belongs_to,
    bring_back,
    bring_back_runs,
    is_worth_keeping,
    pack,
    unpack,
    write_data,
)
from swviz.app.workspace.knobs import recipe
from swviz.app.workspace.links import MissingNotice, not_in_link
from swviz.app.workspace.made import made_before, needs_making
from swviz.app.workspace.sidebar import Sidebar
from swviz.app.workspace.state import TABS, Workspace, asked_for, title_of
from swviz.diagrams import DiagramSet
from swviz.errors import SwvizError
from swviz.sources import SOURCES

URL_DELAY_MS = 300
"""The address follows the state, but not every step of a moving slider."""

LONGEST_MOVE_MS = 2100
"""What goes on moving is in the address after so long nevertheless."""

KEEP_DELAY_MS = 1000
"""What a link does not carry is sent whole, and not at each step of a drag."""

_PHONE = 600
"""Below this width Material UI lays the sidebar over the page."""

_BAR_HEIGHT = {"xs": 96, "md": 56}
"""Of one row, or of two where one has no room for the tabs."""

# The bar keeps its size when type gets larger: its sizes are in pixels.
_STYLE = {
    "& .header": {
        "backgroundColor": BAR,
        "backgroundImage": "none",
        "color": "#FFFFFF",
    },
    "& .header .title": {"fontSize": "21.6px", "fontWeight": 700},
    "& .MuiToolbar-root": {"minHeight": _BAR_HEIGHT},
    "& .header .MuiToolbar-root": {
        "minHeight": _BAR_HEIGHT,
        "flexWrap": {"xs": "wrap", "md": "nowrap"},
        "paddingLeft": {"xs": "12px", "sm": "24px"},
        "paddingRight": {"xs": "4px", "sm": "24px"},
    },
    # The tabs leave the box that they share with the buttons for a row of their own.
    "& .header .MuiToolbar-root > div:nth-of-type(2)": {
        "display": {"xs": "contents", "md": "flex"}
    },
    "& .header .tabs": {
        "order": {"xs": 1, "md": 0},
        "flex": {"xs": "1 0 100%", "md": "0 1 auto"},
        "margin": {"xs": "0 !important", "md": "0 0 0 12px !important"},
        "minWidth": 0,
    },
    "& .main": {"backgroundColor": "background.default"},
    "& .main-content": {"padding": "6px", "overflowX": "hidden"},
}

_TABS_IN_BAR = {
    "minHeight": {"xs": 44, "md": 52},
    "& .MuiTab-root": {
        "color": "rgba(255, 255, 255, 0.8)",
        "textTransform": "none",
        "fontSize": {"xs": "12.8px", "sm": "15.2px"},
        "letterSpacing": {"xs": 0, "sm": "0.02857em"},
        "minWidth": 0,
        "minHeight": {"xs": 44, "md": 52},
        "padding": {"xs": "6px 4px", "sm": "6px 14px"},
    },
    # Not a bolder font: a tab that gets wider has Bokeh lay out the whole page.
    "& .MuiTab-root.Mui-selected": {
        "color": "#FFFFFF",
        "textShadow": "0 0 0.9px currentColor",
        "boxShadow": "inset 0 -3px #E9A03B",
    },
    # Material's own line is late where the server changes the tab.
    "& .MuiTabs-indicator": {"display": "none"},
    # Where tabs have no room, arrows say that there are more; on phones, too.
    "& .MuiTabs-scrollButtons": {"display": "inline-flex", "width": 24},
    "& .MuiTabs-scrollButtons.Mui-disabled": {"display": "none"},
}

_CLOSE_DRAWER_ON_PHONE = f"""
if (window.innerWidth < {_PHONE}) {{
  for (const root of Bokeh.documents.flatMap((doc) => doc.roots())) {{
    if (root.data?.sidebar_open === true) root.data.sidebar_open = false
  }}
}}
"""


def create_page() -> pmui.Page:
    """Build the page of a new session and read the state from its URL."""
    pn.extension(
        "mathjax",
        "tabulator",
        notifications=True,
        exception_handler=handle_exception,
        disconnect_notification="Until the server is back, nothing new is computed.",
    )
    walk_faster()
    hide_traces()
    hide_folder()
    keep_data_out_of_logs()
    keep_sending()
    keep_from_collector()
    spare_checks()
    take_styles_from_here()
    stays = is_for_all()
    if count_sessions() >= SETTINGS.sessions and not stays:
        page = full_house()
        free_at_end(page, counts=False)
        return page
    with jobs_rest():
        page = SessionPage(Workspace(), _query()).layout
    free_at_end(page, counts=not stays)
    return page


def full_house() -> pmui.Page:
    """Build the page of a visitor for whom there is no room: nearly empty."""
    log.warning("%d sessions are open: a visitor was sent away", count_sessions())
    page = pmui.Page(
        title="swviz",
        main=[
            pmui.Alert(
                title="This server is full",
                object=f"{SETTINGS.sessions:,} pages are open, as many as it allows. "
                "Try again in a minute: reload this page. Whoever runs the server can "
                f"raise {variable('sessions')}.",
                severity="warning",
                margin=24,
            )
        ],
        busy_indicator=None,
    )
    ignore_busy(page)
    return page


class SessionPage:
    """What stands around the views, and the state in the URL.

    Parameters
    ----------
    workspace : Workspace
    query : mapping of str to str, optional
        What the session's URL says.
    """

    def __init__(
        self, workspace: Workspace, query: Mapping[str, str] | None = None
    ) -> None:
        self.workspace = workspace
        self.views: dict[str, Viewer] = {}
        # There from the start: a tab that is added has all others laid out with it. In
        # a column, since a component measures new figures before they are laid out.
        self._places = {tab: stack() for tab in TABS}
        self._islands = {tab: island(place) for tab, place in self._places.items()}
        self._opening: set[str] = set()
        self._making = Task()
        self.jobs = JobBar(self._making)
        self.dialog: PythonDialog | None = None
        self._pending_write = self._pending_keep = False
        self._moved, self._moving_ms = False, 0
        self._written: tuple[DiagramSet | None, str] = None, ""
        given = query = dict(query or {})
        self._dark = query.get("theme") == "dark"
        # Who comes by a link knows what to look at.
        is_new = not query.keys() - {"theme"}
        self.presenting = Presenting(self._go_to)
        self.stage = Stage(is_on=query.get("present") == "yes" or "tour" in query)
        # Whether somebody presents without a tour.
        self._presents = query.get("present") == "yes"
        query = self._asked = self.presenting.read(query)
        later = self._loading = needs_making(self.workspace, query)
        if later:
            # The right tab at once; the rest when the data set is there.
            query, at_once = _without(query, "tab"), {"tab": query.get("tab", "Slices")}
        else:
            at_once = query
        self._read(at_once)

        self.sidebar = Sidebar(workspace)
        self.notice = MissingNotice(workspace)
        self.first = FirstSteps(self._go_to, self.presenting.start, is_open=is_new)
        above = stack(*[self.first] * is_new, self.notice, self.jobs)
        self._main = island(above, *self._islands.values())
        self._dialogs = stack()
        # A dialog that comes is not to lay out the page.
        self._dialog_island = island(self._dialogs)
        self._has_sidebar = not _is_phone()
        self.running = RunningJobs()
        self.elsewhere = JobsElsewhere(self.running, self._tab_of, tab=workspace.tab)
        self.browser = Browser()
        self.browser.param.watch(self._go_back, "step")
        self.browser.param.watch(self._bring_back, "kept")
        self._lost = LostJobs(self.running, self.browser)
        self.tabs = pmui.TabMenu(
            items=[{"label": name} for name in TABS],
            active=TABS.index(workspace.tab),
            variant="scrollable",
            css_classes=["tabs"],
            margin=0,
            sx=_TABS_IN_BAR,
        )
        self.layout = self._lay_out()
        ignore_busy(self.layout)
        self.tabs.param.watch(self._tab_clicked, "active")
        self.elsewhere.param.watch(self._tab_shown, "tab")
        workspace.param.watch(self._open_tab, "tab")
        workspace.param.watch(self._schedule_write, _in_url(workspace))
        self.presenting.param.watch(self._take_tour, "is_open")
        self.presenting.param.watch(self._schedule_write, "at")
        self.stage.param.watch(self._make_room, "is_on")
        self.stage.param.watch(self._schedule_write, "is_on")
        self.layout.param.watch(self._schedule_write, "dark_theme")
        self._open_tab()
        if later:
            pn.state.onload(partial(self._load, query))
        else:
            # The whole state is in the address from the start, ready to be copied.
            pn.state.onload(self._schedule_write)
        if self.stage.is_on:
            # What is closed from the start would be drawn for the first time when it
            # is opened, and miss what changes just then.
            pn.state.onload(self._close_sidebar)
        if pn.state.curdoc is not None:
            pn.state.onload(rehearse_tabs)
            pn.state.onload(lambda: send_at_once(pn.state.curdoc))
            if needs_html():
                pn.state.curdoc.template_variables.update(opening(workspace, given))
            for event, code in (
                ("document_ready", HEAR_ALL_CHANGES),
                ("document_ready", _CLOSE_DRAWER_ON_PHONE),
                ("connection_lost", WAIT_FOR_SERVER),
            ):
                pn.state.curdoc.js_on_event(event, CustomJS(code=code))

    def _lay_out(self) -> pmui.Page:
        large = "Large type and no sidebar (P); one figure alone (F)"
        in_bar = Controls(
            self.workspace,
            [
                buttons(
                    {"name": "present", "text": "Present", "icon": "slideshow"},
                    {"name": "large", "text": "Large", "icon": "zoom_out_map"}
                    | {"title": large},
                    {"name": "python", "text": "Copy as Python", "icon": "code"},
                    {"name": "link", "text": "Link", "icon": "link"}
                    | {"copies": ADDRESS},
                )
            ],
            press={
                "present": self.presenting.start,
                "large": self._present,
                "python": self.show_python,
                "link": lambda: tell_copied(not_in_link(self.workspace)),
            },
            look="bar",
            align="center",
        )
        return pmui.Page(
            title="swviz",
            site_url="?",
            meta_title="swviz · sliced Wasserstein distance of persistence diagrams",
            theme_config=MATERIAL,
            dark_theme=self._dark,
            template=TEMPLATE,
            header=[
                *(self.tabs, pn.Spacer(sizing_mode="stretch_width"), in_bar),
            ],
            sidebar=[island(self.sidebar)],
            main=[
                self.elsewhere,
                self._main,
                self._dialog_island,
                self.presenting,
                self.stage,
                self.browser,
            ],
            sidebar_width=270,
            sidebar_open=self._has_sidebar,
            busy_indicator=None,
            sx=_STYLE,
        )

    def show_python(self, _event: object = None) -> None:
        """Open the dialog with the lines that reproduce what is on show."""
        # A view that shows more than the pair has lines of its own.
        view = self.views.get(self.workspace.tab)
        lines = getattr(view, "as_python", self.workspace.as_python)()
        if self.dialog is None:
            self.dialog = PythonDialog(lines)
            self._dialogs.append(self.dialog)
        else:
            self.dialog.show(lines)

    def _go_to(self, station: Station | Example) -> None:
        """Show a station of a tour, or an example.

        One whose data set is made meanwhile is older.
        """
        query = self._asked = station.query
        slices = self.views.get("Slices")
        if slices is not None:
            slices.rest()
        if self.presenting.is_open:
            self._set_sidebar()
        shown = station.show if isinstance(station, Example) else ""
        self.presenting.bring_into_sight(shown)
        self._loading = needs_making(self.workspace, query)
        if self._loading:
            self.workspace.tab = query.get("tab", self.workspace.tab)
            pn.state.execute(partial(self._load, _without(query, "tab")))
        else:
            self._loaded(query)

    def _close_sidebar(self) -> None:
        def close() -> None:
            if self.stage.is_on:
                self._set_sidebar()

        if pn.state.curdoc is None:
            close()
        else:
            when_drawn(close)

    def _set_sidebar(self) -> None:
        """Open the sidebar at stations that need it, and for who works with it."""
        presenting = self.presenting
        self.layout.sidebar_open = (
            bool(presenting.tour.stations[presenting.at].controls)
            if presenting.is_open
            else self._has_sidebar and not self.stage.is_on
        )

    def _take_tour(self, *_events: Any) -> None:
        """Present as long as a tour does, and then as before it."""
        if self.presenting.is_open:
            self._presents = self.stage.is_on
            self.stage.is_on = True
        else:
            self.stage.is_on = self._presents
        self._set_sidebar()

    def _make_room(self, *_events: Any) -> None:
        """Give the page to who presents, or back to who works with it."""
        if self.stage.is_on:
            self._has_sidebar = self.layout.sidebar_open
            self.first.close()
        self._set_sidebar()

    def _present(self) -> None:
        self.stage.is_on = not self.stage.is_on

    def _go_back(self, event: Any) -> None:
        """Open the tab of an earlier or later entry of the browser's history."""
        _, _, tab = event.new.partition(" ")
        if tab in TABS:
            self.workspace.tab = tab
        # Also if nothing has changed: the entry is as old as its state.
        self._schedule_write()

    def _tab_clicked(self, event: Any) -> None:
        self.workspace.tab = TABS[event.new]

    def _tab_shown(self, event: Any) -> None:
        self.workspace.tab = event.new

    def _open_tab(self, _event: object = None) -> None:
        """Show the view of the workspace's tab, and make it if it is the first time."""
        tab = self.workspace.tab
        self.tabs.active = TABS.index(tab)
        self.elsewhere.tab = tab
        if tab in self.views:
            self._show_tab()
        elif tab not in self._opening:
            self._opening.add(tab)
            for part in self._islands.values():
                # What is on show is of another tab than the bar says.
                part.styles = {**part.styles, "opacity": "0.4"}
            make_then(partial(self._make_tab, tab), partial(self._add_tab, tab))

    def _make_tab(self, tab: str) -> tuple[Viewer, Viewable]:
        try:
            # At a station of a tour the line rests where that has it.
            rests = tab == "Slices" and self.presenting.is_open
            more = {"autoplay": False} if rests else {}
            view = _make_view(tab, self.workspace, **more)
            part = pn.panel(view)
            make_models([part], self._places[tab])
            self.sidebar.prepare(getattr(view, "controls", []))
        finally:
            self._opening.discard(tab)
        return view, part

    def _add_tab(self, tab: str, made: tuple[Viewer, Viewable]) -> None:
        self.views[tab], part = made
        try:
            self._show_tab()
            self._places[tab].objects = [part]
        except Exception:
            # So that the next click tries again.
            del self.views[tab]
            raise

    def _show_tab(self) -> None:
        tab = self.workspace.tab
        if tab not in self.views:
            return
        for name, part in self._islands.items():
            _show(part, name == tab)
        self.sidebar.show(getattr(self.views[tab], "controls", []))

    def _tab_of(self, bar: JobBar) -> str | None:
        if bar is self.jobs:
            return None
        row = bar.__panel__()
        for tab, place in self._places.items():
            if place.select(lambda part: part is row):
                return tab
        return None

    async def _load(self, query: Mapping[str, str]) -> None:
        """Make the link's data set as a job, then take over the link's state."""
        wanted = self._asked
        try:
            asked = asked_for(query)
            await self._making.compute(
                recipe(*asked), digest(*asked), f"Making {title_of(*asked)}"
            )
        except JobCancelled:
            query = _without(query, "source")
        except SwvizError as error:
            tell(f"The link's data set is not known: {error}.", "warning")
            query = _without(query, "source")
        except Exception:
            in_document(self._loaded)
            raise
        if wanted is self._asked:
            in_document(partial(self._loaded, query))

    def _loaded(self, query: Mapping[str, str] | None = None) -> None:
        self._loading = False
        if query is not None:
            self._read(query)
        self._schedule_write()

    def _read(self, query: Mapping[str, str]) -> None:
        for complaint in self.workspace.read_query(
            query, made_before(self.workspace, query)
        ):
            tell(complaint, "warning")

    def _bring_back(self, event: Any) -> None:
        """Show what this tab of the browser had before a reload, where links end."""
        later = partial(self._bring_back_now, str(event.new)[: 2 * MOST_KEPT])
        document = pn.state.curdoc
        if document is None or document.session_context is None:
            later()
        else:
            # What changes while the page is drawn for the first time may be missed.
            pn.state.onload(partial(when_drawn, later))

    def _bring_back_now(self, text: str) -> None:
        try:
            kept = unpack(text)
        except SwvizError as error:
            tell(f"What this page had before could not be brought back: {error}.")
            return
        if belongs_to(kept, self.workspace):
            for complaint in bring_back(self.workspace, kept):
                tell(complaint, "warning")
        else:
            bring_back_runs(self.workspace, kept)

    def _keep(self) -> None:
        """Have the browser keep what a link does not carry."""
        self._pending_keep = False
        space = self.workspace
        if space.missing:
            # What is there is of the set that is missing here.
            return
        text = ""
        if is_worth_keeping(space) and _is_small(space):
            if self._written[0] is not space.dataset and space.source not in SOURCES:
                self._written = space.dataset, write_data(space.dataset)
            text = pack(space, self._written[1])
        self.browser.to_keep = text if len(text) <= MOST_KEPT else ""

    def _schedule_write(self, *_events: object) -> None:
        self._moved = True
        if self._pending_write:
            return
        document = pn.state.curdoc
        if document is None or document.session_context is None:
            self._write()
            return
        self._pending_write, self._moving_ms = True, 0
        self._wait_for_rest(URL_DELAY_MS)

    def _wait_for_rest(self, ms: int) -> None:
        self._moved = False
        self._moving_ms += ms
        pn.state.curdoc.add_timeout_callback(self._write_at_rest, ms)

    def _write_at_rest(self) -> None:
        if self._moved and self._moving_ms < LONGEST_MOVE_MS:
            # To look is a tenth of what a step of a drag costs.
            self._wait_for_rest(2 * URL_DELAY_MS)
        else:
            self._write()

    def _write(self) -> None:
        self._pending_write = False
        if self._loading:
            # The address still leads to the data set that another one stands in for.
            return
        theme = {"theme": "dark"} if self.layout.dark_theme else {}
        # A tour presents by itself.
        mode = {} if self.presenting.is_open else self.stage.to_query()
        query = self.workspace.to_query() | theme | mode | self.presenting.to_query()
        self.browser.show_address("?" + urlencode(query))
        document = pn.state.curdoc
        if document is None or document.session_context is None:
            self._keep()
        elif not self._pending_keep:
            self._pending_keep = True
            document.add_timeout_callback(self._keep, KEEP_DELAY_MS)


_VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    "Diagrams": ("DiagramView", {}),
    "Slices": ("SliceView", {"autoplay": True, "only_when_open": True}),
    "Approximation": ("ApproximationView", {"only_when_open": True}),
    "Distortion": ("DistortionView", {}),
    "Learn": ("LearnView", {}),
    "Paper": ("PaperView", {}),
}
"""The view of each tab in :mod:`swviz.app.views`, and its parameters on a page."""


def _show(column: Viewable, is_shown: bool) -> None:
    """Show a tab or hide it, in a way that leaves all sizes in it as they are.

    What is not displayed at all has no size, and is laid out anew at each visit.
    """
    seen = {"content-visibility": "visible", "overflow": "visible", "opacity": "1"}
    hidden = {"content-visibility": "hidden", "overflow": "hidden"}
    column.styles = {**column.styles, **(seen if is_shown else hidden)}


def _make_view(tab: str, workspace: Workspace, **more: Any) -> Any:
    name, parameters = _VIEWS[tab]
    return getattr(views, name)(workspace=workspace, **{**parameters, **more})


@cache
def rehearse_tabs() -> None:
    """Make all tabs once for nobody, in the background: those of users come sooner."""
    rehearse([partial(_rehearse, tab) for tab in TABS[: SETTINGS.rehearsed_tabs]])


def _rehearse(tab: str) -> None:
    view = _make_view(tab, Workspace())
    pn.panel(view)
    view.close()


def _without(query: Mapping[str, str], key: str) -> dict[str, str]:
    return {name: value for name, value in query.items() if name != key}


def _in_url(workspace: Workspace) -> list[str]:
    others = ("name", "dataset", "widths", "undoable")
    return [name for name in workspace.param if name not in others]


def _is_small(workspace: Workspace) -> bool:
    """Tell whether the set can be written down while others wait: in milliseconds."""
    several = workspace.dataset.diagrams.values()
    return sum(len(diagram) for some in several for diagram in some) <= MOST_KEPT // 40


def _query() -> dict[str, str]:
    """Values of the page's address; of one that is repeated, the last."""
    return {
        name: values[-1].decode(errors="replace")
        for name, values in pn.state.session_args.items()
    }


def _is_phone() -> bool:
    return "Mobi" in str(pn.state.headers.get("User-Agent", ""))
