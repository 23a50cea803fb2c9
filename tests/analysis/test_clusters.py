"""Cluster Wilson against R's survey package, and where there is no interval."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from analysis.clusters import effective_ratings, mean_objects_ci, pooled_share_ci, published_band
from analysis.proportions import clopper_pearson, wilson

# R survey 4.1: svydesign(id = ~dnum, data = apiclus1, weights = ~1), svyciprop(~I(sch.wide == "No"), ...), no fpc.
K = [2, 3, 1, 3, 1, 0, 0, 0, 0, 3, 2, 0, 5, 1, 2]
M = [13, 34, 4, 13, 16, 2, 1, 4, 12, 21, 9, 11, 37, 2, 4]


def test_design_effect_and_share_of_r_survey() -> None:
    found = pooled_share_ci(K, M)
    assert found.estimate == pytest.approx(0.12568306, abs=1e-8)
    assert found.deff is not None
    variance = found.deff * found.estimate * (1 - found.estimate) / 183
    assert variance**0.5 == pytest.approx(0.02056424, abs=1e-8)


def test_effective_sample_size_of_r_survey() -> None:
    """R does not floor the design effect; with floor 0 n* is R's, and the limits on it are R's."""
    found = pooled_share_ci(K, M)
    assert found.deff is not None
    assert found.estimate is not None
    n = effective_ratings(183, 15, found.deff, floor=0.0)
    assert n == pytest.approx(219.909, abs=1e-3)
    # svyciprop(method = "beta"), and Wilson on the same n*.
    assert clopper_pearson(found.estimate * n, n) == pytest.approx((0.08492348, 0.17688140), abs=1e-7)
    assert wilson(found.estimate * n, n) == pytest.approx((0.08820178, 0.17601725), abs=1e-7)


def test_a_design_effect_under_one_is_taken_as_one() -> None:
    found = pooled_share_ci(K, M)
    assert found.deff == pytest.approx(0.70426, abs=1e-5)
    assert found.n_effective == pytest.approx(effective_ratings(183, 15, 1.0))
    assert found.n_effective < 183


@pytest.mark.shared
def test_cluster_sizes_are_those_of_the_reference_file() -> None:
    """Its column k counts another variable, so only the sizes can be compared."""
    shared = Path(os.environ.get("REALIA_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    with (shared / "oracles" / "apiclus.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["m"]) for row in rows] == M


def test_all_alike_takes_the_raters_as_n() -> None:
    found = pooled_share_ci([8] * 10, [8] * 10)
    assert (found.estimate, found.low, found.high) == (1.0, *wilson(10, 10))
    assert found.deff is None
    assert "raters as n" in found.note


def test_one_rater_has_no_interval() -> None:
    found = pooled_share_ci([3], [8])
    assert found.estimate == pytest.approx(3 / 8)
    assert (found.low, found.high) == (None, None)
    assert "one rater" in found.note


def test_a_rater_without_a_valid_rating_is_dropped_and_counted() -> None:
    assert pooled_share_ci([2, 0, 3], [4, 0, 4]).dropped == 1
    assert pooled_share_ci([2, 0, 3], [4, 0, 4]).low == pooled_share_ci([2, 3], [4, 4]).low


def test_nobody_has_nothing() -> None:
    for found in (pooled_share_ci([], []), mean_objects_ci(np.zeros((0, 3)), np.zeros((0, 3)))):
        assert (found.estimate, found.low, found.high, found.n) == (None, None, None, 0)


def test_mean_over_objects_equals_the_pooled_share_when_all_rate_all() -> None:
    generator = np.random.default_rng(7)
    y = generator.integers(0, 2, size=(12, 8)).astype(float)
    m = np.ones_like(y)
    mean, pooled = mean_objects_ci(y, m), pooled_share_ci(y.sum(axis=1), m.sum(axis=1))
    assert (mean.estimate, mean.low, mean.high) == pytest.approx((pooled.estimate, pooled.low, pooled.high))


def test_mean_over_objects_weighs_objects_alike() -> None:
    y = np.array([[1, 0], [1, 0], [1, 0], [1, 1]], dtype=float)
    m = np.array([[1, 0], [1, 0], [1, 1], [1, 1]], dtype=float)
    assert mean_objects_ci(y, m).estimate == pytest.approx((1 + 1 / 2) / 2)
    assert pooled_share_ci(y.sum(axis=1), m.sum(axis=1)).estimate == pytest.approx(5 / 6)


def test_an_object_nobody_could_judge_leaves_the_mean_and_is_named() -> None:
    y = np.array([[1, 0, 0], [0, 0, 1]], dtype=float)
    m = np.array([[1, 0, 1], [1, 0, 1]], dtype=float)
    found = mean_objects_ci(y, m)
    assert found.empty_objects == (1,)
    assert found.estimate == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("rho", "low", "high"), [(0, 54, 77), (0.1, 50, 80), (0.2, 47, 82), (0.3, 45, 83), (1, 33, 89)]
)
def test_band_of_the_published_two_thirds(rho: float, low: int, high: int) -> None:
    """10 raters, 78 ratings, 66.7 %: the baseline is itself very uncertain."""
    band = published_band(52 / 78, 78, 10, rho)
    assert (round(band[0] * 100), round(band[1] * 100)) == (low, high)


@pytest.mark.parametrize(("y", "m"), [([2], [1]), ([1, 1], [1]), ([-1], [1]), ([float("nan")], [1])])
def test_impossible_counts_are_refused(y: list[float], m: list[float]) -> None:
    with pytest.raises(ValueError, match="approvals"):
        pooled_share_ci(y, m)


def test_coverage_with_severe_raters() -> None:
    """The naive interval misses; the cluster interval holds its level (seeded, 400 studies, rater SD 0.7)."""
    generator = np.random.default_rng(20)
    raters, objects, studies = 20, 8, 400
    centre = np.log(0.65 / 0.35) * np.sqrt(1 + 0.346 * 0.7**2)
    population = 1 / (1 + np.exp(-(centre + 0.7 * generator.normal(size=200_000))))
    truth = population.mean()
    hit = naive = 0
    for _ in range(studies):
        chance = generator.choice(population, size=raters)
        y = generator.binomial(objects, chance)
        found = pooled_share_ci(y, np.full(raters, objects))
        assert found.low is not None
        assert found.high is not None
        hit += found.low <= truth <= found.high
        low, high = wilson(float(y.sum()), raters * objects)
        naive += low <= truth <= high
    assert hit / studies >= 0.925
    assert naive / studies < hit / studies
