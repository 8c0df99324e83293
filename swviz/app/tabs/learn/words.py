"""What a machine is worth, in a few words."""

from __future__ import annotations

import numpy as np

from swviz.app.tabs.learn.kernels import DIRECTED, KERNEL_CHOICES
from swviz.app.tabs.learn.trainer import Setting
from swviz.learning import Portrait

HELP = """
**The distances are computed once.** For every σ the Gram matrix is one exponential of
them, so that σ and C can be moved freely: the machine is trained again each time. Only
k_PSS has to add up its Gaussians anew for every t.

**Try this.** Pull σ (in the sidebar) to the left: each diagram becomes alike only to
itself. The training part is learnt by heart (100 %), and everything else is guessed:
*overfit*. Pull σ to the right: all diagrams look alike, the ground takes one colour and
the machine says the same of all of them: *useless*. In between it learns. Then click a
dark cell of the σ × C map, or press *Tune σ and C*.

**Each kernel has a bandwidth of its own:** σ of k_SW, t of k_PSS, τ of k_PWG, σ of the
Gaussian on d<sub>1</sub>. All but the first start at what fits the data set and are
the same in Distortion; moving or tuning one leaves the others where they are. K and ρ
of k_PWG are learnt from the training part.

**The map** is kernel PCA: the plane through the mean of all diagrams, in the kernel's
Hilbert space, along which they spread most. The coloured ground is the trained machine
itself, evaluated exactly on that plane (it is linear in that space, so borders are
straight). The diagrams do not lie *in* the plane: the text beside it says how much of
their variance is seen. So a diagram may rightly float above another class's ground.
Circles were trained on, squares are the test; rings are support vectors; crosses are
mistakes. A star is the mean of a class: a diagram of its own, in the middle of all of
the class by sliced costs, put on the map like any new diagram. Click it to see it.

**The numbers.** *Test* counts the squares; its ± is the standard error of a share.
*Cross-validated* is the mean over ten random halves of the training part, ± their
standard deviation: this, and never the test, is what parameters are chosen by (the
paper's Section 4).

**Click** a cell of the confusion matrix to see who is behind it, a point of the map to
take it as A and its nearest diagram as B, a cell of the grid or a point of the curve to
use its bandwidth.
"""
"""What the question mark opens: Markdown."""


def invite(kernel: str) -> str:
    """Say what to do with a kernel.

    Parameters
    ----------
    kernel : str
        A key of ``KERNEL_CHOICES``.

    Returns
    -------
    str
        Markdown.
    """
    letter = KERNEL_CHOICES[kernel].scale
    if kernel == "pss":
        return f"**Move {letter} or C.** Every {letter} takes a new sum of Gaussians."
    return (
        f"**Move {letter} or C.** Distances are computed once; a setting costs one "
        "exponential."
    )


def name_width(setting: Setting) -> str:
    """Return a bandwidth with its letter."""
    return f"{KERNEL_CHOICES[setting.kernel].scale} = {setting.scale:.4g}"


def name_machine(setting: Setting) -> str:
    """Say which machine numbers are those of."""
    choice = KERNEL_CHOICES[setting.kernel]
    parts = [choice.title, name_width(setting), f"C = {setting.C:.4g}"]
    if setting.kernel in DIRECTED:
        parts.insert(1, f"M = {setting.n_directions} ({setting.rule})")
    parts.append(", ".join(f"H{k}" for k in setting.dimensions))
    parts.append(f"{100 * setting.train_share:.0f} % for training, seed {setting.seed}")
    return " · ".join(parts)


def accuracy_text(share: float) -> str:
    """Return a share as a percentage; a dash for NaN."""
    return f"{100 * share:.1f} %" if np.isfinite(share) else "—"


def alikeness(similarity: float) -> str:
    """Say how alike two typical diagrams are at this bandwidth.

    Parameters
    ----------
    similarity : float
        See :class:`swviz.learning.Portrait`.
    """
    if similarity < 0.05:
        typical = f"= {similarity:.2g}" if similarity > 1e-3 else "is near 0"
        return f"Each diagram is alike only to itself (a typical k {typical})."
    if similarity > 0.95:
        return f"All diagrams look alike (a typical k is {similarity:.4f})."
    return f"Two typical diagrams have k = {similarity:.2f}."


def coverage(portrait: Portrait) -> str:
    """Say how much the map shows."""
    return f"The map shows {100 * portrait.map.explained.sum():.0f} % of the variance."


def describe(portrait: Portrait) -> str:
    """Say what is to be said of a portrait."""
    sentences = [alikeness(portrait.similarity), coverage(portrait)]
    if portrait.evaluation is not None:
        sentences.insert(0, diagnose(portrait))
    return " ".join(sentences)


def diagnose(portrait: Portrait) -> str:
    """Say in a few words what this bandwidth and C make of the machine.

    Parameters
    ----------
    portrait : Portrait
        With an evaluation.
    """
    found = portrait.evaluation
    assert found is not None
    chance = 1 / len(found.classes)
    halfway = (1 + chance) / 2
    if np.isnan(found.cv_accuracy) or found.cv_accuracy >= halfway:
        return "It learns."
    if found.train_accuracy > 0.95 and found.cv_accuracy < chance + 0.15:
        return "Overfit: it knows its training diagrams by heart and guesses the rest."
    if found.train_accuracy < chance + 0.25:
        return "Useless: it hardly tells classes apart, not even in training."
    return "It learns a little."
