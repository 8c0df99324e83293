"""The paper's experiments, runnable: ``python -m swviz.experiments --help``.

Three tasks (orbit, texture, shapes), each a fixed protocol with results that are kept
run by run, and three studies (times, directions, distortion). ``load_results`` reads
what was measured, ``comparisons`` sets it beside the paper's numbers, and
:mod:`swviz.experiments.figures` draws it.

Examples
--------
>>> results = load_results("no-such-folder")
>>> row = comparisons(results)[0]
>>> row.dataset, row.label, str(row.paper), row.ours
('Human', 'k_SW', '74 ± 0.2', None)
"""

from swviz.experiments.comparison import Comparison, comparisons
from swviz.experiments.results import CellResult, Results, load_results, results_folder
from swviz.experiments.store import ResultError

__all__ = [
    "CellResult",
    "Comparison",
    "ResultError",
    "Results",
    "comparisons",
    "load_results",
    "results_folder",
]
