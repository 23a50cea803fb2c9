"""Rows of ratings unlike those of the others: outfit, and Mahalanobis distance where there are people enough for it.

None of these looks at how high somebody rated: mirroring the scale changes no value.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
FEWEST_RATED = 3
PEOPLE_PER_OBJECT = 3
"""Complete people per object from which a covariance is known well enough."""
FEWEST_PEOPLE = 5
POINT = 0.99
"""Of the chi-squared distribution; whoever lies beyond is unusual (Meade and Craig 2012)."""


def mahalanobis(ratings: ArrayLike) -> list[float | None]:
    """D² of each row from the mean of all with the covariance of all, chi-squared on J degrees of freedom.

    ratings: shape (raters, objects), NaN for none. None for rows with a gap, and for all where the covariance of the
    complete ones is singular, as with no more people than objects.
    """
    x = np.asarray(ratings, dtype=float)
    whole = np.isfinite(x).all(axis=1)
    found: list[float | None] = [None] * len(x)
    n, objects = int(whole.sum()), x.shape[1]
    if n <= objects or objects == 0:
        return found
    centred = x[whole] - x[whole].mean(axis=0)
    covariance = centred.T @ centred / (n - 1)
    if np.linalg.matrix_rank(covariance) < objects:
        return found
    squared = (centred * np.linalg.solve(covariance, centred.T).T).sum(axis=1)
    for place, value in zip(np.flatnonzero(whole), squared, strict=True):
        found[place] = float(value)
    return found


def outfit(ratings: ArrayLike) -> list[float | None]:
    """Mean squared standardised residual of each row from y = rater + object, fitted by least squares to what is there.

    z² = e²/(s²(1 − h)) with h the leverage and s² the residual variance; about 1 for who rates as the others do, at a
    level of their own (Wright and Masters 1982, with a linear model). ratings: shape (raters, objects), NaN for none.
    None for under three ratings, and for all where the fit leaves no residual.
    """
    x = np.asarray(ratings, dtype=float)
    rows, columns = np.nonzero(np.isfinite(x))
    found: list[float | None] = [None] * len(x)
    if not len(rows):
        return found
    y = x[rows, columns]
    basis = _basis(np.hstack([np.eye(len(x))[rows], np.eye(x.shape[1])[columns]]))
    residual, left = y - basis @ (basis.T @ y), 1 - (basis**2).sum(axis=1)
    df = len(y) - basis.shape[1]
    if df < 1 or float((residual**2).sum()) < 1e-12:
        return found
    variance, free = float((residual**2).sum()) / df, left > 1e-9
    squared = np.divide(residual**2, variance * left, out=np.zeros_like(y), where=free)
    counts, sums = np.bincount(rows[free], minlength=len(x)), np.bincount(rows, squared, minlength=len(x))
    return [float(total / n) if n >= FEWEST_RATED else None for total, n in zip(sums, counts, strict=True)]


def _basis(design: Floats) -> Floats:
    """Orthonormal columns that span the design."""
    left, values, _ = np.linalg.svd(design, full_matrices=False)
    kept: Floats = left[:, values > 1e-9 * values[0]]
    return kept


def unusual(ratings: ArrayLike) -> list[bool | None]:
    """n times outfit beyond the .99 point of chi-squared on n; with three complete people per object or more, D² too.

    None where neither can be said, as among under five people.
    """
    x = np.asarray(ratings, dtype=float)
    given = np.isfinite(x)
    if int(given.any(axis=1).sum()) < FEWEST_PEOPLE:
        return [None] * len(x)
    n = given.sum(axis=1)
    found = beyond([None if value is None else value * own for value, own in zip(outfit(x), n, strict=True)], n)
    if int(given.all(axis=1).sum()) < PEOPLE_PER_OBJECT * x.shape[1]:
        return found
    far = beyond(mahalanobis(x), np.full(len(x), x.shape[1]))
    return [two if one is None else one or bool(two) for one, two in zip(found, far, strict=True)]


def beyond(values: Sequence[float | None], df: NDArray[np.int_]) -> list[bool | None]:
    """Whether each value lies over the .99 point of chi-squared on its degrees of freedom; shapes (raters,)."""
    limits = special.chdtri(df, 1 - POINT)
    return [None if value is None else bool(value > limit) for value, limit in zip(values, limits, strict=True)]
