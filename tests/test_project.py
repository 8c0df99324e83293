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

import swviz
import swviz.sources

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
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
    code = (
        "import swviz.slices, swviz.studies.directions, swviz.sources.orbits\n"
        "import swviz as sw\n"
        "assert len(sw.directions(3)) == 3\n"
        "assert callable(sw.sources.orbits)\n"
        "assert set(sw.__all__) <= set(dir(sw))\n"
        "try:\n    sw.nothing\nexcept AttributeError as error:\n    print(error)\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert answer.stdout == "module 'swviz' has no attribute 'nothing'\n"


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


def test_readme_snippets_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SWVIZ_CACHE_DIR", str(tmp_path / "cache"))
    snippets = re.findall(r"```python\n(.*?)```", README, re.S)
    assert snippets
    names = {}
    for snippet in snippets:
        own = {}
        exec(compile(snippet, "README.md", "exec"), own)
        names |= own
    # What the snippet on learning says of itself.
    assert names["accuracy"] == 1.0
    assert names["report"].accuracy == 1.0
    assert names["difference"].p_value == 0.01


def test_readme_commands_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    targets = re.findall(r"\bmake (\w+)", README)
    assert {"app", "test", "bench"} <= set(targets)
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_readme_shows_the_benchmarks_that_were_written():
    results = (ROOT / "benchmarks" / "results.md").read_text()
    assert results.strip()
    assert f"<!-- benchmarks: begin -->\n{results}<!-- benchmarks: end -->" in README


def test_readme_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


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
