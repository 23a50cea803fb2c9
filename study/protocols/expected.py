"""What a planned number of people will give, by formula: quick enough for every save of a draft.

Normal approximations of what ``python -m analysis plan`` simulates; a test holds the two together.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from study.protocols.promises import Analysis, Planned

WANTED = 0.80
TOST_ALPHA = 0.05
NORMAL = NormalDist()
GRID = tuple(n / 10 for n in range(-60, 61))
WEIGHTS = tuple(NORMAL.pdf(z) / 10 for z in GRID)
# A confidence sequence against the interval of a fixed number: betting on raters' means, mixture for single answers.
WIDER_BETTING, WIDER_MIXTURE = 1.8, 1.5


def rater_variances(planned: Planned, objects: int) -> tuple[float, float]:
    """Variance between raters of their mean approval, and within one of it; severity is normal on the logit scale."""
    low, high = -60.0, 60.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _mean(middle, planned.severity_sd) < planned.share else (low, middle)
    shares = [_expit(low + planned.severity_sd * z) for z in GRID]
    between = sum(w * (p - planned.share) ** 2 for w, p in zip(WEIGHTS, shares, strict=True))
    within = sum(w * p * (1 - p) for w, p in zip(WEIGHTS, shares, strict=True))
    return between, within / max(objects * (1 - planned.cannot_judge), 1)


def equivalence_error(planned: Planned, objects: int, n: int, *, paired: bool) -> float:
    """Standard error of the difference of two approvals; a rater who sees both shares part of the severity."""
    between, within = rater_variances(planned, objects)
    shared = planned.within_rater_correlation if paired else 0.0
    return math.sqrt(2 * (between * (1 - shared) + within) / n)


def equivalence_power(planned: Planned, objects: int, n: int, margin: float, *, paired: bool) -> float:
    """Of two one-sided tests when nothing differs: 2Φ(margin/se − z_{.95}) − 1, never under 0."""
    error = equivalence_error(planned, objects, n, paired=paired)
    return max(0.0, 2 * NORMAL.cdf(margin / error - NORMAL.inv_cdf(1 - TOST_ALPHA)) - 1)


def equivalence_number(planned: Planned, objects: int, margin: float, *, paired: bool) -> int:
    """Fewest people (in each group when unpaired) with power .80."""
    error = margin / (NORMAL.inv_cdf(1 - TOST_ALPHA) + NORMAL.inv_cdf((1 + WANTED) / 2))
    return max(2, math.ceil((equivalence_error(planned, objects, 1, paired=paired) / error) ** 2))


def half_width(analysis: Analysis, objects: int, n: int) -> float:
    """Half the width that the primary interval will have with n people, or the sequence where that is the rule."""
    planned = analysis.planned or Planned()
    z = NORMAL.inv_cdf(0.5 + analysis.level / 2)
    sequence = analysis.stopping.rule == "confidence_sequence"
    if analysis.primary == "org_approval":
        variance = planned.share * (1 - planned.share)
        return z * math.sqrt(variance / n) * (WIDER_MIXTURE if sequence else 1)
    return z * math.sqrt(sum(rater_variances(planned, objects)) / n) * (WIDER_BETTING if sequence else 1)


def _expit(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _mean(centre: float, sd: float) -> float:
    return sum(w * _expit(centre + sd * z) for w, z in zip(WEIGHTS, GRID, strict=True))
