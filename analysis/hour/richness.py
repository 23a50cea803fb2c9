"""How many kinds nobody has named yet: the lower bounds of Chao (1984, 1987), from kinds seen once and twice."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.hour.means import Floats


@dataclass(frozen=True)
class Richness:
    """observed kinds, and a lower bound for how many there are, with its interval.

    once, twice: kinds seen exactly once and twice among `units` (episodes or people). estimate and interval are None
    where the data allow none, and `note` says why.
    """

    observed: int
    once: int
    twice: int
    units: int
    estimate: float | None
    error: float | None
    low: float | None
    high: float | None
    note: str = ""


def chao1(counts: ArrayLike, level: float = 0.95) -> Richness:
    """From how many episodes are of each kind; shape (kinds,), whole numbers."""
    seen = _whole(counts)
    return _chao(seen, int(seen.sum()), level)


def chao2(people: ArrayLike, units: int, level: float = 0.95) -> Richness:
    """From how many of `units` people named each kind at least once: nobody's three episodes count as independent."""
    seen = _whole(people)
    if len(seen) and int(seen.max()) > units:
        raise ValueError(
            f"a kind was named by {int(seen.max())} of {units} people; give the number of all people asked"
        )
    return _chao(seen, units, level)


def kinds_of(named: Iterable[tuple[str, str]]) -> tuple[dict[str, int], dict[str, int]]:
    """Episodes and people per kind, from pairs of person and kind."""
    pairs = list(named)
    kinds = sorted({kind for _, kind in pairs})
    people = {kind: len({person for person, other in pairs if other == kind}) for kind in kinds}
    return {kind: sum(other == kind for _, other in pairs) for kind in kinds}, people


def _chao(seen: Floats, units: int, level: float) -> Richness:
    """S + A·f1²/(2·f2), or A·f1(f1−1)/2 without a kind seen twice, A = (n−1)/n; variances of Chao (1987)."""
    observed, f1, f2 = int((seen > 0).sum()), int((seen == 1).sum()), int((seen == 2).sum())
    counts = (observed, f1, f2, units)
    if units == 0 or observed == 0:
        return Richness(*counts, None, None, None, None, "nothing was named")
    if units < 2:
        return Richness(*counts, None, None, None, None, "one unit: nothing can be said of what is not seen")
    if f1 == 0:
        return Richness(
            *counts,
            float(observed),
            None,
            None,
            None,
            "every kind was seen more than once: none is missing by this bound",
        )
    a = (units - 1) / units
    if f2 > 0:
        r = f1 / f2
        unseen = a * f1 * r / 2
        variance = f2 * (a * r**2 / 2 + a**2 * r**3 + a**2 * r**4 / 4)
    else:
        unseen = a * f1 * (f1 - 1) / 2
        variance = a * f1 * (f1 - 1) / 2 + a**2 * f1 * (2 * f1 - 1) ** 2 / 4 - a**2 * f1**4 / (4 * (observed + unseen))
    if unseen == 0:
        return Richness(
            *counts, float(observed), None, None, None, "one kind was seen once and none twice: no interval"
        )
    # Log-normal: the bound can't lie below what was seen.
    spread = math.exp(float(special.ndtri(0.5 + level / 2)) * math.sqrt(math.log1p(variance / unseen**2)))
    ends = (observed + unseen / spread, observed + unseen * spread)
    return Richness(*counts, observed + unseen, math.sqrt(variance), *ends)


def _whole(counts: ArrayLike) -> Floats:
    seen = np.asarray(counts, dtype=float)
    if seen.ndim != 1 or (len(seen) and (seen.min() < 0 or (seen != np.floor(seen)).any())):
        raise ValueError("counts must be one row of whole numbers, none under 0")
    return seen
