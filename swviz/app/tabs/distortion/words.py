"""What the Distortion view says in words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from swviz.app.tabs.distortion.run import DistortionRun
from swviz.plot.theme import KERNEL_STYLES
from swviz.studies import Agreement, DistortionConstants


def describe_sample(run: DistortionRun, shown: int, total: int, seed: int) -> str:
    """Say which pairs are on show, and of how many.

    Parameters
    ----------
    run : DistortionRun
    shown : int
        Pairs on show.
    total : int
        Diagrams in the data set.
    seed : int
        Of the draw.
    """
    if total < 2:
        return (
            f"This data set has {'one diagram' if total else 'no diagrams'}: there are "
            "no pairs to compare. Choose or load another one in Diagrams."
        )
    count, pairs = len(run.diagrams), len(run.pairs)
    if count < total:
        text = (
            f"{pairs:,} of {total * (total - 1) // 2:,} pairs: all those of {count} "
            f"diagrams drawn from {total:,} with seed {seed}"
        )
    else:
        text = f"All {pairs:,} pairs of the {total:,} diagrams"
    if shown < pairs:
        text += f"; {shown:,} are here so far"
    directions = run.pairs.n_directions
    how = "exact" if directions == "exact" else f"with {directions} directions"
    text += f". SW {how}."
    zero = int((run.pairs.d1[:shown] == 0).sum())
    if zero:
        text += (
            f" {zero:,} {'pair' if zero == 1 else 'pairs'} of equal diagrams, at "
            "distance 0, have no place on a logarithmic axis."
        )
    return text


def describe_constants(constants: DistortionConstants, largest: int) -> str:
    """Say between which multiples of d1 SW lies.

    Parameters
    ----------
    constants : DistortionConstants
    largest : int
        N of the theorem.
    """
    allowed = (
        f"Theorems 3.4 and 3.3 allow 1/2M' = {constants.lower:.2g} to 2√2 = "
        f"{constants.upper:.3g}; M' = 1 + 2N(2N − 1), and the largest diagram has "
        f"N = {largest:,} points."
    )
    if not np.isfinite(constants.low):
        return f"No pair is at a distance above 0. {allowed}"
    distortion = constants.high / constants.low
    return (
        f"SW / d₁ is between {constants.low:.3g} and {constants.high:.3g}: distortion "
        f"{distortion:.3g}. {allowed}"
    )


def judge(agreements: Mapping[str, Agreement]) -> str:
    """Say which kernel keeps the order of d1 best.

    Parameters
    ----------
    agreements : mapping of str to Agreement
        By the names of ``KERNEL_STYLES``.
    """
    if not agreements:
        return ""
    found = {
        KERNEL_STYLES[column][0]: one.rank_correlation
        for column, one in agreements.items()
        if column != "k_d1" and np.isfinite(one.rank_correlation)
    }
    if not found:
        return "These pairs are too few, or all alike: there is no order to keep."
    order = sorted(found, key=lambda name: -found[name])
    rest = "".join(f", {name} {found[name]:.3f}" for name in order[1:])
    return (
        f"{order[0]} keeps the order of d₁ best here: rank correlation "
        f"{found[order[0]]:.3f}{rest}. The Gaussian on d₁ keeps it by construction, "
        "but is no kernel."
    )


def rank_text(column: str, agreements: Mapping[str, Agreement]) -> str:
    """Return a kernel's rank correlation.

    Parameters
    ----------
    column : str
        One of ``KERNEL_STYLES``.
    agreements : mapping of str to Agreement
    """
    found = agreements.get(column)
    if found is None:
        return "…"
    if not np.isfinite(found.rank_correlation):
        return "undefined"
    return f"{found.rank_correlation:.3f}"


def spread_text(column: str, agreements: Mapping[str, Agreement]) -> str:
    """Say what the number of a kernel is, and how far its dots are from a curve.

    Parameters
    ----------
    column : str
        One of ``KERNEL_STYLES``.
    agreements : mapping of str to Agreement
    """
    found = agreements.get(column)
    number = "rank correlation with d₁, 1 is perfect"
    if found is None or not np.isfinite(found.spread):
        return number
    return (
        f"{number}; a dot is typically off one rising curve by a factor of "
        f"{found.spread:.3f} (its spread)"
    )
