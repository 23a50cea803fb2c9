"""How alike raters rate: Krippendorff's alpha, percent agreement, weighted kappa.

The categories are always the whole scale, never the ones that happen to occur. A missing rating is no category.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
NO_VARIATION = "not defined – ratings do not vary"
TOO_FEW = "not defined – no object has two ratings"


@dataclass(frozen=True)
class Agreement:
    """A coefficient, or None with the reason. `percent`: share of agreeing pairs, averaged over units.

    units: those with at least two ratings; dropped: those with one; raters: those who rated such a unit.
    """

    value: float | None
    reason: str
    percent: float | None
    units: int
    dropped: int
    raters: int


def krippendorff_alpha(
    ratings: ArrayLike, measure: str = "ordinal", categories: Sequence[int] = (1, 2, 3, 4, 5)
) -> Agreement:
    """Alpha = 1 − D_o/D_e (Krippendorff 2011, Computing Krippendorff's alpha-reliability).

    ratings: shape (raters, units), NaN = missing. measure: nominal, ordinal or interval.
    """
    matrix = _matrix(ratings, categories)
    counts = np.stack([(matrix == category).sum(axis=0) for category in categories], axis=1).astype(float)
    given = counts.sum(axis=1)
    paired = given >= 2
    raters = int((~np.isnan(matrix[:, paired])).any(axis=1).sum())
    sizes = (int(paired.sum()), int((given == 1).sum()), raters)
    if not paired.any():
        return Agreement(None, TOO_FEW, None, *sizes)
    counts, given = counts[paired], given[paired]
    percent = _percent(counts, given)
    coincidences = _coincidences(counts, given)
    totals = coincidences.sum(axis=0)
    distance = _distances(totals, np.asarray(categories, dtype=float), measure)
    n = totals.sum()
    observed = float((coincidences * distance).sum()) / n
    expected = float((np.outer(totals, totals) * distance).sum()) / (n * (n - 1))
    if expected == 0:
        return Agreement(None, NO_VARIATION, percent, *sizes)
    return Agreement(float(1 - observed / expected), "", percent, *sizes)


def _matrix(ratings: ArrayLike, categories: Sequence[int]) -> Floats:
    matrix = np.asarray(ratings, dtype=float)
    if matrix.ndim != 2:
        raise ValueError(f"ratings must have the shape (raters, units), not {matrix.shape}")
    strange = ~(np.isnan(matrix) | np.isin(matrix, categories))
    if strange.any():
        raise ValueError(f"{matrix[strange][0]} is not one of the categories {tuple(categories)}")
    return matrix


def _percent(counts: Floats, given: Floats) -> float:
    agreeing = (counts * (counts - 1)).sum(axis=1)
    return float((agreeing / (given * (given - 1))).mean())


def _coincidences(counts: Floats, given: Floats) -> Floats:
    """o_ck = Σ_u n_uc(n_uk − [c = k])/(m_u − 1), shape (categories, categories)."""
    weights = counts / (given - 1)[:, None]
    pairs: Floats = weights.T @ counts - np.diag(weights.sum(axis=0))
    return pairs


def _distances(totals: Floats, values: Floats, measure: str) -> Floats:
    """Squared distances δ²_ck. Ordinal: (Σ_{g=c..k} n_g − (n_c + n_k)/2)²."""
    if measure == "nominal":
        nominal: Floats = 1.0 - np.eye(len(values))
        return nominal
    if measure == "interval":
        interval: Floats = (values[:, None] - values[None, :]) ** 2
        return interval
    if measure == "ordinal":
        middle = np.cumsum(totals) - totals / 2
        ordinal: Floats = (middle[:, None] - middle[None, :]) ** 2
        return ordinal
    raise ValueError(f"measure is {measure!r}; give nominal, ordinal or interval")


def weighted_kappa(
    first: Sequence[int], second: Sequence[int], categories: Sequence[int] = (1, 2, 3, 4, 5)
) -> Agreement:
    """Cohen's kappa of two raters with quadratic weights on the true distances of the scale (Cohen 1968)."""
    if len(first) != len(second):
        raise ValueError("the two raters must have rated the same units, in the same order")
    matrix = _matrix(np.array([first, second], dtype=float).reshape(2, -1), categories)
    if np.isnan(matrix).any():
        raise ValueError("weighted kappa needs both ratings of every unit; leave out units with one")
    n = matrix.shape[1]
    if n == 0:
        return Agreement(None, TOO_FEW, None, 0, 0, 0)
    places = {float(category): place for place, category in enumerate(categories)}
    table = np.zeros((len(categories), len(categories)))
    for a, b in matrix.T:
        table[places[float(a)], places[float(b)]] += 1 / n
    values = np.asarray(categories, dtype=float)
    distance = (values[:, None] - values[None, :]) ** 2
    expected = float((np.outer(table.sum(axis=1), table.sum(axis=0)) * distance).sum())
    percent = float(np.trace(table))
    if expected == 0:
        return Agreement(None, NO_VARIATION, percent, n, 0, 2)
    return Agreement(1 - float((table * distance).sum()) / expected, "", percent, n, 0, 2)
