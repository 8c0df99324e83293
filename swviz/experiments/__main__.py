"""Command line: ``python -m swviz.experiments --help``."""

from swviz.experiments.command import main

if __name__ == "__main__":
    main()
