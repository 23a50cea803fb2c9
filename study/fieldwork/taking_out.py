"""What "take my answers out" removes: all that was typed, chosen and looked for. Rows stay, counts stay honest (M7)."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from study.assignment.models import Visit
from study.fieldwork.models import (
    Attempt,
    ClosingAnswer,
    HelpRequest,
    Mark,
    Note,
    Pin,
    Rating,
    Rationale,
    RequesterTurn,
    Save,
    TurnKind,
)
from study.people.models import Participant
from study.sandbox.gui import long_addresses
from study.sandbox.gui.saved import forget
from study.sandbox.models import Desk, PageFact, TraceEvent


def take_out(participant: Participant) -> None:
    """Remove the answers of a participant from every visit, whatever they were stored for."""
    visits = participant.visits.all()
    _ratings(visits)
    _work(visits)
    ClosingAnswer.objects.filter(visit__in=visits).update(value=None)
    HelpRequest.objects.filter(visit__in=visits).update(words="", reply="", page="")
    Save.objects.filter(visit__in=visits).update(value=None)
    visits.update(comprehension={})
    _sandbox(participant, visits)


def _ratings(visits: QuerySet[Visit]) -> None:
    """Of the Org, its objects, and the cards after the lock; with their texts go the facts about typing."""
    Rationale.objects.filter(rating__visit__in=visits).delete()
    Rating.objects.filter(visit__in=visits).update(
        first="", final="", changes=0, cannot_judge_reason="", unfamiliar=False
    )
    Pin.objects.filter(visit__in=visits).delete()
    Note.objects.filter(visit__in=visits).delete()


def _work(visits: QuerySet[Visit]) -> None:
    Attempt.objects.filter(visit__in=visits).update(
        draft={},
        answer=None,
        reason="",
        confidence=None,
        frequency_at_work="",
        one_clear_answer="",
        scratch="",
        correct=None,
        score=None,
        graded_by="",
        mark="",
        key_version=None,
    )
    Mark.objects.filter(attempt__visit__in=visits).delete()  # a note may quote the answer
    # A reply may quote the question it answers; how many were asked stays.
    RequesterTurn.objects.filter(attempt__visit__in=visits).update(
        asked="", reply="", topics=[], given=[], kind=TurnKind.OTHER
    )


def _sandbox(participant: Participant, visits: QuerySet[Visit]) -> None:
    """What was searched for, opened and copied; that a page was opened, and when, stays."""
    desks = Desk.objects.filter(Q(attempt__visit__in=visits) | Q(visit_desk__visit__in=visits))
    TraceEvent.objects.filter(desk__in=desks.values("pk")).update(query=None, record="", address="")
    PageFact.objects.filter(desk__in=desks.values("pk")).update(copied=[])
    forget(participant.user, desks.values_list("org", flat=True))
    long_addresses.forget(desks)
