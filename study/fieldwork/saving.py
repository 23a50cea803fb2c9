"""Saves that are acknowledged: value, base version, save id. Never two answers to one save, never a silent merge (A7).

A field is named by its path: ``attempt/2``, ``rating/Case``, ``rationale/Case/off``,
``closing/rushed``. Every save of a visit waits for the one before it (its row is
locked), so a lock of the ratings falls wholly before or wholly after a save.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork.answers import BadValue
from study.fieldwork.models import Save
from study.fieldwork.slots import Closed, Slot, slot_for

SAVE_ID = re.compile(r"[A-Za-z0-9_-]{8,40}")
LARGEST_VERSION = 10**9
FORMS = uuid.UUID("5b0f4f0e-6f0e-4c57-9d0a-8f2f0a6b7c11")


def version_in(text: str | None, default: int) -> int:
    """The version a form began from; what no page sends counts as not said."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else default


@dataclass(frozen=True)
class Acknowledged:
    """What is stored now, and since when."""

    field: str
    version: int
    value: Any
    at: datetime
    by: str = ""
    """Of a version that stands in the way: the save it came from, so that a page knows its own."""


class Stale(Exception):
    """Another tab has saved since; nothing was overwritten. Both texts are kept."""

    def __init__(self, stored: Acknowledged, typed: Any) -> None:
        super().__init__(stored.field)
        self.stored, self.typed = stored, typed


def save(visit: Visit, *, field: str, value: Any, base: int, save_id: str, form: bool = False) -> Acknowledged:
    """Store one field and acknowledge it.

    The same ``save_id`` again is answered as it was the first time. A ``form`` that comes
    again by the Back button has the id of before, with other words in it: a save of its own. Raises
    Stale when ``base`` is not the stored version and the value differs; BadValue
    for what cannot be stored; Closed once its part is over; UnknownField. What comes
    too late, or finds another version, is kept as a revision and changes nothing.
    """
    if not isinstance(save_id, str) or not SAVE_ID.fullmatch(save_id):
        raise BadValue(_("This save has no id."))
    if isinstance(base, bool) or not isinstance(base, int) or not 0 <= base <= LARGEST_VERSION:
        raise BadValue(_("This save has no version."))
    with transaction.atomic():
        Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
        slot, earlier = slot_for(visit, field), Save.objects.filter(visit=visit, save_id=save_id).first()
        if earlier is not None and form and (earlier.field, earlier.value) != (field, slot.clean(value)):
            save_id = uuid.uuid5(FORMS, f"{save_id} {field} {value!r}").hex
            earlier = Save.objects.filter(visit=visit, save_id=save_id).first()
        if earlier is not None and earlier.accepted:
            return Acknowledged(earlier.field, earlier.version, earlier.value, earlier.at)
        kept, late = (earlier.value if earlier else None), _closed(slot)
        if earlier is None and late is None:
            kept = slot.clean(value)
            done = _write(visit, slot, kept, base, save_id)
            if done is not None:
                return done
        elif earlier is None and not visit.participant.end:
            _keep_aside(visit, slot, value, base, save_id)
    if late is not None:
        raise late
    version, stored, at = slot.stored()
    written = Save.objects.filter(visit=visit, field=field, version=version, accepted=True).order_by("pk").first()
    by = written.save_id if written else ""
    raise Stale(Acknowledged(field, version, stored, at or timezone.now(), by), kept)


def _closed(slot: Slot) -> Closed | None:
    """Why the part of this field takes nothing any more; None while it is open."""
    try:
        slot.check_open()
    except Closed as closed:
        return closed
    return None


def _keep_aside(visit: Visit, slot: Slot, value: Any, base: int, save_id: str) -> None:
    """A text that came too late is no answer, and is not thrown away either."""
    version, stored, _at = slot.stored()
    try:
        kept = slot.clean(value)
    except BadValue:
        return
    if kept != stored:
        Save.objects.create(
            visit=visit, save_id=save_id, field=slot.field, base=base, version=version, value=kept, accepted=False
        )


def _write(visit: Visit, slot: Slot, kept: Any, base: int, save_id: str) -> Acknowledged | None:
    """Write the value if ``base`` is current or nothing changes; None when it is stale (the value is kept aside)."""
    now = timezone.now()
    version, stored, at = slot.stored()
    same = version > 0 and stored == kept
    if same:
        accepted, reached, when = True, version, at or now
    else:
        accepted, when = base == version and slot.write(kept, base, now), now
        reached = base + 1 if accepted else version
    Save.objects.create(
        visit=visit,
        save_id=save_id,
        field=slot.field,
        base=base,
        version=reached,
        value=kept,
        accepted=accepted,
        at=when,
    )
    return Acknowledged(slot.field, reached, kept, when) if accepted else None
