"""Who gets new work: a case by experience with its issue and product, a lead by territory and quotes; then by load."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from study.benchmark.rules.answer import Answer, Working, ids, needed
from study.sandbox.engine.queryspec import And, Compare, Group, Measure, Order, QuerySpec
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
    closed_of_issue = working.counted(_by_owner(CLOSED, Compare("IssueId__c", "eq", issue)))
    answer = working.best(experience, highest=True, measure="count", counted=closed_of_issue)
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
    answer = working.best(counts, highest=True, measure="count", counted=closed_of_issue)
    if not answer.tie:
        return replace(answer, others=_with_all(answer, experience))
    level = _leaders(counts, highest=True)
    load = _cases_by_owner(
        working,
        _("Level on the product too. Cases not closed, per agent"),
        Compare("Status", "ne", "Closed"),
        Compare("OwnerId", "in", level),
    )
    answer = _lightest(working, level, load, closed_of_issue)
    return replace(answer, others=_with_all(answer, experience))


def lead_routing(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The seller for a new lead from a given state.

    Members of the territory whose list of states has it; of these, most accepted quotes by owner of the opportunity
    (none is zero); of those level, fewest leads that are not converted. Parameters: state (two letters).
    """
    working = Working(snapshot, today)
    territories = _territories(working, needed(params, "state", str))
    members = _members(working, territories)
    if not members:
        return working.nothing()
    spec = QuerySpec(
        "Quote",
        where=And(Compare("Status", "eq", "Accepted"), Compare("Opportunity.OwnerId", "in", members)),
        groups=(Group("Opportunity.OwnerId", alias="seller"),),
        measures=(Measure("count", alias="quotes"),),
    )
    rows = working.run(_("Accepted quotes per member of the territory, by owner of the opportunity"), spec)
    found = dict(rows)
    accepted = {member: found.get(member, 0) for member in members}
    quotes = working.counted(spec)

    def evidence(seller: str) -> tuple[str, ...]:
        return (*territories, *quotes(seller))

    answer = working.best(accepted, highest=True, measure="count", counted=evidence)
    if not answer.tie:
        return answer
    level = _leaders(accepted, highest=True)
    load = working.run(
        _("Level on quotes. Leads not converted, per member"),
        QuerySpec(
            "Lead",
            where=And(Compare("IsConverted", "ne", True), Compare("OwnerId", "in", level)),
            groups=(Group("OwnerId", alias="seller"),),
            measures=(Measure("count", alias="leads"),),
        ),
    )
    answer = _lightest(working, level, dict(load), evidence)
    return replace(answer, others=_with_all(answer, accepted))


def lists_state(description: str | None, state: str) -> bool:
    """Whether a territory's list of states ("WA,OR,ID") has this one as an entry of its own."""
    return state.strip().casefold() in [part.strip().casefold() for part in re.split("[,;]", description or "")]


def _territories(working: Working, state: str) -> tuple[str, ...]:
    rows = working.run(
        _("Territories with their states"), QuerySpec("Territory2", select=("Id", "Description"), order=(Order("Id"),))
    )
    return ids([territory for territory, description in rows if lists_state(description, state)])


def _members(working: Working, territories: tuple[str, ...]) -> tuple[str, ...]:
    if not territories:
        return ()
    rows = working.run(
        _("Members of the territory"),
        QuerySpec(
            "UserTerritory2Association",
            select=("UserId",),
            where=And(Compare("Territory2Id", "in", territories), Compare("UserId", "not_null", None)),
        ),
    )
    return ids(sorted({row[0] for row in rows}))


def _lightest(
    working: Working,
    level: tuple[str, ...],
    load: Mapping[str, float],
    counted: Callable[[str], tuple[str, ...]],
) -> Answer:
    """Of people level so far, the one with the least on the desk; nothing on it is zero."""
    return working.best(
        {person: load.get(person, 0) for person in level}, highest=False, measure="count", counted=counted
    )


def _with_all(answer: Answer, ranked: Mapping[str, float]) -> tuple[str, ...]:
    """The others, with those who had dropped out before the last comparison."""
    return tuple(dict.fromkeys((*answer.others, *(key for key in sorted(ranked) if key not in answer.values))))


def _by_owner(*conditions: Compare) -> QuerySpec:
    return QuerySpec(
        "Case",
        where=And(*conditions, Compare("OwnerId", "not_null", None)),
        groups=(Group("OwnerId", alias="agent"),),
        measures=(Measure("count", alias="cases"),),
    )


def _cases_by_owner(working: Working, sentence: str, *conditions: Compare) -> dict[str, float]:
    return dict(working.run(sentence, _by_owner(*conditions)))


def _leaders(values: Mapping[str, float], *, highest: bool) -> tuple[str, ...]:
    best = max(values.values()) if highest else min(values.values())
    return tuple(sorted(key for key, value in values.items() if value == best))
