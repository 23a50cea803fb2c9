"""Patterns within one rater's answers: longest run, spread, agreement with the others.

None of these looks at how high somebody rated: mirroring the scale (1 and 5, 2 and 4 change places) changes nothing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
FEWEST_SHARED = 3
"""Answers in common that a correlation needs."""


def longstring(answers: ArrayLike) -> int | None:
    """Longest run of equal answers in the order shown; a gap (NaN) is skipped and breaks no run. None for no answer.

    Johnson (2005). answers: shape (items,).
    """
    given = _given(answers)
    if not len(given):
        return None
    starts = np.flatnonzero(np.concatenate([[True], given[1:] != given[:-1]]))
    return int(np.diff(np.append(starts, len(given))).max())


def irv(answers: ArrayLike) -> float | None:
    """Intra-individual response variability: the standard deviation of one rater's answers (Dunn et al. 2018).

    0 when all are equal; None under two answers.
    """
    given = _given(answers)
    return float(given.std(ddof=1)) if len(given) > 1 else None


def robust_z(values: ArrayLike) -> Floats:
    """(x − median)/(1.4826·MAD), shape (raters,); gaps stay gaps, and all are 0 where the MAD is 0."""
    x = np.asarray(values, dtype=float)
    given = x[np.isfinite(x)]
    if not len(given):
        return np.full(len(x), np.nan)
    centre = float(np.median(given))
    spread = 1.4826 * float(np.median(np.abs(given - centre)))
    result: Floats = (x - centre) / spread if spread > 0 else np.where(np.isfinite(x), 0.0, np.nan)
    return result


def person_total(ratings: ArrayLike) -> list[float | None]:
    """Correlation of each rater's answers with the means of the others (Curran 2016).

    ratings: shape (raters, objects), NaN for none. None where under three objects are shared or either side is flat.
    """
    x = np.asarray(ratings, dtype=float)
    there = np.isfinite(x)
    filled = np.where(there, x, 0.0)
    others = there.sum(axis=0) - there
    mean = np.divide(filled.sum(axis=0) - filled, others, out=np.full(x.shape, np.nan), where=others > 0)
    return [_correlation(own[both], rest[both]) for own, rest, both in zip(x, mean, there & (others > 0), strict=True)]


def _correlation(x: Floats, y: Floats) -> float | None:
    if len(x) < FEWEST_SHARED:
        return None
    a, b = x - x.mean(), y - y.mean()
    size = float(np.sqrt((a**2).sum() * (b**2).sum()))
    # Sums of equal means differ by rounding only; that is no spread.
    return float((a * b).sum()) / size if size > 1e-9 else None


def _given(answers: ArrayLike) -> Floats:
    data = np.asarray(answers, dtype=float)
    given: Floats = data[np.isfinite(data)]
    return given
