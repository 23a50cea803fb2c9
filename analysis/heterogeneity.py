"""Do objects differ in approval beyond chance, and do snapshots?

Objects: a permutation test within raters, so that severe and mild raters change nothing. Snapshots: the variance
between them from an analysis of variance with raters nested in snapshots.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
PERMUTATION = "permutation of object labels within raters, Σ(p_o − p̄)²"


@dataclass(frozen=True)
class Heterogeneity:
    """statistic: Σ(p_o − p̄)² over objects; expected: its mean under the null; p: None where nothing can be tested."""

    statistic: float | None
    expected: float | None
    p: float | None
    objects: int
    raters: int
    replicates: int
    estimator: str = PERMUTATION
    note: str = ""


def objects_differ(approvals: ArrayLike, valid: ArrayLike, replicates: int, rng: np.random.Generator) -> Heterogeneity:
    """Are the objects' approvals further apart than if each rater's answers fell on the objects by chance?

    approvals, valid: shape (raters, objects), 0 or 1: at most one rating a rater and object. Every permutation keeps
    each rater's number of approvals and which objects the rater could judge. p = (1 + #{T* ≥ T})/(1 + replicates).
    """
    y, m = np.asarray(approvals, dtype=float), np.asarray(valid, dtype=float)
    if (
        y.shape != m.shape
        or y.ndim != 2
        or not np.isin(m, (0, 1)).all()
        or not np.isin(y, (0, 1)).all()
        or (y > m).any()
    ):
        raise ValueError("give 0 or 1 for each rater and object, approvals only where there is a valid rating")
    rated = m.sum(axis=0) > 0
    y, m = y[:, rated], m[:, rated]
    n = m.sum(axis=0)
    raters, objects = int((m.sum(axis=1) > 0).sum()), len(n)
    # Raters who answered alike everywhere, or judged one object, are the same in every permutation.
    free = (y.sum(axis=1) > 0) & (y.sum(axis=1) < m.sum(axis=1))
    if objects < 2 or not free.any():
        why = "fewer than two objects with ratings" if objects < 2 else "no rater's answers vary between objects"
        return Heterogeneity(None, None, None, objects, raters, 0, note=f"{why}: nothing to test")
    fixed = y[~free].sum(axis=0)
    drawn = permuted_approvals(y[free], m[free], replicates, rng) + fixed
    observed = float(_spread(y.sum(axis=0)[None] / n)[0])
    chance = _spread(drawn / n)
    p = (1 + int((chance >= observed - 1e-12).sum())) / (1 + replicates)
    return Heterogeneity(observed, float(chance.mean()), p, objects, raters, replicates)


def permuted_approvals(y: Floats, m: Floats, replicates: int, rng: np.random.Generator) -> Floats:
    """Approvals of each object after permuting every rater's answers over the objects judged; (replicates, objects).

    Selection sampling, object by object: the next of a rater's r remaining places approves with probability
    (approvals left)/r. That draws every subset with the same probability (Knuth 1997, algorithm S).
    """
    left = np.broadcast_to(y.sum(axis=1).astype(np.float32), (replicates, len(y))).copy()
    places = m.sum(axis=1).astype(np.float32)
    found = np.zeros((replicates, m.shape[1]))
    for place in range(m.shape[1]):
        judged = m[:, place] > 0
        took = rng.random((replicates, len(y)), dtype=np.float32) * places < left
        took &= judged
        left -= took
        places -= judged
        found[:, place] = np.count_nonzero(took, axis=1)
    return found


def _spread(shares: Floats) -> Floats:
    spread: Floats = ((shares - shares.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return spread


@dataclass(frozen=True)
class SnapshotSpread:
    """Standard deviation between snapshots in the unit of the values, None where it can't be told, with `note`.

    sd 0: snapshots differ no more than raters of one snapshot do. within: SD between raters of one snapshot.
    raters_each: n₀, the average number of raters a snapshot that counts.
    """

    sd: float | None
    low: float | None
    high: float | None
    within: float | None
    snapshots: int
    raters: int
    raters_each: float | None
    level: float
    estimator: str = "analysis of variance, raters nested in snapshots; Williams-Tukey interval"
    note: str = ""


def between_snapshots(values: ArrayLike, snapshots: Sequence[str], level: float = 0.95) -> SnapshotSpread:
    """√((MSB − MSW)/n₀) by the method of moments, 0 where MSB < MSW; one value a rater.

    n₀ = (R − ΣR_s²/R)/(S − 1). Interval: (S − 1)(MSB − F·MSW)/(n₀·χ²) at the quantiles of F_{S−1,R−S} and χ²_{S−1}
    (Williams 1962; Searle, Casella and McCulloch 1992, section 3.6); exact for equal numbers to within 2α.
    """
    data = np.asarray(values, dtype=float)
    names, at = np.unique(np.asarray(snapshots, dtype=object).astype(str), return_inverse=True)
    size = np.bincount(at, minlength=len(names)).astype(float)
    count, raters = len(names), len(data)
    nothing = (None, None, None, None, count, raters, None, level)
    if count < 2:
        return SnapshotSpread(*nothing, note="one snapshot: no spread between snapshots")
    if raters == count:
        return SnapshotSpread(*nothing, note="one rater a snapshot: snapshots and raters can't be told apart")
    means = np.bincount(at, weights=data) / size
    msb = float((size * (means - data.mean()) ** 2).sum()) / (count - 1)
    msw = float(((data - means[at]) ** 2).sum()) / (raters - count)
    if msb == msw == 0:
        return SnapshotSpread(*nothing, note="all raters are alike: the spread is not estimable")
    each = (raters - float((size**2).sum()) / raters) / (count - 1)
    low, high = _williams(msb, msw, each, count, raters, level)
    found = math.sqrt(max((msb - msw) / each, 0.0))
    note = "" if msb > msw else "no more than between raters of one snapshot"
    return SnapshotSpread(found, low, high, math.sqrt(msw), count, raters, each, level, note=note)


def _williams(msb: float, msw: float, each: float, count: int, raters: int, level: float) -> tuple[float, float]:
    df, rest, tail = count - 1, raters - count, (1 - level) / 2
    limits = [
        df * (msb - float(special.fdtri(df, rest, share)) * msw) / (each * float(special.chdtri(df, 1 - share)))
        for share in (1 - tail, tail)
    ]
    return math.sqrt(max(limits[0], 0.0)), math.sqrt(max(limits[1], 0.0))
