"""Differences of means with t intervals: within raters, and between two groups of raters (Welch 1947)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.comparing.signs import checked

Values = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True)
class Difference:
    """estimate: mean difference or difference of means, a − b, with standard error se on df degrees of freedom.

    low, high, t and p (two-sided) are None where they can't be estimated, and `note` says why. n_a and n_b: raters
    of either side, the same number within raters.
    """

    estimate: float | None
    se: float | None
    df: float | None
    low: float | None
    high: float | None
    t: float | None
    p: float | None
    n_a: int
    n_b: int
    estimator: str
    note: str = ""


def paired_t(differences: Values, level: float = 0.95) -> Difference:
    """D̄ ± t_{n−1}·s/√n. differences: shape (raters,)."""
    d = checked(differences)
    n = len(d)
    name = "paired t"
    if n == 0:
        return _none(None, n, n, name, "nobody rated both")
    if n == 1:
        return _none(float(d[0]), n, n, name, "interval not estimable: one rater")
    if float(np.ptp(d)) == 0:
        return _none(float(d[0]), n, n, name, "interval not estimable: all differences are equal")
    return from_summary(float(d.mean()), float(d.std(ddof=1)) / math.sqrt(n), n - 1, n, n, name, level)


def welch(a: Values, b: Values, level: float = 0.95) -> Difference:
    """Mean of a − mean of b with se² = s_a²/n_a + s_b²/n_b and the Welch–Satterthwaite df; one value per rater."""
    x, y = checked(a), checked(b)
    n_a, n_b = len(x), len(y)
    name = "Welch t"
    if n_a == 0 or n_b == 0:
        return _none(None, n_a, n_b, name, "no rater on one side")
    estimate = float(x.mean() - y.mean())
    if n_a == 1 or n_b == 1:
        return _none(estimate, n_a, n_b, name, "interval not estimable: one rater on a side")
    if float(np.ptp(x)) == 0 and float(np.ptp(y)) == 0:
        return _none(estimate, n_a, n_b, name, "interval not estimable: all values of a side are equal")
    return welch_from_summary(estimate, float(x.var(ddof=1)), n_a, float(y.var(ddof=1)), n_b, level)


def welch_from_summary(estimate: float, var_a: float, n_a: int, var_b: float, n_b: int, level: float) -> Difference:
    """Welch's interval from two variances; at least one of them above 0 and both n at least 2."""
    share_a, share_b = var_a / n_a, var_b / n_b
    df = (share_a + share_b) ** 2 / (share_a**2 / (n_a - 1) + share_b**2 / (n_b - 1))
    return from_summary(estimate, math.sqrt(share_a + share_b), df, n_a, n_b, "Welch t", level)


def from_summary(
    estimate: float, se: float, df: float, n_a: int, n_b: int, estimator: str, level: float = 0.95
) -> Difference:
    """A t interval from an estimate, its standard error and degrees of freedom."""
    half = float(special.stdtrit(df, 0.5 + level / 2)) * se
    t = estimate / se
    p = min(1.0, 2 * float(special.stdtr(df, -abs(t))))
    return Difference(estimate, se, df, estimate - half, estimate + half, t, p, n_a, n_b, estimator)


def _none(estimate: float | None, n_a: int, n_b: int, estimator: str, note: str) -> Difference:
    return Difference(estimate, None, None, None, None, None, None, n_a, n_b, estimator, note)
