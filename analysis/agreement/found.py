"""What an agreement coefficient comes as: the value or the reason why there is none, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass

NO_VARIATION = "not defined – ratings do not vary"
TOO_FEW = "not defined – no object has two ratings"
RATERS = "jackknife over raters, t"


@dataclass(frozen=True)
class Agreement:
    """A coefficient, or None with the reason. `percent`: share of agreeing pairs, averaged over units.

    units: those with at least two ratings; dropped: those with one; raters: those who rated such a unit.
    weighted_percent: the same share with partial credit for near answers, for weighted coefficients.
    se, low, high, level: by the method named in `interval`, None where there is none, and `note` says why.
    unit_se, unit_low, unit_high: the published standard error, which takes the units as the sample and these raters
    as given; only where the literature gives one.
    """

    value: float | None
    reason: str
    percent: float | None
    units: int
    dropped: int
    raters: int
    coefficient: str = ""
    weighted_percent: float | None = None
    se: float | None = None
    low: float | None = None
    high: float | None = None
    level: float = 0.95
    interval: str = ""
    unit_se: float | None = None
    unit_low: float | None = None
    unit_high: float | None = None
    note: str = ""
