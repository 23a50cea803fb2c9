"""Rows of the assignment log, and of every instance it names."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from study.accounts.models import Study
from study.assignment.models import AssignmentEvent
from study.benchmark.models import Instance
from study.people.flows import is_over
from study.people.models import Cohort, Participant
from study.protocols.models import Deviation
from study.results.rows import TAKE_OUT, Row


def deviation_rows(study: Study) -> list[Row]:
    """The log of deviations; who wrote a line is told as far as "somebody of the team"."""
    return [
        {
            "number": row.number,
            "happened_on": row.happened_on,
            "what": row.what,
            "why": row.why,
            "ratings_open": row.after_unblinding,
            "protocol_number": row.protocol_number,
            "by": "team" if row.by_id else "system",
            "at": row.at,
        }
        for row in Deviation.objects.using(settings.READER_ALIAS).filter(study=study)
    ]


def log_and_instances(study: Study) -> tuple[list[Row], list[Row]]:
    """The log in its order; the instances by key."""
    events = (
        AssignmentEvent.objects.using(settings.READER_ALIAS)
        .filter(study=study)
        .select_related("visit__participant", "instance__org")
        .order_by("sequence")
    )
    cohorts = Cohort.objects.using(settings.READER_ALIAS).filter(study=study)
    going = {cohort.code for cohort in cohorts if not is_over(cohort)}
    left = Participant.objects.using(settings.READER_ALIAS).filter(study=study, data_choice=TAKE_OUT)
    taken_out = set(left.values_list("code", flat=True))
    log: list[Row] = []
    instances: dict[str, Row] = {}
    for event in events:
        visit, instance = event.visit, event.instance
        log.append(
            {
                "sequence": event.sequence,
                "visit": f"{visit.participant.code}-{visit.period}" if visit else "",
                "event": event.event,
                "instance": instance.key if instance else "",
                "position": event.position,
                # Whoever has the seed of a cohort knows the arms of those who are still to come (M1).
                "seed": None if event.detail.get("cohort") in going else event.seed,
                "at": event.at,
                "participant": visit.participant.code if visit else str(event.detail.get("participant", "")),
                "detail": _detail(event, taken_out) or None,
            }
        )
        if instance:
            instances[instance.key] = _instance(instance)
    return log, [instances[key] for key in sorted(instances)]


def _detail(event: AssignmentEvent, taken_out: set[str]) -> dict[str, Any]:
    """What the event rests on; without the cell, which is made of answers, once these were taken out."""
    hidden = "cell" if event.detail.get("participant") in taken_out else ""
    return {name: value for name, value in event.detail.items() if name != hidden}


def _instance(instance: Instance) -> Row:
    return {
        "instance": instance.key,
        "task": instance.task,
        "stratum": instance.skill,
        "org_hash": instance.org.hash,
        "today": instance.today or instance.org.last_day,
        "metric": instance.metric,
        "has_rule": bool(instance.rule),
        "key_version": instance.key_version,
    }
