"""Agreement of people with themselves: the same Org rated twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.cohen import cross_table, kappa_of
from analysis.agreement.found import NO_VARIATION, RATERS
from analysis.agreement.jackknife import Jackknife, jackknife
from analysis.agreement.matrix import SCALE_POINTS, Floats
from analysis.agreement.weights import agreement_weights

NO_PAIR = "not defined – nothing was rated twice by the same person"


@dataclass(frozen=True)
class Retest:
    """Kappa with quadratic weights over all pairs of first and second rating, or None with the reason.

    n: pairs; raters: the people who gave them. percent, within_one: shares of pairs that are equal, at most one
    point apart. change: mean of second less first, in points. Intervals are jackknives over raters, None where there
    is none; `note` is about that of kappa.
    """

    value: float | None
    reason: str
    n: int
    raters: int
    level: float
    low: float | None = None
    high: float | None = None
    se: float | None = None
    interval: str = ""
    percent: float | None = None
    percent_low: float | None = None
    percent_high: float | None = None
    within_one: float | None = None
    change: float | None = None
    note: str = ""


def retest_agreement(
    first: ArrayLike, second: ArrayLike, raters: Sequence[str], categories: Sequence[int] = SCALE_POINTS,
    level: float = 0.95,
) -> Retest:  # fmt: skip
    """first, second: shape (pairs,), the two ratings of the same thing by the same person; raters: who that was.

    Raises ValueError when the three differ in length.
    """
    before, after = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not before.shape == after.shape == (len(raters),):
        raise ValueError("first, second and raters must be of one length, one entry per pair")
    people = list(dict.fromkeys(raters))
    if not people:
        return Retest(None, NO_PAIR, 0, 0, level)
    tables = _tables(before, after, np.array([people.index(name) for name in raters]), len(people), categories)
    whole, weights = tables.sum(axis=0), agreement_weights("quadratic", categories)
    same = Retest(
        None, NO_VARIATION, len(before), len(people), level, percent=float((before == after).mean()),
        within_one=float((np.abs(before - after) <= 1).mean()), change=float((after - before).mean()),
    )  # fmt: skip
    share = _percent_interval(tables, same.percent or 0.0, level)
    same = replace(same, percent_low=share.low, percent_high=share.high)
    value = float(kappa_of(whole, weights))
    if np.isnan(value):
        return same
    spread = jackknife(value, kappa_of(whole - tables, weights), level)
    return replace(
        same, value=value, reason="", se=spread.se, low=spread.low, high=spread.high, interval=RATERS, note=spread.note
    )


def _tables(before: Floats, after: Floats, people: ArrayLike, number: int, categories: Sequence[int]) -> Floats:
    """Per person the pairs of answers, shape (people, categories, categories)."""
    place = np.asarray(people)
    return np.stack([cross_table(before[place == one], after[place == one], categories) for one in range(number)])


def _percent_interval(tables: Floats, share: float, level: float) -> Jackknife:
    equal, pairs = np.trace(tables, axis1=1, axis2=2), tables.sum(axis=(1, 2))
    left = pairs.sum() - pairs
    without = np.divide(equal.sum() - equal, left, out=np.full(left.shape, np.nan), where=left > 0)
    return jackknife(share, without, level)
