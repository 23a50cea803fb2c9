"""Intervals for one proportion: k of n ratings, each by another rater.

Shapes: scalars. k and n may be fractional (an effective sample size). Every function returns (low, high) within
[0, 1] and (0, 1) for n = 0, where the data say nothing. Never Wald (Brown, Cai and DasGupta 2001).

Which one: Wilson everywhere in the results. Jeffreys beside it, for a Bayesian reading. Clopper-Pearson where the level
must never be missed, at the price of width. Agresti-Coull for teaching: Wilson's centre with a half-width that can be
done by hand; for n over 40 the three agree, below that it is the longer one.
"""

from __future__ import annotations

import math

from scipy import special


def normal_quantile(level: float) -> float:
    """z of a two-sided interval at this level: 1.96 for .95."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a number between 0 and 1, such as 0.95")
    return float(special.ndtri(0.5 + level / 2))


def wilson(k: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson (1927) score interval: centre (p + z²/2n)/(1 + z²/n), half-width z/(1 + z²/n)·√(p(1−p)/n + z²/4n²)."""
    _check(k, n)
    z = normal_quantile(level)
    if n == 0:
        return 0.0, 1.0
    p = k / n
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At the ends the limit is exactly 0 or 1; rounding would leave it a hair beside.
    low = 0.0 if k == 0 else max(0.0, centre - half)
    high = 1.0 if k == n else min(1.0, centre + half)
    return low, high


def jeffreys(k: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Quantiles of Beta(k + ½, n − k + ½), with 0 below k = 0 and 1 above k = n (Brown, Cai and DasGupta 2001)."""
    _check(k, n)
    tail = _tail(level)
    if n == 0:
        return 0.0, 1.0
    low = 0.0 if k == 0 else float(special.betaincinv(k + 0.5, n - k + 0.5, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 0.5, n - k + 0.5, 1 - tail))
    return low, high


def clopper_pearson(k: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Quantiles of Beta(k, n − k + 1) and Beta(k + 1, n − k) (Clopper and Pearson 1934): never under the level."""
    _check(k, n)
    tail = _tail(level)
    if n == 0:
        return 0.0, 1.0
    low = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, 1 - tail))
    return low, high


def agresti_coull(k: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """ "Add two successes and two failures": p̃ ± z·√(p̃(1−p̃)/ñ), ñ = n + z², p̃ = (k + z²/2)/ñ, cut to [0, 1].

    Agresti and Coull (1998). Never shorter than Wilson before it is cut, and it can reach past k = 0 and k = n, where
    the limit is cut. To teach with and for n over 40; no result rests on it.
    """
    _check(k, n)
    z = normal_quantile(level)
    if n == 0:
        return 0.0, 1.0
    n_tilde = n + z * z
    p_tilde = (k + z * z / 2) / n_tilde
    half = z * math.sqrt(p_tilde * (1 - p_tilde) / n_tilde)
    return max(0.0, p_tilde - half), min(1.0, p_tilde + half)


def _tail(level: float) -> float:
    normal_quantile(level)
    return (1 - level) / 2


def _check(k: float, n: float) -> None:
    if not (math.isfinite(k) and math.isfinite(n) and 0 <= k <= n):
        raise ValueError(f"k is {k} of n = {n}; give counts with 0 ≤ k ≤ n")
