"""Put what was measured into the README and into the pages: the numbers have one home.

``python -m docs.make_tables`` from the root of the repository reads
benchmarks/results.md (`make bench`), benchmarks/choosing.md and the measured results
(`make results`), and writes tables between the markers of README.md, docs/benchmarks.md
and docs/choosing.md. The tests compare.
"""

from __future__ import annotations

import re
from pathlib import Path

from swviz.experiments import load_results

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/benchmarks.md", "docs/choosing.md")
SHAPES = ("Human", "Airplane", "Ant", "Bird", "FourLeg", "Octopus", "Fish")
STUDIED = ("Airplane", "Ant", "Bird")
COUNTS = (1, 2, 3, 4, 6, 8, 10, 15, 20, 30)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table, numbers to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def measured() -> list[str]:
    """Return what `make bench` has written: the machine, then table by table."""
    return (ROOT / "benchmarks/results.md").read_text().strip().split("\n\n")


def starting(parts: list[str], word: str) -> str:
    """Return the table whose first column is called so."""
    [found] = [part for part in parts if part.startswith(f"| {word}")]
    return found


def peers() -> str:
    """Return the tables that have GUDHI and persim in them."""
    machine, *tables = measured()
    wanted = [starting(tables, word) for word in ("SW_M matrix", "exact SW of one")]
    return "\n\n".join([machine, *wanted])


def paper() -> str:
    """Return accuracies on shapes and orbits, ours beside the paper's."""
    text = (ROOT / "results/tables.md").read_text()
    cells = {
        row[0]: row[1:]
        for row in (
            [cell.strip() for cell in line.strip("| ").split(" | ")]
            for line in text.splitlines()
            if line.startswith("| ")
        )
    }
    rows = [_beside(f"{name}, H1", cells[name][0]) for name in SHAPES]
    orbits = cells["100-a-class, H0+H1"][0]
    return table(
        ["k_SW, accuracy in %", "here", "in the paper"],
        [*rows, _beside("orbits, H0 and H1, 100 a class", orbits)],
    )


def _beside(name: str, cell: str) -> list[str]:
    ours, theirs = re.fullmatch(r"(.+?) \((.+)\)", cell).groups()  # type: ignore[union-attr]
    return [name, ours, theirs]


def errors() -> str:
    """Return the spread of SW_M / SW by M and rule, on 200 pairs of each set."""
    parts = load_results(ROOT / "results").studies["directions"]
    rows = []
    for name in STUDIED:
        part = parts[f"shapes/{name}"]
        low, high = (part["quantiles"].index(q) for q in (0.05, 0.95))
        found = {row["M"]: row["ratio"] for row in part["rows"]}
        for rule in ("paper", "diagonal"):
            cells = [
                f"{found[M][rule][low]:.2f} … {found[M][rule][high]:.2f}"
                for M in COUNTS
            ]
            rows.append([f"{name}, {rule} rule", *cells])
    return table(["SW_M / SW, 5% … 95%", *(f"M = {M}" for M in COUNTS)], rows)


def accuracies() -> str:
    """Return accuracies by M, on the sets that were run with all of them."""
    results = load_results(ROOT / "results")
    rows = []
    for name in STUDIED:
        labels = [*(f"k_SW ({M})" for M in COUNTS), "k_SW"]
        cells = [results.find("shapes", name, label, (1,)) for label in labels]
        rows.append([name, *(f"{100 * cell.accuracy:.1f}" for cell in cells if cell)])
    return table(["accuracy in %", *(f"M = {M}" for M in COUNTS), "exact"], rows)


def pieces() -> dict[str, str]:
    """Return every table by the name of its markers."""
    T, sigma = (ROOT / "benchmarks/choosing.md").read_text().strip().split("\n\n")
    return {
        "benchmarks": "\n\n".join(measured()),
        "peers": peers(),
        "paper": paper(),
        "rules": starting(measured(), "mean error of SW_M"),
        "errors": errors(),
        "accuracies": accuracies(),
        "bins": T,
        "sigma": sigma,
    }


def filled(text: str) -> str:
    """Return a page with what stands between its markers written anew."""
    tables = pieces()

    def fill(match: re.Match[str]) -> str:
        name = match["name"]
        return f"<!-- {name}: begin -->\n{tables[name]}\n<!-- {name}: end -->"

    pattern = r"<!-- (?P<name>\w+): begin -->\n.*?<!-- (?P=name): end -->"
    return re.sub(pattern, fill, text, flags=re.S)


def main() -> None:
    """Write the pages."""
    for name in PAGES:
        path = ROOT / name
        path.write_text(filled(path.read_text()))


if __name__ == "__main__":
    main()
