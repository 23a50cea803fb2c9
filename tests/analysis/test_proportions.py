"""Intervals of one proportion against the values printed by others."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from analysis.proportions import agresti_coull, clopper_pearson, jeffreys, normal_quantile, wilson

# Newcombe (1998), Statistics in Medicine 17:857, Table I; to four places.
NEWCOMBE = [
    (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
    (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
    (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
    (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
]


METHODS = (wilson, jeffreys, clopper_pearson, agresti_coull)


@pytest.mark.parametrize(("k", "n", "score", "exact"), NEWCOMBE)
def test_newcombe_1998(k: int, n: int, score: tuple[float, float], exact: tuple[float, float]) -> None:
    assert wilson(k, n) == pytest.approx(score, abs=5.1e-5)
    assert clopper_pearson(k, n) == pytest.approx(exact, abs=5.1e-5)


@pytest.mark.parametrize(("k", "low", "high"), [(0, 0, 0.292), (1, 0.016, 0.501), (2, 0.065, 0.648), (3, 0.139, 0.766)])
def test_jeffreys_of_brown_cai_dasgupta(k: int, low: float, high: float) -> None:
    # Brown, Cai and DasGupta (2001), table of Jeffreys limits, n = 7.
    assert jeffreys(k, 7) == pytest.approx((low, high), abs=5.1e-4)


def test_jeffreys_of_statsmodels() -> None:
    # statsmodels 0.15: proportion_confint(81, 263, method="jeffreys")
    assert jeffreys(81, 263) == pytest.approx((0.25452, 0.36565), abs=1e-5)


def test_agresti_coull_of_statsmodels() -> None:
    # statsmodels 0.15: proportion_confint(81, 263, method="agresti_coull")
    assert agresti_coull(81, 263) == pytest.approx((0.25522, 0.36628), abs=1e-5)


def test_agresti_coull_is_cut_where_it_would_leave_the_scale() -> None:
    """P-33: for 0 of 5 the uncut lower limit is under 0."""
    assert agresti_coull(0, 5)[0] == 0.0
    assert agresti_coull(5, 5)[1] == 1.0


@pytest.mark.parametrize(("k", "low", "high"), [(2, 0.05668215, 0.5098375), (4, 0.16818033, 0.6873262)])
def test_wilson_of_presize(k: int, low: float, high: float) -> None:
    # R presize, README: prec_prop(p, n = 10, method = "wilson")
    assert wilson(k, 10) == pytest.approx((low, high), abs=1e-7)


@pytest.mark.parametrize(("n", "p", "half"), [(20, 0.8, 0.168), (30, 0.5, 0.168), (10, 0.65, 0.255), (60, 0.9, 0.077)])
def test_half_widths_that_plan_a_study(n: int, p: float, half: float) -> None:
    low, high = wilson(p * n, n)
    assert (high - low) / 2 == pytest.approx(half, abs=5.1e-4)


def test_intervals_at_the_edge() -> None:
    """P-33: 0 of 10 and 10 of 10 have an interval with width, 0 of 0 says nothing."""
    assert wilson(0, 10) == (0.0, pytest.approx(0.2775, abs=1e-4))
    assert wilson(10, 10) == (pytest.approx(0.7225, abs=1e-4), 1.0)
    for method in METHODS:
        assert method(0, 0) == (0.0, 1.0)
        assert method(0, 20)[0] == 0.0
        assert method(20, 20)[1] == 1.0


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (math.nan, 5), (1, math.inf)])
def test_impossible_counts_are_refused(k: float, n: float) -> None:
    with pytest.raises(ValueError, match="0 ≤ k ≤ n"):
        wilson(k, n)


def test_a_level_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        wilson(1, 2, 95)


COUNTS = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS)
def test_every_interval_is_symmetric_and_contains_the_share(counts: tuple[int, int]) -> None:
    k, n = counts
    for method in METHODS:
        low, high = method(k, n)
        mirrored = method(n - k, n)
        assert 0 <= low <= k / n <= high <= 1
        assert (low, high) == pytest.approx((1 - mirrored[1], 1 - mirrored[0]), abs=1e-9)


@given(COUNTS)
def test_wilson_inverts_the_score_test(counts: tuple[int, int]) -> None:
    """At each limit p the score statistic (k/n − p)/√(p(1−p)/n) is exactly ±z."""
    k, n = counts
    for limit in wilson(k, n):
        if 0 < limit < 1:
            score = abs(k / n - limit) / math.sqrt(limit * (1 - limit) / n)
            assert score == pytest.approx(normal_quantile(0.95), abs=1e-6)


@given(COUNTS, st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_the_p_value_of_the_score_test_is_alpha_at_each_limit(counts: tuple[int, int], level: float) -> None:
    """Inversion said the other way: a share outside Wilson's interval is one that the score test rejects."""
    k, n = counts
    for limit in wilson(k, n, level):
        if 0 < limit < 1:
            z = abs(k / n - limit) / math.sqrt(limit * (1 - limit) / n)
            assert 2 * float(special.ndtr(-z)) == pytest.approx(1 - level, abs=1e-6)


@given(COUNTS)
def test_agresti_coull_is_never_shorter_than_wilson(counts: tuple[int, int]) -> None:
    k, n = counts
    low, high = agresti_coull(k, n)
    if low > 0 and high < 1:
        score = wilson(k, n)
        assert high - low >= score[1] - score[0] - 1e-12


@given(st.floats(0.05, 0.95), st.floats(1, 400), st.floats(1.01, 5))
def test_every_interval_shrinks_with_n_whole_or_fractional(share: float, n: float, more: float) -> None:
    for method in (wilson, jeffreys, clopper_pearson):
        low, high = method(share * n, n)
        longer = method(share * n * more, n * more)
        assert longer[1] - longer[0] < high - low


@pytest.mark.parametrize(("k", "n"), [(0.0, 7.3), (7.3, 7.3), (2.7, 7.3)])
def test_an_effective_sample_size_need_not_be_whole(k: float, n: float) -> None:
    for method in METHODS:
        low, high = method(k, n)
        assert 0 <= low <= k / n <= high <= 1
        assert (low == 0) == (k == 0) or method is agresti_coull
