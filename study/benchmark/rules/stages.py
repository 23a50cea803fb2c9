"""Rules about the stage of a deal, read off its tasks with the company's stage guide.

The guide comes as the parameter ``stages``: by stage, the phrases one of which stands in the subject of every task of
that stage. Capitals do not count. Stages follow one another as in the published benchmark, Qualification to Closed.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from study.benchmark.grading import fold
from study.benchmark.rules.answer import Answer, RuleError, Working, needed
from study.benchmark.tasks import STAGES
from study.sandbox.engine.queryspec import And, Compare, Order, QuerySpec
from study.sandbox.engine.snapshot import Snapshot

BEGUN = ("in progress", "completed")
NOT_STARTED = "not started"


def wrong_stage_rectification(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The furthest stage with a task in progress or completed; no record where that is the recorded one.

    A deal without such a task keeps its stage. Parameters: opportunity_id, stages.
    """
    deal = _Deal(snapshot, params, today)
    begun = [task.stage for task in deal.tasks if task.status in BEGUN]
    furthest = max(begun, key=STAGES.index) if begun else deal.stage
    stages = [task.stage for task in deal.tasks] + ([deal.stage] if deal.stage else [])
    answer = () if furthest is None or furthest == deal.stage else (furthest,)
    others = sorted({stage for stage in stages if stage != furthest}, key=STAGES.index, reverse=True)
    return deal.answer(answer, others)


def activity_priority(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> Answer:
    """The tasks not started whose stage by the guide is not the recorded one; no record where there are none.

    Parameters: opportunity_id, stages.
    """
    deal = _Deal(snapshot, params, today)
    if deal.stage is None:
        raise RuleError(_("The opportunity has no stage of the guide."))
    unfit = [task.id for task in deal.tasks if task.status == NOT_STARTED and task.stage != deal.stage]
    return deal.answer(tuple(unfit), [task.id for task in deal.tasks if task.id not in unfit])


def stages_held(snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> list[str]:
    """Stages of an opportunity's events that have begun by the end of today; subjects off the guide are left out."""
    rows = Working(snapshot, today).rows(
        _("Events of the opportunity"),
        QuerySpec(
            "Event",
            select=("Subject",),
            where=And(
                Compare("WhatId", "eq", needed(params, "opportunity_id", str)), Compare("StartDateTime", "le", today)
            ),
            order=(Order("Id"),),
        ),
    )
    held = (_stage_or_none(subject or "", needed(params, "stages", Mapping)) for (subject,) in rows)
    return [stage for stage in held if stage]


def _stage_or_none(subject: str, guide: Mapping[str, Any]) -> str | None:
    try:
        return stage_of(subject, guide)
    except RuleError:
        return None


class _Task(NamedTuple):
    id: str
    status: str
    stage: str


class _Deal:
    """An opportunity with its tasks, each with its stage by the guide."""

    def __init__(self, snapshot: Snapshot, params: Mapping[str, Any], today: datetime.date) -> None:
        self.working = Working(snapshot, today)
        self.id = needed(params, "opportunity_id", str)
        guide = needed(params, "stages", Mapping)
        record = snapshot.record("Opportunity", self.id)
        if record is None:
            raise RuleError(_("The Org has no opportunity %(id)s.") % {"id": self.id})
        recorded = fold(record["StageName"] or "")
        self.stage = next((stage for stage in STAGES if fold(stage) == recorded), None)
        rows = self.working.run(
            _("Tasks of the opportunity"),
            QuerySpec(
                "Task",
                select=("Id", "Status", "Subject"),
                where=Compare("WhatId", "eq", self.id),
                order=(Order("Id"),),
            ),
        )
        self.tasks = [
            _Task(str(task), fold(status or ""), stage_of(subject or "", guide)) for task, status, subject in rows
        ]

    def answer(self, values: tuple[str, ...], others: list[str]) -> Answer:
        def evidence() -> tuple[str, ...]:
            return (self.id, *(task.id for task in self.tasks))

        return Answer(values, tuple(self.working.steps), others=tuple(others), reading=True, find_evidence=evidence)


def stage_of(subject: str, guide: Mapping[str, Any]) -> str:
    """The stage whose phrase stands in a subject; of phrases within one another the longer one counts.

    RuleError where none stands there, or phrases of two stages: the guide does not say what the task is for.
    """
    text = fold(subject)
    found = {fold(phrase): stage for stage, phrases in guide.items() for phrase in phrases if fold(phrase) in text}
    whole = {
        stage for phrase, stage in found.items() if not any(phrase != longer and phrase in longer for longer in found)
    }
    if len(whole) != 1 or not whole <= set(STAGES):
        raise RuleError(_("The guide does not give one stage for the task “%(subject)s”.") % {"subject": subject})
    return whole.pop()
