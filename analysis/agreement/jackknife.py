"""Intervals by leaving out one cluster at a time (Quenouille 1956, Tukey 1958)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

ONE = "interval not estimable – one {unit}"
FRAGILE = "interval not estimable – without one {unit} the coefficient is not defined"
STILL = "interval not estimable – the value is the same without any one {unit}"


@dataclass(frozen=True)
class Jackknife:
    """A standard error with its t interval; None where there is none, and `note` says why. n: clusters left out."""

    se: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""


def jackknife(
    estimate: float, replicates: ArrayLike, level: float = 0.95, unit: str = "rater", highest: float = 1.0
) -> Jackknife:
    """se² = (R − 1)/R·Σ(θ_(−i) − θ̄)², interval θ ± t_{R−1}·se, cut at `highest`.

    replicates: shape (R,), the estimate without each cluster in turn, NaN where it was not defined.
    """
    without = np.asarray(replicates, dtype=float)
    n = len(without)
    if n < 2:
        return Jackknife(None, None, None, n, ONE.format(unit=unit))
    if np.isnan(without).any():
        return Jackknife(None, None, None, n, FRAGILE.format(unit=unit))
    se = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    if se < 1e-12:
        # A width of zero would claim certainty that the data don't hold (P-33).
        return Jackknife(None, None, None, n, STILL.format(unit=unit))
    reach = float(special.stdtrit(n - 1, 0.5 + level / 2)) * se
    return Jackknife(se, estimate - reach, min(estimate + reach, highest), n)
