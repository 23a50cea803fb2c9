"""What was seen at some desks: records opened per object, and for how long.

Fieldwork asks this for the exposure of each rating (M3), results for informed approval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from study.sandbox.frozen_today import after_today, written_at
from study.sandbox.models import Desk, TraceEvent
from study.sandbox.opened import snapshot_of

# A longer silence is a break: it counts as this much (method M15).
LONGEST_GAP = timedelta(minutes=5)
RECORD, THREAD = "record", "thread"


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
    records: dict[str, set[str]] = defaultdict(set)
    openings: dict[str, int] = defaultdict(int)
    seconds: dict[str, float] = defaultdict(float)
    for events in _per_desk(desks, until):
        for event, following in zip(events, [*events[1:], None], strict=True):
            if not event.object:
                continue
            shown = _records(event)
            if shown:
                records[event.object] |= shown
                openings[event.object] += 1
            if following is not None:
                gap = min(following.at - event.at, LONGEST_GAP)
                seconds[event.object] += max(gap.total_seconds(), 0.0)
    names = sorted({*records, *seconds})
    return {name: Seen(frozenset(records[name]), openings[name], round(seconds[name], 3)) for name in names}


def records_opened(desks: Iterable[Desk], object_name: str, *, until: datetime | None = None) -> frozenset[str]:
    """The distinct records of one object that were opened at these desks."""
    return seen_by_object(desks, until=until).get(object_name, Seen()).records


def future_records_opened(desks: Iterable[Desk], *, until: datetime | None = None) -> frozenset[str]:
    """Records opened that carry a date after the today of the desk they were opened at (M9)."""
    found: set[str] = set()
    for desk in desks:
        shown = {(e.object, one) for events in _per_desk([desk], until) for e in events for one in _records(e)}
        found |= {one for name, one in shown if is_after(desk, name, one)}
    return frozenset(found)


def is_after(desk: Desk, object_name: str, record_id: str) -> bool:
    """Whether a record's own date lies after the desk's today."""
    snapshot = snapshot_of(desk.org)
    row = snapshot.record(object_name, record_id) if snapshot.registry.has(object_name) else None
    if row is None:
        return False
    field = written_at(snapshot.registry.object(object_name))
    return field is not None and after_today(row.get(field.name), desk.today, snapshot.registry.zone)


def _records(event: TraceEvent) -> set[str]:
    if event.kind == RECORD and event.record:
        return {event.record}
    if event.kind == THREAD and isinstance(event.query, dict):
        return {str(one) for one in event.query.get("shown", ())}
    return set()


def _per_desk(desks: Iterable[Desk], until: datetime | None) -> list[list[TraceEvent]]:
    """The events of each desk in order."""
    chosen = list(desks)
    # Desks that were read in one consistent moment have their events read in the same one.
    alias = chosen[0]._state.db if chosen else None
    rows = TraceEvent.objects.using(alias).filter(desk__in=chosen).order_by("desk_id", "sequence")
    if until is not None:
        rows = rows.filter(at__lt=until)
    found: dict[int, list[TraceEvent]] = defaultdict(list)
    for event in rows:
        found[event.desk_id].append(event)
    return list(found.values())
