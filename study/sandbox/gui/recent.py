"""What was opened at this desk lately."""

from __future__ import annotations

from dataclasses import dataclass

from study.sandbox.engine.registry import ObjectDef
from study.sandbox.gui.naming import names_of
from study.sandbox.gui.rooms import Room
from study.sandbox.models import TraceEvent

LATEST = 8
MOST_LATELY = 50


@dataclass(frozen=True)
class Recent:
    item: ObjectDef
    record_id: str
    name: str
    url: str


def recent_records(room: Room) -> list[Recent]:
    """The records opened last at this desk, newest first, each once."""
    events = TraceEvent.objects.filter(desk=room.desk, kind="record").order_by("-sequence")
    ids = list(dict.fromkeys(events.values_list("record", flat=True)[: LATEST * 5]))[:LATEST]
    names = names_of(room.snapshot, ids)
    found = []
    for one in ids:
        item = room.registry.object_for_id(one)
        if item is not None and one in names:
            found.append(Recent(item, one, names[one], room.record_url(one)))
    return found


def opened_lately(room: Room, item: ObjectDef) -> tuple[str, ...]:
    """The Ids of an object's records opened last at this desk, newest first."""
    events = TraceEvent.objects.filter(desk=room.desk, kind="record", object=item.name).order_by("-sequence")
    return tuple(dict.fromkeys(events.values_list("record", flat=True)[: MOST_LATELY * 5]))[:MOST_LATELY]
