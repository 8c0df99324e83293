"""Results as Markdown, with the paper's numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from swviz.experiments.comparison import Comparison, comparisons
from swviz.experiments.paper_numbers import GRAM_SECONDS, SIZES
from swviz.experiments.results import Results, load_results
from swviz.experiments.store import Record, write_whole

FULL_RUNS = 10
"""What the paper averages over; fewer are named in the tables."""

_NOT_MEASURED = "not measured"


def write_tables(folder: Path) -> Path:
    """Write ``tables.md`` beside the results it shows.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    Path
        Of the file.
    """
    path = folder / "tables.md"
    write_whole(path, markdown(load_results(folder)))
    return path


def markdown(results: Results) -> str:
    """Show all results.

    Parameters
    ----------
    results : Results

    Returns
    -------
    str
        Markdown.
    """
    rows = comparisons(results)
    parts = [
        "# Results\n\nWritten by `python -m swviz.experiments tables`. Accuracies in "
        "percent, mean ± standard deviation over 10 runs unless a number of runs is "
        "given; in parentheses the paper's (Table 2).",
        "## 3D shape segmentation\n\n" + _shape_table(rows),
        "## Orbit recognition\n\n" + _orbit_table(rows),
        "## Texture classification\n\n" + _texture_table(rows),
        "## Data\n\n" + _data_table(results),
        "## Time of one Gram matrix\n\n" + _time_table(results),
        "## Notes\n\n" + _list(_notes(results)),
    ]
    if results.problems:
        listed = _list(results.problems)
        parts.append(f"## Files that could not be read\n\n{listed}")
    return "\n\n".join(parts) + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Lay out a Markdown table; all columns but the first are aligned right.

    Parameters
    ----------
    header : sequence of str
    rows : iterable of sequence

    Returns
    -------
    str
    """
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(_cell(one) for one in line)} |" for line in lines)


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_harmless(line)}" for line in lines)


def _cell(value: object) -> str:
    return _harmless(str(value)).replace("|", "\\|")


def _harmless(text: str) -> str:
    """Leave no HTML and no new lines: names of folders come from strangers."""
    return text.replace("\n", " ").replace("<", "&lt;")


def accuracy_text(row: Comparison) -> str:
    """Show ours and, in parentheses, the paper's.

    Parameters
    ----------
    row : Comparison

    Returns
    -------
    str
    """
    if row.ours is None:
        text = _NOT_MEASURED
    else:
        text = f"{row.ours.mean:.1f} ± {row.ours.spread:.1f}"
        if len(row.accuracies) != FULL_RUNS:
            runs = "run" if len(row.accuracies) == 1 else "runs"
            text += f", {len(row.accuracies)} {runs}"
    if row.paper is not None:
        text += f" ({row.paper.mean:.1f} ± {row.paper.spread:.1f})"
    return text


def _grid(
    rows: Sequence[Comparison], corner: str, key: Sequence[str], columns: Sequence[str]
) -> str:
    """One line for each value of the attributes `key`, one column for each kernel."""
    lines: dict[str, dict[str, str]] = {}
    for row in rows:
        name = ", ".join(getattr(row, attribute) for attribute in key)
        lines.setdefault(name, {})[row.label] = accuracy_text(row)
    return table(
        [corner, *columns],
        [
            [name, *(cells.get(column, _NOT_MEASURED) for column in columns)]
            for name, cells in lines.items()
        ],
    )


def _of(rows: Sequence[Comparison], experiment: str) -> list[Comparison]:
    return [row for row in rows if row.experiment == experiment]


def _labels(rows: Sequence[Comparison]) -> list[str]:
    return list(dict.fromkeys(row.label for row in rows))


def _shape_table(rows: Sequence[Comparison]) -> str:
    ours = _of(rows, "shapes")
    return _grid(ours, "H1", ["dataset"], _labels(ours))


def _orbit_table(rows: Sequence[Comparison]) -> str:
    ours = _of(rows, "orbit")
    return _grid(ours, "Orbits, dimensions", ["dataset", "dimensions"], _labels(ours))


def _texture_table(rows: Sequence[Comparison]) -> str:
    ours = _of(rows, "texture")
    return _grid(ours, "H0", ["dataset"], _labels(ours))


def _data_table(results: Results) -> str:
    data = {
        (cell.experiment, cell.dataset): (cell.setting.get("data") or {}, cell)
        for cell in results.cells
    }
    lines = []
    for (experiment, dataset), (about, cell) in data.items():
        paper = SIZES.get(str(cell.setting.get("paper_row")))
        printed = f"{paper.train} + {paper.test}, {paper.labels}" if paper else ""
        points = ", ".join(
            f"{key}: {value:g}" for key, value in about.get("mean_points", {}).items()
        )
        lines.append(
            [
                f"{experiment}, {dataset}",
                f"{about.get('train')} + {about.get('test')}",
                len(about.get("classes", ())),
                printed,
                points,
            ]
        )
    header = ["Data", "train + test", "classes", "paper (Table 1)", "mean points"]
    return table(header, lines)


def _time_table(results: Results) -> str:
    parts = results.studies.get("times", {})
    lines = [_time_line(key, part) for key, part in parts.items()]
    header = [
        *("Training set", "k_SW, few", "GUDHI", "paper", "with test"),
        *("k_SW exact", "paper", "with test", "k_PSS", "k_PWG"),
    ]
    return (
        "Processor seconds of one thread. Few: 6 directions for orbits and textures, "
        "10 for shapes. GUDHI's and the paper's columns: their time and how many times "
        "ours it is. The paper does not say whether its times include the test set: "
        "*with test* compares with our time for both. k_PSS and k_PWG are one setting "
        "of 13 and 125.\n\n" + table(header, lines)
    )


def _time_line(key: str, part: Record) -> list[str]:
    seconds = part["seconds"]
    paper = GRAM_SECONDS.get(str(part.get("paper_row")), {})
    few = "SW 6" if "SW 6" in seconds else "SW 10"

    def beside(kind: str, ours: str) -> str:
        return _against(paper[kind].mean if kind in paper else None, seconds.get(ours))

    return [
        key,
        _seconds(seconds.get(few)),
        _against(seconds.get(f"GUDHI {few}"), seconds.get(few)),
        beside(few, few),
        beside(few, f"{few}, all"),
        _seconds(seconds.get("SW exact")),
        beside("SW exact", "SW exact"),
        beside("SW exact", "SW exact, all"),
        _seconds(seconds.get("PSS")),
        _seconds(seconds.get("PWG")),
    ]


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3g} s"


def _against(theirs: float | None, ours: float | None) -> str:
    if theirs is None or ours is None:
        return ""
    return f"{theirs:.3g} s, {theirs / ours:.3g} x"


def _notes(results: Results) -> list[str]:
    """Collect the notes of all cells, each once, with what they are about."""
    about: dict[str, list[str]] = {}
    for cell in results.cells:
        for note in cell.notes:
            about.setdefault(note, []).append(cell.dataset)
    return [
        f"{', '.join(dict.fromkeys(datasets))}: {note}"
        for note, datasets in about.items()
    ]
