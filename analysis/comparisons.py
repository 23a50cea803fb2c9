"""Scores of one group, and differences within raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

NOT_ESTIMABLE = "interval not estimable: all ratings are equal"
NO_DIFFERENCES = "no differences to test"


@dataclass(frozen=True)
class Mean:
    """A mean with its t-interval; low and high are None when not estimable, and `note` says why."""

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""


def mean_score(values: Sequence[float], level: float = 0.95) -> Mean:
    """Mean ± t_{n−1}·s/√n of independent values, one per rater."""
    data = np.asarray(values, dtype=float)
    n = len(data)
    if n == 0:
        return Mean(None, None, None, 0, "no ratings")
    mean = float(data.mean())
    if n == 1:
        return Mean(mean, None, None, 1, "interval not estimable: one rating")
    if float(np.ptp(data)) == 0:
        return Mean(float(data[0]), None, None, n, NOT_ESTIMABLE)
    half = float(special.stdtrit(n - 1, 0.5 + level / 2)) * float(data.std(ddof=1)) / math.sqrt(n)
    return Mean(mean, mean - half, mean + half, n)


@dataclass(frozen=True)
class SignedRank:
    """Wilcoxon's test. V: sum of the ranks of the positive differences. p: two-sided, None when nothing to test."""

    v: float
    p: float | None
    n: int
    zeros: int
    method: str
    note: str = ""


def signed_rank(differences: Sequence[float]) -> SignedRank:
    """Wilcoxon signed-rank test of within-rater differences, exact with ties and zeros.

    Pratt's (1959) rule: zeros are ranked with the rest, then their ranks are dropped. Tied differences share
    their mean rank. p is exact over all 2^m sign patterns of the m differences that are not zero.
    """
    d = np.asarray(differences, dtype=float)
    if not np.isfinite(d).all():
        raise ValueError("differences must be finite numbers; leave out raters with only one rating")
    # Equal means of other ratings differ in the last digit; ties and zeros must be seen as such (P-34).
    d = np.round(d, 12)
    method = "exact signed-rank test, zeros by Pratt's rule, ties by mean ranks"
    zeros = int((d == 0).sum())
    if zeros == len(d):
        return SignedRank(0.0, None, len(d), zeros, method, NO_DIFFERENCES)
    # Mean ranks are whole or half, so doubled ranks are whole and their sums can be counted.
    doubled = np.rint(2 * stats.rankdata(np.abs(d))).astype(int)
    v2 = int(doubled[d > 0].sum())
    p = _two_sided(doubled[d != 0], v2)
    return SignedRank(v2 / 2, p, len(d), zeros, method)


def _two_sided(ranks: NDArray[np.int_], observed: int) -> float:
    """Probability of a sum at least as far from its mean as observed, each rank counted with probability ½."""
    total = int(ranks.sum())
    chance = np.zeros(total + 1)
    chance[0] = 1.0
    for rank in ranks:
        shifted = np.zeros_like(chance)
        shifted[rank:] = chance[: total + 1 - rank]
        chance = (chance + shifted) / 2
    sums = np.arange(total + 1)
    return min(1.0, float(chance[np.abs(2 * sums - total) >= abs(2 * observed - total)].sum()))
