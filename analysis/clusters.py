"""Shares of ratings when each rater gives many: the rater is the sampling unit.

The interval is Wilson's on an effective number of ratings, after Korn and Graubard (1998) and Franco, Little,
Louis and Slud (2019): the design effect is estimated from the raters' residuals and never taken below 1, since with
ten raters a smaller one is noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.proportions import wilson

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClusterInterval:
    """A share with its interval. `estimate`, `low`, `high` are None where there is none, and `note` says why.

    deff: design effect, before the floor at 1; n_effective: the n given to Wilson; raters: those with a valid
    rating; dropped: raters without one; empty_objects: positions of objects without a valid rating.
    """

    estimate: float | None
    low: float | None
    high: float | None
    k: int
    n: int
    raters: int
    deff: float | None
    n_effective: float | None
    dropped: int = 0
    empty_objects: tuple[int, ...] = ()
    note: str = ""


def pooled_share_ci(approvals: ArrayLike, valid: ArrayLike, level: float = 0.95) -> ClusterInterval:
    """Pooled share of ratings, raters as clusters (cluster Wilson).

    approvals, valid: shape (raters,), approvals y_i among m_i valid ratings. With M = Σm, p = Σy/M and
    e_i = y_i − p·m_i: V = R/(R−1)·Σe²/M², deff = V/(p(1−p)/M).
    """
    y, m = _counts(approvals, valid, 1)
    used = m > 0
    y, m, dropped = y[used], m[used], int((~used).sum())
    total = float(m.sum())
    if total == 0:
        return _nothing(dropped)
    p = float(y.sum()) / total
    spread = float(((y - p * m) ** 2).sum()) / total**2
    return _interval(p, spread, float(y.sum()), total, len(m), level, dropped)


def mean_objects_ci(approvals: ArrayLike, valid: ArrayLike, level: float = 0.95) -> ClusterInterval:
    """Mean over objects of each object's approval, raters as clusters.

    approvals, valid: shape (raters, objects). θ = mean_o p_o over the O objects with a rating;
    ψ_i = Σ_o (y_io − p_o·m_io)/(O·n_o); V = R/(R−1)·Σψ²; deff = V/(θ(1−θ)/M).
    """
    y, m = _counts(approvals, valid, 2)
    used = m.sum(axis=1) > 0
    y, m, dropped = y[used], m[used], int((~used).sum())
    n_object = m.sum(axis=0)
    rated = n_object > 0
    empty = tuple(int(place) for place in np.flatnonzero(~rated))
    if not rated.any():
        return _nothing(dropped, empty)
    y, m, n_object = y[:, rated], m[:, rated], n_object[rated]
    p_object = y.sum(axis=0) / n_object
    influence = ((y - p_object * m) / (len(n_object) * n_object)).sum(axis=1)
    spread = float((influence**2).sum())
    return _interval(float(p_object.mean()), spread, float(y.sum()), float(m.sum()), len(m), level, dropped, empty)


def published_band(share: float, ratings: float, raters: int, rho: float, level: float = 0.95) -> tuple[float, float]:
    """The cluster-Wilson interval a published share would have at within-rater correlation rho.

    Only counts are published, so the design effect is the a-priori one, 1 + (m − 1)·rho with m ratings a rater.
    """
    if raters < 2 or ratings <= 1 or not 0 <= rho <= 1:
        raise ValueError("give at least two raters, some ratings, and rho between 0 and 1")
    deff = max(1 + (ratings / raters - 1) * rho, 1.0)
    n = effective_ratings(ratings, raters, deff, level)
    return wilson(share * n, n, level)


def effective_ratings(ratings: float, raters: int, deff: float, level: float = 0.95, *, floor: float = 1.0) -> float:
    """n* = M/max(deff, floor)·(t_{M−1}/t_{R−1})²: fewer, for what raters share and for how few of them there are.

    floor: 1 everywhere in this package; another value only to compare with software that has none.
    """
    upper = 0.5 + level / 2
    ratio = float(special.stdtrit(ratings - 1, upper) / special.stdtrit(raters - 1, upper))
    return ratings / max(deff, floor) * ratio**2


def _counts(approvals: ArrayLike, valid: ArrayLike, dimensions: int) -> tuple[Floats, Floats]:
    y, m = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if y.shape != m.shape or y.ndim != dimensions:
        raise ValueError(f"approvals {y.shape} and valid {m.shape} must have the same shape of {dimensions} axes")
    if not (np.isfinite(y).all() and np.isfinite(m).all() and (y >= 0).all() and (y <= m).all()):
        raise ValueError("approvals must lie between 0 and the number of valid ratings, without gaps")
    return y, m


def _nothing(dropped: int, empty: tuple[int, ...] = ()) -> ClusterInterval:
    return ClusterInterval(None, None, None, 0, 0, 0, None, None, dropped, empty, "no ratings")


def _interval(
    p: float, spread: float, k: float, total: float, raters: int, level: float, dropped: int,
    empty: tuple[int, ...] = (),
) -> ClusterInterval:  # fmt: skip
    counts = (round(k), round(total), raters)
    rest = (dropped, empty)
    if raters < 2:
        return ClusterInterval(p, None, None, *counts, None, None, *rest, "one rater: no interval")
    binomial = p * (1 - p) / total
    if binomial == 0 or math.isclose(p, 1.0):
        # The design effect is 0/0. Only the raters are surely independent, so they are the n.
        low, high = wilson(p * raters, raters, level)
        note = "all alike: the interval takes the raters as n"
        return ClusterInterval(p, low, high, *counts, None, float(raters), *rest, note)
    deff = raters / (raters - 1) * spread / binomial
    n = effective_ratings(total, raters, deff, level)
    low, high = wilson(p * n, n, level)
    return ClusterInterval(p, low, high, *counts, deff, n, *rest)
