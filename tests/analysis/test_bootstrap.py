"""The cluster bootstrap against scipy, against printed numbers, and where the data are degenerate."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from analysis.bootstrap import (
    BootstrapInterval,
    acceleration,
    bca,
    bias_correction,
    jointly,
    mean_and_pooled,
    object_shares,
    percentile,
    resample,
    resample_counts,
    share_intervals,
    t_expanded,
)
from analysis.clusters import mean_objects_ci, pooled_share_ci
from analysis.proportions import wilson

Floats = NDArray[np.float64]
METHODS = (percentile, bca, t_expanded)

# Efron and Tibshirani (1993), table 14.1: spatial test data A of 26 neurologically impaired children.
SPATIAL = np.array([
    48, 36, 20, 29, 42, 42, 20, 42, 22, 41, 45, 14, 6, 0, 33, 28, 34, 4, 32, 24, 47, 41, 24, 26, 30, 41,
], dtype=float)  # fmt: skip


def variance(weights: Floats) -> Floats:
    """Plug-in variance of the spatial data as a function of weights; shape (draws, 1)."""
    total = weights.sum(axis=1)
    mean = weights @ SPATIAL / total
    found: Floats = (weights @ SPATIAL**2 / total - mean**2)[:, None]
    return found


def study(raters: int, objects: int, seed: int = 1) -> tuple[Floats, Floats]:
    generator = np.random.default_rng(seed)
    m = (generator.random((raters, objects)) < 0.85).astype(float)
    chance = special.expit(0.6 + 0.7 * generator.normal(size=(raters, 1)))
    return m * (generator.random((raters, objects)) < chance), m


def test_efron_and_tibshirani_spatial_data() -> None:
    """Section 14.2: variance 171.5, acceleration .061; 90 % percentile (100.8, 233.9), BCa (115.8, 259.6), B = 2,000.

    scipy and R boot with more replicates: percentile (98.0, 235.6), BCa (115.8, 261.2) and (115.6, 260.9).
    """
    found = resample(variance, 26, 20_000, np.random.default_rng(1))
    assert found.estimate[0] == pytest.approx(171.534, abs=1e-3)
    assert acceleration(found)[0] == pytest.approx(0.0612, abs=5e-5)
    one, other = percentile(found, 0.9)[0], bca(found, 0.9)[0]
    assert (one.low, one.high) == pytest.approx((98.0, 235.6), abs=1.5)
    assert (other.low, other.high) == pytest.approx((115.7, 261.0), abs=2.0)


@pytest.mark.parametrize(("name", "mine"), [("percentile", percentile), ("BCa", bca)])
def test_same_seed_same_interval_as_scipy(name: Any, mine: Callable[..., list[BootstrapInterval]]) -> None:
    """Same index scheme: the pooled share equals scipy.stats.bootstrap(paired, one batch) exactly."""
    y, m = study(14, 9)
    found = mine(resample(mean_and_pooled(y, m), 14, 3_000, np.random.default_rng(3)), 0.9)[1]
    theirs = stats.bootstrap(
        (y.sum(axis=1), m.sum(axis=1)), lambda k, n, axis: k.sum(axis) / n.sum(axis), paired=True, vectorized=True,
        n_resamples=3_000, confidence_level=0.9, method=name, rng=np.random.default_rng(3),
    ).confidence_interval  # fmt: skip
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-14)


def test_counts_are_those_of_the_indices_and_rows_sum_to_the_raters() -> None:
    counts = resample_counts(7, 50, np.random.default_rng(9))
    indices = np.random.default_rng(9).integers(0, 7, (50, 7))
    assert counts.shape == (50, 7)
    assert (counts.sum(axis=1) == 7).all()
    assert all((counts[row] == np.bincount(indices[row], minlength=7)).all() for row in range(50))


def test_one_draw_serves_every_functional() -> None:
    """Mean, pooled share and objects come from the same raters: their differences are differences of replicates."""
    y, m = study(12, 4)
    found = resample(jointly(y, m), 12, 200, np.random.default_rng(2))
    alone = resample(object_shares(y, m), 12, 200, np.random.default_rng(2))
    assert found.joint[:, 2:] == pytest.approx(alone.joint)
    assert found.joint[:, 0] == pytest.approx(found.joint[:, 2:].mean(axis=1))
    assert found.estimate[1] == pytest.approx(y.sum() / m.sum())


def test_the_jackknife_leaves_one_rater_out() -> None:
    y, m = study(10, 3)
    found = resample(jointly(y, m), 10, 10, np.random.default_rng(2))
    without = np.delete(y, 4, axis=0).sum() / np.delete(m, 4, axis=0).sum()
    assert found.jackknife[1, 4] == pytest.approx(without)


@pytest.mark.parametrize("raters", [5, 10, 20, 60])
def test_t_expanded_is_the_percentile_at_hesterbergs_level(raters: int) -> None:
    """α' = Φ(−√(R/(R−1))·t_{R−1,1−α/2}): wider than percentile, and much wider where raters are few."""
    y, m = study(raters, 8)
    found = resample(mean_and_pooled(y, m), raters, 4_000, np.random.default_rng(1))
    tail = stats.norm.cdf(-np.sqrt(raters / (raters - 1)) * stats.t.ppf(0.975, raters - 1))
    expected = np.quantile(found.joint[:, 1], [tail, 1 - tail])
    wide, plain = t_expanded(found)[1], percentile(found)[1]
    assert (wide.low, wide.high) == pytest.approx(tuple(expected), abs=1e-12)
    assert wide.low is not None
    assert plain.low is not None
    assert wide.low <= plain.low


def test_identical_ratings_get_the_closed_interval_instead_of_no_width() -> None:
    """P-33: scipy's BCa gives NaN here and the percentile 1.0 to 1.0; neither may be shown."""
    y = np.ones((12, 3))
    found = resample(jointly(y, y), 12, 500, np.random.default_rng(1))
    for method in METHODS:
        assert [one.low for one in method(found)] == [None] * 5
        for one in share_intervals(y, y, found, method):
            assert (one.low, one.high) == wilson(12, 12)
            assert one.note == "all replicates are equal: cluster Wilson instead"


def test_shares_that_vary_keep_their_own_interval() -> None:
    y, m = study(12, 3)
    found = resample(jointly(y, m), 12, 500, np.random.default_rng(1))
    assert share_intervals(y, m, found, t_expanded) == t_expanded(found)


def test_replicates_without_a_rater_of_an_object_are_counted_and_left_out() -> None:
    """P-30: an object that two of ten judged is missing from about (8/10)^10 of the draws."""
    y, m = np.ones((10, 2)), np.ones((10, 2))
    m[2:, 1] = y[2:, 1] = y[0, 1] = 0
    found = resample(jointly(y, m), 10, 4_000, np.random.default_rng(1))
    one = percentile(found)[3]
    assert one.lost / 4_000 == pytest.approx(0.8**10, abs=0.02)
    assert one.replicates + one.lost == 4_000
    assert (one.low, one.high) == (0.0, 1.0)
    assert percentile(found)[0].lost == 0


def test_one_rater_or_nobody_has_no_bootstrap_interval() -> None:
    """P-30: an answer with its reason, no warning and no NaN."""
    one = np.ones((1, 2))
    for method in METHODS:
        found = method(resample(jointly(one, one), 1, 20, np.random.default_rng(1)))
        assert {interval.low for interval in found} == {None}
        assert found[0].note == "one rater: nothing to draw from"
        empty = method(resample(jointly(np.zeros((3, 2)), np.zeros((3, 2))), 3, 20, np.random.default_rng(1)))
        assert {(interval.estimate, interval.low, interval.note) for interval in empty} == {(None, None, "no ratings")}
    with pytest.raises(ValueError, match="at least one rater"):
        resample_counts(0, 10, np.random.default_rng(1))


def test_bca_without_a_replicate_on_one_side_says_so() -> None:
    """The largest value as the functional: no replicate lies above it, and z₀ has no end."""
    data = np.array([1.0, 2.0, 3.0, 4.0, 50.0])

    def beyond(weights: Floats) -> Floats:
        whole = (weights == 1).all(axis=1)
        found: Floats = np.where(whole, 99.0, (weights @ data) / 5)[:, None]
        return found

    found = resample(beyond, 5, 30, np.random.default_rng(3))
    found.draws[found.draws == 99.0] = 50.0
    assert np.isinf(bias_correction(found)[0])
    one = bca(found)[0]
    assert (one.low, one.high) == (None, None)
    assert "beyond every replicate" in one.note


def test_a_tie_parted_by_rounding_counts_half() -> None:
    """Means over objects sum in another order in each replicate; a last digit must not move z₀."""
    y, m = np.tile([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], (3, 1)), np.ones((6, 3))
    found = resample(mean_and_pooled(y, m), 6, 4_000, np.random.default_rng(1))
    ties = np.abs(found.draws[0] - found.estimate[0]) < 1e-9
    below = (found.draws[0] < found.estimate[0] - 1e-9).mean()
    assert bias_correction(found)[0] == pytest.approx(stats.norm.ppf(below + ties.mean() / 2))


def test_a_level_that_is_none_is_refused() -> None:
    y, m = study(6, 2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        percentile(resample(jointly(y, m), 6, 10, np.random.default_rng(1)), 95)


def test_few_raters_need_the_expansion() -> None:
    """Twelve raters, SD of severity 0.7: percentile under-covers, t-expanded holds about its level (250 studies)."""
    truth = float(special.expit(0.6 + 0.7 * np.random.default_rng(8).normal(size=200_000)).mean())
    hits = np.zeros(3)
    for seed in range(250):
        y, m = study(12, 8, 1_000 + seed)
        found = resample(mean_and_pooled(y, m), 12, 600, np.random.default_rng(seed))
        closed = pooled_share_ci(y.sum(axis=1), m.sum(axis=1))
        for place, one in enumerate((percentile(found)[1], t_expanded(found)[1], closed)):
            assert one.low is not None
            assert one.high is not None
            hits[place] += one.low <= truth <= one.high
    plain, wide, wilsons = hits / 250
    assert plain < wide
    assert wide >= 0.92
    assert wilsons >= 0.92


def test_ten_thousand_replicates_of_sixty_raters_and_25_objects_are_quick() -> None:
    """The best of five, all intervals; about 0.02 s on an idle core; a loop would take seconds."""
    y, m = study(60, 25)
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        found = resample(jointly(y, m), 60, 10_000, np.random.default_rng(1))
        percentile(found), bca(found), t_expanded(found)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 0.5


def test_the_bootstrap_agrees_with_the_linearised_interval_for_many_raters() -> None:
    y, m = study(200, 10)
    found = t_expanded(resample(jointly(y, m), 200, 4_000, np.random.default_rng(1)))[0]
    closed = mean_objects_ci(y, m)
    assert (found.low, found.high) == pytest.approx((closed.low, closed.high), abs=0.006)
