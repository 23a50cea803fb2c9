"""Pins: a record, or one field of it, kept as evidence of the question under way."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork.answers import BadValue
from study.fieldwork.models import Attempt, Pin
from study.people.protocol import file_of
from study.sandbox.engine.ids import normal_id
from study.sandbox.opened import snapshot_of

MOST = 30
"""Pins of one question; more are refused with words."""


@dataclass(frozen=True)
class Shown:
    """A pin as a chip: the record's name and object, and the field's label where it is one field."""

    pin: Pin
    name: str
    object: str
    field: str


def offered(visit: Visit) -> bool:
    return file_of(visit.protocol).work.pins


def pins_of(attempt: Attempt) -> list[Shown]:
    """The pins of a question in the order they were set."""
    pins = list(attempt.pins.all())
    snapshot = snapshot_of(attempt.visit.org)
    names = snapshot.names([pin.record for pin in pins])
    shown = []
    for pin in pins:
        thing = snapshot.registry.object(pin.object)
        field = thing.field(pin.field).label if pin.field and thing.has(pin.field) else pin.field
        shown.append(Shown(pin, names.get(pin.record, ("", pin.record))[1], thing.label, field))
    return shown


def pin(attempt: Attempt, record: str, field: str = "") -> Pin:
    """Pin a record of this Org, or a field of it; twice is once. BadValue for what is not there."""
    snapshot = snapshot_of(attempt.visit.org)
    full = normal_id(record) or ""
    known = snapshot.names([full]).get(full) if full else None
    if known is None or (field and not snapshot.registry.object(known[0]).has(field)):
        raise BadValue(_("No record here has this Id. Check that you copied it from this CRM."))
    if attempt.pins.count() >= MOST:
        raise BadValue(_("%(most)s pins are the most that fit. Remove one first.") % {"most": MOST})
    return Pin.objects.get_or_create(
        attempt=attempt, record=full, field=field, defaults={"visit": attempt.visit, "object": known[0]}
    )[0]


def unpin(attempt: Attempt, pk: int) -> None:
    """Take a pin away; one that is gone already is no fault."""
    attempt.pins.filter(pk=pk).delete()
