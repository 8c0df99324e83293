"""``swviz matrix FILES``: the distances of all pairs of diagrams, as a table."""

from __future__ import annotations

import argparse

from tqdm import tqdm

from swviz.command.inputs import directions_of, only_dimension, read, write_table
from swviz.distances import sliced_wasserstein_matrix


def run(options: argparse.Namespace) -> None:
    """Write the matrix, with a row and a column of names.

    Parameters
    ----------
    options : argparse.Namespace
    """
    several = read(options.files, options)
    diagrams = several.in_dimension(only_dimension(several))
    # On standard error, and only where somebody looks.
    with tqdm(desc="pairs", unit="pair", unit_scale=True, disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        matrix = sliced_wasserstein_matrix(
            diagrams,
            n_directions=directions_of(options),
            rule=options.rule,
            random_state=0,
            n_jobs=options.jobs,
            progress=progress,
        )
    rows = zip(several.names, matrix.tolist(), strict=True)
    table = [("", *several.names), *((name, *row) for name, row in rows)]
    write_table(table, options.out)
