"""Rules about agents: who handles cases fastest or slowest, who hands most or fewest on."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from study.benchmark.rules.answer import Answer, Working, ids, needed, wants_highest
from study.benchmark.rules.windows import Window, window
from study.sandbox.engine.queryspec import And, Compare, Difference, Group, Having, Measure, QuerySpec, Related
from study.sandbox.engine.snapshot import Snapshot

OWNER_ASSIGNMENT = Compare("Field__c", "eq", "Owner Assignment")


def handle_time(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The agent with the lowest or highest mean time from opening to closing a case, transferred cases left out.

    Parameters: window, more_than (n of "more than n cases"), extremum (min or max).
    """
    working, period = Working(snapshot, today), window(params, today)
    agents = eligible_agents(working, params, period)
    if not agents:
        return working.nothing()
    cases = QuerySpec(
        "Case",
        where=And(
            period.condition("CreatedDate", snapshot.zone),
            Compare("Status", "eq", "Closed"),
            Compare("ClosedDate", "not_null", None),
            Compare("OwnerId", "in", agents),
            Related("CaseHistory__c", "CaseId__c", "exactly", 1, OWNER_ASSIGNMENT),
        ),
        groups=(Group("OwnerId", alias="agent"),),
        measures=(
            Measure("avg", alias="minutes", formula=Difference("ClosedDate", "CreatedDate", "minutes")),
            Measure("count", alias="cases"),
        ),
    )
    rows = working.run(
        _(
            "Mean minutes from opening to closing, per eligible agent: cases opened in %(window)s, closed, owned by "
            "the agent, with exactly one owner assignment ever"
        )
        % {"window": period.text},
        cases,
    )
    means = {agent: float(minutes) for agent, minutes, _cases in rows if minutes is not None}
    answer = working.best(means, highest=wants_highest(params), measure="mean", counted=working.counted(cases))
    return _beside(answer, agents)


def transfer_count(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The agent who passed on most or fewest cases; one who passed on none does not take part.

    Parameters: window, more_than, extremum.
    """
    working, period = Working(snapshot, today), window(params, today)
    agents = eligible_agents(working, params, period)
    if not agents:
        return working.nothing()
    transfers = QuerySpec(
        "CaseHistory__c",
        where=And(
            OWNER_ASSIGNMENT, period.condition("CreatedDate", snapshot.zone), Compare("OldValue__c", "in", agents)
        ),
        groups=(Group("OldValue__c", alias="agent"),),
        measures=(Measure("count", alias="transfers"),),
    )
    rows = working.run(
        _("Transfers per eligible agent: owner assignments in %(window)s that take a case from the agent")
        % {"window": period.text},
        transfers,
    )
    highest = wants_highest(params)
    answer = working.best(dict(rows), highest=highest, measure="count", counted=working.counted(transfers))
    return _beside(answer, agents)


def _beside(answer: Answer, agents: tuple[str, ...]) -> Answer:
    """Eligible agents who had nothing to count are others as well."""
    rest = (agent for agent in agents if agent not in answer.values)
    return replace(answer, others=tuple(dict.fromkeys((*answer.others, *rest))))


def eligible_agents(working: Working, params: Mapping[str, Any], period: Window) -> tuple[str, ...]:
    """Agents who were given more than ``more_than`` cases in the period, at first or by transfer alike."""
    more_than = needed(params, "more_than", int)
    rows = working.run(
        _("Eligible agents: given more than %(n)s cases in %(window)s (owner assignments to the agent)")
        % {"n": more_than, "window": period.text},
        QuerySpec(
            "CaseHistory__c",
            where=And(
                OWNER_ASSIGNMENT,
                period.condition("CreatedDate", working.snapshot.zone),
                Compare("NewValue__c", "not_null", None),
            ),
            groups=(Group("NewValue__c", alias="agent"),),
            measures=(Measure("count", alias="cases"),),
            having=(Having("cases", "gt", more_than),),
        ),
    )
    return ids([agent for agent, _cases in rows])
