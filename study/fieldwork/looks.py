"""What was seen of an object before it is rated: records drawn at random, and records opened during work (M3)."""

from __future__ import annotations

import random
from dataclasses import dataclass

from study.assignment.models import Visit
from study.fieldwork.models import Rating, RatingKind
from study.people.protocol import file_of
from study.sandbox.engine.queryspec import Order, QuerySpec
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import Desk, Purpose
from study.sandbox.opened import snapshot_of
from study.sandbox.seen import Seen, seen_by_object


@dataclass(frozen=True)
class LookRecord:
    """One record of the look as the card shows it."""

    id: str
    name: str
    second: str
    opened: bool


def draw_look(snapshot: Snapshot, object_name: str, count: int, seed: str) -> list[str]:
    """Ids of ``count`` records drawn without replacement over all records of the object, not over those
    that tasks lead to. The same seed draws the same; a small object gives all it has.
    """
    total = snapshot.count(QuerySpec(object_name), snapshot.last_day)
    places = random.Random(seed).sample(range(total), min(count, total))  # noqa: S311 a draw, not a secret
    found: list[str] = []
    for place in places:
        spec = QuerySpec(object_name, select=("Id",), order=(Order("Id"),), limit=1, offset=place)
        found.extend(str(row[0]) for row in snapshot.run(spec, snapshot.last_day).rows)
    return found


def look_for(visit: Visit, object_name: str) -> list[str]:
    """The stored draw of a visit for one object; empty where the protocol has no look."""
    look = file_of(visit.protocol).rating.look
    if look is None:
        return []
    return draw_look(snapshot_of(visit.org), object_name, look.records, f"{visit.seed}:look:{object_name}")


def work_desks(visit: Visit) -> list[Desk]:
    return list(Desk.objects.filter(attempt__visit=visit).select_related("org"))


def rating_desks(visit: Visit) -> list[Desk]:
    return list(Desk.objects.filter(visit_desk__visit=visit, visit_desk__purpose=Purpose.RATING).select_related("org"))


def seen_in(visit: Visit) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """What was seen by object: during work, and at the rating desk."""
    return seen_by_object(work_desks(visit)), seen_by_object(rating_desks(visit))


def has_seen(visit: Visit, object_name: str) -> bool:
    """Whether a record of this object was opened in work or in the look."""
    return any(object_name in part and part[object_name].records for part in seen_in(visit))


def may_rate(rating: Rating) -> bool:
    """Whether the five options are open: always for the Org and without a look, else once a record was seen."""
    if rating.kind != RatingKind.OBJECT or rating.unfamiliar or rating.final:
        return True
    if file_of(rating.visit.protocol).rating.look is None:
        return True
    return has_seen(rating.visit, rating.target)


def look_records(rating: Rating) -> list[LookRecord]:
    """The records of a card's look with their names, and which of them were opened at the rating desk."""
    snapshot = snapshot_of(rating.visit.org)
    thing = snapshot.registry.object(rating.target)
    opened = seen_by_object(rating_desks(rating.visit)).get(rating.target, Seen()).records
    shown = []
    for one in rating.look_ids:
        row = snapshot.record(rating.target, one) or {}
        name = str(row.get(thing.name_field) or one)
        second = str(row.get(thing.second_field) or "") if thing.second_field else ""
        shown.append(LookRecord(one, name, second, one in opened))
    return shown
