"""Some diagrams, and a progress that stops, for the tests of studies."""

import numpy as np

from tests.strategies import FAMILIES, pairs_of

A, B = pairs_of("uniform", 9, 7, seed=0)
COUNTS = (1, 2, 6, 8, 10)


def some_diagrams(family="uniform", sizes=(5, 9, 3, 7, 4, 6), seed=0):
    rng = np.random.default_rng(seed)
    return [FAMILIES[family](rng, n) for n in sizes]


X = some_diagrams()


class Stop(Exception):
    pass


def stop_at(share):
    """A progress that ends the work, and what it has been told."""
    seen = []

    def progress(done, total):
        seen.append((done, total))
        if done >= share * total:
            raise Stop

    return progress, seen
