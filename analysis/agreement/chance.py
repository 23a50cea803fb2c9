"""Coefficients (p_a − p_e)/(1 − p_e) for any number of raters: Gwet's AC1 and AC2, Brennan–Prediger, Fleiss' kappa.

They share the observed agreement p_a and differ in the agreement p_e that chance would give (Gwet 2014, Handbook of
inter-rater reliability, 4th edition). A unit with one rating tells how often categories are used and enters p_e only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.agreement.found import NO_VARIATION, RATERS, TOO_FEW, Agreement
from analysis.agreement.jackknife import jackknife
from analysis.agreement.matrix import SCALE_POINTS, Floats, percent_agreement, rated, ratio
from analysis.agreement.weights import agreement_weights

Chance = Callable[[Floats, Floats], Floats]


def gwet_ac(
    ratings: ArrayLike, weights: str = "ordinal", categories: Sequence[int] = SCALE_POINTS, level: float = 0.95
) -> Agreement:
    """Gwet's AC2, or AC1 with identity weights. ratings: shape (raters, units), NaN = missing.

    p_e = T_w/(q(q − 1))·Σπ_c(1 − π_c). It is 1 where all ratings are equal: the scale is fixed, so the answers
    could have differed. The interval is the jackknife over raters; Gwet's own standard error stands in `unit_se`.
    """
    name = "Gwet's AC1" if weights == "identity" else f"Gwet's AC2, {weights} weights"
    found = _coefficient(ratings, weights, categories, level, name, gwet_chance)
    return found if found.value is None else _with_unit_se(found, ratings, weights, categories)


def brennan_prediger(
    ratings: ArrayLike, weights: str = "identity", categories: Sequence[int] = SCALE_POINTS, level: float = 0.95
) -> Agreement:
    """Brennan and Prediger (1981): chance is an even draw from the scale, p_e = T_w/q²."""
    name = "Brennan–Prediger" if weights == "identity" else f"Brennan–Prediger, {weights} weights"
    return _coefficient(ratings, weights, categories, level, name, _even_chance)


def fleiss_kappa(
    ratings: ArrayLike, weights: str = "identity", categories: Sequence[int] = SCALE_POINTS, level: float = 0.95
) -> Agreement:
    """Fleiss (1971), with missing ratings as Gwet (2014) extends it: p_e = Σ w_kl·π_k·π_l."""
    name = "Fleiss' kappa" if weights == "identity" else f"Fleiss' kappa, {weights} weights"
    return _coefficient(ratings, weights, categories, level, name, _used_chance)


def _coefficient(
    ratings: ArrayLike, weights: str, categories: Sequence[int], level: float, name: str, chance: Chance
) -> Agreement:
    matrix = agreement_weights(weights, categories)
    given = rated(ratings, categories)
    sizes = (given.units, given.dropped, given.raters)
    if not given.units:
        return Agreement(None, TOO_FEW, None, *sizes, name, level=level)
    counts = given.counts
    percent = float(percent_agreement(counts, np.eye(len(matrix))))
    near = None if weights == "identity" else float(percent_agreement(counts, matrix))
    value = float(corrected(counts, matrix, chance))
    if np.isnan(value):
        return Agreement(None, NO_VARIATION, percent, *sizes, name, near, level=level)
    spread = jackknife(value, corrected(given.counts_without_each, matrix, chance), level)
    return Agreement(
        value, "", percent, *sizes, name, near, spread.se, spread.low, spread.high, level, RATERS, note=spread.note
    )


def corrected(counts: Floats, weights: Floats, chance: Chance) -> Floats:
    """(p_a − p_e)/(1 − p_e) of counts, shape (…, units, categories); NaN where it is not defined."""
    observed = percent_agreement(counts, weights)
    expected = chance(usage(counts), weights)
    left = 1 - expected
    room = (left > 1e-12) & ~np.isnan(observed)
    return ratio(observed - expected, left, room)


def usage(counts: Floats) -> Floats:
    """π_c: mean over units with a rating of the share of their ratings in category c, shape (…, categories)."""
    given = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, given, out=np.zeros_like(counts), where=given > 0)
    number = np.maximum((given > 0).sum(axis=-2), 1)
    return np.asarray(shares.sum(axis=-2) / number, dtype=float)


def gwet_chance(used: Floats, weights: Floats) -> Floats:
    q = len(weights)
    return np.asarray(weights.sum() / (q * (q - 1)) * (used * (1 - used)).sum(axis=-1))


def _even_chance(used: Floats, weights: Floats) -> Floats:
    return np.full(used.shape[:-1], weights.sum() / len(weights) ** 2)


def _used_chance(used: Floats, weights: Floats) -> Floats:
    return np.asarray(((used @ weights) * used).sum(axis=-1))


def _with_unit_se(found: Agreement, ratings: ArrayLike, weights: str, categories: Sequence[int]) -> Agreement:
    """Gwet's variance for AC, units sampled: Σ(AC*_u − AC)²/(n(n − 1)), t_{n−1} (Gwet 2014, chapter 5)."""
    matrix = agreement_weights(weights, categories)
    counts = rated(ratings, categories).counts
    counts = counts[counts.sum(axis=1) > 0]
    n = len(counts)
    if n < 2 or found.value is None:
        return found
    given, used, q = counts.sum(axis=1), usage(counts), len(matrix)
    paired = given >= 2
    agreeing = (counts * (counts @ matrix.T - 1)).sum(axis=1)
    shares = np.divide(agreeing, given * (given - 1), out=np.zeros(n), where=paired)
    expected = float(gwet_chance(used, matrix))
    of_unit = n / paired.sum() * (shares - expected * paired) / (1 - expected)
    chance_of_unit = matrix.sum() / (q * (q - 1)) * (counts @ (1 - used)) / given
    of_unit = of_unit - 2 * (1 - found.value) * (chance_of_unit - expected) / (1 - expected)
    se = math.sqrt(float(((of_unit - found.value) ** 2).sum()) / (n * (n - 1)))
    if se < 1e-12:
        return found
    reach = float(special.stdtrit(n - 1, 0.5 + found.level / 2)) * se
    low, high = found.value - reach, min(found.value + reach, 1.0)
    return replace(found, unit_se=se, unit_low=low, unit_high=high)
