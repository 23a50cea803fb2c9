"""Letters: what they say, and the job that sends what is due. One letter per person, kind and wave (P-35)."""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.jobs import Running, job_kind
from study.people.frame import cohort_frame
from study.people.language import speaking
from study.people.models import CohortState, Contact, Letter, Participant, Stage
from study.people.protocol import language_of
from study.people.tokens import token_to_send

log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=15)
FIRST_RETRY = timedelta(minutes=5)
MOST_ATTEMPTS = 7


Write = Callable[[Letter], EmailMessage]
Wanted = Callable[[Letter], bool]


@dataclass(frozen=True)
class Kind:
    """How one kind of letter is written, and whether it is still wanted: asked again at the moment of sending."""

    write: Write
    wanted: Wanted
    while_closed: bool
    """Sent to people who have begun, so a pause of the cohort does not hold it back."""


_kinds: dict[str, Kind] = {}


def letter_kind(name: str, *, wanted: Wanted, while_closed: bool = False) -> Callable[[Write], Write]:
    """Register who writes a kind of letter. An app that knows more than this one does so in its ``AppConfig.ready``."""

    def register(write: Write) -> Write:
        _kinds[name] = Kind(write, wanted, while_closed)
        return write

    return register


def still_invited(letter: Letter) -> bool:
    """Nobody who joined, declined or was taken back is written to."""
    participant = letter.participant
    invitation = participant.invitation
    settled = invitation.used_at or invitation.declined_at or invitation.revoked_at
    return not participant.end and participant.stage == Stage.INVITED and not settled


@letter_kind("invitation", wanted=still_invited)
def write_invitation(letter: Letter) -> EmailMessage:
    """The invitation as sent: the public title, the facts, the link; never the study's private name (M7)."""
    participant = letter.participant
    invitation = participant.invitation
    context = cohort_frame(participant.cohort) | {
        "link": settings.REALIA_URL + reverse("invitation", args=[token_to_send(invitation)]),
        "until": invitation.expires_at,
        "cohort": participant.cohort,
    }
    body = render_to_string("people/letters/invitation.txt", context)
    subject = _("Invitation: %(title)s") % {"title": context["public_title"]}
    return EmailMessage(subject, body, None, [participant.contact.email], reply_to=[context["ask"]])


def put(participant: Participant, kind: str, *, wave: int = 1, due_at: datetime | None = None) -> Letter | None:
    """A letter to send from ``due_at`` on, once per kind and wave; None for somebody without an address."""
    if not Contact.objects.filter(participant=participant).exclude(email_hash="").exists():
        return None
    row, _made = Letter.objects.get_or_create(
        participant=participant, kind=kind, wave=wave, defaults={"due_at": due_at or timezone.now()}
    )
    return row


def drop(participant: Participant, kind: str) -> int:
    """Letters of a kind that are no longer needed."""
    return Letter.objects.filter(participant=participant, kind=kind, state="due").update(state="dropped")


def send_one(pk: int) -> str:
    """Claim, check and send one letter; the state it is left in."""
    now = timezone.now()
    claimed = Letter.objects.filter(pk=pk, state="due", due_at__lte=now).update(
        state="sending", due_at=now + CLAIM, attempts=F("attempts") + 1
    )
    if not claimed:
        return ""
    letter = Letter.objects.select_related("participant__cohort", "participant__contact").get(pk=pk)
    kind = _kinds[letter.kind]
    if not kind.wanted(letter):
        return _leave(letter, "dropped")
    try:
        with speaking(language_of(letter.participant)):
            message = kind.write(letter)
        message.send()
    except (smtplib.SMTPException, OSError) as error:
        return _after_failure(letter, error)
    return _leave(letter, "sent", sent_at=timezone.now(), error="")


def _after_failure(letter: Letter, error: Exception) -> str:
    """A refusal for good stops this letter; anything else is tried again, more and more slowly (P-37)."""
    codes = [code for code, _text in getattr(error, "recipients", {}).values()] or [getattr(error, "smtp_code", 0)]
    for_good = any(500 <= code < 600 for code in codes)
    # Server replies repeat the address; only their kind and number are kept.
    said = f"{type(error).__name__} {codes[0] or ''}".strip()
    log.warning("letter %s was not sent: %s", letter.pk, said)
    if for_good or letter.attempts >= MOST_ATTEMPTS:
        return _leave(letter, "failed", error=said)
    return _leave(letter, "due", error=said, due_at=timezone.now() + FIRST_RETRY * 2 ** (letter.attempts - 1))


def _leave(letter: Letter, state: str, **fields: object) -> str:
    Letter.objects.filter(pk=letter.pk, state="sending").update(state=state, **fields)
    return state


@job_kind("send_letters", every_tick=True)
def send_letters(running: Running) -> dict[str, int]:
    """Send what is due. One bad address never stops the rest; a paused cohort's letters wait."""
    now = timezone.now()
    # A worker died between sending and saying so: nobody knows, so a person decides.
    Letter.objects.filter(state="sending", due_at__lte=now).update(
        state="failed", error="stopped while sending; it may have arrived"
    )
    always = [name for name, kind in _kinds.items() if kind.while_closed]
    due = list(
        Letter.objects.filter(state="due", due_at__lte=now)
        .filter(Q(participant__cohort__state=CohortState.OPEN) | Q(kind__in=always))
        .order_by("due_at", "pk")
        .values_list("pk", flat=True)
    )
    counts: dict[str, int] = {}
    for done, pk in enumerate(due, start=1):
        state = send_one(pk)
        counts[state] = counts.get(state, 0) + 1
        if done % 20 == 0:
            running.progress(done, len(due))
    return {state: n for state, n in counts.items() if state}
