"""Ratings as a matrix (raters, units) on a fixed scale, and as counts per unit and category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
SCALE_POINTS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Rated:
    """Ratings ready to be counted.

    matrix: shape (raters, units), NaN = missing. counts: ratings per unit and category, shape (units, categories).
    paired: shape (raters,), whether the rater shares a unit with anybody. values: the categories. units, dropped:
    units with two ratings, with one.
    """

    matrix: Floats
    counts: Floats
    paired: NDArray[np.bool_]
    values: Floats
    units: int
    dropped: int

    @property
    def raters(self) -> int:
        return int(self.paired.sum())

    @cached_property
    def chosen(self) -> Floats:
        """1 where that rater gave that unit that category, shape (raters, units, categories)."""
        return np.asarray(self.matrix[:, :, None] == self.values, dtype=float)

    @property
    def counts_without_each(self) -> Floats:
        """The counts as they were without each paired rater in turn, shape (raters, units, categories)."""
        return np.asarray(self.counts[None] - self.chosen[self.paired], dtype=float)


def rated(ratings: ArrayLike, categories: Sequence[int]) -> Rated:
    """ratings: shape (raters, units), NaN = missing. Raises ValueError for another shape or a value off the scale."""
    matrix, values = np.asarray(ratings, dtype=float), np.asarray(categories, dtype=float)
    given = ~np.isnan(matrix)
    raters = given.sum(axis=0)
    counts = np.asarray((matrix == values[:, None, None]).sum(axis=-2).T, dtype=float)
    if matrix.ndim != 2 or counts.sum() != raters.sum():
        rating_matrix(ratings, categories)
    paired = np.asarray(given[:, raters >= 2].any(axis=1), dtype=bool)
    return Rated(matrix, counts, paired, values, int((raters >= 2).sum()), int((raters == 1).sum()))


def rating_matrix(ratings: ArrayLike, categories: Sequence[int]) -> Floats:
    """The ratings as floats. Raises ValueError for another shape or a value that is no category."""
    matrix = np.asarray(ratings, dtype=float)
    if matrix.ndim != 2:
        raise ValueError(f"ratings must have the shape (raters, units), not {matrix.shape}")
    known = np.isnan(matrix)
    for category in categories:
        known |= matrix == category
    if not known.all():
        raise ValueError(f"{matrix[~known][0]} is not one of the categories {tuple(categories)}")
    return matrix


def ratio(part: ArrayLike, whole: ArrayLike, defined: ArrayLike) -> Floats:
    """part/whole where it is defined and NaN elsewhere, for arrays of replicates; never a warning."""
    below = np.asarray(whole, dtype=float)
    where = np.asarray(defined, dtype=bool)
    shares = np.divide(np.asarray(part, dtype=float), below, out=np.full(below.shape, np.nan), where=where)
    return np.asarray(shares, dtype=float)


def percent_agreement(counts: Floats, weights: Floats) -> Floats:
    """p_a: mean over units with two ratings of Σ_c r_uc(r*_uc − 1)/(r_u(r_u − 1)), r* = W r (Gwet 2014).

    counts: shape (…, units, categories); weights: (categories, categories), ones on the diagonal. NaN where no unit
    has two ratings.
    """
    given = counts.sum(axis=-1)
    agreeing = (counts * (counts @ weights.T - 1)).sum(axis=-1)
    paired = given >= 2
    shares = np.divide(agreeing, given * (given - 1), out=np.zeros_like(given), where=paired)
    number = paired.sum(axis=-1)
    return ratio(shares.sum(axis=-1), number, number > 0)
