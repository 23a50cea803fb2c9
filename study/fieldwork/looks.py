"""What was seen of an object before it is rated: records drawn at random, and records opened during work (M3)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

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


def look_for(visit: Visit, object_name: str, time: str = "look") -> list[str]:
    """The stored draw of a visit for one object; empty where the protocol has no look."""
    look = file_of(visit.protocol).rating.look
    if look is None:
        return []
    return draw_look(snapshot_of(visit.org), object_name, look.records, f"{visit.seed}:{time}:{object_name}")


def offer_again(visit: Visit, now: datetime) -> bool:
    """Mark a visit as split when too long passed between the last task and the first rating (M15).

    Then what was opened in the work lies too far back to rate by: each object is looked at again, and a look that
    had been on a screen before the break is drawn anew; its records are added to those that count as the look.
    """
    allowed = timedelta(minutes=file_of(visit.protocol).clocks.split_after)
    if visit.split or visit.work_ended_at is None or now - visit.work_ended_at <= allowed:
        return False
    rated = visit.ratings.exclude(first="").filter(kind__in=(RatingKind.ORG, RatingKind.OBJECT)).exists()
    if rated or not Visit.objects.filter(pk=visit.pk, split=False).update(split=True):
        return False
    visit.split = True
    for row in visit.ratings.filter(kind=RatingKind.OBJECT, shown_at__isnull=False).exclude(look_ids=[]):
        anew = [one for one in look_for(visit, row.target, "look again") if one not in row.look_ids]
        Rating.objects.filter(pk=row.pk).update(look_ids=row.look_ids + anew)
    return True


def work_desks(visit: Visit) -> list[Desk]:
    return list(Desk.objects.filter(attempt__visit=visit).select_related("org"))


def rating_desks(visit: Visit) -> list[Desk]:
    return list(Desk.objects.filter(visit_desk__visit=visit, visit_desk__purpose=Purpose.RATING).select_related("org"))


def seen_in(visit: Visit) -> tuple[dict[str, Seen], dict[str, Seen]]:
    """What was seen by object: during work, and at the rating desk."""
    return seen_by_object(work_desks(visit)), seen_by_object(rating_desks(visit))


def has_seen(visit: Visit, object_name: str) -> bool:
    """Whether a record of this object was opened in work or in the look; after a break only the look counts."""
    work, look = seen_in(visit)
    parts = (look,) if visit.split else (work, look)
    return any(object_name in part and part[object_name].records for part in parts)


def may_rate(rating: Rating) -> bool:
    """Whether the five options are open: always for the Org and without a look, else once a record was seen."""
    if rating.kind != RatingKind.OBJECT or rating.unfamiliar or rating.final:
        return True
    if file_of(rating.visit.protocol).rating.look is None:
        return True
    return has_seen(rating.visit, rating.target)


def do_not_know(rating: Rating) -> None:
    """ "I don't know this kind of record": the options of the card open without a look (M3)."""
    same = Rating.objects.filter(visit=rating.visit, kind=rating.kind, target=rating.target, locked_at__isnull=True)
    same.update(unfamiliar=True)


def look_records(rating: Rating) -> list[LookRecord]:
    """The records of a card's look with their names, and which of them were opened at the rating desk."""
    snapshot = snapshot_of(rating.visit.org)
    thing = snapshot.registry.object(rating.target)
    opened = seen_by_object(rating_desks(rating.visit)).get(rating.target, Seen()).records
    shown = []
    look = file_of(rating.visit.protocol).rating.look
    # After a break the look was drawn anew; the newest draw stands on the card.
    for one in rating.look_ids[-look.records :] if look else []:
        row = snapshot.record(rating.target, one) or {}
        name = str(row.get(thing.name_field) or one)
        second = str(row.get(thing.second_field) or "") if thing.second_field else ""
        shown.append(LookRecord(one, name, second, one in opened))
    return shown
