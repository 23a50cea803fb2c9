"""Resampling raters for alpha, without the pairs that a rater would form with a copy of themselves.

A rater drawn twice agrees with themselves on everything. Counting those pairs lifts alpha, by about 0.1 with ten
raters, so they are taken out: of a unit, (Σw)² − Σw² pairs remain where w counts how often each rater was drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.alpha import alpha_of
from analysis.agreement.matrix import SCALE_POINTS, Floats, rated

CHUNK = 500  # replicates at once: a study of 60 raters and 25 objects then needs some megabytes


def rater_bootstrap(
    ratings: ArrayLike, generator: np.random.Generator, replicates: int = 1000, measure: str = "ordinal",
    categories: Sequence[int] = SCALE_POINTS, *, self_pairs: bool = False,
) -> Floats:  # fmt: skip
    """Alpha of bootstrap samples of raters, shape (replicates,); NaN where a sample has no variation.

    ratings: shape (raters, units), NaN = missing. self_pairs: keep a rater's pairs with their copies, which is
    biased; only to show by how much. Raises ValueError for ratings without two raters who share a unit.
    """
    given = rated(ratings, categories)
    if given.raters < 2:
        raise ValueError("resampling raters needs two who rated the same object; report the ratings without interval")
    chosen = given.chosen[given.paired]
    raters, units, points = chosen.shape
    flat = chosen.reshape(raters, units * points)
    found = []
    for start in range(0, replicates, CHUNK):
        drawn = _times_drawn(generator, min(CHUNK, replicates - start), raters)
        weights = (drawn @ flat).reshape(-1, units, points)
        squares = weights if self_pairs else (drawn**2 @ flat).reshape(-1, units, points)
        found.append(alpha_of(weights, squares, given.values, measure))
    return np.concatenate(found) if found else np.zeros(0)


def _times_drawn(generator: np.random.Generator, replicates: int, raters: int) -> Floats:
    """How often each rater is in each sample, shape (replicates, raters)."""
    places = generator.integers(0, raters, size=(replicates, raters))
    places += raters * np.arange(replicates)[:, None]
    return np.bincount(places.ravel(), minlength=replicates * raters).reshape(replicates, raters).astype(float)
