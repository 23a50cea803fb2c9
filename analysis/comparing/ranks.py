"""Ordinal comparisons: A and Cliff's delta, Mann–Whitney, Brunner–Munzel, matched rank-biserial."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from analysis.comparing.permutation import permutation_on_a
from analysis.comparing.signs import checked
from analysis.comparisons import NO_DIFFERENCES

Values = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True)
class Superiority:
    """A = P(a > b) + ½P(a = b) with its interval (Vargha and Delaney 2000), and Cliff's delta = 2A − 1.

    statistic, df and p of Brunner and Munzel's test; None where it is not defined (complete separation, or all
    equal), then p is a permutation's on A, named in `test`, and `note` says why.
    """

    a: float | None
    low: float | None
    high: float | None
    statistic: float | None
    df: float | None
    p: float | None
    n_a: int
    n_b: int
    test: str
    note: str = ""

    @property
    def delta(self) -> float | None:
        return None if self.a is None else 2 * self.a - 1


def brunner_munzel(
    a: Values, b: Values, level: float = 0.95, rng: np.random.Generator | None = None, replicates: int = 9999
) -> Superiority:
    """Brunner and Munzel (2000): A with unequal variances and ties, one value per rater.

    With R ranks in the pooled values and r ranks within a group: s_g² = Σ(R − r − mean)²/(n_g − 1);
    se² = s_a²/(n_a·n_b²) + s_b²/(n_b·n_a²); df by Satterthwaite. rng is needed for the fallback of larger groups.
    """
    x, y = checked(a), checked(b)
    n_a, n_b = len(x), len(y)
    if n_a == 0 or n_b == 0:
        return Superiority(None, None, None, None, None, None, n_a, n_b, "", "no rater on one side")
    pooled = stats.rankdata(np.concatenate([x, y]))
    estimate = float((pooled[:n_a].sum() - n_a * (n_a + 1) / 2) / (n_a * n_b))
    share_a = _placements(pooled[:n_a], x) / (n_a * n_b**2)
    share_b = _placements(pooled[n_a:], y) / (n_b * n_a**2)
    if min(n_a, n_b) < 2 or share_a + share_b == 0:
        found = permutation_on_a(x, y, rng, replicates)
        note = NO_DIFFERENCES if np.ptp(pooled) == 0 else "no interval for A: its variance can't be estimated"
        return Superiority(estimate, None, None, None, None, found.p, n_a, n_b, found.test, note)
    se = math.sqrt(share_a + share_b)
    df = (share_a + share_b) ** 2 / (share_a**2 / (n_a - 1) + share_b**2 / (n_b - 1))
    half = float(special.stdtrit(df, 0.5 + level / 2)) * se
    statistic = (estimate - 0.5) / se
    p = min(1.0, 2 * float(special.stdtr(df, -abs(statistic))))
    low, high = max(0.0, estimate - half), min(1.0, estimate + half)
    return Superiority(estimate, low, high, statistic, df, p, n_a, n_b, "Brunner–Munzel")


def _placements(pooled: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Variance of the placements: rank among all less rank within the own group."""
    if len(values) < 2:
        return 0.0
    placed = pooled - stats.rankdata(values)
    return float(placed.var(ddof=1)) if float(np.ptp(placed)) > 0 else 0.0


@dataclass(frozen=True)
class MannWhitney:
    """u: of the first group, the pairs in which a is larger, ties by half. p: two-sided, None when all are equal."""

    u: float
    p: float | None
    n_a: int
    n_b: int
    note: str = ""

    @property
    def a(self) -> float:
        return self.u / (self.n_a * self.n_b)


def mann_whitney(a: Values, b: Values) -> MannWhitney:
    """Mann and Whitney (1947), exact without ties. It presumes equal shapes; `brunner_munzel` does not."""
    x, y = checked(a), checked(b)
    if len(x) == 0 or len(y) == 0:
        raise ValueError("give at least one value on either side")
    if float(np.ptp(np.concatenate([x, y]))) == 0:
        return MannWhitney(len(x) * len(y) / 2, None, len(x), len(y), NO_DIFFERENCES)
    found = stats.mannwhitneyu(x, y, alternative="two-sided")
    return MannWhitney(float(found.statistic), float(found.pvalue), len(x), len(y))


def rank_biserial(differences: Values) -> float | None:
    """Matched-pairs rank-biserial (Kerby 2014): (sum of the positive ranks − of the negative)/sum of both.

    Ranks by Pratt's rule, as in `comparisons.signed_rank`. None where all differences are zero.
    """
    d = checked(differences)
    if not np.any(d):
        return None
    ranks = stats.rankdata(np.abs(d))
    return float((ranks * np.sign(d)).sum() / ranks[d != 0].sum())


def paired_delta(differences: Values) -> float | None:
    """Cliff's delta within raters: share of differences above zero − share below. None without differences."""
    d = checked(differences)
    return float(np.sign(d).mean()) if len(d) else None
