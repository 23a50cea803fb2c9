"""Power of the two one-sided tests (TOST): will a study that is right be able to say "as realistic as"?

Two Orgs are called equivalent when the 90 % interval of their difference lies within ± margin (Schuirmann 1987). The
margin is chosen before the protocol is frozen, and so is the number: with too few raters the answer is no whatever the
truth.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from scipy import special

from analysis.planning.assumptions import Assumptions
from analysis.planning.power import WANTED, differences, standard_error

ALPHA = 0.05


def tost_power(
    assumed: Assumptions, n: int, margin: float, rng: np.random.Generator, replicates: int, *, paired: bool,
    difference: float = 0.0, alpha: float = ALPHA,
) -> float:  # fmt: skip
    """Share of studies whose 1 − 2α interval lies within ± margin, by simulation; true difference 0 unless given."""
    _check(margin)
    found = differences(assumed, n, difference, rng, replicates, paired=paired)
    reach = special.stdtrit(found.df, 1 - alpha) * found.se
    return float((np.abs(found.estimate) + reach < margin).mean())


def tost_power_normal(se: float, margin: float, alpha: float = ALPHA) -> float:
    """At a true difference of 0, with the standard error known: 2Φ(margin/se − z_{1−α}) − 1, never under 0."""
    _check(margin)
    if se <= 0:
        return 1.0
    normal = NormalDist()
    return max(0.0, 2 * normal.cdf(margin / se - normal.inv_cdf(1 - alpha)) - 1)


def tost_n(assumed: Assumptions, margin: float, *, paired: bool, wanted: float = WANTED) -> int:
    """Fewest raters (in each group when unpaired) with power `wanted` if nothing differs, by normal approximation."""
    _check(margin)
    normal = NormalDist()
    se = margin / (normal.inv_cdf(1 - ALPHA) + normal.inv_cdf((1 + wanted) / 2))
    return max(2, math.ceil((standard_error(assumed, 1, paired=paired) / se) ** 2))


def warning(power: float, n: int, margin: float, needed: int, *, paired: bool) -> str:
    """The sentence that comes before a margin is frozen; empty when the power is enough."""
    if power >= WANTED:
        return ""
    who = "raters who see both" if paired else "raters in each group"
    return (
        f"With {n} {who} a test of equivalence within ± {100 * margin:g} points succeeds in {100 * power:.0f} % of the "
        f"studies whose Orgs do not differ at all. About {needed} are needed for {100 * WANTED:.0f} %: raise the "
        "number, widen the margin, or leave the claim out."
    )


def _check(margin: float) -> None:
    if not 0 < margin < 1:
        raise ValueError(f"margin is {margin}; give a share between 0 and 1, such as 0.1 for ten points")
