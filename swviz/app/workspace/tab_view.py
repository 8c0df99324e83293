"""What all views share: a workspace, controls, and a place in a notebook's cell."""

from __future__ import annotations

import base64
from typing import Any

import panel as pn
from bokeh.models import CustomJS
from panel.viewable import Viewable, Viewer

from swviz import plot
from swviz.app.compat.panel import HEAR_ALL_CHANGES
from swviz.app.runtime.cells import CELLS, cell_id_of, reach, shell_of_kernel
from swviz.app.runtime.task import Task, finish, ready
from swviz.app.ui.frame import cell_page, frame_html, png_of
from swviz.app.workspace.sidebar import Sidebar
from swviz.app.workspace.state import Workspace
from swviz.checks import check_flag
from swviz.errors import ParameterError
from swviz.notebooks import keeps_pages
from swviz.plot.looks import theme_in_use

LIVE_SECONDS = 2.0
"""For first results, before a view is shown to somebody who sees the others come."""

BATCH_SECONDS = 120.0
"""The same where nobody looks, as when nbconvert runs a notebook: what is not in the
picture then will never be seen."""


class TabView(Viewer):
    """A view: a tab of the dashboard, or alone in a cell of a notebook.

    Parameters
    ----------
    controls : bool, default=False
        Whether a cell shows the sidebar beside the view: data, pair, M, sigma, and what
        the view itself adds.
    **params
        Parameters of the view.
    """

    workspace: Workspace
    _is_closed = False

    def __init__(self, *, controls: bool = False, **params: Any) -> None:
        self._with_controls = check_flag(controls, "controls")
        super().__init__(**params)

    @property
    def tasks(self) -> list[Task]:
        """What the view computes by itself, in the order in which one asks the next."""
        return []

    async def ready(self) -> None:
        """Wait until all that the view computes by itself is there, and on show.

        In a cell of a notebook, ``await view.ready()``.
        """
        await ready(*self.tasks)

    def close(self) -> None:
        """Stop following the workspace, stop computing, and free the cells' frames."""
        self._is_closed = True
        CELLS.end(self)

    def stills(self) -> list[Any]:
        """Draw what is on show with :mod:`swviz.plot`, for where there is no kernel.

        Returns
        -------
        list of HoloViews elements
        """
        space = self.workspace
        return [
            plot.diagram(*space.pair),
            plot.cost_curve(
                *space.pair, space.n_directions, space.rule, theta=space.theta
            ),
        ]

    def still_page(self) -> str | None:
        """Write a page that does without a kernel, where a view has one."""
        return None

    # -- cells ----------------------------------------------------------------------

    def _repr_mimebundle_(
        self, include: object = None, exclude: object = None
    ) -> dict[str, str]:
        """Return what a cell shows: the view in a frame, and a picture of it."""
        title = f"{type(self).__name__}: {self.workspace.title}"
        shell = shell_of_kernel()
        if shell is None:
            return {"text/plain": title}
        if self._is_closed:
            raise ParameterError(
                "this view has been closed, with the cell that showed it: make another"
            )
        is_batch = cell_id_of(shell) is None
        finish(self.tasks, BATCH_SECONDS if is_batch else LIVE_SECONDS)
        png = png_of(*self.stills())
        bundle = {"text/plain": title}
        if png is not None:
            bundle["image/png"] = base64.b64encode(png).decode()
        reached = reach()
        page = None
        if reached != "always" or keeps_pages():
            page = self.still_page()
        live = None
        if reached != "never":
            frame = CELLS.show(self, self._page_of_cell)
            live = CELLS.port, frame.key
        return bundle | {"text/html": frame_html(title, png, live, page)}

    def _page_of_cell(self) -> Viewable:
        sidebar = None
        if self._with_controls:
            sidebar = Sidebar(self.workspace)
            sidebar.show(getattr(self, "controls", []))
        script = CustomJS(code=HEAR_ALL_CHANGES)
        pn.state.curdoc.js_on_event("document_ready", script)
        return cell_page(self, controls=sidebar, dark=theme_in_use() == "dark")
