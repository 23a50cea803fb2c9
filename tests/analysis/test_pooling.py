"""Partial pooling against the rat tumours, and where there is nothing to pool."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special

from analysis.pooling import HOMOGENEOUS, MOST, fit, fit_by_moments, pooled

# Gelman et al. (2013), table 5.1: 70 historical groups of rats and the current one, 4 of 14. 267 of 1739 in all.
TUMOURS = np.array([
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 5, 2, 5, 3, 2, 7,
    7, 3, 3, 2, 9, 10, 4, 4, 4, 4, 4, 4, 4, 10, 4, 4, 4, 5, 11, 12, 5, 5, 6, 5, 6, 6, 6, 6, 16, 15, 15, 9, 4,
])  # fmt: skip
RATS = np.array([
    20, 20, 20, 20, 20, 20, 20, 19, 19, 19, 19, 18, 18, 17, 20, 20, 20, 20, 19, 19, 18, 18, 25, 24, 23, 20, 20, 20, 20,
    20, 20, 10, 49, 19, 46, 27, 17, 49, 47, 20, 20, 13, 48, 50, 20, 20, 20, 20, 20, 20, 20, 48, 19, 19, 19, 22, 46, 49,
    20, 20, 23, 19, 22, 20, 20, 20, 52, 46, 47, 24, 14,
])  # fmt: skip


def test_the_rats_are_the_published_ones() -> None:
    assert (len(RATS), TUMOURS.sum(), RATS.sum()) == (71, 267, 1739)


def test_moments_of_the_historical_groups() -> None:
    """Section 5.1 of the book: (1.4, 8.6), to three places 1.356 and 8.615."""
    found = fit_by_moments(TUMOURS[:70], RATS[:70])
    assert (found.a, found.b) == pytest.approx((1.356, 8.615), abs=5.1e-4)


def test_maximum_likelihood_of_all_groups() -> None:
    """2.3416 and 14.115, mean .1423 (the book's posterior centres near 2.4 and 14.3)."""
    found = fit(TUMOURS, RATS)
    assert found.a == pytest.approx(2.3416, abs=5e-4)
    assert found.b == pytest.approx(14.115, abs=5e-3)
    assert found.mean == pytest.approx(0.1423, abs=5e-5)
    assert (found.objects, found.ratings, found.note) == (71, 1739, "")


def test_the_current_group_is_drawn_towards_the_others() -> None:
    """4 of 14 is .286 raw and .2082 pooled; quantiles of Beta(a + 4, b + 10)."""
    prior = fit(TUMOURS, RATS)
    one = pooled(prior, [4], [14])[0]
    assert one is not None
    assert one.estimate == pytest.approx(0.2082, abs=5e-5)
    assert prior.a is not None
    assert prior.b is not None
    assert special.betainc(prior.a + 4, prior.b + 10, one.low) == pytest.approx(0.025, abs=1e-9)
    assert special.betainc(prior.a + 4, prior.b + 10, one.high) == pytest.approx(0.975, abs=1e-9)


def test_the_simplex_search_finds_the_same_maximum() -> None:
    """Nelder-Mead on log a and log b, with no gradient: a second road to the same place."""
    k, n = TUMOURS.astype(float), RATS.astype(float)

    def loss(at: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        a, b = np.exp(at)
        return -float((special.betaln(a + k, b + n - k) - special.betaln(a, b)).sum())

    best = optimize.minimize(loss, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10})
    found = fit(TUMOURS, RATS)
    assert (found.a, found.b) == pytest.approx(tuple(np.exp(best.x)), rel=1e-4)


def test_fewer_ratings_are_drawn_further() -> None:
    prior = fit(TUMOURS, RATS)
    few, many = pooled(prior, [5, 50], [10, 100])
    assert few is not None
    assert many is not None
    assert 0.1423 < few.estimate < many.estimate < 0.5


def test_an_object_nobody_rated_gets_the_prior_and_counts_for_nothing() -> None:
    k, n = np.append(TUMOURS, 0), np.append(RATS, 0)
    prior = fit(k, n)
    last = pooled(prior, k, n)[-1]
    assert last is not None
    assert (prior.objects, last.estimate) == (71, pytest.approx(prior.mean))


def test_objects_that_differ_by_chance_alone_are_capped_and_said_so() -> None:
    """The likelihood rises for ever; a + b stops at 10,000 and every object is at the mean."""
    prior = fit([10] * 8, [20] * 8)
    assert (prior.note, prior.concentration) == (HOMOGENEOUS, pytest.approx(MOST))
    assert HOMOGENEOUS == "no detectable between-object heterogeneity"
    for one in pooled(prior, [10] * 8, [20] * 8):
        assert one is not None
        assert one.estimate == pytest.approx(0.5)
    assert fit_by_moments([10] * 8, [20] * 8).note == HOMOGENEOUS


def test_simulated_heterogeneity_is_recovered() -> None:
    generator = np.random.default_rng(3)
    shares = generator.beta(6, 4, size=400)
    prior = fit(generator.binomial(25, shares), np.full(400, 25))
    assert prior.mean == pytest.approx(0.6, abs=0.02)
    assert prior.concentration == pytest.approx(10, rel=0.25)


@pytest.mark.parametrize(
    ("k", "n", "why"),
    [
        ([], [], "0 objects"), ([3], [5], "1 object with"), ([3, 2, 4, 1], [5] * 4, "needs 5"),
        ([3, 2, 4, 1, 0], [5, 5, 5, 5, 0], "4 objects"), ([5] * 6, [5] * 6, "all ratings are alike"),
        ([0] * 6, [5] * 6, "all ratings are alike"),
    ],
)  # fmt: skip
def test_nothing_is_pooled_from_too_little(k: list[int], n: list[int], why: str) -> None:
    """P-30: under five objects, or no variation at all, there is no prior and no pooled share."""
    for made in (fit(k, n), fit_by_moments(k, n)):
        assert (made.a, made.b, made.mean, made.concentration) == (None,) * 4
        assert why in made.note
        assert pooled(made, k, n) == [None] * len(k)


def test_objects_of_all_or_nothing_are_pooled_without_a_warning() -> None:
    prior = fit([0, 20, 0, 20, 20], [20] * 5)
    low, high = pooled(prior, [0, 20], [20, 20])
    assert low is not None
    assert high is not None
    assert low.estimate < 0.01 < 0.99 < high.estimate


def test_impossible_counts_are_refused() -> None:
    for k, n in (([3], [2]), ([-1], [2]), ([1, 1], [2])):
        with pytest.raises(ValueError, match="0 ≤ approvals ≤ valid"):
            fit(k, n)
