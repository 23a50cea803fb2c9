"""Rows of results.json for shares and means of a group's answers, raters as clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from analysis.clusters import pooled_share_ci
from analysis.estimates import CLUSTER, FEWEST, WILSON, Estimate, T
from analysis.hour.means import Interval
from analysis.hour.reading import Party
from analysis.proportions import wilson

NESTED = "cluster Wilson, snapshots as outer clusters"
WHOLE = ("objects", "episodes", "tasks", "questions", "notes", "raters")
"""Targets that mean all of them; others stand at the end of the id."""


def share_row(
    party: Party, estimand: str, target: str, values: pd.Series[Any], answers: pd.DataFrame, *,
    unit: str = "answers", cannot: int = 0, note: str = "",
) -> Estimate:  # fmt: skip
    """The mean of values between 0 and 1, one per row of answers (columns rater, cluster), as an estimate.

    k is the number of ones, None where a value lies between.

    Wilson where each cluster gives one value, cluster Wilson else. Under five raters: counts.
    """
    data = values.to_numpy(dtype=float)
    raters = int(answers["rater"].nunique())
    _, place = np.unique(answers["cluster"].to_numpy(dtype=str), return_inverse=True)
    clusters = int(place.max()) + 1 if len(data) else 0
    n = len(data)
    # A mean of shares, such as of records opened, has no count of successes.
    k = int(data.sum()) if bool(np.isin(data, (0.0, 1.0)).all()) else None
    if n == 0 or raters < FEWEST:
        estimator = NESTED if party.nested else CLUSTER
        return _row(party, estimand, target, estimator, k, n, raters, cannot, _too_few(k, n, raters, unit, note))
    if clusters == n:
        low, high = wilson(float(data.sum()), n, party.level)
        return _row(
            party, estimand, target, WILSON, k, n, raters, cannot, note, float(data.mean()), low, high,
        )  # fmt: skip
    found = pooled_share_ci(np.bincount(place, weights=data), np.bincount(place), party.level)
    estimator = NESTED if party.nested else CLUSTER
    note = "; ".join(part for part in (note, found.note) if part)
    return _row(
        party, estimand, target, estimator, k, n, raters, cannot, note, found.estimate, found.low, found.high,
        found.deff,
    )  # fmt: skip


def mean_row(
    party: Party, estimand: str, target: str, found: Interval, raters: int, *, estimator: str = T, cannot: int = 0,
    note: str = "",
) -> Estimate:  # fmt: skip
    """A mean with its t interval; under five raters without one."""
    low, high, said = found.low, found.high, [note, found.note]
    estimator = "t, snapshots as outer clusters" if party.nested else estimator
    if 0 < raters < FEWEST:
        low = high = None
        said = [note, f"{raters} rater{'' if raters == 1 else 's'}: too few for an interval"]
    words = "; ".join(part for part in said if part)
    return _row(party, estimand, target, estimator, None, found.n, raters, cannot, words, found.estimate, low, high)


def _too_few(k: int | None, n: int, raters: int, unit: str, note: str) -> str:
    if n == 0:
        return "; ".join(part for part in (f"no {unit}", note) if part)
    people, count = f"{raters} rater{'' if raters == 1 else 's'}", f"{n} {unit}" if k is None else f"{k} of {n} {unit}"
    return "; ".join(part for part in (f"{count}, {people}: too few for a percentage", note) if part)


def _row(
    party: Party, estimand: str, target: str, estimator: str, k: int | None, n: int, raters: int, cannot: int,
    note: str, estimate: float | None = None, low: float | None = None, high: float | None = None,
    deff: float | None = None,
) -> Estimate:  # fmt: skip
    name = ".".join([party.arm or "all", estimand, *([target] if target not in WHOLE else [])])
    return Estimate(
        name, estimand, estimator, party.scope, party.arm, target, estimate, low, high, party.level, k, n, raters,
        deff, cannot, None, note,
    )  # fmt: skip
