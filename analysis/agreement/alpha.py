"""Krippendorff's alpha: one minus observed over expected disagreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.found import NO_VARIATION, RATERS, TOO_FEW, Agreement
from analysis.agreement.jackknife import jackknife
from analysis.agreement.matrix import SCALE_POINTS, Floats, percent_agreement, rated, ratio

MEASURES = ("nominal", "ordinal", "interval", "ratio")


def krippendorff_alpha(
    ratings: ArrayLike, measure: str = "ordinal", categories: Sequence[int] = SCALE_POINTS, level: float = 0.95
) -> Agreement:
    """Alpha = 1 − D_o/D_e (Krippendorff 2011, Computing Krippendorff's alpha-reliability).

    ratings: shape (raters, units), NaN = missing. measure: nominal, ordinal, interval or ratio. The interval is the
    jackknife over raters: units are fixed, raters the sample.
    """
    if measure not in MEASURES:
        raise ValueError(f"measure is {measure!r}; give nominal, ordinal, interval or ratio")
    given = rated(ratings, categories)
    sizes = (given.units, given.dropped, given.raters)
    name = f"Krippendorff's alpha, {measure}"
    if not given.units:
        return Agreement(None, TOO_FEW, None, *sizes, name, level=level)
    counts = given.counts
    percent = float(percent_agreement(counts, np.eye(len(given.values))))
    value = float(alpha_of(counts, counts, given.values, measure))
    if np.isnan(value):
        return Agreement(None, NO_VARIATION, percent, *sizes, name, level=level)
    without = given.counts_without_each
    spread = jackknife(value, alpha_of(without, without, given.values, measure), level)
    return Agreement(
        value, "", percent, *sizes, name, None, spread.se, spread.low, spread.high, level, RATERS, note=spread.note
    )


def alpha_of(weights: Floats, squares: Floats, values: Floats, measure: str) -> Floats:
    """Alpha of counts, or of counts that raters enter with weights; NaN where it is not defined.

    weights, squares: shape (…, units, categories), Σw and Σw² of the raters who chose the category. Plain counts
    have both alike. With a bootstrap's weights the squares take out the pairs a rater would form with a copy of
    themselves: m(m − 1) becomes (Σw)² − Σw².
    """
    together = weights.sum(axis=-1)
    pairs = together**2 - squares.sum(axis=-1)
    paired = pairs > 0
    share = np.divide(together, pairs, out=np.zeros_like(pairs), where=paired)[..., None]
    coincidences = np.swapaxes(weights * share, -1, -2) @ weights
    coincidences -= (squares * share).sum(axis=-2)[..., None, :] * np.eye(len(values))
    totals = coincidences.sum(axis=-1)
    distance = distances(totals, values, measure)
    n = np.where(paired, together, 0).sum(axis=-1)
    selves = np.where(paired, squares.sum(axis=-1), 0).sum(axis=-1)
    disagreeing = (coincidences * distance).sum(axis=(-1, -2)) * (n**2 - selves)
    possible = (totals[..., :, None] * totals[..., None, :] * distance).sum(axis=(-1, -2)) * n
    varied = possible > 1e-9
    return np.asarray(1 - ratio(disagreeing, possible, varied))


def distances(totals: Floats, values: Floats, measure: str) -> Floats:
    """Squared distances δ²_ck, shape (…, categories, categories). Ordinal: (Σ_{g=c..k} n_g − (n_c + n_k)/2)²."""
    if measure == "ordinal":
        middle = np.cumsum(totals, axis=-1) - totals / 2
        return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)
    apart = values[:, None] - values[None, :]
    if measure == "interval":
        return np.asarray(apart**2)
    if measure == "ratio":
        both = values[:, None] + values[None, :]
        return np.asarray(np.divide(apart, both, out=np.zeros_like(apart), where=both != 0) ** 2)
    return np.asarray((apart != 0).astype(float))
