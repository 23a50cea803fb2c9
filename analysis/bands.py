"""Bands that hold for all objects at once, for claims such as "no object is under 60 %".

An interval of each object at 95 % misses somewhere among twenty objects more often than not. Bonferroni makes each of m
intervals at 1 − α/m. The joint critical value is the quantile of max-|t| over the objects in the replicates of the
cluster bootstrap, which knows that severe raters are severe everywhere. Both go into Wilson's interval in the place of
z: estimate ± c·SE has no width at 0 and 1, and with fifteen raters held all objects in under 80 % of simulated studies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.proportions import normal_quantile, wilson

Floats = NDArray[np.float64]
BONFERRONI = "Wilson, Bonferroni over objects"
JOINT = "Wilson at the joint critical value (max-|t| of the cluster bootstrap)"


@dataclass(frozen=True)
class Bands:
    """One band for every object. low, high: per object, None for an object without ratings.

    critical: the number in the place of z; family: objects with ratings, over which the bands hold together;
    replicates: of the bootstrap, 0 where none was needed.
    """

    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    critical: float | None
    family: int
    level: float
    estimator: str
    replicates: int = 0
    note: str = ""


def bonferroni_z(level: float, family: int) -> float:
    """z of intervals that hold together at this level: Φ⁻¹(1 − α/2m)."""
    if family < 1:
        raise ValueError("a family of intervals has at least one")
    return normal_quantile(1 - (1 - level) / family)


def bonferroni_bands(approvals: ArrayLike, valid: ArrayLike, level: float = 0.95) -> Bands:
    """Wilson for each object at 1 − α/m. approvals, valid: shape (objects,), may be effective numbers."""
    k, n = _pair(approvals, valid)
    family = int((n > 0).sum())
    if family == 0:
        return Bands((None,) * len(n), (None,) * len(n), None, 0, level, BONFERRONI, note="no ratings")
    return _bands(k, n, bonferroni_z(level, family), level, BONFERRONI)


def joint_bands(approvals: ArrayLike, valid: ArrayLike, draws: ArrayLike, level: float = 0.95) -> Bands:
    """Wilson for each object at the quantile of max_o |θ*_o − θ_o|/SE_o, never above Bonferroni's.

    draws: shape (replicates, objects), the objects' approvals in the joint replicates, NaN where a draw has none.
    Objects whose replicates are all equal have no t; they take part with the critical value of the others.
    """
    k, n = _pair(approvals, valid)
    family = int((n > 0).sum())
    if family == 0:
        return Bands((None,) * len(n), (None,) * len(n), None, 0, level, JOINT, note="no ratings")
    most = bonferroni_z(level, family)
    largest = max_t(np.divide(k, n, out=np.zeros_like(k), where=n > 0), np.asarray(draws, dtype=float)[:, n > 0], n > 0)
    if largest is None:
        return _bands(k, n, most, level, JOINT, note="no object's approval varies between draws: Bonferroni instead")
    return _bands(k, n, min(float(np.quantile(largest, level)), most), level, JOINT, len(largest))


def max_t(shares: Floats, draws: Floats, rated: NDArray[np.bool_]) -> Floats | None:
    """max over objects of |θ*_o − θ_o|/SE_o, SE the SD of the replicates; shape (replicates,), None where none vary.

    shares: shape (all objects,); draws: shape (replicates, rated objects).
    """
    defined = ~np.isnan(draws)
    number = np.maximum(defined.sum(axis=0), 1)
    filled = np.where(defined, draws, 0.0)
    mean = filled.sum(axis=0) / number
    se = np.sqrt(np.where(defined, (draws - mean) ** 2, 0.0).sum(axis=0) / number)
    varies = se > 1e-12
    if not varies.any():
        return None
    away = np.where(defined[:, varies], np.abs(draws[:, varies] - shares[rated][varies]), 0.0)
    largest: Floats = (away / se[varies]).max(axis=1)
    return largest


def _pair(approvals: ArrayLike, valid: ArrayLike) -> tuple[Floats, Floats]:
    k, n = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if k.shape != n.shape or k.ndim != 1:
        raise ValueError(f"approvals {k.shape} and valid {n.shape} must both have the shape (objects,)")
    return k, n


def _bands(
    k: Floats, n: Floats, critical: float, level: float, estimator: str, replicates: int = 0, note: str = ""
) -> Bands:
    pointwise = 1 - 2 * float(special.ndtr(-critical))
    limits = [wilson(one, of, pointwise) if of > 0 else (None, None) for one, of in zip(k, n, strict=True)]
    low, high = tuple(low for low, _ in limits), tuple(high for _, high in limits)
    return Bands(low, high, critical, int((n > 0).sum()), level, estimator, replicates, note)
