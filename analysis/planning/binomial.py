"""Power for Org approval: one answer a rater, so binomial numbers and no simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special, stats

from analysis.planning.power import WANTED


def two_shares_n(first: float, second: float, *, wanted: float = WANTED, alpha: float = 0.05) -> float:
    """Raters in each of two groups to tell their Org approvals apart, by Cohen's (1988) arcsine difference h.

    n = 2·((z_{1−α/2} + z_wanted)/h)², h = 2·asin√p₁ − 2·asin√p₂; not rounded.
    """
    _shares(first, second)
    if first == second:
        raise ValueError("the two shares are equal; give two that differ")
    h = 2 * math.asin(math.sqrt(first)) - 2 * math.asin(math.sqrt(second))
    z = float(special.ndtri(1 - alpha / 2) + special.ndtri(wanted))
    return 2 * (z / h) ** 2


@dataclass(frozen=True)
class ExactTest:
    """Reject when at least `critical` of n approve (and, two-sided, when at most `critical_low` do); with this power.

    critical is None where no count rejects.
    """

    n: int
    critical: int | None
    critical_low: int | None
    power: float


def exact_superiority(n: int, fixed: float, true: float, *, alpha: float = 0.05) -> ExactTest:
    """Exact two-sided binomial test of Org approval against a share taken as known, p = twice the smaller tail.

    A published share is no such constant: its own interval is to be shown beside it.
    """
    _shares(fixed, true)
    _n(n)
    counts = np.arange(n + 1)
    upper, lower = stats.binom.sf(counts - 1, n, fixed), stats.binom.cdf(counts, n, fixed)
    high = counts[upper <= alpha / 2]
    low = counts[lower <= alpha / 2]
    power = float(stats.binom.pmf(np.concatenate([low, high]), n, true).sum())
    return ExactTest(n, int(high[0]) if len(high) else None, int(low[-1]) if len(low) else None, power)


def exact_non_inferiority(n: int, fixed: float, margin: float, true: float, *, alpha: float = 0.05) -> ExactTest:
    """One-sided exact test that Org approval is above `fixed` − margin."""
    _shares(fixed - margin, true)
    _n(n)
    counts = np.arange(n + 1)
    high = counts[stats.binom.sf(counts - 1, n, fixed - margin) <= alpha]
    power = float(stats.binom.pmf(high, n, true).sum())
    return ExactTest(n, int(high[0]) if len(high) else None, None, power)


def _shares(*shares: float) -> None:
    for share in shares:
        if not 0 < share < 1:
            raise ValueError(f"a share is {share}; give a number between 0 and 1")


def _n(n: int) -> None:
    if n < 1:
        raise ValueError(f"n is {n}; give at least one rater")
