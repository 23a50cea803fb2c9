"""The cluster bootstrap: raters are drawn with replacement, each with all their ratings.

A functional is a function of weights, one a rater: ones give the estimate, the counts of a draw a replicate, ones with
a zero the jackknife. So one matrix of counts serves all objects and every functional jointly, and differences between
them are differences of replicates.

At ten to thirty raters percentile and BCa intervals are too short; the t-expanded percentile (Hesterberg 2015) is the
one to show. Cluster Wilson stays the interval of the headline.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.clusters import mean_objects_ci, pooled_share_ci

Floats = NDArray[np.float64]
Functional = Callable[[Floats], Floats]
"""Weights of shape (draws, raters) to values of shape (draws, functionals); NaN where a draw defines none."""
Method = Callable[["Replicates", float], "tuple[Floats, Floats]"]

PERCENTILE, BCA = "cluster bootstrap, percentile", "cluster bootstrap, BCa"
EXPANDED = "cluster bootstrap, t-expanded percentile"
ALIKE = "all replicates are equal"
CLOSE = 1e-12  # values of shares closer than this are ties that sums in another order have parted


@dataclass(frozen=True)
class Replicates:
    """What was drawn. estimate: shape (functionals,), NaN where the data define none; draws: shape (functionals,
    replicates), sorted, undefined ones (NaN) last; lost: how many of these; jackknife: shape (functionals, raters).

    joint: the draws in the order they were drawn, shape (replicates, functionals): each row is one draw of raters.
    """

    estimate: Floats
    draws: Floats
    lost: NDArray[np.int_]
    jackknife: Floats
    joint: Floats

    @property
    def raters(self) -> int:
        return int(self.jackknife.shape[1])

    @property
    def replicates(self) -> int:
        return int(self.draws.shape[1])

    def quantile(self, share: Floats) -> Floats:
        """Quantiles of the defined draws by linear interpolation; share: shape (functionals,), result the same."""
        last = np.maximum(self.replicates - self.lost - 1, 0)
        place = np.clip(share, 0.0, 1.0) * last
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, last)
        rows = np.arange(len(self.draws))
        low, high = self.draws[rows, below], self.draws[rows, above]
        between: Floats = low + (high - low) * (place - below)
        return between


@dataclass(frozen=True)
class BootstrapInterval:
    """One interval. low and high are None where none can be given, and `note` says why, or what stands in its place.

    raters: how many were drawn from; replicates: defined ones; lost: replicates without a value, such as an object
    that none of the raters drawn had rated.
    """

    estimate: float | None
    low: float | None
    high: float | None
    estimator: str
    raters: int
    replicates: int
    lost: int = 0
    note: str = ""


def resample_counts(raters: int, replicates: int, rng: np.random.Generator) -> Floats:
    """How often each rater is drawn: shape (replicates, raters), rows sum to raters.

    The indices are those `scipy.stats.bootstrap` draws in one batch; counting them is faster than a multinomial.
    """
    if raters < 1 or replicates < 1:
        raise ValueError("give at least one rater and one replicate")
    indices = rng.integers(0, raters, (replicates, raters))
    indices += raters * np.arange(replicates)[:, None]
    counts = np.bincount(indices.ravel(), minlength=raters * replicates)
    return counts.reshape(replicates, raters).astype(float)


def resample(functional: Functional, raters: int, replicates: int, rng: np.random.Generator) -> Replicates:
    """Draw raters and evaluate the functional on every draw, on the data, and without each rater."""
    whole = functional(np.ones((1, raters)))[0]
    joint = functional(resample_counts(raters, replicates, rng))
    without = functional(1.0 - np.eye(raters)) if raters > 1 else np.full((1, len(whole)), np.nan)
    draws = np.sort(joint.T, axis=1)
    return Replicates(whole, draws, np.isnan(draws).sum(axis=1), np.ascontiguousarray(without.T), joint)


def object_shares(approvals: ArrayLike, valid: ArrayLike) -> Functional:
    """Each object's approval. approvals, valid: shape (raters, objects). An object without raters in a draw: NaN."""
    y, m = _pair(approvals, valid)
    return lambda weights: _ratio(weights @ y, weights @ m)


def mean_and_pooled(approvals: ArrayLike, valid: ArrayLike) -> Functional:
    """Two functionals: mean over objects (of those with a rating in the draw) and pooled share."""
    return lambda weights: jointly(approvals, valid)(weights)[:, :2]


def jointly(approvals: ArrayLike, valid: ArrayLike) -> Functional:
    """Mean over objects, pooled share, then each object's approval, from the same draws; shape (draws, 2 + objects)."""
    y, m = _pair(approvals, valid)

    def evaluate(weights: Floats) -> Floats:
        k, n = weights @ y, weights @ m
        shares = _ratio(k, n)
        rated = n > 0
        total = np.where(rated, shares, 0.0).sum(axis=1)
        mean = _ratio(total, rated.sum(axis=1).astype(float))
        pooled = _ratio(k.sum(axis=1), n.sum(axis=1))
        return np.column_stack([mean, pooled, shares])

    return evaluate


def percentile(found: Replicates, level: float = 0.95) -> list[BootstrapInterval]:
    """Quantiles α/2 and 1 − α/2 of the replicates (Efron and Tibshirani 1993, chapter 13)."""
    return _intervals(found, level, PERCENTILE, lambda _, tail: (_all(found, tail), _all(found, 1 - tail)))


def t_expanded(found: Replicates, level: float = 0.95) -> list[BootstrapInterval]:
    """Percentile at α' = Φ(−√(R/(R−1))·t_{R−1,1−α/2}): longer where raters are few (Hesterberg 2015)."""

    def tails(raters: int, tail: float) -> tuple[Floats, Floats]:
        t = float(special.stdtrit(raters - 1, 1 - tail))
        wider = float(special.ndtr(-math.sqrt(raters / (raters - 1)) * t))
        return _all(found, wider), _all(found, 1 - wider)

    return _intervals(found, level, EXPANDED, tails)


def bca(found: Replicates, level: float = 0.95) -> list[BootstrapInterval]:
    """Bias-corrected and accelerated (Efron and Tibshirani 1993, section 14.3); acceleration by the jackknife."""

    def tails(_: int, tail: float) -> tuple[Floats, Floats]:
        bias, a = bias_correction(found), acceleration(found)
        z = float(special.ndtri(tail))
        return _shifted(bias, a, z), _shifted(bias, a, -z)

    return _intervals(found, level, BCA, tails)


def bias_correction(found: Replicates) -> Floats:
    """z₀: normal quantile of the share of replicates below the estimate, ties counted half; shape (functionals,)."""
    defined = np.maximum(found.replicates - found.lost, 1)
    away = found.draws - found.estimate[:, None]
    below = (away < -CLOSE).sum(axis=1) + 0.5 * (np.abs(away) <= CLOSE).sum(axis=1)
    z: Floats = special.ndtri(below / defined)
    return z


def acceleration(found: Replicates) -> Floats:
    """a = Σ(θ̄ − θ_(i))³/(6·(Σ(θ̄ − θ_(i))²)^{3/2}) over delete-one-rater values; 0 where they are all alike."""
    missing = np.isnan(found.jackknife)
    kept = np.maximum((~missing).sum(axis=1), 1)
    mean = np.where(missing, 0.0, found.jackknife).sum(axis=1) / kept
    away = np.where(missing, 0.0, mean[:, None] - found.jackknife)
    return _ratio((away**3).sum(axis=1), 6 * (away**2).sum(axis=1) ** 1.5, otherwise=0.0)


def share_intervals(
    approvals: ArrayLike, valid: ArrayLike, found: Replicates, method: Callable[..., list[BootstrapInterval]],
    level: float = 0.95, unit: str = "rater",
) -> list[BootstrapInterval]:  # fmt: skip
    """Intervals for `jointly`, with cluster Wilson in the place of those that the replicates can't give (P-33).

    Where all ratings are alike every replicate equals the estimate; a width of zero would claim certainty.
    """
    y, m = _pair(approvals, valid)
    closed = [mean_objects_ci(y, m, level, unit), pooled_share_ci(y.sum(axis=1), m.sum(axis=1), level, unit)]
    closed += [pooled_share_ci(y[:, place], m[:, place], level, unit) for place in range(y.shape[1])]
    drawn = method(found, level)
    return [
        replace(one, low=other.low, high=other.high, note=f"{one.note}: {other.estimator} instead")
        if one.low is None and other.low is not None
        else one
        for one, other in zip(drawn, closed, strict=True)
    ]


def _pair(approvals: ArrayLike, valid: ArrayLike) -> tuple[Floats, Floats]:
    y, m = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if y.shape != m.shape or y.ndim != 2:
        raise ValueError(f"approvals {y.shape} and valid {m.shape} must both have the shape (raters, objects)")
    return y, m


def _ratio(above: Floats, below: Floats, otherwise: float = np.nan) -> Floats:
    ratio: Floats = np.divide(above, below, out=np.full(above.shape, otherwise), where=below > 0)
    return ratio


def _all(found: Replicates, share: float) -> Floats:
    return np.full(len(found.draws), share)


def _shifted(bias: Floats, a: Floats, z: float) -> Floats:
    """Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))); NaN where no replicate lies on one side of the estimate."""
    finite = np.isfinite(bias)
    moved = np.where(finite, bias, 0.0) + z
    share: Floats = special.ndtr(np.where(finite, bias, 0.0) + moved / (1 - a * moved))
    return np.where(finite, share, np.nan)


def _intervals(
    found: Replicates, level: float, estimator: str, tails: Callable[[int, float], tuple[Floats, Floats]]
) -> list[BootstrapInterval]:
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a number between 0 and 1, such as 0.95")
    raters = found.raters
    kept = found.replicates - found.lost
    if raters < 2:
        reasons = ["one rater: nothing to draw from"] * len(kept)
        low = high = np.zeros(len(kept))
    else:
        shares = tails(raters, (1 - level) / 2)
        reasons = _reasons(found, shares)
        low, high = (found.quantile(np.nan_to_num(share, nan=0.5)) for share in shares)
    return [
        BootstrapInterval(
            None if math.isnan(estimate) else float(estimate),
            None if reason else float(bottom), None if reason else float(top),
            estimator, raters, int(number), int(lost), reason,
        )
        for estimate, bottom, top, number, lost, reason in zip(
            found.estimate, low, high, kept, found.lost, reasons, strict=True
        )
    ]  # fmt: skip


def _reasons(found: Replicates, shares: Sequence[Floats]) -> list[str]:
    """Why there is no interval, by functional; empty where there is one."""
    last = np.maximum(found.replicates - found.lost - 1, 0)
    rows = np.arange(len(found.draws))
    flat = found.draws[rows, last] - found.draws[:, 0] <= CLOSE
    outside = np.isnan(shares[0]) | np.isnan(shares[1])
    empty = np.isnan(found.estimate) | (found.lost == found.replicates)
    return [
        "no ratings" if none else ALIKE if same else "the estimate lies beyond every replicate" if odd else ""
        for none, same, odd in zip(empty, flat, outside, strict=True)
    ]
