"""Command line: ``python -m swviz --help``, the same as ``swviz --help``."""

import sys

from swviz.command import main

if __name__ == "__main__":
    sys.exit(main())
