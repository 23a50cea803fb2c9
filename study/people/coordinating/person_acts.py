"""What can be done about one participant: links to the acts' own pages, and the notes that coordinators keep.

Most acts belong to other modules; one that this installation does not have is not offered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from study.accounts.audit import audit
from study.accounts.models import User
from study.accounts.typed_text import visible_text
from study.people.models import Contact, Participant, Stage

LONGEST_NOTES = 20_000


@dataclass(frozen=True)
class Link:
    label: str
    href: str


def _not_begun(one: Participant) -> bool:
    return not one.end and one.stage in (Stage.INVITED, Stage.JOINED, Stage.ELIGIBLE)


# URL name, words, when it makes sense. Each leads to a page that says what it does and asks.
ACTS: tuple[tuple[str, Promise, Callable[[Participant], bool]], ...] = (
    ("participant_invite_again", gettext_lazy("Invite again"), lambda one: one.stage == Stage.INVITED),
    ("participant_move", gettext_lazy("Move to another cohort"), _not_begun),
    ("participant_exclude", gettext_lazy("Exclude by a rule"), lambda one: one.excluded_at is None),
    ("participant_exclude", gettext_lazy("Take the exclusion back"), lambda one: one.excluded_at is not None),
    ("participant_pay", gettext_lazy("Pay something"), lambda one: bool(one.joined_at)),
    ("participant_access", gettext_lazy("Hand over what is held"), lambda one: True),
    ("participant_erase", gettext_lazy("Erase who this is"), lambda one: True),
)


def links(participant: Participant) -> list[Link]:
    """The acts that have a page of their own and make sense now; none for somebody who is erased."""
    return [] if participant.erased_at else list(_links(participant))


def _links(participant: Participant) -> Iterator[Link]:
    for name, words, fits in ACTS:
        if not fits(participant):
            continue
        try:
            yield Link(str(words), reverse(name, args=[participant.study.code, participant.code]))
        except NoReverseMatch:
            continue


def mark_of(notes: str) -> str:
    """By which a form says which notes it was opened on."""
    return hashlib.sha256(notes.encode()).hexdigest()[:16]


def notes_of(participant: Participant) -> str:
    contact = Contact.objects.filter(participant=participant).first()
    return contact.notes if contact else ""


@transaction.atomic
def write_notes(participant: Participant, text: str, *, opened_on: str, by: User) -> bool:
    """Keep what a coordinator notes about a person, encrypted. False when it stands there already.

    Raises ValidationError when somebody else has changed the notes since this form was opened, or for too long a text.
    """
    row = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    if row.erased_at:
        raise ValidationError(_("This person is erased, so nothing is noted about them any more."))
    text = visible_text(text).strip()
    if len(text) > LONGEST_NOTES:
        raise ValidationError(_("Notes hold 20,000 characters. Shorten them; nothing was stored."))
    contact, _made = Contact.objects.get_or_create(participant=row)
    if contact.notes == text:
        return False
    if mark_of(contact.notes) != opened_on:
        raise ValidationError(
            _("Somebody else has changed these notes meanwhile. Theirs stand above; bring both together.")
        )
    contact.notes = text
    contact.save(update_fields=["notes"])
    audit("person.noted", by=by, study=participant.study, target=participant.code, characters=len(text))
    return True
