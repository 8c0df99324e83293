"""The program: files in, tables and pages out, mistakes in one line."""

import asyncio
import csv
import io
import os
import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import swviz as sw
from swviz.command import _parser, dashboard, main
from tests.strategies import pairs_of

ROOT = Path(__file__).parents[1]
A, B = pairs_of("uniform", 9, 7, seed=0)
BOTH = sw.DiagramSet({0: [A], 1: [B]}, names=["both"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, points in (("a", A), ("b", B)):
        rows = [f"{birth!r},{death!r}\n" for birth, death in points.tolist()]
        Path(f"{name}.csv").write_text("birth,death\n" + "".join(rows))
    sw.save(BOTH, "both.npz")
    sw.save(sw.DiagramSet({1: [A, B, []]}, names=["x", "y, z", "w"]), "three.npz")
    return tmp_path


def table(text):
    return list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], sw.sliced_wasserstein(A, B)),
        (["-M", "6"], sw.sliced_wasserstein(A, B, 6)),
        (
            ["--directions", "8", "--rule", "diagonal"],
            sw.sliced_wasserstein(A, B, 8, rule="diagonal"),
        ),
        (
            ["--rule", "random"],
            sw.sliced_wasserstein(A, B, rule="random", random_state=0),
        ),
        (["--exact"], sw.sliced_wasserstein_exact(A, B)),
    ],
)
def test_distance_prints_all_digits(folder, capsys, options, expected):
    assert main(["distance", "a.csv", "b.csv", *options]) == 0
    found = capsys.readouterr()
    assert found.err == ""
    assert table(found.out)[0] == ["dimension", "distance"]
    [[dimension, distance]] = table(found.out)[1:]
    assert (dimension, float(distance)) == ("0", expected)


def test_distance_has_a_row_for_each_dimension(folder, capsys):
    assert main(["distance", "both.npz", "both.npz", "-o", "out.csv"]) == 0
    assert capsys.readouterr().out == ""
    assert table(Path("out.csv").read_text())[1:] == [["0", "0.0"], ["1", "0.0"]]
    assert main(["distance", "both.npz", "a.csv", "--dimension", "1"]) == 0
    [[dimension, distance]] = table(capsys.readouterr().out)[1:]
    assert (dimension, float(distance)) == ("1", sw.sliced_wasserstein(B, A))


@pytest.mark.parametrize("exact", [False, True])
def test_matrix_has_names_on_both_sides(folder, capsys, exact):
    options = ["--exact"] if exact else ["-M", "7", "--rule", "diagonal", "--jobs", "2"]
    assert main(["matrix", "three.npz", *options, "-o", "out.csv"]) == 0
    head, *rows = table(Path("out.csv").read_text())
    assert head == ["", "x", "y, z", "w"]
    assert [row[0] for row in rows] == head[1:]
    expected = sw.sliced_wasserstein_matrix(
        [A, B, []], n_directions="exact" if exact else 7, rule="diagonal"
    )
    np.testing.assert_array_equal(
        np.array([row[1:] for row in rows], dtype=float), expected
    )
    assert capsys.readouterr() == ("", "")


def test_matrix_reads_several_files(folder, capsys):
    assert main(["matrix", "a.csv", "b.csv"]) == 0
    head, *rows = table(capsys.readouterr().out)
    assert head == ["", "a", "b"]
    assert float(rows[0][2]) == pytest.approx(sw.sliced_wasserstein(A, B), rel=1e-14)


def test_points_that_never_die_are_treated_as_asked(folder, capsys):
    Path("c.csv").write_text("0,1\n0,inf\n")
    Path("d.csv").write_text("0,1\n")
    assert main(["distance", "c.csv", "d.csv"]) == 0
    assert table(capsys.readouterr().out)[1] == ["0", "0.0"]
    assert main(["distance", "c.csv", "d.csv", "--essential", "3"]) == 0
    expected = sw.sliced_wasserstein([(0, 1), (0, 3)], [(0, 1)])
    assert float(table(capsys.readouterr().out)[1][1]) == expected
    assert main(["distance", "c.csv", "d.csv", "--essential", "error"]) == 2


def test_slices_are_written_as_a_page(folder, capsys):
    assert main(["slices", "a.csv", "b.csv", "-o", "page.html"]) == 0
    page = Path("page.html").read_text()
    assert page.lstrip().startswith("<!DOCTYPE html>")
    assert "k-th joins k-th" in page
    assert not re.search(r"<script[^>]* src=", page)
    assert "page.html" in capsys.readouterr().err
    assert main(["slices", "both.npz", "both.npz"]) == 2
    assert "--dimension" in capsys.readouterr().err
    assert main(["slices", "both.npz", "both.npz", "--dimension", "1"]) == 0
    assert Path("slices.html").exists()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("distance a.csv none.csv", "none.csv: cannot be opened"),
        ("distance a.csv words.csv", "words.csv, line 1"),
        ("distance a.csv three.npz", "holds 3 diagrams"),
        ("distance three.npz a.csv", "holds 3 diagrams"),
        ("distance a.csv one.npz", "nothing to compare"),
        ("distance a.csv b.csv -M 0", "n_directions must be"),
        ("distance both.npz a.csv --dimension 2", "--dimension 2: there is none"),
        ("distance a.csv b.csv --dimension -1", "dimension must be"),
        ("distance a.csv b.csv -o none/out.csv", "cannot be written"),
        ("distance a.csv b.csv --essential nan", "essential"),
        ("matrix a.csv none.csv", "none.csv: cannot be opened"),
        ("matrix both.npz", "choose one with --dimension"),
        ("matrix a.csv b.csv --jobs 0", "n_jobs must be"),
        ("matrix .", "words.csv"),
        ("slices a.csv b.csv -o none/page.html", "cannot be written"),
        ("slices a.csv words.csv", "words.csv, line 1"),
        ("--address no.such.host.invalid", "--address"),
    ],
)
def test_mistakes_are_one_line(folder, capsys, line, words):
    Path("words.csv").write_text("these,are\nno,numbers\n")
    sw.save(sw.DiagramSet({1: [A]}), "one.npz")
    assert main(line.split()) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert re.fullmatch(r"swviz: [^\n]+\n", found.err)
    assert words in found.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--port 70000", "from 0 to 65535"),
        ("--port x", "from 0 to 65535"),
        ("distance a.csv", "required"),
        ("distance a.csv b.csv -M x", "invalid int"),
        ("distance a.csv b.csv -M 6 --exact", "not allowed with"),
        ("distance a.csv b.csv --rule best", "'paper', 'diagonal', 'random'"),
        ("distance a.csv b.csv --essential never", "'drop', 'error' or a number"),
        ("dance", "invalid choice"),
    ],
)
def test_what_cannot_be_read_as_a_command(capsys, line, words):
    with pytest.raises(SystemExit) as caught:
        main(line.split())
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_version_and_help(capsys):
    for option, words in (("--version", r"swviz \d+\.\d+\.\d+\n"), ("-h", "(?s).*")):
        with pytest.raises(SystemExit) as caught:
            main([option])
        assert caught.value.code == 0
        assert re.fullmatch(words, capsys.readouterr().out)


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "swviz", *arguments],
        capture_output=True,
        text=True,
        **options,
    )


def test_a_reader_that_has_enough_is_no_error(folder):
    many = sw.DiagramSet({1: [A] * 300})
    sw.save(many, "many.npz")
    code = f"{sys.executable} -m swviz matrix many.npz -M 1 | head -c 10"
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    answer = subprocess.run(
        code, shell=True, capture_output=True, text=True, env=environment
    )
    assert answer.stdout == ",0,1,2,3,4"
    assert answer.stderr == ""


def test_a_program_of_files_loads_no_dashboard(folder):
    code = (
        "import sys\nfrom swviz.command import main\n"
        "assert main(['distance', 'a.csv', 'b.csv']) == 0\n"
        "assert not {'panel', 'holoviews', 'sklearn', 'gudhi'} & set(sys.modules)\n"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(ROOT)}
    )


def test_a_port_in_use_is_told_before_anything_is_loaded():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        answer = run("--no-browser", "--port", port, cwd=ROOT)
    assert answer.returncode == 2
    assert re.fullmatch(r"swviz: cannot listen on [^\n]*--port[^\n]*\n", answer.stderr)


def test_commands_of_the_readme_are_commands():
    readme = (ROOT / "README.md").read_text()
    lines = re.findall(r"^swviz.*$", readme, re.M) + re.findall(
        r"`(swviz .*?)`", readme
    )
    modules = []
    for line in lines:
        _, *words = shlex.split(line, comments=True)
        modules.append(_parser().parse_args(words).module)
    assert {"dashboard", "distance", "matrix", "slices"} <= set(modules)


def test_a_process_that_serves_ends_with_the_one_that_started_it():
    async def outlive():
        orphan, child = SimpleNamespace(), SimpleNamespace()
        ended = asyncio.Event()
        stopped = []
        child.stop = lambda: stopped.append("child")
        orphan.stop = ended.set
        dashboard._end_with(os.getppid(), child)
        dashboard._end_with(-1, orphan)
        await asyncio.wait_for(ended.wait(), 30)
        assert stopped == []

    asyncio.run(outlive())
