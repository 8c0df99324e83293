"""Pictures that are there for a light and for a dark page: the site shows one of them.

On the code's host both stand side by side, in a table with a column for each.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes

MODES = ("light", "dark")


def mark(app: Any, document: nodes.document) -> None:
    """Mark tables with such pictures, and the cells that hold them."""
    for image in document.findall(nodes.image):
        modes = [mode for mode in MODES if f"/{mode}/" in image["uri"]]
        cell = _around(image, nodes.entry)
        table = _around(image, nodes.table)
        if modes and cell is not None and table is not None:
            cell["classes"].append(f"of-{modes[0]}")
            if "themed" not in table["classes"]:
                table["classes"].append("themed")


def _around(node: nodes.Node, kind: type[nodes.Element]) -> Any:
    while node is not None and not isinstance(node, kind):
        node = node.parent
    return node


def setup(app: Any) -> dict[str, Any]:
    """Have it done to every page that is read."""
    app.connect("doctree-read", mark)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
