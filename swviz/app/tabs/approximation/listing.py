"""The Approximation view as lines of Python: what it measures, with the library."""

from __future__ import annotations

from collections.abc import Sequence

from swviz.app.tabs.approximation.of_set import EMBEDDING_DIRECTIONS, Question
from swviz.app.tabs.approximation.words import MOST, percent
from swviz.app.workspace.listing import literal


def pair_lines(question: Question, n_directions: int) -> list[str]:
    """Return lines for SW_M of the pair A, B by M.

    Parameters
    ----------
    question : Question
    n_directions : int
        The M of the sidebar.
    """
    rule = question.rule
    random = ", random_state=0" if rule == "random" else ""
    return [
        "",
        "curves = pair_study(A, B)",
        f"value = sw.sliced_wasserstein(A, B, {n_directions}, rule={rule!r}{random})",
        'ending = ""',
        "if curves.exact > 0:",
        '    ending = f", error {100 * (value / curves.exact - 1):+.2g} %"',
        'print(f"SW = {curves.exact:.4g}, SW_M = {value:.4g}{ending}")',
        'print("M", curves.counts)',
        "for rule in RULES:",
        '    print(rule, "SW_M", np.median(curves.values[rule], axis=0))',
        "kink = kink_study(A, B, exact=curves.exact)",
        "for M, error in zip(kink.counts, kink.paper_errors):",
        '    print(f"M = {M}: error {100 * error:+.1f} %")',
    ]


def set_lines(question: Question, tolerance: float) -> list[str]:
    """Return lines for the answer, the times and the tiers of the set.

    Parameters
    ----------
    question : Question
    tolerance : float
        Relative.
    """
    rule, seed = question.rule, question.seed
    return [
        "",
        f"study = ratio_study(diagrams, n_pairs={question.n_pairs}, "
        f"random_state={seed})",
        "if (study.exact > 0).any():",
        "    largest = study.counts[-1]",
        "    for rule in RULES:",
        "        needed = [",
        f"            study.answer(rule, {literal(tolerance)}, share).n_directions",
        f"            for share in (1, {literal(MOST)})",
        "        ]",
        '        M, most = [f"M > {largest}" if n is None else f"M = {n}" '
        "for n in needed]",
        '        print(f"{rule}: {M} for all pairs, {most} for '
        f'{percent(MOST)} of the pairs")',
        '        print("largest error by M, %", 100 * study.worst_errors(rule))',
        f'    print("SW_M / SW, median by M", study.boxes({rule!r}).median)',
        "",
        "chosen = sample_diagrams(",
        f"    len(data), {question.n_diagrams}, data.labels, {seed}",
        ")",
        "some = [diagrams[i] for i in chosen]",
        f"times = gram_times(some, rule={rule!r})",
        'print("M", times.counts, "one Gram matrix, ms", 1e3 * times.seconds)',
        "for tier in (",
        "    exact_tier(study),",
        f"    slice_tiers(study, times, {rule!r}),",
        "    embedding_tiers(",
        f"        diagrams, study, n_directions={EMBEDDING_DIRECTIONS}, "
        f"rule={rule!r}, timed=chosen",
        "    ),",
        "):",
        '    print(tier.tier, tier.sizes, "µs a pair", 1e6 * tier.seconds)',
        '    print("errors, %: mean", 100 * tier.mean_errors)',
        '    print("largest", 100 * tier.worst_errors)',
        '    print("bound", 100 * tier.bounds)',
    ]


def accuracy_lines(question: Question, sizes: Sequence[object]) -> list[str]:
    """Return lines for the accuracies by M."""
    return [
        "",
        "learnt = accuracy_study(",
        f"    some, data.labels[chosen], {literal(tuple(sizes))},",
        f"    rule={question.rule!r}, random_state={question.seed},",
        ")",
        'print("M", learnt.sizes, "accuracy, %", 100 * learnt.mean)',
        'print("plus or minus", 100 * learnt.spread)',
    ]
