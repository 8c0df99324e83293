"""``swviz distance A B``: the distance of two files, a row a homology dimension."""

from __future__ import annotations

import argparse

from swviz.command.inputs import directions_of, read_one, write_table
from swviz.diagrams import Diagram
from swviz.errors import ParameterError
from swviz.exact import sliced_wasserstein_exact
from swviz.slices import sliced_wasserstein


def run(options: argparse.Namespace) -> None:
    """Print the distances.

    Parameters
    ----------
    options : argparse.Namespace
    """
    first, second = (
        read_one(path, options) for path in (options.first, options.second)
    )
    common = [k for k in first.dimensions if k in second.dimensions]
    if not common:
        raise ParameterError(
            f"{options.first} holds the homology dimensions {first.dimensions}, "
            f"{options.second} others, {second.dimensions}: there is nothing to compare"
        )
    rows = [
        (k, _distance(first.in_dimension(k)[0], second.in_dimension(k)[0], options))
        for k in common
    ]
    write_table([("dimension", "distance"), *rows], options.out)


def _distance(A: Diagram, B: Diagram, options: argparse.Namespace) -> float:
    n_directions = directions_of(options)
    if n_directions == "exact":
        return sliced_wasserstein_exact(A, B)
    return sliced_wasserstein(A, B, n_directions, rule=options.rule, random_state=0)
