"""Known groups: cards without a fault against cards with one, rater by rater (M6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.comparing.signs import sign_flip
from analysis.comparisons import Mean, mean_score


def auc(clean: ArrayLike, broken: ArrayLike) -> float | None:
    """Area under the curve: P(clean rated higher) + ½·P(equal). Gaps (NaN) are left out; None if a side is empty."""
    x, y = _given(clean), _given(broken)
    if not len(x) or not len(y):
        return None
    above = np.sign(x[:, None] - y[None, :])
    return float((above + 1).mean() / 2)


def difference(clean: ArrayLike, broken: ArrayLike) -> float | None:
    """Mean of the clean cards less mean of the broken ones, in scale points; None if a side is empty."""
    x, y = _given(clean), _given(broken)
    return float(x.mean() - y.mean()) if len(x) and len(y) else None


def _given(values: ArrayLike) -> NDArray[np.float64]:
    data = np.asarray(values, dtype=float)
    given: NDArray[np.float64] = data[np.isfinite(data)]
    return given


@dataclass(frozen=True)
class Anchors:
    """What a set of anchors tells of the raters. p: two-sided sign-flip test of the differences, None for none."""

    difference: Mean
    p: float | None
    test: str
    area: Mean
    raters: int


def known_groups(
    clean: Sequence[ArrayLike],
    broken: Sequence[ArrayLike],
    rng: np.random.Generator,
    replicates: int = 9_999,
    level: float = 0.95,
) -> Anchors:
    """One entry per rater in both lists: the scores of the clean cards, and of the broken ones.

    D_i = mean(clean) − mean(broken) with t over raters and a sign-flip test; AUC per rater, then averaged.
    """
    pairs = [(difference(x, y), auc(x, y)) for x, y in zip(clean, broken, strict=True)]
    gaps = [gap for gap, _ in pairs if gap is not None]
    areas = [area for _, area in pairs if area is not None]
    flipped = sign_flip(gaps, rng, replicates)
    return Anchors(mean_score(gaps, level), flipped.p, flipped.test, mean_score(areas, level), len(gaps))


@dataclass(frozen=True)
class Grade:
    """Cards with faults of one size; 0 has none. mean: over raters of each rater's mean, in scale points."""

    grade: int
    mean: Mean
    ratings: int


@dataclass(frozen=True)
class DoseResponse:
    """Means by size of the fault, and the slope: scale points lost or won per size, one slope per rater, then t."""

    grades: tuple[Grade, ...]
    slope: Mean


def dose_response(raters: ArrayLike, grades: ArrayLike, scores: ArrayLike, level: float = 0.95) -> DoseResponse:
    """raters, grades, scores: shape (ratings,); raters as whole numbers from 0, scores without gaps."""
    who, size = np.asarray(raters, dtype=int), np.asarray(grades, dtype=int)
    y = np.asarray(scores, dtype=float)
    found = []
    for grade in sorted(set(size.tolist())):
        chosen = size == grade
        count = np.bincount(who[chosen])
        mean = np.bincount(who[chosen], y[chosen])[count > 0] / count[count > 0]
        found.append(Grade(int(grade), mean_score(mean.tolist(), level), int(chosen.sum())))
    return DoseResponse(tuple(found), mean_score(_slopes(who, size.astype(float), y), level))


def _slopes(who: NDArray[np.int_], x: NDArray[np.float64], y: NDArray[np.float64]) -> list[float]:
    """Least squares within each rater who met cards of more than one size."""
    if not len(who):
        return []
    n = np.bincount(who)
    safe = np.maximum(n, 1)
    x_own = x - (np.bincount(who, x) / safe)[who]
    spread = np.bincount(who, x_own**2)
    product = np.bincount(who, x_own * y)
    return [float(value) for value in product[spread > 0] / spread[spread > 0]]
