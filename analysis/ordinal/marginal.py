"""From log odds back to shares: approval averaged over raters, since a conditional odds ratio is not the population's.

P = mean over rows of ∫ P(Y ≥ 4 | x'β + σu) φ(u) du; intervals by the delta method.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.ordinal.fitting import LARGEST_SE, SEPARATED, CumulativeFit
from analysis.ordinal.likelihood import Floats

APPROVES = 4  # Realistic or Very Realistic
ONE_SIDE = "not estimable – all ratings are on one side of approval"
NODES = 41


@dataclass(frozen=True)
class Approval:
    """A share with its interval, or None with the reason."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class ApprovalDifference:
    """Marginal approval a − b, and the odds ratio of the two shares."""

    a: Approval
    b: Approval
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    odds_ratio: float | None = None
    odds_low: float | None = None
    odds_high: float | None = None
    reason: str = ""


def marginal_approval(fit: CumulativeFit, rows: ArrayLike, level: float = 0.95, robust: bool = False) -> Approval:
    """Approval averaged over raters and over the design rows, shape (rows, effects); interval on the logit scale.

    robust: raters as clusters, with t; else the information of the model, with z.
    """
    place = _approval_cut(fit)
    if fit.reason or place is None:
        return Approval(None, reason=fit.reason or ONE_SIDE)
    share, slope = _share(fit, place, np.atleast_2d(np.asarray(rows, dtype=float)))
    if not 0 < share < 1:
        return Approval(None, reason=SEPARATED)
    if _se(slope, fit.covariance) / (share * (1 - share)) > LARGEST_SE:
        return Approval(None, reason=SEPARATED)
    spread = fit.robust if robust else fit.covariance
    middle, reach = math.log(share / (1 - share)), fit.reach(level, robust) * _se(slope, spread) / (share * (1 - share))
    return Approval(share, float(special.expit(middle - reach)), float(special.expit(middle + reach)))


def marginal_difference(fit: CumulativeFit, a: ArrayLike, b: ArrayLike, level: float = 0.95) -> ApprovalDifference:
    """Marginal approval of the rows a less that of the rows b, and their odds ratio; raters as clusters, with t."""
    first, second = marginal_approval(fit, a, level, robust=True), marginal_approval(fit, b, level, robust=True)
    place = _approval_cut(fit)
    if first.estimate is None or second.estimate is None or place is None:
        return ApprovalDifference(first, second, reason=first.reason or second.reason)
    p, slope_p = _share(fit, place, np.atleast_2d(np.asarray(a, dtype=float)))
    q, slope_q = _share(fit, place, np.atleast_2d(np.asarray(b, dtype=float)))
    reach = fit.reach(level, robust=True) * _se(slope_p - slope_q, fit.robust)
    log_ratio = math.log(p / (1 - p)) - math.log(q / (1 - q))
    wide = fit.reach(level, robust=True) * _se(slope_p / (p * (1 - p)) - slope_q / (q * (1 - q)), fit.robust)
    return ApprovalDifference(
        first, second, p - q, max(p - q - reach, -1.0), min(p - q + reach, 1.0), math.exp(log_ratio),
        math.exp(log_ratio - wide), math.exp(log_ratio + wide),
    )  # fmt: skip


def approval_of_rater(fit: CumulativeFit, rows: ArrayLike, deviations: float) -> float | None:
    """Approval over the rows by a rater so many standard deviations milder than the typical one."""
    place = _approval_cut(fit)
    if fit.reason or place is None:
        return None
    eta = np.atleast_2d(np.asarray(rows, dtype=float)) @ fit.beta + fit.sigma * deviations
    return float(special.expit(eta - fit.thresholds[place]).mean())


def _approval_cut(fit: CumulativeFit) -> int | None:
    """Which threshold parts approval from the rest; None where all ratings are on one side of it."""
    under = sum(value < APPROVES for value in fit.values)
    return under - 1 if 0 < under < len(fit.values) else None


def _share(fit: CumulativeFit, place: int, rows: Floats) -> tuple[float, Floats]:
    """The averaged share and its slope in the parameters."""
    x, weights = np.polynomial.hermite.hermgauss(NODES)
    u, weights = np.sqrt(2) * x, weights / np.sqrt(np.pi)
    chances = special.expit((rows @ fit.beta)[:, None] + fit.sigma * u - fit.thresholds[place])
    dense = chances * (1 - chances) * weights / len(rows)
    slope = np.zeros(len(fit.parameters))
    slope[place] = -dense.sum()
    slope[fit.cuts : fit.cuts + len(fit.names)] = dense.sum(axis=1) @ rows
    if fit.mixed:
        slope[-1] = (dense * u).sum()
    return float((chances * weights).sum() / len(rows)), slope


def _se(slope: Floats, covariance: Floats) -> float:
    return math.sqrt(max(float(slope @ covariance @ slope), 0.0))
