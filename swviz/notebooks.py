"""Showing pictures and views in the cells of a notebook."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from swviz.checks import check_choice, check_flag

if TYPE_CHECKING:
    from swviz.plot.theme import Mode


_keeps_pages = False


def notebook(pages: bool = False, theme: Mode = "light") -> None:
    """Have pictures show themselves in this notebook: call it once, at the top.

    Parameters
    ----------
    pages : bool, default=False
        Whether `SliceView` leaves a page in the notebook that turns without a kernel,
        of two megabytes, and not only a picture. It does so by itself where the browser
        may not reach the kernel: on a hub, in VS Code, on Colab.
    theme : {"light", "dark"}, default="light"
        Of pictures, and of views that are shown from now on.

    Notes
    -----
    The scripts that draw are put into the notebook, three megabytes: it needs no
    network, and pictures still answer when it is opened again or exported as HTML.
    Outside of a notebook only the theme is set. Views of the dashboard
    (:mod:`swviz.app.views`) show themselves without this.

    Examples
    --------
    >>> import swviz as sw
    >>> sw.notebook()
    """
    global _keeps_pages
    _keeps_pages = check_flag(pages, "pages")
    import holoviews as hv

    from swviz.plot.looks import use_theme
    from swviz.plot.theme import MODES

    check_choice(theme, "theme", MODES)

    use_theme(theme)
    # Which fills the console with complaints of drivers, and is no faster.
    hv.renderer("bokeh").webgl = False
    if not _in_a_notebook():
        return
    hv.extension("bokeh", inline=True, logo=False)
    # Beside wide pictures a slider would be cut off.
    hv.output(widget_location="top_left")


def keeps_pages() -> bool:
    """Tell whether views are to leave pages in the notebook."""
    return _keeps_pages


def _in_a_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and hasattr(shell, "kernel")
