"""Two shares: McNemar, Newcombe's intervals, Miettinen and Nurminen's, Boschloo's test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from scipy import optimize, stats

from analysis.proportions import normal_quantile, wilson

NO_DISCORDANT = "no discordant pairs"


@dataclass(frozen=True)
class McNemar:
    """b: raters who approve only the first; c: only the second. p: exact, two-sided; mid_p beside it."""

    b: int
    c: int
    p: float
    mid_p: float
    note: str = ""


def mcnemar(b: int, c: int) -> McNemar:
    """McNemar (1947) by the binomial of min(b, c) among b + c at ½; mid-p after Fagerland, Lydersen and Laake (2013).

    mid-p = 2·P(X ≤ min) − P(X = min), and 1 − ½·P(X = b) where b = c. Without discordant pairs p is 1.
    """
    _whole(b, c)
    n, least = b + c, min(b, c)
    if n == 0:
        return McNemar(b, c, 1.0, 1.0, NO_DISCORDANT)
    tail, point = float(stats.binom.cdf(least, n, 0.5)), float(stats.binom.pmf(least, n, 0.5))
    mid = 1 - point / 2 if b == c else 2 * tail - point
    return McNemar(b, c, min(1.0, 2 * tail), mid)


@dataclass(frozen=True)
class ShareDifference:
    """p_a − p_b with its interval; None for no pairs."""

    estimate: float | None
    low: float | None
    high: float | None
    estimator: str


def newcombe_paired(both: int, first: int, second: int, neither: int, level: float = 0.95) -> ShareDifference:
    """Newcombe (1998c), method 10: Wilson limits of the two shares, joined by φ with a continuity correction.

    both, first, second, neither: raters who approve both, only the first, only the second, neither.
    """
    _whole(both, first, second, neither)
    name = "Newcombe, paired"
    n = both + first + second + neither
    if n == 0:
        return ShareDifference(None, None, None, name)
    k_a, k_b = both + first, both + second
    (low_a, high_a), (low_b, high_b) = wilson(k_a, n, level), wilson(k_b, n, level)
    p_a, p_b = k_a / n, k_b / n
    phi = _phi(both, first, second, neither)
    down = _joined(p_a - low_a, high_b - p_b, phi)
    up = _joined(high_a - p_a, p_b - low_b, phi)
    d = (first - second) / n
    return ShareDifference(d, max(-1.0, d - down), min(1.0, d + up), name)


def _joined(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(0.0, one**2 - 2 * phi * one * other + other**2))


def _phi(both: int, first: int, second: int, neither: int) -> float:
    """φ of the 2 × 2 table; where positive, the cross-product difference is first reduced by n/2."""
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins == 0:
        return 0.0
    cross = float(both * neither - first * second)
    if cross > 0:
        cross = max(0.0, cross - (both + first + second + neither) / 2)
    return cross / math.sqrt(margins)


def newcombe_independent(k_a: int, n_a: int, k_b: int, n_b: int, level: float = 0.95) -> ShareDifference:
    """Newcombe (1998b), method 10: the square-and-add interval from the two Wilson intervals."""
    _counts(k_a, n_a, k_b, n_b)
    name = "Newcombe"
    if n_a == 0 or n_b == 0:
        return ShareDifference(None, None, None, name)
    (low_a, high_a), (low_b, high_b) = wilson(k_a, n_a, level), wilson(k_b, n_b, level)
    p_a, p_b = k_a / n_a, k_b / n_b
    d = p_a - p_b
    low, high = d - math.hypot(p_a - low_a, high_b - p_b), d + math.hypot(high_a - p_a, p_b - low_b)
    return ShareDifference(d, max(-1.0, low), min(1.0, high), name)


def miettinen_nurminen(k_a: int, n_a: int, k_b: int, n_b: int, level: float = 0.95) -> ShareDifference:
    """Miettinen and Nurminen (1985): the differences that the score test, with factor N/(N − 1), does not reject."""
    _counts(k_a, n_a, k_b, n_b)
    name = "Miettinen–Nurminen"
    if n_a == 0 or n_b == 0:
        return ShareDifference(None, None, None, name)
    d, z = k_a / n_a - k_b / n_b, normal_quantile(level)

    def beyond(delta: float) -> float:
        return abs(_score(k_a, n_a, k_b, n_b, delta)) - z

    edge = 1 - 1e-10
    low = -1.0 if d <= -edge or beyond(-edge) <= 0 else float(optimize.brentq(beyond, -edge, d, xtol=1e-12))
    high = 1.0 if d >= edge or beyond(edge) <= 0 else float(optimize.brentq(beyond, d, edge, xtol=1e-12))
    return ShareDifference(d, low, high, name)


def _score(k_a: int, n_a: int, k_b: int, n_b: int, delta: float) -> float:
    """The score statistic of p_a − p_b = delta, with the shares most likely under it."""
    p_b = _restricted(k_a, n_a, k_b, n_b, delta)
    p_a = p_b + delta
    n = n_a + n_b
    variance = (p_a * (1 - p_a) / n_a + p_b * (1 - p_b) / n_b) * n / (n - 1)
    apart = k_a / n_a - k_b / n_b - delta
    if variance <= 1e-15:
        return 0.0 if abs(apart) < 1e-9 else math.copysign(1e9, apart)
    return apart / math.sqrt(variance)


def _restricted(k_a: int, n_a: int, k_b: int, n_b: int, delta: float) -> float:
    """The share p_b most likely under p_a = p_b + delta: a root of the likelihood's cubic."""
    n, k = n_a + n_b, k_a + k_b
    l3, l2 = float(n), (n_a + 2 * n_b) * delta - n - k
    l1, l0 = (n_b * delta - n - 2 * k_b) * delta + k, k_b * delta * (1 - delta)
    q = l2**3 / (3 * l3) ** 3 - l1 * l2 / (6 * l3**2) + l0 / (2 * l3)
    p = math.copysign(math.sqrt(max(0.0, l2**2 / (3 * l3) ** 2 - l1 / (3 * l3))), q or 1.0)
    angle = 0.0 if p == 0 else (math.pi + math.acos(max(-1.0, min(1.0, q / p**3)))) / 3
    root = 2 * p * math.cos(angle) - l2 / (3 * l3)
    return min(max(root, max(0.0, -delta)), min(1.0, 1 - delta))


@lru_cache(maxsize=512)
def boschloo(k_a: int, n_a: int, k_b: int, n_b: int) -> float:
    """Two-sided p of Boschloo's (1970) unconditional exact test; 1 where all or none approve on both sides."""
    _counts(k_a, n_a, k_b, n_b)
    if n_a == 0 or n_b == 0:
        raise ValueError("give at least one rater on either side")
    if k_a + k_b in (0, n_a + n_b):
        return 1.0
    return float(stats.boschloo_exact([[k_a, k_b], [n_a - k_a, n_b - k_b]]).pvalue)


def _counts(k_a: int, n_a: int, k_b: int, n_b: int) -> None:
    _whole(k_a, n_a - k_a, k_b, n_b - k_b)


def _whole(*counts: int) -> None:
    if any(count < 0 for count in counts):
        raise ValueError(f"counts are {counts}; give numbers of raters, none below 0 and none above its n")
