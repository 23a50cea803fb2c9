"""Instances at which people leave: found in the places given back, benched and unbenched by staff with a reason.

A benched instance is given to nobody of this study any more; places that were given stay. What is benched is what
the log's last word says, so the replay knows it and no column can drift.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from study.accounts.audit import audit
from study.accounts.models import Study, User
from study.assignment import exposure
from study.assignment.logbook import next_sequence
from study.assignment.models import AssignmentEvent, Place, PlaceState
from study.benchmark.models import Instance
from study.benchmark.tasks import task_label
from study.people.models import End, counted

LEFT = (End.WITHDRAWN, End.LAPSED)
REASON_LENGTH = 300


class NoReason(ValueError):
    """Benching is a decision about the study, so it says why."""


@dataclass(frozen=True)
class Reported:
    """An instance that stands before the researcher: how many people left at it, and what was done about it."""

    instance: Instance
    left: int
    benched: bool
    reason: str

    @property
    def label(self) -> str:
        return task_label(self.instance.task)


def left_at(study: Study) -> Counter[int]:
    """How many people left at each instance.

    The first place of a visit that was given back is where its person stopped; somebody who never opened a question
    left at none.
    """
    rows = Place.objects.filter(
        visit__participant__study=study,
        visit__participant__end__in=LEFT,
        visit__work_started_at__isnull=False,
        state=PlaceState.RELEASED,
        **counted("visit__participant"),
    )
    first: dict[int, int] = {}
    for visit, instance in rows.order_by("visit", "position").values_list("visit_id", "instance_id"):
        first.setdefault(visit, instance)
    return Counter(first.values())


def reported(study: Study, bench_after: int) -> list[Reported]:
    """Instances at which ``bench_after`` people left, and those that are benched, the most left ones first."""
    left, benched = left_at(study), exposure.benched(study)
    found = {pk for pk, n in left.items() if n >= bench_after} | benched
    reasons = _reasons(study, found)
    rows = [
        Reported(row, left[row.pk], row.pk in benched, reasons.get(row.pk, ""))
        for row in Instance.objects.filter(pk__in=found)
    ]
    return sorted(rows, key=lambda row: (-row.left, row.instance.key))


def _reasons(study: Study, instances: Iterable[int]) -> dict[int, str]:
    """The last reason given for each, whether it was benched or taken back."""
    rows = AssignmentEvent.objects.filter(study=study, instance__in=instances, event__in=["benched", "unbenched"])
    said = rows.order_by("sequence").values_list("instance_id", "detail")
    return {pk: str(detail.get("reason", "")) for pk, detail in said if pk is not None}


def bench(study: Study, instance: Instance, *, reason: str, by: User | None) -> bool:
    """From now on nobody of the study is given it. False when it was benched already. Raises NoReason."""
    return _mark(study, instance, "benched", reason, by)


def unbench(study: Study, instance: Instance, *, reason: str, by: User | None) -> bool:
    """It is given out again. False when it was not benched. Raises NoReason."""
    return _mark(study, instance, "unbenched", reason, by)


@transaction.atomic
def _mark(study: Study, instance: Instance, event: str, reason: str, by: User | None) -> bool:
    reason = " ".join(reason.split())
    if not reason:
        raise NoReason
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if (instance.pk in exposure.benched(study)) == (event == "benched"):
        return False
    AssignmentEvent.objects.create(
        study=study,
        sequence=next_sequence(study),
        event=event,
        instance=instance,
        detail={"reason": reason[:REASON_LENGTH]},
        at=timezone.now(),
    )
    audit(f"instance.{event}", by=by, study=study, target=instance.key, reason=reason[:REASON_LENGTH])
    return True
