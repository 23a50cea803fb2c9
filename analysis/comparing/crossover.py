"""Beside a crossover's contrast (M1): the period effect, and the first visits alone. Nothing is tested to choose."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.comparing.kinds import Relation
from analysis.comparing.means import Difference, welch
from analysis.comparing.rows import blank_row, filled, joined, mean_row
from analysis.comparing.two_groups import Floats, Two, analysed, object_sides, units
from analysis.contrasts import Contrast, Kind
from analysis.estimates import FEWEST, Group

RATERS = "raters as units, also where they share a snapshot"


def crossover(two: Two) -> tuple[list[Contrast], dict[str, Any] | None]:
    """Rows of the period effect, the difference adjusted for order, and the first visits; None where not a crossover.

    With D = a − b of a rater (Hills and Armitage 1979): later visit − earlier = (mean D of those with b first − mean D
    of those with a first)/2; adjusted for order = the mean of the two means.
    """
    relation = two.relation
    if not relation.paired or relation.retest or relation.a_first + relation.b_first == 0:
        return [], None
    orders = _first_of(two)
    sides = object_sides(two)
    place = np.array([orders.get(rater, "") for rater in sides.raters_a])
    # An arm given by chance with its visits in one order has no order given by chance.
    kind: Kind = "randomised" if _drawn(two) and not relation.one_order else "not randomised"
    rows = []
    if sides.fewest >= FEWEST and sides.objects:
        found = units(sides, approval=True)
        d = found.mean_a.values - found.mean_b.values
        blank = replace(blank_row(two, "", "", sides), note=RATERS if sides.nested else "")
        rows += _period(two, kind, d[place == "a"], d[place == "b"], blank)
    first = _first_visits(two, kind)
    rows.append(first)
    data = {
        "a_first": int((place == "a").sum()), "b_first": int((place == "b").sum()), "order_drawn": kind == "randomised",
        "rows": {row.estimand.removeprefix(two.estimand + "_"): row.id for row in rows},
    }  # fmt: skip
    return rows, data


def _first_of(two: Two) -> dict[str, str]:
    """By rater, which of the two came first."""
    period_a = analysed(two.a).groupby("rater")["period"].min()
    period_b = analysed(two.b).groupby("rater")["period"].min()
    found = {}
    for rater in two.relation.both:
        if rater in period_a.index and rater in period_b.index and period_a[rater] != period_b[rater]:
            found[rater] = "a" if period_a[rater] < period_b[rater] else "b"
    return found


def _drawn(two: Two) -> bool:
    """Whether the order was drawn by chance."""
    visits = two.context.visits
    used = visits[visits["id"].isin({*two.a.ratings["visit"], *two.b.ratings["visit"]})]
    return len(used) > 0 and bool((used["allocation"] == "randomised").all())


def _period(two: Two, kind: Kind, a_first: Floats, b_first: Floats, blank: Contrast) -> list[Contrast]:
    """welch(b first, a first)/2, and the mean of both orders' means with the same standard error."""
    level = two.context.level
    row = replace(
        blank, id=two.row_id("_period"), estimand=f"{two.estimand}_period", kind=kind, a="later visit",
        b="earlier visit", raters_a=len(b_first), raters_b=len(a_first),
    )  # fmt: skip
    if min(len(a_first), len(b_first)) < 2:
        few = f"{len(a_first)} and {len(b_first)} raters in the two orders: not estimable"
        return [replace(row, note=joined(few, row.note))]
    twice = welch(b_first, a_first, level)
    period = filled(row, _halved(twice), twice.p, "Welch t between the two orders", 1.0)
    middle = float(a_first.mean() + b_first.mean()) / 2
    adjusted = replace(
        blank, id=two.row_id("_order_adjusted"), estimand=f"{two.estimand}_order_adjusted",
        note=joined("mean of the two orders' means", blank.note),
    )  # fmt: skip
    shift = middle - (twice.estimate or 0.0) / 2
    moved = replace(_halved(twice), p=None)
    if moved.low is not None and moved.high is not None:
        moved = replace(moved, low=moved.low + shift, high=moved.high + shift)
    return [period, filled(adjusted, replace(moved, estimate=middle), None, "", 1.0)]


def _halved(found: Difference) -> Difference:
    half = {name: None if value is None else value / 2 for name, value in
            (("estimate", found.estimate), ("se", found.se), ("low", found.low), ("high", found.high))}  # fmt: skip
    return replace(found, **half)  # type: ignore[arg-type]


def _first_visits(two: Two, kind: Kind) -> Contrast:
    """The same contrast from everybody's first visit alone: different people, Welch and permutation."""
    relation = Relation(kind, "first visits only", (), 0, 0, 0, 0, two.relation.same_orgs)
    a, b = (_of_first_visits(group) for group in (two.a, two.b))
    first = replace(two, a=a, b=b, relation=relation)
    row, _ = mean_row(first, object_sides(first), "_first_visit", approval=True)
    return row


def _of_first_visits(group: Group) -> Group:
    return replace(group, ratings=group.ratings[(group.ratings["period"] == 1).fillna(False).astype(bool)])
