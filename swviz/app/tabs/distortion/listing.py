"""The Distortion view as lines of Python: what it shows, with the library."""

from __future__ import annotations

from typing import Any

from swviz.app.workspace.listing import literal


def distortion_lines(view: Any) -> str:
    """Return the lines that print the numbers on show with the library."""
    run, widths = view.run, view.widths
    lines = ["import numpy as np", "import swviz as sw"]
    if run is None or not view.n_shown:
        # There is no pair, or nothing is known of any yet.
        data = view.workspace.data_lines()
        return "\n".join([*lines, "", *data, "print(len(diagrams))", ""])
    learnt, rows = run.widths, view.table.rows.tolist()
    complete = view.n_shown == len(run.pairs)
    # Of a measurement that is under way or was stopped.
    part = "" if complete else f"[:{view.n_shown}]"
    count = view.spectrum.n_diagrams
    square = "" if complete else f"[:{count}, :{count}]"
    return "\n".join(
        [
            *lines,
            "from swviz.kernels import (",
            "    PersistenceWeightedGaussianKernel, kernel_from_distances",
            ")",
            "from swviz.studies import (",
            "    PairDistances, agreement, distortion_constants, draw_diagrams,",
            "    eigenvalues, exponential_distances, scale_space_distances,",
            ")",
            "",
            *view.workspace.data_lines(),
            "drawn = draw_diagrams(",
            f"    len(diagrams), {view.n_diagrams}, random_state={view.seed}",
            ")",
            "some = [diagrams[index] for index in drawn]",
            "pairs = PairDistances(",
            f"    some, n_directions={literal(run.pairs.n_directions)}, "
            f"rule={literal(run.pairs.rule)}",
            ").run()",
            f"i, j = pairs.pairs{part}.T",
            f"d1, sw_ = pairs.d1{part}, pairs.sw{part}",
            f"sigma, sigma_d1 = {literal(view.workspace.sigma)}, "
            f"{literal(widths.sigma_d1)}  # of k_SW, of the Gaussian on d1",
            f"t, rho, tau = {literal(widths.t)}, {literal(widths.rho)}, "
            f"{literal(widths.tau)}  # of k_PSS, of k_PWG",
            "pwg = PersistenceWeightedGaussianKernel(",
            f"    K={literal(learnt.K)}, rho=rho, p={literal(learnt.p)}",
            ")",
            "distances = {",
            '    "k_SW": exponential_distances(sw_, sigma),',
            '    "k_PSS": scale_space_distances(some, t)[i, j],',
            '    "k_PWG": exponential_distances(',
            "        pwg.mean_distances(some)[0][i, j], tau",
            "    ),",
            '    "Gaussian on d1": exponential_distances(d1, sigma_d1),',
            "}",
            "for name, values in distances.items():",
            "    found = agreement(d1, values)",
            "    print(name, found.rank_correlation, found.spread)",
            "",
            "found = distortion_constants(d1, sw_, pairs.largest)",
            "print(found.low, found.high, found.high / found.low)",
            "print(found.lower, found.upper, pairs.largest)",
            *(
                [
                    "all_d1, all_sw = pairs.matrices()",
                    "print(",
                    "    eigenvalues("
                    f"kernel_from_distances(all_sw{square}, sigma))[-1],",
                    "    eigenvalues("
                    f"kernel_from_distances(all_d1{square}, sigma_d1))[-1],",
                    ")",
                ]
                if count > 1
                else []
            ),
            f"for row in {literal(rows)}:",
            "    of_kernels = [values[row] for values in distances.values()]",
            "    print(drawn[i[row]], drawn[j[row]], d1[row], sw_[row],",
            "          sw_[row] / d1[row], *of_kernels)",
            "",
        ]
    )
