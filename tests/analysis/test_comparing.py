"""Tests, intervals and effect sizes of differences, against numbers printed by others."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.proportion import proportion_confint

from analysis.comparing.effects import cohen_dz, hedges_g
from analysis.comparing.equivalence import tost
from analysis.comparing.means import paired_t, welch, welch_from_summary
from analysis.comparing.multiplicity import benjamini_hochberg, fixed_sequence, holm
from analysis.comparing.permutation import cluster_permutation, divisions, permutation_on_a
from analysis.comparing.ranks import brunner_munzel, mann_whitney, paired_delta, rank_biserial
from analysis.comparing.rater_means import by_cluster, rater_means
from analysis.comparing.signs import sign_flip
from analysis.comparing.two_by_two import (
    NO_DISCORDANT,
    boschloo,
    mcnemar,
    miettinen_nurminen,
    newcombe_independent,
    newcombe_paired,
)
from analysis.comparisons import NO_DIFFERENCES

MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
BEFORE = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1]
AFTER = [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4]


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_darwins_maize_by_all_sign_patterns() -> None:
    # Fisher 1935, The Design of Experiments, section 21: 863 of 32768 one-sided, 1726 two-sided
    found = sign_flip(MAIZE)
    assert (found.exact, found.patterns, sum(MAIZE)) == (True, 32768, 314)
    assert found.p_greater == pytest.approx(863 / 32768)
    assert found.p == pytest.approx(1726 / 32768)


def test_drawn_sign_patterns_come_near_all_of_them_and_are_seeded() -> None:
    """Twenty-one differences are too many to go through; the same stream gives the same p, and p is never 0."""
    d = [*MAIZE, *[5, -4, 3, -2, 1, 7]]
    first, again = sign_flip(d, rng(), 20_000), sign_flip(d, rng(), 20_000)
    assert first == again
    assert (first.exact, first.patterns) == (False, 20_000)
    sums = np.array([0.0])
    for size in np.abs(d):
        sums = np.concatenate([sums + size, sums - size])
    assert first.p == pytest.approx(float((np.abs(sums) >= sum(d)).mean()), abs=0.006)
    assert sign_flip([1.0] * 60, rng(), 99).p == pytest.approx(1 / 100)
    with pytest.raises(ValueError, match="give rng"):
        sign_flip(d)


def test_sign_flips_pass_over_zeros_and_refuse_gaps() -> None:
    """P-34: all equal is nothing to test, not p = 0; zeros change neither pattern nor p."""
    for nothing in ([0.0] * 40, []):
        found = sign_flip(nothing)
        assert (found.p, found.note) == (None, NO_DIFFERENCES)
    assert sign_flip([*MAIZE, 0, 0, 0]).p == sign_flip(MAIZE).p
    assert sign_flip([0.1] * 3 + [-0.1] * 3).p == 1.0
    with pytest.raises(ValueError, match="finite"):
        sign_flip([1.0, float("nan")])


def test_paired_and_welch_t_are_the_librarys() -> None:
    found, reference = paired_t(MAIZE), stats.ttest_1samp(MAIZE, 0)
    assert found.p == pytest.approx(reference.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(reference.confidence_interval()))
    found, reference = welch(BEFORE, AFTER), stats.ttest_ind(BEFORE, AFTER, equal_var=False)
    assert (found.p, found.df) == pytest.approx((reference.pvalue, reference.df))
    assert (found.low, found.high) == pytest.approx(tuple(reference.confidence_interval()))


@pytest.mark.parametrize("values", [[], [0.4], [0.25] * 9])
def test_a_difference_without_spread_has_no_interval(values: list[float]) -> None:
    """P-33 and P-34: one rater or equal differences give an estimate, no interval and no p."""
    for found in (paired_t(values), welch(values, values)):
        assert (found.low, found.high, found.p) == (None, None, None)
        assert found.note


def test_permeability_of_hollander_and_wolfe() -> None:
    # R ?wilcox.test: wilcox.test(x, y, alternative = "g"): W = 35, p-value = 0.1272
    x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    y = [1.15, 0.88, 0.90, 0.74, 1.21]
    found = mann_whitney(x, y)
    assert (found.u, found.a) == (35, 0.70)
    assert found.p == pytest.approx(2 * 0.12721, abs=2e-5)


def test_brunner_munzel_of_the_published_example() -> None:
    # lawstat::brunner.munzel.test and scipy: 3.13747, df 17.683, p = .005786; A = .78896, interval .5952 to .9827
    found = brunner_munzel(AFTER, BEFORE)
    assert found.statistic == pytest.approx(3.13747, abs=1e-5)
    assert found.df == pytest.approx(17.683, abs=1e-3)
    assert found.p == pytest.approx(0.005786, abs=1e-6)
    assert found.a == pytest.approx(0.78896, abs=1e-5)
    assert found.delta == pytest.approx(0.57792, abs=1e-5)
    assert (found.low, found.high) == pytest.approx((0.5952, 0.9827), abs=1e-4)


def test_complete_separation_and_equal_values_fall_back_on_a_permutation() -> None:
    """The textbook statistic is infinite, its p not a number (scipy gives nan); here p comes from A."""
    apart = brunner_munzel([4, 5, 5, 4], [1, 2, 1, 2])
    assert (apart.a, apart.low, apart.statistic) == (1.0, None, None)
    assert apart.p == pytest.approx(2 / 70)  # two of the 70 divisions are as extreme
    assert "permutation" in apart.test
    equal = brunner_munzel([3] * 6, [3] * 5)
    assert (equal.a, equal.p, equal.note) == (0.5, 1.0, NO_DIFFERENCES)
    assert brunner_munzel([], [1]).a is None
    assert mann_whitney([3, 3], [3]).p is None


def test_matched_rank_biserial_and_paired_delta() -> None:
    assert rank_biserial([1, 2, 3]) == 1.0
    assert rank_biserial([1, -2, 3]) == pytest.approx((1 - 2 + 3) / 6)
    assert rank_biserial([1] * 15 + [0] * 40 + [-1] * 15) == pytest.approx(0.0)
    assert rank_biserial([0, 0]) is None
    assert paired_delta([1, 2, -1, 0]) == pytest.approx(0.25)
    assert paired_delta([]) is None


def test_mcnemar_of_agresti_and_of_small_tables() -> None:
    # Agresti, approval of the prime minister 794/86/150/570: exact 3.716e-5, mid-p 2.893e-5 (R, binom.test)
    found = mcnemar(86, 150)
    assert (found.p, found.mid_p) == pytest.approx((3.716e-5, 2.893e-5), rel=1e-3)
    # Fagerland, Lydersen and Laake 2013, Bentur et al. 2009 [[1, 1], [7, 12]]; R contingencytables
    assert (mcnemar(1, 7).p, mcnemar(1, 7).mid_p) == pytest.approx((0.0703, 0.0391), abs=1e-4)
    assert (mcnemar(2, 12).p, mcnemar(2, 12).mid_p) == pytest.approx((0.01294, 0.00739), abs=1e-5)
    assert mcnemar(3, 3).mid_p == pytest.approx(0.84375)  # the rule for b = c
    assert mcnemar(0, 0) == mcnemar(0, 0)
    assert (mcnemar(0, 0).p, mcnemar(0, 0).note) == (1.0, NO_DISCORDANT)
    with pytest.raises(ValueError, match="below 0"):
        mcnemar(-1, 2)


def test_intervals_of_two_shares_as_newcombe_prints_them() -> None:
    # Newcombe 1998b, Table II: 56/70 - 48/80, method 10
    found = newcombe_independent(56, 70, 48, 80)
    assert (found.estimate, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    # R contingencytables, Newcombe_hybrid_score_CI_2x2(rbind(c(7, 27), c(1, 33))): 0.0189 to 0.3404
    found = newcombe_independent(7, 34, 1, 34)
    assert (found.low, found.high) == pytest.approx((0.0189, 0.3404), abs=5e-5)
    # Newcombe 1998c, Table II: (36, 12, 2, 0), method 10
    paired = newcombe_paired(36, 12, 2, 0)
    assert (paired.estimate, paired.low, paired.high) == pytest.approx((0.2, 0.0569, 0.3404), abs=5e-5)
    # Bentur et al. 2009, [[1, 1], [7, 12]]: -.507 to -.026 (R contingencytables, Newcombe_square_and_add_CI_paired_2x2)
    paired = newcombe_paired(1, 1, 7, 12)
    assert (paired.low, paired.high) == pytest.approx((-0.507, -0.026), abs=5e-4)


def test_paired_shares_that_go_together_are_joined_by_a_corrected_phi() -> None:
    """Table 6.2 of Altman et al. 2000, [[14, 5], [0, 22]]: the cross-product difference 308 loses half of n = 41."""
    low_a, high_a = proportion_confint(19, 41, method="wilson")
    low_b, high_b = proportion_confint(14, 41, method="wilson")
    phi = (14 * 22 - 5 * 0 - 41 / 2) / (19 * 22 * 14 * 27) ** 0.5
    down = (19 / 41 - low_a, high_b - 14 / 41)
    up = (high_a - 19 / 41, 14 / 41 - low_b)
    reach = [(x**2 - 2 * phi * x * y + y**2) ** 0.5 for x, y in (down, up)]
    paired = newcombe_paired(14, 5, 0, 22)
    assert (paired.low, paired.high) == pytest.approx((5 / 41 - reach[0], 5 / 41 + reach[1]))


def test_score_interval_of_miettinen_and_nurminen() -> None:
    """statsmodels 0.15 is no oracle here: its cubic has a count where the formula has an n (.0526 to .3440)."""
    # R contingencytables, MiettinenNurminen_asymptotic_score_CI_difference_2x2(rbind(c(0, 16), c(15, 57)))
    found = miettinen_nurminen(0, 16, 15, 72)
    assert (found.low, found.high) == pytest.approx((-0.3164, -0.0056), abs=5e-5)
    found = miettinen_nurminen(56, 70, 48, 80)
    assert (found.low, found.high) == pytest.approx((0.0528, 0.3382), abs=5e-5)


@pytest.mark.parametrize("counts", [(7, 12, 3, 15), (3, 10, 4, 9), (5, 40, 30, 35), (56, 70, 48, 80)])
def test_score_interval_is_where_the_score_test_just_rejects(counts: tuple[int, int, int, int]) -> None:
    """The shares under each limit are found by maximising the likelihood numerically, not by the closed form."""
    k_a, n_a, k_b, n_b = counts
    found = miettinen_nurminen(*counts)
    for limit in (found.low, found.high):
        assert limit is not None

        def against(p: float, d: float = limit) -> float:
            return -float(stats.binom.logpmf(k_a, n_a, p + d) + stats.binom.logpmf(k_b, n_b, p))

        bounds = (max(0.0, -limit) + 1e-9, min(1.0, 1 - limit) - 1e-9)
        p = optimize.minimize_scalar(against, bounds=bounds, method="bounded", options={"xatol": 1e-10}).x
        variance = ((p + limit) * (1 - p - limit) / n_a + p * (1 - p) / n_b) * (n_a + n_b) / (n_a + n_b - 1)
        z = (k_a / n_a - k_b / n_b - limit) / variance**0.5
        assert abs(z) == pytest.approx(1.959964, abs=1e-4)


def test_intervals_of_shares_hold_at_the_edges() -> None:
    """P-33: nobody or everybody approving is an interval with width, within -1 to 1, around the difference."""
    for k_a, k_b in itertools.product((0, 10), repeat=2):
        for found in (newcombe_independent(k_a, 10, k_b, 10), miettinen_nurminen(k_a, 10, k_b, 10)):
            assert found.low is not None
            assert -1 <= found.low <= (k_a - k_b) / 10 <= found.high <= 1  # type: ignore[operator]
            assert found.high - found.low > 0.2  # type: ignore[operator]
    for table in ((10, 0, 0, 0), (0, 10, 0, 0), (0, 0, 0, 10), (5, 0, 0, 5)):
        found = newcombe_paired(*table)
        assert -1 <= found.low <= found.estimate <= found.high <= 1  # type: ignore[operator]
    assert newcombe_independent(0, 0, 1, 2).estimate is None
    assert newcombe_paired(0, 0, 0, 0).low is None
    mirrored = newcombe_independent(48, 80, 56, 70)
    assert (mirrored.low, mirrored.high) == pytest.approx((-0.3339, -0.0524), abs=5e-5)


def test_boschloo_is_the_librarys_and_defined_where_all_agree() -> None:
    # scipy.stats.boschloo_exact([[7, 12], [8, 3]]): p = .0355 (its documentation, after Mehta and Senchaudhuri)
    assert boschloo(74, 105, 43, 74) == pytest.approx(stats.boschloo_exact([[74, 43], [31, 31]]).pvalue)
    assert boschloo(0, 10, 0, 12) == boschloo(10, 10, 12, 12) == 1.0
    with pytest.raises(ValueError, match="at least one rater"):
        boschloo(0, 0, 1, 2)


def test_equivalence_of_lakens() -> None:
    # Lakens 2017, example of independent groups: 5.25 and 5.22, SD .95 and .83, n 95 and 89, bounds +-.43 d
    difference = welch_from_summary(5.25 - 5.22, 0.95**2, 95, 0.83**2, 89, 0.95)
    margin = 0.43 * ((0.95**2 + 0.83**2) / 2) ** 0.5
    found = tost(difference, margin)
    assert (found.t_upper, found.t_lower) == pytest.approx((-2.693, 3.150), abs=1e-3)
    assert (found.p_upper, found.p_lower) == pytest.approx((0.00388, 0.00096), abs=1e-5)
    assert difference.df == pytest.approx(181.13, abs=0.01)
    assert found.equivalent
    assert -margin < found.low < found.high < margin  # type: ignore[operator]


def test_equivalence_is_never_a_large_p() -> None:
    """Six raters with scattered differences are not different and not equivalent either."""
    d = [0.3, -0.4, 0.25, -0.2, 0.1, -0.05]
    assert paired_t(d).p > 0.5  # type: ignore[operator]
    assert tost(paired_t(d), 0.1).equivalent is False
    assert tost(paired_t([0.0] * 9), 0.1).equivalent is None
    with pytest.raises(ValueError, match="margin"):
        tost(paired_t(d), 0.0)


def test_holm_and_benjamini_hochberg_of_the_1995_paper() -> None:
    # Benjamini and Hochberg 1995, section 4.1: Bonferroni and Holm reject 3 of 15, theirs 4
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
         0.7590, 1.0]  # fmt: skip
    order = np.random.default_rng(3).permutation(15)
    shuffled = [p[i] for i in order]
    adjusted_holm, adjusted_bh = holm(shuffled), benjamini_hochberg(shuffled)
    assert (sum(x <= 0.05 for x in adjusted_holm), sum(x <= 0.05 for x in adjusted_bh)) == (3, 4)
    fourth = list(order).index(3)
    assert adjusted_holm[fourth] == pytest.approx(0.1140)
    assert adjusted_bh[fourth] == pytest.approx(0.035625)
    assert adjusted_bh == pytest.approx(stats.false_discovery_control(shuffled))
    assert holm([]) == benjamini_hochberg([]) == []
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.2, float("nan")])


def test_a_fixed_sequence_stops_at_the_first_that_fails() -> None:
    assert fixed_sequence([True, False, True]) == ["passed", "failed", "not tested"]
    assert fixed_sequence([None, True, True]) == ["not part of this study", "passed", "passed"]
    assert fixed_sequence([False, None]) == ["failed", "not part of this study"]


def test_divisions_are_all_of_them_when_few() -> None:
    masks, exact = divisions(3, 4, None, 10)
    assert (masks.shape, exact, len({tuple(mask) for mask in masks})) == ((35, 7), True, 35)
    assert set(masks.sum(axis=1)) == {3}
    drawn, exact = divisions(20, 20, rng(), 50)
    assert (drawn.shape, exact) == ((50, 40), False)
    assert set(drawn.sum(axis=1)) == {20}


def test_permutation_with_welchs_t_equals_going_through_by_hand() -> None:
    a, b = [0.1, 0.4, 0.9, 0.6], [0.2, 0.0, 0.3]
    observed = abs(stats.ttest_ind(a, b, equal_var=False).statistic)
    pooled = np.array(a + b)
    ways = [
        abs(stats.ttest_ind(pooled[list(c)], np.delete(pooled, list(c)), equal_var=False).statistic)
        for c in itertools.combinations(range(7), 4)
    ]
    assert cluster_permutation(a, b).p == pytest.approx(np.mean(np.array(ways) >= observed - 1e-9))


def test_permutation_of_separated_and_of_equal_groups() -> None:
    assert cluster_permutation([1, 1, 1, 1], [0, 0, 0, 0]).p == pytest.approx(2 / 70)
    assert cluster_permutation([1, 1], [1, 1, 1]).p is None
    assert permutation_on_a([1] * 3, [1] * 3).p == 1.0
    large = cluster_permutation([0.9] * 15 + [0.8] * 15, [0.1] * 15 + [0.2] * 15, rng(), 999)
    assert large.p == pytest.approx(1 / 1000)
    assert not large.exact


def test_rater_means_average_to_the_mean_over_objects() -> None:
    nan = np.nan
    scores = np.array([[1, 0, 1], [0, nan, 1], [1, 1, nan], [nan, 0, 0.0]])
    found = rater_means(scores)
    assert found.estimate == pytest.approx((2 / 3 + 1 / 3 + 2 / 3) / 3)
    assert found.values.mean() == pytest.approx(found.estimate)
    assert (found.ratings, found.objects) == (9, 3)
    full = np.array([[1, 0, 1], [0, 0, 1.0]])
    assert rater_means(full).values == pytest.approx(full.mean(axis=1))
    with pytest.raises(ValueError, match="at least one rating"):
        rater_means(np.array([[nan, nan]]))


def test_rater_means_are_pseudo_values_of_leaving_a_rater_out() -> None:
    draw = np.random.default_rng(4)
    scores = np.where(draw.random((9, 5)) < 0.3, np.nan, draw.integers(1, 6, (9, 5)).astype(float))

    def theta(rows: np.ndarray[Any, Any]) -> float:
        return float(np.nanmean(rows, axis=0).mean())

    whole = theta(scores)
    by_hand = [9 * whole - 8 * theta(np.delete(scores, i, axis=0)) for i in range(9)]
    assert rater_means(scores).values == pytest.approx(by_hand)


def test_rater_means_do_not_depend_on_who_left_out_the_hard_object() -> None:
    """Everybody judges alike; those who left out the object that fails get no better mean."""
    nan = np.nan
    scores = np.array([[1, 0], [1, 0], [1, nan], [1, nan]])
    assert rater_means(scores).values == pytest.approx([0.5] * 4)
    assert np.nanmean(scores, axis=1) == pytest.approx([0.5, 0.5, 1, 1])


def test_clusters_of_raters_keep_the_mean() -> None:
    values = np.array([0.1, 0.5, 0.9, 0.3])
    found = by_cluster(values, ["s1", "s1", "s2", "s3"])
    assert (len(found), found.mean()) == (3, pytest.approx(values.mean()))
    assert by_cluster(values, ["a", "b", "c", "d"]) is values


def test_standardised_sizes() -> None:
    assert cohen_dz(MAIZE) == pytest.approx(np.mean(MAIZE) / np.std(MAIZE, ddof=1))
    assert cohen_dz([1, 1]) is None
    # by hand: means 3 and 2, both variances 1, df 4: 1 - 3/15
    assert hedges_g([2, 3, 4], [1, 2, 3]) == pytest.approx(0.8)
    assert hedges_g([2, 2], [2, 2]) is None


def test_a_naive_pooled_test_is_far_too_ready_and_ours_is_not() -> None:
    """Two groups that do not differ, severe raters (latent SD 1.2), 20 objects, 10 raters each: 600 studies."""
    draw = np.random.default_rng(20)
    studies, raters, objects = 600, 10, 20
    severity = draw.normal(0, 1.2, (studies, 2, raters, 1))
    approves = severity + draw.normal(0.4, 1, (studies, 2, raters, objects)) > 0
    totals = approves.sum(axis=(2, 3))
    p = totals.sum(axis=1) / (2 * raters * objects)
    z = np.abs(totals[:, 0] - totals[:, 1]) / np.sqrt(2 * raters * objects * p * (1 - p))
    naive = float((z > 1.96).mean())
    means = approves.mean(axis=3)
    ours = float(np.mean([welch(*study).p < 0.05 for study in means]))  # type: ignore[operator]
    permuted = float(np.mean([cluster_permutation(a, b, draw, 199).p <= 0.05 for a, b in means[:200]]))  # type: ignore[operator]
    assert naive > 0.25
    assert ours < 0.08
    assert permuted < 0.10


def test_six_raters_a_side_hold_their_level_when_a_third_is_not_judged() -> None:
    """With the linearised variance, n_o for n_o - 1, Welch rejects in 9 to 10 % of such studies instead of 5."""
    draw = np.random.default_rng(22)
    rejected, studies = 0, 1500
    for _ in range(studies):
        sides = []
        for _side in range(2):
            latent = draw.normal(0, 0.7, (6, 1)) + draw.normal(np.linspace(-0.5, 1, 8), 1, (6, 8))
            scores = np.where(draw.random((6, 8)) < np.linspace(0.5, 0.1, 8), np.nan, latent > 0)
            sides.append(rater_means(scores[np.isfinite(scores).any(axis=1)]).values)
        p = welch(*sides).p
        rejected += p is not None and p < 0.05
    assert 0.035 <= rejected / studies <= 0.075


def test_sign_flips_hold_their_level_when_ratings_are_missing() -> None:
    """Same raters in two equal Orgs, eight objects of which 15 % are not judged: about 5 % of 600 studies."""
    draw = np.random.default_rng(21)
    rejected = 0
    for _ in range(600):
        severity = draw.normal(0, 0.7, (14, 1))
        sides = [severity + draw.normal(np.linspace(-0.5, 1, 8), 1, (14, 8)) > 0 for _ in range(2)]
        scores = [np.where(draw.random((14, 8)) < 0.15, np.nan, side) for side in sides]
        d = rater_means(scores[0]).values - rater_means(scores[1]).values
        p = sign_flip(d).p
        rejected += p is not None and p <= 0.05
    assert 0.02 <= rejected / 600 <= 0.08
