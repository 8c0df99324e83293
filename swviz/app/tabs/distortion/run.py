"""What the Distortion view computes for one set of diagrams, in a thread of a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from swviz.app.workspace.kernel_widths import fit_once
from swviz.diagrams import Diagram
from swviz.studies import (
    Bandwidths,
    PairDistances,
    scale_space_distances,
    smallest_over_sigma,
    weighted_distances,
)
from swviz.typing import Progress, Rule

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

JOBS = 2


class DistortionRun:
    """Distances of all pairs of some diagrams, and what goes with them.

    Parameters
    ----------
    drawn : ndarray of shape (n,), integer
        Places of the diagrams in the data set.
    diagrams : sequence of ndarrays of shape (n_i, 2)
    n_directions : int or "exact"
    rule : str
    question : (str, sequence of ndarrays of shape (n_i, 2))
        See :meth:`swviz.app.workspace.kernel_widths.KernelWidths.question`.

    Attributes
    ----------
    pairs : PairDistances
        Grows while a thread is in :meth:`compute`.
    widths : Bandwidths or None
        None until they are learnt.
    scale_space, weighted : ndarray of shape (n, n)
        Distances of k_PSS and k_PWG (without its exponential) at these widths.
    sweep : tuple
        See :func:`swviz.studies.smallest_over_sigma`.
    """

    def __init__(
        self,
        drawn: Ints,
        diagrams: Sequence[Diagram],
        n_directions: int | Literal["exact"],
        rule: Rule,
        question: tuple[str, Sequence[Diagram]],
    ) -> None:
        self.drawn = drawn
        self.diagrams = diagrams
        self._question = question
        self.pairs = PairDistances(diagrams, n_directions=n_directions, rule=rule)
        self.widths: Bandwidths | None = None
        self.scale_space = self.weighted = np.zeros((len(diagrams), len(diagrams)))
        none = np.zeros((0, 0))
        self.sweep = smallest_over_sigma({"k_sw": none, "k_d1": none})

    @property
    def finished(self) -> bool:
        """Whether all pairs are computed."""
        return self.pairs.done == len(self.pairs)

    def compute(self, progress: Progress) -> DistortionRun:
        """Compute what is missing.

        Parameters
        ----------
        progress : callable
            As in :meth:`swviz.studies.PairDistances.run`.
        """
        progress(self.pairs.done, len(self.pairs))
        if self.widths is None:
            # Its own progress is no news, but a cancelled job ends there.
            widths = fit_once(
                *self._question, lambda *_: progress(self.pairs.done, len(self.pairs))
            )
            self.scale_space = scale_space_distances(self.diagrams, widths.t)
            self.weighted = weighted_distances(self.diagrams, widths, widths.rho)
            # Last: that it is there tells the other thread that all of them are.
            self.widths = widths
        self.pairs.run(n_jobs=JOBS, progress=progress)
        self.compute_sweep()
        return self

    def compute_sweep(self, progress: Progress | None = None) -> None:
        """Compute the smallest eigenvalues of the diagrams that are complete.

        Parameters
        ----------
        progress : callable, optional
            Not called: this takes a fraction of a second.
        """
        self.sweep = smallest_over_sigma(self.matrices())

    def matrices(self) -> dict[str, Floats]:
        """Return the distances between the diagrams whose pairs are all computed."""
        d1, sw = self.pairs.matrices()
        return {"k_sw": sw, "k_d1": d1}
