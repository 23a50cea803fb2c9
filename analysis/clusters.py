"""Shares of ratings when each rater gives many: the rater is the sampling unit.

The interval is Wilson's on an effective number of ratings, after Korn and Graubard (1998) and Franco, Little,
Louis and Slud (2019): the design effect is estimated from the raters' residuals and never taken below 1, since with
ten raters a smaller one is noise. Beside it stand Clopper-Pearson on the same number and the logit-t interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.proportions import clopper_pearson, wilson

Floats = NDArray[np.float64]
Limits = Callable[[float, float, float], tuple[float, float]]
WILSON, EXACT, LOGIT = "cluster Wilson", "Clopper-Pearson on the effective n", "logit-t"


@dataclass(frozen=True)
class Linearised:
    """A share with its linearised variance: what every clustered interval starts from.

    share: None without ratings; variance: R/(R−1)·Σ(influence of rater i)², None with fewer than two raters; k of n
    ratings approve; raters: those with a valid rating; dropped: raters without one; empty_objects: positions of
    objects without a valid rating. unit: what the clusters are, for the notes.
    """

    share: float | None
    variance: float | None
    k: float
    n: float
    raters: int
    dropped: int = 0
    empty_objects: tuple[int, ...] = ()
    unit: str = "rater"

    @property
    def alike(self) -> bool:
        """Whether every rating approves or none does: then the design effect is 0/0."""
        return self.share is not None and (self.share == 0 or math.isclose(self.share, 1.0))

    @property
    def deff(self) -> float | None:
        """Design effect, V/(p(1−p)/M), before the floor at 1."""
        if self.share is None or self.variance is None or self.alike:
            return None
        return self.variance / (self.share * (1 - self.share) / self.n)


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
    estimator: str = WILSON


def pooled_share(approvals: ArrayLike, valid: ArrayLike, unit: str = "rater") -> Linearised:
    """Pooled share of ratings, raters as clusters.

    approvals, valid: shape (raters,), approvals y_i among m_i valid ratings. With M = Σm, p = Σy/M and
    e_i = y_i − p·m_i: V = R/(R−1)·Σe²/M². It is the ratio estimator, and what a GEE with an independence working
    correlation and an intercept alone gives, but for R/(R−1).
    """
    y, m = _counts(approvals, valid, 1)
    used = m > 0
    y, m, dropped = y[used], m[used], int((~used).sum())
    total = float(m.sum())
    if total == 0:
        return Linearised(None, None, 0, 0, 0, dropped, unit=unit)
    p = float(y.sum()) / total
    return Linearised(p, _variance((y - p * m) / total), float(y.sum()), total, len(m), dropped, unit=unit)


def mean_over_objects(approvals: ArrayLike, valid: ArrayLike, unit: str = "rater") -> Linearised:
    """Mean over objects of each object's approval, raters as clusters.

    approvals, valid: shape (raters, objects). θ = mean_o p_o over the O objects with a rating;
    ψ_i = Σ_o (y_io − p_o·m_io)/(O·n_o); V = R/(R−1)·Σψ².
    """
    y, m, dropped, empty = _by_object(approvals, valid)
    if not m.size:
        return Linearised(None, None, 0, 0, 0, dropped, empty, unit)
    p_object = y.sum(axis=0) / m.sum(axis=0)
    share, spread = float(p_object.mean()), _variance(_influence(y, m))
    return Linearised(share, spread, float(y.sum()), float(m.sum()), len(m), dropped, empty, unit)


def cluster_wilson(found: Linearised, level: float = 0.95) -> ClusterInterval:
    """Wilson on the effective number of ratings: the interval of the headline."""
    return _on_effective(found, level, wilson, WILSON)


def cluster_clopper_pearson(found: Linearised, level: float = 0.95) -> ClusterInterval:
    """Clopper-Pearson on the effective number of ratings (Korn and Graubard 1998): the longer, cautious one."""
    return _on_effective(found, level, clopper_pearson, EXACT)


def logit_t(found: Linearised, level: float = 0.95) -> ClusterInterval:
    """logit(p) ± t_{R−1}·√V/(p(1−p)), carried back to shares; not defined at 0 and 1.

    It takes the variance as estimated, without a floor of the design effect.
    """
    p = found.share
    if p is None or found.variance is None:
        return _row(found, LOGIT, None, None, None, _why_not(found))
    if found.alike:
        return _row(found, LOGIT, None, None, None, "all alike: not defined at 0 and 1")
    half = _t(found.raters - 1, level) * math.sqrt(found.variance) / (p * (1 - p))
    centre = float(special.logit(p))
    return _row(found, LOGIT, float(special.expit(centre - half)), float(special.expit(centre + half)), None)


def pooled_share_ci(
    approvals: ArrayLike, valid: ArrayLike, level: float = 0.95, unit: str = "rater"
) -> ClusterInterval:
    """Cluster Wilson for the pooled share; shapes as in `pooled_share`."""
    return cluster_wilson(pooled_share(approvals, valid, unit), level)


def mean_objects_ci(
    approvals: ArrayLike, valid: ArrayLike, level: float = 0.95, unit: str = "rater"
) -> ClusterInterval:
    """Cluster Wilson for the mean over objects; shapes as in `mean_over_objects`."""
    return cluster_wilson(mean_over_objects(approvals, valid, unit), level)


@dataclass(frozen=True)
class ClusterMean:
    """A mean score with its t interval, in scale points; None where there is none, and `note` says why."""

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    raters: int
    dropped: int = 0
    empty_objects: tuple[int, ...] = ()
    note: str = ""
    estimator: str = "t, raters as clusters"


def mean_score_over_objects(
    scores: ArrayLike, valid: ArrayLike, level: float = 0.95, unit: str = "rater"
) -> ClusterMean:
    """Mean over objects of each object's mean score, raters as clusters: θ ± t_{R−1}·√V.

    scores, valid: shape (raters, objects), sum of the scores (1 to 5) of m_io valid ratings; with one rating each
    the score itself, and 0 where there is none. V is linearised as for `mean_over_objects`.
    """
    s, m, dropped, empty = _by_object(scores, valid, most=5.0)
    named = f"t, {unit}s as clusters"
    if not m.size:
        return ClusterMean(None, None, None, 0, 0, dropped, empty, "no ratings", named)
    estimate, variance = float((s.sum(axis=0) / m.sum(axis=0)).mean()), _variance(_influence(s, m))
    counts = (int(m.sum()), len(m), dropped, empty)
    if variance is None:
        return ClusterMean(estimate, None, None, *counts, f"one {unit}: no interval", named)
    if variance <= 1e-24:
        return ClusterMean(estimate, None, None, *counts, f"interval not estimable: all {unit}s are alike", named)
    half = _t(len(m) - 1, level) * math.sqrt(variance)
    return ClusterMean(estimate, max(1.0, estimate - half), min(5.0, estimate + half), *counts, "", named)


def anova_icc(approvals: ArrayLike, valid: ArrayLike) -> float | None:
    """Correlation of two ratings of one rater, from the analysis of variance of 0/1 ratings.

    approvals, valid: shape (raters,). (MSB − MSW)/(MSB + (m₀ − 1)·MSW), m₀ = (M − Σm²/M)/(R − 1) (Fleiss 1981; Ridout,
    Demétrio and Firth 1999). None where nothing varies, with one rater, or with one rating a rater. May be under 0.
    """
    y, m = _counts(approvals, valid, 1)
    y, m = y[m > 0], m[m > 0]
    raters, total = len(m), float(m.sum())
    if raters < 2 or total <= raters:
        return None
    p = float(y.sum()) / total
    between = float((m * (y / m - p) ** 2).sum()) / (raters - 1)
    within = float((y * (m - y) / m).sum()) / (total - raters)
    size = (total - float((m**2).sum()) / total) / (raters - 1)
    below = between + (size - 1) * within
    return (between - within) / below if below > 0 else None


def apriori_deff(ratings_per_rater: float, rho: float) -> float:
    """Design effect to plan with: 1 + (m̄ − 1)·ρ (Kish 1965). 20 ratings of one person at ρ = .2 are worth 20/4.8."""
    if ratings_per_rater <= 0 or not 0 <= rho <= 1:
        raise ValueError("give some ratings a rater, and rho between 0 and 1")
    return max(1 + (ratings_per_rater - 1) * rho, 1.0)


def published_band(share: float, ratings: float, raters: int, rho: float, level: float = 0.95) -> tuple[float, float]:
    """The cluster-Wilson interval a published share would have at within-rater correlation rho.

    Only counts are published, so the design effect is the a-priori one, 1 + (m − 1)·rho with m ratings a rater.
    """
    if raters < 2 or ratings <= 1 or not 0 <= rho <= 1:
        raise ValueError("give at least two raters, some ratings, and rho between 0 and 1")
    n = effective_ratings(ratings, raters, apriori_deff(ratings / raters, rho), level)
    return wilson(share * n, n, level)


def effective_ratings(ratings: float, raters: int, deff: float, level: float = 0.95, *, floor: float = 1.0) -> float:
    """n* = M/max(deff, floor)·(t_{M−1}/t_{R−1})²: fewer, for what raters share and for how few of them there are.

    floor: 1 everywhere in this package; another value only to compare with software that has none.
    """
    ratio = _t(ratings - 1, level) / _t(raters - 1, level)
    return ratings / max(deff, floor) * ratio**2


def _t(df: float, level: float) -> float:
    return float(special.stdtrit(df, 0.5 + level / 2))


def _counts(approvals: ArrayLike, valid: ArrayLike, dimensions: int, most: float = 1.0) -> tuple[Floats, Floats]:
    y, m = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if y.shape != m.shape or y.ndim != dimensions:
        raise ValueError(f"approvals {y.shape} and valid {m.shape} must have the same shape of {dimensions} axes")
    if not (np.isfinite(y).all() and np.isfinite(m).all() and (y >= 0).all() and (y <= most * m).all()):
        raise ValueError("approvals must lie between 0 and the number of valid ratings, without gaps")
    return y, m


def _by_object(sums: ArrayLike, valid: ArrayLike, most: float = 1.0) -> tuple[Floats, Floats, int, tuple[int, ...]]:
    """Counts of raters with a rating and objects with one, the raters left out, the places of objects left out."""
    y, m = _counts(sums, valid, 2, most)
    used, rated = m.sum(axis=1) > 0, m.sum(axis=0) > 0
    empty = tuple(int(place) for place in np.flatnonzero(~rated))
    return y[used][:, rated], m[used][:, rated], int((~used).sum()), empty


def _influence(y: Floats, m: Floats) -> Floats:
    """ψ_i of the mean over objects of y/m; shape (raters,)."""
    n_object = m.sum(axis=0)
    p_object = y.sum(axis=0) / n_object
    influence: Floats = ((y - p_object * m) / (len(n_object) * n_object)).sum(axis=1)
    return influence


def _variance(influence: Floats) -> float | None:
    raters = len(influence)
    return raters / (raters - 1) * float((influence**2).sum()) if raters > 1 else None


def _why_not(found: Linearised) -> str:
    """Why there is no interval: no ratings, or one rater."""
    return "no ratings" if found.share is None else f"one {found.unit}: no interval"


def _on_effective(found: Linearised, level: float, limits: Limits, estimator: str) -> ClusterInterval:
    p = found.share
    if p is None or found.variance is None:
        return _row(found, estimator, None, None, None, _why_not(found))
    if found.deff is None:
        # The design effect is 0/0. Only the raters are surely independent, so they are the n.
        low, high = limits(p * found.raters, found.raters, level)
        note = f"all alike: the interval takes the {found.unit}s as n"
        return _row(found, estimator, low, high, float(found.raters), note)
    n = effective_ratings(found.n, found.raters, found.deff, level)
    low, high = limits(p * n, n, level)
    return _row(found, estimator, low, high, n)


def _row(
    found: Linearised, estimator: str, low: float | None, high: float | None, n: float | None, note: str = ""
) -> ClusterInterval:
    return ClusterInterval(
        found.share, low, high, round(found.k), round(found.n), found.raters, found.deff, n, found.dropped,
        found.empty_objects, note, estimator,
    )  # fmt: skip
