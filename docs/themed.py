"""Pictures that are there for a light and for a dark page: the site shows one of them.

On the code's host both are shown, in a table side by side or one below the other.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes

MODES = ("light", "dark")


def mark(app: Any, document: nodes.document) -> None:
    """Mark such pictures, known by their paths, or the cells that hold them."""
    for image in document.findall(nodes.image):
        for mode in MODES:
            if f"/{mode}/" in image["uri"] or f"-{mode}." in image["uri"]:
                _mark(image, mode)


def _mark(image: nodes.image, mode: str) -> None:
    cell, table = _around(image, nodes.entry), _around(image, nodes.table)
    if cell is None:
        image["classes"].append(f"only-{mode}")
        return
    cell["classes"].append(f"of-{mode}")
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
