"""Intervals over raters: the jackknife, the bootstrap without self-pairs, and people against themselves."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.agreement import (
    NO_VARIATION,
    brennan_prediger,
    fleiss_kappa,
    gwet_ac,
    intraclass,
    jackknife,
    krippendorff_alpha,
    rater_bootstrap,
    retest_agreement,
    weighted_kappa,
)
from analysis.agreement.retest import NO_PAIR
from analysis.plain_json import plain_json


def simulated(generator: np.random.Generator, raters: int, objects: int = 20) -> np.ndarray:
    """Sincere raters of alike objects: a little spread between objects, more between raters."""
    latent = 0.7 + generator.normal(0, 0.45, objects) + generator.normal(0, 0.4, (raters, 1))
    return np.digitize(latent + generator.logistic(size=(raters, objects)), [-2.0, -0.8, 0.2, 1.8]) + 1.0


def test_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.array([3.0, 4, 4, 5, 2, 4])
    without = (values.sum() - values) / 5
    found = jackknife(values.mean(), without, highest=5.0)
    assert found.se == pytest.approx(values.std(ddof=1) / np.sqrt(6))
    # qt(.975, 5) is 2.570582
    assert found.low == pytest.approx(values.mean() - 2.570582 * (found.se or 0), abs=1e-5)
    assert found.high == pytest.approx(values.mean() + 2.570582 * (found.se or 0), abs=1e-5)


def test_jackknife_says_why_it_has_no_interval() -> None:
    assert "one rater" in jackknife(0.5, [0.5]).note
    assert "not defined" in jackknife(0.5, [0.4, np.nan, 0.6]).note
    assert "the same without" in jackknife(0.5, [0.5, 0.5, 0.5]).note


def test_each_replicate_is_the_coefficient_without_that_rater() -> None:
    ratings = simulated(np.random.default_rng(2), 8)
    ratings[2, 3:9] = np.nan
    for coefficient in (krippendorff_alpha, gwet_ac):
        whole = coefficient(ratings)
        without = [coefficient(np.delete(ratings, rater, axis=0)).value for rater in range(8)]
        expected = jackknife(whole.value or 0.0, np.array(without, dtype=float))
        assert (whole.low, whole.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_two_raters_have_a_value_and_no_interval() -> None:
    """P-30: without one of two raters nothing is left."""
    found = krippendorff_alpha([[4, 5, 3], [4, 4, 3]])
    assert found.value is not None
    assert found.low is None
    assert "without one rater" in found.note


def test_a_bootstrap_without_self_pairs_is_unbiased_and_the_naive_one_is_not() -> None:
    """A rater drawn twice agrees with themselves: ten raters gain about a tenth."""
    generator = np.random.default_rng(11)
    naive, clean = [], []
    for _ in range(30):
        ratings = simulated(generator, 10)
        alpha = krippendorff_alpha(ratings).value or 0.0
        naive.append(rater_bootstrap(ratings, generator, 200, self_pairs=True).mean() - alpha)
        clean.append(rater_bootstrap(ratings, generator, 200).mean() - alpha)
    assert np.mean(naive) > 0.06
    assert abs(np.mean(clean)) < 0.015


def test_bootstrap_refuses_what_it_cannot_resample() -> None:
    with pytest.raises(ValueError, match="two who rated the same object"):
        rater_bootstrap([[4, 5]], np.random.default_rng(1))


def test_bootstrap_is_the_same_for_the_same_seed() -> None:
    ratings = simulated(np.random.default_rng(3), 6)
    first, second = (rater_bootstrap(ratings, np.random.default_rng(5), 700) for _ in range(2))
    assert np.array_equal(first, second)
    assert first.shape == (700,)


def test_retest_is_kappa_over_pairs_with_people_as_clusters() -> None:
    first, second = [4, 5, 3, 4, 2, 5, 4, 4], [4, 4, 3, 5, 2, 5, 3, 4]
    people = ["a", "a", "b", "b", "c", "c", "d", "d"]
    found = retest_agreement(first, second, people)
    assert found.value == pytest.approx(weighted_kappa(first, second).value)
    assert (found.n, found.raters, found.percent, found.within_one) == (8, 4, 5 / 8, 1.0)
    assert found.change == pytest.approx(-1 / 8)
    without = [weighted_kappa(*np.delete([first, second], [i, i + 1], axis=1)).value for i in (0, 2, 4, 6)]
    expected = jackknife(found.value or 0.0, np.array(without, dtype=float))
    assert (found.low, found.high) == (pytest.approx(expected.low), pytest.approx(expected.high))


def test_retest_without_pairs_or_variation_says_so() -> None:
    """P-29 and P-30."""
    assert retest_agreement([], [], []).reason == NO_PAIR
    same = retest_agreement([4, 4, 4], [4, 4, 4], ["a", "b", "c"])
    assert (same.value, same.reason, same.percent) == (None, NO_VARIATION, 1.0)
    with pytest.raises(ValueError, match="of one length"):
        retest_agreement([4], [4, 5], ["a"])


def test_small_and_odd_matrices_never_give_nan() -> None:
    """P-29, P-30: every number is finite or None with a reason, whatever the matrix; results.json stays valid."""
    generator = np.random.default_rng(13)
    for _ in range(300):
        raters, objects = generator.integers(1, 7, size=2)
        ratings = generator.choice([1.0, 3, 4, 5], p=generator.dirichlet(np.ones(4) / 2), size=(raters, objects))
        ratings[generator.random(ratings.shape) < generator.choice([0, 0.3, 0.7])] = np.nan
        found = [krippendorff_alpha(ratings), gwet_ac(ratings), brennan_prediger(ratings), fleiss_kappa(ratings)]
        found += intraclass(ratings).values()
        plain_json(found)
        for one in found:
            assert (one.value is None) == bool(one.reason)
            assert one.low is None or one.low <= one.value <= one.high
            assert (one.low is not None) or one.reason or one.note
    for rows in range(5, 16):
        pattern = [[(rater * 7 + place * 3) % 5 + 1.0 for place in (1, 2, 3)] for rater in range(rows)]
        plain_json(list(intraclass(pattern).values()))
