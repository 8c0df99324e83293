"""What a data set, its samples and the rules are called."""

from __future__ import annotations

from swviz.diagrams import DiagramSet
from swviz.typing import Rule

RULES: dict[str, Rule] = {
    "paper (Algorithm 1)": "paper",
    "diagonal-aware": "diagonal",
    "random": "random",
}


def sample_options(dataset: DiagramSet) -> dict[str, int]:
    """Return the samples of a set for a menu, each with its class.

    Returns
    -------
    dict of str to int
        Numbered, because names may repeat.
    """
    options = {}
    for index, name in enumerate(dataset.names):
        text = f"{index} · {name}"
        if dataset.labels is not None:
            of_class = dataset.labels[index]
            shown = f"{of_class:g}" if dataset.labels.dtype.kind == "f" else of_class
            text += "" if str(shown) in name else f" ({shown})"
        options[text] = index
    return options


def describe(dataset: DiagramSet, dimension: int) -> str:
    """Return the size of a set in words."""
    parts = [f"{len(dataset):,} diagram{'s' * (len(dataset) != 1)}"]
    if len(dataset.classes) > 1:
        parts.append(f"{len(dataset.classes)} classes")
    if dimension in dataset.dimensions:
        points = sum(len(diagram) for diagram in dataset.in_dimension(dimension))
        parts.append(f"{points:,} points in H{dimension}")
    return " · ".join(parts)
