"""The rules of the rooms, which CONTRIBUTING.md tells: who may import whom."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# A room of the app may import those before it.
APP = ("compat", "runtime", "ui", "workspace", "tabs", "shell")


# What each room of the library may import, beside the ground that all stand on.
GROUND = {"errors", "typing", "checks", "seeds", "results", "packages"}
# What a module of the ground may import inside of a function, when it is called.
LATE = {"results": {"plot"}}
DIAGRAMS = {"diagrams", "directions", "estimators"}
MATHEMATICS = DIAGRAMS | {
    *("slices", "batches", "atoms", "exact", "embedding"),
    *("matchings", "large_matchings", "bottleneck", "distances", "flows"),
}
LIBRARY = {
    "errors": set(),
    "typing": set(),
    "seeds": {"errors"},
    "checks": {"errors", "typing"},
    "results": set(),
    "packages": {"errors"},
    "diagrams": set(),
    "directions": set(),
    "estimators": {"diagrams"},
    "files": {"diagrams"},
    "sources": {"diagrams", "files"},
    "slices": {"diagrams", "directions"},
    "batches": {"diagrams", "directions", "slices"},
    "atoms": set(),
    "exact": {"diagrams", "directions", "atoms", "batches"},
    "embedding": DIAGRAMS | {"slices", "batches"},
    "bottleneck": {"diagrams"},
    "large_matchings": {"diagrams", "bottleneck"},
    "matchings": {"diagrams", "bottleneck", "large_matchings"},
    "distances": MATHEMATICS - {"distances", "flows"},
    "flows": {"diagrams", "directions", "slices", "batches"},
    "kernels": MATHEMATICS,
    "compat": set(),
    "learning": MATHEMATICS | {"kernels", "files", "compat"},
    "studies": MATHEMATICS | {"kernels", "learning", "sources"},
    "plot": MATHEMATICS | {"sources", "learning", "studies"},
    "experiments": MATHEMATICS
    | {"kernels", "learning", "studies", "sources", "files", "plot"},
    "lessons": MATHEMATICS | {"kernels", "learning", "studies", "sources"},
    "notebooks": {"plot"},
    "command": MATHEMATICS | {"files", "app"},
    "__main__": {"command"},
}


def imports_of(source):
    """Yield the dotted names that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide where they lead"
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def late_imports_of(source):
    """Yield what a module imports inside of functions: when they are called."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from imports_of(ast.unparse(node))


def named_imports_of(source):
    """Yield the modules that a module imports by a name in quotes, or by any other."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).split(".")[-1]
            if called in ("import_module", "__import__", "load_package"):
                named = node.args[0]
                constant = isinstance(named, ast.Constant)
                yield str(named.value) if constant else ast.unparse(named)


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


def library_complaint(room, name):
    """Say what is wrong with an import in a room of the library, if anything is."""
    first, *rest = name.split(".")
    if first != "swviz":
        return None
    if not rest or rest[0] == "__init__":
        return "a room does not import the whole library"
    if rest[0] == room:
        return None
    ground = set() if room in GROUND else GROUND
    if rest[0] not in LIBRARY[room] | ground:
        return f"{room} must not know {rest[0]}"
    return None


def library_modules():
    for path in sorted((ROOT / "swviz").rglob("*.py")):
        room = path.relative_to(ROOT / "swviz").with_suffix("").parts[0]
        if room not in ("app", "__init__"):
            yield room, path


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


@pytest.mark.parametrize("room", ["ui", "workspace", "tabs"])
def test_threads_and_loops_are_the_business_of_the_runtime(room):
    for path in (ROOT / "swviz/app" / room).rglob("*.py"):
        names = {name.split(".")[0] for name in imports_of(path.read_text())}
        assert not names & {"asyncio", "threading", "concurrent"}, path


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


@pytest.mark.parametrize(
    ("room", "path"),
    [
        pytest.param(room, path, id="/".join(path.relative_to(ROOT / "swviz").parts))
        for room, path in library_modules()
    ],
)
def test_a_room_of_the_library_imports_only_what_it_may(room, path):
    assert room in LIBRARY, "say in LIBRARY what a new room may import"
    source = path.read_text()
    late = {
        name
        for name in late_imports_of(source)
        if name.split(".")[1:2] and name.split(".")[1] in LATE.get(room, ())
    }
    names = [name for name in imports_of(source) if name not in late]
    found = [library_complaint(room, name) for name in names]
    assert [text for text in found if text] == []


def test_pictures_are_reached_from_one_place_and_late():
    """Results draw themselves: `results.draw` is the only way up to the plots."""
    source = (ROOT / "swviz/results.py").read_text()
    assert list(late_imports_of(source)).count("swviz.plot") == 1
    assert list(imports_of(source)).count("swviz.plot") == 1


def test_a_late_import_is_told_from_one_at_the_top():
    source = "from swviz import plot\ndef draw():\n    from swviz import exact\n"
    assert list(late_imports_of(source)) == ["swviz.exact"]


def test_no_import_is_hidden_in_a_text():
    """Modules of the library are named in quotes at its doors only."""
    doors = {"__init__", "packages"}
    for room, path in library_modules():
        for name in named_imports_of(path.read_text()):
            door = path.name == "__init__.py" or room in doors
            assert door or name.split(".")[0] in ("gudhi", "module"), (path, name)


@pytest.mark.parametrize(
    ("room", "line"),
    [
        ("sources", "from swviz.distances import sliced_wasserstein_matrix"),
        ("files", "from swviz.sources import orbits"),
        ("slices", "from swviz.distances import sliced_wasserstein_matrix"),
        ("distances", "from swviz.kernels import SlicedWassersteinKernel"),
        ("kernels", "from swviz.learning.svm import fit_svm"),
        ("kernels", "from swviz.sources import d1_counterexample"),
        ("learning", "def late():\n    from swviz.studies import ratio_study"),
        ("studies", "from swviz.experiments import load_results"),
        ("checks", "from swviz.seeds import as_seed"),
        ("experiments", "from swviz.app.views import SliceView"),
        ("studies", "from swviz.plot import theme"),
        ("plot", "from swviz.experiments import load_results"),
        ("plot", "from swviz.app.ui.theme import ACCENT"),
        ("studies", "import swviz.app"),
        ("kernels", "import swviz"),
        ("kernels", "from swviz import mmd_test"),
        ("experiments", "from swviz.command import main"),
        ("command", "from swviz.experiments import load_results"),
    ],
)
def test_an_import_that_breaks_the_order_of_the_library_is_found(room, line):
    assert any(library_complaint(room, name) for name in imports_of(line))


def test_the_order_of_the_library_is_one():
    """No room may import one that may import it, over however many steps."""
    known = set(GROUND)
    left = {
        room: may - GROUND - {"app"}
        for room, may in LIBRARY.items()
        if room not in GROUND
    }
    while left:
        ready = [room for room, may in left.items() if may <= known]
        assert ready, f"these rooms go around in circles: {sorted(left)}"
        known |= set(ready)
        for room in ready:
            del left[room]
