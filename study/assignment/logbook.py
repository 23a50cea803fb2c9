"""The append-only log of one study's assignments. Whoever writes holds the study's row, so numbers follow on."""

from __future__ import annotations

from typing import Any

from django.db.models import Max
from django.utils import timezone

from study.accounts.models import Study
from study.assignment.allocating import FIXED
from study.assignment.models import Allocation, AssignmentEvent, Place


def next_sequence(study: Study) -> int:
    return (AssignmentEvent.objects.filter(study=study).aggregate(last=Max("sequence"))["last"] or 0) + 1


def log_allocation(study: Study, row: Allocation) -> None:
    """One row of the log for what was drawn for a person. With the seed ``allocation.slot`` gives it again."""
    if row.kind == FIXED or not row.participant.counts:
        return
    AssignmentEvent.objects.create(
        study=study,
        sequence=next_sequence(study),
        event="allocated",
        seed=row.seed,
        detail={
            "participant": row.participant.code,
            "cohort": row.cohort.code,
            "cell": row.cell,
            "number": row.number,
            "block": row.block,
            "arm": row.arm,
            "order": row.order,
        },
        at=timezone.now(),
    )


def log(study: Study, place: Place, event: str, detail: dict[str, Any] | None = None) -> None:
    """One row of the log for what happened to a place."""
    if not place.visit.participant.counts:
        return
    AssignmentEvent.objects.create(
        study=study,
        sequence=next_sequence(study),
        visit=place.visit,
        event=event,
        instance_id=place.instance_id,
        position=place.position,
        seed=place.visit.seed,
        detail=detail or {},
        at=timezone.now(),
    )
