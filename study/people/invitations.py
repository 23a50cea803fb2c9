"""Inviting by address: a preview of what was pasted, then one participant, invitation and letter each."""

from __future__ import annotations

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.encrypted import address_hash
from study.accounts.jobs import enqueue
from study.accounts.models import User
from study.people import addresses
from study.people.flows import DECLINED, end, lock_cohort, new_participant
from study.people.models import Cohort, CohortState, Contact, End, Invitation, Letter, Participant, Stage
from study.people.tokens import hash_of, make_token

VALID_FOR = timedelta(days=60)
INVITATION = "invitation"
SEND_KEY = "tick:send_letters"


def known_addresses(study_id: int) -> dict[str, str]:
    """Each lower-case address invited in the study, and in which cohort."""
    rows = Contact.objects.filter(participant__study_id=study_id, participant__invitation__isnull=False)
    found = rows.exclude(email_hash="").values_list("email", "participant__cohort__name")
    return {email.lower(): _("in cohort %(name)s") % {"name": name} for email, name in found}


def preview(cohort: Cohort, text: str) -> addresses.Preview:
    """What would go out and what would not. Changes nothing."""
    return addresses.preview(text, known_addresses(cohort.study_id))


def invite(cohort: Cohort, text: str, *, by: User | None) -> list[Participant]:
    """Invite every good address of ``text`` and have the letters sent.

    What the preview refused is left out here too, so a second press of the
    button invites nobody twice. Raises ValidationError when the cohort is closed.
    """
    if cohort.state == CohortState.CLOSED:
        raise ValidationError(_("This cohort is closed. Open it again before inviting."))
    invited = []
    for address in preview(cohort, text).good:
        try:
            with transaction.atomic():
                invited.append(_invite_one(cohort, address))
        except IntegrityError:
            # Somebody else has just invited this address; the constraint kept it single.
            continue
    if invited:
        audit("people.invited", by=by, study=cohort.study, target=f"cohort {cohort.code}", n=len(invited))
        enqueue("send_letters", once_key=SEND_KEY)
    return invited


def _invite_one(cohort: Cohort, address: str) -> Participant:
    now = timezone.now()
    participant = new_participant(cohort, invited_at=now)
    Contact.objects.create(participant=participant, email=address)
    Invitation.objects.create(
        cohort=cohort,
        participant=participant,
        email_hash=address_hash(address),
        token_hash=hash_of(make_token(participant, now)),
        created_at=now,
        expires_at=now + VALID_FOR,
    )
    Letter.objects.create(participant=participant, kind=INVITATION)
    return participant


def invitation_for(token: str) -> Invitation | None:
    """The invitation behind a link, whatever its state; None for a token nobody was given."""
    return (
        Invitation.objects.select_related("participant__cohort__study", "participant__user", "participant__contact")
        .filter(token_hash=hash_of(token))
        .first()
    )


def why_unusable(invitation: Invitation) -> str:
    """Why the link opens nothing any more; empty for one that can still be confirmed or declined."""
    if invitation.revoked_at:
        return _("The study team has taken this invitation back.")
    if invitation.declined_at or (invitation.participant.end and not invitation.used_at):
        return _("You said no to this invitation. If that was a mistake, ask the study team for a new one.")
    if not invitation.used_at and invitation.expires_at <= timezone.now():
        return _("This invitation was valid until %(day)s. Ask the study team for a new one.") % {
            "day": f"{invitation.expires_at:%-d %B %Y}"
        }
    return ""


@transaction.atomic
def use(invitation: Invitation) -> bool:
    """Mark the link as used, once; True for the request that did."""
    return bool(
        Invitation.objects.filter(
            pk=invitation.pk, used_at=None, declined_at=None, revoked_at=None, expires_at__gt=timezone.now()
        ).update(used_at=timezone.now())
    )


@transaction.atomic
def decline(invitation: Invitation) -> None:
    """No, thank you: the participation ends and no letter follows. Pressing twice is the same as once."""
    lock_cohort(invitation.cohort_id)
    claimed = Invitation.objects.filter(pk=invitation.pk, used_at=None, declined_at=None).update(
        declined_at=timezone.now()
    )
    if claimed:
        Letter.objects.filter(participant_id=invitation.participant_id, state="due").update(state="dropped")
        end(invitation.participant, End.WITHDRAWN, DECLINED)


@transaction.atomic
def send_again(participant: Participant, *, by: User) -> bool:
    """Have a letter that was not sent tried once more. Letters that went out are not repeated here."""
    put_back = Letter.objects.filter(
        participant=participant, kind=INVITATION, state="failed", participant__stage=Stage.INVITED, participant__end=""
    ).update(state="due", due_at=timezone.now(), attempts=0, error="")
    if put_back:
        audit("letter.again", by=by, study=participant.study, target=participant.code)
        enqueue("send_letters", once_key=SEND_KEY)
    return bool(put_back)


@transaction.atomic
def revoke(participant: Participant, *, by: User) -> bool:
    """Take an unused invitation back; the link stops working at once."""
    now = timezone.now()
    claimed = Invitation.objects.filter(
        participant=participant, participant__stage=Stage.INVITED, used_at=None, revoked_at=None
    ).update(revoked_at=now)
    if claimed:
        Letter.objects.filter(participant=participant, state="due").update(state="dropped")
        end(participant, End.LAPSED, "invitation taken back")
        audit("people.revoked", by=by, study=participant.study, target=participant.code)
    return bool(claimed)
