"""What happened to one participant, oldest first: told by the modules and apps that know, shown on one page.

Reading only. Screener answers, ratings and arms are never told here: a coordinator sees how far somebody came, not what
they said (M1, M13).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from study.accounts.models_staff import Erasure
from study.people.coordinating.board import letter_words
from study.people.models import Participant, Stage, StageEvent
from study.people.sample.excluding import LEFT_OUT, TAKEN_IN


@dataclass(frozen=True)
class Moment:
    at: datetime
    what: str
    detail: str = ""
    kind: str = ""
    """What it is of: stage, letter, consent, slot, pay, help, incident, visit …"""


# Each visit says of itself when its ratings began and were locked.
TOLD_BY_VISITS = (Stage.RATING, Stage.LOCKED)

Teller = Callable[[Participant], Iterable[Moment]]
_tellers: dict[str, Teller] = {}


def tells(name: str) -> Callable[[Teller], Teller]:
    """Let a function add its moments; ``name`` is unique."""

    def register(teller: Teller) -> Teller:
        if _tellers.setdefault(name, teller) is not teller:
            raise ValueError(f"There are two tellers called {name!r}.")
        return teller

    return register


def timeline(participant: Participant) -> list[Moment]:
    """Everything that is stored about this person's way, in the order of time."""
    found = [moment for teller in _tellers.values() for moment in teller(participant)]
    return sorted(found, key=lambda moment: moment.at)


def _left_out_or_in(event: StageEvent) -> Moment | None:
    """An exclusion or its end, with the reason of the protocol and the note; None for every other event."""
    head, _dot, note = event.reason.partition(". ")
    said, _colon, rule = head.partition(": ")
    if said not in (LEFT_OUT, TAKEN_IN):
        return None
    what = _("Excluded by rule") if said == LEFT_OUT else _("Taken in again")
    return Moment(event.at, what, ". ".join(filter(None, (rule.replace("_", " "), note))), "stage")


@tells("stages")
def _stages(participant: Participant) -> Iterator[Moment]:
    for event in participant.stage_events.all():
        if event.stage in TOLD_BY_VISITS and not event.end:
            continue
        if moment := _left_out_or_in(event):
            yield moment
            continue
        what = event.get_end_display() if event.end else event.get_stage_display()
        yield Moment(event.at, str(what).capitalize(), event.reason, "stage")
    if participant.moved_from:
        yield Moment(
            participant.invited_at, _("Came from cohort %(code)s") % {"code": participant.moved_from}, "", "stage"
        )
    if participant.erased_at:
        yield Moment(participant.erased_at, _("Erased"), _("who this was is gone; counts stay"), "stage")


@tells("letters")
def _letters(participant: Participant) -> Iterator[Moment]:
    for letter in participant.letters.all():
        what = _("Letter: %(kind)s") % {"kind": letter.kind.replace("_", " ")}
        if letter.wave > 1:
            what += f" ({letter.wave})"
        yield Moment(letter.sent_at or letter.due_at, what, letter_words(letter), "letter")
    contact = getattr(participant, "contact", None)
    if contact and contact.unsubscribed_at:
        yield Moment(contact.unsubscribed_at, _("Asked not to be written to"), "", "letter")
    if contact and contact.bounced_at:
        yield Moment(contact.bounced_at, _("Address refused for good"), "", "letter")


@tells("way in")
def _way_in(participant: Participant) -> Iterator[Moment]:
    for arrival in participant.arrivals.all():
        yield Moment(arrival.at, _("Arrived through the panel"), arrival.flag, "way in")
    for screening in participant.screenings.all():
        said = _("eligible") if screening.eligible else _("not eligible")
        note = said if screening.number == 1 else _("another try, counted as nothing: %(said)s") % {"said": said}
        yield Moment(screening.at, _("Screener sent"), note, "way in")


@tells("consents")
def _consents(participant: Participant) -> Iterator[Moment]:
    for consent in participant.consents.all():
        detail = _("protocol %(n)d, text %(mark)s") % {"n": consent.protocol_number, "mark": consent.sha256[:12]}
        yield Moment(consent.at, _("Consent"), detail, "consent")
    for choice in participant.consent_choices.all():
        what = _("Optional consent given") if choice.given else _("Optional consent taken back")
        yield Moment(choice.at, what, choice.option, "consent")


@tells("slots")
def _slots(participant: Participant) -> Iterator[Moment]:
    for booking in participant.bookings.select_related("slot"):
        when = f"{booking.slot.starts_at:%-d %b %Y, %H:%M} UTC, {booking.slot.moderator}"
        yield Moment(booking.booked_at, _("Slot chosen"), when, "slot")
        if booking.given_up_at:
            yield Moment(booking.given_up_at, _("Slot given up"), when, "slot")
        if booking.came is not None:
            yield Moment(
                booking.slot.starts_at, _("Came to the slot") if booking.came else _("Did not come"), when, "slot"
            )


@tells("erasures")
def _erasures(participant: Participant) -> Iterator[Moment]:
    words = {"identity": _("who this is"), "everything": _("who this is, and the answers")}
    for row in Erasure.objects.filter(study_id=participant.study_id, subject=participant.code):
        yield Moment(row.requested_at, _("Erasure asked for"), words.get(row.scope, row.scope), "erasure")
        if row.done_at:
            yield Moment(row.done_at, _("Erasure done"), words.get(row.scope, row.scope), "erasure")


@tells("pay")
def _pay(participant: Participant) -> Iterator[Moment]:
    words = {
        "owed": _("owed"), "approved": _("approved"), "second": _("approved by a second person"),
        "sent": _("handed over"), "paid": _("paid"), "failed": _("not paid"), "cancelled": _("cancelled"),
        "repeated": _("told again, nothing changed"),
    }  # fmt: skip
    for payment in participant.payments.prefetch_related("events"):
        what = _("Pay: %(reason)s") % {"reason": payment.reason.replace("_", " ")}
        for event in payment.events.all():
            detail = ", ".join(part for part in (words.get(event.what, event.what), event.note) if part)
            yield Moment(event.at, what, detail, "pay")
