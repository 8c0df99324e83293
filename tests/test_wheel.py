"""The package as others install it: built, installed in an empty environment, used."""

import gzip
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

import swviz as sw
from swviz.experiments import load_results, results_folder

ROOT = Path(__file__).parents[1]
PARTS = ("swviz", "results", "pyproject.toml", "setup.py", "README.md", "LICENSE")

LARGEST = 1_500_000
"""Bytes of a wheel without anything that only experiments need."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy so that the build leaves nothing here."""
    source = tmp_path_factory.mktemp("source")
    for name in PARTS:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copyfile(ROOT / name, source / name)
    out = tmp_path_factory.mktemp("dist")
    # With the setuptools that is here, and no network.
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel"]
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", out]
    done = subprocess.run(
        [*pip, *options, source], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = out.glob("swviz-*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel, tmp_path_factory):
    """An environment with the wheel, and for the rest the packages that are here."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    site = Path(ask(python, "import sysconfig; print(sysconfig.get_path('purelib'))"))
    # Only its folder: what its own .pth files name, as this repository, stays out.
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "--python", python, "install", "--no-deps", "--no-index", wheel],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def ask(python, code):
    """Run lines in another Python, away from the repository."""
    answer = subprocess.run(
        [python, "-I", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(python).parent,
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.strip()


def test_the_wheel_holds_the_library_the_dashboard_and_its_results(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for path in (ROOT / "swviz").rglob("*"):
        if path.suffix in (".py", ".js", ".json", ".html"):
            assert path.relative_to(ROOT).as_posix() in names
    stored = {
        f"swviz/experiments/stored/{path.relative_to(ROOT / 'results').as_posix()}"
        for path in (ROOT / "results").rglob("*.json")
    }
    assert len(stored) > 50
    assert stored <= names
    packages = {name.split("/")[0] for name in names}
    assert packages == {"swviz", next(p for p in packages if p.endswith("dist-info"))}
    assert wheel.stat().st_size < LARGEST


def test_it_is_the_wheel_that_is_imported(environment):
    found = ask(environment / "bin/python", "import swviz; print(swviz.__file__)")
    assert Path(found).is_relative_to(environment)
    assert not Path(found).is_relative_to(ROOT)


def test_the_repository_reads_what_make_results_writes():
    assert results_folder() == ROOT / "results"


def test_the_command_measures_files(environment, tmp_path):
    (tmp_path / "a.csv").write_text("0,1\n0.5,2\n")
    (tmp_path / "b.csv").write_text("0,2\n")
    command = [environment / "bin/swviz", "distance", "a.csv", "b.csv"]
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert answer.stderr == ""
    expected = sw.sliced_wasserstein([(0, 1), (0.5, 2)], [(0, 2)])
    assert answer.stdout == f"dimension,distance\n0,{expected!r}\n"
    wrong = subprocess.run(
        [*command[:3], "c.csv"], capture_output=True, text=True, check=False,
        cwd=tmp_path,
    )  # fmt: skip
    assert wrong.returncode == 2
    assert len(wrong.stderr.splitlines()) == 1


def handshake(port, origin):
    """Ask for a websocket as a page of this origin would; return the status."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(
            "GET /app/ws HTTP/1.1\r\nHost: a.proxy\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nOrigin: http://{origin}\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        return int(line.recv(4096).split()[1])


# The script of the command, and when it has ended, the Paper tab in the same process:
# to load the app takes longer than all that is asked of it.
SERVE = """
import json, runpy, sys, warnings
sys.argv.pop(0)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    status = end.code
warnings.simplefilter("ignore")
from swviz.app.views import PaperView
view = PaperView()
cells = [[c.experiment, c.dataset, c.label, c.accuracy] for c in view.results.cells]
print(json.dumps([cells, view.results.studies, view.results.problems,
                  view.table.value.to_dict("list")]))
sys.exit(status)
"""


@pytest.fixture(scope="module")
def served(environment, tmp_path_factory):
    """What the command says and serves, and what is printed when it has ended."""
    process = subprocess.Popen(
        [
            *(environment / "bin/python", "-I", "-c", SERVE),
            *(environment / "bin/swviz", "--no-browser", "--port", "0", "--compress"),
            *("--allow-websocket-origin", "proxy.example:8443"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path_factory.mktemp("elsewhere"),
    )
    found = SimpleNamespace()
    try:
        found.loading, line = process.stderr.readline(), process.stderr.readline()
        told = re.fullmatch(
            r"swviz is at (http://localhost:(\d+)/app) \(Ctrl\+C ends it\)\n", line
        )
        found.url, found.port = told[1], int(told[2])
        root = found.url.removesuffix("app")
        with urllib.request.urlopen(root, timeout=60) as answer:
            found.led_to, found.page = answer.url, answer.read()
        script = re.search(rb'src="(static/js/bokeh.min.js[^"]*)"', found.page)[1]
        asked = urllib.request.Request(
            root + script.decode(), headers={"Accept-Encoding": "gzip"}
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            found.encoding = answer.headers["Content-Encoding"]
            found.sent = answer.read()
        origins = (f"localhost:{found.port}", f"127.0.0.1:{found.port}",
                   "proxy.example:8443", "elsewhere.example")  # fmt: skip
        found.statuses = [handshake(found.port, origin) for origin in origins]
    finally:
        process.send_signal(signal.SIGINT)
        try:
            found.printed, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    found.status = process.returncode
    return found


def test_the_command_serves_the_dashboard_and_ends_on_request(served):
    assert served.loading == f"swviz {version()} is loading ...\n"
    # The root leads to the page.
    assert served.led_to == served.url
    assert b"swviz" in served.page
    assert served.encoding == "gzip"
    assert len(gzip.decompress(served.sent)) > 3 * len(served.sent)
    *allowed, elsewhere = served.statuses
    assert 403 not in allowed
    assert elsewhere == 403
    assert served.status == 0


def test_the_paper_tab_has_its_results(served):
    cells, studies, problems, table = json.loads(served.printed)
    here = load_results()
    expected = [[c.experiment, c.dataset, c.label, c.accuracy] for c in here.cells]
    assert sorted(cells) == sorted(expected)
    assert studies == json.loads(json.dumps(here.studies))
    assert problems == []
    assert any(re.match(r"\d", text) for text in table["k_SW"])


def version():
    found = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)
    return found[1]
