"""What was seen at some desks: records opened per object, and for how long.

Fieldwork asks this for the exposure of each rating (M3), results for informed approval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from study.sandbox.frozen_today import after_today, written_at
from study.sandbox.measures import LONGEST_GAP as LONGEST_GAP
from study.sandbox.measures import RECORD as RECORD
from study.sandbox.measures import DeskCourse, OfObject, course_of
from study.sandbox.models import Desk, PageFact, TraceEvent
from study.sandbox.opened import snapshot_of


@dataclass(frozen=True)
class Seen:
    """What was seen of one object: distinct record Ids (18 characters), page openings, active seconds."""

    records: frozenset[str] = frozenset()
    openings: int = 0
    active_seconds: float = 0.0


def seen_by_object(desks: Iterable[Desk], *, until: datetime | None = None) -> dict[str, Seen]:
    """Object name -> what was seen of it at these desks, up to (not including) ``until``.

    A record counts when its page was opened or when it stood in full in an
    e-mail thread. Active seconds: from one event to the next of the same desk,
    a gap counting at most five minutes; the last event of a desk counts nothing,
    since nobody knows when its reader left.
    """
    together = joined(course_of(events) for events in _per_desk(desks, until).values())
    return {
        name: Seen(frozenset(found.records), found.openings, round(found.active_seconds, 3))
        for name, found in sorted(together.items())
        if found.records or found.active_seconds
    }


def courses(desks: Iterable[Desk]) -> dict[int, DeskCourse]:
    """Desk -> what was done there, with what its pages reported; desks without an event have an empty course."""
    chosen = list(desks)
    told: dict[int, dict[int, PageFact]] = defaultdict(dict)
    for fact in PageFact.objects.using(_alias(chosen)).filter(desk__in=chosen):
        told[fact.desk_id][fact.sequence] = fact
    events = _per_desk(chosen, None)
    return {desk.pk: course_of(events.get(desk.pk, ()), told[desk.pk]) for desk in chosen}


def joined(found: Iterable[DeskCourse]) -> dict[str, OfObject]:
    """Object name -> what was done with it in all of these courses."""
    together: dict[str, OfObject] = defaultdict(OfObject)
    for course in found:
        for name, one in course.objects.items():
            together[name].add(one)
    return dict(together)


def window_width(desks: Iterable[Desk]) -> int | None:
    """The width of the window at the first page that told it."""
    chosen = list(desks)
    told = PageFact.objects.using(_alias(chosen)).filter(desk__in=chosen, width__isnull=False)
    return told.order_by("at", "pk").values_list("width", flat=True).first()


def records_opened(desks: Iterable[Desk], object_name: str, *, until: datetime | None = None) -> frozenset[str]:
    """The distinct records of one object that were opened at these desks."""
    return seen_by_object(desks, until=until).get(object_name, Seen()).records


def future_records_opened(desks: Iterable[Desk], *, until: datetime | None = None) -> frozenset[str]:
    """Records opened that carry a date after the today of the desk they were opened at (M9)."""
    chosen = {desk.pk: desk for desk in desks}
    found: set[str] = set()
    for pk, events in _per_desk(chosen.values(), until).items():
        found |= {one for name, one in course_of(events).opened if is_after(chosen[pk], name, one)}
    return frozenset(found)


def is_after(desk: Desk, object_name: str, record_id: str) -> bool:
    """Whether a record's own date lies after the desk's today."""
    snapshot = snapshot_of(desk.org)
    row = snapshot.record(object_name, record_id) if snapshot.registry.has(object_name) else None
    if row is None:
        return False
    field = written_at(snapshot.registry.object(object_name))
    return field is not None and after_today(row.get(field.name), desk.today, snapshot.registry.zone)


def _alias(desks: list[Desk]) -> str | None:
    """Desks that were read in one consistent moment have their events read in the same one."""
    return desks[0]._state.db if desks else None


def _per_desk(desks: Iterable[Desk], until: datetime | None) -> dict[int, list[TraceEvent]]:
    """The events of each desk in order."""
    chosen = list(desks)
    rows = TraceEvent.objects.using(_alias(chosen)).filter(desk__in=chosen).order_by("desk_id", "sequence")
    if until is not None:
        rows = rows.filter(at__lt=until)
    found: dict[int, list[TraceEvent]] = defaultdict(list)
    for event in rows:
        found[event.desk_id].append(event)
    return found
