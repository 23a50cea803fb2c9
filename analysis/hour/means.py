"""Means, ratios, slopes and rank correlations of raters, each with a t or Fisher interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

Floats = NDArray[np.float64]
ALL_ALIKE = "interval not estimable: all alike"


@dataclass(frozen=True)
class Interval:
    """An estimate with its interval over `clusters`, from n values. None where there is none; `note` says why."""

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    note: str = ""


def ratio(numerators: ArrayLike, denominators: ArrayLike, level: float = 0.95) -> Interval:
    """Σy/Σm over clusters with the linearised variance R/(R−1)·Σ(y − θm)²/M² and t on R−1 degrees of freedom.

    numerators, denominators: shape (clusters,); a cluster with neither is left out. With one value in each
    cluster this is the t interval of a mean. Source: Cochran (1977), Sampling Techniques, chapter 6.
    """
    y, m = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if y.shape != m.shape or y.ndim != 1:
        raise ValueError(f"numerators {y.shape} and denominators {m.shape} must be one row each, of one length")
    used = (m > 0) | (y != 0)
    y, m = y[used], m[used]
    r, total = len(m), float(m.sum())
    if total == 0:
        return Interval(None, None, None, 0, 0, "nothing to average")
    theta = float(y.sum()) / total
    if r == 1:
        return Interval(theta, None, None, round(total), 1, "interval not estimable: one rater")
    residuals = y - theta * m
    if np.allclose(residuals, 0, atol=1e-12 * max(1.0, float(np.abs(y).max()))):
        return Interval(theta, None, None, round(total), r, ALL_ALIKE)
    error = math.sqrt(r / (r - 1) * float((residuals**2).sum())) / total
    half = float(special.stdtrit(r - 1, 0.5 + level / 2)) * error
    return Interval(theta, theta - half, theta + half, round(total), r)


def cluster_mean(values: ArrayLike, clusters: ArrayLike, level: float = 0.95) -> Interval:
    """Mean of values, each counted alike, with clusters as the sampling units. values, clusters: shape (n,)."""
    data = np.asarray(values, dtype=float)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    if len(data) == 0:
        return ratio([], [], level)
    return ratio(np.bincount(place, weights=data), np.bincount(place), level)


def within_slopes(x: ArrayLike, y: ArrayLike, raters: ArrayLike) -> Floats:
    """The least-squares slope of y on x within each rater who has two different x; shape (raters with a slope,)."""
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(across) == 0:
        return np.zeros(0)
    _, place = np.unique(np.asarray(raters), return_inverse=True)
    n = np.bincount(place)
    dx = across - (np.bincount(place, weights=across) / n)[place]
    dy = up - (np.bincount(place, weights=up) / n)[place]
    sxx, sxy = np.bincount(place, weights=dx * dx), np.bincount(place, weights=dx * dy)
    return np.asarray(sxy[sxx > 0] / sxx[sxx > 0], dtype=float)


def welch(a: ArrayLike, b: ArrayLike, level: float = 0.95) -> Interval:
    """Difference of two means of independent people with Welch's (1947) degrees of freedom; n is all of them."""
    first, second = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    n = len(first) + len(second)
    if not len(first) or not len(second):
        return Interval(None, None, None, n, n, "nobody on one side")
    difference = float(first.mean() - second.mean())
    if min(len(first), len(second)) < 2:
        return Interval(difference, None, None, n, n, "interval not estimable: one rater on a side")
    parts = np.array([first.var(ddof=1) / len(first), second.var(ddof=1) / len(second)])
    if parts.sum() < 1e-24:
        return Interval(difference, None, None, n, n, ALL_ALIKE)
    df = parts.sum() ** 2 / (parts**2 / (np.array([len(first), len(second)]) - 1)).sum()
    half = float(special.stdtrit(df, 0.5 + level / 2)) * math.sqrt(parts.sum())
    return Interval(difference, difference - half, difference + half, n, n)


def rank_correlation(x: ArrayLike, y: ArrayLike, level: float = 0.95) -> Interval:
    """Spearman's rho of people, ties by mean ranks, with the interval of Bonett and Wright (2000).

    tanh(atanh ρ ± z·√((1 + ρ²/2)/(n − 3))). None with fewer than five people or when one side does not vary.
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    n = len(first)
    if n < 5:
        return Interval(None, None, None, n, n, f"{n} people: too few for a correlation")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return Interval(None, None, None, n, n, "not defined: one of the two does not vary")
    rho = float(np.corrcoef(stats.rankdata(first), stats.rankdata(second))[0, 1])
    if abs(rho) > 1 - 1e-12:
        return Interval(round(rho), None, None, n, n, "interval not estimable: the ranks are the same")
    half = float(special.ndtri(0.5 + level / 2)) * math.sqrt((1 + rho**2 / 2) / (n - 3))
    return Interval(rho, math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half), n, n)


@dataclass(frozen=True)
class Spread:
    """Median and quartiles (linear between order statistics) with mean and sum, of n values."""

    median: float | None
    quartile_1: float | None
    quartile_3: float | None
    mean: float | None
    total: float
    n: int


def spread(values: ArrayLike) -> Spread:
    data = np.asarray(values, dtype=float)
    if len(data) == 0:
        return Spread(None, None, None, None, 0.0, 0)
    low, middle, high = (float(one) for one in np.quantile(data, [0.25, 0.5, 0.75]))
    return Spread(middle, low, high, float(data.mean()), float(data.sum()), len(data))
