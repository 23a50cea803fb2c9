"""A fresh invitation for somebody whose last one expired, was declined or taken back: the same person, a new link."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.jobs import enqueue
from study.accounts.models import User
from study.people.flows import DECLINED
from study.people.models import Contact, End, Invitation, Letter, Participant, Stage, StageEvent, Suppression
from study.people.sample.places import has_room, is_over, lock_cohort
from study.people.ways.invitations import INVITATION, SEND_KEY, VALID_FOR
from study.people.ways.tokens import hash_of, make_token

AGAIN = "invited again"


def needs_consent_to_be_asked(participant: Participant) -> bool:
    """Somebody who said no was promised to hear nothing more: they are written to only if they asked for it."""
    return participant.end == End.WITHDRAWN and participant.end_reason == DECLINED


def why_not(participant: Participant) -> str:
    """Why no fresh invitation can go out; empty when one can."""
    invitation = Invitation.objects.filter(participant=participant).first()
    contact = Contact.objects.filter(participant=participant).first()
    if invitation is None or contact is None or not contact.email:
        return _("%(code)s has no address.") % {"code": participant.code}
    if participant.stage != Stage.INVITED or participant.joined_at or invitation.used_at:
        return _("%(code)s has used the invitation already.") % {"code": participant.code}
    if not (invitation.declined_at or invitation.revoked_at or invitation.expires_at <= timezone.now()):
        return _("The invitation of %(code)s still holds. Send it again instead.") % {"code": participant.code}
    if contact.unsubscribed_at or contact.bounced_at or is_suppressed(participant, contact):
        return _("No letter goes to this address any more: it bounced, or its owner asked for that.")
    if is_over(participant.cohort):
        return _("“%(name)s” is closed.") % {"name": participant.cohort.name}
    if not has_room(participant.cohort, participant):
        return _("“%(name)s” has no place left for %(code)s.") % {
            "name": participant.cohort.name, "code": participant.code,
        }  # fmt: skip
    return ""


def is_suppressed(participant: Participant, contact: Contact) -> bool:
    rows = Suppression.objects.filter(email_hash=contact.email_hash)
    return rows.filter(study_id=participant.study_id).exists()


@transaction.atomic
def invite_again(participant: Participant, *, asked: bool = False, by: User | None) -> bool:
    """A new link and letter; the old link stops working. Raises ValidationError with the reason why not.

    ``asked``: they wrote that they want to be invited after all, which somebody who said no has to have done.
    """
    lock_cohort(participant.cohort_id)
    participant.refresh_from_db()
    if reason := why_not(participant):
        raise ValidationError(reason)
    if needs_consent_to_be_asked(participant) and not asked:
        raise ValidationError(_("They said no. Tick that they have asked for a new invitation themselves."))
    now = timezone.now()
    Participant.objects.filter(pk=participant.pk, stage=Stage.INVITED, joined_at=None).update(
        end="", end_reason="", ended_at=None, analysed=None, invited_at=now
    )
    participant.refresh_from_db()
    StageEvent.objects.create(participant=participant, stage=Stage.INVITED, reason=AGAIN, at=now)
    Invitation.objects.filter(participant=participant).update(
        token_hash=hash_of(make_token(participant, now)),
        created_at=now,
        expires_at=now + VALID_FOR,
        declined_at=None,
        revoked_at=None,
    )
    Letter.objects.filter(participant=participant, state="due").update(state="dropped")
    wave = (Letter.objects.filter(participant=participant, kind=INVITATION).aggregate(n=Max("wave"))["n"] or 0) + 1
    Letter.objects.create(participant=participant, kind=INVITATION, wave=wave)
    audit("people.invited_again", by=by, study=participant.study, target=participant.code, asked=asked)
    enqueue("send_letters", once_key=SEND_KEY)
    return True
