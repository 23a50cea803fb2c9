"""People who were lost: how many, what the estimate could be with them, and how many it takes to tip it (M17)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analysis.care.headline import Counted, Estimand
from analysis.clusters import ClusterInterval, mean_objects_ci, pooled_share_ci

THRESHOLD = 0.5
"""Plan 16: below a half the authors would change their mind."""


def with_lost(table: Counted, estimand: Estimand, lost: int, approving: float, level: float = 0.95) -> ClusterInterval:
    """The estimate had `lost` more people rated everything and each approved of a share `approving` of it."""
    objects = len(table.targets)
    m = np.vstack([table.m, np.ones((lost, objects))])
    y = np.vstack([table.y, np.full((lost, objects), float(approving))])
    if estimand == "mean_over_objects":
        return mean_objects_ci(y, m, level)
    return pooled_share_ci(y.sum(axis=1), m.sum(axis=1), level)


@dataclass(frozen=True)
class Tipping:
    """share: of the lost people who would have to disapprove of everything, the others approving of everything, for
    the estimate to fall below the threshold; people: the whole number of them. None with the reason in `note`.
    """

    threshold: float
    share: float | None
    people: int | None
    note: str = ""


def tipping_point(table: Counted, estimand: Estimand, lost: int, threshold: float = THRESHOLD) -> Tipping:
    """With s the share of lost people who disapprove, θ(s) falls in a straight line from θ(0) to θ(1)."""
    if lost == 0:
        return Tipping(threshold, None, None, "nobody was lost")
    if not table.m.sum():
        return Tipping(threshold, None, None, "no ratings")
    best, worst = (with_lost(table, estimand, lost, share).estimate for share in (1.0, 0.0))
    assert best is not None  # noqa: S101 - there are ratings
    assert worst is not None  # noqa: S101
    if best < threshold:
        return Tipping(threshold, None, None, "below the threshold even if all of them had approved of everything")
    if worst >= threshold:
        return Tipping(threshold, None, None, "not below the threshold even if all of them had disapproved")
    share = (best - threshold) / (best - worst)
    return Tipping(threshold, share, min(lost, math.floor(share * lost + 1e-9) + 1))
