"""How many directions are enough? The studies behind the paper's figure on M."""

from swviz.approximation.accuracy import (
    ACCURACY_COUNTS,
    AccuracyStudy,
    accuracy_studies,
    accuracy_study,
)
from swviz.approximation.curves import (
    PAIR_COUNTS,
    AnglePlan,
    KinkStudy,
    PairStudy,
    kink_study,
    pair_study,
)
from swviz.approximation.measuring import (
    MOST_PAIRS,
    SET_COUNTS,
    paired_slice_costs,
    ratio_studies,
    ratio_study,
)
from swviz.approximation.ratios import Answer, Boxes, RatioStudy
from swviz.approximation.sampling import (
    sample_diagrams,
    sample_pairs,
    suggest_diagrams,
    suggest_pairs,
)
from swviz.approximation.tiers import (
    GRAM_COUNTS,
    GramTimes,
    Tiers,
    embedding_tiers,
    exact_tier,
    gram_times,
    slice_tiers,
)
from swviz.typing import RULES

__all__ = [
    "ACCURACY_COUNTS",
    "GRAM_COUNTS",
    "MOST_PAIRS",
    "PAIR_COUNTS",
    "RULES",
    "SET_COUNTS",
    "AccuracyStudy",
    "AnglePlan",
    "Answer",
    "Boxes",
    "GramTimes",
    "KinkStudy",
    "PairStudy",
    "RatioStudy",
    "Tiers",
    "accuracy_studies",
    "accuracy_study",
    "embedding_tiers",
    "exact_tier",
    "gram_times",
    "kink_study",
    "pair_study",
    "paired_slice_costs",
    "ratio_studies",
    "ratio_study",
    "sample_diagrams",
    "sample_pairs",
    "slice_tiers",
    "suggest_diagrams",
    "suggest_pairs",
]
