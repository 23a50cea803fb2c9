"""Leaving somebody out by a rule of the protocol, and taking them in again: data and end stay as they are (M17).

The reason is one of those the protocol listed before the first person took part. Pay does not depend on it (M21).
"""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import User
from study.people import withdrawal
from study.people.models import Participant, StageEvent
from study.people.protocol import NoProtocol, file_of, protocol_of
from study.people.sample.places import lock_cohort
from study.protocols.design import Exclusion

LEFT_OUT, TAKEN_IN = "left out", "taken in again"
LONGEST_NOTE = 140


def reasons(participant: Participant) -> tuple[Exclusion, ...]:
    """What the protocol of this person's cohort lists; empty where it lists nothing."""
    try:
        return file_of(protocol_of(participant.cohort)).exclusions
    except NoProtocol:
        return ()


def checked_note(note: str) -> str:
    note = note.strip()
    if len(note) > LONGEST_NOTE:
        raise ValidationError(_("A note has at most %(n)d characters.") % {"n": LONGEST_NOTE})
    return note


@transaction.atomic
def exclude(participant: Participant, reason: str, *, note: str = "", by: User | None) -> bool:
    """Leave somebody out from here on; False when they are already. Raises ValidationError with a remedy.

    Their place of the cohort is open again, once, whatever they do afterwards (P-13).
    """
    if participant.preview or participant.joined_at is None:
        raise ValidationError(_("Only somebody who has joined can be left out."))
    if reason not in {one.code for one in reasons(participant)}:
        raise ValidationError(_("Choose one of the reasons that the protocol lists."))
    note = checked_note(note)
    lock_cohort(participant.cohort_id)
    now = timezone.now()
    rows = Participant.objects.filter(pk=participant.pk, excluded_at=None)
    if not rows.update(excluded_at=now, exclusion=reason):
        return False
    _tell(participant, f"{LEFT_OUT}: {reason}", "people.excluded", by, reason, note)
    return True


@transaction.atomic
def include(participant: Participant, *, note: str = "", by: User | None) -> bool:
    """Undo it; False when they were not left out. The cohort may be over its target then, and nobody is put out."""
    note = checked_note(note)
    lock_cohort(participant.cohort_id)
    participant.refresh_from_db(fields=["exclusion", "excluded_at"])
    reason = participant.exclusion
    rows = Participant.objects.filter(pk=participant.pk, excluded_at__isnull=False)
    if not rows.update(excluded_at=None, exclusion=""):
        return False
    _tell(participant, f"{TAKEN_IN}: {reason}", "people.included", by, reason, note)
    return True


def _tell(participant: Participant, event: str, act: str, by: User | None, reason: str, note: str) -> None:
    """The event on the person's timeline, what follows from it elsewhere, and the audit row.

    Typed words stand in the event, which an erasure empties: the audit log is sealed and never changes (P-43).
    """
    event = f"{event}. {note}" if note else event
    participant.refresh_from_db(fields=["excluded_at", "exclusion", "stage", "end"])
    StageEvent.objects.create(participant=participant, stage=participant.stage, end=participant.end, reason=event[:200])
    withdrawal.run_left_out(participant)
    audit(act, by=by, study=participant.study, target=participant.code, reason=reason)
