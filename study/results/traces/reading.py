"""The events of a study's visits in order, a slice at a time: memory does not grow with their number.

Everything is read through the ``reader`` alias, inside one transaction of the caller's: one consistent moment, and
nobody who works meanwhile waits (P-27).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from study.accounts.models import Study
from study.assignment.models import Visit
from study.fieldwork.models import Attempt, VisitDesk
from study.people.models import counted
from study.sandbox.models import PageFact, TraceEvent

SLICE = 5_000
TAKE_OUT = "take_out"


@dataclass(frozen=True)
class VisitFacts:
    """What the trace says of a visit: codes only, nothing of its ratings."""

    name: str
    participant: str
    arm: str
    condition: str
    period: int
    org_hash: str
    language: str
    simulated: bool
    begun_at: datetime


@dataclass(frozen=True)
class Place:
    """A desk of a visit: which part of the hour it was for, and the question worked on there."""

    desk: int
    visit: VisitFacts
    part: str
    today: date
    position: int | None = None
    instance: str = ""
    task: str = ""
    started_at: datetime | None = None

    @property
    def name(self) -> str:
        return f"{self.visit.name}/{self.part}" + (f"-{self.position}" if self.position else "")


@dataclass(frozen=True, slots=True)
class Event:
    """One event with what its page reported of itself, if it did."""

    sequence: int
    at: datetime
    kind: str
    object: str
    record: str
    query: Any
    n: int | None
    address: str
    fact: tuple[int, int, int, list[str], bool] | None

    @property
    def shown(self) -> list[str]:
        """Records that were read in full: the one opened, or each mail of a thread."""
        if self.kind == "record" and self.record:
            return [self.record]
        if self.kind == "thread" and isinstance(self.query, dict):
            return [str(one) for one in self.query.get("shown", ())]
        return []


def visits_of(study: Study) -> Iterator[VisitFacts]:
    """The visits of people who count and left their answers in; in the order of the bundle."""
    for visit in _visits(study).iterator(chunk_size=500):
        yield _facts(visit)


def places_of(study: Study) -> Iterator[Place]:
    """The desks of these visits, in the order of the hour."""
    for visit in _visits(study).iterator(chunk_size=500):
        facts = _facts(visit)
        looked = VisitDesk.objects.using(settings.READER_ALIAS).filter(visit=visit).select_related("desk")
        by_part = {row.purpose: Place(row.desk_id, facts, row.purpose, row.desk.today) for row in looked}
        if "orientation" in by_part:
            yield by_part.pop("orientation")
        yield from _attempts(visit, facts)
        yield from (by_part[part] for part in sorted(by_part))


def _attempts(visit: Visit, facts: VisitFacts) -> Iterator[Place]:
    attempts = Attempt.objects.using(settings.READER_ALIAS).filter(visit=visit, desk__isnull=False)
    for one in attempts.select_related("desk", "place__instance").order_by("position"):
        if one.desk is not None:
            instance = one.place.instance
            yield Place(
                one.desk.pk, facts, "attempt", one.desk.today, one.position, instance.key, instance.task, one.started_at
            )


def _visits(study: Study) -> QuerySet[Visit]:
    visits = Visit.objects.using(settings.READER_ALIAS).filter(participant__study=study, **counted("participant"))
    visits = visits.exclude(participant__data_choice=TAKE_OUT)
    return visits.select_related("participant", "org").order_by("participant__code", "period")


def _facts(visit: Visit) -> VisitFacts:
    person = visit.participant
    return VisitFacts(
        name=f"{person.code}-{visit.period}",
        participant=person.code,
        arm=visit.arm,
        condition=visit.condition,
        period=visit.period,
        org_hash=visit.org.hash,
        language=visit.language,
        simulated=person.simulated,
        begun_at=visit.begun_at,
    )


_COLUMNS = ("sequence", "at", "kind", "object", "record", "query", "n", "address")


def events_at(desk: int) -> Iterator[Event]:
    """The events of a desk by their number, never more than a slice of them in memory."""
    rows = TraceEvent.objects.using(settings.READER_ALIAS).filter(desk_id=desk).order_by("sequence")
    last = 0
    while True:
        part = list(rows.filter(sequence__gt=last).values_list(*_COLUMNS)[:SLICE])
        if not part:
            return
        facts = _facts_between(desk, part[0][0], part[-1][0])
        for row in part:
            sequence, at, kind, thing, record, query, n, address = row
            yield Event(sequence, at, kind, thing, record, query, n, address, facts.get(sequence))
        last = part[-1][0]
        if len(part) < SLICE:
            return


def _facts_between(desk: int, first: int, last: int) -> dict[int, tuple[int, int, int, list[str], bool]]:
    rows = PageFact.objects.using(settings.READER_ALIAS).filter(desk_id=desk, sequence__range=(first, last))
    columns = ("sequence", "visible_ms", "focused_ms", "idle_ms", "copied", "odd")
    return {row[0]: row[1:] for row in rows.values_list(*columns)}


def how_many(study: Study) -> int:
    """How many events there are to write, for the progress of a job."""
    rows = TraceEvent.objects.using(settings.READER_ALIAS)
    visits = _visits(study).order_by().values("pk")
    questions = rows.filter(desk__attempt__visit__in=visits).count()
    return questions + rows.filter(desk__visit_desk__visit__in=visits).count()
