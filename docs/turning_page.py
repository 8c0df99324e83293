"""Slices as a page of its own inside the documentation, made when that is built.

``swviz slices A.csv B.csv -o slices.html`` writes such a page from files. It has all
its scripts and 1.9 MB, so it is not committed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

PAGE = "_static/slices.html"


def write_page(path: Path) -> None:
    """Write the page of the dashboard's first pair: a circle and a figure eight."""
    import swviz as sw
    from swviz.app.views import SliceView

    loops = sw.sources.from_preset("point_clouds", "small", cache=False).in_dimension(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    SliceView(loops[0], loops[12]).save(path, title="Slices")


def is_old(path: Path) -> bool:
    """Tell whether there is no page yet, or swviz has changed since."""
    package = Path(__file__).parents[1] / "swviz"
    sources = [one for one in package.rglob("*") if one.suffix in (".py", ".js")]
    newest = max(one.stat().st_mtime for one in sources)
    return not path.exists() or path.stat().st_mtime < newest


def write_if_old(app: Any, problem: Exception | None) -> None:
    """Write the page after a build, unless it is as new as swviz."""
    path = Path(app.outdir) / PAGE
    if problem is None and app.builder.format == "html" and is_old(path):
        write_page(path)


def setup(app: Any) -> dict[str, Any]:
    """Have it written at the end of a build."""
    app.connect("build-finished", write_if_old)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
