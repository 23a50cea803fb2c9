"""Rules about what happens to cases: the most frequent issue, the busiest month, the fastest region."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

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
    rows = working.run(
        _("Cases per issue: opened in %(window)s, about the product, with an issue") % {"window": period.text},
        QuerySpec(
            "Case",
            where=And(
                Compare("OrderItemId__c.Product2Id", "eq", needed(params, "product_id", str)),
                period.condition("CreatedDate", snapshot.zone),
                Compare("IssueId__c", "not_null", None),
            ),
            groups=(Group("IssueId__c", alias="issue"),),
            measures=(COUNT,),
        ),
    )
    return working.best(dict(rows), highest=True, measure="count")


def monthly_trend_analysis(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The name of the month in which most cases about a product were opened; equal months of two years add up.

    Parameters: window, product_id.
    """
    working, period = Working(snapshot, today), window(params, today)
    rows = working.run(
        _("Cases per month of the year: opened in %(window)s, about the product") % {"window": period.text},
        QuerySpec(
            "Case",
            where=And(
                Compare("OrderItemId__c.Product2Id", "eq", needed(params, "product_id", str)),
                period.condition("CreatedDate", snapshot.zone),
            ),
            groups=(Group("CreatedDate", by="month_name", alias="month"),),
            measures=(COUNT,),
        ),
    )
    return working.best(dict(rows), highest=True, measure="count")


def best_region_identification(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The state whose customers' cases are closed in the shortest mean time.

    Parameters: window, extremum (min, the default, or max).
    """
    working, period = Working(snapshot, today), window(params, today)
    rows = working.run(
        _("Mean hours from opening to closing, per state of the account: cases opened in %(window)s and closed")
        % {"window": period.text},
        QuerySpec(
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
        ),
    )
    means = {state: float(hours) for state, hours, _cases in rows if hours is not None}
    return working.best(means, highest=wants_highest(params, default="min"), measure="mean")
