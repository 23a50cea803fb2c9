"""Rules about what happens to cases: the most frequent issue, the busiest month, the fastest region."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from study.benchmark.grading import MONTHS
from study.benchmark.rules.answer import Answer, Working, needed, wants_highest
from study.benchmark.rules.windows import window
from study.sandbox.engine.queryspec import And, Compare, Difference, Group, Measure, QuerySpec
from study.sandbox.engine.snapshot import Snapshot

COUNT = Measure("count", alias="cases")


def top_issue_identification(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The issue most cases about a product have, counted by the day the case was opened.

    Parameters: window, product_id.
    """
    working, period = Working(snapshot, today), window(params, today)
    cases = QuerySpec(
        "Case",
        where=And(
            Compare("OrderItemId__c.Product2Id", "eq", needed(params, "product_id", str)),
            period.condition("CreatedDate", snapshot.zone),
            Compare("IssueId__c", "not_null", None),
        ),
        groups=(Group("IssueId__c", alias="issue"),),
        measures=(COUNT,),
    )
    rows = working.run(
        _("Cases per issue: opened in %(window)s, about the product, with an issue") % {"window": period.text},
        cases,
    )
    return working.best(dict(rows), highest=True, measure="count", counted=working.counted(cases))


def monthly_trend_analysis(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The name of the month in which most cases about a product were opened; equal months of two years add up.

    Parameters: window, product_id.
    """
    working, period = Working(snapshot, today), window(params, today)
    cases = QuerySpec(
        "Case",
        where=And(
            Compare("OrderItemId__c.Product2Id", "eq", needed(params, "product_id", str)),
            period.condition("CreatedDate", snapshot.zone),
        ),
        groups=(Group("CreatedDate", by="month_name", alias="month"),),
        measures=(COUNT,),
    )
    rows = working.run(
        _("Cases per month of the year: opened in %(window)s, about the product") % {"window": period.text},
        cases,
    )
    counts = dict(rows) if not period.zone else _months_in(working, cases, period.zone)
    return working.best(counts, highest=True, measure="count", counted=working.counted(cases))


def _months_in(working: Working, cases: QuerySpec, zone: str) -> dict[str, float]:
    """Cases by month as the calendar of another zone has it: the months shift as the ends of the period do."""
    rows = working.run(_("The days"), QuerySpec("Case", select=("CreatedDate",), where=cases.where))
    return dict(Counter(MONTHS[row[0].astimezone(ZoneInfo(zone)).month - 1] for row in rows))


def best_region_identification(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The state whose customers' cases are closed in the shortest mean time.

    Parameters: window, extremum (min, the default, or max).
    """
    working, period = Working(snapshot, today), window(params, today)
    cases = QuerySpec(
        "Case",
        where=And(
            period.condition("CreatedDate", snapshot.zone),
            Compare("Status", "eq", "Closed"),
            Compare("ClosedDate", "not_null", None),
            Compare("Account.ShippingState", "not_null", None),
        ),
        groups=(Group("Account.ShippingState", alias="state"),),
        measures=(
            Measure("avg", alias="hours", formula=Difference("ClosedDate", "CreatedDate", "hours")),
            COUNT,
        ),
    )
    rows = working.run(
        _("Mean hours from opening to closing, per state of the account: cases opened in %(window)s and closed")
        % {"window": period.text},
        cases,
    )
    means = {state: float(hours) for state, hours, _cases in rows if hours is not None}
    highest = wants_highest(params, default="min")
    return working.best(means, highest=highest, measure="mean", counted=working.counted(cases))
