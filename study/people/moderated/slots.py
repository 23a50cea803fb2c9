"""Slots of moderated visits: made in series, chosen by participants, begun in time, missed (M21).

The slot's row is locked while its places are counted, so never more are booked than there are (as P-12). A moment is
stored in UTC; each page says its zone (P-20).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Prefetch, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.audit import audit
from study.accounts.jobs import Running, job_kind
from study.accounts.models import User
from study.people.mail import letters
from study.people.mail.reminders import on_date, zone_named
from study.people.models import Cohort, Participant, Slot, SlotBooking, Stage

EARLY = LATE = timedelta(minutes=15)
"""The hour begins from a quarter of an hour before the slot until a quarter past."""
MISSED_AFTER = timedelta(minutes=30)
CHANGE_UNTIL = timedelta(hours=12)
MOST_MISSED = 2
"""Whoever missed one may choose another, once."""
MOST_IN_SERIES = 200
BOOKED, REMINDER, CANCELLED = "slot_booked", "slot_reminder", "slot_cancelled"
OPEN = Q(given_up_at=None, came=None)
# Takes up a place: booked, or there.
TAKEN = Q(bookings__given_up_at=None) & (Q(bookings__came=None) | Q(bookings__came=True)) & Q(bookings__isnull=False)


class NoPlace(Exception):
    """This slot cannot be chosen (any more); the text says why."""


def too_late() -> str:
    return _("Your slot is in less than twelve hours, so it can't be changed here. Write to the study team.")


def make_series(
    cohort: Cohort, starts: datetime, *, minutes: int, places: int, moderator: str, where: str,
    every_days: int = 0, times: int = 1, by: User | None,
) -> list[Slot]:  # fmt: skip
    """One slot, or several with so many days between them. The same slot again is the same slot (a double click).

    Raises ValidationError with a remedy. ``starts`` is a moment; in a series the hour of the cohort's clock stays.
    """
    if starts <= timezone.now():
        raise ValidationError(_("This moment has passed. Choose a later one."))
    if not moderator.strip():
        raise ValidationError(_("Say who moderates, as a code such as M1. The code goes into the data, never a name."))
    if not 1 <= places <= 100 or not 10 <= minutes <= 600 or not 1 <= times <= MOST_IN_SERIES:
        raise ValidationError(_("A slot has 1 to 100 places and lasts 10 to 600 minutes; a series has up to 200."))
    local = starts.astimezone(zone_named(cohort.zone))
    days = range(0, times * max(every_days, 1), max(every_days, 1))
    moments = [on_date(local.date() + timedelta(days=n), local.time(), cohort.zone) for n in days]
    with transaction.atomic():
        Cohort.objects.select_for_update(no_key=True).get(pk=cohort.pk)
        made = [_make(cohort, at, minutes, places, moderator.strip()[:40], where.strip()[:400]) for at in moments]
        fresh = [slot for slot, new in made if new]
        if fresh:
            audit("slots.made", by=by, study=cohort.study, target=f"cohort {cohort.code}", n=len(fresh))
    return fresh


def _make(cohort: Cohort, at: datetime, minutes: int, places: int, moderator: str, where: str) -> tuple[Slot, bool]:
    return Slot.objects.get_or_create(
        cohort=cohort,
        starts_at=at,
        moderator=moderator,
        cancelled_at=None,
        defaults={"minutes": minutes, "places": places, "where": where},
    )


def with_taken(cohort: Cohort, *also: Prefetch) -> Iterator[Slot]:  # type: ignore[type-arg]
    """The cohort's slots in time, each with ``taken``: how many of its places are."""
    rows = cohort.slots.annotate(taken=Count("bookings", filter=TAKEN)).order_by("starts_at", "pk")
    yield from rows.prefetch_related(*also)


def on_offer(participant: Participant) -> list[Slot]:
    """What this person can choose from now: to come, not cancelled, with a place."""
    soonest = timezone.now() + EARLY
    return [
        slot
        for slot in with_taken(participant.cohort)
        if not slot.cancelled_at and slot.starts_at > soonest and slot.taken < slot.places  # type: ignore[attr-defined]
    ]


def booking_of(participant: Participant, now: datetime | None = None) -> SlotBooking | None:
    """The slot this person comes to: chosen, or one they are at now."""
    rows = participant.bookings.select_related("slot").filter(given_up_at=None, slot__cohort_id=participant.cohort_id)
    row = rows.exclude(came=False).order_by("-pk").first()
    return None if row is None or (row.came and not is_time(row, now)) else row


def missed(participant: Participant) -> int:
    return participant.bookings.filter(came=False).count()


def may_change(booking: SlotBooking, now: datetime | None = None) -> bool:
    """Until twelve hours before. After that the moderator counts on them."""
    return booking.came is None and booking.slot.starts_at - (now or timezone.now()) > CHANGE_UNTIL


def is_time(booking: SlotBooking, now: datetime | None = None) -> bool:
    """Whether the hour can begin: around the slot's beginning; for whoever is there, until its end."""
    now, slot = now or timezone.now(), booking.slot
    if slot.cancelled_at:
        return False
    if booking.came:
        return now <= slot.starts_at + timedelta(minutes=slot.minutes)
    return slot.starts_at - EARLY <= now <= slot.starts_at + LATE


def holds_back(participant: Participant) -> bool:
    """Whether this person has to be at their slot first: moderated, not consented, and not there."""
    if not participant.cohort.moderated or participant.preview or participant.stage != Stage.ELIGIBLE:
        return False
    booking = booking_of(participant)
    return booking is None or not booking.came


@transaction.atomic
def arrive(participant: Participant) -> bool:
    """Their button at the slot's time: they are there, and the consent opens. False when it is not the time."""
    booking = booking_of(participant)
    if booking is None or not is_time(booking):
        return False
    SlotBooking.objects.filter(OPEN, pk=booking.pk).update(came=True)
    return True


@transaction.atomic
def book(participant: Participant, pk: int) -> SlotBooking:
    """Choose a slot, or another one instead. The same choice again is the same booking. Raises NoPlace."""
    person = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    if person.end or person.stage != Stage.ELIGIBLE:
        raise NoPlace(_("Your way has gone on meanwhile."))
    if missed(person) >= MOST_MISSED:
        raise NoPlace(_("Two slots were missed, so no other can be chosen here. Write to the study team."))
    slot = Slot.objects.select_for_update(no_key=True).filter(pk=pk, cohort_id=person.cohort_id).first()
    if slot is None:
        raise NoPlace(_("There is no such slot."))
    before = SlotBooking.objects.select_related("slot").filter(OPEN, participant=person).first()
    if before and before.slot_id == slot.pk:
        return before
    if before and before.slot.cohort_id == person.cohort_id and not may_change(before):
        raise NoPlace(too_late())
    if slot.cancelled_at or slot.starts_at <= timezone.now() + EARLY:
        raise NoPlace(_("This slot is not open any more. Choose another."))
    if slot.bookings.filter(given_up_at=None).exclude(came=False).count() >= slot.places:
        raise NoPlace(_("Somebody else has just taken the last place. Choose another slot."))
    if before:
        SlotBooking.objects.filter(pk=before.pk).update(given_up_at=timezone.now())
    row = SlotBooking.objects.create(slot=slot, participant=person)
    _tell(person, row)
    return row


def _tell(person: Participant, row: SlotBooking) -> None:
    """Letters of this booking: one now, one the day before. Those of an earlier booking are not wanted any more."""
    number = person.bookings.count()
    letters.put(person, BOOKED, wave=number, detail={"booking": row.pk})
    day_before = row.slot.starts_at - timedelta(hours=24)
    if day_before > timezone.now() + timedelta(hours=1):
        letters.put(person, REMINDER, wave=number, due_at=day_before, detail={"booking": row.pk})


def let_go(participant: Participant) -> None:
    """Whoever has ended, or comes to another cohort, leaves their slot to somebody else."""
    SlotBooking.objects.filter(OPEN, participant=participant).update(given_up_at=timezone.now())


@transaction.atomic
def give_up(participant: Participant) -> bool:
    """Give the slot back, once. Raises NoPlace less than twelve hours before."""
    Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    row = SlotBooking.objects.select_related("slot").filter(OPEN, participant=participant).first()
    if row is None:
        return False
    if not may_change(row):
        raise NoPlace(too_late())
    return bool(SlotBooking.objects.filter(OPEN, pk=row.pk).update(given_up_at=timezone.now()))


def moderator_of(participant: Participant) -> str:
    """The code of the moderator at whose slot the hour begins; empty outside moderated cohorts."""
    if not participant.cohort.moderated or participant.preview:
        return ""
    booking = booking_of(participant)
    return booking.slot.moderator if booking else ""


@transaction.atomic
def mark(booking: SlotBooking, came: bool, *, by: User | None) -> bool:
    """Came, so that they are let in although it is late, or did not. Once; whoever has begun did come."""
    rows = SlotBooking.objects.filter(pk=booking.pk, given_up_at=None, participant__stage=Stage.ELIGIBLE)
    # Letting somebody in mends a mark that the clock has made.
    changed = rows.exclude(came=True).update(came=True) if came else rows.filter(came=None).update(came=False)
    if changed:
        person = booking.participant
        audit("slot.came" if came else "slot.missed", by=by, study=person.study, target=person.code)
    return bool(changed)


@transaction.atomic
def cancel(slot: Slot, *, by: User) -> bool:
    """The moderator can't come, once: bookings are given back and everybody who had one is told."""
    if not Slot.objects.filter(pk=slot.pk, cancelled_at=None).update(cancelled_at=timezone.now()):
        return False
    rows = list(slot.bookings.select_related("participant").filter(OPEN))
    SlotBooking.objects.filter(pk__in=[row.pk for row in rows]).update(given_up_at=timezone.now())
    for row in rows:
        letters.put(row.participant, CANCELLED, wave=row.participant.bookings.count(), detail={"booking": row.pk})
    audit("slot.cancelled", by=by, study=slot.cohort.study, target=f"slot {slot.pk}", told=len(rows))
    return True


@job_kind("slots_missed", every_tick=True)
def slots_missed(running: Running) -> dict[str, int]:
    """Half an hour after the beginning whoever has not begun did not come; they may choose another slot, once."""
    late = timezone.now() - MISSED_AFTER
    rows = SlotBooking.objects.filter(OPEN, slot__starts_at__lt=late, participant__stage=Stage.ELIGIBLE)
    found = rows.select_related("participant__study")
    n = sum(mark(row, False, by=None) for row in found)
    return {"missed": n} if n else {}
