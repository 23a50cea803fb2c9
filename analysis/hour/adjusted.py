"""A difference between two conditions within the same kinds of question, raters as clusters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.hour.means import Floats, Interval


def within_strata_difference(
    outcome: ArrayLike, treated: ArrayLike, strata: ArrayLike, clusters: ArrayLike, level: float = 0.95
) -> Interval:
    """Mean outcome without minus with the treatment, compared only within strata, each weighted by n₀n₁/(n₀ + n₁).

    All arguments have the shape (n,); treated is 0 or 1. Least squares with a fixed effect of each stratum: with x̃ the
    treatment less its stratum's mean, −Σx̃y/Σx̃². The variance sums x̃·residual over clusters, times
    R/(R−1)·(n−1)/(n−K−1) for K strata (Liang and Zeger 1986; Cameron and Miller 2015), with t on R−1 degrees of
    freedom. Strata with one condition alone are left out, for they compare nothing; n is what is left.
    """
    y, x = np.asarray(outcome, dtype=float), np.asarray(treated, dtype=float)
    if len(y) == 0:
        return Interval(None, None, None, 0, 0, "no answers")
    _, stratum = np.unique(np.asarray(strata), return_inverse=True)
    both = np.bincount(stratum, weights=x) * np.bincount(stratum, weights=1 - x) > 0
    used = both[stratum]
    if not used.any():
        return Interval(None, None, None, 0, 0, "no kind of question was asked both ways")
    y, x = y[used], x[used]
    _, stratum = np.unique(stratum[used], return_inverse=True)
    _, cluster = np.unique(np.asarray(clusters)[used], return_inverse=True)
    n, k, r = len(y), int(stratum.max()) + 1, int(cluster.max()) + 1
    dx, dy = _centred(x, stratum), _centred(y, stratum)
    sxx = float((dx**2).sum())
    slope = float((dx * dy).sum()) / sxx
    scores = np.bincount(cluster, weights=dx * (dy - slope * dx))
    if r < 2 or n <= k + 1:
        return Interval(-slope, None, None, n, r, "interval not estimable: too few answers or raters")
    if np.allclose(scores, 0, atol=1e-12):
        return Interval(-slope, None, None, n, r, "interval not estimable: all alike")
    error = math.sqrt(r / (r - 1) * (n - 1) / (n - k - 1) * float((scores**2).sum())) / sxx
    half = float(special.stdtrit(r - 1, 0.5 + level / 2)) * error
    return Interval(-slope, -slope - half, -slope + half, n, r)


def _centred(values: Floats, stratum: NDArray[np.intp]) -> Floats:
    centred: Floats = values - (np.bincount(stratum, weights=values) / np.bincount(stratum))[stratum]
    return centred
