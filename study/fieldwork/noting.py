"""Notes: a few neutral words on what stands open during the work; they come back at the ratings (instrument 2.4)."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils.translation import gettext as _

from study.assignment.models import Visit
from study.fieldwork.answers import BadValue, typed
from study.fieldwork.models import Attempt, Note
from study.people.protocol import file_of
from study.sandbox.engine.ids import normal_id
from study.sandbox.opened import snapshot_of

MOST = 200
"""Notes of one visit; more are refused with words, none is dropped."""


def offered(visit: Visit) -> bool:
    return file_of(visit.protocol).work.notes


@dataclass(frozen=True)
class Noted:
    """A note with the name of the record that stood open, if one did."""

    note: Note
    name: str


def notes_of(visit: Visit) -> list[Noted]:
    """The notes of a visit, oldest first."""
    notes = list(Note.objects.filter(visit=visit))
    names = snapshot_of(visit.org).names([note.record for note in notes if note.record])
    return [Noted(note, names.get(note.record, ("", ""))[1]) for note in notes]


def take_note(attempt: Attempt, words: str, record: str = "") -> Note:
    """Keep words with the record that stands open, if one does. BadValue for no words.

    A second press keeps one note: the same words at the same place stay one row.
    """
    visit = attempt.visit
    text = typed(words).strip()
    if not text:
        raise BadValue(_("There is nothing in the note yet."))
    full = normal_id(record) or ""
    known = snapshot_of(visit.org).names([full]).get(full) if full else None
    thing, full = (known[0], full) if known else ("", "")
    with transaction.atomic():
        Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
        same = visit.notes.filter(attempt=attempt, text=text, object=thing, record=full)
        if visit.notes.count() >= MOST and not same.exists():
            raise BadValue(_("%(most)s notes are the most that fit. Delete one first.") % {"most": MOST})
        return Note.objects.get_or_create(visit=visit, attempt=attempt, text=text, object=thing, record=full)[0]


def delete_note(visit: Visit, pk: int) -> None:
    """Take a note away; one that is gone already is no fault."""
    Note.objects.filter(visit=visit, pk=pk).delete()
