"""Whom nobody writes to: people who asked for no more letters, addresses that are dead, people who were erased.

The link to get no more letters holds the participant's code and a mark, never an address (P-02). The mark is made
with ``REALIA_LOOKUP_KEY``, which stays when ``SECRET_KEY`` changes: a letter may lie in a mailbox for years.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from study.accounts.audit import audit
from study.accounts.encrypted import keyed_hash
from study.accounts.models import User
from study.people.models import Contact, Letter, Participant, Suppression

PAUSED, UNSUBSCRIBED, COMPLAINED = "paused", "unsubscribed", "complained"
BOUNCED, ERASED = "bounced", "erased"
# A later reason takes the place of an earlier one only if it holds longer.
STRENGTH = (PAUSED, UNSUBSCRIBED, COMPLAINED, BOUNCED, ERASED)
SILENT = {
    PAUSED: "letters to them are paused",
    UNSUBSCRIBED: "asked for no more letters",
    COMPLAINED: "called a letter unwanted",
    BOUNCED: "the address is dead",
    ERASED: "erased",
}
MARK = 24


def token_of(participant: Participant) -> str:
    """``7KQ4-…``: the code's own letters and a mark of 24 characters."""
    mark = keyed_hash("unsubscribe", f"{participant.pk}:{participant.code}")[:MARK]
    return f"{participant.code.removeprefix('P-')}-{mark}"


def link_of(participant: Participant) -> str:
    return settings.REALIA_URL + reverse("unsubscribe", args=[token_of(participant)])


def participant_behind(token: str) -> Participant | None:
    """Whose link this is; None for a token nobody was given."""
    code = token.rpartition("-")[0]
    row = Participant.objects.select_related("cohort__study", "study").filter(code=f"P-{code}").first()
    return row if row is not None and constant_time_compare(token_of(row), token) else None


def suppress(study_id: int, email_hash: str, reason: str) -> None:
    """From now on nobody of this study writes to the address; erasing does not undo it."""
    if not email_hash:
        return
    try:
        with transaction.atomic():
            row, made = Suppression.objects.get_or_create(
                study_id=study_id, email_hash=email_hash, defaults={"reason": reason}
            )
    except IntegrityError:
        row, made = Suppression.objects.get(study_id=study_id, email_hash=email_hash), False
    if not made and STRENGTH.index(reason) > STRENGTH.index(row.reason):
        Suppression.objects.filter(pk=row.pk).update(reason=reason, at=timezone.now())


def why_silent(participant: Participant, *, unasked: bool) -> str:
    """Why this person gets no letter (or none they did not ask for); empty when they may be written to."""
    contact = getattr(participant, "contact", None)
    if participant.erased_at:
        return SILENT[ERASED]
    if contact is None or not contact.email:
        return "no address"
    held = Suppression.objects.filter(study_id=participant.study_id, email_hash=contact.email_hash).first()
    reasons = {held.reason} if held else set()
    reasons |= {BOUNCED} if contact.bounced_at else set()
    reasons |= {UNSUBSCRIBED} if contact.unsubscribed_at else set()
    for reason in (ERASED, BOUNCED, *((COMPLAINED, UNSUBSCRIBED, PAUSED) if unasked else ())):
        if reason in reasons:
            return SILENT[reason]
    return ""


def unsubscribed_at(participant: Participant) -> datetime | None:
    row = Contact.objects.filter(participant=participant).first()
    return row.unsubscribed_at if row else None


@transaction.atomic
def unsubscribe(participant: Participant) -> bool:
    """No more letters they did not ask for. Once; the invitation and the way back into the hour stay as they are."""
    contact = Contact.objects.filter(participant=participant).first()
    if contact is None:
        return False
    suppress(participant.study_id, contact.email_hash, UNSUBSCRIBED)
    return bool(Contact.objects.filter(pk=contact.pk, unsubscribed_at=None).update(unsubscribed_at=timezone.now()))


@transaction.atomic
def complained(participant: Participant) -> None:
    """They called a letter unwanted in their mail program: the same as asking for no more, and it holds longer."""
    if contact := Contact.objects.filter(participant=participant).first():
        suppress(participant.study_id, contact.email_hash, COMPLAINED)


@transaction.atomic
def subscribe_again(participant: Participant) -> bool:
    """They took it back themselves. A dead address stays silent."""
    contact = Contact.objects.filter(participant=participant).first()
    if contact is None:
        return False
    rows = Suppression.objects.filter(study_id=participant.study_id, email_hash=contact.email_hash)
    rows.filter(reason=UNSUBSCRIBED).delete()
    return bool(Contact.objects.filter(pk=contact.pk).exclude(unsubscribed_at=None).update(unsubscribed_at=None))


@transaction.atomic
def address_is_dead(participant: Participant, *, by: User | None = None) -> bool:
    """The address refuses for good (P-37): nothing more is sent there, and a coordinator sees it."""
    contact = Contact.objects.filter(participant=participant).first()
    if contact is None or not contact.email:
        return False
    suppress(participant.study_id, contact.email_hash, BOUNCED)
    if not Contact.objects.filter(pk=contact.pk, bounced_at=None).update(bounced_at=timezone.now()):
        return False
    Letter.objects.filter(participant=participant, state="due").update(state="dropped", error=SILENT[BOUNCED])
    audit("contact.bounced", by=by, study=participant.study, target=participant.code)
    return True


@transaction.atomic
def address_works(participant: Participant, *, by: User) -> bool:
    """A coordinator knows better: letters go there again. Whoever wants none still gets none."""
    contact = Contact.objects.filter(participant=participant).first()
    if contact is None or not Contact.objects.filter(pk=contact.pk).exclude(bounced_at=None).update(bounced_at=None):
        return False
    Suppression.objects.filter(study_id=participant.study_id, email_hash=contact.email_hash, reason=BOUNCED).delete()
    if contact.unsubscribed_at:
        suppress(participant.study_id, contact.email_hash, UNSUBSCRIBED)
    audit("contact.works", by=by, study=participant.study, target=participant.code)
    return True
