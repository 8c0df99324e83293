"""Questions asked of a data set.

How many directions are enough (:func:`pair_study`, :func:`ratio_study`), what a tier
costs (:func:`gram_times`, :class:`Tiers`), accuracy by the number of directions or by
the bandwidth (:func:`accuracy_study`, :func:`bandwidth_study`), how kernels distort
:math:`d_1` (:class:`PairDistances`, :func:`agreement`), and what the spectrum of a Gram
matrix says (:func:`eigenvalues`, :func:`conditional_negativity`).
"""

from swviz.studies.accuracy import (
    ACCURACY_COUNTS,
    DIRECTIONS,
    AccuracyStudy,
    BandwidthStudy,
    CurvePoint,
    accuracy_studies,
    accuracy_study,
    bandwidth_curve,
    bandwidth_study,
    directions_curve,
    distances_by_directions,
)
from swviz.studies.bandwidths import (
    Bandwidths,
    affordable_directions,
    fit_bandwidths,
    point_bandwidths,
    typical_sigma,
)
from swviz.studies.cost import (
    GRAM_COUNTS,
    GramTimes,
    Tiers,
    embedding_tiers,
    exact_tier,
    gram_times,
    slice_tiers,
)
from swviz.studies.directions import (
    MOST_PAIRS,
    SET_COUNTS,
    AnglePlan,
    Answer,
    Boxes,
    RatioStudy,
    ratio_studies,
    ratio_study,
)
from swviz.studies.distortion import (
    Agreement,
    DistortionConstants,
    PairDistances,
    agreement,
    distance_ratios,
    distortion_constants,
    exponential_distances,
    extreme_pairs,
    scale_space_distances,
    weighted_distances,
)
from swviz.studies.pair import (
    PAIR_COUNTS,
    KinkStudy,
    PairStudy,
    kink_study,
    pair_study,
)
from swviz.studies.sampling import (
    draw_diagrams,
    sample_diagrams,
    sample_pairs,
    suggest_diagrams,
    suggest_pairs,
)
from swviz.studies.spectrum import (
    conditional_negativity,
    eigenvalues,
    rounding,
    six_diagrams,
    smallest_eigenvalues,
    smallest_over_sigma,
)
from swviz.typing import RULES

__all__ = [
    "ACCURACY_COUNTS",
    "DIRECTIONS",
    "GRAM_COUNTS",
    "MOST_PAIRS",
    "PAIR_COUNTS",
    "RULES",
    "SET_COUNTS",
    "AccuracyStudy",
    "Agreement",
    "AnglePlan",
    "Answer",
    "BandwidthStudy",
    "Bandwidths",
    "Boxes",
    "CurvePoint",
    "DistortionConstants",
    "GramTimes",
    "KinkStudy",
    "PairDistances",
    "PairStudy",
    "RatioStudy",
    "Tiers",
    "accuracy_studies",
    "accuracy_study",
    "affordable_directions",
    "agreement",
    "bandwidth_curve",
    "bandwidth_study",
    "conditional_negativity",
    "directions_curve",
    "distance_ratios",
    "distances_by_directions",
    "distortion_constants",
    "draw_diagrams",
    "eigenvalues",
    "embedding_tiers",
    "exact_tier",
    "exponential_distances",
    "extreme_pairs",
    "fit_bandwidths",
    "gram_times",
    "kink_study",
    "pair_study",
    "point_bandwidths",
    "ratio_studies",
    "ratio_study",
    "rounding",
    "sample_diagrams",
    "sample_pairs",
    "scale_space_distances",
    "six_diagrams",
    "slice_tiers",
    "smallest_eigenvalues",
    "smallest_over_sigma",
    "suggest_diagrams",
    "suggest_pairs",
    "typical_sigma",
    "weighted_distances",
]
