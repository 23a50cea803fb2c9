"""Visits and their places: given, completed, given back. The study's row is locked while counts are read."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from study.accounts.models import Study, User
from study.assignment import design, exposure
from study.assignment.drawing import draw_visit
from study.assignment.models import AssignmentEvent, Place, PlaceState, Visit
from study.assignment.orgs import resolve
from study.assignment.readiness import Problem, can_open
from study.benchmark.models import Instance
from study.people import cohorts, consent
from study.people import flows as people
from study.people.models import Cohort, End, Participant, Stage
from study.people.protocol import file_of, protocol_of
from study.protocols.models import Protocol

SEED_BITS = 62


class CannotBegin(Exception):
    """No visit can be made now: an Org or instances are missing. Nothing has changed."""


class NotReady(Exception):
    """A cohort cannot open; ``problems`` says why, each with a remedy."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(" ".join(f"{problem.text} {problem.remedy}" for problem in problems))
        self.problems = problems


def open_cohort(cohort: Cohort, *, by: User | None) -> bool:
    """Open a cohort once everything its people need is there. Raises NotReady."""
    if problems := can_open(cohort):
        raise NotReady(problems)
    return cohorts.mark_open(cohort, by=by)


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
    consent.record(participant, protocol, file_of(protocol), ticked)
    people.advance(participant, Stage.ELIGIBLE, Stage.CONSENTED)
    return begin_visit(participant, protocol=protocol)


@transaction.atomic
def begin_visit(participant: Participant, *, protocol: Protocol | None = None, seed: int | None = None) -> Visit:
    """The participant's visit with its places and orders, all from one stored seed; the same visit if it exists.

    ``seed`` is drawn when not given. A preview, and
    anybody of the pilot, gets a visit like any other, but no count and no log row ever sees it. Raises CannotBegin.
    """
    study = Study.objects.select_for_update().get(pk=participant.study_id)
    if existing := participant.visits.filter(period=1).first():
        return existing
    protocol = protocol or protocol_of(participant.cohort)
    file = file_of(protocol)
    arm = file.arm(participant.cohort.arm)
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    orgs = [org for org in (resolve(reference, study) for reference in arm.orgs) if org is not None]
    by_pk = {org.pk: org for org in orgs}
    try:
        org = by_pk[design.org_in_turn(list(by_pk), exposure.visits_by_org(study, arm.code, orgs))]
        drawn = draw_visit(study, file, arm.code, arm.plan(), org, seed)
    except design.CannotDraw as error:
        raise CannotBegin(str(error)) from None
    visit = Visit.objects.create(
        participant=participant,
        arm=arm.code,
        org=org,
        protocol=protocol,
        seed=seed,
        object_order=list(drawn.objects),
        box_order=list(drawn.boxes),
        language=participant.language or file.meta.language,
    )
    for position, one in enumerate(drawn.places, start=1):
        place = Place.objects.create(
            visit=visit, position=position, instance_id=one.instance, task=one.task, stratum=one.stratum
        )
        log(study, place, "assigned")
    return visit


def log(study: Study, place: Place, event: str) -> None:
    """One row of the log. The study's row is locked by the caller, so numbers follow each other."""
    if not place.visit.participant.counts:
        return
    last = AssignmentEvent.objects.filter(study=study).aggregate(last=Max("sequence"))["last"] or 0
    AssignmentEvent.objects.create(
        study=study,
        sequence=last + 1,
        visit=place.visit,
        event=event,
        instance_id=place.instance_id,
        position=place.position,
        seed=place.visit.seed,
        at=timezone.now(),
    )


def _move(place: Place, state: str) -> bool:
    claimed = Place.objects.filter(pk=place.pk, state=PlaceState.ACTIVE).update(state=state)
    if claimed:
        place.state = state
        log(place.visit.participant.study, place, state)
    return bool(claimed)


@transaction.atomic
def complete_place(place: Place) -> bool:
    """The attempt on this place has ended by an answer or a skip, so its exposure stays. True for the first call."""
    Study.objects.select_for_update().get(pk=place.visit.participant.study_id)
    return _move(place, PlaceState.COMPLETED)


@transaction.atomic
def release(visit: Visit) -> int:
    """Give unfinished places back, once each; finished work keeps its places (P-13). How many were released."""
    Study.objects.select_for_update().get(pk=visit.participant.study_id)
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
