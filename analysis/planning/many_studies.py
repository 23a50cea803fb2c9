"""What a planner asks of many simulated studies: of each the estimate and its interval, as the report gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.many_studies import Linearised, cluster_wilson, over_objects, pooled

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Intervals:
    """Shape (replicates,) each. A study without a rating, or with one rater, has the interval 0 to 1."""

    estimate: Floats
    low: Floats
    high: Floats

    @property
    def half_width(self) -> Floats:
        return (self.high - self.low) / 2


def mean_objects_many(approvals: NDArray[np.bool_], valid: NDArray[np.bool_], level: float = 0.95) -> Intervals:
    """Mean over objects with its interval. approvals, valid: (replicates, raters, objects)."""
    return _intervals(over_objects(approvals.astype(float), valid.astype(float)), level)


def pooled_share_many(approvals: NDArray[np.bool_], valid: NDArray[np.bool_], level: float = 0.95) -> Intervals:
    """Pooled share of ratings with its interval. approvals, valid: (replicates, raters, objects)."""
    return _intervals(pooled(approvals.astype(float), valid.astype(float)), level)


def _intervals(found: Linearised, level: float) -> Intervals:
    limits = cluster_wilson(found, level)
    return Intervals(found.share, np.where(limits.given, limits.low, 0.0), np.where(limits.given, limits.high, 1.0))
