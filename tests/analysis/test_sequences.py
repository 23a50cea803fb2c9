"""Confidence sequences: published values, exact probabilities of ever being wrong, and what a sequence costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from analysis.planning.assumptions import Assumptions, draw, rater_means, severities
from analysis.planning.betting import betting_sequence, hedged_log_capital
from analysis.planning.sequences import beta_mixture, ever_excluded, robust_beta_binomial, running
from analysis.proportions import wilson


@pytest.mark.parametrize(
    ("k", "n", "low", "high"), [(7, 10, 0.267, 0.963), (20, 30, 0.394, 0.878), (40, 60, 0.466, 0.833)]
)
def test_beta_mixture_with_a_uniform_prior(k: int, n: int, low: float, high: float) -> None:
    """Roots of B(1+k, 1+n−k)/p^k(1−p)^(n−k) = 20 (two brentq calls in scipy)."""
    found = beta_mixture(k, n)
    assert (float(found[0]), float(found[1])) == pytest.approx((low, high), abs=5e-4)


def test_a_sequence_is_wider_than_the_interval_of_a_fixed_n() -> None:
    low, high = beta_mixture(20, 30)
    fixed = wilson(20, 30)
    assert 1.4 < float(high - low) / (fixed[1] - fixed[0]) < 1.7


def test_the_edges_of_a_sequence() -> None:
    """P-33: nobody gives 0 to 1; nobody approving has the limit 0 exactly, everybody the limit 1."""
    low, high = beta_mixture([0, 0, 10, 1], [0, 10, 10, 1])
    assert (low[0], high[0], low[1], high[2]) == (0.0, 1.0, 0.0, 1.0)
    assert high[1] == pytest.approx(1 - low[2], abs=1e-9)
    assert high[3] == 1.0
    assert low[3] == pytest.approx(0.025, abs=1e-6), "one yes refutes p when 1/2p ≥ 20"
    with pytest.raises(ValueError, match="between 0 and n"):
        beta_mixture(3, 2)


# Howard and Ramdas's beta-binomial: unit tests of confseq's C++ (bernoulli_confidence_interval), (k, n, tightest_at).
ROBUST = [
    (700, 1000, 100, 0.651629, 0.745949), (15, 50, 50, 0.129556, 0.511896), (5, 50, 50, 0.013021, 0.269264),
    (1, 50, 50, 0.0, 0.13489), (100, 200, 1, 0.328923, 0.671076), (20, 30, 30, 0.389353, 0.888155),
]  # fmt: skip


@pytest.mark.parametrize(("k", "n", "tightest", "low", "high"), ROBUST)
def test_robust_beta_binomial(k: int, n: int, tightest: float, low: float, high: float) -> None:
    found = robust_beta_binomial(k, n, tightest_at=tightest)
    assert (float(found[0]), float(found[1])) == pytest.approx((low, high), abs=5e-6)


@pytest.mark.parametrize(
    ("a", "expected"), [(1.0, (0.0340, 0.0339, 0.0330, 0.0305)), (0.5, (0.0354, 0.0312, 0.0334, 0.0286))]
)
def test_ever_excluding_the_truth_is_rarer_than_promised(a: float, expected: tuple[float, ...]) -> None:
    """Exact, by dynamic programming up to n = 500; no simulation."""
    found = [ever_excluded(p, 500, a=a, b=a) for p in (0.5, 0.65, 0.8, 0.9)]
    assert found == pytest.approx(expected, abs=5e-5)
    assert max(found) <= 0.05


def test_looking_at_a_fixed_n_interval_again_and_again_is_not() -> None:
    """Wilson looked at after each of 5 to 60 people misses the truth .65 sooner or later in more than one in four."""

    def refutes(k: np.ndarray, n: np.ndarray) -> np.ndarray:
        intervals = [wilson(float(yes), float(n[0])) for yes in k]
        return np.array([n[0] >= 5 and not low <= 0.65 <= high for low, high in intervals])

    assert ever_excluded(0.65, 60, refutes=refutes) == pytest.approx(0.285, abs=0.01)
    with pytest.raises(ValueError, match="between 0 and 1"):
        ever_excluded(1.0, 10)


def test_what_was_refuted_stays_refuted() -> None:
    low, high = running([0.1, 0.3, 0.2], [0.9, 0.95, 0.8])
    assert low.tolist() == [0.1, 0.3, 0.3]
    assert high.tolist() == [0.9, 0.9, 0.8]


def test_betting_equals_published_code() -> None:
    """40 of 60, shuffled: confseq betting_cs has (.46, 1) (.46, .98) (.46, .935) (.50, .892) at 10, 20, 30, 60."""
    answers = np.random.default_rng(3).permutation(np.repeat([1.0, 0.0], [40, 20]))
    low, high = betting_sequence(answers)
    at = [9, 19, 29, 59]
    assert low[at] == pytest.approx([0.46, 0.46, 0.46, 0.50], abs=1.1e-3)
    assert high[at] == pytest.approx([1.0, 0.98, 0.935, 0.892], abs=1.1e-3)


def test_betting_follows_its_definition() -> None:
    """One candidate, worked through value by value from the paper's formulas."""
    x, m, alpha = np.array([0.9, 0.4, 1.0, 0.7, 0.8]), 0.3, 0.05
    up = down = 1.0
    mean_sum, square_sum, variance = 0.5, 0.25, 0.25
    for t, value in enumerate(x, start=1):
        bet = math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(1 + t)))
        up *= 1 + min(bet, 0.5 / m) * (value - m)
        down *= 1 - min(bet, 0.5 / (1 - m)) * (value - m)
        mean_sum += value
        square_sum += (value - mean_sum / (t + 1)) ** 2
        variance = square_sum / (t + 1)
    found = hedged_log_capital(x, np.array([m]), alpha)
    assert found[0, -1] == pytest.approx(math.log(max(up, down) / 2), abs=1e-12)


def test_betting_on_rater_means() -> None:
    """Half-widths, severity .7, twenty objects: .249, .158, .119, .072 at 10, 20, 30, 60; rarely wrong."""
    rng = np.random.default_rng(8)
    assumed = Assumptions(objects=20, cannot_judge=0.15)
    means, _ = rater_means(*draw(rng, assumed, severities(rng, 60, 60)[0], 0.65))
    paths = [betting_sequence(one, grid=500) for one in means]
    half = np.array([(high - low) / 2 for low, high in paths])
    assert half[:, [9, 19, 29, 59]].mean(axis=0) == pytest.approx([0.249, 0.158, 0.119, 0.072], abs=0.012)
    wrong = [bool(((low > 0.65) | (high < 0.65)).any()) for low, high in paths]
    assert np.mean(wrong) <= 0.05


def test_betting_at_the_edges() -> None:
    """P-33: nobody, one rater, all alike at 0 or 1, and numbers that are no shares."""
    assert betting_sequence([])[0].shape == (0,)
    low, high = betting_sequence([1.0] * 12)
    assert high[-1] == 1.0
    assert 0.4 < low[-1] < 1.0
    mirrored = betting_sequence([0.0] * 12)
    assert mirrored[0][-1] == 0.0
    assert mirrored[1] == pytest.approx(1 - low, abs=2e-3)
    with pytest.raises(ValueError, match="shares from 0 to 1"):
        betting_sequence([4.0])
    with pytest.raises(ValueError, match="without gaps"):
        betting_sequence([float("nan")])
