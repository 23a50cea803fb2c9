"""Bands over all objects: printed numbers, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from analysis.bands import bonferroni_bands, bonferroni_z, joint_bands, max_t
from analysis.bootstrap import object_shares, resample
from analysis.proportions import wilson

Floats = NDArray[np.float64]


@pytest.mark.parametrize(("family", "z"), [(1, 1.960), (16, 2.955), (20, 3.023), (25, 3.090)])
def test_bonferroni_z(family: int, z: float) -> None:
    # scipy: norm.ppf(1 - .05/(2*m))
    assert bonferroni_z(0.95, family) == pytest.approx(z, abs=5.1e-4)


def test_twenty_of_thirty_among_twenty_objects() -> None:
    """Wilson at z = 3.023 for 20/30: .397 to .859."""
    found = bonferroni_bands([20] * 20, [30] * 20)
    assert (found.low[0], found.high[0]) == pytest.approx((0.397, 0.859), abs=5.1e-4)
    assert found.family == 20


def test_one_object_alone_has_wilsons_interval() -> None:
    found = bonferroni_bands([7], [10])
    assert (found.low[0], found.high[0]) == pytest.approx(wilson(7, 10), abs=1e-12)


def test_objects_without_ratings_have_no_band_and_do_not_widen_the_others() -> None:
    """P-30: an object nobody could judge is in no family."""
    found = bonferroni_bands([7, 0, 5], [10, 0, 10])
    assert (found.family, found.low[1], found.high[1]) == (2, None, None)
    assert found.low[0] == bonferroni_bands([7, 5], [10, 10]).low[0]
    nothing = bonferroni_bands([0, 0], [0, 0])
    assert (nothing.low, nothing.critical, nothing.note) == ((None, None), None, "no ratings")
    assert joint_bands([0], [0], np.zeros((5, 1))).note == "no ratings"


def test_shares_of_all_or_none_keep_a_width() -> None:
    """P-33: estimate ± c·SE would be 1.0 to 1.0."""
    y = np.ones((12, 2))
    draws = resample(object_shares(y, y), 12, 200, np.random.default_rng(1)).joint
    found = joint_bands([12, 12], [12, 12], draws)
    assert found.low == bonferroni_bands([12, 12], [12, 12]).low
    assert found.high == (1.0, 1.0)
    assert "Bonferroni instead" in found.note


def independent(raters: int, objects: int) -> tuple[Floats, Floats]:
    generator = np.random.default_rng(6)
    y = (generator.random((raters, objects)) < 0.6).astype(float)
    return y, np.ones_like(y)


def test_joint_critical_value_of_independent_objects_is_that_of_independent_normals() -> None:
    """Šidák: Φ⁻¹((1 + .95^{1/m})/2), just under Bonferroni."""
    y, m = independent(300, 5)
    draws = resample(object_shares(y, m), 300, 8_000, np.random.default_rng(2)).joint
    found = joint_bands(y.sum(axis=0), m.sum(axis=0), draws)
    assert found.critical == pytest.approx(stats.norm.ppf((1 + 0.95**0.2) / 2), abs=0.06)


def test_joint_critical_value_knows_that_objects_go_together() -> None:
    """Five objects that are one and the same need no correction at all."""
    y, _ = independent(300, 1)
    same = np.repeat(y, 5, axis=1)
    draws = resample(object_shares(same, np.ones_like(same)), 300, 8_000, np.random.default_rng(2)).joint
    found = joint_bands(same.sum(axis=0), np.full(5, 300), draws)
    assert found.critical == pytest.approx(1.96, abs=0.06)


def test_skewed_replicates_never_make_the_band_longer_than_bonferronis() -> None:
    """One disapproval in twenty: its draws reach four standard errors, which Wilson's own skewness covers already."""
    y = np.ones((20, 6))
    y[np.arange(6), np.arange(6)] = 0
    draws = resample(object_shares(y, np.ones_like(y)), 20, 2_000, np.random.default_rng(1)).joint
    largest = max_t(y.mean(axis=0), draws, np.ones(6, dtype=bool))
    assert largest is not None
    assert np.quantile(largest, 0.95) > bonferroni_z(0.95, 6)
    assert joint_bands(y.sum(axis=0), np.full(6, 20), draws).critical == bonferroni_z(0.95, 6)


def test_max_t_by_hand() -> None:
    draws = np.array([[0.4, 0.5], [0.6, 0.5], [0.8, np.nan]])
    found = max_t(np.array([0.6, 0.5]), draws, np.array([True, True]))
    assert found == pytest.approx(np.array([0.2, 0.0, 0.2]) / np.std([0.4, 0.6, 0.8]))


def test_joint_bands_hold_all_objects_together_and_single_intervals_do_not() -> None:
    """20 raters (SD of severity 0.7), eight objects, 200 studies: all eight truths inside."""
    generator = np.random.default_rng(5)
    levels = 0.7 + 0.4 * generator.normal(size=8)
    truth = special.expit(levels + 0.7 * generator.normal(size=(100_000, 1))).mean(axis=0)
    held = np.zeros(3)
    for seed in range(200):
        y = (generator.random((20, 8)) < special.expit(levels + 0.7 * generator.normal(size=(20, 1)))).astype(float)
        k, n = y.sum(axis=0), np.full(8, 20.0)
        draws = resample(object_shares(y, np.ones_like(y)), 20, 400, np.random.default_rng(seed)).joint
        single = [wilson(one, 20) for one in k]
        for place, (low, high) in enumerate(
            [(b.low, b.high) for b in (bonferroni_bands(k, n), joint_bands(k, n, draws))]
            + [(tuple(low for low, _ in single), tuple(high for _, high in single))]
        ):
            held[place] += all(a <= t <= b for a, t, b in zip(low, truth, high, strict=True) if a is not None)
    assert held[0] / 200 >= 0.93
    assert held[1] / 200 >= 0.91
    assert held[2] / 200 < 0.85


def test_counts_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shape \(objects,\)"):
        bonferroni_bands([1, 2], [3])
    with pytest.raises(ValueError, match="at least one"):
        bonferroni_z(0.95, 0)
