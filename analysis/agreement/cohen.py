"""Cohen's kappa of two raters, unweighted or weighted, with its asymptotic standard error."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import special

from analysis.agreement.found import NO_VARIATION, TOO_FEW, Agreement
from analysis.agreement.matrix import SCALE_POINTS, Floats, rating_matrix, ratio
from analysis.agreement.weights import agreement_weights

ASYMPTOTIC = "asymptotic standard error (Fleiss, Cohen and Everitt 1969)"


def weighted_kappa(
    first: Sequence[float], second: Sequence[float], categories: Sequence[int] = SCALE_POINTS,
    weights: str = "quadratic", level: float = 0.95,
) -> Agreement:  # fmt: skip
    """Cohen (1968): kappa of two raters with weights on the true distances of the scale.

    weights: identity (Cohen 1960), linear, quadratic or ordinal. Raises ValueError for ratings of different units,
    missing ones, or values off the scale.
    """
    if len(first) != len(second):
        raise ValueError("the two raters must have rated the same units, in the same order")
    matrix = rating_matrix(np.array([first, second], dtype=float).reshape(2, -1), categories)
    if np.isnan(matrix).any():
        raise ValueError("weighted kappa needs both ratings of every unit; leave out units with one")
    name = "Cohen's kappa" if weights == "identity" else f"Cohen's kappa, {weights} weights"
    n = matrix.shape[1]
    if n == 0:
        return Agreement(None, TOO_FEW, None, 0, 0, 0, name, level=level)
    kind = agreement_weights(weights, categories)
    table = cross_table(matrix[0], matrix[1], categories)
    percent = float(np.trace(table)) / n
    near = None if weights == "identity" else float((table * kind).sum()) / n
    value = float(kappa_of(table, kind))
    if np.isnan(value):
        return Agreement(None, NO_VARIATION, percent, n, 0, 2, name, near, level=level)
    se = asymptotic_se(table, kind)
    if se < 1e-12:
        why = "the two agree everywhere" if value > 1 - 1e-12 else "one of the two never varies"
        note = f"interval not estimable – {why}"
        return Agreement(value, "", percent, n, 0, 2, name, near, level=level, note=note)
    reach = float(special.ndtri(0.5 + level / 2)) * se
    low, high = value - reach, min(value + reach, 1.0)
    return Agreement(value, "", percent, n, 0, 2, name, near, se, low, high, level, ASYMPTOTIC)


def cross_table(first: Floats, second: Floats, categories: Sequence[int]) -> Floats:
    """Counts of pairs of answers on the whole scale, shape (categories, categories)."""
    values = np.asarray(categories, dtype=float)
    return np.asarray((first[:, None] == values).T.astype(float) @ (second[:, None] == values), dtype=float)


def kappa_of(tables: Floats, weights: Floats) -> Floats:
    """1 − (1 − p_o)/(1 − p_e) of tables of counts, shape (…, categories, categories); NaN where it is not defined."""
    n = tables.sum(axis=(-1, -2), keepdims=True)
    shares = np.divide(tables, n, out=np.zeros_like(tables), where=n > 0)
    by_chance = shares.sum(axis=-1)[..., :, None] * shares.sum(axis=-2)[..., None, :]
    apart = 1 - weights
    expected = (by_chance * apart).sum(axis=(-1, -2))
    observed = (shares * apart).sum(axis=(-1, -2))
    varied = expected > 1e-12
    return np.asarray(1 - ratio(observed, expected, varied))


def asymptotic_se(table: Floats, weights: Floats) -> float:
    """The standard error for a kappa that is not 0 (Fleiss, Cohen and Everitt 1969). table: counts."""
    n = float(table.sum())
    shares = table / n
    of_first, of_second = shares.sum(axis=1), shares.sum(axis=0)
    observed = float((shares * weights).sum())
    expected = float(of_first @ weights @ of_second)
    usual = (weights @ of_second)[:, None] + (of_first @ weights)[None, :]
    spread = float((shares * (weights * (1 - expected) - usual * (1 - observed)) ** 2).sum())
    spread -= (observed * expected - 2 * expected + observed) ** 2
    # A variance of 0 comes out of the subtraction as a little less or more.
    spread = spread if spread > 1e-14 else 0.0
    return math.sqrt(spread / n) / (1 - expected) ** 2
