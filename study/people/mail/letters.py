"""Letters: put one, and the job that sends what is due. One letter per person, kind and wave (P-35)."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.core.mail import get_connection
from django.core.mail.message import EmailMessage
from django.db.models import F, Q
from django.utils import timezone

from study.accounts.encrypted import readable
from study.accounts.jobs import Running, job_kind
from study.people.mail import reminders, unsubscribing
from study.people.mail.letter_failures import Trouble, failure
from study.people.mail.letter_kinds import Kind, kind_of, names_where
from study.people.mail.letter_kinds import letter_kind as letter_kind
from study.people.mail.letter_kinds import worded as worded
from study.people.mail.letter_making import message_for
from study.people.models import CohortState, Contact, Letter, Participant

log = logging.getLogger(__name__)
CLAIM = timedelta(minutes=15)
FIRST_RETRY = timedelta(minutes=5)
# Twice as long from try to try: the last one comes after about two days, which outlasts a server's daily limit.
MOST_ATTEMPTS = 10
AWAY_FOR = timedelta(minutes=15)
MOST_AWAY = 3


def put(
    participant: Participant,
    kind: str,
    *,
    wave: int = 1,
    due_at: datetime | None = None,
    detail: dict[str, Any] | None = None,
) -> Letter | None:
    """A letter to send from ``due_at`` on, once per kind and wave; None for somebody without an address.

    ``detail``: words that belong to this one letter. A second call changes nothing and returns the first letter.
    """
    if not Contact.objects.filter(participant=participant).exclude(email_hash="").exists():
        return None
    row, _made = Letter.objects.get_or_create(
        participant=participant,
        kind=kind,
        wave=wave,
        defaults={"due_at": due_at or timezone.now(), "detail": detail or {}},
    )
    return row


def drop(participant: Participant, kind: str) -> int:
    """Letters of a kind that are no longer needed."""
    return Letter.objects.filter(participant=participant, kind=kind, state="due").update(state="dropped")


def why_not(letter: Letter, kind: Kind) -> str:
    """Why this letter must not go out (any more); empty when it may. Asked right before sending (P-35)."""
    participant = letter.participant
    if reason := unsubscribing.why_silent(participant, unasked=kind.unasked):
        return reason
    if kind.unasked and participant.excluded_at:
        return "excluded"
    return "" if kind.wanted(letter) else "no longer wanted"


class Post:
    """The way out, opened once for a whole run and anew after trouble."""

    def __init__(self) -> None:
        self._connection: Any = None

    def send(self, message: EmailMessage) -> int:
        if self._connection is None:
            connection = get_connection()
            connection.open()
            self._connection = connection
        message.connection = self._connection
        return message.send()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception:  # a server that has gone away answers the farewell in many ways; it is over anyway
                log.debug("the mail server did not say good-bye", exc_info=True)


def send_one(pk: int, post: Post | None = None) -> str:
    """Claim, check and send one letter; the state it is left in, "away" when the server is. Empty if not mine."""
    now = timezone.now()
    claimed = Letter.objects.filter(pk=pk, state="due", due_at__lte=now).update(
        state="sending", due_at=now + CLAIM, attempts=F("attempts") + 1
    )
    if not claimed:
        return ""
    whose = ("participant__cohort__study", "participant__contact", "participant__invitation")
    letter = Letter.objects.select_related(*whose).get(pk=pk)
    kind = kind_of(letter.kind)
    if reason := why_not(letter, kind):
        return _leave(letter, "dropped", error=reason)
    if not readable(letter.participant.contact.email):
        # Neither sent nor given up: somebody puts the key back and has it sent again.
        return _leave(letter, "failed", error="the address cannot be read: key missing")
    if kind.by_day and (day := reminders.next_decent(now, zone_of(letter.participant))) > now:
        return _leave(letter, "due", due_at=day, attempts=F("attempts") - 1)
    way = post or Post()
    try:
        message = message_for(letter)
        if not way.send(message):
            return _leave(letter, "failed", error="the mail server took nothing")
    except Exception as error:  # whatever one letter meets, the others still go (P-37)
        way.close()
        return _after_failure(letter, error)
    finally:
        if post is None:
            way.close()
    said = getattr(getattr(message, "anymail_status", None), "message_id", None)
    mark = str(said or message.extra_headers.get("Message-ID", ""))
    return _leave(letter, "sent", sent_at=timezone.now(), error="", message_id=mark[:200])


def zone_of(participant: Participant) -> str:
    return participant.zone or participant.cohort.zone


def _after_failure(letter: Letter, error: Exception) -> str:
    """A dead address and a refusal for good stop; anything else is tried again, more and more slowly (P-37)."""
    why = failure(error)
    log.warning("letter %s was not sent: %s", letter.pk, why.said)
    if why.trouble is Trouble.AWAY:
        # No fault of this letter: its tries are not used up by a server that is down.
        _leave(letter, "due", error=why.said, due_at=timezone.now() + AWAY_FOR, attempts=F("attempts") - 1)
        return "away"
    if why.trouble is Trouble.DEAD:
        unsubscribing.address_is_dead(letter.participant)
    if why.trouble is not Trouble.LATER or letter.attempts >= MOST_ATTEMPTS:
        return _leave(letter, "failed", error=why.said)
    wait = FIRST_RETRY * 2 ** (letter.attempts - 1)
    return _leave(letter, "due", error=why.said, due_at=timezone.now() + wait)


def _leave(letter: Letter, state: str, **fields: object) -> str:
    Letter.objects.filter(pk=letter.pk, state="sending").update(state=state, **fields)
    return state


def due_now(now: datetime) -> list[int]:
    """Letters to send, the longest waiting first. Those of a cohort that stands still wait, but for people within."""
    always = names_where(lambda kind: kind.while_closed)
    known = names_where(lambda kind: True)
    going = Q(participant__cohort__state=CohortState.OPEN, participant__cohort__held_by="")
    rows = Letter.objects.filter(state="due", due_at__lte=now, kind__in=known).filter(going | Q(kind__in=always))
    return list(rows.order_by("due_at", "pk").values_list("pk", flat=True))


@job_kind("send_letters", every_tick=True)
def send_letters(running: Running) -> dict[str, int]:
    """Send what is due. One bad address never stops the rest; a server that is away is not asked for each letter."""
    now = timezone.now()
    # A worker died between sending and saying so: nobody knows, so a person decides.
    Letter.objects.filter(state="sending", due_at__lte=now).update(
        state="failed", error="stopped while sending; it may have arrived"
    )
    due, counts, away, post = due_now(now), dict[str, int](), 0, Post()
    try:
        for done, pk in enumerate(due, start=1):
            state = send_one(pk, post)
            counts[state] = counts.get(state, 0) + 1
            away = away + 1 if state == "away" else 0
            if away == MOST_AWAY:
                break
            if done % 20 == 0:
                running.progress(done, len(due))
    finally:
        post.close()
    return {state: n for state, n in counts.items() if state}
