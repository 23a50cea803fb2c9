"""Evidence: records and fields that a person attaches to what they wrote about a rating, and where they find them.

A chip is a row of ``Pin`` with a rating and a side. What can be attached is what this person has met in this visit:
records opened at a desk of the work or of the ratings, and what was pinned or noted on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork.answers import BadValue
from study.fieldwork.looks import rating_desks, work_desks
from study.fieldwork.models import Note, Pin, Rating, RatingKind
from study.people.protocol import file_of
from study.sandbox.engine.ids import normal_id
from study.sandbox.engine.registry import ObjectDef
from study.sandbox.engine.snapshot import Snapshot
from study.sandbox.models import TraceEvent
from study.sandbox.opened import snapshot_of
from study.sandbox.seen import RECORD

MOST = 12
"""Chips of one box."""
OFFERED = 60
AT_HAND = 8


class NotOpen(Exception):
    """The ratings are locked; nothing is attached or taken away any more."""


@dataclass(frozen=True)
class Chip:
    """One attached record or field as a card shows it; ``fields`` are those it can be narrowed to."""

    pk: int
    record: str
    kind: str
    name: str
    field: str
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Offer:
    """Something that can be attached, with where it was met last."""

    record: str
    kind: str
    name: str
    field: str = ""
    field_label: str = ""
    pinned: bool = False

    @property
    def value(self) -> str:
        return f"{self.record}:{self.field}"


def is_on(visit: Visit) -> bool:
    return file_of(visit.protocol).rating.evidence


def chips_of(rating: Rating) -> dict[str, list[Chip]]:
    """The chips of a card by side, in the order they were attached."""
    pins = list(rating.pins.order_by("at", "pk"))
    snapshot = snapshot_of(rating.visit.org)
    names = snapshot.names({pin.record for pin in pins})
    found: dict[str, list[Chip]] = {}
    for pin in pins:
        if pin.record not in names:
            continue
        item = snapshot.registry.object(pin.object)
        label = item.field(pin.field).label if item.has(pin.field) else ""
        chip = Chip(pin.pk, pin.record, item.label, names[pin.record][1], label, _fields(snapshot, item, pin.record))
        found.setdefault(pin.side, []).append(chip)
    return found


def _fields(snapshot: Snapshot, item: ObjectDef, record: str) -> tuple[tuple[str, str], ...]:
    """The fields of a record that hold something, by label."""
    row = snapshot.record(item.name, record) or {}
    return tuple((f.name, f.label) for f in item.fields if f.type != "id" and row.get(f.name) not in (None, ""))


def offers_for(rating: Rating) -> list[Offer]:
    """What can be attached to a card, the latest first: of the rated object, on the Org's card of any."""
    visit = rating.visit
    snapshot = snapshot_of(visit.org)
    met = sorted(_met(visit, rating), key=lambda one: one[0], reverse=True)
    names = snapshot.names({record for _at, record, _field, _pinned in met})
    offers: dict[tuple[str, str], Offer] = {}
    for _at, record, field, pinned in met:
        if record not in names or (record, field) in offers:
            continue
        item = snapshot.registry.object(names[record][0])
        label = item.field(field).label if item.has(field) else ""
        offers[record, field if label else ""] = Offer(
            record, item.label, names[record][1], field if label else "", label, pinned
        )
        if len(offers) == OFFERED:
            break
    return list(offers.values())


Met = tuple[datetime, str, str, bool]


def _met(visit: Visit, rating: Rating) -> Iterable[Met]:
    """When, which record, which field of it, and whether it was pinned or noted on purpose."""
    only = {} if rating.kind == RatingKind.ORG else {"object": rating.target}
    desks = [*work_desks(visit), *rating_desks(visit)]
    opened = TraceEvent.objects.filter(desk__in=desks, kind=RECORD, **only).exclude(record="")
    for at, record in opened.values_list("at", "record"):
        yield at, record, "", False
    for pin in Pin.objects.filter(visit=visit, rating__isnull=True, **only):
        yield pin.at, pin.record, pin.field, True
    for note in Note.objects.filter(visit=visit, **only).exclude(record=""):
        yield note.at, note.record, "", True


def attach(rating: Rating, side: str, record: str, field: str = "") -> str:
    """Attach a record, or one field of it, to a box; the box. Twice is once. Raises BadValue and NotOpen."""
    one = normal_id(record) or ""
    met = {known for _at, known, _field, _pinned in _met(rating.visit, rating)}
    if not is_on(rating.visit) or one not in met:
        raise BadValue(_("Open this record first; then it can be attached."))
    item = snapshot_of(rating.visit.org).registry.object_for_id(one)
    if item is None or (field and not item.has(field)):
        raise BadValue(_("This record has no such field."))
    with transaction.atomic():
        _hold_open(rating)
        own = Pin.objects.filter(rating=rating, side=side)
        if own.filter(record=one, field=field).exists():
            return side
        if own.count() >= MOST:
            raise BadValue(_("%(most)d records are the most for one box. Remove one first.") % {"most": MOST})
        Pin.objects.create(visit=rating.visit, rating=rating, side=side, object=item.name, record=one, field=field)
    return side


def remove(rating: Rating, pk: int) -> str:
    """Take a chip away; the side it was on, empty when it was gone already."""
    with transaction.atomic():
        _hold_open(rating)
        pin = Pin.objects.filter(rating=rating, pk=pk).first()
        if pin is None:
            return ""
        pin.delete()
        return pin.side


def narrow(rating: Rating, pk: int, field: str) -> str:
    """Let a chip point to one field of its record, or with an empty field to all of it; the side it is on."""
    with transaction.atomic():
        _hold_open(rating)
        pin = Pin.objects.filter(rating=rating, pk=pk).first()
        if pin is None:
            return ""
        if field and not snapshot_of(rating.visit.org).registry.object(pin.object).has(field):
            raise BadValue(_("This record has no such field."))
        same = Pin.objects.filter(rating=rating, side=pin.side, record=pin.record, field=field).exclude(pk=pk)
        if same.exists():
            pin.delete()
        else:
            Pin.objects.filter(pk=pk).update(field=field)
        return pin.side


def _hold_open(rating: Rating) -> None:
    """Every act waits for the visit's row, so none falls into the moment of the lock."""
    Visit.objects.select_for_update(no_key=True).get(pk=rating.visit_id)
    if Rating.objects.filter(pk=rating.pk, locked_at__isnull=False).exists():
        raise NotOpen


@dataclass(frozen=True)
class NoteShown:
    """A note of the work as a card shows it again."""

    note: Note
    name: str


def notes_for(rating: Rating) -> tuple[list[NoteShown], list[NoteShown]]:
    """The notes about this object, and the rest; the Org's card has all of them at hand."""
    notes = list(Note.objects.filter(visit=rating.visit).order_by("at", "pk"))
    names = snapshot_of(rating.visit.org).names({note.record for note in notes if note.record})
    shown = [NoteShown(note, names[note.record][1] if note.record in names else "") for note in notes]
    at_hand = [one for one in shown if rating.kind == RatingKind.ORG or one.note.object == rating.target]
    return at_hand, [one for one in shown if one not in at_hand]
