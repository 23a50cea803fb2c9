"""Standardised sizes of a difference of means."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from analysis.comparing.signs import checked

Values = Sequence[float] | NDArray[np.float64]


def cohen_dz(differences: Values) -> float | None:
    """Mean over standard deviation of within-rater differences. None where they don't vary or are fewer than two."""
    d = checked(differences)
    if len(d) < 2 or float(np.ptp(d)) == 0:
        return None
    return float(d.mean() / d.std(ddof=1))


def hedges_g(a: Values, b: Values) -> float | None:
    """(mean a − mean b)/s with s² the mean of both variances, times Hedges' (1981) correction 1 − 3/(4·df − 1).

    None where neither side varies or a side has fewer than two values.
    """
    x, y = checked(a), checked(b)
    if min(len(x), len(y)) < 2 or (float(np.ptp(x)) == 0 and float(np.ptp(y)) == 0):
        return None
    spread = math.sqrt((float(x.var(ddof=1)) + float(y.var(ddof=1))) / 2)
    df = len(x) + len(y) - 2
    return float((x.mean() - y.mean()) / spread * (1 - 3 / (4 * df - 1)))
