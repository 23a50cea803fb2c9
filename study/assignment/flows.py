"""Visits and their places: given, completed, given back. The study's row is locked while counts are read."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from study.accounts.models import Study, User
from study.assignment.allocating import Given, allocate, commit_seed, given_to
from study.assignment.logbook import log, log_allocation
from study.assignment.making import CannotBegin as CannotBegin
from study.assignment.making import make_visit
from study.assignment.models import Place, PlaceState, Visit
from study.assignment.readiness import Problem, can_open
from study.assignment.visit_pay import pay_visits
from study.assignment.washout import Window, window
from study.benchmark.models import Instance
from study.people import flows as people
from study.people.consenting import consent
from study.people.mail import letters
from study.people.models import Cohort, End, Participant, Stage, StageEvent
from study.people.moderated import slots
from study.people.protocol import file_of, protocol_of
from study.people.sample import cohorts
from study.protocols.models import Protocol

NEXT_VISIT = "second_visit"


class TooEarly(Exception):
    """The next visit cannot begin yet. Nothing has changed."""


class NotReady(Exception):
    """A cohort cannot open; ``problems`` says why, each with a remedy."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(" ".join(f"{problem.text} {problem.remedy}" for problem in problems))
        self.problems = problems


def open_cohort(cohort: Cohort, *, by: User | None) -> bool:
    """Open a cohort once everything its people need is there. Raises NotReady."""
    if problems := can_open(cohort):
        raise NotReady(problems)
    with transaction.atomic():
        opened = cohorts.mark_open(cohort, by=by)
        commit_seed(cohort, by=by)
    return opened


@transaction.atomic
def consent_and_begin(participant: Participant, protocol: Protocol, ticked: list[str]) -> Visit | None:
    """Take the consent, a place of the cohort and the five, all in one transaction.

    The cohort's row is locked and its places counted first: never more than the
    target begin (P-12). Someone too late gets the courteous end ``full`` and
    None. Raises CannotBegin, NotOpen while the cohort is paused, and WrongStage.
    """
    cohort = people.lock_cohort(participant.cohort_id)
    participant.refresh_from_db()
    if participant.stage != Stage.ELIGIBLE or participant.end:
        # The other of two presses has been through; both lead to the same page (P-08).
        return participant.visits.order_by("-period").first()
    if not participant.preview:
        if people.is_over(cohort) or not people.has_room(cohort, participant):
            said = "closed" if people.is_over(cohort) else "full"
            people.end(participant, End.FULL, f"the cohort was {said} at consent")
            return None
        if reason := people.why_closed(cohort):
            raise people.NotOpen(reason)
        if slots.holds_back(participant):
            raise people.NotOpen(_("Your slot is not now. Go back to its page."))
    consent.record(participant, protocol, file_of(protocol), ticked)
    people.advance(participant, Stage.ELIGIBLE, Stage.CONSENTED)
    return begin_visit(participant, protocol=protocol)


@transaction.atomic
def begin_visit(participant: Participant, *, protocol: Protocol | None = None, seed: int | None = None) -> Visit:
    """The participant's visit with its places and orders, all from one stored seed; the same visit if it exists.

    ``seed`` is drawn when not given. A preview, and
    anybody of the pilot, gets a visit like any other, but no count and no log row ever sees it. Raises CannotBegin.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
    if existing := participant.visits.filter(period=1).first():
        return existing
    protocol = protocol or protocol_of(participant.cohort)
    if row := allocate(participant, file_of(protocol)):
        log_allocation(study, row)
    return make_visit(study, participant, protocol, given_to(participant, file_of(protocol)), 1, seed)


def plans_of(participant: Participant, protocol: Protocol) -> Given:
    """The participant's arm and visits in their order."""
    return given_to(participant, file_of(protocol))


def has_more(visit: Visit) -> bool:
    """Whether another visit comes after this one."""
    return visit.period < len(plans_of(visit.participant, visit.protocol).plans)


def window_after(visit: Visit) -> Window:
    """From when to when the visit after this one can begin. Raises ValueError while this one is not over."""
    if visit.done_at is None:
        raise ValueError(f"{visit} is not over.")
    return window(visit.done_at, file_of(visit.protocol).arm(visit.arm).washout)


@transaction.atomic
def end_visit(visit: Visit) -> bool:
    """One of several visits is over, once; the person stays in the study and comes back for the next.

    Their stage stays ``locked`` until they begin again. False for the last visit, and when it was over already.
    """
    # First the person, then the study, as everywhere: two acts of one person never wait for each other in a ring.
    participant = Participant.objects.select_for_update(no_key=True).get(pk=visit.participant_id)
    Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
    if not has_more(visit) or participant.stage != Stage.LOCKED or participant.end:
        return False
    now = timezone.now()
    if not Visit.objects.filter(pk=visit.pk, done_at=None).update(done_at=now):
        return False
    visit.done_at = now
    for place in visit.places.filter(state=PlaceState.ACTIVE):
        _move(place, PlaceState.COMPLETED)
    StageEvent.objects.create(participant=participant, stage=Stage.LOCKED, reason=f"visit {visit.period} is over")
    pay_visits(participant)
    letters.put(participant, NEXT_VISIT, wave=visit.period, due_at=window_after(visit).opens)
    return True


@transaction.atomic
def begin_next(participant: Participant, *, seed: int | None = None) -> Visit | None:
    """The next visit of a person whose last one is over; the same visit for a second press.

    None when the time for it has passed: then the participation has lapsed, and what was done before is kept.
    Raises TooEarly, CannotBegin, and NotOpen while an incident goes on.
    """
    # The cohort first, as whoever joins: an incident that begins now is over before this, or waits for it.
    held_by = people.lock_cohort(participant.cohort_id).held_by
    Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    study = Study.objects.select_for_update(no_key=True).get(pk=participant.study_id)
    participant.refresh_from_db()
    last = participant.visits.select_related("protocol").order_by("-period").first()
    if last is None or last.done_at is None or participant.stage != Stage.LOCKED or participant.end:
        return last
    if held_by and not participant.preview:
        raise people.NotOpen(people.held())
    last.participant, now = participant, timezone.now()
    if not participant.preview:
        if window_after(last).is_over(now):
            people.end(participant, End.LAPSED, f"visit {last.period + 1} was not begun in time")
            return None
        if not window_after(last).is_open(now):
            raise TooEarly
    given = plans_of(participant, last.protocol)
    visit = make_visit(study, participant, last.protocol, given, last.period + 1, seed)
    people.begin_again(participant, f"visit {visit.period}")
    letters.drop(participant, NEXT_VISIT)
    return visit


def _move(place: Place, state: str) -> bool:
    claimed = Place.objects.filter(pk=place.pk, state=PlaceState.ACTIVE).update(state=state)
    if claimed:
        place.state = state
        log(place.visit.participant.study, place, state)
    return bool(claimed)


@transaction.atomic
def complete_place(place: Place) -> bool:
    """The attempt on this place has ended by an answer or a skip, so its exposure stays. True for the first call."""
    Study.objects.select_for_update(no_key=True).get(pk=place.visit.participant.study_id)
    return _move(place, PlaceState.COMPLETED)


@transaction.atomic
def release(visit: Visit) -> int:
    """Give unfinished places back, once each; finished work keeps its places (P-13). How many were released."""
    Study.objects.select_for_update(no_key=True).get(pk=visit.participant.study_id)
    return sum(_move(place, PlaceState.RELEASED) for place in visit.places.filter(state=PlaceState.ACTIVE))


@transaction.atomic
def settle(participant: Participant) -> None:
    """What an end means for places: a complete visit keeps all of them, any other gives the open ones back."""
    for visit in participant.visits.all():
        if participant.end == End.COMPLETE:
            for place in visit.places.filter(state=PlaceState.ACTIVE):
                complete_place(place)
        else:
            release(visit)


@dataclass(frozen=True)
class Load:
    """How long a visit's tasks take by hand, in minutes, by the instances' estimates (M15)."""

    minutes: float


def load_of(visit: Visit) -> Load:
    minutes = Instance.objects.filter(places__visit=visit).values_list("minutes_by_hand", flat=True)
    return Load(float(sum(minutes)))
