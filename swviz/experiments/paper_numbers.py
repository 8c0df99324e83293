"""The paper's own numbers, as printed.

From Carriere, Cuturi and Oudot, "Sliced Wasserstein Kernel for Persistence Diagrams"
(ICML 2017): Table 1 (sizes), Table 2 (accuracies) and Table 3 (times). Times were taken
on a 2.4 GHz Intel Xeon E5530 Quad Core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SHAPE_CATEGORIES = (
    *("Human", "Airplane", "Ant", "Bird"),
    *("FourLeg", "Octopus", "Fish"),
)
"""The shape categories in the order of the paper's tables."""


@dataclass(frozen=True)
class Sizes:
    """A row of the paper's Table 1.

    Parameters
    ----------
    train, test, labels : int
    """

    train: int
    test: int
    labels: int


@dataclass(frozen=True)
class Measured:
    """A mean and the number after the paper's plus-minus sign.

    Parameters
    ----------
    mean, spread : float
        Percent in Table 2, seconds in Table 3.
    """

    mean: float
    spread: float

    def __str__(self) -> str:
        return f"{self.mean:g} ± {self.spread:g}"


SIZES: Mapping[str, Sizes] = MappingProxyType(
    {
        "Orbit": Sizes(175, 75, 5),
        "Texture": Sizes(240, 240, 24),
        "Human": Sizes(415, 1618, 8),
        "Airplane": Sizes(300, 980, 4),
        "Ant": Sizes(364, 1141, 5),
        "Bird": Sizes(257, 832, 4),
        "FourLeg": Sizes(438, 1097, 6),
        "Octopus": Sizes(334, 1447, 2),
        "Fish": Sizes(304, 905, 3),
    }
)
"""Table 1: instances for training and testing, and labels."""

ACCURACY: Mapping[str, Mapping[str, Measured]] = MappingProxyType(
    {
        "Orbit": {
            "PSS": Measured(63.6, 1.2),
            "PWG": Measured(77.7, 1.2),
            "SW": Measured(83.7, 0.5),
        },
        "Texture": {
            "PSS": Measured(98.8, 0.0),
            "PWG": Measured(95.8, 0.0),
            "SW": Measured(96.1, 0.4),
        },
        "Human": {
            "PSS": Measured(68.5, 2.0),
            "PWG": Measured(64.2, 1.2),
            "SW": Measured(74.0, 0.2),
        },
        "Airplane": {
            "PSS": Measured(65.4, 2.4),
            "PWG": Measured(61.3, 2.9),
            "SW": Measured(72.6, 0.2),
        },
        "Ant": {
            "PSS": Measured(86.3, 1.0),
            "PWG": Measured(87.4, 0.5),
            "SW": Measured(92.3, 0.2),
        },
        "Bird": {
            "PSS": Measured(67.7, 1.8),
            "PWG": Measured(72.0, 1.2),
            "SW": Measured(67.0, 0.5),
        },
        "FourLeg": {
            "PSS": Measured(67.0, 2.5),
            "PWG": Measured(64.0, 0.6),
            "SW": Measured(73.0, 0.4),
        },
        "Octopus": {
            "PSS": Measured(77.6, 1.0),
            "PWG": Measured(78.6, 1.3),
            "SW": Measured(85.2, 0.5),
        },
        "Fish": {
            "PSS": Measured(76.1, 1.6),
            "PWG": Measured(79.8, 0.5),
            "SW": Measured(75.0, 0.4),
        },
    }
)
"""Table 2: accuracies in percent.

On Orbit and Texture k_PSS is approximated to 1e-3, k_PWG by 1000 random Fourier
features and k_SW with 6 directions; on shapes all are exact.
"""

GRAM_SECONDS: Mapping[str, Mapping[str, Measured]] = MappingProxyType(
    {
        "Orbit": {
            "PSS": Measured(124, 8.4),
            "PWG": Measured(144, 14),
            "SW 6": Measured(415, 7.9),
        },
        "Texture": {
            "PSS": Measured(165, 27),
            "PWG": Measured(101, 9.6),
            "SW 6": Measured(482, 68),
        },
        "Human": {
            "PSS": Measured(29, 0.3),
            "PWG": Measured(318, 22),
            "SW exact": Measured(2270, 336),
            "SW 10": Measured(107, 14),
        },
        "Airplane": {
            "PSS": Measured(0.8, 0.03),
            "PWG": Measured(5.6, 0.02),
            "SW exact": Measured(44, 5.4),
            "SW 10": Measured(10, 1.6),
        },
        "Ant": {
            "PSS": Measured(1.7, 0.01),
            "PWG": Measured(12, 0.5),
            "SW exact": Measured(92, 2.8),
            "SW 10": Measured(16, 0.4),
        },
        "Bird": {
            "PSS": Measured(0.5, 0.01),
            "PWG": Measured(3.6, 0.02),
            "SW exact": Measured(27, 1.6),
            "SW 10": Measured(6.6, 0.8),
        },
        "FourLeg": {
            "PSS": Measured(10, 0.07),
            "PWG": Measured(113, 13),
            "SW exact": Measured(604, 25),
            "SW 10": Measured(52, 3.2),
        },
        "Octopus": {
            "PSS": Measured(1.4, 0.01),
            "PWG": Measured(11, 0.8),
            "SW exact": Measured(75, 1.4),
            "SW 10": Measured(14, 2.1),
        },
        "Fish": {
            "PSS": Measured(1.2, 0.004),
            "PWG": Measured(9.6, 0.03),
            "SW exact": Measured(72, 4.8),
            "SW 10": Measured(12, 1.1),
        },
    }
)
"""Table 3: seconds for one Gram matrix (k_PSS, k_PWG) or all distances (k_SW).

k_PSS and k_PWG need that for each of their N settings; k_SW needs less than 0.1 s more
for each of its own.
"""
