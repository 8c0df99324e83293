"""The rules of the rooms, which CONTRIBUTING.md tells: who may import whom."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# A room may import those before it.
APP = ("compat", "runtime", "ui", "workspace", "tabs", "shell")


def imports_of(source):
    """Yield the dotted names that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they lead"
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def complaint(room, tab, name):
    """Say what is wrong with an import in a room of the app, if anything is."""
    parts = name.split(".")
    if parts[:2] != ["swviz", "app"] or len(parts) < 3:
        return None
    other = parts[2]
    if other not in APP:
        return None if room == "shell" else f"{other} is the app's door, for others"
    if APP.index(other) > APP.index(room):
        return f"{room} comes before {other}"
    if room == other == "tabs" and parts[3] != tab:
        return f"the tab {tab} must not know the tab {parts[3]}"
    return None


def modules():
    for room in APP:
        for path in sorted((ROOT / "swviz" / "app" / room).rglob("*.py")):
            yield room, path


@pytest.mark.parametrize(
    ("room", "path"),
    [
        pytest.param(room, path, id="/".join(path.parts[-3:]))
        for room, path in modules()
    ],
)
def test_a_room_imports_only_what_it_may(room, path):
    tab = path.parent.name if room == "tabs" else None
    found = [complaint(room, tab, name) for name in imports_of(path.read_text())]
    assert [text for text in found if text] == []


@pytest.mark.parametrize(
    ("room", "tab", "line"),
    [
        ("tabs", "learn", "from swviz.app.tabs.slices.view import SliceView"),
        ("tabs", "learn", "from swviz.app.shell import page"),
        ("tabs", "learn", "from swviz.app.views import SliceView"),
        ("ui", None, "from swviz.app.workspace.state import Workspace"),
        ("runtime", None, "def late():\n    import swviz.app.ui.theme"),
    ],
)
def test_an_import_that_breaks_a_rule_is_found(room, tab, line):
    assert any(complaint(room, tab, name) for name in imports_of(line))


@pytest.mark.parametrize("path", sorted((ROOT / "swviz/app/runtime").glob("*.py")))
def test_the_runtime_knows_no_figure(path):
    plotting = ("bokeh.plotting", "holoviews", "bokeh.models.glyphs")
    names = list(imports_of(path.read_text()))
    assert not [name for name in names if name.startswith(plotting)]


def test_every_module_of_the_app_is_in_a_room():
    top = {path.name for path in (ROOT / "swviz" / "app").glob("*.py")}
    assert top == {"__init__.py", "views.py"}
    rooms = {
        path.parent.name for path in (ROOT / "swviz" / "app").glob("*/__init__.py")
    }
    assert rooms == set(APP)
