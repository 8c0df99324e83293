"""A Sphinx directive for the reference: all public names of a module, each once.

``.. public-names:: swviz.kernels`` documents what ``swviz.kernels.__all__`` lists, and
for a module without such a list what ``swviz.__all__`` has of it. A thing stands under
its shortest address: ``swviz.SlicedWassersteinKernel``. New names need no new lines.
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import swviz

ROOMS = ("files", "kernels", "learning", "plot", "sources", "studies")
"""The rooms with names of their own behind ``sw.``."""


def public_names(module: ModuleType) -> list[str]:
    """Return the names of a module that the reference shows, in its order."""
    listed = getattr(module, "__all__", None)
    if listed is not None and module is not swviz:
        return list(listed)
    return [
        name
        for name in swviz.__all__
        if getattr(getattr(swviz, name), "__module__", None) == module.__name__
    ]


def address(module: ModuleType, name: str) -> str:
    """Return the shortest public name of what a module calls so."""
    thing = getattr(module, name)
    if name in swviz.__all__ and getattr(swviz, name) is thing:
        return f"swviz.{name}"
    return f"{module.__name__}.{name}"


def all_addresses() -> dict[str, str]:
    """Return all public addresses of the library, by the last part of each.

    Where two rooms have the same name, as ``sw.balanced_segments`` and its picture,
    the one that is reached sooner has it.
    """
    found: dict[str, str] = {}
    for room in ROOMS:
        module = import_module(f"swviz.{room}")
        for name in public_names(module):
            found.setdefault(name, address(module, name))
    return found | {
        name: f"swviz.{name}"
        for name in swviz.__all__
        if not inspect.ismodule(getattr(swviz, name))
    }


class PublicNames(SphinxDirective):
    """Document the public names of a module."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Write autodoc's directives, and have them read."""
        module = import_module(self.arguments[0])
        lines = [line for name in public_names(module) for line in _lines(module, name)]
        place = self.get_source_info()[0]
        return self.parse_text_to_nodes("\n".join(StringList(lines, place)))


def _lines(module: ModuleType, name: str) -> Iterator[str]:
    thing, where = getattr(module, name), address(module, name)
    if inspect.isclass(thing):
        is_error = issubclass(thing, Exception)
        yield f".. {'autoexception' if is_error else 'autoclass'}:: {where}"
        # Views have Panel's members, errors Python's.
        if not is_error and not module.__name__.startswith("swviz.app"):
            yield "   :members:"
    elif callable(thing):
        yield f".. autofunction:: {where}"
    else:
        # autodoc finds the words below a constant only where it is made.
        yield f".. py:data:: {name}"
        yield f"   :module: {where.rpartition('.')[0]}"
        yield ""
        yield from (f"   {line}" for line in _words_below(module, name))
    yield ""


def _words_below(module: ModuleType, name: str) -> list[str]:
    places = [module.__name__]
    if hasattr(module, "__path__"):
        found = pkgutil.iter_modules(module.__path__, f"{module.__name__}.")
        places += [one.name for one in found]
    for place in (*places, "swviz.typing"):
        words = ModuleAnalyzer.for_module(place).find_attr_docs().get(("", name))
        if words:
            return words
    return []


def resolve(app: Any, env: Any, node: pending_xref, content: Any) -> Any:
    """Lead to the public address of what docstrings call by the module it is from."""
    if node.get("refdomain") != "py":
        return None
    first, _, last = node["reftarget"].rpartition(".")
    known = all_addresses()
    owner = first.rpartition(".")[2]
    target = known.get(last) or f"{known.get(owner)}.{last}"
    found = env.domains.python_domain.objects.get(target)
    if found is None:
        # What is there but not public has words, and no link.
        return content if _is_there(node["reftarget"]) else None
    return make_refnode(
        app.builder, node["refdoc"], found.docname, found.node_id, content, target
    )


def _is_there(name: str) -> bool:
    place, _, last = name.rpartition(".")
    try:
        return place.startswith("swviz") and hasattr(import_module(place), last)
    except ImportError:
        return False


def leave_out(_app: Any, _what: str, name: str, *given: Any) -> bool:
    """Leave out what scikit-learn adds to every estimator, and what autodoc would."""
    _thing, is_left_out, _options = given
    return bool(is_left_out) or bool(re.fullmatch(r"set_\w+_request", name))


def flatten(_app: Any, what: str, _name: str, *given: Any) -> None:
    """Make headings in the words on a module plain lines: a page has its own."""
    _thing, _options, lines = given
    if what != "module":
        return
    text = re.sub(r"(?m)^(\w.*)\n-+$", r".. rubric:: \1\n", "\n".join(lines))
    lines[:] = text.split("\n")


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx of the directive."""
    app.add_directive("public-names", PublicNames)
    app.connect("missing-reference", resolve)
    app.connect("autodoc-skip-member", leave_out)
    # Before numpydoc.
    app.connect("autodoc-process-docstring", flatten, priority=1)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
