"""The work part: five attempts in order, each at a desk of its own, until the last one or until time is up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from study.accounts.models import User
from study.assignment.flows import complete_place
from study.assignment.models import PlaceState, Visit
from study.fieldwork import requesting
from study.fieldwork.models import Attempt, ClosingAnswer, Outcome, VisitDesk
from study.people import flows as people
from study.people.models import Stage
from study.people.protocol import file_of
from study.protocols.parts import RATHER_NOT, Item
from study.sandbox.desks import close_desk, open_desk
from study.sandbox.models import Desk, Purpose

COLUMNS = frozenset({"confidence", "frequency_at_work", "one_clear_answer"})
"""Items after an attempt that are columns of it; others of an own protocol are kept as ``item.position``."""
LINES_DONE = "lines_done"
UNREACHED = frozenset({Outcome.TIME_UP, Outcome.NOT_REACHED})


@dataclass(frozen=True)
class Next:
    """What comes next in the work part: an attempt, the lines after one, or the ratings."""

    what: str
    attempt: Attempt | None = None


def attempts_of(visit: Visit) -> list[Attempt]:
    """The attempts in order, with instance and desk."""
    return list(visit.attempts.select_related("place__instance", "desk").order_by("position"))


@transaction.atomic
def start_work(visit: Visit) -> bool:
    """From orientation to the first question; False when another request did it already."""
    if not people.advance(visit.participant, Stage.CONSENTED, Stage.WORKING):
        return False
    now = timezone.now()
    for place in visit.places.exclude(state=PlaceState.RELEASED).order_by("position"):
        Attempt.objects.get_or_create(visit=visit, position=place.position, defaults={"place": place})
    Visit.objects.filter(pk=visit.pk).update(oriented_at=now, work_started_at=now)
    return True


def owner_of(visit: Visit) -> User:
    """The one person whose desks these are. Raises ValueError for a participant without a user."""
    if visit.participant.user is None:
        raise ValueError(f"{visit.participant.code} has no user and can have no desk.")
    return visit.participant.user


def console_of(visit: Visit) -> bool:
    """Whether the protocol offers the query console in this visit's arm."""
    return file_of(visit.protocol).arm(visit.arm).console


def open_attempt(attempt: Attempt) -> Desk:
    """The attempt's desk, opened now if need be, with the instance's today."""
    if attempt.desk is not None:
        return attempt.desk
    visit = attempt.visit
    with transaction.atomic():
        # Two tabs asking at once wait for each other here and get one desk.
        row = Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        if row.desk is None:
            row.desk = open_desk(
                org=visit.org,
                user=owner_of(visit),
                purpose=Purpose.ATTEMPT,
                today=attempt.place.instance.today,
                study=visit.participant.study,
                console=console_of(visit),
            )
            row.started_at = timezone.now()
            row.withhold, row.style = requesting.drawn(visit, row.position, attempt.place.instance)
            row.save(update_fields=["desk", "started_at", "withhold", "style"])
    attempt.desk, attempt.started_at = row.desk, row.started_at
    attempt.withhold, attempt.style = row.withhold, row.style
    return row.desk


def desk_for_part(visit: Visit, purpose: str) -> Desk:
    """The visit's one desk for orientation or for rating, opened at the first need."""
    row = VisitDesk.objects.select_related("desk").filter(visit=visit, purpose=purpose).first()
    if row is not None:
        return row.desk
    with transaction.atomic():
        Visit.objects.select_for_update(no_key=True).get(pk=visit.pk)
        row = VisitDesk.objects.select_related("desk").filter(visit=visit, purpose=purpose).first()
        if row is None:
            desk = open_desk(
                org=visit.org,
                user=owner_of(visit),
                purpose=purpose,
                study=visit.participant.study,
                console=console_of(visit),
            )
            row = VisitDesk.objects.create(visit=visit, purpose=purpose, desk=desk)
    return row.desk


@transaction.atomic
def finish_attempt(
    attempt: Attempt, outcome: str, *, answer: list[str] | None = None, confidence: int | None = None, reason: str = ""
) -> bool:
    """End an attempt once; False when it had ended, and then nothing is changed (P-08)."""
    now = timezone.now()
    claimed = Attempt.objects.filter(pk=attempt.pk, outcome="").update(
        outcome=outcome, answer=answer, confidence=confidence, reason=reason, ended_at=now
    )
    if claimed:
        if attempt.desk is not None:
            close_desk(attempt.desk)
        # Worked on and ended: this instance has met a person, whatever comes later.
        complete_place(attempt.place)
    attempt.refresh_from_db()
    return bool(claimed)


@transaction.atomic
def time_up(visit: Visit) -> bool:
    """End the work part: the open draft is kept as ``time_up``, the rest is ``not_reached``, ratings begin."""
    now = timezone.now()
    current = list(visit.attempts.filter(outcome="").select_related("desk"))
    for attempt in current:
        outcome = Outcome.TIME_UP if attempt.started_at else Outcome.NOT_REACHED
        Attempt.objects.filter(pk=attempt.pk, outcome="").update(
            outcome=outcome,
            confidence=attempt.draft.get("confidence"),
            ended_at=now if attempt.started_at else None,
        )
        if attempt.desk is not None:
            close_desk(attempt.desk)
    return begin_ratings(visit)


def begin_ratings(visit: Visit) -> bool:
    """From work to the ratings; False when another request did it already."""
    if not people.advance(visit.participant, Stage.WORKING, Stage.RATING):
        return False
    Visit.objects.filter(pk=visit.pk).update(work_ended_at=timezone.now())
    return True


def items_after(visit: Visit, attempt: Attempt) -> list[Item]:
    """The short lines still to be asked after this attempt, in the protocol's order."""
    if not attempt.outcome or attempt.outcome in UNREACHED or attempt.draft.get(LINES_DONE):
        return []
    modules = file_of(visit.protocol).modules_at("after_each_task")
    gave_answer = attempt.outcome != Outcome.SKIPPED
    asked = [
        item
        for module in modules
        for item in module.items
        # Already told in the dock, or there is no answer to be sure of.
        if item.id != "confidence" or (gave_answer and attempt.confidence is None)
    ]
    return [*asked, *requesting.items_about(attempt)]


@transaction.atomic
def keep_lines(visit: Visit, attempt: Attempt, answers: dict[str, Any]) -> None:
    """Store the answers to the lines after an attempt, once. Items left untouched stay empty."""
    row = Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
    if row.draft.get(LINES_DONE):
        return
    for item, value in answers.items():
        if item == "confidence":
            row.confidence = None if value == RATHER_NOT else int(value)
        elif item in COLUMNS:
            setattr(row, item, value)
        else:
            ClosingAnswer.objects.get_or_create(
                visit=visit,
                item=f"{item}.{row.position}",
                defaults={"value": value, "saved_at": timezone.now(), "version": 1},
            )
    row.draft = row.draft | {LINES_DONE: True}
    row.save(update_fields=["confidence", "draft", "frequency_at_work", "one_clear_answer"])


def what_next(visit: Visit) -> Next:
    """Where the work part stands, from stored rows alone, so that Back, reload and a second tab agree."""
    for attempt in attempts_of(visit):
        attempt.visit = visit
        if not attempt.outcome:
            return Next("attempt", attempt)
        if items_after(visit, attempt):
            return Next("after", attempt)
    return Next("ratings")
