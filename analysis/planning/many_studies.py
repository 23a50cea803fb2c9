"""The cluster-Wilson interval of `analysis.clusters` for many simulated studies at once; a test holds them equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from analysis.proportions import normal_quantile

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
    y, m = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    n_object = m.sum(axis=1)
    objects = np.maximum((n_object > 0).sum(axis=1), 1)
    p_object = y.sum(axis=1) / np.maximum(n_object, 1)
    estimate = p_object.sum(axis=1) / objects
    weight = 1 / (objects[:, None] * np.maximum(n_object, 1))
    influence = np.einsum("bro,bo->br", y, weight) - np.einsum("bro,bo->br", m, weight * p_object)
    return _wilson(estimate, (influence**2).sum(axis=1), m, level)


def pooled_share_many(approvals: NDArray[np.bool_], valid: NDArray[np.bool_], level: float = 0.95) -> Intervals:
    """Pooled share of ratings with its interval. approvals, valid: (replicates, raters, objects)."""
    y, m = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    total = np.maximum(m.sum(axis=(1, 2)), 1)
    estimate = y.sum(axis=(1, 2)) / total
    residual = y.sum(axis=2) - estimate[:, None] * m.sum(axis=2)
    return _wilson(estimate, (residual**2).sum(axis=1) / total**2, m, level)


def _wilson(estimate: Floats, spread: Floats, m: Floats, level: float) -> Intervals:
    """Wilson on n* = M/max(deff, 1)·(t_{M−1}/t_{R−1})², deff = R/(R−1)·spread/(p(1−p)/M); n* = R where all agree."""
    total = m.sum(axis=(1, 2))
    raters = (m.sum(axis=2) > 0).sum(axis=1)
    upper = 0.5 + level / 2
    t_ratings = special.stdtrit(np.maximum(total - 1, 1), upper)
    t_raters = special.stdtrit(np.maximum(raters - 1, 1), upper)
    binomial = estimate * (1 - estimate)
    varied = binomial > 1e-12
    deff = raters / np.maximum(raters - 1, 1) * spread * total / np.where(varied, binomial, 1)
    n = np.where(varied, total / np.maximum(deff, 1) * (t_ratings / t_raters) ** 2, raters)
    known = raters >= 2
    n = np.where(known, n, 1)
    z = normal_quantile(level)
    shrink = 1 + z * z / n
    middle = (estimate + z * z / (2 * n)) / shrink
    half = z / shrink * np.sqrt(np.maximum(binomial, 0) / n + z * z / (4 * n * n))
    low = np.where(known, np.clip(middle - half, 0, 1), 0.0)
    high = np.where(known, np.clip(middle + half, 0, 1), 1.0)
    return Intervals(estimate, low, high)
