"""The project itself: imports, documentation and dependencies agree with each other."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from PIL import Image

import swviz
import swviz.sources
from docs import make_tables
from tests.test_gudhi import anew

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
DOCS = sorted((ROOT / "docs").glob("*.md"))
SNIPPETS = {
    path.relative_to(ROOT).as_posix(): found
    for path in (ROOT / "README.md", *DOCS)
    if (found := re.findall(r"```python\n(.*?)```", path.read_text(), re.S))
}
PAGES = list(SNIPPETS)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def library_modules():
    for module in pkgutil.walk_packages(swviz.__path__, "swviz."):
        if not module.name.startswith("swviz.app") and "__main__" not in module.name:
            yield importlib.import_module(module.name)


PLOTTING = {"panel", "bokeh", "holoviews", "param", "matplotlib"}
HEAVY = PLOTTING | {"sklearn", "pandas", "skimage", "gudhi", "PIL", "scipy", "joblib"}


# One after the other in one process: each may load what those before it may, and more.
LOADED = {
    "import swviz as sw": HEAVY,
    "sw.sliced_wasserstein([(0, 1)], [(0, 2)])": HEAVY,
    "sw.sliced_wasserstein_exact([(0, 1)], [(0, 2)])": HEAVY,
    "sw.slice_matching([(0, 1)], [(0, 2)], 0.5)": HEAVY,
    "sw.diagram_distance([(0, 1)], [(0, 2)])": HEAVY - {"scipy"},
    "sw.sources, sw.load": PLOTTING | {"sklearn", "pandas", "skimage", "gudhi"},
    "from swviz import *": PLOTTING | {"skimage", "gudhi"},
    # Matplotlib may be: colorcet offers its maps to it.
    "import swviz.plot.theme, swviz.plot.places": {"panel", "bokeh", "holoviews"},
    "import swviz.experiments.command": {"panel", "bokeh", "holoviews"},
}


def test_the_library_loads_what_it_needs_when_it_needs_it():
    code = "; ".join(f"{line}; print(*sys.modules)" for line in LOADED)
    answer = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    said = answer.stdout.splitlines()
    for modules, (line, unwanted) in zip(said, LOADED.items(), strict=True):
        loaded = {name.split(".")[0] for name in modules.split()}
        assert "numpy" in loaded
        assert not loaded & unwanted, line


def test_a_name_is_the_same_however_it_is_reached():
    """The function `directions` is not hidden by the module that it is from."""
    with anew("swviz"):
        for name in ("slices", "studies.directions", "sources.orbits"):
            importlib.import_module(f"swviz.{name}")
        sw = importlib.import_module("swviz")
        assert sw is not swviz
        assert len(sw.directions(3)) == 3
        assert callable(sw.sources.orbits)
        assert set(sw.__all__) <= set(dir(sw))
        with pytest.raises(AttributeError, match="'swviz' has no attribute 'nothing'"):
            _ = sw.nothing
    assert sys.modules["swviz"] is swviz


def test_names_that_are_loaded_late_are_those_that_checkers_see():
    for package in (swviz, swviz.plot):
        tree = ast.parse(Path(package.__file__).read_text())
        [checked] = [
            node
            for node in tree.body
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ]
        seen = {
            alias.name: node.module for node in checked.body for alias in node.names
        }
        for module, names in package._PLACES.items():
            for name in names:
                assert seen.pop(name) == f"{package.__name__}.{module}"
        assert set(seen) == set(getattr(package, "_ROOMS", ()))


def test_nothing_in_the_library_imports_the_app():
    for path in (ROOT / "swviz").rglob("*.py"):
        if not {"app", "command"} & set(path.relative_to(ROOT / "swviz").parts):
            assert not re.search(
                r"^\s*(from|import) swviz\.app\b", path.read_text(), re.M
            )


def test_public_names_exist_and_are_documented():
    for name in swviz.__all__:
        assert inspect.getdoc(getattr(swviz, name)), name


def is_public(thing, name):
    return any(getattr(door, name, None) is thing for door in (swviz, swviz.sources))


def documented_callables():
    """Public functions, and whatever has a section on its parameters."""
    for module in library_modules():
        for name, thing in vars(module).items():
            if getattr(thing, "__module__", "") != module.__name__:
                continue
            label = f"{module.__name__}.{name}"
            if inspect.isfunction(thing):
                if is_public(thing, name) or "Parameters\n" in str(thing.__doc__):
                    yield pytest.param(thing, id=label)
            elif inspect.isclass(thing):
                for attribute, method in vars(thing).items():
                    if inspect.isfunction(method) and "Parameters\n" in str(
                        method.__doc__
                    ):
                        yield pytest.param(method, id=f"{label}.{attribute}")


def section(docstring, title):
    match = re.search(
        rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", docstring, re.M | re.S
    )
    return match.group(1) if match else ""


@pytest.mark.parametrize("thing", list(documented_callables()))
def test_docstrings_name_the_parameters_of_the_signature(thing):
    docstring = inspect.getdoc(thing) or ""
    names = re.findall(
        r"^([\w*]+(?:, [\w*]+)*)(?: ?:|$)", section(docstring, "Parameters"), re.M
    )
    documented = [name.strip("*") for group in names for name in group.split(", ")]
    expected = [name for name in inspect.signature(thing).parameters if name != "self"]
    assert documented == expected


# What snippets say of themselves, by page.
SAID = {
    "README.md": {"accuracy": 1.0},
    "docs/library.md": {"accuracy": 1.0, "report.accuracy": 1.0,
                        "difference.p_value": 0.01},
}  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_snippets_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SWVIZ_CACHE_DIR", str(tmp_path / "cache"))
    names = {}
    for snippet in SNIPPETS[page]:
        exec(compile(snippet, page, "exec"), names)
    for name, value in SAID.get(page, {}).items():
        assert eval(name, names) == value, name


def test_pages_with_snippets_are_those_that_should_have_some():
    assert {"README.md", "docs/library.md", "docs/mathematics.md"} <= set(PAGES)
    assert set(SAID) <= set(PAGES)


def test_commands_on_the_pages_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"\bmake (\w+)", README)
    assert {"app", "test", "bench", "docs", "screenshots"} <= set(targets)
    for path in DOCS:
        # Words between backquotes; prose makes things, too.
        targets += re.findall(r"`make (\w+)", path.read_text())
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_scripts_on_the_pages_are_there():
    for path in (ROOT / "README.md", *DOCS):
        text = path.read_text()
        for module in re.findall(
            r"python -m\s+((?:benchmarks|docs|tests)[\w.]+)", text
        ):
            assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module


def test_pages_show_what_was_measured():
    """`python -m docs.make_tables` has been run since the last benchmarks."""
    for name in make_tables.PAGES:
        text = (ROOT / name).read_text()
        assert re.search(r"<!-- \w+: begin -->\n\|? ?\w", text)
        assert make_tables.filled(text) == text, name
    results = (ROOT / "benchmarks" / "results.md").read_text()
    assert results.strip()
    assert results.strip() in (ROOT / "docs" / "benchmarks.md").read_text()


def test_links_of_the_pages_lead_somewhere():
    for path in (ROOT / "README.md", *DOCS):
        text = path.read_text()
        targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
        targets += re.findall(r"(?:src|srcset)=\"([^\":]+)\"", text)
        for target in targets:
            # Made when the site is built.
            if target != "../_static/slices.html":
                assert (path.parent / target).exists(), (path.name, target)


def test_moving_pictures_are_small_enough_and_move():
    for mode in ("light", "dark"):
        path = ROOT / "docs" / "images" / f"slices-{mode}.webp"
        assert path.stat().st_size <= 1_500_000
        with Image.open(path) as picture:
            assert picture.n_frames >= 30


def test_conda_environment_has_the_same_dependencies():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = set(environment["dependencies"])
    pip = set(PYPROJECT["project"]["dependencies"])
    assert conda == pip | {f"python{PYPROJECT['project']['requires-python']}"}


def test_changelog_tells_of_the_version_and_of_what_is_unreleased():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    _, *sections = re.split(r"^## ", changelog, flags=re.M)
    titles = [section.splitlines()[0] for section in sections]
    released = titles[1:] if titles[0] == "[Unreleased]" else titles
    versions = []
    for title in released:
        version = re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d", title)
        assert version, title
        versions.append(tuple(map(int, version.groups())))
    assert versions == sorted(set(versions), reverse=True)
    if versions:
        newest = ".".join(map(str, versions[0]))
        assert newest == PYPROJECT["project"]["version"]
    for section in sections:
        _, *parts = re.split(r"^### ", section, flags=re.M)
        kinds = [part.splitlines()[0] for part in parts]
        assert kinds, section[:40]
        assert len(kinds) == len(set(kinds))
        assert set(kinds) <= {
            *("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
        }
        for part in parts:
            assert re.search(r"^- \w|^- `", part, re.M), part[:40]
