"""Which agent a new case goes to: by experience with the issue, then with the product, then by load."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from study.benchmark.rules.answer import Answer, Working, needed
from study.sandbox.engine.queryspec import And, Compare, Group, Measure, QuerySpec
from study.sandbox.engine.snapshot import Snapshot

CLOSED = Compare("Status", "eq", "Closed")


def case_routing(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The agent for a new case with a given issue and product.

    Most closed cases of the issue; of those level, most closed cases about the product; of those level, fewest cases
    that are not closed. Parameters: issue_id, product_id.
    """
    working = Working(snapshot, today)
    issue, product = needed(params, "issue_id", str), needed(params, "product_id", str)
    experience = _cases_by_owner(
        working, _("Closed cases of the issue, per agent"), CLOSED, Compare("IssueId__c", "eq", issue)
    )
    answer = working.best(experience, highest=True, measure="count")
    if not answer.tie:
        return answer
    level = _leaders(experience, highest=True)
    on_product = _cases_by_owner(
        working,
        _("Level on the issue. Closed cases about the product, per agent"),
        CLOSED,
        Compare("OrderItemId__c.Product2Id", "eq", product),
        Compare("OwnerId", "in", level),
    )
    # An agent without any such case has none: zero, not absent.
    counts = {agent: on_product.get(agent, 0) for agent in level}
    answer = working.best(counts, highest=True, measure="count")
    if not answer.tie:
        return answer
    level = _leaders(counts, highest=True)
    load = _cases_by_owner(
        working,
        _("Level on the product too. Cases not closed, per agent"),
        Compare("Status", "ne", "Closed"),
        Compare("OwnerId", "in", level),
    )
    return working.best({agent: load.get(agent, 0) for agent in level}, highest=False, measure="count")


def _cases_by_owner(working: Working, sentence: str, *conditions: Compare) -> dict[str, float]:
    rows = working.run(
        sentence,
        QuerySpec(
            "Case",
            where=And(*conditions, Compare("OwnerId", "not_null", None)),
            groups=(Group("OwnerId", alias="agent"),),
            measures=(Measure("count", alias="cases"),),
        ),
    )
    return dict(rows)


def _leaders(values: Mapping[str, float], *, highest: bool) -> tuple[str, ...]:
    best = max(values.values()) if highest else min(values.values())
    return tuple(sorted(key for key, value in values.items() if value == best))
