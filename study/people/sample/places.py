"""Places of a cohort: rows are counted with the cohort's row locked; there is no counter anywhere (P-12).

A place is taken by whoever may still become one of those the study wants, and by those who have:

- *held*: eligible since less than the cohort's ``hold_hours``, or with a slot booked; not ended;
- *active*: consented, and not ended;
- *kept*: complete, or in the analysis set however it ended, and not left out (M17).

Everybody else has given theirs back: whoever left, lapsed, was left out, or is known to be outside the analysis set.
It comes back once, because nothing is added up: the row just no longer matches (P-13). New people are taken until the
places are gone, or until ``most_started`` people have opened their first task, whichever comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from study.people.models import (
    Cohort,
    CohortState,
    End,
    Participant,
    ParticipantQuerySet,
    QuotaCell,
    SlotBooking,
    Stage,
    StageEvent,
)
from study.people.protocol import NoProtocol, file_of, protocol_of
from study.people.withdrawal import TAKE_OUT

BEGUN = (Stage.CONSENTED, Stage.WORKING, Stage.RATING, Stage.LOCKED, Stage.DONE)
LATE = timedelta(hours=4)


def lock_cohort(pk: int) -> Cohort:
    """The cohort's row, locked until the transaction ends: whoever counts places holds it (P-12)."""
    return Cohort.objects.select_for_update(no_key=True).get(pk=pk)


def takes_a_place(held: Q) -> Q:
    """Which rows take a place; ``held`` says for which eligible people it is still held."""
    wanted = Q(excluded_at=None) & (Q(analysed=None) | Q(analysed=True)) & ~Q(data_choice=TAKE_OUT)
    active = Q(end="", stage__in=BEGUN)
    kept = Q(end=End.COMPLETE) | Q(analysed=True)
    return wanted & (active | kept | Q(Q(end="", stage=Stage.ELIGIBLE) & held))


def held_in(cohort: Cohort, now: datetime) -> Q:
    held = Q(eligible_at__gt=now - timedelta(hours=cohort.hold_hours))
    return held | Q(has_slot(now)) if cohort.moderated else held


def held_anywhere(now: datetime) -> Q:
    """The same for people of several cohorts, each with its own hours."""
    held = Q(Q(cohort__moderated=True) & Q(has_slot(now)))
    for hours in Cohort.objects.order_by().values_list("hold_hours", flat=True).distinct():
        held |= Q(cohort__hold_hours=hours, eligible_at__gt=now - timedelta(hours=hours))
    return held


def has_slot(now: datetime) -> Exists:
    """Somebody who has booked a time with a moderator keeps their place until then, however far off it is."""
    booked = SlotBooking.objects.filter(participant=OuterRef("pk"), given_up_at=None, came=None)
    return Exists(booked.filter(slot__cancelled_at=None, slot__starts_at__gt=now - LATE))


def has_started() -> Exists:
    """Everybody who ever opened the first task, however their hour went on (M17)."""
    return Exists(StageEvent.objects.filter(participant=OuterRef("pk"), stage=Stage.WORKING))


def holders(cohort: Cohort) -> ParticipantQuerySet:
    """Those who take a place of the cohort now; previews never do (P-14)."""
    return cohort.participants.people().filter(takes_a_place(held_in(cohort, timezone.now())))


def most_started(cohort: Cohort) -> int:
    """At most so many may open their first task: the cohort's own number, else the protocol's for its arms.

    Never fewer than its target: a target beyond the protocol's number is somebody's decision, and the form says so.
    """
    if cohort.most_started:
        return cohort.most_started
    return max(cohort.target, promised_most(cohort))


def promised_most(cohort: Cohort) -> int:
    """The protocol's ``n_max`` over the arms of a cohort; 0 while there is no protocol."""
    try:
        return file_of(protocol_of(cohort)).analysis.n_max * len(cohort.arm_codes)
    except NoProtocol:
        return 0


@dataclass(frozen=True)
class Places:
    """The state of a cohort's places: of ``target`` so many are ``taken``; ``begun`` is what ``most`` limits."""

    taken: int
    target: int
    begun: int
    """Started ever, or with a place from which they may still start."""
    most: int

    @property
    def free(self) -> int:
        return max(0, min(self.target - self.taken, self.most - self.begun))


def places(cohort: Cohort) -> Places:
    """Count a cohort's places, to be shown. Whoever relies on it holds the cohort's row and asks ``has_room``."""
    taking = takes_a_place(held_in(cohort, timezone.now()))
    people = cohort.participants.people()
    taken = people.filter(taking).count()
    begun = people.filter(taking | Q(has_started())).count()
    return Places(taken, cohort.target, begun, most_started(cohort))


def has_room(cohort: Cohort, participant: Participant | None = None, *, screened: bool = False) -> bool:
    """Whether one more may go on. Call it with the cohort locked. A preview always may, and takes nothing (P-14).

    ``screened``: their cell is decided, though their stage does not say so yet.
    """
    if participant is not None and participant.preview:
        return True
    others = cohort.participants.people()
    if participant is not None:
        others = others.exclude(pk=participant.pk)
    taking = takes_a_place(held_in(cohort, timezone.now()))
    if others.filter(taking).count() >= cohort.target:
        return False
    if others.filter(taking | Q(has_started())).count() >= most_started(cohort):
        return False
    if not cohort.quota_axes:
        return True
    cells = list(cohort.cells.all())
    if participant is None or (participant.stage in (Stage.INVITED, Stage.JOINED) and not screened):
        # Nobody knows their cell yet: it is full for them when it is full for everybody.
        return any(cell_has_room(cohort, cell, participant) for cell in cells)
    return any(cell.code == participant.cell and cell_has_room(cohort, cell, participant) for cell in cells)


def cell_has_room(cohort: Cohort, cell: QuotaCell, without: Participant | None = None) -> bool:
    if cell.target is None:
        return True
    taken = holders(cohort).filter(cell=cell.code)
    if without is not None:
        taken = taken.exclude(pk=without.pk)
    return taken.count() < cell.target


def is_over(cohort: Cohort) -> bool:
    """Closed for good, or past its last moment: whoever is still on the way in has come too late (P-20)."""
    return cohort.state == CohortState.CLOSED or bool(cohort.closes_at and cohort.closes_at <= timezone.now())


def hold_is_over(participant: Participant) -> bool:
    """Whether the place of somebody eligible is no longer held, so that there must be room for them anew."""
    if participant.preview or participant.stage != Stage.ELIGIBLE or participant.end:
        return False
    return not Participant.objects.filter(held_in(participant.cohort, timezone.now()), pk=participant.pk).exists()
