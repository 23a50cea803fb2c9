"""Cluster Wilson against R's survey package, and where there is no interval."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from analysis.clusters import (
    anova_icc,
    apriori_deff,
    cluster_clopper_pearson,
    cluster_wilson,
    effective_ratings,
    logit_t,
    mean_objects_ci,
    mean_over_objects,
    mean_score_over_objects,
    pooled_share,
    pooled_share_ci,
    published_band,
)
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


def test_all_three_intervals_of_r_survey() -> None:
    """svyciprop with method "logit", "beta", and Wilson on the same n*; R has no floor of the design effect."""
    found = pooled_share(K, M)
    assert found.share is not None
    assert found.deff is not None
    logit = logit_t(found)
    assert (logit.low, logit.high) == pytest.approx((0.08777938, 0.17678197), abs=1e-8)
    n = effective_ratings(183, 15, found.deff, floor=0.0)
    assert clopper_pearson(found.share * n, n) == pytest.approx((0.08492348, 0.17688140), abs=1e-8)
    assert wilson(found.share * n, n) == pytest.approx((0.08820178, 0.17601725), abs=1e-8)


def test_clopper_pearson_takes_the_same_floored_number_as_wilson_and_is_longer() -> None:
    found = pooled_share(K, M)
    score, exact = cluster_wilson(found), cluster_clopper_pearson(found)
    assert exact.n_effective == score.n_effective == effective_ratings(183, 15, 1.0)
    assert exact.low is not None
    assert score.low is not None
    assert exact.low < score.low
    assert (exact.estimator, score.estimator) == ("Clopper-Pearson on the effective n", "cluster Wilson")


def test_the_other_intervals_where_all_are_alike_with_one_rater_and_with_nobody() -> None:
    """P-30, P-33: no width of zero, no NaN; what can't be given says why."""
    alike = pooled_share([8] * 10, [8] * 10)
    exact = cluster_clopper_pearson(alike)
    assert (exact.low, exact.high) == clopper_pearson(10, 10)
    assert logit_t(alike).low is None
    assert "not defined at 0 and 1" in logit_t(alike).note
    for method in (cluster_wilson, cluster_clopper_pearson, logit_t):
        assert method(pooled_share([3], [8])).note == "one rater: no interval"
        assert method(pooled_share([3], [8], "snapshot")).note == "one snapshot: no interval"
        assert (method(pooled_share([], [])).estimate, method(pooled_share([], [])).note) == (None, "no ratings")


def test_the_ratio_estimator_is_a_gee_with_an_independence_working_correlation() -> None:
    """An intercept alone, robust SE, carried to the scale of shares: the linearised variance but for R/(R−1)."""
    gee = pytest.importorskip("statsmodels.genmod.generalized_estimating_equations")
    families = pytest.importorskip("statsmodels.genmod.families")
    structures = pytest.importorskip("statsmodels.genmod.cov_struct")
    generator = np.random.default_rng(3)
    m = generator.integers(3, 12, size=25)
    y = generator.binomial(m, generator.beta(3, 2, size=25))
    answers = np.concatenate([np.repeat([1.0, 0.0], [k, n - k]) for k, n in zip(y, m, strict=True)])
    assert 0 < answers.mean() < 1, "all ones separate perfectly, and GEE then gives nonsense"
    model = gee.GEE(answers, np.ones((len(answers), 1)), np.repeat(np.arange(25), m), family=families.Binomial(),
                    cov_struct=structures.Independence()).fit()  # fmt: skip
    found = pooled_share(y, m)
    assert found.share == pytest.approx(1 / (1 + np.exp(-model.params[0])), abs=1e-8)
    assert found.variance is not None
    assert found.share is not None
    robust = float(model.bse[0]) * found.share * (1 - found.share)
    assert (found.variance * 24 / 25) ** 0.5 == pytest.approx(robust, rel=1e-6)


@pytest.mark.shared
def test_ratio_estimator_of_the_ohio_children() -> None:
    """R geepack, ohio, resp ~ 1: −1.72079 (robust SE .08635), on the scale of shares .01112; linearised .01113."""
    shared = Path(os.environ.get("REALIA_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    children: dict[str, list[int]] = {}
    with (shared / "oracles" / "ohio.csv").open() as file:
        for row in csv.DictReader(file):
            children.setdefault(row["id"], []).append(int(row["resp"]))
    found = pooled_share([sum(one) for one in children.values()], [len(one) for one in children.values()])
    assert found.share is not None
    assert found.variance is not None
    assert len(children) == 537
    assert np.log(found.share / (1 - found.share)) == pytest.approx(-1.72079, abs=5e-6)
    assert found.variance**0.5 == pytest.approx(0.01113, abs=5e-6)
    assert (found.variance * 536 / 537) ** 0.5 == pytest.approx(0.01112, abs=5e-6)


@pytest.mark.parametrize(
    ("rho", "deff", "worth"), [(0.05, 1.95, 10.3), (0.1, 2.9, 6.9), (0.2, 4.8, 4.2), (0.3, 6.7, 3.0)]
)
def test_twenty_ratings_of_one_person_are_worth_a_few(rho: float, deff: float, worth: float) -> None:
    assert apriori_deff(20, rho) == pytest.approx(deff)
    assert 20 / apriori_deff(20, rho) == pytest.approx(worth, abs=0.051)


def test_a_design_effect_to_plan_with_needs_ratings_and_a_correlation() -> None:
    for ratings, rho in ((0, 0.1), (20, -0.1), (20, 1.1)):
        with pytest.raises(ValueError, match="rho between 0 and 1"):
            apriori_deff(ratings, rho)


def test_anova_icc_is_that_of_a_one_way_analysis_of_variance() -> None:
    """Equal numbers: (F − 1)/(F + m − 1), with F as scipy.stats.f_oneway gives it over the 0/1 ratings."""
    generator = np.random.default_rng(11)
    answers = (generator.random((12, 6)) < generator.beta(2, 2, size=(12, 1))).astype(int)
    f = float(stats.f_oneway(*answers).statistic)
    assert anova_icc(answers.sum(axis=1), np.full(12, 6)) == pytest.approx((f - 1) / (f + 5), abs=1e-12)


def test_anova_icc_at_its_ends_and_where_it_is_not_defined() -> None:
    assert anova_icc([4, 0, 4, 0], [4, 4, 4, 4]) == pytest.approx(1.0)
    assert anova_icc([2, 2, 2], [4, 4, 4]) == pytest.approx(-1 / 3)
    for y, m in (([4, 4], [4, 4]), ([2], [4]), ([1, 0], [1, 1]), ([], [])):
        assert anova_icc(y, m) is None


def test_mean_score_over_objects_is_the_t_interval_of_rater_means_when_all_rate_all() -> None:
    generator = np.random.default_rng(4)
    scores = generator.integers(1, 6, size=(9, 5)).astype(float)
    found = mean_score_over_objects(scores, np.ones_like(scores))
    means = scores.mean(axis=1)
    half = 2.306004135 * means.std(ddof=1) / 3  # t of 8 degrees of freedom
    limits = (means.mean() - half, means.mean() + half)
    assert (found.estimate, found.low, found.high) == pytest.approx((means.mean(), *limits))


def test_mean_score_over_objects_weighs_objects_alike_and_names_those_nobody_rated() -> None:
    scores = np.array([[5, 0, 0], [5, 0, 0], [3, 1, 0]], dtype=float)
    valid = np.array([[1, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=float)
    found = mean_score_over_objects(scores, valid)
    assert found.estimate == pytest.approx((13 / 3 + 1) / 2)
    assert (found.empty_objects, found.n, found.raters) == ((2,), 4, 3)


def test_mean_score_over_objects_is_not_estimable_where_nothing_varies() -> None:
    """P-33: 12 people all rating 4: mean 4.0 and no interval, not 4.0 to 4.0."""
    found = mean_score_over_objects(np.full((12, 3), 4.0), np.ones((12, 3)))
    assert (found.estimate, found.low, found.high) == (4.0, None, None)
    assert "interval not estimable" in found.note
    assert mean_score_over_objects(np.full((1, 3), 4.0), np.ones((1, 3))).note == "one rater: no interval"
    assert mean_score_over_objects(np.zeros((0, 3)), np.zeros((0, 3))).estimate is None


def test_mean_over_objects_gives_what_its_interval_is_made_of() -> None:
    y = np.array([[1, 0], [1, 0], [1, 0], [1, 1]], dtype=float)
    found = mean_over_objects(y, np.ones_like(y))
    # Objects approve 4/4 and 1/4; only the second object varies: ψ = (−1/4, −1/4, −1/4, 3/4)/(2·4).
    assert found.share == pytest.approx(0.625)
    assert found.variance == pytest.approx(4 / 3 * (3 / 16 + 9 / 16) / 64)
