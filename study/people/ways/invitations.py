"""Inviting by address: rows are checked, then one participant, invitation and letter each. And what a link can do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.encrypted import address_hash
from study.accounts.jobs import enqueue
from study.accounts.models import Membership, User
from study.people.flows import DECLINED, end, lock_cohort, new_participant
from study.people.models import (
    Cohort,
    CohortState,
    Contact,
    End,
    Invitation,
    Letter,
    Participant,
    Stage,
    StageEvent,
    Suppression,
)
from study.people.protocol import NoProtocol, file_of, protocol_of
from study.people.ways import people_lists
from study.people.ways.people_lists import Known, Row
from study.people.ways.tokens import hash_of, make_token
from study.protocols.translations import languages_of

VALID_FOR = timedelta(days=60)
INVITATION = "invitation"
SEND_KEY = "tick:send_letters"
BATCH = 500
AGAIN_AFTER = timedelta(minutes=10)
MOST_LETTERS = 8
TOMORROW_AT = time(9)


def known_addresses(study_id: int) -> dict[str, str]:
    """Each lower-case address invited in the study, and in which cohort."""
    rows = Contact.objects.filter(participant__study_id=study_id, participant__invitation__isnull=False)
    found = rows.exclude(email_hash="").values_list("email", "participant__cohort__name")
    return {email.lower(): _("in cohort %(name)s") % {"name": name} for email, name in found}


def known_to(cohort: Cohort, rows: Iterable[Row]) -> Known:
    """What has to be known to check these rows: nobody is invited twice, nor written to who asked not to be."""
    refused = {address: _("Belongs to the staff of this study.") for address in _staff_of(cohort)}
    by_hash = {address_hash(row["email"]): row["email"].lower() for row in rows}
    hashes = list(by_hash)
    for n in range(0, len(hashes), BATCH):
        found = Suppression.objects.filter(study_id=cohort.study_id, email_hash__in=hashes[n : n + BATCH])
        refused |= {by_hash[row.email_hash]: why_not_written_to(row.reason) for row in found}
    try:
        languages = languages_of(file_of(protocol_of(cohort), ""))
    except NoProtocol:
        languages = ()
    return Known(known_addresses(cohort.study_id), refused, languages)


def _staff_of(cohort: Cohort) -> Iterator[str]:
    found = Membership.objects.filter(study_id=cohort.study_id).values_list("user__email", flat=True)
    return (email for email in found if email)


def why_not_written_to(reason: str) -> str:
    words = {
        "unsubscribed": _("Asked not to be written to again."),
        "bounced": _("Letters to this address came back."),
        "complained": _("Marked a letter of this study as unwanted."),
        "erased": _("Was erased and is not written to again."),
    }
    return words.get(reason) or _("Is not written to any more.")


def checked(cohort: Cohort, rows: Sequence[Row]) -> list[Row]:
    """The rows with what is wrong or unclear. Changes nothing."""
    return people_lists.check(rows, known_to(cohort, rows))


def invite(cohort: Cohort, text: str, *, by: User | None) -> list[Participant]:
    """Invite every good address of a pasted text and have the letters sent.

    A second call with the same text invites nobody. Raises ValidationError when the cohort is closed.
    """
    rows = checked(cohort, people_lists.from_text(text))
    return invite_rows(cohort, [row for row in rows if not row["problem"]], by=by)


def invite_rows(
    cohort: Cohort, rows: Sequence[Row], *, by: User | None, progress: Callable[[int, int], None] | None = None
) -> list[Participant]:
    """One participant, invitation and letter for each row, each in a transaction of its own."""
    may_be_invited_to(cohort)
    invited = []
    for done, row in enumerate(rows, start=1):
        try:
            with transaction.atomic():
                invited.append(_invite_one(cohort, row))
        except IntegrityError:
            # Somebody else has just invited this address; the constraint kept it single.
            continue
        if progress and done % 25 == 0:
            progress(done, len(rows))
    if invited:
        audit("people.invited", by=by, study=cohort.study, target=f"cohort {cohort.code}", n=len(invited))
        enqueue("send_letters", once_key=SEND_KEY)
    return invited


def may_be_invited_to(cohort: Cohort) -> None:
    """Raises ValidationError when the cohort takes nobody any more."""
    if cohort.state == CohortState.CLOSED:
        raise ValidationError(_("This cohort is closed. Open it again before inviting."))


def _invite_one(cohort: Cohort, row: Row) -> Participant:
    now = timezone.now()
    participant = new_participant(cohort, invited_at=now, zone=row["zone"], language=row["language"])
    Contact.objects.create(participant=participant, email=row["email"], name=row["name"])
    Invitation.objects.create(
        cohort=cohort,
        participant=participant,
        email_hash=address_hash(row["email"]),
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
        return _("You said no to this invitation. Nobody will write to you about it.")
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


def opens_again(invitation: Invitation) -> bool:
    """Whether a used link may still be confirmed from another browser: until the first answer is stored.

    A mail scanner may have pressed the button before its reader did (P-01). Nothing of anybody is there to see yet.
    """
    one = invitation.participant
    fresh = one.stage == Stage.JOINED and one.end in ("", End.FULL) and not one.screenings.exists()
    return bool(invitation.used_at) and fresh and not invitation.revoked_at


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
def undo_decline(invitation: Invitation) -> bool:
    """The no is taken back from the same link: a scanner may have pressed it. Once; False when there is no no."""
    lock_cohort(invitation.cohort_id)
    claimed = Invitation.objects.filter(
        pk=invitation.pk, declined_at__isnull=False, used_at=None, revoked_at=None, expires_at__gt=timezone.now()
    ).update(declined_at=None)
    said_no = Participant.objects.filter(pk=invitation.participant_id, end=End.WITHDRAWN, joined_at=None)
    if not claimed or not said_no.update(end="", end_reason="", ended_at=None):
        return False
    invitation.participant.refresh_from_db()
    StageEvent.objects.create(participant=invitation.participant, stage=Stage.INVITED, reason="took the no back")
    return True


@transaction.atomic
def tomorrow(invitation: Invitation) -> Letter | None:
    """The same letter once more the next day at nine, in the person's zone; asked for once, however often pressed."""
    one = _locked(invitation.participant)
    asked = [row for row in one.letters.filter(kind=INVITATION) if row.detail.get("asked_for") == "tomorrow"]
    if asked:
        return asked[0]
    zone = ZoneInfo(one.zone or one.cohort.zone or "UTC")
    day = timezone.now().astimezone(zone).date() + timedelta(days=1)
    due = datetime.combine(day, TOMORROW_AT, zone)
    return _next_letter(one, due_at=due, detail={"asked_for": "tomorrow"})


@transaction.atomic
def resend(participant: Participant, *, by: User) -> Letter | None:
    """A new letter to the same mailbox with the same link: the one sent before keeps working.

    One that failed is tried once more. The letter on its way is returned when one is due or went out a moment ago
    (P-08). None when the link is over, the person is in, or the address is not written to any more; a new link is
    what "invite again" makes.
    """
    one = _locked(participant)
    row = Invitation.objects.filter(participant=one).select_related("participant").first()
    if row is None or row.used_at or why_unusable(row) or not_written_to(one):
        return None
    last = one.letters.filter(kind=INVITATION).order_by("-wave").first()
    if last and _on_its_way(last):
        return last
    letter = last if last and send_again(one, by=by) else _next_letter(one)
    if letter and letter != last:
        audit("letter.resent", by=by, study=one.study, target=one.code)
        enqueue("send_letters", once_key=SEND_KEY)
    return letter


def not_written_to(participant: Participant) -> bool:
    """Whether the study has stopped writing to this person's address."""
    contact = Contact.objects.filter(participant=participant).first()
    if contact is None or not contact.email or contact.unsubscribed_at or contact.bounced_at:
        return True
    return Suppression.objects.filter(study_id=participant.study_id, email_hash=contact.email_hash).exists()


def _on_its_way(letter: Letter) -> bool:
    """Going out now, or gone out a moment ago. One that was asked for tomorrow is neither."""
    now = timezone.now()
    if letter.state in ("due", "sending"):
        return letter.due_at < now + AGAIN_AFTER
    return bool(letter.sent_at and now - letter.sent_at < AGAIN_AFTER)


def _locked(participant: Participant) -> Participant:
    return (
        Participant.objects.select_for_update(of=("self",), no_key=True)
        .select_related("cohort", "study")
        .get(pk=participant.pk)
    )


def _next_letter(one: Participant, **fields: object) -> Letter | None:
    """One more invitation letter; None once there were many."""
    last = one.letters.filter(kind=INVITATION).order_by("-wave").first()
    wave = last.wave + 1 if last else 1
    return None if wave > MOST_LETTERS else Letter.objects.create(participant=one, kind=INVITATION, wave=wave, **fields)


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
    # Whoever confirms at this moment holds it too: one of the two is first, and the other sees it.
    lock_cohort(participant.cohort_id)
    now = timezone.now()
    claimed = Invitation.objects.filter(
        participant=participant, participant__stage=Stage.INVITED, used_at=None, revoked_at=None
    ).update(revoked_at=now)
    if claimed:
        Letter.objects.filter(participant=participant, state="due").update(state="dropped")
        end(participant, End.LAPSED, "invitation taken back")
        audit("people.revoked", by=by, study=participant.study, target=participant.code)
    return bool(claimed)
