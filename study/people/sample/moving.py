"""Moving somebody to another cohort of the study, before they have consented to anything."""

from __future__ import annotations

from copy import copy

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.models import User
from study.people.models import Cohort, Invitation, Participant, Stage, StageEvent
from study.people.moderated import slots
from study.people.protocol import NoProtocol, protocol_of
from study.people.sample.places import has_room, is_over, lock_cohort
from study.people.sample.quotas import cell_of

BEFORE_CONSENT = (Stage.INVITED, Stage.JOINED, Stage.ELIGIBLE)


def why_not(participant: Participant, to: Cohort) -> str:
    """Why this person cannot go to that cohort; empty when they can. To rely on it, hold both cohorts' rows."""
    if to.study_id != participant.study_id or participant.preview:
        return _("This person belongs to another study.")
    if participant.end:
        return _("%(code)s has ended, so there is nobody to move.") % {"code": participant.code}
    if participant.stage not in BEFORE_CONSENT or participant.consents.exists():
        return _("%(code)s has consented. From then on people stay in their cohort.") % {"code": participant.code}
    if is_over(to):
        return _("“%(name)s” is closed.") % {"name": to.name}
    if not same_protocol(participant, to):
        return _("“%(name)s” has another version of the protocol, with other questions.") % {"name": to.name}
    if participant.joined_at and participant.cohort.panel != to.panel:
        return _("%(code)s came through a panel, whose codes belong to their cohort.") % {"code": participant.code}
    if same_address(participant, to):
        return _("This address has been invited to “%(name)s” already.") % {"name": to.name}
    if not has_room(to, _as_of(participant, to), screened=participant.stage == Stage.ELIGIBLE):
        return _("“%(name)s” has no place left for %(code)s.") % {"name": to.name, "code": participant.code}
    return ""


def same_protocol(participant: Participant, to: Cohort) -> bool:
    """Whether what somebody has read and answered is what the other cohort's people are asked."""
    if participant.joined_at is None:
        return True
    try:
        return protocol_of(participant.cohort).pk == protocol_of(to).pk
    except NoProtocol:
        return False


def same_address(participant: Participant, to: Cohort) -> bool:
    """An address is invited once per cohort, by database key."""
    mine = Invitation.objects.filter(participant=participant).first()
    return mine is not None and to.invitations.filter(email_hash=mine.email_hash).exclude(pk=mine.pk).exists()


def _as_of(participant: Participant, to: Cohort) -> Participant:
    """The person with the cell their first answers make there; the one passed in stays as it is."""
    first = participant.screenings.order_by("number").first()
    there = copy(participant)
    there.cell = cell_of(to.quota_axes, first.answers) if first else ""
    return there


def cohorts_for(participant: Participant) -> list[tuple[Cohort, str]]:
    """The other cohorts of the study, each with the reason why it is not possible."""
    others = Cohort.objects.filter(study_id=participant.study_id).exclude(pk=participant.cohort_id)
    return [(cohort, why_not(participant, cohort)) for cohort in others]


@transaction.atomic
def move(participant: Participant, to: Cohort, *, by: User | None) -> bool:
    """Move; False when they are there already (a double click). Raises ValidationError with the reason why not."""
    # Both rows in one order: two moves the other way round never wait for each other in a ring.
    for pk in sorted({participant.cohort_id, to.pk}):
        lock_cohort(pk)
    participant = (
        Participant.objects.select_related("cohort", "study")
        .select_for_update(of=("self",), no_key=True)
        .get(pk=participant.pk)
    )
    to.refresh_from_db()
    if participant.cohort_id == to.pk:
        return False
    if reason := why_not(participant, to):
        raise ValidationError(reason)
    before = participant.cohort
    now = timezone.now()
    participant.cell = _as_of(participant, to).cell
    participant.cohort, participant.moved_from, participant.pilot = to, before.code, to.pilot
    if participant.stage == Stage.ELIGIBLE:
        participant.eligible_at = now
    participant.save(update_fields=["cohort", "moved_from", "pilot", "cell", "eligible_at"])
    Invitation.objects.filter(participant=participant).update(cohort=to)
    slots.let_go(participant)
    StageEvent.objects.create(participant=participant, stage=participant.stage, reason=f"moved from {before.code}")
    audit("people.moved", by=by, study=to.study, target=participant.code, **{"from": before.code, "to": to.code})
    return True
