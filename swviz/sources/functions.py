"""Functions on an interval and their sublevel sets, the paper's Figure 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from swviz.checks import check_choice, check_choices, check_integer, check_number
from swviz.diagrams import Diagram, DiagramSet
from swviz.seeds import RandomState, as_generator, as_seed
from swviz.sources.origins import Function
from swviz.sources.parameters import Preset, check_total
from swviz.sources.persistence import Essential, diagrams_of, load_gudhi, path_diagram
from swviz.typing import Progress

MAX_FUNCTIONS = 2_000
MAX_KNOTS = 20_001


@dataclass(frozen=True)
class SmoothFunction:
    """A function on [0, 1], with its formula in LaTeX."""

    description: str
    formula: str
    evaluate: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _figure_1(x: NDArray[np.float64]) -> NDArray[np.float64]:
    waves = 0.6 * np.cos(8 * np.pi * x) + 0.5 * np.cos(3 * np.pi * x)
    return waves + 0.3 * np.cos(np.pi * x)


def _chirp(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sin(16 * np.pi * x**2)


def _double_well(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 64 * (x - 0.2) * (x - 0.3) * (x - 0.7) * (x - 0.9)


def _ripples(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 2 * (2 * x - 1) ** 2 + 0.2 * np.cos(40 * np.pi * x)


FUNCTIONS: Mapping[str, SmoothFunction] = MappingProxyType(
    {
        "figure 1": SmoothFunction(
            "Four valleys of different depths",
            r"0.6 \cos 8\pi x + 0.5 \cos 3\pi x + 0.3 \cos \pi x",
            _figure_1,
        ),
        "chirp": SmoothFunction(
            "Ever narrower valleys of equal depth", r"\sin 16\pi x^2", _chirp
        ),
        "double well": SmoothFunction(
            "Two valleys, one pass between them",
            r"64 (x - 0.2)(x - 0.3)(x - 0.7)(x - 0.9)",
            _double_well,
        ),
        "ripples": SmoothFunction(
            "One wide valley with many small ones in it",
            r"2 (2x - 1)^2 + 0.2 \cos 40\pi x",
            _ripples,
        ),
    }
)

PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "figure 1": Preset(
            "The paper's Figure 1: f, and g its piecewise-linear sampling",
            {"function": "figure 1", "n_samples": 15},
        ),
        "finer and finer": Preset(
            "The diagram of g approaches that of f as the samples get denser",
            {"function": "figure 1", "n_samples": (6, 9, 12, 18, 27, 40, 60)},
        ),
        "missed valleys": Preset(
            "A chirp outruns its samples: valleys that g does not see",
            {"function": "chirp", "n_samples": (9, 17, 33, 65)},
        ),
        "noisy samples": Preset(
            "Noise on the samples gives points near the diagonal",
            {"function": "double well", "n_samples": (100,) * 10, "noise": 0.05},
        ),
        "four functions": Preset(
            "All functions, each with ten noisy samplings",
            {"function": tuple(FUNCTIONS), "n_samples": (60,) * 10, "noise": 0.05},
        ),
    }
)


class Stability(NamedTuple):
    """Both sides of the stability theorem, ``bottleneck <= sup_distance``."""

    bottleneck: float
    sup_distance: float


def functions(
    function: str | Sequence[str] = "figure 1",
    n_samples: int | Sequence[int] = 15,
    *,
    noise: float = 0.0,
    n_points: int = 2001,
    essential: Essential = "cap",
    random_state: RandomState = 0,
    progress: Progress | None = None,
    cache: bool = True,
) -> DiagramSet:
    """Functions on [0, 1] with their piecewise-linear samplings; sublevel sets, H0.

    Parameters
    ----------
    function : str or sequence of str, default="figure 1"
        Any of "figure 1", "chirp", "double well" and "ripples"; see ``FUNCTIONS``.
        Each is a class.
    n_samples : int from 2 to 2001, or sequence of ints, default=15
        For each, one piecewise-linear g through that many samples of f, evenly spaced
        from end to end.
    noise : float from 0 to 1, default=0.0
        Standard deviation of Gaussian noise on the samples.
    n_points : int from 100 to 20001, default=2001
        Knots of f itself, which is piecewise linear too, but so finely that it looks
        smooth.
    essential : {"cap", "drop"}, default="cap"
        The component of the global minimum never dies. "cap" lets it die at the
        global maximum, so that every diagram has the point (min, max); "drop" leaves
        it out. The stability theorem holds with either.
    random_state : int, RandomState instance, Generator or None, default=0
    progress : callable, optional
        Called with (functions done, all functions).
    cache : bool, default=True
        Keep the diagrams on disk when `random_state` is an integer.

    Returns
    -------
    DiagramSet
        Dimension 0. For every function f itself and then its samplings; labels are
        the names of the functions, origins :class:`~swviz.sources.Function`.

    See Also
    --------
    stability : the two sides of the stability theorem for f and g.

    Examples
    --------
    >>> pair = functions("double well", n_samples=9, cache=False)
    >>> pair.names
    ('double well: f', 'double well: g, 9 samples')
    >>> [len(diagram) for diagram in pair.in_dimension(0)]
    [2, 2]
    """
    chosen = check_choices(function, "function", FUNCTIONS)
    counts = (n_samples,) if np.isscalar(n_samples) else tuple(n_samples)  # type: ignore[arg-type]
    counts = tuple(check_integer(count, "n_samples", 2, 2001) for count in counts)
    noise = check_number(noise, "noise", 0.0, 1.0)
    n_points = check_integer(n_points, "n_points", 100, MAX_KNOTS)
    check_choice(essential, "essential", ("cap", "drop"))
    check_total("functions", len(chosen) * (1 + len(counts)), MAX_FUNCTIONS)

    rng = as_generator(random_state)
    names, drawn = [], []
    for name in chosen:
        evaluate = FUNCTIONS[name].evaluate
        names.append(f"{name}: f")
        drawn.append(_tabulate(evaluate, n_points))
        for count in counts:
            names.append(f"{name}: g, {count} samples")
            error = rng.normal(0, noise, count) if noise else None
            drawn.append(_tabulate(evaluate, count, error))
    diagrams = diagrams_of(
        [one.y for one in drawn],
        partial(_diagrams_of_values, essential=essential),
        (0,),
        recipe={"complex": "path", "essential": essential},
        inputs=[one.y for one in drawn],
        # A diagram takes less time than handing it to a thread.
        n_jobs=None,
        progress=progress,
        cache=cache and as_seed(random_state) is not None,
    )
    return DiagramSet(
        diagrams,
        labels=np.repeat(chosen, 1 + len(counts)),
        names=names,
        provenance={
            "source": "functions",
            "function": list(chosen),
            "n_samples": list(counts),
            "noise": noise,
            "n_points": n_points,
            "essential": essential,
            "random_state": as_seed(random_state),
        },
        origins=drawn,
    )


def stability(f: Function, g: Function, essential: Essential = "cap") -> Stability:
    r"""Both sides of the stability theorem for two functions on an interval.

    Parameters
    ----------
    f, g : Function
        Piecewise linear, on the same interval.
    essential : {"cap", "drop"}, default="cap"
        As in :func:`functions`.

    Returns
    -------
    Stability
        The bottleneck distance of the diagrams and the greatest difference of the
        functions, both exact.

    Notes
    -----
    :math:`d_\infty(\mathrm{Dg}(f), \mathrm{Dg}(g)) \le \|f - g\|_\infty`, Equation (1)
    of the paper.
    """
    return Stability(
        bottleneck=float(
            load_gudhi().bottleneck_distance(
                path_diagram(f.y, essential), path_diagram(g.y, essential)
            )
        ),
        sup_distance=sup_distance(f, g),
    )


def sup_distance(f: Function, g: Function) -> float:
    """Return the greatest difference between two piecewise-linear functions.

    Parameters
    ----------
    f, g : Function
        On the same interval.

    Returns
    -------
    float

    Notes
    -----
    It is attained at a knot of one of them, because between knots the difference is
    linear.
    """
    knots = np.union1d(f.x, g.x)
    return float(np.abs(f(knots) - g(knots)).max())


def _tabulate(
    evaluate: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    count: int,
    error: NDArray[np.float64] | None = None,
) -> Function:
    x = np.linspace(0, 1, count)
    y = evaluate(x)
    if error is not None:
        y = y + error
    for array in (x, y):
        array.setflags(write=False)
    return Function(x, y)


def _diagrams_of_values(
    values: NDArray[np.float64], essential: Essential
) -> list[Diagram]:
    return [path_diagram(values, essential)]
