"""The program ``swviz``: the dashboard, and distances of files, from a command line.

Each command is a module that is loaded when it is called for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from swviz.errors import SwvizError
from swviz.typing import RULES

_HELP = """\
Without a command, swviz serves the dashboard on this machine and opens the browser.
With one, it reads files of diagrams: csv, tsv, txt, npy, npz, json or pers.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process by default.

    Returns
    -------
    int
        0, or 2 after a mistake, which is told in one line on standard error.
    """
    options = _parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], None] = import_module(
        f"swviz.command.{options.module}"
    ).run
    try:
        run(options)
        sys.stdout.flush()
    except SwvizError as error:
        print(f"swviz: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("swviz: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever reads the answer has read enough, as ``head`` does.
        sys.stderr.close()
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="swviz",
        description=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version)
    add = parser.add_argument
    add("--port", type=_port, default=5006, help="5006 by default, 0 for any free one")
    add("--address", default="127.0.0.1", help="127.0.0.1, this machine, by default")
    add("--no-browser", action="store_true", help="only serve")
    add(
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="processes that serve, 1 by default; see docs/serving.md",
    )
    add(
        "--compress",
        action="store_true",
        help="compress what is sent: for a slow network without a proxy that does so; "
        "on by itself if --address is not this machine's own",
    )
    add(
        "--allow-websocket-origin",
        action="append",
        default=[],
        metavar="HOST[:PORT]",
        help="of a proxy in front of this server; may be repeated",
    )
    parser.set_defaults(module="dashboard")
    commands = parser.add_subparsers(title="commands", metavar="")

    distance = commands.add_parser(
        "distance",
        help="distance of two diagrams, by homology dimension, as CSV",
        description="Print the sliced Wasserstein distance of the diagrams in two "
        "files, a row for each homology dimension that both hold.",
    )
    _add_pair(distance)
    _add_ways(distance)
    _add_out(distance)
    distance.set_defaults(module="distance")

    matrix = commands.add_parser(
        "matrix",
        help="distances of all pairs of diagrams, as CSV",
        description="Write the sliced Wasserstein distances of all pairs of diagrams "
        "in files or folders, a row and a column for each.",
    )
    matrix.add_argument("files", nargs="+", type=Path, metavar="FILE")
    _add_reading(matrix)
    _add_ways(matrix)
    matrix.add_argument("--jobs", type=int, help="threads; 1 by default, -1 for all")
    _add_out(matrix)
    matrix.set_defaults(module="matrix")

    slices = commands.add_parser(
        "slices",
        help="a page on which the line turns, without a server",
        description="Write a page on which a line turns through two diagrams.",
    )
    _add_pair(slices)
    slices.add_argument(
        "-o", "--out", type=Path, default=Path("slices.html"), metavar="FILE",
        help="slices.html by default",
    )  # fmt: skip
    slices.set_defaults(module="slices")
    return parser


class _Version(argparse.Action):
    """Print the version; looked up only now."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(
            option_strings, argparse.SUPPRESS, nargs=0, help="print the version"
        )

    def __call__(self, parser: argparse.ArgumentParser, *_given: object) -> None:
        from importlib.metadata import version

        print(f"swviz {version('swviz')}")
        parser.exit()


def _add_pair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("first", type=Path, metavar="A", help="a file of one diagram")
    parser.add_argument("second", type=Path, metavar="B", help="another one")
    _add_reading(parser)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dimension", type=int, metavar="K", help="homology dimension to take"
    )
    parser.add_argument(
        "--essential",
        type=_essential,
        default="drop",
        metavar="WAY",
        help="points that never die: 'drop' (default), 'error', or a value to die at",
    )


def _add_ways(parser: argparse.ArgumentParser) -> None:
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "-M", "--directions", type=int, default=50, metavar="M", help="50 by default"
    )
    ways.add_argument("--exact", action="store_true", help="no sampling of directions")
    parser.add_argument("--rule", choices=RULES, default="paper", help="of directions")


def _add_out(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="standard output by default"
    )


def _port(text: str) -> int:
    if not text.isdecimal() or not int(text) <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def _workers(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError("a number of processes from 1 to 64")
    return int(text)


def _essential(text: str) -> str | float:
    if text in ("drop", "error"):
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"'drop', 'error' or a number, not {text!r}"
        ) from None
