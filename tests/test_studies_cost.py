import numpy as np
import pytest

from swviz import (
    SlicedWassersteinEmbedding,
    sliced_wasserstein,
)
from swviz.errors import ParameterError
from swviz.studies import (
    embedding_tiers,
    exact_tier,
    gram_times,
    ratio_study,
    slice_tiers,
)
from tests.studies_data import COUNTS, Stop, X, stop_at


def test_gram_times_are_measured_for_each_m_and_can_be_stopped():
    times = gram_times(X, COUNTS, n_repeats=2)
    assert times.n_pairs == 15
    assert times.counts.tolist() == list(COUNTS)
    assert (times.seconds > 0).all()
    assert np.isfinite(times.seconds).all()
    progress, seen = stop_at(0.5)
    with pytest.raises(Stop):
        gram_times(X, COUNTS, n_repeats=2, progress=progress)
    assert seen[-1] == (5, 10)


def test_slices_and_exact_as_tiers():
    study, times = ratio_study(X, COUNTS), gram_times(X, (1, 6, 10, 20), n_repeats=1)
    tier = slice_tiers(study, times, "diagonal")
    assert tier.sizes.tolist() == [1, 6, 10]
    np.testing.assert_allclose(tier.seconds, times.seconds[:3] / 15)
    np.testing.assert_allclose(
        tier.mean_errors, study.mean_errors("diagonal")[[0, 2, 4]]
    )
    assert exact_tier(study).mean_errors.tolist() == [0]
    assert exact_tier(study).seconds[0] == study.exact_seconds


@pytest.mark.parametrize("rule", ["paper", "random"])
def test_embedding_errors_by_slow_obvious_code_and_within_their_bound(rule):
    study = ratio_study(X, COUNTS)
    tier = embedding_tiers(X, study, n_directions=6, n_bins=(4, 64), rule=rule)
    for k, bins in enumerate((4, 64)):
        embedding = SlicedWassersteinEmbedding(6, bins, rule=rule, random_state=0)
        vectors = embedding.fit_transform(X)
        bounds = embedding.error_bounds(X)
        errors, limits = [], []
        for (i, j), exact in zip(study.pairs, study.exact, strict=True):
            found = np.abs(vectors[i] - vectors[j]).sum()
            slices = sliced_wasserstein(X[i], X[j], 6, rule=rule, random_state=0)
            errors.append(abs(found - exact) / exact)
            limits.append((abs(slices - exact) + bounds[i] + bounds[j]) / exact)
        assert tier.mean_errors[k] == pytest.approx(np.mean(errors))
        assert tier.worst_errors[k] == pytest.approx(max(errors))
        assert tier.bounds[k] == pytest.approx(np.mean(limits))
    assert (tier.mean_errors <= tier.bounds).all()
    assert tier.n_diagrams == 6


def test_embedding_in_small_batches_of_some_diagrams(monkeypatch):
    study = ratio_study(X, COUNTS)
    whole = embedding_tiers(X, study, n_bins=(16,))
    monkeypatch.setattr("swviz.studies.cost._VECTOR_BYTES", 1)
    monkeypatch.setattr("swviz.studies.cost._TOGETHER", 2)
    parts = embedding_tiers(X, study, n_bins=(16,), timed=[0, 2, 3])
    np.testing.assert_allclose(parts.mean_errors, whole.mean_errors)
    np.testing.assert_allclose(parts.bounds, whole.bounds)
    assert parts.n_diagrams == 3
    with pytest.raises(ParameterError, match="another set"):
        embedding_tiers(X[:4], study)
