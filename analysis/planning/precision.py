"""Numbers by precision: how many raters for an interval of a given width, and how wide it will be."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.planning.assumptions import Assumptions, draw, severities
from analysis.planning.many_studies import mean_objects_many
from analysis.proportions import normal_quantile, wilson

MOST = 10_000_000


def wilson_half_width(share: float, n: float, level: float = 0.95) -> float:
    """Half the width of Wilson's interval at an observed share: one rating each of n raters."""
    low, high = wilson(share * n, n, level)
    return (high - low) / 2


def wilson_n(half_width: float, share: float, level: float = 0.95) -> int:
    """Fewest raters for which Wilson's half-width at this share is at most `half_width` (Org approval, one object).

    From the Wald number as first guess; the half-width falls with n, so a bisection between 1 and twice that is exact.
    """
    if not 0 < half_width < 0.5:
        raise ValueError(f"half_width is {half_width}; give a number between 0 and 0.5, such as 0.1")
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}; give a number from 0 to 1")
    z = normal_quantile(level)
    low, high = 1, 2 * math.ceil((z / (2 * half_width)) ** 2) + 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wilson_half_width(share, middle, level) <= half_width else (middle + 1, high)
    return low


def inflated(n: int, lost: float) -> int:
    """People who must begin so that n are analysed on average: n/(1 − lost), rounded up."""
    if n < 0 or not 0 <= lost < 1:
        raise ValueError(f"n is {n} and lost {lost}; give people and a share from 0 to under 1")
    # Rounding first, so that 17/(1 − .15) = 20 is not 21.
    return math.ceil(round(n / (1 - lost), 9))


@dataclass(frozen=True)
class Precision:
    """What n analysed raters buy. half_width: expected, of the interval of the mean over objects; ninth_decile: the
    width that nine in ten studies stay under; coverage: share of the studies whose interval holds the truth.
    """

    n: int
    begin: int
    half_width: float
    ninth_decile: float
    coverage: float
    org_half_width: float
    replicates: int


def precision(
    assumed: Assumptions, n: int, rng: np.random.Generator, replicates: int, level: float = 0.95
) -> Precision:
    """Expected cluster-Wilson half-width of the mean over objects at n analysed raters, by simulation."""
    if n < 2:
        raise ValueError(f"n is {n}; give at least two raters: one has no interval")
    severity, _ = severities(rng, replicates, n)
    found = mean_objects_many(*draw(rng, assumed, severity, assumed.share), level)
    covers = (found.low <= assumed.share) & (assumed.share <= found.high)
    return Precision(
        n, inflated(n, assumed.lost), float(found.half_width.mean()), float(np.quantile(found.half_width, 0.9)),
        float(covers.mean()), wilson_half_width(assumed.share, n, level), replicates,
    )  # fmt: skip


def precision_n(
    assumed: Assumptions, half_width: float, seed: int, replicates: int, level: float = 0.95, *, most: int = 400
) -> int | None:
    """Fewest raters whose expected half-width of the mean over objects is at most `half_width`; None beyond `most`.

    Bisection, every step with the same random numbers.
    """

    def reached(n: int) -> bool:
        return precision(assumed, n, np.random.default_rng(seed), replicates, level).half_width <= half_width

    low, high = 2, most
    if not reached(most):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low
