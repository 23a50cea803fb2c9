"""Letters about a slot: chosen, the day before, cancelled. Each asks again at sending whether it still holds."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from study.people.mail.letter_kinds import LINK, Place, Text, Words, worded
from study.people.mail.reminding import own_link
from study.people.models import Letter, SlotBooking
from study.people.moderated.slots import BOOKED, CANCELLED, REMINDER
from study.people.sample.moments import told

WHEN = Place(
    "when", _("the moment, in their zone and in UTC"), _("4 May 2026, 15:00 (Europe/Oslo) · 4 May 2026, 13:00 UTC")
)
WHERE = Place("where", _("where they meet; empty where nothing is said"), _("Room 3"))


def booking_of(letter: Letter) -> SlotBooking | None:
    return SlotBooking.objects.select_related("slot").filter(pk=letter.detail.get("booking", 0)).first()


def still_booked(letter: Letter) -> bool:
    row = booking_of(letter)
    holds = row is not None and row.given_up_at is None and row.came is None and row.slot.cancelled_at is None
    return bool(holds and row and row.slot.starts_at > timezone.now() and not letter.participant.end)


def values(letter: Letter) -> dict[str, str]:
    row, person = booking_of(letter), letter.participant
    found = {"link": own_link(person), "when": "", "where": ""}
    if row is not None:
        found |= {"when": str(told(row.slot.starts_at, person.zone or person.cohort.zone)), "where": row.slot.where}
    return found


def _words(template: str, subject: Text, needed: tuple[str, ...], *, label: Text, told: Text) -> Words:
    return Words(
        label=label,
        told=told,
        template=f"people/letters/{template}.txt",
        subject=subject,
        places=(LINK, WHEN, WHERE),
        needed=needed,
        button=_("Your slot"),
    )


worded(
    BOOKED,
    _words(
        BOOKED, _("Your slot: %(title)s"), ("link", "when"),
        label=_("Slot chosen"), told=_("Sent when somebody has chosen a slot, and again for another one."),
    ),
    wanted=still_booked,
    while_closed=True,
)(values)  # fmt: skip

worded(
    REMINDER,
    _words(
        REMINDER, _("Tomorrow: %(title)s"), ("link", "when"),
        label=_("The day before a slot"), told=_("Sent a day before the slot that somebody has chosen."),
    ),
    wanted=still_booked,
    while_closed=True,
)(values)  # fmt: skip

worded(
    CANCELLED,
    _words(
        CANCELLED, _("Your slot does not take place: %(title)s"), ("link",),
        label=_("Slot cancelled"), told=_("Sent to everybody who had chosen a slot that does not take place."),
    ),
    wanted=lambda letter: not letter.participant.end,
    while_closed=True,
)(values)  # fmt: skip
