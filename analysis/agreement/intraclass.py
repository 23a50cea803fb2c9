"""Intraclass correlations: how reliable one rating is, and the mean of k raters (Shrout and Fleiss 1979).

They take the five points as equally far apart and need a rectangle without gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.agreement.found import NO_VARIATION, RATERS
from analysis.agreement.jackknife import jackknife
from analysis.agreement.matrix import Floats, ratio

NO_RECTANGLE = "not defined – without gaps, two objects and two raters do not remain"
UNDER_NOUGHT = "no interval – below 0 the reliability of a mean only says that none was found"
BELOW_CHANCE = "not defined – objects differ less than raters disagree on them"
FORMS = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")


@dataclass(frozen=True)
class Reliability:
    """One form of the coefficient, or None with the reason.

    objects, raters: the rectangle without gaps it rests on; `kept` says how it was chosen. se, low, high: jackknife
    over raters (forms with k by Spearman–Brown from the limits of the single form, cut at 0). f_low, f_high: the
    interval of McGraw and Wong (1996) for ICC(2,1) and ICC(2,k), which holds for normal ratings.
    """

    form: str
    value: float | None
    reason: str
    objects: int
    raters: int
    kept: str
    level: float = 0.95
    se: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str = ""
    f_low: float | None = None
    f_high: float | None = None
    note: str = ""


@dataclass(frozen=True)
class MeanSquares:
    """Two-way table of n objects and k raters: between objects, within objects, between raters, residual."""

    objects: Floats
    within: Floats
    raters: Floats
    residual: Floats
    n: int
    k: int


def intraclass(ratings: ArrayLike, level: float = 0.95) -> dict[str, Reliability]:
    """All six forms by their name, of the largest rectangle without gaps. ratings: shape (raters, units), NaN missing.

    1: raters differ from object to object; 2: the same raters, a sample of many; 3: these raters only. k: the mean
    of the raters in the rectangle.
    """
    whole, kept = complete_part(np.asarray(ratings, dtype=float))
    k, n = whole.shape
    if k < 2 or n < 2:
        return {form: Reliability(form, None, NO_RECTANGLE, n, k, kept, level) for form in FORMS}
    squares = mean_squares(whole)
    if float(squares.objects + squares.within) == 0:
        return {form: Reliability(form, None, NO_VARIATION, n, k, kept, level) for form in FORMS}
    replicates = single_forms(mean_squares_without_each(whole)) if k > 2 else (np.full(k, np.nan),) * 3
    found = {}
    for number, (single, without) in enumerate(zip(single_forms(squares), replicates, strict=True), start=1):
        for reliability in _forms(number, float(single), without, (n, k), kept, level):
            found[reliability.form] = reliability
    for form in ("ICC(2,1)", "ICC(2,k)"):
        found[form] = _with_normal_interval(found[form], squares)
    return {form: found[form] for form in FORMS}


def spearman_brown(reliability: float, raters: float) -> float | None:
    """Reliability of a mean of R raters from that of one: Rα/(1 + (R − 1)α); None where the formula has no meaning.

    Raises ValueError for no rater.
    """
    if raters <= 0:
        raise ValueError("a mean needs at least one rater")
    below = 1 + (raters - 1) * reliability
    return raters * reliability / below if below > 1e-12 else None


def complete_part(ratings: Floats) -> tuple[Floats, str]:
    """The larger rectangle without gaps: objects that all raters rated, or raters who rated all objects.

    It goes by where ratings are, never by what they say. ratings: shape (raters, units), NaN missing.
    """
    if ratings.ndim != 2:
        raise ValueError(f"ratings must have the shape (raters, units), not {ratings.shape}")
    given = ~np.isnan(ratings)
    ratings = ratings[given.any(axis=1)][:, given.any(axis=0)]
    given = ~np.isnan(ratings)
    if given.all():
        return ratings, "every rater rated every object"
    of_all = ratings[:, given.all(axis=0)]
    by_all = ratings[given.all(axis=1)]
    if _cells(of_all) >= _cells(by_all):
        return of_all, "objects that all raters rated"
    return by_all, "raters who rated all objects"


def _cells(rectangle: Floats) -> int:
    """Ratings in it, 0 for one that no coefficient can use."""
    return rectangle.size if min(rectangle.shape) >= 2 else 0


def mean_squares(ratings: Floats) -> MeanSquares:
    """ratings: shape (raters, objects), no gaps."""
    k, n = ratings.shape
    centred = ratings - ratings.mean()
    of_objects = k * (centred.mean(axis=0) ** 2).sum()
    of_raters = n * (centred.mean(axis=1) ** 2).sum()
    return _mean_squares(of_objects, of_raters, (centred**2).sum(), n, k)


def mean_squares_without_each(ratings: Floats) -> MeanSquares:
    """The mean squares without each rater in turn, shape (raters,), from sums: no copy of the ratings is made."""
    k, n = ratings.shape
    centred = ratings - ratings.mean()
    rest = k - 1
    objects = (centred.sum(axis=0) - centred) / rest
    middle = objects.mean(axis=1)
    of_raters = centred.mean(axis=1)
    squares = (centred**2).sum() - (centred**2).sum(axis=1) - rest * n * middle**2
    between_objects = rest * ((objects - middle[:, None]) ** 2).sum(axis=1)
    between_raters = n * ((of_raters**2).sum() - of_raters**2 - rest * middle**2)
    return _mean_squares(between_objects, between_raters, squares, n, rest)


def _mean_squares(of_objects: ArrayLike, of_raters: ArrayLike, total: ArrayLike, n: int, k: int) -> MeanSquares:
    """From sums of squares to mean squares. Those that are 0 come out of a subtraction as a little less or more."""
    objects, raters, whole = (np.asarray(part, dtype=float) for part in (of_objects, of_raters, total))
    within = np.where(whole - objects > 1e-12 * whole, whole - objects, 0)
    residual = np.where(within - raters > 1e-12 * whole, within - raters, 0)
    objects = np.where(objects > 1e-12 * whole, objects, 0)
    return MeanSquares(
        objects / (n - 1), within / (n * (k - 1)), raters / (k - 1), residual / ((n - 1) * (k - 1)), n, k
    )


def single_forms(squares: MeanSquares) -> tuple[Floats, Floats, Floats]:
    """ICC(1,1), ICC(2,1), ICC(3,1); NaN where they are not defined."""
    rows, rest, n, k = squares.objects, squares.residual, squares.n, squares.k
    return (
        _share(rows - squares.within, rows + (k - 1) * squares.within),
        _share(rows - rest, rows + (k - 1) * rest + k * (squares.raters - rest) / n),
        _share(rows - rest, rows + (k - 1) * rest),
    )


def _share(part: Floats, whole: Floats) -> Floats:
    return ratio(part, whole, np.asarray(whole) > 1e-12)


def _forms(
    number: int, single: float, without: Floats, shape: tuple[int, int], kept: str, level: float
) -> tuple[Reliability, Reliability]:
    """The single form and the one of the mean of k raters."""
    n, k = shape
    names = (f"ICC({number},1)", f"ICC({number},k)")
    if np.isnan(single):
        empty = [Reliability(name, None, NO_VARIATION, n, k, kept, level) for name in names]
        return empty[0], empty[1]
    spread = jackknife(single, without, level)
    one = Reliability(
        names[0], single, "", n, k, kept, level, spread.se, spread.low, spread.high, RATERS, note=spread.note
    )
    mean = spearman_brown(single, k)
    if mean is None:
        return one, Reliability(names[1], None, BELOW_CHANCE, n, k, kept, level)
    if mean < 0:
        # Under 0 stepping up runs away: limits would lie anywhere but around the estimate.
        return one, Reliability(names[1], mean, "", n, k, kept, level, note=UNDER_NOUGHT)
    low = None if spread.low is None else spearman_brown(max(spread.low, 0.0), k)
    high = None if spread.high is None else spearman_brown(max(spread.high, 0.0), k)
    interval = f"{RATERS}, stepped up by Spearman–Brown"
    return one, Reliability(names[1], mean, "", n, k, kept, level, None, low, high, interval, note=spread.note)


def _with_normal_interval(found: Reliability, squares: MeanSquares) -> Reliability:
    """The F interval of ICC(2,1) or ICC(2,k) (McGraw and Wong 1996); none where raters agree wholly."""
    rows, columns, rest = float(squares.objects), float(squares.raters), float(squares.residual)
    n, k = squares.n, squares.k
    single = float(single_forms(squares)[1])
    if found.value is None or rest == 0:
        return found
    freedom = _satterthwaite(single, columns / rest, n, k)
    # No spread between objects or raters leaves no degree of freedom, or so few that the quantile overflows.
    if freedom < 1e-3:
        return found
    tail = 0.5 + found.level / 2
    f_low, f_high = float(special.fdtri(n - 1, freedom, tail)), float(special.fdtri(freedom, n - 1, tail))
    if not (np.isfinite(f_low) and np.isfinite(f_high)):
        return found
    other = k * columns + (k * n - k - n) * rest
    low: float | None = _limit(n * (rows - f_low * rest), f_low * other + n * rows)
    high: float | None = _limit(n * (f_high * rows - rest), other + n * f_high * rows)
    if low is not None and high is not None and found.form == "ICC(2,k)":
        low, high = spearman_brown(low, k), spearman_brown(high, k)
    return found if low is None or high is None else replace(found, f_low=low, f_high=high)


def _limit(part: float, whole: float) -> float | None:
    return float(part / whole) if whole > 1e-12 else None


def _satterthwaite(single: float, ratio: float, n: int, k: int) -> float:
    """Degrees of freedom of the denominator, 0 where undefined; ratio: mean square of raters over the residual one."""
    a = k * single * ratio
    b = n * (1 + (k - 1) * single) - k * single
    below = (n - 1) * a**2 + b**2
    return (k - 1) * (n - 1) * (a + b) ** 2 / below if below > 1e-12 else 0.0
