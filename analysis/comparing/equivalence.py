"""Equivalence by two one-sided tests (Schuirmann 1987)."""

from __future__ import annotations

from dataclasses import dataclass

from scipy import special

from analysis.comparing.means import Difference


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of a difference against ±margin. p: the larger one; low, high: interval at 1 − 2·alpha.

    equivalent: both tests reject at alpha, so the interval lies within the margin. None where no standard error is
    known, and `note` says why.
    """

    margin: float
    alpha: float
    t_lower: float | None
    p_lower: float | None
    t_upper: float | None
    p_upper: float | None
    p: float | None
    low: float | None
    high: float | None
    equivalent: bool | None
    note: str = ""


def tost(difference: Difference, margin: float, alpha: float = 0.05) -> Equivalence:
    """t_L = (d + margin)/se against d ≤ −margin, t_U = (d − margin)/se against d ≥ margin, on the difference's df.

    difference: of `means.paired_t` or `means.welch`. Raises ValueError for a margin that is not above 0.
    """
    if not margin > 0:
        raise ValueError(f"the margin is {margin}; give a number above 0, such as 0.10")
    if difference.estimate is None or difference.se is None or difference.df is None:
        return Equivalence(margin, alpha, None, None, None, None, None, None, None, None, difference.note)
    d, se, df = difference.estimate, difference.se, difference.df
    t_lower, t_upper = (d + margin) / se, (d - margin) / se
    p_lower, p_upper = float(special.stdtr(df, -t_lower)), float(special.stdtr(df, t_upper))
    half = float(special.stdtrit(df, 1 - alpha)) * se
    p = max(p_lower, p_upper)
    return Equivalence(margin, alpha, t_lower, p_lower, t_upper, p_upper, p, d - half, d + half, p <= alpha)
